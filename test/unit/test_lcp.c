/* Linear complementarity and linear programs: answers checked by their definitions, degenerate ones included. */
#include "base/hash.h"
#include "num/lcp.h"
#include "num/lp.h"

#include "draw.h"
#include "ledger.h"
#include "test.h"

enum { RANDOM = TEST_FEW ? 300 : 5000 };

enum { MOST = 40 };

static cn_lcp_status solve_lcp(const cairn_allocator *allocator, uint32_t n, const double *m, const double *q,
                               double *z, uint32_t *pivots)
{
	cn_arena arena = cn_arena_make(allocator);
	cn_lcp_status status = cn_lcp_solve(&arena, n, m, q, z, pivots);
	cn_arena_free(&arena);
	return status;
}

static cn_lp_status solve_lp(const cairn_allocator *allocator, const cn_lp *program, double *x, double *y,
                             uint32_t *pivots)
{
	cn_arena arena = cn_arena_make(allocator);
	cn_lp_status status = cn_lp_solve(&arena, program, x, y, pivots);
	cn_arena_free(&arena);
	return status;
}

/* The worst of -z, -w and min(z, w), relative to the sizes. */
static double lcp_fault(uint32_t n, const double *m, const double *q, const double *z, double unit)
{
	double worst = 0;
	for (uint32_t i = 0; i < n; ++i) {
		double w = q[i], size = fabs(q[i]);
		for (uint32_t j = 0; j < n; ++j) {
			w += m[i * n + j] * z[j];
			size += fabs(m[i * n + j] * z[j]);
		}
		double scale = size + unit, low = -w / scale, both = (w < 0 ? 0 : w) / scale;
		worst = low > worst ? low : worst;
		if (z[i] > 0)
			worst = both > worst ? both : worst;
		if (z[i] < 0)
			worst = INFINITY;
	}
	return worst;
}

/* M = R R' with R thinner than M is high: contacts that say the same in many ways. */
static void contact_matrix(uint32_t n, uint32_t rank, double *m)
{
	double r[MOST][MOST];
	for (uint32_t i = 0; i < n; ++i)
		for (uint32_t k = 0; k < rank; ++k)
			r[i][k] = uniform();
	for (uint32_t i = 1; i < n; ++i)
		if (below(4) == 0) /* the same contact again */
			memcpy(r[i], r[i - 1], sizeof r[i]);
	for (uint32_t i = 0; i < n; ++i)
		for (uint32_t j = 0; j < n; ++j) {
			m[i * n + j] = 0;
			for (uint32_t k = 0; k < rank; ++k)
				m[i * n + j] += r[i][k] * r[j][k];
		}
}

TEST(contacts)
{
	cairn_allocator allocator = cairn_default_allocator();
	double m[MOST * MOST], q[MOST], z[MOST], worst = 0;
	uint32_t pivots, most = 0;
	for (int k = 0; k < RANDOM; ++k) {
		uint32_t n = 1 + below(MOST), rank = 1 + below(n);
		contact_matrix(n, rank, m);
		/* q in the range of M plus something positive: there is a solution. */
		double u[MOST];
		for (uint32_t i = 0; i < n; ++i)
			u[i] = uniform();
		for (uint32_t i = 0; i < n; ++i) {
			double more = uniform();
			q[i] = more > 0 ? more : 0;
			for (uint32_t j = 0; j < n; ++j)
				q[i] += m[i * n + j] * u[j];
		}
		CHECK_INT(solve_lcp(&allocator, n, m, q, z, &pivots), CN_LCP_SOLVED);
		double fault = lcp_fault(n, m, q, z, 1);
		worst = fault > worst ? fault : worst;
		most = pivots > most ? pivots : most;
	}
	printf("worst fault %.2g, at most %u pivots\n", worst, most);
	CHECK(worst < 1e-8);
}

/* Nothing to be done, one contact, two that share a load, and one that has no solution: w = -1 + 0 z. */
TEST(lcp_by_hand)
{
	cairn_allocator allocator = cairn_default_allocator();
	double z[2], one = 2, push = -6, both[4] = {1, 1, 1, 1}, load[2] = {-3, -3}, zero = 0, lack = -1;
	uint32_t pivots;
	CHECK_INT(solve_lcp(&allocator, 0, NULL, NULL, NULL, &pivots), CN_LCP_SOLVED);
	CHECK_INT(solve_lcp(&allocator, 1, &one, &push, z, NULL), CN_LCP_SOLVED);
	CHECK_NEAR(z[0], 3, 1e-15);
	push = 6;
	CHECK_INT(solve_lcp(&allocator, 1, &one, &push, z, NULL), CN_LCP_SOLVED);
	CHECK(z[0] == 0);
	CHECK_INT(solve_lcp(&allocator, 2, both, load, z, &pivots), CN_LCP_SOLVED);
	CHECK_NEAR(z[0] + z[1], 3, 1e-14);
	CHECK_INT(solve_lcp(&allocator, 1, &zero, &lack, z, &pivots), CN_LCP_RAY);
}

