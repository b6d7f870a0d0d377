/* An example of a convex shape in one file: a wedge, half of a box, cut along the plane from its upper edge at -x to its
 * lower edge at +x. test/house/rows.sh adds it to a copy of the sources. */
#include "geom/mass.h"
#include "geom/shape/kind.h"

static const uint32_t TRIANGLES[8][3] = {{0, 2, 3}, {0, 3, 1}, {0, 4, 5}, {0, 5, 2},
                                         {0, 1, 4}, {2, 5, 3}, {1, 3, 5}, {1, 5, 4}};

static void corners(const cn_shape *s, v3 out[6])
{
	v3 h = v3_scale(s->def.size, 0.5);
	for (int i = 0; i < 6; ++i)
		out[i] = v3_make(i < 4 && (i & 1) ? h.x : -h.x, i < 4 ? (i & 2 ? h.y : -h.y) : (i & 1 ? h.y : -h.y),
		                 i < 4 ? -h.z : h.z);
}

static bool make(const cn_shape_making *m)
{
	v3 p[6], size = m->s->def.size = m->def->size;
	if (!cn_check_length(m->error, "size", "edge along x", size.x) ||
	    !cn_check_length(m->error, "size", "edge along y", size.y) ||
	    !cn_check_length(m->error, "size", "edge along z", size.z))
		return false;
	corners(m->s, p);
	m->s->mass = cn_mass_solid(p, &TRIANGLES[0][0], 8);
	return true;
}

static cairn_box box(const cn_shape *s, pose at)
{
	v3 p[6];
	cairn_box all = cn_box_empty();
	corners(s, p);
	for (int i = 0; i < 6; ++i)
		cn_box_add(&all, pose_apply(at, p[i]));
	return all;
}

static double radius_about(const cn_shape *s, v3 center)
{
	v3 p[6];
	double most = 0;
	corners(s, p);
	for (int i = 0; i < 6; ++i)
		most = fmax(most, v3_length(v3_sub(p[i], center)));
	return most;
}

static bool core(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c)
{
	v3 p[6];
	corners(s, p);
	c->kind = CAIRN_HULL; /* queries know its core and nothing else */
	return cn_polytope_hull(allocator, &(cn_triangles){p, 6, &TRIANGLES[0][0], 8}, c->center, &c->core);
}

static bool count(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
                  uint32_t *triangles)
{
	(void)s, (void)n, (void)allocator;
	*points = 6, *triangles = 8;
	return true;
}

static bool draw(cn_drawing *d, const cn_shape *s)
{
	v3 p[6];
	corners(s, p);
	for (int i = 0; i < 6; ++i)
		cn_draw_point(d, p[i]);
	for (int i = 0; i < 8; ++i)
		cn_draw_triangle(d, TRIANGLES[i][0], TRIANGLES[i][1], TRIANGLES[i][2]);
	return true;
}

const cn_shape_kind cn_kind_wedge = {
	.info = {"wedge", "wedge", CAIRN_LOOK_FLAT},
	.form = CN_FORM_VALUE,
	.fields = {{"size", CN_FIELD_VECTOR, offsetof(cairn_shape_def, size), true}},
	.make = make,
	.box = box,
	.radius = radius_about,
	.core = core,
	.count = count,
	.draw = draw,
};
