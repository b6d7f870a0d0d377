/* The exponential of rotation vectors that are short, by its series: no roots, no quotients, and right to rounding. For
 * loops that turn many bodies a little. */
#ifndef CN_SHORT_TURN_H
#define CN_SHORT_TURN_H

#include "base/vec.h"

/* At most 0.1 rad: the first terms that the series leave out are below 1e-19. */
static inline bool q_is_short(v3 r) { return v3_length2(r) <= 0.01; }

/* As q_exp, of a short one. */
static inline quat q_exp_short(v3 r)
{
	double y = 0.25 * v3_dot(r, r); /* half the angle, squared */
	double c = 1 - y * (1.0 / 2 - y * (1.0 / 24 - y * (1.0 / 720 - y * (1.0 / 40320))));
	double s = 0.5 - y * (1.0 / 12 - y * (1.0 / 240 - y * (1.0 / 10080 - y * (1.0 / 725760))));
	return (quat){c, r.x * s, r.y * s, r.z * s};
}

#endif
