/* Minimum degree on the quotient graph (Amestoy, Davis, Duff 1996: An approximate minimum degree ordering algorithm).
 *
 * An eliminated node becomes an element: the list of its neighbours at that time, which stand for a clique. A node
 * keeps the elements it belongs to and those neighbours no element covers; both fit in the place of its first
 * neighbours, for every element that comes replaces at least one entry. The degree is bounded from above by |own
 * neighbours| + |new element| + sum over old elements of |element \ new element|. Elements within the new one are
 * absorbed; nodes that belong to the new element alone are eliminated along with it. Ties go to the node that entered
 * its degree's list last, so the order depends on nothing but the graph. */
#include "num/order.h"

#include "base/arena.h"

#define NONE UINT32_MAX

typedef struct quotient {
	uint32_t n, placed;
	uint32_t *order;
	uint32_t *at, *elements, *length; /* node: its entries start at `at`: first elements, then nodes, `length` in all */
	uint32_t *entry;
	uint32_t *members, *size; /* element: where its nodes start in pool, how many */
	uint32_t *outside, *stamp;
	uint32_t *pool, pooled, capacity;
	uint32_t *head, *next, *previous, *degree;
	uint32_t least;
	uint32_t *mark, tick;
	bool *gone, *absorbed;
} quotient;

static void enlist(quotient *q, uint32_t i, uint32_t degree)
{
	q->degree[i] = degree;
	q->previous[i] = NONE;
	q->next[i] = q->head[degree];
	if (q->next[i] != NONE)
		q->previous[q->next[i]] = i;
	q->head[degree] = i;
	if (degree < q->least)
		q->least = degree;
}

static void strike(quotient *q, uint32_t i)
{
	if (q->previous[i] != NONE)
		q->next[q->previous[i]] = q->next[i];
	else
		q->head[q->degree[i]] = q->next[i];
	if (q->next[i] != NONE)
		q->previous[q->next[i]] = q->previous[i];
}

static void place(quotient *q, uint32_t i)
{
	q->order[q->placed++] = i;
	q->gone[i] = true;
}

/* The element of p: its neighbours, directly and through elements, which it absorbs. Marks them with q->tick. */
static void join(quotient *q, uint32_t p)
{
	++q->tick;
	q->mark[p] = q->tick;
	q->members[p] = q->pooled;
	for (uint32_t k = 0; k < q->length[p]; ++k) {
		uint32_t e = q->entry[q->at[p] + k];
		bool element = k < q->elements[p];
		uint32_t count = element ? q->size[e] : 1;
		for (uint32_t m = 0; m < count; ++m) {
			uint32_t i = element ? q->pool[q->members[e] + m] : e;
			if (!q->gone[i] && q->mark[i] != q->tick) {
				q->mark[i] = q->tick;
				q->pool[q->pooled++] = i;
			}
		}
		if (element)
			q->absorbed[e] = true;
	}
	q->size[p] = q->pooled - q->members[p];
}

/* outside[e] = |e \ new element| for the elements of the new element's nodes. */
static void count_outside(quotient *q, uint32_t p)
{
	for (uint32_t m = 0; m < q->size[p]; ++m) {
		uint32_t i = q->pool[q->members[p] + m];
		for (uint32_t k = 0; k < q->elements[i]; ++k) {
			uint32_t e = q->entry[q->at[i] + k];
			if (q->absorbed[e])
				continue;
			if (q->stamp[e] != q->tick) {
				q->stamp[e] = q->tick;
				q->outside[e] = q->size[e];
			}
			--q->outside[e];
		}
	}
}

/* Node i after p: absorbed elements and covered neighbours go, p comes. Returns the bound on its degree without p's
 * part. */
