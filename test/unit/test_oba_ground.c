/* Method oba on fixed meshes and height fields: what slides, rolls and rests on triangles does so as on a plane, nothing
 * gets through, and inner edges are not felt. Every frame of every case is certified (yard.h). */
#include "base/trig.h"
#include "hardship.h"
#include "random.h"
#include "yard.h"

static const v3 down = {0, 0, -10};

typedef double height_of(double x, double y);

enum { GRID_MOST = 81 };

/* A square of cells about the origin. */
static cairn_shape field(cairn_scene *s, uint32_t cells, double size, height_of *height)
{
	static double heights[GRID_MOST * GRID_MOST];
	cairn_shape_def d = cairn_default_shape_def(CAIRN_HEIGHTFIELD);
	cairn_error e = {0};
	d.size = v3_make(size, size, 0), d.columns = d.rows = cells + 1, d.heights = heights;
	for (uint32_t j = 0; j <= cells; ++j)
		for (uint32_t i = 0; i <= cells; ++i)
			heights[j * (cells + 1) + i] = height(size * i / cells - size / 2, size * j / cells - size / 2);
	cairn_shape shape = cairn_scene_add_shape(s, &d, &e);
	CHECK(shape.generation);
	return shape;
}

static cairn_body stand(cairn_scene *s, cairn_shape shape, cairn_material m, v3 at, quat q)
{
	cairn_body_def d = yard_body(shape, m, at);
	d.type = CAIRN_FIXED, d.pose.orientation = q;
	return cairn_scene_add_body(s, &d, NULL);
}

static double flat(double x, double y) { return 0 * x * y; }
static double trough(double x, double y) { return 0.05 * x * x + 0 * y; }
static double hills(double x, double y)
{
	double s, c, unused;
	cn_sincos(0.7 * x, &s, &unused);
	cn_sincos(0.6 * y, &unused, &c);
	return 0.8 * s * c + 0.03 * (x * x + y * y);
}

/* ---- inner edges */

/* Where a body ends that slides with this velocity over a mesh, or over a half-space. */
static v3 slide(cairn_shape_kind kind, v3 velocity, double turn, bool mesh, double *lift)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	if (mesh)
		stand(s, field(s, 40, 16, flat), m, v3_zero(), q_identity());
	else
		yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape shape = kind == CAIRN_BOX      ? yard_box(s, 0.7, 0.5, 0.4)
	                    : kind == CAIRN_SPHERE ? yard_round(s, kind, 0.2, 0)
	                                           : yard_round(s, kind, 0.2, kind == CAIRN_CYLINDER ? 0.4 : 0.5);
	cairn_body_def d = yard_body(shape, m, v3_make(0.137, -0.211, 0.2004));
	d.velocity = velocity;
	d.pose.orientation = kind == CAIRN_CAPSULE ? q_mul(q_exp(v3_make(0, 0, turn)), q_exp(v3_make(CN_PI / 2, 0, 0)))
	                                           : q_exp(v3_make(0, 0, turn));
	cairn_body b = cairn_scene_add_body(s, &d, NULL);
	yard y = yard_open(s, 1);
	double top = 0;
	for (int i = 0; i < 40 && yard_step(&y); ++i)
		top = fmax(top, yard_key(&y, b).position.z);
	*lift = top;
	v3 end = yard_key(&y, b).position;
	yard_no_gain(&y);
	yard_close(&y);
	return end;
}

static void slide_all_round(cairn_shape_kind kind, int directions)
{
	for (int i = 0; i < directions; ++i) {
		double sine, cosine, top, top_plane, angle = 2 * CN_PI * i / directions;
		cn_sincos(angle, &sine, &cosine);
		v3 v = v3_make(4 * cosine, 4 * sine, 0), from = v3_make(0.137, -0.211, 0.2004);
		/* a capsule goes by turns across and along its axis: aslant, what turns it depends on how it presses along it */
		double turn = kind == CAIRN_CAPSULE ? angle + CN_PI / 2 * (i % 2) : angle / 3;
		v3 on_mesh = slide(kind, v, turn, true, &top), on_plane = slide(kind, v, turn, false, &top_plane);
		double far = v3_distance(on_plane, from);
		CHECK(far > 2);
		CHECK_NEAR(v3_distance(on_mesh, on_plane), 0, 0.005 * far);
		CHECK_NEAR(top, top_plane, 1e-6); /* it never hops */
	}
}

