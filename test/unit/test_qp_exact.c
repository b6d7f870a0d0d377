/* Exact programs: random ones of every kind with the right status each, judged by qp_check; small ones against all
 * active sets; Coulomb; every refused allocation; the same bits everywhere. */
#include "test.h"

#include "certificate.h"
#include "ledger.h"
#include "num/qp_check.h"
#include "num/qp_exact.h"
#include "programs.h"
#include "random_programs.h"

#define SHARE(n) (TEST_FEW ? (n) / 10 : (n))

static ledger book;
static const cairn_allocator allocator = {&book, ledger_resize};

typedef struct answer {
	cn_twist u[RANDOM_BODIES];
	cn_qp_impulse contact[RANDOM_CONTACTS];
	double row[RANDOM_ROWS];
	cn_qp_solution solution;
} answer;

static cn_qp_solution *open_answer(answer *a)
{
	memset(a, 0, sizeof *a);
	a->solution = (cn_qp_solution){a->u, a->contact, a->row};
	return &a->solution;
}

/* True when the answer is exact to the accuracy asked for; prints what is not. */
static bool exact(const random_program *p, const cn_qp_solution *s, const cn_qp_result *r, const char *what,
                  uint64_t seed)
{
	cn_qp_report q = cn_qp_check(&p->qp, s, false);
	double unit = p->speed;
	bool well = r->status == CN_QP_SOLVED && q.finite && q.feasibility <= 1e-9 * unit &&
	            q.stationarity <= 1e-9 * unit && q.complementarity <= 1e-9 * unit && q.sign <= 1e-12 * unit &&
	            fabs(q.objective - q.dual) <= 1e-9 * q.objective + 1e-18 * unit * unit * p->mass &&
	            r->violation <= 1e-9 * unit;
	if (!well)
		printf("%s %" PRIu64
		       ": status %d, violation %g stationarity %g complementarity %g sign %g of %g, objective %g gap %g\n",
		       what, seed, (int)r->status, q.feasibility / unit, q.stationarity / unit, q.complementarity / unit,
		       q.sign / unit, unit, q.objective, q.objective - q.dual);
	return well;
}

static void run_feasible(const char *what, uint32_t count, uint32_t most, int powers)
{
	static random_program p;
	static answer a;
	uint32_t bad = 0;
	for (uint64_t seed = 1; seed <= count && bad < 10; ++seed) {
		draw_program(&p, seed * 2 + (uint64_t)powers, most, powers, false);
		cn_qp_solution *s = open_answer(&a);
		cn_qp_result r = cn_exact_solve(&allocator, &p.qp, NULL, s);
		bad += !exact(&p, s, &r, what, seed);
	}
	CHECK_INT(bad, 0);
	CHECK_INT(book.bytes, 0);
}

TEST(feasible_programs_are_solved)
{
	run_feasible("one size", SHARE(6000), 4, 0);
	run_feasible("one size, larger", SHARE(3000), 12, 0);
}

TEST(feasible_programs_of_all_scales_are_solved)
{
	run_feasible("scaled", SHARE(6000), 4, 6);
	run_feasible("scaled, larger", SHARE(3000), 12, 6);
}

static void run_infeasible(const char *what, uint32_t count, uint32_t most, int powers)
{
	static random_program p;
	static answer a;
	uint32_t bad = 0;
	for (uint64_t seed = 1; seed <= count && bad < 10; ++seed) {
		draw_program(&p, seed * 2 + (uint64_t)powers, most, powers, false);
		contradict(&p);
		cn_qp_solution *s = open_answer(&a);
		cn_qp_result r = cn_exact_solve(&allocator, &p.qp, NULL, s);
		double reach = 1e3 * p.speed * (p.length < 1 ? 1 / p.length : 1), proof = certificate(&p.qp, s, reach);
		bool well = r.status == CN_QP_INFEASIBLE && proof > 1;
		if (!well)
			printf("%s %" PRIu64 ": status %d, certificate %g, violation %g\n", what, seed, (int)r.status, proof,
			       r.violation / p.speed);
		bad += !well;
	}
	CHECK_INT(bad, 0);
	CHECK_INT(book.bytes, 0);
}

