/* What was found, for people and for scripts. */
#include "compare.h"
#include "json.h"

#include <math.h>
#include <string.h>

static double rise_of(const compare_column *column)
{
	return column->energy_unit > 0 ? column->sum.energy.rise.value / column->energy_unit : NAN;
}

static uint32_t least_substeps(const compare_column *column)
{
	for (uint32_t i = 0; i < column->trial_count; ++i)
		if (!column->trials[i].ended && column->trials[i].share < COMPARE_DEEP)
			return column->trials[i].substeps;
	return 0;
}

static double last_distance(const compare_column *column)
{
	return column->frames ? column->series[SERIES_DISTANCE][column->frames - 1] : NAN;
}

/* ---- text */

static void print_column(const compare *c, const compare_column *column, FILE *out)
{
	char depth[32] = "?", rise[32] = "?", passages[32] = "?";
	if (column->end == COMPARE_REFUSED) {
		print_tame(out, "%-13s cannot do it: %s\n", column->label, column->reason);
		return;
	}
	if (isfinite(column->share))
		snprintf(depth, sizeof depth, "%.3g %%", 100 * column->share);
	if (isfinite(rise_of(column)))
		snprintf(rise, sizeof rise, "%.2g", rise_of(column));
	if (column->sum.certified)
		snprintf(passages, sizeof passages, "%llu", (unsigned long long)column->sum.certificate.passages);
	print_tame(out, "%-13s %8.3g %8.3g %9s %8s %7u %10.4g %8s %4s\n", column->label, column->ms_mean, column->ms_p95,
	           depth, passages, column->escaped, column->sum.energy.end, rise, column->at_rest ? "yes" : "no");
	if (column->end == COMPARE_ENDED)
		print_tame(out, "%-13s ended after frame %u of %u: %s\n", "", column->frames, c->frames, column->reason);
	if (column->sum.text_fallbacks > 0)
		print_tame(out, "%-13s limits and fall-backs: %llu\n", "", (unsigned long long)column->sum.text_fallbacks);
	for (uint32_t i = 0; i < column->answer_count; ++i) {
		const compare_answer *a = &column->answers[i];
		print_tame(out, "%-13s %s %.4g %s: %.4g, %s\n", "", a->what, a->expected, a->unit, a->measured,
		           compare_answer_word(a));
	}
	for (uint32_t i = 0; i < column->trial_count; ++i) {
		const compare_trial *t = &column->trials[i];
		print_tame(out, "%-13s %u step%s: %.3g %% deep, %.3g ms%s\n", "", t->substeps, t->substeps == 1 ? "" : "s",
		           100 * t->share, t->ms, t->ended ? ", ended early" : "");
	}
	if (column->trial_count && least_substeps(column))
		print_tame(out, "%-13s stays under 5 %% from %u step%s on\n", "", least_substeps(column),
		           least_substeps(column) == 1 ? "" : "s");
	else if (column->trial_count)
		print_tame(out, "%-13s stays under 5 %% at none of them\n", "");
	if (c->truth >= 0 && isfinite(last_distance(column)))
		print_tame(out, "%-13s %.3g sizes from the truth at the end\n", "", last_distance(column));
}

void compare_size(const compare *c, char text[COMPARE_SIZE_TEXT])
{
	int used =
		snprintf(text, COMPARE_SIZE_TEXT, "%u bodies, %u frames at %g a second", c->bodies, c->frames, c->settings.fps);
	if (c->threads) /* else nothing ran */
		snprintf(text + used, COMPARE_SIZE_TEXT - (size_t)used, ", %u thread%s", c->threads,
		         c->threads == 1 ? "" : "s");
}

void compare_print(const compare *c, FILE *out)
{
	char size[COMPARE_SIZE_TEXT];
	compare_size(c, size);
	print_tame(out, "%s: %s\n\n", c->from.stem, size);
	print_tame(out, "%-13s %8s %8s %9s %8s %7s %10s %8s %4s\n", "method", "ms mean", "ms p95", "depth", "passages",
	           "escaped", "energy, J", "rise", "rest");
	for (uint32_t i = 0; i < c->count; ++i)
		print_column(c, &c->columns[i], out);
}

/* ---- JSON */

