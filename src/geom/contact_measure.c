/* Tolerances and axes that all ways of finding contact points share. */
#include "geom/contact_side.h"
#include "geom/tolerance.h"

#define CN_CONTACT_ULPS 16 /* x DBL_EPSILON x the coordinates: what a corner drawn on the plane may be off by */

double cn_contact_rounding(const cn_convex *a, const cn_convex *b, v3 d)
{
	double extent = fabs(d.x) + fabs(d.y) + fabs(d.z);
	extent += a->kind == CAIRN_HALFSPACE ? 0 : a->size;
	extent += b->kind == CAIRN_HALFSPACE ? 0 : b->size;
	return CN_CONTACT_ULPS * DBL_EPSILON * extent;
}

double cn_contact_merge(const cn_convex *a, const cn_convex *b)
{
	return CN_CONTACT_MERGE * (a->size < b->size ? a->size : b->size);
}

void cn_contact_basis(v3 n, v3 *u, v3 *v)
{
	v3 s = v3_abs(n), axis = {s.x <= s.y && s.x <= s.z, 0, 0};
	axis.y = axis.x == 0 && s.y <= s.z;
	axis.z = axis.x == 0 && axis.y == 0;
	*u = v3_unit(v3_cross(axis, n));
	*v = v3_cross(n, *u);
}
