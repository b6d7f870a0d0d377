/* What the meshes of a scene became: how many triangles were dropped, and the tree of hulls of one that moves. */
#include "meshes.h"

#include "message.h"

typedef struct mesh_facts {
	cairn_shape_def def;
	uint32_t hulls, leaves, dropped;
} mesh_facts;

/* False: there is nothing to tell of this shape. */
static bool find_facts(const cairn_scene *scene, const cairn_scene *made, uint32_t index, mesh_facts *f)
{
	cairn_shape_facts own = cairn_scene_shape_facts(made, (cairn_shape){index, 1});
	*f = (mesh_facts){cairn_scene_shape_at(scene, index), own.hulls, own.leaves,
	                  cairn_scene_shape_facts(scene, (cairn_shape){index, 1}).dropped};
	return f->hulls > 0 || f->dropped > 0;
}

void meshes_print(const cairn_scene *scene, const cairn_scene *made, FILE *out)
{
	for (uint32_t i = 0; i < cairn_scene_shape_count(scene); ++i) {
		mesh_facts f;
		char tree[80] = "", dropped[100] = "";
		if (!find_facts(scene, made, i, &f))
			continue;
		if (f.hulls == 1)
			snprintf(tree, sizeof tree, ", one convex hull");
		else if (f.hulls)
			snprintf(tree, sizeof tree, ", a tree of %u hulls with %u leaves", (unsigned)f.hulls, (unsigned)f.leaves);
		if (f.dropped)
			snprintf(dropped, sizeof dropped, "; %u triangle%s without area or there twice dropped",
			         (unsigned)f.dropped, f.dropped == 1 ? "" : "s");
		print_tame(out, "mesh %s: %s of %u triangles%s%s\n", *f.def.name ? f.def.name : "(no name)",
		           f.def.shell ? "shell" : "solid", (unsigned)f.def.triangle_count, tree, dropped);
	}
}

void meshes_write(json *j, const cairn_scene *scene, const cairn_scene *made)
{
	json_open(j, "meshes", '[');
	for (uint32_t i = 0; i < cairn_scene_shape_count(scene); ++i) {
		mesh_facts f;
		if (!find_facts(scene, made, i, &f))
			continue;
		json_open(j, NULL, '{');
		json_count(j, "shape", i);
		json_text(j, "name", f.def.name);
		json_text(j, "kind", f.def.shell ? "shell" : "solid");
		json_count(j, "triangles", f.def.triangle_count);
		json_count(j, "dropped", f.dropped);
		json_count(j, "hulls", f.hulls);
		json_count(j, "leaves", f.leaves);
		json_close(j, '}');
	}
	json_close(j, ']');
}
