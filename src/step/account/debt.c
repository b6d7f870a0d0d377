/* Debt: how far a body is from where its velocities and the frame's impulses lead it, beyond the gap that is kept.
 *
 * A body alone goes to its goal. The goal includes the forces, the rest impulses as if they acted evenly, joints and
 * impacts in flight. The difference to the body's real displacement must come from the step's impulses, each acting at
 * a moment of its own. An impulse of the bounce may act at any moment, which moves the body by dv dt times the
 * remaining share of the step. A rest impulse may act at any moment instead of in the middle. The difference that the
 * best moments leave is explained by no velocity: the body was pushed aside, halved or held, or stopped without an
 * impact. It adds up over the steps of a frame. Changes of velocity that are not impulses explain nothing. */
#include "step/context.h"

#include <float.h>
#include <string.h>

#define CN_DEBT_MIN 1e-4   /* of a body's radius: what is led less far in a frame does not move to speak of */
#define CN_DEBT_SHARE 0.02 /* of its motion: a body that is further off than this has a debt that is counted */
#define CN_DEBT_NEAR 0.01  /* of the kept gap: what is owed less is not explained any further */
#define CN_DEBT_ROUNDS 32  /* of finding the moments of a body's impacts */

void cn_losses_begin(cairn_world *w)
{
	cn_losses *l = &w->context->losses;
	memset(l->spent, 0, w->slots * sizeof *l->spent);
	memset(l->taken, 0, w->slots * sizeof *l->taken);
}

void cn_debt_forget(cairn_world *w, uint32_t kicks) { w->context->debt.kick_count = kicks; }

void cn_debt_begin(cairn_world *w)
{
	cn_context *c = w->context;
	c->debt.kick_count = 0, c->debt.kick_lost = false;
	for (uint32_t slot = 0; slot < w->slots && w->step == 0; ++slot)
		if (!w->away[slot])
			c->debt.by_slot[slot] = (cn_debt){0};
}

/* ---- impulses of a step */

bool cn_debt_kick(cairn_world *w, uint32_t slot, v3 dv)
{
	cn_context *c = w->context;
	if (v3_length2(dv) == 0)
		return true;
	if (!CN_ROOM(c->debt.kicks, c->debt.kick_count + 1)) {
		c->debt.kick_lost = true;
		return false;
	}
	c->debt.kicks[c->debt.kick_count++] = (cn_kick){slot, dv, 0, 0};
	return true;
}

static bool kick_body(cairn_world *w, uint32_t body, v3 impulse, bool rest)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	if (body == CN_QP_NONE || !(p->bodies[body].inv_mass > 0))
		return true;
	uint32_t before = c->debt.kick_count;
	bool ok = cn_debt_kick(w, p->slots[body], v3_scale(impulse, w->rotors[p->slots[body]].inv_mass));
	if (rest && c->debt.kick_count > before)
		c->debt.kicks[before].least = -0.5; /* the goal includes half of it */
	return ok;
}

bool cn_debt_impact(cairn_world *w, const cn_qp_contact *at, cn_qp_impulse y)
{
	v3 on_b = cn_qp_vector(at->n, y);
	return kick_body(w, at->a, v3_neg(on_b), false) && kick_body(w, at->b, on_b, false);
}

/* The points of a pair are one impulse, and so are the rows of a joint. */
bool cn_debt_impulses(cairn_world *w, bool rest)
{
	const cn_program *p = &w->context->program;
	cn_qp_frame f = {0};
	for (uint32_t i = 0, next; i < p->qp.contact_count; i = next) {
		v3 on_b = v3_zero();
		for (next = i; next < p->qp.contact_count && p->pair_of[next] == p->pair_of[i]; ++next) {
			cn_qp_frame_to(&f, p->contacts[next].n);
			on_b = v3_add(on_b, cn_qp_frame_vector(&f, p->y[next]));
		}
		if (!kick_body(w, p->contacts[i].a, v3_neg(on_b), rest) || !kick_body(w, p->contacts[i].b, on_b, rest))
			return false;
	}
	for (uint32_t i = 0, next; !rest && i < p->qp.row_count; i = next) {
		v3 on_a = v3_zero(), on_b = v3_zero();
		for (next = i; next < p->qp.row_count && p->row_joint[next] == p->row_joint[i]; ++next) {
			on_a = v3_madd(on_a, p->rows[next].ja.v, p->row_y[next]);
			on_b = v3_madd(on_b, p->rows[next].jb.v, p->row_y[next]);
		}
		if (!kick_body(w, p->rows[i].a, on_a, false) || !kick_body(w, p->rows[i].b, on_b, false))
			return false;
	}
	return true;
}

/* ---- the explanation */

