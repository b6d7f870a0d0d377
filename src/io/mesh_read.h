/* Triangles from the bytes of an OBJ, STL or PLY file. */
#ifndef CN_MESH_READ_H
#define CN_MESH_READ_H

#include "base/vec.h"

typedef struct cn_mesh {
	v3 *points;          /* from the allocator: point_capacity of them */
	uint32_t *triangles; /* 3 indices each: index_capacity of them */
	uint32_t point_count, point_capacity;
	uint32_t triangle_count, index_capacity;
	cairn_color *colors; /* one for each point, or NULL */
	float *uvs;          /* two for each point, or NULL */
	uint32_t color_capacity, uv_capacity;
} cn_mesh;

/* The format is told by name's ending. On failure nothing is kept: CAIRN_INVALID (error's file is name; line for text,
 * 0 for binary, where the message has the byte offset), or CAIRN_MEMORY. Points are as in the file, except that STL,
 * which repeats them, has equal ones merged. */
bool cn_mesh_read(const void *data, size_t size, const char *name, const cairn_allocator *allocator, cn_mesh *mesh,
                  cairn_error *error);
void cn_mesh_free(const cairn_allocator *allocator, cn_mesh *mesh);

#endif
