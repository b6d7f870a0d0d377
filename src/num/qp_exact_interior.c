/* Primal-dual interior point method on A x - s = b, s >= 0, y >= 0, x = A'y (Mehrotra's predictor and corrector). A
 * step solves
 *     dx - A'dy = r_d,   A dx - ds = r_p,   s dy + y ds = r_c
 * by (I + A' D A) dx = r_d + A' D (r_p + r_c / y) with D = y / (s + delta y); for equality rows s = 0, so D = 1/delta,
 * and the error this makes, delta dy, is taken away by solving again for it. */
#include "num/qp_exact_point.h"

#include "num/tolerance.h"

#include <math.h>

#define CN_EXACT_START 1.0  /* first slacks and multipliers, where 1 is the most that is asked for; measured on piles */
#define CN_EXACT_SOFT 1e-13 /* least s/y of an inequality row: bounds the matrix by 1e13, three digits from rounding */
#define CN_EXACT_SOFT_EQUAL 1e-8 /* the same for equality rows: refined away, and far from rounding */
#define CN_EXACT_FLOOR 1e-250    /* least slack and multiplier: products with it do not vanish */
#define CN_EXACT_FAR 1e5 /* a point proved to be farther away is taken to be nowhere, which is then to be proved */

static bool inequality(const cn_exact_rows *rows, uint32_t r) { return rows->kind[r] == CN_EXACT_MIN; }

bool cn_exact_point_make(cn_arena *arena, const cn_exact_rows *rows, cn_exact_point *point)
{
	size_t n = 6 * (size_t)rows->bodies, m = rows->count, count_x = CN_COUNT(point->wx), count_r = CN_COUNT(point->wr);
	*point = (cn_exact_point){0};
	double *xs = cn_arena_take(arena, n * (1 + count_x), sizeof *xs);
	double *rs = cn_arena_take(arena, m * (5 + count_r), sizeof *rs);
	point->set = cn_arena_take(arena, m, sizeof *point->set);
	if (arena->failed)
		return false;
	point->x = xs, point->y = rs, point->s = rs + m, point->shift = rs + 2 * m, point->run = rs + 3 * m,
	point->hold = rs + 4 * m;
	for (size_t k = 0; k < count_x; ++k)
		point->wx[k] = xs + n * (1 + k);
	for (size_t k = 0; k < count_r; ++k)
		point->wr[k] = rs + m * (5 + k);
	return true;
}

/* x = 0 and all products s y alike: rows that ask for nothing begin with their slack and a small multiplier. */
void cn_exact_interior_start(cn_exact_rows *rows, cn_exact_point *point)
{
	for (size_t k = 0; k < 6 * (size_t)rows->bodies; ++k)
		point->x[k] = 0;
	for (uint32_t r = 0; r < rows->count; ++r) {
		double slack = -rows->b[r];
		bool least = inequality(rows, r);
		point->s[r] = !least ? 0 : slack > CN_EXACT_START ? slack : CN_EXACT_START;
		point->y[r] = !least ? 0 : CN_EXACT_START * CN_EXACT_START / point->s[r];
	}
}

typedef struct step {
	double *dx, *dy, *ds;
	double *rp, *rd, *weight, *ask,
		*product; /* ask: the right side, weighted; product: what s y is lowered by besides */
} step;

