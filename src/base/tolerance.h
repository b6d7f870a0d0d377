/* Every tolerance of the library with its unit and its reason. The chain, relative to the bodies:
 * rounding << solver tolerance << kept gap << thickness. */
#ifndef CN_TOLERANCE_H
#define CN_TOLERANCE_H

/* Rotation. */
#define CN_INNER_TURN 0.06 /* rad: longest turn of one splitting step; second order: energy within 1e-4 for any box */
#define CN_PIECE_TURN 1.5  /* rad: longest turn between two keys; below pi/2 by more than E drifts in a frame */
#define CN_MAX_PIECES 64   /* keys a frame: 64 x 1.5 rad at 30 frames a second is 2880 rad/s */
#define CN_CUT_LEAST 1e-6  /* of a frame: script keys nearer than this to a frame or to each other are taken together */
#define CN_SYMMETRY 1e-12 /* relative: two principal moments this close count as equal (rounding of a mesh's inertia) */

/* Input. Sizes outside these are refused: with them every product the geometry forms stays within double's range. */
#define CN_LENGTH_LEAST 1e-9   /* m: smallest extent of a shape */
#define CN_LENGTH_MOST 1e9     /* m: largest extent, coordinate and offset */
#define CN_SPEED_MOST 1e9      /* m/s and rad/s */
#define CN_MASS_LEAST 1e-30    /* kg: a cube of 1e-9 m at 1e-3 kg/m^3 */
#define CN_MASS_MOST 1e40      /* kg */
#define CN_INERTIA_LEAST 1e-50 /* kg m^2: the smallest mass at the smallest length, and some */
#define CN_INERTIA_MOST 1e60
#define CN_COUNT_MOST 10000000u /* bodies, points, triangles, parts of one scene */
#define CN_EMIT_ROOM 65536u     /* bodies still to be emitted that a world makes room for at the start: about 70 MB */
#define CN_SEED_MOST 9007199254740992ull /* 2^53 */
#define CN_UNIT_ERROR 1e-3               /* a quaternion or normal this far from length 1 is taken for a mistake */
#define CN_INERTIA_ERROR 1e-9 /* relative slack of the triangle inequality of moments: rounding of printed numbers */

/* Geometry. */
#define CN_PARALLEL 1e-8 /* rad: edges this close count as parallel; their axis would add less than this x size */
#define CN_HULL_ULPS                                                                                                   \
	32                       /* a hull's points count as on it up to this x DBL_EPSILON x the largest coordinate: three
                                 times the worst rounding of a distance to a plane, so what is beyond it is outside */
#define CN_FLAT_VOLUME 1e-14 /* a closed surface with less volume than this x its area x its extent is flat: rounding */

#endif
