/* Steps inside a frame: who takes them, that they are all in the state, and what they bring. */
#include "hardship.h"
#include "random.h"
#include "step/context.h"
#include "yard.h"

static const v3 down = {0, 0, -9.81};

/* A box 0.06 x 0.3 x 0.6 that leans by an angle on its lower edge, which is at x and touches z = 0. */
static cairn_body add_leaning(cairn_scene *s, cairn_shape box, cairn_material m, double x, double angle)
{
	double sine, cosine;
	cn_sincos(angle, &sine, &cosine);
	cairn_body_def d = yard_body(box, m, v3_make(x - 0.03 * cosine + 0.3 * sine, 0, 0.03 * sine + 0.3 * cosine));
	d.pose.orientation = q_exp(v3_make(0, angle, 0));
	return cairn_scene_add_body(s, &d, NULL);
}

/* Five dominoes of which the first falls, and a pile of three cubes at rest far away. */
static cairn_scene *dominoes_and_pile(void)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape domino = yard_box(s, 0.06, 0.3, 0.6), cube = yard_box(s, 0.5, 0.5, 0.5);
	add_leaning(s, domino, m, 0.03, 0.2);
	for (int i = 1; i < 5; ++i)
		yard_add(s, domino, m, v3_make(0.3 * i, 0, 0.3), v3_zero());
	for (int i = 0; i < 3; ++i)
		yard_add(s, cube, m, v3_make(8, 0, 0.2505 + 0.5005 * i), v3_zero());
	CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
	return s;
}

static double tilt_of(const yard *y, cairn_body b)
{
	v3 up = q_rotate(yard_key(y, b).orientation, v3_make(0, 0, 1));
	return acos(up.z < 1 ? up.z : 1);
}

/* The time at which a leaning box has tipped to 45 degrees. */
static double tips_after(double angle, const char *steps, double fps)
{
	cairn_scene *s = yard_scene(down);
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL) && cairn_scene_set_option(s, "steps", steps, NULL));
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body b = add_leaning(s, yard_box(s, 0.06, 0.3, 0.6), m, 0, angle);
	yard y = yard_open(s, 1);
	double before = angle, time = 0;
	while (y.ok && time == 0 && y.report.time < 2 && yard_step(&y)) {
		double now = tilt_of(&y, b);
		if (now > CN_PI / 4)
			time = y.report.time - (now - CN_PI / 4) / (now - before) / fps;
		before = now;
	}
	yard_no_gain(&y);
	yard_close(&y);
	return time;
}

/* theta'' = g L sin(theta)/I about the edge, from 12 degrees of lean: 0.51223 s, worked out in small steps here. */
static double pendulum_time(double angle)
{
	double b = 0.06, h = 0.6, l = 0.5 * sqrt(b * b + h * h), inertia = (b * b + h * h) / 12 + l * l,
		   c = 0.0996686524911620;
	double theta = angle - c, w = 0, t = 0, dt = 1e-6, sine, cosine; /* c = atan(b/h) */
	while (theta + c < CN_PI / 4) {
		cn_sincos(theta, &sine, &cosine);
		w += dt * 9.81 * l * sine / inertia, theta += dt * w, t += dt;
	}
	return t;
}

TEST(a_touching_box_tips_at_every_frame_rate)
{
	double angle = 12 * CN_PI / 180, wanted = pendulum_time(angle);
	CHECK_NEAR(wanted, 0.51223, 1e-4);
	CHECK_NEAR(tips_after(angle, "auto", 30), wanted, 0.02 * wanted);
	CHECK_NEAR(tips_after(angle, "1", 30), wanted, 0.04 * wanted);
	CHECK_NEAR(tips_after(angle, "8", 30), wanted, 0.01 * wanted);
	CHECK_NEAR(tips_after(angle, "auto", 240), wanted, 0.005 * wanted);
	CHECK_NEAR(tips_after(angle, "auto", 1000), wanted, 0.002 * wanted);
	if (!TEST_FEW)
		CHECK_NEAR(tips_after(angle, "auto", 4000), wanted, 0.001 * wanted);
}