static void write_answers(const compare_column *column, json *j)
{
	json_open(j, "known", '[');
	for (uint32_t i = 0; i < column->answer_count; ++i) {
		const compare_answer *a = &column->answers[i];
		json_open(j, NULL, '{');
		json_text(j, "what", a->what);
		json_text(j, "unit", a->unit);
		json_number(j, "expected", a->expected);
		json_number(j, "measured", a->measured);
		json_text(j, "verdict", compare_answer_word(a));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void write_trials(const compare_column *column, json *j)
{
	if (column->trial_count == 0)
		return;
	json_open(j, "substeps", '[');
	for (uint32_t i = 0; i < column->trial_count; ++i) {
		const compare_trial *t = &column->trials[i];
		json_open(j, NULL, '{');
		json_count(j, "substeps", t->substeps);
		json_number(j, "depth_share", t->share);
		json_number(j, "ms_mean", t->ms);
		json_bool(j, "ended", t->ended);
		json_close(j, '}');
	}
	json_close(j, ']');
	if (least_substeps(column))
		json_count(j, "substeps_least", least_substeps(column));
	else
		json_null(j, "substeps_least");
}

static void write_run(const compare *c, const compare_column *column, json *j)
{
	const summary *s = &column->sum;
	json_count(j, "frames", column->frames);
	json_number(j, "ms_mean", column->ms_mean);
	json_number(j, "ms_p95", column->ms_p95);
	json_text(j, "certificate", summary_verdict(s));
	json_number(j, "depth", column->depth);
	json_number(j, "depth_share", column->share);
	json_number(j, "depth_share_thin", column->share_thin);
	json_text(j, "depth_pair", column->depth > 0 ? column->depth_pair : NULL);
	if (column->depth > 0)
		json_count(j, "depth_frame", column->depth_frame);
	else
		json_null(j, "depth_frame");
	json_number(j, "overlaps", s->certified ? (double)s->certificate.overlaps : NAN);
	json_number(j, "passages", s->certified ? (double)s->certificate.passages : NAN);
	json_count(j, "escaped", column->escaped);
	json_number(j, "energy_start", s->energy.start);
	json_number(j, "energy_end", s->energy.end);
	json_number(j, "energy_unit", column->energy_unit);
	json_number(j, "energy_rise", rise_of(column));
	json_count(j, "energy_rise_frame", (s->energy.rise.frame + column->finer - 1) / column->finer);
	json_bool(j, "at_rest", column->at_rest);
	json_count(j, "text_fallbacks", s->text_fallbacks);
	json_number(j, "contacts_mean", summary_mean(s, (double)s->contacts));
	json_hash(j, "hash", column->hash);
	if (c->truth >= 0)
		json_number(j, "distance", last_distance(column));
	write_answers(column, j);
	write_trials(column, j);
}

static void write_column(const compare *c, const compare_column *column, json *j)
{
	static const char *const ends[] = {"done", "refused", "ended"};
	json_open(j, NULL, '{');
	json_text(j, "label", column->label);
	json_text(j, "method", column->method);
	json_text(j, "options", column->options);
	json_bool(j, "guaranteed", column->guaranteed);
	json_text(j, "status", ends[column->end]);
	json_text(j, "message", column->reason[0] ? column->reason : NULL);
	json_text(j, "stop", column->end == COMPARE_ENDED ? summary_stop_name(column->sum.stop) : NULL);
	if (column->sum.stop_pair[0] && column->sum.stop_pair[1]) {
		json_open(j, "stop_pair", '[');
		json_text(j, NULL, column->sum.stop_pair[0]);
		json_text(j, NULL, column->sum.stop_pair[1]);
		json_close(j, ']');
	} else {
		json_null(j, "stop_pair");
	}
	if (column->end != COMPARE_REFUSED)
		write_run(c, column, j);
	json_close(j, '}');
}

void compare_print_json(const compare *c, const char *page, int code, FILE *out)
{
	json j = json_begin(out, true);
	json_text(&j, "scene", *c->settings.name ? c->settings.name : c->from.stem);
	json_count(&j, "code", (uint64_t)code);
	json_count(&j, "frames", c->frames);
	json_number(&j, "fps", c->settings.fps);
	json_count(&j, "bodies", c->bodies);
	json_count(&j, "threads", c->threads);
	json_text(&j, "page", page);
	json_text(&j, "film", c->film);
	json_open(&j, "columns", '[');
	for (uint32_t i = 0; i < c->count; ++i)
		write_column(c, &c->columns[i], &j);
	json_close(&j, ']');
	json_end(&j);
}
