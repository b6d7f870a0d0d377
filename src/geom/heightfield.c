/* See heightfield.h. */
#include "geom/heightfield.h"

#include "base/tolerance.h"

#include <stdio.h>

static bool check_size(double x, char axis, cairn_error *error)
{
	if (!(x >= CN_LENGTH_MIN && x <= CN_LENGTH_MAX))
		return cn_fail(error, CAIRN_INVALID, "size", "the size along %c is %g m; give %g to %g m", axis, x,
		               CN_LENGTH_MIN, CN_LENGTH_MAX);
	return true;
}

static bool check(const cairn_shape_def *def, cairn_error *error)
{
	char field[40];
	if (!check_size(def->size.x, 'x', error) || !check_size(def->size.y, 'y', error))
		return false;
	if (def->columns < 2 || def->rows < 2)
		return cn_fail(error, CAIRN_INVALID, "heights", "there are %u x %u heights; a height field has at least 2 x 2",
		               (unsigned)def->columns, (unsigned)def->rows);
	if ((uint64_t)(def->columns - 1) * (def->rows - 1) * 2 > CN_COUNT_MAX)
		return cn_fail(error, CAIRN_INVALID, "heights", "%u x %u heights make more than %u triangles",
		               (unsigned)def->columns, (unsigned)def->rows, CN_COUNT_MAX);
	assert(def->heights);
	for (size_t i = 0; i < (size_t)def->columns * def->rows; ++i) {
		double z = def->heights[i];
		if (fabs(z) <= CN_LENGTH_MAX)
			continue;
		snprintf(field, sizeof field, "heights[%u][%u]", (unsigned)(i / def->columns), (unsigned)(i % def->columns));
		if (!isfinite(z))
			return cn_fail(error, CAIRN_INVALID, field, "the height is not a finite number");
		return cn_fail(error, CAIRN_INVALID, field, "a height of %g m; the most is %g m", z, CN_LENGTH_MAX);
	}
	return true;
}

/* From -size/2 to size/2, both exact. */
static double place(double size, uint32_t i, uint32_t count)
{
	return i + 1 == count ? 0.5 * size : size * ((double)i / (count - 1)) - 0.5 * size;
}

static void fill(const cairn_shape_def *def, v3 *points, uint32_t *triangles)
{
	uint32_t columns = def->columns;
	for (uint32_t j = 0; j < def->rows; ++j)
		for (uint32_t i = 0; i < columns; ++i)
			*points++ = v3_make(place(def->size.x, i, columns), place(def->size.y, j, def->rows),
			                    def->heights[(size_t)j * columns + i]);
	for (uint32_t j = 0; j + 1 < def->rows; ++j)
		for (uint32_t i = 0; i + 1 < columns; ++i) {
			uint32_t a = j * columns + i, b = a + 1, c = a + columns, d = c + 1;
			const uint32_t rising[6] = {a, b, d, a, d, c}, falling[6] = {a, b, c, b, d, c};
			for (int k = 0; k < 6; ++k)
				*triangles++ = (i + j) % 2 ? falling[k] : rising[k];
		}
}

bool cn_heightfield_make(const cairn_allocator *allocator, const cairn_shape_def *def, cairn_shape_def *mesh,
                         cairn_error *error)
{
	if (!check(def, error))
		return false;
	cairn_shape_def m = {.kind = CAIRN_MESH, .name = def->name, .shell = true};
	m.columns = def->columns, m.rows = def->rows;
	m.point_count = def->columns * def->rows;
	m.triangle_count = 2 * (def->columns - 1) * (def->rows - 1);
	v3 *points = cn_alloc(allocator, m.point_count, sizeof *points);
	uint32_t *triangles = cn_alloc(allocator, (size_t)m.triangle_count * 3, sizeof *triangles);
	m.points = points, m.triangles = triangles;
	if (!points || !triangles) {
		cn_heightfield_free(allocator, &m);
		return cn_fail_memory(error);
	}
	fill(def, points, triangles);
	*mesh = m;
	return true;
}

void cn_heightfield_free(const cairn_allocator *allocator, const cairn_shape_def *mesh)
{
	cn_free(allocator, (v3 *)mesh->points, mesh->points ? mesh->point_count : 0, sizeof *mesh->points);
	cn_free(allocator, (uint32_t *)mesh->triangles, mesh->triangles ? (size_t)mesh->triangle_count * 3 : 0,
	        sizeof *mesh->triangles);
}

const char *cn_heightfield_fault(const cairn_shape_def *m)
{
	if (!m->columns && !m->rows)
		return NULL;
	if (m->columns < 2 || m->rows < 2)
		return "a height field has at least 2 x 2 heights";
	if ((uint64_t)m->columns * m->rows != m->point_count ||
	    (uint64_t)(m->columns - 1) * (m->rows - 1) * 2 != m->triangle_count)
		return "the counts of a height field do not fit the mesh";
	return m->shell ? NULL : "a height field is a shell";
}
