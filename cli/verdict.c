/* See verdict.h. */
#include "verdict.h"
#include "json.h"
#include "screen.h"
#include "table.h"

#include <inttypes.h>
#include <stdio.h>

static const char *verdict_word(const cairn_certify_result *r)
{
	cairn_verdict verdict = r->certificate.verdict;
	if (r->measured)
		return "measured";
	return verdict == CAIRN_CLEAN ? "clean" : verdict == CAIRN_OVERLAP ? "overlap" : "passage";
}

/* A body's name, or its number where it has none. */
static const char *name_of(const verdict_names *names, uint32_t track, char text[32])
{
	const char *name = names->name(names->context, track);
	if (*name)
		return name;
	snprintf(text, 32, "#%u", track);
	return text;
}

static void write_pair(json *j, const verdict_names *names, const char *key, const uint32_t pair[2])
{
	char text[32];
	if (pair[0] == UINT32_MAX) {
		json_null(j, key);
		return;
	}
	json_open(j, key, '[');
	for (int i = 0; i < 2 && pair[i] != UINT32_MAX; ++i)
		json_text(j, NULL, name_of(names, pair[i], text));
	json_close(j, ']');
}

void verdict_print_json(const verdict_names *names, const cairn_certify_result *r, const cairn_recording_info *info)
{
	const cairn_certificate *c = &r->certificate;
	json j = json_begin(stdout, true);
	json_text(&j, "verdict", verdict_word(r));
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
	write_pair(&j, names, "min_gap_pair", r->min_gap_pair);
	json_count(&j, "overlaps", c->overlaps);
	json_count(&j, "passages", c->passages);
	json_number(&j, "rounding_bound", c->rounding_bound);
	json_number(&j, "depth", verdict_depth(r));
	if (r->first_frame == UINT32_MAX) {
		json_null(&j, "first");
	} else {
		json_open(&j, "first", '{');
		json_count(&j, "frame", r->first_frame);
		json_number(&j, "time", r->first_time);
		write_pair(&j, names, "pair", r->first_pair);
		json_number(&j, "depth", r->first_depth);
		json_close(&j, '}');
	}
	if (info) {
		json_bool(&j, "complete", info->complete);
		json_bool(&j, "damaged", info->damaged);
	}
	json_end(&j);
}

double verdict_depth(const cairn_certify_result *r)
{
	return r->certificate.overlaps > 0 && r->certificate.min_gap < 0 ? -r->certificate.min_gap : 0;
}

/* "frame 6, 0.1719 s: ball and wall, 0.01 m deep" */
void verdict_describe(const verdict_names *names, const cairn_certify_result *r, char *text, size_t size)
{
	char a[32], b[32], depth[48] = "";
	const char *first = name_of(names, r->first_pair[0], a);
	if (r->first_depth > 0)
		snprintf(depth, sizeof depth, ", %.3g m deep", r->first_depth);
	if (r->first_pair[1] == UINT32_MAX)
		snprintf(text, size, "frame %u, %.6g s: the keys of %.100s do not lead from one to the next", r->first_frame,
		         r->first_time, first);
	else
		snprintf(text, size, "frame %u, %.6g s: %.100s and %.100s%s", r->first_frame, r->first_time, first,
		         name_of(names, r->first_pair[1], b), depth);
}

void verdict_print_text(const verdict_names *names, const cairn_certify_result *r, uint32_t from, uint32_t to)
{
	const cairn_certificate *c = &r->certificate;
	char text[320], a[32], b[32];
	table t = {0};
	if (r->measured)
		table_add(&t, "verdict", "measured: worst depth %.6g m, overlaps %" PRIu64 ", passages %" PRIu64,
		          verdict_depth(r), c->overlaps, c->passages);
	else
		table_add(&t, "verdict", "%s", verdict_word(r));
	table_add(&t, "frames", "%u: %u to %u", r->frames, from, to);
	table_add(&t, "bodies", "%u", r->bodies);
	table_add(&t, "pairs", "%" PRIu64 " looked at closely, over all frames", c->pairs);
	table_add(&t, "intervals", "%" PRIu64 " proved", c->intervals);
	table_add(&t, "exempt", "%" PRIu64 " pairs of bodies", r->exempt);
	if (r->min_gap_frame == UINT32_MAX)
		table_add(&t, "smallest gap", "nothing came near anything");
	else
		table_add(&t, "smallest gap", "%.6g m at a key of frame %u between %s and %s", c->min_gap, r->min_gap_frame,
		          name_of(names, r->min_gap_pair[0], a), name_of(names, r->min_gap_pair[1], b));
	table_add(&t, "overlaps", "%" PRIu64, c->overlaps);
	table_add(&t, "passages", "%" PRIu64, c->passages);
	table_add(&t, "rounding bound", "%.3g m: what is within it touches", c->rounding_bound);
	if (r->first_frame != UINT32_MAX) {
		verdict_describe(names, r, text, sizeof text);
		table_add(&t, "first", "%s", text);
	}
	table_print(&t, stdout, screen_width(stdout));
	table_free(&t);
}
