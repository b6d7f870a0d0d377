/* Narrow phase: the separation of a pair at the trial poses, and its contact points. Points keep their warm-start
 * impulses from round to round by their feature. Pairs whose bodies have not moved take their result from the cache.
 *
 * At the end of a step contacts are remembered for the next frame: witnesses, impulses and friction states in w->memory,
 * which is state; measured gaps and points in the cache beside it, pair by pair, to be reused for bodies that have not
 * moved. */
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
	cn_point_take_load(&at[nearest], &gone->rest);
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
	cn_pair_point old[CN_CONTACT_MAX], *at = &c->contacts.points[p->first];
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
			at[j].position = old[i].position, at[j].left = old[i].left;
		if (known && at[j].main)
			cn_point_take_load(&at[j], &old[i].rest);
		else if (v3_length2(old[i].rest.impulse) > 0)
			hand_over(&old[i], at, p->count);
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

/* Contact points of a pair that is within reach, and the axis that they take. */
static void find_points(const cairn_world *w, const cn_pair *p, cn_part_places places, cn_witness *witness,
                        cn_separation *at, cn_contact_set *set)
{
	const cn_context *c = w->context;
	const cn_convex *a = c->contacts.parts[p->pa].convex, *b = c->contacts.parts[p->pb].convex;
	bool bare = c->contacts.parts[p->pb].kind == CN_PART_TRIANGLE && cn_mesh_contact_axis(w, p, places.a, at);
	if (c->contacts.parts[p->pb].kind == CN_PART_TRIANGLE) {
		v3 n = cn_place_unturn(places.a, at->n);
		witness->axis[0] = (float)n.x, witness->axis[1] = (float)n.y, witness->axis[2] = (float)n.z;
	}
	if (bare)
		set->n = at->n, set->count = 0, set->low = set->high = 0;
	else
		cn_contact_find(&(cn_convex_pair){a, places.a, b, places.b}, at, p->slab, set);
}

bool cn_pair_contacts(const cairn_world *w, const cn_pair *p, cn_part_places places, cn_witness *witness,
                      cn_separation *at, cn_contact_set *set)
{
	const cn_context *c = w->context;
	const cn_convex *a = c->contacts.parts[p->pa].convex, *b = c->contacts.parts[p->pb].convex;
	if (p->near) { /* most of these still are, so a quick rejection test would seldom succeed */
		cn_separate(a, places.a, b, places.b, witness, at);
		if (at->gap >= p->reach)
			return true;
	} else if (cn_separate_beyond(&(cn_convex_pair){a, places.a, b, places.b}, p->reach, witness, at)) {
		return true;
	}
	if (c->contacts.has_front && c->contacts.parts[p->pb].kind != CN_PART_TRIANGLE)
		cn_front_keep_side(w, p, places, at);
	find_points(w, p, places, witness, at, set);
	return false;
}

/* The same for a pair of a front that can be split: where it overlaps its children take its place, and no more is asked. */
static bool coarse_contacts(const cairn_world *w, const cn_pair *p, cn_part_places places, cn_witness *witness,
                            cn_separation *at, cn_contact_set *set)
{
	const cn_part *parts = w->context->contacts.parts;
	if (cn_separate_shallow(&(cn_convex_pair){parts[p->pa].convex, places.a, parts[p->pb].convex, places.b}, p->reach,
	                        witness, at))
		return true;
	if (at->gap > 0)
		find_points(w, p, places, witness, at, set);
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
		    (!seen[i].main && v3_length2(at[i].rest.impulse) > 0))
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
	p->near = true;
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
		cn_point_rest load = t->rest;
		t->rest = (cn_point_rest){.sliding = false};
		if (seen[i].main)
			cn_point_take_load(t, &load);
	}
}

/* Where there is no room for all points nothing but the number of them is kept of what begins the next measuring: then it
 * finds the same. */
static void measure_pair(cairn_world *w, cn_pair *p)
{
	cn_contact_set set;
	const cn_context *c = w->context;
	const cn_place *now = c->contacts.now;
	const cn_witness witness = p->witness;
	const uint32_t cached = p->cached;
	const uint8_t near = p->near;
	p->points_missing = set.count = 0;
	if (p->cached)
		from_cache(w, p, &set);
	else if (c->contacts.has_front && cn_front_can_split(c, p))
		p->near = !coarse_contacts(w, p, (cn_part_places){&now[p->pa], &now[p->pb]}, &p->witness, &p->at, &set);
	else
		p->near = !cn_pair_contacts(w, p, (cn_part_places){&now[p->pa], &now[p->pb]}, &p->witness, &p->at, &set);
	bool done = p->cached;
	p->cached = 0;
	p->travel = c->contacts.travels[p->a].far + c->contacts.travels[p->b].far;
	if (p->fresh)
		begin_pair(w, p);
	if (!p->near) {
		p->count = 0;
		return;
	}
	if (done)
		return;
	if (c->contacts.has_front)
		cn_front_look(w, p, &set);
	if (p->split)
		return;
	p->low = set.low, p->high = set.high;
	if (!store_points(w, p, &set))
		p->points_missing = set.count, p->witness = witness, p->near = near, p->cached = cached;
}

