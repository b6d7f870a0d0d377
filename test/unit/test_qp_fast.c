/* The real-time solver: its promises (y in its cone, u recomputed, honest residuals), its answers against a plain
 * double Gauss-Seidel run to convergence, and odd programs. Memory, threads and bits: test_qp_fast_bits.c. */
#include "fast_solved.h"
#include "random_programs.h"

enum { SLOW = TEST_FEW };

TEST(promises)
{
	static const uint32_t sweeps[] = {0, 1, 2, 5, 40};
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static random_program p;
	for (uint64_t seed = 1; seed <= (SLOW ? 60 : 600); ++seed) {
		bool momentum = seed % 2;
		draw_program(&p, seed, RANDOM_BODIES, seed % 3 ? 0 : 6, momentum);
		if (seed % 5 == 0 && p.qp.contact_count > 0 && !momentum)
			contradict(&p);
		for (uint32_t i = 0; i < p.qp.contact_count; ++i)
			p.contacts[i].eps = 0.1 * (double)(seed % 11);
		solved s = make_room(&p.qp);
		for (uint32_t i = 0; i < p.qp.contact_count; ++i) { /* a start outside the cones, and no sweep to bring it in */
			double n = draw(&p) * p.mass * p.speed, x = draw(&p), y = draw(&p);
			s.solution.contact[i] = (cn_qp_impulse){n, 2 * n * x, 2 * n * y};
		}
		for (size_t k = 0; k < CN_COUNT(sweeps); ++k) {
			cn_fast_options options = {
				.sweeps = sweeps[k], .warm = k == 0 || k % 2, .bounce = seed % 4 == 1, .tolerance = k == 4 ? 1e-9 : 0};
			solve(fast, &p.qp, momentum, &options, &s);
			check_promises(&p.qp, momentum, &s);
			CHECK(s.result.sweeps <= sweeps[k]);
		}
		free_room(&s);
	}
	cn_fast_destroy(fast);
	CHECK_INT(memory.bytes, 0);
}

/* ---- The reference: plain Gauss-Seidel in double, one row after the other, to convergence ---- */

typedef struct reference_row {
	uint32_t body[2];
	cn_twist j[2], step[2]; /* the row and M^-1 times it */
	double diagonal;
} reference_row;

static cn_twist weigh(const cn_qp *qp, uint32_t body, cn_twist j)
{
	if (body == CN_QP_NONE)
		return (cn_twist){{0, 0, 0}, {0, 0, 0}};
	const cn_qp_body *b = &qp->bodies[body];
	const double *i = b->inv_inertia;
	return (cn_twist){v3_scale(j.v, b->inv_mass),
	                  v3_make(i[0] * j.w.x + i[1] * j.w.y + i[2] * j.w.z, i[1] * j.w.x + i[3] * j.w.y + i[4] * j.w.z,
	                          i[2] * j.w.x + i[4] * j.w.y + i[5] * j.w.z)};
}

static double along(cn_twist j, cn_twist u) { return v3_dot(j.v, u.v) + v3_dot(j.w, u.w); }

static reference_row make_row(const cn_qp *qp, uint32_t a, uint32_t b, cn_twist ja, cn_twist jb)
{
	reference_row row = {.body = {a, b}, .j = {ja, jb}};
	for (int k = 0; k < 2; ++k) {
		row.step[k] = weigh(qp, row.body[k], row.j[k]);
		row.diagonal += along(row.j[k], row.step[k]);
	}
	return row;
}

static reference_row along_axis(const cn_qp *qp, const cn_qp_contact *c, v3 n)
{
	return make_row(qp, c->a, c->b, (cn_twist){v3_neg(n), v3_cross(n, c->ra)}, (cn_twist){n, v3_cross(c->rb, n)});
}

static double value_of(const reference_row *row, const cn_twist *u)
{
	double sum = 0;
	for (int k = 0; k < 2; ++k)
		sum += row->body[k] == CN_QP_NONE ? 0 : along(row->j[k], u[row->body[k]]);
	return sum;
}

static void step_row(const reference_row *row, double d, cn_twist *u)
{
	for (int k = 0; k < 2; ++k)
		if (row->body[k] != CN_QP_NONE)
			u[row->body[k]] = twist_sum(u[row->body[k]], row->step[k], d);
}

static double most_of(double a, double b) { return a > b ? a : b; }

