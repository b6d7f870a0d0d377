/* Polytopes of hulls and of primitives: every promise of polytope.h (sound_polytope.h), and the faces that are known
 * beforehand. */
#include "ledger.h"
#include "random.h"
#include "sound_polytope.h"
#include "test.h"

#include "base/hash.h"
#include "geom/hull.h"
#include "geom/mass.h"
#include "geom/tolerance.h"

enum { ROUNDS = TEST_FEW ? 40 : 400 };

enum { MOST = 10000 };

static v3 cloud[MOST];

typedef struct made {
	cn_polytope polytope;
	uint32_t *triangles, triangle_count;
	double t;
	bool ok;
} made;

static double rounding_of(const v3 *points, uint32_t count)
{
	double most = 0;
	for (uint32_t i = 0; i < count; ++i)
		most = fmax(most, v3_max(v3_abs(points[i])));
	return CN_HULL_ULPS * DBL_EPSILON * most;
}

/* The polytope of the first points of the cloud about their centre of mass, checked. */
static made make(uint32_t count)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error = {0};
	made m = {.t = rounding_of(cloud, count)};
	m.ok = cn_hull_build(&allocator, cloud, count, &m.triangles, &m.triangle_count, &error);
	CHECK(m.ok);
	if (!m.ok)
		return m;
	v3 center = cn_mass_solid(cloud, m.triangles, m.triangle_count).center;
	m.ok =
		cn_polytope_hull(&allocator, &(cn_triangles){cloud, count, m.triangles, m.triangle_count}, center, &m.polytope);
	CHECK(m.ok);
	if (!m.ok)
		return m;
	const cn_polytope *p = &m.polytope;
	const char *fault = polytope_fault(p, m.t, 1 + p->face_count / 2000);
	CHECK_TEXT(fault ? fault : "", "");
	for (uint32_t v = 0; v < p->vertex_count; ++v) {
		v3 wanted = v3_sub(cloud[p->sources[v]], center);
		CHECK(memcmp(&p->vertices[v], &wanted, sizeof wanted) == 0 && (v == 0 || p->sources[v] > p->sources[v - 1]));
	}
	return m;
}

static void drop(made *m)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_free(&allocator, m->triangles, (size_t)m->triangle_count * 3, sizeof *m->triangles);
	cn_polytope_free(&allocator, &m->polytope);
}

static void check_counts(uint32_t points, uint32_t vertices, uint32_t edges, uint32_t faces)
{
	made m = make(points);
	CHECK_INT(m.polytope.vertex_count, vertices);
	CHECK_INT(m.polytope.edge_count, edges);
	CHECK_INT(m.polytope.face_count, faces);
	drop(&m);
}

/* The farthest a point of the cloud is above a face, in units of the hull's rounding. */
static double outside(const made *m, uint32_t count)
{
	const cn_polytope *p = &m->polytope;
	v3 shift = v3_sub(cloud[p->sources[0]], p->vertices[0]);
	double most = -INFINITY;
	for (uint32_t f = 0; f < p->face_count; ++f)
		for (uint32_t i = 0; i < count; ++i)
			most = fmax(most, v3_dot(p->normals[f], v3_sub(cloud[i], shift)) - p->offsets[f]);
	return most / m->t;
}

static void place(uint32_t n, quat turn, v3 stretch, v3 move)
{
	for (uint32_t i = 0; i < n; ++i)
		cloud[i] = v3_add(q_rotate(turn, v3_mul(cloud[i], stretch)), move);
}

/* Rows of points on the faces of a cube. */
static uint32_t fill_cube(uint32_t side)
{
	uint32_t n = 0;
	for (uint32_t x = 0; x <= side; ++x)
		for (uint32_t y = 0; y <= side; ++y)
			for (uint32_t z = 0; z <= side; ++z)
				if (x % side == 0 || y % side == 0 || z % side == 0)
					cloud[n++] = v3_make(2.0 * x / side - 1, 2.0 * y / side - 1, 2.0 * z / side - 1);
	return n;
}

