/* Sequential impulses: projected Gauss-Seidel over contacts and joints, as most engines of games do it. docs/methods.md follows
 * this page. */
#include "step/classic/classic.h"
#include "step/hooks.h"
#include "step/relax/relax.h"

cairn_step_report cn_method_pgs(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage_if(w, &f, cn_has_events(w), "events", cn_events_apply);
	cn_stage(w, &f, "steps", cn_classic_begin);
	do {
		cn_stage(w, &f, "contacts", cn_classic_contacts);
		cn_stage(w, &f, "forces", cn_forces_apply);
		cn_stage_if(w, &f, cn_has_goals(w), "forces", cn_goals_push);
		cn_stage(w, &f, "motion", cn_relax_targets);
		cn_stage(w, &f, "sweep", cn_pgs_solve);
		cn_stage(w, &f, "memory", cn_classic_remember);
	} while (cn_classic_next(w, &f));
	cn_stage(w, &f, "certify", cn_certify);
	cn_stage_if(w, &f, cn_has_joints(w), "joints", cn_relax_note);

	return cn_classic_end(w, &f);
}
