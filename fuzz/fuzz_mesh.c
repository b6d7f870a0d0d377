/* Mesh files: the first byte says which kind, the rest is the file. */
#include "fuzz.h"
#include "io/mesh_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = {"a.obj", "a.stl", "a.ply"};
	cairn_allocator allocator = cairn_default_allocator();
	cairn_error error = {0};
	cn_mesh mesh;
	if (size == 0)
		return 0;
	bool ok = cn_mesh_read((const char *)data + 1, size - 1, names[data[0] % 3], &allocator, &mesh, &error);
	EXPECT(ok || (error.code != CAIRN_OK && error.message[0]));
	for (size_t i = 0; ok && i < (size_t)mesh.triangle_count * 3; ++i)
		EXPECT(mesh.triangles[i] < mesh.point_count);
	if (ok)
		cn_mesh_free(&allocator, &mesh);
	return 0;
}
