/* Turns of rows and bodies in the small solver.
 *
 * Where many contacts slide nobody knows which rows are equations. There rows and bodies take turns (alternating
 * directions): with every row counted by the same weights w, r x - want = z the speeds that rows are left with,
 *
 *     (I + sum w j j') x = sum j (y + w (want + z)),   y' = P(y - w (j x - want)),   z' = j x - want + (y' - y) / w
 *
 * where P takes an impulse to what is allowed. One factor serves all turns, a turn costs about a sweep, and it carries what
 * a contact does to the other end of the island at once. */
#ifndef CN_QP_SMALL_KERNEL_TURNS_H
#define CN_QP_SMALL_KERNEL_TURNS_H

#include "num/qp_small_kernel_matrix.h"
#include "num/qp_small_kernel_sweep.h"

#include <string.h>

#define CN_SMALL_TURNS_WEIGHT                                                                                          \
	5.0 /* / a row's response: w; a larger one is quicker from a good start and slower from a bad one */
#define CN_SMALL_TURNS_RELAX 1.6 /* of what a turn finds: beyond it, as is usual */

/* The speeds that rows are left with, beside what is wanted: 0 where they push. */
static void begin_turns(const cn_small_run *run, double *z)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i, z += 3) {
		const cn_small_touch *t = &s->touch[i];
		cn_small_pair u = cn_small_get(s->x, t->a, t->b);
		bool pushes = run->y[i].n > 0, sticks = s->touch_state[i] & CN_SMALL_STICKS;
		double spare = cn_small_value(t->j[0], &u, &t->far, 0, s->x) - t->want[0];
		z[0] = pushes || spare < 0 ? 0 : spare;
		for (int k = 1; k < 3; ++k)
			z[k] = pushes && sticks ? 0 : cn_small_value(t->j[k], &u, &t->far, (uint32_t)k, s->x) - t->want[k];
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		cn_small_pair u = cn_small_get(s->x, b->a, b->b);
		double value = cn_small_value(b->j, &u, &b->far, 0, s->x);
		*z++ = value < b->low ? b->low : value > b->high ? b->high : value;
	}
}

/* A contact's turn; z: its three numbers. */
static inline void turn_contact(const cn_small_touch *t, const double *x, cn_qp_impulse *y, double *z)
{
	cn_small_pair u = cn_small_get(x, t->a, t->b);
	double wn = CN_SMALL_TURNS_WEIGHT * t->per_n, wt = CN_SMALL_TURNS_WEIGHT * t->per_t, more = CN_SMALL_TURNS_RELAX;
	double n = more * (cn_small_value(t->j[0], &u, &t->far, 0, x) - t->want[0]) + (1 - more) * z[0];
	double s = more * (cn_small_value(t->j[1], &u, &t->far, 1, x) - t->want[1]) + (1 - more) * z[1];
	double q = more * (cn_small_value(t->j[2], &u, &t->far, 2, x) - t->want[2]) + (1 - more) * z[2];
	cn_qp_impulse to = {y->n - wn * n, 0, 0};
	to.n = to.n > 0 ? to.n : 0;
	if (t->mu > 0 && wt > 0) {
		double limit = t->mu * to.n, size2;
		to.s = y->s - wt * s, to.t = y->t - wt * q;
		size2 = to.s * to.s + to.t * to.t;
		if (size2 > limit * limit) {
			double f = limit > 0 ? limit / sqrt(size2) : 0;
			to.s *= f, to.t *= f;
		}
		z[1] = s + (to.s - y->s) / wt, z[2] = q + (to.t - y->t) / wt;
	}
	z[0] = n + (to.n - y->n) / wn;
	*y = to;
}

