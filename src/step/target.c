/* Where bodies would go in the position stage, and which of them take part in it. See crowd.h. */
#include "step/impact.h"

#include <string.h>

/* ---- which bodies take part */

/* Bodies at rest keep their poses while nothing that moves is near them. */
static bool idle(const cairn_world *w, uint32_t slot)
{
	const cn_motion *m = &w->next[slot], *from = &w->motion[slot];
	return v3_length2(m->v) == 0 && v3_length2(m->l) == 0 && v3_length2(from->v) == 0 && v3_length2(from->l) == 0;
}

/* Bodies that touch another without a gap are left alone while they hardly move: there may be no room to open one, and what
 * sweeps leave over is no motion. They keep their speed, so what gathers speed soon goes. */
static void mark_tight(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	double still = CN_STILL * c->gravity * w->dt * w->dt;
	memset(c->flags, 0, w->slots);
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->near && !p->barred && p->start < CN_TIGHT * p->kept && j < 2; ++j) {
			const cn_stride *s = &c->strides[slots[j]];
			if (v3_length(s->dx) + s->swing < still)
				c->flags[slots[j]] = 1;
		}
	}
}

/* Motion of the bodies in c->queue, from head to tail, spreads over contacts that are closed, unless it is a mere stir
 * and there is a gap. Returns the new tail. */
static uint32_t flood(cairn_world *w, uint32_t head, uint32_t tail)
{
	cn_crowd *c = w->crowd;
	for (; head < tail; ++head) {
		uint32_t slot = c->queue[head];
		for (uint32_t k = c->link_first[slot]; k < c->link_first[slot + 1]; ++k) {
			const cn_close *p = &c->pairs[c->links[k]];
			uint32_t other = p->a == slot ? p->b : p->a;
			const cn_stride *s = &c->strides[slot];
			double far = v3_length(s->dx) + s->swing;
			if (c->flags[other] || !cn_crowd_movable(w, other) || !p->near || p->barred || p->at.gap > p->asked + far)
				continue;
			c->flags[other] = 1;
			c->queue[tail++] = other;
		}
		for (uint32_t n = 0, other; (other = cn_rig_bodies(w, slot, n)) != CN_QP_NONE; ++n)
			if (!c->flags[other] && cn_crowd_movable(w, other))
				c->flags[other] = 1, c->queue[tail++] = other;
	}
	return tail;
}

/* c->flags: 1 where a body may have to move: it moves by itself, or others reach it; last those that scripts alone do. */
static bool spread(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	uint32_t tail = 0;
	if (!cn_crowd_links(w))
		return false;
	mark_tight(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->flags[slot] = cn_crowd_movable(w, slot) && !idle(w, slot) && !c->flags[slot];
		if (c->flags[slot])
			c->queue[tail++] = slot;
	}
	flood(w, 0, tail);
	tail = 0;
	for (uint32_t slot = 0; slot < w->slots && c->driven; ++slot)
		if (c->ways[slot].driven)
			c->queue[tail++] = slot;
	uint32_t scripts = tail;
	tail = flood(w, 0, tail);
	for (uint32_t k = scripts; k < tail; ++k)
		c->ways[c->queue[k]].lent = true;
	return true;
}

/* ---- targets */

/* A body with keys of its own, but for one in flight, is near enough to another to be pushed by it. */
static bool touching(const cn_crowd *c, const cn_close *p)
{
	const cn_way *a = &c->ways[p->a], *b = &c->ways[p->b];
	return p->near && p->start < CN_HOP_GAP * p->kept && ((a->kept && !a->flies) || (b->kept && !b->flies));
}

/* A body that turns through several keys keeps them if it touches nothing and its free motion meets nothing. Else it comes
 * under rows, and turns no further than to its first key. */
static void limit_spinners(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		cn_way *a = &c->ways[p->a], *b = &c->ways[p->b];
		if (p->barred || (!a->kept && !b->kept) || (!touching(c, p) && cn_ways_free(w, p, false)))
			continue;
		a->busy |= cn_crowd_movable(w, p->a), b->busy |= cn_crowd_movable(w, p->b);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) /* a rig as a whole, which goes no further than its first key */
		for (uint32_t n = 0, other; c->ways[slot].busy && (other = cn_rig_bodies(w, slot, n)) != CN_QP_NONE; ++n) {
			c->ways[other].busy |= cn_crowd_movable(w, other);
			if (c->ways[other].kept)
				c->ways[other].target_x = w->next_extras[c->ways[other].first].key.position;
		}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &c->ways[slot];
		if (!y->busy || !y->kept || y->flies)
			continue;
		y->target_q = w->next_extras[y->first].key.orientation;
		y->kept = 0;
		++f->report.tiers[CAIRN_TIER_FAST];
	}
}

/* A rig of which one body is under rows is so as a whole. */
static void busy_rigs(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		for (uint32_t n = 0, other; c->ways[slot].busy && (other = cn_rig_bodies(w, slot, n)) != CN_QP_NONE; ++n)
			c->ways[other].busy |= cn_crowd_movable(w, other) && !c->ways[other].kept;
}

/* ---- fast ones */

