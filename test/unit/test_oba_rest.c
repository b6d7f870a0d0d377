/* Method oba, rest: bodies come to rest, stay there, fall asleep and wake. */
#include "random.h"
#include "yard.h"

#include <stdlib.h>

static const v3 down = {0, 0, -10};

/* To the bit; orientations to their rounding. */
static bool same_pose(const cairn_key *a, const cairn_key *b)
{
	return memcmp(&a->position, &b->position, sizeof a->position) == 0 &&
	       fabs(q_dot(a->orientation, b->orientation) - 1) < 1e-15; /* a unit quaternion's rounding */
}

/* Cubes of edge 1 on top of each other with the kept gap between them, masses from the array or all alike. */
static yard make_column(int count, const double *masses, const char *sleep, cairn_body *bodies)
{
	cairn_scene *s = yard_scene(down);
	CHECK(cairn_scene_set_option(s, "sleep", sleep, NULL));
	cairn_material m = yard_material(s, 0.3, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	for (int i = 0; i < count; ++i) {
		cairn_body_def d = yard_body(cube, m, v3_make(0, 0, 0.5 + 0.001 + 1.001 * i));
		d.mass = masses ? masses[i] : 0;
		bodies[i] = cairn_scene_add_body(s, &d, NULL);
	}
	return yard_open(s, 1);
}

/* ---- rest */

/* Cubes shot between two blades: one that would turn lifts those upon it, which costs more than it has. */
TEST(what_is_wedged_comes_to_rest)
{
	for (uint64_t seed = 1; seed <= (TEST_FEW ? 2 : 12); ++seed) {
		uint64_t random = seed;
		double first = 0, most = 0;
		cairn_scene *s = yard_scene(down);
		CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
		cairn_material m = yard_material(s, 0.3, 0.3);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		yard_plane(s, m, v3_make(0, 1, 0), -0.25);
		yard_plane(s, m, v3_make(0, -1, 0), -0.25);
		for (int side = -1; side < 2; side += 2)
			yard_plane(s, m, v3_make(side * cos(0.15), 0, sin(0.15)), -0.03);
		cairn_shape cube = yard_box(s, 0.1, 0.1, 0.1);
		for (int i = 0; i < 16; ++i) {
			cairn_body_def d = yard_body(cube, m, v3_make(0, 0.2 * (i % 2) - 0.1, 0.8 + 0.2 * (i / 2)));
			d.pose.orientation = random_turn(&random);
			d.velocity = v3_make(0, 0, -10), d.spin = v3_scale(random_in_cube(&random), 10);
			cairn_scene_add_body(s, &d, NULL);
		}
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		for (int frame = 0; frame < 30; ++frame) {
			CHECK(yard_step(&y));
			double total = y.report.energy.kinetic + y.report.energy.potential;
			first = frame == 0 ? total : first;
			most = fmax(most, fabs(y.report.energy.impacts) / first);
		}
		/* Impulses that friction lets grow against each other would do work of 1e6 times that. */
		CHECK(most < 2);
		for (int k = 0; k < 3 && (k == 0 || y.report.energy.kinetic > 0); ++k)
			yard_run(&y, 300); /* one of the twelve creeps on for a while */
		CHECK(y.report.energy.kinetic == 0);
		yard_no_gain(&y);
		yard_close(&y);
	}
}

/* Flat and tilted: at the kept gap, and from then on it stays to the bit. */
TEST(dropped_cube_comes_to_rest_at_the_kept_gap)
{
	const v3 tilts[3] = {{0, 0, 0}, {0.3, 0.2, 0.1}, {0.7, -0.4, 1}};
	for (int i = 0; i < 3; ++i) {
		cairn_scene *s = yard_scene(down);
		CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
		cairn_material m = yard_material(s, 0.4, 0.4);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body_def d = yard_body(yard_box(s, 1, 1, 1), m, v3_make(0, 0, 2));
		d.pose.orientation = q_exp(tilts[i]);
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, 240);
		cairn_key rest = yard_key(&y, b);
		CHECK_NEAR(rest.position.z, 0.501, 2e-6);
		CHECK_NEAR(v3_length(rest.velocity) + v3_length(rest.spin), 0, 0);
		for (int k = 0; k < 100 && yard_step(&y); ++k) {
			cairn_key now = yard_key(&y, b);
			CHECK(same_pose(&rest, &now));
		}
		yard_no_gain(&y);
		yard_close(&y);
	}
}

