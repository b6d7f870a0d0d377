/* Random programs as they come from scenes, in the classes that make trouble. Bodies are cubes or balls of one length
 * unit with contact points on their surfaces: loose pairs, stacks, heaps; with joints, bounds, friction, restitution
 * and immovable bodies that move.
 *
 * "inside" is a motion that satisfies every row, made first: the rows' bounds are measured from it, so that the program
 * is feasible; rest is one for programs nothing drives. A contradiction adds a row that asks for more than the others
 * leave. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include "num/qp.h"
#include "random.h"

enum { PROGRAM_BODIES = 30, PROGRAM_CONTACTS = 320, PROGRAM_ROWS = 96 };

typedef enum program_kind { PROGRAM_LOOSE, PROGRAM_STACK, PROGRAM_HEAP, PROGRAM_KINDS } program_kind;

/* What to draw. */
typedef struct program_wish {
	uint32_t most_bodies;
	int scales; /* lengths, masses, speeds 10^-scales to 10^scales */
	int ratios; /* and masses of single bodies 10^0 to 10^ratios more */
	bool
		position; /* any bounds and no friction; else a momentum program: contacts ask for 0, rest satisfies all rows */
	bool driven;  /* momentum: some immovable bodies move, some rows ask for a speed */
	bool joints, degenerate, redundant;
} program_wish;

typedef struct program {
	cn_qp qp;
	cn_qp_body bodies[PROGRAM_BODIES];
	cn_twist u0[PROGRAM_BODIES], inside[PROGRAM_BODIES];
	v3 place[PROGRAM_BODIES];
	cn_qp_contact contacts[PROGRAM_CONTACTS];
	cn_qp_row rows[PROGRAM_ROWS];
	double length, mass, speed;
	program_kind kind;
	program_wish wish;
	uint64_t state;
	/* room for an answer */
	cn_twist u[PROGRAM_BODIES];
	cn_qp_impulse contact[PROGRAM_CONTACTS];
	double row[PROGRAM_ROWS];
	cn_qp_solution x;
} program;

static inline double program_signed(program *p) { return cn_random_signed(&p->state); }
static inline double program_unit(program *p) { return 0.5 + 0.5 * cn_random_signed(&p->state); }
static inline uint32_t program_below(program *p, uint32_t n) { return (uint32_t)(cn_random_u64(&p->state) % n); }
static inline bool program_chance(program *p, double share) { return program_unit(p) < share; }

static inline double program_power(program *p, int low, int high) { return random_power(&p->state, low, high); }

static inline v3 program_vector(program *p, double size)
{
	double x = program_signed(p), y = program_signed(p), z = program_signed(p);
	return v3_make(size * x, size * y, size * z);
}

static inline v3 program_direction(program *p)
{
	for (;;) {
		v3 d = program_vector(p, 1);
		double square = v3_length2(d);
		if (square > 0.01 && square < 1)
			return v3_unit(d);
	}
}

static inline cn_twist program_twist(program *p, double size)
{
	v3 v = program_vector(p, size * p->speed), w = program_vector(p, size * p->speed / p->length);
	return (cn_twist){v, w};
}

static inline void program_body(program *p, uint32_t i)
{
	bool fixed = program_chance(p, 0.1);
	cn_twist u = program_twist(p, 1), inside = program_twist(p, 1), rest = {{0, 0, 0}, {0, 0, 0}};
	p->u0[i] = u;
	p->inside[i] = p->wish.position ? inside : rest;
	if (fixed) {
		bool still = p->wish.position ? program_chance(p, 0.5) : !p->wish.driven;
		p->bodies[i] = (cn_qp_body){0, {0, 0, 0, 0, 0, 0}};
		p->u0[i] = still ? rest : u;
		p->inside[i] = p->u0[i];
		return;
	}
	double ratio = program_power(p, 0, p->wish.ratios), inverse = 1 / (p->mass * ratio);
	double f = 6 * inverse / (p->length * p->length); /* a cube */
	v3 axis = program_vector(p, 1), shape = {1, 1, 1};
	if (program_chance(p, 0.5)) { /* or a brick */
		double x = program_unit(p), y = program_unit(p), z = program_unit(p);
		shape = v3_make(0.3 + 2 * x, 0.3 + 2 * y, 0.3 + 2 * z);
	}
	m3 r = m3_from_q(q_exp(axis));
	m3 w = m3_mul(m3_mul(r, m3_diagonal(v3_scale(shape, f))), m3_transpose(r));
	p->bodies[i] = (cn_qp_body){inverse, {w.m[0][0], w.m[0][1], w.m[0][2], w.m[1][1], w.m[1][2], w.m[2][2]}};
}

