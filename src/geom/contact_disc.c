/* A cylinder's end against edges and other ends, on the circle itself. In the plane of the end an edge P + t (Q - P)
 * meets the rim where |P + t (Q - P)|^2 = radius^2. Two rims meet where both have their radius; seen from either the
 * other is an ellipse, nearly a circle, so Newton's method from the crossing of the two circles finds it. */
#include "geom/contact_side.h"

#include "geom/tolerance.h"

enum { NEWTON_STEPS = 6 }; /* from an error of the tilt squared, 1e-2 at most, it takes four to rounding */

typedef struct spot {
	double x, y;
} spot;

static spot on_disc(const cn_disc *g, double u, double v)
{
	double du = u - g->u0, dv = v - g->v0;
	return (spot){g->xu * du + g->xv * dv, g->yu * du + g->yv * dv};
}

static cn_feature crossing_of(const cn_disc *g, uint32_t which)
{
	return cn_feature_make(CN_RIM, g->end | (CN_CAP_CORNERS + 1 + which) << 1);
}

bool cn_contact_disc_holds(const cn_disc *disc, double u, double v, double slack)
{
	spot p = on_disc(disc, u, v);
	double reach = disc->radius + slack;
	return p.x * p.x + p.y * p.y <= reach * reach;
}

/* is_b: the disc is B's side. */
static void cross_edges(const cn_disc *g, const cn_contact_side *o, bool is_b, cn_contact_raw *set)
{
	uint32_t edges = o->count == 2 ? 1 : o->count;
	for (uint32_t i = 0; i < edges; ++i) {
		uint32_t k = i + 1 == o->count ? 0 : i + 1;
		spot p = on_disc(g, o->u[i], o->v[i]), q = on_disc(g, o->u[k], o->v[k]);
		double dx = q.x - p.x, dy = q.y - p.y, a = dx * dx + dy * dy, b = p.x * dx + p.y * dy;
		double c = p.x * p.x + p.y * p.y - g->radius * g->radius, root2 = b * b - a * c;
		if (!(root2 > 0 && a > 0))
			continue;
		double far = b > 0 ? -(b + sqrt(root2)) : sqrt(root2) - b; /* the root that loses no digits, times a */
		double t[2] = {b > 0 ? far / a : c / far, b > 0 ? c / far : far / a};
		for (uint32_t m = 0; m < 2; ++m) {
			if (!(t[m] > 0 && t[m] < 1))
				continue;
			double u = o->u[i] + t[m] * (o->u[k] - o->u[i]), v = o->v[i] + t[m] * (o->v[k] - o->v[i]);
			if (is_b)
				cn_contact_add(set, o->edge[i], crossing_of(g, m), u, v);
			else
				cn_contact_add(set, crossing_of(g, m), o->edge[i], u, v);
		}
	}
}

/* How far (u, v) is from the rim, as half the difference of squares, and its gradient. */
static double off_rim(const cn_disc *g, double u, double v, double *du, double *dv)
{
	spot p = on_disc(g, u, v);
	*du = p.x * g->xu + p.y * g->yu;
	*dv = p.x * g->xv + p.y * g->yv;
	return 0.5 * (p.x * p.x + p.y * p.y - g->radius * g->radius);
}

static bool polish(const cn_disc *a, const cn_disc *b, double *u, double *v)
{
	double au, av, bu, bv;
	for (int step = 0; step < NEWTON_STEPS; ++step) {
		double fa = off_rim(a, *u, *v, &au, &av), fb = off_rim(b, *u, *v, &bu, &bv), det = au * bv - av * bu;
		if (!(fabs(det) > CN_CONTACT_MERGE * a->radius * b->radius))
			return false; /* the rims touch without crossing */
		*u -= (fa * bv - fb * av) / det;
		*v -= (fb * au - fa * bu) / det;
	}
	double fa = off_rim(a, *u, *v, &au, &av), fb = off_rim(b, *u, *v, &bu, &bv);
	return fabs(fa) <= CN_CONTACT_MERGE * a->radius * a->radius && fabs(fb) <= CN_CONTACT_MERGE * b->radius * b->radius;
}

static void cross_rims(const cn_disc *a, const cn_disc *b, cn_contact_raw *set)
{
	double du = b->u0 - a->u0, dv = b->v0 - a->v0, d2 = du * du + dv * dv, ra2 = a->radius * a->radius;
	if (!(d2 > 0))
		return;
	/* t along the line of centres, h across it, both in units of their distance */
	double t = 0.5 * (1 + (ra2 - b->radius * b->radius) / d2), h2 = ra2 / d2 - t * t;
	if (!(h2 > 0))
		return;
	for (uint32_t m = 0; m < 2; ++m) {
		double h = m ? -sqrt(h2) : sqrt(h2), u = a->u0 + t * du - h * dv, v = a->v0 + t * dv + h * du;
		if (polish(a, b, &u, &v))
			cn_contact_add(set, crossing_of(a, m), crossing_of(b, m), u, v);
	}
}

void cn_contact_disc_cross(const cn_contact_side *a, const cn_contact_side *b, cn_contact_raw *set)
{
	if (a->disc.radius > 0 && b->disc.radius > 0)
		cross_rims(&a->disc, &b->disc, set);
	else if (a->disc.radius > 0)
		cross_edges(&a->disc, b, false, set);
	else
		cross_edges(&b->disc, a, true, set);
}
