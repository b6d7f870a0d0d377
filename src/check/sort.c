/* See parts.h: the order of keys. */
#include "check/parts.h"

/* Sorts keys in place: a heap, so that it needs no room and its time is known. */
static void sift(uint64_t *keys, size_t at, size_t count)
{
	uint64_t key = keys[at];
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && keys[child + 1] > keys[child])
			++child;
		if (keys[child] <= key)
			break;
		keys[at] = keys[child];
	}
	keys[at] = key;
}

void cn_check_sort(uint64_t *keys, size_t count)
{
	for (size_t i = count / 2; i-- > 0;)
		sift(keys, i, count);
	for (size_t i = count; i-- > 1;) {
		uint64_t key = keys[i];
		keys[i] = keys[0], keys[0] = key;
		sift(keys, 0, i);
	}
}

size_t cn_check_find(const uint64_t *keys, size_t count, uint64_t key)
{
	size_t low = 0, high = count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
