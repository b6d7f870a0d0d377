/* What a program hangs on a world beside inputs: a filter that is asked, sensors, marks to draw, another frame time; questions
 * from several threads while nobody steps. */
#include "recording_run.h"
#include "yard.h"

#include <stdatomic.h>
#if !defined(__wasm__)
#include <threads.h>
#endif

static const v3 down = {0, 0, -10};

/* ---- filters */

typedef struct asked {
	uint32_t count;
	cairn_body pairs[64][2];
	cairn_body ghost;
	bool again; /* a pair was asked about twice */
} asked;

/* The ghost passes through all but the ground. */
static bool collide(void *context, const cairn_world *w, cairn_body a, cairn_body b)
{
	asked *k = context;
	for (uint32_t i = 0; i < k->count; ++i)
		k->again |= k->pairs[i][0].index == a.index && k->pairs[i][1].index == b.index;
	if (k->count < 64)
		k->pairs[k->count][0] = a, k->pairs[k->count++][1] = b;
	bool ghost = a.index == k->ghost.index || b.index == k->ghost.index;
	return !ghost || cairn_world_body_info(w, a).type == CAIRN_FIXED || cairn_world_body_info(w, b).type == CAIRN_FIXED;
}

/* A ghost falls through a shelf that hangs on hinges and lands on the ground; a box stops at the shelf. */
static cairn_scene *house(asked *k)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape box = yard_box(s, 0.4, 0.4, 0.4);
	cairn_body shelf = yard_add(s, yard_box(s, 4, 1, 0.2), m, v3_make(0, 0, 2), v3_zero());
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_WELD, d.b = shelf;
	CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
	k->ghost = yard_add(s, box, m, v3_make(-1, 0, 3), v3_zero());
	yard_add(s, box, m, v3_make(1, 0, 3), v3_zero());
	yard_add(s, box, m, v3_make(50, 0, 3), v3_zero());
	return s;
}

TEST(filter_is_asked_once_a_pair)
{
	asked k = {0};
	cairn_scene *s = house(&k);
	cairn_world_def d = cairn_default_world_def();
	d.filter = (cairn_filter){&k, collide};
	cairn_world *w = cairn_world_create(s, &d, NULL), *second = cairn_world_create(s, NULL, NULL);
	cairn_scene_destroy(s);
	REQUIRE(w && second);
	cairn_recording *rec =
		cairn_recording_create("filter.cairn", w, &(cairn_recording_def){cairn_default_allocator(), true, 60}, NULL);
	REQUIRE(rec);
	for (int i = 0; i < 60; ++i) {
		cairn_step_report r = cairn_world_step(w);
		CHECK_INT(r.status, CAIRN_STEP_OK);
		CHECK_INT(r.certificate.verdict, CAIRN_CLEAN);
		CHECK(cairn_recording_append(rec, w, &r, NULL));
		size_t size;
		const void *inputs = cairn_world_step_inputs(w, &size);
		CHECK(cairn_world_replay(second, inputs, size, NULL)); /* nobody is asked there */
		CHECK_INT(cairn_world_step(second).status, CAIRN_STEP_OK);
		CHECK(cairn_world_hash(w) == cairn_world_hash(second));
	}
	CHECK(cairn_recording_finish(rec, NULL));
	CHECK(!k.again);
	CHECK(k.count >= 4 && k.count < 8); /* the box far away meets the ground alone */
	CHECK_NEAR(cairn_world_body_pose(w, k.ghost).position.z, 0.2, 1e-3);
	CHECK_NEAR(cairn_world_body_pose(w, (cairn_body){3, 1}).position.z, 2.3, 1e-3);
	cairn_world_destroy(w);
	cairn_world_destroy(second);
	cairn_certify_result result;
	rec = cairn_recording_open("filter.cairn", NULL, NULL);
	REQUIRE(rec);
	CHECK(cairn_recording_certify(rec, NULL, &result, NULL));
	CHECK_INT(result.certificate.verdict, CAIRN_CLEAN);
	CHECK_INT(result.exempt >= 1, 1);
	cairn_recording_close(rec);
	remove("filter.cairn");
}

