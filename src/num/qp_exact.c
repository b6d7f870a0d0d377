/* The convex program, island by island: interior point to a first accuracy, then proximal Newton steps that end on the
 * active rows with full accuracy; the interior point goes on where those do not settle. Contradictions are claimed with
 * a certificate that was checked, or not at all. */
#include "num/qp_exact.h"

#include "num/qp_exact_point.h"
#include "num/tolerance.h"

#include <math.h>

#define CN_EXACT_FIRST 1e-12  /* mean complementarity at which the active rows are usually plain, ... */
#define CN_EXACT_FURTHER 1e-2 /* ... by how much it falls between two tries ... */
#define CN_EXACT_TRIES 4      /* ... and how many there are: rounding stops it at 1e-18 */
#define CN_EXACT_VAST 1e3  /* of x: multipliers beyond it push against each other; every digit here is one lost there */
#define CN_EXACT_ROUNDS 20 /* factorisations of the proximal method after the interior point method */
#define CN_EXACT_ITERATIONS 100 /* of the interior point method at most; thirty are usual */

static void copy(double *to, const double *from, uint32_t count)
{
	for (uint32_t k = 0; k < count; ++k)
		to[k] = from[k];
}

static bool vast(const cn_exact_rows *rows, const cn_exact_point *p)
{
	double y = 0, x = 1;
	for (uint32_t r = 0; r < rows->count; ++r)
		y = fabs(p->y[r]) > y ? fabs(p->y[r]) : y;
	for (size_t k = 0; k < 6 * (size_t)rows->bodies; ++k)
		x = fabs(p->x[k]) > x ? fabs(p->x[k]) : x;
	return y > CN_EXACT_VAST * x;
}

/* The rows active at an interior point, solved as equations, and what is left mended by Newton steps. Puts the point
 * back where that does not succeed: from a wrong guess it is quicker to go on inside. */
static bool finish(cn_exact_rows *rows, cn_exact_point *p, double tolerance)
{
	copy(p->hold, p->y, rows->count);
	if (vast(rows, p))
		cn_exact_shrink(rows, p);
	if (cn_exact_newton(rows, p, tolerance, CN_EXACT_ROUNDS) == CN_EXACT_DONE)
		return true;
	copy(p->y, p->hold, rows->count);
	cn_exact_turned(rows, p->y, p->x);
	return false;
}

/* The dual method, where nothing else settled. */
static cn_exact_end solve_last(cn_exact_rows *rows, cn_exact_point *p, double tolerance, double goal, cn_arena *arena)
{
	double *best = p->s, least = p->residual; /* s is the interior point method's, not in use any more */
	copy(best, p->y, rows->count);
	p->residual = DBL_MAX;
	if (!cn_exact_dual(arena, rows, p, 0.25 * goal))
		return CN_EXACT_STUCK; /* no memory, and the arena knows it */
	p->direct = p->residual < least;
	if (!p->direct) {
		copy(p->y, best, rows->count);
		cn_exact_residual(rows, p);
	}
	return p->residual <= tolerance ? CN_EXACT_DONE : CN_EXACT_STUCK;
}

/* Rows without cones. */
static cn_exact_end solve_rows(cn_exact_rows *rows, cn_exact_point *p, const cn_exact_options *options, cn_arena *arena)
{
	cn_exact_end end = CN_EXACT_DONE;
	double tolerance = options->tolerance;
	double goal = tolerance * rows->strict > CN_EXACT_BEST ? tolerance * rows->strict : CN_EXACT_BEST;
	double target = CN_EXACT_FIRST;
	bool spent = false;
	cn_exact_interior_start(rows, p);
	for (int k = 0; k < CN_EXACT_TRIES && end == CN_EXACT_DONE; ++k) {
		uint32_t before = p->iterations, left = options->iterations > before ? options->iterations - before : 0;
		end = cn_exact_interior(rows, p, target, left);
		spent |= p->iterations - before >= left;
		target *= CN_EXACT_FURTHER;
		if (end == CN_EXACT_DIVERGING) {
			copy(p->hold, p->y, rows->count);
			if (cn_exact_certify(rows, p, p->hold))
				return CN_EXACT_DIVERGING;
		} else if (finish(rows, p, goal)) {
			return CN_EXACT_DONE;
		}
	}
	copy(p->hold, p->y, rows->count);
	if (vast(rows, p))
		cn_exact_shrink(rows, p);
	cn_exact_newton(rows, p, goal, CN_EXACT_ROUNDS);
	if (p->residual <= goal)
		return CN_EXACT_DONE;
	bool enough = p->residual <= tolerance;
	if (!enough && (cn_exact_certify(rows, p, p->run) || cn_exact_certify(rows, p, p->hold)))
		return CN_EXACT_DIVERGING;
	if (spent)
		return enough ? CN_EXACT_DONE : CN_EXACT_STUCK;
	return solve_last(rows, p, tolerance, goal, arena);
}

