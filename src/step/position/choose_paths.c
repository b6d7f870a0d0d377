/* Chooses the paths that are shown. Legs are free by construction (repair.c), but most bodies can go straight, which
 * needs no keys inside the frame. A body goes by its legs if its straight path is not free of another's. The bodies
 * that it then meets do so too; if all did, everything would be free. Bodies that keep the keys of their free motion
 * are proved against all others. If such a pair is not free, the stage begins again without these keys, once. What is
 * still not free goes no further than it goes together (together.c), and so do bodies that would run into it. */
#include "step/hooks.h"

#include <string.h>

#define CN_STRAIGHT_COSINE                                                                                             \
	0.735 /* of half the turn of a straight way: 1.49 rad, below the quarter that a piece may have */

static bool stood(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return !y->own.key_count && !y->legs.shown && (y->drive.clock == y->drive.start || !cn_path_driven(y)) &&
	       cn_same_pose(w->motion[slot].x, w->motion[slot].q, &w->next[slot]);
}

static bool proved(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	const cn_path *a = &c->paths.by_slot[p->a], *b = &c->paths.by_slot[p->b];
	if (stood(w, p->a) && stood(w, p->b))
		return true;
	if (a->legs.shown && b->legs.shown)
		return true; /* proved leg by leg */
	double slack = cn_pair_slack(c, p), k = a->whole_k + b->whole_k;
	if (!a->own.key_count && !b->own.key_count && !a->legs.shown && !b->legs.shown &&
	    k < INFINITY && /* otherwise it is not one straight path */
	    (cn_balls_prove(w, p, w->motion[p->a].x, w->motion[p->b].x, slack) ||
	     cn_axis_proves(cn_pair_along(c, p, c->contacts.start, p->at.n), p->at.gap, k, slack) ||
	     cn_axis_proves(p->frame_start.gap, cn_pair_along(c, p, c->contacts.now, p->frame_start.axis), k, slack)))
		return true;
	return cn_paths_free(w, p, false);
}

static void prove_pair(cairn_world *w, cn_pair *p)
{
	if (p->proof == CN_PROOF_DUE)
		cn_pair_proved(p, proved(w, p));
}

/* Proves the pairs of bodies whose paths changed; these pairs are then in graph.list. False: memory ran out. */
static bool prove_changed(cairn_world *w, const uint8_t *changed)
{
	cn_context *c = w->context;
	if (!cn_paths_lay_legs(w) || !cn_graph_links(w) || !cn_pairs_list(w, changed))
		return false;
	for (uint32_t i = 0; i < c->graph.list_count; ++i)
		cn_pair_proof_due(&c->contacts.pairs[c->graph.list[i]]);
	cn_pairs_each_listed(w, prove_pair);
	return true;
}

static bool prove_all(cairn_world *w)
{
	cn_context *c = w->context;
	cn_paths_clear_legs(w);
	if (!cn_paths_lay_legs(w))
		return false;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		cn_pair_proof_due(&c->contacts.pairs[i]);
	cn_pairs_each(w, prove_pair);
	return cn_pairs_list_all(w);
}

/* Joints must hold at keys, so an articulation goes by its legs as a whole. */
static void take_articulations(cairn_world *w, uint8_t *changed, cn_frame *f)
{
	cn_context *c = w->context;
	if (!cn_joints_spread(w, changed))
		return;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!changed[slot] || y->legs.shown || y->own.key_count)
			continue;
		cn_path_show_legs(y);
		++f->report.tiers[CAIRN_TIER_CUT];
	}
}

/* Lets bodies of pairs in graph.list that are not free go by their legs. True: there are some, and changed is their
 * set. */
static bool take_legs(cairn_world *w, uint8_t *changed, cn_frame *f)
{
	cn_context *c = w->context;
	bool any = false;
	memset(changed, 0, w->slots);
	for (uint32_t i = 0; i < c->graph.list_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[c->graph.list[i]];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; cn_pair_bad(p) && !p->must_not_touch && j < 2; ++j) {
			cn_path *y = &c->paths.by_slot[slots[j]];
			bool may =
				cn_path_driven(y) ? cn_path_leg_pieces(w, slots[j]) <= CN_MAX_PIECES : cn_body_movable(w, slots[j]);
			if (y->own.key_count || y->legs.shown || !may)
				continue;
			cn_path_show_legs(y);
			any = true;
			changed[slots[j]] = 1;
			++f->report.tiers[CAIRN_TIER_CUT];
		}
	}
	if (any)
		take_articulations(w, changed, f);
	return any;
}

/* False: the body is there already. */
static bool put_back(cairn_world *w, cn_together *g, uint32_t slot)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	cn_path_put_back(y, v3_length2(cn_together_way(g, slot)) == 0);
	return cn_together_put(w, g, slot);
}

/* Puts bodies of pairs that are still not free back to the frame's start, but for what they go together. Their many keys
 * are the reason. True: there are some, and changed is their set. */
