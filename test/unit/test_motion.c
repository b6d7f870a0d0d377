/* Motion without contact against known answers: parabolas, torque-free tops, keys inside frames, fields, hands, scripts. */
#include "base/vec.h"
#include "test.h"
#include "world/world.h"

#define DT (1.0 / 30)

/* A scene with one dynamic body of unit mass and the given moments, under method free. */
static cairn_scene *one_body(v3 gravity, v3 moments, v3 velocity, v3 spin)
{
	cairn_error e = {0};
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_settings s = cairn_default_settings();
	s.gravity = gravity, s.method = "free";
	CHECK(cairn_scene_set_settings(scene, &s, &e));
	cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
	cairn_body_def b = cairn_default_body_def();
	b.name = "a", b.shape = cairn_scene_add_shape(scene, &box, &e);
	b.mass = 1, b.has_inertia = true;
	b.inertia[0] = moments.x, b.inertia[4] = moments.y, b.inertia[8] = moments.z;
	b.velocity = velocity, b.spin = spin;
	CHECK(cairn_scene_add_body(scene, &b, &e).generation);
	return scene;
}

static cairn_world *start(cairn_scene *scene)
{
	cairn_error e = {0};
	cairn_world *w = cairn_world_create(scene, NULL, &e);
	if (!w)
		printf("%s: %s\n", e.path, e.message);
	cairn_scene_destroy(scene);
	return w;
}

static void step(cairn_world *w, int frames)
{
	for (int i = 0; i < frames; ++i) {
		cairn_step_report r = cairn_world_step(w);
		if (r.status != CAIRN_STEP_OK) {
			char text[300];
			cairn_world_explain(w, &r, text, sizeof text);
			printf("frame %u: %s\n", r.frame, text);
			CHECK(r.status == CAIRN_STEP_OK);
			return;
		}
	}
}

static const cairn_body A = {0, 1};

TEST(throw_is_a_parabola)
{
	cairn_world *w = start(one_body(v3_make(0, 0, -9.81), v3_make(1, 1, 1), v3_make(3, 1, 12), v3_zero()));
	REQUIRE(w);
	for (int i = 1; i <= 600; ++i) {
		step(w, 1);
		double t = i / 30.0;
		cairn_key k = cairn_world_body_key(w, A);
		CHECK_NEAR(k.position.x, 3 * t, 1e-11);
		CHECK_NEAR(k.position.z, 12 * t - 0.5 * 9.81 * t * t, 1e-9);
		CHECK_NEAR(k.velocity.z, 12 - 9.81 * t, 1e-10);
		CHECK_NEAR(k.time, t, 1e-12);
	}
	cairn_world_destroy(w);
}

/* I = (1, 2, 3), spin (0.01, 1, 0): the second component changes sign first at 10.377 s and every 20.755 s after it. */
TEST(intermediate_axis_flips)
{
	const double wanted[] = {10.3773, 31.132, 51.887};
	cairn_world *w = start(one_body(v3_zero(), v3_make(1, 2, 3), v3_zero(), v3_make(0.01, 1, 0)));
	REQUIRE(w);
	v3 l0 = w->motion[0].l;
	double e0 = w->energy.kinetic, before = 1;
	int flips = 0;
	for (int i = 1; i <= 1800; ++i) {
		step(w, 1);
		cairn_key k = cairn_world_body_key(w, A);
		double w2 = q_unrotate(k.orientation, k.spin).y;
		if (w2 * before < 0 && flips < 3) {
			double t = (i - fabs(w2) / (fabs(w2) + fabs(before))) * DT;
			CHECK_NEAR(t, wanted[flips], 0.01 * wanted[flips]);
			++flips;
		}
		before = w2;
		CHECK_NEAR(w->energy.kinetic / e0, 1, 2e-5);
		v3 l = cn_angular(&w->rotors[0], k.orientation, k.spin);
		CHECK_NEAR(v3_distance(l, l0), 0, 1e-12);
	}
	CHECK_INT(flips, 3);
	cairn_world_destroy(w);
}

