/* Narrow phase: the separation of a pair at the trial poses, and its contact points. Points keep their warm-start
 * impulses from round to round by their feature. Pairs whose bodies have not moved take their result from the cache.
 * */
#include "step/contact/contact.h"
#include "step/context.h"
#include "step/frame/substeps.h"

#include <string.h>

/* Hands the impulse of a point that is gone, or no longer a main one, to the nearest main point. Features change as
 * bodies shift, but the load stays. */
static void hand_over(const cn_pair_point *gone, cn_pair_point *at, uint32_t count)
{
	uint32_t nearest = count;
	double min = INFINITY;
	for (uint32_t i = 0; i < count; ++i) {
		double d = v3_length2(v3_sub(at[i].ra, gone->ra));
		if (at[i].main && d < min)
			min = d, nearest = i;
	}
	if (nearest == count)
		return;
	at[nearest].impulse = v3_add(at[nearest].impulse, gone->impulse);
	at[nearest].sliding |= gone->sliding;
}

/* The set holds the same few main points as the pair, a little moved. */
static bool same_points(const cn_pair_point *at, const cn_pair *p, const cn_contact_set *set)
{
	if (set->count != p->count || set->count > CN_MOMENTUM_POINTS)
		return false;
	for (uint32_t i = 0; i < set->count; ++i)
		if (at[i].feature != set->points[i].feature || !at[i].main)
			return false;
	return true;
}

/* Stores the points of a set and copies impulses from old points with the same feature. False: the pair has no room
 * for all of them. */
static bool store_points(cairn_world *w, cn_pair *p, const cn_contact_set *set)
{
	cn_context *c = w->context;
	cn_pair_point old[CN_CONTACT_MOST], *at = &c->contacts.points[p->first];
	uint32_t old_count = p->count, j = 0;
	if (set->count > p->room)
		return false;
	v3 to_a = v3_sub(c->contacts.now[p->pa].x, w->next[p->a].x),
	   to_b = v3_sub(c->contacts.now[p->pb].x, w->next[p->b].x);
	if (same_points(at, p, set)) {
		for (uint32_t i = 0; i < set->count; ++i) {
			const cn_contact_point *q = &set->points[i];
			at[i].ra = v3_add(to_a, q->a), at[i].rb = v3_add(to_b, q->b), at[i].gap = q->gap;
		}
		return true;
	}
	memcpy(old, at, old_count * sizeof *old);
	uint64_t few = set->count > CN_MOMENTUM_POINTS
	                   ? cn_contact_choose(set, CN_MOMENTUM_POINTS, CN_TOUCH_GAP * p->gap_target)
	                   : UINT64_MAX;
	for (uint32_t i = 0; i < set->count; ++i) {
		const cn_contact_point *q = &set->points[i];
		at[i] = (cn_pair_point){.ra = v3_add(to_a, q->a),
		                        .rb = v3_add(to_b, q->b),
		                        .gap = q->gap,
		                        .feature = q->feature,
		                        .main = few >> i & 1};
	}
	p->count = set->count;
	for (uint32_t i = 0; i < old_count; ++i) {
		while (j < p->count && at[j].feature < old[i].feature)
			++j;
		bool known = j < p->count && at[j].feature == old[i].feature;
		if (known)
			at[j].push = old[i].push, at[j].first_push = old[i].first_push, at[j].left = old[i].left;
		if (known && at[j].main) {
			at[j].impulse = v3_add(at[j].impulse, old[i].impulse);
			at[j].sliding |= old[i].sliding;
		} else if (v3_length2(old[i].impulse) > 0) {
			hand_over(&old[i], at, p->count);
		}
	}
	return true;
}

static cn_separation apart_at(const cn_context *c, const cn_pair *p, const cn_place *places)
{
	cn_separation at;
	cn_witness witness = p->witness;
	cn_separate_beyond(&(cn_convex_pair){c->contacts.parts[p->pa].convex, &places[p->pa],
	                                     c->contacts.parts[p->pb].convex, &places[p->pb]},
	                   p->reach, &witness, &at);
	return at;
}