static bool hold(cairn_world *w, cn_together *g, uint8_t *changed)
{
	cn_context *c = w->context;
	bool any = false;
	memset(changed, 0, w->slots);
	any = cn_scripts_hold(w, changed, true);
	for (int joined = 0; joined < 2; ++joined)
		for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
			cn_pair *p = &c->contacts.pairs[i];
			if (!cn_pair_bad(p) || p->must_not_touch)
				continue;
			p->position.blocks = true;
			changed[p->a] |= cn_body_movable(w, p->a), changed[p->b] |= cn_body_movable(w, p->b);
			if (joined)
				cn_together_join(w, g, p);
			else
				cn_together_stop(g, p);
		}
	cn_joints_spread(w, changed);
	cn_scripts_hold_links(w, changed, true);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		changed[slot] &= cn_body_movable(w, slot);
	any |= cn_together_find(w, g, changed);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		any |= cn_together_has(g, slot) && put_back(w, g, slot);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		changed[slot] = c->contacts.moved[slot];
	return any;
}

/* A body that turns more than a quarter turn goes by its legs, as one piece cannot show that. */
static void break_turns(cairn_world *w, uint8_t *changed, cn_frame *f)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		double cosine = fabs(q_dot(w->motion[slot].q, w->next[slot].q)); /* cosine of half the turn */
		if (y->legs.role != CN_ROLE_UNDER_ROWS || cosine > CN_STRAIGHT_COSINE)
			continue;
		changed[slot] = 1;
		cn_path_show_legs(y);
		++f->report.tiers[CAIRN_TIER_CUT];
	}
	take_articulations(w, changed, f);
}

/* Marks bodies that keep the keys of their free motion although these are in the way of paths of others. True: there
 * are some. */
static bool mark_blocked_keys(cairn_world *w)
{
	cn_context *c = w->context;
	bool any = false;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; cn_pair_bad(p) && !p->must_not_touch && j < 2; ++j) {
			cn_path *y = &c->paths.by_slot[slots[j]];
			if (!y->own.key_count || y->flight.kind || cn_joints_of(w, slots[j]) != CN_QP_NONE)
				continue;
			cn_path_block_keys(y);
			any = true;
		}
	}
	return any;
}

/* Straight paths where these are free, else legs. */
static bool choose_legs(cairn_world *w, uint8_t *changed, cn_frame *f)
{
	memset(changed, 0, w->slots);
	break_turns(w, changed, f);
	if (!prove_all(w))
		return false;
	while (take_legs(w, changed, f))
		if (!prove_changed(w, changed))
			return false;
	return true;
}

static bool any_bad(const cn_context *c)
{
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		if (cn_pair_bad(&c->contacts.pairs[i]) && !c->contacts.pairs[i].must_not_touch)
			return true;
	return false;
}

static bool choose_paths(cairn_world *w, cn_frame *f)
{
	cn_arena_mark mark = cn_arena_here(&w->context->temporary);
	uint8_t *changed; /* the set of bodies whose paths are no longer those last proved */
	cn_together together;
	if (!CN_LOCAL(changed, w->slots + 1) || !choose_legs(w, changed, f))
		return false;
	if (!w->context->paths.moving_scripts && mark_blocked_keys(w) &&
	    (!cn_position_again(w, f) || !choose_legs(w, changed, f)))
		return false;
	bool held = any_bad(w->context);
	if (held && !cn_together_begin(w, &together, true))
		return false;
	while (held && hold(w, &together, changed))
		if (!cn_contacts_update(w) || !prove_changed(w, changed))
			return false;
	cn_arena_return(&w->context->temporary, mark);
	return true;
}

/* Writes the keys inside the frame. */
static bool write_keys(cairn_world *w, cn_frame *f)
{
	uint32_t count = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		count += w->bodies[slot].alive ? cn_path_pieces(w, slot) - 1 : 0;
	if (!cn_paths_keys_begin(w, count))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!w->bodies[slot].alive)
			continue;
		w->pieces[slot] = (uint8_t)cn_path_pieces(w, slot);
		for (uint32_t k = 0; k + 1 < w->pieces[slot]; ++k) {
			cn_extra key = cn_path_key(w, slot, k);
			cn_paths_keys_add(w, &key, 1);
		}
	}
	cn_paths_keys_end(w);
	f->report.extra_keys = w->next_extra_count;
	return true;
}

static bool forbidden_contact(cairn_world *w, cn_frame *f)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!p->must_not_touch || !cn_pair_bad(p))
			continue;
		f->report.status = CAIRN_STEP_TOUCH;
		f->report.pair_a = cn_handle(w, p->a);
		f->report.pair_b = cn_handle(w, p->b);
		return true;
	}
	return false;
}

static void find_least_gap(cairn_world *w, cairn_step_report *r)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!p->near || p->at.gap >= r->min_gap || (!cn_body_movable(w, p->a) && !cn_body_movable(w, p->b)))
			continue;
		double gap = w->context->contacts.parts[p->pb].kind == CN_PART_TRIANGLE ? cn_mesh_contact_gap(w, p) : p->at.gap;
		if (gap >= r->min_gap)
			continue;
		r->min_gap = gap;
		r->pair_a = cn_handle(w, p->a);
		r->pair_b = cn_handle(w, p->b);
	}
}

bool cn_paths_choose(cairn_world *w, cn_frame *f)
{
	bool ok = choose_paths(w, f);
	if (ok && forbidden_contact(w, f))
		return false;
	cn_scripts_velocities(w);
	ok = ok && write_keys(w, f) && cn_energy_position(w, f);
	if (!ok) {
		f->report.status = CAIRN_STEP_MEMORY;
		return false;
	}
	cn_joints_note(w, f);
	find_least_gap(w, &f->report);
	return true;
}
