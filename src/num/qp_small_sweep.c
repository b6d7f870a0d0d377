/* The sweeps of the small solver. Each takes every joint row to its nearest allowed value and every contact first along
 * its normal, then along its tangents with one common step, so that where it slides the impulse opposes the sliding
 * exactly: the fixed points are those of Coulomb's law with the round cone. All three speeds of a contact are measured
 * at once; what the normal's step does to the tangents is added from the rows' products.
 *
 * Lanes are pairs of neighbouring numbers; sums cross them in one place, lane 0 + lane 1. */
#include "num/qp_small_parts.h"

#include <string.h>

static double larger(double a, double b) { return a > b ? a : b; }
static double inverse(double x) { return x > 0 ? 1 / x : 0; }

/* ---- preparing */

/* L of a body. A pivot that rounding takes below 0 is a direction that cannot turn. */
static void find_root(const cn_qp_body *body, double *root)
{
	const double *i = body->inv_inertia;
	double *l = root + 1, q;
	root[0] = body->inv_mass > 0 ? sqrt(body->inv_mass) : 0;
	l[0] = i[0] > 0 ? sqrt(i[0]) : 0;
	q = inverse(l[0]);
	l[1] = i[1] * q, l[3] = i[2] * q;
	double yy = i[3] - l[1] * l[1];
	l[2] = yy > 0 ? sqrt(yy) : 0;
	l[4] = (i[4] - l[3] * l[1]) * inverse(l[2]);
	double zz = i[5] - l[3] * l[3] - l[4] * l[4];
	l[5] = zz > 0 ? sqrt(zz) : 0;
}

static double product(const double *a, const double *b)
{
	const cn_small_v2 *p = (const cn_small_v2 *)a, *q = (const cn_small_v2 *)b;
	cn_small_v2 sum = (p[0] * q[0] + p[3] * q[3]) + (p[1] * q[1] + p[4] * q[4]) + (p[2] * q[2] + p[5] * q[5]);
	return sum[0] + sum[1];
}

/* frame: that of the contact before, often this one's too. */
static void prepare_contact(cn_small_run *run, uint32_t i, v3 frame[3])
{
	const cn_qp *qp = run->qp;
	const cn_qp_contact *c = &qp->contacts[i];
	cn_small_touch *t = &run->memory->touch[i];
	v3 relative = v3_zero();
	double speed[3];
	if (i == 0 || c->n.x != frame[0].x || c->n.y != frame[0].y || c->n.z != frame[0].z) {
		frame[0] = c->n;
		cn_qp_tangents(c->n, &frame[1], &frame[2]);
	}
	memset(t->j, 0, sizeof t->j);
	if (c->a != CN_QP_NONE) {
		relative = v3_neg(v3_add(qp->u0[c->a].v, v3_cross(qp->u0[c->a].w, c->ra)));
		for (int k = 0; k < 3; ++k)
			cn_small_take_root(run->memory->root + (size_t)7 * c->a, v3_neg(frame[k]), v3_cross(frame[k], c->ra),
			                   t->j[k]);
	}
	if (c->b != CN_QP_NONE) {
		relative = v3_add(relative, v3_add(qp->u0[c->b].v, v3_cross(qp->u0[c->b].w, c->rb)));
		for (int k = 0; k < 3; ++k)
			cn_small_take_root(run->memory->root + (size_t)7 * c->b, frame[k], v3_cross(c->rb, frame[k]), t->j[k] + 6);
	}
	for (int k = 0; k < 3; ++k) {
		speed[k] = v3_dot(frame[k], k ? v3_add(relative, c->slip) : relative);
		t->want[k] = (k ? 0 : c->least) - speed[k];
		t->size[k] = product(t->j[k], t->j[k]);
	}
	double st = product(t->j[1], t->j[2]), half = 0.5 * (t->size[1] - t->size[2]);
	t->ns = product(t->j[0], t->j[1]), t->nt = product(t->j[0], t->j[2]);
	t->most = 0.5 * (t->size[1] + t->size[2]) + sqrt(half * half + st * st);
	t->per_n = inverse(t->size[0]), t->per_t = inverse(t->most);
	t->mu = c->mu;
	t->a = c->a != CN_QP_NONE ? c->a : qp->body_count, t->b = c->b != CN_QP_NONE ? c->b : qp->body_count;
	t->far = (cn_small_far){0};
	if (t->per_n == 0)
		run->stuck = larger(run->stuck, t->want[0]);
	double fast = sqrt(speed[0] * speed[0] + speed[1] * speed[1] + speed[2] * speed[2]);
	run->scale = larger(run->scale, larger(c->least, fast));
}

