/* Any program with a diagonal Hessian and sparse rows, solved by Ipopt through its C interface to 1e-10. */
#ifndef ORACLE_H
#define ORACLE_H

#include <IpStdCInterface.h>

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define ORACLE_NO_BOUND 1e20 /* Ipopt takes larger ones for infinite already */

static inline void *oracle_take(size_t count, size_t size)
{
	void *block = calloc(count + 1, size);
	if (!block)
		abort();
	return block;
}

/* min sum 1/2 weight x^2 + linear x, low <= A x <= high; A as entries, equal places are added. */
typedef struct oracle {
	int unknowns, rows, entries, room, iterations;
	double *weight, *linear, *x; /* [unknowns]; x: the answer */
	double *low, *high;          /* [rows] */
	int *row, *column;           /* [entries] */
	double *value;
	double scale; /* Ipopt's unknowns are x / scale, its objective and rows likewise in units of scale^2 and scale */
} oracle;

static inline oracle oracle_open(uint32_t unknowns, uint32_t rows)
{
	oracle p = {.unknowns = (int)unknowns, .scale = 1};
	p.weight = oracle_take(unknowns, sizeof *p.weight);
	p.linear = oracle_take(unknowns, sizeof *p.linear);
	p.x = oracle_take(unknowns, sizeof *p.x);
	p.low = oracle_take(rows, sizeof *p.low);
	p.high = oracle_take(rows, sizeof *p.high);
	return p;
}

static inline void oracle_close(oracle *p)
{
	free(p->weight);
	free(p->linear);
	free(p->x);
	free(p->low);
	free(p->high);
	free(p->row);
	free(p->column);
	free(p->value);
}

static inline void oracle_put(oracle *p, int row, uint32_t column, double value)
{
	if (value == 0)
		return;
	if (p->entries == p->room) {
		p->room = p->room ? 2 * p->room : 1024;
		size_t room = (size_t)p->room;
		p->row = realloc(p->row, room * sizeof *p->row);
		p->column = realloc(p->column, room * sizeof *p->column);
		p->value = realloc(p->value, room * sizeof *p->value);
		if (!p->row || !p->column || !p->value)
			abort();
	}
	p->row[p->entries] = row;
	p->column[p->entries] = (int)column;
	p->value[p->entries++] = value;
}

/* Ends the row that was being written. */
static inline void oracle_end_row(oracle *p, double low, double high)
{
	p->low[p->rows] = low < -ORACLE_NO_BOUND ? -ORACLE_NO_BOUND : low;
	p->high[p->rows++] = high > ORACLE_NO_BOUND ? ORACLE_NO_BOUND : high;
}

static inline void oracle_values(const oracle *p, const double *x, double *g)
{
	for (int i = 0; i < p->rows; ++i)
		g[i] = 0;
	for (int i = 0; i < p->entries; ++i)
		g[p->row[i]] += p->value[i] * x[p->column[i]];
}

static inline Bool oracle_f(Index n, Number *x, Bool fresh, Number *f, UserDataPtr context)
{
	const oracle *p = context;
	(void)fresh;
	*f = 0;
	for (int i = 0; i < n; ++i)
		*f += (0.5 * p->weight[i] * x[i] + p->linear[i] / p->scale) * x[i];
	return TRUE;
}

static inline Bool oracle_gradient(Index n, Number *x, Bool fresh, Number *gradient, UserDataPtr context)
{
	const oracle *p = context;
	(void)fresh;
	for (int i = 0; i < n; ++i)
		gradient[i] = p->weight[i] * x[i] + p->linear[i] / p->scale;
	return TRUE;
}

static inline Bool oracle_g(Index n, Number *x, Bool fresh, Index m, Number *g, UserDataPtr context)
{
	(void)n;
	(void)fresh;
	(void)m;
	oracle_values(context, x, g);
	return TRUE;
}

static inline Bool oracle_jacobian(Index n, Number *x, Bool fresh, Index m, Index count, Index *row, Index *column,
                                   Number *value, UserDataPtr context)
{
	const oracle *p = context;
	(void)n;
	(void)x;
	(void)fresh;
	(void)m;
	for (int i = 0; i < count; ++i) {
		if (value) {
			value[i] = p->value[i];
		} else {
			row[i] = p->row[i];
			column[i] = p->column[i];
		}
	}
	return TRUE;
}

static inline Bool oracle_hessian(Index n, Number *x, Bool fresh, Number factor, Index m, Number *y, Bool fresh_y,
                                  Index count, Index *row, Index *column, Number *value, UserDataPtr context)
{
	const oracle *p = context;
	(void)n;
	(void)x;
	(void)fresh;
	(void)m;
	(void)y;
	(void)fresh_y;
	for (int i = 0; i < count; ++i) {
		if (value)
			value[i] = factor * p->weight[i];
		else
			row[i] = column[i] = i;
	}
	return TRUE;
}

