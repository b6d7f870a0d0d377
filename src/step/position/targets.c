/* Which bodies take part in the position stage (come under rows), and their targets. The target is the goal of the
 * free motion, except for bodies that turn through several keys, that hit each other head-on at high speed, or that
 * hardly move.
 *
 * Who takes part in a pass: the first is for all that are under rows; but in a large island that mostly rests, for those
 * alone that stir and those within a few contacts of them. The others have no speed and nowhere to go: unless the program
 * pushes one of them they stand in its answer too, and what sweeps leave over would be all that moves them. Those that it
 * pushes join, with their neighbours, and it is solved again. A further pass is for bodies with something left to do and
 * their neighbours. */
#include "step/flight/flight.h"
#include "step/hooks.h"
#include "step/tolerance.h"

#include <string.h>

/* rule: built without gaps; x g dt; what touches without a gap and is slower stays, so that a wall stands as it was
 * built; scene: scenes/wall.json; test: test_oba_rules/a_wall_without_gaps_stands_as_built; with: CN_AS_BUILT_GAP */
#define CN_AS_BUILT_SPEED 1e-3
/* rule: one impact; of its way; a body that one impact stops turns no further before it, for the impact's arm is that of
 * the pose in which it meets, unless it turns by more than this; scene: scenes/validation/corner.json; test:
 * validation/corner; with: CN_ONE_IMPACT_TURN */
#define CN_ONE_IMPACT_SWING 0.1
/* rule: head-on; of a body's radius; bodies that go further in a frame and meet head-on go to where they meet, for
 * beyond it they would be led round each other; scene: scenes/torture/headon.json; test:
 * test_oba_clear/fast_bodies_do_not_go_round_each_other; with: CN_HEAD_ON_ALONG */
#define CN_HEAD_ON 1.0
#define CN_HEAD_ON_ALONG 0.5 /* of the two's motion: what nears by less of it only glances off */

/* ---- which bodies take part */

/* Bodies at rest keep their poses while nothing that moves is near them. */
static bool idle(const cairn_world *w, uint32_t slot)
{
	const cn_motion *m = &w->next[slot], *from = &w->motion[slot];
	return v3_length2(m->v) == 0 && v3_length2(m->l) == 0 && v3_length2(from->v) == 0 && v3_length2(from->l) == 0;
}

/* Bodies that touch another without a gap are left alone while they hardly move: there may be no room for a gap, and
 * the errors of sweeps are no motion. They keep their speed, so a body that accelerates soon moves. */
static void find_tight(const cairn_world *w, uint8_t *tight)
{
	const cn_context *c = w->context;
	double still = CN_AS_BUILT_SPEED * c->gravity * w->dt * w->dt;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->near && !p->must_not_touch && p->frame_start.gap < CN_AS_BUILT_GAP * p->gap_target && j < 2;
		     ++j) {
			const cn_stride *s = &c->contacts.strides[slots[j]];
			if (v3_length(s->dx) + s->swing < still)
				tight[slots[j]] = 1;
		}
	}
}

/* How near the motion is that a body may have to follow. */
enum { STANDS = 0, STIRS = 1, REMOTE = 4 }; /* between: so many contacts from one that stirs */

/* Spreads motion from the first `tail` bodies of a queue over contacts that the motion may close, to bodies that are
 * not in the set yet, and notes how far it has come. Returns the new tail. An articulation comes in whole with the first of
 * its bodies: taken, by the slot of its first link, says that it did. */
