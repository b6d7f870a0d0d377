/* A point against an ellipse in the plane: the widest line between them. What the rim of a cylinder against a straight
 * edge comes to, seen along the edge. */
#ifndef CN_ELLIPSE_H
#define CN_ELLIPSE_H

#include "base/vec.h"

/* Semi-axes: short_axis along f, long_axis along g; focus2 is the difference of their squares, given because the
 * squares may agree to the last digit. */
typedef struct cn_ellipse {
	double short_axis, long_axis, focus2;
} cn_ellipse;

/* The unit normal (nf, ng) that maximises n.q - sqrt(short^2 nf^2 + long^2 ng^2): the signed distance of the point
 * q from the ellipse about the origin. Of an inner point there may be a second, lesser maximum, on the far side of
 * the long axis: `second` asks for that one; false when there is none. */
bool cn_ellipse_widest(cn_ellipse e, double qf, double qg, bool second, double *nf, double *ng);

#endif
