/* Newton's method for the rows that are left once joints are eliminated (qp_small_tree.c). Few they are, and they see each
 * other through the whole figure, so that sweeps settle slowly where contacts slide. All of Coulomb's law is solved at
 * once instead (Alart and Curnier): with A = j j', r = A y - want, a = y - r / size and d the direction of a across n,
 *
 *     pushes    r_n = 0                     otherwise   y_n = 0
 *     sticks    r_t = 0                     slides      y_t = mu y_n d
 *
 * is linearised where y stands, each contact in the case that a has. Such steps may run in circles, so they are taken for
 * a problem that is nearer: r + delta (y - c) / per instead of r, with c where the last one ended (a proximal step). The
 * smaller delta is, the further it leads, and the more easily it fails; delta follows that. */
#include "num/qp_small_lanes.h"

#include <string.h>

#define CN_SMALL_NEWTON_FIRST 1e-9 /* delta at first: most programs need no more than a step or two, ... */
#define CN_SMALL_NEWTON_PROX 1e-3  /* ... and the others begin here */
#define CN_SMALL_NEWTON_ON 0.2     /* x delta after a step that succeeded, down to 1e-10, and ... */
#define CN_SMALL_NEWTON_BACK 5.0   /* ... after one that failed, up to 1 */
#define CN_SMALL_NEWTON_INNER 12   /* linear solves after which it has, ... */
#define CN_SMALL_NEWTON_STUCK 3    /* ... or when so many in a row did not halve the least change before */
#define CN_SMALL_NEWTON_MOST 120   /* linear solves in all */

typedef cn_small_v2 v2;

static void lay_row(double *to, const double *j, uint32_t a, uint32_t b, const cn_small_far *f, uint32_t k)
{
	memcpy(to + (size_t)6 * b, j + 6, 6 * sizeof *to); /* b may be none, which stands last */
	memcpy(to + (size_t)6 * a, j, 6 * sizeof *to);
	for (uint32_t i = 0; i < f->count; ++i)
		memcpy(to + (size_t)6 * f->seat[i], f->j + (size_t)6 * (k * f->count + i), 6 * sizeof *to);
}

bool cn_small_newton_plan(const cn_small_run *run)
{
	cn_small *s = run->memory;
	cn_small_newton *t = &s->newton;
	uint32_t count = 0;
	if (t->planned)
		return t->count > 0;
	t->planned = true;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		count += s->touch[i].per_n > 0 ? 3 : 0;
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		count += s->bond[i].per > 0;
	t->count = s->tree.count > 0 && count <= t->room && s->seats <= t->seats ? count : 0;
	t->stride = count + count % 2;
	if (t->count == 0)
		return false;
	size_t wide = (size_t)6 * s->seats + 6;
	double *to = t->row;
	memset(to, 0, count * wide * sizeof *to);
	uint32_t at = 0;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		for (uint32_t k = 0; k < 3 && s->touch[i].per_n > 0; ++k, ++at) {
			const cn_small_touch *c = &s->touch[i];
			lay_row(to + at * wide, c->j[k], c->a, c->b, &c->far, k);
			t->want[at] = c->want[k], t->per[at] = k && c->per_t > 0 ? c->per_t : c->per_n;
		}
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		if (s->bond[i].per > 0) {
			lay_row(to + at * wide, s->bond[i].j, s->bond[i].a, s->bond[i].b, &s->bond[i].far, 0);
			t->want[at] = 0, t->per[at++] = s->bond[i].per;
		}
	for (uint32_t i = 0; i < count; ++i)
		for (uint32_t k = 0; k <= i; ++k) {
			const v2 *p = (const v2 *)(t->row + i * wide), *q = (const v2 *)(t->row + k * wide);
			v2 sum = {0, 0};
			for (size_t m = 0; m < wide / 2 - 3; ++m)
				sum += p[m] * q[m];
			t->product[(size_t)i * t->stride + k] = t->product[(size_t)k * t->stride + i] = sum[0] + sum[1];
		}
	return true;
}

/* ---- one linear solve */

