/* Gears, pulleys, cones and joints of six axes against what is known of them in closed form. Every frame is certified and its
 * ledger adds up (yard.h). */
#include "random.h"
#include "step/joint/equations.h"
#include "yard.h"

static const v3 none = {0, 0, 0};
static const cairn_body world = {0, 0};
static const double G = 9.81;

static cairn_scene *empty(double gravity) { return yard_scene(v3_make(0, 0, -gravity)); }

static cairn_body block(cairn_scene *s, double mass, v3 at)
{
	cairn_body_def d = yard_body(yard_box(s, 0.2, 0.3, 0.4), yard_material(s, 0, 0.3), at);
	d.mass = mass;
	return cairn_scene_add_body(s, &d, NULL);
}

static cairn_joint add(cairn_scene *s, cairn_joint_def d)
{
	cairn_error e = {0};
	cairn_joint j = cairn_scene_add_joint(s, &d, &e);
	if (!j.generation)
		printf("%s: %s\n", e.path, e.message);
	CHECK(j.generation);
	return j;
}

static cairn_joint_def joint_of(cairn_joint_type type, cairn_body a, cairn_body b, v3 point)
{
	cairn_joint_def d = cairn_default_joint_def();
	d.type = type, d.a = a, d.b = b, d.point = point;
	return d;
}

/* ---- pulleys */

static cairn_joint_def rope(cairn_body a, cairn_body b, double ratio)
{
	cairn_joint_def d = joint_of(CAIRN_PULLEY, a, b, v3_make(-1, 0, 2));
	d.point_b = v3_make(1, 0, 1), d.over = v3_make(-1, 0, 6), d.over_b = v3_make(1, 0, 6), d.ratio = ratio;
	return d;
}

/* Atwood: with z' of a = -ratio z' of b, a falls with (m1 r^2 - m2 r) g / (m1 r^2 + m2). */
TEST(pulley_falls_as_atwood_has_it)
{
	for (int k = 0; k < 3; ++k) {
		double m1 = k == 2 ? 3 : 2, m2 = 1, r = k == 1 ? 2 : 1;
		cairn_scene *s = empty(G);
		cairn_body a = block(s, m1, v3_make(-1, 0, 2)), b = block(s, m2, v3_make(1, 0, 1));
		cairn_joint j = add(s, rope(a, b, r));
		yard y = yard_open(s, 1);
		for (int i = 0; i < 20; ++i)
			yard_step(&y);
		double t = cairn_world_time(y.world), fall = (m1 * r * r - m2 * r) * G / (m1 * r * r + m2);
		CHECK_NEAR(-cairn_world_body_key(y.world, a).velocity.z / t, fall, 1e-6);
		CHECK_NEAR((2 - cairn_world_body_key(y.world, a).position.z) / (t * t / 2), fall, 1e-6);
		CHECK_NEAR(cairn_world_joint(y.world, j).position, 4 + 5 * r, 1e-9);
		yard_close(&y);
	}
}

/* A rope that may be shorter lets go of what is thrown up, and catches it again. */
TEST(pulley_goes_slack)
{
	cairn_scene *s = empty(G);
	cairn_body a = block(s, 1, v3_make(-1, 0, 2)), b = block(s, 1, v3_make(1, 0, 1));
	cairn_joint_def d = rope(a, b, 1);
	d.has_limits = true, d.low = 0, d.high = 9;
	cairn_joint j = add(s, d);
	yard y = yard_open(s, 1);
	CHECK(cairn_world_set_velocity(y.world, a, v3_make(0, 0, 3), none, NULL));
	double least = 9, most = 0;
	for (int i = 0; i < 60; ++i) {
		yard_step(&y);
		double length = cairn_world_joint(y.world, j).position;
		least = fmin(least, length), most = fmax(most, length);
	}
	CHECK(least < 8.9);
	CHECK(most <= 9 + 1e-9);
	yard_close(&y);
}

/* ---- gears */

static cairn_joint wheel(cairn_scene *s, v3 at, double mass, cairn_body *body)
{
	cairn_body_def d = yard_body(yard_round(s, CAIRN_CYLINDER, 0.4, 0.1), yard_material(s, 0, 0.3), at);
	d.mass = mass;
	*body = cairn_scene_add_body(s, &d, NULL);
	cairn_joint_def h = joint_of(CAIRN_HINGE, world, *body, at);
	return add(s, h);
}

