/* Joints in method oba: what each kind holds and leaves free, limits, motors, breaking; rigs in motion, in contact and at
 * rest. Every frame is certified and its ledger adds up (yard.h). */
#include "hardship.h"
#include "random.h"
#include "step/joint/equations.h"

static const v3 down = {0, 0, -10}, none = {0, 0, 0};
static const cairn_body world = {0, 0};

static cairn_joint_def joint_of(cairn_joint_type type, cairn_body a, cairn_body b, v3 point)
{
	cairn_joint_def d = cairn_default_joint_def();
	d.type = type, d.a = a, d.b = b, d.point = d.point_b = point;
	return d;
}

static cairn_joint join(cairn_scene *s, cairn_joint_type type, cairn_body a, cairn_body b, v3 point)
{
	cairn_joint_def d = joint_of(type, a, b, point);
	return cairn_scene_add_joint(s, &d, NULL);
}

static cairn_joint add(cairn_scene *s, cairn_joint_def d)
{
	cairn_joint j = cairn_scene_add_joint(s, &d, NULL);
	CHECK(j.generation);
	return j;
}

/* Sticks one after another along x that do not touch each other, the first held to the world at the origin. */
static cairn_scene *sticks(int count, cairn_joint_type type)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	cairn_shape stick = yard_box(s, 0.9, 0.1, 0.1);
	cairn_body last = world;
	for (int i = 0; i < count; ++i) {
		cairn_body_def def = yard_body(stick, m, v3_make(i + 0.5, 0, 0));
		def.mask = 0;
		cairn_body b = cairn_scene_add_body(s, &def, NULL);
		cairn_joint_def d = joint_of(type, last, b, v3_make(i, 0, 0));
		d.axis = v3_make(0, 1, 0);
		if (type == CAIRN_DISTANCE)
			d.point = v3_make(i, 0, 0.2);
		add(s, d);
		last = b;
	}
	return s;
}

/* A world whose joints are asked for their equations. */
static cairn_world *all_kinds(void)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape box = yard_box(s, 1, 0.5, 0.3);
	cairn_body a = yard_add(s, box, m, none, none), b = yard_add(s, box, m, v3_make(2, 0, 0), none);
	for (int k = 0; k < 5; ++k) {
		cairn_joint_def d = joint_of((cairn_joint_type)k, a, b, v3_make(1, 0.1, 0.2));
		d.axis = v3_unit(v3_make(1, 2, -1));
		d.point_b = v3_make(1.7, 0.4, -0.2);
		d.has_limits = k == CAIRN_HINGE || k == CAIRN_SLIDER, d.low = -3, d.high = 3;
		add(s, d);
	}
	cairn_world *w = yard_world(s, 1);
	cairn_scene_destroy(s);
	return w;
}

static double value_of(const cn_joint_row *r, const cn_twist *a, const cn_twist *b)
{
	return v3_dot(r->ja.v, a->v) + v3_dot(r->ja.w, a->w) + v3_dot(r->jb.v, b->v) + v3_dot(r->jb.w, b->w);
}

static pose moved(pose p, const cn_twist *u, double t)
{
	return (pose){v3_madd(p.position, u->v, t), q_unit(q_mul(q_exp(v3_scale(u->w, t)), p.orientation))};
}

/* Where a joint holds, its rows are how its equations change. */
TEST(rows_are_derivatives)
{
	uint64_t random = 5;
	cairn_world *w = all_kinds();
	REQUIRE(w);
	for (uint32_t joint = 0; joint < 5; ++joint)
		for (int k = 0; k < 20; ++k) {
			pose whole = {random_in_cube(&random), random_turn(&random)};
			pose a = pose_mul(whole, (pose){w->motion[0].x, w->motion[0].q}),
				 b = pose_mul(whole, (pose){w->motion[1].x, w->motion[1].q});
			cn_twist ua = {random_in_cube(&random), random_in_cube(&random)},
					 ub = {random_in_cube(&random), random_in_cube(&random)};
			cn_joint_row at[7], before[7], after[7];
			double h = 1e-6;
			uint32_t count = cn_joint_equations(w, joint, a, b, at);
			CHECK_INT(count, cn_joint_equation_count(w, joint));
			cn_joint_equations(w, joint, moved(a, &ua, -h), moved(b, &ub, -h), before);
			cn_joint_equations(w, joint, moved(a, &ua, h), moved(b, &ub, h), after);
			for (uint32_t n = 0; n < cn_joint_axis_count(w, joint); ++n, ++count) {
				at[count] = cn_joint_axis(w, joint, n, a, b);
				before[count] = cn_joint_axis(w, joint, n, moved(a, &ua, -h), moved(b, &ub, -h));
				after[count] = cn_joint_axis(w, joint, n, moved(a, &ua, h), moved(b, &ub, h));
			}
			for (uint32_t i = 0; i < count; ++i)
				CHECK_NEAR((after[i].off - before[i].off) / (2 * h), value_of(&at[i], &ua, &ub), 1e-6);
		}
	cairn_world_destroy(w);
}

