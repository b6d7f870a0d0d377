/* Ten thousand random programs of every class through every solver, judged by qp_check: the exact methods are right
 * every time, the fast ones honest, none adds energy, none hangs, none returns what is not a number. */
#include "solve_small.h"
#include "test.h"

#include "certificate.h"
#include "ledger.h"
#include "num/qp_check.h"
#include "num/qp_exact.h"
#include "num/qp_fast.h"
#include "programs.h"

enum { PROGRAMS = TEST_FEW ? 500 : 10000 };
enum { CLASSES = 12, MOST_PRINTED = 12 };

static ledger book;
static const cairn_allocator allocator = {&book, ledger_resize};

/* The classes in turn: position programs first, then momentum programs. */
static const program_wish wishes[CLASSES] = {
	{.most_bodies = 4, .scales = 6, .ratios = 0, .position = true},
	{.most_bodies = 12, .scales = 0, .ratios = 4, .position = true, .joints = true},
	{.most_bodies = 30, .scales = 0, .ratios = 1, .position = true, .redundant = true},
	{.most_bodies = 8,
     .scales = 6,
     .ratios = 4,
     .position = true,
     .joints = true,
     .degenerate = true,
     .redundant = true},
	{.most_bodies = 12, .scales = 0, .ratios = 4, .position = true, .joints = true, .degenerate = true},
	{.most_bodies = 6, .scales = 6, .ratios = 2, .position = true, .joints = true, .redundant = true},
	{.most_bodies = 4, .scales = 0, .ratios = 0},
	{.most_bodies = 8, .scales = 6, .ratios = 2, .joints = true},
	{.most_bodies = 12, .scales = 0, .ratios = 4, .joints = true, .redundant = true},
	{.most_bodies = 30, .scales = 0, .ratios = 1},
	{.most_bodies = 8, .scales = 3, .ratios = 4, .redundant = true},
	{.most_bodies = 10, .scales = 2, .ratios = 2, .driven = true, .joints = true},
};

static void draw(program *p, uint32_t k) { program_draw(p, UINT64_C(1000003) * (k + 1), &wishes[k % CLASSES]); }

static void forget(program *p)
{
	memset(p->u, 0, sizeof p->u);
	memset(p->contact, 0, sizeof p->contact);
	memset(p->row, 0, sizeof p->row);
}

static void complain(const char *what, uint32_t k, const program *p, const cn_qp_result *r, const cn_qp_report *q)
{
	double unit = p->speed;
	printf("%s %u (class %u, kind %d, %u bodies %u contacts %u rows): status %d violation %g (%g) stationarity %g "
	       "complementarity %g sign %g cone %g slip %g gap %g energy %.17g -> %.17g sweeps %u\n",
	       what, k, k % CLASSES, (int)p->kind, p->qp.body_count, p->qp.contact_count, p->qp.row_count, (int)r->status,
	       q->feasibility / unit, r->violation / unit, q->stationarity / unit, q->complementarity / unit,
	       q->sign / unit, q->cone / unit, q->slip / unit, (q->objective - q->dual) / (q->objective + 1e-300),
	       q->energy_before, q->energy_after, r->sweeps);
}

/* What a multiplier of size y gives its body, as a speed at the body's surface. */
static double given(const program *p, uint32_t body, double y)
{
	if (body == CN_QP_NONE)
		return 0;
	const cn_qp_body *b = &p->bodies[body];
	return fabs(y) *
	       (b->inv_mass + p->length * p->length * (b->inv_inertia[0] + b->inv_inertia[3] + b->inv_inertia[5]));
}

/* The largest of the terms that u and the rows are summed up from: rounding is measured in it. Where rows contradict
 * each other the multipliers grow, and push against each other. */
static double largest_term(const program *p)
{
	double size = p->speed;
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double v = v3_length(p->u[i].v) + p->length * v3_length(p->u[i].w);
		size = v > size ? v : size;
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		const cn_qp_contact *c = &p->contacts[i];
		double y = p->contact[i].n + fabs(p->contact[i].s) + fabs(p->contact[i].t);
		double a = given(p, c->a, y), b = given(p, c->b, y), v = a > b ? a : b;
		size = v > size ? v : size;
	}
	for (uint32_t i = 0; i < p->qp.row_count; ++i) {
		double a = given(p, p->rows[i].a, p->row[i]), b = given(p, p->rows[i].b, p->row[i]), v = a > b ? a : b;
		size = v > size ? v : size;
	}
	return size;
}

/* Residuals of an exact answer, in the program's own speed. Objective and dual differ by what the multipliers do with
 * the rows' residuals, and by rounding. Where rows nearly depend on each other the multipliers are large, and M^-1 J'y
 * is known to their rounding only. */
