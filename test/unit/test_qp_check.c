/* The judge: right answers pass, and each kind of wrong answer shows in its own field. */
#include "test.h"

#include "certificate.h"
#include "num/qp_check.h"
#include "num/qp_exact.h"
#include "programs.h"

enum { MANY = TEST_FEW ? 100 : 1000 };

/* A unit cube on the ground with four corners, pushed along x: u0 = (vx, 0, -1), mu as given. The exact answer by hand:
 * each corner takes a quarter of the weight's impulse 1; friction takes mu of it, or stops the cube. With friction the
 * corners carry unequal loads so that no turn results, balanced by hand below. */
typedef struct block {
	cn_qp qp;
	cn_qp_body body;
	cn_twist u0, u;
	cn_qp_contact contacts[4];
	cn_qp_impulse contact[4];
	cn_qp_row rows[1];
	double row[1];
	cn_qp_solution x;
} block;

static void make_block(block *b, double vx, double mu)
{
	memset(b, 0, sizeof *b);
	b->body = (cn_qp_body){1, {6, 0, 0, 6, 0, 6}};
	b->u0 = (cn_twist){{vx, 0, -1}, {0, 0, 0}};
	for (int k = 0; k < 4; ++k)
		b->contacts[k] = (cn_qp_contact){
			.a = CN_QP_NONE, .b = 0, .n = {0, 0, 1}, .rb = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5}, .mu = mu};
	b->qp = (cn_qp){.body_count = 1,
	                .contact_count = 4,
	                .bodies = &b->body,
	                .u0 = &b->u0,
	                .contacts = b->contacts,
	                .rows = b->rows};
	b->x = (cn_qp_solution){&b->u, b->contact, b->row};
}

/* Sliding along +x with mu: friction f = -mu along x at the height -1/2 turns the cube about y by f/2; the normal
 * impulses balance that with (front - back)/2, front + back = 1: front = (1 + mu)/2 for mu <= 1. */
static void solve_slide(block *b, double mu)
{
	v3 s, t;
	cn_qp_tangents(v3_make(0, 0, 1), &s, &t);
	for (int k = 0; k < 4; ++k) {
		double n = k & 1 ? (1 + mu) / 4 : (1 - mu) / 4;
		b->contact[k] = (cn_qp_impulse){n, -mu * n * s.x, -mu * n * t.x};
	}
	b->u = (cn_twist){{b->u0.v.x - mu, 0, 0}, {0, 0, 0}};
}

static double worst(const cn_qp_report *r)
{
	const double all[] = {r->feasibility, r->stationarity, r->complementarity, r->sign, r->cone, r->slip};
	double most = 0;
	for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
		most = all[i] > most ? all[i] : most;
	return most;
}

TEST(a_sliding_block_passes)
{
	block b;
	make_block(&b, 5, 0.5);
	solve_slide(&b, 0.5);
	cn_qp_report r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(r.finite && worst(&r) <= 1e-15);
	CHECK_NEAR(r.energy_before, 13, 1e-14);
	CHECK_NEAR(r.energy_after, 0.5 * 4.5 * 4.5, 1e-14);
	CHECK_NEAR(r.objective, 0.5 * (0.25 + 1), 1e-15);
	/* As a program without friction the tangent impulses have no business. */
	r = cn_qp_check(&b.qp, &b.x, false);
	CHECK(r.cone > 0.1);
	/* The text's answer: thrown up so that v_n = mu v_t. Feasible, but it pushes where it does not touch. */
	b.u.v = v3_make(4.4, 0, 2.2);
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(r.stationarity > 1 && r.complementarity > 0.1);
}

