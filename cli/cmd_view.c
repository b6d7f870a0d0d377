/* cairn view: writes the page that shows a recording, or a scene simulated first, or a scene with the engine beside it;
 * says where it is, and opens it where there is a screen or it is asked for. */
#define _POSIX_C_SOURCE 200809L
#include "drive.h"
#include "limit.h"
#include "measure.h"
#include "message.h"
#include "screen.h"
#include "source.h"
#include "stop.h"
#include "table.h"
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Data of a page: what it has inside at most, and what it has in all unless --most says otherwise. */
static const size_t MEGABYTE = 1000000, INSIDE_MOST = 48, DATA_MOST = 320;
enum { BROWSER_MOST = 500 }; /* MB of data that a browser takes as the text of one script */

static bool show(void *context, uint32_t frame, uint32_t total)
{
	progress *p = context;
	p->total = total;
	progress_frame(p, frame, NULL);
	return stop_asked() == STATUS_DONE;
}

static progress_mode mode_of(const options *o) { return o->quiet ? PROGRESS_NONE : (progress_mode)o->progress; }

static int check_usage(const options *o, const source *from)
{
	bool recording = from->kind == SOURCE_RECORDING;
	const char *wrong = !recording        ? NULL
	                    : o->live         ? "--live"
	                    : o->frames.given ? "--frames (--from and --to choose frames)"
	                    : o->method       ? "--method"
	                    : o->sets.count   ? "--set"
	                                      : NULL;
	if (wrong)
		return say_and(STATUS_USAGE, "'%s' is a recording, which is shown as it is; leave out %s", from->argument,
		               wrong);
	if (o->live && (o->from.given || o->to.given || o->contacts || o->beside || o->most.given))
		return say_and(STATUS_USAGE, "a live page has no frames yet; leave out --from, --to, --contacts, --beside and "
		                             "--most");
	if (o->most.given && o->most.value > BROWSER_MOST)
		return say_and(STATUS_USAGE, "--most %u is more than a browser takes; give at most %d", o->most.value,
		               BROWSER_MOST);
	if (o->open && o->no_open)
		return say_and(STATUS_USAGE, "--open and --no-open contradict each other");
	return STATUS_DONE;
}

static int check_output(const options *o, const source *from, const char *path)
{
	if (from->kind != SOURCE_BUNDLED && file_is_same(path, from->argument))
		return say_and(STATUS_USAGE, "%s is what is to be shown; give another -o", path);
	if (ends_with(path, ".cairn") || ends_with(path, ".json"))
		return say_and(STATUS_USAGE, "view writes a page (.html), not %s", path);
	if (file_is_special(path))
		return say_and(STATUS_FILE, "%s is not a regular file and is not replaced", path);
	if (!o->output && file_exists(path) && !view_is_page(path))
		return say_and(STATUS_FILE, "%s exists and is no page of cairn view; -o FILE writes another, or replaces it",
		               path);
	if (!page_find("player.html"))
		return view_write_page(path, NULL, 0, false); /* says what is missing */
	return STATUS_DONE;
}

/* ---- A recording ---- */

static void text_length(double metres, char text[32])
{
	static const struct {
		double size;
		const char *name;
	} units[] = {{1, "m"}, {1e-3, "mm"}, {1e-6, "um"}, {0, "nm"}};
	size_t i = 0;
	while (metres < units[i].size)
		++i;
	snprintf(text, 32, "%.2g %s", metres / (units[i].size > 0 ? units[i].size : 1e-9), units[i].name);
}

static void print_done(const char *path, const view_job *job, bool beside)
{
	char size[32], error[32];
	char *other = view_beside_name(path);
	text_size(file_size(path) + (beside ? file_size(other) : 0), size);
	text_length(job->step * VIEW_POSITION_ERROR, error);
	print_tame(stdout, "%s: frames %u to %u, %s%s%s; positions within %s\n", path, job->from, job->to, size,
	           beside ? ", with its data in " : "", beside ? other : "", error);
	free(other);
}

