/* One axis for a piece of motion of two bodies.
 *
 * Most pairs are parted all the way by one axis, and by far more than rounding: then the heights of both along it, at
 * the start and at the end, prove the piece of motion and the poses at its ends (the bounds of check/motion.c). By
 * far: by CN_CHECK_WIDEN rounding bounds, so that neither the rounding of a key's orientation against its turn nor a
 * bound that a closer look would widen can matter. */
#include "check/frame_parts.h"

#include "check/tolerance.h"

#define CN_CHECK_TURNING 0.9 /* cosine: an axis that turns further in one piece proves little */

typedef struct search {
	const cn_check_leg *a, *b;
	cn_axis_proof *p;
	v3 d0, d1;
	double enough;
	double k, with[2]; /* for an axis that stays, that turns with a, with b; with -1: not known yet */
} search;

double cn_check_bound(const cn_check_leg *a, const cn_check_leg *b)
{
	v3 d0 = v3_sub(b->x0, a->x0), d1 = v3_sub(b->x1, a->x1);
	double near = v3_length(d0), far = v3_length(d1), moved = v3_distance(d0, d1);
	return CN_CHECK_MOTION_ULPS * DBL_EPSILON * (0.5 * (near > far ? near : far) + moved + a->reach + b->reach);
}

/* An axis that stands as n0 at the start and as n1 at the end. True where it proves what is asked for and is the best
 * so far. */
static bool try_axis(search *s, v3 n0, v3 n1, double k)
{
	cn_axis_proof *p = s->p;
	double s1 = v3_dot(n1, s->d1) + cn_gap_along(&s->a->end, &s->b->end, n1);
	if (s1 > p->most)
		p->most = s1, p->best = n1;
	if (!(s1 > s->enough && s1 - 0.5 * p->bound > p->end_gap))
		return false;
	double gap = s1;
	if (p->start || p->motion) {
		double s0 = v3_dot(n0, s->d0) + cn_gap_along(&s->a->start, &s->b->start, n0);
		if (!(s0 > s->enough && cn_least_between(s0, s1, k) > s->enough))
			return false;
		gap = p->counted && s0 < gap ? s0 : gap;
	}
	p->n = n1, p->gap = gap - 0.5 * p->bound, p->end_gap = s1 - 0.5 * p->bound;
	return true;
}

static v3 turned(const cn_placed *from, const cn_placed *to, v3 n)
{
	return v3_unit(m3_apply(to->r, m3_unapply(from->r, n)));
}

/* An axis as it stands at the start or at the end, and turning with one of the bodies to the other. */
static bool try_carried(search *s, v3 n, bool at_end)
{
	bool found = false;
	for (int side = 0; side < 2; ++side) {
		const cn_check_leg *l = side ? s->b : s->a, *other = side ? s->a : s->b;
		v3 d0 = side ? v3_neg(s->d0) : s->d0, d1 = side ? v3_neg(s->d1) : s->d1;
		if (!(v3_length2(l->turn) > 0))
			continue;
		if (s->with[side] < 0)
			s->with[side] = s->k > 0 ? cn_carried_k(d0, v3_sub(d1, d0), l->turn, other->turn, other->rho) : 0;
		v3 m = at_end ? turned(&l->end, &l->start, n) : turned(&l->start, &l->end, n);
		found = try_axis(s, at_end ? m : n, at_end ? n : m, s->with[side]) || found;
	}
	return found;
}

/* An axis that turns from n0 to n1 at a constant rate, about nu, square to both and as long as their angle. With a, b
 * points of the bodies, d from one centre of mass to the other and A, B the turns, f = n.(d + b - a) has
 *
 *   f'' = n.((B-nu)x((B-nu)x b) + (Bxnu)x b - (A-nu)x((A-nu)x a) - (Axnu)x a - 2 nu x d') - |nu|^2 n.d
 *
 * by the rule for a turning frame, (X-nu)x((X-nu)x r) + (Xxnu)x r = Xx(Xx r) - 2 nu x (Xx r) + nu x (nu x r), and because
 * n stays square to nu. f sags below its chord by at most an eighth of the most that f'' is above zero. Rounding moves k
 * by less than 4u of the radii and the distance, far less than what parts them at least. */
