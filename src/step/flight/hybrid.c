/* The hybrid position update (OBA 6.6): bodies that move far for their thickness bounce inside the frame, each impact
 * at its own time, before the position program sees them.
 *
 * This is retroactive detection with limits. A pair is considered only while it is fast, that is, while it would move
 * further than CN_HYBRID_FAST of the thinner part in a frame. It bounces at most c_max times (option hybrid), and only
 * above v_min; no body takes more than CN_HYBRID_IMPACTS impacts. Everything else is left to the position program: the
 * ends of flights are targets, which may overlap.
 *
 * A body that was hit gets a key at each impact. If its path is proved free of everything near it, the path is kept as
 * it is. If not, the body comes under rows with the flight's end as its target. */
#include "base/tolerance.h"
#include "step/flight/flight.h"
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"

#include <string.h>

#define CN_HYBRID_FAST                                                                                                 \
	0.1 /* of the thinner part, a frame: pairs that move further against each other bounce inside the frame (OBA 6.6) */
#define CN_HYBRID_MIN 1e-3 /* of the thinner part, a frame: slower is no impact, where there is no gravity to say so */
#define CN_HYBRID_IMPACTS 16 /* of a body in a frame, at most */

typedef enum flyer_state {
	FLYER_TRIED,    /* its flight is being worked out, or was not accepted */
	FLYER_ACCEPTED, /* its flight is shown */
	FLYER_OF_BALLS, /* balls.c handles this body */
} flyer_state;

/* A body in the frame. It moves freely until it is hit. */
typedef struct flyer {
	cn_flight at;
	double t;       /* s, from the frame's start: time of the state above */
	double shown_t; /* s: time of its last key, or the start */
	quat shown_q;
	uint32_t root; /* union-find over bodies that hit each other: the lowest slot */
	uint32_t impacts, keys, hits;
	double lost; /* J along normals, of impacts that are counted here */
	flyer_state state;
} flyer;

/* The impacts of a pair in the frame. */
typedef struct watch {
	double t; /* s: time of its next impact; infinite: none known */
	double speed;
	cn_grip grip;
	uint32_t bounces, stamp; /* stamp: number of its latest event */
	bool clear;              /* it was followed to the frame's end, and nothing happens */
} watch;

typedef struct event {
	double t;
	uint32_t pair, stamp;
} event;

struct cn_hybrid {
	flyer *flyers;   /* by slot */
	watch *watches;  /* by pair */
	event *events;   /* a heap with the earliest on top */
	cn_extra *keys;  /* in order of creation */
	uint32_t *first; /* by slot: its first key */
	uint32_t event_count, key_count;
	uint32_t noted; /* w->log.impacts from here on are of flights that may not be accepted */
};
typedef struct cn_hybrid cn_hybrid;

/* ---- times of impact of fast pairs */

/* NULL: the body stands still in this frame as far as impacts are concerned. */
static flyer *flyer_of(const cairn_world *w, uint32_t slot)
{
	return cn_body_movable(w, slot) ? &w->context->hybrid->flyers[slot] : NULL;
}

/* The body takes part in impacts inside the frame, or nothing can move it. Sleeping bodies are woken by impacts at
 * the frame's end instead. */
static bool plain(const cairn_world *w, uint32_t slot, uint32_t part)
{
	return w->bodies[slot].type != CAIRN_SCRIPTED && !w->rest_state[slot].asleep &&
	       cn_joints_of(w, slot) == CN_QP_NONE && w->context->contacts.parts[part].kind != CN_PART_MESH &&
	       w->context->hybrid->flyers[slot].state != FLYER_OF_BALLS &&
	       w->context->hybrid->flyers[slot].impacts < CN_HYBRID_IMPACTS;
}

static bool struck(const flyer *b) { return b && b->impacts > 0; }

/* m/s: bound of the relative speed of points of a pair. */
static double pace(const cairn_world *w, const cn_flight *a, const cn_flight *b)
{
	v3 v = v3_sub(b ? b->v : v3_zero(), a ? a->v : v3_zero());
	return v3_length(v) + (a ? v3_length(a->l) * w->rotors[a->slot].inv_least * w->bodies[a->slot].radius : 0) +
	       (b ? v3_length(b->l) * w->rotors[b->slot].inv_least * w->bodies[b->slot].radius : 0);
}

