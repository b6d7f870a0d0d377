/* The direct solve of the small solver. Once it is known which contacts push, which of them stick and which joint rows
 * are at which bound, what remains are equations j x = want over those rows. They may depend on each other, as four
 * corners of a face do, so they are solved in the sense of least squares: with weights w = 1 / (j.j) and d small
 *
 *     H = d I + sum w j j',   H step = sum w j lack,   H z = step,   y += w j.z
 *
 * which moves x by sum w j (j.z) = step - d z: the smallest change of impulses that gives each row what it lacks. Rows
 * that contradict each other get what is nearest. H is in bodies, six rows each, and is factored in its envelope in the
 * order of the bodies: a column of n costs n small blocks.
 *
 * A row of softness c has an unknown of its own, of weight c, that is eliminated: its weight in H is w d / (d + w c).
 *
 * Where rows depend on each other many impulses give the same motion, and the nearest ones may be outside their cones.
 * They are put back and the equations solved again with the same factor, to and fro: that finds impulses inside the
 * cones where there are any. Friction of contacts that slide is stepped along in between. */
#ifndef CN_QP_SMALL_KERNEL_DIRECT_H
#define CN_QP_SMALL_KERNEL_DIRECT_H

#include "num/qp_small_kernel_matrix.h"
#include "num/qp_small_kernel_sweep.h"

#include <string.h>

#define CN_SMALL_DIRECT_ROUNDS 30 /* with one factor; an arch takes as many */
#define CN_SMALL_DIRECT_GAIN 0.97 /* a round that leaves more than this share of what was missing is the last */

/* The weight of row k of a contact, 0 where it is no equation. */
static double weight_of(const cn_small_run *run, uint32_t i, int k)
{
	const cn_small_touch *t = &run->memory->touch[i];
	uint8_t state = run->memory->touch_state[i];
	if (t->per_n == 0 || !(state & CN_SMALL_PUSHES))
		return 0;
	return k == 0 ? t->per_n : state & CN_SMALL_STICKS ? t->per_t : 0;
}

static double bond_weight(const cn_small_run *run, uint32_t i)
{
	const cn_small_bond *b = &run->memory->bond[i];
	if (!run->memory->bond_state[i])
		return 0;
	return b->soft > 0 ? b->per * CN_SMALL_DIRECT_SOFT / (CN_SMALL_DIRECT_SOFT + b->per * b->soft) : b->per;
}

static void add_rows(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		for (int k = 0; k < 3; ++k) {
			double w = weight_of(run, i, k);
			if (w > 0)
				add_long_row(run, (long_row){t->a, t->b, t->j[k], &t->far, (uint32_t)k}, w);
		}
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		double w = bond_weight(run, i);
		if (w > 0)
			add_long_row(run, (long_row){s->bond[i].a, s->bond[i].b, s->bond[i].j, &s->bond[i].far, 0}, w);
	}
}

/* What is missing, and the right side; returns the largest. */
static double find_lacks(const cn_small_run *run, double *right)
{
	const cn_small *s = run->memory;
	double most = 0;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		double w[3] = {weight_of(run, i, 0), weight_of(run, i, 1), weight_of(run, i, 2)};
		if (w[0] == 0) /* then the others are too */
			continue;
		cn_small_pair u = cn_small_get(s->x, t->a, t->b), to = cn_small_get(right, t->a, t->b);
		for (int k = 0; k < 3 && w[k] != 0; ++k) {
			double lack = t->want[k] - cn_small_value(t->j[k], &u, &t->far, (uint32_t)k, s->x);
			most = fabs(lack) > most ? fabs(lack) : most;
			cn_small_push(t->j[k], w[k] * lack, &to);
			cn_small_push_far(&t->far, (uint32_t)k, w[k] * lack, right);
		}
		cn_small_put(right, t->a, t->b, &to);
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		cn_small_bond *b = &s->bond[i];
		double w = bond_weight(run, i);
		if (w == 0)
			continue;
		cn_small_pair u = cn_small_get(s->x, b->a, b->b), to = cn_small_get(right, b->a, b->b);
		double lack =
			(s->bond_state[i] == CN_SMALL_LOW ? b->low : b->high) - cn_small_value(b->j, &u, &b->far, 0, s->x);
		if (b->soft > 0)
			lack -= b->soft * run->row[i];
		b->lack = lack;
		most = fabs(lack) > most ? fabs(lack) : most;
		cn_small_push(b->j, w * lack, &to);
		cn_small_put(right, b->a, b->b, &to);
		cn_small_push_far(&b->far, 0, w * lack, right);
	}
	return most;
}

