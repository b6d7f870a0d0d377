/* Momentum (OBA 6.2) and resting contact (OBA 6.3.2): one program, exact Coulomb friction.
 *
 * A frame begins with velocities that belong to its poses. Forces change them, and the rest solve, restitution zero,
 * finds the impulses that hold what rests: no point may near faster than its gap allows, v_n >= -(gap - hold)/dt, so
 * contacts that close within the frame are met in time and those that do not are left alone. Points that near faster
 * than what gravity brings in half a frame are not at rest, unless the last bounce left them so: the position stage stops
 * them and the bounce, at the new poses, gives them their impulse.
 *
 * Static friction holds a point that does not slide; one that slides, before the solve or after the last one, has the
 * kinetic coefficient until it sticks again. */
#include "step/crowd.h"
#include "step/rotate.h"

#include <string.h>

static bool still(const cn_twist *u) { return v3_length2(u->v) == 0 && v3_length2(u->w) == 0; }

/* The velocity of b at a point as seen from a, with the program's bodies at u. */
static v3 meet(const cn_program *g, const cn_close *p, const cn_touch *t, const cn_twist *u)
{
	v3 v = v3_zero();
	if (g->index[p->b] != CN_QP_NONE) {
		const cn_twist *b = &u[g->index[p->b]];
		v = v3_add(b->v, v3_cross(b->w, t->rb));
	}
	if (g->index[p->a] != CN_QP_NONE) {
		const cn_twist *a = &u[g->index[p->a]];
		v = v3_sub(v, v3_add(a->v, v3_cross(a->w, t->ra)));
	}
	return v;
}

/* How fast a point nears. */
static double nears(const cn_program *g, const cn_close *p, const cn_touch *t, const cn_twist *u)
{
	return -v3_dot(p->at.n, meet(g, p, t, u));
}

static double friction(const cn_close *p, const cn_touch *t) { return t->sliding ? p->mu_kinetic : p->mu_static; }

static cn_qp_contact contact_of(const cn_close *p, const cn_touch *t, double least)
{
	return (cn_qp_contact){.a = p->a,
	                       .b = p->b,
	                       .n = p->at.n,
	                       .ra = t->ra,
	                       .rb = t->rb,
	                       .least = least,
	                       .mu = friction(p, t),
	                       .eps = p->eps};
}

/* A body of the contact that can move. */
static uint32_t moved_by(const cn_program *p, const cn_qp_contact *k)
{
	return k->a != CN_QP_NONE && p->bodies[k->a].inv_mass > 0 ? k->a : k->b;
}

/* What scripts do by pushing: it comes from outside. */
static double script_work(const cn_program *p)
{
	double work = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		work += cn_yield_work(p, i, p->y[i]);
	return work;
}

/* What contact impulses do: u from before to after gains y.(Ju + Ju')/2, along the normal and across it. What is lost
 * is noted, if asked for, at the bodies of the contact. */
static void account(const cn_program *p, const cn_twist *before, cairn_energy *e, cn_crowd *c)
{
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_impulse y = p->y[i];
		if (y.n == 0 && y.s == 0 && y.t == 0)
			continue;
		cn_qp_frame_to(&f, p->contacts[i].n);
		cn_qp_impulse v = cn_qp_frame_parts(&f, cn_qp_meet(&p->qp, i, before));
		cn_qp_impulse t = cn_qp_frame_parts(&f, cn_qp_meet(&p->qp, i, p->u));
		double along = -0.5 * y.n * (v.n + t.n), across = -0.5 * (y.s * (v.s + t.s) + y.t * (v.t + t.t));
		e->impacts += along;
		e->friction += across;
		uint32_t a = p->contacts[i].a, b = p->contacts[i].b;
		if (!c)
			continue;
		c->spent[p->slots[moved_by(p, &p->contacts[i])]] += along + across;
		if (a != CN_QP_NONE)
			c->taken[p->slots[a]] += along + across;
		if (b != CN_QP_NONE)
			c->taken[p->slots[b]] += along + across;
	}
}

