/* Freezing (OBA 6.7.2) in method oba: who freezes, who must not, and what wakes the frozen. */
#include "hardship.h"
#include "yard.h"

#include <stdlib.h>

static const v3 down = {0, 0, -10};

static cairn_scene *cold_scene(const char *frames)
{
	cairn_scene *s = yard_scene(down);
	CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
	CHECK(cairn_scene_set_option(s, "freeze", "on", NULL));
	CHECK(cairn_scene_set_option(s, "freeze-frames", frames, NULL));
	return s;
}

static bool same_pose(const cairn_key *a, const cairn_key *b)
{
	return v3_distance(a->position, b->position) == 0 && a->orientation.w == b->orientation.w &&
	       a->orientation.x == b->orientation.x && a->orientation.y == b->orientation.y &&
	       a->orientation.z == b->orientation.z;
}

/* Steps until so many are frozen; how many frames that took, -1: they never were. */
static int until_frozen(yard *y, uint32_t count, int most)
{
	for (int k = 0; k < most && yard_step(y); ++k)
		if (y->report.frozen == count)
			return k + 1;
	return -1;
}

enum { COLUMN = 5 };

static yard cold_column(const char *frames, cairn_body bodies[COLUMN])
{
	cairn_scene *s = cold_scene(frames);
	cairn_material m = yard_material(s, 0.2, 0.4);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	for (int i = 0; i < COLUMN; ++i)
		bodies[i] = yard_add(s, cube, m, v3_make(0.02 * (i % 2), 0, 0.55 + 1.05 * i), v3_zero());
	return yard_open(s, 1);
}

TEST(stack_freezes_and_stays_to_the_bit)
{
	cairn_body bodies[COLUMN];
	yard y = cold_column("3", bodies);
	REQUIRE(y.ok);
	CHECK(until_frozen(&y, COLUMN, 150) > 0);
	CHECK_INT(y.report.asleep, COLUMN);
	CHECK(cairn_world_body_frozen(y.world, bodies[0]) && cairn_world_body_asleep(y.world, bodies[0]));
	cairn_key at[COLUMN];
	for (int i = 0; i < COLUMN; ++i)
		at[i] = yard_key(&y, bodies[i]);
	for (int k = 0; k < 20 && yard_step(&y); ++k) {
		CHECK_INT(y.report.frozen, COLUMN);
		CHECK(y.report.contacts == 0 && y.report.close_pairs == 0 && y.report.programs == 0);
		CHECK(y.report.certificate.pairs > 0); /* they stay in the certificate */
		CHECK_NEAR(y.report.energy.kinetic, 0, 0);
	}
	for (int i = 0; i < COLUMN; ++i) {
		cairn_key now = yard_key(&y, bodies[i]);
		CHECK(same_pose(&at[i], &now));
		CHECK_NEAR(now.position.z, 0.5 + i, 6e-3);
	}
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(counter_decides_when)
{
	int first = 0;
	for (int round = 0; round < 2; ++round) {
		cairn_scene *s = cold_scene(round ? "40" : "1");
		cairn_material m = yard_material(s, 0, 0.4);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0, 0, 0.501), v3_zero());
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		int at = until_frozen(&y, 1, 100);
		CHECK(round ? at == first + 39 : at > 0 && at < 10);
		first = at;
		yard_close(&y);
	}
}

TEST(only_cold_volumes_freeze)
{
	cairn_scene *s = cold_scene("1");
	cairn_material m = yard_material(s, 0, 0.4);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	cairn_body warm = yard_add(s, cube, m, v3_make(5, 0, 0.501), v3_zero());
	cairn_body cold = yard_add(s, cube, m, v3_make(0, 0, 0.501), v3_zero());
	cairn_box box = {{-1, -1, 0}, {1, 1, 2}};
	CHECK(cairn_scene_add_cold_volume(s, box, NULL));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	yard_run(&y, 60);
	CHECK(cairn_world_body_frozen(y.world, cold) && !cairn_world_body_frozen(y.world, warm));
	yard_close(&y);
}

TEST(nothing_freezes_without_gravity)
{
	cairn_scene *s = cold_scene("1");
	cairn_settings settings = cairn_scene_settings(s);
	settings.gravity = v3_zero();
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	cairn_material m = yard_material(s, 0, 0.4);
	yard_add(s, yard_box(s, 1, 1, 1), m, v3_zero(), v3_make(1e-3, 0, 0));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	yard_run(&y, 30);
	CHECK_INT(y.report.frozen, 0);
	yard_close(&y);
}

/* ---- who must not freeze */

