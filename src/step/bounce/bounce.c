/* The bounce: impulses at the new poses that end approach, with restitution (OBA 6.2). Only islands with an impact
 * are solved. */
#include "step/bounce/bounce.h"
#include "step/hooks.h"
#include "step/tolerance.h"

#define CN_BOUNCE_TOLERANCE 1e-5 /* x g dt: far below what makes a body leave its place */

/* OBA 6.7.1, on demand: a point that would meet within the next frame bounces now, at a distance. */
static bool meets_ahead(const cairn_world *w, const cn_pair *p, const cn_pair_point *t, double speed)
{
	return w->scene->options.distance_bounce && speed > w->context->threshold &&
	       t->gap - cn_pair_hold(p, t->gap) < speed * w->dt;
}

static bool held_throughout(const cairn_world *w, uint32_t slot)
{
	const cn_motion *from = &w->motion[slot];
	return w->context->paths.by_slot[slot].put_back && cn_same_pose(from->x, from->q, &w->next[slot]);
}

/* A body that was put back does not reach the place where its rows would stop it, and the body it meets may not
 * approach at all. It is hit from where it is, or it would be held for ever while it gains speed. */
static bool meets_held(const cairn_world *w, const cn_pair *p, const cn_pair_point *t, double speed)
{
	return (t->push > 0 || p->row_stopped) && speed > w->context->threshold &&
	       (held_throughout(w, p->a) || held_throughout(w, p->b)) && t->gap - cn_pair_hold(p, t->gap) < speed * w->dt;
}

/* The point takes part in the bounce. *speed: its approach, m/s. */
static bool bounces(const cairn_world *w, const cn_pair *p, const cn_pair_point *t, double *speed)
{
	if (!t->main)
		return false;
	*speed = cn_point_approach(&w->context->program, p, t, w->context->program.u0);
	return cn_point_touches(p, t, *speed > 0 ? CN_TOUCH_MOMENT * w->dt * *speed : 0) || meets_ahead(w, p, t, *speed) ||
	       meets_held(w, p, t, *speed);
}

/* m/s: approach speed that makes a point of the pair an impact. The rest solve leaves no approach between bodies, but
 * an articulation then moves on its joints. The approach that results is ended by contacts however slow it is, or the
 * articulation would push against them for ever. */
static double hit_speed(const cairn_world *w, const cn_pair *p)
{
	bool art = cn_joints_of(w, p->a) != CN_QP_NONE || cn_joints_of(w, p->b) != CN_QP_NONE;
	return art ? CN_CALM_SPEED * w->context->gravity * w->dt : w->context->threshold;
}

static void add_bounce(cn_row_store *s, uint32_t pair)
{
	const cn_context *c = s->w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	double min = hit_speed(s->w, p);
	for (uint32_t k = 0; k < p->count; ++k) {
		cn_pair_point *t = &c->contacts.points[p->first + k];
		double speed;
		if (!bounces(s->w, p, t, &speed))
			continue;
		cn_qp_contact k0 = cn_point_row(p, t, 0);
		k0.eps = speed > c->threshold || c->threshold == 0 ? p->eps : 0; /* resting contacts are not thrown up */
		cn_row_put(s, &k0, speed > min ? t : NULL, pair, (cn_qp_impulse){0, 0, 0});
	}
}

static bool hits(const cairn_world *w, const cn_pair *p)
{
	double speed;
	for (uint32_t k = 0; k < p->count && p->near && !p->must_not_touch; ++k)
		if (bounces(w, p, &w->context->contacts.points[p->first + k], &speed) && speed > hit_speed(w, p))
			return true;
	return false;
}

static bool still(const cn_twist *u) { return v3_length2(u->v) == 0 && v3_length2(u->w) == 0; }

/* If most bodies lie still, it is found out quickly that none of the others hits anything. */
static bool nothing_hits(const cairn_world *w)
{
	const cn_context *c = w->context;
	const cn_program *p = &c->program;
	uint32_t moving = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		moving += !still(&p->u0[i]);
	if (!c->graph.links_known || 2 * moving > p->qp.body_count)
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		for (uint32_t k = c->graph.link_first[p->slots[i]];
		     !still(&p->u0[i]) && k < c->graph.link_first[p->slots[i] + 1]; ++k)
			if (hits(w, &c->contacts.pairs[c->graph.links[k]]))
				return false;
	return true;
}

