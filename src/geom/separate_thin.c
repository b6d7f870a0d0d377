/* Points and segments against each other: the cores of spheres and capsules. C is a point, a segment or a
 * parallelogram, and its nearest point is had at once. Where it passes through the origin the axis is chosen among
 * those that can separate touching segments: square to both, square to one and along what the other does, along both
 * from an end. */
#include "geom/separate_cores.h"

typedef struct choice {
	v3 n;
	double gap;
} choice;

static void consider(cn_cores *c, choice *best, v3 n)
{
	double length = v3_length(n);
	if (!(length > 1e-12))
		return;
	for (int side = 0; side < 2; ++side) {
		v3 unit = v3_scale(n, side ? -1 / length : 1 / length);
		double gap = cn_cores_along(c, unit);
		if (gap > best->gap)
			*best = (choice){unit, gap};
	}
}

static v3 square_part(v3 v, v3 e) /* e unit; twice, for what a short remainder lost */
{
	v = v3_unit(v3_madd(v, e, -v3_dot(v, e)));
	return v3_madd(v, e, -v3_dot(v, e));
}

static void choose(cn_cores *c, v3 v, cn_core_gap *out)
{
	const cn_polytope *a = &c->a->core, *b = &c->b->core;
	v3 ea = a->edge_count ? a->directions[0] : v3_zero();
	v3 eb = b->edge_count ? cn_cores_turn_b(c, b->directions[0]) : v3_zero();
	choice best = {v3_make(1, 0, 0), -INFINITY};
	if (a->edge_count && b->edge_count) {
		consider(c, &best, square_part(v3_cross(ea, eb), ea));
		consider(c, &best, square_part(eb, ea));
		consider(c, &best, square_part(ea, eb));
		consider(c, &best, v3_sub(eb, ea));
		consider(c, &best, v3_add(ea, eb));
	}
	consider(c, &best, square_part(v, ea));
	consider(c, &best, square_part(v, eb));
	consider(c, &best, v);
	if (a->edge_count || b->edge_count)
		consider(c, &best, a->edge_count ? ea : eb);
	consider(c, &best, cn_core_square(a->edge_count ? ea : eb));
	out->n = best.n;
	out->gap = best.gap;
}

void cn_cores_thin(cn_cores *c, cn_core_gap *out)
{
	uint32_t na = c->a->core.vertex_count, nb = c->b->core.vertex_count;
	cn_simplex s = {.count = 1, .weight = {1}};
	s.corner[0] = cn_cores_corner(c, 0, 0);
	s.v = s.corner[0].p;
	if (na + nb == 3) {
		s.count = 2;
		s.corner[1] = cn_cores_corner(c, na - 1, nb - 1);
		(void)cn_simplex_nearest(&s);
	} else if (na + nb == 4) {
		cn_simplex other;
		s.count = 3;
		s.corner[1] = cn_cores_corner(c, 1, 0);
		s.corner[2] = cn_cores_corner(c, 1, 1);
		other = s;
		other.corner[1] = cn_cores_corner(c, 0, 1);
		(void)cn_simplex_nearest(&s);
		(void)cn_simplex_nearest(&other);
		if (v3_length2(other.v) < v3_length2(s.v))
			s = other;
	}
	v3 n = v3_unit(s.v);
	if (v3_length2(s.v) > 0 && cn_cores_settle(c, &s, n, out))
		return;
	if (v3_length2(c->last) > 0 && cn_cores_settle(c, &s, c->last, out))
		return;
	choose(c, s.v, out);
	(void)cn_cores_settle(c, &s, out->n, out);
	cn_cores_points(c, &s, out);
}
