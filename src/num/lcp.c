/* See lcp.h. Lemke's method on a dense tableau of w - Mz - e z0 = q. The basis starts with all w; z0 enters first, then always
 * the complement of what left, until z0 leaves. Rows tie where contacts are redundant; the lexicographic rule, which compares
 * whole rows of the inverse basis (the columns of w), makes every choice unique and cycling impossible. Rows are scaled by
 * their own size first. */
#include "num/lcp.h"

#include "base/tolerance.h"

#include <math.h>

#define CN_PIVOT_MIN 1e-11 /* of a column: a smaller pivot is rounding */
#define CN_PIVOT_TIE 1e-12 /* relative: two ratios this close are equal, and the next column decides */
#define CN_PIVOT_MOST 10   /* for each unknown: two are usual; more go round in circles by rounding */
#define CN_PIVOT_REST 1e-9 /* of the first approach: what redundant rows may disagree by */

typedef struct tableau {
	uint32_t n, columns; /* w: 0..n-1, z: n..2n-1, z0: 2n, the right-hand side: 2n+1 */
	double *cell;
	uint32_t *basic; /* what stands in each row */
} tableau;

static double *row_of(const tableau *t, uint32_t row) { return t->cell + (size_t)row * t->columns; }

static void pivot(tableau *t, uint32_t row, uint32_t column)
{
	double *p = row_of(t, row), f = 1 / p[column];
	for (uint32_t c = 0; c < t->columns; ++c)
		p[c] *= f;
	p[column] = 1;
	for (uint32_t r = 0; r < t->n; ++r) {
		double *q = row_of(t, r), g = q[column];
		if (r == row || g == 0)
			continue;
		for (uint32_t c = 0; c < t->columns; ++c)
			q[c] -= g * p[c];
		q[column] = 0;
	}
	t->basic[row] = column;
}

/* Row a's ratios come before row b's: the right-hand side first, then the inverse basis column by column. */
static bool earlier(const tableau *t, uint32_t a, uint32_t b, uint32_t column)
{
	const double *p = row_of(t, a), *q = row_of(t, b);
	double fa = 1 / p[column], fb = 1 / q[column];
	double x = p[2 * t->n + 1] * fa, y = q[2 * t->n + 1] * fb;
	double size = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
	if (fabs(x - y) > CN_PIVOT_TIE * size)
		return x < y;
	for (uint32_t c = 0; c < t->n; ++c) {
		double u = p[c] * fa, v = q[c] * fb;
		size = fabs(u) > fabs(v) ? fabs(u) : fabs(v);
		if (fabs(u - v) > CN_PIVOT_TIE * size)
			return u < v;
	}
	return a < b;
}

/* The row that leaves when a column enters; n where none bounds it. z0's row is taken where it ties on the right-hand side. */
static uint32_t leaving(const tableau *t, uint32_t column)
{
	uint32_t best = t->n;
	double most = 0;
	for (uint32_t r = 0; r < t->n; ++r)
		most = fabs(row_of(t, r)[column]) > most ? fabs(row_of(t, r)[column]) : most;
	for (uint32_t r = 0; r < t->n; ++r) {
		if (!(row_of(t, r)[column] > CN_PIVOT_MIN * most))
			continue;
		if (best == t->n || earlier(t, r, best, column))
			best = r;
	}
	if (best == t->n)
		return best;
	const double *b = row_of(t, best);
	for (uint32_t r = 0; r < t->n; ++r) {
		const double *p = row_of(t, r);
		if (t->basic[r] != 2 * t->n || !(p[column] > CN_PIVOT_MIN * most))
			continue;
		double x = p[2 * t->n + 1] / p[column], y = b[2 * t->n + 1] / b[column];
		if (x - y <= CN_PIVOT_TIE * (fabs(x) + fabs(y)))
			return r;
	}
	return best;
}

static void fill(tableau *t, const double *m, const double *q)
{
	uint32_t n = t->n;
	for (uint32_t r = 0; r < n; ++r) {
		double *row = row_of(t, r), size = 0;
		for (uint32_t c = 0; c < n; ++c)
			size = fabs(m[(size_t)r * n + c]) > size ? fabs(m[(size_t)r * n + c]) : size;
		double f = size > 0 ? 1 / size : 1;
		row[r] = 1; /* the scale of a row only means another unit of w: the basis starts as the identity */
		for (uint32_t c = 0; c < n; ++c)
			row[n + c] = -f * m[(size_t)r * n + c];
		row[2 * n] = -1;
		row[2 * n + 1] = f * q[r];
		t->basic[r] = r;
	}
}

/* What is left of z0: where redundant rows disagree by rounding it cannot leave, and need not. */
static bool done_but_for_rounding(const tableau *t, double start)
{
	for (uint32_t r = 0; r < t->n; ++r)
		if (t->basic[r] == 2 * t->n)
			return row_of(t, r)[2 * t->n + 1] <= CN_PIVOT_REST * start;
	return true;
}

static cn_lcp_status run(tableau *t, uint32_t *pivots)
{
	uint32_t n = t->n, worst = 0, limit = CN_PIVOT_MOST * n + 100;
	for (uint32_t r = 1; r < n; ++r) /* of equals the last: by the lexicographic rule it is the least */
		if (row_of(t, r)[2 * n + 1] <= row_of(t, worst)[2 * n + 1])
			worst = r;
	if (!n || row_of(t, worst)[2 * n + 1] >= 0)
		return CN_LCP_SOLVED;
	uint32_t left = t->basic[worst];
	double start = -row_of(t, worst)[2 * n + 1];
	pivot(t, worst, 2 * n);
	for (*pivots = 1; *pivots < limit; ++*pivots) {
		uint32_t entering = left < n ? left + n : left - n, row = leaving(t, entering);
		if (row == n)
			return done_but_for_rounding(t, start) ? CN_LCP_SOLVED : CN_LCP_RAY;
		left = t->basic[row];
		pivot(t, row, entering);
		if (left == 2 * n)
			return CN_LCP_SOLVED;
	}
	return done_but_for_rounding(t, start) ? CN_LCP_SOLVED : CN_LCP_LIMIT;
}

cn_lcp_status cn_lcp_solve(cn_arena *arena, uint32_t n, const double *m, const double *q, double *z, uint32_t *pivots)
{
	cn_arena_mark mark = cn_arena_here(arena);
	tableau t = {.n = n, .columns = 2 * n + 2};
	uint32_t count = 0;
	cn_lcp_status status = CN_LCP_MEMORY;
	t.cell = cn_arena_take(arena, (size_t)n * t.columns, sizeof *t.cell);
	t.basic = cn_arena_take(arena, n, sizeof *t.basic);
	for (uint32_t i = 0; i < n; ++i)
		z[i] = 0;
	if (t.cell && t.basic) {
		fill(&t, m, q);
		status = run(&t, &count);
		for (uint32_t r = 0; status == CN_LCP_SOLVED && r < n; ++r) {
			double value = row_of(&t, r)[2 * n + 1];
			if (t.basic[r] >= n && t.basic[r] < 2 * n)
				z[t.basic[r] - n] = value > 0 ? value : 0;
		}
	}
	if (pivots)
		*pivots = count;
	cn_arena_return(arena, mark);
	return status;
}
