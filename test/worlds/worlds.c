/* Random worlds under an eye that is not the engine's (docs/worlds.md).
 *
 *   worlds [--seed S] [--count N] [--frames N] [--seconds N]   the worlds of seeds S, S + 1, ...
 *   worlds --scene FILE... [--frames N]                        scene files instead
 *   worlds --dump SEED                                         the world of a seed as a scene file, on stdout
 *
 *   --patience N                                               seconds that a world may compute for; 20
 *   --finer N                                                  N times as many frames, of an Nth of the time
 *   --wrong X                                                  the eye takes gravity for larger by the share X: a test of it
 *   --limit KIND=N, KIND.share=X, KIND.worst=X                 exit 1 when there is more
 *   --json                                                     the table as JSON
 *   --quiet                                                    the table alone
 *   --hard                                                     wider ranges, and more that can be in a scene
 *   --sheets                                                   most bodies are shells and other meshes that move
 *
 * Exit 1: a limit is exceeded, or a seed makes no world. 2: usage. */
#define _XOPEN_SOURCE 700
#include "worlds.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LIMIT_MOST = 32, BUSY = 20 /* times its own patience: how long a world may take that hardly gets to run */ };

typedef struct limit {
	kind of;
	enum { COUNT, SHARE, WORST } what;
	double most;
} limit;

typedef struct options {
	uint64_t seed;
	uint32_t count, frames; /* 0: as many as there is time for; of the scene */
	double seconds, patience, finer, wrong;
	bool json, quiet, dump;
	world_kind is;
	limit limits[LIMIT_MOST];
	uint32_t limit_count;
	char **files;
	uint32_t file_count;
} options;

/* Over all worlds. */
typedef struct table {
	sight of[KINDS];
	uint64_t worlds_of[KINDS];
	char where[KINDS][64]; /* the world in which it was worst */
	uint64_t worlds, failed, frames, body_frames, free_frames;
	double ms;
} table;

/* ---- telling */

static void add(table *t, const seen *s, const char *name)
{
	++t->worlds;
	t->frames += s->frames, t->body_frames += s->body_frames, t->free_frames += s->free_frames, t->ms += s->ms;
	for (int k = 0; k < KINDS; ++k) {
		sight *all = &t->of[k];
		const sight *one = &s->of[k];
		uint64_t count = all->count;
		if (one->worst > all->worst || (one->count && !count)) {
			*all = *one;
			snprintf(t->where[k], sizeof t->where[k], "%s", name);
		}
		all->count = count + one->count;
		t->worlds_of[k] += one->count > 0;
	}
}

static void tell_world(const char *name, const seen *s)
{
	bool any = false;
	for (int k = 0; k < KINDS; ++k) {
		const sight *o = &s->of[k];
		if (!o->count)
			continue;
		printf("%s%s %s %llu (%.3g: frame %u%s%s)", any ? "," : name, any ? "" : ":", kinds[k].name,
		       (unsigned long long)o->count, o->worst, o->frame, *o->body ? " " : "", o->body);
		any = true;
	}
	if (any)
		printf("\n");
}

/* What counts are a share of. */
static double out_of(const table *t, int k)
{
	double all = (double)(k == HANG                                                           ? t->free_frames
	                      : k == STALL || k == DEBT || k == SHOT || k == HELD || k == OVERLAP ? t->body_frames
	                      : k == RISE || k == LATE || k == REFUSED || k == SLOW               ? t->frames
	                                                                                          : t->worlds);
	return all > 0 ? all : 1;
}

static void tell_table(const table *t)
{
	printf("%llu worlds, %llu frames, %llu body-frames, %llu of them in free flight; %.1f s of steps\n",
	       (unsigned long long)t->worlds, (unsigned long long)t->frames, (unsigned long long)t->body_frames,
	       (unsigned long long)t->free_frames, t->ms / 1000);
	printf("%-11s %9s %8s %9s %11s  %s\n", "", "count", "worlds", "share", "worst", "where");
	for (int k = 0; k < KINDS; ++k) {
		const sight *o = &t->of[k];
		printf("%-11s %9llu %8llu %8.3f%% %11.4g  ", kinds[k].name, (unsigned long long)o->count,
		       (unsigned long long)t->worlds_of[k], 100 * (double)o->count / out_of(t, k), o->worst);
		if (o->worst > 0 || o->count)
			printf("%s, %s frame %u %s", kinds[k].worst, t->where[k], o->frame, o->body);
		printf("\n");
	}
}

static void tell_text(const char *key, const char *text)
{
	printf("\"%s\":\"", key);
	for (const char *c = text; *c; ++c)
		if (*c == '"' || *c == '\\')
			printf("\\%c", *c);
		else if ((unsigned char)*c >= 32)
			putchar(*c);
	printf("\"");
}

