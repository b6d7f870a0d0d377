/* Proximal steps on the multipliers. A step from y minimises the strongly convex, once differentiable
 *
 *     phi(x) = 1/2 |x|^2 + delta/2 |P(t)|^2,   t = y + (b - A x) / delta,   gradient x - A'P(t)
 *
 * with P the projection on the multipliers' cone (y >= 0; |y_t| <= mu y_n), and goes on from y = P(t). Newton's matrix
 * I + A' P'(t) A / delta is the one that is factored everywhere here: rows that push count, the others do not, and a
 * sliding contact counts with the direction of its cone's edge and, weaker, across it. Redundant rows and rows without
 * multipliers of their own do no harm: delta keeps every step well posed, and what it leaves over vanishes with the
 * steps. Where the rows contradict each other y runs away along a certificate. */
#include "num/qp_exact_point.h"

#include "num/tolerance.h"

#include <math.h>
#include <string.h>

#define CN_EXACT_PROX 1e-6    /* first delta of the proximal steps */
#define CN_EXACT_SPARE 1e-3   /* of the accuracy asked for: steps that cost no factorisation go on until here */
#define CN_EXACT_LEVEL 1e-3   /* of the first slope along a step: level enough to end the search along it */
#define CN_EXACT_PROXIMAL 60  /* proximal steps */
#define CN_EXACT_SPREAD 1e-12 /* delta where what A' maps to 0 is sought: nearly dependent rows count as independent */
#define CN_EXACT_REACH 1e8    /* a certificate excludes all points nearer than this */
#define CN_EXACT_CONTRADICTION 1e-10 /* rows that contradict each other by less count as satisfied to accuracy */
#define CN_EXACT_LITTLE 1e-6 /* of multipliers that run away: if A' maps no more of them to 0, that is rounding */

/* |y_t| <= mu y_n. Returns 0 inside, 1 at the tip, 2 at the edge. */
static int project_cone(const double t[3], double mu, double out[3])
{
	double size = sqrt(t[1] * t[1] + t[2] * t[2]);
	if (size <= mu * t[0]) {
		out[0] = t[0], out[1] = t[1], out[2] = t[2];
		return 0;
	}
	if (mu * size <= -t[0]) {
		out[0] = out[1] = out[2] = 0;
		return 1;
	}
	double n = (t[0] + mu * size) / (1 + mu * mu);
	out[0] = n, out[1] = mu * n * (t[1] / size), out[2] = mu * n * (t[2] / size);
	return 2;
}

static void project(const cn_exact_rows *rows, const double *t, double *out)
{
	for (uint32_t r = 0; r < rows->count; ++r) {
		if (rows->kind[r] == CN_EXACT_CONE) {
			project_cone(t + r, rows->mu[r], out + r);
			r += 2;
		} else {
			out[r] = rows->kind[r] == CN_EXACT_MIN && !(t[r] > 0) ? 0 : t[r];
		}
	}
}

/* The larger one; numbers that ran away are as bad as can be, and stay so. */
static double larger(double a, double b) { return !(b <= DBL_MAX) ? DBL_MAX : b > a ? b : a; }

double cn_exact_residual(const cn_exact_rows *rows, cn_exact_point *p)
{
	double *lack = p->wr[2], worst = 0;
	cn_exact_turned(rows, p->y, p->x);
	cn_exact_times(rows, p->x, lack);
	for (uint32_t r = 0; r < rows->count; ++r)
		lack[r] = rows->b[r] - p->shift[r] - lack[r];
	for (uint32_t r = 0; r < rows->count; ++r) {
		double t[3], out[3], off = fabs(lack[r]); /* where P changes nothing: free of rounding at the size of y */
		if (rows->kind[r] == CN_EXACT_CONE) {
			for (int k = 0; k < 3; ++k)
				t[k] = p->y[r + (uint32_t)k] + lack[r + (uint32_t)k];
			project_cone(t, rows->mu[r], out);
			off = 0;
			for (int k = 0; k < 3; ++k)
				off = larger(off, fabs(p->y[r + (uint32_t)k] - out[k]));
			r += 2;
		} else if (rows->kind[r] == CN_EXACT_MIN && !(p->y[r] + lack[r] > 0)) {
			off = fabs(p->y[r]);
		}
		worst = larger(worst, off);
	}
	p->residual = worst;
	return worst;
}

