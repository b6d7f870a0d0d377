/* Small islands in double: one contact against closed forms and the energy law; towers, uneven masses, arches, wedges
 * and chains to a residual of 1e-12. */
#include "solve_small.h"
#include "test.h"

#include "base/trig.h"
#include "ledger.h"
#include "num/qp_check.h"
#include "num/qp_small_parts.h"
#include "programs.h"
#include "random.h"

#include <string.h>

enum { RANDOM_CONTACTS = TEST_FEW ? 10000 : 100000, TALL = TEST_FEW ? 30 : 64 };

static ledger book;
static const cairn_allocator allocator = {&book, ledger_resize};

/* ---- one contact */

static double square(const cn_qp_body *b, cn_twist u)
{
	cn_twist zero = {{0, 0, 0}, {0, 0, 0}};
	cn_qp qp = {.body_count = 1, .bodies = b, .u0 = &zero};
	return 2 * cn_qp_energy(&qp, &u);
}

static cn_twist after(const cn_qp_body *b, cn_twist u, v3 r, v3 impulse)
{
	cn_qp_contact c = {.a = CN_QP_NONE, .b = 0, .n = {1, 0, 0}, .rb = r};
	cn_qp qp = {.body_count = 1, .contact_count = 1, .bodies = b, .u0 = &u, .contacts = &c};
	cn_twist out = u;
	/* impulse along the frame of n = x */
	v3 s, t;
	cn_qp_tangents(c.n, &s, &t);
	cn_qp_push_contact(&qp, 0, (cn_qp_impulse){impulse.x, v3_dot(s, impulse), v3_dot(t, impulse)}, &out);
	return out;
}

static v3 whole(const cn_qp_contact *c, cn_qp_impulse y)
{
	v3 s, t;
	cn_qp_tangents(c->n, &s, &t);
	return v3_madd(v3_madd(v3_scale(c->n, y.n), s, y.s), t, y.t);
}

static const cn_qp_body ball = {1, {10, 0, 0, 10, 0, 10}}; /* radius 1/2: I = 2/5 m r^2 */

TEST(central_contact_is_newtons_law)
{
	static program p;
	p.state = 3;
	for (int k = 0; k < 1000; ++k) {
		double ma = 0.01 + program_unit(&p), mb = 0.01 + program_unit(&p), eps = program_unit(&p);
		double va = program_unit(&p), vb = -program_unit(&p);
		v3 n = program_direction(&p);
		cn_qp_body a = {1 / ma, {10 / ma, 0, 0, 10 / ma, 0, 10 / ma}},
				   b = {1 / mb, {10 / mb, 0, 0, 10 / mb, 0, 10 / mb}};
		cn_qp_contact c = {
			.a = 0, .b = 1, .n = n, .ra = v3_scale(n, 0.5), .rb = v3_scale(n, -0.5), .mu = 0.5, .eps = eps};
		cn_twist ua = {v3_scale(n, va), {0, 0, 0}}, ub = {v3_scale(n, vb), {0, 0, 0}};
		cn_qp_impulse y = cn_single_contact(&a, &b, &c, ua, ub);
		double wanted = (1 + eps) * (va - vb) * ma * mb / (ma + mb);
		CHECK_NEAR(y.n, wanted, 1e-14 * wanted);
		CHECK_NEAR(y.s, 0, 1e-14 * wanted);
		CHECK_NEAR(y.t, 0, 1e-14 * wanted);
		/* Against what stands still, from either side; and apart nothing happens. */
		y = cn_single_contact(NULL, &b, &c, ua, ub);
		CHECK_NEAR(y.n, -(1 + eps) * vb * mb, 1e-14 * mb);
		y = cn_single_contact(&a, NULL, &c, ua, ub);
		CHECK_NEAR(y.n, (1 + eps) * va * ma, 1e-14 * ma);
		y = cn_single_contact(&a, &b, &c, ub, ua);
		CHECK(y.n == 0 && y.s == 0 && y.t == 0);
	}
	cn_qp_body wall = {0, {0, 0, 0, 0, 0, 0}};
	cn_qp_contact c = {.a = 0, .b = 1, .n = {0, 0, 1}};
	cn_qp_impulse y =
		cn_single_contact(&wall, &wall, &c, (cn_twist){{0, 0, 1}, {0, 0, 0}}, (cn_twist){{0, 0, 0}, {0, 0, 0}});
	CHECK(y.n == 0 && y.s == 0 && y.t == 0);
}

/* A ball on the ground: along n the response is 1/m, across it 1/m + r^2/I = 7/2m, and they do not mix. */
TEST(a_ball_sticks_or_slides)
{
	for (int k = 0; k < 200; ++k) {
		double mu = 0.01 * k, vx = 1.4, vz = -1, eps = 0.3;
		cn_qp_contact c = {.a = CN_QP_NONE, .b = 0, .n = {0, 0, 1}, .rb = {0, 0, -0.5}, .mu = mu, .eps = eps};
		cn_qp_impulse y =
			cn_single_contact(NULL, &ball, &c, (cn_twist){{0, 0, 0}, {0, 0, 0}}, (cn_twist){{vx, 0, vz}, {0, 0, 0}});
		v3 p = whole(&c, y);
		double stop = vx / 3.5, most = mu * (1 + eps);
		CHECK_NEAR(p.z, 1 + eps, 1e-15);
		CHECK_NEAR(p.x, -(stop < most ? stop : most), 1e-15);
		CHECK_NEAR(p.y, 0, 1e-15);
	}
}

