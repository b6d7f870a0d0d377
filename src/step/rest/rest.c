/* Momentum (OBA 6.2) and resting contact (OBA 6.3.2): one program with exact Coulomb friction.
 *
 * A frame begins with the velocities at its poses. Forces change them, and the rest solve, with restitution zero, finds
 * the impulses that hold resting contacts. No point may approach faster than its gap allows, v_n >= -(gap - hold)/dt,
 * so contacts that close within the frame are met in time and others are unaffected. Points that approach faster than
 * gravity accelerates them in half a frame are not at rest, unless the last bounce left them so. The position stage
 * stops these, and the bounce at the new poses gives them their impulse.
 *
 * Static friction holds a point that does not slide. A point that slides, before the solve or after the last one, has
 * the kinetic coefficient until it sticks again.
 *
 * An island that has been at rest and in which nothing changed keeps its impulses and is not solved. A slow body that has
 * been still for some frames is brought to rest. Large islands at rest keep their impulses, so that these do not drift. */
#include "step/rest/rest.h"
#include "base/tolerance.h"
#include "step/hooks.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"

#include <string.h>

#define CN_COLD_SWEEPS 600 /* in the first frame of a scene that begins in contact: it has nothing to start from */
#define CN_LOAD_ROUNDS 3 /* of rest solves, to find what resists rolling and which motors are too weak: one is usual */
#define CN_SLIDE_SPEED                                                                                                 \
	2e-3 /* x the restitution threshold: a point at the limit of its cone that is slower counts as sticking */

/* ---- shared by the rest and the bounce program: rows of points, velocities at them, energy */

/* Velocity of b relative to a at a point, with the program's bodies at u. */
static v3 point_velocity(const cn_program *g, const cn_pair *p, const cn_pair_point *t, const cn_twist *u)
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

/* m/s: approach speed of a point. */
double cn_point_approach(const cn_program *g, const cn_pair *p, const cn_pair_point *t, const cn_twist *u)
{
	return -v3_dot(p->at.n, point_velocity(g, p, t, u));
}

static double friction(const cn_pair *p, const cn_pair_point *t)
{
	return t->rest.sliding ? p->mu_kinetic : p->mu_static;
}

cn_qp_contact cn_point_row(const cn_pair *p, const cn_pair_point *t, double min)
{
	return (cn_qp_contact){.a = p->a,
	                       .b = p->b,
	                       .n = p->at.n,
	                       .ra = t->ra,
	                       .rb = t->rb,
	                       .least = min,
	                       .mu = friction(p, t),
	                       .eps = p->eps};
}

/* A body of the contact that can move. */
static uint32_t moved_by(const cn_program *p, const cn_qp_contact *k)
{
	return k->a != CN_QP_NONE && p->bodies[k->a].inv_mass > 0 ? k->a : k->b;
}

/* J: work that scripts do by pushing. It comes from outside. */
double cn_program_script_work(const cairn_world *w)
{
	const cn_program *p = &w->context->program;
	double work = 0;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		work += cn_scripts_work(w, i, p->y[i]);
	return work;
}

/* Accounts for the work of contact impulses. From u to u' they add y.(Ju + Ju')/2, along the normal and across it. If
 * c is not NULL, losses are also noted for the bodies of the contact. */
void cn_program_account(const cn_program *p, const cn_twist *before, cairn_energy *e, cn_context *c)
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
		cn_losses_spend(&c->losses, p->slots[moved_by(p, &p->contacts[i])], along + across);
		if (a != CN_QP_NONE)
			cn_losses_take(&c->losses, p->slots[a], along + across);
		if (b != CN_QP_NONE)
			cn_losses_take(&c->losses, p->slots[b], along + across);
	}
}

/* A tiny body that is pushed or hit off its centre may spin faster than keys can show. Articulations are slowed down
 * as a whole instead. */
void cn_limit_spin(cairn_world *w, uint32_t slot, cairn_energy *e)
{
	cn_motion *m = &w->next[slot];
	double turn = cn_turn_bound(&w->rotors[slot], m->q, m->l, 1 / w->scene->settings.fps, CN_SPIN_MAX);
	if (turn <= CN_SPIN_MAX || cn_joints_of(w, slot) != CN_QP_NONE)
		return;
	e->dropped += cn_kinetic(&w->rotors[slot], m);
	m->l = v3_scale(m->l, CN_SPIN_MAX / turn);
	e->dropped -= cn_kinetic(&w->rotors[slot], m);
}

