/* Cameras that move: where they are, what is refused, and that bytes keep them. */
#include "cairn/cairn.h"
#include "test.h"

static cairn_camera_key path[CAIRN_CAMERA_KEYS + 1];

static cairn_view sample(void)
{
	cairn_view v = {.has_camera = true, .camera_position = {0, -8, 2}, .camera_target = {0, 0, 1}, .camera_fov = 0.8};
	v.camera_keys = path, v.camera_key_count = 3;
	for (uint32_t i = 0; i < 3; ++i)
		path[i] = (cairn_camera_key){2.0 * i, {4.0 * i, -8, 2}, {4.0 * i, 0, 1}, 0.8};
	return v;
}

static cairn_scene *make_scene(void)
{
	static const char text[] = "{\"version\": 1, \"bodies\": [{\"name\": \"a\", \"shape\": {\"sphere\": 1}}],"
							   "\"camera\": {\"follow\": \"a\", \"keys\": [{\"time\": 0, \"position\": [0, -8, 2],"
							   "\"target\": [0, 0, 1]}, {\"time\": 2, \"position\": [4, -8, 2], \"fov\": 0.5}]}}";
	cairn_error error;
	return cairn_scene_read_text(text, sizeof text - 1, "test", NULL, NULL, &error);
}

TEST(keys)
{
	cairn_view v = sample();
	const cairn_vec3 none = {0, 0, 0};
	for (uint32_t i = 0; i < 3; ++i)
		CHECK_NEAR(cairn_view_at(&v, 2.0 * i, none).camera_position.x, 4.0 * i, 1e-12);
	CHECK_NEAR(cairn_view_at(&v, 99, none).camera_position.x, 8, 0);
	CHECK(cairn_view_at(&v, 1, none).camera_key_count == 0);
	/* By symmetry half way in the middle of time; it starts and ends at rest, and passes the middle key without a jerk. */
	CHECK_NEAR(cairn_view_at(&v, 1, none).camera_position.x + cairn_view_at(&v, 3, none).camera_position.x, 8, 1e-12);
	double h = 1e-5;
	CHECK_NEAR(cairn_view_at(&v, h, none).camera_position.x / h, 0, 1e-3);
	double before = (4 - cairn_view_at(&v, 2 - h, none).camera_position.x) / h,
		   after = (cairn_view_at(&v, 2 + h, none).camera_position.x - 4) / h;
	CHECK_NEAR(before, 2, 1e-3);
	CHECK_NEAR(after, 2, 1e-3);
}

TEST(follow)
{
	cairn_view v = sample();
	const cairn_vec3 moved = {1, 2, 3};
	CHECK_NEAR(cairn_view_at(&v, 0, moved).camera_position.y, -8, 0); /* it follows nobody */
	v.camera_follow = (cairn_body){.index = 0, .generation = 1};
	cairn_view at = cairn_view_at(&v, 2, moved);
	CHECK_NEAR(at.camera_position.x, 5, 1e-12);
	CHECK_NEAR(at.camera_target.z, 4, 1e-12);
}

TEST(refused)
{
	cairn_error e = {0};
	cairn_scene *scene = make_scene();
	cairn_view v = sample();
	CHECK(cairn_scene_set_view(scene, &v, &e));
	path[2].time = 1;
	CHECK(!cairn_scene_set_view(scene, &v, &e));
	CHECK_TEXT(e.path, "camera.keys[2].time");
	v = sample();
	path[1].fov = 4;
	CHECK(!cairn_scene_set_view(scene, &v, &e));
	CHECK_TEXT(e.path, "camera.keys[1].fov");
	v = sample();
	v.camera_follow = (cairn_body){.index = 7, .generation = 1};
	CHECK(!cairn_scene_set_view(scene, &v, &e));
	CHECK_TEXT(e.path, "camera.follow");
	v = sample();
	v.camera_key_count = CAIRN_CAMERA_KEYS + 1;
	CHECK(!cairn_scene_set_view(scene, &v, &e));
	CHECK_TEXT(e.path, "camera.keys");
	cairn_scene_destroy(scene);
}

TEST(copied)
{
	cairn_scene *scene = make_scene(), *copy = scene ? cairn_scene_copy(scene) : NULL;
	CHECK(scene && copy);
	if (copy) {
		cairn_view v = cairn_scene_view(copy);
		CHECK(v.camera_key_count == 2 && v.camera_follow.generation == 1 && v.camera_follow.index == 0);
		CHECK_NEAR(v.camera_keys[1].fov, 0.5, 0);
		CHECK_NEAR(v.camera_keys[1].target.z, 1, 0); /* as in the key before */
	}
	cairn_scene_destroy(scene);
	cairn_scene_destroy(copy);
}

TEST_MAIN(TEST_CASE(keys), TEST_CASE(follow), TEST_CASE(refused), TEST_CASE(copied))
