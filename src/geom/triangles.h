/* Triangles over points, as whoever owns them has them. */
#ifndef CN_TRIANGLES_H
#define CN_TRIANGLES_H

#include "base/vec.h"

typedef struct cn_triangles {
	const v3 *points;
	uint32_t point_count;
	const uint32_t *triangles; /* three points each */
	uint32_t triangle_count;
} cn_triangles;

#endif