/* Between the two solves: what soft rows add to their multipliers by their own unknowns, taken off the right side. */
static void yield(const cn_small_run *run, double *step)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		cn_small_bond *b = &s->bond[i];
		if (!(b->soft > 0) || bond_weight(run, i) == 0)
			continue;
		cn_small_pair u = cn_small_get(step, b->a, b->b);
		double own = CN_SMALL_DIRECT_SOFT + b->per * b->soft, share = b->per / own;
		b->more = share * share * b->soft * (b->lack - cn_small_value(b->j, &u, &b->far, 0, step));
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		if (!(b->soft > 0) || bond_weight(run, i) == 0)
			continue;
		cn_small_pair to = cn_small_get(step, b->a, b->b);
		cn_small_push(b->j, -b->more, &to);
		cn_small_put(step, b->a, b->b, &to);
		cn_small_push_far(&b->far, 0, -b->more, step);
	}
}

/* y += w j.z */
static void go_on(const cn_small_run *run, const double *z)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		double *y[3] = {&run->y[i].n, &run->y[i].s, &run->y[i].t};
		if (weight_of(run, i, 0) == 0)
			continue;
		cn_small_pair u = cn_small_get(z, t->a, t->b);
		for (int k = 0; k < 3; ++k) {
			double w = weight_of(run, i, k);
			if (w > 0)
				*y[k] += w * cn_small_value(t->j[k], &u, &t->far, (uint32_t)k, z);
		}
	}
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		double w = bond_weight(run, i);
		cn_small_pair u = cn_small_get(z, b->a, b->b);
		if (w > 0)
			run->row[i] += w * cn_small_value(b->j, &u, &b->far, 0, z) + (b->soft > 0 ? b->more : 0);
	}
}

/* Impulses back to what is allowed. */
static void allow(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		cn_qp_impulse *y = &run->y[i];
		double size2 = y->s * y->s + y->t * y->t;
		if (s->touch_state[i] == CN_SMALL_PUSHES && y->n > 0 && size2 > 0) { /* slides: at the edge */
			double f = s->touch[i].mu * y->n / sqrt(size2);
			y->s *= f, y->t *= f;
		}
	}
	cn_small_admit(run->qp, run->y);
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		bool wrong = s->bond_state[i] == CN_SMALL_LOW ? run->row[i] < 0 : run->row[i] > 0;
		if (wrong && b->low < b->high)
			run->row[i] = 0;
	}
}

static void solve_directly(const cn_small_run *run, double enough)
{
	cn_small *s = run->memory;
	cn_small_matrix *m = &s->matrix;
	uint32_t bodies = s->seats, rows = 6 * bodies;
	size_t whole = m->at[bodies - 1] + (size_t)36 * (bodies - m->first[bodies - 1]);
	double last = INFINITY;
	memset(m->value, 0, whole * sizeof *m->value);
	add_rows(run);
	for (uint32_t i = 0; i < rows; ++i)
		row_start(m, i)[i - 6 * m->first[i / 6]] += CN_SMALL_DIRECT_SOFT;
	factor(m, bodies);
	for (int k = 0; k < CN_SMALL_DIRECT_ROUNDS; ++k) {
		memset(m->x, 0, ((size_t)rows + 6) * sizeof *m->x);
		slide_all(run);
		double lack = find_lacks(run, m->x);
		if (!(lack > enough) || !(lack < CN_SMALL_DIRECT_GAIN * last))
			break;
		last = lack;
		solve(m, bodies, m->x);
		memset(m->x + rows, 0, 6 * sizeof *m->x);
		yield(run, m->x);
		solve(m, bodies, m->x);
		memset(m->x + rows, 0, 6 * sizeof *m->x);
		go_on(run, m->x);
		allow(run);
		sum_up(run);
	}
}

#endif