/* A torque on the first wheel turns both: I1 + I2 / ratio^2 are what it turns. Whole turns count. */
TEST(gear_keeps_its_ratio)
{
	const double ratios[3] = {-0.5, 3, -1.7};
	for (int k = 0; k < 3; ++k) {
		cairn_scene *s = empty(G);
		cairn_body a, b;
		cairn_joint one = wheel(s, v3_make(0, 0, 1), 2, &a), two = wheel(s, v3_make(2, 0, 1), 5, &b);
		cairn_joint_def g = cairn_default_joint_def();
		g.type = CAIRN_GEAR, g.joint = one, g.joint_b = two, g.ratio = ratios[k];
		add(s, g);
		yard y = yard_open(s, 1);
		CHECK(cairn_world_set_motor(y.world, one, CAIRN_MOTOR_FORCE, 0, 8, NULL));
		for (int i = 0; i < 60; ++i) {
			yard_step(&y);
			double first = cairn_world_joint(y.world, one).position, second = cairn_world_joint(y.world, two).position;
			CHECK_NEAR(first, ratios[k] * second, 1e-9 * (1 + fabs(second)));
		}
		double i1 = 0.5 * 2 * 0.16, i2 = 0.5 * 5 * 0.16, t = cairn_world_time(y.world);
		double rate = 8 / (i1 + i2 / (ratios[k] * ratios[k]));
		CHECK_NEAR(cairn_world_joint(y.world, one).speed / t / rate, 1, 1e-6);
		CHECK(fabs(cairn_world_joint(y.world, one).position) > 7); /* more than a turn */
		CHECK(cairn_world_remove_joint(y.world, two, NULL));       /* then it couples nothing */
		yard_step(&y);
		yard_close(&y);
	}
}

/* Rack and pinion: a weight on a slider turns a wheel of radius r: it falls with m g / (m + I / r^2). */
TEST(gear_couples_a_slider)
{
	cairn_scene *s = empty(G);
	cairn_body a, b = block(s, 3, v3_make(2, 0, 3));
	cairn_joint turns = wheel(s, v3_make(0, 0, 1), 2, &a);
	cairn_joint_def slide = joint_of(CAIRN_SLIDER, world, b, v3_make(2, 0, 3));
	cairn_joint slides = add(s, slide);
	cairn_joint_def g = cairn_default_joint_def();
	g.type = CAIRN_GEAR, g.joint = turns, g.joint_b = slides, g.ratio = -1 / 0.4;
	add(s, g);
	yard y = yard_open(s, 1);
	for (int i = 0; i < 20; ++i)
		yard_step(&y);
	double fall = 3 * G / (3 + 0.5 * 2), t = cairn_world_time(y.world);
	CHECK_NEAR(-cairn_world_body_key(y.world, b).velocity.z / t, fall, 1e-6);
	CHECK_NEAR(cairn_world_joint(y.world, turns).position, -cairn_world_joint(y.world, slides).position / 0.4, 1e-9);
	yard_close(&y);
}

/* ---- cones */

/* A stick that stands on a ball joint and falls over leans as far as its cone and no further, whatever its spin. */
TEST(cone_is_never_left)
{
	uint64_t random = 3;
	for (int k = 0; k < 6; ++k) {
		cairn_scene *s = empty(G);
		cairn_body_def d = yard_body(yard_round(s, CAIRN_CAPSULE, 0.05, 0.6), yard_material(s, 0, 0), v3_make(0, 0, 2));
		d.spin = v3_add(random_in_cube(&random), v3_make(0, 0, 4.0 * k));
		cairn_body a = cairn_scene_add_body(s, &d, NULL);
		cairn_joint_def c = joint_of(CAIRN_BALL, world, a, v3_make(0, 0, 1.6));
		c.has_limits = true, c.high = 0.3 + 0.3 * k;
		cairn_joint j = add(s, c);
		yard y = yard_open(s, 1);
		double most = 0;
		for (int i = 0; i < 90; ++i) {
			yard_step(&y);
			double lean = cairn_world_joint(y.world, j).position;
			v3 axis = q_rotate(cairn_world_body_key(y.world, a).orientation, v3_make(0, 0, 1));
			CHECK_NEAR(lean, acos(fmin(axis.z, 1)), 1e-7);
			most = fmax(most, lean);
		}
		CHECK(most <= c.high + 1e-9);
		CHECK(most > 0.29);
		yard_close(&y);
	}
}

