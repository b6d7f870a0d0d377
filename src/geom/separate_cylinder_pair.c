/* Two cylinders: see separate_cylinder_search.h. With d from centre to centre, half lengths l, m and radii r, q,
 *
 *     s(n) = n.d - l |n.u| - m |n.w| - r |n x u| - q |n x w|.
 *
 * Maxima where it is not smooth are few and found directly: +-u, +-w, across both axes, and on the circles across
 * one axis (side against rim: a point against an ellipse). Elsewhere one rim is against the other. There the plane
 * is searched over the angles a, b that n makes with +-u and +-w, by halving rectangles of them. In a rectangle sin
 * a is above its chord as a function of cos a = n.u (it is concave), so s is below a function linear in n, whose
 * maximum over the sphere within the rectangle is known; where that is less than what is found already the
 * rectangle is done. The bound is off by the square of the rectangle's width, so few are visited. Newton's method
 * finishes every improvement. */
#include "geom/separate_cylinder_search.h"
#include "geom/tolerance.h"

#define CN_CYLINDER_SPAN 1e-8    /* rad: of the search rim against rim; a chord this short is exact to the last digit */
#define CN_CYLINDER_VISITS 20000 /* rectangles of it; a few hundred are usual */

typedef struct pair {
	const cn_cylinder *a, *b;
	v3 d;
	cn_widest *best;
} pair;

static double along(const pair *p, v3 n)
{
	return v3_dot(n, p->d) - cn_cylinder_reach(p->a, n) - cn_cylinder_reach(p->b, n);
}

static void attempt(const pair *p, v3 n) { cn_widest_try(p->best, n, along(p, n)); }

static void try_both(const pair *p, v3 n)
{
	attempt(p, n);
	attempt(p, v3_neg(n));
}

/* Normals across the axis of `straight`: its side against the rim of `round`. The point of the ellipse is taken on
 * either end of `round`, and the normal must be toward that end; all are valid bounds, so no more is asked. */
static void try_side(const pair *p, const cn_cylinder *straight, const cn_cylinder *round)
{
	cn_rim_view view = cn_rim_view_make(round, straight->u);
	if (!view.parallel)
		try_both(p, view.g);
	for (int end = -1; end <= 1; end += 2) {
		v3 to = v3_madd(p->d, round->u, -end * round->half);
		for (int second = 0; second < 2; ++second) {
			double f, g;
			if (!cn_ellipse_widest(view.ellipse, v3_dot(to, view.f), v3_dot(to, view.g), second, &f, &g))
				break;
			v3 n = v3_madd(v3_scale(view.f, f), view.g, g);
			attempt(p, n);
			if (end * v3_dot(n, round->u) >= 0)
				break;
		}
	}
}

/* The gradient of s where it is smooth, and its second derivative over the sphere: that of |n x u| is t t^T/|n x
 * u|, t the unit vector along u x n. False where s is not smooth. */
typedef struct slope {
	v3 gradient;
	v3 t[2]; /* tangents of the rims, scaled by the root of radius/|n x axis| */
} slope;

static bool slope_at(const pair *p, v3 n, slope *out)
{
	const cn_cylinder *c[2] = {p->a, p->b};
	out->gradient = p->d;
	for (int i = 0; i < 2; ++i) {
		double sine;
		v3 rim = cn_unit_across(n, c[i]->u, &sine);
		if (!(sine >= CN_CYLINDER_PARALLEL))
			return false;
		out->gradient = v3_madd(out->gradient, c[i]->u, v3_dot(n, c[i]->u) < 0 ? c[i]->half : -c[i]->half);
		out->gradient = v3_madd(out->gradient, rim, -c[i]->radius);
		out->t[i] = v3_scale(v3_cross(c[i]->u, rim), sqrt(c[i]->radius / sine));
	}
	return true;
}

/* Newton's step on the sphere; where s is not concave along it, the maximum of a lower bound that touches s in n: the
 * tangents of the sines as functions of the cosines, sin a <= (1 - x cos a)/sin a. */
