/* Two boxes (OBA 3.2): what of each lies against the plane is told by how far its edges rise over the slab.
 *
 * A vertex, and edges that cross, meet where the two boxes are nearest. A face and what lies on it are dealt with in the
 * plane of that face, of two faces that of the smaller box R, in R's own axes: the other face, or the edge, is laid on
 * it along n. There R's face is the rectangle |u| <= hu, |v| <= hv, and the other one, O's, the parallelogram
 * c + alpha e + beta f with |alpha|, |beta| <= 1. Four corners against four sides both ways give all that is decided: a
 * corner inside is a point, and two sides cross where the corners of each lie clearly on different sides of the other;
 * a corner on a side up to rounding counts as inside. Corner k of either loop is (-,-) (+,-) (+,+) (-,+), side k runs
 * from corner k to the next. */
#include "geom/contact_side.h"

#include "geom/tolerance.h"

#define CN_CONTACT_ALIKE 64 /* sizes of a face and of an edge on it: up to here digits about the face's middle do */

typedef struct face {
	uint32_t i, j, k; /* axes: i, j span it, k is its normal */
	double sign;      /* of the normal along k */
	v3 x, y, z;       /* those axes in the world */
	double hi, hj, hk;
} face;

/* What of a box lies against the plane. */
typedef struct lying {
	enum { VERTEX, EDGE, FACE, UNCLEAR } kind;
	double support; /* m: how far it reaches towards the other */
	uint32_t top;   /* the vertex nearest the other; of an edge the lower one */
	uint32_t axis;  /* of the edge; of the face's normal */
} lying;

static v3 column(const cn_place *p, uint32_t k) { return (v3){p->r.m[0][k], p->r.m[1][k], p->r.m[2][k]}; }

/* By how many of its edges at the nearest vertex are within the slab. */
static lying lie(const cn_convex *box, const cn_place *at, v3 out, double slab, double rounding, cn_contact_set *set)
{
	v3 d = cn_place_unturn(at, out), s = v3_abs(d);
	double h[3] = {box->half.x, box->half.y, box->half.z}, slope[3] = {s.x, s.y, s.z};
	bool flat[3];
	for (int i = 0; i < 3; ++i) {
		double rise = 2 * h[i] * slope[i];
		flat[i] = rise <= slab + rounding;
		cn_contact_needs(set, rise - rounding, flat[i], rise + rounding);
	}
	lying l = {VERTEX, s.x * h[0] + s.y * h[1] + s.z * h[2],
	           (uint32_t)(d.x > 0) | (uint32_t)(d.y > 0) << 1 | (uint32_t)(d.z > 0) << 2, 0};
	int count = flat[0] + flat[1] + flat[2];
	if (count == 0)
		return l;
	if (count == 1) {
		l.axis = flat[0] ? 0 : flat[1] ? 1 : 2;
		if (slope[l.axis] < CN_CONTACT_STEEP)
			l.kind = EDGE, l.top &= ~(1u << l.axis);
		return l;
	}
	l.axis = s.x >= s.y ? (s.x >= s.z ? 0 : 2) : (s.y >= s.z ? 1 : 2);
	l.kind = count - flat[l.axis] == 2 && slope[l.axis] > CN_CONTACT_FLAT ? FACE : UNCLEAR;
	return l;
}

static void set_face(const cn_convex *box, const cn_place *at, const lying *l, face *f)
{
	double h[3] = {box->half.x, box->half.y, box->half.z};
	f->k = l->axis;
	f->i = f->k == 2 ? 0 : f->k + 1;
	f->j = f->i == 2 ? 0 : f->i + 1;
	f->sign = l->top >> f->k & 1 ? 1 : -1;
	f->x = column(at, f->i);
	f->y = column(at, f->j);
	f->z = column(at, f->k);
	f->hi = h[f->i];
	f->hj = h[f->j];
	f->hk = h[f->k];
}

static cn_feature feature_of(const lying *l)
{
	return l->kind == VERTEX ? cn_feature_make(CN_VERTEX, l->top)
	       : l->kind == EDGE ? cn_feature_make(CN_EDGE, cn_polytope_box_edge(l->top, l->axis))
	                         : cn_feature_make(CN_FACE, 2 * l->axis + (l->top >> l->axis & 1));
}

static cn_feature vertex_of(const face *f, uint32_t k)
{
	uint32_t plus_i = k == 1 || k == 2, plus_j = k >= 2;
	return cn_feature_make(CN_VERTEX, plus_i << f->i | plus_j << f->j | (uint32_t)(f->sign > 0) << f->k);
}

