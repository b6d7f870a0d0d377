/* The convex hull of points. */
#include "geom/hull.h"

#include "geom/mass.h"
#include "geom/shape/kind.h"

static bool make(const cn_shape_making *m)
{
	cn_shape *s = m->s;
	if (!cn_check_points(m))
		return false;
	if (!cn_hull_build(m->allocator, s->def.points, s->def.point_count, &s->triangles, &s->triangle_count, m->error))
		return false;
	s->mass = cn_mass_solid(s->def.points, s->triangles, s->triangle_count);
	return cn_check_extent(m);
}

static cairn_box box(const cn_shape *s, pose p)
{
	cairn_box all = cn_box_empty();
	for (uint32_t i = 0; i < s->def.point_count; ++i)
		cn_box_add(&all, pose_apply(p, s->def.points[i]));
	return all;
}

static double radius_about(const cn_shape *s, v3 center)
{
	double most = 0;
	for (uint32_t i = 0; i < s->def.point_count; ++i) {
		double square = v3_length2(v3_sub(s->def.points[i], center));
		most = square > most ? square : most;
	}
	return sqrt(most);
}

static bool core(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c)
{
	c->kind = CAIRN_HULL;
	c->center = v3_scale(v3_add(s->box.min, s->box.max), 0.5);
	return cn_polytope_hull(allocator,
	                        &(cn_triangles){s->def.points, s->def.point_count, s->triangles, s->triangle_count},
	                        c->center, &c->core);
}

const cn_shape_kind cn_kind_hull = {
	.info = {"hull", "hull", CAIRN_LOOK_FLAT},
	.form = CN_FORM_HULL,
	.arrays = CN_POINTS,
	.make = make,
	.box = box,
	.radius = radius_about,
	.core = core,
	.count = cn_count_triangles,
	.draw = cn_draw_triangles,
};
