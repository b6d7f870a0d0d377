/* See text_programs.h. Every program is written down row by row as the appendix has it, with its own unknowns, and handed to the
 * sparse solver; nothing is eliminated. Unknowns come in blocks: six a body first. What cannot move has no unknowns: its
 * motion goes to the right-hand sides. */
#include "num/text_programs.h"

#include "base/arena.h"
#include "num/sparse_qp.h"

#define CN_THESIS_SIDE 1e-7 /* of the accelerations: this far above its tip one lies on the side of its cone */

enum { SIDES = 8 };

/* A program being written. */
typedef struct draft {
	cn_arena arena;
	const cairn_allocator *allocator;
	uint32_t unknowns, a_rows, g_rows;
	uint32_t *first; /* of each body's six unknowns; CN_QP_NONE: it cannot move */
	cn_entry *p, *a, *g;
	uint32_t p_count, a_count, g_count;
	double *q, *b, *h, *x, *y, *z;
} draft;

typedef struct limits {
	uint32_t unknowns, a_rows, g_rows;
	size_t p, a, g; /* entries */
} limits;

static bool begin(draft *d, const cairn_allocator *allocator, const cn_qp_body *bodies, uint32_t body_count,
                  limits most)
{
	*d = (draft){.arena = cn_arena_make(allocator), .allocator = allocator};
	d->first = cn_arena_take(&d->arena, body_count, sizeof *d->first);
	d->p = cn_arena_take(&d->arena, most.p, sizeof *d->p);
	d->a = cn_arena_take(&d->arena, most.a, sizeof *d->a);
	d->g = cn_arena_take(&d->arena, most.g, sizeof *d->g);
	d->q = cn_arena_take(&d->arena, most.unknowns, sizeof *d->q);
	d->x = cn_arena_take(&d->arena, most.unknowns, sizeof *d->x);
	d->b = cn_arena_take(&d->arena, most.a_rows, sizeof *d->b);
	d->y = cn_arena_take(&d->arena, most.a_rows, sizeof *d->y);
	d->h = cn_arena_take(&d->arena, most.g_rows, sizeof *d->h);
	d->z = cn_arena_take(&d->arena, most.g_rows, sizeof *d->z);
	if (d->arena.failed)
		return false;
	for (uint32_t i = 0; i < body_count; ++i) {
		d->first[i] = bodies[i].inv_mass > 0 ? d->unknowns : CN_QP_NONE;
		d->unknowns += bodies[i].inv_mass > 0 ? 6 : 0;
	}
	return true;
}

static void put_p(draft *d, uint32_t row, uint32_t column, double value)
{
	if (value != 0)
		d->p[d->p_count++] = (cn_entry){row, column, value};
}
static void put_a(draft *d, uint32_t column, double value)
{
	if (value != 0)
		d->a[d->a_count++] = (cn_entry){d->a_rows, column, value};
}
static void put_g(draft *d, uint32_t column, double value)
{
	if (value != 0)
		d->g[d->g_count++] = (cn_entry){d->g_rows, column, value};
}

/* Inertia from its inverse, by cofactors. */
static m3 inertia_of(const cn_qp_body *body)
{
	const double *i = body->inv_inertia;
	double xx = i[3] * i[5] - i[4] * i[4], xy = i[2] * i[4] - i[1] * i[5], xz = i[1] * i[4] - i[2] * i[3];
	double yy = i[0] * i[5] - i[2] * i[2], yz = i[1] * i[2] - i[0] * i[4], zz = i[0] * i[3] - i[1] * i[1];
	double determinant = i[0] * xx + i[1] * xy + i[2] * xz, f = determinant > 0 ? 1 / determinant : 0;
	return (m3){{{xx * f, xy * f, xz * f}, {xy * f, yy * f, yz * f}, {xz * f, yz * f, zz * f}}};
}

