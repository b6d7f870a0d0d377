/* See sparse_qp.h. With the rows written as Cx + s = d (equalities: s = 0; Gx >= h as -Gx + s = -h, s >= 0) the method
 * looks for a point of the homogeneous embedding
 *
 *     Px + C'z + q tau = 0,   Cx + s = d tau,   kappa + q.x + d.z + x.Px/tau = 0
 *     s, z, tau, kappa >= 0,   s.z = tau kappa = 0
 *
 * which always has one: tau > 0 gives the solution x/tau, z/tau; tau = 0 a certificate that there is none. Newton steps
 * with Mehrotra's predictor and corrector; the matrix [P C'; C -s/z] is quasi-definite and factored as LDL' with a
 * small shift on its diagonal, so that redundant rows and unknowns that nothing holds do no harm. The program is scaled
 * first so that rows and columns have entries of size 1.
 *
 * A program that the method does not finish, because its solutions reach to infinity and it runs after them or because
 * nothing holds it to one of them, is solved again by proximal steps: with delta/2 |x - r|^2 added it has one solution,
 * near r; that becomes the next r. A few steps end at a solution of the program itself. */
#include "num/sparse_qp.h"

#include "base/arena.h"
#include "num/ldl.h"
#include "num/power.h"

#include <math.h>
#include <string.h>

#define CN_SPARSE_ACCURACY 1e-10 /* of the scaled program's residuals and gap: six digits more than a picture shows */
#define CN_SPARSE_FLOOR                                                                                                \
	1e-4 /* of the scaled objective: values below it are measured against it, not against themselves */
#define CN_SPARSE_PROX 1e-6 /* delta of the proximal steps: far above rounding, and few steps are needed */
#define CN_KKT_SHIFT                                                                                                   \
	1e-7 /* on the diagonal of the scaled KKT matrix: its square is above rounding, so no pivot drowns */
#define CN_KKT_PIVOT 1e-8 /* a pivot below this is rounding: the shift alone gives more */

#define STEP_SHARE 0.99 /* of the way to the nearest bound */
enum {
	SCALE_ROUNDS = 12,
	SCALE_RANGE = 1024,
	REFINE_ROUNDS = 8,
	MOST_ITERATIONS = 200,
	MOST_IDLE = 12,
	MOST_PROXIMAL = 30
};

/* ---- the scaled program */

typedef struct solver {
	const cn_sparse_qp *given;
	uint32_t n, equal, m; /* unknowns, equality rows, all rows */
	cn_entry *c;          /* the entries of C */
	cn_entry *p;          /* the upper triangle of P */
	uint32_t c_count, p_count;
	double *q, *d;
	double *column, *row; /* x = beta column x', z = row z' beta_p / beta, s = beta s' / row */
	double beta, weight;  /* the objective is multiplied by weight */
	double share;         /* of CN_KKT_SHIFT and CN_KKT_PIVOT */
	struct {
		double *q, *centre; /* q as given; r */
		double delta;       /* the solver's q then has -delta r in it */
	} proximal;
	double *x, *z, *s, tau, kappa;
	double *rhs, *refined, *residual;
	double *dx1, *dz1, *dx2, *dz2, *ds, *dx, *dz, *aff_s, *aff_z, *rx, *rz, *rc, *px;
	struct {
		cn_entry *entries;
		double *values;
		uint32_t count;
		cn_ldl *ldl;
	} matrix; /* [P C'; C -s/z] */
} solver;

static double largest(const double *x, uint32_t n)
{
	double most = 0;
	for (uint32_t i = 0; i < n; ++i)
		most = fabs(x[i]) > most ? fabs(x[i]) : most;
	return most;
}

static double dot(const double *a, const double *b, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; ++i)
		sum += a[i] * b[i];
	return sum;
}

static uint32_t copy_entries(const cn_sparse *m, cn_entry *out, uint32_t row0, double sign)
{
	uint32_t count = 0;
	for (uint32_t c = 0; c < m->columns; ++c)
		for (uint32_t p = m->first[c]; p < m->first[c + 1]; ++p)
			out[count++] = (cn_entry){row0 + m->row[p], c, sign * m->value[p]};
	return count;
}

