/* The position program (OBA 6.1): its rows, its solution, and moving bodies by it.
 *
 * Rows (OBA 6.1.3) are built at the poses to which bodies turn in a pass. A pair has rows at its contact points, at extreme
 * points along its axis if it turns far, or at the points of the pose that the pass aims for. */
#include "base/tolerance.h"
#include "num/qp_exact.h"
#include "step/context.h"
#include "step/tolerance.h"

/* rule: swinging pairs; of the thinner part; pairs that swing further stay on their sides of the plane they begin
 * with; scene: scenes/torture/blades.json; test: test_oba_rules/blades_win_nothing */
#define CN_SUPPORT_FAST 0.08
/* rule: planes ahead; of the thinner part; pairs that pass each other by less have the planes of where they go, with
 * more room in frames of several steps; scene: scenes/validation/dominoes.json; test:
 * test_oba_inner/debt_tells_what_velocities_do_not_explain; with: CN_AHEAD_STEPS */
#define CN_AHEAD 0.2
#define CN_AHEAD_STEPS                                                                                                 \
	0.5 /* ... in a frame of several steps, which few bodies take: in a crowd such planes led to ways that are not free */
/* rule: unequal masses; of masses; few bodies whose masses differ by more are placed by the exact solver, for sweeps
 * leave gaps short that mending pays for; scene: built by the test; test: worlds/twenty; with: CN_UNEVEN_BODIES */
#define CN_UNEVEN 50.0
#define CN_UNEVEN_BODIES 12 /* ... are solved exactly: within a millisecond or so */

/* The row of a contact point at the turned poses. There the gap is n.(xb + Eb rb - xa - Ea ra). */
static cn_qp_contact turned_row(const cairn_world *w, const cn_pair *p, const cn_pair_point *t)
{
	const cn_context *c = w->context;
	uint32_t a = c->program.index[p->a], b = c->program.index[p->b];
	cn_qp_contact k = {.a = p->a, .b = p->b, .n = p->at.n, .ra = t->ra, .rb = t->rb};
	if (a != CN_QP_NONE && !c->paths.by_slot[p->a].round)
		k.ra = q_rotate(c->pass.turns[a], t->ra);
	if (b != CN_QP_NONE && !c->paths.by_slot[p->b].round)
		k.rb = q_rotate(c->pass.turns[b], t->rb);
	double swing = v3_dot(k.n, v3_sub(v3_sub(k.rb, t->rb), v3_sub(k.ra, t->ra)));
	k.least = p->gap_request - t->gap - swing;
	return k;
}

void cn_rows_turn(cairn_world *w, uint32_t slot, quat turn)
{
	cn_context *c = w->context;
	m3 r = m3_from_q(turn);
	for (uint32_t k = c->contacts.part_first[slot]; k < c->contacts.part_first[slot + 1]; ++k) {
		v3 arm = v3_sub(c->contacts.now[k].x, w->next[slot].x);
		c->pass.turned[k] = (cn_place){v3_add(w->next[slot].x, m3_apply(r, arm)), m3_mul(r, c->contacts.now[k].r)};
	}
}

static cn_pair_point *named(const cn_context *c, const cn_pair *p, uint64_t feature)
{
	for (uint32_t k = 0; k < p->count; ++k)
		if (c->contacts.points[p->first + k].feature == feature)
			return &c->contacts.points[p->first + k];
	return NULL;
}

/* Seen along the axis, the point of one body lies outside the other. It may pass the other's plane there without a
 * collision, as the end of a plank does that tips over an edge. */
static bool beside(const cairn_world *w, const cn_pair *p, bool of_b, v3 point, v3 axis)
{
	const cn_context *c = w->context;
	uint32_t part = of_b ? p->pa : p->pb;
	if (c->contacts.parts[part].kind == CN_PART_HALF_SPACE)
		return false;
	v3 from = v3_sub(point, c->pass.turned[part].x), across = v3_unit(v3_madd(from, axis, -v3_dot(axis, from)));
	v3 edge = cn_support_point(c->contacts.parts[part].convex, &c->pass.turned[part], across);
	double moves = v3_length(c->contacts.strides[p->a].dx) + v3_length(c->contacts.strides[p->b].dx);
	return v3_dot(across, v3_sub(point, edge)) > moves;
}

/* The extreme point of one of a pair's bodies along its axis, after the rotation. For a body whose
 * extreme point lies beside the other, one of the contact points is taken: its corners swing far, but elsewhere. */
