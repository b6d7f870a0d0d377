/* Method oba, what rides on something that moves: it sticks to a support that turns, swings or gathers speed as
 * long as friction holds it, and slides beyond. Every frame of every case is certified (yard.h). */
#include "yard.h"

static const double g = 9.81;

enum { KEYS_MOST = 2420 };

static cairn_scene *scene_of(double fps)
{
	cairn_scene *s = yard_scene(v3_make(0, 0, -g));
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	return s;
}

static quat turned(v3 axis, double angle) { return q_exp(v3_scale(axis, angle)); }

typedef struct disk {
	double spin, mu, fps, time;
	bool motor, round; /* round: the rider is a cylinder on its end */
} disk;

/* How far a rider 1.5 m off the axis ends from where it would be carried to; or INFINITY. */
static double left_behind(const disk *d)
{
	static cairn_script_key keys[KEYS_MOST];
	const double r = 1.5;
	cairn_scene *s = scene_of(d->fps);
	cairn_material m = yard_material(s, 0, d->mu);
	cairn_body_def plate = yard_body(yard_round(s, CAIRN_CYLINDER, 4, 0.2), m, v3_make(0, 0, -0.1));
	if (d->motor) {
		plate.spin = v3_make(0, 0, d->spin);
	} else {
		plate.type = CAIRN_SCRIPTED, plate.keys = keys, plate.key_count = KEYS_MOST;
		for (int i = 0; i < KEYS_MOST; ++i)
			keys[i] = (cairn_script_key){i / d->fps, {{0, 0, -0.1}, turned(v3_make(0, 0, 1), d->spin * i / d->fps)}};
	}
	plate.name = "plate";
	cairn_body base = cairn_scene_add_body(s, &plate, NULL);
	if (d->motor) {
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_HINGE, j.b = base, j.point = v3_make(0, 0, -0.1), j.axis = v3_make(0, 0, 1);
		j.motor = CAIRN_MOTOR_SPEED, j.speed = d->spin, j.most = 1e6;
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	}
	cairn_shape shape = d->round ? yard_round(s, CAIRN_CYLINDER, 0.2, 0.1) : yard_box(s, 0.4, 0.4, 0.1);
	cairn_body_def b = yard_body(shape, m, v3_make(r, 0, 0.0501));
	b.velocity = v3_make(0, d->spin * r, 0), b.spin = v3_make(0, 0, d->spin);
	cairn_body rider = cairn_scene_add_body(s, &b, NULL);
	yard y = yard_open(s, 1);
	if (!y.ok)
		return INFINITY;
	yard_run(&y, (int)(d->time * d->fps));
	v3 to = q_rotate(turned(v3_make(0, 0, 1), d->spin * d->time), v3_make(r, 0, 0));
	v3 x = yard_key(&y, rider).position;
	yard_no_gain(&y);
	yard_close(&y);
	return hypot(x.x - to.x, x.y - to.y);
}

TEST(rider_goes_round_with_a_disk)
{
	for (int motor = 0; motor < 2; ++motor)
		for (int round = 0; round < 2; ++round) {
			disk d = {.spin = 1, .mu = 1, .fps = 30, .time = 10, .motor = motor, .round = round};
			double coarse = left_behind(&d);
			d.fps = 240;
			double fine = left_behind(&d);
			CHECK(coarse < 1e-3);
			CHECK(fine < 0.1 * coarse + 1e-6);
		}
}

/* It is carried as long as spin^2 r < mu g. */
TEST(rider_slides_where_friction_ends)
{
	const double most = sqrt(0.5 * g / 1.5);
	for (int motor = 0; motor < 2; ++motor)
		for (int fine = 0; fine < 2; ++fine) {
			disk d = {.spin = 0.98 * most, .mu = 0.5, .fps = fine ? 240 : 30, .time = 6, .motor = motor};
			CHECK(left_behind(&d) < 5e-3);
			d.spin = 1.02 * most;
			CHECK(left_behind(&d) > 1);
		}
}

