/* What every solver shares: rows applied to bodies against dense matrices formed here; tangents, islands, energies; and
 * restitution with its energy proof. */
#include "test.h"

#include "num/qp_bounce.h"
#include "programs.h"

enum { MANY = TEST_FEW ? 200 : 2000 };

enum { SIZE = 6 * PROGRAM_BODIES };

static const program_wish mixed = {.most_bodies = 9, .scales = 1, .ratios = 2, .driven = true, .joints = true};

static void draw_multipliers(program *p)
{
	for (uint32_t i = 0; i < p->qp.contact_count; ++i) {
		double n = program_unit(p), s = program_signed(p), t = program_signed(p);
		bool rubs = program_chance(p, 0.7);
		p->contact[i] = (cn_qp_impulse){n * p->mass * p->speed, rubs ? s * p->mass * p->speed : 0,
		                                rubs ? t * p->mass * p->speed : 0};
	}
	for (uint32_t i = 0; i < p->qp.row_count; ++i)
		p->row[i] = program_signed(p) * p->mass * p->speed;
}

/* One row of J as a dense vector. */
static void dense_axis(const cn_qp_contact *c, v3 d, double *j)
{
	memset(j, 0, SIZE * sizeof *j);
	v3 on_a = v3_cross(c->ra, d), on_b = v3_cross(c->rb, d);
	double a[6] = {d.x, d.y, d.z, on_a.x, on_a.y, on_a.z}, b[6] = {d.x, d.y, d.z, on_b.x, on_b.y, on_b.z};
	for (uint32_t k = 0; k < 6; ++k) {
		if (c->a != CN_QP_NONE)
			j[6 * c->a + k] = -a[k];
		if (c->b != CN_QP_NONE)
			j[6 * c->b + k] = b[k];
	}
}

static void dense_row(const cn_qp_row *r, double *j)
{
	memset(j, 0, SIZE * sizeof *j);
	double a[6] = {r->ja.v.x, r->ja.v.y, r->ja.v.z, r->ja.w.x, r->ja.w.y, r->ja.w.z};
	double b[6] = {r->jb.v.x, r->jb.v.y, r->jb.v.z, r->jb.w.x, r->jb.w.y, r->jb.w.z};
	for (uint32_t k = 0; k < 6; ++k) {
		j[6 * r->a + k] = a[k];
		if (r->b != CN_QP_NONE)
			j[6 * r->b + k] = b[k];
	}
}

static double dense_value(const program *p, const double *j, const cn_twist *u)
{
	double sum = 0;
	for (uint32_t b = 0; b < p->qp.body_count; ++b) {
		double x[6] = {u[b].v.x, u[b].v.y, u[b].v.z, u[b].w.x, u[b].w.y, u[b].w.z};
		for (uint32_t k = 0; k < 6; ++k)
			sum += j[6 * b + k] * x[k];
	}
	return sum;
}

static void dense_inverse_mass(const cn_qp_body *b, double w[6][6])
{
	static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
	memset(w, 0, 36 * sizeof(double));
	for (int r = 0; r < 3; ++r) {
		w[r][r] = b->inv_mass;
		for (int c = 0; c < 3; ++c)
			w[3 + r][3 + c] = b->inv_inertia[place[r][c]];
	}
}