/* Multiplies rows and columns of C, and columns of P on both sides. */
static void rescale(solver *w, const double *col, const double *row)
{
	for (uint32_t e = 0; e < w->p_count; ++e)
		w->p[e].value *= col[w->p[e].row] * col[w->p[e].column];
	for (uint32_t e = 0; e < w->c_count; ++e)
		w->c[e].value *= row[w->c[e].row] * col[w->c[e].column];
	for (uint32_t i = 0; i < w->n; ++i)
		w->column[i] *= col[i];
	for (uint32_t i = 0; i < w->m; ++i)
		w->row[i] *= row[i];
}

static void raise(double *most, double value)
{
	if (fabs(value) > *most)
		*most = fabs(value);
}

/* Unknowns that have a square of their own are measured by it: the metric of the program. The others begin with the
 * middle of those scales, and rows follow. */
static void scale_by_squares(solver *w)
{
	double *col = w->dx, *row = w->dz;
	int64_t sum = 0, count = 0;
	memset(col, 0, w->n * sizeof *col);
	memset(row, 0, w->m * sizeof *row);
	for (uint32_t e = 0; e < w->p_count; ++e)
		if (w->p[e].row == w->p[e].column && w->p[e].value > 0) {
			int exponent;
			col[w->p[e].row] = 1 / cn_power_of_two(sqrt(w->p[e].value));
			frexp(col[w->p[e].row], &exponent);
			sum += exponent - 1;
			++count;
		}
	double middle = count ? ldexp(1, (int)(sum / count)) : 1;
	for (uint32_t i = 0; i < w->n; ++i) { /* a square that is next to nothing says nothing */
		col[i] = col[i] > 0 ? col[i] : middle;
		col[i] = col[i] > middle * SCALE_RANGE ? middle * SCALE_RANGE : col[i];
		col[i] = col[i] < middle / SCALE_RANGE ? middle / SCALE_RANGE : col[i];
	}
	for (uint32_t e = 0; e < w->c_count; ++e)
		raise(&row[w->c[e].row], w->c[e].value * col[w->c[e].column]);
	for (uint32_t i = 0; i < w->m; ++i)
		row[i] = 1 / cn_power_of_two(row[i]);
	rescale(w, col, row);
}

/* One round of bringing every row to size 1, and every column of an unknown without a square. */
static void scale_round(solver *w)
{
	double *col = w->dx, *row = w->dz, *squared = w->dx1;
	memset(col, 0, w->n * sizeof *col);
	memset(row, 0, w->m * sizeof *row);
	memset(squared, 0, w->n * sizeof *squared);
	for (uint32_t e = 0; e < w->p_count; ++e)
		if (w->p[e].row == w->p[e].column)
			raise(&squared[w->p[e].row], w->p[e].value);
	for (uint32_t e = 0; e < w->c_count; ++e) {
		raise(&col[w->c[e].column], w->c[e].value);
		raise(&row[w->c[e].row], w->c[e].value);
	}
	for (uint32_t i = 0; i < w->n; ++i)
		col[i] = squared[i] > 0 ? 1 : 1 / cn_power_of_two(sqrt(col[i]));
	for (uint32_t i = 0; i < w->m; ++i)
		row[i] = 1 / cn_power_of_two(sqrt(row[i]));
	rescale(w, col, row);
}

static double size_of_p(const solver *w)
{
	double most = 0;
	for (uint32_t e = 0; e < w->p_count; ++e)
		raise(&most, w->p[e].value);
	return most;
}

