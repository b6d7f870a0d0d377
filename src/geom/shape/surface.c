/* Triangles for drawing: closed and counter-clockwise from outside, points shared between triangles.
 *
 * Round shapes are turned on a lathe about z with a number of segments that is a multiple of four, so that they reach
 * exactly as far along each axis as the shape does. */
#include "geom/shape/kind.h"

#include <stdint.h>

enum { LEAST_SEGMENTS = 8, MOST_SEGMENTS = CN_CIRCLE_MAX };

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

static void drop(const cairn_allocator *allocator, cairn_surface *surface, size_t points, size_t triangles)
{
	cn_free(allocator, surface->points, points, sizeof *surface->points);
	cn_free(allocator, surface->triangles, triangles * 3, sizeof *surface->triangles);
	cn_free(allocator, surface->colors, points, sizeof *surface->colors);
	cn_free(allocator, surface->uvs, points, 2 * sizeof *surface->uvs);
	*surface = (cairn_surface){0};
}

bool cn_shape_surface(const cn_shape *shapes, uint32_t shape, const cn_surface_options *options,
                      const cairn_allocator *allocator, cairn_surface *surface, cairn_error *error)
{
	uint32_t parts = cn_shape_part_count(shapes, shape);
	uint64_t points = 0, triangles = 0;
	double halfspace = options->halfspace;
	cn_circle round = {0};
	*surface = (cairn_surface){0};
	if (shapes[shape].def.kind == CAIRN_HALFSPACE && !(halfspace > 0 && halfspace < INFINITY))
		return cn_fail(error, CAIRN_INVALID, "halfspace", "the half width %g is not a positive length", halfspace);
	fill_circle(&round, segments_for(options->tolerance));
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
	const cairn_shape_def *def = &shapes[shape].def;
	if (def->colors)
		surface->colors = cn_alloc(allocator, (size_t)points, sizeof *surface->colors);
	if (def->uvs)
		surface->uvs = cn_alloc(allocator, (size_t)points, 2 * sizeof *surface->uvs);
	bool done =
		surface->points && surface->triangles && (surface->colors || !def->colors) && (surface->uvs || !def->uvs);
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
