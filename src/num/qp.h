/* The one interface of the solvers: a program over bodies.
 *
 * Every body has six unknowns, a twist u = (v, w): a displacement and a small turn in the position program, a velocity and a
 * spin in the momentum program. The metric is the body's mass: with z = M^(1/2) u every program is the nearest point
 *
 *     min 1/2 sum (u - u0)' M (u - u0)   subject to the rows
 *
 * and has the dual y with u = u0 + M^-1 J' y. Rows tie two bodies, or one to what cannot move:
 *
 *   contact   n.(u_b at rb - u_a at ra) >= least, y >= 0; with mu > 0 two tangent rows carry a friction impulse
 *             |y_t| <= mu y_n that opposes sliding (exact Coulomb: not a program any more but a complementarity problem)
 *   row       low <= ja.u_a + jb.u_b <= high; equal: an equality row, a joint; with one body: a bound
 *
 * Nothing here knows a shape or a scene. */
#ifndef CN_QP_H
#define CN_QP_H

#include "base/pool.h"
#include "base/vec.h"

#define CN_QP_NONE UINT32_MAX /* in place of a body: what cannot move */

typedef struct cn_twist {
	v3 v, w;
} cn_twist;

typedef struct cn_qp_body {
	double inv_mass;       /* 0: cannot move; then inv_inertia is 0 too */
	double inv_inertia[6]; /* world axes: xx xy xz yy yz zz */
} cn_qp_body;

typedef struct cn_qp_contact {
	uint32_t a, b; /* a != b; at most one is CN_QP_NONE */
	v3 n;          /* unit, from a to b */
	v3 ra, rb;     /* from the bodies' centres to the point, world axes */
	double least;
	double mu;  /* >= 0 */
	double eps; /* restitution in [0, 1]; momentum programs only */
	v3 slip;    /* of b across n, beside that of u: friction opposes both together */
} cn_qp_contact;

typedef struct cn_qp_row {
	uint32_t a, b; /* a is a body; b another, or CN_QP_NONE */
	cn_twist ja, jb;
	double low, high; /* low <= high; infinite where there is no bound */
	double
		soft; /* speed by which the row gives way for each unit of its multiplier; qp_small knows it, others take 0 */
} cn_qp_row;

typedef struct cn_qp {
	uint32_t body_count, contact_count, row_count;
	const cn_qp_body *bodies;
	const cn_twist *u0;
	const cn_qp_contact *contacts; /* those of a pair of bodies stand together */
	const cn_qp_row *rows;
} cn_qp;

/* What a contact's multiplier is: the impulse on b, along n and along the two tangents of cn_qp_tangents. */
typedef struct cn_qp_impulse {
	double n, s, t;
} cn_qp_impulse;

/* The tangents that go with a normal: unit, right-handed (n, s, t), a function of n alone: across is the axis after the one n has
 * most of (x for z, y for x, z for y; of equals z, then x), s = across x n made unit. They jump where that axis changes, so
 * what is kept from frame to frame is better kept as a vector. */
void cn_qp_tangents(v3 n, v3 *s, v3 *t);
v3 cn_qp_vector(v3 n, cn_qp_impulse y); /* the impulse as a vector */

/* A normal with its tangents: those of the last contact are often the next one's too. */
typedef struct cn_qp_frame {
	v3 n, s, t;
} cn_qp_frame;

static inline void cn_qp_frame_to(cn_qp_frame *f, v3 n)
{
	if (n.x == f->n.x && n.y == f->n.y && n.z == f->n.z)
		return;
	f->n = n;
	cn_qp_tangents(n, &f->s, &f->t);
}

static inline v3 cn_qp_frame_vector(const cn_qp_frame *f, cn_qp_impulse y)
{
	return v3_madd(v3_madd(v3_scale(f->n, y.n), f->s, y.s), f->t, y.t);
}

static inline cn_qp_impulse cn_qp_frame_parts(const cn_qp_frame *f, v3 j)
{
	return (cn_qp_impulse){v3_dot(f->n, j), v3_dot(f->s, j), v3_dot(f->t, j)};
}

