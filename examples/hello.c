/* The smallest whole program: a scene built by calls, stepped, and its poses read. */
#include <cairn/cairn.h>
#include <stdio.h>
#include <stdlib.h>

static void stop(const cairn_error *error)
{
	char text[1024];
	cairn_error_print(error, text, sizeof text);
	fprintf(stderr, "hello: %s\n", text);
	exit((int)error->code);
}

int main(void)
{
	cairn_error error;
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	settings.gravity = (cairn_vec3){0, 0, -10};
	settings.method = "free"; /* nothing touches anything here */
	if (!cairn_scene_set_settings(scene, &settings, &error))
		stop(&error);

	cairn_shape_def brick = cairn_default_shape_def(CAIRN_BOX);
	brick.size = (cairn_vec3){0.1, 0.2, 0.4};
	cairn_body_def body = cairn_default_body_def();
	body.name = "brick";
	body.shape = cairn_scene_add_shape(scene, &brick, &error);
	body.velocity = (cairn_vec3){1, 0, 6};
	body.spin = (cairn_vec3){0.01, 6, 0}; /* about the middle axis: it will flip over */
	cairn_body thrown = cairn_scene_add_body(scene, &body, &error);
	if (!thrown.generation)
		stop(&error);

	cairn_world *world = cairn_world_create(scene, NULL, &error);
	if (!world)
		stop(&error);
	for (int frame = 0; frame <= 30; ++frame) {
		cairn_pose pose = cairn_world_body_pose(world, thrown);
		if (frame % 10 == 0)
			printf("%4.2f s: brick at (%.3f, %.3f, %.3f)\n", cairn_world_time(world), pose.position.x, pose.position.y,
			       pose.position.z);
		if (cairn_world_step(world).status != CAIRN_STEP_OK)
			return CAIRN_FAILED;
	}
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return 0;
}
