/* The penalty method and what all classic methods share: substeps, keys, the ledger, frames that are measured. The figures
 * are those of the texts (PBA 7.4.2) or follow from the spring's equation. */
#include "classic_yard.h"

#include <stdlib.h>

/* PBA 7.4.2 and figure 7.18: m 10, k 250. Half a swing of the spring: pi sqrt(m/k) = 0.628 s. */
TEST(contact_lasts_half_a_swing)
{
	cairn_scene *s = classic_scene("penalty", v3_zero(), 1000);
	classic_set(s, "substeps", "1"), classic_set(s, "stiffness", "250"), classic_set(s, "damping", "0");
	cairn_material m = yard_material(s, 1, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.5, 0), m, v3_make(0, 0, 0.6));
	d.mass = 10, d.velocity = v3_make(0, 0, -1), d.name = "ball";
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	uint32_t inside = 0;
	double deepest = 0;
	for (int i = 0; i < 1000; ++i) {
		classic_step(&c);
		inside += c.report.depth > 0;
		deepest = fmax(deepest, c.report.depth);
	}
	CHECK_NEAR(inside / 1000.0, CN_PI * sqrt(10.0 / 250), 0.01 * 0.628);
	CHECK_NEAR(deepest, sqrt(10.0 / 250), 0.01 * 0.2); /* v sqrt(m/k) */
	CHECK_NEAR(classic_key(&c, "ball").velocity.z, 1, 1e-3);
	classic_close(&c);
}

/* At rest a ball has sunk in by m g / k, and that is what the independent check measures. */
TEST(a_body_at_rest_sinks_in_by_its_weight)
{
	cairn_scene *s = classic_scene("penalty", v3_make(0, 0, -10), 30);
	classic_set(s, "substeps", "32"), classic_set(s, "stiffness", "20000");
	cairn_material m = yard_material(s, 0, 0);
	cairn_body floor = yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.5, 0), m, v3_make(0, 0, 0.5));
	d.mass = 10, d.name = "ball";
	cairn_body ball = cairn_scene_add_body(s, &d, NULL);
	classic c = classic_open(s, 1);
	for (int i = 0; i < 120; ++i)
		classic_step(&c);
	CHECK_NEAR(c.report.depth, 10 * 10 / 20000.0, 1e-6);
	CHECK(c.report.measured && c.report.certificate.overlaps > 0);
	CHECK(c.report.deep_a.index == floor.index && c.report.deep_b.index == ball.index);
	CHECK(c.report.min_gap == -c.report.depth);
	classic_close(&c);
}

/* The damper that no scene gives is the one for the materials' restitution. */
TEST(dampers_give_the_restitution_of_the_materials)
{
	const double wanted[] = {1, 0.9, 0.7, 0.5, 0.3};
	for (size_t i = 0; i < CN_COUNT(wanted); ++i) {
		cairn_scene *s = classic_scene("penalty", v3_zero(), 100);
		classic_set(s, "substeps", "16"), classic_set(s, "stiffness", "1e5");
		cairn_material m = yard_material(s, wanted[i], 0);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.5, 0), m, v3_make(0, 0, 0.51));
		d.mass = 100, d.velocity = v3_make(0, 0, -1), d.name = "ball";
		REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
		classic c = classic_open(s, 1);
		for (int k = 0; k < 50; ++k)
			classic_step(&c);
		CHECK_NEAR(classic_key(&c, "ball").velocity.z, wanted[i], 0.01);
		CHECK(c.report.depth == 0);
		classic_close(&c);
	}
}

static double slid(double friction)
{
	const double slope = 0.3;
	cairn_scene *s = classic_scene("penalty", v3_make(10 * sin(slope), 0, -10 * cos(slope)), 30);
	cairn_material m = yard_material(s, 0, friction);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_box(s, 1, 1, 0.5), m, v3_make(0, 0, 0.25));
	d.name = "block";
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	for (int i = 0; i < 60; ++i)
		classic_step(&c);
	double x = classic_key(&c, "block").position.x;
	classic_close(&c);
	return x;
}

