/* Method oba, bodies that touch nothing: whatever goes on around them, they fall as gravity says, and so does a rig as a
 * whole. And what is stopped knows it. Each case is a cause for which random worlds (docs/worlds.md) showed otherwise. */
#include "random.h"
#include "yard.h"

static const v3 down = {0, 0, -10};

static cairn_body add_turning(cairn_scene *s, cairn_shape shape, cairn_material m, v3 at, v3 velocity, v3 spin)
{
	cairn_body_def d = yard_body(shape, m, at);
	d.velocity = velocity, d.spin = spin;
	return cairn_scene_add_body(s, &d, NULL);
}

/* How far a body is from its parabola, and its velocity from what gravity makes of it, m/s, after the frames so far. */
static void check_falls(const yard *y, cairn_body body, v3 at, v3 velocity, double little)
{
	double t = cairn_world_time(y->world);
	cairn_key k = yard_key(y, body);
	v3 x = v3_madd(v3_madd(at, velocity, t), down, 0.5 * t * t), v = v3_madd(velocity, down, t);
	CHECK_NEAR(v3_distance(k.position, x), 0, little);
	CHECK_NEAR(v3_distance(k.velocity, v), 0, little);
}

/* What a motor brings is taken from, and what finite steps make is paid back by, motion about the mean. */
TEST(rigs_with_motors_fall_as_gravity_says)
{
	for (int kind = 0; kind < 2; ++kind) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0, 0.3);
		cairn_shape box = yard_box(s, 0.4, 0.2, 0.1);
		v3 velocity = {3, -2, 1}, spin = {1, 4, -2};
		const double masses = 3;
		cairn_body b[3];
		for (int i = 0; i < 3; ++i)
			b[i] = add_turning(s, box, m, v3_make(0.5 * i, 0.1 * i, 0), velocity, spin);
		for (int i = 0; i < 2; ++i) {
			cairn_joint_def d = cairn_default_joint_def();
			d.type = i == kind ? CAIRN_HINGE : CAIRN_SLIDER, d.a = b[i], d.b = b[i + 1];
			d.point = v3_make(0.5 * i + 0.25, 0.1 * i, 0), d.axis = v3_unit(v3_make(1, 2, i - 1));
			d.motor = CAIRN_MOTOR_FORCE, d.most = i == kind ? 2 : 30;
			d.has_limits = true, d.low = -0.3, d.high = 0.3;
			CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
		}
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		v3 first = v3_zero();
		for (int f = 0; f <= 30; ++f) {
			v3 momentum = v3_zero(), centre = v3_zero();
			for (int i = 0; i < 3; ++i) {
				momentum = v3_add(momentum, yard_key(&y, b[i]).velocity);
				centre = v3_add(centre, yard_key(&y, b[i]).position);
			}
			double t = cairn_world_time(y.world);
			if (f == 0)
				first = centre;
			v3 x = v3_madd(v3_madd(first, velocity, masses * t), down, masses * 0.5 * t * t);
			CHECK_NEAR(v3_distance(momentum, v3_scale(v3_madd(velocity, down, t), masses)), 0, 1e-6);
			CHECK_NEAR(v3_distance(centre, x), 0, 1e-6);
			REQUIRE(yard_step(&y));
		}
		yard_close(&y);
	}
}

/* A box that comes down on a floor slowly, on an edge or a corner, is stopped in its fall and goes on: it is not lifted by
 * that, and does not stand in a frame while it has a speed. */
TEST(slow_landings_go_on)
{
	uint64_t random = 11;
	int stood = 0;
	for (int i = 0; i < 40; ++i) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0.1, 0.5);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body_def d = yard_body(yard_box(s, 0.5, 0.4, 0.3), m, v3_make(0, 0, 0.33));
		d.pose.orientation = q_exp(v3_scale(random_in_cube(&random), 0.3));
		d.velocity = v3_scale(random_in_cube(&random), 0.5), d.spin = random_in_cube(&random);
		cairn_body box = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		for (int f = 0; y.ok && f < 60; ++f) {
			cairn_key before = yard_key(&y, box);
			REQUIRE(yard_step(&y));
			cairn_key after = yard_key(&y, box);
			double speed = fmin(v3_length(before.velocity), v3_length(after.velocity));
			stood += speed > 0.02 && v3_distance(before.position, after.position) == 0;
		}
		yard_no_gain(&y);
		yard_close(&y);
	}
	CHECK_INT(stood, 0);
}

/* A cloud that falls fast is as one that does not fall: who turns is not left behind, where others run into it. In one step
 * a frame, as in a large cloud. */
