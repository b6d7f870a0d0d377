/* cairn info: what is in a recording or a scene. */
#include "json.h"
#include "measure.h"
#include "message.h"
#include "screen.h"
#include "source.h"
#include "table.h"

#include <inttypes.h>
#include <string.h>

/* What both kinds have. */
typedef struct view {
	const source *from;
	const cairn_scene *scene;
	cairn_settings settings;
} view;

/* Settings that have a row of their own. */
static void add_scene_rows(const view *v, table *t)
{
	cairn_vec3 g = v->settings.gravity;
	char text[400] = "", value[64];
	for (const char *const *name = cairn_option_names(); *name; ++name) {
		size_t used = strlen(text);
		if (!cairn_option_is_setting(*name) && cairn_scene_option(v->scene, *name, value, sizeof value))
			snprintf(text + used, sizeof text - used, "%s%s=%s", used ? " " : "", *name, value);
	}
	table_add(t, "method", "%s", v->settings.method);
	table_add(t, "options", "%s", text);
	table_add(t, "gravity", "%g, %g, %g m/s^2", g.x, g.y, g.z);
	table_add(t, "seed", "%" PRIu64, v->settings.seed);
	table_add(t, "scene has", "%u shapes, %u materials, %u joints, %u emitters, %u events, %u fields, %u cold volumes",
	          cairn_scene_shape_count(v->scene), cairn_scene_material_count(v->scene),
	          cairn_scene_joint_count(v->scene), cairn_scene_emitter_count(v->scene), cairn_scene_event_count(v->scene),
	          cairn_scene_field_count(v->scene), cairn_scene_cold_volume_count(v->scene));
}

static void write_scene(const view *v, json *j)
{
	char value[64];
	json_text(j, "method", v->settings.method);
	json_vec3(j, "gravity", v->settings.gravity);
	json_count(j, "seed", v->settings.seed);
	json_open(j, "options", '{');
	for (const char *const *name = cairn_option_names(); *name; ++name)
		if (!cairn_option_is_setting(*name) && cairn_scene_option(v->scene, *name, value, sizeof value))
			json_text(j, *name, value);
	json_close(j, '}');
	json_count(j, "shapes", cairn_scene_shape_count(v->scene));
	json_count(j, "materials", cairn_scene_material_count(v->scene));
	json_count(j, "joints", cairn_scene_joint_count(v->scene));
	json_count(j, "emitters", cairn_scene_emitter_count(v->scene));
	json_count(j, "events", cairn_scene_event_count(v->scene));
	json_count(j, "fields", cairn_scene_field_count(v->scene));
	json_count(j, "cold_volumes", cairn_scene_cold_volume_count(v->scene));
}

static void print_heading(const view *v)
{
	bool colors = screen_has_colors(stdout);
	const char *name = *v->settings.name ? v->settings.name : v->from->stem;
	fputs(colors ? "\033[1m" : "", stdout);
	print_tame(stdout, "%s", name);
	fputs(colors ? "\033[0m" : "", stdout);
	print_tame(stdout, "%s%s\n", *v->settings.description ? ": " : "", v->settings.description);
}

static void write_heading(const view *v, json *j, const char *kind)
{
	json_text(j, "kind", kind);
	json_text(j, "scene", *v->settings.name ? v->settings.name : v->from->stem);
	json_text(j, "description", v->settings.description);
	json_text(j, "file", v->from->argument);
}

static const char *condition(const cairn_recording_info *info)
{
	return info->damaged     ? "damaged"
	       : info->truncated ? "ends in the middle of a frame"
	       : info->complete  ? "complete"
	                         : "incomplete";
}

static void print_recording(const view *v, const cairn_recording *recording, const cairn_recording_info *info,
                            uint32_t inputs)
{
	table t = {0};
	char size[32];
	text_size(info->size, size);
	print_heading(v);
	table_add(&t, "file", "%s, %s, %s, written by cairn %s", v->from->argument, size, condition(info), info->version);
	if (info->note[0])
		table_add(&t, "note", "%s", info->note);
	table_add(&t, "frames", "%u to %u at %g fps; the scene asks for %u", info->first_frame, info->last_frame,
	          v->settings.fps, v->settings.frames);
	table_add(&t, "bodies", "%u", info->bodies);
	table_add(&t, "inputs", "in %u frames", inputs);
	table_add(&t, "exempt", "%u pairs held by joints", cairn_recording_exempt_count(recording));
	add_scene_rows(v, &t);
	table_add(&t, "hash", "%016" PRIx64, info->hash);
	table_print(&t, stdout, screen_width(stdout));
	table_free(&t);
}

