/* The smallest whole program: a scene built by calls, stepped, and its poses read. */
#include <cairn/cairn.h>
#include <stdio.h>

int main(void)
{
	cairn_error error;
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	settings.gravity = (cairn_vec3){0, 0, -10};
	settings.method = "free"; /* nothing touches anything here */
	bool ok = cairn_scene_set_settings(scene, &settings, &error);

	cairn_shape_def brick = cairn_default_shape_def(CAIRN_BOX);
	brick.size = (cairn_vec3){0.1, 0.2, 0.4};
	cairn_body_def body = cairn_default_body_def();
	body.name = "brick";
	body.shape = cairn_scene_add_shape(scene, &brick, &error);
	body.velocity = (cairn_vec3){1, 0, 6};
	body.spin = (cairn_vec3){0.01, 6, 0}; /* about the middle axis: it will flip over */
	cairn_body thrown = cairn_scene_add_body(scene, &body, &error);

	cairn_world *world = ok && thrown.generation ? cairn_world_create(scene, NULL, &error) : NULL;
	if (!world) {
		fprintf(stderr, "hello: %s\n", error.message);
		return (int)error.code;
	}
	for (int frame = 0; frame <= 30; ++frame) {
		cairn_vec3 at = cairn_world_body_pose(world, thrown).position;
		if (frame % 10 == 0)
			printf("%4.2f s: brick at (%.3f, %.3f, %.3f)\n", cairn_world_time(world), at.x, at.y, at.z);
		if (cairn_world_step(world).status != CAIRN_STEP_OK)
			return CAIRN_FAILED;
	}
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return 0;
}
