/* Forces on a single body. */
#ifndef CN_FORCES_H
#define CN_FORCES_H

#include "world/world.h"

/* Applies this frame's forces to a body that woke after cn_forces_apply. */
void cn_forces_body(cairn_world *w, uint32_t slot, cairn_energy *energy);

#endif
