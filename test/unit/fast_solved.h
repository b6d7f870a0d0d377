/* What the tests of the real-time solver share: solving into room of its own, everything the header promises of a solve, a stack. */
#ifndef FAST_SOLVED_H
#define FAST_SOLVED_H

#include "test.h"

#include "../../bench/kernel/pile.h"
#include "ledger.h"
#include "num/qp_fast_parts.h"
#include "qp_room.h"

static ledger memory;
static const cairn_allocator allocator = {&memory, ledger_resize};

typedef struct solved {
	cn_qp_solution solution;
	cn_qp_result result;
} solved;

static inline solved make_room(const cn_qp *qp) { return (solved){.solution = qp_room(qp)}; }
static inline void free_room(solved *s) { qp_room_free(&s->solution); }

static inline void solve(cn_fast *fast, const cn_qp *qp, bool momentum, const cn_fast_options *options, solved *s)
{
	s->result = momentum ? cn_fast_momentum(fast, qp, options, &s->solution)
	                     : cn_fast_position(fast, qp, options, &s->solution);
}

static inline bool finite_twist(cn_twist u) { return v3_finite(u.v) && v3_finite(u.w); }

/* Everything the header promises of any solve, whenever it stopped. */
static inline void check_promises(const cn_qp *qp, bool momentum, const solved *s)
{
	cn_twist *u = calloc(qp->body_count + 1, sizeof *u);
	if (!u)
		abort();
	cn_qp_apply(qp, s->solution.contact, s->solution.row, u);
	CHECK(memcmp(u, s->solution.u, qp->body_count * sizeof *u) == 0);
	bool inside = true, finite = true;
	for (uint32_t i = 0; i < qp->contact_count; ++i) {
		cn_qp_impulse y = s->solution.contact[i];
		double mu = momentum ? qp->contacts[i].mu : 0;
		inside = inside && y.n >= 0 && sqrt(y.s * y.s + y.t * y.t) <= mu * y.n;
	}
	for (uint32_t i = 0; i < qp->row_count; ++i)
		inside = inside && !(s->solution.row[i] > 0 && !isfinite(qp->rows[i].low)) &&
		         !(s->solution.row[i] < 0 && !isfinite(qp->rows[i].high));
	for (uint32_t i = 0; i < qp->body_count; ++i)
		finite = finite && finite_twist(s->solution.u[i]);
	CHECK(inside);
	CHECK(finite && isfinite(s->result.residual) && isfinite(s->result.objective));
	CHECK(s->result.violation == cn_qp_violation(qp, s->solution.u));
	CHECK(s->result.objective == cn_qp_objective(qp, s->solution.u));
	CHECK(s->result.status == CN_QP_SOLVED || s->result.status == CN_QP_EARLY);
	free(u);
}

static const cn_qp_body unit_cube = {1, {6, 0, 0, 6, 0, 6}};
static const double frame = 1.0 / 30;

/* Cubes of edge 1 on each other and on the ground, four points each. */
typedef struct stack {
	cn_qp qp;
	cn_qp_body bodies[16];
	cn_twist u0[16];
	cn_qp_contact contacts[64];
} stack;

static inline void build_stack(stack *s, uint32_t bodies, double mu)
{
	memset(s, 0, sizeof *s);
	for (uint32_t i = 0; i < bodies; ++i) {
		s->bodies[i] = unit_cube;
		s->u0[i].v.z = -9.81 * frame;
		for (int k = 0; k < 4; ++k) {
			double x = k == 0 || k == 3 ? -0.5 : 0.5, y = k < 2 ? -0.5 : 0.5;
			s->contacts[4 * i + (uint32_t)k] = (cn_qp_contact){.a = i ? i - 1 : CN_QP_NONE,
			                                                   .b = i,
			                                                   .n = {0, 0, 1},
			                                                   .ra = i ? v3_make(x, y, 0.5) : v3_zero(),
			                                                   .rb = {x, y, -0.5},
			                                                   .mu = mu};
		}
	}
	s->qp = (cn_qp){
		.body_count = bodies, .contact_count = 4 * bodies, .bodies = s->bodies, .u0 = s->u0, .contacts = s->contacts};
}

#endif
