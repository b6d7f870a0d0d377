/* See tree.h. Nodes are cut where the sum over both sides of (half surface of the box x triangles) is least, of BINS -
 * 1 places along each axis. Past DEEP levels, and where all middles are in one bin, a node is cut into two equal
 * counts, so depth is at most DEEP + log2 of the most triangles: walks have stacks of fixed size. */
#include "geom/tree.h"

enum { LEAF = 4, BINS = 12, DEEP = 48, STACK = CN_TREE_DEPTH + 1 };

typedef struct bounds {
	v3 low, high;
} bounds;

typedef struct builder {
	const v3 *points;
	const uint32_t *triangles;
	uint32_t *order;
} builder;

typedef struct cut {
	double cost;
	int axis; /* -1: none */
	uint32_t bin;
	double low, scale; /* bin of x: (x - low) scale */
} cut;

static bounds nothing(void) { return (bounds){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

static void hold(bounds *b, v3 p)
{
	b->low = v3_least(b->low, p);
	b->high = v3_most(b->high, p);
}

static void hold_bounds(bounds *b, bounds other)
{
	b->low = v3_least(b->low, other.low);
	b->high = v3_most(b->high, other.high);
}

static bounds bounds_of(const v3 *points, const uint32_t *triangles, uint32_t triangle)
{
	const uint32_t *t = &triangles[(size_t)triangle * 3];
	bounds b = nothing();
	for (int k = 0; k < 3; ++k)
		hold(&b, points[t[k]]);
	return b;
}

static v3 middle_of(bounds b)
{
	return v3_make(b.low.x + b.high.x, b.low.y + b.high.y, b.low.z + b.high.z);
} /* twice */

static double half_surface(bounds b)
{
	v3 d = v3_sub(b.high, b.low);
	return d.x * d.y + d.y * d.z + d.z * d.x;
}

static uint32_t bin_of(const cut *c, v3 middle)
{
	double place = (v3_at(middle, c->axis) - c->low) * c->scale;
	return place < BINS - 1 ? (uint32_t)place : BINS - 1;
}

static void try_axis(const builder *b, uint32_t first, uint32_t count, cut trial, cut *best)
{
	bounds boxes[BINS], right[BINS];
	uint32_t counts[BINS] = {0}, beyond[BINS], before = 0;
	for (int i = 0; i < BINS; ++i)
		boxes[i] = nothing();
	for (uint32_t i = first; i < first + count; ++i) {
		bounds box = bounds_of(b->points, b->triangles, b->order[i]);
		uint32_t bin = bin_of(&trial, middle_of(box));
		hold_bounds(&boxes[bin], box);
		++counts[bin];
	}
	right[BINS - 1] = boxes[BINS - 1], beyond[BINS - 1] = counts[BINS - 1];
	for (int i = BINS - 2; i > 0; --i) {
		right[i] = boxes[i], beyond[i] = counts[i] + beyond[i + 1];
		hold_bounds(&right[i], right[i + 1]);
	}
	bounds left = nothing();
	for (uint32_t i = 0; i < BINS - 1; ++i) {
		hold_bounds(&left, boxes[i]);
		before += counts[i];
		if (before == 0 || beyond[i + 1] == 0)
			continue;
		double cost = before * half_surface(left) + beyond[i + 1] * half_surface(right[i + 1]);
		if (cost < best->cost)
			*best = trial, best->cost = cost, best->bin = i;
	}
}

static cut find_cut(const builder *b, uint32_t first, uint32_t count)
{
	bounds middles = nothing();
	cut best = {.cost = INFINITY, .axis = -1};
	for (uint32_t i = first; i < first + count; ++i)
		hold(&middles, middle_of(bounds_of(b->points, b->triangles, b->order[i])));
	for (int axis = 0; axis < 3; ++axis) {
		double low = v3_at(middles.low, axis), width = v3_at(middles.high, axis) - low;
		cut trial = {.axis = axis, .low = low, .scale = BINS / width};
		if (width > 0 && isfinite(trial.scale))
			try_axis(b, first, count, trial, &best);
	}
	return best;
}

/* Brings the triangles left of the cut to the front; how many these are. */
static uint32_t part(const builder *b, uint32_t first, uint32_t count, const cut *c)
{
	uint32_t low = first, high = first + count;
	while (low < high) {
		uint32_t triangle = b->order[low];
		if (bin_of(c, middle_of(bounds_of(b->points, b->triangles, triangle))) <= c->bin)
			++low;
		else
			b->order[low] = b->order[--high], b->order[high] = triangle;
	}
	return low - first;
}

typedef struct task {
	uint32_t node, depth;
} task;

static bool split(const cairn_allocator *allocator, cn_tree *tree, const builder *b)
{
	task stack[STACK];
	uint32_t waiting = 1;
	stack[0] = (task){0, 0};
	while (waiting) {
		task now = stack[--waiting];
		uint32_t first = tree->nodes[now.node].first, count = tree->nodes[now.node].count, left = count / 2;
		if (count <= LEAF)
			continue;
		if (now.depth < DEEP) {
			cut c = find_cut(b, first, count);
			if (c.axis >= 0)
				left = part(b, first, count, &c);
		}
		if (!cn_grow(allocator, (void **)&tree->nodes, &tree->node_capacity, tree->node_count + 2, sizeof *tree->nodes))
			return false;
		uint32_t child = tree->node_count;
		tree->node_count += 2;
		tree->nodes[child] = (cn_tree_node){.first = first, .count = left};
		tree->nodes[child + 1] = (cn_tree_node){.first = first + left, .count = count - left};
		tree->nodes[now.node].first = child, tree->nodes[now.node].count = 0;
		assert(waiting + 2 <= STACK);
		stack[waiting++] = (task){child + 1, now.depth + 1};
		stack[waiting++] = (task){child, now.depth + 1};
	}
	return true;
}

bool cn_tree_build(const cairn_allocator *allocator, const v3 *points, const uint32_t *triangles,
                   uint32_t triangle_count, cn_tree *out)
{
	cn_tree tree = {.triangle_count = triangle_count};
	*out = tree;
	if (triangle_count == 0)
		return true;
	tree.order = cn_alloc(allocator, triangle_count, sizeof *tree.order);
	bool whole = tree.order && cn_grow(allocator, (void **)&tree.nodes, &tree.node_capacity, 1, sizeof *tree.nodes);
	if (whole) {
		for (uint32_t i = 0; i < triangle_count; ++i)
			tree.order[i] = i;
		tree.nodes[0] = (cn_tree_node){.first = 0, .count = triangle_count};
		tree.node_count = 1;
		whole = split(allocator, &tree, &(builder){points, triangles, tree.order});
	}
	if (!whole) {
		cn_tree_free(allocator, &tree);
		return false;
	}
	cn_tree_refit(&tree, points, NULL, triangles, 0);
	*out = tree;
	return true;
}

void cn_tree_free(const cairn_allocator *allocator, cn_tree *tree)
{
	cn_free(allocator, tree->nodes, tree->node_capacity, sizeof *tree->nodes);
	cn_free(allocator, tree->order, tree->triangle_count, sizeof *tree->order);
	*tree = (cn_tree){0};
}

static double lower(double x, double fat) { return fat > 0 ? x - fat - DBL_EPSILON * (fabs(x) + fat) : x; }

void cn_tree_refit(cn_tree *tree, const v3 *points, const v3 *to, const uint32_t *triangles, double fat)
{
	for (uint32_t i = tree->node_count; i-- > 0;) {
		cn_tree_node *n = &tree->nodes[i];
		bounds b = nothing();
		for (uint32_t k = n->first; k < n->first + n->count; ++k) {
			hold_bounds(&b, bounds_of(points, triangles, tree->order[k]));
			if (to)
				hold_bounds(&b, bounds_of(to, triangles, tree->order[k]));
		}
		if (n->count == 0) {
			const cn_tree_node *left = &tree->nodes[n->first], *right = left + 1;
			n->low = v3_least(left->low, right->low);
			n->high = v3_most(left->high, right->high);
		} else {
			n->low = v3_make(lower(b.low.x, fat), lower(b.low.y, fat), lower(b.low.z, fat));
			n->high = v3_make(-lower(-b.high.x, fat), -lower(-b.high.y, fat), -lower(-b.high.z, fat));
		}
	}
}

typedef bool (*visitor)(void *context, uint32_t triangle);

static bool visit_leaf(const cn_tree *tree, const cn_tree_node *leaf, visitor visit, void *context)
{
	for (uint32_t i = leaf->first; i < leaf->first + leaf->count; ++i)
		if (!visit(context, tree->order[i]))
			return false;
	return true;
}

/* What a walk looks for: a box from low to high, or the half-line from low along high. */
typedef struct target {
	bool (*meets)(const cn_tree_node *n, v3 low, v3 high);
	v3 low, high;
} target;

/* Every leaf whose box the target meets, from left to right. */
static bool walk(const cn_tree *tree, const target *t, visitor visit, void *context)
{
	uint32_t stack[STACK], waiting = 0;
	if (tree->node_count)
		stack[waiting++] = 0;
	while (waiting) {
		const cn_tree_node *n = &tree->nodes[stack[--waiting]];
		if (!t->meets(n, t->low, t->high))
			continue;
		if (n->count && !visit_leaf(tree, n, visit, context))
			return false;
		if (!n->count)
			stack[waiting++] = n->first + 1, stack[waiting++] = n->first;
	}
	return true;
}

static bool meets_box(const cn_tree_node *n, v3 low, v3 high)
{
	return n->low.x <= high.x && n->low.y <= high.y && n->low.z <= high.z && n->high.x >= low.x && n->high.y >= low.y &&
	       n->high.z >= low.z;
}

bool cn_tree_box(const cn_tree *tree, v3 low, v3 high, bool (*visit)(void *context, uint32_t triangle), void *context)
{
	return walk(tree, &(target){meets_box, low, high}, visit, context);
}

/* Narrows the times from..to at which the half-line is between two planes across one axis. Each time is off by three
 * roundings at most (two here and the direction's), which is made up for when the ends are compared. */
static void narrow(double origin, double direction, double low, double high, double *from, double *to)
{
	if (direction == 0) {
		if (origin < low || origin > high)
			*to = -INFINITY;
		return;
	}
	double a = (low - origin) / direction, b = (high - origin) / direction;
	double enter = a < b ? a : b, leave = a < b ? b : a;
	*from = enter > *from ? enter : *from;
	*to = leave < *to ? leave : *to;
}

static bool meets_ray(const cn_tree_node *n, v3 origin, v3 direction)
{
	double from = 0, to = INFINITY;
	narrow(origin.x, direction.x, n->low.x, n->high.x, &from, &to);
	narrow(origin.y, direction.y, n->low.y, n->high.y, &from, &to);
	narrow(origin.z, direction.z, n->low.z, n->high.z, &from, &to);
	return to >= 0 && from * (1 - 4 * DBL_EPSILON) <= to;
}

bool cn_tree_ray(const cn_tree *tree, v3 origin, v3 direction, bool (*visit)(void *context, uint32_t triangle),
                 void *context)
{
	return walk(tree, &(target){meets_ray, origin, direction}, visit, context);
}
