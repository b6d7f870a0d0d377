/* Any convex quadratic program, sparse: min 1/2 x'Px + q'x subject to Ax = b, Gx >= h. Interior point on the quasi-definite
 * KKT system, factored as LDL' in a fill-reducing order. For the text's programs, for small references and for the analytic
 * methods; not for real time. P = 0 makes it a linear program. */
#ifndef CN_SPARSE_QP_H
#define CN_SPARSE_QP_H

#include "base/base.h"

/* The multipliers belong to the Lagrangian 1/2 x'Px + q'x - y.(Ax - b) - z.(Gx - h). A certificate of infeasibility has
 * A'y + G'z = 0 and b.y + h.z > 0; a direction of unboundedness Px = 0, Ax = 0, Gx >= 0 and q.x < 0. */

/* By columns, row numbers ascending within one. */
typedef struct cn_sparse {
	uint32_t rows, columns;
	uint32_t *first; /* [columns + 1] */
	uint32_t *row;
	double *value;
	uint32_t capacity; /* of row and value */
} cn_sparse;

typedef struct cn_entry {
	uint32_t row, column;
	double value;
} cn_entry;

/* From entries in any order; equal places are added. False when memory ran out. */
bool cn_sparse_build(const cairn_allocator *allocator, uint32_t rows, uint32_t columns, const cn_entry *entries,
                     uint32_t entry_count, cn_sparse *out);
void cn_sparse_free(const cairn_allocator *allocator, cn_sparse *m);

typedef struct cn_sparse_qp {
	cn_sparse p; /* n x n, symmetric positive semidefinite, the upper triangle given */
	cn_sparse a, g;
	const double *q, *b, *h;
} cn_sparse_qp;

typedef enum cn_sparse_status {
	CN_SPARSE_SOLVED,
	CN_SPARSE_INFEASIBLE, /* y, z hold a Farkas certificate */
	CN_SPARSE_UNBOUNDED,  /* x holds a direction */
	CN_SPARSE_EARLY,
	CN_SPARSE_MEMORY
} cn_sparse_status;

typedef struct cn_sparse_result {
	cn_sparse_status status;
	double primal, dual, gap; /* largest residuals; objective gap, relative */
	double objective;
	uint32_t iterations;
} cn_sparse_result;

/* x [n], y [rows of a], z [rows of g], z >= 0: caller's arrays, filled. tolerance 0: 1e-10. */
cn_sparse_result cn_sparse_solve(const cairn_allocator *allocator, const cn_sparse_qp *program, double tolerance,
                                 double *x, double *y, double *z);

#endif
