/* Triangles for drawing: closed and counter-clockwise from outside, points shared between triangles.
 *
 * Round shapes are turned on a lathe about z with a number of segments that is a multiple of four, so that they reach
 * exactly as far along each axis as the shape does. */
#include "geom/shape.h"

#include <stdint.h>

enum { LEAST_SEGMENTS = 8, MOST_SEGMENTS = 128 };

/* Segments of a full circle whose facets stay within the fraction tolerance of the radius. A facet of a ball is bent
 * two ways, each of which may use half of it: 1 - cos(pi/n) <= tolerance/2. */
static uint32_t segments_for(double tolerance)
{
	if (!(tolerance > 0))
		return MOST_SEGMENTS;
	double wanted = CN_PI / cn_acos(tolerance < 1 ? 1 - 0.5 * tolerance : 0.5);
	if (!(wanted < MOST_SEGMENTS))
		return MOST_SEGMENTS;
	uint32_t quarter = (uint32_t)(wanted / 4), n = 4 * (4 * quarter < wanted ? quarter + 1 : quarter);
	return n < LEAST_SEGMENTS ? LEAST_SEGMENTS : n;
}

/* The unit circle in n steps; one quarter computed, the others the same numbers. */
typedef struct circle {
	uint32_t n;
	double c[MOST_SEGMENTS], s[MOST_SEGMENTS];
} circle;

static void fill_circle(circle *round, uint32_t n)
{
	uint32_t quarter = n / 4;
	round->n = n;
	for (uint32_t k = 0; k < quarter; ++k) {
		double s, c;
		cn_sincos(2 * CN_PI * k / n, &s, &c);
		round->c[k] = c, round->s[k] = s;
		round->c[k + quarter] = -s, round->s[k + quarter] = c;
		round->c[k + 2 * quarter] = -c, round->s[k + 2 * quarter] = -s;
		round->c[k + 3 * quarter] = s, round->s[k + 3 * quarter] = -c;
	}
}

/* The surface so far; arrays have room for what was counted beforehand. */
typedef struct drawing {
	cairn_surface *surface;
	uint32_t first; /* point of the part being drawn */
	pose placed;
} drawing;

static void add_point(drawing *d, v3 p) { d->surface->points[d->surface->point_count++] = pose_apply(d->placed, p); }

/* Corners count from the part's first point. */
static void add_triangle(drawing *d, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *t = &d->surface->triangles[(size_t)d->surface->triangle_count++ * 3];
	t[0] = d->first + a, t[1] = d->first + b, t[2] = d->first + c;
}

static void add_ring(drawing *d, const circle *round, double radius, double z)
{
	for (uint32_t k = 0; k < round->n; ++k)
		add_point(d, v3_make(radius * round->c[k], radius * round->s[k], z));
}

static uint32_t ring_count(cairn_shape_kind kind, uint32_t n)
{
	return kind == CAIRN_CYLINDER ? 2 : kind == CAIRN_CAPSULE ? n / 2 : n / 2 - 1;
}

/* Rings from the top down between two poles, and the triangles between them. */
static void draw_lathe(drawing *d, const cairn_shape_def *def, const circle *round)
{
	uint32_t n = round->n, rings = ring_count(def->kind, n), last = 1 + rings * n;
	double arm = 0.5 * def->length, top = def->kind == CAIRN_CYLINDER ? arm : arm + def->radius;
	add_point(d, v3_make(0, 0, top));
	if (def->kind == CAIRN_CYLINDER) {
		add_ring(d, round, def->radius, arm);
		add_ring(d, round, def->radius, -arm);
	} else {
		for (uint32_t k = 1; k < n / 2; ++k) {
			double z = def->radius * round->c[k], r = def->radius * round->s[k];
			if (4 * k == n && def->kind == CAIRN_CAPSULE)
				add_ring(d, round, r, arm);
			add_ring(d, round, r, 4 * k < n ? arm + z : z - arm);
		}
	}
	add_point(d, v3_make(0, 0, -top));
	for (uint32_t k = 0; k < n; ++k) {
		uint32_t next = k + 1 < n ? k + 1 : 0;
		add_triangle(d, 0, 1 + k, 1 + next);
		for (uint32_t ring = 0; ring + 1 < rings; ++ring) {
			uint32_t upper = 1 + ring * n, lower = upper + n;
			add_triangle(d, upper + k, lower + k, lower + next);
			add_triangle(d, upper + k, lower + next, upper + next);
		}
		add_triangle(d, last, last - n + next, last - n + k);
	}
}

/* Corner i has x, y, z on the positive side where bits 0, 1, 2 of i are set. */
static void draw_box(drawing *d, v3 size)
{
	static const uint8_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
	                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	v3 h = v3_scale(size, 0.5);
	for (int i = 0; i < 8; ++i)
		add_point(d, v3_make(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z));
	for (int i = 0; i < 6; ++i) {
		add_triangle(d, quads[i][0], quads[i][1], quads[i][2]);
		add_triangle(d, quads[i][0], quads[i][2], quads[i][3]);
	}
}

static void draw_halfspace(drawing *d, v3 normal, double offset, double half)
{
	v3 n = v3_abs(normal), least = n.x <= n.y && n.x <= n.z ? v3_make(1, 0, 0)
	                               : n.y <= n.z             ? v3_make(0, 1, 0)
	                                                        : v3_make(0, 0, 1);
	v3 u = v3_unit(v3_madd(least, normal, -v3_dot(least, normal))), v = v3_cross(normal, u);
	v3 center = v3_scale(normal, offset);
	for (int i = 0; i < 4; ++i)
		add_point(d, v3_madd(v3_madd(center, u, i == 0 || i == 3 ? -half : half), v, i < 2 ? -half : half));
	add_triangle(d, 0, 1, 2);
	add_triangle(d, 0, 2, 3);
}