/* tan 0.3 = 0.309: friction 0.4 holds the block, 0.2 lets it slide with g (sin - mu cos). */
TEST(friction_springs_hold_and_slide)
{
	CHECK_NEAR(slid(0.4), 0, 0.005);
	CHECK_NEAR(slid(0.2), 0.5 * 10 * (sin(0.3) - 0.2 * cos(0.3)) * 4, 0.03);
	CHECK_NEAR(slid(0), 0.5 * 10 * sin(0.3) * 4, 1e-3);
}

static cairn_scene *heap(const char *certify)
{
	cairn_scene *s = classic_scene("penalty", v3_make(0, 0, -10), 30);
	cairn_material m = yard_material(s, 0.2, 0.5);
	yard_shaft(s, m, 1.5);
	cairn_shape box = yard_box(s, 1, 0.8, 0.6), ball = yard_round(s, CAIRN_SPHERE, 0.4, 0),
				rod = yard_round(s, CAIRN_CAPSULE, 0.2, 0.8);
	for (int i = 0; i < 12; ++i) {
		cairn_body_def d = yard_body(i % 3 == 0   ? box
		                             : i % 3 == 1 ? ball
		                                          : rod,
		                             m, v3_make(0.3 * (i % 2), 0.2 * (i % 3), 0.6 + 0.9 * i));
		d.spin = v3_make(3 * i, 1, 40 * (i % 4 == 3));
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	}
	cairn_script_key keys[] = {{0, {{0.8, 0, 0.3}, {1, 0, 0, 0}}}, {1.03, {{-0.6, 0, 0.35}, {0, 0, 0, 1}}}};
	cairn_body_def d = yard_body(yard_box(s, 0.4, 0.4, 0.4), m, keys[0].pose.position);
	d.type = CAIRN_SCRIPTED, d.keys = keys, d.key_count = 2;
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	classic_set(s, "certify", certify);
	return s;
}

/* Balls, boxes and rods on each other and a script among them: the ledger adds up in every frame, the keys lead from one to
 * the next (the certificate counts those that do not as passages of a body alone), and threads change no bit. */
/* A bar nearly all of whose mass is at its middle: a force at its end turns it thousands of times more easily than it moves it. It
 * lands on its end and falls over, and nothing bursts. */
TEST(what_turns_easily_stays_in_hand)
{
	cairn_scene *s = classic_scene("penalty", v3_make(0, 0, -10), 30);
	classic_set(s, "substeps", "256"); /* the spring that 16 can follow here is too soft to bear its weight */
	cairn_material m = yard_material(s, 0, 1);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_box(s, 2, 0.3, 0.1), m, v3_make(0, 0, 0.9));
	const double inertia[9] = {1e-4, 0, 0, 0, 1e-4, 0, 0, 0, 1e-4};
	d.name = "bar", d.mass = 1, d.has_inertia = true, d.velocity = v3_make(1, 0, 0);
	d.pose.orientation = (quat){cos(0.4), 0, sin(0.4), 0};
	memcpy(d.inertia, inertia, sizeof inertia);
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	double first = c.total, most = 0;
	for (int i = 0; i < 90 && c.ok; ++i) {
		classic_step(&c);
		most = fmax(most, c.total);
	}
	printf("bar: depth %.2g m, energy at most %.3g of the first\n", c.deepest, most / first);
	CHECK(c.ok);
	CHECK(c.deepest < 0.1);
	CHECK(most <= first * (1 + 1e-9)); /* what springs give back they took */
	CHECK_NEAR(c.ledger, 0, 1e-9);
	classic_close(&c);
}

TEST(a_heap_keeps_its_ledger_on_any_threads)
{
	classic one = classic_open(heap("auto"), 1), three = classic_open(heap("auto"), 3);
	bool same = true;
	uint32_t keys = 0;
	for (int i = 0; i < 90; ++i) {
		classic_step(&one), classic_step(&three);
		same &= cairn_world_hash(one.world) == cairn_world_hash(three.world);
		keys += one.report.extra_keys;
	}
	CHECK(same && keys > 90);
	CHECK_NEAR(one.ledger, 0, 1e-12);
	classic_close(&one), classic_close(&three);
}

