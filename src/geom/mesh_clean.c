/* Triangles that are equal are found by sorting: first by the last of their three points, then, keeping that order, by
 * the other two. */
#include "geom/mesh_clean.h"

#include "base/sort.h"
#include "base/vec.h"

#define CN_CLEAN_FLAT 3.6e-15 /* 16 x DBL_EPSILON: of the coordinates, a height that rounding may make of none */

static bool is_line(const cn_triangles *mesh, const uint32_t *t)
{
	v3 p = mesh->points[t[0]], q = mesh->points[t[1]], r = mesh->points[t[2]];
	v3 e = v3_sub(q, p), f = v3_sub(r, q), g = v3_sub(p, r);
	double longest = sqrt(fmax(v3_length2(e), fmax(v3_length2(f), v3_length2(g))));
	double far = fmax(v3_max(v3_abs(p)), fmax(v3_max(v3_abs(q)), v3_max(v3_abs(r))));
	return !(v3_length(v3_cross(e, f)) > CN_CLEAN_FLAT * far * longest);
}

/* The three points so that equal triangles have equal ones: the least first; of a shell in rising order. */
static void name_points(const uint32_t *t, bool shell, uint32_t name[3])
{
	uint32_t least = t[0] < t[1] && t[0] < t[2] ? 0 : t[1] < t[2] ? 1 : 2;
	uint32_t b = t[(least + 1) % 3], c = t[(least + 2) % 3];
	bool swap = shell && b > c;
	name[0] = t[least], name[1] = swap ? c : b, name[2] = swap ? b : c;
}

static bool same(const cn_triangles *mesh, bool shell, uint32_t i, uint32_t j)
{
	uint32_t a[3], b[3];
	name_points(&mesh->triangles[(size_t)i * 3], shell, a);
	name_points(&mesh->triangles[(size_t)j * 3], shell, b);
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

uint32_t cn_mesh_clean(const cairn_allocator *allocator, const cn_triangles *mesh, bool shell, uint8_t *dropped)
{
	uint32_t count = mesh->triangle_count, found = 0, name[3];
	cn_sort_item *items = cn_alloc(allocator, 2 * (size_t)count, sizeof *items);
	if (!items)
		return UINT32_MAX;
	for (uint32_t i = 0; i < count; ++i) {
		name_points(&mesh->triangles[(size_t)i * 3], shell, name);
		items[i] = (cn_sort_item){name[2], i};
	}
	cn_sort(items, items + count, count);
	for (uint32_t i = 0; i < count; ++i) {
		name_points(&mesh->triangles[(size_t)items[i].value * 3], shell, name);
		items[i].key = (uint64_t)name[0] << 32 | name[1];
	}
	cn_sort(items, items + count, count);
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t at = items[i].value;
		const uint32_t *t = &mesh->triangles[(size_t)at * 3];
		bool twice = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
		bool again = i > 0 && same(mesh, shell, at, items[i - 1].value);
		dropped[at] = twice || again || (shell && is_line(mesh, t));
		found += dropped[at];
	}
	cn_free(allocator, items, 2 * (size_t)count, sizeof *items);
	return found;
}
