/* See hull_tree.h. Hulls are made from the leaves up: that of a union is the hull of its children's corners. Then what is
 * whole as it is becomes a leaf, and the nodes that are left are written down. */
#include "geom/hull_tree.h"

#include "geom/contact_side.h"
#include "geom/hull.h"
#include "geom/tolerance.h"
#include "geom/triangle_part.h"

#define ON_FACE 1e-9 /* of the node's size: a triangle this near to a face lies on it */
#define COVERED 1e-6 /* of a face's area: it may miss this much and is true all the same */
#define CROWDED 1e-3 /* of the radius: polygons with shorter edges are searched vertex by vertex */
#define FLAT_ULPS 8  /* x DBL_EPSILON x the extent: rounding of points on the rim of a flat node */
#define THIN 1e-6    /* of its extent squared: the area of a node that is no line */
#define NO_FACE UINT32_MAX

/* A node while the tree is built. */
typedef struct draft {
	cn_hull_node node;
	uint32_t *ids, id_count; /* mesh points of its vertices */
	uint32_t first, count;   /* triangles, in builder.order */
} draft;

typedef struct builder {
	const cairn_allocator *allocator;
	const cn_triangles *mesh;
	bool solid;
	cn_hull_merge *merges;
	draft *drafts;   /* by merge */
	uint32_t *order; /* triangles, those of a node together */
	uint32_t *local; /* by point: its vertex of the node at hand plus 1; 0: none */
	v3 *points;      /* scratch: of one node */
	uint32_t *ids, *loop;
	double *u, *v; /* of these points in the plane of a flat node */
} builder;

static uint32_t merge_count(const builder *b) { return 2 * b->mesh->triangle_count - 1; }

/* ---- flat nodes */

/* The convex hull of count points of the plane, counter-clockwise, into loop; how many it has. Points must be sorted by
 * (u, v). Points within rounding of the line between others are no corners. */
static uint32_t outline(const double *u, const double *v, uint32_t count, double rounding, uint32_t *loop)
{
	uint32_t size = 0;
	for (int pass = 0; pass < 2; ++pass) {
		uint32_t base = size;
		for (uint32_t k = 0; k < count; ++k) {
			uint32_t i = pass ? count - 1 - k : k;
			while (size > base + 1) {
				uint32_t p = loop[size - 2], q = loop[size - 1];
				double ax = u[q] - u[p], ay = v[q] - v[p], bx = u[i] - u[q], by = v[i] - v[q];
				double cx = u[i] - u[p], cy = v[i] - v[p];
				if (ax * by - ay * bx > rounding * sqrt(cx * cx + cy * cy))
					break;
				--size;
			}
			loop[size++] = i;
		}
		--size; /* the last one begins the other chain */
	}
	return size;
}

/* Sorts the points of a node by (u, v), by insertion into runs: few, and nearly in order after the first time. */
static void sort_points(builder *b, uint32_t count)
{
	for (uint32_t gap = count / 2; gap > 0; gap /= 2)
		for (uint32_t i = gap; i < count; ++i) {
			double u = b->u[i], v = b->v[i];
			v3 p = b->points[i];
			uint32_t id = b->ids[i], j = i;
			for (; j >= gap && (b->u[j - gap] > u || (b->u[j - gap] == u && b->v[j - gap] > v)); j -= gap)
				b->u[j] = b->u[j - gap], b->v[j] = b->v[j - gap], b->points[j] = b->points[j - gap],
				b->ids[j] = b->ids[j - gap];
			b->u[j] = u, b->v[j] = v, b->points[j] = p, b->ids[j] = id;
		}
}

static void write_ring(cn_polytope *p, uint32_t i, uint32_t n)
{
	uint32_t next = (i + 1) % n, last = (i + n - 1) % n;
	p->ring_first[i] = 2 * i, p->ring_first[i + 1] = 2 * i + 2;
	p->ring[2 * i] = next < last ? next : last, p->ring[2 * i + 1] = next < last ? last : next;
}

