/* What a world says of the impacts of its last step: their impulses are the change of momentum, whichever part of the
 * method gave them, and they are where and when the bodies met. */
#include "random.h"
#include "yard.h"

enum { MOST = 4000 };

static cairn_impact list[MOST], other_list[MOST];

static bool same_body(cairn_body a, cairn_body b) { return a.index == b.index && a.generation == b.generation; }

/* N s: what the last step's impacts gave to a body. */
typedef struct given {
	v3 linear;
	uint32_t count;
} given;

static given impacts_on(const cairn_world *w, cairn_body body)
{
	given g = {v3_zero(), 0};
	uint32_t count = cairn_world_impacts(w, list, MOST);
	CHECK(count <= MOST);
	for (uint32_t i = 0; i < count; ++i) {
		const cairn_impact *k = &list[i];
		bool a = same_body(k->a, body), b = same_body(k->b, body);
		CHECK_NEAR(v3_length(k->normal), 1, 1e-12);
		CHECK(v3_dot(k->normal, k->impulse) > 0); /* bodies push each other away */
		if (!a && !b)
			continue;
		v3 on_it = a ? v3_neg(k->impulse) : k->impulse;
		g.linear = v3_add(g.linear, on_it);
		++g.count;
	}
	return g;
}

static v3 momentum_of(const cairn_world *w, cairn_body body)
{
	return v3_scale(cairn_world_body_key(w, body).velocity, cairn_world_body_info(w, body).mass);
}

/* A ball that is thrown with a spin bounces ever lower and comes to rest. Each hit is listed with its moment, and so is
 * what changes its spin. */
TEST(a_ball_bounces)
{
	cairn_scene *s = yard_scene(v3_make(0, 0, -10));
	cairn_material m = yard_material(s, 0.6, 0.4);
	cairn_body ground = yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.2, 0), m, v3_make(0, 0, 2));
	d.velocity = v3_make(1.5, 0.3, 0), d.spin = v3_make(4, -6, 9);
	cairn_body ball = cairn_scene_add_body(s, &d, NULL);
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	CHECK_INT(cairn_world_impacts(w, NULL, 0), 0);
	double mass = cairn_world_body_info(w, ball).mass, inertia = cairn_world_body_info(w, ball).inertia[0], hardest = 0;
	uint32_t frames_with = 0, most = 0;
	for (int i = 0; i < 60; ++i) { /* at rest after 2.5 s */
		cairn_key before = cairn_world_body_key(w, ball);
		REQUIRE(cairn_world_step(w).status == CAIRN_STEP_OK);
		cairn_key after = cairn_world_body_key(w, ball);
		given g = impacts_on(w, ball);
		v3 change = v3_scale(v3_sub(after.velocity, before.velocity), mass),
		   turned = v3_scale(v3_sub(after.spin, before.spin), inertia), spun = v3_zero();
		change.z += mass * 10 / 30; /* without gravity's */
		for (uint32_t k = 0; k < g.count; ++k) {
			CHECK(same_body(list[k].a, ball) && same_body(list[k].b, ground));
			CHECK_NEAR(list[k].normal.z, -1, 1e-12);
			CHECK_NEAR(list[k].point.z, 0, 1e-3);
			CHECK(list[k].time > before.time && list[k].time <= after.time);
			spun = v3_add(spun, v3_cross(v3_scale(list[k].normal, 0.2), v3_neg(list[k].impulse)));
			hardest = -list[k].impulse.z > hardest ? -list[k].impulse.z : hardest;
		}
		CHECK_NEAR(v3_distance(change, g.linear), 0, 1e-9 * mass);
		CHECK_NEAR(v3_distance(turned, spun), 0, 1e-9 * mass);
		frames_with += g.count > 0;
		most = g.count > most ? g.count : most;
	}
	CHECK(frames_with >= 3);
	CHECK_NEAR(hardest, mass * 1.6 * sqrt(2 * 10 * 1.8), 0.01 * mass); /* 1 + e times the speed of the fall */
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

/* N s: at most so much of what holds a body at its contacts came in the last frame, where its contacts at the frame's
 * end press all through it. */
static double held_by(const cairn_world *w, cairn_body body)
{
	cairn_contact at[MOST];
	uint32_t count = cairn_world_contacts(w, at, MOST);
	double sum = 0;
	CHECK(count <= MOST);
	for (uint32_t i = 0; i < count; ++i)
		if (same_body(at[i].a, body) || same_body(at[i].b, body))
			sum += v3_length(at[i].impulse);
	return sum;
}