TEST(column_of_ten_stands)
{
	cairn_body bodies[10];
	yard y = make_column(10, NULL, "off", bodies);
	REQUIRE(y.ok);
	yard_run(&y, 300);
	for (int i = 0; i < 10; ++i) {
		cairn_key k = yard_key(&y, bodies[i]);
		CHECK_NEAR(v3_distance(k.position, v3_make(0, 0, 0.501 + 1.001 * i)), 0, 1e-4);
		CHECK_NEAR(v3_length(k.velocity), 0, 1e-6);
	}
	yard_no_gain(&y);
	yard_close(&y);
}

/* The heavy one above, where it is hard. */
TEST(stack_with_a_thousandfold_mass_on_top_stands)
{
	cairn_body bodies[3];
	const double masses[3] = {1, 1000, 1};
	yard y = make_column(3, masses, "off", bodies);
	REQUIRE(y.ok);
	yard_run(&y, 300);
	for (int i = 0; i < 3; ++i)
		CHECK_NEAR(v3_distance(yard_key(&y, bodies[i]).position, v3_make(0, 0, 0.501 + 1.001 * i)), 0, 1e-3);
	yard_no_gain(&y);
	yard_close(&y);
}

/* Bodies that touch with no gap at all: they may open up to the kept one, slowly, and never close again. */
/* A block of four metres comes down, a little tilted, on cubes of four centimetres: a million times as heavy as each. */
TEST(crumbs_hold_a_vast_block)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape block = yard_box(s, 4, 4, 4), crumb = yard_box(s, 0.04, 0.04, 0.04);
	cairn_body crumbs[64];
	for (int i = 0; i < 64; ++i)
		crumbs[i] = yard_add(s, crumb, m, v3_make(0.3 * (i / 8) - 1.05, 0.3 * (i % 8) - 1.05, 0.0205), v3_zero());
	cairn_body_def d = yard_body(block, m, v3_make(0, 0, 2.2));
	d.pose.orientation = q_exp(v3_make(0.01, 0.02, 0));
	cairn_body vast = cairn_scene_add_body(s, &d, NULL);
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	double fastest = 0;
	for (int frame = 0; frame < 90 && yard_step(&y); ++frame)
		for (int i = 0; i < 64; ++i)
			fastest = fmax(fastest, v3_length(yard_key(&y, crumbs[i]).velocity));
	CHECK(fastest < 5); /* m/s: the block comes down at two */
	CHECK_NEAR(yard_key(&y, vast).position.z, 2.04, 0.005);
	CHECK(v3_length(yard_key(&y, vast).velocity) < 0.01);
	CHECK(y.tiers[CAIRN_TIER_HOLD] == 0);
	CHECK(y.lift < 1e-2);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(touching_stack_stands)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	cairn_body bodies[4];
	for (int i = 0; i < 4; ++i)
		bodies[i] = yard_add(s, cube, m, v3_make(0, 0, 0.5 + i), v3_zero());
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	double before = 0;
	for (int k = 0; k < 200 && yard_step(&y); ++k) {
		double top = yard_key(&y, bodies[3]).position.z - 3.5;
		CHECK(top >= before - 1e-9 && top - before < 1e-4);
		before = top;
	}
	for (int i = 1; i < 4; ++i) {
		cairn_gap gap;
		CHECK(cairn_world_gap(y.world, bodies[i - 1], bodies[i], &gap));
		CHECK(gap.gap >= 0 && gap.gap < 1.001e-3);
	}
	yard_no_gain(&y);
	yard_close(&y);
}

/* ---- sleep */

