/* The momentum program by islands: each as if it were alone, small ones to the last digit or in real time, large ones as
 * the fast solver gives them; on any number of threads. */
#include "../../bench/kernel/pile.h"
#include "draw.h"
#include "ledger.h"
#include "num/qp_check.h"
#include "num/qp_islands.h"
#include "qp_room.h"
#include "test.h"

enum { STACKS = 6, HIGH = 5 };

/* A pile, some stacks on a moving plate, a ball in the air, two plates that push each other, and a chain of joints. */
typedef struct mixture {
	pile p;
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0;
	cn_qp_contact *contacts;
	cn_qp_row *rows;
	cn_qp_solution x;
	uint32_t plate, ball, link;
} mixture;

static void *room(size_t count, size_t size)
{
	void *block = calloc(count + 1, size);
	if (!block)
		abort();
	return block;
}

static void stand(mixture *m, uint32_t below_it, uint32_t body, double mu)
{
	for (int k = 0; k < 4; ++k)
		m->contacts[m->qp.contact_count++] = (cn_qp_contact){.a = below_it,
		                                                     .b = body,
		                                                     .n = {0, 0, 1},
		                                                     .ra = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, 0.5},
		                                                     .rb = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, -0.5},
		                                                     .mu = mu,
		                                                     .eps = 0.2};
}

static mixture make_mixture(uint32_t pile_bodies)
{
	pile_options options = {
		.bodies = pile_bodies, .edge = 1, .slab = 0.02, .tilt = 1e-3, .gap = 5e-3, .mu = 0.5, .seed = 9};
	mixture m = {.p = pile_make(&options)};
	pile_ask_speeds(&m.p, NULL, 1.0 / 30);
	uint32_t n = pile_bodies + STACKS * HIGH + 5, contacts = m.p.qp.contact_count + STACKS * HIGH * 4 + 4;
	m.bodies = room(n, sizeof *m.bodies);
	m.u0 = room(n, sizeof *m.u0);
	m.contacts = room(contacts, sizeof *m.contacts);
	m.rows = room(6, sizeof *m.rows);
	memcpy(m.bodies, m.p.bodies, pile_bodies * sizeof *m.bodies);
	memcpy(m.u0, m.p.u0, pile_bodies * sizeof *m.u0);
	m.qp = (cn_qp){.body_count = n, .bodies = m.bodies, .u0 = m.u0, .contacts = m.contacts, .rows = m.rows};
	for (uint32_t i = pile_bodies; i < n; ++i) {
		m.bodies[i] = (cn_qp_body){1 / 800.0, {6 / 800.0, 0, 0, 6 / 800.0, 0, 6 / 800.0}};
		m.u0[i].v.z = -10 / 30.0;
	}
	m.plate = pile_bodies, m.ball = pile_bodies + 2 + STACKS * HIGH, m.link = m.ball + 1;
	m.bodies[m.plate] = m.bodies[m.plate + 1] = (cn_qp_body){0};
	m.u0[m.plate] = (cn_twist){{0.01, 0, 0}, {0, 0, 0}};
	m.u0[m.plate + 1] = (cn_twist){{0, 0, 0}, {0, 0, 0}};
	stand(&m, m.plate, m.plate + 1, 0.5); /* neither can move */
	for (uint32_t s = 0; s < STACKS; ++s)
		for (uint32_t k = 0; k < HIGH; ++k) {
			uint32_t body = m.plate + 2 + s * HIGH + k;
			stand(&m, k ? body - 1 : m.plate, body, 0.4);
		}
	/* The pile's contacts come last, so that islands stand in another order than their contacts. */
	memcpy(m.contacts + m.qp.contact_count, m.p.contacts, m.p.qp.contact_count * sizeof *m.contacts);
	m.qp.contact_count += m.p.qp.contact_count;
	for (int k = 0; k < 6; ++k) { /* a chain of two links held at the top */
		cn_qp_row *r = &m.rows[m.qp.row_count++];
		v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
		*r = (cn_qp_row){.a = m.link + (uint32_t)(k / 3), .b = k / 3 ? m.link : CN_QP_NONE};
		r->ja = (cn_twist){axis, v3_cross(v3_make(0, 0, 0.5), axis)};
		if (k / 3)
			r->jb = (cn_twist){v3_neg(axis), v3_neg(v3_cross(v3_make(0, 0, -0.5), axis))};
	}
	m.x = (cn_qp_solution){room(n, sizeof(cn_twist)), room(m.qp.contact_count, sizeof(cn_qp_impulse)),
	                       room(6, sizeof(double))};
	return m;
}

