/* The energy account of the position stage. Keeping bodies apart lifts and turns them, which gains energy. Bodies
 * that gained it pay with kinetic energy: first each for its own gain, then those that push each other together, then
 * their island. The accounts of other stages are kept where they arise. */
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"

#include <string.h>

/* The speed at which a point of the pair nears. */
static double approach(const cn_pair *p, const cn_pair_point *t, const cn_twist u[2])
{
	v3 a = v3_add(u[0].v, v3_cross(u[0].w, t->ra)), b = v3_add(u[1].v, v3_cross(u[1].w, t->rb));
	return v3_dot(p->at.n, v3_sub(a, b));
}

/* A point of the pair touches and approaches as fast as an impact: the two met within the step. What a script carries along
 * has not met it, however fast both go. */
static bool met(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	const uint32_t slots[2] = {p->a, p->b};
	cn_twist own[2], both[2];
	if (!p->near || p->must_not_touch || (!p->position.blocks && p->at.gap > CN_TOUCH_PUSHED * p->gap_target) ||
	    !cn_pair_fast(w, p))
		return false;
	for (int i = 0; i < 2; ++i) {
		own[i] = cn_body_movable(w, slots[i]) ? cn_twist_of(w, slots[i], w->next[slots[i]].q, &w->next[slots[i]])
		                                      : (cn_twist){{0, 0, 0}, {0, 0, 0}};
		both[i] = cn_path_driven(&c->paths.by_slot[slots[i]]) ? cn_script_twist(w, slots[i], true) : own[i];
	}
	for (uint32_t k = 0; k < p->count; ++k) {
		const cn_pair_point *t = &c->contacts.points[p->first + k];
		double speed = fmin(approach(p, t, own), approach(p, t, both));
		if (speed > c->threshold && cn_point_touches(w, p, t, speed))
			return true;
	}
	return false;
}

/* Finds bodies that nothing immovable is near, at any remove. They have all that they lost or won from each other, and
 * none of it from the motion that they have in common. */
static void find_afloat(cairn_world *w)
{
	cn_context *c = w->context;
	cn_graph_components(w);
	memset(c->energy.afloat, 1, w->slots);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool a = cn_body_movable(w, p->a), b = cn_body_movable(w, p->b);
		if (p->near && a != b)
			c->energy.afloat[c->graph.root[a ? p->a : p->b]] = 0;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (cn_joints_tied(w, slot) || cn_joints_follow(w, slot))
			c->energy.afloat[c->graph.root[slot]] = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) /* that of a root stays what it is */
		c->energy.afloat[slot] = c->energy.afloat[c->graph.root[slot]];
}

/* Bodies that nothing immovable is near fall alike, and meet with the same speed wherever that is; so do links of one
 * articulation that is tied to nothing. If one falls less, the other falls more. */
static bool fall_alike(const cairn_world *w, const cn_pair *p)
{
	const uint8_t *afloat = w->context->energy.afloat;
	uint32_t art = cn_joints_of(w, p->a);
	return (afloat[p->a] && afloat[p->b]) ||
	       (art != CN_QP_NONE && art == cn_joints_of(w, p->b) && !cn_joints_tied(w, p->a));
}

/* hit, by slot: the body met another within the step. */
static void find_met(const cairn_world *w, uint8_t *hit)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->gravity > 0; ++i)
		if (met(w, &c->contacts.pairs[i]) && !fall_alike(w, &c->contacts.pairs[i]))
			hit[c->contacts.pairs[i].a] = hit[c->contacts.pairs[i].b] = 1;
}

/* A body that was stopped met the other where it is, not at its goal. Corrects its speed along the push to the one at
 * this height. Returns J: the gain of kinetic energy. */
static double meet_height(cairn_world *w, uint32_t slot)
{
	cn_motion *m = &w->next[slot];
	v3 push = v3_sub(m->x, w->context->paths.by_slot[slot].own.goal_x), d = v3_unit(push);
	double against = -v3_dot(m->v, d), gain = -v3_dot(w->scene->settings.gravity, push); /* J/kg */
	if (!(against > 0))
		return 0;
	double square = against * against - 2 * gain, speed = square > 0 ? sqrt(square) : 0;
	m->v = v3_madd(m->v, d, against - speed);
	(void)cn_debt_kick(w, slot, v3_scale(d, against - speed));
	return 0.5 * w->rotors[slot].mass * (speed * speed - against * against);
}

