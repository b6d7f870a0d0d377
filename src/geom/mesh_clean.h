/* Triangles of a mesh that add nothing to it: without area, or there twice. */
#ifndef CN_MESH_CLEAN_H
#define CN_MESH_CLEAN_H

#include "geom/triangles.h"

/* Sets dropped[i] to 1 for triangles that can be left out, else 0. Of any mesh: those that name a point twice, and all but the
 * first of equal ones that run the same way round. Of a shell besides: equal ones that run the other way, and those whose
 * three points lie on a line up to rounding; a solid may need both to be closed. Returns how many; UINT32_MAX: memory ran
 * out. */
uint32_t cn_mesh_clean(const cairn_allocator *allocator, const cn_triangles *mesh, bool shell, uint8_t *dropped);

#endif
