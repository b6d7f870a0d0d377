/* cairn compare: several methods on one scene, as a table, a page and a film. */
#define _POSIX_C_SOURCE 200809L
#include "compare.h"
#include "limit.h"
#include "stop.h"
#include "table.h"
#include "target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int check_usage(const compare *c, const char *page)
{
	const options *o = c->o;
	if (c->from.kind == SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "compare takes a scene, and '%s' is a recording; cairn report compares recordings",
		               c->from.argument);
	if (!ends_with(page, ".html") && !ends_with(page, ".htm"))
		return say_and(STATUS_USAGE, "a comparison is a page: give -o a file that ends in .html, not '%s'", page);
	if (o->film && !ends_with(o->film, ".mp4"))
		return say_and(STATUS_USAGE, "--film cannot be '%s'; give a file that ends in .mp4", o->film);
	if (file_is_special(page))
		return say_and(STATUS_FILE, "%s is not a regular file and is not replaced", page);
	if (c->from.kind != SOURCE_BUNDLED && file_is_same(page, c->from.argument))
		return say_and(STATUS_USAGE, "%s is the scene itself; give another -o", page);
	return target_has_folder(page) && (!o->film || target_has_folder(o->film)) ? STATUS_DONE : STATUS_FILE;
}

/* The scene for what all columns share. */
static int read_scene(compare *c)
{
	cairn_error error = {0};
	int result;
	options o = compare_options(c, &c->columns[0], 0);
	o.method = NULL;
	c->scene = source_read(&c->from, &o, &result, &error);
	free(o.sets.items);
	if (!c->scene) {
		say_error(&error);
		return result;
	}
	c->settings = cairn_scene_settings(c->scene);
	c->frames = c->settings.frames;
	c->bodies = cairn_scene_body_count(c->scene);
	c->threads = c->o->threads.given ? c->o->threads.value : 0;
	return STATUS_DONE;
}

static int make_folder(compare *c)
{
	const char *base = getenv("TMPDIR");
	c->folder = text_format("%s/cairn-compare-XXXXXX", base && *base ? base : "/tmp");
	if (mkdtemp(c->folder))
		return STATUS_DONE;
	int result = say_and(STATUS_FILE, "cannot make a folder for the recordings, %s: %s", c->folder, system_error());
	free(c->folder);
	c->folder = NULL;
	return result;
}

/* One after the other, so that each has the machine to itself; wrong options are told before any of them. */
static int run_all(compare *c)
{
	int result = STATUS_DONE;
	for (uint32_t i = 0; i < c->count && result == STATUS_DONE; ++i)
		result = compare_check(c, &c->columns[i]);
	for (uint32_t i = 0; i < c->count && result == STATUS_DONE && stop_asked() == STATUS_DONE; ++i) {
		compare_column *column = &c->columns[i];
		result = compare_run(c, column);
		bool tries = column->end != COMPARE_REFUSED && compare_takes(column->method, "substeps");
		for (uint32_t k = 0; tries && k < c->try_count && result == STATUS_DONE && stop_asked() == STATUS_DONE; ++k)
			result = compare_try(c, column, c->tries[k]);
	}
	return result;
}

/* 1: a method that guarantees was not clean; 3: no method could do the scene. */
static int judge(const compare *c)
{
	uint32_t refused = 0;
	for (uint32_t i = 0; i < c->count; ++i) {
		const compare_column *column = &c->columns[i];
		refused += column->end == COMPARE_REFUSED;
		bool unclean = column->sum.certificate.verdict > CAIRN_CLEAN || column->end == COMPARE_ENDED;
		if (column->guaranteed && unclean && column->end != COMPARE_REFUSED)
			return say_and(STATUS_FAILED, "%s guarantees, and was not clean: %s", column->label,
			               column->reason[0] ? column->reason : summary_verdict(&column->sum));
	}
	return refused == c->count
	           ? say_and(STATUS_SCENE, "none of the methods can do %s: %s", c->from.argument, c->columns[0].reason)
	           : STATUS_DONE;
}

static int write_page(compare *c, const char *path)
{
	html out = {0};
	char size[32];
	compare_page(c, &out);
	int result = html_write(&out, path);
	text_size(out.size, size);
	html_free(&out);
	if (result == STATUS_DONE && c->no_pictures[0])
		say("no pictures in the page: %s", c->no_pictures);
	if (result == STATUS_DONE && !c->o->quiet && !c->o->json)
		print_tame(stdout, "\n%s: %u methods, %s\n", path, c->count, size);
	return result;
}

static int show(compare *c, const char *page)
{
	int result = compare_measure(c);
	if (result != STATUS_DONE)
		return result;
	int verdict = judge(c);
	compare_pictures(c);
	if (stop_asked() != STATUS_DONE)
		return say_and(stop_asked(), "stopped; %s was not written", page);
	if (!c->o->json && !c->o->quiet)
		compare_print(c, stdout);
	result = write_page(c, page);
	if (result == STATUS_DONE && c->o->film)
		result = compare_film(c, c->o->film);
	if (result == STATUS_DONE && c->film && !c->o->json && !c->o->quiet)
		print_tame(stdout, "%s: %u frames\n", c->film, c->frames + 1);
	result = result == STATUS_DONE ? verdict : result;
	if (c->o->json)
		compare_print_json(c, page, result, stdout);
	return result;
}

