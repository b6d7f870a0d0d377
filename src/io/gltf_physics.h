/* Physics of a glTF node: KHR_physics_rigid_bodies and KHR_implicit_shapes. */
#ifndef CN_GLTF_PHYSICS_H
#define CN_GLTF_PHYSICS_H

#include "io/gltf_read.h"

#define CN_GLTF_PHYSICS "KHR_physics_rigid_bodies"
#define CN_GLTF_SHAPES "KHR_implicit_shapes"

/* A node with its place; the mesh that it shows. */
typedef struct cn_gltf_node {
	const cn_json *json;
	const char *name;
	pose pose;
	m3 scale;      /* in the node's frame: beside turning and moving */
	uint32_t mesh; /* of the asset; UINT32_MAX: none */
	uint32_t
		body; /* in: the moving node of the asset that it hangs on; out: that its children hang on; UINT32_MAX: none */
	bool (*find_mesh)(void *context, const cn_json *at, m3 scale, uint32_t *index);
	void *context;
} cn_gltf_node;

bool cn_gltf_add_node(cn_gltf_file *f, cn_gltf_node *n);

#endif
