/* Separation against the brute-force reference: random pairs of every kind, touching, overlapping and apart, and pairs
 * built to be degenerate; each cold, and warm with a right, a stale and a garbage witness. */
#include "base/hash.h"
#include "geom/hull.h"
#include "geom/separate_cores.h"
#include "reference.h"
#include "test.h"

enum {
	ROUNDS = TEST_FEW ? 12 : 1200,
	BUILT = TEST_FEW ? 1000 : 11000,
	LARGE = TEST_FEW ? 1000 : 10000
}; /* 1200 rounds: more than a million pairs */
enum { POOL = 40, PER_ROUND = 420 };

static uint64_t seed;
static uint64_t bits(void) { return cn_random_u64(&seed); }
static double uniform(void) { return (double)(bits() >> 11) * 0x1p-53; }
static double within(double low, double high)
{
	double u = uniform();
	return low + (high - low) * u;
}
static uint32_t below(uint32_t n) { return (uint32_t)(bits() >> 33) % n; }
static v3 in_cube(void)
{
	double x = within(-1, 1), y = within(-1, 1), z = within(-1, 1);
	return v3_make(x, y, z);
}
static v3 direction(void)
{
	for (;;) {
		v3 v = in_cube();
		double l = v3_length(v);
		if (l > 0.1 && l < 1)
			return v3_scale(v, 1 / l);
	}
}
static quat turn(void)
{
	v3 axis = direction();
	double angle = within(-3.1, 3.1);
	return q_exp(v3_scale(axis, angle));
}
/* 10 to the power of a whole number in [low, high] */
static double power(int low, int high)
{
	int k = low + (int)below((uint32_t)(high - low + 1));
	double p = 1;
	for (int i = 0; i < (k < 0 ? -k : k); ++i)
		p *= 10;
	return k < 0 ? 1 / p : p;
}

static cairn_allocator allocator;

static bool make(const cairn_shape_def *def, cn_convex *out)
{
	cn_shape shape;
	cairn_error error;
	if (!cn_shape_make(&allocator, def, NULL, 0, &shape, &error))
		return false;
	bool made = cn_convex_make(&allocator, &shape, out);
	cn_shape_free(&allocator, &shape);
	return made;
}

static cn_convex make_sphere(double radius)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_SPHERE);
	cn_convex c = {0};
	def.radius = radius;
	CHECK(make(&def, &c));
	return c;
}
static cn_convex make_capsule(double radius, double length)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_CAPSULE);
	cn_convex c = {0};
	def.radius = radius;
	def.length = length;
	CHECK(make(&def, &c));
	return c;
}
static cn_convex make_box(v3 size)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_BOX);
	cn_convex c = {0};
	def.size = size;
	CHECK(make(&def, &c));
	return c;
}
static cn_convex make_hull(const v3 *points, uint32_t count)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_HULL);
	cn_convex c = {0};
	def.points = points;
	def.point_count = count;
	CHECK(make(&def, &c));
	return c;
}
static cn_convex make_plane(v3 normal, double offset)
{
	cairn_shape_def def = cairn_default_shape_def(CAIRN_HALFSPACE);
	cn_convex c = {0};
	def.normal = normal;
	def.offset = offset;
	CHECK(make(&def, &c));
	return c;
}

/* Any kind but half-space; extents about scale, needles and plates among them. */
static cn_convex make_any(uint32_t kind, double scale, uint32_t most_points)
{
	double thin = below(4) == 0 ? power(-4, -1) : 1, u = within(0.3, 1), v = within(0.3, 1), w = within(0.3, 1);
	bool needle = below(2);
	v3 size = v3_make(scale * u, scale * v * (needle ? thin : 1), scale * w * thin);
	switch (kind) {
	case 0: return make_sphere(0.5 * size.x);
	case 1: return make_capsule(0.25 * size.z, size.x);
	case 2: return make_box(size);
	default: break;
	}
	v3 points[64];
	uint32_t count = 4 + below(most_points - 3), style = below(4);
	for (uint32_t i = 0; i < count; ++i) {
		v3 p = style == 0 ? direction() : in_cube();
		if (style == 1) { /* points of a coarse lattice: parallel edges and faces of many corners */
			double x = (double)below(3) - 1, y = (double)below(3) - 1, z = (double)below(3) - 1;
			p = v3_make(x, y, z);
		}
		if (style == 1 && i < 4) /* never flat */
			p = v3_make(i == 1, i == 2, i == 3);
		points[i] = v3_mul(p, v3_scale(size, 0.5));
	}
	return make_hull(points, count);
}

