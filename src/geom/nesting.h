/* The closed parts of a mesh and how they lie in each other: a part faces outwards where an even number of others is
 * around it (a body), inwards where an odd number is (a cavity). */
#ifndef CN_NESTING_H
#define CN_NESTING_H

#include "geom/triangles.h"

/* The mesh is closed: each edge has one triangle on each side. True where a part faces against its nesting: *triangle
 * is the first of that part, *inside whether an odd number of others is around it. Parts that cross others or have no
 * volume are passed over. True with memory->code CAIRN_MEMORY when memory ran out and nothing is known; the code is
 * CAIRN_OK otherwise. Time: n log n and six rays for each part. */
bool cn_nesting_fault(const cairn_allocator *allocator, const cn_triangles *mesh, uint32_t *triangle, bool *inside,
                      cairn_error *memory);

#endif