/* The closed form for a symmetric body against the splitting of one that is all but symmetric. */
TEST(symmetric_body_agrees_with_splitting)
{
	for (int axis = 0; axis < 3; ++axis) {
		double m[3] = {2, 2, 2}, n[3];
		m[axis] = 0.7;
		memcpy(n, m, sizeof n);
		n[(axis + 1) % 3] *= 1 + 1e-9;
		v3 spin = {1, 2, -1.5};
		cairn_world *a = start(one_body(v3_zero(), v3_make(m[0], m[1], m[2]), v3_zero(), spin));
		cairn_world *b = start(one_body(v3_zero(), v3_make(n[0], n[1], n[2]), v3_zero(), spin));
		REQUIRE(a && b);
		CHECK_INT(a->rotors[0].kind, CN_ROTOR_SYMMETRIC);
		CHECK_INT(b->rotors[0].kind, CN_ROTOR_GENERAL);
		double e0 = a->energy.kinetic;
		step(a, 300);
		step(b, 300);
		CHECK_NEAR(v3_length(q_turn(a->motion[0].q, b->motion[0].q)), 0, 5e-3);
		CHECK_NEAR(a->energy.kinetic / e0, 1, 1e-13);
		cairn_world_destroy(a);
		cairn_world_destroy(b);
	}
}

/* The splitting is of second order: half the step, a quarter of the error. */
TEST(splitting_converges)
{
	quat reference = q_identity();
	double errors[3];
	for (int level = 3; level >= 0; --level) {
		cairn_scene *s = one_body(v3_zero(), v3_make(1, 2, 3), v3_zero(), v3_make(0.15, 0.3, 0.2));
		double fps[] = {60, 120, 240, 1920}; /* one inner step each */
		cairn_settings settings = cairn_scene_settings(s);
		settings.fps = fps[level];
		cairn_scene_set_settings(s, &settings, NULL);
		cairn_world *w = start(s);
		REQUIRE(w);
		step(w, (int)(fps[level] * 4));
		if (level == 3)
			reference = w->motion[0].q;
		else
			errors[level] = v3_length(q_turn(reference, w->motion[0].q));
		cairn_world_destroy(w);
	}
	CHECK(errors[0] < 1e-3);
	CHECK_NEAR(errors[0] / errors[1], 4, 0.3);
	CHECK_NEAR(errors[1] / errors[2], 4, 0.3);
}

/* Keys inside the frame: each piece at most a quarter turn, and exp(turn) leads from key to key. */
TEST(fast_spin_has_keys_inside_the_frame)
{
	v3 kinds[] = {{1, 1, 1}, {1, 1, 2}, {1, 2, 3}};
	for (int n = 0; n < 3; ++n) {
		cairn_world *w = start(one_body(v3_make(0, 0, -9.81), kinds[n], v3_make(1, 0, 0), v3_make(3, 1000, 2)));
		REQUIRE(w);
		cairn_key keys[64], last = cairn_world_body_key(w, A);
		double e0 = w->energy.kinetic;
		for (int i = 0; i < 30; ++i) {
			step(w, 1);
			uint32_t count = cairn_world_body_keys(w, A, keys, 64);
			CHECK(count >= 22 && count <= 64);
			double time = last.time, whole = 0;
			for (uint32_t k = 0; k < count; ++k) {
				CHECK(keys[k].time > time);
				CHECK(v3_length(keys[k].turn) <= CN_PI / 2);
				CHECK_NEAR(fabs(q_dot(q_mul(q_exp(keys[k].turn), last.orientation), keys[k].orientation)), 1, 1e-13);
				CHECK_NEAR(keys[k].position.z, -0.5 * 9.81 * keys[k].time * keys[k].time, 1e-9);
				whole += v3_length(keys[k].turn);
				time = keys[k].time;
				last = keys[k];
			}
			if (n == 0)
				CHECK_NEAR(whole, 1000.0065 * DT, 1e-3);
			CHECK_NEAR(last.time, (i + 1) * DT, 1e-12);
		}
		CHECK_NEAR(w->energy.kinetic - 0.5 * v3_length2(w->motion[0].v), e0 - 0.5, 1e-5 * e0);
		cairn_world_destroy(w);
	}
}