/* What flies or rests takes one step; what tips takes several, and what rests beside it has no keys for that. */
TEST(only_what_needs_them_takes_steps)
{
	cairn_scene *s = dominoes_and_pile();
	yard y = yard_open(s, 1);
	cairn_body all[16];
	uint32_t count = cairn_world_bodies(y.world, all, 16), most = 1;
	REQUIRE(y.ok && count == 9);
	cairn_key before = yard_key(&y, all[8]);
	for (int i = 0; i < 45 && yard_step(&y); ++i) {
		most = y.report.steps > most ? y.report.steps : most;
		cairn_key keys[64];
		for (int k = 6; k < 9; ++k)
			CHECK_INT(cairn_world_body_keys(y.world, all[k], keys, 64), 1);
	}
	CHECK(most >= 4);
	CHECK_NEAR(v3_distance(before.position, yard_key(&y, all[8]).position), 0, 1e-4);
	CHECK(tilt_of(&y, all[3]) > 0.5); /* the third is hit within 1.5 s */
	yard_no_gain(&y);
	yard_close(&y);
}

/* Where the last of five dominoes is after 38 frames, in the first of some rows that stand beside each other. */
static cairn_key last_domino(int rows)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	cairn_body last = {0};
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape domino = yard_box(s, 0.06, 0.3, 0.6);
	CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
	for (int row = 0; row < rows; ++row) {
		cairn_body_def d = yard_body(domino, m, v3_make(0.03 - 0.03 * cos(0.2) + 0.3 * sin(0.2), 2 * row, 0));
		d.pose.position.z = 0.03 * sin(0.2) + 0.3 * cos(0.2), d.pose.orientation = q_exp(v3_make(0, 0.2, 0));
		cairn_scene_add_body(s, &d, NULL);
		for (int i = 1; i < 5; ++i) {
			cairn_body b = yard_add(s, domino, m, v3_make(0.3 * i, 2 * row, 0.3), v3_zero());
			last = row == 0 ? b : last;
		}
	}
	yard y = yard_open(s, 1);
	yard_run(&y, 38);
	cairn_key k = yard_key(&y, last);
	yard_close(&y);
	return k;
}

/* Nobody moves worse because others are elsewhere. */
TEST(rows_of_dominoes_fall_as_one_alone)
{
	cairn_key alone = last_domino(1), beside = last_domino(20);
	CHECK(q_rotate(alone.orientation, v3_make(0, 0, 1)).x > 0.3); /* it has begun to fall */
	CHECK(v3_distance(alone.position, beside.position) < 1e-3);
	CHECK(fabs(q_dot(alone.orientation, beside.orientation)) > 1 - 1e-4);
}

TEST(a_number_of_steps_is_for_all)
{
	cairn_scene *s = dominoes_and_pile();
	CHECK(cairn_scene_set_option(s, "steps", "5", NULL));
	yard y = yard_open(s, 1);
	for (int i = 0; i < 20 && yard_step(&y); ++i)
		CHECK_INT(y.report.steps, 5);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(same_bits_on_any_threads)
{
	cairn_scene *s = dominoes_and_pile();
	cairn_world *one = yard_world(s, 1), *three = yard_world(s, 3);
	REQUIRE(one && three);
	for (int i = 0; i < 40; ++i) {
		CHECK(cairn_world_step(one).status == CAIRN_STEP_OK && cairn_world_step(three).status == CAIRN_STEP_OK);
		CHECK(cairn_world_hash(one) == cairn_world_hash(three));
	}
	cairn_world_destroy(one);
	cairn_world_destroy(three);
	cairn_scene_destroy(s);
}

TEST(state_is_all_in_the_snapshot) { hardship_state(dominoes_and_pile(), 40); }

TEST(memory_may_run_out_anywhere) { CHECK(hardship_memory(dominoes_and_pile(), TEST_FEW ? 12 : 25) > 50); }

/* What falls freely, rests or slides owes nothing; dominoes owe less with more steps. */
TEST(debt_tells_what_velocities_do_not_explain)
{
	double most[2] = {0, 0};
	for (int few = 0; few < 2; ++few) {
		cairn_scene *s = dominoes_and_pile();
		CHECK(cairn_scene_set_option(s, "steps", few ? "1" : "8", NULL));
		yard y = yard_open(s, 1);
		for (int i = 0; i < 40 && yard_step(&y); ++i)
			most[few] = fmax(most[few], y.report.debt);
		yard_close(&y);
	}
	CHECK(most[0] < 0.4 * most[1]);
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 0.5, 0.5, 0.5);
	yard_add(s, cube, m, v3_make(0, 0, 0.2505), v3_make(2, 0, 0));
	yard_add(s, cube, m, v3_make(0, 3, 20), v3_make(1, 0, 2));
	yard y = yard_open(s, 1);
	for (int i = 0; i < 30 && yard_step(&y); ++i) {
		CHECK_NEAR(y.report.debt, 0, 1e-9);
		CHECK_INT(y.report.debtors, 0);
	}
	yard_close(&y);
}

