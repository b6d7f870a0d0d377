/* Scripted bodies among others (OBA 7.1, ch. 8). Nothing pushes a script: it is in every program as a body that cannot
 * be moved but moves, so it pushes, lifts and carries. Where there is no room for what it pushes it yields in time: its
 * clock lags, by as little as a bisection finds, and it never leaves its path. Later it catches up, at CN_CATCH_UP times
 * its speed at most.
 *
 * A leg that squeezes bodies between a script and something else is taken back with all that the script reaches, and
 * tried again with half the step; one that no step leads through is gone without the script. In the tiers of a leg
 * scripts are like bodies: they halve their way and go back to where it began with the others, so the argument that a
 * leg ends holds with them. See crowd.h. */
#include "step/joint/articulation.h"
#include "step/script/path.h"

#include <string.h>

static bool scripted(const cairn_world *w, uint32_t slot)
{
	return w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED;
}

/* ---- its way */

/* A stretch of a script's time that is gone through evenly in a share of the frame, from one pose to another. */
typedef struct stretch {
	cn_span span;
	pose from, to;
	double t0, t1;
} stretch;

static cn_piece piece_of(const cairn_world *w, uint32_t slot, const stretch *s, uint32_t piece)
{
	const cn_body *b = &w->bodies[slot];
	double times[CN_MAX_PIECES], length = s->span.to - s->span.from, t = s->t0;
	uint32_t count = cn_script_cuts(b, s->span, times);
	pose from = s->from;
	for (uint32_t k = 0;; ++k) {
		bool last = k + 1 >= count;
		pose to = last ? s->to : cn_script_at(b, times[k], from.orientation);
		double until = last ? s->t1 : s->t0 + (s->t1 - s->t0) * ((times[k] - s->span.from) / length);
		if (k == piece || last)
			return (cn_piece){.t0 = t,
			                  .t1 = until,
			                  .x0 = from.position,
			                  .x1 = to.position,
			                  .turn = q_turn(from.orientation, to.orientation),
			                  .q0 = from.orientation};
		from = to, t = until;
	}
}

static uint32_t count_pieces(const cairn_world *w, uint32_t slot, double from, double to)
{
	double times[CN_MAX_PIECES];
	return cn_script_cuts(&w->bodies[slot], (cn_span){from, to}, times);
}

static pose trial(const cairn_world *w, uint32_t slot) { return (pose){w->next[slot].x, w->next[slot].q}; }

static stretch whole_way(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return (stretch){{y->drive.start, y->drive.clock}, {w->motion[slot].x, w->motion[slot].q}, trial(w, slot), 0, 1};
}

static stretch whole_leg(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return (stretch){{y->drive.leg, y->drive.clock}, w->context->paths.poses[slot], trial(w, slot), 0, 1};
}

cn_piece cn_script_leg_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	stretch s = whole_leg(w, slot);
	return piece_of(w, slot, &s, piece);
}

uint32_t cn_script_way_pieces(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return count_pieces(w, slot, y->drive.start, y->drive.clock);
}

cn_piece cn_script_way_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	const cn_leg_ends *trail = &w->context->paths.leg_ends;
	stretch s = whole_way(w, slot);
	for (uint32_t k = 0; y->by_legs; ++k) {
		const cn_leg_end *stop = &trail->ends[k * w->slots + slot];
		if (k > 0)
			s.span.from = stop[-(ptrdiff_t)w->slots].clock, s.from = stop[-(ptrdiff_t)w->slots].at,
			s.t0 = trail->t[k - 1];
		bool last = k == trail->count;
		if (!last)
			s.span.to = stop->clock, s.to = stop->at, s.t1 = trail->t[k];
		else
			s.span.to = y->drive.clock, s.to = trial(w, slot), s.t1 = 1;
		uint32_t cuts = count_pieces(w, slot, s.span.from, s.span.to);
		if (last || piece < cuts)
			break;
		piece -= cuts;
	}
	return piece_of(w, slot, &s, piece);
}

