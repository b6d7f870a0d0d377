/* The bodies that goals move, as links of a forest in the coordinates of their joints: poses from coordinates, and how a
 * point of a body moves with them. Places are of the shapes' own frames. */
#ifndef CN_FOREST_H
#define CN_FOREST_H

#include "num/joint_tree.h"
#include "scene/scene.h"

typedef struct cn_forest {
	cn_joint_tree *tree; /* NULL: nothing moves */
	const cairn_scene *scene;
	uint32_t *link_of;  /* by body: its link + 1; 0: it stays where it is */
	uint32_t *body_of;  /* by link */
	double *low, *high; /* by link: limits of a hinge's or slider's coordinate */
} cn_forest;

/* wanted[body]: a goal is about it; what is joined to it comes along. All memory is of the arena but for the tree's.
 * False: the error says why. */
bool cn_forest_make(cn_forest *f, const cairn_scene *scene, const bool *wanted, cn_arena *arena, cairn_error *error);
void cn_forest_free(cn_forest *f);

/* Coordinates of the scene's start. */
void cn_forest_start(const cn_forest *f, double *place);
/* Coordinates moved by a step along each rate, kept within the limits of joints. The forest stands at `from`. */
void cn_forest_advance(const cn_forest *f, const double *from, const double *step, double *to);
/* Where a body is at the coordinates last put. */
pose cn_forest_pose(const cn_forest *f, uint32_t body);

/* Calls use(context, rate, velocity of the point, spin of the body) for every rate that moves a body, at rate 1. */
typedef void cn_forest_use(void *context, uint32_t rate, v3 velocity, v3 spin);
void cn_forest_rates(const cn_forest *f, uint32_t body, v3 point, cn_forest_use *use, void *context);

#endif