static inline double program_value(const cn_qp_contact *c, const cn_twist *u)
{
	v3 b = c->b == CN_QP_NONE ? v3_zero() : v3_add(u[c->b].v, v3_cross(u[c->b].w, c->rb));
	v3 a = c->a == CN_QP_NONE ? v3_zero() : v3_add(u[c->a].v, v3_cross(u[c->a].w, c->ra));
	return v3_dot(c->n, v3_sub(b, a));
}

/* Slack at the inner motion; none in degenerate programs, so that all rows meet there. */
static inline double program_slack(program *p)
{
	double size = program_unit(p);
	return p->wish.degenerate || program_chance(p, 0.3) ? 0 : size * p->speed;
}

/* The points of one face between a and b, at x, with normal n from a to b: a ball's one, a cube's up to four, and more
 * of the same in redundant programs. */
static inline void program_face(program *p, uint32_t a, uint32_t b, v3 x, v3 n)
{
	cn_qp_contact c = {.a = a, .b = b, .n = n};
	uint32_t points = program_chance(p, 0.3) ? 1 : 2 + program_below(p, 3);
	double width = program_unit(p), mu = program_chance(p, 0.2) ? 0 : 1.5 * program_unit(p);
	double eps = program_chance(p, 0.4) ? 0 : program_unit(p), slack = program_slack(p);
	v3 s, t;
	cn_qp_tangents(n, &s, &t);
	if (p->wish.redundant)
		points += program_below(p, 5);
	for (uint32_t k = 0; k < points && p->qp.contact_count < PROGRAM_CONTACTS; ++k) {
		double at_s = (k & 1 ? 0.5 : -0.5) * width, at_t = (k & 2 ? 0.5 : -0.5) * width;
		if (k >= 4) {
			double f = program_unit(p); /* between two corners */
			at_s *= f;
		}
		v3 point = v3_madd(v3_madd(x, s, at_s * p->length), t, at_t * p->length);
		c.ra = a == CN_QP_NONE ? v3_zero() : v3_sub(point, p->place[a]);
		c.rb = b == CN_QP_NONE ? v3_zero() : v3_sub(point, p->place[b]);
		c.mu = p->wish.position ? 0 : mu;
		c.eps = p->wish.position ? 0 : eps;
		c.least = p->wish.position ? program_value(&c, p->inside) - slack : 0;
		p->contacts[p->qp.contact_count++] = c;
	}
}

static inline void program_loose(program *p)
{
	uint32_t n = p->qp.body_count, pairs = program_below(p, 2 * n + 1);
	for (uint32_t i = 0; i < n; ++i)
		p->place[i] = program_vector(p, 3 * p->length);
	for (uint32_t k = 0; k < pairs; ++k) {
		uint32_t a = program_below(p, n), b = program_below(p, n + 1);
		v3 d = program_direction(p);
		if (b == a || b == n)
			b = CN_QP_NONE;
		v3 x = v3_madd(p->place[a], d, 0.5 * p->length);
		if (b != CN_QP_NONE) /* as if b stood there */
			p->place[b] = v3_madd(p->place[a], d, p->length);
		if (b == CN_QP_NONE && program_chance(p, 0.5))
			program_face(p, b, a, x, v3_neg(d));
		else
			program_face(p, a, b, x, d);
	}
}

