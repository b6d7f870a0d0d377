/* Constants of the code that waits here for its methods. */
#ifndef CN_WAITING_TOLERANCE_H
#define CN_WAITING_TOLERANCE_H

#define CN_TOUCH_STEPS 200 /* of one pair of features: ten are usual, a hundred let it slide by at 1e-4 of its size */
#define CN_TOUCH_ULPS 16   /* x DBL_EPSILON x the largest coordinate: rounding of differences and of their products */
#define CN_MESH_PIECE 1000 /* pairs of triangles: a piece of the motion that has more of them is cut */

#endif
