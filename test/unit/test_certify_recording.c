/* The certificate of a recording, and that of a step: the same frames, from their keys. Recordings are made by the
 * method `free`, which lets bodies pass through each other, and by putting frames of one world into the file of
 * another. */
#include "recording_run.h"

#include "ledger.h"

#include "step/stages.h"

#include <stddef.h>

#define PATH "certify_test.cairn"

typedef struct setup {
	double gap, speed; /* of the second cube: how far from the first, how fast toward it (m a frame) */
	bool wall;         /* a thin wall between them, in the middle */
} setup;

static cairn_scene *make_pair(setup u)
{
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_error error = {0};
	bool ok = cairn_scene_set_option(scene, "method", "free", &error) &&
	          cairn_scene_set_option(scene, "gravity", "0,0,0", &error) &&
	          cairn_scene_set_option(scene, "fps", "32", &error);
	cairn_shape_def cube = cairn_default_shape_def(CAIRN_BOX), sheet = cube;
	cube.size = (cairn_vec3){1, 1, 1}, sheet.size = (cairn_vec3){0.01, 4, 4};
	cairn_body_def body = cairn_default_body_def();
	body.shape = cairn_scene_add_shape(scene, &cube, &error);
	body.name = "left";
	ok = ok && cairn_scene_add_body(scene, &body, &error).generation;
	body.name = "right";
	body.pose.position.x = 1 + u.gap;
	body.velocity.x = -u.speed * 32;
	ok = ok && cairn_scene_add_body(scene, &body, &error).generation;
	if (u.wall) {
		body = cairn_default_body_def();
		body.name = "wall";
		body.type = CAIRN_FIXED;
		body.shape = cairn_scene_add_shape(scene, &sheet, &error);
		body.pose.position.x = 0.5 * (1 + u.gap);
		ok = ok && cairn_scene_add_body(scene, &body, &error).generation;
	}
	CHECK(ok);
	return scene;
}

static cairn_world *world_of(setup u)
{
	cairn_error error = {0};
	cairn_scene *scene = make_pair(u);
	cairn_world *world = cairn_world_create(scene, NULL, &error);
	if (!world)
		printf("no world: %s\n", error.message);
	cairn_scene_destroy(scene);
	return world;
}

/* Frames 0 to last; those from swap on are of the other world, which runs beside. */
static void write_frames(setup u, uint32_t last, const setup *other, uint32_t swap)
{
	cairn_error error = {0};
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	cairn_world *world = world_of(u), *second = other ? world_of(*other) : NULL;
	REQUIRE(world && (second || !other));
	cairn_recording *rec = cairn_recording_create(PATH, world, &def, &error);
	REQUIRE(rec);
	for (uint32_t i = 1; i <= last; ++i) {
		cairn_step_report report = cairn_world_step(world), beside = {0};
		if (second)
			beside = cairn_world_step(second);
		bool swapped = second && i >= swap;
		CHECK(cairn_recording_append(rec, swapped ? second : world, swapped ? &beside : &report, &error));
	}
	CHECK(cairn_recording_finish(rec, &error));
	cairn_world_destroy(world);
	cairn_world_destroy(second);
}

static cairn_certify_result certify(const cairn_certify_def *def)
{
	cairn_error error = {0};
	cairn_certify_result result = {0};
	cairn_recording *rec = cairn_recording_open(PATH, NULL, &error);
	CHECK(rec);
	if (rec && !cairn_recording_certify(rec, def, &result, &error)) {
		++test_failures;
		printf("certify: %s: %s\n", error.path, error.message);
	}
	cairn_recording_close(rec);
	return result;
}

TEST(touching_is_clean)
{
	write_frames((setup){.gap = 0}, 3, NULL, 0);
	cairn_certify_result r = certify(NULL);
	CHECK_INT(r.certificate.verdict, CAIRN_CLEAN);
	CHECK(r.frames == 4 && r.bodies == 2 && r.exempt == 0);
	CHECK(r.certificate.pairs == 4 && r.certificate.intervals == 3); /* the first frame has poses only */
	CHECK(r.certificate.overlaps == 0 && r.certificate.passages == 0);
	CHECK_NEAR(r.certificate.min_gap, 0, r.certificate.rounding_bound);
	CHECK(r.certificate.rounding_bound > 0 && r.certificate.rounding_bound < 1e-12);
	CHECK(r.min_gap_frame == 0 && r.min_gap_pair[0] == 0 && r.min_gap_pair[1] == 1);
	CHECK(r.first_frame == UINT32_MAX);
}

