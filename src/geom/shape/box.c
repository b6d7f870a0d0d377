/* A box: full edge lengths. */
#include "geom/mass.h"
#include "geom/shape/kind.h"

static bool make(const cn_shape_making *m)
{
	v3 size = m->s->def.size = m->def->size;
	m->s->mass = cn_mass_box(size);
	return cn_check_length(m->error, "size", "edge along x", size.x) &&
	       cn_check_length(m->error, "size", "edge along y", size.y) &&
	       cn_check_length(m->error, "size", "edge along z", size.z);
}

static cairn_box box(const cn_shape *s, pose p)
{
	m3 r = m3_from_q(p.orientation), positive;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			positive.m[i][j] = fabs(r.m[i][j]);
	return cn_box_about(p.position, m3_apply(positive, v3_scale(s->def.size, 0.5)));
}

static double radius_about(const cn_shape *s, v3 center)
{
	return v3_length(v3_add(v3_abs(center), v3_scale(s->def.size, 0.5)));
}

static bool core(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c)
{
	c->kind = CAIRN_BOX;
	c->half = v3_scale(s->def.size, 0.5);
	return cn_polytope_box(allocator, c->half, &c->core);
}

static bool count(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
                  uint32_t *triangles)
{
	(void)s, (void)n, (void)allocator;
	*points = 8, *triangles = 12;
	return true;
}

/* Corner i has x, y, z on the positive side where bits 0, 1, 2 of i are set. */
static bool draw(cn_drawing *d, const cn_shape *s)
{
	static const uint8_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
	                                    {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
	v3 h = v3_scale(s->def.size, 0.5);
	for (int i = 0; i < 8; ++i)
		cn_draw_point(d, v3_make(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z));
	for (int i = 0; i < 6; ++i) {
		cn_draw_triangle(d, quads[i][0], quads[i][1], quads[i][2]);
		cn_draw_triangle(d, quads[i][0], quads[i][2], quads[i][3]);
	}
	return true;
}

const cn_shape_kind cn_kind_box = {
	.info = {"box", "box", CAIRN_LOOK_FLAT},
	.form = CN_FORM_VALUE,
	.fields = {{"size", CN_FIELD_VECTOR, offsetof(cairn_shape_def, size), true}},
	.make = make,
	.box = box,
	.radius = radius_about,
	.core = core,
	.count = count,
	.draw = draw,
};