/* The tangents of a contact; returns the largest change of a speed. */
static double reference_tangents(const reference_row *rows, double edge, double *y, cn_twist *u)
{
	double st = 0;
	for (int k = 0; k < 2; ++k)
		st += along(rows[1].j[k], rows[2].step[k]);
	double half = 0.5 * (rows[1].diagonal - rows[2].diagonal);
	double most = 0.5 * (rows[1].diagonal + rows[2].diagonal) + sqrt(half * half + st * st);
	if (!(most > 0))
		return 0;
	double s = y[1] - value_of(&rows[1], u) / most, t = y[2] - value_of(&rows[2], u) / most, size = sqrt(s * s + t * t);
	if (size > edge) {
		s *= edge / size;
		t *= edge / size;
	}
	double ds = s - y[1], dt = t - y[2];
	step_row(&rows[1], ds, u);
	step_row(&rows[2], dt, u);
	y[1] = s;
	y[2] = t;
	return most * (fabs(ds) + fabs(dt));
}

/* Solves into u, from nothing or from a solution; returns the last sweep's largest change of a row. */
static double reference(const cn_qp *qp, bool momentum, uint32_t sweeps, const cn_qp_solution *from, cn_twist *u)
{
	static reference_row contact[RANDOM_CONTACTS][3], row[RANDOM_ROWS + 1];
	static double y[RANDOM_CONTACTS][3], z[RANDOM_ROWS + 1];
	memset(y, 0, sizeof y);
	memset(z, 0, sizeof z);
	memcpy(u, from ? from->u : qp->u0, qp->body_count * sizeof *u);
	for (uint32_t i = 0; i < qp->contact_count && from; ++i) {
		y[i][0] = from->contact[i].n;
		y[i][1] = from->contact[i].s;
		y[i][2] = from->contact[i].t;
	}
	for (uint32_t i = 0; i < qp->row_count && from; ++i)
		z[i] = from->row[i];
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		v3 n = qp->contacts[i].n, s, t;
		cn_qp_tangents(n, &s, &t);
		contact[i][0] = along_axis(qp, &qp->contacts[i], n);
		contact[i][1] = along_axis(qp, &qp->contacts[i], s);
		contact[i][2] = along_axis(qp, &qp->contacts[i], t);
	}
	for (uint32_t i = 0; i < qp->row_count; ++i)
		row[i] = make_row(qp, qp->rows[i].a, qp->rows[i].b, qp->rows[i].ja, qp->rows[i].jb);
	double largest = 1;
	for (uint32_t k = 0; k < sweeps && largest > 1e-14; ++k) {
		largest = 0;
		for (uint32_t i = 0; i < qp->contact_count; ++i) {
			const reference_row *r = contact[i];
			if (!(r[0].diagonal > 0))
				continue;
			double wanted = y[i][0] + (qp->contacts[i].least - value_of(&r[0], u)) / r[0].diagonal;
			double d = (wanted > 0 ? wanted : 0) - y[i][0];
			step_row(&r[0], d, u);
			y[i][0] += d;
			largest = most_of(largest, fabs(d) * r[0].diagonal);
			if (momentum)
				largest = most_of(largest, reference_tangents(r, qp->contacts[i].mu * y[i][0], y[i], u));
		}
		for (uint32_t i = 0; i < qp->row_count; ++i) {
			if (!(row[i].diagonal > 0))
				continue;
			double free = value_of(&row[i], u) - row[i].diagonal * z[i], low = qp->rows[i].low, high = qp->rows[i].high;
			double wanted = free < low    ? (low - free) / row[i].diagonal
			                : free > high ? (high - free) / row[i].diagonal
			                              : 0;
			double d = wanted - z[i];
			step_row(&row[i], d, u);
			z[i] = wanted;
			largest = most_of(largest, fabs(d) * row[i].diagonal);
		}
	}
	return largest;
}

static double farthest(const cn_qp *qp, const cn_twist *a, const cn_twist *b)
{
	double most = 0;
	for (uint32_t i = 0; i < qp->body_count; ++i) {
		cn_twist d = twist_sum(a[i], b[i], -1);
		most = most_of(most, sqrt(v3_length2(d.v) + v3_length2(d.w)));
	}
	return most;
}

/* Where the reference converges: the same answer, speeds being about 1. With friction there may be several; then
 * the reference, started from this one, must stay there. */