/* After a snapshot was put back, what it does not know is asked again. */
TEST(filter_is_asked_anew_after_a_restore)
{
	asked k = {0};
	cairn_scene *s = house(&k);
	cairn_world_def d = cairn_default_world_def();
	d.filter = (cairn_filter){&k, collide};
	cairn_world *w = cairn_world_create(s, &d, NULL);
	cairn_scene_destroy(s);
	REQUIRE(w);
	size_t size = cairn_world_snapshot_size(w);
	void *start = malloc(size);
	CHECK(cairn_world_snapshot(w, start, size, NULL));
	uint64_t hash[2];
	for (int k2 = 0; k2 < 2; ++k2) {
		for (int i = 0; i < 40; ++i)
			CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
		hash[k2] = cairn_world_hash(w);
		CHECK(cairn_world_restore(w, start, size, NULL));
	}
	CHECK(hash[0] == hash[1] && k.again);
	free(start);
	cairn_world_destroy(w);
}

TEST(filter_needs_a_method_that_lets_pass)
{
	asked k = {0};
	cairn_scene *s = yard_scene(down);
	cairn_error e = {0};
	cairn_world_def d = cairn_default_world_def();
	d.filter = (cairn_filter){&k, collide};
	CHECK(cairn_scene_set_option(s, "method", "impulse", NULL));
	CHECK(!cairn_world_create(s, &d, &e));
	CHECK_TEXT(e.path, "filter");
	CHECK(cairn_scene_set_option(s, "method", "free", NULL));
	cairn_world *w = cairn_world_create(s, &d, &e);
	CHECK(w != NULL);
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

/* ---- sensors */

static uint32_t told(const cairn_sensor *s, cairn_visit_kind kind)
{
	uint32_t count, found = 0;
	const cairn_visit *v = cairn_sensor_visits(s, &count);
	for (uint32_t i = 0; i < count; ++i)
		found += v[i].kind == kind;
	return found;
}

TEST(sensor_tells_who_comes_and_goes)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	cairn_body ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.2, 0), m, v3_make(0, 0, 5), v3_zero());
	cairn_shape gate = yard_box(s, 2, 2, 1);
	cairn_world *w = cairn_world_create(s, NULL, NULL);
	cairn_scene_destroy(s);
	cairn_space *space = cairn_space_create(w, NULL);
	cairn_sensor_def d = cairn_default_sensor_def();
	d.shape = gate, d.pose.position.z = 2;
	cairn_sensor *fixed = cairn_sensor_create(w, &d, NULL);
	d.body = ball, d.pose.position.z = 0; /* rides on the ball and does not feel it */
	cairn_sensor *rides = cairn_sensor_create(w, &d, NULL);
	REQUIRE(fixed && rides && space);
	uint32_t begins = 0, ends = 0, lasts = 0;
	for (int i = 0; i < 40; ++i) {
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
		CHECK(cairn_space_update(space, NULL) && cairn_sensor_update(fixed, space, NULL) &&
		      cairn_sensor_update(rides, space, NULL));
		double z = cairn_world_body_pose(w, ball).position.z;
		begins += told(fixed, CAIRN_VISIT_BEGIN), ends += told(fixed, CAIRN_VISIT_END);
		lasts += told(fixed, CAIRN_VISIT_PERSIST);
		CHECK_INT(begins - ends, z > 1.3 && z < 2.7);
		CHECK_INT(told(rides, CAIRN_VISIT_BEGIN), 0);
	}
	CHECK(begins == 1 && ends == 1 && lasts > 2);
	CHECK(cairn_sensor_place(fixed, (cairn_pose){cairn_world_body_pose(w, ball).position, {1, 0, 0, 0}}, NULL));
	CHECK(cairn_sensor_update(fixed, space, NULL));
	CHECK_INT(told(fixed, CAIRN_VISIT_BEGIN), 1);
	CHECK(cairn_world_remove_body(w, ball, NULL) && cairn_space_update(space, NULL));
	CHECK(cairn_sensor_update(fixed, space, NULL) && cairn_sensor_update(rides, space, NULL));
	CHECK_INT(told(fixed, CAIRN_VISIT_END), 1);
	cairn_error e = {0};
	CHECK(!cairn_sensor_place(fixed, (cairn_pose){{0, 0, NAN}, {1, 0, 0, 0}}, &e));
	CHECK_TEXT(e.path, "pose");
	d.shape = (cairn_shape){99, 1};
	CHECK(!cairn_sensor_create(w, &d, &e));
	CHECK_TEXT(e.path, "shape");
	cairn_world_destroy(w);
	cairn_space_destroy(space);
	cairn_sensor_destroy(fixed);
	cairn_sensor_destroy(rides);
	cairn_sensor_destroy(NULL);
}

