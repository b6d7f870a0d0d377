/* Sparse convex programs: answers known by construction, certificates, degenerate and badly scaled programs. */
#include "base/hash.h"
#include "num/ldl.h"
#include "num/sparse_qp.h"

#include "draw.h"
#include "ledger.h"
#include "test.h"

enum { RANDOM = TEST_FEW ? 300 : 3000 };

enum { MOST = 24 };

/* Dense storage, so that answers are checked without the code under test. */
typedef struct dense {
	uint32_t n, a_rows, g_rows;
	double p[MOST][MOST], a[MOST][MOST], g[2 * MOST][MOST], q[MOST], b[MOST], h[2 * MOST];
} dense;

static cn_sparse_result solve(const cairn_allocator *allocator, const dense *d, double *x, double *y, double *z)
{
	static cn_entry entries[2 * MOST * MOST];
	cn_sparse_qp program = {.q = d->q, .b = d->b, .h = d->h};
	uint32_t count = 0;
	for (uint32_t i = 0; i < d->n; ++i)
		for (uint32_t j = i; j < d->n; ++j)
			if (d->p[i][j] != 0)
				entries[count++] = (cn_entry){i, j, d->p[i][j]};
	bool made = cn_sparse_build(allocator, d->n, d->n, entries, count, &program.p);
	count = 0;
	for (uint32_t i = 0; i < d->a_rows; ++i)
		for (uint32_t j = 0; j < d->n; ++j)
			if (d->a[i][j] != 0)
				entries[count++] = (cn_entry){i, j, d->a[i][j]};
	made = made && cn_sparse_build(allocator, d->a_rows, d->n, entries, count, &program.a);
	count = 0;
	for (uint32_t i = 0; i < d->g_rows; ++i)
		for (uint32_t j = 0; j < d->n; ++j)
			if (d->g[i][j] != 0)
				entries[count++] = (cn_entry){i, j, d->g[i][j]};
	made = made && cn_sparse_build(allocator, d->g_rows, d->n, entries, count, &program.g);
	cn_sparse_result r = {.status = CN_SPARSE_MEMORY};
	if (made)
		r = cn_sparse_solve(allocator, &program, 0, x, y, z);
	cn_sparse_free(allocator, &program.p);
	cn_sparse_free(allocator, &program.a);
	cn_sparse_free(allocator, &program.g);
	return r;
}

/* A program whose solution is x, with multipliers y, z: q and h follow. */
static void known(dense *d, double *x, double *y, double *z)
{
	double root[MOST][MOST] = {{0}};
	*d = (dense){.n = 2 + below(MOST - 2)};
	d->a_rows = below(d->n / 2 + 1);
	d->g_rows = below(2 * d->n);
	uint32_t rank = below(d->n + 1); /* of P: may be 0 */
	for (uint32_t i = 0; i < rank; ++i)
		for (uint32_t j = 0; j < d->n; ++j)
			if (below(3) == 0)
				root[i][j] = uniform();
	for (uint32_t i = 0; i < d->n; ++i)
		for (uint32_t j = 0; j < d->n; ++j)
			for (uint32_t k = 0; k < rank; ++k)
				d->p[i][j] += root[k][i] * root[k][j];
	for (uint32_t j = 0; j < d->n; ++j)
		x[j] = uniform();
	for (uint32_t i = 0; i < d->a_rows; ++i) {
		for (uint32_t j = 0; j < d->n; ++j)
			if (below(2) == 0)
				d->a[i][j] = uniform();
		if (i && below(5) == 0) /* redundant */
			memcpy(d->a[i], d->a[i - 1], sizeof d->a[i]);
		for (uint32_t j = 0; j < d->n; ++j)
			d->b[i] += d->a[i][j] * x[j];
		y[i] = uniform();
	}
	for (uint32_t i = 0; i < d->g_rows; ++i) {
		for (uint32_t j = 0; j < d->n; ++j)
			if (below(2) == 0)
				d->g[i][j] = uniform();
		if (i && below(5) == 0)
			memcpy(d->g[i], d->g[i - 1], sizeof d->g[i]);
		bool active = below(2) == 0, degenerate = below(8) == 0;
		double u = uniform();
		z[i] = active && !degenerate ? fabs(u) : 0;
		for (uint32_t j = 0; j < d->n; ++j)
			d->h[i] += d->g[i][j] * x[j];
		if (!active)
			d->h[i] -= fabs(u) + 0.01;
	}
	for (uint32_t j = 0; j < d->n; ++j) {
		for (uint32_t i = 0; i < d->a_rows; ++i)
			d->q[j] += d->a[i][j] * y[i];
		for (uint32_t i = 0; i < d->g_rows; ++i)
			d->q[j] += d->g[i][j] * z[i];
		for (uint32_t i = 0; i < d->n; ++i)
			d->q[j] -= d->p[j][i] * x[i];
	}
}

