/* The memory that a step works in, created with the first frame and freed with the world; and the stage that fills it with
 * the contacts at the frame's start. That stage refuses the step if bodies overlap there. */
#include "step/context.h"
#include "step/hooks.h"

#define CN_BOUNCE_MIN 0.5 /* x g dt: what gravity brings in half a frame is no impact */

static bool create(cairn_world *w)
{
	cn_context *c = w->context = cn_alloc(&w->allocator, 1, sizeof *c);
	if (!c)
		return false;
	c->arrays.allocator = &w->allocator;
	c->temporary = cn_arena_make(&w->allocator);
	c->contacts.broad = cn_broad_create(&w->allocator);
	c->solve.momentum = cn_islands_create(&w->allocator);
	c->solve.fast = cn_fast_create(&w->allocator);
	c->solve.small = cn_small_create(&w->allocator);
	if (c->contacts.broad && c->solve.momentum && c->solve.fast && c->solve.small)
		return true;
	cn_context_destroy(w);
	return false;
}

void cn_context_destroy(cairn_world *w)
{
	cn_context *c = w->context;
	const cairn_allocator *a = &w->allocator;
	if (!c)
		return;
	cn_broad_destroy(c->contacts.broad);
	cn_islands_destroy(c->solve.momentum);
	cn_fast_destroy(c->solve.fast);
	cn_small_destroy(c->solve.small);
	cn_free(a, c->paths.extras, c->paths.extra_room, sizeof *c->paths.extras);
	cn_arrays_free(&c->arrays);
	cn_arena_free(&c->temporary);
	cn_free(a, c, 1, sizeof *c);
	w->context = NULL;
}

/* Makes room for the arrays of functions: a few by slot, some sets of bodies, and one by contact. Where that is not enough, they take more. */
static bool reserve_temporary(cn_context *c, uint32_t slots)
{
	size_t contacts = c->program.qp.contact_count + 64u;
	return cn_arena_reserve(&c->temporary,
	                        (slots + 4u) * 4 * sizeof(double) + 8 * (slots + 16u) + 2 * contacts * sizeof(uint32_t));
}

/* Makes room in all arrays by slot. */
static bool make_room(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t slots = w->slots + 1;
	return CN_ROOM(c->paths.by_slot, slots) && CN_ROOM(c->paths.poses, slots) && CN_ROOM(c->pass.turns, slots) &&
	       CN_ROOM(c->pass.shares, slots) && CN_ROOM(c->pass.far, slots) &&
	       CN_ROOM(c->paths.leg_ends.ends, CN_LEG_ENDS_MAX * w->slots + 1) && CN_ROOM(c->debt.by_slot, slots) &&
	       CN_ROOM(c->energy.gains, slots) && CN_ROOM(c->energy.sums, slots) && CN_ROOM(c->energy.afloat, slots) &&
	       CN_ROOM(c->losses.spent, slots) && CN_ROOM(c->losses.taken, slots) && CN_ROOM(c->graph.root, slots) &&
	       CN_ROOM(c->freeze.marks, slots); /* made here, as a failed trial must still be undone */
}

bool cn_context_begin(cairn_world *w)
{
	if ((!w->context && !create(w)) || !make_room(w) || !reserve_temporary(w->context, w->slots) || !cn_joints_begin(w))
		return false;
	cn_context *c = w->context;
	c->gravity = v3_length(w->scene->settings.gravity);
	c->threshold = CN_BOUNCE_MIN * c->gravity / (w->scene->settings.fps * w->steps); /* of a step that is not cut */
	c->scale = INFINITY;
	c->under_way = c->paths.has_balls = false;
	c->solve.has_mass_ratios = false; /* no program of this step has been weighed */
	c->paths.scripts = c->paths.moving_scripts = c->paths.leg_ends.count = 0;
	return true;
}

/* ---- contacts */

/* The deepest overlap; NULL: there is none. */
static const cn_pair *find_overlap(const cairn_world *w)
{
	const cn_context *c = w->context;
	const cn_pair *deepest = NULL;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		double far = v3_max(v3_abs(c->contacts.now[p->pa].x)) + v3_max(v3_abs(c->contacts.now[p->pb].x));
		double touching = p->must_not_touch ? 0 : -CN_KEPT_ULPS * DBL_EPSILON * (far + p->thin);
		if (p->near && p->measured && p->at.gap < touching && (!deepest || p->at.gap < deepest->at.gap))
			deepest = p;
	}
	return deepest;
}

bool cn_contacts_take(cairn_world *w)
{
	return cn_context_begin(w) && cn_parts_begin(w) && cn_pairs_find(w) && cn_contacts_measure(w, true);
}

bool cn_contacts_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed)
{
	*failed = !cn_contacts_take(w);
	const cn_pair *p = *failed ? NULL : find_overlap(w);
	uint32_t of_a = p ? p->a : 0, of_b = p ? p->b : 0;
	if (*failed || (!p && !cn_mesh_contact_inside(w, &of_a, &of_b) && !cn_front_inside(w, &of_a, &of_b)))
		return false;
	*a = cn_handle(w, of_a), *b = cn_handle(w, of_b);
	return true;
}

bool cn_contacts_find(cairn_world *w, cn_frame *f)
{
	bool ok = cn_contacts_take(w);
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
