/* Two convex parts that move: do they stay apart, and if not, until when (OBA 5.4, SHELL 3.1).
 *
 * Between keys a body's centre of mass moves straight and the body turns about a fixed axis through it at constant rate.
 * For one fixed unit axis n the separation obeys s(t) >= (1-t) s(0) + t s(1) - k, k = (theta_a^2 rho_a + theta_b^2 rho_b)/8,
 * rho the radius of the part about the centre of mass. One axis that keeps both ends apart by the asked gap plus k proves
 * an interval; halves of it have a quarter of the k. An axis that turns from the one end's to the other's proves where a face
 * turns with its part (sweep.c). So intervals are proved, never sampled. */
#ifndef CN_SWEEP_H
#define CN_SWEEP_H

#include "geom/separate.h"

typedef struct cn_mover {
	const cn_convex *part;
	pose in_body;  /* of the part's frame about the centre of mass, body axes */
	v3 x0, x1;     /* centre of mass at t = 0 and 1 */
	quat q0;       /* body axes at t = 0 */
	v3 turn;       /* q(t) = exp(t turn) q0; world axes, at most pi/2 long */
	double radius; /* of what is to be kept clear, about the centre of mass; infinite for a half-space */
} cn_mover;

cn_place cn_mover_at(const cn_mover *m, double t);

typedef enum cn_sweep_status {
	CN_SWEEP_FREE, /* proved: the gap is at least the asked one all the way; time is 1 */
	CN_SWEEP_REACHED, /* proved up to time; there the gap is within the tolerance of the asked one, and no further motion of
	                     the length of the tolerance could be proved */
	CN_SWEEP_SPENT, /* the budget ran out: proved up to time, nothing is known of what comes after */
	CN_SWEEP_CLOSE  /* the gap is below the asked one at the start; time is 0 */
} cn_sweep_status;

typedef enum cn_sweep_tier {
	CN_TIER_BALLS, /* balls about the centres of mass */
	CN_TIER_END,   /* one axis over the whole way: that of the end pose, or one that turns to it */
	CN_TIER_START, /* of the start pose */
	CN_TIER_MEAN,  /* between them */
	CN_TIER_SPLIT, /* piece by piece */
	CN_TIER_COUNT
} cn_sweep_tier;

typedef struct cn_sweep_result {
	cn_sweep_status status;
	cn_sweep_tier tier;   /* the costliest that was needed */
	double time;          /* the interval [0, time] is proved */
	v3 n;                 /* the axis of the last separation, near time */
	uint32_t evaluations; /* separations asked for */
} cn_sweep_result;

typedef struct cn_sweep_options {
	double gap;                 /* m, >= 0: what is to be kept */
	double tolerance;           /* m, > 0: how near REACHED comes to the true time, as motion */
	uint32_t budget;            /* separations at most; two are always asked for where balls do not suffice */
	const cn_separation *begin; /* the separation at t = 0 if it is known: n and gap, which are trusted; else NULL */
	bool whole; /* only whether all of it is free is of interest: the first overlap that is met ends it, REACHED */
} cn_sweep_options;

/* end: the separation at t = 1 if it is known (the contact stage has it), else NULL. witness may be NULL. */
void cn_sweep(const cn_mover *a, const cn_mover *b, const cn_sweep_options *options, const cn_separation *end,
              cn_witness *witness, cn_sweep_result *out);

#endif