static void free_mixture(mixture *m)
{
	pile_free(&m->p);
	free(m->bodies), free(m->u0), free(m->contacts), free(m->rows), qp_room_free(&m->x);
}

TEST(islands_as_if_alone)
{
	cairn_allocator allocator = cairn_default_allocator();
	mixture m = make_mixture(150);
	cn_islands *momentum = cn_islands_create(&allocator);
	REQUIRE(momentum);
	cn_fast_options options = {.sweeps = 40};
	cn_qp_result r = cn_islands_solve(momentum, &m.qp, &options, &m.x);
	CHECK(r.status == CN_QP_EARLY || r.status == CN_QP_SOLVED);
	/* u and y belong together, to the rounding of sums in another order. */
	cn_twist *u = room(m.qp.body_count, sizeof *u);
	cn_qp_apply(&m.qp, m.x.contact, m.x.row, u);
	for (uint32_t i = 0; i < m.qp.body_count; ++i)
		CHECK(v3_distance(u[i].v, m.x.u[i].v) + v3_distance(u[i].w, m.x.u[i].w) < 1e-13);
	/* The pile: the bits of the fast solver alone. */
	cn_fast *fast = cn_fast_create(&allocator);
	cn_qp_solution alone = {room(150, sizeof(cn_twist)), room(m.p.qp.contact_count, sizeof(cn_qp_impulse)), NULL};
	cn_fast_momentum(fast, &m.p.qp, &options, &alone);
	CHECK(memcmp(alone.u, m.x.u, 150 * sizeof *u) == 0);
	/* Stacks on the plate slide along with it, links hang, the ball falls, plates get no impulse. */
	for (uint32_t i = m.plate + 2; i < m.ball; ++i)
		CHECK(fabs(m.x.u[i].v.z) < 1e-11 && fabs(m.x.u[i].v.x - 0.01) < 1e-11);
	CHECK_NEAR(m.x.u[m.link].v.z, 0, 1e-11);
	CHECK_NEAR(m.x.u[m.link + 1].v.z, 0, 1e-11);
	CHECK_NEAR(m.x.u[m.ball].v.z, -10 / 30.0, 0);
	for (int k = 0; k < 4; ++k)
		CHECK(m.x.contact[k].n == 0);
	cn_qp_report judged = cn_qp_check(&m.qp, &m.x, true);
	CHECK(judged.finite && judged.sign == 0 && judged.cone <= 1e-12);
	free(u), free(alone.u), free(alone.contact);
	cn_fast_destroy(fast);
	cn_islands_destroy(momentum);
	free_mixture(&m);
}

/* Whatever it solved before: the same bits. A warm start from its own answer moves nothing much. */
TEST(memory_of_earlier_programs_does_not_matter)
{
	cairn_allocator allocator = cairn_default_allocator();
	mixture big = make_mixture(200), little = make_mixture(30);
	cn_islands *used = cn_islands_create(&allocator), *fresh = cn_islands_create(&allocator);
	REQUIRE(used && fresh);
	cn_fast_options options = {.sweeps = 40, .bounce = true};
	cn_islands_solve(used, &big.qp, &options, &big.x);
	cn_qp_result a = cn_islands_solve(used, &little.qp, &options, &little.x);
	cn_twist *u = room(little.qp.body_count, sizeof *u);
	memcpy(u, little.x.u, little.qp.body_count * sizeof *u);
	cn_qp_result b = cn_islands_solve(fresh, &little.qp, &options, &little.x);
	CHECK(memcmp(u, little.x.u, little.qp.body_count * sizeof *u) == 0);
	CHECK(a.status == b.status && a.violation == b.violation);
	CHECK_INT(a.status, CN_QP_SOLVED); /* thirty bodies: small as well */
	free(u);
	cn_islands_destroy(used);
	cn_islands_destroy(fresh);
	free_mixture(&big);
	free_mixture(&little);
}

TEST(every_allocation_may_fail)
{
	mixture m = make_mixture(80);
	bool done = false;
	for (size_t allowed = 0; !done && allowed < 2000; ++allowed) {
		ledger book = {0};
		cairn_allocator allocator = {&book, ledger_resize};
		ledger_allow(&book, allowed);
		cn_islands *momentum = cn_islands_create(&allocator);
		if (momentum) {
			cn_fast_options options = {.sweeps = 5};
			done = cn_islands_solve(momentum, &m.qp, &options, &m.x).status != CN_QP_MEMORY && book.calls <= allowed;
			cn_islands_destroy(momentum);
		}
		CHECK_INT(book.bytes, 0);
	}
	CHECK(done);
	free_mixture(&m);
}