static int say_full(const view_job *job, const char *name)
{
	char most[32], *argument = text_shell(name);
	text_size(job->most, most);
	if (job->reached == UINT32_MAX)
		say("one frame alone takes more than the %s that a page may hold", most);
	else
		say("frames %u to %u take more than the %s that a page may hold; cairn view %s --from %u --to %u fits",
		    job->from, job->to, most, argument, job->from, job->reached);
	free(argument);
	return STATUS_USAGE;
}

/* The frames of one recording as the bytes of a page. */
static int pack_recording(const options *o, const source *from, cairn_recording *recording, view_job *job,
                          view_bytes *data)
{
	cairn_error error = {0};
	cairn_recording_info info = cairn_recording_get_info(recording);
	progress shown;
	*job = (view_job){
		.recording = recording, .file = from->stem, .contacts = o->contacts, .reached = UINT32_MAX, .progress = show};
	int result = source_range(o, &info, &job->from, &job->to);
	if (result != STATUS_DONE)
		return result;
	job->most = (o->most.given ? o->most.value : DATA_MOST) * MEGABYTE;
	job->threads = o->threads.given ? o->threads.value : 0;
	job->context = &shown;
	progress_begin(&shown, mode_of(o), from->stem, 0, job->to - job->from + 1);
	view_end end = view_pack(job, data, &error);
	progress_end(&shown);
	switch (end) {
	case VIEW_DONE: return STATUS_DONE;
	case VIEW_STOPPED: return say_and(stop_asked(), "stopped; no page was written");
	case VIEW_FULL: return say_full(job, from->argument);
	default: return say_error(&error);
	}
}

/* Opens, packs and closes the recording in a file. */
static int pack_file(const options *o, const source *from, const char *file, view_job *job, view_bytes *data)
{
	int result;
	cairn_recording *recording = source_open(file, &result);
	if (!recording)
		return result;
	cairn_recording_info info = cairn_recording_get_info(recording);
	if (info.note[0] && from->kind == SOURCE_RECORDING)
		say("%s: %s", file, info.note);
	result = pack_recording(o, from, recording, job, data);
	cairn_recording_close(recording);
	return result == STATUS_DONE && info.damaged ? STATUS_FILE : result;
}

/* A page of one recording, or of two side by side (second is NULL, or what it is). A damaged one is shown as far as it is
 * whole. */
static int show_recordings(const options *o, const source *from, const char *file, const source *second,
                           const char *path)
{
	view_job jobs[2];
	view_bytes data[2] = {{0}, {0}};
	int results[2] = {STATUS_DONE, STATUS_DONE}, written = STATUS_FAILED;
	results[0] = pack_file(o, from, file, &jobs[0], &data[0]);
	if (second && data[0].size)
		results[1] = pack_file(o, second, second->argument, &jobs[1], &data[1]);
	size_t count = second ? 2 : 1;
	bool beside = o->beside || data[0].size + data[1].size > INSIDE_MOST * MEGABYTE;
	view_part parts[2] = {{.name = "data", .data = data[0].data, .size = data[0].size},
	                      {.name = "data2", .data = data[1].data, .size = data[1].size}};
	if (data[0].size && data[count - 1].size)
		written = view_write_page(path, parts, count, beside);
	view_free_bytes(&data[0]);
	view_free_bytes(&data[1]);
	if (written == STATUS_DONE && !o->quiet)
		print_done(path, &jobs[0], beside);
	return results[0] != STATUS_DONE ? results[0] : results[1] != STATUS_DONE ? results[1] : written;
}

/* ---- A scene, simulated first ---- */