static v3 step(const pair *p, v3 n, const slope *k)
{
	v3 e = cn_any_across(n), f = v3_cross(n, e);
	double level = v3_dot(n, k->gradient), ge = v3_dot(e, k->gradient), gf = v3_dot(f, k->gradient);
	double e0 = v3_dot(e, k->t[0]), e1 = v3_dot(e, k->t[1]), f0 = v3_dot(f, k->t[0]), f1 = v3_dot(f, k->t[1]);
	double ee = e0 * e0 + e1 * e1 + level, ff = f0 * f0 + f1 * f1 + level, ef = e0 * f0 + e1 * f1;
	double det = ee * ff - ef * ef;
	if (det > 0 && ee > 0)
		return v3_madd(v3_scale(e, (ff * ge - ef * gf) / det), f, (ee * gf - ef * ge) / det);
	const cn_cylinder *c[2] = {p->a, p->b};
	v3 to = p->d;
	for (int i = 0; i < 2; ++i) {
		double x = v3_dot(n, c[i]->u), sine = v3_length(cn_across(n, c[i]->u));
		to = v3_madd(to, c[i]->u, (x < 0 ? c[i]->half : -c[i]->half) + c[i]->radius * x / sine);
	}
	return v3_sub(v3_unit(to), n);
}

/* Climbs from n within its cell (the signs of n.u and n.w); a step is shortened up to `patience` times. The last
 * steps are judged by the gradient, since s is flat at its maximum to half the digits. */
static void climb(const pair *p, v3 n, int patience)
{
	enum { STEPS = 24 };
	double s = along(p, n), rounding = 4 * DBL_EPSILON * (v3_length(p->d) + fabs(s));
	slope k;
	if (!slope_at(p, n, &k))
		return;
	double steep = v3_length(cn_across(k.gradient, n));
	for (int i = 0; i < STEPS; ++i) {
		v3 move = step(p, n, &k);
		double size = v3_length(move), s_next = s;
		v3 next = n;
		slope k_next = k;
		bool better = false;
		for (int shorter = 0; shorter < patience && !better; ++shorter, move = v3_scale(move, 0.25)) {
			next = v3_unit(v3_add(n, move));
			s_next = along(p, next);
			if (!slope_at(p, next, &k_next))
				continue;
			double steep_next = v3_length(cn_across(k_next.gradient, next));
			better = s_next > s + rounding || (s_next > s - rounding && steep_next < steep);
			steep = better ? steep_next : steep;
		}
		if (!better)
			break;
		n = next, s = s_next, k = k_next;
		if (size < 4 * DBL_EPSILON)
			break;
	}
	attempt(p, n);
}

/* An interval of angles within a quarter turn, by the cosines and sines of its ends. */
typedef struct span {
	double c0, s0, c1, s1;
	double width; /* rad */
} span;

typedef struct rectangle {
	span a, b;
} rectangle;

static void halve(const span *whole, span *low, span *high)
{
	double c = whole->c0 + whole->c1, s = whole->s0 + whole->s1, length = sqrt(c * c + s * s);
	*low = *high = *whole;
	low->width = high->width = 0.5 * whole->width;
	low->c1 = high->c0 = c / length;
	low->s1 = high->s0 = s / length;
}

/* Is there a direction with such angles to axes whose cosine is given? */
static bool possible(const rectangle *r, double cosine)
{
	const span *a = &r->a, *b = &r->b;
	if (a->c1 * b->c1 - a->s1 * b->s1 >
	    cosine + CN_CYLINDER_CONE) /* even the largest angles together fall short of the axes' */
		return false;
	if (a->c0 < b->c1 &&
	    a->c0 * b->c1 + a->s0 * b->s1 < cosine - CN_CYLINDER_CONE) /* all of a beyond all of b by more */
		return false;
	return !(b->c0 < a->c1 && b->c0 * a->c1 + b->s0 * a->s1 < cosine - CN_CYLINDER_CONE);
}

/* n.to - off, to be maximised over unit n. */
typedef struct linear {
	v3 to;
	double off;
} linear;

/* A choice of signs of n.u and n.w; the axes are turned so that both are positive. */
typedef struct cell {
	cn_cylinder a, b;
	double cosine, sine; /* of the angle between the axes */
	v3 v;                /* unit, across a's axis, in the plane of both: b.u = cosine a.u + sine v */
	linear start;
} cell;

/* The chord below radius x sin over the span: sin >= (cos h - n.u cos m)/sin m, m the middle and h half the width. */
static void add_chord(linear *l, const span *a, v3 u, double radius)
{
	double c = a->c0 + a->c1, s = a->s0 + a->s1, length = sqrt(c * c + s * s);
	c /= length, s /= length;
	l->to = v3_madd(l->to, u, radius * c / s);
	l->off += radius * (c * a->c0 + s * a->s0) / s;
}

