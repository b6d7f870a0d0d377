/* The gap of two rounded polytopes by trying everything (OBA 3.1.1 to 3.1.4): every face of either, each pair of edges,
 * every pair of features. Slow, short, and without a line in common with what it checks beyond vector arithmetic.
 *
 *   gap = max over face normals and squares to edge pairs of (min n.b - max n.a)      where that is not positive
 *       = least distance of vertex and face, edge and edge, ... of either             otherwise,
 *
 * less both radii. A polytope without faces (point, segment) overlaps nothing of its kind: then it is the distance. */
#ifndef CAIRN_REFERENCE_H
#define CAIRN_REFERENCE_H

#include "geom/convex.h"

enum { REFERENCE_VERTICES = 64, REFERENCE_EDGES = 200, REFERENCE_FACES = 128, REFERENCE_LOOP = 400 };

typedef struct reference_part {
	uint32_t vertex_count, edge_count, face_count;
	v3 vertex[REFERENCE_VERTICES];
	uint32_t edge[REFERENCE_EDGES][2];
	uint32_t face_first[REFERENCE_FACES + 1], loop[REFERENCE_LOOP];
	v3 normal[REFERENCE_FACES];
	double radius;
} reference_part;

/* The part with its vertices from a common point: at is the part's centre from there. */
static inline void reference_take(const cn_convex *c, const cn_place *place, v3 at, reference_part *out)
{
	const cn_polytope *p = &c->core;
	out->vertex_count = p->vertex_count;
	out->edge_count = p->edge_count;
	out->face_count = p->face_count;
	out->radius = c->radius;
	for (uint32_t i = 0; i < p->vertex_count; ++i)
		out->vertex[i] = v3_add(at, m3_apply(place->r, p->vertices[i]));
	for (uint32_t i = 0; i < p->edge_count; ++i) {
		out->edge[i][0] = p->edges[i].tail;
		out->edge[i][1] = p->edges[i].head;
	}
	for (uint32_t f = 0; f < p->face_count; ++f) {
		uint32_t first = p->face_first[f], end = p->face_first[f + 1];
		out->face_first[f] = first;
		out->face_first[f + 1] = end;
		v3 sum =
			v3_zero(); /* twice the area, about the first corner, in the part's own axes: no digits lost to place */
		for (uint32_t k = first; k < end; ++k)
			out->loop[k] = p->loop[k];
		for (uint32_t k = first + 1; k + 1 < end; ++k)
			sum = v3_add(sum, v3_cross(v3_sub(p->vertices[p->loop[k]], p->vertices[p->loop[first]]),
			                           v3_sub(p->vertices[p->loop[k + 1]], p->vertices[p->loop[first]])));
		out->normal[f] = m3_apply(place->r, v3_unit(sum));
	}
}

static inline double reference_along(const reference_part *a, const reference_part *b, v3 n)
{
	double high = -INFINITY, low = INFINITY;
	for (uint32_t i = 0; i < a->vertex_count; ++i) {
		double h = v3_dot(n, a->vertex[i]);
		high = h > high ? h : high;
	}
	for (uint32_t i = 0; i < b->vertex_count; ++i) {
		double h = v3_dot(n, b->vertex[i]);
		low = h < low ? h : low;
	}
	return low - high;
}

/* The widest of the planes that faces and edges give. */
static inline double reference_planes(const reference_part *a, const reference_part *b)
{
	double most = -INFINITY;
	for (uint32_t f = 0; f < a->face_count; ++f) {
		double s = reference_along(a, b, a->normal[f]);
		most = s > most ? s : most;
	}
	for (uint32_t f = 0; f < b->face_count; ++f) {
		double s = reference_along(a, b, v3_neg(b->normal[f]));
		most = s > most ? s : most;
	}
	for (uint32_t i = 0; i < a->edge_count; ++i) {
		v3 ea = v3_unit(v3_sub(a->vertex[a->edge[i][1]], a->vertex[a->edge[i][0]]));
		for (uint32_t j = 0; j < b->edge_count; ++j) {
			v3 eb = v3_unit(v3_sub(b->vertex[b->edge[j][1]], b->vertex[b->edge[j][0]]));
			v3 n = v3_cross(ea, eb);
			if (v3_length(n) < 1e-15)
				continue;
			for (int twice = 0; twice < 2; ++twice) { /* square to both, also when they are nearly parallel */
				n = v3_unit(n);
				n = v3_madd(n, ea, -v3_dot(n, ea));
			}
			n = v3_unit(n);
			/* The edge pair alone bounds what n separates by; most pairs end here. */
			double bound = v3_dot(n, v3_sub(b->vertex[b->edge[j][0]], a->vertex[a->edge[i][0]]));
			if (bound > most) {
				double s = reference_along(a, b, n);
				most = s > most ? s : most;
			}
			if (-bound > most) {
				double s = reference_along(a, b, v3_neg(n));
				most = s > most ? s : most;
			}
		}
	}
	return most;
}

