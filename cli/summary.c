/* Adds up and prints a run. The energy rise is the largest climb of the summed drift: drift is what is left of a step's
 * change of energy after events, fields, scripts and damping, so what it gains nothing caused. */
#include "summary.h"
#include "json.h"
#include "screen.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void summary_begin(summary *s) { *s = (summary){.worst_gap = INFINITY}; }

static void name_pair(summary *s, const cairn_world *world, const cairn_step_report *report)
{
	cairn_body pair[2] = {report->pair_a, report->pair_b};
	for (int i = 0; i < 2; ++i) {
		free(s->worst_pair[i]);
		s->worst_pair[i] = NULL;
		if (!cairn_world_has_body(world, pair[i]))
			continue;
		const char *name = cairn_world_body_info(world, pair[i]).name;
		s->worst_pair[i] = *name ? text_format("%s", name) : text_format("#%u", pair[i].index);
	}
}

static void add_energy(summary *s, const cairn_energy *e)
{
	double total = e->kinetic + e->potential;
	if (s->steps == 0)
		s->energy_start = total - e->events - e->fields + e->damping - e->drift;
	s->energy_end = total;
	s->drift += e->drift;
	s->drift_least = fmin(s->drift_least, s->drift);
	s->rise = fmax(s->rise, s->drift - s->drift_least);
}

void summary_add(summary *s, const cairn_world *world, const cairn_step_report *report, double write_ms)
{
	add_energy(s, &report->energy);
	if (s->steps == s->capacity) {
		s->capacity = s->capacity ? 2 * s->capacity : 1024;
		s->ms = memory_resize(s->ms, s->capacity * sizeof s->ms[0]);
	}
	s->ms[s->steps++] = report->ms;
	s->write_ms += write_ms;
	for (uint32_t i = 0; i < report->stage_count; ++i) {
		s->stage_names[i] = report->stage_names[i];
		s->stage_ms[i] += report->stage_ms[i];
	}
	if (report->stage_count > s->stage_count)
		s->stage_count = report->stage_count;
	s->bodies = report->bodies;
	s->moving = report->moving;
	s->emitted += report->emitted;
	s->close_pairs += report->close_pairs;
	s->collisions += report->collisions;
	s->contacts += report->contacts;
	s->extra_keys += report->extra_keys;
	for (int i = 0; i < CAIRN_MAX_TIERS; ++i)
		s->tiers[i] += report->tiers[i];
	if (report->close_pairs > s->close_pairs_max)
		s->close_pairs_max = report->close_pairs;
	if (report->contacts > s->contacts_max)
		s->contacts_max = report->contacts;
	if (report->min_gap < s->worst_gap) {
		s->worst_gap = report->min_gap;
		s->worst_gap_frame = report->frame;
		name_pair(s, world, report);
	}
}

void summary_free(summary *s)
{
	free(s->ms);
	free(s->worst_pair[0]);
	free(s->worst_pair[1]);
}

typedef struct times {
	double total, mean, p95, most;
} times;

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The 95th percentile is the smallest time that 95 % of the steps did not exceed. */
static times find_times(const summary *s)
{
	times t = {0};
	if (s->steps == 0)
		return t;
	double *sorted = memory_resize(NULL, s->steps * sizeof sorted[0]);
	memcpy(sorted, s->ms, s->steps * sizeof sorted[0]);
	qsort(sorted, s->steps, sizeof sorted[0], compare_doubles);
	for (size_t i = 0; i < s->steps; ++i)
		t.total += sorted[i];
	t.mean = t.total / (double)s->steps;
	t.p95 = sorted[(95 * s->steps + 99) / 100 - 1];
	t.most = sorted[s->steps - 1];
	free(sorted);
	return t;
}

static double per_step(const summary *s, double sum) { return s->steps ? sum / (double)s->steps : 0; }

