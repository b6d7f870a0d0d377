/* Random things for tests from a state of the caller's, the same on every machine. A number is drawn into a variable of its own before
 * it is used: the order in which arguments are evaluated is not fixed. */
#ifndef RANDOM_H
#define RANDOM_H

#include "base/hash.h"
#include "base/vec.h"

static inline v3 random_in_cube(uint64_t *state) /* each component in [-1, 1) */
{
	double x = cn_random_signed(state), y = cn_random_signed(state), z = cn_random_signed(state);
	return v3_make(x, y, z);
}

static inline v3 random_on_sphere(uint64_t *state)
{
	for (;;) {
		v3 p = random_in_cube(state);
		double square = v3_length2(p);
		if (square < 1 && square > 0.01)
			return v3_unit(p);
	}
}

static inline quat random_turn(uint64_t *state)
{
	v3 axis = random_on_sphere(state);
	double angle = cn_random_signed(state) * CN_PI;
	return q_exp(v3_scale(axis, angle));
}

/* 10^k, k from low to high, by multiplication. */
static inline double random_power(uint64_t *state, int low, int high)
{
	int k = low + (int)(cn_random_u64(state) % ((uint32_t)(high - low) + 1));
	double x = 1;
	for (int i = 0; i < (k < 0 ? -k : k); ++i)
		x = k < 0 ? x / 10 : x * 10;
	return x;
}

#endif
