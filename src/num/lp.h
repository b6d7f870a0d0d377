/* Linear programs of a few hundred unknowns, dense, for the text's guess of vanishing contacts (RBS 3.4). */
#ifndef CN_LP_H
#define CN_LP_H

#include "base/arena.h"

typedef enum cn_lp_status { CN_LP_SOLVED, CN_LP_INFEASIBLE, CN_LP_UNBOUNDED, CN_LP_LIMIT, CN_LP_MEMORY } cn_lp_status;

/* min c.x subject to Ax >= b, x >= 0; a has rows x columns, row by row. */
typedef struct cn_lp {
	uint32_t rows, columns;
	const double *a, *b, *c;
} cn_lp;

/* y [rows], the dual, may be NULL: A'y <= c, y >= 0; where infeasible a certificate (A'y <= 0, b.y > 0). Memory comes from the
 * arena and is given back. pivots may be NULL. */
cn_lp_status cn_lp_solve(cn_arena *arena, const cn_lp *program, double *x, double *y, uint32_t *pivots);

#endif
