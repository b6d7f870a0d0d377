/* The loops of the methods over packs, as functions that are there twice: for every machine, and for those with AVX2. Both
 * give the same bits. */
#ifndef CN_STEP_RELAX_SWEEPS_H
#define CN_STEP_RELAX_SWEEPS_H

#include "step/relax/relax.h"

typedef struct cn_pgs {
	cn_relax *s;
	double dt, share, slop, threshold; /* share: of the overlap that a step takes away */
	bool split;
} cn_pgs;

typedef struct cn_soft {
	cn_relax *s;
	double h, slop, threshold, fastest;     /* fastest: thicknesses a second in which overlap is pushed out at most */
	cn_relax_give_in free, standing, joint; /* between two that can be moved; with one that cannot; of joints */
} cn_soft;

typedef struct cn_xpbd {
	cn_relax *s;
	double h, compliance, threshold;
} cn_xpbd;

/* Each goes over some packs, of one colour where it moves bodies; method: the record of its method, cn_relax for the first two. */
typedef struct cn_relax_sweeps {
	cn_relax_sweep *approach; /* what points near each other with, at the speeds of now */
	cn_relax_sweep *warm;     /* gives bodies the impulses that rows begin with */
	struct {
		cn_relax_sweep *goals, *sweep;
		cn_relax_sweep *split; /* along the normals alone, for speeds that only move bodies apart */
	} pgs;
	struct {
		cn_relax_sweep *push, *relax; /* over soft rows; over rigid ones, after bodies have moved */
		cn_relax_sweep *bounce;       /* points that hit leave with their restitution */
	} soft;
	struct {
		cn_relax_sweep *begin; /* of an inner step: what points near each other with then */
		cn_relax_sweep *positions, *velocities;
	} xpbd;
} cn_relax_sweeps;

extern const cn_relax_sweeps cn_relax_sweeps_plain;
const cn_relax_sweeps *cn_relax_sweeps_wide(void); /* NULL: this machine has no AVX2 */

#endif
