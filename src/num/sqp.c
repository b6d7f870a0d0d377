/* Steps of Gauss and Newton under equations, with a line search on |r|^2 / 2 + weight x sum |c|. */
#include "num/sqp.h"

#include "base/arena.h"

#include <math.h>
#include <string.h>

enum { STEPS_MAX = 300, REFINEMENTS = 2, CORRECTIONS = 3, CUTS_MAX = 25 };
#define CN_SQP_DAMP 1e-8   /* d: least; unknowns and rows are of the order of 1 */
#define CN_SQP_SOFT 1e-6   /* e: multipliers move from where they were */
#define CN_SQP_ERROR 1e-11 /* of c: done */
#define CN_SQP_STEP 1e-9   /* of the step: done */
#define CN_SQP_PIVOT 1e-13
#define CN_SQP_FAR 1e3    /* of a step: the factor has failed */
#define CN_SQP_NUDGE 1e-6 /* of unknowns: by which slopes are compared */
#define CN_SQP_NEAR 0.3   /* of the step: from here on with curvature */

typedef struct work {
	const cn_sqp_problem *p;
	uint32_t n, rows, size; /* unknowns; rows; both */
	const cn_entry *pairs;  /* of unknowns that may share a row: row < column */
	uint32_t pair_count;
	uint32_t *at_time;          /* the unknown of a time and slot, or n */
	double *curve;              /* of the diagonal, then of the pairs */
	double *slope, *bent, *own; /* gradients of what weighs rows; values of entries at another place */
	cn_ldl *ldl;
	double *values, *kkt;                         /* of entries; of the system's */
	double *right, *x, *rest, *back, *tried, *at; /* at: rows at tried */
	double damp, weight;
	double *scale; /* of rows: 1 of r; of c what makes their largest derivative at the start 1 */
	double *m;     /* multipliers of the last step that was taken, by row */
	bool curved;   /* curve is in use */
} work;

static uint32_t *unknown_at(const work *w, uint32_t time, uint32_t slot)
{
	return &w->at_time[(size_t)time * w->p->slots + slot];
}

static bool are_pair(const work *w, uint32_t i, uint32_t j)
{
	uint32_t a = w->p->time[i], b = w->p->time[j];
	return i < j && (a > b ? a - b : b - a) <= w->p->reach;
}

/* All pairs, listed where there is room, else counted. */
static uint32_t list_pairs(const work *w, cn_entry *out)
{
	const cn_sqp_problem *p = w->p;
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->n; ++i) {
		uint32_t last = p->time[i] + p->reach, first = p->time[i] < p->reach ? 0 : p->time[i] - p->reach;
		for (uint32_t t = first; t <= last && t < p->times; ++t)
			for (uint32_t s = 0; s < p->slots; ++s) {
				uint32_t j = *unknown_at(w, t, s);
				if (j == w->n || !are_pair(w, i, j))
					continue;
				if (out)
					out[count] = (cn_entry){.row = i, .column = j};
				++count;
			}
	}
	return count;
}

static bool find_pairs(work *w, cn_arena *arena)
{
	const cn_sqp_problem *p = w->p;
	w->at_time = cn_arena_take(arena, (size_t)p->times * p->slots, sizeof *w->at_time);
	if (arena->failed)
		return false;
	for (size_t i = 0; i < (size_t)p->times * p->slots; ++i)
		w->at_time[i] = w->n;
	for (uint32_t i = 0; i < w->n; ++i)
		*unknown_at(w, p->time[i], p->slot[i]) = i;
	w->pair_count = list_pairs(w, NULL);
	cn_entry *pairs = cn_arena_take(arena, w->pair_count, sizeof *pairs);
	w->pairs = pairs;
	if (arena->failed)
		return false;
	list_pairs(w, pairs);
	return true;
}

/* The system's entries: its diagonal, the pairs, the derivatives. */
static bool make(work *w, const cairn_allocator *allocator, cn_arena *arena)
{
	const cn_sqp_problem *p = w->p;
	if (!find_pairs(w, arena))
		return false;
	uint32_t first = w->size + w->pair_count, count = first + p->entry_count;
	cn_entry *entries = cn_arena_take(arena, count, sizeof *entries);
	int8_t *signs = cn_arena_take(arena, w->size, sizeof *signs);
	double *numbers = cn_arena_take(arena,
	                                2 * (size_t)p->entry_count + count + 4 * (size_t)w->size + 4 * (size_t)w->n +
	                                    3 * (size_t)w->rows + w->pair_count,
	                                sizeof *numbers);
	if (arena->failed)
		return false;
	for (uint32_t i = 0; i < w->size; ++i)
		entries[i] = (cn_entry){.row = i, .column = i}, signs[i] = i < w->n ? 1 : -1;
	memcpy(entries + w->size, w->pairs, w->pair_count * sizeof *entries);
	for (uint32_t i = 0; i < p->entry_count; ++i)
		entries[first + i] = (cn_entry){.row = p->entries[i].column, .column = w->n + p->entries[i].row};
	w->values = numbers, w->own = w->values + p->entry_count, w->kkt = w->own + p->entry_count;
	w->right = w->kkt + count, w->x = w->right + w->size, w->rest = w->x + w->size, w->back = w->rest + w->size,
	w->tried = w->back + w->size;
	w->at = w->tried + w->n, w->slope = w->at + w->rows, w->bent = w->slope + w->n, w->m = w->bent + w->n,
	w->scale = w->m + w->rows, w->curve = w->scale + w->rows;
	w->ldl = cn_ldl_make(allocator, w->size, entries, count, signs);
	return w->ldl != NULL;
}

