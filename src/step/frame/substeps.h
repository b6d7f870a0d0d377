/* Substeps of a frame (docs/oba.md, Substeps): which bodies take several, and how a frame is assembled from them. */
#ifndef CN_STEP_SUBSTEPS_H
#define CN_STEP_SUBSTEPS_H

#include "step/context.h"
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
	uint32_t steps;      /* number of substeps of the others, if none is cut */
	uint32_t done;       /* how many of them are over */
	uint32_t cuts;       /* how many of them may still be cut, where something is hit */
	bool cut;            /* the one under way is */
	cairn_energy energy; /* accounts before the one under way */
	uint32_t most;       /* largest number that the frame may still be tried with; 0: any */
	uint32_t crowds;     /* components that take several */
	uint8_t *takes;      /* by slot: it takes several substeps */
	uint8_t *denied;     /* by slot: with several it has more keys than a frame holds, or is a script that waits */
	uint8_t *met;        /* by slot: it is to take several, for it met one that does in the last try */
	uint8_t *could,
		*owes;         /* by slot: it could take more than it takes; it is to, for it owed too much in the last try */
	uint8_t *flies;    /* by slot: a ball of a small group, whose impacts are worked out at their own times */
	bool saved;        /* what is restored below is that of this frame's start */
	bool redo, redone; /* the frame is to begin again for what it owes; it has */
	uint8_t *keyed;    /* by slot: how many keys it has in this frame already */
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

/* Needs no step for its impacts: a ball of a small group, or what cannot move. */
static inline bool cn_substeps_flies(const cairn_world *w, uint32_t slot)
{
	return !cn_body_movable(w, slot) || w->part.memory->flies[slot];
}
/* s, after the step's start: when the two parts of a pair hit each other; infinite: they do not. */
double cn_next_hit(const cairn_world *w, uint32_t pair);

void cn_substeps_destroy(cairn_world *w);
bool cn_substeps_next(cairn_world *w, cn_frame *f); /* after a substep: true: there is another one in this frame */
/* True: the frame begins again: with more substeps for those that owe too much, or, if it failed with several, with fewer. */
bool cn_substeps_again(cairn_world *w, cn_frame *f);
bool cn_substeps_over(const cairn_world *w); /* the frame does not begin again for what it owes */
void cn_substeps_drop(cairn_world *w);       /* the frame is refused: restores everything */
void cn_substeps_end(cairn_world *w);        /* the frame is finished: the next starts with one step */

#endif
