/* Hulls: each result is judged from the points alone, with planes in 113 bits: a thin face's plane is
 * not known well enough in fewer. */
#include "ledger.h"
#include "random.h"
#include "test.h"

#include "base/hash.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/orient.h"
#include "geom/tolerance.h"

enum { MOST = 10000 };

#if LDBL_MANT_DIG >= 113 || !defined(__SIZEOF_FLOAT128__)
typedef long double real;
#else
typedef __float128 real;
#endif

static v3 cloud[MOST];

typedef struct judged {
	uint32_t corners, triangles;
	double volume, above; /* farthest point above a plane, in units of the promised tolerance */
	bool made, closed;
	char message[480];
} judged;

static double promised(const v3 *points, uint32_t count)
{
	double most = 0;
	for (uint32_t i = 0; i < count; ++i)
		most = fmax(most, v3_max(v3_abs(points[i])));
	return CN_HULL_ULPS * DBL_EPSILON * most;
}

/* Height of p above the plane of t. */
static double height(const v3 *points, const uint32_t *t, v3 p)
{
	const v3 *a = &points[t[0]], *b = &points[t[1]], *c = &points[t[2]];
	real ux = (real)b->x - (real)a->x, uy = (real)b->y - (real)a->y, uz = (real)b->z - (real)a->z;
	real vx = (real)c->x - (real)a->x, vy = (real)c->y - (real)a->y, vz = (real)c->z - (real)a->z;
	real nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
	real d = nx * ((real)p.x - (real)a->x) + ny * ((real)p.y - (real)a->y) + nz * ((real)p.z - (real)a->z);
	real square = nx * nx + ny * ny + nz * nz;
	return square > 0 ? (double)d / sqrt((double)square) : INFINITY; /* no plane: a fault */
}

/* every: look at only each so many-th triangle, against all points. */
static judged judge(const v3 *points, uint32_t count, uint32_t every)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error = {0};
	uint32_t *triangles, a, b;
	judged j = {0};
	j.made = cn_hull_build(&allocator, points, count, &triangles, &j.triangles, &error);
	memcpy(j.message, error.message, sizeof j.message);
	if (!j.made)
		return j;
	j.closed = !cn_mesh_open_edge(&allocator, triangles, j.triangles, &a, &b, &error);
	j.volume = cn_mass_solid(points, triangles, j.triangles).volume;
	uint8_t *used = calloc(count, 1);
	for (uint32_t i = 0; i < 3 * j.triangles; ++i)
		j.corners += !used[triangles[i]], used[triangles[i]] = 1;
	free(used);
	double tolerance = promised(points, count);
	for (uint32_t i = 0; i < j.triangles; i += every)
		for (uint32_t k = 0; k < count; ++k)
			j.above = fmax(j.above, height(points, &triangles[3 * i], points[k]) / tolerance);
	cn_free(&allocator, triangles, (size_t)j.triangles * 3, sizeof *triangles);
	return j;
}

/* Closed, one piece without handles (Euler), nothing outside. A third is the rounding of heights. */
static void check_sound(judged j)
{
	CHECK(j.made);
	CHECK(j.closed);
	CHECK_INT(j.triangles, 2 * (long long)j.corners - 4);
	CHECK(j.above <= 1.34);
	CHECK(j.volume > 0);
	if (!j.made)
		printf("message: %s\n", j.message);
}

TEST(tetrahedron_and_cube)
{
	const v3 tetrahedron[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.1, 0.2, 0.3}};
	judged j = judge(tetrahedron, 5, 1);
	check_sound(j);
	CHECK_INT(j.corners, 4);
	CHECK_NEAR(j.volume, 1.0 / 6, 1e-16);
	uint32_t n = 0;
	for (int i = 0; i < 8; ++i)
		cloud[n++] = v3_make(i & 1 ? 1 : -1, i & 2 ? 2 : -2, i & 4 ? 3 : -3);
	j = judge(cloud, n, 1);
	check_sound(j);
	CHECK_INT(j.corners, 8);
	CHECK_NEAR(j.volume, 48, 1e-13);
}

TEST(random_clouds)
{
	uint64_t state = 1;
	for (uint32_t round = 0; round < 200; ++round) {
		uint32_t n = 4 + (uint32_t)(cn_random_u64(&state) % 200);
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = random_in_cube(&state);
		judged j = judge(cloud, n, 1);
		check_sound(j);
		CHECK(j.volume < 8);
	}
}

