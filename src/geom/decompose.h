/* A closed mesh as a union of convex hulls (approximate convex decomposition).
 *
 * A piece is what of the solid lies in a cell, a convex region between planes that cut it out. Its hull is that of the piece
 * itself, exactly: of the triangles clipped to the cell and of those corners of the cell that lie in the solid. A piece is cut
 * again while its hull reaches farther from the solid than asked; of some planes (across the axes, and along faces at
 * re-entrant edges) the one is taken that leaves the least volume in the hulls of both sides. Then hulls are joined where the
 * hull of both is still near enough. The same mesh gives the same parts. */
#ifndef CN_DECOMPOSE_H
#define CN_DECOMPOSE_H

#include "geom/tree.h"
#include "geom/triangles.h"

typedef struct cn_decompose_options {
	double concavity;  /* how far a part may reach from the solid, as a share of the diagonal of the mesh's box */
	uint32_t parts;    /* the most */
	uint32_t vertices; /* of a part, the most; at least 4 */
} cn_decompose_options;

typedef struct cn_decomposed_part {
	v3 *points;
	uint32_t point_count;
} cn_decomposed_part;

typedef struct cn_decomposition {
	cn_decomposed_part *parts; /* from the allocator: parts_capacity of them */
	uint32_t part_count, part_capacity;
	double
		missed; /* m: how far parts reach from the solid where that is more than asked: parts ran out, or no plane cuts one; else 0 */
} cn_decomposition;

/* mesh is closed; tree is over its triangles. On failure nothing is kept: memory ran out, or no part has a volume. */
bool cn_decompose(const cairn_allocator *allocator, const cn_triangles *mesh, const cn_tree *tree,
                  const cn_decompose_options *options, cn_decomposition *out, cairn_error *error);
void cn_decomposition_free(const cairn_allocator *allocator, cn_decomposition *d);

#endif