/* A contact off centre, where normal and tangent mix: the sticking impulse solves K p = -v, K formed here. */
TEST(sticking_solves_the_3x3_system)
{
	static program p;
	p.state = 8;
	uint32_t stuck = 0;
	for (int k = 0; k < 2000; ++k) {
		double m = 0.1 + program_unit(&p), x = program_unit(&p), y = program_unit(&p), z = program_unit(&p);
		cn_qp_body b = {1 / m, {(1 + x) / m, 0, 0, (1 + y) / m, 0, (1 + z) / m}};
		v3 n = program_direction(&p), r = program_vector(&p, 0.7), v = program_vector(&p, 1), w = program_vector(&p, 1);
		cn_qp_contact c = {.a = CN_QP_NONE, .b = 0, .n = n, .rb = r, .mu = 1.5};
		cn_twist u = {v, w};
		cn_qp_impulse got = cn_single_contact(NULL, &b, &c, (cn_twist){{0, 0, 0}, {0, 0, 0}}, u);
		v3 impulse = whole(&c, got);
		cn_twist end = after(&b, u, r, impulse);
		v3 velocity = v3_add(end.v, v3_cross(end.w, r));
		double tangent = sqrt(got.s * got.s + got.t * got.t);
		if (got.n == 0)
			continue;
		CHECK(tangent <= 1.5 * got.n * (1 + 1e-12));
		CHECK_NEAR(v3_dot(n, velocity), 0, 1e-12);
		if (tangent < 1.49 * got.n) {
			CHECK_NEAR(v3_length(velocity), 0, 1e-12);
			++stuck;
		}
	}
	CHECK(stuck > 200);
}

TEST(one_contact_never_gains_energy)
{
	static program p;
	double most = 0, longest = 0;
	p.state = 4;
	for (int k = 0; k < RANDOM_CONTACTS; ++k) {
		cn_qp_body two[2];
		for (int i = 0; i < 2; ++i) {
			double m = program_power(&p, -4, 4), extreme = program_chance(&p, 0.3) ? program_power(&p, -6, 6) : 1;
			double x = 0.05 + program_unit(&p), y = 0.05 + program_unit(&p), z = 0.05 + program_unit(&p);
			v3 axis = program_vector(&p, 2);
			m3 r = m3_from_q(q_exp(axis)), d = m3_diagonal(v3_scale(v3_make(x, y, z), 6 * extreme / m));
			m3 w = m3_mul(m3_mul(r, d), m3_transpose(r));
			two[i] = (cn_qp_body){1 / m, {w.m[0][0], w.m[0][1], w.m[0][2], w.m[1][1], w.m[1][2], w.m[2][2]}};
		}
		v3 n = program_direction(&p), ra = program_vector(&p, 1), rb = program_vector(&p, 1);
		v3 va = program_vector(&p, 3), wa = program_vector(&p, 3), vb = program_vector(&p, 3),
		   wb = program_vector(&p, 3);
		double mu = 2 * program_unit(&p), eps = program_chance(&p, 0.3) ? 1 : program_unit(&p);
		bool ground = program_chance(&p, 0.2);
		cn_qp_contact c = {.a = ground ? CN_QP_NONE : 0, .b = 1, .n = n, .ra = ra, .rb = rb, .mu = mu, .eps = eps};
		cn_twist ua = {va, wa}, ub = {vb, wb};
		cn_qp_impulse y = cn_single_contact(ground ? NULL : &two[0], &two[1], &c, ua, ub);
		CHECK(isfinite(y.n) && isfinite(y.s) && isfinite(y.t) && y.n >= 0);
		CHECK(sqrt(y.s * y.s + y.t * y.t) <= mu * y.n * (1 + 1e-12));
		v3 impulse = whole(&c, y);
		double before = square(&two[1], ub), end = square(&two[1], after(&two[1], ub, rb, impulse));
		if (!ground) {
			before += square(&two[0], ua);
			end += square(&two[0], after(&two[0], ua, ra, v3_neg(impulse)));
		}
		CHECK(end <= before * (1 + 1e-12));
		most = end / before - 1 > most ? end / before - 1 : most;
		double reduced = before > 0 ? y.n * y.n / before : 0;
		longest = reduced > longest ? reduced : longest;
	}
	printf("one contact: %d of them, largest relative rise of energy %g\n", (int)RANDOM_CONTACTS, most);
}

/* A rod on its tip, leaning against the way it slides, with so much friction that the sliding impulse would pull the
 * tip into the ground faster than the normal impulse lifts it: no finite sliding impulse ends the approach there. */
