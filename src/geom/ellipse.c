/* See ellipse.h. With b, a the semi-axes along f and g and e2 = a^2 - b^2, the foot of a normal through q = (x, y)
 * is (b^2 x/t, a^2 y/(t + e2)), where t solves
 *
 *     (b x/t)^2 + (a y/(t + e2))^2 = 1,
 *
 * and the normal there is along (x/t, y/(t + e2)). The left side is convex between its poles. t > 0 is the nearest
 * point, -e2 < t < 0 has the second maximum at its root nearer to 0, if it has roots at all. Newton's method
 * started where the left side is above 1 walks to the root from one side. */
#include "geom/ellipse.h"

enum { STEPS = 64 }; /* far more than Newton's method takes: six or seven */

static void unit(double f, double g, double *nf, double *ng)
{
	double most = fabs(f) > fabs(g) ? fabs(f) : fabs(g);
	f /= most, g /= most;
	double length = sqrt(f * f + g * g);
	*nf = f / length, *ng = g / length;
}

/* For t = 0: q is on the long axis (or the ellipse has no width) and its foot at the share y of the way to the end. */
static void unit_on_axis(cn_ellipse e, double y, double *nf, double *ng)
{
	double share = e.focus2 > 0 ? e.long_axis * y / e.focus2 : 0;
	share = share < 1 ? share : 1;
	double f = e.long_axis * sqrt(1 - share * share), g = e.short_axis * share;
	if (f > 0 || g > 0)
		unit(f, g, nf, ng);
	else
		*nf = 1, *ng = 0;
}

static void nearest(cn_ellipse e, double x, double y, double *nf, double *ng)
{
	double bx = e.short_axis * x, ay = e.long_axis * y, t = bx > ay - e.focus2 ? bx : ay - e.focus2;
	for (int i = 0; i < STEPS && t > 0; ++i) {
		double f = bx / t, g = ay / (t + e.focus2), above = f * f + g * g - 1;
		double next = t + 0.5 * above / (f * f / t + g * g / (t + e.focus2));
		if (!(next > t))
			break;
		t = next;
	}
	double f = x * (t + e.focus2), g = y * t;
	if (f > 0 || g > 0)
		unit(f, g, nf, ng);
	else
		unit_on_axis(e, y, nf, ng);
}

static bool far_side(cn_ellipse e, double x, double y, double *nf, double *ng)
{
	double bx = e.short_axis * x, ay = e.long_axis * y, k = bx; /* k = -t */
	if (!(ay < e.focus2))
		return false;
	if (!(k > 0)) {
		unit_on_axis(e, y, nf, ng);
		*nf = -*nf;
		return true;
	}
	for (int i = 0; i < STEPS; ++i) {
		if (!(k < e.focus2))
			return false;
		double f = bx / k, g = ay / (e.focus2 - k), above = f * f + g * g - 1;
		double slope = f * f / k - g * g / (e.focus2 - k);
		if (!(slope > 0))
			return false;
		double next = k + 0.5 * above / slope;
		if (!(next > k))
			break;
		k = next;
	}
	if (!(k < e.focus2))
		return false;
	unit(-x * (e.focus2 - k), y * k, nf, ng);
	return true;
}

bool cn_ellipse_widest(cn_ellipse e, double qf, double qg, bool second, double *nf, double *ng)
{
	if (!second)
		nearest(e, fabs(qf), fabs(qg), nf, ng);
	else if (!far_side(e, fabs(qf), fabs(qg), nf, ng))
		return false;
	if (qf < 0)
		*nf = -*nf;
	if (qg < 0)
		*ng = -*ng;
	return true;
}
