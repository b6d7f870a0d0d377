/* The text's own programs in method oba (momentum=thesis, forces=qp) and its bounce at a distance. */
#include "num/text_programs.h"
#include "yard.h"

static const v3 down = {0, 0, -10};

static cairn_scene *text_scene(const char *key, const char *value)
{
	cairn_scene *s = yard_scene(down);
	CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
	CHECK(cairn_scene_set_option(s, key, value, NULL));
	return s;
}

/* ---- sliding */

static yard sliding_block(const char *key, const char *value, cairn_body *block)
{
	cairn_scene *s = text_scene(key, value);
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	*block = yard_add(s, yard_box(s, 1, 1, 0.5), m, v3_make(0, 0, 0.2505), v3_make(5, 0, 0));
	return yard_open(s, 1);
}

/* Least energy over the cone forces v_n >= mu |v_t|. From (5, -1/3) m/s, along the middle of the octagon's side, whose mu
 * is 0.5 cos(pi/8), that is (3.994, 1.845). */
TEST(sliding_block_hops_by_the_text)
{
	cairn_body block;
	yard y = sliding_block("momentum", "thesis", &block);
	REQUIRE(y.ok);
	yard_step(&y);
	CHECK_NEAR(yard_key(&y, block).velocity.z, 1.845, 1e-3);
	double top = 0;
	for (int k = 0; k < 60 && yard_step(&y); ++k)
		top = fmax(top, yard_key(&y, block).position.z);
	CHECK(top > 0.4 && top < 0.5);
	CHECK_INT(y.report.text_fallbacks, 0);
	yard_no_gain(&y);
	yard_close(&y);
	y = sliding_block("momentum", "coulomb", &block);
	REQUIRE(y.ok);
	yard_run(&y, 60);
	CHECK_NEAR(yard_key(&y, block).position.x, 2.5, 1e-6); /* v^2 / 2 mu g */
	CHECK_NEAR(yard_key(&y, block).position.z, 0.2505, 1e-6);
	yard_close(&y);
}