static uint32_t fill_prism(uint32_t sides, double height)
{
	for (uint32_t i = 0; i < sides; ++i) {
		double s, c;
		cn_sincos(2 * CN_PI * i / sides, &s, &c);
		cloud[2 * i] = v3_make(c, s, -height);
		cloud[2 * i + 1] = v3_make(c, s, height);
	}
	return 2 * sides;
}

TEST(box_by_hand)
{
	for (uint32_t i = 0; i < 8; ++i)
		cloud[i] = v3_make(i & 1 ? 3 : 1, i & 2 ? 4 : 0, i & 4 ? 8 : 2);
	made m = make(8);
	const cn_polytope *p = &m.polytope;
	REQUIRE(m.ok && p->vertex_count == 8 && p->edge_count == 12 && p->face_count == 6);
	cairn_allocator allocator = cairn_default_allocator();
	cn_polytope box;
	REQUIRE(cn_polytope_box(&allocator, v3_make(1, 2, 3), &box));
	CHECK(polytope_fault(&box, 1e-15, 1) == NULL);
	CHECK(memcmp(p->vertices, box.vertices, 8 * sizeof *box.vertices) == 0);
	CHECK(memcmp(p->directions, box.directions, 12 * sizeof *box.directions) == 0);
	for (uint32_t i = 0; i < 12; ++i)
		CHECK(p->edges[i].tail == box.edges[i].tail && p->edges[i].head == box.edges[i].head);
	for (uint32_t f = 0; f < 6; ++f) { /* the same six, perhaps in another order */
		uint32_t same = 0;
		for (uint32_t g = 0; g < 6; ++g)
			same += memcmp(&p->loop[4 * f], &box.loop[4 * g], 4 * sizeof *box.loop) == 0 &&
			        p->offsets[f] == box.offsets[g] && v3_length(v3_sub(p->normals[f], box.normals[g])) == 0;
		CHECK_INT(same, 1);
	}
	cn_polytope_free(&allocator, &box);
	drop(&m);
}

TEST(primitives)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_polytope point, segment;
	REQUIRE(cn_polytope_point(&allocator, &point) && cn_polytope_segment(&allocator, 2.5, &segment));
	CHECK(point.vertex_count == 1 && point.edge_count == 0 && point.face_count == 0 && point.radius == 0);
	CHECK(segment.vertex_count == 2 && segment.edge_count == 1 && segment.face_count == 0 && segment.radius == 2.5);
	CHECK(segment.vertices[0].z == -2.5 && segment.vertices[1].z == 2.5 && segment.directions[0].z == 1);
	CHECK(cn_polytope_furthest(&segment, v3_make(1, 0, 0.1)) == 1);
	CHECK(cn_polytope_climb(&segment, v3_make(1, 0, 0.1), 0) == 1);
	CHECK(cn_polytope_furthest(&point, v3_make(1, 0, 0)) == 0 && cn_polytope_climb(&point, v3_make(1, 0, 0), 7) == 0);
	cn_polytope_free(&allocator, &point);
	cn_polytope_free(&allocator, &segment);
	CHECK(point.vertices == NULL && segment.vertex_count == 0);
}

