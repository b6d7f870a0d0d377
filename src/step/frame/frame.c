/* The frame around a method's stages: clock, report, and the exchange of old and new state; and frames that repeat the last
 * one, which changed nothing. */
#define _POSIX_C_SOURCE 200809L
#include "step/context.h"
#include "step/frame/substeps.h"
#include "step/hooks.h"

#include <string.h>
#include <time.h>

/* A clock that only goes forward. Only reported, never used in a decision. */
static double clock_ms(void)
{
	struct timespec now;
	if (clock_gettime(CLOCK_MONOTONIC, &now) != 0)
		return 0;
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Saves the rest states: a refused step restores them, and a frame that changed nothing is known by them. */
static bool save_rest_state(cairn_world *w, cn_frame *f)
{
	f->saved_rest_state = cn_grow(&w->allocator, (void **)&w->backup.rest_state, &w->backup.rest_state_capacity,
	                              w->slots, sizeof *w->backup.rest_state);
	if (f->saved_rest_state && w->slots)
		memcpy(w->backup.rest_state, w->rest_state, w->slots * sizeof *w->backup.rest_state);
	return f->saved_rest_state;
}

void cn_frame_begin(cairn_world *w, cn_frame *f)
{
	*f = (cn_frame){0};
	f->start = f->mark = clock_ms();
	f->report.frame = w->frame;
	f->report.min_gap = INFINITY;
	f->report.steps = 1;
	++w->log.steps;
	w->log.impacts.count = 0;
	if (!save_rest_state(w, f))
		f->report.status = CAIRN_STEP_MEMORY;
}

void cn_stage(cairn_world *w, cn_frame *f, const char *name, cn_stage_run *run)
{
	assert(f->report.stage_count <= CAIRN_MAX_STAGES);
	if (f->report.status != CAIRN_STEP_OK)
		return;
	bool ok = run(w, f);
	assert(ok == (f->report.status == CAIRN_STEP_OK));
	(void)ok;
	double now = clock_ms();
	uint32_t i = 0; /* times of several substeps add up */
	while (i < f->report.stage_count && strcmp(f->report.stage_names[i], name) != 0)
		++i;
	if (i == f->report.stage_count)
		f->report.stage_names[f->report.stage_count++] = name, f->report.stage_ms[i] = 0;
	f->report.stage_ms[i] += now - f->mark;
	f->mark = now;
}

void cn_step_begin(const cairn_world *w, cn_frame *f)
{
	f->begun.report = f->report, f->begun.events = f->events;
	f->begun.impacts = w->log.impacts.count, f->begun.tries = 0;
}

bool cn_step_again(cairn_world *w, cn_frame *f)
{
	bool again;
	if (f->report.status != CAIRN_STEP_OK)
		return false;
	if (!cn_scripts_again(w, f->begun.tries++, &again))
		f->report.status = CAIRN_STEP_MEMORY;
	if (!again)
		return false;
	cairn_step_report r = f->begun.report;
	r.steps = f->report.steps, r.stage_count = f->report.stage_count; /* times go on */
	memcpy(r.stage_names, f->report.stage_names, sizeof r.stage_names);
	memcpy(r.stage_ms, f->report.stage_ms, sizeof r.stage_ms);
	f->report = r, f->events = f->begun.events;
	w->log.impacts.count = f->begun.impacts;
	return true;
}

/* In place of a stage that is not needed, whose name and time are still reported. */
static bool pass(cairn_world *w, cn_frame *f)
{
	(void)w, (void)f;
	return true;
}

void cn_stage_if(cairn_world *w, cn_frame *f, bool needed, const char *name, cn_stage_run *run)
{
	cn_stage(w, f, name, needed ? run : pass);
}

static bool advance(cairn_world *w, cn_frame *f)
{
	(void)f;
	cn_motion *oldest = w->before;
	w->before = w->motion;
	w->motion = w->next;
	w->next = oldest;
	cn_extra *extras = w->extras;
	uint32_t capacity = w->extra_capacity;
	w->extras = w->next_extras, w->extra_capacity = w->next_extra_capacity, w->extra_count = w->next_extra_count;
	w->next_extras = extras, w->next_extra_capacity = capacity;
	++w->frame;
	cn_pushes_end(w);
	w->energy.touched = false;
	cn_writer consumed = w->log.consumed;
	w->log.consumed = w->log.inputs;
	w->log.inputs = consumed;
	cn_writer_reset(&w->log.inputs);
	cn_world_measure(w, &w->energy.kinetic, &w->energy.potential);
	return true;
}

/* Restores the state of a refused step. Only events and waking have changed it so far. */
static void give_up(cairn_world *w, const cn_frame *f)
{
	cn_substeps_drop(w);
	w->log.impacts.count = 0;
	if (f->saved)
		memcpy(w->motion, w->backup.motion, w->slots * sizeof *w->motion);
	if (f->saved_rest_state)
		memcpy(w->rest_state, w->backup.rest_state, w->slots * sizeof *w->rest_state);
}

/* Something that the state does not tell of acts in a frame: inputs since the last one, the scene's events and emitters. */
static bool comes_from_outside(const cairn_world *w, const cn_writer *inputs, uint32_t frame)
{
	const cairn_scene *scene = w->scene;
	bool any = inputs->size > 0;
	for (uint32_t i = 0; i < scene->event_count; ++i)
		any |= scene->events[i].frame == frame;
	for (uint32_t i = 0; i < scene->emitter_count; ++i)
		any |= w->emissions[i].batches < scene->emitters[i].batches;
	for (uint32_t i = 0; i < scene->joint_count; ++i) {
		const cairn_joint_def *d = &scene->joints[i]; /* the target of its servo may go on */
		any |= d->key_count &&
		       frame <= w->clock.frame + (d->keys[d->key_count - 1].time - w->clock.time) * scene->settings.fps + 1;
	}
	return any;
}

/* Notes a frame that the next one may repeat. */
static void note_repeat(cairn_world *w, const cairn_step_report *r)
{
	cn_repeat *again = &w->context->repeat;
	bool same = w->context->standing.unchanged && !comes_from_outside(w, &w->log.consumed, w->frame - 1);
	again->stamp = same ? w->memory.stamp : 0;
	if (same)
		again->report = *r;
	w->context->standing.unchanged = false;
}

bool cn_frame_repeat(cairn_world *w, cairn_step_report *report)
{
	double start = clock_ms();
	cn_repeat *again = w->context ? &w->context->repeat : NULL;
	if (!again || again->stamp == 0 || again->stamp != w->memory.stamp || w->energy.touched ||
	    comes_from_outside(w, &w->log.inputs, w->frame) || !cn_certify_again(w, &again->report.certificate))
		return false;
	++w->frame, ++again->count;
	*report = again->report;
	report->frame = w->frame;
	report->time = cairn_world_time(w);
	for (uint32_t i = 0; i < report->stage_count; ++i)
		report->stage_ms[i] = 0;
	report->ms = clock_ms() - start;
	return true;
}

cairn_step_report cn_frame_end(cairn_world *w, cn_frame *f)
{
	cairn_step_report *r = &f->report;
	if (r->status == CAIRN_STEP_OK) {
		cn_substeps_end(w);
		cn_stage(w, f, "advance", advance);
		cn_stage_if(w, f, w->scene->emitter_count > 0, "emit",
		            cn_emit); /* memory may run out here; the frame stands, without the batch */
	} else {
		give_up(w, f);
	}
	r->frame = w->frame;
	r->time = cairn_world_time(w);
	r->bodies = w->count.alive;
	r->moving = w->count.moving;
	r->energy.kinetic = w->energy.kinetic, r->energy.potential = w->energy.potential;
	r->energy.events = f->events;
	r->ms = clock_ms() - f->start;
	if (w->context)
		note_repeat(w, r);
	return *r;
}
