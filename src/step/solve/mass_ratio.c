/* Crumbs: bodies squeezed between something vast and what holds it up. Sweeps need about as many rounds as such masses
 * differ by; stopped before, they leave a crumb with whatever speed the last push gave it, and the vast body goes on as
 * if nothing were there. So in a program that is not solved to the last digit a crumb counts as heavier, up to a share of
 * what presses on it: it passes the push on all the same.
 *
 * In momentum programs it keeps its momentum then, not its speed: s u0 with s = m/m'. So the kinetic energy that the
 * program begins with is at most the true one, no program raises it, and where it ends the true one is less again. What
 * a crumb loses is lost in impacts. s is a power of two: nothing is rounded. See crowd.h. */
#include "step/context.h"

#include <float.h>

static double mass_of(const cn_program *p, uint32_t body)
{
	return body != CN_QP_NONE && p->bodies[body].inv_mass > 0 ? 1 / p->bodies[body].inv_mass : 0;
}

/* Whether there can be any, by true masses. */
static bool uneven(const cairn_world *w)
{
	const cn_program *p = &w->context->program;
	double least = INFINITY, most = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double m = w->rotors[p->slots[i]].inv_mass;
		least = m > 0 && m < least ? m : least, most = m > most ? m : most;
	}
	return most > CN_CRUMB * least;
}

/* How far a row's bodies press on each other before the solve; near ones pass a push on. Momentum programs have no rows
 * but of those. */
static double contact_push(const cn_context *c, uint32_t contact, bool momentum)
{
	const cn_program *p = &c->program;
	const cn_qp_contact *k = &p->contacts[contact];
	double near = CN_HOP_GAP * c->contacts.pairs[p->pair_of[contact]].gap_target;
	return momentum ? INFINITY : k->least - v3_dot(k->n, cn_qp_meet(&p->qp, contact, p->u0)) + near;
}

/* The heaviest that presses on a body, if it is vast, where it stands, and how far it presses. */
static void note_squeeze(cn_context *c, uint32_t body, uint32_t other, v3 to, double far, double eps)
{
	const cn_program *p = &c->program;
	double mass = mass_of(p, other);
	if (body == CN_QP_NONE || mass * p->bodies[body].inv_mass <= CN_CRUMB)
		return;
	c->solve.mass_ratios[body].eps = eps > c->solve.mass_ratios[body].eps ? eps : c->solve.mass_ratios[body].eps;
	if (mass <= c->solve.mass_ratios[body].press)
		return;
	c->solve.mass_ratios[body].press = mass, c->solve.mass_ratios[body].to = to, c->solve.mass_ratios[body].far = far;
}

/* What stands opposite, within so far, holds it against that. */
static void note_hold(cn_context *c, uint32_t body, v3 to, double room)
{
	if (body != CN_QP_NONE && c->solve.mass_ratios[body].press > 0)
		c->solve.mass_ratios[body].held |=
			room < c->solve.mass_ratios[body].far && v3_dot(c->solve.mass_ratios[body].to, to) < -CN_CRUMB_OPPOSITE;
}

/* A blow on a crumb goes through it, and comes back with the restitution it had: with another one of what holds it, the
 * crumb would be left with the difference. */
static bool pass_on(cn_context *c, cn_qp_contact *k)
{
	const uint32_t bodies[2] = {k->a, k->b};
	double eps = k->eps;
	for (int i = 0; i < 2; ++i)
		if (bodies[i] != CN_QP_NONE && c->solve.mass_ratios[bodies[i]].held &&
		    c->solve.mass_ratios[bodies[i]].eps > k->eps)
			k->eps = c->solve.mass_ratios[bodies[i]].eps;
	return k->eps > eps;
}

/* Crumbs that touch what is vast count as a share of it; those beneath them are found in the next round. */
static bool weigh_layer(cn_context *c, bool momentum)
{
	cn_program *p = &c->program;
	bool any = false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->solve.mass_ratios[i].press = c->solve.mass_ratios[i].eps = 0, c->solve.mass_ratios[i].held = false;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		double far = contact_push(c, i, momentum);
		if (!(far > 0))
			continue;
		note_squeeze(c, k->a, k->b, k->n, far, k->eps);
		note_squeeze(c, k->b, k->a, v3_neg(k->n), far, k->eps);
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		double room = -contact_push(c, i, momentum);
		note_hold(c, p->contacts[i].a, p->contacts[i].n, room);
		note_hold(c, p->contacts[i].b, v3_neg(p->contacts[i].n), room);
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		cn_mass_ratio *k = &c->solve.mass_ratios[i];
		double s = 1;
		while (k->held && !k->spared && s > DBL_EPSILON && k->press * p->bodies[i].inv_mass * s > CN_CRUMB)
			s *= 0.5;
		p->bodies[i].inv_mass *= s;
		for (int j = 0; s < 1 && j < 6; ++j)
			p->bodies[i].inv_inertia[j] *= s;
		k->share *= s;
		any |= s < 1;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		any |= pass_on(c, &p->contacts[i]);
	return any;
}