static void print_recording_json(const view *v, const cairn_recording *recording, const cairn_recording_info *info,
                                 uint32_t inputs)
{
	json j = json_begin(stdout, true);
	write_heading(v, &j, "recording");
	json_count(&j, "frames", info->last_frame);
	json_number(&j, "fps", v->settings.fps);
	json_count(&j, "bodies", info->bodies);
	json_hash(&j, "hash", info->hash);
	json_bool(&j, "complete", info->complete);
	json_count(&j, "size_bytes", info->size);
	json_count(&j, "first_frame", info->first_frame);
	json_count(&j, "last_frame", info->last_frame);
	json_count(&j, "frames_asked", v->settings.frames);
	json_number(&j, "seconds", (info->last_frame - info->first_frame) / v->settings.fps);
	json_text(&j, "version", info->version);
	json_bool(&j, "truncated", info->truncated);
	json_bool(&j, "damaged", info->damaged);
	json_text(&j, "note", info->note[0] ? info->note : NULL);
	json_count(&j, "inputs", inputs);
	json_count(&j, "exempt", cairn_recording_exempt_count(recording));
	write_scene(v, &j);
	json_end(&j);
}

static int count_inputs(cairn_recording *recording, const cairn_recording_info *info, uint32_t *inputs)
{
	cairn_error error = {0};
	cairn_frame frame;
	*inputs = 0;
	for (uint64_t i = info->first_frame; i <= info->last_frame; ++i) {
		if (!cairn_recording_read(recording, (uint32_t)i, &frame, &error))
			return say_error(&error);
		*inputs += frame.input_size > 0;
	}
	return STATUS_DONE;
}

static int show_recording(const options *o, const source *from)
{
	int result;
	cairn_recording *recording = source_open(from->argument, &result);
	if (!recording)
		return result;
	cairn_recording_info info = cairn_recording_get_info(recording);
	view v = {.from = from, .scene = cairn_recording_scene(recording)};
	v.settings = cairn_scene_settings(v.scene);
	uint32_t inputs;
	result = count_inputs(recording, &info, &inputs);
	if (o->json)
		print_recording_json(&v, recording, &info, inputs);
	else
		print_recording(&v, recording, &info, inputs);
	fflush(stdout);
	if (info.note[0])
		say("%s: %s", from->argument, info.note);
	cairn_recording_close(recording);
	return info.damaged ? STATUS_FILE : result;
}

typedef struct types {
	uint32_t dynamic, fixed, scripted;
} types;

static types count_types(const cairn_scene *scene)
{
	types t = {0};
	for (uint32_t i = 0; i < cairn_scene_body_count(scene); ++i) {
		cairn_body_type type = cairn_scene_body_at(scene, i).type;
		t.dynamic += type == CAIRN_DYNAMIC;
		t.fixed += type == CAIRN_FIXED;
		t.scripted += type == CAIRN_SCRIPTED;
	}
	return t;
}

/* A mesh that was a height field says so. */
static const char *kind_name(const cairn_shape_def *def)
{
	return cairn_shape_kind_at(def->columns ? CAIRN_HEIGHTFIELD : def->kind)->title;
}

/* A row a shape: what it is, how large, and how it resists turning. */
static void add_shape_rows(const view *v, table *t)
{
	enum { MOST = 16 };
	uint32_t count = cairn_scene_shape_count(v->scene);
	for (uint32_t i = 0; i < count && i < MOST; ++i) { /* moments are principal, at density 1 */
		cairn_shape_def def = cairn_scene_shape_at(v->scene, i);
		cairn_shape_facts f = cairn_scene_shape_facts(v->scene, (cairn_shape){i, 1});
		char more[80] = "";
		if (def.kind == CAIRN_HULL)
			snprintf(more, sizeof more, " of %u points: %u corners, %u edges, %u faces", def.point_count, f.vertices,
			         f.edges, f.faces);
		else if (def.kind == CAIRN_MESH)
			snprintf(more, sizeof more, "%s of %u triangles",
			         def.columns ? ""
			         : def.shell ? ", shell"
			                     : "",
			         def.triangle_count);
		else if (def.kind == CAIRN_COMPOUND)
			snprintf(more, sizeof more, " of %u parts", def.part_count);
		if (f.volume > 0)
			table_add(t, i ? "" : "shapes", "%s: %s%s, %.4g m^%d, moments %.4g %.4g %.4g",
			          *def.name ? def.name : "(no name)", kind_name(&def), more, f.volume,
			          def.shell && def.thickness == 0 ? 2 : 3, f.moments.x, f.moments.y, f.moments.z);
		else
			table_add(t, i ? "" : "shapes", "%s: %s%s", *def.name ? def.name : "(no name)", kind_name(&def), more);
	}
	if (count > MOST)
		table_add(t, "", "and %u more (--json shows all)", count - MOST);
	if (count)
		table_add(t, "", "(moments: principal ones, kg m^2 at a density of 1)");
}

