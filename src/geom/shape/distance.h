/* How far a point is from the surface of a shape, and which way that surface looks: the implicit function of PBA 7.6.1.
 * Compounds are the union of their parts: outside exact, inside the depth below the part that is deepest there. Meshes
 * have no inside and are not asked for. */
#ifndef CN_DISTANCE_H
#define CN_DISTANCE_H

#include "geom/shape.h"

/* m, positive outside; *normal is its gradient, unit. The point is in the shape's frame. */
double cn_surface_distance(const cn_shape *shapes, uint32_t shape, v3 point, v3 *normal);

#endif