/* 1/2 (u - target)' M (u - target) of one body; target zero for the kinetic energy itself. */
static void put_square(draft *d, const cn_qp_body *body, uint32_t first, cn_twist target)
{
	m3 inertia = inertia_of(body);
	double mass = 1 / body->inv_mass, linear[3] = {target.v.x, target.v.y, target.v.z};
	v3 turned = m3_apply(inertia, target.w);
	double angular[3] = {turned.x, turned.y, turned.z};
	for (uint32_t i = 0; i < 3; ++i) {
		put_p(d, first + i, first + i, mass);
		d->q[first + i] = -mass * linear[i];
		d->q[first + 3 + i] = -angular[i];
		for (uint32_t j = i; j < 3; ++j)
			put_p(d, first + 3 + i, first + 3 + j, inertia.m[i][j]);
	}
}

/* A point of a body, and the direction along which its velocity counts, times the sign. */
typedef struct arm {
	uint32_t body;
	v3 r, dir;
	double sign;
} arm;

/* sign x dir.(velocity of the point): unknowns into the row that is being written, or into the constant returned. */
static double put_point(draft *d, void (*put)(draft *, uint32_t, double), arm at, const cn_twist *given)
{
	uint32_t body = at.body;
	v3 dir = at.dir, moment = v3_cross(at.r, dir);
	double sign = at.sign;
	double j[6] = {dir.x, dir.y, dir.z, moment.x, moment.y, moment.z};
	if (body == CN_QP_NONE)
		return 0;
	if (d->first[body] == CN_QP_NONE)
		return sign * (v3_dot(dir, given[body].v) + v3_dot(moment, given[body].w));
	for (uint32_t i = 0; i < 6; ++i)
		put(d, d->first[body] + i, sign * j[i]);
	return 0;
}

/* dir.(velocity of b's point - velocity of a's) likewise. */
static double put_relative(draft *d, void (*put)(draft *, uint32_t, double), const cn_qp_contact *c, v3 dir,
                           const cn_twist *given)
{
	double a = put_point(d, put, (arm){c->a, c->ra, dir, -1}, given);
	return a + put_point(d, put, (arm){c->b, c->rb, dir, 1}, given);
}

static cn_qp_result finish(draft *d)
{
	cn_sparse_qp program = {.q = d->q, .b = d->b, .h = d->h};
	cn_qp_result result = {.status = CN_QP_MEMORY};
	bool made = cn_sparse_build(d->allocator, d->unknowns, d->unknowns, d->p, d->p_count, &program.p) &&
	            cn_sparse_build(d->allocator, d->a_rows, d->unknowns, d->a, d->a_count, &program.a) &&
	            cn_sparse_build(d->allocator, d->g_rows, d->unknowns, d->g, d->g_count, &program.g);
	if (made) {
		cn_sparse_result r = cn_sparse_solve(d->allocator, &program, 0, d->x, d->y, d->z);
		static const cn_qp_status status[] = {[CN_SPARSE_SOLVED] = CN_QP_SOLVED,
		                                      [CN_SPARSE_INFEASIBLE] = CN_QP_INFEASIBLE,
		                                      [CN_SPARSE_UNBOUNDED] = CN_QP_EARLY,
		                                      [CN_SPARSE_EARLY] = CN_QP_EARLY,
		                                      [CN_SPARSE_MEMORY] = CN_QP_MEMORY};
		result.status = status[r.status];
		result.residual = r.primal > r.dual ? r.primal : r.dual;
		result.sweeps = result.factored = r.iterations;
		result.objective = r.objective;
	}
	cn_sparse_free(d->allocator, &program.p);
	cn_sparse_free(d->allocator, &program.a);
	cn_sparse_free(d->allocator, &program.g);
	return result;
}

