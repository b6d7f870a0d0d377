/* Method oba with meshes that move: solids and thin shells fall, nest, hang, roll and rest like all else, nothing passes
 * through a sheet, and every frame is certified (yard.h). */
#include "base/trig.h"
#include "hardship.h"
#include "yard.h"

static const v3 down = {0, 0, -10};

enum { MOST = 512 };

/* Points and triangles of a shape that is being made. */
typedef struct surface {
	v3 points[MOST];
	uint32_t triangles[3 * MOST], point_count, triangle_count;
} surface;

static void add_quad(surface *m, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t six[6] = {a, b, c, a, c, d};
	memcpy(&m->triangles[3 * m->triangle_count], six, sizeof six);
	m->triangle_count += 2;
}

static v3 around(double radius, uint32_t k, uint32_t n, double z)
{
	double s, c;
	cn_sincos(2 * CN_PI * k / n, &s, &c);
	return v3_make(radius * c, radius * s, z);
}

/* The wall between two circles about z of n corners. */
static void add_wall(surface *m, double r0, double z0, double r1, double z1, uint32_t n)
{
	uint32_t first = m->point_count;
	for (uint32_t k = 0; k < n; ++k) {
		m->points[m->point_count++] = around(r0, k, n, z0);
		m->points[m->point_count++] = around(r1, k, n, z1);
	}
	for (uint32_t k = 0; k < n; ++k) {
		uint32_t a = first + 2 * k, b = first + 2 * ((k + 1) % n);
		add_quad(m, a, b, b + 1, a + 1);
	}
}

static void add_cup(surface *m, double r0, double r1, double height, uint32_t n)
{
	uint32_t first = m->point_count;
	add_wall(m, r0, 0, r1, height, n);
	for (uint32_t k = 1; k + 1 < n; ++k) {
		const uint32_t three[3] = {first, first + 2 * (k + 1), first + 2 * k};
		memcpy(&m->triangles[3 * m->triangle_count++], three, sizeof three);
	}
}

static cairn_shape add_mesh(cairn_scene *s, const surface *m, bool shell)
{
	cairn_shape_def d = cairn_default_shape_def(CAIRN_MESH);
	cairn_error e = {0};
	d.points = m->points, d.point_count = m->point_count;
	d.triangles = m->triangles, d.triangle_count = m->triangle_count, d.shell = shell;
	cairn_shape shape = cairn_scene_add_shape(s, &d, &e);
	CHECK(shape.generation);
	if (!shape.generation)
		printf("%s\n", e.message);
	return shape;
}

static surface cube_surface(double half)
{
	static const uint32_t faces[6][4] = {{4, 5, 7, 6}, {0, 4, 6, 2}, {1, 3, 7, 5},
	                                     {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}};
	surface m = {.point_count = 8};
	for (uint32_t i = 0; i < 8; ++i)
		m.points[i] = v3_make(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
	for (int f = 0; f < 6; ++f)
		add_quad(&m, faces[f][0], faces[f][1], faces[f][2], faces[f][3]);
	return m;
}

/* ---- solids */

/* Three cubes that fall on each other, as meshes or as hulls. */
static yard fall_cubes(bool mesh, cairn_body bodies[3])
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.2, 0.4);
	surface cube = cube_surface(0.5);
	cairn_shape_def hull = cairn_default_shape_def(CAIRN_HULL);
	hull.points = cube.points, hull.point_count = 8;
	cairn_shape shape = mesh ? add_mesh(s, &cube, false) : cairn_scene_add_shape(s, &hull, NULL);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int i = 0; i < 3; ++i) {
		cairn_body_def d = yard_body(shape, m, v3_make(0.2 * i, 0.1 * i, 1 + 1.5 * i));
		d.pose.orientation = q_exp(v3_make(0.1 + 0.2 * i, 0.3 * i, 0.2));
		d.mass = 800, d.has_inertia = true;
		d.inertia[0] = d.inertia[4] = d.inertia[8] = 800.0 / 6;
		bodies[i] = cairn_scene_add_body(s, &d, NULL);
		CHECK(bodies[i].generation);
	}
	return yard_open(s, 1);
}

TEST(a_cube_of_triangles_moves_as_its_hull_does)
{
	cairn_body a[3], b[3];
	yard mesh = fall_cubes(true, a), hull = fall_cubes(false, b);
	for (int i = 0; i < 60; ++i) {
		if (!yard_step(&mesh) || !yard_step(&hull))
			break;
		for (int k = 0; k < 3; ++k) {
			cairn_key x = yard_key(&mesh, a[k]), y = yard_key(&hull, b[k]);
			CHECK_NEAR(v3_distance(x.position, y.position), 0, 1e-9);
			CHECK_NEAR(v3_distance(x.spin, y.spin), 0, 1e-9);
		}
	}
	yard_close(&mesh);
	yard_close(&hull);
}

