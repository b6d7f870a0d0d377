/* Bodies that become others during a run, and joints that come and go: what they do, that replays, snapshots and recordings
 * have the same bits, that recordings of them certify, and what is refused. */
#include "yard.h"

#include <stdio.h>

typedef struct place {
	cairn_scene *scene;
	cairn_world *world;
	cairn_shape box, plate;
	cairn_body ground, a, b, ball;
} place;

/* Two boxes on the ground, 3 m apart, and a ball above. */
static bool open_place(place *p)
{
	cairn_scene *s = p->scene = yard_scene(v3_make(0, 0, -10));
	cairn_material m = yard_material(s, 0, 0.5);
	p->box = yard_box(s, 1, 1, 1), p->plate = yard_box(s, 2, 2, 0.5);
	p->ground = yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(p->box, m, v3_make(0, 0, 0.5));
	d.name = "left";
	p->a = cairn_scene_add_body(s, &d, NULL);
	d.name = "right", d.pose.position = v3_make(3, 0, 0.5);
	p->b = cairn_scene_add_body(s, &d, NULL);
	p->ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.5, 0), m, v3_make(0, 0, 5), v3_zero());
	p->world = yard_world(s, 1);
	return p->world != NULL;
}

static void close_place(place *p)
{
	cairn_world_destroy(p->world);
	cairn_scene_destroy(p->scene);
}

static void go(cairn_world *w, int frames)
{
	for (int i = 0; i < frames; ++i)
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
}

static cairn_pose at(double x, double y, double z) { return (cairn_pose){{x, y, z}, {1, 0, 0, 0}}; }

TEST(a_pose_is_taken)
{
	place p;
	REQUIRE(open_place(&p));
	go(p.world, 5);
	uint32_t serial = cairn_world_body_info(p.world, p.a).serial;
	cairn_pose to = {{6, 2, 4}, q_exp(v3_make(0, 0, CN_PI / 2))};
	CHECK(cairn_world_set_velocity(p.world, p.a, v3_make(1, 0, 0), v3_zero(), NULL));
	CHECK(cairn_world_set_pose(p.world, p.a, to, NULL));
	cairn_key k = cairn_world_body_key(p.world, p.a);
	CHECK_NEAR(v3_distance(k.position, to.position), 0, 1e-12);
	CHECK_NEAR(v3_distance(k.velocity, v3_make(0, 1, 0)), 0, 1e-12); /* turned with it */
	CHECK(cairn_world_has_body(p.world, p.a) && cairn_world_find_body(p.world, "left").index == p.a.index);
	CHECK(cairn_world_body_info(p.world, p.a).serial > serial);
	go(p.world, 3); /* it falls */
	CHECK_NEAR(cairn_world_body_key(p.world, p.a).position.z, 4 - 0.5 * 10 * 0.01, 1e-9);
	go(p.world, 60);
	CHECK_NEAR(cairn_world_body_key(p.world, p.a).position.z, 0.5, 2e-3);
	/* a fixed body too: the ground sinks by 1 m, and all fall */
	CHECK(cairn_world_set_pose(p.world, p.ground, at(0, 0, -1), NULL));
	go(p.world, 60);
	CHECK_NEAR(cairn_world_body_key(p.world, p.b).position.z, -0.5, 2e-3);
	close_place(&p);
}

