/* Face against face of two boxes, flat (OBA 3.2).
 *
 * All is done in the plane of one face, that of the smaller box R, in R's own axes: the other face is laid on it along
 * n. There R's face is the rectangle |u| <= hu, |v| <= hv, and the other one, O's, the parallelogram
 * c + alpha e + beta f with |alpha|, |beta| <= 1. Four corners against four sides both ways give all that is decided: a
 * corner inside is a point, and two sides cross where the corners of each lie clearly on different sides of the other;
 * a corner on a side up to rounding counts as inside. Corner k of either loop is (-,-) (+,-) (+,+) (-,+), side k runs
 * from corner k to the next. */
#include "geom/contact_side.h"

#include "base/tolerance.h"

typedef struct face {
	uint32_t i, j, k; /* axes: i, j span it, k is its normal */
	double sign;      /* of the normal along k */
	v3 x, y, z;       /* those axes in the world */
	double hi, hj, hk;
	double support; /* of the box along the normal's side */
} face;

static v3 column(const cn_place *p, uint32_t k) { return (v3){p->r.m[0][k], p->r.m[1][k], p->r.m[2][k]}; }

/* The face that looks along out, both of whose edges are within the slab; false if they are not. */
static bool pick(const cn_convex *box, const cn_place *at, v3 out, double slab, face *f)
{
	v3 d = cn_place_unturn(at, out), s = v3_abs(d);
	double h[3] = {box->half.x, box->half.y, box->half.z}, slope[3] = {s.x, s.y, s.z}, toward[3] = {d.x, d.y, d.z};
	f->k = s.x >= s.y ? (s.x >= s.z ? 0 : 2) : (s.y >= s.z ? 1 : 2);
	f->i = f->k == 2 ? 0 : f->k + 1;
	f->j = f->i == 2 ? 0 : f->i + 1;
	if (!(2 * h[f->i] * slope[f->i] <= slab && 2 * h[f->j] * slope[f->j] <= slab && slope[f->k] > CN_CONTACT_FLAT))
		return false;
	f->support = s.x * h[0] + s.y * h[1] + s.z * h[2];
	f->sign = toward[f->k] < 0 ? -1 : 1;
	f->x = column(at, f->i);
	f->y = column(at, f->j);
	f->z = column(at, f->k);
	f->hi = h[f->i];
	f->hj = h[f->j];
	f->hk = h[f->k];
	return true;
}

static cn_feature vertex_of(const face *f, uint32_t k)
{
	uint32_t plus_i = k == 1 || k == 2, plus_j = k >= 2;
	return cn_feature_make(CN_VERTEX, plus_i << f->i | plus_j << f->j | (uint32_t)(f->sign > 0) << f->k);
}

/* Edges are numbered by (tail, head): by the lower vertex, then by the axis. */
static cn_feature edge_of(const face *f, uint32_t k)
{
	static const uint8_t number[8][3] = {{0, 1, 2}, {0, 3, 4},  {5, 0, 6},  {0, 0, 7},
	                                     {8, 9, 0}, {0, 10, 0}, {11, 0, 0}, {0, 0, 0}};
	static const uint8_t lower[4] = {0, 1, 3, 0};
	return cn_feature_make(CN_EDGE, number[cn_feature_index(vertex_of(f, lower[k]))][k & 1 ? f->j : f->i]);
}

static cn_feature face_of(const face *f) { return cn_feature_make(CN_FACE, 2 * f->k + (f->sign > 0)); }

/* O's face on R's plane, and how high over it. */
typedef struct drawing {
	double hu, hv;
	double u[4], v[4];        /* O's corners */
	double alpha[4], beta[4]; /* R's corners, as seen from O */
	double slack_a, slack_b;  /* rounding, in alpha and beta */
	double w0, wu, wv;        /* height over R's plane: w0 + wu u + wv v */
	double back;              /* 1 / n along R's face axis: w x back is the way from R to O along n */
} drawing;

/* n is that from A to B, d from R's centre to O's. */
static void draw(const face *r, const face *o, v3 n, v3 d, double rounding, drawing *g)
{
	static const double si[4] = {-1, 1, 1, -1}, sj[4] = {-1, -1, 1, 1};
	double back = 1 / v3_dot(n, r->z), su = v3_dot(n, r->x) * back, sv = v3_dot(n, r->y) * back;
	v3 c = v3_madd(d, o->z, o->sign * o->hk), e = v3_scale(o->x, o->hi), f = v3_scale(o->y, o->hj);
	double cw = v3_dot(c, r->z) - r->sign * r->hk, ew = v3_dot(e, r->z), fw = v3_dot(f, r->z);
	double cu = v3_dot(c, r->x) - cw * su, cv = v3_dot(c, r->y) - cw * sv;
	double eu = v3_dot(e, r->x) - ew * su, ev = v3_dot(e, r->y) - ew * sv;
	double fu = v3_dot(f, r->x) - fw * su, fv = v3_dot(f, r->y) - fw * sv;
	double scale = 1 / (eu * fv - ev * fu);
	double au = fv * scale, av = -fu * scale, bu = -ev * scale, bv = eu * scale; /* alpha = au (u - cu) + av (v - cv) */
	double a0 = -(au * cu + av * cv), b0 = -(bu * cu + bv * cv);
	g->hu = r->hi;
	g->hv = r->hj;
	for (int k = 0; k < 4; ++k) {
		g->u[k] = cu + si[k] * eu + sj[k] * fu;
		g->v[k] = cv + si[k] * ev + sj[k] * fv;
		g->alpha[k] = a0 + si[k] * (au * g->hu) + sj[k] * (av * g->hv);
		g->beta[k] = b0 + si[k] * (bu * g->hu) + sj[k] * (bv * g->hv);
	}
	g->slack_a = rounding * (fabs(au) + fabs(av));
	g->slack_b = rounding * (fabs(bu) + fabs(bv));
	g->wu = ew * au + fw * bu;
	g->wv = ew * av + fw * bv;
	g->w0 = cw + ew * a0 + fw * b0;
	g->back = back;
}

