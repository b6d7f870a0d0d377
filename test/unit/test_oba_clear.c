/* Method oba, crowds: nothing overlaps or passes, energy does not come from nowhere, whatever is thrown together. Every
 * frame of every case is certified (yard.h). */
#include "hardship.h"
#include "random.h"
#include "yard.h"

static const v3 down = {0, 0, -10};

static v3 grid_place(int i, int side, double step, double floor)
{
	double half = 0.5 * (side - 1);
	return v3_make(step * (i % side - half), step * (i / side % side - half), floor + step * (i / (side * side)));
}

/* Cubes above each other in a shaft, turning a little. */
static cairn_scene *make_pile(int count, double restitution)
{
	uint64_t random = 3;
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, restitution, 0.3);
	yard_shaft(s, m, 2);
	cairn_shape cube = yard_box(s, 0.8, 0.8, 0.8);
	for (int i = 0; i < count; ++i) {
		cairn_body_def d = yard_body(cube, m, grid_place(i, 3, 1.25, 0.9));
		v3 turn = random_in_cube(&random), spin = random_in_cube(&random);
		d.pose.orientation = q_exp(v3_scale(turn, 0.1)), d.spin = spin;
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	}
	return s;
}

/* ---- certified */

TEST(fast_body_does_not_pass_a_thin_wall)
{
	for (int i = 0; i < 6; ++i) {
		cairn_scene *s = yard_scene(v3_zero());
		cairn_material m = yard_material(s, 0.1 * i, 0.3);
		cairn_body_def wall = yard_body(yard_box(s, 0.001, 40, 40), m, v3_zero());
		wall.type = CAIRN_FIXED;
		CHECK(cairn_scene_add_body(s, &wall, NULL).generation);
		cairn_body_def d = yard_body(yard_box(s, 0.2, 0.2, 0.2), m, v3_make(-20.2 - i, 0, 0));
		d.velocity = v3_make(300 + 140 * i, 7, -3), d.spin = v3_make(i, 2 * i, -i);
		cairn_body cube = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, 12);
		CHECK(yard_key(&y, cube).position.x < 0);
		yard_no_gain(&y);
		yard_close(&y);
	}
}

TEST(fast_bodies_meet_head_on)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 0.5, 0.3);
	cairn_shape cube = yard_box(s, 0.5, 0.5, 0.5);
	cairn_body a = yard_add(s, cube, m, v3_make(-13, 0.05, 0), v3_make(300, 0, 0));
	cairn_body b = yard_add(s, cube, m, v3_make(13, 0, 0.1), v3_make(-300, 0, 0));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	yard_run(&y, 8);
	CHECK(yard_key(&y, a).position.x < yard_key(&y, b).position.x);
	CHECK(yard_key(&y, a).velocity.x < yard_key(&y, b).velocity.x);
	yard_no_gain(&y);
	yard_close(&y);
}

