/* Contact memory for the next frame, written at the end of a step. Witnesses, impulses and friction states go into
 * w->memory, which is state. Measured gaps and points go into the cache beside it, pair by pair, and are reused for
 * bodies that have not moved. */
#include "step/contact/contact.h"
#include "step/context.h"

#include <string.h>

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
	if (c->contacts.parts[p->pb].triangle || c->paths.by_slot[p->a].moved || c->paths.by_slot[p->b].moved)
		s.at.again = false;
	return s;
}

static void remember_chunk(void *context, uint32_t chunk)
{
	cairn_world *w = context;
	const cn_context *c = w->context;
	cn_memory *m = &w->memory;
	uint32_t pair = c->contacts.counts[2 * chunk], point = c->contacts.counts[2 * chunk + 1];
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < cn_pool_end(chunk, CN_PAIR_CHUNK, c->contacts.pair_count); ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!lasts(p))
			continue;
		const cn_part *a = &c->contacts.parts[p->pa], *b = &c->contacts.parts[p->pb];
		bool fast = cn_pair_fast(w, p);
		c->cache.pairs[pair] = seen_of(w, p);
		m->pairs[pair++] = (cn_memory_pair){.a = p->a,
		                                    .part_a = a->number,
		                                    .b = p->b,
		                                    .part_b = b->number | (b->plane      ? CN_MEMORY_PLANE
		                                                           : b->triangle ? CN_MEMORY_TRIANGLE
		                                                                         : 0),
		                                    .serial_a = w->bodies[p->a].serial,
		                                    .serial_b = w->bodies[p->b].serial,
		                                    .witness = p->witness,
		                                    .first = point,
		                                    .count = p->count};
		for (uint32_t k = 0; k < p->count; ++k) {
			const cn_pair_point *t = &c->contacts.points[p->first + k];
			c->cache.points[point] = (cn_cached_point){t->rb, t->gap, t->main};
			m->points[point++] = (cn_memory_point){t->feature, t->ra,      v3_scale(t->impulse, w->steps),
			                                       t->push,    t->sliding, fast ? cn_point_approach_left(w, p, t) : 0};
		}
	}
}

static bool away(const cairn_world *w, const cn_memory_pair *p) { return w->away[p->a] || w->away[p->b]; }

static bool parted(const cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (w->away[slot])
			return true;
	return false;
}

/* Copies the remembered pairs of bodies that take no part in the step to cache.aside, as this step leaves them
 * unchanged. False: memory ran out. */
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
		k->seen[k->pair_count++] = seen ? c->cache.pairs[i] : (cn_cached_pair){0};
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

bool cn_contacts_remember(cairn_world *w)
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
	cn_pool_run(w->pool, chunks, remember_chunk, w);
	m->pair_count = pairs, m->point_count = points;
	put_aside_back(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->cache.ended[slot] = (pose){w->next[slot].x, w->next[slot].q};
	c->cache.ended_count = w->slots;
	c->cache.stamp = m->stamp = ++c->cache.stamps;
	return true;
}