static bool convex_is_exact(const program *p, const cn_qp_result *r, const cn_qp_report *q)
{
	double unit = 1e-9 * p->speed, pushed = 0, rounding = 8 * DBL_EPSILON * largest_term(p);
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		pushed += fabs(p->contact[i].n);
	for (uint32_t i = 0; i < p->qp.row_count; ++i)
		pushed += fabs(p->row[i]);
	return r->status == CN_QP_SOLVED && q->finite && q->feasibility <= unit && r->violation <= unit &&
	       q->stationarity <= unit + rounding && q->complementarity <= unit && q->sign <= 1e-3 * unit &&
	       fabs(q->objective - q->dual) <= 1e-9 * q->objective + unit * pushed;
}

/* How far a point that satisfies all rows could be, generously. */
static double reach(const program *p) { return 1e3 * p->speed * (p->length < 1 ? 1 / p->length : 1); }

TEST(exact_programs)
{
	static program p;
	uint32_t bad = 0, solved = 0, refuted = 0, driven_refuted = 0;
	for (uint32_t k = 0; k < PROGRAMS; ++k) {
		draw(&p, k);
		bool contradicted = k / CLASSES % 3 == 2 && program_contradict(&p);
		forget(&p);
		cn_qp_result r = cn_exact_solve(&allocator, &p.qp, NULL, &p.x);
		cn_qp_report q = cn_qp_check(&p.qp, &p.x, false);
		bool proved = r.status == CN_QP_INFEASIBLE && certificate(&p.qp, &p.x, reach(&p)) > 1;
		bool exact = convex_is_exact(&p, &r, &q), well = contradicted    ? proved
		                                                 : p.wish.driven ? exact || proved
		                                                                 : exact;
		solved += exact;
		refuted += proved && contradicted;
		driven_refuted += proved && !contradicted;
		if (!well && ++bad <= MOST_PRINTED)
			complain(contradicted ? "exact, contradiction" : "exact", k, &p, &r, &q);
	}
	printf("exact: %u programs, %u solved, %u contradictions proved, %u more among driven ones, %u wrong\n",
	       (unsigned)PROGRAMS, solved, refuted, driven_refuted, bad);
	CHECK_INT(bad, 0);
	CHECK(solved > PROGRAMS / 2 && refuted > PROGRAMS / 5);
	CHECK_INT(book.bytes, 0);
}

/* Coulomb: all conditions; or it says that it did not get there. */
TEST(exact_coulomb)
{
	static program p;
	uint32_t bad = 0, tried = 0, count[5] = {0};
	for (uint32_t k = 0; k < PROGRAMS; ++k) {
		if (k % CLASSES < 6 || k / CLASSES % 5 != 0)
			continue;
		draw(&p, k);
		forget(&p);
		cn_qp_result r = cn_exact_coulomb(&allocator, &p.qp, NULL, &p.x);
		cn_qp_report q = cn_qp_check(&p.qp, &p.x, true);
		double unit = 1e-8 * p.speed;
		bool exact = q.feasibility <= unit && q.stationarity <= unit && q.complementarity <= unit && q.sign <= unit &&
		             q.cone <= unit && q.slip <= unit;
		bool well =
			q.finite && (r.status == CN_QP_SOLVED                        ? exact
		                 : r.status == CN_QP_INFEASIBLE && p.wish.driven ? certificate(&p.qp, &p.x, reach(&p)) > 1
		                                                                 : r.status == CN_QP_CYCLED);
		++tried;
		++count[r.status];
		if (!well && ++bad <= MOST_PRINTED)
			complain("coulomb", k, &p, &r, &q);
	}
	printf("coulomb: %u programs, %u solved, %u early, %u infeasible, %u cycled, %u wrong\n", tried,
	       count[CN_QP_SOLVED], count[CN_QP_EARLY], count[CN_QP_INFEASIBLE], count[CN_QP_CYCLED], bad);
	CHECK_INT(bad, 0);
	CHECK(count[CN_QP_SOLVED] > tried / 2);
	CHECK_INT(book.bytes, 0);
}

/* What every solver promises, whatever it was stopped at. */
static bool honest(const program *p, const cn_qp_result *r, const cn_qp_report *q, bool momentum)
{
	double rounding = 1e-12 * largest_term(p);
	return q->finite && isfinite(r->residual) && isfinite(r->objective) &&
	       fabs(r->violation - q->feasibility) <= rounding && q->stationarity <= rounding && q->sign <= 0 &&
	       q->cone <= (momentum ? rounding : 0) && fabs(r->objective - q->objective) <= 1e-9 * q->objective &&
	       r->status != CN_QP_INFEASIBLE && r->status != CN_QP_MEMORY;
}

/* Solved to 1e-5 of the speeds (rms over the rows, so one may lack more) is not said of what has no solution. */
static bool claims_little(const program *p, const cn_qp_result *r, bool contradicted)
{
	return r->status != CN_QP_SOLVED || (!contradicted && r->violation <= 2e-3 * p->speed);
}

