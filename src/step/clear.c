/* The ways that are shown, and what they cost. Legs are free by construction (leg.c); most bodies can go straight all the same, which needs
 * no keys inside the frame. A body goes by its legs where the straight way is not free of another's; those it then meets do so too, and
 * if all did, everything would be free. Bodies that keep the keys of their free motion are proved against all others; what is not
 * free there is put back to the frame's start, and so are those that would run into it: each once. */
#include "step/crowd.h"

#include "base/tolerance.h"

#include <string.h>

static bool stood(const cairn_world *w, uint32_t slot)
{
	const cn_motion *a = &w->motion[slot], *b = &w->next[slot];
	return !w->crowd->ways[slot].kept && !w->crowd->ways[slot].trail && a->x.x == b->x.x && a->x.y == b->x.y &&
	       a->x.z == b->x.z && a->q.w == b->q.w && a->q.x == b->q.x && a->q.y == b->q.y && a->q.z == b->q.z;
}

static bool proved(const cairn_world *w, const cn_close *p)
{
	const cn_crowd *c = w->crowd;
	const cn_way *a = &c->ways[p->a], *b = &c->ways[p->b];
	if (stood(w, p->a) && stood(w, p->b))
		return true;
	if (a->trail && b->trail)
		return true; /* leg by leg */
	double slack = cn_slack(c, p), k = a->whole_k + b->whole_k;
	if (!a->kept && !b->kept && !a->trail && !b->trail &&
	    (cn_balls_prove(w, p, w->motion[p->a].x, w->motion[p->b].x, slack) ||
	     cn_axis_proves(cn_along(c, p, c->start, p->at.n), p->at.gap, k, slack) ||
	     cn_axis_proves(p->start, cn_along(c, p, c->now, p->start_axis), k, slack)))
		return true;
	return cn_ways_free(w, p, false);
}

static void prove_pair(cairn_world *w, cn_close *p)
{
	if (p->unproved)
		p->bad = !proved(w, p), p->unproved = false;
}

/* Bodies in flags have other ways now. */
static void prove_flagged(cairn_world *w, bool all)
{
	cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->pair_count; ++i)
		c->pairs[i].unproved = all || c->flags[c->pairs[i].a] || c->flags[c->pairs[i].b];
	cn_crowd_each_pair(w, prove_pair);
}

/* Bodies of pairs that are not free go by their legs. */
static bool take_legs(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	bool any = false;
	memset(c->flags, 0, w->slots);
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->bad && !p->barred && j < 2; ++j) {
			cn_way *y = &c->ways[slots[j]];
			if (y->kept || y->trail || !cn_crowd_movable(w, slots[j]))
				continue;
			y->trail = any = true;
			c->flags[slots[j]] = 1;
			++f->report.tiers[CAIRN_TIER_CUT];
		}
	}
	return any;
}

/* Bodies of pairs that are still not free, which is for their many keys, stay where they were. */
static bool hold(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	bool any = false;
	memset(c->flags, 0, w->slots);
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		cn_close *p = &c->pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		p->blocks |= p->bad;
		for (int j = 0; p->bad && !p->barred && j < 2; ++j) {
			cn_way *y = &c->ways[slots[j]];
			if (!cn_crowd_movable(w, slots[j]) || stood(w, slots[j]))
				continue;
			w->next[slots[j]].x = w->motion[slots[j]].x, w->next[slots[j]].q = w->motion[slots[j]].q;
			y->kept = 0, y->trail = false, y->busy = y->put_back = y->moved = any = true;
			c->flags[slots[j]] = 1;
			cn_crowd_place(w, slots[j]);
		}
	}
	return any;
}

/* One piece turns a quarter at most. */
static void break_turns(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &c->ways[slot];
		double cosine = fabs(q_dot(w->motion[slot].q, w->next[slot].q)); /* of half the turn */
		if (!y->busy || cosine > CN_STRAIGHT_COSINE)
			continue;
		y->trail = true;
		++f->report.tiers[CAIRN_TIER_CUT];
	}
}

