/* The bounce: impulses at the new poses that end approach, with restitution (OBA 6.2). Only islands with an impact are
 * solved.
 *
 * First comes the sequential queue (OBA 6.2.2): points hit one after another, the fastest first, so that a row of balls
 * passes an impact on. It handles small islands in which every pair has one contact point. A face that lands flat is a
 * single impact, which only the simultaneous program can give. Points of one body that approach equally fast also belong
 * together. */
#include "step/bounce/bounce.h"
#include "step/flight/flight.h"
#include "step/hooks.h"
#include "step/tolerance.h"

#define CN_QUEUE_BODIES 50       /* of an island at most for the sequential queue */
#define CN_BOUNCE_TOLERANCE 1e-5 /* x g dt: far below what makes a body leave its place */

/* The body's flight through the step; NULL: it stands still. */
static cn_flight *flight_of(const cairn_world *w, uint32_t slot, cn_flight *room)
{
	if (!cn_body_movable(w, slot))
		return NULL;
	*room = cn_flight_begin(w, slot);
	return room;
}

/* ---- impacts, for whoever asks */

/* Where a body's centre is when its pair hits: at the step's end, or where it grazes. */
static v3 place_at_hit(const cairn_world *w, uint32_t slot, double graze)
{
	cn_flight room, *f = graze > 0 ? flight_of(w, slot, &room) : NULL;
	if (f)
		cn_flight_advance(w, f, graze);
	return f ? f->x : w->next[slot].x;
}

/* False: memory ran out. */
static bool note(cairn_world *w, uint32_t contact, cn_qp_impulse y)
{
	const cn_program *p = &w->context->program;
	const cn_pair *pair = &w->context->contacts.pairs[p->pair_of[contact]];
	const cn_qp_contact *k = &p->contacts[contact];
	bool on_a = cn_body_movable(w, pair->a);
	v3 x = place_at_hit(w, on_a ? pair->a : pair->b, pair->bounce.graze);
	return cn_impacts_note(
		w, &(cairn_impact){.a = cn_handle(w, pair->a),
	                       .b = cn_handle(w, pair->b),
	                       .time = cn_step_time(w, pair->bounce.graze > 0 ? pair->bounce.graze / w->dt : 1),
	                       .point = v3_add(x, on_a ? k->ra : k->rb),
	                       .normal = k->n,
	                       .impulse = cn_qp_vector(k->n, y)});
}

static bool note_all(cairn_world *w)
{
	const cn_program *p = &w->context->program;
	bool ok = true;
	for (uint32_t i = 0; i < p->qp.contact_count && ok; ++i)
		ok = note(w, i, p->y[i]);
	return ok;
}

/* ---- the sequential queue */

/* What an island is in for. */
typedef enum island_state { UNHIT, HIT, QUEUED } island_state; /* queued: hit, and the queue handles it */

/* Marks the islands that the queue handles. states: by island. sizes: zero for each body. */
static void choose(const cn_program *p, island_state *states, uint32_t *sizes)
{
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		if (p->island[i] != CN_QP_NONE && states[p->island[i]])
			states[p->island[i]] = ++sizes[p->island[i]] <= CN_QUEUE_BODIES ? QUEUED : HIT;
	for (uint32_t i = 1; i < p->qp.contact_count; ++i)
		if (p->pair_of[i] == p->pair_of[i - 1])
			states[cn_program_island(p, i)] = HIT;
}

/* Numbers of bodies, contacts or rows by queued island: those of an island stand from first[island] to first[island + 1]. */
typedef struct sorted {
	uint32_t *first, *item;
} sorted;

static uint32_t body_island(const cn_program *p, uint32_t body) { return p->island[body]; }
static uint32_t row_island(const cn_program *p, uint32_t row) { return p->island[p->rows[row].a]; }

/* False: memory ran out. */
static bool sort_queued(cairn_world *w, const island_state *states, uint32_t count,
                        uint32_t (*island_of)(const cn_program *p, uint32_t item), sorted *to)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	uint32_t sum = 0;
	if (!CN_LOCAL(to->first, p->qp.body_count + 1) || !CN_LOCAL(to->item, count + 1))
		return false;
	for (uint32_t i = 0; i < count; ++i)
		if (island_of(p, i) != CN_QP_NONE && states[island_of(p, i)] == QUEUED)
			++to->first[island_of(p, i)];
	for (uint32_t i = 0; i <= p->qp.body_count; ++i) {
		uint32_t here = to->first[i];
		to->first[i] = sum;
		sum += here;
	}
	for (uint32_t i = 0; i < count; ++i)
		if (island_of(p, i) != CN_QP_NONE && states[island_of(p, i)] == QUEUED)
			to->item[to->first[island_of(p, i)]++] = i;
	for (uint32_t i = p->qp.body_count; i > 0; --i)
		to->first[i] = to->first[i - 1];
	to->first[0] = 0;
	return true;
}

