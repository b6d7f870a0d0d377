/* Looking at pairs: how far apart they are where they stand, and where they touch; what the next frame starts from.
 * See crowd.h. */
#include "step/crowd.h"
#include "step/inner.h"

#include <string.h>

/* What a point carried that is gone, or no longer one of the few, goes to the nearest of them: features change names
 * as bodies shift, the load stays. */
static void hand_over(const cn_touch *gone, cn_touch *at, uint32_t count)
{
	uint32_t nearest = count;
	double least = INFINITY;
	for (uint32_t i = 0; i < count; ++i) {
		double d = v3_length2(v3_sub(at[i].ra, gone->ra));
		if (at[i].main && d < least)
			least = d, nearest = i;
	}
	if (nearest == count)
		return;
	at[nearest].impulse = v3_add(at[nearest].impulse, gone->impulse);
	at[nearest].sliding |= gone->sliding;
}

/* The same few points as before, a little moved. */
static bool same_points(const cn_touch *at, const cn_close *p, const cn_contact_set *set)
{
	if (set->count != p->count || set->count > CN_MOMENTUM_POINTS)
		return false;
	for (uint32_t i = 0; i < set->count; ++i)
		if (at[i].feature != set->points[i].feature || !at[i].main)
			return false;
	return true;
}

/* The points of a set, with what was known of those of the same name. False: there are more than the pair has room
 * for. */
