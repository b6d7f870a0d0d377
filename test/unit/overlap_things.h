/* Shapes for the tests of the independent check, with what a slow check needs to know of them, and that slow check: in
 * long double, by separation over all axes and by all pairs of features. */
#ifndef CAIRN_OVERLAP_THINGS_H
#define CAIRN_OVERLAP_THINGS_H

#include "test.h"

#include "base/hash.h"
#include "check/overlap.h"

#define FEWER(n) (TEST_FEW ? (n) / 20 : (n))

typedef long double real;
typedef struct r3 {
	real x, y, z;
} r3;

static inline r3 r3_sub(r3 a, r3 b) { return (r3){a.x - b.x, a.y - b.y, a.z - b.z}; }
static inline r3 r3_add(r3 a, r3 b) { return (r3){a.x + b.x, a.y + b.y, a.z + b.z}; }
static inline r3 r3_scale(r3 a, real s) { return (r3){a.x * s, a.y * s, a.z * s}; }
static inline real r3_dot(r3 a, r3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline r3 r3_cross(r3 a, r3 b)
{
	return (r3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline real r3_length(r3 a) { return sqrtl(r3_dot(a, a)); }

static uint64_t state = 1;

static inline double uniform(void) { return cn_random_signed(&state); } /* in [-1, 1) */

static inline double between(double low, double high) { return low + (high - low) * 0.5 * (uniform() + 1); }

static inline uint32_t below(uint32_t n)
{
	uint32_t i = (uint32_t)(0.5 * (uniform() + 1) * n);
	return i < n ? i : n - 1;
}

static inline v3 in_cube(void)
{
	double x = uniform(), y = uniform(), z = uniform();
	return v3_make(x, y, z);
}

static inline v3 direction(void)
{
	for (;;) {
		v3 d = in_cube();
		double l = v3_length(d);
		if (l > 0.1 && l < 1)
			return v3_scale(d, 1 / l);
	}
}

static inline quat rotation(void)
{
	for (;;) {
		double w = uniform(), x = uniform(), y = uniform(), z = uniform();
		double l = w * w + x * x + y * y + z * z;
		if (l > 0.01 && l < 1)
			return q_unit((quat){w, x, y, z});
	}
}

/* A shape with what a slow check needs to know of it: the corners, edges and triangles of its core. */
enum { MOST_CORNERS = 32, MOST_TRIANGLES = 60 };
typedef struct thing {
	cn_shape shape;
	cn_solid *solid;
	v3 points[MOST_CORNERS];
	uint32_t triangles[MOST_TRIANGLES * 3];
	uint32_t corner_count, triangle_count;
	double round, size; /* size: the least extent */
} thing;

static cairn_allocator allocator;

static inline void set_triangle(thing *t, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *to = &t->triangles[t->triangle_count++ * 3];
	to[0] = a, to[1] = b, to[2] = c;
}

/* All triples that have every other point on one side. */
static inline void hull_of(thing *t)
{
	for (uint32_t i = 0; i < t->corner_count; ++i)
		for (uint32_t j = i + 1; j < t->corner_count; ++j)
			for (uint32_t k = j + 1; k < t->corner_count; ++k) {
				v3 p = t->points[i], n = v3_cross(v3_sub(t->points[j], p), v3_sub(t->points[k], p));
				int above = 0, under = 0;
				for (uint32_t m = 0; m < t->corner_count; ++m) {
					if (m == i || m == j || m == k)
						continue;
					double h = v3_dot(n, v3_sub(t->points[m], p));
					above += h > 0, under += h < 0;
				}
				if (above && under)
					continue;
				if (above)
					set_triangle(t, i, k, j);
				else
					set_triangle(t, i, j, k);
			}
}

static inline void box_surface(thing *t, v3 half)
{
	static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
	                                     {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	t->corner_count = 8, t->triangle_count = 0;
	for (uint32_t i = 0; i < 8; ++i)
		t->points[i] = v3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
	for (int i = 0; i < 6; ++i) {
		set_triangle(t, faces[i][0], faces[i][1], faces[i][2]);
		set_triangle(t, faces[i][0], faces[i][2], faces[i][3]);
	}
}

static inline void finish(thing *t)
{
	cairn_error error = {0};
	if (t->shape.def.kind == CAIRN_HULL || t->shape.def.kind == CAIRN_MESH) {
		t->shape.def.points = t->points, t->shape.def.point_count = t->corner_count;
		t->shape.triangles = t->triangles, t->shape.triangle_count = t->triangle_count;
		t->shape.def.triangles = t->triangles, t->shape.def.triangle_count = t->triangle_count;
	}
	t->solid = cn_solid_make(&allocator, &t->shape, &error);
	if (!t->solid) {
		++test_failures;
		printf("no solid: %s\n", error.message);
	}
}

static inline void drop(thing *t) { cn_solid_free(&allocator, t->solid); }

static inline void make_box(thing *t, v3 size)
{
	*t = (thing){.shape.def = {.kind = CAIRN_BOX, .size = size}, .size = v3_min(size)};
	box_surface(t, v3_scale(size, 0.5));
	finish(t);
}

static inline void make_round(thing *t, cairn_shape_kind kind, double radius, double length)
{
	*t = (thing){.shape.def = {.kind = kind, .radius = radius, .length = length}, .round = radius, .size = radius};
	t->corner_count = kind == CAIRN_CAPSULE ? 2 : 1;
	if (kind == CAIRN_CAPSULE)
		t->points[0].z = -0.5 * length, t->points[1].z = 0.5 * length;
	if (kind == CAIRN_CYLINDER)
		t->round = 0, t->corner_count = 0, t->size = radius < length ? radius : length;
	finish(t);
}

static inline void make_cloud(thing *t, uint32_t count, v3 scale, bool mesh)
{
	*t = (thing){.shape.def = {.kind = mesh ? CAIRN_MESH : CAIRN_HULL}, .size = v3_min(scale)};
	t->corner_count = count;
	for (uint32_t i = 0; i < count; ++i)
		t->points[i] = v3_mul(direction(), scale);
	hull_of(t);
	finish(t);
}

static inline void make_any(thing *t, uint32_t kind, double scale)
{
	double x = between(0.2, 1), y = between(0.2, 1), z = between(0.2, 1);
	v3 size = v3_scale(v3_make(x, y, z), scale);
	uint32_t corners = 4 + below(9);
	switch (kind) {
	case 0: make_box(t, size); break;
	case 1: make_round(t, CAIRN_SPHERE, size.x, 0); break;
	case 2: make_round(t, CAIRN_CAPSULE, size.x, 2 * size.y); break;
	case 3: make_cloud(t, corners, size, false); break;
	case 4: make_cloud(t, corners, size, true); break;
	default: make_round(t, CAIRN_CYLINDER, size.x, 2 * size.y); break;
	}
}

/* A placed core in long double, relative to the pair's midpoint. */
typedef struct ghost {
	r3 points[MOST_CORNERS];
	r3 edges[3 * MOST_TRIANGLES + 1];
	uint32_t ends[3 * MOST_TRIANGLES + 1][2];
	uint32_t edge_count;
	const thing *of;
} ghost;

static inline r3 turned(quat q, v3 v)
{
	real w = q.w, x = q.x, y = q.y, z = q.z, s = 2 / (w * w + x * x + y * y + z * z);
	return (r3){(1 - s * (y * y + z * z)) * v.x + s * (x * y - w * z) * v.y + s * (x * z + w * y) * v.z,
	            s * (x * y + w * z) * v.x + (1 - s * (x * x + z * z)) * v.y + s * (y * z - w * x) * v.z,
	            s * (x * z - w * y) * v.x + s * (y * z + w * x) * v.y + (1 - s * (x * x + y * y)) * v.z};
}

static inline void place(ghost *g, const thing *t, quat q, r3 at)
{
	g->of = t, g->edge_count = 0;
	for (uint32_t i = 0; i < t->corner_count; ++i)
		g->points[i] = r3_add(at, turned(q, t->points[i]));
	for (uint32_t i = 0; i < 3 * t->triangle_count; ++i) {
		uint32_t from = t->triangles[i], to = t->triangles[i % 3 == 2 ? i - 2 : i + 1];
		if (from < to)
			g->ends[g->edge_count][0] = from, g->ends[g->edge_count++][1] = to;
	}
	if (t->corner_count == 2)
		g->ends[0][0] = 0, g->ends[0][1] = 1, g->edge_count = 1;
	for (uint32_t i = 0; i < g->edge_count; ++i)
		g->edges[i] = r3_sub(g->points[g->ends[i][1]], g->points[g->ends[i][0]]);
}

static inline real along(const ghost *a, const ghost *b, r3 n)
{
	real top = -INFINITY, bottom = INFINITY;
	for (uint32_t i = 0; i < a->of->corner_count; ++i) {
		real h = r3_dot(n, a->points[i]);
		top = h > top ? h : top;
	}
	for (uint32_t i = 0; i < b->of->corner_count; ++i) {
		real h = r3_dot(n, b->points[i]);
		bottom = h < bottom ? h : bottom;
	}
	return bottom - top;
}

static inline void consider(const ghost *a, const ghost *b, r3 n, real *best)
{
	real l = r3_length(n);
	if (!(l > 0))
		return;
	n = r3_scale(n, 1 / l);
	real s = along(a, b, n), t = along(a, b, r3_scale(n, -1));
	*best = s > *best ? s : *best;
	*best = t > *best ? t : *best;
}

static inline real all_axes(const ghost *a, const ghost *b)
{
	real best = -INFINITY;
	for (int side = 0; side < 2; ++side) {
		const ghost *g = side ? b : a;
		for (uint32_t i = 0; i < g->of->triangle_count; ++i) {
			const uint32_t *t = &g->of->triangles[i * 3];
			r3 p = g->points[t[0]];
			consider(a, b, r3_cross(r3_sub(g->points[t[1]], p), r3_sub(g->points[t[2]], p)), &best);
		}
	}
	for (uint32_t i = 0; i < a->edge_count; ++i)
		for (uint32_t j = 0; j < b->edge_count; ++j) {
			r3 n = r3_cross(a->edges[i], b->edges[j]);
			if (r3_length(n) > 1e-12L * r3_length(a->edges[i]) * r3_length(b->edges[j]))
				consider(a, b, n, &best);
		}
	return best;
}

static inline real clamp1(real t) { return t < 0 ? 0 : t > 1 ? 1 : t; }

static inline real point_segment(r3 p, r3 a, r3 d)
{
	real square = r3_dot(d, d), t = square > 0 ? clamp1(r3_dot(r3_sub(p, a), d) / square) : 0;
	return r3_length(r3_sub(p, r3_add(a, r3_scale(d, t))));
}

static inline real segment_segment(r3 a, r3 d, r3 b, r3 e)
{
	real best = point_segment(a, b, e), x = point_segment(r3_add(a, d), b, e);
	best = x < best ? x : best;
	x = point_segment(b, a, d), best = x < best ? x : best;
	x = point_segment(r3_add(b, e), a, d), best = x < best ? x : best;
	r3 n = r3_cross(d, e), r = r3_sub(b, a);
	real square = r3_dot(n, n);
	if (square > 1e-24L * r3_dot(d, d) * r3_dot(e, e)) {
		real s = r3_dot(r3_cross(r, e), n) / square, t = r3_dot(r3_cross(r, d), n) / square;
		if (s >= 0 && s <= 1 && t >= 0 && t <= 1) {
			x = fabsl(r3_dot(r, n)) / sqrtl(square);
			best = x < best ? x : best;
		}
	}
	return best;
}

/* The distance where the foot is within the triangle; its edges are looked at elsewhere. */
static inline real point_triangle(r3 p, r3 a, r3 b, r3 c)
{
	r3 n = r3_cross(r3_sub(b, a), r3_sub(c, a));
	real l = r3_length(n);
	if (!(l > 0) || r3_dot(n, r3_cross(r3_sub(b, a), r3_sub(p, a))) < 0 ||
	    r3_dot(n, r3_cross(r3_sub(c, b), r3_sub(p, b))) < 0 || r3_dot(n, r3_cross(r3_sub(a, c), r3_sub(p, c))) < 0)
		return INFINITY;
	return fabsl(r3_dot(n, r3_sub(p, a))) / l;
}

static inline real all_features(const ghost *a, const ghost *b)
{
	real best = INFINITY;
	for (uint32_t i = 0; i < a->of->corner_count; ++i)
		for (uint32_t j = 0; j < b->of->corner_count; ++j) {
			real d = r3_length(r3_sub(a->points[i], b->points[j]));
			best = d < best ? d : best;
		}
	for (int side = 0; side < 2; ++side) {
		const ghost *g = side ? b : a, *h = side ? a : b;
		for (uint32_t i = 0; i < g->of->triangle_count; ++i)
			for (uint32_t j = 0; j < h->of->corner_count; ++j) {
				const uint32_t *t = &g->of->triangles[i * 3];
				real d = point_triangle(h->points[j], g->points[t[0]], g->points[t[1]], g->points[t[2]]);
				best = d < best ? d : best;
			}
		for (uint32_t i = 0; i < g->edge_count; ++i)
			for (uint32_t j = 0; j < h->of->corner_count; ++j) {
				real d = point_segment(h->points[j], g->points[g->ends[i][0]], g->edges[i]);
				best = d < best ? d : best;
			}
	}
	for (uint32_t i = 0; i < a->edge_count; ++i)
		for (uint32_t j = 0; j < b->edge_count; ++j) {
			real d = segment_segment(a->points[a->ends[i][0]], a->edges[i], b->points[b->ends[j][0]], b->edges[j]);
			best = d < best ? d : best;
		}
	return best;
}

/* The gap of two things made of corners, and rounded. */
static inline real slow_gap(const thing *a, pose pa, const thing *b, pose pb)
{
	static ghost ga, gb;
	r3 d = {(real)pb.position.x - pa.position.x, (real)pb.position.y - pa.position.y,
	        (real)pb.position.z - pa.position.z};
	place(&ga, a, pa.orientation, r3_scale(d, -0.5L));
	place(&gb, b, pb.orientation, r3_scale(d, 0.5L));
	bool thin = a->triangle_count == 0 && b->triangle_count == 0;
	real gap = thin ? all_features(&ga, &gb) : all_axes(&ga, &gb);
	if (!thin && gap > 0)
		gap = all_features(&ga, &gb);
	return gap - a->round - b->round;
}

static inline v3 support(const thing *t, quat q, v3 n)
{
	v3 l = q_unrotate(q, n), best = v3_zero();
	const cairn_shape_def *def = &t->shape.def;
	if (def->kind == CAIRN_CYLINDER) {
		double across = sqrt(l.x * l.x + l.y * l.y), r = across > 0 ? def->radius / across : 0;
		best = v3_make(l.x * r, l.y * r, l.z < 0 ? -0.5 * def->length : 0.5 * def->length);
	}
	for (uint32_t i = 0; i < t->corner_count; ++i)
		if (i == 0 || v3_dot(t->points[i], l) > v3_dot(best, l))
			best = t->points[i];
	return v3_madd(q_rotate(q, best), n, t->round);
}

/* b's position so that the plane along n leaves the gap and the supports are opposite each other. */
static inline pose beside(const thing *a, pose pa, const thing *b, quat q, v3 n, double gap)
{
	v3 at = v3_add(support(a, pa.orientation, n), v3_scale(n, gap));
	return (pose){v3_add(pa.position, v3_sub(at, support(b, q, v3_neg(n)))), q};
}

/* A normal of a triangle of t, or any direction. */
static inline v3 some_normal(const thing *t, quat q)
{
	if (t->triangle_count == 0)
		return direction();
	const uint32_t *c = &t->triangles[below(t->triangle_count) * 3];
	v3 p = t->points[c[0]];
	return q_rotate(q, v3_unit(v3_cross(v3_sub(t->points[c[1]], p), v3_sub(t->points[c[2]], p))));
}

static inline void make_cube_mesh(thing *t, double side, bool shell)
{
	*t = (thing){.shape.def = {.kind = CAIRN_MESH, .shell = shell}, .size = side};
	box_surface(t, v3_make(0.5 * side, 0.5 * side, 0.5 * side));
	finish(t);
}

static inline cn_verdict verdict_at(const thing *a, const thing *b, v3 at)
{
	cn_overlap_answer x;
	cn_overlap_pose(a->solid, pose_identity(), b->solid, (pose){at, q_identity()}, NULL, &x);
	return x.verdict;
}

static inline void make_halfspace(thing *t, v3 normal, double offset)
{
	*t = (thing){.shape.def = {.kind = CAIRN_HALFSPACE, .normal = normal, .offset = offset}, .size = 1};
	finish(t);
}

#endif