/* ---- six axes */

static cairn_joint_def six(cairn_body a, cairn_body b, v3 point)
{
	cairn_joint_def d = joint_of(CAIRN_SIX_DOF, a, b, point);
	d.frame = q_unit((quat){0.9, 0.1, -0.3, 0.2});
	return d;
}

/* What is a fixed joint, a hinge, a slider or a ball is that, to the bit. */
TEST(six_axes_are_the_simple_joints)
{
	for (int k = 0; k < 4; ++k) {
		uint64_t hash[2];
		for (int i = 0; i < 2; ++i) {
			cairn_scene *s = empty(G);
			cairn_body a = block(s, 2, v3_make(0, 0, 2)), b = block(s, 1, v3_make(0.5, 0.1, 2));
			add(s, joint_of(CAIRN_BALL, world, a, v3_make(-0.3, 0, 2)));
			cairn_joint_def d = six(a, b, v3_make(0.25, 0, 2)), simple = joint_of(CAIRN_WELD, a, b, d.point);
			if (k == 1)
				d.axes[4].kind = CAIRN_AXIS_FREE, simple.type = CAIRN_HINGE;
			if (k == 2)
				d.axes[2] = (cairn_axis){CAIRN_AXIS_LIMITED, -0.1, 0.2}, simple.type = CAIRN_SLIDER;
			for (int n = 3; k == 3 && n < 6; ++n)
				d.axes[n].kind = CAIRN_AXIS_FREE, simple.type = CAIRN_BALL;
			simple.axis = q_rotate(d.frame, v3_make(0, k == 1, k == 2));
			simple.axis = k == 1 || k == 2 ? simple.axis : v3_make(0, 0, 1);
			simple.has_limits = k == 2, simple.low = -0.1, simple.high = 0.2;
			add(s, i ? d : simple);
			CHECK_INT(cairn_scene_joint_at(s, 1).type, simple.type);
			yard y = yard_open(s, 1);
			for (int n = 0; n < 30; ++n)
				yard_step(&y);
			hash[i] = cairn_world_hash(y.world);
			yard_close(&y);
		}
		CHECK(hash[0] == hash[1]);
	}
}

/* Free to slide and turn about one axis (a piston that turns): it falls along it with g sin, and spins on. */
TEST(six_axes_slide_and_turn)
{
	cairn_scene *s = empty(G);
	cairn_body a = block(s, 2, v3_make(0, 0, 2));
	cairn_joint_def d = six(world, a, v3_make(0, 0, 2));
	d.frame = q_exp(v3_make(0, 0.5, 0)); /* x leans down by 0.5 rad */
	d.axes[0].kind = d.axes[3].kind = CAIRN_AXIS_FREE;
	add(s, d);
	yard y = yard_open(s, 1);
	v3 axis = q_rotate(d.frame, v3_make(1, 0, 0));
	CHECK(cairn_world_set_velocity(y.world, a, none, v3_scale(axis, 5), NULL));
	for (int i = 0; i < 30; ++i)
		yard_step(&y);
	cairn_key k = cairn_world_body_key(y.world, a);
	double t = cairn_world_time(y.world);
	CHECK(v3_distance(k.velocity, v3_scale(axis, G * sin(0.5) * t)) < 1e-6);
	CHECK(v3_length(v3_cross(v3_sub(k.position, v3_make(0, 0, 2)), axis)) < 1e-9);
	yard_close(&y);
}