/* The rows of a cone as they enter Newton's matrix at t. */
static void weigh_cone(cn_exact_rows *rows, uint32_t r, const double *t, double inverse, double *weight)
{
	const double *a = rows->a + (size_t)r * CN_EXACT_WIDTH;
	double *m = rows->mixed + (size_t)r * CN_EXACT_WIDTH, mu = rows->mu[r], out[3];
	int where = project_cone(t + r, mu, out);
	weight[r] = weight[r + 1] = weight[r + 2] = where == 0 ? inverse : 0;
	if (where == 0)
		memcpy(m, a, 3 * CN_EXACT_WIDTH * sizeof *m);
	if (where != 2)
		return;
	double size = sqrt(t[r + 1] * t[r + 1] + t[r + 2] * t[r + 2]), c = t[r + 1] / size, s = t[r + 2] / size;
	double edge = 1 / sqrt(1 + mu * mu);
	for (int k = 0; k < CN_EXACT_WIDTH; ++k) {
		m[k] = edge * (a[k] + mu * (c * a[CN_EXACT_WIDTH + k] + s * a[2 * CN_EXACT_WIDTH + k]));
		m[CN_EXACT_WIDTH + k] = c * a[2 * CN_EXACT_WIDTH + k] - s * a[CN_EXACT_WIDTH + k];
	}
	weight[r] = inverse;
	weight[r + 1] = inverse * (mu * out[0] / size);
}

/* Newton's matrix at t; not factored anew where nothing changed. `set` remembers which rows push. */
static void prepare(cn_exact_rows *rows, cn_exact_point *p, const double *t, double delta, double *of)
{
	double *weight = p->wr[4];
	bool same = *of == delta && !rows->cones;
	*of = delta;
	for (uint32_t r = 0; r < rows->count; ++r) {
		if (rows->kind[r] == CN_EXACT_CONE) {
			weigh_cone(rows, r, t, 1 / delta, weight);
			r += 2;
			continue;
		}
		uint8_t pushes = rows->kind[r] == CN_EXACT_EQUAL || t[r] > 0;
		same &= p->set[r] == pushes;
		p->set[r] = pushes;
		weight[r] = pushes ? 1 / delta : 0;
		if (pushes && rows->mixed != rows->a)
			memcpy(rows->mixed + (size_t)r * CN_EXACT_WIDTH, rows->a + (size_t)r * CN_EXACT_WIDTH,
			       CN_EXACT_WIDTH * sizeof *rows->a);
	}
	if (!same)
		cn_exact_factor(rows, weight);
}

static double largest(const double *x, size_t n)
{
	double most = 0;
	for (size_t k = 0; k < n; ++k)
		most = fabs(x[k]) > most ? fabs(x[k]) : most;
	return most;
}

static double square(const double *x, size_t n)
{
	double sum = 0;
	for (size_t k = 0; k < n; ++k)
		sum += x[k] * x[k];
	return sum;
}

/* A proximal step from y = from, x = A'from. Everything is kept as a difference from there, so that rounding is
 * relative to the step and not to the point: x = A'from + moved, lack = b - A x, push = P(t) - from. */
typedef struct search {
	const double *from;
	double delta, of; /* of: the delta of the factor at hand, 0: none */
	double *lack, *adx, *t, *push;
	double *start, *moved; /* A'from */
} search;

/* t and push at moved + length dx; returns the derivative of phi along dx there, dx.(moved + length dx) - push.A dx. */
static double derive(const cn_exact_rows *rows, cn_exact_point *p, const search *f, double length)
{
	double sum = 0, pushes = 0;
	for (uint32_t r = 0; r < rows->count; ++r)
		f->t[r] = f->from[r] + (f->lack[r] - length * f->adx[r]) / f->delta;
	project(rows, f->t, f->push);
	for (uint32_t r = 0; r < rows->count; ++r) {
		/* where a row pushes freely the difference is known without rounding at the size of y */
		bool whole = f->push[r] == f->t[r];
		f->push[r] = whole ? (f->lack[r] - length * f->adx[r]) / f->delta : f->push[r] - f->from[r];
		pushes += f->push[r] * f->adx[r];
	}
	for (size_t k = 0; k < 6 * (size_t)rows->bodies; ++k)
		sum += p->wx[1][k] * (f->moved[k] + length * p->wx[1][k]);
	return sum - pushes;
}

/* The gradient moved + length dx - A'push at moved + length dx, in wx[0], and t and push; returns its largest
 * component. */
static double slope_at(const cn_exact_rows *rows, cn_exact_point *p, const search *f, double length)
{
	size_t n = 6 * (size_t)rows->bodies;
	derive(rows, p, f, length);
	cn_exact_turned(rows, f->push, p->wx[0]);
	for (size_t k = 0; k < n; ++k)
		p->wx[0][k] = f->moved[k] + length * p->wx[1][k] - p->wx[0][k];
	return largest(p->wx[0], n);
}