/* What an impact moves on joints, as a program of its own: the articulations that are hit, and nobody else. */
typedef struct struck {
	sorted bodies, rows;  /* of the whole program; unset where it has no rows */
	uint32_t *number;     /* by body of the whole program: its number here, where it is in it */
	uint32_t *body, *row; /* by number here: in the whole program */
	cn_qp_body *weights;
	cn_twist *u0, *u;
	cn_qp_row *own;
	double *y;
	uint32_t body_count, row_count;
} struck;

/* False: memory ran out. */
static bool begin_struck(cairn_world *w, const island_state *states, struck *s)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	uint32_t most = CN_QUEUE_BODIES + 2, rows = p->qp.row_count;
	if (!rows)
		return true;
	return sort_queued(w, states, p->qp.body_count, body_island, &s->bodies) &&
	       sort_queued(w, states, rows, row_island, &s->rows) && CN_LOCAL(s->number, p->qp.body_count + 1) &&
	       CN_LOCAL(s->body, most) && CN_LOCAL(s->weights, most) && CN_LOCAL(s->u0, most) && CN_LOCAL(s->u, most) &&
	       CN_LOCAL(s->row, rows) && CN_LOCAL(s->own, rows) && CN_LOCAL(s->y, rows);
}

static void add_struck(const cn_program *p, uint32_t body, struck *s)
{
	s->number[body] = s->body_count;
	s->body[s->body_count] = body;
	s->weights[s->body_count] = p->bodies[body];
	s->u0[s->body_count++] = p->u0[body];
}

static uint32_t number_of(const struck *s, uint32_t body) { return body == CN_QP_NONE ? body : s->number[body]; }

/* Bodies that cannot move come last. */
static void take_struck(const cairn_world *w, const cn_qp_contact *hit, struck *s)
{
	const cn_program *p = &w->context->program;
	const uint32_t sides[2] = {hit->a, hit->b};
	uint32_t island = CN_QP_NONE, art[2] = {CN_QP_NONE, CN_QP_NONE};
	s->body_count = s->row_count = 0;
	for (int k = 0; k < 2; ++k)
		if (sides[k] != CN_QP_NONE && p->island[sides[k]] != CN_QP_NONE)
			island = p->island[sides[k]], art[k] = cn_joints_of(w, p->slots[sides[k]]);
	for (uint32_t i = s->bodies.first[island]; i < s->bodies.first[island + 1]; ++i) {
		uint32_t body = s->bodies.item[i], of = cn_joints_of(w, p->slots[body]);
		if (body == hit->a || body == hit->b || (of != CN_QP_NONE && (of == art[0] || of == art[1])))
			add_struck(p, body, s);
	}
	for (int k = 0; k < 2; ++k)
		if (sides[k] != CN_QP_NONE && p->island[sides[k]] == CN_QP_NONE)
			add_struck(p, sides[k], s);
	for (uint32_t i = s->rows.first[island]; i < s->rows.first[island + 1]; ++i) {
		uint32_t row = s->rows.item[i], of = cn_joints_of(w, p->slots[p->rows[row].a]);
		if (of != art[0] && of != art[1])
			continue;
		s->row[s->row_count] = row;
		s->own[s->row_count] = p->rows[row];
		s->own[s->row_count].a = number_of(s, p->rows[row].a);
		s->own[s->row_count].b = number_of(s, p->rows[row].b);
		s->y[s->row_count++] = 0;
	}
}

/* The impulse of an impact on bodies with joints. The joints react at the same moment, so that a body has its
 * effective mass on its joints. The result goes to u0. False: memory ran out. */