TEST(jamming_stays_finite)
{
	for (int k = 0; k <= 90; ++k)
		for (int m = 0; m <= 20; ++m) {
			double sine, cosine, mu = 0.25 * m;
			cn_sincos(k * 3.14159265358979 / 180, &sine, &cosine);
			/* thin rod of length 2 about its middle: I = m/3 */
			cn_qp_body rod = {1, {3, 0, 0, 3, 0, 3}};
			cn_qp_contact c = {
				.a = CN_QP_NONE, .b = 0, .n = {0, 0, 1}, .rb = {-cosine, 0, -sine}, .mu = mu, .eps = 0.5};
			for (int side = -1; side <= 1; side += 2) {
				cn_twist u = {{side * 10, 0, -0.001}, {0, 0, 0}}, zero = {{0, 0, 0}, {0, 0, 0}};
				cn_qp_impulse y = cn_single_contact(NULL, &rod, &c, zero, u);
				cn_twist end = after(&rod, u, c.rb, whole(&c, y));
				CHECK(isfinite(y.n) && isfinite(y.s) && isfinite(y.t));
				CHECK(square(&rod, end) <= square(&rod, u) * (1 + 1e-12));
				CHECK(sqrt(y.s * y.s + y.t * y.t) <= mu * y.n * (1 + 1e-12));
			}
		}
}

/* ---- islands */

enum { BODIES = 64, CONTACTS = 4 * BODIES + 8, ROWS = 64 };

typedef struct scene {
	cn_qp qp;
	cn_qp_body bodies[BODIES];
	cn_twist u0[BODIES], u[BODIES];
	cn_qp_contact contacts[CONTACTS];
	cn_qp_impulse contact[CONTACTS];
	cn_qp_row rows[ROWS];
	double row[ROWS];
	cn_qp_solution x;
} scene;

static const double gravity = 9.81 / 30; /* of one frame */

static void open_scene(scene *s)
{
	memset(s, 0, sizeof *s);
	s->qp = (cn_qp){.bodies = s->bodies, .u0 = s->u0, .contacts = s->contacts, .rows = s->rows};
	s->x = (cn_qp_solution){s->u, s->contact, s->row};
}

/* A unit cube, falling for a frame. */
static void add_cube(scene *s, double mass)
{
	double w = 6 / mass;
	s->bodies[s->qp.body_count] = (cn_qp_body){1 / mass, {w, 0, 0, w, 0, w}};
	s->u0[s->qp.body_count++] = (cn_twist){{0, 0, -gravity}, {0, 0, 0}};
}

static void add_contact(scene *s, cn_qp_contact c) { s->contacts[s->qp.contact_count++] = c; }

static void stack(scene *s, uint32_t count, double first, double factor, double mu)
{
	double mass = first;
	open_scene(s);
	for (uint32_t i = 0; i < count; ++i, mass *= factor) {
		add_cube(s, mass);
		for (int k = 0; k < 4; ++k) {
			double x = k & 1 ? 0.5 : -0.5, y = k & 2 ? 0.5 : -0.5;
			add_contact(s, (cn_qp_contact){.a = i ? i - 1 : CN_QP_NONE,
			                               .b = i,
			                               .n = {0, 0, 1},
			                               .ra = {i ? x : 0, i ? y : 0, i ? 0.5 : 0},
			                               .rb = {x, y, -0.5},
			                               .mu = mu});
		}
	}
}

/* The rounding of u: a few units of the largest sum of impulses on one body, by its mass. */
static double rounding(const scene *s)
{
	double most = 0;
	for (uint32_t b = 0; b < s->qp.body_count; ++b) {
		double sum = 0;
		for (uint32_t i = 0; i < s->qp.contact_count; ++i)
			if (s->contacts[i].a == b || s->contacts[i].b == b)
				sum += s->contact[i].n * s->bodies[b].inv_mass;
		most = sum > most ? sum : most;
	}
	return 4 * DBL_EPSILON * most;
}

/* Solved to 1e-12 of the speeds, by all of Coulomb's conditions too; returns whether all stands still. */
static bool settles(scene *s, const char *what, bool expected_rest)
{
	cn_qp_result r = solve_small(&allocator, &s->qp, &(cn_small_options){0}, &s->x);
	cn_qp_report q = cn_qp_check(&s->qp, &s->x, true);
	double fastest = 0;
	for (uint32_t i = 0; i < s->qp.body_count; ++i) {
		double v = v3_length(s->u[i].v) + v3_length(s->u[i].w);
		fastest = v > fastest ? v : fastest;
	}
	printf("%s: %u bodies, %u sweeps, %u factorisations, residual %.2g, fastest %.2g m/s\n", what, s->qp.body_count,
	       r.sweeps, r.factored, r.residual, fastest);
	CHECK_INT(r.status, CN_QP_SOLVED);
	CHECK(r.residual <= 1e-12 * 10); /* the fastest row moves at most at 10 m/s here */
	CHECK(q.finite && q.feasibility <= 1e-11 && q.complementarity <= 1e-11 && q.slip <= 1e-11 && q.sign == 0);
	CHECK(q.cone <= 1e-13 && q.stationarity <= (rounding(s) > 1e-13 ? rounding(s) : 1e-13));
	CHECK(q.energy_after <= q.energy_before * (1 + 1e-12));
	CHECK(!expected_rest || fastest <= 1e-10);
	CHECK_INT(book.bytes, 0);
	return fastest <= 1e-10;
}

