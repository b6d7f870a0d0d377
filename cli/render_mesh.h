/* The surface of a shape, made ready for drawing. */
#ifndef RENDER_MESH_H
#define RENDER_MESH_H

#include "cairn/cairn.h"

/* What a corner of a triangle carries. Distances to the triangle's edges vary linearly over it, so that a pixel knows
 * how far the nearest edge is that should be seen; one that is none is RENDER_NO_EDGE away. soft is the normal of a
 * corner that is worn round. */
typedef struct mesh_vertex {
	float at[3], normal[3], soft[3], edge[3];
	float paint[3]; /* linear; 1: what has no colours of its own */
} mesh_vertex;

#define RENDER_NO_EDGE 1e6f

typedef struct render_mesh {
	mesh_vertex *vertices;
	float (*points)[3]; /* the same surface without normals, each point once: for shadows */
	uint32_t *indices, *point_indices, *lines;
	uint32_t vertex_count, index_count, point_count, point_index_count, line_count; /* line_count: of indices */
} render_mesh;

/* Edges that turn by more than crease (rad) are seen. Out of memory ends the tool. */
void render_mesh_build(render_mesh *mesh, const cairn_surface *surface, double crease);
void render_mesh_free(render_mesh *mesh);

#endif
