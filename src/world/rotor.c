/* Mass, spin and energy of a rigid body from its angular momentum. */
#include "world/world.h"

v3 cn_spin(const cn_rotor *r, quat q, v3 l)
{
	if (r->kind == CN_ROTOR_BALL)
		return v3_mul(l, r->inv_moments);
	if (r->turned)
		q = q_mul(q, r->axes);
	return q_rotate(q, v3_mul(q_unrotate(q, l), r->inv_moments));
}

v3 cn_angular(const cn_rotor *r, quat q, v3 w)
{
	if (r->kind == CN_ROTOR_BALL)
		return v3_mul(w, r->moments);
	if (r->turned)
		q = q_mul(q, r->axes);
	return q_rotate(q, v3_mul(q_unrotate(q, w), r->moments));
}

double cn_kinetic(const cn_rotor *r, const cn_motion *m)
{
	quat q = r->turned ? q_mul(m->q, r->axes) : m->q;
	v3 l = q_unrotate(q, m->l);
	return 0.5 * r->mass * v3_dot(m->v, m->v) + 0.5 * v3_dot(v3_mul(l, r->inv_moments), l);
}