TEST(island_sleeps_and_wakes_on_an_impulse)
{
	cairn_body bodies[4];
	yard y = make_column(4, NULL, "on", bodies);
	REQUIRE(y.ok);
	for (int k = 0; k < 200 && !y.report.asleep && yard_step(&y); ++k)
		;
	CHECK_INT(y.report.asleep, 4);
	cairn_key at = yard_key(&y, bodies[2]);
	yard_run(&y, 10);
	cairn_key still = yard_key(&y, bodies[2]);
	CHECK(same_pose(&at, &still));
	CHECK_INT(y.report.asleep, 4);
	double mass = cairn_world_body_info(y.world, bodies[3]).mass;
	CHECK(yard_push(&y, bodies[3], v3_make(3 * mass, 0, 0)));
	yard_step(&y);
	CHECK_INT(y.report.asleep, 0);
	yard_run(&y, 60);
	CHECK(yard_key(&y, bodies[3]).position.x > 0.5);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(island_wakes_on_contact)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 1, 1, 1);
	cairn_body low = yard_add(s, cube, m, v3_make(0, 0, 0.501), v3_zero());
	cairn_body far = yard_add(s, cube, m, v3_make(9, 0, 0.501), v3_zero());
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	yard_run(&y, 150);
	CHECK_INT(y.report.asleep, 2);
	cairn_error e = {0};
	cairn_body_def d = yard_body(cube, m, v3_make(0.6, 0, 2.5));
	cairn_body high = cairn_world_add_body(y.world, &d, &e);
	CHECK(high.generation);
	uint32_t least = 2;
	for (int k = 0; k < 60 && yard_step(&y); ++k)
		least = y.report.asleep < least ? y.report.asleep : least;
	CHECK_INT(least, 1); /* the one far away sleeps on */
	CHECK_NEAR(yard_key(&y, far).position.x, 9, 1e-6);
	CHECK_NEAR(yard_key(&y, low).position.z, 0.501, 1e-4);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(sleeper_wakes_when_its_support_goes)
{
	cairn_body bodies[3];
	yard y = make_column(3, NULL, "on", bodies);
	REQUIRE(y.ok);
	yard_run(&y, 150);
	CHECK_INT(y.report.asleep, 3);
	CHECK(cairn_world_remove_body(y.world, bodies[0], NULL));
	yard_run(&y, 90);
	CHECK_NEAR(yard_key(&y, bodies[1]).position.z, 0.501, 1e-4);
	CHECK_NEAR(yard_key(&y, bodies[2]).position.z, 1.502, 1e-4);
	yard_no_gain(&y);
	yard_close(&y);
}

/* Gravity that turns counts as no event: the bodies must notice. */
TEST(sleeper_wakes_when_gravity_changes)
{
	cairn_body bodies[2];
	yard y = make_column(2, NULL, "on", bodies);
	REQUIRE(y.ok);
	yard_run(&y, 150);
	CHECK_INT(y.report.asleep, 2);
	CHECK(cairn_world_set_gravity(y.world, v3_make(8, 0, -6), NULL));
	for (int k = 0; k < 30; ++k)
		CHECK(cairn_world_step(y.world).status == CAIRN_STEP_OK);
	CHECK(yard_key(&y, bodies[0]).position.x > 0.5);
	cairn_world_destroy(y.world);
}

/* A heap of 20 cubes that has come to rest lies the same with sleeping and without. */
TEST(sleep_does_not_change_where_things_rest)
{
	enum { COUNT = 20 };
	cairn_body bodies[2][COUNT];
	yard ys[2];
	for (int j = 0; j < 2; ++j) {
		uint64_t random = 7;
		cairn_scene *s = yard_scene(down);
		CHECK(cairn_scene_set_option(s, "sleep", j ? "off" : "on", NULL));
		cairn_material m = yard_material(s, 0.2, 0.4);
		yard_shaft(s, m, 1.3);
		cairn_shape cube = yard_box(s, 0.8, 0.8, 0.8);
		for (int i = 0; i < COUNT; ++i) {
			cairn_body_def d =
				yard_body(cube, m, v3_make(1.3 * (i % 2) - 0.65, 1.3 * (i / 2 % 2) - 0.65, 1 + 1.4 * (i / 4)));
			d.spin = random_in_cube(&random);
			bodies[j][i] = cairn_scene_add_body(s, &d, NULL);
		}
		ys[j] = yard_open(s, 1);
		REQUIRE(ys[j].ok);
		yard_run(&ys[j], TEST_FEW ? 300 : 450);
	}
	CHECK_INT(ys[0].report.asleep, COUNT);
	CHECK_INT(ys[1].report.asleep, 0);
	for (int i = 0; i < COUNT; ++i) {
		cairn_key a = yard_key(&ys[0], bodies[0][i]), b = yard_key(&ys[1], bodies[1][i]);
		CHECK_NEAR(v3_distance(a.position, b.position), 0, 1e-6);
		CHECK_NEAR(v3_length(q_turn(a.orientation, b.orientation)), 0, 1e-6);
	}
	yard_no_gain(&ys[0]);
	yard_close(&ys[0]);
	yard_no_gain(&ys[1]);
	yard_close(&ys[1]);
}

/* A plank across the edge of a block, with a weight beyond the edge: it tips, and not in slow motion. The far end of the
 * plank passes the block's plane beside the block. */
