/* Debt: how far a body is from where its velocities and the impulses of the frame lead it, beyond the gap that was kept.
 *
 * In a step forces alone lead a body from v0 to vf, and by dt (v0 + vf)/2. All impulses of the step together, of contacts,
 * blows and joints, leave it with v'. If they act at one time, after a share s of the step, the way is dt (v0 + vf)/2 +
 * (1 - s) dt (v' - vf), and so it is, with s in the middle, if they act all the while. What the way shown differs by from
 * the nearest of these, no velocity explains: the body was pushed aside, halved or held. Over the steps of a frame that adds
 * up. */
#include "step/context.h"

#include <float.h>

void cn_debt_begin(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (w->step == 0 && !w->away[slot])
			c->energy.debts[slot] = (cn_debt){0};
		c->energy.debts[slot].free = c->contacts.strides[slot].dx;
	}
}

void cn_debt_note(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!p->near || p->must_not_touch)
			continue;
		c->energy.debts[p->a].gap =
			p->gap_target > c->energy.debts[p->a].gap ? p->gap_target : c->energy.debts[p->a].gap;
		c->energy.debts[p->b].gap =
			p->gap_target > c->energy.debts[p->b].gap ? p->gap_target : c->energy.debts[p->b].gap;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!cn_body_movable(w, slot))
			continue;
		cn_debt *d = &c->energy.debts[slot];
		v3 way = v3_sub(w->next[slot].x, w->motion[slot].x), owed = v3_sub(way, d->free);
		v3 ends = v3_scale(v3_add(w->motion[slot].v, w->next[slot].v), w->dt), pushed = v3_madd(ends, d->free, -2);
		double length2 = v3_length2(pushed), share = length2 > 0 ? v3_dot(owed, pushed) / length2 : 0;
		owed = v3_madd(owed, pushed, share < 0 ? 0 : share > 1 ? -1 : -share);
		d->owed = v3_add(d->owed, owed);
		d->length += 0.5 * v3_length(ends) + c->contacts.strides[slot].swing;
	}
}

/* m: what is no debt, the gap that was kept and rounding. */
static double forgiven(const cairn_world *w, uint32_t slot)
{
	const cn_debt *d = &w->context->energy.debts[slot];
	return d->gap + CN_DEBT_ULPS * DBL_EPSILON * (v3_max(v3_abs(w->next[slot].x)) + d->length);
}

void cn_debt_report(const cairn_world *w, cairn_step_report *r)
{
	const cn_context *c = w->context;
	double sum = 0;
	r->debt = r->debt_mean = 0;
	r->debtor = (cairn_body){0, 0};
	r->movers = r->debtors = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_debt *d = &c->energy.debts[slot];
		if (!w->rotors[slot].active || w->rest_state[slot].asleep ||
		    !(d->length > CN_DEBT_LEAST * w->bodies[slot].radius))
			continue;
		double owed = v3_length(d->owed) - forgiven(w, slot);
		++r->movers;
		if (!(owed > 0))
			continue;
		sum += owed;
		r->debtors += owed > CN_DEBT_SHARE * d->length;
		if (owed > r->debt)
			r->debt = owed, r->debtor = cn_handle(w, slot);
	}
	r->debt_mean = r->movers ? sum / r->movers : 0;
}
