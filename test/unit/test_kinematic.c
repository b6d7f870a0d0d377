/* Kinematic response (PBA 7.4.2, eq. 7.53). */
#include "classic_yard.h"

/* A ball dropped from a metre: with k = 0.8 (figure 7.16) the heights fall by k^2 from bounce to bounce. What the velocity
 * gains below the plane before it is mirrored is an error of the substep's length. */
TEST(heights_fall_by_the_square_of_the_damping)
{
	cairn_scene *s = classic_scene("kinematic", v3_make(0, 0, -10), 100);
	classic_set(s, "substeps", "256");
	cairn_material m = yard_material(s, 0.8, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.1, 0), m, v3_make(0, 0, 1.1));
	d.name = "ball", d.spin = v3_make(1, 2, 3);
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	double heights[4] = {1}, last = 1, before = 1;
	int count = 1;
	for (int i = 0; i < 400 && count < 4; ++i) {
		classic_step(&c);
		double z = classic_key(&c, "ball").position.z - 0.1;
		if (last > before && last > z) /* between three frames the parabola's top, from energy: exact in flight */
			heights[count++] = z + 0.5 * pow(classic_key(&c, "ball").velocity.z, 2) / 10;
		before = last, last = z;
	}
	CHECK_INT(count, 4);
	for (int i = 1; i < 4; ++i)
		CHECK_NEAR(heights[i] / heights[i - 1], 0.64, 0.002);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	v3 spin = classic_key(&c, "ball").spin;
	CHECK_NEAR(v3_distance(spin, v3_make(1, 2, 3)), 0, 1e-12); /* it turns as before */
	classic_close(&c);
}

/* Two balls of the same mass exchange their velocities, and part with k times the speed of their approach. */
TEST(two_bodies_take_half_each)
{
	cairn_scene *s = classic_scene("kinematic", v3_zero(), 30);
	cairn_material m = yard_material(s, 0.5, 0);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.5, 0);
	cairn_body_def d = yard_body(ball, m, v3_zero());
	d.name = "a", d.velocity = v3_make(2, 0, 0);
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	d.name = "b", d.velocity = v3_zero(), d.pose.position = v3_make(1.21, 0, 0);
	REQUIRE(cairn_scene_add_body(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	for (int i = 0; i < 30; ++i)
		classic_step(&c);
	CHECK_NEAR(classic_key(&c, "a").velocity.x, 0.5, 1e-12);
	CHECK_NEAR(classic_key(&c, "b").velocity.x, 1.5, 1e-12);
	CHECK(c.deepest > 0 && c.deepest < 2.0 / 30 / 16 + 1e-9); /* no deeper than a substep leads */
	classic_close(&c);
}

/* Friction is refused where it is asked for: by a pair, a material, or the default one. */
TEST(friction_is_refused)
{
	cairn_error e = {0};
	for (int which = 0; which < 3; ++which) {
		cairn_scene *s = classic_scene("kinematic", v3_zero(), 30);
		cairn_material_def d = cairn_default_material_def();
		d.name = "ice", d.static_friction = d.kinetic_friction = which == 1 ? 0.01 : 0;
		cairn_material ice = cairn_scene_add_material(s, &d, NULL);
		cairn_pair_def pair = {ice, ice, 0, 0.1, 0.1, 0};
		if (which == 0)
			REQUIRE(cairn_scene_set_pair(s, &pair, NULL));
		yard_plane(s, which == 2 ? (cairn_material){0, 0} : ice, v3_make(0, 0, 1), 0);
		yard_add(s, yard_round(s, CAIRN_SPHERE, 0.5, 0), which == 2 ? (cairn_material){0, 0} : ice, v3_make(0, 0, 2),
		         v3_zero());
		CHECK(!cairn_world_create(s, NULL, &e));
		CHECK_TEXT(e.path, which == 0 ? "pairs" : which == 1 ? "materials" : "bodies");
		CHECK_HAS(e.message, "friction");
		cairn_scene_destroy(s);
	}
}

TEST_MAIN(TEST_CASE(heights_fall_by_the_square_of_the_damping), TEST_CASE(two_bodies_take_half_each),
          TEST_CASE(friction_is_refused))