/* ---- marks */

static uint32_t count_marks(const cairn_mark *marks, uint32_t count, cairn_mark_kind kind)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < count; ++i)
		found += marks[i].kind == kind;
	return found;
}

TEST(marks_show_what_is_there)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body box = yard_add(s, yard_box(s, 1, 2, 0.5), m, v3_make(0, 0, 0.25), v3_zero());
	cairn_body arm = yard_add(s, yard_box(s, 0.2, 0.2, 1), m, v3_make(3, 0, 3), v3_zero());
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_HINGE, d.b = arm, d.point = v3_make(3, 0, 3.5), d.axis = v3_make(0, 1, 0);
	CHECK(cairn_scene_add_joint(s, &d, NULL).generation);
	cairn_world *w = cairn_world_create(s, NULL, NULL);
	cairn_scene_destroy(s);
	REQUIRE(w);
	for (int i = 0; i < 5; ++i)
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
	static cairn_mark marks[256];
	uint32_t count = cairn_world_marks(w, NULL, marks, 256), contacts = cairn_world_contacts(w, NULL, 0);
	REQUIRE(count <= 256 && contacts >= 4);
	CHECK_INT(cairn_world_marks(w, NULL, NULL, 0), count);
	CHECK_INT(count_marks(marks, count, CAIRN_MARK_BOX), 24); /* twelve edges each, none of the ground */
	CHECK_INT(count_marks(marks, count, CAIRN_MARK_CENTER), 2);
	CHECK_INT(count_marks(marks, count, CAIRN_MARK_AXIS), 6);
	CHECK_INT(count_marks(marks, count, CAIRN_MARK_CONTACT), contacts);
	CHECK_INT(count_marks(marks, count, CAIRN_MARK_NORMAL), contacts);
	CHECK_INT(count_marks(marks, count, CAIRN_MARK_GAP), contacts);
	CHECK_INT(count_marks(marks, count, CAIRN_MARK_JOINT), 1);
	CHECK_INT(count_marks(marks, count, CAIRN_MARK_HINGE), 1);
	double edges = 0, pressed = 0;
	for (uint32_t i = 0; i < count; ++i) {
		edges += marks[i].kind == CAIRN_MARK_BOX && marks[i].a.index == box.index
		             ? v3_distance(marks[i].from, marks[i].to)
		             : 0;
		pressed += marks[i].kind == CAIRN_MARK_IMPULSE ? fabs(marks[i].to.z - marks[i].from.z) : 0;
		if (marks[i].kind == CAIRN_MARK_HINGE)
			CHECK(v3_distance(marks[i].from, v3_make(3, -0.2, 3.5)) < 1e-9);
	}
	CHECK_NEAR(edges, 4 * 3.5, 1e-5);
	CHECK_NEAR(pressed, 0.1 * 10 / 30, 1e-6); /* seconds x weight x frame / mass */
	cairn_marks_def some = cairn_default_marks_def();
	some.kinds = 1u << CAIRN_MARK_CENTER;
	CHECK_INT(cairn_world_marks(w, &some, marks, 256), 2);
	cairn_world_destroy(w);
}