TEST(box_slides_over_inner_edges) { slide_all_round(CAIRN_BOX, 16); }
TEST(ball_rolls_over_inner_edges) { slide_all_round(CAIRN_SPHERE, 16); }
TEST(capsule_slides_over_inner_edges) { slide_all_round(CAIRN_CAPSULE, 4); }
TEST(cylinder_slides_over_inner_edges) { slide_all_round(CAIRN_CYLINDER, 4); }

/* A box that slides off the end of a table made of triangles goes over its edge and falls: the side below is no wall. */
TEST(edge_of_a_table_is_no_wall)
{
	const v3 points[] = {{-4, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-4, 1, 0}, {1, -1, -3}, {1, 1, -3}};
	const uint32_t triangles[] = {0, 1, 2, 0, 2, 3, 1, 4, 5, 1, 5, 2};
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.1);
	cairn_shape_def d = cairn_default_shape_def(CAIRN_MESH);
	d.points = points, d.point_count = 6, d.triangles = triangles, d.triangle_count = 4, d.shell = true;
	stand(s, cairn_scene_add_shape(s, &d, NULL), m, v3_zero(), q_identity());
	cairn_body b = yard_add(s, yard_box(s, 0.5, 0.5, 0.5), m, v3_make(-2, 0, 0.2505), v3_make(3, 0, 0));
	yard y = yard_open(s, 1);
	for (int i = 0; i < 60 && yard_step(&y); ++i) {
		cairn_key k = yard_key(&y, b);
		if (k.position.x < 0.7) { /* v^2/2 = mu g x: it has lost 0.1 x 10 x the way */
			double left = 9 - 2 * (k.position.x + 2);
			CHECK_NEAR(k.velocity.x, sqrt(left), 1e-3);
			CHECK_NEAR(k.position.z, 0.2505, 1e-4);
		}
	}
	CHECK(yard_key(&y, b).position.x > 1.2 && yard_key(&y, b).position.z < -1);
	yard_close(&y);
}

/* ---- rolling, resting */

static double along_energy(const yard *y, cairn_body b)
{
	cairn_key k = yard_key(y, b);
	return 0.5 * v3_length2(k.velocity) + 0.5 * 0.4 * 0.3 * 0.3 * v3_length2(k.spin) + 10 * k.position.z;
}

/* A ball in a trough without friction swings from side to side and along it; what it loses it loses at the creases. */
TEST(ball_swings_in_a_trough)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	stand(s, field(s, 80, 16, trough), m, v3_zero(), q_identity());
	cairn_body b =
		yard_add(s, yard_round(s, CAIRN_SPHERE, 0.3, 0), m, v3_make(-4, 0.03, 0.8 + 0.345), v3_make(0, 0.2, 0));
	yard y = yard_open(s, 1);
	double start = along_energy(&y, b), least = start, far = -9;
	for (int i = 0; i < 300 && yard_step(&y); ++i) {
		double now = along_energy(&y, b);
		CHECK(now < start + 1e-3);
		least = fmin(least, now), far = fmax(far, yard_key(&y, b).position.x);
	}
	CHECK(far > 3.8);                                  /* of 4: it comes nearly as high on the other side */
	CHECK(start - least < 0.12 * 10 * 0.8);            /* three times across: a tenth of what it began with */
	CHECK_NEAR(yard_key(&y, b).velocity.y, 0.2, 1e-3); /* nothing along the trough slows it */
	yard_no_gain(&y);
	yard_close(&y);
}

enum { STRIPS_MOST = 2560 };

