/* Who is near whom: pairs by body, islands, what is around some bodies; tasks on pairs. See crowd.h. */
#include "step/crowd.h"

#include <string.h>

bool cn_crowd_links(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	if (c->links_known)
		return true;
	if (!CN_ROOM(c->link_first, w->slots + 2) || !CN_ROOM(c->links, 2 * c->pair_count + 1))
		return false;
	memset(c->link_first, 0, (w->slots + 2) * sizeof *c->link_first);
	for (uint32_t i = 0; i < c->pair_count; ++i)
		++c->link_first[c->pairs[i].a + 2], ++c->link_first[c->pairs[i].b + 2];
	for (uint32_t s = 0; s < w->slots; ++s)
		c->link_first[s + 2] += c->link_first[s + 1];
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		c->links[c->link_first[c->pairs[i].a + 1]++] = i;
		c->links[c->link_first[c->pairs[i].b + 1]++] = i;
	}
	c->links_known = true;
	return true;
}

static void unite(uint32_t *root, uint32_t a, uint32_t b)
{
	while (root[a] != a)
		a = root[a] = root[root[a]];
	while (root[b] != b)
		b = root[b] = root[root[b]];
	if (a != b)
		root[a > b ? a : b] = a < b ? a : b;
}

static void join(cairn_world *w, bool scripts, bool pressed)
{
	cn_crowd *c = w->crowd;
	uint32_t *root = c->queue;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = slot;
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		const cn_close *p = &c->pairs[i];
		bool both = cn_crowd_movable(w, p->a) && cn_crowd_movable(w, p->b);
		if (!p->near || p->barred || (pressed && !cn_crowd_pressed(p)) || !(both || (scripts && p->driven)))
			continue;
		unite(root, p->a, p->b);
	}
	for (uint32_t i = 0, script, limb; i < w->scene->joint_count && scripts; ++i)
		if ((limb = cn_yield_limb(w, i, &script)) != CN_QP_NONE)
			unite(root, script, limb);
	cn_rigs_join(w, root);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = root[root[slot]]; /* roots are least: those before are known already */
}

void cn_crowd_islands(cairn_world *w) { join(w, false, false); }
void cn_crowd_pushes(cairn_world *w) { join(w, false, true); }
void cn_crowd_components(cairn_world *w) { join(w, true, false); }

bool cn_crowd_around(cairn_world *w, uint32_t hops)
{
	cn_crowd *c = w->crowd;
	uint32_t head = 0, tail = 0;
	if (!cn_crowd_links(w))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->flags[slot])
			c->queue[tail++] = slot;
	for (uint32_t hop = 0; hop < hops; ++hop) {
		uint32_t end = tail;
		for (; head < end; ++head) {
			for (uint32_t n = 0, other; (other = cn_rig_bodies(w, c->queue[head], n)) != CN_QP_NONE; ++n)
				if (!c->flags[other] && cn_crowd_movable(w, other))
					c->flags[other] = 1, c->queue[tail++] = other;
			for (uint32_t k = c->link_first[c->queue[head]]; k < c->link_first[c->queue[head] + 1]; ++k) {
				const cn_close *p = &c->pairs[c->links[k]];
				uint32_t other = p->a == c->queue[head] ? p->b : p->a;
				if (c->flags[other] || !p->near || p->barred || !cn_crowd_movable(w, other) ||
				    p->at.gap > CN_HOP_GAP * p->kept)
					continue;
				c->flags[other] = 1;
				c->queue[tail++] = other;
			}
		}
	}
	cn_rigs_spread(w, c->flags);
	return true;
}

double cn_crowd_motion(const cn_crowd *c, const cn_close *p)
{
	const cn_stride *a = &c->strides[p->a], *b = &c->strides[p->b];
	return v3_length(v3_sub(a->dx, b->dx)) + a->swing + b->swing;
}

/* ---- on all threads */

typedef struct each {
	cairn_world *w;
	cn_pair_task *task;
} each;

static void run_chunk(void *context, uint32_t chunk)
{
	const each *e = context;
	cn_crowd *c = e->w->crowd;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->pair_count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i)
		e->task(e->w, &c->pairs[i]);
}

void cn_crowd_each_pair(cairn_world *w, cn_pair_task *task)
{
	each e = {w, task};
	cn_pool_run(w->pool, (w->crowd->pair_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, run_chunk, &e);
}

static void run_listed(void *context, uint32_t chunk)
{
	const each *e = context;
	cn_crowd *c = e->w->crowd;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->list_count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i)
		e->task(e->w, &c->pairs[c->list[i]]);
}

void cn_crowd_each_listed(cairn_world *w, cn_pair_task *task)
{
	each e = {w, task};
	cn_pool_run(w->pool, (w->crowd->list_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, run_listed, &e);
}

bool cn_crowd_list(cairn_world *w, const uint8_t *flags)
{
	cn_crowd *c = w->crowd;
	uint32_t words = c->pair_count / 64 + 1;
	if (!CN_ROOM(c->bits, words) || !CN_ROOM(c->list, c->pair_count + 1))
		return false;
	memset(c->bits, 0, words * sizeof *c->bits);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		for (uint32_t k = c->link_first[slot]; flags[slot] && k < c->link_first[slot + 1]; ++k)
			c->bits[c->links[k] / 64] |= (uint64_t)1 << c->links[k] % 64;
	c->list_count = 0;
	for (uint32_t i = 0; i < words; ++i)
		for (uint64_t left = c->bits[i]; left; left &= left - 1)
			c->list[c->list_count++] = 64 * i + (uint32_t)__builtin_ctzll(left);
	return true;
}