TEST(nudge)
{
	/* touching at frame 0, moving into each other by 1e-6 of the edge a frame */
	write_frames((setup){.gap = 0, .speed = 1e-6}, 1, NULL, 0);
	cairn_certify_result r = certify(NULL);
	CHECK_INT(r.certificate.verdict, CAIRN_OVERLAP);
	CHECK(r.certificate.overlaps == 1 && r.certificate.passages == 0 && r.certificate.intervals == 0);
	CHECK(r.first_frame == 1 && r.first_pair[0] == 0 && r.first_pair[1] == 1);
	CHECK_NEAR(r.first_depth, 1e-6, 1e-12);
	CHECK_NEAR(r.first_time, 1.0 / 32, 1e-15);
	CHECK_NEAR(r.certificate.min_gap, -1e-6, 1e-12);
	CHECK(r.min_gap_frame == 1);
	/* one frame is nudged, those before and after are not */
	setup nudged = {.gap = -1e-6};
	write_frames((setup){.gap = 1e-3}, 6, &nudged, 6);
	r = certify(NULL);
	CHECK(r.certificate.overlaps == 1 && r.first_frame == 6 && r.certificate.intervals == 5);
}

TEST(skipped_frame)
{
	/* the wall is fixed at x = 2; the one that comes is at 3.2 and then, where a frame is missing, at 1.1 */
	setup slow = {.gap = 3, .speed = 0.1, .wall = true}, fast = {.gap = 3, .speed = 0.45, .wall = true};
	write_frames(slow, 6, NULL, 0);
	cairn_certify_result r = certify(NULL);
	CHECK_INT(r.certificate.verdict, CAIRN_CLEAN);
	write_frames(slow, 6, &fast, 6);
	r = certify(NULL);
	CHECK_INT(r.certificate.verdict, CAIRN_PASSAGE);
	CHECK(r.certificate.passages == 1 && r.certificate.overlaps == 0);
	CHECK(r.first_frame == 6 && r.first_pair[0] == 1 && r.first_pair[1] == 2);
	CHECK(r.first_time > 5.0 / 32 && r.first_time < 6.0 / 32 && r.first_depth > 0);
	/* outside of the range it is not seen */
	cairn_certify_def def = cairn_default_certify_def();
	def.to = 5;
	r = certify(&def);
	CHECK(r.certificate.verdict == CAIRN_CLEAN && r.frames == 6);
	def.from = 6, def.to = 6;
	r = certify(&def);
	CHECK(r.certificate.verdict == CAIRN_CLEAN && r.frames == 1 && r.certificate.intervals == 0);
	def.from = 5;
	r = certify(&def);
	CHECK(r.certificate.verdict == CAIRN_PASSAGE && r.frames == 2);
}

static bool stop_at(void *context, uint32_t frame, uint32_t total)
{
	uint32_t *seen = context;
	CHECK(frame == *seen + 1 && total == 7);
	*seen = frame;
	return frame < 4;
}

TEST(ranges_and_progress)
{
	cairn_error error = {0};
	cairn_certify_result r;
	write_frames((setup){.gap = 1}, 6, NULL, 0);
	cairn_recording *rec = cairn_recording_open(PATH, NULL, &error);
	REQUIRE(rec);
	static const uint32_t ranges[][2] = {{0, 7}, {7, UINT32_MAX}, {4, 3}};
	for (size_t i = 0; i < CN_COUNT(ranges); ++i) {
		cairn_certify_def def = cairn_default_certify_def();
		def.from = ranges[i][0], def.to = ranges[i][1];
		CHECK(!cairn_recording_certify(rec, &def, &r, &error));
		CHECK_INT(error.code, CAIRN_USAGE);
	}
	uint32_t seen = 0;
	cairn_certify_def def = cairn_default_certify_def();
	def.progress = stop_at, def.context = &seen;
	CHECK(!cairn_recording_certify(rec, &def, &r, &error));
	CHECK(seen == 4 && error.code == CAIRN_FAILED);
	CHECK_TEXT(error.message, "stopped");
	cairn_recording_close(rec);
}