/* A polygon with two faces, of corners that run counter-clockwise about the normal. */
static bool make_polygon(const cairn_allocator *allocator, const v3 *corners, uint32_t n, v3 normal, cn_convex *c)
{
	cn_polytope p;
	v3 low = corners[0], high = low;
	for (uint32_t i = 1; i < n; ++i)
		low = v3_least(low, corners[i]), high = v3_most(high, corners[i]);
	if (!cn_polytope_alloc(allocator, n, n, 2, &p))
		return false;
	*c = (cn_convex){.kind = CAIRN_HULL, .center = v3_scale(v3_add(low, high), 0.5), .size = v3_max(v3_sub(high, low))};
	p.normals[0] = normal, p.normals[1] = v3_neg(normal);
	p.offsets[0] = p.offsets[1] = -INFINITY;
	p.face_first[1] = n, p.face_first[2] = 2 * n;
	for (uint32_t i = 0; i < n; ++i) {
		p.vertices[i] = v3_sub(corners[i], c->center);
		p.sources[i] = i;
		double far = v3_length(p.vertices[i]), height = v3_dot(normal, p.vertices[i]);
		p.radius = far > p.radius ? far : p.radius;
		p.offsets[0] = height > p.offsets[0] ? height : p.offsets[0];
		p.offsets[1] = -height > p.offsets[1] ? -height : p.offsets[1];
		write_ring(&p, i, n);
	}
	for (uint32_t i = 0; i < n; ++i) { /* edge from i to the next: 0 1, 0 n-1, 1 2, 2 3, ... */
		uint32_t last = i + 1 == n, e = i == 0 ? 0 : last ? 1 : i + 1;
		p.edges[e] = last ? (cn_edge){0, i, 1, 0} : (cn_edge){i, i + 1, 0, 1};
		v3 along = v3_sub(p.vertices[p.edges[e].head], p.vertices[p.edges[e].tail]);
		p.directions[e] = v3_unit(along);
		p.crowded |= v3_length(along) < CROWDED * p.radius;
		p.loop[i] = i, p.loop_edges[i] = e;
		p.loop[n + i] = (n - i) % n, p.loop_edges[2 * n - 1 - i] = e;
	}
	c->core = p;
	cn_convex_finish(c);
	return true;
}

static v3 corner(const builder *b, uint32_t triangle, uint32_t k)
{
	return b->mesh->points[b->mesh->triangles[(size_t)triangle * 3 + k]];
}

static v3 area_of(const builder *b, uint32_t triangle)
{
	v3 p = corner(b, triangle, 0);
	return v3_scale(v3_cross(v3_sub(corner(b, triangle, 1), p), v3_sub(corner(b, triangle, 2), p)), 0.5);
}

/* The point furthest from another. */
static uint32_t furthest(const builder *b, uint32_t count, v3 from)
{
	uint32_t best = 0;
	for (uint32_t i = 1; i < count; ++i)
		if (v3_distance(b->points[i], from) > v3_distance(b->points[best], from))
			best = i;
	return best;
}

/* A node without any area: a triangle that is wide enough to have a plane stands for the line. */
static bool make_line(builder *b, draft *d, uint32_t count)
{
	uint32_t low = furthest(b, count, b->points[0]), high = furthest(b, count, b->points[low]), off = low;
	v3 from = b->points[low], along = v3_unit(v3_sub(b->points[high], from)), corners[3];
	double most = 0;
	for (uint32_t i = 0; i < count; ++i) {
		double far = v3_length(v3_cross(along, v3_sub(b->points[i], from)));
		if (far > most)
			most = far, off = i;
	}
	b->loop[0] = low, b->loop[1] = high, b->loop[2] = off;
	for (int i = 0; i < 3; ++i)
		corners[i] = b->points[b->loop[i]];
	cn_triangle_part wide;
	cn_triangle_part_make(corners, &wide);
	for (int i = 0; i < 3; ++i)
		corners[i] = v3_add(wide.vertices[i], wide.convex.center);
	d->node.exact = true;
	return make_polygon(b->allocator, corners, 3, wide.normals[0], &d->node.convex);
}

/* Twice the signed area of the outline. */
static double outline_area(const builder *b, uint32_t size)
{
	double sum = 0;
	for (uint32_t i = 1; i + 1 < size; ++i) {
		uint32_t o = b->loop[0], p = b->loop[i], q = b->loop[i + 1];
		sum += (b->u[p] - b->u[o]) * (b->v[q] - b->v[o]) - (b->v[p] - b->v[o]) * (b->u[q] - b->u[o]);
	}
	return sum;
}

