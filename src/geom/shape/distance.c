/* Distances from surfaces in closed form, those of hulls from the widest plane. */
#include "geom/shape/distance.h"

#include "geom/convex.h"
#include "geom/separate.h"

/* From a point that the surface is a distance around: a ball, or a capsule's axis. */
static double from_core(v3 apart, double radius, v3 *normal)
{
	double length = v3_length(apart);
	*normal = length > 0 ? v3_scale(apart, 1 / length) : v3_make(1, 0, 0);
	return length - radius;
}

static double from_box(v3 p, v3 half, v3 *normal)
{
	v3 out = v3_sub(v3_abs(p), half), beyond = v3_most(out, v3_zero());
	v3 sign = v3_make(p.x < 0 ? -1 : 1, p.y < 0 ? -1 : 1, p.z < 0 ? -1 : 1);
	double length = v3_length(beyond);
	if (length > 0) {
		*normal = v3_scale(v3_mul(beyond, sign), 1 / length);
		return length;
	}
	double least = v3_max(out);
	*normal = out.x == least ? v3_make(sign.x, 0, 0) : out.y == least ? v3_make(0, sign.y, 0) : v3_make(0, 0, sign.z);
	return least;
}

static double from_cylinder(v3 p, double radius, double half, v3 *normal)
{
	double wide = sqrt(p.x * p.x + p.y * p.y), side = wide - radius, end = fabs(p.z) - half;
	v3 across = wide > 0 ? v3_make(p.x / wide, p.y / wide, 0) : v3_make(1, 0, 0),
	   along = v3_make(0, 0, p.z < 0 ? -1 : 1);
	if (side > 0 && end > 0) {
		double length = sqrt(side * side + end * end);
		*normal = v3_add(v3_scale(across, side / length), v3_scale(along, end / length));
		return length;
	}
	*normal = side > end ? across : along;
	return fmax(side, end);
}

static double from_hull(const cn_convex *c, v3 p, v3 *normal)
{
	v3 origin = v3_zero();
	cn_convex dot = {.kind = CAIRN_SPHERE, .size = c->size};
	dot.core.vertices = &origin, dot.core.vertex_count = 1;
	cn_place here = cn_convex_place(c, pose_identity()), there = {p, here.r};
	cn_separation s;
	cn_separate(c, &here, &dot, &there, NULL, &s);
	*normal = s.n;
	return s.gap;
}

static double from_part(const cn_shape *shape, v3 p, v3 *normal)
{
	const cairn_shape_def *d = &shape->def;
	double half = 0.5 * d->length, z = p.z < -half ? -half : p.z > half ? half : p.z;
	switch (d->kind) {
	case CAIRN_SPHERE: return from_core(p, d->radius, normal);
	case CAIRN_CAPSULE: return from_core(v3_sub(p, v3_make(0, 0, z)), d->radius, normal);
	case CAIRN_BOX: return from_box(p, v3_scale(d->size, 0.5), normal);
	case CAIRN_CYLINDER: return from_cylinder(p, d->radius, half, normal);
	case CAIRN_HALFSPACE: return *normal = shape->convex->normal, v3_dot(*normal, p) - d->offset;
	default: return from_hull(shape->convex, p, normal);
	}
}

double cn_surface_distance(const cn_shape *shapes, uint32_t shape, v3 point, v3 *normal)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < cn_shape_part_count(shapes, shape); ++i) {
		cairn_part part = cn_shape_part(shapes, shape, i);
		v3 n, p = q_unrotate(part.pose.orientation, v3_sub(point, part.pose.position));
		double distance = from_part(&shapes[part.shape.index], p, &n);
		if (distance < least)
			least = distance, *normal = q_rotate(part.pose.orientation, n);
	}
	return least;
}
