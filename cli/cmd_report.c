/* cairn report: what recordings show in numbers, as one page. */
#include "limit.h"
#include "message.h"
#include "moments.h"
#include "progress.h"
#include "render.h"
#include "report.h"
#include "stop.h"
#include "table.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>

enum { PICTURE_WIDTH = 480, PICTURE_HEIGHT = 270, PICTURES_ONE = 6, PICTURES_SEVERAL = 3 };

static progress begin(const options *o, const report_run *run)
{
	progress shown;
	progress_begin(&shown, o->quiet ? PROGRESS_NONE : (progress_mode)o->progress, run->stem, 0, 0);
	return shown;
}

static bool show(void *context, uint32_t frame, uint32_t total)
{
	progress *p = context;
	p->total = total;
	progress_frame(p, frame, NULL);
	return stop_asked() == STATUS_DONE;
}

static int check_usage(const options *o, const char *path)
{
	for (int i = 0; i < o->operand_count; ++i)
		if (file_is_same(path, o->operands[i]))
			return say_and(STATUS_USAGE, "%s is the recording itself; give another -o", path);
	if (!ends_with(path, ".html") && !ends_with(path, ".htm"))
		return say_and(STATUS_USAGE, "a report is a page: give -o a file that ends in .html, not '%s'", path);
	if (file_is_special(path))
		return say_and(STATUS_FILE, "%s is not a regular file and is not replaced", path);
	return target_has_folder(path) ? STATUS_DONE : STATUS_FILE;
}

/* Short names: the stems of the files, but whole paths where two stems are the same. */
static void name_runs(report_run *runs, uint32_t count)
{
	bool same = false;
	for (uint32_t i = 0; i < count; ++i)
		for (uint32_t k = 0; k < i; ++k)
			same = same || strcmp(runs[i].stem, runs[k].stem) == 0;
	for (uint32_t i = 0; i < count; ++i)
		runs[i].label = same ? runs[i].path : runs[i].stem;
}

static int certify_run(const options *o, report_run *run)
{
	cairn_error error = {0};
	cairn_certify_def def = cairn_default_certify_def();
	def.allocator = limits_allocator();
	progress shown = begin(o, run);
	def.progress = show;
	def.context = &shown;
	def.threads = o->threads.given ? o->threads.value : 0;
	run->certified = cairn_recording_certify(run->recording, &def, &run->certificate, &error);
	progress_end(&shown);
	return run->certified || stop_asked() != STATUS_DONE ? STATUS_DONE : say_error(&error);
}

/* Frames that divide what moves evenly: the first, the last, and between them where something happens. Where the motion
 * is over early or begins late, no picture is like the one before. Returns how many. */
static uint32_t choose_frames(report_run *run, uint32_t count, cairn_error *error)
{
	moments m;
	uint32_t first = run->info.first_frame, last = run->info.last_frame, chosen = 0;
	if (!moments_read(&m, run->recording, first, last, error))
		return 0;
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t frame = i + 1 == count ? last : i == 0 ? first : moments_at(&m, (double)i / (count - 1));
		if (chosen == 0 || frame > run->pictures[chosen - 1].frame)
			run->pictures[chosen++].frame = frame;
	}
	moments_free(&m);
	return chosen;
}

static void take_pictures(report_run *run, uint32_t count)
{
	cairn_error error = {0};
	count = choose_frames(run, count, &error);
	render_def def = render_default_def(run->recording);
	def.width = PICTURE_WIDTH, def.height = PICTURE_HEIGHT, def.quality = RENDER_FINE;
	renderer *r = render_open(run->recording, &def, &error);
	uint8_t *rgb = memory_resize(NULL, (size_t)3 * PICTURE_WIDTH * PICTURE_HEIGHT);
	bool ok = r != NULL && count > 0;
	for (uint32_t i = 0; ok && i < count && stop_asked() == STATUS_DONE; ++i) {
		report_picture *picture = &run->pictures[i];
		ok = render_frame(r, picture->frame, 1, rgb, &error) &&
		     render_png(rgb, PICTURE_WIDTH, PICTURE_HEIGHT, &picture->png, &picture->size, &error);
		run->picture_count += ok;
	}
	if (!ok)
		snprintf(run->no_pictures, sizeof run->no_pictures, "%.250s", error.message);
	free(rgb);
	render_close(r);
}