/* ---- shells */

/* Cups are dropped into one another and stand; neighbours are apart by the gap over the sine of the wall's angle. */
TEST(cups_nest_and_stand)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	surface cup = {0};
	cairn_body cups[3];
	add_cup(&cup, 0.03, 0.04, 0.1, 8);
	cairn_shape shape = add_mesh(s, &cup, true);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int i = 0; i < 3; ++i)
		cups[i] = yard_add(s, shape, m, v3_make(0, 0, 0.001 + 0.05 * i), v3_zero());
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, TEST_FEW ? 30 : 75));
	double radius = cairn_world_body_info(y.world, cups[0]).radius, kept = 1e-3 * 0.5 * radius;
	for (int i = 1; i < 3; ++i) {
		v3 low = yard_key(&y, cups[i - 1]).position, high = yard_key(&y, cups[i]).position;
		double pitch = high.z - low.z, slope = 0.01 * cos(CN_PI / 8), sine = slope / sqrt(slope * slope + 0.01);
		CHECK(pitch > 0 && pitch < 0.06);
		if (!TEST_FEW)
			CHECK_NEAR(pitch, kept / sine, 0.3 * kept / sine);
		CHECK(v3_length(yard_key(&y, cups[i]).velocity) < 1e-2);
	}
	CHECK(y.rise < 1e-3);
	yard_close(&y);
}

/* A ring of a strip hangs on a peg, and one at rest stays. */
TEST(a_ring_hangs_on_a_peg)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	surface strip = {0};
	add_wall(&strip, 0.25, -0.03, 0.25, 0.03, 24);
	cairn_body_def peg = yard_body(yard_round(s, CAIRN_CAPSULE, 0.05, 1), m, v3_zero());
	peg.type = CAIRN_FIXED, peg.pose.orientation = q_exp(v3_make(CN_PI / 2, 0, 0));
	cairn_scene_add_body(s, &peg, NULL);
	cairn_body_def d = yard_body(add_mesh(s, &strip, true), m, v3_make(0, 0, -0.17));
	d.pose.orientation = q_exp(v3_make(CN_PI / 2, 0, 0));
	cairn_body ring = cairn_scene_add_body(s, &d, NULL);
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, 60));
	cairn_key k = yard_key(&y, ring);
	CHECK(k.position.z > -0.25 * 1 + 0.05 - 2e-3 && k.position.z < -0.25 * cos(CN_PI / 24) + 0.05 + 2e-3);
	CHECK(v3_length(k.velocity) < 1e-2);
	yard_no_gain(&y);
	yard_close(&y);
}

/* Height of a ball after it was let fall onto the hole of a fixed or moving ring, or cup without a bottom. */
static double drop_through(double radius)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	surface strip = {0};
	add_wall(&strip, 0.25, 0, 0.25, 0.1, 12);
	cairn_shape shape = add_mesh(s, &strip, true);
	yard_plane(s, m, v3_make(0, 0, 1), -1);
	cairn_body_def hole = yard_body(shape, m, v3_zero());
	hole.type = CAIRN_SCRIPTED;
	cairn_script_key at = {.time = 0, .pose = {v3_zero(), q_identity()}};
	hole.keys = &at, hole.key_count = 1;
	CHECK(cairn_scene_add_body(s, &hole, NULL).generation);
	cairn_body ball = yard_add(s, yard_round(s, CAIRN_SPHERE, radius, 0), m, v3_make(0, 0, 0.5), v3_zero());
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, 60));
	double z = yard_key(&y, ball).position.z;
	yard_close(&y);
	return z;
}

/* The free radius of the hole is that of the circle in it, less the gap. */
TEST(a_ball_passes_a_hole_that_is_wider_and_no_other)
{
	double clear = 0.25 * cos(CN_PI / 12);
	CHECK(drop_through(clear * 0.997) < -0.5);
	CHECK(drop_through(clear * 1.001) > 0);
}