/* Energy of free rotation over ten seconds, for flat, long and ordinary boxes in every order of their axes. */
TEST(energy_stays_within_its_bound)
{
	v3 sizes[] = {{1, 2, 3}, {0.1, 1, 1.2}, {0.05, 0.06, 3}, {1, 1.1, 1.3}};
	for (int n = 0; n < 4; ++n)
		for (int turn = 0; turn < 6; ++turn) {
			v3 a = sizes[n];
			double size[3] = {a.x, a.y, a.z}, x = size[turn % 3], y = size[(turn + 1 + turn / 3) % 3],
				   z = a.x + a.y + a.z - x - y;
			v3 moments = {(y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12};
			cairn_world *w = start(one_body(v3_zero(), moments, v3_zero(), v3_make(1.3, 2.1, 1.7)));
			REQUIRE(w);
			double e0 = w->energy.kinetic;
			for (int i = 0; i < 300; ++i) {
				step(w, 1);
				CHECK_NEAR(w->energy.kinetic / e0, 1, 1e-4);
			}
			cairn_world_destroy(w);
		}
}

TEST(too_fast_a_spin_is_refused_and_nothing_moves)
{
	cairn_world *w = start(one_body(v3_zero(), v3_make(1, 2, 3), v3_make(1, 0, 0), v3_make(5000, 0, 0)));
	REQUIRE(w);
	uint64_t hash = cairn_world_hash(w);
	cairn_step_report r = cairn_world_step(w);
	char text[300];
	CHECK_INT(r.status, CAIRN_STEP_SPIN);
	CHECK_INT(r.frame, 0);
	CHECK(cairn_world_hash(w) == hash);
	cairn_world_explain(w, &r, text, sizeof text);
	CHECK_HAS(text, "'a'");
	cairn_world_destroy(w);
}

TEST(overflow_is_noticed)
{
	cairn_world *w = start(one_body(v3_zero(), v3_make(1, 1, 1), v3_zero(), v3_zero()));
	REQUIRE(w);
	w->motion[0].v.x = 1.7e308;
	w->motion[0].x.x = 1.7e308;
	CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_NOT_FINITE);
	CHECK_INT(cairn_world_frame(w), 0);
	cairn_world_destroy(w);
}

TEST(damping_decays_and_the_ledger_adds_up)
{
	cairn_scene *s = one_body(v3_make(0, 0, -9.81), v3_make(1, 2, 3), v3_make(5, 0, 0), v3_make(1, 2, 3));
	cairn_body_def b = cairn_scene_body_at(s, 0);
	b.name = "damped", b.linear_damping = 0.5, b.angular_damping = 0.25;
	CHECK(cairn_scene_add_body(s, &b, NULL).generation);
	cairn_world *w = start(s);
	REQUIRE(w);
	cairn_body d = cairn_world_find_body(w, "damped");
	v3 l0 = w->motion[d.index].l;
	double total = w->energy.kinetic + w->energy.potential;
	for (int i = 0; i < 60; ++i) {
		cairn_step_report r = cairn_world_step(w);
		double now = r.energy.kinetic + r.energy.potential;
		CHECK_NEAR(now - total, r.energy.events + r.energy.fields - r.energy.damping + r.energy.drift, 1e-9);
		CHECK_NEAR(r.energy.drift, 0, 2e-3); /* the splitting's, on 25 J */
		CHECK(r.energy.damping > 0);
		total = now;
	}
	CHECK_NEAR(cairn_world_body_key(w, d).velocity.x, 5 * exp(-1), 1e-12);
	CHECK_NEAR(v3_length(w->motion[d.index].l), v3_length(l0) * exp(-0.5), 1e-12);
	cairn_world_destroy(w);
}

