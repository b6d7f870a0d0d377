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

static void first_walk(const cn_qp *qp, const uint32_t *island, const cn_qp_impulse *contact, const double *row,
                       const cn_twist *u, parabola *all)
{
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		uint32_t at = island_of(qp, island, c->a, c->b);
		if (at == CN_QP_NONE)
			continue;
		if (c->least > 0)
			all[at].driven = 1;
		if (idle(contact[i]))
			continue;
		cn_qp_frame_to(&f, c->n);
		double before = dot(contact[i], cn_qp_frame_parts(&f, cn_qp_meet(qp, i, qp->u0)));
		double after = dot(contact[i], cn_qp_frame_parts(&f, cn_qp_meet(qp, i, u)));
		all[at].rise += 0.5 * (before + after);
		all[at].first += before;
		all[at].slope += c->eps * after;
		if (contact[i].n > 0 && c->eps > all[at].eps)
			all[at].eps = c->eps;
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *r = &qp->rows[i];
		uint32_t at = island_of(qp, island, r->a, r->b);
		if (at == CN_QP_NONE)
			continue;
		double before = row[i] * cn_qp_row_value(qp, i, qp->u0), after = row[i] * cn_qp_row_value(qp, i, u);
		all[at].rise += 0.5 * (before + after);
		all[at].first += before;
		if (r->low > 0 || r->high < 0)
			all[at].driven = 1;
	}
}

/* The part of the energy that is of second order in f, and what rows add to the slope. d: zeroed. */
static void second_walk(const cn_qp *qp, const uint32_t *island, const cn_qp_impulse *contact, const double *row,
                        const cn_twist *u, parabola *all, cn_twist *d)
{
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		if (!idle(contact[i]) && qp->contacts[i].eps > 0)
			cn_qp_push_contact(qp, i, scale(contact[i], qp->contacts[i].eps), d);
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, island, qp->rows[i].a, qp->rows[i].b);
		if (at == CN_QP_NONE)
			continue;
		cn_qp_push_row(qp, i, row[i] * all[at].eps, d);
		all[at].slope += all[at].eps * (row[i] * cn_qp_row_value(qp, i, u));
	}
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		uint32_t at = island_of(qp, island, c->a, c->b);
		if (at == CN_QP_NONE || idle(contact[i]) || !(c->eps > 0))
			continue;
		cn_qp_frame_to(&f, c->n);
		all[at].bend += 0.5 * c->eps * dot(contact[i], cn_qp_frame_parts(&f, cn_qp_meet(qp, i, d)));
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, island, qp->rows[i].a, qp->rows[i].b);
		if (at != CN_QP_NONE)
			all[at].bend += 0.5 * all[at].eps * (row[i] * cn_qp_row_value(qp, i, d));
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

void cn_qp_bounce(const cn_qp *qp, const uint32_t *island, bool bounce, cn_qp_impulse *contact, double *row,
                  cn_twist *u, double *scratch)
{
	if (qp->body_count == 0)
		return;
	parabola *all = (parabola *)scratch;
	cn_twist *d = (cn_twist *)(scratch + (size_t)6 * qp->body_count);
	memset(scratch, 0, (size_t)12 * qp->body_count * sizeof *scratch);
	first_walk(qp, island, contact, row, u, all);
	if (bounce)
		second_walk(qp, island, contact, row, u, all, d);
	bool changed = false;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		uint32_t at = island_of(qp, island, qp->contacts[i].a, qp->contacts[i].b);
		if (at == CN_QP_NONE)
			continue;
		double f = reduction(&all[at]);
		if (bounce && f == 1)
			f = 1 + share(&all[at]) * qp->contacts[i].eps;
		changed = changed || f != 1;
		contact[i] = scale(contact[i], f);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		uint32_t at = island_of(qp, island, qp->rows[i].a, qp->rows[i].b);
		if (at == CN_QP_NONE)
			continue;
		double f = reduction(&all[at]);
		if (bounce && f == 1)
			f = 1 + share(&all[at]) * all[at].eps;
		changed = changed || f != 1;
		row[i] *= f;
	}
	if (changed)
		cn_qp_apply(qp, contact, row, u);
}