/* The two cannot reach each other in the remaining time. */
static bool far_apart(const cairn_world *w, const cn_pair *p, const cn_flight *a, const cn_flight *b, double left)
{
	if (w->context->contacts.parts[p->pb].kind == CN_PART_HALF_SPACE)
		return false;
	v3 xa = a ? a->x : w->motion[p->a].x, xb = b ? b->x : w->motion[p->b].x;
	v3 acc = v3_sub(b ? b->a : v3_zero(), a ? a->a : v3_zero()), v = v3_sub(b ? b->v : v3_zero(), a ? a->v : v3_zero());
	double reach = (v3_length(v) + 0.5 * v3_length(acc) * left) * left;
	return v3_distance(xa, xb) > w->bodies[p->a].radius + w->bodies[p->b].radius + p->gap_target + reach;
}

/* m/s: slower contacts do not bounce at the frame's end either. Without gravity that threshold is zero, hence the
 * second bound. */
static double least_speed(const cairn_world *w, const cn_pair *p)
{
	double slow = CN_HYBRID_MIN * p->thin / w->dt;
	return w->context->threshold > slow ? w->context->threshold : slow;
}

/* The next impact of a pair, if it is considered. Otherwise the pair is free up to out->t. */
static bool find_impact(const cairn_world *w, uint32_t pair, cn_impact *out)
{
	const cn_context *c = w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	const flyer *ba = flyer_of(w, p->a), *bb = flyer_of(w, p->b);
	out->t = 0;
	if (p->must_not_touch || cn_pair_of_front(&c->contacts, p) || (!ba && !bb) || !plain(w, p->a, p->pa) ||
	    !plain(w, p->b, p->pb) || c->hybrid->watches[pair].bounces >= cn_option_count(w->scene->options.hybrid, 0) ||
	    (!p->near && !struck(ba) && !struck(bb)))
		return false;
	double t = ba ? ba->t : 0, min = least_speed(w, p);
	t = bb && bb->t > t ? bb->t : t;
	cn_flight fa, fb, *a = ba ? &fa : NULL, *b = bb ? &fb : NULL;
	if (a) {
		fa = ba->at;
		cn_flight_advance(w, a, t - ba->t);
	}
	if (b) {
		fb = bb->at;
		cn_flight_advance(w, b, t - bb->t);
	}
	if (pace(w, a, b) * w->dt <= CN_HYBRID_FAST * p->thin)
		return false;
	if (far_apart(w, p, a, b, w->dt - t)) {
		out->t = w->dt;
		return false;
	}
	if ((a && !cn_flight_ball(w, p->a)) || (b && !cn_flight_ball(w, p->b)))
		return cn_impact_any(w, (cn_flyers){pair, a, b}, t, min, out);
	bool hits =
		cn_impact_balls(w, (cn_flyers){pair, a, b}, t, out) && out->speed > min && out->t < (1 - CN_CUT_MIN) * w->dt;
	out->t = hits ? out->t : 0;
	return hits;
}

static void watch_again(const cairn_world *w, uint32_t pair)
{
	watch *k = &w->context->hybrid->watches[pair];
	cn_impact impact;
	k->t = INFINITY;
	k->clear = false;
	++k->stamp;
	if (find_impact(w, pair, &impact))
		k->t = impact.t, k->speed = impact.speed;
	else
		k->clear = impact.t >= (1 - CN_CUT_MIN) * w->dt;
}

static void watch_first(cairn_world *w, cn_pair *p)
{
	uint32_t pair = (uint32_t)(p - w->context->contacts.pairs);
	w->context->hybrid->watches[pair] = (watch){.grip = cn_grip_begin(w, p)};
	watch_again(w, pair);
}

/* ---- the event queue */

static bool before(const event *a, const event *b) { return a->t < b->t || (a->t == b->t && a->pair < b->pair); }

/* Queues the next impact of a pair, if one is known. False: memory ran out. */
static bool push(cairn_world *w, uint32_t pair)
{
	cn_hybrid *h = w->context->hybrid;
	event e = {h->watches[pair].t, pair, h->watches[pair].stamp};
	if (!isfinite(e.t))
		return true;
	if (!CN_ROOM(h->events, h->event_count + 1))
		return false;
	uint32_t i = h->event_count++;
	for (; i > 0 && before(&e, &h->events[(i - 1) / 2]); i = (i - 1) / 2)
		h->events[i] = h->events[(i - 1) / 2];
	h->events[i] = e;
	return true;
}

