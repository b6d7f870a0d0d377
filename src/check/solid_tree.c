/* The tree of a mesh's triangles. Any tree covers the mesh; how it is made decides only what the check costs.
 *
 * Neighbours in one plane are a facet. The tree halves the facets at the median of their means, then the triangles of each
 * facet. A node is held by a ball and, if these are few, by points whose hull comes within cloud_round of all its
 * triangles: points within that of the hull of the others are left out, and the check takes every such hull to be wider by
 * cloud_round. So a flat facet is known by its corners, however finely it is cut. */
#include "check/parts.h"

enum { LEAF = 2, CLOUD_MOST = 32, CLOUD_TRIANGLES = 256 };

#define CN_CHECK_FACET 1e-9  /* sine: neighbours this parallel are one facet */
#define CN_CHECK_CLOUD 1e-12 /* of the reach: points this near to the hull of the others are left out */

typedef struct tree {
	const cairn_allocator *allocator;
	cn_solid *s;
	uint32_t *above;     /* by triangle: facets as a forest; then its facet */
	uint64_t *edges;     /* keys of edges, with triangles */
	uint32_t *facets;    /* in the order of the tree */
	uint32_t *first;     /* by facet: its triangles, in order; one more than facets */
	uint32_t *order;     /* triangles by facet */
	uint32_t *triangles; /* the new order */
	v3 *means;           /* by facet */
	uint32_t *from, *of; /* by node: its facets */
	uint32_t facet_count;
	uint32_t *seen; /* by point: the node plus 1 that took it last */
	uint32_t cloud_count;
} tree;

static uint32_t root_of(uint32_t *above, uint32_t i)
{
	while (above[i] != i)
		i = above[i] = above[above[i]];
	return i;
}

static v3 normal_of(const cn_solid *s, uint32_t triangle)
{
	const uint32_t *t = &s->triangles[(size_t)triangle * 3];
	v3 p = s->points[t[0]];
	return v3_unit(v3_cross(v3_sub(s->points[t[1]], p), v3_sub(s->points[t[2]], p)));
}

static v3 mean_of(const cn_solid *s, uint32_t triangle)
{
	const uint32_t *t = &s->triangles[(size_t)triangle * 3];
	v3 sum = v3_add(v3_add(s->points[t[0]], s->points[t[1]]), s->points[t[2]]);
	return v3_scale(sum, 1.0 / 3);
}

