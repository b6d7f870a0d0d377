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

static const cairn_target_key keys[] = {
	{.time = 0.5, .value = 0}, {.time = 1, .value = 0.8}, {.time = 2, .value = -0.4}};

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
	static const cairn_target_key late[] = {{.time = 1}, {.time = 1, .value = 1}}, nan[] = {{.value = NAN}},
								  before[] = {{.time = -1}}, far[] = {{.turn = {0, 0, 3.2}}},
								  no[] = {{.turn = {NAN, 0, 0}}};
	static const struct {
		const cairn_target_key *keys;
		uint32_t count;
		cairn_joint_type type;
		const char *says;
	} bad[] = {{NULL, 0, CAIRN_HINGE, "there are no keys"},
	           {late, 2, CAIRN_HINGE, "key 1 is at 1 s; times rise"},
	           {nan, 1, CAIRN_HINGE, "key 0 has the value"},
	           {before, 1, CAIRN_HINGE, "key 0 is at -1 s"},
	           {far, 1, CAIRN_BALL, "key 0 has the target (0, 0, 3.2); give a rotation vector"},
	           {no, 1, CAIRN_BALL, "key 0 has the target (nan, 0, 0)"},
	           {late, 2, CAIRN_BALL, "key 1 is at 1 s"}};
	cairn_scene *s = yard_scene(down);
	for (size_t i = 0; i < CN_COUNT(bad); ++i) {
		cairn_joint_def d = door(s, bad[i].keys, bad[i].count);
		d.type = bad[i].type;
		cairn_error e = {0};
		CHECK(!cairn_scene_add_joint(s, &d, &e).generation);
		CHECK_TEXT(e.path, "motor.keys");
		CHECK_HAS(e.message, bad[i].says);
	}
	cairn_scene_destroy(s);
}

/* ---- balls */

static const cairn_target_key turns[] = {
	{.time = 0.5}, {.time = 1, .turn = {0.4, -0.3, 0.9}}, {.time = 2, .turn = {-0.6, 1.1, 0.2}}};

/* From key to key about one axis. */
static quat wanted_turn(double time)
{
	quat from = q_exp(turns[time < 1 ? 0 : 1].turn), to = q_exp(turns[time < 1 ? 1 : 2].turn);
	double share = time < 0.5 ? 0 : time < 1 ? 2 * time - 1 : time < 2 ? time - 1 : 1;
	return q_mul(from, q_exp(v3_scale(q_log(q_mul(q_conj(from), to)), share)));
}

/* A box on a ball to the world, as its side a or b; loop: two more bodies hang on it in a ring. */
static cairn_scene *led(bool side_a, bool loop, cairn_body *body, cairn_joint *joint)
{
	cairn_scene *s = yard_scene(down);
	cairn_joint_def d = door(s, turns, 3);
	d.type = CAIRN_BALL, *body = d.b;
	if (side_a)
		d.a = d.b, d.b = (cairn_body){0, 0};
	*joint = cairn_scene_add_joint(s, &d, NULL);
	CHECK(joint->generation);
	cairn_material m = yard_material(s, 0.3, 0);
	cairn_body_def def = yard_body(yard_box(s, 0.2, 0.2, 0.2), m, v3_make(0.5, 0, -1));
	def.mask = 0;
	cairn_body hung = loop ? cairn_scene_add_body(s, &def, NULL) : *body;
	for (int i = 0; i < 2 && loop; ++i) {
		cairn_joint_def rod = cairn_default_joint_def();
		rod.type = CAIRN_DISTANCE, rod.a = *body, rod.b = hung;
		rod.point = v3_make(i, 0, 0), rod.point_b = v3_make(0.5, 0, -1);
		CHECK(cairn_scene_add_joint(s, &rod, NULL).generation);
	}
	return s;
}

