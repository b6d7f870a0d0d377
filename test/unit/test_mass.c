/* Mass properties: closed forms, integrals worked by hand, and one against the other. */
#include "test.h"

#include "base/hash.h"
#include "geom/mass.h"

static double largest(m3 a)
{
	double most = 0;
	for (int i = 0; i < 3; ++i)
		for (int j = 0; j < 3; ++j)
			most = fmax(most, fabs(a.m[i][j]));
	return most;
}

static double difference(m3 a, m3 b) { return largest(m3_add(a, m3_scale(b, -1))); }

/* error is relative to the volume, the inertia and the size. */
static void check_same(cn_mass found, cn_mass wanted, double size, double error)
{
	CHECK_NEAR(found.volume, wanted.volume, error * wanted.volume);
	CHECK_NEAR(v3_distance(found.center, wanted.center), 0, error * size);
	CHECK_NEAR(difference(found.inertia, wanted.inertia), 0, error * largest(wanted.inertia));
}

static m3 symmetric(double xx, double yy, double zz, double xy, double xz, double yz)
{
	return (m3){{{xx, xy, xz}, {xy, yy, yz}, {xz, yz, zz}}};
}

static v3 random_vector(uint64_t *state)
{
	double x = cn_random_signed(state), y = cn_random_signed(state), z = cn_random_signed(state);
	return v3_make(x, y, z);
}

static quat random_turn(uint64_t *state) { return q_exp(v3_scale(random_vector(state), 3)); }

enum { BOX_TRIANGLES = 12 };

/* Corner i is on the far side along x, y, z where bits 0, 1, 2 of i are set. */
static const uint32_t box_triangles[] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                         2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};

static void box_points(v3 *points, v3 size, pose at)
{
	for (int i = 0; i < 8; ++i)
		points[i] = pose_apply(at, v3_mul(size, v3_make(i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5)));
}

/* About (0,0,0), (1,0,0), (0,1,0), (0,0,1): integrals of x^2 and xy over the simplex are 1/60 and 1/120, so about the
 * centre (1/4, 1/4, 1/4): Ixx = 2/60 - 2/96 = 1/80 and Ixy = -(1/120 - 1/96) = 1/480. */