TEST(contradictions_are_proved)
{
	run_infeasible("contradiction", SHARE(4500), 4, 0);
	run_infeasible("contradiction, larger", SHARE(1500), 12, 0);
	run_infeasible("contradiction, scaled", SHARE(4500), 4, 6);
	run_infeasible("contradiction, scaled, larger", SHARE(1500), 12, 6);
}

/* min over all sets of rows taken as equations; rows of a small program without equations as dense vectors. */
enum { BRUTE_ROWS = 8 };

typedef struct brute {
	uint32_t rows;
	double j[BRUTE_ROWS][12], w[BRUTE_ROWS][12], b[BRUTE_ROWS]; /* j, M^-1 j, what is asked beyond u0 */
} brute;

static void brute_make(brute *t, const random_program *p)
{
	t->rows = p->qp.contact_count;
	for (uint32_t r = 0; r < t->rows; ++r) {
		const cn_qp_contact *c = &p->contacts[r];
		t->b[r] = c->least - contact_value(p, c, p->u0);
		for (uint32_t body = 0; body < 2; ++body) {
			double sign = c->b == body ? 1 : c->a == body ? -1 : 0;
			v3 n = v3_scale(c->n, sign), m = v3_cross(c->b == body ? c->rb : c->ra, n);
			const double *k = p->bodies[body].inv_inertia, inverse = p->bodies[body].inv_mass;
			double j[6] = {n.x, n.y, n.z, m.x, m.y, m.z};
			double w[6] = {inverse * n.x,
			               inverse * n.y,
			               inverse * n.z,
			               k[0] * m.x + k[1] * m.y + k[2] * m.z,
			               k[1] * m.x + k[3] * m.y + k[4] * m.z,
			               k[2] * m.x + k[4] * m.y + k[5] * m.z};
			memcpy(t->j[r] + 6 * body, j, sizeof j);
			memcpy(t->w[r] + 6 * body, w, sizeof w);
		}
	}
}

static double brute_dot(const double *a, const double *b)
{
	double sum = 0;
	for (int k = 0; k < 12; ++k)
		sum += a[k] * b[k];
	return sum;
}

/* Multipliers of the rows in set as equations, by elimination; false where they depend on each other. */
static bool brute_solve(const brute *t, uint32_t set, double *y)
{
	uint32_t row[BRUTE_ROWS], n = 0;
	double a[BRUTE_ROWS][BRUTE_ROWS + 1];
	for (uint32_t r = 0; r < t->rows; ++r)
		if (set >> r & 1)
			row[n++] = r;
	for (uint32_t i = 0; i < n; ++i) {
		for (uint32_t k = 0; k < n; ++k)
			a[i][k] = brute_dot(t->j[row[i]], t->w[row[k]]);
		a[i][n] = t->b[row[i]];
	}
	for (uint32_t c = 0; c < n; ++c) {
		if (!(a[c][c] > 1e-9 * brute_dot(t->j[row[c]], t->w[row[c]])))
			return false;
		for (uint32_t i = 0; i < n; ++i)
			for (uint32_t k = n + 1; i != c && k-- > c;)
				a[i][k] -= a[i][c] / a[c][c] * a[c][k];
	}
	memset(y, 0, BRUTE_ROWS * sizeof *y);
	for (uint32_t i = 0; i < n; ++i)
		y[row[i]] = a[i][n] / a[i][i];
	return true;
}

static bool brute_find(const brute *t, double *x)
{
	for (uint32_t set = 0; set < 1u << t->rows; ++set) {
		double y[BRUTE_ROWS];
		bool well = brute_solve(t, set, y);
		memset(x, 0, 12 * sizeof *x);
		for (uint32_t r = 0; r < t->rows && well; ++r) {
			well = y[r] >= -1e-9;
			for (int k = 0; k < 12; ++k)
				x[k] += t->w[r][k] * y[r];
		}
		for (uint32_t r = 0; r < t->rows && well; ++r)
			well = brute_dot(t->j[r], x) >= t->b[r] - 1e-9;
		if (well)
			return true;
	}
	return false;
}