/* J: potential energy relative to the goal. */
static double height_of(const cairn_world *w, uint32_t slot)
{
	v3 push = v3_sub(w->next[slot].x, w->context->paths.by_slot[slot].own.goal_x);
	return -v3_dot(w->scene->settings.gravity, push) * w->rotors[slot].mass;
}

/* J: change of rotational energy on the way to the goal that is due to contacts. They changed the angular momentum at
 * the frame's start, and the body turned with the mean of both. The change in free rotation is not included. Flights
 * with impacts and articulations have accounts of their own. */
static double swing_of(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	const cn_rotor *r = &w->rotors[slot];
	if (r->kind == CN_ROTOR_BALL || w->context->losses.taken[slot] == 0 || y->flight.struck ||
	    cn_joints_of(w, slot) != CN_QP_NONE)
		return 0;
	cn_motion from = w->next[slot], to = from, from_mean, to_mean;
	from.q = w->motion[slot].q, to.q = y->own.goal_q;
	from_mean = from, to_mean = to;
	from_mean.l = to_mean.l = cn_mean_momentum(w, slot);
	return (cn_kinetic(r, &to) - cn_kinetic(r, &to_mean)) - (cn_kinetic(r, &from) - cn_kinetic(r, &from_mean));
}

/* J: energy that a body gained by being kept apart from others: height, and rotational energy by its other
 * orientation. */
static double gain_of(cairn_world *w, uint32_t slot, bool hit)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	const cn_rotor *r = &w->rotors[slot];
	cn_motion goal = w->next[slot];
	goal.q = y->own.goal_q;
	double turning = cn_kinetic(r, &w->next[slot]) - cn_kinetic(r, &goal);
	return height_of(w, slot) + turning + (hit && w->context->gravity > 0 ? meet_height(w, slot) : 0);
}

/* Other bodies cannot move, or their path is given. */
static bool takes_part(const cn_context *c, uint32_t slot) { return c->paths.by_slot[slot].legs.role != CN_ROLE_FREE; }

/* J: what a step may bring a body at no cost. */
static double little_of(const cairn_world *w, uint32_t slot)
{
	return CN_PAY_MIN * w->rotors[slot].mass * w->context->gravity * w->bodies[slot].radius;
}

/* Sums over islands, once these are known. */
static void sum_islands(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->energy.sums[slot] = (cn_island){0};
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_island *i = &c->energy.sums[c->graph.root[slot]];
		const cn_rotor *r = &w->rotors[slot];
		if (!takes_part(c, slot))
			continue;
		i->won += c->energy.gains[slot] - c->losses.spent[slot]; /* losses at contacts in this frame offset a gain */
		i->kinetic += cn_kinetic(r, &w->next[slot]);
		i->little += little_of(w, slot);
		i->mass += r->mass;
		i->momentum = v3_madd(i->momentum, w->next[slot].v, r->mass);
		/* a body that is alone was pushed by another that is no longer near */
		i->anchored = i->count++ == 0 && !c->energy.afloat[slot];
	}
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool a = takes_part(c, p->a), b = takes_part(c, p->b);
		if (cn_pair_pushes(p) && a != b && !c->energy.afloat[a ? p->a : p->b])
			c->energy.sums[c->graph.root[a ? p->a : p->b]].anchored = true;
	}
	if (!c->paths.moving_scripts)
		return;
	memset(c->energy.reach, 0, w->slots * sizeof *c->energy.reach);
	cn_scripts_find_reach(w, c->energy.reach);
	for (uint32_t slot = 0; slot < w->slots; ++slot) { /* scripts lift at most as far as they move */
		cn_island *i = &c->energy.sums[slot];
		double max = i->mass * c->gravity * c->energy.reach[slot];
		i->work = i->won > 0 ? (i->won < max ? i->won : max) : 0;
		i->won -= i->work;
	}
}

/* J: gain of a body beyond the losses at its contacts. A negative loss, which contacts should not have, adds to it.
 * */