static double objective(const dense *d, const double *x)
{
	double sum = 0;
	for (uint32_t i = 0; i < d->n; ++i) {
		sum += d->q[i] * x[i];
		for (uint32_t j = 0; j < d->n; ++j)
			sum += 0.5 * x[i] * d->p[i][j] * x[j];
	}
	return sum;
}

static double worst_row(const dense *d, const double *x)
{
	double worst = 0;
	for (uint32_t i = 0; i < d->a_rows; ++i) {
		double value = -d->b[i];
		for (uint32_t j = 0; j < d->n; ++j)
			value += d->a[i][j] * x[j];
		worst = fabs(value) > worst ? fabs(value) : worst;
	}
	for (uint32_t i = 0; i < d->g_rows; ++i) {
		double value = d->h[i];
		for (uint32_t j = 0; j < d->n; ++j)
			value -= d->g[i][j] * x[j];
		worst = value > worst ? value : worst;
	}
	return worst;
}

static double worst_gradient(const dense *d, const double *x, const double *y, const double *z)
{
	double worst = 0;
	for (uint32_t j = 0; j < d->n; ++j) {
		double value = d->q[j];
		for (uint32_t i = 0; i < d->n; ++i)
			value += d->p[j][i] * x[i];
		for (uint32_t i = 0; i < d->a_rows; ++i)
			value -= d->a[i][j] * y[i];
		for (uint32_t i = 0; i < d->g_rows; ++i)
			value -= d->g[i][j] * z[i];
		worst = fabs(value) > worst ? fabs(value) : worst;
	}
	return worst;
}

TEST(known_answers)
{
	cairn_allocator allocator = cairn_default_allocator();
	dense d;
	double x0[MOST], y0[MOST], z0[2 * MOST], x[MOST], y[MOST], z[2 * MOST];
	seed = 11;
	for (int k = 0; k < RANDOM; ++k) {
		known(&d, x0, y0, z0);
		cn_sparse_result r = solve(&allocator, &d, x, y, z);
		CHECK_INT(r.status, CN_SPARSE_SOLVED);
		double best = objective(&d, x0);
		CHECK_NEAR(objective(&d, x), best, 1e-7 * (1 + fabs(best)));
		CHECK_NEAR(r.objective, objective(&d, x), 1e-9 * (1 + fabs(best)));
		CHECK(worst_row(&d, x) <= 1e-8);
		CHECK(worst_gradient(&d, x, y, z) <= 1e-7);
		for (uint32_t i = 0; i < d.g_rows; ++i)
			CHECK(z[i] >= 0);
	}
}

