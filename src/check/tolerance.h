/* Constants of the independent check that several of its files use; it shares none with the simulation. */
#ifndef CN_CHECK_TOLERANCE_H
#define CN_CHECK_TOLERANCE_H

#define CN_CHECK_MOTION_ULPS 64 /* x DBL_EPSILON x (distance + radius), on the way: the pose itself is computed there */
#define CN_CHECK_TIGHT 1e-10    /* of the smaller reach: a gap whose sign is known needs no closer bracket */
#define CN_CHECK_WIDEN 4096     /* x the bound: the most that needles and knives may widen it */

#endif