/* Where both bodies turn a little, rows turn as little: none jumps to another direction. */
TEST(rows_turn_with_their_bodies)
{
	uint64_t random = 6;
	cairn_world *w = all_kinds();
	REQUIRE(w);
	for (uint32_t joint = 0; joint < 5; ++joint)
		for (int k = 0; k < 2000; ++k) {
			pose whole = {none, random_turn(&random)},
				 little = {none, q_exp(v3_scale(random_on_sphere(&random), 0.01))};
			cn_joint_row at[2][7];
			uint32_t count = 0;
			for (int i = 0; i < 2; ++i, whole = pose_mul(little, whole))
				count = cn_joint_equations(w, joint, pose_mul(whole, (pose){w->motion[0].x, w->motion[0].q}),
				                           pose_mul(whole, (pose){w->motion[1].x, w->motion[1].q}), at[i]);
			for (uint32_t i = 0; i < count; ++i) {
				CHECK(v3_distance(at[0][i].jb.v, at[1][i].jb.v) <= 0.01001);
				if (at[0][i].turns)
					CHECK(v3_distance(at[0][i].jb.w, at[1][i].jb.w) <= 0.01001);
			}
		}
	cairn_world_destroy(w);
}

/* Six sticks let go from the horizontal, held by each kind: joints stay together, energy stays. */
TEST(rigs_keep_together_and_keep_their_energy)
{
	for (int kind = 0; kind < 5; ++kind) {
		cairn_scene *s = sticks(6, (cairn_joint_type)kind);
		if (kind == CAIRN_SLIDER) { /* along y, pushed there */
			cairn_event_def e = cairn_default_event_def(CAIRN_IMPULSE);
			e.body = (cairn_body){3, 1}, e.impulse = v3_make(3, 20, 1);
			CHECK(cairn_scene_add_event(s, &e, NULL));
		}
		yard y = yard_open(s, 1);
		double start = y.total, error = 0;
		for (int i = 0; i < (TEST_FEW ? 60 : 200) && yard_step(&y); ++i)
			error = y.report.joint_error > error ? y.report.joint_error : error;
		CHECK(error < 1e-9);
		CHECK(y.rise < 1e-6);
		if (kind != CAIRN_SLIDER) /* the push that sets it going is a cause */
			CHECK_NEAR(y.total, start, 1e-9 * y.unit);
		if (kind == CAIRN_WELD) /* to the world: nothing can move */
			CHECK(v3_distance(yard_key(&y, (cairn_body){5, 1}).position, v3_make(5.5, 0, 0)) < 1e-9);
		yard_close(&y);
	}
}

/* Four bars of hinges, which repeat each other's rows. */
TEST(loops_hold)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	cairn_shape bar = yard_box(s, 0.1, 0.1, 0.9), across = yard_box(s, 0.9, 0.1, 0.1);
	cairn_body a = yard_add(s, bar, m, v3_make(0, 0, -0.5), none),
			   b = yard_add(s, across, m, v3_make(0.5, 0, -1), none),
			   c = yard_add(s, bar, m, v3_make(1, 0, -0.5), v3_make(1, 0, 0));
	const cairn_body pairs[4][2] = {{world, a}, {a, b}, {b, c}, {c, world}};
	const v3 points[4] = {{0, 0, 0}, {0, 0, -1}, {1, 0, -1}, {1, 0, 0}};
	for (int i = 0; i < 4; ++i) {
		cairn_joint_def d = joint_of(CAIRN_HINGE, pairs[i][0], pairs[i][1], points[i]);
		d.axis = v3_make(0, 1, 0);
		add(s, d);
	}
	yard y = yard_open(s, 1);
	for (int i = 0; i < 150 && yard_step(&y); ++i) {
		CHECK(y.report.joint_error < 1e-9);
		CHECK(fabs(yard_key(&y, b).spin.y) < 1e-6); /* a parallelogram: it does not turn */
	}
	yard_no_gain(&y);
	yard_close(&y);
}

/* Joints that repeat each other: two bodies on a slider and a hinge, three in a ring of hinges and a ball, turn as one body
 * and keep their energy. */
TEST(repeated_joints_act_as_one)
{
	for (int ring = 0; ring < 2; ++ring) {
		cairn_scene *s = yard_scene(none);
		cairn_material m = yard_material(s, 0, 0);
		cairn_shape box = yard_box(s, 0.6, 0.5, 0.4);
		cairn_body bodies[3];
		for (int i = 0; i < 2 + ring; ++i) {
			cairn_body_def d = yard_body(box, m, i == 2 ? v3_make(1, -1.5, 0.4) : v3_make(3 * i, 0.5 * i, 0.7 * i));
			d.spin = i == 1 ? v3_make(-3, -5, 0) : none;
			bodies[i] = cairn_scene_add_body(s, &d, NULL);
		}
		const v3 points[3] = {{-1, -1, 1}, {0, -1, 0}, {2, -1.7, 0.5}}, axes[3] = {{0, 0, 1}, {1, 0, 0}, {0.6, 0, 0.8}};
		for (int i = 0; i < 2 + ring; ++i) {
			cairn_joint_def d = joint_of(ring ? i == 2 ? CAIRN_BALL : CAIRN_HINGE
			                             : i  ? CAIRN_HINGE
			                                  : CAIRN_SLIDER,
			                             bodies[ring && i == 2 ? 1 : 0], bodies[ring && i > 0 ? 2 : 1], points[i]);
			d.axis = axes[i];
			add(s, d);
		}
		yard y = yard_open(s, 1);
		CHECK(yard_step(&y));
		double start = y.total;
		CHECK(start > 1e-3 * y.unit);
		for (int i = 0; i < 60 && yard_step(&y); ++i) {
			CHECK(y.report.joint_error < 1e-11);
			for (int k = 1; k < 2 + ring; ++k)
				CHECK(v3_distance(yard_key(&y, bodies[0]).spin, yard_key(&y, bodies[k]).spin) < 1e-9);
		}
		CHECK_NEAR(y.total, start, 1e-9 * y.unit);
		yard_close(&y);
	}
}

