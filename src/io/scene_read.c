/* Scene files (docs/scene-format.md): the file and all that it includes become trees first, then each section of all
 * of them is taken in turn through the public calls that build a scene, which check what the values mean. So names may
 * be used before they are defined, and in other files; an error of either kind says file, line, column and path. */
#include "io/scene_read.h"

#include "scene/scene.h"

#include <stdio.h>
#include <string.h>

enum { CN_INCLUDE_DEPTH = 32 };

/* "a.json includes b.json includes a.json" */
static bool fail_cycle(cn_scene_reader *r, const cn_json *at, const char *again)
{
	char chain[360];
	size_t n = (size_t)snprintf(chain, sizeof chain, "%s", again);
	for (const cn_scene_file *f = r->file; f && n < sizeof chain;
	     f = strcmp(f->identity, again) != 0 ? f->parent : NULL) {
		char text[sizeof chain];
		snprintf(text, sizeof text, "%.*s includes ", (int)strlen(f->identity) - 1, f->identity);
		size_t m = strlen(text);
		if (n + m >= sizeof chain)
			break;
		memmove(chain + m, chain, n + 1);
		memcpy(chain, text, m);
		n += m;
	}
	chain[n < sizeof chain ? n - 1 : sizeof chain - 1] = '\0'; /* the slash that ends an identity */
	return cn_read_fail(r, at, "the includes go round in a circle: %s", chain);
}

static bool check_root(cn_scene_reader *r, const cn_json *root)
{
	static const char *const known[] = {
		"version",    "description", "include", "world",  "materials", "pairs", "shapes", "bodies", "joints", "events",
		"generators", "fields",      "cold",    "camera", "light",     "goals", "start",  "plans",  NULL};
	if (root->type == CN_JSON_OBJECT && cn_json_get(root, "asset") && !cn_json_get(root, "version"))
		return cn_read_fail(r, root, "this is a glTF file, not a scene; cairn import makes a scene of it");
	const cn_json *version = cn_read_keys(r, root, known) ? cn_read_need(r, root, "version") : NULL;
	if (!version || !cn_read_type(r, version, CN_JSON_NUMBER))
		return false;
	return version->number == 1 ||
	       cn_read_fail(r, version, "scene format version %g; this program reads version 1", version->number);
}

static cn_scene_file *add_file(cn_scene_reader *r, const char *path, const char *identity, const char *place)
{
	cn_scene_file *file = cn_arena_take(&r->arena, 1, sizeof *file);
	if (!file)
		return cn_read_fail_memory(r), NULL;
	*file = (cn_scene_file){.path = path, .identity = identity, .place = place, .parent = r->file, .next = r->opened};
	file->depth = r->file ? r->file->depth + 1 : 0;
	r->opened = file;
	return file;
}

/* The tree of a file whose bytes are there. */
static bool parse_file(cn_scene_reader *r, cn_scene_file *file)
{
	r->file = file;
	file->root = cn_json_read(file->data, file->size, &r->arena, r->error);
	if (!file->root) {
		snprintf(r->error->file, sizeof r->error->file, "%s", file->path);
		return false;
	}
	return check_root(r, file->root) && cn_read_array(r, file->root, "include", &file->include);
}

/* *file becomes the one that at names, with its tree; NULL if it is there already. */
static bool open_include(cn_scene_reader *r, const cn_json *at, cn_scene_file **file)
{
	const char *path, *identity;
	void *data = NULL;
	size_t size = 0;
	*file = NULL;
	if (!cn_read_type(r, at, CN_JSON_TEXT))
		return false;
	path = cn_read_path(r, at->text);
	identity = path ? cn_read_plain_path(r, path) : NULL;
	const char *place = identity ? cn_read_resolve(r, path) : NULL;
	if (!place)
		return cn_read_fail_memory(r);
	for (const cn_scene_file *f = r->opened; f; f = f->next)
		if (!strcmp(*place ? f->place : f->identity, *place ? place : identity))
			return f->whole || fail_cycle(r, at, f->identity);
	if (r->file->depth >= CN_INCLUDE_DEPTH)
		return cn_read_fail(r, at, "includes inside includes deeper than %d files", CN_INCLUDE_DEPTH);
	if (!cn_read_bytes(r, at, &path, &data, &size))
		return false;
	*file = add_file(r, path, identity, place);
	if (!*file) {
		cn_free(&r->arena.allocator, data, size, 1);
		return false;
	}
	(*file)->data = data, (*file)->size = size, (*file)->owned = true;
	return parse_file(r, *file);
}

/* All that the first file includes, and what those include: a file is taken after all that it includes, and once. */
static bool open_includes(cn_scene_reader *r, cn_scene_file *first)
{
	for (cn_scene_file *file = first; file;) {
		const cn_json *at = file->include;
		r->file = file;
		if (at) {
			cn_scene_file *included;
			file->include = at->next;
			if (!open_include(r, at, &included))
				return false;
			file = included ? included : file;
		} else {
			*(r->last ? &r->last->follow : &r->first) = file;
			r->last = file;
			file->whole = true;
			file = file->parent;
		}
	}
	return true;
}

