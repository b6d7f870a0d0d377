/* The matrix of the small solver: seats with six rows each, factored in its envelope in the order of the seats. */
#ifndef CN_QP_SMALL_KERNEL_MATRIX_H
#define CN_QP_SMALL_KERNEL_MATRIX_H

#include "num/qp_small_lanes.h"

#define CN_SMALL_DIRECT_SOFT 1e-8 /* of a row's response: half of the digits for the softness, half for the rounding */

typedef cn_small_v2 v2;

static double *row_start(const cn_small_matrix *m, uint32_t row)
{
	uint32_t body = row / 6;
	return m->value + m->at[body] + (size_t)(row % 6) * 6 * (body - m->first[body] + 1);
}

/* H += weight j j', its lower triangle and the rest of the blocks on the diagonal. */
static void add_row(const cn_small_run *run, uint32_t a, uint32_t b, const double *j, double weight)
{
	const cn_small_matrix *m = &run->memory->matrix;
	const uint32_t body[2] = {a, b};
	for (int k = 0; k < 2; ++k) {
		uint32_t i = body[k];
		if (!cn_small_moves(run, i))
			continue;
		size_t before = i - m->first[i];
		cn_small_add_block(m->value + m->at[i] + 6 * before, 6 * (before + 1), j + 6 * k, j + 6 * k, weight);
	}
	if (!cn_small_moves(run, a) || !cn_small_moves(run, b))
		return;
	uint32_t row = a < b ? b : a, column = a < b ? a : b;
	double *to = m->value + m->at[row] + (size_t)6 * (column - m->first[row]);
	cn_small_add_block(to, (size_t)6 * (row - m->first[row] + 1), j + (a < b ? 6 : 0), j + (a < b ? 0 : 6), weight);
}

/* A row with further seats, which stand in their order: the k-th of those in far. */
typedef struct long_row {
	uint32_t a, b;
	const double *j;
	const cn_small_far *far;
	uint32_t k;
} long_row;

/* The same of such a row. */
static void add_long_row(const cn_small_run *run, long_row r, double weight)
{
	const cn_small_matrix *m = &run->memory->matrix;
	add_row(run, r.a, r.b, r.j, weight);
	if (r.far->count == 0)
		return;
	const double *far = r.far->j + (size_t)6 * r.k * r.far->count;
	for (uint32_t i = 0; i < r.far->count; ++i) {
		uint32_t row = r.far->seat[i];
		double *to = m->value + m->at[row] - (size_t)6 * m->first[row];
		size_t stride = (size_t)6 * (row - m->first[row] + 1);
		cn_small_add_block(to + (size_t)6 * r.a, stride, far + (size_t)6 * i, r.j, weight);
		cn_small_add_block(to + (size_t)6 * r.b, stride, far + (size_t)6 * i, r.j + 6, weight);
		for (uint32_t c = 0; c <= i; ++c)
			cn_small_add_block(to + (size_t)6 * r.far->seat[c], stride, far + (size_t)6 * i, far + (size_t)6 * c,
			                   weight);
	}
}

/* The rows of a body against one column: how far their sums have come, two lanes each. */
typedef struct six {
	v2 sum[6];
} six;

/* Adds the products of n numbers, an even count, of six rows that are stride apart with those of the other; each row's
 * in its own order, so that its sum has the bits that it has alone. */
static inline six add_products(const double *rows, size_t stride, const double *other, size_t n)
{
	const v2 *q = (const v2 *)other, *p0 = (const v2 *)rows, *p1 = (const v2 *)(rows + stride),
			 *p2 = (const v2 *)(rows + 2 * stride), *p3 = (const v2 *)(rows + 3 * stride),
			 *p4 = (const v2 *)(rows + 4 * stride), *p5 = (const v2 *)(rows + 5 * stride);
	v2 s0 = {0, 0}, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
	for (size_t k = 0; k < n / 2; ++k) {
		v2 x = q[k];
		s0 += p0[k] * x, s1 += p1[k] * x, s2 += p2[k] * x;
		s3 += p3[k] * x, s4 += p4[k] * x, s5 += p5[k] * x;
	}
	return (six){{s0, s1, s2, s3, s4, s5}};
}

