/* Triangle geometry that moves: the two ways triangles can come to touch, a vertex against a triangle and an edge
 * against an edge (SHELL 3.1), on an interval in which every vertex moves straight. What moves on an arc is cut into
 * sub-intervals and the arc's height over its chord, theta^2 r / 8, is added as thickness, so nothing that happens is
 * missed. */
#ifndef CN_TRISWEEP_H
#define CN_TRISWEEP_H

#include "geom/sweep.h"
#include "geom/tree.h"

typedef struct cn_straight {
	v3 from, to; /* t = 0 and 1 */
} cn_straight;

typedef struct cn_pair_point {
	double time;       /* [0, time] is proved to keep the distance at or above the thickness; 1 if free */
	v3 n;              /* unit, from the first to the second at time */
	double weights[4]; /* vertex/triangle: 1 and the barycentric three; edge/edge: the two of each edge; at time */
} cn_pair_point;

/* True if the distance falls to thickness (>= 0, m) in [0, 1] or that could not be excluded; *touch says until when
 * it is proved not to. False: proved free. Never later than the true time. Earlier by at most a motion of tolerance
 * (m, > 0: of the vertex that moves fastest relative to the other feature), except where the features stay near the
 * thickness for long without reaching it: what comes nearer to it than about tolerance^2 / (16 thickness), or
 * rounding, may be taken for a touch, and so may what is not decided after CN_TOUCH_STEPS steps. Below the thickness
 * at the start: true and time 0. The thickness is widened by CN_TOUCH_ULPS units in the last place of the largest
 * coordinate. */
bool cn_vertex_triangle(const cn_straight *vertex, const cn_straight triangle[3], double thickness, double tolerance,
                        cn_pair_point *touch);
bool cn_edge_edge(const cn_straight first[2], const cn_straight second[2], double thickness, double tolerance,
                  cn_pair_point *touch);

/* Distances at rest, with the same weights. n is unit always; where the distance is 0, a normal of the features if
 * they have one. */
double cn_vertex_triangle_distance(v3 vertex, const v3 triangle[3], v3 *n, double weights[4]);
double cn_edge_edge_distance(const v3 first[2], const v3 second[2], v3 *n, double weights[4]);
/* 0 if they cross. */
double cn_triangle_triangle_distance(const v3 first[3], const v3 second[3]);

/* A rigid triangle mesh that moves as in sweep.h: its centre straight, turning about a fixed axis at constant rate. */
typedef struct cn_mesh_mover {
	const v3 *points; /* about the centre of mass, body axes */
	const uint32_t *triangles;
	const cn_tree *tree; /* at points */
	v3 x0, x1;           /* centre of mass at t = 0 and 1 */
	quat q0;             /* body axes at t = 0 */
	v3 turn;             /* q(t) = exp(t turn) q0; world axes */
	double radius;       /* no point is further from the centre of mass */
} cn_mesh_mover;

typedef struct cn_mesh_sweep_result {
	cn_sweep_status status; /* REACHED: the distance comes within the tolerance of the gap after a motion of at most the
	                           tolerance, or nearly so as for single features above */
	double time;            /* the interval [0, time] is proved */
	uint32_t of_a, of_b;    /* triangles of the touch, if REACHED or CLOSE */
	v3 n;                   /* unit, from a to b there, if REACHED */
	uint32_t evaluations;   /* pairs of triangles looked at, and pieces of the interval */
} cn_mesh_sweep_result;

/* The distance of the two surfaces over the motion: one wholly inside the other counts as apart. The interval is cut
 * so finely that the arcs' height over their chords, which is added as thickness, is at most half the tolerance where
 * that matters. budget: the evaluations. Does not allocate. */
void cn_mesh_sweep(const cn_mesh_mover *a, const cn_mesh_mover *b, const cn_sweep_options *options,
                   cn_mesh_sweep_result *out);

#endif