typedef enum cn_qp_status {
	CN_QP_SOLVED,     /* to the accuracy asked for */
	CN_QP_EARLY,      /* stopped before that; the residual says how good it is */
	CN_QP_INFEASIBLE, /* proved: y holds a certificate (y >= 0 on inequalities, J'y = 0, y.rhs > 0) */
	CN_QP_CYCLED,     /* the Coulomb reference only */
	CN_QP_MEMORY
} cn_qp_status;

/* Where the answer goes and the warm start comes from. Arrays of the program's sizes, the caller's. */
typedef struct cn_qp_solution {
	cn_twist *u;            /* [body_count] out */
	cn_qp_impulse *contact; /* [contact_count] in: warm start where options.warm; out */
	double *row;            /* [row_count] the same; positive pushes up from low, negative down from high */
} cn_qp_solution;

typedef struct cn_qp_result {
	cn_qp_status status;
	double violation; /* largest violation of a row in its own unit (m or m/s), recomputed in double from u */
	double
		residual; /* of the optimality conditions: largest |change of a row's value| a further sweep would make, or of
	                      the exact method's KKT conditions, same unit */
	double objective;  /* 1/2 |u - u0|^2_M */
	uint32_t sweeps;   /* iterations */
	uint32_t factored; /* factorisations */
} cn_qp_result;

/* How threads share a program: each adds up what the bodies of a region get. Sums stand by region, so that no two threads
 * write the same line of memory. */
typedef struct cn_qp_share {
	cn_pool *pool;         /* may be NULL */
	const uint8_t *region; /* by body, below regions; NULL: there is one */
	const uint32_t *place; /* by body: its sum in ... */
	cn_twist *sum;
	uint32_t regions;
} cn_qp_share;

/* Runs task over chunks, with the pool of a share that is there. */
void cn_qp_share_run(const cn_qp_share *share, uint32_t chunks, void (*task)(void *context, uint32_t chunk),
                     void *context);

static inline uint32_t cn_qp_share_regions(const cn_qp_share *share)
{
	return share && share->region && share->regions > 1 ? share->regions : 1;
}

/* u = u0 + M^-1 J'y in double, what a body gets in the order of rows: the same bits everywhere. share: may be NULL. */
void cn_qp_apply(const cn_qp *qp, const cn_qp_impulse *contact, const double *row, cn_twist *u);
void cn_qp_apply_shared(const cn_qp *qp, const cn_qp_impulse *contact, const double *row, cn_twist *u,
                        const cn_qp_share *share);
/* u += M^-1 J'y of one contact. */
void cn_qp_push_contact(const cn_qp *qp, uint32_t contact, cn_qp_impulse y, cn_twist *u);
void cn_qp_push(const cn_qp_body *body, v3 impulse, v3 moment, cn_twist *u); /* of one body */
/* J u of one contact, along n and its tangents; of one row. */
cn_qp_impulse cn_qp_speed(const cn_qp *qp, uint32_t contact, const cn_twist *u);
v3 cn_qp_meet(const cn_qp *qp, uint32_t contact, const cn_twist *u); /* the same as a vector */
double cn_qp_row_value(const cn_qp *qp, uint32_t row, const cn_twist *u);
/* Largest violation over all rows at u. */
double cn_qp_violation(const cn_qp *qp, const cn_twist *u);
/* 1/2 |u - u0|^2_M over bodies that move. 1/2 |u|^2_M: the kinetic energy of a momentum program. */
double cn_qp_objective(const cn_qp *qp, const cn_twist *u);
double cn_qp_energy(const cn_qp *qp, const cn_twist *u);

/* Islands: bodies that rows tie together; what cannot move ties nothing. Named by their least body: island[i] is the least
 * body of i's island, CN_QP_NONE for bodies that cannot move. */
void cn_qp_islands(const cn_qp *qp, uint32_t *island);

#endif
