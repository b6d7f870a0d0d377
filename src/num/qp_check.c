/* See qp_check.h. Written from the definitions: J, M and the cones are formed anew here, one row at a time, and nothing
 * of qp.c or of a solver is called. Body inertia is used as it is given, by its inverse; where the metric itself is
 * needed a 3x3 system is solved by elimination. */
#include "num/qp_check.h"

/* One scalar row over at most two bodies. */
typedef struct line {
	uint32_t body[2];
	double j[2][6];
} line;

static void set_twist(double out[6], v3 v, v3 w)
{
	double all[6] = {v.x, v.y, v.z, w.x, w.y, w.z};
	for (int i = 0; i < 6; ++i)
		out[i] = all[i];
}

/* The row that measures, along d, the velocity of b's point relative to a's. */
static line contact_line(const cn_qp_contact *c, v3 d)
{
	line l = {.body = {c->a, c->b}};
	set_twist(l.j[0], v3_neg(d), v3_cross(d, c->ra));
	set_twist(l.j[1], d, v3_cross(c->rb, d));
	return l;
}

static line row_line(const cn_qp_row *r)
{
	line l = {.body = {r->a, r->b}};
	set_twist(l.j[0], r->ja.v, r->ja.w);
	set_twist(l.j[1], r->jb.v, r->jb.w);
	return l;
}

/* The two directions across n that the definition of multipliers names, worked out anew. */
static void across(v3 n, v3 *s, v3 *t)
{
	double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
	v3 e = z >= x && z >= y ? v3_make(1, 0, 0) : x >= y ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
	v3 c = {e.y * n.z - e.z * n.y, e.z * n.x - e.x * n.z, e.x * n.y - e.y * n.x};
	double length = sqrt(c.x * c.x + c.y * c.y + c.z * c.z);
	*s = v3_make(c.x / length, c.y / length, c.z / length);
	*t = v3_make(n.y * s->z - n.z * s->y, n.z * s->x - n.x * s->z, n.x * s->y - n.y * s->x);
}

static double value_of(const line *l, const cn_twist *u)
{
	double sum = 0;
	for (int k = 0; k < 2; ++k) {
		if (l->body[k] == CN_QP_NONE)
			continue;
		double x[6];
		set_twist(x, u[l->body[k]].v, u[l->body[k]].w);
		for (int i = 0; i < 6; ++i)
			sum += l->j[k][i] * x[i];
	}
	return sum;
}

/* M^-1 j of one body. */
static void divide(const cn_qp_body *body, const double j[6], double out[6])
{
	const double *i = body->inv_inertia;
	double full[3][3] = {{i[0], i[1], i[2]}, {i[1], i[3], i[4]}, {i[2], i[4], i[5]}};
	for (int k = 0; k < 3; ++k) {
		out[k] = body->inv_mass * j[k];
		out[3 + k] = full[k][0] * j[3] + full[k][1] * j[4] + full[k][2] * j[5];
	}
}

/* J M^-1 J' of a row: what its value gains by a unit of its multiplier. */
static double response(const cn_qp *qp, const line *l)
{
	double sum = 0;
	for (int k = 0; k < 2; ++k) {
		double d[6];
		if (l->body[k] == CN_QP_NONE)
			continue;
		divide(&qp->bodies[l->body[k]], l->j[k], d);
		for (int i = 0; i < 6; ++i)
			sum += l->j[k][i] * d[i];
	}
	return sum;
}

/* u' M u of one body: I x = w solved by elimination with the largest pivot. */
static double square(const cn_qp_body *body, v3 v, v3 w)
{
	const double *i = body->inv_inertia;
	double a[3][4] = {{i[0], i[1], i[2], w.x}, {i[1], i[3], i[4], w.y}, {i[2], i[4], i[5], w.z}}, x[3] = {0};
	if (!(body->inv_mass > 0))
		return 0;
	for (int c = 0; c < 3; ++c) {
		int p = c;
		for (int r = c + 1; r < 3; ++r)
			p = fabs(a[r][c]) > fabs(a[p][c]) ? r : p;
		if (a[p][c] == 0)
			return v3_dot(v, v) / body->inv_mass; /* cannot turn */
		for (int k = 0; k < 4; ++k) {
			double swap = a[c][k];
			a[c][k] = a[p][k], a[p][k] = swap;
		}
		for (int r = c + 1; r < 3; ++r) {
			double f = a[r][c] / a[c][c];
			for (int k = c; k < 4; ++k)
				a[r][k] -= f * a[c][k];
		}
	}
	for (int r = 2; r >= 0; --r) {
		double sum = a[r][3];
		for (int k = r + 1; k < 3; ++k)
			sum -= a[r][k] * x[k];
		x[r] = sum / a[r][r];
	}
	return v3_dot(v, v) / body->inv_mass + w.x * x[0] + w.y * x[1] + w.z * x[2];
}

static void raise(double *most, double value)
{
	if (!(value <= *most)) /* a NaN is kept, and seen */
		*most = value;
}

/* What all rows push on one body: by a walk over all rows, so that no array is needed. g = J'y. */
static void add_line(const line *l, uint32_t body, double y, double g[6])
{
	for (int k = 0; k < 2; ++k)
		if (l->body[k] == body)
			for (int i = 0; i < 6; ++i)
				g[i] += l->j[k][i] * y;
}

