/* Where the frame of a scripted body is cut into pieces. */
#ifndef CN_SCRIPT_H
#define CN_SCRIPT_H

#include "base/tolerance.h"
#include "world/world.h"

/* At its script's own keys and where it would turn too far: times within the coming frame, rising, the last its end.
 * Returns how many, or 0 when there are more than a frame can hold. */
uint32_t cn_script_cuts(const cairn_world *w, const cn_body *body, double times[CN_MAX_PIECES]);

#endif