typedef struct worst {
	double gap, along, unit, ends, outside; /* as shares of what is allowed */
} worst;
static worst seen;
static uint32_t pairs_seen;

static void note(double *most, double share) { *most = share > *most ? share : *most; }

static double allowed(const cn_convex *a, const cn_convex *b, v3 t)
{
	double small = a->size < b->size ? a->size : b->size;
	return 1e-9 * small + 8 * DBL_EPSILON * v3_length(t);
}

static bool finite_answer(const cn_separation *s)
{
	return v3_finite(s->n) && isfinite(s->gap) && v3_finite(s->a) && v3_finite(s->b);
}

/* One answer against what is known of the pair. */
static bool right(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb,
                  const cn_separation *s, double wanted, const reference_part *ra, const reference_part *rb)
{
	v3 t = v3_sub(pb->x, pa->x);
	double bound = allowed(a, b, t);
	if (!finite_answer(s))
		return false;
	double off = fabs(s->gap - wanted), unit = fabs(v3_length(s->n) - 1);
	double along = fabs(cn_separate_along(a, pa, b, pb, s->n) - s->gap);
	double ends = v3_length(v3_madd(v3_sub(v3_add(t, s->b), s->a), s->n, -s->gap));
	double outside_a = ra ? reference_outside(ra, s->a) : 0,
		   outside_b = rb ? reference_outside(rb, v3_add(t, s->b)) : 0;
	double outside = outside_a > outside_b ? outside_a : outside_b;
	note(&seen.gap, off / bound);
	note(&seen.along, along / bound);
	note(&seen.unit, unit / 1e-12);
	note(&seen.ends, ends / bound);
	double larger = a->size > b->size ? a->size : b->size;
	double place = bound + 4e-12 * larger; /* along nearly parallel edges the place is known less well than the gap */
	note(&seen.outside, outside / place);
	return off <= bound && unit <= 1e-12 && along <= bound && ends <= bound && outside <= place;
}

static void describe(const char *how, const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb,
                     const cn_separation *s, double wanted, double bound)
{
	printf(
		"pair %u, %s: kinds %d %d, sizes %.3g %.3g, vertices %u %u, distance %.17g: gap %.17g, wanted %.17g, off %.3g, "
		"allowed %.3g, along %.17g, n %.6f %.6f %.6f, features %x %x\n",
		pairs_seen, how, (int)a->kind, (int)b->kind, a->size, b->size, a->core.vertex_count, b->core.vertex_count,
		v3_distance(pa->x, pb->x), s->gap, wanted, s->gap - wanted, bound, cn_separate_along(a, pa, b, pb, s->n),
		s->n.x, s->n.y, s->n.z, s->feature_a, s->feature_b);
}

static int told;

/* Cold, right witness, stale witness (of another place), garbage witness; and the other way round. */
static double check_pair(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb,
                         cn_witness *kept, v3 *n)
{
	static reference_part ra, rb;
	v3 t = v3_sub(pb->x, pa->x);
	reference_take(a, pa, v3_zero(), &ra);
	reference_take(b, pb, t, &rb);
	double wanted = reference_gap(&ra, &rb), bound = allowed(a, b, t);
	cn_witness garbage;
	uint64_t noise[(sizeof garbage + 7) / 8];
	for (size_t i = 0; i < CN_COUNT(noise); ++i)
		noise[i] = bits();
	memcpy(&garbage, noise, sizeof garbage);
	cn_witness fresh = {0};
	cn_witness *witness[5] = {NULL, &fresh, &fresh, kept, &garbage};
	static const char *const how[5] = {"without witness", "cold", "warm", "stale", "garbage"};
	++pairs_seen;
	for (int k = 0; k < 5; ++k) {
		cn_separation s;
		memset(&s, 0xff, sizeof s);
		cn_separate(a, pa, b, pb, witness[k], &s);
		bool good = right(a, pa, b, pb, &s, wanted, &ra, &rb);
		CHECK(good);
		if (!good && told++ < 30)
			describe(how[k], a, pa, b, pb, &s, wanted, bound);
		*n = s.n;
	}
	cn_separation swapped;
	cn_separate(b, pb, a, pa, NULL, &swapped);
	bool same = fabs(swapped.gap - wanted) <= bound;
	CHECK(same);
	if (!same && told++ < 30)
		describe("swapped", b, pb, a, pa, &swapped, wanted, bound);
	return wanted;
}

