/* The impulse method (RBS 3.3, PBA 7.4.2, OBA 5.4): every body flies until the first two meet, they exchange an impulse, and all
 * fly on.
 *
 * When two meet is found over proved intervals (geom/sweep.h). Flights are parabolas and the sweep proves chords, so a gap is
 * asked for that covers what lies between: an interval that is free goes by, one that is not is halved, until it is so short
 * that the two are a hair apart. So bodies stop before they overlap.
 *
 * What rests would be hit endlessly. Two that touch and part more slowly than gravity brings back within two substeps are
 * at rest: they are left to micro-collisions, steps of a frame's substep, in which they fall a little and are hit again. So they
 * sink, and the text says why. */
#include "geom/sweep.h"
#include "step/classic/classic.h"
#include "step/motion/rotate.h"
#include "step/motion/script.h"
#include "step/tolerance.h"

#include <string.h>

#define CN_IMPULSE_HAIR 1e-9 /* m at most, and of the thinnest part: two that are nearer meet */
#define CN_IMPULSE_MOST 2    /* x substeps: flights in a frame; what meets more often micro-collides, and is counted */
/* x substeps: the same where forces hold what rests. A diamond of seven rows that lands takes more than 32 in its worst frame; cut short,
 * it comes apart. */
#define CN_IMPULSE_HELD 64
#define CN_IMPULSE_NEAR 0.25  /* of the thickness: two that go no further cannot pass through each other unseen */
#define CN_IMPULSE_BUDGET 400 /* separations of one interval: a handful is usual, turning edges take dozens */
#define CN_IMPULSE_STRAY 5e-3 /* of the thinnest part, each of two bodies: half of how much further contacts look */
#define CN_IMPULSE_SHORT 0.25 /* of the hair: an interval in which bodies go no further is not halved */

static double hair(const cairn_world *w)
{
	double thin = w->context->scale;
	return CN_IMPULSE_HAIR * (thin < 1 ? thin : 1);
}

double cn_impulse_touch(const cairn_world *w) { return 2 * hair(w); }

/* ---- flights */

/* s: one substep, which is the step of a micro-collision. */
double cn_impulse_micro(const cairn_world *w) { return 1 / w->scene->settings.fps / w->steps; }

/* What contact forces do to a body, if any act; and how its centre of mass accelerates. */
static cn_classic_push push_of(const cairn_world *w, uint32_t slot)
{
	const cn_classic *k = w->context->classic;
	return k->hold.on ? k->hold.pushes[slot] : (cn_classic_push){v3_zero(), v3_zero()};
}

static v3 acceleration_of(const cairn_world *w, uint32_t slot)
{
	return v3_add(w->scene->settings.gravity, push_of(w, slot).acceleration);
}

/* rad/s^2: how fast contact forces change its turning, at most. */
static double swing_of(const cairn_world *w, uint32_t slot)
{
	return v3_length(push_of(w, slot).torque) * w->rotors[slot].inv_least;
}

/* Where a body is a time after the start of the flight. */
static pose pose_after(const cairn_world *w, uint32_t slot, double t)
{
	const cn_motion *m = &w->motion[slot];
	if (w->rotors[slot].active) {
		v3 mean = v3_madd(m->v, acceleration_of(w, slot), 0.5 * t), l = v3_madd(m->l, push_of(w, slot).torque, 0.5 * t);
		return (pose){v3_madd(m->x, mean, t), cn_rotate_free(&w->rotors[slot], m->q, l, t)};
	}
	if (w->bodies[slot].type == CAIRN_SCRIPTED)
		return cn_script_at(&w->bodies[slot], cn_step_time(w, 0) + t, m->q);
	return (pose){m->x, m->q};
}

static cn_mover mover_of(const cairn_world *w, uint32_t part, double t0, double t1)
{
	const cn_part *p = &w->context->contacts.parts[part];
	pose from = pose_after(w, p->slot, t0), to = pose_after(w, p->slot, t1);
	return (cn_mover){.part = p->convex,
	                  .in_body = p->in_body,
	                  .x0 = from.position,
	                  .x1 = to.position,
	                  .q0 = from.orientation,
	                  .turn = q_turn(from.orientation, to.orientation),
	                  .radius = w->bodies[p->slot].radius};
}

