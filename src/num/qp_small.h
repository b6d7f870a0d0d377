/* Small islands in double: the momentum program by projected Gauss-Seidel and direct solves to a residual of 1e-12, by
 * the exact reference where these do not get there; joints that form trees are eliminated before; and one contact in
 * closed form. */
#ifndef CN_QP_SMALL_H
#define CN_QP_SMALL_H

#include "num/qp_bounce.h"

enum { CN_SMALL_BODIES = 64 };

typedef struct cn_small_options {
	uint32_t sweeps;  /* before the exact method is tried; 0: 200 */
	double tolerance; /* of the residual, relative to the largest speed at a contact; 0: 1e-12 */
	bool warm, bounce;
	bool sweeps_only; /* the exact method is not asked */
	bool turns;       /* where contacts slide rows and bodies take turns, and it is enough where these gain little */
} cn_small_options;

/* The memory of a solver, kept from frame to frame: it allocates only when a program is larger than any before, and for
 * the exact method. */
typedef struct cn_small cn_small;

cn_small *cn_small_create(const cairn_allocator *allocator); /* NULL when memory ran out */
void cn_small_destroy(cn_small *small);                      /* NULL is fine */

/* Room for programs of these sizes: with sweeps_only they then need no memory. False when it ran out. */
bool cn_small_reserve(cn_small *small, uint32_t bodies, uint32_t contacts, uint32_t rows);

/* The whole program as one island, of any size though meant for few. The residual is the largest change of a row's
 * value in the last sweep, or that a sweep would make; no island's kinetic energy rises unless something drives its
 * bodies (qp_bounce.h). factored: by the exact method. With CN_QP_MEMORY the solution holds the start, and u that goes
 * with it. */
cn_qp_result cn_small_solve(cn_small *small, const cn_qp *qp, const cn_small_options *options,
                            cn_qp_solution *solution);

/* One contact between two bodies (OBA 6.2.2, ch. 8): the impulse after which they part with eps times the speed they came
 * with, sticking if that is inside the true cone, else sliding (qp_bounce.h). Where it would raise the kinetic energy eps
 * is lowered until it does not. Zero where the bodies part already. a or b is NULL for what stands still; the contact's
 * body numbers and least are not read. */
cn_qp_impulse cn_single_contact(const cn_qp_body *a, const cn_qp_body *b, const cn_qp_contact *contact, cn_twist ua,
                                cn_twist ub);

#endif