/* A pair is measured if one of its bodies moved. Pairs of bodies that sleep or stand still keep what they have. */
static bool wanted(const cairn_world *w, const cn_pair *p, bool all)
{
	const uint8_t *moved = w->context->contacts.moved;
	if (p->split)
		return false;
	if (p->fresh && w->context->contacts.has_front && cn_pair_of_front(&w->context->contacts, p))
		return true; /* the front of bodies that sleep is found anew, as that of all others */
	if (!cn_body_movable(w, p->a) && !cn_body_movable(w, p->b) && !p->must_not_touch && !p->script_moves)
		return false;
	return all || p->fresh || moved[p->a] || moved[p->b];
}

/* A pair that was beyond reach still is, for its bodies have not gone far enough since. Its axis is the old one, and what
 * they went comes off the bound of its gap. */
static bool still_beyond(const cairn_world *w, cn_pair *p)
{
	const cn_contacts *c = &w->context->contacts;
	double travel = c->travels[p->a].far + c->travels[p->b].far, gap = p->at.gap - (travel - p->travel);
	if (p->near || p->fresh || p->cached || !(gap >= p->reach + cn_pair_slack(w->context, p)))
		return false;
	p->at.gap = gap, p->travel = travel;
	return true;
}

static void measure_if_wanted(cairn_world *w, cn_pair *p)
{
	if (!wanted(w, p, w->context->contacts.measure_all))
		return;
	if (!still_beyond(w, p))
		measure_pair(w, p);
	p->measured = true;
	cn_pair_proof_due(p);
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
	if (!cn_pairs_list(w, c->contacts.moved))
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

static void measure_new(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	cn_contacts *c = &w->context->contacts;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->new_count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i) {
		cn_pair *p = &c->spare[c->new_first + i];
		measure_pair(w, p);
		p->measured = true;
		cn_pair_proof_due(p);
	}
}

/* Splits pairs of fronts and measures what takes their place, until all stand. All of it is merged into the list at once:
 * a list is long, and what is new at any depth are few. */
static bool measure_children(cairn_world *w)
{
	cn_contacts *c = &w->context->contacts;
	bool any;
	if (!cn_fronts_split(w, c->pairs, c->pair_count, &any))
		return false;
	c->splits = true;
	while (any) {
		cn_pool_run(w->pool, (c->new_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, measure_new, w);
		for (uint32_t i = c->new_first; i < c->new_first + c->new_count; ++i)
			if (c->spare[i].points_missing && !measure_again(w, &c->spare[i]))
				return false;
		if (!cn_fronts_split(w, c->spare + c->new_first, c->new_count, &any))
			return false;
	}
	return true;
}

static bool split_pairs(cairn_world *w)
{
	bool ok = measure_children(w);
	w->context->contacts.splits = false;
	return ok && cn_pairs_merge(w);
}

bool cn_contacts_measure(cairn_world *w, bool all)
{
	cn_context *c = w->context;
	c->contacts.measure_all = all;
	if (!all && c->graph.links_known ? !measure_listed(w) : !measure_all_pairs(w))
		return false;
	if (c->contacts.has_front && (!split_pairs(w) || !cn_fronts_reduce(w)))
		return false;
	memset(c->contacts.moved, 0, w->slots);
	return true;
}

static void begin_leg(cairn_world *w, cn_pair *p)
{
	(void)w;
	p->leg_start.gap = p->at.gap, p->leg_start.axis = p->at.n;
	p->position.side.axis = v3_zero();
	cn_pair_proved(p, true);
}

void cn_contacts_leg_begin(cairn_world *w)
{
	cn_contacts *c = &w->context->contacts;
	memcpy(c->leg_start, c->now, c->part_count * sizeof *c->leg_start);
	cn_pairs_each(w, begin_leg);
}

bool cn_contacts_update(cairn_world *w) { return cn_pairs_find(w) && cn_contacts_measure(w, false); }

/* ---- contact memory */

static bool lasts(const cn_pair *p) { return p->near && !p->must_not_touch; }

/* contacts.counts: numbers of pairs and points of a chunk; later the offsets of the chunk. */
static void count_chunk(void *context, uint32_t chunk)
{
	const cairn_world *w = context;
	cn_context *c = w->context;
	uint32_t pairs = 0, points = 0;
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < cn_pool_end(chunk, CN_PAIR_CHUNK, c->contacts.pair_count); ++i)
		if (lasts(&c->contacts.pairs[i]))
			++pairs, points += c->contacts.pairs[i].count;
	c->contacts.counts[2 * chunk] = pairs, c->contacts.counts[2 * chunk + 1] = points;
}

