/* Linear complementarity and linear programs of a few hundred unknowns, dense, for the analytic contact methods (RBS 3.4,
 * OBA 4.2.2). Degenerate pivots are resolved by lexicographic order, so none cycles. */
#ifndef CN_LCP_H
#define CN_LCP_H

#include "base/base.h"

typedef enum cn_lcp_status { CN_LCP_SOLVED, CN_LCP_RAY, CN_LCP_LIMIT, CN_LCP_MEMORY } cn_lcp_status;

/* w = Mz + q, z >= 0, w >= 0, z.w = 0 by Lemke's method; m row by row. RAY: ended on a ray; for M copositive plus (contact
 * problems without friction) that proves there is no solution. */
cn_lcp_status cn_lcp_solve(const cairn_allocator *allocator, uint32_t n, const double *m, const double *q, double *z,
                           uint32_t *pivots);

typedef enum cn_lp_status { CN_LP_SOLVED, CN_LP_INFEASIBLE, CN_LP_UNBOUNDED, CN_LP_LIMIT, CN_LP_MEMORY } cn_lp_status;

/* min c.x subject to Ax >= b, x >= 0; a has rows x columns, row by row. */
typedef struct cn_lp {
	uint32_t rows, columns;
	const double *a, *b, *c;
} cn_lp;

/* y [rows], the dual, may be NULL: A'y <= c, y >= 0; where infeasible a certificate (A'y <= 0, b.y > 0). */
cn_lp_status cn_lp_solve(const cairn_allocator *allocator, const cn_lp *program, double *x, double *y,
                         uint32_t *pivots);

#endif
