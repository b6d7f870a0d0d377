/* Legs: each position pass leads from poses that are free to poses that are free, and the motion between is proved free for every pair
 * whose swept boxes meet. What is not goes through tiers, each with a bounded number of rounds, each local to the bodies at fault:
 *
 *   restore, axis  the pair is pushed apart as little as possible, along an axis that separates it where the leg began
 *   halve          the bodies around go half their leg
 *   hold           bodies go back to where the leg began, and so do those that would now run into them. Every body enters once,
 *                  and everything at the beginning is free: that is why a leg always ends
 *
 * The proof: for a fixed unit n, s(t) >= (1-t) s0 + t s1 - 4 t (1-t) k, k = (theta_a^2 rho_a + theta_b^2 rho_b)/8; that is never negative
 * if s0, s1 >= 0 and (sqrt(s0) + sqrt(s1))^2 >= 4 k. Where one axis does not do, the leg is proved piece by piece of its screws. */
#include "step/crowd.h"

#include "base/tolerance.h"

#include <string.h>

/* ---- proofs */

double cn_slack(const cn_crowd *c, const cn_close *p)
{
	const v3 a = c->now[p->pa].x, b = c->now[p->pb].x;
	return CN_SWEEP_ULPS * DBL_EPSILON * (v3_max(v3_abs(a)) + v3_max(v3_abs(b)) + p->kept / CN_KEPT_GAP);
}

/* Separations at the two ends along one axis; touching at the beginning counts as 0. */
bool cn_axis_proves(double s0, double s1, double k, double slack)
{
	if (s0 < -slack || s1 < slack)
		return false;
	s0 = s0 > slack ? s0 - slack : 0, s1 -= slack;
	return s0 + s1 + 2 * sqrt(s0 * s1) >= 4 * k;
}

double cn_along(const cn_crowd *c, const cn_close *p, const cn_place *places, v3 n)
{
	return cn_separate_along(c->parts[p->pa].convex, &places[p->pa], c->parts[p->pb].convex, &places[p->pb], n);
}

/* A piece that begins where the parts touch: nothing near its beginning can be proved by bisection, but one axis can prove it all. */
static bool parting(const cn_mover *a, const cn_mover *b, v3 n, double slack)
{
	cn_place a0 = cn_mover_at(a, 0), b0 = cn_mover_at(b, 0), a1 = cn_mover_at(a, 1), b1 = cn_mover_at(b, 1);
	double ka = v3_length2(a->turn), kb = v3_length2(b->turn);
	double k = ((ka > 0 ? ka * a->radius : 0) + (kb > 0 ? kb * b->radius : 0)) / 8;
	return cn_axis_proves(cn_separate_along(a->part, &a0, b->part, &b0, n),
	                      cn_separate_along(a->part, &a1, b->part, &b1, n), k, slack);
}

bool cn_ways_free(const cairn_world *w, const cn_close *p, bool leg)
{
	uint32_t ia = 0, ib = 0;
	cn_piece (*get)(const cairn_world *, uint32_t, uint32_t) = leg ? cn_leg_piece : cn_way_piece;
	cn_piece a = get(w, p->a, 0), b = get(w, p->b, 0);
	cn_witness witness = p->witness;
	cn_sweep_options options = {.tolerance = CN_REACH_TOLERANCE * p->kept / CN_KEPT_GAP, .budget = CN_SWEEP_BUDGET};
	double slack = cn_slack(w->crowd, p);
	bool touching = (leg ? p->leg : p->start) <= CN_TOUCHING_START * p->kept;
	for (double t = 0;;) {
		double until = a.t1 < b.t1 ? a.t1 : b.t1;
		cn_mover ma = cn_way_mover(w, &a, p->pa, t, until), mb = cn_way_mover(w, &b, p->pb, t, until);
		cn_sweep_result result = {.status = CN_SWEEP_FREE};
		if (!touching || t > 0 || !parting(&ma, &mb, leg ? p->leg_axis : p->start_axis, slack))
			cn_sweep(&ma, &mb, &options, NULL, &witness, &result);
		if (result.status != CN_SWEEP_FREE)
			return false;
		if (until >= 1)
			return true;
		t = until;
		if (a.t1 <= t)
			a = get(w, p->a, ++ia);
		if (b.t1 <= t)
			b = get(w, p->b, ++ib);
	}
}

