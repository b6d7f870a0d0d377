/* The check's own broad phase: a tree of boxes, halved at the median of their middles along the axis where these spread
 * most, and then compared with itself, task by task. An infinite end counts as one very far away where middles are
 * compared. */
#include "check/overlap.h"

enum { LEAF = 4 };

typedef struct item {
	v3 middle;
	uint32_t box;
} item;

typedef struct node {
	cn_overlap_box box;
	uint32_t first, count, right; /* items; the left child follows its parent, right 0: a leaf */
} node;

/* Two nodes that are compared with each other, or one with itself. */
typedef struct task {
	uint32_t a, b;
} task;

typedef cn_overlap_tree tree;

struct cn_overlap_tree {
	item *items;
	cn_overlap_box *boxes; /* in the order of the items */
	node *nodes;
	uint32_t item_room, box_room, node_room;
	uint32_t node_count, task_count;
	task tasks[CN_OVERLAP_TASKS + 2];
};

/* Who is told of pairs. */
typedef struct walk {
	const tree *t;
	void (*visit)(void *context, uint32_t a, uint32_t b);
	void *context;
} walk;

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

static void compare(const walk *w, uint32_t i, uint32_t j)
{
	const tree *t = w->t;
	uint32_t a = t->items[i].box, b = t->items[j].box;
	if (overlap(&t->boxes[i], &t->boxes[j]))
		w->visit(w->context, a < b ? a : b, a < b ? b : a);
}

/* Of two nodes the one that is taken apart. */
static bool first_splits(const node *p, const node *q) { return p->right && (!q->right || p->count >= q->count); }

static void cross(const walk *w, uint32_t a, uint32_t b)
{
	const node *p = &w->t->nodes[a], *q = &w->t->nodes[b];
	if (!overlap(&p->box, &q->box))
		return;
	if (first_splits(p, q)) {
		cross(w, a + 1, b);
		cross(w, p->right, b);
	} else if (q->right) {
		cross(w, a, b + 1);
		cross(w, a, q->right);
	} else {
		for (uint32_t i = p->first; i < p->first + p->count; ++i)
			for (uint32_t j = q->first; j < q->first + q->count; ++j)
				compare(w, i, j);
	}
}

static void within(const walk *w, uint32_t at)
{
	const node *n = &w->t->nodes[at];
	if (n->right) {
		within(w, at + 1);
		within(w, n->right);
		cross(w, at + 1, n->right);
		return;
	}
	for (uint32_t i = n->first; i < n->first + n->count; ++i)
		for (uint32_t j = i + 1; j < n->first + n->count; ++j)
			compare(w, i, j);
}

/* The task, which is taken off, in two or three; those that cannot meet are dropped. */
static void split_task(tree *t, uint32_t number)
{
	task k = t->tasks[number], parts[3];
	const node *p = &t->nodes[k.a], *q = &t->nodes[k.b];
	uint32_t count = 0;
	if (k.a == k.b) {
		parts[count++] = (task){k.a + 1, k.a + 1};
		parts[count++] = (task){p->right, p->right};
		parts[count++] = (task){k.a + 1, p->right};
	} else if (first_splits(p, q)) {
		parts[count++] = (task){k.a + 1, k.b};
		parts[count++] = (task){p->right, k.b};
	} else {
		parts[count++] = (task){k.a, k.b + 1};
		parts[count++] = (task){k.a, q->right};
	}
	t->tasks[number] = t->tasks[--t->task_count];
	for (uint32_t i = 0; i < count; ++i)
		if (overlap(&t->nodes[parts[i].a].box, &t->nodes[parts[i].b].box))
			t->tasks[t->task_count++] = parts[i];
}

static uint32_t task_size(const tree *t, uint32_t number)
{
	const node *p = &t->nodes[t->tasks[number].a], *q = &t->nodes[t->tasks[number].b];
	return p->right || q->right ? p->count + q->count : 0;
}

/* The largest one is split again and again. */
static void make_tasks(tree *t)
{
	t->tasks[0] = (task){0, 0}, t->task_count = 1;
	while (t->task_count < CN_OVERLAP_TASKS) {
		uint32_t largest = 0, size = 0;
		for (uint32_t i = 0; i < t->task_count; ++i)
			if (task_size(t, i) > size)
				size = task_size(t, i), largest = i;
		if (size <= 8 * LEAF)
			return;
		split_task(t, largest);
	}
}

cn_overlap_tree *cn_overlap_tree_create(const cairn_allocator *allocator)
{
	return cn_alloc(allocator, 1, sizeof(cn_overlap_tree));
}

void cn_overlap_tree_destroy(const cairn_allocator *allocator, cn_overlap_tree *t)
{
	if (!t)
		return;
	cn_free(allocator, t->items, t->item_room, sizeof *t->items);
	cn_free(allocator, t->boxes, t->box_room, sizeof *t->boxes);
	cn_free(allocator, t->nodes, t->node_room, sizeof *t->nodes);
	cn_free(allocator, t, 1, sizeof *t);
}

bool cn_overlap_tree_build(const cairn_allocator *allocator, cn_overlap_tree *t, const cn_overlap_box *boxes,
                           uint32_t count, uint32_t *tasks)
{
	uint32_t used = 0;
	t->node_count = t->task_count = *tasks = 0;
	if (!cn_grow(allocator, (void **)&t->items, &t->item_room, count, sizeof *t->items) ||
	    !cn_grow(allocator, (void **)&t->boxes, &t->box_room, count, sizeof *t->boxes) ||
	    !cn_grow(allocator, (void **)&t->nodes, &t->node_room, count, sizeof *t->nodes))
		return false; /* leaves hold two or more, but for a tree of one */
	for (uint32_t i = 0; i < count; ++i) {
		v3 low = boxes[i].low, high = boxes[i].high;
		if (is_box(&boxes[i]))
			t->items[used++] =
				(item){{middle_of(low.x, high.x), middle_of(low.y, high.y), middle_of(low.z, high.z)}, i};
	}
	if (used == 0)
		return true;
	(void)split(t, 0, used);
	for (uint32_t i = 0; i < used; ++i)
		t->boxes[i] = boxes[t->items[i].box];
	bound_nodes(t);
	make_tasks(t);
	*tasks = t->task_count;
	return true;
}

void cn_overlap_tree_visit(const cn_overlap_tree *t, uint32_t number,
                           void (*visit)(void *context, uint32_t a, uint32_t b), void *context)
{
	walk w = {t, visit, context};
	task k = t->tasks[number];
	if (k.a == k.b)
		within(&w, k.a);
	else
		cross(&w, k.a, k.b);
}