/* A body that turns about one axis and is damped: angle (1 - exp(-d t)) w / d. */
TEST(damped_turn_is_of_second_order)
{
	cairn_scene *s = one_body(v3_zero(), v3_make(1, 1, 1), v3_zero(), v3_make(0, 0, 1));
	cairn_body_def b = cairn_scene_body_at(s, 0);
	b.name = "d", b.angular_damping = 1, b.spin = v3_make(0, 0, 3);
	CHECK(cairn_scene_add_body(s, &b, NULL).generation);
	cairn_world *w = start(s);
	REQUIRE(w);
	step(w, 30);
	quat q = cairn_world_body_key(w, cairn_world_find_body(w, "d")).orientation;
	CHECK_NEAR(2 * atan2(q.z, q.w), 3 * (1 - exp(-1)), 3e-4);
	cairn_world_destroy(w);
}

/* Script keys that are all but at frame times do not cut slivers off the frames, and a jump stays finite. */
TEST(script_keys_near_frames_make_no_slivers)
{
	cairn_error e = {0};
	cairn_scene *s = one_body(v3_zero(), v3_make(1, 1, 1), v3_zero(), v3_zero());
	cairn_script_key keys[101];
	for (int i = 0; i <= 100; ++i)
		keys[i] = (cairn_script_key){i * DT, {{0.01 * i, 0, 0}, {1, 0, 0, 0}}};
	cairn_body_def b = cairn_default_body_def();
	b.name = "cart", b.type = CAIRN_SCRIPTED, b.shape = (cairn_shape){0, 1}, b.keys = keys, b.key_count = 101;
	CHECK(cairn_scene_add_body(s, &b, &e).generation);
	cairn_script_key jump[] = {{0, {{0, 0, 0}, {1, 0, 0, 0}}},
	                           {0.05, {{0, 0, 0}, {1, 0, 0, 0}}},
	                           {nextafter(0.05, 1), {{9, 0, 0}, {0, 0, 0, 1}}}};
	b.name = "jump", b.keys = jump, b.key_count = 3;
	CHECK(cairn_scene_add_body(s, &b, &e).generation);
	cairn_world *w = start(s);
	REQUIRE(w);
	cairn_body cart = cairn_world_find_body(w, "cart"), jumps = cairn_world_find_body(w, "jump");
	cairn_key k[65];
	for (int i = 0; i < 100; ++i) {
		step(w, 1);
		CHECK_INT(cairn_world_body_keys(w, cart, k, 65), 1);
		CHECK_NEAR(k[0].velocity.x, 0.3, 1e-9);
		uint32_t count = cairn_world_body_keys(w, jumps, k, 65);
		for (uint32_t n = 0; n < count; ++n)
			CHECK(v3_finite(k[n].velocity) && v3_finite(k[n].spin) && (n == 0 || k[n].time > k[n - 1].time));
	}
	CHECK_NEAR(cairn_world_body_key(w, jumps).position.x, 9, 0);
	cairn_world_destroy(w);
}