static uint32_t flood(cairn_world *w, uint8_t *movers, uint32_t *queue, uint32_t tail, uint8_t *taken)
{
	cn_context *c = w->context;
	memset(taken, 0, w->slots);
	for (uint32_t head = 0; head < tail; ++head) {
		uint32_t slot = queue[head];
		for (uint32_t k = c->graph.link_first[slot]; k < c->graph.link_first[slot + 1]; ++k) {
			const cn_pair *p = &c->contacts.pairs[c->graph.links[k]];
			uint32_t other = p->a == slot ? p->b : p->a;
			const cn_stride *s = &c->contacts.strides[slot];
			double far = v3_length(s->dx) + s->swing;
			if (movers[other] || !cn_body_movable(w, other) || !p->near || p->must_not_touch ||
			    p->at.gap > p->gap_request + far)
				continue;
			movers[other] = movers[slot] < REMOTE ? movers[slot] + 1 : REMOTE;
			queue[tail++] = other;
		}
		uint32_t first = cn_joints_bodies(w, slot, 0);
		if (first == CN_QP_NONE || taken[first])
			continue;
		taken[first] = 1;
		for (uint32_t n = 0, other; (other = cn_joints_bodies(w, slot, n)) != CN_QP_NONE; ++n)
			if (!movers[other] && cn_body_movable(w, other))
				movers[other] = movers[slot], queue[tail++] = other;
	}
	return tail;
}

/* movers, by slot: the body may have to move, because it moves by itself (STIRS) or others reach it. Bodies that only
 * scripts reach come last. */
static bool find_movers(cairn_world *w, uint8_t *movers)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t *queue, tail = 0;
	uint8_t *tight, *taken;
	if (!cn_graph_links(w) || !CN_LOCAL(queue, w->slots + 1) || !CN_LOCAL(tight, w->slots + 1) ||
	    !CN_LOCAL(taken, w->slots + 1))
		return false;
	find_tight(w, tight);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		movers[slot] = cn_body_movable(w, slot) && !idle(w, slot) && !tight[slot] ? STIRS : STANDS;
		if (movers[slot])
			queue[tail++] = slot;
	}
	flood(w, movers, queue, tail, taken);
	tail = 0;
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot)
		if (cn_path_driven(&c->paths.by_slot[slot]))
			queue[tail++] = slot;
	uint32_t scripts = tail;
	tail = flood(w, movers, queue, tail, taken);
	cn_scripts_mark_alone(w, queue + scripts, tail - scripts);
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* ---- targets */

/* A body with keys of its own that is not in flight is close enough to another to be pushed by it. */
static bool touching(const cn_context *c, const cn_pair *p)
{
	const cn_path *a = &c->paths.by_slot[p->a], *b = &c->paths.by_slot[p->b];
	return p->near && p->frame_start.gap < CN_PUSHING_GAP * p->gap_target &&
	       ((a->own.key_count && !a->flight.kind) || (b->own.key_count && !b->flight.kind));
}

/* An articulation touches a body that is not part of it. */
static bool articulation_touches(const cairn_world *w, uint32_t slot)
{
	const cn_context *c = w->context;
	uint32_t art = cn_joints_of(w, slot);
	bool any = false;
	for (uint32_t i = 0; i < c->contacts.pair_count && !any; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		any = p->near && p->frame_start.gap < CN_PUSHING_GAP * p->gap_target &&
		      (cn_joints_of(w, p->a) == art) != (cn_joints_of(w, p->b) == art);
	}
	return any;
}

/* m: how far the centre of mass of an articulation moves after its first key. Its links turn no further than to that
 * key, but the articulation moves all its way, unless it is tied to something or touches it. */
static v3 flies_on(const cairn_world *w, uint32_t slot)
{
	const cn_context *c = w->context;
	v3 sum = v3_zero();
	double mass = 0;
	for (uint32_t n = 0, other; (other = cn_joints_bodies(w, slot, n)) != CN_QP_NONE; ++n) {
		const cn_path *y = &c->paths.by_slot[other];
		double m = w->rotors[other].mass;
		mass += m;
		if (y->own.key_count)
			sum = v3_madd(sum, v3_sub(y->own.goal_x, cn_path_own_key(w, y, 0)->position), m);
	}
	if (v3_length2(sum) == 0 || cn_joints_tied(w, slot) || articulation_touches(w, slot))
		return v3_zero();
	return v3_scale(sum, 1 / mass);
}

/* A body that turns through several keys keeps them if it touches nothing and its free motion meets nothing.
 * Otherwise it comes under rows and turns no further than to its first key. */
