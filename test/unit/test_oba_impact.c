/* Method oba, impacts inside the frame: few balls, each blow at its own time and place. */
#include "hardship.h"
#include "random.h"
#include "yard.h"

static const v3 down = {0, 0, -9.81};

static double draw(uint64_t *random, double low, double high)
{
	return low + (high - low) * 0.5 * (1 + random_in_cube(random).x);
}

/* From floor to ceiling and back without loss, several times a frame: the way is that of a ball that nothing stops, folded. */
TEST(several_bounces_a_frame)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 1, 0.3);
	const double radius = 0.1, kept = 2e-4, room = 0.6, speed = 40;
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	yard_plane(s, m, v3_make(0, 0, -1), -(2 * radius + 2 * kept + room));
	cairn_body b = yard_add(s, yard_round(s, CAIRN_SPHERE, radius, 0), m, v3_make(0, 0, radius + kept + 0.2),
	                        v3_make(0, 0, speed));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	for (int k = 1; k <= 60 && yard_step(&y); ++k) {
		double way = fmod(0.2 + speed * k / 30.0, 2 * room), wanted = way < room ? way : 2 * room - way;
		CHECK_NEAR(yard_key(&y, b).position.z - radius - kept, wanted, 1e-6);
		CHECK_NEAR(fabs(yard_key(&y, b).velocity.z), speed, 1e-9);
	}
	yard_no_gain(&y);
	yard_close(&y);
}

/* Two blows at once on one ball are no sequence: what it hits leaves alike on both sides. */
TEST(tie_is_symmetric)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 0.8, 0.2);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.5, 0);
	cairn_body middle = yard_add(s, ball, m, v3_make(-3, 0, 0), v3_make(5, 0, 0));
	cairn_body left = yard_add(s, ball, m, v3_make(0, 0.6, 0), v3_zero());
	cairn_body right = yard_add(s, ball, m, v3_make(0, -0.6, 0), v3_zero());
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	yard_run(&y, 30);
	v3 a = yard_key(&y, left).velocity, b = yard_key(&y, right).velocity;
	CHECK(a.x > 1);
	CHECK_NEAR(v3_distance(a, v3_make(b.x, -b.y, b.z)), 0, 1e-9);
	CHECK_NEAR(yard_key(&y, middle).velocity.y, 0, 1e-9);
	yard_no_gain(&y);
	yard_close(&y);
}

/* A ball that rolls against a wall and one that lies there: what held it does not drive it on. */
TEST(rest_does_not_drive_what_is_struck)
{
	uint64_t random = 11;
	for (int i = 0; i < (TEST_FEW ? 10 : 60); ++i) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, draw(&random, 0, 1), draw(&random, 0, 1));
		double tilt = draw(&random, 0, 0.3), sine, cosine;
		cn_sincos(tilt, &sine, &cosine);
		const v3 normals[5] = {{sine, 0, cosine}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
		for (int k = 0; k < 5; ++k)
			yard_plane(s, m, normals[k], k ? -1 : -sine);
		for (int k = 0; k < 6; ++k) {
			cairn_shape ball = yard_round(s, CAIRN_SPHERE, draw(&random, 0.05, 0.2), 0);
			v3 at = {k % 2 - 0.5, k / 2 % 2 - 0.5, 0.6 + 0.5 * k};
			yard_add(s, ball, m, at, v3_scale(random_in_cube(&random), 4));
		}
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, 180);
		CHECK(y.rise < 5e-4);
		yard_close(&y);
	}
}

static cairn_scene *make_balls(uint64_t seed)
{
	uint64_t random = seed;
	cairn_scene *s = yard_scene(seed % 3 ? down : v3_zero());
	cairn_material m = yard_material(s, draw(&random, 0, 1), draw(&random, 0, 1));
	for (int axis = 0; axis < 3; ++axis)
		for (int side = -1; side < 2; side += 2)
			yard_plane(s, m, v3_make((axis == 0) * side, (axis == 1) * side, (axis == 2) * side), -1);
	for (int k = 0; k < 5; ++k)
		yard_add(s, yard_round(s, CAIRN_SPHERE, draw(&random, 0.1, 0.3), 0), m,
		         v3_make(k % 2 - 0.5, k / 2 % 2 - 0.5, k / 4 - 0.5), v3_scale(random_in_cube(&random), 20));
	return s;
}

/* Nothing but the state decides: not what memory held before, and not whether the world was brought back from bytes. */
TEST(only_the_state_decides)
{
	for (uint64_t seed = 1; seed <= (TEST_FEW ? 4 : 25); ++seed)
		hardship_state(make_balls(seed), 60);
}

/* Balls fall upon each other in a pile, with more impacts than a flight has. Then they stand, and have no velocity: a flight that
 * could not be followed to its end left the lowest one a speed that nothing took away, up to 6 cm/s for ever. */
TEST(a_pile_of_balls_comes_to_rest)
{
	const double r = 0.05, rates[] = {30, 34, 60, 240};
	for (int k = 0; k < 12; ++k) {
		uint32_t count = 2 + (uint32_t)k % 3;
		cairn_scene *s = yard_scene(down);
		cairn_settings settings = cairn_default_settings();
		settings.gravity = down, settings.fps = rates[k / 3];
		CHECK(cairn_scene_set_settings(s, &settings, NULL));
		CHECK(cairn_scene_set_option(s, "sleep", "off", NULL));
		cairn_material m = yard_material(s, 0.5, 0.5);
		cairn_body balls[4];
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		for (uint32_t i = 0; i < count; ++i)
			balls[i] = yard_add(s, yard_round(s, CAIRN_SPHERE, r, 0), m, v3_make(0, 0, r + 2 * r * i + 5e-4 * (i + 1)),
			                    v3_make(0, 0, -0.2));
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, (int)(1.5 * settings.fps));
		for (uint32_t i = 0; i < count; ++i) {
			cairn_key key = yard_key(&y, balls[i]);
			CHECK_NEAR(v3_length(key.velocity), 0, 1e-9);
			CHECK_NEAR(key.position.z, r + 2 * r * i, 1e-3);
		}
		CHECK_INT(y.report.debtors, 0);
		yard_close(&y);
	}
}

TEST_MAIN(TEST_CASE(several_bounces_a_frame), TEST_CASE(tie_is_symmetric),
          TEST_CASE(rest_does_not_drive_what_is_struck), TEST_CASE(only_the_state_decides),
          TEST_CASE(a_pile_of_balls_comes_to_rest))