static bool keep_ids(builder *b, draft *d, uint32_t count, const uint32_t *which)
{
	d->ids = cn_alloc(b->allocator, count, sizeof *d->ids);
	d->id_count = d->ids ? count : 0;
	for (uint32_t i = 0; d->ids && i < count; ++i)
		d->ids[i] = b->ids[which[i]];
	return d->ids;
}

/* ---- nodes with volume */

/* The face of a polytope at a vertex whose normal is nearest to n. */
static uint32_t face_at(const cn_polytope *p, uint32_t vertex, v3 n)
{
	uint32_t best = NO_FACE;
	double most = 0;
	for (uint32_t k = p->ring_first[vertex]; k < p->ring_first[vertex + 1]; ++k) {
		const cn_edge *e = &p->edges[cn_polytope_edge(p, vertex, p->ring[k])];
		const uint32_t faces[2] = {e->left, e->right};
		for (int i = 0; i < 2; ++i)
			if (v3_dot(p->normals[faces[i]], n) > most)
				most = v3_dot(p->normals[faces[i]], n), best = faces[i];
	}
	return best;
}

/* The face of a node that a triangle lies on, seen from the side that n points to. */
static uint32_t face_under(const builder *b, const cn_convex *c, uint32_t triangle, v3 n)
{
	const cn_polytope *p = &c->core;
	uint32_t face = face_at(p, cn_polytope_climb(p, n, c->seeds[cn_convex_cell(n)]), n);
	for (uint32_t k = 0; k < 3 && face != NO_FACE; ++k)
		if (p->offsets[face] - v3_dot(p->normals[face], v3_sub(corner(b, triangle, k), c->center)) > ON_FACE * c->size)
			face = NO_FACE;
	return face;
}

static double face_area(const cn_polytope *p, uint32_t face)
{
	v3 sum = v3_zero(), from = p->vertices[p->loop[p->face_first[face]]];
	for (uint32_t k = p->face_first[face] + 1; k + 1 < p->face_first[face + 1]; ++k)
		sum = v3_add(sum, v3_cross(v3_sub(p->vertices[p->loop[k]], from), v3_sub(p->vertices[p->loop[k + 1]], from)));
	return 0.5 * v3_length(sum);
}

static void mark_edges(builder *b, draft *d)
{
	const cn_polytope *p = &d->node.convex.core;
	for (uint32_t i = 0; i < p->vertex_count; ++i)
		b->local[d->ids[i]] = i + 1;
	for (uint32_t i = 0; i < 3 * d->count; ++i) {
		const uint32_t *t = &b->mesh->triangles[(size_t)b->order[d->first + i / 3] * 3];
		uint32_t from = b->local[t[i % 3]], to = b->local[t[(i + 1) % 3]];
		uint32_t e = from && to ? cn_polytope_edge(p, from - 1, to - 1) : UINT32_MAX;
		if (e != UINT32_MAX)
			d->node.edges[e] = 1;
	}
	for (uint32_t i = 0; i < p->vertex_count; ++i)
		b->local[d->ids[i]] = 0;
	for (uint32_t e = 0; e < p->edge_count; ++e)
		d->node.edges[e] |= d->node.faces[p->edges[e].left] | d->node.faces[p->edges[e].right];
}

/* Which faces and edges are true, and whether all of the surface is and nothing lies inside. Of a flat node that is not
 * convex no face is. */
static bool mark(builder *b, draft *d)
{
	const cn_polytope *p = &d->node.convex.core;
	bool inside = false, all = true;
	double *cover = cn_alloc(b->allocator, p->face_count, sizeof *cover);
	d->node.faces = cn_alloc(b->allocator, p->face_count, 1);
	d->node.edges = cn_alloc(b->allocator, p->edge_count, 1);
	bool ok = cover && d->node.faces && d->node.edges;
	for (uint32_t i = 0; ok && i < d->count; ++i) {
		uint32_t triangle = b->order[d->first + i];
		v3 area = area_of(b, triangle), n = v3_unit(area);
		if (d->node.flat)
			continue;
		uint32_t face = face_under(b, &d->node.convex, triangle, n);
		face = face != NO_FACE ? face : face_under(b, &d->node.convex, triangle, v3_neg(n));
		if (face != NO_FACE)
			cover[face] += v3_length(area);
		else if (v3_length2(area) > 0)
			inside = true;
	}
	for (uint32_t f = 0; ok && f < p->face_count; ++f) {
		d->node.faces[f] = !d->node.flat && cover[f] >= (1 - COVERED) * face_area(p, f);
		all = all && d->node.faces[f];
	}
	if (ok)
		mark_edges(b, d);
	d->node.exact = ok && all && !inside;
	cn_free(b->allocator, cover, p->face_count, sizeof *cover);
	return ok;
}

