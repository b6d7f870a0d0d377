/* How long a step of the bundled scenes takes, the certificate included, no recording: mean, 95 % and most of its
 * frames, bodies held, and the share of each stage in percent.
 *
 *   bench_scenes [--frames N] [--threads N] [--set key=value]... [scene.json]...
 *
 * 240 frames of the scenes listed below, on all cores, unless told otherwise. */
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 16 };

typedef struct plan {
	int frames;
	uint32_t threads;
	const char *set[MOST_SETS + 1];
	int set_count;
} plan;

typedef struct tally {
	double *ms, sum, stage[CAIRN_MAX_STAGES];
	const char *names[CAIRN_MAX_STAGES];
	uint32_t stages, bodies;
	int frames;
	uint64_t held;
} tally;

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static bool measure(cairn_world *world, int frames, tally *t)
{
	char text[512];
	for (int i = 0; i < frames; ++i) {
		cairn_step_report r = cairn_world_step(world);
		if (r.status != CAIRN_STEP_OK) {
			cairn_world_explain(world, &r, text, sizeof text);
			fprintf(stderr, "bench_scenes: %s\n", text);
			return false;
		}
		t->ms[t->frames++] = r.ms;
		t->sum += r.ms;
		t->held += r.tiers[CAIRN_TIER_HOLD];
		t->stages = r.stage_count, t->bodies = r.moving;
		for (uint32_t k = 0; k < r.stage_count; ++k)
			t->names[k] = r.stage_names[k], t->stage[k] += r.stage_ms[k];
	}
	return true;
}

static void print(const char *name, tally *t)
{
	qsort(t->ms, (size_t)t->frames, sizeof *t->ms, by_size);
	printf("%-14s %6u %6d %8.3f %8.3f %8.3f %6llu ", name, t->bodies, t->frames, t->sum / t->frames,
	       t->ms[(t->frames * 95 - 1) / 100], t->ms[t->frames - 1], (unsigned long long)t->held);
	for (uint32_t k = 0; k < t->stages; ++k)
		if (t->stage[k] >= 0.01 * t->sum)
			printf(" %s %.0f", t->names[k], 100 * t->stage[k] / t->sum);
	printf("\n");
	fflush(stdout);
}

static cairn_scene *read_scene(const char *path, const plan *p, cairn_error *error)
{
	cairn_scene *scene = cairn_scene_read(path, error);
	for (int i = 0; scene && i < p->set_count; ++i) {
		char key[64] = "";
		const char *value = strchr(p->set[i], '=');
		snprintf(key, sizeof key, "%.*s", value ? (int)(value - p->set[i]) : 0, p->set[i]);
		if (cairn_scene_set_option(scene, key, value ? value + 1 : "", error))
			continue;
		cairn_scene_destroy(scene);
		return NULL;
	}
	return scene;
}

static bool run(const char *path, const plan *p)
{
	cairn_error error = {0};
	char text[1024];
	cairn_scene *scene = read_scene(path, p, &error);
	cairn_world_def def = cairn_default_world_def();
	def.threads = p->threads;
	cairn_world *world = scene ? cairn_world_create(scene, &def, &error) : NULL;
	tally t = {.ms = calloc((size_t)p->frames, sizeof *t.ms)};
	bool ok = world && t.ms;
	if (ok && (ok = measure(world, p->frames, &t)))
		print(cairn_scene_settings(scene).name, &t);
	else if (!world) {
		cairn_error_print(&error, text, sizeof text);
		fprintf(stderr, "bench_scenes: %s\n", text);
	}
	free(t.ms);
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return ok;
}

/* The scenes stand beside this file's folder. */
static bool run_bundled(const plan *p)
{
	static const char *const names[] = {"stack", "column", "cs-stack",    "cubejam",
	                                    "wall",  "jacks",  "sphereglass", "cubeglass"};
	char path[1024];
	const char *slash = strrchr(__FILE__, '/');
	int folder = slash ? (int)(slash - __FILE__) : 0;
	bool ok = true;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
		snprintf(path, sizeof path, "%.*s/../scenes/%s.json", folder ? folder : 1, folder ? __FILE__ : ".", names[i]);
		ok &= run(path, p);
	}
	return ok;
}

int main(int argc, char **argv)
{
	plan p = {.frames = 240, .threads = 0};
	int i = 1;
	for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
		if (strcmp(argv[i], "--frames") == 0)
			p.frames = atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--threads") == 0)
			p.threads = (uint32_t)atoi(argv[i + 1]);
		else if (strcmp(argv[i], "--set") == 0 && p.set_count < MOST_SETS)
			p.set[p.set_count++] = argv[i + 1];
		else
			return 2;
	}
	if (p.frames < 1)
		return 2;
	printf("%-14s %6s %6s %8s %8s %8s %6s  share of stages, %%\n", "scene", "moving", "frames", "mean ms", "p95", "max",
	       "held");
	bool ok = true;
	if (i == argc)
		ok = run_bundled(&p);
	for (; i < argc; ++i)
		ok &= run(argv[i], &p);
	return ok ? 0 : 1;
}