static void equilibrate(solver *w)
{
	for (uint32_t i = 0; i < w->n; ++i)
		w->column[i] = 1;
	for (uint32_t i = 0; i < w->m; ++i)
		w->row[i] = 1;
	scale_by_squares(w);
	for (int round = 0; round < SCALE_ROUNDS; ++round)
		scale_round(w);
	for (uint32_t i = 0; i < w->n; ++i)
		w->q[i] *= w->column[i];
	/* x in units of beta, so that the right-hand sides are of size 1; then the objective likewise. A row without
	 * entries says nothing about the size of x: its right-hand side is brought to 1 by itself. */
	double *entries = w->dz, size_d = 0;
	memset(entries, 0, w->m * sizeof *entries);
	for (uint32_t e = 0; e < w->c_count; ++e)
		raise(&entries[w->c[e].row], w->c[e].value);
	for (uint32_t i = 0; i < w->m; ++i) {
		w->d[i] *= w->row[i];
		if (entries[i] > 0)
			raise(&size_d, w->d[i]);
	}
	double size_q = largest(w->q, w->n), size_p = size_of_p(w);
	double free_x = size_p > 0 ? size_q / size_p : 0; /* where the objective alone would go */
	w->beta = cn_power_of_two(size_d > 0 ? size_d : free_x);
	double gradient = size_q > size_p * w->beta ? size_q : size_p * w->beta;
	w->weight = 1 / cn_power_of_two(gradient);
	for (uint32_t i = 0; i < w->m; ++i) {
		w->d[i] /= w->beta;
		if (!(entries[i] > 0)) {
			double f = 1 / cn_power_of_two(fabs(w->d[i]));
			w->d[i] *= f;
			w->row[i] *= f;
		}
	}
	for (uint32_t i = 0; i < w->n; ++i)
		w->q[i] *= w->weight;
	for (uint32_t e = 0; e < w->p_count; ++e)
		w->p[e].value *= w->weight * w->beta;
}

/* out = Px; out += C'z; out = Cx */
static void apply_p(const solver *w, const double *x, double *out)
{
	for (uint32_t i = 0; i < w->n; ++i)
		out[i] = w->proximal.delta * x[i];
	for (uint32_t e = 0; e < w->p_count; ++e) {
		const cn_entry *p = &w->p[e];
		out[p->row] += p->value * x[p->column];
		if (p->row != p->column)
			out[p->column] += p->value * x[p->row];
	}
}
static void add_ct(const solver *w, const double *z, double *out)
{
	for (uint32_t e = 0; e < w->c_count; ++e)
		out[w->c[e].column] += w->c[e].value * z[w->c[e].row];
}
static void apply_c(const solver *w, const double *x, double *out)
{
	memset(out, 0, w->m * sizeof *out);
	for (uint32_t e = 0; e < w->c_count; ++e)
		out[w->c[e].row] += w->c[e].value * x[w->c[e].column];
}

/* ---- the linear systems */

static bool make_kkt(solver *w, const cairn_allocator *allocator, cn_arena *arena)
{
	uint32_t size = w->n + w->m, count = 0;
	w->matrix.entries = cn_arena_take(arena, (size_t)w->p_count + w->c_count + size, sizeof *w->matrix.entries);
	w->matrix.values = cn_arena_take(arena, (size_t)w->p_count + w->c_count + size, sizeof *w->matrix.values);
	int8_t *signs = cn_arena_take(arena, size, sizeof *signs);
	if (arena->failed)
		return false;
	for (uint32_t i = 0; i < size; ++i) { /* the diagonal first */
		w->matrix.entries[count++] = (cn_entry){i, i, 0};
		signs[i] = i < w->n ? 1 : -1;
	}
	for (uint32_t e = 0; e < w->p_count; ++e)
		if (w->p[e].row != w->p[e].column)
			w->matrix.entries[count++] = w->p[e];
	for (uint32_t e = 0; e < w->c_count; ++e)
		w->matrix.entries[count++] = (cn_entry){w->c[e].column, w->n + w->c[e].row, w->c[e].value};
	for (uint32_t e = 0; e < w->p_count; ++e)
		if (w->p[e].row == w->p[e].column)
			w->matrix.entries[w->p[e].row].value = w->p[e].value;
	w->matrix.count = count;
	w->matrix.ldl = cn_ldl_make(allocator, size, w->matrix.entries, count, signs);
	return w->matrix.ldl != NULL;
}

static double ratio(const solver *w, uint32_t i) { return i < w->equal ? 0 : w->s[i] / w->z[i]; }

