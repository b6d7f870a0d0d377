/* When the next impact comes. An impact acts at the end of a step, so a step that ends where two bodies meet has it at
 * its own time, with the arms and normals of that moment (substeps.c cuts steps there). Flights tell when: they know
 * the forces of the step, and neither what rests nor joints. So the time is off by what these do to the gap in the
 * step, which falls with its square. */
#include "base/tolerance.h"
#include "step/flight/flight.h"
#include "step/frame/substeps.h"
#include "step/hooks.h"
#include "step/tolerance.h"

static const cn_flight *fly(const cairn_world *w, uint32_t slot, cn_flight *room)
{
	bool script = cn_path_driven(&w->context->paths.by_slot[slot]);
	if (!script && !cn_body_movable(w, slot))
		return NULL;
	*room = script ? cn_flight_of_script(w, slot) : cn_flight_begin(w, slot);
	return room;
}

double cn_next_hit(const cairn_world *w, uint32_t pair)
{
	const cn_context *c = w->context;
	const cn_pair *p = &c->contacts.pairs[pair];
	cn_flight a, b;
	cn_impact hit;
	if (!p->near || p->must_not_touch || (!cn_body_movable(w, p->a) && !cn_body_movable(w, p->b)) ||
	    (cn_substeps_flies(w, p->a) && cn_substeps_flies(w, p->b)) ||
	    p->at.gap <= (1 + CN_HYBRID_NEAR) * p->gap_target || p->at.gap > cn_pair_motion(c, p) + p->gap_target)
		return INFINITY;
	cn_flyers two = {pair, fly(w, p->a, &a), fly(w, p->b, &b)};
	/* flights fall also where something holds a body, so what the step's own forces bring is no reason for a cut */
	if (!cn_impact_any(w, two, 0, c->threshold, &hit) || hit.speed - c->gravity * hit.t <= c->threshold)
		return INFINITY;
	/* a search ends a little before; a ball that has not come all the way would not be hit */
	return hit.t + (hit.at.gap - p->gap_target) / hit.speed;
}
