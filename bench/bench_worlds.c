/* Many worlds at once: what a second thread gains, and how much of the rest is the machine's.
 *
 * First by the clock: all worlds on one thread and on two. Each thread has the worlds it had before, so that it finds them in
 * its own cache, and takes from the other's end when it is done. Then the processor's time of one thread that steps half of
 * the worlds on a core of its own: alone, beside a thread or a process that steps the other half, and beside processes that
 * only calculate or only wait for memory. What a thread costs more than a process is ours; what a process costs is the
 * machine's. The cases take turns and the best round of each counts, so that other work on the machine shows little.
 *
 *   bench_worlds [worlds] [frames] [rounds]      64 5 20 */
#define _GNU_SOURCE /* affinity */
#include "cairn/cairn.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { CHASED = 1 << 21 }; /* words to step through: 16 MiB, more than a core's own caches */

/* Two ends of the worlds that are left: the first thread takes from the front, the second from the back. */
typedef struct load {
	cairn_world **worlds;
	void **starts; /* snapshots */
	size_t *sizes; /* of these */
	uint32_t count, frames;
	atomic_uint taken, turn[2];
	size_t *chain;
} load;

/* What the other one does until it is told to stop; in memory that processes share. */
typedef struct company {
	atomic_bool ready, stop;
	load *load;
	void (*work)(load *);
} company;

static double seconds(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void stay_on(size_t core)
{
	cpu_set_t cores;
	CPU_ZERO(&cores);
	CPU_SET(core, &cores);
	sched_setaffinity(0, sizeof cores, &cores);
}

static void restore(load *l, uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; ++i)
		cairn_world_restore(l->worlds[i], l->starts[i], l->sizes[i], NULL);
}

static void step(load *l, uint32_t i)
{
	for (uint32_t frame = 0; frame < l->frames; ++frame)
		cairn_world_step(l->worlds[i]);
}

static void step_first_half(load *l)
{
	for (uint32_t i = 0; i < l->count / 2; ++i)
		step(l, i);
}

static void step_second_half(load *l)
{
	restore(l, l->count / 2, l->count);
	for (uint32_t i = l->count / 2; i < l->count; ++i)
		step(l, i);
}

/* From the front (0) or from the back (1), until all are taken. */
static void take(load *l, int end)
{
	while (atomic_fetch_add(&l->taken, 1) < l->count) {
		uint32_t turn = atomic_fetch_add(&l->turn[end], 1);
		step(l, end ? l->count - 1 - turn : turn);
	}
}

static void calculate(load *l)
{
	(void)l;
	volatile double kept;
	double x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
	for (int i = 0; i < 1000000; ++i)
		for (int k = 0; k < 8; ++k)
			x[k] = x[k] * 0.999999 + 1e-6;
	for (int k = 0; k < 8; ++k)
		kept = x[k];
	(void)kept;
}

static void chase(load *l)
{
	volatile size_t kept;
	size_t at = 0;
	for (int i = 0; i < 100000; ++i)
		at = l->chain[at];
	kept = at;
	(void)kept;
}

static void *keep_company(void *context)
{
	company *c = context;
	stay_on(1);
	c->work(c->load);
	for (c->ready = true; !c->stop;)
		c->work(c->load);
	return NULL;
}

/* Seconds of the processor for the first half of the worlds; work NULL: alone. */
static double time_half(company *c, void (*work)(load *), bool process)
{
	pthread_t thread = 0;
	pid_t child = 0;
	load *l = c->load;
	c->ready = false;
	c->stop = false;
	c->work = work;
	fflush(stdout);
	if (work && !process) {
		pthread_create(&thread, NULL, keep_company, c);
	} else if (work && (child = fork()) == 0) {
		keep_company(c);
		_exit(0);
	}
	if (child < 0) {
		perror("bench_worlds: fork");
		exit(1);
	}
	while (work && !c->ready)
		sched_yield();
	step_first_half(l); /* after a fork the first to write a page copies it */
	restore(l, 0, l->count / 2);
	double start = seconds(CLOCK_THREAD_CPUTIME_ID);
	step_first_half(l);
	double took = seconds(CLOCK_THREAD_CPUTIME_ID) - start;
	c->stop = true;
	if (child > 0)
		waitpid(child, NULL, 0);
	else if (work && !process)
		pthread_join(thread, NULL);
	return took;
}

typedef struct helper {
	load *load;
	pthread_barrier_t *ready;
} helper;

static void *help(void *context)
{
	helper *h = context;
	stay_on(1);
	restore(h->load, h->load->count / 2, h->load->count);
	pthread_barrier_wait(h->ready);
	take(h->load, 1);
	return NULL;
}

/* Seconds by the clock for all worlds on one thread or on two. */
static double time_all(load *l, bool two)
{
	pthread_t thread;
	pthread_barrier_t ready;
	helper h = {l, &ready};
	l->taken = l->turn[0] = l->turn[1] = 0;
	pthread_barrier_init(&ready, NULL, two ? 2 : 1);
	if (two)
		pthread_create(&thread, NULL, help, &h);
	restore(l, 0, two ? l->count / 2 : l->count);
	pthread_barrier_wait(&ready);
	double start = seconds(CLOCK_MONOTONIC);
	take(l, 0);
	if (two)
		pthread_join(thread, NULL);
	double took = seconds(CLOCK_MONOTONIC) - start;
	pthread_barrier_destroy(&ready);
	return took;
}

