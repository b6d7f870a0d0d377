/* Servos whose target goes through keys: how closely they follow, in snapshots, until a program sets them; and BVH files. */
#include "io/bvh_read.h"
#include "yard.h"

#include <stdlib.h>
#include <string.h>

static const v3 down = {0, 0, -10};

static cairn_joint_def door(cairn_scene *s, const cairn_target_key *keys, uint32_t count)
{
	cairn_material m = yard_material(s, 0.3, 0);
	cairn_body_def def = yard_body(yard_box(s, 1, 0.1, 0.5), m, v3_make(0.5, 0, 0));
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_HINGE, d.b = cairn_scene_add_body(s, &def, NULL), d.axis = v3_make(0, 1, 0);
	d.motor = CAIRN_MOTOR_KEYS, d.keys = keys, d.key_count = count;
	d.stiffness = 1e7, d.damping = 1e5, d.most = 1e30;
	return d;
}

static const cairn_target_key keys[] = {{0.5, 0}, {1, 0.8}, {2, -0.4}};

static double wanted(double time)
{
	return time < 0.5 ? 0 : time < 1 ? 1.6 * (time - 0.5) : time < 2 ? 0.8 - 1.2 * (time - 1) : -0.4;
}

TEST(a_stiff_servo_is_where_its_keys_are)
{
	cairn_scene *s = yard_scene(down);
	cairn_joint_def d = door(s, keys, 3);
	cairn_joint j = cairn_scene_add_joint(s, &d, NULL);
	CHECK(j.generation);
	cairn_world *w = cairn_world_create(s, NULL, NULL);
	for (int i = 1; i <= 75; ++i) {
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
		/* It sags by weight over stiffness, and needs some hundredths of a second where the speed of the keys changes. */
		double time = i / 30., off = fabs(cairn_world_joint(w, j).position - wanted(time));
		CHECK(off < 2e-4 ||
		      (off < 5e-3 && (fabs(time - 0.55) < 0.06 || fabs(time - 1.05) < 0.06 || fabs(time - 2.05) < 0.06)));
	}
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
}

TEST(keys_go_on_after_a_snapshot_and_end_where_a_servo_is_set)
{
	cairn_scene *s = yard_scene(down);
	cairn_joint_def d = door(s, keys, 3);
	cairn_joint j = cairn_scene_add_joint(s, &d, NULL);
	cairn_world *w = cairn_world_create(s, NULL, NULL), *again = cairn_world_create(s, NULL, NULL);
	for (int i = 0; i < 25; ++i)
		cairn_world_step(w);
	size_t size = cairn_world_snapshot_size(w);
	void *bytes = malloc(size);
	CHECK(cairn_world_snapshot(w, bytes, size, NULL) && cairn_world_restore(again, bytes, size, NULL));
	for (int i = 0; i < 25; ++i) {
		cairn_world_step(w);
		cairn_world_step(again);
		CHECK(cairn_world_joint(w, j).position == cairn_world_joint(again, j).position);
	}
	cairn_servo servo = {.target = 0.3, .stiffness = 1e7, .damping = 1e5, .most = 1e30};
	CHECK(cairn_world_set_servo(w, j, &servo, NULL));
	for (int i = 0; i < 20; ++i)
		cairn_world_step(w);
	CHECK(fabs(cairn_world_joint(w, j).position - 0.3) < 1e-3);
	cairn_error e = {0};
	CHECK(!cairn_world_set_motor(w, j, CAIRN_MOTOR_KEYS, 0, 1, &e));
	CHECK_HAS(e.message, "the keys of a servo are those of its scene");
	free(bytes);
	cairn_world_destroy(w);
	cairn_world_destroy(again);
	cairn_scene_destroy(s);
}

TEST(bad_keys_are_refused)
{
	static const cairn_target_key late[] = {{1, 0}, {1, 1}}, nan[] = {{0, NAN}}, before[] = {{-1, 0}};
	static const struct {
		const cairn_target_key *keys;
		uint32_t count;
		const char *says;
	} bad[] = {{NULL, 0, "there are no keys"},
	           {late, 2, "key 1 is at 1 s; times rise"},
	           {nan, 1, "key 0 has the value"},
	           {before, 1, "key 0 is at -1 s"}};
	cairn_scene *s = yard_scene(down);
	for (size_t i = 0; i < CN_COUNT(bad); ++i) {
		cairn_joint_def d = door(s, bad[i].keys, bad[i].count);
		cairn_error e = {0};
		CHECK(!cairn_scene_add_joint(s, &d, &e).generation);
		CHECK_TEXT(e.path, "motor.keys");
		CHECK_HAS(e.message, bad[i].says);
	}
	cairn_scene_destroy(s);
}

#define HEAD                                                                                                           \
	"HIERARCHY\nROOT Hip\n{\n OFFSET 0 0 0\n CHANNELS 2 Yposition Xrotation\n End Site\n {\n  OFFSET 0 1 0\n }\n}\n"

TEST(bvh_files)
{
	static const struct {
		const char *text, *says;
	} bad[] = {{"", "where \"HIERARCHY\" is expected"},
	           {"HIERARCHY\nROOT a\n{\n", "the file ends before its MOTION"},
	           {"HIERARCHY\n}\n", "a brace closes that was not opened"},
	           {"HIERARCHY\nCHANNELS 1 X\n", "channels before any joint"},
	           {"HIERARCHY\nROOT a\nCHANNELS 7 X\n", "a joint with 7 channels"},
	           {"HIERARCHY\nBONE a\n", "\"BONE\" is no word of a BVH's hierarchy"},
	           {HEAD "MOTION\nFrames: 0\nFrame Time: 1\n", "0 frames"},
	           {HEAD "MOTION\nFrames: 1\nFrame Time: 0\n1 2\n", "a frame takes 0 s"},
	           {HEAD "MOTION\nFrames: 1\nFrame Time: 1\n1 nan\n", "nan"},
	           {HEAD "MOTION\nFrames: 2\nFrame Time: 1\n1 2 3\n", "Hip Xrotation"},
	           {HEAD "MOTION\nFrames: 900000\nFrame Time: 1\n1 2\n", "the file ends before its 900000 frames"}};
	cairn_allocator allocator = cairn_default_allocator();
	cn_arena arena = cn_arena_make(&allocator);
	cn_bvh b;
	cairn_error e = {0};
	const char *good = HEAD "MOTION\nFrames: 2\nFrame Time: 0.25\n1 2\n3 4\n";
	CHECK(cn_bvh_read(good, strlen(good), "good.bvh", &arena, &b, &e));
	CHECK_INT(b.channel_count, 2);
	CHECK_TEXT(b.channels[1], "Hip Xrotation");
	CHECK(b.frame_count == 2 && b.frame_time == 0.25 && b.values[1] == 2 && b.values[2] == 3);
	for (size_t i = 0; i < CN_COUNT(bad); ++i) {
		e = (cairn_error){0};
		CHECK(!cn_bvh_read(bad[i].text, strlen(bad[i].text), "bad.bvh", &arena, &b, &e));
		CHECK_HAS(e.message, bad[i].says);
	}
	cn_arena_free(&arena);
}

TEST_MAIN(TEST_CASE(a_stiff_servo_is_where_its_keys_are),
          TEST_CASE(keys_go_on_after_a_snapshot_and_end_where_a_servo_is_set), TEST_CASE(bad_keys_are_refused),
          TEST_CASE(bvh_files))
