/* Restitution, and the proof that no solve adds energy, checked at run time. */
#ifndef CN_QP_BOUNCE_H
#define CN_QP_BOUNCE_H

#include "num/qp.h"

/* For impulses p that were solved with restitution 0, and u = u0 + M^-1 J'p.
 *
 * bounce: each island gets the largest f in [0, 1] for which the impulses p_i (1 + f eps_i) do not raise its kinetic energy
 * above that of u0 (rows take the island's largest eps). With one eps in an island and p exact that is f = 1: from
 * p.(J u0 + W p) <= 0 follows dT <= -(1 - eps^2)/2 p'Wp.
 * Either way: where p itself raises the energy, because sweeps stopped early, all impulses of the island are reduced until
 * it does not. Both leave every impulse in its cone.
 *
 * Bodies that move though they cannot be moved do work; it is taken off before an island is judged: all speeds are those at
 * the rows, so what is summed is what the rows themselves bring. Islands in which a row asks for a positive speed are not
 * judged and bounce in full. Writes impulses and u. island: as from cn_qp_islands; scratch: 14 doubles a body
 * and 4 a contact. share: may be NULL. */
void cn_qp_bounce(const cn_qp *qp, const uint32_t *island, bool bounce, cn_qp_impulse *contact, double *row,
                  cn_twist *u, double *scratch, const cn_qp_share *share);

#endif