TEST(an_overlap_is_refused)
{
	place p;
	REQUIRE(open_place(&p));
	cairn_error e = {0};
	uint64_t before = cairn_world_hash(p.world);
	CHECK(!cairn_world_set_pose(p.world, p.a, at(2.25, 0, 0.5), &e));
	CHECK(e.code == CAIRN_INVALID && strstr(e.message, "body 'left' would overlap body 'right' by 0.25 m"));
	CHECK(!cairn_world_set_pose(p.world, p.a, at(2.25, 0, 0.4), &e) &&
	      strstr(e.message, "'right' by 0.25 m"));                     /* the deepest */
	CHECK(!cairn_world_set_shape(p.world, p.a, p.plate, &e) == false); /* room enough */
	CHECK(cairn_world_set_shape(p.world, p.a, p.box, &e));
	CHECK(cairn_world_set_pose(p.world, p.a, at(2, 0, 0.5), &e)); /* touching is fine */
	CHECK(!cairn_world_set_shape(p.world, p.a, p.plate, &e) && strstr(e.message, "'right' by 0.5 m"));
	CHECK(cairn_world_set_filter(p.world, p.a, 2, 1, &e)); /* meets whom is in group 1, who must meet 2: all do */
	CHECK(cairn_world_set_filter(p.world, p.b, 1, 1, &e));
	CHECK(cairn_world_set_pose(p.world, p.a, at(2.5, 0, 0.5), &e)); /* they pass through each other now */
	go(p.world, 2);
	CHECK(!cairn_world_set_filter(p.world, p.b, 1, 3, &e) && strstr(e.message, "'left' by 0.5 m"));
	CHECK(cairn_world_hash(p.world) != before);
	close_place(&p);
}

TEST(mass_and_shape)
{
	place p;
	REQUIRE(open_place(&p));
	cairn_body_info was = cairn_world_body_info(p.world, p.ball);
	CHECK(cairn_world_set_velocity(p.world, p.ball, v3_make(1, 0, 0), v3_make(0, 0, 2), NULL));
	CHECK(cairn_world_set_mass(p.world, p.ball, 3 * was.mass, NULL));
	cairn_body_info is = cairn_world_body_info(p.world, p.ball);
	CHECK_NEAR(is.mass, 3 * was.mass, 1e-12);
	CHECK_NEAR(is.inertia[0], 3 * was.inertia[0], 1e-9);
	CHECK_NEAR(cairn_world_body_key(p.world, p.ball).spin.z, 2, 1e-12);
	CHECK(cairn_world_push(p.world, p.ball, v3_make(is.mass, 0, 0), v3_zero(), NULL));
	go(p.world, 1);
	CHECK_NEAR(cairn_world_body_key(p.world, p.ball).velocity.x, 1 + 1.0 / 30, 1e-12);
	CHECK(cairn_world_set_shape(p.world, p.ball, p.plate, NULL));
	is = cairn_world_body_info(p.world, p.ball);
	CHECK_NEAR(is.mass, 3 * was.mass, 1e-12);
	CHECK_NEAR(is.inertia[8], is.mass * (4 + 4) / 12, 1e-9); /* of a plate of 2 x 2 */
	CHECK_NEAR(cairn_world_body_key(p.world, p.ball).spin.z, 2, 1e-12);
	go(p.world, 60);
	close_place(&p);
}

TEST(type_and_weight)
{
	place p;
	REQUIRE(open_place(&p));
	cairn_error e = {0};
	double mass = cairn_world_body_info(p.world, p.ball).mass;
	CHECK(cairn_world_set_type(p.world, p.ball, CAIRN_FIXED, NULL)); /* it hangs in the air */
	go(p.world, 10);
	CHECK_NEAR(cairn_world_body_key(p.world, p.ball).position.z, 5, 0);
	CHECK(!cairn_world_set_type(p.world, p.ball, CAIRN_FIXED, &e) && *e.message);
	CHECK(cairn_world_set_type(p.world, p.ball, CAIRN_SCRIPTED, NULL));
	go(p.world, 3);
	CHECK_NEAR(cairn_world_body_key(p.world, p.ball).position.z, 5, 1e-12);
	cairn_script_key key = {cairn_world_time(p.world) + 1, at(1, 0, 5)};
	CHECK(cairn_world_set_script(p.world, p.ball, &key, 1, NULL));
	go(p.world, 15);
	CHECK_NEAR(cairn_world_body_key(p.world, p.ball).position.x, 0.5, 1e-9);
	CHECK(!cairn_world_set_pose(p.world, p.ball, at(0, 0, 9), &e) && strstr(e.message, "script"));
	CHECK(cairn_world_set_type(p.world, p.ball, CAIRN_DYNAMIC, NULL)); /* it is thrown */
	CHECK_NEAR(cairn_world_body_info(p.world, p.ball).mass, mass, 1e-9);
	CHECK(cairn_world_set_gravity_scale(p.world, p.ball, 0, NULL));
	go(p.world, 15);
	cairn_key k = cairn_world_body_key(p.world, p.ball);
	CHECK_NEAR(k.position.x, 1, 1e-9);
	CHECK_NEAR(k.position.z, 5, 1e-9);
	CHECK_NEAR(cairn_world_gravity_scale(p.world, p.ball), 0, 0);
	CHECK(cairn_world_set_gravity_scale(p.world, p.ball, -0.5, NULL)); /* it rises */
	go(p.world, 30);
	CHECK_NEAR(cairn_world_body_key(p.world, p.ball).position.z, 5 + 0.5 * 5, 1e-9);
	CHECK(cairn_world_set_type(p.world, p.a, CAIRN_FIXED, NULL));
	CHECK(!cairn_world_set_type(p.world, p.ground, CAIRN_DYNAMIC, &e)); /* a half-space has no mass */
	go(p.world, 3);
	close_place(&p);
}