/* Bodies of all shapes in a box without gravity: momentum changes by impacts alone, of the queue, of the simultaneous
 * program, of flights and of hybrid flights, in frames of one step and of several. */
typedef struct crowd_seen {
	uint32_t hits, steps;
} crowd_seen;

static void crowd(const char *key, const char *value, bool balls, crowd_seen *seen)
{
	enum { COUNT = 12 };
	cairn_scene *s = yard_scene(v3_zero());
	uint64_t random = 5;
	cairn_material m = yard_material(s, 0.5, 0.3);
	for (int i = 0; i < 6; ++i) {
		v3 n = i < 2   ? v3_make(i % 2 ? 1 : -1, 0, 0)
		       : i < 4 ? v3_make(0, i % 2 ? 1 : -1, 0)
		               : v3_make(0, 0, i % 2 ? 1 : -1);
		(void)yard_plane(s, m, n, -2);
	}
	cairn_shape shapes[3] = {yard_box(s, 0.5, 0.4, 0.3), yard_round(s, CAIRN_SPHERE, 0.2, 0),
	                         yard_round(s, CAIRN_CAPSULE, 0.15, 0.3)};
	cairn_body bodies[COUNT];
	for (int i = 0; i < COUNT; ++i) {
		v3 at = v3_make(-1.2 + 0.8 * (i % 4), -0.8 + 0.8 * (i / 4 % 3), 0.2 * (i % 3));
		cairn_body_def d = yard_body(shapes[balls ? 1 : i % 3], m, at);
		d.velocity = v3_scale(random_in_cube(&random), 6), d.spin = v3_scale(random_in_cube(&random), 5);
		bodies[i] = cairn_scene_add_body(s, &d, NULL);
	}
	CHECK(cairn_scene_set_option(s, key, value, NULL));
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	for (int f = 0; f < 60; ++f) {
		v3 before[COUNT];
		for (int i = 0; i < COUNT; ++i)
			before[i] = momentum_of(w, bodies[i]);
		cairn_step_report r = cairn_world_step(w);
		REQUIRE(r.status == CAIRN_STEP_OK);
		seen->steps = r.steps > seen->steps ? r.steps : seen->steps;
		for (int i = 0; i < COUNT; ++i) {
			given g = impacts_on(w, bodies[i]);
			v3 change = v3_sub(momentum_of(w, bodies[i]), before[i]);
			double scale = v3_length(before[i]) + v3_length(g.linear) + 1;
			/* bodies that roll over each other are held, and bodies that were kept apart pay for it with a little of their
			 * motion */
			CHECK_NEAR(v3_distance(change, g.linear), 0, (balls ? 1e-9 : 5e-3) * scale + held_by(w, bodies[i]));
			seen->hits += g.count;
		}
	}
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST(momentum_changes_by_impacts)
{
	static const char *const options[][2] = {
		{"steps", "auto"}, {"steps", "1"}, {"hybrid", "1"}, {"hybrid", "4"}, {"queue", "0"}};
	for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
		for (int balls = 0; balls < 2; ++balls) {
			crowd_seen seen = {0, 0};
			crowd(options[i][0], options[i][1], balls, &seen);
			CHECK(seen.hits > 20);
			if (i == 0 && !balls)
				CHECK(seen.steps > 1);
		}
}

/* Two plates that pass each other in one frame are hit where they met, not where the frame ends. */
TEST(what_grazes_is_hit_where_it_met)
{
	cairn_scene *s = yard_scene(v3_zero());
	cairn_material m = yard_material(s, 0, 0);
	cairn_shape ball = yard_round(s, CAIRN_CAPSULE, 0.1, 0.1);
	cairn_body a = yard_add(s, ball, m, v3_make(-0.6, 0.095, 0), v3_make(30, 0, 0));
	cairn_body b = yard_add(s, ball, m, v3_make(0.6, -0.095, 0), v3_make(-30, 0, 0));
	CHECK(cairn_scene_set_option(s, "steps", "1", NULL));
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	v3 before = momentum_of(w, a);
	REQUIRE(cairn_world_step(w).status == CAIRN_STEP_OK);
	given g = impacts_on(w, a);
	REQUIRE(g.count > 0);
	CHECK_NEAR(v3_distance(v3_sub(momentum_of(w, a), before), g.linear), 0, 1e-9 * v3_length(before));
	CHECK_NEAR(v3_distance(v3_neg(impacts_on(w, b).linear), g.linear), 0, 1e-9 * v3_length(before));
	CHECK(list[0].time > 0 && list[0].time < 1 / 30.0);
	CHECK_NEAR(list[0].point.x, 0, 0.02); /* half-way between the two */
	CHECK_NEAR(list[0].point.y, 0, 0.02);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

static cairn_scene *tower(cairn_body *first)
{
	cairn_scene *s = yard_scene(v3_make(0, 0, -10));
	cairn_material m = yard_material(s, 0.2, 0.5);
	(void)yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int i = 0; i < 12; ++i) {
		cairn_body b = yard_add(s, yard_box(s, 0.5, 0.4, 0.3), m, v3_make(0.1 * (i % 3), 0.15 * (i % 2), 0.5 + 0.6 * i),
		                        v3_zero());
		if (i == 0)
			*first = b;
	}
	return s;
}

/* They belong to a step: threads and a snapshot do not change them, a restored world has none until it steps, and those
 * of a body that is gone are left out. */
TEST(impacts_belong_to_a_step)
{
	cairn_body first;
	cairn_scene *s = tower(&first);
	cairn_world *w = yard_world(s, 1), *other = yard_world(s, 3);
	REQUIRE(w && other);
	uint32_t seen = 0;
	for (int f = 0; f < 40; ++f) {
		size_t size = cairn_world_snapshot_size(w);
		void *bytes = malloc(size);
		REQUIRE(bytes && cairn_world_snapshot(w, bytes, size, NULL));
		if (f % 7 == 3) {
			CHECK(cairn_world_restore(other, bytes, size, NULL));
			CHECK_INT(cairn_world_impacts(other, NULL, 0), 0);
		}
		free(bytes);
		CHECK(cairn_world_step(w).status == CAIRN_STEP_OK && cairn_world_step(other).status == CAIRN_STEP_OK);
		uint32_t count = cairn_world_impacts(w, list, MOST);
		REQUIRE(count < MOST && cairn_world_impacts(other, other_list, MOST) == count);
		for (uint32_t i = 0; i < count; ++i)
			CHECK(memcmp(&list[i], &other_list[i], sizeof *list) == 0);
		seen += count;
		if (count > 1) {
			cairn_impact two[2] = {list[0], list[1]};
			CHECK_INT(cairn_world_impacts(w, two, 1), count);
			CHECK(memcmp(&two[1], &list[1], sizeof *two) == 0);
		}
	}
	CHECK(seen > 20);
	for (int f = 0; f < 100 && impacts_on(w, first).count == 0; ++f) {
		CHECK(cairn_world_apply_event(w, &(cairn_event_def){.kind = CAIRN_BLAST, .point = v3_make(0, 0, 3), .speed = 5},
		                              NULL));
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
	}
	uint32_t all = cairn_world_impacts(w, NULL, 0), its = impacts_on(w, first).count;
	REQUIRE(its > 0);
	CHECK(cairn_world_remove_body(w, first, NULL));
	CHECK_INT(cairn_world_impacts(w, NULL, 0), all - its);
	cairn_world_destroy(w);
	cairn_world_destroy(other);
	cairn_scene_destroy(s);
}

/* A step that is refused leaves none. */
TEST(a_refused_step_has_none)
{
	cairn_body first;
	cairn_scene *s = tower(&first);
	cairn_world *w = yard_world(s, 1);
	REQUIRE(w);
	uint32_t count = 0;
	for (int f = 0; f < 40 && !count; ++f) {
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
		count = cairn_world_impacts(w, NULL, 0);
	}
	REQUIRE(count > 0);
	cairn_body_def d =
		yard_body(cairn_world_body_info(w, first).shape, (cairn_material){0}, cairn_world_body_key(w, first).position);
	REQUIRE(cairn_world_add_body(w, &d, NULL).generation);
	CHECK_INT(cairn_world_impacts(w, NULL, 0), count);
	CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OVERLAP);
	CHECK_INT(cairn_world_impacts(w, NULL, 0), 0);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST_MAIN(TEST_CASE(a_ball_bounces), TEST_CASE(momentum_changes_by_impacts), TEST_CASE(what_grazes_is_hit_where_it_met),
          TEST_CASE(impacts_belong_to_a_step), TEST_CASE(a_refused_step_has_none))