/* Three hundred contacts of a stack: a chain of bodies, each pressed on the next with four points. */
TEST(tall_stack)
{
	enum { LAYERS = 75, N = 4 * LAYERS };
	cairn_allocator allocator = cairn_default_allocator();
	double *m = calloc((size_t)N * N, sizeof *m), *q = malloc(N * sizeof *q), *z = malloc(N * sizeof *z);
	uint32_t pivots;
	REQUIRE(m && q && z);
	for (int i = 0; i < N; ++i) {
		int a = i / 4;
		double xa = i & 1 ? 0.5 : -0.5, ya = i & 2 ? 0.5 : -0.5;
		q[i] = a == 0 ? -10 : 0; /* all fall alike: only the lowest nears what stands still */
		for (int j = 0; j < N; ++j) {
			int b = j / 4;
			double xb = j & 1 ? 0.5 : -0.5, yb = j & 2 ? 0.5 : -0.5, couple = 1 + 6 * (xa * xb + ya * yb);
			if (a == b)
				m[i * N + j] = (a == 0 ? 1 : 2) * couple;
			else if (a - b == 1 || b - a == 1)
				m[i * N + j] = -couple;
		}
	}
	CHECK_INT(solve_lcp(&allocator, N, m, q, z, &pivots), CN_LCP_SOLVED);
	CHECK(lcp_fault(N, m, q, z, 10) < 1e-8);
	for (int layer = 0; layer < LAYERS; ++layer) {
		double sum = z[4 * layer] + z[4 * layer + 1] + z[4 * layer + 2] + z[4 * layer + 3];
		CHECK_NEAR(sum, 10.0 * (LAYERS - layer), 1e-6);
	}
	free(m), free(q), free(z);
}

/* ---- linear programs */

typedef struct lp {
	uint32_t rows, n;
	double a[MOST * MOST], b[MOST], c[MOST];
} lp;

static void check_lp(const lp *p, const double *x, const double *y, double unit)
{
	double primal = 0, dual = 0;
	for (uint32_t i = 0; i < p->rows; ++i) {
		double value = -p->b[i], size = fabs(p->b[i]);
		for (uint32_t j = 0; j < p->n; ++j) {
			value += p->a[i * p->n + j] * x[j];
			size += fabs(p->a[i * p->n + j] * x[j]);
		}
		CHECK(value >= -1e-8 * (size + unit));
		CHECK(y[i] >= 0);
		dual += y[i] * p->b[i];
	}
	for (uint32_t j = 0; j < p->n; ++j) {
		double value = p->c[j], size = fabs(p->c[j]);
		for (uint32_t i = 0; i < p->rows; ++i) {
			value -= p->a[i * p->n + j] * y[i];
			size += fabs(p->a[i * p->n + j] * y[i]);
		}
		CHECK(value >= -1e-8 * (size + unit));
		CHECK(x[j] >= 0);
		primal += p->c[j] * x[j];
	}
	CHECK_NEAR(primal, dual, 1e-7 * (fabs(primal) + fabs(dual) + unit));
}

/* Feasible both ways by construction: b below A x0, c above A'y0. Some rows twice, some bounds met exactly. */
static void make_lp(lp *p)
{
	double x0[MOST], y0[MOST];
	uint32_t rows = 1 + below(MOST), columns = 1 + below(MOST);
	*p = (lp){.rows = rows, .n = columns};
	for (uint32_t j = 0; j < p->n; ++j) {
		double u = uniform();
		x0[j] = u > 0 ? u : 0;
	}
	for (uint32_t i = 0; i < p->rows; ++i) {
		double u = uniform();
		y0[i] = u > 0 ? u : 0;
		for (uint32_t j = 0; j < p->n; ++j)
			p->a[i * p->n + j] = uniform();
		if (i && below(4) == 0)
			memcpy(&p->a[i * p->n], &p->a[(i - 1) * p->n], p->n * sizeof *p->a);
		double slack = uniform();
		p->b[i] = slack > 0 ? -slack : 0;
		for (uint32_t j = 0; j < p->n; ++j)
			p->b[i] += p->a[i * p->n + j] * x0[j];
	}
	for (uint32_t j = 0; j < p->n; ++j) {
		double slack = uniform();
		p->c[j] = slack > 0 ? slack : 0;
		for (uint32_t i = 0; i < p->rows; ++i)
			p->c[j] += p->a[i * p->n + j] * y0[i];
	}
}

