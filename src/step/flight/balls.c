/* Impacts inside the frame for small groups of balls. Balls move on exact parabolas from impact to impact, each impact
 * at its own time, so bounces lose no time and happen where the balls meet.
 *
 * There are two stages. Before the rest solve, cn_flight_choose finds islands with an impact in this frame and marks
 * the pairs that hit, which then get no rest row. When targets are known, cn_flight_run follows the flight with the
 * accelerations that the rest solve left, and makes its end the target. The position stage keeps such targets: the
 * straight path from first pose to last lies on the free side of every impact's plane, and is proved like any other.
 *
 * Only balls qualify: their contact points do not depend on orientation, and a pair has one point. Simultaneous impacts
 * are solved as one program. Islands with more balls are left to the bounce at the frame's end. */
#include "step/flight/flight.h"
#include "step/tolerance.h"

#include <string.h>

#define CN_BALL_IMPACTS 64 /* of an island of balls in a frame: the tail of a bounce ends before */

/* An island of balls in flight. */
typedef struct ball_group {
	cn_flight balls[CN_IMPACT_BALLS];
	uint32_t pairs[CN_IMPACT_PAIRS];
	cn_grip grips[CN_IMPACT_PAIRS]; /* forces of resting contacts */
	struct {
		double since; /* s: when the two came to rest against each other */
		double force; /* N: that holds them since; 0: none */
		cn_qp_contact at;
	} held[CN_IMPACT_PAIRS]; /* by pair */
	uint32_t ball_count, pair_count;
	cairn_world *noted; /* where impacts are noted; NULL: it is a trial */
	struct {
		uint32_t a, b; /* slots */
		v3 rub;        /* N: friction, ... */
		double hold;   /* ... and the normal force it belongs to */
	} passed;          /* by a contact that was left, to the next of the same two bodies */
	double lost;       /* J: energy lost along normals */
	bool starved;      /* memory ran out */
} ball_group;

/* The ball turns so far that it needs several keys. Such a flight is rejected in the end (showable), so its contacts
 * need their rest rows. */
static bool spins(const cairn_world *w, uint32_t slot)
{
	return 2 * v3_length(w->motion[slot].l) * w->rotors[slot].inv_least * w->dt > CN_PIECE_TURN;
}

static cn_flight *find(ball_group *k, uint32_t slot)
{
	for (uint32_t i = 0; i < k->ball_count; ++i)
		if (k->balls[i].slot == slot)
			return &k->balls[i];
	return NULL;
}

/* Whether a body's group has been gathered. Unfit: the group is too large or contains something else than balls. */
typedef enum group_state { UNSEEN, FITS, UNFIT } group_state;

/* Collects a ball and all balls it may meet. states: by slot. False: they are too many, or not all are balls. */
static bool gather(const cairn_world *w, uint32_t first, const group_state *states, ball_group *k)
{
	const cn_context *c = w->context;
	k->ball_count = k->pair_count = 0;
	k->lost = 0;
	k->passed.hold = 0;
	k->starved = false;
	k->balls[k->ball_count++].slot = first;
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		uint32_t slot = k->balls[i].slot;
		if (!cn_flight_ball(w, slot) || spins(w, slot))
			return false;
		for (uint32_t j = c->graph.link_first[slot]; j < c->graph.link_first[slot + 1]; ++j) {
			const cn_pair *p = &c->contacts.pairs[c->graph.links[j]];
			uint32_t other = p->a == slot ? p->b : p->a;
			if (!p->near && !p->flight.meets)
				continue;
			if (p->must_not_touch || cn_pair_of_front(&c->contacts, p) || p->script_moves ||
			    k->pair_count == CN_IMPACT_PAIRS)
				return false;
			const cn_flight *known = find(k, other);
			if (known && known < &k->balls[i])
				continue; /* this pair was added from the other side */
			if (!known && cn_body_movable(w, other)) {
				if (k->ball_count == CN_IMPACT_BALLS || states[other] == UNFIT)
					return false;
				k->balls[k->ball_count++].slot = other;
			}
			k->pairs[k->pair_count++] = c->graph.links[j];
		}
	}
	return true;
}

