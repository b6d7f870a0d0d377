/* What the parts of the small solver share: the program in units of mass.
 *
 * With M^-1 = L L' (a root of the inverse mass, the Cholesky factor of the inverse inertia) and u = u0 + L x every row
 * J becomes j = J L, the impulses y move x by j'y, and a row's value is J u0 + j.x: the same twelve numbers push and
 * measure. Bodies that cannot move have L = 0; CN_QP_NONE is one more of them, behind the others. */
#ifndef CN_QP_SMALL_PARTS_H
#define CN_QP_SMALL_PARTS_H

#include "base/arena.h"
#include "num/qp_small.h"

/* What a row has in further seats: six numbers in each, those of a row after those of the row before it. */
typedef struct cn_small_far {
	const double *j;
	const uint8_t *seat;
	uint32_t count;
} cn_small_far;

/* Of a contact; the rows are n, s, t, a's six numbers first. */
typedef struct cn_small_touch {
	double j[3][12];
	double want[3];      /* of j.x: least - n.u0 for the normal, -J u0 for the tangents */
	double size[3];      /* j.j: the response */
	double ns, nt;       /* j_n.j_s, j_n.j_t */
	double most;         /* largest response of a direction in the tangent plane */
	double per_n, per_t; /* 1 / response, 1 / most; 0 where nothing can move */
	double mu;
	uint32_t a, b; /* seats: those of bodies, or of trees of bodies (qp_small_tree.c) */
	cn_small_far far;
} cn_small_touch;

/* Of a joint row. */
typedef struct cn_small_bond {
	double j[12];
	double start;     /* J u0 */
	double low, high; /* of j.x */
	double size, per; /* as above; of a soft row: with its softness */
	double soft;
	double lack, more; /* scratch of the direct solve, soft rows alone */
	uint32_t a, b;
	cn_small_far far;
} cn_small_bond;

/* What a row did in the last sweep. */
enum { CN_SMALL_PUSHES = 1, CN_SMALL_STICKS = 2, CN_SMALL_LOW = 1, CN_SMALL_HIGH = 2 };

/* The direct solve: the lower triangle of a matrix of 6 rows a seat, each from the first seat it is tied to. */
typedef struct cn_small_matrix {
	double *value, *x; /* the matrix, then its factor; right side and answer, 6 a seat */
	uint32_t *first;   /* by seat: the first one of its rows */
	size_t *at;        /* where its rows start */
} cn_small_matrix;

/* A body with equations, and what of them is eliminated (qp_small_tree.c). */
typedef struct cn_small_link {
	uint32_t body, parent; /* parent: a link before it; CN_QP_NONE: a root */
	uint32_t held, free;   /* equations to the parent or to what cannot move; coordinates of its own */
	uint32_t row[6];       /* the rows of these equations */
	uint32_t at;           /* the first of its coordinates */
	uint64_t seats;        /* a set: of its own coordinates and those of the links before it */
	double inverse[6][6];  /* b^+, a row for each equation */
	double across[6][6];   /* Y */
	double own[6][6];      /* K', a row for each coordinate */
	double inertia[6][6], bias[6], start[6]; /* A, p, s */
} cn_small_link;

typedef struct cn_small_tree {
	cn_small_link *links;   /* parents first; */
	uint32_t count;         /* none: no equation is eliminated */
	uint32_t *of, *seat;    /* by body: its link, CN_QP_NONE if it has none; then its seat */
	uint32_t *first;        /* by body: its first equation in ... */
	uint32_t *equation;     /* ... rows, by body */
	double *arm;            /* three rows in all seats */
	double *by_body, *left; /* x by body; what of it is not explained yet */
	double *far;            /* of all rows */
	uint8_t *far_seat;
	size_t far_room, far_used; /* numbers; ... */
	size_t seat_used;          /* ... seats */
} cn_small_tree;

/* Newton's method (qp_small_newton.c): one unknown a row that is left. */
typedef struct cn_small_newton {
	double *row, *product, *matrix;                 /* rows in all seats and none; A; the equations of a step */
	double *right, *want, *per, *lack, *y, *center; /* by unknown */
	uint32_t *acts;                                 /* unknowns that are in the equations */
	double delta;
	uint32_t count, stride, acting; /* count: 0 where it does not serve */
	bool planned;
	uint32_t room, seats; /* there is room for */
} cn_small_newton;

typedef struct cn_small_kernel cn_small_kernel;