TEST(limits_hold)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	cairn_shape box = yard_box(s, 1, 0.2, 0.2);
	cairn_body flap = yard_add(s, box, m, v3_make(0.5, 0, 0), none), sled = yard_add(s, box, m, v3_make(0, 5, 0), none),
			   ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.2, 0), m, v3_make(1, 10, 0), none);
	cairn_joint_def hinge = joint_of(CAIRN_HINGE, world, flap, none),
					slider = joint_of(CAIRN_SLIDER, world, sled, none),
					rope = joint_of(CAIRN_DISTANCE, world, ball, v3_make(0, 10, 1));
	hinge.axis = v3_make(0, 1, 0), hinge.has_limits = true, hinge.low = -0.1, hinge.high = 0.7;
	slider.axis = v3_make(0.6, 0, -0.8), slider.has_limits = true, slider.low = 0, slider.high = 1.5;
	rope.point_b = v3_make(1, 10, 0), rope.has_limits = true, rope.low = 0, rope.high = 2;
	cairn_joint j[3] = {add(s, hinge), add(s, slider), add(s, rope)};
	yard y = yard_open(s, 1);
	for (int i = 0; i < 120 && yard_step(&y); ++i) {
		CHECK(cairn_world_joint(y.world, j[0]).position < 0.7 + 1e-9);
		CHECK(cairn_world_joint(y.world, j[1]).position < 1.5 + 1e-9);
		CHECK(cairn_world_joint(y.world, j[2]).position < 2 + 1e-9);
	}
	CHECK_NEAR(cairn_world_joint(y.world, j[0]).position, 0.7, 1e-6);
	CHECK_NEAR(cairn_world_joint(y.world, j[1]).position, 1.5, 1e-6);
	CHECK_NEAR(cairn_world_joint(y.world, j[2]).position, 2, 1e-3); /* it swings on, taut */
	CHECK_NEAR(cairn_world_joint(y.world, j[1]).force, cairn_world_body_info(y.world, sled).mass * 10, 1e-3);
	CHECK(v3_length(yard_key(&y, flap).spin) < 1e-6);
	CHECK_NEAR(yard_key(&y, sled).position.x, 0.9, 1e-6);
	yard_no_gain(&y);
	yard_close(&y);
}

/* A wheel without gravity: it reaches its speed and keeps it; a weak motor accelerates with what it has; a force pushes. */
TEST(motors_drive)
{
	cairn_scene *s = yard_scene(none);
	cairn_material m = yard_material(s, 0.3, 0.3);
	cairn_shape wheel = yard_round(s, CAIRN_CYLINDER, 0.5, 0.2), box = yard_box(s, 1, 1, 1);
	cairn_body b[3] = {yard_add(s, wheel, m, v3_make(0, 0, 0), none), yard_add(s, wheel, m, v3_make(5, 0, 0), none),
	                   yard_add(s, box, m, v3_make(10, 0, 0), none)};
	cairn_joint j[3];
	for (int i = 0; i < 3; ++i) {
		cairn_joint_def d = joint_of(i < 2 ? CAIRN_HINGE : CAIRN_SLIDER, world, b[i], v3_make(5 * i, 0, 0));
		d.motor = i < 2 ? CAIRN_MOTOR_SPEED : CAIRN_MOTOR_FORCE;
		d.speed = i < 2 ? 8 : 0, d.most = i == 0 ? 1e5 : i == 1 ? 2 : 800;
		j[i] = add(s, d);
	}
	yard y = yard_open(s, 1);
	double moment = cairn_world_body_info(y.world, b[1]).inertia[8];
	CHECK(yard_run(&y, 1));
	CHECK_NEAR(cairn_world_joint(y.world, j[0]).speed, 8, 1e-9);
	CHECK(yard_run(&y, 29));
	CHECK_NEAR(cairn_world_joint(y.world, j[0]).speed, 8, 1e-9);
	CHECK_NEAR(cairn_world_joint(y.world, j[1]).speed, 2 / moment, 1e-6);
	CHECK_NEAR(cairn_world_joint(y.world, j[1]).torque, 2, 1e-6);
	CHECK_NEAR(cairn_world_joint(y.world, j[2]).speed, 1, 1e-9); /* 800 kg, 800 N, 1 s */
	CHECK_NEAR(yard_key(&y, b[2]).position.z, 0.5, 1e-9);
	CHECK(cairn_world_joint(y.world, j[0]).position > 7); /* whole turns count */
	CHECK(cairn_world_set_motor(y.world, j[0], CAIRN_MOTOR_SPEED, -3, 1e5, NULL));
	CHECK(cairn_world_set_motor(y.world, j[1], CAIRN_NO_MOTOR, NAN, NAN, NULL)); /* not looked at */
	double coasts = cairn_world_joint(y.world, j[1]).speed;
	CHECK(!cairn_world_set_motor(y.world, j[0], CAIRN_MOTOR_SPEED, 1, -1, NULL));
	CHECK(!cairn_world_set_motor(y.world, (cairn_joint){3, 1}, CAIRN_NO_MOTOR, 0, 0, NULL));
	CHECK(yard_run(&y, 3));
	CHECK_NEAR(cairn_world_joint(y.world, j[0]).speed, -3, 1e-9);
	CHECK_NEAR(cairn_world_joint(y.world, j[1]).speed, coasts, 1e-9);
	yard_close(&y);
}

