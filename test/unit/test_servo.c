/* Servos: springs and dampers at joints, of any gain. */
#include "hardship.h"
#include "random.h"

#include <string.h>

#ifndef TEST_SOURCE_DIR
#define TEST_SOURCE_DIR "."
#endif

static const v3 down = {0, 0, -10};
static const cairn_body world = {0, 0};

/* A stick of 1 m on a hinge at the origin about y, lying along x. */
static yard arm(v3 gravity, cairn_servo servo, double *inertia)
{
	cairn_scene *s = yard_scene(gravity);
	cairn_body_def d = yard_body(yard_box(s, 1, 0.1, 0.1), yard_material(s, 0, 0), v3_make(0.5, 0, 0));
	cairn_joint_def j = cairn_default_joint_def();
	d.mask = 0;
	j.type = CAIRN_HINGE, j.a = world, j.b = cairn_scene_add_body(s, &d, NULL), j.axis = v3_make(0, 1, 0);
	j.motor = CAIRN_MOTOR_SERVO, j.target = servo.target, j.speed = servo.speed;
	j.stiffness = servo.stiffness, j.damping = servo.damping, j.most = servo.most;
	CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	yard y = yard_open(s, 1);
	cairn_body_info info = cairn_world_body_info(y.world, (cairn_body){0, 1});
	*inertia = info.inertia[4] + 0.25 * info.mass;
	return y;
}

static double angle_of(const yard *y) { return cairn_world_joint(y->world, (cairn_joint){0, 1}).position; }

/* An oscillator of frequency w and damping share z that is let go a distance 1 from its target. */
static double response(double w, double z, double t)
{
	double own = w * sqrt(1 - z * z);
	return 1 - exp(-z * w * t) * (cos(own * t) + z * w / own * sin(own * t));
}

TEST(a_step_is_answered_in_closed_form)
{
	const double w = 8, z = 0.3;
	double inertia, off = 0;
	cairn_servo servo = {.target = 0.7, .most = 1e9};
	yard y = arm(v3_zero(), (cairn_servo){.stiffness = 1, .most = 1}, &inertia);
	servo.stiffness = inertia * w * w, servo.damping = 2 * z * w * inertia;
	CHECK(cairn_world_set_servo(y.world, (cairn_joint){0, 1}, &servo, NULL));
	for (int i = 1; i <= 90 && yard_step(&y); ++i)
		off = fmax(off, fabs(angle_of(&y) / servo.target - response(w, z, i / 30.0)));
	CHECK(off < 1e-5);
	yard_close(&y);
}

TEST(no_gain_is_too_large)
{
	for (int k = -2; k <= 12; k += 2) {
		double inertia, gain = pow(10, k), far = 0;
		cairn_servo servo = {.target = 0.5, .stiffness = gain, .damping = gain / 10, .most = 1e30};
		yard y = arm(down, servo, &inertia);
		for (int i = 0; i < 120 && yard_step(&y); ++i)
			far = fmax(far, fabs(angle_of(&y)));
		double weight = 0.5 * 8 * 10 * cos(angle_of(&y)); /* of what hangs on half a metre */
		if (k >= 2 && k <= 6) /* it sinks until the servo carries it; beyond that rounding is seen */
			CHECK_NEAR(gain * (angle_of(&y) - servo.target), weight, 1e-2 * weight);
		if (k > 6)
			CHECK_NEAR(angle_of(&y), servo.target, 1e-6);
		CHECK(far < 4);
		yard_close(&y);
	}
}

/* One that may push with less than the weight lets the arm sink; one that may push with more holds it. */
TEST(a_servo_pushes_with_no_more_than_it_has)
{
	for (int k = 0; k < 2; ++k) {
		double inertia;
		cairn_servo servo = {.target = 0, .stiffness = 1e8, .damping = 1e6, .most = k ? 60 : 30};
		yard y = arm(down, servo, &inertia);
		for (int i = 0; i < 15 && yard_step(&y); ++i)
			;
		if (k)
			CHECK_NEAR(angle_of(&y), 0, 1e-5);
		else /* sinks at (40 - 30) / inertia at first */
			CHECK_NEAR(angle_of(&y), 0.5 * 10 / inertia * 0.25, 0.1);
		yard_close(&y);
	}
}