/* m: how far a flight leaves its chord in a time, as seen from the other body: the parabola, and turning that is not even. */
static double bulge_of(const cairn_world *w, const cn_pair *p, double t)
{
	double sum = 0;
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i) {
		const cn_rotor *r = &w->rotors[slots[i]];
		double spin = v3_length(w->motion[slots[i]].l) * r->inv_least * t, radius = w->bodies[slots[i]].radius;
		if (!r->active)
			continue;
		sum += v3_length(acceleration_of(w, slots[i])) * t * t / 8 + swing_of(w, slots[i]) * radius * t * t / 8;
		sum += r->kind != CN_ROTOR_BALL ? 0.25 * spin * spin * radius : 0;
	}
	return sum;
}

/* m/s: no point of the two nears the other faster in this time. */
static double speed_of(const cairn_world *w, const cn_pair *p, double t)
{
	double sum = v3_length(w->scene->settings.gravity) * t;
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i) {
		cn_twist twist = cn_classic_twist(w, slots[i]);
		double radius = w->bodies[slots[i]].radius;
		sum += v3_length(twist.v) + v3_length(push_of(w, slots[i]).acceleration) * t;
		sum += isfinite(radius) ? (v3_length(twist.w) + swing_of(w, slots[i]) * t) * radius : 0;
	}
	return sum;
}

static cn_separation separation_at(const cairn_world *w, const cn_pair *p, double t)
{
	cn_mover a = mover_of(w, p->pa, t, t), b = mover_of(w, p->pb, t, t);
	cn_place at_a = cn_mover_at(&a, 0), at_b = cn_mover_at(&b, 0);
	cn_separation s;
	cn_separate(a.part, &at_a, b.part, &at_b, NULL, &s);
	return s;
}

static double gap_at(const cairn_world *w, const cn_pair *p, double t) { return separation_at(w, p, t).gap; }

/* A sweep takes no more than a quarter turn. */
static bool turns_far(const cairn_world *w, const cn_pair *p, double t)
{
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i) {
		const cn_motion *m = &w->motion[slots[i]];
		const cn_rotor *r = &w->rotors[slots[i]];
		if (r->active ? cn_turn_bound(r, m->q, m->l, t, CN_PIECE_TURN) > CN_PIECE_TURN
		              : v3_length(cn_classic_twist(w, slots[i]).w) * t > CN_PIECE_TURN)
			return true;
	}
	return false;
}

/* begin: the separation at t. */
static bool interval_is_free(const cairn_world *w, const cn_pair *p, const cn_separation *begin, double t,
                             double length)
{
	double near = hair(w);
	cn_mover a = mover_of(w, p->pa, t, t + length), b = mover_of(w, p->pb, t, t + length);
	cn_sweep_options o = {.gap = (0.5 * begin->gap < near ? 0.5 * begin->gap : near) + bulge_of(w, p, length),
	                      .tolerance = near,
	                      .budget = CN_IMPULSE_BUDGET,
	                      .begin = begin,
	                      .whole = true};
	cn_sweep_result r;
	if (!(begin->gap > 0) || turns_far(w, p, length))
		return false;
	cn_sweep(&a, &b, &o, NULL, NULL, &r);
	return r.status == CN_SWEEP_FREE;
}

/* s: how long the two fly before they meet; most if they do not meet until then, 0 if not even a start could be proved. Two that
 * have just parted need short intervals at first, and then ever longer ones. */
static double time_of_impact(const cairn_world *w, const cn_pair *p, double most)
{
	double t = 0, length = most, shortest = CN_IMPULSE_SHORT * hair(w) / speed_of(w, p, most);
	while (t < most) {
		cn_separation begin = separation_at(w, p, t);
		while (length > shortest && !interval_is_free(w, p, &begin, t, length))
			length *= 0.5;
		if (!(length > shortest))
			return t;
		t += length;
		length = 2 * length < most - t ? 2 * length : most - t;
	}
	return most;
}

/* ---- rest */

/* The two touch, and fly for less than two substeps at most before gravity has them touch again. */
static bool rests(const cairn_world *w, const cn_classic_point *points, uint32_t count)
{
	double least = INFINITY, slow = v3_length(w->scene->settings.gravity) * cn_impulse_micro(w);
	for (uint32_t i = 0; i < count; ++i) {
		const cn_classic_point *q = &points[i];
		if (q->gap > cn_impulse_touch(w))
			continue;
		double parts = v3_dot(cn_classic_approach(w, q), q->n);
		least = parts < least ? parts : least;
	}
	return least <= slow;
}

/* s: where forces hold what rests, two that go no further than a part of their thickness fly on until they are a hair deeper in
 * each other than they were: where they meet, or where another corner of two that touch comes down. */
