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
	double lost;        /* J: energy lost along normals */
	bool starved;       /* memory ran out */
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
	k->starved = false;
	k->balls[k->ball_count++].slot = first;
	for (uint32_t i = 0; i < k->ball_count; ++i) {
		uint32_t slot = k->balls[i].slot;
		if (!cn_flight_ball(w, slot) || spins(w, slot))
			return false;
		for (uint32_t j = c->graph.link_first[slot]; j < c->graph.link_first[slot + 1]; ++j) {
			const cn_pair *p = &c->contacts.pairs[c->graph.links[j]];
			uint32_t other = p->a == slot ? p->b : p->a;
			if (!p->near && !p->meets)
				continue;
			if (p->must_not_touch || p->script_moves || k->pair_count == CN_IMPACT_PAIRS)
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

static void set_off(const cairn_world *w, ball_group *k)
{
	for (uint32_t i = 0; i < k->ball_count; ++i)
		k->balls[i] = cn_flight_begin(w, k->balls[i].slot);
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		k->grips[i] = cn_grip_begin(w, &w->context->contacts.pairs[k->pairs[i]]);
		k->held[i].force = 0;
	}
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

/* Loosens the resting contacts of the two bodies that were hit. */
static void let_go(const cairn_world *w, ball_group *k, const cn_pair *struck, double t)
{
	for (uint32_t i = 0; i < k->pair_count; ++i) {
		const cn_pair *p = &w->context->contacts.pairs[k->pairs[i]];
		bool mine = p->a == struck->a || p->b == struck->b || p->a == struck->b || p->b == struck->a;
		if (p->count == 0 || !mine)
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

/* ---- the stages */

static bool choose(cairn_world *w)
{
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
		bool flies = gather(w, slot, states, &k), hits = false;
		for (uint32_t i = 0; i < k.ball_count; ++i)
			states[k.balls[i].slot] = flies ? FITS : UNFIT;
		if (!flies)
			continue;
		set_off(w, &k);
		for (uint32_t i = 0; i < k.pair_count; ++i) {
			cn_impact b;
			cn_pair *p = &c->contacts.pairs[k.pairs[i]];
			p->hits = next_impact(w, &k, k.pairs[i], 0, &b) && counts(w, &b);
			hits |= p->hits;
		}
		for (uint32_t i = 0; i < k.ball_count; ++i)
			c->paths.by_slot[k.balls[i].slot].flying = hits ? CN_FLYING_BALL : CN_FLYING_NOT;
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
static bool fly_all(cairn_world *w, bool last, cn_frame *f)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	group_state *states;
	if (!CN_LOCAL(states, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		ball_group k;
		uint32_t count = 0, noted = w->log.impacts.count;
		if (!c->paths.by_slot[slot].flying || states[slot])
			continue;
		bool ok = gather(w, slot, states, &k);
		for (uint32_t i = 0; i < k.ball_count; ++i)
			states[k.balls[i].slot] = FITS;
		set_off(w, &k);
		k.noted = last ? w : NULL;
		ok = ok && fly(w, &k, &count) && showable(w, &k) && !gains(w, &k);
		if (k.starved)
			return false;
		for (uint32_t i = 0; i < k.ball_count; ++i) {
			c->paths.by_slot[k.balls[i].slot].flying = ok ? CN_FLYING_BALL : CN_FLYING_NOT;
			c->paths.by_slot[k.balls[i].slot].target_x = k.balls[i].x;
			c->paths.by_slot[k.balls[i].slot].target_q = w->motion[k.balls[i].slot].q;
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
	bool any = false, ok = true, more = true;
	for (uint32_t slot = 0; slot < w->slots && !any; ++slot)
		any = c->paths.by_slot[slot].flying;
	for (uint32_t round = 0; any && ok && more && round < CN_IMPACT_LOOKS; ++round)
		ok = cn_graph_links(w) && fly_all(w, false, f) && cn_flight_find_pairs(w, &more);
	if (any)
		ok = ok && cn_graph_links(w) && fly_all(w, true, f);
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
