/* A mesh: points and triangles, solid or a thin shell, which may have a thickness: it is then everything within half of it
 * of the triangles. Points that no triangle names are no part of it. */
#include "geom/heightfield.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/mesh_clean.h"
#include "geom/nesting.h"
#include "geom/shape/kind.h"
#include "geom/tolerance.h"

#include <string.h>

#define CN_FLAT_BOX 1e-9  /* of the largest half edge: the least one of a box about a mesh */
#define CN_SHELL_MOST 0.1 /* of the radius: a shell that is thicker, or keeps a wider gap, is no thin one */

static bool check_triangles(const cairn_shape_def *def, cairn_error *error)
{
	char field[CN_FIELD_SIZE];
	for (uint32_t i = 0; i < def->triangle_count; ++i) {
		const uint32_t *t = &def->triangles[(size_t)i * 3];
		for (int k = 0; k < 3; ++k)
			if (t[k] >= def->point_count)
				return cn_fail(error, CAIRN_INVALID, cn_check_element(field, "triangles", i, ""),
				               "triangles[%u] names point %u but there are %u", (unsigned)i, (unsigned)t[k],
				               (unsigned)def->point_count);
	}
	return true;
}

/* Leaves out triangles that add nothing. False: memory ran out, or none is left. */
static bool drop_triangles(const cn_shape_making *m)
{
	cn_shape *s = m->s;
	const cairn_allocator *allocator = m->allocator;
	uint32_t count = s->triangle_count, kept = 0;
	if (s->def.columns)
		return true;
	uint8_t *dropped = cn_alloc(allocator, count, sizeof *dropped);
	if (!dropped)
		return cn_fail_memory(m->error);
	s->dropped = cn_mesh_clean(allocator, &(cn_triangles){s->def.points, s->def.point_count, s->triangles, count},
	                           m->def->shell, dropped);
	bool memory = s->dropped != UINT32_MAX;
	uint32_t left = memory ? count - s->dropped : 0, *triangles = s->triangles;
	if (left && left < count)
		memory = (triangles = cn_alloc(allocator, 3 * (size_t)left, sizeof *triangles)) != NULL;
	for (uint32_t i = 0; memory && left && left < count && i < count; ++i)
		if (!dropped[i])
			memcpy(&triangles[(size_t)kept++ * 3], &s->triangles[(size_t)i * 3], 3 * sizeof *triangles);
	cn_free(allocator, dropped, count, sizeof *dropped);
	if (!memory)
		return cn_fail_memory(m->error);
	if (!left)
		return cn_fail(m->error, CAIRN_INVALID, "triangles",
		               "the surface has no area; it needs a triangle whose points do not lie on a line (for a wire "
		               "take capsules)");
	if (left < count) {
		cn_free(allocator, s->triangles, 3 * (size_t)count, sizeof *s->triangles);
		s->triangles = triangles, s->triangle_count = left;
		s->def.triangles = triangles, s->def.triangle_count = left;
	}
	return true;
}

/* Thickness or gap of a shell. */
static bool check_skin(const cn_shape_making *m, const char *field, double value)
{
	if (isfinite(value) && value == 0)
		return true;
	if (!m->def->shell || m->def->visual || m->def->columns)
		return cn_fail(m->error, CAIRN_INVALID, field,
		               "a mesh that is %s has no %s; leave it out, or choose kind \"shell\"",
		               m->def->visual    ? "a visual"
		               : m->def->columns ? "a height field"
		                                 : "solid",
		               field);
	if (!cn_check_length(m->error, field, field, value))
		return false;
	double radius = m->s->kind->radius(m->s, m->s->mass.center);
	return value <= CN_SHELL_MOST * radius ||
	       cn_fail(m->error, CAIRN_INVALID, field,
	               "the %s is %g m, more than a tenth of the mesh's radius of %g m; give at most %g m", field, value,
	               radius, CN_SHELL_MOST * radius);
}

