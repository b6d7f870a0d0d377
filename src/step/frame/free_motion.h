/* Free motion of single bodies, for methods that put a frame together from steps. */
#ifndef CN_STEP_FREE_MOTION_H
#define CN_STEP_FREE_MOTION_H

#include "world/world.h"

/* Moves a scripted body through the step under way: its pose and velocity in w->next, its keys inside the step in
 * w->next_extras from that number on. */
void cn_script_move(cairn_world *w, uint32_t slot, uint32_t extra);

#endif