static double flight_by_depth(const cairn_world *w, const cn_pair *p, double most)
{
	double low = 0, high = most, start = gap_at(w, p, 0);
	double least = (start < 0 ? start : 0) - hair(w), shortest = CN_IMPULSE_SHORT * hair(w) / speed_of(w, p, high);
	if (gap_at(w, p, high) >= least)
		return high;
	while (high - low > shortest) {
		double middle = 0.5 * (low + high);
		if (!(middle > low && middle < high))
			break;
		if (gap_at(w, p, middle) >= least)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* s: how long a pair lets all fly. points: those of the list from the pair's first on. free: how long the two are known not to
 * meet. */
static double flight_of(const cairn_world *w, const cn_pair *p, const cn_classic_point *points, uint32_t count,
                        double most, double *free)
{
	double t;
	if (w->context->classic->hold.on && speed_of(w, p, most) * most < CN_IMPULSE_NEAR * p->thin)
		t = flight_by_depth(w, p, most);
	else if (p->at.gap > speed_of(w, p, most) * most + hair(w))
		t = *free = most; /* too far from each other */
	else if (p->at.gap <= 0 || rests(w, points, count))
		t = 0;
	else
		t = *free = time_of_impact(w, p, most);
	return t > 0 ? t : cn_impulse_micro(w);
}

/* ---- what is known of flights: two that nothing has struck since they were looked at fly on as was foreseen */

static double since_start(const cairn_world *w) { return w->part.from / w->scene->settings.fps; }

/* Who flies otherwise than foreseen: by an impulse, an event, a field. */
static bool find_turned(cairn_world *w)
{
	cn_classic *k = w->context->classic;
	if (!CN_ROOM(k->flights.course, w->slots + 1) || !CN_ROOM(k->flights.turned, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_motion *m = &w->motion[slot];
		const cn_momentum *c = &k->flights.course[slot];
		k->flights.turned[slot] = w->rotors[slot].active && (v3_distance(m->v, c->v) > CN_SAME * v3_length(m->v) ||
		                                                     v3_distance(m->l, c->l) > CN_SAME * v3_length(m->l));
	}
	return true;
}

static void foresee(cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		w->context->classic->flights.course[slot] =
			(cn_momentum){v3_madd(w->motion[slot].v, w->scene->settings.gravity, w->dt), w->motion[slot].l};
}

static cn_classic_flight flight_name(const cairn_world *w, const cn_pair *p)
{
	const cn_part *parts = w->context->contacts.parts;
	return (cn_classic_flight){p->a, p->b, parts[p->pa].number, parts[p->pb].number, 0};
}

static int order_of(const cn_classic_flight *a, const cn_classic_flight *b)
{
	const uint32_t x[4] = {a->a, a->b, a->part_a, a->part_b}, y[4] = {b->a, b->b, b->part_a, b->part_b};
	for (int i = 0; i < 4; ++i)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

/* s, from the frame's start: until when the two are known not to meet. place: in the list of the last flight, not beyond the pair. A list out
 * of order only finds less. */
static double known_until(const cairn_world *w, const cn_classic_flight *name, uint32_t *place)
{
	const cn_classic *k = w->context->classic;
	while (*place < k->flights.count && order_of(&k->flights.list[*place], name) < 0)
		++*place;
	if (*place == k->flights.count || order_of(&k->flights.list[*place], name) != 0 || k->flights.turned[name->a] ||
	    k->flights.turned[name->b])
		return 0;
	return k->flights.list[*place].until;
}

/* ---- stages */

bool cn_impulse_begin(cairn_world *w, cn_frame *f)
{
	if (!cn_classic_begin(w, f))
		return false;
	w->part.from = 0, w->part.length = 1;
	w->dt = 1 / w->scene->settings.fps;
	w->context->classic->flights.count = 0;
	return true;
}

/* Over what is left of the frame. */
bool cn_impulse_contacts(cairn_world *w, cn_frame *f)
{
	w->part.length = 1 - w->part.from;
	w->dt = w->part.length / w->scene->settings.fps;
	return cn_classic_contacts(w, f);
}

/* Some pair rests, so the next flight is a micro-collision at most. */
static bool any_rests(const cairn_world *w)
{
	const cn_classic *k = w->context->classic;
	bool any = false;
	for (uint32_t i = 0; i < k->point_count && !any; i += k->points[i].beside)
		any = rests(w, &k->points[i], k->points[i].beside);
	return any;
}

/* m: no part is thinner. */
static double thinnest(const cn_contacts *c)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < c->part_count; ++i)
		least = c->parts[i].thickness < least ? c->parts[i].thickness : least;
	return least;
}

/* m: how much further than before a point of any body comes in a micro-collision, by impulses. before: the velocities without
 * them. */
static double strays(const cairn_world *w, const cn_motion *before)
{
	double most = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_rotor *r = &w->rotors[slot];
		const cn_motion *m = &w->motion[slot];
		if (!r->active)
			continue;
		double turn = v3_distance(m->l, before[slot].l) * r->inv_least;
		double speed = v3_distance(m->v, before[slot].v) + turn * w->bodies[slot].radius;
		most = speed > most ? speed : most;
	}
	return most * cn_impulse_micro(w);
}

/* What was struck may reach others than before: contacts are to be found again, but for what creeps no further than they look
 * anyway. */
static bool strike(cairn_world *w, cn_frame *f, cn_motion *before, bool *again)
{
	uint32_t hits = f->report.collisions;
	double rest = w->dt;
	if (w->slots)
		memcpy(before, w->motion, w->slots * sizeof *before);
	w->dt = cn_impulse_micro(w); /* what gravity brings in a substep is no impact */
	bool ok = cn_classic_collide(w, f, cn_impulse_touch(w));
	w->dt = rest;
	*again = ok && f->report.collisions != hits &&
	         !(any_rests(w) && strays(w, before) < CN_IMPULSE_STRAY * thinnest(&w->context->contacts));
	return ok;
}

bool cn_impulse_strike(cairn_world *w, cn_frame *f)
{
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	cn_motion *before = cn_arena_take(arena, w->slots + 1, sizeof *before);
	bool again = false;
	if (!before)
		f->report.status = CAIRN_STEP_MEMORY;
	bool ok = before && strike(w, f, before, &again);
	cn_arena_return(arena, mark); /* before contacts are found, which takes the whole arena anew */
	return ok && (!again || cn_classic_contacts(w, f));
}

/* s: how long all fly, most at most. flights: of pairs, with room for all. */
static double shortest_flight(cairn_world *w, double most, cn_classic_flight *flights, uint32_t *count)
{
	const cn_contacts *c = &w->context->contacts;
	const cn_classic *k = w->context->classic;
	double now = since_start(w);
	uint32_t first = 0, place = 0;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_pair *p = &c->pairs[i];
		if (!p->near || !p->measured || p->must_not_touch)
			continue;
		while (first < k->point_count && k->points[first].pair < i)
			++first;
		uint32_t points = first < k->point_count && k->points[first].pair == i ? k->points[first].beside : 0;
		cn_classic_flight flight = flight_name(w, p);
		double free = 0, t = most;
		flight.until = k->hold.on ? 0 : known_until(w, &flight, &place);
		if (flight.until < now + most) {
			t = flight_of(w, p, &k->points[first], points, most, &free);
			flight.until = now + free;
		}
		most = t < most ? t : most;
		flights[(*count)++] = flight;
	}
	return most;
}