bool cn_turning_k(const cn_check_leg *a, const cn_check_leg *b, v3 n0, v3 n1, double *k)
{
	v3 nu = v3_cross(n0, n1), d0 = v3_sub(b->x0, a->x0), dd = v3_sub(v3_sub(b->x1, a->x1), d0);
	double cosine = v3_dot(n0, n1), sine = v3_length(nu);
	if (!(cosine > CN_CHECK_TURNING && sine > 0))
		return false;
	double angle = cn_atan2(sine, cosine);
	nu = v3_scale(nu, angle / sine);
	double inward = angle * v3_length(d0) + v3_length(dd) - v3_dot(n0, d0); /* -n.d is never more */
	double most = (v3_length2(v3_sub(a->turn, nu)) + v3_length(v3_cross(a->turn, nu))) * a->rho +
	              (v3_length2(v3_sub(b->turn, nu)) + v3_length(v3_cross(b->turn, nu))) * b->rho +
	              2 * v3_length(v3_cross(nu, dd)) + (inward > 0 ? angle * angle * inward : 0);
	*k = most / 8 * (1 + 32 * DBL_EPSILON);
	return true;
}

static bool try_turning(search *s, v3 n0, v3 n1)
{
	double k;
	return cn_turning_k(s->a, s->b, n0, n1, &k) && try_axis(s, n0, n1, k);
}

static bool try_plane(search *s)
{
	const cn_placed *plane = s->a->plane ? &s->a->end : &s->b->end;
	if (v3_length2(s->a->plane ? s->a->turn : s->b->turn) > 0)
		return false;
	v3 n = v3_unit(m3_apply(plane->r, plane->part->normal));
	n = s->a->plane ? n : v3_neg(n);
	return try_axis(s, n, n, s->k);
}

/* What is known of the gap at the end does as well as usual, whichever axis tells it. */
static bool usual_gap(const cn_axis_proof *p) { return p->most - 0.5 * p->bound >= p->usual; }

/* The end's own gap is parted by the best axis there, whichever proves the motion. */
static bool end_best(cn_axis_proof *p, bool found)
{
	double best = p->most - 0.5 * p->bound;
	if (found && best > p->end_gap) {
		p->gap = p->gap == p->end_gap ? best : p->gap; /* else the start is nearer */
		p->end_gap = best;
	}
	return found;
}

/* The axis that served last time, if it still does as well as usual; else the first that does of those that cost little,
 * or the best of them. */
bool cn_check_axis(const cn_check_leg *a, const cn_check_leg *b, cn_axis_proof *p)
{
	search s = {a, b, p, v3_sub(b->x0, a->x0), v3_sub(b->x1, a->x1), CN_CHECK_WIDEN * p->bound, 0, {-1, -1}};
	bool found = false;
	double ta = v3_length2(a->turn), tb = v3_length2(b->turn);
	p->gap = p->end_gap = p->most = -INFINITY;
	if (p->motion) /* a half-space has no radius, and none that turns comes to this */
		s.k = ((ta > 0 ? ta * a->rho : 0) + (tb > 0 ? tb * b->rho : 0)) / 8 * (1 + 16 * DBL_EPSILON);
	if (a->plane || b->plane)
		return try_plane(&s);
	if (v3_length2(p->axis) > 0) {
		found = try_axis(&s, p->axis, p->axis, s.k);
		if (found && usual_gap(p))
			return end_best(p, true);
		found = try_carried(&s, p->axis, false) || found;
		if (found && usual_gap(p))
			return end_best(p, true);
	}
	v3 axes[CN_GUESSES];
	uint32_t count = cn_gap_guess(&a->end, &b->end, s.d1, axes);
	for (uint32_t i = 0; i < count && !(found && usual_gap(p)); ++i)
		found = try_axis(&s, axes[i], axes[i], s.k) || found;
	if (found || !(p->most > s.enough && s.k > 0))
		return end_best(p, found);
	found = (v3_length2(p->axis) > 0 && try_turning(&s, p->axis, p->best)) || try_carried(&s, p->best, true);
	return end_best(p, found);
}

bool cn_check_promise(const cn_check_leg *a, const cn_check_leg *b, double wanted, v3 *axis, double *gap)
{
	v3 axes[CN_GUESSES], d = v3_sub(b->x1, a->x1);
	if (a->plane || b->plane)
		return false;
	double bound = cn_check_bound(a, b);
	uint32_t count = cn_gap_guess(&a->end, &b->end, d, axes);
	for (uint32_t i = 0; i < count && !(*gap > wanted); ++i) {
		double s = v3_dot(axes[i], d) + cn_gap_along(&a->end, &b->end, axes[i]) - 0.5 * bound;
		if (s > *gap && s > CN_CHECK_WIDEN * bound)
			*gap = s, *axis = axes[i];
	}
	return *gap > wanted;
}