/* The debt of a cube that stands still, of velocity 0, and is found this far from where it was, after blows. */
static cairn_step_report shoved(v3 by, const v3 *blows, int count)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_body b = yard_add(s, yard_box(s, 1, 1, 1), yard_material(s, 0, 0), v3_zero(), v3_zero());
	yard y = yard_open(s, 1);
	cairn_step_report r = {0};
	if (yard_step(&y)) {
		cairn_world *w = y.world;
		uint32_t slot = b.index;
		cn_debt_begin(w);
		w->next[slot] = w->motion[slot];
		w->next[slot].x = v3_add(w->next[slot].x, by);
		w->context->paths.by_slot[slot].own.goal_x = w->motion[slot].x;
		for (int i = 0; i < count; ++i)
			CHECK(cn_debt_kick(w, slot, v3_scale(blows[i], 1 / w->dt)));
		cn_debt_note(w);
		cn_debt_report(w, &r);
	}
	yard_close(&y);
	return r;
}

/* Blows explain a way each at its own moment, along what it did and no further; without any, a shove is all debt, though
 * nothing has a velocity. */
TEST(debt_is_what_no_impulse_explains)
{
	const v3 by = {0.03, 0, 0.04}, two[2] = {{0.05, 0, 0}, {0, 0, 0.06}}, one[1] = {{0.08, 0, 0.06}},
			 away[1] = {{-0.03, 0, -0.04}}, weak[2] = {{0.03, 0, 0}, {0, 0, 0.01}};
	cairn_step_report r = shoved(by, NULL, 0);
	CHECK_NEAR(r.debt, 0.05, 1e-12);
	CHECK(r.movers == 1 && r.debtors == 1);
	CHECK_NEAR(shoved(by, two, 2).debt, 0, 1e-12); /* after 2/5 and 1/3 of the frame */
	CHECK_NEAR(shoved(by, one, 1).debt, 0.014, 1e-12);
	CHECK_NEAR(shoved(by, away, 1).debt, 0.05, 1e-12);
	CHECK_NEAR(shoved(by, weak, 2).debt, 0.03, 1e-12);
}

/* What hangs on joints goes on curves, which their impulses explain. */
TEST(joints_owe_nothing)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape stick = yard_box(s, 0.9, 0.1, 0.1);
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_HINGE, d.axis = v3_make(0, 1, 0);
	for (int i = 0; i < 3; ++i) {
		cairn_body_def body = yard_body(stick, m, v3_make(i + 0.5, 0, 0));
		body.mask = 0; /* nothing touches */
		d.a = d.b, d.b = cairn_scene_add_body(s, &body, NULL);
		d.point = d.point_b = v3_make(i, 0, 0);
		CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
	}
	yard y = yard_open(s, 1);
	for (int i = 0; i < 60 && yard_step(&y); ++i) {
		CHECK_INT(y.report.movers, 3);
		CHECK_NEAR(y.report.debt, 0, 1e-12);
	}
	yard_close(&y);
}

