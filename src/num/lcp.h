/* Linear complementarity of a few hundred unknowns, dense, for the classic contact methods (RBS 3.4, OBA 4.2.2). Degenerate
 * pivots are resolved by lexicographic order, so none cycles. */
#ifndef CN_LCP_H
#define CN_LCP_H

#include "base/arena.h"

typedef enum cn_lcp_status { CN_LCP_SOLVED, CN_LCP_RAY, CN_LCP_LIMIT, CN_LCP_MEMORY } cn_lcp_status;

/* w = Mz + q, z >= 0, w >= 0, z.w = 0 by Lemke's method; m row by row. RAY: ended on a ray; for M copositive plus (contact
 * problems without friction) that proves there is no solution. Memory comes from the arena and is given back. pivots may be
 * NULL. */
cn_lcp_status cn_lcp_solve(cn_arena *arena, uint32_t n, const double *m, const double *q, double *z, uint32_t *pivots);

#endif
