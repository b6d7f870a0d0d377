/* A convex polytope with its faces merged: vertices, edges, flat faces and who lies next to whom. Also the two
 * degenerate ones that round shapes are built on: one vertex, and two vertices with the edge between them. */
#ifndef CN_POLYTOPE_H
#define CN_POLYTOPE_H

#include "geom/triangles.h"

typedef struct cn_edge {
	uint32_t tail, head;  /* vertices */
	uint32_t left, right; /* faces: seen from outside, left runs tail to head counter-clockwise; both 0 without faces */
} cn_edge;

typedef struct cn_polytope {
	uint32_t vertex_count, edge_count, face_count; /* V - E + F = 2 where there are faces */
	v3 *vertices;                                  /* about the part's centre (cn_convex.center) */
	cn_edge *edges;                                /* by (tail, head), tail < head */
	v3 *directions;                                /* of the edges: unit, tail to head */
	v3 *normals;                                   /* of the faces: unit, outward */
	double *offsets;      /* a face lies in normal.x = offset; no vertex is above by more than the hull's rounding */
	uint32_t *face_first; /* [face_count + 1]: into loop and loop_edges */
	uint32_t *loop;       /* the vertices of a face, counter-clockwise from outside, the least index first */
	uint32_t *loop_edges; /* the edge from loop[i] to the next vertex of the same face */
	uint32_t *ring_first; /* [vertex_count + 1]: into ring */
	uint32_t *ring;       /* the vertices that share an edge with a vertex: what hill climbing walks */
	uint32_t *sources;    /* of each vertex: the point it was given as (hull); its own number otherwise */
	double radius;        /* largest |vertex| */
	bool opposite;        /* every face normal has its opposite (box): half of the candidate axes suffice */
	bool crowded;         /* has edges shorter than CN_CROWDED x radius: a walk uphill over rings may end anywhere near
	                         them, so every vertex is to be looked at */
} cn_polytope;

/* Arrays for so many vertices, edges and faces (loops and rings have two entries an edge), zeroed. False when memory ran
 * out; nothing is kept then. So do the functions below. */
bool cn_polytope_alloc(const cairn_allocator *allocator, uint32_t vertices, uint32_t edges, uint32_t faces,
                       cn_polytope *out);
bool cn_polytope_point(const cairn_allocator *allocator, cn_polytope *out);
bool cn_polytope_segment(const cairn_allocator *allocator, double half, cn_polytope *out); /* along z */
/* Vertices in the order of bits: x is bit 0, y bit 1, z bit 2 (set: positive). Faces -x +x -y +y -z +z. */
bool cn_polytope_box(const cairn_allocator *allocator, v3 half, cn_polytope *out);
/* hull: the triangles of cn_hull_build over its points; center is taken off every vertex. Triangles whose planes agree
 * up to the hull's rounding t are one face: its vertices are between 0 and 2 t below its plane and none is outside the
 * line of one of its edges by more than 2 t. No vertex lies in the middle of an edge, every vertex has at least three
 * faces, and two faces have a vertex, an edge or nothing in common. Vertices are in the order of their points. */
bool cn_polytope_hull(const cairn_allocator *allocator, const cn_triangles *hull, v3 center, cn_polytope *out);
void cn_polytope_free(const cairn_allocator *allocator, cn_polytope *polytope);

/* The vertex furthest along d; of equals the one with the least index. climb starts at a vertex (any) and walks
 * uphill, or looks at every vertex of a crowded polytope; it ends at a vertex as far along d as any other up to
 * rounding. */
static inline uint32_t cn_polytope_furthest(const cn_polytope *p, v3 d)
{
	uint32_t best = 0;
	double most = v3_dot(p->vertices[0], d);
	for (uint32_t i = 1; i < p->vertex_count; ++i) {
		double height = v3_dot(p->vertices[i], d);
		if (height > most)
			most = height, best = i;
	}
	return best;
}
uint32_t cn_polytope_climb(const cn_polytope *p, v3 d, uint32_t from);
/* A box's edge from a vertex whose bit of the axis is not set, along that axis: edges are numbered by (tail, head). */
static inline uint32_t cn_polytope_box_edge(uint32_t lower, uint32_t axis)
{
	static const uint8_t number[8][3] = {{0, 1, 2}, {0, 3, 4},  {5, 0, 6},  {0, 0, 7},
	                                     {8, 9, 0}, {0, 10, 0}, {11, 0, 0}, {0, 0, 0}};
	return number[lower][axis];
}
/* The edge between two vertices; UINT32_MAX: there is none. */
uint32_t cn_polytope_edge(const cn_polytope *p, uint32_t a, uint32_t b);

#endif
