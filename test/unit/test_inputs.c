/* Inputs of single bodies: what they do, that replaying them and putting a snapshot back gives the same bits, and what is
 * refused. */
#include "yard.h"

typedef struct field {
	cairn_scene *scene;
	cairn_world *world;
	cairn_body ground, box, ball;
	cairn_material slippery;
} field;

static bool open_field(field *f)
{
	cairn_scene *s = f->scene = yard_scene(v3_make(0, 0, -10));
	cairn_material m = yard_material(s, 0, 0.5);
	f->slippery = yard_material(s, 0, 0);
	f->ground = yard_plane(s, m, v3_make(0, 0, 1), 0);
	f->box = yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0, 0, 0.5), v3_zero());
	f->ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.5, 0), m, v3_make(20, 0, 50), v3_zero());
	f->world = yard_world(s, 1);
	return f->world != NULL;
}

static void close_field(field *f)
{
	cairn_world_destroy(f->world);
	cairn_scene_destroy(f->scene);
}

static void go(cairn_world *w, int frames)
{
	for (int i = 0; i < frames; ++i)
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
}

TEST(a_push_lasts_one_frame)
{
	field f;
	REQUIRE(open_field(&f));
	cairn_body_info info = cairn_world_body_info(f.world, f.ball);
	double dt = 1.0 / 30, m = info.mass, i = info.inertia[0];
	CHECK(cairn_world_push(f.world, f.ball, v3_make(3 * m, 0, 10 * m), v3_make(0, 0, 2 * i), NULL));
	CHECK(cairn_world_push(f.world, f.ball, v3_make(2 * m, 0, 0), v3_zero(), NULL)); /* they add up */
	go(f.world, 1);
	cairn_key k = cairn_world_body_key(f.world, f.ball);
	CHECK_NEAR(k.velocity.x, 5 * dt, 1e-12);
	CHECK_NEAR(k.position.x, 20 + 0.5 * 5 * dt * dt, 1e-12); /* constant all through the frame */
	CHECK_NEAR(k.position.z, 50, 1e-12);                     /* gravity is held */
	CHECK_NEAR(k.spin.z, 2 * dt, 1e-12);
	go(f.world, 1);
	k = cairn_world_body_key(f.world, f.ball);
	CHECK_NEAR(k.velocity.x, 5 * dt, 1e-12); /* gone */
	CHECK_NEAR(k.velocity.z, -10 * dt, 1e-12);
	close_field(&f);
}

/* Half of what friction holds does not move a box, half as much again does; it wakes from its sleep for it. */
TEST(pushing_a_box)
{
	field f;
	REQUIRE(open_field(&f));
	double weight = 800 * 10;
	go(f.world, 120);
	CHECK(cairn_world_body_asleep(f.world, f.box));
	for (int i = 0; i < 30; ++i) {
		CHECK(cairn_world_push(f.world, f.box, v3_make(0.25 * weight, 0, 0), v3_zero(), NULL));
		go(f.world, 1);
		CHECK(!cairn_world_body_asleep(f.world, f.box));
	}
	CHECK_NEAR(cairn_world_body_key(f.world, f.box).position.x, 0, 1e-3);
	for (int i = 0; i < 30; ++i) {
		CHECK(cairn_world_push(f.world, f.box, v3_make(0.75 * weight, 0, 0), v3_zero(), NULL));
		go(f.world, 1);
	}
	double v = cairn_world_body_key(f.world, f.box).velocity.x;
	CHECK_NEAR(v, 7.5 - 5, 0.1); /* a second of 0.75 g - mu g */
	close_field(&f);
}

TEST(velocity_damping_material)
{
	field f;
	REQUIRE(open_field(&f));
	CHECK(cairn_world_set_velocity(f.world, f.ball, v3_make(1, 2, 3), v3_make(4, 5, 6), NULL));
	cairn_key k = cairn_world_body_key(f.world, f.ball);
	CHECK_NEAR(v3_distance(k.velocity, v3_make(1, 2, 3)) + v3_distance(k.spin, v3_make(4, 5, 6)), 0, 1e-12);
	CHECK(cairn_world_set_damping(f.world, f.ball, 3, 0, NULL));
	go(f.world, 30);
	k = cairn_world_body_key(f.world, f.ball);
	CHECK_NEAR(k.velocity.x, cn_exp(-3), 1e-12);
	CHECK_NEAR(k.spin.z, 6, 1e-9);
	CHECK(cairn_world_set_damping(f.world, f.ball, 0, 0, NULL));
	go(f.world, 1);
	CHECK_NEAR(cairn_world_body_key(f.world, f.ball).velocity.x, k.velocity.x, 1e-12);
	/* a box that slides is stopped by friction, and not once it is made of something slippery */
	CHECK(cairn_world_set_velocity(f.world, f.box, v3_make(1, 0, 0), v3_zero(), NULL));
	go(f.world, 30);
	CHECK_NEAR(cairn_world_body_key(f.world, f.box).velocity.x, 0, 1e-6);
	CHECK(cairn_world_set_body_material(f.world, f.box, f.slippery, NULL));
	CHECK(cairn_world_set_velocity(f.world, f.box, v3_make(1, 0, 0), v3_zero(), NULL));
	go(f.world, 30);
	CHECK_NEAR(cairn_world_body_key(f.world, f.box).velocity.x, 1, 1e-3);
	CHECK_INT(cairn_world_body_info(f.world, f.box).material.index, f.slippery.index);
	close_field(&f);
}