/* Forces of the contacts that hold flying balls, as the rest solve left them: looking for pairs where a ball ends measures
 * its contacts there, and the impulses of those that it leaves would be lost. */
typedef struct held_pair {
	uint32_t pa, pb;
	cn_grip grip;
} held_pair;

typedef struct held_pairs {
	held_pair *list;
	uint32_t count;
} held_pairs;

static cn_grip grip_of(const held_pairs *held, const cn_pair *p)
{
	for (uint32_t i = 0; i < held->count; ++i)
		if (held->list[i].pa == p->pa && held->list[i].pb == p->pb)
			return held->list[i].grip;
	return (cn_grip){.hold = v3_zero()};
}

static void set_off(const cairn_world *w, const held_pairs *held, ball_group *k)
{
	for (uint32_t i = 0; i < k->ball_count; ++i)
		k->balls[i] = cn_flight_begin(w, k->balls[i].slot);
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		k->grips[i] = grip_of(held, &w->context->contacts.pairs[k->pairs[i]]);
		k->held[i].force = 0;
	}
}

/* False: memory ran out. */
static bool note_held(cairn_world *w, held_pairs *held)
{
	cn_context *c = w->context;
	uint32_t most = 0;
	held->count = 0;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		most += c->paths.by_slot[c->contacts.pairs[i].a].flight.kind ||
		        c->paths.by_slot[c->contacts.pairs[i].b].flight.kind;
	if (!CN_LOCAL(held->list, most + 1))
		return false;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!c->paths.by_slot[p->a].flight.kind && !c->paths.by_slot[p->b].flight.kind)
			continue;
		cn_grip grip = cn_grip_begin(w, p);
		if (v3_length2(grip.hold) > 0)
			held->list[held->count++] = (held_pair){p->pa, p->pb, grip};
	}
	return true;
}

static void advance(const cairn_world *w, ball_group *k, double t)
{
	for (uint32_t i = 0; i < k->ball_count && t > 0; ++i)
		cn_flight_advance(w, &k->balls[i], t);
}

static bool next_impact(const cairn_world *w, ball_group *k, uint32_t pair, double t, cn_impact *out)
{
	const cn_pair *p = &w->context->contacts.pairs[pair];
	return cn_impact_balls(w, (cn_flyers){pair, find(k, p->a), find(k, p->b)}, t, out);
}

/* The earliest impacts, all at the same time. Pairs that come to rest are handled one at a time. */
static uint32_t first_impacts(const cairn_world *w, ball_group *k, double t, cn_impact out[CN_IMPACT_PAIRS])
{
	double tie = CN_SAME * w->dt;
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		cn_impact b;
		if (!next_impact(w, k, k->pairs[i], t, &b))
			continue;
		bool together = count && b.speed > 0 && out[0].speed > 0 && fabs(b.t - out[0].t) <= tie;
		if (!together && count && b.t >= out[0].t)
			continue;
		count = together ? count : 0;
		out[count++] = b;
	}
	return count;
}

/* ---- effects of an impact */

static void note(ball_group *k, const cn_qp_contact *at, uint32_t pair, cn_qp_impulse y, double t)
{
	cn_flight *all[CN_IMPACT_BALLS];
	for (uint32_t i = 0; i < k->ball_count; ++i)
		all[i] = &k->balls[i];
	k->starved |= k->noted && !cn_flight_note(k->noted, all, at, pair, y, t);
}

/* What has held a pair since it came to rest is over, and is an impulse now. */
static void end_hold(ball_group *k, uint32_t i, double t)
{
	if (k->held[i].force > 0)
		note(k, &k->held[i].at, k->pairs[i], (cn_qp_impulse){k->held[i].force * (t - k->held[i].since), 0, 0}, t);
	k->held[i].force = 0;
}

/* Loosens the resting contacts of the two bodies that were hit. Friction between these two is noted: if they go on in
 * contact at another place, it goes on there. */