TEST(random_programs)
{
	cairn_allocator allocator = cairn_default_allocator();
	static lp p;
	double x[MOST], y[MOST];
	for (int k = 0; k < RANDOM; ++k) {
		make_lp(&p);
		CHECK_INT(solve_lp(&allocator, &(cn_lp){p.rows, p.n, p.a, p.b, p.c}, x, y, NULL), CN_LP_SOLVED);
		check_lp(&p, x, y, 1);
		/* Other units. */
		double f = ldexp(1, (int)below(40) - 20), g = ldexp(1, (int)below(40) - 20);
		for (uint32_t i = 0; i < p.rows * p.n; ++i)
			p.a[i] *= f;
		for (uint32_t i = 0; i < p.rows; ++i)
			p.b[i] *= f * g;
		CHECK_INT(solve_lp(&allocator, &(cn_lp){p.rows, p.n, p.a, p.b, p.c}, x, y, NULL), CN_LP_SOLVED);
		for (uint32_t j = 0; j < p.n; ++j)
			x[j] /= g;
		for (uint32_t i = 0; i < p.rows; ++i)
			p.b[i] /= f * g, y[i] *= f;
		for (uint32_t i = 0; i < p.rows * p.n; ++i)
			p.a[i] /= f;
		check_lp(&p, x, y, 1);
	}
}

TEST(infeasible_and_unbounded)
{
	cairn_allocator allocator = cairn_default_allocator();
	static lp p;
	double x[MOST], y[MOST];
	for (int k = 0; k < RANDOM / 5; ++k) {
		make_lp(&p);
		if (p.rows < 2)
			continue;
		/* The last row asks for more than minus a sum of the others allows. */
		uint32_t last = p.rows - 1;
		double rhs = 0;
		memset(&p.a[last * p.n], 0, p.n * sizeof *p.a);
		for (uint32_t i = 0; i < last; ++i) {
			double f = fabs(uniform());
			rhs += f * p.b[i];
			for (uint32_t j = 0; j < p.n; ++j)
				p.a[last * p.n + j] -= f * p.a[i * p.n + j];
		}
		p.b[last] = -rhs + 0.1;
		CHECK_INT(solve_lp(&allocator, &(cn_lp){p.rows, p.n, p.a, p.b, p.c}, x, y, NULL), CN_LP_INFEASIBLE);
		double value = 0;
		for (uint32_t i = 0; i < p.rows; ++i)
			value += y[i] * p.b[i];
		CHECK(value > 0);
		for (uint32_t j = 0; j < p.n; ++j) {
			double sum = 0, size = 0;
			for (uint32_t i = 0; i < p.rows; ++i)
				sum += y[i] * p.a[i * p.n + j], size += fabs(y[i] * p.a[i * p.n + j]);
			CHECK(sum <= 1e-8 * (size + value));
		}
	}
	double a[2] = {1, -1}, b = 0, c[2] = {-1, -1};
	CHECK_INT(solve_lp(&allocator, &(cn_lp){1, 2, a, &b, c}, x, y, NULL), CN_LP_UNBOUNDED);
	CHECK_INT(solve_lp(&allocator, &(cn_lp){0, 1, NULL, NULL, a}, x, y, NULL), CN_LP_SOLVED);
}

/* Beale's program, on which the steepest rule alone cycles. */
TEST(does_not_cycle)
{
	cairn_allocator allocator = cairn_default_allocator();
	double a[12] = {-0.25, 60, 1 / 25.0, -9, -0.5, 90, 1 / 50.0, -3, 0, 0, -1, 0}, b[3] = {0, 0, -1};
	double c[4] = {-0.75, 150, -0.02, 6}, x[4], y[3];
	CHECK_INT(solve_lp(&allocator, &(cn_lp){3, 4, a, b, c}, x, y, NULL), CN_LP_SOLVED);
	CHECK_NEAR(c[0] * x[0] + c[1] * x[1] + c[2] * x[2] + c[3] * x[3], -0.05, 1e-12);
}

/* ---- the least sum of forces that hold a column of bricks */

enum { BRICKS = 40 };

