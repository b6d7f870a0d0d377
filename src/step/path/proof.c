/* Proofs that two parts stay apart along their paths.
 *
 * For a fixed unit axis n the separation is s(t) >= (1-t) s0 + t s1 - 4 t (1-t) k, with k = (theta_a^2 rho_a +
 * theta_b^2 rho_b)/8. This is never negative if s0, s1 >= 0 and (sqrt(s0) + sqrt(s1))^2 >= 4 k. Where one axis is not
 * enough, paths are proved piece by piece. */
#include "base/tolerance.h"
#include "step/context.h"
#include "step/tolerance.h"

double cn_pair_slack(const cn_context *c, const cn_pair *p)
{
	const v3 a = c->contacts.now[p->pa].x, b = c->contacts.now[p->pb].x;
	return CN_SWEEP_ULPS * DBL_EPSILON * (v3_max(v3_abs(a)) + v3_max(v3_abs(b)) + p->thin);
}

/* Proves a motion by the separations s0 and s1 along one axis at its ends. A touch at the beginning counts as 0. */
bool cn_axis_proves(double s0, double s1, double k, double slack)
{
	if (s0 < -slack || s1 < slack)
		return false;
	s0 = s0 > slack ? s0 - slack : 0, s1 -= slack;
	return s0 + s1 + 2 * sqrt(s0 * s1) >= 4 * k;
}

double cn_pair_along(const cn_context *c, const cn_pair *p, const cn_place *places, v3 n)
{
	return cn_separate_along(c->contacts.parts[p->pa].convex, &places[p->pa], c->contacts.parts[p->pb].convex,
	                         &places[p->pb], n);
}

/* Both parts at the two ends of a piece of their paths. */
typedef struct ends_at {
	cn_place a[2], b[2];
	double k;
} ends_at;

/* Proves a piece by one axis. The piece may begin in touch, where bisection cannot prove anything. */
static bool along_piece(const cn_convex *a, const cn_convex *b, const ends_at *e, v3 n, double slack)
{
	double s1 = cn_separate_along(a, &e->a[1], b, &e->b[1], n);
	return s1 >= slack && cn_axis_proves(cn_separate_along(a, &e->a[0], b, &e->b[0], n), s1, e->k, slack);
}

/* A walk along two paths, piece by piece, cut where either path has a key. */
typedef struct walk {
	const cairn_world *w;
	const cn_pair *p;
	bool leg;
	double t, until;
	cn_piece a, b;
	uint32_t ia, ib;
	double slack;
	v3 axis; /* likely to prove the next piece */
	cn_witness witness;
	cn_separation begin;
	bool ends; /* the separations at both ends of the paths are known */
} walk;

static cn_piece piece_of(const walk *k, uint32_t slot, uint32_t number)
{
	return k->leg ? cn_leg_piece(k->w, slot, number) : cn_path_piece(k->w, slot, number);
}

/* The place of a part on its path. At the path's ends it is known already, except for scripts, and at t = 1 only once
 * bodies are under way. */
static cn_place place_on(const walk *k, const cn_piece *piece, uint32_t part, double t)
{
	const cn_context *c = k->w->context;
	const cn_part *a = &c->contacts.parts[part];
	const cn_path *y = &c->paths.by_slot[a->slot];
	if (t <= 0 && !y->scripted)
		return k->leg ? c->contacts.leg_start[part] : c->contacts.start[part];
	if (t >= 1 && !y->scripted && c->under_way)
		return c->contacts.now[part];
	double length = piece->t1 - piece->t0, share = length > 0 ? (t - piece->t0) / length : 1;
	quat q = share <= 0 || y->round ? piece->q0 : q_mul(q_exp(v3_scale(piece->turn, share)), piece->q0);
	v3 x = t == piece->t1 ? piece->x1 : v3_lerp(piece->x0, piece->x1, share);
	return cn_convex_place(a->convex, pose_mul((pose){x, q}, a->in_body));
}