static bool strike_joints(cairn_world *w, const cn_qp_contact *hit, struck *s, cn_qp_impulse *y, cairn_energy *e)
{
	cn_program *p = &w->context->program;
	cn_qp_contact contact = *hit;
	cn_fast_options options = {.sweeps = CN_MOMENTUM_SWEEPS, .bounce = true};
	take_struck(w, hit, s);
	contact.a = number_of(s, hit->a), contact.b = number_of(s, hit->b);
	cn_qp one = {.body_count = s->body_count,
	             .bodies = s->weights,
	             .u0 = s->u0,
	             .contact_count = 1,
	             .contacts = &contact,
	             .row_count = s->row_count,
	             .rows = s->own};
	cn_qp_solution x = {.u = s->u, .contact = y, .row = s->y};
	if (cn_islands_solve(w->context->solve.momentum, &one, &options, &x).status == CN_QP_MEMORY)
		return false;
	for (uint32_t i = 0; i < s->body_count; ++i)
		p->u[s->body[i]] = s->u[i];
	for (uint32_t i = 0; i < s->row_count; ++i)
		p->row_y[s->row[i]] = s->y[i];
	e->joints += cn_joints_strike_work(w, s->row, s->row_count);
	for (uint32_t i = 0; i < s->body_count; ++i)
		p->u0[s->body[i]] = s->u[i];
	return true;
}

