/* cairn check: reads a scene and sets up its world, which is all that can be known without moving it. */
#include "cost.h"
#include "json.h"
#include "limit.h"
#include "meshes.h"
#include "message.h"
#include "source.h"
#include "standoff.h"
#include "summary.h"

enum { WARNING_SIZE = 200 };

static bool has_mesh(const cairn_scene *scene, cairn_shape shape)
{
	cairn_shape_def s = cairn_scene_shape_at(scene, shape.index);
	bool found = s.kind == CAIRN_MESH;
	for (uint32_t i = 0; i < s.part_count && !found; ++i) /* parts have no parts */
		found = cairn_scene_shape_at(scene, s.parts[i].shape.index).kind == CAIRN_MESH;
	return found;
}

#define HUGE_BODY 1000.0 /* m: larger ones are as a rule meant in millimetres or centimetres */

/* A moving body of a kilometre or more: units, most of the time. */
static bool find_huge(const cairn_scene *scene, char text[WARNING_SIZE])
{
	for (uint32_t i = 0; i < cairn_scene_body_count(scene); ++i) {
		cairn_body_def body = cairn_scene_body_at(scene, i);
		cairn_box box = cairn_scene_shape_facts(scene, body.shape).box;
		double x = box.max.x - box.min.x, y = box.max.y - box.min.y, z = box.max.z - box.min.z;
		double size = x > y ? (x > z ? x : z) : (y > z ? y : z);
		if (body.type != CAIRN_DYNAMIC || size < HUGE_BODY)
			continue;
		char name[80];
		if (*body.name)
			snprintf(name, sizeof name, "body '%.60s'", body.name);
		else
			snprintf(name, sizeof name, "body number %u", (unsigned)i);
		snprintf(
			text, WARNING_SIZE,
			"%s is %.4g m in size; lengths are in metres: a thing of that size falls and turns as slowly as a mountain",
			name, size);
		return true;
	}
	return false;
}

/* What is valid and may yet stop the run, or is hardly meant; false: nothing is. */
static bool find_warning(const cairn_scene *scene, char text[WARNING_SIZE])
{
	const char *method = cairn_scene_settings(scene).method;
	uint32_t meshes = 0;
	if (!summary_has_contact(method) || summary_has_guarantee(method))
		return find_huge(scene, text);
	for (uint32_t i = 0; i < cairn_scene_emitter_count(scene); ++i) {
		cairn_emitter_def emitter = cairn_scene_emitter_at(scene, i);
		for (uint32_t k = 0; k < emitter.body_count; ++k)
			meshes += emitter.bodies[k].type != CAIRN_FIXED && has_mesh(scene, emitter.bodies[k].shape);
	}
	if (meshes == 0)
		return find_huge(scene, text);
	snprintf(text, WARNING_SIZE,
	         "emitters make %u bod%s with a mesh; method %s stops the run where another body touches %s", meshes,
	         meshes == 1 ? "y" : "ies", method, meshes == 1 ? "it" : "one of them");
	return true;
}

