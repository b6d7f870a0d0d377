/* Scene files: any bytes are read or refused with a message, also when a few words ask for more memory than there is; what
 * is read can be stepped. */
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

/* Memory of 256 MB: a line of a scene may ask for millions of bodies. */
static void *resize(void *context, void *block, size_t old_size, size_t new_size)
{
	size_t *left = context;
	if (new_size > old_size && new_size - old_size > *left)
		return NULL;
	*left += old_size, *left -= new_size;
	cairn_allocator plain = cairn_default_allocator();
	return plain.resize(plain.context, block, old_size, new_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cairn_error error = {0};
	cairn_files files = {.context = NULL, .read = read_none};
	cairn_scene_def memory = cairn_default_scene_def();
	size_t left = (size_t)256 << 20;
	memory.allocator = (cairn_allocator){&left, resize};
	cairn_errors all = {0};
	memory.errors = size % 2 ? &all : NULL; /* then reading goes on past what is wrong */
	cairn_scene *scene = cairn_scene_read_text((const char *)data, size, "fuzz.json", &files, &memory, &error);
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
