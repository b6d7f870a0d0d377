/* Goals as virtual springs in a run (PBA 7.6.1): what they hold, where they lead, and that no stiffness is too much. */
#include "yard.h"

#include <math.h>
#include <string.h>

static cairn_body add_damped(cairn_scene *s, const char *name, double radius, v3 at, double damping)
{
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, radius, 0), yard_material(s, 0, 0), at);
	d.name = name, d.mask = 0, d.linear_damping = d.angular_damping = damping;
	return cairn_scene_add_body(s, &d, NULL);
}

static cairn_body add_ball(cairn_scene *s, const char *name, double radius, v3 at)
{
	return add_damped(s, name, radius, at, 0);
}

static cairn_goal_def goal_of(cairn_goal_kind kind, double stiffness, double damping)
{
	cairn_goal_def g = cairn_default_goal_def(kind);
	g.stiffness = stiffness, g.damping = damping;
	return g;
}

static void add_goal(cairn_scene *s, cairn_goal_def g)
{
	cairn_error e = {0};
	if (!cairn_scene_add_goal(s, &g, &e))
		printf("%s\n", e.message);
	CHECK(!*e.message);
}

/* A weight hangs as far below its goal as its spring says, also where the weight is that of a figure. */
TEST(what_hangs_sags_as_the_spring_says)
{
	for (int figure = 0; figure < 2; ++figure) {
		cairn_scene *s = yard_scene(v3_make(0, 0, -10));
		cairn_body top = add_ball(s, "top", 0.1, v3_zero());
		double k = 2e4;
		cairn_goal_def g = goal_of(CAIRN_GOAL_FIXED_POINT, k, 500);
		g.a = top;
		add_goal(s, g);
		if (figure) {
			cairn_joint_def d = cairn_default_joint_def();
			d.a = top, d.b = add_ball(s, "heavy", 0.3, v3_make(0, 0, -0.5)), d.point = v3_make(0, 0, -0.15);
			REQUIRE(cairn_scene_add_joint(s, &d, NULL).generation);
		}
		yard y = yard_open(s, 1);
		double mass = 0;
		for (uint32_t i = 0; i < (figure ? 2u : 1u); ++i)
			mass += cairn_world_body_info(y.world, (cairn_body){i, 1}).mass;
		yard_run(&y, 300);
		double z = yard_key(&y, top).position.z, wanted = -mass * 10 / k;
		printf("%s: %.9f m of %.9f, ledger %.1g\n", figure ? "figure" : "ball", z, wanted, y.ledger);
		CHECK_NEAR(z, wanted, 1e-6 * fabs(wanted));
		CHECK(y.ledger < 1e-9);
		yard_close(&y);
	}
}

/* One point chases another, with any stiffness. The two together keep their momentum; centres come to rest upon each other,
 * other points lead their bodies around each other. */
TEST(any_stiffness_is_stable)
{
	for (int turn = 0; turn < 10; ++turn) {
		double k = 1;
		bool centres = turn % 2;
		for (int i = 0; i < turn / 2; ++i)
			k *= 1e3;
		cairn_scene *s = yard_scene(v3_zero());
		cairn_body a = add_ball(s, "a", 0.2, v3_zero()), b = add_ball(s, "b", 0.1, v3_make(1, 0.5, 0.2));
		cairn_goal_def g = goal_of(CAIRN_GOAL_POINT_TO_POINT, k, 0);
		g.a = a, g.b = b;
		if (!centres)
			g.point = v3_make(0.2, 0, 0), g.point_b = v3_make(0, 0.1, 0);
		add_goal(s, g);
		yard y = yard_open(s, 1);
		double m = cairn_world_body_info(y.world, a).mass, n = cairn_world_body_info(y.world, b).mass, drift = 0,
			   most = 0;
		for (int i = 0; i < 300; ++i) {
			yard_step(&y);
			v3 va = yard_key(&y, a).velocity, vb = yard_key(&y, b).velocity;
			drift = fmax(drift, v3_length(v3_madd(v3_scale(va, m), vb, n)));
			most = fmax(most, v3_length(vb));
		}
		cairn_key ka = yard_key(&y, a), kb = yard_key(&y, b);
		double apart = v3_distance(v3_add(ka.position, q_rotate(ka.orientation, g.point)),
		                           v3_add(kb.position, q_rotate(kb.orientation, g.point_b)));
		printf("k %g: %.2g m apart, momentum off by %.2g, fastest %.3g m/s, ledger %.1g\n", k, apart, drift, most,
		       y.ledger);
		CHECK(drift < 1e-10 && most < 40);
		CHECK(!centres || k < 1e5 || apart < 1e-9);
		yard_close(&y);
	}
}