static void let_go(const cairn_world *w, ball_group *k, const cn_pair *struck, double t)
{
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		const cn_pair *p = &w->context->contacts.pairs[k->pairs[i]];
		bool mine = p->a == struck->a || p->b == struck->b || p->a == struck->b || p->b == struck->a;
		double hold = v3_length(k->grips[i].hold);
		if (p->a == struck->a && p->b == struck->b && hold > 0 && v3_length2(k->grips[i].rub) > 0) {
			bool again = k->passed.hold > 0 && k->passed.a == p->a && k->passed.b == p->b;
			k->passed.a = p->a, k->passed.b = p->b;
			k->passed.rub = v3_add(k->grips[i].rub, again ? k->passed.rub : v3_zero());
			k->passed.hold = hold + (again ? k->passed.hold : 0);
		}
		if (!mine)
			continue;
		cn_grip_loosen(w, &k->grips[i], find(k, p->a), find(k, p->b));
		if (v3_length2(k->grips[i].hold) == 0)
			end_hold(k, i, t);
	}
}

/* The contact of an impact. It acts in the middle of the gap between two balls, so that angular momentum is
 * conserved. */
static cn_qp_contact contact_of(const cairn_world *w, ball_group *k, const cn_impact *hit, double eps)
{
	const cn_pair *p = &w->context->contacts.pairs[hit->pair];
	const cn_flight *a = find(k, p->a), *b = find(k, p->b);
	double half = a && b ? 0.5 * hit->at.gap : 0;
	return (cn_qp_contact){.a = a ? (uint32_t)(a - k->balls) : CN_QP_NONE,
	                       .b = b ? (uint32_t)(b - k->balls) : CN_QP_NONE,
	                       .n = hit->at.n,
	                       .ra = v3_madd(hit->at.a, hit->at.n, half),
	                       .rb = v3_madd(hit->at.b, hit->at.n, -half),
	                       .mu = p->mu_kinetic,
	                       .eps = eps};
}

/* hits: one for each contact. False: memory ran out. */
static bool strike(const cairn_world *w, ball_group *k, const cn_qp_contact *at, const cn_impact *hits, uint32_t count)
{
	cn_flight *all[CN_IMPACT_BALLS];
	cn_flight_blow blow = {.lost = k->lost};
	for (uint32_t i = 0; i < k->ball_count; ++i)
		all[i] = &k->balls[i];
	k->starved |= !cn_flight_strike(w, all, k->ball_count, at, count, &blow);
	k->lost = blow.lost;
	for (uint32_t i = 0; i < count && !k->starved; ++i)
		note(k, &at[i], hits[i].pair, blow.y[i], hits[0].t);
	return !k->starved;
}

/* Friction that another contact of the same two bodies had goes on at this one, in proportion to its force. */
static void rub_on(const cairn_world *w, ball_group *k, cn_grip *grip, const cn_qp_contact *at)
{
	uint32_t slot_a = at->a != CN_QP_NONE ? k->balls[at->a].slot : CN_QP_NONE,
			 slot_b = at->b != CN_QP_NONE ? k->balls[at->b].slot : CN_QP_NONE;
	if (!(k->passed.hold > 0) || (slot_a != CN_QP_NONE && slot_a != k->passed.a) ||
	    (slot_b != CN_QP_NONE && slot_b != k->passed.b))
		return;
	v3 rub = v3_madd(k->passed.rub, at->n, -v3_dot(at->n, k->passed.rub));
	grip->ra = at->ra, grip->rb = at->rb;
	grip->rub = v3_scale(rub, v3_length(grip->hold) / k->passed.hold);
	cn_grip_rub(w, grip, slot_a != CN_QP_NONE ? &k->balls[at->a] : NULL,
	            slot_b != CN_QP_NONE ? &k->balls[at->b] : NULL);
	k->passed.hold = 0;
}

/* Holds two balls that have come to rest against each other for the rest of the frame. */
static void settle(const cairn_world *w, ball_group *k, const cn_impact *hit)
{
	const cn_pair *p = &w->context->contacts.pairs[hit->pair];
	cn_flight *a = find(k, p->a), *b = find(k, p->b);
	double ia = a ? w->rotors[a->slot].inv_mass : 0, ib = b ? w->rotors[b->slot].inv_mass : 0,
		   force = hit->nears / (ia + ib);
	cn_qp_contact at = contact_of(w, k, hit, 0);
	strike(w, k, &at, hit, 1);
	let_go(w, k, p, hit->t);
	if (a)
		a->a = v3_madd(a->a, hit->at.n, -force * ia);
	if (b)
		b->a = v3_madd(b->a, hit->at.n, force * ib);
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		if (k->pairs[i] != hit->pair)
			continue;
		end_hold(k, i, hit->t);
		k->grips[i].hold = v3_madd(k->grips[i].hold, hit->at.n, force);
		rub_on(w, k, &k->grips[i], &at);
		k->held[i].since = hit->t, k->held[i].force = force, k->held[i].at = at;
	}
}

