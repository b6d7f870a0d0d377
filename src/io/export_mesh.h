/* Bodies as triangles with normals, about their centre of mass, and a table that finds what was there before. */
#ifndef CN_EXPORT_MESH_H
#define CN_EXPORT_MESH_H

#include "io/export.h"

enum { CN_INTERN_WORDS = 12 };

/* Numbers equal keys alike, from 0 in the order in which they came. */
typedef struct cn_intern {
	uint64_t (*keys)[CN_INTERN_WORDS];
	uint32_t *slots; /* number + 1, 0 empty; a power of two, at most half full */
	uint32_t count, capacity, slot_count;
} cn_intern;

/* Returns the key's number; UINT32_MAX when memory ran out. */
uint32_t cn_intern_add(const cairn_allocator *allocator, cn_intern *table, const uint64_t key[CN_INTERN_WORDS]);
void cn_intern_free(const cairn_allocator *allocator, cn_intern *table);
uint64_t cn_intern_word(double x); /* -0 counts as 0 */

typedef struct cn_vertex {
	float point[3], normal[3]; /* scene axes; from the centre of mass; unit */
	float uv[2], color[3];     /* of a mesh that has them (striped balls and wheels too); else 0 */
} cn_vertex;

typedef struct cn_export_mesh {
	cn_vertex *vertices;
	uint32_t *triangles; /* 3 each, counter-clockwise from outside */
	uint32_t vertex_count, vertex_capacity, index_count, index_capacity;
	bool has_uvs, has_colors;
	bool striped;      /* it has two colours */
	uint32_t accessor; /* of a .glb: that of its texture coordinates or colours */
} cn_export_mesh;

/* The meshes of an export: one for each different (shape, centre). */
typedef struct cn_meshes {
	cn_intern table;
	cn_export_mesh *all; /* table.count of them */
	uint32_t capacity;
	double halfspace; /* half width of the square a half-space is drawn as, m */
} cn_meshes;

/* Needs nothing but the recording's tracks: the square reaches six times as far as any body at its first key,
 * 10 m where there is none. */
void cn_meshes_begin(const cn_export *e, cn_meshes *meshes);
void cn_meshes_free(const cn_export *e, cn_meshes *meshes);
/* The number of the body's mesh, made when it is new; UINT32_MAX and the error filled on failure. */
uint32_t cn_meshes_add(const cn_export *e, cn_meshes *meshes, const cairn_body_info *body, cairn_error *error);
/* The number of a tube along z from 0 to 1; UINT32_MAX when memory ran out. */
uint32_t cn_meshes_add_tube(const cn_export *e, cn_meshes *meshes, double radius);

/* A rod at a frame. */
typedef struct cn_rod_key {
	v3 place;      /* of its first end */
	quat turn;     /* leads z along it; its sign follows the frame before */
	double length; /* 0: it is not there */
} cn_rod_key;

/* All rods in all frames, rod by rod. */
bool cn_rods_gather(cn_export *e, cn_rod_key **keys, cairn_error *error);
void cn_rods_free(const cn_export *e, cn_rod_key *keys);
static const cairn_color CN_ROD_COLOR = {0.10, 0.105, 0.115}; /* steel, as in pictures */

#endif
