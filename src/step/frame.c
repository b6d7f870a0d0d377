/* The frame around a method's stages: clock, report, and the exchange of the old state for the new. */
#include "step/stages.h"

#include <string.h>
#include <time.h>

/* Only ever reported, never used in a decision. */
static double clock_ms(void)
{
	struct timespec now;
	if (timespec_get(&now, TIME_UTC) != TIME_UTC)
		return 0;
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

void cn_frame_begin(cairn_world *w, cn_frame *f)
{
	*f = (cn_frame){0};
	f->start = f->mark = clock_ms();
	f->report.frame = w->frame;
	f->report.min_gap = INFINITY;
}

void cn_frame_stage(cn_frame *f, const char *name)
{
	double now = clock_ms();
	assert(f->report.stage_count < CAIRN_MAX_STAGES);
	f->report.stage_names[f->report.stage_count] = name;
	f->report.stage_ms[f->report.stage_count++] = now - f->mark;
	f->mark = now;
}

static void advance(cairn_world *w, cn_frame *f)
{
	cairn_energy *e = &f->report.energy;
	double before = w->kinetic + w->potential;
	cn_motion *old = w->motion;
	w->motion = w->before;
	w->before = old;
	w->extra_count = f->report.extra_keys;
	++w->frame;
	w->touched = false;
	cn_writer consumed = w->consumed;
	w->consumed = w->inputs;
	w->inputs = consumed;
	cn_writer_reset(&w->inputs);
	w->kinetic = e->kinetic, w->potential = e->potential;
	e->drift = e->kinetic + e->potential - before - f->events - e->fields + e->damping;
}

/* The frame's keys are gone, its state is not. */
static void give_up(cairn_world *w)
{
	if (w->slots)
		memcpy(w->before, w->motion, w->slots * sizeof *w->motion);
	w->extra_count = 0;
}

cairn_step_report cn_frame_end(cairn_world *w, cn_frame *f)
{
	cairn_step_report *r = &f->report;
	if (r->status == CAIRN_STEP_OK) {
		advance(w, f);
		cn_frame_stage(f, "finish");
		cn_emit(w, f); /* memory may run out here: the frame stands, the batch does not */
		cn_frame_stage(f, "emit");
	} else {
		give_up(w);
	}
	r->frame = w->frame;
	r->time = cairn_world_time(w);
	r->bodies = w->alive;
	r->moving = w->moving;
	r->energy.kinetic = w->kinetic, r->energy.potential = w->potential;
	r->energy.events = f->events;
	r->ms = clock_ms() - f->start;
	return *r;
}
