/* Which bodies joints hold together. The equations and their solution are in articulation.h. */
#ifndef CN_STEP_JOINT_H
#define CN_STEP_JOINT_H

#include "world/world.h"

void cn_articulations_destroy(cairn_world *w);
bool cn_articulations_begin(cairn_world *w);                                /* false: memory ran out */
bool cn_articulations_exempt(const cairn_world *w, uint32_t a, uint32_t b); /* a joint keeps the two from colliding */
void cn_articulations_join(const cairn_world *w,
                           uint32_t *root); /* unites the bodies of each articulation in a union-find of islands */
bool cn_articulations_spread(
	const cairn_world *w, uint8_t *bodies); /* extends a set of bodies to whole articulations; true: some were added */
uint32_t cn_articulation_of(const cairn_world *w, uint32_t slot); /* CN_QP_NONE: no joint holds it */
bool cn_articulation_follows(const cairn_world *w,
                             uint32_t slot); /* a joint connects it to a body that a script moves */
bool cn_articulation_tied(const cairn_world *w,
                          uint32_t slot); /* a joint connects it to something that no impulse moves */
uint32_t
cn_articulation_bodies(const cairn_world *w, uint32_t slot,
                       uint32_t number); /* number-th body of its articulation; CN_QP_NONE: there are no more */

#endif
