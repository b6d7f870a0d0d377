/* Small islands in double: the momentum program by projected Gauss-Seidel to a residual of 1e-12, by the exact reference where
 * sweeps do not get there; and one contact in closed form. */
#ifndef CN_QP_SMALL_H
#define CN_QP_SMALL_H

#include "num/qp_bounce.h"

enum { CN_SMALL_BODIES = 64 };

typedef struct cn_small_options {
	uint32_t sweeps;  /* before the exact method is tried; 0: 200 */
	double tolerance; /* of the residual, relative to the largest speed at a contact; 0: 1e-12 */
	bool warm, bounce;
} cn_small_options;

/* The whole program as one island, of any size though meant for few. scratch comes from the allocator. */
cn_qp_result cn_small_momentum(const cairn_allocator *allocator, const cn_qp *qp, const cn_small_options *options,
                               cn_qp_solution *solution);

/* One contact between two bodies (OBA 6.2.2, ch. 8): (1 + eps) times the impulse that ends the approach, sticking if that is
 * inside the true cone, else sliding; reduced until the kinetic energy does not rise. Newton's law for a central contact. Zero
 * where the bodies part already. a or b is NULL for what stands still; the contact's body numbers and least are not read. */
cn_qp_impulse cn_single_contact(const cn_qp_body *a, const cn_qp_body *b, const cn_qp_contact *contact, cn_twist ua,
                                cn_twist ub);

#endif