/* ---- rest */

/* The contact that may hold a point; false: none does.
 *
 * One that nears fast is an impact to be, unless that is no more than what the last bounce left of it: it has been hit,
 * and now it is held. One that leaves may come back within the frame, as far as it goes, for the way is that of the mean
 * velocity; but no faster than forces alone make it, if it leaves fast in a crowd: what others press back to where it came
 * from does not bounce there for ever. Its way is then longer than its push is worth, which a crowd does not feel. */
static bool rest_row(const cairn_world *w, const cn_close *p, cn_touch *t, cn_qp_contact *row)
{
	const cn_crowd *c = w->crowd;
	double dt = w->dt;
	v3 before = meet(&c->program, p, t, c->program.u);
	double spare = t->gap - cn_close_hold(p, t->gap), speed = nears(&c->program, p, t, c->program.u0),
		   leaves = v3_dot(p->at.n, before);
	double range = CN_REST_RANGE * c->gravity * dt * dt + (speed > 0 ? 1.5 * speed * dt : 0);
	if (spare > range || (-leaves > c->threshold && !(-leaves <= t->left * (1 + CN_LEFT_SAME))) || p->hits) {
		t->impulse = v3_zero();
		return false;
	}
	double least = spare > 0 ? -spare / dt : 0;
	if (leaves > CN_REST_LEAVES * c->threshold) {
		double back = 2 * least - leaves, forced = least - (speed > 0 ? speed : 0);
		bool loose =
			leaves < CN_REST_PRESSED * c->threshold || c->program.qp.body_count <= CN_SMALL_CROWD || cn_text_asked(w);
		least = back > forced || loose ? back : forced;
	}
	t->sliding |= v3_length(v3_madd(before, p->at.n, -leaves)) > CN_SLIDE_SPEED * c->threshold;
	*row = contact_of(p, t, least);
	cn_carry(w, p, row);
	return true;
}

/* Each starts from the impulse of the last solve. */
static void add_rest(cn_row_store *s, uint32_t pair)
{
	const cn_crowd *c = s->w->crowd;
	const cn_close *p = &c->pairs[pair];
	cn_qp_frame f = {0};
	if (c->ways[p->a].rests || c->ways[p->b].rests)
		return;
	for (uint32_t k = 0; k < p->count; ++k) {
		cn_touch *t = &c->points[p->first + k];
		cn_qp_contact row;
		if (!t->main || !rest_row(s->w, p, t, &row))
			continue;
		cn_qp_frame_to(&f, p->at.n);
		cn_row_put(s, &row, t, pair, cn_qp_frame_parts(&f, t->impulse));
	}
}

/* A point sticks while its friction is inside the cone. */
static bool slides(const cn_program *p, uint32_t contact, const cn_qp_frame *f, double threshold)
{
	cn_qp_impulse y = p->y[contact];
	if (!(y.n > 0) || !(sqrt(y.s * y.s + y.t * y.t) >= CN_SLIDE_LIMIT * p->contacts[contact].mu * y.n))
		return false;
	v3 meets = v3_add(cn_qp_meet(&p->qp, contact, p->u), p->contacts[contact].slip);
	cn_qp_impulse v = cn_qp_frame_parts(f, meets);
	return sqrt(v.s * v.s + v.t * v.t) > CN_SLIDE_SPEED * threshold;
}

/* What points remember of a solve beside their impulses. */
static void note_sliding(const cn_program *p, double threshold)
{
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_frame_to(&f, p->contacts[i].n);
		p->touches[i]->sliding = slides(p, i, &f, threshold);
	}
}

/* Fields and damping were accounted with the velocity that they alone lead to: the rest is their share of the
 * contacts' doing. */
static double field_share(const cairn_world *w, uint32_t slot, const cn_twist *u)
{
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	v3 kick = v3_scale(w->scene->settings.gravity, w->dt), dv = v3_sub(v3_sub(to->v, from->v), kick);
	v3 dw = v3_sub(u->w, cn_spin(&w->rotors[slot], from->q, to->l));
	return 0.5 * (w->rotors[slot].mass * v3_dot(dv, v3_sub(u->v, to->v)) + v3_dot(v3_sub(to->l, from->l), dw));
}

