/* Articulations whose joints form a tree move as mechanics says: against an integration of the equations of motion,
 * against what is conserved, and against the way by equations between links. */
#include "random.h"
#include "yard.h"

static const v3 down = {0, 0, -10};
static const cairn_body world = {0, 0};

static cairn_joint hang(cairn_scene *s, cairn_joint_type type, cairn_body a, cairn_body b, v3 point)
{
	cairn_joint_def d = cairn_default_joint_def();
	d.type = type, d.a = a, d.b = b, d.point = d.point_b = point, d.axis = v3_make(0, 1, 0);
	cairn_joint j = cairn_scene_add_joint(s, &d, NULL);
	CHECK(j.generation);
	return j;
}

/* Sticks one after another in a line, each 1 m from joint to joint, that touch nothing. angle: of the line, from
 * straight down toward x. */
static cairn_scene *sticks(int count, cairn_joint_type type, cairn_body first, double angle)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	cairn_shape stick = yard_box(s, 0.1, 0.1, 0.9);
	v3 along = v3_make(sin(angle), 0, -cos(angle));
	for (int i = 0; i < count; ++i) {
		cairn_body_def def = yard_body(stick, m, v3_scale(along, i + 0.5));
		def.mask = 0, def.pose.orientation = q_exp(v3_make(0, -angle, 0));
		cairn_body b = cairn_scene_add_body(s, &def, NULL);
		hang(s, type, first, b, v3_scale(along, i));
		first = b;
	}
	return s;
}

/* ---- the double pendulum */

typedef struct swing {
	double angle[2], rate[2]; /* of each stick, from straight down */
} swing;

