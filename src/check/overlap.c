/* Two solids at rest: are they apart, do they touch, do they overlap.
 *
 * The rounding bound. Only differences count, so the frames stand at -d/2 and +d/2, d = x_b - x_a. With u =
 * DBL_EPSILON/2: R = I + S/(q.q), S from products of q's entries; q.q and the division are wrong by 5u, which counts
 * with |R - I| <= 2 as 10u, and the entries of S and their sums by 7u of a matrix of norm 1. Applying R to a point or
 * an axis adds 3u of its length, the axis has a length of 1 up to 4u, the product with the axis adds 3u, the sum with
 * d/2 and the difference of the two supports 1u each. That is 29u, less than 16 DBL_EPSILON, of |d|/2 + reach_a +
 * reach_b, reach being the largest distance of a point from its frame's origin. The bound is 32 DBL_EPSILON of it: a
 * computed value lies within half the bound of the true one. On the way (check/motion.c) the quaternion is a product
 * of a computed exp, off by less than 16u, so the bound is twice as wide there.
 *
 *   apart:       some axis has s > bound        (so the gap is truly above bound/2)
 *   overlapping: most < -bound                  (truly below -bound/2)
 *   touching:    -bound <= least, most <= bound
 * Where none holds, needles and knives kept P from growing closer than their sharpness lets it. Then the bound of the
 * answer is widened to what was proved, at most CN_CHECK_WIDEN times, and they count as touching within that. Beyond
 * it: unproved. least and most of an answer have half the bound taken off and added. */
#include "check/parts.h"

v3 cn_hint_unit(const v3 *hint)
{
	if (!hint || !v3_finite(*hint))
		return v3_zero();
	double most = v3_max(v3_abs(*hint));
	return most > 1e-100 && most < 1e100 ? v3_unit(*hint) : v3_zero();
}

/* What the hint alone proves. most: a point of the one and a point of the other. */
static bool apart_along(const cn_placed *a, const cn_placed *b, v3 n, double bound, cn_overlap_answer *out)
{
	double s = cn_gap_along(a, b, n);
	if (!(s > bound))
		return false;
	v3 p = v3_add(a->at, m3_apply(a->r, a->part->inside)), q = v3_add(b->at, m3_apply(b->r, b->part->inside));
	*out = (cn_overlap_answer){CN_APART, s - 0.5 * bound, v3_distance(p, q) + 0.5 * bound, bound, n};
	return true;
}

cn_overlap_answer cn_gap_answer(const cn_check_gap *gap, double bound)
{
	cn_verdict verdict = cn_gap_judge(gap, &bound);
	return (cn_overlap_answer){verdict, gap->least - 0.5 * bound, gap->most + 0.5 * bound, bound, gap->n};
}

void cn_overlap_pose(const cn_solid *a, pose pa, const cn_solid *b, pose pb, const v3 *hint, cn_overlap_answer *out)
{
	v3 d = v3_sub(pb.position, pa.position);
	double bound = cn_gap_bound(&a->part, &b->part, d);
	cn_placed la = cn_check_convex_place(&a->part, pa.orientation, v3_scale(d, -0.5));
	cn_placed lb = cn_check_convex_place(&b->part, pb.orientation, v3_scale(d, 0.5));
	v3 n = cn_hint_unit(hint);
	bool hinted = v3_length2(n) > 0;
	bool plane = a->part.core == CN_CHECK_CORE_HALFSPACE || b->part.core == CN_CHECK_CORE_HALFSPACE;
	if (hinted && !plane && !a->part.vast && !b->part.vast &&
	    apart_along(&la, &lb, n, bound, out)) /* of a mesh: its hull */
		return;
	if (!plane && (a->mesh || b->mesh)) {
		cn_mesh_pose(&(cn_solid_pair){a, &la, b, &lb}, bound, hinted ? &n : NULL, INFINITY, out);
		return;
	}
	cn_check_gap gap;
	cn_gap_find(&la, &lb, bound, hinted ? n : d, &gap);
	*out = cn_gap_answer(&gap, bound);
}

static uint32_t own_axes(const cn_placed *p, v3 out[3])
{
	uint32_t count = 0;
	for (int i = 0; i < 3; ++i)
		if (p->part->core == CN_CHECK_CORE_BOX || (p->part->core == CN_CHECK_CORE_CYLINDER && i == 2))
			out[count++] = v3_make(p->r.m[0][i], p->r.m[1][i], p->r.m[2][i]);
	return count;
}

uint32_t cn_gap_guess(const cn_placed *a, const cn_placed *b, v3 d, v3 out[CN_GUESSES])
{
	v3 own_a[3], own_b[3];
	uint32_t na = own_axes(a, own_a), nb = own_axes(b, own_b), count = 0;
	for (uint32_t i = 0; i < na; ++i)
		out[count++] = own_a[i];
	for (uint32_t i = 0; i < nb; ++i)
		out[count++] = own_b[i];
	if (a->part->core == CN_CHECK_CORE_CYLINDER)
		out[count++] = v3_madd(d, own_a[0], -v3_dot(d, own_a[0]));
	if (b->part->core == CN_CHECK_CORE_CYLINDER)
		out[count++] = v3_madd(d, own_b[0], -v3_dot(d, own_b[0]));
	out[count++] = d;
	for (uint32_t i = 0; i < na; ++i)
		for (uint32_t j = 0; j < nb; ++j)
			out[count++] = v3_cross(own_a[i], own_b[j]);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; ++i) {
		v3 n = v3_unit(out[i]);
		if (fabs(v3_length2(n) - 1) <= 8 * DBL_EPSILON) /* else it was no vector */
			out[kept++] = v3_dot(n, d) < 0 ? v3_neg(n) : n;
	}
	return kept;
}
