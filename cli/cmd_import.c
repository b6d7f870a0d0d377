/* cairn import: a file of a robot or a figure becomes a scene; what is not taken over is listed. */
#define _POSIX_C_SOURCE 200809L
#include "import.h"
#include "json.h"
#include "limit.h"
#include "message.h"
#include "screen.h"
#include "source.h"
#include "standoff.h"
#include "table.h"
#include "target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 4 }; /* of a kind of notes that people are shown; --json has all */

static bool has_ending(const char *path, const char *endings)
{
	size_t length = strlen(path);
	for (const char *e = endings; *e;) {
		size_t n = strcspn(e, " "), i = 0;
		while (length > n && i < n && (path[length - n + i] | 32) == (e[i] | 32))
			++i;
		if (i == n)
			return true;
		e += n + strspn(e + n, " ");
	}
	return false;
}

static const importer *find_importer(const char *path)
{
	for (const importer *i = importers; i->title; ++i)
		if (has_ending(path, i->endings))
			return i;
	return NULL;
}

/* ---- what is printed */

static bool same_kind(const import_note *a, const import_note *b)
{
	return strcmp(a->what, b->what) == 0 && strcmp(a->why, b->why) == 0;
}

static void print_kind(const import *im, size_t first, table *rows)
{
	char places[400] = "";
	size_t count = 0, used = 0;
	for (size_t i = first; i < im->note_count; ++i) {
		const import_note *n = &im->notes[i];
		if (!same_kind(n, &im->notes[first]))
			continue;
		bool elsewhere = n->place.file && strcmp(n->place.file, im->path) != 0;
		if (count++ < PLACES && used < sizeof places)
			used +=
				(size_t)snprintf(places + used, sizeof places - used, "%s%.100s%s%d:%d", count > 1 ? ", " : "",
			                     elsewhere ? n->place.file : "", elsewhere ? ":" : "", n->place.line, n->place.column);
	}
	if (count > PLACES && used < sizeof places)
		snprintf(places + used, sizeof places - used, " and %zu more", count - PLACES);
	table_add(rows, im->notes[first].what, "%s (%s)", im->notes[first].why, places);
}

static void print_notes(const import *im)
{
	table rows = {0};
	for (size_t i = 0; i < im->note_count; ++i) {
		bool known = false;
		for (size_t k = 0; k < i && !known; ++k)
			known = same_kind(&im->notes[i], &im->notes[k]);
		if (!known)
			print_kind(im, i, &rows);
	}
	if (rows.count) {
		print_tame(stdout, "\nNot taken over as it is (line:column of %s)\n", im->path);
		table_print(&rows, stdout, screen_width(stdout));
	}
	table_free(&rows);
}

typedef struct tally {
	size_t links, carriers, joints, fixed;
	double mass;
} tally;

static tally count_all(const import *im)
{
	tally t = {0};
	for (size_t i = 0; i < im->link_count; ++i) {
		const import_link *l = &im->links[i];
		if (l->gone || l->fixed)
			continue;
		t.links += !l->carrier, t.carriers += l->carrier;
		t.mass += l->mass.mass;
		t.joints += l->joint_count && im->joints[l->joints[0]].type != IMPORT_FREE;
	}
	for (size_t i = 0; i < im->geom_count; ++i)
		t.fixed += im->bodies[im->link_count + i] != NULL;
	return t;
}

static void print_json(const import *im, const char *output)
{
	tally t = count_all(im);
	json j = json_begin(stdout, true);
	json_text(&j, "scene", output);
	json_text(&j, "model", im->title);
	json_count(&j, "links", t.links);
	json_count(&j, "carriers", t.carriers);
	json_count(&j, "joints", t.joints);
	json_count(&j, "fixed", t.fixed);
	json_number(&j, "mass", t.mass);
	json_open(&j, "files", '[');
	for (size_t i = 0; i < im->file_count; ++i)
		json_text(&j, NULL, im->files[i].path);
	json_close(&j, ']');
	if (im->made)
		standoff_write(&j, im->made);
	json_open(&j, "notes", '[');
	for (size_t i = 0; i < im->note_count; ++i) {
		const import_note *n = &im->notes[i];
		json_open(&j, NULL, '{');
		json_text(&j, "file", n->place.file ? n->place.file : im->path);
		json_count(&j, "line", (uint64_t)n->place.line);
		json_count(&j, "column", (uint64_t)n->place.column);
		json_text(&j, "what", n->what);
		json_text(&j, "why", n->why);
		json_close(&j, '}');
	}
	json_close(&j, ']');
	json_end(&j);
}

