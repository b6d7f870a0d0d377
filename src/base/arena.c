/* See arena.h. Blocks double in size, so that n small pieces cost about log n calls of the allocator. */
#include "base/arena.h"

#include <string.h>

enum { CN_BLOCK_MIN = 4096, CN_BLOCK_MAX = 1 << 20 }; /* bytes */

typedef struct cn_arena_block {
	struct cn_arena_block *next;
	size_t size, used; /* bytes, this header included */
} block;

enum { CN_ALIGN = _Alignof(max_align_t) };

static size_t align_up(size_t size) { return (size + CN_ALIGN - 1) / CN_ALIGN * CN_ALIGN; }

cn_arena cn_arena_make(const cairn_allocator *allocator) { return (cn_arena){.allocator = *allocator}; }

/* A new first block with room for a piece of so many bytes; NULL when memory ran out. */
static block *add_block(cn_arena *arena, size_t need)
{
	block *last = arena->blocks;
	size_t head = align_up(sizeof(block)), size = last ? 2 * last->size : CN_BLOCK_MIN;
	size = size < CN_BLOCK_MAX ? size : CN_BLOCK_MAX;
	size = size < head + need ? head + need : size;
	block *b = arena->allocator.resize(arena->allocator.context, NULL, 0, size);
	if (!b)
		return NULL;
	*b = (block){.next = last, .size = size, .used = head};
	return arena->blocks = b;
}

void *cn_arena_take(cn_arena *arena, size_t count, size_t size)
{
	count = count ? count : 1;
	if (arena->failed || !size || count > (SIZE_MAX / 2 - CN_BLOCK_MAX) / size)
		return arena->failed = true, NULL;
	size_t need = align_up(count * size);
	block *b = arena->blocks;
	if (!b || b->size - b->used < need)
		b = add_block(arena, need);
	if (!b)
		return arena->failed = true, NULL;
	void *out = (char *)b + b->used;
	b->used += need;
	return memset(out, 0, need);
}

bool cn_arena_reserve(cn_arena *arena, size_t bytes)
{
	block *b = arena->blocks;
	size_t head = align_up(sizeof(block));
	arena->failed = false;
	if (b && !b->next && b->size - head >= bytes) {
		b->used = head;
		return true;
	}
	cn_arena_free(arena);
	return add_block(arena, bytes + bytes / 2) != NULL;
}

char *cn_arena_text(cn_arena *arena, const char *text, size_t length)
{
	char *copy = cn_arena_take(arena, length + 1, 1);
	if (copy && length)
		memcpy(copy, text, length);
	return copy;
}

cn_arena_mark cn_arena_here(const cn_arena *arena)
{
	return (cn_arena_mark){arena->blocks, arena->blocks ? arena->blocks->used : 0};
}

void cn_arena_return(cn_arena *arena, cn_arena_mark mark)
{
	while (arena->blocks != mark.block) {
		block *b = arena->blocks;
		arena->blocks = b->next;
		arena->allocator.resize(arena->allocator.context, b, b->size, 0);
	}
	if (mark.block)
		mark.block->used = mark.used;
}

void cn_arena_free(cn_arena *arena) { cn_arena_return(arena, (cn_arena_mark){0}); }