static void give_all(const field *f, cairn_world *w, int frame)
{
	if (frame % 3 == 0)
		CHECK(cairn_world_push(w, f->box, v3_make(9000, 100 * frame, 500), v3_make(10, 20, 300), NULL));
	if (frame == 4)
		CHECK(cairn_world_set_velocity(w, f->ball, v3_make(1, 0, -20), v3_make(0, 3, 1), NULL));
	if (frame == 7)
		CHECK(cairn_world_set_damping(w, f->box, 0.5, 0.25, NULL));
	if (frame == 9)
		CHECK(cairn_world_set_body_material(w, f->box, f->slippery, NULL));
}

/* Another world that replays each step's inputs has the same bits; so has one that is put back between an input and its
 * step. */
TEST(same_bits)
{
	field f;
	REQUIRE(open_field(&f));
	cairn_world *other = yard_world(f.scene, 2), *third = yard_world(f.scene, 1);
	REQUIRE(other && third);
	for (int i = 0; i < 40; ++i) {
		size_t size;
		give_all(&f, f.world, i);
		size_t bytes = cairn_world_snapshot_size(f.world);
		void *snapshot = malloc(bytes);
		REQUIRE(snapshot && cairn_world_snapshot(f.world, snapshot, bytes, NULL));
		CHECK(cairn_world_restore(third, snapshot, bytes, NULL));
		free(snapshot);
		go(f.world, 1);
		go(third, 1);
		CHECK(cairn_world_hash(third) == cairn_world_hash(f.world));
		const void *inputs = cairn_world_step_inputs(f.world, &size);
		CHECK(cairn_world_replay(other, inputs, size, NULL));
		go(other, 1);
		CHECK(cairn_world_hash(other) == cairn_world_hash(f.world));
	}
	cairn_world_destroy(other);
	cairn_world_destroy(third);
	close_field(&f);
}

/* All bodies at once are what each of them says. */
TEST(in_bulk)
{
	field f;
	REQUIRE(open_field(&f));
	CHECK(cairn_world_set_velocity(f.world, f.ball, v3_make(1, 2, 3), v3_make(4, 5, 6), NULL));
	go(f.world, 3);
	CHECK(cairn_world_remove_body(f.world, f.ground, NULL)); /* a slot that is empty */
	cairn_body bodies[3];
	cairn_pose poses[3];
	cairn_velocity velocities[3];
	CHECK_INT(cairn_world_bodies(f.world, bodies, 3), 2);
	CHECK_INT(cairn_world_poses(f.world, NULL, 0), 2);
	CHECK_INT(cairn_world_poses(f.world, poses, 1), 2);
	CHECK_INT(cairn_world_poses(f.world, poses, 3), 2);
	CHECK_INT(cairn_world_velocities(f.world, velocities, 3), 2);
	for (int i = 0; i < 2; ++i) {
		cairn_pose one = cairn_world_body_pose(f.world, bodies[i]);
		cairn_key key = cairn_world_body_key(f.world, bodies[i]);
		CHECK(memcmp(&poses[i], &one, sizeof one) == 0);
		CHECK(memcmp(&velocities[i].velocity, &key.velocity, sizeof key.velocity) == 0);
		CHECK(memcmp(&velocities[i].spin, &key.spin, sizeof key.spin) == 0);
	}
	close_field(&f);
}

TEST(bad_input)
{
	field f;
	REQUIRE(open_field(&f));
	cairn_error e = {0};
	uint64_t before = cairn_world_hash(f.world);
	const cairn_body no[] = {{0, 0}, {77, 1}, {f.ball.index, 9}, f.ground};
	for (int i = 0; i < 4; ++i) {
		CHECK(!cairn_world_push(f.world, no[i], v3_zero(), v3_zero(), &e) && e.code == CAIRN_INVALID);
		CHECK(!cairn_world_set_velocity(f.world, no[i], v3_zero(), v3_zero(), &e));
		CHECK(!cairn_world_set_damping(f.world, no[i], 0, 0, &e));
		if (i < 3)
			CHECK(!cairn_world_set_body_material(f.world, no[i], f.slippery, &e));
	}
	const double odd[] = {NAN, INFINITY, -INFINITY, 1e300};
	for (int i = 0; i < 4; ++i) {
		CHECK(!cairn_world_push(f.world, f.ball, v3_make(odd[i], 0, 0), v3_zero(), &e) && *e.message);
		CHECK(!cairn_world_push(f.world, f.ball, v3_zero(), v3_make(0, odd[i], 0), &e));
		CHECK(!cairn_world_set_velocity(f.world, f.ball, v3_make(0, 0, odd[i]), v3_zero(), &e));
		CHECK(!cairn_world_set_velocity(f.world, f.ball, v3_zero(), v3_make(0, 0, odd[i]), &e));
		CHECK(!cairn_world_set_damping(f.world, f.ball, odd[i], 0, &e));
	}
	CHECK(!cairn_world_set_damping(f.world, f.ball, -1, 0, &e));
	CHECK(!cairn_world_set_body_material(f.world, f.ball, (cairn_material){99, 1}, &e));
	CHECK(!cairn_world_release(f.world, f.ball, &e));
	CHECK(cairn_world_push(f.world, f.ball, v3_make(1, 0, 0), v3_zero(), &e));
	CHECK(!cairn_world_release(f.world, f.ball, &e)); /* a push is no drag */
	CHECK(cairn_world_hash(f.world) == before && cairn_world_pending_inputs(f.world) > 0);
	close_field(&f);
}

TEST_MAIN(TEST_CASE(a_push_lasts_one_frame), TEST_CASE(pushing_a_box), TEST_CASE(velocity_damping_material),
          TEST_CASE(same_bits), TEST_CASE(in_bulk), TEST_CASE(bad_input))