/* How far a box stays behind a plate that gathers speed for 2 s. */
static double dragged(double acceleration, double fps)
{
	static cairn_script_key keys[KEYS_MOST];
	cairn_scene *s = scene_of(fps);
	cairn_material m = yard_material(s, 0, 0.5);
	cairn_body_def plate = yard_body(yard_box(s, 9, 4, 0.2), m, v3_make(0, 0, -0.1));
	for (int i = 0; i < KEYS_MOST; ++i) {
		double t = i / fps - 0.2;
		keys[i] = (cairn_script_key){i / fps, {{t > 0 ? 0.5 * acceleration * t * t : 0, 0, -0.1}, q_identity()}};
	}
	plate.type = CAIRN_SCRIPTED, plate.keys = keys, plate.key_count = KEYS_MOST;
	cairn_body base = cairn_scene_add_body(s, &plate, NULL);
	cairn_body box = yard_add(s, yard_box(s, 0.4, 0.4, 0.1), m, v3_make(0, 0, 0.0501), v3_zero());
	yard y = yard_open(s, 1);
	if (!y.ok)
		return INFINITY;
	yard_run(&y, (int)(2.2 * fps));
	double behind = yard_key(&y, base).position.x - yard_key(&y, box).position.x;
	yard_close(&y);
	return behind;
}

TEST(rider_keeps_up_as_long_as_friction_holds)
{
	for (int fine = 0; fine < 2; ++fine) {
		double fps = fine ? 240 : 30, far = fine ? 1e-3 : 1e-2;
		CHECK(dragged(0.5 * 0.5 * g, fps) < far);
		CHECK(dragged(0.95 * 0.5 * g, fps) < far);
		CHECK_NEAR(dragged(1.2 * 0.5 * g, fps), 0.5 * 0.2 * 0.5 * g * 4, fine ? 0.02 : 0.15);
	}
}

/* A plate that swings like a pendulum, up to 34 degrees: what lies on it is pressed on by its turning, and stays. */
TEST(rider_stays_on_a_swing)
{
	static cairn_script_key keys[KEYS_MOST];
	const double arm = 2, most = 0.6, rate = 1.5;
	for (int fine = 0; fine < 2; ++fine) {
		double fps = fine ? 240 : 30, far = 0;
		cairn_scene *s = scene_of(fps);
		cairn_material m = yard_material(s, 0, 1);
		for (int i = 0; i < KEYS_MOST; ++i) {
			double a = most * sin(rate * i / fps);
			keys[i] = (cairn_script_key){i / fps,
			                             {{arm * sin(a), 0, arm - 0.1 - arm * cos(a)}, turned(v3_make(0, -1, 0), a)}};
		}
		cairn_body_def plate = yard_body(yard_box(s, 2, 2, 0.2), m, v3_make(0, 0, -0.1));
		plate.type = CAIRN_SCRIPTED, plate.keys = keys, plate.key_count = KEYS_MOST;
		cairn_body base = cairn_scene_add_body(s, &plate, NULL);
		cairn_body_def b = yard_body(yard_box(s, 0.4, 0.4, 0.1), m, v3_make(0, 0, 0.0501));
		b.velocity = v3_make((arm - 0.15) * most * rate, 0, 0), b.spin = v3_make(0, -most * rate, 0);
		cairn_body box = cairn_scene_add_body(s, &b, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		for (int f = 0; f < (int)(8 * fps); ++f) {
			REQUIRE(yard_step(&y));
			cairn_key p = yard_key(&y, base), k = yard_key(&y, box);
			v3 x = q_unrotate(p.orientation, v3_sub(k.position, p.position));
			far = hypot(x.x, x.y) > far ? hypot(x.x, x.y) : far;
			CHECK_NEAR(x.z, 0.15, 1e-3);
		}
		CHECK(far < (fine ? 2e-4 : 3e-3));
		yard_close(&y);
	}
}

/* Two rods fly away from each other, and both turn by 60 rad in a frame, partly about the same axis: they never meet, so both
 * fly on. In finer frames, in which they turn by less than half a turn, it is the same flight. */
TEST(rods_that_spin_alike_let_each_other_be)
{
	for (int fine = 0; fine < 2; ++fine) {
		cairn_scene *s = scene_of(fine ? 330 : 11);
		cairn_material m = yard_material(s, 0.745, 1.86);
		cairn_shape rod = yard_round(s, CAIRN_CYLINDER, 0.00779, 0.0173);
		cairn_body_def a = yard_body(rod, m, v3_make(0, 0, 9)), b = yard_body(rod, m, v3_make(-0.074, -0.049, 8.967));
		a.velocity = v3_make(-5.8, 7.5, 17), a.spin = v3_make(-523, -402, 0);
		b.velocity = v3_make(-12.3, -4, 14.2), b.spin = v3_make(204, -628, 1);
		a.pose.orientation = turned(v3_unit(v3_make(-0.27, -0.28, -0.12)), 0.8);
		b.pose.orientation = turned(v3_unit(v3_make(0.15, -0.42, -0.04)), 0.9);
		cairn_body first = cairn_scene_add_body(s, &a, NULL), second = cairn_scene_add_body(s, &b, NULL);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, fine ? 30 : 1);
		v3 falls = v3_make(0, 0, -g / 11);
		CHECK_NEAR(v3_distance(yard_key(&y, first).velocity, v3_add(a.velocity, falls)), 0, 1e-9);
		CHECK_NEAR(v3_distance(yard_key(&y, second).velocity, v3_add(b.velocity, falls)), 0, 1e-9);
		yard_close(&y);
	}
}