/* Islands of few bodies are solved as they are. */
static void spare_small(cairn_world *w, uint32_t exact)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	uint32_t *island = c->scratch.queue, *size = c->scratch.order;
	cn_qp_islands(&p->qp, island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		size[i] = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (island[i] != CN_QP_NONE)
			++size[island[i]];
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->solve.mass_ratios[i].spared = island[i] == CN_QP_NONE || size[island[i]] <= exact;
}

bool cn_mass_ratio_weigh(cairn_world *w, uint32_t exact, bool momentum)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	if (!CN_ROOM(c->solve.mass_ratios, w->slots + 1) || !CN_ROOM(c->scratch.order, w->slots + 1))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->solve.mass_ratios[i] = (cn_mass_ratio){.share = 1};
	c->solve.has_mass_ratios = uneven(w);
	if (!c->solve.has_mass_ratios)
		return true;
	spare_small(w, exact);
	for (int layer = 0; layer < CN_CRUMB_LAYERS && weigh_layer(c, momentum); ++layer)
		;
	return true;
}

static void scale(cn_twist *u, double s) { *u = (cn_twist){v3_scale(u->v, s), v3_scale(u->w, s)}; }

bool cn_mass_ratio_momentum(cairn_world *w, const cn_fast_options *options, cn_qp_solution *x)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	if (!CN_ROOM(c->solve.eps, p->qp.contact_count + 1))
		return false;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		c->solve.eps[i] = p->contacts[i].eps;
	/* in a crowd none is solved exactly, however small */
	bool many = cn_islands_small(p->qp.body_count, options->brisk) < CN_SMALL_BODIES;
	if (!cn_mass_ratio_weigh(w, many ? 0 : CN_SMALL_BRISK_BODIES, true))
		return false;
	for (uint32_t i = 0; c->solve.has_mass_ratios && i < p->qp.body_count; ++i)
		scale(&p->u0[i], c->solve.mass_ratios[i].share);
	bool ok = cn_islands_solve(c->solve.momentum, &p->qp, options, x).status != CN_QP_MEMORY;
	for (uint32_t i = 0; c->solve.has_mass_ratios && i < p->qp.body_count; ++i) {
		double more = 1 / c->solve.mass_ratios[i].share;
		scale(&p->u0[i], more);
		p->bodies[i].inv_mass *= more;
		for (int j = 0; j < 6; ++j)
			p->bodies[i].inv_inertia[j] *= more;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		p->contacts[i].eps = c->solve.eps[i];
	return ok;
}

static double energy(const cn_program *p, uint32_t body, cn_twist u)
{
	cn_qp one = {.body_count = 1, .bodies = &p->bodies[body], .u0 = &u};
	return cn_qp_energy(&one, &u);
}

/* From m' u' = m u0 + J'y follows m (u' - u0) = J'y - (m' - m) u'. The last is an impulse too, and its work (m' - m)
 * u'.(u + u')/2 is lost, u being what the contacts' work is taken from. */
void cn_mass_ratio_account(cairn_world *w, const cn_twist *before, cairn_energy *e, bool rest)
{
	const cn_context *c = w->context;
	const cn_program *p = &c->program;
	for (uint32_t i = 0; c->solve.has_mass_ratios && i < p->qp.body_count; ++i) {
		double more = 1 / c->solve.mass_ratios[i].share - 1;
		if (more == 0)
			continue;
		cn_twist u = p->u[i], both = {v3_add(u.v, before[i].v), v3_add(u.w, before[i].w)};
		double lost = 0.5 * more * (energy(p, i, u) + energy(p, i, both) - energy(p, i, before[i]));
		e->impacts += lost;
		if (rest)
			c->energy.spent[p->slots[i]] += lost, c->energy.taken[p->slots[i]] += lost;
	}
}
