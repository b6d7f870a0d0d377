/* Constants of the code that waits here for its methods. */
#ifndef CN_WAITING_TOLERANCE_H
#define CN_WAITING_TOLERANCE_H

#define CN_PIVOT_MIN 1e-11  /* of a column: a smaller pivot is rounding */
#define CN_PIVOT_TIE 1e-12  /* relative: two ratios this close are equal, and the next column decides */
#define CN_PIVOT_REST 1e-9  /* of the first approach: what redundant rows may disagree by */
#define CN_PIVOT_LP 1e-9    /* of a column's largest: what the simplex method does not pivot on */
#define CN_PIVOT_COST 1e-10 /* of scaled costs: a reduced cost above minus this brings nothing */
#define CN_TOUCH_STEPS 200  /* of one pair of features: ten are usual, a hundred let it slide by at 1e-4 of its size */
#define CN_TOUCH_ULPS 16    /* x DBL_EPSILON x the largest coordinate: rounding of differences and of their products */
#define CN_MESH_PIECE 1000  /* pairs of triangles: a piece of the motion that has more of them is cut */

#endif