/* A tiny body pushed or hit off its centre may leave with more turns a frame than keys can show. Rigs slow down as a whole. */
static void limit_spin(cairn_world *w, uint32_t slot, cairn_energy *e)
{
	cn_motion *m = &w->next[slot];
	double turn = cn_turn_bound(&w->rotors[slot], m->q, m->l, 1 / w->scene->settings.fps, CN_SPIN_MOST);
	if (turn <= CN_SPIN_MOST || cn_rig_of(w, slot) != CN_QP_NONE)
		return;
	e->dropped += cn_kinetic(&w->rotors[slot], m);
	m->l = v3_scale(m->l, CN_SPIN_MOST / turn);
	e->dropped -= cn_kinetic(&w->rotors[slot], m);
}

bool cn_rest_solve(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	cairn_energy *e = &f->report.energy;
	memset(c->spent, 0, w->slots * sizeof *c->spent);
	memset(c->taken, 0, w->slots * sizeof *c->taken);
	cn_debt_begin(w);
	cn_yield_stir(w);
	cn_repose_find(w);
	bool ok = cn_program_begin(w, c->flags, false);
	for (uint32_t i = 0; ok && i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		if (c->ways[slot].driven) {
			p->u[i] = cn_yield_start(w, slot);
			p->u0[i] = cn_yield_twist(w, slot, false);
			continue;
		}
		p->u[i] = cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
		p->u0[i] = cn_twist_of(w, slot, w->motion[slot].q, &w->next[slot]);
	}
	ok = ok && cn_ease_begin(w) && cn_impact_choose(w);
	ok = ok && cn_rows_gather(w, add_rest) && cn_rigs_rest_rows(w) && cn_rolling_begin(w);
	uint32_t tries = 0;
	bool cold = true; /* a scene that begins in contact: nothing to start from */
	for (uint32_t i = 0; ok && i < p->qp.contact_count; ++i)
		cold &= !(p->y[i].n > 0);
	f->report.contacts = p->qp.contact_count + cn_repose_keep(w);
	bool again = p->qp.contact_count || p->qp.row_count;
	for (uint32_t round = 0; ok && again; ++round) {
		cn_fast_options options = {.sweeps = cold ? CN_COLD_SWEEPS : CN_REST_SWEEPS,
		                           .tolerance = w->scene->options.precise ? 0 : CN_REST_TOLERANCE * c->gravity * w->dt,
		                           .warm = true,
		                           .unjudged = true,
		                           .brisk = !cold && !w->scene->options.precise,
		                           .region = cn_program_regions(w),
		                           .pool = w->pool};
		cn_qp_solution x = {.u = p->u, .contact = p->y, .row = p->row_y};
		do {
			ok = cn_crumbs_momentum(w, &options, &x) && cn_text_momentum(w, true, &x, f);
			++f->report.programs;
		} while (ok && cn_ease(w, ++tries));
		again = p->qp.row_count && round <= CN_RIG_OVERLOADS && cn_rigs_overload(w) && round < CN_RIG_OVERLOADS;
		again |= round < CN_ROLLING_ROUNDS && cn_rolling_resist(w);
	}
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	if (!p->qp.contact_count && !p->qp.row_count)
		return true;
	cn_ease_pace(w);
	note_sliding(p, c->threshold);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) { /* u0 becomes what was before the forces */
		uint32_t slot = p->slots[i];
		if (c->ways[slot].driven)
			continue;
		e->fields += field_share(w, slot, &p->u[i]);
		p->u0[i] = cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
	}
	account(p, p->u0, e, c);
	cn_crumbs_account(w, p->u0, e, true);
	f->events += script_work(p) + cn_rolling_account(w, p->u0, e);
	e->joints += cn_rigs_work(w, p->u0, p->u);
	cn_rigs_drive(w);
	cn_repose_begin(w, e);
	cn_repose_impulses(w);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		if (c->ways[slot].driven)
			continue;
		w->next[slot].v = p->u[i].v;
		w->next[slot].l = cn_angular(&w->rotors[slot], w->motion[slot].q, p->u[i].w);
		limit_spin(w, slot, e);
	}
	return true;
}

