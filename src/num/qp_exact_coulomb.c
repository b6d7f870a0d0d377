/* Exact Coulomb friction. De Saxce's form: with v~ = v + mu |v_t| n the contact law is one complementarity of cones,
 *
 *     K* contains v~,   K contains p,   p.v~ = 0,   K = {|p_t| <= mu p_n}.
 *
 * At a fixed shift s = mu |v_t| that is a convex program, and a proximal step on it (qp_exact_newton.c) always
 * succeeds. With the shift following the steps, that is a fixed point that a solution alone satisfies, but it settles
 * slowly: sliding contacts change the shift of others. So Newton steps on the law itself (qp_exact_slide.c) are tried
 * first, with delta as small as they succeed with, and the convex steps are for where they fail even with a large one.
 * */
#include "num/qp_exact.h"

#include "num/qp_exact_point.h"
#include "num/tolerance.h"

#include <math.h>
#include <string.h>

#define CN_EXACT_PROX_FIRST 1e-3  /* delta with friction: steps that are easily solved, at first */
#define CN_EXACT_IDLE 150         /* steps without gain after which a course is given up */
#define CN_EXACT_IDLE_LAST 30     /* the same once the accuracy is reached and only more is hoped for */
#define CN_EXACT_COULOMB 600      /* proximal steps of exact Coulomb, and ... */
#define CN_EXACT_COULOMB_MAX 2500 /* ... factorisations, of one course */

/* mu |v_t| of every cone at x, into `shift`. */
static void find_shift(const cn_exact_rows *rows, cn_exact_point *p, double *shift)
{
	double *value = p->wr[2];
	cn_exact_times(rows, p->x, value);
	for (uint32_t r = 0; r < rows->count; ++r) {
		shift[r] = 0;
		if (rows->kind[r] != CN_EXACT_CONE)
			continue;
		double s = value[r + 1] - rows->b[r + 1], t = value[r + 2] - rows->b[r + 2];
		shift[r] = rows->mu[r] * sqrt(s * s + t * t);
		shift[r + 1] = shift[r + 2] = 0;
		r += 2;
	}
}

/* The residual of Coulomb's law itself: with the shift that belongs to y. Leaves x = A'y and that shift. */
static double coulomb_residual(const cn_exact_rows *rows, cn_exact_point *p)
{
	cn_exact_turned(rows, p->y, p->x);
	find_shift(rows, p, p->shift);
	return cn_exact_residual(rows, p);
}

/* y inside its cones: what rounding left outside is taken in. */
static void keep_inside(const cn_exact_rows *rows, double *y)
{
	for (uint32_t r = 0; r < rows->count; ++r) {
		if (rows->kind[r] != CN_EXACT_EQUAL && !(y[r] > 0))
			y[r] = 0;
		if (rows->kind[r] != CN_EXACT_CONE)
			continue;
		double limit = rows->mu[r] * y[r], size = sqrt(y[r + 1] * y[r + 1] + y[r + 2] * y[r + 2]);
		if (size > limit) {
			y[r + 1] *= limit / size;
			y[r + 2] *= limit / size;
		}
		r += 2;
	}
}

typedef struct course {
	double start, on, back; /* first delta; its factor after a step that brought little, and after one that failed */
} course;

/* From y as it is until the residual is small or does not fall any more; leaves the best y. */
static double run_course(cn_exact_rows *rows, cn_exact_point *p, const cn_exact_options *options, const course *way,
                         double *basis)
{
	double *best = p->hold, least = coulomb_residual(rows, p), last = least, delta = way->start;
	size_t bytes = rows->count * sizeof(double);
	uint32_t idle = 0, most = rows->factored + CN_EXACT_COULOMB_MAX;
	memcpy(best, p->y, bytes);
	for (uint32_t k = 0; k < options->iterations && rows->factored < most && least > options->tolerance; ++k) {
		if (idle >= (least > CN_EXACT_ACCURACY ? CN_EXACT_IDLE : CN_EXACT_IDLE_LAST))
			break;
		bool slid = cn_exact_slide(rows, p, delta, CN_EXACT_FINE, basis);
		if (!slid)
			delta *= delta < 1 ? way->back : 1;
		for (int again = 0; again < 5 && !slid && delta >= 1; ++again) { /* at a fixed shift every step succeeds */
			double now = coulomb_residual(rows, p);
			cn_exact_step(rows, p, CN_EXACT_PROX_FIRST, 1e-3 * (now < 1 ? now : 1), most);
		}
		keep_inside(rows, p->y);
		double now = coulomb_residual(rows, p);
		if (slid && now > 0.1 * last && delta > CN_EXACT_PROX_MIN)
			delta *= way->on;
		last = now;
		idle = now < 0.9 * least ? 0 : idle + 1;
		if (now < least) {
			least = now;
			memcpy(best, p->y, bytes);
		}
	}
	memcpy(p->y, best, bytes);
	return coulomb_residual(rows, p);
}