/* Each other's target is far behind the other: they meet all the same, whatever way they are turned. */
TEST(fast_bodies_do_not_go_round_each_other)
{
	for (uint64_t seed = 1; seed <= (TEST_FEW ? 3 : 20); ++seed) {
		uint64_t random = seed;
		cairn_scene *s = yard_scene(v3_zero());
		cairn_material m = yard_material(s, 0.3, 0.3);
		cairn_shape shapes[3] = {yard_box(s, 1, 1, 1), yard_round(s, CAIRN_SPHERE, 0.5, 0),
		                         yard_box(s, 0.05, 1.5, 1.5)};
		cairn_body_def a = yard_body(shapes[seed % 3], m, v3_make(-12, 0, 0)),
					   b = yard_body(shapes[seed % 2 ? 0 : 2], m, v3_make(12, 0.2, 0.1));
		a.velocity = v3_make(300, 0, 0), b.velocity = v3_make(-300, 0, 0);
		a.pose.orientation = random_turn(&random), b.pose.orientation = random_turn(&random);
		b.spin = v3_scale(random_in_cube(&random), 10);
		cairn_body first = cairn_scene_add_body(s, &a, NULL);
		cairn_scene_add_body(s, &b, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		CHECK(yard_step(&y));
		double before = y.report.energy.kinetic;
		yard_run(&y, 10);
		CHECK(yard_key(&y, first).velocity.x < 290);
		CHECK(y.report.energy.kinetic < 0.95 * before);
		yard_no_gain(&y);
		yard_close(&y);
	}
}

TEST(spinning_blade_among_cubes)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	yard_shaft(s, m, 2.5);
	cairn_shape cube = yard_box(s, 0.8, 0.8, 0.8), blade = yard_box(s, 2.4, 0.2, 0.05);
	for (int i = 0; i < 18; ++i)
		CHECK(yard_add(s, cube, m, grid_place(i, 3, 1.2, 0.5), v3_zero()).generation);
	cairn_body_def d = yard_body(blade, m, v3_make(0, 0, 3.5));
	d.spin = v3_make(0, 5, 100), d.velocity = v3_make(0, 0, -8);
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	yard y = yard_open(s, 2);
	REQUIRE(y.ok);
	yard_run(&y, TEST_FEW ? 40 : 120);
	yard_no_gain(&y);
	yard_close(&y);
}

/* Cubes at exactly no distance, free to open and with no room for it. */
TEST(touching_grid)
{
	for (int box = 0; box < 2; ++box) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0.3, 0.3);
		yard_shaft(s, m, box ? 1.5 : 9);
		if (box)
			yard_plane(s, m, v3_make(0, 0, -1), -3);
		cairn_shape cube = yard_box(s, 1, 1, 1);
		for (int i = 0; i < 27; ++i)
			CHECK(yard_add(s, cube, m, grid_place(i, 3, 1, 0.5), v3_zero()).generation);
		yard y = yard_open(s, 2);
		REQUIRE(y.ok);
		yard_run(&y, 60);
		yard_no_gain(&y);
		yard_close(&y);
	}
}

/* An L, a wedge, cylinders, capsules and balls. */
static cairn_scene *make_mixture(int count)
{
	uint64_t random = 11;
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.4);
	yard_shaft(s, m, 2.7);
	cairn_part parts[2] = {{yard_box(s, 0.9, 0.3, 0.3), pose_identity()},
	                       {yard_box(s, 0.3, 0.3, 0.6), pose_identity()}};
	parts[1].pose.position = v3_make(0.3, 0, 0.45);
	cairn_shape_def l = cairn_default_shape_def(CAIRN_COMPOUND), wedge = cairn_default_shape_def(CAIRN_HULL);
	l.parts = parts, l.part_count = 2;
	const v3 points[6] = {{-0.4, -0.4, -0.2}, {0.4, -0.4, -0.2}, {-0.4, 0.4, -0.2},
	                      {0.4, 0.4, -0.2},   {-0.4, 0, 0.3},    {0.4, 0, 0.3}};
	wedge.points = points, wedge.point_count = 6;
	cairn_shape shapes[6] = {cairn_scene_add_shape(s, &l, NULL),      cairn_scene_add_shape(s, &wedge, NULL),
	                         yard_round(s, CAIRN_CYLINDER, 0.3, 0.7), yard_round(s, CAIRN_CAPSULE, 0.2, 0.6),
	                         yard_round(s, CAIRN_SPHERE, 0.4, 0),     yard_box(s, 0.6, 0.7, 0.8)};
	for (int i = 0; i < count; ++i) {
		cairn_body_def d = yard_body(shapes[i % 6], m, grid_place(i, 3, 1.7, 1));
		d.pose.orientation = random_turn(&random);
		d.spin = random_in_cube(&random);
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	}
	return s;
}

