/* Scene files: any bytes are read or refused with a message; what is read can be stepped. */
#include "cairn/cairn.h"
#include "fuzz.h"

/* No other file is there. */
static bool read_none(void *context, const char *path, const cairn_allocator *allocator, void **bytes, size_t *size,
                      cairn_error *error)
{
	(void)context, (void)path, (void)allocator, (void)bytes, (void)size;
	*error = (cairn_error){.code = CAIRN_FILE, .message = "there is no such file"};
	return false;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cairn_error error = {0};
	cairn_files files = {.context = NULL, .read = read_none};
	cairn_scene *scene = cairn_scene_read_text((const char *)data, size, "fuzz.json", &files, NULL, &error);
	EXPECT(scene || (error.code != CAIRN_OK && error.message[0]));
	cairn_world *world = NULL;
	if (scene && cairn_scene_body_count(scene) < 200) {
		cairn_world_def def = cairn_default_world_def();
		def.threads = 1;
		world = cairn_world_create(scene, &def, &error);
		EXPECT(world || (error.code != CAIRN_OK && error.message[0]));
	}
	for (int i = 0; world && i < 3; ++i)
		if (cairn_world_step(world).status != CAIRN_STEP_OK)
			break;
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return 0;
}