TEST(small_programs_agree_with_all_active_sets)
{
	static random_program p;
	static answer a;
	uint32_t compared = 0;
	for (uint64_t seed = 1; seed <= SHARE(4000); ++seed) {
		draw_program(&p, seed * 31, 2, 0, false);
		p.qp.row_count = 0;
		if (p.qp.contact_count > BRUTE_ROWS)
			p.qp.contact_count = BRUTE_ROWS;
		brute t = {0};
		double x[12];
		brute_make(&t, &p);
		if (!brute_find(&t, x))
			continue; /* rows between bodies that cannot move, or nearly dependent ones */
		cn_qp_solution *s = open_answer(&a);
		cn_qp_result r = cn_exact_solve(&allocator, &p.qp, NULL, s);
		CHECK_INT(r.status, CN_QP_SOLVED);
		for (uint32_t body = 0; body < p.qp.body_count; ++body) {
			v3 v = v3_sub(s->u[body].v, p.u0[body].v), w = v3_sub(s->u[body].w, p.u0[body].w);
			double off = v3_distance(v, v3_make(x[6 * body], x[6 * body + 1], x[6 * body + 2])) +
			             v3_distance(w, v3_make(x[6 * body + 3], x[6 * body + 4], x[6 * body + 5]));
			CHECK_NEAR(off, 0, 1e-6);
		}
		++compared;
	}
	CHECK(compared > SHARE(3000));
}

/* Unit boxes in a tower on the ground; a pair touches at 8 points, the corners and the middles of the edges. */
static void make_tower(random_program *p, uint32_t boxes, double mu)
{
	memset(p, 0, sizeof *p);
	p->qp = (cn_qp){.body_count = boxes, .bodies = p->bodies, .u0 = p->u0, .contacts = p->contacts, .rows = p->rows};
	for (uint32_t i = 0; i < boxes; ++i) {
		p->bodies[i] = (cn_qp_body){1, {6, 0, 0, 6, 0, 6}};
		p->u0[i].v = v3_make(0, 0, -9.81 / 30);
		for (int k = 0; k < 8; ++k) {
			static const double at[8][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {0, -1}, {1, 0}, {0, 1}, {-1, 0}};
			v3 foot = v3_make(0.5 * at[k][0], 0.5 * at[k][1], -0.5), head = v3_make(foot.x, foot.y, 0.5);
			p->contacts[p->qp.contact_count++] = (cn_qp_contact){
				.a = i ? i - 1 : CN_QP_NONE, .b = i, .n = {0, 0, 1}, .ra = i ? head : v3_zero(), .rb = foot, .mu = mu};
		}
	}
}

TEST(a_tower_rests)
{
	static random_program p;
	static answer a;
	make_tower(&p, 10, 0.5);
	cn_qp_solution *s = open_answer(&a);
	cn_qp_result r = cn_exact_solve(&allocator, &p.qp, NULL, s);
	CHECK_INT(r.status, CN_QP_SOLVED);
	CHECK(r.violation <= 1e-12);
	for (int with = 0; with < 2; ++with) {
		for (uint32_t i = 0; i < 10; ++i)
			CHECK_NEAR(v3_length(s->u[i].v) + v3_length(s->u[i].w), 0, 1e-9);
		r = cn_exact_coulomb(&allocator, &p.qp, NULL, s);
		CHECK_INT(r.status, CN_QP_SOLVED);
	}
	double sum = 0;
	for (uint32_t k = 0; k < 8; ++k)
		sum += s->contact[k].n;
	CHECK_NEAR(sum, 10 * 9.81 / 30, 1e-9);
}

/* Twelve links hanging from a point by ball joints, every joint given `times` times, the last link `heavy` times as
 * heavy. */