/* Moves one impulse to its best moment. True: that is another one than before. */
static bool move_kick(cn_kick *k, cn_debt *d, double dt)
{
	double length2 = v3_length2(k->dv) * dt;
	if (!(length2 > 0) || v3_length(d->step) <= CN_DEBT_NEAR * d->gap)
		return false;
	double part = k->part + v3_dot(d->step, k->dv) / length2;
	part = part < k->least ? k->least : part > 1 + k->least ? 1 + k->least : part;
	bool moved = part != k->part;
	d->step = v3_madd(d->step, k->dv, (k->part - part) * dt);
	k->part = part;
	return moved;
}

/* Finds the moments of impulses that leave the smallest debt: one after another, each at its best, until nothing
 * changes. A body's impulses know of no other body, so those of a body for which a round changed nothing are done. */
static void explain(cairn_world *w)
{
	cn_context *c = w->context;
	cn_debt *debts = c->debt.by_slot;
	uint32_t count = c->debt.kick_count;
	for (int round = 0; count > 0 && round < CN_DEBT_ROUNDS; ++round) {
		uint32_t kept = 0;
		for (uint32_t i = 0; i < count; ++i)
			debts[c->debt.kicks[i].slot].moved = false;
		for (uint32_t i = 0; i < count; ++i) {
			cn_kick *k = &c->debt.kicks[i];
			debts[k->slot].moved |= move_kick(k, &debts[k->slot], w->dt);
		}
		for (uint32_t i = 0; i < count; ++i)
			if (debts[c->debt.kicks[i].slot].moved)
				c->debt.kicks[kept++] = c->debt.kicks[i];
		count = kept;
	}
	c->debt.kick_count = 0;
}

void cn_debt_note(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!p->near || p->must_not_touch)
			continue;
		c->debt.by_slot[p->a].gap =
			p->gap_target > c->debt.by_slot[p->a].gap ? p->gap_target : c->debt.by_slot[p->a].gap;
		c->debt.by_slot[p->b].gap =
			p->gap_target > c->debt.by_slot[p->b].gap ? p->gap_target : c->debt.by_slot[p->b].gap;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->debt.by_slot[slot].step = v3_sub(w->next[slot].x, c->paths.by_slot[slot].own.goal_x);
	explain(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!cn_body_movable(w, slot))
			continue;
		cn_debt *d = &c->debt.by_slot[slot];
		double path = v3_distance(w->next[slot].x, w->motion[slot].x),
			   led = 0.5 * w->dt * v3_length(v3_add(w->motion[slot].v, w->next[slot].v));
		d->owed = v3_add(d->owed, d->step);
		d->length += (path > led ? path : led) + c->contacts.strides[slot].swing;
	}
}

/* m: not counted as debt: the gap that is kept, and rounding. */
static double forgiven(const cairn_world *w, uint32_t slot)
{
	const cn_debt *d = &w->context->debt.by_slot[slot];
	return d->gap + CN_KEPT_ULPS * DBL_EPSILON * (v3_max(v3_abs(w->next[slot].x)) + d->length);
}

/* It moves to speak of. */
static bool moves(const cairn_world *w, uint32_t slot)
{
	return w->rotors[slot].active && !w->rest_state[slot].asleep &&
	       w->context->debt.by_slot[slot].length > CN_DEBT_MIN * w->bodies[slot].radius;
}

/* m: what a body owes; less than 0: nothing. */
static double owed_by(const cairn_world *w, uint32_t slot)
{
	return v3_length(w->context->debt.by_slot[slot].owed) - forgiven(w, slot);
}

void cn_debt_slowed(cairn_world *w, uint32_t slot, double share)
{
	w->context->debt.by_slot[slot].slowed |= share < 1 - CN_DEBT_SHARE;
}

bool cn_debt_slows(const cairn_world *w, uint32_t slot)
{
	return moves(w, slot) && w->context->debt.by_slot[slot].slowed;
}

bool cn_debt_counts(const cairn_world *w, uint32_t slot)
{
	return moves(w, slot) && owed_by(w, slot) > CN_DEBT_SHARE * w->context->debt.by_slot[slot].length;
}

void cn_debt_report(const cairn_world *w, cairn_step_report *r)
{
	double sum = 0;
	r->debt = r->debt_mean = 0;
	r->debtor = (cairn_body){0, 0};
	r->movers = r->debtors = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!moves(w, slot))
			continue;
		double owed = owed_by(w, slot);
		++r->movers;
		if (!(owed > 0))
			continue;
		sum += owed;
		r->debtors += cn_debt_counts(w, slot);
		if (owed > r->debt)
			r->debt = owed, r->debtor = cn_handle(w, slot);
	}
	r->debt_mean = r->movers ? sum / r->movers : 0;
}