/* rest = right - K x, with the K that was factored. */
static void multiply(work *w, const double *x)
{
	const cn_sqp_problem *p = w->p;
	for (uint32_t i = 0; i < w->size; ++i)
		w->rest[i] = w->right[i] - w->kkt[i] * x[i];
	for (uint32_t e = 0; e < w->pair_count; ++e) {
		uint32_t i = w->pairs[e].row, j = w->pairs[e].column;
		w->rest[i] -= w->kkt[w->size + e] * x[j];
		w->rest[j] -= w->kkt[w->size + e] * x[i];
	}
	for (uint32_t e = 0; e < p->entry_count; ++e) {
		uint32_t i = p->entries[e].column, j = w->n + p->entries[e].row;
		w->rest[i] -= w->values[e] * x[j];
		w->rest[j] -= w->values[e] * x[i];
	}
}

/* x from right, by the factor and what it has missed. */
static void answer(work *w, double *x)
{
	memcpy(x, w->right, w->size * sizeof *x);
	cn_ldl_solve(w->ldl, x);
	for (int k = 0; k < REFINEMENTS; ++k) {
		multiply(w, x);
		cn_ldl_solve(w->ldl, w->rest);
		for (uint32_t i = 0; i < w->size; ++i)
			x[i] += w->rest[i];
	}
}

/* The step and multipliers into x. */
static void solve(work *w, const double *rows)
{
	const cn_sqp_problem *p = w->p;
	for (uint32_t i = 0; i < w->size; ++i)
		w->kkt[i] = i < w->n ? w->damp + (w->curved ? w->curve[i] : 0) : i < w->n + p->squares ? -1 : -CN_SQP_SOFT;
	for (uint32_t e = 0; e < w->pair_count; ++e)
		w->kkt[w->size + e] = w->curved ? w->curve[w->n + e] : 0;
	memcpy(w->kkt + w->size + w->pair_count, w->values, p->entry_count * sizeof *w->values);
	cn_ldl_factor(w->ldl, w->kkt, CN_SQP_PIVOT);
	for (uint32_t i = 0; i < w->size; ++i)
		w->right[i] = i < w->n ? 0 : -rows[i - w->n] - (i < w->n + p->squares ? 0 : CN_SQP_SOFT * w->m[i - w->n]);
	answer(w, w->x);
}

/* Rows and their derivatives, scaled. */
static void look(const work *w, const double *z, double *rows)
{
	w->p->look(w->p->context, z, rows);
	for (uint32_t i = w->p->squares; i < w->rows; ++i)
		rows[i] *= w->scale[i];
}

static void derive(const work *w, const double *z, double *values)
{
	w->p->derive(w->p->context, z, values);
	for (uint32_t e = 0; e < w->p->entry_count; ++e)
		values[e] *= w->scale[w->p->entries[e].row];
}

static void choose_scale(work *w, const double *z)
{
	const cn_sqp_problem *p = w->p;
	p->derive(p->context, z, w->values);
	for (uint32_t i = 0; i < w->rows; ++i)
		w->scale[i] = 1;
	for (uint32_t e = 0; e < p->entry_count; ++e)
		if (p->entries[e].row >= p->squares)
			w->scale[p->entries[e].row] = fmax(w->scale[p->entries[e].row], fabs(w->values[e]));
	for (uint32_t i = 0; i < w->rows; ++i)
		w->scale[i] = i < p->squares ? 1 : 1 / w->scale[i];
}

/* ---- curvature */

/* Sum over rows of their derivatives by what they weigh: themselves, or their multiplier. */
static void weigh(const work *w, const double *values, const double *rows, const double *multipliers, double *out)
{
	const cn_sqp_problem *p = w->p;
	memset(out, 0, w->n * sizeof *out);
	for (uint32_t e = 0; e < p->entry_count; ++e) {
		uint32_t r = p->entries[e].row;
		out[p->entries[e].column] += values[e] * (r < p->squares ? rows[r] : multipliers[r]);
	}
}