TEST(mixture_of_shapes)
{
	yard y = yard_open(make_mixture(TEST_FEW ? 18 : 36), 2);
	REQUIRE(y.ok);
	yard_run(&y, TEST_FEW ? 60 : 240);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST(objective_by_diameter)
{
	cairn_scene *s = make_pile(27, 0.3);
	CHECK(cairn_scene_set_option(s, "objective", "diameter", NULL));
	yard y = yard_open(s, 2);
	REQUIRE(y.ok);
	yard_run(&y, TEST_FEW ? 60 : 150);
	CHECK(y.rise < 1e-2); /* bodies that hardly turn are pushed up instead, and at rest they have nothing to pay with */
	yard_close(&y);
}

/* ---- energy */

/* Everything that brings or takes energy at once: the accounts add up in every frame. */
TEST(ledger_adds_up)
{
	cairn_scene *s = make_mixture(24);
	cairn_event_def blast = cairn_default_event_def(CAIRN_BLAST);
	blast.frame = 50, blast.point = v3_make(0.2, -0.1, 0.4), blast.speed = 12;
	CHECK(cairn_scene_add_event(s, &blast, NULL));
	cairn_field_def fields[3] = {cairn_default_field_def(CAIRN_WIND), cairn_default_field_def(CAIRN_DRAG),
	                             cairn_default_field_def(CAIRN_ATTRACTOR)};
	fields[0].velocity = v3_make(3, 0, 0), fields[1].linear = 5, fields[1].angular = 0.5;
	fields[2].point = v3_make(0, 0, 3), fields[2].strength = 4, fields[2].softening = 0.5;
	for (int i = 0; i < 3; ++i)
		CHECK(cairn_scene_add_field(s, &fields[i], NULL));
	cairn_body_def body = cairn_scene_body_at(s, 9);
	body.pose.position = v3_make(0, 0, 9), body.linear_damping = 0.3, body.angular_damping = 0.6;
	cairn_emitter_def emitter = cairn_default_emitter_def();
	emitter.name = "e", emitter.bodies = &body, emitter.body_count = 1, emitter.start = 0, emitter.every = 15,
	emitter.batches = 6;
	emitter.jitter.position = v3_make(0.5, 0.5, 0), emitter.jitter.spin = v3_make(4, 4, 4);
	CHECK(cairn_scene_add_emitter(s, &emitter, NULL));
	yard y = yard_open(s, 2);
	REQUIRE(y.ok);
	cairn_energy sum = {0};
	for (int k = 0; k < 150 && yard_step(&y); ++k) {
		sum.events += y.report.energy.events, sum.fields += fabs(y.report.energy.fields);
		sum.damping += y.report.energy.damping, sum.impacts += y.report.energy.impacts;
		sum.friction += y.report.energy.friction;
	}
	CHECK(y.ledger < 1e-6);
	CHECK(sum.events > y.unit && sum.fields > 0 && sum.damping > 0 && sum.impacts > 0 && sum.friction > 0);
	cairn_world_destroy(y.world);
}

/* Sixty cubes; every body gets a velocity of up to 6 m/s each second. Then they are left alone. */
TEST(kicked_pile_gains_nothing_and_settles)
{
	uint64_t random = 17;
	int kicks = TEST_FEW ? 1 : 4, count = TEST_FEW ? 27 : 60;
	cairn_body bodies[80];
	yard y = yard_open(make_pile(count, 0.3), 2);
	REQUIRE(y.ok);
	uint32_t all = cairn_world_bodies(y.world, bodies, 80);
	yard_run(&y, 45);
	for (int k = 0; k < kicks; ++k) {
		for (uint32_t i = 0; i < all; ++i) {
			v3 v = v3_scale(random_in_cube(&random), 6);
			cairn_body_info info = cairn_world_body_info(y.world, bodies[i]);
			if (info.type == CAIRN_DYNAMIC)
				CHECK(yard_push(&y, bodies[i], v3_scale(v, info.mass)));
		}
		yard_run(&y, 30);
	}
	CHECK(y.climb < 1e-4);
	double kinetic = INFINITY;
	for (int k = 0; k < 400 && kinetic > 0 && yard_step(&y); ++k)
		kinetic = y.report.energy.kinetic;
	CHECK_NEAR(kinetic / y.unit, 0, 1e-10);
	for (uint32_t i = 0; i < all; ++i) {
		v3 at = yard_key(&y, bodies[i]).position;
		CHECK(fabs(at.x) < 2 && fabs(at.y) < 2 && at.z > -0.01);
	}
	yard_no_gain(&y);
	yard_close(&y);
}

/* What the floor of a shaft bears, N. */
static double load_on_floor(const yard *y)
{
	static cairn_contact contacts[4000];
	double load = 0;
	uint32_t count = cairn_world_contacts(y->world, contacts, 4000);
	for (uint32_t i = 0; i < count && i < 4000; ++i)
		if (fabs(contacts[i].normal.z) > 0.999 && contacts[i].point.z < 0.01)
			load += fabs(contacts[i].impulse.z) * 30;
	return load;
}

/* Without sleep: a heap lies still, by the same forces to the bit, until a load changes. */
TEST(heap_at_rest_stays)
{
	int count = 75;
	static cairn_contact before[4000], after[4000];
	cairn_scene *s = make_pile(count, 0.3);
	CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
	yard y = yard_open(s, 2);
	REQUIRE(y.ok);
	yard_run(&y, 30);
	for (uint32_t k = 0, programs = 1; k < 600 && programs && yard_step(&y); ++k)
		programs = y.report.programs;
	CHECK(y.report.programs == 0 && y.report.energy.kinetic == 0 && y.report.asleep == 0);
	uint32_t points = cairn_world_contacts(y.world, before, 4000);
	for (int k = 0; k < (TEST_FEW ? 30 : 300) && yard_step(&y); ++k)
		CHECK(y.report.energy.kinetic == 0);
	CHECK_INT(cairn_world_contacts(y.world, after, 4000), points);
	for (uint32_t i = 0; i < points && i < 4000; ++i) {
		v3 change = v3_sub(after[i].impulse, before[i].impulse);
		CHECK(after[i].gap == before[i].gap && v3_length2(change) == 0);
	}
	double load = load_on_floor(&y);
	CHECK(cairn_world_set_gravity(y.world, v3_make(0, 0, -12), NULL));
	yard_run(&y, 60);
	CHECK_NEAR(load_on_floor(&y) / load, 1.2, 0.05);
	yard_close(&y);
}

/* ---- bits and memory */

TEST(threads_do_not_change_a_pile)
{
	uint64_t hashes[3] = {0};
	for (uint32_t i = 0; i < 3; ++i) {
		yard y = yard_open(make_pile(45, 0.3), i + 1);
		REQUIRE(y.ok);
		for (int k = 0; k < 60 && yard_step(&y); ++k)
			hashes[i] = cn_hash_u64(hashes[i], cairn_world_hash(y.world));
		yard_no_gain(&y);
		yard_close(&y);
	}
	CHECK(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

/* Three balls, one of which meets both others at once. */
static cairn_scene *make_tie(void)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 0.8, 0.2);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.5, 0);
	yard_add(s, ball, m, v3_make(-2, 0, 0), v3_make(15, 0, 0));
	yard_add(s, ball, m, v3_make(0, 0.6, 0), v3_zero());
	yard_add(s, ball, m, v3_make(0, -0.6, 0), v3_zero());
	return s;
}