static void make_chain(random_program *p, uint32_t times, double heavy)
{
	memset(p, 0, sizeof *p);
	p->qp = (cn_qp){.body_count = 12, .bodies = p->bodies, .u0 = p->u0, .contacts = p->contacts, .rows = p->rows};
	for (uint32_t i = 0; i < 12; ++i) {
		double inverse = i == 11 ? 1 / heavy : 1;
		p->bodies[i] = (cn_qp_body){inverse, {6 * inverse, 0, 0, 6 * inverse, 0, 6 * inverse}};
		p->u0[i].v = v3_make(0.1 * (i % 7), 0.3, -9.81 / 30);
		for (uint32_t k = 0; k < 3 * times && p->qp.row_count < RANDOM_ROWS; ++k) {
			v3 d = v3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2), near = {-0.5, 0, 0}, far = {0.5, 0, 0};
			cn_qp_row *r = &p->rows[p->qp.row_count++];
			*r = (cn_qp_row){.a = i, .b = i ? i - 1 : CN_QP_NONE, .ja = {d, v3_cross(near, d)}};
			if (i)
				r->jb = (cn_twist){v3_neg(d), v3_neg(v3_cross(far, d))};
		}
	}
}

TEST(joints_hold)
{
	static random_program p;
	static answer a;
	for (uint32_t times = 1; times <= 2; ++times)
		for (double heavy = 1e-4; heavy <= 1e4; heavy *= 100) {
			make_chain(&p, times, heavy);
			cn_qp_solution *s = open_answer(&a);
			cn_qp_result r = cn_exact_solve(&allocator, &p.qp, NULL, s);
			cn_qp_report q = cn_qp_check(&p.qp, s, false);
			CHECK_INT(r.status, CN_QP_SOLVED);
			CHECK(q.feasibility <= 1e-11 && q.stationarity <= 1e-12 &&
			      fabs(q.objective - q.dual) <= 1e-9 * q.objective);
			p.rows[5].low = p.rows[5].high = 1; /* with all joints twice, one of them now contradicts its double */
			r = cn_exact_solve(&allocator, &p.qp, NULL, s);
			CHECK_INT(r.status, times == 1 ? CN_QP_SOLVED : CN_QP_INFEASIBLE);
			CHECK(times == 1 || certificate(&p.qp, s, 1e6) > 1);
		}
}

TEST(a_sliding_block_is_not_thrown_up)
{
	static random_program p;
	static answer a;
	make_tower(&p, 1, 0.5);
	p.u0[0].v.x = 5;
	cn_qp_solution *s = open_answer(&a);
	cn_qp_result r = cn_exact_coulomb(&allocator, &p.qp, NULL, s);
	cn_qp_report q = cn_qp_check(&p.qp, s, true);
	CHECK_INT(r.status, CN_QP_SOLVED);
	CHECK_NEAR(s->u[0].v.z, 0, 1e-10);
	CHECK_NEAR(s->u[0].v.x, 5 - 0.5 * 9.81 / 30, 1e-9);
	CHECK_NEAR(v3_length(s->u[0].w), 0, 1e-9);
	CHECK(q.slip <= 1e-9 && q.feasibility <= 1e-9 && q.cone <= 1e-12);
}

static void run_coulomb(uint32_t count, uint32_t most, int powers)
{
	static random_program p;
	static answer a;
	uint32_t cycled = 0, bad = 0;
	for (uint64_t seed = 1; seed <= count && bad < 10; ++seed) {
		draw_program(&p, seed * 7919, most, powers, true);
		cn_qp_solution *s = open_answer(&a);
		cn_qp_result r = cn_exact_coulomb(&allocator, &p.qp, NULL, s);
		cn_qp_report q = cn_qp_check(&p.qp, s, true);
		/* the residual is what it is said to be, and small where the problem is said to be solved */
		double worst = q.feasibility > q.slip ? q.feasibility : q.slip;
		worst = q.complementarity > worst ? q.complementarity : worst;
		bool honest = q.finite && worst <= 4 * r.residual + 1e-10 * p.speed && q.cone <= 1e-9 * p.speed &&
		              q.stationarity <= 1e-9 * p.speed && q.sign <= 1e-12 * p.speed;
		bool solved = r.status == CN_QP_SOLVED && r.residual <= 1e-8 * p.speed;
		cycled += r.status == CN_QP_CYCLED;
		bool falls = q.energy_after <= q.energy_before * (1 + 1e-12) || r.status == CN_QP_CYCLED;
		if (!honest || !falls || (!solved && r.status != CN_QP_CYCLED)) {
			printf("coulomb %" PRIu64 ": status %d residual %g, found %g, cone %g stationarity %g, energy %g to %g\n",
			       seed, (int)r.status, r.residual / p.speed, worst / p.speed, q.cone / p.speed,
			       q.stationarity / p.speed, q.energy_before, q.energy_after);
			++bad;
		}
	}
	CHECK_INT(bad, 0);
	CHECK(cycled <= count / 200);
	CHECK_INT(book.bytes, 0);
}