static void factor(solver *w)
{
	for (uint32_t e = 0; e < w->matrix.count; ++e)
		w->matrix.values[e] = w->matrix.entries[e].value;
	for (uint32_t i = 0; i < w->n; ++i)
		w->matrix.values[i] += w->proximal.delta + w->share * CN_KKT_SHIFT;
	for (uint32_t i = 0; i < w->m; ++i)
		w->matrix.values[w->n + i] = -ratio(w, i) - w->share * CN_KKT_SHIFT;
	cn_ldl_factor(w->matrix.ldl, w->matrix.values, w->share * CN_KKT_PIVOT);
}

/* residual = rhs - [P C'; C -s/z] v */
static double remainder_of(solver *w, const double *v)
{
	uint32_t n = w->n, m = w->m;
	double *rx = w->residual, *rz = w->residual + n;
	apply_p(w, v, rx);
	add_ct(w, v + n, rx);
	apply_c(w, v, rz);
	for (uint32_t i = 0; i < n; ++i)
		rx[i] = w->rhs[i] - rx[i];
	for (uint32_t i = 0; i < m; ++i)
		rz[i] = w->rhs[n + i] - (rz[i] - ratio(w, i) * v[n + i]);
	return largest(w->residual, n + m);
}

/* The shifted system, refined against the one without the shift as long as that brings it nearer: all the way where
 * that one has a solution, and not at all where its rows contradict each other and the answer has to run off along the
 * contradiction. */
static void solve(solver *w, double *x, double *z)
{
	uint32_t n = w->n, size = n + w->m;
	double *v = w->refined;
	memcpy(v, w->rhs, size * sizeof *v);
	cn_ldl_solve(w->matrix.ldl, v);
	memcpy(x, v, n * sizeof *x);
	memcpy(z, v + n, w->m * sizeof *z);
	double last = remainder_of(w, v);
	for (int round = 0; round < REFINE_ROUNDS && last > 0; ++round) {
		cn_ldl_solve(w->matrix.ldl, w->residual);
		for (uint32_t i = 0; i < size; ++i)
			v[i] += w->residual[i];
		double now = remainder_of(w, v);
		if (!(now < last))
			return;
		memcpy(x, v, n * sizeof *x);
		memcpy(z, v + n, w->m * sizeof *z);
		if (now > 0.5 * last)
			return;
		last = now;
	}
}

/* ---- one iteration */

/* (dx, dz, ds, dtau, dkappa) for: residuals reduced by `share`, s.z and tau.kappa by the right-hand sides rc (per row)
 * and rk. */
static void direction(solver *w, double share, double r_tau, double rk, double *dtau, double *dkappa)
{
	uint32_t n = w->n, m = w->m;
	for (uint32_t i = 0; i < n; ++i)
		w->rhs[i] = -share * w->rx[i];
	for (uint32_t i = 0; i < m; ++i)
		w->rhs[n + i] = -share * w->rz[i] + (i < w->equal ? 0 : w->rc[i] / w->z[i]);
	solve(w, w->dx1, w->dz1);
	/* px holds P xi, xi = x / tau. */
	double bend = dot(w->x, w->px, n) / w->tau;
	double along2 = dot(w->q, w->dx2, n) + 2 * dot(w->px, w->dx2, n) + dot(w->d, w->dz2, m);
	double along1 = dot(w->q, w->dx1, n) + 2 * dot(w->px, w->dx1, n) + dot(w->d, w->dz1, m);
	double pivot = -w->kappa / w->tau - bend + along2;
	*dtau = pivot != 0 ? (-share * r_tau + rk / w->tau - along1) / pivot : 0;
	*dkappa = (-rk - w->kappa * *dtau) / w->tau;
	for (uint32_t i = 0; i < n; ++i)
		w->dx[i] = w->dx1[i] + *dtau * w->dx2[i];
	for (uint32_t i = 0; i < m; ++i) {
		w->dz[i] = w->dz1[i] + *dtau * w->dz2[i];
		w->ds[i] = i < w->equal ? 0 : -w->rc[i] / w->z[i] - ratio(w, i) * w->dz[i];
	}
}

