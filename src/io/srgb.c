/* Colours as files have them, in 256 steps, and as light adds up. */
#include "io/srgb.h"

/* x^2.4 as the fifth root of x^12 by Newton's method from above: the same bits everywhere. x in (0, 1]. */
static double power_2_4(double x)
{
	double x4 = x * x * x * x, a = x4 * x4 * x4, y = 1;
	for (double last = 2; y < last;) {
		last = y;
		y = (4 * y + a / (y * y * y * y)) / 5;
	}
	return y;
}

/* The sRGB standard's curve (IEC 61966-2-1) for one of 256 steps. */
double cn_linear_from_srgb(int step)
{
	double c = step / 255.0;
	return c <= 0.04045 ? c / 12.92 : power_2_4((c + 0.055) / 1.055);
}