TEST(towers_rest)
{
	static scene s;
	stack(&s, 10, 1, 1, 0.5);
	settles(&s, "tower", true);
	stack(&s, 30, 1, 1, 0.5);
	settles(&s, "tower", true);
	stack(&s, TALL, 1, 1, 0.5);
	settles(&s, "tower", true);
}

TEST(uneven_masses_rest)
{
	static scene s;
	stack(&s, 5, 1, 10, 0.5);
	settles(&s, "heavier upward", true);
	stack(&s, 5, 10000, 0.1, 0.5);
	settles(&s, "lighter upward", true);
	stack(&s, 2, 1e-4, 1e4, 0.5);
	settles(&s, "1 to 10000", true);
}

/* A half circle of wedge stones, each touching the next along a radius at two heights. It stands on friction 0.8. */
TEST(an_arch_stands)
{
	static scene s;
	enum { STONES = 9 };
	const double half_turn = 3.14159265358979323846, inner = 3, outer = 4.2, middle = 3.6;
	open_scene(&s);
	for (uint32_t i = 0; i < STONES; ++i)
		add_cube(&s, 1);
	for (uint32_t j = 0; j <= STONES; ++j) { /* joint j is between stone j - 1 and stone j */
		double sine, cosine;
		cn_sincos(half_turn * j / STONES, &sine, &cosine);
		uint32_t a = j == 0 ? CN_QP_NONE : j - 1, b = j == STONES ? CN_QP_NONE : j;
		v3 n = {-sine, 0, cosine};
		for (int k = 0; k < 4; ++k) {
			double radius = k & 1 ? outer : inner, y = k & 2 ? 0.5 : -0.5;
			v3 point = {radius * cosine, y, radius * sine}, ra = {0, 0, 0}, rb = {0, 0, 0};
			for (int side = 0; side < 2; ++side) {
				uint32_t stone = side ? b : a;
				double cs, cc;
				if (stone == CN_QP_NONE)
					continue;
				cn_sincos(half_turn * (stone + 0.5) / STONES, &cs, &cc);
				v3 r = v3_sub(point, v3_make(middle * cc, 0, middle * cs));
				if (side)
					rb = r;
				else
					ra = r;
			}
			add_contact(&s, (cn_qp_contact){.a = a, .b = b, .n = n, .ra = ra, .rb = rb, .mu = 0.8});
		}
	}
	settles(&s, "arch", true);
}

/* A wedge between two walls that lean outward by 45 degrees: it sticks with mu 1.2, and slides down between them no
 * more than the walls allow without friction, which is not at all. */
TEST(a_wedge_between_walls)
{
	static scene s;
	for (int k = 0; k < 3; ++k) {
		double h = sqrt(0.5);
		open_scene(&s);
		add_cube(&s, 1);
		s.u0[0].v = v3_make(k == 2 ? 3 : 0, 0, -10 * gravity);
		for (int i = 0; i < 4; ++i) {
			double side = i & 1 ? 1 : -1, y = i & 2 ? 0.5 : -0.5;
			add_contact(
				&s, (cn_qp_contact){
						.a = CN_QP_NONE, .b = 0, .n = {-side * h, 0, h}, .rb = {side * 0.5, y, 0}, .mu = k ? 1.2 : 0});
		}
		settles(&s, "wedge", k == 1);
	}
}

/* Sliding at 5 m/s with mu 0.5: slower by mu times the weight's impulse, and not a hair upward. */
TEST(a_sliding_block_stays_down)
{
	static scene s;
	stack(&s, 1, 1, 1, 0.5);
	s.u0[0].v.x = 5;
	settles(&s, "block", false);
	CHECK_NEAR(s.u[0].v.x, 5 - 0.5 * gravity, 1e-12);
	CHECK_NEAR(s.u[0].v.z, 0, 1e-13);
}

/* Balls on a string: three equality rows between each and the next; the first hangs on the ceiling. */
static void chain(scene *s, uint32_t links)
{
	open_scene(s);
	for (uint32_t i = 0; i < links; ++i) {
		add_cube(s, 1);
		s->u0[i].v.x = 0.1 * i;
		for (int k = 0; k < 3; ++k) {
			v3 e = {k == 0, k == 1, k == 2}, up = {0, 0, 0.5}, down = {0, 0, -0.5};
			cn_qp_row *r = &s->rows[s->qp.row_count++];
			*r = (cn_qp_row){.a = i, .b = i ? i - 1 : CN_QP_NONE, .ja = {e, v3_cross(up, e)}};
			if (i)
				r->jb = (cn_twist){v3_neg(e), v3_cross(e, down)};
		}
	}
}

TEST(a_chain_holds)
{
	static scene s;
	chain(&s, 20);
	settles(&s, "chain", false);
	for (uint32_t i = 0; i < s.qp.row_count; ++i)
		CHECK_NEAR(cn_qp_row_value(&s.qp, i, s.u), 0, 1e-11);
}

