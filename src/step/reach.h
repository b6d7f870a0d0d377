/* Whether bodies can come to touch: boxes about their parts, at poses and over a frame's motion. A box holds its part, so
 * every gap found here is a lower bound of the true one; a contact is never missed, but may be feared in vain. */
#ifndef CN_REACH_H
#define CN_REACH_H

#include "world/world.h"

/* Lower bound of the gap between two shapes at poses of their own frames, and the unit axis from a to b it is on. */
double cn_reach_gap(const cairn_scene *scene, uint32_t shape_a, pose a, uint32_t shape_b, pose b, v3 *normal);

/* Bodies within reach of each other where they stand now: true and the first such pair. False if there is none, or if
 * memory ran out, which *failed says. */
bool cn_reach_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed);

#endif