TEST(clouds_that_fall_fast_keep_their_ways)
{
	const v3 fast = {0, 0, -45};
	cairn_scene *s = yard_scene(down);
	CHECK(cairn_scene_set_option(s, "steps", "1", NULL));
	cairn_material m = yard_material(s, 0.3, 0.3);
	cairn_shape log = yard_round(s, CAIRN_CYLINDER, 0.3, 1.2), ball = yard_round(s, CAIRN_SPHERE, 0.1, 0);
	const v3 places[4] = {{0.1, 0, 1}, {-0.2, 0.1, -1}, {0, 0.2, 1.4}, {0.2, -0.9, 0.6}};
	v3 aside[4];
	cairn_body balls[4], turns = add_turning(s, log, m, v3_zero(), fast, v3_make(15, 9, 0));
	for (int i = 0; i < 4; ++i) {
		aside[i] = v3_add(fast, v3_scale(places[i], 0.1));
		balls[i] = yard_add(s, ball, m, places[i], aside[i]);
	}
	yard y = yard_open(s, 1);
	for (int f = 0; y.ok && f < 20; ++f) {
		REQUIRE(yard_step(&y));
		check_falls(&y, turns, v3_zero(), fast, 1e-9);
		for (int i = 0; i < 4; ++i)
			check_falls(&y, balls[i], places[i], aside[i], 1e-9);
	}
	yard_close(&y);
}

/* A plane lets nobody go round what lies behind it: a bar that turns beside a ball never comes near it, though its end
 * crosses the plane between the two. */
TEST(what_passes_by_is_not_pushed)
{
	uint64_t random = 9;
	for (int i = 0; i < 20; ++i) {
		cairn_scene *s = yard_scene(down);
		CHECK(cairn_scene_set_option(s, "steps", "1", NULL));
		cairn_material m = yard_material(s, 0.3, 0.3);
		cairn_shape bar = yard_box(s, 1, 0.1, 0.1), ball = yard_round(s, CAIRN_SPHERE, 0.1, 0);
		v3 spin = {0, 0, 4 * random_in_cube(&random).z}, velocity = v3_scale(random_in_cube(&random), 3);
		v3 at = {0.9, 0.6, 0.1}, drift = v3_add(velocity, v3_make(0, -20 - i, 0));
		cairn_body turns = add_turning(s, bar, m, v3_zero(), velocity, spin), passes = yard_add(s, ball, m, at, drift);
		yard y = yard_open(s, 1);
		for (int f = 0; y.ok && f < 10; ++f) {
			REQUIRE(yard_step(&y));
			check_falls(&y, turns, v3_zero(), velocity, 1e-9);
			check_falls(&y, passes, at, drift, 1e-9);
		}
		yard_close(&y);
	}
}

/* What two win by pushing each other they pay for; one that flies beside them does not. */
TEST(who_touches_nothing_pays_for_nothing)
{
	uint64_t random = 5;
	for (int i = 0; i < 20; ++i) {
		const v3 fast = {0, 0, -30};
		cairn_scene *s = yard_scene(down);
		CHECK(cairn_scene_set_option(s, "steps", "1", NULL));
		cairn_material m = yard_material(s, 0, 0.5);
		cairn_shape box = yard_box(s, 0.5, 0.3, 0.2), small = yard_box(s, 0.2, 0.2, 0.2);
		v3 spin = v3_scale(random_in_cube(&random), 20), off = v3_scale(random_in_cube(&random), 0.15);
		add_turning(s, box, m, v3_zero(), fast, spin);
		add_turning(s, box, m, v3_add(off, v3_make(0, 0, 0.6)), v3_add(fast, v3_make(0, 0, -2 - i)), v3_neg(spin));
		v3 at = {1.3, 0.2, 0.1}, velocity = v3_add(fast, v3_make(6, 0, 0));
		cairn_body beside = yard_add(s, small, m, at, velocity);
		yard y = yard_open(s, 1);
		for (int f = 0; y.ok && f < 15; ++f) {
			REQUIRE(yard_step(&y));
			check_falls(&y, beside, at, velocity, 1e-9);
		}
		yard_close(&y);
	}
}

/* A block that meets a crumb head-on goes on: the crumb is hit, and does not hold it in the air for the rest of the step. */
TEST(a_crumb_does_not_stop_what_is_heavy)
{
	cairn_scene *s = yard_scene(down);
	CHECK(cairn_scene_set_option(s, "steps", "1", NULL));
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape heavy = yard_box(s, 1, 1, 1), crumb = yard_box(s, 0.05, 0.05, 0.05);
	v3 velocity = {12, 0, -8};
	cairn_body block = yard_add(s, heavy, m, v3_zero(), velocity);
	yard_add(s, crumb, m, v3_make(1, 0.1, -0.1), v3_make(-6, 0, -8));
	yard y = yard_open(s, 1);
	for (int f = 0; y.ok && f < 10; ++f) {
		REQUIRE(yard_step(&y));
		check_falls(&y, block, v3_zero(), velocity, 0.01);
	}
	yard_close(&y);
}

/* Plates and boxes that meet in the air are hit and go on. None of them stands still for a frame while it has a speed, as
 * a plate did between two boxes that turned about it. */