static bool stood(const cairn_world *w, uint32_t slot)
{
	const pose *a = &w->crowd->poses[slot];
	const cn_motion *b = &w->next[slot];
	return a->position.x == b->x.x && a->position.y == b->x.y && a->position.z == b->x.z &&
	       a->orientation.w == b->q.w && a->orientation.x == b->q.x && a->orientation.y == b->q.y &&
	       a->orientation.z == b->q.z;
}

bool cn_balls_prove(const cairn_world *w, const cn_close *p, v3 from_a, v3 from_b, double slack)
{
	double radii = w->bodies[p->a].radius + w->bodies[p->b].radius + slack;
	v3 from = v3_sub(from_b, from_a), to = v3_sub(w->next[p->b].x, w->next[p->a].x), way = v3_sub(to, from);
	double length2 = v3_length2(way), t = -v3_dot(from, way);
	v3 nearest = t <= 0 ? from : t >= length2 ? to : v3_madd(from, way, t / length2);
	return v3_length2(nearest) > radii * radii * (1 + CN_UNIT_ROUNDING);
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

/* Pairs that changed are proved anew. How many are not free. */
static uint32_t prove(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	uint32_t bad = 0;
	cn_crowd_each_pair(w, prove_pair);
	for (uint32_t i = 0; i < c->pair_count; ++i)
		bad += c->pairs[i].bad;
	return bad;
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
	}
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		cn_close *p = &c->pairs[i];
		p->leg = p->at.gap, p->leg_axis = p->at.n;
		p->axis = v3_zero();
		p->bad = p->unproved = false;
	}
}

/* ---- tiers */

v3 cn_support_point(const cn_convex *convex, const cn_place *at, v3 d)
{
	v3 local = cn_place_unturn(at, d);
	if (convex->kind == CAIRN_HALFSPACE)
		return at->x;
	v3 p = convex->core.vertices[cn_polytope_furthest(&convex->core, local)];
	if (convex->kind == CAIRN_CYLINDER) {
		double across = sqrt(local.x * local.x + local.y * local.y);
		if (across > 0)
			p = v3_madd(p, v3_make(local.x / across, local.y / across, 0), convex->radius);
	} else {
		p = v3_madd(p, local, convex->radius);
	}
	return v3_add(at->x, cn_place_turn(at, p));
}

bool cn_leg_axis_row(cairn_world *w, uint32_t pair)
{
	cn_crowd *c = w->crowd;
	const cn_close *p = &c->pairs[pair];
	double gap = cn_along(c, p, c->now, p->axis), most = CN_RESTORE_STEP * p->kept / CN_KEPT_GAP;
	double lack = p->axis_gap - gap;
	v3 a = cn_support_point(c->parts[p->pa].convex, &c->now[p->pa], p->axis);
	v3 b = c->parts[p->pb].plane ? v3_madd(a, p->axis, gap)
	                             : cn_support_point(c->parts[p->pb].convex, &c->now[p->pb], v3_neg(p->axis));
	cn_qp_contact row = {.a = p->a,
	                     .b = p->b,
	                     .n = p->axis,
	                     .ra = v3_sub(a, w->next[p->a].x),
	                     .rb = v3_sub(b, w->next[p->b].x),
	                     .least = lack < most ? lack : most};
	return cn_program_add(w, row, NULL, pair);
}

/* What is asked for along an axis with separation s0 where the leg began, so that it proves the leg: first as if the pieces of the screws
 * were all there is to mind, then in full. */
static double axis_need(const cairn_world *w, const cn_close *p, double s0, bool full)
{
	const cn_way *a = &w->crowd->ways[p->a], *b = &w->crowd->ways[p->b];
	double k = full ? a->k + b->k : a->k / (a->cuts * a->cuts) + b->k / (b->cuts * b->cuts);
	double bow = full ? (a->cuts > 1 ? a->bow : 0) + (b->cuts > 1 ? b->bow : 0) : 0;
	s0 = s0 > bow ? s0 - bow : 0;
	double root = 2 * sqrt(CN_AXIS_MORE * k) - sqrt(s0);
	return (root > 0 ? root * root : 0) + bow + 0.5 * p->asked;
}