/* A Cardan joint: a shaft drives another at an angle b; tan(out) = tan(in) cos b, turn after turn. */
TEST(six_axes_make_a_cardan_joint)
{
	const double bend = 0.6;
	cairn_scene *s = empty(0);
	cairn_body in = block(s, 2, none), out = block(s, 2, v3_make(0.5 + 0.5 * cos(bend), 0.5 * sin(bend), 0));
	v3 far = v3_make(cos(bend), sin(bend), 0), mid = v3_make(0.5, 0, 0);
	cairn_joint_def h = joint_of(CAIRN_HINGE, world, in, none);
	h.axis = v3_make(1, 0, 0);
	cairn_joint one = add(s, h);
	h.b = out, h.point = v3_madd(mid, far, 0.5), h.axis = far;
	cairn_joint two = add(s, h);
	cairn_joint_def d = six(in, out, mid);
	/* the cross: one arm is z, across the first shaft; the other is across the second and z */
	v3 second = v3_cross(v3_make(0, 0, 1), far);
	d.frame = q_unit(q_mul(q_exp(v3_make(0, 0, atan2(second.y, second.x))), q_exp(v3_make(0, -CN_PI / 2, 0))));
	d.axes[3].kind = d.axes[5].kind = CAIRN_AXIS_FREE;                  /* about z of the world and about second */
	d.axes[0].kind = d.axes[1].kind = d.axes[2].kind = CAIRN_AXIS_FREE; /* the hinges hold the shafts */
	add(s, d);
	yard y = yard_open(s, 1);
	CHECK(cairn_world_set_motor(y.world, one, CAIRN_MOTOR_SPEED, 3, 1e6, NULL));
	for (int i = 0; i < 90; ++i) {
		yard_step(&y);
		double p = cairn_world_joint(y.world, one).position, q = cairn_world_joint(y.world, two).position;
		CHECK_NEAR(sin(q) * cos(p), cos(q) * sin(p) * cos(bend), 1e-6);
	}
	CHECK(cairn_world_joint(y.world, one).position > 6);
	yard_close(&y);
}

/* Limits of several axes at once hold, and what hits them takes energy and makes none. */
TEST(six_axes_keep_their_limits)
{
	uint64_t random = 7;
	for (int k = 0; k < 4; ++k) {
		cairn_scene *s = empty(G);
		cairn_body a = block(s, 2, v3_make(0, 0, 2));
		cairn_joint_def d = six(world, a, v3_make(0.1, 0, 2.2));
		d.axes[0] = (cairn_axis){CAIRN_AXIS_LIMITED, -0.2, 0.1};
		d.axes[2] = (cairn_axis){CAIRN_AXIS_LIMITED, -0.3, 0};
		d.axes[3] = (cairn_axis){CAIRN_AXIS_LIMITED, -0.5, 0.4};
		d.axes[4] = (cairn_axis){CAIRN_AXIS_LIMITED, -0.6, 0.6};
		d.axes[5] = k % 2 ? (cairn_axis){CAIRN_AXIS_FREE, 0, 0} : (cairn_axis){CAIRN_AXIS_LIMITED, -1, 2};
		cairn_joint j = add(s, d);
		yard y = yard_open(s, 1);
		v3 spin = v3_scale(random_in_cube(&random), 3), velocity = random_in_cube(&random);
		CHECK(cairn_world_set_velocity(y.world, a, velocity, spin, NULL));
		for (int i = 0; i < 90; ++i) {
			yard_step(&y);
			const cn_joint *own = &y.world->joints[j.index];
			pose at = {y.world->motion[own->b].x, y.world->motion[own->b].q};
			for (uint32_t n = 0; n < cn_joint_axis_count(y.world, j.index); ++n) {
				cn_joint_span in = cn_joint_limits(y.world, j.index, n);
				double value = cn_joint_axis(y.world, j.index, n, pose_identity(), at).off;
				CHECK(value >= in.low - 1e-9 && value <= in.high + 1e-9);
			}
		}
		CHECK(y.climb < 1e-3);
		yard_close(&y);
	}
}

/* ---- rows */

static double value_of(const cn_joint_row *r, const cn_twist *a, const cn_twist *b)
{
	return v3_dot(r->ja.v, a->v) + v3_dot(r->ja.w, a->w) + v3_dot(r->jb.v, b->v) + v3_dot(r->jb.w, b->w);
}

static pose moved(pose p, const cn_twist *u, double t)
{
	return (pose){v3_madd(p.position, u->v, t), q_unit(q_mul(q_exp(v3_scale(u->w, t)), p.orientation))};
}