TEST(joints_come_and_go)
{
	place p;
	REQUIRE(open_place(&p));
	cairn_error e = {0};
	cairn_joint_def d = cairn_default_joint_def();
	d.a = p.ball, d.b = (cairn_body){0, 0}, d.point = v3_make(2, 0, 5); /* a pendulum 2 m long */
	cairn_joint hang = cairn_world_add_joint(p.world, &d, &e);
	REQUIRE(hang.generation);
	for (int i = 0; i < 40; ++i) {
		go(p.world, 1);
		v3 x = cairn_world_body_key(p.world, p.ball).position;
		CHECK_NEAR(v3_distance(x, v3_make(2, 0, 5)), 2, 1e-6);
	}
	CHECK(cairn_world_joint(p.world, hang).force > 0);
	CHECK(!cairn_world_set_pose(p.world, p.ball, at(0, 0, 9), &e) && strstr(e.message, "joint"));
	CHECK(!cairn_world_set_type(p.world, p.ball, CAIRN_FIXED, &e) && strstr(e.message, "joint"));
	CHECK(cairn_world_remove_joint(p.world, hang, &e) && cairn_world_joint(p.world, hang).broken);
	CHECK(!cairn_world_remove_joint(p.world, hang, &e) && *e.message);
	double speed = cairn_world_body_key(p.world, p.ball).velocity.z;
	go(p.world, 3);
	CHECK_NEAR(cairn_world_body_key(p.world, p.ball).velocity.z, speed - 10 * 0.1, 1e-9); /* it flies */
	/* two boxes welded, carried elsewhere together, and let go */
	d = cairn_default_joint_def();
	d.type = CAIRN_WELD, d.a = p.a, d.b = p.b, d.point = v3_make(1.5, 0, 0.5), d.collide = true;
	cairn_joint weld = cairn_world_add_joint(p.world, &d, &e);
	REQUIRE(weld.generation);
	CHECK(cairn_world_set_pose(p.world, p.a, (cairn_pose){{10, 0, 5}, q_exp(v3_make(0, CN_PI / 2, 0))}, &e));
	v3 b = cairn_world_body_key(p.world, p.b).position;
	CHECK_NEAR(v3_distance(b, v3_make(10, 0, 2)), 0, 1e-9);
	go(p.world, 1);
	CHECK_NEAR(cairn_world_joint(p.world, weld).error, 0, 1e-9);
	go(p.world, 60);
	CHECK(cairn_world_remove_joint(p.world, weld, &e));
	go(p.world, 60);
	d.a = d.b;
	CHECK(!cairn_world_add_joint(p.world, &d, &e).generation && *e.message);
	d.a = (cairn_body){0, 0}, d.b = p.ground;
	CHECK(!cairn_world_add_joint(p.world, &d, &e).generation && *e.message);
	/* copies of the world's scene do without */
	cairn_scene *copy = cairn_scene_copy(cairn_world_scene(p.world));
	CHECK(copy && cairn_scene_joint_count(copy) == 0 && cairn_scene_joint_count(cairn_world_scene(p.world)) == 2);
	cairn_scene_destroy(copy);
	close_place(&p);
}

