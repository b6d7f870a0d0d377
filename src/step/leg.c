/* Legs: each position pass leads from poses that are free to poses that are free, and the motion between is proved
 * free for every pair whose swept boxes meet. What is not goes through tiers, each with a bounded number of rounds,
 * each local to the bodies at fault:
 *
 *   restore, axis  the pair is pushed apart as little as possible, along an axis that separates it where the leg began
 *   halve          the bodies around go half their leg
 *   part           rigs go a part of their own way
 *   hold           bodies go back to where the leg began, and so do those that would now run into them. Every body enters once,
 *                  and everything at the beginning is free: that is why a leg always ends
 *
 * How a leg is proved: proof.c. */
#include "step/crowd.h"

#include <string.h>

/* ---- a leg */

static bool stood(const cairn_world *w, uint32_t slot)
{
	const pose *from = &w->crowd->poses[slot];
	const cn_way *y = &w->crowd->ways[slot];
	return cn_stood(from->position, from->orientation, &w->next[slot]) && (y->clock == y->leg || !y->driven);
}

static bool proved(const cairn_world *w, const cn_close *p)
{
	const cn_crowd *c = w->crowd;
	const cn_way *ya = &c->ways[p->a], *yb = &c->ways[p->b];
	if (stood(w, p->a) && stood(w, p->b))
		return true;
	double slack = cn_slack(c, p), k = ya->k + yb->k, bow = (ya->cuts > 1 ? ya->bow : 0) + (yb->cuts > 1 ? yb->bow : 0);
	if (p->at.gap <= slack)
		return false;
	if (cn_balls_prove(w, p, c->poses[p->a].position, c->poses[p->b].position, slack + bow) ||
	    cn_axis_proves(cn_along(c, p, c->leg, p->at.n) - bow, p->at.gap - bow, k, slack) ||
	    cn_axis_proves(p->leg - bow, cn_along(c, p, c->now, p->leg_axis) - bow, k, slack))
		return true;
	return cn_ways_free(w, p, true);
}

static void prove_pair(cairn_world *w, cn_close *p)
{
	const cn_way *ways = w->crowd->ways;
	if (p->unproved && !p->barred && !ways[p->a].kept && !ways[p->b].kept)
		p->bad = !proved(w, p);
	p->unproved = false;
}

/* Of the pairs that were not free and those just looked at, c->bads keeps what is not. */
static void note_bads(cn_crowd *c)
{
	uint32_t count = 0;
	memset(c->bits, 0, (c->pair_count / 64 + 1) * sizeof *c->bits);
	for (uint32_t i = 0; i < c->list_count; ++i)
		if (c->pairs[c->list[i]].bad)
			c->bits[c->list[i] / 64] |= (uint64_t)1 << c->list[i] % 64;
	for (uint32_t i = 0; i < c->bad_count; ++i)
		if (c->pairs[c->bads[i]].bad)
			c->bits[c->bads[i] / 64] |= (uint64_t)1 << c->bads[i] % 64;
	for (uint32_t i = 0; i < c->pair_count / 64 + 1; ++i)
		for (uint64_t left = c->bits[i]; left; left &= left - 1)
			c->bads[count++] = 64 * i + (uint32_t)__builtin_ctzll(left);
	c->bad_count = count;
}

/* Pairs that changed are proved anew: all there are since the leg began, or those of the last look. c->bads: what is not
 * free. False: memory ran out. */
static bool prove(cairn_world *w, bool all)
{
	cn_crowd *c = w->crowd;
	if (!CN_ROOM(c->bads, c->pair_count + 1))
		return false;
	if (!all && c->listed) {
		cn_crowd_each_listed(w, prove_pair);
		note_bads(c);
		return true;
	}
	cn_crowd_each_pair(w, prove_pair);
	c->bad_count = 0;
	for (uint32_t i = 0; i < c->pair_count; ++i)
		if (c->pairs[i].bad)
			c->bads[c->bad_count++] = i;
	return true;
}