TEST(fields_act)
{
	cairn_error e = {0};
	cairn_scene *s = one_body(v3_zero(), v3_make(1, 1, 1), v3_zero(), v3_make(0, 0, 1));
	cairn_field_def f = cairn_default_field_def(CAIRN_GRAVITY);
	f.acceleration = v3_make(2, 0, 0), f.has_box = true;
	f.box = (cairn_box){{-1, -1, -1}, {4, 1, 1}};
	CHECK(cairn_scene_add_field(s, &f, &e));
	cairn_world *w = start(s);
	REQUIRE(w);
	step(w, 30);
	CHECK_NEAR(cairn_world_body_key(w, A).position.x, 1, 1e-12);
	step(w, 90); /* out of the box at x = 4, after 2 s, at 4 m/s and a frame more at most */
	CHECK(cairn_world_body_key(w, A).velocity.x <= 4 + 2 * DT + 1e-12);
	cairn_world_destroy(w);

	s = one_body(v3_zero(), v3_make(1, 1, 1), v3_zero(), v3_zero());
	f = cairn_default_field_def(CAIRN_WIND);
	f.velocity = v3_make(10, 0, 0);
	CHECK(cairn_scene_add_field(s, &f, &e));
	w = start(s);
	step(w, 600); /* u' = -k u^2, k = 1/2 rho c A / m = 0.9: u = 10 / (1 + 9 t) */
	CHECK_NEAR(10 - cairn_world_body_key(w, A).velocity.x, 10 / (1 + 9 * 20.0), 2e-3);
	CHECK(cairn_world_body_key(w, A).velocity.x < 10);
	cairn_world_destroy(w);

	s = one_body(v3_zero(), v3_make(1, 2, 2.5), v3_make(8, 0, 0), v3_make(0, 0, 3));
	f = cairn_default_field_def(CAIRN_DRAG);
	f.linear = 1e9, f.angular = 1e9; /* stable however stiff */
	CHECK(cairn_scene_add_field(s, &f, &e));
	w = start(s);
	step(w, 1);
	CHECK_NEAR(v3_length(cairn_world_body_key(w, A).velocity), 0, 1e-6);
	CHECK_NEAR(v3_length(cairn_world_body_key(w, A).spin), 0, 1e-6);
	cairn_world_destroy(w);

	s = one_body(v3_zero(), v3_make(1, 1, 1), v3_make(0, 1, 0), v3_zero());
	f = cairn_default_field_def(CAIRN_ATTRACTOR);
	f.point = v3_make(-1, 0, 0), f.strength = 1, f.softening = 1e-6; /* a circle of radius 1, once around in 2 pi */
	CHECK(cairn_scene_add_field(s, &f, &e));
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = 30;
	CHECK(cairn_scene_set_settings(s, &settings, &e));
	w = start(s);
	step(w, 189); /* 6.3 s: 0.0168 s past the end of the first circle */
	CHECK_NEAR(v3_distance(cairn_world_body_key(w, A).position, v3_make(0, 0.0168, 0)), 0, 1e-2);
	CHECK_NEAR(v3_distance(cairn_world_body_key(w, A).position, f.point), 1, 1e-3);
	cairn_world_destroy(w);
}

/* A box that tumbles in air for two seconds. Returns its angular momentum; *error: the most that a step's books leave over
 * or call an error of free turning, of the energy then. */
static v3 tumbled(double fps, double *error)
{
	cairn_scene *s = one_body(v3_zero(), v3_make(1, 1.4, 2.1), v3_zero(), v3_make(-32, -2, 3));
	cairn_field_def f = cairn_default_field_def(CAIRN_DRAG);
	f.angular = 0.1;
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL) && cairn_scene_add_field(s, &f, NULL));
	cairn_world *w = start(s);
	*error = 1;
	if (!w)
		return v3_zero();
	*error = 0;
	double total = w->energy.kinetic;
	for (int i = 0; i < 2 * fps; ++i) {
		cairn_energy e = cairn_world_step(w).energy;
		*error = fmax(*error, fmax(fabs(e.kinetic - total - e.fields - e.drift), fabs(e.drift)) / total);
		CHECK(e.fields < 0);
		total = e.kinetic;
	}
	v3 l = w->motion[0].l;
	cairn_world_destroy(w);
	return l;
}