/* One on top of the other, on the ground. */
static inline void program_stack(program *p)
{
	v3 up = {0, 0, 1};
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double x = program_signed(p), y = program_signed(p), z = (0.5 + i) * p->length;
		p->place[i] = v3_make(0.2 * p->length * x, 0.2 * p->length * y, z);
		v3 face = {p->place[i].x, p->place[i].y, z - 0.5 * p->length};
		program_face(p, i ? i - 1 : CN_QP_NONE, i, face, up);
	}
	if (!p->wish.position && program_chance(p, 0.5)) /* it falls as one piece: a frame's worth of gravity */
		for (uint32_t i = 0; i < p->qp.body_count; ++i)
			if (p->bodies[i].inv_mass > 0)
				p->u0[i] = (cn_twist){{0, 0, -p->speed}, {0, 0, 0}};
}

/* In a grid with gaps, touching all neighbours, slightly askew. */
static inline void program_heap(program *p)
{
	uint32_t n = p->qp.body_count, side = n > 8 ? 3 : 2;
	for (uint32_t i = 0; i < n; ++i) {
		v3 shake = program_vector(p, 0.1);
		uint32_t x = i % side, y = i / side % side, z = i / (side * side);
		p->place[i] = v3_scale(v3_make(x + shake.x, y + shake.y, z + shake.z), p->length);
	}
	for (uint32_t i = 0; i < n; ++i) {
		v3 up = {0, 0, 1};
		if (i < side * side)
			program_face(p, CN_QP_NONE, i, v3_madd(p->place[i], up, -0.5 * p->length), up);
		for (uint32_t j = 0; j < i; ++j) {
			v3 d = v3_sub(p->place[i], p->place[j]);
			if (v3_length(d) < 1.3 * p->length)
				program_face(p, j, i, v3_madd(p->place[j], d, 0.5), v3_unit(d));
		}
	}
}

static inline double program_row_value(const cn_qp_row *r, const cn_twist *u)
{
	double sum = v3_dot(r->ja.v, u[r->a].v) + v3_dot(r->ja.w, u[r->a].w);
	return r->b == CN_QP_NONE ? sum : sum + v3_dot(r->jb.v, u[r->b].v) + v3_dot(r->jb.w, u[r->b].w);
}

static inline void program_add_row(program *p, cn_qp_row r, bool equal)
{
	double value = program_row_value(&r, p->inside), below = program_slack(p), above = program_slack(p);
	double kind = program_unit(p);
	r.low = equal ? value : kind < 0.7 ? value - below : -INFINITY;
	r.high = equal ? value : kind > 0.3 ? value + above : INFINITY;
	if (p->qp.row_count < PROGRAM_ROWS)
		p->rows[p->qp.row_count++] = r;
}

/* A ball joint between two bodies, a hinge or a slider where rows go on; now and then one row twice. */
static inline void program_joint(program *p)
{
	uint32_t a = program_below(p, p->qp.body_count), b = program_below(p, p->qp.body_count + 1);
	if (b == a || b == p->qp.body_count)
		b = CN_QP_NONE;
	if (!(p->bodies[a].inv_mass > 0) && (b == CN_QP_NONE || !(p->bodies[b].inv_mass > 0)))
		return; /* nothing that rows could move */
	v3 arm_a = program_vector(p, 0.7 * p->length), arm_b = program_vector(p, 0.7 * p->length);
	uint32_t turns = program_chance(p, 0.3) ? program_below(p, 4) : 0;
	for (uint32_t k = 0; k < 3 + turns; ++k) {
		v3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
		cn_qp_row r = {.a = a, .b = b};
		if (k < 3) {
			r.ja = (cn_twist){v3_neg(e), v3_cross(e, arm_a)};
			r.jb = (cn_twist){e, v3_cross(arm_b, e)};
		} else { /* in metres, so that all rows have one unit */
			r.ja = (cn_twist){v3_zero(), v3_scale(e, -p->length)};
			r.jb = (cn_twist){v3_zero(), v3_scale(e, p->length)};
		}
		if (b == CN_QP_NONE)
			r.jb = (cn_twist){{0, 0, 0}, {0, 0, 0}};
		program_add_row(p, r, true);
		if (p->wish.redundant && program_chance(p, 0.3)) {
			cn_qp_row twice = r;
			twice.ja = (cn_twist){v3_scale(r.ja.v, 2), v3_scale(r.ja.w, 2)};
			twice.jb = (cn_twist){v3_scale(r.jb.v, 2), v3_scale(r.jb.w, 2)};
			program_add_row(p, twice, true);
		}
	}
}

