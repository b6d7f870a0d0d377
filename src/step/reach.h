/* Whether bodies can come to touch, where they stand and over a frame's motion. Convex parts are taken as they are, a mesh by
 * its box, so a contact is never missed, but may be feared in vain for a mesh. */
#ifndef CN_REACH_H
#define CN_REACH_H

#include "world/world.h"

/* Bodies that overlap or touch where they stand now: true and the first such pair. False if there is none, or if memory ran
 * out, which *failed says. */
bool cn_reach_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed);

#endif