static inline Bool oracle_count(Index mode, Index iteration, Number f, Number primal, Number dual, Number mu,
                                Number step, Number regularization, Number alpha_dual, Number alpha_primal,
                                Index trials, UserDataPtr context)
{
	oracle *p = context;
	(void)mode, (void)f, (void)primal, (void)dual, (void)mu, (void)step;
	(void)regularization, (void)alpha_dual, (void)alpha_primal, (void)trials;
	p->iterations = iteration;
	return TRUE;
}

/* Bounds are kept as they are: by itself Ipopt widens every one by 1e-8. */
static inline bool oracle_set_options(IpoptProblem ipopt)
{
	static char *const words[][2] = {
		{"sb", "yes"},
		{"nlp_scaling_method", "none"},
		{"jac_c_constant", "yes"},
		{"jac_d_constant", "yes"},
		{"hessian_constant", "yes"},
	};
	static char *const tolerances[] = {"tol", "constr_viol_tol", "dual_inf_tol", "compl_inf_tol"};
	bool good = AddIpoptIntOption(ipopt, "print_level", 0) && AddIpoptIntOption(ipopt, "acceptable_iter", 0) &&
	            AddIpoptNumOption(ipopt, "bound_relax_factor", 0) && AddIpoptNumOption(ipopt, "max_cpu_time", 60);
	for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
		good = good && AddIpoptStrOption(ipopt, words[i][0], words[i][1]);
	for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; ++i)
		good = good && AddIpoptNumOption(ipopt, tolerances[i], 1e-10);
	return good;
}

/* How far x = 0 is from the row it is farthest from: the answer is at least that far away, so that in this unit an
 * absolute tolerance is a relative one. Taken where it is below 1: at rest everything is far below the tolerance. */
static inline double oracle_distance(const oracle *p)
{
	double most = 0, *square = oracle_take((size_t)p->rows, sizeof *square);
	for (int i = 0; i < p->entries; ++i)
		square[p->row[i]] += p->value[i] * p->value[i];
	for (int i = 0; i < p->rows; ++i) {
		double lack = p->low[i] > -p->high[i] ? p->low[i] : -p->high[i], length = sqrt(square[i]);
		if (length > 0 && lack / length > most)
			most = lack / length;
	}
	free(square);
	return most;
}

static inline double *oracle_bounds(int count, const double *bounds, double scale)
{
	double *scaled = oracle_take((size_t)count, sizeof *scaled);
	for (int i = 0; i < count; ++i)
		scaled[i] = fabs(bounds[i]) < ORACLE_NO_BOUND ? bounds[i] / scale : bounds[i];
	return scaled;
}

static inline enum ApplicationReturnStatus oracle_solve(oracle *p)
{
	double distance = oracle_distance(p), f;
	p->scale = distance > 0 && distance < 1 ? distance : 1;
	double *least = oracle_take((size_t)p->unknowns, sizeof *least);
	double *most = oracle_take((size_t)p->unknowns, sizeof *most);
	double *low = oracle_bounds(p->rows, p->low, p->scale), *high = oracle_bounds(p->rows, p->high, p->scale);
	for (int i = 0; i < p->unknowns; ++i) {
		least[i] = -ORACLE_NO_BOUND;
		most[i] = ORACLE_NO_BOUND;
	}
	IpoptProblem ipopt = CreateIpoptProblem(p->unknowns, least, most, p->rows, low, high, p->entries, p->unknowns, 0,
	                                        oracle_f, oracle_g, oracle_gradient, oracle_jacobian, oracle_hessian);
	if (!ipopt || !oracle_set_options(ipopt) || !SetIntermediateCallback(ipopt, oracle_count))
		abort();
	enum ApplicationReturnStatus status = IpoptSolve(ipopt, p->x, NULL, &f, NULL, NULL, NULL, p);
	for (int i = 0; i < p->unknowns; ++i)
		p->x[i] *= p->scale;
	FreeIpoptProblem(ipopt);
	free(least);
	free(most);
	free(low);
	free(high);
	return status;
}

/* Of the rows at x. */
static inline double oracle_violation(const oracle *p)
{
	double most = 0, *g = oracle_take((size_t)p->rows, sizeof *g);
	oracle_values(p, p->x, g);
	for (int i = 0; i < p->rows; ++i) {
		most = p->low[i] - g[i] > most ? p->low[i] - g[i] : most;
		most = g[i] - p->high[i] > most ? g[i] - p->high[i] : most;
	}
	free(g);
	return most;
}

#endif
