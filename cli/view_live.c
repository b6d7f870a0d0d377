/* The live page of a scene: the player, the engine as WebAssembly, the bundled scenes, and the scene with every file that
 * reading it took. */
#define _POSIX_C_SOURCE 200809L
#include "limit.h"
#include "message.h"
#include "source.h"
#include "table.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

/* Reads through to other files and writes down what it read: {"path": "base64..."} would need another decoder, so the
 * bytes of each file follow each other and the JSON has their names and sizes. */
typedef struct witness {
	cairn_files files;
	json *list;
	view_bytes bytes;
} witness;

static void note_file(witness *w, const char *path, const void *data, size_t size)
{
	json_open(w->list, NULL, '{');
	json_text(w->list, "name", path);
	json_count(w->list, "size", size);
	json_close(w->list, '}');
	view_put_bytes(&w->bytes, data, size);
}

static bool read_noted(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                       cairn_error *error)
{
	witness *w = context;
	if (!w->files.read(w->files.context, path, allocator, data, size, error))
		return false;
	note_file(w, path, *data, *size);
	return true;
}

static void note_bundle(witness *w)
{
	for (size_t i = 0; i < bundle_count; ++i)
		if (!ends_with(bundle_files[i].name, ".schema.json"))
			note_file(w, bundle_files[i].name, bundle_files[i].data, bundle_files[i].size);
}

static bool resolve_noted(void *context, const char *path, char *resolved, size_t size)
{
	witness *w = context;
	return w->files.resolve(w->files.context, path, resolved, size);
}

static bool note_scene(witness *w, const options *o, const source *from, cairn_error *error)
{
	cairn_files noting = {.context = w, .read = read_noted, .resolve = resolve_noted};
	cairn_scene_def def = cairn_default_scene_def();
	def.allocator = limits_allocator();
	def.trust = o->trust;
	cairn_scene *scene = cairn_scene_read_file(from->argument, &noting, &def, error);
	cairn_scene_destroy(scene);
	return scene != NULL;
}

static void put_settings(json *j, const options *o)
{
	json_open(j, "set", '[');
	char *text = o->method ? text_format("method=%s", o->method) : NULL;
	if (text)
		json_text(j, NULL, text);
	free(text);
	for (size_t i = 0; i < o->sets.count; ++i)
		json_text(j, NULL, o->sets.items[i]);
	json_close(j, ']');
}

/* The scenes part: the size of the JSON, the JSON, the files one after the other. */
static int pack_scenes(const options *o, const source *from, view_bytes *out)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);
	if (!memory)
		return say_and(STATUS_FAILED, "out of memory");
	cairn_error error = {0};
	json j = json_begin(memory, false);
	witness w = {.files = cairn_default_files(), .list = &j};
	bool own = from->kind == SOURCE_SCENE;
	json_text(&j, "scene", own ? from->argument : from->file->name);
	if (o->frames.given)
		json_count(&j, "frames", o->frames.value);
	put_settings(&j, o);
	json_open(&j, "files", '[');
	note_bundle(&w);
	bool read = !own || note_scene(&w, o, from, &error);
	json_close(&j, ']');
	json_end(&j);
	fclose(memory);
	view_put_u32(out, (uint32_t)size);
	view_put_bytes(out, text, size);
	view_put_bytes(out, w.bytes.data, w.bytes.size);
	view_free_bytes(&w.bytes);
	free(text);
	return read ? STATUS_DONE : say_error(&error);
}

int view_show_live(const options *o, const source *from, const char *path)
{
	const bundle_file *engine = page_find("engine.wasm.gz"), *gallery = page_find("gallery.bin");
	if (!engine || !gallery)
		return say_and(STATUS_MISSING, "this cairn was built without the engine for its pages; make web builds it, "
		                               "and make puts it into the tool");
	/* What is wrong with the scene is better said here than on the page. */
	cairn_error error;
	int result;
	cairn_scene *scene = source_read(from, o, &result, &error);
	cairn_world_def def = {.allocator = limits_allocator()};
	cairn_world *world = scene ? cairn_world_create(scene, &def, &error) : NULL;
	if (!world) {
		result = scene ? error_status(&error) : result;
		source_blame(from, &error);
		say_error(&error);
	}
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	if (!world)
		return result;
	view_bytes scenes = {0};
	result = pack_scenes(o, from, &scenes);
	view_part parts[] = {{.name = "engine", .data = engine->data, .size = engine->size},
	                     {.name = "gallery", .data = gallery->data, .size = gallery->size},
	                     {.name = "scenes", .data = scenes.data, .size = scenes.size}};
	if (result == STATUS_DONE)
		result = view_write_page(path, parts, sizeof parts / sizeof parts[0], false);
	view_free_bytes(&scenes);
	if (result == STATUS_DONE && !o->quiet) {
		char bytes[32];
		text_size(file_size(path), bytes);
		print_tame(stdout, "%s: the scene and the engine, %s\n", path, bytes);
	}
	return result;
}