static void compare_with_reference(bool momentum)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	const double bound = 2e-4;
	int converged = 0, same = 0, seeds = SLOW ? 15 : 120;
	double worst = 0;
	static random_program p;
	for (uint64_t seed = 1000; seed < 1000 + (uint64_t)seeds; ++seed) {
		draw_program(&p, seed, 6, 0, momentum);
		for (uint32_t i = 0; i < p.qp.contact_count; ++i)
			p.contacts[i].mu *= 0.5;
		cn_twist u[RANDOM_BODIES];
		if (reference(&p.qp, momentum, 1000, NULL, u) > 1e-14)
			continue;
		++converged;
		solved s = make_room(&p.qp);
		cn_fast_options options = {.sweeps = 2000};
		solve(fast, &p.qp, momentum, &options, &s);
		check_promises(&p.qp, momentum, &s);
		double off = farthest(&p.qp, s.solution.u, u);
		if (off <= bound) {
			++same;
		} else {
			CHECK(momentum);
			reference(&p.qp, momentum, 1000, &s.solution, u);
			off = farthest(&p.qp, s.solution.u, u);
			CHECK(off <= bound);
		}
		worst = most_of(worst, off);
		free_room(&s);
	}
	printf("%s: %d programs of %d, %d the same, off by at most %.1e\n", momentum ? "momentum" : "position", converged,
	       seeds, same, worst);
	CHECK(converged >= seeds / 2);
	CHECK(same >= converged - converged / 10);
	cn_fast_destroy(fast);
}

TEST(position_reference) { compare_with_reference(false); }
TEST(momentum_reference) { compare_with_reference(true); }

/* ---- Physics ---- */

TEST(sliding_block_stays_down)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static stack s;
	build_stack(&s, 1, 0.5);
	s.u0[0].v.x = 5;
	solved out = make_room(&s.qp);
	cn_fast_options options = {.sweeps = 2000, .tolerance = 1e-9};
	solve(fast, &s.qp, true, &options, &out);
	check_promises(&s.qp, true, &out);
	CHECK_NEAR(out.solution.u[0].v.z, 0, 1e-6);
	CHECK_NEAR(out.solution.u[0].v.x, 5 - 0.5 * 9.81 * frame, 1e-5);
	options = (cn_fast_options){.sweeps = 40};
	solve(fast, &s.qp, true, &options, &out);
	CHECK(out.solution.u[0].v.z <= 1e-6);
	free_room(&out);
	cn_fast_destroy(fast);
}

TEST(stack_stays_at_rest)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static stack s;
	build_stack(&s, 10, 0.5);
	solved out = make_room(&s.qp);
	/* The weight above each cube, shared by its corners. */
	for (uint32_t i = 0; i < 40; ++i)
		out.solution.contact[i].n = 0.25 * (10 - i / 4) * 9.81 * frame;
	cn_fast_options options = {.sweeps = 40, .warm = true};
	double fastest = 0;
	for (int step = 0; step < 200; ++step) {
		solve(fast, &s.qp, true, &options, &out);
		for (uint32_t i = 0; i < 10; ++i) {
			s.u0[i] = out.solution.u[i];
			s.u0[i].v.z -= 9.81 * frame;
		}
		for (uint32_t i = 0; i < 10; ++i)
			fastest = most_of(fastest, sqrt(v3_length2(out.solution.u[i].v) + v3_length2(out.solution.u[i].w)));
	}
	CHECK_NEAR(fastest, 0, 1e-5);
	free_room(&out);
	cn_fast_destroy(fast);
}

TEST(bounce_of_a_ball)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	cn_qp_body body = {2, {5, 0, 0, 5, 0, 5}};
	cn_twist u0 = {{0, 0, -3}, {0, 0, 0}};
	cn_qp_contact contact = {.a = CN_QP_NONE, .b = 0, .n = {0, 0, 1}, .rb = {0, 0, -0.5}, .mu = 0.3, .eps = 0.8};
	cn_qp qp = {.body_count = 1, .contact_count = 1, .bodies = &body, .u0 = &u0, .contacts = &contact};
	solved out = make_room(&qp);
	cn_fast_options options = {.sweeps = 40, .bounce = true};
	solve(fast, &qp, true, &options, &out);
	CHECK_NEAR(out.solution.u[0].v.z, 2.4, 1e-6);
	free_room(&out);
	cn_fast_destroy(fast);
}