static void give_all(const place *p, cairn_world *w, int frame)
{
	cairn_joint_def d = cairn_default_joint_def();
	d.a = p->a, d.b = p->b, d.point = v3_make(1.5, 0, 2);
	if (frame == 3)
		CHECK(cairn_world_set_pose(w, p->ball, (cairn_pose){{0.2, 0.1, 3}, q_exp(v3_make(0.3, 0, 0))}, NULL));
	if (frame == 5)
		CHECK(cairn_world_set_mass(w, p->a, 77, NULL) && cairn_world_add_joint(w, &d, NULL).generation);
	if (frame == 8)
		CHECK(cairn_world_set_shape(w, p->b, p->plate, NULL) && cairn_world_set_gravity_scale(w, p->ball, 0.5, NULL));
	if (frame == 12)
		CHECK(cairn_world_set_type(w, p->ball, CAIRN_FIXED, NULL));
	if (frame == 14)
		CHECK(cairn_world_set_type(w, p->ball, CAIRN_DYNAMIC, NULL) && cairn_world_set_filter(w, p->ball, 1, 3, NULL));
	if (frame == 16)
		CHECK(cairn_world_remove_joint(w, (cairn_joint){0, 1}, NULL));
	if (frame == 20)
		CHECK(cairn_world_set_pose(w, p->a, (cairn_pose){{0, 5, 2}, q_exp(v3_make(0.3, 0, 0.2))}, NULL));
}

/* Replays and restored worlds have the same bits; what is recorded certifies, and a resumed run goes on to the same hash. */
TEST(same_bits)
{
	place p;
	REQUIRE(open_place(&p));
	cairn_error e = {0};
	cairn_world *other = yard_world(p.scene, 2), *third = yard_world(p.scene, 1);
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true, def.checkpoint_every = 7;
	cairn_recording *rec = cairn_recording_create("change.cairn", p.world, &def, &e);
	REQUIRE(other && third && rec);
	for (int i = 0; i < 40; ++i) {
		size_t size;
		give_all(&p, p.world, i);
		size_t bytes = cairn_world_snapshot_size(p.world);
		void *snapshot = malloc(bytes);
		REQUIRE(snapshot && cairn_world_snapshot(p.world, snapshot, bytes, NULL));
		CHECK(cairn_world_restore(third, snapshot, bytes, &e));
		CHECK(cairn_world_snapshot_size(third) == bytes);
		free(snapshot);
		cairn_step_report report = cairn_world_step(p.world);
		CHECK_INT(report.status, CAIRN_STEP_OK);
		CHECK(cairn_recording_append(rec, p.world, &report, &e));
		go(third, 1);
		CHECK(cairn_world_hash(third) == cairn_world_hash(p.world));
		const void *inputs = cairn_world_step_inputs(p.world, &size);
		CHECK(cairn_world_replay(other, inputs, size, &e));
		go(other, 1);
		CHECK(cairn_world_hash(other) == cairn_world_hash(p.world));
	}
	CHECK(cairn_recording_finish(rec, &e));
	rec = cairn_recording_open("change.cairn", NULL, &e);
	REQUIRE(rec);
	cairn_certify_result result;
	CHECK(cairn_recording_certify(rec, NULL, &result, &e));
	CHECK_INT(result.certificate.verdict, CAIRN_CLEAN);
	CHECK_INT(cairn_recording_get_info(rec).bodies, 4 + 6); /* two changes at one frame are one new track */
	for (uint32_t frame = 1; frame < 40; frame += 6) {
		cairn_world *again = cairn_recording_world_at(rec, frame, NULL, &e);
		CHECK(again != NULL);
		cairn_world_destroy(again);
	}
	cairn_recording_close(rec);
	remove("change.cairn");
	cairn_world_destroy(other);
	cairn_world_destroy(third);
	close_place(&p);
}