static uint64_t edge_of(const uint32_t *t, int i)
{
	uint32_t a = t[i], b = t[(i + 1) % 3];
	return (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
}

/* Joins neighbours in one plane: each edge is given the first triangle that has it, by its place among the sorted. */
static void join_facets(tree *k, uint32_t *first_at)
{
	cn_solid *s = k->s;
	size_t count = (size_t)s->triangle_count * 3;
	for (size_t i = 0; i < count; ++i)
		k->edges[i] = edge_of(&s->triangles[i / 3 * 3], (int)(i % 3)), first_at[i] = UINT32_MAX;
	cn_check_sort(k->edges, count);
	for (uint32_t t = 0; t < s->triangle_count; ++t)
		k->above[t] = t;
	for (uint32_t t = 0; t < s->triangle_count; ++t)
		for (int i = 0; i < 3; ++i) {
			size_t at = cn_check_find(k->edges, count, edge_of(&s->triangles[(size_t)t * 3], i));
			uint32_t other = first_at[at];
			if (other == UINT32_MAX)
				first_at[at] = t;
			else if (v3_length(v3_cross(normal_of(s, t), normal_of(s, other))) < CN_CHECK_FACET) {
				uint32_t p = root_of(k->above, t), q = root_of(k->above, other);
				k->above[p < q ? q : p] = p < q ? p : q;
			}
		}
}

/* Numbers the facets and lists their triangles and means. */
static void list_facets(tree *k)
{
	cn_solid *s = k->s;
	uint32_t *number = k->order; /* by root, until the order is written */
	k->facet_count = 0;
	for (uint32_t t = 0; t < s->triangle_count; ++t)
		if (root_of(k->above, t) == t)
			number[t] = k->facet_count++;
	for (uint32_t t = s->triangle_count; t-- > 0;) /* roots come before those they stand for */
		k->above[t] = number[root_of(k->above, t)];
	for (uint32_t f = 0; f <= k->facet_count; ++f)
		k->first[f] = 0;
	for (uint32_t t = 0; t < s->triangle_count; ++t)
		++k->first[k->above[t] + 1];
	for (uint32_t f = 0; f < k->facet_count; ++f) {
		k->first[f + 1] += k->first[f];
		k->facets[f] = k->first[f]; /* where the next triangle of it goes */
		k->means[f] = v3_zero();
	}
	for (uint32_t t = 0; t < s->triangle_count; ++t) {
		uint32_t f = k->above[t];
		k->order[k->facets[f]++] = t;
		k->means[f] = v3_add(k->means[f], v3_scale(mean_of(s, t), 1.0 / (k->first[f + 1] - k->first[f])));
	}
	for (uint32_t f = 0; f < k->facet_count; ++f)
		k->facets[f] = f;
}

/* Puts the items so that the one at `middle` has none larger before it and none smaller after it along the axis. */
static void split_at(uint32_t *items, const v3 *means, uint32_t count, uint32_t middle, int axis)
{
	uint32_t first = 0, last = count - 1;
	while (first < last) {
		double pivot = v3_at(means[items[first + (last - first) / 2]], axis);
		uint32_t i = first, j = last;
		for (;;) {
			while (v3_at(means[items[i]], axis) < pivot)
				++i;
			while (pivot < v3_at(means[items[j]], axis))
				--j;
			if (i >= j)
				break;
			uint32_t item = items[i];
			items[i++] = items[j], items[j--] = item;
		}
		if (middle <= j)
			last = j;
		else
			first = j + 1;
	}
}

static int longest(const uint32_t *items, const v3 *means, uint32_t count)
{
	v3 low = means[items[0]], high = low;
	for (uint32_t i = 1; i < count; ++i)
		low = v3_least(low, means[items[i]]), high = v3_most(high, means[items[i]]);
	v3 size = v3_sub(high, low);
	return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

/* Makes two children of a node whose items are halved; from and of: the items of the nodes. */
static void halve(tree *k, uint32_t node, uint32_t *items, const v3 *means)
{
	cn_solid *s = k->s;
	uint32_t half = k->of[node] / 2, *own = items + k->from[node];
	split_at(own, means, k->of[node], half, longest(own, means, k->of[node]));
	uint32_t child = s->node_count;
	k->from[child] = k->from[node], k->of[child] = half;
	k->from[child + 1] = k->from[node] + half, k->of[child + 1] = k->of[node] - half;
	s->nodes[node].first = child;
	s->node_count += 2;
}

static uint32_t triangles_of(const tree *k, uint32_t node)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < k->of[node]; ++i)
		count += k->first[k->facets[k->from[node] + i] + 1] - k->first[k->facets[k->from[node] + i]];
	return count;
}

/* The upper nodes: facets, down to single ones or to a leaf. Then the triangles are put in their order. */
static void halve_facets(tree *k)
{
	cn_solid *s = k->s;
	k->from[0] = 0, k->of[0] = k->facet_count;
	s->node_count = 1;
	for (uint32_t i = 0; i < s->node_count; ++i)
		if (k->of[i] > 1 && triangles_of(k, i) > LEAF)
			halve(k, i, k->facets, k->means);
	uint32_t at = 0;
	for (uint32_t i = 0; i < k->facet_count; ++i) {
		uint32_t facet = k->facets[i];
		k->above[i] = at; /* of the facet at this place: where its triangles begin */
		for (uint32_t j = k->first[facet]; j < k->first[facet + 1]; ++j)
			k->triangles[at++] = k->order[j];
	}
	for (uint32_t i = 0; i < s->node_count; ++i) {
		uint32_t size = triangles_of(k, i);
		k->from[i] = k->above[k->from[i]], k->of[i] = size;
	}
}

/* The lower nodes: triangles of one facet. */
static bool halve_triangles(tree *k)
{
	cn_solid *s = k->s;
	v3 *means = cn_alloc(k->allocator, s->triangle_count, sizeof *means);
	if (!means)
		return false;
	for (uint32_t t = 0; t < s->triangle_count; ++t)
		means[t] = mean_of(s, t);
	for (uint32_t i = 0; i < s->node_count; ++i) {
		if (!s->nodes[i].first && k->of[i] > LEAF)
			halve(k, i, k->triangles, means);
		s->nodes[i].low = k->from[i], s->nodes[i].size = k->of[i];
		if (!s->nodes[i].first)
			s->nodes[i].first = k->from[i], s->nodes[i].count = k->of[i];
	}
	cn_free(k->allocator, means, s->triangle_count, sizeof *means);
	return true;
}