static void limit_spinners(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		cn_path *a = &c->paths.by_slot[p->a], *b = &c->paths.by_slot[p->b];
		if (p->must_not_touch || (!a->own.key_count && !b->own.key_count) ||
		    (!touching(c, p) && cn_paths_free(w, p, false)))
			continue;
		cn_path_under_rows_if(a, cn_body_movable(w, p->a)), cn_path_under_rows_if(b, cn_body_movable(w, p->b));
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		cn_path_under_rows_if(&c->paths.by_slot[slot], c->paths.by_slot[slot].own.keys_blocked);
	for (uint32_t slot = 0; slot < w->slots; ++slot) { /* an articulation as a whole */
		v3 shift = c->paths.by_slot[slot].legs.role == CN_ROLE_UNDER_ROWS ? flies_on(w, slot) : v3_zero();
		for (uint32_t n = 0, other; c->paths.by_slot[slot].legs.role == CN_ROLE_UNDER_ROWS &&
		                            (other = cn_joints_bodies(w, slot, n)) != CN_QP_NONE;
		     ++n) {
			cn_path_under_rows_if(&c->paths.by_slot[other], cn_body_movable(w, other));
			if (c->paths.by_slot[other].own.key_count)
				cn_path_aim_at(&c->paths.by_slot[other],
				               v3_add(cn_path_own_key(w, &c->paths.by_slot[other], 0)->position, shift));
		}
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (y->legs.role != CN_ROLE_UNDER_ROWS || !y->own.key_count || y->flight.kind)
			continue;
		cn_path_turn_to(y, cn_path_own_key(w, y, 0)->orientation);
		cn_path_drop_keys(y);
		++f->report.tiers[CAIRN_TIER_FAST];
	}
}

