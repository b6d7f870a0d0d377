/* The convex hull of points in space. */
#ifndef CN_HULL_H
#define CN_HULL_H

#include "base/vec.h"

/* Fills *triangles (3 indices each, counter-clockwise from outside, from the allocator: count x 3 x uint32_t).
 * CAIRN_INVALID with field "points" when fewer than 4 points, or all of them on a point, a line or a plane up to
 * rounding, each with its own message. Deterministic: same points in the same order, same triangles.
 *
 * The surface is closed and exactly convex. No point is above the plane of any triangle
 * by more than t = CN_HULL_ULPS x DBL_EPSILON x the largest |coordinate|, and points that are not needed for that (on a
 * face or an edge, coincident, inside) are not corners, as far as a look at each corner's own neighbourhood can tell.
 * Points are finite. */
bool cn_hull_build(const cairn_allocator *allocator, const v3 *points, uint32_t count, uint32_t **triangles,
                   uint32_t *triangle_count, cairn_error *error);

#endif
