/* A tree of boxes over triangles: which triangles lie near a box or a ray. Built once, refitted when the
 * points move. The same triangles give the same tree, and walks go through it in a fixed order, without allocating. */
#ifndef CN_TREE_H
#define CN_TREE_H

#include "base/vec.h"

typedef struct cn_tree_node {
	v3 low, high;
	uint32_t first; /* leaf: into order; else the left child, the right one is first + 1 */
	uint32_t count; /* triangles of a leaf; 0: not a leaf */
} cn_tree_node;

typedef struct cn_tree {
	cn_tree_node *nodes; /* nodes[0] is the root; children come after their parent. None without triangles. */
	uint32_t node_count, node_capacity;
	uint32_t *order; /* triangles, those of a leaf together */
	uint32_t triangle_count;
} cn_tree;

/* No node is deeper than this (the root is at 0), whatever the triangles. */
enum { CN_TREE_DEPTH = 80 };

/* Points are finite, with |coordinates| below 1e150. False when memory ran out; nothing is kept then. */
bool cn_tree_build(const cairn_allocator *allocator, const v3 *points, const uint32_t *triangles,
                   uint32_t triangle_count, cn_tree *out);
void cn_tree_free(const cairn_allocator *allocator, cn_tree *tree);
/* to == NULL: at points. Else boxes hold the triangles at both and on the straight way between. fat (>= 0) is added all
 * round, rounded outwards. */
void cn_tree_refit(cn_tree *tree, const v3 *points, const v3 *to, const uint32_t *triangles, double fat);

/* visit is called for every triangle whose leaf's box meets; it returns false to stop. The walk returns false if
 * stopped. Boxes that touch meet. Rounding may let a box meet that does not, never the other way round. A ray is a
 * half-line; its direction has any length, and each component may be off by a rounding. */
bool cn_tree_box(const cn_tree *tree, v3 low, v3 high, bool (*visit)(void *context, uint32_t triangle), void *context);
bool cn_tree_ray(const cn_tree *tree, v3 origin, v3 direction, bool (*visit)(void *context, uint32_t triangle),
                 void *context);

#endif