/* A motor presses a ball on a wall, aslant and without gravity: it comes to rest there. It bounced for ever, in ever smaller
 * steps, while what pressed it on was no part of the speed that tells which contacts hold. */
TEST(motors_press_what_rests)
{
	for (int fine = 0; fine < 2; ++fine) {
		cairn_scene *s = yard_scene(v3_zero());
		cairn_settings settings = cairn_scene_settings(s);
		settings.fps = fine ? 1000 : 240;
		CHECK(cairn_scene_set_settings(s, &settings, NULL));
		cairn_material m = yard_material(s, 0.5, 0.5);
		yard_plane(s, m, v3_make(1, 0, 0), 0);
		cairn_body b = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.3, 0), m, v3_make(0.35, 0, 0), v3_zero());
		cairn_joint_def j = cairn_default_joint_def();
		j.type = CAIRN_SLIDER, j.b = b, j.point = v3_make(0.35, 0, 0), j.axis = v3_unit(v3_make(1, 0.7, 0));
		j.motor = CAIRN_MOTOR_SPEED, j.speed = -2, j.most = 300;
		CHECK(cairn_scene_add_joint(s, &j, NULL).generation);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, (int)settings.fps);
		for (int f = 0; f < 20 && yard_step(&y); ++f)
			CHECK_NEAR(v3_length(yard_key(&y, b).velocity), 0, 1e-9);
		yard_close(&y);
	}
}

/* A motor as strong as it takes to hold its speed in any frame still gives in to a wall: what it drives comes to rest there. As
 * an equation it would win against the contact, and each frame would end with an impact at the motor's full speed. */
TEST(strong_motors_are_stopped_by_walls)
{
	const double rates[3] = {28, 60, 240};
	for (int k = 0; k < 3; ++k) {
		cairn_scene *s = yard_scene(down);
		cairn_settings settings = cairn_scene_settings(s);
		settings.fps = rates[k];
		CHECK(cairn_scene_set_settings(s, &settings, NULL));
		cairn_material m = yard_material(s, 0.5, 0.1);
		yard_plane(s, m, v3_make(1, 0, 0), 0);
		cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.15, 0), m, v3_make(0.2, 0, 0));
		d.mass = 4;
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		cairn_joint_def j = joint_of(CAIRN_SLIDER, world, b, v3_make(0.2, 0, 0));
		j.axis = v3_unit(v3_make(1, 0.7, 0.1)), j.motor = CAIRN_MOTOR_SPEED, j.speed = -1.4, j.most = 1600;
		add(s, j);
		yard y = yard_open(s, 1);
		REQUIRE(y.ok);
		yard_run(&y, (int)settings.fps / 2);
		for (int f = 0; f < 20 && yard_step(&y); ++f)
			CHECK_NEAR(v3_length(yard_key(&y, b).velocity), 0, 1e-9);
		yard_close(&y);
	}
}

/* A motor that would turn its door more often in a frame than keys can show turns it as fast as they can, at once and
 * from then on. */
TEST(motors_too_strong_are_bounded)
{
	const double masses[2] = {1, 1e-6}, torques[2] = {1e12, -1000};
	for (int k = 0; k < 2; ++k) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0, 0);
		cairn_body_def d = yard_body(yard_box(s, 0.8, 0.04, 1.9), m, v3_make(0.5, 0, 0));
		d.mass = masses[k];
		cairn_body door = cairn_scene_add_body(s, &d, NULL);
		cairn_joint_def j = joint_of(CAIRN_HINGE, world, door, v3_make(0.075, 0, 0));
		j.axis = v3_make(0, 0, 1), j.motor = CAIRN_MOTOR_FORCE, j.most = torques[k];
		add(s, j);
		yard y = yard_open(s, 1);
		for (int i = 0; i < 4 && yard_step(&y); ++i) {
			double turn = yard_key(&y, door).spin.z / 30 * (torques[k] > 0 ? 1 : -1);
			CHECK(turn > 59 && turn < 61);
			CHECK(y.report.joint_error < 1e-11);
		}
		yard_close(&y);
	}
}

TEST(joints_break)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.3);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.2, 0);
	cairn_body light = yard_add(s, ball, m, v3_make(0, 0, 0), none),
			   swung = yard_add(s, ball, m, v3_make(4, 0, 1), none);
	double weight = 800 * 4 * CN_PI / 3 * 0.008 * 10;
	cairn_joint_def d = joint_of(CAIRN_BALL, world, light, v3_make(0, 0, 1));
	d.break_force = 1.2 * weight;
	cairn_joint holds = add(s, d);
	d = joint_of(CAIRN_BALL, world, swung, v3_make(3, 0, 1));
	d.break_force = 2 * weight;
	cairn_joint breaks = add(s, d);
	yard y = yard_open(s, 1);
	uint32_t broken = 0;
	for (int i = 0; i < 60 && yard_step(&y); ++i)
		broken += y.report.broken;
	CHECK_INT(broken, 1);
	CHECK(!cairn_world_joint(y.world, holds).broken && cairn_world_joint(y.world, breaks).broken);
	CHECK_NEAR(cairn_world_joint(y.world, holds).force, weight, 1e-6 * weight);
	CHECK(yard_key(&y, swung).position.z < -2);
	CHECK(cairn_world_joint(y.world, (cairn_joint){7, 1}).broken);
	yard_no_gain(&y);
	yard_close(&y);
}

