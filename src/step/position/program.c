/* The position program (OBA 6.1): solving it, and moving bodies by its solution. */
#include "base/tolerance.h"
#include "num/qp_exact.h"
#include "step/context.h"

/* rule: unequal masses; of masses; few bodies whose masses differ by more are placed by the exact solver, for sweeps
 * leave gaps short that mending pays for; scene: scenes/torture/sizes.json; test:
 * test_oba_rules/unequal_sizes_win_nothing; with: CN_UNEVEN_BODIES */
#define CN_UNEVEN 50.0
#define CN_UNEVEN_BODIES 12 /* ... are solved exactly: within a millisecond or so */

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
	cn_motion *m = &w->next[slot];
	if (c->paths.by_slot[slot].drive.moves)
		return;
	m->x = v3_add(m->x, p->u[body].v);
	m->q = q_unit(q_mul(q_exp(p->u[body].w), m->q));
	c->paths.by_slot[slot].moved = c->paths.by_slot[slot].under_rows = true;
	cn_parts_place(w, slot);
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
		p->pushed |= g->y[i].n * (a > b ? a : b) > CN_TIGHT * p->gap_target;
	}
}