/* A row of A, of the unknowns that act: times f, added to a row of the matrix. */
static void add_product(const cn_small_newton *t, uint32_t at, uint32_t of, double f)
{
	double *row = t->matrix + (size_t)at * t->stride;
	const double *from = t->product + (size_t)t->acts[of] * t->stride;
	for (uint32_t k = 0; k < t->acting; ++k)
		row[k] += f * from[t->acts[k]];
}

/* The row gets what it lacks. */
static void hold(const cn_small_newton *t, uint32_t at, double soft)
{
	uint32_t i = t->acts[at];
	add_product(t, at, at, t->per[i]);
	t->matrix[(size_t)at * t->stride + at] += t->per[i] * soft + t->delta;
	t->right[at] = t->per[i] * t->lack[i];
}

/* The tangents of a contact that slides, two rows from at on, after its normal. */
static void slide(const cn_small_newton *t, uint32_t at, double mu, double limit)
{
	uint32_t i = t->acts[at];
	double a[2] = {t->y[i] + t->lack[i] * t->per[i], t->y[i + 1] + t->lack[i + 1] * t->per[i]};
	double size = sqrt(a[0] * a[0] + a[1] * a[1]), d[2] = {a[0] / size, a[1] / size}, part = limit / size;
	for (uint32_t k = 0; k < 2; ++k) {
		double *row = t->matrix + (size_t)(at + k) * t->stride;
		for (uint32_t m = 0; m < 2; ++m) {
			double p = part * ((k == m ? 1 : 0) - d[k] * d[m]);
			add_product(t, at + k, at + m, p * t->per[i]);
			row[at + m] += (k == m ? 1 : 0) - p + p * t->delta;
		}
		row[at - 1] -= mu * d[k];
		t->right[at + k] = mu * t->y[i - 1] * d[k] - t->y[i + k];
	}
}

/* What each row lacks at y. */
static void find_lacks(const cn_small_newton *t)
{
	for (uint32_t i = 0; i < t->count; ++i) {
		const v2 *p = (const v2 *)(t->product + (size_t)i * t->stride), *q = (const v2 *)t->y;
		v2 sum = {0, 0};
		for (uint32_t k = 0; k < t->stride / 2; ++k)
			sum += p[k] * q[k];
		t->lack[i] = t->want[i] - (sum[0] + sum[1]) - t->delta * (t->y[i] - t->center[i]) / t->per[i];
	}
}

/* Which of its two bounds a joint row is at, and how far from it. */
static bool at_bound(const cn_small_newton *t, const cn_small_bond *b, uint32_t i, double *lack)
{
	double far = t->lack[i] - (b->soft > 0 ? b->soft * t->y[i] : 0), low = b->low + far, high = b->high + far;
	*lack = t->y[i] + low * b->per > 0 ? low : high;
	return t->y[i] + low * b->per > 0 || t->y[i] + high * b->per < 0;
}

/* Who acts: all others have no multiplier. True: some had one. */
static bool choose(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	cn_small_newton *t = &run->memory->newton;
	uint32_t i = 0;
	bool changed = false;
	t->acting = 0;
	for (uint32_t k = 0; k < run->qp->contact_count; ++k) {
		const cn_small_touch *c = &s->touch[k];
		if (c->per_n == 0)
			continue;
		bool pushes = t->y[i] + t->lack[i] * c->per_n > 0, rubs = pushes && c->mu > 0 && c->per_t > 0;
		for (uint32_t m = 0; m < 3; ++m, ++i)
			if (m ? rubs : pushes)
				t->acts[t->acting++] = i;
			else
				changed |= t->y[i] != 0, t->y[i] = 0;
	}
	for (uint32_t k = 0; k < run->qp->row_count; ++k) {
		double lack;
		if (s->bond[k].per == 0)
			continue;
		if (at_bound(t, &s->bond[k], i, &lack))
			t->acts[t->acting++] = i;
		else
			changed |= t->y[i] != 0, t->y[i] = 0;
		++i;
	}
	return changed;
}

