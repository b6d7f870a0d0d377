/* Free rotation over a time: the torque-free top. Angular momentum in space is constant while the body turns.
 *
 *   ball       q1 = exp(l t/I) q0
 *   symmetric  q1 = exp(l t/I1) q0 exp(e3 m3 (1/I3 - 1/I1) t), exact
 *   general    Strang splitting of the kinetic energy m1^2/2I1 + m2^2/2I2 + m3^2/2I3 of the body momentum m into
 *              three parts, each of which turns the body about one principal axis (half the first, half the second,
 *              the third, half the second, half the first; cn_rotor says which is which). It is of second order, and
 *              its error of energy oscillates: it stays within 1e-4 for any box at CN_SPLITTING_TURN a step. */
#ifndef CN_ROTATE_H
#define CN_ROTATE_H

#include "world/world.h"

/* Bound of the turn in free rotation over time t; |w|^2 <= 2 E / I_min holds throughout. A cheaper, coarser bound is
 * returned if it is below enough. */
double cn_turn_bound(const cn_rotor *r, quat q, v3 l, double t, double enough);

/* Orientation after time t. */
quat cn_rotate_free(const cn_rotor *r, quat q, v3 l, double t);

/* Rotates two bodies with three different moments at once, with the same bits as one by one. */
typedef struct cn_spinner {
	const cn_rotor *rotor;
	quat q; /* in and out */
	v3 l;
} cn_spinner;
void cn_rotate_pair(cn_spinner *a, cn_spinner *b, double t);

/* The angular momentum that a body turns with over the coming frame: the mean of both ends, which is exact if it is
 * constant. */
static inline v3 cn_mean(v3 a, v3 b) { return v3_scale(v3_add(a, b), 0.5); }
static inline v3 cn_mean_momentum(const cairn_world *w, uint32_t slot)
{
	return cn_mean(w->motion[slot].l, w->next[slot].l);
}

/* A body keeps its angular momentum while it turns with the mean of two spins over a time: how much its final spin then
 * exceeds the second one. */
v3 cn_spin_later(const cn_rotor *r, quat q, v3 from, v3 to, double t);

#endif