/* The hull of the node's points; *flat: they have none. */
static bool make_hull(builder *b, draft *d, uint32_t count, bool *flat)
{
	uint32_t *triangles, triangle_count;
	cairn_error error;
	cn_convex *c = &d->node.convex;
	*flat = false;
	if (!cn_hull_build(b->allocator, b->points, count, &triangles, &triangle_count, &error)) {
		*flat = error.code != CAIRN_MEMORY;
		return *flat;
	}
	v3 low = b->points[0], high = low;
	for (uint32_t i = 1; i < count; ++i)
		low = v3_least(low, b->points[i]), high = v3_most(high, b->points[i]);
	*c = (cn_convex){.kind = CAIRN_HULL, .center = v3_scale(v3_add(low, high), 0.5), .size = v3_max(v3_sub(high, low))};
	bool ok = cn_polytope_hull(b->allocator, &(cn_triangles){b->points, count, triangles, triangle_count}, c->center,
	                           &c->core);
	cn_free(b->allocator, triangles, (size_t)triangle_count * 3, sizeof *triangles);
	if (!ok)
		return false;
	cn_convex_finish(c);
	return keep_ids(b, d, c->core.vertex_count, c->core.sources) && mark(b, d);
}

/* The plane of a node's triangles, whichever way they face. */
typedef struct common_plane {
	v3 normal;
	double area;   /* m^2: of all triangles */
	double extent; /* m: of the points, from the first */
	double off;    /* m: how far a point is from the plane through the first */
} common_plane;

static common_plane plane_of(const builder *b, const draft *d, uint32_t count)
{
	v3 best = v3_zero(), sum = v3_zero();
	common_plane p = {.area = 0};
	for (uint32_t i = 0; i < d->count; ++i) {
		v3 area = area_of(b, b->order[d->first + i]);
		best = v3_length2(area) > v3_length2(best) ? area : best;
	}
	for (uint32_t i = 0; i < d->count; ++i) {
		v3 area = area_of(b, b->order[d->first + i]);
		sum = v3_dot(area, best) < 0 ? v3_sub(sum, area) : v3_add(sum, area);
		p.area += v3_length(area);
	}
	p.normal = v3_unit(sum);
	for (uint32_t i = 1; i < count; ++i) {
		v3 to = v3_sub(b->points[i], b->points[0]);
		double far = v3_length(to), off = fabs(v3_dot(p.normal, to));
		p.extent = far > p.extent ? far : p.extent;
		p.off = off > p.off ? off : p.off;
	}
	return p;
}

/* Draws the points on the plane and finds their outline, in b->loop; how many corners it has, 0: they lie on a line. */
static uint32_t draw_outline(builder *b, const common_plane *plane, uint32_t count)
{
	v3 across, up, origin = b->points[0];
	if (!(plane->area > THIN * plane->extent * plane->extent))
		return 0;
	cn_contact_basis(plane->normal, &across, &up);
	for (uint32_t i = 0; i < count; ++i) {
		v3 off = v3_sub(b->points[i], origin);
		b->u[i] = v3_dot(across, off), b->v[i] = v3_dot(up, off);
	}
	sort_points(b, count);
	return outline(b->u, b->v, count, FLAT_ULPS * DBL_EPSILON * plane->extent, b->loop);
}

/* Coplanar neighbours are a flat node if they are so up to rounding, or if all their points are corners of it: points that
 * are left out must not be outside. */