/* A slider, with a speed that its target does not have: damping (speed - rate) is balanced by the stiffness. */
TEST(a_servo_has_a_speed_too)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_body_def d = yard_body(yard_box(s, 1, 1, 1), yard_material(s, 0, 0), v3_zero());
	cairn_joint_def j = cairn_default_joint_def();
	j.type = CAIRN_SLIDER, j.a = world, j.b = cairn_scene_add_body(s, &d, NULL);
	j.motor = CAIRN_MOTOR_SERVO, j.target = 0.1, j.speed = 0.5, j.stiffness = 4e4, j.damping = 8e3, j.most = 1e9;
	CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, 150));
	CHECK_NEAR(cairn_world_joint(y.world, (cairn_joint){0, 1}).position, 0.1 + 0.5 * 8e3 / 4e4, 1e-6);
	yard_close(&y);
}

/* Three sticks on hinges, held out above a floor by servos. */
static cairn_scene *held_out(void)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	cairn_body last = world;
	yard_plane(s, m, v3_make(0, 0, 1), -1);
	for (int i = 0; i < 3; ++i) {
		cairn_body_def d = yard_body(yard_box(s, 0.9, 0.1, 0.1), m, v3_make(i + 0.5, 0, 0));
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_HINGE, j.a = last, j.b = last = cairn_scene_add_body(s, &d, NULL), j.point = v3_make(i, 0, 0);
		j.axis = v3_make(0, 1, 0), j.motor = CAIRN_MOTOR_SERVO;
		j.stiffness = 400, j.damping = 40, j.most = 300;
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	}
	return s;
}

TEST(servos_are_state_and_inputs)
{
	hardship_state(held_out(), 60);
	CHECK(hardship_memory(held_out(), 10) > 10);
	cairn_scene *s = held_out();
	cairn_world *a = yard_world(s, 1), *b = yard_world(s, 1);
	const cairn_servo servo = {.target = -0.4, .stiffness = 900, .damping = 60, .most = 500};
	for (int i = 0; a && b && i < 60; ++i) {
		size_t size = 0;
		if (i == 20)
			CHECK(cairn_world_set_servo(a, (cairn_joint){1, 1}, &servo, NULL));
		if (i == 40)
			CHECK(cairn_world_set_motor(a, (cairn_joint){0, 1}, CAIRN_NO_MOTOR, 0, 0, NULL));
		CHECK(cairn_world_step(a).status == CAIRN_STEP_OK);
		const void *inputs = cairn_world_step_inputs(a, &size);
		CHECK(!size || cairn_world_replay(b, inputs, size, NULL));
		CHECK(cairn_world_step(b).status == CAIRN_STEP_OK);
		CHECK(cairn_world_hash(a) == cairn_world_hash(b));
	}
	cairn_world_destroy(a), cairn_world_destroy(b);
	cairn_scene_destroy(s);
}

TEST(what_is_no_servo_is_refused)
{
	double inertia;
	const cairn_servo good = {.stiffness = 1, .damping = 1, .most = 1};
	const struct {
		cairn_servo servo;
		const char *path;
	} bad[] = {{{.stiffness = 1, .most = 1, .target = NAN}, "motor.target"},
	           {{.stiffness = 1, .most = 1, .speed = INFINITY}, "motor.speed"},
	           {{.stiffness = -1, .most = 1}, "motor.stiffness"},
	           {{.stiffness = 1, .damping = 1e13, .most = 1}, "motor.damping"},
	           {{.stiffness = 1, .most = 0}, "motor.most"},
	           {{.most = 1}, "motor"}};
	yard y = arm(down, good, &inertia);
	uint64_t before = cairn_world_hash(y.world);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
		cairn_error e = {0};
		CHECK(!cairn_world_set_servo(y.world, (cairn_joint){0, 1}, &bad[i].servo, &e));
		CHECK(strcmp(e.path, bad[i].path) == 0);
	}
	CHECK(!cairn_world_set_servo(y.world, (cairn_joint){1, 1}, &good, NULL));
	CHECK(!cairn_world_set_motor(y.world, (cairn_joint){0, 1}, CAIRN_MOTOR_SERVO, 0, 1, NULL));
	CHECK(cairn_world_hash(y.world) == before && cairn_world_pending_inputs(y.world) == 0);
	yard_close(&y);
}

/* How far the bodies of these numbers have moved in the plane of the floor at most, m. */
static double slid_by(const yard *y, const v3 *from, uint32_t count, bool feet)
{
	double most = 0;
	for (uint32_t i = 0; i < count; ++i) {
		const char *name = cairn_scene_body_at(cairn_world_scene(y->world), i).name;
		v3 off = v3_sub(yard_key(y, (cairn_body){i, 1}).position, from[i]);
		if (!feet || strstr(name, "foot"))
			most = fmax(most, feet ? hypot(off.x, off.y) : v3_length(off));
	}
	return most;
}

