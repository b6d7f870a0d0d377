/* The impulse method (RBS 3.3, PBA 7.4.2, OBA 5.4): bodies fly from impact to impact. docs/methods.md follows this page. */
#include "step/classic/classic.h"
#include "step/hooks.h"

cairn_step_report cn_method_impulse(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage_if(w, &f, cn_has_events(w), "events", cn_events_apply);
	cn_stage(w, &f, "steps", cn_impulse_begin);
	do {
		cn_stage(w, &f, "contacts", cn_impulse_contacts);
		cn_stage(w, &f, "impulses", cn_impulse_strike);
		cn_stage(w, &f, "impacts", cn_impulse_fly);
		cn_stage(w, &f, "forces", cn_forces_apply);
		cn_stage_if(w, &f, cn_has_goals(w), "forces", cn_goals_push);
		cn_stage(w, &f, "motion", cn_motion_free);
		cn_stage(w, &f, "memory", cn_classic_remember);
	} while (cn_classic_next(w, &f));
	cn_stage(w, &f, "certify", cn_certify);

	return cn_classic_end(w, &f);
}
