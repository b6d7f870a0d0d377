/* Articulations in motion: their own paths on their joints, their rows in programs, and keeping them together. */
#ifndef CN_STEP_ARTICULATION_MOTION_H
#define CN_STEP_ARTICULATION_MOTION_H

#include "num/qp.h"
#include "step/stages.h"

/* ---- rows.c */
bool cn_articulations_rest_rows(cairn_world *w);
bool cn_articulations_overload(cairn_world *w); /* motors that are too weak push with what they have; whether any are */
void cn_articulations_drive(cairn_world *w);    /* after the rest solve: what moves them beside their joints */
double cn_articulations_work(const cairn_world *w, const cn_twist *before, const cn_twist *after); /* J: rows, motors */
bool cn_articulations_position_rows(cairn_world *w,
                                    const quat *turns); /* about poses turned so, by body of the program */
bool cn_articulations_bounce_rows(cairn_world *w);
double cn_articulations_blow(cairn_world *w); /* J: the work of the program's rows, from u0 to u; joints feel them */

/* ---- move.c */
/* Articulations with a body flagged that are where the frame began go this part of it on their way. False: memory ran
 * out. */
bool cn_articulations_part(cairn_world *w, const uint8_t *flags, double span, cn_frame *f, bool *any);

/* ---- pose.c */
void cn_articulations_project(cairn_world *w); /* trial poses of those that moved: together again */
void cn_articulations_slow(cairn_world *w,
                           cairn_energy *e); /* after a blow: those with a link that turns too fast for keys */
void cn_articulations_note(cairn_world *w, cn_frame *f); /* how far joints are off */
void cn_articulations_keep(cairn_world *w, cn_frame *f); /* what becomes of joints; the step can no longer fail */

#endif
