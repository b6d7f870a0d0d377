/* Who may have met whom in a frame, from keys and gaps: bodies of which it is proved that they did not were free. */
#include "watch.h"

#include <stdlib.h>

static const double near_gap =
	25e-3; /* of the thinner body: 25 kept gaps count as touching; blows act as far as 20 away */

/* Two bodies were apart all through the frame if their balls were, or if the plane between
 * them at its end, carried back in time, keeps what each can have reached of it to its own side. */

static vec at_time(const actor *a, double time)
{
	uint32_t i = 1;
	while (i + 1 < a->key_count && a->keys[i].time < time)
		++i;
	const cairn_key *p = &a->keys[i - 1], *q = &a->keys[i];
	double length = q->time - p->time, s = length > 0 ? (time - p->time) / length : 1;
	s = s < 0 ? 0 : s > 1 ? 1 : s;
	return vec_madd(p->position, vec_sub(q->position, p->position), s);
}

typedef struct closest {
	double distance, along; /* of the centres; along an axis from a to b: the least in the frame */
} closest;

/* Relative motion is straight between keys of either, so the least along the axis is at a key; the least distance is
 * looked for on every piece. */
static closest approach(const actor *a, const actor *b, vec axis)
{
	closest c = {INFINITY, INFINITY};
	uint32_t i = 1, k = 1;
	vec from = vec_sub(first_key(b)->position, first_key(a)->position);
	for (;;) {
		c.along = fmin(c.along, vec_dot(axis, from));
		if (i >= a->key_count && k >= b->key_count)
			break;
		double ta = i < a->key_count ? a->keys[i].time : INFINITY, tb = k < b->key_count ? b->keys[k].time : INFINITY;
		double time = fmin(ta, tb);
		i += ta <= time, k += tb <= time;
		vec to = vec_sub(at_time(b, time), at_time(a, time)), d = vec_sub(to, from);
		double square = vec_dot(d, d), s = square > 0 ? -vec_dot(from, d) / square : 0;
		s = s < 0 ? 0 : s > 1 ? 1 : s;
		c.distance = fmin(c.distance, vec_length(vec_madd(from, d, s)));
		from = to;
	}
	return c;
}

static bool stayed_apart(const watch *w, const actor *a, const actor *b)
{
	double margin = near_gap * fmin(a->thickness, b->thickness) + a->loose + b->loose;
	closest c = approach(a, b, vec_make(0, 0, 0));
	if (c.distance > a->info.radius + b->info.radius + margin)
		return true;
	cairn_gap g;
	if (!cairn_world_gap(w->world, a->body, b->body, &g))
		return true;
	if (g.gap > a->path + b->path + a->arc + b->arc + margin)
		return true;
	if (!a->convex || !b->convex || !(g.gap > margin))
		return false;
	double reach_a = vec_dot(g.normal, vec_sub(g.point_a, last_key(a)->position)) + a->arc;
	double reach_b = vec_dot(g.normal, vec_sub(last_key(b)->position, g.point_b)) + b->arc;
	c = approach(a, b, g.normal);
	return c.along > fmin(reach_a, a->info.radius) + fmin(reach_b, b->info.radius) + margin;
}

uint32_t group_of(watch *w, uint32_t i)
{
	while (w->actors[i].group != i)
		i = w->actors[i].group = w->actors[w->actors[i].group].group;
	return i;
}

static void meet_pair(watch *w, uint32_t i, uint32_t k)
{
	actor *a = &w->actors[i], *b = &w->actors[k];
	bool collide = (a->info.group & b->info.mask) && (b->info.group & a->info.mask);
	if ((a->info.type != CAIRN_DYNAMIC && b->info.type != CAIRN_DYNAMIC) || !collide || stayed_apart(w, a, b))
		return;
	a->touches = b->touches = true;
	if (a->rig != b->rig)
		a->touched = b->touched = true;
	if (a->info.type == CAIRN_DYNAMIC && b->info.type == CAIRN_DYNAMIC) {
		w->actors[group_of(w, i)].group = group_of(w, k);
	} else {
		const actor *other = a->info.type == CAIRN_DYNAMIC ? b : a;
		uint32_t mine = a->info.type == CAIRN_DYNAMIC ? i : k;
		double speed = other->info.type == CAIRN_SCRIPTED && w->dt > 0 ? (other->path + other->arc) / w->dt : 0;
		w->speed[mine] = fmax(w->speed[mine], speed);
	}
}

static double low_x(const actor *a) { return a->low.x - a->info.radius; }

static const actor *sorted; /* qsort has no context */

static int by_low(const void *p, const void *q)
{
	double a = low_x(&sorted[*(const uint32_t *)p]), b = low_x(&sorted[*(const uint32_t *)q]);
	return a < b ? -1 : a > b;
}

static void pair_up(watch *w)
{
	for (uint32_t i = 0; i < w->count; ++i) {
		w->actors[i].group = w->order[i] = i;
		w->energy[i] = w->speed[i] = 0;
	}
	sorted = w->actors;
	if (w->count)
		qsort(w->order, w->count, sizeof *w->order, by_low);
	for (uint32_t i = 0; i < w->count; ++i) {
		const actor *a = &w->actors[w->order[i]];
		double margin = 0.1 * (isfinite(a->size) ? a->size : 0), end = a->high.x + a->info.radius + margin;
		for (uint32_t k = i + 1; k < w->count && !(low_x(&w->actors[w->order[k]]) > end); ++k)
			meet_pair(w, w->order[i], w->order[k]);
	}
	for (uint32_t i = 0; i < w->count; ++i)
		w->actors[group_of(w, i)].group = group_of(w, w->actors[i].rig);
}

static void note_contact(watch *w, const uint32_t *place, cairn_body body, const cairn_contact *c)
{
	actor *a = &w->actors[place[body.index]];
	if (same(a->body, body) && (c->gap < near_gap * a->thickness || vec_length(c->impulse) > 0)) {
		a->touches = true;
		a->touched = a->touched || a->plain; /* of a rig it may be its own */
	}
}

/* Contacts that press, or as near as that, at the frame's end. */
static void note_contacts(watch *w)
{
	if (!w->actors)
		return;
	uint32_t count = cairn_world_contacts(w->world, NULL, 0), most = 0;
	for (uint32_t i = 0; i < w->count; ++i)
		most = w->actors[i].body.index > most ? w->actors[i].body.index : most;
	cairn_contact *list = count ? malloc(count * sizeof *list) : NULL;
	uint32_t *place = list ? calloc(most + 1, sizeof *place) : NULL;
	count = place ? cairn_world_contacts(w->world, list, count) : 0;
	for (uint32_t i = 0; i < w->count && place; ++i)
		place[w->actors[i].body.index] = i;
	for (uint32_t i = 0; i < count; ++i) {
		if (list[i].a.index <= most)
			note_contact(w, place, list[i].a, &list[i]);
		if (list[i].b.index <= most)
			note_contact(w, place, list[i].b, &list[i]);
	}
	free(place);
	free(list);
}

void find_groups(watch *w)
{
	pair_up(w);
	note_contacts(w);
}
