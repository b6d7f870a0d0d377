/* See qp_small.h. One sweep takes the rows in order: each joint row to its nearest allowed value, each contact first
 * along its normal, then along its tangents with one common step, so that where it slides the impulse opposes the
 * sliding exactly: the fixed points are those of Coulomb's law with the round cone. Where sweeps settle too slowly or
 * not at all (tall stacks, large mass ratios) the exact reference takes over; sweeps polish its answer if they can. */
#include "num/qp_small.h"

#include "base/tolerance.h"
#include "num/qp_exact.h"

#include <string.h>

/* ---- one contact in closed form */

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

/* ---- sweeps */

/* What a sweep needs of a row, made once. */
typedef struct step {
	double normal, tangent; /* 1 / response; 0 where nothing can move */
} step;

typedef struct sweeper {
	const cn_qp *qp;
	cn_qp_solution *x;
	step *contact;
	double *row;  /* 1 / response */
	double scale; /* m/s: the largest speed a row starts with or asks for; bounds beyond 0 ask for none */
	double stuck; /* m/s: the most by which a row fails that nothing can move */
} sweeper;

static double larger(double a, double b) { return a > b ? a : b; }

/* J M^-1 J' of two directions at a contact. */
static double coupling(const cn_qp *qp, const cn_qp_contact *c, v3 p, v3 q)
{
	double sum = 0;
	if (c->a != CN_QP_NONE)
		sum += v3_dot(q, yield_at(&qp->bodies[c->a], c->ra, p));
	if (c->b != CN_QP_NONE)
		sum += v3_dot(q, yield_at(&qp->bodies[c->b], c->rb, p));
	return sum;
}

static double row_response(const cn_qp *qp, const cn_qp_row *r)
{
	const cn_qp_body *a = &qp->bodies[r->a];
	double sum = v3_length2(r->ja.v) * a->inv_mass + v3_dot(r->ja.w, turn_by(a, r->ja.w));
	if (r->b == CN_QP_NONE)
		return sum;
	const cn_qp_body *b = &qp->bodies[r->b];
	return sum + (v3_length2(r->jb.v) * b->inv_mass + v3_dot(r->jb.w, turn_by(b, r->jb.w)));
}

static double inverse(double x) { return x > 0 ? 1 / x : 0; }

static void prepare(sweeper *w)
{
	const cn_qp *qp = w->qp;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_qp_contact *c = &qp->contacts[i];
		v3 s, t;
		cn_qp_tangents(c->n, &s, &t);
		double ss = coupling(qp, c, s, s), tt = coupling(qp, c, t, t), st = coupling(qp, c, s, t);
		double half = 0.5 * (ss - tt), most = 0.5 * (ss + tt) + sqrt(half * half + st * st);
		w->contact[i] = (step){inverse(coupling(qp, c, c->n, c->n)), inverse(most)};
		cn_qp_impulse v = cn_qp_speed(qp, i, qp->u0);
		if (w->contact[i].normal == 0)
			w->stuck = larger(w->stuck, c->least - v.n);
		w->scale = larger(w->scale, larger(c->least, sqrt(v.n * v.n + v.s * v.s + v.t * v.t)));
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_qp_row *r = &qp->rows[i];
		double value = cn_qp_row_value(qp, i, qp->u0);
		w->row[i] = inverse(row_response(qp, r));
		if (w->row[i] == 0)
			w->stuck = larger(w->stuck, larger(r->low - value, value - r->high));
		w->scale = larger(w->scale, larger(fabs(value), larger(r->low, -r->high)));
	}
}

/* The multiplier of a row that brings its value into [low, high], or to 0 where it is inside without it. */
static double row_step(const sweeper *w, uint32_t i)
{
	const cn_qp_row *r = &w->qp->rows[i];
	double value = cn_qp_row_value(w->qp, i, w->x->u), y = w->x->row[i], k = w->row[i];
	double up = y + (r->low - value) * k, down = y + (r->high - value) * k;
	return up > 0 ? up : down < 0 ? down : 0;
}

static double normal_step(const sweeper *w, uint32_t i)
{
	double y =
		w->x->contact[i].n + (w->qp->contacts[i].least - cn_qp_speed(w->qp, i, w->x->u).n) * w->contact[i].normal;
	return y > 0 ? y : 0;
}