TEST(apply_is_the_dense_product)
{
	static program p;
	static double j[SIZE], sum[SIZE], size[SIZE];
	static cn_twist stepped[PROGRAM_BODIES];
	for (uint64_t seed = 1; seed <= MANY; ++seed) {
		program_draw(&p, seed, &mixed);
		draw_multipliers(&p);
		memset(sum, 0, sizeof sum);
		memset(size, 0, sizeof size);
		for (uint32_t i = 0; i < p.qp.body_count; ++i)
			stepped[i] = p.u0[i];
		for (uint32_t i = 0; i < p.qp.contact_count; ++i) {
			v3 axis[3] = {p.contacts[i].n};
			double y[3] = {p.contact[i].n, p.contact[i].s, p.contact[i].t};
			cn_qp_tangents(axis[0], &axis[1], &axis[2]);
			cn_qp_impulse v = cn_qp_speed(&p.qp, i, p.u0);
			double speed[3] = {v.n, v.s, v.t};
			for (int a = 0; a < 3; ++a) {
				dense_axis(&p.contacts[i], axis[a], j);
				CHECK_NEAR(speed[a], dense_value(&p, j, p.u0), 1e-13 * 100 * p.speed);
				for (int k = 0; k < SIZE; ++k)
					sum[k] += j[k] * y[a], size[k] += fabs(j[k] * y[a]);
			}
			cn_qp_push_contact(&p.qp, i, p.contact[i], stepped);
		}
		for (uint32_t i = 0; i < p.qp.row_count; ++i) {
			dense_row(&p.rows[i], j);
			CHECK_NEAR(cn_qp_row_value(&p.qp, i, p.u0), dense_value(&p, j, p.u0), 1e-13 * 100 * p.speed);
			for (int k = 0; k < SIZE; ++k)
				sum[k] += j[k] * p.row[i], size[k] += fabs(j[k] * p.row[i]);
			const cn_qp_row *row = &p.rows[i];
			double y = p.row[i];
			if (row->a != CN_QP_NONE)
				cn_qp_push(&p.bodies[row->a], v3_scale(row->ja.v, y), v3_scale(row->ja.w, y), &stepped[row->a]);
			if (row->b != CN_QP_NONE)
				cn_qp_push(&p.bodies[row->b], v3_scale(row->jb.v, y), v3_scale(row->jb.w, y), &stepped[row->b]);
		}
		cn_qp_apply(&p.qp, p.contact, p.row, p.u);
		for (uint32_t b = 0; b < p.qp.body_count; ++b) {
			double w[6][6];
			double x0[6] = {p.u0[b].v.x, p.u0[b].v.y, p.u0[b].v.z, p.u0[b].w.x, p.u0[b].w.y, p.u0[b].w.z};
			double x[6] = {p.u[b].v.x, p.u[b].v.y, p.u[b].v.z, p.u[b].w.x, p.u[b].w.y, p.u[b].w.z};
			double xs[6] = {stepped[b].v.x, stepped[b].v.y, stepped[b].v.z,
			                stepped[b].w.x, stepped[b].w.y, stepped[b].w.z};
			dense_inverse_mass(&p.bodies[b], w);
			for (int r = 0; r < 6; ++r) {
				double wanted = x0[r], most = fabs(x0[r]);
				for (int c = 0; c < 6; ++c) {
					wanted += w[r][c] * sum[6 * b + (uint32_t)c];
					most += fabs(w[r][c]) * size[6 * b + (uint32_t)c];
				}
				CHECK_NEAR(x[r], wanted, 1e-13 * most);
				CHECK_NEAR(xs[r], wanted, 1e-13 * most);
			}
		}
	}
}

TEST(tangents_are_a_frame)
{
	static program p;
	p.state = 5;
	for (uint32_t k = 0; k < MANY; ++k) {
		v3 n = program_direction(&p), s, t;
		if (k % 5 == 0) /* along an axis, or nearly */
			n = v3_unit(v3_madd(v3_make(k % 3 == 0, k % 3 == 1, k % 3 == 2), n, k % 2 ? 0 : 1e-9));
		cn_qp_tangents(n, &s, &t);
		CHECK_NEAR(v3_length(s), 1, 4e-16);
		CHECK_NEAR(v3_length(t), 1, 8e-16);
		CHECK_NEAR(v3_dot(n, s), 0, 4e-16);
		CHECK_NEAR(v3_dot(n, t), 0, 4e-16);
		CHECK_NEAR(v3_dot(s, t), 0, 4e-16);
		CHECK_NEAR(v3_dot(v3_cross(n, s), t), 1, 1e-15);
	}
}

/* u' M u by inverting the 6x6 matrix with Gauss-Jordan. */
static double dense_square(const cn_qp_body *body, cn_twist u)
{
	double w[6][6], x[6] = {u.v.x, u.v.y, u.v.z, u.w.x, u.w.y, u.w.z}, y[6], sum = 0;
	if (!(body->inv_mass > 0))
		return 0;
	dense_inverse_mass(body, w);
	memcpy(y, x, sizeof y);
	for (int c = 0; c < 6; ++c)
		for (int r = 0; r < 6; ++r) {
			if (r == c)
				continue;
			double f = w[r][c] / w[c][c];
			for (int k = 0; k < 6; ++k)
				w[r][k] -= f * w[c][k];
			y[r] -= f * y[c];
		}
	for (int r = 0; r < 6; ++r)
		sum += x[r] * y[r] / w[r][r];
	return sum;
}