static void prepare_row(cn_small_run *run, uint32_t i)
{
	const cn_qp *qp = run->qp;
	const cn_qp_row *r = &qp->rows[i];
	cn_small_bond *k = &run->memory->bond[i];
	double value = cn_qp_row_value(qp, i, qp->u0);
	memset(k->j, 0, sizeof k->j);
	cn_small_take_root(run->memory->root + (size_t)7 * r->a, r->ja.v, r->ja.w, k->j);
	if (r->b != CN_QP_NONE)
		cn_small_take_root(run->memory->root + (size_t)7 * r->b, r->jb.v, r->jb.w, k->j + 6);
	k->start = value, k->low = r->low - value, k->high = r->high - value;
	k->size = product(k->j, k->j), k->soft = r->soft;
	if (k->soft > 0)
		k->size += k->soft;
	k->per = inverse(k->size);
	k->a = r->a, k->b = r->b != CN_QP_NONE ? r->b : qp->body_count;
	k->far = (cn_small_far){0};
	if (k->per == 0)
		run->stuck = larger(run->stuck, larger(k->low, -k->high));
	run->scale = larger(run->scale, larger(fabs(value), larger(r->low, -r->high)));
}

void cn_small_prepare(cn_small_run *run)
{
	v3 frame[3];
	run->scale = run->stuck = 0;
	memset(run->memory->touch_state, 0, run->qp->contact_count);
	memset(run->memory->bond_state, 0, run->qp->row_count);
	for (uint32_t i = 0; i < run->qp->body_count; ++i)
		find_root(&run->qp->bodies[i], run->memory->root + (size_t)7 * i);
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		prepare_contact(run, i, frame);
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		prepare_row(run, i);
	cn_small *s = run->memory;
	s->seats = run->qp->body_count, s->tree.count = 0, s->newton.planned = false;
	for (uint32_t i = 0; i < s->seats; ++i)
		s->live[i] = s->root[(size_t)7 * i] > 0;
	if (run->qp->row_count)
		cn_small_join(run);
}

/* ---- sweeping */

static inline void push_contact(const cn_small_touch *t, cn_qp_impulse y, cn_small_pair *u, double *x)
{
	const cn_small_v2 *n = (const cn_small_v2 *)t->j[0], *s = (const cn_small_v2 *)t->j[1],
					  *q = (const cn_small_v2 *)t->j[2];
	cn_small_v2 fn = {y.n, y.n}, fs = {y.s, y.s}, ft = {y.t, y.t};
	u->a0 += (n[0] * fn + s[0] * fs) + q[0] * ft, u->a1 += (n[1] * fn + s[1] * fs) + q[1] * ft;
	u->a2 += (n[2] * fn + s[2] * fs) + q[2] * ft, u->b0 += (n[3] * fn + s[3] * fs) + q[3] * ft;
	u->b1 += (n[4] * fn + s[4] * fs) + q[4] * ft, u->b2 += (n[5] * fn + s[5] * fs) + q[5] * ft;
	if (t->far.count) {
		cn_small_push_far(&t->far, 0, y.n, x);
		cn_small_push_far(&t->far, 1, y.s, x);
		cn_small_push_far(&t->far, 2, y.t, x);
	}
}

/* The largest changes so far; that of tangents squared. */
typedef struct change {
	double row, tangent2;
} change;

static inline void sweep_row(const cn_small_run *run, uint32_t i, bool stepping, change *most)
{
	const cn_small_bond *k = &run->memory->bond[i];
	if (k->per == 0)
		return;
	double *x = run->memory->x;
	cn_small_pair u = cn_small_get(x, k->a, k->b);
	double value = cn_small_value(k->j, &u, &k->far, 0, x), y = run->row[i];
	if (k->soft > 0)
		value += k->soft * y;
	double up = y + (k->low - value) * k->per, down = y + (k->high - value) * k->per;
	double to = up > 0 ? up : down < 0 ? down : 0, step = to - y;
	most->row = larger(most->row, fabs(step) * k->size);
	if (!stepping)
		return;
	cn_small_push(k->j, step, &u);
	cn_small_put(x, k->a, k->b, &u);
	cn_small_push_far(&k->far, 0, step, x);
	run->row[i] = to;
	run->memory->bond_state[i] = to > 0 ? CN_SMALL_LOW : to < 0 ? CN_SMALL_HIGH : 0;
}

/* Whether a contact only says what it would change, steps, or steps along its tangents. */
typedef enum sweep_mode { ASK, STEP, SLIDE } sweep_mode;