/* The tangent impulse that stops the sliding, or as much of it as the cone of y_n allows. */
static cn_qp_impulse tangent_step(const sweeper *w, uint32_t i)
{
	const cn_qp_impulse *y = &w->x->contact[i];
	cn_qp_impulse v = cn_qp_speed(w->qp, i, w->x->u);
	double k = w->contact[i].tangent, s = y->s - v.s * k, t = y->t - v.t * k;
	double size = sqrt(s * s + t * t), limit = w->qp->contacts[i].mu * y->n;
	if (size > limit)
		s *= limit / size, t *= limit / size;
	return (cn_qp_impulse){y->n, s, t};
}

static bool rubs(const sweeper *w, uint32_t i) { return w->qp->contacts[i].mu > 0 && w->contact[i].tangent > 0; }

/* One sweep; returns the largest change of a row's own value. Without stepping nothing is changed, and it is the
 * largest change that some row would make alone: 0 at a solution, and nowhere else. */
static double sweep(sweeper *w, bool stepping)
{
	const cn_qp *qp = w->qp;
	cn_qp_solution *x = w->x;
	double most = 0;
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		if (w->row[i] == 0)
			continue;
		double y = row_step(w, i), change = y - x->row[i];
		most = larger(most, fabs(change) / w->row[i]);
		if (stepping) {
			x->row[i] = y;
			cn_qp_push_row(qp, i, change, x->u);
		}
	}
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		if (w->contact[i].normal == 0)
			continue;
		double y = normal_step(w, i);
		cn_qp_impulse change = {y - x->contact[i].n, 0, 0};
		most = larger(most, fabs(change.n) / w->contact[i].normal);
		if (stepping) {
			x->contact[i].n = y;
			cn_qp_push_contact(qp, i, change, x->u);
		}
		if (!rubs(w, i))
			continue;
		cn_qp_impulse to = tangent_step(w, i);
		change = (cn_qp_impulse){0, to.s - x->contact[i].s, to.t - x->contact[i].t};
		most = larger(most, sqrt(change.s * change.s + change.t * change.t) / w->contact[i].tangent);
		if (stepping) {
			x->contact[i] = to;
			cn_qp_push_contact(qp, i, change, x->u);
		}
	}
	return most;
}

/* Sweeps until the residual is small or the number is up. u is summed up again now and then, so that its rounding stays
 * that of one sum. */
static double sweep_until(sweeper *w, double tolerance, uint32_t sweeps, cn_qp_result *result)
{
	enum { AGAIN = 32 };
	double residual = INFINITY;
	for (uint32_t k = 0; k < sweeps && residual > tolerance; ++k) {
		if (k % AGAIN == 0)
			cn_qp_apply(w->qp, w->x->contact, w->x->row, w->x->u);
		residual = sweep(w, true);
		++result->sweeps;
	}
	return residual;
}

static void clear(const cn_qp *qp, cn_qp_solution *x)
{
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		x->contact[i] = (cn_qp_impulse){0, 0, 0};
	for (uint32_t i = 0; i < qp->row_count; ++i)
		x->row[i] = 0;
}

/* A warm start may come from another program: into the cones first. */
static void admit(const cn_qp *qp, cn_qp_solution *x)
{
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		cn_qp_impulse *y = &x->contact[i];
		y->n = y->n > 0 ? y->n : 0;
		double size = sqrt(y->s * y->s + y->t * y->t), limit = qp->contacts[i].mu * y->n;
		if (size > limit)
			y->s *= limit / size, y->t *= limit / size;
	}
}

/* Memory of one solve. */
typedef struct scratch {
	step *contact;
	double *row, *bodies; /* bodies: 12 each */
	uint32_t *island;
	cn_qp_solution other; /* the reference's answer */
} scratch;

static void free_scratch(const cairn_allocator *allocator, const cn_qp *qp, scratch *s)
{
	cn_free(allocator, s->contact, qp->contact_count, sizeof *s->contact);
	cn_free(allocator, s->row, qp->row_count, sizeof *s->row);
	cn_free(allocator, s->bodies, (size_t)qp->body_count * 12, sizeof *s->bodies);
	cn_free(allocator, s->island, qp->body_count, sizeof *s->island);
	cn_free(allocator, s->other.u, qp->body_count, sizeof *s->other.u);
	cn_free(allocator, s->other.contact, qp->contact_count, sizeof *s->other.contact);
	cn_free(allocator, s->other.row, qp->row_count, sizeof *s->other.row);
}

