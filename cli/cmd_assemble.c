/* cairn assemble: finds poses that meet a scene's goals and writes the scene with these as its start. */
#define _POSIX_C_SOURCE 200809L
#include "json.h"
#include "limit.h"
#include "message.h"
#include "source.h"
#include "whole.h"

#include <stdlib.h>
#include <string.h>

static const char *const kinds[] = {"fixed-point", "point-to-point", "abutting", "floating", "floating-abutting"};
static const char *const ends[] = {"assembled", "valley", "stopped"};

typedef struct assembly {
	cairn_scene *scene;
	cairn_pose *poses;
	cairn_goal_miss *misses;
	cairn_assembly found;
	uint32_t moved; /* bodies */
} assembly;

static bool is_met(cairn_goal_miss m) { return m.distance <= 1e-9 && m.angle <= 1e-9; }

static bool has_moved(const assembly *a, uint32_t i)
{
	cairn_pose from = cairn_scene_body_at(a->scene, i).pose, to = a->poses[i];
	return memcmp(&from, &to, sizeof from) != 0;
}

static void put_numbers(json *j, const char *key, const double *x, int count)
{
	json_open(j, key, '[');
	for (int i = 0; i < count; ++i)
		json_number(j, NULL, x[i]);
	json_close(j, ']');
}

/* "start": [...] of what has moved, or of all that may move. */
static char *start_text(assembly *a, bool all)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	json j = json_begin(out, false);
	json_open(&j, "start", '[');
	for (uint32_t i = 0; i < cairn_scene_body_count(a->scene); ++i) {
		bool moved = has_moved(a, i);
		if (!moved && !(all && cairn_scene_body_at(a->scene, i).type == CAIRN_DYNAMIC))
			continue;
		const cairn_vec3 *x = &a->poses[i].position;
		const cairn_quat *q = &a->poses[i].orientation;
		a->moved += moved;
		json_open(&j, NULL, '{');
		json_text(&j, "body", cairn_scene_body_at(a->scene, i).name);
		put_numbers(&j, "position", (double[]){x->x, x->y, x->z}, 3);
		put_numbers(&j, "orientation", (double[]){q->w, q->x, q->y, q->z}, 4);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_end(&j);
	fclose(out);
	text[strlen(text) - 2] = 0; /* what is asked for is the member, without the braces around it */
	memmove(text, text + 1, strlen(text));
	return text;
}

/* The scene as it is written is read again, as its reader will, and its world is made, which finds what overlaps. */
static int check_written(const source *from, const options *o, const char *text)
{
	cairn_error error = {0};
	bundle_file file = {from->file ? from->file->name : "", (const unsigned char *)text, strlen(text)};
	cairn_scene_def def = cairn_default_scene_def();
	def.allocator = limits_allocator(), def.trust = o->trust;
	cairn_scene *scene = from->kind == SOURCE_BUNDLED
	                         ? bundle_read_scene(&file, &def, &error)
	                         : cairn_scene_read_text(text, file.size, o->output, NULL, &def, &error);
	cairn_world_def world_def = {.allocator = limits_allocator()};
	cairn_world *world = scene ? cairn_world_create(scene, &world_def, &error) : NULL;
	int result = world ? STATUS_DONE : say_error(&error);
	if (scene && !world)
		say("%s was not written: the goals lead bodies into each other", o->output);
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return result;
}

static int write_scene(assembly *a, const source *from, const options *o)
{
	size_t size;
	char *own = from->file ? text_format("%.*s", (int)from->file->size, (const char *)from->file->data)
	                       : whole_read(from->argument, &size);
	if (!own)
		return STATUS_FILE;
	char *start = start_text(a, whole_has_member(own, "start")),
		 *text = whole_with_member(own, strlen(own), "start", start);
	int result = check_written(from, o, text);
	if (result == STATUS_DONE)
		result = whole_write(o->output, text, strlen(text));
	free(own);
	free(start);
	free(text);
	return result;
}

static void print_goal(const assembly *a, uint32_t i)
{
	cairn_goal_def g = cairn_scene_goal_at(a->scene, i);
	const char *first = cairn_scene_body_at(a->scene, g.a.index).name;
	bool two = g.kind != CAIRN_GOAL_FIXED_POINT,
		 abuts = g.kind == CAIRN_GOAL_ABUTTING || g.kind == CAIRN_GOAL_FLOATING_ABUTTING;
	print_tame(stdout, "  goals[%u] %s, %s%s%s: %.2g m", i, kinds[g.kind], first, two ? " and " : "",
	           two ? cairn_scene_body_at(a->scene, g.b.index).name : "", a->misses[i].distance);
	if (abuts)
		print_tame(stdout, ", %.2g rad", a->misses[i].angle);
	print_tame(stdout, "%s\n", is_met(a->misses[i]) ? "" : "  not met");
}

