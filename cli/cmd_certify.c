/* cairn certify: does anything overlap in a recording, did anything pass through anything. */
#include "json.h"
#include "limit.h"
#include "message.h"
#include "progress.h"
#include "screen.h"
#include "source.h"
#include "stop.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static bool show(void *context, uint32_t frame, uint32_t total)
{
	progress *p = context;
	p->total = total;
	progress_frame(p, frame, NULL);
	return stop_asked() == STATUS_DONE;
}

static const char *verdict_word(cairn_verdict verdict)
{
	return verdict == CAIRN_CLEAN ? "clean" : verdict == CAIRN_OVERLAP ? "overlap" : "passage";
}

/* A body's name, or its number where it has none. */
static const char *name_of(const cairn_recording *recording, uint32_t track, char text[32])
{
	const char *name = cairn_recording_track(recording, track).info.name;
	if (*name)
		return name;
	snprintf(text, 32, "#%u", track);
	return text;
}

static void write_pair(json *j, const cairn_recording *recording, const char *key, const uint32_t pair[2])
{
	char text[32];
	if (pair[0] == UINT32_MAX) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '[');
	for (int i = 0; i < 2 && pair[i] != UINT32_MAX; ++i)
		json_text(j, NULL, name_of(recording, pair[i], text));
	json_close(j, ']');
}

static void print_json(const cairn_recording *recording, const cairn_certify_result *r)
{
	const cairn_certificate *c = &r->certificate;
	json j = json_begin(stdout, true);
	json_text(&j, "verdict", verdict_word(c->verdict));
	json_count(&j, "frames", r->frames);
	json_count(&j, "bodies", r->bodies);
	json_count(&j, "pairs", c->pairs);
	json_count(&j, "intervals", c->intervals);
	json_count(&j, "exempt", r->exempt);
	json_number(&j, "min_gap", c->min_gap);
	if (r->min_gap_frame == UINT32_MAX)
		json_null(&j, "min_gap_frame");
	else
		json_count(&j, "min_gap_frame", r->min_gap_frame);
	write_pair(&j, recording, "min_gap_pair", r->min_gap_pair);
	json_count(&j, "overlaps", c->overlaps);
	json_count(&j, "passages", c->passages);
	json_number(&j, "rounding_bound", c->rounding_bound);
	if (r->first_frame == UINT32_MAX) {
		json_null(&j, "first");
	} else {
		json_open(&j, "first", '{');
		json_count(&j, "frame", r->first_frame);
		json_number(&j, "time", r->first_time);
		write_pair(&j, recording, "pair", r->first_pair);
		json_number(&j, "depth", r->first_depth);
		json_close(&j, '}');
	}
	cairn_recording_info info = cairn_recording_get_info(recording);
	json_bool(&j, "complete", info.complete);
	json_bool(&j, "damaged", info.damaged);
	json_end(&j);
}

/* "frame 6, 0.1719 s: ball and wall, 0.01 m deep" */
static void describe_first(const cairn_recording *recording, const cairn_certify_result *r, char *text, size_t size)
{
	char a[32], b[32], depth[48] = "";
	const char *first = name_of(recording, r->first_pair[0], a);
	if (r->first_depth > 0)
		snprintf(depth, sizeof depth, ", %.3g m deep", r->first_depth);
	if (r->first_pair[1] == UINT32_MAX)
		snprintf(text, size, "frame %u, %.6g s: the keys of %.100s do not lead from one to the next", r->first_frame,
		         r->first_time, first);
	else
		snprintf(text, size, "frame %u, %.6g s: %.100s and %.100s%s", r->first_frame, r->first_time, first,
		         name_of(recording, r->first_pair[1], b), depth);
}

static void print_text(const cairn_recording *recording, const cairn_certify_def *def, const cairn_certify_result *r)
{
	const cairn_certificate *c = &r->certificate;
	char text[320], a[32], b[32];
	table t = {0};
	table_add(&t, "verdict", "%s", verdict_word(c->verdict));
	table_add(&t, "frames", "%u: %u to %u", r->frames, def->from, def->to);
	table_add(&t, "bodies", "%u", r->bodies);
	table_add(&t, "pairs", "%" PRIu64 " looked at closely, over all frames", c->pairs);
	table_add(&t, "intervals", "%" PRIu64 " proved", c->intervals);
	table_add(&t, "exempt", "%" PRIu64 " pairs of bodies", r->exempt);
	if (r->min_gap_frame == UINT32_MAX)
		table_add(&t, "smallest gap", "nothing came near anything");
	else
		table_add(&t, "smallest gap", "%.6g m at a key of frame %u between %s and %s", c->min_gap, r->min_gap_frame,
		          name_of(recording, r->min_gap_pair[0], a), name_of(recording, r->min_gap_pair[1], b));
	table_add(&t, "overlaps", "%" PRIu64, c->overlaps);
	table_add(&t, "passages", "%" PRIu64, c->passages);
	table_add(&t, "rounding bound", "%.3g m: what is within it touches", c->rounding_bound);
	if (r->first_frame != UINT32_MAX) {
		describe_first(recording, r, text, sizeof text);
		table_add(&t, "first", "%s", text);
	}
	table_print(&t, stdout, screen_width(stdout));
	table_free(&t);
}

