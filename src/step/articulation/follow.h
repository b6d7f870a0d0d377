/* Ways to follow an articulation through a frame, and what they share. */
#ifndef CN_STEP_FOLLOW_H
#define CN_STEP_FOLLOW_H

#include "step/joint/articulation.h"

/* ---- energy.c */
/* Adds a key before a step of length h, at this share of the frame, that would turn a link too far from its last one.
 * False: memory ran out. */
bool cn_articulation_cut(cairn_world *w, cn_articulation *art, double h, double share);
double cn_link_energy(const cairn_world *w, const cn_link *l); /* J: kinetic and of height */
double cn_articulation_energy(const cairn_world *w, const cn_articulations *g, const cn_articulation *art);
/* Momentum of an articulation, and its angular momentum about its centre of mass. */
typedef struct cn_whole {
	double mass;
	v3 center, momentum, turning;
} cn_whole;
cn_whole cn_articulation_whole(const cairn_world *w, const cn_articulations *g, const cn_articulation *art);
/* Gives it these by moving it as one rigid body, which the joints allow. */
void cn_articulation_set_whole(cairn_world *w, const cn_articulation *art, const cn_whole *to);
bool cn_articulation_mendable(const cairn_world *w, const cn_articulation *art,
                              double error); /* J: by scaling what moves; else steps are to be finer */
bool cn_articulation_keep_energy(cairn_world *w, const cn_articulation *art, double wanted);
void cn_articulation_take_back(cairn_world *w, const cn_articulation *art, double held);

/* ---- rattle.c, tree.c */
uint32_t cn_articulation_steps(const cairn_world *w, const cn_articulations *g, const cn_articulation *art);
/* Both integrate from the frame's start through a share of it (1: to its end). False: memory ran out. art->result: the
 * motion cannot be computed. *well: energy and joints are accurate enough. */
bool cn_articulation_rattle(cairn_world *w, cn_articulation *art, double span, uint32_t steps, bool *well);
bool cn_articulation_follow_tree(cairn_world *w, cn_articulation *art, double span, bool *well);

#endif
