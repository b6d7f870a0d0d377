/* Joints in the small solver: random figures with contacts, joints, limits, servos and loops are solved as the
 * conditions of the program ask, measured by code that knows nothing of trees, and as the exact method solves them. */
#include "solve_small.h"
#include "test.h"

#include "ledger.h"
#include "num/qp_check.h"
#include "num/qp_exact.h"
#include "num/qp_small_parts.h"
#include "random.h"

#include <string.h>

enum { BODIES = 14, CONTACTS = 12, ROWS = 120, FIGURES = TEST_FEW ? 300 : 3000 };

static ledger book;
static const cairn_allocator allocator = {&book, ledger_resize};

typedef struct figure {
	cn_qp qp;
	cn_qp_body bodies[BODIES];
	cn_twist u0[BODIES];
	v3 place[BODIES];
	cn_qp_contact contacts[CONTACTS];
	cn_qp_row rows[ROWS];
	uint64_t state;
	cn_twist u[BODIES];
	cn_qp_impulse contact[CONTACTS];
	double row[ROWS];
	cn_qp_solution x;
} figure;

static double unit(figure *f) { return 0.5 + 0.5 * cn_random_signed(&f->state); }
static uint32_t below(figure *f, uint32_t n) { return (uint32_t)(cn_random_u64(&f->state) % n); }

static v3 vector(figure *f, double size)
{
	double x = cn_random_signed(&f->state), y = cn_random_signed(&f->state), z = cn_random_signed(&f->state);
	return v3_make(size * x, size * y, size * z);
}

static void add_row(figure *f, cn_qp_row r)
{
	if (f->qp.row_count < ROWS)
		f->rows[f->qp.row_count++] = r;
}

/* The points of two bodies at a place keep together along n; b: may be none. */
static void tie_points(figure *f, uint32_t a, uint32_t b, v3 at, v3 n)
{
	cn_twist ja = {v3_neg(n), v3_cross(n, v3_sub(at, f->place[a]))}, jb = {{0, 0, 0}, {0, 0, 0}};
	if (b != CN_QP_NONE)
		jb = (cn_twist){n, v3_cross(v3_sub(at, f->place[b]), n)};
	add_row(f, (cn_qp_row){.a = a, .b = b, .ja = ja, .jb = jb});
}

static void tie_turns(figure *f, uint32_t a, uint32_t b, v3 n)
{
	cn_twist jb = {{0, 0, 0}, b == CN_QP_NONE ? v3_zero() : n};
	add_row(f, (cn_qp_row){.a = a, .b = b, .ja = {{0, 0, 0}, v3_neg(n)}, .jb = jb});
}

/* A rod, a ball, a hinge, a slider or a fixed joint; a hinge may have a limit or a servo. */
static void add_joint(figure *f, uint32_t a, uint32_t b)
{
	v3 axes[3], at = v3_add(f->place[a], vector(f, 0.6));
	uint32_t kind = below(f, 5), points = kind == 0 ? 1 : kind == 3 ? 2 : 3, turns = kind < 2 ? 0 : kind == 2 ? 2 : 3;
	axes[2] = v3_unit(v3_add(vector(f, 1), v3_make(0, 0, 2)));
	cn_qp_tangents(axes[2], &axes[0], &axes[1]);
	for (uint32_t k = 0; k < points; ++k)
		tie_points(f, a, b, at, axes[k]);
	for (uint32_t k = 0; k < turns; ++k)
		tie_turns(f, a, b, axes[k]);
	if (kind != 2)
		return;
	tie_turns(f, a, b, axes[2]);
	cn_qp_row *r = &f->rows[f->qp.row_count - 1];
	r->low = below(f, 2) ? 0 : -INFINITY, r->high = r->low == 0 ? INFINITY : 0.1;
}

static void draw(figure *f, uint64_t seed, double friction, bool loops)
{
	memset(f, 0, sizeof *f);
	f->state = seed;
	f->qp = (cn_qp){2 + below(f, BODIES - 1), 0, 0, f->bodies, f->u0, f->contacts, f->rows};
	f->x = (cn_qp_solution){f->u, f->contact, f->row};
	double wide = below(f, 3) ? 1 : 3;
	for (uint32_t i = 0; i < f->qp.body_count; ++i) {
		double mass = random_power(&f->state, 0, 1), more = wide > 1 ? random_power(&f->state, -1, 1) : 1;
		double x = 2 + 10 * unit(f), y = 2 + 10 * unit(f), z = 2 + 10 * unit(f);
		mass *= more;
		f->bodies[i] = (cn_qp_body){1 / mass, {x / mass, 0, 0, y / mass, 0, z / mass}};
		v3 v = vector(f, 1), w = vector(f, 2), away = vector(f, 1);
		f->place[i] = i ? v3_add(f->place[below(f, i)], away) : v3_zero();
		f->u0[i] = (cn_twist){v, w};
		if (i && below(f, 8)) /* else a figure of its own */
			add_joint(f, i, below(f, i));
		else if (below(f, 2))
			add_joint(f, i, CN_QP_NONE);
	}
	if (loops)
		add_joint(f, f->qp.body_count - 1, 0);
	for (uint32_t count = 1 + below(f, CONTACTS); f->qp.contact_count < count;) {
		uint32_t b = below(f, f->qp.body_count), a = below(f, 3) ? CN_QP_NONE : below(f, f->qp.body_count);
		v3 ra = vector(f, 0.5), rb = vector(f, 0.5), n = v3_unit(v3_add(vector(f, 0.4), v3_make(0, 0, 1)));
		double mu = friction * unit(f);
		if (a == b)
			continue;
		f->contacts[f->qp.contact_count++] = (cn_qp_contact){.a = a, .b = b, .n = n, .ra = ra, .rb = rb, .mu = mu};
	}
}

