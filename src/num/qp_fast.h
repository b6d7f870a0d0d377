/* Real time: projected Gauss-Seidel on the dual with Nesterov's acceleration, float, 8 logical lanes, coloured so
 * that no two lanes or threads share a body. May be stopped after any sweep: y is in its cone and u = u0 + M^-1 J'y
 * is recomputed in double. It never claims infeasibility: a program without an answer ends CN_QP_EARLY with its
 * violation. The same bits for every number of threads.
 *
 * y has the digits of a float, so a body between two that are k times as heavy ends within about 1e-7 k of the
 * speeds involved. The residual is the largest change of a row in the last sweep; where sweeps change no more than was
 * asked for but the violation in double is larger, the answer is CN_QP_EARLY and the violation is the residual. With
 * CN_QP_MEMORY the solution is as it was. */
#ifndef CN_QP_FAST_H
#define CN_QP_FAST_H

#include "num/qp.h"

enum { CN_FAST_REGIONS = 16 }; /* at most */

/* The memory of a solver, kept from frame to frame: it allocates only when a program is larger than any before. */
typedef struct cn_fast cn_fast;

cn_fast *cn_fast_create(const cairn_allocator *allocator);
void cn_fast_destroy(cn_fast *fast);

typedef struct cn_fast_options {
	uint32_t sweeps;  /* at most; the last three are plain ones that take away what the acceleration overshot */
	double tolerance; /* stop when the rms change of row values in a sweep falls below this (m, m/s); 0: all sweeps */
	bool warm;        /* start from the multipliers in the solution */
	bool bounce;      /* momentum: restitution (see below) */
	bool brisk;       /* qp_islands.h: small islands in real time, to 1e-8, the exact method for the smallest alone */
	bool position;    /* qp_islands.h: large islands by the position program */
	uint32_t small;   /* qp_islands.h: islands of more bodies are large; 0: as it sees fit */
	bool crowd;       /* qp_islands.h: islands of many bodies without rows are large, as in a crowd */
	bool few;         /* qp_islands.h: large islands stay as the solution has them */
	bool unjudged;    /* of the result the caller wants no more than whether memory ran out: the rest says nothing */
	/* By body, below CN_FAST_REGIONS: parts of the scene that little ties together. Threads work on one each. May be NULL. */
	const uint8_t *region;
	/* Momentum: the island of each body, by whatever name, if the caller knows them; CN_QP_NONE where it cannot move. */
	const uint32_t *island;
	cn_pool *pool; /* may be NULL */
} cn_fast_options;

/* The position program: mu is ignored. */
cn_qp_result cn_fast_position(cn_fast *fast, const cn_qp *qp, const cn_fast_options *options, cn_qp_solution *solution);

/* The momentum program, exact Coulomb with the true circular cone. No island's kinetic energy rises, however
 * early the sweeps stop, unless something drives its bodies. With bounce: Newton's law along the normals, Coulomb's for the
 * whole impulse; where an island's kinetic energy would rise, eps is lowered until it does not (qp_bounce.h). Follow with
 * a rest solve. */
cn_qp_result cn_fast_momentum(cn_fast *fast, const cn_qp *qp, const cn_fast_options *options, cn_qp_solution *solution);

#endif