static void gather(const cn_qp *qp, const cn_qp_solution *x, uint32_t body, double g[6])
{
	for (int i = 0; i < 6; ++i)
		g[i] = 0;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		if (c->a != body && c->b != body)
			continue;
		v3 s, t;
		across(c->n, &s, &t);
		line n_line = contact_line(c, c->n), s_line = contact_line(c, s), t_line = contact_line(c, t);
		add_line(&n_line, body, x->contact[i].n, g);
		add_line(&s_line, body, x->contact[i].s, g);
		add_line(&t_line, body, x->contact[i].t, g);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i)
		if (qp->rows[i].a == body || qp->rows[i].b == body) {
			line l = row_line(&qp->rows[i]);
			add_line(&l, body, x->row[i], g);
		}
}

static void check_bodies(const cn_qp *qp, const cn_qp_solution *x, cn_qp_report *r)
{
	for (uint32_t b = 0; b < qp->body_count; ++b) {
		const cn_qp_body *body = &qp->bodies[b];
		v3 dv = v3_sub(x->u[b].v, qp->u0[b].v), dw = v3_sub(x->u[b].w, qp->u0[b].w);
		double g[6], d[6], off[6];
		gather(qp, x, b, g);
		divide(body, g, d);
		set_twist(off, dv, dw);
		double turn = 0, trace = body->inv_inertia[0] + body->inv_inertia[3] + body->inv_inertia[5];
		for (int i = 0; i < 3; ++i) {
			raise(&r->stationarity, fabs(off[i] - d[i]));
			turn += (off[3 + i] - d[3 + i]) * (off[3 + i] - d[3 + i]);
		}
		/* A turn counts by what it does at the body's lever, sqrt(I / m). */
		double lever = trace > 0 && body->inv_mass > 0 ? sqrt(3 * body->inv_mass / trace) : 1;
		raise(&r->stationarity, sqrt(turn) * lever);
		r->objective += 0.5 * square(body, dv, dw);
		r->energy_before += 0.5 * square(body, qp->u0[b].v, qp->u0[b].w);
		r->energy_after += 0.5 * square(body, x->u[b].v, x->u[b].w);
	}
}

/* Coulomb at one contact: the impulse inside the cone, and sliding only at its edge and against the impulse. The slip
 * is how far the tangent impulse is from the projection of (impulse - velocity / response) on the disc, in u's unit. */
static void check_friction(const cn_qp *qp, const cn_qp_contact *c, const cn_qp_impulse *y, const cn_twist *u,
                           cn_qp_report *r)
{
	v3 s, t;
	across(c->n, &s, &t);
	line s_line = contact_line(c, s), t_line = contact_line(c, t);
	double rs = response(qp, &s_line), rt = response(qp, &t_line), most = rs > rt ? rs : rt;
	double vs = value_of(&s_line, u) + v3_dot(s, c->slip), vt = value_of(&t_line, u) + v3_dot(t, c->slip);
	double limit = c->mu * (y->n > 0 ? y->n : 0), size = sqrt(y->s * y->s + y->t * y->t);
	raise(&r->cone, most * (size - limit));
	if (!(most > 0))
		return;
	double ps = y->s - vs / most, pt = y->t - vt / most, length = sqrt(ps * ps + pt * pt);
	if (length > limit) {
		ps = length > 0 ? ps * (limit / length) : 0;
		pt = length > 0 ? pt * (limit / length) : 0;
	}
	raise(&r->slip, most * sqrt((y->s - ps) * (y->s - ps) + (y->t - pt) * (y->t - pt)));
}

static double least(double a, double b) { return a < b ? a : b; }

static void check_contacts(const cn_qp *qp, const cn_qp_solution *x, bool friction, cn_qp_report *r)
{
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		line l = contact_line(c, c->n);
		double slack = value_of(&l, x->u) - c->least, push = response(qp, &l) * x->contact[i].n;
		raise(&r->feasibility, -slack);
		raise(&r->sign, -push);
		raise(&r->complementarity, least(fabs(slack), fabs(push)));
		r->dual += x->contact[i].n * (c->least - value_of(&l, qp->u0));
		if (friction)
			check_friction(qp, c, &x->contact[i], x->u, r);
		else
			raise(&r->cone, fabs(x->contact[i].s) + fabs(x->contact[i].t));
	}
}

static void check_rows(const cn_qp *qp, const cn_qp_solution *x, cn_qp_report *r)
{
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *row = &qp->rows[i];
		line l = row_line(row);
		double value = value_of(&l, x->u), y = x->row[i], push = response(qp, &l) * y;
		raise(&r->feasibility, row->low - value);
		raise(&r->feasibility, value - row->high);
		double bound = y >= 0 ? row->low : row->high;
		if (isfinite(bound)) {
			raise(&r->complementarity, least(fabs(value - bound), fabs(push)));
			r->dual += y * (bound - value_of(&l, qp->u0));
		} else {
			raise(&r->sign, fabs(push)); /* pushes from a bound that is not there */
		}
	}
}

cn_qp_report cn_qp_check(const cn_qp *qp, const cn_qp_solution *solution, bool friction)
{
	cn_qp_report r = {0};
	check_bodies(qp, solution, &r);
	check_contacts(qp, solution, friction, &r);
	check_rows(qp, solution, &r);
	r.dual -= r.objective; /* of the Lagrangian's least value, where u is the point that y gives */
	r.finite = isfinite(r.feasibility) && isfinite(r.stationarity) && isfinite(r.complementarity) && isfinite(r.sign) &&
	           isfinite(r.cone) && isfinite(r.slip) && isfinite(r.objective) && isfinite(r.energy_after);
	return r;
}
