/* Vertex against triangle and edge against edge, each vertex moving straight.
 *
 * Both are one question: the differences w_k(t) of second and first vertices (three, or four) move straight too, and
 * the distance D(t) is that of their convex hull from 0. For any n with |n| <= 1, D >= min_k n.w_k. Two bounds
 * follow:
 *   fixed axis: for the n of the nearest points at t each n.w_k is linear, so the first time at which one falls to
 *     the thickness h is a time before which D >= h: Newton's method from the safe side;
 *   turning axis: n(s) = (1 - s) n0 + s n1, s from 0 to 1 between two times. n.w_k is quadratic with the Bernstein
 *     coefficients n0.w_k0, (n0.w_k1 + n1.w_k0)/2, n1.w_k1, and |n(s)|^2 = 1 - 2 s (1-s) (1 - n0.n1) gives |n(s)| <=
 *     the quadratic with coefficients 1, (1 + n0.n1)/2, 1. Coefficients at or above h times those prove D >= h
 *     between.
 * The second settles what slides or turns close by, where a fixed axis would creep. Steps grow while they are proved
 * and shrink when not; when a step that moves nothing further than a quarter of the tolerance cannot be proved, the
 * time is told. */
#include "waiting/trisweep.h"

#include "base/tolerance.h"
#include "waiting/tolerance.h"

typedef struct feature_pair {
	bool edges;
	int count;         /* of differences */
	v3 from[4], to[4]; /* vertex/triangle: the corners; edge/edge: 00, 01, 10, 11 of second less first */
	double speed;      /* of the fastest difference */
	double thickness, tolerance;
} feature_pair;

typedef struct nearest {
	double distance;
	v3 n;
	double weights[4];
} nearest;

/* The parameter of the point of segment p + s d, 0 <= s <= 1, nearest to 0. */
static double on_segment(v3 p, v3 d)
{
	double dd = v3_length2(d), s = -v3_dot(p, d);
	return s <= 0 ? 0 : s >= dd ? 1 : s / dd; /* dd = 0: s = 0, up to rounding of its sign */
}

static v3 unit_or(v3 a, v3 other)
{
	double scale = v3_max(v3_abs(a));
	if (scale >= DBL_MIN) /* below, 1 / scale is none */
		return v3_unit(v3_scale(a, 1 / scale));
	scale = v3_max(v3_abs(other));
	return scale >= DBL_MIN ? v3_unit(v3_scale(other, 1 / scale)) : v3_make(1, 0, 0);
}

/* What the axis n proves: the hull of w is no nearer to 0 than this. */
static double least_along(const v3 *w, int count, v3 n)
{
	double least = v3_dot(n, w[0]);
	for (int k = 1; k < count; ++k) {
		double x = v3_dot(n, w[k]);
		least = x < least ? x : least;
	}
	return least;
}

/* The axis of the nearest point p. The point itself gives a poor one when it is near 0 and the normal a poor one when
 * the hull is thin, so the better of the two counts. */
static v3 choose_axis(const v3 *w, int count, v3 p, v3 normal)
{
	v3 n = unit_or(p, normal), m = unit_or(normal, p);
	if (v3_dot(m, p) < 0)
		m = v3_neg(m);
	return least_along(w, count, m) > least_along(w, count, n) ? m : n;
}

/* Of the triangle with corners w from 0: the nearest of its sides, or the foot of the perpendicular. */
static nearest nearest_triangle(const v3 w[3])
{
	v3 normal = v3_cross(v3_sub(w[1], w[0]), v3_sub(w[2], w[0])), point = w[0];
	double best = INFINITY;
	nearest out = {.weights = {1, 0, 0, 0}};
	for (int k = 0; k < 3; ++k) {
		int next = (k + 1) % 3;
		v3 d = v3_sub(w[next], w[k]);
		double s = on_segment(w[k], d);
		v3 p = s == 1 ? w[next] : v3_madd(w[k], d, s);
		if (v3_length2(p) < best) {
			best = v3_length2(p);
			point = p;
			out.weights[1] = out.weights[2] = out.weights[3] = 0;
			out.weights[1 + k] = 1 - s;
			out.weights[1 + next] = s;
		}
	}
	double a = v3_dot(normal, v3_cross(w[1], w[2])), b = v3_dot(normal, v3_cross(w[2], w[0]));
	double c = v3_dot(normal, v3_cross(w[0], w[1])), sum = a + b + c;
	if (a >= 0 && b >= 0 && c >= 0 && sum > 0) {
		a /= sum, b /= sum, c /= sum;
		v3 p = v3_madd(v3_madd(v3_scale(w[0], a), w[1], b), w[2], c);
		if (v3_length2(p) < best) {
			best = v3_length2(p);
			point = p;
			out.weights[1] = a, out.weights[2] = b, out.weights[3] = c;
		}
	}
	out.distance = sqrt(best);
	out.n = choose_axis(w, 3, point, normal);
	return out;
}