/* One impact and its loss of energy. False: memory ran out. */
static bool strike(cairn_world *w, uint32_t contact, struck *s, cn_frame *f)
{
	cairn_energy *e = &f->report.energy;
	cn_program *p = &w->context->program;
	cn_qp_contact hit = p->contacts[contact], *k = &hit;
	hit.eps = w->context->contacts.pairs[p->pair_of[contact]].eps; /* it may have been at rest until it was hit */
	static const cn_twist still = {{0, 0, 0}, {0, 0, 0}};
	cn_qp_impulse before = cn_qp_speed(&p->qp, contact, p->u0);
	cn_qp_impulse y = {0, 0, 0};
	if (p->qp.row_count) {
		if (!strike_joints(w, k, s, &y, e))
			return false;
	} else {
		y = cn_single_contact(k->a != CN_QP_NONE ? &p->bodies[k->a] : NULL,
		                      k->b != CN_QP_NONE ? &p->bodies[k->b] : NULL, k, k->a != CN_QP_NONE ? p->u0[k->a] : still,
		                      k->b != CN_QP_NONE ? p->u0[k->b] : still);
		cn_qp_push_contact(&p->qp, contact, y, p->u0);
	}
	if (!cn_debt_impact(w, k, y) || !note(w, contact, y))
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

/* Runs the queue on the current program, whose u0 it changes. False: memory ran out. */
static bool run_queue(cairn_world *w, island_state *states, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t *sizes;
	sorted contacts;
	struck joints = {.row_count = 0};
	if (!CN_LOCAL(sizes, p->qp.body_count + 1))
		return false;
	choose(p, states, sizes);
	if (!sort_queued(w, states, p->qp.contact_count, cn_program_island, &contacts) || !begin_struck(w, states, &joints))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t first = contacts.first[i], count = contacts.first[i + 1] - first;
		uint32_t max = cn_option_count(w->scene->options.queue, CN_AUTO);
		if (max == CN_AUTO)
			max = count * count / 4 > CN_QUEUE_BODIES ? count * count / 4 : CN_QUEUE_BODIES;
		bool tied = false;
		for (uint32_t k = 0; count && k < max; ++k) {
			uint32_t hit = fastest(w, &contacts.item[first], count, &tied);
			if (hit == UINT32_MAX || tied)
				break; /* the rest is left to the simultaneous program */
			if (!strike(w, hit, &joints, f))
				return false;
		}
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* ---- the simultaneous bounce */

/* OBA 6.7.1, on demand: a point that would meet within the next frame bounces now, at a distance. */
static bool meets_ahead(const cairn_world *w, const cn_pair *p, const cn_pair_point *t, double speed)
{
	return w->scene->options.distance_bounce && speed > w->context->threshold &&
	       t->gap - cn_pair_hold(p, t->gap) < speed * w->dt;
}

static bool held_throughout(const cairn_world *w, uint32_t slot)
{
	const cn_motion *from = &w->motion[slot];
	return w->context->paths.by_slot[slot].legs.put_back && cn_same_pose(from->x, from->q, &w->next[slot]);
}

/* A body that was put back does not reach the place where its rows would stop it, and the body it meets may not
 * approach at all. It is hit from where it is, or it would be held for ever while it gains speed. */
static bool meets_held(const cairn_world *w, const cn_pair *p, const cn_pair_point *t, double speed)
{
	return (t->position.push > 0 || p->position.row_stopped) && speed > w->context->threshold &&
	       (held_throughout(w, p->a) || held_throughout(w, p->b)) && t->gap - cn_pair_hold(p, t->gap) < speed * w->dt;
}

/* The point takes part in the bounce. *speed: its approach, m/s. */
static bool bounces(const cairn_world *w, const cn_pair *p, const cn_pair_point *t, double *speed)
{
	if (!t->main)
		return false;
	*speed = cn_point_approach(&w->context->program, p, t, w->context->program.u0);
	return cn_point_touches(w, p, t, *speed) || meets_ahead(w, p, t, *speed) || meets_held(w, p, t, *speed);
}

/* The rest solve left the pair to flights of balls, and these could not be followed to their end. */
static bool flight_failed(const cairn_world *w, const cn_pair *p)
{
	const cn_path *paths = w->context->paths.by_slot;
	return p->flight.hits && !paths[p->a].flight.kind && !paths[p->b].flight.kind;
}

/* m/s: approach speed that makes a point of the pair an impact. The rest solve leaves no approach between bodies, but
 * an articulation then moves on its joints, and balls were to fly. The approach that results is ended by contacts however slow
 * it is, or the articulation would push against them for ever, and balls would stand with a speed. */
static double hit_speed(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	if (flight_failed(w, p))
		return CN_IMPACT_MIN * c->gravity * w->dt;
	bool art = cn_joints_of(w, p->a) != CN_QP_NONE || cn_joints_of(w, p->b) != CN_QP_NONE;
	return art ? CN_STILL_SPEED * c->gravity * w->dt : c->threshold;
}

static v3 arm_of(const cairn_world *w, cn_flight *f, uint32_t part, double time, v3 point)
{
	if (f)
		cn_flight_advance(w, f, time);
	cn_place at = cn_flight_place(w, f, part);
	return v3_sub(v3_add(at.x, point), f ? f->x : w->motion[w->context->contacts.parts[part].slot].x);
}

/* The two go further in the step than the radius of the smaller and the thickness of the thinner. */
static bool goes_far(const cairn_world *w, const cn_pair *p)
{
	double a = cn_body_movable(w, p->a) ? w->bodies[p->a].radius : INFINITY,
		   b = cn_body_movable(w, p->b) ? w->bodies[p->b].radius : INFINITY;
	double far = cn_pair_motion(w->context, p);
	return far > (a < b ? a : b) && far > p->thin;
}

/* Two bodies that graze and go further than their size in the step have passed each other at its end: the position
 * program led them round each other, and no point of theirs touches. They are hit where their free motions meet.
 * *row: the contact there; *when: s, into the step. */
static bool grazes(const cairn_world *w, uint32_t pair, cn_qp_contact *row, double *when)
{
	const cn_context *c = w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	cn_flight room[2];
	cn_impact hit;
	if (!p->position.pushed || p->must_not_touch || p->script_moves || !goes_far(w, p) ||
	    cn_joints_of(w, p->a) != CN_QP_NONE || cn_joints_of(w, p->b) != CN_QP_NONE ||
	    c->paths.by_slot[p->a].flight.kind || c->paths.by_slot[p->b].flight.kind)
		return false;
	cn_flight *a = flight_of(w, p->a, &room[0]), *b = flight_of(w, p->b, &room[1]);
	if (!cn_impact_any(w, (cn_flyers){pair, a, b}, 0, c->threshold, &hit) || !(hit.t > 0))
		return false;
	*row = (cn_qp_contact){.a = p->a, .b = p->b, .n = hit.at.n, .mu = p->mu_kinetic, .eps = p->eps};
	row->ra = arm_of(w, a, p->pa, hit.t, hit.at.a), row->rb = arm_of(w, b, p->pb, hit.t, hit.at.b);
	*when = hit.t;
	cn_pair met = {.a = p->a, .b = p->b, .at = {.n = row->n}};
	cn_pair_point point = {.ra = row->ra, .rb = row->rb};
	return cn_point_approach(&c->program, &met, &point, c->program.u0) > c->threshold;
}

static void add_bounce(cn_row_store *s, uint32_t pair)
{
	const cn_context *c = s->w->context;
	cn_pair *p = &c->contacts.pairs[pair];
	double min = hit_speed(s->w, p), when;
	bool any = false;
	cn_qp_contact graze;
	p->bounce.graze = 0, p->bounce.struck = 1;
	for (uint32_t k = 0; k < p->count; ++k) {
		cn_pair_point *t = &c->contacts.points[p->first + k];
		double speed = 0;
		bool takes_part = bounces(s->w, p, t, &speed);
		p->bounce.struck &= speed <= c->threshold;
		if (!takes_part)
			continue;
		cn_qp_contact k0 = cn_point_row(p, t, 0);
		k0.eps = speed > c->threshold || c->threshold == 0 ? p->eps : 0; /* resting contacts are not thrown up */
		cn_row_put(s, &k0, speed > min ? t : NULL, pair, (cn_qp_impulse){0, 0, 0});
		any = true;
	}
	if (!any && p->count && grazes(s->w, pair, &graze, &when)) {
		p->bounce.graze = when;
		cn_row_put(s, &graze, &c->contacts.points[p->first], pair, (cn_qp_impulse){0, 0, 0});
	}
}

static bool hits(const cairn_world *w, uint32_t pair)
{
	const cn_pair *p = &w->context->contacts.pairs[pair];
	cn_qp_contact graze;
	double speed, when;
	for (uint32_t k = 0; k < p->count && p->near && !p->must_not_touch; ++k)
		if (bounces(w, p, &w->context->contacts.points[p->first + k], &speed) && speed > hit_speed(w, p))
			return true;
	return p->near && p->count && grazes(w, pair, &graze, &when);
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
			if (hits(w, c->graph.links[k]))
				return false;
	return true;
}

/* Removes contacts and rows of islands without an impact. states, by island: all unhit at first. */
static void keep_hit_islands(cn_program *p, island_state *states)
{
	uint32_t kept = 0;
	cn_qp_islands(&p->qp, p->island);
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		if (p->points[i])
			states[cn_program_island(p, i)] = HIT;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		if (!states[cn_program_island(p, i)])
			continue;
		p->contacts[kept] = p->contacts[i];
		p->points[kept] = p->points[i];
		p->pair_of[kept++] = p->pair_of[i];
	}
	p->qp.contact_count = kept;
	kept = 0;
	for (uint32_t i = 0; i < p->qp.row_count; ++i) {
		if (!states[p->island[p->rows[i].a]])
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
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	island_state *states = NULL;
	bool ok = !c->debt.kick_lost && cn_program_begin(w, NULL, false);
	for (uint32_t i = 0; ok && i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		p->u0[i] = cn_path_driven(&c->paths.by_slot[slot]) ? cn_script_twist(w, slot, true)
		                                                   : cn_twist_of(w, slot, w->next[slot].q, &w->next[slot]);
	}
	ok = ok && cn_scripts_limit_begin(w);
	if (ok && nothing_hits(w))
		return true;
	ok = ok && cn_rows_gather(w, add_bounce);
	for (uint32_t i = 0; ok && i < p->qp.contact_count; ++i)
		f->report.collisions += p->points[i] != NULL;
	if (ok && f->report.collisions > before)
		ok = cn_joints_bounce_rows(w) && CN_LOCAL(states, p->qp.body_count + 1);
	if (ok && f->report.collisions > before) {
		keep_hit_islands(p, states);
		cn_fast_options options = {.sweeps = CN_MOMENTUM_SWEEPS,
		                           .tolerance =
		                               w->scene->options.precise ? 0 : CN_BOUNCE_TOLERANCE * c->gravity * w->dt,
		                           .bounce = true,
		                           .unjudged = true,
		                           .crowd = w->steps > 1,
		                           .brisk = !w->scene->options.precise,
		                           .region = cn_program_regions(w),
		                           .pool = w->pool};
		cn_qp_solution x = {.u = p->u, .contact = p->y, .row = p->row_y};
		uint32_t tries = 0;
		const cairn_energy energy = *e;
		const double events = f->events;
		const uint32_t kicks = c->debt.kick_count, noted = w->log.impacts.count;
		do { /* again from before the queue, with slower scripts */
			*e = energy, f->events = events;
			cn_debt_forget(w, kicks);
			w->log.impacts.count = noted;
			ok = run_queue(w, states, f) && cn_program_momentum(w, &options, &x) &&
			     (!cn_thesis_wanted(w) || cn_thesis_momentum(w, false, &x, f));
			++f->report.programs;
		} while (ok && !p->qp.row_count &&
		         cn_scripts_limit(w, ++tries)); /* the queue's impulses on joints cannot be undone */
		ok = ok && cn_debt_impulses(w, false) && note_all(w);
	}
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	if (f->report.collisions == before)
		return true;
	cn_program_account(p, p->u0, e, NULL);
	if (c->solve.has_mass_ratios)
		cn_mass_ratio_account(w, p->u0, e, false);
	e->joints += cn_joints_impact_work(w);
	f->events += cn_program_script_work(w);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		uint32_t slot = p->slots[i];
		if (p->island[i] == CN_QP_NONE || states[p->island[i]] == UNHIT)
			continue;
		w->next[slot].v = p->u[i].v;
		w->next[slot].l = cn_angular(&w->rotors[slot], w->next[slot].q, p->u[i].w);
		cn_limit_spin(w, slot, e);
	}
	cn_arena_return(&c->temporary, mark);
	cn_joints_slow(w, e);
	return true;
}