static double most_of(double a, double b) { return a > b ? a : b; }

static double worst(const figure *f, bool friction)
{
	cn_qp_report q = cn_qp_check(&f->qp, &f->x, friction);
	CHECK(q.finite);
	return most_of(most_of(most_of(q.feasibility, q.stationarity), most_of(q.complementarity, q.sign)),
	               most_of(q.cone, q.slip));
}

TEST(figures_meet_the_conditions)
{
	static figure f;
	uint32_t asked = 0, left = 0;
	double most = 0;
	for (uint64_t k = 0; k < FIGURES; ++k) {
		draw(&f, 1 + k, k % 3 ? 0.8 : 0, k % 4 == 3);
		cn_qp_result r = solve_small(&allocator, &f.qp, &(cn_small_options){0}, &f.x);
		asked += r.factored > 0;
		left += r.status != CN_QP_SOLVED;
		if (r.status == CN_QP_SOLVED)
			most = most_of(most, worst(&f, true));
	}
	printf("%d figures: %g at worst, %u asked the exact method, %u left\n", (int)FIGURES, most, asked, left);
	CHECK(most < 1e-8);
	CHECK(left * 200 <= FIGURES && asked * 50 <= FIGURES);
}

TEST(figures_without_friction_move_as_the_exact_method_has_them)
{
	static figure f, g;
	double most = 0;
	uint32_t compared = 0;
	for (uint64_t k = 0; k < FIGURES; ++k) {
		draw(&f, 7000 + k, 0, false);
		draw(&g, 7000 + k, 0, false);
		cn_qp_result r = solve_small(&allocator, &f.qp, &(cn_small_options){0}, &f.x);
		cn_qp_result e = cn_exact_solve(&allocator, &g.qp, &(cn_exact_options){.tolerance = 1e-13}, &g.x);
		if (r.status != CN_QP_SOLVED || e.status == CN_QP_INFEASIBLE || e.residual > 1e-10)
			continue;
		++compared;
		for (uint32_t i = 0; i < f.qp.body_count; ++i)
			most = most_of(most, most_of(v3_length(v3_sub(f.u[i].v, g.u[i].v)), v3_length(v3_sub(f.u[i].w, g.u[i].w))));
	}
	printf("%u figures: velocities %g apart at most\n", compared, most);
	CHECK(compared * 10 > 9 * FIGURES);
	CHECK(most < 1e-8);
}

/* Rows of figures have further seats; with them too, both kernels give the same bits. */
TEST(kernel_changes_no_figure)
{
	static figure of[2];
	const cn_small_kernel *kernels[2] = {cn_small_narrow(), cn_small_avx2() ? cn_small_avx2() : cn_small_narrow()};
	cn_small *small = cn_small_create(&allocator);
	uint32_t far = 0;
	REQUIRE(small);
	for (uint64_t k = 0; k < FIGURES; ++k) {
		cn_small_options options = {.sweeps = 60, .sweeps_only = true, .bounce = k % 2, .turns = k % 5 == 0};
		for (int i = 0; i < 2; ++i) {
			draw(&of[i], 20000 + k, k % 3 ? 0.8 : 0, k % 4 == 3);
			small->kernel = kernels[i];
			(void)cn_small_solve(small, &of[i].qp, &options, &of[i].x);
		}
		far += small->tree.count > 0 && small->tree.far_used > 0;
		CHECK(memcmp(of[0].u, of[1].u, sizeof of[0].u) == 0);
		CHECK(memcmp(of[0].contact, of[1].contact, sizeof of[0].contact) == 0);
		CHECK(memcmp(of[0].row, of[1].row, sizeof of[0].row) == 0);
	}
	printf("%u of %d figures have rows with further seats\n", far, (int)FIGURES);
	CHECK(2 * far > FIGURES);
	cn_small_destroy(small);
}

TEST_MAIN(TEST_CASE(figures_meet_the_conditions), TEST_CASE(figures_without_friction_move_as_the_exact_method_has_them),
          TEST_CASE(kernel_changes_no_figure))