TEST(coulomb_holds_on_random_contacts)
{
	run_coulomb(SHARE(2000), 4, 0);
	run_coulomb(SHARE(1000), 12, 6);
}

TEST(odd_programs)
{
	static random_program p;
	static answer a;
	cn_qp_solution *s = open_answer(&a);
	memset(&p, 0, sizeof p);
	p.qp = (cn_qp){.bodies = p.bodies, .u0 = p.u0, .contacts = p.contacts, .rows = p.rows};
	CHECK_INT(cn_exact_solve(&allocator, &p.qp, NULL, s).status, CN_QP_SOLVED); /* nothing at all */
	CHECK_INT(cn_exact_coulomb(&allocator, &p.qp, NULL, s).status, CN_QP_SOLVED);

	/* a body that cannot turn: a row on its turn alone asks for what nothing can give */
	p.qp.body_count = p.qp.row_count = 1;
	p.bodies[0] = (cn_qp_body){1, {0, 0, 0, 0, 0, 0}};
	p.rows[0] = (cn_qp_row){.a = 0, .b = CN_QP_NONE, .ja = {{0, 0, 0}, {1, 0, 0}}, .low = 1, .high = INFINITY};
	CHECK_INT(cn_exact_solve(&allocator, &p.qp, NULL, s).status, CN_QP_INFEASIBLE);
	CHECK_NEAR(s->row[0], 1, 0);
	p.rows[0].low = -INFINITY; /* and asks for nothing */
	CHECK_INT(cn_exact_solve(&allocator, &p.qp, NULL, s).status, CN_QP_SOLVED);
	p.rows[0].ja.v.x = 2; /* a bound: 2 u = 3 */
	p.rows[0].low = p.rows[0].high = 3;
	CHECK_INT(cn_exact_solve(&allocator, &p.qp, NULL, s).status, CN_QP_SOLVED);
	CHECK_NEAR(s->u[0].v.x, 1.5, 1e-14);

	/* two immovables that are pushed into each other, and one body of its own */
	p.qp.body_count = 3, p.qp.contact_count = 1, p.qp.row_count = 0;
	p.bodies[1] = p.bodies[2] = (cn_qp_body){0, {0, 0, 0, 0, 0, 0}};
	p.contacts[0] = (cn_qp_contact){.a = 1, .b = 2, .n = {1, 0, 0}};
	p.u0[2].v.x = -1;
	CHECK_INT(cn_exact_solve(&allocator, &p.qp, NULL, s).status, CN_QP_INFEASIBLE);
	CHECK(certificate(&p.qp, s, 1e6) > 1);
	CHECK_INT(cn_exact_coulomb(&allocator, &p.qp, NULL, s).status, CN_QP_INFEASIBLE);
	p.u0[2].v.x = 1;
	CHECK_INT(cn_exact_solve(&allocator, &p.qp, NULL, s).status, CN_QP_SOLVED);
}

TEST(few_iterations_end_early_and_say_so)
{
	static random_program p;
	static answer a;
	uint32_t early = 0;
	for (uint64_t seed = 1; seed <= 200; ++seed) {
		draw_program(&p, seed, 12, 0, false);
		cn_qp_solution *s = open_answer(&a);
		cn_qp_result r = cn_exact_solve(&allocator, &p.qp, &(cn_exact_options){0, 1}, s);
		cn_qp_report q = cn_qp_check(&p.qp, s, false);
		CHECK(q.finite && q.sign <= 1e-12 && (r.status == CN_QP_EARLY || q.feasibility <= 1e-8));
		CHECK_NEAR(r.violation, q.feasibility, 1e-9 * (1 + q.feasibility));
		early += r.status == CN_QP_EARLY;
	}
	CHECK(early > 0);
}