/* Of the axes that separate the pair where the leg began, the one that asks for the least push; kept from then on. */
static void choose_axis(const cairn_world *w, cn_close *p, bool full)
{
	const cn_crowd *c = w->crowd;
	const v3 tries[3] = {p->at.n, p->leg_axis, v3_unit(v3_add(p->at.n, p->leg_axis))};
	double best = INFINITY;
	/* a push costs energy: no more of it than the pair's own motion is worth, going half the way is cheaper */
	const cn_stride *sa = &c->strides[p->a], *sb = &c->strides[p->b];
	double most = CN_AXIS_PUSH * p->kept + CN_AXIS_MOTION * (v3_length(v3_sub(sa->dx, sb->dx)) + sa->swing + sb->swing);
	if (v3_length2(p->axis) > 0) {
		double now = cn_along(c, p, c->now, p->axis), need = axis_need(w, p, cn_along(c, p, c->leg, p->axis), full);
		p->axis_gap = need < now + most ? need : now + most;
		return;
	}
	for (int i = 0; i < 3; ++i) {
		double s0 = cn_along(c, p, c->leg, tries[i]), s1 = cn_along(c, p, c->now, tries[i]);
		if (s0 < 0 && i != 1)
			continue;
		double need = axis_need(w, p, s0, full);
		if (need - s1 < best)
			best = need - s1, p->axis = tries[i], p->axis_gap = need < s1 + most ? need : s1 + most;
	}
}

/* c->flags: bodies of bad pairs that can move. */
static void flag_bad(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	memset(c->flags, 0, w->slots);
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		if (!p->bad)
			continue;
		c->flags[p->a] |= cn_crowd_movable(w, p->a);
		c->flags[p->b] |= cn_crowd_movable(w, p->b);
	}
}

static bool push_apart(cairn_world *w, uint32_t rounds, cn_frame *f, uint32_t *bad)
{
	cn_crowd *c = w->crowd;
	for (uint32_t round = 0; *bad && round < rounds; ++round) {
		bool axis = false;
		flag_bad(w);
		for (uint32_t i = 0; i < c->pair_count; ++i) {
			cn_close *p = &c->pairs[i];
			if (p->bad && (round > 0 || p->at.gap > 0))
				choose_axis(w, p, round >= CN_AXIS_FULL), axis = true;
		}
		++f->report.tiers[axis ? CAIRN_TIER_AXIS : CAIRN_TIER_RESTORE];
		if (!cn_crowd_around(w, 1 + round / 3) || !cn_position_restore(w, c->flags, f) || !cn_crowd_again(w))
			return false;
		*bad = prove(w);
	}
	return true;
}

static bool halve(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	flag_bad(w);
	if (!cn_crowd_around(w, CN_HALVE_HOPS))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_motion *m = &w->next[slot];
		if (!c->flags[slot] || c->ways[slot].kept || stood(w, slot))
			continue;
		v3 turn = q_turn(c->poses[slot].orientation, m->q);
		m->q = q_unit(q_mul(q_exp(v3_scale(turn, 0.5)), c->poses[slot].orientation));
		m->x = v3_lerp(c->poses[slot].position, m->x, 0.5);
		++f->report.tiers[CAIRN_TIER_HALVE];
		c->ways[slot].moved = c->ways[slot].turning = c->ways[slot].busy = true;
		cn_crowd_place(w, slot);
	}
	for (uint32_t i = 0; i < c->pair_count; ++i) /* the ways are other ones now */
		if (c->flags[c->pairs[i].a] || c->flags[c->pairs[i].b])
			c->pairs[i].axis = v3_zero();
	return cn_crowd_again(w);
}

/* Every round holds at least one more body, or everything is free. */
static bool hold(cairn_world *w, uint32_t *bad)
{
	cn_crowd *c = w->crowd;
	while (*bad) {
		bool any = false;
		flag_bad(w);
		for (uint32_t i = 0; i < c->pair_count; ++i)
			c->pairs[i].blocks |= c->pairs[i].bad;
		for (uint32_t slot = 0; slot < w->slots; ++slot) {
			cn_way *y = &c->ways[slot];
			if (!c->flags[slot] || y->held)
				continue;
			w->next[slot].x = c->poses[slot].position, w->next[slot].q = c->poses[slot].orientation;
			y->held = y->put_back = y->moved = y->busy = any = true;
			cn_crowd_place(w, slot);
		}
		assert(any);
		if (!any || !cn_crowd_again(w))
			return false;
		*bad = prove(w);
	}
	return true;
}

bool cn_leg_clear(cairn_world *w, cn_frame *f)
{
	uint32_t bad = prove(w);
	bool ok = push_apart(w, CN_AXIS_ROUNDS, f, &bad);
	for (uint32_t k = 0; ok && bad && k < CN_HALVINGS; ++k) {
		ok = halve(w, f);
		bad = ok ? prove(w) : 0;
		ok = ok && push_apart(w, CN_HALVED_ROUNDS, f, &bad);
	}
	return ok && hold(w, &bad);
}
