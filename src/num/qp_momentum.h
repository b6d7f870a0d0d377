/* The momentum program of a whole scene: islands of few bodies in double to the last digit (qp_small.h), all others together in
 * real time (qp_fast.h). */
#ifndef CN_QP_MOMENTUM_H
#define CN_QP_MOMENTUM_H

#include "num/qp_fast.h"
#include "num/qp_small.h"

typedef struct cn_momentum cn_momentum; /* its memory, kept from frame to frame */

cn_momentum *cn_momentum_create(const cairn_allocator *allocator);
void cn_momentum_destroy(cn_momentum *momentum); /* NULL is fine */

/* Options as for cn_fast_momentum; sweeps and tolerance hold for the large islands. The result has the worst status, violation
 * and residual of all islands, the most sweeps, and the factorisations of all. CN_QP_MEMORY: the solution is as it was, or
 * that of some islands. */
cn_qp_result cn_momentum_solve(cn_momentum *momentum, const cn_qp *qp, const cn_fast_options *options,
                               cn_qp_solution *solution);

#endif