static void add_time_rows(const summary *s, table *t)
{
	times ms = find_times(s);
	char stages[512] = "";
	table_add(t, "ms a frame", "%.3f mean, %.3f p95, %.3f max", ms.mean, ms.p95, ms.most);
	for (uint32_t i = 0; i < s->stage_count; ++i) {
		size_t used = strlen(stages);
		double share = ms.total > 0 ? 100 * s->stage_ms[i] / ms.total : 0;
		if (share >= 0.5)
			snprintf(stages + used, sizeof stages - used, "%s%s %.0f %%", used ? ", " : "", s->stage_names[i], share);
	}
	if (stages[0])
		table_add(t, "time by stage", "%s", stages);
	table_add(t, "recording", "%.3f ms a frame", per_step(s, s->write_ms));
}

static void add_count_rows(const summary *s, table *t)
{
	table_add(t, "close pairs", "%.1f a frame, %u at most", per_step(s, (double)s->close_pairs), s->close_pairs_max);
	table_add(t, "collisions", "%" PRIu64, s->collisions);
	table_add(t, "contacts", "%.1f a frame, %u at most", per_step(s, (double)s->contacts), s->contacts_max);
	table_add(t, "extra keys", "%" PRIu64, s->extra_keys);
	if (!isfinite(s->worst_gap))
		table_add(t, "smallest gap", "not measured");
	else if (s->worst_pair[0] && s->worst_pair[1])
		table_add(t, "smallest gap", "%.3g m at frame %u between %s and %s", s->worst_gap, s->worst_gap_frame,
		          s->worst_pair[0], s->worst_pair[1]);
	else
		table_add(t, "smallest gap", "%.3g m at frame %u", s->worst_gap, s->worst_gap_frame);
}

static void add_energy_rows(const summary *s, const outcome *o, table *t)
{
	table_add(t, "energy", "%.6g J at the start, %.6g J at the end", s->energy_start, s->energy_end);
	if (o->energy_unit > 0)
		table_add(t, "largest rise", "%.2g units without cause (a unit is %.4g J)", s->rise / o->energy_unit,
		          o->energy_unit);
	else
		table_add(t, "largest rise", "%.2g J without cause", s->rise);
}

static void print_next(const outcome *o, FILE *out, int width)
{
	char *name = text_shell(o->file), *glb;
	size_t size = strlen(o->file);
	if (size > 6 && strcmp(o->file + size - 6, ".cairn") == 0)
		size -= 6;
	char *plain = text_format("%.*s.glb", (int)size, o->file);
	glb = text_shell(plain);
	table next = {0};
	char *export = text_format("cairn export %s -o %s", name, glb), *info = text_format("cairn info %s", name);
	char *resume = text_format("cairn run %s --resume", name), *again = text_format("cairn run %s", name);
	if (!o->info.complete && !o->differs && strcmp(o->status, "failed") != 0)
		table_add(&next, resume, "go on to frame %u", o->total);
	table_add(&next, export, "look at it in Blender or a browser");
	table_add(&next, info, "what is in the recording");
	if (o->info.complete && !o->compared)
		table_add(&next, again, "run it again and compare the bits");
	fputs("\nNext\n", out);
	table_print(&next, out, width);
	table_free(&next);
	free(name), free(plain), free(glb), free(export), free(info), free(resume), free(again);
}

void summary_print(const summary *s, const outcome *o, FILE *out)
{
	table t = {0};
	char size[32];
	int width = screen_width(out);
	bool colors = screen_has_colors(out);
	double played = (double)s->steps / o->fps;
	fprintf(out, "%s%s%s: %s at frame %u of %u\n", colors ? "\033[1m" : "", o->scene, colors ? "\033[0m" : "",
	        o->status, o->has_info ? o->info.last_frame : 0, o->total);
	if (s->steps > 0) {
		table_add(&t, "bodies", "%u, %u of them moving", s->bodies, s->moving);
		table_add(&t, "frames", "%zu at %g fps with method %s: %.3g s of motion in %.3g s", s->steps, o->fps, o->method,
		          played, o->wall);
		add_time_rows(s, &t);
		add_count_rows(s, &t);
		add_energy_rows(s, o, &t);
	}
	if (o->compared && o->differs)
		table_add(&t, "bits", "not those of %s, from frame %u on", o->compared, o->first_difference);
	else if (o->compared)
		table_add(&t, "bits", "same bits as %s in frames %u to %u%s", o->compared, o->compared_first, o->compared_last,
		          o->compared_last < o->source_last ? ", not compared beyond" : "");
	if (o->has_info) {
		text_size(o->info.size, size);
		table_add(&t, "hash", "%016" PRIx64, o->info.hash);
		table_add(&t, "file", "%s, %s", o->file, size);
	}
	table_print(&t, out, width);
	table_free(&t);
	if (o->has_info)
		print_next(o, out, width);
}

