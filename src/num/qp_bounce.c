/* See qp_bounce.h. With d = M^-1 J'(eps p) the kinetic energy of an island after p (1 + f eps) is
 *
 *     T(f) = T(u) + f c + f^2 q,   c = sum eps p.(J u),   q = 1/2 sum eps p.(J d),   T(u) - T(u0) = 1/2 sum p.J(u0 + u)
 *
 * so one walk over the rows gives the parabola of every island, and no inertia has to be inverted. With bodies that move
 * though they cannot be moved the same sums are the energy less the work that these do. */
#include "num/qp_bounce.h"

#include <string.h>

typedef struct parabola {
	double rise, slope, bend; /* T(u) - T(u0), c, q */
	double first, eps;        /* p.J u0; the largest restitution of a contact that pushes */
	double driven;
	double whole, of_eps; /* what its impulses are multiplied by in the end: whole + of_eps eps */
} parabola;

static double dot(cn_qp_impulse y, cn_qp_impulse v) { return y.n * v.n + y.s * v.s + y.t * v.t; }
static bool idle(cn_qp_impulse y) { return y.n == 0 && y.s == 0 && y.t == 0; }
static cn_qp_impulse scale(cn_qp_impulse y, double f) { return (cn_qp_impulse){y.n * f, y.s * f, y.t * f}; }
static bool moves(const cn_qp *qp, uint32_t body) { return body != CN_QP_NONE && qp->bodies[body].inv_mass > 0; }

/* The island of a row; CN_QP_NONE where nothing of it can move. */
static uint32_t island_of(const cn_qp *qp, const uint32_t *island, uint32_t a, uint32_t b)
{
	return moves(qp, a) ? island[a] : moves(qp, b) ? island[b] : CN_QP_NONE;
}

enum { CONTACTS = 1024 }; /* of a chunk */

/* What the walks need to know of a contact. */
typedef struct point {
	double before, after; /* p.J u0, p.J u; then after alone: eps p.J d */
	double eps;
	uint32_t island;
	bool idle, driven;
} point;
static_assert(sizeof(parabola) == 8 * sizeof(double) && sizeof(cn_twist) == 6 * sizeof(double) &&
                  sizeof(point) == 4 * sizeof(double),
              "scratch");

typedef struct bounce_task {
	const cn_qp *qp;
	const uint32_t *island;
	cn_qp_impulse *contact;
	double *row;
	cn_twist *u, *d;
	parabola *all;
	point *points;
	const cn_qp_share *share;
	bool bounce;
} bounce_task;

/* Chunks of contacts, on all threads. */
static void each_chunk(bounce_task *t, void (*task)(void *context, uint32_t chunk))
{
	uint32_t count = t->qp->contact_count;
	cn_qp_share_run(t->share, count / CONTACTS + (count % CONTACTS != 0), task, t);
}

static void first_points(void *context, uint32_t chunk)
{
	const bounce_task *t = context;
	const cn_qp *qp = t->qp;
	cn_qp_frame f = {0};
	for (uint32_t i = chunk * CONTACTS; i < cn_pool_end(chunk, CONTACTS, t->qp->contact_count); ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		cn_qp_impulse y = t->contact[i];
		point p = {
			.eps = c->eps, .island = island_of(qp, t->island, c->a, c->b), .idle = idle(y), .driven = c->least > 0};
		if (p.island != CN_QP_NONE && !p.idle) {
			cn_qp_frame_to(&f, c->n);
			p.before = dot(y, cn_qp_frame_parts(&f, cn_qp_meet(qp, i, qp->u0)));
			p.after = dot(y, cn_qp_frame_parts(&f, cn_qp_meet(qp, i, t->u)));
		}
		t->points[i] = p;
	}
}

static void first_walk(bounce_task *t)
{
	const cn_qp *qp = t->qp;
	parabola *all = t->all;
	each_chunk(t, first_points);
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const point *p = &t->points[i];
		uint32_t at = p->island;
		if (at == CN_QP_NONE)
			continue;
		if (p->driven)
			all[at].driven = 1;
		if (p->idle)
			continue;
		all[at].rise += 0.5 * (p->before + p->after);
		all[at].first += p->before;
		all[at].slope += p->eps * p->after;
		if (t->contact[i].n > 0 && p->eps > all[at].eps)
			all[at].eps = p->eps;
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *r = &qp->rows[i];
		uint32_t at = island_of(qp, t->island, r->a, r->b);
		if (at == CN_QP_NONE)
			continue;
		double before = t->row[i] * cn_qp_row_value(qp, i, qp->u0), after = t->row[i] * cn_qp_row_value(qp, i, t->u);
		all[at].rise += 0.5 * (before + after);
		all[at].first += before;
		if (r->low > 0 || r->high < 0)
			all[at].driven = 1;
	}
}

/* What the contacts' restitution gives to the bodies of a region. */
static void push_region(void *context, uint32_t number)
{
	const bounce_task *t = context;
	const cn_qp *qp = t->qp;
	const cn_qp_share *s = cn_qp_share_regions(t->share) > 1 ? t->share : NULL;
	cn_qp_frame f = {0};
	for (uint32_t i = 0; s && i < qp->body_count; ++i)
		if (s->region[i] == number)
			s->sum[s->place[i]] = (cn_twist){{0, 0, 0}, {0, 0, 0}};
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		if (t->points[i].idle || !(t->points[i].eps > 0))
			continue;
		bool a = c->a != CN_QP_NONE && (!s || s->region[c->a] == number);
		bool b = c->b != CN_QP_NONE && (!s || s->region[c->b] == number);
		if (!a && !b)
			continue;
		cn_qp_impulse y = scale(t->contact[i], c->eps);
		v3 impulse = v3_scale(c->n, y.n);
		if (y.s != 0 || y.t != 0) {
			cn_qp_frame_to(&f, c->n);
			impulse = v3_madd(v3_madd(impulse, f.s, y.s), f.t, y.t);
		}
		if (a)
			cn_qp_push(&qp->bodies[c->a], v3_neg(impulse), v3_cross(impulse, c->ra),
			           s ? &s->sum[s->place[c->a]] : &t->d[c->a]);
		if (b)
			cn_qp_push(&qp->bodies[c->b], impulse, v3_cross(c->rb, impulse), s ? &s->sum[s->place[c->b]] : &t->d[c->b]);
	}
}