/* The same programs in other units: x times a, rows times b, objective times c. */
TEST(scales)
{
	cairn_allocator allocator = cairn_default_allocator();
	dense d;
	double x0[MOST], y0[MOST], z0[2 * MOST], x[MOST], y[MOST], z[2 * MOST];
	static const double scales[] = {1e-6, 1e-3, 1, 1e3, 1e6};
	seed = 12;
	for (int k = 0; k < RANDOM; ++k) {
		known(&d, x0, y0, z0);
		double best = objective(&d, x0), a = scales[below(5)], b = scales[below(5)], c = scales[below(5)];
		for (uint32_t i = 0; i < d.n; ++i) {
			d.q[i] *= c / a;
			for (uint32_t j = 0; j < d.n; ++j)
				d.p[i][j] *= c / (a * a);
		}
		for (uint32_t i = 0; i < 2 * MOST; ++i)
			for (uint32_t j = 0; j < d.n; ++j)
				d.g[i][j] *= b / a;
		for (uint32_t i = 0; i < MOST; ++i)
			for (uint32_t j = 0; j < d.n; ++j)
				d.a[i][j] *= b / a;
		for (uint32_t i = 0; i < MOST; ++i)
			d.b[i] *= b;
		for (uint32_t i = 0; i < 2 * MOST; ++i)
			d.h[i] *= b;
		CHECK_INT(solve(&allocator, &d, x, y, z).status, CN_SPARSE_SOLVED);
		CHECK_NEAR(objective(&d, x) / c, best, 1e-6 * (1 + fabs(best)));
		CHECK(worst_row(&d, x) <= 1e-7 * b);
	}
}

TEST(infeasible_has_a_certificate)
{
	cairn_allocator allocator = cairn_default_allocator();
	dense d;
	double x[MOST], y[MOST], z[2 * MOST], x0[MOST], y0[MOST], z0[2 * MOST];
	seed = 13;
	for (int k = 0; k < RANDOM / 3; ++k) {
		known(&d, x0, y0, z0);
		if (d.g_rows < 2)
			continue;
		/* The last row says the opposite of a positive sum of the others. */
		uint32_t last = d.g_rows - 1;
		double rhs = 0;
		memset(d.g[last], 0, sizeof d.g[last]);
		for (uint32_t i = 0; i < last; ++i) {
			double f = fabs(uniform());
			rhs += f * d.h[i];
			for (uint32_t j = 0; j < d.n; ++j)
				d.g[last][j] -= f * d.g[i][j];
		}
		d.h[last] = -rhs + 0.1;
		memset(d.q, 0, sizeof d.q); /* or it could be unbounded as well */
		CHECK_INT(solve(&allocator, &d, x, y, z).status, CN_SPARSE_INFEASIBLE);
		double value = 0, off = 0;
		for (uint32_t i = 0; i < d.a_rows; ++i)
			value += y[i] * d.b[i];
		for (uint32_t i = 0; i < d.g_rows; ++i)
			value += z[i] * d.h[i];
		for (uint32_t j = 0; j < d.n; ++j) {
			double sum = 0;
			for (uint32_t i = 0; i < d.a_rows; ++i)
				sum += y[i] * d.a[i][j];
			for (uint32_t i = 0; i < d.g_rows; ++i)
				sum += z[i] * d.g[i][j];
			off = fabs(sum) > off ? fabs(sum) : off;
		}
		CHECK(value > 0 && off <= 1e-7 * value);
	}
}

TEST(unbounded_has_a_direction)
{
	cairn_allocator allocator = cairn_default_allocator();
	dense d = {.n = 2, .g_rows = 1, .q = {-1, -1}, .g = {{1, 0}}};
	double x[MOST], y[MOST], z[2 * MOST];
	CHECK_INT(solve(&allocator, &d, x, y, z).status, CN_SPARSE_UNBOUNDED);
	CHECK(d.q[0] * x[0] + d.q[1] * x[1] < 0 && x[0] >= -1e-8);
}

