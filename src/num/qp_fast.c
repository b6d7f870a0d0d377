/* See qp_fast.h: the order of things. Sweeps until the steps are small enough or their number is used up; then the
 * multipliers go into the solution and u, the violation and the objective are computed from them in double.
 *
 * The sweeps are accelerated after Nesterov: before a sweep y goes on by beta times its last change, beta growing
 * from 0 toward 1; when that motion turns against what the rows lack (their product is negative: the gradient test
 * of O'Donoghue and Candes) beta starts from 0 again. What leaves the cone on the way the next sweep brings back.
 * The last few sweeps go without: they take away what the motion overshot, most of it local. Friction makes no
 * optimum of it, but the fixed points are the same, and piles come to rest in a third of the frames. Conjugate
 * directions after Fletcher and Reeves (NNCG), which start anew whenever the steps grow, did so every fourth sweep
 * in piles and stayed behind. */
#include "num/qp_fast_parts.h"

#include "num/lanes.h"
#include "num/qp_bounce.h"

#define CN_FAST_DIGITS 1e-6 /* of the largest speed: what sweeps in float can be asked for where nothing was */
#define CN_FAST_MET 10.0  /* x the tolerance x the root of the rows: a larger violation is not solved; at most 2 seen */
#define CN_FAST_FAR 1e4   /* x the squares that are enough: a large program that changes so much goes on for a while */
#define CN_FAST_WORK 1.01 /* energy is looked at exactly unless the impulses take this x what they put in */

cn_fast *cn_fast_create(const cairn_allocator *allocator)
{
	cn_fast *fast = cn_alloc(allocator, 1, sizeof *fast);
	if (fast) {
		fast->allocator = *allocator;
		fast->width = cn_fast_has_avx512() ? CN_FAST_DEEP : cn_fast_has_avx2() ? CN_FAST_WIDE : CN_FAST_NARROW;
	}
	return fast;
}

void cn_fast_destroy(cn_fast *fast)
{
	if (!fast)
		return;
	cairn_allocator allocator = fast->allocator;
	const struct {
		void *at;
		size_t room, size;
	} all[] = {{fast->metric, fast->room.metric, sizeof *fast->metric},
	           {fast->mask, fast->room.mask, sizeof *fast->mask},
	           {fast->groups, fast->room.groups, sizeof *fast->groups},
	           {fast->place, fast->room.place, sizeof *fast->place},
	           {fast->order, fast->room.order, sizeof *fast->order},
	           {fast->waiting, fast->room.waiting, sizeof *fast->waiting},
	           {fast->batches, fast->room.batches, sizeof *fast->batches},
	           {fast->chunks, fast->room.chunks, sizeof *fast->chunks},
	           {fast->colours, fast->room.colours, sizeof *fast->colours},
	           {fast->islands, fast->room.islands, sizeof *fast->islands},
	           {fast->scratch, fast->room.scratch, sizeof *fast->scratch},
	           {fast->sums, fast->room.sums, sizeof *fast->sums},
	           {fast->bounce.contacts, fast->room.impact, sizeof *fast->bounce.contacts},
	           {fast->bounce.rows, fast->room.impact_rows, sizeof *fast->bounce.rows},
	           {fast->bounce.soft.u, fast->room.soft_u, sizeof *fast->bounce.soft.u},
	           {fast->bounce.soft.contact, fast->room.soft_contact, sizeof *fast->bounce.soft.contact},
	           {fast->bounce.soft.row, fast->room.soft_row, sizeof *fast->bounce.soft.row},
	           {fast->surveys, fast->room.surveys, sizeof *fast->surveys},
	           {fast->kinds, fast->room.kinds, sizeof *fast->kinds},
	           {fast->found, fast->room.found, sizeof *fast->found},
	           {fast->shares, fast->room.shares, cn_fast_share_size()},
	           {fast->room.state_block, fast->room.state, 64},
	           {fast->room.data_block, fast->room.data, 64}};
	for (size_t i = 0; i < CN_COUNT(all); ++i)
		cn_free(&allocator, all[i].at, all[i].room, all[i].size);
	cn_free(&allocator, fast, 1, sizeof *fast);
}

typedef struct totals {
	double onward, change, largest;
} totals;

