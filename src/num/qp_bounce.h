/* Restitution, and the proof that no solve adds energy, checked at run time. */
#ifndef CN_QP_BOUNCE_H
#define CN_QP_BOUNCE_H

#include "num/qp.h"

/* Doubles of scratch that the functions below need for each body and for each contact. */
enum { CN_QP_BODY_SCRATCH = 6, CN_QP_CONTACT_SCRATCH = 4 };

/* Newton's law after Moreau: the contacts and rows of a program as an impact asks for them. A point that comes with v_n leaves
 * with at least least + eps (least - v_n), so the whole impulse, along the normal and across it, obeys Coulomb's law with
 * the velocities that the impact leaves. A point that parts already may be pressed back by as much as the island's largest
 * eps allows, and so may a row that is beyond its bound; an equality that is not met gives as much the other way. So
 * -eps u0 meets them all, whatever else holds the bodies, and with one eps and no friction no energy is won.
 * contacts, rows: of the program's sizes, written; scratch: a double a body. False: no contact has a restitution. */
bool cn_qp_newton(const cn_qp *qp, const uint32_t *island, cn_qp_contact *contacts, cn_qp_row *rows, double *scratch);

/* Whether impulses raise the kinetic energy of an island, or whether they are locked: Newton's law may have no answer. A cube
 * in a wedge that friction can lock leaves both sides at once only if no friction acts, but the friction that opposes it
 * makes both sides push more, and sweeps let these impulses grow against each other without end. x: any impulses in their cones, and u that goes with them.
 *
 * Bodies that move though they cannot be moved do work; it is taken off before an island is judged: all speeds are those at
 * the rows, so what is summed is what the rows themselves bring. Islands in which a row asks for a positive speed are not
 * judged. island: as from cn_islands; scratch: as said above. share: may be NULL. */
bool cn_qp_gains(const cn_qp *qp, const uint32_t *island, const cn_qp_solution *x, double *scratch,
                 const cn_qp_share *share);

/* The islands whose impulses are locked: locked[i] of their least body i. Whether there are any. The rest as above. */
bool cn_qp_locks(const cn_qp *qp, const uint32_t *island, const cn_qp_solution *x, double *scratch, uint8_t *locked);

/* Where x raises an island's energy, it gets the mixture soft + s (x - soft) with the largest s in [0, 1] that does not.
 * soft raises none: the answer with restitution 0, of which eps is lowered to s eps, or NULL for no impulses at all, where
 * sweeps stopped early. Cones are convex, so every impulse stays in its own. Writes impulses and u; the rest as above. */
void cn_qp_temper(const cn_qp *qp, const uint32_t *island, const cn_qp_solution *soft, cn_qp_solution *x,
                  double *scratch, const cn_qp_share *share);

/* Where an answer with restitution 0 may be looked for, from one with it, right after cn_qp_gains with the same scratch:
 * locked islands begin from nothing. */
void cn_qp_soften(const cn_qp *qp, const uint32_t *island, const double *scratch, cn_qp_solution *soft);

/* Where x is locked it becomes (1 + e) soft, e the mean restitution of the island's impulses: Poisson's law. It always has
 * an answer. Friction does no positive work in soft, so the kinetic energy falls along soft at least to its end, and
 * twice as far it is not above what it was: none is won for e <= 1. */
void cn_qp_poisson(const cn_qp *qp, const uint32_t *island, const cn_qp_solution *soft, cn_qp_solution *x,
                   double *scratch, const cn_qp_share *share);

#endif