/* Mass and surface of a shell that has a thickness: a skin so thick all over. */
static void thicken(cn_shape *s, double thickness)
{
	s->def.thickness = thickness;
	s->mass.volume *= thickness;
	s->mass.inertia = m3_scale(s->mass.inertia, thickness);
}

/* Says what is wrong with the edge between points a and b. */
static bool fail_edge(const cn_shape *s, uint32_t a, uint32_t b, cairn_error *error)
{
	unsigned forth = 0, back = 0;
	for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i) {
		uint32_t from = s->triangles[i], to = s->triangles[i % 3 == 2 ? i - 2 : i + 1];
		forth += from == a && to == b;
		back += from == b && to == a;
	}
	if (forth + back == 1)
		return cn_fail(error, CAIRN_INVALID, "triangles",
		               "the surface is open at the edge between points %u and %u; a solid needs a closed surface "
		               "(or make it a shell)",
		               (unsigned)a, (unsigned)b);
	if (forth + back == 2)
		return cn_fail(error, CAIRN_INVALID, "triangles",
		               "both triangles at the edge between points %u and %u run along it the same way; the points of "
		               "every triangle go counter-clockwise seen from outside",
		               (unsigned)a, (unsigned)b);
	return cn_fail(error, CAIRN_INVALID, "triangles",
	               "%u triangles meet at the edge between points %u and %u; a solid has two at each edge", forth + back,
	               (unsigned)a, (unsigned)b);
}

/* A closed part of the surface that begins with this triangle faces the wrong way. */
static bool fail_nesting(uint32_t triangle, bool inside, cairn_error *error)
{
	char field[CN_FIELD_SIZE];
	cn_check_element(field, "triangles", triangle, "");
	if (inside)
		return cn_fail(error, CAIRN_INVALID, field,
		               "the closed surface that begins with triangles[%u] lies inside another but faces outwards; "
		               "reverse the points of its triangles to make it a cavity, or leave it out",
		               (unsigned)triangle);
	return cn_fail(error, CAIRN_INVALID, field,
	               "the closed surface that begins with triangles[%u] faces inwards, as a cavity does, but lies in no "
	               "body; reverse the points of its triangles",
	               (unsigned)triangle);
}

static bool check_solid(const cairn_allocator *allocator, const cn_shape *s, cairn_error *error)
{
	uint32_t a, b, triangle;
	bool inside;
	cairn_error memory;
	if (cn_mesh_open_edge(allocator, s->triangles, s->triangle_count, &a, &b, &memory))
		return memory.code == CAIRN_MEMORY ? cn_fail_memory(error) : fail_edge(s, a, b, error);
	if (cn_nesting_fault(allocator, &(cn_triangles){s->def.points, s->def.point_count, s->triangles, s->triangle_count},
	                     &triangle, &inside, &memory))
		return memory.code == CAIRN_MEMORY ? cn_fail_memory(error) : fail_nesting(triangle, inside, error);
	double area = cn_mass_skin(s->def.points, s->triangles, s->triangle_count).volume;
	double least = CN_FLAT_VOLUME * area * cn_box_extent(s->kind->box(s, pose_identity()));
	if (fabs(s->mass.volume) <= least)
		return cn_fail(error, CAIRN_INVALID, "triangles", "the surface encloses no volume; make it a shell");
	if (s->mass.volume < 0)
		return cn_fail(error, CAIRN_INVALID, "triangles",
		               "the surface is inside out (its volume is %g m^3); reverse the points of every triangle",
		               s->mass.volume);
	return true;
}

