/* Events of the scene at their frames, and emitters, which add bodies. */
#include "base/hash.h"
#include "step/stages.h"
#include "world/query.h"

#include <stdio.h>
#include <string.h>

static double total_energy(cairn_world *w)
{
	double kinetic, potential;
	cn_world_measure(w, &kinetic, &potential);
	return kinetic + potential;
}

/* The first event at or after a frame; they are in order. */
static uint32_t first_event(const cairn_scene *scene, uint32_t frame)
{
	uint32_t low = 0, high = scene->event_count;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (scene->events[mid].frame < frame)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Saves the motion, which a refused step restores. */
static bool save(cairn_world *w, cn_frame *f)
{
	if (!cn_grow(&w->allocator, (void **)&w->backup.motion, &w->backup.motion_capacity, w->slots,
	             sizeof *w->backup.motion))
		return false;
	memcpy(w->backup.motion, w->motion, w->slots * sizeof *w->backup.motion);
	f->saved = true;
	return true;
}

/* Events act on the poses of the frame, before its forces. Events for removed bodies are skipped. */
bool cn_events_apply(cairn_world *w, cn_frame *f)
{
	const cairn_scene *scene = w->scene;
	double before =
		w->energy.kinetic + w->energy.potential; /* as the last step left it: inputs since then count as events */
	bool changed = w->energy.touched;
	uint32_t i = first_event(scene, w->frame);
	if (i < scene->event_count && scene->events[i].frame == w->frame && w->slots && !save(w, f)) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	for (; i < scene->event_count && scene->events[i].frame == w->frame; ++i)
		changed |= cn_world_apply(w, &scene->events[i], NULL);
	if (changed)
		f->events = total_energy(w) - before;
	return true;
}

static v3 draw(uint64_t *random, v3 max)
{
	double x = cn_random_signed(random), y = cn_random_signed(random), z = cn_random_signed(random);
	return v3_make(x * max.x, y * max.y, z * max.z);
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

static uint32_t batch_size(const cairn_emitter_def *e) { return e->body_count / e->choices; }

/* Body i of a batch: which one, if there is a choice, and where. */
static cairn_body_def draw_body(const cairn_emitter_def *e, uint32_t i, uint64_t *random)
{
	uint32_t which = 0;
	if (e->choices > 1)
		which = (uint32_t)((cn_random_u64(random) >> 32) * e->choices >> 32);
	return shake(&e->bodies[i * e->choices + which], &e->jitter, random);
}

/* Some body is in the way of the new one. Bodies that never collide with it do not count. */
static bool occupied(const cairn_world *w, const cairn_body_def *d)
{
	pose at = d->type == CAIRN_SCRIPTED ? cn_script_pose(d->keys, d->key_count, cairn_world_time(w)) : d->pose;
	double radius = cn_shape_radius(w->scene->shapes, d->shape.index, v3_zero());
	cn_body filter = {.type = (uint8_t)d->type, .group = d->group, .mask = d->mask};
	for (uint32_t i = 0; i < w->slots; ++i) {
		const cn_body *b = &w->bodies[i];
		cairn_gap gap;
		if (!b->alive || !cn_body_collide(b, &filter))
			continue;
		if (v3_distance(w->motion[i].x, at.position) > radius + b->radius)
			continue;
		pose there = cn_body_frame(b, &w->motion[i]);
		if (cn_shapes_gap(w->scene, d->shape.index, at, b->shape, there, &gap) && !(gap.gap > 0))
			return true;
	}
	return false;
}

static cairn_body insert(cairn_world *w, const char *name, cn_emission *state, cairn_body_def d)
{
	char text[256];
	do
		snprintf(text, sizeof text, "%s.%u", name, state->bodies++);
	while (cn_names_find(&w->names, text)); /* an input may have taken the name */
	d.name = text;
	return cn_world_insert(w, &d, NULL);
}

/* Inserts all bodies of a batch, or none. */
static bool insert_batch(cairn_world *w, const cairn_emitter_def *e, cn_emission *state)
{
	cn_emission before = *state;
	if (!cn_world_reserve(w, batch_size(e)))
		return false;
	uint32_t serials = w->count.serials;
	for (uint32_t i = 0; i < batch_size(e); ++i) {
		cairn_body_def d = draw_body(e, i, &state->random);
		if (insert(w, e->name, state, d).generation)
			continue;
		for (uint32_t slot = 0; slot < w->slots; ++slot) /* memory ran out, which is rare, so a slow search will do */
			if (w->bodies[slot].alive && w->bodies[slot].serial >= serials)
				cn_world_erase(w, slot);
		w->count.serials = serials;
		*state = before;
		return false;
	}
	return true;
}

/* Emits one batch of an emitter if it is due and there is room. */
static bool emit_batch(cairn_world *w, uint32_t emitter, cn_frame *f)
{
	const cairn_emitter_def *e = &w->scene->emitters[emitter];
	cn_emission *state = &w->emissions[emitter];
	if (state->batches >= e->batches || w->frame < state->next)
		return true;
	uint64_t random = state->random; /* a copy: a waiting batch is drawn again in the same way */
	for (uint32_t i = 0; i < batch_size(e); ++i) {
		cairn_body_def d = draw_body(e, i, &random);
		if (occupied(w, &d)) {
			++f->report.waiting;
			return true;
		}
	}
	if (!insert_batch(w, e, state))
		return false;
	f->report.emitted += batch_size(e);
	++state->batches;
	state->next = w->frame + e->every;
	return true;
}

bool cn_emit(cairn_world *w, cn_frame *f)
{
	double before = w->energy.kinetic + w->energy.potential;
	bool ok = true;
	for (uint32_t i = 0; ok && i < w->scene->emitter_count; ++i)
		ok = emit_batch(w, i, f);
	if (f->report.emitted) {
		cn_world_measure(w, &w->energy.kinetic, &w->energy.potential);
		f->events += w->energy.kinetic + w->energy.potential - before;
	}
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
