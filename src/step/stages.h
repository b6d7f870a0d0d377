/* Every stage of a frame, one line each: the table of contents of this folder. A method is a recipe over them.
 *
 * While a step is under way the state at the frame stands in w->motion and the next one grows in w->next; cn_frame_end
 * moves them on, so that a step that cannot be finished leaves everything as it was. */
#ifndef CN_STAGES_H
#define CN_STAGES_H

#include "world/world.h"

/* What lives for one step. */
typedef struct cn_frame {
	cairn_step_report report;
	double events;      /* energy that happenings brought */
	bool saved;         /* w->saved holds the motion before events */
	double start, mark; /* clock, ms */
} cn_frame;

typedef bool cn_stage_run(cairn_world *w, cn_frame *f); /* false: refused, and the report says why */

void cn_frame_begin(cairn_world *w, cn_frame *f);
void cn_stage(cairn_world *w, cn_frame *f, const char *name,
              cn_stage_run *run); /* timed; passed over once one refused */
cairn_step_report cn_frame_end(cairn_world *w, cn_frame *f);

cn_stage_run cn_events_apply; /* what the scene says happens at this frame */
cn_stage_run cn_forces_apply; /* velocities at the end of the frame; how many pieces each turn takes */
cn_stage_run cn_motion_free;  /* where each body goes if it is alone; keys inside the frame */
cn_stage_run cn_reach_check;  /* proves that nothing touches anything on its way, or says what does */
cn_stage_run cn_emit;         /* bodies that appear at the new frame */

/* Methods. */
cairn_step_report cn_method_free(cairn_world *w);
cairn_step_report cn_method_oba(cairn_world *w);

#endif