/* Away from where they hold too, rows are how values change: limits are reached from afar. */
TEST(rows_are_derivatives)
{
	uint64_t random = 11;
	cairn_scene *s = empty(G);
	cairn_body a = block(s, 2, none), b = block(s, 1, v3_make(1, 0, 0));
	cairn_joint_def c = joint_of(CAIRN_BALL, a, b, v3_make(0.5, 0, 0));
	c.has_limits = true, c.high = 1;
	add(s, c);
	cairn_joint_def p = rope(a, b, 1.7);
	p.point = v3_make(0, 0, 0.1), p.point_b = v3_make(1, 0, 0.1);
	add(s, p);
	cairn_joint_def d = six(a, b, v3_make(0.5, 0, 0));
	for (int i = 0; i < 6; ++i)
		d.axes[i] = (cairn_axis){CAIRN_AXIS_LIMITED, -1, 1};
	add(s, d);
	cairn_world *w = cairn_world_create(s, NULL, NULL);
	cairn_scene_destroy(s);
	REQUIRE(w);
	for (uint32_t joint = 0; joint < 3; ++joint)
		for (int k = 0; k < 50; ++k) {
			pose at[2] = {
				{random_in_cube(&random), q_exp(v3_scale(random_in_cube(&random), 0.4))},
				{v3_add(random_in_cube(&random), v3_make(3, 0, 0)), q_exp(v3_scale(random_in_cube(&random), 0.4))}};
			cn_twist ua = {random_in_cube(&random), random_in_cube(&random)},
					 ub = {random_in_cube(&random), random_in_cube(&random)};
			double h = 1e-6;
			for (uint32_t n = 0; n < (joint == 1 ? 1 : cn_joint_axis_count(w, joint)); ++n) {
				cn_joint_row now = cn_joint_axis(w, joint, n, at[0], at[1]);
				double before = cn_joint_axis(w, joint, n, moved(at[0], &ua, -h), moved(at[1], &ub, -h)).off;
				double after = cn_joint_axis(w, joint, n, moved(at[0], &ua, h), moved(at[1], &ub, h)).off;
				CHECK_NEAR((after - before) / (2 * h), value_of(&now, &ua, &ub), 1e-6);
			}
		}
	cairn_world_destroy(w);
}

/* ---- what is refused, and what is kept */

static void refuse(cairn_scene *s, cairn_joint_def d, const char *path, const char *words)
{
	cairn_error e = {0};
	CHECK(!cairn_scene_add_joint(s, &d, &e).generation);
	CHECK_TEXT(e.path, path);
	CHECK(strstr(e.message, words));
	if (!strstr(e.message, words))
		printf("%s\n", e.message);
}

TEST(refuses_what_cannot_be)
{
	cairn_scene *s = empty(G);
	cairn_body a, b, c = block(s, 1, v3_make(5, 0, 0));
	cairn_joint one = wheel(s, v3_make(0, 0, 1), 2, &a), two = wheel(s, v3_make(2, 0, 1), 2, &b);
	cairn_joint_def carried = joint_of(CAIRN_HINGE, c, a, v3_make(0, 0, 1));
	cairn_joint three = add(s, carried);
	cairn_joint_def g = cairn_default_joint_def();
	g.type = CAIRN_GEAR, g.joint = one, g.joint_b = (cairn_joint){9, 1};
	refuse(s, g, "joints", "stand before it");
	g.joint_b = one;
	refuse(s, g, "joints", "one body alone");
	g.joint = three, g.joint_b = two;
	refuse(s, g, "joints", "more than two bodies");
	g.joint = one, g.ratio = 0;
	refuse(s, g, "ratio", "the ratio is 0");
	cairn_joint_def p = rope(a, b, -1);
	refuse(s, p, "ratio", "the ratio is -1");
	p.ratio = 1, p.b = world;
	refuse(s, p, "bodies", "a body at each end");
	p = rope(a, b, 1), p.over = p.point;
	refuse(s, p, "over", "leave rope");
	cairn_joint_def ball = joint_of(CAIRN_BALL, a, b, none);
	ball.has_limits = true, ball.low = -1, ball.high = 1;
	refuse(s, ball, "cone", "begin at 0");
	cairn_joint_def d = six(a, b, none);
	d.axes[3].kind = d.axes[4].kind = CAIRN_AXIS_FREE;
	refuse(s, d, "turn.y", "about y is locked or limited");
	d.axes[4] = (cairn_axis){CAIRN_AXIS_LIMITED, 0.1, 1};
	refuse(s, d, "turn.y", "must hold 0");
	for (int i = 0; i < 6; ++i)
		d.axes[i].kind = CAIRN_AXIS_FREE;
	refuse(s, d, "move", "nothing that it holds");
	cairn_scene_destroy(s);
}