/* However early it stops and whatever it starts from. */
TEST(energy_does_not_rise)
{
	static const uint32_t sweeps[] = {0, 1, 2, 7, 40};
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static random_program p;
	uint64_t state = 5;
	for (uint64_t seed = 1; seed <= (SLOW ? 60 : 800); ++seed) {
		draw_program(&p, seed, RANDOM_BODIES, 0, true);
		for (uint32_t i = 0; i < p.qp.body_count; ++i)
			if (!(p.bodies[i].inv_mass > 0))
				p.u0[i] = (cn_twist){{0, 0, 0}, {0, 0, 0}};
		for (uint32_t i = 0; i < p.qp.contact_count; ++i)
			p.contacts[i].eps = seed % 3 ? 1 : fabs(cn_random_signed(&state));
		solved s = make_room(&p.qp);
		double before = cn_qp_energy(&p.qp, p.u0);
		for (size_t k = 0; k < CN_COUNT(sweeps); ++k)
			for (int bounce = 0; bounce < 2; ++bounce) {
				cn_fast_options options = {.sweeps = sweeps[k], .warm = seed % 2, .bounce = bounce};
				for (uint32_t i = 0; i < p.qp.contact_count && seed % 4 == 1; ++i)
					s.solution.contact[i].n = 2 * cn_random_signed(&state); /* a start that fits nothing */
				solve(fast, &p.qp, true, &options, &s);
				CHECK(cn_qp_energy(&p.qp, s.solution.u) <= before * (1 + 1e-12));
			}
		free_room(&s);
	}
	cn_fast_destroy(fast);
}

/* One island's loss does not pay for another's gain: what lies still stays so, though its start is a load it no longer
 * has and something else comes to a stop. */
TEST(energy_does_not_rise_in_any_island)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static stack s;
	build_stack(&s, 11, 0);
	memset(s.u0, 0, sizeof s.u0);
	s.u0[10].v.z = -100;
	for (uint32_t i = 40; i < 44; ++i)
		s.contacts[i].a = CN_QP_NONE;
	solved out = make_room(&s.qp);
	for (uint32_t sweeps = 0; sweeps <= 8; ++sweeps) {
		for (uint32_t i = 0; i < 44; ++i)
			out.solution.contact[i] = (cn_qp_impulse){i < 40 ? 10 - i / 4 : sweeps ? 0 : 25, 0, 0};
		cn_fast_options options = {.sweeps = sweeps, .warm = true};
		solve(fast, &s.qp, true, &options, &out);
		check_promises(&s.qp, true, &out);
		double fastest = 0;
		for (uint32_t i = 0; i < 10; ++i)
			fastest = most_of(fastest, v3_length(out.solution.u[i].v));
		CHECK_NEAR(fastest, 0, 1e-12);
	}
	free_room(&out);
	cn_fast_destroy(fast);
}

TEST(warm_start_saves_sweeps)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	pile_options o = {.bodies = 100, .edge = 1, .slab = 0.015, .tilt = 4e-3, .gap = 0.02, .mu = 0.5, .seed = 3};
	pile p = pile_make(&o);
	for (int momentum = 0; momentum < 2; ++momentum) {
		if (momentum)
			pile_ask_speeds(&p, NULL, frame);
		else
			pile_ask_positions(&p, 0.3, 1, frame, 1e-3);
		solved s = make_room(&p.qp);
		cn_fast_options options = {.sweeps = 5000, .tolerance = 1e-6};
		solve(fast, &p.qp, momentum, &options, &s);
		CHECK_INT(s.result.status, CN_QP_SOLVED);
		uint32_t cold = s.result.sweeps;
		options.warm = true;
		solve(fast, &p.qp, momentum, &options, &s);
		check_promises(&p.qp, momentum, &s);
		CHECK_INT(s.result.status, CN_QP_SOLVED);
		CHECK(4 * s.result.sweeps < cold);
		free_room(&s);
	}
	pile_free(&p);
	cn_fast_destroy(fast);
}

/* ---- Odd programs ---- */

static void try_all(cn_fast *fast, const cn_qp *qp)
{
	solved s = make_room(qp);
	for (int k = 0; k < 8; ++k) {
		cn_fast_options options = {.sweeps = k < 4 ? 0 : 60, .warm = k & 1, .bounce = k & 2};
		solve(fast, qp, true, &options, &s);
		check_promises(qp, true, &s);
		solve(fast, qp, false, &options, &s);
		check_promises(qp, false, &s);
	}
	free_room(&s);
}

