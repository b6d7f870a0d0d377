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

/* The impulse that changes the velocity so; false where K is singular. */
static bool stick(const m3 *k, v3 change, v3 *p)
{
	v3 c0 = {k->m[0][0], k->m[1][0], k->m[2][0]}, c1 = {k->m[0][1], k->m[1][1], k->m[2][1]};
	v3 c2 = {k->m[0][2], k->m[1][2], k->m[2][2]}, cross = v3_cross(c1, c2);
	double determinant = v3_dot(c0, cross);
	if (!(determinant > DBL_EPSILON * v3_length(c0) * v3_length(c1) * v3_length(c2)))
		return false;
	*p = v3_scale(v3_make(v3_dot(change, cross), v3_dot(c0, v3_cross(change, c2)), v3_dot(c0, v3_cross(c1, change))),
	              1 / determinant);
	return true;
}

/* The rows of K that are left when the normal impulse follows from the tangential one, k p_n + c.p_t = wanted: the tangential
 * velocity after it is b + A p_t. */
typedef struct across {
	double k, c[2], wanted, a[3], b[2]; /* A: ss st tt */
} across;

static across look_across(const m3 *k, v3 v, double wanted)
{
	double n = k->m[0][0], s = k->m[0][1], t = k->m[0][2];
	return (across){.k = n,
	                .c = {s, t},
	                .wanted = wanted,
	                .a = {k->m[1][1] - s * s / n, k->m[1][2] - s * t / n, k->m[2][2] - t * t / n},
	                .b = {v.y + s * wanted / n, v.z + t * wanted / n}};
}

/* The impulse that leaves the point sliding against it, p_t = -(A + l I)^-1 b. */
static v3 slide_with(const across *x, double l)
{
	double a = x->a[0] + l, b = x->a[2] + l, st = x->a[1], determinant = a * b - st * st;
	double ps = (st * x->b[1] - b * x->b[0]) / determinant, pt = (st * x->b[0] - a * x->b[1]) / determinant;
	return v3_make((x->wanted - x->c[0] * ps - x->c[1] * pt) / x->k, ps, pt);
}

static bool outside(v3 p, double mu) { return !(p.x > 0) || p.y * p.y + p.z * p.z > mu * mu * p.x * p.x; }

/* The sliding impulse: the tangential velocity after it is -l p_t with l >= 0, and |p_t| = mu p_n. It is outside the cone
 * with l = 0, which sticks, and inside with an l that is large enough, |p_t| being at most |b|/l; so in between there is
 * one on the edge, however bodies lean and turn, and halving finds it. */
static v3 slide(const m3 *k, double mu, v3 v, double wanted)
{
	across x = look_across(k, v, wanted);
	double size = sqrt(x.b[0] * x.b[0] + x.b[1] * x.b[1]), lean = sqrt(x.c[0] * x.c[0] + x.c[1] * x.c[1]);
	double low = 0, high = 2 * size * (x.k + mu * lean) / (mu * wanted), soft = x.a[0] + x.a[2];
	for (int round = 0; round < CN_SLIDE_ROUNDS && high - low > DBL_EPSILON * (low + soft); ++round) {
		double l = 0.5 * (low + high);
		if (outside(slide_with(&x, l), mu))
			low = l;
		else
			high = l;
	}
	return slide_with(&x, high);
}

/* Newton's law along the normal, Coulomb's for the whole impulse: sticking if that is inside the cone. */
static v3 strike(const m3 *k, double mu, v3 v, double eps)
{
	double wanted = -(1 + eps) * v.x;
	v3 p;
	if (!(mu > 0))
		return v3_make(wanted / k->m[0][0], 0, 0);
	if (!stick(k, v3_make(wanted, -v.y, -v.z), &p) || outside(p, mu))
		p = slide(k, mu, v, wanted);
	return p;
}

/* p' M^-1 q of one body: for p = q a sum of squares, so that where the body gives way easily nothing cancels. */
static double spend(const cn_qp_body *body, v3 r, v3 p, v3 q)
{
	return body ? v3_dot(p, q) * body->inv_mass + v3_dot(v3_cross(r, p), turn_by(body, v3_cross(r, q))) : 0;
}

/* Two bodies that meet. */
typedef struct impact {
	const cn_qp_body *a, *b;
	const cn_qp_contact *at;
	v3 frame[3], v; /* v: the velocity there, in the frame */
} impact;

static double response(const impact *k, v3 p, v3 q)
{
	v3 x = v3_madd(v3_madd(v3_scale(k->frame[0], p.x), k->frame[1], p.y), k->frame[2], p.z);
	v3 y = v3_madd(v3_madd(v3_scale(k->frame[0], q.x), k->frame[1], q.y), k->frame[2], q.z);
	return spend(k->a, k->at->ra, x, y) + spend(k->b, k->at->rb, x, y);
}

/* T changes by p.v + 1/2 p'Kp. */
static double rise_of(const impact *k, v3 p) { return v3_dot(p, k->v) + 0.5 * response(k, p, p); }

/* from + s (to - from) with the largest s in [0, 1] that does not raise the energy, where from does not. */
static v3 temper(const impact *k, v3 from, v3 to)
{
	v3 more = v3_sub(to, from);
	double rise = rise_of(k, from), slope = v3_dot(more, k->v) + response(k, more, from);
	double bend = 0.5 * response(k, more, more), under = slope * slope - 4 * bend * rise;
	if (!(rise <= 0) || !(bend > 0) || !(under > 0))
		return from;
	double root = sqrt(under), s = slope > 0 ? -2 * rise / (slope + root) : (root - slope) / (2 * bend);
	return v3_madd(from, more, s < 0 ? 0 : s > 1 ? 1 : s);
}

cn_qp_impulse cn_single_contact(const cn_qp_body *a, const cn_qp_body *b, const cn_qp_contact *contact, cn_twist ua,
                                cn_twist ub)
{
	impact k = {.a = a, .b = b, .at = contact, .frame = {contact->n, {0, 0, 0}, {0, 0, 0}}};
	cn_qp_tangents(contact->n, &k.frame[1], &k.frame[2]);
	v3 relative = v3_zero();
	if (a)
		relative = v3_sub(relative, v3_add(ua.v, v3_cross(ua.w, contact->ra)));
	if (b)
		relative = v3_add(relative, v3_add(ub.v, v3_cross(ub.w, contact->rb)));
	k.v = v3_make(v3_dot(k.frame[0], relative), v3_dot(k.frame[1], relative), v3_dot(k.frame[2], relative));
	m3 w = response_matrix(a, b, contact, k.frame);
	if (!(k.v.x < 0) || !(w.m[0][0] > 0))
		return (cn_qp_impulse){0, 0, 0};
	v3 p = strike(&w, contact->mu, k.v, contact->eps);
	if (!(rise_of(&k, p) <= 0)) {
		v3 soft = strike(&w, contact->mu, k.v, 0);
		p = temper(&k, rise_of(&k, soft) <= 0 ? soft : temper(&k, v3_zero(), soft), p);
	}
	return (cn_qp_impulse){p.x, p.y, p.z};
}