/* ---- a trial of rest */

/* What a body that is awake presses on a member with; what holds it up does not count. */
static void add_weight(cairn_world *w, const cn_close *p, bool on_b)
{
	const cn_crowd *c = w->crowd;
	uint32_t i = c->program.index[on_b ? p->b : p->a];
	const cn_qp_body *body = &c->program.bodies[i];
	const double *k = body->inv_inertia;
	v3 down = v3_unit(w->scene->settings.gravity);
	for (uint32_t t = 0; t < p->count; ++t) {
		const cn_touch *at = &c->points[p->first + t];
		v3 j = on_b ? at->impulse : v3_neg(at->impulse);
		double up = v3_dot(j, down);
		j = up < 0 ? v3_madd(j, down, -up) : j;
		v3 m = v3_cross(on_b ? at->rb : at->ra, j);
		v3 turn = {k[0] * m.x + k[1] * m.y + k[2] * m.z, k[1] * m.x + k[3] * m.y + k[4] * m.z,
		           k[2] * m.x + k[4] * m.y + k[5] * m.z};
		cn_twist *u = &c->program.u0[i];
		*u = (cn_twist){v3_madd(u->v, j, body->inv_mass), v3_add(u->w, turn)};
	}
}

/* One of the two is a member, the other is awake and is none. */
static bool weighs(const cairn_world *w, const cn_close *p)
{
	const uint32_t *index = w->crowd->program.index;
	bool a = index[p->a] != CN_QP_NONE, b = index[p->b] != CN_QP_NONE;
	return a != b && cn_crowd_movable(w, a ? p->b : p->a);
}

static void add_trial(cn_row_store *s, uint32_t pair)
{
	const cn_close *p = &s->w->crowd->pairs[pair];
	const uint32_t *index = s->w->crowd->program.index;
	if ((index[p->a] != CN_QP_NONE || index[p->b] != CN_QP_NONE) && !weighs(s->w, p))
		add_rest(s, pair);
}

bool cn_rest_try(cairn_world *w, const uint8_t *members, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	bool ok = cn_program_begin(w, members, false);
	for (uint32_t i = 0; ok && i < p->qp.body_count; ++i) {
		p->u[i] = p->u0[i] = cn_twist_of(w, p->slots[i], w->next[p->slots[i]].q, &w->next[p->slots[i]]);
		p->u0[i].v = v3_madd(p->u0[i].v, w->scene->settings.gravity, w->dt);
	}
	for (uint32_t i = 0; ok && i < c->pair_count; ++i) {
		const cn_close *q = &c->pairs[i];
		if (q->near && !q->barred && weighs(w, q))
			add_weight(w, q, p->index[q->b] != CN_QP_NONE);
	}
	ok = ok && cn_rows_gather(w, add_trial);
	if (!ok)
		return false;
	cn_fast_options options = {.sweeps = CN_TRIAL_SWEEPS,
	                           .warm = true,
	                           .brisk = true,
	                           .unjudged = true,
	                           .region = cn_program_regions(w),
	                           .pool = w->pool};
	cn_qp_solution x = {.u = p->u, .contact = p->y};
	++f->report.programs;
	return cn_islands_solve(c->momentum, &p->qp, &options, &x).status != CN_QP_MEMORY;
}

void cn_rest_keep(cairn_world *w)
{
	const cn_program *p = &w->crowd->program;
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_frame_to(&f, p->contacts[i].n);
		p->touches[i]->impulse = cn_qp_frame_vector(&f, p->y[i]);
	}
}

/* ---- bounce */

/* Near enough to be hit: as near as rows asked for, or as a moment's motion brings it, so that all corners of what
 * lands flat are hit; or stopped by its row a little further away. */
