/* The kernel in a real pile: cubes fall into a shaft and come to rest (settle.h), then each part is timed on what they ask for at rest.
 * One core, the thread's own time, medians.
 *
 *   bench_settle [BODIES FRAMES]     100 and 1000 unless given */
#include "settle.h"

#include "num/qp_exact.h"

#include <stdio.h>

enum { TIMES = 15 };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static double median(double *times, int count)
{
	qsort(times, (size_t)count, sizeof *times, compare);
	return times[count / 2];
}

/* Separation with its witness, contact polygon, and the end axis over the way from poses a little off: all near pairs. */
static void time_contacts(settle *s)
{
	double slab = s->kept + 0.015 * s->edge, times[TIMES];
	settle_contacts(s, slab);
	uint32_t count, pairs = 0, points = 0, proved = 0;
	const cn_broad_pair *all = cn_broad_pairs(s->broad, &count);
	cn_witness *witness = calloc(count, sizeof *witness);
	cn_place *before = malloc(s->bodies * sizeof *before);
	settle_must(witness && before);
	const cn_convex *cube = s->cube.convex;
	for (uint32_t i = 0; i < s->bodies; ++i) {
		before[i] = s->places[i];
		before[i].x.z += 1e-5 * s->edge;
	}
	for (int k = 0; k < TIMES + 1; ++k) {
		double start = thread_ms();
		pairs = points = proved = 0;
		for (uint32_t i = 0; i < count; ++i) {
			cn_separation separation;
			cn_contact_set set;
			const cn_place *a = &s->places[all[i].a], *b = &s->places[all[i].b];
			if (cn_separate_beyond(&(cn_convex_pair){cube, a, cube, b}, slab, &witness[i], &separation))
				continue;
			cn_contact_find(&(cn_convex_pair){cube, a, cube, b}, &separation, slab, &set);
			proved += cn_separate_along(cube, &before[all[i].a], cube, &before[all[i].b], separation.n) > 0;
			++pairs, points += set.count;
		}
		if (k)
			times[k - 1] = thread_ms() - start;
	}
	printf("  contacts: %u near pairs of %u, %u points, %u ways proved: %.3f ms\n", pairs, count, points, proved,
	       median(times, TIMES));
	free(witness), free(before);
}

typedef struct kept {
	cn_qp position, rest;
	cn_qp_impulse *position_y, *rest_y;
} kept;

static void *copy(const void *from, size_t count, size_t size)
{
	void *to = malloc(count * size + 1);
	settle_must(to && from);
	return memcpy(to, from, count * size);
}

static cn_qp copy_program(const cn_qp *qp)
{
	cn_qp c = *qp;
	c.u0 = copy(qp->u0, qp->body_count, sizeof *qp->u0);
	c.contacts = copy(qp->contacts, qp->contact_count, sizeof *qp->contacts);
	return c;
}

/* The last program of each kind. */
static void keep(void *context, const char *name, const cn_qp *qp, const cn_qp_solution *warm)
{
	kept *k = context;
	cn_qp *to = strcmp(name, "position") == 0 ? &k->position : strcmp(name, "rest") == 0 ? &k->rest : NULL;
	if (!to)
		return;
	cn_qp_impulse **y = to == &k->position ? &k->position_y : &k->rest_y;
	free((void *)to->u0), free((void *)to->contacts), free(*y);
	*to = copy_program(qp);
	*y = copy(warm->contact, qp->contact_count, sizeof **y);
}

static void time_fast(settle *s, const cn_qp *qp, const cn_qp_impulse *warm, bool momentum, uint32_t sweeps)
{
	cn_qp_solution x = {.u = s->answer, .contact = copy(warm, qp->contact_count, sizeof *warm)};
	cn_fast_options options = {.sweeps = sweeps, .warm = true};
	cn_qp_result r = {0};
	double times[TIMES];
	for (int k = 0; k < TIMES; ++k) {
		memcpy(x.contact, warm, qp->contact_count * sizeof *warm);
		double start = thread_ms();
		r = momentum ? cn_fast_momentum(s->fast, qp, &options, &x) : cn_fast_position(s->fast, qp, &options, &x);
		times[k] = thread_ms() - start;
	}
	printf("  %s, fast, %u sweeps, warm, %u rows: %.3f ms, violation %.1e %s\n", momentum ? "rest" : "position",
	       r.sweeps, qp->contact_count, median(times, TIMES), r.violation, momentum ? "m/s" : "m");
	free(x.contact);
}

static void time_exact(settle *s, const cn_qp *qp)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_qp_solution x = {.u = s->answer, .contact = calloc(qp->contact_count, sizeof(cn_qp_impulse))};
	settle_must(x.contact != NULL);
	double start = thread_ms();
	cn_qp_result r = cn_exact_solve(&allocator, qp, NULL, &x);
	printf("  position, exact, %u rows: %.1f ms, %u factorisations, violation %.1e m\n", qp->contact_count,
	       thread_ms() - start, r.factored, r.violation);
	free(x.contact);
}

static void run(uint32_t bodies, int frames)
{
	settle *s = settle_make(bodies, 1, 5);
	kept programs = {0};
	double unit = 800 * s->gravity * s->edge * bodies, ms = 0, most = 0, least = INFINITY;
	uint32_t restored = 0;
	for (int f = 1; f <= frames; ++f) {
		s->watch = f == frames ? keep : NULL;
		s->context = &programs;
		settle_frame(s);
		double sum = s->ms_contacts + s->ms_position + s->ms_momentum;
		ms += sum, most = sum > most ? sum : most;
		least = s->least_gap < least ? s->least_gap : least;
		restored += s->restorations;
	}
	printf("%u cubes after %d frames: kinetic energy %.1e units, least gap ever %.1e m, %u restorations, %.2f ms a "
	       "frame, %.2f at most\n",
	       bodies, frames, settle_kinetic(s) / unit, least, restored, ms / frames, most);
	time_contacts(s);
	time_fast(s, &programs.position, programs.position_y, false, 40);
	time_fast(s, &programs.rest, programs.rest_y, true, 40);
	if (bodies <= 2000)
		time_exact(s, &programs.position);
	free((void *)programs.position.u0), free((void *)programs.position.contacts), free(programs.position_y);
	free((void *)programs.rest.u0), free((void *)programs.rest.contacts), free(programs.rest_y);
	settle_free(s);
}

int main(int argc, char **argv)
{
	if (argc > 2) {
		run((uint32_t)strtoul(argv[1], NULL, 10), atoi(argv[2]));
	} else {
		run(100, 300);
		run(1000, 500);
	}
	return 0;
}