/* theta^2 rho / 8 of a body over this part of its piece. */
static double bulge(const walk *k, const cn_piece *piece, uint32_t slot)
{
	double length = piece->t1 - piece->t0, share = length > 0 ? (k->until - k->t) / length : 1;
	double turn2 = k->w->context->paths.by_slot[slot].round ? 0 : v3_length2(piece->turn) * share * share;
	return turn2 > 0 ? turn2 * k->w->bodies[slot].radius / 8 : 0;
}

static bool search(walk *k)
{
	const cn_pair *p = k->p;
	cn_mover a = cn_path_mover(k->w, &k->a, p->pa, k->t, k->until),
			 b = cn_path_mover(k->w, &k->b, p->pb, k->t, k->until);
	cn_sweep_options options = {.tolerance = CN_REACH_TOLERANCE * p->thin,
	                            .budget = CN_SWEEP_BUDGET,
	                            .begin = k->ends && k->t == 0 ? &k->begin : NULL,
	                            .whole = true};
	cn_sweep_result result;
	cn_sweep(&a, &b, &options, k->ends && k->until >= 1 ? &p->at : NULL, &k->witness, &result);
	if (v3_length2(result.n) > 0)
		k->axis = result.n;
	return result.status == CN_SWEEP_FREE;
}

static bool piece_free(walk *k, ends_at *e)
{
	const cn_context *c = k->w->context;
	const cn_convex *a = c->contacts.parts[k->p->pa].convex, *b = c->contacts.parts[k->p->pb].convex;
	if (k->ends && k->t == 0 && k->until >= 1) /* the caller has tried its axes already */
		return search(k);
	e->a[1] = place_on(k, &k->a, k->p->pa, k->until);
	e->b[1] = place_on(k, &k->b, k->p->pb, k->until);
	e->k = bulge(k, &k->a, k->p->a) + bulge(k, &k->b, k->p->b);
	if (along_piece(a, b, e, k->axis, k->slack))
		return true;
	if (along_piece(a, b, e, k->p->at.n, k->slack)) {
		k->axis = k->p->at.n;
		return true;
	}
	return search(k);
}

bool cn_paths_free(const cairn_world *w, const cn_pair *p, bool leg)
{
	walk k = {.w = w,
	          .p = p,
	          .leg = leg,
	          .slack = cn_pair_slack(w->context, p),
	          .axis = leg ? p->leg_start.axis : p->frame_start.axis,
	          .witness = p->witness};
	k.begin.n = k.axis, k.begin.gap = leg ? p->leg_start.gap : p->frame_start.gap;
	/* a triangle's plane may come from a neighbour; and before bodies are under way p->at belongs to the start */
	k.ends = p->pb < w->context->contacts.own_count && w->context->under_way;
	k.a = piece_of(&k, p->a, 0), k.b = piece_of(&k, p->b, 0);
	ends_at e;
	e.a[0] = place_on(&k, &k.a, p->pa, 0), e.b[0] = place_on(&k, &k.b, p->pb, 0);
	for (;;) {
		k.until = k.a.t1 < k.b.t1 ? k.a.t1 : k.b.t1;
		if (!piece_free(&k, &e))
			return false;
		if (k.until >= 1)
			return true;
		k.t = k.until;
		e.a[0] = e.a[1], e.b[0] = e.b[1];
		if (k.a.t1 <= k.t)
			k.a = piece_of(&k, p->a, ++k.ia);
		if (k.b.t1 <= k.t)
			k.b = piece_of(&k, p->b, ++k.ib);
	}
}

bool cn_balls_prove(const cairn_world *w, const cn_pair *p, v3 from_a, v3 from_b, double slack)
{
	double radii = w->bodies[p->a].radius + w->bodies[p->b].radius + slack;
	v3 from = v3_sub(from_b, from_a), to = v3_sub(w->next[p->b].x, w->next[p->a].x), path = v3_sub(to, from);
	double length2 = v3_length2(path), t = -v3_dot(from, path);
	v3 nearest = t <= 0 ? from : t >= length2 ? to : v3_madd(from, path, t / length2);
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
