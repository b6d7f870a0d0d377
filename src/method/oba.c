/* Optimisation-based animation (OBA ch. 6): positions and momenta as quadratic programs. A frame has one step, or
 * several where contacts change within it. The motion between frames is proved free before it is shown. docs/oba.md
 * follows this page. */
#include "step/frame/repeat.h"
#include "step/frame/substeps.h"
#include "step/hooks.h"

cairn_step_report cn_method_oba(cairn_world *w)
{
	cairn_step_report last;
	if (cn_frame_repeat(w, &last)) /* nothing moved in the last frame, and nothing has come since */
		return last;

	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage_if(w, &f, cn_has_events(w), "events", cn_events_apply);
	cn_stage(w, &f, "wake", cn_wake_moved);
	do {
		do {
			cn_step_begin(w, &f);
			do {
				cn_stage(w, &f, "forces", cn_forces_apply);
				cn_stage_if(w, &f, cn_has_goals(w), "forces", cn_goals_push);
				cn_stage(w, &f, "contacts", cn_contacts_find);
				cn_stage(w, &f, "steps", cn_substeps_choose);
				cn_stage_if(w, &f, cn_has_balls(w), "impacts", cn_flight_choose);
				cn_stage(w, &f, "rest", cn_rest_solve);
				cn_stage(w, &f, "targets", cn_motion_free);
				cn_stage_if(w, &f, cn_has_flights(w), "impacts", cn_flight_run);
				cn_stage(w, &f, "position", cn_position_update);
			} while (cn_step_again(w, &f));
			cn_stage(w, &f, "clear", cn_paths_choose);
			cn_stage_if(w, &f, cn_has_joints(w), "bounce", cn_articulations_mend);
			cn_stage_if(w, &f, cn_may_freeze(w), "bounce", cn_freeze_revive);
			cn_stage(w, &f, "bounce", cn_bounce_solve);
		} while (cn_substeps_next(w, &f));
		cn_stage_if(w, &f, cn_substeps_over(w), "certify", cn_certify);
	} while (cn_substeps_again(w, &f));
	cn_stage(w, &f, "sleep", cn_sleep_update);

	return cn_frame_end(w, &f);
}