/* A bound on one component of one body, or a motor between two. */
static inline void program_bound(program *p)
{
	uint32_t a = program_below(p, p->qp.body_count), k = program_below(p, 6);
	if (!(p->bodies[a].inv_mass > 0))
		return;
	v3 e = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
	cn_qp_row r = {.a = a, .b = CN_QP_NONE};
	r.ja = k < 3 ? (cn_twist){e, {0, 0, 0}} : (cn_twist){{0, 0, 0}, v3_scale(e, p->length)};
	program_add_row(p, r, program_chance(p, 0.2));
	if (p->wish.driven && program_chance(p, 0.5)) {
		cn_qp_row *last = &p->rows[p->qp.row_count - 1];
		double ask = program_unit(p) * p->speed;
		last->low = last->high = ask;
	}
}

static inline void program_draw(program *p, uint64_t seed, const program_wish *wish)
{
	memset(p, 0, offsetof(program, u));
	p->state = seed;
	p->wish = *wish;
	p->x = (cn_qp_solution){p->u, p->contact, p->row};
	p->length = program_power(p, -wish->scales, wish->scales);
	p->mass = program_power(p, -wish->scales, wish->scales);
	p->speed = program_power(p, -wish->scales, wish->scales);
	p->qp = (cn_qp){.body_count = 1 + program_below(p, wish->most_bodies)};
	p->qp.bodies = p->bodies, p->qp.u0 = p->u0, p->qp.contacts = p->contacts, p->qp.rows = p->rows;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		program_body(p, i);
	p->kind = (program_kind)program_below(p, PROGRAM_KINDS);
	if (p->kind == PROGRAM_LOOSE)
		program_loose(p);
	else if (p->kind == PROGRAM_STACK)
		program_stack(p);
	else
		program_heap(p);
	if (!wish->joints)
		return;
	uint32_t joints = program_below(p, p->qp.body_count), bounds = program_below(p, p->qp.body_count + 1);
	for (uint32_t k = 0; k < joints; ++k)
		program_joint(p);
	for (uint32_t k = 0; k < bounds; ++k)
		program_bound(p);
}

/* A row more: minus a positive sum of contacts of one pair, asking for more than they leave. False where there is no
 * contact to contradict. */
static inline bool program_contradict(program *p)
{
	if (p->qp.contact_count == 0 || p->qp.row_count == PROGRAM_ROWS)
		return false;
	uint32_t first = program_below(p, p->qp.contact_count), used = 0;
	const cn_qp_contact *c = &p->contacts[first];
	bool swap = c->a == CN_QP_NONE;
	cn_qp_row r = {.a = swap ? c->b : c->a, .b = swap ? CN_QP_NONE : c->b, .high = INFINITY};
	for (uint32_t k = first; k < p->qp.contact_count && used < 3; ++k, ++used) {
		const cn_qp_contact *o = &p->contacts[k];
		if (o->a != c->a || o->b != c->b)
			break;
		double f = 0.2 + program_unit(p);
		cn_twist on_a = {v3_neg(o->n), v3_cross(o->n, o->ra)}, on_b = {o->n, v3_cross(o->rb, o->n)},
				 on = swap ? on_b : on_a;
		r.ja = (cn_twist){v3_madd(r.ja.v, on.v, -f), v3_madd(r.ja.w, on.w, -f)};
		if (r.b != CN_QP_NONE)
			r.jb = (cn_twist){v3_madd(r.jb.v, on_b.v, -f), v3_madd(r.jb.w, on_b.w, -f)};
		r.low -= f * o->least;
	}
	double lack = 0.1 + program_unit(p);
	r.low += lack * p->speed;
	if (program_chance(p, 0.3))
		r.high = r.low;
	p->rows[p->qp.row_count++] = r;
	return true;
}

#endif
