/* What the caller sets over a scene file: options and materials by name, and any value of the file by its path, such as
 * bodies.crate.mass or joints[2].motor.speed. A path changes the file's tree before anything is read from it, so that a
 * value that is set is checked as one that is written. */
#include "io/scene_read.h"

#include <stdio.h>
#include <string.h>

static bool is_material(const char *set) { return !strncmp(set, "materials.", 10); }

static bool is_path(const char *set) { return strcspn(set, ".[") < strcspn(set, "=") && !is_material(set); }

/* How much of a path (size bytes) a name takes up; 0: it is another one. */
static size_t step_size(const char *name, const char *path, size_t size)
{
	size_t length = strlen(name);
	bool fits = length > 0 && length <= size && !memcmp(name, path, length);
	return fits && (length == size || path[length] == '.' || path[length] == '[') ? length : 0;
}

/* Bytes of "[index]" at the path; 0: it is none, or of another element. */
static size_t index_size(uint32_t index, const char *path, size_t size)
{
	char text[16];
	size_t length = (size_t)snprintf(text, sizeof text, "[%u]", (unsigned)index);
	return length <= size && !memcmp(text, path, length) ? length : 0;
}

/* The child that the path goes on with, by its key, its name or its number, and the bytes that takes. NULL: none. */
static const cn_json *child_of(const cn_json *at, const char *path, size_t size, size_t *taken)
{
	const cn_json *found = NULL;
	*taken = 0;
	if (at->type != CN_JSON_OBJECT && at->type != CN_JSON_ARRAY)
		return NULL;
	for (const cn_json *v = at->first; v; v = v->next) {
		const cn_json *name = v->key ? NULL : cn_json_get(v, "name");
		size_t length = v->key ? step_size(v->key, path, size) : index_size(v->index, path, size);
		if (length == 0 && name && name->type == CN_JSON_TEXT)
			length = step_size(name->text, path, size);
		if (length > *taken) /* names may have dots */
			found = v, *taken = length;
	}
	return found;
}

/* Follows a path as far as it goes; *left is what is left of it. */
static const cn_json *follow(const cn_json *root, const char **path, size_t *left)
{
	size_t taken;
	for (const cn_json *v; (v = child_of(root, *path, *left, &taken)) != NULL; root = v) {
		*path += taken, *left -= taken;
		if (*left > 0 && **path == '.')
			++*path, --*left;
	}
	return root;
}

/* A value as the command line gives it: JSON, numbers with commas between them, or else a text. */
static cn_json *value_of(cn_scene_reader *r, const char *text)
{
	cairn_error error = {0};
	size_t length = strlen(text);
	char *list = cn_arena_take(&r->arena, length + 3, 1);
	if (!list)
		return NULL;
	snprintf(list, length + 3, "[%s]", text);
	const cn_json *v = cn_json_read(list, length + 2, &r->arena, &error);
	if (v && v->count == 1)
		v = v->first;
	if (v || error.code == CAIRN_MEMORY)
		return (cn_json *)v;
	cn_json *word = cn_arena_take(&r->arena, 1, sizeof *word);
	if (word)
		*word =
			(cn_json){.type = CN_JSON_TEXT, .count = (uint32_t)length, .text = cn_arena_text(&r->arena, text, length)};
	return word && word->text ? word : NULL;
}

/* It stands in no line of the file. */
static void forget_lines(cn_json *value)
{
	value->line = value->column = 0;
	if (value->type == CN_JSON_ARRAY || value->type == CN_JSON_OBJECT)
		for (const cn_json *v = value->first; v; v = v->next)
			((cn_json *)v)->parent = value, forget_lines((cn_json *)v);
}

static bool put(cn_scene_reader *r, cn_json *at, const char *text)
{
	cn_json *value = value_of(r, text);
	if (!value)
		return cn_read_fail_memory(r);
	value->key = at->key, value->index = at->index, value->parent = at->parent, value->next = at->next;
	*at = *value;
	forget_lines(at);
	return true;
}

/* A key that the object does not have yet. */
static cn_json *add_key(cn_scene_reader *r, cn_json *object, const char *key, size_t size)
{
	cn_json *added = cn_arena_take(&r->arena, 1, sizeof *added);
	const char *name = cn_arena_text(&r->arena, key, size);
	if (!added || !name)
		return NULL;
	*added = (cn_json){.key = name, .index = object->count++, .parent = object, .next = object->first};
	object->first = added;
	return added;
}

static bool fail_path(cn_scene_reader *r, const cn_json *reached, const char *set, const char *rest)
{
	char path[sizeof r->error->path];
	size_t size = *rest == '[' ? strcspn(rest, "]=") + 1 : strcspn(rest, ".[=");
	cn_json_path(reached, path, sizeof path);
	return cn_fail(r->error, CAIRN_USAGE, "", "%.80s: %s%s has no '%.*s'; give a key, a name or a number, as in %s",
	               set, *path ? "" : "the scene", path, (int)size, rest,
	               reached->type == CN_JSON_ARRAY ? "bodies.crate.mass or joints[2].motor.speed" : "bodies.crate.mass");
}

/* In the file whose tree the path goes furthest into; among equals, in the one asked for. */
static bool set_path(cn_scene_reader *r, const char *set)
{
	const char *rest = set, *path;
	size_t size = strcspn(set, "="), best = size + 1, left;
	const cn_json *reached = NULL;
	for (const cn_scene_file *f = r->first; f; f = f->follow) {
		path = set, left = size;
		const cn_json *v = follow(f->root, &path, &left);
		if (left <= best)
			reached = v, best = left, rest = path;
	}
	cn_json *at = (cn_json *)reached;
	bool fresh = best > 0 && reached->type == CN_JSON_OBJECT && reached->parent && strcspn(rest, ".[") >= best;
	if (best > 0 && !fresh)
		return fail_path(r, reached, set, rest);
	if (best == 0 && (!at->parent->parent || step_size("include", set, size)))
		return cn_fail(r->error, CAIRN_USAGE, "", "%.80s: that is all of the file's %s; set something in it", set,
		               at->key ? at->key : "values");
	at = fresh ? add_key(r, at, rest, best) : at;
	return at ? put(r, at, set + size + 1) : cn_read_fail_memory(r);
}

bool cn_read_set_paths(cn_scene_reader *r)
{
	for (const char *const *set = r->set; set && *set; ++set)
		if (is_path(*set) && strchr(*set, '=') && !set_path(r, *set))
			return false;
	return true;
}

bool cn_read_set_options(cn_scene_reader *r, bool materials)
{
	for (const char *const *set = r->set; set && *set; ++set) {
		const char *equals = strchr(*set, '=');
		if (!equals)
			return cn_fail(r->error, CAIRN_USAGE, "", "\"%.60s\" is not a key and a value, such as fps=60", *set);
		if (is_material(*set) != materials || is_path(*set))
			continue;
		char *key = cn_arena_text(&r->arena, *set, (size_t)(equals - *set));
		if (!key)
			return cn_read_fail_memory(r);
		if (!cairn_scene_set_option(r->scene, key, equals + 1, r->error))
			return false;
		cn_places_forget(&r->scene->places, CN_PLACE_OPTION, cn_option_number(key));
	}
	return true;
}
