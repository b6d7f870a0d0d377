/* One method on the scene. */
#include "compare.h"
#include "cost.h"
#include "limit.h"
#include "measure.h"
#include "progress.h"
#include "stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A run under way. */
typedef struct trip {
	compare *c;
	compare_column *column;
	cairn_world *world;
	cairn_recording *output; /* NULL: a trial */
	double *size;            /* of each shape, m */
	double *thickness;
	uint32_t total;      /* its own frames */
	double ms;           /* in all */
	double depth, share; /* worst so far */
	double share_thin;
} trip;

static void give_reason(compare_column *column, compare_end end, const char *text)
{
	column->end = end;
	snprintf(column->reason, sizeof column->reason, "%s", text);
}

/* ---- what the scene is read as */

static bool counts_in_frames(const cairn_scene *scene)
{
	return cairn_scene_event_count(scene) > 0 || cairn_scene_emitter_count(scene) > 0;
}

/* The truth: more frames a second, or more steps in each where something happens at frames that the scene counts. */
static bool make_finer(const compare *c, compare_column *column, cairn_scene *scene, cairn_error *error)
{
	char text[40];
	bool by_steps = counts_in_frames(scene);
	snprintf(text, sizeof text, "%d", COMPARE_TRUTH_STEPS);
	column->finer = by_steps ? 1 : COMPARE_TRUTH_FINER;
	if (by_steps)
		snprintf(column->options, sizeof column->options, "steps=%s", text);
	else
		snprintf(column->options, sizeof column->options, "fps=%g", c->settings.fps * column->finer);
	if (by_steps)
		return cairn_scene_set_option(scene, "steps", text, error);
	snprintf(text, sizeof text, "%.17g", c->settings.fps * column->finer);
	if (!cairn_scene_set_option(scene, "fps", text, error))
		return false;
	snprintf(text, sizeof text, "%u", c->frames * column->finer);
	return cairn_scene_set_option(scene, "frames", text, error);
}

static cairn_scene *read_scene(compare *c, compare_column *column, uint32_t substeps, int *result)
{
	cairn_error error = {0};
	options o = compare_options(c, column, substeps);
	cairn_scene *scene = source_read(&c->from, &o, result, &error);
	free(o.sets.items);
	if (!scene)
		say_error(&error);
	if (scene && cost_check(scene) != STATUS_DONE)
		*result = STATUS_FAILED;
	else if (scene && c->truth >= 0 && column == &c->columns[c->truth] && !make_finer(c, column, scene, &error))
		*result = say_error(&error);
	if (*result == STATUS_DONE)
		return scene;
	cairn_scene_destroy(scene);
	return NULL;
}

/* ---- steps */

static const char *name_of(const cairn_world *world, cairn_body body, char text[100])
{
	cairn_body_info info = cairn_world_body_info(world, body);
	if (*info.name)
		snprintf(text, 100, "%.90s", info.name);
	else
		snprintf(text, 100, "number %u", info.serial);
	return text;
}

/* How deep the deepest pair is, as a share of the smaller one that moves, by the extents of shapes. */
static double share_of(const trip *t, const cairn_step_report *r, const double *extent)
{
	double least = INFINITY;
	cairn_body pair[2] = {r->deep_a, r->deep_b};
	for (int i = 0; i < 2 && r->depth > 0; ++i) {
		cairn_body_info info = cairn_world_body_info(t->world, pair[i]);
		if (cairn_world_has_body(t->world, pair[i]) && info.type == CAIRN_DYNAMIC)
			least = fmin(least, extent[info.shape.index]);
	}
	if (!(r->depth > 0))
		return 0;
	return isfinite(least) && least > 0 ? r->depth / least : INFINITY;
}