/* Small integers: most fours are in a plane, most threes on a line, many points coincide. */
TEST(lattice_clouds)
{
	uint64_t state = 2;
	for (uint32_t round = 0; round < 400; ++round) {
		uint32_t n = 20 + (uint32_t)(cn_random_u64(&state) % 100), side = 2 + round % 4;
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = v3_make((double)(cn_random_u64(&state) % side), (double)(cn_random_u64(&state) % side),
			                   (double)(cn_random_u64(&state) % side));
		judged j = judge(cloud, n, 1);
		check_sound(j);
		CHECK(j.above <= 0); /* steps of 1: nothing is within the tolerance but not on it */
	}
}

TEST(every_point_of_a_sphere)
{
	uint64_t state = 3;
	for (uint32_t i = 0; i < MOST; ++i)
		cloud[i] = random_on_sphere(&state);
	judged j = judge(cloud, MOST, 97);
	check_sound(j);
	CHECK_INT(j.corners, MOST);
	CHECK_NEAR(j.volume, 4.0 / 3 * CN_PI, 0.01);
}

/* Points in rows on the faces of a cube: faces, edges, corners, each several times. */
static uint32_t fill_cube(uint32_t side, uint32_t copies)
{
	uint32_t n = 0;
	for (uint32_t copy = 0; copy < copies; ++copy)
		for (uint32_t x = 0; x <= side; ++x)
			for (uint32_t y = 0; y <= side; ++y)
				for (uint32_t z = 0; z <= side; ++z)
					if (x % side == 0 || y % side == 0 || z % side == 0)
						cloud[n++] = v3_make(2.0 * x / side - 1, 2.0 * y / side - 1, 2.0 * z / side - 1);
	return n;
}

static void place(uint32_t n, quat turn, v3 stretch, v3 move)
{
	for (uint32_t i = 0; i < n; ++i)
		cloud[i] = v3_add(q_rotate(turn, v3_mul(cloud[i], stretch)), move);
}

TEST(rows_on_a_cube)
{
	uint64_t state = 4;
	for (uint32_t round = 0; round < 60; ++round) {
		static const double scales[] = {1, 1e-6, 1e6};
		uint32_t side = 2 + round % 10, n = fill_cube(side, 1 + round % 2);
		double s = scales[round % 3];
		v3 move = round % 4 ? v3_zero() : v3_scale(random_in_cube(&state), s);
		place(n, round % 5 ? random_turn(&state) : q_identity(), v3_make(s, s, s), move);
		judged j = judge(cloud, n, 1);
		check_sound(j);
		CHECK_INT(j.corners, 8);
		CHECK_NEAR(j.volume / (s * s * s), 8, 1e-13);
	}
}

TEST(rows_on_a_cube_far_away)
{
	uint64_t state = 5;
	for (uint32_t round = 0; round < 20; ++round) {
		uint32_t n = fill_cube(2 + round % 6, 1);
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_scale(random_in_cube(&state), 1e6));
		judged j = judge(cloud, n, 1);
		check_sound(j);
		CHECK_INT(j.corners, 8);
		CHECK_NEAR(j.volume, 8, 1e-7);
	}
}

TEST(runs_on_edges)
{
	uint64_t state = 6;
	for (uint32_t round = 0; round < 40; ++round) {
		v3 corners[4];
		for (int i = 0; i < 4; ++i)
			corners[i] = random_on_sphere(&state);
		uint32_t n = 0;
		for (int i = 0; i < 4; ++i)
			for (int k = i + 1; k < 4; ++k)
				for (int t = 0; t <= 50; ++t)
					cloud[n++] = v3_lerp(corners[i], corners[k], t / 50.0);
		for (uint32_t i = n; i > 1; --i) { /* shuffled */
			uint32_t k = (uint32_t)(cn_random_u64(&state) % i);
			v3 swap = cloud[k];
			cloud[k] = cloud[i - 1], cloud[i - 1] = swap;
		}
		judged j = judge(cloud, n, 1);
		check_sound(j);
		CHECK(j.corners <= 8); /* the four, twice where the ends of two runs differ by rounding */
	}
}

TEST(needles_and_plates)
{
	uint64_t state = 7;
	static const double scales[] = {1, 1e-6, 1e6};
	for (uint32_t round = 0; round < 60; ++round) {
		uint32_t n = 20 + (uint32_t)(cn_random_u64(&state) % 300);
		double s = scales[round % 3];
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = random_in_cube(&state);
		v3 needle = {s, 1e-6 * s, 1e-6 * s}, plate = {s, s, 1e-6 * s};
		place(n, random_turn(&state), round % 2 ? needle : plate, v3_zero());
		check_sound(judge(cloud, n, 1));
	}
	for (uint32_t round = 0; round < 20; ++round) { /* boxes: eight corners and their rows */
		uint32_t n = fill_cube(4, 1);
		place(n, random_turn(&state), round % 2 ? v3_make(1, 1e-6, 1e-6) : v3_make(1, 1, 1e-6), v3_zero());
		judged j = judge(cloud, n, 1);
		check_sound(j);
		CHECK_INT(j.corners, 8);
		CHECK_NEAR(j.volume / (round % 2 ? 8e-12 : 8e-6), 1, 1e-7);
	}
}

