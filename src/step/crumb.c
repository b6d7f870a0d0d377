/* Crumbs: bodies squeezed between something vast and what holds it up. Sweeps need about as many rounds as such masses
 * differ by; stopped before, they leave a crumb with whatever speed the last push gave it, and the vast body goes on as
 * if nothing were there. So in a program that is not solved to the last digit a crumb counts as heavier, up to a share of
 * what presses on it: it passes the push on all the same.
 *
 * In momentum programs it keeps its momentum then, not its speed: s u0 with s = m/m'. So the kinetic energy that the
 * program begins with is at most the true one, no program raises it, and where it ends the true one is less again. What
 * a crumb loses is lost in impacts. s is a power of two: nothing is rounded. See crowd.h. */
#include "step/crowd.h"

#include <float.h>

static double mass_of(const cn_program *p, uint32_t body)
{
	return body != CN_QP_NONE && p->bodies[body].inv_mass > 0 ? 1 / p->bodies[body].inv_mass : 0;
}

/* Whether there can be any, by true masses. */
static bool uneven(const cairn_world *w)
{
	const cn_program *p = &w->crowd->program;
	double least = INFINITY, most = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double m = w->rotors[p->slots[i]].inv_mass;
		least = m > 0 && m < least ? m : least, most = m > most ? m : most;
	}
	return most > CN_CRUMB * least;
}

/* How far a row's bodies press on each other before the solve; near ones pass a push on. Momentum programs have no rows
 * but of those. */
static double press_of(const cn_crowd *c, uint32_t contact, bool momentum)
{
	const cn_program *p = &c->program;
	const cn_qp_contact *k = &p->contacts[contact];
	double near = CN_HOP_GAP * c->pairs[p->pair_of[contact]].kept;
	return momentum ? INFINITY : k->least - v3_dot(k->n, cn_qp_meet(&p->qp, contact, p->u0)) + near;
}

/* The heaviest that presses on a body, if it is vast, where it stands, and how far it presses. */
static void note_press(cn_crowd *c, uint32_t body, uint32_t other, v3 to, double far, double eps)
{
	const cn_program *p = &c->program;
	double mass = mass_of(p, other);
	if (body == CN_QP_NONE || mass * p->bodies[body].inv_mass <= CN_CRUMB)
		return;
	c->crumbs[body].eps = eps > c->crumbs[body].eps ? eps : c->crumbs[body].eps;
	if (mass <= c->crumbs[body].press)
		return;
	c->crumbs[body].press = mass, c->crumbs[body].to = to, c->crumbs[body].far = far;
}

/* What stands opposite, within so far, holds it against that. */
static void note_hold(cn_crowd *c, uint32_t body, v3 to, double room)
{
	if (body != CN_QP_NONE && c->crumbs[body].press > 0)
		c->crumbs[body].held |= room < c->crumbs[body].far && v3_dot(c->crumbs[body].to, to) < -CN_CRUMB_OPPOSITE;
}

/* A blow on a crumb goes through it, and comes back with the restitution it had: with another one of what holds it, the
 * crumb would be left with the difference. */
static bool pass_on(cn_crowd *c, cn_qp_contact *k)
{
	const uint32_t bodies[2] = {k->a, k->b};
	double eps = k->eps;
	for (int i = 0; i < 2; ++i)
		if (bodies[i] != CN_QP_NONE && c->crumbs[bodies[i]].held && c->crumbs[bodies[i]].eps > k->eps)
			k->eps = c->crumbs[bodies[i]].eps;
	return k->eps > eps;
}

