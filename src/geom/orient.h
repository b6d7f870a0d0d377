/* Which side of a plane a point is on, decided exactly. */
#ifndef CN_ORIENT_H
#define CN_ORIENT_H

#include "base/vec.h"

/* Coordinates are 0 or between these: then nothing here overflows, and no product of three loses a bit to underflow. */
#define CN_ORIENT_MIN 0x1p-300
#define CN_ORIENT_MAX 0x1p300

/* The plane through a, b, c. The normal is (b - a) x (c - a) to within a few DBL_EPSILON of its length unless the
 * triangle is thinner than about that times its length; doubt bounds what is unsure about normal . w for a w of
 * largest coordinate 1. */
typedef struct cn_plane {
	v3 normal;
	double doubt;
} cn_plane;

cn_plane cn_plane_through(v3 a, v3 b, v3 c);

/* 1 if p is above the plane through a, b, c (they run counter-clockwise seen from p), -1 below, 0 on it. Exact for the
 * coordinates as they are; plane, made from the same points, decides nearly all cases. */
int cn_plane_side(const cn_plane *plane, v3 a, v3 b, v3 c, v3 p);

#endif