TEST(by_hand)
{
	cairn_allocator allocator = cairn_default_allocator();
	double x[MOST], y[MOST], z[2 * MOST];
	/* The nearest point to (2, 0.5) of x + y <= 1, x >= 0, y >= 0 is (1, 0): on two bounds, both of which push. */
	dense d = {
		.n = 2, .g_rows = 3, .p = {{1, 0}, {0, 1}}, .q = {-2, -0.5}, .g = {{-1, -1}, {1, 0}, {0, 1}}, .h = {-1, 0, 0}};
	CHECK_INT(solve(&allocator, &d, x, y, z).status, CN_SPARSE_SOLVED);
	CHECK_NEAR(x[0], 1, 1e-8);
	CHECK_NEAR(x[1], 0, 1e-8);
	CHECK_NEAR(z[0], 1, 1e-8);
	CHECK_NEAR(z[2], 0.5, 1e-8);
	/* Nothing but an objective. */
	dense free_one = {.n = 1, .p = {{4}}, .q = {-8}};
	CHECK_INT(solve(&allocator, &free_one, x, y, z).status, CN_SPARSE_SOLVED);
	CHECK_NEAR(x[0], 2, 1e-9);
	/* 0 = 1 */
	dense wrong = {.n = 1, .a_rows = 1, .p = {{1}}, .b = {1}};
	CHECK_INT(solve(&allocator, &wrong, x, y, z).status, CN_SPARSE_INFEASIBLE);
}

TEST(every_allocation_may_fail)
{
	dense d;
	double x0[MOST], y0[MOST], z0[2 * MOST], x[MOST], y[MOST], z[2 * MOST];
	seed = 14;
	known(&d, x0, y0, z0);
	bool done = false;
	for (int allowed = 0; !done && allowed < 200; ++allowed) {
		ledger book = {0};
		cairn_allocator allocator = {&book, ledger_resize};
		ledger_allow(&book, (size_t)allowed);
		done = solve(&allocator, &d, x, y, z).status == CN_SPARSE_SOLVED;
		CHECK_INT(book.bytes, 0);
	}
	CHECK(done);
}

/* Rows that say nothing, with right-hand sides far larger than all others, do not decide what counts as small. */
TEST(empty_rows)
{
	cairn_allocator allocator = cairn_default_allocator();
	double x[MOST], y[MOST], z[2 * MOST];
	dense d = {.n = 1, .g_rows = 2, .p = {{1}}, .q = {-3e-6}, .g = {{-1}, {0}}, .h = {-1e-6, -1e9}};
	CHECK_INT(solve(&allocator, &d, x, y, z).status, CN_SPARSE_SOLVED);
	CHECK_NEAR(x[0], 1e-6, 1e-14);
	CHECK_NEAR(z[0], 2e-6, 1e-14);
	d.h[1] = 1e-9; /* 0 >= 1e-9 */
	CHECK_INT(solve(&allocator, &d, x, y, z).status, CN_SPARSE_INFEASIBLE);
	CHECK(z[1] > 0);
}

TEST(same_bits_everywhere)
{
	cairn_allocator allocator = cairn_default_allocator();
	dense d;
	double x0[MOST], y0[MOST], z0[2 * MOST], x[MOST], y[MOST], z[2 * MOST];
	uint64_t hash = CN_HASH_START;
	seed = 15;
	for (int k = 0; k < 40; ++k) {
		known(&d, x0, y0, z0);
		if (k % 4 == 3 && d.g_rows)
			d.h[0] += 1; /* another program, perhaps without a solution */
		cn_sparse_result r = solve(&allocator, &d, x, y, z);
		hash = cn_hash_u64(hash, (uint64_t)r.status << 32 | r.iterations);
		hash = cn_hash_double(cn_hash_double(cn_hash_double(hash, r.primal), r.dual), r.objective);
		for (uint32_t i = 0; i < d.n; ++i)
			hash = cn_hash_double(hash, x[i]);
		for (uint32_t i = 0; i < d.a_rows; ++i)
			hash = cn_hash_double(hash, y[i]);
		for (uint32_t i = 0; i < d.g_rows; ++i)
			hash = cn_hash_double(hash, z[i]);
	}
	printf("hash of sparse programs %016" PRIx64 "\n", hash);
	CHECK(hash == UINT64_C(0x33aa15ef115565b8));
}

TEST_MAIN(TEST_CASE(same_bits_everywhere), TEST_CASE(empty_rows), TEST_CASE(by_hand), TEST_CASE(known_answers),
          TEST_CASE(scales), TEST_CASE(infeasible_has_a_certificate), TEST_CASE(unbounded_has_a_direction),
          TEST_CASE(every_allocation_may_fail))
