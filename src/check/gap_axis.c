/* An axis that parts two convex parts by more than asked, found with few steps or not at all.
 *
 * The cores' differences M, as in check/gap.c, are walked toward their point nearest to the origin: of the simplex of
 * up to four corners the nearest point x gives the next axis x/|x|, and the corner of M least along it joins those that
 * x is made of (Gilbert, Johnson and Keerthi 1988). Every axis on the way is tried, and one that parts the two by more
 * than asked is its own proof, so nothing rests on the rounding of the walk. It ends without an axis where x is no
 * further from the origin than asked, for no axis does better than |x|, and where a step brings nothing. Who can do with
 * less than was asked lets it go on until the best axis is nearly as good as |x|, and on the same side of what matters. */
#include "check/parts.h"

enum { MOST_STEPS = 24 };

static const double NEARLY = 0.9; /* of |x|: an axis this good is not worth another step */

typedef struct simplex {
	v3 w[4];
	uint32_t count;
	v3 x; /* its point nearest to the origin */
} simplex;

static void keep_one(simplex *s, v3 p) { s->w[0] = p, s->count = 1, s->x = p; }

static void nearest_of_segment(simplex *s, v3 p, v3 q)
{
	v3 d = v3_sub(q, p);
	double along = -v3_dot(p, d), square = v3_length2(d);
	if (!(along > 0)) {
		keep_one(s, p);
	} else if (!(along < square)) {
		keep_one(s, q);
	} else {
		s->w[0] = p, s->w[1] = q, s->count = 2;
		s->x = v3_madd(p, d, along / square);
	}
}

/* The nearest of the simplices that another one leaves. */
static void keep_nearer(simplex *best, const simplex *other)
{
	if (best->count == 0 || v3_length2(other->x) < v3_length2(best->x))
		*best = *other;
}

static void nearest_of_triangle(simplex *s, v3 p, v3 q, v3 r)
{
	const v3 w[3] = {p, q, r};
	v3 n = v3_cross(v3_sub(q, p), v3_sub(r, p));
	double square = v3_length2(n), weight[3];
	bool within = square > 0;
	for (int c = 0; c < 3 && within; ++c) {
		weight[c] = v3_dot(n, v3_cross(w[(c + 1) % 3], w[(c + 2) % 3])) / square;
		within = weight[c] >= 0;
	}
	if (within) {
		s->w[0] = p, s->w[1] = q, s->w[2] = r, s->count = 3;
		s->x = v3_scale(n, v3_dot(n, p) / square);
		return;
	}
	s->count = 0;
	for (int c = 0; c < 3; ++c) {
		simplex edge;
		nearest_of_segment(&edge, w[c], w[(c + 1) % 3]);
		keep_nearer(s, &edge);
	}
}

/* False where the origin is within. */
static bool nearest_of_tetrahedron(simplex *s)
{
	const v3 w[4] = {s->w[0], s->w[1], s->w[2], s->w[3]};
	static const int faces[4][4] = {{0, 1, 2, 3}, {0, 3, 1, 2}, {0, 2, 3, 1}, {1, 3, 2, 0}};
	s->count = 0;
	for (int f = 0; f < 4; ++f) {
		v3 p = w[faces[f][0]], q = w[faces[f][1]], r = w[faces[f][2]];
		v3 n = v3_cross(v3_sub(q, p), v3_sub(r, p));
		double other = v3_dot(n, v3_sub(w[faces[f][3]], p)), origin = -v3_dot(n, p);
		if (other * origin > 0)
			continue; /* on the inner side of this face */
		simplex face;
		nearest_of_triangle(&face, p, q, r);
		keep_nearer(s, &face);
	}
	return s->count > 0;
}

/* Takes a corner in. False where the origin is within the simplex. */
static bool join(simplex *s, v3 w)
{
	switch (s->count) {
	case 0: keep_one(s, w); return true;
	case 1: nearest_of_segment(s, s->w[0], w); return true;
	case 2: nearest_of_triangle(s, s->w[0], s->w[1], w); return true;
	default: break;
	}
	s->w[3] = w, s->count = 4;
	return nearest_of_tetrahedron(s);
}

bool cn_gap_axis(const cn_placed *a, const cn_placed *b, cn_axis_wish wish, v3 *axis)
{
	simplex s = {.count = 0};
	double rounds = a->part->round + b->part->round, best = -INFINITY;
	v3 n = v3_unit(v3_length2(*axis) > 0 ? *axis : v3_sub(b->at, a->at));
	if (!(v3_length2(n) > 0.5))
		n = v3_make(1, 0, 0);
	for (int i = 0; i < MOST_STEPS; ++i) {
		v3 w = v3_sub(cn_gap_support(b, v3_neg(n)), cn_gap_support(a, n));
		double along = v3_dot(n, w);
		if (along > best && fabs(v3_length2(n) - 1) <= 8 * DBL_EPSILON) /* only a unit axis proves anything */
			best = along, *axis = n;
		if (best - rounds > wish.enough)
			return true;
		double before = s.count ? v3_length(s.x) : INFINITY;
		if (!join(&s, w))
			return false;
		double away = v3_length(s.x);
		if (!(away - rounds > wish.least) || !(away < before) || !(away > 0))
			return false;
		bool decided = best - rounds > wish.matters || !(away - rounds > wish.matters);
		if (decided && !(away - rounds > wish.enough) && best - rounds > NEARLY * (away - rounds))
			return false;
		n = v3_unit(s.x);
	}
	return false;
}
