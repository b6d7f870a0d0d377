/* In which order to eliminate the nodes of a graph so that little fills in. */
#ifndef CN_ORDER_H
#define CN_ORDER_H

#include "base/base.h"

/* The neighbours of i: adjacent[first[i] .. first[i + 1]), each edge with both of its ends, none twice, no loops. */
typedef struct cn_graph {
	uint32_t nodes;
	const uint32_t *first, *adjacent;
} cn_graph;

/* Approximate minimum degree. order[k]: the node eliminated k-th; a function of the graph and of `last` alone: whether
 * among nodes of one degree the last is tried first. Which is better nobody knows before. False when memory ran out. */
bool cn_order_find(const cairn_allocator *allocator, const cn_graph *graph, bool last, uint32_t *order);

#endif
