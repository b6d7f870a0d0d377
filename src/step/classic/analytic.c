/* Forces that keep resting bodies apart (RBS 3.4, eq. 15 to 18; PBA resting contact; OBA 4.2.2).
 *
 *   a = M f + b,   f >= 0,   a >= c,   f (a - c) = 0
 *
 * a_i is how the gap at point i accelerates, b_i that without contact forces: gravity and fields of bodies that can move (errata
 * 23), free turning, and the terms of velocity (curve.c). In the text c is 0. A point that separates slowly, or is a little apart,
 * may come down in the substep, just so that it touches at its end: c = -2 (gap + v dt) / dt^2; one that still approaches by less
 * than an impact is stopped at its end: c = -v / dt. So no force acts where
 * bodies part, nothing is lifted, and points that hover by rounding or by the error of the last substep close again.
 *
 * Forces are accelerations over the whole flight, not impulses at its start: at rest they take gravity away, where
 * an impulse at the start would lift by g dt^2 / 2. */
#include "step/classic/classic.h"
#include "step/motion/forces.h"
#include "step/motion/rotate.h"

#include <string.h>

#define CN_ANALYTIC_MOMENT 1e-2 /* of a substep: what meets within it has met; a heap would chatter without end */

/* ---- impulses */

/* An approach that leads no deeper than half of what touches in a substep is stopped by forces. */
static double creep(const cairn_world *w) { return 0.5 * cn_impulse_touch(w) / cn_impulse_micro(w); }

static bool any_meet(const cairn_world *w)
{
	const cn_classic *k = w->context->classic;
	double touch = cn_impulse_touch(w), slowest = creep(w);
	bool any = false;
	for (uint32_t i = 0; i < k->point_count && !any; ++i) {
		double approach = -v3_dot(cn_classic_approach(w, &k->points[i]), k->points[i].n);
		any = cn_classic_met(w, &k->points[i], approach, touch) && approach > slowest;
	}
	return any;
}

bool cn_analytic_strike(cairn_world *w, cn_frame *f)
{
	uint32_t hits = f->report.collisions;
	double rest = w->dt, touch = cn_impulse_touch(w);
	w->context->classic->hold.on = false, w->context->classic->hold.moment = CN_ANALYTIC_MOMENT * cn_impulse_micro(w);
	w->dt = cn_impulse_micro(w); /* what gravity brings in a substep is no impact */
	if (!any_meet(w)) {
		w->dt = rest;
		return true;
	}
	bool series = w->scene->options.impacts != 0;
	bool ok = series ? cn_classic_collide(w, f, touch) : cn_simultaneous_strike(w, f, touch, CN_COMPLEMENT_EXACT);
	w->dt = rest;
	return ok && (f->report.collisions == hits || cn_classic_contacts(w, f));
}

/* ---- what would happen without contact forces */

/* Accelerations by gravity, fields and free turning, over a substep. */
static void fill_free(cairn_world *w, cn_twist *free)
{
	cairn_energy unbooked = {0};
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_rotor *r = &w->rotors[slot];
		const cn_motion *m = &w->motion[slot];
		free[slot] = (cn_twist){v3_zero(), v3_zero()};
		if (!r->active)
			continue;
		cn_forces_body(w, slot, &unbooked);
		v3 spin = cn_spin(r, m->q, m->l), torque = v3_scale(v3_sub(w->next[slot].l, m->l), 1 / w->dt);
		free[slot].v = v3_scale(v3_sub(w->next[slot].v, m->v), 1 / w->dt);
		free[slot].w = cn_spin(r, m->q, v3_sub(torque, v3_cross(spin, m->l)));
	}
}

/* Which points may bear a force, and b - c of each. */
static uint32_t fill(cairn_world *w, const cn_twist *free, double *q)
{
	cn_classic *k = w->context->classic;
	double touch = cn_impulse_touch(w), slab = cn_classic_touch(w), dt = w->dt;
	double slow = CN_COLLIDE_STILL * v3_length(w->scene->settings.gravity) * dt, met = slow * k->hold.moment;
	slab = met > slab ? met : slab;
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->point_count; ++i) {
		cn_classic_point *p = &k->points[i];
		double apart = v3_dot(cn_classic_approach(w, p), p->n), gap = p->gap > 0 ? p->gap : 0;
		p->impulse = v3_zero(), p->sliding = false;
		k->hold.held[i] = p->gap <= touch ? apart <= slow : p->gap <= slab && apart >= 0 && apart <= slow;
		if (!k->hold.held[i])
			continue;
		v3 ends[2] = {v3_add(free[p->a].v, v3_cross(free[p->a].w, p->ra)),
		              v3_add(free[p->b].v, v3_cross(free[p->b].w, p->rb))};
		q[i] = v3_dot(p->n, v3_sub(ends[1], ends[0])) + cn_classic_curve(w, p);
		q[i] += apart > 0 || gap > 0 ? 2 * (gap + apart * dt) / (dt * dt) : apart / dt;
		++count;
	}
	return count;
}