/* Cubes on the ground in columns of one to eight, each its own island; some slide, some are heavier upward. */
static mixture make_columns(uint32_t columns)
{
	mixture m = {.plate = 0};
	uint32_t n = 0;
	for (uint32_t c = 0; c < columns; ++c)
		n += 1 + c % 8;
	m.bodies = room(n, sizeof *m.bodies);
	m.u0 = room(n, sizeof *m.u0);
	m.contacts = room((size_t)4 * n, sizeof *m.contacts);
	m.qp = (cn_qp){.body_count = n, .bodies = m.bodies, .u0 = m.u0, .contacts = m.contacts};
	uint32_t body = 0;
	for (uint32_t c = 0; c < columns; ++c) {
		double mass = 1;
		for (uint32_t k = 0; k <= c % 8; ++k, ++body, mass *= c % 3 == 1 ? 2 : 1) {
			m.bodies[body] = (cn_qp_body){1 / mass, {6 / mass, 0, 0, 6 / mass, 0, 6 / mass}};
			m.u0[body] = (cn_twist){{c % 5 == 0 ? 0.001 * c : 0, 0, -10 / 30.0}, {0, 0, 1e-3 * k}};
			stand(&m, k ? body - 1 : CN_QP_NONE, body, 0.5);
		}
	}
	m.x = qp_room(&m.qp);
	return m;
}

static void forget(mixture *m)
{
	memset(m->x.contact, 0, m->qp.contact_count * sizeof *m->x.contact);
	memset(m->x.u, 0, m->qp.body_count * sizeof *m->x.u);
}

/* However many threads, with and without the exact method: the same bits. */
TEST(threads_do_not_matter)
{
	cairn_allocator allocator = cairn_default_allocator();
	mixture m = make_columns(100);
	size_t u_size = m.qp.body_count * sizeof *m.x.u, y_size = m.qp.contact_count * sizeof *m.x.contact;
	cn_twist *u = room(m.qp.body_count, sizeof *u);
	cn_qp_impulse *y = room(m.qp.contact_count, sizeof *y);
	for (int brisk = 0; brisk < 2; ++brisk)
		for (uint32_t threads = 0; threads <= 4; ++threads) {
			cn_pool *pool = threads ? cn_pool_create(&allocator, threads) : NULL;
			cn_islands *momentum = cn_islands_create(&allocator);
			REQUIRE(momentum);
			cn_fast_options options = {.sweeps = 40, .pool = pool, .brisk = brisk, .bounce = true};
			forget(&m);
			cn_qp_result first = cn_islands_solve(momentum, &m.qp, &options, &m.x);
			options.warm = true, options.bounce = false;
			cn_qp_result r = cn_islands_solve(momentum, &m.qp, &options, &m.x);
			CHECK(first.status == CN_QP_SOLVED && r.status == CN_QP_SOLVED);
			if (threads == 0)
				memcpy(u, m.x.u, u_size), memcpy(y, m.x.contact, y_size);
			CHECK(memcmp(u, m.x.u, u_size) == 0 && memcmp(y, m.x.contact, y_size) == 0);
			cn_islands_destroy(momentum);
			cn_pool_destroy(pool);
		}
	free(u), free(y);
	free_mixture(&m);
}

/* A memory that has grown does not grow again, nor does the order of programs matter to it. */
TEST(memory_is_asked_for_once)
{
	ledger book = {0};
	cairn_allocator allocator = {&book, ledger_resize};
	mixture many = make_columns(60), few = make_columns(9);
	cn_islands *momentum = cn_islands_create(&allocator);
	REQUIRE(momentum);
	cn_fast_options options = {.sweeps = 40, .brisk = true};
	CHECK_INT(cn_islands_solve(momentum, &many.qp, &options, &many.x).factored, 0);
	CHECK_INT(cn_islands_solve(momentum, &few.qp, &options, &few.x).factored, 0);
	size_t asked = book.calls;
	for (int k = 0; k < 3; ++k) {
		options.warm = k > 0;
		cn_islands_solve(momentum, &many.qp, &options, &many.x);
		cn_islands_solve(momentum, &few.qp, &options, &few.x);
	}
	CHECK_INT(book.calls, asked);
	cn_islands_destroy(momentum);
	CHECK_INT(book.bytes, 0);
	free_mixture(&many);
	free_mixture(&few);
}

