/* A sphere: radius. */
#include "geom/mass.h"
#include "geom/shape/kind.h"

static bool make(const cn_shape_making *m)
{
	double radius = m->s->def.radius = m->def->radius;
	if (!cn_check_length(m->error, "radius", "radius", radius))
		return false;
	m->s->mass = cn_mass_sphere(radius);
	return true;
}

static cairn_box box(const cn_shape *s, pose p)
{
	double radius = s->def.radius;
	return cn_box_about(p.position, v3_make(radius, radius, radius));
}

static double radius_about(const cn_shape *s, v3 center) { return v3_length(v3_abs(center)) + s->def.radius; }

static bool core(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c)
{
	c->kind = CAIRN_SPHERE;
	c->radius = s->def.radius;
	return cn_polytope_point(allocator, &c->core);
}

static bool count(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
                  uint32_t *triangles)
{
	(void)s, (void)allocator;
	uint32_t rings = n / 2 - 1;
	*points = 2 + rings * n, *triangles = 2 * rings * n;
	return true;
}

static bool draw(cn_drawing *d, const cn_shape *s)
{
	const cn_circle *circle = d->circle;
	double radius = s->def.radius;
	cn_draw_point(d, v3_make(0, 0, radius));
	for (uint32_t k = 1; k < circle->n / 2; ++k)
		cn_draw_ring(d, radius * circle->s[k], radius * circle->c[k]);
	cn_draw_point(d, v3_make(0, 0, -radius));
	cn_draw_lathe(d, circle->n / 2 - 1);
	return true;
}

static v3 normal(const cairn_shape_def *def, v3 p, v3 flat)
{
	(void)def, (void)flat;
	return v3_unit(p);
}

const cn_shape_kind cn_kind_sphere = {
	.info = {"sphere", "sphere", CAIRN_LOOK_ROUND},
	.form = CN_FORM_VALUE,
	.fields = {{"radius", CN_FIELD_NUMBER, offsetof(cairn_shape_def, radius), true}},
	.make = make,
	.box = box,
	.radius = radius_about,
	.core = core,
	.count = count,
	.draw = draw,
	.normal = normal,
};
