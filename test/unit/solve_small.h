/* One solve by sweeps in double (num/qp_small.h) with memory of its own, given back at the end. */
#ifndef SOLVE_SMALL_H
#define SOLVE_SMALL_H

#include "num/qp_small.h"

static inline cn_qp_result solve_small(const cairn_allocator *allocator, const cn_qp *qp,
                                       const cn_small_options *options, cn_qp_solution *solution)
{
	cn_small *small = cn_small_create(allocator);
	cn_qp_result result = {.status = CN_QP_MEMORY};
	if (small)
		result = cn_small_solve(small, qp, options, solution);
	cn_small_destroy(small);
	return result;
}

#endif
