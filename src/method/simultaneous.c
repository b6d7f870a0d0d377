/* The simultaneous model (RBS 3.4): all impulses at once. docs/methods.md
 * follows this page. */
#include "step/classic/classic.h"
#include "step/hooks.h"

cairn_step_report cn_method_simultaneous(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage_if(w, &f, cn_has_events(w), "events", cn_events_apply);
	cn_stage(w, &f, "steps", cn_classic_begin);
	do {
		cn_stage(w, &f, "contacts", cn_classic_contacts);
		cn_stage(w, &f, "impulses", cn_simultaneous_apply);
		cn_stage(w, &f, "forces", cn_forces_apply);
		cn_stage_if(w, &f, cn_has_goals(w), "forces", cn_goals_push);
		cn_stage(w, &f, "motion", cn_motion_free);
		cn_stage(w, &f, "memory", cn_classic_remember);
	} while (cn_classic_next(w, &f));
	cn_stage(w, &f, "certify", cn_certify);

	return cn_classic_end(w, &f);
}