static void begin_pair(cairn_world *w, cn_close *p)
{
	(void)w;
	p->leg = p->at.gap, p->leg_axis = p->at.n;
	p->axis = v3_zero();
	p->bad = p->unproved = false;
}

void cn_leg_begin(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	memcpy(c->leg, c->now, c->part_count * sizeof *c->leg);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &c->ways[slot];
		c->poses[slot] = (pose){w->next[slot].x, w->next[slot].q};
		y->back = y->held = false;
		y->k = y->bow = 0, y->cuts = 1;
		y->leg = y->want = y->clock;
	}
	cn_crowd_each_pair(w, begin_pair);
}

/* ---- tiers */

/* What one round of mending may ask of a plate or a needle that is fast; 0: it is none. */
static double thin_step(const cairn_world *w, uint32_t slot, uint32_t part)
{
	double thick = w->crowd->parts[part].thickness, radius = w->bodies[slot].radius;
	if (!cn_crowd_movable(w, slot) || radius < CN_RESTORE_THIN * thick)
		return 0;
	double step = CN_RESTORE_STEP * radius;
	return step < CN_RESTORE_FAST * thick ? step : CN_RESTORE_FAST * thick;
}

/* The most that one round of mending asks of a pair: a share of its thickness. But what a fast pair lacks grows with its
 * size, and what is thin for its size would not get there in all rounds. */
double cn_leg_step(const cairn_world *w, const cn_close *p)
{
	double slow = CN_RESTORE_STEP * p->thin, a = thin_step(w, p->a, p->pa), b = thin_step(w, p->b, p->pb);
	double fast = a == 0 || (b > 0 && b < a) ? b : a;
	fast = fast < CN_RESTORE_FAST * p->thin ? fast : CN_RESTORE_FAST * p->thin;
	return fast < slow || cn_crowd_motion(w->crowd, p) < p->thin ? slow : fast;
}

static void axis_row(cn_row_store *s, uint32_t pair, v3 a, v3 b)
{
	const cairn_world *w = s->w;
	const cn_close *p = &w->crowd->pairs[pair];
	double lack = p->axis_gap - v3_dot(p->axis, v3_sub(b, a)), most = cn_leg_step(w, p);
	cn_qp_contact row = {.a = p->a,
	                     .b = p->b,
	                     .n = p->axis,
	                     .ra = v3_sub(a, w->next[p->a].x),
	                     .rb = v3_sub(b, w->next[p->b].x),
	                     .least = lack < most ? lack : most};
	cn_row_put(s, &row, NULL, pair, (cn_qp_impulse){0, 0, 0});
}