static int check_recording(const options *o, const source *from, cairn_recording *recording,
                           const cairn_certify_def *range)
{
	cairn_error error = {0};
	cairn_certify_def def = *range;
	cairn_certify_result result;
	progress shown;
	progress_begin(&shown, o->quiet ? PROGRESS_NONE : (progress_mode)o->progress, from->stem, 0, def.to - def.from + 1);
	def.progress = show;
	def.context = &shown;
	def.threads = o->threads.given ? o->threads.value : 0;
	stop_listen();
	bool done = cairn_recording_certify(recording, &def, &result, &error);
	progress_end(&shown);
	if (!done && stop_asked() != STATUS_DONE)
		return say_and(stop_asked(), "stopped; nothing is said about %s", from->argument);
	if (!done)
		return say_error(&error);
	if (o->json)
		print_json(recording, &result);
	else if (!o->quiet)
		print_text(recording, &def, &result);
	fflush(stdout);
	if (result.certificate.verdict == CAIRN_CLEAN)
		return STATUS_DONE;
	char text[320];
	describe_first(recording, &result, text, sizeof text);
	return say_and(STATUS_FAILED, "%s is not clean: %s", from->argument, text);
}

static int cmd_certify(const options *o)
{
	source from;
	int result = source_find(&from, o->operands[0]);
	if (result != STATUS_DONE)
		return result;
	if (from.kind != SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "certify takes a recording, and '%s' is a scene; cairn run %s makes one",
		               from.argument, from.argument);
	cairn_recording *recording = source_open(from.argument, &result);
	if (!recording)
		return result;
	cairn_recording_info info = cairn_recording_get_info(recording);
	cairn_certify_def def = cairn_default_certify_def();
	def.allocator = limits_allocator();
	if (info.note[0])
		say("%s: %s", from.argument, info.note);
	result = source_range(o, &info, &def.from, &def.to);
	if (result == STATUS_DONE)
		result = check_recording(o, &from, recording, &def);
	cairn_recording_close(recording);
	return result == STATUS_DONE && info.damaged ? STATUS_FILE : result;
}

static const text_pair examples[] = {
	{"cairn certify cubejam.cairn", "does anything overlap, did anything pass through anything?"},
	{"cairn certify cubejam.cairn --from 100 --to 200", "only these frames, and the motion between them"},
	{"cairn certify cubejam.cairn --json", "the same for scripts"},
	{NULL, NULL},
};

static const text_pair fields[] = {
	{"verdict", "clean, overlap (at a key two bodies overlap) or passage (between keys they cross, or it could not be "
                "proved that they do not)"},
	{"frames, bodies", "how many were looked at"},
	{"pairs", "pairs of bodies that were looked at closely, summed over the frames"},
	{"intervals", "pieces of motion of such pairs that were proved"},
	{"exempt", "pairs of bodies that the promise does not cover: fixed and scripted ones among themselves, filters, "
               "joints"},
	{"min_gap", "the smallest gap at a key, a proved lower bound, m; null if nothing came near anything"},
	{"min_gap_frame, min_gap_pair", "where that was: the frame and the names of the two bodies"},
	{"overlaps, passages", "how many keys of pairs, how many pieces of motion are wrong"},
	{"rounding_bound", "m: gaps within it count as touching"},
	{"first", "the first that is wrong: frame, time in s, pair, depth in m (0 if not known); null if there is none"},
	{"complete", "whether the run that was recorded reached the frames it was asked for"},
	{"damaged", "whether bytes of the file are wrong: then only what comes before them was checked"},
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
	"that shares nothing with the simulation. The exit status is 0 only if all of it is clean, 1 if something overlaps "
	"or passes (docs/certificate.md).",
	examples,
	fields,
	NULL,
	"threads memory time from to progress json quiet"};
