/* Least squares under equations, both smooth: the least |r(z)|^2 with c(z) = 0, where every row knows only a few of the
 * unknowns. Each step solves the linear problem at z by one sparse factor (PBA 7.102 and 7.103, in one system; errata 38):
 *
 *   [ B  A'  J' ] [ step ]   [  0 ]
 *   [ A  -1     ] [ y    ] = [ -r ]      A, J: derivatives of r and c; y: r after the step; m: multipliers
 *   [ J      -e ] [ m    ]   [ -c ]
 *
 * and is shortened until a sum of both gets less. B is a small multiple of 1, which grows where steps have to be short; near
 * the end it is also the curvature of rows, by what they weigh (r and m), found by differences: then steps end fast. */
#ifndef CN_SQP_H
#define CN_SQP_H

#include "num/ldl.h"

/* Rows 0 .. squares - 1 are r, the others c. */
typedef struct cn_sqp_problem {
	uint32_t unknowns, squares, equations;
	const cn_entry *entries; /* row, column (of an unknown); no place twice */
	uint32_t entry_count;
	void (*look)(void *context, const double *z, double *rows);
	void (*derive)(void *context, const double *z, double *values); /* of the entries, in their order */
	void *context;
	/* Unknowns that may share a row are at times no further apart than reach; of those of one time each has a slot. */
	const uint32_t *time, *slot;
	uint32_t reach, slots, times;
} cn_sqp_problem;

typedef enum cn_sqp_end { CN_SQP_DONE, CN_SQP_STUCK, CN_SQP_STEPS, CN_SQP_MEMORY } cn_sqp_end;

typedef struct cn_sqp_result {
	cn_sqp_end end;
	uint32_t steps;
	double cost;  /* |r|^2 */
	double error; /* the largest |c| */
	double step;  /* the largest change of an unknown in the last step */
} cn_sqp_result;

/* From z, which becomes the answer. rows has room for all of them and holds their values at the end. */
cn_sqp_result cn_sqp_solve(const cairn_allocator *allocator, const cn_sqp_problem *p, double *z, double *rows);

#endif
