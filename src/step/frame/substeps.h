/* Steps inside a frame (docs/oba.md, Substeps): who takes several, and how a frame is put together from them. */
#ifndef CN_INNER_H
#define CN_INNER_H

#include "step/stages.h"

/* What a frame of several steps keeps until it is over. */
typedef struct cn_substeps {
	cairn_step_report report; /* as it was before the first step */
	double events;
	bool under_way;           /* the frame has several steps, and is not over */
	bool others;              /* bodies that take one step come after those that take several */
	bool last;                /* these are under way */
	uint32_t steps;           /* how many those take */
	uint32_t most;            /* that the frame may still be tried with; 0: any number */
	uint8_t *takes;           /* by slot: it takes several steps */
	uint8_t *keyed;           /* by slot: it has keys in this frame already */
	cn_motion *first, *spare; /* at the frame's start, when w->motion is further on, else NULL; room for one more */
	cn_extra *keys;           /* of all steps so far, by step, then slot, then time */
	uint32_t *places;         /* by slot: scratch of putting these in order */
	uint32_t key_count, spare_room;
	/* what a frame that is not to be puts back */
	cn_memory memory;
	cn_rest_state *rest_state;
	cn_joint *joints;
	double *clocks; /* lag and pace of scripts, by slot */
} cn_substeps;

void cn_substeps_destroy(cairn_world *w);
bool cn_substeps_next(cairn_world *w, cn_frame *f); /* after a step: whether there is another in this frame */
bool cn_substeps_again(cairn_world *w,
                       cn_frame *f);   /* a frame of several steps that cannot be shown begins again with fewer */
void cn_substeps_drop(cairn_world *w); /* the frame is refused: all is as it began */
void cn_substeps_end(cairn_world *w);  /* the frame is over: the next has one step */

#endif