/* An articulation is under rows as a whole: the first of its links that is brings the others. */
static bool mark_busy_articulations(cairn_world *w)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *taken; /* by the slot of its first link */
	if (!CN_LOCAL(taken, w->slots + 1))
		return false;
	memset(taken, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		uint32_t first = cn_joints_bodies(w, slot, 0);
		if (first == CN_QP_NONE || taken[first] || c->paths.by_slot[slot].legs.role != CN_ROLE_UNDER_ROWS)
			continue;
		taken[first] = 1;
		for (uint32_t n = 0, other; (other = cn_joints_bodies(w, slot, n)) != CN_QP_NONE; ++n)
			cn_path_under_rows_if(&c->paths.by_slot[other],
			                      cn_body_movable(w, other) && !c->paths.by_slot[other].own.key_count);
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* ---- fast bodies */

/* The pair moves so far that one body may end up on the other side of the other, and nothing else controls it. */
static bool meets_head_on(const cairn_world *w, const cn_pair *p)
{
	const cn_context *c = w->context;
	const uint32_t slots[2] = {p->a, p->b};
	double min = INFINITY;
	if (!p->near || p->must_not_touch || p->script_moves)
		return false;
	for (int i = 0; i < 2; ++i) {
		const cn_path *y = &c->paths.by_slot[slots[i]];
		if (y->flight.kind || y->flight.struck || y->own.key_count || cn_joints_of(w, slots[i]) != CN_QP_NONE)
			return false;
		if (y->legs.role == CN_ROLE_UNDER_ROWS && w->bodies[slots[i]].radius < min)
			min = w->bodies[slots[i]].radius;
	}
	return cn_pair_motion(c, p) > CN_HEAD_ON * min;
}

static const cn_flight *flight_of(const cairn_world *w, uint32_t slot, cn_flight *room)
{
	if (w->context->paths.by_slot[slot].legs.role != CN_ROLE_UNDER_ROWS)
		return NULL;
	*room = cn_flight_begin(w, slot);
	return room;
}

/* Lets two bodies that meet at a time go on from there together. Their relative motion is left to the impact, but
 * their common motion is kept. */
static void stop_there(cairn_world *w, const uint32_t slots[2], double time)
{
	cn_flight at[2];
	v3 momentum = v3_zero();
	double mass = 0;
	for (int i = 0; i < 2; ++i) {
		at[i] = cn_flight_begin(w, slots[i]);
		cn_flight_advance(w, &at[i], time);
		mass += w->rotors[slots[i]].mass;
		momentum = v3_madd(momentum, v3_madd(at[i].v, at[i].a, 0.5 * (w->dt - time)), w->rotors[slots[i]].mass);
	}
	for (int i = 0; i < 2; ++i) {
		cn_path *y = &w->context->paths.by_slot[slots[i]];
		cn_path_aim_at(y, v3_madd(at[i].x, momentum, (w->dt - time) / mass));
		if (w->pieces[slots[i]] == 1) /* others turn to their first key at most */
			cn_path_turn_to(y, at[i].q);
	}
}

/* The two meet within the frame, and mostly head-on. Bodies that glance off go on. */
static bool collide(const cairn_world *w, uint32_t pair, double *time)
{
	const cn_pair *p = &w->context->contacts.pairs[pair];
	cn_flight a, b;
	cn_impact hit;
	cn_flyers two = {pair, flight_of(w, p->a, &a), flight_of(w, p->b, &b)};
	if (!cn_impact_any(w, two, 0, w->context->threshold, &hit))
		return false;
	*time = hit.t;
	return hit.t > 0 && hit.speed * w->dt > CN_HEAD_ON_ALONG * cn_pair_motion(w->context, p);
}

enum { SEVERAL = UINT32_MAX - 1 }; /* there is more than one partner */

/* Two fast bodies whose targets lie beyond each other would be led round each other although they meet head-on. They
 * go to where they meet and on together, where the bounce finds them. Not if one of them also meets something else:
 * then more is lost by stopping than by going on. */
static bool stop_head_on(cairn_world *w)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t *partner;
	double *time; /* s: time of the first meeting */
	if (!CN_LOCAL(partner, w->slots + 1) || !CN_LOCAL(time, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		time[slot] = w->dt, partner[slot] = CN_QP_NONE;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		double t;
		if (!meets_head_on(w, p) || !collide(w, i, &t))
			continue;
		time[p->a] = t < time[p->a] ? t : time[p->a], time[p->b] = t < time[p->b] ? t : time[p->b];
		partner[p->a] = partner[p->a] == CN_QP_NONE || partner[p->a] == p->b ? p->b : SEVERAL;
		partner[p->b] = partner[p->b] == CN_QP_NONE || partner[p->b] == p->a ? p->a : SEVERAL;
	}
	for (uint32_t a = 0; a < w->slots; ++a) {
		uint32_t b = partner[a];
		if (b >= SEVERAL || b < a || partner[b] != a || c->paths.by_slot[a].legs.role != CN_ROLE_UNDER_ROWS ||
		    c->paths.by_slot[b].legs.role != CN_ROLE_UNDER_ROWS)
			continue;
		stop_there(w, (uint32_t[2]){a, b}, time[a] < time[b] ? time[a] : time[b]);
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* The two touch, or come to touch in the step. *impact: that is an impact at a corner or an edge, and nothing more. */
static bool come_together(const cairn_world *w, const cn_pair *p, bool *impact)
{
	const cn_context *c = w->context;
	const uint32_t slots[2] = {p->a, p->b};
	cn_twist u[2];
	uint32_t touch = 0, hit = 0;
	for (int i = 0; i < 2; ++i)
		u[i] = cn_body_movable(w, slots[i]) ? cn_twist_of(w, slots[i], w->motion[slots[i]].q, &w->next[slots[i]])
		                                    : (cn_twist){{0, 0, 0}, {0, 0, 0}};
	for (uint32_t k = 0; k < p->count; ++k) {
		const cn_pair_point *t = &c->contacts.points[p->first + k];
		v3 a = v3_add(u[0].v, v3_cross(u[0].w, t->ra)), b = v3_add(u[1].v, v3_cross(u[1].w, t->rb));
		double speed = v3_dot(p->at.n, v3_sub(a, b)), spare = t->gap - cn_pair_hold(p, t->gap);
		if (spare > (speed > 0 ? speed * w->dt : 0))
			continue;
		++touch, hit += speed > c->threshold;
	}
	*impact = hit == touch && hit <= 2 && !p->script_moves;
	return touch;
}

/* Marks bodies that one impact stops and nothing else holds. They do not turn before it, as its arm belongs to the
 * pose in which they meet. Bodies that turn anyway have turned beyond that pose and would be lifted. */
static bool mark_one_impact(cairn_world *w)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint32_t *partner;
	if (!CN_LOCAL(partner, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		partner[slot] = CN_QP_NONE;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool impact;
		if (!p->near || p->must_not_touch || !come_together(w, p, &impact))
			continue;
		partner[p->a] = impact && (partner[p->a] == CN_QP_NONE || partner[p->a] == p->b) ? p->b : SEVERAL;
		partner[p->b] = impact && (partner[p->b] == CN_QP_NONE || partner[p->b] == p->a) ? p->a : SEVERAL;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->paths.by_slot[slot].lead.one_impact =
			partner[slot] < SEVERAL &&
			c->contacts.strides[slot].swing < CN_ONE_IMPACT_SWING * v3_length(c->contacts.strides[slot].dx);
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* Sets the free motion as the goal and puts bodies with neighbours under rows. All bodies are at the frame's start
 * again afterwards. */
bool cn_targets_set(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *movers;
	uint32_t extra = 0;
	if (!CN_LOCAL(movers, w->slots + 1) || !find_movers(w, movers))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		uint32_t pieces = w->bodies[slot].alive ? w->pieces[slot] : 1;
		cn_path_place_keys(y, extra);
		extra += pieces - 1;
		cn_path_take_keys(y, cn_path_scripted(y) ? 0 : pieces - 1);
		cn_path_set_goal(y, w->next[slot].x, w->next[slot].q);
		cn_path_aim(y, w->next[slot].x, w->next[slot].q);
		movers[slot] = y->flight.kind != CN_FLYING_NOT ? STIRS : movers[slot];
		y->lead.remote = movers[slot] == REMOTE;
		if (!cn_body_movable(w, slot) || movers[slot])
			continue;
		cn_path_leave_alone(y);
		cn_path_aim(y, w->motion[slot].x, w->motion[slot].q);
		cn_path_drop_keys(y);
	}
	cn_scripts_set_clocks(w, true); /* for bodies that fly past them */
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (!p->near || p->must_not_touch || (!movers[p->a] && !movers[p->b]))
			continue;
		cn_path_under_rows_if(&c->paths.by_slot[p->a], movers[p->a] && !c->paths.by_slot[p->a].own.key_count &&
		                                                   !c->paths.by_slot[p->a].flight.kind);
		cn_path_under_rows_if(&c->paths.by_slot[p->b], movers[p->b] && !c->paths.by_slot[p->b].own.key_count &&
		                                                   !c->paths.by_slot[p->b].flight.kind);
	}
	cn_arena_return(&c->temporary, mark);
	if (!mark_busy_articulations(w))
		return false;
	if (w->scene->options.hybrid)
		cn_hybrid_prove(w);
	cn_scripts_engage(w);
	limit_spinners(w, f);
	if (w->scene->options.hybrid)
		cn_hybrid_end_flights(w, f);
	if (!stop_head_on(w) || !mark_one_impact(w))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		w->next[slot].x = w->motion[slot].x, w->next[slot].q = w->motion[slot].q;
	cn_scripts_set_clocks(w, false);
	c->under_way = true;
	return true;
}

/* Bodies that are not under rows go to their targets in the first leg. */
void cn_targets_move_free(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (y->drive.state == CN_DRIVE_ALONE || y->drive.state == CN_DRIVE_STANDS)
			cn_script_set(w, slot, y->drive.due);
		if (y->legs.role == CN_ROLE_UNDER_ROWS || !cn_body_movable(w, slot) ||
		    cn_same_pose(y->own.target_x, y->own.target_q, &w->next[slot]))
			continue;
		cn_body_move(w, slot, (pose){y->own.target_x, y->own.target_q});
	}
}

/* ---- who takes part in a pass */

/* Extends a set to whole islands where these are small: if one body of a tower has something left to do, all of them
 * take part, or the tower leans. False: memory ran out. */
static bool add_small_islands(cairn_world *w, uint8_t *bodies)
{
	typedef struct island {
		uint32_t count;
		bool chosen; /* one of its bodies is in the set */
	} island;
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	const uint32_t *root = c->graph.root;
	island *islands;
	if (!CN_LOCAL(islands, w->slots + 1))
		return false;
	cn_graph_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		++islands[root[slot]].count;
		islands[root[slot]].chosen |= bodies[slot];
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		bodies[slot] |= c->paths.by_slot[slot].legs.role == CN_ROLE_UNDER_ROWS && islands[root[slot]].chosen &&
		                islands[root[slot]].count <= CN_SMALL_BODIES;
	cn_arena_return(&c->temporary, mark);
	return true;
}

void cn_pass_choose_all(const cairn_world *w, uint8_t *bodies)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_path *y = &w->context->paths.by_slot[slot];
		bodies[slot] = y->legs.role == CN_ROLE_UNDER_ROWS || cn_script_goes_on(y);
	}
	cn_joints_spread(w, bodies);
}