/* Balls that hang side by side and touch; the first few are drawn aside. As many fly off on the other side. */
static void swing_cradle(int k, double fps)
{
	cairn_scene *s = yard_scene(down);
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	cairn_material m = yard_material(s, 1, 0);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.05, 0);
	cairn_body b[5];
	for (int i = 0; i < 5; ++i) {
		double x = 0.1001 * i, sine = i < k ? -0.48 : 0, cosine = sqrt(1 - sine * sine);
		b[i] = yard_add(s, ball, m, v3_make(x + 0.6 * sine, 0, -0.6 * cosine), none);
		join(s, CAIRN_BALL, world, b[i], v3_make(x, 0, 0));
	}
	yard y = yard_open(s, 1);
	int swings = 0;
	bool right = false;
	double seconds = TEST_FEW ? 3.6 : 15;
	for (int i = 0; i < (int)(seconds * fps) && yard_step(&y); ++i) {
		int left_out = 0, right_out = 0;
		for (int n = 0; n < 5; ++n) {
			double aside = yard_key(&y, b[n]).position.x - 0.1001 * n;
			left_out += aside<-0.26, right_out += aside> 0.26;
		}
		if (!left_out && !right_out)
			continue;
		CHECK(left_out == 0 || right_out == 0);
		CHECK(left_out <= k && right_out <= k);
		if ((left_out == k && right) || (right_out == k && !right))
			++swings, right = !right;
	}
	CHECK(swings >= (TEST_FEW ? 3 : 17)); /* 0.79 s each */
	yard_no_gain(&y);
	yard_close(&y);
}

/* As many as come leave, as high as they came (0.29 m aside). At some rates a ball is struck from behind in the very step in
 * which it left: that is an impact, as any other. */
TEST(cradle_passes_on_as_many_as_come)
{
	const double rates[4] = {30, 60, 90, 240};
	for (int k = 1; k <= 4; ++k)
		for (int i = 0; i < (TEST_FEW ? 2 : 4); ++i)
			swing_cradle(k, rates[i]);
}

/* Two sticks on a hinge fall on a floor and come to lie, whatever its axis. Nothing takes energy in the joint, so what it
 * has a part in is little; and nothing but keeping bodies apart brings any. */
TEST(hinges_about_any_axis_fall_and_rest)
{
	uint64_t random = 3;
	for (int k = 0; k < (TEST_FEW ? 4 : 24); ++k) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0, 0.5);
		cairn_shape stick = yard_box(s, 0.2, 0.2, 1);
		quat lean = q_exp(v3_make(0, 0.6, 0));
		v3 along = q_rotate(lean, v3_make(0, 0, 0.51)), low = {0, 0, 2};
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body bodies[2];
		for (int i = 0; i < 2; ++i) {
			cairn_body_def d = yard_body(stick, m, v3_madd(low, along, 2 * i));
			d.pose.orientation = lean;
			bodies[i] = cairn_scene_add_body(s, &d, NULL);
		}
		cairn_joint_def d = joint_of(CAIRN_HINGE, bodies[0], bodies[1], v3_add(low, along));
		d.axis = k ? random_on_sphere(&random) : v3_unit(v3_make(1, 1, 0));
		add(s, d);
		yard y = yard_open(s, 1);
		double joints = 0, last = y.total;
		for (int i = 0; i < 150 && yard_step(&y); ++i) {
			CHECK(y.report.joint_error < 1e-9);
			CHECK(y.total - last - y.report.energy.position < 1e-4 * y.unit);
			joints += y.report.energy.joints, last = y.total;
		}
		CHECK(fabs(joints) < 0.1 * y.unit);
		CHECK(y.report.energy.kinetic < 1e-3 * y.unit);
		yard_close(&y);
	}
}

/* The lower of two bodies on a rope lands, the other falls on past it: a slack rope does nothing, and one that becomes taut
 * takes energy. */
TEST(ropes_drive_nothing)
{
	for (int k = 0; k < (TEST_FEW ? 4 : 16); ++k) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0, 0.5);
		cairn_shape box = yard_box(s, 0.2, 0.2, 0.8);
		v3 at = {0, 0, 2 + 0.02 * k};
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body a = yard_add(s, box, m, at, none), b = yard_add(s, box, m, v3_add(at, v3_make(0.05, 0, 1.05)), none);
		cairn_joint_def d = joint_of(CAIRN_DISTANCE, a, b, v3_add(at, v3_make(0, 0, 0.42)));
		d.point_b = v3_add(at, v3_make(0, 0, 0.63)), d.has_limits = true, d.low = 0, d.high = 0.27;
		add(s, d);
		yard y = yard_open(s, 1);
		double last = y.total;
		for (int i = 0; i < 60 && yard_step(&y); ++i, last = y.total)
			CHECK(y.total - last - y.report.energy.position < 1e-4 * y.unit);
		yard_close(&y);
	}
}

/* Three sticks on joints of all kinds fall on a floor end first, as fast as they go further in a frame than they are
 * thick. They are stopped where they meet it, and struck there: none is thrown aside, hovers or wins height. */