static cn_feature edge_of(const face *f, uint32_t k)
{
	static const uint8_t lower[4] = {0, 1, 3, 0};
	return cn_feature_make(CN_EDGE,
	                       cn_polytope_box_edge(cn_feature_index(vertex_of(f, lower[k])), k & 1 ? f->j : f->i));
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
		for (uint32_t s = 0; sides && s < 4; ++s) {
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

/* ---- what two boxes touch with */

/* A pair of boxes, and what of them lies against the plane. */
typedef struct meeting {
	const cn_convex *a, *b;
	const cn_place *pa, *pb;
	const cn_separation *s;
	v3 d; /* from A's centre to B's */
	double rounding, merge;
	lying on_a, on_b;
} meeting;

/* A corner drawn on a face, and what lies against it at a way along n; swapped: the face is b's. */
static cn_contact_point point_on(const face *r, v3 n, v3 d, double way, bool swapped, const cn_contact_corner *at)
{
	v3 lift = v3_scale(r->z, r->sign * r->hk), minus_d = v3_neg(d);
	v3 on_r = v3_madd(v3_madd(lift, r->x, at->u), r->y, at->v), on_o = v3_madd(v3_add(on_r, minus_d), n, way);
	return (cn_contact_point){
		.a = swapped ? on_o : on_r, .b = swapped ? on_r : on_o, .gap = swapped ? -way : way, .feature = at->id};
}

static void face_on_face(const meeting *m, cn_contact_set *out)
{
	bool swapped = m->b->size < m->a->size;
	v3 n = m->s->n, d = swapped ? v3_neg(m->d) : m->d;
	face fa, fb;
	set_face(m->a, m->pa, &m->on_a, &fa);
	set_face(m->b, m->pb, &m->on_b, &fb);
	const face *r = swapped ? &fb : &fa, *o = swapped ? &fa : &fb;
	drawing g;
	cn_contact_corner found[16];
	draw(r, o, n, d, m->rounding, &g);
	uint32_t count = cn_contact_order(found, clip(r, o, &g, m->rounding, swapped, found), m->merge);
	for (uint32_t i = 0; i < count; ++i)
		out->points[i] = point_on(r, n, d, (g.w0 + g.wu * found[i].u + g.wv * found[i].v) * g.back, swapped, &found[i]);
	out->count = count;
}

/* The edge of a box that lies against the plane: middle and half of it, from the box's centre, world axes. */
static void edge_ends(const cn_convex *box, const cn_place *at, const lying *l, v3 *middle, v3 *half)
{
	double h[3] = {box->half.x, box->half.y, box->half.z};
	uint32_t p = l->axis == 2 ? 0 : l->axis + 1, q = p == 2 ? 0 : p + 1;
	*half = v3_scale(column(at, l->axis), h[l->axis]);
	*middle =
		v3_madd(v3_scale(column(at, p), l->top >> p & 1 ? h[p] : -h[p]), column(at, q), l->top >> q & 1 ? h[q] : -h[q]);
}

/* An edge laid on a face of R: its ends over the face, and where it crosses the face's sides. False: a corner of the face
 * lies on it up to rounding. */
static bool edge_on_face(const meeting *m, bool swapped, cn_contact_set *out)
{
	static const double si[5] = {-1, 1, 1, -1, -1}, sj[5] = {-1, -1, 1, 1, -1};
	const lying *edge = swapped ? &m->on_a : &m->on_b;
	v3 n = m->s->n, d = swapped ? v3_neg(m->d) : m->d, c, e;
	face r;
	set_face(swapped ? m->b : m->a, swapped ? m->pb : m->pa, swapped ? &m->on_b : &m->on_a, &r);
	edge_ends(swapped ? m->a : m->b, swapped ? m->pa : m->pb, edge, &c, &e);
	c = v3_add(d, c);
	double back = 1 / v3_dot(n, r.z), su = v3_dot(n, r.x) * back, sv = v3_dot(n, r.y) * back;
	double cw = v3_dot(c, r.z) - r.sign * r.hk, ew = v3_dot(e, r.z);
	double cu = v3_dot(c, r.x) - cw * su, cv = v3_dot(c, r.y) - cw * sv;
	double eu = v3_dot(e, r.x) - ew * su, ev = v3_dot(e, r.y) - ew * sv;
	double off[5], on = m->rounding * m->rounding * (eu * eu + ev * ev);
	for (int k = 0; k < 5; ++k) {
		off[k] = eu * (sj[k] * r.hj - cv) - ev * (si[k] * r.hi - cu);
		if (!(off[k] * off[k] > on))
			return false;
	}
	uint32_t r_shift = swapped ? 0 : 32, o_shift = 32 - r_shift, count = 0, of[2];
	cn_contact_corner found[4];
	for (int k = 0; k < 2; ++k) {
		double t = k ? 1 : -1, u = cu + t * eu, v = cv + t * ev;
		of[k] = beside(u, v, r.hi, r.hj, m->rounding, m->rounding);
		uint32_t vertex = edge->top | (uint32_t)k << edge->axis;
		if (!(of[k] & 15))
			found[count++] = (cn_contact_corner){
				(uint64_t)face_of(&r) << r_shift | (uint64_t)cn_feature_make(CN_VERTEX, vertex) << o_shift, u, v, t};
	}
	uint32_t sides = passed(of[0], of[1]);
	for (uint32_t k = 0; sides && k < 4 && count < 4; ++k) {
		if (!(sides >> k & 1) || (off[k] < 0) == (off[k + 1] < 0))
			continue;
		double t = k & 1 ? (si[k] * r.hi - cu) / eu : (sj[k] * r.hj - cv) / ev;
		found[count++] = (cn_contact_corner){
			(uint64_t)edge_of(&r, k) << r_shift | (uint64_t)feature_of(edge) << o_shift, cu + t * eu, cv + t * ev, t};
	}
	count = cn_contact_order(found, count, m->merge);
	for (uint32_t i = 0; i < count; ++i) /* gap: where on the edge */
		out->points[i] = point_on(&r, n, d, (cw + found[i].gap * ew) * back, swapped, &found[i]);
	out->count = count;
	return true;
}

/* Two edges cross, seen along n, or pass each other by: then there is no point. False: they are nearly parallel, or an
 * end of one lies on the other up to rounding. */
static bool edge_on_edge(const meeting *m, cn_contact_set *out)
{
	v3 n = m->s->n, ca, ea, cb, eb;
	edge_ends(m->a, m->pa, &m->on_a, &ca, &ea);
	edge_ends(m->b, m->pb, &m->on_b, &cb, &eb);
	v3 from = v3_sub(v3_add(m->d, cb), ca), across_a = v3_cross(n, ea), across_b = v3_cross(n, eb);
	double a2 = v3_length2(across_a), b2 = v3_length2(across_b), x = v3_dot(across_a, eb);
	if (!(x * x > CN_PARALLEL * CN_PARALLEL * a2 * b2))
		return false;
	double of_a = v3_dot(from, across_b) / -x, of_b = v3_dot(from, across_a) / -x; /* where they cross, ends at +-1 */
	double slack_a = m->rounding * sqrt(b2) / fabs(x), slack_b = m->rounding * sqrt(a2) / fabs(x);
	if (fabs(fabs(of_a) - 1) <= slack_a || fabs(fabs(of_b) - 1) <= slack_b)
		return false;
	out->count = 0;
	if (!(fabs(of_a) < 1 && fabs(of_b) < 1))
		return true;
	cn_contact_point *p = &out->points[out->count++];
	p->a = v3_madd(ca, ea, of_a);
	p->b = v3_madd(cb, eb, of_b);
	p->gap = v3_dot(n, v3_sub(v3_add(m->d, p->b), p->a));
	p->feature = (uint64_t)feature_of(&m->on_a) << 32 | feature_of(&m->on_b);
	return true;
}

/* A vertex is over what it lies on where that is what the separation found. */
static bool vertex_on_any(const meeting *m, double gap, cn_contact_set *out)
{
	cn_feature fa = feature_of(&m->on_a), fb = feature_of(&m->on_b);
	if (fa != m->s->feature_a || fb != m->s->feature_b)
		return false;
	cn_contact_point *p = &out->points[0];
	if (m->on_a.kind == VERTEX) {
		p->a = cn_place_turn(m->pa, m->a->core.vertices[m->on_a.top]);
		p->b = v3_madd(v3_sub(p->a, m->d), m->s->n, gap);
	} else {
		p->b = cn_place_turn(m->pb, m->b->core.vertices[m->on_b.top]);
		p->a = v3_madd(v3_add(p->b, m->d), m->s->n, -gap);
	}
	p->gap = gap;
	p->feature = (uint64_t)fa << 32 | fb;
	out->count = 1;
	return true;
}

bool cn_contact_boxes(const cn_convex_pair *pair, const cn_separation *s, double slab, double *gap, cn_contact_set *out)
{
	const cn_convex *a = pair->a, *b = pair->b;
	const cn_place *pa = pair->pa, *pb = pair->pb;
	meeting m = {.a = a, .b = b, .pa = pa, .pb = pb, .s = s, .d = v3_sub(pb->x, pa->x)};
	m.rounding = cn_contact_rounding(a, b, m.d);
	m.merge = cn_contact_merge(a, b) + m.rounding;
	out->low = 0, out->high = INFINITY;
	m.on_a = lie(a, pa, s->n, slab, m.rounding, out);
	m.on_b = lie(b, pb, v3_neg(s->n), slab, m.rounding, out);
	*gap = v3_dot(s->n, m.d) - m.on_a.support - m.on_b.support;
	if (m.on_a.kind == UNCLEAR || m.on_b.kind == UNCLEAR)
		return false;
	if (m.on_a.kind == FACE && m.on_b.kind == FACE) {
		face_on_face(&m, out);
		return true;
	}
	if (m.on_a.kind == VERTEX || m.on_b.kind == VERTEX)
		return vertex_on_any(&m, *gap, out);
	if (m.on_a.kind == EDGE && m.on_b.kind == EDGE)
		return edge_on_edge(&m, out);
	bool swapped = m.on_b.kind == FACE; /* the face is R's */
	double of_face = swapped ? b->size : a->size, of_edge = swapped ? a->size : b->size;
	return of_face <= CN_CONTACT_ALIKE * of_edge && edge_on_face(&m, swapped, out);
}
