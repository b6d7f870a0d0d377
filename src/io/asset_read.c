/* Assets: which reader a file is for. gltf_read.c and obj_read.c know the formats. */
#include "io/asset.h"

#include "base/file.h"

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
	bool ok = cn_file_name_ends(name, ".obj") ? cn_asset_read_obj(&r)
	          : cn_file_name_ends(name, ".gltf") || cn_file_name_ends(name, ".glb")
	              ? cn_asset_read_gltf(&r)
	              : cn_asset_fail(&r, (cn_asset_place){0}, "an asset is a file that ends in .gltf, .glb or .obj");
	if (ok)
		return asset;
	cairn_asset_destroy(asset);
	return NULL;
}