typedef struct brick {
	double width, depth, height, mass, x, y; /* x, y: of its centre */
} brick;

/* A contact's row: what a force there does to the upward speed and to the two turns of a brick that bears it. */
static void contact_row(const brick *k, double px, double py, double sign, double row[3])
{
	row[0] = sign;
	row[1] = sign * (py - k->y);
	row[2] = -sign * (px - k->x);
}

/* Contact i lies under brick i / 4. Alike: bricks of one kind, exactly one upon the other; else of all sizes and masses. */
static void make_column(uint32_t bricks, bool alike, double *m)
{
	brick column[BRICKS];
	for (uint32_t k = 0; k < bricks; ++k) {
		double w = fraction(), d = fraction(), h = fraction(), heavy = uniform(), x = uniform(), y = uniform();
		column[k] = alike ? (brick){2, 1, 0.5, 800, 0, 0}
		                  : (brick){1 + w, 0.5 + d, 0.3 + h, (1 + w) * (0.5 + d) * 800 * (2 + heavy), x / 100, y / 100};
	}
	uint32_t n = 4 * bricks;
	for (uint32_t i = 0; i < n; ++i)
		for (uint32_t j = 0; j < n; ++j) {
			double sum = 0;
			for (uint32_t k = 0; k < bricks; ++k) {
				double rows[2][3] = {{0}};
				uint32_t both[2] = {i, j};
				for (int e = 0; e < 2; ++e) {
					uint32_t upper = both[e] / 4;
					const brick *u = &column[upper], *l = upper ? &column[upper - 1] : u;
					double px = (both[e] & 1 ? 0.45 : -0.45) * fmin(u->width, l->width);
					double py = (both[e] & 2 ? 0.45 : -0.45) * fmin(u->depth, l->depth);
					if (upper == k || (upper > 0 && upper - 1 == k))
						contact_row(&column[k], px, py, upper == k ? 1 : -1, rows[e]);
				}
				const brick *b = &column[k];
				double turn_x = 12 / (b->mass * (b->depth * b->depth + b->height * b->height));
				double turn_y = 12 / (b->mass * (b->width * b->width + b->height * b->height));
				sum += rows[0][0] * rows[1][0] / b->mass + turn_x * rows[0][1] * rows[1][1] +
				       turn_y * rows[0][2] * rows[1][2];
			}
			m[(size_t)i * n + j] = sum;
		}
}

/* The optimum by another route: the conditions of the linear program are a complementarity problem. */
static double least_by_lemke(const cairn_allocator *allocator, uint32_t n, const double *m, const double *b)
{
	uint32_t size = 2 * n;
	double *all = calloc((size_t)size * size, sizeof *all), *q = malloc(size * sizeof *q),
		   *z = malloc(size * sizeof *z);
	double sum = NAN;
	for (uint32_t i = 0; all && q && i < n; ++i) {
		q[i] = 1, q[n + i] = -b[i];
		for (uint32_t j = 0; j < n; ++j) {
			all[(size_t)i * size + n + j] = -m[(size_t)j * n + i];
			all[(size_t)(n + i) * size + j] = m[(size_t)i * n + j];
		}
	}
	if (all && q && z && solve_lcp(allocator, size, all, q, z, NULL) == CN_LCP_SOLVED) {
		sum = 0;
		for (uint32_t i = 0; i < n; ++i)
			sum += z[i];
	}
	free(all), free(q), free(z);
	return sum;
}

/* Every column has an answer, with as much force below each brick as there is weight upon it, no less by the dual, and no
 * other by Lemke's method. Forty bricks have 160 contacts, of which 120 alone are independent. */