static uint32_t rewrite(quotient *q, uint32_t i, uint32_t p)
{
	uint32_t *list = q->entry + q->at[i], kept = 0, bound = 0;
	for (uint32_t k = 0; k < q->elements[i]; ++k) {
		uint32_t e = list[k];
		if (!q->absorbed[e] && q->outside[e] == 0)
			q->absorbed[e] = true;
		if (q->absorbed[e])
			continue;
		list[kept++] = e;
		bound += q->outside[e];
	}
	uint32_t elements = kept, nodes = kept;
	for (uint32_t k = q->elements[i]; k < q->length[i]; ++k) {
		uint32_t o = list[k];
		if (!q->gone[o] && q->mark[o] != q->tick)
			list[nodes++] = o;
	}
	bound += nodes - kept;
	/* p goes between: the first node moves to the end */
	if (nodes > elements)
		list[nodes] = list[elements];
	list[elements] = p;
	q->elements[i] = elements + 1;
	q->length[i] = nodes + 1;
	return bound;
}

static bool eliminate(const cairn_allocator *allocator, quotient *q, uint32_t p)
{
	if (!cn_grow(allocator, (void **)&q->pool, &q->capacity, q->pooled + q->n, sizeof *q->pool))
		return false;
	strike(q, p);
	join(q, p);
	place(q, p);
	uint32_t left = q->n - q->placed, size = q->size[p];
	uint32_t *member = q->pool + q->members[p];
	if (size == left) { /* one clique is left: any order will do */
		for (uint32_t m = 0; m < size; ++m)
			place(q, member[m]);
		return true;
	}
	count_outside(q, p);
	uint32_t kept = 0;
	for (uint32_t m = 0; m < size; ++m) {
		uint32_t i = member[m];
		strike(q, i);
		uint32_t old = q->degree[i] + size - 1;
		uint32_t bound = rewrite(q, i, p);
		if (bound == 0) {
			place(q, i);
			continue;
		}
		bound += size - 1;
		bound = bound < old ? bound : old;
		enlist(q, i, bound < left - 1 ? bound : left - 1);
		member[kept++] = i;
	}
	q->size[p] = kept;
	q->pooled = q->members[p] + kept;
	return true;
}

bool cn_order_find(const cairn_allocator *allocator, const cn_graph *graph, bool last, uint32_t *order)
{
	uint32_t n = graph->nodes;
	cn_arena arena = cn_arena_make(allocator);
	uint32_t *numbers = cn_arena_take(&arena, (size_t)n * 12 + 1, sizeof *numbers);
	uint32_t *entry = cn_arena_take(&arena, n ? graph->first[n] : 0, sizeof *entry);
	bool *flags = cn_arena_take(&arena, (size_t)n * 2, sizeof *flags);
	bool well = !arena.failed;
	if (well) {
		quotient q = {.n = n, .order = order, .entry = entry, .least = n, .gone = flags, .absorbed = flags + n};
		uint32_t **array[] = {&q.at,    &q.elements, &q.length, &q.members,  &q.size,   &q.outside,
		                      &q.stamp, &q.head,     &q.next,   &q.previous, &q.degree, &q.mark};
		for (uint32_t k = 0; k < CN_COUNT(array); ++k)
			*array[k] = numbers + (size_t)k * n;
		for (uint32_t k = 0; n && k < graph->first[n]; ++k)
			entry[k] = graph->adjacent[k];
		for (uint32_t i = 0; i < n; ++i)
			q.head[i] = NONE;
		for (uint32_t k = 0; k < n; ++k) {
			uint32_t i = last ? k : n - 1 - k;
			q.at[i] = graph->first[i];
			q.length[i] = graph->first[i + 1] - graph->first[i];
			enlist(&q, i, q.length[i]);
		}
		while (well && q.placed < n) {
			while (q.head[q.least] == NONE)
				++q.least;
			well = eliminate(allocator, &q, q.head[q.least]);
		}
		cn_free(allocator, q.pool, q.capacity, sizeof *q.pool);
	}
	cn_arena_free(&arena);
	return well;
}
