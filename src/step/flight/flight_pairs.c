/* Finds pairs at the ends of flights with impacts inside the frame. */
#include "step/flight/flight.h"

/* Measures pairs with flying bodies at the ends of their flights, or at their starts. */
static bool measure_at(cairn_world *w, bool end)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_motion *m = &w->next[slot];
		cn_path *y = &c->paths.by_slot[slot];
		if (!y->flying)
			continue;
		y->goal_x = m->x, y->goal_q = m->q;
		cn_body_move(w, slot, end ? (pose){y->target_x, y->target_q} : (pose){w->motion[slot].x, w->motion[slot].q});
	}
	bool ok = cn_contacts_update(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->paths.by_slot[slot].flying)
			w->next[slot].x = c->paths.by_slot[slot].goal_x, w->next[slot].q = c->paths.by_slot[slot].goal_q;
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
		bool meets = p->near && !p->must_not_touch && (c->paths.by_slot[p->a].flying || c->paths.by_slot[p->b].flying);
		*more |= meets && !p->meets && p->frame_start.gap > p->reach;
		p->meets |= meets;
	}
	bool ok = measure_at(w, false);
	c->under_way = false;
	return ok;
}
