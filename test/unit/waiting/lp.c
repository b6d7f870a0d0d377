/* See lp.h. The simplex method on a dense tableau, two phases, Bland's rule once the objective stops improving, so that degenerate
 * pivots cannot cycle. min c.x, Ax - s = b, x, s >= 0; rows with b > 0 get an artificial unknown for the first phase. */
#include "waiting/lp.h"

#include "base/arena.h"
#include "base/tolerance.h"
#include "num/power.h"
#include "waiting/tolerance.h"

#include <math.h>
#include <string.h>

typedef struct simplex {
	uint32_t rows, real, columns; /* real: x and s; columns: and the artificial ones; the right-hand side comes last */
	double *cell, *cost;          /* cost: the reduced costs, the negative of the objective last */
	uint32_t *basic;
	double *row_scale, *column_scale;
} simplex;

static double *row_of(const simplex *t, uint32_t row) { return t->cell + (size_t)row * (t->columns + 1); }

static void pivot(simplex *t, uint32_t row, uint32_t column)
{
	double *p = row_of(t, row), f = 1 / p[column];
	for (uint32_t c = 0; c <= t->columns; ++c)
		p[c] *= f;
	p[column] = 1;
	for (uint32_t r = 0; r <= t->rows; ++r) {
		double *q = r < t->rows ? row_of(t, r) : t->cost, g = q[column];
		if (r == row || g == 0)
			continue;
		for (uint32_t c = 0; c <= t->columns; ++c)
			q[c] -= g * p[c];
		q[column] = 0;
	}
	t->basic[row] = column;
}

/* Steepest reduced cost, or the first one (Bland). columns where none is negative. */
static uint32_t entering(const simplex *t, uint32_t among, bool first)
{
	uint32_t best = t->columns;
	double least = -CN_PIVOT_COST;
	for (uint32_t c = 0; c < among; ++c) {
		if (!(t->cost[c] < least))
			continue;
		best = c;
		least = t->cost[c];
		if (first)
			break;
	}
	return best;
}

/* The tightest row; of equal ones the one whose unknown has the least number. */
static uint32_t leaving(const simplex *t, uint32_t column)
{
	uint32_t best = t->rows;
	double least = INFINITY;
	for (uint32_t r = 0; r < t->rows; ++r) {
		const double *p = row_of(t, r);
		if (!(p[column] > CN_PIVOT_MIN))
			continue;
		double ratio = p[t->columns] / p[column];
		if (ratio < least || (ratio == least && t->basic[r] < t->basic[best]))
			best = r, least = ratio;
	}
	return best;
}

static cn_lp_status run(simplex *t, uint32_t among, uint32_t *pivots)
{
	uint32_t limit = 100 * (t->rows + t->columns) + 1000, idle = 0;
	double last = t->cost[t->columns];
	for (uint32_t k = 0; k < limit; ++k) {
		uint32_t column = entering(t, among, idle > t->rows + 20);
		if (column == t->columns)
			return CN_LP_SOLVED;
		uint32_t row = leaving(t, column);
		if (row == t->rows)
			return CN_LP_UNBOUNDED;
		pivot(t, row, column);
		++*pivots;
		idle = t->cost[t->columns] > last ? 0 : idle + 1;
		last = t->cost[t->columns];
	}
	return CN_LP_LIMIT;
}

/* Rows and columns to size 1; the right-hand side and the costs follow. */
static void find_scales(simplex *t, uint32_t n, const double *a)
{
	for (uint32_t i = 0; i < t->rows; ++i)
		t->row_scale[i] = 1;
	for (uint32_t j = 0; j < n; ++j)
		t->column_scale[j] = 1;
	for (int round = 0; round < 6; ++round) {
		for (uint32_t i = 0; i < t->rows; ++i) {
			double most = 0;
			for (uint32_t j = 0; j < n; ++j) {
				double v = fabs(a[(size_t)i * n + j]) * t->column_scale[j];
				most = v > most ? v : most;
			}
			t->row_scale[i] = 1 / cn_power_of_two(most);
		}
		for (uint32_t j = 0; j < n; ++j) {
			double most = 0;
			for (uint32_t i = 0; i < t->rows; ++i) {
				double v = fabs(a[(size_t)i * n + j]) * t->row_scale[i];
				most = v > most ? v : most;
			}
			t->column_scale[j] = 1 / cn_power_of_two(most);
		}
	}
}

static void fill(simplex *t, uint32_t n, const double *a, const double *b)
{
	uint32_t artificial = t->real;
	for (uint32_t i = 0; i < t->rows; ++i) {
		double *p = row_of(t, i), rhs = b[i] * t->row_scale[i], sign = rhs > 0 ? 1 : -1;
		for (uint32_t j = 0; j < n; ++j)
			p[j] = sign * a[(size_t)i * n + j] * t->row_scale[i] * t->column_scale[j];
		p[n + i] = -sign;
		p[t->columns] = sign * rhs;
		t->basic[i] = n + i;
		if (sign > 0) {
			p[artificial] = 1;
			t->basic[i] = artificial++;
		}
	}
}

