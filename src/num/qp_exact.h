/* Exact methods: a primal-dual interior point method whose linear systems are 6x6 block-sparse Cholesky factorisations
 * over the graph of bodies, ordered to keep the fill low; and the exact Coulomb reference on top of it. Slow and sure.
 * */
#ifndef CN_QP_EXACT_H
#define CN_QP_EXACT_H

#include "num/qp.h"

typedef struct cn_exact_options {
	double
		tolerance; /* of violation and complementarity, relative to the program's scale (qp_exact_rows.h); 0: 1e-10 */
	uint32_t iterations; /* at most: interior point steps, or proximal steps of the Coulomb reference; 0: 100, or 600 */
} cn_exact_options;

/* The convex program (mu and eps are ignored). SOLVED or INFEASIBLE (with a certificate in the multipliers, checked
 * before it is claimed; u is then u0), EARLY only where rounding or the iteration limit stopped it. Islands are solved
 * one by one, rows on bodies that cannot move are judged as they stand. Starts cold. Where rows nearly depend on each
 * other multipliers are large and their rounding counts: u is then the point itself, and differs from u0 + M^-1 J'y by
 * that rounding. Numbers beyond the range of double end EARLY, with u0. */
cn_qp_result cn_exact_solve(const cairn_allocator *allocator, const cn_qp *qp, const cn_exact_options *options,
                            cn_qp_solution *solution);

/* Exact Coulomb with restitution 0: a fixed point on the de Saxce shift mu |v_t| around an exact second-order cone
 * program, quickened by Newton steps on the law itself. Up to a few hundred bodies. INFEASIBLE where the rows
 * contradict each other without friction already. CYCLED when it does not settle; the answer is then the best iterate
 * and the residual says how good it is. There may be several solutions; it finds one of them. */
cn_qp_result cn_exact_coulomb(const cairn_allocator *allocator, const cn_qp *qp, const cn_exact_options *options,
                              cn_qp_solution *solution);

#endif
