/* Is a polytope what polytope.h promises? Looks at nothing but the arrays themselves. Says what is wrong, or NULL. */
#ifndef SOUND_POLYTOPE_H
#define SOUND_POLYTOPE_H

#include "geom/polytope.h"

#include <stdlib.h>
#include <string.h>

static inline uint32_t sound_face_size(const cn_polytope *p, uint32_t f)
{
	return p->face_first[f + 1] - p->face_first[f];
}

static inline uint32_t sound_next(const cn_polytope *p, uint32_t f, uint32_t k)
{
	return p->loop[k + 1 < p->face_first[f + 1] ? k + 1 : p->face_first[f]];
}

static inline const char *sound_edges(const cn_polytope *p, double t)
{
	for (uint32_t i = 0; i < p->edge_count; ++i) {
		const cn_edge *e = &p->edges[i], *before = e - 1;
		if (e->tail >= e->head || e->head >= p->vertex_count)
			return "an edge runs the wrong way or nowhere";
		if (i && (before->tail > e->tail || (before->tail == e->tail && before->head >= e->head)))
			return "edges are out of order";
		if (e->left >= p->face_count || e->right >= p->face_count || e->left == e->right)
			return "an edge lacks its two faces";
		v3 along = v3_sub(p->vertices[e->head], p->vertices[e->tail]), d = p->directions[i];
		if (!(fabs(v3_length(d) - 1) <= 4 * DBL_EPSILON))
			return "a direction is no unit vector";
		if (!(v3_length(v3_sub(along, v3_scale(d, v3_length(along)))) <= t))
			return "a direction is not its edge's";
	}
	return NULL;
}

static inline bool sound_beside(const cn_polytope *p, uint32_t v, uint32_t other)
{
	uint32_t found = 0;
	for (uint32_t k = p->ring_first[v]; k < p->ring_first[v + 1]; ++k)
		found += p->ring[k] == other;
	return found == 1;
}

/* Rings against edges: each edge makes its ends neighbours, and there are no others. */
static inline const char *sound_rings(const cn_polytope *p)
{
	if (p->ring_first[0] != 0 || p->ring_first[p->vertex_count] != 2 * p->edge_count)
		return "the rings do not add up to the edges";
	for (uint32_t v = 0; v < p->vertex_count; ++v)
		if (p->ring_first[v + 1] < p->ring_first[v] + 3)
			return "a vertex has fewer than three edges";
	for (uint32_t i = 0; i < p->edge_count; ++i)
		if (!sound_beside(p, p->edges[i].tail, p->edges[i].head) ||
		    !sound_beside(p, p->edges[i].head, p->edges[i].tail))
			return "a ring is not what the edges say";
	return NULL;
}

/* Loops: simple, the least vertex first, over edges that know them; every side of every edge is used once. */
static inline const char *sound_loops(const cn_polytope *p)
{
	const char *fault = NULL;
	uint32_t *last = calloc(p->vertex_count, sizeof *last), *sides = calloc(p->edge_count, sizeof *sides);
	if (p->face_first[0] != 0 || p->face_first[p->face_count] != 2 * p->edge_count)
		fault = "the loops do not add up to the edges";
	for (uint32_t f = 0; f < p->face_count && !fault; ++f) {
		if (p->face_first[f + 1] < p->face_first[f] + 3)
			fault = "a face has fewer than three corners";
		for (uint32_t k = p->face_first[f]; k < p->face_first[f + 1] && !fault; ++k) {
			uint32_t from = p->loop[k], to = sound_next(p, f, k), at = p->loop_edges[k];
			if (from >= p->vertex_count || at >= p->edge_count || from < p->loop[p->face_first[f]]) {
				fault = "a loop does not begin with its least vertex";
				break;
			}
			const cn_edge *e = &p->edges[at];
			if (last[from] == f + 1)
				fault = "a loop passes a vertex twice";
			last[from] = f + 1;
			bool forth = e->tail == from && e->head == to, back = e->tail == to && e->head == from;
			if (!(forth && e->left == f) && !(back && e->right == f))
				fault = "an edge does not know the face beside it";
			if (sides[at] & (forth ? 1u : 2u))
				fault = "an edge has two faces on one side";
			sides[at] |= forth ? 1u : 2u;
		}
	}
	for (uint32_t i = 0; i < p->edge_count && !fault; ++i)
		if (sides[i] != 3)
			fault = "an edge has a face on one side only";
	free(last);
	free(sides);
	return fault;
}

