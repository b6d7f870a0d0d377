/* The propagation model (RBS 3.3, appendix C) and what it shares with the simultaneous one: impulses in series. */
#include "classic_yard.h"

enum { MOST = 64 };

/* RBS figure 15 and appendix C: a uniform stick of mass 1 and length 2 falls flat with speed 1, e = 1. Three impulses; the ends
 * then move with (1, -2), (2, -1), (1, 1). The ends are small balls, so that there are two points. */
TEST(a_stick_falls_flat)
{
	cairn_scene *s = classic_scene("propagation", v3_zero(), 30);
	cairn_material m = yard_material(s, 1, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.05, 0);
	cairn_part ends[2] = {{ball, {{-1, 0, 0}, {1, 0, 0, 0}}}, {ball, {{1, 0, 0}, {1, 0, 0, 0}}}};
	cairn_shape_def d = cairn_default_shape_def(CAIRN_COMPOUND);
	d.parts = ends, d.part_count = 2;
	cairn_body_def b = yard_body(cairn_scene_add_shape(s, &d, NULL), m, v3_make(0, 0, 0.1));
	const double inertia[9] = {0.01, 0, 0, 0, 1.0 / 3, 0, 0, 0, 1.0 / 3};
	b.name = "stick", b.mass = 1, b.has_inertia = true, b.velocity = v3_make(0, 0, -1);
	memcpy(b.inertia, inertia, sizeof inertia);
	REQUIRE(cairn_scene_add_body(s, &b, NULL).generation);
	classic c = classic_open(s, 1);
	cairn_impact impacts[MOST];
	uint32_t count = 0;
	for (int i = 0; i < 10 && count == 0; ++i) {
		classic_step(&c);
		count = cairn_world_impacts(c.world, impacts, MOST);
	}
	const double ends_after[3][2] = {{1, -2}, {2, -1}, {1, 1}};
	double v = -1, w = 0;
	CHECK_INT(count, 3);
	for (uint32_t i = 0; i < count && i < 3; ++i) {
		double j = -impacts[i].impulse.z, /* on the plane, which is b */
			x = impacts[i].point.x;
		v += j, w += 3 * x * j;
		double struck = v + w * x, other = v - w * x; /* of the end that was struck and of the other one */
		CHECK_NEAR(struck, ends_after[i][0], 1e-12);
		CHECK_NEAR(other, ends_after[i][1], 1e-12);
	}
	CHECK_NEAR(classic_key(&c, "stick").velocity.z, 1, 1e-12);
	CHECK_NEAR(v3_length(classic_key(&c, "stick").spin), 0, 1e-12);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
}

/* RBS figure 16: one ball meets two that stand in touch. */
static void three_balls(const char *method, const double wanted[3])
{
	cairn_scene *s = classic_scene(method, v3_zero(), 30);
	cairn_material m = yard_material(s, 1, 0);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.5, 0);
	const double at[3] = {-1.21, 0, 1};
	const char *names[3] = {"a", "b", "c"};
	for (int i = 0; i < 3; ++i) {
		cairn_body_def d = yard_body(ball, m, v3_make(at[i], 0, 0));
		d.name = names[i], d.velocity = v3_make(i == 0, 0, 0);
		REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	}
	classic c = classic_open(s, 1);
	for (int i = 0; i < 15; ++i)
		classic_step(&c);
	for (int i = 0; i < 3; ++i)
		CHECK_NEAR(classic_key(&c, names[i]).velocity.x, wanted[i], 1e-12);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	CHECK_NEAR(c.total, c.unit, 1e-12 * c.unit); /* e = 1 */
	classic_close(&c);
}

TEST(three_balls_one_after_another) { three_balls("propagation", (const double[3]){0, 0, 1}); }
TEST(three_balls_at_once) { three_balls("simultaneous", (const double[3]){-1.0 / 3, 2.0 / 3, 2.0 / 3}); }

/* A block that slides at 5 m/s with friction 0.5 stops after v^2 / 2 mu g = 2.5 m; a graze loses no more than Coulomb allows. */
TEST(friction_stops_what_slides)
{
	cairn_scene *s = classic_scene("propagation", v3_make(0, 0, -10), 30);
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_box(s, 1, 1, 0.5), m, v3_make(0, 0, 0.25));
	d.name = "block", d.velocity = v3_make(5, 0, 0);
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	for (int i = 0; i < 45; ++i)
		classic_step(&c);
	CHECK_NEAR(classic_key(&c, "block").position.x, 2.5, 0.1);
	CHECK_NEAR(classic_key(&c, "block").velocity.x, 0, 1e-3);
	CHECK(c.rise < 1e-12);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	/* it sinks at rest: half a g dt^2 in each substep */
	CHECK_NEAR(c.report.depth, 45 * 16 * 0.5 * 10 / pow(30 * 16, 2), 0.3 * c.report.depth);
	classic_close(&c);
}