static int read_run(const options *o, report_run *run, const char *path)
{
	snprintf(run->stem, sizeof run->stem, "%s", path);
	progress shown = begin(o, run);
	int result = report_read(run, path, &shown);
	progress_end(&shown);
	if (result == STATUS_DONE && !o->quick && stop_asked() == STATUS_DONE)
		result = certify_run(o, run);
	if (result == STATUS_DONE && !o->quick && stop_asked() == STATUS_DONE)
		take_pictures(run, o->operand_count > 1 ? PICTURES_SEVERAL : PICTURES_ONE);
	return result;
}

static int write_report(const options *o, report_run *runs, uint32_t count, const char *path)
{
	html out = {0};
	name_runs(runs, count);
	report_page(runs, count, o->quick, &out);
	int result = html_write(&out, path);
	char size[32];
	text_size(out.size, size);
	html_free(&out);
	if (result == STATUS_DONE && runs[0].no_pictures[0])
		say("no pictures in the report: %s", runs[0].no_pictures);
	if (result == STATUS_DONE && !o->quiet)
		print_tame(stdout, "%s: %u recording%s, %s\n", path, count, count == 1 ? "" : "s", size);
	return result;
}

/* NAME-report.html: NAME.html is the player's. */
static char *default_path(const options *o)
{
	source from;
	if (o->operand_count > 1 || source_find(&from, o->operands[0]) != STATUS_DONE)
		return text_format("report.html");
	return text_format("%s-report.html", from.stem);
}

static int cmd_report(const options *o)
{
	char *path = o->output ? text_format("%s", o->output) : default_path(o);
	int result = check_usage(o, path);
	uint32_t count = (uint32_t)o->operand_count, done = 0;
	bool damaged = false;
	report_run *runs = memory_resize(NULL, count * sizeof runs[0]);
	memset(runs, 0, count * sizeof runs[0]);
	stop_listen();
	for (; done < count && result == STATUS_DONE && stop_asked() == STATUS_DONE; ++done) {
		result = read_run(o, &runs[done], o->operands[done]);
		damaged = damaged || runs[done].info.damaged;
	}
	if (stop_asked() != STATUS_DONE)
		result = say_and(stop_asked(), "stopped; %s was not written", path);
	if (result == STATUS_DONE)
		result = write_report(o, runs, count, path);
	for (uint32_t i = 0; i < done; ++i)
		report_free(&runs[i]);
	free(runs);
	free(path);
	return result == STATUS_DONE && damaged ? STATUS_FILE : result;
}

static const text_pair examples[] = {
	{"cairn report cubejam.cairn", "everything about a run, in cubejam-report.html"},
	{"cairn report a.cairn b.cairn -o compare.html", "two runs side by side, a colour each"},
	{"cairn report long.cairn --quick", "only what was recorded: no check, no pictures"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(output),
     "the page to write (default: the recording's name with -report.html, in this folder; for several report.html)"},
	{"quick", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(quick),
     "leave out what takes long: the check of the recording from its keys, and the pictures"},
	{0},
};

const command_spec command_report = {
	"report",
	cmd_report,
	"REC...",
	WORDS_RECORDING,
	1,
	8,
	"write a page of plots about recordings",
	"Writes one self-contained page (.html) about REC: the verdict of the certificate, checked anew; pictures over "
	"time; plots of the time per frame by stage, close pairs and contacts, the smallest gap, debt and steps, energies "
	"and the ledger, programs and tiers, sleeping bodies, and how the cost grows; the ten slowest frames. Up to eight "
	"recordings are compared: the same plots with a colour for each, and a table. The plots can be read without "
	"scripts; with them one can zoom in and read off values. Where there is no OpenGL the pictures are left out "
	"(docs/report.md).",
	examples,
	NULL,
	own,
	"output quick threads memory time progress quiet"};