void cn_script_measure(cairn_world *w, uint32_t slot)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	y->cuts = (uint8_t)count_pieces(w, slot, y->drive.leg, y->drive.clock);
	y->bow = 0;
	if (y->cuts > 1) /* no one chord; such ways are proved piece by piece */
		y->k = y->bow = INFINITY;
	if (cn_script_way_pieces(w, slot) > 1)
		y->whole_k = INFINITY, y->turned = true;
}

bool cn_script_may_trail(const cairn_world *w, uint32_t slot)
{
	const cn_leg_ends *trail = &w->context->paths.leg_ends;
	uint32_t count = w->context->paths.by_slot[slot].cuts;
	for (uint32_t k = 0; k < trail->count; ++k)
		count += trail->ends[k * w->slots + slot].cuts;
	return count <= CN_MAX_PIECES;
}

/* ---- its clock */

cn_stride cn_script_stride(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	double times[CN_MAX_PIECES], radius = b->radius < CN_LENGTH_MOST ? b->radius : CN_LENGTH_MOST, far = 0, turn = 0;
	uint32_t count = cn_script_cuts(b, cn_script_span(w, b), times);
	pose from = {w->motion[slot].x, w->motion[slot].q};
	for (uint32_t k = 0; k < count; ++k) {
		pose to = cn_script_at(b, times[k], from.orientation);
		far += v3_distance(from.position, to.position);
		turn += v3_length(q_turn(from.orientation, to.orientation));
		from = to;
	}
	v3 dx = v3_sub(from.position, w->motion[slot].x);
	double still = CN_UNIT_ROUNDING * (v3_max(v3_abs(w->motion[slot].x)) + radius), detour = far - v3_length(dx);
	if (far + turn * radius <= still)
		return (cn_stride){v3_zero(), 0};
	return (cn_stride){dx, (turn < 2 ? turn : 2) * radius + (detour > 0 ? detour : 0)};
}

void cn_script_begin(cairn_world *w, uint32_t slot)
{
	cn_context *c = w->context;
	cn_path *y = &c->paths.by_slot[slot];
	if (!scripted(w, slot) || w->away[slot])
		return;
	cn_span span = cn_script_span(w, &w->bodies[slot]);
	y->scripted = true;
	y->drive.moves = v3_length2(c->contacts.strides[slot].dx) > 0 || c->contacts.strides[slot].swing > 0;
	y->pace = w->bodies[slot].pace;
	y->drive.start = y->drive.leg = y->drive.clock = y->drive.wanted = span.from, y->drive.due = span.to;
	c->paths.moving_scripts += y->drive.moves;
}

void cn_script_set(cairn_world *w, uint32_t slot, double clock)
{
	cn_context *c = w->context;
	cn_path *y = &c->paths.by_slot[slot];
	cn_motion *m = &w->next[slot];
	pose p;
	if (clock == y->drive.start || !y->drive.moves)
		p = (pose){w->motion[slot].x, w->motion[slot].q};
	else if (clock == y->drive.leg)
		p = c->paths.poses[slot];
	else if (clock == y->drive.due)
		p = (pose){y->goal_x, y->goal_q};
	else
		p = cn_script_at(&w->bodies[slot], clock, m->q);
	m->x = p.position, m->q = p.orientation;
	y->drive.clock = clock;
	y->moved = true;
	cn_parts_place(w, slot);
}

/* At a key it goes back where it came from: what it pushed would follow it to its own target again. */
static bool turns_back(const cairn_world *w, uint32_t slot, const stretch *s, double key)
{
	v3 at = cn_script_at(&w->bodies[slot], key, s->from.orientation).position;
	return v3_dot(v3_sub(at, s->from.position), v3_sub(s->to.position, at)) < 0;
}

