/* Assets: which reader a file is for. gltf_read.c and obj_read.c know the formats. */
#include "io/asset.h"

#include <string.h>

static bool ends_with(const char *name, const char *ending)
{
	size_t n = strlen(name), m = strlen(ending);
	for (size_t i = 0; n >= m && i < m; ++i)
		if ((name[n - m + i] | 32) != (ending[i] | 32))
			return false;
	return n >= m;
}

cairn_asset *cairn_asset_read(const void *data, size_t size, const char *name, const cairn_files *files,
                              const cairn_scene_def *def, cairn_error *error)
{
	cairn_allocator allocator = def ? def->allocator : cairn_default_allocator();
	cairn_error local;
	cairn_asset *asset = cn_alloc(&allocator, 1, sizeof *asset);
	if (!asset)
		return cn_fail_memory(error), NULL;
	asset->arena = cn_arena_make(&allocator);
	cn_asset_reader r = {.asset = asset,
	                     .name = name,
	                     .data = data ? data : "",
	                     .size = size,
	                     .files = files ? *files : cairn_default_files(),
	                     .trust = def && def->trust,
	                     .error = error ? error : &local};
	bool ok = ends_with(name, ".obj") ? cn_asset_read_obj(&r)
	          : ends_with(name, ".gltf") || ends_with(name, ".glb")
	              ? cn_asset_read_gltf(&r)
	              : cn_asset_fail(&r, (cn_asset_place){0}, "an asset is a file that ends in .gltf, .glb or .obj");
	if (ok)
		return asset;
	cairn_asset_destroy(asset);
	return NULL;
}
