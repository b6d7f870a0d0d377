/* See nesting.h. Triangles with an edge in common are of one part. A part's direction is the sign of its volume; the
 * number of parts around it is odd where one of its corners is inside all the rest taken together. The six corners that
 * are farthest along the axes are asked; where they differ, the part crosses another. */
#include "geom/nesting.h"

#include "base/sort.h"
#include "geom/inside.h"
#include "geom/orient.h"
#include "geom/tolerance.h"

typedef struct piece {
	uint32_t first;      /* triangle */
	uint32_t count;      /* of triangles */
	uint32_t extreme[6]; /* points: least and largest x, y, z */
	double six_volumes, two_areas;
} piece;

typedef struct nest {
	const v3 *points;
	const uint32_t *triangles;
	uint32_t triangle_count, piece_count;
	uint32_t *labels; /* by triangle: first its tree of others, then the piece it is of */
	piece *pieces;
	cn_sort_item *edges; /* twice as many for sorting */
	cn_tree tree;
} nest;

static uint32_t root(uint32_t *labels, uint32_t i)
{
	while (labels[i] != i)
		i = labels[i] = labels[labels[i]];
	return i;
}

/* The least triangle of a piece becomes its root. */
static void unite(uint32_t *labels, uint32_t a, uint32_t b)
{
	a = root(labels, a), b = root(labels, b);
	labels[a > b ? a : b] = a < b ? a : b;
}

static void find_pieces(nest *n)
{
	uint32_t count = 3 * n->triangle_count;
	for (uint32_t i = 0; i < n->triangle_count; ++i)
		n->labels[i] = i;
	for (uint32_t i = 0; i < count; ++i) {
		uint64_t a = n->triangles[i], b = n->triangles[i % 3 == 2 ? i - 2 : i + 1];
		n->edges[i] = (cn_sort_item){a < b ? a << 32 | b : b << 32 | a, i / 3};
	}
	cn_sort(n->edges, n->edges + count, count);
	for (uint32_t i = 1; i < count; ++i)
		if (n->edges[i].key == n->edges[i - 1].key)
			unite(n->labels, n->edges[i].value, n->edges[i - 1].value);
	for (uint32_t i = 0; i < n->triangle_count; ++i)
		n->labels[i] = root(n->labels, i);
	for (uint32_t i = 0; i < n->triangle_count; ++i) /* roots come before the rest of their piece */
		n->labels[i] = n->labels[i] == i ? n->piece_count++ : n->labels[n->labels[i]];
}

static void measure(nest *n)
{
	for (uint32_t i = 0; i < n->triangle_count; ++i) {
		const uint32_t *t = &n->triangles[(size_t)i * 3];
		piece *p = &n->pieces[n->labels[i]];
		if (p->count++ == 0) {
			p->first = i;
			for (int k = 0; k < 6; ++k)
				p->extreme[k] = t[0];
		}
		v3 normal = cn_plane_through(n->points[t[0]], n->points[t[1]], n->points[t[2]]).normal;
		v3 start = n->points[n->triangles[(size_t)p->first * 3]];
		p->two_areas += v3_length(normal);
		p->six_volumes += v3_dot(normal, v3_sub(n->points[t[0]], start));
		for (int k = 0; k < 18; ++k) {
			uint32_t *best = &p->extreme[k % 6];
			double x = v3_at(n->points[t[k / 6]], k % 6 / 2), most = v3_at(n->points[*best], k % 6 / 2);
			if (k % 2 ? x > most : x < most)
				*best = t[k / 6];
		}
	}
}

static bool flat(const nest *n, const piece *p)
{
	double extent = 0;
	for (int k = 0; k < 6; k += 2) {
		double width = v3_at(n->points[p->extreme[k + 1]], k / 2) - v3_at(n->points[p->extreme[k]], k / 2);
		extent = width > extent ? width : extent;
	}
	return fabs(p->six_volumes) <= 3 * CN_FLAT_VOLUME * p->two_areas * extent;
}

/* Is an odd number of other pieces around this one? CN_UNDECIDED where it cannot be said. */
static cn_side surroundings(const nest *n, uint32_t at)
{
	cn_side all = CN_UNDECIDED;
	for (int k = 0; k < 6; ++k) {
		v3 p = n->points[n->pieces[at].extreme[k]];
		cn_side one = cn_inside_others(&n->tree, n->points, n->triangles, n->labels, at, p);
		if (one != CN_INSIDE && one != CN_OUTSIDE)
			continue;
		if (all != CN_UNDECIDED && all != one)
			return CN_UNDECIDED;
		all = one;
	}
	return all;
}

static bool judge(const nest *n, uint32_t *triangle, bool *inside)
{
	for (uint32_t i = 0; i < n->piece_count; ++i) {
		const piece *p = &n->pieces[i];
		cn_side around = flat(n, p) ? CN_UNDECIDED : surroundings(n, i);
		if (around == CN_UNDECIDED || (around == CN_INSIDE) == (p->six_volumes < 0))
			continue;
		*triangle = p->first, *inside = around == CN_INSIDE;
		return true;
	}
	return false;
}

bool cn_nesting_fault(const cairn_allocator *allocator, const cn_triangles *mesh, uint32_t *triangle, bool *inside,
                      cairn_error *memory)
{
	uint32_t triangle_count = mesh->triangle_count;
	nest n = {.points = mesh->points, .triangles = mesh->triangles, .triangle_count = triangle_count};
	size_t edges = (size_t)triangle_count * 6;
	memory->code = CAIRN_OK;
	n.labels = cn_alloc(allocator, triangle_count, sizeof *n.labels);
	n.edges = cn_alloc(allocator, edges, sizeof *n.edges);
	bool whole = n.labels && n.edges, fault = false;
	if (whole)
		find_pieces(&n);
	cn_free(allocator, n.edges, edges, sizeof *n.edges);
	if (n.piece_count > 1) {
		n.pieces = cn_alloc(allocator, n.piece_count, sizeof *n.pieces);
		whole = n.pieces && cn_tree_build(allocator, n.points, n.triangles, triangle_count, &n.tree);
		if (whole) {
			measure(&n);
			fault = judge(&n, triangle, inside);
		}
	}
	cn_free(allocator, n.labels, triangle_count, sizeof *n.labels);
	cn_free(allocator, n.pieces, n.piece_count, sizeof *n.pieces);
	cn_tree_free(allocator, &n.tree);
	if (!whole)
		cn_fail_memory(memory);
	return fault || !whole;
}