/* Which end of a span the maximiser of l passes, as seen from the span's axis: -1 beyond the angle at the end (n.u too
 * small), 1 before its begin, 0 neither. */
static int passes(const linear *l, const span *a, v3 u)
{
	double x = v3_dot(l->to, u), across = v3_length(v3_madd(l->to, u, -x));
	return x * a->s1 < across * a->c1 ? -1 : x * a->s0 > across * a->c0 ? 1 : 0;
}

/* Adds the multiple k of a constraint: n.to <= n.(to + k u) - k x, for k of the sign that makes x the end passed. The k
 * that brings the maximiser to that end gives the least bound. */
static linear hold(const linear *l, const span *a, v3 u, int end)
{
	double c = end < 0 ? a->c1 : a->c0, s = end < 0 ? a->s1 : a->s0;
	if (!(s > 0))
		return *l;
	double x = v3_dot(l->to, u), k = v3_length(v3_madd(l->to, u, -x)) * c / s - x;
	return (linear){v3_madd(l->to, u, k), l->off + k * c};
}

/* Both constraints at once: the maximiser is brought to the corner where the angles to both axes are given. */
static linear hold_both(const linear *l, const rectangle *r, const cell *q, int end_a, int end_b)
{
	double xa = end_a < 0 ? r->a.c1 : r->a.c0, xb = end_b < 0 ? r->b.c1 : r->b.c0;
	/* In the basis u, v with w = cosine u + sine v: the corner's and l's components. */
	double pv = (xb - q->cosine * xa) / q->sine, flat2 = xa * xa + pv * pv;
	double lu = v3_dot(l->to, q->a.u), lv = v3_dot(l->to, q->v);
	double lz = v3_length(v3_madd(v3_madd(l->to, q->a.u, -lu), q->v, -lv));
	if (!(flat2 < 1))
		return *l;
	double t = lz / sqrt(1 - flat2), kb = (t * pv - lv) / q->sine, ka = t * xa - lu - q->cosine * kb;
	if (ka * end_a > 0 || kb * end_b > 0)
		return *l;
	return (linear){v3_madd(v3_madd(l->to, q->a.u, ka), q->b.u, kb), l->off + ka * xa + kb * xb};
}

static double value(const linear *l) { return v3_length(l->to) - l->off; }

/* The upper bound over a rectangle; *n is the direction that attains it. */
static double bound(const rectangle *r, const cell *q, v3 *n)
{
	linear l = q->start;
	add_chord(&l, &r->a, q->a.u, q->a.radius);
	add_chord(&l, &r->b, q->b.u, q->b.radius);
	int end_a = passes(&l, &r->a, q->a.u), end_b = passes(&l, &r->b, q->b.u);
	linear best = l;
	if (end_a) {
		best = hold(&l, &r->a, q->a.u, end_a);
		int then = passes(&best, &r->b, q->b.u);
		end_b = then ? then : end_b;
		if (then)
			best = hold_both(&l, r, q, end_a, then);
	}
	if (end_b) {
		linear other = hold(&l, &r->b, q->b.u, end_b);
		best = value(&other) < value(&best) ? other : best;
		int then = passes(&other, &r->a, q->a.u);
		if (then) {
			other = hold_both(&l, r, q, then, end_b);
			best = value(&other) < value(&best) ? other : best;
		}
	}
	*n = v3_unit(best.to);
	return value(&best);
}

/* Rim against rim in one cell. */
static void search_cell(const pair *p, const cell *q)
{
	enum { DEEP = 64 };
	rectangle stack[DEEP];
	int count = 1, visits = 0;
	stack[0].a = stack[0].b = (span){1, 0, 0, 1, CN_PI / 2};
	while (count && visits++ < CN_CYLINDER_VISITS) {
		rectangle r = stack[--count];
		if (!possible(&r, q->cosine))
			continue;
		v3 n;
		double most = bound(&r, q, &n);
		if (most <= p->best->s + p->best->close)
			continue;
		if (v3_length2(n) > 0 && along(p, n) > p->best->s + p->best->close)
			climb(p, n, 6);
		bool first = q->a.radius * r.a.width * r.a.width > q->b.radius * r.b.width * r.b.width;
		const span *wide = first ? &r.a : &r.b;
		if (wide->width < CN_CYLINDER_SPAN || count + 2 > DEEP)
			continue;
		stack[count] = stack[count + 1] = r;
		if (first)
			halve(&r.a, &stack[count].a, &stack[count + 1].a);
		else
			halve(&r.b, &stack[count].b, &stack[count + 1].b);
		count += 2;
	}
}

