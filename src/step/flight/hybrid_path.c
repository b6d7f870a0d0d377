/* Paths of fast bodies in flight (hybrid.c). A path is kept if it is proved free, and if it passes bodies under rows
 * at a safe distance. Otherwise the body comes under rows too, with the flight's end as its target. */
#include "step/flight/flight.h"
#include "step/tolerance.h"

static void end_flight(cairn_world *w, uint32_t slot, cn_frame *f)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	double turn = y->own.key_count
	                  ? v3_length(q_turn(cn_path_own_key(w, y, y->own.key_count - 1)->orientation, y->own.target_q))
	                  : 0;
	for (uint32_t i = 0; i < y->own.key_count; ++i)
		turn += v3_length(cn_path_own_key(w, y, i)->turn);
	if (turn > CN_PIECE_TURN) { /* rows can turn it no further than to its first key */
		cn_path_turn_to(y, cn_path_own_key(w, y, 0)->orientation);
		++f->report.tiers[CAIRN_TIER_FAST];
	}
	y->flight.kind = CN_FLYING_NOT;
	cn_path_under_rows(y);
	cn_path_drop_keys(y);
}

static bool in_flight(const cairn_world *w, uint32_t slot)
{
	return w->context->paths.by_slot[slot].flight.kind == CN_FLYING_FAST;
}

/* Proves flights against the paths of others. Pairs with keys are proved later, with all paths that have keys
 * (position/choose_paths.c). */
static void prove_pair(cairn_world *w, cn_pair *p)
{
	bool due = p->near && !p->must_not_touch && !w->context->paths.by_slot[p->a].own.key_count &&
	           !w->context->paths.by_slot[p->b].own.key_count && (in_flight(w, p->a) || in_flight(w, p->b));
	cn_pair_proved(p, !due || cn_paths_free(w, p, false));
}

void cn_hybrid_prove(cairn_world *w)
{
	cn_context *c = w->context;
	if (!w->scene->options.hybrid)
		return;
	cn_pairs_each(w, prove_pair);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (cn_pair_bad(p))
			cn_path_under_rows_if(&c->paths.by_slot[p->a], cn_body_movable(w, p->a)),
				cn_path_under_rows_if(&c->paths.by_slot[p->b], cn_body_movable(w, p->b));
	}
}

/* The flight keeps a safe distance from the straight path of a body under rows. */
static bool passes_by(const cairn_world *w, uint32_t flier, uint32_t walker)
{
	const cn_path *y = &w->context->paths.by_slot[walker];
	double room = 2 * (w->bodies[flier].radius + w->bodies[walker].radius);
	for (uint32_t k = 0; k < cn_path_pieces(w, flier); ++k) {
		cn_piece p = cn_path_piece(w, flier, k);
		v3 from = v3_sub(p.x0, v3_lerp(w->motion[walker].x, y->own.target_x, p.t0)),
		   to = v3_sub(p.x1, v3_lerp(w->motion[walker].x, y->own.target_x, p.t1)), path = v3_sub(to, from);
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
		if (in_flight(w, slot) && c->paths.by_slot[slot].legs.role == CN_ROLE_UNDER_ROWS)
			end_flight(w, slot, f);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
			cn_pair *p = &c->contacts.pairs[i];
			bool flies = in_flight(w, p->a), other = in_flight(w, p->b);
			uint32_t flier = flies ? p->a : p->b, walker = flies ? p->b : p->a;
			p->flight.apart = flies != other && c->paths.by_slot[walker].legs.role == CN_ROLE_UNDER_ROWS &&
			                  !p->must_not_touch && passes_by(w, flier, walker);
			if (flies == other || c->paths.by_slot[walker].legs.role != CN_ROLE_UNDER_ROWS || p->must_not_touch ||
			    p->flight.apart)
				continue;
			end_flight(w, flier, f);
			more = true;
		}
	}
}