/* Removes contacts and rows of islands without an impact. */
static void keep_hit_islands(cairn_world *w)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	uint32_t kept = 0;
	cn_qp_islands(&p->qp, p->island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->scratch.flags[i] = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		if (p->points[i])
			c->scratch.flags[cn_program_island(p, i)] = 1;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		if (!c->scratch.flags[cn_program_island(p, i)])
			continue;
		p->contacts[kept] = p->contacts[i];
		p->points[kept] = p->points[i];
		p->pair_of[kept++] = p->pair_of[i];
	}
	p->qp.contact_count = kept;
	kept = 0;
	for (uint32_t i = 0; i < p->qp.row_count; ++i) {
		if (!c->scratch.flags[p->island[p->rows[i].a]])
			continue;
		p->rows[kept] = p->rows[i];
		p->row_joint[kept] = p->row_joint[i];
		p->row_kind[kept++] = p->row_kind[i];
	}
	p->qp.row_count = kept;
}

bool cn_bounce_solve(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	cairn_energy *e = &f->report.energy;
	uint32_t before = f->report.collisions; /* inside the frame */
	bool ok = !c->debt.kick_lost && cn_program_begin(w, NULL, false);
	for (uint32_t i = 0; ok && i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		p->u0[i] = c->paths.by_slot[slot].drive.moves ? cn_script_twist(w, slot, true)
		                                              : cn_twist_of(w, slot, w->next[slot].q, &w->next[slot]);
	}
	ok = ok && cn_scripts_limit_begin(w);
	if (ok && nothing_hits(w))
		return true;
	ok = ok && cn_rows_gather(w, add_bounce);
	for (uint32_t i = 0; ok && i < p->qp.contact_count; ++i)
		f->report.collisions += p->points[i] != NULL;
	if (ok && f->report.collisions > before)
		ok = cn_joints_bounce_rows(w);
	if (ok && f->report.collisions > before) {
		keep_hit_islands(w);
		cn_fast_options options = {.sweeps = CN_MOMENTUM_SWEEPS,
		                           .tolerance =
		                               w->scene->options.precise ? 0 : CN_BOUNCE_TOLERANCE * c->gravity * w->dt,
		                           .bounce = true,
		                           .unjudged = true,
		                           .brisk = !w->scene->options.precise,
		                           .region = cn_program_regions(w),
		                           .pool = w->pool};
		cn_qp_solution x = {.u = p->u, .contact = p->y, .row = p->row_y};
		uint32_t tries = 0;
		const cairn_energy energy = *e;
		const double events = f->events;
		const uint32_t kicks = c->debt.kick_count;
		do { /* again from before the queue, with slower scripts */
			*e = energy, f->events = events, c->debt.kick_count = kicks;
			ok = cn_queue_bounce(w, f) && cn_mass_ratio_momentum(w, &options, &x) &&
			     (!cn_thesis_wanted(w) || cn_thesis_momentum(w, false, &x, f));
			++f->report.programs;
		} while (ok && !p->qp.row_count &&
		         cn_scripts_limit(w, ++tries)); /* the queue's impulses on joints cannot be undone */
		ok = ok && cn_debt_impulses(w, false);
	}
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	if (f->report.collisions == before)
		return true;
	cn_program_account(p, p->u0, e, NULL);
	cn_mass_ratio_account(w, p->u0, e, false);
	e->joints += cn_joints_impact_work(w);
	f->events += cn_program_script_work(w);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		if (p->island[i] == CN_QP_NONE || !c->scratch.flags[p->island[i]])
			continue;
		w->next[slot].v = p->u[i].v;
		w->next[slot].l = cn_angular(&w->rotors[slot], w->next[slot].q, p->u[i].w);
		cn_limit_spin(w, slot, e);
	}
	cn_joints_slow(w, e);
	return true;
}