static void clean_up(compare *c)
{
	for (uint32_t i = 0; i < c->count; ++i) {
		compare_column *column = &c->columns[i];
		if (column->file)
			remove(column->file);
		free(column->file);
		summary_free(&column->sum);
		for (int k = 0; k < SERIES_COUNT; ++k)
			free(column->series[k]);
		for (uint32_t k = 0; k < COMPARE_PICTURES; ++k)
			free(column->pictures[k].png);
	}
	if (c->folder)
		rmdir(c->folder);
	free(c->folder);
	cairn_scene_destroy(c->scene);
}

static int cmd_compare(const options *o)
{
	compare *c = memory_resize(NULL, sizeof *c); /* too large for the stack of some */
	*c = (compare){.o = o};
	stop_listen();
	int result = source_find(&c->from, o->operands[0]);
	char *page = o->output ? text_format("%s", o->output) : text_format("%s-compare.html", c->from.stem);
	if (result == STATUS_DONE)
		result = check_usage(c, page);
	if (result == STATUS_DONE)
		result = compare_ask(c);
	if (result == STATUS_DONE)
		result = read_scene(c);
	if (result == STATUS_DONE)
		result = make_folder(c);
	if (result == STATUS_DONE)
		result = run_all(c);
	if (result == STATUS_DONE && stop_asked() != STATUS_DONE)
		result = say_and(stop_asked(), "stopped; %s was not written", page);
	else if (result == STATUS_DONE)
		result = show(c, page);
	clean_up(c);
	free(c);
	free(page);
	return result;
}

static const text_pair examples[] = {
	{"cairn compare stack --methods oba,free", "two methods on a bundled scene: stack-compare.html"},
	{"cairn compare wall --methods oba --set oba:momentum=thesis --truth", "beside the finest run there is"},
	{"cairn compare cubejam --frames 300 --film all.mp4", "all methods, and a film of all side by side"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"scene, frames, fps, bodies, threads", "what was run: frames asked for, bodies at the start"},
	{"code", "the exit status"},
	{"page, film", "the files that were written; film is null without --film"},
	{"columns", "one object a method, in the order asked for, the truth last"},
	{"label, method, options", "of a column: the method's name, or truth; its own options"},
	{"guaranteed", "of a column: whether the method keeps bodies apart or stops"},
	{"status, message",
     "of a column: done, refused (the method cannot do the scene) or ended (after a frame); why, or null"},
	{"stop, stop_pair", "of a column that ended: as in cairn run --json; else null"},
	{"ms_mean, ms_p95",
     "milliseconds a frame, without the measuring of depths; with the certificate where the method guarantees"},
	{"certificate, overlaps, passages", "what the independent check found: verdict and counts over all frames"},
	{"depth, depth_share, depth_frame, depth_pair",
     "the worst depth, m; as a share of the smaller dynamic body's size; where; null where it was not measured"},
	{"depth_share_thin", "the worst depth as a share of the thinner dynamic body's thickness"},
	{"escaped", "dynamic bodies that are inside a half-space, or lower than all that is fixed, at the end"},
	{"energy_start, energy_end, energy_unit", "J, as in cairn run --json"},
	{"energy_rise, energy_rise_frame", "the most that energy rose in a frame without a cause, in units; where"},
	{"at_rest", "whether no body moved further than 1 % of its size in the last second"},
	{"text_fallbacks", "series of impulses or of flights that a limit cut short, and so on: as in cairn run --json"},
	{"known", "what is known of a scene of docs/validation.md: what, unit, expected, measured, verdict (met, not met, "
              "too short)"},
	{"contacts_mean, hash", "contact points a frame; the hash of the run"},
	{"distance", "from the truth at the end, in sizes; null for the truth itself; only with --truth"},
	{"substeps, substeps_least",
     "with --substeps: each count with its depth_share and ms_mean; the least that stays under 5 %, or null"},
	{NULL, NULL},
};

static const option_spec own[] = {
	{"output", 'o', "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(output),
     "the page to write (default: the scene's name with -compare.html, in this folder)"},
	{"methods", 0, "A,B,C", OPTION_TEXT, WORDS_METHOD, OPTION_FIELD(methods),
     "the methods to compare, in this order (default: all there are)"},
	{"substeps", 0, "1,4,16", OPTION_TEXT, WORDS_NONE, OPTION_FIELD(substeps),
     "run methods that take the option substeps with each of these, and find the least at which no body is deeper in "
     "another than 5 %"},
	{"truth", 0, NULL, OPTION_FLAG, WORDS_NONE, OPTION_FIELD(truth),
     "run oba with eight times the frames as well (or 16 steps a frame, if events or emitters count frames), and say "
     "how far each method is from it"},
	{"film", 0, "FILE", OPTION_TEXT, WORDS_FILE, OPTION_FIELD(film),
     "write a film (.mp4) of all columns side by side; needs ffmpeg"},
	{0},
};

const command_spec command_compare = {
	"compare",
	cmd_compare,
	"SCENE",
	WORDS_SCENE,
	1,
	1,
	"run several methods on one scene and compare them",
	"Runs SCENE with each method, one after the other in this process and with the same number of threads, and writes "
	"one "
	"self-contained page (.html): time, worst depth, passages, energy and whether it came to rest, a column a method; "
	"pictures of the same six frames; plots of depth, energy, time and contacts. --set a:key=value is for method a "
	"alone, "
	"--set key=value for all that take the key. A method that cannot do the scene keeps its column, with the reason; "
	"one "
	"that fails ends its column there. The exit status is 1 only if a method that guarantees was not clean "
	"(docs/compare.md).",
	examples,
	fields,
	own,
	"output methods substeps truth film set frames threads trust memory time progress json quiet"};