TEST(tetrahedron)
{
	const v3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	const uint32_t triangles[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
	double d = 1.0 / 80, p = 1.0 / 480;
	cn_mass wanted = {1.0 / 6, {0.25, 0.25, 0.25}, symmetric(d, d, d, p, p, p)};
	check_same(cn_mass_solid(points, triangles, 4), wanted, 1, 1e-15);
}

TEST(closed_forms)
{
	cn_mass ball = cn_mass_sphere(2), box = cn_mass_box(v3_make(1, 2, 3));
	CHECK_NEAR(ball.volume, 32.0 / 3 * CN_PI, 1e-14);
	CHECK_NEAR(ball.inertia.m[1][1], 0.4 * ball.volume * 4, 1e-13);
	CHECK_NEAR(box.volume, 6, 0);
	check_same(box, (cn_mass){6, {0, 0, 0}, symmetric(6.5, 5, 2.5, 0, 0, 0)}, 1, 1e-15);
	cn_mass rod = cn_mass_cylinder(2, 6);
	check_same(rod, (cn_mass){24 * CN_PI, {0, 0, 0}, symmetric(96 * CN_PI, 96 * CN_PI, 48 * CN_PI, 0, 0, 0)}, 1, 1e-15);
}

/* Two half balls and a cylinder put together by the parallel axis theorem. A half ball of radius 1 has volume 2/3 pi,
 * its centre 3/8 from the flat side and the moments 83/320 m across and 2/5 m along. */
TEST(capsule_from_pieces)
{
	cn_mass half = {2.0 / 3 * CN_PI, {0, 0, 0.375}, {{{0}}}};
	half.inertia = m3_scale(symmetric(83.0 / 320, 83.0 / 320, 0.4, 0, 0, 0), half.volume);
	cn_mass sum = cn_mass_cylinder(1, 3);
	sum = cn_mass_combine(sum, half, (pose){{0, 0, 1.5}, {1, 0, 0, 0}});
	sum = cn_mass_combine(sum, half, (pose){{0, 0, -1.5}, {0, 1, 0, 0}});
	check_same(cn_mass_capsule(1, 3), sum, 1, 1e-14);
}

TEST(box_as_a_mesh_anywhere)
{
	uint64_t state = 1;
	for (int round = 0; round < 50; ++round) {
		v3 size = v3_add(v3_abs(random_vector(&state)), v3_make(0.1, 0.1, 0.1)), points[8];
		pose at = {v3_scale(random_vector(&state), 10), random_turn(&state)};
		box_points(points, size, at);
		cn_mass wanted = cn_mass_combine((cn_mass){0}, cn_mass_box(size), at);
		check_same(cn_mass_solid(points, box_triangles, BOX_TRIANGLES), wanted, 10, 2e-13);
	}
}

/* A thousand kilometres out the corners are rounded to 1e-10, and only that may show. */
TEST(far_from_the_origin)
{
	v3 points[8];
	box_points(points, v3_make(1, 1, 1), (pose){{1e6, -1e6, 1e6}, q_exp(v3_make(0.3, 0.2, 0.1))});
	cn_mass found = cn_mass_solid(points, box_triangles, BOX_TRIANGLES);
	CHECK_NEAR(found.volume, 1, 1e-9);
	CHECK_NEAR(difference(found.inertia, cn_mass_box(v3_make(1, 1, 1)).inertia), 0, 1e-9);
}

TEST(needles_keep_their_volume)
{
	uint64_t state = 2;
	for (int round = 0; round < 50; ++round) {
		v3 points[8];
		box_points(points, v3_make(1, 1e-6, 1e-6), (pose){{0, 0, 0}, random_turn(&state)});
		CHECK_NEAR(cn_mass_solid(points, box_triangles, BOX_TRIANGLES).volume, 1e-12, 1e-21);
	}
}

/* An L of three unit cubes in the plane z in [0, 1]: (0..2) x (0..1) and (0..1) x (1..2). Seen from its mean corner some
 * tetrahedra are negative. By hand: volume 3, centre (5/6, 5/6, 1/2); about it Ixx = Iyy = 3/6 + sum of squares. */
TEST(concave_l)
{
	const v3 points[] = {{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0},
	                     {0, 0, 1}, {2, 0, 1}, {2, 1, 1}, {1, 1, 1}, {1, 2, 1}, {0, 2, 1}};
	uint32_t triangles[20 * 3], n = 0;
	static const uint32_t floor_triangles[] = {0, 3, 1, 1, 3, 2, 0, 5, 3, 3, 5, 4};
	for (int i = 0; i < 12; i += 3) {
		for (int k = 0; k < 3; ++k)
			triangles[n++] = floor_triangles[i + k];
		for (int k = 0; k < 3; ++k)
			triangles[n++] = floor_triangles[i + 2 - k] + 6;
	}
	for (uint32_t i = 0; i < 6; ++i) {
		uint32_t next = (i + 1) % 6, wall[6] = {i, next, next + 6, i, next + 6, i + 6};
		for (int k = 0; k < 6; ++k)
			triangles[n++] = wall[k];
	}
	REQUIRE(n == CN_COUNT(triangles));
	cn_mass found = cn_mass_solid(points, triangles, 20);
	/* squares of the cubes' offsets from the centre: (1/3)^2 + (1/3)^2 + (2/3)^2 = 2/3 along each of x and y; products
	 * (1/3)(1/3) - 2 (1/3)(2/3) = -1/3 */
	double across = 3.0 / 6 + 2.0 / 3;
	cn_mass wanted = {3, {5.0 / 6, 5.0 / 6, 0.5}, symmetric(across, across, 0.5 + 4.0 / 3, 1.0 / 3, 0, 0)};
	check_same(found, wanted, 2, 1e-15);
}

/* A cavity is a surface turned inward: what is inside it counts negative. */
TEST(box_with_a_cavity)
{
	v3 points[16];
	uint32_t triangles[BOX_TRIANGLES * 6];
	box_points(points, v3_make(4, 4, 4), pose_identity());
	box_points(points + 8, v3_make(2, 2, 2), (pose){{0.5, 0, 0}, {1, 0, 0, 0}});
	for (uint32_t i = 0; i < BOX_TRIANGLES * 3; ++i) {
		triangles[i] = box_triangles[i];
		triangles[BOX_TRIANGLES * 3 + i] = box_triangles[i / 3 * 3 + 2 - i % 3] + 8;
	}
	cn_mass found = cn_mass_solid(points, triangles, BOX_TRIANGLES * 2);
	CHECK_NEAR(found.volume, 56, 1e-13);
	CHECK_NEAR(found.center.x, -8 * 0.5 / 56, 1e-15);
	/* Ixx: 64 x 32/12 - 8 x 8/12; Iyy also loses the cavity's offset and the shift of the centre */
	double xx = 64 * 32.0 / 12 - 8 * 8.0 / 12, shift = 4.0 / 56;
	CHECK_NEAR(found.inertia.m[0][0], xx, 1e-12);
	CHECK_NEAR(found.inertia.m[1][1], xx - 8 * 0.25 - 56 * shift * shift, 1e-12);
}

/* The skin of a cube of edge 2: area 24; two faces across each axis at distance 1, each 4 (1/3) in its own plane:
 * integral of x^2 = 2 x 4 x 1 + 4 x 4/3 = 40/3, so each moment is 80/3. */
TEST(hollow_box)
{
	v3 points[8];
	pose at = {{3, 4, 5}, {1, 0, 0, 0}};
	box_points(points, v3_make(2, 2, 2), at);
	double moment = 80.0 / 3;
	cn_mass wanted = {24, {3, 4, 5}, symmetric(moment, moment, moment, 0, 0, 0)};
	check_same(cn_mass_skin(points, box_triangles, BOX_TRIANGLES), wanted, 5, 1e-14);
	/* one unit square in the plane z = 0: moments 1/12, 1/12, 1/6 */
	const v3 square[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
	const uint32_t halves[] = {0, 1, 2, 0, 2, 3};
	cn_mass sheet = {1, {0.5, 0.5, 0}, symmetric(1.0 / 12, 1.0 / 12, 1.0 / 6, 0, 0, 0)};
	check_same(cn_mass_skin(square, halves, 2), sheet, 1, 1e-15);
}

TEST(two_boxes_are_one)
{
	uint64_t state = 3;
	for (int round = 0; round < 50; ++round) {
		quat turn = random_turn(&state);
		v3 move = random_vector(&state), arm = q_rotate(turn, v3_make(1, 0, 0));
		cn_mass half = cn_mass_box(v3_make(2, 1, 3)), sum = {0};
		sum = cn_mass_combine(sum, half, (pose){v3_add(move, arm), turn});
		sum = cn_mass_combine(sum, half, (pose){v3_sub(move, arm), turn});
		cn_mass wanted = cn_mass_combine((cn_mass){0}, cn_mass_box(v3_make(4, 1, 3)), (pose){move, turn});
		check_same(sum, wanted, 4, 1e-14);
		for (int i = 0; i < 3; ++i)
			for (int j = 0; j < 3; ++j)
				CHECK(sum.inertia.m[i][j] == sum.inertia.m[j][i]);
	}
}

TEST(open_edges)
{
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error;
	uint32_t a, b, triangles[BOX_TRIANGLES * 3];
	CHECK(!cn_mesh_open_edge(&allocator, box_triangles, BOX_TRIANGLES, &a, &b, &error));
	CHECK(!cn_mesh_open_edge(&allocator, box_triangles, 0, &a, &b, &error));
	CHECK(cn_mesh_open_edge(&allocator, box_triangles, BOX_TRIANGLES - 1, &a, &b, &error)); /* lacks 4, 7, 6 */
	CHECK_INT(error.code, CAIRN_OK);
	CHECK((a == 4 && b == 6) || (a == 6 && b == 7) || (a == 7 && b == 4) || (a == 6 && b == 4) || (a == 7 && b == 6) ||
	      (a == 4 && b == 7));
	for (uint32_t turned = 0; turned < BOX_TRIANGLES; ++turned) { /* any one turned round, doubled or degenerate */
		memcpy(triangles, box_triangles, sizeof box_triangles);
		uint32_t *t = &triangles[turned * 3];
		t[0] = box_triangles[turned * 3 + 1], t[1] = box_triangles[turned * 3];
		CHECK(cn_mesh_open_edge(&allocator, triangles, BOX_TRIANGLES, &a, &b, &error));
		CHECK((a == t[0] || a == t[1] || a == t[2]) && (b == t[0] || b == t[1] || b == t[2]) && a != b);
		memcpy(t, &box_triangles[(turned + 1) % BOX_TRIANGLES * 3], 3 * sizeof *t);
		CHECK(cn_mesh_open_edge(&allocator, triangles, BOX_TRIANGLES, &a, &b, &error));
		t[0] = t[1];
		CHECK(cn_mesh_open_edge(&allocator, triangles, BOX_TRIANGLES, &a, &b, &error));
	}
}

static void check_principal(m3 inertia, double error)
{
	v3 moments;
	quat axes;
	cn_principal(inertia, &moments, &axes);
	m3 r = m3_from_q(axes), back = m3_mul(m3_mul(r, m3_diagonal(moments)), m3_transpose(r));
	CHECK_NEAR(difference(back, inertia), 0, error * largest(inertia));
	CHECK_NEAR(q_dot(axes, axes), 1, 4 * DBL_EPSILON);
}

static m3 turned(v3 moments, quat q)
{
	m3 r = m3_from_q(q), t = m3_mul(m3_mul(r, m3_diagonal(moments)), m3_transpose(r));
	return symmetric(t.m[0][0], t.m[1][1], t.m[2][2], t.m[0][1], t.m[0][2], t.m[1][2]);
}

TEST(principal_axes)
{
	uint64_t state = 4;
	for (int round = 0; round < 2000; ++round) {
		v3 moments = v3_abs(random_vector(&state)), found;
		quat axes;
		if (round % 4 == 1)
			moments.y = moments.x;
		if (round % 4 == 2)
			moments.y = moments.x * (1 + 1e-13), moments.z = moments.x;
		if (round % 4 == 3)
			moments = v3_scale(v3_make(moments.x * 1e-10, moments.y, moments.z), round % 8 == 3 ? 1e-40 : 1e40);
		m3 inertia = turned(moments, random_turn(&state));
		check_principal(inertia, 1e-14);
		cn_principal(inertia, &found, &axes);
		CHECK_NEAR(v3_max(found), v3_max(moments), 1e-14 * v3_max(moments));
		CHECK_NEAR(v3_min(found), v3_min(moments), 1e-14 * v3_max(moments));
	}
	check_principal(symmetric(1, 1, 1, 0.5, 0.5, 0.5), 1e-14);
	check_principal(symmetric(0, 0, 0, 1, 0, 0), 1e-14);
}

static v3 sorted(v3 m)
{
	double low = v3_min(m), high = v3_max(m);
	return v3_make(low, m.x + m.y + m.z - low - high, high);
}

/* Moments that are equal, nearly equal by every power of ten, or far apart, at every size a scene can have: all three
 * are found, and the axes make the matrix diagonal. */
TEST(principal_axes_hard)
{
	uint64_t state = 6;
	for (int round = 0; round < 4000; ++round) {
		double gap = pow(10, -(round % 18)), scale = pow(10, round % 111 - 50);
		v3 base = v3_make(1, 1 + gap, round % 3 == 0 ? 1 : round % 3 == 1 ? 1 + 2 * gap : gap);
		v3 wanted = v3_scale(base, scale), found;
		double most = v3_max(wanted);
		quat q = random_turn(&state), axes;
		if (round % 5 == 0) { /* a small turn: off-diagonals far below the rest */
			v3 little = v3_scale(random_vector(&state), pow(10, -(round % 16)));
			q = q_exp(little);
		}
		m3 inertia = turned(wanted, q);
		cn_principal(inertia, &found, &axes);
		v3 error = v3_sub(sorted(found), sorted(wanted));
		CHECK_NEAR(v3_max(v3_abs(error)), 0, 1e-14 * most);
		m3 r = m3_from_q(axes), left = m3_mul(m3_mul(m3_transpose(r), inertia), r);
		for (int i = 0; i < 3; ++i)
			CHECK_NEAR(left.m[i][(i + 1) % 3], 0, 1e-14 * most);
		CHECK_NEAR(q_dot(axes, axes), 1, 4 * DBL_EPSILON);
	}
	v3 moments;
	quat axes;
	cn_principal((m3){0}, &moments, &axes);
	CHECK(moments.x == 0 && moments.y == 0 && moments.z == 0 && axes.w == 1);
}

TEST(diagonal_stays)
{
	uint64_t state = 5;
	for (int round = 0; round < 100; ++round) {
		v3 given = random_vector(&state), moments;
		quat axes;
		cn_principal(m3_diagonal(given), &moments, &axes);
		CHECK(moments.x == given.x && moments.y == given.y && moments.z == given.z);
		CHECK(axes.w == 1 && axes.x == 0 && axes.y == 0 && axes.z == 0);
	}
}

TEST(inertia_faults)
{
	uint64_t state = 6;
	CHECK(!cn_inertia_fault(m3_diagonal(v3_make(1, 1, 1))));
	CHECK(!cn_inertia_fault(m3_diagonal(v3_make(1, 2, 3)))); /* flat: the limit */
	CHECK_HAS(cn_inertia_fault(m3_diagonal(v3_make(1, 2, 3.001))), "larger than the sum");
	CHECK_HAS(cn_inertia_fault(m3_diagonal(v3_make(1, 0, 1))), "not positive");
	CHECK_HAS(cn_inertia_fault(m3_diagonal(v3_make(1, -1, 1))), "not positive");
	CHECK_HAS(cn_inertia_fault(m3_diagonal(v3_make(1, NAN, 1))), "not a finite number");
	CHECK_HAS(cn_inertia_fault(symmetric(1, 1, 1, 0, INFINITY, 0)), "not a finite number");
	CHECK_HAS(cn_inertia_fault(symmetric(1, 1, 1, 2, 0, 0)), "not positive");
	for (int round = 0; round < 500; ++round) {
		quat turn = random_turn(&state);
		CHECK(!cn_inertia_fault(turned(v3_make(1, 2, 3), turn)));
		CHECK_HAS(cn_inertia_fault(turned(v3_make(1, 2, 3.001), turn)), "larger than the sum");
		CHECK_HAS(cn_inertia_fault(turned(v3_make(0, 1, 1), turn)), "not positive");
	}
}

TEST_MAIN(TEST_CASE(tetrahedron), TEST_CASE(closed_forms), TEST_CASE(capsule_from_pieces),
          TEST_CASE(box_as_a_mesh_anywhere), TEST_CASE(far_from_the_origin), TEST_CASE(needles_keep_their_volume),
          TEST_CASE(concave_l), TEST_CASE(box_with_a_cavity), TEST_CASE(hollow_box), TEST_CASE(two_boxes_are_one),
          TEST_CASE(open_edges), TEST_CASE(principal_axes), TEST_CASE(principal_axes_hard), TEST_CASE(diagonal_stays),
          TEST_CASE(inertia_faults))