static v3 end_along(const cairn_world *w, const cn_pair *p, bool of_b, v3 d)
{
	const cn_context *c = w->context;
	uint32_t part = of_b ? p->pb : p->pa, slot = of_b ? p->b : p->a;
	uint32_t i = c->program.index[slot];
	v3 end = cn_support_point(c->contacts.parts[part].convex, &c->pass.turned[part], d);
	if (i == CN_QP_NONE || c->paths.by_slot[slot].round || !p->count || !beside(w, p, of_b, end, d))
		return end;
	double max = -INFINITY;
	for (uint32_t k = 0; k < p->count; ++k) {
		const cn_pair_point *t = &c->contacts.points[p->first + k];
		v3 at = v3_add(w->next[slot].x, q_rotate(c->pass.turns[i], of_b ? t->rb : t->ra));
		if (v3_dot(d, at) > max)
			max = v3_dot(d, at), end = at;
	}
	return end;
}

/* The displacement that a pass attempts, beside the rotation. */
static cn_twist step_of(const cn_context *c, uint32_t slot)
{
	uint32_t i = c->program.index[slot];
	return i == CN_QP_NONE ? (cn_twist){{0, 0, 0}, {0, 0, 0}} : c->program.u0[i];
}

/* Puts a row, warm started with the last multiplier of its point. With large mass ratios weights differ from pass to
 * pass, and so do multipliers. True: the row is violated by the attempted motion. */
static bool put(cn_row_store *s, const cn_qp_contact *contact, cn_pair_point *point, uint32_t pair)
{
	const cn_context *c = s->w->context;
	double push = point && !c->solve.has_mass_ratios ? point->position.push : 0;
	cn_twist a = step_of(c, contact->a), b = step_of(c, contact->b);
	v3 to_a = v3_add(a.v, v3_cross(a.w, contact->ra)), to_b = v3_add(b.v, v3_cross(b.w, contact->rb));
	cn_row_put(s, contact, point, pair, (cn_qp_impulse){push, 0, 0});
	return v3_dot(contact->n, v3_sub(to_b, to_a)) < contact->least;
}

/* A row for the extreme points along the axis, after the rotation: the pair stays on its sides of the plane. True: it
 * is violated. */
static bool add_support(cn_row_store *s, uint32_t pair)
{
	const cairn_world *w = s->w;
	const cn_context *c = w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	v3 n = p->at.n, a = end_along(w, p, false, n), b = end_along(w, p, true, v3_neg(n));
	if (c->contacts.parts[p->pb].kind == CN_PART_HALF_SPACE)
		b = v3_madd(a, n, v3_dot(n, v3_sub(b, a)));
	cn_qp_contact k = {.a = p->a,
	                   .b = p->b,
	                   .n = n,
	                   .ra = v3_sub(a, w->next[p->a].x),
	                   .rb = v3_sub(b, w->next[p->b].x),
	                   .least = p->gap_request - v3_dot(n, v3_sub(b, a))};
	return put(s, &k, NULL, pair);
}

/* The plane at the turned poses belongs to another side, which did not separate the two where the pass began. The
 * path there would cut the corner between the two sides. The plane becomes valid once they have passed the corner. */
static bool cuts_corner(const cn_context *c, const cn_pair *p, v3 n)
{
	return v3_dot(n, p->at.n) < CN_CORNER && cn_pair_along(c, p, c->contacts.now, n) < 0;
}

/* The pass moves the two bodies so little that the plane between them may be the one at the attempted poses. */
static bool looks_ahead(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	double far = v3_length(v3_sub(step_of(c, p->b).v, step_of(c, p->a).v)) + c->contacts.strides[p->a].swing +
	             c->contacts.strides[p->b].swing;
	return far < (w->steps > 1 ? CN_AHEAD_STEPS : CN_AHEAD) * p->thin;
}

/* Rows of a pair that turns, with plane and points of the attempted poses, or, if these are far, of poses that are
 * only turned. They are not used if the two overlap there so deeply that the plane could be on the wrong side. True:
 * there are such rows, or none are needed. *pushes: some are violated. */