TEST(user_data_stays_with_the_handle)
{
	place p;
	REQUIRE(open_place(&p));
	int mine = 7;
	CHECK(cairn_world_user_data(p.world, p.a) == NULL);
	cairn_world_set_user_data(p.world, p.a, &mine);
	size_t bytes = cairn_world_snapshot_size(p.world);
	void *snapshot = malloc(bytes);
	REQUIRE(snapshot && cairn_world_snapshot(p.world, snapshot, bytes, NULL));
	go(p.world, 3);
	CHECK(cairn_world_set_pose(p.world, p.a, at(-3, 0, 0.5), NULL));
	CHECK(cairn_world_user_data(p.world, p.a) == &mine && cairn_world_pending_inputs(p.world) > 0);
	CHECK(cairn_world_restore(p.world, snapshot, bytes, NULL));
	CHECK(cairn_world_user_data(p.world, p.a) == &mine && cairn_world_user_data(p.world, p.b) == NULL);
	CHECK(cairn_world_remove_body(p.world, p.a, NULL) && cairn_world_user_data(p.world, p.a) == NULL);
	free(snapshot);
	close_place(&p);
}

TEST(bad_input)
{
	place p;
	REQUIRE(open_place(&p));
	cairn_error e = {0};
	uint64_t before = cairn_world_hash(p.world);
	const cairn_body no = {77, 1};
	const double odd[] = {NAN, INFINITY, -1e300, 0};
	CHECK(!cairn_world_set_pose(p.world, no, at(0, 0, 0), &e) && !cairn_world_set_mass(p.world, no, 1, &e));
	CHECK(!cairn_world_set_shape(p.world, no, p.box, &e) && !cairn_world_set_filter(p.world, no, 1, 1, &e));
	CHECK(!cairn_world_set_type(p.world, no, CAIRN_FIXED, &e) && !cairn_world_set_gravity_scale(p.world, no, 1, &e));
	CHECK(!cairn_world_set_mass(p.world, p.ground, 1, &e) && !cairn_world_set_gravity_scale(p.world, p.ground, 1, &e));
	CHECK(!cairn_world_set_shape(p.world, p.a, (cairn_shape){99, 1}, &e) && strstr(e.message, "shape"));
	CHECK(!cairn_world_set_shape(p.world, p.a, cairn_world_body_info(p.world, p.ground).shape, &e) && *e.message);
	for (int i = 0; i < 4; ++i) {
		cairn_pose to = at(20, odd[i], 20);
		CHECK(!cairn_world_set_mass(p.world, p.a, odd[i], &e) && *e.message);
		if (i < 3)
			CHECK(!cairn_world_set_pose(p.world, p.a, to, &e) &&
			      !cairn_world_set_gravity_scale(p.world, p.a, odd[i], &e));
		to = at(20, 20, 20), to.orientation.w = odd[i];
		CHECK(!cairn_world_set_pose(p.world, p.a, to, &e) && strcmp(e.path, "pose.orientation") == 0);
	}
	cairn_joint_def d = cairn_default_joint_def();
	d.a = p.a, d.b = no;
	CHECK(!cairn_world_add_joint(p.world, &d, &e).generation);
	CHECK(!cairn_world_set_type(p.world, p.a, (cairn_body_type)9, &e));
	CHECK(cairn_world_hash(p.world) == before && cairn_world_pending_inputs(p.world) == 0);
	close_place(&p);
}

TEST_MAIN(TEST_CASE(a_pose_is_taken), TEST_CASE(an_overlap_is_refused), TEST_CASE(mass_and_shape),
          TEST_CASE(type_and_weight), TEST_CASE(joints_come_and_go), TEST_CASE(same_bits),
          TEST_CASE(user_data_stays_with_the_handle), TEST_CASE(bad_input))
