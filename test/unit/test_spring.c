/* Springs between two points: distance joints with a servo. */
#include "hardship.h"
#include "yard.h"

static const v3 down = {0, 0, -10};
static const cairn_body world = {0, 0};

static cairn_joint_def spring_of(cairn_body a, cairn_body b, v3 from, v3 to, double rest)
{
	cairn_joint_def j = cairn_default_joint_def();
	j.type = CAIRN_DISTANCE, j.a = a, j.b = b, j.point = from, j.point_b = to;
	j.motor = CAIRN_MOTOR_SERVO, j.target = rest, j.most = 1e30;
	return j;
}

static cairn_body ball_at(cairn_scene *s, v3 at, double mass)
{
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.1, 0), yard_material(s, 0, 0), at);
	d.mass = mass, d.mask = 0;
	return cairn_scene_add_body(s, &d, NULL);
}

static v3 place(const yard *y, cairn_body b) { return yard_key(y, b).position; }

TEST(a_weight_and_two_bodies_swing_in_closed_form)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_body one = ball_at(s, v3_make(1.5, 0, 0), 1);
	cairn_body two = ball_at(s, v3_make(0, 3, 0), 2), three = ball_at(s, v3_make(1.3, 3, 0), 1);
	cairn_joint_def a = spring_of(world, one, v3_zero(), v3_make(1.5, 0, 0), 1);
	cairn_joint_def b = spring_of(two, three, v3_make(0, 3, 0), v3_make(1.3, 3, 0), 1);
	double off = 0;
	a.stiffness = b.stiffness = 40;
	CHECK(cairn_scene_add_joint(s, &a, NULL).generation && cairn_scene_add_joint(s, &b, NULL).generation);
	yard y = yard_open(s, 1);
	for (int i = 1; i <= 300 && yard_step(&y); ++i) {
		double t = i / 30.0, length = v3_distance(place(&y, two), place(&y, three));
		off = fmax(off, fabs(place(&y, one).x - 1 - 0.5 * cos(sqrt(40) * t)));
		off = fmax(off, fabs(length - 1 - 0.3 * cos(sqrt(40 * 1.5) * t)));
		off = fmax(off, fabs((2 * place(&y, two).x + place(&y, three).x) - 1.3)); /* nothing moves their centre */
	}
	CHECK(off < 5e-7);
	cairn_joint_state now = cairn_world_joint(y.world, (cairn_joint){1, 1});
	CHECK_NEAR(now.position, v3_distance(place(&y, two), place(&y, three)), 1e-12);
	CHECK(now.force > 0 && !now.broken);
	yard_close(&y);
}

/* A damped one, with a target that is set in the run. */
TEST(damping_is_that_of_an_oscillator)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_body one = ball_at(s, v3_make(1, 0, 0), 2);
	cairn_joint_def j = spring_of(world, one, v3_zero(), v3_make(1, 0, 0), 1);
	cairn_servo servo = {.target = 1.5, .stiffness = 2 * 64, .damping = 2 * 2 * 0.25 * 8, .most = 1e30};
	double off = 0, own = 8 * sqrt(1 - 0.0625);
	j.stiffness = 1;
	CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	yard y = yard_open(s, 1);
	CHECK(cairn_world_set_servo(y.world, (cairn_joint){0, 1}, &servo, NULL));
	for (int i = 1; i <= 90 && yard_step(&y); ++i) {
		double t = i / 30.0;
		double to = 1.5 - 0.5 * exp(-2 * t) * (cos(own * t) + 2 / own * sin(own * t));
		off = fmax(off, fabs(place(&y, one).x - to));
	}
	CHECK(off < 5e-7);
	yard_close(&y);
}

/* Two links on hinges and a spring from the end of the second to the world: a tree whose energy the spring shares. */
TEST(a_tree_with_a_spring_keeps_its_energy)
{
	cairn_scene *s = yard_scene(down);
	cairn_shape stick = yard_box(s, 1, 0.1, 0.1);
	cairn_body link[2];
	for (int i = 0; i < 2; ++i) {
		cairn_body_def d = yard_body(stick, yard_material(s, 0, 0), v3_make(0.5 + i, 0, 0));
		d.mask = 0;
		link[i] = cairn_scene_add_body(s, &d, NULL);
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_HINGE, j.a = i ? link[0] : world, j.b = link[i], j.point = v3_make(i, 0, 0),
		j.axis = v3_make(0, 1, 0);
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	}
	cairn_joint_def j = spring_of(world, link[1], v3_make(2, 0, 1), v3_make(2, 0, 0), 0.5);
	j.stiffness = 100;
	cairn_joint spring = cairn_scene_add_joint(s, &j, NULL);
	CHECK(spring.generation);
	yard y = yard_open(s, 1);
	double first = 0, off = 0, tall = 0;
	for (int i = 0; i < 300 && yard_step(&y); ++i) {
		double stretch = cairn_world_joint(y.world, spring).position - 0.5;
		cairn_energy e = y.report.energy;
		double all = e.kinetic + e.potential + 50 * stretch * stretch;
		first = i ? first : all, off = fmax(off, fabs(all - first)), tall = fmax(tall, e.kinetic);
	}
	CHECK(tall > 10 && off < 1e-6 * tall);
	yard_close(&y);
}

