/* Which triangles of two trees lie near each other. */
#ifndef CN_TREE_PAIRS_H
#define CN_TREE_PAIRS_H

#include "geom/tree.h"

/* at: b's frame in a's. Visits pairs of triangles whose leaves' boxes may meet, each pair once, in a fixed order. */
bool cn_tree_pairs(const cn_tree *a, const cn_tree *b, pose at,
                   bool (*visit)(void *context, uint32_t of_a, uint32_t of_b), void *context);

#endif
