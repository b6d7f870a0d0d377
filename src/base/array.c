/* Growing arrays: a head before the first element knows the room and links all arrays of an owner. */
#include "base/array.h"

#include <stdalign.h>

typedef struct cn_array {
	alignas(max_align_t) struct cn_array *next, *before;
	size_t size; /* bytes of an element */
	uint32_t room;
} cn_array;

static cn_array *head_of(const void *array) { return (cn_array *)array - 1; }

uint32_t cn_array_room(const void *array) { return array ? head_of(array)->room : 0; }

static size_t bytes_of(uint32_t room, size_t size)
{
	return room > (SIZE_MAX - sizeof(cn_array)) / size ? 0 : sizeof(cn_array) + room * size;
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
	const cairn_allocator *a = owner->allocator;
	cn_array *head = bytes ? a->resize(a->context, old, old ? bytes_of(room, size) : 0, bytes) : NULL;
	if (!head)
		return false;
	if (!old)
		head->next = owner->first, head->before = NULL;
	head->size = size;
	head->room = wanted;
	link_in(owner, head);
	*array = head + 1;
	return true;
}

void cn_arrays_free(cn_arrays *owner)
{
	while (owner->first) {
		cn_array *head = owner->first;
		owner->first = head->next;
		cn_free(owner->allocator, head, 1, bytes_of(head->room, head->size));
	}
}
