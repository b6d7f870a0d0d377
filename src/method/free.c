/* Motion without contacts: every body moves as if it were alone. */
#include "step/hooks.h"

cairn_step_report cn_method_free(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage_if(w, &f, cn_has_events(w), "events", cn_events_apply);
	cn_stage(w, &f, "forces", cn_forces_apply);
	cn_stage_if(w, &f, cn_has_goals(w), "forces", cn_goals_push);
	cn_stage(w, &f, "motion", cn_motion_free);

	return cn_frame_end(w, &f);
}