TEST(odd_programs)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static stack s;
	cn_qp empty = {0};
	try_all(fast, &empty);
	build_stack(&s, 1, 0.5);
	s.qp.contact_count = 0; /* no contacts */
	try_all(fast, &s.qp);
	build_stack(&s, 5, 0.5);
	for (int i = 0; i < 5; ++i)
		s.bodies[i] = (cn_qp_body){0, {0, 0, 0, 0, 0, 0}}; /* nothing can move */
	try_all(fast, &s.qp);
	build_stack(&s, 5, 0.5);
	for (int i = 0; i < 20; ++i)
		s.contacts[i].ra = s.contacts[i].rb = v3_zero(); /* no levers, all points the same */
	try_all(fast, &s.qp);
	build_stack(&s, 5, 0.5);
	for (int i = 0; i < 5; ++i)
		memset(s.bodies[i].inv_inertia, 0, sizeof s.bodies[i].inv_inertia); /* cannot turn */
	s.bodies[2].inv_inertia[0] = 3;                                         /* but this one about x */
	try_all(fast, &s.qp);
	for (int ratio = 0; ratio < 4; ++ratio) {
		static const double heavy[] = {1e4, 1e8, 1e-4, 1e-8};
		build_stack(&s, 10, ratio % 2 ? 0 : 10);
		s.bodies[9].inv_mass /= heavy[ratio];
		for (int k = 0; k < 6; ++k)
			s.bodies[9].inv_inertia[k] /= heavy[ratio];
		try_all(fast, &s.qp);
	}
	build_stack(&s, 3, 0.5); /* at rest, nothing to do */
	memset(s.u0, 0, sizeof s.u0);
	try_all(fast, &s.qp);
	cn_fast_destroy(fast);
	CHECK_INT(memory.bytes, 0);
}

/* SOLVED is claimed of no program without an answer, however long the sweeps go on, nor of digits a float has not. */
TEST(no_answer_is_not_solved)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static stack s;
	build_stack(&s, 2, 0.5);
	s.bodies[0] = s.bodies[1] = (cn_qp_body){0, {0, 0, 0, 0, 0, 0}};
	s.u0[1].v.z = -2; /* what cannot be moved goes into what cannot be moved */
	cn_qp_row against[2] = {{.a = 0, .b = CN_QP_NONE, .ja = {{0, 0, 1}, {0, 0, 0}}, .low = 1, .high = INFINITY},
	                        {.a = 0, .b = CN_QP_NONE, .ja = {{0, 0, 1}, {0, 0, 0}}, .low = -INFINITY, .high = -1}};
	cn_twist still = {{0, 0, 0}, {0, 0, 0}};
	cn_qp contradiction = {.body_count = 1, .row_count = 2, .bodies = &unit_cube, .u0 = &still, .rows = against};
	static const double tolerance[] = {0, 1e-6, 1e-13};
	for (int momentum = 0; momentum < 2; ++momentum)
		for (size_t k = 0; k < CN_COUNT(tolerance); ++k) {
			cn_fast_options options = {.sweeps = 20000, .tolerance = tolerance[k]};
			solved out = make_room(&s.qp);
			solve(fast, &s.qp, momentum, &options, &out);
			CHECK_INT(out.result.status, CN_QP_EARLY);
			CHECK(out.result.violation >= 1 && out.result.residual >= 1);
			free_room(&out);
			out = make_room(&contradiction);
			solve(fast, &contradiction, momentum, &options, &out);
			check_promises(&contradiction, momentum, &out);
			CHECK_INT(out.result.status, CN_QP_EARLY);
			CHECK(out.result.violation >= 1);
			free_room(&out);
		}
	build_stack(&s, 10, 0.5);
	s.bodies[9].inv_mass /= 1e6;
	solved out = make_room(&s.qp);
	cn_fast_options options = {.sweeps = 20000, .tolerance = 1e-12};
	solve(fast, &s.qp, true, &options, &out);
	CHECK(out.result.status == CN_QP_EARLY || out.result.violation < 1e-9);
	CHECK(out.result.sweeps == 20000 || out.result.residual >= out.result.violation);
	free_room(&out);
	cn_fast_destroy(fast);
}