static bool make_scratch(const cairn_allocator *allocator, const cn_qp *qp, scratch *s)
{
	*s = (scratch){
		.contact = cn_alloc(allocator, qp->contact_count, sizeof *s->contact),
		.row = cn_alloc(allocator, qp->row_count, sizeof *s->row),
		.bodies = cn_alloc(allocator, (size_t)qp->body_count * 12, sizeof *s->bodies),
		.island = cn_alloc(allocator, qp->body_count, sizeof *s->island),
		.other = {.u = cn_alloc(allocator, qp->body_count, sizeof *s->other.u),
	              .contact = cn_alloc(allocator, qp->contact_count, sizeof *s->other.contact),
	              .row = cn_alloc(allocator, qp->row_count, sizeof *s->other.row)},
	};
	bool bodies = !qp->body_count || (s->bodies && s->island && s->other.u);
	bool contacts = !qp->contact_count || (s->contact && s->other.contact);
	if (bodies && contacts && (!qp->row_count || (s->row && s->other.row)))
		return true;
	free_scratch(allocator, qp, s);
	return false;
}

static void copy_multipliers(const cn_qp *qp, const cn_qp_solution *from, cn_qp_solution *to)
{
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		to->contact[i] = from->contact[i];
	for (uint32_t i = 0; i < qp->row_count; ++i)
		to->row[i] = from->row[i];
}

/* The exact reference, then sweeps from its answer, which may lead away from it: the best of the three is kept. */
static double ask_exact(const cairn_allocator *allocator, sweeper *w, scratch *s, double tolerance, double residual,
                        cn_qp_result *result)
{
	const cn_qp *qp = w->qp;
	const cn_exact_options options = {.tolerance = CN_SMALL_EXACT};
	cn_qp_result exact = cn_exact_coulomb(allocator, qp, &options, &s->other);
	result->factored += exact.factored;
	if (exact.status ==
	    CN_QP_INFEASIBLE) { /* rows may contradict each other by rounding alone: not at its usual accuracy */
		exact = cn_exact_coulomb(allocator, qp, NULL, &s->other);
		result->factored += exact.factored;
	}
	if (exact.status == CN_QP_MEMORY || exact.status == CN_QP_INFEASIBLE)
		return residual;
	admit(qp, &s->other);
	sweeper other = *w;
	other.x = &s->other;
	cn_qp_apply(qp, s->other.contact, s->other.row, s->other.u);
	double reached = sweep(&other, false);
	if (reached < residual) {
		copy_multipliers(qp, &s->other, w->x);
		residual = reached;
	}
	if (!(residual > tolerance))
		return residual;
	sweep_until(&other, tolerance, CN_SMALL_POLISH, result);
	cn_qp_apply(qp, s->other.contact, s->other.row, s->other.u);
	reached = sweep(&other, false);
	if (reached < residual) {
		copy_multipliers(qp, &s->other, w->x);
		residual = reached;
	}
	return residual;
}

cn_qp_result cn_small_momentum(const cairn_allocator *allocator, const cn_qp *qp, const cn_small_options *options,
                               cn_qp_solution *solution)
{
	cn_qp_result result = {.status = CN_QP_MEMORY};
	scratch s;
	if (options->warm)
		admit(qp, solution);
	else
		clear(qp, solution);
	if (!make_scratch(allocator, qp, &s)) {
		cn_qp_apply(qp, solution->contact, solution->row, solution->u);
		return result;
	}
	sweeper w = {qp, solution, s.contact, s.row, 0, 0};
	prepare(&w);
	double tolerance = (options->tolerance > 0 ? options->tolerance : CN_SMALL_RESIDUAL) * w.scale;
	double residual = sweep_until(&w, tolerance, options->sweeps ? options->sweeps : CN_SMALL_SWEEPS, &result);
	if (residual > tolerance)
		residual = ask_exact(allocator, &w, &s, tolerance, residual, &result);
	residual = larger(residual, w.stuck);
	cn_qp_apply(qp, solution->contact, solution->row, solution->u);
	cn_qp_islands(qp, s.island);
	cn_qp_bounce(qp, s.island, options->bounce, solution->contact, solution->row, solution->u, s.bodies);
	result.status = residual <= tolerance ? CN_QP_SOLVED : CN_QP_EARLY;
	result.residual = residual;
	result.violation = cn_qp_violation(qp, solution->u);
	result.objective = cn_qp_objective(qp, solution->u);
	free_scratch(allocator, qp, &s);
	return result;
}