/* The longest step that keeps everything positive; a little more than 1 where nothing is in the way. */
static double longest(const solver *w, double dtau, double dkappa)
{
	double step = 1 / STEP_SHARE;
	for (uint32_t i = w->equal; i < w->m; ++i) {
		if (w->ds[i] < 0 && -w->s[i] / w->ds[i] < step)
			step = -w->s[i] / w->ds[i];
		if (w->dz[i] < 0 && -w->z[i] / w->dz[i] < step)
			step = -w->z[i] / w->dz[i];
	}
	if (dtau < 0 && -w->tau / dtau < step)
		step = -w->tau / dtau;
	if (dkappa < 0 && -w->kappa / dkappa < step)
		step = -w->kappa / dkappa;
	return step;
}

static double products(const solver *w)
{
	double sum = w->tau * w->kappa;
	for (uint32_t i = w->equal; i < w->m; ++i)
		sum += w->s[i] * w->z[i];
	return sum;
}

/* Residuals of the embedding; px = P x / tau. Returns that of the last equation. */
static double residuals(solver *w)
{
	apply_p(w, w->x, w->px);
	double xpx = dot(w->x, w->px, w->n), qx = dot(w->q, w->x, w->n), dz = dot(w->d, w->z, w->m);
	for (uint32_t i = 0; i < w->n; ++i)
		w->rx[i] = w->px[i] + w->q[i] * w->tau;
	add_ct(w, w->z, w->rx);
	apply_c(w, w->x, w->rz);
	for (uint32_t i = 0; i < w->m; ++i)
		w->rz[i] += w->s[i] - w->d[i] * w->tau;
	for (uint32_t i = 0; i < w->n; ++i)
		w->px[i] /= w->tau;
	return w->kappa + qx + dz + xpx / w->tau;
}

static void iterate(solver *w, double r_tau)
{
	uint32_t n = w->n, m = w->m, degree = m - w->equal + 1;
	double mu = products(w) / degree, dtau, dkappa;
	factor(w);
	for (uint32_t i = 0; i < n; ++i)
		w->rhs[i] = -w->q[i];
	memcpy(w->rhs + n, w->d, m * sizeof *w->rhs);
	solve(w, w->dx2, w->dz2);
	for (uint32_t i = w->equal; i < m; ++i)
		w->rc[i] = w->s[i] * w->z[i];
	direction(w, 1, r_tau, w->tau * w->kappa, &dtau, &dkappa);
	double step = longest(w, dtau, dkappa), rest = step < 1 ? 1 - step : 0, sigma = rest * rest * rest;
	for (uint32_t i = w->equal; i < m; ++i)
		w->rc[i] = w->s[i] * w->z[i] + w->ds[i] * w->dz[i] - sigma * mu;
	direction(w, 1 - sigma, r_tau, w->tau * w->kappa + dtau * dkappa - sigma * mu, &dtau, &dkappa);
	step = STEP_SHARE * longest(w, dtau, dkappa);
	for (uint32_t i = 0; i < n; ++i)
		w->x[i] += step * w->dx[i];
	for (uint32_t i = 0; i < m; ++i) {
		w->z[i] += step * w->dz[i];
		w->s[i] += step * w->ds[i];
	}
	w->tau += step * dtau;
	w->kappa += step * dkappa;
}

/* The embedding is homogeneous: kept at a size at which nothing over- or underflows. */
static void normalise(solver *w)
{
	double size = w->tau > w->kappa ? w->tau : w->kappa, most = largest(w->z, w->m), far = largest(w->x, w->n);
	size = most > size ? most : size;
	size = far > size ? far : size;
	if (size > 1e-3 && size < 1e3)
		return;
	double f = 1 / cn_power_of_two(size);
	for (uint32_t i = 0; i < w->n; ++i)
		w->x[i] *= f;
	for (uint32_t i = 0; i < w->m; ++i)
		w->z[i] *= f, w->s[i] *= f;
	w->tau *= f;
	w->kappa *= f;
}

/* ---- where it stands */