TEST(each_fault_shows)
{
	block b;
	cn_qp_report r;
#define FRESH()                                                                                                        \
	do {                                                                                                               \
		make_block(&b, 5, 0.5);                                                                                        \
		solve_slide(&b, 0.5);                                                                                          \
	} while (0)
	FRESH(); /* a velocity */
	b.u.v.y += 1e-6;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK_NEAR(r.stationarity, 1e-6, 1e-12);
	FRESH(); /* a turn, measured at the body's lever sqrt(I/m) = 0.408 */
	b.u.w.z += 1e-6;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK_NEAR(r.stationarity, 1e-6 / sqrt(6), 1e-12);
	FRESH(); /* a multiplier */
	b.contact[1].n += 1e-6;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(r.stationarity > 1e-7 && r.stationarity < 1e-5);
	FRESH(); /* into the ground, u and y agreeing: two impulses less */
	b.u0.v.z -= 1e-6, b.u.v.z -= 1e-6;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK_NEAR(r.feasibility, 1e-6, 1e-12);
	CHECK(r.stationarity <= 1e-15);
	FRESH(); /* off the ground, but it pushes */
	b.u0.v.z += 1e-6, b.u.v.z += 1e-6;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK_NEAR(r.complementarity, 1e-6, 1e-12);
	CHECK(r.feasibility <= 1e-15);
	FRESH(); /* a pull: four corners carry the same sum with one of them below 0 */
	b.contact[0].n -= 0.2, b.contact[3].n -= 0.2, b.contact[1].n += 0.2, b.contact[2].n += 0.2;
	r = cn_qp_check(&b.qp, &b.x, false);
	CHECK_NEAR(r.sign, 4 * (0.2 - 0.125), 1e-12); /* the response of a corner's row is 1 + 6/4 + 6/4 = 4 */
	FRESH();                                      /* outside the cone */
	for (int k = 0; k < 4; ++k)
		b.contact[k].s *= 1.001, b.contact[k].t *= 1.001;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(r.cone > 1e-4 && r.cone < 1e-2 && r.slip > 1e-4);
	FRESH(); /* inside it though it slides */
	for (int k = 0; k < 4; ++k)
		b.contact[k].s *= 0.999, b.contact[k].t *= 0.999;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(r.cone == 0 && r.slip > 1e-4);
	FRESH(); /* at its edge, but not against the sliding */
	for (int k = 0; k < 4; ++k) {
		double c = cos(0.01), s = sin(0.01), y = b.contact[k].s;
		b.contact[k].s = c * y - s * b.contact[k].t;
		b.contact[k].t = s * y + c * b.contact[k].t;
	}
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(r.cone <= 1e-15 && r.slip > 1e-3);
	FRESH(); /* with it */
	for (int k = 0; k < 4; ++k)
		b.contact[k].s = -b.contact[k].s, b.contact[k].t = -b.contact[k].t;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(r.slip > 0.1);
	FRESH(); /* not a number */
	b.contact[2].n = NAN;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(!r.finite);
	FRESH();
	b.u.w.x = INFINITY;
	r = cn_qp_check(&b.qp, &b.x, true);
	CHECK(!r.finite);
#undef FRESH
}

TEST(rows_are_judged)
{
	block b;
	make_block(&b, 5, 0);
	b.qp.contact_count = 0, b.qp.row_count = 1;
	b.rows[0] = (cn_qp_row){.a = 0, .b = CN_QP_NONE, .ja = {{2, 0, 0}, {0, 0, 0}}, .low = -INFINITY, .high = 6};
	b.row[0] = -1; /* 2 u = 10 - 4: just down to 6 */
	b.u = (cn_twist){{3, 0, -1}, {0, 0, 0}};
	cn_qp_report r = cn_qp_check(&b.qp, &b.x, false);
	CHECK(worst(&r) <= 1e-15);
	CHECK_NEAR(r.objective, 2, 1e-15);
	CHECK_NEAR(r.dual, 2, 1e-15);
	b.rows[0].high = 5; /* violated by 1 */
	r = cn_qp_check(&b.qp, &b.x, false);
	CHECK_NEAR(r.feasibility, 1, 1e-15);
	b.rows[0].high = 7; /* not at its bound */
	r = cn_qp_check(&b.qp, &b.x, false);
	CHECK_NEAR(r.complementarity, 1, 1e-15);
	b.rows[0] = (cn_qp_row){.a = 0, .b = CN_QP_NONE, .ja = {{2, 0, 0}, {0, 0, 0}}, .low = 6, .high = INFINITY};
	r = cn_qp_check(&b.qp, &b.x, false); /* pulls down from a bound that is not there */
	CHECK(r.sign >= 1);
	b.rows[0].high = 6; /* as an equality it may pull */
	r = cn_qp_check(&b.qp, &b.x, false);
	CHECK(worst(&r) <= 1e-15);
}