/* Records the gap at the start of the frame and of the leg. A pair found later is measured at the poses that its
 * bodies had then. */
static void begin_pair(const cairn_world *w, cn_pair *p)
{
	const cn_context *c = w->context;
	cn_separation start = p->at, leg = p->at;
	if (c->under_way)
		start = apart_at(c, p, c->contacts.start), leg = apart_at(c, p, c->contacts.leg_start);
	p->frame_start.gap = start.gap, p->frame_start.axis = start.n;
	p->leg_start.gap = leg.gap, p->leg_start.axis = leg.n;
	p->fresh = false;
	cn_pair_request_gap(w, p);
}

bool cn_pair_contacts(const cairn_world *w, const cn_pair *p, cn_part_places places, cn_witness *witness,
                      cn_separation *at, cn_contact_set *set)
{
	const cn_place *at_a = places.a, *at_b = places.b;
	const cn_context *c = w->context;
	const cn_convex *a = c->contacts.parts[p->pa].convex, *b = c->contacts.parts[p->pb].convex;
	if (p->near) { /* most of these still are, so a quick rejection test would seldom succeed */
		cn_separate(a, at_a, b, at_b, witness, at);
		if (at->gap >= p->reach)
			return true;
	} else if (cn_separate_beyond(&(cn_convex_pair){a, at_a, b, at_b}, p->reach, witness, at)) {
		return true;
	}
	bool bare = c->contacts.parts[p->pb].triangle && cn_mesh_contact_axis(w, p, at_a, at);
	if (c->contacts.parts[p->pb].triangle) {
		v3 n = cn_place_unturn(at_a, at->n);
		witness->axis[0] = (float)n.x, witness->axis[1] = (float)n.y, witness->axis[2] = (float)n.z;
	}
	if (bare)
		set->n = at->n, set->count = 0, set->low = set->high = 0;
	else
		cn_contact_find(&(cn_convex_pair){a, at_a, b, at_b}, at, p->slab, set);
	return false;
}

/* The cached points are those that the narrow phase would find now, and the cached main points carry all impulses. */
static bool same_seen(const cn_context *c, const cn_pair *p, const cn_cached_pair *s, const cn_cached_point *seen)
{
	const cn_pair_point *at = &c->contacts.points[p->first];
	if (s->slab != p->slab && !(p->slab >= s->low && p->slab < s->high))
		return false;
	for (uint32_t i = 0; i < p->count; ++i)
		if ((seen[i].gap <= s->touching) != (seen[i].gap <= CN_TOUCH_GAP * p->gap_target) ||
		    (!seen[i].main && v3_length2(at[i].impulse) > 0))
			return false;
	return true;
}

/* Fills in a pair whose bodies have not moved since the cache was written. */
static void from_cache(cairn_world *w, cn_pair *p, cn_contact_set *set)
{
	cn_context *c = w->context;
	const cn_cached_pair *s = &c->cache.pairs[p->cached - 1];
	const cn_cached_point *seen = &c->cache.points[w->memory.pairs[p->cached - 1].first];
	p->at = s->at;
	p->near = !(p->at.gap >= p->reach);
	if (!p->near)
		return;
	if (!same_seen(c, p, s, seen)) {
		cn_contact_find(&(cn_convex_pair){c->contacts.parts[p->pa].convex, &c->contacts.now[p->pa],
		                                  c->contacts.parts[p->pb].convex, &c->contacts.now[p->pb]},
		                &p->at, p->slab, set);
		p->cached = 0;
		return;
	}
	p->low = s->low, p->high = s->high;
	for (uint32_t i = 0; i < p->count; ++i) {
		cn_pair_point *t = &c->contacts.points[p->first + i];
		t->rb = seen[i].rb, t->gap = seen[i].gap, t->main = seen[i].main;
		t->impulse = seen[i].main ? v3_add(v3_zero(), t->impulse) : v3_zero();
		t->sliding = seen[i].main && t->sliding;
	}
}