cn_twist cn_script_step(cairn_world *w, uint32_t slot, quat *turn)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	double left = y->drive.due - y->drive.clock, step = y->pace * (y->drive.due - y->drive.start), angle = 0;
	stretch s = {{y->drive.clock, y->drive.due}, trial(w, slot), {y->goal_x, y->goal_q}, 0, 1};
	double times[CN_MAX_PIECES];
	uint32_t count = cn_script_cuts(&w->bodies[slot], s.span, times), legs = CN_PASSES - w->context->paths.leg_number;
	for (uint32_t k = 0; k < count; ++k)
		angle += v3_length(piece_of(w, slot, &s, k).turn);
	double evenly = left / legs; /* it need not be late for turning alone */
	double gently = angle > CN_PASS_TURN ? left * (CN_PASS_TURN / angle) : left;
	gently = gently > evenly ? gently : evenly;
	step = step < gently ? step : gently;
	y->drive.wanted = step < (1 - CN_YIELD_LEAST) * left ? y->drive.clock + step : y->drive.due;
	if (count > 1 && count <= legs && times[0] < y->drive.wanted && !turns_back(w, slot, &s, times[0]))
		y->drive.wanted = times[0]; /* one piece is proved more easily than several */
	pose to = y->drive.wanted == y->drive.due ? s.to : cn_script_at(&w->bodies[slot], y->drive.wanted, w->next[slot].q);
	*turn = q_mul(to.orientation, q_conj(w->next[slot].q));
	return (cn_twist){v3_sub(to.position, w->next[slot].x), v3_zero()};
}

uint32_t cn_script_limb(const cairn_world *w, uint32_t joint, uint32_t *script)
{
	const cn_context *c = w->context;
	const cn_joint *j = &w->joints[joint];
	if (!c->articulations || !c->articulations->stands[joint] || j->a == CN_NO_BODY || j->b == CN_NO_BODY)
		return CN_QP_NONE;
	bool a = c->paths.by_slot[j->a].drive.moves;
	*script = a ? j->a : j->b;
	uint32_t limb = a ? j->b : j->a;
	return c->paths.by_slot[*script].drive.moves && cn_body_movable(w, limb) ? limb : CN_QP_NONE;
}

/* ---- when it is too much */

/* Nearer than it was and than it should be, by more than programs leave over. */
static bool squeezed(const cairn_world *w, const cn_pair *p)
{
	double leg = p->leg_start.gap > 0 ? p->leg_start.gap : 0;
	return p->near && !p->must_not_touch && p->at.gap < CN_SQUEEZED * p->gap_request && p->at.gap < CN_NEARER * leg &&
	       (cn_body_movable(w, p->a) || cn_body_movable(w, p->b));
}

/* A script that a joint holds a body to has left it behind. */
static bool torn(const cairn_world *w, uint32_t joint, uint32_t limb)
{
	const cn_joint *j = &w->joints[joint];
	double error = cn_joint_error(w, joint, cn_joint_side(w->next, j->a), cn_joint_side(w->next, j->b));
	return error > CN_RIG_LOST * w->bodies[limb].radius;
}

/* How far it goes by itself: a script in the leg, a body in the frame. */
static double own_way(const cn_context *c, uint32_t slot)
{
	const cn_path *y = &c->paths.by_slot[slot];
	double far = v3_length(c->contacts.strides[slot].dx) + c->contacts.strides[slot].swing;
	return y->drive.moves  ? far * (y->drive.clock - y->drive.leg) / (y->drive.due - y->drive.start)
	       : y->under_rows ? far
	                       : 0;
}

/* It went further beyond where it was to go, in the leg and in all, than anything goes that it may have been pushed
 * by: mending threw it out of the scripts' way. */
static bool thrown(const cairn_world *w, uint32_t slot, double far)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	v3 x = w->next[slot].x, off = v3_sub(x, y->target_x);
	double most = CN_THROWN * far + CN_RAISED * w->bodies[slot].radius, beyond = v3_length(off);
	return y->under_rows && !y->drive.moves && beyond > most &&
	       v3_dot(off, v3_sub(x, w->context->paths.poses[slot].position)) > most * beyond;
}

static bool moved_in_leg(const cn_path *y) { return y->drive.moves && y->drive.clock != y->drive.leg; }