TEST(far_clouds)
{
	uint64_t state = 8;
	for (uint32_t round = 0; round < 30; ++round) {
		for (uint32_t i = 0; i < 300; ++i)
			cloud[i] = v3_add(random_on_sphere(&state), v3_make(1e6, -1e6, 1e6));
		check_sound(judge(cloud, 300, 1));
	}
}

/* A sphere with noise of a few units in the last place on many copies of few directions. */
TEST(nearly_coincident)
{
	uint64_t state = 9;
	for (uint32_t round = 0; round < 30; ++round) {
		uint32_t seeds = 4 + round % 13, n = 0;
		v3 at[16];
		for (uint32_t i = 0; i < seeds; ++i)
			at[i] = random_on_sphere(&state);
		for (uint32_t copy = 0; copy < 40; ++copy)
			for (uint32_t i = 0; i < seeds; ++i)
				cloud[n++] = v3_madd(at[i], random_in_cube(&state), 4 * DBL_EPSILON);
		judged j = judge(cloud, n, 1);
		check_sound(j);
		CHECK(j.corners <= seeds);
	}
}

/* Noise about the size of the tolerance, where every decision is close. */
TEST(noisy_planes)
{
	uint64_t state = 10;
	for (uint32_t round = 0; round < 60; ++round) {
		uint32_t n = fill_cube(6, 1);
		double noise = CN_HULL_ULPS * DBL_EPSILON * ldexp(1, (int)(round % 10) - 4);
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = v3_madd(cloud[i], random_in_cube(&state), noise);
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		judged j = judge(cloud, n, 1);
		check_sound(j);
		CHECK_NEAR(j.volume, 8, 1e-11);
	}
}

