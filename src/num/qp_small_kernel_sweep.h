/* The sweeps of the small solver. Each takes every joint row to its nearest allowed value and every contact first along
 * its normal, then along its tangents with one common step, so that where it slides the impulse opposes the sliding
 * exactly: the fixed points are those of Coulomb's law with the round cone. All three speeds of a contact are measured
 * at once; what the normal's step does to the tangents is added from the rows' products. */
#ifndef CN_QP_SMALL_KERNEL_SWEEP_H
#define CN_QP_SMALL_KERNEL_SWEEP_H

#include "num/lanes.h"
#include "num/qp_small_lanes.h"

static inline double larger(double a, double b) { return a > b ? a : b; }

/* The largest changes so far; that of tangents squared. */
typedef struct change {
	double row, tangent2;
} change;

static inline void sweep_row(const cn_small_run *run, uint32_t i, bool stepping, change *most)
{
	const cn_small_bond *k = &run->memory->bond[i];
	if (k->per == 0)
		return;
	double *x = run->memory->x;
	cn_small_pair u = cn_small_get(x, k->a, k->b);
	double value = cn_small_value(k->j, &u, &k->far, 0, x), y = run->row[i];
	if (k->soft > 0)
		value += k->soft * y;
	double up = y + (k->low - value) * k->per, down = y + (k->high - value) * k->per;
	double to = up > 0 ? up : down < 0 ? down : 0, step = to - y;
	most->row = larger(most->row, fabs(step) * k->size);
	if (!stepping)
		return;
	cn_small_push(k->j, step, &u);
	cn_small_put(x, k->a, k->b, &u);
	cn_small_push_far(&k->far, 0, step, x);
	run->row[i] = to;
	run->memory->bond_state[i] = to > 0 ? CN_SMALL_LOW : to < 0 ? CN_SMALL_HIGH : 0;
}

/* Whether a contact only says what it would change, steps, or steps along its tangents. */
typedef enum sweep_mode { ASK, STEP, SLIDE } sweep_mode;

CN_LANES_INLINE void sweep_contact(const cn_small_run *run, uint32_t i, sweep_mode mode, change *most)
{
	const cn_small_touch *t = &run->memory->touch[i];
	if (t->per_n == 0)
		return;
	double *x = run->memory->x;
	cn_small_pair u = cn_small_get(x, t->a, t->b);
	double vn = mode == SLIDE ? 0 : cn_small_value(t->j[0], &u, &t->far, 0, x);
	double vs = cn_small_value(t->j[1], &u, &t->far, 1, x), vt = cn_small_value(t->j[2], &u, &t->far, 2, x);
	cn_qp_impulse y = run->y[i], to = {y.n + (t->want[0] - vn) * t->per_n, 0, 0};
	to.n = to.n > 0 ? to.n : 0;
	double dn = to.n - y.n;
	most->row = larger(most->row, fabs(dn) * t->size[0]);
	if (mode != STEP)
		to.n = y.n, dn = 0;
	uint8_t state = to.n > 0 ? CN_SMALL_PUSHES : 0;
	if (t->mu > 0 && t->per_t > 0) {
		double limit = t->mu * to.n;
		to.s = y.s + (t->want[1] - (vs + t->ns * dn)) * t->per_t;
		to.t = y.t + (t->want[2] - (vt + t->nt * dn)) * t->per_t;
		double size2 = to.s * to.s + to.t * to.t;
		if (size2 > limit * limit) {
			double f = limit > 0 ? limit / sqrt(size2) : 0;
			to.s *= f, to.t *= f;
		} else
			state |= CN_SMALL_STICKS;
	}
	double ds = to.s - y.s, dt = to.t - y.t;
	most->tangent2 = larger(most->tangent2, (ds * ds + dt * dt) * (t->most * t->most));
	if (mode == ASK)
		return;
	if (dn != 0 || ds != 0 || dt != 0) { /* else it neither pushed nor pushes */
		cn_small_push_contact(t, (cn_qp_impulse){dn, ds, dt}, &u);
		cn_small_put(x, t->a, t->b, &u);
		cn_small_push_contact_far(t, (cn_qp_impulse){dn, ds, dt}, x);
	}
	run->y[i] = to;
	if (mode == STEP)
		run->memory->touch_state[i] = state;
}

static double sweep_all(const cn_small_run *run, bool back)
{
	change most = {0, 0};
	uint32_t contacts = run->qp->contact_count, rows = run->qp->row_count;
	for (uint32_t i = 0; i < rows && !back; ++i)
		sweep_row(run, i, true, &most);
	for (uint32_t i = 0; i < contacts; ++i)
		sweep_contact(run, back ? contacts - 1 - i : i, STEP, &most);
	for (uint32_t i = rows; i > 0 && back; --i)
		sweep_row(run, i - 1, true, &most);
	return larger(most.row, sqrt(most.tangent2));
}

static double find_residual(const cn_small_run *run)
{
	change most = {0, 0};
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		sweep_row(run, i, false, &most);
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		sweep_contact(run, i, ASK, &most);
	return larger(most.row, sqrt(most.tangent2));
}

static void slide_all(const cn_small_run *run)
{
	change most = {0, 0};
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		if (run->memory->touch_state[i] == CN_SMALL_PUSHES)
			sweep_contact(run, i, SLIDE, &most);
}

static void sum_up(const cn_small_run *run)
{
	double *x = run->memory->x;
	memset(x, 0, ((size_t)6 * run->memory->seats + 6) * sizeof *x);
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *k = &run->memory->bond[i];
		if (k->per == 0)
			continue;
		cn_small_pair u = cn_small_get(x, k->a, k->b);
		cn_small_push(k->j, run->row[i], &u);
		cn_small_put(x, k->a, k->b, &u);
		cn_small_push_far(&k->far, 0, run->row[i], x);
	}
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &run->memory->touch[i];
		if (run->y[i].n == 0 && run->y[i].s == 0 && run->y[i].t == 0)
			continue;
		cn_small_pair u = cn_small_get(x, t->a, t->b);
		cn_small_push_contact(t, run->y[i], &u);
		cn_small_put(x, t->a, t->b, &u);
		cn_small_push_contact_far(t, run->y[i], x);
	}
}

#endif
