/* See qp_small.h. Sweeps find out which contacts push and which of them stick; a direct solve (qp_small_kernel_direct.h) then solves for
 * that at once, where sweeps alone would take thousands to carry a tower's weight down. Leaps are kept where a sweep
 * after them changes less than the one before; where they are not worth much the next one waits longer. Where contacts slide
 * a direct solve knows too little of friction, and in real time rows and bodies take turns in islands of many rows: bricks
 * that slide come three times as near to the answer so, in half of the time. Where all this settles too slowly or not at
 * all the exact reference takes over; sweeps polish its answer if they can.
 *
 * Joints that form trees are eliminated first (qp_small_tree.c). What slides there Newton's method solves
 * (qp_small_newton.c). */
#include "num/qp_small_parts.h"

#include "num/qp_exact.h"
#include "num/tolerance.h"

#define CN_SMALL_LOSS 1e-6         /* of |x|^2: an island that loses this much kinetic energy plainly loses some */
#define CN_SMALL_DIRECT_TRIES 4    /* tried one after the other before going back */
#define CN_SMALL_DIRECT_ENOUGH 0.1 /* of the tolerance: less need not be missing */
#define CN_SMALL_DIRECT_WORTH 0.5  /* of the residual: a direct solve that leaves more makes the next one wait longer */
#define CN_SMALL_TURNS 20          /* of rows and bodies, one after the other before sweeps tell what they were worth */
#define CN_SMALL_TURNS_IDLE 2      /* times on end that they are not worth much: nothing more is to be had soon */
#define CN_SMALL_POLISH 50         /* after it: it is within 1e-10 already */
#define CN_SMALL_EXACT 1e-13       /* accuracy the exact method is asked for then: as good as it insists on */
#define CN_SMALL_FAR_ROOM                                                                                              \
	32768 /* numbers of rows in coordinates: a quarter of a megabyte, a hundred contacts with a figure */
#define CN_SMALL_NEWTON_ROWS 120 /* beyond that a step of Newton's method takes as long as a hundred sweeps */
#define CN_SMALL_RESIDUAL 1e-12  /* of the largest speed at a contact */

/* ---- memory */

cn_small *cn_small_create(const cairn_allocator *allocator)
{
	cn_small *s = cn_alloc(allocator, 1, sizeof *s);
	if (s)
		s->allocator = *allocator, s->kernel = cn_small_avx2() ? cn_small_avx2() : cn_small_narrow();
	return s;
}

static void give_back(cn_small *s)
{
	cn_arena_free(&s->arena);
	s->bodies = s->contacts = s->rows = 0;
	s->touch = NULL;
}

void cn_small_destroy(cn_small *s)
{
	if (!s)
		return;
	cairn_allocator allocator = s->allocator;
	give_back(s);
	cn_free(&allocator, s, 1, sizeof *s);
}

static uint32_t more(uint32_t have, uint32_t need)
{
	return need <= have ? have : need > UINT32_MAX - need / 2 ? need : need + need / 2;
}

/* Every link has an equation, and an equation two links at most. */
static void take_tree(cn_small *s, uint32_t bodies, uint32_t contacts, uint32_t rows)
{
	cn_small_tree *t = &s->tree;
	cn_arena *arena = &s->arena;
	size_t all = (size_t)bodies + 2, links = bodies < 2 * (size_t)rows ? bodies : 2 * (size_t)rows;
	size_t wide = 18 * (size_t)contacts + 6 * (size_t)rows;
	t->far_room = rows == 0 ? 0 : wide < CN_SMALL_FAR_ROOM / 8 ? 8 * wide : CN_SMALL_FAR_ROOM;
	t->links = cn_arena_take(arena, links, sizeof *t->links);
	t->of = cn_arena_take(arena, all, sizeof *t->of);
	t->seat = cn_arena_take(arena, all, sizeof *t->seat);
	t->first = cn_arena_take(arena, all, sizeof *t->first);
	t->equation = cn_arena_take(arena, 2 * (size_t)rows, sizeof *t->equation);
	t->arm = cn_arena_take(arena, 18 * all, sizeof *t->arm);
	t->by_body = cn_arena_take(arena, 6 * all, sizeof *t->by_body);
	t->left = cn_arena_take(arena, 6 * all, sizeof *t->left);
	t->far = cn_arena_take(arena, t->far_room, sizeof *t->far);
	t->far_seat = cn_arena_take(arena, t->far_room / 6, sizeof *t->far_seat);
}