struct cn_small {
	cairn_allocator allocator;
	const cn_small_kernel *kernel;
	cn_arena arena;
	uint32_t bodies, contacts, rows; /* there is room for */
	cn_small_touch *touch;
	cn_small_bond *bond;
	uint8_t *touch_state, *bond_state;
	double *root;   /* 7 a body: root of the inverse mass; L: xx yx yy zx zy zz */
	double *x;      /* 6 a seat and 6 for CN_QP_NONE */
	uint32_t seats; /* of six coordinates: as many as bodies, where no equation is eliminated */
	uint8_t *live;  /* by seat: something moves there */
	cn_small_tree tree;
	cn_small_newton newton;
	double *scratch; /* 5 a body, 4 a contact */
	uint32_t *island;
	cn_small_matrix matrix;
	double *turns;          /* 3 a contact, 1 a row: the speeds that they are left with */
	cn_qp_solution kept;    /* what a direct solve starts from; u is not used */
	cn_qp_solution other;   /* the reference's answer */
	cn_qp_contact *impact;  /* contacts as Newton's law has them, ... */
	cn_qp_row *impact_rows; /* ... and rows */
	cn_qp_solution soft;    /* an impact's answer without restitution */
};

/* One solve. */
typedef struct cn_small_run {
	cn_small *memory;
	const cn_qp *qp;
	cn_qp_impulse *y;
	double *row;
	double scale; /* m/s: the largest speed a row starts with or asks for; bounds beyond 0 ask for none */
	double stuck; /* m/s: the most by which a row fails that nothing can move */
	bool turns;   /* of rows and bodies may be taken where contacts slide */
} cn_small_run;

/* Whether something moves in a seat. */
static inline bool cn_small_moves(const cn_small_run *run, uint32_t seat)
{
	return seat < run->memory->seats && run->memory->live[seat];
}

/* j = (v, w) L */
static inline void cn_small_take_root(const double *root, v3 v, v3 w, double *j)
{
	const double *l = root + 1;
	j[0] = v.x * root[0], j[1] = v.y * root[0], j[2] = v.z * root[0];
	j[3] = l[0] * w.x + l[1] * w.y + l[3] * w.z;
	j[4] = l[2] * w.y + l[4] * w.z;
	j[5] = l[5] * w.z;
}

/* Once rows stand by body: eliminates equations and puts the rows that are left into coordinates. */
void cn_small_join(cn_small_run *run);
/* x by body, and the multipliers of eliminated equations. */
const double *cn_small_bodies(const cn_small_run *run);

void cn_small_prepare(cn_small_run *run); /* also scale and stuck */

void cn_small_motion(const cn_small_run *run, cn_twist *u); /* u = u0 + L x */

/* Into the cones. */
void cn_small_admit(const cn_qp *qp, cn_qp_impulse *y);

/* Where it is worth it: the first row of every body of the matrix, and where it starts. */
bool cn_small_direct_plan(const cn_small_run *run);
bool cn_small_slides(const cn_small_run *run); /* some contact slid in the last sweep */
size_t cn_small_matrix_room(uint32_t bodies);  /* doubles of the matrix */

/* Whether Newton's method serves here, and A for it, found once; then y and x with it. Returns the residual that is left. */
bool cn_small_newton_plan(const cn_small_run *run);
double cn_small_newton_solve(const cn_small_run *run, double tolerance);

/* What costs most, for the machine at hand: the numbers are the same to the last bit on all of them. */
struct cn_small_kernel {
	void (*sum)(const cn_small_run *run); /* x = sum of j'y */
	/* One sweep over all rows, in order or from the last to the first; returns the largest change of a row's own
	 * value. */
	double (*sweep)(const cn_small_run *run, bool back);
	/* The largest change that some row would make alone: 0 at a solution, and nowhere else. */
	double (*residual)(const cn_small_run *run);
	/* y solved with what pushed, stuck, slid or did nothing in the last sweep going on with that, until no row lacks
	 * more than enough (m/s) or no more is gained; and x with it. After cn_small_direct_plan. */
	void (*direct)(const cn_small_run *run, double enough);
	/* y after so many turns of rows and bodies, and x with it. After cn_small_direct_plan and a sweep; begins once, and
	 * goes on as long as nobody asks for a direct solve. */
	void (*turns_begin)(const cn_small_run *run);
	void (*turns)(const cn_small_run *run, uint32_t turns);
	/* Solves the equations of a step; the answer takes the place of the right side. */
	void (*eliminate)(const cn_small_newton *newton);
};

const cn_small_kernel *cn_small_narrow(void);
const cn_small_kernel *cn_small_avx2(void); /* NULL: this machine does not have it */

static inline void cn_small_sum(const cn_small_run *run) { run->memory->kernel->sum(run); }
static inline double cn_small_sweep(const cn_small_run *run, bool back)
{
	return run->memory->kernel->sweep(run, back);
}
static inline double cn_small_residual(const cn_small_run *run) { return run->memory->kernel->residual(run); }
static inline void cn_small_direct(const cn_small_run *run, double enough) { run->memory->kernel->direct(run, enough); }
static inline void cn_small_turns_begin(const cn_small_run *run) { run->memory->kernel->turns_begin(run); }
static inline void cn_small_turns(const cn_small_run *run, uint32_t turns) { run->memory->kernel->turns(run, turns); }

#endif