/* Two sticks of mass 1 and moment i, joints 1 m apart, centres in the middle. */
static swing swings(swing x)
{
	const double a = 0.5, g = 10, i = (0.9 * 0.9 + 0.1 * 0.1) / 12;
	double d = x.angle[0] - x.angle[1], m11 = i + a * a + 1, m22 = i + a * a, m12 = a * cos(d);
	double f1 = -a * sin(d) * x.rate[1] * x.rate[1] - g * (a + 1) * sin(x.angle[0]);
	double f2 = a * sin(d) * x.rate[0] * x.rate[0] - g * a * sin(x.angle[1]), det = m11 * m22 - m12 * m12;
	return (swing){{x.rate[0], x.rate[1]}, {(m22 * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det}};
}

static swing plus(swing x, swing d, double h)
{
	for (int k = 0; k < 2; ++k)
		x.angle[k] += h * d.angle[k], x.rate[k] += h * d.rate[k];
	return x;
}

static swing follow(swing x, double time, int steps)
{
	double h = time / steps;
	for (int i = 0; i < steps; ++i) {
		swing k1 = swings(x), k2 = swings(plus(x, k1, h / 2)), k3 = swings(plus(x, k2, h / 2)),
			  k4 = swings(plus(x, k3, h));
		x = plus(plus(plus(plus(x, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
	}
	return x;
}

/* m: how far the ends of both sticks are from where the pendulum's equations lead them. */
static double off_after(double start, int seconds)
{
	yard y = yard_open(sticks(2, CAIRN_HINGE, world, start), 1);
	for (int i = 0; i < 30 * seconds && yard_step(&y); ++i)
		;
	swing x = {{start, start}, {0, 0}}, fine = follow(x, seconds, 40000 * seconds);
	swing coarse = follow(x, seconds, 20000 * seconds);
	v3 first = v3_make(0.5 * sin(fine.angle[0]), 0, -0.5 * cos(fine.angle[0]));
	v3 second = v3_make(2 * first.x + 0.5 * sin(fine.angle[1]), 0, 2 * first.z - 0.5 * cos(fine.angle[1]));
	CHECK(fabs(fine.angle[1] - coarse.angle[1]) < 1e-12);
	double off = fmax(v3_distance(yard_key(&y, (cairn_body){0, 1}).position, first),
	                  v3_distance(yard_key(&y, (cairn_body){1, 1}).position, second));
	yard_close(&y);
	return off;
}

TEST(a_double_pendulum_swings_as_its_equations_say)
{
	CHECK(off_after(0.8, 10) < 1e-6);
	CHECK(off_after(1.0, 10) < 1e-6);
	CHECK(off_after(1.2, 10) < 1e-6);
	CHECK(off_after(0.5 * CN_PI, 2) < 1e-6); /* later it is chaotic */
}

/* ---- what is conserved */

/* Momentum, and angular momentum about the origin, of all bodies. */
static void momenta(const yard *y, int count, v3 *momentum, v3 *turning)
{
	*momentum = *turning = v3_zero();
	for (int i = 0; i < count; ++i) {
		cairn_body body = {(uint32_t)i, 1};
		cairn_body_info info = cairn_world_body_info(y->world, body);
		cairn_key k = yard_key(y, body);
		m3 turn = m3_from_q(k.orientation), inertia;
		memcpy(&inertia, &info.inertia, sizeof inertia);
		v3 x = k.position, p = v3_scale(k.velocity, info.mass);
		v3 l = m3_apply(turn, m3_apply(inertia, m3_unapply(turn, k.spin)));
		*momentum = v3_add(*momentum, p);
		*turning = v3_add(*turning, v3_add(l, v3_cross(x, p)));
	}
}

/* Boxes of several masses, each on a joint of some kind to one before it. */
static cairn_scene *random_figure(uint64_t *random, int count, v3 gravity)
{
	cairn_scene *s = yard_scene(gravity);
	v3 at[16];
	for (int i = 0; i < count; ++i) {
		double size = 0.3 + 0.2 * cn_random_signed(random);
		cairn_shape box = yard_box(s, size, 0.7 * size, 1.5 * size);
		int on = i ? (int)(cn_random_u64(random) % (uint32_t)i) : 0;
		at[i] = i ? v3_add(at[on], random_on_sphere(random)) : v3_zero();
		cairn_body_def d = yard_body(box, yard_material(s, 0, 0), at[i]);
		d.mask = 0, d.velocity = random_in_cube(random), d.spin = v3_scale(random_in_cube(random), 3);
		d.pose.orientation = random_turn(random);
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		CHECK(b.generation);
		cairn_joint_def j = cairn_default_joint_def();
		j.type = (cairn_joint_type)(i % 4 == 3 ? CAIRN_WELD : i % 4 == 2 ? CAIRN_HINGE : CAIRN_BALL);
		j.a = (cairn_body){(uint32_t)on, 1}, j.b = b, j.axis = random_on_sphere(random);
		j.point = v3_lerp(at[on], at[i], 0.5);
		if (i)
			CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	}
	return s;
}

TEST(a_free_figure_keeps_what_it_has)
{
	uint64_t random = 3;
	for (int k = 0; k < 3; ++k) {
		int count = 4 + 3 * k;
		yard y = yard_open(random_figure(&random, count, v3_zero()), 1);
		yard_step(&y); /* velocities that the joints do not allow go in the first frame */
		v3 p0, l0, p1, l1;
		double kinetic, total = yard_energy(y.world, &kinetic), error = 0;
		momenta(&y, count, &p0, &l0);
		for (int i = 1; i < (TEST_FEW ? 300 : 1800) && yard_step(&y); ++i)
			error = fmax(error, y.report.joint_error);
		momenta(&y, count, &p1, &l1);
		double now = yard_energy(y.world, &kinetic);
		CHECK(v3_distance(p0, p1) <= 1e-10 * v3_length(p0));
		CHECK(v3_distance(l0, l1) <= 1e-10 * v3_length(l0));
		CHECK_NEAR(now / total, 1, 1e-8);
		CHECK(error < 1e-12);
		yard_close(&y);
	}
}

/* A trunk with two arms on sliders that motors draw in. */
TEST(a_skater_who_pulls_her_arms_in_spins_faster)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape trunk = yard_box(s, 0.3, 0.3, 1), arm = yard_box(s, 0.2, 0.1, 0.1);
	const double far = 1, near = 0.4, spin = 2;
	cairn_body_def d = yard_body(trunk, m, v3_zero());
	d.spin = v3_make(0, 0, spin), d.mask = 0;
	cairn_body body = cairn_scene_add_body(s, &d, NULL);
	for (int side = -1; side <= 1; side += 2) {
		d = yard_body(arm, m, v3_make(side * far, 0, 0));
		d.velocity = v3_make(0, side * far * spin, 0), d.spin = v3_make(0, 0, spin), d.mask = 0;
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_SLIDER, j.a = body, j.b = cairn_scene_add_body(s, &d, NULL);
		j.point = v3_make(side * far, 0, 0), j.axis = v3_make(side, 0, 0);
		j.has_limits = true, j.low = near - far, j.high = 0.1;
		j.motor = CAIRN_MOTOR_FORCE, j.most = -100;
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
	}
	yard y = yard_open(s, 1);
	double first = 0, inertia = 0, off = 0;
	for (int frame = 0; frame < 90; ++frame) {
		inertia = 0;
		for (int i = 0; i < 3; ++i) { /* arms turn with the trunk, also while they move */
			cairn_body each = {(uint32_t)i, 1};
			cairn_body_info info = cairn_world_body_info(y.world, each);
			inertia += info.inertia[8] + info.mass * v3_length2(yard_key(&y, each).position);
		}
		first = frame ? first : inertia;
		off = fmax(off, fabs(yard_key(&y, body).spin.z * inertia / (spin * first) - 1));
		if (!yard_step(&y))
			break;
	}
	CHECK(off < 1e-6);
	CHECK(first / inertia > 2);
	yard_close(&y);
}

/* A ball a million times as heavy as the links it hangs on, let go to the side. */
TEST(light_links_hold_a_vast_ball)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	cairn_body last = world;
	for (int i = 0; i < 7; ++i) {
		cairn_body_def d = yard_body(i < 6 ? yard_box(s, 0.8, 0.1, 0.1) : yard_round(s, CAIRN_SPHERE, 0.5, 0), m,
		                             v3_make(i + 0.5, 0, 0));
		d.mask = 0, d.mass = i < 6 ? 1e-3 : 1e3;
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		CHECK(b.generation);
		hang(s, CAIRN_BALL, last, b, v3_make(i, 0, 0));
		last = b;
	}
	yard y = yard_open(s, 1);
	double error = 0, start = y.total;
	for (int i = 0; i < 150 && yard_step(&y); ++i)
		error = fmax(error, y.report.joint_error);
	CHECK(error < 1e-12);
	CHECK_NEAR(y.total, start, 1e-9 * y.unit);
	CHECK(v3_length(yard_key(&y, last).position) < 6.5 + 1e-9);
	yard_close(&y);
}

/* ---- both ways */

/* A joint that is there twice makes a loop, which is followed by equations between links. */
static yard three_links(bool twice, cairn_joint_type type)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	cairn_settings set = cairn_scene_settings(s);
	cairn_body last = world;
	set.fps = 7680;
	CHECK(cairn_scene_set_settings(s, &set, NULL));
	for (int i = 0; i < 3; ++i) {
		cairn_body_def d = yard_body(yard_box(s, 0.8, 0.2, 0.1), m, v3_make(i + 0.5, 0, 0));
		d.mask = 0;
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		cairn_joint_def j = cairn_default_joint_def();
		j.type = type, j.a = last, j.b = b, j.point = v3_make(i, 0, 0), j.axis = v3_unit(v3_make(0.1, 1, 0.2 * i));
		for (int k = 0; k < 1 + (twice && i == 2); ++k)
			CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
		last = b;
	}
	return yard_open(s, 1);
}

TEST(both_ways_lead_to_the_same_place)
{
	const cairn_joint_type types[2] = {CAIRN_HINGE, CAIRN_BALL};
	for (int k = 0; k < 2; ++k) {
		yard a = three_links(false, types[k]), b = three_links(true, types[k]);
		double off = 0;
		for (int i = 0; i < 15360; ++i) {
			if (!yard_step(&a) || !yard_step(&b))
				break;
			for (uint32_t body = 0; body < 3; ++body)
				off = fmax(off, v3_distance(yard_key(&a, (cairn_body){body, 1}).position,
				                            yard_key(&b, (cairn_body){body, 1}).position));
		}
		CHECK(off < 1e-6);
		yard_close(&a), yard_close(&b);
	}
}

/* ---- joints and contacts at once */

/* A post that tips about its foot on a rough floor, turning fast enough that the pull inward takes off a third of its
 * weight: in one piece, or of halves that a joint holds together. *height: of its top after a fifth of a second; *lifted:
 * how far its foot left the floor. */
static void tip_post(bool halves, double fps, double *height, double *lifted)
{
	cairn_scene *s = yard_scene(down);
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	cairn_material m = yard_material(s, 0, 1);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	const double lean = 0.2, spin = 2.5, length = halves ? 0.5 : 1, foot = 0.05 * sin(lean) + 1e-4;
	v3 up = v3_make(sin(lean), 0, cos(lean));
	cairn_shape shape = yard_box(s, 0.1, 0.1, length);
	cairn_body post[2] = {{0, 0}, {0, 0}};
	for (int i = 0; i < 1 + halves; ++i) {
		v3 center = v3_add(v3_scale(up, length * (i + 0.5)), v3_make(-0.05 * cos(lean), 0, foot));
		cairn_body_def d = yard_body(shape, m, center);
		d.pose.orientation = q_exp(v3_make(0, lean, 0));
		d.spin = v3_make(0, spin, 0), d.velocity = v3_cross(d.spin, v3_sub(center, v3_make(0, 0, 1e-4)));
		post[i] = cairn_scene_add_body(s, &d, NULL);
	}
	if (halves)
		hang(s, CAIRN_WELD, post[0], post[1], v3_add(v3_scale(up, length), v3_make(-0.05 * cos(lean), 0, foot)));
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	*lifted = 0;
	for (int k = 0; k < 0.2 * fps && yard_step(&y); ++k) {
		cairn_key low = yard_key(&y, post[0]);
		v3 axis = q_rotate(low.orientation, v3_make(0, 0, 1)), side = q_rotate(low.orientation, v3_make(1, 0, 0));
		double bottom = low.position.z - 0.5 * length * axis.z - 0.05 * fabs(side.z);
		*lifted = bottom > *lifted ? bottom : *lifted;
	}
	cairn_key top = yard_key(&y, post[halves]);
	*height = top.position.z + 0.5 * length * q_rotate(top.orientation, v3_make(0, 0, 1)).z;
	yard_close(&y);
}

/* The rest program asks for velocities of the step's end, and joints have to hold there too: else the floor carries what
 * the pull inward does, and throws the post up. */
TEST(a_post_of_halves_tips_as_one_does)
{
	const double rates[] = {30, 60, 240, 1000};
	for (int i = 0; i < 4; ++i) {
		double one, two, lifted, stays;
		tip_post(false, rates[i], &one, &stays);
		tip_post(true, rates[i], &two, &lifted);
		printf("post: top at %.5f m, of halves %.5f m; foot lifted by %.2g and %.2g m\n", one, two, stays, lifted);
		CHECK_NEAR(two, one, 5e-4);
		CHECK(lifted < 1.2e-4);
	}
}

/* ---- the whip */

/* Two balls on massless rods of length 1, without gravity; the inner one is light. */
static swing whips(swing x, double light, double heavy)
{
	double all = light + heavy, d = x.angle[0] - x.angle[1], c = cos(d), s = sin(d);
	double p = -heavy * x.rate[1] * x.rate[1] * s, q = x.rate[0] * x.rate[0] * s, det = all - heavy * c * c;
	return (swing){{x.rate[0], x.rate[1]}, {(p - heavy * c * q) / det, (all * q - c * p) / det}};
}

static swing whip(swing x, double light, double heavy, double time, int steps)
{
	double h = time / steps;
	for (int i = 0; i < steps; ++i) {
		swing k1 = whips(x, light, heavy), k2 = whips(plus(x, k1, h / 2), light, heavy),
			  k3 = whips(plus(x, k2, h / 2), light, heavy), k4 = whips(plus(x, k3, h), light, heavy);
		x = plus(plus(plus(plus(x, k1, h / 6), k2, h / 3), k3, h / 3), k4, h / 6);
	}
	return x;
}

static v3 of_angle(double length, double angle) { return v3_make(length * sin(angle), 0, -length * cos(angle)); }
static v3 to_angle(double rate, double angle) { return v3_make(rate * cos(angle), 0, rate * sin(angle)); }

/* Where the rods straighten, the heavy ball turns round within a hundredth of a frame and the light one goes through at
 * a multiple of its speed. */
static void whip_through(double ratio, double fps, double allowed)
{
	const swing start = {{0, 1.2}, {4, -9}};
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 0, 0);
	cairn_settings set = cairn_scene_settings(s);
	set.fps = fps;
	CHECK(cairn_scene_set_settings(s, &set, NULL));
	v3 at = v3_zero(), v = v3_zero();
	cairn_body last = world;
	for (int i = 0; i < 2; ++i) {
		v3 from = at;
		at = v3_add(at, of_angle(1, start.angle[i])), v = v3_add(v, to_angle(start.rate[i], start.angle[i]));
		cairn_body_def d = yard_body(yard_box(s, 0.1, 0.1, 0.1), m, at);
		d.mask = 0, d.mass = i ? ratio : 1, d.velocity = v;
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_DISTANCE, j.a = last, j.b = b, j.point = from, j.point_b = at;
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
		last = b;
	}
	yard y = yard_open(s, 1);
	swing fine = start;
	for (int i = 1; i <= fps / 2 && yard_step(&y); ++i) {
		fine = whip(fine, 1, ratio, 1 / fps, (int)(300000 / fps));
		v3 truth = v3_add(of_angle(1, fine.angle[0]), of_angle(1, fine.angle[1]));
		CHECK(v3_distance(yard_key(&y, last).position, truth) < allowed);
	}
	yard_close(&y);
}

TEST(a_light_link_between_heavy_ones_is_whipped_round)
{
	whip_through(30, 30, 5e-3);
	whip_through(400, 30, 5e-3);
	whip_through(400, 240, 5e-4);
}

/* Two links on a slider are at rest when a motor throws them apart, at 2500 and at 4500 m/s^2. The slower one meets a wall
 * 0.5 m away, at once. Neither moves before, so no pair is near that could ask for steps. */
static void throw_at_wall(double fps)
{
	const double push = 1266, mass = 0.28;
	cairn_scene *s = yard_scene(down);
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	cairn_material m = yard_material(s, 0.3, 0);
	cairn_shape rod = yard_box(s, 0.07, 0.07, 0.5);
	cairn_body_def wall = yard_body(yard_box(s, 0.1, 4, 4), m, v3_make(0.8, 0, 0));
	wall.type = CAIRN_FIXED;
	cairn_scene_add_body(s, &wall, NULL);
	cairn_joint_def d = cairn_default_joint_def();
	cairn_body_def def = yard_body(rod, m, v3_zero());
	def.mass = mass, d.a = cairn_scene_add_body(s, &def, NULL);
	def.mass = 0.5, def.pose.position.x = 0.3, d.b = cairn_scene_add_body(s, &def, NULL);
	d.type = CAIRN_SLIDER, d.axis = v3_make(1, 0, 0), d.motor = CAIRN_MOTOR_FORCE, d.most = push;
	CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
	yard y = yard_open(s, 1);
	REQUIRE(y.ok);
	double time = 1 / 30.0;
	for (int i = 0; i < (int)(fps * time + 0.5) && yard_step(&y); ++i)
		CHECK(y.report.debtors == 0);
	double way = 0.5 * push / mass * time * time;
	CHECK_NEAR(yard_key(&y, d.a).position.x, -way, 0.02 * way);
	yard_close(&y);
}

TEST(a_rig_that_is_thrown_at_a_wall_takes_steps)
{
	throw_at_wall(30);
	throw_at_wall(60);
	throw_at_wall(240);
	throw_at_wall(990);
}

TEST_MAIN(TEST_CASE(a_post_of_halves_tips_as_one_does), TEST_CASE(a_double_pendulum_swings_as_its_equations_say),
          TEST_CASE(a_free_figure_keeps_what_it_has), TEST_CASE(a_skater_who_pulls_her_arms_in_spins_faster),
          TEST_CASE(light_links_hold_a_vast_ball), TEST_CASE(both_ways_lead_to_the_same_place),
          TEST_CASE(a_light_link_between_heavy_ones_is_whipped_round),
          TEST_CASE(a_rig_that_is_thrown_at_a_wall_takes_steps))