/* Bit k: clearly outside side k of the rectangle |x| <= hx, |y| <= hy; bit 4 + k: clearly inside it. */
static uint32_t beside(double x, double y, double hx, double hy, double slack_x, double slack_y)
{
	double ox = hx + slack_x, oy = hy + slack_y, ix = hx - slack_x, iy = hy - slack_y;
	return (uint32_t)(y < -oy) | (uint32_t)(x > ox) << 1 | (uint32_t)(y > oy) << 2 | (uint32_t)(x < -ox) << 3 |
	       (uint32_t)(y > -iy) << 4 | (uint32_t)(x < ix) << 5 | (uint32_t)(y < iy) << 6 | (uint32_t)(x > -ix) << 7;
}

/* The sides between whose clear outside and clear inside an edge runs. */
static uint32_t passed(uint32_t from, uint32_t to) { return ((from & to >> 4) | (to & from >> 4)) & 15; }

/* The corners of the polygon, at most 16 with those that merge later. */
static uint32_t clip(const face *r, const face *o, const drawing *g, double rounding, bool swapped,
                     cn_contact_corner found[16])
{
	static const double si[4] = {-1, 1, 1, -1}, sj[4] = {-1, -1, 1, 1};
	uint32_t count = 0, r_shift = swapped ? 0 : 32, o_shift = 32 - r_shift, of_o[5], of_r[5];
	uint64_t r_face = (uint64_t)face_of(r) << r_shift, o_face = (uint64_t)face_of(o) << o_shift;
	for (uint32_t k = 0; k < 4; ++k) {
		of_o[k] = beside(g->u[k], g->v[k], g->hu, g->hv, rounding, rounding);
		of_r[k] = beside(g->alpha[k], g->beta[k], 1, 1, g->slack_a, g->slack_b);
		if (!(of_o[k] & 15))
			found[count++] = (cn_contact_corner){r_face | (uint64_t)vertex_of(o, k) << o_shift, g->u[k], g->v[k], 0};
		if (!(of_r[k] & 15))
			found[count++] =
				(cn_contact_corner){(uint64_t)vertex_of(r, k) << r_shift | o_face, si[k] * g->hu, sj[k] * g->hv, 0};
	}
	of_o[4] = of_o[0];
	of_r[4] = of_r[0];
	for (uint32_t e = 0; e < 4; ++e) {
		uint32_t sides = passed(of_o[e], of_o[e + 1]), to = e == 3 ? 0 : e + 1;
		for (uint32_t s = 0; s < 4; ++s) {
			if (!(sides >> s & 1) || !(passed(of_r[s], of_r[s + 1]) >> e & 1) || count == 16)
				continue;
			cn_contact_corner *p = &found[count++];
			p->id = (uint64_t)edge_of(r, s) << r_shift | (uint64_t)edge_of(o, e) << o_shift;
			if (s & 1) {
				p->u = s == 1 ? g->hu : -g->hu;
				p->v = g->v[e] + (p->u - g->u[e]) / (g->u[to] - g->u[e]) * (g->v[to] - g->v[e]);
			} else {
				p->v = s == 0 ? -g->hv : g->hv;
				p->u = g->u[e] + (p->v - g->v[e]) / (g->v[to] - g->v[e]) * (g->u[to] - g->u[e]);
			}
		}
	}
	return count;
}

bool cn_contact_boxes(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb, v3 n, double slab,
                      double *gap, cn_contact_set *out)
{
	bool swapped = b->size < a->size;
	v3 d = v3_sub(pb->x, pa->x);
	double rounding = cn_contact_rounding(a, b, d), merge = cn_contact_merge(a, b) + rounding;
	face fa, fb;
	if (!pick(a, pa, n, slab + rounding, &fa) || !pick(b, pb, v3_neg(n), slab + rounding, &fb))
		return false;
	const face *r = swapped ? &fb : &fa, *o = swapped ? &fa : &fb;
	*gap = v3_dot(n, d) - fa.support - fb.support;
	if (swapped)
		d = v3_neg(d);
	drawing g;
	cn_contact_corner found[16];
	draw(r, o, n, d, rounding, &g);
	uint32_t count = cn_contact_order(found, clip(r, o, &g, rounding, swapped, found), merge);
	v3 lift = v3_scale(r->z, r->sign * r->hk), minus_d = v3_neg(d);
	for (uint32_t i = 0; i < count; ++i) {
		double way = (g.w0 + g.wu * found[i].u + g.wv * found[i].v) * g.back;
		v3 on_r = v3_madd(v3_madd(lift, r->x, found[i].u), r->y, found[i].v);
		v3 on_o = v3_madd(v3_add(on_r, minus_d), n, way);
		cn_contact_point *p = &out->points[i];
		p->a = swapped ? on_o : on_r;
		p->b = swapped ? on_r : on_o;
		p->gap = swapped ? -way : way;
		p->feature = found[i].id;
	}
	out->count = count;
	return true;
}
