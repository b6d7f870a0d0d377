/* Convex hulls of any points: closed and outward, or refused; and the polytope of each keeps every promise of its
 * header. Three doubles a point, as they come. Where the size is no multiple of 8: four bytes a point, three small
 * whole numbers, which are coplanar and collinear more often than not, and a shift of each by about the hull's
 * rounding. */
#include "../test/unit/sound_polytope.h"

#include "base/tolerance.h"
#include "fuzz.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/orient.h"
#include "geom/tolerance.h"

/* No point is above a triangle by more than t; a third more for the rounding of heights. Triangles as thin as t have no
 * plane that doubles could tell. */
static void check_outside(const v3 *points, uint32_t count, const uint32_t *triangles, uint32_t triangle_count,
                          double t)
{
	for (const uint32_t *i = triangles, *end = i + (size_t)triangle_count * 3; i < end; i += 3) {
		v3 a = points[i[0]], b = points[i[1]], c = points[i[2]], n = cn_plane_through(a, b, c).normal;
		double length = v3_length(n), longest = fmax(fmax(v3_distance(a, b), v3_distance(b, c)), v3_distance(c, a));
		for (uint32_t k = 0; k < count && length > 4 * t * longest; ++k)
			EXPECT(v3_dot(n, v3_sub(points[k], a)) <= 1.34 * t * length);
	}
}

static void check_polytope(const cairn_allocator *allocator, const v3 *points, uint32_t count,
                           const uint32_t *triangles, uint32_t triangle_count)
{
	cn_polytope p;
	double most = 0;
	for (uint32_t i = 0; i < count; ++i)
		most = fmax(most, v3_max(v3_abs(points[i])));
	if (most < 0.5 * CN_LENGTH_MIN)
		return; /* shapes refuse what is smaller than that */
	check_outside(points, count, triangles, triangle_count, CN_HULL_ULPS * DBL_EPSILON * most);
	v3 center = cn_mass_solid(points, triangles, triangle_count).center;
	EXPECT(cn_polytope_hull(allocator, &(cn_triangles){points, count, triangles, triangle_count}, center, &p));
	const char *fault = polytope_fault(&p, CN_HULL_ULPS * DBL_EPSILON * most, 1);
	if (fault)
		fprintf(stderr, "%s\n", fault);
	EXPECT(!fault);
	cn_polytope_free(allocator, &p);
}

enum { MOST = 200 };

static uint32_t read_points(const uint8_t *data, size_t size, v3 points[MOST])
{
	size_t each = size % 8 ? 4 : sizeof *points, count = size / each < MOST ? size / each : MOST;
	if (each == sizeof *points) {
		memcpy(points, data, count * sizeof *points);
		return (uint32_t)count;
	}
	for (size_t i = 0; i < count; ++i) {
		const uint8_t *d = data + 4 * i;
		double step = 64 * DBL_EPSILON * CN_HULL_ULPS; /* t, where the largest number is 64 */
		double x = (d[0] % 16) * 8.0 - 64, y = (d[1] % 16) * 8.0 - 64, z = (d[2] % 16) * 8.0 - 64;
		points[i] = v3_make(x + (d[3] % 8 - 4) * step, y + (d[3] / 8 % 8 - 4) * step, z + (d[3] / 64 - 2) * step);
	}
	return (uint32_t)count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	v3 points[MOST];
	uint32_t count = read_points(data, size, points), *triangles, triangle_count, a, b;
	for (uint32_t i = 0; i < count; ++i)
		if (!v3_finite(points[i]) || v3_max(v3_abs(points[i])) > 1e9)
			return 0; /* shapes refuse these before they ask for a hull */
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error = {0};
	if (!cn_hull_build(&allocator, points, count, &triangles, &triangle_count, &error)) {
		EXPECT(error.code == CAIRN_INVALID && error.message[0]);
		return 0;
	}
	EXPECT(triangle_count >= 4);
	EXPECT(!cn_mesh_open_edge(&allocator, triangles, triangle_count, &a, &b, &error));
	check_polytope(&allocator, points, count, triangles, triangle_count);
	cn_free(&allocator, triangles, (size_t)triangle_count * 3, sizeof *triangles);
	return 0;
}