TEST(what_stops_a_rig_strikes_it)
{
	uint64_t random = 11;
	for (int k = 0; k < (TEST_FEW ? 6 : 40); ++k) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0.3, 0.5);
		quat lean = random_turn(&random);
		v3 middle = {0, 0, 2.8};
		cairn_body bodies[3];
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		for (int i = 0; i < 3; ++i) {
			v3 at = v3_add(middle, q_rotate(lean, v3_make(0, 0, 1.05 * (i - 1))));
			cairn_body_def d = yard_body(yard_box(s, 0.25, 0.2, 0.8), m, at);
			d.pose.orientation = lean;
			bodies[i] = cairn_scene_add_body(s, &d, NULL);
			if (i == 0)
				continue;
			cairn_joint_def j =
				joint_of(k % 3 == 2 ? CAIRN_SLIDER
			             : k % 3    ? CAIRN_BALL
			                        : CAIRN_HINGE,
			             bodies[i - 1], bodies[i], v3_madd(at, q_rotate(lean, v3_make(0, 0, 1)), -0.525));
			j.axis = random_on_sphere(&random);
			j.has_limits = j.type == CAIRN_SLIDER, j.low = -0.3, j.high = 0.3;
			add(s, j);
		}
		yard y = yard_open(s, 1);
		v3 from = v3_zero(), to = from;
		for (int i = 0; i < 120 && yard_step(&y); ++i, from = to) {
			to = v3_zero();
			for (int b = 0; b < 3; ++b)
				to = v3_madd(to, yard_key(&y, bodies[b]).position, 1.0 / 3);
			if (i > 0)
				CHECK(hypot(to.x - from.x, to.y - from.y) < 0.1);
		}
		CHECK(y.rise < 1e-2);
		yard_close(&y);
	}
}

static double share(uint64_t *random) { return (double)(cn_random_u64(random) >> 11) / 9007199254740992.0; }

/* A body of a rig that flies along x: a ball, a box, a plate or a needle. */
static cairn_body add_limb(cairn_scene *s, cairn_material m, v3 at, v3 velocity, uint64_t *random)
{
	double size = 0.02 + 0.4 * share(random) * share(random);
	bool ball = share(random) < 0.3;
	double thin = ball || share(random) >= 0.4 ? 1 : 0.05, other = share(random) < 0.5 ? thin : 1;
	cairn_shape shape = ball ? yard_round(s, CAIRN_SPHERE, size / 2, 0) : yard_box(s, size, size * thin, size * other);
	cairn_body_def d = yard_body(shape, m, at);
	d.pose.orientation = random_turn(random);
	d.velocity = velocity, d.spin = v3_scale(random_in_cube(random), 5);
	return cairn_scene_add_body(s, &d, NULL);
}

/* Two rigs of two to five bodies with joints of all kinds, of which some reach far beyond the bodies, meet in empty space. */
static cairn_scene *two_rigs(uint64_t random, double speed)
{
	cairn_scene *s = yard_scene(none);
	cairn_material m = yard_material(s, 0.3, 0.3);
	for (int side = -1; side <= 1; side += 2) {
		int count = 2 + (int)(4 * share(&random));
		cairn_body last = world;
		v3 at = {1.5 * side, 0, 0},
		   velocity = v3_madd(v3_make(-speed * side, 0, 0), random_in_cube(&random), 0.5 * speed);
		for (int i = 0; i < count; ++i) {
			v3 step = v3_scale(random_on_sphere(&random), 0.5);
			step.x = fabs(step.x) * side;
			at = i ? v3_add(at, step) : at;
			cairn_body b = add_limb(s, m, at, velocity, &random);
			cairn_joint_def d =
				joint_of((cairn_joint_type)(cn_random_u64(&random) % 5), last, b, v3_madd(at, step, -0.5));
			d.axis = random_on_sphere(&random);
			if (d.type == CAIRN_DISTANCE)
				d.point = v3_sub(at, step), d.point_b = at;
			d.has_limits = (d.type == CAIRN_HINGE || d.type == CAIRN_SLIDER) && share(&random) < 0.5;
			d.low = -0.4, d.high = 0.4;
			if (i)
				add(s, d);
			last = b;
		}
	}
	return s;
}

/* They are in each other's way for some frames, and then fly on. */
TEST(rigs_that_meet_fly_on)
{
	for (uint64_t seed = 140; seed < (TEST_FEW ? 145 : 180); ++seed) {
		cairn_scene *s = two_rigs(seed, 10);
		cairn_world *w = yard_world(s, 1);
		cairn_body bodies[16];
		uint32_t count = w ? cairn_world_bodies(w, bodies, 16) : 0;
		int held = 0;
		for (int i = 0; w && i < 40 && held < 5; ++i) {
			cairn_step_report r = cairn_world_step(w);
			CHECK(r.status == CAIRN_STEP_OK && r.certificate.verdict == CAIRN_CLEAN);
			CHECK(r.joint_error < 1e-9);
			held = r.tiers[CAIRN_TIER_HOLD] ? held + 1 : 0;
		}
		CHECK(held < 5);
		if (held >= 5)
			printf("seed %u: %u bodies\n", (unsigned)seed, (unsigned)count);
		cairn_world_destroy(w);
		cairn_scene_destroy(s);
	}
}

static cairn_scene *chain_on_floor(int links)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.4);
	cairn_shape link = yard_box(s, 0.2, 0.06, 0.06);
	cairn_body last = world;
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int i = 0; i < links; ++i) {
		cairn_body b = yard_add(s, link, m, v3_make(0.22 * i, 0.01 * (i % 3), 0.4 + 0.05 * (i % 2)), none);
		if (i)
			join(s, CAIRN_BALL, last, b, v3_make(0.22 * i - 0.11, 0, 0.42));
		last = b;
	}
	return s;
}

