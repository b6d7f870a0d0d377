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

/* One of a goal's two bodies. */
typedef struct cn_goal_side {
	uint32_t shape;
	v3 normal; /* at its point, of the shape's frame; (0, 0, 0): the goal asks for none */
	pose at;   /* of the shape's frame */
} cn_goal_side;

/* Fills in the normals; those that are not given are of the surface. */
void cn_goal_normals(const cairn_scene *s, const cairn_goal_def *g, cn_goal_side side[2]);
/* derive: with all derivatives. The second side of a goal of one body is not read. */
void cn_goal_look(const cairn_scene *s, const cairn_goal_def *def, const cn_goal_side side[2], bool derive,
                  cn_goal_rows *g);

#endif