/* On exact answers of random programs: every multiplier and every velocity matters. */
TEST(perturbed_answers_fail)
{
	static program p;
	static const program_wish wish = {.most_bodies = 6, .ratios = 1, .position = true, .joints = true};
	cairn_allocator allocator = cairn_default_allocator();
	uint32_t tried = 0;
	for (uint64_t seed = 1; seed <= MANY; ++seed) {
		program_draw(&p, seed, &wish);
		cn_qp_result result = cn_exact_solve(&allocator, &p.qp, NULL, &p.x);
		cn_qp_report r = cn_qp_check(&p.qp, &p.x, false);
		if (result.status != CN_QP_SOLVED || worst(&r) > 1e-8)
			continue;
		uint32_t body = program_below(&p, p.qp.body_count);
		if (p.qp.contact_count) {
			uint32_t c = program_below(&p, p.qp.contact_count), a = p.contacts[c].a, b = p.contacts[c].b;
			bool moves = (a != CN_QP_NONE && p.bodies[a].inv_mass > 0) || (b != CN_QP_NONE && p.bodies[b].inv_mass > 0);
			p.contact[c].n += 1e-3;
			r = cn_qp_check(&p.qp, &p.x, false);
			CHECK(!moves || r.stationarity > 1e-6);
			p.contact[c].n -= 1e-3;
			p.contact[c].s = 1e-3;
			r = cn_qp_check(&p.qp, &p.x, false);
			CHECK(r.cone >= 1e-3);
			p.contact[c].s = 0;
		}
		p.u[body].v.x += 1e-3;
		r = cn_qp_check(&p.qp, &p.x, false);
		CHECK_NEAR(r.stationarity, 1e-3, 1e-7);
		++tried;
	}
	CHECK(tried > MANY / 2);
}

/* The floor says up at least 1, the ceiling says up at most -1 ... */
TEST(certificates)
{
	cn_qp_body body = {1, {6, 0, 0, 6, 0, 6}};
	cn_twist u0 = {{0, 0, 0}, {0, 0, 0}};
	cn_qp_contact c[2] = {{.a = CN_QP_NONE, .b = 0, .n = {0, 0, 1}, .rb = {0, 0, -0.5}, .least = 1},
	                      {.a = CN_QP_NONE, .b = 0, .n = {0, 0, -1}, .rb = {0, 0, 0.5}, .least = 1}};
	cn_qp_row row = {.a = 0, .b = CN_QP_NONE, .ja = {{0, 0, 1}, {0, 0, 0}}, .low = -INFINITY, .high = 0.5};
	cn_qp qp = {.body_count = 1, .contact_count = 2, .bodies = &body, .u0 = &u0, .contacts = c, .rows = &row};
	cn_qp_impulse y[2] = {{1, 0, 0}, {1, 0, 0}};
	double z = 0;
	cn_qp_solution x = {&u0, y, &z};
	CHECK(certificate(&qp, &x, 1e6) > 1);
	y[1].n = 1 + 1e-3; /* they do not cancel: no proof for large motions, but one for small ones */
	CHECK(certificate(&qp, &x, 1e6) < 1);
	CHECK(certificate(&qp, &x, 1e2) > 1);
	y[1].n = 1;
	c[1].least = -1; /* just possible: u = 1 */
	CHECK(certificate(&qp, &x, 1e6) == 0);
	c[1].least = 1;
	y[0].n = -1, y[1].n = -1; /* wrong signs */
	CHECK(certificate(&qp, &x, 1e6) == 0);
	y[0] = (cn_qp_impulse){1, 0.1, 0}, y[1].n = 1; /* friction has no place in it */
	CHECK(certificate(&qp, &x, 1e6) == 0);
	y[0] = (cn_qp_impulse){NAN, 0, 0};
	CHECK(!(certificate(&qp, &x, 1e6) > 1));
	/* A row from above against the floor. */
	qp.row_count = 1, qp.contact_count = 1;
	y[0] = (cn_qp_impulse){1, 0, 0}, z = -1;
	CHECK(certificate(&qp, &x, 1e6) > 1);
	row.high = INFINITY; /* a bound that is not there proves nothing */
	CHECK(certificate(&qp, &x, 1e6) == 0);
	/* What cannot move counts by its motion. */
	body = (cn_qp_body){0, {0, 0, 0, 0, 0, 0}};
	qp.row_count = 0;
	CHECK(certificate(&qp, &x, 1e6) > 1);
	u0.v.z = 2;
	CHECK(certificate(&qp, &x, 1e6) == 0);
}

TEST_MAIN(TEST_CASE(a_sliding_block_passes), TEST_CASE(each_fault_shows), TEST_CASE(rows_are_judged),
          TEST_CASE(perturbed_answers_fail), TEST_CASE(certificates))
