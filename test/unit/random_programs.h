/* Random programs for the tests of the exact solvers: feasible ones made around a point that satisfies every row, and
 * contradictory ones, which get one row more that is minus a positive combination of others and asks for too much. */
#ifndef RANDOM_PROGRAMS_H
#define RANDOM_PROGRAMS_H

#include "num/qp.h"
#include "random.h"

enum { RANDOM_BODIES = 16, RANDOM_CONTACTS = 96, RANDOM_ROWS = 48 };

typedef struct random_program {
	cn_qp qp;
	cn_qp_body bodies[RANDOM_BODIES];
	cn_twist u0[RANDOM_BODIES], inside[RANDOM_BODIES]; /* inside: satisfies all rows */
	cn_qp_contact contacts[RANDOM_CONTACTS];
	cn_qp_row rows[RANDOM_ROWS];
	double length, mass, speed;
	bool friction; /* a Coulomb problem: least 0, mu > 0, what cannot move stands still */
	uint64_t state;
} random_program;

static inline double draw(random_program *p) { return cn_random_signed(&p->state); }
static inline double draw_unit(random_program *p) { return 0.5 + 0.5 * cn_random_signed(&p->state); }
static inline uint32_t draw_below(random_program *p, uint32_t n) { return (uint32_t)(cn_random_u64(&p->state) % n); }

static inline double draw_power(random_program *p, int most) { return random_power(&p->state, -most, most); }

static inline v3 draw_vector(random_program *p, double size)
{
	double x = draw(p), y = draw(p), z = draw(p);
	return v3_make(size * x, size * y, size * z);
}

static inline v3 draw_direction(random_program *p)
{
	for (;;) {
		v3 d = draw_vector(p, 1);
		if (v3_length2(d) > 0.01)
			return v3_unit(d);
	}
}

static inline cn_twist draw_twist(random_program *p)
{
	v3 v = draw_vector(p, p->speed), w = draw_vector(p, p->speed / p->length);
	return (cn_twist){v, w};
}

static inline void draw_body(random_program *p, uint32_t i, int ratio)
{
	p->u0[i] = draw_twist(p);
	p->inside[i] = draw_twist(p);
	if (p->friction) /* standing still is possible */
		p->inside[i] = (cn_twist){{0, 0, 0}, {0, 0, 0}};
	if (draw_unit(p) < 0.12) {
		p->bodies[i] = (cn_qp_body){0, {0, 0, 0, 0, 0, 0}};
		if (p->friction)
			p->u0[i] = p->inside[i];
		else
			p->inside[i] = p->u0[i];
		return;
	}
	double m = p->mass * draw_power(p, ratio), inverse = 1 / m;
	v3 axis = draw_vector(p, 1);
	double a = 0.2 + draw_unit(p), b = 0.2 + draw_unit(p), c = 0.2 + draw_unit(p),
		   f = inverse / (p->length * p->length);
	m3 r = m3_from_q(q_exp(axis)), w = m3_mul(m3_mul(r, m3_diagonal(v3_make(f / a, f / b, f / c))), m3_transpose(r));
	p->bodies[i] = (cn_qp_body){inverse, {w.m[0][0], w.m[0][1], w.m[0][2], w.m[1][1], w.m[1][2], w.m[2][2]}};
}

static inline double contact_value(const random_program *p, const cn_qp_contact *c, const cn_twist *u)
{
	v3 b = c->b == CN_QP_NONE ? v3_zero() : v3_add(u[c->b].v, v3_cross(u[c->b].w, c->rb));
	v3 a = c->a == CN_QP_NONE ? v3_zero() : v3_add(u[c->a].v, v3_cross(u[c->a].w, c->ra));
	(void)p;
	return v3_dot(c->n, v3_sub(b, a));
}

static inline double row_value(const cn_qp_row *r, const cn_twist *u)
{
	double sum = v3_dot(r->ja.v, u[r->a].v) + v3_dot(r->ja.w, u[r->a].w);
	return r->b == CN_QP_NONE ? sum : sum + v3_dot(r->jb.v, u[r->b].v) + v3_dot(r->jb.w, u[r->b].w);
}

/* Slack at the inner point: often none, so that many rows meet there. */
static inline double draw_slack(random_program *p)
{
	double u = draw_unit(p), size = draw_unit(p);
	return u < 0.4 ? 0 : p->speed * size;
}

static inline void draw_pair(random_program *p, uint32_t *a, uint32_t *b)
{
	*a = draw_below(p, p->qp.body_count);
	*b = draw_below(p, p->qp.body_count + 1);
	if (*b == *a || *b == p->qp.body_count)
		*b = CN_QP_NONE;
}