static void clear(const cn_qp *qp, cn_qp_solution *solution)
{
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		solution->contact[i] = (cn_qp_impulse){0, 0, 0};
	for (uint32_t i = 0; i < qp->row_count; ++i)
		solution->row[i] = 0;
}

void cn_exact_store(const cn_qp *qp, const cn_exact_rows *rows, const double *y, cn_qp_solution *solution)
{
	for (uint32_t r = 0; r < rows->count; ++r)
		if (rows->source[r] >= qp->contact_count)
			solution->row[rows->source[r] - qp->contact_count] = 0;
	for (uint32_t r = 0; r < rows->count; ++r) {
		uint32_t source = rows->source[r];
		if (source >= qp->contact_count) {
			solution->row[source - qp->contact_count] += rows->factor[r] * y[r];
			continue;
		}
		cn_qp_impulse *c = &solution->contact[source];
		c->n = rows->factor[r] * y[r];
		c->s = c->t = 0;
		if (rows->kind[r] == CN_EXACT_CONE) {
			c->s = rows->factor[r + 1] * y[r + 1];
			c->t = rows->factor[r + 2] * y[r + 2];
			r += 2;
		}
	}
}

void cn_exact_apply(const cn_qp *qp, const cn_exact_cut *cut, cn_qp_solution *solution)
{
	cn_qp_apply(qp, solution->contact, solution->row, solution->u);
	for (uint32_t i = 0; cut->stored && i < qp->body_count; ++i)
		if (cut->stored[i])
			solution->u[i] = cut->point[i];
}

/* Numbers beyond the range of double: nothing is claimed of them, and nothing is given out. */
void cn_exact_guard(const cn_qp *qp, cn_qp_solution *solution, cn_qp_result *result)
{
	bool finite = true;
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		double size = v3_length2(solution->u[i].v) + v3_length2(solution->u[i].w);
		finite &= isfinite(size);
	}
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		finite &= isfinite(solution->contact[i].n + solution->contact[i].s + solution->contact[i].t);
	for (uint32_t i = 0; i < qp->row_count; ++i)
		finite &= isfinite(solution->row[i]);
	if (!(result->residual <= DBL_MAX))
		result->residual = DBL_MAX;
	if (finite)
		return;
	clear(qp, solution);
	for (uint32_t i = 0; i < qp->body_count; ++i)
		solution->u[i] = qp->u0[i];
	result->status = CN_QP_EARLY;
	result->residual = DBL_MAX;
}

/* The certificate of one row that nothing can move. */
static void blame(const cn_qp *qp, uint32_t source, cn_qp_solution *solution)
{
	double sign;
	cn_exact_lack(qp, source, &sign);
	clear(qp, solution);
	if (source < qp->contact_count)
		solution->contact[source].n = 1;
	else
		solution->row[source - qp->contact_count] = sign;
}

double cn_exact_in_units(const cn_exact_rows *rows, double residual)
{
	double most = 0;
	for (uint32_t r = 0; r < rows->count; ++r) {
		double own = rows->scale / fabs(rows->factor[r]); /* the row's length, so what a unit of x changes it by */
		most = own > most ? own : most;
	}
	return residual * most * rows->scale;
}