TEST(flat_input)
{
	uint64_t state = 11;
	const v3 few[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
	judged j = judge(few, 3, 1);
	CHECK(!j.made);
	CHECK_HAS(j.message, "3 points");
	for (uint32_t round = 0; round < 60; ++round) {
		v3 move = v3_scale(random_in_cube(&state), round % 2 ? 1e6 : 1), u = random_on_sphere(&state);
		v3 v = random_on_sphere(&state);
		static const char *const names[] = {"coincide", "on a line", "in a plane"};
		for (uint32_t i = 0; i < 50; ++i) {
			double s = round % 3 > 0 ? cn_random_signed(&state) : 0, t = round % 3 > 1 ? cn_random_signed(&state) : 0;
			cloud[i] = v3_madd(v3_madd(move, u, s), v, t);
		}
		j = judge(cloud, 50, 1);
		CHECK(!j.made);
		CHECK_HAS(j.message, names[round % 3]);
	}
}

TEST(extreme_numbers)
{
	for (uint32_t round = 0; round < 2; ++round) {
		double s = round ? 1.7e308 : 1e-300;
		cairn_allocator allocator = cairn_default_allocator();
		cairn_error error;
		uint32_t *triangles, count;
		for (int i = 0; i < 8; ++i)
			cloud[i] = v3_make(i & 1 ? s : -s, i & 2 ? s : -s, i & 4 ? s : -s);
		CHECK(cn_hull_build(&allocator, cloud, 8, &triangles, &count, &error));
		CHECK_INT(count, 12);
		cn_free(&allocator, triangles, (size_t)count * 3, sizeof *triangles);
	}
	for (int i = 0; i < 8; ++i)
		cloud[i] = v3_make(i & 1 ? 4.9e-324 : 1, i & 2 ? 1e-310 : 1, i & 4 ? 0 : 1);
	check_sound(judge(cloud, 8, 1));
}

TEST(memory_runs_out)
{
	uint64_t state = 15;
	uint32_t n = fill_cube(5, 1), *triangles, count;
	place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
	for (; n < 400; ++n)
		cloud[n] = v3_scale(random_on_sphere(&state), 1.5);
	bool made = false;
	for (size_t fail_at = 1; !made && fail_at < 1000; ++fail_at) {
		ledger book = {.fail_at = fail_at};
		cairn_allocator allocator = {&book, ledger_resize};
		cairn_error error = {0};
		made = cn_hull_build(&allocator, cloud, n, &triangles, &count, &error);
		CHECK(made || error.code == CAIRN_MEMORY);
		if (made)
			cn_free(&allocator, triangles, (size_t)count * 3, sizeof *triangles);
		CHECK_INT(book.bytes, 0);
	}
	CHECK(made);
}

TEST(same_bits)
{
	uint64_t state = 12;
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	uint32_t *a, *b, a_count, b_count;
	for (uint32_t i = 0; i < 500; ++i)
		cloud[i] = random_in_cube(&state);
	REQUIRE(cn_hull_build(&allocator, cloud, 500, &a, &a_count, &error));
	REQUIRE(cn_hull_build(&allocator, cloud, 500, &b, &b_count, &error));
	CHECK_INT(a_count, b_count);
	CHECK(memcmp(a, b, (size_t)a_count * 3 * sizeof *a) == 0);
	cn_free(&allocator, a, (size_t)a_count * 3, sizeof *a);
	cn_free(&allocator, b, (size_t)b_count * 3, sizeof *b);
}

static int side(v3 a, v3 b, v3 c, v3 p)
{
	cn_plane plane = cn_plane_through(a, b, c);
	return cn_plane_side(&plane, a, b, c, p);
}

static v3 random_integers(uint64_t *state)
{
	double x[3];
	for (int k = 0; k < 3; ++k)
		x[k] = (double)(cn_random_u64(state) >> 15) - 281474976710656.0;
	return v3_make(x[0], x[1], x[2]);
}

/* Integers near 2^49: b + c - a is in the plane of a, b, c; a step of 1 from there is on the side of the normal. */
TEST(exact_side_of_integers)
{
	uint64_t state = 13;
	for (int round = 0; round < 2000; ++round) {
		v3 a = random_integers(&state), b = random_integers(&state), c = random_integers(&state);
		v3 p = v3_sub(v3_add(b, c), a), n = cn_plane_through(a, b, c).normal;
		CHECK_INT(side(a, b, c, p), 0);
		double *axis = round % 3 == 0 ? &p.x : round % 3 == 1 ? &p.y : &p.z;
		double along = round % 3 == 0 ? n.x : round % 3 == 1 ? n.y : n.z;
		*axis += 1;
		CHECK_INT(side(a, b, c, p), (along > 0) - (along < 0));
		CHECK_INT(side(b, c, a, p), (along > 0) - (along < 0));
		CHECK_INT(side(a, c, b, p), (along < 0) - (along > 0));
	}
	/* products near 2^100 that cancel to the last bit: (x + 1)^2 - x (x + 2) = 1 */
	double x = 1125899906842623.0;
	v3 n = cn_plane_through(v3_zero(), v3_make(x + 1, x, 0), v3_make(x + 2, x + 1, 0)).normal;
	CHECK(n.x == 0 && n.y == 0 && n.z == 1);
}

/* Points of very different sizes in the plane x = y, whose differences are not doubles. */
TEST(exact_side_of_mixed_sizes)
{
	uint64_t state = 14;
	for (int round = 0; round < 2000; ++round) {
		v3 p[4];
		for (int i = 0; i < 4; ++i) {
			double size = ldexp(1, -(int)(cn_random_u64(&state) % 80)), t = cn_random_signed(&state) * size;
			p[i] = v3_make(t, t, cn_random_signed(&state));
		}
		double along = cn_plane_through(p[0], p[1], p[2]).normal.x;
		CHECK_INT(side(p[0], p[1], p[2], p[3]), 0);
		p[3].x = nextafter(p[3].x, 2);
		CHECK_INT(side(p[0], p[1], p[2], p[3]), (along > 0) - (along < 0));
		CHECK_INT(side(p[1], p[0], p[2], p[3]), (along < 0) - (along > 0));
	}
}

TEST_MAIN(TEST_CASE(tetrahedron_and_cube), TEST_CASE(random_clouds), TEST_CASE(lattice_clouds),
          TEST_CASE(every_point_of_a_sphere), TEST_CASE(rows_on_a_cube), TEST_CASE(rows_on_a_cube_far_away),
          TEST_CASE(runs_on_edges), TEST_CASE(needles_and_plates), TEST_CASE(far_clouds), TEST_CASE(nearly_coincident),
          TEST_CASE(noisy_planes), TEST_CASE(flat_input), TEST_CASE(extreme_numbers), TEST_CASE(memory_runs_out),
          TEST_CASE(same_bits), TEST_CASE(exact_side_of_integers), TEST_CASE(exact_side_of_mixed_sizes))
