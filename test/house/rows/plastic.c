/* Impacts without a bounce: where two points touch and approach, one impulse ends the approach, in the order of the list. No
 * friction; at rest everything sinks, by what gravity moves it in a substep.
 *
 * The smallest whole method: this file, its row in CN_METHODS and its page in the docs (plastic.md) are all that it takes. */
#include "step/classic/classic.h"
#include "step/hooks.h"

/* N s: what ends the approach at a point; 0 where there is none, or nothing that could be moved. */
static double wanted(const cairn_world *w, const cn_classic_point *p)
{
	double speed = v3_dot(cn_classic_approach(w, p), p->n), response = cn_classic_response(w, p, p->n);
	return speed < 0 && response > 0 ? -speed / response : 0;
}

static bool end_approach(cairn_world *w, cn_frame *f)
{
	cn_classic *k = w->context->classic;
	double touch = cn_classic_touch(w);
	for (uint32_t i = 0; i < k->point_count; ++i) {
		cn_classic_point *p = &k->points[i];
		double j = p->gap <= touch ? wanted(w, p) : 0;
		p->impulse = v3_zero();
		if (j > 0 && !cn_classic_hit(w, f, p, v3_scale(p->n, j)))
			return false;
	}
	return true;
}

cairn_step_report cn_method_plastic(cairn_world *w)
{
	cn_frame f;
	cn_frame_begin(w, &f);

	cn_stage_if(w, &f, cn_has_events(w), "events", cn_events_apply);
	cn_stage(w, &f, "steps", cn_classic_begin);
	do {
		cn_stage(w, &f, "contacts", cn_classic_contacts);
		cn_stage(w, &f, "impulses", end_approach);
		cn_stage(w, &f, "forces", cn_forces_apply);
		cn_stage(w, &f, "motion", cn_motion_free);
		cn_stage(w, &f, "memory", cn_classic_remember);
	} while (cn_classic_next(w, &f));
	cn_stage(w, &f, "certify", cn_certify);

	return cn_classic_end(w, &f);
}