/* Two joint rows that differ by little determine both directions, the same once more and twice adds nothing, and a
 * contact is pushed against them: the multipliers are 1/little, the answer is as good as ever. */
TEST(nearly_dependent_rows_are_solved)
{
	static random_program p;
	static answer a;
	for (double little = 1e-2; little > 0.9e-6; little *= 0.1) {
		cn_qp_solution *s = open_answer(&a);
		memset(&p, 0, sizeof p);
		p.qp = (cn_qp){1, 1, 3, p.bodies, p.u0, p.contacts, p.rows};
		p.bodies[0] = (cn_qp_body){1, {1, 0, 0, 1, 0, 1}};
		p.rows[0] = (cn_qp_row){.a = 0, .b = CN_QP_NONE, .ja = {{1, 0, 0}, {0, 0, 0}}, .low = 1, .high = 1};
		p.rows[1] = p.rows[0], p.rows[1].ja.v.y = little, p.rows[1].low = p.rows[1].high = 1 + little;
		p.rows[2] = p.rows[1], p.rows[2].ja.v.x = 2, p.rows[2].ja.v.y = 2 * little;
		p.rows[2].low = p.rows[2].high = 2 + 2 * little;
		p.contacts[0] = (cn_qp_contact){.a = CN_QP_NONE, .b = 0, .n = {0, 0, 1}, .least = 1};
		cn_qp_result r = cn_exact_solve(&allocator, &p.qp, NULL, s);
		cn_qp_report q = cn_qp_check(&p.qp, s, false);
		CHECK_INT(r.status, CN_QP_SOLVED);
		CHECK(q.feasibility <= 1e-10 && q.stationarity <= 1e-9 && q.complementarity <= 1e-9);
		CHECK_NEAR(s->u[0].v.x, 1, 1e-9);
		CHECK_NEAR(s->u[0].v.y, 1, 1e-9 / little); /* what the rows themselves know of it */
		CHECK_NEAR(s->u[0].v.z, 1, 1e-9);
	}
}

/* More accuracy than rounding allows may end early; what can be satisfied is never called a contradiction. Rest satisfies
 * all rows here. */
TEST(no_contradiction_is_claimed_for_rounding)
{
	static program p;
	static const program_wish wishes[2] = {
		{.most_bodies = 12, .scales = 0, .ratios = 4, .joints = true, .redundant = true},
		{.most_bodies = 8, .scales = 3, .ratios = 4, .redundant = true},
	};
	uint32_t early = 0;
	for (uint32_t k = 0; k < SHARE(1000); ++k) {
		program_draw(&p, UINT64_C(1000003) * (k + 1), &wishes[k % 2]);
		cn_exact_options options = {.tolerance = k % 3 ? 1e-13 : 1e-15};
		cn_qp_result r = cn_exact_solve(&allocator, &p.qp, &options, &p.x);
		CHECK(r.status == CN_QP_SOLVED || r.status == CN_QP_EARLY);
		early += r.status == CN_QP_EARLY;
		if (k % 10)
			continue;
		r = cn_exact_coulomb(&allocator, &p.qp, &options, &p.x);
		CHECK(r.status != CN_QP_INFEASIBLE && r.status != CN_QP_MEMORY);
	}
	CHECK(early > 0);
}

/* Numbers whose squares leave the range of double: no answer is claimed that is not finite. */
TEST(overflow_is_not_an_answer)
{
	static random_program p;
	static answer a;
	for (double size = 1e100; size < 1e308; size *= 1e12)
		for (uint64_t seed = 1; seed <= 40; ++seed) {
			draw_program(&p, seed, 6, 0, false);
			if (seed % 2)
				contradict(&p);
			for (uint32_t i = 0; i < p.qp.contact_count; ++i) {
				p.contacts[i].least *= size;
				p.contacts[i].ra = v3_scale(p.contacts[i].ra, seed % 3 ? 1 : size);
			}
			for (uint32_t i = 0; i < p.qp.row_count; ++i)
				p.rows[i].ja = (cn_twist){v3_scale(p.rows[i].ja.v, size), v3_scale(p.rows[i].ja.w, size)};
			cn_qp_solution *s = open_answer(&a);
			cn_qp_result r =
				seed % 5 ? cn_exact_solve(&allocator, &p.qp, NULL, s) : cn_exact_coulomb(&allocator, &p.qp, NULL, s);
			bool finite = true;
			for (uint32_t i = 0; i < p.qp.body_count; ++i)
				finite = finite && v3_finite(s->u[i].v) && v3_finite(s->u[i].w);
			CHECK(finite);
			CHECK(r.status != CN_QP_SOLVED || (isfinite(r.residual) && isfinite(r.violation)));
			CHECK_INT(book.bytes, 0);
		}
}