static inline void sweep_contact(const cn_small_run *run, uint32_t i, sweep_mode mode, change *most)
{
	const cn_small_touch *t = &run->memory->touch[i];
	if (t->per_n == 0)
		return;
	double *x = run->memory->x;
	cn_small_pair u = cn_small_get(x, t->a, t->b);
	double vn = cn_small_value(t->j[0], &u, &t->far, 0, x), vs = cn_small_value(t->j[1], &u, &t->far, 1, x),
		   vt = cn_small_value(t->j[2], &u, &t->far, 2, x);
	cn_qp_impulse y = run->y[i], to = {y.n + (t->want[0] - vn) * t->per_n, 0, 0};
	to.n = to.n > 0 ? to.n : 0;
	double dn = to.n - y.n;
	most->row = larger(most->row, fabs(dn) * t->size[0]);
	if (mode != STEP)
		to.n = y.n, dn = 0;
	uint8_t state = to.n > 0 ? CN_SMALL_PUSHES : 0;
	if (t->mu > 0 && t->per_t > 0) {
		double limit = t->mu * to.n;
		to.s = y.s + (t->want[1] - (vs + t->ns * dn)) * t->per_t;
		to.t = y.t + (t->want[2] - (vt + t->nt * dn)) * t->per_t;
		double size2 = to.s * to.s + to.t * to.t;
		if (size2 > limit * limit) {
			double f = limit / sqrt(size2);
			to.s *= f, to.t *= f;
		} else
			state |= CN_SMALL_STICKS;
	}
	double ds = to.s - y.s, dt = to.t - y.t;
	most->tangent2 = larger(most->tangent2, (ds * ds + dt * dt) * (t->most * t->most));
	if (mode == ASK)
		return;
	push_contact(t, (cn_qp_impulse){dn, ds, dt}, &u, x);
	cn_small_put(x, t->a, t->b, &u);
	run->y[i] = to;
	if (mode == STEP)
		run->memory->touch_state[i] = state;
}

double cn_small_sweep(const cn_small_run *run, bool back)
{
	change most = {0, 0};
	uint32_t contacts = run->qp->contact_count, rows = run->qp->row_count;
	for (uint32_t i = 0; i < rows && !back; ++i)
		sweep_row(run, i, true, &most);
	for (uint32_t i = 0; i < contacts; ++i)
		sweep_contact(run, back ? contacts - 1 - i : i, STEP, &most);
	for (uint32_t i = rows; i > 0 && back; --i)
		sweep_row(run, i - 1, true, &most);
	return larger(most.row, sqrt(most.tangent2));
}

double cn_small_residual(const cn_small_run *run)
{
	change most = {0, 0};
	for (uint32_t i = 0; i < run->qp->row_count; ++i)
		sweep_row(run, i, false, &most);
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		sweep_contact(run, i, ASK, &most);
	return larger(most.row, sqrt(most.tangent2));
}

void cn_small_slide(const cn_small_run *run)
{
	change most = {0, 0};
	for (uint32_t i = 0; i < run->qp->contact_count; ++i)
		if (run->memory->touch_state[i] == CN_SMALL_PUSHES)
			sweep_contact(run, i, SLIDE, &most);
}

void cn_small_sum(const cn_small_run *run)
{
	double *x = run->memory->x;
	memset(x, 0, ((size_t)6 * run->memory->seats + 6) * sizeof *x);
	for (uint32_t i = 0; i < run->qp->row_count; ++i) {
		const cn_small_bond *k = &run->memory->bond[i];
		cn_small_pair u = cn_small_get(x, k->a, k->b);
		if (k->per == 0)
			continue;
		cn_small_push(k->j, run->row[i], &u);
		cn_small_put(x, k->a, k->b, &u);
		cn_small_push_far(&k->far, 0, run->row[i], x);
	}
	for (uint32_t i = 0; i < run->qp->contact_count; ++i) {
		const cn_small_touch *t = &run->memory->touch[i];
		cn_small_pair u = cn_small_get(x, t->a, t->b);
		push_contact(t, run->y[i], &u, x);
		cn_small_put(x, t->a, t->b, &u);
	}
}

void cn_small_motion(const cn_small_run *run, cn_twist *u)
{
	const double *all = cn_small_bodies(run);
	for (uint32_t i = 0; i < run->qp->body_count; ++i) {
		const double *root = run->memory->root + (size_t)7 * i, *l = root + 1, *x = all + (size_t)6 * i;
		v3 v = v3_make(x[0], x[1], x[2]);
		v3 w = v3_make(l[0] * x[3], l[1] * x[3] + l[2] * x[4], l[3] * x[3] + l[4] * x[4] + l[5] * x[5]);
		u[i] = (cn_twist){v3_madd(run->qp->u0[i].v, v, root[0]), v3_add(run->qp->u0[i].w, w)};
	}
}

void cn_small_admit(const cn_qp *qp, cn_qp_impulse *y)
{
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		double n = y[i].n > 0 ? y[i].n : 0, limit = qp->contacts[i].mu * n;
		double size = sqrt(y[i].s * y[i].s + y[i].t * y[i].t);
		y[i].n = n;
		if (size > limit)
			y[i].s *= limit / size, y[i].t *= limit / size;
	}
}
