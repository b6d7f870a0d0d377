/* Oriented boxes along axes. Whatever axis is found, the value returned is the gap along it, so a positive answer
 * proves the boxes apart no matter how the axis was rounded. */
#include "geom/obb.h"

#include "base/tolerance.h"

static double reach(const cn_obb *a, v3 normal)
{
	v3 n = q_unrotate(a->axes, normal);
	return fabs(n.x) * a->half.x + fabs(n.y) * a->half.y + fabs(n.z) * a->half.z;
}

double cn_obb_along(const cn_obb *a, const cn_obb *b, v3 normal)
{
	return v3_dot(normal, v3_sub(b->center, a->center)) - (reach(a, normal) + reach(b, normal));
}

double cn_obb_lowest(const cn_obb *a, v3 normal) { return v3_dot(normal, a->center) - reach(a, normal); }

/* Both boxes in the frame of the first: the second's axes are the columns of turn, its centre is offset. */
typedef struct frame {
	m3 turn;
	v3 offset, half_a, half_b;
	double best;
	v3 normal;
} frame;

static void try_axis(frame *f, v3 axis)
{
	v3 in_b = m3_apply(m3_transpose(f->turn), axis), na = v3_abs(axis), nb = v3_abs(in_b);
	double apart = v3_dot(axis, f->offset);
	double gap = fabs(apart) - (v3_dot(na, f->half_a) + v3_dot(nb, f->half_b));
	if (gap > f->best) {
		f->best = gap;
		f->normal = apart < 0 ? v3_neg(axis) : axis;
	}
}

double cn_obb_separate(const cn_obb *a, const cn_obb *b, v3 *normal)
{
	m3 ra = m3_from_q(a->axes), rb = m3_from_q(b->axes), to_a = m3_transpose(ra);
	frame f = {m3_mul(to_a, rb), m3_apply(to_a, v3_sub(b->center, a->center)), a->half, b->half, -INFINITY, {1, 0, 0}};
	v3 edges_a[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, edges_b[3];
	for (int i = 0; i < 3; ++i)
		edges_b[i] = v3_make(f.turn.m[0][i], f.turn.m[1][i], f.turn.m[2][i]);
	for (int i = 0; i < 3; ++i)
		try_axis(&f, edges_a[i]);
	for (int i = 0; i < 3; ++i)
		try_axis(&f, edges_b[i]);
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j) {
			v3 axis = v3_cross(edges_a[i], edges_b[j]);
			double length = v3_length(axis);
			if (length > CN_PARALLEL)
				try_axis(&f, v3_scale(axis, 1 / length));
		}
	*normal = m3_apply(ra, f.normal);
	return f.best;
}
