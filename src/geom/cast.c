/* Rays against parts: each kind by its own equation. See cast_mesh.c for meshes, cast_part.c for parts that move. */
#include "geom/cast.h"

/* Shares between which a line is inside something. */
typedef struct span {
	double enter, leave;
	v3 normal; /* where it enters, part's axes */
} span;

/* Takes off what is outside one plane: height above it at share 0, and how it changes along the way. */
static void clip(span *s, v3 normal, double height, double rate)
{
	if (rate == 0) {
		if (height > 0)
			s->leave = -INFINITY;
		return;
	}
	double at = -height / rate;
	if (rate > 0)
		s->leave = at < s->leave ? at : s->leave;
	else if (at > s->enter)
		s->enter = at, s->normal = normal;
}

/* The same for the two sides of a box across an axis. */
static void clip_slab(span *s, v3 axis, double half, double from, double way)
{
	if (way == 0) {
		if (fabs(from) > half)
			s->leave = -INFINITY;
		return;
	}
	double once = 1 / way, middle = -from * once, wide = fabs(half * once);
	if (middle - wide > s->enter)
		s->enter = middle - wide, s->normal = way > 0 ? v3_neg(axis) : axis;
	s->leave = middle + wide < s->leave ? middle + wide : s->leave;
}

static void clip_box(span *s, v3 half, v3 from, v3 way)
{
	clip_slab(s, v3_make(1, 0, 0), half.x, from.x, way.x);
	clip_slab(s, v3_make(0, 1, 0), half.y, from.y, way.y);
	clip_slab(s, v3_make(0, 0, 1), half.z, from.z, way.z);
}

/* A hull that the line goes by at more than its reach need not be looked at; 1e-9: far beyond rounding. */
static bool passes(const cn_convex *part, v3 from, v3 way)
{
	double w2 = v3_length2(way), reach = part->reach * (1 + 1e-9);
	v3 aside = v3_cross(from, way);
	return w2 > 0 && v3_length2(aside) > reach * reach * w2;
}

/* Which faces are entered and which left cannot be foreseen: choices in place of branches. */
static void clip_hull(span *s, const cn_convex *part, v3 from, v3 way)
{
	if (passes(part, from, way)) {
		s->leave = -INFINITY;
		return;
	}
	double enter = s->enter, leave = s->leave;
	uint32_t face = CN_NO_TRIANGLE;
	for (uint32_t i = 0; i < part->core.face_count && enter <= leave; ++i) {
		v3 n = part->core.normals[i];
		double height = v3_dot(n, from) - part->core.offsets[i], rate = v3_dot(n, way), at = -height / rate;
		bool in = rate<0, out = rate> 0 || (rate == 0 && height > 0);
		double first = in ? at : -INFINITY, last = out ? (rate == 0 ? -INFINITY : at) : INFINITY;
		face = first > enter ? i : face;
		enter = first > enter ? first : enter;
		leave = last < leave ? last : leave;
	}
	s->enter = enter, s->leave = leave;
	if (face != CN_NO_TRIANGLE)
		s->normal = part->core.normals[face];
}

/* Takes off what is outside a ball or an endless cylinder: from and way are across its axis where it has one. The roots
 * are taken about the point nearest to the centre, so that a start far off loses no digits. */
static void clip_round(span *s, double radius, v3 from, v3 way)
{
	double w2 = v3_length2(way);
	if (w2 == 0) {
		if (v3_length2(from) > radius * radius)
			s->leave = -INFINITY;
		return;
	}
	double middle = -v3_dot(from, way) / w2;
	v3 nearest = v3_madd(from, way, middle);
	double left = radius * radius - v3_length2(nearest);
	if (left < 0) {
		s->leave = -INFINITY;
		return;
	}
	double half = sqrt(left / w2), enter = middle - half, leave = middle + half;
	if (enter > s->enter)
		s->enter = enter, s->normal = v3_unit(v3_madd(from, way, enter));
	s->leave = leave < s->leave ? leave : s->leave;
}

static v3 across(v3 v) { return v3_make(v.x, v.y, 0); }

/* A capsule is met on its side, or else on the ball of that end beyond which the line comes into its endless side. */
static void clip_capsule(span *s, double radius, double half, v3 from, v3 way)
{
	span side = {-INFINITY, INFINITY, v3_zero()};
	clip_round(&side, radius, across(from), across(way));
	double z = from.z + way.z * (side.enter > 0 ? side.enter : 0);
	if (!(side.enter <= side.leave) || (fabs(z) <= half && side.enter > 0)) {
		*s = side;
		return;
	}
	if (fabs(z) <= half) /* the start is inside */
		return;
	clip_round(s, radius, v3_sub(from, v3_make(0, 0, z > 0 ? half : -half)), way);
}

bool cn_cast_ray(const cn_convex *part, const cn_place *at, const cn_ray *ray, cn_meeting *meeting)
{
	v3 from = cn_place_unturn(at, v3_sub(ray->from, at->x)), way = cn_place_unturn(at, ray->way);
	span s = {-INFINITY, INFINITY, v3_zero()};
	switch (part->kind) {
	case CAIRN_SPHERE: clip_round(&s, part->radius, from, way); break;
	case CAIRN_BOX: clip_box(&s, part->half, from, way); break;
	case CAIRN_CAPSULE: clip_capsule(&s, part->radius, part->half.z, from, way); break;
	case CAIRN_CYLINDER:
		clip_round(&s, part->radius, across(from), across(way));
		clip(&s, v3_make(0, 0, 1), from.z - part->half.z, way.z);
		clip(&s, v3_make(0, 0, -1), -from.z - part->half.z, -way.z);
		break;
	case CAIRN_HALFSPACE: clip(&s, part->normal, v3_dot(part->normal, from), v3_dot(part->normal, way)); break;
	default: clip_hull(&s, part, from, way);
	}
	if (!(s.enter <= s.leave) || !(s.leave >= 0) || !(s.enter <= meeting->share))
		return false;
	bool inside = s.enter < 0;
	v3 normal = inside ? v3_neg(v3_unit(ray->way)) : cn_place_turn(at, s.normal);
	double share = inside ? 0 : s.enter;
	*meeting = (cn_meeting){share, v3_madd(ray->from, ray->way, share), normal, CN_NO_TRIANGLE};
	return true;
}