static cn_sparse_status judge(solver *w, double tolerance, cn_sparse_result *result)
{
	uint32_t n = w->n, m = w->m;
	double t = w->tau, xpx = dot(w->x, w->px, n) / t, qx = dot(w->q, w->x, n) / t, dz = dot(w->d, w->z, m) / t;
	double primal = 0.5 * xpx + qx, dual = -0.5 * xpx - dz;
	double size = CN_SPARSE_FLOOR + (fabs(primal) < fabs(dual) ? fabs(primal) : fabs(dual));
	result->primal = largest(w->rz, m) / t / (1 + CN_SPARSE_FLOOR * largest(w->x, n) / t);
	result->dual = largest(w->rx, n) / t / (1 + CN_SPARSE_FLOOR * largest(w->z, m) / t);
	result->gap = fabs(primal - dual) / size;
	if (result->primal <= tolerance && result->dual <= tolerance && result->gap <= tolerance)
		return CN_SPARSE_SOLVED;
	/* Certificates: C'z = 0, d.z < 0; or Px = 0, Cx + s = 0, q.x < 0. */
	double value = dot(w->d, w->z, m);
	if (value < 0) {
		memset(w->dx1, 0, n * sizeof *w->dx1);
		add_ct(w, w->z, w->dx1);
		if (largest(w->dx1, n) <= tolerance * -value)
			return CN_SPARSE_INFEASIBLE;
	}
	value = dot(w->q, w->x, n);
	if (value < 0) {
		apply_c(w, w->x, w->dz1);
		for (uint32_t i = 0; i < m; ++i)
			w->dz1[i] += w->s[i];
		if (largest(w->dz1, m) <= tolerance * -value && largest(w->px, n) * w->tau <= tolerance * -value)
			return CN_SPARSE_UNBOUNDED;
	}
	return CN_SPARSE_EARLY;
}

/* Back to the given program's units. At a certificate tau means nothing: the direction is given at size 1. */
static void deliver(const solver *w, cn_sparse_status status, double *x, double *y, double *z)
{
	bool point = status == CN_SPARSE_SOLVED || status == CN_SPARSE_EARLY;
	double f = point ? 1 / w->tau : 1;
	for (uint32_t i = 0; i < w->n; ++i)
		x[i] = w->x[i] * f * w->beta * w->column[i];
	/* -y for equality rows: the Lagrangian here adds z.(Cx - d), sparse_qp.h subtracts. */
	for (uint32_t i = 0; i < w->m; ++i) {
		double value = w->z[i] * f * w->row[i] / w->weight;
		if (i < w->equal)
			y[i] = -value;
		else
			z[i - w->equal] = value > 0 ? value : 0;
	}
}

static bool prepare(solver *w, const cairn_allocator *allocator, cn_arena *arena)
{
	const cn_sparse_qp *g = w->given;
	w->n = g->p.columns;
	w->equal = g->a.rows;
	w->m = g->a.rows + g->g.rows;
	uint32_t n = w->n, m = w->m, size = n + m;
	uint32_t c_most = g->a.first[n] + g->g.first[n], p_most = g->p.first[n];
	w->c = cn_arena_take(arena, c_most, sizeof *w->c);
	w->p = cn_arena_take(arena, p_most, sizeof *w->p);
	double **all[] = {&w->q,   &w->column,  &w->x,       &w->dx1,        &w->dx2,
	                  &w->dx,  &w->rx,      &w->px,      &w->proximal.q, &w->proximal.centre,
	                  &w->d,   &w->row,     &w->z,       &w->s,          &w->dz1,
	                  &w->dz2, &w->dz,      &w->ds,      &w->rz,         &w->rc,
	                  &w->rhs, &w->refined, &w->residual};
	for (size_t i = 0; i < CN_COUNT(all); ++i)
		*all[i] = cn_arena_take(arena, i < 10 ? n : i < 20 ? m : size, sizeof **all[i]);
	if (arena->failed)
		return false;
	w->c_count = copy_entries(&g->a, w->c, 0, 1);
	w->c_count += copy_entries(&g->g, w->c + w->c_count, w->equal, -1);
	w->p_count = copy_entries(&g->p, w->p, 0, 1);
	memcpy(w->q, g->q, n * sizeof *w->q);
	if (w->equal)
		memcpy(w->d, g->b, w->equal * sizeof *w->d);
	for (uint32_t i = w->equal; i < m; ++i)
		w->d[i] = -g->h[i - w->equal];
	equilibrate(w);
	return make_kkt(w, allocator, arena);
}

