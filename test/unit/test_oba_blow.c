/* Method oba, blows with friction and restitution: Newton's law along the normal, Coulomb's for the whole impulse, as worked
 * by hand for a ball and a box, and as read off the keys of what hits with one corner. */
#include "random.h"
#include "yard.h"

static double draw(uint64_t *random, double low, double high)
{
	return low + (high - low) * 0.5 * (1 + random_in_cube(random).x);
}

static cairn_scene *open_scene(double eps, double mu, cairn_material *m, double fps)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	*m = yard_material(s, eps, mu);
	yard_plane(s, *m, v3_make(0, 0, 1), 0);
	return s;
}

/* A ball's point of contact comes with (u, 0, -1). Along the normal the response is 1/m, across it 7/2m, and they do not
 * mix: the blow stops the point if 2u/7 <= mu (1 + eps), and takes mu (1 + eps) off the ball's speed if not. */
TEST(a_ball_hits_at_a_slant)
{
	const double radius = 0.1, rate[2] = {30, 240};
	for (int k = 0; k < 64; ++k) {
		double mu = 0.05 * (k % 8), eps = 0.25 * (k / 8 % 4), spin = k / 32 ? 12 : 0, vx = 1.5;
		cairn_material m;
		cairn_scene *s = open_scene(eps, mu, &m, rate[k % 2]);
		cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, radius, 0), m, v3_make(0, 0, 0.4));
		d.velocity = v3_make(vx, 0, -1), d.spin = v3_make(0, spin, 0.7);
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, (int)(0.5 * rate[k % 2]));
		double u = vx - spin * radius, stop = fabs(u) / 3.5, most = mu * (1 + eps);
		double taken = (stop < most ? stop : most) * (u < 0 ? -1 : 1);
		cairn_key key = yard_key(&y, b);
		CHECK_NEAR(v3_distance(key.velocity, v3_make(vx - taken, 0, eps)), 0, 1e-9);
		CHECK_NEAR(v3_distance(key.spin, v3_make(0, spin + taken / (0.4 * radius), 0.7)), 0, 1e-9);
		yard_close(&y);
	}
}

/* A flat box that lands flat is stopped, or slowed by mu (1 + eps) times the speed it came down with, and does not turn: its
 * friction acts below the middle, but no further than its corners reach. */
TEST(a_box_lands_flat_and_slides_or_sticks)
{
	for (int k = 0; k < 48; ++k) {
		double mu = 0.1 * (k % 6), eps = 0.25 * (k / 6 % 4), vx = 0.6, vy = 0.2, v = hypot(vx, vy);
		cairn_material m;
		cairn_scene *s = open_scene(eps, mu, &m, k / 24 ? 240 : 30);
		cairn_body b = yard_add(s, yard_box(s, 0.6, 0.5, 0.2), m, v3_make(0, 0, 0.4), v3_make(vx, vy, -1));
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, k / 24 ? 120 : 15);
		double f = mu * (1 + eps) < v ? 1 - mu * (1 + eps) / v : 0;
		cairn_key key = yard_key(&y, b);
		CHECK_NEAR(v3_distance(key.velocity, v3_make(f * vx, f * vy, eps)), 0, 1e-6);
		CHECK_NEAR(v3_length(key.spin), 0, 1e-6);
		yard_close(&y);
	}
}