static inline void draw_contacts(random_program *p)
{
	cn_qp_contact c = {0};
	draw_pair(p, &c.a, &c.b);
	if (draw_unit(p) < 0.5) {
		uint32_t swap = c.a;
		c.a = c.b, c.b = swap;
	}
	c.n = draw_direction(p);
	uint32_t points = 1 + draw_below(p, 3) * draw_below(p, 5); /* up to 9 of one face: redundant */
	double mu = draw_unit(p), slack = draw_slack(p);
	for (uint32_t k = 0; k < points && p->qp.contact_count < RANDOM_CONTACTS; ++k) {
		v3 s, t;
		cn_qp_tangents(c.n, &s, &t);
		if (k == 0 || draw_unit(p) < 0.8) { /* else the same point again */
			double x = draw(p), y = draw(p);
			c.ra =
				v3_add(v3_scale(c.n, 0.5 * p->length), v3_add(v3_scale(s, x * p->length), v3_scale(t, y * p->length)));
			c.rb = v3_sub(c.ra, v3_scale(c.n, p->length));
		}
		c.least = p->friction ? 0 : contact_value(p, &c, p->inside) - slack;
		c.mu = p->friction ? mu : 0;
		p->contacts[p->qp.contact_count++] = c;
	}
}

static inline cn_twist twist_sum(cn_twist a, cn_twist b, double f)
{
	return (cn_twist){v3_madd(a.v, b.v, f), v3_madd(a.w, b.w, f)};
}

static inline void draw_row(random_program *p)
{
	cn_qp_row *r = &p->rows[p->qp.row_count], *last = p->qp.row_count ? r - 1 : NULL;
	double what = draw_unit(p);
	if (last && what < 0.25) { /* the last row again, or two together: redundant */
		double f = 0.5 + draw_unit(p);
		*r = *last;
		if (p->qp.row_count > 1 && r[-2].a == r->a && r[-2].b == r->b) {
			r->ja = twist_sum(r->ja, r[-2].ja, f);
			r->jb = twist_sum(r->jb, r[-2].jb, f);
		}
	} else {
		if (!last || what < 0.7)
			draw_pair(p, &r->a, &r->b);
		else
			r->a = last->a, r->b = last->b;
		v3 av = draw_vector(p, 1), aw = draw_vector(p, p->length), bv = draw_vector(p, 1),
		   bw = draw_vector(p, p->length);
		r->ja = (cn_twist){av, aw};
		r->jb = (cn_twist){bv, bw};
		if (r->b == CN_QP_NONE && draw_unit(p) < 0.5) { /* a bound on one unknown */
			double x[3] = {0, 0, 0};
			x[draw_below(p, 3)] = 1;
			r->ja = (cn_twist){v3_make(x[0], x[1], x[2]), v3_zero()};
		}
		if (r->b == CN_QP_NONE)
			r->jb = (cn_twist){{0, 0, 0}, {0, 0, 0}};
	}
	double value = row_value(r, p->inside), kind = draw_unit(p), below = draw_slack(p), above = draw_slack(p);
	r->low = kind < 0.35 ? value : kind < 0.85 ? value - below : -INFINITY;
	r->high = kind < 0.35 ? value : kind > 0.65 ? value + above : INFINITY;
	++p->qp.row_count;
}

/* most: bodies at most; powers: lengths, masses and speeds 10^-powers to 10^powers. */
static inline void draw_program(random_program *p, uint64_t seed, uint32_t most, int powers, bool friction)
{
	memset(p, 0, sizeof *p);
	p->state = seed;
	p->length = draw_power(p, powers);
	p->mass = draw_power(p, powers);
	p->speed = draw_power(p, powers < 3 ? powers : 3);
	p->friction = friction;
	p->qp = (cn_qp){.body_count = 1 + draw_below(p, most)};
	p->qp.bodies = p->bodies, p->qp.u0 = p->u0, p->qp.contacts = p->contacts, p->qp.rows = p->rows;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		draw_body(p, i, 2);
	uint32_t groups = 1 + draw_below(p, 2 * p->qp.body_count), rows = draw_below(p, 2 * p->qp.body_count);
	for (uint32_t k = 0; k < groups && p->qp.contact_count < RANDOM_CONTACTS; ++k)
		draw_contacts(p);
	for (uint32_t k = 0; k < (friction ? rows / 4 : rows); ++k)
		draw_row(p);
}

/* One row more: -(positive combination of the rows on the last pair), asking for more than that leaves. */
static inline void contradict(random_program *p)
{
	cn_qp_row *r = &p->rows[p->qp.row_count];
	const cn_qp_contact *c = &p->contacts[p->qp.contact_count - 1];
	uint32_t a = c->a == CN_QP_NONE ? c->b : c->a, b = c->a == CN_QP_NONE || c->b == CN_QP_NONE ? CN_QP_NONE : c->b;
	*r = (cn_qp_row){.a = a, .b = b, .high = INFINITY};
	for (uint32_t k = p->qp.contact_count; k-- > 0 && k + 3 >= p->qp.contact_count;) {
		const cn_qp_contact *o = &p->contacts[k];
		if (o->a != c->a || o->b != c->b)
			break;
		double f = 0.2 + draw_unit(p);
		cn_twist on_a = {v3_neg(o->n), v3_cross(o->n, o->ra)}, on_b = {o->n, v3_cross(o->rb, o->n)};
		r->ja = twist_sum(r->ja, o->a == a ? on_a : on_b, -f);
		if (b != CN_QP_NONE)
			r->jb = twist_sum(r->jb, on_b, -f);
		r->low -= f * o->least;
	}
	double lack = 0.1 + draw_unit(p);
	r->low += lack * p->speed;
	if (draw_unit(p) < 0.3) /* as an equality */
		r->high = r->low;
	++p->qp.row_count;
}

#endif