TEST(energies_are_the_dense_squares)
{
	static program p;
	for (uint64_t seed = 1; seed <= MANY; ++seed) {
		program_draw(&p, seed, &mixed);
		double energy = 0, objective = 0;
		for (uint32_t i = 0; i < p.qp.body_count; ++i) {
			p.u[i] = program_twist(&p, 1);
			cn_twist off = {v3_sub(p.u[i].v, p.u0[i].v), v3_sub(p.u[i].w, p.u0[i].w)};
			energy += 0.5 * dense_square(&p.bodies[i], p.u[i]);
			objective += 0.5 * dense_square(&p.bodies[i], off);
		}
		CHECK_NEAR(cn_qp_energy(&p.qp, p.u), energy, 1e-12 * energy);
		CHECK_NEAR(cn_qp_objective(&p.qp, p.u), objective, 1e-12 * objective);
	}
	cn_qp_body point = {0.5, {0, 0, 0, 0, 0, 0}}; /* cannot turn */
	cn_twist u = {{3, 0, 0}, {0, 0, 0}}, zero = {{0, 0, 0}, {0, 0, 0}};
	cn_qp qp = {.body_count = 1, .bodies = &point, .u0 = &zero};
	CHECK_NEAR(cn_qp_energy(&qp, &u), 9, 0);
	CHECK_NEAR(cn_qp_objective(&qp, &u), 9, 0);
}

TEST(violation_is_the_worst_row)
{
	static program p;
	static double j[SIZE];
	for (uint64_t seed = 1; seed <= MANY; ++seed) {
		double worst = 0;
		program_draw(&p, seed, &mixed);
		for (uint32_t i = 0; i < p.qp.contact_count; ++i) {
			dense_axis(&p.contacts[i], p.contacts[i].n, j);
			double lack = p.contacts[i].least - dense_value(&p, j, p.u0);
			worst = lack > worst ? lack : worst;
		}
		for (uint32_t i = 0; i < p.qp.row_count; ++i) {
			dense_row(&p.rows[i], j);
			double v = dense_value(&p, j, p.u0), below = p.rows[i].low - v, above = v - p.rows[i].high;
			worst = below > worst ? below : worst;
			worst = above > worst ? above : worst;
		}
		CHECK_NEAR(cn_qp_violation(&p.qp, p.u0), worst, 1e-12 * p.speed);
	}
}

TEST(islands_are_connected_parts)
{
	static program p;
	uint32_t island[PROGRAM_BODIES];
	for (uint64_t seed = 1; seed <= MANY; ++seed) {
		program_draw(&p, seed, &mixed);
		cn_qp_islands(&p.qp, island);
		/* By spreading the least number along rows until nothing changes. */
		uint32_t wanted[PROGRAM_BODIES];
		for (uint32_t i = 0; i < p.qp.body_count; ++i)
			wanted[i] = p.bodies[i].inv_mass > 0 ? i : CN_QP_NONE;
		for (bool changed = true; changed;) {
			changed = false;
			for (uint32_t k = 0; k < p.qp.contact_count + p.qp.row_count; ++k) {
				bool contact = k < p.qp.contact_count;
				uint32_t a = contact ? p.contacts[k].a : p.rows[k - p.qp.contact_count].a;
				uint32_t b = contact ? p.contacts[k].b : p.rows[k - p.qp.contact_count].b;
				if (a == CN_QP_NONE || b == CN_QP_NONE || wanted[a] == CN_QP_NONE || wanted[b] == CN_QP_NONE ||
				    wanted[a] == wanted[b])
					continue;
				wanted[a] = wanted[b] = wanted[a] < wanted[b] ? wanted[a] : wanted[b];
				changed = true;
			}
		}
		for (uint32_t i = 0; i < p.qp.body_count; ++i)
			CHECK_INT(island[i], wanted[i]);
	}
}

/* Two unit balls on a line, the first runs into the second; and a third pair beside them, which is an island of its
 * own. */
static const cn_qp_body ball = {1, {2.5, 0, 0, 2.5, 0, 2.5}};