static void slow_down(cn_path *y)
{
	y->drive.turned_back = true;
	y->pace *= 0.5;
	if (y->pace >= CN_YIELD_LEAST)
		return;
	y->pace = CN_YIELD_LEAST;
	y->drive.stopped = true;
}

/* Whether it takes part in the next program. */
static bool goes_on(const cn_path *y) { return y->drive.engaged && !y->drive.stopped && y->drive.clock < y->drive.due; }

/* A script that may wait, and the rig that a joint holds to it, come under rows together, or one would go without the
 * other. */
static void engage_limb(cairn_world *w, uint32_t script, uint32_t limb)
{
	cn_context *c = w->context;
	c->paths.by_slot[script].drive.engaged = c->paths.by_slot[limb].under_rows = true;
	for (uint32_t n = 0, other; (other = cn_articulation_bodies(w, limb, n)) != CN_QP_NONE; ++n)
		c->paths.by_slot[other].under_rows |= cn_body_movable(w, other);
}

/* Scripts went back that had nothing near: what joints hold to them has gone its free way, and comes under rows now.
 * One that turns through keys goes no further than to the first. */
static void bring_limbs(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0, script, limb; i < w->scene->joint_count; ++i) {
		if ((limb = cn_script_limb(w, i, &script)) == CN_QP_NONE || !c->energy.sums[c->scratch.queue[script]].jammed ||
		    c->paths.by_slot[script].drive.clock != c->paths.by_slot[script].drive.start ||
		    (c->paths.by_slot[script].drive.engaged && c->paths.by_slot[limb].under_rows))
			continue;
		engage_limb(w, script, limb);
		for (uint32_t n = 0, other; (other = cn_articulation_bodies(w, limb, n)) != CN_QP_NONE; ++n) {
			cn_path *y = &c->paths.by_slot[other];
			if (!y->key_count)
				continue;
			y->target_x = w->next_extras[y->first].key.position;
			y->target_q = w->next_extras[y->first].key.orientation;
			y->key_count = 0;
		}
	}
}

bool cn_script_back(cairn_world *w, bool last, bool *any)
{
	cn_context *c = w->context;
	const uint32_t *root = c->scratch.queue;
	bool moved = false;
	*any = false;
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot)
		moved |= moved_in_leg(&c->paths.by_slot[slot]);
	if (!moved)
		return true;
	cn_graph_components(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->energy.sums[slot] = (cn_island){0};
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		double way = own_way(c, slot), *far = &c->energy.sums[root[slot]].reach;
		*far = way > *far ? way : *far;
	}
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		if (squeezed(w, &c->contacts.pairs[i]))
			c->energy.sums[root[c->contacts.pairs[i].a]].flagged =
				c->energy.sums[root[c->contacts.pairs[i].b]].flagged = true;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->energy.sums[root[slot]].flagged |= thrown(w, slot, c->energy.sums[root[slot]].reach);
	for (uint32_t i = 0, script, limb; i < w->scene->joint_count; ++i)
		if ((limb = cn_script_limb(w, i, &script)) != CN_QP_NONE && torn(w, i, limb))
			c->energy.sums[root[script]].flagged = true;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->energy.sums[root[slot]].flagged && moved_in_leg(&c->paths.by_slot[slot])) {
			c->energy.sums[root[slot]].jammed = *any = true;
			c->energy.sums[root[slot]].waits |= c->paths.by_slot[slot].pace <= CN_YIELD_LEAST;
		}
	if (!*any)
		return true;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!c->energy.sums[root[slot]].jammed || !moved_in_leg(y))
			continue;
		if (last || !c->energy.sums[root[slot]].waits ||
		    y->pace <= CN_YIELD_LEAST) /* those that wait go on waiting first */
			slow_down(y);
		y->drive.stopped |= last;
		cn_script_set(w, slot, y->drive.leg);
		c->energy.sums[root[slot]].flagged &= y->drive.stopped; /* still so where all have stopped */
	}
	bring_limbs(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) { /* all that the script reaches begins the leg again */
		cn_path *y = &c->paths.by_slot[slot];
		c->scratch.flags[slot] = 0;
		if (!c->energy.sums[root[slot]].jammed)
			continue;
		if (y->under_rows) {
			w->next[slot].x = c->paths.poses[slot].position, w->next[slot].q = c->paths.poses[slot].orientation;
			y->moved = true;
			cn_parts_place(w, slot);
			y->left_alone = y->moved_only_by_script && c->energy.sums[root[slot]].flagged &&
			                c->paths.leg_number == 0; /* nothing else moves it */
			y->under_rows = !y->left_alone;
		}
		c->scratch.flags[slot] = y->under_rows || goes_on(y);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->paths.by_slot[slot].drive.stopped && c->paths.leg_number == 0)
			c->contacts.strides[slot] = (cn_stride){v3_zero(), 0};
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		cn_pair *p = &c->contacts.pairs[i];
		if (!c->energy.sums[root[p->a]].jammed && !c->energy.sums[root[p->b]].jammed)
			continue;
		if (p->script_moves && p->near && !p->must_not_touch)
			cn_pair_request_gap(w, p);          /* one that stands asks for no room */
		for (uint32_t k = 0; k < p->count; ++k) /* in vain the multipliers only grow */
			c->contacts.points[p->first + k].push = c->contacts.points[p->first + k].first_push;
	}
	return cn_contacts_update(w);
}

