/* How good is an answer: every condition that makes it one, measured from the definitions by code that no method uses. */
#ifndef CN_QP_CHECK_H
#define CN_QP_CHECK_H

#include "num/qp.h"

typedef struct cn_qp_report {
	double feasibility;  /* largest violation of a row or bound, in the row's unit */
	double stationarity; /* largest |u - u0 - M^-1 J'y| component, linear or angular x the body's lever, in u's unit */
	double complementarity; /* largest min(y scaled to u's unit by the row's own inverse mass, slack) */
	double sign;            /* largest negative part of a multiplier that must not be negative, scaled likewise */
	double cone;            /* friction: largest (|y_t| - mu y_n)+, scaled likewise */
	double slip;      /* friction: largest failure of "slides against the impulse, at the cone's edge", in u's unit */
	double objective; /* 1/2 |u - u0|_M^2 */
	double dual;      /* the dual's value where the program is convex (mu = 0): the gap to the objective proves it */
	double energy_before, energy_after; /* 1/2 |u0|_M^2, 1/2 |u|_M^2 */
	bool finite;
} cn_qp_report;

/* friction: judge as a Coulomb problem; else mu is ignored. restitution 0 is assumed. */
cn_qp_report cn_qp_check(const cn_qp *qp, const cn_qp_solution *solution, bool friction);

#endif