TEST(loaded_plank_tips)
{
	cairn_scene *s = yard_scene(v3_make(0, 0, -10));
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def base = yard_body(yard_box(s, 2, 1, 1), m, v3_make(0, 0, 0.5));
	base.type = CAIRN_FIXED;
	cairn_scene_add_body(s, &base, NULL);
	cairn_body plank = yard_add(s, yard_box(s, 2, 0.5, 0.1), m, v3_make(0.8, 0, 1.0502), v3_zero());
	cairn_body cube = yard_add(s, yard_box(s, 0.5, 0.5, 0.5), m, v3_make(1.5, 0, 1.352), v3_zero());
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, 20));
	CHECK(yard_key(&y, plank).spin.y > 1); /* as one body about the edge it would reach 1.7 rad/s */
	CHECK(yard_run(&y, 25));
	CHECK(yard_key(&y, cube).position.z < 0.8);
	yard_no_gain(&y);
	yard_close(&y);
}

/* ---- at rest, nothing changed */

/* A column that has stood for a while without sleep: no program is needed to know that it still does. */
static yard make_resting_column(cairn_body *bodies)
{
	yard y = make_column(3, NULL, "off", bodies);
	uint32_t programs = 1;
	for (int k = 0; k < 200 && programs && y.ok && yard_step(&y); ++k)
		programs = y.report.programs;
	CHECK(programs == 0 && y.report.asleep == 0 && y.report.contacts == 12);
	return y;
}

static double load_under(const yard *y, cairn_body body)
{
	cairn_contact contacts[40];
	uint32_t count = cairn_world_contacts(y->world, contacts, 40);
	double load = 0;
	for (uint32_t i = 0; i < count && i < 40; ++i)
		if (contacts[i].a.index == body.index || contacts[i].b.index == body.index)
			load += contacts[i].point.z < 0.01 ? fabs(contacts[i].impulse.z) * 30 : 0;
	return load;
}

TEST(what_rests_needs_no_program)
{
	cairn_body bodies[3];
	yard y = make_resting_column(bodies);
	REQUIRE(y.ok);
	double load = load_under(&y, bodies[0]);
	cairn_key rest = yard_key(&y, bodies[2]);
	CHECK_NEAR(load, 3 * 8000, 1);
	size_t size = cairn_world_snapshot_size(y.world);
	char *bytes = malloc(size);
	REQUIRE(bytes && cairn_world_snapshot(y.world, bytes, size, NULL));
	CHECK(yard_run(&y, 30));
	uint64_t hash = cairn_world_hash(y.world);
	cairn_key now = yard_key(&y, bodies[2]);
	CHECK(y.report.programs == 0 && load_under(&y, bodies[0]) == load && same_pose(&rest, &now));
	CHECK(cairn_world_restore(y.world, bytes, size, NULL) && yard_run(&y, 30));
	CHECK(cairn_world_hash(y.world) == hash);
	free(bytes);
	yard_no_gain(&y);
	yard_close(&y);
}

/* A hand, a blow, a weight, gravity, a surface, a support that goes: each is felt in the next frame. */
TEST(what_rests_feels_every_change)
{
	for (int i = 0; i < 6; ++i) {
		cairn_body bodies[3];
		yard y = make_resting_column(bodies);
		REQUIRE(y.ok);
		cairn_body_info info = cairn_world_body_info(y.world, bodies[2]);
		cairn_material_def ice = cairn_default_material_def();
		ice.density = 800, ice.static_friction = ice.kinetic_friction = 0;
		cairn_body_def more = yard_body(info.shape, info.material, v3_make(0, 0, 3.51));
		cairn_drag_def hand = cairn_default_drag_def();
		hand.body = bodies[2], hand.target = v3_make(1, 0, 3);
		switch (i) {
		case 0: CHECK(cairn_world_remove_body(y.world, bodies[0], NULL)); break;
		case 1: CHECK(cairn_world_set_gravity(y.world, v3_make(6, 0, -10), NULL)); break;
		case 2: CHECK(yard_push(&y, bodies[2], v3_make(2000, 0, 0))); break;
		case 3: CHECK(cairn_world_set_material(y.world, info.material, &ice, NULL)); break;
		case 4: CHECK(cairn_world_add_body(y.world, &more, NULL).generation); break;
		default: CHECK(cairn_world_drag(y.world, &hand, NULL)); break;
		}
		CHECK(yard_step(&y));
		CHECK(y.report.programs > 0);
		yard_run(&y, 20);
		v3 at = yard_key(&y, bodies[2]).position;
		bool goes = v3_distance(at, v3_make(0, 0, 2.503)) > 0.01;
		CHECK(goes == (i != 3 && i != 4));
		if (i == 4)
			CHECK_NEAR(load_under(&y, bodies[0]), 4 * 8000, 800);
		yard_close(&y);
	}
}