/* It goes so far that it may come to be on the other side of another, and nothing else leads it. */
static bool dashes(const cairn_world *w, const cn_close *p)
{
	const cn_crowd *c = w->crowd;
	const uint32_t slots[2] = {p->a, p->b};
	double least = INFINITY;
	if (!p->near || p->barred || p->driven)
		return false;
	for (int i = 0; i < 2; ++i) {
		const cn_way *y = &c->ways[slots[i]];
		if (y->flies || y->struck || y->kept || cn_rig_of(w, slots[i]) != CN_QP_NONE)
			return false;
		if (y->busy && w->bodies[slots[i]].radius < least)
			least = w->bodies[slots[i]].radius;
	}
	return cn_crowd_motion(c, p) > CN_DASH * least;
}

static const cn_flight *flight_of(const cairn_world *w, uint32_t slot, cn_flight *room)
{
	if (!w->crowd->ways[slot].busy)
		return NULL;
	*room = cn_flight_begin(w, slot);
	return room;
}

static void stop_at(cairn_world *w, uint32_t slot, double time)
{
	cn_way *y = &w->crowd->ways[slot];
	cn_flight at = cn_flight_begin(w, slot);
	cn_flight_advance(w, &at, time);
	y->target_x = at.x;
	if (w->pieces[slot] == 1) /* others turn to their first key at most */
		y->target_q = at.q;
}

/* They meet within the frame, and mostly head-on: what glances off goes on. */
static bool collide(const cairn_world *w, uint32_t pair, double *time)
{
	const cn_close *p = &w->crowd->pairs[pair];
	cn_flight a, b;
	cn_blow hit;
	if (!cn_blow_any(w, pair, flight_of(w, p->a, &a), flight_of(w, p->b, &b), 0, w->crowd->threshold, &hit))
		return false;
	*time = hit.t;
	return hit.t > 0 && hit.speed * w->dt > CN_DASH_ALONG * cn_crowd_motion(w->crowd, p);
}

enum { SEVERAL = UINT32_MAX - 1 }; /* not one partner */

/* Targets beyond each other lead two fast bodies round each other, where they would meet head-on. So they go to where
 * they meet, and the bounce finds them there. But not if one of them meets something else, too: then more is lost by
 * stopping than by going on. */
static void stop_dashing(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	uint32_t *partner = c->queue;
	double *time = c->before; /* s: of the first meeting */
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		time[slot] = w->dt, partner[slot] = CN_QP_NONE;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		double t;
		if (!dashes(w, p) || !collide(w, i, &t))
			continue;
		time[p->a] = t < time[p->a] ? t : time[p->a], time[p->b] = t < time[p->b] ? t : time[p->b];
		partner[p->a] = partner[p->a] == CN_QP_NONE || partner[p->a] == p->b ? p->b : SEVERAL;
		partner[p->b] = partner[p->b] == CN_QP_NONE || partner[p->b] == p->a ? p->a : SEVERAL;
	}
	for (uint32_t a = 0; a < w->slots; ++a) {
		uint32_t b = partner[a];
		if (b >= SEVERAL || b < a || partner[b] != a || !c->ways[a].busy || !c->ways[b].busy)
			continue;
		stop_at(w, a, time[a]);
		stop_at(w, b, time[b]);
	}
}

/* The free motion is the goal. Bodies with neighbours come under rows; all stand at the frame's start again. */
bool cn_targets_set(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	uint32_t extra = 0;
	if (!spread(w))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &c->ways[slot];
		uint32_t pieces = w->bodies[slot].alive ? w->pieces[slot] : 1;
		y->first = extra;
		extra += pieces - 1;
		y->kept = y->script ? 0 : (uint8_t)(pieces - 1);
		y->clock = y->due; /* of scripts, for what flies past them */
		y->goal_x = y->target_x = w->next[slot].x, y->goal_q = y->target_q = w->next[slot].q;
		c->flags[slot] |= y->flies;
		y->stays = cn_crowd_movable(w, slot) && !c->flags[slot];
		if (y->stays)
			y->target_x = w->motion[slot].x, y->target_q = w->motion[slot].q, y->kept = 0;
	}
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		if (!p->near || p->barred || (!c->flags[p->a] && !c->flags[p->b]))
			continue;
		c->ways[p->a].busy |= c->flags[p->a] && !c->ways[p->a].kept && !c->ways[p->a].flies;
		c->ways[p->b].busy |= c->flags[p->b] && !c->ways[p->b].kept && !c->ways[p->b].flies;
	}
	busy_rigs(w);
	cn_hybrid_prove(w);
	cn_yield_engage(w);
	limit_spinners(w, f);
	cn_hybrid_ground(w, f);
	stop_dashing(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		w->next[slot].x = w->motion[slot].x, w->next[slot].q = w->motion[slot].q;
		c->ways[slot].clock = c->ways[slot].begin;
	}
	c->under_way = true;
	return true;
}

/* What is not under rows goes to its target in the first leg. */
void cn_targets_fly(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &c->ways[slot];
		if (y->script && !y->engaged)
			cn_yield_set(w, slot, y->due);
		if (y->busy || !cn_crowd_movable(w, slot) || cn_stood(y->target_x, y->target_q, &w->next[slot]))
			continue;
		w->next[slot].x = y->target_x, w->next[slot].q = y->target_q;
		y->moved = true;
		cn_crowd_place(w, slot);
	}
}
