/* Blocks that double in size, so that a tree of n nodes costs about log n calls of the allocator. */
#include "io/arena.h"

#include <string.h>

enum { CN_BLOCK_LEAST = 4096, CN_BLOCK_MOST = 1 << 20 };

typedef struct cn_arena_block {
	struct cn_arena_block *next;
	size_t size, used; /* bytes, this header included */
} block;

enum { CN_ALIGN = _Alignof(max_align_t) };

static size_t align_up(size_t size) { return (size + CN_ALIGN - 1) / CN_ALIGN * CN_ALIGN; }

void *cn_arena_alloc(cn_arena *arena, size_t count, size_t size)
{
	if (!count || !size || count > (SIZE_MAX / 2 - CN_BLOCK_MOST) / size)
		return NULL;
	size_t need = align_up(count * size), head = align_up(sizeof(block));
	block *b = arena->blocks;
	if (!b || b->size - b->used < need) {
		size_t room = b ? 2 * b->size : CN_BLOCK_LEAST;
		room = room < CN_BLOCK_MOST ? room : CN_BLOCK_MOST;
		room = room < head + need ? head + need : room;
		b = arena->allocator.resize(arena->allocator.context, NULL, 0, room);
		if (!b)
			return NULL;
		*b = (block){.next = arena->blocks, .size = room, .used = head};
		arena->blocks = b;
	}
	void *out = (char *)b + b->used;
	b->used += need;
	return memset(out, 0, need);
}

char *cn_arena_text(cn_arena *arena, const char *text, size_t length)
{
	char *copy = cn_arena_alloc(arena, length + 1, 1);
	if (copy && length)
		memcpy(copy, text, length);
	return copy;
}

void cn_arena_free(cn_arena *arena)
{
	for (block *b = arena->blocks, *next; b; b = next) {
		next = b->next;
		arena->allocator.resize(arena->allocator.context, b, b->size, 0);
	}
	arena->blocks = NULL;
}
