/* A stable sort on integer keys: the same order everywhere, whatever the C library's qsort does. */
#ifndef CN_SORT_H
#define CN_SORT_H

#include "base/base.h"

#include <string.h>

typedef struct cn_sort_item {
	uint64_t key;
	uint32_t value;
} cn_sort_item;

/* By key, equal keys in the order they came. scratch has room for count items. */
void cn_sort(cn_sort_item *items, cn_sort_item *scratch, uint32_t count);

/* A key that orders as the number does; -0 as 0. */
static inline uint64_t cn_sort_key(double x)
{
	uint64_t bits;
	x += 0.0;
	memcpy(&bits, &x, sizeof bits);
	return bits >> 63 ? ~bits : bits | 0x8000000000000000ull;
}

#endif
