/* Two bodies that meet by a front may have hundreds of contact points, as nested cups do. Momentum programs use the few
 * that span the same forces: those that touch first, of these those that held the bodies last time, and of these always
 * the one whose wrench (n, r x n / radius) is furthest from all that were taken. Position programs use all points. */
#include "base/sort.h"
#include "base/tolerance.h"
#include "step/context.h"

enum { FRONT_POINTS = 6 * CN_MOMENTUM_POINTS }; /* of two bodies at most: four times the six directions of a wrench */

/* A main point of a front. */
typedef struct candidate {
	v3 force, moment; /* of a unit force, and of it about a's centre by the radius of the smaller body */
	cn_pair_point *point;
	double apart; /* squared distance from the wrenches taken so far */
	uint8_t tier; /* 0: held and touches; 1: touches; 2: neither */
	bool taken;
} candidate;

static double distance2(const candidate *a, const candidate *b)
{
	return v3_length2(v3_sub(a->force, b->force)) + v3_length2(v3_sub(a->moment, b->moment));
}

static void take(candidate *all, uint32_t count, uint32_t which)
{
	all[which].taken = true;
	for (uint32_t i = 0; i < count; ++i) {
		double d = distance2(&all[i], &all[which]);
		all[i].apart = d < all[i].apart ? d : all[i].apart;
	}
}

/* The one of a tier that is furthest from those taken; count: none is far enough. */
static uint32_t furthest(const candidate *all, uint32_t count, uint8_t tier)
{
	uint32_t best = count;
	double most = CN_UNIT_ROUNDING;
	for (uint32_t i = 0; i < count; ++i)
		if (all[i].tier == tier && !all[i].taken && all[i].apart > most)
			most = all[i].apart, best = i;
	return best;
}

/* Points that are no longer main ones hand their load to the nearest that is. */
static void hand_over(const candidate *all, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t nearest = count;
		double min = INFINITY;
		for (uint32_t j = 0; j < count && !all[i].taken; ++j)
			if (all[j].taken && distance2(&all[i], &all[j]) < min)
				min = distance2(&all[i], &all[j]), nearest = j;
		if (nearest == count)
			continue;
		if (v3_length2(all[i].point->rest.impulse) > 0)
			cn_point_take_load(all[nearest].point, &all[i].point->rest);
		cn_point_set_load(all[i].point, v3_zero(), false);
		all[i].point->main = false;
	}
}

static void choose(candidate *all, uint32_t count)
{
	uint32_t taken = 0;
	for (uint8_t tier = 0; tier < 3; ++tier)
		for (uint32_t k; taken < FRONT_POINTS && (k = furthest(all, count, tier)) < count; ++taken)
			take(all, count, k);
	hand_over(all, count);
}

static candidate candidate_of(const cairn_world *w, const cn_pair *p, cn_pair_point *t)
{
	double ra = w->bodies[p->a].radius, rb = w->bodies[p->b].radius, radius = ra < rb ? ra : rb;
	v3 arm = ra < rb ? t->ra : t->rb;
	bool touches = t->gap <= CN_TOUCH_GAP * p->gap_target, holds = v3_length2(t->rest.impulse) > 0;
	return (candidate){.force = p->at.n,
	                   .moment = v3_scale(v3_cross(arm, p->at.n), 1 / radius),
	                   .point = t,
	                   .apart = INFINITY,
	                   .tier = touches ? !holds : 2};
}

/* Collects the main points of some pairs, in order, and chooses among them. */
static void choose_among(cairn_world *w, const cn_sort_item *items, uint32_t count, candidate *all)
{
	cn_contacts *c = &w->context->contacts;
	uint32_t points = 0;
	for (uint32_t i = 0; i < count; ++i) {
		const cn_pair *p = &c->pairs[items[i].value];
		for (uint32_t k = 0; k < p->count; ++k)
			if (c->points[p->first + k].main)
				all[points++] = candidate_of(w, p, &c->points[p->first + k]);
	}
	if (points > FRONT_POINTS)
		choose(all, points);
}

bool cn_fronts_reduce(cairn_world *w)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	cn_sort_item *items, *scratch;
	candidate *all;
	uint32_t count = 0, points = 0;
	if (!CN_LOCAL(items, c->contacts.pair_count + 1) || !CN_LOCAL(scratch, c->contacts.pair_count + 1))
		return false;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!p->near || p->split || !cn_pair_of_front(&c->contacts, p))
			continue;
		points += p->count;
		items[count++] = (cn_sort_item){(uint64_t)p->a << 32 | p->b, i};
	}
	if (points <= FRONT_POINTS) {
		cn_arena_return(&c->temporary, mark);
		return true;
	}
	if (!CN_LOCAL(all, points))
		return false;
	cn_sort(items, scratch, count);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && items[end].key == items[i].key;)
			++end;
		choose_among(w, items + i, end - i, all);
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}