static void push_all(bounce_task *t)
{
	uint32_t regions = cn_qp_share_regions(t->share);
	cn_qp_share_run(t->share, regions, push_region, t);
	for (uint32_t i = 0; regions > 1 && i < t->qp->body_count; ++i)
		t->d[i] = t->share->sum[t->share->place[i]];
}

static void second_points(void *context, uint32_t chunk)
{
	const bounce_task *t = context;
	cn_qp_frame f = {0};
	for (uint32_t i = chunk * CONTACTS; i < cn_pool_end(chunk, CONTACTS, t->qp->contact_count); ++i) {
		point *p = &t->points[i];
		if (p->island == CN_QP_NONE || p->idle || !(p->eps > 0))
			continue;
		cn_qp_frame_to(&f, t->qp->contacts[i].n);
		p->after = dot(t->contact[i], cn_qp_frame_parts(&f, cn_qp_meet(t->qp, i, t->d)));
	}
}

/* The part of the energy that is of second order in f, and what rows add to the slope. d: zeroed. */
static void second_walk(bounce_task *t)
{
	const cn_qp *qp = t->qp;
	parabola *all = t->all;
	push_all(t);
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, t->island, qp->rows[i].a, qp->rows[i].b);
		if (at == CN_QP_NONE)
			continue;
		cn_qp_push_row(qp, i, t->row[i] * all[at].eps, t->d);
		all[at].slope += all[at].eps * (t->row[i] * cn_qp_row_value(qp, i, t->u));
	}
	each_chunk(t, second_points);
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const point *p = &t->points[i];
		if (p->island != CN_QP_NONE && !p->idle && p->eps > 0)
			all[p->island].bend += 0.5 * p->eps * p->after;
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, t->island, qp->rows[i].a, qp->rows[i].b);
		if (at != CN_QP_NONE)
			all[at].bend += 0.5 * all[at].eps * (t->row[i] * cn_qp_row_value(qp, i, t->d));
	}
}

/* What p is multiplied by, before (1 + f eps): below 1 only where p itself raises the energy. T(g) - T(u0) is
 * g p.J u0 + g^2 (rise - p.J u0). */
static double reduction(const parabola *p)
{
	if (p->driven > 0 || p->rise <= 0)
		return 1;
	double bend = p->rise - p->first;
	return p->first < 0 && bend > 0 ? -p->first / bend : 0;
}

/* The largest f in [0, 1] with rise + f slope + f^2 bend <= 0, where rise <= 0. */
static double share(const parabola *p)
{
	if (p->driven > 0 || p->rise + p->slope + p->bend <= 0)
		return 1;
	if (!(p->rise <= 0))
		return 0;
	double under = p->slope * p->slope - 4 * p->bend * p->rise;
	if (!(p->bend > 0) || !(under > 0))
		return 0;
	/* The larger root, written without cancellation. */
	double root = sqrt(under), f = p->slope > 0 ? -2 * p->rise / (p->slope + root) : (root - p->slope) / (2 * p->bend);
	return f < 0 ? 0 : f > 1 ? 1 : f;
}

static void find_factors(const bounce_task *t)
{
	for (uint32_t i = 0; i < t->qp->body_count; ++i) {
		if (t->island[i] != i)
			continue;
		double f = reduction(&t->all[i]);
		t->all[i].of_eps = t->bounce && f == 1 ? share(&t->all[i]) : 0;
		t->all[i].whole = f;
	}
}

/* point.driven: it has changed. */
static void scale_points(void *context, uint32_t chunk)
{
	const bounce_task *t = context;
	for (uint32_t i = chunk * CONTACTS; i < cn_pool_end(chunk, CONTACTS, t->qp->contact_count); ++i) {
		point *p = &t->points[i];
		p->driven = false;
		if (p->island == CN_QP_NONE)
			continue;
		double f = t->all[p->island].whole + t->all[p->island].of_eps * p->eps;
		p->driven = f != 1;
		t->contact[i] = scale(t->contact[i], f);
	}
}

void cn_qp_bounce(const cn_qp *qp, const uint32_t *island, bool bounce, cn_qp_impulse *contact, double *row,
                  cn_twist *u, double *scratch, const cn_qp_share *share)
{
	if (qp->body_count == 0)
		return;
	double *d = scratch + (size_t)8 * qp->body_count, *points = d + (size_t)6 * qp->body_count;
	bounce_task t = {qp,    island, contact, row, u, (cn_twist *)d, (parabola *)scratch, (point *)(void *)points,
	                 share, bounce};
	bool changed = false;
	memset(scratch, 0, (size_t)14 * qp->body_count * sizeof *scratch);
	first_walk(&t);
	if (bounce)
		second_walk(&t);
	find_factors(&t);
	each_chunk(&t, scale_points);
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		changed = changed || t.points[i].driven;
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, island, qp->rows[i].a, qp->rows[i].b);
		if (at == CN_QP_NONE)
			continue;
		double f = t.all[at].whole + t.all[at].of_eps * t.all[at].eps;
		changed = changed || f != 1;
		row[i] *= f;
	}
	if (changed)
		cn_qp_apply_shared(qp, contact, row, u, share);
}
