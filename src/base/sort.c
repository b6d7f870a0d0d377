/* Radix sort, a byte at a time from the lowest; bytes that all keys share are skipped. */
#include "base/sort.h"

void cn_sort(cn_sort_item *items, cn_sort_item *scratch, uint32_t count)
{
	cn_sort_item *from = items, *to = scratch;
	for (int shift = 0; shift < 64; shift += 8) {
		uint32_t starts[257] = {0};
		for (uint32_t i = 0; i < count; ++i)
			++starts[((from[i].key >> shift) & 255) + 1];
		if (count && starts[((from[0].key >> shift) & 255) + 1] == count)
			continue;
		for (int b = 0; b < 256; ++b)
			starts[b + 1] += starts[b];
		for (uint32_t i = 0; i < count; ++i)
			to[starts[(from[i].key >> shift) & 255]++] = from[i];
		cn_sort_item *swap = from;
		from = to;
		to = swap;
	}
	if (from != items)
		memcpy(items, from, count * sizeof *items);
}
