/* The state hash, the checksum of files, random numbers: integers only, the same everywhere. */
#ifndef CN_HASH_H
#define CN_HASH_H

#include "base/base.h"

#include <string.h>

#define CN_HASH_START 0x6361697265ull /* any odd number would do; documented in docs/determinism.md */

static inline uint64_t cn_hash_u64(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash ^ (hash >> 32);
}

/* -0 counts as 0: x + 0 is +0 for both. */
static inline uint64_t cn_hash_double(uint64_t hash, double x)
{
	uint64_t word;
	x += 0.0;
	memcpy(&word, &x, sizeof word);
	return cn_hash_u64(hash, word);
}

uint64_t cn_hash_bytes(const void *bytes, size_t size); /* little-endian words, the rest padded with 0, then the size */

/* CRC-32 as in zlib and PNG (polynomial 0xEDB88320); start with 0 and pass the result on to continue. */
uint32_t cn_crc32(uint32_t crc, const void *bytes, size_t size);

/* splitmix64: a counter through a mixer. */
static inline uint64_t cn_random_u64(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* Uniform in [-1, 1), a multiple of 2^-52. */
static inline double cn_random_signed(uint64_t *state)
{
	return (double)(cn_random_u64(state) >> 11) * (1.0 / 4503599627370496.0) - 1.0;
}

#endif