/* Nothing drives it: its kinetic energy may not rise. */
static bool calm(const program *p, const cn_qp_report *q)
{
	return p->wish.driven || q->energy_after <= q->energy_before * (1 + 1e-12);
}

TEST(fast_position)
{
	static program p;
	uint32_t bad = 0, solved = 0;
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast != NULL);
	for (uint32_t k = 0; k < PROGRAMS; ++k) {
		draw(&p, k);
		bool contradicted = k / CLASSES % 3 == 2 && program_contradict(&p);
		forget(&p);
		cn_fast_options options = {.sweeps = 1 + k % 40, .tolerance = k % 2 ? 0 : 1e-5 * p.speed};
		cn_qp_result r = cn_fast_position(fast, &p.qp, &options, &p.x);
		cn_qp_report q = cn_qp_check(&p.qp, &p.x, false);
		bool well = honest(&p, &r, &q, false) && claims_little(&p, &r, contradicted);
		solved += r.status == CN_QP_SOLVED;
		options.warm = true; /* and on from there */
		cn_qp_result next = cn_fast_position(fast, &p.qp, &options, &p.x);
		cn_qp_report next_q = cn_qp_check(&p.qp, &p.x, false);
		if (well && !(honest(&p, &next, &next_q, false) && claims_little(&p, &next, contradicted)))
			well = false, r = next, q = next_q;
		if (!well && ++bad <= MOST_PRINTED)
			complain("fast position", k, &p, &r, &q);
	}
	printf("fast position: %u programs, %u solved to the tolerance asked for, %u wrong\n", (unsigned)PROGRAMS, solved,
	       bad);
	CHECK_INT(bad, 0);
	cn_fast_destroy(fast);
	CHECK_INT(book.bytes, 0);
}

TEST(fast_momentum)
{
	static program p;
	uint32_t bad = 0, tried = 0;
	double most = 0;
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast != NULL);
	for (uint32_t k = 0; k < PROGRAMS; ++k) {
		if (k % CLASSES < 6)
			continue;
		draw(&p, k);
		forget(&p);
		cn_fast_options options = {.sweeps = 1 + k % 40, .bounce = k % 4 != 3};
		cn_qp_result r = cn_fast_momentum(fast, &p.qp, &options, &p.x);
		cn_qp_report q = cn_qp_check(&p.qp, &p.x, true);
		++tried;
		if (!p.wish.driven && q.energy_before > 0 && q.energy_after / q.energy_before - 1 > most)
			most = q.energy_after / q.energy_before - 1;
		if ((!honest(&p, &r, &q, true) || !calm(&p, &q)) && ++bad <= MOST_PRINTED)
			complain("fast momentum", k, &p, &r, &q);
	}
	printf("fast momentum: %u programs, %u wrong, largest relative rise of energy %g\n", tried, bad, most);
	CHECK_INT(bad, 0);
	cn_fast_destroy(fast);
	CHECK_INT(book.bytes, 0);
}

TEST(small_momentum)
{
	static program p;
	uint32_t bad = 0, tried = 0, solved = 0, factored = 0;
	double most = 0;
	for (uint32_t k = 0; k < PROGRAMS; ++k) {
		if (k % CLASSES < 6 || k / CLASSES % 3 == 1)
			continue;
		draw(&p, k);
		forget(&p);
		cn_small_options options = {.bounce = k % 4 != 3};
		cn_qp_result r = solve_small(&allocator, &p.qp, &options, &p.x);
		cn_qp_report q = cn_qp_check(&p.qp, &p.x, true);
		double unit = 1e-9 * p.speed;
		bool well = honest(&p, &r, &q, true) && calm(&p, &q);
		if (r.status == CN_QP_SOLVED && !options.bounce) /* then all of Coulomb's law holds */
			well = well && q.feasibility <= unit && q.complementarity <= unit && q.slip <= unit;
		++tried;
		solved += r.status == CN_QP_SOLVED;
		factored += r.factored > 0;
		if (!p.wish.driven && q.energy_before > 0 && q.energy_after / q.energy_before - 1 > most)
			most = q.energy_after / q.energy_before - 1;
		if (!well && ++bad <= MOST_PRINTED)
			complain("small momentum", k, &p, &r, &q);
	}
	printf("small momentum: %u programs, %u solved to 1e-12, %u asked the exact method, %u wrong, largest relative "
	       "rise of "
	       "energy %g\n",
	       tried, solved, factored, bad, most);
	CHECK_INT(bad, 0);
	CHECK_INT(book.bytes, 0);
}

TEST_MAIN(TEST_CASE(exact_programs), TEST_CASE(exact_coulomb), TEST_CASE(fast_position), TEST_CASE(fast_momentum),
          TEST_CASE(small_momentum))
