/* Of the small solver: the program in units of mass, and the motion that comes of it. */
#include "num/qp_small_lanes.h"

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

/* ---- what comes of it */

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