static cairn_world *make_world(const options *o, const source *from, uint32_t *total, int *result)
{
	cairn_error error;
	cairn_scene *scene = source_read(from, o, result, &error);
	if (!scene) {
		say_error(&error);
		return NULL;
	}
	cairn_world_def def = cairn_default_world_def();
	def.allocator = limits_allocator();
	if (o->threads.given)
		def.threads = o->threads.value;
	*total = cairn_scene_settings(scene).frames;
	cairn_world *world = cairn_world_create(scene, &def, &error);
	cairn_scene_destroy(scene);
	if (!world) {
		if (error.code == CAIRN_USAGE && !o->method)
			error.code = CAIRN_INVALID;
		source_blame(from, &error);
		*result = say_error(&error);
	}
	return world;
}

/* Runs it into a recording of that name. A run that fails leaves what there is to be looked at. */
static int simulate(const options *o, const source *from, const char *file, bool *any)
{
	cairn_error error = {0};
	drive d = {0};
	int result;
	progress shown;
	d.world = make_world(o, from, &d.total, &result);
	if (!d.world)
		return result;
	summary_begin(&d.summary, NULL);
	d.output = cairn_recording_create(file, d.world, NULL, &error);
	if (!d.output) {
		cairn_world_destroy(d.world);
		return say_error(&error);
	}
	*any = true;
	progress_begin(&shown, mode_of(o), from->stem, 0, d.total);
	d.progress = &shown;
	drive_end end = drive_run(&d);
	progress_end(&shown);
	if (end != DRIVE_DONE) {
		cairn_recording_close(d.output);
	} else if (!cairn_recording_finish(d.output, &error)) {
		cairn_error_print(&error, d.message, sizeof d.message);
		end = DRIVE_UNWRITTEN;
	}
	if (d.message[0])
		say("%s", d.message);
	if (end == DRIVE_STOPPED)
		say("stopped at frame %u of %u; no page was written", cairn_world_frame(d.world), d.total);
	else if (end == DRIVE_FAILED)
		say("the page shows the frames up to %u", cairn_world_frame(d.world));
	summary_free(&d.summary);
	cairn_world_destroy(d.world);
	return end == DRIVE_DONE      ? STATUS_DONE
	       : end == DRIVE_FAILED  ? STATUS_FAILED
	       : end == DRIVE_STOPPED ? (int)stop_asked()
	                              : STATUS_FILE;
}

static int show_scene(const options *o, const source *from, const char *path)
{
	char *file = text_format("%s.%ld.cairn", path, (long)getpid());
	bool any = false;
	int result = simulate(o, from, file, &any);
	if (any && (result == STATUS_DONE || result == STATUS_FAILED)) {
		int shown = show_recordings(o, from, file, NULL, path);
		result = shown != STATUS_DONE ? shown : result;
	}
	if (any)
		remove(file);
	free(file);
	return result;
}

/* ---- Opening ---- */

static bool has_screen(void)
{
	const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
	return ((x && *x) || (wayland && *wayland)) && screen_is_terminal(stdout);
}

/* Hands the page to the desktop's own opener, which returns when the browser has it. */
static int open_page(const options *o, const char *path)
{
	if (o->no_open || (!o->open && !has_screen()))
		return STATUS_DONE;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		/* A word that begins with a dash would be taken for an option. */
		char *file = text_format("%s%s", path[0] == '/' ? "" : "./", path);
		execlp("xdg-open", "xdg-open", file, (char *)NULL);
		_exit(127);
	}
	int ending = 0;
	bool ended = child > 0 && waitpid(child, &ending, 0) == child;
	if (ended && WIFEXITED(ending) && WEXITSTATUS(ending) == 0)
		return STATUS_DONE;
	if (!o->open)
		return STATUS_DONE; /* it was only offered; the path is printed */
	if (ended && WIFEXITED(ending) && WEXITSTATUS(ending) == 127)
		return say_and(STATUS_MISSING, "there is no xdg-open on this machine; open %s in a browser", path);
	return say_and(STATUS_MISSING, "xdg-open could not open it; open %s in a browser", path);
}

