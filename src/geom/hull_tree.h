/* A mesh as a tree of convex hulls. Every node holds all its triangles, so what is apart from a node is apart from them;
 * the tree is a cover of the surface and never an approximation of it.
 *
 * Leaves are triangles, convex flat patches of coplanar ones, or, of a solid, a surface that is convex as it is. Hulls of
 * other nodes have faces and edges that the mesh has not: lids over its hollows. A face is *true* if triangles of the
 * node cover it, an edge if it borders a true face or is an edge of one of the triangles. Vertices always are. */
#ifndef CN_HULL_TREE_H
#define CN_HULL_TREE_H

#include "geom/convex.h"

typedef struct cn_hull_node {
	cn_convex convex;       /* in the mesh's frame; of kind hull */
	uint32_t child;         /* node of the first child, the second one is child + 1; 0: a leaf */
	bool flat;              /* all in one plane: it is in the way from both sides */
	bool exact;             /* every face is true */
	uint8_t *faces, *edges; /* not 0: true. NULL where exact */
} cn_hull_node;

typedef struct cn_hull_tree {
	cn_hull_node *nodes; /* nodes[0] is the root; children come after their parent */
	uint32_t node_count, leaf_count;
} cn_hull_tree;

/* solid: the mesh encloses what is inside it, so a convex surface is a leaf. Points are finite and there is a triangle.
 * False when memory ran out; nothing is kept then. The same triangles give the same tree. */
bool cn_hull_tree_build(const cairn_allocator *allocator, const cn_triangles *mesh, bool solid, cn_hull_tree *out);
void cn_hull_tree_free(const cairn_allocator *allocator, cn_hull_tree *tree);

static inline bool cn_hull_node_true(const cn_hull_node *n, cn_feature f)
{
	cn_feature_kind kind = cn_feature_kind_of(f);
	uint32_t index = cn_feature_index(f);
	return n->exact || kind == CN_VERTEX || (kind == CN_EDGE && n->edges[index]) ||
	       (kind == CN_FACE && n->faces[index]);
}

/* ---- hull_tree_merge.c: which triangles belong together */

/* A node of the tree before it has a hull: its two children, or a triangle. */
typedef struct cn_hull_merge {
	uint32_t child[2]; /* a leaf: UINT32_MAX and the triangle */
	bool flat;         /* coplanar, up to rounding of second moments */
} cn_hull_merge;

enum { CN_HULL_LEAF = UINT32_MAX };

/* merges: room for 2 triangle_count - 1; triangles first, then unions in the order they were made, the root last.
 * False when memory ran out. */
bool cn_hull_tree_merge(const cairn_allocator *allocator, const cn_triangles *mesh, cn_hull_merge *merges);

#endif
