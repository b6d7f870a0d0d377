/* Two parts of any kinds, sizes and places: the separation is finite, confirmed along its own axis, the same from
 * either side and with any witness. Numbers are three bytes each: a signed fraction and a power of ten. */
#include "fuzz.h"
#include "geom/separate.h"

#include <string.h>

typedef struct reader {
	const uint8_t *at;
	size_t left;
} reader;

static uint8_t byte(reader *r)
{
	if (!r->left)
		return 0;
	--r->left;
	return *r->at++;
}

/* A multiple of 1/1024 with a power of ten; many inputs give equal and opposite numbers, and that is wanted. */
static double number(reader *r, int low, int high)
{
	uint8_t b0 = byte(r), b1 = byte(r), b2 = byte(r);
	double x = (double)((int)(b0 | b1 << 8) - 32768) / 1024;
	int power = low + b2 % (high - low + 1);
	for (; power > 0; --power)
		x *= 10;
	for (; power < 0; ++power)
		x /= 10;
	return x;
}

static double extent(reader *r)
{
	double x = fabs(number(r, -9, 7));
	return x < 1e-9 ? 1e-9 : x;
}

static v3 vector(reader *r, int low, int high)
{
	double x = number(r, low, high), y = number(r, low, high), z = number(r, low, high);
	return v3_make(x, y, z);
}

static quat turn(reader *r)
{
	uint8_t style = byte(r);
	double x = number(r, -8, 0), y = number(r, -8, 0), z = number(r, -8, 0);
	if (style & 1)
		return q_identity();
	quat q = {style & 2 ? 1 : 0, x, y, z};
	return q_dot(q, q) > 0 ? q_unit(q) : q_identity();
}

static bool make(reader *r, const cairn_allocator *allocator, cn_convex *out)
{
	static const cairn_shape_kind kinds[6] = {CAIRN_SPHERE,   CAIRN_BOX,  CAIRN_CAPSULE,
	                                          CAIRN_CYLINDER, CAIRN_HULL, CAIRN_HALFSPACE};
	cairn_shape_def def = cairn_default_shape_def(kinds[byte(r) % 6]);
	v3 points[40];
	def.radius = extent(r);
	def.length = extent(r);
	def.size = v3_make(extent(r), def.radius, def.length);
	if (def.kind == CAIRN_HALFSPACE) {
		v3 n = v3_unit(vector(r, 0, 0));
		def.normal = v3_length2(n) > 0 ? n : v3_make(0, 0, 1);
		def.offset = number(r, -3, 3);
	}
	if (def.kind == CAIRN_HULL) {
		uint32_t count = 4 + byte(r) % 37;
		int low = -(int)(byte(r) % 8);
		for (uint32_t i = 0; i < count; ++i)
			points[i] = v3_scale(vector(r, low, 0), def.radius);
		def.points = points;
		def.point_count = count;
	}
	cn_shape shape;
	cairn_error error;
	if (!cn_shape_make(allocator, &def, NULL, 0, &shape, &error))
		return false;
	bool made = cn_convex_make(allocator, &shape, out);
	cn_shape_free(allocator, &shape);
	return made;
}

static void check(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb,
                  const cn_separation *s, double bound)
{
	v3 t = v3_sub(pb->x, pa->x);
	EXPECT(v3_finite(s->n) && isfinite(s->gap) && v3_finite(s->a) && v3_finite(s->b));
	EXPECT(fabs(v3_length(s->n) - 1) <= 1e-12);
	EXPECT(fabs(cn_separate_along(a, pa, b, pb, s->n) - s->gap) <= bound);
	EXPECT(v3_length(v3_madd(v3_sub(v3_add(t, s->b), s->a), s->n, -s->gap)) <= bound);
}

/* The least extent of a cylinder; of other kinds the largest, which is all that is asked of them here. */
static double least_extent(const cn_convex *c)
{
	double across = 2 * c->radius, along = 2 * c->half.z;
	return c->kind != CAIRN_CYLINDER ? c->size : across < along ? across : along;
}

static void compare(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb, cn_witness garbage)
{
	bool plane = a->kind == CAIRN_HALFSPACE || b->kind == CAIRN_HALFSPACE;
	double small = a->size < b->size ? a->size : b->size, size = plane ? small : a->size + b->size;
	/* What is promised, and rounding for size ratios beyond the promise: a cylinder's axis is iterated for. */
	bool round = a->kind == CAIRN_CYLINDER || b->kind == CAIRN_CYLINDER;
	double bound =
		(round ? 1e-7 : 1e-9) * small + (round ? 1024 : 64) * DBL_EPSILON * (size + v3_distance(pa->x, pb->x));
	double thin = least_extent(a) < least_extent(b) ? least_extent(a) : least_extent(b);
	cn_separation cold, warm, wild, swapped;
	cn_witness kept = {0};
	cn_separate(a, pa, b, pb, &kept, &cold);
	check(a, pa, b, pb, &cold, bound);
	cn_separate(a, pa, b, pb, &kept, &warm);
	check(a, pa, b, pb, &warm, bound);
	cn_separate(a, pa, b, pb, &garbage, &wild);
	check(a, pa, b, pb, &wild, bound);
	cn_separate(b, pb, a, pa, NULL, &swapped);
	check(b, pb, a, pa, &swapped, bound);
	if (round && size > 1e6 * thin)
		return; /* curved parts have no promise there but that the answer is finite and confirmed */
	EXPECT(fabs(warm.gap - cold.gap) <= 2 * bound);
	EXPECT(fabs(wild.gap - cold.gap) <= 2 * bound);
	EXPECT(fabs(swapped.gap - cold.gap) <= 2 * bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	reader r = {data, size};
	cairn_allocator allocator = cairn_default_allocator();
	cn_convex a, b;
	uint8_t style = byte(&r);
	quat qa = turn(&r), qb = turn(&r);
	v3 xa = vector(&r, -9, 7), step = vector(&r, -9, 7);
	cn_witness garbage = {0};
	uint8_t raw[sizeof garbage];
	for (size_t i = 0; i < sizeof raw; ++i)
		raw[i] = byte(&r);
	memcpy(&garbage, raw, sizeof garbage);
	if (!make(&r, &allocator, &a))
		return 0;
	if (!make(&r, &allocator, &b)) {
		cn_convex_free(&allocator, &a);
		return 0;
	}
	if (a.kind != CAIRN_HALFSPACE || b.kind != CAIRN_HALFSPACE) {
		cn_place pa = {xa, m3_from_q(qa)}, pb = {style & 1 ? v3_add(xa, step) : step, m3_from_q(style & 2 ? qa : qb)};
		if (style & 4) /* at the very place */
			pb.x = pa.x;
		compare(&a, &pa, &b, &pb, garbage);
		if ((style & 8) && a.kind != CAIRN_HALFSPACE && b.kind != CAIRN_HALFSPACE) { /* and touching */
			cn_separation s;
			cn_separate(&a, &pa, &b, &pb, NULL, &s);
			pb.x = v3_madd(pb.x, s.n, -s.gap);
			compare(&a, &pa, &b, &pb, garbage);
		}
	}
	cn_convex_free(&allocator, &a);
	cn_convex_free(&allocator, &b);
	return 0;
}