/* Crumbs that touch what is vast count as a share of it; those beneath them are found in the next round. */
static bool weigh_layer(cn_crowd *c, bool momentum)
{
	cn_program *p = &c->program;
	bool any = false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->crumbs[i].press = c->crumbs[i].eps = 0, c->crumbs[i].held = false;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		double far = press_of(c, i, momentum);
		if (!(far > 0))
			continue;
		note_press(c, k->a, k->b, k->n, far, k->eps);
		note_press(c, k->b, k->a, v3_neg(k->n), far, k->eps);
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		double room = -press_of(c, i, momentum);
		note_hold(c, p->contacts[i].a, p->contacts[i].n, room);
		note_hold(c, p->contacts[i].b, v3_neg(p->contacts[i].n), room);
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		cn_crumb *k = &c->crumbs[i];
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
	cn_crowd *c = w->crowd;
	const cn_program *p = &c->program;
	uint32_t *island = c->queue, *size = c->order;
	cn_qp_islands(&p->qp, island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		size[i] = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (island[i] != CN_QP_NONE)
			++size[island[i]];
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->crumbs[i].spared = island[i] == CN_QP_NONE || size[island[i]] <= exact;
}

bool cn_crumbs_weigh(cairn_world *w, uint32_t exact, bool momentum)
{
	cn_crowd *c = w->crowd;
	const cn_program *p = &c->program;
	if (!CN_ROOM(c->crumbs, c->crumb_room, w->slots + 1) || !CN_ROOM(c->order, c->order_room, w->slots + 1))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->crumbs[i] = (cn_crumb){.share = 1};
	c->crumbled = uneven(w);
	if (!c->crumbled)
		return true;
	spare_small(w, exact);
	for (int layer = 0; layer < CN_CRUMB_LAYERS && weigh_layer(c, momentum); ++layer)
		;
	return true;
}

static void scale(cn_twist *u, double s) { *u = (cn_twist){v3_scale(u->v, s), v3_scale(u->w, s)}; }

bool cn_crumbs_momentum(cairn_world *w, const cn_fast_options *options, cn_qp_solution *x)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	if (!CN_ROOM(c->eps, c->eps_room, p->qp.contact_count + 1))
		return false;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		c->eps[i] = p->contacts[i].eps;
	/* in a crowd none is solved exactly, however small */
	bool crowd = cn_islands_small(p->qp.body_count, options->brisk) < CN_SMALL_BODIES;
	if (!cn_crumbs_weigh(w, crowd ? 0 : CN_SMALL_BRISK_BODIES, true))
		return false;
	for (uint32_t i = 0; c->crumbled && i < p->qp.body_count; ++i)
		scale(&p->u0[i], c->crumbs[i].share);
	bool ok = cn_islands_solve(c->momentum, &p->qp, options, x).status != CN_QP_MEMORY;
	for (uint32_t i = 0; c->crumbled && i < p->qp.body_count; ++i) {
		double more = 1 / c->crumbs[i].share;
		scale(&p->u0[i], more);
		p->bodies[i].inv_mass *= more;
		for (int j = 0; j < 6; ++j)
			p->bodies[i].inv_inertia[j] *= more;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		p->contacts[i].eps = c->eps[i];
	return ok;
}

static double energy(const cn_program *p, uint32_t body, cn_twist u)
{
	cn_qp one = {.body_count = 1, .bodies = &p->bodies[body], .u0 = &u};
	return cn_qp_energy(&one, &u);
}

/* From m' u' = m u0 + J'y follows m (u' - u0) = J'y - (m' - m) u'. The last is an impulse too, and its work (m' - m)
 * u'.(u + u')/2 is lost, u being what the contacts' work is taken from. */
void cn_crumbs_account(cairn_world *w, const cn_twist *before, cairn_energy *e, bool rest)
{
	const cn_crowd *c = w->crowd;
	const cn_program *p = &c->program;
	for (uint32_t i = 0; c->crumbled && i < p->qp.body_count; ++i) {
		double more = 1 / c->crumbs[i].share - 1;
		if (more == 0)
			continue;
		cn_twist u = p->u[i], both = {v3_add(u.v, before[i].v), v3_add(u.w, before[i].w)};
		double lost = 0.5 * more * (energy(p, i, u) + energy(p, i, both) - energy(p, i, before[i]));
		e->impacts += lost;
		if (rest)
			c->spent[p->slots[i]] += lost, c->taken[p->slots[i]] += lost;
	}
}