/* phi is convex along dx and falls at 0: how far it does, at most 1. Its derivative is piecewise linear for rows, so
 * the chord finds its zero soon; halving makes sure. */
static double find_length(const cn_exact_rows *rows, cn_exact_point *p, const search *f)
{
	double low = 0, high = 1, down = derive(rows, p, f, 0), up = derive(rows, p, f, 1), first = down;
	if (!(up > CN_EXACT_LEVEL * -first))
		return 1;
	for (int k = 0; k < 40; ++k) {
		double chord = low + (high - low) * (down / (down - up)), length = k % 3 == 2 ? 0.5 * (low + high) : chord;
		double at = derive(rows, p, f, length);
		if (fabs(at) <= CN_EXACT_LEVEL * -first)
			return length;
		if (at < 0)
			low = length, down = at;
		else
			high = length, up = at;
	}
	return low;
}

/* Minimises phi from f->from. Leaves the change of y in f->push. */
static void minimise(cn_exact_rows *rows, cn_exact_point *p, search *f, double tolerance, uint32_t limit)
{
	size_t n = 6 * (size_t)rows->bodies;
	memset(p->wx[1], 0, n * sizeof(double));
	memset(f->moved, 0, n * sizeof(double));
	memset(f->adx, 0, rows->count * sizeof(double));
	cn_exact_turned(rows, f->from, f->start);
	cn_exact_times(rows, f->start, f->lack);
	for (uint32_t r = 0; r < rows->count; ++r)
		f->lack[r] = rows->b[r] - p->shift[r] - f->lack[r];
	double slope = slope_at(rows, p, f, 0), first = slope;
	for (uint32_t k = 0; k < CN_EXACT_NEWTON && slope > tolerance && rows->factored < limit; ++k, ++p->iterations) {
		prepare(rows, p, f->t, f->delta, &f->of);
		double *dx = p->wx[1];
		for (size_t i = 0; i < n; ++i)
			dx[i] = -p->wx[0][i];
		cn_block_solve(&rows->matrix, dx);
		cn_exact_times(rows, dx, f->adx);
		double length = find_length(rows, p, f), before = slope;
		slope = slope_at(rows, p, f, length);
		if (!(length > 0)) /* rounding: no better */
			return;
		for (size_t i = 0; i < n; ++i)
			f->moved[i] += length * dx[i];
		for (uint32_t r = 0; r < rows->count; ++r)
			f->lack[r] -= length * f->adx[r];
		if (length == 1 && (slope < CN_EXACT_QUICK * first || !(slope < before)))
			return;
	}
}

void cn_exact_step(cn_exact_rows *rows, cn_exact_point *p, double delta, double tolerance, uint32_t limit)
{
	search f = {p->wr[0], delta, p->factored_for, p->wr[2], p->wr[3], p->wr[5], p->wr[1], p->wx[2], p->wx[3]};
	memcpy(p->wr[0], p->y, rows->count * sizeof *p->y);
	minimise(rows, p, &f, tolerance, limit);
	p->factored_for = f.of;
	for (uint32_t r = 0; r < rows->count; ++r)
		p->y[r] += f.push[r];
	project(rows, p->y, p->y);
}

cn_exact_end cn_exact_newton(cn_exact_rows *rows, cn_exact_point *p, double tolerance, uint32_t limit)
{
	double *best = p->wr[6], least = cn_exact_residual(rows, p), last = least, delta = CN_EXACT_PROX;
	size_t bytes = rows->count * sizeof(double);
	uint32_t idle = 0, most = rows->factored + limit;
	memcpy(best, p->y, bytes);
	p->factored_for = 0;
	for (uint32_t k = 0; k < CN_EXACT_PROXIMAL && rows->factored < most && idle < 4 && least > CN_EXACT_FINE; ++k) {
		cn_exact_step(rows, p, delta, CN_EXACT_FINE * last, most);
		double now = cn_exact_residual(rows, p);
		idle = now > 0.5 * least ? idle + 1 : 0;
		if (now < least) {
			least = now;
			memcpy(best, p->y, bytes);
		}
		if (least <= tolerance && (idle || least <= CN_EXACT_SPARE * tolerance))
			break;
		if (now > 0.1 * last && now > tolerance && delta > CN_EXACT_PROX_MIN)
			delta *= 0.1;
		last = now;
	}
	if (least > tolerance) { /* the last change, for the certificate */
		for (uint32_t r = 0; r < rows->count; ++r)
			p->run[r] = p->y[r] - p->wr[0][r];
		project(rows, p->run, p->run);
	}
	memcpy(p->y, best, bytes);
	return cn_exact_residual(rows, p) <= tolerance ? CN_EXACT_DONE : CN_EXACT_STUCK;
}

