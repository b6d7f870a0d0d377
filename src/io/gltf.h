/* What the parts of the writer of .glb share (gltf_write.c). */
#ifndef CN_GLTF_H
#define CN_GLTF_H

#include "io/export_mesh.h"

#define CN_GLTF_VERTEX 24  /* bytes: point and normal */
#define CN_GLTF_UV 8u      /* bytes */
#define CN_GLTF_COLOR 12u  /* bytes */
#define CN_GLTF_ROD 40     /* bytes of a rod's key: translation, rotation, scale */
#define CN_NONE UINT32_MAX /* no number */

/* Where a track's things are; accessors by number. */
typedef struct cn_gltf_placed {
	uint32_t node, mesh;     /* CN_NONE: not there in the frames asked for */
	uint32_t time, moved;    /* seconds; translation, and rotation after it; CN_NONE: does not move */
	uint32_t shown;          /* seconds of the scale keys, and the scales after it; CN_NONE: there all the time */
	uint64_t offset, hiding; /* of its keys and its scale keys in the animation view */
} cn_gltf_placed;

typedef struct cn_gltf {
	cn_export *e;
	cn_out *out;
	char **names;
	cn_meshes shapes;
	/* (colour, two-sided, opacity, roughness); (shape, material); (first, last) of frame times */
	cn_intern materials, meshes, spans;
	cn_gltf_placed *placed;
	cn_rod_key *rods;
	uint32_t rod_mesh, rod_time, rod_first; /* its mesh; accessors of the times, and of the first rod's keys */
	uint64_t rod_offset;                    /* of the first rod's keys in the animation view */
	pose *camera;                           /* in each frame; NULL: it stands, or there is none */
	uint32_t camera_time, camera_first;     /* accessors of the times, and of the places, which the turns follow */
	uint64_t camera_offset;
	uint32_t nodes, accessors, animated, shown;
	uint64_t vertex_size, index_size, animation_size, uv_size, color_size; /* bytes */
} cn_gltf;

static inline v3 cn_gltf_up(v3 v) { return v3_make(v.x, v.z, -v.y); }

static inline quat cn_gltf_up_q(quat q) { return (quat){q.w, q.x, q.z, -q.y}; }

/* A pose as floats, in glTF's axes and order (x, y, z, w). False when a float cannot hold it. */
bool cn_gltf_floats(v3 position, quat orientation, float translation[3], float rotation[4]);
bool cn_gltf_fail_far(const cn_gltf *g, uint32_t track, double time, cairn_error *error);
void cn_gltf_rod_floats(const cn_rod_key *key, float place[3], float turn[4], float scale[3]);

/* Nodes in their order: bodies, camera, light, rods. */
uint32_t cn_gltf_count_nodes(const cn_gltf *g);
uint32_t cn_gltf_first_rod(const cn_gltf *g);
bool cn_gltf_write_nodes(cn_gltf *g, cairn_error *error);
/* Of a camera in glTF's axes. */
void cn_gltf_camera_floats(const pose *at, float place[3], float turn[4]);
void cn_gltf_write_view(cn_gltf *g); /* the camera and the light themselves */

#endif
