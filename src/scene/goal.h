/* A goal at given poses of its two bodies: a list of numbers that ought to be 0, and how they change with the bodies. Half the
 * sum of their squares is, but for the weight, the goal's energy. */
#ifndef CN_SCENE_GOAL_H
#define CN_SCENE_GOAL_H

#include "scene/scene.h"

enum { CN_GOAL_ROWS = 6 }; /* of one goal at most */

/* The derivatives of a goal's numbers by how one of its bodies moves: velocity of the point (of b: of what of b is at that
 * place) and spin. */
typedef struct cn_goal_part {
	v3 by_velocity[CN_GOAL_ROWS], by_spin[CN_GOAL_ROWS];
} cn_goal_part;

typedef struct cn_goal_rows {
	uint32_t count;
	double r[CN_GOAL_ROWS];
	v3 at_a, at_b; /* where the points are */
	cn_goal_part a, b;
	cairn_goal_miss miss;
} cn_goal_rows;

/* shapes: of its two bodies. The normals at its points, of the bodies' own frames; those that are not given are of the surface. (0, 0, 0): it asks for
 * none. */
void cn_goal_normals(const cairn_scene *s, const cairn_goal_def *g, const uint32_t shapes[2], v3 normals[2]);
/* at: poses of the two shapes' frames. derive: with all derivatives. */
void cn_goal_look(const cairn_scene *s, const cairn_goal_def *def, const uint32_t shapes[2], const v3 normals[2],
                  const pose at[2], bool derive, cn_goal_rows *g);

#endif