TEST(drag_of_what_tumbles_is_of_second_order_and_wins_no_energy)
{
	double error, coarse, fine;
	v3 truth = tumbled(3840, &error);
	coarse = v3_distance(tumbled(30, &error), truth);
	CHECK(error < 1e-5);
	fine = v3_distance(tumbled(120, &error), truth);
	CHECK(error < 1e-5);
	CHECK(coarse < 1e-4 * v3_length(truth) && fine < coarse / 10);
	tumbled(15, &error);
	CHECK(error < 1e-5);
}

TEST(events_act_at_their_frame)
{
	cairn_error e = {0};
	cairn_scene *s = one_body(v3_zero(), v3_make(1, 2, 3), v3_zero(), v3_zero());
	cairn_event_def i = cairn_default_event_def(CAIRN_IMPULSE);
	i.frame = 3, i.body = A, i.impulse = v3_make(0, 2, 0), i.has_point = true, i.point = v3_make(0.5, 0, 0);
	cairn_event_def b = cairn_default_event_def(CAIRN_BLAST);
	b.frame = 1, b.point = v3_make(0, 0, -2), b.speed = 60;
	CHECK(cairn_scene_add_event(s, &i, &e) && cairn_scene_add_event(s, &b, &e));
	CHECK_INT(cairn_scene_event_at(s, 0).frame, 1);
	cairn_world *w = start(s);
	REQUIRE(w);
	step(w, 1);
	CHECK_NEAR(v3_length(cairn_world_body_key(w, A).velocity), 0, 0);
	step(w, 1);
	CHECK_NEAR(cairn_world_body_key(w, A).velocity.z, 60 / 4.0, 1e-12);
	step(w, 2);
	cairn_key k = cairn_world_body_key(w, A);
	CHECK_NEAR(k.velocity.y, 2, 1e-12);
	CHECK_NEAR(w->motion[0].l.z, 0.5 * 2, 1e-12);
	cairn_world_destroy(w);
}

TEST(a_hand_brings_the_anchor_to_the_target)
{
	cairn_error e = {0};
	cairn_world *w = start(one_body(v3_make(0, 0, -9.81), v3_make(0.1, 0.2, 0.3), v3_zero(), v3_zero()));
	REQUIRE(w);
	cairn_drag_def d = cairn_default_drag_def();
	d.body = A, d.anchor = v3_make(0.5, 0.5, 0.5), d.target = v3_make(2, 0, 1);
	CHECK(cairn_world_drag(w, &d, &e));
	step(w, 900);
	v3 p = pose_apply(cairn_world_body_pose(w, A), d.anchor);
	CHECK_NEAR(v3_distance(p, d.target), 9.81 / (16 * CN_PI * CN_PI), 0.03); /* it sags under gravity, g / w^2 */
	CHECK_NEAR(w->energy.kinetic, 0, 1e-6);                                  /* and hangs still */
	CHECK(cairn_world_release(w, A, &e));
	CHECK(!cairn_world_release(w, A, &e));
	double z = cairn_world_body_key(w, A).velocity.z;
	step(w, 1);
	CHECK_NEAR(cairn_world_body_key(w, A).velocity.z, z - 9.81 * DT, 1e-9);
	cairn_world_destroy(w);
}