bool cn_script_halve(cairn_world *w)
{
	cn_context *c = w->context;
	bool any = false;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && j < 2; ++j)
			if (moved_in_leg(&c->paths.by_slot[slots[j]]) && (p->bad || (p->near && c->scratch.flags[slots[1 - j]])))
				c->scratch.flags[slots[j]] = 1;
	}
	for (uint32_t i = 0, script; i < w->scene->joint_count && c->paths.moving_scripts;
	     ++i) { /* what joints hold goes along */
		uint32_t limb = cn_script_limb(w, i, &script);
		if (limb != CN_QP_NONE)
			c->scratch.flags[script] = c->scratch.flags[limb] = c->scratch.flags[script] || c->scratch.flags[limb];
	}
	if (c->paths.moving_scripts)
		cn_articulations_spread(w, c->scratch.flags);
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!c->scratch.flags[slot] || !moved_in_leg(y))
			continue;
		cn_script_set(w, slot, y->drive.leg + 0.5 * (y->drive.clock - y->drive.leg));
		any = true;
	}
	return any;
}

bool cn_script_hold(cairn_world *w, bool frame)
{
	cn_context *c = w->context;
	bool any = false;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && p->bad && j < 2; ++j) {
			cn_path *y = &c->paths.by_slot[slots[j]];
			if (!y->drive.moves || y->drive.clock == (frame ? y->drive.start : y->drive.leg))
				continue;
			cn_script_set(w, slots[j], frame ? y->drive.start : y->drive.leg);
			y->by_legs &= !frame;
			y->drive.turned_back = y->held = any = true;
			c->scratch.flags[slots[j]] = 1;
		}
	}
	return any;
}

bool cn_script_hold_limbs(cairn_world *w, bool frame)
{
	cn_context *c = w->context;
	bool any = false, more = c->paths.moving_scripts > 0;
	while (more) {
		more = false;
		for (uint32_t i = 0, script; i < w->scene->joint_count; ++i) {
			uint32_t limb = cn_script_limb(w, i, &script);
			cn_path *y = &c->paths.by_slot[limb != CN_QP_NONE ? script : 0];
			if (limb == CN_QP_NONE)
				continue;
			if (c->scratch.flags[limb] && y->drive.clock != (frame ? y->drive.start : y->drive.leg)) {
				cn_script_set(w, script, frame ? y->drive.start : y->drive.leg);
				y->by_legs &= !frame;
				y->drive.turned_back = y->held = any = more = true;
				c->scratch.flags[script] |= frame;
			}
			if ((frame ? c->scratch.flags[script] : y->held) && !c->scratch.flags[limb])
				c->scratch.flags[limb] = 1, more = true;
		}
		if (more)
			cn_articulations_spread(w, c->scratch.flags);
	}
	return any;
}

