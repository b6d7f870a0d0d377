/* Of the small solver: the twelve numbers of a pair of seats, and what rows do with them. Lanes are pairs of neighbouring
 * numbers; sums cross them in one place, lane 0 + lane 1. Where CN_LANES_AVX2 is defined two pairs are one vector of four,
 * and their sums are formed in the same order, so the bits are the same.
 *
 *   get, put      the numbers of a and b
 *   measure       j.u
 *   push          u += y j; of a contact: with all three rows at once
 *   add_block     to += weight left right', six by six
 *   ..._far       the same for what row k has in further seats, where x is
 *   value         j.x of row k, u being what x has in the first two seats */
#ifndef CN_QP_SMALL_LANES_H
#define CN_QP_SMALL_LANES_H

#include "num/qp_small_parts.h"

typedef double cn_small_v2 __attribute__((vector_size(16), aligned(8), may_alias));

#if defined(CN_LANES_AVX2)

typedef double cn_small_v4 __attribute__((vector_size(32), aligned(8), may_alias));

typedef struct cn_small_pair {
	cn_small_v4 a, b;
	cn_small_v2 a2, b2;
} cn_small_pair;

static inline cn_small_v4 cn_small_four(const double *from) { return *(const cn_small_v4 *)from; }
static inline cn_small_v2 cn_small_two(const double *from) { return *(const cn_small_v2 *)from; }

static inline cn_small_pair cn_small_get(const double *x, uint32_t a, uint32_t b)
{
	const double *p = x + (size_t)6 * a, *q = x + (size_t)6 * b;
	return (cn_small_pair){cn_small_four(p), cn_small_four(q), cn_small_two(p + 4), cn_small_two(q + 4)};
}

static inline void cn_small_put(double *x, uint32_t a, uint32_t b, const cn_small_pair *u)
{
	double *p = x + (size_t)6 * a, *q = x + (size_t)6 * b;
	*(cn_small_v4 *)p = u->a, *(cn_small_v2 *)(p + 4) = u->a2;
	*(cn_small_v4 *)q = u->b, *(cn_small_v2 *)(q + 4) = u->b2;
}

static inline double cn_small_measure(const double *j, const cn_small_pair *u)
{
	cn_small_v4 both = cn_small_four(j) * u->a + cn_small_four(j + 6) * u->b;
	cn_small_v2 rest = cn_small_two(j + 4) * u->a2 + cn_small_two(j + 10) * u->b2;
	cn_small_v2 sum = __builtin_shufflevector(both, both, 0, 1) + __builtin_shufflevector(both, both, 2, 3) + rest;
	return sum[0] + sum[1];
}

static inline void cn_small_push(const double *j, double y, cn_small_pair *u)
{
	cn_small_v4 f = {y, y, y, y};
	cn_small_v2 g = {y, y};
	u->a += cn_small_four(j) * f, u->a2 += cn_small_two(j + 4) * g;
	u->b += cn_small_four(j + 6) * f, u->b2 += cn_small_two(j + 10) * g;
}

static inline void cn_small_push_contact(const cn_small_touch *t, cn_qp_impulse y, cn_small_pair *u)
{
	const double *n = t->j[0], *s = t->j[1], *q = t->j[2];
	cn_small_v4 fn = {y.n, y.n, y.n, y.n}, fs = {y.s, y.s, y.s, y.s}, ft = {y.t, y.t, y.t, y.t};
	cn_small_v2 gn = {y.n, y.n}, gs = {y.s, y.s}, gt = {y.t, y.t};
	u->a += (cn_small_four(n) * fn + cn_small_four(s) * fs) + cn_small_four(q) * ft;
	u->b += (cn_small_four(n + 6) * fn + cn_small_four(s + 6) * fs) + cn_small_four(q + 6) * ft;
	u->a2 += (cn_small_two(n + 4) * gn + cn_small_two(s + 4) * gs) + cn_small_two(q + 4) * gt;
	u->b2 += (cn_small_two(n + 10) * gn + cn_small_two(s + 10) * gs) + cn_small_two(q + 10) * gt;
}

static inline void cn_small_add_block(double *to, size_t stride, const double *left, const double *right, double weight)
{
	cn_small_v4 r = cn_small_four(right);
	cn_small_v2 r2 = cn_small_two(right + 4);
	for (int k = 0; k < 6; ++k, to += stride) {
		double f = left[k] * weight;
		*(cn_small_v4 *)to += (cn_small_v4){f, f, f, f} * r;
		*(cn_small_v2 *)(to + 4) += (cn_small_v2){f, f} * r2;
	}
}

#else

typedef struct cn_small_pair {
	cn_small_v2 a0, a1, a2, b0, b1, b2;
} cn_small_pair;