/* ---- forces */

static void add_push(const cairn_world *w, uint32_t slot, v3 r, v3 force)
{
	cn_classic_push *p = &w->context->classic->hold.pushes[slot];
	if (!w->rotors[slot].active)
		return;
	p->acceleration = v3_madd(p->acceleration, force, w->rotors[slot].inv_mass);
	p->torque = v3_add(p->torque, v3_cross(r, force));
}

static bool hold(cairn_world *w, cn_frame *f, cn_twist *free, double *q)
{
	cn_classic *k = w->context->classic;
	fill_free(w, free);
	f->report.contacts = fill(w, free, q);
	cn_complement_way way = w->scene->options.vanishing ? CN_COMPLEMENT_GUESS : CN_COMPLEMENT_EXACT;
	if (!cn_classic_complement(w, f, &(cn_complement){k->hold.held, q, k->hold.forces, way}))
		return false;
	memset(k->hold.pushes, 0, w->slots * sizeof *k->hold.pushes);
	for (uint32_t i = 0; i < k->point_count; ++i) {
		const cn_classic_point *p = &k->points[i];
		v3 force = v3_scale(p->n, k->hold.forces[i]);
		if (k->hold.forces[i] > 0)
			add_push(w, p->a, p->ra, v3_neg(force)), add_push(w, p->b, p->rb, force);
	}
	k->hold.on = true;
	return true;
}

bool cn_analytic_hold(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context->classic;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	cn_twist *free = cn_arena_take(arena, w->slots + 1, sizeof *free);
	double *q = cn_arena_take(arena, k->point_count + 1, sizeof *q), rest = w->dt;
	bool ok = free && q && CN_ROOM(k->hold.pushes, w->slots + 1) && CN_ROOM(k->hold.forces, k->point_count + 1) &&
	          CN_ROOM(k->hold.held, k->point_count + 1);
	w->dt = cn_impulse_micro(w);
	ok = ok && hold(w, f, free, q);
	w->dt = rest;
	cn_arena_return(arena, mark);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}

/* Velocity of b's point seen from a's, at the poses of the flight's start, with these motions. */
static v3 seen(const cairn_world *w, const cn_classic_point *p, const cn_motion *motion)
{
	const uint32_t slots[2] = {p->a, p->b};
	v3 ends[2];
	for (int i = 0; i < 2; ++i) {
		uint32_t slot = slots[i];
		cn_twist t =
			w->rotors[slot].active ? cn_twist_of(w, slot, w->motion[slot].q, &motion[slot]) : cn_classic_twist(w, slot);
		ends[i] = v3_add(t.v, v3_cross(t.w, i ? p->rb : p->ra));
	}
	return v3_sub(ends[1], ends[0]);
}

/* The work of a force over a flight: gravity has booked as its own what it does over the way that is now gone, so the velocity
 * before is the one without gravity's change. */
bool cn_analytic_push(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context->classic;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	cn_motion *before = cn_arena_take(arena, w->slots + 1, sizeof *before);
	if (!before) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_classic_push *push = &k->hold.pushes[slot];
		cn_motion *to = &w->next[slot];
		before[slot] = *to;
		if (!w->rotors[slot].active)
			continue;
		before[slot].v = v3_madd(to->v, w->scene->settings.gravity, -w->dt);
		to->v = v3_madd(w->motion[slot].v, v3_add(w->scene->settings.gravity, push->acceleration), w->dt);
		to->v = v3_add(to->v, v3_sub(before[slot].v, w->motion[slot].v));
		to->l = v3_madd(to->l, push->torque, w->dt);
	}
	for (uint32_t i = 0; i < k->point_count; ++i) {
		cn_classic_point *p = &k->points[i];
		p->impulse = v3_scale(p->n, k->hold.forces[i] * w->dt);
		if (k->hold.forces[i] > 0)
			cn_classic_book(w, f, p, p->impulse, cn_mean(seen(w, p, before), seen(w, p, w->next)));
	}
	cn_arena_return(arena, mark);
	return true;
}