/* Two rows that ask for different speeds of one body, which sweeps never settle. */
static void contradict(mixture *m, uint32_t bodies)
{
	m->rows = room(2, sizeof *m->rows);
	m->qp.rows = m->rows;
	m->qp.row_count = 2;
	for (uint32_t k = 0; k < 2; ++k)
		m->rows[k] = (cn_qp_row){.a = bodies - 1,
		                         .b = CN_QP_NONE,
		                         .ja = {{1, 0, 0}, {0, 0, 0}},
		                         .low = k ? 1e-3 : -INFINITY,
		                         .high = k ? INFINITY : -1e-3};
}

/* In real time the exact method is for the smallest islands, and for what is far off. */
TEST(brisk_asks_for_few)
{
	cairn_allocator allocator = cairn_default_allocator();
	for (uint32_t high = 2; high <= 8; high += 6) {
		mixture m = {.plate = 0};
		m.bodies = room(high, sizeof *m.bodies);
		m.u0 = room(high, sizeof *m.u0);
		m.contacts = room((size_t)4 * high, sizeof *m.contacts);
		m.qp = (cn_qp){.body_count = high, .bodies = m.bodies, .u0 = m.u0, .contacts = m.contacts};
		for (uint32_t k = 0; k < high; ++k) {
			m.bodies[k] = (cn_qp_body){1, {6, 0, 0, 6, 0, 6}};
			m.u0[k].v.z = -10 / 30.0;
			stand(&m, k ? k - 1 : CN_QP_NONE, k, 0.5);
		}
		contradict(&m, high);
		m.x = qp_room(&m.qp);
		cn_islands *momentum = cn_islands_create(&allocator);
		REQUIRE(momentum);
		cn_fast_options options = {.sweeps = 40, .brisk = true};
		cn_qp_result r = cn_islands_solve(momentum, &m.qp, &options, &m.x);
		CHECK(r.status == CN_QP_EARLY && r.residual > 1e-5);
		CHECK(high <= 6 ? r.factored > 0 : r.factored == 0 && r.sweeps >= 60 && r.sweeps <= 200);
		options.brisk = false;
		r = cn_islands_solve(momentum, &m.qp, &options, &m.x);
		CHECK(r.status == CN_QP_EARLY && r.factored > 0 && r.sweeps >= 200);
		m.qp.row_count = 0; /* without the contradiction it is plain */
		options.brisk = true;
		r = cn_islands_solve(momentum, &m.qp, &options, &m.x);
		CHECK(r.status == CN_QP_SOLVED && r.factored == 0 && r.sweeps < 60 && r.violation < 1e-8);
		cn_islands_destroy(momentum);
		free_mixture(&m);
	}
}

/* In the position program of a crowd islands with joints are small, those without are not, whatever else is in it. */
TEST(joints_make_only_their_own_island_small)
{
	cairn_allocator allocator = cairn_default_allocator();
	mixture m = make_mixture(150);
	cn_islands *momentum = cn_islands_create(&allocator);
	REQUIRE(momentum);
	cn_fast_options options = {.sweeps = 40, .brisk = true, .position = true, .small = 1};
	cn_twist *u = room(m.qp.body_count, sizeof *u);
	cn_islands_solve(momentum, &m.qp, &options, &m.x);
	CHECK_NEAR(m.x.u[m.link].v.z, 0, 1e-8); /* sweeps in single precision leave more */
	CHECK_NEAR(m.x.u[m.link + 1].v.z, 0, 1e-8);
	memcpy(u, m.x.u, m.qp.body_count * sizeof *u);
	m.qp.row_count = 0;
	cn_islands_solve(momentum, &m.qp, &options, &m.x);
	CHECK(memcmp(u, m.x.u, m.link * sizeof *u) == 0);
	free(u);
	cn_islands_destroy(momentum);
	free_mixture(&m);
}

TEST_MAIN(TEST_CASE(islands_as_if_alone), TEST_CASE(memory_of_earlier_programs_does_not_matter),
          TEST_CASE(every_allocation_may_fail), TEST_CASE(threads_do_not_matter), TEST_CASE(memory_is_asked_for_once),
          TEST_CASE(brisk_asks_for_few), TEST_CASE(joints_make_only_their_own_island_small))