static bool choose_ways(cairn_world *w, cn_frame *f)
{
	break_turns(w, f);
	prove_flagged(w, true);
	while (take_legs(w, f))
		prove_flagged(w, false);
	while (hold(w)) {
		if (!cn_crowd_again(w))
			return false;
		prove_flagged(w, false);
	}
	return true;
}

/* The keys inside the frame. */
static bool write_keys(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	uint32_t count = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		count += w->bodies[slot].alive ? cn_way_pieces(w, slot) - 1 : 0;
	if (!cn_grow(&w->allocator, (void **)&c->extras, &c->extra_room, count + 1, sizeof *c->extras))
		return false;
	count = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_way *y = &c->ways[slot];
		if (!w->bodies[slot].alive)
			continue;
		w->pieces[slot] = (uint8_t)cn_way_pieces(w, slot);
		for (uint32_t k = 0; k + 1 < w->pieces[slot]; ++k) {
			if (!y->trail) {
				c->extras[count++] = w->next_extras[y->first + k];
				continue;
			}
			const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
			cn_piece p = cn_way_piece(w, slot, k), after = cn_way_piece(w, slot, k + 1);
			c->extras[count++] = (cn_extra){slot,
			                                {.time = cairn_world_time(w) + p.t1 * w->dt,
			                                 .position = p.x1,
			                                 .orientation = after.q0,
			                                 .velocity = v3_lerp(from->v, to->v, p.t1),
			                                 .spin = cn_spin(&w->rotors[slot], after.q0, v3_lerp(from->l, to->l, p.t1)),
			                                 .turn = p.turn}};
		}
	}
	cn_extra *extras = w->next_extras;
	uint32_t room = w->next_extra_capacity;
	w->next_extras = c->extras, w->next_extra_capacity = c->extra_room;
	c->extras = extras, c->extra_room = room;
	w->next_extra_count = f->report.extra_keys = count;
	return true;
}

/* ---- energy */

/* A body that was stopped on its way met what stopped it where it is, not where it was to go: along the push that moved it there, its speed
 * is that of this height. What it gains by that. */
static double meet_height(cairn_world *w, uint32_t slot)
{
	cn_motion *m = &w->next[slot];
	v3 push = v3_sub(m->x, w->crowd->ways[slot].goal_x), d = v3_unit(push);
	double against = -v3_dot(m->v, d), gain = -v3_dot(w->scene->settings.gravity, push); /* of a kilogram */
	if (!(against > 0) || (gain < 0 && against < w->crowd->threshold)) /* slow ones are not given any speed */
		return 0;
	double square = against * against - 2 * gain, speed = square > 0 ? sqrt(square) : 0;
	m->v = v3_madd(m->v, d, against - speed);
	return 0.5 * w->rotors[slot].mass * (speed * speed - against * against);
}

/* What keeping a body apart from others brought it: height, and the change of its turning with its orientation. */
static double gain_of(cairn_world *w, uint32_t slot)
{
	const cn_way *y = &w->crowd->ways[slot];
	const cn_rotor *r = &w->rotors[slot];
	cn_motion goal = w->next[slot];
	goal.q = y->goal_q;
	double lift = -v3_dot(w->scene->settings.gravity, v3_sub(w->next[slot].x, y->goal_x)) * r->mass;
	double turning = cn_kinetic(r, &w->next[slot]) - cn_kinetic(r, &goal);
	return lift + turning + (w->crowd->gravity > 0 ? meet_height(w, slot) : 0);
}