/* A cached separation must not be reused if the bodies moved after it was measured, or if the plane came from a
 * triangle's neighbours. */
static cn_cached_pair seen_of(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	cn_cached_pair s = {p->at, p->slab, p->low, p->high, CN_TOUCH_GAP * p->gap_target};
	if (c->contacts.parts[p->pb].kind == CN_PART_TRIANGLE || c->contacts.moved[p->a] || c->contacts.moved[p->b] ||
	    cn_pair_of_front(&c->contacts, p))
		s.at.again = false;
	return s;
}

/* Two entries of the memory are the same to the bit. */
static bool same_pair(const cn_memory_pair *p, const cn_memory_pair *q)
{
	return p->a == q->a && p->part_a == q->part_a && p->b == q->b && p->part_b == q->part_b &&
	       p->serial_a == q->serial_a && p->serial_b == q->serial_b && p->first == q->first && p->count == q->count &&
	       memcmp(&p->witness, &q->witness, sizeof p->witness) == 0;
}

static bool same_point(const cn_memory_point *p, const cn_memory_point *q)
{
	return p->feature == q->feature && p->sliding == q->sliding && memcmp(&p->ra, &q->ra, sizeof p->ra) == 0 &&
	       memcmp(&p->impulse, &q->impulse, sizeof p->impulse) == 0 &&
	       memcmp(&p->push, &q->push, sizeof p->push) == 0 && memcmp(&p->left, &q->left, sizeof p->left) == 0;
}

/* Writes a chunk's part of the memory. Its counts become what it changed: 0 where it was asked to compare and the memory
 * held the same before. */
static void remember_chunk(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	const cn_context *c = w->context;
	cn_memory *m = &w->memory;
	uint32_t pair = c->contacts.counts[2 * chunk], point = c->contacts.counts[2 * chunk + 1];
	bool same = c->cache.compare;
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < cn_pool_end(chunk, CN_PAIR_CHUNK, c->contacts.pair_count); ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!lasts(p))
			continue;
		const cn_part *a = &c->contacts.parts[p->pa], *b = &c->contacts.parts[p->pb];
		bool fast = !c->classic && cn_pair_fast(w, p); /* only a bounce asks for it */
		c->cache.pairs[pair] = seen_of(w, p);
		cn_memory_pair now = (cn_memory_pair){.a = p->a,
		                                      .part_a = a->number,
		                                      .b = p->b,
		                                      .part_b = b->number | (b->kind == CN_PART_HALF_SPACE ? CN_MEMORY_PLANE
		                                                             : b->kind == CN_PART_TRIANGLE ? CN_MEMORY_TRIANGLE
		                                                                                           : 0),
		                                      .serial_a = w->bodies[p->a].serial,
		                                      .serial_b = w->bodies[p->b].serial,
		                                      .witness = p->witness,
		                                      .first = point,
		                                      .count = p->count};
		same = same && same_pair(&m->pairs[pair], &now);
		m->pairs[pair++] = now;
		for (uint32_t k = 0; k < p->count; ++k) {
			const cn_pair_point *t = &c->contacts.points[p->first + k];
			c->cache.points[point] = (cn_cached_point){t->rb, t->gap, t->main};
			cn_memory_point at = {t->feature,       t->ra,           v3_scale(t->rest.impulse, 1 / cn_step_share(w)),
			                      t->position.push, t->rest.sliding, fast ? cn_point_approach_left(w, p, t) : 0};
			same = same && same_point(&m->points[point], &at);
			m->points[point++] = at;
		}
	}
	c->contacts.counts[2 * chunk] = !same;
}

static bool away(const cairn_world *w, const cn_memory_pair *p) { return w->away[p->a] || w->away[p->b]; }

static bool stayed(const cairn_world *w, uint32_t slot)
{
	return cn_same_pose(w->motion[slot].x, w->motion[slot].q, &w->next[slot]);
}

static bool parted(const cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->away[slot])
			return true;
	return false;
}

/* Copies the remembered pairs of bodies that take no part in the step to cache.aside, as this step leaves them
 * unchanged. What was measured of them is of no use where the other body has moved. False: memory ran out. */
