/* Forces on a single body. */
#ifndef CN_FORCES_H
#define CN_FORCES_H

#include "world/world.h"

/* A body that wakes when the frame's forces have been applied already gets its own. */
void cn_forces_body(cairn_world *w, uint32_t slot, cairn_energy *energy);

#endif