/* The measure's own time does not count: it is ours, not the method's. */
static double method_ms(const compare_column *column, const cairn_step_report *r)
{
	double ms = r->ms;
	for (uint32_t i = 0; i < r->stage_count && !column->guaranteed; ++i)
		if (strcmp(r->stage_names[i], "certify") == 0)
			ms -= r->stage_ms[i];
	return ms;
}

/* The deepest pair of a frame, as a share; NaN: it was not looked at. */
static double take_depth(trip *t, uint32_t frame, const cairn_step_report *r)
{
	compare_column *column = t->column;
	char a[100], b[100];
	if (r->certificate.verdict == CAIRN_UNCHECKED) {
		t->share = t->share_thin = t->depth = NAN;
		return NAN;
	}
	double share = share_of(t, r, t->size);
	t->share_thin = fmax(t->share_thin, share_of(t, r, t->thickness));
	if (!(share > t->share))
		return share;
	t->share = share, t->depth = r->depth;
	column->depth_frame = frame;
	if (share > 0)
		snprintf(column->depth_pair, sizeof column->depth_pair, "%s and %s", name_of(t->world, r->deep_a, a),
		         name_of(t->world, r->deep_b, b));
	return share;
}

/* The series have a number for each frame of the scene: times of finer frames are added up, the rest is of the last. */
static void take_series(trip *t, const cairn_step_report *r, double ms, double share)
{
	compare_column *column = t->column;
	size_t at = (r->frame - 1) / column->finer;
	if (at >= t->c->frames)
		return;
	double **s = column->series;
	s[SERIES_FRAME][at] = (double)at + 1;
	s[SERIES_MS][at] = ms + ((r->frame - 1) % column->finer ? s[SERIES_MS][at] : 0);
	s[SERIES_ENERGY][at] = r->energy.kinetic + r->energy.potential;
	s[SERIES_CONTACTS][at] = r->contacts;
	s[SERIES_DEPTH][at] = share > 0 ? share : NAN; /* nothing is drawn where nothing overlaps */
	s[SERIES_DISTANCE][at] = NAN;
	if (r->frame % column->finer == 0)
		column->frames = (uint32_t)at + 1;
}

/* False: it goes no further. */
static bool take_step(trip *t)
{
	compare_column *column = t->column;
	cairn_error error = {0};
	cairn_step_report r = cairn_world_step(t->world);
	char why[600];
	if (r.status != CAIRN_STEP_OK) {
		if (r.status == CAIRN_STEP_MEMORY)
			limits_explain(why, sizeof why);
		else
			cairn_world_explain(t->world, &r, why, sizeof why);
		give_reason(column, COMPARE_ENDED, why);
		if (t->output)
			summary_stop(&column->sum, t->world, &r);
		return false;
	}
	double ms = method_ms(column, &r);
	t->ms += ms;
	double share = take_depth(t, (r.frame + column->finer - 1) / column->finer, &r);
	if (!t->output)
		return true;
	if (!cairn_recording_append(t->output, t->world, &r, &error)) {
		cairn_error_print(&error, why, sizeof why);
		give_reason(column, COMPARE_ENDED, why);
		return false;
	}
	summary_add(&column->sum, t->world, &r, 0);
	take_series(t, &r, ms, share);
	return true;
}

static void drive(trip *t, const char *label)
{
	const options *o = t->c->o;
	progress shown;
	progress_begin(&shown, o->quiet ? PROGRESS_NONE : (progress_mode)o->progress, label, 0, t->total);
	for (uint32_t frame = 0; frame < t->total && stop_asked() == STATUS_DONE && take_step(t);)
		progress_frame(&shown, ++frame, NULL);
	progress_end(&shown);
}

/* ---- a column */

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void sum_times(compare_column *column)
{
	if (column->frames == 0)
		return;
	double *ms = memory_resize(NULL, column->frames * sizeof *ms), sum = 0;
	memcpy(ms, column->series[SERIES_MS], column->frames * sizeof *ms);
	for (uint32_t i = 0; i < column->frames; ++i)
		sum += ms[i];
	qsort(ms, column->frames, sizeof *ms, compare_numbers);
	column->ms_mean = sum / column->frames;
	column->ms_p95 = ms[(size_t)((column->frames - 1) * 0.95)];
	free(ms);
}