static bool set_aside(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_memory *m = &w->memory;
	cn_cache_aside *k = &c->cache.aside;
	bool seen = c->cache.stamps > 0 && m->stamp == c->cache.stamps; /* the cache belongs to this memory */
	k->pair_count = k->point_count = 0;
	if (!parted(w))
		return true;
	if (!CN_ROOM(k->pairs, m->pair_count + 1) || !CN_ROOM(k->seen, m->pair_count + 1) ||
	    !CN_ROOM(k->points, m->point_count + 1) || !CN_ROOM(k->seen_points, m->point_count + 1))
		return false;
	for (uint32_t i = 0; i < m->pair_count; ++i) {
		const cn_memory_pair *p = &m->pairs[i];
		if (!away(w, p))
			continue;
		k->pairs[k->pair_count] = *p;
		k->pairs[k->pair_count].first = k->point_count;
		k->seen[k->pair_count++] = seen && stayed(w, p->a) && stayed(w, p->b) ? c->cache.pairs[i] : (cn_cached_pair){0};
		for (uint32_t j = 0; j < p->count; ++j, ++k->point_count) {
			k->points[k->point_count] = m->points[p->first + j];
			k->seen_points[k->point_count] = seen ? c->cache.points[p->first + j] : (cn_cached_point){0};
		}
	}
	return true;
}

static bool remembered_first(const cn_memory_pair *p, const cn_memory_pair *q)
{
	if (p->a != q->a)
		return p->a < q->a;
	if (p->part_a != q->part_a)
		return p->part_a < q->part_a;
	if (cn_memory_rank(p) != cn_memory_rank(q))
		return cn_memory_rank(p) < cn_memory_rank(q);
	return p->b != q->b ? p->b < q->b : cn_memory_part(p) < cn_memory_part(q);
}

/* Merges the pairs set aside back into the memory, from the last to the first. There is room for them. */
static void put_aside_back(cairn_world *w)
{
	cn_context *c = w->context;
	cn_memory *m = &w->memory;
	const cn_cache_aside *k = &c->cache.aside;
	uint32_t i = m->pair_count, j = k->pair_count, pair = i + j, point = m->point_count + k->point_count;
	m->pair_count = pair, m->point_count = point;
	while (j > 0) {
		bool own = i > 0 && remembered_first(&k->pairs[j - 1], &m->pairs[i - 1]);
		cn_memory_pair p = own ? m->pairs[--i] : k->pairs[--j];
		const cn_memory_point *points = (own ? m->points : k->points) + p.first;
		const cn_cached_point *seen = (own ? c->cache.points : k->seen_points) + p.first;
		--pair, point -= p.count;
		c->cache.pairs[pair] = own ? c->cache.pairs[i] : k->seen[j];
		memmove(&m->points[point], points, p.count * sizeof *points);
		memmove(&c->cache.points[point], seen, p.count * sizeof *seen);
		p.first = point;
		m->pairs[pair] = p;
	}
}

bool cn_contacts_remember(cairn_world *w, bool compare)
{
	cn_context *c = w->context;
	cn_memory *m = &w->memory;
	const cn_cache_aside *aside = &c->cache.aside;
	uint32_t chunks = (c->contacts.pair_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, pairs = 0, points = 0;
	if (!CN_ROOM(c->contacts.counts, 2 * chunks + 1) || !set_aside(w))
		return false;
	cn_pool_run(w->pool, chunks, count_chunk, w);
	for (uint32_t i = 0; i < chunks; ++i) {
		uint32_t more_pairs = c->contacts.counts[2 * i], more_points = c->contacts.counts[2 * i + 1];
		c->contacts.counts[2 * i] = pairs, c->contacts.counts[2 * i + 1] = points;
		pairs += more_pairs, points += more_points;
	}
	uint32_t all_pairs = pairs + aside->pair_count, all_points = points + aside->point_count;
	if (!CN_GROW(m->pairs, m->pair_capacity, all_pairs) || !CN_GROW(m->points, m->point_capacity, all_points) ||
	    !CN_ROOM(c->cache.pairs, all_pairs) || !CN_ROOM(c->cache.points, all_points) ||
	    !CN_ROOM(c->cache.ended, w->slots))
		return false;
	c->cache.compare = compare && m->pair_count == pairs && m->point_count == points;
	cn_pool_run(w->pool, chunks, remember_chunk, w);
	c->cache.same = c->cache.compare && aside->pair_count == 0;
	for (uint32_t i = 0; i < chunks && c->cache.same; ++i)
		c->cache.same = c->contacts.counts[2 * i] == 0;
	m->pair_count = pairs, m->point_count = points;
	put_aside_back(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->cache.ended[slot] = (pose){w->next[slot].x, w->next[slot].q};
	c->cache.ended_count = w->slots;
	c->cache.stamp = m->stamp = ++c->cache.stamps;
	return true;
}