static void write_counts(const summary *s, json *j)
{
	json_count(j, "moving", s->moving);
	json_count(j, "emitted", s->emitted);
	json_number(j, "close_pairs_mean", per_step(s, (double)s->close_pairs));
	json_count(j, "close_pairs_max", s->close_pairs_max);
	json_count(j, "collisions", s->collisions);
	json_number(j, "contacts_mean", per_step(s, (double)s->contacts));
	json_count(j, "contacts_max", s->contacts_max);
	json_count(j, "extra_keys", s->extra_keys);
	json_number(j, "worst_gap", s->worst_gap);
	if (isfinite(s->worst_gap)) {
		json_count(j, "worst_gap_frame", s->worst_gap_frame);
		json_open(j, "worst_gap_pair", '[');
		json_text(j, NULL, s->worst_pair[0]);
		json_text(j, NULL, s->worst_pair[1]);
		json_close(j, ']');
	} else {
		json_null(j, "worst_gap_frame");
		json_null(j, "worst_gap_pair");
	}
	json_open(j, "tiers", '[');
	for (int i = 0; i < CAIRN_MAX_TIERS; ++i)
		json_count(j, NULL, s->tiers[i]);
	json_close(j, ']');
	json_count(j, "held", s->tiers[CAIRN_MAX_TIERS - 1]);
}

static void write_measures(const summary *s, const outcome *o, json *j)
{
	times ms = find_times(s);
	json_number(j, "energy_start", s->energy_start);
	json_number(j, "energy_end", s->energy_end);
	json_number(j, "energy_unit", o->energy_unit);
	json_number(j, "energy_rise", o->energy_unit > 0 ? s->rise / o->energy_unit : s->rise > 0 ? INFINITY : 0);
	json_number(j, "ms_mean", ms.mean);
	json_number(j, "ms_p95", ms.p95);
	json_number(j, "ms_max", ms.most);
	json_number(j, "ms_write", per_step(s, s->write_ms));
	json_open(j, "stages", '{');
	for (uint32_t i = 0; i < s->stage_count; ++i)
		json_number(j, s->stage_names[i], per_step(s, s->stage_ms[i]));
	json_close(j, '}');
	json_number(j, "wall_s", o->wall);
}

void summary_print_json(const summary *s, const outcome *o, FILE *out)
{
	json j = json_begin(out, true);
	json_text(&j, "scene", o->scene);
	json_text(&j, "file", o->file);
	json_text(&j, "method", o->method);
	json_count(&j, "threads", o->threads);
	json_text(&j, "status", o->status);
	json_text(&j, "message", o->message);
	json_count(&j, "frames", o->info.last_frame);
	json_count(&j, "frames_run", s->steps);
	json_bool(&j, "complete", o->info.complete);
	json_number(&j, "fps", o->fps);
	json_count(&j, "bodies", o->info.bodies);
	write_counts(s, &j);
	write_measures(s, o, &j);
	if (o->has_info)
		json_hash(&j, "hash", o->info.hash);
	else
		json_null(&j, "hash");
	json_count(&j, "size_bytes", o->info.size);
	json_text(&j, "same_as", o->differs ? NULL : o->compared);
	if (o->compared)
		json_count(&j, "compared_frames", o->compared_last - o->compared_first + 1);
	else
		json_null(&j, "compared_frames");
	if (o->differs)
		json_count(&j, "first_difference", o->first_difference);
	else
		json_null(&j, "first_difference");
	json_end(&j);
}