/* ---- islands without a change */

static bool stood_still(const cairn_world *w, uint32_t slot)
{
	const cn_motion *m = &w->motion[slot], *before = &w->before[slot];
	return v3_length2(m->v) == 0 && v3_length2(m->l) == 0 && v3_length2(before->v) == 0 && v3_length2(before->l) == 0 &&
	       cn_same_pose(before->x, before->q, m);
}

/* Only gravity acts on the body. */
static bool falls(const cairn_world *w, uint32_t slot)
{
	v3 v = v3_sub(w->next[slot].v, v3_scale(w->scene->settings.gravity, w->dt));
	return v3_length2(v) == 0 && v3_length2(w->next[slot].l) == 0;
}

static bool unchanged(const cairn_world *w, uint32_t slot)
{
	return w->rest_state[slot].still_frames == cn_sleep_frames(w, slot) && stood_still(w, slot) && falls(w, slot) &&
	       !w->context->paths.by_slot[slot].scripts.may_reach && cn_joints_of(w, slot) == CN_QP_NONE;
}

/* Finds islands that need no solve: they have been at rest for a while, no body moved or had a speed in the last
 * frame, and the load is the same. The impulses of the last solve then solve this frame too. Every change from
 * outside resets still_frames, and a body that comes near joins the island. changes, by slot: the body is in no
 * such island. */
static void find_unchanged(cairn_world *w, uint8_t *changes)
{
	cn_context *c = w->context;
	bool any = false;
	memset(changes, 1, w->slots);
	for (uint32_t slot = 0; slot < w->slots && !any; ++slot)
		any = cn_body_movable(w, slot) && unchanged(w, slot);
	if (!any || cn_thesis_wanted(w)) /* the thesis's own programs are to be seen */
		return;
	cn_graph_islands(w);
	memset(changes, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (!cn_body_movable(w, slot) || !unchanged(w, slot))
			changes[c->graph.root[slot]] = 1;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		changes[slot] = changes[c->graph.root[slot]]; /* that of a root stays what it is */
		c->paths.by_slot[slot].rest.unchanged = !changes[slot];
	}
}

/* Keeps the bodies of these islands at rest. Returns how many points hold them. */
static uint32_t keep_unchanged(cairn_world *w)
{
	cn_context *c = w->context;
	uint32_t count = 0;
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->paths.by_slot[slot].rest.unchanged)
			w->next[slot].v = w->next[slot].l = v3_zero(), any = true;
	double range = c->gravity * w->dt * w->dt;
	for (uint32_t i = 0; any && i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!p->near || p->must_not_touch ||
		    (!c->paths.by_slot[p->a].rest.unchanged && !c->paths.by_slot[p->b].rest.unchanged))
			continue;
		for (uint32_t k = 0; k < p->count; ++k) {
			const cn_pair_point *t = &c->contacts.points[p->first + k];
			count += t->main && t->gap - cn_pair_hold(p, t->gap) <= range;
		}
	}
	return count;
}

/* ---- coming to rest */

static double speed_bound(const cairn_world *w, uint32_t slot, const cn_twist *u)
{
	return v3_length(u->v) + v3_length(u->w) * w->bodies[slot].radius;
}

/* A body that has been still for a while and is held stays at rest. Its remaining motion is error of the solver.
 * False: memory ran out. */
static bool come_to_rest(cairn_world *w, cairn_energy *e)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	double min = CN_STILL_SPEED * c->gravity * w->dt;
	uint8_t *held; /* by body: some contact holds it */
	if (!CN_LOCAL(held, p->qp.body_count + 1))
		return false;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		if (k->a != CN_QP_NONE)
			held[k->a] |= p->y[i].n > 0;
		if (k->b != CN_QP_NONE)
			held[k->b] |= p->y[i].n > 0;
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		cn_twist before = cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
		if (!held[i] || c->paths.by_slot[slot].scripts.may_reach || cn_joints_of(w, slot) != CN_QP_NONE ||
		    w->rest_state[slot].still_frames < cn_still_frames(w, slot) || speed_bound(w, slot, &before) > min ||
		    speed_bound(w, slot, &p->u[i]) > min)
			continue;
		/* without its motion it also keeps the height that it would have lost or gained; its island pays for a gain
		 * */
		double work = w->rotors[slot].mass * v3_dot(w->scene->settings.gravity, p->u[i].v) * 0.5 * w->dt;
		cn_qp one = {.body_count = 1, .bodies = &p->bodies[i], .u0 = &p->u[i]};
		double lost = cn_qp_energy(&one, &p->u[i]) - work;
		e->dropped += lost;
		cn_losses_add(&c->losses, slot, lost);
		p->u[i] = (cn_twist){{0, 0, 0}, {0, 0, 0}};
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

