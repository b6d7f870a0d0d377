/* The real-time solver on piles of cubes: milliseconds, sweeps and largest violation beside the size of the program,
 * for one thread (its own time) and for two (on the wall).
 *
 *   bench_fast [repeats]      20
 *
 * position   gravity and random velocities of 0.3 m/s on every body: cold with 40 sweeps, cold with as many as bring
 *            the violation to 2e-4 of an edge (8e-4 for 10,000), and warm with a third of the velocities drawn anew
 * rest       momentum with friction 0.5, warm, 40 sweeps and 20, once ten frames in a row were within 1e-5 m/s */
#include "clock.h"
#include "pile.h"

#include "num/qp_fast.h"

#include <stdio.h>

/* ms: of this thread's own time, or with several threads of the clock on the wall. */
static double now(uint32_t threads) { return threads > 1 ? wall_ms() : thread_ms(); }

typedef struct bench {
	pile p;
	cn_fast *fast;
	cn_pool *pool;
	cn_qp_solution solution;
	double edge;
	int repeats;
} bench;

static const double edges[3] = {1.0, 0.93, 0.81}; /* m */
static const double dt = 1.0 / 30;

static void open_bench(bench *b, uint32_t bodies, double edge, bool few, uint32_t threads, int repeats)
{
	cairn_allocator allocator = cairn_default_allocator();
	pile_options o = {.bodies = bodies,
	                  .edge = edge,
	                  .slab = 0.015 * edge,
	                  .tilt = 4e-3,
	                  .gap = 0.02 * edge,
	                  .few = few,
	                  .mu = 0.5,
	                  .seed = 7};
	*b = (bench){.p = pile_make(&o), .fast = cn_fast_create(&allocator), .edge = edge, .repeats = repeats};
	if (threads > 1)
		b->pool = cn_pool_create(&allocator, threads);
	b->solution.u = calloc(bodies, sizeof *b->solution.u);
	b->solution.contact = calloc(b->p.qp.contact_count + 1, sizeof *b->solution.contact);
	if (!b->fast || !b->solution.u || !b->solution.contact)
		abort();
}

static void close_bench(bench *b)
{
	free(b->solution.u);
	free(b->solution.contact);
	cn_pool_destroy(b->pool);
	cn_fast_destroy(b->fast);
	pile_free(&b->p);
}

static void print_size(const bench *b, const char *what, uint32_t threads)
{
	printf("%-14s %6u bodies %6u pairs %6u points  %u thread%s  ", what, b->p.qp.body_count, pile_pairs(&b->p),
	       b->p.qp.contact_count, threads, threads > 1 ? "s" : " ");
}

static void cold(bench *b, uint32_t sweeps, double wanted, uint32_t threads)
{
	cn_fast_options options = {.sweeps = sweeps, .pool = b->pool};
	cn_qp_result r = cn_fast_position(b->fast, &b->p.qp, &options, &b->solution);
	while (r.violation > wanted * b->edge && options.sweeps < 1000) {
		options.sweeps += 10;
		r = cn_fast_position(b->fast, &b->p.qp, &options, &b->solution);
	}
	double least = 1e9;
	for (int i = 0; i < b->repeats; ++i) {
		double from = now(threads);
		r = cn_fast_position(b->fast, &b->p.qp, &options, &b->solution);
		double took = now(threads) - from;
		least = took < least ? took : least;
	}
	print_size(b, "position cold", threads);
	printf("%3u sweeps %8.3f ms  violation %.1e of an edge\n", r.sweeps, least, r.violation / b->edge);
}

static void warm(bench *b, uint32_t threads)
{
	cn_fast_options options = {.sweeps = 40, .pool = b->pool, .warm = true};
	double least = 1e9, most = 0;
	for (int i = 0; i < b->repeats; ++i) {
		pile_ask_positions(&b->p, 0.3, 1.0 / 3, dt, 1e-3 * b->edge);
		double from = now(threads);
		cn_qp_result r = cn_fast_position(b->fast, &b->p.qp, &options, &b->solution);
		double took = now(threads) - from;
		least = took < least ? took : least;
		most = r.violation > most ? r.violation : most;
	}
	print_size(b, "position warm", threads);
	printf(" 40 sweeps %8.3f ms  violation %.1e of an edge at most\n", least, most / b->edge);
}

static void position(uint32_t bodies, double edge, double wanted, uint32_t threads, int repeats)
{
	bench b;
	open_bench(&b, bodies, edge, false, threads, repeats);
	pile_ask_positions(&b.p, 0.3, 1, dt, 1e-3 * edge);
	cold(&b, 40, 1, threads);
	cold(&b, 50, wanted, threads);
	warm(&b, threads);
	close_bench(&b);
}

static void rest(uint32_t bodies, double edge, uint32_t sweeps, uint32_t threads, int repeats)
{
	bench b;
	open_bench(&b, bodies, edge, true, threads, repeats);
	cn_fast_options options = {.sweeps = sweeps, .pool = b.pool};
	double least = 1e9, most = 0;
	int frames = 0, calm = 0;
	for (; frames < 400 && calm < 10; ++frames) {
		pile_ask_speeds(&b.p, frames ? b.solution.u : NULL, dt);
		options.warm = frames > 0;
		cn_qp_result r = cn_fast_momentum(b.fast, &b.p.qp, &options, &b.solution);
		calm = r.violation <= 1e-5 && r.residual <= 1e-5 ? calm + 1 : 0;
	}
	for (int i = 0; i < b.repeats; ++i) {
		pile_ask_speeds(&b.p, b.solution.u, dt);
		double from = now(threads);
		cn_qp_result r = cn_fast_momentum(b.fast, &b.p.qp, &options, &b.solution);
		double took = now(threads) - from;
		least = took < least ? took : least;
		most = r.violation > most ? r.violation : most;
	}
	print_size(&b, "rest", threads);
	printf("%3u sweeps %8.3f ms  violation %.1e m/s at most, after %d frames\n", sweeps, least, most, frames);
	close_bench(&b);
}

int main(int argc, char **argv)
{
	int repeats = argc > 1 ? atoi(argv[1]) : 20;
	static const uint32_t sizes[3] = {100, 1000, 10000};
	static const double wanted[3] = {2e-4, 2e-4, 8e-4};
	for (uint32_t threads = 1; threads <= 2; ++threads)
		for (int i = 0; i < 3; ++i) {
			position(sizes[i], edges[i], wanted[i], threads, repeats);
			rest(sizes[i], edges[i], 40, threads, repeats);
			rest(sizes[i], edges[i], 20, threads, repeats);
		}
	return 0;
}