/* Weights 1 and 3: a quarter of the way from the heavier goal, as cairn_scene_assemble finds it. */
TEST(goals_that_contradict_share_by_weight)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_body a = add_ball(s, "a", 0.2, v3_make(0, 1, 0));
	cairn_goal_def g = goal_of(CAIRN_GOAL_FIXED_POINT, 1e6, 1e4);
	g.a = a, g.target = v3_make(-1, 0, 0);
	add_goal(s, g);
	g.target = v3_make(1, 0, 0), g.weight = 3;
	add_goal(s, g);
	yard y = yard_open(s, 1);
	yard_run(&y, 300);
	CHECK_NEAR(yard_key(&y, a).position.x, 0.5, 1e-9);
	CHECK_NEAR(yard_key(&y, a).position.y, 0, 1e-9);
	yard_close(&y);
}

/* Each of the five leads a body, which the air slows, to where it asks for. */
TEST(each_of_the_five_is_met)
{
	for (int kind = 0; kind < 5; ++kind) {
		cairn_scene *s = yard_scene(v3_zero());
		cairn_body_def d = yard_body(yard_box(s, 1, 0.8, 0.6), yard_material(s, 0, 0), v3_zero());
		d.type = CAIRN_FIXED, d.mask = 0;
		cairn_body box = cairn_scene_add_body(s, &d, NULL),
				   ball = add_damped(s, "ball", 0.2, v3_make(0.1, 0.2, 1.5), 2);
		cairn_goal_def g = goal_of((cairn_goal_kind)kind, 300, 60);
		g.a = ball, g.b = box, g.point = v3_make(0.2, 0, 0), g.point_b = v3_make(0.1, 0.1, 0.3);
		g.target = v3_make(0.3, 0.4, 0.5);
		if (kind == CAIRN_GOAL_FIXED_POINT)
			g.b = (cairn_body){0, 0};
		add_goal(s, g);
		yard y = yard_open(s, 1);
		yard_run(&y, 600);
		cairn_key k = yard_key(&y, ball);
		v3 at = v3_add(k.position, q_rotate(k.orientation, g.point)),
		   normal = q_rotate(k.orientation, v3_make(1, 0, 0));
		double off = kind == CAIRN_GOAL_FIXED_POINT ? v3_distance(at, g.target)
		             : kind < CAIRN_GOAL_FLOATING   ? v3_distance(at, g.point_b)
		                                            : fabs(at.z - 0.3);
		bool abuts = kind == CAIRN_GOAL_ABUTTING || kind == CAIRN_GOAL_FLOATING_ABUTTING;
		double lean = abuts ? v3_distance(normal, v3_make(0, 0, -1)) : 0;
		printf("kind %d: off by %.2g m, normals by %.2g\n", kind, off, lean);
		CHECK(off < 1e-6 && lean < 1e-6);
		yard_close(&y);
	}
}

/* What a goal is about does not sleep: it follows when the other body of the goal moves after a long rest. */
TEST(a_goal_keeps_awake)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_script_key keys[3] = {{.time = 0, .pose = {{0, 0, 0}, {1, 0, 0, 0}}},
	                            {.time = 6, .pose = {{0, 0, 0}, {1, 0, 0, 0}}},
	                            {.time = 7, .pose = {{1, 0, 0}, {1, 0, 0, 0}}}};
	cairn_body_def d = yard_body(yard_box(s, 0.1, 0.1, 0.1), yard_material(s, 0, 0), v3_zero());
	d.type = CAIRN_SCRIPTED, d.keys = keys, d.key_count = 3, d.mask = 0;
	cairn_body lead = cairn_scene_add_body(s, &d, NULL), dog = add_ball(s, "dog", 0.2, v3_make(0, 0.3, 0));
	cairn_goal_def g = goal_of(CAIRN_GOAL_POINT_TO_POINT, 1e4, 1e3);
	g.a = dog, g.b = lead, g.point_b = v3_make(0, 0.3, 0);
	add_goal(s, g);
	yard y = yard_open(s, 1);
	yard_run(&y, 300);
	CHECK_NEAR(yard_key(&y, dog).position.x, 1, 1e-6);
	yard_close(&y);
}

TEST(senseless_springs_are_refused)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_error e = {0};
	cairn_goal_def g = goal_of(CAIRN_GOAL_FIXED_POINT, -1, 0);
	g.a = add_ball(s, "a", 0.2, v3_zero());
	CHECK(!cairn_scene_add_goal(s, &g, &e) && strcmp(e.message, "stiffness is -1; give N/m from 0 to 1e12") == 0);
	g.stiffness = NAN;
	CHECK(!cairn_scene_add_goal(s, &g, &e));
	g.stiffness = 0, g.damping = 1;
	CHECK(!cairn_scene_add_goal(s, &g, &e) && strstr(e.message, "without stiffness"));
	g.stiffness = 1, g.damping = 2e12;
	CHECK(!cairn_scene_add_goal(s, &g, &e) && strcmp(e.path, "damping") == 0);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(what_hangs_sags_as_the_spring_says), TEST_CASE(any_stiffness_is_stable),
          TEST_CASE(goals_that_contradict_share_by_weight), TEST_CASE(each_of_the_five_is_met),
          TEST_CASE(a_goal_keeps_awake), TEST_CASE(senseless_springs_are_refused))
