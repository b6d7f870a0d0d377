/* See lp.h. The simplex method on a dense tableau, two phases. min c.x, Ax - s = b, x, s >= 0; rows with b > 0 get an
 * artificial unknown for the first phase. Rows tie where contacts are redundant: then the lexicographic rule, which
 * compares whole rows of the inverse basis (the columns of the first basis), makes the choice unique, so that degenerate
 * pivots cannot cycle.
 *
 * Contacts that say the same leave rounding where zeros should be, and each pivot on rounding makes more of it: what a
 * sum cancels to rounding is put to zero, pivots are judged beside the largest of their column, and the tableau is made
 * anew from the program after so many pivots as it has rows, and before any end is believed. */
#include "num/lp.h"

#include "num/power.h"

#include <math.h>
#include <string.h>

#define CN_LP_PIVOT 1e-9     /* of a column's largest: what is not pivoted on */
#define CN_LP_SINGULAR 1e-11 /* of scaled rows: a smaller pivot of a rebuilt tableau is rounding */
#define CN_LP_TIE 1e-12  /* relative: two ratios this close are equal, and the next column decides; less is rounding */
#define CN_LP_SAME 1e-9  /* relative: entries of the inverse basis this close are equal */
#define CN_LP_COST 1e-10 /* of scaled costs: a reduced cost above minus this brings nothing */

typedef struct simplex {
	uint32_t rows, real, columns; /* real: x and s; columns: and the artificial ones; the right-hand side comes last */
	double *cell, *cost;          /* cost: the reduced costs, the negative of the objective last */
	double *first, *costs;        /* cells and costs as they were before the first pivot */
	uint32_t *basic, *start; /* what stands in each row; what stood there first: its column is one of the inverse */
	double *row_scale, *column_scale;
	double unit;     /* of right-hand sides */
	uint32_t pivots; /* since the tableau was made */
	bool second;     /* phase: artificial unknowns that are left stand in redundant rows */
} simplex;

static double *row_of(const simplex *t, uint32_t row) { return t->cell + (size_t)row * (t->columns + 1); }

/* a - b, or zero where that is only the rounding of the two. */
static double difference(double a, double b)
{
	double d = a - b;
	return fabs(d) > CN_LP_TIE * (fabs(a) + fabs(b)) ? d : 0;
}

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
			if (p[c] != 0)
				q[c] = difference(q[c], g * p[c]);
		q[column] = 0;
	}
	t->basic[row] = column;
	++t->pivots;
}

/* Reduced costs of the costs for the basis as it stands. */
static void price(simplex *t)
{
	memcpy(t->cost, t->costs, (t->columns + 1) * sizeof *t->cost);
	for (uint32_t r = 0; r < t->rows; ++r) {
		double f = t->costs[t->basic[r]];
		const double *p = row_of(t, r);
		if (f != 0)
			for (uint32_t k = 0; k <= t->columns; ++k)
				t->cost[k] -= f * p[k];
	}
}

/* The tableau of the basis from the program itself: each unknown of the basis is eliminated by the largest pivot of the
 * rows that are left. Returns false where the basis is singular: then it stays as it was. */
static bool rebuild(simplex *t, uint32_t *wanted)
{
	size_t size = (size_t)t->rows * (t->columns + 1);
	memcpy(wanted, t->basic, t->rows * sizeof *wanted);
	memcpy(t->cell, t->first, size * sizeof *t->cell);
	memset(t->cost, 0, (t->columns + 1) * sizeof *t->cost);
	for (uint32_t r = 0; r < t->rows; ++r)
		t->basic[r] = UINT32_MAX;
	bool whole = true;
	for (uint32_t k = 0; k < t->rows && whole; ++k) {
		uint32_t best = t->rows;
		for (uint32_t r = 0; r < t->rows; ++r)
			if (t->basic[r] == UINT32_MAX &&
			    (best == t->rows || fabs(row_of(t, r)[wanted[k]]) > fabs(row_of(t, best)[wanted[k]])))
				best = r;
		whole = fabs(row_of(t, best)[wanted[k]]) > CN_LP_SINGULAR;
		if (whole)
			pivot(t, best, wanted[k]);
	}
	t->pivots = 0;
	if (!whole)
		return false;
	for (uint32_t r = 0; r < t->rows; ++r) {
		double *p = row_of(t, r);
		if (t->second && t->basic[r] >= t->real)
			memset(p, 0, (t->columns + 1) * sizeof *p);
		if (fabs(p[t->columns]) < CN_LP_TIE * t->unit || p[t->columns] < 0)
			p[t->columns] = 0;
	}
	price(t);
	return true;
}

/* The steepest reduced cost. columns where none is negative. */
static uint32_t entering(const simplex *t, uint32_t among)
{
	uint32_t best = t->columns;
	double least = -CN_LP_COST;
	for (uint32_t c = 0; c < among; ++c)
		if (t->cost[c] < least)
			best = c, least = t->cost[c];
	return best;
}

/* Row a's ratios come before row b's: the right-hand side first, then the inverse basis column by column. */
static bool earlier(const simplex *t, uint32_t a, uint32_t b, uint32_t column)
{
	const double *p = row_of(t, a), *q = row_of(t, b);
	double fa = 1 / p[column], fb = 1 / q[column];
	double x = p[t->columns] * fa, y = q[t->columns] * fb;
	if (fabs(x - y) > CN_LP_TIE * (t->unit + fabs(x) + fabs(y)))
		return x < y;
	for (uint32_t i = 0; i < t->rows; ++i) {
		double u = p[t->start[i]] * fa, v = q[t->start[i]] * fb;
		if (fabs(u - v) > CN_LP_SAME * (fabs(u) + fabs(v)))
			return u < v;
	}
	return a < b;
}