TEST(refused_memory_is_survived)
{
	static random_program p;
	static answer a;
	draw_program(&p, 77, 8, 0, true);
	for (int which = 0; which < 2; ++which) {
		cn_qp_result r = {.status = CN_QP_MEMORY};
		uint32_t tries = 0;
		for (; r.status == CN_QP_MEMORY && tries < 1000; ++tries) {
			cn_qp_solution *s = open_answer(&a);
			ledger_allow(&book, tries);
			r = which ? cn_exact_coulomb(&allocator, &p.qp, NULL, s) : cn_exact_solve(&allocator, &p.qp, NULL, s);
			CHECK_INT(book.bytes, 0);
			for (uint32_t i = 0; i < p.qp.body_count; ++i)
				CHECK(v3_finite(s->u[i].v) && v3_finite(s->u[i].w));
		}
		book.fail_at = 0;
		CHECK_INT(r.status, CN_QP_SOLVED);
		CHECK(tries > 10);
	}
}

static uint64_t hash_answer(uint64_t hash, const random_program *p, const cn_qp_solution *s, const cn_qp_result *r)
{
	hash = cn_hash_u64(hash, (uint64_t)r->status << 32 | r->factored);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		double x[6] = {s->u[i].v.x, s->u[i].v.y, s->u[i].v.z, s->u[i].w.x, s->u[i].w.y, s->u[i].w.z};
		for (int k = 0; k < 6; ++k)
			hash = cn_hash_double(hash, x[k]);
	}
	for (uint32_t i = 0; i < p->qp.contact_count; ++i)
		hash = cn_hash_double(cn_hash_double(cn_hash_double(hash, s->contact[i].n), s->contact[i].s), s->contact[i].t);
	for (uint32_t i = 0; i < p->qp.row_count; ++i)
		hash = cn_hash_double(hash, s->row[i]);
	return hash;
}

TEST(same_bits_everywhere)
{
	static random_program p;
	static answer a;
	uint64_t hash = CN_HASH_START;
	for (uint64_t seed = 1; seed <= 60; ++seed) {
		draw_program(&p, seed * 101, 12, 2, seed % 3 == 0);
		if (seed % 3 == 1)
			contradict(&p);
		cn_qp_solution *s = open_answer(&a);
		cn_qp_result r =
			seed % 3 == 0 ? cn_exact_coulomb(&allocator, &p.qp, NULL, s) : cn_exact_solve(&allocator, &p.qp, NULL, s);
		hash = hash_answer(hash, &p, s, &r);
	}
	if (hash != 0xdcc10397bda7a79full)
		printf("hash of exact answers %016" PRIx64 "\n", hash);
	CHECK(hash == 0xdcc10397bda7a79full);
}

TEST_MAIN(TEST_CASE(feasible_programs_are_solved), TEST_CASE(feasible_programs_of_all_scales_are_solved),
          TEST_CASE(contradictions_are_proved), TEST_CASE(small_programs_agree_with_all_active_sets),
          TEST_CASE(a_tower_rests), TEST_CASE(joints_hold), TEST_CASE(a_sliding_block_is_not_thrown_up),
          TEST_CASE(coulomb_holds_on_random_contacts), TEST_CASE(odd_programs),
          TEST_CASE(few_iterations_end_early_and_say_so), TEST_CASE(nearly_dependent_rows_are_solved),
          TEST_CASE(no_contradiction_is_claimed_for_rounding), TEST_CASE(overflow_is_not_an_answer),
          TEST_CASE(refused_memory_is_survived), TEST_CASE(same_bits_everywhere))
