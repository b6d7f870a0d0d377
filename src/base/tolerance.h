/* Constants that several layers share, each with its unit and its reason. What one layer, room or file alone uses stands
 * there: geom/tolerance.h, num/tolerance.h, check/tolerance.h, step/tolerance.h, the header of a room, the top of a file.
 */
#ifndef CN_TOLERANCE_H
#define CN_TOLERANCE_H

#include <assert.h>
#include <float.h>

/* Input. Sizes outside these are refused: with them every product the geometry forms stays within double's range. */
#define CN_LENGTH_MIN 1e-9 /* m: smallest extent of a shape */
#define CN_LENGTH_MAX 1e9  /* m: largest extent, coordinate and offset */
#define CN_SPEED_MAX 1e9   /* m/s and rad/s: with it no product of speeds and lengths overflows */
#define CN_MASS_MIN 1e-30  /* kg: a cube of 1e-9 m at 1e-3 kg/m^3 */
#define CN_MASS_MAX 1e40   /* kg: a cube of 1e9 m at 1e13 kg/m^3 */
/* bodies, points, triangles, parts of one scene: their indices and sizes fit into 32 bits */
#define CN_COUNT_MAX 10000000u
#define CN_UNIT_ERROR 1e-3 /* a quaternion or normal this far from length 1 is taken for a mistake */

/* The chain: each length, in parts of the thinner of two bodies, is well below the next. */
/* x DBL_EPSILON x the coordinates: taken off every separation that a proof of motion rests on */
#define CN_SWEEP_ULPS 16
#define CN_KEPT_ULPS 64 /* x DBL_EPSILON x the coordinates: no gap is kept below what a proof can see */
/* of the smaller part: a separation is confirmed to this, a tenth of what is promised */
#define CN_SEPARATE_SLACK 1e-10
#define CN_CONTACT_CLOSEST 1e-9    /* of the smaller part's size: what a separation promises of its gap */
#define CN_POSITION_TOLERANCE 1e-6 /* of the thinnest part: a thousandth of the kept gap */
#define CN_REACH_TOLERANCE 1e-6    /* of the smaller part: how near the proof of a frame comes to the first touch */
/* of the thinner part: bodies turn in contact by 0.1 rad a frame within it (theta^2 rho / 8) */
#define CN_KEPT_GAP 1e-3
/* of the radius: the gap of a shell that may move is that of a solid so thick, room to turn in contact */
#define CN_SHELL_THICK 0.5
#define CN_SHOWN_GAP 0.01 /* of the thinner part: points this near count as contacts though they press on nothing */
#if defined __GNUC__ && !defined __clang__ /* which compares floating constants when it compiles */
static_assert(CN_SWEEP_ULPS < CN_KEPT_ULPS && CN_KEPT_ULPS * DBL_EPSILON < 1e-3 * CN_SEPARATE_SLACK,
              "rounding is well below what a separation is known to");
static_assert(CN_SEPARATE_SLACK < CN_CONTACT_CLOSEST && CN_CONTACT_CLOSEST < 1e-2 * CN_POSITION_TOLERANCE,
              "the geometry is well below what a solver is asked for");
static_assert(CN_POSITION_TOLERANCE < 1e-2 * CN_KEPT_GAP && CN_REACH_TOLERANCE < 1e-2 * CN_KEPT_GAP,
              "solver and proof are well below the kept gap");
static_assert(CN_KEPT_GAP < CN_SHOWN_GAP && CN_SHOWN_GAP < 0.1, "gaps are well below the thickness");
#endif

/* Motion. */
#define CN_MAX_PIECES 64       /* keys a frame: 64 x 1.5 rad at 30 frames a second is 2880 rad/s */
#define CN_UNIT_ROUNDING 1e-12 /* two unit vectors this close are the same one: a few turns' worth of rounding */
#define CN_SLEEP_LATER 1.5 /* x the time after which a body is at rest: so long at rest, all of it, an island sleeps */
#define CN_STILL_FRAMES_MAX 40000 /* frames that are counted at most: CN_SLEEP_LATER x as many fit into 16 bits */

/* Solvers. */
/* of an island at most for which real time asks the exact method: about a millisecond */
#define CN_SMALL_BRISK_BODIES 6
#define CN_SMALL_CROWD 500  /* bodies: in a crowd of more there is no time to solve each island as well as it can be */
#define CN_SLIDE_ROUNDS 100 /* of finding how a struck point slides: from 2^40 x its response to the last digit */

#endif