/* Where one course does not settle another may: there can be many solutions, and the courses come to different ones. */
static cn_exact_end solve_cones(cn_exact_rows *rows, cn_exact_point *p, const cn_exact_options *options, double *basis)
{
	static const course ways[] = {{1e-3, 0.5, 3}, {1e-3, 0.3, 4}};
	double *start = p->s, *best = p->run, least = DBL_MAX; /* the interior point method's, not in use here */
	double goal = options->tolerance * rows->strict > CN_EXACT_BEST ? options->tolerance * rows->strict : CN_EXACT_BEST;
	cn_exact_options better = {goal, options->iterations};
	size_t bytes = rows->count * sizeof(double);
	memcpy(start, p->y, bytes);
	for (uint32_t k = 0; k < CN_COUNT(ways) && least > options->tolerance; ++k) {
		memcpy(p->y, start, bytes);
		double now = run_course(rows, p, &better, &ways[k], basis);
		if (now < least) {
			least = now;
			memcpy(best, p->y, bytes);
		}
	}
	memcpy(p->y, best, bytes);
	return coulomb_residual(rows, p) <= options->tolerance ? CN_EXACT_DONE : CN_EXACT_STUCK;
}

/* Where there is no friction the convex program's answer stands: its u is kept, and false says that it is short. */
static bool keep_convex(const cn_exact_cut *cut, uint32_t island, const cn_exact_rows *rows, cn_exact_point *p,
                        const cn_qp_solution *solution, double tolerance)
{
	for (uint32_t b = 0; b < cut->qp->body_count; ++b)
		if (cut->island[b] == island) {
			cut->point[b] = solution->u[b];
			cut->stored[b] = 1;
		}
	return cn_exact_residual(rows, p) <= tolerance;
}

/* False where an answer of the convex program stands that is short of the accuracy. */
static bool solve_island(const cn_exact_cut *cut, uint32_t island, const cn_exact_options *options,
                         cn_qp_solution *solution, cn_qp_result *result, cn_arena *arena)
{
	bool enough = true;
	cn_exact_rows rows;
	cn_exact_point p;
	double *basis = NULL;
	if (cn_exact_rows_make(arena, cut, island, &rows) && cn_exact_point_make(arena, &rows, &p))
		basis = cn_arena_take(arena, 6 * (size_t)rows.bodies * (CN_EXACT_KRYLOV + 1), sizeof *basis);
	if (!basis) {
		result->status = CN_QP_MEMORY;
		return true;
	}
	if (!(rows.scale > 0))
		return true; /* nothing is asked for: y = 0 */
	for (uint32_t r = 0; r < rows.count; ++r) {
		uint32_t source = rows.source[r];
		double y = source < cut->qp->contact_count ? solution->contact[source].n
		                                           : solution->row[source - cut->qp->contact_count];
		y /= rows.factor[r];
		p.y[r] = rows.kind[r] == CN_EXACT_TANGENT || (rows.kind[r] == CN_EXACT_MIN && y < 0) ? 0 : y;
	}
	if (!rows.cones)
		enough = keep_convex(cut, island, &rows, &p, solution, options->tolerance);
	else if (solve_cones(&rows, &p, options, basis) != CN_EXACT_DONE)
		result->status = CN_QP_CYCLED;
	double residual = cn_exact_in_units(&rows, p.residual);
	result->residual = residual > result->residual ? residual : result->residual;
	result->sweeps += p.iterations;
	result->factored += rows.factored;
	if (rows.cones)
		cn_exact_store(cut->qp, &rows, p.y, solution);
	return enough;
}

cn_qp_result cn_exact_coulomb(const cairn_allocator *allocator, const cn_qp *qp, const cn_exact_options *options,
                              cn_qp_solution *solution)
{
	cn_exact_options o = {options && options->tolerance > 0 ? options->tolerance : CN_EXACT_ACCURACY,
	                      options && options->iterations ? options->iterations : CN_EXACT_COULOMB};
	/* Without friction first: rows that contradict each other do so with it, and the normal impulses are a start. */
	cn_qp_result result = cn_exact_solve(allocator, qp, &(cn_exact_options){o.tolerance, 0}, solution);
	if (result.status == CN_QP_INFEASIBLE || result.status == CN_QP_MEMORY)
		return result;
	bool early = result.status == CN_QP_EARLY, enough = true;
	result.status = CN_QP_SOLVED;
	result.residual = 0;
	cn_arena arena = cn_arena_make(allocator);
	cn_exact_cut cut;
	if (!cn_exact_cut_make(&arena, qp, true, &cut))
		result.status = CN_QP_MEMORY;
	cn_arena_mark kept = cn_arena_here(&arena);
	for (uint32_t k = 0; k < cut.islands && result.status != CN_QP_MEMORY; ++k) {
		enough &= solve_island(&cut, k, &o, solution, &result, &arena);
		cn_arena_return(&arena, kept);
	}
	if (early && !enough && result.status == CN_QP_SOLVED)
		result.status = CN_QP_EARLY;
	cn_exact_apply(qp, &cut, solution);
	cn_arena_free(&arena);
	cn_exact_guard(qp, solution, &result);
	result.violation = cn_qp_violation(qp, solution->u);
	result.objective = cn_qp_objective(qp, solution->u);
	return result;
}