TEST(what_meets_in_the_air_goes_on)
{
	uint64_t random = 21;
	int stood = 0, met = 0;
	for (int i = 0; i < 40; ++i) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0.2, 0.5);
		cairn_body b[3];
		for (int k = 0; k < 3; ++k) {
			cairn_shape shape = k == 0 ? yard_box(s, 0.9, 0.7, 0.06) : yard_box(s, 0.7, 0.5, 0.4);
			v3 at = v3_add(v3_make(0, 0, 0.75 * k), v3_scale(random_in_cube(&random), 0.1));
			v3 velocity = v3_add(v3_scale(random_in_cube(&random), 3), v3_make(0, 0, k == 0 ? 6 : -4 * k));
			b[k] = add_turning(s, shape, m, at, velocity, v3_scale(random_in_cube(&random), 12));
		}
		yard y = yard_open(s, 1);
		for (int f = 0; y.ok && f < 12; ++f) {
			v3 before[3], speed[3];
			for (int k = 0; k < 3; ++k)
				before[k] = yard_key(&y, b[k]).position, speed[k] = yard_key(&y, b[k]).velocity;
			REQUIRE(yard_step(&y));
			met += y.report.collisions > 0;
			for (int k = 0; k < 3; ++k) {
				v3 mean = v3_scale(v3_add(speed[k], yard_key(&y, b[k]).velocity), 0.5 / 30);
				double way = v3_distance(before[k], yard_key(&y, b[k]).position);
				stood += v3_length(mean) > 0.05 && way < 0.05 * v3_length(mean);
			}
		}
		yard_close(&y);
	}
	CHECK(met > 20);
	CHECK_INT(stood, 0);
}

/* A rig that turns far in a frame, with limbs that may collide near each other, goes all its way. */
TEST(rigs_that_spin_go_all_their_way)
{
	for (int fast = 0; fast < 2; ++fast) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0.2, 0.3);
		cairn_shape bar = yard_box(s, 0.6, 0.1, 0.1);
		v3 spin = {0, 0, fast ? 70 : 40}, velocity = {4, 1, 6};
		cairn_body b[2];
		for (int i = 0; i < 2; ++i) {
			v3 arm = {i ? 0.36 : -0.36, 0, 0};
			b[i] = add_turning(s, bar, m, arm, v3_add(velocity, v3_cross(spin, arm)), spin);
		}
		cairn_joint_def d = cairn_default_joint_def();
		d.type = CAIRN_HINGE, d.a = b[0], d.b = b[1], d.axis = v3_make(0, 1, 0), d.collide = true;
		CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
		yard y = yard_open(s, 1);
		for (int f = 0; y.ok && f < 20; ++f) {
			REQUIRE(yard_step(&y));
			double t = cairn_world_time(y.world);
			v3 centre = v3_scale(v3_add(yard_key(&y, b[0]).position, yard_key(&y, b[1]).position), 0.5);
			CHECK_NEAR(v3_distance(centre, v3_madd(v3_scale(velocity, t), down, 0.5 * t * t)), 0, 1e-6);
		}
		yard_close(&y);
	}
}

/* A rig on a slider comes down on a floor while a limb swings on it: what its joints make of its velocity is ended there. */
TEST(rigs_that_stand_have_no_velocity)
{
	int most = 0;
	for (int i = 0; i < 6; ++i) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0.1, 0.3);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body foot = yard_add(s, yard_round(s, CAIRN_CYLINDER, 0.25, 0.3), m, v3_make(0, 0, 0.6), v3_zero());
		v3 at = {0.1 * i, 0.2, 1.2};
		cairn_body head = add_turning(s, yard_box(s, 0.3, 0.4, 0.5), m, at, v3_zero(), v3_make(0, 3 + i, 0));
		cairn_joint_def d = cairn_default_joint_def();
		d.type = CAIRN_SLIDER, d.b = foot, d.point = v3_make(0, 0, 0.6), d.axis = v3_unit(v3_make(-0.25, 0.13, 0.96));
		CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
		d = cairn_default_joint_def();
		d.type = CAIRN_HINGE, d.a = foot, d.b = head, d.point = v3_make(0, 0.1, 0.8);
		d.axis = v3_unit(v3_make(-0.3, 0.8, 0.5));
		CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
		yard y = yard_open(s, 1);
		int still = 0;
		for (int f = 0; y.ok && f < 120; ++f) {
			v3 before = yard_key(&y, foot).position;
			REQUIRE(yard_step(&y));
			cairn_key k = yard_key(&y, foot);
			still = v3_distance(before, k.position) < 1e-5 && k.velocity.z < -0.02 ? still + 1 : 0;
			most = still > most ? still : most;
		}
		yard_close(&y);
	}
	CHECK(most <= 3);
}

TEST_MAIN(TEST_CASE(rigs_with_motors_fall_as_gravity_says), TEST_CASE(slow_landings_go_on),
          TEST_CASE(clouds_that_fall_fast_keep_their_ways), TEST_CASE(what_passes_by_is_not_pushed),
          TEST_CASE(who_touches_nothing_pays_for_nothing), TEST_CASE(a_crumb_does_not_stop_what_is_heavy),
          TEST_CASE(what_meets_in_the_air_goes_on), TEST_CASE(rigs_that_spin_go_all_their_way),
          TEST_CASE(rigs_that_stand_have_no_velocity))