static bool at_rest(const cairn_world *w, const cn_program *p, uint32_t body)
{
	const cn_motion *m = &w->motion[p->slots[body]];
	const cn_twist *u = &p->u[body];
	return v3_length2(m->v) == 0 && v3_length2(m->l) == 0 && v3_length2(u->v) == 0 && v3_length2(u->w) == 0;
}

/* Stores impulses for the next warm start. Sweeps never converge completely: in a heap at rest the solution drifts,
 * from impulses that hold it to others, and at last to some that do not, so that a heap gives way after a minute of
 * rest. Therefore large islands that were at rest and stay so keep their old impulses, unless a load changed: the
 * impulse of a contact changed by more than the still speed of the lighter of its bodies. False: memory ran out. */
static bool store_impulses(cairn_world *w)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *moves; /* by island */
	if (!CN_LOCAL(moves, p->qp.body_count + 1))
		return false;
	double min = CN_STILL_SPEED * c->gravity * w->dt;
	uint32_t small = cn_islands_small(p->qp.body_count, !w->scene->options.precise, w->steps > 1);
	cn_program_islands(p);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (p->island[i] != CN_QP_NONE)
			moves[p->island[i]] |= !at_rest(w, p, i);
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		double a = k->a != CN_QP_NONE ? p->bodies[k->a].inv_mass : 0,
			   b = k->b != CN_QP_NONE ? p->bodies[k->b].inv_mass : 0;
		cn_qp_frame_to(&f, k->n);
		v3 change = v3_sub(cn_qp_frame_vector(&f, p->y[i]), p->points[i]->rest.impulse);
		if (v3_length(change) * (a > b ? a : b) > min)
			moves[cn_program_island(p, i)] = 1;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_frame_to(&f, p->contacts[i].n);
		if (moves[cn_program_island(p, i)] || p->island_size[cn_program_island(p, i)] <= small)
			p->points[i]->rest.impulse = cn_qp_frame_vector(&f, p->y[i]);
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* ---- the rest solve */

/* A body turns a point of it by a quarter turn or more in the step, not about an axle: where the point will be is not told by its
 * velocity. */
static bool whirls(const cairn_world *w, uint32_t slot, v3 arm, double thin)
{
	const cn_rotor *r = &w->rotors[slot];
	const cn_motion *m = &w->motion[slot];
	if (!cn_body_movable(w, slot) || w->context->paths.by_slot[slot].round)
		return false;
	v3 spin = q_unrotate(r->turned ? q_mul(m->q, r->axes) : m->q, cn_spin(r, m->q, m->l));
	if (r->kind == CN_ROTOR_SYMMETRIC)
		*(r->axis == 0 ? &spin.x : r->axis == 1 ? &spin.y : &spin.z) = 0;
	double turn = v3_length(spin) * w->dt;
	return turn >= 0.5 * CN_PI && turn * v3_length(arm) > CN_SUBSTEP_MOTION * thin;
}

/* Builds the row that may hold a point, of the poses where the step begins. False: the point has none.
 *
 * A point that approaches fast is an impact, unless that speed is no more than the last bounce left: then it has been
 * hit and is now held. A point that leaves may come back within the frame, as positions follow the mean velocity. One that is apart
 * and whirls round does not come as its speed says, and when it does that is an impact. */