static inline double reference_vertex_segment(v3 p, v3 s0, v3 s1)
{
	v3 e = v3_sub(s1, s0);
	double ee = v3_length2(e), t = ee > 0 ? v3_dot(v3_sub(p, s0), e) / ee : 0;
	t = t < 0 ? 0 : t > 1 ? 1 : t;
	return v3_distance(p, v3_madd(s0, e, t));
}

static inline double reference_segments(v3 p0, v3 p1, v3 q0, v3 q1)
{
	double least = reference_vertex_segment(p0, q0, q1), other = reference_vertex_segment(p1, q0, q1);
	least = other < least ? other : least;
	other = reference_vertex_segment(q0, p0, p1);
	least = other < least ? other : least;
	other = reference_vertex_segment(q1, p0, p1);
	least = other < least ? other : least;
	v3 d = v3_sub(p1, p0), e = v3_sub(q1, q0), w = v3_sub(q0, p0), n = v3_cross(d, e);
	double nn = v3_length2(n);
	if (!(nn > 1e-24 * v3_length2(d) * v3_length2(e)))
		return least;
	double s =
		v3_dot(v3_cross(w, e), n) / nn; /* where the lines are nearest; loosely if nearly parallel, which is harmless */
	if (s > 0 && s < 1) {
		other = reference_vertex_segment(v3_madd(p0, d, s), q0, q1);
		least = other < least ? other : least;
	}
	return least;
}

/* Distance of a point above a face from it; infinite when its foot is not in the face. */
static inline double reference_vertex_face(v3 p, const reference_part *part, uint32_t f)
{
	v3 n = part->normal[f];
	uint32_t first = part->face_first[f], end = part->face_first[f + 1];
	for (uint32_t k = first; k < end; ++k) {
		v3 from = part->vertex[part->loop[k]], to = part->vertex[part->loop[k + 1 < end ? k + 1 : first]];
		if (v3_dot(v3_cross(n, v3_sub(to, from)), v3_sub(p, from)) < 0)
			return INFINITY;
	}
	return fabs(v3_dot(n, v3_sub(p, part->vertex[part->loop[first]])));
}

static inline double reference_distance(const reference_part *a, const reference_part *b)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < a->vertex_count; ++i)
		for (uint32_t f = 0; f < b->face_count; ++f) {
			double s = reference_vertex_face(a->vertex[i], b, f);
			least = s < least ? s : least;
		}
	for (uint32_t i = 0; i < b->vertex_count; ++i)
		for (uint32_t f = 0; f < a->face_count; ++f) {
			double s = reference_vertex_face(b->vertex[i], a, f);
			least = s < least ? s : least;
		}
	for (uint32_t i = 0; i < (a->edge_count ? a->edge_count : 1); ++i)
		for (uint32_t j = 0; j < (b->edge_count ? b->edge_count : 1); ++j) {
			v3 p0 = a->vertex[a->edge_count ? a->edge[i][0] : 0], p1 = a->vertex[a->edge_count ? a->edge[i][1] : 0];
			v3 q0 = b->vertex[b->edge_count ? b->edge[j][0] : 0], q1 = b->vertex[b->edge_count ? b->edge[j][1] : 0];
			double s = reference_segments(p0, p1, q0, q1);
			least = s < least ? s : least;
		}
	return least;
}

static inline double reference_gap(const reference_part *a, const reference_part *b)
{
	double core = a->face_count || b->face_count ? reference_planes(a, b) : INFINITY;
	if (core > 0)
		core = reference_distance(a, b);
	return core - a->radius - b->radius;
}

/* How far a point (from the common point) is outside a part. */
static inline double reference_outside(const reference_part *part, v3 p)
{
	double out = part->vertex_count == 1   ? v3_distance(p, part->vertex[0])
	             : part->vertex_count == 2 ? reference_vertex_segment(p, part->vertex[0], part->vertex[1])
	                                       : 0;
	for (uint32_t f = 0; f < part->face_count; ++f) {
		double h = v3_dot(part->normal[f], v3_sub(p, part->vertex[part->loop[part->face_first[f]]]));
		out = h > out ? h : out;
	}
	return out - part->radius;
}

#endif