static bool is_flat(builder *b, const draft *d, uint32_t count)
{
	common_plane p = plane_of(b, d, count);
	return p.off <= CN_HULL_ULPS * DBL_EPSILON * (v3_max(v3_abs(b->points[0])) + p.extent) ||
	       draw_outline(b, &p, count) == count;
}

static bool make_flat(builder *b, draft *d, uint32_t count)
{
	common_plane plane = plane_of(b, d, count);
	v3 normal = plane.normal;
	double sum = plane.area;
	d->node.flat = true;
	uint32_t size = draw_outline(b, &plane, count);
	if (size < 3)
		return make_line(b, d, count) && keep_ids(b, d, 3, b->loop);
	double area = 0.5 * outline_area(b, size);
	d->node.exact = fabs(area - sum) <= COVERED * area;
	v3 *corners = cn_alloc(b->allocator, size, sizeof *corners);
	bool ok = corners;
	for (uint32_t i = 0; ok && i < size; ++i)
		corners[i] = b->points[b->loop[i]];
	ok = ok && make_polygon(b->allocator, corners, size, normal, &d->node.convex) && keep_ids(b, d, size, b->loop) &&
	     (d->node.exact || mark(b, d));
	cn_free(b->allocator, corners, size, sizeof *corners);
	return ok;
}

/* By number, so that a convex mesh has the same corners in the same order as the hull of its points. */
static void sort_ids(uint32_t *ids, uint32_t count)
{
	for (uint32_t gap = count / 2; gap > 0; gap /= 2)
		for (uint32_t i = gap; i < count; ++i) {
			uint32_t id = ids[i], j = i;
			for (; j >= gap && ids[j - gap] > id; j -= gap)
				ids[j] = ids[j - gap];
			ids[j] = id;
		}
}

/* Gathers the points of a node: of a triangle its corners, else those of both children, each once. */
static uint32_t gather(builder *b, uint32_t merge)
{
	const cn_hull_merge *m = &b->merges[merge];
	uint32_t count = 0;
	for (int k = 0; k < 2; ++k) {
		bool leaf = m->child[0] == CN_HULL_LEAF;
		const draft *d = leaf ? NULL : &b->drafts[m->child[k]];
		const uint32_t *ids = leaf ? &b->mesh->triangles[(size_t)m->child[1] * 3] : d->ids;
		uint32_t more = leaf ? 3 : d->id_count;
		for (uint32_t i = 0; i < more; ++i)
			if (!b->local[ids[i]])
				b->local[ids[i]] = 1, b->ids[count++] = ids[i];
	}
	sort_ids(b->ids, count);
	for (uint32_t i = 0; i < count; ++i)
		b->local[b->ids[i]] = 0, b->points[i] = b->mesh->points[b->ids[i]];
	return count;
}

static bool make_node(builder *b, uint32_t merge)
{
	draft *d = &b->drafts[merge];
	uint32_t count = gather(b, merge);
	bool flat = d->count == 1 || (b->merges[merge].flat && is_flat(b, d, count));
	if (!flat && !make_hull(b, d, count, &flat))
		return false;
	return !flat || make_flat(b, d, count);
}

/* ---- the whole */

/* A node that needs no children: a flat patch that is convex, or a convex solid. */
static bool whole(const builder *b, uint32_t merge)
{
	const cn_hull_node *n = &b->drafts[merge].node;
	return b->merges[merge].child[0] == CN_HULL_LEAF || (n->exact && (n->flat || b->solid));
}

/* Lays out the triangles so that those of each node stand together. */
static void lay_out(builder *b)
{
	uint32_t count = merge_count(b);
	for (uint32_t i = 0; i < count; ++i) {
		const cn_hull_merge *m = &b->merges[i];
		b->drafts[i].count =
			m->child[0] == CN_HULL_LEAF ? 1 : b->drafts[m->child[0]].count + b->drafts[m->child[1]].count;
	}
	for (uint32_t i = count; i-- > 0;) {
		const cn_hull_merge *m = &b->merges[i];
		if (m->child[0] == CN_HULL_LEAF) {
			b->order[b->drafts[i].first] = m->child[1];
			continue;
		}
		b->drafts[m->child[0]].first = b->drafts[i].first;
		b->drafts[m->child[1]].first = b->drafts[i].first + b->drafts[m->child[0]].count;
	}
}