/* One step of three boxes on each other, of which the topmost slides, against the program written down by hand. */
TEST(thesis_gives_the_answer_of_the_program)
{
	enum { BOXES = 3, POINTS = 4 * BOXES };
	cairn_scene *s = text_scene("momentum", "thesis");
	cairn_material m = yard_material(s, 0, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body boxes[BOXES];
	const double gap = 5e-4, height = 0.5;
	for (int i = 0; i < BOXES; ++i)
		boxes[i] = yard_add(s, yard_box(s, 1, 1, height), m, v3_make(0, 0, height / 2 + gap + i * (height + gap)),
		                    v3_make(i == 2 ? 2 : 0, i == 2 ? 0.7 : 0, 0));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	cn_qp_body bodies[BOXES];
	cn_twist u0[BOXES], u[BOXES];
	cn_qp_contact contacts[POINTS];
	cn_qp_impulse impulses[POINTS];
	for (uint32_t i = 0; i < BOXES; ++i) {
		cairn_body_info info = cairn_world_body_info(y.world, boxes[i]);
		const double *k = info.inertia;
		bodies[i] = (cn_qp_body){1 / info.mass, {1 / k[0], 0, 0, 1 / k[4], 0, 1 / k[8]}};
		u0[i] = (cn_twist){v3_madd(yard_key(&y, boxes[i]).velocity, down, 1.0 / 30), v3_zero()};
		for (uint32_t c = 0; c < 4; ++c) {
			double x = c & 1 ? 0.5 : -0.5, z = c & 2 ? 0.5 : -0.5;
			contacts[4 * i + c] = (cn_qp_contact){.a = i ? i - 1 : CN_QP_NONE,
			                                      .b = i,
			                                      .n = {0, 0, 1},
			                                      .ra = {x, z, height / 2},
			                                      .rb = {x, z, -height / 2},
			                                      .mu = 0.3};
		}
	}
	cn_qp qp = {.body_count = BOXES, .contact_count = POINTS, .bodies = bodies, .u0 = u0, .contacts = contacts};
	cn_qp_solution x = {.u = u, .contact = impulses};
	cairn_allocator allocator = cairn_default_world_def().allocator;
	CHECK_INT(cn_text_solve_momentum(&allocator, &qp, &x).status, CN_QP_SOLVED);
	yard_step(&y);
	CHECK_INT(y.report.text_fallbacks, 0);
	CHECK(u[2].v.z > 0.3); /* it hops */
	for (int i = 0; i < BOXES; ++i) {
		cairn_key k = yard_key(&y, boxes[i]);
		CHECK_NEAR(v3_distance(k.velocity, u[i].v), 0, 2e-4);
		CHECK_NEAR(v3_distance(k.spin, u[i].w), 0, 2e-4);
	}
	yard_close(&y);
}

/* ---- forces */

static double slope(double tangent, const char *rounds)
{
	cairn_scene *s = text_scene("forces", "qp");
	CHECK(cairn_scene_set_option(s, "forces-rounds", rounds, NULL));
	cairn_material m = yard_material(s, 0, 0.5);
	double angle = atan(tangent);
	v3 n = v3_make(-sin(angle), 0, cos(angle));
	yard_plane(s, m, n, 0);
	cairn_body_def d = yard_body(yard_box(s, 1, 1, 0.5), m, v3_scale(n, 0.2505));
	d.pose.orientation = q_exp(v3_make(0, -angle, 0));
	cairn_body box = cairn_scene_add_body(s, &d, NULL);
	yard y = yard_open(s, 1);
	yard_run(&y, 60);
	CHECK_INT(y.report.text_fallbacks, 0);
	yard_no_gain(&y);
	double way = v3_distance(yard_key(&y, box).position, v3_scale(n, 0.2505));
	yard_close(&y);
	return way;
}

TEST(forces_hold_a_box_below_the_friction_angle)
{
	CHECK_NEAR(slope(0.4, "3"), 0, 2e-3);
	CHECK_NEAR(slope(0.45, "0"), 0, 2e-3); /* the tip stops it: no need to move */
	CHECK(slope(0.8, "3") > 0.5);
}

/* ---- no answer */

/* Errata 15: a body between two walls cannot leave one without running into the other. */
TEST(infeasible_island_is_left_to_the_default_and_counted)
{
	cairn_scene *s = text_scene("momentum", "thesis");
	cairn_material m = yard_material(s, 0.5, 0.2);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	yard_plane(s, m, v3_make(1, 0, 0), -0.501);
	yard_plane(s, m, v3_make(-1, 0, 0), -0.501);
	yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0, 0, 0.501), v3_make(1, 0, 0));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	uint32_t left = 0;
	for (int k = 0; k < 10 && yard_step(&y); ++k)
		left += y.report.text_fallbacks;
	CHECK(left > 0);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(joints_are_refused)
{
	static const char *const options[][2] = {{"momentum", "thesis"}, {"forces", "qp"}};
	for (int i = 0; i < 2; ++i) {
		cairn_error e = {0};
		cairn_scene *s = text_scene(options[i][0], options[i][1]);
		cairn_joint_def j = cairn_default_joint_def();
		j.a = yard_add(s, yard_box(s, 1, 1, 1), yard_material(s, 0, 0.3), v3_zero(), v3_zero());
		CHECK(cairn_scene_add_joint(s, &j, &e).generation);
		CHECK(!cairn_world_create(s, NULL, &e));
		CHECK_INT(e.code, CAIRN_INVALID);
		CHECK_HAS(e.message, "knows no joints");
		CHECK_HAS(e.message, options[i][0]);
		cairn_scene_destroy(s);
	}
}

