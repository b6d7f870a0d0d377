/* The penalty method (PBA 7.4.2, RBS 3.1, OBA 5.2): bodies sink into each other, and springs push them out. docs/methods.md
 * follows this page. */
#include "step/classic/classic.h"
#include "step/hooks.h"

cairn_step_report cn_method_penalty(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage_if(w, &f, cn_has_events(w), "events", cn_events_apply);
	cn_stage(w, &f, "steps", cn_classic_begin);
	do {
		cn_stage(w, &f, "contacts", cn_classic_contacts);
		cn_stage(w, &f, "springs", cn_penalty_apply);
		cn_stage(w, &f, "forces", cn_forces_apply);
		cn_stage_if(w, &f, cn_has_goals(w), "forces", cn_goals_push);
		cn_stage(w, &f, "motion", cn_motion_free);
		cn_stage(w, &f, "memory", cn_classic_remember);
	} while (cn_classic_next(w, &f));
	cn_stage(w, &f, "certify", cn_certify);

	return cn_classic_end(w, &f);
}
