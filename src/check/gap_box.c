/* The gap of two boxes that overlap, in closed form.
 *
 * The differences of points of two boxes fill a body whose edges are those of both, and each of its facets is spanned by two
 * edges that are not parallel. So the normals of its facets are among 15: the edges themselves, as those of one box are
 * square to each other, and the products of an edge of each. If the origin is inside, it is nearest to one of the facets, and
 * the gap is the largest of what these axes part the two by.
 *
 * Every axis proves that the gap is no less, for what a box reaches along it is found with an error within the bound of a pose
 * (check/overlap.c; an edge as computed is 17u from square to the others). That the gap is no more rests on none of the 15
 * being wrong. Edges are taken as they were computed, which again is within that bound. An edge is a normal up to 17u, the
 * product of two edges up to 14u, since it is formed exactly where they are nearly parallel; either moves the height of a facet
 * by less than 40u of the scale. A product is left out if its height, times the product's length, is less than the best by
 * more than 64u of the scale, which is more than rounding may do to it. The slack is a bound, 64u of the scale. Edges that are
 * parallel to the last bit span no facet.
 *
 * Apart, two boxes may be nearest at corners and edges, and what an axis tells is a lower bound and no more. */
#include "check/parts.h"

#define CN_CHECK_PARALLEL 0.25 /* sine: edges nearer to parallel than this are multiplied exactly */

typedef struct boxes {
	v3 a[3], b[3];       /* unit edges */
	double ha[3], hb[3]; /* m: half their lengths */
	double cosine[3][3]; /* |a.b| */
	v3 d;                /* from middle to middle */
	double most;         /* m: what the best axis parts the two by */
	v3 best;
} boxes;

static boxes boxes_of(const cn_placed *a, const cn_placed *b)
{
	boxes w = {.d = v3_sub(b->at, a->at), .most = -INFINITY};
	for (int i = 0; i < 3; ++i) {
		w.a[i] = v3_unit(v3_make(a->r.m[0][i], a->r.m[1][i], a->r.m[2][i])), w.ha[i] = v3_at(a->part->half, i);
		w.b[i] = v3_unit(v3_make(b->r.m[0][i], b->r.m[1][i], b->r.m[2][i])), w.hb[i] = v3_at(b->part->half, i);
	}
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			w.cosine[i][j] = fabs(v3_dot(w.a[i], w.b[j]));
	return w;
}

static void note_axis(boxes *w, v3 n, double apart, double reach)
{
	double s = fabs(apart) - reach;
	if (s > w->most)
		w->most = s, w->best = apart < 0 ? v3_neg(n) : n;
}

static void try_edges(boxes *w)
{
	const double(*c)[3] = w->cosine, *ha = w->ha, *hb = w->hb;
	for (int i = 0; i < 3; ++i) {
		note_axis(w, w->a[i], v3_dot(w->a[i], w->d), ha[i] + (hb[0] * c[i][0] + hb[1] * c[i][1] + hb[2] * c[i][2]));
		note_axis(w, w->b[i], v3_dot(w->b[i], w->d), hb[i] + (ha[0] * c[0][i] + ha[1] * c[1][i] + ha[2] * c[2][i]));
	}
}

/* How far a box reaches along a unit axis. */
static double reach_along(const v3 edges[3], const double half[3], v3 n)
{
	return half[0] * fabs(v3_dot(edges[0], n)) + half[1] * fabs(v3_dot(edges[1], n)) +
	       half[2] * fabs(v3_dot(edges[2], n));
}

/* The product of edge i of a and j of b. */
static void try_product(boxes *w, int i, int j, double spare)
{
	int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
	v3 across = v3_cross(w->a[i], w->b[j]);
	double sine2 = v3_length2(across);
	if (sine2 < CN_CHECK_PARALLEL * CN_CHECK_PARALLEL) {
		across = cn_fine_cross(w->a[i], w->b[j]);
	} else {
		double reach = w->ha[i1] * w->cosine[i2][j] + w->ha[i2] * w->cosine[i1][j] + w->hb[j1] * w->cosine[i][j2] +
		               w->hb[j2] * w->cosine[i][j1];
		if (fabs(v3_dot(across, w->d)) - reach + spare < w->most * sqrt(sine2))
			return;
	}
	v3 n = v3_unit(across);
	if (fabs(v3_length2(n) - 1) <=
	    8 * DBL_EPSILON) /* else parallel: apart by far less than the last digit, or not at all */
		note_axis(w, n, v3_dot(n, w->d), reach_along(w->a, w->ha, n) + reach_along(w->b, w->hb, n));
}

bool cn_gap_of_boxes(const cn_placed *a, const cn_placed *b, double bound, cn_check_gap *out)
{
	boxes w = boxes_of(a, b);
	try_edges(&w);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			try_product(&w, i, j, bound);
	double rounds = a->part->round + b->part->round;
	bool inside = w.most < -bound;
	*out = (cn_check_gap){w.most - rounds, inside ? w.most + bound - rounds : INFINITY, w.best};
	return inside;
}