TEST(platonic_solids)
{
	const double g = (1 + sqrt(5)) / 2;
	uint64_t state = 20;
	for (int round = 0; round < 40; ++round) {
		for (uint32_t i = 0; i < 4; ++i)
			cloud[i] = v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i == 0 || i == 3 ? 1 : -1);
		place(4, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		check_counts(4, 4, 6, 4);
		for (uint32_t i = 0; i < 6; ++i)
			cloud[i] = v3_make(i / 2 == 0 ? 1 : 0, i / 2 == 1 ? 1 : 0, i / 2 == 2 ? 1 : 0),
			cloud[i] = i & 1 ? v3_neg(cloud[i]) : cloud[i];
		place(6, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		check_counts(6, 6, 12, 8);
		uint32_t n = 0; /* icosahedron */
		for (int i = 0; i < 4; ++i) {
			double a = i & 1 ? 1 : -1, b = i & 2 ? g : -g;
			cloud[n++] = v3_make(0, a, b);
			cloud[n++] = v3_make(a, b, 0);
			cloud[n++] = v3_make(b, 0, a);
		}
		place(12, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		check_counts(12, 12, 30, 20);
		n = 0; /* dodecahedron: pentagons */
		for (int i = 0; i < 8; ++i)
			cloud[n++] = v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
		for (int i = 0; i < 4; ++i) {
			double a = i & 1 ? 1 / g : -1 / g, b = i & 2 ? g : -g;
			cloud[n++] = v3_make(0, a, b);
			cloud[n++] = v3_make(a, b, 0);
			cloud[n++] = v3_make(b, 0, a);
		}
		place(20, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		check_counts(20, 20, 30, 12);
	}
}

TEST(cubes_with_rows)
{
	uint64_t state = 21;
	static const double scales[] = {1, 1e-6, 1e6};
	for (uint32_t round = 0; round < 60; ++round) {
		uint32_t n = fill_cube(1 + round % 9);
		double s = scales[round % 3];
		v3 move = round % 4 ? v3_zero() : v3_scale(random_in_cube(&state), s * 100);
		place(n, round % 5 ? random_turn(&state) : q_identity(), v3_make(s, s, s), move);
		check_counts(n, 8, 12, 6);
	}
}

/* Plates and needles with size ratios of 1e5, and small boxes far away. */
TEST(badly_scaled_boxes)
{
	uint64_t state = 22;
	static const v3 stretches[] = {{1, 1, 1e-5}, {1, 1e-5, 1e-5}, {1, 1e-2, 1e-5}, {1e5, 1, 1}, {1e5, 1e5, 1}};
	for (uint32_t round = 0; round < 100; ++round) {
		uint32_t n = fill_cube(1 + round % 3);
		place(n, random_turn(&state), stretches[round % 5], v3_zero());
		check_counts(n, 8, 12, 6);
		n = fill_cube(1 + round % 3);
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_scale(random_on_sphere(&state), 1e5));
		check_counts(n, 8, 12, 6);
	}
}

TEST(prisms)
{
	uint64_t state = 23;
	static const uint32_t sides[] = {3, 4, 5, 8, 64, 64, 100, 256};
	for (uint32_t round = 0; round < 80; ++round) {
		uint32_t k = sides[round % 8], n = fill_prism(k, round % 3 ? 0.7 : 1e-3);
		v3 move = round % 4 == 3 ? v3_scale(random_in_cube(&state), 50) : v3_zero();
		if (round >= 8)
			place(n, random_turn(&state), v3_make(1, 1, 1), move);
		check_counts(n, 2 * k, 3 * k, k + 2);
	}
	uint32_t n = fill_prism(1000, 0.5); /* two faces of 1000 corners */
	place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
	check_counts(n, 2000, 3000, 1002);
}

/* A pyramid: its base is one face, its apex a vertex of many edges. */
TEST(pyramids)
{
	uint64_t state = 24;
	for (uint32_t round = 0; round < 40; ++round) {
		uint32_t k = 3 + round * 7;
		fill_prism(k, 0);
		for (uint32_t i = 0; i < k; ++i)
			cloud[i] = cloud[2 * i];
		cloud[k] = v3_make(0.2, 0.1, 1);
		place(k + 1, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		check_counts(k + 1, k + 1, 2 * k, k + 1);
	}
}

/* The faces of an octahedron, each cut into n^2 triangles, put on a sphere; then left flat, where eight come out. */
TEST(geodesic)
{
	uint64_t state = 25;
	for (uint32_t n = 2; n <= 12; n += 5)
		for (int flat = 0; flat < 2; ++flat) {
			uint32_t count = 0;
			int side = (int)n;
			for (int x = -side; x <= side; ++x)
				for (int y = -side; y <= side; ++y)
					for (int up = -1; up <= 1; up += 2) {
						int z = side - abs(x) - abs(y);
						if (z < 0 || (z == 0 && up > 0))
							continue;
						v3 p = v3_scale(v3_make(x, y, up * z), 1.0 / side);
						cloud[count++] = flat ? p : v3_unit(p);
					}
			place(count, random_turn(&state), v3_make(1, 1, 1), v3_zero());
			made m = make(count);
			CHECK_INT(m.polytope.vertex_count, flat ? 6 : 4 * n * n + 2);
			if (flat)
				CHECK_INT(m.polytope.face_count, 8);
			drop(&m);
		}
}

TEST(random_clouds)
{
	uint64_t state = 26;
	for (uint32_t round = 0; round < ROUNDS; ++round) {
		uint32_t n = 4 + (uint32_t)(cn_random_u64(&state) % 200);
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = round % 2 ? random_in_cube(&state) : random_on_sphere(&state);
		made m = make(n);
		CHECK_INT(m.polytope.face_count, m.triangle_count); /* nothing is in a plane by chance */
		CHECK(outside(&m, n) <= 1.1);
		drop(&m);
	}
}

/* Small integers: faces of many corners, all of them exactly flat. Two triangles are in one face if and only if they
 * have the same normal, which integers tell. */
TEST(lattice_clouds)
{
	uint64_t state = 27;
	for (uint32_t round = 0; round < ROUNDS; ++round) {
		uint32_t n = 20 + (uint32_t)(cn_random_u64(&state) % 100), side = 2 + round % 6;
		for (uint32_t i = 0; i < n; ++i) {
			double x = (double)(cn_random_u64(&state) % side), y = (double)(cn_random_u64(&state) % side);
			double z = (double)(cn_random_u64(&state) % side);
			cloud[i] = v3_make(x, y, z);
		}
		made m = make(n);
		uint32_t planes = 0;
		for (uint32_t i = 0; i < m.triangle_count; ++i) {
			bool first = true;
			v3 normals[2];
			for (uint32_t k = 0; k <= i && first; ++k)
				for (uint32_t both = 0; both < 2; ++both) {
					const uint32_t *t = &m.triangles[3 * (both ? k : i)];
					normals[both] = v3_cross(v3_sub(cloud[t[1]], cloud[t[0]]), v3_sub(cloud[t[2]], cloud[t[0]]));
					if (both && k < i)
						first = v3_length2(v3_cross(normals[0], normals[1])) != 0 || v3_dot(normals[0], normals[1]) < 0;
				}
			planes += first;
		}
		CHECK_INT(m.polytope.face_count, planes);
		CHECK(outside(&m, n) <= 0.1);
		drop(&m);
	}
}

/* Rows on a cube with noise: far below the hull's rounding there are six faces; near it any number, but sound. */
TEST(jittered_cubes)
{
	uint64_t state = 28;
	for (uint32_t round = 0; round < ROUNDS; ++round) {
		uint32_t n = fill_cube(1 + round % 6);
		int power = (int)(round % 14) - 8;
		double noise = CN_HULL_ULPS * DBL_EPSILON * ldexp(1, power);
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = v3_madd(cloud[i], random_in_cube(&state), noise);
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		made m = make(n);
		if (power <= -3) {
			CHECK_INT(m.polytope.face_count, 6);
			CHECK_INT(m.polytope.vertex_count, 8);
		}
		CHECK(outside(&m, n) <= 3.1);
		drop(&m);
	}
}

/* Bodies hardly thicker than the rounding, clusters of nearly equal points, runs of points on edges. */
TEST(near_degenerate)
{
	uint64_t state = 29;
	double worst = 0;
	for (uint32_t round = 0; round < ROUNDS; ++round) {
		uint32_t n = 8 + (uint32_t)(cn_random_u64(&state) % 60);
		double thin = DBL_EPSILON * CN_HULL_ULPS * ldexp(1, (int)(round % 12) + 2);
		for (uint32_t i = 0; i < n; ++i)
			cloud[i] = random_in_cube(&state);
		place(n, random_turn(&state), round % 2 ? v3_make(1, 1, thin) : v3_make(1, thin, thin), v3_zero());
		made m = make(n);
		worst = fmax(worst, m.ok ? outside(&m, n) : 0);
		drop(&m);
		for (uint32_t i = 0; i < 8; ++i)
			for (uint32_t k = 0; k < 12; ++k)
				cloud[12 * i + k] =
					v3_madd(v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1), random_in_cube(&state), thin);
		place(96, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		m = make(96);
		worst = fmax(worst, m.ok ? outside(&m, 96) : 0);
		drop(&m);
		n = 0;
		for (uint32_t i = 0; i < 8; ++i)
			for (uint32_t bit = 1; bit < 8; bit *= 2)
				for (uint32_t k = 0; k < 20 && !(i & bit); ++k) {
					v3 a = v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
					v3 b = v3_make((i | bit) & 1 ? 1 : -1, (i | bit) & 2 ? 1 : -1, (i | bit) & 4 ? 1 : -1);
					cloud[n++] = v3_madd(v3_lerp(a, b, k / 19.0), random_in_cube(&state), thin / 64);
				}
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		m = make(n);
		worst = fmax(worst, m.ok ? outside(&m, n) : 0);
		drop(&m);
	}
	CHECK(worst <= 3.1);
}

/* Rounded plates: a rim of very small faces around two large ones. */
TEST(size_ratios_of_1e5)
{
	uint64_t state = 30;
	for (uint32_t round = 0; round < ROUNDS / 4; ++round) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < 8; ++i)
			for (uint32_t k = 0; k < 30; ++k)
				cloud[n++] =
					v3_madd(v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1), random_on_sphere(&state), 1e-5);
		place(n, random_turn(&state), v3_make(1, 1, round % 2 ? 1 : 1e-3), v3_zero());
		made m = make(n);
		CHECK(outside(&m, n) <= 1.1);
		drop(&m);
	}
}

