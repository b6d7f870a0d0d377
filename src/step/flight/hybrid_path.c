/* The ways of fast bodies in flight (hybrid.c): kept while they are free, with room to spare where others are under rows;
 * else the body comes under rows too, with the flight's end as its target. See crowd.h. */
#include "step/flight/flight.h"

static void end_flight(cairn_world *w, uint32_t slot, cn_frame *f)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	const cn_extra *keys = &w->next_extras[y->first];
	double turn = y->key_count ? v3_length(q_turn(keys[y->key_count - 1].key.orientation, y->target_q)) : 0;
	for (uint32_t i = 0; i < y->key_count; ++i)
		turn += v3_length(keys[i].key.turn);
	if (turn > CN_PIECE_TURN) { /* rows lead it no further than to its first key */
		y->target_q = keys[0].key.orientation;
		++f->report.tiers[CAIRN_TIER_FAST];
	}
	y->flies = false, y->under_rows = true;
	y->key_count = 0;
}

static bool in_flight(const cairn_world *w, uint32_t slot)
{
	return w->context->paths.by_slot[slot].flies && w->context->paths.by_slot[slot].fast;
}

/* Flights that are not free of another's way; those with keys are proved with all that have some (position.c). */
static void prove_pair(cairn_world *w, cn_pair *p)
{
	p->bad = false;
	if (p->near && !p->must_not_touch && !w->context->paths.by_slot[p->a].key_count &&
	    !w->context->paths.by_slot[p->b].key_count && (in_flight(w, p->a) || in_flight(w, p->b)))
		p->bad = !cn_paths_free(w, p, false);
}

void cn_hybrid_prove(cairn_world *w)
{
	cn_context *c = w->context;
	if (!w->scene->options.hybrid)
		return;
	cn_pairs_each(w, prove_pair);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (p->bad)
			c->paths.by_slot[p->a].under_rows |= cn_body_movable(w, p->a),
				c->paths.by_slot[p->b].under_rows |= cn_body_movable(w, p->b);
	}
}

/* Whether a body under rows, if it goes about as it is to go, passes another's flight with room to spare. */
static bool passes_by(const cairn_world *w, uint32_t flier, uint32_t walker)
{
	const cn_path *y = &w->context->paths.by_slot[walker];
	double room = (1 + CN_HYBRID_ROOM) * (w->bodies[flier].radius + w->bodies[walker].radius);
	for (uint32_t k = 0; k < cn_path_pieces(w, flier); ++k) {
		cn_piece p = cn_path_piece(w, flier, k);
		v3 from = v3_sub(p.x0, v3_lerp(w->motion[walker].x, y->target_x, p.t0)),
		   to = v3_sub(p.x1, v3_lerp(w->motion[walker].x, y->target_x, p.t1)), path = v3_sub(to, from);
		double length2 = v3_length2(path), t = -v3_dot(from, path);
		v3 nearest = t <= 0 ? from : t >= length2 ? to : v3_madd(from, path, t / length2);
		if (v3_length2(nearest) < room * room)
			return false;
	}
	return true;
}

void cn_hybrid_end_flights(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	if (!w->scene->options.hybrid)
		return;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (in_flight(w, slot) && c->paths.by_slot[slot].under_rows)
			end_flight(w, slot, f);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
			cn_pair *p = &c->contacts.pairs[i];
			bool flies = in_flight(w, p->a), other = in_flight(w, p->b);
			uint32_t flier = flies ? p->a : p->b, walker = flies ? p->b : p->a;
			p->apart = flies != other && c->paths.by_slot[walker].under_rows && !p->must_not_touch &&
			           passes_by(w, flier, walker);
			if (flies == other || !c->paths.by_slot[walker].under_rows || p->must_not_touch || p->apart)
				continue;
			end_flight(w, flier, f);
			more = true;
		}
	}
}
