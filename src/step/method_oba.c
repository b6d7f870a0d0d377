/* Optimisation-based animation (OBA ch. 6), as far as it goes without contact: targets, and the proof that the motion
 * toward them keeps everything apart. Where that cannot be proved the step is refused: nothing unproved is shown. */
#include "step/stages.h"

cairn_step_report cn_method_oba(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_events_apply(w, &f);
	cn_frame_stage(&f, "events");
	if (cn_forces_apply(w, &f)) {
		cn_frame_stage(&f, "forces");
		if (cn_motion_free(w, &f)) {
			cn_frame_stage(&f, "motion");
			cn_reach_check(w, &f);
			cn_frame_stage(&f, "reach");
		}
	}
	return cn_frame_end(w, &f);
}