/* rad: the worst by which a stiff servo is away from its keys, where the speed of these did not change just now. */
static double off_keys(bool side_a, bool loop, double fps)
{
	cairn_body body;
	cairn_joint joint;
	cairn_scene *s = led(side_a, loop, &body, &joint);
	cairn_settings settings = cairn_scene_settings(s);
	settings.fps = fps;
	CHECK(cairn_scene_set_settings(s, &settings, NULL));
	cairn_world *w = cairn_world_create(s, NULL, NULL);
	double worst = 0;
	for (int i = 1; i <= 2.5 * fps; ++i) {
		CHECK_INT(cairn_world_step(w).status, CAIRN_STEP_OK);
		double time = i / fps;
		quat is = cairn_world_body_key(w, body).orientation;
		double off = v3_length(q_turn(wanted_turn(time), side_a ? q_conj(is) : is));
		bool calm = fabs(time - 0.55) > 0.06 && fabs(time - 1.05) > 0.06 && fabs(time - 2.05) > 0.06;
		worst = calm && off > worst ? off : worst;
	}
	cairn_world_destroy(w);
	cairn_scene_destroy(s);
	return worst;
}

TEST(a_ball_turns_through_its_keys)
{
	CHECK(off_keys(false, false, 30) < 2e-4);
	CHECK(off_keys(true, false, 30) < 2e-4);
	CHECK(off_keys(false, true, 30) < 0.03 && off_keys(true, true, 30) < 0.03); /* in a ring: the mean of a frame */
	CHECK(off_keys(false, true, 120) < 1e-3);
}

/* ---- captured motion */

#define ARM                                                                                                            \
	"HIERARCHY\nROOT Arm\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "            \
	"Yrotation\n End "                                                                                                 \
	"Site\n {\n  OFFSET 0 1 0\n }\n}\nMOTION\nFrames: 2\nFrame Time: 0.5\n0 0 0 0 0 0\n7 8 9 30 -40 110\n"
#define SCENE                                                                                                          \
	"{\"version\": 1, \"bodies\": [{\"name\": \"arm\", \"shape\": {\"sphere\": 1}}], \"joints\": [{\"type\": "         \
	"\"ball\", "                                                                                                       \
	"\"bodies\": [\"world\", \"arm\"], \"point\": [0, 0, 0], \"motor\": {\"stiffness\": 1, \"keys\": {\"file\": "      \
	"\"a.bvh\", "                                                                                                      \
	"\"joint\": \"Arm\", \"start\": 2, \"orientation\": {\"axis\": [1, 0, 0], \"angle\": 1.5707963267948966}}}}]}"

static bool give(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                 cairn_error *error)
{
	(void)context, (void)path, (void)error;
	*size = strlen(ARM), *data = cn_alloc(allocator, *size, 1);
	memcpy(*data, ARM, *size);
	return true;
}

/* All rotations of a joint, in the order of its channels, seen in the world's axes. */
TEST(a_ball_follows_a_joint_of_a_file)
{
	cairn_files files = {NULL, give, NULL};
	cairn_error e = {0};
	cairn_scene *s = cairn_scene_read_text(SCENE, strlen(SCENE), "arm.json", &files, NULL, &e);
	CHECK(s);
	cairn_joint_def d = cairn_scene_joint_at(s, 0);
	CHECK_INT(d.key_count, 2);
	CHECK(d.keys[0].time == 2 && d.keys[1].time == 2.5 && v3_length(d.keys[0].turn) == 0);
	const double z = CN_PI / 6, x = -CN_PI * 2 / 9, y = CN_PI * 11 / 18;
	v3 p = v3_make(0.3, -0.7, 0.2); /* in the file's axes, whose y is the world's z, and z the world's -y */
	v3 by_y = v3_make(p.x * cos(y) + p.z * sin(y), p.y, -p.x * sin(y) + p.z * cos(y));
	v3 by_x = v3_make(by_y.x, by_y.y * cos(x) - by_y.z * sin(x), by_y.y * sin(x) + by_y.z * cos(x));
	v3 by_z = v3_make(by_x.x * cos(z) - by_x.y * sin(z), by_x.x * sin(z) + by_x.y * cos(z), by_x.z);
	v3 is = q_rotate(q_exp(d.keys[1].turn), v3_make(p.x, -p.z, p.y));
	CHECK(v3_distance(is, v3_make(by_z.x, -by_z.z, by_z.y)) < 1e-12);
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
          TEST_CASE(a_ball_turns_through_its_keys), TEST_CASE(a_ball_follows_a_joint_of_a_file), TEST_CASE(bvh_files))