bool cn_script_mend(cairn_world *w)
{
	cn_context *c = w->context;
	bool any = false;
	memset(c->scratch.flags, 0, w->slots);
	for (uint32_t i = 0, script, limb; i < w->scene->joint_count && c->paths.moving_scripts; ++i)
		if ((limb = cn_script_limb(w, i, &script)) != CN_QP_NONE &&
		    (moved_in_leg(&c->paths.by_slot[script]) || !c->paths.by_slot[limb].held) && torn(w, i, limb))
			c->scratch.flags[limb] = any = true;
	if (!any)
		return false;
	cn_articulations_spread(w, c->scratch.flags);
	cn_script_hold_limbs(w, false);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!c->scratch.flags[slot] || y->held)
			continue;
		w->next[slot].x = c->paths.poses[slot].position, w->next[slot].q = c->paths.poses[slot].orientation;
		y->held = y->put_back = y->moved = y->under_rows = true;
		y->key_count = 0;
		cn_parts_place(w, slot);
	}
	return true;
}

/* ---- legs */

void cn_script_near(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && p->near && !p->must_not_touch && j < 2; ++j)
			if (c->paths.by_slot[slots[j]].drive.moves && c->scratch.flags[slots[j]])
				c->scratch.flags[slots[1 - j]] |= cn_body_movable(w, slots[1 - j]);
	}
}

void cn_script_engage(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (p->script_moves && p->near && !p->must_not_touch)
			c->paths.by_slot[p->a].drive.engaged = c->paths.by_slot[p->b].drive.engaged = true;
	}
	for (bool more = c->paths.moving_scripts > 0; more;) {
		more = false;
		for (uint32_t i = 0, script, limb; i < w->scene->joint_count; ++i)
			if ((limb = cn_script_limb(w, i, &script)) != CN_QP_NONE &&
			    c->paths.by_slot[script].drive.engaged != c->paths.by_slot[limb].under_rows)
				engage_limb(w, script, limb), more = true;
	}
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot)
		c->paths.by_slot[slot].drive.engaged &= c->paths.by_slot[slot].drive.moves;
}

bool cn_script_leg_end(cairn_world *w)
{
	cn_context *c = w->context;
	bool again = false;
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!y->drive.engaged || y->drive.stopped)
			continue;
		double share = (y->drive.clock - y->drive.leg) / (y->drive.due - y->drive.start);
		y->drive.stopped = (y->drive.clock < y->drive.wanted || y->drive.turned_back) && ++y->troubles == CN_YIELD_LEGS;
		if (y->drive.clock == y->drive.leg || (y->drive.turned_back && y->drive.clock == y->drive.wanted))
			slow_down(y);                          /* to where it failed is no further than this */
		else if (y->drive.clock < y->drive.wanted) /* it was not proved in one leg: that is no obstacle */
			y->pace = share > CN_YIELD_LEAST ? share : CN_YIELD_LEAST;
		else
			y->pace = y->pace < 0.5 ? 2 * y->pace : 1;
		again |= goes_on(y);
	}
	return again;
}

/* ---- momentum */

/* How far it goes in a stretch of its clock, and turns. */
static cn_twist way_of(const cn_body *b, double from, double to)
{
	double times[CN_MAX_PIECES];
	uint32_t count = cn_script_cuts(b, (cn_span){from, to}, times);
	pose first = cn_script_at(b, from, q_identity()), last = first;
	v3 turn = v3_zero();
	for (uint32_t k = 0; k < count; ++k) {
		pose next = cn_script_at(b, times[k], last.orientation);
		turn = v3_add(turn, q_turn(last.orientation, next.orientation));
		last = next;
	}
	return (cn_twist){v3_sub(last.position, first.position), turn};
}

/* Half of a change, or half of as much of it as there is of another beside it: none where the two oppose each other. */
static v3 half_change(v3 change, v3 beside)
{
	double a = v3_length(change), b = v3_length(beside);
	if (!(v3_dot(change, beside) > 0))
		return v3_zero();
	return v3_scale(change, a > b ? 0.5 * b / a : 0.5);
}

