/* Where a scripted body is to go in a frame, by its own clock, and where that way is cut into pieces. */
#ifndef CN_SCRIPT_H
#define CN_SCRIPT_H

#include "base/tolerance.h"
#include "world/world.h"

/* A stretch of a script's time, s. */
typedef struct cn_span {
	double from, to;
} cn_span;

/* What the clock of a script is to cover in the coming frame: the frame, or up to twice as much while it is
 * behind and nothing is in its way, as far as a frame can hold the keys. */
cn_span cn_script_span(const cairn_world *w, const cn_body *body);

/* A span is cut at the script's own keys and where it would turn too far: times within it, rising, the last its end.
 * Returns how many, or 0 when there are more than a frame can hold. */
uint32_t cn_script_cuts(const cn_body *body, cn_span span, double times[CN_MAX_PIECES]);

/* Centre and orientation, a unit quaternion on the side of the one given. */
pose cn_script_at(const cn_body *body, double time, quat near);

#endif