/* Ever shorter bounces end after a finite time. True: that is before the frame's end. */
static bool tail_ends(const cairn_world *w, const cn_impact *hit, double eps)
{
	return eps < 1 && hit->nears > 0 && 2 * hit->speed * eps <= (w->dt - hit->t) * hit->nears * (1 - eps);
}

/* The impact is a real one. A slow contact without restitution rests instead. */
static bool counts(const cairn_world *w, const cn_impact *b)
{
	const cn_context *c = w->context;
	return b->speed > (c->contacts.pairs[b->pair].eps > 0 ? 0 : c->threshold);
}

/* The ball comes to this contact by its own velocity, however slowly, as it does where it rolls from one facet to the next:
 * its velocity turns where the two facets meet, and not before. */
static bool crosses(const cairn_world *w, const cn_impact *b)
{
	return b->speed - b->nears * b->t > CN_IMPACT_MIN * w->context->gravity * w->dt;
}

/* Marks the pairs of a group that hit. More crossings than a flight has impacts, two each, are left to rest, whose rows
 * then see a smooth surface. True: there are any. */
static bool mark_hits(cairn_world *w, ball_group *k)
{
	cn_context *c = w->context;
	uint32_t crossings = 0, hits = 0;
	uint8_t met[CN_IMPACT_PAIRS];
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		cn_impact b;
		bool some = next_impact(w, k, k->pairs[i], 0, &b);
		met[i] = some && crosses(w, &b);
		c->contacts.pairs[k->pairs[i]].flight.hits = some && counts(w, &b);
		crossings += met[i];
	}
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		cn_pair *p = &c->contacts.pairs[k->pairs[i]];
		p->flight.hits |= met[i] && 2 * crossings <= CN_BALL_IMPACTS;
		hits += p->flight.hits;
	}
	return hits;
}

/* ---- the stages */