/* Its way in the frame as it is to be, and by how much it gathers speed to either end of it: half of what the
 * frame's way differs by from that of its neighbours. Where it starts, stops or bends at a key the differences
 * before and after the frame are not alike, and the lesser counts: such a change is in no time, and is not
 * foreseen. */
static cn_twist velocity(const cairn_world *w, uint32_t slot, bool end)
{
	const cn_body *b = &w->bodies[slot];
	const cn_path *y = &w->context->paths.by_slot[slot];
	double step = y->drive.due - y->drive.start, rate = 1 / w->dt;
	cn_twist before = way_of(b, y->drive.start - step, y->drive.start), way = way_of(b, y->drive.start, y->drive.due),
			 after = way_of(b, y->drive.due, y->drive.due + step);
	v3 back_v = v3_sub(way.v, before.v), on_v = v3_sub(after.v, way.v);
	v3 back_w = v3_sub(way.w, before.w), on_w = v3_sub(after.w, way.w);
	v3 dv = end ? half_change(on_v, back_v) : v3_neg(half_change(back_v, on_v));
	v3 dw = end ? half_change(on_w, back_w) : v3_neg(half_change(back_w, on_w));
	return (cn_twist){v3_scale(v3_add(way.v, dv), rate), v3_scale(v3_add(way.w, dw), rate)};
}

cn_twist cn_script_start(const cairn_world *w, uint32_t slot)
{
	if (w->bodies[slot].lag > 0)
		return (cn_twist){w->motion[slot].v, w->motion[slot].l};
	return velocity(w, slot, false);
}

cn_twist cn_script_twist(const cairn_world *w, uint32_t slot, bool end)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	if (end) { /* of the piece that ends the frame */
		stretch s = whole_way(w, slot);
		cn_piece p = piece_of(w, slot, &s, CN_MAX_PIECES);
		double rate = 1 / ((p.t1 - p.t0) * w->dt);
		return (cn_twist){v3_scale(v3_sub(p.x1, p.x0), rate), v3_scale(p.turn, rate)};
	}
	if (y->pace <= CN_YIELD_LEAST) /* it stands until it is seen that it can go on */
		return (cn_twist){v3_zero(), v3_zero()};
	cn_twist u = velocity(w, slot, true);
	return (cn_twist){v3_scale(u.v, y->pace), v3_scale(u.w, y->pace)};
}

static v3 speed_at(const cn_twist *u, v3 r) { return v3_add(u->v, v3_cross(u->w, r)); }

/* The one of a contact's bodies that is a script, if it is; its point. */
static uint32_t driver(const cn_program *p, const cn_qp_contact *k, v3 *r)
{
	if (k->a != CN_QP_NONE && !(p->bodies[k->a].inv_mass > 0)) {
		*r = k->ra;
		return k->a;
	}
	*r = k->rb;
	return k->b != CN_QP_NONE && !(p->bodies[k->b].inv_mass > 0) ? k->b : CN_QP_NONE;
}

double cn_script_work(const cn_program *p, uint32_t contact, cn_qp_impulse y)
{
	const cn_qp_contact *k = &p->contacts[contact];
	v3 r, s, t;
	uint32_t who = driver(p, k, &r);
	if (who == CN_QP_NONE)
		return 0;
	cn_qp_tangents(k->n, &s, &t);
	v3 impulse = v3_madd(v3_madd(v3_scale(k->n, y.n), s, y.s), t, y.t);
	double work = v3_dot(impulse, speed_at(&p->u0[who], r)); /* on b; a gets the opposite */
	return who == k->a ? work : -work;
}

void cn_script_press(cairn_world *w)
{
	cn_context *c = w->context;
	for (bool more = c->paths.moving_scripts > 0; more;) {
		more = false;
		for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
			const cn_pair *p = &c->contacts.pairs[i];
			cn_path *a = &c->paths.by_slot[p->a], *b = &c->paths.by_slot[p->b];
			if (!p->near || p->must_not_touch ||
			    (a->pushed_by_script || a->drive.moves) == (b->pushed_by_script || b->drive.moves))
				continue;
			uint32_t other = a->pushed_by_script || a->drive.moves ? p->b : p->a;
			if (w->rotors[other].active)
				c->paths.by_slot[other].pushed_by_script = more = true;
		}
	}
}

