/* A proximal step on Coulomb's law itself (Alart and Curnier's form): from y find x = A'p with
 *
 *     p_n = max(0, y_n + (b_n - a_n.x) / delta),   p_t = y_t - v_t / delta, cut to the disc of radius mu p_n,
 *
 * by Newton's method. The disc's radius moves with p_n, so the matrix is not symmetric: GMRES solves it, with the
 * factorisation of the rest as preconditioner. A step is taken only where it makes |x - A'p| smaller; there is no proof
 * that one always does, so the caller has another way. */
#include "num/qp_exact_point.h"

#include "num/tolerance.h"

#include <math.h>
#include <string.h>

#define CN_EXACT_FORCING 1e-6 /* of the right side: what GMRES leaves over */
#define CN_EXACT_ENOUGH 1e-4  /* of the first gradient: a step on Coulomb's law may end here if it gets no further */

/* As differences from y = from, x = A'from: see qp_exact_newton.c. */
typedef struct slide {
	cn_exact_rows *rows;
	cn_exact_point *p;
	double delta;
	double *lack, *adx, *t, *push; /* rows */
	double *moved, *dx, *gradient; /* bodies */
} slide;

static double length_of(const double *x, size_t n)
{
	double sum = 0;
	for (size_t k = 0; k < n; ++k)
		sum += x[k] * x[k];
	return sqrt(sum);
}

/* p - from for the cone at r, t given. */
static void push_cone(const slide *f, uint32_t r, const double *from)
{
	const double *t = f->t + r;
	double n = t[0] > 0 ? t[0] : 0, limit = f->rows->mu[r] * n, size = sqrt(t[1] * t[1] + t[2] * t[2]);
	double part = size > limit ? limit / size : 1;
	f->push[r] = n - from[0];
	f->push[r + 1] = part * t[1] - from[1];
	f->push[r + 2] = part * t[2] - from[2];
}

/* t, push and the gradient at moved + length dx; returns its length. */
static double slope_at(const slide *f, double length)
{
	const cn_exact_rows *rows = f->rows;
	const double *from = f->p->y;
	size_t n = 6 * (size_t)rows->bodies;
	for (uint32_t r = 0; r < rows->count; ++r)
		f->t[r] = from[r] + (f->lack[r] - length * f->adx[r]) / f->delta;
	for (uint32_t r = 0; r < rows->count; ++r) {
		if (rows->kind[r] == CN_EXACT_CONE) {
			push_cone(f, r, from + r);
			r += 2;
		} else {
			f->push[r] = rows->kind[r] == CN_EXACT_MIN && !(f->t[r] > 0) ? -from[r] : f->t[r] - from[r];
		}
	}
	cn_exact_turned(rows, f->push, f->gradient);
	for (size_t k = 0; k < n; ++k)
		f->gradient[k] = f->moved[k] + length * f->dx[k] - f->gradient[k];
	return length_of(f->gradient, n);
}

/* The preconditioner: sliding contacts count with their normal and across the sliding direction. */
static void weigh(const slide *f, double *weight)
{
	cn_exact_rows *rows = f->rows;
	double inverse = 1 / f->delta;
	for (uint32_t r = 0; r < rows->count; ++r) {
		const double *a = rows->a + (size_t)r * CN_EXACT_WIDTH, *t = f->t + r;
		double *m = rows->mixed + (size_t)r * CN_EXACT_WIDTH;
		if (rows->kind[r] != CN_EXACT_CONE) {
			weight[r] = rows->kind[r] == CN_EXACT_EQUAL || t[0] > 0 ? inverse : 0;
			memcpy(m, a, CN_EXACT_WIDTH * sizeof *m);
			continue;
		}
		double limit = rows->mu[r] * (t[0] > 0 ? t[0] : 0), size = sqrt(t[1] * t[1] + t[2] * t[2]);
		weight[r] = t[0] > 0 ? inverse : 0;
		weight[r + 1] = weight[r + 2] = t[0] > 0 && size <= limit ? inverse : 0;
		memcpy(m, a, 3 * CN_EXACT_WIDTH * sizeof *m);
		if (t[0] > 0 && size > limit) {
			double c = t[1] / size, s = t[2] / size;
			for (int k = 0; k < CN_EXACT_WIDTH; ++k)
				m[CN_EXACT_WIDTH + k] = c * a[2 * CN_EXACT_WIDTH + k] - s * a[CN_EXACT_WIDTH + k];
			weight[r + 1] = inverse * (limit / size);
		}
		r += 2;
	}
	cn_exact_factor(rows, weight);
	f->p->factored_for = 0;
}

