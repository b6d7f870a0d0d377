/* Arrays that grow, know how much room they have, and are given back all at once with what owns them. */
#ifndef CN_ARRAY_H
#define CN_ARRAY_H

#include "base/base.h"

/* Every array of one owner. Zeroed but for the allocator, it is empty. */
typedef struct cn_arrays {
	const cairn_allocator *allocator;
	struct cn_array *first;
} cn_arrays;

/* Makes room for `need` elements; what the array holds stays, what is new is not set. The array is NULL at first, and
 * never moves while it has enough. False: memory ran out, and the array is as it was. */
bool cn_array_grow(cn_arrays *owner, void **array, uint32_t need, size_t size);
uint32_t cn_array_room(const void *array); /* elements; 0 for NULL */
void cn_arrays_free(cn_arrays *owner);

#endif