/* One Newton direction; sigma_mu is what s y is led to. */
static void direct(cn_exact_rows *rows, const cn_exact_point *p, const step *t, double sigma_mu, bool corrector)
{
	size_t n = 6 * (size_t)rows->bodies;
	for (uint32_t r = 0; r < rows->count; ++r) {
		double s = p->s[r], y = p->y[r];
		if (inequality(rows, r))
			t->ask[r] = (y * (t->rp[r] - s) + sigma_mu - (corrector ? t->product[r] : 0)) / (s + CN_EXACT_SOFT * y);
		else
			t->ask[r] = t->rp[r] * t->weight[r];
	}
	cn_exact_turned(rows, t->ask, t->dx);
	for (size_t k = 0; k < n; ++k)
		t->dx[k] += t->rd[k];
	cn_block_solve(&rows->matrix, t->dx);
	cn_exact_times(rows, t->dx, t->ds); /* A dx for now */
	for (uint32_t r = 0; r < rows->count; ++r)
		t->dy[r] = t->ask[r] - t->weight[r] * t->ds[r];
	for (int again = 0; again < (rows->equalities ? 2 : 0); ++again) {
		double *fix = p->wx[3], *change = p->wr[6];
		for (uint32_t r = 0; r < rows->count; ++r)
			t->ask[r] = inequality(rows, r) ? 0 : t->weight[r] * (t->rp[r] - t->ds[r]);
		cn_exact_turned(rows, t->dy, fix);
		for (size_t k = 0; k < n; ++k)
			fix[k] += t->rd[k] - t->dx[k];
		cn_exact_turned(rows, t->ask, p->wx[2]);
		for (size_t k = 0; k < n; ++k)
			fix[k] += p->wx[2][k];
		cn_block_solve(&rows->matrix, fix);
		cn_exact_times(rows, fix, change);
		for (size_t k = 0; k < n; ++k)
			t->dx[k] += fix[k];
		for (uint32_t r = 0; r < rows->count; ++r) {
			t->ds[r] += change[r];
			t->dy[r] += t->ask[r] - t->weight[r] * change[r];
		}
	}
	for (uint32_t r = 0; r < rows->count; ++r)
		t->ds[r] = inequality(rows, r) ? t->ds[r] - t->rp[r] : 0;
}

/* The largest step in [0, 2] that keeps s and y from falling below 0. */
static double reach(const cn_exact_rows *rows, const cn_exact_point *p, const step *t)
{
	double most = 2;
	for (uint32_t r = 0; r < rows->count; ++r) {
		if (!inequality(rows, r))
			continue;
		if (t->ds[r] * most < -p->s[r])
			most = -p->s[r] / t->ds[r];
		if (t->dy[r] * most < -p->y[r])
			most = -p->y[r] / t->dy[r];
	}
	return most;
}

/* r_p, r_d and their largest; the mean of s y. */
static double measure(cn_exact_rows *rows, const cn_exact_point *p, const step *t, double *worst)
{
	double sum = 0;
	*worst = 0;
	cn_exact_times(rows, p->x, t->rp);
	cn_exact_turned(rows, p->y, t->rd);
	for (uint32_t r = 0; r < rows->count; ++r) {
		t->rp[r] = rows->b[r] + p->s[r] - t->rp[r];
		*worst = fabs(t->rp[r]) > *worst ? fabs(t->rp[r]) : *worst;
		sum += p->s[r] * p->y[r];
	}
	for (size_t k = 0; k < 6 * (size_t)rows->bodies; ++k) {
		t->rd[k] -= p->x[k];
		*worst = fabs(t->rd[k]) > *worst ? fabs(t->rd[k]) : *worst;
	}
	return rows->inequalities ? sum / rows->inequalities : 0;
}

static double mean_after(const cn_exact_rows *rows, const cn_exact_point *p, const step *t, double length)
{
	double sum = 0;
	for (uint32_t r = 0; r < rows->count; ++r)
		if (inequality(rows, r))
			sum += (p->s[r] + length * t->ds[r]) * (p->y[r] + length * t->dy[r]);
	return sum / rows->inequalities;
}

static void go(const cn_exact_rows *rows, cn_exact_point *p, const step *t, double length)
{
	for (size_t k = 0; k < 6 * (size_t)rows->bodies; ++k)
		p->x[k] += length * t->dx[k];
	for (uint32_t r = 0; r < rows->count; ++r) {
		p->y[r] += length * t->dy[r];
		if (inequality(rows, r)) {
			p->s[r] += length * t->ds[r];
			p->s[r] = p->s[r] > CN_EXACT_FLOOR ? p->s[r] : CN_EXACT_FLOOR;
			p->y[r] = p->y[r] > CN_EXACT_FLOOR ? p->y[r] : CN_EXACT_FLOOR;
		}
	}
}

/* b.y / |A'y|: no point nearer than this satisfies the rows. */
static double distance_proved(const cn_exact_rows *rows, const cn_exact_point *p)
{
	double value = 0, length = 0;
	cn_exact_turned(rows, p->y, p->wx[2]);
	for (size_t k = 0; k < 6 * (size_t)rows->bodies; ++k)
		length += p->wx[2][k] * p->wx[2][k];
	for (uint32_t r = 0; r < rows->count; ++r)
		value += rows->b[r] * p->y[r];
	return value > 0 ? value / (sqrt(length) + DBL_MIN) : 0;
}

