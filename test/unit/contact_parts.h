/* Parts of every kind for the tests of contacts, and how far a point is from their surface. */
#ifndef CAIRN_CONTACT_PARTS_H
#define CAIRN_CONTACT_PARTS_H

#include "base/hash.h"
#include "geom/contact.h"
#include "test.h"

#define CASES(n) (TEST_FEW ? (n) / 10 : (n))

typedef struct part {
	cn_shape shape;
	cn_convex c;
	cn_place at;
} part;

static uint64_t random_state = 1;

static inline double draw(void) { return 0.5 + 0.5 * cn_random_signed(&random_state); } /* 0 .. 1 */

static inline double draw_in(double from, double to) { return from + (to - from) * draw(); }

static inline v3 draw_direction(void)
{
	for (;;) {
		double x = draw_in(-1, 1), y = draw_in(-1, 1), z = draw_in(-1, 1), l = x * x + y * y + z * z;
		if (l > 0.01 && l < 1)
			return v3_unit(v3_make(x, y, z));
	}
}

static inline quat draw_turn(void)
{
	v3 axis = draw_direction();
	double angle = draw_in(-3, 3);
	return q_exp(v3_scale(axis, angle));
}

static inline void make_part(const cairn_shape_def *def, part *out)
{
	cairn_error error;
	cairn_allocator allocator = cairn_default_allocator();
	if (!cn_shape_make(&allocator, def, NULL, 0, &out->shape, &error) ||
	    !cn_convex_make(&allocator, &out->shape, &out->c)) {
		printf("a part could not be made\n");
		abort();
	}
	out->at = cn_convex_place(&out->c, pose_identity());
}

static inline void free_part(part *p)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_convex_free(&allocator, &p->c);
	cn_shape_free(&allocator, &p->shape);
}

static inline part box_part(double x, double y, double z)
{
	part p;
	cairn_shape_def def = {.name = ""};
	def.kind = CAIRN_BOX;
	def.size = v3_make(x, y, z);
	make_part(&def, &p);
	return p;
}

static inline part round_part(cairn_shape_kind kind, double radius, double length)
{
	part p;
	cairn_shape_def def = {.name = ""};
	def.kind = kind;
	def.radius = radius;
	if (kind != CAIRN_SPHERE)
		def.length = length;
	make_part(&def, &p);
	return p;
}

static inline part plane_part(v3 normal, double offset)
{
	part p;
	cairn_shape_def def = {.name = ""};
	def.kind = CAIRN_HALFSPACE;
	def.normal = normal;
	def.offset = offset;
	make_part(&def, &p);
	return p;
}

static inline part hull_part(const v3 *points, uint32_t count)
{
	part p;
	cairn_shape_def def = {.name = ""};
	def.kind = CAIRN_HULL;
	def.points = points;
	def.point_count = count;
	make_part(&def, &p);
	return p;
}

static inline void put(part *p, v3 x, quat q) { p->at = cn_convex_place(&p->c, (pose){x, q}); }

/* Of a point about the centre in world axes: above 0 outside, below inside. */
static inline double height_over(const part *p, v3 world)
{
	v3 x = cn_place_unturn(&p->at, world);
	double far = -INFINITY, z = fabs(x.z), rho = sqrt(x.x * x.x + x.y * x.y);
	switch (p->c.kind) {
	case CAIRN_SPHERE: return v3_length(x) - p->c.radius;
	case CAIRN_CAPSULE:
		return sqrt(rho * rho + (z > p->c.half.z ? z - p->c.half.z : 0) * (z > p->c.half.z ? z - p->c.half.z : 0)) -
		       p->c.radius;
	case CAIRN_CYLINDER: return z - p->c.half.z > rho - p->c.radius ? z - p->c.half.z : rho - p->c.radius;
	case CAIRN_HALFSPACE: return v3_dot(p->c.normal, x);
	default:
		for (uint32_t f = 0; f < p->c.core.face_count; ++f) {
			double h = v3_dot(p->c.core.normals[f], x) - p->c.core.offsets[f];
			far = h > far ? h : far;
		}
		return far;
	}
}

/* The separation's own closest points, which stand in where the features do not hold them. */
static inline bool stands_in(const cn_contact_point *p, const cn_separation *s)
{
	return v3_distance(p->a, s->a) == 0 && v3_distance(p->b, s->b) == 0;
}

/* What holds of every set: finite, ordered, unique, gaps as they are defined, points on both surfaces. Points that
 * stand in are as good as the separation, which has tests of its own. */
static inline bool sound(const part *a, const part *b, const cn_separation *s, const cn_contact_set *set, double error)
{
	v3 d = v3_sub(b->at.x, a->at.x);
	if (set->count < 1 || set->count > CN_CONTACT_MAX)
		return false;
	for (uint32_t i = 0; i < set->count; ++i) {
		const cn_contact_point *p = &set->points[i];
		double gap = v3_dot(s->n, v3_sub(v3_add(d, p->b), p->a));
		if (!v3_finite(p->a) || !v3_finite(p->b) || !(fabs(gap - p->gap) <= error))
			return false;
		if (i && set->points[i - 1].feature >= p->feature)
			return false;
		if (!stands_in(p, s) && !(fabs(height_over(a, p->a)) <= error && fabs(height_over(b, p->b)) <= error))
			return false;
	}
	return true;
}

static inline double least_gap(const cn_contact_set *set)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < set->count; ++i)
		least = set->points[i].gap < least ? set->points[i].gap : least;
	return least;
}

/* The separation along a known n, with the closest points a and b where they are known. */
static inline cn_separation along(const part *a, const part *b, v3 n)
{
	v3 d = v3_sub(b->at.x, a->at.x);
	cn_separation s = {.n = n};
	s.gap = v3_dot(n, d) - cn_convex_support(&a->c, &a->at, n) - cn_convex_support(&b->c, &b->at, v3_neg(n));
	return s;
}

static inline uint64_t met(cn_feature_kind ka, uint32_t a, cn_feature_kind kb, uint32_t b)
{
	return (uint64_t)cn_feature_make(ka, a) << 32 | cn_feature_make(kb, b);
}

#endif
