/* An arena: memory that is taken piece by piece and given back at once, or back to a mark. */
#ifndef CN_ARENA_H
#define CN_ARENA_H

#include "base/base.h"

typedef struct cn_arena {
	cairn_allocator allocator;
	struct cn_arena_block *blocks; /* the newest first */
	bool failed;                   /* a piece was refused; stays set, and every further piece is refused too */
} cn_arena;

/* How much of an arena was in use at some moment. */
typedef struct cn_arena_mark {
	struct cn_arena_block *block;
	size_t used;
} cn_arena_mark;

cn_arena cn_arena_make(const cairn_allocator *allocator); /* which is copied */

/* Zeroed and aligned for any type; also for a count of 0 there is an address. NULL when memory ran out or the product
 * overflows. */
void *cn_arena_take(cn_arena *arena, size_t count, size_t size);
char *cn_arena_text(cn_arena *arena, const char *text, size_t length); /* a terminated copy */

cn_arena_mark cn_arena_here(const cn_arena *arena);
/* Gives back everything taken since the mark. */
void cn_arena_return(cn_arena *arena, cn_arena_mark mark);
/* Gives back everything and keeps one block with room for so many bytes, so that these are taken without a call of the
 * allocator. The arena can be used again, also if it had failed. False: memory ran out. */
bool cn_arena_reserve(cn_arena *arena, size_t bytes);
/* Gives back everything; the arena can be used again unless it has failed. */
void cn_arena_free(cn_arena *arena);

#endif