static inline void turn_bond(const cn_small_bond *b, const double *x, double *y, double *z)
{
	cn_small_pair u = cn_small_get(x, b->a, b->b);
	double w = CN_SMALL_TURNS_WEIGHT * b->per, value = cn_small_value(b->j, &u, &b->far, 0, x);
	value = CN_SMALL_TURNS_RELAX * value + (1 - CN_SMALL_TURNS_RELAX) * *z;
	double up = *y + (b->low - value) * w, down = *y + (b->high - value) * w, to = up > 0 ? up : down < 0 ? down : 0;
	*z = value + (to - *y) / w;
	*y = to;
}

/* Every row takes its turn at m->x, unless it is the first time, and pushes for the next one. */
static void turn_rows(const cn_small_run *run, double *z, double *right, bool first)
{
	const cn_small *s = run->memory;
	const double w = CN_SMALL_TURNS_WEIGHT;
	memset(right, 0, ((size_t)6 * s->seats + 6) * sizeof *right);
	for (uint32_t i = 0; i < run->qp->contact_count; ++i, z += 3) {
		const cn_small_touch *t = &s->touch[i];
		cn_qp_impulse *y = &run->y[i];
		if (t->per_n == 0)
			continue;
		if (!first)
			turn_contact(t, s->x, y, z);
		cn_small_pair to = cn_small_get(right, t->a, t->b);
		double push[3] = {y->n + w * t->per_n * (z[0] + t->want[0]), y->s + w * t->per_t * (z[1] + t->want[1]),
		                  y->t + w * t->per_t * (z[2] + t->want[2])};
		for (uint32_t k = 0; k < 3 && (k == 0 || (t->mu > 0 && t->per_t > 0)); ++k) {
			cn_small_push(t->j[k], push[k], &to);
			cn_small_push_far(&t->far, k, push[k], right);
		}
		cn_small_put(right, t->a, t->b, &to);
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i, ++z) {
		const cn_small_bond *b = &s->bond[i];
		if (b->per == 0)
			continue;
		if (!first)
			turn_bond(b, s->x, &run->row[i], z);
		cn_small_pair to = cn_small_get(right, b->a, b->b);
		cn_small_push(b->j, run->row[i] + w * b->per * *z, &to);
		cn_small_put(right, b->a, b->b, &to);
		cn_small_push_far(&b->far, 0, run->row[i] + w * b->per * *z, right);
	}
}

static void turns_begin(const cn_small_run *run)
{
	cn_small *s = run->memory;
	cn_small_matrix *m = &s->matrix;
	uint32_t bodies = s->seats;
	const double w = CN_SMALL_TURNS_WEIGHT;
	size_t whole = m->at[bodies - 1] + (size_t)36 * (bodies - m->first[bodies - 1]);
	memset(m->value, 0, whole * sizeof *m->value);
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		for (int k = 0; k < 3 && t->per_n > 0; ++k)
			if (k == 0 || t->mu > 0)
				add_long_row(run, (long_row){t->a, t->b, t->j[k], &t->far, (uint32_t)k}, w * (k ? t->per_t : t->per_n));
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		add_long_row(run, (long_row){s->bond[i].a, s->bond[i].b, s->bond[i].j, &s->bond[i].far, 0}, w * s->bond[i].per);
	for (uint32_t i = 0; i < 6 * bodies; ++i)
		row_start(m, i)[i - 6 * m->first[i / 6]] += 1;
	factor(m, bodies);
}

static void take_turns(const cn_small_run *run, uint32_t turns)
{
	cn_small *s = run->memory;
	uint32_t bodies = s->seats;
	begin_turns(run, s->turns);
	turn_rows(run, s->turns, s->matrix.x, true);
	for (uint32_t k = 0; k < turns; ++k) {
		solve(&s->matrix, bodies, s->matrix.x);
		memcpy(s->x, s->matrix.x, 6 * (size_t)bodies * sizeof *s->x);
		memset(s->x + 6 * (size_t)bodies, 0, 6 * sizeof *s->x);
		turn_rows(run, s->turns, s->matrix.x, false);
	}
	sum_up(run);
}

#endif
