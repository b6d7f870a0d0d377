/* cairn check: reads a scene and sets up its world, which is all that can be known without moving it. */
#include "json.h"
#include "message.h"
#include "source.h"

static void print_found(const cairn_scene *scene, const source *from)
{
	cairn_settings s = cairn_scene_settings(scene);
	printf("OK %s: %u bodies, %u shapes, %u materials, %u joints, %u emitters, %u events, %u fields; method %s, "
	       "%u frames at %g fps\n",
	       from->argument, cairn_scene_body_count(scene), cairn_scene_shape_count(scene),
	       cairn_scene_material_count(scene), cairn_scene_joint_count(scene), cairn_scene_emitter_count(scene),
	       cairn_scene_event_count(scene), cairn_scene_field_count(scene), s.method, s.frames, s.fps);
}

static void write_scene(json *j, const cairn_scene *scene)
{
	cairn_settings s = cairn_scene_settings(scene);
	json_text(j, "scene", s.name);
	json_text(j, "method", s.method);
	json_count(j, "bodies", cairn_scene_body_count(scene));
	json_count(j, "shapes", cairn_scene_shape_count(scene));
	json_count(j, "materials", cairn_scene_material_count(scene));
	json_count(j, "joints", cairn_scene_joint_count(scene));
	json_count(j, "emitters", cairn_scene_emitter_count(scene));
	json_count(j, "events", cairn_scene_event_count(scene));
	json_count(j, "fields", cairn_scene_field_count(scene));
	json_count(j, "frames", s.frames);
	json_number(j, "fps", s.fps);
}

static void write_place(json *j, const char *key, int number)
{
	if (number > 0)
		json_count(j, key, (uint64_t)number);
	else
		json_null(j, key);
}

/* scene is NULL when it could not be read. */
static void print_json(const cairn_scene *scene, int result, const cairn_error *e)
{
	json j = json_begin(stdout, true);
	json_bool(&j, "valid", result == STATUS_DONE);
	if (scene)
		write_scene(&j, scene);
	if (result == STATUS_DONE)
		json_null(&j, "code");
	else
		json_count(&j, "code", (uint64_t)result);
	json_text(&j, "file", e->file[0] ? e->file : NULL);
	write_place(&j, "line", e->line);
	write_place(&j, "column", e->column);
	json_text(&j, "path", e->path[0] ? e->path : NULL);
	json_text(&j, "message", result == STATUS_DONE ? NULL : e->message);
	json_end(&j);
}

/* A scene that fails at its first step cannot be simulated either. */
static int check_first_step(cairn_world *world, cairn_error *error)
{
	cairn_step_report report = cairn_world_step(world);
	if (report.status == CAIRN_STEP_OK || cairn_scene_settings(cairn_world_scene(world)).frames == 0)
		return STATUS_DONE;
	error->code = CAIRN_INVALID;
	cairn_world_explain(world, &report, error->message, sizeof error->message);
	return STATUS_SCENE;
}

int cmd_check(const options *o)
{
	source from;
	cairn_error error;
	int result = source_find(&from, o->operands[0]);
	if (result != STATUS_DONE)
		return result;
	if (from.kind == SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "%s is a recording, not a scene; cairn info %s looks at it", from.argument,
		               from.argument);
	cairn_scene *scene = source_read(&from, o, &result, &error);
	if (scene) {
		error = (cairn_error){0};
		cairn_world *world = cairn_world_create(scene, NULL, &error);
		result = world ? STATUS_DONE : error_status(&error);
		if (!world && error.code == CAIRN_USAGE && !o->method)
			result = STATUS_SCENE;
		if (world && scene)
			result = check_first_step(world, &error);
		if (result != STATUS_DONE)
			source_blame(&from, &error);
		cairn_world_destroy(world);
	}
	if (result != STATUS_DONE)
		say_error(&error);
	if (o->json)
		print_json(scene, result, &error);
	else if (result == STATUS_DONE && !o->quiet)
		print_found(scene, &from);
	cairn_scene_destroy(scene);
	return result;
}