static inline cn_small_pair cn_small_get(const double *x, uint32_t a, uint32_t b)
{
	const cn_small_v2 *p = (const cn_small_v2 *)(x + (size_t)6 * a), *q = (const cn_small_v2 *)(x + (size_t)6 * b);
	return (cn_small_pair){p[0], p[1], p[2], q[0], q[1], q[2]};
}

static inline void cn_small_put(double *x, uint32_t a, uint32_t b, const cn_small_pair *u)
{
	cn_small_v2 *p = (cn_small_v2 *)(x + (size_t)6 * a), *q = (cn_small_v2 *)(x + (size_t)6 * b);
	p[0] = u->a0, p[1] = u->a1, p[2] = u->a2, q[0] = u->b0, q[1] = u->b1, q[2] = u->b2;
}

static inline double cn_small_measure(const double *j, const cn_small_pair *u)
{
	const cn_small_v2 *p = (const cn_small_v2 *)j;
	cn_small_v2 sum = (p[0] * u->a0 + p[3] * u->b0) + (p[1] * u->a1 + p[4] * u->b1) + (p[2] * u->a2 + p[5] * u->b2);
	return sum[0] + sum[1];
}

static inline void cn_small_push(const double *j, double y, cn_small_pair *u)
{
	const cn_small_v2 *p = (const cn_small_v2 *)j;
	cn_small_v2 f = {y, y};
	u->a0 += p[0] * f, u->a1 += p[1] * f, u->a2 += p[2] * f;
	u->b0 += p[3] * f, u->b1 += p[4] * f, u->b2 += p[5] * f;
}

static inline void cn_small_push_contact(const cn_small_touch *t, cn_qp_impulse y, cn_small_pair *u)
{
	const cn_small_v2 *n = (const cn_small_v2 *)t->j[0], *s = (const cn_small_v2 *)t->j[1],
					  *q = (const cn_small_v2 *)t->j[2];
	cn_small_v2 fn = {y.n, y.n}, fs = {y.s, y.s}, ft = {y.t, y.t};
	u->a0 += (n[0] * fn + s[0] * fs) + q[0] * ft, u->a1 += (n[1] * fn + s[1] * fs) + q[1] * ft;
	u->a2 += (n[2] * fn + s[2] * fs) + q[2] * ft, u->b0 += (n[3] * fn + s[3] * fs) + q[3] * ft;
	u->b1 += (n[4] * fn + s[4] * fs) + q[4] * ft, u->b2 += (n[5] * fn + s[5] * fs) + q[5] * ft;
}

static inline void cn_small_add_block(double *to, size_t stride, const double *left, const double *right, double weight)
{
	const cn_small_v2 *r = (const cn_small_v2 *)right;
	cn_small_v2 r0 = r[0], r1 = r[1], r2 = r[2];
	for (int k = 0; k < 6; ++k) {
		cn_small_v2 *p = (cn_small_v2 *)(to + (size_t)k * stride), f = {left[k] * weight, left[k] * weight};
		p[0] += f * r0, p[1] += f * r1, p[2] += f * r2;
	}
}

#endif

static inline double cn_small_measure_far(const cn_small_far *f, uint32_t k, const double *x)
{
	cn_small_v2 sum = {0, 0};
	for (uint32_t i = 0; i < f->count; ++i) {
		const cn_small_v2 *p = (const cn_small_v2 *)(f->j + (size_t)6 * (k * f->count + i));
		const cn_small_v2 *q = (const cn_small_v2 *)(x + (size_t)6 * f->seat[i]);
		sum += (p[0] * q[0] + p[1] * q[1]) + p[2] * q[2];
	}
	return sum[0] + sum[1];
}

static inline void cn_small_push_far(const cn_small_far *f, uint32_t k, double y, double *x)
{
	cn_small_v2 by = {y, y};
	for (uint32_t i = 0; i < f->count; ++i) {
		const cn_small_v2 *p = (const cn_small_v2 *)(f->j + (size_t)6 * (k * f->count + i));
		cn_small_v2 *q = (cn_small_v2 *)(x + (size_t)6 * f->seat[i]);
		q[0] += p[0] * by, q[1] += p[1] * by, q[2] += p[2] * by;
	}
}

static inline void cn_small_push_contact_far(const cn_small_touch *t, cn_qp_impulse y, double *x)
{
	cn_small_push_far(&t->far, 0, y.n, x);
	cn_small_push_far(&t->far, 1, y.s, x);
	cn_small_push_far(&t->far, 2, y.t, x);
}

static inline double cn_small_value(const double *j, const cn_small_pair *u, const cn_small_far *f, uint32_t k,
                                    const double *x)
{
	double value = cn_small_measure(j, u);
	return f->count ? value + cn_small_measure_far(f, k, x) : value;
}

#endif
