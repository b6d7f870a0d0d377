/* Growing arrays: a head before the first element knows the room and links all arrays of an owner. The first element begins
 * a line of memory, so that what is as large as a line is in one, and vectors are not read from two. */
#include "base/array.h"

#include <string.h>

enum { CN_LINE = 64 }; /* bytes of a line of memory */

typedef struct cn_array {
	struct cn_array *next, *before;
	size_t size; /* bytes of an element */
	uint32_t room;
	uint32_t shift; /* bytes from where the memory begins to this head */
} cn_array;

static cn_array *head_of(const void *array) { return (cn_array *)array - 1; }

uint32_t cn_array_room(const void *array) { return array ? head_of(array)->room : 0; }

static size_t bytes_of(uint32_t room, size_t size)
{
	size_t more = sizeof(cn_array) + CN_LINE;
	return room > (SIZE_MAX - more) / size ? 0 : more + room * size;
}

/* Where the head goes in memory that begins there. */
static uint32_t shift_of(const void *memory)
{
	return (uint32_t)(CN_LINE - ((uintptr_t)memory + sizeof(cn_array)) % CN_LINE) % CN_LINE;
}

static void link_in(cn_arrays *owner, cn_array *head)
{
	if (head->next)
		head->next->before = head;
	if (head->before)
		head->before->next = head;
	else
		owner->first = head;
}

bool cn_array_grow(cn_arrays *owner, void **array, uint32_t need, size_t size)
{
	uint32_t room = cn_array_room(*array);
	if (need <= room)
		return true;
	uint32_t wanted = cn_grown(room, need);
	if (!bytes_of(wanted, size))
		wanted = need;
	size_t bytes = bytes_of(wanted, size);
	cn_array *old = *array ? head_of(*array) : NULL;
	uint32_t was = old ? old->shift : 0;
	const cairn_allocator *a = owner->allocator;
	char *memory =
		bytes ? a->resize(a->context, old ? (char *)old - was : NULL, old ? bytes_of(room, size) : 0, bytes) : NULL;
	if (!memory)
		return false;
	uint32_t shift = shift_of(memory);
	cn_array *head = (cn_array *)(memory + shift);
	if (!old)
		head->next = owner->first, head->before = NULL;
	else if (shift != was)
		memmove(head, memory + was, sizeof *head + room * size);
	head->size = size;
	head->room = wanted;
	head->shift = shift;
	link_in(owner, head);
	*array = head + 1;
	return true;
}

void cn_arrays_free(cn_arrays *owner)
{
	while (owner->first) {
		cn_array *head = owner->first;
		owner->first = head->next;
		cn_free(owner->allocator, (char *)head - head->shift, 1, bytes_of(head->room, head->size));
	}
}
