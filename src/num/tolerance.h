/* Constants of the solvers that several of their files use; the others stand at the top of their files. */
#ifndef CN_NUM_TOLERANCE_H
#define CN_NUM_TOLERANCE_H

#define CN_SMALL_SWEEPS                                                                                                \
	200 /* of a small island before the exact method is asked: it then takes less time than going on */
#define CN_EXACT_ROUNDING (64 * 2.220446049250313e-16) /* of the terms of a row: what it may lack by rounding alone */
#define CN_EXACT_NEAR 1e-6                             /* largest residual the interior point method hands on */
#define CN_EXACT_QUICK 1e-9 /* a Newton step that takes this much of the first gradient away ends its proximal step */
#define CN_EXACT_PROX_MIN 1e-9 /* least delta of the proximal steps: below it rounding makes the matrix singular */
#define CN_EXACT_NEWTON 60     /* Newton steps of one proximal step */
#define CN_EXACT_BEST 1e-13    /* no better residual is insisted on */
#define CN_EXACT_FINE 1e-15    /* rounding: no better residual is sought */
#define CN_EXACT_ACCURACY                                                                                              \
	1e-10 /* residual, relative to the program's scale, that counts as solved unless the caller asks for another */
#define CN_EXACT_KRYLOV 80   /* vectors of GMRES */
#define CN_FAST_FLUSH 1e-18f /* multipliers below this are 0: their squares are still normal numbers */

#endif