static void take_newton(cn_small *s, uint32_t bodies, uint32_t contacts, uint32_t rows)
{
	cn_small_newton *n = &s->newton;
	cn_arena *arena = &s->arena;
	size_t most = 3 * (size_t)contacts + rows;
	n->room = rows == 0 ? 0 : most < CN_SMALL_NEWTON_ROWS ? (uint32_t)most : CN_SMALL_NEWTON_ROWS;
	n->seats = bodies < CN_SMALL_BODIES ? bodies : CN_SMALL_BODIES;
	n->row = cn_arena_take(arena, n->room * (6 * (size_t)n->seats + 6), sizeof *n->row);
	n->product = cn_arena_take(arena, n->room * ((size_t)n->room + 1), sizeof *n->product);
	n->matrix = cn_arena_take(arena, n->room * ((size_t)n->room + 1), sizeof *n->matrix);
	double **by_row[] = {&n->right, &n->want, &n->per, &n->lack, &n->y, &n->center};
	for (uint32_t k = 0; k < CN_COUNT(by_row); ++k)
		*by_row[k] = cn_arena_take(arena, (size_t)n->room + 1, sizeof(double));
	n->acts = cn_arena_take(arena, n->room, sizeof *n->acts);
}

/* Nothing of an earlier program is kept, so all is given back and taken anew. */
bool cn_small_reserve(cn_small *s, uint32_t bodies, uint32_t contacts, uint32_t rows)
{
	if (s->touch && bodies <= s->bodies && contacts <= s->contacts && rows <= s->rows)
		return true;
	uint32_t b = more(s->bodies, bodies), c = more(s->contacts, contacts), r = more(s->rows, rows);
	size_t all = (size_t)b + 1;
	give_back(s);
	s->arena = cn_arena_make(&s->allocator);
	cn_arena *arena = &s->arena;
	s->touch = cn_arena_take(arena, c, sizeof *s->touch);
	s->bond = cn_arena_take(arena, r, sizeof *s->bond);
	s->touch_state = cn_arena_take(arena, c, sizeof *s->touch_state);
	s->bond_state = cn_arena_take(arena, r, sizeof *s->bond_state);
	s->root = cn_arena_take(arena, 7 * all, sizeof *s->root);
	s->x = cn_arena_take(arena, 6 * all, sizeof *s->x);
	s->scratch = cn_arena_take(arena, CN_QP_BODY_SCRATCH * all + CN_QP_CONTACT_SCRATCH * (size_t)c, sizeof *s->scratch);
	s->island = cn_arena_take(arena, all, sizeof *s->island);
	s->live = cn_arena_take(arena, all, sizeof *s->live);
	take_tree(s, b, c, r);
	take_newton(s, b, c, r);
	s->matrix.value = cn_arena_take(arena, cn_small_matrix_room(b), sizeof *s->matrix.value);
	s->matrix.x = cn_arena_take(arena, 6 * all, sizeof *s->matrix.x);
	s->matrix.first = cn_arena_take(arena, all, sizeof *s->matrix.first);
	s->matrix.at = cn_arena_take(arena, all, sizeof *s->matrix.at);
	s->turns = cn_arena_take(arena, 3 * (size_t)c + r, sizeof *s->turns);
	s->kept.contact = cn_arena_take(arena, c, sizeof *s->kept.contact);
	s->kept.row = cn_arena_take(arena, r, sizeof *s->kept.row);
	s->other.u = cn_arena_take(arena, all, sizeof *s->other.u);
	s->other.contact = cn_arena_take(arena, c, sizeof *s->other.contact);
	s->other.row = cn_arena_take(arena, r, sizeof *s->other.row);
	s->impact = cn_arena_take(arena, c, sizeof *s->impact);
	s->impact_rows = cn_arena_take(arena, r, sizeof *s->impact_rows);
	s->soft.u = cn_arena_take(arena, all, sizeof *s->soft.u);
	s->soft.contact = cn_arena_take(arena, c, sizeof *s->soft.contact);
	s->soft.row = cn_arena_take(arena, r, sizeof *s->soft.row);
	if (arena->failed) {
		give_back(s);
		return false;
	}
	s->bodies = b, s->contacts = c, s->rows = r;
	return true;
}

