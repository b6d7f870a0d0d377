/* Cavities of a solid: space outside of it and farther from it than a limit, from which no way as far from it leads out of its
 * box. A convex thing in that box that reaches beyond the limit does so at its surface, or has a whole cavity in it: so one point
 * of each tells. A grid finds them, and may miss those that are smaller than its step, 1/32 of the box. */
#ifndef CN_CAVITY_H
#define CN_CAVITY_H

#include "base/arena.h"
#include "geom/tree.h"
#include "geom/triangles.h"

typedef struct cn_cavity_sample {
	v3 at;
	double away; /* m */
	uint32_t number;
} cn_cavity_sample;

typedef struct cn_cavities {
	cn_cavity_sample *samples; /* the farthest first; at least one of each cavity that is found */
	uint32_t count;
} cn_cavities;

/* mesh is closed; tree is over its triangles. In the arena. False: memory ran out. */
bool cn_find_cavities(cn_arena *arena, const cn_triangles *mesh, const cn_tree *tree, double limit, cn_cavities *out);

#endif
