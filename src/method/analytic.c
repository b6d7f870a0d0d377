/* Analytic contact forces (RBS 3.4 and 3.5, PBA resting contact, OBA 4.2.2): impulses where bodies meet, then forces where they
 * rest, then motion. docs/methods.md follows this page. */
#include "step/classic/classic.h"
#include "step/hooks.h"

cairn_step_report cn_method_analytic(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage_if(w, &f, cn_has_events(w), "events", cn_events_apply);
	cn_stage(w, &f, "steps", cn_impulse_begin);
	do {
		cn_stage(w, &f, "contacts", cn_impulse_contacts);
		cn_stage(w, &f, "impulses", cn_analytic_strike);
		cn_stage(w, &f, "hold", cn_analytic_hold);
		cn_stage(w, &f, "impacts", cn_impulse_fly);
		cn_stage(w, &f, "forces", cn_forces_apply);
		cn_stage_if(w, &f, cn_has_goals(w), "forces", cn_goals_push);
		cn_stage(w, &f, "push", cn_analytic_push);
		cn_stage(w, &f, "motion", cn_motion_free);
		cn_stage(w, &f, "memory", cn_classic_remember);
	} while (cn_classic_next(w, &f));
	cn_stage(w, &f, "certify", cn_certify);

	return cn_classic_end(w, &f);
}
