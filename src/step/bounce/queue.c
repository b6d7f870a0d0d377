/* The sequential queue (OBA 6.2.2): before the simultaneous bounce, points hit one after another, the fastest first,
 * so that a row of balls passes an impact on. It handles small islands in which every pair has one contact point. A
 * face that lands flat is a single impact, which only the simultaneous program can give. Points of one body that
 * approach equally fast also belong together. */
#include "step/bounce/bounce.h"
#include "step/hooks.h"
#include "step/tolerance.h"

#define CN_QUEUE_BODIES 50 /* of an island at most for the sequential queue */

/* Flags by the lowest body of an island. */
enum { HIT = 1, QUEUED = 2 };

/* Marks the islands that the queue handles. */
static void choose(cairn_world *w)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	uint32_t *sizes = c->scratch.queue;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		sizes[i] = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (p->island[i] != CN_QP_NONE && c->scratch.flags[p->island[i]])
			c->scratch.flags[p->island[i]] = ++sizes[p->island[i]] <= CN_QUEUE_BODIES ? HIT | QUEUED : HIT;
	for (uint32_t i = 1; i < p->qp.contact_count; ++i)
		if (p->pair_of[i] == p->pair_of[i - 1])
			c->scratch.flags[cn_program_island(p, i)] = HIT;
}

/* Sorts the contacts of queued islands: scratch.order, from scratch.queue[island] to that of the next island. */
static bool sort_contacts(cairn_world *w)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	uint32_t *first = c->scratch.queue, sum = 0;
	if (!CN_ROOM(c->scratch.order, p->qp.contact_count + 1))
		return false;
	for (uint32_t i = 0; i <= p->qp.body_count; ++i)
		first[i] = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		if (c->scratch.flags[cn_program_island(p, i)] == (HIT | QUEUED))
			++first[cn_program_island(p, i)];
	for (uint32_t i = 0; i <= p->qp.body_count; ++i) {
		uint32_t count = first[i];
		first[i] = sum;
		sum += count;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		if (c->scratch.flags[cn_program_island(p, i)] == (HIT | QUEUED))
			c->scratch.order[first[cn_program_island(p, i)]++] = i;
	for (uint32_t i = p->qp.body_count; i > 0; --i)
		first[i] = first[i - 1];
	first[0] = 0;
	return true;
}

/* The impulse of an impact on bodies with joints. The joints react at the same moment, so that a body has its
 * effective mass on its joints. The result goes to u0. False: memory ran out. */
static bool strike_joints(cairn_world *w, const cn_qp_contact *hit, cn_qp_impulse *y, cairn_energy *e)
{
	cn_program *p = &w->context->program;
	cn_qp one = p->qp;
	one.contacts = hit, one.contact_count = 1;
	cn_fast_options options = {.sweeps = CN_MOMENTUM_SWEEPS, .bounce = true};
	cn_qp_solution x = {.u = p->u, .contact = y, .row = p->row_y};
	for (uint32_t i = 0; i < one.row_count; ++i)
		p->row_y[i] = 0;
	if (cn_islands_solve(w->context->solve.momentum, &one, &options, &x).status == CN_QP_MEMORY)
		return false;
	e->joints += cn_joints_impact_work(w);
	for (uint32_t i = 0; i < one.body_count; ++i)
		p->u0[i] = p->u[i];
	return true;
}

/* One impact and its loss of energy. False: memory ran out. */
static bool strike(cairn_world *w, uint32_t contact, cn_frame *f)
{
	cairn_energy *e = &f->report.energy;
	cn_program *p = &w->context->program;
	cn_qp_contact hit = p->contacts[contact], *k = &hit;
	hit.eps = w->context->contacts.pairs[p->pair_of[contact]].eps; /* it may have been at rest until it was hit */
	static const cn_twist still = {{0, 0, 0}, {0, 0, 0}};
	cn_qp_impulse before = cn_qp_speed(&p->qp, contact, p->u0);
	cn_qp_impulse y = {0, 0, 0};
	if (p->qp.row_count) {
		if (!strike_joints(w, k, &y, e))
			return false;
	} else {
		y = cn_single_contact(k->a != CN_QP_NONE ? &p->bodies[k->a] : NULL,
		                      k->b != CN_QP_NONE ? &p->bodies[k->b] : NULL, k, k->a != CN_QP_NONE ? p->u0[k->a] : still,
		                      k->b != CN_QP_NONE ? p->u0[k->b] : still);
		cn_qp_push_contact(&p->qp, contact, y, p->u0);
	}
	if (!cn_debt_impact(w, k, y))
		return false;
	f->events += cn_scripts_work(w, contact, y);
	cn_qp_impulse after = cn_qp_speed(&p->qp, contact, p->u0);
	e->impacts -= 0.5 * y.n * (before.n + after.n);
	e->friction -= 0.5 * (y.s * (before.s + after.s) + y.t * (before.t + after.t));
	return true;
}

/* An impact at one point acts on the other at the same moment: they share a body, or bodies of one articulation. */
static bool joined(const cairn_world *w, uint32_t i, uint32_t j)
{
	const cn_program *p = &w->context->program;
	const uint32_t a[2] = {p->contacts[i].a, p->contacts[i].b}, b[2] = {p->contacts[j].a, p->contacts[j].b};
	for (int k = 0; k < 4; ++k) {
		uint32_t x = a[k & 1], y = b[k >> 1];
		if (x == CN_QP_NONE || y == CN_QP_NONE)
			continue;
		uint32_t art = cn_joints_of(w, p->slots[x]);
		if (x == y || (art != CN_QP_NONE && art == cn_joints_of(w, p->slots[y])))
			return true;
	}
	return false;
}

/* The fastest point of an island. *tied: another point is as fast and feels its impact; of two that do not, either
 * may come first. */
static uint32_t fastest(const cairn_world *w, const uint32_t *contacts, uint32_t count, bool *tied)
{
	const cn_program *p = &w->context->program;
	uint32_t best = UINT32_MAX;
	double speed = w->context->threshold;
	*tied = false;
	for (uint32_t i = 0; i < count; ++i) {
		double s = -v3_dot(p->contacts[contacts[i]].n, cn_qp_meet(&p->qp, contacts[i], p->u0));
		if (best != UINT32_MAX && fabs(s - speed) <= CN_SAME * speed)
			*tied |= joined(w, best, contacts[i]);
		else if (s > speed)
			best = contacts[i], speed = s, *tied = false;
	}
	return best;
}

bool cn_queue_bounce(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	choose(w);
	if (!sort_contacts(w))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t first = c->scratch.queue[i], count = c->scratch.queue[i + 1] - first;
		uint32_t max = cn_option_count(w->scene->options.queue, CN_AUTO);
		if (max == CN_AUTO)
			max = count * count / 4 > CN_QUEUE_BODIES ? count * count / 4 : CN_QUEUE_BODIES;
		bool tied = false;
		for (uint32_t k = 0; count && k < max; ++k) {
			uint32_t hit = fastest(w, &c->scratch.order[first], count, &tied);
			if (hit == UINT32_MAX || tied)
				break; /* the rest is left to the simultaneous program */
			if (!strike(w, hit, f))
				return false;
		}
	}
	return true;
}