/* ---- frame time */

/* A fall at 30 frames a second, then at 120, then at 24: each frame is where it should be at its time; scripts keep theirs. */
TEST(frame_time_may_change)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0);
	cairn_body ball = yard_add(s, yard_round(s, CAIRN_SPHERE, 0.2, 0), m, v3_make(0, 0, 50), v3_zero());
	cairn_body_def lift = yard_body(yard_box(s, 1, 1, 1), m, v3_make(9, 0, 0));
	const cairn_script_key keys[2] = {{0, {{9, 0, 0}, {1, 0, 0, 0}}}, {2, {{9, 0, 8}, {1, 0, 0, 0}}}};
	lift.type = CAIRN_SCRIPTED, lift.keys = keys, lift.key_count = 2;
	cairn_body up = cairn_scene_add_body(s, &lift, NULL);
	cairn_world *w = cairn_world_create(s, NULL, NULL);
	cairn_scene_destroy(s);
	REQUIRE(w);
	cairn_recording_def rd = cairn_default_recording_def();
	rd.replace = true, rd.checkpoint_every = 10;
	cairn_recording *rec = cairn_recording_create("fps.cairn", w, &rd, NULL);
	REQUIRE(rec);
	cairn_error e = {0};
	const double rates[3] = {30, 120, 24};
	double time = 0, times[46] = {0};
	uint64_t middle = 0;
	for (int i = 0; i < 45; ++i) {
		if (i % 15 == 0 && i)
			CHECK(cairn_world_set_fps(w, rates[i / 15], NULL));
		cairn_step_report r = cairn_world_step(w);
		CHECK_INT(r.status, CAIRN_STEP_OK);
		time += 1 / rates[i / 15];
		CHECK_NEAR(cairn_world_time(w), time, 1e-12);
		CHECK_NEAR(r.time, time, 1e-12);
		CHECK_NEAR(cairn_world_body_key(w, ball).time, time, 1e-12);
		CHECK_NEAR(cairn_world_body_pose(w, ball).position.z, 50 - 5 * time * time, 1e-9);
		CHECK_NEAR(cairn_world_body_pose(w, up).position.z, time < 2 ? 4 * time : 8, 1e-9);
		CHECK(cairn_recording_append(rec, w, &r, NULL));
		times[i + 1] = cairn_world_time(w);
		middle = i == 36 ? cairn_world_hash(w) : middle;
	}
	CHECK(cairn_recording_finish(rec, NULL));
	CHECK(!cairn_recording_create("late.cairn", w, &rd, &e)); /* of another frame time than the scene's */
	CHECK(cairn_world_set_fps(w, 30, NULL) && cairn_world_step(w).status == CAIRN_STEP_OK);
	rec = cairn_recording_create("late.cairn", w, &rd, &e); /* at a time that is not the frame's number over fps */
	REQUIRE(rec);
	cairn_step_report last = cairn_world_step(w);
	CHECK(cairn_recording_append(rec, w, &last, NULL) && cairn_recording_finish(rec, NULL));
	CHECK(!cairn_world_set_fps(w, 0, &e));
	CHECK_TEXT(e.path, "fps");
	cairn_world_destroy(w);
	rec = cairn_recording_open("fps.cairn", NULL, NULL);
	REQUIRE(rec);
	cairn_recording *late = cairn_recording_open("late.cairn", NULL, NULL);
	cairn_frame f;
	REQUIRE(late);
	CHECK(cairn_recording_read(late, 47, &f, NULL) && f.time == last.time);
	CHECK(!cairn_recording_get_info(late).damaged);
	cairn_recording_close(late);
	for (uint32_t i = 0; i <= 45; ++i)
		CHECK(cairn_recording_read(rec, i, &f, NULL) && f.time == times[i]);
	remove("late.cairn");
	cairn_certify_result result;
	CHECK(cairn_recording_certify(rec, NULL, &result, NULL) && result.certificate.verdict == CAIRN_CLEAN);
	w = cairn_recording_world_at(rec, 37, NULL, &e); /* from the checkpoint at 30, after the first change */
	REQUIRE(w);
	CHECK(cairn_world_hash(w) == middle);
	CHECK_NEAR(cairn_scene_settings(cairn_world_scene(w)).fps, 24, 0);
	cairn_world_destroy(w);
	cairn_recording_close(rec);
	remove("fps.cairn");
}

