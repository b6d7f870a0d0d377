#include "pool.h"

#include "limit.h"
#include "message.h"
#include "table.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

typedef struct pool_block {
	struct pool_block *before;
	size_t size;
	alignas(max_align_t) char data[];
} pool_block;

void *pool_take(pool *p, size_t size)
{
	cairn_allocator allocator = limits_allocator();
	size_t room = sizeof(pool_block) + size + !size;
	pool_block *block = allocator.resize(allocator.context, NULL, 0, room);
	if (!block) {
		char why[160];
		limits_explain(why, sizeof why);
		exit(say_and(STATUS_FAILED, "%s", why));
	}
	block->before = p->last, block->size = room;
	p->last = block;
	return memset(block->data, 0, size);
}

char *pool_text(pool *p, const char *text)
{
	size_t size = strlen(text) + 1;
	return memcpy(pool_take(p, size), text, size);
}

char *pool_format(pool *p, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = text_format_list(format, arguments), *kept = pool_text(p, text);
	va_end(arguments);
	free(text);
	return kept;
}

void pool_free(pool *p)
{
	cairn_allocator allocator = limits_allocator();
	while (p->last) {
		pool_block *block = p->last;
		p->last = block->before;
		allocator.resize(allocator.context, block, block->size, 0);
	}
}

void *pool_room(pool *p, void *items, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	size_t more = *capacity ? 2 * *capacity : 16;
	void *room = pool_take(p, more * size);
	if (count)
		memcpy(room, items, count * size);
	*capacity = more;
	return room;
}
