/* Substeps of a frame (docs/oba.md, Substeps): which bodies take several, and how a frame is assembled from them. */
#ifndef CN_STEP_SUBSTEPS_H
#define CN_STEP_SUBSTEPS_H

#include "step/stages.h"

/* Where a frame with several substeps is. */
typedef enum cn_substep_phase {
	CN_SUBSTEPS_NONE,  /* there is one step */
	CN_SUBSTEPS_ALL,   /* all bodies take several */
	CN_SUBSTEPS_FIRST, /* some take several, and the others wait for them */
	CN_SUBSTEPS_LAST,  /* the others take their one step */
} cn_substep_phase;

/* State of a frame with several substeps. */
typedef struct cn_substeps {
	cairn_step_report report; /* as it was before the first substep */
	double events;
	cn_substep_phase phase;
	uint32_t steps;           /* number of substeps of the others */
	uint32_t most;            /* largest number that the frame may still be tried with; 0: any */
	uint8_t *takes;           /* by slot: it takes several substeps */
	uint8_t *keyed;           /* by slot: it has keys in this frame already */
	cn_motion *first, *spare; /* motion at the frame's start while w->motion is further on, else NULL; spare array */
	cn_extra *keys;           /* of all substeps so far, by substep, then slot, then time */
	uint32_t *places;         /* by slot: scratch for sorting them */
	uint32_t key_count, spare_room;
	/* restored if the frame is refused or begins again */
	cn_memory memory;
	cn_rest_state *rest_state;
	cn_joint *joints;
	double *clocks; /* lag and pace of scripts, by slot */
} cn_substeps;

void cn_substeps_destroy(cairn_world *w);
bool cn_substeps_next(cairn_world *w, cn_frame *f); /* after a substep: true: there is another one in this frame */
bool cn_substeps_again(cairn_world *w,
                       cn_frame *f);   /* true: the frame failed with several substeps and begins again with fewer */
void cn_substeps_drop(cairn_world *w); /* the frame is refused: restores everything */
void cn_substeps_end(cairn_world *w);  /* the frame is finished: the next starts with one step */

#endif