static bool check_paint(const cairn_shape_def *def, cairn_error *error)
{
	for (uint32_t i = 0; def->colors && i < def->point_count; ++i) {
		cairn_color c = def->colors[i];
		if (!(c.r >= 0 && c.r <= 1 && c.g >= 0 && c.g <= 1 && c.b >= 0 && c.b <= 1))
			return cn_fail(error, CAIRN_INVALID, "colors",
			               "the colour of point %u is (%g, %g, %g); give numbers from 0 to 1", (unsigned)i, c.r, c.g,
			               c.b);
	}
	for (size_t i = 0; def->uvs && i < 2 * (size_t)def->point_count; ++i)
		if (!isfinite(def->uvs[i]))
			return cn_fail(error, CAIRN_INVALID, "uvs", "a texture coordinate of point %zu is not a finite number",
			               i / 2);
	return true;
}

static bool make(const cn_shape_making *m)
{
	cn_shape *s = m->s;
	const cairn_shape_def *def = m->def;
	cairn_error *error = m->error;
	s->def.shell = def->shell && !def->visual;
	s->def.visual = def->visual;
	s->def.columns = def->columns, s->def.rows = def->rows;
	if (def->triangle_count == 0)
		return cn_fail(error, CAIRN_INVALID, "triangles", "a mesh needs at least one triangle");
	if ((def->visual || def->columns || !def->shell) &&
	    (!check_skin(m, "thickness", def->thickness) || !check_skin(m, "gap", def->gap)))
		return false;
	if (cn_heightfield_fault(def))
		return cn_fail(error, CAIRN_INVALID, "columns", "%s", cn_heightfield_fault(def));
	if (!cn_check_points(m) || !check_triangles(def, error) || !cn_check_extent(m))
		return false;
	if (def->visual) {
		s->mass = cn_mass_skin(s->def.points, s->triangles, s->triangle_count);
		return check_paint(def, error);
	}
	if (!drop_triangles(m))
		return false;
	if (!def->shell) {
		s->mass = cn_mass_solid(s->def.points, s->triangles, s->triangle_count);
		return check_solid(m->allocator, s, error);
	}
	s->mass = cn_mass_skin(s->def.points, s->triangles, s->triangle_count);
	if (!(s->mass.volume > 0))
		return cn_fail(error, CAIRN_INVALID, "triangles", "the surface has no area");
	if (!check_skin(m, "thickness", def->thickness) || !check_skin(m, "gap", def->gap))
		return false;
	s->def.gap = def->gap;
	if (def->thickness > 0)
		thicken(s, def->thickness);
	return true;
}

static cairn_box box(const cn_shape *s, pose p)
{
	cairn_box all = cn_box_empty();
	for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i)
		cn_box_add(&all, pose_apply(p, s->def.points[s->triangles[i]]));
	double round = 0.5 * s->def.thickness;
	v3 wide = v3_make(round, round, round);
	return round > 0 ? (cairn_box){v3_sub(all.min, wide), v3_add(all.max, wide)} : all;
}

static double radius_about(const cn_shape *s, v3 center)
{
	double most = 0;
	for (size_t i = 0; i < (size_t)s->triangle_count * 3; ++i) {
		double square = v3_length2(v3_sub(s->def.points[s->triangles[i]], center));
		most = square > most ? square : most;
	}
	return sqrt(most) + 0.5 * s->def.thickness;
}

/* Queries of convex parts take the box that holds it; a flat one gets a little thickness, so that its box has faces. */
static bool core(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c)
{
	v3 half = v3_scale(v3_sub(s->box.max, s->box.min), 0.5);
	double least = CN_FLAT_BOX * v3_max(half);
	c->kind = CAIRN_BOX;
	c->center = v3_scale(v3_add(s->box.min, s->box.max), 0.5);
	c->half = v3_most(half, v3_make(least, least, least));
	return cn_polytope_box(allocator, c->half, &c->core);
}

const cn_shape_kind cn_kind_mesh = {
	.info = {"mesh", "mesh", CAIRN_LOOK_MIXED},
	.form = CN_FORM_MESH,
	.arrays = CN_POINTS | CN_TRIANGLES,
	.make = make,
	.box = box,
	.radius = radius_about,
	.core = core,
	.count = cn_count_triangles,
	.draw = cn_draw_triangles,
};
