/* Steps inside a frame: who takes them, that they are all in the state, and what they bring. */
#include "hardship.h"
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
	CHECK(most[0] < 0.2 * most[1]);
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

TEST_MAIN(TEST_CASE(a_touching_box_tips_at_every_frame_rate), TEST_CASE(only_what_needs_them_takes_steps),
          TEST_CASE(a_number_of_steps_is_for_all), TEST_CASE(same_bits_on_any_threads),
          TEST_CASE(state_is_all_in_the_snapshot), TEST_CASE(memory_may_run_out_anywhere),
          TEST_CASE(debt_tells_what_velocities_do_not_explain))