TEST(one_restitution_is_newtons_law)
{
	cn_qp_body bodies[2] = {ball, ball};
	cn_twist u0[2] = {{{2, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}}, u[2];
	cn_qp_contact c = {.a = 0, .b = 1, .n = {1, 0, 0}, .ra = {0.5, 0, 0}, .rb = {-0.5, 0, 0}, .eps = 0.25}, blow;
	cn_qp qp = {.body_count = 2, .contact_count = 1, .bodies = bodies, .u0 = u0, .contacts = &c};
	uint32_t island[2];
	double scratch[32];
	cn_qp_impulse p = {1.25, 0, 0}; /* ends the approach, and a quarter more */
	cn_qp_solution x = {.u = u, .contact = &p};
	cn_qp_islands(&qp, island);
	CHECK(cn_qp_newton(&qp, island, &blow, NULL, scratch));
	CHECK(blow.least == 0.5 && blow.eps == 0.25); /* of the 2 it comes with */
	cn_qp_apply(&qp, &p, NULL, u);
	CHECK(!cn_qp_gains(&qp, island, &x, scratch, NULL));
	CHECK_NEAR(u[1].v.x - u[0].v.x, 0.5, 1e-15);
	/* An impulse that is too much is taken back to where the energy is what it was: 2 is the elastic one. */
	p = (cn_qp_impulse){3, 0, 0};
	cn_qp_apply(&qp, &p, NULL, u);
	CHECK(cn_qp_gains(&qp, island, &x, scratch, NULL));
	cn_qp_temper(&qp, island, NULL, &x, scratch, NULL);
	CHECK_NEAR(p.n, 2, 1e-14);
	CHECK_NEAR(cn_qp_energy(&qp, u), 2, 1e-14);
	/* So is a mixture of it and the plastic one. */
	cn_twist v[2];
	cn_qp_impulse first = {1, 0, 0};
	cn_qp_solution soft = {.u = v, .contact = &first};
	p = (cn_qp_impulse){3, 0, 0};
	cn_qp_apply(&qp, &p, NULL, u);
	cn_qp_apply(&qp, &first, NULL, v);
	cn_qp_temper(&qp, island, &soft, &x, scratch, NULL);
	CHECK_NEAR(p.n, 2, 1e-14);
	CHECK_NEAR(cn_qp_energy(&qp, u), 2, 1e-14);
	/* One that pulls gains nothing and is dropped. */
	u0[0].v.x = -1;
	p = (cn_qp_impulse){1, 0, 0};
	cn_qp_apply(&qp, &p, NULL, u);
	cn_qp_temper(&qp, island, NULL, &x, scratch, NULL);
	CHECK(p.n == 0 && u[0].v.x == -1 && u[1].v.x == 0);
	/* A point that parts may be pressed back by as much; without restitution there is nothing to ask for. */
	CHECK(cn_qp_newton(&qp, island, &blow, NULL, scratch) && blow.least == -0.25);
	c.eps = 0;
	CHECK(!cn_qp_newton(&qp, island, &blow, NULL, scratch));
}

/* A ball between two walls that it just fits between bounces off one of them into the other, and a joint that is not at rest
 * goes along: -eps u0 meets all rows. */
TEST(a_blow_always_has_an_answer)
{
	cn_twist u0 = {{-2, 0, 0.5}, {0, 0, 0}};
	cn_qp_contact c[2] = {{.a = CN_QP_NONE, .b = 0, .n = {1, 0, 0}, .rb = {-0.5, 0, 0}, .eps = 0.5},
	                      {.a = CN_QP_NONE, .b = 0, .n = {-1, 0, 0}, .rb = {0.5, 0, 0}}},
				  blow[2];
	cn_qp_row rows[2] = {{.a = 0, .b = CN_QP_NONE, .ja = {{0, 0, 1}, {0, 0, 0}}},
	                     {.a = 0, .b = CN_QP_NONE, .ja = {{0, 0, 1}, {0, 0, 0}}, .low = -INFINITY, .high = 0}},
			  blow_rows[2];
	cn_qp qp = {
		.body_count = 1, .contact_count = 2, .row_count = 2, .bodies = &ball, .u0 = &u0, .contacts = c, .rows = rows};
	uint32_t island[1];
	double scratch[1];
	cn_qp_islands(&qp, island);
	CHECK(cn_qp_newton(&qp, island, blow, blow_rows, scratch));
	CHECK(blow[0].least == 1 && blow[1].least == -1);
	CHECK(blow_rows[0].low == -0.25 && blow_rows[0].high == -0.25);
	CHECK(blow_rows[1].low == -INFINITY && blow_rows[1].high == 0); /* a bound that is hit does not bounce */
}

TEST(driven_islands_bounce_in_full)
{
	cn_qp_body bodies[2] = {{0, {0, 0, 0, 0, 0, 0}}, ball};
	cn_twist u0[2] = {{{2, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}}, u[2];
	cn_qp_contact c = {.a = 0, .b = 1, .n = {1, 0, 0}, .ra = {0.5, 0, 0}, .rb = {-0.5, 0, 0}, .eps = 1}, blow;
	cn_qp qp = {.body_count = 2, .contact_count = 1, .bodies = bodies, .u0 = u0, .contacts = &c};
	uint32_t island[2];
	double scratch[32];
	cn_qp_impulse p = {4, 0, 0};
	cn_qp_solution x = {.u = u, .contact = &p};
	cn_qp_islands(&qp, island);
	CHECK(island[0] == CN_QP_NONE && island[1] == 1);
	CHECK(cn_qp_newton(&qp, island, &blow, NULL, scratch) && blow.least == 2);
	cn_qp_apply(&qp, &p, NULL, u);
	cn_qp_temper(&qp, island, NULL, &x, scratch, NULL);
	CHECK(p.n == 4 && u[1].v.x == 4); /* a bat that cannot be stopped */
}

/* Impulses of any kind in their cones: no island that nothing drives gains energy, and directions of impulses stay as they
 * were. */
TEST(no_island_gains_energy)
{
	static program p;
	static const program_wish wish = {.most_bodies = 8, .scales = 1, .ratios = 3, .joints = true};
	uint32_t island[PROGRAM_BODIES], reduced = 0;
	double scratch[CN_QP_BODY_SCRATCH * PROGRAM_BODIES + CN_QP_CONTACT_SCRATCH * PROGRAM_CONTACTS], most = 0;
	for (uint64_t seed = 1; seed <= 2 * MANY; ++seed) {
		static cn_qp_impulse before[PROGRAM_CONTACTS];
		program_draw(&p, seed, &wish);
		draw_multipliers(&p);
		for (uint32_t i = 0; i < p.qp.contact_count; ++i) {
			before[i] = p.contact[i] =
				(cn_qp_impulse){0.1 * p.contact[i].n, 0.1 * p.contact[i].s, 0.1 * p.contact[i].t};
		}
		for (uint32_t i = 0; i < p.qp.row_count; ++i)
			p.row[i] *= 0.1;
		cn_qp_islands(&p.qp, island);
		cn_qp_apply(&p.qp, p.contact, p.row, p.u);
		cn_qp_temper(&p.qp, island, NULL, &p.x, scratch, NULL);
		for (uint32_t name = 0; name < p.qp.body_count; ++name) {
			double first = 0, last = 0;
			for (uint32_t i = 0; i < p.qp.body_count; ++i)
				if (island[i] == name) {
					first += 0.5 * dense_square(&p.bodies[i], p.u0[i]);
					last += 0.5 * dense_square(&p.bodies[i], p.u[i]);
				}
			CHECK(last <= first * (1 + 1e-12));
			most = first > 0 && last / first - 1 > most ? last / first - 1 : most;
		}
		for (uint32_t i = 0; i < p.qp.contact_count; ++i) {
			double f = before[i].n > 0 ? p.contact[i].n / before[i].n : 1;
			CHECK(f >= 0);
			reduced += f < 1;
			CHECK_NEAR(p.contact[i].s, f * before[i].s, 1e-12 * fabs(before[i].s) * (1 + f));
			CHECK_NEAR(p.contact[i].t, f * before[i].t, 1e-12 * fabs(before[i].t) * (1 + f));
		}
	}
	printf("bounce: %u impulses reduced, largest relative rise of an island's energy %g\n", reduced, most);
	CHECK(reduced > 100);
}

TEST_MAIN(TEST_CASE(apply_is_the_dense_product), TEST_CASE(tangents_are_a_frame),
          TEST_CASE(energies_are_the_dense_squares), TEST_CASE(violation_is_the_worst_row),
          TEST_CASE(islands_are_connected_parts), TEST_CASE(one_restitution_is_newtons_law),
          TEST_CASE(a_blow_always_has_an_answer), TEST_CASE(driven_islands_bounce_in_full),
          TEST_CASE(no_island_gains_energy))
