/* The poses of a scripted body by its own clock, and how the motion in a frame is cut into pieces. */
#ifndef CN_SCRIPT_H
#define CN_SCRIPT_H

#include "base/tolerance.h"
#include "world/world.h"

/* A span of a script's time, s. */
typedef struct cn_span {
	double from, to;
} cn_span;

/* The span that a script's clock is to cover in the coming frame: one frame, or up to two while it is late and
 * nothing blocks it, as far as its keys fit into the frame. */
cn_span cn_script_span(const cairn_world *w, const cn_body *body);

/* Cuts a span at the script's own keys and where it would turn too far. times: rising, the last one the span's end.
 * Returns how many, or 0 if there are more than a frame can hold. */
uint32_t cn_script_cuts(const cn_body *body, cn_span span, double times[CN_MAX_PIECES]);

/* Pose of the centre of mass. The quaternion is a unit one, with the sign nearest to the given one. */
pose cn_script_at(const cn_body *body, double time, quat near);

#endif
