/* How far two surfaces of triangles are apart: the two triangles that are nearest, or cross the deepest. */
#ifndef CN_MESH_GAP_H
#define CN_MESH_GAP_H

#include "geom/separate.h"

typedef struct cn_mesh_gap {
	cn_separation at;      /* of the two triangles, with the thickness of their shells */
	v3 middle_a, middle_b; /* world: what at.a and at.b count from */
	uint32_t triangle_a, triangle_b;
} cn_mesh_gap;

/* Both are meshes that are more than visuals, with their frames. Insides are not looked at. */
void cn_mesh_gap_find(const cn_shape *a, pose pa, const cn_shape *b, pose pb, cn_mesh_gap *out);

#endif
