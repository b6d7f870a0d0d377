/* A triangle of a mesh as a convex part of its own: flat, with two faces, so that it is in the way from both sides.
 *
 * A part without memory of its own: what all triangles have in common is written down once, the rest stands in the
 * tile, which must not be moved while its part is in use. */
#ifndef CN_TRIANGLE_PART_H
#define CN_TRIANGLE_PART_H

#include "geom/convex.h"

typedef struct cn_triangle_part {
	cn_convex convex;
	v3 vertices[3], directions[3], normals[2]; /* face 0 sees the corners counter-clockwise, face 1 is its back */
	double offsets[2];
} cn_triangle_part;

/* Corners in the mesh's frame. One without area is given a little (CN_TRIANGLE_PART_THIN). */
void cn_triangle_part_make(const v3 corners[3], cn_triangle_part *out);

/* A triangle of a mesh, with half the thickness of a shell around it. */
void cn_triangle_part_of(const cn_shape *mesh, uint32_t triangle, cn_triangle_part *out);

/* The point of a tile nearest to one; both about the tile's centre. */
v3 cn_triangle_part_nearest(const cn_triangle_part *tile, v3 point);

#endif
