/* A recording as columns of numbers. */
#include "measure.h"
#include "progress.h"
#include "report.h"
#include "stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEBT_DRAWN = 1e-6; /* of the largest: smaller debts are rounding, or as good as */

/* ---- columns */

static void take_energy(report_run *run, size_t step, const cairn_energy *e)
{
	double **c = run->columns;
	const struct {
		report_column column;
		double now;
	} accounts[] = {{COLUMN_EVENTS, e->events},   {COLUMN_FIELDS, e->fields},     {COLUMN_DAMPING, e->damping},
	                {COLUMN_IMPACTS, e->impacts}, {COLUMN_FRICTION, e->friction}, {COLUMN_POSITION, e->position},
	                {COLUMN_DROPPED, e->dropped}, {COLUMN_DRIFT, e->drift},       {COLUMN_JOINTS, e->joints}};
	for (size_t i = 0; i < sizeof accounts / sizeof accounts[0]; ++i) {
		double *column = c[accounts[i].column];
		column[step] = accounts[i].now + (step ? column[step - 1] : 0);
	}
	c[COLUMN_KINETIC][step] = e->kinetic;
	c[COLUMN_POTENTIAL][step] = e->potential;
	c[COLUMN_TOTAL][step] = e->kinetic + e->potential;
}

/* Stages stand in the columns in the order of the summary, which has met them all by then. */
static void take_stages(report_run *run, size_t step, const cairn_step_report *r)
{
	for (uint32_t s = 0; s < run->sum.stage_count; ++s) {
		double *column = run->columns[COLUMN_STAGE + s];
		column[step] = 0;
		for (uint32_t i = 0; i < r->stage_count; ++i)
			if (strcmp(r->stage_names[i], run->sum.stages[s].name) == 0)
				column[step] += r->stage_ms[i];
	}
}

static void take_report(report_run *run, size_t step, const cairn_step_report *r)
{
	double **c = run->columns;
	c[COLUMN_FRAME][step] = r->frame;
	c[COLUMN_BODIES][step] = r->bodies;
	c[COLUMN_MOVING][step] = r->moving;
	c[COLUMN_ASLEEP][step] = r->asleep;
	c[COLUMN_FROZEN][step] = r->frozen;
	c[COLUMN_CLOSE_PAIRS][step] = r->close_pairs;
	c[COLUMN_COLLISIONS][step] = r->collisions;
	c[COLUMN_CONTACTS][step] = r->contacts;
	c[COLUMN_PROGRAMS][step] = r->programs;
	c[COLUMN_PASSES][step] = r->passes;
	c[COLUMN_TAKEN_BACK][step] = r->taken_back;
	c[COLUMN_GAP][step] = isfinite(r->min_gap) ? r->min_gap : NAN;
	c[COLUMN_DEPTH][step] = r->depth > 0 ? r->depth : NAN;
	c[COLUMN_STEPS][step] = r->steps > 0 ? (double)r->steps : NAN;
	c[COLUMN_DEBT][step] = r->debt;
	c[COLUMN_DEBT_MEAN][step] = r->debt_mean;
	c[COLUMN_JOINT][step] = run->sum.joints ? r->joint_error : NAN;
	c[COLUMN_MS][step] = r->ms;
	for (int i = 0; i < CAIRN_TIER_COUNT; ++i)
		c[COLUMN_TIER + i][step] = r->tiers[i];
	take_energy(run, step, &r->energy);
	take_stages(run, step, r);
}

static void make_columns(report_run *run)
{
	run->steps = run->info.last_frame - run->info.first_frame;
	for (int i = 0; i < COLUMN_COUNT; ++i) {
		run->columns[i] = memory_resize(NULL, (run->steps + 1) * sizeof run->columns[i][0]);
		memset(run->columns[i], 0, (run->steps + 1) * sizeof run->columns[i][0]);
	}
}

/* The slowest steps, slowest first; of two as slow the earlier one. */
static void find_worst(report_run *run)
{
	const double *ms = run->columns[COLUMN_MS];
	for (size_t i = 0; i < run->steps; ++i) {
		uint32_t at = run->worst_count;
		while (at > 0 && ms[i] > ms[run->worst[at - 1]])
			--at;
		if (at == REPORT_WORST)
			continue;
		run->worst_count += run->worst_count < REPORT_WORST;
		memmove(&run->worst[at + 1], &run->worst[at], (run->worst_count - at - 1) * sizeof run->worst[0]);
		run->worst[at] = i;
	}
}

/* Debts that are drawn. On an axis of logarithms rounding would take most of the room. */
static void leave_out_rounding(report_run *run)
{
	const report_column columns[] = {COLUMN_DEBT, COLUMN_DEBT_MEAN};
	for (size_t k = 0; k < sizeof columns / sizeof columns[0]; ++k)
		for (size_t i = 0; i < run->steps; ++i)
			if (!(run->columns[columns[k]][i] > DEBT_DRAWN * run->sum.debt.most.value))
				run->columns[columns[k]][i] = NAN;
}

static bool read_frames(report_run *run, progress *shown, cairn_error *error)
{
	double kinetic, potential;
	cairn_frame frame;
	if (!cairn_recording_read(run->recording, run->info.first_frame, &frame, error))
		return false;
	measure_recorded_energy(run->recording, &frame, &kinetic, &potential);
	summary_begin_recorded(&run->sum, cairn_recording_scene(run->recording), kinetic, potential);
	for (size_t step = 0; step < run->steps && stop_asked() == STATUS_DONE; ++step) {
		uint32_t number = run->info.first_frame + 1 + (uint32_t)step;
		if (!cairn_recording_read(run->recording, number, &frame, error))
			return false;
		summary_add_recorded(&run->sum, run->recording, &frame.report);
		take_report(run, step, &frame.report);
		progress_frame(shown, (uint32_t)step + 1, NULL);
	}
	run->energy_unit = measure_recorded_unit(run->recording, &frame, kinetic);
	return true;
}

int report_read(report_run *run, const char *path, progress *shown)
{
	source from;
	int result = source_find(&from, path);
	if (result != STATUS_DONE)
		return result;
	if (from.kind != SOURCE_RECORDING)
		return say_and(STATUS_USAGE, "report takes recordings, and '%s' is a scene; cairn run %s makes one", path,
		               path);
	*run = (report_run){.path = path, .label = path};
	memcpy(run->stem, from.stem, sizeof run->stem);
	run->recording = source_open(path, &result);
	if (!run->recording)
		return result;
	run->info = cairn_recording_get_info(run->recording);
	run->settings = cairn_scene_settings(cairn_recording_scene(run->recording));
	if (run->info.note[0])
		say("%s: %s", path, run->info.note);
	cairn_error error = {0};
	make_columns(run);
	shown->total = (uint32_t)run->steps;
	bool done = read_frames(run, shown, &error);
	find_worst(run);
	leave_out_rounding(run);
	return done ? STATUS_DONE : say_error(&error);
}

void report_free(report_run *run)
{
	cairn_recording_close(run->recording);
	summary_free(&run->sum);
	for (int i = 0; i < COLUMN_COUNT; ++i)
		free(run->columns[i]);
	for (uint32_t i = 0; i < run->picture_count; ++i)
		free(run->pictures[i].png);
}

const char *report_track_name(const report_run *run, uint32_t track, char text[32])
{
	const char *name = cairn_recording_track(run->recording, track).info.name;
	if (*name)
		return name;
	snprintf(text, 32, "#%u", track);
	return text;
}
