/* Runs a scene in an engine and prints one JSON object: times, what was wrong, memory.
 *
 *   peer_ENGINE SCENE [--steps N] [--sleep on] [--seconds S] [--until-bad on] [--frames N]
 *
 * --seconds ends the run when the steps alone have taken so long; --until-bad at the first frame that fails. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct plan {
	uint32_t steps, frames;
	bool sleep, until_bad;
	double seconds;
} plan;

static double now(void) /* ms of this thread */
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double memory(void) /* kB, the most so far */
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void blast(const peer_scene *s, const double *states)
{
	for (uint32_t i = 0; i < s->count; ++i) {
		double change[3];
		peer_scene_push(s, states + (size_t)i * PEER_STATE, change);
		if (!s->bodies[i].fixed)
			peer_push(i, change);
	}
}

/* Steps to the scene's end or what ends the run before. Returns the number of frames. */
static uint32_t run(const peer_scene *s, const plan *p, peer_check *c, double *states, double *ms)
{
	uint32_t most = p->frames && p->frames < s->frames ? p->frames : s->frames, n = 0;
	double total = 0;
	while (n < most) {
		bool went = true;
		if (s->blast && n == s->blast)
			blast(s, states);
		double before = now();
		for (uint32_t k = 0; k < p->steps && went; ++k)
			went = peer_step(PEER_DT / p->steps);
		ms[n] = now() - before;
		if (!went)
			break;
		for (uint32_t i = 0; i < s->count; ++i)
			peer_state(i, states + (size_t)i * PEER_STATE);
		peer_check_frame(c, states);
		total += ms[n++];
		if (total > p->seconds * 1e3 || (p->until_bad && !peer_check_passes(c)))
			break;
	}
	return n;
}

static void print(const peer_scene *s, const plan *p, const peer_check *c, double *ms, double kb)
{
	uint32_t n = c->frames, moving = 0;
	double sum = 0;
	for (uint32_t i = 0; i < n; ++i)
		sum += ms[i];
	for (uint32_t i = 0; i < s->count; ++i)
		moving += !s->bodies[i].fixed;
	qsort(ms, n, sizeof *ms, by_size);
	printf(
		"{\"engine\": \"%s\", \"settings\": \"%s\", \"scene\": \"%s\", \"bodies\": %u, \"steps\": %u, \"frames\": %u, "
		"\"of\": %u, \"mean\": %.5g, \"median\": %.5g, \"most\": %.5g, \"overlap\": %.4g, \"last\": %.4g, \"rise\": "
		"%.3g, "
		"\"energy\": %.4g, \"moved\": %.3g, \"escaped\": %u, \"through\": %u, \"passes\": %s, \"kb\": %.3g}\n",
		peer_name, peer_settings, s->name, moving, p->steps, n, s->frames, n ? sum / n : 0, n ? ms[n / 2] : 0,
		n ? ms[n - 1] : 0, c->overlap, c->overlap_last, c->rise, (c->before - c->start) / c->unit, c->moved, c->escaped,
		c->through, peer_check_passes(c) ? "true" : "false", kb / (moving ? moving : 1));
}

static bool read_words(int argc, char **argv, plan *p)
{
	int i = 2;
	for (; i + 1 < argc; i += 2) {
		const char *value = argv[i + 1];
		if (strcmp(argv[i], "--steps") == 0)
			p->steps = (uint32_t)atoi(value);
		else if (strcmp(argv[i], "--frames") == 0)
			p->frames = (uint32_t)atoi(value);
		else if (strcmp(argv[i], "--sleep") == 0)
			p->sleep = strcmp(value, "on") == 0;
		else if (strcmp(argv[i], "--until-bad") == 0)
			p->until_bad = strcmp(value, "on") == 0;
		else if (strcmp(argv[i], "--seconds") == 0)
			p->seconds = atof(value);
		else
			return false;
	}
	return i == argc && p->steps >= 1;
}

int main(int argc, char **argv)
{
	plan p = {.steps = 1, .seconds = 1e9};
	peer_scene *s = argc > 1 ? peer_scene_make(argv[1]) : NULL;
	if (!s || !read_words(argc, argv, &p)) {
		fprintf(stderr,
		        "usage: %s stack|wall|cubejam|cubeglass|sphereglass|plates|gridN|flatN [--steps N] [--sleep on] "
		        "[--seconds S] [--until-bad on] [--frames N]\n",
		        argv[0]);
		return 2;
	}
	peer_check c;
	double *states = calloc(s->count, PEER_STATE * sizeof *states), *ms = calloc(s->frames, sizeof *ms);
	if (!states || !ms || !peer_check_begin(&c, s)) {
		fprintf(stderr, "%s: out of memory\n", argv[0]);
		free(states);
		free(ms);
		return 1;
	}
	memcpy(states, c.first, s->count * PEER_STATE * sizeof *states);
	double before = memory();
	if (!peer_create(s, p.steps, p.sleep)) {
		fprintf(stderr, "%s: cannot make %s\n", argv[0], s->name);
		return 1;
	}
	run(s, &p, &c, states, ms);
	print(s, &p, &c, ms, memory() - before);
	peer_check_end(&c);
	free(states);
	free(ms);
	peer_scene_free(s);
	return 0;
}
