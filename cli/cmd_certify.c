/* cairn certify: does anything overlap in a recording, did anything pass through anything. */
#include "limit.h"
#include "message.h"
#include "progress.h"
#include "source.h"
#include "stop.h"
#include "verdict.h"

#include <stdio.h>
#include <string.h>

static bool show(void *context, uint32_t frame, uint32_t total)
{
	progress *p = context;
	p->total = total;
	progress_frame(p, frame, NULL);
	return stop_asked() == STATUS_DONE;
}

/* What is certified: one of the two. */
typedef struct motion {
	const char *path;
	cairn_recording *recording;
	cairn_trajectory *trajectory;
	verdict_names names;
} motion;

static const char *name_in_recording(const void *context, uint32_t body)
{
	return cairn_recording_track(context, body).info.name;
}

static const char *name_in_trajectory(const void *context, uint32_t body)
{
	return cairn_trajectory_body_name(context, body);
}

static bool run_check(const motion *m, const cairn_certify_def *def, cairn_certify_result *result, cairn_error *error)
{
	return m->recording ? cairn_recording_certify(m->recording, def, result, error)
	                    : cairn_trajectory_certify(m->trajectory, def, result, error);
}

static int check(const options *o, const motion *m, const char *title, const cairn_certify_def *range)
{
	cairn_error error = {0};
	cairn_certify_def def = *range;
	cairn_certify_result result;
	cairn_recording_info info = {0};
	progress shown;
	progress_begin(&shown, o->quiet ? PROGRESS_NONE : (progress_mode)o->progress, title, 0, def.to - def.from + 1);
	def.progress = show;
	def.context = &shown;
	def.threads = o->threads.given ? o->threads.value : 0;
	stop_listen();
	bool done = run_check(m, &def, &result, &error);
	progress_end(&shown);
	if (!done && stop_asked() != STATUS_DONE)
		return say_and(stop_asked(), "stopped; nothing is said about %s", m->path);
	if (!done)
		return say_error(&error);
	if (m->recording)
		info = cairn_recording_get_info(m->recording);
	if (o->json)
		verdict_print_json(&m->names, &result, m->recording ? &info : NULL);
	else if (!o->quiet)
		verdict_print_text(&m->names, &result, def.from, def.to);
	fflush(stdout);
	if (result.certificate.verdict == CAIRN_CLEAN)
		return STATUS_DONE;
	char text[320];
	verdict_describe(&m->names, &result, text, sizeof text);
	if (result.measured)
		return say_and(STATUS_FAILED, "%s was measured and promises nothing: the first is at %s", m->path, text);
	return say_and(STATUS_FAILED, "%s is not clean: %s", m->path, text);
}

static int check_trajectory(const options *o, const char *path)
{
	cairn_error error = {0};
	cairn_allocator allocator = limits_allocator();
	cairn_trajectory *trajectory = cairn_trajectory_read(path, NULL, &allocator, &error);
	if (!trajectory)
		return say_error(&error);
	cairn_trajectory_info info = cairn_trajectory_get_info(trajectory);
	cairn_recording_info frames = {.first_frame = info.first_frame, .last_frame = info.last_frame};
	cairn_certify_def def = cairn_default_certify_def();
	def.allocator = allocator;
	motion m = {.path = path, .trajectory = trajectory, .names = {name_in_trajectory, trajectory}};
	int result = source_range(o, &frames, &def.from, &def.to);
	if (result == STATUS_DONE)
		result = check(o, &m, path, &def);
	cairn_trajectory_free(trajectory);
	return result;
}

static int check_recording(const options *o, const source *from)
{
	int result;
	cairn_recording *recording = source_open(from->argument, &result);
	if (!recording)
		return result;
	cairn_recording_info info = cairn_recording_get_info(recording);
	cairn_certify_def def = cairn_default_certify_def();
	def.allocator = limits_allocator();
	if (info.note[0])
		say("%s: %s", from->argument, info.note);
	motion m = {.path = from->argument, .recording = recording, .names = {name_in_recording, recording}};
	result = source_range(o, &info, &def.from, &def.to);
	if (result == STATUS_DONE)
		result = check(o, &m, from->stem, &def);
	cairn_recording_close(recording);
	return result == STATUS_DONE && info.damaged ? STATUS_FILE : result;
}

static int cmd_certify(const options *o)
{
	source from;
	if (ends_with(o->operands[0], ".traj"))
		return check_trajectory(o, o->operands[0]);
	int result = source_find(&from, o->operands[0]);
	if (result != STATUS_DONE)
		return result;
	if (from.kind != SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "certify takes a recording, and '%s' is a scene; cairn run %s makes one",
		               from.argument, from.argument);
	return check_recording(o, &from);
}

static const text_pair examples[] = {
	{"cairn certify cubejam.cairn", "does anything overlap, did anything pass through anything?"},
	{"cairn certify cubejam.cairn --from 100 --to 200", "only these frames, and the motion between them"},
	{"cairn certify cubejam.cairn --json", "the same for scripts"},
	{"cairn certify other-engine.traj", "the motion that another program made, as plain text"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"verdict", "clean, overlap (at a key two bodies overlap) or passage (between keys they cross, or it could not be "
                "proved that they do not); measured: the recording promises nothing, as its method has no guarantee"},
	{"frames, bodies", "how many were looked at"},
	{"pairs", "pairs of bodies that were looked at closely, summed over the frames"},
	{"intervals", "pieces of motion of such pairs that were proved"},
	{"exempt", "pairs of bodies that the promise does not cover: fixed and scripted ones among themselves, filters, "
               "joints"},
	{"min_gap", "the smallest gap at a key, a proved lower bound, m; null if nothing came near anything"},
	{"min_gap_frame, min_gap_pair", "where that was: the frame and the names of the two bodies"},
	{"depth", "m: the deepest overlap at a key; 0 if there is none"},
	{"overlaps, passages", "how many keys of pairs, how many pieces of motion are wrong"},
	{"rounding_bound", "m: gaps within it count as touching"},
	{"first", "the first that is wrong: frame, time in s, pair, depth in m (0 if not known); null if there is none"},
	{"complete", "of a recording: whether the run reached the frames it was asked for"},
	{"damaged", "of a recording: whether bytes of the file are wrong: then only what comes before them was checked"},
	{NULL, NULL},
};

const command_spec command_certify = {
	"certify",
	cmd_certify,
	"REC",
	WORDS_RECORDING,
	1,
	1,
	"prove that nothing overlaps or passes through anything",
	"Checks a recording from its keys alone: every pair of bodies at every key, and their motion between keys, by code "
	"that shares nothing with the simulation. A file that ends in .traj is the motion of another program, as plain "
	"text "
	"(docs/trajectory-format.md). The exit status is 0 only if all of it is clean, 1 if something overlaps "
	"or passes (docs/certificate.md).",
	examples,
	fields,
	NULL,
	"threads memory time from to progress json quiet"};