bool cn_bounce_touches(const cn_close *p, const cn_touch *t, double moment)
{
	double near = CN_TOUCH_GAP * p->asked + moment;
	if (p->blocks || t->gap <= near)
		return true;
	bool pushed = t->push > 0 || v3_length2(p->axis) > 0 || (p->stopped && t->gap <= p->at.gap + near);
	return pushed && t->gap <= CN_TOUCH_PUSHED * p->kept;
}

bool cn_bounce_fast(const cairn_world *w, const cn_close *p)
{
	double speed = 0;
	const uint32_t slots[2] = {p->a, p->b};
	for (int i = 0; i < 2; ++i) {
		const cn_motion *m = &w->next[slots[i]];
		if (cn_crowd_movable(w, slots[i]))
			speed += v3_length(m->v) + v3_length(m->l) * w->rotors[slots[i]].inv_least * w->bodies[slots[i]].radius;
	}
	return speed > w->crowd->threshold;
}

double cn_bounce_left(const cairn_world *w, const cn_close *p, const cn_touch *t)
{
	const uint32_t slots[2] = {p->a, p->b};
	const v3 arms[2] = {t->ra, t->rb};
	double speed = 0;
	for (int i = 0; i < 2; ++i) {
		cn_twist u = cn_twist_of(w, slots[i], w->next[slots[i]].q, &w->next[slots[i]]);
		double along = v3_dot(p->at.n, v3_add(u.v, v3_cross(u.w, arms[i])));
		speed += !cn_crowd_movable(w, slots[i]) ? 0 : i ? -along : along;
	}
	return speed > w->crowd->threshold && cn_bounce_touches(p, t, 0) ? speed : 0;
}

/* OBA 6.7.1, on demand: what would meet within the next frame bounces now, at a distance. */
static bool meets_ahead(const cairn_world *w, const cn_close *p, const cn_touch *t, double speed)
{
	return w->scene->options.distance_bounce && speed > w->crowd->threshold &&
	       t->gap - cn_close_hold(p, t->gap) < speed * w->dt;
}

static bool held_throughout(const cairn_world *w, uint32_t slot)
{
	const cn_motion *from = &w->motion[slot];
	return w->crowd->ways[slot].put_back && cn_stood(from->x, from->q, &w->next[slot]);
}

/* What is held does not come to where its rows would have stopped it, and what holds it may not near it at all: it is hit
 * from where it is, or it would be held for ever, falling faster and faster. */
static bool meets_held(const cairn_world *w, const cn_close *p, const cn_touch *t, double speed)
{
	return (t->push > 0 || p->stopped) && speed > w->crowd->threshold &&
	       (held_throughout(w, p->a) || held_throughout(w, p->b)) && t->gap - cn_close_hold(p, t->gap) < speed * w->dt;
}

/* Whether a point takes part in the bounce; how fast it nears. */
static bool bounces(const cairn_world *w, const cn_close *p, const cn_touch *t, double *speed)
{
	if (!t->main)
		return false;
	*speed = nears(&w->crowd->program, p, t, w->crowd->program.u0);
	return cn_bounce_touches(p, t, *speed > 0 ? CN_TOUCH_MOMENT * w->dt * *speed : 0) || meets_ahead(w, p, t, *speed) ||
	       meets_held(w, p, t, *speed);
}

static void add_bounce(cn_row_store *s, uint32_t pair)
{
	const cn_crowd *c = s->w->crowd;
	const cn_close *p = &c->pairs[pair];
	for (uint32_t k = 0; k < p->count; ++k) {
		cn_touch *t = &c->points[p->first + k];
		double speed;
		if (!bounces(s->w, p, t, &speed))
			continue;
		cn_qp_contact k0 = contact_of(p, t, 0);
		bool hits = speed > c->threshold;
		k0.eps = hits || c->threshold == 0 ? p->eps : 0; /* what rests under gravity is not thrown up */
		cn_row_put(s, &k0, hits ? t : NULL, pair, (cn_qp_impulse){0, 0, 0});
	}
}