static void solve_island(const cn_exact_cut *cut, uint32_t island, const cn_exact_options *options,
                         cn_qp_solution *solution, cn_qp_result *result, cn_arena *arena)
{
	cn_exact_rows rows;
	cn_exact_point p;
	if (!cn_exact_rows_make(arena, cut, island, &rows) || !cn_exact_point_make(arena, &rows, &p)) {
		result->status = CN_QP_MEMORY;
		return;
	}
	if (rows.hopeless != CN_QP_NONE) {
		result->status = CN_QP_INFEASIBLE;
		blame(cut->qp, rows.hopeless, solution);
		return;
	}
	if (!(rows.scale > 0))
		return; /* nothing is asked for: y = 0 */
	cn_exact_end end = solve_rows(&rows, &p, options, arena);
	if (arena->failed) {
		result->status = CN_QP_MEMORY;
		return;
	}
	if (end == CN_EXACT_DIVERGING) {
		result->status = CN_QP_INFEASIBLE;
		clear(cut->qp, solution);
	} else {
		double residual = cn_exact_in_units(&rows, p.residual);
		result->residual = residual > result->residual ? residual : result->residual;
	}
	if (end == CN_EXACT_STUCK && result->status == CN_QP_SOLVED)
		result->status = CN_QP_EARLY;
	result->sweeps += p.iterations;
	result->factored += rows.factored;
	cn_exact_store(cut->qp, &rows, p.y, solution);
	bool near = end == CN_EXACT_DONE || (p.direct && p.residual <= CN_EXACT_NEAR);
	if (near && (p.direct || vast(&rows, &p))) /* rounding of y would be seen in the rows */
		cn_exact_store_point(cut, island, &rows, p.x);
}

/* Rows between bodies that cannot move: true when all are satisfied. */
static bool judge_fixed(const cn_exact_cut *cut, cn_qp_solution *solution)
{
	const cn_qp *qp = cut->qp;
	for (uint32_t s = 0; s < qp->contact_count + qp->row_count; ++s) {
		uint32_t a = s < qp->contact_count ? qp->contacts[s].a : qp->rows[s - qp->contact_count].a;
		uint32_t b = s < qp->contact_count ? qp->contacts[s].b : qp->rows[s - qp->contact_count].b;
		double sign;
		bool held =
			(a == CN_QP_NONE || cut->island[a] == CN_QP_NONE) && (b == CN_QP_NONE || cut->island[b] == CN_QP_NONE);
		if (held && cn_exact_lack(qp, s, &sign) > 0) {
			blame(qp, s, solution);
			return false;
		}
	}
	return true;
}

cn_qp_result cn_exact_solve(const cairn_allocator *allocator, const cn_qp *qp, const cn_exact_options *options,
                            cn_qp_solution *solution)
{
	cn_exact_options o = {options && options->tolerance > 0 ? options->tolerance : CN_EXACT_ACCURACY,
	                      options && options->iterations ? options->iterations : CN_EXACT_ITERATIONS};
	cn_qp_result result = {.status = CN_QP_SOLVED};
	cn_arena arena = cn_arena_make(allocator);
	cn_exact_cut cut;
	clear(qp, solution);
	if (!cn_exact_cut_make(&arena, qp, false, &cut))
		result.status = CN_QP_MEMORY;
	else if (!judge_fixed(&cut, solution))
		result.status = CN_QP_INFEASIBLE;
	cn_arena_mark kept = cn_arena_here(&arena);
	for (uint32_t k = 0; k < cut.islands && (result.status == CN_QP_SOLVED || result.status == CN_QP_EARLY); ++k) {
		solve_island(&cut, k, &o, solution, &result, &arena);
		cn_arena_return(&arena, kept);
	}
	if (result.status == CN_QP_MEMORY)
		clear(qp, solution);
	if (result.status == CN_QP_SOLVED || result.status == CN_QP_EARLY) {
		cn_exact_apply(qp, &cut, solution);
	} else {
		for (uint32_t i = 0; i < qp->body_count; ++i)
			solution->u[i] = qp->u0[i];
	}
	cn_arena_free(&arena);
	cn_exact_guard(qp, solution, &result);
	result.violation = cn_qp_violation(qp, solution->u);
	result.objective = cn_qp_objective(qp, solution->u);
	return result;
}