static void print_done(const import *im, const char *output)
{
	tally t = count_all(im);
	if (im->things)
		print_tame(stdout, "%s: %s, %zu moving bod%s of %g kg, %zu fixed bod%s, %zu mesh%s beside it\n", output,
		           im->title, t.links, t.links == 1 ? "y" : "ies", t.mass, t.fixed, t.fixed == 1 ? "y" : "ies",
		           im->file_count, im->file_count == 1 ? "" : "es");
	else
		print_tame(stdout,
		           "%s: %s, %zu link%s of %g kg on %zu joint%s, %zu carrier%s between joints, %zu fixed bod%s\n",
		           output, im->title, t.links, t.links == 1 ? "" : "s", t.mass, t.joints, t.joints == 1 ? "" : "s",
		           t.carriers, t.carriers == 1 ? "" : "s", t.fixed, t.fixed == 1 ? "y" : "ies");
	if (im->made)
		standoff_print(im->made, stdout);
	print_notes(im);
	char *name = text_shell(output);
	print_tame(stdout, "\nNext\n  cairn check %s\n  cairn run %s\n", name, name);
	if (im->exact)
		print_tame(stdout, "With --decompose %s: much faster to run.\n",
		           im->exact == 1 ? "the hollow body that moves is a union of hulls"
		                          : "the hollow bodies that move are unions of hulls");
	free(name);
}

/* ---- what is done */

/* The scene as text: of the bodies alone, or all of it. */
static char *write_text(import *im, bool bodies_only, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	if (!out)
		memory_resize(NULL, SIZE_MAX / 2);
	import_write(im, out, bodies_only);
	fclose(out);
	return text;
}

static bool pass_overlaps(import *im)
{
	bool ok = true;
	for (int tries = 0; ok && tries < 3 && (!tries || im->raised); ++tries) {
		size_t size, notes = im->note_count;
		char *text = write_text(im, true, &size);
		im->note_count = notes; /* the last writing notes the same */
		im->raised = false;
		ok = import_pass(im, text, size);
		free(text);
	}
	return ok;
}

/* Whether the library takes it, which it should. */
static bool try_scene(import *im, const char *text, size_t size)
{
	cairn_scene_def def = {.allocator = limits_allocator()};
	cairn_world_def world_def = {.allocator = limits_allocator()};
	cairn_files files = import_files(im);
	cairn_scene *scene = cairn_scene_read_text(text, size, "the scene that it makes", &files, &def, &im->error);
	cairn_world *world = scene ? cairn_world_create(scene, &world_def, &im->error) : NULL;
	bool ok = world != NULL;
	cairn_world_destroy(world);
	if (ok)
		im->made = scene;
	else
		cairn_scene_destroy(scene);
	return ok;
}

static void add_floor(import *im)
{
	import_geom *g = import_add_geom(im, IMPORT_NONE);
	g->name = "floor", g->shape = IMPORT_PLANE, g->friction = 1;
	g->type = g->with = UINT32_MAX;
	g->has_color = true, g->color = (cairn_color){0.55, 0.54, 0.52};
}

static bool make(import *im, const importer *kind, char **text, size_t *size)
{
	if (!kind->read(im))
		return false;
	if (im->asked->floor)
		add_floor(im);
	if (!import_weigh(im) || !import_figure(im))
		return false;
	import_name_bodies(im);
	if (!pass_overlaps(im))
		return false;
	*text = write_text(im, false, size);
	return try_scene(im, *text, *size);
}

static int write_file(const char *path, const char *text, size_t size)
{
	target t;
	if (!target_open(&t, path))
		return STATUS_FILE;
	bool written = fwrite(text, 1, size, t.out) == size;
	return target_place(&t, target_close(&t) && written);
}

static int check_usage(const options *o, const importer *kind, const char *output)
{
	if (!kind)
		return say_and(STATUS_USAGE, "%s: import takes files that end in %s %s", o->operands[0], importers[0].endings,
		               importers[1].endings);
	if (kind->xml && !xml_available())
		return say_and(STATUS_MISSING,
		               "this build of cairn reads no XML; install expat (libexpat1-dev) and build it again");
	if (!ends_with(output, ".json"))
		return say_and(STATUS_USAGE, "%s: a scene ends in .json", output);
	if (file_is_special(output))
		return say_and(STATUS_FILE, "%s is not a regular file and is not replaced", output);
	if (file_exists(output) && !o->force)
		return say_and(STATUS_FILE, "%s exists; --force replaces it, or give another -o", output);
	return STATUS_DONE;
}