static cn_place place_at(v3 x, quat q) { return (cn_place){x, m3_from_q(q)}; }

/* A pair somewhere, then moved together until it touches, or nearly. */
static void random_pair(const cn_convex *a, const cn_convex *b, cn_witness *kept)
{
	double far = below(8) == 0 ? power(0, 6) : 0, share = below(6) == 0 ? 0 : within(0, 1.1), sign = within(-1, 1);
	quat qa = turn(), qb = turn();
	v3 base = v3_scale(direction(), far * (a->size + b->size)), way = direction(), n;
	cn_place pa = place_at(base, qa), pb = place_at(v3_madd(base, way, share * (a->reach + b->reach)), qb);
	double gap = check_pair(a, &pa, b, &pb, kept, &n), small = a->size < b->size ? a->size : b->size;
	double leave = small * (below(3) == 0 ? 0 : power(-14, -2)) * (sign < 0 ? -1 : 1);
	pb.x = v3_madd(pb.x, n, leave - gap);
	(void)check_pair(a, &pa, b, &pb, kept, &n);
}

TEST(random)
{
	allocator = cairn_default_allocator();
	seed = 1;
	for (int round = 0; round < ROUNDS && !told; ++round) {
		cn_convex pool[POOL];
		cn_witness kept = {0};
		double ratio = round % 5 == 4 ? power(0, 5) : 1;
		for (uint32_t i = 0; i < POOL; ++i)
			pool[i] = make_any(i % 4, i % 8 < 4 ? 1 : ratio, round % 8 == 0 && i < 8 ? 32 : 12);
		for (int k = 0; k < PER_ROUND; ++k) {
			uint32_t i = below(POOL), j = below(POOL);
			random_pair(&pool[i], &pool[j], &kept);
		}
		for (uint32_t i = 0; i < POOL; ++i)
			cn_convex_free(&allocator, &pool[i]);
	}
	printf("%u pairs, five calls each; of what is allowed: gap %.2g, along %.2g, unit %.2g, ends %.2g, outside %.2g\n",
	       pairs_seen, seen.gap, seen.along, seen.unit, seen.ends, seen.outside);
}

/* Touching, or a hair apart or inside, in the ways in which piles touch. */
static double hair(double scale)
{
	uint32_t pick = below(8);
	double size = power(-16, -3), sign = below(2) ? 1 : -1;
	return pick == 0 ? 0 : pick == 1 ? 0.5 * sign * scale : sign * size * scale;
}

/* A turn that is nothing, a right angle, or nearly so. */
static quat nearly_straight(void)
{
	static const double right_angle = 1.57079632679489661923;
	v3 axis = below(2) ? direction() : below(2) ? v3_make(0, 0, 1) : v3_make(1, 0, 0);
	double tilt = below(3) == 0 ? 0 : power(-16, -3), quarter = (double)below(4);
	quat straight = q_exp(v3_make(0, 0, quarter * right_angle));
	return q_mul(q_exp(v3_scale(axis, tilt)), straight);
}

static v3 random_size(double scale)
{
	double x = within(0.3, 1), y = within(0.3, 1), z = within(0.3, 1);
	uint32_t kind = below(4);
	double thin = kind == 0 ? power(-4, -1) : 1, even = kind == 1 ? 1 : 0;
	return even > 0 ? v3_make(scale, scale, scale) : v3_make(scale * x, scale * y, scale * z * thin);
}