static void make_series(const compare *c, compare_column *column)
{
	for (int i = 0; i < SERIES_COUNT; ++i) {
		column->series[i] = memory_resize(NULL, (c->frames + 1) * sizeof(double));
		memset(column->series[i], 0, (c->frames + 1) * sizeof(double));
	}
}

/* The world and, if it is no trial, the recording. A method that cannot do the scene gives its reason. */
static int prepare(trip *t, uint32_t substeps, bool record)
{
	compare *c = t->c;
	cairn_error error = {0};
	int result = STATUS_DONE;
	char why[700];
	cairn_scene *scene = read_scene(c, t->column, substeps, &result);
	if (!scene)
		return result;
	cairn_world_def def = {.allocator = limits_allocator(), .threads = c->threads};
	t->world = cairn_world_create(scene, &def, &error);
	t->total = c->frames * t->column->finer;
	t->size = measure_size(scene);
	t->thickness = measure_thickness(scene);
	cairn_scene_destroy(scene);
	if (t->world && record) {
		cairn_recording_def how = cairn_default_recording_def();
		how.allocator = limits_allocator();
		how.checkpoint_every = 0;
		t->column->file = text_format("%s/%s.cairn", c->folder, t->column->label);
		t->output = cairn_recording_create(t->column->file, t->world, &how, &error);
		if (!t->output)
			return say_error(&error);
	}
	if (!t->world) {
		source_blame(&c->from, &error);
		cairn_error_print(&error, why, sizeof why);
		give_reason(t->column, COMPARE_REFUSED, why);
	}
	return STATUS_DONE;
}

static void end_trip(trip *t)
{
	cairn_recording_close(t->output);
	cairn_world_destroy(t->world);
	free(t->size);
	free(t->thickness);
}

int compare_check(compare *c, compare_column *column)
{
	int result = STATUS_DONE;
	cairn_scene_destroy(read_scene(c, column, 0, &result));
	return result;
}

int compare_run(compare *c, compare_column *column)
{
	trip t = {.c = c, .column = column, .share = -1};
	column->depth = column->share = column->share_thin = NAN;
	make_series(c, column);
	int result = prepare(&t, 0, true);
	if (result == STATUS_DONE && t.world) {
		c->threads = cairn_world_threads(t.world);
		summary_begin(&column->sum, t.world);
		drive(&t, column->label);
		column->energy_unit = measure_energy_unit(t.world, column->sum.energy.kinetic_start);
		column->depth = t.depth, column->share = t.share < 0 ? NAN : t.share;
		column->share_thin = t.share < 0 ? NAN : t.share_thin;
		column->hash = cairn_recording_get_info(t.output).hash;
		sum_times(column);
	}
	end_trip(&t);
	return result;
}

int compare_try(compare *c, compare_column *column, uint32_t substeps)
{
	compare_column tried = {.method = column->method, .guaranteed = column->guaranteed, .finer = 1};
	char label[64];
	memcpy(tried.label, column->label, sizeof tried.label);
	snprintf(label, sizeof label, "%s, %u step%s", column->label, substeps, substeps == 1 ? "" : "s");
	trip t = {.c = c, .column = &tried, .share = -1};
	int result = prepare(&t, substeps, false);
	if (result == STATUS_DONE && t.world)
		drive(&t, label);
	if (result == STATUS_DONE)
		column->trials[column->trial_count++] = (compare_trial){.substeps = substeps,
		                                                        .share = t.share < 0 ? NAN : t.share,
		                                                        .ms = t.total ? t.ms / t.total : 0,
		                                                        .ended = tried.end != COMPARE_DONE};
	end_trip(&t);
	return result;
}
