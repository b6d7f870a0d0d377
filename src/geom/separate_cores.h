/* What the files of the separation share: two cores in A's axes, their difference seen through support points, and the
 * answer for the cores.
 *
 * C is the set of all b - a. The gap of the cores is the maximum over unit n of min n.c over C: the distance of C from
 * the origin, or minus the depth of the origin in C. A corner of C is a pair of vertices. */
#ifndef CN_SEPARATE_CORES_H
#define CN_SEPARATE_CORES_H

#include "geom/separate.h"

enum { CN_CLIMB_FROM = 12 }; /* vertices: with fewer a look at each is quicker than climbing */

typedef struct cn_cores {
	const cn_convex *a, *b;
	m3 r;            /* B's axes in A's */
	v3 t;            /* B's centre from A's */
	double rounding; /* m: bound of the rounding of a computed distance */
	double slack;    /* m: an answer must be confirmed to this */
	uint32_t va, vb; /* where the next climbs begin */
	v3 last;         /* the last call's axis made anew from its features; zero: none */
	cn_feature last_a, last_b;
	bool warm; /* last_a and last_b come from a witness: any numbers */
	double
		beyond; /* m: whoever asks is content with an axis that separates the cores by this; infinite: wants the gap */
	bool shallow; /* ... and where the cores overlap with that alone */
} cn_cores;

typedef struct cn_corner {
	v3 p; /* b - a */
	uint32_t a, b;
} cn_corner;

/* Some corners of C and the point of their hull nearest the origin: v = sum weight x p. */
typedef struct cn_simplex {
	uint32_t count;
	cn_corner corner[4];
	double weight[4];
	v3 v;
} cn_simplex;

/* Answer for the cores, in A's axes; a and b from A's centre. */
typedef struct cn_core_gap {
	v3 n;
	double gap;
	v3 a, b;
	cn_feature feature_a, feature_b;
} cn_core_gap;

/* The vertex furthest along d; from any vertex. Differences of vertices are formed first, so that near vertices keep all
 * their digits; in a crowded polytope even that leads a climb astray, and every vertex is looked at. */
static inline uint32_t cn_core_furthest(const cn_convex *c, v3 d, uint32_t from)
{
	const cn_polytope *p = &c->core;
	if (c->kind == CAIRN_BOX)
		return (uint32_t)(d.x > 0) | (uint32_t)(d.y > 0) << 1 | (uint32_t)(d.z > 0) << 2;
	if (p->vertex_count <= CN_CLIMB_FROM || p->crowded)
		return cn_polytope_furthest(p, d);
	uint32_t at = c->seeds[cn_convex_cell(d)];
	if (from != at && v3_dot(v3_sub(p->vertices[from], p->vertices[at]), d) > 0)
		at = from;
	for (uint32_t steps = 0; steps < p->vertex_count; ++steps) {
		v3 here = p->vertices[at];
		uint32_t next = at;
		double most = 0;
		for (uint32_t k = p->ring_first[at], end = p->ring_first[at + 1]; k < end; ++k) {
			double gain = v3_dot(v3_sub(p->vertices[p->ring[k]], here), d);
			if (gain > most)
				most = gain, next = p->ring[k];
		}
		if (next == at)
			break;
		at = next;
	}
	return at;
}

/* Some unit vector square to e; any, where e is zero. */
static inline v3 cn_core_square(v3 e)
{
	v3 size = v3_abs(e);
	v3 axis = size.x <= size.y && size.x <= size.z ? v3_make(1, 0, 0)
	          : size.y <= size.z                   ? v3_make(0, 1, 0)
	                                               : v3_make(0, 0, 1);
	v3 n = v3_unit(v3_cross(e, axis));
	return v3_length2(n) > 0 ? n : axis;
}

static inline v3 cn_cores_to_b(const cn_cores *c, v3 d) { return m3_unapply(c->r, d); }
static inline v3 cn_cores_turn_b(const cn_cores *c, v3 d) { return m3_apply(c->r, d); }
static inline v3 cn_cores_point_b(const cn_cores *c, uint32_t vertex)
{
	return v3_add(c->t, cn_cores_turn_b(c, c->b->core.vertices[vertex]));
}
/* B's vertex from its centre is turned, A's is taken off, then the centres' distance is added: with size ratios the
 * small numbers meet first. */
static inline cn_corner cn_cores_corner(const cn_cores *c, uint32_t a, uint32_t b)
{
	return (cn_corner){v3_sub(cn_cores_point_b(c, b), c->a->core.vertices[a]), a, b};
}

/* The corner of C with the least n.c. */
static inline cn_corner cn_cores_lowest(cn_cores *c, v3 n)
{
	c->va = cn_core_furthest(c->a, n, c->va);
	c->vb = cn_core_furthest(c->b, v3_neg(cn_cores_to_b(c, n)), c->vb);
	return cn_cores_corner(c, c->va, c->vb);
}
/* min n.c over C: what n separates the cores by. */
static inline double cn_cores_along(cn_cores *c, v3 n) { return v3_dot(n, cn_cores_lowest(c, n).p); }

/* separate.c: two parts at their places, and nothing known of a last call. */
void cn_cores_set(cn_cores *c, const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb);

/* separate_simplex.c: the point of the simplex nearest the origin; corners that do not carry it are dropped. False:
 * the origin is inside four corners. */
bool cn_simplex_nearest(cn_simplex *s);

/* separate_settle.c */
/* The axis that two features determine, on the side of toward; zero if they determine none. Any numbers will do. */
v3 cn_cores_axis(const cn_cores *c, cn_feature fa, cn_feature fb, v3 toward);
/* Makes the answer of a simplex and the axis it suggests. True: confirmed; else only the features are filled. */
bool cn_cores_settle(cn_cores *c, const cn_simplex *s, v3 guess, cn_core_gap *out);
/* The same with the last call's axis and nothing else; v must point to the side of that. */
bool cn_cores_settle_last(cn_cores *c, const cn_simplex *s, cn_core_gap *out);
/* a and b from the weights of the simplex; n and gap are there already. */
void cn_cores_points(const cn_cores *c, const cn_simplex *s, cn_core_gap *out);

/* Each in a file of its name. guess: the axis to begin with, any unit vector. */
typedef enum cn_cores_verdict { CN_CORES_APART, CN_CORES_OVERLAP, CN_CORES_UNSURE, CN_CORES_BEYOND } cn_cores_verdict;
/* BEYOND: of out there are the axis and what it separates by alone. OVERLAP: or touching. s is for its use; it is left with the corners met last, four where they hold the origin. */
cn_cores_verdict cn_cores_apart(cn_cores *c, v3 guess, cn_simplex *s, cn_core_gap *out);
/* The corners of C that the last call's features span, at most 4 (a parallelogram); 0: of no use. */
uint32_t cn_cores_last_corners(const cn_cores *c, cn_corner *out);
/* One of the cores has faces. around: corners to begin with, or NULL. True: confirmed. */
bool cn_cores_deep(cn_cores *c, v3 guess, const cn_simplex *around, cn_core_gap *out);
void cn_cores_thin(cn_cores *c, cn_core_gap *out);  /* points and segments alone */
void cn_cores_every(cn_cores *c, cn_core_gap *out); /* one of the cores has faces */

#endif