static bool add_turned(cn_row_store *s, uint32_t pair, bool *pushes)
{
	const cairn_world *w = s->w;
	const cn_context *c = w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	cn_place at_a = c->pass.turned[p->pa], at_b = c->pass.turned[p->pb];
	bool ahead = looks_ahead(w, p);
	v3 step_a = ahead ? step_of(c, p->a).v : v3_zero(), step_b = ahead ? step_of(c, p->b).v : v3_zero();
	cn_witness witness = p->witness;
	cn_separation at;
	cn_contact_set set;
	at_a.x = v3_add(at_a.x, step_a), at_b.x = v3_add(at_b.x, step_b);
	if (cn_pair_contacts(w, p, (cn_part_places){&at_a, &at_b}, &witness, &at, &set))
		return true;
	if (!(at.gap > -CN_PASS_DEEP * p->thin) || cuts_corner(c, p, at.n))
		return false;
	v3 to_a = v3_sub(v3_sub(at_a.x, step_a), w->next[p->a].x), to_b = v3_sub(v3_sub(at_b.x, step_b), w->next[p->b].x);
	double stepped = v3_dot(set.n, v3_sub(step_b, step_a));
	for (uint32_t k = 0; k < set.count; ++k) {
		cn_qp_contact row = {.a = p->a,
		                     .b = p->b,
		                     .n = set.n,
		                     .ra = v3_add(to_a, set.points[k].a),
		                     .rb = v3_add(to_b, set.points[k].b),
		                     .least = p->gap_request - set.points[k].gap + stepped};
		*pushes |= put(s, &row, named(c, p, set.points[k].feature), pair);
	}
	return true;
}

/* The motion of a part in the attempted pass. */
static cn_mover mover(const cairn_world *w, uint32_t slot, uint32_t part)
{
	const cn_context *c = w->context;
	cn_twist step = step_of(c, slot);
	uint32_t i = c->program.index[slot];
	v3 turn = i == CN_QP_NONE ? v3_zero() : q_log(c->pass.turns[i]), x = w->next[slot].x;
	return cn_path_mover(w, &(cn_piece){0, 1, x, v3_add(x, step.v), v3_add(turn, step.w), w->next[slot].q}, part, 0, 1);
}

/* Two bodies that do not touch pass each other at a safe distance in the attempted motion. Not near moving scripts:
 * pairs without rows may need repair, and scripts wait for bodies that they seem to squeeze. Not with hybrid flights,
 * which handle this themselves. */
static bool pass_by(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	bool script_near = c->paths.by_slot[p->a].scripts.may_reach || c->paths.by_slot[p->b].scripts.may_reach;
	bool many = c->program.qp.body_count > CN_SMALL_CROWD; /* others push it in the pass, whatever its own path */
	if (p->at.gap <= CN_PUSHING_GAP * p->gap_target || script_near || many ||
	    c->contacts.parts[p->pb].kind == CN_PART_TRIANGLE || w->scene->options.hybrid)
		return false;
	cn_mover a = mover(w, p->a, p->pa), b = mover(w, p->b, p->pb);
	cn_sweep_options options = {.gap = CN_PUSHING_GAP * p->gap_target,
	                            .tolerance = CN_REACH_TOLERANCE * p->thin,
	                            .budget = CN_SWEEP_BUDGET,
	                            .whole = true};
	cn_witness witness = p->witness;
	cn_sweep_result result;
	cn_sweep(&a, &b, &options, NULL, &witness, &result);
	return result.status == CN_SWEEP_FREE;
}

/* Adds all rows of a pair. A pair that swings far stays on its sides of the plane at the leg's start. A body that
 * slowly tips over an edge has to leave that plane, so then it is that of the turned poses. True: some row is
 * violated. */
static bool add_rows(cn_row_store *s, uint32_t pair)
{
	const cn_context *c = s->w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	bool pushes = false;
	double swing = c->contacts.strides[p->a].swing + c->contacts.strides[p->b].swing;
	bool turns = swing > p->gap_target, far = swing > CN_SUPPORT_FAST * p->thin;
	if (turns && (!far || looks_ahead(s->w, p)) && add_turned(s, pair, &pushes))
		return pushes;
	for (uint32_t k = 0; k < p->count; ++k) {
		cn_pair_point *t = &c->contacts.points[p->first + k];
		cn_qp_contact row = turned_row(s->w, p, t);
		pushes |= put(s, &row, t, pair);
	}
	return (turns && add_support(s, pair)) || pushes;
}

/* A plane keeps bodies from going round what lies behind it. So a pair whose rows are violated, although the
 * attempted motion passes freely, gets no rows. Whether other bodies push the two together in the pass is left to the
 * proof of the leg. */
static void add_pair(cn_row_store *s, uint32_t pair)
{
	const cn_context *c = s->w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	uint32_t count = s->count;
	if ((p->flight.apart && c->paths.leg_ends.count == 0) ||
	    (!cn_program_moves(&c->program, p->a) && !cn_program_moves(&c->program, p->b)))
		return;
	if (add_rows(s, pair) && pass_by(s->w, p))
		s->count = count;
}

bool cn_rows_build(cairn_world *w) { return cn_rows_gather(w, add_pair); }

/* ---- solution */

/* m: the gap that the repair asks for: the requested one, but no more than at the leg's start. There was room for
 * that, and in a jam there is none for more. Pairs that move further than their thickness in a frame need the full
 * gap for the proof. */