static bool rest_row(const cairn_world *w, const cn_pair *p, cn_pair_point *t, cn_qp_contact *row)
{
	const cn_context *c = w->context;
	double dt = w->dt;
	v3 before = point_velocity(&c->program, p, t, c->program.u);
	double spare = t->gap - cn_pair_hold(p, t->gap), speed = cn_point_approach(&c->program, p, t, c->program.u0),
		   leaves = v3_dot(p->at.n, before);
	double range = c->gravity * dt * dt + (speed > 0 ? 1.5 * speed * dt : 0);
	if (cn_joints_of(w, p->a) != CN_QP_NONE || cn_joints_of(w, p->b) != CN_QP_NONE)
		range += p->gap_target; /* a motor may press it on, which is no part of its speed yet */
	if (spare > range || (-leaves > c->threshold && !(-leaves <= t->left * (1 + CN_SAME))) || p->flight.hits ||
	    (spare > 0 && (whirls(w, p->a, t->ra, p->thin) || whirls(w, p->b, t->rb, p->thin)))) {
		t->rest.impulse = v3_zero(), t->rest.returns = false;
		return false;
	}
	double min = spare > 0 ? -spare / dt : 0, mean = 2 * min - leaves;
	t->rest.returns = leaves > CN_REST_LEAVES * c->threshold;
	if (t->rest.returns)
		min = mean;
	else if (mean > min && c->contacts.parts[p->pb].kind == CN_PART_TRIANGLE) /* its own speed takes it to this facet */
		min = mean < 0 ? mean : 0;
	t->rest.sliding |= v3_length(v3_madd(before, p->at.n, -leaves)) > CN_SLIDE_SPEED * c->threshold;
	*row = cn_point_row(p, t, min);
	return true;
}

/* Adds the rows of a pair, warm started with the impulses of the last solve. */
void cn_rest_add(cn_row_store *s, uint32_t pair)
{
	const cn_context *c = s->w->context;
	cn_pair *p = &c->contacts.pairs[pair];
	cn_qp_frame f = {0};
	p->rest.plain = false;
	if (c->paths.by_slot[p->a].rest.unchanged || c->paths.by_slot[p->b].rest.unchanged)
		return;
	for (uint32_t k = 0; k < p->count; ++k) {
		cn_pair_point *t = &c->contacts.points[p->first + k];
		cn_qp_contact row;
		if (!t->main || !rest_row(s->w, p, t, &row))
			continue;
		cn_carried_row(s->w, p, &row);
		cn_qp_frame_to(&f, p->at.n);
		cn_row_put(s, &row, t, pair, cn_qp_frame_parts(&f, t->rest.impulse));
	}
}

/* The velocity of a body of the program where the step begins. */
static cn_twist starts_with(const cairn_world *w, uint32_t slot)
{
	return cn_path_driven(&w->context->paths.by_slot[slot]) ? cn_script_start(w, slot)
	                                                        : cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
}

/* The velocities that the program begins with: u where the step begins, u0 with its forces. */
static void begin_velocities(cairn_world *w, bool forces)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		bool driven = cn_path_driven(&c->paths.by_slot[slot]);
		p->u[i] = starts_with(w, slot);
		if (forces)
			p->u0[i] =
				driven ? cn_script_twist(w, slot, false) : cn_twist_of(w, slot, w->motion[slot].q, &w->next[slot]);
	}
}

/* ---- locked islands
 *
 * A row that turns with its bodies may ask a point to leave. Where friction can lock the bodies there may be no such
 * motion, and impulses grow against each other without end. The rows of where the step begins ask nobody to leave, so
 * what is locked can stand still and they always have an answer. What turning adds to a row falls with the square of the
 * step. */

static void make_plain(cairn_world *w, uint32_t contact)
{
	cn_program *p = &w->context->program;
	cn_pair *pair = &w->context->contacts.pairs[p->pair_of[contact]];
	cn_qp_contact row, *k = &p->contacts[contact];
	pair->rest.plain = true;
	p->y[contact] = (cn_qp_impulse){0, 0, 0};
	if (!rest_row(w, pair, p->points[contact], &row))
		return;
	row.a = k->a, row.b = k->b;
	*k = row;
}

/* Adds the islands whose contacts do more work in the step than their bodies have energy: contacts do none by themselves. A
 * point that runs along an edge may ask for that where it is to be at the step's end. False: memory ran out. */
