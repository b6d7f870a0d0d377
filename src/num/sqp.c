/* Steps of Gauss and Newton under equations, with a line search on |r|^2 / 2 + weight x sum |c|. */
#include "num/sqp.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 300, REFINEMENTS = 2, CUTS_MAX = 25 };
#define CN_SQP_DAMP 1e-9    /* d: least; unknowns and rows are of the order of 1 */
#define CN_SQP_SOFT 1e-11   /* e */
#define CN_SQP_ERROR 1e-11  /* of c: done */
#define CN_SQP_STEP 1e-9    /* of the step: done */
#define CN_SQP_PIVOT 1e-14

typedef struct work {
	const cn_sqp_problem *p;
	uint32_t n, rows, size; /* unknowns; rows; both */
	cn_ldl *ldl;
	double *values, *kkt;             /* of entries; of the system's */
	double *right, *x, *rest, *tried, *at; /* at: rows at tried */
	double damp, weight;
} work;

static bool make(work *w, const cairn_allocator *allocator, cn_arena *arena)
{
	const cn_sqp_problem *p = w->p;
	uint32_t count = w->size + p->entry_count;
	cn_entry *entries = cn_arena_take(arena, count, sizeof *entries);
	int8_t *signs = cn_arena_take(arena, w->size, sizeof *signs);
	double *numbers = cn_arena_take(arena, (size_t)p->entry_count + count + 3 * (size_t)w->size + w->n + w->rows,
	                                sizeof *numbers);
	if (arena->failed)
		return false;
	for (uint32_t i = 0; i < w->size; ++i)
		entries[i] = (cn_entry){.row = i, .column = i}, signs[i] = i < w->n ? 1 : -1;
	for (uint32_t i = 0; i < p->entry_count; ++i)
		entries[w->size + i] = (cn_entry){.row = p->entries[i].column, .column = w->n + p->entries[i].row};
	w->values = numbers, w->kkt = w->values + p->entry_count, w->right = w->kkt + count;
	w->x = w->right + w->size, w->rest = w->x + w->size, w->tried = w->rest + w->size, w->at = w->tried + w->n;
	w->ldl = cn_ldl_make(allocator, w->size, entries, count, signs);
	return w->ldl != NULL;
}

/* rest = right - K x, with the K that was factored. */
static void multiply(work *w)
{
	const cn_sqp_problem *p = w->p;
	for (uint32_t i = 0; i < w->size; ++i)
		w->rest[i] = w->right[i] - w->kkt[i] * w->x[i];
	for (uint32_t e = 0; e < p->entry_count; ++e) {
		uint32_t i = p->entries[e].column, j = w->n + p->entries[e].row;
		w->rest[i] -= w->values[e] * w->x[j];
		w->rest[j] -= w->values[e] * w->x[i];
	}
}

/* The step and multipliers into x. */
static void solve(work *w, const double *rows)
{
	const cn_sqp_problem *p = w->p;
	for (uint32_t i = 0; i < w->size; ++i)
		w->kkt[i] = i < w->n ? w->damp : i < w->n + p->squares ? -1 : -CN_SQP_SOFT;
	memcpy(w->kkt + w->size, w->values, p->entry_count * sizeof *w->values);
	cn_ldl_factor(w->ldl, w->kkt, CN_SQP_PIVOT);
	for (uint32_t i = 0; i < w->size; ++i)
		w->right[i] = i < w->n ? 0 : -rows[i - w->n];
	memcpy(w->x, w->right, w->size * sizeof *w->x);
	cn_ldl_solve(w->ldl, w->x);
	for (int k = 0; k < REFINEMENTS; ++k) {
		multiply(w);
		cn_ldl_solve(w->ldl, w->rest);
		for (uint32_t i = 0; i < w->size; ++i)
			w->x[i] += w->rest[i];
	}
}

static double half_square(const work *w, const double *rows)
{
	double s = 0;
	for (uint32_t i = 0; i < w->p->squares; ++i)
		s += rows[i] * rows[i];
	return 0.5 * s;
}

static double sum_off(const work *w, const double *rows)
{
	double s = 0;
	for (uint32_t i = w->p->squares; i < w->rows; ++i)
		s += fabs(rows[i]);
	return s;
}

static double largest(const double *x, uint32_t from, uint32_t to)
{
	double most = 0;
	for (uint32_t i = from; i < to; ++i)
		most = fmax(most, fabs(x[i]));
	return most;
}

/* Goes along the step as far as it makes things better. The share of it that was taken; 0: none did. */
static double advance(work *w, double *z, double *rows)
{
	double before = half_square(w, rows), off = sum_off(w, rows), linear = 0;
	w->weight = fmax(w->weight, 1.5 * largest(w->x, w->n + w->p->squares, w->size));
	for (uint32_t i = 0; i < w->p->squares; ++i) /* what the linear problem promises */
		linear += 0.5 * w->x[w->n + i] * w->x[w->n + i];
	double promised = before + w->weight * off - linear, now = before + w->weight * off, share = 1;
	for (int cut = 0; cut < CUTS_MAX; ++cut, share *= 0.5) {
		for (uint32_t i = 0; i < w->n; ++i)
			w->tried[i] = z[i] + share * w->x[i];
		w->p->look(w->p->context, w->tried, w->at);
		double then = half_square(w, w->at) + w->weight * sum_off(w, w->at);
		if (then <= now - 1e-4 * share * fmax(promised, 0) || (share == 1 && then <= now * (1 + 1e-13) + 1e-15)) {
			memcpy(z, w->tried, w->n * sizeof *z);
			memcpy(rows, w->at, w->rows * sizeof *rows);
			return share;
		}
	}
	return 0;
}

static cn_sqp_result run(work *w, double *z, double *rows)
{
	cn_sqp_result r = {.end = CN_SQP_STEPS};
	w->damp = 1e-4;
	w->p->look(w->p->context, z, rows);
	while (r.steps < STEPS_MAX && r.end == CN_SQP_STEPS) {
		w->p->derive(w->p->context, z, w->values);
		solve(w, rows);
		r.step = largest(w->x, 0, w->n);
		double share = advance(w, z, rows);
		++r.steps;
		if (share > 0.3)
			w->damp = fmax(w->damp * 0.2, CN_SQP_DAMP);
		else
			w->damp *= 10;
		r.error = largest(rows, w->p->squares, w->rows);
		if (share == 1 && r.error <= CN_SQP_ERROR && r.step <= CN_SQP_STEP)
			r.end = CN_SQP_DONE;
		else if (share == 0 && w->damp > 1e6)
			r.end = CN_SQP_STUCK;
	}
	r.cost = 2 * half_square(w, rows);
	r.error = largest(rows, w->p->squares, w->rows);
	return r;
}

cn_sqp_result cn_sqp_solve(const cairn_allocator *allocator, const cn_sqp_problem *p, double *z, double *rows)
{
	cn_arena arena = cn_arena_make(allocator);
	work w = {.p = p, .n = p->unknowns, .rows = p->squares + p->equations};
	cn_sqp_result r = {.end = CN_SQP_MEMORY};
	w.size = w.n + w.rows;
	if (make(&w, allocator, &arena))
		r = run(&w, z, rows);
	cn_ldl_free(allocator, w.ldl);
	cn_arena_free(&arena);
	return r;
}