/* What hits with one point and does not turn until then: m dv is the impulse, and its arm is known. */
TEST(one_corner_obeys_the_laws)
{
	uint64_t random = 5;
	uint32_t stuck = 0, slid = 0, lowered = 0;
	for (int k = 0; k < (TEST_FEW ? 40 : 400); ++k) {
		double mu = draw(&random, 0.02, 1), eps = draw(&random, 0, 0.95), length = 0.6, radius = 0.1;
		cairn_material m;
		cairn_scene *s = open_scene(eps, mu, &m, 60);
		CHECK(cairn_scene_set_option(s, "steps", "1", NULL)); /* so that a frame ends with the impact */
		cairn_body_def d = yard_body(yard_round(s, CAIRN_CAPSULE, radius, length), m, v3_make(0, 0, 0.6));
		d.pose.orientation = q_unit(q_exp(v3_scale(random_in_cube(&random), 3)));
		d.velocity = v3_make(draw(&random, -1.5, 1.5), draw(&random, -1.5, 1.5), -1);
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		cairn_body_info info = cairn_world_body_info(y.world, b);
		cairn_key before = yard_key(&y, b), key = before;
		double kinetic = yard_kinetic(&info, &before);
		for (int i = 0; i < 60 && v3_length(key.spin) == 0 && yard_step(&y); ++i)
			key = yard_key(&y, b);
		v3 axis = q_rotate(key.orientation, v3_make(0, 0, 1)), arm = v3_make(0, 0, -radius);
		arm = v3_madd(arm, axis, (axis.z > 0 ? -0.5 : 0.5) * length);
		v3 j = v3_scale(v3_sub(key.velocity, before.velocity), info.mass);
		v3 v = v3_add(key.velocity, v3_cross(key.spin, arm)), across = {v.x, v.y, 0};
		double push = hypot(j.x, j.y);
		CHECK(j.z > 0 && push <= mu * j.z * (1 + 1e-6));
		CHECK(yard_kinetic(&info, &key) <= kinetic * (1 + 1e-9));
		if (yard_kinetic(&info, &key) > kinetic * (1 - 1e-9))
			++lowered;
		else if (fabs(v.z - eps) > 1e-4)
			CHECK(false);
		else if (v3_length(across) < 1e-4)
			++stuck;
		else {
			++slid;
			CHECK_NEAR(push, mu * j.z, 1e-4 * push);
			CHECK_NEAR(v3_dot(across, v3_make(j.x, j.y, 0)), -push * v3_length(across), 1e-4 * push);
		}
		yard_close(&y);
	}
	printf("one corner: %u stuck, %u slid, %u with less than eps\n", stuck, slid, lowered);
	CHECK(stuck > (TEST_FEW ? 4 : 40) && slid > (TEST_FEW ? 4 : 40) && lowered < stuck);
}

/* Bodies of all kinds, thrown at each other and at walls. */
TEST(blows_bring_no_energy)
{
	uint64_t random = 77, blows = 0;
	double most = 0;
	for (int k = 0; k < (TEST_FEW ? 10 : 100); ++k) {
		cairn_material m;
		cairn_scene *s = open_scene(k % 5 ? draw(&random, 0, 1) : 1, draw(&random, 0, 1.5), &m, 60);
		yard_plane(s, m, v3_make(0, 0, -1), -2);
		for (int i = 0; i < 4; ++i)
			yard_plane(s, m, v3_make(i < 2 ? 1 - 2 * (i % 2) : 0, i < 2 ? 0 : 1 - 2 * (i % 2), 0), -1);
		for (int i = 0; i < 6; ++i) {
			cairn_shape shape = i % 3 == 0   ? yard_box(s, draw(&random, 0.1, 0.4), 0.3, draw(&random, 0.1, 0.4))
			                    : i % 3 == 1 ? yard_round(s, CAIRN_CAPSULE, draw(&random, 0.05, 0.15), 0.3)
			                                 : yard_round(s, CAIRN_CYLINDER, draw(&random, 0.05, 0.2), 0.3);
			cairn_body_def d = yard_body(shape, m, v3_make(i % 2 - 0.5, i / 2 % 2 - 0.5, 0.6 + 0.8 * (i / 4)));
			d.velocity = v3_scale(random_in_cube(&random), 5), d.spin = v3_scale(random_in_cube(&random), 5);
			cairn_scene_add_body(s, &d, NULL);
		}
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		for (int i = 0; i < 120 && yard_step(&y); ++i) {
			const cairn_energy *e = &y.report.energy;
			double won = -(e->impacts + e->friction) / y.unit;
			most = won > most ? won : most;
			blows += y.report.collisions;
		}
		yard_close(&y);
	}
	printf("%d blows, the most won in a frame %g of all energy\n", (int)blows, most);
	CHECK(blows > (TEST_FEW ? 300 : 3000) && most < 1e-12);
}

