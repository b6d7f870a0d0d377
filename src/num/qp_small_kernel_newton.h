/* The linear systems of Newton's method (qp_small_newton.c). Vectors of four give the bits of vectors of two, and of
 * numbers one by one: what is at one place has nothing to do with what is at another. */
#ifndef CN_QP_SMALL_KERNEL_NEWTON_H
#define CN_QP_SMALL_KERNEL_NEWTON_H

#include "num/qp_small_lanes.h"

typedef double quad __attribute__((vector_size(32), aligned(8), may_alias));

/* A row less two others, each times a number, from a place on to an even end. */
static inline void take_two_off(double *to, const double *p, const double *r, const double by[2], uint32_t from,
                                uint32_t end)
{
	uint32_t k = from;
	quad f = {by[0], by[0], by[0], by[0]}, g = {by[1], by[1], by[1], by[1]};
	for (; k + 4 <= end; k += 4)
		*(quad *)(to + k) -= *(const quad *)(p + k) * f + *(const quad *)(r + k) * g;
	if (k < end) {
		cn_small_v2 f2 = {by[0], by[0]}, g2 = {by[1], by[1]};
		*(cn_small_v2 *)(to + k) -= *(const cn_small_v2 *)(p + k) * f2 + *(const cn_small_v2 *)(r + k) * g2;
	}
}

static void take_one_off(double *to, const double *p, double f, uint32_t from, uint32_t end)
{
	uint32_t k = from;
	quad by = {f, f, f, f};
	for (; k + 4 <= end; k += 4)
		*(quad *)(to + k) -= *(const quad *)(p + k) * by;
	if (k < end) {
		cn_small_v2 b = {f, f};
		*(cn_small_v2 *)(to + k) -= *(const cn_small_v2 *)(p + k) * b;
	}
}

static double *row_of(const cn_small_newton *t, uint32_t i) { return t->matrix + (size_t)i * t->stride; }

/* Brings the largest number of a column up to the diagonal; nobody looks at columns before an earlier one any more. */
static void pivot(const cn_small_newton *t, uint32_t c, uint32_t earlier)
{
	uint32_t best = c;
	for (uint32_t i = c + 1; i < t->acting; ++i)
		if (fabs(row_of(t, i)[c]) > fabs(row_of(t, best)[c]))
			best = i;
	if (best == c)
		return;
	double *p = row_of(t, c), *q = row_of(t, best), right = t->right[c];
	t->right[c] = t->right[best], t->right[best] = right;
	for (uint32_t k = earlier; k < t->acting; ++k) {
		double was = p[k];
		p[k] = q[k], q[k] = was;
	}
}

static double share_of_pivot(double of, double pivot) { return fabs(pivot) > 0 ? of / pivot : 0; }

/* Gauss's elimination, two columns at a time, each with its largest pivot; the answer takes the place of the right side.
 * Columns that are done keep the shares. */
static void eliminate(const cn_small_newton *t)
{
	uint32_t n = t->acting, wide = n + n % 2;
	for (uint32_t c = 0; c + 1 < n; c += 2) {
		pivot(t, c, c);
		const double *p = row_of(t, c);
		double *q = row_of(t, c + 1);
		for (uint32_t i = c + 1; i < n; ++i) {
			double *row = row_of(t, i);
			row[c] = share_of_pivot(row[c], row_of(t, c)[c]);
			row[c + 1] -= row[c] * row_of(t, c)[c + 1];
		}
		pivot(t, c + 1, c);
		take_one_off(q, row_of(t, c), q[c], c + 2, wide);
		t->right[c + 1] -= q[c] * t->right[c];
		for (uint32_t i = c + 2; i < n; ++i) {
			double *row = row_of(t, i), by[2] = {row[c], share_of_pivot(row[c + 1], q[c + 1])};
			take_two_off(row, p, q, by, c + 2, wide);
			t->right[i] -= by[0] * t->right[c] + by[1] * t->right[c + 1];
		}
	}
	for (uint32_t c = n; c-- > 0;) {
		double sum = t->right[c];
		for (uint32_t k = c + 1; k < n; ++k)
			sum -= row_of(t, c)[k] * t->right[k];
		t->right[c] = share_of_pivot(sum, row_of(t, c)[c]);
	}
}

#endif