/* Differences of that sum, of all unknowns at once that have no row in common with the same third. */
static void bend(work *w, const double *z, const double *rows)
{
	const cn_sqp_problem *p = w->p;
	const double *multipliers = w->m;
	uint32_t period = 2 * p->reach + 1;
	weigh(w, w->values, rows, multipliers, w->slope);
	for (uint32_t i = 0; i < w->n + w->pair_count; ++i)
		w->curve[i] = 0;
	for (uint32_t phase = 0; phase < period; ++phase)
		for (uint32_t s = 0; s < p->slots; ++s) {
			for (uint32_t i = 0; i < w->n; ++i)
				w->tried[i] = z[i] + (p->slot[i] == s && p->time[i] % period == phase ? CN_SQP_NUDGE : 0);
			derive(w, w->tried, w->own);
			weigh(w, w->own, rows, multipliers, w->bent);
			for (uint32_t i = 0; i < w->n; ++i)
				w->bent[i] = (w->bent[i] - w->slope[i]) / CN_SQP_NUDGE;
			for (uint32_t i = 0; i < w->n; ++i)
				if (p->slot[i] == s && p->time[i] % period == phase)
					w->curve[i] = w->bent[i];
			for (uint32_t e = 0; e < w->pair_count; ++e) { /* each of the two gives half */
				uint32_t i = w->pairs[e].row, j = w->pairs[e].column;
				if (p->slot[i] == s && p->time[i] % period == phase)
					w->curve[w->n + e] += 0.5 * w->bent[j];
				if (p->slot[j] == s && p->time[j] % period == phase)
					w->curve[w->n + e] += 0.5 * w->bent[i];
			}
		}
}

/* ---- steps */

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
		most = fabs(x[i]) <= most ? most : fabs(x[i]);
	return most;
}

static double merit(const work *w, const double *rows) { return half_square(w, rows) + w->weight * sum_off(w, rows); }

/* A whole step that bends away from the equations is led back to them, by the derivatives where it began. */
static void correct(work *w)
{
	for (uint32_t i = 0; i < w->size; ++i)
		w->right[i] = i < w->n + w->p->squares ? 0 : -w->at[i - w->n];
	answer(w, w->back);
	for (uint32_t i = 0; i < w->n; ++i)
		w->tried[i] += w->back[i];
	look(w, w->tried, w->at);
}

/* Goes along the step as far as it makes things better. The share of it that was taken; 0: none did. */
static double advance(work *w, double *z, double *rows)
{
	double before = half_square(w, rows), off = sum_off(w, rows), linear = 0;
	w->weight = fmax(0.7 * w->weight, 1.5 * largest(w->x, w->n + w->p->squares, w->size));
	for (uint32_t i = 0; i < w->p->squares; ++i) /* what the linear problem promises */
		linear += 0.5 * w->x[w->n + i] * w->x[w->n + i];
	double promised = before + w->weight * off - linear, now = before + w->weight * off, share = 1;
	for (int cut = 0; cut < CUTS_MAX; ++cut, share *= 0.5) {
		for (uint32_t i = 0; i < w->n; ++i)
			w->tried[i] = z[i] + share * w->x[i];
		look(w, w->tried, w->at);
		double least = now - 1e-4 * share * fmax(promised, 0) + 1e-13 * now;
		for (int k = 0; k < CORRECTIONS && merit(w, w->at) > least && cut < 3; ++k)
			correct(w);
		if (!(merit(w, w->at) <= least))
			continue;
		memcpy(z, w->tried, w->n * sizeof *z);
		memcpy(rows, w->at, w->rows * sizeof *rows);
		for (uint32_t i = w->p->squares; i < w->rows; ++i)
			w->m[i] += share * (w->x[w->n + i] - w->m[i]);
		return share;
	}
	return 0;
}

static double error_of(const work *w, const double *rows)
{
	double most = 0;
	for (uint32_t i = w->p->squares; i < w->rows; ++i)
		most = fmax(most, fabs(rows[i]) / w->scale[i]);
	return most;
}

static cn_sqp_result run(work *w, double *z, double *rows)
{
	cn_sqp_result r = {.end = CN_SQP_STEPS, .step = INFINITY};
	bool near = false; /* and curvature has done well */
	w->damp = 1e-3;
	choose_scale(w, z);
	look(w, z, rows);
	while (r.steps < STEPS_MAX && r.end == CN_SQP_STEPS) {
		derive(w, z, w->values);
		w->curved = near;
		if (near)
			bend(w, z, rows);
		solve(w, rows);
		r.step = largest(w->x, 0, w->n);
		double share = r.step < CN_SQP_FAR ? advance(w, z, rows) : 0; /* what is no number is not below either */
		++r.steps;
		if (share > 0.3)
			w->damp = fmax(w->damp * 0.2, CN_SQP_DAMP);
		else
			w->damp *= 10;
		near = near ? share > 0 || w->damp < 1 : r.step < CN_SQP_NEAR && share > 0.3;
		r.error = error_of(w, rows);
		if (share == 1 && r.error <= CN_SQP_ERROR && r.step <= CN_SQP_STEP)
			r.end = CN_SQP_DONE;
		else if (share == 0 && w->damp > 1e6)
			r.end = CN_SQP_STUCK;
	}
	r.cost = 2 * half_square(w, rows);
	r.error = error_of(w, rows);
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