static cn_convex box_hull(v3 size) /* a box that is treated as a hull */
{
	v3 points[8];
	for (uint32_t i = 0; i < 8; ++i)
		points[i] = v3_mul(v3_scale(size, 0.5), v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
	return make_hull(points, 8);
}

static cn_convex prism(uint32_t sides, double radius, double height)
{
	v3 points[64];
	for (uint32_t i = 0; i < sides; ++i) {
		double s, c;
		cn_sincos(6.283185307179586 * i / sides, &s, &c);
		points[2 * i] = v3_make(radius * c, radius * s, -height / 2);
		points[2 * i + 1] = v3_make(radius * c, radius * s, height / 2);
	}
	return make_hull(points, 2 * sides);
}

static cn_convex built_shape(uint32_t which, double scale)
{
	v3 size = random_size(scale);
	switch (which) {
	case 0: return make_box(size);
	case 1: return box_hull(size);
	case 2: return prism(3 + below(10), 0.5 * scale, size.z);
	case 3: return make_capsule(0.25 * size.z, size.x);
	case 4: return make_sphere(0.5 * size.x);
	default: return make_any(3, scale, 20);
	}
}

/* Lays B's feature of a random direction onto A's of a direction that is often a face's, an edge's or a vertex's. */
static void built_pair(const cn_convex *a, const cn_convex *b, uint32_t style, cn_witness *kept)
{
	const cn_polytope *pa = &a->core, *pb = &b->core;
	double small = a->size < b->size ? a->size : b->size, off = hair(small), u = within(-1.2, 1.2),
		   w = within(-1.2, 1.2);
	double far = below(6) == 0 ? power(0, 6) : 0;
	quat qa = below(2) ? q_identity() : turn(), lean = nearly_straight();
	v3 n, base = v3_scale(direction(), far * (a->size + b->size)), ignored;
	quat qb = q_mul(qa, lean);
	cn_place at_a = place_at(base, qa), at_b = place_at(base, qb);
	v3 d = pa->face_count && style % 3 == 0   ? cn_place_turn(&at_a, pa->normals[below(pa->face_count)])
	       : pb->face_count && style % 3 == 1 ? v3_neg(cn_place_turn(&at_b, pb->normals[below(pb->face_count)]))
	                                          : direction();
	if (style == 5) { /* vertex on vertex: B is turned so that both point at each other */
		v3 va = pa->vertices[below(pa->vertex_count)];
		d = v3_length2(va) > 0 ? cn_place_turn(&at_a, v3_unit(va)) : d;
	}
	if (style == 6) { /* coincident or nested */
		v3 way = direction();
		at_b.x = v3_madd(at_a.x, way, below(2) ? 0 : off);
		(void)check_pair(a, &at_a, b, &at_b, kept, &ignored);
		return;
	}
	/* Far enough along d to be apart along it by off; beside it by less than the sizes. */
	double gap = cn_separate_along(a, &at_a, b, &at_b, d);
	v3 side = v3_unit(v3_cross(d, fabs(d.x) < 0.6 ? v3_make(1, 0, 0) : v3_make(0, 1, 0)));
	if (style == 2 && pa->edge_count && pb->edge_count) { /* edge across edge: along the square of both */
		v3 e = cn_place_turn(&at_a, pa->directions[below(pa->edge_count)]);
		v3 f = cn_place_turn(&at_b, pb->directions[below(pb->edge_count)]);
		v3 square = v3_cross(e, f);
		if (v3_length(square) > 1e-3) {
			d = v3_unit(square);
			gap = cn_separate_along(a, &at_a, b, &at_b, d);
			side = e;
		}
	}
	at_b.x = v3_madd(at_a.x, d, off - gap);
	if (style != 5) {
		at_b.x = v3_madd(at_b.x, side, 0.5 * u * small * (below(2) ? 1 : 0));
		at_b.x = v3_madd(at_b.x, v3_cross(d, side), 0.5 * w * small * (below(2) ? 1 : 0));
	}
	double first = check_pair(a, &at_a, b, &at_b, kept, &n);
	at_b.x = v3_madd(at_b.x, n, off - first); /* and now exactly along the widest plane */
	(void)check_pair(a, &at_a, b, &at_b, kept, &ignored);
}

TEST(built)
{
	allocator = cairn_default_allocator();
	seed = 2;
	cn_witness kept = {0};
	seen = (worst){0};
	pairs_seen = 0;
	for (int i = 0; i < BUILT && told < 30; ++i) {
		double scale = below(2) ? 1 : power(0, 5);
		bool swap = below(2);
		uint32_t wa = below(6), wb = below(6), style = below(7);
		cn_convex a = built_shape(wa, swap ? scale : 1), b = built_shape(wb, swap ? 1 : scale);
		if (below(8) == 0) { /* the same shape twice */
			cn_convex_free(&allocator, &b);
			b = a;
			built_pair(&a, &b, style, &kept);
		} else {
			built_pair(&a, &b, style, &kept);
			cn_convex_free(&allocator, &b);
		}
		cn_convex_free(&allocator, &a);
	}
	printf("%u built pairs; of what is allowed: gap %.2g, along %.2g, unit %.2g, ends %.2g, outside %.2g\n", pairs_seen,
	       seen.gap, seen.along, seen.unit, seen.ends, seen.outside);
}

TEST(faces_rest_on_faces) /* a pile at rest: the axis is the face's to the last digit, whatever the hair */
{
	allocator = cairn_default_allocator();
	seed = 3;
	cn_convex cube = make_box(v3_make(1, 1, 1)), hull = box_hull(v3_make(1, 1, 1)), plate = prism(6, 0.6, 0.3);
	const cn_convex *part[3] = {&cube, &hull, &plate};
	for (int i = 0; i < 2000; ++i) {
		const cn_convex *a = part[below(3)], *b = part[below(3)];
		double off = hair(1e-3), x = within(-0.4, 0.4), y = within(-0.4, 0.4), yaw = within(-3, 3);
		double height = (a == &plate ? 0.15 : 0.5) + (b == &plate ? 0.15 : 0.5);
		cn_place pa = place_at(v3_make(3, -2, 5), q_identity());
		cn_place pb = place_at(v3_make(3 + x, y - 2, 5 + height + off), q_exp(v3_make(0, 0, yaw)));
		cn_witness witness = {0};
		for (int k = 0; k < 2; ++k) {
			cn_separation s;
			cn_separate(a, &pa, b, &pb, &witness, &s);
			CHECK(s.n.x == 0 && s.n.y == 0 && s.n.z == 1);
			CHECK_NEAR(s.gap, off, 1e-14);
			CHECK(cn_feature_kind_of(s.feature_a) == CN_FACE);
		}
	}
	cn_convex_free(&allocator, &cube);
	cn_convex_free(&allocator, &hull);
	cn_convex_free(&allocator, &plate);
}

TEST(thin_cores_that_meet) /* spheres and capsules whose cores touch, cross, lie in one another */
{
	allocator = cairn_default_allocator();
	seed = 4;
	cn_convex ball = make_sphere(0.3), rod = make_capsule(0.1, 2), pin = make_capsule(0.001, 1);
	const cn_convex *part[3] = {&ball, &rod, &pin};
	cn_witness kept = {0};
	v3 n;
	for (int i = 0; i < 3000 && told < 30; ++i) {
		const cn_convex *a = part[below(3)], *b = part[below(3)];
		quat qa = turn(), lean = nearly_straight(), other = turn();
		quat qb = below(2) ? q_mul(qa, lean) : other;
		double sa = (double)below(5) / 2 - 1, sb = (double)below(5) / 2 - 1; /* at an end, in the middle, beyond */
		cn_place pa = place_at(v3_make(1, 2, 3), qa), pb = place_at(v3_zero(), qb);
		v3 on_a = cn_place_turn(&pa, v3_make(0, 0, sa * a->half.z)),
		   on_b = cn_place_turn(&pb, v3_make(0, 0, sb * b->half.z));
		pb.x = v3_add(pa.x, v3_sub(on_a, on_b));
		if (below(2)) {
			v3 way = direction();
			pb.x = v3_madd(pb.x, way, power(-17, -8));
		}
		(void)check_pair(a, &pa, b, &pb, &kept, &n);
	}
	cn_convex_free(&allocator, &ball);
	cn_convex_free(&allocator, &rod);
	cn_convex_free(&allocator, &pin);
}

/* The last resort, which the quicker ways leave next to nothing to do: here it does it all. */
TEST(every_plane)
{
	allocator = cairn_default_allocator();
	seed = 8;
	static reference_part ra, rb;
	for (int i = 0; i < BUILT / 4; ++i) {
		cn_convex a = make_any(2 + below(2), 1, 16), b = make_any(below(4), 1, 16);
		double share = within(0, 1.1), size = power(-12, -2), leave = below(2) ? size : 0;
		quat qa = turn(), qb = below(2) ? turn() : qa;
		cn_place pa = place_at(v3_zero(), qa), pb = place_at(v3_scale(direction(), share * (a.reach + b.reach)), qb);
		for (int k = 0; k < 2; ++k) { /* anywhere, then touching or nearly */
			cn_cores c;
			cn_core_gap found;
			cn_cores_set(&c, &a, &pa, &b, &pb);
			cn_cores_every(&c, &found);
			reference_take(&a, &pa, v3_zero(), &ra);
			reference_take(&b, &pb, pb.x, &rb);
			double bound = allowed(&a, &b, pb.x), gap = found.gap - a.radius - b.radius;
			CHECK_NEAR(gap, reference_gap(&ra, &rb), bound);
			CHECK(v3_length(v3_madd(v3_sub(found.b, found.a), found.n, -found.gap)) <= bound);
			pb.x = v3_madd(pb.x, cn_place_turn(&pa, found.n), leave - found.gap);
		}
		cn_convex_free(&allocator, &a);
		cn_convex_free(&allocator, &b);
	}
}

TEST(half_spaces)
{
	allocator = cairn_default_allocator();
	seed = 5;
	cn_convex plane = make_plane(v3_make(0, 0.6, 0.8), 0.7);
	for (int i = 0; i < 20000; ++i) {
		double scale = power(-3, 3), lift = within(-1.5, 1.5);
		cn_convex c = i % 100 < 99 ? make_any((uint32_t)i % 4, scale, 24) : make_any(3, scale, 64);
		quat qa = turn(), qb = turn();
		pose frame = {v3_scale(direction(), 10), qa};
		cn_place at_plane = cn_convex_place(&plane, frame);
		v3 up = cn_place_turn(&at_plane, plane.normal), along = v3_cross(up, direction());
		cn_place at = place_at(v3_madd(v3_add(at_plane.x, v3_scale(along, 5)), up, lift * c.reach), qb);
		double least = INFINITY;
		for (uint32_t k = 0; k < c.core.vertex_count; ++k) {
			double h = v3_dot(up, v3_sub(v3_add(at.x, m3_apply(at.r, c.core.vertices[k])), at_plane.x)) - c.radius;
			least = h < least ? h : least;
		}
		cn_witness w = {0};
		double bound = 1e-9 * c.size + 8 * DBL_EPSILON * v3_distance(at.x, at_plane.x);
		for (int k = 0; k < 4; ++k) {
			bool first = k < 2;
			cn_separation s;
			cn_separate(first ? &plane : &c, first ? &at_plane : &at, first ? &c : &plane, first ? &at : &at_plane, &w,
			            &s);
			v3 t = first ? v3_sub(at.x, at_plane.x) : v3_sub(at_plane.x, at.x);
			CHECK(finite_answer(&s));
			CHECK_NEAR(s.gap, least, bound);
			CHECK(v3_length(v3_sub(s.n, first ? up : v3_neg(up))) < 1e-12);
			CHECK(v3_length(v3_madd(v3_sub(v3_add(t, s.b), s.a), s.n, -s.gap)) <= bound);
			CHECK(fabs(v3_dot(up, first ? s.a : s.b)) <= bound); /* on the plane */
			if (k == 1)
				w = (cn_witness){{1, 2, 3}, 77, 99, 12345, 54321, 1};
		}
		cn_convex_free(&allocator, &c);
	}
	cn_convex_free(&allocator, &plane);
}

TEST(beyond)
{
	allocator = cairn_default_allocator();
	seed = 6;
	for (int i = 0; i < 300; ++i) {
		cn_convex a = make_any((uint32_t)i % 4, 1, 20), b = make_any((uint32_t)i / 4 % 4, 1, 20);
		cn_witness w = {0};
		for (int k = 0; k < 20; ++k) {
			double share = within(0, 2), asked = below(4) == 0 ? 0 : within(-0.2, 0.5);
			quat qa = turn(), qb = turn();
			cn_place pa = place_at(v3_zero(), qa),
					 pb = place_at(v3_scale(direction(), share * (a.reach + b.reach)), qb);
			cn_separation s, whole;
			cn_separate(&a, &pa, &b, &pb, NULL, &whole);
			bool far = cn_separate_beyond(&(cn_convex_pair){&a, &pa, &b, &pb}, asked, &w, &s);
			double bound = 1e-9;
			if (far) {
				CHECK(s.gap >= asked);
				CHECK(s.gap <= whole.gap + bound);
				CHECK(cn_separate_along(&a, &pa, &b, &pb, s.n) >= s.gap - bound);
				CHECK(fabs(v3_length(s.n) - 1) < 1e-12);
			} else {
				CHECK_NEAR(s.gap, whole.gap, bound);
			}
			cn_witness known = w; /* content with less where the cores overlap, and with nothing else */
			bool apart = cn_separate_shallow(&(cn_convex_pair){&a, &pa, &b, &pb}, asked, &known, &s);
			if (apart)
				CHECK(s.gap >= asked && s.gap <= whole.gap + bound);
			else if (whole.gap > -(a.radius + b.radius) + bound)
				CHECK_NEAR(s.gap, whole.gap, bound);
			else
				CHECK(s.gap == -INFINITY || fabs(s.gap - whole.gap) < bound);
			if (whole.gap > asked + bound && far) { /* the next time it is known at once */
				cn_separation again;
				CHECK(cn_separate_beyond(&(cn_convex_pair){&a, &pa, &b, &pb}, asked, &w, &again));
			}
		}
		cn_convex_free(&allocator, &a);
		cn_convex_free(&allocator, &b);
	}
}

/* Hulls too large for the reference: the plane must be confirmed, and no vertex, face or edge of either nearer. */
TEST(large_hulls)
{
	allocator = cairn_default_allocator();
	seed = 7;
	v3 *points = malloc(LARGE * sizeof *points);
	REQUIRE(points);
	cn_convex hull[2];
	for (int h = 0; h < 2; ++h) {
		for (int i = 0; i < LARGE; ++i)
			points[i] = v3_mul(direction(), v3_make(1, 0.7, h ? 0.4 : 1));
		hull[h] = make_hull(points, LARGE);
	}
	free(points);
	cn_witness w = {0};
	for (int i = 0; i < 200; ++i) {
		quat qa = turn(), qb = turn();
		double share = within(0, 1.2);
		cn_place pa = place_at(v3_zero(), qa), pb = place_at(v3_scale(direction(), share), qb);
		cn_separation s, swapped;
		cn_separate(&hull[0], &pa, &hull[1], &pb, &w, &s);
		cn_separate(&hull[1], &pb, &hull[0], &pa, NULL, &swapped);
		CHECK(finite_answer(&s));
		CHECK_NEAR(swapped.gap, s.gap, 1e-9);
		CHECK_NEAR(cn_separate_along(&hull[0], &pa, &hull[1], &pb, s.n), s.gap, 1e-12);
		CHECK(v3_length(v3_madd(v3_sub(v3_add(pb.x, s.b), s.a), s.n, -s.gap)) < 1e-9);
		for (int k = 0; k < 300; ++k) { /* no other axis is wider, near or far */
			double tilt = power(-6, 0);
			v3 n = v3_unit(v3_madd(s.n, direction(), tilt));
			CHECK(cn_separate_along(&hull[0], &pa, &hull[1], &pb, n) <= s.gap + 1e-9);
		}
	}
	cn_convex_free(&allocator, &hull[0]);
	cn_convex_free(&allocator, &hull[1]);
}

TEST_MAIN(TEST_CASE(random), TEST_CASE(built), TEST_CASE(faces_rest_on_faces), TEST_CASE(thin_cores_that_meet),
          TEST_CASE(every_plane), TEST_CASE(half_spaces), TEST_CASE(beyond), TEST_CASE(large_hulls))
