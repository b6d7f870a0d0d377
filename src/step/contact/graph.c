/* The contact graph: pairs by body, islands, the neighbourhood of some bodies, and tasks over all pairs or over a
 * list of them. Islands are named by their lowest slot. */
#include "step/hooks.h"
#include "step/tolerance.h"

#include <string.h>

bool cn_graph_links(cairn_world *w)
{
	cn_context *c = w->context;
	if (c->graph.links_known)
		return true;
	if (!CN_ROOM(c->graph.link_first, w->slots + 2) || !CN_ROOM(c->graph.links, 2 * c->contacts.pair_count + 1))
		return false;
	memset(c->graph.link_first, 0, (w->slots + 2) * sizeof *c->graph.link_first);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		++c->graph.link_first[c->contacts.pairs[i].a + 2], ++c->graph.link_first[c->contacts.pairs[i].b + 2];
	for (uint32_t s = 0; s < w->slots; ++s)
		c->graph.link_first[s + 2] += c->graph.link_first[s + 1];
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		c->graph.links[c->graph.link_first[c->contacts.pairs[i].a + 1]++] = i;
		c->graph.links[c->graph.link_first[c->contacts.pairs[i].b + 1]++] = i;
	}
	c->graph.links_known = true;
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

static void join(cairn_world *w, bool scripts, bool pushing)
{
	cn_context *c = w->context;
	uint32_t *root = c->graph.root;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = slot;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool both = cn_body_movable(w, p->a) && cn_body_movable(w, p->b);
		if (!p->near || p->must_not_touch || (pushing && !cn_pair_pushes(p)) || !(both || (scripts && p->script_moves)))
			continue;
		unite(root, p->a, p->b);
	}
	for (uint32_t i = 0, script, link; i < w->scene->joint_count && scripts; ++i)
		if ((link = cn_script_link(w, i, &script)) != CN_QP_NONE)
			unite(root, script, link);
	cn_joints_join(w, root);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		root[slot] = root[root[slot]]; /* a root is the lowest slot of its set, so it is final already */
}

void cn_graph_islands(cairn_world *w) { join(w, false, false); }
void cn_graph_pushes(cairn_world *w) { join(w, false, true); }
void cn_graph_components(cairn_world *w) { join(w, true, false); }

bool cn_graph_grow(cairn_world *w, uint8_t *bodies, uint32_t hops)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t *queue, head = 0, tail = 0;
	uint8_t *taken; /* by the slot of its first link: the articulation is in, as a whole */
	if (!cn_graph_links(w) || !CN_LOCAL(queue, w->slots + 1) || !CN_LOCAL(taken, w->slots + 1))
		return false;
	memset(taken, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (bodies[slot])
			queue[tail++] = slot;
	for (uint32_t hop = 0; hop < hops; ++hop) {
		uint32_t end = tail;
		for (; head < end; ++head) {
			uint32_t first = cn_joints_bodies(w, queue[head], 0);
			bool whole = first == CN_QP_NONE || taken[first];
			for (uint32_t n = 0, other; !whole && (other = cn_joints_bodies(w, queue[head], n)) != CN_QP_NONE; ++n)
				if (!bodies[other] && cn_body_movable(w, other))
					bodies[other] = 1, queue[tail++] = other;
			if (!whole)
				taken[first] = 1;
			for (uint32_t k = c->graph.link_first[queue[head]]; k < c->graph.link_first[queue[head] + 1]; ++k) {
				const cn_pair *p = &c->contacts.pairs[c->graph.links[k]];
				uint32_t other = p->a == queue[head] ? p->b : p->a;
				if (bodies[other] || !p->near || p->must_not_touch || !cn_body_movable(w, other) ||
				    p->at.gap > CN_PUSHING_GAP * p->gap_target)
					continue;
				bodies[other] = 1;
				queue[tail++] = other;
			}
		}
	}
	cn_arena_return(&c->temporary, mark);
	cn_joints_spread(w, bodies);
	return true;
}

double cn_pair_motion(const cn_context *c, const cn_pair *p)
{
	const cn_stride *a = &c->contacts.strides[p->a], *b = &c->contacts.strides[p->b];
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
	cn_context *c = e->w->context;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->contacts.pair_count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i)
		e->task(e->w, &c->contacts.pairs[i]);
}

void cn_pairs_each(cairn_world *w, cn_pair_task *task)
{
	each e = {w, task};
	cn_pool_run(w->pool, (w->context->contacts.pair_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, run_chunk, &e);
}

static void run_listed(void *context, uint32_t chunk)
{
	const each *e = context;
	cn_context *c = e->w->context;
	uint32_t end = cn_pool_end(chunk, CN_PAIR_CHUNK, c->graph.list_count);
	for (uint32_t i = chunk * CN_PAIR_CHUNK; i < end; ++i)
		e->task(e->w, &c->contacts.pairs[c->graph.list[i]]);
}

void cn_pairs_each_listed(cairn_world *w, cn_pair_task *task)
{
	each e = {w, task};
	cn_pool_run(w->pool, (w->context->graph.list_count + CN_PAIR_CHUNK - 1) / CN_PAIR_CHUNK, run_listed, &e);
}

bool cn_pairs_list(cairn_world *w, const uint8_t *bodies)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t words = c->contacts.pair_count / 64 + 1;
	uint64_t *bits; /* one a pair */
	if (!CN_LOCAL(bits, words) || !CN_ROOM(c->graph.list, c->contacts.pair_count + 1))
		return false;
	c->graph.listed = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		for (uint32_t k = c->graph.link_first[slot]; bodies[slot] && k < c->graph.link_first[slot + 1]; ++k)
			bits[c->graph.links[k] / 64] |= (uint64_t)1 << c->graph.links[k] % 64;
	c->graph.list_count = 0;
	for (uint32_t i = 0; i < words; ++i)
		for (uint64_t left = bits[i]; left; left &= left - 1)
			c->graph.list[c->graph.list_count++] = 64 * i + (uint32_t)__builtin_ctzll(left);
	cn_arena_return(&c->temporary, mark);
	return true;
}

bool cn_pairs_list_all(cairn_world *w)
{
	cn_context *c = w->context;
	if (!CN_ROOM(c->graph.list, c->contacts.pair_count + 1))
		return false;
	c->graph.listed = false;
	c->graph.list_count = c->contacts.pair_count;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		c->graph.list[i] = i;
	return true;
}
