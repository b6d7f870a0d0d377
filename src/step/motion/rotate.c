/* Free rotation. The formulas are in rotate.h. The gyroscopic term (errata 4) is what makes the general case tumble.
 * */
#include "step/motion/rotate.h"

#include "base/tolerance.h"
#include "step/tolerance.h"

#define CN_SPLITTING_TURN                                                                                              \
	0.02 /* rad: longest turn of one splitting step; second order: energy within 2e-5 for any box */

double cn_turn_bound(const cn_rotor *r, quat q, v3 l, double t, double enough)
{
	double coarse = v3_length(l) * r->inv_least * t;
	if (r->kind == CN_ROTOR_BALL || coarse < enough)
		return coarse;
	if (r->turned)
		q = q_mul(q, r->axes);
	v3 m = q_unrotate(q, l), w = v3_mul(m, r->inv_moments);
	if (r->kind == CN_ROTOR_SYMMETRIC)
		return v3_length(w) * t; /* the spin is constant */
	return sqrt(v3_dot(w, m) * r->inv_least) * t;
}

/* The general case works on two bodies at a time, one in each lane: every operation is by lane, so a lane's bits do not
 * depend on its neighbour. */
typedef double lanes __attribute__((vector_size(16)));
typedef struct l_v3 {
	lanes x, y, z;
} l_v3;
typedef struct l_quat {
	lanes w, x, y, z;
} l_quat;

/* Sine and cosine of half a turn of at most CN_SPLITTING_TURN/2. The next terms are below 2^-53. */
static inline void small_sincos(lanes x, lanes *s, lanes *c)
{
	lanes x2 = x * x;
	*s = x * (1 + x2 * (-1.0 / 6 + x2 * (1.0 / 120 + x2 * (-1.0 / 5040))));
	*c = 1 + x2 * (-1.0 / 2 + x2 * (1.0 / 24 + x2 * (-1.0 / 720 + x2 * (1.0 / 40320))));
}

/* One part of the splitting: the body turns about principal axis a at that axis's rate. This part of the momentum
 * stays as it is, and the other two turn back. */
static inline void turn(lanes *w, lanes v[3], lanes m[3], int a, lanes half_rate)
{
	int b = (a + 1) % 3, c = (a + 2) % 3;
	lanes sine, cosine;
	small_sincos(half_rate * m[a], &sine, &cosine);
	lanes w0 = *w, a0 = v[a], b0 = v[b], c0 = v[c];
	*w = w0 * cosine - a0 * sine;
	v[a] = a0 * cosine + w0 * sine;
	v[b] = b0 * cosine + c0 * sine;
	v[c] = c0 * cosine - b0 * sine;
	lanes whole_cosine = 1 - 2 * sine * sine, whole_sine = 2 * sine * cosine, m0 = m[b];
	m[b] = m0 * whole_cosine + m[c] * whole_sine;
	m[c] = m[c] * whole_cosine - m0 * whole_sine;
}