static cairn_world *make_world(void)
{
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_shape_def floor = cairn_default_shape_def(CAIRN_HALFSPACE), box = cairn_default_shape_def(CAIRN_BOX);
	box.size = (cairn_vec3){0.5, 0.5, 0.5};
	cairn_body_def ground = cairn_default_body_def(), body = cairn_default_body_def();
	ground.type = CAIRN_FIXED;
	ground.shape = cairn_scene_add_shape(scene, &floor, NULL);
	cairn_scene_add_body(scene, &ground, NULL);
	body.shape = cairn_scene_add_shape(scene, &box, NULL);
	for (int i = 0; i < 20; ++i) {
		int row = i / 3 % 3, layer = i / 9;
		body.pose.position = (cairn_vec3){0.7 * (i % 3), 0.7 * row, 0.3 + 0.6 * layer};
		cairn_scene_add_body(scene, &body, NULL);
	}
	cairn_world_def def = cairn_default_world_def();
	def.threads = 1;
	cairn_world *world = cairn_world_create(scene, &def, NULL);
	cairn_scene_destroy(scene);
	return world;
}

static bool fill(load *l)
{
	l->worlds = calloc(l->count, sizeof *l->worlds);
	l->starts = calloc(l->count, sizeof *l->starts);
	l->sizes = calloc(l->count, sizeof *l->sizes);
	l->chain = malloc(CHASED * sizeof *l->chain);
	if (!l->worlds || !l->starts || !l->sizes || !l->chain)
		return false;
	for (uint32_t i = 0; i < l->count; ++i) {
		cairn_world *w = l->worlds[i] = make_world();
		for (int frame = 0; w && frame < 10; ++frame)
			cairn_world_step(w);
		size_t size = l->sizes[i] = w ? cairn_world_snapshot_size(w) : 0;
		l->starts[i] = malloc(size + 1);
		if (!w || !l->starts[i] || !cairn_world_snapshot(w, l->starts[i], size, NULL))
			return false;
	}
	for (size_t i = 0; i < CHASED; ++i)
		l->chain[i] = i;
	uint64_t random = 1;
	for (size_t i = CHASED - 1; i > 0; --i) { /* Sattolo: one round through all */
		random = random * 6364136223846793005u + 1442695040888963407u;
		size_t other = (size_t)(random >> 33) % i, kept = l->chain[i];
		l->chain[i] = l->chain[other], l->chain[other] = kept;
	}
	return true;
}

static void empty(load *l)
{
	for (uint32_t i = 0; i < l->count; ++i) {
		cairn_world_destroy(l->worlds ? l->worlds[i] : NULL);
		free(l->starts ? l->starts[i] : NULL);
	}
	free(l->worlds), free(l->starts), free(l->sizes), free(l->chain);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*work)(load *);
		bool process;
	} cases[] = {
		{"alone", NULL, false},
		{"beside a thread that steps the others", step_second_half, false},
		{"beside a process that steps the others", step_second_half, true},
		{"beside a process that calculates", calculate, true},
		{"beside a process that waits for memory", chase, true},
	};
	enum { CASES = sizeof cases / sizeof *cases };
	load l = {.count = argc > 1 ? (uint32_t)atoi(argv[1]) : 64, .frames = argc > 2 ? (uint32_t)atoi(argv[2]) : 5};
	int rounds = argc > 3 ? atoi(argv[3]) : 20;
	company *c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c == MAP_FAILED || !fill(&l)) {
		fprintf(stderr, "bench_worlds: out of memory\n");
		empty(&l);
		return 1;
	}
	c->load = &l;
	stay_on(0);
	double all[2] = {0}, half[CASES] = {0};
	for (int round = 0; round < rounds; ++round) {
		for (int i = 0; i < 2; ++i) {
			double took = time_all(&l, i == 1);
			all[i] = round == 0 || took < all[i] ? took : all[i];
		}
		for (int i = 0; i < CASES; ++i) {
			double took = time_half(c, cases[i].work, cases[i].process);
			half[i] = round == 0 || took < half[i] ? took : half[i];
		}
	}
	printf("%u worlds of 21 bodies, %u frames, best of %d rounds\n", l.count, l.frames, rounds);
	printf("one thread %.1f ms, two threads %.1f ms by the clock: %.2f times\n", 1e3 * all[0], 1e3 * all[1],
	       all[0] / all[1]);
	printf("%-42s%14s%12s%20s\n", "half of the worlds", "processor, ms", "to alone", "so two gain at most");
	for (int i = 0; i < CASES; ++i)
		printf("%-42s%14.1f%12.3f%20.2f\n", cases[i].name, 1e3 * half[i], half[i] / half[0], 2 * half[0] / half[i]);
	empty(&l);
	munmap(c, sizeof *c);
	return 0;
}
