/* The broad phase: all pairs of boxes that overlap.
 *
 * Boxes are given anew at each update; inside, fattened copies are kept in a tree, and only what left its fat box is
 * searched for again. What comes out depends on the boxes given alone, not on what was before nor on threads: every
 * pair (a < b) whose boxes overlap (touching counts) and whose filters let them meet, in the order of (a, b). */
#ifndef CN_BROAD_H
#define CN_BROAD_H

#include "base/pool.h"
#include "base/vec.h"

typedef struct cn_broad cn_broad;

typedef struct cn_broad_item {
	v3 low, high; /* low.x > high.x: there is nothing under this number. Finite. */
	bool still;   /* pairs of two still ones are left out */
	/* bits; so are pairs where the group of one has no bit of the other's mask. Items with neither are in no pair and
	 * cost nothing. */
	uint32_t group, mask;
} cn_broad_item;

typedef struct cn_broad_pair {
	uint32_t a, b;
} cn_broad_pair;

cn_broad *cn_broad_create(const cairn_allocator *allocator); /* NULL when memory ran out */
void cn_broad_destroy(cn_broad *broad);                      /* NULL is fine */

/* items are numbered 0 .. count-1; count may change from call to call. False when memory ran out; the next update then
 * starts afresh. Allocates only when there are more items, or more pairs of fattened boxes, than ever before; about 350
 * bytes a body where each overlaps with eight others, 24 of them for each pair. pool may be NULL. */
bool cn_broad_update(cn_broad *broad, const cn_broad_item *items, uint32_t count, cn_pool *pool);
/* Of the last update; valid until the next. */
const cn_broad_pair *cn_broad_pairs(const cn_broad *broad, uint32_t *count);
/* Forgets everything but keeps its memory. */
void cn_broad_clear(cn_broad *broad);

#endif