static void print_found(const assembly *a, const source *from)
{
	static const char *const words[] = {"every goal is met to 1e-9", "a local minimum; not every goal is met",
	                                    "stopped before a minimum"};
	const cairn_assembly *f = &a->found;
	print_tame(stdout, "%s: %s\n", from->argument, words[f->end]);
	print_tame(stdout, "  %u coordinates, %u steps, %u kicks; energy %.3g, was %.3g; slope %.2g\n", f->coordinates,
	           f->steps, f->kicks, f->energy, f->begun, f->slope);
	for (uint32_t i = 0; i < cairn_scene_goal_count(a->scene); ++i)
		print_goal(a, i);
}

static void print_json(const assembly *a, const options *o)
{
	json j = json_begin(stdout, true);
	json_text(&j, "end", ends[a->found.end]);
	json_count(&j, "coordinates", a->found.coordinates);
	json_count(&j, "steps", a->found.steps);
	json_count(&j, "kicks", a->found.kicks);
	json_number(&j, "energy", a->found.energy);
	json_number(&j, "begun", a->found.begun);
	json_number(&j, "slope", a->found.slope);
	json_open(&j, "goals", '[');
	for (uint32_t i = 0; i < cairn_scene_goal_count(a->scene); ++i) {
		json_open(&j, NULL, '{');
		json_text(&j, "type", kinds[cairn_scene_goal_at(a->scene, i).kind]);
		json_number(&j, "distance", a->misses[i].distance);
		json_number(&j, "angle", a->misses[i].angle);
		json_bool(&j, "met", is_met(a->misses[i]));
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_text(&j, "file", o->output);
	json_count(&j, "moved", a->moved);
	json_end(&j);
}

static int find_poses(assembly *a, const source *from)
{
	cairn_error error = {0};
	a->poses = memory_resize(NULL, (cairn_scene_body_count(a->scene) + 1) * sizeof *a->poses);
	a->misses = memory_resize(NULL, (cairn_scene_goal_count(a->scene) + 1) * sizeof *a->misses);
	if (cairn_scene_assemble(a->scene, a->poses, a->misses, &a->found, &error))
		return STATUS_DONE;
	source_blame(from, &error);
	return say_error(&error);
}

static int assemble(assembly *a, const source *from, const options *o)
{
	if (cairn_scene_goal_count(a->scene) == 0)
		return say_and(STATUS_SCENE, "%s: there are no goals to meet; give some under \"goals\"", from->argument);
	int result = find_poses(a, from);
	bool talks = !o->json && !o->quiet;
	if (result == STATUS_DONE && talks)
		print_found(a, from);
	if (result == STATUS_DONE)
		result = write_scene(a, from, o);
	if (result != STATUS_DONE)
		return result;
	if (o->json)
		print_json(a, o);
	if (talks)
		print_tame(stdout, "%s: %u bodies start elsewhere; free of overlap\n", o->output, a->moved);
	if (a->found.end == CAIRN_ASSEMBLED)
		return STATUS_DONE;
	return say_and(STATUS_FAILED, "%s: %s, energy %.3g; %s has the nearest poses that were found", from->argument,
	               a->found.end == CAIRN_ASSEMBLY_VALLEY ? "the goals end in a local minimum" : "the steps are used up",
	               a->found.energy, o->output);
}

static int cmd_assemble(const options *o)
{
	source from;
	cairn_error error = {0};
	assembly a = {0};
	int result = source_find(&from, o->operands[0]);
	if (result != STATUS_DONE)
		return result;
	if (from.kind == SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "%s is a recording, not a scene", from.argument);
	if (!o->output)
		return say_and(STATUS_USAGE, "assemble needs -o FILE, such as -o %s-assembled.json", from.stem);
	result = whole_check(o->output, o->force);
	if (result != STATUS_DONE)
		return result;
	a.scene = source_read(&from, o, &result, &error);
	result = a.scene ? assemble(&a, &from, o) : (say_error(&error), result);
	free(a.poses);
	free(a.misses);
	cairn_scene_destroy(a.scene);
	return result;
}

static const text_pair examples[] = {
	{"cairn assemble assembly -o assembled.json", "put the bundled scene together"},
	{"cairn run assembled.json", "and let it go"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"end", "assembled, valley (a local minimum that does not meet every goal) or stopped"},
	{"coordinates, steps, kicks", "how many could change, and what it took"},
	{"energy, begun, slope", "of all goals at the end and at the start; the largest derivative at the end"},
	{"goals", "for each: type, distance (m), angle (rad), met"},
	{"file, moved", "what was written, and how many bodies start elsewhere"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(output), "the scene to write"},
	{0},
};

const command_spec command_assemble = {
	"assemble",
	cmd_assemble,
	"SCENE",
	WORDS_SCENE,
	1,
	1,
	"find poses that meet a scene's goals",
	"Moves the dynamic bodies of SCENE, within their joints, to where the energy of its goals is least, and writes the "
	"scene with these poses as its start to FILE. Nothing is written where bodies would overlap. Exit status 1: a "
	"local "
	"minimum that does not meet every goal; FILE has it.",
	examples,
	fields,
	own,
	"output force trust memory json quiet"};