/* The trough as strips, 16 m across. */
static cairn_shape strips_of(cairn_scene *s, uint32_t strips)
{
	static double heights[2 * (STRIPS_MOST + 1)];
	cairn_shape_def d = cairn_default_shape_def(CAIRN_HEIGHTFIELD);
	d.size = v3_make(16, 1, 0), d.columns = strips + 1, d.rows = 2, d.heights = heights;
	for (uint32_t i = 0; i <= strips; ++i)
		heights[i] = heights[strips + 1 + i] = trough(16.0 * i / strips - 8, 0);
	return cairn_scene_add_shape(s, &d, NULL);
}

/* How much of its energy a ball has left after six seconds in a trough of so many strips. */
static double left_in_trough(uint32_t strips, double friction, double fps)
{
	cairn_scene *s = yard_scene(down);
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	cairn_material m = yard_material(s, 0, friction);
	stand(s, strips_of(s, strips), m, v3_zero(), q_identity());
	cairn_body b = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.3, 0), m, v3_make(-2, 0, 0.2 + 0.308), v3_zero());
	yard y = yard_open(s, 1);
	double floor = 10 * 0.3003, start = along_energy(&y, b) - floor;
	yard_run(&y, (int)(6 * fps));
	double left = along_energy(&y, b) - floor;
	yard_no_gain(&y);
	yard_close(&y);
	return left / start;
}

/* From facet to facet a ball goes as finer frames say, with and without friction, and finer facets take less. */
TEST(balls_go_from_facet_to_facet)
{
	for (int i = 0; i < 2; ++i) {
		double coarse = left_in_trough(80, 0.5 * i, 240), fine = left_in_trough(320, 0.5 * i, 240);
		CHECK_NEAR(left_in_trough(80, 0.5 * i, 30), coarse, 5e-3);
		CHECK_NEAR(left_in_trough(80, 0.5 * i, 1000), coarse, 1e-3);
		CHECK_NEAR(left_in_trough(320, 0.5 * i, 30), fine, 0.01);
		CHECK(fine > coarse && fine < 1);
	}
	CHECK(left_in_trough(STRIPS_MOST, 0, 60) > 0.95); /* more facets than a flight has impacts */
}

static cairn_shape jack(cairn_scene *s)
{
	cairn_part parts[3];
	cairn_shape_def d = cairn_default_shape_def(CAIRN_COMPOUND);
	for (int i = 0; i < 3; ++i)
		parts[i] = (cairn_part){yard_box(s, i == 0 ? 1 : 0.2, i == 1 ? 1 : 0.2, i == 2 ? 1 : 0.2), pose_identity()};
	d.parts = parts, d.part_count = 3;
	return cairn_scene_add_shape(s, &d, NULL);
}

/* Unions: a jack comes to rest on three of its arms, on a mesh as on a plane. */
TEST(jack_rests_on_three_arms)
{
	for (int mesh = 0; mesh < 2; ++mesh) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0.2, 0.5);
		if (mesh)
			stand(s, field(s, 30, 9, flat), m, v3_zero(), q_identity());
		else
			yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body_def d = yard_body(jack(s), m, v3_make(0.1, 0.2, 1.1));
		d.pose.orientation = q_exp(v3_make(0.4, 0.3, 0.2));
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		yard_run(&y, 200);
		CHECK(cairn_world_body_asleep(y.world, b));
		quat q = yard_key(&y, b).orientation;
		cairn_contact at[64];
		uint32_t count = cairn_world_contacts(y.world, at, 64), low = 0;
		for (int i = 0; i < 3; ++i) { /* one end of each arm is on the ground */
			v3 axis = q_rotate(q, i == 0 ? v3_make(1, 0, 0) : i == 1 ? v3_make(0, 1, 0) : v3_make(0, 0, 1));
			low += fabs(axis.z) > 0.45;
		}
		CHECK(low == 3 && count >= 3);
		for (uint32_t i = 0; i < count && i < 64; ++i)
			CHECK_NEAR(v3_distance(at[i].normal, v3_make(0, 0, -1)), 0, 1e-6);
		yard_no_gain(&y);
		yard_close(&y);
	}
}