/* ---- solving */

static void copy_multipliers(const cn_qp *qp, const cn_qp_impulse *contact, const double *row, cn_qp_solution *to)
{
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		to->contact[i] = contact[i];
	for (uint32_t i = 0; i < qp->row_count; ++i)
		to->row[i] = row[i];
}

/* The multipliers that were kept, and x as they make it. */
static void put_back(const cn_small_run *run)
{
	cn_qp_solution now = {.contact = run->y, .row = run->row};
	copy_multipliers(run->qp, run->memory->kept.contact, run->memory->kept.row, &now);
	cn_small_sum(run);
}

/* Leaps, each with a sweep after it which finds out again what pushes and what sticks, until one of them leaves less
 * than before. Returns the residual of the last sweep, or infinity where none does; all is then as it was. */
static double try_direct(const cn_small_run *run, double tolerance, double residual, uint32_t most, uint32_t *sweeps)
{
	copy_multipliers(run->qp, run->y, run->row, &run->memory->kept);
	for (uint32_t k = 0; k < most; ++k) {
		cn_small_direct(run, CN_SMALL_DIRECT_ENOUGH * tolerance);
		double reached = cn_small_sweep(run, k % 2 == 1);
		++*sweeps;
		if (reached < residual)
			return reached;
	}
	put_back(run);
	return INFINITY;
}

/* Takes turns of rows and bodies, with sweeps after them, until the residual is small, the number is up or they gain
 * little. They may lead away before they lead on; what came nearest is kept. Returns its residual. */
static double take_turns(const cn_small_run *run, double tolerance, double residual, uint32_t sweeps, uint32_t *done)
{
	enum { AFTER = 3 };
	cn_qp_solution *best = &run->memory->kept;
	uint32_t idle = 0;
	copy_multipliers(run->qp, run->y, run->row, best);
	cn_small_turns_begin(run);
	while (*done < sweeps && residual > tolerance && idle < CN_SMALL_TURNS_IDLE) {
		uint32_t most = sweeps - *done < CN_SMALL_TURNS ? sweeps - *done : CN_SMALL_TURNS;
		cn_small_turns(run, most);
		double reached = INFINITY;
		for (int k = 0; k < AFTER; ++k)
			reached = cn_small_sweep(run, k % 2 == 0);
		*done += most + AFTER;
		idle = reached < CN_SMALL_DIRECT_WORTH * residual ? 0 : idle + 1;
		if (reached < residual) {
			residual = reached;
			copy_multipliers(run->qp, run->y, run->row, best);
		}
	}
	put_back(run);
	return residual;
}

/* Newton's method and a sweep after it. Returns the residual, or infinity where it leaves more than before; all is then
 * as it was. */
static double try_newton(const cn_small_run *run, double tolerance, double residual, uint32_t *sweeps)
{
	copy_multipliers(run->qp, run->y, run->row, &run->memory->kept);
	cn_small_newton_solve(run, CN_SMALL_DIRECT_ENOUGH * tolerance);
	double reached = cn_small_sweep(run, false);
	++*sweeps;
	if (reached < residual)
		return reached;
	put_back(run);
	return INFINITY;
}

/* Sweeps there and back, and direct solves, until the residual is small or the number is up. x is summed up again now and then,
 * so that its rounding stays that of one sum. */