static bool store_points(cairn_world *w, cn_close *p, const cn_contact_set *set)
{
	cn_crowd *c = w->crowd;
	cn_touch old[CN_CONTACT_MOST], *at = &c->points[p->first];
	uint32_t old_count = p->count, j = 0;
	if (set->count > p->room)
		return false;
	v3 to_a = v3_sub(c->now[p->pa].x, w->next[p->a].x), to_b = v3_sub(c->now[p->pb].x, w->next[p->b].x);
	if (same_points(at, p, set)) {
		for (uint32_t i = 0; i < set->count; ++i) {
			const cn_contact_point *q = &set->points[i];
			at[i].ra = v3_add(to_a, q->a), at[i].rb = v3_add(to_b, q->b), at[i].gap = q->gap;
		}
		return true;
	}
	memcpy(old, at, old_count * sizeof *old);
	uint64_t few = set->count > CN_MOMENTUM_POINTS ? cn_contact_choose(set, CN_MOMENTUM_POINTS, CN_TOUCH_GAP * p->kept)
	                                               : UINT64_MAX;
	for (uint32_t i = 0; i < set->count; ++i) {
		const cn_contact_point *q = &set->points[i];
		at[i] = (cn_touch){.ra = v3_add(to_a, q->a),
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

static cn_separation apart_at(const cn_crowd *c, const cn_close *p, const cn_place *places)
{
	cn_separation at;
	cn_witness witness = p->witness;
	cn_separate_beyond(c->parts[p->pa].convex, &places[p->pa], c->parts[p->pb].convex, &places[p->pb], p->reach,
	                   &witness, &at);
	return at;
}

/* What a pair begins the frame and the leg with; one that is found later is measured where its bodies were then. */
static void begin_pair(const cairn_world *w, cn_close *p)
{
	const cn_crowd *c = w->crowd;
	cn_separation start = p->at, leg = p->at;
	if (c->under_way)
		start = apart_at(c, p, c->start), leg = apart_at(c, p, c->leg);
	p->start = start.gap, p->start_axis = start.n;
	p->leg = leg.gap, p->leg_axis = leg.n;
	p->fresh = false;
	cn_position_ask(w, p);
}

bool cn_look_at(const cairn_world *w, const cn_close *p, const cn_place *at_a, const cn_place *at_b,
                cn_witness *witness, cn_separation *at, cn_contact_set *set)
{
	const cn_crowd *c = w->crowd;
	const cn_convex *a = c->parts[p->pa].convex, *b = c->parts[p->pb].convex;
	if (p->near) { /* and most of these still are: what shows quickly that they are not would seldom do */
		cn_separate(a, at_a, b, at_b, witness, at);
		if (at->gap >= p->reach)
			return true;
	} else if (cn_separate_beyond(a, at_a, b, at_b, p->reach, witness, at)) {
		return true;
	}
	bool bare = c->parts[p->pb].tile && cn_ground_axis(w, p, at_a, at);
	if (c->parts[p->pb].tile) {
		v3 n = cn_place_unturn(at_a, at->n);
		witness->axis[0] = (float)n.x, witness->axis[1] = (float)n.y, witness->axis[2] = (float)n.z;
	}
	if (bare)
		set->n = at->n, set->count = 0, set->low = set->high = 0;
	else
		cn_contact_find(a, at_a, b, at_b, at, p->slab, set);
	return false;
}

/* Whether the points that were seen are those that would be found now, and carry what they carried. */
static bool same_seen(const cn_crowd *c, const cn_close *p, const cn_seen *s, const cn_seen_point *seen)
{
	const cn_touch *at = &c->points[p->first];
	if (s->slab != p->slab && !(p->slab >= s->low && p->slab < s->high))
		return false;
	for (uint32_t i = 0; i < p->count; ++i)
		if ((seen[i].gap <= s->touching) != (seen[i].gap <= CN_TOUCH_GAP * p->kept) ||
		    (!seen[i].main && v3_length2(at[i].impulse) > 0))
			return false;
	return true;
}

/* A pair whose bodies stand where they were last seen: what was found then. */
static void look_back(cairn_world *w, cn_close *p, cn_contact_set *set)
{
	cn_crowd *c = w->crowd;
	const cn_seen *s = &c->seen[p->seen - 1];
	const cn_seen_point *seen = &c->seen_points[w->memory.pairs[p->seen - 1].first];
	p->at = s->at;
	p->near = !(p->at.gap >= p->reach);
	if (!p->near)
		return;
	if (!same_seen(c, p, s, seen)) {
		cn_contact_find(c->parts[p->pa].convex, &c->now[p->pa], c->parts[p->pb].convex, &c->now[p->pb], &p->at, p->slab,
		                set);
		p->seen = 0;
		return;
	}
	p->low = s->low, p->high = s->high;
	for (uint32_t i = 0; i < p->count; ++i) {
		cn_touch *t = &c->points[p->first + i];
		t->rb = seen[i].rb, t->gap = seen[i].gap, t->main = seen[i].main;
		t->impulse = seen[i].main ? v3_add(v3_zero(), t->impulse) : v3_zero();
		t->sliding = seen[i].main && t->sliding;
	}
}

static void look(cairn_world *w, cn_close *p)
{
	cn_contact_set set;
	const cn_place *now = w->crowd->now;
	p->more = set.count = 0;
	if (p->seen)
		look_back(w, p, &set);
	else
		p->near = !cn_look_at(w, p, &now[p->pa], &now[p->pb], &p->witness, &p->at, &set);
	bool done = p->seen;
	p->seen = 0;
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
		p->more = set.count;
}

/* Pairs of bodies that sleep or stand still stay as they are remembered. */
static bool wanted(const cairn_world *w, const cn_close *p, bool all)
{
	const cn_way *ways = w->crowd->ways;
	if (!cn_crowd_movable(w, p->a) && !cn_crowd_movable(w, p->b) && !p->barred && !p->driven)
		return false;
	return all || p->fresh || ways[p->a].moved || ways[p->b].moved;
}

static void look_if_wanted(cairn_world *w, cn_close *p)
{
	if (!wanted(w, p, w->crowd->look_all))
		return;
	look(w, p);
	p->looked = p->unproved = true;
}

/* One that has more points than it has room for gets it. */
static bool look_again(cairn_world *w, cn_close *p)
{
	cn_crowd *c = w->crowd;
	uint32_t old = p->first;
	if (!cn_crowd_give_room(w, p, p->more + 4))
		return false;
	memcpy(&c->points[p->first], &c->points[old], p->count * sizeof *c->points);
	look(w, p);
	return true;
}

/* Rounds of tiers move few bodies: with links known their pairs are found without walking all. A new pair leaves links
 * unknown. */
static bool look_listed(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	if (!CN_ROOM(c->marks, c->mark_room, w->slots + 1))
		return false;
	for (uint32_t s = 0; s < w->slots; ++s)
		c->marks[s] = c->ways[s].moved;
	if (!cn_crowd_list(w, c->marks))
		return false;
	c->listed = true;
	cn_crowd_each_listed(w, look_if_wanted);
	for (uint32_t i = 0; i < c->list_count; ++i)
		if (c->pairs[c->list[i]].more && !look_again(w, &c->pairs[c->list[i]]))
			return false;
	return true;
}

static bool look_everywhere(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	c->listed = false;
	for (uint32_t i = 0; i < c->pair_count; ++i)
		c->pairs[i].looked = false, c->pairs[i].more = 0;
	cn_crowd_each_pair(w, look_if_wanted);
	for (uint32_t i = 0; i < c->pair_count; ++i)
		if (c->pairs[i].more && !look_again(w, &c->pairs[i]))
			return false;
	return true;
}

bool cn_crowd_look(cairn_world *w, bool all)
{
	cn_crowd *c = w->crowd;
	c->look_all = all;
	if (!all && c->links_known ? !look_listed(w) : !look_everywhere(w))
		return false;
	for (uint32_t s = 0; s < w->slots; ++s)
		c->ways[s].moved = false;
	return true;
}

bool cn_crowd_again(cairn_world *w) { return cn_crowd_pairs(w) && cn_crowd_look(w, false); }

/* ---- memory */

static bool lasts(const cn_close *p) { return p->near && !p->barred; }

/* c->counts: pairs and points of a chunk; then where they begin. */
static void count_chunk(void *context, uint32_t chunk)
{
	const cairn_world *w = context;
	cn_crowd *c = w->crowd;
	uint32_t pairs = 0, points = 0;
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < cn_pool_end(chunk, CN_PAIR_CHUNK, c->pair_count); ++i)
		if (lasts(&c->pairs[i]))
			++pairs, points += c->pairs[i].count;
	c->counts[2 * chunk] = pairs, c->counts[2 * chunk + 1] = points;
}

/* Of a pair whose bodies went on after it was looked at, or whose plane a tile's neighbours gave, nothing. */
static cn_seen seen_of(const cairn_world *w, const cn_close *p)
{
	const cn_crowd *c = w->crowd;
	cn_seen s = {p->at, p->slab, p->low, p->high, CN_TOUCH_GAP * p->kept};
	if (c->parts[p->pb].tile || c->ways[p->a].moved || c->ways[p->b].moved)
		s.at.again = false;
	return s;
}

static void remember_chunk(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	const cn_crowd *c = w->crowd;
	cn_memory *m = &w->memory;
	uint32_t pair = c->counts[2 * chunk], point = c->counts[2 * chunk + 1];
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < cn_pool_end(chunk, CN_PAIR_CHUNK, c->pair_count); ++i) {
		const cn_close *p = &c->pairs[i];
		if (!lasts(p))
			continue;
		const cn_part *a = &c->parts[p->pa], *b = &c->parts[p->pb];
		bool fast = cn_bounce_fast(w, p);
		c->seen[pair] = seen_of(w, p);
		m->pairs[pair++] = (cn_memory_pair){.a = p->a,
		                                    .part_a = a->number,
		                                    .b = p->b,
		                                    .part_b = b->number | (b->plane  ? CN_MEMORY_PLANE
		                                                           : b->tile ? CN_MEMORY_TRIANGLE
		                                                                     : 0),
		                                    .serial_a = w->bodies[p->a].serial,
		                                    .serial_b = w->bodies[p->b].serial,
		                                    .witness = p->witness,
		                                    .first = point,
		                                    .count = p->count};
		for (uint32_t k = 0; k < p->count; ++k) {
			const cn_touch *t = &c->points[p->first + k];
			c->seen_points[point] = (cn_seen_point){t->rb, t->gap, t->main};
			m->points[point++] = (cn_memory_point){t->feature, t->ra,      v3_scale(t->impulse, w->steps),
			                                       t->push,    t->sliding, fast ? cn_bounce_left(w, p, t) : 0};
		}
	}
}

/* ---- pairs of bodies that take no part in the step */

static bool away(const cairn_world *w, const cn_memory_pair *p) { return w->away[p->a] || w->away[p->b]; }

/* c->aside: what is remembered of them, which this step leaves as it is. False: memory ran out. */
static bool set_aside(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	const cn_memory *m = &w->memory;
	cn_aside *k = &c->aside;
	bool seen = c->stamps > 0 && m->stamp == c->stamps; /* beside this memory */
	k->pair_count = k->point_count = 0;
	if (!cn_inner_parted(w))
		return true;
	if (!CN_ROOM(k->pairs, k->pair_room, m->pair_count + 1) || !CN_ROOM(k->seen, k->seen_room, m->pair_count + 1) ||
	    !CN_ROOM(k->points, k->point_room, m->point_count + 1) ||
	    !CN_ROOM(k->seen_points, k->seen_point_room, m->point_count + 1))
		return false;
	for (uint32_t i = 0; i < m->pair_count; ++i) {
		const cn_memory_pair *p = &m->pairs[i];
		if (!away(w, p))
			continue;
		k->pairs[k->pair_count] = *p;
		k->pairs[k->pair_count].first = k->point_count;
		k->seen[k->pair_count++] = seen ? c->seen[i] : (cn_seen){0};
		for (uint32_t j = 0; j < p->count; ++j, ++k->point_count) {
			k->points[k->point_count] = m->points[p->first + j];
			k->seen_points[k->point_count] = seen ? c->seen_points[p->first + j] : (cn_seen_point){0};
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

/* They take their places in the memory again, the last first; there is room. */
static void put_aside_back(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	cn_memory *m = &w->memory;
	const cn_aside *k = &c->aside;
	uint32_t i = m->pair_count, j = k->pair_count, pair = i + j, point = m->point_count + k->point_count;
	m->pair_count = pair, m->point_count = point;
	while (j > 0) {
		bool own = i > 0 && remembered_first(&k->pairs[j - 1], &m->pairs[i - 1]);
		cn_memory_pair p = own ? m->pairs[--i] : k->pairs[--j];
		const cn_memory_point *points = (own ? m->points : k->points) + p.first;
		const cn_seen_point *seen = (own ? c->seen_points : k->seen_points) + p.first;
		--pair, point -= p.count;
		c->seen[pair] = own ? c->seen[i] : k->seen[j];
		memmove(&m->points[point], points, p.count * sizeof *points);
		memmove(&c->seen_points[point], seen, p.count * sizeof *seen);
		p.first = point;
		m->pairs[pair] = p;
	}
}

bool cn_crowd_remember(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	cn_memory *m = &w->memory;
	const cn_aside *aside = &c->aside;
	uint32_t chunks = (c->pair_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, pairs = 0, points = 0;
	if (!CN_ROOM(c->counts, c->count_room, 2 * chunks + 1) || !set_aside(w))
		return false;
	cn_pool_run(w->pool, chunks, count_chunk, w);
	for (uint32_t i = 0; i < chunks; ++i) {
		uint32_t more_pairs = c->counts[2 * i], more_points = c->counts[2 * i + 1];
		c->counts[2 * i] = pairs, c->counts[2 * i + 1] = points;
		pairs += more_pairs, points += more_points;
	}
	uint32_t all_pairs = pairs + aside->pair_count, all_points = points + aside->point_count;
	if (!CN_ROOM(m->pairs, m->pair_capacity, all_pairs) || !CN_ROOM(m->points, m->point_capacity, all_points) ||
	    !CN_ROOM(c->seen, c->seen_room, all_pairs) || !CN_ROOM(c->seen_points, c->seen_point_room, all_points) ||
	    !CN_ROOM(c->ended, c->ended_room, w->slots))
		return false;
	cn_pool_run(w->pool, chunks, remember_chunk, w);
	m->pair_count = pairs, m->point_count = points;
	put_aside_back(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->ended[slot] = (pose){w->next[slot].x, w->next[slot].q};
	c->ended_count = w->slots;
	c->stamp = m->stamp = ++c->stamps;
	return true;
}

/* ---- at the frame's start */

static const cn_close *find_overlap(const cairn_world *w)
{
	const cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		double far = v3_max(v3_abs(c->now[p->pa].x)) + v3_max(v3_abs(c->now[p->pb].x));
		double touching = p->barred ? 0 : -CN_TOUCHING_ULPS * DBL_EPSILON * (far + p->thin);
		if (p->near && p->looked && p->at.gap < touching)
			return p;
	}
	return NULL;
}

bool cn_crowd_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed)
{
	*failed = !cn_crowd_begin(w) || !cn_crowd_pairs(w) || !cn_crowd_look(w, true);
	const cn_close *p = *failed ? NULL : find_overlap(w);
	uint32_t of_a = p ? p->a : 0, of_b = p ? p->b : 0;
	if (*failed || (!p && !cn_ground_within(w, &of_a, &of_b)))
		return false;
	*a = cn_handle(w, of_a), *b = cn_handle(w, of_b);
	return true;
}

bool cn_close_find(cairn_world *w, cn_frame *f)
{
	bool ok = cn_crowd_begin(w) && cn_crowd_pairs(w) && cn_crowd_look(w, true);
	while (ok && cn_wake_touched(w, f)) /* sleepers stand still until now; their own neighbours come into play */
		ok = cn_crowd_look(w, true);
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	const cn_close *p = find_overlap(w);
	if (!p)
		return true;
	f->report.status = CAIRN_STEP_OVERLAP;
	f->report.pair_a = cn_handle(w, p->a), f->report.pair_b = cn_handle(w, p->b);
	return false;
}