double cn_repair_gap(const cn_context *c, const cn_pair *p)
{
	double had = p->leg_start.gap > 0 ? p->leg_start.gap : 0;
	return had < p->gap_request && cn_pair_motion(c, p) < p->thin ? had : p->gap_request;
}

enum { BODY_CHUNK = 64 };

typedef struct body_run {
	cairn_world *w;
	cn_body_task *task;
} body_run;

static void run_bodies(void *context, uint32_t chunk)
{
	const body_run *run = context;
	uint32_t count = run->w->context->program.qp.body_count, end = cn_pool_end(chunk, BODY_CHUNK, count);
	for (uint32_t i = chunk * BODY_CHUNK; i < end; ++i)
		run->task(run->w, i);
}

void cn_position_each_body(cairn_world *w, cn_body_task *task)
{
	body_run run = {w, task};
	cn_pool_run(w->pool, (w->context->program.qp.body_count + BODY_CHUNK - 1) / BODY_CHUNK, run_bodies, &run);
}

/* Moves a body by the program's solution. */
void cn_position_move(cairn_world *w, uint32_t body)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	uint32_t slot = p->slots[body];
	const cn_motion *m = &w->next[slot];
	if (cn_path_driven(&c->paths.by_slot[slot]))
		return;
	cn_path_under_rows(&c->paths.by_slot[slot]);
	cn_body_move(w, slot, (pose){v3_add(m->x, p->u[body].v), q_unit(q_mul(q_exp(p->u[body].w), m->q))});
}

/* A body without motion need not be measured again. */
void cn_position_place(cairn_world *w, uint32_t body)
{
	const cn_twist *u = &w->context->program.u[body];
	if (v3_length2(u->v) != 0 || v3_length2(u->w) != 0)
		cn_position_move(w, body);
}

/* Few bodies with very unequal masses, for which sweeps would not converge. */
static bool uneven(const cn_qp *qp)
{
	double min = INFINITY, max = 0;
	for (uint32_t i = 0; i < qp->body_count && qp->body_count <= CN_UNEVEN_BODIES; ++i) {
		double m = qp->bodies[i].inv_mass;
		if (m > 0)
			min = m < min ? m : min, max = m > max ? m : max;
	}
	return max > CN_UNEVEN * min;
}

/* Solves the current program by sweeps, or exactly where these would fail; small islands in double precision. A body
 * that falls flat is stopped by many redundant rows. Sweeps that stop early leave it tilted, and its corners would
 * then be hit one after another. False: memory ran out. */
bool cn_position_solve(cairn_world *w, uint32_t sweeps, bool warm)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	cn_fast_options options = {.sweeps = sweeps,
	                           .tolerance = CN_POSITION_TOLERANCE * c->scale,
	                           .warm = warm,
	                           .unjudged = true,
	                           .region = cn_program_regions(w),
	                           .pool = w->pool};
	cn_qp_solution x = {.u = p->u, .contact = p->y, .row = p->row_y};
	options.position = true, options.brisk = !w->scene->options.precise;
	/* without friction and restitution it is a momentum program */
	options.small = w->scene->options.precise || c->paths.moving_scripts ? 0 : CN_SMALL_BRISK_BODIES;
	if (w->scene->options.precise || p->qp.row_count)
		return cn_islands_solve(c->solve.momentum, &p->qp, &options, &x).status != CN_QP_MEMORY;
	if (uneven(&p->qp)) {
		cn_qp_result r = cn_exact_solve(&w->allocator, &p->qp, NULL, &x);
		if (r.status == CN_QP_SOLVED || r.status == CN_QP_MEMORY)
			return r.status == CN_QP_SOLVED;
		options.warm = false;
	}
	/* squeezed by a script there is no solution, and sweeps share the violation among the rows */
	if (c->paths.moving_scripts)
		return cn_fast_position(c->solve.fast, &p->qp, &options, &x).status != CN_QP_MEMORY;
	return cn_islands_solve(c->solve.momentum, &p->qp, &options, &x).status != CN_QP_MEMORY;
}

/* Marks pairs of which the current program moved one body for the other's sake. */
void cn_position_mark_pushed(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_program *g = &c->program;
	for (uint32_t i = 0; i < g->qp.contact_count; ++i) {
		cn_pair *p = &c->contacts.pairs[g->pair_of[i]];
		double a = w->rotors[p->a].inv_mass, b = w->rotors[p->b].inv_mass;
		p->position.pushed |= g->y[i].n * (a > b ? a : b) > CN_AS_BUILT_GAP * p->gap_target;
	}
}
