/* The two methods that solve an island, and what they share. */
#ifndef CN_QP_EXACT_POINT_H
#define CN_QP_EXACT_POINT_H

#include "num/qp_exact_rows.h"

typedef struct cn_exact_point {
	double *x;     /* [6 bodies] */
	double *y, *s; /* [count] multipliers, slacks of the interior point method */
	double *shift; /* [count] cones: what b of the normal row is lowered by */
	double *wx[5]; /* [6 bodies] scratch */
	double *wr[9]; /* [count] scratch */
	double *run;   /* [count] the last change of y in cn_exact_newton where it failed: a certificate may be near */
	double *hold;  /* [count] the y that the interior point method goes on from */
	uint8_t *set;  /* [count] rows that push in the matrix factored for cn_exact_step ... */
	double factored_for; /* ... with this delta; 0: it is another matrix */
	uint32_t iterations;
	bool direct;     /* x is the answer, and not A'y, from which it differs by rounding of a large y */
	double residual; /* largest |y - P(y - (Ax - b))| with x = A'y, P the projection on the multipliers' cone */
} cn_exact_point;

bool cn_exact_point_make(cn_arena *arena, const cn_exact_rows *rows, cn_exact_point *point);

typedef enum cn_exact_end {
	CN_EXACT_DONE,
	CN_EXACT_STUCK,     /* no further for rounding or the limit */
	CN_EXACT_DIVERGING, /* y runs away along what may be a certificate */
} cn_exact_end;

/* Primal-dual interior point (Mehrotra 1992), rows without cones, from point as it stands (start) or goes on. Ends when
 * the mean complementarity is below target. */
void cn_exact_interior_start(cn_exact_rows *rows, cn_exact_point *point);
cn_exact_end cn_exact_interior(cn_exact_rows *rows, cn_exact_point *point, double target, uint32_t iterations);

/* Proximal steps on y (augmented Lagrangian), each an exact minimisation by semismooth Newton: from any y, but quick
 * from a good one. Ends at the residual asked for, or when it falls no more. `limit` factorisations at most. With
 * cones: at the shift as it is. */
cn_exact_end cn_exact_newton(cn_exact_rows *rows, cn_exact_point *point, double tolerance, uint32_t limit);
/* One proximal step, to a gradient of `tolerance`; stops when rows->factored has reached `limit`. */
void cn_exact_step(cn_exact_rows *rows, cn_exact_point *point, double delta, double tolerance, uint32_t limit);
/* One proximal step on Coulomb's law; false, and y as it was, where Newton's method did not get there. basis has room
 * for CN_EXACT_KRYLOV + 1 vectors of 6 bodies. */
bool cn_exact_slide(cn_exact_rows *rows, cn_exact_point *point, double delta, double tolerance, double *basis);
double cn_exact_residual(const cn_exact_rows *rows, cn_exact_point *point); /* makes x = A'y first */

/* The dual active set method, from scratch, on rows without cones: for small islands (CN_EXACT_DENSE bodies; larger ones
 * are left as they are) whose rows nearly depend on each other. Leaves y, x, and the largest of |x - A'y| and what the rows lack at x as the
 * residual: x is more accurate than A'y where y is large. False when memory ran out. */
bool cn_exact_dual(cn_arena *arena, const cn_exact_rows *rows, cn_exact_point *point, double tolerance);

/* Where rows push against each other y may be far larger than x: takes away as much of what A' maps to 0 as leaves y >=
 * 0. From an interior point, s beside y. */
void cn_exact_shrink(cn_exact_rows *rows, cn_exact_point *point);

/* From multipliers that run away, the nearest y with A'y = 0; true when it proves that the rows contradict each other.
 * y is left in point->y. */
bool cn_exact_certify(cn_exact_rows *rows, cn_exact_point *point, const double *y);

#endif
