/* A cylinder: radius, and length along z. */
#include "geom/mass.h"
#include "geom/shape/rod.h"

static bool make(const cn_shape_making *m)
{
	if (!cn_rod_make(m))
		return false;
	m->s->mass = cn_mass_cylinder(m->def->radius, m->def->length);
	return true;
}

static cairn_box box(const cn_shape *s, pose p)
{
	m3 r = m3_from_q(p.orientation);
	double radius = s->def.radius, arm = 0.5 * s->def.length;
	double disc[3]; /* the disc's reach along world axis i is r times the length of that axis across z */
	for (int i = 0; i < 3; ++i)
		disc[i] = radius * sqrt(r.m[i][0] * r.m[i][0] + r.m[i][1] * r.m[i][1]);
	v3 along = v3_make(fabs(r.m[0][2]), fabs(r.m[1][2]), fabs(r.m[2][2]));
	return cn_box_about(p.position, v3_make(disc[0] + arm * along.x, disc[1] + arm * along.y, disc[2] + arm * along.z));
}

static double radius_about(const cn_shape *s, v3 center)
{
	v3 c = v3_abs(center);
	return v3_length(v3_make(v3_length(v3_make(c.x, c.y, 0)) + s->def.radius, 0, c.z + 0.5 * s->def.length));
}

static bool count(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
                  uint32_t *triangles)
{
	(void)s, (void)allocator;
	*points = 2 + 2 * n, *triangles = 4 * n;
	return true;
}

static bool draw(cn_drawing *d, const cn_shape *s)
{
	double arm = 0.5 * s->def.length;
	cn_draw_point(d, v3_make(0, 0, arm));
	cn_draw_ring(d, s->def.radius, arm);
	cn_draw_ring(d, s->def.radius, -arm);
	cn_draw_point(d, v3_make(0, 0, -arm));
	cn_draw_lathe(d, 2);
	return true;
}

static v3 normal(const cairn_shape_def *def, v3 p, v3 flat)
{
	(void)def;
	return fabs(flat.z) > 0.5 ? flat : v3_unit(v3_make(p.x, p.y, 0));
}

const cn_shape_kind cn_kind_cylinder = {
	.info = {"cylinder", "cylinder", CAIRN_LOOK_ROUND},
	.form = CN_FORM_FIELDS,
	.fields = {CN_ROD_FIELDS},
	.make = make,
	.box = box,
	.radius = radius_about,
	.core = cn_rod_core,
	.count = count,
	.draw = draw,
	.normal = normal,
};