static event pop(cn_hybrid *h)
{
	event top = h->events[0], last = h->events[--h->event_count];
	uint32_t i = 0, next;
	for (; (next = 2 * i + 1) < h->event_count; i = next) {
		next += next + 1 < h->event_count && before(&h->events[next + 1], &h->events[next]);
		if (!before(&h->events[next], &last))
			break;
		h->events[i] = h->events[next];
	}
	h->events[i] = last;
	return top;
}

/* ---- keys */

/* Adds a key at the body's present pose, unless the last key is nearly at the same time. */
static bool add_key(cairn_world *w, flyer *b)
{
	cn_hybrid *h = w->context->hybrid;
	const cn_flight *at = &b->at;
	if (b->t - b->shown_t < CN_CUT_MIN * w->dt)
		return true;
	if (!CN_ROOM(h->keys, h->key_count + 1))
		return false;
	cn_motion now = {at->x, at->q, at->v, at->l};
	cairn_key key = cn_key_of(w, at->slot, &now, cairn_world_time(w) + b->t, q_turn(b->shown_q, at->q));
	h->keys[h->key_count++] = (cn_extra){at->slot, key};
	++b->keys;
	b->shown_t = b->t, b->shown_q = at->q;
	return true;
}

/* Advances a body to time t, with keys where it turns far. False: memory ran out. */
static bool bring(cairn_world *w, flyer *b, double t)
{
	double turn = cn_turn_bound(&w->rotors[b->at.slot], b->at.q, b->at.l, t - b->t, CN_PIECE_TURN);
	uint32_t pieces = turn < CN_PIECE_TURN * CN_MAX_PIECES ? 1 + (uint32_t)(turn / CN_PIECE_TURN) : CN_MAX_PIECES;
	double start = b->t, length = t - b->t;
	for (uint32_t k = 1; k <= pieces && length > 0; ++k) {
		double next = k < pieces ? start + length * k / pieces : t;
		cn_flight_advance(w, &b->at, next - b->t);
		b->t = next;
		if (k < pieces && !add_key(w, b))
			return false;
	}
	return true;
}

/* ---- simultaneous impacts */

typedef struct batch {
	cn_flight *flights[CN_IMPACT_BALLS];
	cn_qp_contact contacts[CN_IMPACT_PAIRS];
	uint32_t pairs[CN_IMPACT_PAIRS], pair_of[CN_IMPACT_PAIRS]; /* pair_of: by contact */
	uint32_t count, contact_count, pair_count;
	double t;
} batch;

static uint32_t number_in(batch *k, flyer *b)
{
	uint32_t i = 0;
	if (!b)
		return CN_QP_NONE;
	while (i < k->count && k->flights[i] != &b->at)
		++i;
	if (i == k->count)
		k->flights[k->count++] = &b->at;
	return i;
}

/* Adds a pair with its contact points at that time. False: memory ran out. */
static bool add_pair(cairn_world *w, batch *k, uint32_t pair)
{
	cn_context *c = w->context;
	cn_hybrid *h = c->hybrid;
	const cn_pair *p = &c->contacts.pairs[pair];
	const cn_convex *ca = c->contacts.parts[p->pa].convex, *cb = c->contacts.parts[p->pb].convex;
	flyer *a = flyer_of(w, p->a), *b = flyer_of(w, p->b);
	if (k->count + 2 > CN_IMPACT_BALLS || k->contact_count + CN_MOMENTUM_POINTS > CN_IMPACT_PAIRS)
		return true; /* the batch is full; the pair comes next */
	if ((a && !bring(w, a, k->t)) || (b && !bring(w, b, k->t)))
		return false;
	cn_place at_a = cn_flight_place(w, a ? &a->at : NULL, p->pa), at_b = cn_flight_place(w, b ? &b->at : NULL, p->pb);
	cn_witness witness = p->witness;
	cn_separation s;
	cn_contact_set set;
	cn_separate(ca, &at_a, cb, &at_b, &witness, &s);
	if (c->contacts.parts[p->pb].kind == CN_PART_TRIANGLE && cn_mesh_contact_axis(w, p, &at_a, &s)) {
		set.n = s.n, set.count = 1;
		set.points[0] = (cn_contact_point){.a = s.a, .b = s.b, .gap = s.gap};
	} else {
		cn_contact_find(&(cn_convex_pair){ca, &at_a, cb, &at_b}, &s,
		                p->gap_target + CN_TOUCH_MOMENT * w->dt * h->watches[pair].speed, &set);
	}
	if (set.count > CN_MOMENTUM_POINTS)
		cn_contact_reduce(&set, CN_MOMENTUM_POINTS, -INFINITY);
	uint32_t na = number_in(k, a), nb = number_in(k, b);
	v3 to_a = v3_sub(at_a.x, a ? a->at.x : at_a.x), to_b = v3_sub(at_b.x, b ? b->at.x : at_b.x);
	for (uint32_t i = 0; i < set.count; ++i) { /* in the middle of the gap, so that angular momentum is conserved */
		double half = a && b ? 0.5 * set.points[i].gap : 0;
		k->pair_of[k->contact_count] = pair;
		k->contacts[k->contact_count++] = (cn_qp_contact){.a = na,
		                                                  .b = nb,
		                                                  .n = set.n,
		                                                  .ra = v3_madd(v3_add(to_a, set.points[i].a), set.n, half),
		                                                  .rb = v3_madd(v3_add(to_b, set.points[i].b), set.n, -half),
		                                                  .mu = p->mu_kinetic,
		                                                  .eps = p->eps};
	}
	k->pairs[k->pair_count++] = pair;
	++h->watches[pair].bounces;
	h->watches[pair].t = INFINITY;
	return true;
}