/* The second of two things to be shown, which both are recordings. */
static int find_second(const options *o, const source *from, source *second)
{
	int result = source_find(second, o->operands[1]);
	if (result == STATUS_DONE)
		result = check_usage(o, second);
	const source *scene = from->kind != SOURCE_RECORDING ? from : second->kind != SOURCE_RECORDING ? second : NULL;
	if (result == STATUS_DONE && scene)
		return say_and(STATUS_USAGE, "two side by side are two recordings, and '%s' is a scene; cairn run %s makes one",
		               scene->argument, scene->argument);
	return result;
}

/* What the page is called unless -o says it. */
static char *name_page(const options *o, const source *from, const source *second)
{
	if (o->output)
		return text_format("%s", o->output);
	if (second)
		return text_format("%s-%s.html", from->stem, second->stem);
	return text_format(o->live ? "%s-live.html" : "%s.html", from->stem);
}

static int cmd_view(const options *o)
{
	source from, other, *second = o->operand_count > 1 ? &other : NULL;
	stop_listen();
	int result = source_find(&from, o->operands[0]);
	if (result == STATUS_DONE)
		result = check_usage(o, &from);
	if (result == STATUS_DONE && second)
		result = find_second(o, &from, second);
	if (result != STATUS_DONE)
		return result;
	char *path = name_page(o, &from, second);
	result = check_output(o, &from, path);
	if (result == STATUS_DONE && second)
		result = check_output(o, second, path);
	if (result == STATUS_DONE) {
		result = from.kind == SOURCE_RECORDING ? show_recordings(o, &from, from.argument, second, path)
		         : o->live                     ? view_show_live(o, &from, path)
		                                       : show_scene(o, &from, path);
		int opened = result == STATUS_DONE || result == STATUS_FAILED ? open_page(o, path) : STATUS_DONE;
		result = result == STATUS_DONE ? opened : result;
	}
	free(path);
	return result;
}

static const text_pair examples[] = {
	{"cairn view tumble.cairn", "a recording as a page, tumble.html, for any browser"},
	{"cairn view tumble.cairn --contacts", "with contact points and separating planes to look at"},
	{"cairn view wall.cairn soft.cairn", "two recordings side by side, in step, seen from the same place"},
	{"cairn view cubejam --frames 300", "simulate a scene and show it"},
	{"cairn view my/scene.json --live", "a page that runs the scene itself, to take part in it"},
	{"cairn view long.cairn --from 900 --to 1200 -o end.html", "a part of a long one"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(output),
     "the page to write (default: the name of the recording or scene with .html, in this folder)"},
	{"contacts", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(contacts),
     "run the recording again for its contacts and the planes between bodies, which can then be shown"},
	{"live", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(live),
     "do not simulate: put the engine into the page, to run the scene there and take part"},
	{"beside", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(beside),
     "put the data into a file of its own beside the page (done anyway when there are more than 48 MB of it)"},
	{"most", 0, "MB", OPTION_COUNT, WORDS_NONE, OPTION_FIELD(most),
     "refuse to write more data than this, and say which frames would fit (default: 320)"},
	{"open", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(open),
     "open the page in the browser (which is done anyway on a terminal of a desktop)"},
	{"no-open", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(no_open), "only say where the page is"},
	{0},
};

const command_spec command_view = {
	"view",
	cmd_view,
	"REC|SCENE [REC]",
	WORDS_SOURCE,
	1,
	2,
	"show a recording or a scene in the browser",
	"Writes one self-contained page (.html) that plays REC: turn it, step, scrub, pick bodies. A SCENE is simulated "
	"first; two recordings are shown side by side; with --live a scene is not simulated, and the page (NAME-live.html) "
	"runs it itself, with the engine in it. The path is "
	"printed, and the page opened where there is a desktop. Positions are rounded to a ten thousandth of the thinnest "
	"body or better; the page says by how much. Large recordings get a second file beside the page, and very large "
	"ones are refused with the frames that would fit (docs/view.md).",
	examples,
	NULL,
	own,
	"output frames threads method set trust memory time from to contacts live beside most open no-open progress quiet"};
