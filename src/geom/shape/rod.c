/* See rod.h. */
#include "geom/shape/rod.h"

bool cn_rod_make(const cn_shape_making *m)
{
	m->s->def.radius = m->def->radius;
	if (!cn_check_length(m->error, "radius", "radius", m->def->radius))
		return false;
	m->s->def.length = m->def->length;
	return cn_check_length(m->error, "length", "length", m->def->length);
}

bool cn_rod_core(const cairn_allocator *allocator, const cn_shape *s, cn_convex *c)
{
	c->kind = s->def.kind;
	c->radius = s->def.radius;
	c->half = v3_make(0, 0, s->def.length / 2);
	return cn_polytope_segment(allocator, c->half.z, &c->core);
}
