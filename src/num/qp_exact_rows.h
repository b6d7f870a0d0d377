/* One island of a program as the exact methods see it: the point nearest to 0
 *
 *     min 1/2 |x|^2   subject to   a_r.x >= b_r (or = b_r),   x = A'y
 *
 * where u = u0 + scale M^(-1/2) x, every row has length 1 and scale makes the largest b that asks for something 1. All
 * numbers of x, y, b and of the slacks then have one unit and one size, whatever the units and masses of the program
 * are. With friction a contact has three rows, normal and tangents, that share one factor so that its cone stays round.
 * */
#ifndef CN_QP_EXACT_ROWS_H
#define CN_QP_EXACT_ROWS_H

#include "num/block.h"
#include "num/qp.h"

typedef enum cn_exact_kind {
	CN_EXACT_MIN,    /* a.x >= b, y >= 0 */
	CN_EXACT_EQUAL,  /* a.x = b */
	CN_EXACT_CONE,   /* with the two rows after it: |(y_s, y_t)| <= mu y_n */
	CN_EXACT_TANGENT /* belongs to the cone before it */
} cn_exact_kind;

enum { CN_EXACT_WIDTH = 12 }; /* numbers of a row: six of its earlier body, six of its later one */

typedef struct cn_exact_edge {
	uint32_t first, end; /* its rows */
	uint32_t i, j;       /* columns, i < j; j CN_QP_NONE for rows on one body */
	size_t ii, ij, jj;   /* blocks */
} cn_exact_edge;

typedef struct cn_exact_rows {
	uint32_t bodies, count, edges;
	uint32_t inequalities, equalities, cones; /* rows, rows, groups of three */
	double *a;                                /* [count][12] */
	double *mixed;    /* [count][12] what is squared in the matrix: a, or combinations of a cone's rows */
	double *b;        /* [count] */
	double *mu;       /* [count] of cones */
	double *light;    /* [bodies] square root of the inverse mass, by columns */
	double *factor;   /* [count] y of the program = factor x y here */
	uint8_t *kind;    /* [count] */
	uint32_t *i, *j;  /* [count] columns, as the edge's */
	uint32_t *source; /* [count] contact, or contact_count + row */
	cn_exact_edge *edge;
	cn_block matrix;
	double scale;
	double
		strict; /* <= 1: accuracy here x this is accuracy of every row in its own unit, relative to what is asked for */
	double doubt;      /* what b may be off by rounding, at most */
	uint32_t hopeless; /* a source that nothing here can move and that lacks something; CN_QP_NONE: none */
	uint32_t factored; /* how often */
} cn_exact_rows;

/* The program cut up: bodies and rows of each island together. */
typedef struct cn_exact_cut {
	const cn_qp *qp;
	bool friction;
	uint32_t islands;
	uint32_t *island;                 /* [body_count] its number, CN_QP_NONE for what cannot move */
	uint32_t *local;                  /* [body_count] its number within the island */
	uint32_t *bodies;                 /* [islands] how many */
	uint32_t *row_first, *row_source; /* [islands + 1] into the island's contacts, and contact_count + rows */
	cn_twist *point;                  /* [body_count] u where ... */
	uint8_t *stored;                  /* [body_count] ... it was stored */
} cn_exact_cut;

bool cn_exact_cut_make(cn_arena *arena, const cn_qp *qp, bool friction, cn_exact_cut *cut);
/* The rows of an island, ordered and with room for the matrix. False when memory ran out. */
bool cn_exact_rows_make(cn_arena *arena, const cn_exact_cut *cut, uint32_t island, cn_exact_rows *rows);

/* How much a row of fixed bodies lacks, beyond rounding: it cannot be helped where this is positive. With +-1, the
 * multiplier of the certificate. */
double cn_exact_lack(const cn_qp *qp, uint32_t source, double *sign);

void cn_exact_times(const cn_exact_rows *rows, const double *x, double *out);  /* out = A x */
void cn_exact_turned(const cn_exact_rows *rows, const double *y, double *out); /* out = A' y */
/* Factors I + sum over rows of weight mixed mixed'. */
void cn_exact_factor(cn_exact_rows *rows, const double *weight);

/* Multipliers back to the program: those of the island's rows are written, no others. */
void cn_exact_store(const cn_qp *qp, const cn_exact_rows *rows, const double *y, cn_qp_solution *solution);
/* u of the island's bodies from x, into the cut. */
void cn_exact_store_point(const cn_exact_cut *cut, uint32_t island, const cn_exact_rows *rows, const double *x);
/* u from the multipliers, or from the cut where it was stored. */
void cn_exact_apply(const cn_qp *qp, const cn_exact_cut *cut, cn_qp_solution *solution);
/* EARLY, multipliers 0 and u0 where an answer has numbers that are not finite. */
void cn_exact_guard(const cn_qp *qp, cn_qp_solution *solution, cn_qp_result *result);
/* A residual of the island in the unit of that of its rows which it means most for. */
double cn_exact_in_units(const cn_exact_rows *rows, double residual);

#endif
