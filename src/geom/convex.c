/* See convex.h. */
#include "geom/convex.h"

#include "base/tolerance.h"
#include "geom/shape/kind.h"

static double quarter_middle(uint32_t quarter) { return (quarter & 2 ? 1 : -1) * (quarter & 1 ? 0.75 : 0.25); }

static void set_seeds(cn_convex *c)
{
	for (uint32_t cell = 0; cell < CN_CONVEX_CELLS; ++cell) {
		double along = cell & 16 ? 1 : -1, u = quarter_middle(cell / 4 % 4), v = quarter_middle(cell % 4);
		v3 d = cell < 32 ? v3_make(along, u, v) : cell < 64 ? v3_make(v, along, u) : v3_make(u, v, along);
		c->seeds[cell] = cn_polytope_climb(&c->core, d, cell ? c->seeds[cell - 1] : 0);
	}
}

void cn_convex_finish(cn_convex *c)
{
	c->reach = c->core.radius;
	set_seeds(c);
}

bool cn_convex_make(const cairn_allocator *allocator, const cn_shape *shape, cn_convex *out)
{
	assert(shape->kind->core);
	cn_convex c = {.kind = shape->def.kind};
	if (!shape->kind->core(allocator, shape, &c))
		return false;
	c.size = v3_max(v3_sub(shape->box.max, shape->box.min));
	if (c.kind == CAIRN_HALFSPACE)
		c.reach = INFINITY;
	else if (c.kind == CAIRN_CYLINDER)
		c.reach = v3_length(v3_make(c.radius, 0, c.half.z));
	else
		c.reach = c.core.radius + c.radius;
	set_seeds(&c);
	*out = c;
	return true;
}

void cn_convex_free(const cairn_allocator *allocator, cn_convex *convex)
{
	cn_polytope_free(allocator, &convex->core);
	*convex = (cn_convex){0};
}

cn_place cn_convex_place(const cn_convex *convex, pose part)
{
	return (cn_place){pose_apply(part, convex->center), m3_from_q(part.orientation)};
}

double cn_convex_support(const cn_convex *c, const cn_place *at, v3 d)
{
	v3 local = cn_place_unturn(at, d);
	switch (c->kind) {
	case CAIRN_BOX: return fabs(local.x) * c->half.x + fabs(local.y) * c->half.y + fabs(local.z) * c->half.z;
	case CAIRN_CYLINDER: return fabs(local.z) * c->half.z + sqrt(local.x * local.x + local.y * local.y) * c->radius;
	case CAIRN_HALFSPACE:
		return v3_length2(v3_sub(local, c->normal)) < CN_UNIT_ROUNDING * CN_UNIT_ROUNDING ? 0 : INFINITY;
	default: return v3_dot(c->core.vertices[cn_polytope_furthest(&c->core, local)], local) + c->radius;
	}
}
