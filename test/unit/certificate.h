/* How convincing a certificate of infeasibility is: multipliers with the right signs, J'y = 0 up to rounding, and a positive
 * value of sum y.rhs. */
#ifndef CERTIFICATE_H
#define CERTIFICATE_H

#include "num/qp.h"

#include <float.h>

/* J'y of one body. */
static inline cn_twist certificate_sum(const cn_qp *qp, const cn_qp_solution *solution, uint32_t body)
{
	cn_twist sum = {v3_zero(), v3_zero()};
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		double y = solution->contact[i].n;
		if (c->a == body)
			sum = (cn_twist){v3_madd(sum.v, c->n, -y), v3_madd(sum.w, v3_cross(c->n, c->ra), y)};
		if (c->b == body)
			sum = (cn_twist){v3_madd(sum.v, c->n, y), v3_madd(sum.w, v3_cross(c->rb, c->n), y)};
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *r = &qp->rows[i];
		if (r->a == body)
			sum = (cn_twist){v3_madd(sum.v, r->ja.v, solution->row[i]), v3_madd(sum.w, r->ja.w, solution->row[i])};
		if (r->b == body)
			sum = (cn_twist){v3_madd(sum.v, r->jb.v, solution->row[i]), v3_madd(sum.w, r->jb.w, solution->row[i])};
	}
	return sum;
}

/* The value divided by (|J'y| x the largest twist that a feasible point could need + rounding): above 1 it is a proof for
 * all |u| <= reach. 0: it is no certificate. */
static inline double certificate(const cn_qp *qp, const cn_qp_solution *solution, double reach)
{
	double value = 0, size = 0, loss = 0;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		cn_qp_impulse y = solution->contact[i];
		if (!(y.n >= 0) || y.s != 0 || y.t != 0)
			return 0;
		value += y.n * qp->contacts[i].least;
		size += fabs(y.n * qp->contacts[i].least);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		double y = solution->row[i], bound = y >= 0 ? qp->rows[i].low : qp->rows[i].high;
		if (y != 0 && !(isfinite(bound) && isfinite(y)))
			return 0;
		value += y != 0 ? y * bound : 0;
		size += y != 0 ? fabs(y * bound) : 0;
	}
	for (uint32_t b = 0; b < qp->body_count; ++b) {
		cn_twist g = certificate_sum(qp, solution, b), u = qp->u0[b];
		double given[6] = {g.v.x * u.v.x, g.v.y * u.v.y, g.v.z * u.v.z, g.w.x * u.w.x, g.w.y * u.w.y, g.w.z * u.w.z};
		if (qp->bodies[b].inv_mass > 0)
			loss += reach * (fabs(g.v.x) + fabs(g.v.y) + fabs(g.v.z) + fabs(g.w.x) + fabs(g.w.y) + fabs(g.w.z));
		else /* its motion is given: it counts with the right-hand sides */
			for (int i = 0; i < 6; ++i)
				value -= given[i], size += fabs(given[i]);
	}
	double rounding = loss + 64 * DBL_EPSILON * size;
	return value > 0 ? value / (rounding > 0 ? rounding : DBL_MIN) : 0;
}

#endif