static void measure_pair(cairn_world *w, cn_pair *p)
{
	cn_contact_set set;
	const cn_place *now = w->context->contacts.now;
	p->points_missing = set.count = 0;
	if (p->cached)
		from_cache(w, p, &set);
	else
		p->near = !cn_pair_contacts(w, p, (cn_part_places){&now[p->pa], &now[p->pb]}, &p->witness, &p->at, &set);
	bool done = p->cached;
	p->cached = 0;
	if (p->fresh)
		begin_pair(w, p);
	if (!p->near) {
		p->count = 0;
		return;
	}
	if (done)
		return;
	p->low = set.low, p->high = set.high;
	if (!store_points(w, p, &set))
		p->points_missing = set.count;
}

/* A pair is measured if one of its bodies moved. Pairs of bodies that sleep or stand still keep what they have. */
static bool wanted(const cairn_world *w, const cn_pair *p, bool all)
{
	const cn_path *paths = w->context->paths.by_slot;
	if (!cn_body_movable(w, p->a) && !cn_body_movable(w, p->b) && !p->must_not_touch && !p->script_moves)
		return false;
	return all || p->fresh || paths[p->a].moved || paths[p->b].moved;
}

static void measure_if_wanted(cairn_world *w, cn_pair *p)
{
	if (!wanted(w, p, w->context->contacts.measure_all))
		return;
	measure_pair(w, p);
	p->measured = p->unproved = true;
}

/* Measures a pair again after making room for all its points. */
static bool measure_again(cairn_world *w, cn_pair *p)
{
	cn_context *c = w->context;
	uint32_t old = p->first;
	if (!cn_pair_reserve(w, p, p->points_missing + 4))
		return false;
	memcpy(&c->contacts.points[p->first], &c->contacts.points[old], p->count * sizeof *c->contacts.points);
	measure_pair(w, p);
	return true;
}

/* Repair rounds move few bodies. If links are known, their pairs are found without a walk over all pairs. */
static bool measure_listed(cairn_world *w)
{
	cn_context *c = w->context;
	if (!CN_ROOM(c->scratch.marks, w->slots + 1))
		return false;
	for (uint32_t s = 0; s < w->slots; ++s)
		c->scratch.marks[s] = c->paths.by_slot[s].moved;
	if (!cn_pairs_list(w, c->scratch.marks))
		return false;
	c->graph.listed = true;
	cn_pairs_each_listed(w, measure_if_wanted);
	for (uint32_t i = 0; i < c->graph.list_count; ++i)
		if (c->contacts.pairs[c->graph.list[i]].points_missing &&
		    !measure_again(w, &c->contacts.pairs[c->graph.list[i]]))
			return false;
	return true;
}

static bool measure_all_pairs(cairn_world *w)
{
	cn_context *c = w->context;
	c->graph.listed = false;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		c->contacts.pairs[i].measured = false, c->contacts.pairs[i].points_missing = 0;
	cn_pairs_each(w, measure_if_wanted);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		if (c->contacts.pairs[i].points_missing && !measure_again(w, &c->contacts.pairs[i]))
			return false;
	return true;
}

bool cn_contacts_measure(cairn_world *w, bool all)
{
	cn_context *c = w->context;
	c->contacts.measure_all = all;
	if (!all && c->graph.links_known ? !measure_listed(w) : !measure_all_pairs(w))
		return false;
	for (uint32_t s = 0; s < w->slots; ++s)
		c->paths.by_slot[s].moved = false;
	return true;
}

bool cn_contacts_update(cairn_world *w) { return cn_pairs_find(w) && cn_contacts_measure(w, false); }