/* The one way lanes are added: chunks and lanes in index order, in double. */
static totals add_tallies(const cn_fast *fast)
{
	totals sum = {0, 0, 0};
	for (uint32_t i = 0; i < fast->chunk_count; ++i)
		for (int lane = 0; lane < CN_LANES; ++lane) {
			const cn_fast_tally *tally = &fast->tallies[i];
			double largest = (double)tally->largest[lane];
			sum.onward += (double)tally->onward[lane];
			sum.change += (double)tally->change[lane];
			sum.largest = largest > sum.largest ? largest : sum.largest;
		}
	return sum;
}

/* What the sweeps came to. */
typedef struct outcome {
	uint32_t sweeps;
	double largest; /* change of a row in the last sweep */
	bool met;       /* the tolerance */
} outcome;

/* The states from the multipliers. They are kept up step by step, and what rounding adds to them over many sweeps
 * would stay. */
static void refresh(cn_fast *fast)
{
	cn_fast_pass pass = {.warm = true};
	memset(fast->state, 0, fast->state_count * sizeof *fast->state);
	cn_fast_sweep(fast, &pass);
	memcpy(fast->last, fast->state, fast->state_count * sizeof *fast->state);
}

static double row_count(const cn_fast *fast)
{
	return (fast->coulomb ? 3.0 : 1.0) * fast->qp->contact_count + fast->qp->row_count;
}

/* Sums of (change / speed)^2 below this stop the sweeps. */
static double enough(const cn_fast *fast)
{
	double relative = fast->options->tolerance / fast->scale.speed;
	return relative * relative * row_count(fast);
}

/* True: go on. */
static bool look(const cn_fast *fast, const totals *sum, double limit, outcome *out)
{
	out->largest = sum->largest;
	out->met = sum->largest == 0 || sum->change < limit;
	return !out->met && out->sweeps < fast->options->sweeps;
}

static outcome sweep(cn_fast *fast)
{
	outcome out = {0, 0, false};
	cn_fast_pass pass = {0};
	uint32_t most = fast->options->sweeps;
	double limit = enough(fast), t = 1;
	bool far = false;
	while (out.sweeps < most) {
		pass.measure = out.sweeps + 1 == most || (limit > 0 && (!far || out.sweeps % CN_FAST_LOOK == 0));
		cn_fast_sweep(fast, &pass);
		totals sum = add_tallies(fast);
		++out.sweeps;
		if (pass.measure && !look(fast, &sum, limit, &out))
			break;
		if (pass.measure)
			far = out.sweeps >= CN_FAST_FIRST && fast->batch_count >= CN_FAST_MANY && sum.change > CN_FAST_FAR * limit;
		double next = 0.5 * (1 + sqrt(1 + 4 * t * t));
		pass.beta = (float)((t - 1) / next);
		t = next;
		bool stale = out.sweeps % CN_FAST_REFRESH == 0 || out.sweeps + CN_FAST_PLAIN == most;
		if (sum.onward < 0 || stale || out.sweeps + CN_FAST_PLAIN > most) {
			pass.beta = 0;
			t = 1;
		}
		pass.onward = !stale;
		if (stale)
			refresh(fast);
	}
	return out;
}

/* Sweeps also come to a stop short of the goal: where nothing can move a row, where a float has no digits left, where
 * rows contradict each other until y is too large for a step to count. The violation in double tells. */
static cn_qp_result judge(const cn_fast *fast, const outcome *out)
{
	const cn_qp_solution *solution = fast->solution;
	double asked = fast->options->tolerance > 0 ? fast->options->tolerance : CN_FAST_DIGITS * fast->scale.asked;
	cn_qp_result result = {.status = CN_QP_EARLY, .sweeps = out->sweeps};
	if (fast->options->unjudged)
		return result;
	result.violation = cn_qp_violation(fast->qp, solution->u);
	result.residual = out->sweeps > 0 ? out->largest * fast->scale.speed : result.violation;
	result.objective = cn_qp_objective(fast->qp, solution->u);
	if (out->met && result.violation <= CN_FAST_MET * asked * sqrt(row_count(fast)))
		result.status = CN_QP_SOLVED;
	else if (out->met && result.violation > result.residual)
		result.residual = result.violation;
	return result;
}

static bool begin(cn_fast *fast, const cn_qp *qp, const cn_fast_options *options, cn_qp_solution *solution)
{
	fast->qp = qp;
	fast->options = options;
	fast->solution = solution;
	if (!cn_fast_pack(fast) ||
	    !cn_grow(&fast->allocator, (void **)&fast->sums, &fast->room.sums, fast->place_count, sizeof *fast->sums))
		return false;
	if (options->warm)
		refresh(fast);
	return true;
}