void cn_script_stir(cairn_world *w)
{
	cn_context *c = w->context;
	const uint32_t *root = c->scratch.queue;
	if (!c->paths.moving_scripts)
		return;
	cn_graph_components(w);
	memset(c->scratch.flags, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->scratch.flags[root[slot]] |= c->paths.by_slot[slot].drive.moves &&
		                                c->paths.by_slot[slot].pace > CN_YIELD_LEAST; /* one that waits stands */
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->paths.by_slot[slot].near_moving_script = c->scratch.flags[root[slot]];
}

/* ---- energy */

void cn_script_reach(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && p->near && !p->must_not_touch && j < 2; ++j) {
			const cn_path *y = &c->paths.by_slot[slots[j]];
			if (!y->drive.moves)
				continue;
			const cn_stride *s = &c->contacts.strides[slots[j]];
			double reach =
				(v3_length(s->dx) + s->swing) * ((y->drive.clock - y->drive.start) / (y->drive.due - y->drive.start));
			cn_island *at = &c->energy.sums[c->scratch.queue[slots[1 - j]]];
			at->reach = reach > at->reach ? reach : at->reach;
		}
	}
}

/* ---- the frame's end */

cn_extra cn_script_key(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	if (!y->by_legs && y->drive.clock == y->drive.due)
		return w->next_extras[y->first + piece];
	cn_piece p = cn_script_way_piece(w, slot, piece), after = cn_script_way_piece(w, slot, piece + 1);
	double rate = 1 / ((p.t1 - p.t0) * w->dt);
	return (cn_extra){slot,
	                  {.time = cn_step_time(w, 0) + p.t1 * w->dt,
	                   .position = p.x1,
	                   .orientation = after.q0,
	                   .velocity = v3_scale(v3_sub(p.x1, p.x0), rate),
	                   .spin = v3_scale(p.turn, rate),
	                   .turn = p.turn}};
}

void cn_script_velocities(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot) {
		const cn_path *y = &c->paths.by_slot[slot];
		if (!y->drive.moves || y->drive.clock == y->drive.due)
			continue;
		cn_twist u = cn_script_twist(w, slot, true);
		w->next[slot].v = u.v, w->next[slot].l = u.w;
	}
}

/* Those that lag most come first, of equals the one with the lower slot. */
static void note_late(cairn_step_report *r, cairn_body body, double lag)
{
	uint32_t at = r->late < CAIRN_MAX_LATE ? r->late : CAIRN_MAX_LATE;
	++r->late;
	while (at > 0 && r->scripts[at - 1].lag < lag) {
		if (at < CAIRN_MAX_LATE)
			r->scripts[at] = r->scripts[at - 1];
		--at;
	}
	if (at < CAIRN_MAX_LATE)
		r->scripts[at] = (cairn_late){body, lag};
}

void cn_script_keep(cairn_world *w)
{
	double then = cn_step_time(w, 1);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_path *y = &w->context->paths.by_slot[slot];
		cn_body *b = &w->bodies[slot];
		if (!y->scripted)
			continue;
		b->lag = y->drive.clock < then ? then - y->drive.clock : 0;
		double share =
			y->drive.clock < y->drive.due ? 2 * (y->drive.clock - y->drive.start) / (y->drive.due - y->drive.start) : 1;
		share = share < y->drive.share ? share : y->drive.share;
		b->pace = share < CN_YIELD_LEAST ? CN_YIELD_LEAST : share < 1 ? share : 1;
	}
}

void cn_script_note(const cairn_world *w, cn_frame *f)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (scripted(w, slot) && w->bodies[slot].lag > 0)
			note_late(&f->report, cn_handle(w, slot), w->bodies[slot].lag);
}