/* Of the parallelogram w = 00, 01, 10, 11 from 0: along the first edge 00 - 10, along the second 01 - 00. */
static nearest nearest_edges(const v3 w[4])
{
	static const int sides[4][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}}; /* the end of one edge with the other edge */
	v3 d = v3_sub(w[0], w[2]), e = v3_sub(w[1], w[0]), normal = v3_cross(d, e), point = w[0];
	double best = INFINITY, first = 0, second = 0, det = v3_length2(normal);
	for (int k = 0; k < 4; ++k) {
		v3 p = w[sides[k][0]], q = w[sides[k][1]], pq = v3_sub(q, p);
		double s = on_segment(p, pq);
		p = s == 1 ? q : v3_madd(p, pq, s);
		if (v3_length2(p) < best) {
			best = v3_length2(p);
			point = p;
			first = k == 0 ? 0 : k == 1 ? 1 : s;
			second = k == 2 ? 0 : k == 3 ? 1 : s;
		}
	}
	/* inside: w00 - s d + t e along the normal; s from both equations, then each from the other to mend rounding */
	double s = v3_dot(d, w[0]) * v3_length2(e) - v3_dot(d, e) * v3_dot(e, w[0]);
	if (s > 0 && s < det) {
		double t = on_segment(v3_madd(w[0], d, -s / det), e);
		s = on_segment(v3_madd(w[0], e, t), v3_neg(d));
		v3 p = v3_madd(v3_madd(w[0], d, -s), e, t);
		if (v3_length2(p) < best) {
			best = v3_length2(p);
			point = p;
			first = s;
			second = t;
		}
	}
	return (nearest){sqrt(best), choose_axis(w, 4, point, normal), {1 - first, first, 1 - second, second}};
}

double cn_vertex_triangle_distance(v3 vertex, const v3 triangle[3], v3 *n, double weights[4])
{
	v3 w[3];
	for (int k = 0; k < 3; ++k)
		w[k] = v3_sub(triangle[k], vertex);
	nearest found = nearest_triangle(w);
	*n = found.n;
	for (int k = 0; k < 4; ++k)
		weights[k] = found.weights[k];
	return found.distance;
}

double cn_edge_edge_distance(const v3 first[2], const v3 second[2], v3 *n, double weights[4])
{
	v3 w[4] = {v3_sub(second[0], first[0]), v3_sub(second[1], first[0]), v3_sub(second[0], first[1]),
	           v3_sub(second[1], first[1])};
	nearest found = nearest_edges(w);
	*n = found.n;
	for (int k = 0; k < 4; ++k)
		weights[k] = found.weights[k];
	return found.distance;
}

/* Does the segment pass through the triangle: its ends on both sides of the plane and the triangle around its line. */
static bool pierces(v3 p, v3 q, const v3 t[3])
{
	v3 normal = v3_cross(v3_sub(t[1], t[0]), v3_sub(t[2], t[0])), d = v3_sub(q, p);
	double side_p = v3_dot(normal, v3_sub(p, t[0])), side_q = v3_dot(normal, v3_sub(q, t[0]));
	if ((side_p > 0) == (side_q > 0))
		return false;
	bool left = false, right = false;
	for (int k = 0; k < 3; ++k) {
		double turn = v3_dot(d, v3_cross(v3_sub(t[k], p), v3_sub(t[(k + 1) % 3], p)));
		left |= turn > 0;
		right |= turn < 0;
	}
	return !(left && right);
}

double cn_triangle_triangle_distance(const v3 first[3], const v3 second[3])
{
	double best = INFINITY, d, weights[4];
	v3 n;
	for (int i = 0; i < 3; ++i) {
		v3 edge[2] = {first[i], first[(i + 1) % 3]}, other[2] = {second[i], second[(i + 1) % 3]};
		if (pierces(edge[0], edge[1], second) || pierces(other[0], other[1], first))
			return 0;
		d = cn_vertex_triangle_distance(first[i], second, &n, weights);
		best = d < best ? d : best;
		d = cn_vertex_triangle_distance(second[i], first, &n, weights);
		best = d < best ? d : best;
		for (int k = 0; k < 3; ++k) {
			v3 against[2] = {second[k], second[(k + 1) % 3]};
			d = cn_edge_edge_distance(edge, against, &n, weights);
			best = d < best ? d : best;
		}
	}
	return best;
}

static nearest nearest_at(const feature_pair *f, double t)
{
	v3 w[4];
	for (int k = 0; k < f->count; ++k)
		w[k] = t == 1 ? f->to[k] : v3_lerp(f->from[k], f->to[k], t);
	return f->edges ? nearest_edges(w) : nearest_triangle(w);
}