/* Adds pairs of the batch's bodies that hit at the same time. */
static bool add_ties(cairn_world *w, batch *k, double tie)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < k->count; ++i) {
		uint32_t slot = k->flights[i]->slot;
		for (uint32_t j = c->graph.link_first[slot]; j < c->graph.link_first[slot + 1]; ++j)
			if (c->hybrid->watches[c->graph.links[j]].t <= k->t + tie && !add_pair(w, k, c->graph.links[j]))
				return false;
	}
	return true;
}

static uint32_t root_of(flyer *flyers, uint32_t slot)
{
	while (flyers[slot].root != slot)
		slot = flyers[slot].root = flyers[flyers[slot].root].root;
	return slot;
}

/* The pair of the batch's body i was handled with an earlier body of the batch. */
static bool listed(const cairn_world *w, const batch *k, uint32_t i, uint32_t pair)
{
	const cn_pair *p = &w->context->contacts.pairs[pair];
	uint32_t slot = k->flights[i]->slot, other = p->a == slot ? p->b : p->a, j = 0;
	while (j < i && k->flights[j]->slot != other)
		++j;
	return j < i;
}

/* After an impact: joins the bodies that were hit, gives them keys, loosens their resting contacts and finds their
 * next impacts. */
static bool follow(cairn_world *w, const batch *k, uint32_t first)
{
	cn_context *c = w->context;
	cn_hybrid *h = c->hybrid;
	assert(h->flyers);
	for (uint32_t i = 0; i < k->count; ++i) {
		flyer *b = &h->flyers[k->flights[i]->slot];
		uint32_t x = root_of(h->flyers, first), y = root_of(h->flyers, b->at.slot);
		h->flyers[x > y ? x : y].root = x < y ? x : y;
		++b->impacts;
		if (!add_key(w, b))
			return false;
	}
	for (uint32_t i = 0; i < k->count; ++i) {
		uint32_t slot = k->flights[i]->slot;
		for (uint32_t j = c->graph.link_first[slot]; j < c->graph.link_first[slot + 1]; ++j) {
			const cn_pair *p = &c->contacts.pairs[c->graph.links[j]];
			flyer *a = flyer_of(w, p->a), *b = flyer_of(w, p->b);
			if (p->count > 0 &&
			    !listed(w, k, i, c->graph.links[j])) /* contacts of bodies that were not hit stay as they are */
				cn_grip_loosen(w, &h->watches[c->graph.links[j]].grip, struck(a) ? &a->at : NULL,
				               struck(b) ? &b->at : NULL);
		}
	}
	for (uint32_t i = 0; i < k->count; ++i) {
		uint32_t slot = k->flights[i]->slot;
		for (uint32_t j = c->graph.link_first[slot]; j < c->graph.link_first[slot + 1]; ++j) {
			if (listed(w, k, i, c->graph.links[j]))
				continue;
			watch_again(w, c->graph.links[j]);
			if (!push(w, c->graph.links[j]))
				return false;
		}
	}
	return true;
}