static double settle(const cn_small_run *run, double tolerance, uint32_t sweeps, cn_qp_result *result)
{
	enum { AGAIN = 32, BETWEEN = 2, LONGEST = 32 };
	double residual = INFINITY;
	bool direct = cn_small_direct_plan(run);
	uint32_t wait = BETWEEN, pause = BETWEEN, done = 0;
	cn_small_sum(run);
	while (done < sweeps && residual > tolerance) {
		if (direct && wait == 0 && run->turns && pause > BETWEEN && cn_small_slides(run)) {
			residual = take_turns(run, tolerance, residual, sweeps, &done);
			break;
		}
		bool newton = wait == 0 && cn_small_slides(run) && cn_small_newton_plan(run);
		if (newton || (direct && wait == 0)) {
			uint32_t most = sweeps - done < CN_SMALL_DIRECT_TRIES ? sweeps - done : CN_SMALL_DIRECT_TRIES;
			double reached = newton ? try_newton(run, tolerance, residual, &done)
			                        : try_direct(run, tolerance, residual, most, &done);
			pause = reached < CN_SMALL_DIRECT_WORTH * residual ? BETWEEN : 2 * pause < LONGEST ? 2 * pause : LONGEST;
			residual = reached < residual ? reached : residual;
			wait = pause;
			continue;
		}
		if (done % AGAIN == AGAIN - 1)
			cn_small_sum(run);
		residual = cn_small_sweep(run, done % 2 == 1);
		wait -= wait > 0;
		++done;
	}
	result->sweeps += done;
	return residual;
}

static void clear(const cn_qp *qp, cn_qp_solution *x)
{
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		x->contact[i] = (cn_qp_impulse){0, 0, 0};
	for (uint32_t i = 0; i < qp->row_count; ++i)
		x->row[i] = 0;
}

/* The exact reference, then sweeps from its answer, which may lead away from it: the best of the three is kept. *starved:
 * memory ran out. */
static double ask_exact(const cn_small_run *run, double tolerance, double residual, cn_qp_result *result, bool *starved)
{
	const cn_qp *qp = run->qp;
	const cn_exact_options options = {.tolerance = CN_SMALL_EXACT};
	const cairn_allocator *allocator = &run->memory->allocator;
	cn_qp_solution now = {.contact = run->y, .row = run->row}, *answer = &run->memory->other;
	cn_qp_result exact = cn_exact_coulomb(allocator, qp, &options, answer);
	result->factored += exact.factored;
	if (exact.status == CN_QP_INFEASIBLE) {
		/* rows may contradict each other by rounding alone: not at its usual accuracy */
		exact = cn_exact_coulomb(allocator, qp, NULL, answer);
		result->factored += exact.factored;
	}
	*starved = exact.status == CN_QP_MEMORY;
	if (*starved || exact.status == CN_QP_INFEASIBLE)
		return residual;
	cn_small_admit(qp, answer->contact);
	cn_small_run other = *run;
	other.y = answer->contact, other.row = answer->row, other.turns = false;
	for (int polished = 0; polished < 2 && residual > tolerance; ++polished) {
		if (polished)
			settle(&other, tolerance, CN_SMALL_POLISH, result);
		cn_small_sum(&other);
		double reached = cn_small_residual(&other);
		if (reached < residual) {
			copy_multipliers(qp, answer->contact, answer->row, &now);
			residual = reached;
		}
	}
	return residual;
}

/* Whether every island plainly loses kinetic energy, T(u) - T(u0) = y.(J u0) + 1/2 |x|^2, so that there is nothing to
 * judge. */
