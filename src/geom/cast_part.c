/* A part that moves straight against one that stands. How far two convex parts are apart is a convex function of the share
 * of the way: the plane that parts them now shows from where on they can meet at the earliest, and going there again and
 * again comes to the first meeting from before, never beyond it (Newton's method). */
#include "geom/cast.h"

#include <float.h>

#define CN_CAST_NEAR 1e-9  /* of the smaller part's size: as near as a separation is known */
#define CN_CAST_ULPS 16    /* x DBL_EPSILON x the coordinates: the same for parts far from the origin */
#define CN_CAST_ROUNDS 100 /* two balls that graze come nearer by half a round; what is left then is below rounding */

/* Half the extent along the rows of a frame, for a part that is placed. */
static double half_extent(const cn_convex *part, const cn_place *at, v3 axis)
{
	double up = cn_convex_support(part, at, axis), down = cn_convex_support(part, at, v3_neg(axis));
	return up > down ? up : down;
}

v3 cn_cast_extent(const cn_convex *part, const cn_place *at, quat to)
{
	quat back = q_conj(to);
	v3 x = q_rotate(back, v3_make(1, 0, 0)), y = q_rotate(back, v3_make(0, 1, 0)), z = q_rotate(back, v3_make(0, 0, 1));
	v3 half = {half_extent(part, at, x), half_extent(part, at, y), half_extent(part, at, z)};
	return v3_add(v3_scale(half, 1 + 1e-12), v3_make(1e-12 * part->size, 1e-12 * part->size, 1e-12 * part->size));
}

/* m: the gap at which two parts count as met. */
static double near_enough(const cn_cast *cast, const cn_convex *part, const cn_place *at)
{
	double small = cast->part->size < part->size ? cast->part->size : part->size;
	double far = v3_max(v3_abs(v3_sub(at->x, cast->at.x))) + v3_max(v3_abs(cast->way));
	return CN_CAST_NEAR * small + CN_CAST_ULPS * DBL_EPSILON * far;
}

bool cn_cast_part(const cn_cast *cast, const cn_convex *part, const cn_place *at, cn_meeting *meeting)
{
	double share = 0, near = near_enough(cast, part, at);
	cn_witness witness = {0};
	cn_separation s = {0};
	cn_place now = cast->at;
	for (int round = 0; round < CN_CAST_ROUNDS; ++round) {
		now.x = v3_madd(cast->at.x, cast->way, share);
		cn_separate(cast->part, &now, part, at, &witness, &s);
		double rate = v3_dot(cast->way, s.n);
		bool overlaps = share == 0 && s.gap < -near;
		if (!overlaps && !(rate > 0))
			return false;
		if (overlaps || s.gap <= near)
			break;
		double next = share + s.gap / rate;
		if (!(next <= meeting->share))
			return false;
		if (next == share)
			break;
		share = next;
	}
	if (!(share <= meeting->share))
		return false;
	*meeting = (cn_meeting){share, v3_add(at->x, s.b), v3_neg(s.n), CN_NO_TRIANGLE};
	return true;
}