/* A wheel that rolls takes up the same room however far it has turned: one step, and it goes where it rolls to. One that
 * turns over its rim does not. */
TEST(a_wheel_turns_about_its_axle_in_one_step)
{
	for (int over = 0; over < 2; ++over) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0, 0.8);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body_def d = yard_body(yard_round(s, CAIRN_CYLINDER, 0.4, 0.25), m, v3_make(0, 0, 0.4004));
		d.pose.orientation = q_exp(v3_make(CN_PI / 2, 0, 0));
		d.velocity = v3_make(over ? 0 : 4, 0, 0), d.spin = over ? v3_make(3, 0, 0) : v3_make(0, 10, 0);
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		uint32_t most = 1;
		for (int i = 0; i < 30 && yard_step(&y); ++i)
			most = y.report.steps > most ? y.report.steps : most;
		CHECK(over ? most > 1 : most == 1);
		if (!over)
			CHECK_NEAR(yard_key(&y, b).position.x, 4, 1e-3);
		yard_close(&y);
	}
}

/* A sled glides without friction and carries a rod that spins at 600 rad/s, 20 rad a frame: the sled goes all its way. */
TEST(a_link_that_spins_slows_nothing)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_box(s, 1, 1, 0.5), m, v3_make(0, 0, 0.2505));
	d.velocity = v3_make(5, 0, 0);
	cairn_joint_def hinge = cairn_default_joint_def();
	hinge.type = CAIRN_HINGE, hinge.a = cairn_scene_add_body(s, &d, NULL);
	cairn_body_def rod = yard_body(yard_round(s, CAIRN_CYLINDER, 0.02, 0.3), m, v3_make(0, 0, 0.75));
	rod.velocity = d.velocity, rod.spin = v3_make(0, 0, 600);
	hinge.b = cairn_scene_add_body(s, &rod, NULL);
	hinge.point = hinge.point_b = v3_make(0, 0, 0.55), hinge.axis = v3_make(0, 0, 1);
	CHECK(cairn_scene_add_joint(s, &hinge, NULL).generation);
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	CHECK(yard_run(&y, 15));
	CHECK_NEAR(yard_key(&y, hinge.a).position.x, 2.5, 1e-3);
	CHECK_NEAR(yard_key(&y, hinge.b).position.x, 2.5, 1e-3);
	CHECK_NEAR(yard_key(&y, hinge.b).spin.z, 600, 1);
	yard_close(&y);
}

/* A ball and an upright capsule pass each other at 58 m/s, nearer than their radii: they go 1.5 m in the frame in which they
 * graze, and the plane between them at its start says nothing of it. They are hit all the same, to a tenth as much as
 * where they meet. */
TEST(fast_bodies_that_graze_are_hit)
{
	const double aside = 0.22, both = 0.24, fast = 58;
	cairn_scene *s = yard_scene(v3_zero());
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = 38;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	cairn_material m = yard_material(s, 0, 0);
	cairn_body ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.09, 0), m, v3_make(2.1, aside, 0), v3_make(-34, 0, 0));
	cairn_body capsule =
		yard_add(s, yard_round(s, CAIRN_CAPSULE, 0.15, 0.3), m, v3_make(-1.7, 0, 0), v3_make(fast - 34, 0, 0));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	CHECK(yard_run(&y, 6));
	double mass = cairn_world_body_info(y.world, ball).mass, other = cairn_world_body_info(y.world, capsule).mass;
	double due = fast * sqrt(1 - aside * aside / (both * both)) * other / (mass + other);
	v3 v = yard_key(&y, ball).velocity, u = yard_key(&y, capsule).velocity;
	CHECK_NEAR(v3_distance(v, v3_make(-34, 0, 0)), due, 0.1 * due);
	CHECK_NEAR(
		v3_length(v3_add(v3_scale(v3_sub(v, v3_make(-34, 0, 0)), mass), v3_scale(v3_sub(u, v3_make(24, 0, 0)), other))),
		0, 1e-9 * mass * fast);
	yard_close(&y);
}

