/* The effects of an impact on bodies in flight, and the energy that a flight gains or loses. */
#include "base/tolerance.h"
#include "step/flight/flight.h"
#include "step/tolerance.h"

/* The points of a pair act together along its normal, at their mean position weighted by load. */
cn_grip cn_grip_begin(const cairn_world *w, const cn_pair *p)
{
	const cn_pair_point *at = &w->context->contacts.points[p->first];
	cn_grip g = {.hold = v3_zero()};
	if (!p->count)
		return g;
	v3 impulse = at[0].rest.impulse;
	g.ra = at[0].ra, g.rb = at[0].rb;
	if (p->count > 1) {
		double sum = 0;
		v3 ra = v3_zero(), rb = v3_zero();
		impulse = v3_zero();
		for (uint32_t i = 0; i < p->count; ++i) {
			double load = v3_dot(p->at.n, at[i].rest.impulse);
			ra = v3_madd(ra, at[i].ra, load), rb = v3_madd(rb, at[i].rb, load);
			impulse = v3_add(impulse, at[i].rest.impulse);
			sum += load;
		}
		if (sum > 0)
			g.ra = v3_scale(ra, 1 / sum), g.rb = v3_scale(rb, 1 / sum);
	}
	v3 force = v3_scale(impulse, 1 / w->dt);
	g.hold = v3_scale(p->at.n, v3_dot(p->at.n, force));
	g.rub = v3_sub(force, g.hold);
	return g;
}

/* Removes a force of a resting contact from its two bodies. */
static void release(const cairn_world *w, const cn_grip *g, cn_flight *a, cn_flight *b, v3 *force)
{
	if (a) {
		a->a = v3_madd(a->a, *force, w->rotors[a->slot].inv_mass);
		a->torque = v3_add(a->torque, v3_cross(g->ra, *force));
	}
	if (b) {
		b->a = v3_madd(b->a, *force, -w->rotors[b->slot].inv_mass);
		b->torque = v3_sub(b->torque, v3_cross(g->rb, *force));
	}
	*force = v3_zero();
}

void cn_grip_loosen(const cairn_world *w, cn_grip *g, cn_flight *a, cn_flight *b)
{
	double slow = CN_IMPACT_MIN * w->context->gravity * w->dt;
	v3 n = v3_unit(g->hold), v = v3_sub(b ? b->v : v3_zero(), a ? a->v : v3_zero());
	release(w, g, a, b, &g->rub);
	if (v3_dot(n, v) > slow)
		release(w, g, a, b, &g->hold);
}

void cn_grip_rub(const cairn_world *w, const cn_grip *g, cn_flight *a, cn_flight *b)
{
	v3 back = v3_neg(g->rub);
	release(w, g, a, b, &back);
}

static cn_twist twist_of(const cairn_world *w, const cn_flight *b)
{
	return (cn_twist){b->v, cn_spin(&w->rotors[b->slot], b->q, b->l)};
}

bool cn_flight_strike(const cairn_world *w, cn_flight *const *flights, uint32_t count, const cn_qp_contact *at,
                      uint32_t impacts, cn_flight_blow *blow)
{
	static const cn_twist still = {{0, 0, 0}, {0, 0, 0}};
	cn_qp_body bodies[CN_IMPACT_BALLS];
	cn_twist u0[CN_IMPACT_BALLS], u[CN_IMPACT_BALLS];
	cn_qp_impulse *y = blow->y;
	cn_qp qp = {.bodies = bodies, .u0 = u0, .contacts = at, .body_count = count, .contact_count = impacts};
	for (uint32_t i = 0; i < count; ++i) {
		bodies[i].inv_mass = w->rotors[flights[i]->slot].inv_mass;
		cn_inverse_inertia(&w->rotors[flights[i]->slot], flights[i]->q, bodies[i].inv_inertia);
		u0[i] = u[i] = twist_of(w, flights[i]);
	}
	if (impacts == 1) {
		bool a = at->a != CN_QP_NONE, b = at->b != CN_QP_NONE;
		y[0] = cn_single_contact(a ? &bodies[at->a] : NULL, b ? &bodies[at->b] : NULL, at, a ? u0[at->a] : still,
		                         b ? u0[at->b] : still);
		cn_qp_push_contact(&qp, 0, y[0], u);
	} else {
		cn_small_options options = {.bounce = true};
		cn_qp_solution x = {.u = u, .contact = y};
		if (cn_small_solve(w->context->solve.small, &qp, &options, &x).status == CN_QP_MEMORY)
			return false;
	}
	for (uint32_t i = 0; i < impacts; ++i)
		blow->lost -= 0.5 * y[i].n * (cn_qp_speed(&qp, i, u0).n + cn_qp_speed(&qp, i, u).n);
	for (uint32_t i = 0; i < count; ++i) {
		cn_flight *b = flights[i];
		const cn_rotor *r = &w->rotors[b->slot];
		v3 dw = v3_sub(u[i].w, u0[i].w);
		b->v = u[i].v;
		b->l = v3_add(b->l, r->kind == CN_ROTOR_BALL ? v3_scale(dw, 1 / r->inv_moments.x) : cn_angular(r, b->q, dw));
	}
	return true;
}

bool cn_flight_note(cairn_world *w, cn_flight *const *flights, const cn_qp_contact *at, uint32_t pair, cn_qp_impulse y,
                    double t)
{
	const cn_pair *p = &w->context->contacts.pairs[pair];
	v3 point = at->a != CN_QP_NONE ? v3_add(flights[at->a]->x, at->ra) : v3_add(flights[at->b]->x, at->rb);
	return cn_impacts_note(w, &(cairn_impact){.a = cn_handle(w, p->a),
	                                          .b = cn_handle(w, p->b),
	                                          .time = cn_step_time(w, t / w->dt),
	                                          .point = point,
	                                          .normal = at->n,
	                                          .impulse = cn_qp_vector(at->n, y)});
}

void cn_flight_gain(const cairn_world *w, const cn_flight *b, cn_flight_gains *sum)
{
	v3 g = w->scene->settings.gravity;
	const cn_rotor *r = &w->rotors[b->slot];
	const cn_motion *from = &w->motion[b->slot], to = {b->x, b->q, b->v, b->l};
	double before = cn_kinetic(r, from), after = cn_kinetic(r, &to);
	sum->won += after - before - r->mass * v3_dot(g, v3_sub(b->x, from->x));
	sum->little += CN_PAY_MIN * r->mass * w->context->gravity * w->bodies[b->slot].radius + CN_UNIT_ROUNDING * before;
}

double cn_flight_arrive(cairn_world *w, const cn_flight *b)
{
	v3 g = w->scene->settings.gravity;
	const cn_rotor *r = &w->rotors[b->slot];
	cn_motion *m = &w->next[b->slot];
	double before = cn_kinetic(r, m) - r->mass * v3_dot(g, m->x);
	*m = (cn_motion){b->x, q_unit(b->q), b->v, b->l};
	return cn_kinetic(r, m) - r->mass * v3_dot(g, m->x) - before;
}