/* The row that leaves when a column enters; rows where none bounds it. */
static uint32_t leaving(const simplex *t, uint32_t column)
{
	uint32_t best = t->rows;
	double most = 0;
	for (uint32_t r = 0; r < t->rows; ++r)
		most = fmax(most, fabs(row_of(t, r)[column]));
	for (uint32_t r = 0; r < t->rows; ++r)
		if (row_of(t, r)[column] > CN_LP_PIVOT * most && (best == t->rows || earlier(t, r, best, column)))
			best = r;
	return best;
}

static cn_lp_status run(simplex *t, uint32_t among, uint32_t *wanted, uint32_t *pivots)
{
	uint32_t limit = 100 * (t->rows + t->columns) + 1000;
	for (uint32_t k = 0; k < limit; ++k) {
		uint32_t column = entering(t, among), row = column < t->columns ? leaving(t, column) : t->rows;
		if (t->pivots > 0 && (row == t->rows || t->pivots > t->rows)) {
			if (!rebuild(t, wanted))
				return CN_LP_LIMIT;
			continue;
		}
		if (column == t->columns)
			return CN_LP_SOLVED;
		if (row == t->rows)
			return CN_LP_UNBOUNDED;
		pivot(t, row, column);
		++*pivots;
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
		t->start[i] = t->basic[i];
		t->unit = fmax(t->unit, fabs(rhs));
	}
	memcpy(t->first, t->cell, (size_t)t->rows * (t->columns + 1) * sizeof *t->cell);
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
			if (fabs(p[c]) > CN_LP_SINGULAR && (best == t->real || fabs(p[c]) > fabs(p[best])))
				best = c;
		if (best < t->real)
			pivot(t, r, best);
		else
			memset(p, 0, (t->columns + 1) * sizeof *p);
	}
}

static cn_lp_status solve(simplex *t, const cn_lp *g, uint32_t *wanted, double *y, uint32_t *pivots)
{
	double *costs = t->costs;
	find_scales(t, g->columns, g->a);
	fill(t, g->columns, g->a, g->b);
	memset(costs, 0, (t->columns + 1) * sizeof *costs);
	for (uint32_t k = t->real; k < t->columns; ++k)
		costs[k] = 1;
	price(t);
	double start = -t->cost[t->columns], size = 0;
	cn_lp_status status = start > 0 ? run(t, t->columns, wanted, pivots) : CN_LP_SOLVED;
	for (uint32_t i = 0; i < g->rows; ++i)
		size += fabs(g->b[i]) * t->row_scale[i];
	if (status == CN_LP_SOLVED && -t->cost[t->columns] > CN_LP_COST * size) {
		status = CN_LP_INFEASIBLE;
	} else if (status == CN_LP_SOLVED) {
		drive_out(t);
		t->second = true;
		double unit = 0;
		memset(costs, 0, (t->columns + 1) * sizeof *costs);
		for (uint32_t j = 0; j < g->columns; ++j) {
			costs[j] = g->c[j] * t->column_scale[j];
			unit = fabs(costs[j]) > unit ? fabs(costs[j]) : unit;
		}
		unit = cn_power_of_two(unit);
		for (uint32_t j = 0; j < g->columns; ++j)
			costs[j] /= unit;
		price(t);
		status = run(t, t->real, wanted, pivots);
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

cn_lp_status cn_lp_solve(cn_arena *arena, const cn_lp *program, double *x, double *y, uint32_t *pivots)
{
	uint32_t rows = program->rows, columns = program->columns;
	cn_arena_mark mark = cn_arena_here(arena);
	uint32_t artificial = 0, count = 0;
	for (uint32_t i = 0; i < rows; ++i)
		artificial += program->b[i] > 0;
	simplex t = {.rows = rows, .real = columns + rows, .columns = columns + rows + artificial};
	t.cell = cn_arena_take(arena, (size_t)rows * ((size_t)t.columns + 1), sizeof *t.cell);
	t.cost = cn_arena_take(arena, (size_t)t.columns + 1, sizeof *t.cost);
	t.basic = cn_arena_take(arena, rows, sizeof *t.basic);
	t.row_scale = cn_arena_take(arena, rows, sizeof *t.row_scale);
	t.column_scale = cn_arena_take(arena, columns, sizeof *t.column_scale);
	t.costs = cn_arena_take(arena, (size_t)t.columns + 1, sizeof *t.costs);
	t.first = cn_arena_take(arena, (size_t)rows * ((size_t)t.columns + 1), sizeof *t.first);
	t.start = cn_arena_take(arena, rows, sizeof *t.start);
	uint32_t *wanted = cn_arena_take(arena, rows, sizeof *wanted);
	cn_lp_status status = CN_LP_MEMORY;
	for (uint32_t j = 0; j < columns; ++j)
		x[j] = 0;
	if (!arena->failed) {
		status = solve(&t, program, wanted, y, &count);
		for (uint32_t r = 0; status == CN_LP_SOLVED && r < rows; ++r)
			if (t.basic[r] < columns) {
				double value = row_of(&t, r)[t.columns];
				x[t.basic[r]] = value > 0 ? value * t.column_scale[t.basic[r]] : 0;
			}
	}
	if (pivots)
		*pivots = count;
	cn_arena_return(arena, mark);
	return status;
}