static cairn_scene *hilly(int cubes)
{
	uint64_t random = 5;
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.4);
	stand(s, field(s, 36, 16, hills), m, v3_zero(), q_identity());
	cairn_shape cube = yard_box(s, 0.6, 0.6, 0.6);
	for (int i = 0; i < cubes; ++i) {
		cairn_body_def d =
			yard_body(cube, m, v3_make(1.2 * (i % 5) - 2.4, 1.2 * (i / 5 % 5) - 2.4, 3 + 1.2 * (i / 25)));
		v3 turn = random_in_cube(&random);
		d.pose.orientation = q_exp(turn);
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	}
	return s;
}

TEST(fifty_cubes_settle_on_hills)
{
	yard y = yard_open(hilly(50), 2);
	cairn_body bodies[64];
	REQUIRE(y.ok);
	uint32_t count = cairn_world_bodies(y.world, bodies, 64), asleep = 0;
	yard_run(&y, TEST_FEW ? 60 : 400);
	for (uint32_t i = 1; i < count; ++i) {
		v3 x = yard_key(&y, bodies[i]).position;
		asleep += cairn_world_body_asleep(y.world, bodies[i]);
		CHECK(fabs(x.x) < 8 && fabs(x.y) < 8 && x.z > hills(x.x, x.y));
	}
	if (!TEST_FEW)
		CHECK(asleep == 50);
	CHECK(y.tiers[CAIRN_TIER_HOLD] <= 200);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(same_bits_on_any_threads_and_from_a_snapshot)
{
	cairn_scene *s = hilly(20);
	cairn_world *one = yard_world(s, 1), *two = yard_world(s, 2);
	REQUIRE(one && two);
	for (int i = 0; i < 50; ++i)
		cairn_world_step(one), cairn_world_step(two);
	CHECK(cairn_world_hash(one) == cairn_world_hash(two));
	size_t size = cairn_world_snapshot_size(one);
	void *bytes = malloc(size);
	cairn_error e = {0};
	REQUIRE(bytes && cairn_world_snapshot(one, bytes, size, &e));
	cairn_world *again = yard_world(s, 1);
	CHECK(cairn_world_restore(again, bytes, size, &e));
	for (int i = 0; i < 50; ++i)
		cairn_world_step(one), cairn_world_step(again);
	CHECK(cairn_world_hash(one) == cairn_world_hash(again));
	free(bytes);
	cairn_world_destroy(one), cairn_world_destroy(two), cairn_world_destroy(again);
	cairn_scene_destroy(s);
}

TEST(memory_may_run_out_anywhere) { CHECK(hardship_memory(hilly(6), TEST_FEW ? 25 : 40) > 50); }

TEST(state_is_all_in_the_snapshot) { hardship_state(hilly(10), 40); }

/* ---- nothing gets through */

TEST(fast_bodies_do_not_pass_a_mesh)
{
	for (int i = 0; i < 8; ++i) {
		cairn_scene *s = yard_scene(v3_zero());
		cairn_material m = yard_material(s, 0.1 * i, 0.3);
		/* a wall of no thickness at x = 0, seen from its front and from its back */
		stand(s, field(s, 20, 30, flat), m, v3_zero(), q_exp(v3_make(0, i % 2 ? CN_PI / 2 : -CN_PI / 2, 0)));
		cairn_shape shape = i < 4 ? yard_box(s, 0.2, 0.2, 0.2) : i < 6 ? yard_round(s, CAIRN_SPHERE, 0.1, 0) : jack(s);
		cairn_body_def d = yard_body(shape, m, v3_make(-21.3 - i, 0.1 * i, 0.3));
		d.velocity = v3_make(1000, 7, -3), d.spin = v3_make(i, 2 * i, -i);
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		yard_run(&y, 8);
		CHECK(yard_key(&y, b).position.x < 0 && yard_key(&y, b).velocity.x <= 1e-6);
		yard_no_gain(&y);
		yard_close(&y);
	}
}

/* A closed box of triangles, its faces outward: a solid. */
static cairn_shape crate(cairn_scene *s, double half)
{
	v3 points[8];
	const uint32_t triangles[] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
	                              2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
	cairn_shape_def d = cairn_default_shape_def(CAIRN_MESH);
	for (int i = 0; i < 8; ++i)
		points[i] = v3_make(i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? half : -half);
	d.points = points, d.point_count = 8, d.triangles = triangles, d.triangle_count = 12;
	return cairn_scene_add_shape(s, &d, NULL);
}

/* What stands on a solid mesh, also where that is one part of several, stands; what is inside one is refused. */
TEST(solid_meshes_carry_and_hold_nothing)
{
	cairn_error e = {0};
	for (int inside = 0; inside < 2; ++inside) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0, 0.5);
		cairn_shape_def d = cairn_default_shape_def(CAIRN_COMPOUND);
		const cairn_part parts[2] = {{crate(s, 1), {{-1.5, 0, 0}, {1, 0, 0, 0}}},
		                             {crate(s, 1), {{1.5, 0, 0}, {0.8, 0, 0, 0.6}}}};
		d.parts = parts, d.part_count = 2;
		stand(s, cairn_scene_add_shape(s, &d, NULL), m, v3_zero(), q_identity());
		v3 at = inside ? v3_make(1.5, 0, 0) : v3_make(1.4, 0.1, 1.3);
		cairn_body b = yard_add(s, yard_box(s, 0.5, 0.5, 0.5), m, at, v3_zero());
		cairn_body c = yard_add(s, yard_box(s, 0.5, 0.5, 0.5), m, v3_make(-1.4, 0.1, 1.3), v3_zero());
		if (inside) {
			CHECK(!cairn_world_create(s, NULL, &e) && strstr(e.message, "overlap"));
			cairn_scene_destroy(s);
			continue;
		}
		yard y = yard_open(s, 1);
		yard_run(&y, 120);
		CHECK(cairn_world_body_asleep(y.world, b) && cairn_world_body_asleep(y.world, c));
		CHECK_NEAR(yard_key(&y, b).position.z, 1.25, 2e-3);
		CHECK_NEAR(yard_key(&y, c).position.z, 1.25, 2e-3);
		cairn_gap gap;
		REQUIRE(cairn_world_gap(y.world, b, (cairn_body){0, 1}, &gap));
		CHECK(gap.exact);
		CHECK_NEAR(gap.gap, yard_key(&y, b).position.z - 1.25, 1e-9);
		CHECK_NEAR(v3_distance(gap.normal, v3_make(0, 0, -1)), 0, 1e-6);
		yard_close(&y);
	}
}

