/* Finds pairs at the ends of flights with impacts inside the frame. */
#include "step/flight/flight.h"

/* Measures pairs with flying bodies at the ends of their flights, or at their starts. */
static bool measure_at(cairn_world *w, bool end)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_motion *m = &w->next[slot];
		cn_path *y = &c->paths.by_slot[slot];
		if (!y->flight.kind)
			continue;
		cn_path_set_goal(y, m->x, m->q);
		cn_body_move(w, slot,
		             end ? (pose){y->own.target_x, y->own.target_q} : (pose){w->motion[slot].x, w->motion[slot].q});
	}
	bool ok = cn_contacts_update(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->paths.by_slot[slot].flight.kind)
			w->next[slot].x = c->paths.by_slot[slot].own.goal_x, w->next[slot].q = c->paths.by_slot[slot].own.goal_q;
	return ok;
}

bool cn_flight_find_pairs(cairn_world *w, bool *more)
{
	cn_context *c = w->context;
	*more = false;
	c->under_way = true;
	if (!measure_at(w, true))
		return false;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		cn_pair *p = &c->contacts.pairs[i];
		bool meets =
			p->near && !p->must_not_touch && (c->paths.by_slot[p->a].flight.kind || c->paths.by_slot[p->b].flight.kind);
		*more |= meets && !p->flight.meets && p->frame_start.gap > p->reach;
		p->flight.meets |= meets;
	}
	bool ok = measure_at(w, false);
	c->under_way = false;
	return ok;
}
