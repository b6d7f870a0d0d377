/* The part of the small solver that costs most, included once by each file of a machine (qp_small_narrow.c,
 * qp_small_avx2.c). */
#ifndef CN_QP_SMALL_KERNEL_H
#define CN_QP_SMALL_KERNEL_H

#include "num/qp_small_kernel_direct.h"
#include "num/qp_small_kernel_newton.h"
#include "num/qp_small_kernel_turns.h"

static const cn_small_kernel kernel = {sum_up,      sweep_all,  find_residual, solve_directly,
                                       turns_begin, take_turns, eliminate};

#endif