static void print_found(const cairn_scene *scene, const cairn_world *world, const source *from, const cost *found)
{
	const struct {
		uint32_t count;
		const char *one, *many;
	} parts[] = {{cairn_scene_body_count(scene), "body", "bodies"},
	             {cairn_scene_shape_count(scene), "shape", "shapes"},
	             {cairn_scene_material_count(scene), "material", "materials"},
	             {cairn_scene_joint_count(scene), "joint", "joints"},
	             {cairn_scene_emitter_count(scene), "emitter", "emitters"},
	             {cairn_scene_event_count(scene), "event", "events"},
	             {cairn_scene_field_count(scene), "field", "fields"}};
	cairn_settings s = cairn_scene_settings(scene);
	print_tame(stdout, "OK %s: ", from->argument);
	for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
		if (parts[i].count || i == 0) /* bodies are always told */
			print_tame(stdout, "%s%u %s", i ? ", " : "", parts[i].count,
			           parts[i].count == 1 ? parts[i].one : parts[i].many);
	print_tame(stdout, "; method %s, %u frames at %g fps\n", s.method, s.frames, s.fps);
	if (found) {
		char text[160];
		cost_print(found, text, sizeof text);
		print_tame(stdout, "a run takes %s\n", text);
	}
	meshes_print(scene, cairn_world_scene(world), stdout);
	standoff_print(scene, stdout);
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

/* scene is NULL when it could not be read, world when it could not be made; warning is "" where there is none. */
typedef struct checked {
	const cairn_scene *scene;
	const cairn_world *world;
	int result;
} checked;

static void print_json(const checked *c, const cairn_error *e, const char *warning, const cost *found)
{
	const cairn_scene *scene = c->scene;
	int result = c->result;
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
	json_text(&j, "warning", warning[0] ? warning : NULL);
	if (scene && result == STATUS_DONE) {
		meshes_write(&j, scene, cairn_world_scene(c->world));
		standoff_write(&j, scene);
	}
	if (found && result == STATUS_DONE) {
		json_open(&j, "cost", '{');
		json_count(&j, "bodies", found->bodies);
		json_count(&j, "memory_bytes", found->memory);
		json_count(&j, "size_bytes", found->file);
		json_number(&j, "seconds", found->seconds);
		json_count(&j, "frames_tried", found->tried);
		json_close(&j, '}');
	}
	json_end(&j);
}

enum { COST_SECONDS = 5 }; /* what --cost may take to try */

/* A scene that fails at its first step cannot be simulated either. With cost it is tried for longer. */
static int check_steps(cairn_world *world, cost *found, cairn_error *error)
{
	cairn_step_report report;
	cairn_settings s = cairn_scene_settings(cairn_world_scene(world));
	if (found)
		*found = cost_try(world, COST_SECONDS, &report);
	else
		report = cairn_world_step(world);
	if (report.status == CAIRN_STEP_OK || s.frames == 0)
		return STATUS_DONE;
	error->code = CAIRN_INVALID;
	if (report.status == CAIRN_STEP_MEMORY) {
		error->code = CAIRN_MEMORY;
		limits_explain(error->message, sizeof error->message);
		return STATUS_FAILED;
	}
	if (found && found->tried) /* valid, but it fails later: that is the run's to say */
		return STATUS_DONE;
	cairn_world_explain(world, &report, error->message, sizeof error->message);
	return STATUS_SCENE;
}

/* Makes the world of a scene, which the caller destroys, and tries it. */
static int check_world(const options *o, const source *from, const cairn_scene *scene, cairn_world **made, cost *found,
                       cairn_error *error)
{
	cairn_world_def def = {.allocator = limits_allocator()};
	*error = (cairn_error){0};
	cairn_world *world = *made = cairn_world_create(scene, &def, error);
	int result = world ? STATUS_DONE : error_status(error);
	if (!world && error->code == CAIRN_USAGE && !o->method)
		result = STATUS_SCENE;
	if (world)
		result = check_steps(world, o->cost ? found : NULL, error);
	if (result != STATUS_DONE)
		source_blame(from, error);
	return result;
}

static int cmd_check(const options *o)
{
	source from;
	cairn_error error;
	char warning[WARNING_SIZE] = "";
	int result = source_find(&from, o->operands[0]);
	if (result != STATUS_DONE)
		return result;
	if (from.kind == SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "%s is a recording, not a scene; cairn info %s looks at it", from.argument,
		               from.argument);
	cairn_scene *scene = source_read(&from, o, &result, &error);
	if (scene && cost_check(scene) != STATUS_DONE) {
		cairn_scene_destroy(scene);
		return STATUS_FAILED;
	}
	cost found = {0};
	cairn_world *world = NULL;
	if (scene)
		result = check_world(o, &from, scene, &world, &found, &error);
	if (result != STATUS_DONE)
		say_error(&error);
	else if (find_warning(scene, warning) && !o->quiet)
		say("warning: %s: %s", from.argument, warning);
	if (o->json)
		print_json(&(checked){scene, world, result}, &error, warning, o->cost ? &found : NULL);
	else if (result == STATUS_DONE && !o->quiet)
		print_found(scene, world, &from, o->cost ? &found : NULL);
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return result;
}

static const text_pair examples[] = {
	{"cairn check scene.json", "is this a scene, and can its method do it?"},
	{"cairn check scene.json --method free", "could another method do it?"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"valid", "true or false"},
	{"scene", "name of the scene"},
	{"method", "of the scene, or the one asked for"},
	{"bodies, shapes, materials, joints, emitters, events, fields", "how many the scene has"},
	{"frames, fps", "its settings"},
	{"code", "exit status of the error; null if valid"},
	{"file, line, column, path", "where the error is; null where that does not apply"},
	{"message", "what was found and what would be right; null if valid"},
	{"cost",
     "with --cost: bodies in the end, memory_bytes, size_bytes of the recording and seconds of a run, by frames_tried"},
	{"meshes",
     "of each mesh that moves or lost triangles: shape (its number), name, kind, triangles, dropped (without area, or "
     "there twice), hulls and leaves of the tree it became"},
	{"visuals",
     "of each shape with a visual: the first body, how many parts, size (diagonal, m), shape_beyond and visual_beyond "
     "(m: how far each reaches out of the other), closed, as_asked (a decomposition came as near as asked)"},
	{"warning", "what is valid and may yet stop the run; null if there is nothing"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"cost", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(cost),
     "say what a run takes (memory, size of the recording, time), by trying its first frames for some seconds"},
	{0},
};

const command_spec command_check = {
	"check",
	cmd_check,
	"SCENE",
	WORDS_SCENE,
	1,
	1,
	"say whether a scene is valid and can be simulated",
	"Reads SCENE with its includes and meshes and sets up the world without moving it. Says OK and what the scene has, "
	"or where it is wrong and what would be right. It warns on stderr of emitters of bodies that the method keeps out "
	"of "
	"contact (with a mesh, and any method but oba): a run stops where another body touches one.",
	examples,
	fields,
	own,
	"cost method set trust memory time json quiet"};