/* What an island comes to. */
static void sum_islands(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	cn_crowd_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->sums[slot] = (cn_island){0};
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_island *i = &c->sums[c->queue[slot]];
		const cn_rotor *r = &w->rotors[slot];
		if (!c->ways[slot].busy && !c->ways[slot].stays)
			continue;
		i->won += c->gains[slot] - c->spent[slot]; /* what contacts took in this frame makes up for it */
		i->kinetic += cn_kinetic(r, &w->next[slot]);
		i->little += CN_PAY_LEAST * r->mass * c->gravity * w->bodies[slot].radius;
		i->mass += r->mass;
		i->momentum = v3_madd(i->momentum, w->next[slot].v, r->mass);
	}
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		bool a = cn_crowd_movable(w, p->a), b = cn_crowd_movable(w, p->b);
		if (p->near && !p->barred && a != b)
			c->sums[c->queue[a ? p->a : p->b]].anchored = true;
	}
}

/* What an island as a whole has won so, beyond what its contacts took, its bodies pay for with their speed, as far as that goes; one that
 * touches nothing fixed, with their speed about its mean, which keeps its momentum. */
static void pay(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	sum_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_island *i = &c->sums[c->queue[slot]];
		cn_motion *m = &w->next[slot];
		if (!c->ways[slot].busy || !(i->won > i->little))
			continue;
		v3 mean = i->anchored ? v3_zero() : v3_scale(i->momentum, 1 / i->mass);
		double kinetic = i->kinetic - 0.5 * v3_length2(mean) * i->mass;
		double left = kinetic > i->won ? 1 - i->won / kinetic : 0, share = sqrt(left);
		m->v = v3_lerp(mean, m->v, share);
		m->l = v3_scale(m->l, share);
	}
}

/* The most that a single body has won, as height of its size. */
static void note_lift(const cairn_world *w, uint32_t slot, double won, cairn_step_report *r)
{
	const cairn_box *box = &w->scene->shapes[w->bodies[slot].shape].box;
	double weight = w->rotors[slot].mass * w->crowd->gravity, size = v3_max(v3_sub(box->max, box->min));
	if (!(weight > 0) || won <= r->lift * weight * size)
		return;
	r->lift = won / (weight * size);
	r->lifted = (cairn_body){slot, w->bodies[slot].generation};
}

static void account(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_way *y = &c->ways[slot];
		const cn_rotor *r = &w->rotors[slot];
		c->gains[slot] = 0;
		if (!r->active || (!y->busy && !y->stays))
			continue;
		f->report.tiers[CAIRN_TIER_HOLD] += y->put_back && stood(w, slot);
		c->gains[slot] = gain_of(w, slot);
		c->before[slot] = cn_kinetic(r, &w->next[slot]);
	}
	pay(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!w->rotors[slot].active || (!c->ways[slot].busy && !c->ways[slot].stays))
			continue;
		c->gains[slot] += cn_kinetic(&w->rotors[slot], &w->next[slot]) - c->before[slot];
		f->report.energy.position += c->gains[slot];
	}
	sum_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) { /* what a neighbour lost has its cause */
		double made = c->sums[c->queue[slot]].won;
		note_lift(w, slot, c->gains[slot] < made ? c->gains[slot] : made, &f->report);
	}
}

static bool barred_touch(cairn_world *w, cn_frame *f)
{
	const cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		if (!p->barred || !p->bad)
			continue;
		f->report.status = CAIRN_STEP_TOUCH;
		f->report.pair_a = (cairn_body){p->a, w->bodies[p->a].generation};
		f->report.pair_b = (cairn_body){p->b, w->bodies[p->b].generation};
		return true;
	}
	return false;
}

static void find_least_gap(cairn_world *w, cairn_step_report *r)
{
	const cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		if (!p->near || p->at.gap >= r->min_gap || (!cn_crowd_movable(w, p->a) && !cn_crowd_movable(w, p->b)))
			continue;
		r->min_gap = p->at.gap;
		r->pair_a = (cairn_body){p->a, w->bodies[p->a].generation};
		r->pair_b = (cairn_body){p->b, w->bodies[p->b].generation};
	}
}

bool cn_clear_motion(cairn_world *w, cn_frame *f)
{
	bool ok = choose_ways(w, f);
	if (ok && barred_touch(w, f))
		return false;
	ok = ok && write_keys(w, f);
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	account(w, f);
	find_least_gap(w, &f->report);
	return true;
}
