/* Random numbers for tests, the same on every machine. A number is drawn into a variable
 * of its own before it is used: the order in which arguments are evaluated is not fixed. */
#ifndef DRAW_H
#define DRAW_H

#include "base/hash.h"

static uint64_t seed = 1;

/* In [-1, 1). */
static inline double uniform(void) { return cn_random_signed(&seed); }

/* 0 .. n - 1 */
static inline uint32_t below(uint32_t n)
{
	double u = (uniform() + 1) / 2;
	uint32_t k = (uint32_t)(u * n);
	return k < n ? k : n - 1;
}

#endif