/* Reduced costs of given costs for the basis as it stands. */
static void price(simplex *t, const double *c)
{
	memcpy(t->cost, c, (t->columns + 1) * sizeof *t->cost);
	for (uint32_t r = 0; r < t->rows; ++r) {
		double f = c[t->basic[r]];
		const double *p = row_of(t, r);
		if (f != 0)
			for (uint32_t k = 0; k <= t->columns; ++k)
				t->cost[k] -= f * p[k];
	}
}

/* Artificial unknowns that stay in the basis at zero are exchanged for real ones; rows that have none are redundant. */
static void drive_out(simplex *t)
{
	for (uint32_t r = 0; r < t->rows; ++r) {
		if (t->basic[r] < t->real)
			continue;
		double *p = row_of(t, r);
		uint32_t best = t->real;
		for (uint32_t c = 0; c < t->real; ++c)
			if (fabs(p[c]) > CN_PIVOT_MIN && (best == t->real || fabs(p[c]) > fabs(p[best])))
				best = c;
		if (best < t->real)
			pivot(t, r, best);
		else
			memset(p, 0, (t->columns + 1) * sizeof *p);
	}
}

static cn_lp_status solve(simplex *t, const cn_lp *g, double *costs, double *y, uint32_t *pivots)
{
	find_scales(t, g->columns, g->a);
	fill(t, g->columns, g->a, g->b);
	memset(costs, 0, (t->columns + 1) * sizeof *costs);
	for (uint32_t k = t->real; k < t->columns; ++k)
		costs[k] = 1;
	price(t, costs);
	double start = -t->cost[t->columns], size = 0;
	cn_lp_status status = start > 0 ? run(t, t->columns, pivots) : CN_LP_SOLVED;
	for (uint32_t i = 0; i < g->rows; ++i)
		size += fabs(g->b[i]) * t->row_scale[i];
	if (status == CN_LP_SOLVED && -t->cost[t->columns] > CN_PIVOT_COST * size) {
		status = CN_LP_INFEASIBLE;
	} else if (status == CN_LP_SOLVED) {
		drive_out(t);
		double unit = 0;
		memset(costs, 0, (t->columns + 1) * sizeof *costs);
		for (uint32_t j = 0; j < g->columns; ++j) {
			costs[j] = g->c[j] * t->column_scale[j];
			unit = fabs(costs[j]) > unit ? fabs(costs[j]) : unit;
		}
		unit = cn_power_of_two(unit);
		for (uint32_t j = 0; j < g->columns; ++j)
			costs[j] /= unit;
		price(t, costs);
		status = run(t, t->real, pivots);
		if (y) /* the reduced cost of a slack is its row's multiplier */
			for (uint32_t i = 0; i < g->rows; ++i)
				y[i] = (t->cost[g->columns + i] > 0 ? t->cost[g->columns + i] : 0) * t->row_scale[i] * unit;
		return status;
	}
	if (y)
		for (uint32_t i = 0; i < g->rows; ++i)
			y[i] = (t->cost[g->columns + i] > 0 ? t->cost[g->columns + i] : 0) * t->row_scale[i];
	return status;
}

cn_lp_status cn_lp_solve(const cairn_allocator *allocator, const cn_lp *program, double *x, double *y, uint32_t *pivots)
{
	uint32_t rows = program->rows, columns = program->columns;
	cn_arena arena = cn_arena_make(allocator);
	uint32_t artificial = 0, count = 0;
	for (uint32_t i = 0; i < rows; ++i)
		artificial += program->b[i] > 0;
	simplex t = {.rows = rows, .real = columns + rows, .columns = columns + rows + artificial};
	t.cell = cn_arena_take(&arena, (size_t)rows * ((size_t)t.columns + 1), sizeof *t.cell);
	t.cost = cn_arena_take(&arena, (size_t)t.columns + 1, sizeof *t.cost);
	t.basic = cn_arena_take(&arena, rows, sizeof *t.basic);
	t.row_scale = cn_arena_take(&arena, rows, sizeof *t.row_scale);
	t.column_scale = cn_arena_take(&arena, columns, sizeof *t.column_scale);
	double *costs = cn_arena_take(&arena, (size_t)t.columns + 1, sizeof *costs);
	cn_lp_status status = CN_LP_MEMORY;
	for (uint32_t j = 0; j < columns; ++j)
		x[j] = 0;
	if (!arena.failed) {
		status = solve(&t, program, costs, y, &count);
		for (uint32_t r = 0; status == CN_LP_SOLVED && r < rows; ++r)
			if (t.basic[r] < columns) {
				double value = row_of(&t, r)[t.columns];
				x[t.basic[r]] = value > 0 ? value * t.column_scale[t.basic[r]] : 0;
			}
	}
	if (pivots)
		*pivots = count;
	cn_arena_free(&arena);
	return status;
}
