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

typedef struct cn_relax_sweeps {
	void (*approach)(cn_relax *s); /* what points near each other with, at the speeds of now */
	void (*warm)(cn_relax *s);     /* gives bodies the impulses that rows begin with */
	struct {
		void (*goals)(const cn_pgs *g);
		void (*sweep)(const cn_pgs *g);
		void (*split)(const cn_pgs *g); /* along the normals alone, for speeds that only move bodies apart */
	} pgs;
	struct {
		void (*sweep)(const cn_soft *g, bool biased);
		void (*bounce)(const cn_soft *g); /* points that hit leave with their restitution */
	} soft;
	struct {
		void (*begin)(const cn_xpbd *g); /* of an inner step: what points near each other with then */
		void (*positions)(const cn_xpbd *g);
		void (*velocities)(const cn_xpbd *g);
	} xpbd;
} cn_relax_sweeps;

extern const cn_relax_sweeps cn_relax_sweeps_plain;
const cn_relax_sweeps *cn_relax_sweeps_wide(void); /* NULL: this machine has no AVX2 */

#endif