/* A bound that stands for none sets no scale. */
TEST(far_bounds_change_nothing)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static stack s;
	build_stack(&s, 5, 0.5);
	cn_qp_row row = {.a = 2, .b = CN_QP_NONE, .ja = {{1, 0, 0}, {0, 0, 0}}, .low = -1e30, .high = 1e25};
	solved plain = make_room(&s.qp);
	cn_fast_options options = {.sweeps = 30};
	solve(fast, &s.qp, true, &options, &plain);
	s.qp.rows = &row;
	s.qp.row_count = 1;
	s.contacts[s.qp.contact_count++] = (cn_qp_contact){.a = CN_QP_NONE, .b = 4, .n = {1, 0, 0}, .least = -1e20};
	solved far = make_room(&s.qp);
	solve(fast, &s.qp, true, &options, &far);
	CHECK(memcmp(plain.solution.u, far.solution.u, 5 * sizeof *far.solution.u) == 0);
	free_room(&plain);
	free_room(&far);
	cn_fast_destroy(fast);
}

/* One body under 300 others, more than there are colours, and a chain of joints. */
TEST(crowded_body_and_joints)
{
	enum { COUNT = 300 };
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static cn_qp_body bodies[COUNT + 1];
	static cn_twist u0[COUNT + 1];
	static cn_qp_contact contacts[COUNT + 4];
	static cn_qp_row rows[3 * (COUNT - 1)];
	for (uint32_t i = 0; i <= COUNT; ++i) {
		bodies[i] = i == COUNT ? (cn_qp_body){1e-3, {1e-5, 0, 0, 1e-5, 0, 1e-5}} : unit_cube;
		u0[i] = (cn_twist){{0, 0, -9.81 * frame}, {0, 0, 0}};
	}
	for (uint32_t i = 0; i < COUNT; ++i) {
		double x = (double)(i % 20) - 9.5, y = (double)(i / 20) - 7;
		contacts[i] =
			(cn_qp_contact){.a = COUNT, .b = i, .n = {0, 0, 1}, .ra = {x, y, 0.5}, .rb = {0, 0, -0.5}, .mu = 0.4};
	}
	for (uint32_t i = 0; i < 4; ++i)
		contacts[COUNT + i] = (cn_qp_contact){
			.a = CN_QP_NONE, .b = COUNT, .n = {0, 0, 1}, .rb = {i % 2 ? 10 : -10, i / 2 ? 7 : -7, -0.5}, .mu = 0.4};
	for (uint32_t i = 0; i + 1 < COUNT; ++i)
		for (int axis = 0; axis < 3; ++axis) { /* ball joints half way */
			v3 e = axis == 0 ? v3_make(1, 0, 0) : axis == 1 ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
			rows[3 * i + (uint32_t)axis] = (cn_qp_row){.a = i,
			                                           .b = i + 1,
			                                           .ja = {v3_neg(e), v3_cross(e, v3_make(0.5, 0, 0))},
			                                           .jb = {e, v3_cross(v3_make(-0.5, 0, 0), e)}};
		}
	cn_qp qp = {.body_count = COUNT + 1,
	            .contact_count = COUNT + 4,
	            .row_count = 3 * (COUNT - 1),
	            .bodies = bodies,
	            .u0 = u0,
	            .contacts = contacts,
	            .rows = rows};
	solved s = make_room(&qp);
	for (int momentum = 0; momentum < 2; ++momentum) {
		cn_fast_options options = {.sweeps = 4000, .tolerance = 1e-7};
		solve(fast, &qp, momentum, &options, &s);
		check_promises(&qp, momentum, &s);
		CHECK_INT(s.result.status, CN_QP_SOLVED);
		CHECK_NEAR(s.result.violation, 0, 1e-4);
		CHECK(fast->colour_count > 128);
	}
	free_room(&s);
	cn_fast_destroy(fast);
}