static cn_qp_share share_of(const cn_fast *fast)
{
	return (cn_qp_share){.pool = fast->options->pool,
	                     .region = fast->options->region,
	                     .place = fast->place,
	                     .sum = fast->sums,
	                     .regions = fast->region_count};
}

cn_qp_result cn_fast_position(cn_fast *fast, const cn_qp *qp, const cn_fast_options *options, cn_qp_solution *solution)
{
	fast->coulomb = false;
	if (!begin(fast, qp, options, solution))
		return (cn_qp_result){.status = CN_QP_MEMORY};
	outcome out = sweep(fast);
	cn_qp_share share = share_of(fast);
	cn_fast_unpack(fast);
	cn_qp_apply_shared(qp, solution->contact, solution->row, solution->u, &share);
	return judge(fast, &out);
}

/* y.b of a point, b what its rows lacked at u0. */
static double point_work(const float *f, cn_fast_kind kind)
{
	switch (kind) {
	case CN_FAST_FLAT: return (double)(f[FLAT_Y * CN_LANES] * f[FLAT_B * CN_LANES]);
	case CN_FAST_NORMAL: return (double)(f[NORMAL_Y * CN_LANES] * f[NORMAL_B * CN_LANES]);
	case CN_FAST_ROW:
		return (double)(f[ROW_Y * CN_LANES] * f[(f[ROW_Y * CN_LANES] > 0 ? ROW_LOW : ROW_HIGH) * CN_LANES]);
	case CN_FAST_COULOMB: break;
	}
	return (double)(f[COULOMB_YN * CN_LANES] * f[COULOMB_BN * CN_LANES] +
	                f[COULOMB_YS * CN_LANES] * f[COULOMB_BS * CN_LANES] +
	                f[COULOMB_YT * CN_LANES] * f[COULOMB_BT * CN_LANES]);
}

/* sum y.b of every island. */
static void add_work(const cn_fast *fast, const cn_fast_batch *batch, double *work)
{
	static const uint8_t head[CN_FAST_KINDS] = {FLAT_HEAD, NORMAL_HEAD, COULOMB_HEAD, ROW_HEAD};
	static const uint8_t size[CN_FAST_KINDS] = {FLAT_POINT, NORMAL_POINT, COULOMB_POINT, ROW_POINT};
	const float *first = fast->data + batch->data + (size_t)head[batch->kind] * CN_LANES;
	for (int lane = 0; lane < batch->lanes; ++lane) {
		const cn_fast_group *g = &fast->groups[fast->order[(size_t)(batch - fast->batches) * CN_LANES + (size_t)lane]];
		uint32_t body = g->a != CN_QP_NONE && fast->island[g->a] != CN_QP_NONE ? g->a : g->b;
		const float *at = first + lane;
		bool moves = body != CN_QP_NONE && fast->island[body] != CN_QP_NONE;
		for (int i = 0; i < batch->points && moves; ++i, at += (size_t)size[batch->kind] * CN_LANES)
			work[fast->island[body]] += point_work(at, (cn_fast_kind)batch->kind);
	}
}

/* With W = J M^-1 J' and b = -J u0 the impulses y change an island's kinetic energy by 1/2 y'Wy - y.b: a solved program
 * has y.b = y'Wy or more. The sweeps' own numbers tell whether this is so with room to spare; if not, cn_qp_temper has
 * to look. */