static bool same(v3 a, v3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The ends of a part along an axis: the furthest point, and the others of the edge or face that lies against it. */
static uint32_t ends_along(const cn_crowd *c, uint32_t part, v3 axis, v3 ends[5])
{
	v3 t = v3_unit(v3_cross(axis, fabs(axis.x) < 0.6 ? v3_make(1, 0, 0) : v3_make(0, 1, 0))), s = v3_cross(axis, t);
	uint32_t count = 1;
	ends[0] = cn_support_point(c->parts[part].convex, &c->now[part], axis);
	for (int i = 0; i < 4 && !c->ways[c->parts[part].slot].round; ++i) {
		v3 aside = v3_add(i & 1 ? t : v3_neg(t), i & 2 ? s : v3_neg(s));
		v3 x = cn_support_point(c->parts[part].convex, &c->now[part], v3_madd(axis, aside, CN_AXIS_LEAN));
		bool old = false;
		for (uint32_t k = 0; k < count; ++k)
			old |= same(ends[k], x);
		if (!old)
			ends[count++] = x;
	}
	return count;
}

/* Every end has a row: pushed at one alone, bodies rock to and fro and get nowhere. */
void cn_leg_axis_rows(cn_row_store *store, uint32_t pair)
{
	const cn_crowd *c = store->w->crowd;
	const cn_close *p = &c->pairs[pair];
	v3 a[5], b[5], axis = p->axis;
	bool plane = c->parts[p->pb].plane;
	uint32_t count_a = ends_along(c, p->pa, axis, a), count_b = plane ? 1 : ends_along(c, p->pb, v3_neg(axis), b);
	if (plane)
		b[0] = v3_madd(a[0], axis, cn_along(c, p, c->now, axis));
	for (uint32_t i = 0; i < count_a; ++i)
		axis_row(store, pair, a[i], plane ? v3_madd(a[i], axis, v3_dot(axis, v3_sub(b[0], a[i]))) : b[0]);
	for (uint32_t i = 1; i < count_b; ++i)
		axis_row(store, pair, a[0], b[i]);
}

/* What is asked for along an axis with separation s0 where the leg began, so that it proves the leg: first as if the
 * pieces of the screws were all there is to mind, then in full. */
static double axis_need(const cairn_world *w, const cn_close *p, double s0, bool full)
{
	const cn_way *a = &w->crowd->ways[p->a], *b = &w->crowd->ways[p->b];
	double k = full ? a->k + b->k : a->k / (a->cuts * a->cuts) + b->k / (b->cuts * b->cuts);
	double bow = full ? (a->cuts > 1 ? a->bow : 0) + (b->cuts > 1 ? b->bow : 0) : 0;
	s0 = s0 > bow ? s0 - bow : 0;
	double root = 2 * sqrt(CN_AXIS_MORE * k) - sqrt(s0);
	return (root > 0 ? root * root : 0) + bow + 0.5 * p->asked;
}

/* The most that one round pushes along an axis, from s1 where the leg began with s0: a push costs energy, so no more
 * than the pair's own motion is worth, for going half the way is cheaper; and all that others have pushed it in this
 * leg, which is but taken back. */
static double most_push(const cn_crowd *c, const cn_close *p, double s0, double s1)
{
	return CN_AXIS_PUSH * p->kept + CN_AXIS_MOTION * cn_crowd_motion(c, p) + (s0 > s1 ? s0 - s1 : 0);
}

/* Of the axes that separate the pair where the leg began, the one that asks for the least push; kept from then on. */
static void choose_axis(const cairn_world *w, cn_close *p, bool full)
{
	const cn_crowd *c = w->crowd;
	const v3 tries[3] = {p->at.n, p->leg_axis, v3_unit(v3_add(p->at.n, p->leg_axis))};
	double best = INFINITY;
	if (v3_length2(p->axis) > 0) {
		double s0 = cn_along(c, p, c->leg, p->axis), s1 = cn_along(c, p, c->now, p->axis);
		double need = axis_need(w, p, s0, full), most = most_push(c, p, s0, s1);
		p->axis_gap = need < s1 + most ? need : s1 + most;
		p->axis_gap = p->axis_gap < p->axis_most ? p->axis_gap : p->axis_most;
		return;
	}
	for (int i = 0; i < 3; ++i) {
		double s0 = cn_along(c, p, c->leg, tries[i]), s1 = cn_along(c, p, c->now, tries[i]);
		if (s0 < 0 && i != 1)
			continue;
		double need = axis_need(w, p, s0, full), most = most_push(c, p, s0, s1);
		if (need - s1 >= best)
			continue;
		best = need - s1, p->axis = tries[i];
		p->axis_gap = need < s1 + most ? need : s1 + most;
		p->axis_most = s1 + CN_AXIS_TOTAL * most;
	}
}

/* c->flags: bodies of bad pairs that can move. What is done about them is for each other's sake. */
static void flag_bad(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	memset(c->flags, 0, w->slots);
	for (uint32_t i = 0; i < c->bad_count; ++i) {
		cn_close *p = &c->pairs[c->bads[i]];
		p->pushed = true;
		c->flags[p->a] |= cn_crowd_movable(w, p->a);
		c->flags[p->b] |= cn_crowd_movable(w, p->b);
	}
}

static bool push_apart(cairn_world *w, uint32_t rounds, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	for (uint32_t round = 0; c->bad_count && round < rounds; ++round) {
		bool axis = false;
		flag_bad(w);
		for (uint32_t i = 0; i < c->bad_count; ++i) {
			cn_close *p = &c->pairs[c->bads[i]];
			if (round > 0 || p->at.gap > 0)
				choose_axis(w, p, round >= CN_AXIS_FULL), axis = true;
		}
		++f->report.tiers[axis ? CAIRN_TIER_AXIS : CAIRN_TIER_RESTORE];
		if (!cn_crowd_around(w, 1 + round / 3) || !cn_position_restore(w, c->flags, f) || !cn_crowd_again(w) ||
		    !prove(w, false))
			return false;
	}
	return true;
}

static bool halve(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	flag_bad(w);
	if (!cn_crowd_around(w, CN_HALVE_HOPS))
		return false;
	f->report.tiers[CAIRN_TIER_HALVE] += cn_yield_halve(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_motion *m = &w->next[slot];
		if (!c->flags[slot] || c->ways[slot].kept || c->ways[slot].script || stood(w, slot))
			continue;
		v3 turn = q_turn(c->poses[slot].orientation, m->q);
		m->q = q_unit(q_mul(q_exp(v3_scale(turn, 0.5)), c->poses[slot].orientation));
		m->x = v3_lerp(c->poses[slot].position, m->x, 0.5);
		++f->report.tiers[CAIRN_TIER_HALVE];
		c->ways[slot].moved = c->ways[slot].turning = c->ways[slot].busy = true;
		cn_crowd_place(w, slot);
	}
	cn_rigs_project(w);
	for (uint32_t i = 0; i < c->pair_count; ++i) /* the ways are other ones now */
		if (c->flags[c->pairs[i].a] || c->flags[c->pairs[i].b])
			c->pairs[i].axis = v3_zero();
	return cn_crowd_again(w);
}

/* Rigs at fault go part of their own way, which curves: halves of the chord may lead into what the way begins by leaving. */
static bool part(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	double span = 1;
	bool any = c->rigs != NULL;
	for (uint32_t k = 0; c->bad_count && any && k < CN_RIG_PARTS; ++k) {
		flag_bad(w);
		for (uint32_t i = 0; i < c->bad_count; ++i)
			c->pairs[c->bads[i]].blocks = true;
		span *= 0.25;
		if (!cn_rigs_part(w, c->flags, span, f, &any) || !cn_crowd_again(w) || !prove(w, false))
			return false;
	}
	return true;
}

/* Every round holds at least one more body, or everything is free. */
static bool hold(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	while (c->bad_count) {
		bool any = cn_yield_hold(w, false);
		flag_bad(w);
		cn_rigs_spread(w, c->flags);
		any |= cn_yield_hold_limbs(w, false);
		for (uint32_t i = 0; i < c->bad_count; ++i)
			c->pairs[c->bads[i]].blocks = true;
		for (uint32_t slot = 0; slot < w->slots; ++slot) {
			cn_way *y = &c->ways[slot];
			if (!c->flags[slot] || y->held)
				continue;
			w->next[slot].x = c->poses[slot].position, w->next[slot].q = c->poses[slot].orientation;
			y->held = y->put_back = y->moved = y->busy = any = true;
			y->kept = 0; /* what its script takes back */
			cn_crowd_place(w, slot);
		}
		assert(any);
		if (!any || !cn_crowd_again(w) || !prove(w, false))
			return false;
	}
	return true;
}

bool cn_leg_clear(cairn_world *w, cn_frame *f)
{
	const cn_crowd *c = w->crowd;
	bool ok = prove(w, true) && push_apart(w, CN_AXIS_ROUNDS, f);
	for (uint32_t k = 0; ok && c->bad_count && k < CN_HALVINGS; ++k)
		ok = halve(w, f) && prove(w, false) && push_apart(w, CN_HALVED_ROUNDS, f);
	ok = ok && part(w, f) && hold(w);
	while (ok && cn_yield_mend(w)) /* each time one more script or rig has gone back */
		ok = cn_crowd_again(w) && prove(w, true) && hold(w);
	return ok;
}