/* A snapshot goes on to the same bits. */
TEST(a_snapshot_goes_on_as_the_world_did)
{
	classic a = classic_open(heap("auto"), 1), b = classic_open(heap("auto"), 2);
	for (int i = 0; i < 40; ++i)
		classic_step(&a);
	size_t size = cairn_world_snapshot_size(a.world);
	void *bytes = malloc(size);
	REQUIRE(bytes && cairn_world_snapshot(a.world, bytes, size, NULL));
	CHECK(cairn_world_restore(b.world, bytes, size, NULL));
	free(bytes);
	for (int i = 0; i < 40; ++i)
		classic_step(&a), (void)cairn_world_step(b.world);
	CHECK(cairn_world_hash(a.world) == cairn_world_hash(b.world));
	classic_close(&a), classic_close(&b);
}

/* With certify=full the frame that overlaps is refused and leaves everything as it was, however often it is tried. */
TEST(a_frame_that_is_refused_leaves_no_trace)
{
	cairn_error e = {0};
	cairn_scene *s = heap("full");
	cairn_world *w = cairn_world_create(s, NULL, &e);
	cairn_scene_destroy(s);
	cairn_step_report r = {0};
	REQUIRE(w);
	for (int i = 0; i < 90 && r.status == CAIRN_STEP_OK; ++i)
		r = cairn_world_step(w);
	CHECK_INT(r.status, CAIRN_STEP_UNCERTIFIED);
	CHECK(!r.measured && r.certificate.verdict == CAIRN_OVERLAP);
	uint64_t before = cairn_world_hash(w);
	for (int i = 0; i < 3; ++i) {
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_UNCERTIFIED);
		CHECK(cairn_world_hash(w) == before);
	}
	cairn_world_destroy(w);
}

/* What the row of the method does not have is refused, and where that is said. */
TEST(what_the_method_cannot_do_is_refused)
{
	cairn_error e = {0};
	cairn_scene *s = classic_scene("penalty", v3_make(0, 0, -10), 30);
	cairn_material_def d = cairn_default_material_def();
	d.name = "felt", d.rolling = 0.01;
	cairn_material felt = cairn_scene_add_material(s, &d, NULL);
	yard_plane(s, yard_material(s, 0, 0), v3_make(0, 0, 1), 0);
	cairn_body ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.5, 0), felt, v3_make(0, 0, 2), v3_zero());
	CHECK(!cairn_world_create(s, NULL, &e));
	CHECK_INT(e.code, CAIRN_INVALID);
	CHECK_TEXT(e.path, "materials");
	CHECK_HAS(e.message, "'felt' asks for rolling resistance");
	cairn_scene_destroy(s);

	s = classic_scene("penalty", v3_make(0, 0, -10), 30);
	ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.5, 0), yard_material(s, 0, 0), v3_make(0, 0, 2), v3_zero());
	cairn_joint_def j = cairn_default_joint_def();
	j.a = ball, j.point = v3_make(0, 0, 3);
	REQUIRE(cairn_scene_add_joint(s, &j, &e).generation);
	CHECK(!cairn_world_create(s, NULL, &e));
	CHECK_TEXT(e.path, "joints");
	cairn_scene_destroy(s);

	s = classic_scene("penalty", v3_make(0, 0, -10), 30);
	CHECK(cairn_scene_set_option(s, "steps", "4", &e));
	CHECK(!cairn_world_create(s, NULL, &e));
	CHECK_TEXT(e.path, "world.options.steps");
	cairn_scene_destroy(s);
}

/* Deep overlap at the start is refused as for oba. */
TEST(an_overlap_at_the_start_is_refused)
{
	cairn_error e = {0};
	cairn_scene *s = classic_scene("penalty", v3_zero(), 30);
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.5, 0);
	yard_add(s, ball, m, v3_zero(), v3_zero()), yard_add(s, ball, m, v3_make(0.9, 0, 0), v3_zero());
	CHECK(!cairn_world_create(s, NULL, &e));
	CHECK_HAS(e.message, "overlap at the start");
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(contact_lasts_half_a_swing), TEST_CASE(a_body_at_rest_sinks_in_by_its_weight),
          TEST_CASE(dampers_give_the_restitution_of_the_materials), TEST_CASE(friction_springs_hold_and_slide),
          TEST_CASE(what_turns_easily_stays_in_hand), TEST_CASE(a_heap_keeps_its_ledger_on_any_threads),
          TEST_CASE(a_snapshot_goes_on_as_the_world_did), TEST_CASE(a_frame_that_is_refused_leaves_no_trace),
          TEST_CASE(what_the_method_cannot_do_is_refused), TEST_CASE(an_overlap_at_the_start_is_refused))