/* Where a body gets to, and the most that it was frozen at a frame before it had stopped. */
static double slide(double speed, double friction, bool ball, const char *freeze, int frames, uint32_t *early)
{
	cairn_scene *s = cold_scene("1");
	CHECK(cairn_scene_set_option(s, "freeze", freeze, NULL));
	cairn_material m = yard_material(s, 0, friction);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape shape = ball ? yard_round(s, CAIRN_SPHERE, 0.5, 0) : yard_box(s, 1, 1, 1);
	cairn_body_def d = yard_body(shape, m, v3_make(0, 0, 0.501));
	d.velocity = v3_make(speed, 0, 0);
	d.spin = ball ? v3_make(0, speed / 0.5, 0) : v3_zero();
	cairn_body body = cairn_scene_add_body(s, &d, NULL);
	yard y = yard_open(s, 1);
	*early = 0;
	cairn_key before = yard_key(&y, body);
	for (int k = 0; k < frames && yard_step(&y); ++k) {
		bool moves = v3_length(before.velocity) > 2e-3;
		*early +=
			moves && cairn_world_body_frozen(y.world, body) && v3_length(before.velocity) > friction * 10 / 30 + 1e-9;
		before = yard_key(&y, body);
	}
	yard_close(&y);
	return before.position.x;
}

TEST(what_slides_or_rolls_does_not_freeze)
{
	static const struct {
		double speed, friction;
		bool ball;
	} cases[] = {{0.1, 0.02, false}, {0.3, 0.05, false}, {0.1, 0, false},
	             {0.01, 0, false},   {0.1, 0.3, true},   {0.02, 0.3, true}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
		uint32_t early, none;
		double with = slide(cases[i].speed, cases[i].friction, cases[i].ball, "on", 90, &early);
		double without = slide(cases[i].speed, cases[i].friction, cases[i].ball, "off", 90, &none);
		CHECK_INT(early, 0);
		CHECK(without > 0.2 * cases[i].speed * (cases[i].friction > 0 && !cases[i].ball ? 0.2 : 3));
		CHECK_NEAR(with, without, 1e-4);
	}
}

/* A tall box past its edge begins to fall as slowly as can be. */
TEST(what_tips_is_not_left_tilted)
{
	cairn_scene *s = cold_scene("1");
	cairn_material m = yard_material(s, 0, 0.9);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_box(s, 0.4, 0.4, 2), m, v3_zero());
	double angle = 0.1974 + 2e-3; /* atan(0.4 / 2) and a little */
	d.pose.orientation = q_exp(v3_make(0, angle, 0));
	d.pose.position = v3_make(0, 0, cos(angle) + 0.2 * sin(angle) + 1e-3);
	cairn_body box = cairn_scene_add_body(s, &d, NULL);
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	CHECK(until_frozen(&y, 1, 300) > 20);
	CHECK_NEAR(yard_key(&y, box).position.z, 0.2, 2e-3);
	yard_close(&y);
}

/* ---- what wakes */

TEST(blow_wakes_one_after_another)
{
	cairn_scene *s = cold_scene("1");
	cairn_material m = yard_material(s, 0.3, 0.1);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	cairn_body row[3];
	for (int i = 0; i < 3; ++i)
		row[i] = yard_add(s, cube, m, v3_make(1.0005 * i, 0, 0.5005), v3_zero());
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	CHECK(until_frozen(&y, 3, 60) > 0);
	cairn_body_def d = yard_body(cube, m, v3_make(-1.5, 0, 0.5005));
	d.velocity = v3_make(4, 0, 0);
	CHECK(cairn_world_add_body(y.world, &d, NULL).generation);
	for (int k = 0; k < 30 && y.report.frozen == 3 && yard_step(&y); ++k)
		;
	CHECK_INT(y.report.frozen, 0); /* all in the frame of the blow */
	yard_run(&y, 90);
	CHECK(yard_key(&y, row[2]).position.x > 2.1);
	CHECK_INT(y.report.frozen, 4);
	yard_no_gain(&y);
	yard_close(&y);
}

/* A queue of no blows wakes nobody: the row stands like a wall. */
TEST(queue_bounds_who_wakes)
{
	for (int round = 0; round < 2; ++round) {
		cairn_scene *s = cold_scene("1");
		CHECK(cairn_scene_set_option(s, "queue", round ? "1" : "0", NULL));
		cairn_material m = yard_material(s, 0.3, 0.1);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_shape cube = yard_box(s, 1, 1, 1);
		for (int i = 0; i < 3; ++i)
			yard_add(s, cube, m, v3_make(1.0005 * i, 0, 0.5005), v3_zero());
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		CHECK(until_frozen(&y, 3, 60) > 0);
		cairn_body_def d = yard_body(cube, m, v3_make(-1.5, 0, 0.5005));
		d.velocity = v3_make(4, 0, 0);
		CHECK(cairn_world_add_body(y.world, &d, NULL).generation);
		for (int k = 0; k < 6 && y.report.frozen == 3 && yard_step(&y); ++k)
			;
		CHECK_INT(y.report.frozen, round ? 2 : 3); /* one in the frame of the blow, or none at all */
		yard_no_gain(&y);
		yard_close(&y);
	}
}