TEST(height_fields_stand_still)
{
	const double heights[4] = {0, 0, 0, 0};
	cairn_shape_def d = cairn_default_shape_def(CAIRN_HEIGHTFIELD);
	d.heights = heights, d.columns = d.rows = 2;
	cairn_scene *s = yard_scene(down);
	cairn_error e = {0};
	cairn_body_def b = yard_body(cairn_scene_add_shape(s, &d, NULL), yard_material(s, 0, 0), v3_zero());
	CHECK(!cairn_scene_add_body(s, &b, &e).generation && strstr(e.message, "height field"));
	b.type = CAIRN_FIXED;
	CHECK(cairn_scene_add_body(s, &b, &e).generation);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(box_slides_over_inner_edges), TEST_CASE(ball_rolls_over_inner_edges),
          TEST_CASE(capsule_slides_over_inner_edges), TEST_CASE(cylinder_slides_over_inner_edges),
          TEST_CASE(edge_of_a_table_is_no_wall), TEST_CASE(ball_swings_in_a_trough),
          TEST_CASE(balls_go_from_facet_to_facet), TEST_CASE(jack_rests_on_three_arms),
          TEST_CASE(fifty_cubes_settle_on_hills), TEST_CASE(same_bits_on_any_threads_and_from_a_snapshot),
          TEST_CASE(memory_may_run_out_anywhere), TEST_CASE(state_is_all_in_the_snapshot),
          TEST_CASE(fast_bodies_do_not_pass_a_mesh), TEST_CASE(solid_meshes_carry_and_hold_nothing),
          TEST_CASE(height_fields_stand_still))