static bool add_driven(cairn_world *w, uint8_t *locked)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	cn_twist *start;
	double *work; /* J, by island: what contacts do, less the energy that there is and little */
	if (!CN_LOCAL(start, p->qp.body_count + 1) || !CN_LOCAL(work, p->qp.body_count + 1))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		start[i] = starts_with(w, p->slots[i]);
		if (p->island[i] == CN_QP_NONE || !(p->bodies[i].inv_mass > 0))
			continue;
		cn_qp one = {.body_count = 1, .bodies = &p->bodies[i], .u0 = &start[i]};
		double still = CN_STILL_SPEED * c->gravity * w->dt;
		work[p->island[i]] -= cn_qp_energy(&one, &start[i]) + 0.5 * still * still / p->bodies[i].inv_mass;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_impulse a = cn_qp_speed(&p->qp, i, start), b = cn_qp_speed(&p->qp, i, p->u), y = p->y[i];
		work[cn_program_island(p, i)] += 0.5 * (y.n * (a.n + b.n) + y.s * (a.s + b.s) + y.t * (a.t + b.t));
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		locked[i] |= work[i] > 0;
	return true;
}

/* Takes out the islands that have these rows already. False: there are no others. */
static bool keep_unlocked(const cn_context *c, uint8_t *locked)
{
	const cn_program *p = &c->program;
	bool any = false;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		if (c->contacts.pairs[p->pair_of[i]].rest.plain)
			locked[cn_program_island(p, i)] = false;
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) /* an island of joints alone has no such rows */
		any |= locked[cn_program_island(p, i)];
	return any;
}

/* Gives locked islands these rows after a solve. True: there are some, and the program is to be solved again. *ok,
 * false: memory ran out. */
static bool unlock(cairn_world *w, const cn_qp_solution *x, bool *ok)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	double *scratch = NULL;
	uint8_t *locked = NULL;
	*ok = CN_LOCAL(scratch, (size_t)CN_QP_BODY_SCRATCH * p->qp.body_count +
	                            (size_t)CN_QP_CONTACT_SCRATCH * p->qp.contact_count + 1) &&
	      CN_LOCAL(locked, p->qp.body_count + 1);
	cn_program_islands(p);
	if (*ok)
		(void)cn_qp_locks(&p->qp, p->island, x, scratch, locked);
	*ok = *ok && (c->paths.moving_scripts || add_driven(w, locked));
	bool any = *ok && keep_unlocked(c, locked);
	if (any)
		begin_velocities(w, false);
	for (uint32_t i = 0; any && i < p->qp.contact_count; ++i)
		if (locked[cn_program_island(p, i)])
			make_plain(w, i);
	for (uint32_t i = 0; any && i < p->qp.row_count; ++i)
		if (locked[p->island[p->rows[i].a]])
			p->row_y[i] = 0, p->rows[i].low += p->row_misses[i], p->rows[i].high += p->row_misses[i],
			p->row_misses[i] = 0;
	cn_arena_return(&c->temporary, mark);
	return any;
}

/* A point sticks while its friction is inside the Coulomb cone. */
static bool slides(const cn_program *p, uint32_t contact, const cn_qp_frame *f, double threshold)
{
	cn_qp_impulse y = p->y[contact];
	if (!(y.n > 0) || !(sqrt(y.s * y.s + y.t * y.t) >= CN_SLIDE_LIMIT * p->contacts[contact].mu * y.n))
		return false;
	v3 meets = v3_add(cn_qp_meet(&p->qp, contact, p->u), p->contacts[contact].slip);
	cn_qp_impulse v = cn_qp_frame_parts(f, meets);
	return sqrt(v.s * v.s + v.t * v.t) > CN_SLIDE_SPEED * threshold;
}

/* Notes for each point whether it slides. */
static void note_sliding(const cn_program *p, double threshold)
{
	cn_qp_frame f = {0};
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		cn_qp_frame_to(&f, p->contacts[i].n);
		p->points[i]->rest.sliding = slides(p, i, &f, threshold);
	}
}

/* J: the work of fields and damping was accounted with the velocities that they alone lead to. This is the difference
 * that the contacts make. */
static double field_share(const cairn_world *w, uint32_t slot, const cn_twist *u)
{
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	v3 kick = v3_scale(w->scene->settings.gravity, w->dt), dv = v3_sub(v3_sub(to->v, from->v), kick);
	v3 dw = v3_sub(u->w, cn_spin(&w->rotors[slot], from->q, to->l));
	return 0.5 * (w->rotors[slot].mass * v3_dot(dv, v3_sub(u->v, to->v)) + v3_dot(v3_sub(to->l, from->l), dw));
}