/* A stack by each of them: it stands, and nothing gains. */
TEST(stacks_stand_by_all_programs)
{
	static const char *const options[][2] = {{"momentum", "thesis"}, {"forces", "qp"}, {"queue", "0"}};
	for (int i = 0; i < 3; ++i) {
		cairn_scene *s = text_scene(options[i][0], options[i][1]);
		cairn_material m = yard_material(s, 0.3, 0.4);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_shape cube = yard_box(s, 1, 1, 1);
		cairn_body bodies[4];
		for (int k = 0; k < 4; ++k)
			bodies[k] = yard_add(s, cube, m, v3_make(0.03 * (k % 2), 0, 0.52 + 1.02 * k), v3_zero());
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, 90);
		for (int k = 0; k < 4; ++k) {
			CHECK_NEAR(yard_key(&y, bodies[k]).position.z, 0.5 + k, 0.01);
			CHECK(v3_length(yard_key(&y, bodies[k]).velocity) < 1e-3);
		}
		yard_no_gain(&y);
		yard_close(&y);
	}
}

/* ---- bounce at a distance */

TEST(bounce_at_a_distance_turns_before_it_touches)
{
	double nearest[2] = {INFINITY, INFINITY};
	for (int round = 0; round < 2; ++round) {
		cairn_scene *s = yard_scene(v3_zero());
		CHECK(cairn_scene_set_option(s, "distance-bounce", round ? "on" : "off", NULL));
		CHECK(cairn_scene_set_option(s, "steps", "1", NULL)); /* so that a frame ends where it turns */
		cairn_material m = yard_material(s, 0.5, 0);
		yard_plane(s, m, v3_make(-1, 0, 0), -2);
		cairn_body cube = yard_add(s, yard_box(s, 1, 1, 1), m, v3_zero(), v3_make(3.3, 0, 0));
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		for (int k = 0; k < 40 && yard_step(&y); ++k)
			nearest[round] = fmin(nearest[round], 1.5 - yard_key(&y, cube).position.x);
		CHECK_NEAR(yard_key(&y, cube).velocity.x, -1.65, 1e-9);
		yard_no_gain(&y);
		yard_close(&y);
	}
	CHECK(nearest[0] < 0.01);
	CHECK(nearest[1] > 0.02 && nearest[1] < 0.11);
}

/* A cloud of cubes that flies together: less to keep apart, and less energy that it takes. */
TEST(bounce_at_a_distance_leaves_less_to_the_position_program)
{
	double pairs[2] = {0, 0}, programs[2] = {0, 0};
	for (int round = 0; round < 2; ++round) {
		cairn_scene *s = yard_scene(v3_zero());
		CHECK(cairn_scene_set_option(s, "distance-bounce", round ? "on" : "off", NULL));
		CHECK(cairn_scene_set_option(s, "steps", "1", NULL)); /* the text has no others */
		cairn_material m = yard_material(s, 0.6, 0.2);
		cairn_shape cube = yard_box(s, 0.5, 0.5, 0.5);
		for (int i = 0; i < 64; ++i) {
			v3 at = v3_make(1.2 * (i % 4 - 1.5), 1.2 * (i / 4 % 4 - 1.5), 1.2 * (i / 16 - 1.5));
			cairn_body_def d = yard_body(cube, m, v3_add(at, v3_make(0.02 * (i % 7), 0.03 * (i % 5), 0.02 * (i % 3))));
			d.velocity = v3_scale(at, -3);
			d.spin = v3_make(i % 3 - 1, i % 5 - 2, i % 2);
			cairn_scene_add_body(s, &d, NULL);
		}
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		for (int k = 0; k < 40 && yard_step(&y); ++k)
			pairs[round] += y.report.close_pairs, programs[round] += y.report.programs;
		yard_no_gain(&y);
		yard_close(&y);
	}
	CHECK(pairs[1] < pairs[0] && programs[1] < programs[0]);
}

TEST_MAIN(TEST_CASE(sliding_block_hops_by_the_text), TEST_CASE(thesis_gives_the_answer_of_the_program),
          TEST_CASE(forces_hold_a_box_below_the_friction_angle),
          TEST_CASE(infeasible_island_is_left_to_the_default_and_counted), TEST_CASE(joints_are_refused),
          TEST_CASE(stacks_stand_by_all_programs), TEST_CASE(bounce_at_a_distance_turns_before_it_touches),
          TEST_CASE(bounce_at_a_distance_leaves_less_to_the_position_program))