static const char *stem_of(import *im, const char *output)
{
	const char *slash = strrchr(output, '/'), *name = slash ? slash + 1 : output, *dot = strrchr(name, '.');
	return pool_format(&im->memory, "%.*s", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name);
}

static int cmd_import(const options *o)
{
	const char *path = o->operands[0], *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
import im = {.asked = o, .path = path, .gravity = {0, 0, - 9.81 }, .title = "" };
	const char *output =
		o->output ? o->output
				  : pool_format(&im.memory, "%.*s.json", (int)(dot ? dot - name : (ptrdiff_t)strlen(name)), name);
	im.stem = stem_of(&im, output);
	const importer *kind = find_importer(path);
	int result = check_usage(o, kind, output);
	char *text = NULL, *end = NULL;
	size_t size = 0;
	im.lift = o->lift ? strtod(o->lift, &end) : 0;
	if (result == STATUS_DONE && end && (*end || end == o->lift || !isfinite(im.lift)))
		result = say_and(STATUS_USAGE, "--lift %s: give metres, such as 0.05", o->lift);
	if (result == STATUS_DONE) {
		cairn_scene_def def = {.allocator = limits_allocator()};
		im.shapes = cairn_scene_create(&def);
		if (!im.shapes || !make(&im, kind, &text, &size))
			result = say_error(&im.error);
		else if ((result = import_write_files(&im, output, o->force)) == STATUS_DONE)
			result = write_file(output, text, size);
		cairn_scene_destroy(im.shapes);
	}
	if (result == STATUS_DONE && o->json)
		print_json(&im, output);
	else if (result == STATUS_DONE && !o->quiet)
		print_done(&im, output);
	cairn_scene_destroy(im.made);
	free(text);
	pool_free(&im.memory);
	return result;
}

static const text_pair examples[] = {
	{"cairn import robot.urdf --floor --lift 0.1", "robot.json: the robot above a floor"},
	{"cairn import table.glb --static 'floor,wall*' --decompose", "things of Blender; hollow ones that move as hulls"},
	{"cairn import humanoid.xml -o figure.json --key squat", "a model of MuJoCo as a keyframe of it has it"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"scene", "the file that was written"},
	{"model", "the model's name"},
	{"links, carriers, joints, fixed",
     "bodies that are links, bodies between two joints of one link, joints, fixed bodies"},
	{"mass", "kg, of all that moves"},
	{"files", "meshes beside the scene"},
	{"visuals", "as of cairn check"},
	{"notes", "what is not taken over as it is: file, line, column, what, why"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(output),
     "the scene to write; NAME.json unless given"},
	{"key", 0, "NAME", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(key),
     "MJCF: begin at the keyframe of that name or number, counted from 0"},
	{"lift", 0, "METRES", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(lift), "raise all that is free by so much"},
	{"fixed", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(fixed), "URDF: the first link is fixed to the world"},
	{"decompose", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(decompose),
     "glTF, OBJ: closed meshes that move and are not convex become unions of hulls, and are seen as they are"},
	{"static", 0, "NAMES", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(still),
     "glTF, OBJ: bodies of these names are fixed, a comma between; * stands for any letters"},
	{"floor", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(floor), "add a floor at height 0"},
	{0},
};

const command_spec command_import = {
	"import",
	cmd_import,
	"FILE",
	WORDS_FILE,
	1,
	1,
	"make a scene of things, a robot or a figure (glTF, OBJ, URDF, MJCF)",
	"Reads FILE and writes a scene of the same links, joints, masses, shapes and drives. Says what was not taken over, "
	"with line "
	"and column. Meshes of a robot become hulls; those of glTF and OBJ stay as they are, as files in the folder "
	"NAME-meshes beside the scene, and are "
	"fixed or move as --static and the file say. Links that overlap where they start, other than neighbours, pass "
	"through each "
	"other and "
	"are listed. Files that FILE names are read from its folder alone, unless --trust is given.",
	examples,
	fields,
	own,
	"output key lift fixed decompose static floor force trust memory time json quiet"};