static double own_gain(const cn_context *c, uint32_t slot) { return c->energy.gains[slot] - c->losses.taken[slot]; }

/* lift, by slot, m: how far gaps that opened in this step lifted a body at no cost, summed over those below it. */
static void find_gap_lift(const cairn_world *w, double *lift)
{
	enum { LAYERS = 8 }; /* in one step; bodies further up get their lift in the next */
	const cn_context *c = w->context;
	v3 up = v3_unit(v3_neg(w->scene->settings.gravity));
	bool more = true;
	for (int layer = 0; layer < LAYERS && more; ++layer) {
		more = false;
		for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
			const cn_pair *p = &c->contacts.pairs[i];
			if (!p->near || p->must_not_touch)
				continue;
			double start = p->frame_start.gap > 0 ? p->frame_start.gap : 0, opened = p->at.gap - start,
				   max = cn_pair_opens_free(w, p), along = v3_dot(p->at.n, up);
			uint32_t top = along > 0 ? p->b : p->a, below = along > 0 ? p->a : p->b;
			opened = opened < max ? opened : max;
			double raised = lift[below] + (opened > 0 ? opened * fabs(along) : 0);
			if (!cn_body_movable(w, top) || raised <= lift[top])
				continue;
			lift[top] = raised, more = true;
		}
	}
}

/* Opening a gap up to the requested one lifts bodies at no cost to their speed, except for the part that the proof of
 * their turning takes. That energy is booked separately and not paid for. lift: memory by slot, zeroed. */
static double book_opened(cairn_world *w, double *lift)
{
	cn_context *c = w->context;
	double all = 0;
	if (!(c->gravity > 0))
		return 0;
	find_gap_lift(w, lift);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		double opened = w->rotors[slot].mass * c->gravity * lift[slot];
		if (!takes_part(c, slot) || !(opened > 0) || !(c->energy.gains[slot] > 0))
			continue;
		opened = opened < c->energy.gains[slot] ? opened : c->energy.gains[slot];
		c->energy.gains[slot] -= opened;
		all += opened;
	}
	return all;
}

static void slow_down(cairn_world *w, uint32_t slot, v3 mean, double share)
{
	cn_motion *m = &w->next[slot];
	cn_debt_slowed(w, slot, share);
	m->v = v3_lerp(mean, m->v, share);
	m->l = v3_scale(m->l, share);
}

/* The share of a speed that is left after a price was paid with kinetic energy, as far as it suffices. */
static double share_left(double kinetic, double price) { return kinetic > price ? sqrt(1 - price / kinetic) : 0; }

/* A body that gains energy by rolling on what it touches, beyond the losses at its contacts, shows the error of a
 * finite step on a curve: contacts do no work there. It pays with its own motion, as far as that suffices. */
static void pay_own(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_island *i = &c->energy.sums[c->graph.root[slot]];
		const cn_rotor *r = &w->rotors[slot];
		double own = own_gain(c, slot), price = own < i->won ? own : i->won;
		if (c->paths.by_slot[slot].legs.role != CN_ROLE_UNDER_ROWS || !i->anchored || !(price > little_of(w, slot)))
			continue;
		double kinetic = cn_kinetic(r, &w->next[slot]);
		slow_down(w, slot, v3_zero(), share_left(kinetic, price));
		c->energy.gains[slot] += cn_kinetic(r, &w->next[slot]) - kinetic;
	}
}

/* pushed, by slot: the body touches or pushed another in this step. */
static void find_pushed(const cairn_world *w, uint8_t *pushed)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		if (cn_pair_pushes(&c->contacts.pairs[i]))
			pushed[c->contacts.pairs[i].a] = pushed[c->contacts.pairs[i].b] = 1;
}

/* Bodies of an island pay for its remaining gain together, with their motion relative to the mean.
 * payers: NULL: all; else those of the set, and only in islands that something fixed supports. */
