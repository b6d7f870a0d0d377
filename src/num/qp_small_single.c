/* See qp_small.h: one contact in closed form. */
#include "num/qp_small.h"

#include "base/tolerance.h"

static v3 turn_by(const cn_qp_body *body, v3 moment)
{
	const double *i = body->inv_inertia;
	return v3_make(i[0] * moment.x + i[1] * moment.y + i[2] * moment.z,
	               i[1] * moment.x + i[3] * moment.y + i[4] * moment.z,
	               i[2] * moment.x + i[4] * moment.y + i[5] * moment.z);
}

/* What an impulse p at the point does to the velocity there. */
static v3 yield_at(const cn_qp_body *body, v3 r, v3 p)
{
	if (!body)
		return v3_zero();
	return v3_add(v3_scale(p, body->inv_mass), v3_cross(turn_by(body, v3_cross(r, p)), r));
}

/* K in the frame (n, s, t): the change of relative velocity by a unit impulse along each. */
static m3 response_matrix(const cn_qp_body *a, const cn_qp_body *b, const cn_qp_contact *c, const v3 frame[3])
{
	m3 k;
	for (int j = 0; j < 3; ++j) {
		v3 change = v3_add(yield_at(a, c->ra, frame[j]), yield_at(b, c->rb, frame[j]));
		for (int i = 0; i < 3; ++i)
			k.m[i][j] = v3_dot(frame[i], change);
	}
	return k;
}

/* The impulse that stops all relative motion; false where K is singular. */
static bool stick(const m3 *k, v3 v, v3 *p)
{
	v3 c0 = {k->m[0][0], k->m[1][0], k->m[2][0]}, c1 = {k->m[0][1], k->m[1][1], k->m[2][1]};
	v3 c2 = {k->m[0][2], k->m[1][2], k->m[2][2]}, cross = v3_cross(c1, c2);
	double determinant = v3_dot(c0, cross);
	if (!(determinant > DBL_EPSILON * v3_length(c0) * v3_length(c1) * v3_length(c2)))
		return false;
	v3 rhs = v3_neg(v);
	*p = v3_scale(v3_make(v3_dot(rhs, cross), v3_dot(c0, v3_cross(rhs, c2)), v3_dot(c0, v3_cross(c1, rhs))),
	              1 / determinant);
	return true;
}

/* The sliding impulse p_n (1, -mu d): d is the direction of sliding at the end of the approach, found by repetition;
 * halfway between the last two from the second on, so that two that answer each other come together. */
static v3 slide(const m3 *k, double mu, v3 v)
{
	double ds = v.y, dt = v.z, length = sqrt(ds * ds + dt * dt);
	v3 p = {-v.x / k->m[0][0], 0, 0};
	for (int round = 0; round < CN_SLIDE_ROUNDS && length > 0; ++round) {
		ds /= length, dt /= length;
		v3 ray = {1, -mu * ds, -mu * dt}, change = m3_apply(*k, ray);
		if (!(change.x > CN_SLIDE_LEAST * k->m[0][0]))
			break; /* friction would pull the bodies together faster than the normal impulse parts them */
		p = v3_scale(ray, -v.x / change.x);
		v3 after = v3_add(v, m3_apply(*k, p));
		double speed = sqrt(after.y * after.y + after.z * after.z);
		if (!(speed > 0) ||
		    fabs(ds * after.z - dt * after.y) + fabs(ds * after.y + dt * after.z - speed) <= CN_SLIDE_TURN * speed)
			break;
		ds = after.y / speed + (round ? ds : 0), dt = after.z / speed + (round ? dt : 0);
		length = sqrt(ds * ds + dt * dt);
	}
	return p;
}

/* p' M^-1 p of one body: a sum of squares, so that where the body gives way easily nothing cancels. */
static double spend(const cn_qp_body *body, v3 r, v3 p)
{
	if (!body)
		return 0;
	v3 moment = v3_cross(r, p);
	return v3_length2(p) * body->inv_mass + v3_dot(moment, turn_by(body, moment));
}

cn_qp_impulse cn_single_contact(const cn_qp_body *a, const cn_qp_body *b, const cn_qp_contact *contact, cn_twist ua,
                                cn_twist ub)
{
	v3 frame[3] = {contact->n, {0, 0, 0}, {0, 0, 0}};
	cn_qp_tangents(contact->n, &frame[1], &frame[2]);
	v3 relative = v3_zero();
	if (a)
		relative = v3_sub(relative, v3_add(ua.v, v3_cross(ua.w, contact->ra)));
	if (b)
		relative = v3_add(relative, v3_add(ub.v, v3_cross(ub.w, contact->rb)));
	v3 v = {v3_dot(frame[0], relative), v3_dot(frame[1], relative), v3_dot(frame[2], relative)}, p;
	m3 k = response_matrix(a, b, contact, frame);
	if (!(v.x < 0) || !(k.m[0][0] > 0))
		return (cn_qp_impulse){0, 0, 0};
	if (!(contact->mu > 0))
		p = v3_make(-v.x / k.m[0][0], 0, 0);
	else if (!stick(&k, v, &p) || !(p.x > 0) || p.y * p.y + p.z * p.z > contact->mu * contact->mu * p.x * p.x)
		p = slide(&k, contact->mu, v);
	/* T changes by f p.v + f^2/2 p'Kp. */
	v3 impulse = v3_madd(v3_madd(v3_scale(frame[0], p.x), frame[1], p.y), frame[2], p.z);
	double work = v3_dot(p, v), f = 1 + contact->eps;
	double spent = spend(a, contact->ra, impulse) + spend(b, contact->rb, impulse);
	if (!(work < 0) || !(spent > 0))
		return (cn_qp_impulse){0, 0, 0};
	if (f * spent > -2 * work)
		f = -2 * work / spent;
	return (cn_qp_impulse){f * p.x, f * p.y, f * p.z};
}