static bool read_option(cn_scene_reader *r, const cn_json *at)
{
	char text[64];
	if (cairn_option_is_setting(at->key))
		return cn_read_fail(r, at, "\"%s\" stands in \"world\" itself, not among its options", at->key);
	if (at->type != CN_JSON_BOOL && at->type != CN_JSON_NUMBER && at->type != CN_JSON_TEXT)
		return cn_read_fail(r, at, "found %s; expected true, false, a text or a number", cn_json_type_name(at->type));
	if (at->type == CN_JSON_BOOL)
		snprintf(text, sizeof text, "%s", at->boolean ? "on" : "off");
	else
		snprintf(text, sizeof text, "%.*s", (int)(at->count < sizeof text ? at->count : sizeof text - 1), at->text);
	if (!cairn_scene_set_option(r->scene, at->key, text, r->error))
		return r->error->path[0] = '\0', cn_read_place(r, at);
	return cn_read_note(r, at, CN_PLACE_OPTION, cn_option_number(at->key));
}

/* The value of a setting, if it is there, into its field. */
static bool read_setting(cn_scene_reader *r, const cn_json *world, const cn_option_row *row, cairn_settings *s)
{
	void *field = (char *)s + row->offset;
	const char *key = row->info.name;
	const cn_json *at = cn_json_get(world, key);
	double whole = 0;
	switch (row->kind) {
	case CN_OPTION_VECTOR: return cn_read_vector(r, world, key, field);
	case CN_OPTION_NUMBER: return cn_read_number(r, world, key, field);
	case CN_OPTION_WHOLE32: return cn_read_u32(r, world, key, field);
	case CN_OPTION_METHOD: return cn_read_text(r, world, key, field);
	default:
		if (at && !cn_read_whole(r, at, row->least, row->most, &whole))
			return false;
		*(uint64_t *)field = at ? (uint64_t)whole : *(uint64_t *)field;
		return true;
	}
}

/* Only settings and "options" stand in "world". */
static bool check_world(cn_scene_reader *r, const cn_json *at)
{
	uint32_t count = 0;
	const char **known = cn_arena_take(&r->arena, cn_option_number("") + 2, sizeof *known);
	if (!known)
		return cn_read_fail_memory(r);
	for (uint32_t i = 0; cn_option_row_at(i); ++i)
		if (cn_option_row_at(i)->info.setting)
			known[count++] = cn_option_row_at(i)->info.name;
	known[count] = "options";
	return cn_read_keys(r, at, known);
}

static bool read_world(cn_scene_reader *r)
{
	const cn_json *at = cn_json_get(r->file->root, "world"), *options;
	cairn_settings s = cairn_scene_settings(r->scene);
	if (!at)
		return true;
	if (!check_world(r, at))
		return false;
	for (uint32_t i = 0; cn_option_row_at(i); ++i)
		if (cn_option_row_at(i)->info.setting && !read_setting(r, at, cn_option_row_at(i), &s))
			return false;
	if (!cairn_scene_set_settings(r->scene, &s, r->error))
		return cn_read_place(r, at);
	options = cn_json_get(at, "options");
	if (!options)
		return true;
	if (!cn_read_type(r, options, CN_JSON_OBJECT))
		return false;
	for (const cn_json *v = options->first; v; v = v->next)
		if (strcmp(v->key, "comment") != 0 && strcmp(v->key, "$schema") != 0 && !read_option(r, v))
			return false;
	return true;
}

/* The name is the file's stem, the description that of the file asked for. */
static bool read_title(cn_scene_reader *r)
{
	cn_scene_file *file = r->last;
	cairn_settings s = cairn_scene_settings(r->scene);
	const char *name = file->path + cn_read_folder(file->path);
	size_t length = strlen(name);
	if (length > 5 && !strcmp(name + length - 5, ".json"))
		length -= 5;
	r->file = file;
	s.name = cn_arena_text(&r->arena, name, length);
	if (!s.name)
		return cn_read_fail_memory(r);
	return cn_read_text(r, file->root, "description", &s.description) &&
	       (cairn_scene_set_settings(r->scene, &s, r->error) || cn_read_place(r, file->root));
}

static bool read_sections(cn_scene_reader *r)
{
	static bool (*const sections[])(cn_scene_reader *) = {
		read_world,     cn_read_materials,  cn_read_pairs,  cn_read_simple_shapes, cn_read_compounds,
		cn_read_bodies, cn_read_generators, cn_read_joints, cn_read_events,        cn_read_fields,
		cn_read_cold,   cn_read_view,       cn_read_goals,  cn_read_starts,        cn_read_plans};
	for (size_t i = 0; i < CN_COUNT(sections); ++i)
		for (cn_scene_file *f = r->first; f; f = f->follow) {
			r->file = f;
			bool last = !f->follow && i < 2; /* of the world, of the materials */
			if ((!sections[i](r) && !cn_read_go_on(r)) || (last && !cn_read_set_options(r, i == 1)))
				return false;
		}
	return read_title(r);
}

