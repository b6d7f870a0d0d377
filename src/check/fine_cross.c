/* A product of two vectors that keeps its digits where they are nearly parallel. */
#include "check/parts.h"

/* x y as a sum of two numbers, exactly (Dekker 1971): what is within double's range is never near its ends here. */
static double product_rest(double x, double y, double xy)
{
	const double splitter = 134217729; /* 2^27 + 1 */
	double a = splitter * x, b = splitter * y;
	double xh = a - (a - x), xl = x - xh, yh = b - (b - y), yl = y - yh;
	return xl * yl - (((xy - xh * yh) - xl * yh) - xh * yl);
}

/* a b - c d with an error of one unit of the result. */
static double fine_difference(double a, double b, double c, double d)
{
	double ab = a * b, cd = c * d;
	return (ab - cd) + (product_rest(a, b, ab) - product_rest(c, d, cd));
}

v3 cn_fine_cross(v3 a, v3 b)
{
	return (v3){fine_difference(a.y, b.z, a.z, b.y), fine_difference(a.z, b.x, a.x, b.z),
	            fine_difference(a.x, b.y, a.y, b.x)};
}