static void start(solver *w)
{
	memset(w->x, 0, w->n * sizeof *w->x);
	for (uint32_t i = 0; i < w->m; ++i)
		w->s[i] = w->z[i] = i < w->equal ? 0 : 1;
	w->tau = w->kappa = 1;
}

/* From the start until the program is solved, proved to have no solution, or comes no nearer. */
static void run(solver *w, double tolerance, cn_sparse_result *result)
{
	double best[3] = {INFINITY, INFINITY, INFINITY};
	result->status = CN_SPARSE_EARLY;
	start(w);
	for (uint32_t k = 0, idle = 0; k < MOST_ITERATIONS && idle < MOST_IDLE; ++k) {
		double r_tau = residuals(w);
		result->status = judge(w, tolerance, result);
		const double now[3] = {result->primal, result->dual, result->gap};
		++idle;
		for (int i = 0; i < 3; ++i)
			if (now[i] < best[i] && (i < 2 || k > 0)) /* at the start the gap is 0 and says nothing */
				best[i] = now[i], idle = 0;
		if (result->status != CN_SPARSE_EARLY || !(products(w) > 1e-280))
			break;
		iterate(w, r_tau);
		normalise(w);
		++result->iterations;
	}
}

/* The proximal steps. Ends with the residuals of the program itself. */
static void approach(solver *w, double tolerance, cn_sparse_result *result)
{
	double *q = w->proximal.q, *r = w->proximal.centre;
	memcpy(q, w->q, w->n * sizeof *q);
	memset(r, 0, w->n * sizeof *r);
	w->proximal.delta = CN_SPARSE_PROX;
	for (int step = 0; step < MOST_PROXIMAL; ++step) {
		for (uint32_t i = 0; i < w->n; ++i)
			w->q[i] = q[i] - w->proximal.delta * r[i];
		run(w, tolerance, result);
		if (result->status != CN_SPARSE_SOLVED)
			break;
		double moved = 0;
		for (uint32_t i = 0; i < w->n; ++i) {
			raise(&moved, w->x[i] / w->tau - r[i]);
			r[i] = w->x[i] / w->tau;
		}
		if (w->proximal.delta * moved <= tolerance)
			break;
	}
	w->proximal.delta = 0;
	memcpy(w->q, q, w->n * sizeof *q);
	if (result->status == CN_SPARSE_SOLVED || result->status == CN_SPARSE_EARLY) {
		residuals(w);
		result->status = judge(w, tolerance, result);
	}
}

/* In the given units. */
static double objective(const cn_sparse_qp *program, const double *x)
{
	double sum = 0;
	for (uint32_t c = 0; c < program->p.columns; ++c) {
		sum += program->q[c] * x[c];
		for (uint32_t p = program->p.first[c]; p < program->p.first[c + 1]; ++p) {
			uint32_t r = program->p.row[p];
			sum += (r == c ? 0.5 : 1.0) * program->p.value[p] * x[r] * x[c];
		}
	}
	return sum;
}

cn_sparse_result cn_sparse_solve(const cairn_allocator *allocator, const cn_sparse_qp *program, double tolerance,
                                 double *x, double *y, double *z)
{
	cn_sparse_result result = {.status = CN_SPARSE_MEMORY};
	cn_arena arena = cn_arena_make(allocator);
	solver w = {.given = program};
	double asked = tolerance > 0 ? tolerance : CN_SPARSE_ACCURACY;
	if (prepare(&w, allocator, &arena)) {
		/* The large shift is safe from rounding; a small one gets nearer where next to nothing holds an unknown. */
		static const double shares[] = {1, 0.1, 0.01};
		result.status = CN_SPARSE_EARLY;
		for (size_t i = 0; i < CN_COUNT(shares) && result.status == CN_SPARSE_EARLY; ++i) {
			w.share = shares[i];
			run(&w, asked, &result);
		}
		w.share = 1;
		if (result.status == CN_SPARSE_EARLY)
			approach(&w, asked, &result);
		deliver(&w, result.status, x, y, z);
		result.objective = objective(program, x);
	}
	cn_ldl_free(allocator, w.matrix.ldl);
	cn_arena_free(&arena);
	return result;
}
