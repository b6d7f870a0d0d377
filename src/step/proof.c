/* Proofs that two parts stay apart.
 *
 * For a fixed unit n, s(t) >= (1-t) s0 + t s1 - 4 t (1-t) k, k = (theta_a^2 rho_a + theta_b^2 rho_b)/8; that is never
 * negative if s0, s1 >= 0 and (sqrt(s0) + sqrt(s1))^2 >= 4 k. Where one axis does not do, ways are proved piece by
 * piece. See crowd.h. */
#include "step/crowd.h"

double cn_slack(const cn_crowd *c, const cn_close *p)
{
	const v3 a = c->now[p->pa].x, b = c->now[p->pb].x;
	return CN_SWEEP_ULPS * DBL_EPSILON * (v3_max(v3_abs(a)) + v3_max(v3_abs(b)) + p->thin);
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

/* Both parts of a piece at its ends, and k of it. */
typedef struct ends_at {
	cn_place a[2], b[2];
	double k;
} ends_at;

static ends_at ends_of(const cn_mover *a, const cn_mover *b)
{
	double ka = v3_length2(a->turn), kb = v3_length2(b->turn);
	return (ends_at){.a = {cn_mover_at(a, 0), cn_mover_at(a, 1)},
	                 .b = {cn_mover_at(b, 0), cn_mover_at(b, 1)},
	                 .k = ((ka > 0 ? ka * a->radius : 0) + (kb > 0 ? kb * b->radius : 0)) / 8};
}

/* One axis over a piece. It may begin where the parts touch, near which nothing can be proved by bisection. */
static bool along_piece(const cn_convex *a, const cn_convex *b, const ends_at *e, v3 n, double slack)
{
	double s1 = cn_separate_along(a, &e->a[1], b, &e->b[1], n);
	return s1 >= slack && cn_axis_proves(cn_separate_along(a, &e->a[0], b, &e->b[0], n), s1, e->k, slack);
}

/* What is known of the separations where a way begins and ends. */
typedef struct known {
	const cn_separation *begin, *end;
} known;

/* A piece of the ways of two parts. *axis: one that is likely to prove it, and then one that did. */
static bool piece_free(const cn_mover *a, const cn_mover *b, const cn_close *p, double slack, v3 *axis,
                       cn_witness *witness, known ends)
{
	ends_at e = ends_of(a, b);
	if (along_piece(a->part, b->part, &e, *axis, slack))
		return true;
	if (along_piece(a->part, b->part, &e, p->at.n, slack)) {
		*axis = p->at.n;
		return true;
	}
	cn_sweep_options options = {
		.tolerance = CN_REACH_TOLERANCE * p->thin, .budget = CN_SWEEP_BUDGET, .begin = ends.begin, .whole = true};
	cn_sweep_result result;
	cn_sweep(a, b, &options, ends.end, witness, &result);
	if (v3_length2(result.n) > 0)
		*axis = result.n;
	return result.status == CN_SWEEP_FREE;
}

bool cn_ways_free(const cairn_world *w, const cn_close *p, bool leg)
{
	uint32_t ia = 0, ib = 0;
	cn_piece (*get)(const cairn_world *, uint32_t, uint32_t) = leg ? cn_leg_piece : cn_way_piece;
	cn_piece a = get(w, p->a, 0), b = get(w, p->b, 0);
	cn_witness witness = p->witness;
	v3 axis = leg ? p->leg_axis : p->start_axis;
	cn_separation begin = {.n = axis, .gap = leg ? p->leg : p->start};
	double slack = cn_slack(w->crowd, p);
	bool own = p->pb < w->crowd->own_count; /* planes of triangles may be those of their neighbours */
	for (double t = 0;;) {
		double until = a.t1 < b.t1 ? a.t1 : b.t1;
		cn_mover ma = cn_way_mover(w, &a, p->pa, t, until), mb = cn_way_mover(w, &b, p->pb, t, until);
		known ends = {t == 0 && own ? &begin : NULL, until >= 1 && own ? &p->at : NULL};
		if (!piece_free(&ma, &mb, p, slack, &axis, &witness, ends))
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

bool cn_balls_prove(const cairn_world *w, const cn_close *p, v3 from_a, v3 from_b, double slack)
{
	double radii = w->bodies[p->a].radius + w->bodies[p->b].radius + slack;
	v3 from = v3_sub(from_b, from_a), to = v3_sub(w->next[p->b].x, w->next[p->a].x), way = v3_sub(to, from);
	double length2 = v3_length2(way), t = -v3_dot(from, way);
	v3 nearest = t <= 0 ? from : t >= length2 ? to : v3_madd(from, way, t / length2);
	return v3_length2(nearest) > radii * radii * (1 + CN_UNIT_ROUNDING);
}

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