/* out = (derivative of the gradient) x. */
static void derive(const slide *f, const double *x, double *out)
{
	const cn_exact_rows *rows = f->rows;
	double *w = f->p->wr[6], inverse = 1 / f->delta;
	cn_exact_times(rows, x, w);
	for (uint32_t r = 0; r < rows->count; ++r) {
		const double *t = f->t + r;
		if (rows->kind[r] != CN_EXACT_CONE) {
			w[r] = rows->kind[r] == CN_EXACT_EQUAL || t[0] > 0 ? w[r] * inverse : 0;
			continue;
		}
		double mu = rows->mu[r], limit = mu * (t[0] > 0 ? t[0] : 0), size = sqrt(t[1] * t[1] + t[2] * t[2]);
		if (!(t[0] > 0)) {
			w[r] = w[r + 1] = w[r + 2] = 0;
		} else if (size <= limit) {
			w[r] *= inverse, w[r + 1] *= inverse, w[r + 2] *= inverse;
		} else {
			double c = t[1] / size, s = t[2] / size, across = (c * w[r + 2] - s * w[r + 1]) * (limit / size);
			double along = mu * w[r];
			w[r] *= inverse;
			w[r + 1] = inverse * (c * along - s * across);
			w[r + 2] = inverse * (s * along + c * across);
		}
		r += 2;
	}
	cn_exact_turned(rows, w, out);
	for (size_t k = 0; k < 6 * (size_t)rows->bodies; ++k)
		out[k] += x[k];
}

/* GMRES without restart, preconditioned from the right; f->dx receives the direction. basis: (CN_EXACT_KRYLOV + 1)
 * vectors. */
static void find_direction(const slide *f, double *basis, double slope)
{
	enum { K = CN_EXACT_KRYLOV };
	size_t n = 6 * (size_t)f->rows->bodies;
	double h[K + 1][K], c[K], s[K], g[K + 1] = {slope}, y[K];
	int used = 0;
	for (size_t k = 0; k < n; ++k)
		basis[k] = -f->gradient[k] / slope;
	for (int j = 0; j < K && fabs(g[j]) > CN_EXACT_FORCING * slope; ++j) {
		double *v = basis + n * (size_t)(j + 1);
		memcpy(f->dx, basis + n * (size_t)j, n * sizeof *v);
		cn_block_solve(&f->rows->matrix, f->dx);
		derive(f, f->dx, v);
		for (int i = 0; i <= j; ++i) {
			const double *b = basis + n * (size_t)i;
			double dot = 0;
			for (size_t k = 0; k < n; ++k)
				dot += b[k] * v[k];
			for (size_t k = 0; k < n; ++k)
				v[k] -= dot * b[k];
			h[i][j] = dot;
		}
		double size = length_of(v, n);
		for (size_t k = 0; k < n && size > 0; ++k)
			v[k] /= size;
		for (int i = 0; i < j; ++i) {
			double low = h[i][j], high = h[i + 1][j];
			h[i][j] = c[i] * low + s[i] * high;
			h[i + 1][j] = c[i] * high - s[i] * low;
		}
		double root = sqrt(h[j][j] * h[j][j] + size * size);
		if (!(root > 0))
			break;
		c[j] = h[j][j] / root, s[j] = size / root, h[j][j] = root;
		g[j + 1] = -s[j] * g[j];
		g[j] = c[j] * g[j];
		used = j + 1;
		if (!(size > 0))
			break;
	}
	for (int i = used; i-- > 0;) {
		y[i] = g[i];
		for (int j = i + 1; j < used; ++j)
			y[i] -= h[i][j] * y[j];
		y[i] /= h[i][i];
	}
	memset(f->dx, 0, n * sizeof *f->dx);
	for (int i = 0; i < used; ++i)
		for (size_t k = 0; k < n; ++k)
			f->dx[k] += y[i] * basis[n * (size_t)i + k];
	cn_block_solve(&f->rows->matrix, f->dx);
}

bool cn_exact_slide(cn_exact_rows *rows, cn_exact_point *p, double delta, double tolerance, double *basis)
{
	slide f = {rows, p, delta, p->wr[2], p->wr[3], p->wr[5], p->wr[1], p->wx[3], p->wx[1], p->wx[0]};
	size_t n = 6 * (size_t)rows->bodies;
	memset(f.moved, 0, n * sizeof *f.moved);
	memset(f.dx, 0, n * sizeof *f.dx);
	memset(f.adx, 0, rows->count * sizeof *f.adx);
	cn_exact_turned(rows, p->y, p->x);
	cn_exact_times(rows, p->x, f.lack);
	for (uint32_t r = 0; r < rows->count; ++r)
		f.lack[r] = rows->b[r] - f.lack[r];
	double slope = slope_at(&f, 0), first = slope;
	for (int k = 0; slope > tolerance && slope > CN_EXACT_QUICK * first; ++k, ++p->iterations) {
		if (k == CN_EXACT_NEWTON)
			return false;
		weigh(&f, p->wr[4]);
		find_direction(&f, basis, slope);
		cn_exact_times(rows, f.dx, f.adx);
		double length = 1, next = slope_at(&f, length);
		for (int half = 0; half < 9 && !(next <= (1 - 1e-2 * length) * slope); ++half) {
			length *= 0.5;
			next = slope_at(&f, length);
		}
		if (!(next <= (1 - 1e-2 * length) * slope)) { /* a kink; or rounding, near enough */
			if (slope > CN_EXACT_ENOUGH * first)
				return false;
			slope_at(&f, 0);
			break;
		}
		for (size_t i = 0; i < n; ++i)
			f.moved[i] += length * f.dx[i];
		for (uint32_t r = 0; r < rows->count; ++r)
			f.lack[r] -= length * f.adx[r];
		slope = next;
	}
	for (uint32_t r = 0; r < rows->count; ++r)
		p->y[r] += f.push[r];
	return true;
}