/* The bodies' twists out of the answer; what was given for those that cannot move and where there is no answer. */
static void read_twists(const draft *d, bool solved, uint32_t body_count, const cn_twist *given, cn_twist *u)
{
	for (uint32_t i = 0; i < body_count; ++i) {
		u[i] = given[i];
		if (!solved || d->first[i] == CN_QP_NONE)
			continue;
		const double *x = &d->x[d->first[i]];
		u[i] = (cn_twist){{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
	}
}

/* ---- A.3.1 */

/* One vertex against its plane, (4) and (5): sign (n.dx - (n x r).dphi + (nx.q) dx' + (ny.q) dy' - d) >= gap/2 - sign n.q. The
 * vertices of A are below (sign -1), those of B above. */
static void put_vertex(draft *d, const cn_text_position *t, const cn_text_plane *plane, const cn_text_vertex *q,
                       uint32_t body, double sign)
{
	uint32_t unknowns = d->unknowns;
	double known = put_point(d, put_g, (arm){body, q->r, plane->n, sign}, t->u0);
	put_g(d, unknowns, -sign);
	put_g(d, unknowns + 1, sign * v3_dot(plane->nx, q->x));
	put_g(d, unknowns + 2, sign * v3_dot(plane->ny, q->x));
	d->h[d->g_rows++] = t->gap / 2 - sign * v3_dot(plane->n, q->x) - known;
}

cn_qp_result cn_text_solve_position(const cairn_allocator *allocator, const cn_text_position *program, cn_twist *u)
{
	const cn_text_position *t = program;
	cn_qp_result result = {.status = CN_QP_MEMORY};
	draft d;
	limits most = {.unknowns = t->body_count * 6 + t->plane_count * 3,
	               .g_rows = t->vertex_count + t->body_count * 6,
	               .p = (size_t)t->body_count * 9,
	               .g = (size_t)t->vertex_count * 9 + (size_t)t->body_count * 6};
	if (begin(&d, allocator, t->bodies, t->body_count, most)) {
		for (uint32_t i = 0; i < t->body_count; ++i) {
			uint32_t first = d.first[i];
			if (first == CN_QP_NONE)
				continue;
			put_square(&d, &t->bodies[i], first, t->u0[i]); /* (1) to (3) */
			for (uint32_t k = 3; k < 6; ++k) {              /* (6) */
				put_g(&d, first + k, 1);
				d.h[d.g_rows++] = -t->most_turn;
				put_g(&d, first + k, -1);
				d.h[d.g_rows++] = -t->most_turn;
			}
		}
		for (uint32_t i = 0; i < t->plane_count; ++i) {
			const cn_text_plane *plane = &t->planes[i];
			const cn_text_vertex *q = &t->vertices[plane->first];
			for (uint32_t k = 0; k < plane->count_a; ++k)
				put_vertex(&d, t, plane, q++, plane->a, -1);
			for (uint32_t k = 0; k < plane->count_b; ++k)
				put_vertex(&d, t, plane, q++, plane->b, 1);
			d.unknowns += 3;
		}
		result = finish(&d);
		read_twists(&d, result.status == CN_QP_SOLVED, t->body_count, t->u0, u);
		cn_qp qp = {.body_count = t->body_count, .bodies = t->bodies, .u0 = t->u0};
		result.objective = cn_qp_objective(&qp, u);
	}
	cn_arena_free(&d.arena);
	return result;
}

/* ---- A.3.2 */

static void side_direction(double turns, double *c, double *s) { cn_sincos(CN_PI * turns, s, c); }

cn_qp_result cn_text_solve_momentum(const cairn_allocator *allocator, const cn_qp *qp, cn_qp_solution *solution)
{
	assert(qp->row_count == 0);
	cn_qp_result result = {.status = CN_QP_MEMORY};
	uint32_t bodies = qp->body_count, contacts = qp->contact_count;
	draft d;
	limits most = {.unknowns = bodies * 6 + contacts * 4,
	               .a_rows = bodies * 6 + contacts,
	               .g_rows = contacts * (SIDES + 1),
	               .p = (size_t)bodies * 9,
	               .a = (size_t)bodies * 6 + (size_t)contacts * (2 * 6 * 3 + 13),
	               .g = (size_t)contacts * (SIDES * 3 + 1)};
	if (begin(&d, allocator, qp->bodies, bodies, most)) {
		uint32_t impulses = d.unknowns, speeds = impulses + contacts * 3;
		d.unknowns = speeds + contacts;
		for (uint32_t i = 0; i < bodies; ++i) {
			uint32_t first = d.first[i];
			if (first == CN_QP_NONE)
				continue;
			put_square(&d, &qp->bodies[i], first, (cn_twist){{0, 0, 0}, {0, 0, 0}}); /* (1) */
			const double start[6] = {qp->u0[i].v.x, qp->u0[i].v.y, qp->u0[i].v.z,
			                         qp->u0[i].w.x, qp->u0[i].w.y, qp->u0[i].w.z};
			for (uint32_t k = 0; k < 6; ++k) { /* (2), (3): u - M^-1 J' j = u0; the impulses follow below */
				put_a(&d, first + k, 1);
				d.b[d.a_rows++] = start[k];
			}
		}
		for (uint32_t s = 0; s < contacts; ++s) {
			const cn_qp_contact *c = &qp->contacts[s];
			v3 frame[3] = {c->n, {0, 0, 0}, {0, 0, 0}};
			cn_qp_tangents(c->n, &frame[1], &frame[2]);
			for (uint32_t k = 0; k < 3; ++k)
				for (int side = 0; side < 2; ++side) {
					uint32_t body = side ? c->b : c->a;
					if (body == CN_QP_NONE || d.first[body] == CN_QP_NONE)
						continue;
					const double *inverse = qp->bodies[body].inv_inertia;
					v3 moment = v3_cross(side ? c->rb : c->ra, frame[k]);
					v3 v = v3_scale(frame[k], qp->bodies[body].inv_mass);
					v3 w = {inverse[0] * moment.x + inverse[1] * moment.y + inverse[2] * moment.z,
					        inverse[1] * moment.x + inverse[3] * moment.y + inverse[4] * moment.z,
					        inverse[2] * moment.x + inverse[4] * moment.y + inverse[5] * moment.z};
					double change[6] = {v.x, v.y, v.z, w.x, w.y, w.z}, sign = side ? -1 : 1;
					for (uint32_t i = 0; i < 6; ++i)
						if (change[i] != 0)
							d.a[d.a_count++] = (cn_entry){d.first[body] + i, impulses + 3 * s + k, sign * change[i]};
				}
			double known = put_relative(&d, put_a, c, c->n, qp->u0); /* (4) */
			put_a(&d, speeds + s, -1);
			d.b[d.a_rows++] = -known;
			double before = cn_qp_speed(qp, s, qp->u0).n; /* (5) */
			put_g(&d, speeds + s, 1);
			d.h[d.g_rows++] = before >= 0 ? 0 : -c->eps * before;
			for (int h = 0; h < SIDES; ++h) { /* (6), OBA eq. 6.22 */
				double cosine, sine;
				side_direction(h / 4.0, &cosine, &sine);
				put_g(&d, impulses + 3 * s, c->mu * cn_cos(CN_PI / 8));
				put_g(&d, impulses + 3 * s + 1, cosine);
				put_g(&d, impulses + 3 * s + 2, sine);
				++d.g_rows;
			}
		}
		result = finish(&d);
		bool solved = result.status == CN_QP_SOLVED;
		for (uint32_t s = 0; s < contacts; ++s) {
			const double *j = &d.x[impulses + 3 * s];
			solution->contact[s] = solved ? (cn_qp_impulse){j[0], j[1], j[2]} : (cn_qp_impulse){0, 0, 0};
		}
		cn_qp_apply(qp, solution->contact, solution->row, solution->u);
		result.objective = cn_qp_energy(qp, solution->u);
	}
	cn_arena_free(&d.arena);
	return result;
}

/* ---- A.3.3 */

/* The sides of a contact's acceleration cone: the rays of the friction cone's edges (errata 11), times mu. */
static v3 side_normal(const cn_qp_contact *c, int h, bool cones, v3 s, v3 t, cn_qp_impulse *parts)
{
	double cosine, sine;
	side_direction((2 * h + 1) / 8.0, &cosine, &sine);
	*parts = cones ? (cn_qp_impulse){1, c->mu * cosine, c->mu * sine} : (cn_qp_impulse){1, 0, 0};
	return v3_madd(v3_madd(c->n, s, parts->s), t, parts->t);
}

static int side_count(const cn_qp_contact *c, bool cones) { return cones && c->mu > 0 ? SIDES : 1; }

cn_qp_result cn_text_solve_forces(const cairn_allocator *allocator, const cn_qp *qp, bool cones,
                                  const cn_qp_impulse *tips, cn_qp_solution *solution)
{
	assert(qp->row_count == 0);
	cn_qp_result result = {.status = CN_QP_MEMORY};
	uint32_t bodies = qp->body_count, contacts = qp->contact_count;
	draft d;
	limits most = {.unknowns = bodies * 6,
	               .g_rows = contacts * SIDES,
	               .p = (size_t)bodies * 9,
	               .g = (size_t)contacts * SIDES * 12};
	if (begin(&d, allocator, qp->bodies, bodies, most)) {
		for (uint32_t i = 0; i < bodies; ++i)
			if (d.first[i] != CN_QP_NONE)
				put_square(&d, &qp->bodies[i], d.first[i], qp->u0[i]);
		for (uint32_t k = 0; k < contacts; ++k) {
			const cn_qp_contact *c = &qp->contacts[k];
			cn_qp_impulse tip = cones && tips ? tips[k] : (cn_qp_impulse){0, 0, 0};
			v3 s, t;
			cn_qp_tangents(c->n, &s, &t);
			for (int h = 0; h < side_count(c, cones); ++h) {
				cn_qp_impulse parts;
				v3 normal = side_normal(c, h, cones && c->mu > 0, s, t, &parts);
				double known = put_relative(&d, put_g, c, normal, qp->u0);
				d.h[d.g_rows++] = c->least + (parts.n * tip.n + parts.s * tip.s + parts.t * tip.t) - known;
			}
		}
		result = finish(&d);
		bool solved = result.status == CN_QP_SOLVED;
		uint32_t row = 0;
		for (uint32_t k = 0; k < contacts; ++k) {
			const cn_qp_contact *c = &qp->contacts[k];
			v3 s, t;
			cn_qp_tangents(c->n, &s, &t);
			solution->contact[k] = (cn_qp_impulse){0, 0, 0};
			for (int h = 0; h < side_count(c, cones); ++h, ++row) {
				cn_qp_impulse parts;
				side_normal(c, h, cones && c->mu > 0, s, t, &parts);
				double force = solved ? d.z[row] : 0;
				solution->contact[k].n += force * parts.n;
				solution->contact[k].s += force * parts.s;
				solution->contact[k].t += force * parts.t;
			}
		}
		read_twists(&d, solved, bodies, qp->u0, solution->u);
		result.objective = cn_qp_objective(qp, solution->u);
	}
	cn_arena_free(&d.arena);
	return result;
}

uint32_t cn_text_move_tips(const cn_qp *qp, const cn_qp_solution *solution, cn_qp_impulse *tips)
{
	uint32_t moved = 0;
	double scale = 0;
	for (uint32_t k = 0; k < qp->contact_count; ++k) {
		cn_qp_impulse a = cn_qp_speed(qp, k, solution->u);
		double size = fabs(a.n) + fabs(a.s) + fabs(a.t);
		scale = size > scale ? size : scale;
	}
	for (uint32_t k = 0; k < qp->contact_count; ++k) {
		cn_qp_impulse a = cn_qp_speed(qp, k, solution->u);
		double up = a.n - (qp->contacts[k].least + tips[k].n);
		/* On the side: it presses, and is above the tip. */
		if (!(solution->contact[k].n > 0) || !(up > CN_THESIS_SIDE * scale))
			continue;
		tips[k].s = a.s;
		tips[k].t = a.t;
		++moved;
	}
	return moved;
}