/* Zeno: a ball rattles elastically in a slit of a centimetre, 333 times a frame, and ten cubes lie upon each other, each impulse
 * of which undoes others. Both end at a limit, which is counted, with nothing that is not finite and no energy from nowhere. */
TEST(limits_are_counted)
{
	cairn_scene *s = classic_scene("impulse", v3_zero(), 30);
	cairn_material m = yard_material(s, 1, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	yard_plane(s, m, v3_make(0, 0, -1), -0.11);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.05, 0), m, v3_make(0, 0, 0.055));
	d.name = "ball", d.velocity = v3_make(0, 0, 100);
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	double first = c.total;
	for (int i = 0; i < 3; ++i) {
		classic_step(&c);
		CHECK_INT(c.report.text_fallbacks, 1);
	}
	CHECK_NEAR(c.total, first, 1e-9 * first);
	classic_close(&c);

	s = classic_scene("propagation", v3_make(0, 0, -10), 30);
	m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int i = 0; i < 10; ++i)
		yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0, 0, 0.5 + i), v3_zero());
	c = classic_open(s, 1);
	uint32_t counted = 0;
	for (int i = 0; i < 10; ++i) {
		classic_step(&c);
		counted += c.report.text_fallbacks;
	}
	CHECK(counted > 0);
	CHECK(c.rise < 1e-12);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
}

/* Painleve's rod: it slides on its end with so much friction that no finite force obeys Coulomb's law. Impulses grow until it sticks:
 * they end, finite and without energy from nowhere, and the series are counted. With little friction none is. */
static uint32_t series_that_grow(const char *method, double friction)
{
	cairn_scene *s = classic_scene(method, v3_make(0, 0, -10), 30);
	cairn_material m = yard_material(s, 0, friction);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_CAPSULE, 0.01, 2), m, v3_make(0, 0, 0.011 + cos(0.7)));
	d.name = "rod", d.velocity = v3_make(-4, 0, 0);
	d.pose.orientation = (quat){cos(0.35), 0, sin(0.35), 0};
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	double first = c.total;
	uint32_t counted = 0;
	for (int k = 0; k < 30; ++k) {
		classic_step(&c);
		counted += c.report.text_fallbacks;
	}
	cairn_key k = classic_key(&c, "rod");
	printf("%s, friction %g: rod at %.3g m, %u series\n", method, friction, k.position.x, counted);
	CHECK(v3_length(k.velocity) < 10 && v3_length(k.spin) < 100);
	CHECK(c.total <= first * (1 + 1e-9));
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
	return counted;
}

TEST(an_inconsistent_rod_ends)
{
	const char *methods[2] = {"propagation", "impulse"};
	for (int i = 0; i < 2; ++i) {
		CHECK(series_that_grow(methods[i], 3) > 0);
		CHECK_INT(series_that_grow(methods[i], 0.2), 0);
	}
}

/* e = 1 keeps energy to 1e-10 in the simultaneous model: boxes and balls that meet in mid-air. */
TEST(energy_is_kept_at_once)
{
	cairn_scene *s = classic_scene("simultaneous", v3_zero(), 30);
	cairn_material m = yard_material(s, 1, 0);
	yard_shaft(s, m, 1.5);
	cairn_shape box = yard_box(s, 0.5, 0.4, 0.3), ball = yard_round(s, CAIRN_SPHERE, 0.2, 0);
	for (int i = 0; i < 12; ++i) {
		cairn_body_def d = yard_body(i % 2 ? box : ball, m,
		                             v3_make(0.7 * (i % 3) - 0.7, 0.7 * (i / 3 % 2) - 0.4, 0.6 + 0.7 * (i / 6)));
		d.velocity = v3_make(1 - i % 3, i % 2 - 0.5, -2), d.spin = v3_make(i % 4, 1, 2);
		REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	}
	classic c = classic_open(s, 1);
	double first = c.total;
	uint32_t hits = 0;
	for (int i = 0; i < 60; ++i) {
		classic_step(&c);
		hits += c.report.collisions;
		CHECK_NEAR(c.report.energy.impacts, 0, 1e-10 * first);
	}
	CHECK(hits > 30);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
}

TEST_MAIN(TEST_CASE(a_stick_falls_flat), TEST_CASE(three_balls_one_after_another), TEST_CASE(three_balls_at_once),
          TEST_CASE(friction_stops_what_slides), TEST_CASE(limits_are_counted), TEST_CASE(an_inconsistent_rod_ends),
          TEST_CASE(energy_is_kept_at_once))