/* Two faces have at most one edge or one vertex in common. */
static inline const char *sound_lattice(const cn_polytope *p)
{
	const char *fault = NULL;
	uint32_t *first = calloc((size_t)p->vertex_count + 2, sizeof *first); /* by vertex: into faces */
	uint32_t *faces = calloc((size_t)p->edge_count * 2, sizeof *faces);
	uint32_t *vertices = calloc(p->face_count, sizeof *vertices), *edges = calloc(p->face_count, sizeof *edges);
	for (uint32_t k = 0; k < 2 * p->edge_count; ++k)
		++first[p->loop[k] + 2];
	for (uint32_t v = 0; v < p->vertex_count; ++v)
		first[v + 2] += first[v + 1];
	for (uint32_t f = 0; f < p->face_count; ++f)
		for (uint32_t k = p->face_first[f]; k < p->face_first[f + 1]; ++k)
			faces[first[p->loop[k] + 1]++] = f;
	for (uint32_t f = 0; f < p->face_count && !fault; ++f)
		for (int pass = 0; pass < 3; ++pass) /* count, judge, clear */
			for (uint32_t k = p->face_first[f]; k < p->face_first[f + 1]; ++k) {
				const cn_edge *e = &p->edges[p->loop_edges[k]];
				uint32_t beyond = e->left == f ? e->right : e->left;
				edges[beyond] = pass == 2 ? 0 : edges[beyond] + (pass == 0);
				for (uint32_t i = first[p->loop[k]]; i < first[p->loop[k] + 1]; ++i) {
					uint32_t g = faces[i];
					vertices[g] = pass == 2 ? 0 : vertices[g] + (pass == 0);
					if (pass == 1 && g != f && (edges[g] > 1 || vertices[g] > 1 + edges[g]))
						fault = "two faces have more than an edge or a vertex in common";
				}
			}
	free(first);
	free(faces);
	free(vertices);
	free(edges);
	return fault;
}

/* Planes: the face lies in its own, no vertex is above. Loops: no corner is outside the line of an edge. t is the
 * hull's rounding; a face is 2 t thick at most. every: only each so many-th face. */
static inline const char *sound_planes(const cn_polytope *p, double t, uint32_t every)
{
	double slack = 0.1 * t; /* the rounding of heights in here */
	for (uint32_t f = 0; f < p->face_count; f += every) {
		v3 n = p->normals[f];
		if (!(fabs(v3_length(n) - 1) <= 4 * DBL_EPSILON))
			return "a normal is no unit vector";
		for (uint32_t v = 0; v < p->vertex_count; ++v)
			if (!(v3_dot(n, p->vertices[v]) - p->offsets[f] <= t + slack))
				return "a vertex is above a face";
		for (uint32_t k = p->face_first[f]; k < p->face_first[f + 1]; ++k) {
			v3 a = p->vertices[p->loop[k]], along = p->directions[p->loop_edges[k]];
			if (!(v3_dot(n, a) - p->offsets[f] >= -2 * t - slack) || !(v3_dot(n, a) - p->offsets[f] <= slack))
				return "a face is not flat";
			v3 out = v3_cross(p->loop[k] < sound_next(p, f, k) ? along : v3_neg(along), n);
			for (uint32_t i = p->face_first[f]; i < p->face_first[f + 1]; ++i)
				if (!(v3_dot(out, v3_sub(p->vertices[p->loop[i]], a)) <= 2 * t + slack))
					return "a face is not convex";
		}
	}
	return NULL;
}

static inline const char *polytope_fault(const cn_polytope *p, double t, uint32_t every)
{
	double radius = 0;
	if (p->vertex_count < 4 || p->vertex_count + p->face_count != p->edge_count + 2)
		return "the counts break Euler's relation";
	for (uint32_t v = 0; v < p->vertex_count; ++v)
		radius = fmax(radius, v3_length(p->vertices[v]));
	if (p->radius != radius)
		return "the radius is not that of the farthest vertex";
	const char *fault = sound_edges(p, t);
	fault = fault ? fault : sound_rings(p);
	fault = fault ? fault : sound_loops(p);
	fault = fault ? fault : sound_lattice(p);
	return fault ? fault : sound_planes(p, t, every);
}

#endif