/* Leaves those out of the first pass that motion reaches over several others only, where they are more than half: what
 * nobody pushes has nowhere to go. *some: there are such bodies. False: memory ran out. */
static bool leave_out_remote(cairn_world *w, uint8_t *bodies, bool *some)
{
	const cn_context *c = w->context;
	uint32_t all = 0, near = 0;
	if (c->paths.moving_scripts)
		return true;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		all += bodies[slot];
		bodies[slot] &= !c->paths.by_slot[slot].lead.remote;
		near += bodies[slot];
	}
	*some = 2 * near < all;
	if (*some)
		return add_small_islands(w, bodies);
	cn_pass_choose_all(w, bodies);
	return true;
}

bool cn_pass_choose(cairn_world *w, uint32_t number, uint8_t *bodies, bool *any, bool *some)
{
	cn_context *c = w->context;
	*any = *some = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		bodies[slot] = y->legs.role == CN_ROLE_UNDER_ROWS &&
		               (number == 0 || y->legs.turning || y->legs.taken_back || y->lead.unfinished);
		bodies[slot] |= cn_script_goes_on(y);
		*any |= bodies[slot];
		y->lead.unfinished = false;
	}
	cn_joints_spread(w, bodies);
	if (number == 0)
		return leave_out_remote(w, bodies, some);
	cn_scripts_add_near(w, bodies);
	return (number != 1 || add_small_islands(w, bodies)) && cn_graph_grow(w, bodies, 2);
}