static int before(const cairn_error *a, const cairn_error *b)
{
	int file = strcmp(a->file, b->file);
	return file ? file < 0 : a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* The errors in the order of the file; the first one is the one that a caller who asks for one gets. */
static void sort_errors(cn_scene_reader *r)
{
	cairn_errors *all = r->errors;
	if (r->error->code != CAIRN_OK && all->count < CAIRN_MAX_ERRORS && !r->follows)
		all->items[all->count++] = *r->error;
	for (uint32_t i = 1; i < all->count; ++i) {
		cairn_error e = all->items[i];
		uint32_t k = i;
		for (; k > 0 && before(&e, &all->items[k - 1]); --k)
			all->items[k] = all->items[k - 1];
		all->items[k] = e;
	}
	if (all->count)
		*r->error = all->items[0];
}

/* Files that are no scene, by how they begin. */
static bool check_kind(cn_scene_reader *r, const char *text, size_t size)
{
	static const char *const kinds[][3] = {
		{"glTF", "a glTF", "cairn import makes a scene of it"},
		{"BLENDER", "a Blender", "the add-on bakes it, or export it as .glb, and cairn import makes a scene of that"},
		{"Kaydara FBX", "an FBX", "open it in Blender and export it as .glb, and cairn import makes a scene of that"},
		{"PXR-USDC", "a USD", "open it in Blender and export it as .glb, and cairn import makes a scene of that"},
		{"#usda", "a USD", "open it in Blender and export it as .glb, and cairn import makes a scene of that"},
	};
	for (size_t i = 0; i < CN_COUNT(kinds); ++i)
		if (size >= strlen(kinds[i][0]) && !memcmp(text, kinds[i][0], strlen(kinds[i][0])))
			return cn_read_fail(r, NULL, "this is %s file, not a scene; %s", kinds[i][1], kinds[i][2]);
	return true;
}

static bool read_all(cn_scene_reader *r, const char *text, size_t size, const char *name)
{
	const char *identity = r->scene ? cn_read_plain_path(r, name) : NULL;
	const char *place = identity ? cn_read_resolve(r, name) : NULL;
	cn_scene_file *file = place && cn_read_confine(r, name) ? add_file(r, name, identity, place) : NULL;
	if (!file)
		return cn_read_fail_memory(r);
	file->data = (void *)text, file->size = size;
	r->file = file;
	return check_kind(r, text, size) && parse_file(r, file) && open_includes(r, file) && cn_read_set_paths(r) &&
	       read_sections(r);
}

cairn_scene *cairn_scene_read_text(const char *text, size_t size, const char *name, const cairn_files *files,
                                   const cairn_scene_def *def, cairn_error *error)
{
	cairn_error spare;
	cairn_scene_def standard = cairn_default_scene_def();
	def = def ? def : &standard;
	cn_scene_reader r = {.files = files ? *files : cairn_default_files(),
	                     .arena = {.allocator = def->allocator},
	                     .set = def->set,
	                     .trust = def->trust,
	                     .errors = def->errors,
	                     .error = error ? error : &spare};
	*r.error = (cairn_error){0};
	r.scene = cairn_scene_create(def);
	if (r.errors)
		r.errors->count = 0;
	bool ok = read_all(&r, text, size, name ? name : "");
	if (r.errors)
		sort_errors(&r);
	if (!ok || (r.errors && r.errors->count > 0)) {
		cairn_scene_destroy(r.scene);
		r.scene = NULL;
	}
	for (cn_scene_file *f = r.opened; f; f = f->next)
		if (f->owned)
			cn_free(&r.arena.allocator, f->data, f->size, 1);
	cn_arena_free(&r.arena);
	return r.scene;
}

cairn_scene *cairn_scene_read_file(const char *path, const cairn_files *files, const cairn_scene_def *def,
                                   cairn_error *error)
{
	cairn_allocator allocator = def ? def->allocator : cairn_default_allocator();
	cairn_files from = files ? *files : cairn_default_files();
	cairn_error spare;
	void *data = NULL;
	size_t size = 0;
	error = error ? error : &spare;
	*error = (cairn_error){0};
	if (!from.read(from.context, path, &allocator, &data, &size, error))
		return NULL;
	cairn_scene *scene = cairn_scene_read_text(data ? data : "", size, path, &from, def, error);
	cn_free(&allocator, data, size, 1);
	return scene;
}

cairn_scene *cairn_scene_read(const char *path, cairn_error *error)
{
	return cairn_scene_read_file(path, NULL, NULL, error);
}
