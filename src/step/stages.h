/* Every stage of a frame, one line each: the table of contents of this folder. A method is a recipe over them.
 *
 * While a step is under way the state at the frame stands in w->motion and the next one grows in w->before; the two are
 * exchanged in cn_frame_end, so that a step that cannot be finished leaves everything as it was. */
#ifndef CN_STAGES_H
#define CN_STAGES_H

#include "world/world.h"

/* What lives for one step. */
typedef struct cn_frame {
	cairn_step_report report;
	double events;      /* energy that happenings brought */
	double start, mark; /* clock, ms */
} cn_frame;

void cn_frame_begin(cairn_world *w, cn_frame *f);
void cn_frame_stage(cn_frame *f, const char *name); /* ends the stage that ran since the last call */
cairn_step_report cn_frame_end(cairn_world *w, cn_frame *f);

void cn_events_apply(cairn_world *w, cn_frame *f); /* what the scene says happens at this frame */
bool cn_forces_apply(cairn_world *w,
                     cn_frame *f); /* velocities at the end of the frame; how many pieces each turn takes */
bool cn_motion_free(cairn_world *w, cn_frame *f); /* where each body goes if it is alone; keys inside the frame */
bool cn_reach_check(cairn_world *w,
                    cn_frame *f);          /* proves that nothing comes within reach of anything, or says what does */
bool cn_emit(cairn_world *w, cn_frame *f); /* bodies that appear at the new frame */

/* Methods. */
cairn_step_report cn_method_free(cairn_world *w);
cairn_step_report cn_method_oba(cairn_world *w);

#endif