/* Powers of two in mass, length and speed change no digit; other scales change nothing that matters. */
TEST(scales)
{
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	static const double scale[] = {0.0009765625, 1048576, 1e-6, 1e6};
	pile_options o = {.bodies = 60, .edge = 1, .slab = 0.015, .tilt = 4e-3, .gap = 0.02, .mu = 0.5, .seed = 5};
	pile p = pile_make(&o);
	pile_ask_speeds(&p, NULL, frame);
	solved plain = make_room(&p.qp), scaled = make_room(&p.qp);
	cn_fast_options options = {.sweeps = 40};
	solve(fast, &p.qp, true, &options, &plain);
	for (int k = 0; k < 4; ++k) {
		double mass = scale[k], length = scale[3 - k], speed = scale[k];
		for (uint32_t i = 0; i < p.qp.body_count; ++i) {
			p.bodies[i].inv_mass /= mass;
			p.u0[i].v = v3_scale(p.u0[i].v, speed);
			for (int j = 0; j < 6; ++j)
				p.bodies[i].inv_inertia[j] /= mass * length * length;
		}
		for (uint32_t i = 0; i < p.qp.contact_count; ++i) {
			p.contacts[i].ra = v3_scale(p.contacts[i].ra, length);
			p.contacts[i].rb = v3_scale(p.contacts[i].rb, length);
		}
		solve(fast, &p.qp, true, &options, &scaled);
		check_promises(&p.qp, true, &scaled);
		double off = 0;
		for (uint32_t i = 0; i < p.qp.body_count; ++i)
			off = most_of(off, v3_length(v3_sub(v3_scale(scaled.solution.u[i].v, 1 / speed), plain.solution.u[i].v)));
		CHECK_NEAR(off, 0, 1e-4);
		for (uint32_t i = 0; i < p.qp.body_count; ++i) {
			p.bodies[i].inv_mass *= mass;
			p.u0[i].v = v3_scale(p.u0[i].v, 1 / speed);
			for (int j = 0; j < 6; ++j)
				p.bodies[i].inv_inertia[j] *= mass * length * length;
		}
		for (uint32_t i = 0; i < p.qp.contact_count; ++i) {
			p.contacts[i].ra = v3_scale(p.contacts[i].ra, 1 / length);
			p.contacts[i].rb = v3_scale(p.contacts[i].rb, 1 / length);
		}
	}
	free_room(&plain);
	free_room(&scaled);
	pile_free(&p);
	cn_fast_destroy(fast);
}

/* Balls in a row that is hit: the rows of those without friction turn nothing, and lead where rows that would turn them
 * lead. */
TEST(balls_turn_nothing)
{
	static stack balls, rough;
	solved s[2];
	cn_fast *fast = cn_fast_create(&allocator);
	REQUIRE(fast);
	build_stack(&balls, 10, 0);
	for (uint32_t i = 0; i < balls.qp.contact_count; ++i) {
		balls.contacts[i].ra = balls.contacts[i].a == CN_QP_NONE ? v3_make(3, 4, 0) : v3_make(0, 0, 0.5);
		balls.contacts[i].rb = v3_make(0, 0, -0.5);
	}
	balls.u0[9].v = v3_make(1, 2, -5);
	balls.u0[4].w = v3_make(0.1, 0.2, 3);
	rough = balls;
	rough.qp.bodies = rough.bodies, rough.qp.u0 = rough.u0, rough.qp.contacts = rough.contacts;
	for (uint32_t i = 0; i < rough.qp.contact_count; ++i)
		rough.contacts[i].mu = 1e-30;
	cn_fast_options options = {.sweeps = 200};
	for (int k = 0; k < 2; ++k) {
		const cn_qp *qp = k ? &rough.qp : &balls.qp;
		s[k] = make_room(qp);
		solve(fast, qp, true, &options, &s[k]);
		CHECK_INT(fast->batches[0].kind, k ? CN_FAST_COULOMB : CN_FAST_FLAT);
		check_promises(qp, true, &s[k]);
	}
	for (uint32_t i = 0; i < balls.qp.body_count; ++i)
		CHECK_NEAR(v3_length(v3_sub(s[0].solution.u[i].v, s[1].solution.u[i].v)), 0, 1e-5);
	solve(fast, &balls.qp, false, &options, &s[0]);
	CHECK_INT(fast->batches[0].kind, CN_FAST_FLAT);
	check_promises(&balls.qp, false, &s[0]);
	free_room(&s[0]);
	free_room(&s[1]);
	cn_fast_destroy(fast);
}

TEST_MAIN(TEST_CASE(promises), TEST_CASE(balls_turn_nothing), TEST_CASE(position_reference),
          TEST_CASE(momentum_reference), TEST_CASE(sliding_block_stays_down), TEST_CASE(stack_stays_at_rest),
          TEST_CASE(bounce_of_a_ball), TEST_CASE(energy_does_not_rise), TEST_CASE(energy_does_not_rise_in_any_island),
          TEST_CASE(warm_start_saves_sweeps), TEST_CASE(odd_programs), TEST_CASE(no_answer_is_not_solved),
          TEST_CASE(far_bounds_change_nothing), TEST_CASE(crowded_body_and_joints), TEST_CASE(scales))