TEST(removing_the_support_wakes)
{
	cairn_body bodies[COLUMN];
	yard y = cold_column("3", bodies);
	REQUIRE(y.ok);
	CHECK(until_frozen(&y, COLUMN, 150) > 0);
	CHECK(cairn_world_remove_body(y.world, bodies[0], NULL));
	yard_step(&y);
	CHECK_INT(y.report.frozen, 0);
	yard_run(&y, 120);
	CHECK_INT(y.report.frozen, COLUMN - 1);
	for (int i = 1; i < COLUMN; ++i)
		CHECK_NEAR(yard_key(&y, bodies[i]).position.z, i - 0.5, 0.01);
	yard_close(&y);
}

/* A lintel on two posts; one is knocked away by a blow on it alone. */
TEST(loss_of_support_wakes)
{
	cairn_scene *s = cold_scene("3");
	cairn_material m = yard_material(s, 0.1, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape post = yard_box(s, 0.4, 0.4, 1);
	cairn_body left = yard_add(s, post, m, v3_make(-1, 0, 0.5005), v3_zero());
	cairn_body right = yard_add(s, post, m, v3_make(1, 0, 0.5005), v3_zero());
	cairn_body lintel = yard_add(s, yard_box(s, 2.6, 0.4, 0.2), m, v3_make(0, 0, 1.101), v3_zero());
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	CHECK(until_frozen(&y, 3, 60) > 0);
	double mass = cairn_world_body_info(y.world, right).mass;
	CHECK(yard_push(&y, right, v3_make(0, 12 * mass, 0)));
	yard_step(&y);
	CHECK(!cairn_world_body_frozen(y.world, lintel) && cairn_world_body_frozen(y.world, left));
	yard_run(&y, 240);
	CHECK(yard_key(&y, lintel).position.z < 0.9);
	yard_no_gain(&y);
	yard_close(&y);
}

/* A heavy block that slides up slowly, too slowly for a blow, does not stop at a frozen one. */
TEST(push_of_a_neighbour_wakes)
{
	cairn_scene *s = cold_scene("3");
	cairn_material m = yard_material(s, 0, 0.4), smooth = yard_material(s, 0, 1e-5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body light = yard_add(s, yard_box(s, 0.5, 0.5, 0.5), m, v3_make(0, 0, 0.2505), v3_zero());
	cairn_body heavy = yard_add(s, yard_box(s, 2, 2, 2), smooth, v3_make(-1.35, 0, 1.002), v3_make(0.15, 0, 0));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	CHECK(until_frozen(&y, 1, 15) > 0);
	CHECK(cairn_world_body_frozen(y.world, light) && yard_key(&y, heavy).position.x < -1.25);
	yard_run(&y, 60);
	CHECK(yard_key(&y, light).position.x > 0.1);
	yard_no_gain(&y);
	yard_close(&y);
}

/* What rides on a script does not freeze, and what a script drives into wakes. */
TEST(script_wakes_and_carries)
{
	cairn_scene *s = cold_scene("1");
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	const cairn_script_key lift[2] = {{0, {{5, 0, 0.55}, {1, 0, 0, 0}}}, {6, {{5, 0, 0.85}, {1, 0, 0, 0}}}};
	const cairn_script_key ram[3] = {
		{0, {{-3, 0, 0.55}, {1, 0, 0, 0}}}, {2, {{-3, 0, 0.55}, {1, 0, 0, 0}}}, {6, {{-0.5, 0, 0.55}, {1, 0, 0, 0}}}};
	cairn_body_def d = yard_body(cube, m, v3_zero());
	d.type = CAIRN_SCRIPTED;
	d.keys = lift, d.key_count = 2;
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	d.keys = ram, d.key_count = 3;
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	cairn_body rider = yard_add(s, cube, m, v3_make(5, 0, 1.551), v3_zero());
	cairn_body target = yard_add(s, cube, m, v3_make(-1, 0, 0.501), v3_zero());
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	bool rode = true, froze = false;
	for (int k = 0; k < 180; ++k) {
		cairn_step_report r = cairn_world_step(y.world);
		REQUIRE(r.status == CAIRN_STEP_OK);
		rode &= !cairn_world_body_frozen(y.world, rider);
		froze |= k < 60 && cairn_world_body_frozen(y.world, target);
	}
	CHECK(rode && froze);
	CHECK_NEAR(yard_key(&y, rider).position.z, 1.851, 0.01);
	CHECK_NEAR(yard_key(&y, target).position.x, 0.5, 0.05);
	cairn_world_destroy(y.world);
}

/* ---- the state */

static cairn_scene *cold_heap(void)
{
	cairn_scene *s = cold_scene("3");
	cairn_material m = yard_material(s, 0.3, 0.3);
	yard_shaft(s, m, 1.2);
	cairn_shape cube = yard_box(s, 0.9, 0.9, 0.9);
	for (int i = 0; i < 16; ++i) {
		cairn_body_def d =
			yard_body(cube, m, v3_make(i % 2 ? 0.55 : -0.55, i / 2 % 2 ? 0.55 : -0.55, 0.6 + 1.1 * (i / 4)));
		d.pose.orientation = q_exp(v3_make(0.02 * i, 0.03, 0.01 * i));
		d.velocity = v3_make(0, 0, i == 15 ? 6 : 0);
		cairn_scene_add_body(s, &d, NULL);
	}
	return s;
}

TEST(snapshot_in_mid_run_goes_on_to_the_same_bits)
{
	cairn_scene *s = cold_heap();
	cairn_world *w = yard_world(s, 1), *other = yard_world(s, 2);
	REQUIRE(w && other);
	uint32_t frozen = 0;
	for (int k = 0; k < 400 && frozen < 4; ++k)
		frozen = cairn_world_step(w).frozen;
	CHECK(frozen >= 4 && frozen < 16);
	size_t size = cairn_world_snapshot_size(w);
	void *bytes = malloc(size);
	REQUIRE(bytes);
	CHECK(cairn_world_snapshot(w, bytes, size, NULL));
	CHECK(cairn_world_restore(other, bytes, size, NULL));
	uint32_t most = 0;
	for (int k = 0; k < 200; ++k) {
		cairn_step_report a = cairn_world_step(w), b = cairn_world_step(other);
		most = a.frozen > most ? a.frozen : most;
		CHECK(a.status == CAIRN_STEP_OK && a.frozen == b.frozen);
		CHECK(cairn_world_hash(w) == cairn_world_hash(other));
	}
	CHECK_INT(most, 16);
	free(bytes);
	cairn_world_destroy(w);
	cairn_world_destroy(other);
	cairn_scene_destroy(s);
}

/* Two cubes freeze, and a third that comes down wakes them. */
static cairn_scene *cold_drop(void)
{
	cairn_scene *s = cold_scene("1");
	cairn_material m = yard_material(s, 0.2, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	yard_add(s, cube, m, v3_make(0, 0, 0.501), v3_zero());
	yard_add(s, cube, m, v3_make(0.1, 0, 1.503), v3_zero());
	yard_add(s, cube, m, v3_make(0.3, 0.2, 3.5), v3_zero());
	return s;
}

TEST(memory_may_be_refused)
{
	yard y = yard_open(cold_drop(), 1);
	REQUIRE(y.ok);
	uint32_t most = 0, last = 0, woken = 0;
	for (int k = 0; k < 30 && yard_step(&y); ++k) {
		woken += y.report.frozen < last;
		last = y.report.frozen, most = last > most ? last : most;
	}
	CHECK(most >= 2 && woken > 0); /* within the frames of the trial */
	yard_close(&y);
	CHECK(hardship_memory(cold_drop(), 30) > 50);
}

TEST(only_the_state_decides)
{
	hardship_state(cold_drop(), 60);
	hardship_state(cold_heap(), TEST_FEW ? 60 : 150);
}

/* What freezes in a heap ends near where it would have come to rest. */
TEST(heap_freezes_near_its_rest)
{
	double heights[2] = {0, 0};
	for (int round = 0; round < 2; ++round) {
		cairn_scene *s = cold_heap();
		CHECK(cairn_scene_set_option(s, "freeze", round ? "on" : "off", NULL));
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, 300);
		CHECK_INT(y.report.frozen, round ? 16 : 0);
		heights[round] = y.total / y.unit;
		yard_no_gain(&y);
		yard_close(&y);
	}
	CHECK_NEAR(heights[1], heights[0], 0.02);
}

TEST_MAIN(TEST_CASE(stack_freezes_and_stays_to_the_bit), TEST_CASE(counter_decides_when),
          TEST_CASE(only_cold_volumes_freeze), TEST_CASE(nothing_freezes_without_gravity),
          TEST_CASE(what_slides_or_rolls_does_not_freeze), TEST_CASE(what_tips_is_not_left_tilted),
          TEST_CASE(blow_wakes_one_after_another), TEST_CASE(queue_bounds_who_wakes),
          TEST_CASE(removing_the_support_wakes), TEST_CASE(loss_of_support_wakes), TEST_CASE(push_of_a_neighbour_wakes),
          TEST_CASE(script_wakes_and_carries), TEST_CASE(snapshot_in_mid_run_goes_on_to_the_same_bits),
          TEST_CASE(memory_may_be_refused), TEST_CASE(only_the_state_decides), TEST_CASE(heap_freezes_near_its_rest))