static void free_node(const cairn_allocator *allocator, cn_hull_node *n)
{
	cn_free(allocator, n->faces, n->convex.core.face_count, 1);
	cn_free(allocator, n->edges, n->convex.core.edge_count, 1);
	cn_convex_free(allocator, &n->convex);
}

/* Moves the nodes that are needed into the tree, level by level. */
static bool write_tree(builder *b, cn_hull_tree *out)
{
	uint32_t root = merge_count(b) - 1, count = 1, *from = cn_alloc(b->allocator, merge_count(b), sizeof *from);
	if (!from)
		return false;
	from[0] = root;
	for (uint32_t i = 0; i < count; ++i)
		if (!whole(b, from[i])) {
			from[count++] = b->merges[from[i]].child[0];
			from[count++] = b->merges[from[i]].child[1];
		}
	cn_hull_tree tree = {cn_alloc(b->allocator, count, sizeof *tree.nodes), count, 0};
	for (uint32_t i = 0, next = 1; tree.nodes && i < count; ++i) {
		draft *d = &b->drafts[from[i]];
		bool leaf = whole(b, from[i]);
		tree.nodes[i] = d->node;
		tree.nodes[i].child = leaf ? 0 : next;
		next += leaf ? 0 : 2, tree.leaf_count += leaf;
		d->node = (cn_hull_node){.child = 0};
	}
	cn_free(b->allocator, from, merge_count(b), sizeof *from);
	*out = tree;
	return tree.nodes;
}

static bool build_all(builder *b, cn_hull_tree *out)
{
	bool ok = cn_hull_tree_merge(b->allocator, b->mesh, b->merges);
	if (ok)
		lay_out(b);
	for (uint32_t i = 0; ok && i < merge_count(b); ++i)
		ok = make_node(b, i);
	return ok && write_tree(b, out);
}

bool cn_hull_tree_build(const cairn_allocator *allocator, const cn_triangles *mesh, bool solid, cn_hull_tree *out)
{
	builder b = {.allocator = allocator, .mesh = mesh, .solid = solid};
	uint32_t count = 2 * mesh->triangle_count - 1, points = mesh->point_count, room = 2 * points + 3;
	b.merges = cn_alloc(allocator, count, sizeof *b.merges);
	b.drafts = cn_alloc(allocator, count, sizeof *b.drafts);
	b.order = cn_alloc(allocator, mesh->triangle_count, sizeof *b.order);
	b.local = cn_alloc(allocator, points, sizeof *b.local);
	b.points = cn_alloc(allocator, room, sizeof *b.points);
	b.ids = cn_alloc(allocator, room, sizeof *b.ids);
	b.loop = cn_alloc(allocator, room, sizeof *b.loop);
	b.u = cn_alloc(allocator, room, sizeof *b.u);
	b.v = cn_alloc(allocator, room, sizeof *b.v);
	bool ok =
		b.merges && b.drafts && b.order && b.local && b.points && b.ids && b.loop && b.u && b.v && build_all(&b, out);
	for (uint32_t i = 0; b.drafts && i < count; ++i) {
		free_node(allocator, &b.drafts[i].node);
		cn_free(allocator, b.drafts[i].ids, b.drafts[i].id_count, sizeof *b.drafts[i].ids);
	}
	cn_free(allocator, b.merges, count, sizeof *b.merges);
	cn_free(allocator, b.drafts, count, sizeof *b.drafts);
	cn_free(allocator, b.order, mesh->triangle_count, sizeof *b.order);
	cn_free(allocator, b.local, points, sizeof *b.local);
	cn_free(allocator, b.points, room, sizeof *b.points);
	cn_free(allocator, b.ids, room, sizeof *b.ids);
	cn_free(allocator, b.loop, room, sizeof *b.loop);
	cn_free(allocator, b.u, room, sizeof *b.u);
	cn_free(allocator, b.v, room, sizeof *b.v);
	return ok;
}

void cn_hull_tree_free(const cairn_allocator *allocator, cn_hull_tree *tree)
{
	for (uint32_t i = 0; i < tree->node_count; ++i)
		free_node(allocator, &tree->nodes[i]);
	cn_free(allocator, tree->nodes, tree->node_count, sizeof *tree->nodes);
	*tree = (cn_hull_tree){0};
}