/* The bundled figure stands, and does not creep: no body of it, for a minute. While it sways before, its soles hold by
 * friction. */
TEST(a_figure_stands_still)
{
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_read(TEST_SOURCE_DIR "/scenes/standing.json", &e);
	REQUIRE(s);
	yard y = yard_open(s, 1);
	uint32_t count = cairn_scene_body_count(cairn_world_scene(y.world));
	v3 start[32], at[32];
	double slid = 0;
	REQUIRE(count <= 32);
	for (uint32_t i = 0; i < count; ++i)
		start[i] = yard_key(&y, (cairn_body){i, 1}).position;
	for (int i = 0; i < 90; ++i) {
		CHECK(yard_run(&y, 1));
		slid = fmax(slid, slid_by(&y, start, count, true));
	}
	for (uint32_t i = 0; i < count; ++i)
		at[i] = yard_key(&y, (cairn_body){i, 1}).position;
	CHECK(yard_key(&y, cairn_world_find_body(y.world, "head")).position.z > 1.6);
	CHECK(yard_run(&y, TEST_FEW ? 60 : 1710));
	printf("feet slid by %.2g m while it swayed; then all crept by %.2g m\n", slid, slid_by(&y, at, count, false));
	CHECK(slid < 1e-4);
	CHECK(slid_by(&y, at, count, false) < 1e-6);
	yard_close(&y);
}

/* A ball whose centre is on a ball joint of the world: its inertia is the same about every axis. */
static yard turner(cairn_servo servo, double *inertia)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.5, 0), yard_material(s, 0, 0), v3_zero());
	cairn_joint_def j = cairn_default_joint_def();
	d.mask = 0;
	j.type = CAIRN_BALL, j.a = world, j.b = cairn_scene_add_body(s, &d, NULL);
	j.motor = CAIRN_MOTOR_SERVO, j.stiffness = servo.stiffness, j.damping = servo.damping, j.most = servo.most;
	j.turn = servo.turn;
	CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	yard y = yard_open(s, 1);
	*inertia = cairn_world_body_info(y.world, (cairn_body){0, 1}).inertia[0];
	return y;
}

TEST(a_ball_turns_to_its_target_in_closed_form)
{
	const double w = 8, z = 0.3;
	const v3 axis = v3_unit(v3_make(1, -2, 0.5)), turn = v3_scale(axis, 1.1);
	double inertia, off = 0;
	yard y = turner((cairn_servo){.stiffness = 1, .most = 1}, &inertia);
	cairn_servo servo = {.stiffness = inertia * w * w, .damping = 2 * z * w * inertia, .most = 1e9, .turn = turn};
	CHECK(cairn_world_set_servo(y.world, (cairn_joint){0, 1}, &servo, NULL));
	for (int i = 1; i <= 90 && yard_step(&y); ++i) {
		v3 is = q_log(yard_key(&y, (cairn_body){0, 1}).orientation);
		off = fmax(off, v3_distance(is, v3_scale(turn, response(w, z, i / 30.0))));
	}
	CHECK(off < 1e-5);
	yard_close(&y);
}

/* Two links on balls, against a servo that holds both: any gain, and either side of a joint as the parent. */
TEST(balls_hold_any_gain)
{
	for (int k = 1; k <= 12; ++k)
		for (int swapped = 0; swapped < 2; ++swapped) {
			cairn_scene *s = yard_scene(down);
			cairn_body last = world;
			double far = 0, gain = pow(10, k);
			v3 turn = v3_make(0, 0.3, 0.4);
			for (int i = 0; i < 2; ++i) {
				cairn_body_def d = yard_body(yard_box(s, 1, 0.1, 0.2), yard_material(s, 0, 0), v3_make(0.5 + i, 0, 0));
				cairn_joint_def j = cairn_default_joint_def();
				d.mask = 0;
				cairn_body body = cairn_scene_add_body(s, &d, NULL);
				j.type = CAIRN_BALL, j.a = swapped ? body : last, j.b = swapped ? last : body,
				j.point = v3_make(i, 0, 0);
				j.motor = CAIRN_MOTOR_SERVO, j.stiffness = gain, j.damping = gain / 10, j.most = 1e30;
				j.turn = swapped ? v3_neg(turn) : turn;
				CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
				last = body;
			}
			yard y = yard_open(s, 1);
			for (int i = 0; i < 120 && yard_step(&y); ++i)
				far = fmax(far, v3_length(yard_key(&y, last).position));
			CHECK(far < 2.1);
			if (k >= 6) { /* it sags by what it carries: up to 240 N m */
				quat q = yard_key(&y, (cairn_body){0, 1}).orientation;
				CHECK(v3_distance(q_log(q), turn) < 300 / gain + 1e-8);
			}
			yard_close(&y);
		}
}

