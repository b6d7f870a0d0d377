/* Motion without contact: every body as if it were alone. */
#include "step/stages.h"

cairn_step_report cn_method_free(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_events_apply(w, &f);
	cn_frame_stage(&f, "events");
	if (cn_forces_apply(w, &f)) {
		cn_frame_stage(&f, "forces");
		cn_motion_free(w, &f);
		cn_frame_stage(&f, "motion");
	}
	return cn_frame_end(w, &f);
}