/* Some contact of the program has rolling resistance. */
static bool some_resist_rolling(const cn_context *c)
{
	for (uint32_t i = 0; i < c->program.qp.contact_count; ++i)
		if (c->contacts.pairs[c->program.pair_of[i]].rolling > 0)
			return true;
	return false;
}

bool cn_rest_solve(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	cairn_energy *e = &f->report.energy;
	cn_losses_begin(w);
	cn_scripts_mark_near(w);
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *changes;
	bool ok = CN_LOCAL(changes, w->slots + 1);
	if (ok)
		find_unchanged(w, changes);
	ok = ok && cn_program_begin(w, changes, false);
	cn_arena_return(&c->temporary, mark);
	if (ok)
		begin_velocities(w, true);
	ok = ok && cn_scripts_limit_begin(w);
	ok = ok && cn_rows_gather(w, cn_rest_add) && cn_joints_rest_rows(w);
	c->rolling.some = ok && some_resist_rolling(c);
	ok = ok && (!c->rolling.some || cn_rolling_begin(w));
	uint32_t tries = 0;
	bool cold = true; /* the scene begins in contact, and there is nothing for a warm start */
	for (uint32_t i = 0; ok && i < p->qp.contact_count; ++i)
		cold &= !(p->y[i].n > 0);
	f->report.contacts = p->qp.contact_count + keep_unchanged(w);
	bool again = p->qp.contact_count || p->qp.row_count, few = false, predicted = false;
	for (uint32_t round = 0; ok && again; ++round) {
		cn_fast_options options = {.sweeps = cold ? CN_COLD_SWEEPS : CN_MOMENTUM_SWEEPS,
		                           .tolerance = w->scene->options.precise ? 0 : CN_REST_TOLERANCE * c->gravity * w->dt,
		                           .warm = true,
		                           .unjudged = true,
		                           .crowd = w->steps > 1,
		                           .few = few && !c->paths.moving_scripts && !c->solve.has_mass_ratios,
		                           .brisk = !cold && !w->scene->options.precise,
		                           .region = cn_program_regions(w),
		                           .pool = w->pool};
		cn_qp_solution x = {.u = p->u, .contact = p->y, .row = p->row_y};
		do {
			ok = cn_program_momentum(w, &options, &x) && (!cn_thesis_wanted(w) || cn_thesis_momentum(w, true, &x, f));
			++f->report.programs;
		} while (ok && cn_scripts_limit(w, ++tries));
		again = ok && unlock(w, &x, &ok);
		if (again) {
			few = false;
			continue;
		}
		bool saturated = p->qp.row_count && round <= CN_LOAD_ROUNDS && cn_joints_saturate(w);
		again = saturated; /* its rows have changed */
		again |= c->rolling.some && round < CN_LOAD_ROUNDS && cn_rolling_resist(w);
		/* Contact points are predicted once motors are saturated: before that, velocities are not those of the step's end. */
		bool joints = ok && !predicted && !saturated && p->qp.contact_count && cn_joints_carry(w);
		few = ok && !predicted && !saturated && (cn_carried_update(w) || joints) && !again;
		predicted |= !saturated;
		again |= few;
	}
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	if (!p->qp.contact_count && !p->qp.row_count)
		return true;
	cn_scripts_limit_pace(w);
	if (!cn_debt_impulses(w, true)) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	note_sliding(p, c->threshold);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) { /* u0 becomes the velocity before the forces */
		uint32_t slot = p->slots[i];
		if (cn_path_driven(&c->paths.by_slot[slot]))
			continue;
		e->fields += field_share(w, slot, &p->u[i]);
		p->u0[i] = cn_twist_of(w, slot, w->motion[slot].q, &w->motion[slot]);
	}
	cn_program_account(p, p->u0, e, c);
	if (c->solve.has_mass_ratios)
		cn_mass_ratio_account(w, p->u0, e, true);
	f->events += cn_program_script_work(w) + (c->rolling.some ? cn_rolling_account(w, p->u0, e) : 0);
	e->joints += cn_joints_work(w, p->u0, p->u);
	cn_joints_store_forces(w);
	if (!come_to_rest(w, e) || !store_impulses(w)) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		if (cn_path_driven(&c->paths.by_slot[slot]))
			continue;
		w->next[slot].v = p->u[i].v;
		w->next[slot].l = cn_angular(&w->rotors[slot], w->motion[slot].q, p->u[i].w);
		cn_limit_spin(w, slot, e);
	}
	return true;
}
