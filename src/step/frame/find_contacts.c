/* The stage that finds contacts at the frame's start. It refuses the step if bodies overlap there. */
#include "step/context.h"

static const cn_pair *find_overlap(const cairn_world *w)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		double far = v3_max(v3_abs(c->contacts.now[p->pa].x)) + v3_max(v3_abs(c->contacts.now[p->pb].x));
		double touching = p->must_not_touch ? 0 : -CN_KEPT_ULPS * DBL_EPSILON * (far + p->thin);
		if (p->near && p->measured && p->at.gap < touching)
			return p;
	}
	return NULL;
}

bool cn_contacts_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed)
{
	*failed = !cn_context_begin(w) || !cn_parts_begin(w) || !cn_pairs_find(w) || !cn_contacts_measure(w, true);
	const cn_pair *p = *failed ? NULL : find_overlap(w);
	uint32_t of_a = p ? p->a : 0, of_b = p ? p->b : 0;
	if (*failed || (!p && !cn_mesh_contact_inside(w, &of_a, &of_b)))
		return false;
	*a = cn_handle(w, of_a), *b = cn_handle(w, of_b);
	return true;
}

bool cn_contacts_find(cairn_world *w, cn_frame *f)
{
	bool ok = cn_context_begin(w) && cn_parts_begin(w) && cn_pairs_find(w) && cn_contacts_measure(w, true);
	while (ok && cn_wake_touched(w, f)) /* a woken body may wake its neighbours */
		ok = cn_contacts_measure(w, true);
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	const cn_pair *p = find_overlap(w);
	if (!p)
		return true;
	f->report.status = CAIRN_STEP_OVERLAP;
	f->report.pair_a = cn_handle(w, p->a), f->report.pair_b = cn_handle(w, p->b);
	return false;
}