TEST(a_ball_pushes_with_no_more_than_it_has)
{
	double inertia;
	yard y = turner((cairn_servo){.stiffness = 1e6, .damping = 1, .most = 3, .turn = {0, 3, 0}}, &inertia);
	CHECK(yard_run(&y, 10));
	v3 is = q_log(yard_key(&y, (cairn_body){0, 1}).orientation);
	CHECK_NEAR(is.y, 0.5 * 3 / inertia / 9, 1e-6); /* a constant torque for a third of a second */
	yard_close(&y);
}

/* A box on a ball joint of another that hangs on the world: servos of both, one of them driven by an event. */
static cairn_scene *two_balls(void)
{
	cairn_scene *s = yard_scene(down);
	cairn_body last = world;
	cairn_joint_def j = cairn_default_joint_def();
	for (int i = 0; i < 2; ++i) {
		cairn_body_def d = yard_body(yard_box(s, 1, 0.1, 0.2), yard_material(s, 0, 0), v3_make(0.5 + i, 0, 0));
		d.mask = 0;
		j.type = CAIRN_BALL, j.a = last, j.b = last = cairn_scene_add_body(s, &d, NULL), j.point = v3_make(i, 0, 0);
		j.motor = CAIRN_MOTOR_SERVO, j.stiffness = 400, j.damping = 30, j.most = 200, j.turn = v3_make(0.2, -0.3, i);
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	}
	cairn_event_def e = cairn_default_event_def(CAIRN_DRIVE);
	e.frame = 30, e.joint = (cairn_joint){0, 1}, e.motor = CAIRN_MOTOR_SERVO, e.most = 90;
	e.stiffness = 300, e.damping = 5, e.turn = v3_make(0, 0, -1);
	CHECK(cairn_scene_add_event(s, &e, NULL));
	return s;
}

TEST(servos_of_balls_are_state_and_inputs)
{
	hardship_state(two_balls(), 60);
	CHECK(hardship_memory(two_balls(), 10) > 10);
	cairn_scene *s = two_balls();
	cairn_world *a = yard_world(s, 1), *b = yard_world(s, 1);
	const cairn_servo servo = {.stiffness = 900, .damping = 60, .most = 500, .turn = {0, 0.4, -0.2}};
	for (int i = 0; a && b && i < 60; ++i) {
		size_t size = 0;
		if (i == 20)
			CHECK(cairn_world_set_servo(a, (cairn_joint){1, 1}, &servo, NULL));
		CHECK(cairn_world_step(a).status == CAIRN_STEP_OK);
		const void *inputs = cairn_world_step_inputs(a, &size);
		CHECK(!size || cairn_world_replay(b, inputs, size, NULL));
		CHECK(cairn_world_step(b).status == CAIRN_STEP_OK);
		CHECK(cairn_world_hash(a) == cairn_world_hash(b));
	}
	cairn_error e = {0};
	cairn_servo bad = servo;
	bad.turn.x = 4;
	CHECK(!cairn_world_set_servo(a, (cairn_joint){0, 1}, &bad, &e) && strcmp(e.path, "motor.target") == 0);
	CHECK(!cairn_world_set_motor(a, (cairn_joint){0, 1}, CAIRN_MOTOR_SPEED, 1, 1, &e) && strcmp(e.path, "motor") == 0);
	cairn_world_destroy(a), cairn_world_destroy(b);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(a_ball_turns_to_its_target_in_closed_form), TEST_CASE(balls_hold_any_gain),
          TEST_CASE(a_ball_pushes_with_no_more_than_it_has), TEST_CASE(servos_of_balls_are_state_and_inputs),
          TEST_CASE(a_step_is_answered_in_closed_form), TEST_CASE(no_gain_is_too_large),
          TEST_CASE(a_servo_pushes_with_no_more_than_it_has), TEST_CASE(a_servo_has_a_speed_too),
          TEST_CASE(servos_are_state_and_inputs), TEST_CASE(what_is_no_servo_is_refused),
          TEST_CASE(a_figure_stands_still))