TEST(every_point_of_a_sphere)
{
	uint64_t state = 31;
	for (uint32_t i = 0; i < MOST; ++i)
		cloud[i] = random_on_sphere(&state);
	check_counts(MOST, MOST, 3 * MOST - 6, 2 * MOST - 4);
}

/* From any vertex, along any direction, along normals of faces and nearly so. */
static void check_climbs(const made *m, uint64_t *state, uint32_t count)
{
	const cn_polytope *p = &m->polytope;
	for (uint32_t i = 0; i < count; ++i) {
		v3 d = random_on_sphere(state), off = random_in_cube(state);
		if (i % 2)
			d = p->normals[cn_random_u64(state) % p->face_count];
		if (i % 4 == 3)
			d = v3_unit(v3_madd(d, off, 1e-9));
		uint32_t best = 0, from = (uint32_t)(cn_random_u64(state) % p->vertex_count);
		for (uint32_t v = 1; v < p->vertex_count; ++v)
			if (v3_dot(p->vertices[v], d) > v3_dot(p->vertices[best], d))
				best = v;
		CHECK_INT(cn_polytope_furthest(p, d), best);
		uint32_t end = cn_polytope_climb(p, d, from);
		CHECK_NEAR(v3_dot(p->vertices[end], d), v3_dot(p->vertices[best], d), m->t);
	}
}