static void build(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	const cn_small_newton *t = &s->newton;
	uint32_t i = 0, at = 0;
	for (uint32_t k = 0; k < t->acting; ++k)
		memset(t->matrix + (size_t)k * t->stride, 0, t->stride * sizeof *t->matrix);
	for (uint32_t k = 0; k < run->qp->contact_count; ++k) {
		const cn_small_touch *c = &s->touch[k];
		if (c->per_n == 0)
			continue;
		if (at < t->acting && t->acts[at] == i) {
			double limit = c->mu * (t->y[i] + t->lack[i] * c->per_n);
			hold(t, at++, 0);
			if (at < t->acting && t->acts[at] == i + 1) {
				double a = t->y[i + 1] + t->lack[i + 1] * c->per_t, b = t->y[i + 2] + t->lack[i + 2] * c->per_t;
				if (a * a + b * b > limit * limit)
					slide(t, at, c->mu, limit > 0 ? limit : 0);
				else
					hold(t, at, 0), hold(t, at + 1, 0);
				at += 2;
			}
		}
		i += 3;
	}
	for (uint32_t k = 0; k < run->qp->row_count; ++k) {
		const cn_small_bond *b = &s->bond[k];
		if (b->per == 0)
			continue;
		if (at < t->acting && t->acts[at] == i) {
			at_bound(t, b, i, &t->lack[i]);
			hold(t, at++, b->soft > 0 ? b->soft : 0);
		}
		++i;
	}
}

/* Linear solves until they change no row by more than enough. False: they do not come to that. */
static bool step(const cn_small_run *run, double enough, uint32_t *solves)
{
	cn_small_newton *t = &run->memory->newton;
	memcpy(t->center, t->y, t->stride * sizeof *t->y);
	double least = INFINITY;
	for (int k = 0, stuck = 0; k < CN_SMALL_NEWTON_INNER && stuck < CN_SMALL_NEWTON_STUCK; ++k) {
		double most = 0;
		bool finite = true;
		++*solves;
		find_lacks(t);
		if (choose(run))
			find_lacks(t);
		build(run);
		run->memory->kernel->eliminate(t);
		for (uint32_t i = 0; i < t->acting; ++i) {
			double change = fabs(t->right[i]) / t->per[t->acts[i]];
			finite &= isfinite(change), most = change > most ? change : most;
			t->y[t->acts[i]] += t->right[i];
		}
		if (!finite)
			break;
		if (most <= enough)
			return true;
		stuck = most < 0.5 * least ? 0 : stuck + 1;
		least = most < least ? most : least;
	}
	memcpy(t->y, t->center, t->stride * sizeof *t->y);
	return false;
}

/* ---- all steps */

static void take_y(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	const cn_small_newton *t = &s->newton;
	double *y = t->y;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		if (s->touch[i].per_n > 0)
			*y++ = run->y[i].n, *y++ = run->y[i].s, *y++ = run->y[i].t;
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		if (s->bond[i].per > 0)
			*y++ = run->row[i];
	if (t->stride > t->count)
		*y = 0;
}

/* Gives y back, what is outside its cone taken in, and finds x. */
static void give_y(const cn_small_run *run)
{
	const cn_small *s = run->memory;
	const double *y = s->newton.y;
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		if (s->touch[i].per_n > 0) {
			run->y[i] = (cn_qp_impulse){y[0], y[1], y[2]};
			y += 3;
		}
	cn_small_admit(run->qp, run->y);
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		if (s->bond[i].per > 0)
			run->row[i] = *y++;
	cn_small_sum(run);
}

double cn_small_newton_solve(const cn_small_run *run, double tolerance)
{
	cn_small_newton *t = &run->memory->newton;
	uint32_t solves = 0;
	double residual = cn_small_residual(run);
	t->delta = CN_SMALL_NEWTON_FIRST;
	take_y(run);
	while (residual > tolerance && solves < CN_SMALL_NEWTON_MOST) {
		bool good = step(run, residual > tolerance ? residual : tolerance, &solves);
		if (good) {
			give_y(run);
			take_y(run);
			residual = cn_small_residual(run);
		}
		double next = t->delta * (good ? CN_SMALL_NEWTON_ON : CN_SMALL_NEWTON_BACK);
		if (!good && next < CN_SMALL_NEWTON_PROX && t->delta <= CN_SMALL_NEWTON_FIRST)
			next = CN_SMALL_NEWTON_PROX;
		t->delta = next > 1 ? 1 : next < 0.1 * CN_SMALL_NEWTON_FIRST ? 0.1 * CN_SMALL_NEWTON_FIRST : next;
	}
	return residual;
}
