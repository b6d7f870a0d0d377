/* The position program (OBA 6.1): solving it, and moving bodies by its answer. */
#include "step/context.h"

/* What mending asks for: the gap that rows asked for, but no more than the leg began with: there was room for that, and in
 * a jam there is none for more. Pairs that go further than their thickness in a frame need theirs for the proof. */
static double mended(const cn_context *c, const cn_pair *p)
{
	double had = p->leg_start.gap > 0 ? p->leg_start.gap : 0;
	return had < p->gap_request && cn_pair_motion(c, p) < p->thin ? had : p->gap_request;
}

enum { BODY_CHUNK = 64 };

typedef struct body_run {
	cairn_world *w;
	body_task *task;
} body_run;

static void run_bodies(void *context, uint32_t chunk)
{
	const body_run *run = context;
	uint32_t count = run->w->context->program.qp.body_count, end = cn_pool_end(chunk, BODY_CHUNK, count);
	for (uint32_t i = chunk * BODY_CHUNK; i < end; ++i)
		run->task(run->w, i);
}

static void each_body(cairn_world *w, body_task *task)
{
	body_run run = {w, task};
	cn_pool_run(w->pool, (w->context->program.qp.body_count + BODY_CHUNK - 1) / BODY_CHUNK, run_bodies, &run);
}

/* Those that are still need not be looked at again. */
static void apply_motion(cairn_world *w, uint32_t body)
{
	const cn_twist *u = &w->context->program.u[body];
	if (v3_length2(u->v) != 0 || v3_length2(u->w) != 0)
		apply(w, body);
}

/* Who goes far gives way to who does not: a falling body is stopped by one at rest and does not shove it aside; that
 * is for the blow to do. And one that is stopped at a corner would go on by turning about it, further than rows hold:
 * it turns little, or not at all before a blow that is all that stops it. Not so in a rig, whose bodies can hardly go without turning: that would throw it aside; it gives way
 * as a whole. */
static void yield(cn_qp_body *b, double far, bool rig, bool blown)
{
	double more = 1 + far * far * CN_YIELD * CN_YIELD, less = blown ? CN_BLOWN : 1 / (1 + far * far);
	more = more < CN_YIELD_MOST ? more : CN_YIELD_MOST;
	b->inv_mass *= more;
	for (int i = 0; i < 6; ++i)
		b->inv_inertia[i] *= rig ? more : less;
}

/* Few bodies of very unequal masses: sweeps would not get there. */
static bool uneven(const cn_qp *qp)
{
	double least = INFINITY, most = 0;
	for (uint32_t i = 0; i < qp->body_count && qp->body_count <= CN_UNEVEN_BODIES; ++i) {
		double m = qp->bodies[i].inv_mass;
		if (m > 0)
			least = m < least ? m : least, most = m > most ? m : most;
	}
	return most > CN_UNEVEN * least;
}

/* Solves the program at hand in real time, or exactly where that would fail; islands of few bodies in double. A body that
 * falls flat is stopped by many rows that say the same, and sweeps that end early leave it tilted: its corners would then
 * be hit one after another. False: memory ran out. */
static bool solve(cairn_world *w, uint32_t sweeps, bool warm)
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
	/* without friction and restitution it is the momentum program */
	options.small = w->scene->options.precise || c->paths.moving_scripts ? 0 : CN_SMALL_BRISK_BODIES;
	if (w->scene->options.precise || p->qp.row_count)
		return cn_momentum_solve(c->solve.momentum, &p->qp, &options, &x).status != CN_QP_MEMORY;
	if (uneven(&p->qp)) {
		cn_qp_result r = cn_exact_solve(&w->allocator, &p->qp, NULL, &x);
		if (r.status == CN_QP_SOLVED || r.status == CN_QP_MEMORY)
			return r.status == CN_QP_SOLVED;
		options.warm = false;
	}
	if (c->paths.moving_scripts) /* what a script squeezes has no answer, and sweeps share what lacks among its rows */
		return cn_fast_position(c->solve.fast, &p->qp, &options, &x).status != CN_QP_MEMORY;
	return cn_momentum_solve(c->solve.momentum, &p->qp, &options, &x).status != CN_QP_MEMORY;
}
