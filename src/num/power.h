/* Scaling without rounding. */
#ifndef CN_POWER_H
#define CN_POWER_H

#include <math.h>

/* The power of two nearest to x, by ratio; 1 where x is not a positive number. */
static inline double cn_power_of_two(double x)
{
	int exponent;
	if (!(x > 0) || !isfinite(x))
		return 1;
	double part = frexp(x, &exponent);
	return ldexp(1, part < 0.70710678118654752 ? exponent - 1 : exponent);
}

#endif