/* A chain of two bodies whose first one stands on the floor; the row between them gives way. The same by hand. */
TEST(soft_rows_give_way)
{
	const double masses[3] = {1e-2, 1, 100};
	for (int k = 0; k < 12; ++k) {
		double m = masses[k % 3], soft = pow(10, k - 8), want = 0.3, fall = -0.5;
		cn_qp_body bodies[2] = {{.inv_mass = 1, .inv_inertia = {1, 0, 0, 1, 0, 1}},
		                        {.inv_mass = 1 / m, .inv_inertia = {1, 0, 0, 1, 0, 1}}};
		cn_twist u0[2] = {{{0, 0, fall}, {0, 0, 0}}, {{0, 0, fall}, {0, 0, 0}}}, u[2];
		cn_qp_contact c = {.a = CN_QP_NONE, .b = 0, .n = {0, 0, 1}};
		cn_qp_row row = {.a = 1,
		                 .b = 0,
		                 .ja = {{0, 0, 1}, {0, 0, 0}},
		                 .jb = {{0, 0, -1}, {0, 0, 0}},
		                 .low = want,
		                 .high = want,
		                 .soft = soft};
		cn_qp qp = {.body_count = 2,
		            .contact_count = 1,
		            .row_count = 1,
		            .bodies = bodies,
		            .u0 = u0,
		            .contacts = &c,
		            .rows = &row};
		cn_qp_impulse y = {0};
		double push = 0;
		cn_qp_solution x = {.u = u, .contact = &y, .row = &push};
		solve_small(&allocator, &qp, &(cn_small_options){0}, &x);
		/* the lower one stays on the floor; the upper one has fall + y/m, and y/m + soft y = want - fall */
		CHECK_NEAR(push / ((want - fall) / (1 / m + soft)), 1, 1e-9);
		CHECK_NEAR(u[0].v.z, 0, 1e-9);
	}
}

TEST(warm_starts_save_sweeps)
{
	static scene s;
	stack(&s, 4, 1, 1, 0.5);
	cn_qp_result cold = solve_small(&allocator, &s.qp, &(cn_small_options){.sweeps = 2000}, &s.x);
	cn_qp_result warm = solve_small(&allocator, &s.qp, &(cn_small_options){.sweeps = 2000, .warm = true}, &s.x);
	printf("four cubes: %u sweeps cold, %u warm\n", cold.sweeps, warm.sweeps);
	CHECK(cold.status == CN_QP_SOLVED && warm.status == CN_QP_SOLVED && warm.sweeps == 1 && cold.sweeps > 1);
	/* From a start that is no impulse at all. */
	for (uint32_t i = 0; i < s.qp.contact_count; ++i)
		s.contact[i] = (cn_qp_impulse){-1, 5, 5};
	warm = solve_small(&allocator, &s.qp, &(cn_small_options){.warm = true}, &s.x);
	cn_qp_report q = cn_qp_check(&s.qp, &s.x, true);
	CHECK(warm.status == CN_QP_SOLVED && q.sign == 0 && q.cone <= 1e-14 && q.feasibility <= 1e-12);
}

TEST(the_exact_method_is_asked_and_reported)
{
	static scene s;
	stack(&s, 20, 1, 1, 0.5);
	cn_qp_result r = solve_small(&allocator, &s.qp, &(cn_small_options){.sweeps = 2}, &s.x);
	CHECK(r.status == CN_QP_SOLVED && r.factored > 0);
	r = solve_small(&allocator, &s.qp, &(cn_small_options){.sweeps = 2, .sweeps_only = true}, &s.x);
	CHECK(r.status == CN_QP_EARLY && r.factored == 0 && r.residual > 1e-6);
	stack(&s, 1, 1, 1, 0);
	r = solve_small(&allocator, &s.qp, &(cn_small_options){0}, &s.x);
	CHECK(r.status == CN_QP_SOLVED && r.factored == 0);
}

TEST(bounces)
{
	static scene s;
	stack(&s, 1, 1, 1, 0);
	for (int k = 0; k < 4; ++k)
		s.contacts[k].eps = 0.5;
	s.u0[0].v.z = -2;
	cn_qp_result r = solve_small(&allocator, &s.qp, &(cn_small_options){.bounce = true}, &s.x);
	CHECK_INT(r.status, CN_QP_SOLVED);
	CHECK_NEAR(s.u[0].v.z, 1, 1e-11);
	CHECK_NEAR(r.objective, 0.5 * 9, 1e-10);
}

/* What nothing can move and what contradicts itself is not called solved. */
TEST(contradictions_are_not_called_solved)
{
	static scene s;
	open_scene(&s);
	s.qp.body_count = 2; /* two that cannot move, one driven into the other */
	s.u0[0].v.z = 1;
	add_contact(&s, (cn_qp_contact){.a = 0, .b = 1, .n = {0, 0, 1}});
	cn_qp_result r = solve_small(&allocator, &s.qp, &(cn_small_options){0}, &s.x);
	CHECK_INT(r.status, CN_QP_EARLY);
	CHECK_NEAR(r.violation, 1, 0);
	CHECK_NEAR(r.residual, 1, 0);
	open_scene(&s); /* a cube in a vice that closes */
	add_cube(&s, 1);
	for (int k = 0; k < 2; ++k)
		add_contact(&s, (cn_qp_contact){.a = CN_QP_NONE, .b = 0, .n = {k ? 1 : -1, 0, 0}, .least = 1});
	r = solve_small(&allocator, &s.qp, &(cn_small_options){0}, &s.x);
	CHECK(r.status == CN_QP_EARLY && r.violation >= 1);
	CHECK(isfinite(s.contact[0].n) && v3_finite(s.u[0].v));
	open_scene(&s);
	r = solve_small(&allocator, &s.qp, &(cn_small_options){0}, &s.x);
	CHECK_INT(r.status, CN_QP_SOLVED);
	CHECK_INT(book.bytes, 0);
}