TEST(columns_of_bricks)
{
	cairn_allocator allocator = cairn_default_allocator();
	size_t most = (size_t)4 * BRICKS;
	double *m = malloc(most * most * sizeof *m), *b = malloc(most * sizeof *b), *c = malloc(most * sizeof *c);
	double *x = malloc(most * sizeof *x), *y = malloc(most * sizeof *y);
	REQUIRE(m && b && c && x && y);
	for (uint32_t bricks = 1; bricks <= BRICKS; bricks += TEST_FEW ? 3 : 1)
		for (int alike = 0; alike < 2; ++alike) {
			uint32_t n = 4 * bricks;
			make_column(bricks, alike, m);
			for (uint32_t i = 0; i < n; ++i)
				b[i] = i < 4 ? 10 : 0, c[i] = 1; /* all fall alike: only the lowest nears what stands still */
			REQUIRE(solve_lp(&allocator, &(cn_lp){n, n, m, b, c}, x, y, NULL) == CN_LP_SOLVED);
			double sum = 0, dual = 0;
			for (uint32_t i = 0; i < n; ++i) {
				double push = -b[i], size = fabs(b[i]), price = 1, price_size = 1;
				for (uint32_t j = 0; j < n; ++j) {
					push += m[(size_t)i * n + j] * x[j], size += fabs(m[(size_t)i * n + j] * x[j]);
					price -= m[(size_t)j * n + i] * y[j], price_size += fabs(m[(size_t)j * n + i] * y[j]);
				}
				CHECK(push >= -1e-9 * size && price >= -1e-9 * price_size && x[i] >= 0 && y[i] >= 0);
				sum += x[i], dual += y[i] * b[i];
			}
			CHECK_NEAR(sum, dual, 1e-10 * sum);
			CHECK_NEAR(sum, least_by_lemke(&allocator, n, m, b), 1e-7 * sum);
			if (alike)
				CHECK_NEAR(sum, 8000.0 * bricks * (bricks + 1) / 2, 1e-9 * sum);
		}
	free(m), free(b), free(c), free(x), free(y);
}

TEST(every_allocation_may_fail)
{
	static lp p;
	double x[MOST], y[MOST], m[4] = {2, 1, 1, 2}, q[2] = {-1, -1};
	ledger book = {0};
	cairn_allocator allocator = {&book, ledger_resize};
	make_lp(&p);
	CHECK_INT(solve_lp(&allocator, &(cn_lp){p.rows, p.n, p.a, p.b, p.c}, x, y, NULL), CN_LP_SOLVED);
	size_t lp_calls = book.calls;
	CHECK_INT(solve_lcp(&allocator, 2, m, q, x, NULL), CN_LCP_SOLVED);
	size_t lcp_calls = book.calls - lp_calls;
	CHECK(lp_calls > 0 && lcp_calls > 0);
	for (size_t allowed = 0; allowed <= lp_calls + lcp_calls; ++allowed) {
		ledger_allow(&book, allowed);
		CHECK_INT(solve_lp(&allocator, &(cn_lp){p.rows, p.n, p.a, p.b, p.c}, x, y, NULL),
		          allowed < lp_calls ? CN_LP_MEMORY : CN_LP_SOLVED);
		ledger_allow(&book, allowed);
		CHECK_INT(solve_lcp(&allocator, 2, m, q, x, NULL), allowed < lcp_calls ? CN_LCP_MEMORY : CN_LCP_SOLVED);
		CHECK_INT(book.bytes, 0);
	}
}

TEST(same_bits_everywhere)
{
	cairn_allocator allocator = cairn_default_allocator();
	static lp p;
	double m[MOST * MOST], q[MOST], x[MOST], y[MOST];
	uint64_t hash = CN_HASH_START;
	seed = 77;
	for (int k = 0; k < 40; ++k) {
		uint32_t n = 1 + below(MOST), rank = 1 + below(n), pivots = 0;
		contact_matrix(n, rank, m);
		for (uint32_t i = 0; i < n; ++i)
			q[i] = uniform();
		cn_lcp_status ended = solve_lcp(&allocator, n, m, q, x, &pivots);
		hash = cn_hash_u64(hash, (uint64_t)ended << 32 | pivots);
		for (uint32_t i = 0; i < n && ended == CN_LCP_SOLVED; ++i)
			hash = cn_hash_double(hash, x[i]);
		make_lp(&p);
		cn_lp_status status = solve_lp(&allocator, &(cn_lp){p.rows, p.n, p.a, p.b, p.c}, x, y, &pivots);
		hash = cn_hash_u64(hash, (uint64_t)status << 32 | pivots);
		for (uint32_t i = 0; i < p.n; ++i)
			hash = cn_hash_double(hash, x[i]);
		for (uint32_t i = 0; i < p.rows; ++i)
			hash = cn_hash_double(hash, y[i]);
	}
	printf("hash of complementarity and linear programs %016" PRIx64 "\n", hash);
	CHECK(hash == UINT64_C(0x02fed249c7e92df9));
}

TEST_MAIN(TEST_CASE(same_bits_everywhere), TEST_CASE(lcp_by_hand), TEST_CASE(contacts), TEST_CASE(tall_stack),
          TEST_CASE(random_programs), TEST_CASE(infeasible_and_unbounded), TEST_CASE(does_not_cycle),
          TEST_CASE(columns_of_bricks), TEST_CASE(every_allocation_may_fail))