/* The ball about the middle of the box of a node's triangles. */
static void bound_node(const cn_solid *s, cn_check_node *node)
{
	const uint32_t *corners = &s->triangles[(size_t)node->low * 3];
	size_t count = (size_t)node->size * 3;
	v3 low = s->points[corners[0]], high = low;
	for (size_t i = 1; i < count; ++i)
		low = v3_least(low, s->points[corners[i]]), high = v3_most(high, s->points[corners[i]]);
	node->center = v3_scale(v3_add(low, high), 0.5);
	node->radius = 0;
	for (size_t i = 0; i < count; ++i) {
		double d = v3_distance(s->points[corners[i]], node->center);
		node->radius = d > node->radius ? d : node->radius;
	}
}

/* ---- clouds */

/* The point lies within the distance of the hull of the points. */
static bool within(const v3 *points, uint32_t count, v3 x, double distance)
{
	cn_check_convex hull = {.points = points, .count = count, .inside = points[0]},
					point = {.points = &x, .count = 1, .inside = x};
	cn_placed a = cn_check_convex_place(&hull, q_identity(), v3_neg(x)),
			  b = cn_check_convex_place(&point, q_identity(), v3_neg(x));
	cn_check_gap gap;
	v3 axis = v3_sub(x, points[0]);
	if (cn_gap_axis(&a, &b, cn_axis_above(distance),
	                &axis)) /* nearly all: a plane parts them, and no gap need be found */
		return false;
	cn_gap_find(&a, &b, 0, v3_sub(x, points[0]), &gap);
	return gap.most <= distance;
}

/* Points of a node, those furthest from its middle first, as far as they add to the hull. False: they are too many. */
static bool make_cloud(tree *k, uint32_t number, v3 *cloud, uint32_t *count)
{
	cn_solid *s = k->s;
	const cn_check_node *node = &s->nodes[number];
	uint32_t points[3 * CLOUD_TRIANGLES], found = 0;
	if (node->size > CLOUD_TRIANGLES)
		return false;
	for (uint32_t i = 3 * node->low; i < 3 * (node->low + node->size); ++i)
		if (k->seen[s->triangles[i]] != number + 1)
			k->seen[s->triangles[i]] = number + 1, points[found++] = s->triangles[i];
	for (*count = 0; found > 0; --found) {
		uint32_t best = 0;
		for (uint32_t i = 1; i < found; ++i)
			if (v3_distance(s->points[points[i]], node->center) > v3_distance(s->points[points[best]], node->center))
				best = i;
		v3 x = s->points[points[best]];
		points[best] = points[found - 1];
		if (*count && within(cloud, *count, x, s->cloud_round))
			continue;
		if (*count == CLOUD_MOST)
			return false;
		cloud[(*count)++] = x;
	}
	return true;
}

/* The area of the polygon whose corners these are, all about their mean. */
static double area_of(const v3 *corners, uint32_t count, v3 normal)
{
	v3 mean = v3_zero(), x = v3_zero(), around[CLOUD_MOST];
	double angles[CLOUD_MOST], area = 0;
	for (uint32_t i = 0; i < count; ++i)
		mean = v3_add(mean, v3_scale(corners[i], 1.0 / count));
	x = v3_unit(v3_sub(corners[0], mean));
	for (uint32_t i = 0; i < count; ++i) {
		v3 d = v3_sub(corners[i], mean);
		double angle = cn_atan2(v3_dot(normal, v3_cross(x, d)), v3_dot(x, d));
		uint32_t at = i;
		for (; at > 0 && angles[at - 1] > angle; --at)
			angles[at] = angles[at - 1], around[at] = around[at - 1];
		angles[at] = angle, around[at] = d;
	}
	for (uint32_t i = 0; i < count; ++i)
		area += 0.5 * v3_dot(normal, v3_cross(around[i], around[(i + 1) % count]));
	return area;
}

