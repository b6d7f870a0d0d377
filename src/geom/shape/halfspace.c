/* A half-space: everything with normal.x <= offset. */
#include "base/tolerance.h"
#include "geom/shape/kind.h"

static bool make(const cn_shape_making *m)
{
	const cairn_shape_def *def = m->def;
	cairn_error *error = m->error;
	if (!v3_finite(def->normal))
		return cn_fail(error, CAIRN_INVALID, "normal", "the normal has a coordinate that is not a finite number");
	double square = v3_length2(def->normal), length = sqrt(square);
	if (!(fabs(length - 1) <= CN_UNIT_ERROR))
		return cn_fail(error, CAIRN_INVALID, "normal", "the normal has length %g; give a unit vector", length);
	if (!isfinite(def->offset))
		return cn_fail(error, CAIRN_INVALID, "offset", "the offset is not a finite number");
	if (fabs(def->offset) > CN_LENGTH_MAX)
		return cn_fail(error, CAIRN_INVALID, "offset", "the offset is %g m; the most is %g m", def->offset,
		               CN_LENGTH_MAX);
	/* The offset is kept: a normal that is off by the rounding of its printed digits stands for the unit vector. */
	m->s->def.normal = v3_scale(def->normal, cn_unit_factor(square));
	m->s->def.offset = def->offset;
	return true;
}

static cairn_box box(const cn_shape *s, pose p)
{
	(void)s, (void)p;
	return (cairn_box){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
}

static bool core(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c)
{
	c->kind = CAIRN_HALFSPACE;
	c->normal = s->def.normal;
	c->center = v3_scale(s->def.normal, s->def.offset);
	return cn_polytope_point(allocator, &c->core);
}

static bool count(const cn_shape *s, uint32_t n, const cairn_allocator *allocator, uint32_t *points,
                  uint32_t *triangles)
{
	(void)s, (void)n, (void)allocator;
	*points = 4, *triangles = 2;
	return true;
}

static bool draw(cn_drawing *d, const cn_shape *s)
{
	v3 normal = s->def.normal;
	double offset = s->def.offset, half = d->halfspace;
	v3 n = v3_abs(normal), least = n.x <= n.y && n.x <= n.z ? v3_make(1, 0, 0)
	                               : n.y <= n.z             ? v3_make(0, 1, 0)
	                                                        : v3_make(0, 0, 1);
	v3 u = v3_unit(v3_madd(least, normal, -v3_dot(least, normal))), v = v3_cross(normal, u);
	v3 center = v3_scale(normal, offset);
	for (int i = 0; i < 4; ++i)
		cn_draw_point(d, v3_madd(v3_madd(center, u, i == 0 || i == 3 ? -half : half), v, i < 2 ? -half : half));
	cn_draw_triangle(d, 0, 1, 2);
	cn_draw_triangle(d, 0, 2, 3);
	return true;
}

const cn_shape_kind cn_kind_halfspace = {
	.info = {"halfspace", "half-space", CAIRN_LOOK_PLANE},
	.form = CN_FORM_PLANE,
	.fields = {{"normal", CN_FIELD_VECTOR, offsetof(cairn_shape_def, normal), true},
               {"offset", CN_FIELD_NUMBER, offsetof(cairn_shape_def, offset), false}},
	.no_part = true,
	.make = make,
	.box = box,
	.core = core,
	.count = count,
	.draw = draw,
};
