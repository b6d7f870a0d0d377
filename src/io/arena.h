/* Memory that is taken bit by bit and given back all at once: the trees of scene files and what is read from them. */
#ifndef CN_ARENA_H
#define CN_ARENA_H

#include "base/base.h"

typedef struct cn_arena {
	cairn_allocator allocator;
	struct cn_arena_block *blocks; /* the newest first */
} cn_arena;

/* Zeroed and aligned for any type. NULL when memory ran out, when count * size overflows, and for a count of 0. */
void *cn_arena_alloc(cn_arena *arena, size_t count, size_t size);
char *cn_arena_text(cn_arena *arena, const char *text, size_t length); /* a terminated copy */
void cn_arena_free(cn_arena *arena);

#endif