/* Parallel axes: everything is in the plane of the axis and the direction across it to the other. */
static void try_parallel(const pair *p)
{
	v3 u = p->a->u, across = cn_across(p->d, u);
	double z = v3_dot(p->d, u), far = v3_length(across);
	v3 out = far > 0 ? v3_unit(cn_across(v3_scale(across, 1 / far), u)) : cn_any_across(u);
	double beside = far - p->a->radius - p->b->radius, over = fabs(z) - p->a->half - p->b->half;
	attempt(p, out);
	if (beside > 0 && over > 0)
		attempt(p, v3_unit(v3_madd(v3_scale(out, beside), u, z < 0 ? -over : over)));
}

/* Rims of nearly parallel cylinders whose ends face each other: the plane is between the ends', off their middle by
 * about the angle between them, toward the other axis. w is b's axis turned along a's. */
static void climb_between(const pair *p, v3 w)
{
	v3 u = p->a->u, n = v3_unit(v3_add(u, w)), aside = v3_unit(cn_across(p->d, n));
	if (v3_dot(n, p->d) < 0)
		n = v3_neg(n);
	climb(p, v3_unit(v3_madd(n, aside, 0.5 * v3_distance(u, w))), 16);
}

void cn_cylinder_try_easy(const cn_cylinder *a, const cn_cylinder *b, v3 d, cn_widest *best)
{
	pair p = {.a = a, .b = b, .d = d, .best = best};
	try_both(&p, a->u);
	try_both(&p, b->u);
	try_side(&p, a, b);
	try_side(&p, b, a);
	try_parallel(&p);
	v3 across[2] = {v3_unit(cn_across(best->last, a->u)), v3_unit(cn_across(best->last, b->u))};
	for (int i = 0; i < 2; ++i)
		if (v3_length2(across[i]) > 0)
			attempt(&p, across[i]);
}

void cn_cylinder_climb_rims(const cn_cylinder *a, const cn_cylinder *b, v3 d, cn_widest *best)
{
	pair p = {.a = a, .b = b, .d = d, .best = best};
	if (v3_length2(best->last) > 0)
		climb(&p, best->last, 6);
	if (v3_length2(d) > 0)
		climb(&p, v3_unit(d), 6);
	double cosine = v3_dot(a->u, b->u);
	if (fabs(cosine) > 0.999)
		climb_between(&p, cosine < 0 ? v3_neg(b->u) : b->u);
}

void cn_cylinder_search_rims(const cn_cylinder *a, const cn_cylinder *b, v3 d, cn_widest *best)
{
	pair p = {.a = a, .b = b, .d = d, .best = best};
	for (int i = 0; i < 4; ++i) {
		cell q = {.a = *a, .b = *b};
		q.a.u = i & 1 ? v3_neg(a->u) : a->u;
		q.b.u = i & 2 ? v3_neg(b->u) : b->u;
		q.v = cn_across(q.b.u, q.a.u);
		q.cosine = v3_dot(q.a.u, q.b.u);
		q.sine = v3_length(q.v);
		if (q.sine < CN_CYLINDER_FLAT)
			continue;
		q.v = v3_scale(q.v, 1 / q.sine);
		q.start = (linear){.to = v3_madd(v3_madd(d, q.a.u, -a->half), q.b.u, -b->half)};
		search_cell(&p, &q);
	}
}

void cn_cylinder_follow(const cn_cylinder *a, const cn_cylinder *b, v3 d, v3 g, cn_widest *best)
{
	pair p = {.a = a, .b = b, .d = d, .best = best};
	v3 n = best->n, toward = v3_unit(cn_across(g, n)), top = n;
	double most = -INFINITY;
	double turn = 0.25;
	while (turn > CN_CYLINDER_PARALLEL) {
		v3 m = v3_unit(v3_madd(n, toward, turn));
		double s = along(&p, m);
		if (s > most)
			most = s, top = m;
		turn *= 0.25;
	}
	climb(&p, top, 16);
}