/* Until when the fixed axis n proves the thickness from t on. */
static double proved_by_axis(const feature_pair *f, double t, v3 n)
{
	double until = 1;
	for (int k = 0; k < f->count; ++k) {
		double a = v3_dot(n, f->from[k]) - f->thickness, b = v3_dot(n, f->to[k]) - f->thickness;
		if (b >= 0 && a + (b - a) * t >= 0)
			continue;
		if (!(a + (b - a) * t > 0))
			return t;
		double root = a / (a - b); /* a > 0 > b */
		until = root < until ? root : until;
	}
	return until > t ? until : t;
}

static bool proved_by_turning(const feature_pair *f, double t0, v3 n0, double t1, v3 n1)
{
	double middle = f->thickness * 0.5 * (1 + v3_dot(n0, n1));
	for (int k = 0; k < f->count; ++k) {
		v3 w0 = v3_lerp(f->from[k], f->to[k], t0), w1 = t1 == 1 ? f->to[k] : v3_lerp(f->from[k], f->to[k], t1);
		if (v3_dot(n0, w0) < f->thickness || v3_dot(n1, w1) < f->thickness ||
		    0.5 * (v3_dot(n0, w1) + v3_dot(n1, w0)) < middle)
			return false;
	}
	return true;
}

static bool tell(bool touches, double time, const nearest *at, cn_pair_point *touch)
{
	touch->time = time;
	touch->n = at->n;
	for (int k = 0; k < 4; ++k)
		touch->weights[k] = at->weights[k];
	return touches;
}

static bool advance(const feature_pair *f, cn_pair_point *touch)
{
	double t = 0, step = 1, least = 4 * f->speed > f->tolerance ? 0.25 * f->tolerance / f->speed : 1;
	int refused = 1;
	nearest now = nearest_at(f, 0);
	if (now.distance <= f->thickness)
		return tell(true, 0, &now, touch);
	for (int i = 0; i < CN_TOUCH_STEPS; ++i) {
		double fixed = proved_by_axis(f, t, now.n), gain = fixed - t;
		if (fixed >= 1)
			return tell(false, 1, &now, touch);
		if (2 * gain < step) {
			double end = t + step < 1 ? t + step : 1;
			nearest then = nearest_at(f, end);
			if (then.distance > f->thickness && proved_by_turning(f, t, now.n, end, then.n)) {
				if (end >= 1)
					return tell(false, 1, &then, touch);
				t = end;
				now = then;
				step *= 2;
				refused = 0;
				continue;
			}
			if (step <= least) {
				now = nearest_at(f, fixed);
				return tell(true, fixed, &now, touch);
			}
			/* refused again: near a true touch the gain is tiny and the next try decides; what slides by grows again */
			step = refused++ && 16 * gain < step ? 4 * gain : 0.25 * step;
		} else {
			step = 2 * gain;
		}
		step = step > least ? step : least;
		t = fixed;
		now = nearest_at(f, t);
	}
	return tell(true, t, &now, touch);
}

/* Speed, and the thickness with the rounding of the coordinates. */
static void finish(feature_pair *f, double largest, double thickness, double tolerance)
{
	f->speed = 0;
	for (int k = 0; k < f->count; ++k) {
		double speed = v3_distance(f->from[k], f->to[k]);
		f->speed = speed > f->speed ? speed : f->speed;
	}
	f->thickness = thickness + CN_TOUCH_ULPS * DBL_EPSILON * (largest + thickness);
	f->tolerance = tolerance;
}

static double largest_of(const cn_straight *paths, int count, double largest)
{
	for (int k = 0; k < count; ++k) {
		double from = v3_max(v3_abs(paths[k].from)), to = v3_max(v3_abs(paths[k].to));
		largest = from > largest ? from : largest;
		largest = to > largest ? to : largest;
	}
	return largest;
}

bool cn_vertex_triangle(const cn_straight *vertex, const cn_straight triangle[3], double thickness, double tolerance,
                        cn_pair_point *touch)
{
	feature_pair f = {.edges = false, .count = 3};
	for (int k = 0; k < 3; ++k) {
		f.from[k] = v3_sub(triangle[k].from, vertex->from);
		f.to[k] = v3_sub(triangle[k].to, vertex->to);
	}
	finish(&f, largest_of(triangle, 3, largest_of(vertex, 1, 0)), thickness, tolerance);
	return advance(&f, touch);
}

bool cn_edge_edge(const cn_straight first[2], const cn_straight second[2], double thickness, double tolerance,
                  cn_pair_point *touch)
{
	feature_pair f = {.edges = true, .count = 4};
	for (int k = 0; k < 4; ++k) {
		f.from[k] = v3_sub(second[k % 2].from, first[k / 2].from);
		f.to[k] = v3_sub(second[k % 2].to, first[k / 2].to);
	}
	finish(&f, largest_of(second, 2, largest_of(first, 2, 0)), thickness, tolerance);
	return advance(&f, touch);
}
