/* Convex hulls of any points: closed and outward, or refused. Three doubles a point, as they come. */
#include "fuzz.h"
#include "geom/hull.h"
#include "geom/mass.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { MOST = 200 };
	v3 points[MOST];
	uint32_t count = (uint32_t)(size / sizeof *points < MOST ? size / sizeof *points : MOST), *triangles,
			 triangle_count, a, b;
	memcpy(points, data, count * sizeof *points);
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
	cn_free(&allocator, triangles, (size_t)triangle_count * 3, sizeof *triangles);
	return 0;
}
