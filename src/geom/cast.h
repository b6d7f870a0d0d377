/* Casts: when something that moves straight and does not turn first meets a part. A ray is a point that does; a share is
 * of its way, from 0 to 1. What starts inside a solid meets it at share 0. Nothing is allocated, and answers do not
 * depend on the order in which parts are asked. */
#ifndef CN_CAST_H
#define CN_CAST_H

#include "geom/separate.h"

#define CN_NO_TRIANGLE UINT32_MAX

typedef struct cn_ray {
	v3 from, way;
} cn_ray;

/* What has been met so far: share is the limit up to which is looked, and what is met at it or before is written. */
typedef struct cn_meeting {
	double share;
	v3 point, normal; /* world; the normal is unit and points out of what is met */
	uint32_t triangle;
} cn_meeting;

/* A part of a kind other than mesh. True: it is met at a share of at most meeting->share, which is what is written. */
bool cn_cast_ray(const cn_convex *part, const cn_place *at, const cn_ray *ray, cn_meeting *meeting);
/* The triangles of a mesh whose frame is at a pose, and the inside of a solid one. */
bool cn_cast_ray_mesh(const cn_shape *mesh, pose frame, const cn_ray *ray, cn_meeting *meeting);

/* The same for a part that moves from where it stands: not a half-space, and no mesh. */
typedef struct cn_cast {
	const cn_convex *part;
	cn_place at;
	v3 way;
} cn_cast;

bool cn_cast_part(const cn_cast *cast, const cn_convex *part, const cn_place *at, cn_meeting *meeting);
bool cn_cast_mesh(const cn_cast *cast, const cn_shape *mesh, pose frame, cn_meeting *meeting);

/* The half extents of a part along the axes of a frame that is turned by to (world axes: the identity). */
v3 cn_cast_extent(const cn_convex *part, const cn_place *at, quat to);

#endif