/* Goes on with a row's sum by n more products, and ends it. */
static inline double end_sum(v2 sum, const double *a, const double *b, uint32_t n)
{
	const v2 *p = (const v2 *)a, *q = (const v2 *)b;
	for (uint32_t k = 0; k < n / 2; ++k)
		sum += p[k] * q[k];
	double both = sum[0] + sum[1];
	return n % 2 ? both + a[n - 1] * b[n - 1] : both;
}

/* A body's rows left of its own block, column by column. The rows do not see each other. */
static void factor_left(const cn_small_matrix *m, uint32_t body, double *rows, size_t stride)
{
	uint32_t from = m->first[body];
	for (uint32_t of = from; of < body; ++of) {
		uint32_t start = m->first[of], f = from > start ? from : start;
		size_t n = (size_t)6 * (of - f), width = (size_t)6 * (of - start + 1);
		const double *column = m->value + m->at[of];
		for (uint32_t c = 0; c < 6; ++c, column += width) {
			const double *with = column + (size_t)6 * (f - start);
			double *to = rows + (size_t)6 * (f - from);
			six s = add_products(to, stride, with, n);
			double scale = with[n + c];
			for (int k = 0; k < 6; ++k, to += stride)
				to[n + c] = (to[n + c] - end_sum(s.sum[k], to + n, with + n, c)) * scale;
		}
	}
}

/* The factor in place; the diagonal holds its reciprocals. */
static void factor(const cn_small_matrix *m, uint32_t bodies)
{
	for (uint32_t body = 0; body < bodies; ++body) {
		size_t left = (size_t)6 * (body - m->first[body]), stride = left + 6;
		double *rows = m->value + m->at[body];
		factor_left(m, body, rows, stride);
		for (uint32_t c = 0; c < 6; ++c) { /* its own block */
			double *column = rows + c * stride, *to = column;
			six s = add_products(rows, stride, column, left);
			double pivot = to[left + c] - end_sum(s.sum[c], to + left, column + left, c);
			to[left + c] = 1 / sqrt(pivot > CN_SMALL_DIRECT_SOFT ? pivot : CN_SMALL_DIRECT_SOFT);
			for (uint32_t k = c + 1; k < 6; ++k) {
				to = rows + k * stride;
				to[left + c] = (to[left + c] - end_sum(s.sum[k], to + left, column + left, c)) * column[left + c];
			}
		}
	}
}

/* Takes f times each of six rows, the last first, off the n numbers of x, an even count. */
static inline void take_off(double *x, const double *rows, size_t stride, const double *f, size_t n)
{
	v2 *p = (v2 *)x, f0 = {f[0], f[0]}, f1 = {f[1], f[1]}, f2 = {f[2], f[2]}, f3 = {f[3], f[3]}, f4 = {f[4], f[4]},
	   f5 = {f[5], f[5]};
	const v2 *q0 = (const v2 *)rows, *q1 = (const v2 *)(rows + stride), *q2 = (const v2 *)(rows + 2 * stride),
			 *q3 = (const v2 *)(rows + 3 * stride), *q4 = (const v2 *)(rows + 4 * stride),
			 *q5 = (const v2 *)(rows + 5 * stride);
	for (size_t k = 0; k < n / 2; ++k)
		p[k] = (((((p[k] - q5[k] * f5) - q4[k] * f4) - q3[k] * f3) - q2[k] * f2) - q1[k] * f1) - q0[k] * f0;
}

static void solve(const cn_small_matrix *m, uint32_t bodies, double *x)
{
	for (uint32_t body = 0; body < bodies; ++body) {
		size_t left = (size_t)6 * (body - m->first[body]), stride = left + 6;
		const double *row = m->value + m->at[body];
		double *own = x + (size_t)6 * body;
		six s = add_products(row, stride, own - left, left);
		for (uint32_t k = 0; k < 6; ++k, row += stride)
			own[k] = (own[k] - end_sum(s.sum[k], row + left, own, k)) * row[left + k];
	}
	for (uint32_t body = bodies; body-- > 0;) {
		size_t left = (size_t)6 * (body - m->first[body]), stride = left + 6;
		const double *rows = m->value + m->at[body];
		double *own = x + (size_t)6 * body;
		for (uint32_t k = 6; k-- > 0;) {
			const double *row = rows + k * stride;
			own[k] *= row[left + k];
			for (uint32_t c = 0; c < k; ++c)
				own[c] -= row[left + c] * own[k];
		}
		take_off(own - left, rows, stride, own, left);
	}
}

#endif
