/* Steps a scene and prints the hash chained over its frames: the same number on every machine, compiler, optimization
 * level and thread count, or a bug.
 *
 *   hashrun SCENE [--frames N] [--threads N] [--golden FILE | --hash NUMBER] [--replace FROM TO] [--differs]
 *   [--set KEY=VALUE]...
 *
 * --frames: to this frame, else to the scene's last. --golden, --hash: compare with the number in FILE, or with this
 * one, and exit 1 when the run gives another. --replace: change the first FROM in the scene's text to TO; with --differs
 * exit 1 when the number is still the golden one, which shows that the check can fail. --set: an option or setting
 * of the scene, up to eight of them. */
#include "cairn/cairn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
	const char *scene, *golden, *hash, *from, *to;
	uint32_t frames, threads;
	bool differs;
	const char *set[8];
	uint32_t set_count;
} arguments;

static void stop(const char *what, const char *which)
{
	fprintf(stderr, "hashrun: %s %s\n", what, which);
	exit(2);
}

static void stop_error(const cairn_error *error)
{
	char text[1024];
	cairn_error_print(error, text, sizeof text);
	stop("the library says:", text);
}

static arguments read_arguments(int argc, char **argv)
{
	arguments a = {.threads = 1};
	for (int i = 1; i < argc; ++i) {
		if (strcmp(argv[i], "--threads") == 0 && i + 1 < argc) {
			a.threads = (uint32_t)strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--frames") == 0 && i + 1 < argc) {
			a.frames = (uint32_t)strtoul(argv[++i], NULL, 10);
		} else if (strcmp(argv[i], "--golden") == 0 && i + 1 < argc) {
			a.golden = argv[++i];
		} else if (strcmp(argv[i], "--hash") == 0 && i + 1 < argc) {
			a.hash = argv[++i];
		} else if (strcmp(argv[i], "--replace") == 0 && i + 2 < argc) {
			a.from = argv[++i];
			a.to = argv[++i];
		} else if (strcmp(argv[i], "--set") == 0 && i + 1 < argc && a.set_count < 8) {
			a.set[a.set_count++] = argv[++i];
		} else if (strcmp(argv[i], "--differs") == 0) {
			a.differs = true;
		} else if (argv[i][0] != '-' && !a.scene) {
			a.scene = argv[i];
		} else {
			stop("does not know", argv[i]);
		}
	}
	if (!a.scene)
		stop("needs", "a scene");
	return a;
}

static char *read_text(const char *path)
{
	enum { MOST = 1 << 20 };
	FILE *file = fopen(path, "rb");
	char *text = calloc(1, MOST);
	if (!file || !text)
		stop("cannot read", path);
	size_t size = fread(text, 1, MOST - 1, file);
	if (ferror(file) || size == MOST - 1)
		stop("cannot read", path);
	fclose(file);
	return text;
}

static char *replace(char *text, const char *from, const char *to)
{
	const char *found = strstr(text, from);
	if (!found)
		stop("does not find in the scene:", from);
	size_t size = strlen(text) + strlen(to) + 1, before = (size_t)(found - text);
	char *changed = malloc(size);
	if (!changed)
		stop("ran out of", "memory");
	snprintf(changed, size, "%.*s%s%s", (int)before, text, to, found + strlen(from));
	free(text);
	return changed;
}

/* The chain of docs/determinism.md, written out here from its definition: also the hash of a recording. */
static uint64_t chain_on(uint64_t chain, const cairn_world *world)
{
	chain = (chain ^ cairn_world_hash(world)) * 0x9e3779b97f4a7c15ull;
	return chain ^ (chain >> 32);
}

/* "method=penalty" */
static void set_option(cairn_scene *scene, const char *text)
{
	cairn_error error;
	char key[64];
	size_t size = strcspn(text, "=");
	if (text[size] != '=' || size >= sizeof key)
		stop("wants KEY=VALUE, not", text);
	snprintf(key, sizeof key, "%.*s", (int)size, text);
	if (!cairn_scene_set_option(scene, key, text + size + 1, &error))
		stop_error(&error);
}

/* frames 0: to the scene's last. */
static uint64_t run(cairn_world *world, uint32_t frames)
{
	uint32_t extra_keys = 0, emitted = 0, waiting = 0, programs = 0;
	frames = frames ? frames : cairn_scene_settings(cairn_world_scene(world)).frames;
	uint64_t chain = chain_on(0x6361697265ull, world);
	for (uint32_t i = 0; i < frames; ++i) {
		cairn_step_report report = cairn_world_step(world);
		if (report.status != CAIRN_STEP_OK) {
			char text[512];
			cairn_world_explain(world, &report, text, sizeof text);
			stop("stopped:", text);
		}
		extra_keys += report.extra_keys;
		emitted += report.emitted;
		waiting += report.waiting;
		programs += report.programs;
		chain = chain_on(chain, world);
	}
	fprintf(stderr,
	        "%" PRIu32 " frames, %" PRIu32 " bodies at the end, %" PRIu32 " keys inside frames, %" PRIu32
	        " emitted, %" PRIu32 " waits, %" PRIu32 " programs\n",
	        frames, cairn_world_body_count(world), extra_keys, emitted, waiting, programs);
	return chain;
}

int main(int argc, char **argv)
{
	arguments a = read_arguments(argc, argv);
	char *text = read_text(a.scene), found[32], wanted[32] = "";
	if (a.from)
		text = replace(text, a.from, a.to);

	cairn_error error;
	cairn_scene *scene = cairn_scene_read_text(text, strlen(text), a.scene, NULL, NULL, &error);
	if (!scene)
		stop_error(&error);
	for (uint32_t i = 0; i < a.set_count; ++i)
		set_option(scene, a.set[i]);
	cairn_world_def def = cairn_default_world_def();
	def.threads = a.threads;
	cairn_world *world = cairn_world_create(scene, &def, &error);
	if (!world)
		stop_error(&error);
	snprintf(found, sizeof found, "%016" PRIx64, run(world, a.frames));
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	free(text);

	puts(found);
	if (!a.golden && !a.hash)
		return 0;
	char *golden = a.golden ? read_text(a.golden) : NULL;
	bool read = sscanf(golden ? golden : a.hash, "%31s", wanted) == 1, same = read && strcmp(found, wanted) == 0;
	free(golden);
	if (same == a.differs)
		fprintf(stderr, "hashrun: %s is %s\n", wanted, a.differs ? "still the hash" : "wanted");
	return !read || same == a.differs;
}
