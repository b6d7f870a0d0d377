/* Drawing the surface of a kind of shape: points, triangles, rings about an axis. */
#include "geom/shape/kind.h"

#include <stdint.h>
#include <string.h>

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

/* Of the next point. */
static void draw_paint(cn_drawing *d, const cairn_shape_def *def, uint32_t point)
{
	size_t next = d->surface->point_count;
	if (def->colors)
		d->surface->colors[next] = def->colors[point];
	if (def->uvs)
		memcpy(d->surface->uvs + 2 * next, def->uvs + 2 * (size_t)point, 2 * sizeof *def->uvs);
}

bool cn_draw_triangles(cn_drawing *d, const cn_shape *s)
{
	uint32_t used, *numbers = number_points(d->allocator, s, &used);
	if (!numbers)
		return false;
	for (uint32_t i = 0; i < s->def.point_count; ++i)
		if (numbers[i]) {
			draw_paint(d, &s->def, i);
			cn_draw_point(d, s->def.points[i]);
		}
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
