/* How far a point is from a surface of triangles, and from the solid that a closed one encloses. */
#ifndef CN_SOLID_DISTANCE_H
#define CN_SOLID_DISTANCE_H

#include "geom/tree.h"
#include "geom/triangles.h"

/* The distance to the nearest triangle; at least `most` where none is nearer than that. */
double cn_skin_distance(const cn_tree *tree, const cn_triangles *mesh, v3 point, double most);
/* 0 inside of a closed surface and on it. */
double cn_solid_distance(const cn_tree *tree, const cn_triangles *mesh, v3 point, double most);

/* Points on triangles, no farther apart than step (m): corners, and between them. visit returns false to stop. Gives back
 * whether all were visited. */
bool cn_surface_samples(const cn_triangles *mesh, double step, bool (*visit)(void *context, v3 point), void *context);

typedef struct cn_reach_bounds {
	double least;     /* m: what is nearer is of no interest */
	double enough;    /* m: farther than this, any point will do */
	double tolerance; /* m, above 0 */
} cn_reach_bounds;

/* How far some triangles reach from the solid that mesh encloses: at least bounds.least; no point of them is farther away than
 * tolerance more than what is given back, unless that is above bounds.enough. */
double cn_solid_reach(const cn_tree *tree, const cn_triangles *mesh, const cn_triangles *faces, cn_reach_bounds bounds);

#endif
