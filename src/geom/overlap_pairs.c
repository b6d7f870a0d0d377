/* The check's own broad phase: a tree of boxes, halved at the median of their middles along the axis where these spread
 * most, and then compared with itself. An infinite end counts as one very far away where middles are compared. */
#include "geom/overlap.h"

enum { LEAF = 4 };

typedef struct item {
	v3 middle;
	uint32_t box;
} item;

typedef struct node {
	cn_overlap_box box;
	uint32_t first, count, right; /* items; the left child follows its parent, right 0: a leaf */
} node;

typedef struct tree {
	item *items;
	cn_overlap_box *boxes; /* in the order of the items */
	node *nodes;
	uint32_t node_count;
	void (*visit)(void *context, uint32_t a, uint32_t b);
	void *context;
} tree;

static bool is_box(const cn_overlap_box *b)
{
	return b->low.x <= b->high.x && b->low.y <= b->high.y && b->low.z <= b->high.z;
}

static bool overlap(const cn_overlap_box *a, const cn_overlap_box *b)
{
	return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
	       a->low.z <= b->high.z && b->low.z <= a->high.z;
}

static double middle_of(double low, double high)
{
	const double far = 1e300;
	return 0.5 * (low > -far ? low : -far) + 0.5 * (high < far ? high : far);
}

static bool before(const item *p, const item *q, int axis)
{
	double x = v3_at(p->middle, axis), y = v3_at(q->middle, axis);
	return x < y || (x == y && p->box < q->box);
}

/* Puts the items so that the one at `middle` has none larger before it and none smaller after it along the axis. */
static void split_at(item *items, uint32_t first, uint32_t last, uint32_t middle, int axis)
{
	while (first < last) {
		item pivot = items[first + (last - first) / 2];
		uint32_t i = first, j = last;
		for (;;) {
			while (before(&items[i], &pivot, axis))
				++i;
			while (before(&pivot, &items[j], axis))
				--j;
			if (i >= j)
				break;
			item swap = items[i];
			items[i++] = items[j], items[j--] = swap;
		}
		if (middle <= j)
			last = j;
		else
			first = j + 1;
	}
}

static int widest_axis(const item *items, uint32_t count)
{
	v3 low = items[0].middle, high = low;
	for (uint32_t i = 1; i < count; ++i)
		low = v3_least(low, items[i].middle), high = v3_most(high, items[i].middle);
	v3 size = v3_sub(high, low);
	return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

/* No deeper than 32: the count halves. */
static uint32_t split(tree *t, uint32_t first, uint32_t count)
{
	uint32_t at = t->node_count++, half = count / 2;
	t->nodes[at] = (node){.first = first, .count = count};
	if (count <= LEAF)
		return at;
	split_at(t->items, first, first + count - 1, first + half, widest_axis(t->items + first, count));
	(void)split(t, first, half);
	t->nodes[at].right = split(t, first + half, count - half);
	return at;
}

static void bound_nodes(tree *t)
{
	for (uint32_t i = t->node_count; i-- > 0;) { /* children come after their parents */
		node *n = &t->nodes[i];
		const cn_overlap_box *first = n->right ? &t->nodes[i + 1].box : &t->boxes[n->first];
		cn_overlap_box box = *first;
		for (uint32_t k = 1; k < (n->right ? 2 : n->count); ++k) {
			const cn_overlap_box *other = n->right ? &t->nodes[n->right].box : first + k;
			box.low = v3_least(box.low, other->low), box.high = v3_most(box.high, other->high);
		}
		n->box = box;
	}
}

static void compare(const tree *t, uint32_t i, uint32_t j)
{
	uint32_t a = t->items[i].box, b = t->items[j].box;
	if (overlap(&t->boxes[i], &t->boxes[j]))
		t->visit(t->context, a < b ? a : b, a < b ? b : a);
}

static void cross(const tree *t, uint32_t a, uint32_t b)
{
	const node *p = &t->nodes[a], *q = &t->nodes[b];
	if (!overlap(&p->box, &q->box))
		return;
	if (p->right && (!q->right || p->count >= q->count)) {
		cross(t, a + 1, b);
		cross(t, p->right, b);
	} else if (q->right) {
		cross(t, a, b + 1);
		cross(t, a, q->right);
	} else {
		for (uint32_t i = p->first; i < p->first + p->count; ++i)
			for (uint32_t j = q->first; j < q->first + q->count; ++j)
				compare(t, i, j);
	}
}

static void within(const tree *t, uint32_t at)
{
	const node *n = &t->nodes[at];
	if (n->right) {
		within(t, at + 1);
		within(t, n->right);
		cross(t, at + 1, n->right);
		return;
	}
	for (uint32_t i = n->first; i < n->first + n->count; ++i)
		for (uint32_t j = i + 1; j < n->first + n->count; ++j)
			compare(t, i, j);
}

bool cn_overlap_pairs(const cairn_allocator *allocator, const cn_overlap_box *boxes, uint32_t count,
                      void (*visit)(void *context, uint32_t a, uint32_t b), void *context)
{
	if (count == 0)
		return true;
	tree t = {.visit = visit, .context = context};
	t.items = cn_alloc(allocator, count, sizeof *t.items);
	t.boxes = cn_alloc(allocator, count, sizeof *t.boxes);
	t.nodes = cn_alloc(allocator, count, sizeof *t.nodes); /* leaves hold two or more, but for a tree of one */
	bool room = t.items && t.boxes && t.nodes;
	uint32_t used = 0;
	for (uint32_t i = 0; room && i < count; ++i) {
		v3 low = boxes[i].low, high = boxes[i].high;
		if (is_box(&boxes[i]))
			t.items[used++] = (item){{middle_of(low.x, high.x), middle_of(low.y, high.y), middle_of(low.z, high.z)}, i};
	}
	if (used) {
		(void)split(&t, 0, used);
		for (uint32_t i = 0; i < used; ++i)
			t.boxes[i] = boxes[t.items[i].box];
		bound_nodes(&t);
		within(&t, 0);
	}
	cn_free(allocator, t.items, count, sizeof *t.items);
	cn_free(allocator, t.boxes, count, sizeof *t.boxes);
	cn_free(allocator, t.nodes, count, sizeof *t.nodes);
	return room;
}