/* Gondzio's correctors (1996): a longer step would leave products s y far from their mean; they are led back into
 * [1/10, 10] of it, and the direction is taken if the step grows. Solving costs little beside factoring. Returns the
 * step. */
static double lengthen(cn_exact_rows *rows, cn_exact_point *p, step *t, double sigma_mu, uint32_t tries)
{
	double most = reach(rows, p, t);
	for (uint32_t k = 0; k < tries && most < 0.95; ++k) {
		double further = 1.1 * most + 0.1 < 1 ? 1.1 * most + 0.1 : 1;
		for (uint32_t r = 0; r < rows->count; ++r) {
			if (!inequality(rows, r))
				continue;
			double product = (p->s[r] + further * t->ds[r]) * (p->y[r] + further * t->dy[r]);
			double low = 0.1 * sigma_mu, high = 10 * sigma_mu, lead = 0;
			if (product < low)
				lead = low - product;
			else if (product > high)
				lead = product - high < high ? high - product : -high;
			t->product[r] -= lead;
		}
		step other = *t;
		other.dx = p->wx[4], other.dy = p->wr[7], other.ds = p->wr[8];
		direct(rows, p, &other, sigma_mu, true);
		double now = reach(rows, p, &other);
		if (now < most + 0.01)
			break;
		most = now;
		p->wx[4] = t->dx, p->wr[7] = t->dy, p->wr[8] = t->ds; /* the two change places, in p too */
		p->wx[0] = other.dx, p->wr[0] = other.dy, p->wr[1] = other.ds;
		*t = other;
	}
	return most;
}

cn_exact_end cn_exact_interior(cn_exact_rows *rows, cn_exact_point *p, double target, uint32_t iterations)
{
	step t = {p->wx[0], p->wr[0], p->wr[1], p->wr[2], p->wx[1], p->wr[3], p->wr[4], p->wr[5]};
	double worst, mean = measure(rows, p, &t, &worst);
	uint32_t slow = 0, creeping = 0, tries = rows->bodies > 100 ? 4 : 2;
	for (uint32_t k = 0; k < iterations && slow < 15 && creeping < 2; ++k, ++p->iterations) {
		if (mean <= target && worst <= CN_EXACT_NEAR)
			break;
		if (distance_proved(rows, p) > CN_EXACT_FAR)
			return CN_EXACT_DIVERGING;
		for (uint32_t r = 0; r < rows->count; ++r)
			t.weight[r] = inequality(rows, r) ? p->y[r] / (p->s[r] + CN_EXACT_SOFT * p->y[r]) : 1 / CN_EXACT_SOFT_EQUAL;
		cn_exact_factor(rows, t.weight);
		direct(rows, p, &t, 0, false);
		double most = 2;
		if (rows->inequalities) {
			double most_first = reach(rows, p, &t), after = mean_after(rows, p, &t, most_first < 1 ? most_first : 1);
			double ratio = mean > 0 ? after / mean : 0;
			double sigma_mu = ratio * ratio * ratio * mean;
			for (uint32_t r = 0; r < rows->count; ++r)
				t.product[r] = t.ds[r] * t.dy[r];
			direct(rows, p, &t, sigma_mu, true);
			most = lengthen(rows, p, &t, sigma_mu, tries);
		}
		double back = mean < 0.01 ? mean : 0.01;
		double length = most * (1 - back) < 1 ? most * (1 - back) : 1;
		go(rows, p, &t, length);
		double before = mean, far = worst;
		mean = measure(rows, p, &t, &worst);
		if (!(mean < 1e300) || !(worst < 1e300))
			return CN_EXACT_DIVERGING;
		creeping = length < 0.3 && mean < CN_EXACT_NEAR ? creeping + 1 : 0; /* rounding */
		slow = mean > 0.9 * before && worst > 0.9 * far ? slow + 1 : 0;
	}
	if (mean <= target && worst <= CN_EXACT_NEAR)
		return CN_EXACT_DONE;
	return distance_proved(rows, p) > CN_EXACT_FAR ? CN_EXACT_DIVERGING : CN_EXACT_STUCK;
}