static bool may_raise_energy(const cn_fast *fast)
{
	uint32_t count = fast->qp->body_count;
	double *work = fast->scratch, *energy = work + count;
	memset(work, 0, 2 * (size_t)count * sizeof *work);
	for (uint32_t i = 0; i < fast->batch_count; ++i)
		add_work(fast, &fast->batches[i], work);
	for (uint32_t i = 0; i < count; ++i) {
		const float *v = fast->state[fast->place[i]].f, *x = v + 3;
		float inv_mass = fast->metric[i].inv_mass;
		if (inv_mass > 0)
			energy[fast->island[i]] += 0.5 * (double)((v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / inv_mass +
			                                          x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
	}
	bool may = false;
	for (uint32_t i = 0; i < count; ++i)
		may = may || (energy[i] != 0 && !(work[i] > energy[i] * CN_FAST_WORK));
	return may;
}

/* Sweeps over the rows of qp; impulses and u go into the solution. False: memory ran out. */
static bool find(cn_fast *fast, const cn_qp *qp, const cn_fast_options *options, cn_qp_solution *solution, outcome *out)
{
	if (!begin(fast, qp, options, solution))
		return false;
	*out = sweep(fast);
	cn_qp_share share = share_of(fast);
	cn_fast_unpack(fast);
	cn_qp_apply_shared(qp, solution->contact, solution->row, solution->u, &share);
	return true;
}

/* Where an impact would bring energy its restitution is lowered: toward the answer without. False: memory ran out. */
static bool lower(cn_fast *fast, const cn_qp *qp, const cn_fast_options *options, cn_qp_solution *x)
{
	cn_fast_options warm = *options;
	outcome out;
	warm.warm = true;
	for (uint32_t i = 0; i < qp->contact_count; ++i)
		fast->bounce.soft.contact[i] = x->contact[i];
	for (uint32_t i = 0; i < qp->row_count; ++i)
		fast->bounce.soft.row[i] = x->row[i];
	cn_qp_soften(qp, fast->island, fast->scratch, &fast->bounce.soft);
	if (!find(fast, qp, &warm, &fast->bounce.soft, &out))
		return false;
	cn_qp_share share = share_of(fast);
	cn_qp_temper(qp, fast->island, NULL, &fast->bounce.soft, fast->scratch, &share);
	cn_qp_poisson(qp, fast->island, &fast->bounce.soft, x, fast->scratch, &share);
	cn_qp_temper(qp, fast->island, &fast->bounce.soft, x, fast->scratch, &share);
	return true;
}

static bool make_room(cn_fast *fast, const cn_qp *qp, bool bounce)
{
	const cairn_allocator *a = &fast->allocator;
	uint64_t scratch =
		(uint64_t)CN_QP_BODY_SCRATCH * qp->body_count + (uint64_t)CN_QP_CONTACT_SCRATCH * qp->contact_count;
	uint32_t bodies = qp->body_count, contacts = bounce ? qp->contact_count : 0, rows = bounce ? qp->row_count : 0;
	return scratch <= UINT32_MAX &&
	       cn_grow(a, (void **)&fast->islands, &fast->room.islands, bodies, sizeof *fast->islands) &&
	       cn_grow(a, (void **)&fast->scratch, &fast->room.scratch, (uint32_t)scratch, sizeof *fast->scratch) &&
	       cn_grow(a, (void **)&fast->bounce.contacts, &fast->room.impact, contacts, sizeof *fast->bounce.contacts) &&
	       cn_grow(a, (void **)&fast->bounce.rows, &fast->room.impact_rows, rows, sizeof *fast->bounce.rows) &&
	       cn_grow(a, (void **)&fast->bounce.soft.u, &fast->room.soft_u, bounce ? bodies : 0,
	               sizeof *fast->bounce.soft.u) &&
	       cn_grow(a, (void **)&fast->bounce.soft.contact, &fast->room.soft_contact, contacts,
	               sizeof *fast->bounce.soft.contact) &&
	       cn_grow(a, (void **)&fast->bounce.soft.row, &fast->room.soft_row, rows, sizeof *fast->bounce.soft.row);
}

cn_qp_result cn_fast_momentum(cn_fast *fast, const cn_qp *qp, const cn_fast_options *options, cn_qp_solution *solution)
{
	cn_qp impact = *qp;
	outcome out;
	fast->coulomb = true;
	if (!make_room(fast, qp, options->bounce))
		return (cn_qp_result){.status = CN_QP_MEMORY};
	fast->island = options->island ? options->island : fast->islands;
	if (!options->island)
		cn_qp_islands(qp, fast->islands);
	bool bounces =
		options->bounce && cn_qp_newton(qp, fast->island, fast->bounce.contacts, fast->bounce.rows, fast->scratch);
	if (bounces)
		impact.contacts = fast->bounce.contacts, impact.rows = fast->bounce.rows;
	if (!find(fast, &impact, options, solution, &out))
		return (cn_qp_result){.status = CN_QP_MEMORY};
	cn_qp_result result = judge(fast, &out);
	if (qp->body_count == 0)
		return result;
	cn_qp_share share = share_of(fast);
	bool rises = bounces ? cn_qp_gains(qp, fast->island, solution, fast->scratch, &share) : may_raise_energy(fast);
	if (rises && bounces && !lower(fast, qp, options, solution))
		return (cn_qp_result){.status = CN_QP_MEMORY};
	if (rises && !bounces)
		cn_qp_temper(qp, fast->island, NULL, solution, fast->scratch, &share);
	if (rises || bounces) {
		result.violation = options->unjudged ? 0 : cn_qp_violation(qp, solution->u);
		result.objective = options->unjudged ? 0 : cn_qp_objective(qp, solution->u);
	}
	return result;
}
