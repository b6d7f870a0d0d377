/* A capsule: radius, and the length of its axis along z without the caps. */
#include "geom/mass.h"
#include "geom/shape/rod.h"

static bool make(const cn_shape_making *m)
{
	if (!cn_rod_make(m))
		return false;
	m->s->mass = cn_mass_capsule(m->def->radius, m->def->length);
	return true;
}

static cairn_box box(const cn_shape *s, pose p)
{
	m3 r = m3_from_q(p.orientation);
	double radius = s->def.radius, arm = 0.5 * s->def.length;
	v3 along = v3_make(fabs(r.m[0][2]), fabs(r.m[1][2]), fabs(r.m[2][2]));
	return cn_box_about(p.position, v3_make(radius + arm * along.x, radius + arm * along.y, radius + arm * along.z));
}

static double radius_about(const cn_shape *s, v3 center)
{
	v3 c = v3_abs(center);
	return v3_length(v3_make(c.x, c.y, c.z + 0.5 * s->def.length)) + s->def.radius;
}

static bool count(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
                  uint32_t *triangles)
{
	(void)s, (void)allocator;
	uint32_t rings = n / 2;
	*points = 2 + rings * n, *triangles = 2 * rings * n;
	return true;
}

static bool draw(cn_drawing *d, const cn_shape *s)
{
	const cn_circle *circle = d->circle;
	double arm = 0.5 * s->def.length, radius = s->def.radius;
	cn_draw_point(d, v3_make(0, 0, arm + radius));
	for (uint32_t k = 1; k < circle->n / 2; ++k) {
		double z = radius * circle->c[k], r = radius * circle->s[k];
		if (4 * k == circle->n) /* the equator stands twice: at both ends of the middle */
			cn_draw_ring(d, r, arm);
		cn_draw_ring(d, r, 4 * k < circle->n ? arm + z : z - arm);
	}
	cn_draw_point(d, v3_make(0, 0, -(arm + radius)));
	cn_draw_lathe(d, circle->n / 2);
	return true;
}

static v3 normal(const cairn_shape_def *def, v3 p, v3 flat)
{
	double half = 0.5 * def->length;
	(void)flat;
	return v3_unit(v3_make(p.x, p.y, p.z > half ? p.z - half : p.z < -half ? p.z + half : 0));
}

const cn_shape_kind cn_kind_capsule = {
	.info = {"capsule", "capsule", CAIRN_LOOK_ROUND},
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