/* What asks for a speed may add energy: a contact, a row, a body that moves though it cannot be moved. */
TEST(what_drives_is_not_held_back)
{
	static scene s;
	for (int bounce = 0; bounce < 2; ++bounce)
		for (int what = 0; what < 3; ++what) {
			stack(&s, 2, 1, 1, 0.5);
			for (int k = 0; k < 4 && what == 0; ++k)
				s.contacts[k].least = 1;
			if (what == 1)
				s.rows[s.qp.row_count++] =
					(cn_qp_row){.a = 0, .b = CN_QP_NONE, .ja = {{0, 0, 1}, {0, 0, 0}}, .low = 1, .high = INFINITY};
			if (what == 2) {
				s.bodies[0] = (cn_qp_body){0, {0, 0, 0, 0, 0, 0}};
				s.u0[0].v.z = 1;
			}
			cn_qp_result r = solve_small(&allocator, &s.qp, &(cn_small_options){.bounce = bounce}, &s.x);
			CHECK_INT(r.status, CN_QP_SOLVED);
			CHECK_NEAR(s.u[0].v.z, 1, 1e-11);
			CHECK_NEAR(s.u[1].v.z, 1, 1e-11);
		}
}

/* A bound that stands for none is no speed to be accurate to. */
TEST(far_bounds_change_nothing)
{
	static scene s;
	stack(&s, 10, 1, 1, 0.5);
	add_contact(&s, (cn_qp_contact){.a = CN_QP_NONE, .b = 9, .n = {1, 0, 0}, .least = -1e12});
	s.rows[s.qp.row_count++] =
		(cn_qp_row){.a = 5, .b = CN_QP_NONE, .ja = {{1, 0, 0}, {0, 0, 0}}, .low = -1e15, .high = 1e15};
	settles(&s, "tower with far bounds", true);
}

TEST(refused_memory_is_survived)
{
	static scene s;
	stack(&s, 12, 1, 1, 0.5);
	cn_qp_result r = {.status = CN_QP_MEMORY};
	uint32_t tries = 0, without = 0;
	for (; tries < 400 && r.status != CN_QP_SOLVED; ++tries) {
		ledger_allow(&book, tries);
		r = solve_small(&allocator, &s.qp, &(cn_small_options){.sweeps = 2}, &s.x); /* asks the exact method */
		CHECK_INT(book.bytes, 0);
		without += r.status == CN_QP_EARLY; /* swept, and kept silent about what it could not ask */
		for (uint32_t i = 0; i < s.qp.body_count; ++i)
			CHECK(v3_finite(s.u[i].v) && v3_finite(s.u[i].w));
	}
	book.fail_at = 0;
	CHECK(r.status == CN_QP_SOLVED && tries > 8 && without == 0);
}

/* Memory that is kept: asked for once, and no answer depends on what was solved before. */
TEST(memory_is_kept)
{
	static scene large, little, again;
	cn_small_options options = {.bounce = true};
	ledger_allow(&book, 1000);
	cn_small *kept = cn_small_create(&allocator);
	REQUIRE(kept);
	stack(&large, 20, 1, 1, 0.5);
	stack(&little, 7, 1, 1.5, 0.5);
	for (uint32_t i = 0; i < little.qp.body_count; ++i)
		little.u0[i].v.x = 0.3 * i;
	again = little;
	again.qp = (cn_qp){7, 28, 0, again.bodies, again.u0, again.contacts, again.rows};
	again.x = (cn_qp_solution){again.u, again.contact, again.row};
	CHECK_INT(cn_small_solve(kept, &large.qp, &options, &large.x).status, CN_QP_SOLVED);
	size_t asked = book.calls;
	cn_qp_result a = cn_small_solve(kept, &little.qp, &options, &little.x);
	cn_qp_result b = cn_small_solve(kept, &large.qp, &options, &large.x);
	CHECK_INT(book.calls, asked);
	CHECK(a.factored == 0 && b.status == CN_QP_SOLVED);
	cn_qp_result c = solve_small(&allocator, &again.qp, &options, &again.x);
	CHECK(a.status == c.status && a.sweeps == c.sweeps && a.residual == c.residual && a.objective == c.objective);
	CHECK(memcmp(little.u, again.u, 7 * sizeof *again.u) == 0);
	CHECK(memcmp(little.contact, again.contact, 28 * sizeof *again.contact) == 0);
	/* What was reserved needs nothing more; what is refused leaves it usable. */
	CHECK(cn_small_reserve(kept, 40, 200, 10));
	asked = book.calls;
	stack(&large, 40, 1, 1, 0.5);
	cn_small_solve(kept, &large.qp, &(cn_small_options){.sweeps_only = true}, &large.x);
	CHECK_INT(book.calls, asked);
	ledger_allow(&book, 3);
	CHECK(!cn_small_reserve(kept, 4000, 4000, 4000));
	book.fail_at = 0;
	CHECK_INT(cn_small_solve(kept, &large.qp, &options, &large.x).status, CN_QP_SOLVED);
	cn_small_destroy(kept);
	cn_small_destroy(NULL);
	CHECK_INT(book.bytes, 0);
}