static bool hits(const cairn_world *w, const cn_close *p)
{
	double speed;
	for (uint32_t k = 0; k < p->count && p->near && !p->barred; ++k)
		if (bounces(w, p, &w->crowd->points[p->first + k], &speed) && speed > w->crowd->threshold)
			return true;
	return false;
}

/* Where most bodies lie still it is soon seen whether one of the others hits something. */
static bool nothing_hits(const cairn_world *w)
{
	const cn_crowd *c = w->crowd;
	const cn_program *p = &c->program;
	uint32_t moving = 0;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		moving += !still(&p->u0[i]);
	if (!c->links_known || 2 * moving > p->qp.body_count)
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		for (uint32_t k = c->link_first[p->slots[i]]; !still(&p->u0[i]) && k < c->link_first[p->slots[i] + 1]; ++k)
			if (hits(w, &c->pairs[c->links[k]]))
				return false;
	return true;
}

/* Leaves only the contacts of islands in which something hits. */
static void keep_hit_islands(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	uint32_t kept = 0;
	cn_qp_islands(&p->qp, p->island);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->flags[i] = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		if (p->touches[i])
			c->flags[cn_program_island(p, i)] = 1;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		if (!c->flags[cn_program_island(p, i)])
			continue;
		p->contacts[kept] = p->contacts[i];
		p->touches[kept] = p->touches[i];
		p->pair_of[kept++] = p->pair_of[i];
	}
	p->qp.contact_count = kept;
	kept = 0;
	for (uint32_t i = 0; i < p->qp.row_count; ++i) {
		if (!c->flags[p->island[p->rows[i].a]])
			continue;
		p->rows[kept] = p->rows[i];
		p->row_joint[kept] = p->row_joint[i];
		p->row_kind[kept++] = p->row_kind[i];
	}
	p->qp.row_count = kept;
}

bool cn_bounce_solve(cairn_world *w, cn_frame *f)
{
	cn_crowd *c = w->crowd;
	cn_program *p = &c->program;
	cairn_energy *e = &f->report.energy;
	uint32_t before = f->report.collisions; /* inside the frame */
	cn_rigs_mend(w, f);
	bool ok = cn_freeze_revive(w) && cn_program_begin(w, NULL, false);
	for (uint32_t i = 0; ok && i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		p->u0[i] = c->ways[slot].driven ? cn_yield_twist(w, slot, true)
		                                : cn_twist_of(w, slot, w->next[slot].q, &w->next[slot]);
	}
	ok = ok && cn_ease_begin(w);
	if (ok && nothing_hits(w))
		return true;
	ok = ok && cn_rows_gather(w, add_bounce);
	for (uint32_t i = 0; ok && i < p->qp.contact_count; ++i)
		f->report.collisions += p->touches[i] != NULL;
	if (ok && f->report.collisions > before)
		ok = cn_rigs_bounce_rows(w);
	if (ok && f->report.collisions > before) {
		keep_hit_islands(w);
		cn_fast_options options = {.sweeps = CN_BOUNCE_SWEEPS,
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
		do { /* again with slower scripts from before the queue */
			*e = energy, f->events = events;
			ok = cn_queue_bounce(w, f) && cn_crumbs_momentum(w, &options, &x) && cn_text_momentum(w, false, &x, f);
			++f->report.programs;
		} while (ok && !p->qp.row_count && cn_ease(w, ++tries)); /* what joints feel of a queue cannot be taken back */
	}
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	if (f->report.collisions == before)
		return true;
	account(p, p->u0, e, NULL);
	cn_crumbs_account(w, p->u0, e, false);
	e->joints += cn_rigs_blow(w);
	f->events += script_work(p);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		if (p->island[i] == CN_QP_NONE || !c->flags[p->island[i]])
			continue;
		w->next[slot].v = p->u[i].v;
		w->next[slot].l = cn_angular(&w->rotors[slot], w->next[slot].q, p->u[i].w);
		limit_spin(w, slot, e);
	}
	cn_rigs_slow(w, e);
	return true;
}