/* What stands upright and falls flat stays so, blow after blow: all points of its face push alike. */
TEST(a_cylinder_lands_flat)
{
	static const double rates[] = {30, 60, 240};
	uint64_t random = 12;
	double most = 0;
	for (int k = 0; k < (TEST_FEW ? 9 : 60); ++k) {
		cairn_scene *s = yard_scene(v3_make(0, 0, -9.81));
		cairn_settings settings = cairn_scene_settings(s);
		settings.fps = rates[k % 3];
		CHECK(cairn_scene_set_settings(s, &settings, NULL));
		cairn_material m = yard_material(s, draw(&random, 0, 0.95), draw(&random, 0, 1));
		cairn_body_def ground = yard_body(yard_box(s, 40, 40, 2), m, v3_make(0, 0, -1));
		ground.type = CAIRN_FIXED;
		if (k % 2)
			cairn_scene_add_body(s, &ground, NULL);
		else
			yard_plane(s, m, v3_make(0, 0, 1), 0);
		double length = draw(&random, 0.05, 0.6);
		cairn_shape shape = yard_round(s, CAIRN_CYLINDER, draw(&random, 0.1, 0.6), length);
		v3 at = {draw(&random, -3, 3), draw(&random, -3, 3), 0.5 * length + draw(&random, 0.1, 1.5)};
		cairn_body_def d = yard_body(shape, m, at);
		d.pose.orientation = q_exp(v3_make(0, 0, draw(&random, 0, 3)));
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		for (int i = 0; i < 2 * settings.fps && yard_step(&y); ++i) {
			v3 axis = q_rotate(yard_key(&y, b).orientation, v3_make(0, 0, 1));
			most = hypot(axis.x, axis.y) > most ? hypot(axis.x, axis.y) : most;
		}
		yard_close(&y);
	}
	CHECK_NEAR(most, 0, 1e-5);
}

/* A rod falls on one end at 12.5 m/s, and turns. It comes down on the other end a millisecond later, and leaves the floor with
 * the speed that the blow there gives it: in frames of a millisecond, and in steps in which its spin would take it far through
 * the floor. It stood on its first end for as long as twenty frames, when it was turned back to where each step began. */
TEST(a_rod_comes_down_on_its_other_end)
{
	static const double rates[4] = {1000, 240, 120, 30}, gravity = 28.8;
	double leaves = 0, spins = 0;
	for (int i = 0; i < 8; ++i) {
		cairn_scene *s = yard_scene(v3_make(0, 0, -gravity));
		cairn_settings settings = cairn_scene_settings(s);
		settings.fps = rates[i / 2];
		CHECK(cairn_scene_set_settings(s, &settings, NULL));
		CHECK(cairn_scene_set_option(s, "steps", i % 2 ? "auto" : "1", NULL));
		cairn_material m = yard_material(s, 0.35, 0);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body_def d = yard_body(yard_round(s, CAIRN_CAPSULE, 0.02, 0.072), m, v3_make(0, 0, 0.06));
		d.pose.orientation = q_exp(v3_make(CN_PI / 2 + 0.27, 0, 0)), d.velocity = v3_make(0, 0, -12.5);
		cairn_body rod = cairn_scene_add_body(s, &d, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		double up = 0, spin = 0;
		for (int f = 0; f < 6 && up <= 0 && yard_step(&y); ++f) {
			cairn_key k = yard_key(&y, rod);
			up = k.velocity.z, spin = k.spin.x;
			up = up > 0 ? sqrt(up * up + 2 * gravity * (k.position.z - 0.02)) : 0; /* at the height of the blow */
		}
		if (i == 0)
			leaves = up, spins = spin;
		CHECK_NEAR(up, leaves, 0.1 * leaves);
		CHECK_NEAR(spin, spins, 0.15 * fabs(spins));
		yard_no_gain(&y);
		yard_close(&y);
	}
	CHECK(leaves > 3);
}

TEST_MAIN(TEST_CASE(a_rod_comes_down_on_its_other_end), TEST_CASE(a_ball_hits_at_a_slant),
          TEST_CASE(a_box_lands_flat_and_slides_or_sticks), TEST_CASE(one_corner_obeys_the_laws),
          TEST_CASE(blows_bring_no_energy), TEST_CASE(a_cylinder_lands_flat))