/* Real time: towers, uneven masses and a block that slides, in few sweeps and without the exact method. */
TEST(few_sweeps_settle_stacks)
{
	static scene s;
	cn_small_options options = {.sweeps = 60, .tolerance = 1e-8, .sweeps_only = true};
	for (uint32_t high = 1; high <= TALL; high += high < 10 ? 1 : 9)
		for (int what = 0; what < (high == 1 ? 3 : 2); ++what) {
			stack(&s, high, 1, what == 1 && high <= 5 ? 10 : 1, 0.5);
			s.u0[0].v.x = what == 2 ? 2 : 0;
			cn_qp_result r = solve_small(&allocator, &s.qp, &options, &s.x);
			cn_qp_report q = cn_qp_check(&s.qp, &s.x, true);
			CHECK(r.status == CN_QP_SOLVED && r.factored == 0 && r.sweeps <= 10);
			CHECK(q.feasibility <= 1e-6 && q.complementarity <= 1e-6 && q.slip <= 1e-6 && q.cone <= 1e-13);
		}
}

/* What slides to and fro within a tower of many: in real time, turns of rows and bodies come nearer to the answer than as many
 * sweeps and direct solves do, from a good start and from none, and keep to the cones and to momentum. */
TEST(turns_come_near_what_slides)
{
	static scene s;
	double nearer = 0;
	int count = 0;
	for (uint32_t high = 18; high <= 50; high += 4) {
		cn_qp_result r[2];
		for (int turns = 0; turns < 2; ++turns) {
			stack(&s, high, 1, 1, 0.3);
			for (uint32_t i = 0; i < high; ++i) {
				s.u0[i].v.x = 0.4 * ((double)(i * 7 % 5) - 2), s.u0[i].v.y = 0.4 * ((double)(i * 11 % 7) - 3);
				s.u0[i].w =
					v3_make(0.3 * ((double)(i % 3) - 1), 0.2 * ((double)(i % 4) - 1.5), 0.5 * ((double)(i % 5) - 2));
			}
			cn_small_options options = {.sweeps = 60, .tolerance = 1e-8, .sweeps_only = true, .turns = turns};
			r[turns] = solve_small(&allocator, &s.qp, &options, &s.x);
			cn_qp_report q = cn_qp_check(&s.qp, &s.x, true);
			CHECK(q.finite && q.cone <= 1e-13 && q.sign == 0);
			CHECK(q.stationarity <= (rounding(&s) > 1e-13 ? rounding(&s) : 1e-13));
			CHECK(q.energy_after <= q.energy_before * (1 + 1e-12));
		}
		printf("%u that slide: residual %.2g in %u sweeps, with turns %.2g in %u\n", high, r[0].residual, r[0].sweeps,
		       r[1].residual, r[1].sweeps);
		CHECK(r[1].sweeps <= 60 + 3 && r[1].factored == 0);
		nearer += log10(r[0].residual / r[1].residual), ++count;
	}
	CHECK(nearer / count > 0.3); /* twice as near in the mean */
	CHECK_INT(book.bytes, 0);
}

/* Whatever the machine has, the answer is the same to the last bit. */
TEST(kernel_changes_nothing)
{
	enum { PROGRAMS = TEST_FEW ? 100 : 1000 };
	static const program_wish wish = {.most_bodies = 20, .scales = 2, .ratios = 2, .joints = true};
	static program p;
	static cn_twist u[2][PROGRAM_BODIES];
	static cn_qp_impulse y[2][PROGRAM_CONTACTS];
	static double rows[2][PROGRAM_ROWS];
	const cn_small_kernel *kernels[2] = {cn_small_narrow(), cn_small_avx2() ? cn_small_avx2() : cn_small_narrow()};
	cn_small *small = cn_small_create(&allocator);
	REQUIRE(small);
	for (uint64_t seed = 1; seed <= PROGRAMS; ++seed) {
		program_draw(&p, seed, &wish);
		cn_small_options options = {.sweeps = 60, .sweeps_only = true, .bounce = seed % 2, .turns = seed % 3 == 0};
		for (int k = 0; k < 2; ++k) {
			cn_qp_solution x = {.u = u[k], .contact = y[k], .row = rows[k]};
			small->kernel = kernels[k];
			(void)cn_small_solve(small, &p.qp, &options, &x);
		}
		CHECK(memcmp(u[0], u[1], p.qp.body_count * sizeof u[0][0]) == 0);
		CHECK(memcmp(y[0], y[1], p.qp.contact_count * sizeof y[0][0]) == 0);
		CHECK(memcmp(rows[0], rows[1], p.qp.row_count * sizeof rows[0][0]) == 0);
	}
	cn_small_destroy(small);
}

