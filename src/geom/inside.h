/* Inside or outside of a closed surface, convex or not: the parity of crossings of a ray (PBA 7.4.2). Which way
 * triangles run does not matter. Crossings are decided exactly; a ray that passes exactly through an edge or a corner,
 * or along a triangle, says nothing, and another direction is tried. */
#ifndef CN_INSIDE_H
#define CN_INSIDE_H

#include "geom/tree.h"

typedef enum cn_side { CN_OUTSIDE, CN_INSIDE, CN_ON, CN_UNDECIDED } cn_side;

/* CN_ON: exactly on a triangle, or within `near` (>= 0, up to rounding) of one. CN_UNDECIDED when no ray of a fixed
 * list was clear. Coordinates are at most 1e60; what is smaller than CN_ORIENT_MIN counts as 0. The tree's boxes
 * hold the triangles at points. */
cn_side cn_inside(const cn_tree *tree, const v3 *points, const uint32_t *triangles, v3 point, double near);

/* As if the triangles of one group were not there. groups: one for each triangle. Inside: within an odd number of the
 * other closed surfaces. */
cn_side cn_inside_others(const cn_tree *tree, const v3 *points, const uint32_t *triangles, const uint32_t *groups,
                         uint32_t group, v3 point);

/* Distance from a point to the triangle a, b, c, which may be flat. */
double cn_point_triangle(v3 point, v3 a, v3 b, v3 c);

#endif