/* Chooses the length of the flight: to the first impact, to the end of a micro-collision, or to the frame's end. */
bool cn_impulse_fly(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context->classic;
	cn_arena *arena = &w->context->temporary;
	cn_arena_mark mark = cn_arena_here(arena);
	double left = 1 - w->part.from, frame = 1 / w->scene->settings.fps, most = left * frame;
	uint32_t limit = (k->hold.on ? CN_IMPULSE_HELD : CN_IMPULSE_MOST) * w->steps,
			 pairs = w->context->contacts.pair_count;
	cn_classic_flight *flights = cn_arena_take(arena, pairs + 1, sizeof *flights);
	if (!flights || !find_turned(w) || !CN_ROOM(k->flights.list, pairs + 1)) {
		f->report.status = CAIRN_STEP_MEMORY;
		cn_arena_return(arena, mark);
		return false;
	}
	f->report.text_fallbacks += w->step == limit;
	if (most > cn_impulse_micro(w) && (k->hold.on || w->step >= limit || any_rests(w)))
		most = cn_impulse_micro(w); /* forces are those of a substep */
	if (w->step < limit) {
		uint32_t count = 0;
		most = shortest_flight(w, most, flights, &count);
		memcpy(k->flights.list, flights, count * sizeof *flights);
		k->flights.count = count;
	}
	w->part.length = most * (1 + CN_SAME) >= left * frame ? left : most / frame;
	w->dt = w->part.length * frame;
	foresee(w);
	cn_arena_return(arena, mark);
	return true;
}