/* Four bars in a ring, which is followed by equations, with a spring across. Finer frames come nearer. */
static double ring_off(double fps)
{
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_settings set = cairn_default_settings();
	const v3 corner[4] = {{0, 0, 0}, {1, 0, 0}, {1, 0, -1}, {0, 0, -1}};
	cairn_body bar[4];
	set.gravity = down, set.fps = fps;
	CHECK(cairn_scene_set_settings(s, &set, NULL));
	for (int i = 0; i < 4; ++i) {
		v3 mid = v3_scale(v3_add(corner[i], corner[(i + 1) % 4]), 0.5);
		cairn_shape shape = i % 2 ? yard_box(s, 0.05, 0.05, 0.9) : yard_box(s, 0.9, 0.05, 0.05);
		cairn_body_def d = yard_body(shape, yard_material(s, 0, 0), mid);
		d.mask = 0;
		bar[i] = cairn_scene_add_body(s, &d, NULL);
	}
	for (int i = 0; i < 5; ++i) { /* the last hangs it up */
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_HINGE, j.a = i == 4 ? world : bar[(i + 3) % 4], j.b = bar[i % 4];
		j.point = corner[i % 4], j.axis = v3_make(0, 1, 0);
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	}
	cairn_joint_def j = spring_of(bar[0], bar[2], corner[0], corner[2], 1);
	j.stiffness = 200;
	cairn_joint spring = cairn_scene_add_joint(s, &j, NULL);
	CHECK(spring.generation);
	yard y = yard_open(s, 1);
	double first = 0, off = 0, tall = 0;
	for (int i = 0; i < 3 * fps && yard_step(&y); ++i) {
		double stretch = cairn_world_joint(y.world, spring).position - 1;
		cairn_energy e = y.report.energy;
		double all = e.kinetic + e.potential + 100 * stretch * stretch;
		first = i ? first : all, off = fmax(off, fabs(all - first)), tall = fmax(tall, e.kinetic);
	}
	yard_close(&y);
	return off / tall;
}

TEST(a_ring_with_a_spring_nears_its_energy)
{
	double coarse = ring_off(30), fine = ring_off(1920);
	CHECK(coarse < 5e-3 && fine < 0.5 * coarse);
}

TEST(no_spring_is_too_stiff)
{
	for (int k = 0; k <= 12; k += 2) {
		cairn_scene *s = yard_scene(down);
		cairn_body one = ball_at(s, v3_make(0, 0, -1), 1);
		cairn_joint_def j = spring_of(world, one, v3_zero(), v3_make(0, 0, -1), 1);
		double low = 0;
		j.stiffness = pow(10, k), j.damping = 2 * sqrt(j.stiffness);
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
		yard y = yard_open(s, 1);
		for (int i = 0; i < 300 && yard_step(&y); ++i)
			low = fmin(low, place(&y, one).z);
		CHECK_NEAR(place(&y, one).z, -1 - 10 / j.stiffness, 0.02 / j.stiffness + 1e-9);
		CHECK(low > -1 - 21 / j.stiffness - 1e-6);
		yard_close(&y);
	}
}

/* A box that stands on a floor, and a spring above it that is too weak to lift it. */
TEST(a_weak_spring_lifts_nothing)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body box = yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0, 0, 0.5005), v3_zero());
	cairn_joint_def j = spring_of(world, box, v3_make(0, 0, 3), v3_make(0, 0, 1.0005), 1.5);
	j.stiffness = 4000;
	cairn_joint spring = cairn_scene_add_joint(s, &j, NULL);
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, 120));
	cairn_joint_state now = cairn_world_joint(y.world, spring);
	CHECK(place(&y, box).z < 0.5011);
	CHECK_NEAR(now.force, 4000 * (now.position - 1.5), 1);
	yard_close(&y);
}

TEST(what_is_no_spring_is_refused)
{
	cairn_scene *s = yard_scene(down);
	cairn_body one = ball_at(s, v3_make(0, 0, -1), 1);
	cairn_joint_def j = spring_of(world, one, v3_zero(), v3_make(0, 0, -1), 1);
	cairn_error e = {0};
	j.stiffness = 10, j.has_limits = true, j.low = j.high = 1;
	CHECK(!cairn_scene_add_joint(s, &j, &e).generation && strcmp(e.path, "limits") == 0);
	j.has_limits = false, j.target = -1;
	CHECK(!cairn_scene_add_joint(s, &j, &e).generation && strcmp(e.path, "motor.target") == 0);
	j.target = 1, j.stiffness = 0;
	CHECK(!cairn_scene_add_joint(s, &j, &e).generation && strcmp(e.path, "motor") == 0);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(a_weight_and_two_bodies_swing_in_closed_form), TEST_CASE(damping_is_that_of_an_oscillator),
          TEST_CASE(a_tree_with_a_spring_keeps_its_energy), TEST_CASE(a_ring_with_a_spring_nears_its_energy),
          TEST_CASE(no_spring_is_too_stiff), TEST_CASE(a_weak_spring_lifts_nothing),
          TEST_CASE(what_is_no_spring_is_refused))