static void tell_json(const table *t)
{
	printf("{\"worlds\":%llu,\"failed\":%llu,\"frames\":%llu,\"body_frames\":%llu,\"free_frames\":%llu,\"ms\":%.17g",
	       (unsigned long long)t->worlds, (unsigned long long)t->failed, (unsigned long long)t->frames,
	       (unsigned long long)t->body_frames, (unsigned long long)t->free_frames, t->ms);
	for (int k = 0; k < KINDS; ++k) {
		const sight *o = &t->of[k];
		printf(",\"%s\":{\"count\":%llu,\"worlds\":%llu,\"share\":%.17g,", kinds[k].name, (unsigned long long)o->count,
		       (unsigned long long)t->worlds_of[k], (double)o->count / out_of(t, k));
		if (isfinite(o->worst))
			printf("\"worst\":%.17g,", o->worst);
		else
			printf("\"worst\":null,");
		tell_text("world", t->where[k]);
		printf(",\"frame\":%u,", o->frame);
		tell_text("body", o->body);
		printf("}");
	}
	printf("}\n");
}

static bool keeps_limits(const options *o, const table *t)
{
	static const char *const names[] = {"", ".share", ".worst"};
	bool ok = true;
	for (uint32_t i = 0; i < o->limit_count; ++i) {
		const limit *l = &o->limits[i];
		const sight *s = &t->of[l->of];
		double is = l->what == COUNT   ? (double)s->count
		            : l->what == SHARE ? (double)s->count / out_of(t, (int)l->of)
		                               : s->worst;
		if (is <= l->most)
			continue;
		fprintf(stderr, "worlds: %s%s is %g, more than %g\n", kinds[l->of].name, names[l->what], is, l->most);
		ok = false;
	}
	return ok;
}

/* ---- doing */

/* What a world's own process hands back: a step that never ends, or dies, costs one world and not the run. */
typedef struct answer {
	seen s;
	cairn_error error;
	bool made;
} answer;