static void write_shapes(const view *v, json *j)
{
	json_open(j, "shape_facts", '[');
	for (uint32_t i = 0; i < cairn_scene_shape_count(v->scene); ++i) {
		cairn_shape_def def = cairn_scene_shape_at(v->scene, i);
		cairn_shape_facts f = cairn_scene_shape_facts(v->scene, (cairn_shape){i, 1});
		json_open(j, NULL, '{');
		json_text(j, "name", def.name);
		json_text(j, "kind", kind_name(&def));
		json_number(j, "volume", f.volume);
		json_vec3(j, "center", f.center);
		json_vec3(j, "moments", f.moments);
		json_count(j, "corners", f.vertices);
		json_count(j, "edges", f.edges);
		json_count(j, "faces", f.faces);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void print_scene(const view *v)
{
	table t = {0};
	cairn_box b;
	types n = count_types(v->scene);
	print_heading(v);
	table_add(&t, "frames", "%u at %g fps", v->settings.frames, v->settings.fps);
	table_add(&t, "bodies", "%u: %u dynamic, %u fixed, %u scripted", cairn_scene_body_count(v->scene), n.dynamic,
	          n.fixed, n.scripted);
	if (measure_bounds(v->scene, &b))
		table_add(&t, "inside", "%.4g to %.4g, %.4g to %.4g, %.4g to %.4g m", b.min.x, b.max.x, b.min.y, b.max.y,
		          b.min.z, b.max.z);
	add_scene_rows(v, &t);
	add_shape_rows(v, &t);
	table_print(&t, stdout, screen_width(stdout));
	table_free(&t);
}

static void print_scene_json(const view *v)
{
	json j = json_begin(stdout, true);
	cairn_box b;
	types n = count_types(v->scene);
	write_heading(v, &j, "scene");
	json_count(&j, "frames", v->settings.frames);
	json_number(&j, "fps", v->settings.fps);
	json_count(&j, "bodies", cairn_scene_body_count(v->scene));
	json_count(&j, "dynamic", n.dynamic);
	json_count(&j, "fixed", n.fixed);
	json_count(&j, "scripted", n.scripted);
	if (measure_bounds(v->scene, &b)) {
		json_open(&j, "bounds", '{');
		json_vec3(&j, "min", b.min);
		json_vec3(&j, "max", b.max);
		json_close(&j, '}');
	} else {
		json_null(&j, "bounds");
	}
	write_scene(v, &j);
	write_shapes(v, &j);
	json_end(&j);
}

static int cmd_info(const options *o)
{
	source from;
	cairn_error error;
	int result = source_find(&from, o->operands[0]);
	if (result != STATUS_DONE)
		return result;
	if (from.kind == SOURCE_RECORDING)
		return show_recording(o, &from);
	cairn_scene *scene = source_read(&from, o, &result, &error);
	if (!scene) {
		say_error(&error);
		return result;
	}
	view v = {.from = &from, .scene = scene, .settings = cairn_scene_settings(scene)};
	if (o->json)
		print_scene_json(&v);
	else
		print_scene(&v);
	cairn_scene_destroy(scene);
	return STATUS_DONE;
}

static const text_pair examples[] = {
	{"cairn info tumble.cairn", "what is in a recording, and is it whole?"},
	{"cairn info scene.json", "what is in a scene"},
	{"cairn info tumble.cairn --json", "the same for scripts"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"kind", "recording or scene; those marked (R) are only for recordings, those marked (S) only for scenes"},
	{"scene", "name of the scene"},
	{"description", "its one line"},
	{"file", "what was looked at"},
	{"frames", "number of the last whole frame; of a scene: how many it asks for"},
	{"fps", "frames a second"},
	{"bodies", "bodies that were ever there; of a scene: at the start"},
	{"hash", "(R) chained over all frames: 16 hexadecimal digits"},
	{"complete", "(R) whether the run reached the frames it was asked for"},
	{"size_bytes", "(R) of the file"},
	{"first_frame, last_frame", "(R) the frames there are"},
	{"frames_asked", "(R) how many its scene asks for"},
	{"seconds", "(R) of motion that are recorded"},
	{"version", "(R) of the library that wrote it"},
	{"truncated, damaged, note", "(R) what is wrong with the file; note is null if nothing"},
	{"inputs", "(R) frames that were given inputs during the run"},
	{"exempt", "(R) pairs that a joint holds together"},
	{"method, gravity, seed", "settings"},
	{"options", "of the method, with the values in force"},
	{"shapes, materials, joints, emitters, events, fields, cold_volumes", "how many the scene has"},
	{"dynamic, fixed, scripted", "(S) bodies at the start by type"},
	{"bounds", "(S) a box around all bodies but half-spaces at the start: min and max; null if there are none"},
	{"shape_facts",
     "(S) of every shape: name, kind, volume (a shell: area), center of mass, principal moments at density 1, "
     "and corners, edges and faces of a box or a hull"},
	{NULL, NULL},
};

const command_spec command_info = {
	"info",
	cmd_info,
	"REC|SCENE",
	WORDS_SOURCE,
	1,
	1,
	"say what is in a recording or a scene",
	"Prints what a recording or a scene holds. A recording that ends in the middle of a frame is read up to its last "
	"whole frame, with a note on stderr; one with a damaged byte as well, with exit status 4.",
	examples,
	fields,
	NULL,
	"memory json"};