static void pay_together(cairn_world *w, const uint8_t *payers)
{
	cn_context *c = w->context;
	sum_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_island *i = &c->energy.sums[c->graph.root[slot]];
		cn_motion *m = &w->next[slot];
		if (c->paths.by_slot[slot].legs.role != CN_ROLE_UNDER_ROWS || !(i->won > i->little) ||
		    (payers && (!payers[slot] || !i->anchored)))
			continue;
		v3 mean = i->anchored ? v3_zero() : v3_scale(i->momentum, 1 / i->mass);
		double kinetic = i->kinetic - 0.5 * v3_length2(mean) * i->mass, before = cn_kinetic(&w->rotors[slot], m);
		slow_down(w, slot, mean, share_left(kinetic, i->won));
		c->energy.gains[slot] += cn_kinetic(&w->rotors[slot], m) - before;
	}
}

/* Bodies pay for their own gains first. Bodies that push each other pay for the rest together; if their group touches
 * nothing fixed, with their motion relative to its mean, which keeps its momentum. If they cannot pay, other bodies
 * of the island that touch something pay as well. Bodies that neither touch nor were pushed do not pay.
 * pushed: memory for a set, zeroed. */
static void pay(cairn_world *w, uint8_t *pushed)
{
	cn_graph_pushes(w);
	sum_islands(w);
	pay_own(w);
	pay_together(w, NULL);
	find_pushed(w, pushed);
	cn_graph_islands(w);
	pay_together(w, pushed);
}

/* A body pays with its rotation for the gain of its rotation. Returns the rest, J. */
static double pay_swing(cairn_world *w, uint32_t slot, double swing)
{
	cn_motion *m = &w->next[slot];
	const cn_rotor *r = &w->rotors[slot];
	double taken = w->context->losses.taken[slot], price = swing - (taken > 0 ? taken : 0), kinetic = cn_kinetic(r, m);
	double turning = kinetic - 0.5 * r->mass * v3_length2(m->v);
	if (!(price > little_of(w, slot)))
		return swing;
	slow_down(w, slot, m->v, share_left(turning, price));
	return swing + cn_kinetic(r, m) - kinetic;
}

/* Reports the largest gain of a single body, as height relative to its size. */
static void note_lift(const cairn_world *w, uint32_t slot, double won, cairn_step_report *r)
{
	const cairn_box *box = &w->scene->shapes[w->bodies[slot].shape].box;
	double weight = w->rotors[slot].mass * w->context->gravity, size = v3_max(v3_sub(box->max, box->min));
	if (!(weight > 0) || won <= r->lift * weight * size)
		return;
	r->lift = won / (weight * size);
	r->lifted = cn_handle(w, slot);
}

bool cn_energy_position(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *hit, *pushed;
	double *lift;
	if (!CN_LOCAL(hit, w->slots + 1) || !CN_LOCAL(pushed, w->slots + 1) || !CN_LOCAL(lift, w->slots + 1) ||
	    (c->paths.moving_scripts && !CN_ROOM(c->energy.reach, w->slots + 1)))
		return false;
	find_afloat(w);
	find_met(w, hit);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_path *y = &c->paths.by_slot[slot];
		const cn_rotor *r = &w->rotors[slot];
		c->energy.gains[slot] = 0;
		if (!r->active)
			continue;
		double swing = swing_of(w, slot);
		f->report.energy.drift -= swing;
		double gain = takes_part(c, slot) ? gain_of(w, slot, hit[slot]) : 0;
		swing = pay_swing(w, slot, swing);
		if (!takes_part(c, slot)) {
			f->report.energy.position += swing;
			continue;
		}
		f->report.tiers[CAIRN_TIER_HOLD] += y->legs.put_back;
		c->energy.gains[slot] = swing + gain;
	}
	f->report.energy.position += book_opened(w, lift);
	pay(w, pushed);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!w->rotors[slot].active || !takes_part(c, slot))
			continue;
		f->report.energy.position += c->energy.gains[slot];
	}
	sum_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		f->events += c->energy.sums[slot].work, f->report.energy.position -= c->energy.sums[slot].work;
	for (uint32_t slot = 0; slot < w->slots; ++slot) { /* a gain that neighbours lost is no creation of energy */
		double made = c->energy.sums[c->graph.root[slot]].won,
			   own = c->energy.gains[slot] - (c->losses.taken[slot] > 0 ? c->losses.taken[slot] : 0);
		note_lift(w, slot, own < made ? own : made, &f->report);
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}