/* Added while a world runs, each goes on from where it is, survives a snapshot and is replayed to the bit. */
TEST(come_later_and_come_back)
{
	cairn_scene *s = empty(G);
	cairn_body a, b, c = block(s, 1, v3_make(5, 0, 3)), d = block(s, 2, v3_make(7, 0, 3));
	cairn_joint one = wheel(s, v3_make(0, 0, 1), 2, &a), two = wheel(s, v3_make(2, 0, 1), 2, &b);
	cairn_world *w[2];
	for (int i = 0; i < 2; ++i)
		REQUIRE((w[i] = cairn_world_create(s, NULL, NULL)));
	cairn_scene_destroy(s);
	CHECK(cairn_world_set_motor(w[0], one, CAIRN_MOTOR_FORCE, 0, 2, NULL));
	unsigned char bytes[1 << 14];
	size_t size = 0;
	for (int i = 0; i < 40; ++i) {
		if (i == 10) {
			cairn_joint_def g = cairn_default_joint_def();
			g.type = CAIRN_GEAR, g.joint = one, g.joint_b = two, g.ratio = -2;
			CHECK(cairn_world_add_joint(w[0], &g, NULL).generation);
			cairn_joint_def p = joint_of(CAIRN_PULLEY, c, d, cairn_world_body_pose(w[0], c).position);
			p.point_b = cairn_world_body_pose(w[0], d).position, p.over = v3_make(5, 0, 9), p.over_b = v3_make(7, 0, 9);
			CHECK(cairn_world_add_joint(w[0], &p, NULL).generation);
			cairn_joint_def x = six(c, d, p.point);
			x.axes[0].kind = x.axes[1].kind = x.axes[2].kind = CAIRN_AXIS_FREE;
			x.axes[3] = x.axes[4] = x.axes[5] = (cairn_axis){CAIRN_AXIS_LIMITED, -1, 1};
			CHECK(cairn_world_add_joint(w[0], &x, NULL).generation);
		}
		CHECK(cairn_world_step(w[0]).status == CAIRN_STEP_OK);
		size_t inputs;
		const void *given = cairn_world_step_inputs(w[0], &inputs);
		CHECK(cairn_world_replay(w[1], given, inputs, NULL));
		CHECK(cairn_world_step(w[1]).status == CAIRN_STEP_OK);
		CHECK(cairn_world_hash(w[0]) == cairn_world_hash(w[1]));
		if (i == 20) {
			size = cairn_world_snapshot_size(w[0]);
			REQUIRE(size <= sizeof bytes);
			CHECK(cairn_world_snapshot(w[0], bytes, size, NULL));
		}
	}
	double first = cairn_world_joint(w[0], one).position, second = cairn_world_joint(w[0], two).position;
	uint64_t end = cairn_world_hash(w[0]);
	CHECK(cairn_world_restore(w[0], bytes, size, NULL));
	double offset = cairn_world_joint(w[0], one).position + 2 * cairn_world_joint(w[0], two).position;
	CHECK(offset > 0.1); /* what one had turned when the gear came */
	CHECK_NEAR(first + 2 * second, offset, 1e-9);
	for (int i = 21; i < 40; ++i)
		CHECK(cairn_world_step(w[0]).status == CAIRN_STEP_OK);
	CHECK(cairn_world_hash(w[0]) == end);
	cairn_world_destroy(w[0]);
	cairn_world_destroy(w[1]);
}

TEST_MAIN(TEST_CASE(pulley_falls_as_atwood_has_it), TEST_CASE(pulley_goes_slack), TEST_CASE(gear_keeps_its_ratio),
          TEST_CASE(gear_couples_a_slider), TEST_CASE(cone_is_never_left), TEST_CASE(six_axes_are_the_simple_joints),
          TEST_CASE(six_axes_slide_and_turn), TEST_CASE(six_axes_make_a_cardan_joint),
          TEST_CASE(six_axes_keep_their_limits), TEST_CASE(rows_are_derivatives), TEST_CASE(refuses_what_cannot_be),
          TEST_CASE(come_later_and_come_back))