TEST(furthest_and_climb)
{
	uint64_t state = 32;
	for (uint32_t round = 0; round < 50; ++round) {
		uint32_t n = round % 2 ? fill_prism(40, 0.5) : 200;
		for (uint32_t i = 0; i < n && !(round % 2); ++i)
			cloud[i] = random_on_sphere(&state);
		place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
		made m = make(n);
		CHECK(!m.polytope.crowded);
		check_climbs(&m, &state, 200);
		drop(&m);
	}
}

/* Corners that are many points in a small ball: of some size all the way down to the rounding. */
TEST(climbing_among_crowds)
{
	uint64_t state = 35;
	for (uint32_t round = 0; round < 48; ++round) {
		double size = pow(10, -3 - (int)(round % 12));
		for (uint32_t i = 0; i < 8; ++i)
			for (uint32_t k = 0; k < 20; ++k)
				cloud[20 * i + k] =
					v3_madd(v3_make(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1), random_on_sphere(&state), size);
		v3 move = random_in_cube(&state);
		place(160, random_turn(&state), v3_make(1, 1, 1), move);
		made m = make(160);
		if (round % 12 >= 3 && m.polytope.vertex_count > 8)
			CHECK(m.polytope.crowded);
		check_climbs(&m, &state, 200);
		drop(&m);
	}
}