static bool choose(cairn_world *w)
{
	static const held_pairs none = {NULL, 0};
	cn_context *c = w->context;
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots && !any; ++slot)
		any = cn_body_movable(w, slot) && cn_flight_ball(w, slot);
	if (!any)
		return true;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	group_state *states;
	if (!cn_graph_links(w) || !CN_LOCAL(states, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		ball_group k;
		if (states[slot] || !cn_body_movable(w, slot) || c->graph.link_first[slot] == c->graph.link_first[slot + 1])
			continue;
		bool flies = gather(w, slot, states, &k);
		for (uint32_t i = 0; i < k.ball_count; ++i)
			states[k.balls[i].slot] = flies ? FITS : UNFIT;
		if (!flies)
			continue;
		set_off(w, &none, &k);
		bool hits = mark_hits(w, &k);
		for (uint32_t i = 0; i < k.ball_count; ++i)
			c->paths.by_slot[k.balls[i].slot].flight.kind = hits ? CN_FLYING_BALL : CN_FLYING_NOT;
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* Follows the group from impact to impact. False: there are too many, or memory ran out. */
static bool fly(const cairn_world *w, ball_group *k, uint32_t *count)
{
	double t = 0;
	for (uint32_t round = 0; round < CN_BALL_IMPACTS; ++round) {
		cn_impact hits[CN_IMPACT_PAIRS];
		cn_qp_contact at[CN_IMPACT_PAIRS];
		uint32_t together = first_impacts(w, k, t, hits);
		advance(w, k, (together ? hits[0].t : w->dt) - t);
		if (!together) {
			for (uint32_t i = 0; i < k->pair_count; ++i)
				end_hold(k, i, w->dt);
			return !k->starved;
		}
		t = hits[0].t;
		if (hits[0].speed == 0) {
			settle(w, k, &hits[0]);
			continue;
		}
		for (uint32_t i = 0; i < together; ++i) {
			double eps = w->context->contacts.pairs[hits[i].pair].eps;
			at[i] = contact_of(w, k, &hits[i], tail_ends(w, &hits[i], eps) ? 0 : eps);
			*count += hits[i].speed > w->context->threshold;
		}
		if (!strike(w, k, at, hits, together))
			return false;
		for (uint32_t i = 0; i < together; ++i)
			let_go(w, k, &w->context->contacts.pairs[hits[i].pair], t);
	}
	return false;
}

/* Every ball turns at most a quarter turn, which one piece can show. */
static bool showable(const cairn_world *w, const ball_group *k)
{
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		const cn_flight *b = &k->balls[i];
		double turn = (v3_length(w->motion[b->slot].l) + v3_length(b->l)) * w->rotors[b->slot].inv_moments.x * w->dt;
		if (w->pieces[b->slot] > 1 || turn > CN_PIECE_TURN)
			return false;
	}
	return true;
}

/* An impact upsets the forces that hold balls leaning on each other, and the remaining forces may accelerate a ball.
 * The gain of energy shows it. Such a group is left to the bounce at the frame's end. */
static bool gains(const cairn_world *w, const ball_group *k)
{
	cn_flight_gains sum = {0, 0};
	for (uint32_t i = 0; i < k->ball_count; ++i)
		cn_flight_gain(w, &k->balls[i], &sum);
	return sum.won > sum.little;
}

/* Makes the end of the flight the target and accounts for its energy. */
static void arrive(cairn_world *w, const ball_group *k, cairn_energy *e)
{
	double made = 0;
	for (uint32_t i = 0; i < k->ball_count; ++i)
		made += cn_flight_arrive(w, &k->balls[i]);
	e->impacts += k->lost;
	e->friction -=
		made + k->lost; /* of impacts, and of resting contacts that acted on other paths than they were solved for */
}

/* Follows the flights of all islands to their ends. last: makes them final; else only the targets are set, to search
 * for pairs there. False: memory ran out. */
static bool fly_all(cairn_world *w, const held_pairs *held, bool last, cn_frame *f)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	group_state *states;
	if (!CN_LOCAL(states, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		ball_group k;
		uint32_t count = 0, noted = w->log.impacts.count;
		if (!c->paths.by_slot[slot].flight.kind || states[slot])
			continue;
		bool ok = gather(w, slot, states, &k);
		for (uint32_t i = 0; i < k.ball_count; ++i)
			states[k.balls[i].slot] = FITS;
		set_off(w, held, &k);
		k.noted = last ? w : NULL;
		ok = ok && fly(w, &k, &count) && showable(w, &k) && !gains(w, &k);
		if (k.starved)
			return false;
		for (uint32_t i = 0; i < k.ball_count; ++i) {
			cn_path *y = &c->paths.by_slot[k.balls[i].slot];
			y->flight.kind = ok ? CN_FLYING_BALL : CN_FLYING_NOT;
			cn_path_aim(y, k.balls[i].x, w->motion[k.balls[i].slot].q);
		}
		w->log.impacts.count = ok ? w->log.impacts.count : noted;
		if (!ok || !last)
			continue;
		arrive(w, &k, &f->report.energy);
		f->report.collisions += count;
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

bool cn_flight_run(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	held_pairs held;
	bool any = false, ok = true, more = true;
	for (uint32_t slot = 0; slot < w->slots && !any; ++slot)
		any = c->paths.by_slot[slot].flight.kind;
	ok = !any || note_held(w, &held);
	for (uint32_t round = 0; any && ok && more && round < CN_IMPACT_LOOKS; ++round)
		ok = cn_graph_links(w) && fly_all(w, &held, false, f) && cn_flight_find_pairs(w, &more);
	if (any)
		ok = ok && cn_graph_links(w) && fly_all(w, &held, true, f);
	cn_arena_return(&c->temporary, mark);
	if (w->scene->options.hybrid)
		ok = ok && cn_hybrid_fly(w, f);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}

bool cn_flight_choose(cairn_world *w, cn_frame *f)
{
	bool ok = choose(w);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
