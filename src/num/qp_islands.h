/* The momentum program of a whole scene: islands of few bodies in double (qp_small.h), to the last digit or in real
 * time, all others together in real time (qp_fast.h). */
#ifndef CN_QP_ISLANDS_H
#define CN_QP_ISLANDS_H

#include "num/qp_fast.h"
#include "num/qp_small.h"

/* Its memory, kept from frame to frame: it allocates only when islands are larger than any before, and for the exact
 * method. */
typedef struct cn_islands cn_islands;

cn_islands *cn_islands_create(const cairn_allocator *allocator);
void cn_islands_destroy(cn_islands *momentum); /* NULL is fine */

/* Options as for cn_fast_momentum; sweeps and tolerance hold for the large islands. Small ones are solved to 1e-12 of
 * their speeds, by the exact method where need be; with brisk to 1e-8 in 60 sweeps, and the exact method is asked for
 * the first island of at most 6 bodies that is not. With brisk and more than CN_SMALL_CROWD bodies islands of
 * more than CN_SMALL_CROWD_MAX are large, and the exact method is asked for none; so it is where options.small sets a
 * lower limit. Small islands run side by side on the pool; the bits are the same for every number of threads. The
 * allocator is called on the caller's thread only. The result has the worst status, violation and residual of all
 * islands, the most sweeps, and the factorisations of all.
 * CN_QP_MEMORY: the solution is as it was, or that of some islands. */
cn_qp_result cn_islands_solve(cn_islands *momentum, const cn_qp *qp, const cn_fast_options *options,
                              cn_qp_solution *solution);

/* The most bodies of a small island, in a program of so many; crowd: as in one of very many. */
uint32_t cn_islands_small(uint32_t bodies, bool brisk, bool crowd);

#endif