static bool loses_energy(const cn_small_run *run)
{
	const cn_qp *qp = run->qp;
	cn_small *s = run->memory;
	if (s->tree.count > 0)
		return false;
	double *work = s->scratch, *square = s->scratch + qp->body_count;
	for (uint32_t i = 0; i < 2 * qp->body_count; ++i)
		s->scratch[i] = 0;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		const cn_small_touch *t = &s->touch[i];
		const cn_qp_impulse *y = &run->y[i];
		uint32_t at = t->a < qp->body_count && s->island[t->a] != CN_QP_NONE ? t->a : t->b;
		if (t->per_n > 0)
			work[s->island[at]] +=
				y->n * (qp->contacts[i].least - t->want[0]) - (y->s * t->want[1] + y->t * t->want[2]);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i) {
		const cn_small_bond *b = &s->bond[i];
		if (b->per > 0)
			work[s->island[s->island[b->a] != CN_QP_NONE ? b->a : b->b]] += run->row[i] * b->start;
	}
	for (uint32_t i = 0; i < qp->body_count; ++i)
		for (int k = 0; k < 6 && s->island[i] != CN_QP_NONE; ++k)
			square[s->island[i]] += s->x[6 * (size_t)i + (size_t)k] * s->x[6 * (size_t)i + (size_t)k];
	for (uint32_t i = 0; i < qp->body_count; ++i)
		if (!(work[i] + 0.5 * square[i] <= -CN_SMALL_LOSS * square[i]))
			return false;
	return true;
}

/* Solves the run's rows from the multipliers it has on, and finds u. *starved: memory ran out. */
static void find(cn_small_run *run, const cn_small_options *options, cn_twist *u, cn_qp_result *result, bool *starved)
{
	cn_small_prepare(run);
	run->turns = options->turns;
	double tolerance = (options->tolerance > 0 ? options->tolerance : CN_SMALL_RESIDUAL) * run->scale;
	double residual = settle(run, tolerance, options->sweeps ? options->sweeps : CN_SMALL_SWEEPS, result);
	if (residual > tolerance && !options->sweeps_only)
		residual = ask_exact(run, tolerance, residual, result, starved);
	result->residual = residual > run->stuck ? residual : run->stuck;
	result->status = result->residual <= tolerance ? CN_QP_SOLVED : CN_QP_EARLY;
	cn_small_sum(run);
	cn_small_motion(run, u);
}

/* Where an impact would bring energy its restitution is lowered: toward the answer without. */
static void lower(cn_small *s, const cn_qp *qp, const cn_small_options *options, cn_qp_solution *x, bool *starved)
{
	cn_qp_result ignored = {.status = CN_QP_SOLVED};
	cn_small_run run = {s, qp, s->soft.contact, s->soft.row, 0, 0, false};
	copy_multipliers(qp, x->contact, x->row, &s->soft);
	cn_qp_soften(qp, s->island, s->scratch, &s->soft);
	find(&run, options, s->soft.u, &ignored, starved);
	cn_qp_temper(qp, s->island, NULL, &s->soft, s->scratch, NULL);
	cn_qp_poisson(qp, s->island, &s->soft, x, s->scratch, NULL);
	cn_qp_temper(qp, s->island, &s->soft, x, s->scratch, NULL);
}

cn_qp_result cn_small_solve(cn_small *s, const cn_qp *qp, const cn_small_options *options, cn_qp_solution *solution)
{
	cn_qp_result result = {.status = CN_QP_MEMORY};
	if (options->warm)
		cn_small_admit(qp, solution->contact);
	else
		clear(qp, solution);
	if (!cn_small_reserve(s, qp->body_count, qp->contact_count, qp->row_count)) {
		cn_qp_apply(qp, solution->contact, solution->row, solution->u);
		return result;
	}
	cn_qp impact = *qp;
	cn_qp_islands(qp, s->island);
	bool bounces = options->bounce && cn_qp_newton(qp, s->island, s->impact, s->impact_rows, s->scratch),
		 starved = false;
	if (bounces)
		impact.contacts = s->impact, impact.rows = s->impact_rows;
	cn_small_run run = {s, &impact, solution->contact, solution->row, 0, 0, false};
	find(&run, options, solution->u, &result, &starved);
	if (bounces) {
		if (cn_qp_gains(qp, s->island, solution, s->scratch, NULL))
			lower(s, qp, options, solution, &starved);
	} else if (!loses_energy(&run)) {
		cn_qp_temper(qp, s->island, NULL, solution, s->scratch, NULL);
	}
	result.status = starved ? CN_QP_MEMORY : result.status;
	result.violation = cn_qp_violation(qp, solution->u);
	result.objective = cn_qp_objective(qp, solution->u);
	return result;
}
