/* Triangles for drawing: closed and counter-clockwise from outside, points shared between triangles.
 *
 * Round shapes are turned on a lathe about z with a number of segments that is a multiple of four, so that they reach
 * exactly as far along each axis as the shape does. */
#include "geom/shape/kind.h"

#include <stdint.h>

enum { LEAST_SEGMENTS = 8, MOST_SEGMENTS = CN_CIRCLE_MOST };

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
static void fill_circle(cn_circle *round, uint32_t n)
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

void cn_draw_point(cn_drawing *d, v3 p) { d->surface->points[d->surface->point_count++] = pose_apply(d->placed, p); }

void cn_draw_triangle(cn_drawing *d, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t *t = &d->surface->triangles[(size_t)d->surface->triangle_count++ * 3];
	t[0] = d->first + a, t[1] = d->first + b, t[2] = d->first + c;
}

void cn_draw_ring(cn_drawing *d, double radius, double z)
{
	for (uint32_t k = 0; k < d->circle->n; ++k)
		cn_draw_point(d, v3_make(radius * d->circle->c[k], radius * d->circle->s[k], z));
}

void cn_draw_lathe(cn_drawing *d, uint32_t rings)
{
	uint32_t n = d->circle->n, last = 1 + rings * n;
	for (uint32_t k = 0; k < n; ++k) {
		uint32_t next = k + 1 < n ? k + 1 : 0;
		cn_draw_triangle(d, 0, 1 + k, 1 + next);
		for (uint32_t ring = 0; ring + 1 < rings; ++ring) {
			uint32_t upper = 1 + ring * n, lower = upper + n;
			cn_draw_triangle(d, upper + k, lower + k, lower + next);
			cn_draw_triangle(d, upper + k, lower + next, upper + next);
		}
		cn_draw_triangle(d, last, last - n + next, last - n + k);
	}
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

bool cn_draw_triangles(cn_drawing *d, const cn_shape *s)
{
	uint32_t used, *numbers = number_points(d->allocator, s, &used);
	if (!numbers)
		return false;
	for (uint32_t i = 0; i < s->def.point_count; ++i)
		if (numbers[i])
			cn_draw_point(d, s->def.points[i]);
	for (const uint32_t *t = s->triangles, *end = t + (size_t)s->triangle_count * 3; t < end; t += 3)
		cn_draw_triangle(d, numbers[t[0]] - 1, numbers[t[1]] - 1, numbers[t[2]] - 1);
	cn_free(d->allocator, numbers, s->def.point_count, sizeof *numbers);
	return true;
}

bool cn_count_triangles(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
                        uint32_t *triangles)
{
	uint32_t *numbers = number_points(allocator, s, points);
	(void)n;
	if (!numbers)
		return false;
	cn_free(allocator, numbers, s->def.point_count, sizeof *numbers);
	*triangles = s->triangle_count;
	return true;
}

static void drop(const cairn_allocator *allocator, cairn_surface *surface, size_t points, size_t triangles)
{
	cn_free(allocator, surface->points, points, sizeof *surface->points);
	cn_free(allocator, surface->triangles, triangles * 3, sizeof *surface->triangles);
	*surface = (cairn_surface){0};
}

bool cn_shape_surface(const cn_shape *shapes, uint32_t shape, double tolerance, double halfspace,
                      const cairn_allocator *allocator, cairn_surface *surface, cairn_error *error)
{
	uint32_t parts = cn_shape_part_count(shapes, shape);
	uint64_t points = 0, triangles = 0;
	cn_circle round = {0};
	*surface = (cairn_surface){0};
	if (shapes[shape].def.kind == CAIRN_HALFSPACE && !(halfspace > 0 && halfspace < INFINITY))
		return cn_fail(error, CAIRN_INVALID, "halfspace", "the half width %g is not a positive length", halfspace);
	fill_circle(&round, segments_for(tolerance));
	for (uint32_t i = 0; i < parts; ++i) {
		const cn_shape *s = &shapes[cn_shape_part(shapes, shape, i).shape.index];
		uint32_t used = 0, count = 0;
		if (!s->kind->count(s, round.n, allocator, &used, &count))
			return cn_fail_memory(error);
		points += used, triangles += count;
	}
	if (points > UINT32_MAX || triangles > UINT32_MAX / 3)
		return cn_fail(error, CAIRN_INVALID, "", "the surface has more triangles than a 32-bit index can name");
	surface->points = cn_alloc(allocator, (size_t)points, sizeof *surface->points);
	surface->triangles = cn_alloc(allocator, (size_t)triangles * 3, sizeof *surface->triangles);
	bool done = surface->points && surface->triangles;
	for (uint32_t i = 0; i < parts && done; ++i) {
		cairn_part part = cn_shape_part(shapes, shape, i);
		const cn_shape *s = &shapes[part.shape.index];
		cn_drawing d = {surface, surface->point_count, part.pose, &round, halfspace, allocator};
		done = s->kind->draw(&d, s);
	}
	if (!done) {
		drop(allocator, surface, (size_t)points, (size_t)triangles);
		return cn_fail_memory(error);
	}
	assert(surface->point_count == points && surface->triangle_count == triangles);
	return true;
}
