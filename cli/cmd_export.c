/* cairn export: writes a recording for other programs. */
#include "export_look.h"
#include "limit.h"
#include "message.h"
#include "progress.h"
#include "source.h"
#include "stop.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

static bool show(void *context, uint32_t frame, uint32_t total)
{
	progress *p = context;
	p->total = total;
	progress_frame(p, frame, NULL);
	return stop_asked() == STATUS_DONE;
}

static int check_usage(const options *o, const source *from)
{
	const char *path = o->output;
	if (from->kind != SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "export takes a recording, and '%s' is a scene; cairn run %s makes one",
		               from->argument, from->argument);
	if (!path) {
		char endings[80];
		cairn_export_endings(endings, sizeof endings);
		return say_and(STATUS_USAGE, "export needs -o FILE, with a file that ends in %s; such as -o %s%s", endings,
		               from->stem, cairn_export_format_at(0)->ending);
	}
	if (file_is_same(path, from->argument))
		return say_and(STATUS_USAGE, "%s is the recording itself; give another -o", path);
	if (file_is_special(path))
		return say_and(STATUS_FILE, "%s is not a regular file and is not replaced", path);
	return STATUS_DONE;
}

static int write_file(const options *o, const source *from, cairn_recording *recording, const cairn_export_def *range)
{
	cairn_error error = {0};
	progress shown;
	cairn_export_def def = *range;
	progress_begin(&shown, o->quiet ? PROGRESS_NONE : (progress_mode)o->progress, from->stem, 0, def.to - def.from + 1);
	def.progress = show;
	def.context = &shown;
	stop_listen();
	export_look look;
	bool done = export_look_open(&look, recording, &def, &error) && cairn_export(recording, o->output, &def, &error);
	export_look_close(&look);
	progress_end(&shown);
	if (!done && stop_asked() != STATUS_DONE)
		return say_and(stop_asked(), "stopped; %s was not written", o->output);
	return done ? STATUS_DONE : say_error(&error);
}

static void print_done(const options *o, const cairn_export_def *def)
{
	char size[32];
	text_size(file_size(o->output), size);
	print_tame(stdout, "%s: frames %u to %u, %s\n", o->output, def->from, def->to, size);
}

static int cmd_export(const options *o)
{
	source from;
	int result = source_find(&from, o->operands[0]);
	if (result == STATUS_DONE)
		result = check_usage(o, &from);
	if (result != STATUS_DONE)
		return result;
	cairn_recording *recording = source_open(from.argument, &result);
	if (!recording)
		return result;
	cairn_recording_info info = cairn_recording_get_info(recording);
	cairn_export_def def = cairn_default_export_def();
	def.allocator = limits_allocator();
	if (info.note[0])
		say("%s: %s", from.argument, info.note);
	result = source_range(o, &info, &def.from, &def.to);
	if (result == STATUS_DONE)
		result = write_file(o, &from, recording, &def);
	cairn_recording_close(recording);
	if (result == STATUS_DONE && !o->quiet)
		print_done(o, &def);
	return result == STATUS_DONE && info.damaged ? STATUS_FILE : result;
}

static const text_pair examples[] = {
	{"cairn export tumble.cairn -o tumble.glb", "for Blender, three.js and other viewers"},
	{"cairn export tumble.cairn -o tumble.usda", "for USD tools"},
	{"cairn export tumble.cairn -o tumble.csv --from 10 --to 20", "eleven frames as numbers"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_EXPORT, OPTION_FIELD(output),
     "the file to write; its ending says the format"},
	{0},
};

const command_spec command_export = {
	"export",
	cmd_export,
	"REC",
	WORDS_RECORDING,
	1,
	1,
	"write a recording for other programs",
	"Writes the frames of REC in a format that other programs read. The file is written beside its place and moved "
	"there when whole; an older one is replaced. The same recording gives the same bytes.",
	examples,
	NULL,
	own,
	"output memory time from to progress quiet"};