static double draw(uint32_t *seed, double from, double to)
{
	*seed = *seed * 1664525 + 1013904223;
	return from + (to - from) * (*seed >> 8) / (1 << 24);
}

/* The largest share of its energy that a box gains in one of some frames. It is close over a floor, and turns by 3 to 10 rad in
 * a 30th of a second. */
static double whirled(double fps, uint32_t *seed)
{
	cairn_scene *s = scene_of(fps);
	cairn_material m = yard_material(s, 0.3, 0.5);
	const v3 half = {0.083, 0.035, 0.028};
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def b = yard_body(yard_box(s, 2 * half.x, 2 * half.y, 2 * half.z), m, v3_zero());
	double r[4]; /* drawn one by one, for the order of arguments is the compiler's */
	for (int i = 0; i < 4; ++i)
		r[i] = draw(seed, -1, 1);
	b.pose.orientation = q_unit((quat){r[0], r[1], r[2], r[3]});
	b.velocity.z = draw(seed, -1, 2);
	b.velocity.x = draw(seed, 0, 2);
	for (int i = 3; i-- > 0;)
		r[i] = draw(seed, -1, 1);
	b.spin = v3_scale(v3_unit(v3_make(r[0], r[1], r[2])), draw(seed, 100, 300));
	for (int i = 0; i < 8; ++i) {
		v3 corner = v3_make(i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z);
		b.pose.position.z = fmax(b.pose.position.z, -q_rotate(b.pose.orientation, corner).z);
	}
	b.pose.position.z += draw(seed, 0, 0.02);
	cairn_scene_add_body(s, &b, NULL);
	yard y = yard_open(s, 1);
	double gain = y.ok ? 0 : INFINITY;
	for (int f = 0; f < (int)(fps / 7) && y.ok; ++f) {
		double before = y.total;
		yard_step(&y);
		gain = fmax(gain, y.total / before - 1);
	}
	yard_close(&y);
	return gain;
}

/* A corner that goes round by a turn or two in a step has no place that could be foreseen: impulses that were to act there
 * gave some boxes several times their energy. */
TEST(a_box_that_whirls_wins_nothing)
{
	uint32_t seed = 1;
	for (int i = 0; i < 200; ++i) {
		CHECK(whirled(30, &seed) < 0.01);
		CHECK(i >= 20 || whirled(240, &seed) < 0.01);
	}
}

TEST_MAIN(TEST_CASE(a_box_that_whirls_wins_nothing), TEST_CASE(rods_that_spin_alike_let_each_other_be),
          TEST_CASE(rider_goes_round_with_a_disk), TEST_CASE(rider_slides_where_friction_ends),
          TEST_CASE(rider_keeps_up_as_long_as_friction_holds), TEST_CASE(rider_stays_on_a_swing))