/* Of what sweeps alone solve; the exact method has a hash of its own. */
TEST(same_bits_everywhere)
{
	static program p;
	static const program_wish wish = {.most_bodies = 4, .scales = 2, .ratios = 2, .joints = true};
	uint64_t hash = CN_HASH_START;
	uint32_t swept = 0;
	for (uint64_t seed = 1; seed <= 60; ++seed) {
		program_draw(&p, seed, &wish);
		for (uint32_t i = 0; i + 1 < p.qp.body_count && i < p.qp.contact_count; ++i) {
			cn_qp_impulse y = cn_single_contact(&p.bodies[i], &p.bodies[i + 1], &p.contacts[i], p.u0[i], p.u0[i + 1]);
			hash = cn_hash_double(cn_hash_double(cn_hash_double(hash, y.n), y.s), y.t);
		}
		cn_small_options options = {.sweeps = 2000, .bounce = seed % 2 == 0};
		cn_qp_result r = solve_small(&allocator, &p.qp, &options, &p.x);
		if (r.factored > 0)
			continue;
		++swept;
		hash = cn_hash_u64(hash, (uint64_t)r.sweeps << 32 | (uint32_t)r.status);
		hash = cn_hash_double(cn_hash_double(cn_hash_double(hash, r.violation), r.residual), r.objective);
		for (uint32_t i = 0; i < p.qp.body_count; ++i) {
			const double x[6] = {p.u[i].v.x, p.u[i].v.y, p.u[i].v.z, p.u[i].w.x, p.u[i].w.y, p.u[i].w.z};
			for (int k = 0; k < 6; ++k)
				hash = cn_hash_double(hash, x[k]);
		}
	}
	printf("hash of %u small islands %016" PRIx64 "\n", swept, hash);
	CHECK(swept > 20 && hash == UINT64_C(0x09324518cbb83f13));
}

/* A block spins between two walls that lean toward each other by less than the angle of friction, so they can lock it. To
 * leave all points as fast as Newton's law asks for is against what friction allows: without end impulses would grow
 * against each other. The block leaves by Poisson's law, with impulses of its own size, and wins nothing. */
TEST(locked_blows_end)
{
	const double x = 0.989, z = 0.149;
	cn_qp_body block = {1, {6, 0, 0, 6, 0, 6}};
	uint64_t random = 1;
	double most = 0;
	for (int k = 0; k < 1000; ++k) {
		cn_twist u0 = {{0, 0, -9}, v3_scale(random_in_cube(&random), 10)}, u;
		cn_qp_contact c[3] = {{.b = 0, .n = {x, 0, z}}, {.b = 0, .n = {x, 0, z}}, {.b = 0, .n = {-x, 0, z}}};
		cn_qp_impulse y[3] = {{0}};
		cn_qp qp = {.body_count = 1, .contact_count = 3, .bodies = &block, .u0 = &u0, .contacts = c};
		cn_qp_solution solution = {.u = &u, .contact = y};
		for (int i = 0; i < 3; ++i) {
			v3 at = v3_scale(random_in_cube(&random), 0.5);
			c[i].a = CN_QP_NONE, c[i].mu = 0.3, c[i].eps = 0.3;
			c[i].rb = v3_make(c[i].n.x > 0 ? -0.5 : 0.5, at.y, at.z);
		}
		solve_small(&allocator, &qp, &(cn_small_options){.sweeps_only = true, .bounce = true}, &solution);
		for (int i = 0; i < 3; ++i) {
			most = fmax(most, y[i].n);
			CHECK(hypot(y[i].s, y[i].t) <= 0.3 * y[i].n * (1 + 1e-12));
		}
		CHECK(cn_qp_energy(&qp, &u) <= cn_qp_energy(&qp, &u0) * (1 + 1e-12));
	}
	printf("locked blows: largest impulse %.3g\n", most);
	CHECK(most > 10 && most < 1000);
}

TEST_MAIN(TEST_CASE(locked_blows_end), TEST_CASE(central_contact_is_newtons_law), TEST_CASE(a_ball_sticks_or_slides),
          TEST_CASE(sticking_solves_the_3x3_system), TEST_CASE(one_contact_never_gains_energy),
          TEST_CASE(jamming_stays_finite), TEST_CASE(towers_rest), TEST_CASE(uneven_masses_rest),
          TEST_CASE(an_arch_stands), TEST_CASE(a_wedge_between_walls), TEST_CASE(a_sliding_block_stays_down),
          TEST_CASE(a_chain_holds), TEST_CASE(soft_rows_give_way), TEST_CASE(warm_starts_save_sweeps),
          TEST_CASE(the_exact_method_is_asked_and_reported), TEST_CASE(bounces),
          TEST_CASE(contradictions_are_not_called_solved), TEST_CASE(what_drives_is_not_held_back),
          TEST_CASE(far_bounds_change_nothing), TEST_CASE(refused_memory_is_survived), TEST_CASE(memory_is_kept),
          TEST_CASE(few_sweeps_settle_stacks), TEST_CASE(turns_come_near_what_slides),
          TEST_CASE(kernel_changes_nothing), TEST_CASE(same_bits_everywhere))
