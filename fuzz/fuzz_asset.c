/* Assets: the first byte says which kind, the rest is the file. Files that it names hold the same bytes. */
#include "fuzz.h"

#include <cairn/cairn.h>
#include <string.h>

typedef struct bytes {
	const uint8_t *data;
	size_t size;
} bytes;

static bool read_same(void *context, const char *path, const cairn_allocator *allocator, void **data, size_t *size,
                      cairn_error *error)
{
	const bytes *b = context;
	(void)path, (void)error;
	*data = allocator->resize(allocator->context, NULL, 0, b->size ? b->size : 1);
	EXPECT(*data);
	memcpy(*data, b->data, b->size);
	*size = b->size;
	return true;
}

static void look_at_mesh(const cairn_asset_mesh *m)
{
	for (size_t i = 0; i < (size_t)m->triangle_count * 3; ++i)
		EXPECT(m->triangles[i] < m->point_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a.gltf", "a.glb", "a.obj"};
	cairn_error error = {0};
	if (size == 0)
		return 0;
	bytes rest = {data + 1, size - 1};
	cairn_files files = cairn_default_files();
	files.context = &rest, files.read = read_same;
	cairn_asset *asset = cairn_asset_read(rest.data, rest.size, names[data[0] % 3], &files, NULL, &error);
	EXPECT(asset || (error.code != CAIRN_OK && error.message[0]));
	for (uint32_t i = 0; asset && i < cairn_asset_mesh_count(asset); ++i) {
		cairn_asset_mesh mesh = cairn_asset_mesh_at(asset, i);
		look_at_mesh(&mesh);
	}
	for (uint32_t i = 0; asset && i < cairn_asset_node_count(asset); ++i) {
		cairn_asset_node node = cairn_asset_node_at(asset, i);
		EXPECT(node.mesh == UINT32_MAX || node.mesh < cairn_asset_mesh_count(asset));
		EXPECT(node.body < cairn_asset_node_count(asset));
	}
	cairn_asset_destroy(asset);
	return 0;
}
