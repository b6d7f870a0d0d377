/* A program outside the project: compiled against what was installed, as C and as C++. */
#include <cairn/cairn.h>
#include <stdio.h>

int main(void)
{
	cairn_error error;
	cairn_scene *scene = cairn_scene_create(NULL);
	if (!scene || !cairn_scene_set_option(scene, "method", "free", &error))
		return 1;
	cairn_world *world = cairn_world_create(scene, NULL, &error);
	if (!world || cairn_world_step(world).status != CAIRN_STEP_OK)
		return 1;
	printf("cairn %s, frame %u\n", cairn_version(), (unsigned)cairn_world_frame(world));
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return 0;
}