/* What a hand holds against a ceiling falls when it is let go. */
TEST(what_a_hand_held_falls)
{
	cairn_scene *s = yard_scene(down);
	CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
	cairn_material m = yard_material(s, 0.3, 0.3);
	yard_plane(s, m, v3_make(0, 0, -1), -5);
	cairn_body b = yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0, 0, 4.4), v3_zero());
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	cairn_drag_def hand = cairn_default_drag_def();
	hand.body = b, hand.target = v3_make(0, 0, 6);
	CHECK(cairn_world_drag(y.world, &hand, NULL) && yard_run(&y, 200));
	CHECK(yard_key(&y, b).position.z > 4.4 && v3_length(yard_key(&y, b).velocity) < 1e-6);
	CHECK(cairn_world_release(y.world, b, NULL) && yard_run(&y, 10));
	CHECK(yard_key(&y, b).velocity.z < -3);
	yard_close(&y);
}

/* A wall of bricks that are one island and rest; those whose pose a step changes. */
enum { WALL_ROWS = 8, WALL_LENGTH = 12, WALL = WALL_ROWS * WALL_LENGTH };

static int moved_by_step(yard *y, const cairn_body *bricks)
{
	cairn_key before[WALL];
	int moved = 0;
	for (int i = 0; i < WALL; ++i)
		before[i] = yard_key(y, bricks[i]);
	CHECK(yard_step(y));
	for (int i = 0; i < WALL; ++i) {
		cairn_key now = yard_key(y, bricks[i]);
		moved += memcmp(&now.position, &before[i].position, sizeof now.position) != 0;
	}
	return moved;
}

TEST(a_push_moves_what_is_near_it)
{
	cairn_scene *s = yard_scene(down);
	CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
	cairn_material m = yard_material(s, 0, 0.6);
	cairn_shape brick = yard_box(s, 0.4, 0.2, 0.2);
	cairn_body bricks[WALL];
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int i = 0; i < WALL; ++i) {
		int row = i / WALL_LENGTH, x = i % WALL_LENGTH;
		bricks[i] =
			yard_add(s, brick, m, v3_make(0.402 * x + (row % 2 ? 0.16 : 0), 0, 0.101 + 0.2005 * row), v3_zero());
	}
	yard y = yard_open(s, 1);
	REQUIRE(y.ok && yard_run(&y, 300));
	CHECK(moved_by_step(&y, bricks) == 0);
	cairn_key from = yard_key(&y, bricks[WALL - 1]);
	CHECK(yard_push(&y, bricks[WALL - 1], v3_make(0, 0.3, 0)));
	int moved = moved_by_step(&y, bricks);
	CHECK(moved >= 1 && moved <= 20); /* of 96: the brick that was pushed and those within three contacts */
	CHECK(yard_run(&y, 60) && moved_by_step(&y, bricks) == 0);
	CHECK(v3_length(v3_sub(yard_key(&y, bricks[WALL - 1]).position, from.position)) > 1e-5);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST_MAIN(TEST_CASE(a_push_moves_what_is_near_it), TEST_CASE(what_is_wedged_comes_to_rest),
          TEST_CASE(dropped_cube_comes_to_rest_at_the_kept_gap), TEST_CASE(column_of_ten_stands),
          TEST_CASE(stack_with_a_thousandfold_mass_on_top_stands), TEST_CASE(crumbs_hold_a_vast_block),
          TEST_CASE(touching_stack_stands), TEST_CASE(island_sleeps_and_wakes_on_an_impulse),
          TEST_CASE(island_wakes_on_contact), TEST_CASE(sleeper_wakes_when_its_support_goes),
          TEST_CASE(sleeper_wakes_when_gravity_changes), TEST_CASE(sleep_does_not_change_where_things_rest),
          TEST_CASE(loaded_plank_tips), TEST_CASE(what_rests_needs_no_program),
          TEST_CASE(what_rests_feels_every_change), TEST_CASE(what_a_hand_held_falls))