TEST(memory_may_run_out_anywhere)
{
	CHECK(hardship_memory(make_pile(9, 0.3), TEST_FEW ? 12 : 25) > 50);
	CHECK(hardship_memory(make_tie(), 8) > 20);
	cairn_scene *s = make_pile(4, 0.3);
	CHECK(cairn_scene_set_option(s, "precise", "on", NULL));
	CHECK(hardship_memory(s, TEST_FEW ? 12 : 24) > 20);
}

/* Plates that are thin for their speed and size, against a wall as thin: what their turning asks for is many times their
 * thickness's share, and mending has to get there. */
TEST(fast_plates_are_not_held)
{
	uint64_t random = 5;
	cairn_scene *s = yard_scene(v3_make(0, 0, -10));
	cairn_material m = yard_material(s, 0.3, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def wall = yard_body(yard_box(s, 0.01, 60, 20), m, v3_make(0, 0, 10));
	wall.type = CAIRN_FIXED;
	cairn_scene_add_body(s, &wall, NULL);
	cairn_shape plate = yard_box(s, 0.01, 1, 1);
	for (int k = 0; k < 16; ++k) {
		cairn_body_def d = yard_body(plate, m, v3_make(-3, 1.8 * (k % 4), 1.5 + 2 * (k / 4)));
		d.pose.orientation = q_exp(v3_make(0, 0.1 * k, 0));
		d.velocity = v3_make(30, 0, 0), d.spin = random_in_cube(&random);
		cairn_scene_add_body(s, &d, NULL);
	}
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	yard_run(&y, TEST_FEW ? 30 : 120);
	CHECK(y.tiers[CAIRN_TIER_HOLD] == 0);
	CHECK(y.tiers[CAIRN_TIER_HALVE] < 10);
	yard_no_gain(&y);
	yard_close(&y);
}

/* A plate caught by another a millimetre above the floor, falling with it: neither nears the other, so no blow between them
 * would part them, and the floor is out of reach while they are held. */
TEST(what_is_held_is_hit_by_what_it_falls_on)
{
	cairn_scene *s = yard_scene(v3_make(0, 0, -10));
	cairn_material m = yard_material(s, 0.3, 0.3);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape plate = yard_box(s, 0.01, 1, 1);
	cairn_body_def a = yard_body(plate, m, v3_make(-2.358544163, 5.026538135, 0.236659722)),
				   b = yard_body(plate, m, v3_make(-2.952174063, 5.119151500, 0.723411269));
	a.pose.orientation = q_unit((quat){-0.573333384, -0.632008468, -0.316946726, 0.414003503});
	b.pose.orientation = q_unit((quat){-0.582810763, 0.042178576, -0.237591342, -0.775952921});
	a.velocity = v3_make(0.0003, -0.1441, -2.2378), a.spin = v3_make(0.4098, -7.2231, 0.3762);
	b.velocity = v3_make(-0.5269, -2.6394, -3.5351), b.spin = v3_make(12.2848, 1.1804, 10.3196);
	cairn_scene_add_body(s, &a, NULL);
	cairn_scene_add_body(s, &b, NULL);
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	int held = 0;
	for (int k = 0; k < 60 && yard_step(&y); ++k)
		held += y.report.tiers[CAIRN_TIER_HOLD] > 0;
	CHECK(held < 5);
	yard_no_gain(&y);
	yard_close(&y);
}

TEST_MAIN(TEST_CASE(fast_body_does_not_pass_a_thin_wall), TEST_CASE(fast_bodies_meet_head_on),
          TEST_CASE(fast_bodies_do_not_go_round_each_other), TEST_CASE(spinning_blade_among_cubes),
          TEST_CASE(touching_grid), TEST_CASE(mixture_of_shapes), TEST_CASE(objective_by_diameter),
          TEST_CASE(ledger_adds_up), TEST_CASE(kicked_pile_gains_nothing_and_settles), TEST_CASE(heap_at_rest_stays),
          TEST_CASE(threads_do_not_change_a_pile), TEST_CASE(memory_may_run_out_anywhere),
          TEST_CASE(fast_plates_are_not_held), TEST_CASE(what_is_held_is_hit_by_what_it_falls_on))