static void watch_apart(const cairn_scene *scene, uint32_t frames, double wrong, int to)
{
	static answer a;
	a.made = watch_scene(scene, frames, wrong, &a.s, &a.error);
	const char *bytes = (const char *)&a;
	for (size_t done = 0; done < sizeof a;) {
		ssize_t size = write(to, bytes + done, sizeof a - done);
		if (size <= 0)
			_exit(1);
		done += (size_t)size;
	}
	_exit(0);
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Reads the answer of a child; false: it did not come in time or not whole. */
static bool receive(int from, double patience, answer *a)
{
	double end = now() + patience;
	char *bytes = (char *)a;
	for (size_t done = 0; done < sizeof *a;) {
		struct pollfd p = {.fd = from, .events = POLLIN};
		double left = end - now();
		if (left <= 0 || poll(&p, 1, (int)(1000 * left) + 1) <= 0)
			return false;
		ssize_t size = read(from, bytes + done, sizeof *a - done);
		if (size <= 0)
			return false;
		done += (size_t)size;
	}
	return true;
}

static bool ask_child(const options *o, const cairn_scene *scene, uint32_t frames, answer *a)
{
	int ends[2];
	memset(a, 0, sizeof *a);
	if (pipe(ends) != 0)
		return false;
	fflush(stdout);
	double start = now();
	pid_t child = fork();
	if (child == 0) {
		struct rlimit most = {(rlim_t)o->patience + 1, (rlim_t)o->patience + 1};
		(void)setrlimit(RLIMIT_CPU, &most);
		close(ends[0]);
		watch_apart(scene, frames, o->wrong, ends[1]);
	}
	close(ends[1]);
	bool whole = child > 0 && receive(ends[0], BUSY * o->patience, a);
	bool late = now() - start >= BUSY * o->patience;
	int status = 0;
	if (child > 0 && !whole && late)
		kill(child, SIGKILL);
	if (child > 0)
		waitpid(child, &status, 0);
	late |= WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
	close(ends[0]);
	if (!whole) {
		memset(a, 0, sizeof *a);
		a->made = true;
		sight *s = &a->s.of[late ? STUCK : CRASHED];
		*s = (sight){.count = 1, .worst = late ? o->patience : WIFSIGNALED(status) ? WTERMSIG(status) : 0};
	}
	return child > 0;
}

static void make_finer(cairn_scene *scene, double finer)
{
	cairn_error error;
	cairn_settings s = cairn_scene_settings(scene);
	s.fps *= finer;
	cairn_scene_set_settings(scene, &s, &error);
}

static bool watch_named(const options *o, table *t, cairn_scene *scene, const char *name, cairn_error *error)
{
	static answer a;
	char text[600];
	uint32_t frames = o->frames ? o->frames : scene ? cairn_scene_settings(scene).frames : 0;
	if (o->finer > 0 && scene) {
		make_finer(scene, o->finer);
		frames = (uint32_t)(frames * o->finer);
	}
	if (scene && ask_child(o, scene, frames, &a))
		*error = a.error;
	else
		a.made = false;
	if (!a.made) {
		cairn_error_print(error, text, sizeof text);
		fprintf(stderr, "worlds: %s: %s\n", name, text);
		++t->failed;
		return false;
	}
	add(t, &a.s, name);
	if (!o->quiet && !o->json)
		tell_world(name, &a.s);
	return true;
}

static void run_seed(const options *o, table *t, uint64_t seed)
{
	char name[64];
	size_t size = 0;
	cairn_error error = {0};
	char *text = world_text(seed, o->frames, o->is, &size, &error);
	cairn_scene *scene = text ? cairn_scene_read_text(text, size, "world.json", NULL, NULL, &error) : NULL;
	snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
	watch_named(o, t, scene, name, &error);
	cairn_scene_destroy(scene);
	free(text);
}

static void run_file(const options *o, table *t, const char *path)
{
	cairn_error error = {0};
	cairn_scene *scene = cairn_scene_read(path, &error);
	const char *slash = strrchr(path, '/');
	watch_named(o, t, scene, slash ? slash + 1 : path, &error);
	cairn_scene_destroy(scene);
}

static int dump(const options *o)
{
	size_t size = 0;
	cairn_error error = {0};
	char *text = world_text(o->seed, o->frames ? o->frames : 60, o->is, &size, &error);
	if (!text) {
		fprintf(stderr, "worlds: seed %llu makes no world: %s\n", (unsigned long long)o->seed, error.message);
		return 1;
	}
	bool ok = fwrite(text, 1, size, stdout) == size && fflush(stdout) == 0;
	free(text);
	return ok ? 0 : 1;
}

/* ---- options */

static bool read_limit(options *o, const char *text)
{
	if (o->limit_count == LIMIT_MOST)
		return false;
	limit *l = &o->limits[o->limit_count];
	for (int k = 0; k < KINDS; ++k) {
		size_t size = strlen(kinds[k].name);
		if (strncmp(text, kinds[k].name, size) != 0)
			continue;
		const char *rest = text + size;
		l->of = (kind)k;
		l->what = COUNT;
		if (strncmp(rest, ".share", 6) == 0)
			l->what = SHARE, rest += 6;
		else if (strncmp(rest, ".worst", 6) == 0)
			l->what = WORST, rest += 6;
		char *end;
		if (*rest != '=')
			continue;
		l->most = strtod(rest + 1, &end);
		if (end == rest + 1 || *end)
			return false;
		++o->limit_count;
		return true;
	}
	return false;
}

static bool read_number(const char *text, double *value)
{
	char *end;
	*value = strtod(text, &end);
	return end != text && *end == 0 && *value >= 0 && *value < 9e15;
}

static bool read_value(options *o, const char *key, const char *text)
{
	double value = 0;
	if (strcmp(key, "--limit") == 0)
		return read_limit(o, text);
	if (!read_number(text, &value))
		return false;
	if (strcmp(key, "--seed") == 0)
		o->seed = (uint64_t)value;
	else if (strcmp(key, "--dump") == 0)
		o->seed = (uint64_t)value, o->dump = true;
	else if (strcmp(key, "--count") == 0)
		o->count = (uint32_t)value;
	else if (strcmp(key, "--frames") == 0)
		o->frames = (uint32_t)value;
	else if (strcmp(key, "--seconds") == 0)
		o->seconds = value;
	else if (strcmp(key, "--finer") == 0)
		o->finer = value;
	else if (strcmp(key, "--wrong") == 0)
		o->wrong = value;
	else if (strcmp(key, "--patience") == 0)
		o->patience = value;
	else
		return false;
	return true;
}

static bool read_options(options *o, int argc, char **argv)
{
	for (int i = 1; i < argc; ++i) {
		if (strcmp(argv[i], "--json") == 0) {
			o->json = true;
		} else if (strcmp(argv[i], "--quiet") == 0) {
			o->quiet = true;
		} else if (strcmp(argv[i], "--hard") == 0) {
			o->is = HARD;
		} else if (strcmp(argv[i], "--sheets") == 0) {
			o->is = SHEETS;
		} else if (strcmp(argv[i], "--scene") == 0) {
			o->files = &argv[i + 1];
			while (i + 1 < argc && argv[i + 1][0] != '-')
				++i, ++o->file_count;
			if (!o->file_count)
				return false;
		} else {
			if (i + 1 == argc || !read_value(o, argv[i], argv[i + 1]))
				return false;
			++i;
		}
	}
	return true;
}

int main(int argc, char **argv)
{
	static options o;
	static table t;
	o.seed = 1, o.patience = 20;
	if (!read_options(&o, argc, argv)) {
		fprintf(stderr, "worlds: [--seed S] [--count N] [--frames N] [--seconds N] [--patience N] [--finer N] [--limit "
		                "KIND[.share|.worst]=X] "
		                "[--json] [--quiet], --scene FILE... or --dump SEED\n");
		return 2;
	}
	if (o.dump)
		return dump(&o);
	for (uint32_t i = 0; i < o.file_count; ++i)
		run_file(&o, &t, o.files[i]);
	if (!o.file_count) {
		double start = now();
		o.frames = o.frames ? o.frames : 60;
		uint64_t count = o.count ? o.count : o.seconds > 0 ? UINT64_MAX : 100;
		for (uint64_t i = 0; i < count; ++i) {
			if (o.seconds > 0 && now() - start >= o.seconds)
				break;
			run_seed(&o, &t, o.seed + i);
			fflush(stdout);
		}
	}
	if (o.json)
		tell_json(&t);
	else
		tell_table(&t);
	return t.failed || !keeps_limits(&o, &t) ? 1 : 0;
}
