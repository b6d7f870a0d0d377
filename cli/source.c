/* Finds and reads what the command line names. */
#define _POSIX_C_SOURCE 200809L
#include "source.h"
#include "limit.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[] = "CAIRNREC"; /* docs/recording-format.md */

bool ends_with(const char *text, const char *ending)
{
	size_t size = strlen(text), end = strlen(ending);
	return size >= end && strcmp(text + size - end, ending) == 0;
}

bool file_exists(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0;
}

uint64_t file_size(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 ? (uint64_t)info.st_size : 0;
}

bool file_is_special(const char *path)
{
	struct stat info;
	return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

bool file_is_same(const char *a, const char *b)
{
	struct stat first, second;
	return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
	       first.st_ino == second.st_ino;
}

static bool has_magic(const char *path)
{
	char head[sizeof MAGIC - 1];
	if (!file_exists(path) || file_is_special(path))
		return false;
	FILE *in = fopen(path, "rb");
	if (!in)
		return false;
	bool found = fread(head, 1, sizeof head, in) == sizeof head && memcmp(head, MAGIC, sizeof head) == 0;
	fclose(in);
	return found;
}

/* What a file is that cairn import makes a scene of, by its ending or its first bytes; NULL: none of these. */
static const char *kind_of_asset(const char *path)
{
	static const char *const kinds[][2] = {{".gltf", "a glTF"}, {".glb", "a glTF"},   {".obj", "an OBJ"},
	                                       {".urdf", "a URDF"}, {".mjcf", "an MJCF"}, {".xml", "an XML"}};
	char head[4] = "";
	if (!file_exists(path) || file_is_special(path))
		return NULL;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
		if (ends_with(path, kinds[i][0]))
			return kinds[i][1];
	FILE *in = fopen(path, "rb");
	bool found = in && fread(head, 1, sizeof head, in) == sizeof head && memcmp(head, "glTF", 4) == 0;
	if (in)
		fclose(in);
	return found ? "a glTF" : NULL;
}

static void find_stem(source *s)
{
	const char *slash = strrchr(s->argument, '/'), *name = slash ? slash + 1 : s->argument;
	size_t size = strlen(name);
	if (ends_with(name, ".json"))
		size -= 5;
	else if (ends_with(name, ".cairn"))
		size -= 6;
	if (size >= sizeof s->stem)
		size = sizeof s->stem - 1;
	memcpy(s->stem, name, size);
	s->stem[size] = 0;
	if (size == 0)
		strcpy(s->stem, "scene");
}

/* The bundled scene that was meant: torture-NAME and validation-NAME are easily called by their last part, or by the
 * first letters. */
static const char *nearest_scene(const char *name)
{
	for (size_t i = 0; word_at(WORDS_BUNDLED, i); ++i) {
		const char *word = word_at(WORDS_BUNDLED, i), *dash = strchr(word, '-');
		if (dash && bundle_kind_of(word) != BUNDLE_SHOW && strcmp(dash + 1, name) == 0)
			return word;
	}
	size_t size = strlen(name);
	for (size_t i = 0; size >= 3 && word_at(WORDS_BUNDLED, i); ++i)
		if (strncmp(word_at(WORDS_BUNDLED, i), name, size) == 0)
			return word_at(WORDS_BUNDLED, i);
	return word_nearest(WORDS_BUNDLED, name);
}

/* A scene or a recording whose ending was left out. */
static bool say_ending(const char *name)
{
	static const char *const endings[] = {".json", ".cairn"};
	char path[2][512];
	int found = 0;
	for (size_t i = 0; i < sizeof endings / sizeof *endings; ++i) {
		int size = snprintf(path[found], sizeof path[found], "%s%s", name, endings[i]);
		if (size > 0 && (size_t)size < sizeof path[found])
			found += file_exists(path[found]);
	}
	if (found)
		say("there is no file '%.100s'; did you mean %s%s%s?", name, path[0], found > 1 ? " or " : "",
		    found > 1 ? path[1] : "");
	return found > 0;
}

static int fail_unknown_scene(const char *name)
{
	if (say_ending(name))
		return STATUS_FILE;
	const char *near = nearest_scene(name);
	char list[400] = "";
	for (size_t i = 0; word_at(WORDS_BUNDLED, i); ++i) {
		const char *word = word_at(WORDS_BUNDLED, i);
		if (bundle_kind_of(word) != BUNDLE_SHOW)
			continue;
		if (strlen(list) + strlen(word) + 3 < sizeof list)
			strcat(strcat(list, i ? ", " : ""), word);
	}
	say("there is no bundled scene '%.100s'%s%s%s; there are: %s; and more, which cairn scenes lists", name,
	    near ? ", did you mean '" : "", near ? near : "", near ? "'" : "", list);
	say("and there is no file of that name; cairn new writes a scene to begin with");
	return STATUS_FILE;
}

int source_find(source *s, const char *argument)
{
	*s = (source){.argument = argument, .file = bundle_find_scene(argument)};
	find_stem(s);
	if (s->file)
		s->kind = SOURCE_BUNDLED;
	else if (ends_with(argument, ".cairn") || has_magic(argument))
		s->kind = SOURCE_RECORDING;
	else if (kind_of_asset(argument))
		return say_and(STATUS_SCENE, "%s is %s file, not a scene; cairn import %s makes a scene of it", argument,
		               kind_of_asset(argument), argument);
	else if (strchr(argument, '/') || ends_with(argument, ".json") || file_exists(argument))
		s->kind = SOURCE_SCENE;
	else
		return fail_unknown_scene(argument);
	return STATUS_DONE;
}

static int set_option(cairn_scene *scene, const char *key, const char *value, cairn_error *error)
{
	*error = (cairn_error){0};
	if (cairn_scene_set_option(scene, key, value, error))
		return STATUS_DONE;
	error->path[0] = 0; /* the message names the key; a path would look like a place in the scene file */
	return error->code == CAIRN_MEMORY ? STATUS_FAILED : STATUS_USAGE;
}

void source_blame(const source *s, cairn_error *error)
{
	if (!error->file[0])
		snprintf(error->file, sizeof error->file, "%s", s->argument);
}

int source_change(cairn_scene *scene, const options *o, bool empty, cairn_error *error)
{
	char key[256], frames[16];
	int result = o->method ? set_option(scene, "method", o->method, error) : STATUS_DONE;
	for (size_t i = 0; i < o->sets.count && result == STATUS_DONE; ++i) {
		const char *text = o->sets.items[i], *equals = strchr(text, '=');
		if (!equals || equals == text || (size_t)(equals - text) >= sizeof key) {
			*error = (cairn_error){.code = CAIRN_USAGE};
			snprintf(error->message, sizeof error->message, "--set %.60s: give a key and a value, such as --set fps=60",
			         text);
			return STATUS_USAGE;
		}
		memcpy(key, text, (size_t)(equals - text));
		key[equals - text] = 0;
		bool path = strpbrk(key, ".[") != NULL, material = strncmp(key, "materials.", 10) == 0;
		if (path && !material && !empty) {
			*error = (cairn_error){.code = CAIRN_USAGE};
			snprintf(error->message, sizeof error->message,
			         "--set %.60s: of a recording's scene only options and materials can be set; run the scene file",
			         text);
			return STATUS_USAGE;
		}
		if (!path || !empty) /* an empty scene has nothing to try a path on */
			result = set_option(scene, key, equals + 1, error);
	}
	if (result == STATUS_DONE && o->frames.given) {
		snprintf(frames, sizeof frames, "%u", o->frames.value);
		result = set_option(scene, "frames", frames, error);
	}
	return result;
}

/* --method, --set and --frames as the library takes them; ends with NULL. */
static char **list_settings(const options *o)
{
	size_t count = 0;
	char **list = memory_resize(NULL, (o->sets.count + 3) * sizeof *list);
	if (o->method)
		list[count++] = text_format("method=%s", o->method);
	for (size_t i = 0; i < o->sets.count; ++i)
		list[count++] = text_format("%s", o->sets.items[i]);
	if (o->frames.given)
		list[count++] = text_format("frames=%u", o->frames.value);
	list[count] = NULL;
	return list;
}

static cairn_scene *read_with(const source *s, const cairn_scene_def *def, cairn_error *error)
{
	if (s->kind == SOURCE_BUNDLED)
		return bundle_read_scene(s->file, def, error);
	return cairn_scene_read_file(s->argument, NULL, def, error);
}

cairn_scene *source_read(const source *s, const options *o, int *result, cairn_error *error)
{
	/* Tried on an empty scene first: what is wrong on the command line is not the file's fault. */
	cairn_scene *scene = cairn_scene_create(NULL);
	*error = (cairn_error){.code = CAIRN_MEMORY, .message = "out of memory"};
	*result = scene ? source_change(scene, o, true, error) : STATUS_FAILED;
	cairn_scene_destroy(scene);
	if (*result != STATUS_DONE)
		return NULL;
	*error = (cairn_error){0};
	char **list = list_settings(o);
	cairn_scene_def def = cairn_default_scene_def();
	def.set = (const char *const *)list;
	def.allocator = limits_allocator();
	def.trust = o->trust;
	cairn_errors errors;
	errors.count = 0;
	def.errors = &errors;
	scene = read_with(s, &def, error);
	/* The caller says the last one: all are said in the order of the file. */
	if (!scene && errors.count == CAIRN_MAX_ERRORS)
		say("%s: the first %d errors; there may be more", s->argument, CAIRN_MAX_ERRORS);
	for (uint32_t i = 0; !scene && i + 1 < errors.count; ++i)
		say_error(&errors.items[i]);
	if (!scene && errors.count > 1)
		*error = errors.items[errors.count - 1];
	for (size_t i = 0; list[i]; ++i)
		free(list[i]);
	free(list);
	if (scene)
		return scene;
	/* A setting that a scene file gets wrong is an invalid scene, whatever the library calls it. */
	if (error->code == CAIRN_USAGE)
		error->code = CAIRN_INVALID;
	*result = error_status(error);
	return NULL;
}

cairn_recording *source_open(const char *path, int *result)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	def.allocator = limits_allocator();
	cairn_recording *recording = cairn_recording_open(path, &def, &error);
	*result = recording ? STATUS_DONE : say_error(&error);
	return recording;
}

int source_range(const options *o, const cairn_recording_info *info, uint32_t *from, uint32_t *to)
{
	*from = o->from.given ? o->from.value : info->first_frame;
	*to = o->to.given ? o->to.value : info->last_frame;
	if (*from > info->last_frame || *from < info->first_frame)
		return say_and(STATUS_USAGE, "--from %u is out of range; the recording has frames %u to %u", *from,
		               info->first_frame, info->last_frame);
	if (*to > info->last_frame || *to < info->first_frame)
		return say_and(STATUS_USAGE, "--to %u is out of range; the recording has frames %u to %u", *to,
		               info->first_frame, info->last_frame);
	if (*to < *from)
		return say_and(STATUS_USAGE, "--to %u comes before --from %u", *to, *from);
	return STATUS_DONE;
}
