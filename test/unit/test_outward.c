/* The text's cheap figure (PBA 7.4.3): the root moves as if it were alone, links follow by their distances. */
#include "classic_yard.h"

#include <string.h>

static cairn_body add_ball(cairn_scene *s, const char *name, double radius, v3 at, v3 velocity)
{
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, radius, 0), yard_material(s, 0, 0), at);
	d.name = name, d.velocity = velocity, d.mask = 0; /* it meets nothing */
	cairn_body b = cairn_scene_add_body(s, &d, NULL);
	CHECK(b.generation);
	return b;
}

static void add_joint(cairn_scene *s, cairn_joint_type type, cairn_body a, cairn_body b, v3 point)
{
	cairn_joint_def d = cairn_default_joint_def();
	cairn_error e = {0};
	d.type = type, d.a = a, d.b = b, d.point = point;
	CHECK(cairn_scene_add_joint(s, &d, &e).generation);
	if (*e.message)
		printf("%s\n", e.message);
}

/* A large ball is thrown and trails four small ones (the text's figure 7.27): it flies on its parabola, to the bit of rounding
 * as if nothing hung on it, and every link stays at its distance. So the momentum of the whole is not kept. */
TEST(the_root_flies_alone)
{
	cairn_scene *s = classic_scene("outward", v3_make(0, 0, -10), 30);
	cairn_body last = add_ball(s, "root", 0.5, v3_make(0, 0, 0), v3_make(6, 0, 12));
	for (int i = 0; i < 4; ++i) {
		double x = -0.6 - 0.5 * i;
		cairn_body link = add_ball(s, "", 0.1, v3_make(x - 0.25, 0, 0), v3_zero());
		add_joint(s, CAIRN_BALL, last, link, v3_make(x, 0, 0));
		last = link;
	}
	classic c = classic_open(s, 1);
	double worst = 0, error = 0;
	for (int i = 1; i <= 60; ++i) {
		classic_step(&c);
		double t = i / 30.0;
		v3 wanted = v3_make(6 * t, 0, 12 * t - 5 * t * t), is = classic_key(&c, "root").position;
		worst = fmax(worst, v3_distance(wanted, is)), error = fmax(error, c.report.joint_error);
	}
	printf("root off its parabola by %.2g m, joints by %.2g m, ledger %.2g\n", worst, error, c.ledger);
	CHECK(worst < 1e-10 && error < 1e-12 && c.ledger < 1e-10);
	classic_close(&c);
}

/* A link that hangs on the world swings as the text's particle does: its time is that of a bob on a string, whatever its moment
 * of inertia; a rigid body on the same joint would take 5 % longer (k^2/l^2 = .1). More substeps come nearer. */
static double half_swing(const char *substeps)
{
	cairn_scene *s = classic_scene("outward", v3_make(0, 0, -10), 60);
	classic_set(s, "substeps", substeps);
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_HINGE, d.axis = v3_make(0, 1, 0);
	d.b = add_ball(s, "bob", 0.5, v3_make(sin(0.1), 0, -cos(0.1)), v3_zero());
	CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	double before = 1, found = 0;
	for (int i = 1; i < 200 && found == 0; ++i) {
		classic_step(&c);
		double speed = classic_key(&c, "bob").velocity.x;
		if (i > 30 && speed >= 0 && before < 0)
			found = (i - speed / (speed - before)) / 60;
		before = speed;
	}
	CHECK(c.report.joint_error < 1e-12 && c.ledger < 1e-10);
	classic_close(&c);
	return found;
}

TEST(a_link_swings_as_a_particle)
{
	double wanted = CN_PI * sqrt(1 / 10.0) * (1 + 0.01 / 16), coarse = half_swing("2"), fine = half_swing("16");
	printf("half a swing: %.6f s of %.6f with 2 substeps, %.6f with 16\n", coarse, wanted, fine);
	CHECK_NEAR(fine, wanted, 1e-3 * wanted);
	CHECK(fabs(fine - wanted) < fabs(coarse - wanted));
}