TEST(memory_runs_out)
{
	uint64_t state = 33;
	uint32_t n = fill_prism(20, 1), *triangles, count;
	cairn_allocator plain = cairn_default_allocator();
	cairn_error error;
	place(n, random_turn(&state), v3_make(1, 1, 1), v3_zero());
	REQUIRE(cn_hull_build(&plain, cloud, n, &triangles, &count, &error));
	bool ok = false;
	size_t fail_at = 1;
	for (; !ok && fail_at < 100; ++fail_at) {
		ledger book = {.fail_at = fail_at};
		cairn_allocator allocator = {&book, ledger_resize};
		cn_polytope p;
		ok = cn_polytope_hull(&allocator, &(cn_triangles){cloud, n, triangles, count}, v3_zero(), &p);
		if (ok)
			cn_polytope_free(&allocator, &p);
		CHECK_INT(book.bytes, 0);
	}
	CHECK(ok && fail_at > 10);
	cn_free(&plain, triangles, (size_t)count * 3, sizeof *triangles);
}

TEST(same_bits)
{
	uint64_t state = 34;
	uint32_t n = fill_cube(5);
	for (uint32_t i = 0; i < n; ++i)
		cloud[i] = v3_madd(cloud[i], random_in_cube(&state), CN_HULL_ULPS * DBL_EPSILON);
	made a = make(n), b = make(n);
	REQUIRE(a.ok && b.ok && a.polytope.edge_count == b.polytope.edge_count);
	REQUIRE(a.polytope.face_count == b.polytope.face_count);
	CHECK(memcmp(a.polytope.normals, b.polytope.normals, a.polytope.face_count * sizeof *a.polytope.normals) == 0);
	CHECK(memcmp(a.polytope.offsets, b.polytope.offsets, a.polytope.face_count * sizeof *a.polytope.offsets) == 0);
	CHECK(memcmp(a.polytope.edges, b.polytope.edges, a.polytope.edge_count * sizeof *a.polytope.edges) == 0);
	CHECK(memcmp(a.polytope.loop, b.polytope.loop, 2 * a.polytope.edge_count * sizeof *a.polytope.loop) == 0);
	drop(&a);
	drop(&b);
}

TEST_MAIN(TEST_CASE(box_by_hand), TEST_CASE(primitives), TEST_CASE(platonic_solids), TEST_CASE(cubes_with_rows),
          TEST_CASE(badly_scaled_boxes), TEST_CASE(prisms), TEST_CASE(pyramids), TEST_CASE(geodesic),
          TEST_CASE(random_clouds), TEST_CASE(lattice_clouds), TEST_CASE(jittered_cubes), TEST_CASE(near_degenerate),
          TEST_CASE(size_ratios_of_1e5), TEST_CASE(every_point_of_a_sphere), TEST_CASE(furthest_and_climb),
          TEST_CASE(climbing_among_crowds), TEST_CASE(memory_runs_out), TEST_CASE(same_bits))
