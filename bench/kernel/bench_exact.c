/* The exact solver on piles of cubes: milliseconds, iterations and factorisations, what one factorisation costs and how
 * much fills in, beside the size of the program; then exact Coulomb on the same piles.
 *
 *   bench_exact [repeats]
 *
 * position   gravity and random velocities of 0.3 m/s on every body; rows ask for a gap of 1e-3 m
 * coulomb    one frame's gravity on a pile with those velocities, friction 0.5 */
#include "clock.h"
#include "pile.h"

#include "num/qp_check.h"
#include "num/qp_exact.h"
#include "num/qp_exact_rows.h"

#include <stdio.h>

static cairn_allocator allocator; /* set by main */
static const double dt = 1.0 / 30;

typedef struct bench {
	pile p;
	cn_qp_solution solution;
} bench;

static bench open_bench(uint32_t bodies, double slab)
{
	pile_options o = {.bodies = bodies, .edge = 1, .slab = slab, .tilt = 4e-3, .gap = 0.02, .mu = 0.5, .seed = 7};
	bench b = {.p = pile_make(&o)};
	b.solution.u = calloc(bodies, sizeof *b.solution.u);
	b.solution.contact = calloc(b.p.qp.contact_count + 1, sizeof *b.solution.contact);
	if (!b.solution.u || !b.solution.contact)
		abort();
	return b;
}

static void close_bench(bench *b)
{
	pile_free(&b->p);
	free(b->solution.u);
	free(b->solution.contact);
}

/* The matrix of the largest island alone: its structure and one factorisation. */
static void time_matrix(const bench *b, int repeats)
{
	cn_arena arena = cn_arena_make(&allocator);
	cn_exact_cut cut;
	cn_exact_rows rows;
	double start = process_ms();
	if (!cn_exact_cut_make(&arena, &b->p.qp, false, &cut))
		abort();
	uint32_t most = 0;
	for (uint32_t k = 0; k < cut.islands; ++k)
		most = cut.bodies[k] > cut.bodies[most] ? k : most;
	if (!cn_exact_rows_make(&arena, &cut, most, &rows))
		abort();
	double made = process_ms();
	for (uint32_t r = 0; r < rows.count; ++r)
		rows.b[r] = 1;
	double factor = 1e300, solve = 1e300, *x = calloc(6 * (size_t)rows.bodies, sizeof *x);
	for (int k = 0; k < repeats; ++k) {
		double from = process_ms();
		cn_exact_factor(&rows, rows.b);
		double middle = process_ms();
		cn_block_solve(&rows.matrix, x);
		double end = process_ms();
		factor = middle - from < factor ? middle - from : factor;
		solve = end - middle < solve ? end - middle : solve;
	}
	printf("    island of %u bodies, %u rows: made in %.2f ms; %zu blocks, %.1f MB, %.0f M products; factor %.2f ms, "
	       "solve %.2f ms\n",
	       rows.bodies, rows.count, made - start, rows.matrix.blocks, (double)rows.matrix.blocks * 288e-6,
	       rows.matrix.work * 1e-6, factor, solve);
	free(x);
	cn_arena_free(&arena);
}

static const char *word(cn_qp_status status)
{
	static const char *const words[] = {"solved", "early", "infeasible", "cycled", "memory"};
	return words[status];
}

static void run_position(uint32_t bodies, double slab, int repeats)
{
	bench b = open_bench(bodies, slab);
	double best = 1e300;
	cn_qp_result result = {0};
	pile_ask_positions(&b.p, 0.3, 1, dt, 1e-3);
	for (int k = 0; k < repeats; ++k) {
		double start = process_ms();
		result = cn_exact_solve(&allocator, &b.p.qp, NULL, &b.solution);
		double time = process_ms() - start;
		best = time < best ? time : best;
	}
	cn_qp_report r = cn_qp_check(&b.p.qp, &b.solution, false);
	printf("position N=%-5u %5u pairs %5u rows: %8.2f ms, %u iterations, %u factorisations, %s; violation %.1e m, "
	       "gap %.1e of the objective\n",
	       bodies, pile_pairs(&b.p), b.p.qp.contact_count, best, result.sweeps, result.factored, word(result.status),
	       r.feasibility, fabs(r.objective - r.dual) / r.objective);
	time_matrix(&b, repeats);
	close_bench(&b);
}

static void run_coulomb(uint32_t bodies, int repeats)
{
	bench b = open_bench(bodies, 0.015);
	double best = 1e300;
	cn_qp_result result = {0};
	pile_ask_positions(&b.p, 0.3, 1, 1, 0);
	pile_push(&b.p, dt - 1);
	for (int k = 0; k < repeats; ++k) {
		double start = process_ms();
		result = cn_exact_coulomb(&allocator, &b.p.qp, NULL, &b.solution);
		double time = process_ms() - start;
		best = time < best ? time : best;
	}
	cn_qp_report r = cn_qp_check(&b.p.qp, &b.solution, true);
	printf("coulomb  N=%-5u %5u pairs %5u points: %8.2f ms, %u steps, %u factorisations, %s; violation %.1e m/s, slip "
	       "%.1e, "
	       "energy %.6g -> %.6g\n",
	       bodies, pile_pairs(&b.p), b.p.qp.contact_count, best, result.sweeps, result.factored, word(result.status),
	       r.feasibility, r.slip, r.energy_before, r.energy_after);
	close_bench(&b);
}

int main(int argc, char **argv)
{
	allocator = cairn_default_allocator();
	int repeats = argc > 1 ? atoi(argv[1]) : 3;
	run_position(100, 0.015, repeats);
	run_position(1000, 0.015, repeats);
	run_coulomb(20, repeats);
	run_coulomb(100, 1);
	run_coulomb(200, 1);
	return 0;
}