/* numbers[i] is 1 + the number of point i among those that triangles name, in order; 0 if none does. */
static uint32_t *number_points(const cairn_allocator *allocator, const cn_shape *s, uint32_t *used)
{
	uint32_t *numbers = cn_alloc(allocator, s->def.point_count, sizeof *numbers);
	*used = 0;
	if (!numbers)
		return NULL;
	for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i)
		numbers[s->triangles[i]] = 1;
	for (uint32_t i = 0; i < s->def.point_count; ++i)
		if (numbers[i])
			numbers[i] = ++*used;
	return numbers;
}

static bool draw_triangles(drawing *d, const cn_shape *s, const cairn_allocator *allocator)
{
	uint32_t used, *numbers = number_points(allocator, s, &used);
	if (!numbers)
		return false;
	for (uint32_t i = 0; i < s->def.point_count; ++i)
		if (numbers[i])
			add_point(d, s->def.points[i]);
	for (const uint32_t *t = s->triangles, *end = t + (size_t)s->triangle_count * 3; t < end; t += 3)
		add_triangle(d, numbers[t[0]] - 1, numbers[t[1]] - 1, numbers[t[2]] - 1);
	cn_free(allocator, numbers, s->def.point_count, sizeof *numbers);
	return true;
}

/* Adds what a shape that is no compound will need. False when memory ran out. */
static bool count_shape(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint64_t *points,
                        uint64_t *triangles)
{
	uint32_t used = 8, count = 12, rings;
	switch (s->def.kind) {
	case CAIRN_SPHERE:
	case CAIRN_CAPSULE:
	case CAIRN_CYLINDER:
		rings = ring_count(s->def.kind, n);
		used = 2 + rings * n, count = 2 * rings * n;
		break;
	case CAIRN_HALFSPACE: used = 4, count = 2; break;
	case CAIRN_HULL:
	case CAIRN_MESH: {
		uint32_t *numbers = number_points(allocator, s, &used);
		if (!numbers)
			return false;
		cn_free(allocator, numbers, s->def.point_count, sizeof *numbers);
		count = s->triangle_count;
		break;
	}
	case CAIRN_BOX:
	case CAIRN_HEIGHTFIELD:
	case CAIRN_COMPOUND: break;
	}
	*points += used, *triangles += count;
	return true;
}

static bool draw_shape(drawing *d, const cn_shape *s, const circle *round, double halfspace,
                       const cairn_allocator *allocator)
{
	d->first = d->surface->point_count;
	switch (s->def.kind) {
	case CAIRN_SPHERE:
	case CAIRN_CAPSULE:
	case CAIRN_CYLINDER: draw_lathe(d, &s->def, round); break;
	case CAIRN_BOX: draw_box(d, s->def.size); break;
	case CAIRN_HALFSPACE: draw_halfspace(d, s->def.normal, s->def.offset, halfspace); break;
	case CAIRN_HULL:
	case CAIRN_MESH: return draw_triangles(d, s, allocator);
	case CAIRN_HEIGHTFIELD:
	case CAIRN_COMPOUND: break;
	}
	return true;
}

static void drop(const cairn_allocator *allocator, cairn_surface *surface, size_t points, size_t triangles)
{
	cn_free(allocator, surface->points, points, sizeof *surface->points);
	cn_free(allocator, surface->triangles, triangles * 3, sizeof *surface->triangles);
	*surface = (cairn_surface){0};
}

bool cn_shape_surface(const cn_shape *shapes, uint32_t shape, const cn_surface_options *options,
                      const cairn_allocator *allocator, cairn_surface *surface, cairn_error *error)
{
	uint32_t parts = cn_shape_part_count(shapes, shape);
	uint64_t points = 0, triangles = 0;
	double halfspace = options->halfspace;
	circle round = {0};
	*surface = (cairn_surface){0};
	if (shapes[shape].def.kind == CAIRN_HALFSPACE && !(halfspace > 0 && halfspace < INFINITY))
		return cn_fail(error, CAIRN_INVALID, "halfspace", "the half width %g is not a positive length", halfspace);
	fill_circle(&round, segments_for(options->tolerance));
	for (uint32_t i = 0; i < parts; ++i)
		if (!count_shape(&shapes[cn_shape_part(shapes, shape, i).shape.index], round.n, allocator, &points, &triangles))
			return cn_fail_memory(error);
	if (points > UINT32_MAX || triangles > UINT32_MAX / 3)
		return cn_fail(error, CAIRN_INVALID, "", "the surface has more triangles than a 32-bit index can name");
	surface->points = cn_alloc(allocator, (size_t)points, sizeof *surface->points);
	surface->triangles = cn_alloc(allocator, (size_t)triangles * 3, sizeof *surface->triangles);
	bool done = surface->points && surface->triangles;
	for (uint32_t i = 0; i < parts && done; ++i) {
		cairn_part part = cn_shape_part(shapes, shape, i);
		drawing d = {surface, 0, part.pose};
		done = draw_shape(&d, &shapes[part.shape.index], &round, halfspace, allocator);
	}
	if (!done) {
		drop(allocator, surface, (size_t)points, (size_t)triangles);
		return cn_fail_memory(error);
	}
	assert(surface->point_count == points && surface->triangle_count == triangles);
	return true;
}
