/* Method oba, rolling resistance: a length c, by which what presses is ahead of what rolls. A body with moment k m r^2 that
 * rolls on the level slows down by g c/(r (1 + k)): its turning impulse about the point it stands on is c m g dt, and its
 * moment about that point (1 + k) m r^2. */
#include "hardship.h"
#include "random.h"
#include "yard.h"

static const double g = 9.81;

static cairn_scene *open_scene(double rolling, double tilt, double fps, cairn_material *m)
{
	double sine, cosine;
	cn_sincos(tilt, &sine, &cosine);
	cairn_scene *s = yard_scene(v3_make(g * sine, 0, -g * cosine));
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
	cairn_material_def d = cairn_default_material_def();
	d.static_friction = d.kinetic_friction = 0.8, d.density = 800, d.rolling = rolling;
	*m = cairn_scene_add_material(s, &d, NULL);
	yard_plane(s, *m, v3_make(0, 0, 1), 0);
	return s;
}

static cairn_body add_roller(cairn_scene *s, cairn_material m, bool ball, double radius, double speed)
{
	cairn_shape shape = yard_round(s, ball ? CAIRN_SPHERE : CAIRN_CYLINDER, radius, 0.5);
	cairn_body_def d = yard_body(shape, m, v3_make(0, 0, 1.002 * radius));
	if (!ball)
		d.pose.orientation = q_exp(v3_make(0.5 * 3.14159265358979324, 0, 0));
	d.velocity = v3_make(speed, 0, 0), d.spin = v3_make(0, speed / radius, 0);
	return cairn_scene_add_body(s, &d, NULL);
}

TEST(what_rolls_comes_to_rest_in_time)
{
	static const double rates[] = {30, 240};
	for (int k = 0; k < 8; ++k) {
		bool ball = k % 2;
		double radius = 0.2, c = k / 4 ? 0.02 : 0.004, fps = rates[k / 2 % 2], speed = 1.5;
		double slows = g * c / radius / (ball ? 1.4 : 1.5), way = 0.5 * speed * speed / slows;
		cairn_material m;
		cairn_scene *s = open_scene(c, 0, fps, &m);
		cairn_body b = add_roller(s, m, ball, radius, speed);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		double seconds = speed / slows, rubbed = 0;
		for (int i = 1; i <= 1.2 * seconds * fps && yard_step(&y); ++i) {
			cairn_key key = yard_key(&y, b);
			double wanted = i / fps < seconds ? speed - slows * i / fps : 0;
			CHECK_NEAR(key.velocity.x, wanted, (fps > 100 ? 0.01 : 0.05) * speed);
			CHECK_NEAR(key.spin.y * radius, key.velocity.x, 1e-5);
			CHECK(key.velocity.x > -1e-9);
			rubbed += y.report.energy.friction;
		}
		cairn_key key = yard_key(&y, b);
		CHECK_NEAR(key.position.x, way, (fps > 100 ? 0.01 : 0.05) * way);
		CHECK_NEAR(v3_length(key.velocity) + v3_length(key.spin), 0, 1e-6);
		cairn_body_info info = cairn_world_body_info(y.world, b);
		CHECK_NEAR(rubbed, 0.5 * info.mass * speed * speed * (ball ? 1.4 : 1.5), 0.01 * rubbed);
		yard_no_gain(&y);
		yard_close(&y);
	}
}

/* It stays where tan < c/r, and rolls down with g (sin - cos c/r)/(1 + k) where it is steeper. */
TEST(gentle_slopes_hold)
{
	for (int k = 0; k < 16; ++k) {
		bool ball = k % 2, steep = k / 2 % 2;
		double radius = 0.1, c = 0.01, fps = k / 4 % 2 ? 240 : 30, tilt = cn_atan2(c, radius) * (steep ? 1.4 : 0.95);
		double sine, cosine;
		cn_sincos(tilt, &sine, &cosine);
		cairn_material m;
		cairn_scene *s = open_scene(c, tilt, fps, &m);
		cairn_body b = add_roller(s, m, ball, radius, 0);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, (int)(2 * fps));
		double wanted = steep ? 2 * g * (sine - cosine * c / radius) / (ball ? 1.4 : 1.5) : 0;
		CHECK_NEAR(yard_key(&y, b).velocity.x, wanted, (fps > 100 ? 0.01 : 0.05) * wanted + 1e-9);
		yard_no_gain(&y);
		yard_close(&y);
	}
}

/* What turns about the normal, or slides without rolling, feels none of it; what slides and rolls feels both. */
TEST(only_rolling_is_resisted)
{
	cairn_material m;
	cairn_scene *s = open_scene(0.02, 0, 60, &m);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.2, 0), m, v3_make(0, 0, 0.2002));
	d.spin = v3_make(0, 0, 7);
	cairn_body top = cairn_scene_add_body(s, &d, NULL);
	cairn_body box = yard_add(s, yard_box(s, 0.4, 0.4, 0.2), m, v3_make(0, 2, 0.1002), v3_make(3, 0, 0));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	yard_run(&y, 15);
	CHECK_NEAR(yard_key(&y, top).spin.z, 7, 1e-9);
	CHECK_NEAR(yard_key(&y, box).velocity.x, 3 - 0.8 * g * 0.25, 1e-6);
	yard_close(&y);
}

static cairn_scene *make_heap(uint64_t seed)
{
	uint64_t random = seed;
	cairn_material m;
	cairn_scene *s = open_scene(0.01, 0, 60, &m);
	for (int axis = 0; axis < 2; ++axis)
		for (int side = -1; side < 2; side += 2)
			yard_plane(s, m, v3_make((axis == 0) * side, (axis == 1) * side, 0), -1);
	for (int k = 0; k < 40; ++k) {
		cairn_shape shape = k % 2 ? yard_round(s, CAIRN_SPHERE, 0.1 + 0.02 * (k % 3), 0)
		                          : yard_round(s, CAIRN_CAPSULE, 0.08, 0.15 + 0.03 * (k % 4));
		v3 at = {0.5 * (k % 3) - 0.5, 0.5 * (k / 3 % 3) - 0.5, 0.3 + 0.4 * (k / 9)};
		yard_add(s, shape, m, v3_madd(at, random_in_cube(&random), 0.05), v3_zero());
	}
	return s;
}

/* In a heap too: no energy comes of it, the ledger adds up, and neither threads nor memory matter. */
TEST(heaps_roll_to_rest)
{
	uint64_t hashes[2];
	for (uint32_t k = 0; k < 2; ++k) {
		yard y = yard_open(make_heap(3), k ? 3 : 1);
		REQUIRE(y.ok);
		yard_run(&y, TEST_FEW ? 60 : 300);
		hashes[k] = cairn_world_hash(y.world);
		CHECK(y.rise < 5e-4);
		yard_close(&y);
	}
	CHECK(hashes[0] == hashes[1]);
	hardship_state(make_heap(4), 40);
}

TEST_MAIN(TEST_CASE(what_rolls_comes_to_rest_in_time), TEST_CASE(gentle_slopes_hold),
          TEST_CASE(only_rolling_is_resisted), TEST_CASE(heaps_roll_to_rest))