/* Keys inside frames, bodies that come, go and are put in, shapes added on the way. */
TEST(a_bit_of_everything)
{
	REQUIRE(record(PATH, 4, 50, 20));
	cairn_certify_def def = cairn_default_certify_def();
	cairn_certify_result one, three;
	def.threads = 1;
	one = certify(&def);
	def.threads = 3;
	three = certify(&def);
	CHECK_INT(one.certificate.verdict, CAIRN_CLEAN);
	CHECK(one.frames == 51 && one.bodies == 14);
	CHECK_INT(one.exempt, 3); /* the floor, the post, the mover: among themselves */
	CHECK(memcmp(&one, &three, offsetof(cairn_certify_result, measured)) == 0 && one.measured == three.measured);
}

TEST(memory)
{
	ledger l = {0};
	cairn_certify_def def = cairn_default_certify_def();
	def.allocator = (cairn_allocator){&l, ledger_resize};
	def.threads = 1;
	cairn_error error = {0};
	cairn_certify_result r;
	write_frames((setup){.gap = 0, .wall = false}, 4, NULL, 0);
	cairn_recording *rec = cairn_recording_open(PATH, NULL, &error);
	REQUIRE(rec);
	bool whole = false;
	for (size_t allowed = 0; !whole && allowed < 200; ++allowed) {
		ledger_allow(&l, allowed);
		whole = cairn_recording_certify(rec, &def, &r, &error);
		CHECK(whole || error.code == CAIRN_MEMORY);
		CHECK_INT(l.bytes, 0);
	}
	CHECK(whole && r.certificate.verdict == CAIRN_CLEAN);
	cairn_recording_close(rec);
}

/* ---- in the step */

/* A frame of free motion with the certificate behind it. */
static cairn_step_report step_certified(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);
	cn_stage(w, &f, "events", cn_events_apply);
	cn_stage(w, &f, "forces", cn_forces_apply);
	cn_stage(w, &f, "motion", cn_motion_free);
	cn_stage(w, &f, "certify", cn_certify);
	return cn_frame_end(w, &f);
}

TEST(step_refuses)
{
	/* near in the third frame, inside in the fourth */
	cairn_world *w = world_of((setup){.gap = 0.4, .speed = 0.13});
	REQUIRE(w);
	for (uint32_t i = 1; i <= 3; ++i) {
		cairn_step_report r = step_certified(w);
		CHECK(r.status == CAIRN_STEP_OK && r.certificate.verdict == CAIRN_CLEAN && r.frame == i);
		CHECK(r.certificate.pairs == (i == 3) && r.certificate.intervals == (i == 3));
	}
	uint64_t hash = cairn_world_hash(w);
	for (int again = 0; again < 2; ++again) {
		cairn_step_report r = step_certified(w);
		CHECK(r.status == CAIRN_STEP_UNCERTIFIED && r.certificate.verdict == CAIRN_OVERLAP && r.frame == 3);
		CHECK(r.pair_a.index == 0 && r.pair_b.index == 1 && r.pair_b.generation);
		CHECK(cairn_world_hash(w) == hash);
	}
	/* once it is out of the way the rest goes on */
	CHECK(cairn_world_remove_body(w, cairn_world_find_body(w, "left"), NULL));
	cairn_step_report r = step_certified(w);
	CHECK(r.status == CAIRN_STEP_OK && r.certificate.verdict == CAIRN_CLEAN && r.certificate.pairs == 0);
	cairn_world_destroy(w);
}