static bool apply_impact(cairn_world *w, const event *e)
{
	cn_hybrid *h = w->context->hybrid;
	const cn_pair *p = &w->context->contacts.pairs[e->pair];
	batch k = {.t = e->t};
	double near = CN_HYBRID_NEAR * p->gap_target, tie = near / h->watches[e->pair].speed;
	cn_flight_blow blow = {.lost = 0};
	if (!add_pair(w, &k, e->pair) || !add_ties(w, &k, tie) ||
	    !cn_flight_strike(w, k.flights, k.count, k.contacts, k.contact_count, &blow))
		return false;
	for (uint32_t i = 0; i < k.contact_count; ++i)
		if (!cn_flight_note(w, k.flights, &k.contacts[i], k.pair_of[i], blow.y[i], k.t))
			return false;
	uint32_t first = flyer_of(w, p->a) ? p->a : p->b;
	assert(h->flyers);
	h->flyers[first].lost += blow.lost;
	for (uint32_t i = 0; i < k.pair_count; ++i)
		h->flyers[first].hits += h->watches[k.pairs[i]].speed > w->context->threshold;
	return follow(w, &k, first);
}

/* ---- flights */

/* Follows all bodies from impact to impact to the frame's end. False: memory ran out. */
static bool fly(cairn_world *w)
{
	cn_context *c = w->context;
	cn_hybrid *h = c->hybrid;
	h->event_count = h->key_count = 0;
	w->log.impacts.count = h->noted;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (cn_body_movable(w, slot)) {
			bool ball = h->flyers[slot].state == FLYER_OF_BALLS;
			h->flyers[slot] = (flyer){.at = cn_flight_begin(w, slot),
			                          .shown_q = w->motion[slot].q,
			                          .root = slot,
			                          .state = ball ? FLYER_OF_BALLS : FLYER_TRIED};
		}
	cn_pairs_each(w, watch_first);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		if (!push(w, i))
			return false;
	while (h->event_count > 0) {
		event e = pop(h);
		if (e.stamp == h->watches[e.pair].stamp && e.t == h->watches[e.pair].t && !apply_impact(w, &e))
			return false;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (struck(flyer_of(w, slot)) && !bring(w, &h->flyers[slot], w->dt))
			return false;
	return true;
}

/* Bodies that hit each other, at their lowest slot. */
typedef struct hit_group {
	cn_flight_gains gains;
	bool too_fast; /* keys cannot show the motion of one of them */
} hit_group;

/* Accepts flights. *any: there are some. Bodies that hit each other must not have gained energy, and keys must be able
 * to show their motion. False: memory ran out. */
static bool choose_flights(cairn_world *w, bool *any)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	flyer *flyers = c->hybrid->flyers;
	hit_group *groups;
	*any = false;
	if (!CN_LOCAL(groups, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!struck(flyer_of(w, slot)))
			continue;
		cn_flight_gains won = {0, 0};
		hit_group *sum = &groups[root_of(flyers, slot)];
		const flyer *b = &flyers[slot];
		double turn = v3_length(b->at.l) * w->rotors[slot].inv_least * w->dt;
		cn_flight_gain(w, &b->at, &won);
		sum->gains.won += won.won, sum->gains.little += won.little;
		sum->too_fast |= b->keys >= CN_MAX_PIECES || !(turn <= CN_SPIN_MAX);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!struck(flyer_of(w, slot)))
			continue;
		const hit_group *sum = &groups[root_of(flyers, slot)];
		bool accepted = !sum->too_fast && !(sum->gains.won > sum->gains.little);
		flyers[slot].state = accepted ? FLYER_ACCEPTED : FLYER_TRIED;
		*any |= accepted;
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* Stores the keys of accepted flights, body by body, after those of free motion; cn_own_motion.first says where. */
static bool sort_keys(cairn_world *w)
{
	cn_context *c = w->context;
	cn_hybrid *h = c->hybrid;
	uint32_t at = w->next_extra_count;
	if (!cn_grow(&w->allocator, (void **)&w->next_extras, &w->next_extra_capacity, at + h->key_count + 1,
	             sizeof *w->next_extras))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		h->first[slot] = at;
		cn_path_place_keys(y, at);
		if (h->flyers[slot].state != FLYER_ACCEPTED)
			continue;
		const cn_flight *end = &h->flyers[slot].at;
		y->flight.kind = CN_FLYING_FAST;
		cn_path_take_keys(y, h->flyers[slot].keys);
		cn_path_aim(y, end->x, q_unit(end->q));
		at += y->own.key_count;
	}
	for (uint32_t i = 0; i < h->key_count; ++i)
		if (h->flyers[h->keys[i].slot].state == FLYER_ACCEPTED)
			w->next_extras[h->first[h->keys[i].slot]++] = h->keys[i];
	return true;
}