/* Contacts and joints in one frame; it comes to rest and sleeps, and wakes as a whole. */
TEST(chain_falls_and_rests)
{
	yard y = yard_open(chain_on_floor(5), 1);
	for (int i = 0; i < 400 && y.report.asleep < 5 && yard_step(&y); ++i)
		CHECK(y.report.joint_error < 1e-9);
	CHECK_INT(y.report.asleep, 5);
	yard_no_gain(&y);
	CHECK(yard_push(&y, (cairn_body){5, 1}, v3_make(0, 0, 3)));
	CHECK(yard_run(&y, 1));
	CHECK_INT(y.report.asleep, 0);
	yard_close(&y);
}

/* Three rigs with joints of any kind, limits and motors, thrown onto a floor. */
static cairn_scene *heap(uint64_t random)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0.3, 0.4);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int k = 0; k < 15; ++k) {
		int i = k % 5, rig = k / 5;
		v3 size = v3_madd(v3_make(0.45, 0.25, 0.25), random_in_cube(&random), 0.12),
		   at = {0.7 * i + 3 * rig, 1.5 * rig, 1.3};
		cairn_body_def d = yard_body(yard_box(s, size.x, size.y, size.z), m, at);
		d.velocity = v3_scale(random_in_cube(&random), 1.5), d.spin = v3_scale(random_in_cube(&random), 4);
		cairn_body b = cairn_scene_add_body(s, &d, NULL);
		if (i == 0)
			continue;
		cairn_joint_def j = joint_of((cairn_joint_type)(cn_random_u64(&random) % 5), (cairn_body){b.index - 1, 1}, b,
		                             v3_sub(at, v3_make(0.35, 0, 0.1)));
		bool way = j.type == CAIRN_HINGE || j.type == CAIRN_SLIDER;
		j.point_b = at, j.axis = random_on_sphere(&random), j.has_limits = way && k % 2;
		j.low = -0.3, j.high = 0.4, j.collide = k % 4 == 1;
		j.motor = way && k % 3 ? CAIRN_MOTOR_SPEED : CAIRN_NO_MOTOR, j.speed = 2, j.most = 30;
		add(s, j);
	}
	return s;
}

TEST(rigs_of_all_kinds_in_a_heap)
{
	for (uint64_t seed = 1; seed <= (TEST_FEW ? 1 : 4); ++seed) {
		yard y = yard_open(heap(seed), 1);
		for (int i = 0; i < (TEST_FEW ? 30 : 90) && yard_step(&y); ++i)
			CHECK(y.report.joint_error < 1e-9);
		yard_close(&y);
	}
}

/* Two boxes that a hinge joins overlap freely, or, where it says so, do not. */
TEST(jointed_bodies_collide_if_asked)
{
	for (int collide = 0; collide < 2; ++collide) {
		cairn_scene *s = yard_scene(none);
		cairn_material m = yard_material(s, 0, 0);
		cairn_shape box = yard_box(s, 1, 0.4, 0.4);
		cairn_body a = yard_add(s, box, m, v3_make(-0.6, 0, 0), none),
				   b = yard_add(s, box, m, v3_make(0.6, 0, 0), none);
		cairn_joint_def d = joint_of(CAIRN_HINGE, a, b, none);
		d.collide = collide == 1;
		cairn_joint j = add(s, d);
		cairn_event_def e = cairn_default_event_def(CAIRN_IMPULSE);
		e.body = b, e.impulse = v3_make(0, 600, 0), e.has_point = true, e.point = v3_make(1, 0, 0);
		CHECK(cairn_scene_add_event(s, &e, NULL));
		yard y = yard_open(s, 1);
		double most = 0;
		for (int i = 0; i < 90 && yard_step(&y); ++i) {
			double now = fabs(cairn_world_joint(y.world, j).position);
			most = now > most ? now : most;
		}
		CHECK(collide ? most < 1
		              : most > 1.5); /* corners meet after 0.93 rad; what flies outward turns it back at 1.66 */
		yard_no_gain(&y);
		yard_close(&y);
	}
}

/* A pendulum on a hook that a script carries about. */
TEST(rig_follows_a_script)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	cairn_body_def hook = yard_body(yard_box(s, 0.1, 0.1, 0.1), m, none);
	const cairn_script_key keys[3] = {{0.2, {{0, 0, 0}, {1, 0, 0, 0}}},
	                                  {1.2, {{3, 0, 0}, {0.7071067811865476, 0, 0, 0.7071067811865476}}},
	                                  {2, {{3, 0, 1}, {1, 0, 0, 0}}}};
	hook.type = CAIRN_SCRIPTED, hook.keys = keys, hook.key_count = 3;
	cairn_body h = cairn_scene_add_body(s, &hook, NULL);
	cairn_body b = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.2, 0), m, v3_make(0, 0, -1), none);
	join(s, CAIRN_BALL, h, b, none);
	yard y = yard_open(s, 1);
	for (int i = 0; i < 90 && yard_step(&y); ++i)
		CHECK(y.report.joint_error < 1e-9);
	CHECK(v3_distance(yard_key(&y, b).position, v3_make(3, 0, 1)) < 1 + 1e-9);
	cairn_world_destroy(y.world);
}

/* An arm on a hinge off its centre. */
static cairn_scene *arm(double spin, double low, double high)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	cairn_body_def d = yard_body(yard_box(s, 1, 0.1, 0.1), m, v3_make(0.5, 0, 0));
	d.spin = v3_make(0, 0, spin), d.velocity = v3_make(0, 0.5 * spin, 0);
	cairn_body b = cairn_scene_add_body(s, &d, NULL);
	cairn_joint_def j = joint_of(CAIRN_HINGE, world, b, none);
	j.has_limits = high > low, j.low = low, j.high = high;
	add(s, j);
	return s;
}