/* Takes from v, on the rows with weight, what A' does not map to 0. The matrix is that of weight 1/CN_EXACT_SPREAD. */
static void project_out(cn_exact_rows *rows, cn_exact_point *p, double *v, const double *weight)
{
	double *x = p->wx[0], *change = p->wr[3], last = DBL_MAX;
	size_t n = 6 * (size_t)rows->bodies;
	for (int again = 0; again < 40; ++again) {
		cn_exact_turned(rows, v, x);
		double off = largest(x, n);
		if (off == 0 || (again > 3 && off > 0.9 * last))
			return;
		last = off;
		for (size_t k = 0; k < n; ++k)
			x[k] /= CN_EXACT_SPREAD;
		cn_block_solve(&rows->matrix, x);
		cn_exact_times(rows, x, change);
		for (uint32_t r = 0; r < rows->count; ++r)
			if (weight[r] > 0)
				v[r] -= change[r];
	}
}

void cn_exact_shrink(cn_exact_rows *rows, cn_exact_point *p)
{
	double *v = p->wr[0], *weight = p->wr[4], most = 1;
	for (uint32_t r = 0; r < rows->count; ++r) {
		bool active = rows->kind[r] == CN_EXACT_EQUAL || p->y[r] > p->s[r];
		weight[r] = active ? 1 / CN_EXACT_SPREAD : 0;
		v[r] = active ? p->y[r] : 0;
	}
	cn_exact_factor(rows, weight);
	project_out(rows, p, v, weight);
	for (uint32_t r = 0; r < rows->count; ++r)
		if (rows->kind[r] == CN_EXACT_MIN && weight[r] > 0 && most * v[r] > p->y[r])
			most = p->y[r] / v[r];
	for (uint32_t r = 0; r < rows->count; ++r) {
		p->y[r] -= most * v[r];
		if (rows->kind[r] == CN_EXACT_MIN && !(p->y[r] > 0))
			p->y[r] = 0;
	}
}

/* v says that a point at distance R lacks value / |v| - R |A'v| / |v| somewhere. The rows' own rounding must not decide. */
static bool proves(const cn_exact_rows *rows, cn_exact_point *p, const double *v)
{
	double value = 0, size = 0, sum = 0;
	cn_exact_turned(rows, v, p->wx[0]);
	double off = sqrt(square(p->wx[0], 6 * (size_t)rows->bodies));
	for (uint32_t r = 0; r < rows->count; ++r) {
		if (rows->kind[r] == CN_EXACT_MIN && !(v[r] >= 0))
			return false;
		value += v[r] * rows->b[r];
		size += fabs(v[r] * rows->b[r]);
		sum += fabs(v[r]);
	}
	return sum > CN_EXACT_LITTLE && value > CN_EXACT_REACH * off + CN_EXACT_ROUNDING * size &&
	       value > (CN_EXACT_CONTRADICTION + rows->doubt) * sum;
}

bool cn_exact_certify(cn_exact_rows *rows, cn_exact_point *p, const double *y)
{
	double *v = p->wr[0], *weight = p->wr[4], most = largest(y, rows->count);
	if (rows->cones || !(most > 0) || !(most < 1e300))
		return false;
	for (uint32_t r = 0; r < rows->count; ++r)
		v[r] = rows->kind[r] == CN_EXACT_MIN && !(y[r] > 1e-9 * most) ? 0 : y[r] / most;
	for (int round = 0; round < 12; ++round) {
		bool negative = false;
		double size = largest(v, rows->count);
		if (!(size > CN_EXACT_LITTLE))
			return false;
		for (uint32_t r = 0; r < rows->count; ++r)
			weight[r] = rows->kind[r] == CN_EXACT_EQUAL || v[r] > 0 ? 1 / CN_EXACT_SPREAD : 0;
		cn_exact_factor(rows, weight);
		project_out(rows, p, v, weight);
		for (uint32_t r = 0; r < rows->count; ++r)
			if (rows->kind[r] == CN_EXACT_MIN && v[r] < 0) {
				v[r] = 0;
				negative = true;
			}
		if (!negative)
			break;
	}
	if (!proves(rows, p, v))
		return false;
	memcpy(p->y, v, rows->count * sizeof *v);
	return true;
}