/* ---- threads that ask */

#if !defined(__wasm__)
typedef struct reader {
	const cairn_world *world;
	const cairn_space *space;
	_Atomic uint64_t *sum;
} reader;

/* All that reads a world and a space. */
static int read_all(void *context)
{
	const reader *r = context;
	static const cairn_query *const nobody = NULL;
	uint64_t sum = 0;
	for (int i = 0; i < 50; ++i) {
		cairn_hit hit;
		cairn_body bodies[32];
		cairn_pose poses[32];
		cairn_gap gap;
		sum += cairn_space_ray(r->space, (cairn_ray){{0, 0, 9}, {0.01 * i, 0, -20}}, nobody, &hit);
		sum += cairn_space_box(r->space, (cairn_box){{-1, -1, -1}, {1, 1, 0.04 * i}}, nobody, bodies, 32);
		sum += cairn_world_contacts(r->world, NULL, 0) + cairn_world_impacts(r->world, NULL, 0);
		sum += cairn_world_poses(r->world, poses, 32) + cairn_world_marks(r->world, NULL, NULL, 0);
		sum += cairn_world_hash(r->world) + cairn_world_snapshot_size(r->world);
		sum += cairn_world_gap(r->world, (cairn_body){1, 1}, (cairn_body){2, 1}, &gap);
		sum += cairn_world_find_body(r->world, "none").index + cairn_world_body_asleep(r->world, (cairn_body){1, 1});
	}
	atomic_fetch_add(r->sum, sum);
	return 0;
}

/* Any number of threads may read a world that nobody steps: each hears the same. Under the thread sanitizer no race. */
TEST(many_threads_read_at_once)
{
	cairn_scene *s = yard_scene(down);
	cairn_material m = yard_material(s, 0, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	for (int i = 0; i < 8; ++i)
		yard_add(s, yard_box(s, 1, 1, 1), m, v3_make(0.01 * i, 0, 0.5 + 1.001 * i), v3_zero());
	cairn_world *w = cairn_world_create(s, NULL, NULL);
	cairn_scene_destroy(s);
	REQUIRE(w);
	cairn_space *space = cairn_space_create(w, NULL);
	for (int frame = 0; frame < 3; ++frame) {
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
		CHECK(cairn_space_update(space, NULL));
		_Atomic uint64_t one = 0, four = 0;
		reader alone = {w, space, &one}, together = {w, space, &four};
		(void)read_all(&alone);
		thrd_t threads[4];
		for (int i = 0; i < 4; ++i)
			REQUIRE(thrd_create(&threads[i], read_all, &together) == thrd_success);
		for (int i = 0; i < 4; ++i)
			CHECK(thrd_join(threads[i], NULL) == thrd_success);
		CHECK(atomic_load(&four) == 4 * atomic_load(&one));
	}
	cairn_space_destroy(space);
	cairn_world_destroy(w);
}
#define THREADS TEST_CASE(many_threads_read_at_once)
#else
#define THREADS TEST_CASE(marks_show_what_is_there)
#endif

TEST_MAIN(TEST_CASE(filter_is_asked_once_a_pair), TEST_CASE(filter_is_asked_anew_after_a_restore),
          TEST_CASE(filter_needs_a_method_that_lets_pass), TEST_CASE(sensor_tells_who_comes_and_goes),
          TEST_CASE(marks_show_what_is_there), TEST_CASE(frame_time_may_change), THREADS)
