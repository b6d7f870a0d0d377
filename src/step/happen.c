/* What the scene says happens: events at frames, and bodies that emitters bring. */
#include "base/hash.h"
#include "step/reach.h"
#include "step/stages.h"

#include <stdio.h>

static double total_energy(cairn_world *w)
{
	double kinetic, potential;
	cn_world_measure(w, &kinetic, &potential);
	return kinetic + potential;
}

/* Events act on the poses of the frame, before its forces. One for a body that has been removed is passed over. */
void cn_events_apply(cairn_world *w, cn_frame *f)
{
	double before = w->kinetic + w->potential; /* as the last step left it: inputs since then count as events */
	bool changed = w->touched;
	for (uint32_t i = 0; i < w->scene->event_count && w->scene->events[i].frame <= w->frame; ++i)
		if (w->scene->events[i].frame == w->frame)
			changed |= cn_world_apply(w, &w->scene->events[i], NULL);
	if (changed)
		f->events = total_energy(w) - before;
}

static v3 draw(uint64_t *random, v3 most)
{
	double x = cn_random_signed(random), y = cn_random_signed(random), z = cn_random_signed(random);
	return v3_make(x * most.x, y * most.y, z * most.z);
}

static cairn_body_def shake(const cairn_body_def *def, const cairn_jitter *jitter, uint64_t *random)
{
	cairn_body_def d = *def;
	v3 position = draw(random, jitter->position), rotation = draw(random, jitter->rotation);
	v3 velocity = draw(random, jitter->velocity), spin = draw(random, jitter->spin);
	d.pose.position = v3_add(d.pose.position, position);
	d.pose.orientation = q_unit(q_mul(q_exp(rotation), d.pose.orientation));
	if (d.type == CAIRN_DYNAMIC) {
		d.velocity = v3_add(d.velocity, velocity);
		d.spin = v3_add(d.spin, spin);
	}
	return d;
}

/* Some body stands in the way of one that would appear. */
static bool occupied(const cairn_world *w, const cairn_body_def *d)
{
	pose at = d->type == CAIRN_SCRIPTED ? cn_script_pose(d->keys, d->key_count, cairn_world_time(w)) : d->pose;
	for (uint32_t i = 0; i < w->slots; ++i) {
		const cn_body *b = &w->bodies[i];
		v3 n;
		if (!b->alive || !(b->group & d->mask) || !(d->group & b->mask))
			continue;
		pose there = {v3_sub(w->motion[i].x, q_rotate(w->motion[i].q, b->center)), w->motion[i].q};
		if (!(cn_reach_gap(w->scene, d->shape.index, at, b->shape, there, &n) > 0))
			return true;
	}
	return false;
}

static bool insert(cairn_world *w, const char *name, cn_emission *state, cairn_body_def d)
{
	char text[256];
	do
		snprintf(text, sizeof text, "%s.%u", name, state->bodies++);
	while (cn_names_find(&w->names, text)); /* an input may have taken the name */
	d.name = text;
	return cn_world_insert(w, &d, NULL).generation != 0;
}

/* One batch of one emitter, if it is due and there is room. */
static bool emit_batch(cairn_world *w, uint32_t emitter, cn_frame *f)
{
	const cairn_emitter_def *e = &w->scene->emitters[emitter];
	cn_emission *state = &w->emissions[emitter];
	if (state->batches >= e->batches || w->frame < state->next)
		return true;
	uint64_t random = state->random; /* drawn again while it waits: the same batch */
	for (uint32_t i = 0; i < e->body_count; ++i) {
		cairn_body_def d = shake(&e->bodies[i], &e->jitter, &random);
		if (occupied(w, &d)) {
			++f->report.waiting;
			return true;
		}
	}
	if (!cn_world_reserve(w, e->body_count))
		return false;
	for (uint32_t i = 0; i < e->body_count; ++i) {
		cairn_body_def d = shake(&e->bodies[i], &e->jitter, &state->random);
		if (!insert(w, e->name, state, d))
			return false;
		++f->report.emitted;
	}
	++state->batches;
	state->next = w->frame + e->every;
	return true;
}

bool cn_emit(cairn_world *w, cn_frame *f)
{
	double before = w->kinetic + w->potential;
	for (uint32_t i = 0; i < w->scene->emitter_count; ++i) {
		if (!emit_batch(w, i, f)) {
			f->report.status = CAIRN_STEP_MEMORY;
			return false;
		}
	}
	if (f->report.emitted) {
		cn_world_measure(w, &w->kinetic, &w->potential);
		f->events += w->kinetic + w->potential - before;
	}
	return true;
}
