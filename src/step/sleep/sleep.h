/* Bodies that leave the programs: asleep (too slow to matter) or frozen (OBA 6.7.2). */
#ifndef CN_STEP_SLEEP_H
#define CN_STEP_SLEEP_H

#include "num/qp.h"
#include "step/contact/contact.h"
#include "step/stages.h"

/* Written by freeze.c. */
typedef struct cn_freeze {
	uint8_t *marks;       /* by slot: what the trial found out about a body */
	cn_twist *velocities; /* by slot: while the impacts of a frame are tried on frozen bodies */
} cn_freeze;

/* Written by sleep.c. */
typedef struct cn_standing {
	bool unchanged; /* the frame left motion, rest and memory as it found them, to the bit */
} cn_standing;

/* ---- sleep.c */
bool cn_wake_touched(cairn_world *w, cn_frame *f); /* true: some woke, and their pairs are to be measured */

/* ---- freeze.c; false: memory ran out */
bool cn_freeze_find(cairn_world *w,
                    cn_frame *f); /* decides by trial who freezes and who wakes at the frame's end, ... */
void cn_freeze_apply(cairn_world *w, cairn_energy *e);        /* ... makes it so */
void cn_freeze_undo(cairn_world *w);                          /* ... or undoes the trial */
bool cn_freeze_wakes(const cairn_world *w, const cn_pair *p); /* the awake body of the pair wakes the frozen one */

#endif