/* A figure of every kind of joint that the method knows, thrown spinning: joints hold, a hinge stops at its limit. */
TEST(every_kind_holds)
{
	static const cairn_joint_type kinds[] = {CAIRN_BALL, CAIRN_HINGE, CAIRN_SLIDER, CAIRN_WELD, CAIRN_DISTANCE};
	cairn_scene *s = classic_scene("outward", v3_make(0, 0, -10), 30);
	cairn_body root = add_ball(s, "root", 0.6, v3_zero(), v3_make(3, 1, 5));
	for (size_t i = 0; i < CN_COUNT(kinds); ++i) {
		double x = 2.0 * (double)i - 4;
		cairn_body_def b = yard_body(yard_box(s, 0.3, 0.5, 0.8), yard_material(s, 0, 0), v3_make(x, 3, 0));
		b.spin = v3_make(1, 2, 3), b.group = 1 << 1, b.mask = 1 << 2;
		cairn_joint_def d = cairn_default_joint_def();
		bool other_way = i % 2;
		cairn_body link = cairn_scene_add_body(s, &b, NULL);
		d.a = other_way ? link : root, d.b = other_way ? root : link;
		d.type = kinds[i], d.axis = v3_unit(v3_make(1, 2, 0.5)), d.point = v3_make(x, 2.5, 0);
		d.point_b = v3_make(0, 0.5, 0);
		if (kinds[i] == CAIRN_HINGE || kinds[i] == CAIRN_SLIDER)
			d.has_limits = true, d.low = -0.3, d.high = 0.2;
		CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
	}
	classic c = classic_open(s, 1);
	double error = 0, least = 0, most = 0;
	for (int i = 0; i < 90; ++i) {
		classic_step(&c);
		error = fmax(error, c.report.joint_error);
		for (uint32_t k = 1; k <= 2; ++k) {
			double value = cairn_world_joint(c.world, (cairn_joint){k, 1}).position;
			least = fmin(least, value), most = fmax(most, value);
		}
	}
	printf("joints off by %.2g m, from %.6f to %.6f, ledger %.2g\n", error, least, most, c.ledger);
	CHECK(error < 1e-12 && c.ledger < 1e-10);
	CHECK(least > -0.3 - 1e-12 && most < 0.2 + 1e-12 && (least < -0.29 || most > 0.19));
	classic_close(&c);
}

static bool refused(cairn_scene *s, const char *word)
{
	cairn_error e = {0};
	cairn_world *w = cairn_world_create(s, NULL, &e);
	bool ok = !w && strstr(e.message, word);
	if (!ok)
		printf("not '%s': %s\n", word, e.message);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
	return ok;
}

TEST(what_it_cannot_do_is_refused)
{
	cairn_scene *s = classic_scene("outward", v3_zero(), 30);
	cairn_body a = add_ball(s, "a", 0.1, v3_zero(), v3_zero()), b = add_ball(s, "b", 0.1, v3_make(1, 0, 0), v3_zero());
	add_joint(s, CAIRN_BALL, (cairn_body){0, 0}, a, v3_zero());
	add_joint(s, CAIRN_BALL, a, b, v3_make(0.5, 0, 0));
	add_joint(s, CAIRN_BALL, (cairn_body){0, 0}, b, v3_make(1, 0, 0));
	CHECK(refused(s, "joint 2 (without a name) closes a ring"));
	s = classic_scene("outward", v3_zero(), 30);
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_HINGE, d.b = add_ball(s, "a", 0.1, v3_zero(), v3_zero()), d.motor = CAIRN_MOTOR_SPEED;
	d.most = 1, d.name = "wheel";
	CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
	CHECK(refused(s, "joint 0 (wheel) has a motor"));
	s = classic_scene("outward", v3_zero(), 30);
	d.motor = CAIRN_NO_MOTOR, d.b = add_ball(s, "a", 0.1, v3_zero(), v3_zero()), d.most = 0;
	CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
	classic c = classic_open(s, 1);
	cairn_error e = {0};
	CHECK(!cairn_world_set_motor(c.world, (cairn_joint){0, 1}, CAIRN_MOTOR_SPEED, 1, 1, &e));
	CHECK(strstr(e.message, "has no motors"));
	classic_close(&c);
}

TEST_MAIN(TEST_CASE(the_root_flies_alone), TEST_CASE(a_link_swings_as_a_particle), TEST_CASE(every_kind_holds),
          TEST_CASE(what_it_cannot_do_is_refused))
