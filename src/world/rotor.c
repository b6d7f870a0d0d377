/* Rotors: made from mass and inertia; spin, angular momentum and kinetic energy of a rigid body. */
#include "geom/mass.h"
#include "world/world.h"

#define CN_SYMMETRY 1e-12 /* relative: two principal moments this close count as equal (rounding of a mesh's inertia) */

static bool same(double a, double b, double scale) { return fabs(a - b) <= CN_SYMMETRY * scale; }

/* The splitting loses least energy when it takes the axes of the least, the largest, then the middle moment (measured on
 * random boxes: a tenth of the worst order). An odd order needs one axis turned round to stay right-handed. */
static void order_splitting(cn_rotor *r)
{
	double m[3] = {r->moments.x, r->moments.y, r->moments.z};
	uint8_t least = m[0] < m[1] ? (m[0] < m[2] ? 0 : 2) : (m[1] < m[2] ? 1 : 2);
	uint8_t most = m[0] > m[1] ? (m[0] > m[2] ? 0 : 2) : (m[1] > m[2] ? 1 : 2);
	r->split[0] = least, r->split[1] = most, r->split[2] = (uint8_t)(3 - least - most);
	r->flip = (least + 1) % 3 == most ? 1 : -1;
}

cn_rotor cn_rotor_make(double mass, m3 inertia)
{
	cn_rotor r = {.mass = mass, .axes = q_identity(), .moments = {1, 1, 1}, .inv_moments = {1, 1, 1}, .inv_least = 1};
	if (mass == 0)
		return r;
	r.inv_mass = 1 / mass;
	r.active = true;
	cn_principal(inertia, &r.moments, &r.axes);
	r.turned = !(r.axes.w == 1);
	double scale = v3_max(r.moments);
	bool yz = same(r.moments.y, r.moments.z, scale), zx = same(r.moments.z, r.moments.x, scale),
		 xy = same(r.moments.x, r.moments.y, scale);
	if (yz && zx && xy) {
		r.kind = CN_ROTOR_BALL;
		r.moments.y = r.moments.z = r.moments.x;
	} else if (yz || zx || xy) {
		r.kind = CN_ROTOR_SYMMETRIC;
		r.axis = yz ? 0 : zx ? 1 : 2;
		if (yz)
			r.moments.z = r.moments.y;
		else if (zx)
			r.moments.x = r.moments.z;
		else
			r.moments.y = r.moments.x;
	} else {
		r.kind = CN_ROTOR_GENERAL;
		order_splitting(&r);
	}
	r.inv_moments = (v3){1 / r.moments.x, 1 / r.moments.y, 1 / r.moments.z};
	r.inv_least = v3_max(r.inv_moments);
	r.split_inv =
		(v3){v3_at(r.inv_moments, r.split[0]), v3_at(r.inv_moments, r.split[1]), v3_at(r.inv_moments, r.split[2])};
	return r;
}

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
