/* Optimisation-based animation (OBA ch. 6), as far as it goes without contact: targets, and the proof that the motion
 * toward them keeps everything apart. Where that cannot be proved the step is refused: nothing unproved is shown. */
#include "step/stages.h"

cairn_step_report cn_method_oba(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage(w, &f, "events", cn_events_apply);
	cn_stage(w, &f, "forces", cn_forces_apply);
	cn_stage(w, &f, "motion", cn_motion_free);
	cn_stage(w, &f, "reach", cn_reach_check);

	return cn_frame_end(w, &f);
}