/* A sheet as thin as can be, hit by small fast things from both sides. */
TEST(nothing_passes_through_a_sheet)
{
	for (int side = 0; side < 2; ++side) {
		cairn_scene *s = yard_scene(v3_zero());
		cairn_material m = yard_material(s, 0.5, 0.2);
		surface sheet = {.points = {{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}}, .point_count = 4};
		surface shard = {.points = {{0, 0, 0}, {0.1, 0, 0}, {0, 0.1, 0.02}},
		                 .triangles = {0, 1, 2},
		                 .point_count = 3,
		                 .triangle_count = 1};
		add_quad(&sheet, 0, 1, 2, 3);
		double sign = side ? -1 : 1;
		cairn_body_def d = yard_body(add_mesh(s, &sheet, true), m, v3_zero());
		d.density = 1000;
		cairn_body target = cairn_scene_add_body(s, &d, NULL);
		cairn_body bullet =
			yard_add(s, add_mesh(s, &shard, true), m, v3_make(0.3, 0.2, sign), v3_make(0, 0, -60 * sign));
		cairn_body ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.05, 0), m, v3_make(-0.3, 0.4, 1.5 * sign),
		                           v3_make(0, 0, -60 * sign));
		yard y = yard_open(s, 1);
		CHECK(yard_run(&y, 8));
		cairn_key t = yard_key(&y, target), b = yard_key(&y, bullet), k = yard_key(&y, ball);
		v3 n = q_rotate(t.orientation, v3_make(0, 0, sign));
		CHECK(v3_dot(n, v3_sub(b.position, t.position)) > 0);
		CHECK(v3_dot(n, v3_sub(k.position, t.position)) > 0);
		yard_close(&y);
	}
}

/* Balls in a bowl that falls, tips a little and rests stay in it. */
static cairn_scene *bowl_of_marbles(uint32_t count)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.1, 0.3);
	surface bowl = {0};
	add_cup(&bowl, 0.3, 0.5, 0.4, 8);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(add_mesh(s, &bowl, true), m, v3_make(0, 0, 0.1));
	d.pose.orientation = q_exp(v3_make(0.1, 0, 0)), d.density = 50;
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	for (uint32_t i = 0; i < count; ++i)
		yard_add(s, yard_round(s, CAIRN_SPHERE, 0.05, 0), m,
		         v3_make(0.11 * (i % 3) - 0.1, 0.11 * (i / 3 % 3) - 0.1, 0.3 + 0.12 * (i / 9)), v3_zero());
	return s;
}

TEST(marbles_stay_in_a_bowl)
{
	yard y = yard_open(bowl_of_marbles(12), 1);
	CHECK(yard_run(&y, TEST_FEW ? 20 : 60));
	cairn_body bodies[16];
	uint32_t count = cairn_world_bodies(y.world, bodies, 16), inside = 0;
	cairn_key bowl = yard_key(&y, bodies[1]);
	for (uint32_t i = 2; i < count; ++i) {
		v3 p = q_unrotate(bowl.orientation, v3_sub(yard_key(&y, bodies[i]).position, bowl.position));
		inside += sqrt(p.x * p.x + p.y * p.y) < 0.5;
	}
	CHECK(inside == 12);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(same_bits_on_any_threads)
{
	cairn_scene *s = bowl_of_marbles(6);
	cairn_world *one = yard_world(s, 1), *four = yard_world(s, 4);
	cairn_scene_destroy(s);
	REQUIRE(one && four);
	for (int i = 0; i < 25; ++i) {
		cairn_step_report a = cairn_world_step(one), b = cairn_world_step(four);
		CHECK(a.status == CAIRN_STEP_OK && b.status == CAIRN_STEP_OK);
	}
	CHECK(cairn_world_hash(one) == cairn_world_hash(four));
	cairn_world_destroy(one);
	cairn_world_destroy(four);
}

TEST(state_is_all_in_the_snapshot) { hardship_state(bowl_of_marbles(4), 25); }

TEST(memory_may_run_out_anywhere) { hardship_memory(bowl_of_marbles(2), 6); }

/* ---- what is refused */

TEST(a_body_inside_a_solid_mesh_is_refused)
{
	for (int solid = 0; solid < 2; ++solid) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0, 0.3);
		surface cube = cube_surface(0.5);
		cairn_error e = {0};
		yard_add(s, add_mesh(s, &cube, !solid), m, v3_zero(), v3_zero());
		yard_add(s, yard_round(s, CAIRN_SPHERE, 0.1, 0), m, v3_zero(), v3_zero());
		cairn_world *w = cairn_world_create(s, NULL, &e);
		cairn_scene_destroy(s);
		CHECK((w != NULL) == !solid);
		for (int i = 0; w && i < 20; ++i)
			CHECK(cairn_world_step(w).status == CAIRN_STEP_OK);
		cairn_world_destroy(w);
	}
}

TEST_MAIN(TEST_CASE(a_cube_of_triangles_moves_as_its_hull_does), TEST_CASE(cups_nest_and_stand),
          TEST_CASE(a_ring_hangs_on_a_peg), TEST_CASE(a_ball_passes_a_hole_that_is_wider_and_no_other),
          TEST_CASE(nothing_passes_through_a_sheet), TEST_CASE(marbles_stay_in_a_bowl),
          TEST_CASE(same_bits_on_any_threads), TEST_CASE(state_is_all_in_the_snapshot),
          TEST_CASE(memory_may_run_out_anywhere), TEST_CASE(a_body_inside_a_solid_mesh_is_refused))