TEST(step_sees_passages)
{
	setup through = {.gap = 3, .speed = 3.5, .wall = true}; /* and through the other cube */
	cairn_world *w = world_of(through);
	REQUIRE(w);
	cairn_step_report r = step_certified(w);
	CHECK(r.status == CAIRN_STEP_UNCERTIFIED && r.certificate.passages + r.certificate.overlaps == 2);
	CHECK(r.pair_a.index == 1 && r.pair_b.index == 2); /* the wall comes first */
	cairn_world_destroy(w);
	through.speed = 6; /* beyond both */
	for (int off = 0; off < 2; ++off) {
		w = world_of(through);
		REQUIRE(w);
		CHECK(cairn_scene_set_option(w->scene, "certify", off ? "off" : "keys", NULL));
		r = step_certified(w);
		CHECK(r.status == CAIRN_STEP_OK && r.certificate.intervals == 0 && (r.certificate.pairs == 0) == (off != 0));
		CHECK_INT(r.certificate.verdict, off ? CAIRN_UNCHECKED : CAIRN_CLEAN); /* at the keys all is well */
		cairn_world_destroy(w);
	}
}

TEST(step_and_inputs)
{
	/* everything that can happen to a world between frames, and a snapshot taken back */
	cairn_world *w = make_world(NULL, 4);
	REQUIRE(w);
	size_t size = 0;
	uint8_t *snapshot = NULL;
	uint64_t pairs[51] = {0};
	for (int round = 0; round < 2; ++round) {
		while (cairn_world_frame(w) < 50) {
			uint32_t frame = cairn_world_frame(w);
			if (frame == 22 && round == 0) {
				size = cairn_world_snapshot_size(w);
				snapshot = malloc(size);
				CHECK(cairn_world_snapshot(w, snapshot, size, NULL));
			}
			CHECK(give_inputs(w, frame));
			cairn_step_report r = step_certified(w);
			CHECK(r.status == CAIRN_STEP_OK && r.certificate.verdict == CAIRN_CLEAN);
			if (r.status != CAIRN_STEP_OK)
				break;
			CHECK(round == 0 || pairs[frame] == r.certificate.pairs);
			pairs[frame] = r.certificate.pairs;
		}
		CHECK_INT(cairn_world_frame(w), 50);
		if (round == 0)
			CHECK(cairn_world_restore(w, snapshot, size, NULL));
	}
	free(snapshot);
	cairn_world_destroy(w);
}

TEST(step_sees_what_was_put_in)
{
	cairn_world *w = world_of((setup){.gap = 1});
	REQUIRE(w);
	CHECK(step_certified(w).status == CAIRN_STEP_OK);
	cairn_body_def body = cairn_default_body_def();
	body.name = "late";
	body.shape = (cairn_shape){0, 1};
	body.pose.position = (cairn_vec3){0.2, 0.3, 0.999999};
	CHECK(cairn_world_add_body(w, &body, NULL).generation);
	cairn_step_report r = step_certified(w);
	CHECK(r.status == CAIRN_STEP_UNCERTIFIED && r.certificate.overlaps == 2);
	CHECK(r.pair_a.index == 0 && r.pair_b.index == 2);
	cairn_world_destroy(w);
}

TEST(step_memory)
{
	ledger l = {0};
	cairn_world_def def = cairn_default_world_def();
	def.allocator = (cairn_allocator){&l, ledger_resize};
	def.threads = 1;
	cairn_scene *scene = make_pair((setup){.gap = 0.1, .wall = false});
	bool whole = false;
	for (size_t allowed = 0; !whole && allowed < 100; ++allowed) {
		l.fail_at = 0;
		cairn_world *w = cairn_world_create(scene, &def, NULL);
		REQUIRE(w);
		ledger_allow(&l, allowed);
		cairn_step_report r = step_certified(w);
		whole = r.status == CAIRN_STEP_OK;
		CHECK(whole || (r.status == CAIRN_STEP_MEMORY && r.frame == 0));
		l.fail_at = 0;
		CHECK(step_certified(w).status == CAIRN_STEP_OK); /* with memory it goes on from there */
		cairn_world_destroy(w);
		CHECK_INT(l.bytes, 0);
	}
	CHECK(whole);
	cairn_scene_destroy(scene);
}

TEST_MAIN(TEST_CASE(touching_is_clean), TEST_CASE(nudge), TEST_CASE(skipped_frame), TEST_CASE(ranges_and_progress),
          TEST_CASE(a_bit_of_everything), TEST_CASE(memory), TEST_CASE(step_refuses), TEST_CASE(step_sees_passages),
          TEST_CASE(step_and_inputs), TEST_CASE(step_sees_what_was_put_in), TEST_CASE(step_memory))