TEST(scripted_body_follows_its_keys)
{
	cairn_error e = {0};
	cairn_scene *s = one_body(v3_zero(), v3_make(1, 1, 1), v3_zero(), v3_zero());
	quat half = q_exp(v3_make(0, 0, 3));
	cairn_script_key keys[] = {
		{0, {{5, 0, 0}, {1, 0, 0, 0}}}, {0.05, {{6, 0, 0}, {1, 0, 0, 0}}}, {1, {{6, 0, 9}, half}}};
	cairn_body_def b = cairn_default_body_def();
	b.name = "door", b.type = CAIRN_SCRIPTED, b.shape = (cairn_shape){0, 1}, b.keys = keys, b.key_count = 3;
	CHECK(cairn_scene_add_body(s, &b, &e).generation);
	cairn_world *w = start(s);
	REQUIRE(w);
	cairn_body door = cairn_world_find_body(w, "door");
	cairn_key k[64];
	CHECK_NEAR(cairn_world_body_key(w, door).velocity.x, 20, 1e-9);
	step(w, 2); /* the corner at 0.05 s lies inside the second frame */
	CHECK_INT(cairn_world_body_keys(w, door, k, 64), 2);
	CHECK_NEAR(k[0].time, 0.05, 0);
	CHECK_NEAR(k[0].position.x, 6, 1e-12);
	CHECK_NEAR(k[1].position.z, 9 * (2 / 30.0 - 0.05) / 0.95, 1e-12);
	CHECK_NEAR(k[1].velocity.z, 9 / 0.95, 1e-9);
	CHECK_NEAR(k[1].spin.z, 3 / 0.95, 1e-9);
	step(w, 58);
	CHECK_NEAR(v3_distance(cairn_world_body_pose(w, door).position, v3_make(6, 0, 9)), 0, 1e-12);
	CHECK_NEAR(v3_length(cairn_world_body_key(w, door).velocity), 0, 0);
	cairn_script_key back[] = {{3, {{0, 0, 0}, {1, 0, 0, 0}}}};
	CHECK(cairn_world_set_script(w, door, back, 1, &e));
	CHECK(!cairn_world_set_script(w, A, back, 1, &e));
	step(w, 15);
	CHECK_NEAR(cairn_world_body_pose(w, door).position.z, 4.5, 1e-9);
	cairn_world_destroy(w);
}

/* A body whose centre of mass is not its shape's origin turns about the centre. */
TEST(centre_of_mass_off_the_origin)
{
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	settings.gravity = v3_zero(), settings.method = "free";
	cairn_scene_set_settings(s, &settings, &e);
	v3 points[] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	cairn_shape_def hull = cairn_default_shape_def(CAIRN_HULL);
	hull.points = points, hull.point_count = 4;
	cairn_body_def b = cairn_default_body_def();
	b.shape = cairn_scene_add_shape(s, &hull, &e), b.pose.position = v3_make(3, 0, 0), b.spin = v3_make(1, 2, 3);
	CHECK(cairn_scene_add_body(s, &b, &e).generation);
	cairn_world *w = start(s);
	REQUIRE(w);
	CHECK(w->rotors[0].turned);
	double e0 = w->energy.kinetic;
	step(w, 90);
	CHECK_NEAR(v3_distance(cairn_world_body_key(w, A).position, v3_make(3.25, 0.25, 0.25)), 0, 1e-12);
	v3 center = pose_apply(cairn_world_body_pose(w, A), v3_make(0.25, 0.25, 0.25));
	CHECK_NEAR(v3_distance(center, v3_make(3.25, 0.25, 0.25)), 0, 1e-12);
	CHECK_NEAR(w->energy.kinetic / e0, 1, 1e-4);
	cairn_world_destroy(w);
}

TEST_MAIN(TEST_CASE(throw_is_a_parabola), TEST_CASE(intermediate_axis_flips),
          TEST_CASE(symmetric_body_agrees_with_splitting), TEST_CASE(splitting_converges),
          TEST_CASE(fast_spin_has_keys_inside_the_frame), TEST_CASE(energy_stays_within_its_bound),
          TEST_CASE(too_fast_a_spin_is_refused_and_nothing_moves), TEST_CASE(overflow_is_noticed),
          TEST_CASE(damping_decays_and_the_ledger_adds_up), TEST_CASE(damped_turn_is_of_second_order),
          TEST_CASE(script_keys_near_frames_make_no_slivers), TEST_CASE(fields_act),
          TEST_CASE(drag_of_what_tumbles_is_of_second_order_and_wins_no_energy), TEST_CASE(events_act_at_their_frame),
          TEST_CASE(a_hand_brings_the_anchor_to_the_target), TEST_CASE(scripted_body_follows_its_keys),
          TEST_CASE(centre_of_mass_off_the_origin))
