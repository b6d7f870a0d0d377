/* Large mass ratios: light bodies squeezed between a far heavier one and its support. Sweeps need about as many rounds
 * as the mass ratio. If they stop earlier, a light body keeps whatever speed the last push gave it, and the heavy one
 * goes on as if nothing were there. So in programs that are solved approximately such a body counts as heavier, up to a
 * share of the mass that presses on it. It still passes the push on.
 *
 * In momentum programs it keeps its momentum then, not its velocity: s u0 with s = m/m'. The program then starts with
 * at most the true kinetic energy and never raises it, and the true energy at its end is lower again. The loss counts
 * as one of impacts. s is a power of two, so nothing is rounded. */
#include "base/tolerance.h"
#include "step/context.h"
#include "step/tolerance.h"

#include <float.h>

#define CN_MASS_RATIO_OPPOSITE 0.5 /* cosine: what stands opposite to within 60 degrees holds a light body there */
#define CN_MASS_RATIO_LAYERS 4     /* of light bodies under light bodies */

static double mass_of(const cn_program *p, uint32_t body)
{
	return body != CN_QP_NONE && p->bodies[body].inv_mass > 0 ? 1 / p->bodies[body].inv_mass : 0;
}

/* m: how far the two bodies of a row press into each other before the solve; bodies that are merely near pass a push
 * on. In momentum programs every row counts. */
static double contact_push(const cn_context *c, uint32_t contact, bool momentum)
{
	const cn_program *p = &c->program;
	const cn_qp_contact *k = &p->contacts[contact];
	double near = CN_PUSHING_GAP * c->contacts.pairs[p->pair_of[contact]].gap_target;
	return momentum ? INFINITY : k->least - v3_dot(k->n, cn_qp_meet(&p->qp, contact, p->u0)) + near;
}

/* Notes the heaviest body that presses on this one, if it is far heavier, with its direction and distance. */
static void note_squeeze(cn_context *c, uint32_t body, uint32_t other, v3 to, double far, double eps)
{
	const cn_program *p = &c->program;
	double mass = mass_of(p, other);
	if (body == CN_QP_NONE || mass * p->bodies[body].inv_mass <= CN_MASS_RATIO)
		return;
	c->solve.mass_ratios[body].eps = eps > c->solve.mass_ratios[body].eps ? eps : c->solve.mass_ratios[body].eps;
	if (mass <= c->solve.mass_ratios[body].press)
		return;
	c->solve.mass_ratios[body].press = mass, c->solve.mass_ratios[body].to = to, c->solve.mass_ratios[body].far = far;
}

/* A body on the opposite side, within that distance, supports it against the heavy one. */
static void note_hold(cn_context *c, uint32_t body, v3 to, double room)
{
	if (body != CN_QP_NONE && c->solve.mass_ratios[body].press > 0)
		c->solve.mass_ratios[body].held |= room < c->solve.mass_ratios[body].far &&
		                                   v3_dot(c->solve.mass_ratios[body].to, to) < -CN_MASS_RATIO_OPPOSITE;
}

/* An impact passes through a light body and should return with the restitution it came with. If the support had
 * another restitution, the light body would be left with the difference. */
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

/* Makes light bodies in touch with a far heavier one a share of its mass. Those below them are found in the next
 * round. */
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
		while (k->held && !k->spared && s > DBL_EPSILON && k->press * p->bodies[i].inv_mass * s > CN_MASS_RATIO)
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

/* Small islands are solved exactly, so their masses stay. */
static bool spare_small(cairn_world *w, uint32_t exact)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t *island, *size;
	if (!CN_LOCAL(island, p->qp.body_count + 1) || !CN_LOCAL(size, p->qp.body_count + 1))
		return false;
	cn_qp_islands(&p->qp, island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (island[i] != CN_QP_NONE)
			++size[island[i]];
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->solve.mass_ratios[i].spared = island[i] == CN_QP_NONE || size[island[i]] <= exact;
	cn_arena_return(&c->temporary, mark);
	return true;
}

bool cn_mass_ratio_weigh(cairn_world *w, uint32_t exact, bool momentum)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	if (!CN_ROOM(c->solve.mass_ratios, w->slots + 1))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->solve.mass_ratios[i] = (cn_mass_ratio){.share = 1};
	if (!spare_small(w, exact))
		return false;
	for (int layer = 0; layer < CN_MASS_RATIO_LAYERS && weigh_layer(c, momentum); ++layer)
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
	/* in a large program even small islands are not solved exactly */
	bool many = cn_islands_small(p->qp.body_count, options->brisk, options->crowd) < CN_SMALL_BODIES;
	if (!cn_mass_ratio_weigh(w, many ? 0 : CN_SMALL_BRISK_BODIES, true))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		scale(&p->u0[i], c->solve.mass_ratios[i].share);
	bool ok = cn_islands_solve(c->solve.momentum, &p->qp, options, x).status != CN_QP_MEMORY;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
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

/* From m' u' = m u0 + J'y follows m (u' - u0) = J'y - (m' - m) u'. The last term is an impulse too. Its work (m' - m)
 * u'.(u + u')/2 is lost, with u the velocity from which the contacts' work is computed. */
void cn_mass_ratio_account(cairn_world *w, const cn_twist *before, cairn_energy *e, bool rest)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double more = 1 / c->solve.mass_ratios[i].share - 1;
		if (more == 0)
			continue;
		cn_twist u = p->u[i], both = {v3_add(u.v, before[i].v), v3_add(u.w, before[i].w)};
		double lost = 0.5 * more * (energy(p, i, u) + energy(p, i, both) - energy(p, i, before[i]));
		e->impacts += lost;
		if (rest)
			cn_losses_add(&c->losses, p->slots[i], lost);
	}
}
