/* Oriented boxes: the separation of two boxes along their fifteen axes. A body lies inside its box, so a gap between
 * boxes is a lower bound for the gap between bodies. */
#ifndef CN_OBB_H
#define CN_OBB_H

#include "base/vec.h"

typedef struct cn_obb {
	v3 center, half; /* half edge lengths */
	quat axes;
} cn_obb;

/* The widest separation over the fifteen axes; *normal is the unit axis it is on, from a to b. Negative: the boxes
 * overlap by at least that along every axis. For touching-free boxes it is a lower bound of the distance. */
double cn_obb_separate(const cn_obb *a, const cn_obb *b, v3 *normal);
/* Separation along a given unit axis from a to b. */
double cn_obb_along(const cn_obb *a, const cn_obb *b, v3 normal);
/* Least value of normal.x over the box. */
double cn_obb_lowest(const cn_obb *a, v3 normal);

#endif
