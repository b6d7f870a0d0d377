/* Random numbers for tests from one state for the whole program; each into a variable of its own before it is used. */
#ifndef DRAW_H
#define DRAW_H

#include "random.h"

static uint64_t seed = 1;

static inline double uniform(void) { return cn_random_signed(&seed); } /* in [-1, 1) */
static inline double fraction(void) { return (uniform() + 1) / 2; }    /* in [0, 1), the same bits of the generator */

static inline v3 draw_v3(double low, double high)
{
	double x = fraction(), y = fraction(), z = fraction();
	return v3_make(low + (high - low) * x, low + (high - low) * y, low + (high - low) * z);
}

/* 0 .. n - 1 */
static inline uint32_t below(uint32_t n)
{
	double u = fraction();
	uint32_t k = (uint32_t)(u * n);
	return k < n ? k : n - 1;
}

#endif
