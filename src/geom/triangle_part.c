/* See triangle_part.h. */
#include "geom/triangle_part.h"

#include "base/tolerance.h"

#define CN_TRIANGLE_PART_THIN                                                                                          \
	1e-6 /* of its length: a triangle thinner than this is made ten times that; far below a gap, and it has a plane */

/* Edges 0: from corner 0 to 1, 1: 0 to 2, 2: 1 to 2; face 1 runs the other way round. */
static const cn_edge EDGES[3] = {{0, 1, 0, 1}, {0, 2, 1, 0}, {1, 2, 0, 1}};
static const uint32_t FACE_FIRST[3] = {0, 3, 6}, LOOP[6] = {0, 1, 2, 0, 2, 1}, LOOP_EDGES[6] = {0, 2, 1, 1, 2, 0};
static const uint32_t RING_FIRST[4] = {0, 2, 4, 6}, RING[6] = {1, 2, 0, 2, 0, 1}, SOURCES[3] = {0, 1, 2};

static v3 any_across(v3 e)
{
	v3 s = v3_abs(e);
	v3 off = s.x <= s.y && s.x <= s.z ? v3_make(1, 0, 0) : s.y <= s.z ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
	return v3_unit(v3_cross(e, off));
}

/* A triangle that is all but a line is made a little wider, so that it has a plane and three edges: its corner beside the
 * longest edge moves out, to the side it is on. */
static void widen(v3 p[3])
{
	int longest = 0;
	for (int i = 1; i < 3; ++i)
		if (v3_length2(v3_sub(p[(i + 1) % 3], p[i])) > v3_length2(v3_sub(p[(longest + 1) % 3], p[longest])))
			longest = i;
	v3 from = p[longest], e = v3_sub(p[(longest + 1) % 3], from), *beside = &p[(longest + 2) % 3];
	double length = v3_length(e);
	if (!(length > CN_LENGTH_MIN)) {
		length = CN_LENGTH_MIN, e = v3_make(length, 0, 0);
		p[(longest + 1) % 3] = v3_add(from, e);
	}
	v3 along = v3_scale(e, 1 / length), off = v3_sub(*beside, from);
	double t = v3_dot(off, along);
	t = t < 0 ? 0 : t > length ? length : t;
	v3 across = v3_sub(off, v3_scale(along, v3_dot(off, along)));
	if (v3_length(across) >= CN_TRIANGLE_PART_THIN * length)
		return;
	v3 side = v3_unit(v3_sub(across, v3_scale(along, v3_dot(across, along))));
	if (!(v3_length2(side) > 0.5 && fabs(v3_dot(side, along)) < 0.5))
		side = any_across(along);
	*beside = v3_madd(v3_madd(from, along, t), side, 10 * CN_TRIANGLE_PART_THIN * length);
}

/* Across the two shorter edges, which lose the fewest digits. */
static v3 normal_of(const v3 p[3])
{
	v3 e[3];
	int longest = 0;
	for (int i = 0; i < 3; ++i) {
		e[i] = v3_sub(p[(i + 1) % 3], p[i]);
		longest = v3_length2(e[i]) > v3_length2(e[longest]) ? i : longest;
	}
	return v3_unit(v3_cross(e[(longest + 1) % 3], e[(longest + 2) % 3]));
}

void cn_triangle_part_make(const v3 corners[3], cn_triangle_part *t)
{
	v3 low = v3_least(v3_least(corners[0], corners[1]), corners[2]);
	v3 high = v3_most(v3_most(corners[0], corners[1]), corners[2]);
	cn_convex *c = &t->convex;
	cn_polytope *p = &c->core;
	c->kind = CAIRN_HULL;
	c->center = v3_scale(v3_add(low, high), 0.5);
	c->radius = 0;
	c->half = c->normal = v3_zero();
	c->size = v3_max(v3_sub(high, low));
	*p = (cn_polytope){.vertex_count = 3, .edge_count = 3, .face_count = 2};
	for (int i = 0; i < 3; ++i)
		t->vertices[i] = v3_sub(corners[i], c->center);
	widen(t->vertices);
	for (int i = 0; i < 3; ++i) {
		double far = v3_length(t->vertices[i]);
		p->radius = far > p->radius ? far : p->radius;
	}
	for (int i = 0; i < 3; ++i)
		t->directions[i] = v3_unit(v3_sub(t->vertices[EDGES[i].head], t->vertices[EDGES[i].tail]));
	c->reach = p->radius;
	t->normals[0] = normal_of(t->vertices);
	t->normals[1] = v3_neg(t->normals[0]);
	for (int i = 0; i < 2; ++i) {
		t->offsets[i] = v3_dot(t->normals[i], t->vertices[0]);
		for (int k = 1; k < 3; ++k) {
			double height = v3_dot(t->normals[i], t->vertices[k]);
			t->offsets[i] = height > t->offsets[i] ? height : t->offsets[i];
		}
	}
	p->vertices = t->vertices, p->directions = t->directions, p->normals = t->normals, p->offsets = t->offsets;
	p->edges = (cn_edge *)EDGES;
	p->face_first = (uint32_t *)FACE_FIRST, p->loop = (uint32_t *)LOOP, p->loop_edges = (uint32_t *)LOOP_EDGES;
	p->ring_first = (uint32_t *)RING_FIRST, p->ring = (uint32_t *)RING, p->sources = (uint32_t *)SOURCES;
}

void cn_triangle_part_of(const cn_shape *mesh, uint32_t triangle, cn_triangle_part *out)
{
	const uint32_t *t = &mesh->triangles[(size_t)triangle * 3];
	const v3 *points = mesh->def.points, corners[3] = {points[t[0]], points[t[1]], points[t[2]]};
	double round = 0.5 * mesh->def.thickness;
	cn_triangle_part_make(corners, out);
	if (round > 0)
		out->convex.radius = round, out->convex.reach += round, out->convex.size += 2 * round;
}

static v3 on_edge(v3 from, v3 to, v3 point)
{
	v3 e = v3_sub(to, from);
	double length2 = v3_length2(e), t = v3_dot(v3_sub(point, from), e);
	return t <= 0 ? from : t >= length2 ? to : v3_madd(from, e, t / length2);
}

v3 cn_triangle_part_nearest(const cn_triangle_part *tile, v3 point)
{
	const v3 *p = tile->vertices;
	v3 n = tile->normals[0], best = p[0];
	double least = INFINITY;
	bool inside = true;
	for (int i = 0; i < 3; ++i) {
		v3 from = p[i], to = p[(i + 1) % 3];
		if (v3_dot(v3_cross(n, v3_sub(to, from)), v3_sub(point, from)) >= 0)
			continue;
		inside = false;
		v3 foot = on_edge(from, to, point);
		double far = v3_length2(v3_sub(point, foot));
		if (far < least)
			least = far, best = foot;
	}
	return inside ? v3_madd(point, n, -(v3_dot(n, point) - tile->offsets[0])) : best;
}