/* Makes accepted flights final: their ends become targets, and their keys replace those of free motion. */
static bool arrive(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_hybrid *h = c->hybrid;
	cairn_energy *e = &f->report.energy;
	uint32_t from = 0;
	if (!cn_paths_keys_begin(w, w->next_extra_count + h->key_count))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		uint32_t free = w->bodies[slot].alive ? w->pieces[slot] - 1u : 0;
		bool flies = c->paths.by_slot[slot].flight.kind == CN_FLYING_FAST;
		uint32_t own = flies ? c->paths.by_slot[slot].own.key_count : free;
		cn_paths_keys_add(w, &w->next_extras[flies ? c->paths.by_slot[slot].own.first : from], own);
		from += free;
		if (!flies)
			continue;
		c->paths.by_slot[slot].flight.struck = true;
		w->pieces[slot] = (uint8_t)(own + 1);
		double lost = h->flyers[slot].lost, made = cn_flight_arrive(w, &h->flyers[slot].at);
		e->impacts += lost;
		e->friction -= made + lost;
		cn_losses_add(&c->losses, slot, -made); /* impacts are contacts too */
		f->report.collisions += h->flyers[slot].hits;
	}
	cn_paths_keys_end(w);
	return true;
}

/* Drops the impacts of flights that were not accepted. Bodies that hit each other are accepted together. */
static void keep_impacts(cairn_world *w)
{
	const cn_context *c = w->context;
	uint32_t kept = c->hybrid->noted;
	for (uint32_t i = kept; i < w->log.impacts.count; ++i) {
		const cairn_impact *k = &w->log.impacts.items[i];
		if (c->paths.by_slot[k->a.index].flight.kind == CN_FLYING_FAST ||
		    c->paths.by_slot[k->b.index].flight.kind == CN_FLYING_FAST)
			w->log.impacts.items[kept++] = *k;
	}
	w->log.impacts.count = kept;
}

/* A body that passes everything near it without an impact needs no rows. The plane between two bodies at the frame's
 * start might stop it needlessly. */
static void let_pass(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_hybrid *h = c->hybrid;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		bool passes = false;
		if (!flyer_of(w, slot) || c->paths.by_slot[slot].flight.kind)
			continue;
		for (uint32_t j = c->graph.link_first[slot]; j < c->graph.link_first[slot + 1]; ++j) {
			const cn_pair *p = &c->contacts.pairs[c->graph.links[j]];
			if (!p->near)
				continue;
			passes = h->watches[c->graph.links[j]].clear;
			if (!passes)
				break;
		}
		c->paths.by_slot[slot].flight.kind = passes ? CN_FLYING_FAST : CN_FLYING_NOT;
	}
}

static bool begin(cairn_world *w)
{
	cn_context *c = w->context;
	bool fresh = !c->hybrid;
	if (!CN_ROOM(c->hybrid, 1))
		return false;
	cn_hybrid *h = c->hybrid;
	if (fresh)
		*h = (cn_hybrid){0};
	if (!CN_ROOM(h->flyers, w->slots + 1) || !CN_ROOM(h->first, w->slots + 1))
		return false;
	h->noted = w->log.impacts.count;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		h->flyers[slot] = (flyer){
			.root = slot, .state = c->paths.by_slot[slot].flight.kind == CN_FLYING_NOT ? FLYER_TRIED : FLYER_OF_BALLS};
	return true;
}

bool cn_hybrid_fly(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	if (!begin(w))
		return false;
	cn_hybrid *h = c->hybrid;
	bool more = true, any = true;
	for (uint32_t round = 0; any && more && round < CN_IMPACT_LOOKS; ++round) {
		for (uint32_t slot = 0; slot < w->slots; ++slot)
			if (h->flyers[slot].state != FLYER_OF_BALLS) {
				c->paths.by_slot[slot].flight.kind = CN_FLYING_NOT;
				cn_path_drop_keys(&c->paths.by_slot[slot]);
			}
		if (!cn_graph_links(w) || !CN_ROOM(h->watches, c->contacts.pair_count + 1) || !fly(w) ||
		    !choose_flights(w, &any))
			return false;
		uint32_t known = c->contacts.pair_count;
		if (any && (!sort_keys(w) || !cn_flight_find_pairs(w, &more)))
			return false;
		more = c->contacts.pair_count > known;
	}
	if (any && !arrive(w, f))
		return false;
	keep_impacts(w);
	if (!more) /* all pairs are known */
		let_pass(w);
	return true;
}