/* The share of body-frames, among those that move, that owe more than 2 % of their motion. */
static double debtors_of_a_crowd(const char *steps)
{
	cairn_scene *s = yard_scene(down);
	uint64_t random = 3;
	double movers = 0, debtors = 0;
	CHECK(cairn_scene_set_option(s, "steps", steps, NULL));
	cairn_material m = yard_material(s, 0.2, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int side = -1; side < 2; side += 2) {
		yard_plane(s, m, v3_make(side, 0, 0), -1.5);
		yard_plane(s, m, v3_make(0, side, 0), -1.5);
	}
	cairn_shape cube = yard_box(s, 0.5, 0.5, 0.5);
	for (int i = 0; i < 60; ++i) {
		cairn_body_def d = yard_body(cube, m, v3_make(i % 3 - 1.0, i / 3 % 3 - 1.0, 1 + 0.9 * (i / 9)));
		d.pose.orientation = random_turn(&random);
		cairn_scene_add_body(s, &d, NULL);
	}
	yard y = yard_open(s, 2);
	CHECK(y.ok);
	for (int frame = 0; frame < 45 && y.ok && yard_step(&y); ++frame)
		movers += y.report.movers, debtors += y.report.debtors;
	yard_no_gain(&y);
	yard_close(&y);
	return debtors / movers;
}

/* Cubes that fall into each other go where velocities and impulses lead them. One step a frame shoves them aside. */
TEST(a_crowd_that_falls_owes_little)
{
	double one = debtors_of_a_crowd("1"), as_needed = debtors_of_a_crowd("auto");
	printf("%.2g of a crowd owe with one step, %.2g with as many as it needs\n", one, as_needed);
	CHECK(one > 0.02);
	CHECK(as_needed < 0.005);
}

/* A block strikes a cube, which flies off and strikes another far ahead within the same frame. Neither is near the other
 * when the frame begins, so the other is away while these two take several steps. The frame begins again with it among
 * them, and does not go down to one step. */
TEST(who_is_met_within_a_frame_takes_steps_too)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 1, 0);
	cairn_shape block = yard_box(s, 1, 1, 1), cube = yard_box(s, 0.2, 0.2, 0.2);
	yard_add(s, block, m, v3_make(-0.5, 0, 0), v3_make(30, 0, 0));
	cairn_body first = yard_add(s, cube, m, v3_make(0.2, 0, 0), v3_zero()),
			   last = yard_add(s, cube, m, v3_make(1.6, 0, 0), v3_zero());
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	CHECK(yard_step(&y));
	CHECK(y.report.steps > 1);
	double fast = 2 * 30 / 1.008, fly = 1 / 30.0 - 0.1 / 30 - 1.2 / fast; /* from when the last cube is struck */
	CHECK_NEAR(yard_key(&y, last).velocity.x, fast, 1e-6 * fast);
	CHECK_NEAR(yard_key(&y, last).position.x - 1.6, fly * fast, 0.01);
	CHECK_NEAR(yard_key(&y, first).position.x, 1.4, 0.01);
	yard_close(&y);
}

TEST_MAIN(TEST_CASE(a_crowd_that_falls_owes_little), TEST_CASE(who_is_met_within_a_frame_takes_steps_too),
          TEST_CASE(fast_bodies_that_graze_are_hit), TEST_CASE(a_link_that_spins_slows_nothing),
          TEST_CASE(a_touching_box_tips_at_every_frame_rate), TEST_CASE(only_what_needs_them_takes_steps),
          TEST_CASE(a_number_of_steps_is_for_all), TEST_CASE(same_bits_on_any_threads),
          TEST_CASE(state_is_all_in_the_snapshot), TEST_CASE(memory_may_run_out_anywhere),
          TEST_CASE(debt_tells_what_velocities_do_not_explain), TEST_CASE(debt_is_what_no_impulse_explains),
          TEST_CASE(joints_owe_nothing), TEST_CASE(rows_of_dominoes_fall_as_one_alone),
          TEST_CASE(a_wheel_turns_about_its_axle_in_one_step))
