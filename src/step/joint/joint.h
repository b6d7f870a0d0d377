/* Bodies that joints hold together: which they are. articulation.h has the equations and their solution. */
#ifndef CN_STEP_JOINT_H
#define CN_STEP_JOINT_H

#include "world/world.h"

void cn_articulations_destroy(cairn_world *w);
bool cn_articulations_begin(cairn_world *w);                                /* false: memory ran out */
bool cn_articulations_exempt(const cairn_world *w, uint32_t a, uint32_t b); /* a joint keeps the two from colliding */
void cn_articulations_join(const cairn_world *w, uint32_t *root); /* islands: bodies of an articulation are in one */
bool cn_articulations_spread(const cairn_world *w,
                             uint8_t *flags);                     /* to whole articulations; whether that changed any */
uint32_t cn_articulation_of(const cairn_world *w, uint32_t slot); /* CN_QP_NONE: no joint holds it */
bool cn_articulation_follows(const cairn_world *w, uint32_t slot); /* it is held to what a script moves */
bool cn_articulation_tied(const cairn_world *w, uint32_t slot);    /* it is held to what no impulse moves */
uint32_t cn_articulation_bodies(const cairn_world *w, uint32_t slot, uint32_t number); /* CN_QP_NONE: no more */

#endif