/* Whether a node's triangles lie in one plane and fill the polygon of its cloud, as far as their areas tell. */
static bool is_flat(const cn_solid *s, const cn_check_node *node)
{
	v3 normal = normal_of(s, node->low);
	double area = 0;
	for (uint32_t i = node->low; i < node->low + node->size; ++i) {
		const uint32_t *t = &s->triangles[(size_t)i * 3];
		v3 p = s->points[t[0]], across = v3_cross(v3_sub(s->points[t[1]], p), v3_sub(s->points[t[2]], p));
		if (v3_length(v3_cross(normal, across)) > CN_CHECK_FACET * v3_length(across))
			return false;
		area += 0.5 * v3_length(across);
	}
	return fabs(area_of(s->clouds + node->cloud, node->cloud_count, normal) - area) <= CN_CHECK_FACET * area;
}

static bool make_clouds(tree *k)
{
	cn_solid *s = k->s;
	double far = 0;
	for (uint32_t i = 0; i < s->point_count; ++i)
		far = v3_length(s->points[i]) > far ? v3_length(s->points[i]) : far;
	s->cloud_round = CN_CHECK_CLOUD * far;
	for (uint32_t i = 0; i < s->node_count; ++i) {
		v3 cloud[CLOUD_MOST];
		uint32_t count;
		if (!make_cloud(k, i, cloud, &count))
			continue;
		if (!cn_grow(k->allocator, (void **)&s->clouds, &s->cloud_room, k->cloud_count + count, sizeof *s->clouds))
			return false;
		s->nodes[i].cloud = k->cloud_count, s->nodes[i].cloud_count = count;
		for (uint32_t j = 0; j < count; ++j)
			s->clouds[k->cloud_count++] = cloud[j];
		s->nodes[i].flat = is_flat(s, &s->nodes[i]);
	}
	return true;
}

static bool build(tree *k)
{
	cn_solid *s = k->s;
	join_facets(k, k->seen);
	list_facets(k);
	halve_facets(k);
	if (!halve_triangles(k))
		return false;
	uint32_t *corners = cn_alloc(k->allocator, (size_t)s->triangle_count * 3, sizeof *corners);
	if (!corners)
		return false;
	for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i)
		corners[i] = s->triangles[(size_t)k->triangles[i / 3] * 3 + i % 3];
	cn_free(k->allocator, s->triangles, (size_t)s->triangle_count * 3, sizeof *s->triangles);
	s->triangles = corners;
	for (uint32_t i = 0; i < s->node_count; ++i)
		bound_node(s, &s->nodes[i]);
	for (uint32_t i = 0; i < s->point_count; ++i)
		k->seen[i] = 0;
	return make_clouds(k);
}

bool cn_solid_tree(const cairn_allocator *allocator, cn_solid *s)
{
	uint32_t count = s->triangle_count, edges = 3 * count, seen = edges > s->point_count ? edges : s->point_count;
	tree k = {.allocator = allocator, .s = s};
	s->node_room = 2 * count;
	s->nodes = cn_alloc(allocator, s->node_room, sizeof *s->nodes);
	k.above = cn_alloc(allocator, count, sizeof *k.above);
	k.edges = cn_alloc(allocator, edges, sizeof *k.edges);
	k.facets = cn_alloc(allocator, count, sizeof *k.facets);
	k.first = cn_alloc(allocator, (size_t)count + 1, sizeof *k.first);
	k.order = cn_alloc(allocator, count, sizeof *k.order);
	k.triangles = cn_alloc(allocator, count, sizeof *k.triangles);
	k.means = cn_alloc(allocator, count, sizeof *k.means);
	k.from = cn_alloc(allocator, s->node_room, sizeof *k.from);
	k.of = cn_alloc(allocator, s->node_room, sizeof *k.of);
	k.seen = cn_alloc(allocator, seen, sizeof *k.seen);
	bool ok = s->nodes && k.above && k.edges && k.facets && k.first && k.order && k.triangles && k.means && k.from &&
	          k.of && k.seen && build(&k);
	cn_free(allocator, k.above, count, sizeof *k.above);
	cn_free(allocator, k.edges, edges, sizeof *k.edges);
	cn_free(allocator, k.facets, count, sizeof *k.facets);
	cn_free(allocator, k.first, (size_t)count + 1, sizeof *k.first);
	cn_free(allocator, k.order, count, sizeof *k.order);
	cn_free(allocator, k.triangles, count, sizeof *k.triangles);
	cn_free(allocator, k.means, count, sizeof *k.means);
	cn_free(allocator, k.from, s->node_room, sizeof *k.from);
	cn_free(allocator, k.of, s->node_room, sizeof *k.of);
	cn_free(allocator, k.seen, seen, sizeof *k.seen);
	return ok;
}