static inline l_v3 l_cross(l_v3 a, l_v3 b)
{
	return (l_v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* l in body axes: q* l q. */
static inline l_v3 l_unrotate(l_quat q, l_v3 v)
{
	l_v3 u = {-q.x, -q.y, -q.z}, t = l_cross(u, v);
	t = (l_v3){t.x * 2, t.y * 2, t.z * 2};
	l_v3 c = l_cross(u, t);
	return (l_v3){v.x + t.x * q.w + c.x, v.y + t.y * q.w + c.y, v.z + t.z * q.w + c.z};
}

static inline void split(l_quat *q, l_v3 l, l_v3 inv, double t, int steps)
{
	double half_time = 0.5 * t / steps;
	lanes x = inv.x * (0.5 * half_time), y = inv.y * (0.5 * half_time), z = inv.z * half_time;
	lanes v[3] = {q->x, q->y, q->z}, m[3] = {l.x, l.y, l.z};
	for (int i = 0; i < steps; ++i) {
		turn(&q->w, v, m, 0, x);
		turn(&q->w, v, m, 1, y);
		turn(&q->w, v, m, 2, z);
		turn(&q->w, v, m, 1, y);
		turn(&q->w, v, m, 0, x);
	}
	q->x = v[0], q->y = v[1], q->z = v[2];
}

/* Converts from and to the principal axes, and normalises at the end. */
static inline quat principal(const cn_spinner *s) { return s->rotor->turned ? q_mul(s->q, s->rotor->axes) : s->q; }

static inline quat back(const cn_spinner *s, quat q)
{
	return q_unit(s->rotor->turned ? q_mul(q, q_conj(s->rotor->axes)) : q);
}

/* Relabels the axes in the order of splitting, and back. Only signs and places change, so no bit is lost. A proper
 * relabelling of body and world axes alike turns a quaternion's vector part as it turns a vector. */
static inline v3 relabel(const cn_rotor *r, v3 v)
{
	return (v3){v3_at(v, r->split[0]), v3_at(v, r->split[1]), v3_at(v, r->split[2]) * r->flip};
}

static inline quat label_back(const cn_rotor *r, double w, double x, double y, double z)
{
	double v[3];
	v[r->split[0]] = x, v[r->split[1]] = y, v[r->split[2]] = z * r->flip;
	return (quat){w, v[0], v[1], v[2]};
}

/* Number of inner steps for twice the energy e. It is bounded by the largest turn that keys can show; a body that
 * turns further is refused elsewhere. */
static inline int count_steps(const cn_rotor *r, double e, double t)
{
	const double max = CN_MAX_PIECES * CN_PIECE_TURN / CN_SPLITTING_TURN;
	double steps = sqrt(e * r->inv_least) * t * (1 / CN_SPLITTING_TURN);
	return 1 + (int)(steps < max ? steps : max);
}

void cn_rotate_pair(cn_spinner *a, cn_spinner *b, double t)
{
	quat qa = principal(a), qb = principal(b);
	v3 p = relabel(a->rotor, (v3){qa.x, qa.y, qa.z}), r = relabel(b->rotor, (v3){qb.x, qb.y, qb.z});
	v3 j = relabel(a->rotor, a->l), k = relabel(b->rotor, b->l);
	v3 i = a->rotor->split_inv, h = b->rotor->split_inv;
	l_quat start = {{qa.w, qb.w}, {p.x, r.x}, {p.y, r.y}, {p.z, r.z}};
	l_v3 l = {{j.x, k.x}, {j.y, k.y}, {j.z, k.z}}, inv = {{i.x, h.x}, {i.y, h.y}, {i.z, h.z}};
	l_v3 m = l_unrotate(start, l);
	lanes e = m.x * m.x * inv.x + m.y * m.y * inv.y + m.z * m.z * inv.z;
	int steps_a = count_steps(a->rotor, e[0], t), steps_b = count_steps(b->rotor, e[1], t);
	l_quat q = start;
	split(&q, m, inv, t, steps_a);
	a->q = back(a, label_back(a->rotor, q.w[0], q.x[0], q.y[0], q.z[0]));
	if (steps_b != steps_a) {
		q = start;
		split(&q, m, inv, t, steps_b);
	}
	b->q = back(b, label_back(b->rotor, q.w[1], q.x[1], q.y[1], q.z[1]));
}

static quat rotate_general(const cn_rotor *r, quat q, v3 l, double t)
{
	cn_spinner one = {r, q, l}, twin = one;
	cn_rotate_pair(&one, &twin, t);
	return one.q;
}

static quat rotate_symmetric(const cn_rotor *r, quat q, v3 l, double t)
{
	v3 m = q_unrotate(q, l);
	double parts[3] = {m.x, m.y, m.z}, inv[3] = {r->inv_moments.x, r->inv_moments.y, r->inv_moments.z};
	int axis = r->axis, other = (axis + 1) % 3;
	double s, c;
	cn_sincos(0.5 * parts[axis] * (inv[axis] - inv[other]) * t, &s, &c);
	quat own = {c, axis == 0 ? s : 0, axis == 1 ? s : 0, axis == 2 ? s : 0};
	return q_mul(q_exp(v3_scale(l, inv[other] * t)), q_mul(q, own));
}

quat cn_rotate_free(const cn_rotor *r, quat q, v3 l, double t)
{
	if (r->kind == CN_ROTOR_BALL)
		return q_unit(q_mul(q_exp(v3_scale(l, r->inv_least * t)), q));
	if (r->kind == CN_ROTOR_GENERAL)
		return rotate_general(r, q, l, t);
	if (r->turned)
		q = q_mul(q, r->axes);
	q = rotate_symmetric(r, q, l, t);
	return q_unit(r->turned ? q_mul(q, q_conj(r->axes)) : q);
}

v3 cn_spin_later(const cn_rotor *r, quat q, v3 from, v3 to, double t)
{
	if (!r->active || r->kind == CN_ROTOR_BALL)
		return v3_zero();
	v3 l = cn_angular(r, q, to);
	return v3_sub(cn_spin(r, q_mul(q_exp(v3_scale(v3_add(from, to), 0.5 * t)), q), l), to);
}