/* Whole turns count however fast it spins; what keys cannot show is refused, and refused again, not written. */
TEST(fast_rigs_are_followed_or_refused)
{
	for (double spin = 20; spin < 2500; spin *= 1.7) {
		yard y = yard_open(arm(spin, 0, 0), 1);
		CHECK(yard_run(&y, 3));
		CHECK_NEAR(cairn_world_joint(y.world, (cairn_joint){0, 1}).position, 0.1 * spin,
		           0.01 * spin); /* the steps of a rig lag a little at such speeds */
		yard_close(&y);
	}
	for (double spin = 3500; spin < 1e9; spin *= 20) {
		cairn_scene *s = arm(spin, 0, 0);
		cairn_world *w = yard_world(s, 1);
		cairn_scene_destroy(s);
		if (!w)
			continue; /* a scene may not ask for it either */
		for (int i = 0; i < 2; ++i)
			CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_SPIN);
		cairn_world_destroy(w);
	}
	for (double spin = 15; spin < 400; spin *= 1.6) {
		yard y = yard_open(arm(spin, -1, 1), 1);
		for (int i = 0; i < 30 && yard_step(&y); ++i)
			CHECK(fabs(cairn_world_joint(y.world, (cairn_joint){0, 1}).position) < 1 + 1e-6);
		yard_close(&y);
	}
}

/* A joint breaks, one of its bodies is taken away, and another comes into its place: that one is in no joint. */
TEST(newcomers_are_not_exempt)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	cairn_shape box = yard_box(s, 1, 1, 1);
	cairn_body_def block = yard_body(box, m, none);
	block.type = CAIRN_FIXED;
	cairn_body a = cairn_scene_add_body(s, &block, NULL), b = yard_add(s, box, m, v3_make(0, 0, -2), none);
	cairn_joint_def d = joint_of(CAIRN_BALL, a, b, v3_make(0, 0, -1));
	d.break_force = 1;
	add(s, d);
	yard y = yard_open(s, 1);
	CHECK(yard_run(&y, 3));
	CHECK(cairn_world_remove_body(y.world, b, NULL));
	cairn_body_def def = yard_body(box, m, v3_make(0, 0, 1.5));
	cairn_body c = cairn_world_add_body(y.world, &def, NULL);
	CHECK_INT(c.index, b.index);
	CHECK(yard_run(&y, 60));
	CHECK_NEAR(yard_key(&y, c).position.z, 1, 1e-2);
	cairn_world_destroy(y.world);
}

/* Two boxes in each other fall onto a floor and rest there; without the joint there is no such world. */
TEST(a_pass_joint_lets_two_bodies_pass)
{
	for (int pass = 0; pass < 2; ++pass) {
		cairn_scene *s = yard_scene(down);
		cairn_material m = yard_material(s, 0.3, 0);
		cairn_shape box = yard_box(s, 1, 1, 1);
		yard_plane(s, m, v3_make(0, 0, 1), 0);
		cairn_body a = yard_add(s, box, m, v3_make(0, 0, 1), none), b = yard_add(s, box, m, v3_make(0.3, 0, 1.2), none);
		if (pass)
			join(s, CAIRN_PASS, a, b, none);
		cairn_error e = {0};
		cairn_world *w = cairn_world_create(s, NULL, &e);
		CHECK((w != NULL) == (pass == 1));
		for (int i = 0; w && i < 40; ++i)
			CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
		if (w) {
			CHECK(fabs(cairn_world_body_pose(w, a).position.z - 0.5) < 0.01);
			CHECK(fabs(cairn_world_body_pose(w, b).position.z - 0.5) < 0.01);
		}
		cairn_world_destroy(w);
		cairn_scene_destroy(s);
	}
}

TEST(only_the_state_decides)
{
	hardship_state(sticks(4, CAIRN_BALL), 60);
	hardship_state(chain_on_floor(4), 60);
}

TEST(memory_may_run_out_anywhere)
{
	CHECK(hardship_memory(sticks(3, CAIRN_HINGE), 10) > 10);
	CHECK(hardship_memory(chain_on_floor(3), TEST_FEW ? 12 : 20) > 20);
}

TEST_MAIN(TEST_CASE(rows_are_derivatives), TEST_CASE(rows_turn_with_their_bodies),
          TEST_CASE(rigs_keep_together_and_keep_their_energy), TEST_CASE(loops_hold),
          TEST_CASE(repeated_joints_act_as_one), TEST_CASE(limits_hold), TEST_CASE(motors_drive),
          TEST_CASE(motors_press_what_rests), TEST_CASE(strong_motors_are_stopped_by_walls),
          TEST_CASE(motors_too_strong_are_bounded), TEST_CASE(joints_break),
          TEST_CASE(cradle_passes_on_as_many_as_come), TEST_CASE(hinges_about_any_axis_fall_and_rest),
          TEST_CASE(ropes_drive_nothing), TEST_CASE(what_stops_a_rig_strikes_it), TEST_CASE(rigs_that_meet_fly_on),
          TEST_CASE(chain_falls_and_rests), TEST_CASE(rigs_of_all_kinds_in_a_heap),
          TEST_CASE(jointed_bodies_collide_if_asked), TEST_CASE(rig_follows_a_script),
          TEST_CASE(fast_rigs_are_followed_or_refused), TEST_CASE(newcomers_are_not_exempt),
          TEST_CASE(a_pass_joint_lets_two_bodies_pass), TEST_CASE(only_the_state_decides),
          TEST_CASE(memory_may_run_out_anywhere))