/* The multiplier moves a body that stands by more than gaps open by in a step. */
static bool moves(const cairn_world *w, const cn_pair *p, uint32_t slot, double multiplier)
{
	return multiplier * w->rotors[slot].inv_mass > cn_pair_opens(w, p);
}

bool cn_pass_add_pushed(cairn_world *w, uint8_t *bodies)
{
	const cn_context *c = w->context;
	const cn_program *g = &c->program;
	bool any = false;
	for (uint32_t i = 0; i < g->qp.contact_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[g->pair_of[i]];
		bool a = g->index[p->a] != CN_QP_NONE, b = g->index[p->b] != CN_QP_NONE;
		uint32_t slot = a ? p->b : p->a;
		if (a == b || c->paths.by_slot[slot].legs.role != CN_ROLE_UNDER_ROWS || !moves(w, p, slot, g->y[i].n))
			continue;
		bodies[slot] = any = true;
		for (uint32_t k = c->graph.link_first[slot]; k < c->graph.link_first[slot + 1]; ++k) {
			const cn_pair *q = &c->contacts.pairs[c->graph.links[k]];
			uint32_t other = q->a == slot ? q->b : q->a;
			bodies[other] |= c->paths.by_slot[other].legs.role == CN_ROLE_UNDER_ROWS;
		}
	}
	cn_joints_spread(w, bodies);
	return any;
}
