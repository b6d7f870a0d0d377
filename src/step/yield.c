/* Scripted bodies among others (OBA 7.1, ch. 8). Nothing pushes a script: it is in every program as a body that cannot
 * be moved but moves, so it pushes, lifts and carries. Where there is no room for what it pushes it yields in time: its
 * clock lags, by as little as a bisection finds, and it never leaves its path. Later it catches up, at CN_CATCH_UP times
 * its speed at most.
 *
 * A leg that squeezes bodies between a script and something else is taken back with all that the script reaches, and
 * tried again with half the step; one that no step leads through is gone without the script. In the tiers of a leg
 * scripts are like bodies: they halve their way and go back to where it began with the others, so the argument that a
 * leg ends holds with them. See crowd.h. */
#include "step/rig.h"
#include "step/script.h"

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
	const cn_way *y = &w->crowd->ways[slot];
	return (stretch){{y->begin, y->clock}, {w->motion[slot].x, w->motion[slot].q}, trial(w, slot), 0, 1};
}

static stretch whole_leg(const cairn_world *w, uint32_t slot)
{
	const cn_way *y = &w->crowd->ways[slot];
	return (stretch){{y->leg, y->clock}, w->crowd->poses[slot], trial(w, slot), 0, 1};
}

cn_piece cn_yield_leg_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	stretch s = whole_leg(w, slot);
	return piece_of(w, slot, &s, piece);
}

uint32_t cn_yield_way_pieces(const cairn_world *w, uint32_t slot)
{
	const cn_way *y = &w->crowd->ways[slot];
	return count_pieces(w, slot, y->begin, y->clock);
}

cn_piece cn_yield_way_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_way *y = &w->crowd->ways[slot];
	const cn_trail *trail = &w->crowd->trail;
	stretch s = whole_way(w, slot);
	for (uint32_t k = 0; y->trail; ++k) {
		const cn_stop *stop = &trail->stops[k * w->slots + slot];
		if (k > 0)
			s.span.from = stop[-(ptrdiff_t)w->slots].clock, s.from = stop[-(ptrdiff_t)w->slots].at,
			s.t0 = trail->t[k - 1];
		bool last = k == trail->count;
		if (!last)
			s.span.to = stop->clock, s.to = stop->at, s.t1 = trail->t[k];
		else
			s.span.to = y->clock, s.to = trial(w, slot), s.t1 = 1;
		uint32_t cuts = count_pieces(w, slot, s.span.from, s.span.to);
		if (last || piece < cuts)
			break;
		piece -= cuts;
	}
	return piece_of(w, slot, &s, piece);
}

void cn_yield_measure(cairn_world *w, uint32_t slot)
{
	cn_way *y = &w->crowd->ways[slot];
	y->cuts = (uint8_t)count_pieces(w, slot, y->leg, y->clock);
	y->bow = 0;
	if (y->cuts > 1) /* no one chord; such ways are proved piece by piece */
		y->k = y->bow = INFINITY;
	if (cn_yield_way_pieces(w, slot) > 1)
		y->whole_k = INFINITY, y->turned = true;
}

bool cn_yield_may_trail(const cairn_world *w, uint32_t slot)
{
	const cn_trail *trail = &w->crowd->trail;
	uint32_t count = w->crowd->ways[slot].cuts;
	for (uint32_t k = 0; k < trail->count; ++k)
		count += trail->stops[k * w->slots + slot].cuts;
	return count <= CN_MAX_PIECES;
}

/* ---- its clock */

cn_stride cn_yield_stride(const cairn_world *w, uint32_t slot)
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

void cn_yield_begin(cairn_world *w, uint32_t slot)
{
	cn_crowd *c = w->crowd;
	cn_way *y = &c->ways[slot];
	if (!scripted(w, slot) || w->away[slot])
		return;
	cn_span span = cn_script_span(w, &w->bodies[slot]);
	y->script = true;
	y->driven = v3_length2(c->strides[slot].dx) > 0 || c->strides[slot].swing > 0;
	y->pace = w->bodies[slot].pace;
	y->begin = y->leg = y->clock = y->want = span.from, y->due = span.to;
	c->driven += y->driven;
}

void cn_yield_set(cairn_world *w, uint32_t slot, double clock)
{
	cn_crowd *c = w->crowd;
	cn_way *y = &c->ways[slot];
	cn_motion *m = &w->next[slot];
	pose p;
	if (clock == y->begin || !y->driven)
		p = (pose){w->motion[slot].x, w->motion[slot].q};
	else if (clock == y->leg)
		p = c->poses[slot];
	else if (clock == y->due)
		p = (pose){y->goal_x, y->goal_q};
	else
		p = cn_script_at(&w->bodies[slot], clock, m->q);
	m->x = p.position, m->q = p.orientation;
	y->clock = clock;
	y->moved = true;
	cn_crowd_place(w, slot);
}

/* At a key it goes back where it came from: what it pushed would follow it to its own target again. */
static bool turns_back(const cairn_world *w, uint32_t slot, const stretch *s, double key)
{
	v3 at = cn_script_at(&w->bodies[slot], key, s->from.orientation).position;
	return v3_dot(v3_sub(at, s->from.position), v3_sub(s->to.position, at)) < 0;
}

cn_twist cn_yield_step(cairn_world *w, uint32_t slot, quat *turn)
{
	cn_way *y = &w->crowd->ways[slot];
	double left = y->due - y->clock, step = y->pace * (y->due - y->begin), angle = 0;
	stretch s = {{y->clock, y->due}, trial(w, slot), {y->goal_x, y->goal_q}, 0, 1};
	double times[CN_MAX_PIECES];
	uint32_t count = cn_script_cuts(&w->bodies[slot], s.span, times), legs = CN_PASSES - w->crowd->leg_number;
	for (uint32_t k = 0; k < count; ++k)
		angle += v3_length(piece_of(w, slot, &s, k).turn);
	double evenly = left / legs; /* it need not be late for turning alone */
	double gently = angle > CN_PASS_TURN ? left * (CN_PASS_TURN / angle) : left;
	gently = gently > evenly ? gently : evenly;
	step = step < gently ? step : gently;
	y->want = step < (1 - CN_YIELD_LEAST) * left ? y->clock + step : y->due;
	if (count > 1 && count <= legs && times[0] < y->want && !turns_back(w, slot, &s, times[0]))
		y->want = times[0]; /* one piece is proved more easily than several */
	pose to = y->want == y->due ? s.to : cn_script_at(&w->bodies[slot], y->want, w->next[slot].q);
	*turn = q_mul(to.orientation, q_conj(w->next[slot].q));
	return (cn_twist){v3_sub(to.position, w->next[slot].x), v3_zero()};
}

uint32_t cn_yield_limb(const cairn_world *w, uint32_t joint, uint32_t *script)
{
	const cn_crowd *c = w->crowd;
	const cn_joint *j = &w->joints[joint];
	if (!c->rigs || !c->rigs->stands[joint] || j->a == CN_NO_BODY || j->b == CN_NO_BODY)
		return CN_QP_NONE;
	bool a = c->ways[j->a].driven;
	*script = a ? j->a : j->b;
	uint32_t limb = a ? j->b : j->a;
	return c->ways[*script].driven && cn_crowd_movable(w, limb) ? limb : CN_QP_NONE;
}

/* ---- when it is too much */

/* Nearer than it was and than it should be, by more than programs leave over. */
static bool squeezed(const cairn_world *w, const cn_close *p)
{
	double leg = p->leg > 0 ? p->leg : 0;
	return p->near && !p->barred && p->at.gap < CN_SQUEEZED * p->asked && p->at.gap < CN_NEARER * leg &&
	       (cn_crowd_movable(w, p->a) || cn_crowd_movable(w, p->b));
}

/* A script that a joint holds a body to has left it behind. */
static bool torn(const cairn_world *w, uint32_t joint, uint32_t limb)
{
	const cn_joint *j = &w->joints[joint];
	double error = cn_joint_error(w, joint, cn_joint_side(w->next, j->a), cn_joint_side(w->next, j->b));
	return error > CN_RIG_LOST * w->bodies[limb].radius;
}

/* How far it goes by itself: a script in the leg, a body in the frame. */
static double own_way(const cn_crowd *c, uint32_t slot)
{
	const cn_way *y = &c->ways[slot];
	double far = v3_length(c->strides[slot].dx) + c->strides[slot].swing;
	return y->driven ? far * (y->clock - y->leg) / (y->due - y->begin) : y->busy ? far : 0;
}

/* It went further beyond where it was to go, in the leg and in all, than anything goes that it may have been pushed
 * by: mending threw it out of the scripts' way. */
static bool thrown(const cairn_world *w, uint32_t slot, double far)
{
	const cn_way *y = &w->crowd->ways[slot];
	v3 x = w->next[slot].x, off = v3_sub(x, y->target_x);
	double most = CN_THROWN * far + CN_RAISED * w->bodies[slot].radius, beyond = v3_length(off);
	return y->busy && !y->driven && beyond > most &&
	       v3_dot(off, v3_sub(x, w->crowd->poses[slot].position)) > most * beyond;
}

static bool moved_in_leg(const cn_way *y) { return y->driven && y->clock != y->leg; }

static void slow_down(cn_way *y)
{
	y->failed = true;
	y->pace *= 0.5;
	if (y->pace >= CN_YIELD_LEAST)
		return;
	y->pace = CN_YIELD_LEAST;
	y->stopped = true;
}

/* Whether it takes part in the next program. */
static bool goes_on(const cn_way *y) { return y->engaged && !y->stopped && y->clock < y->due; }

/* A script that may wait, and the rig that a joint holds to it, come under rows together, or one would go without the
 * other. */
static void engage_limb(cairn_world *w, uint32_t script, uint32_t limb)
{
	cn_crowd *c = w->crowd;
	c->ways[script].engaged = c->ways[limb].busy = true;
	for (uint32_t n = 0, other; (other = cn_rig_bodies(w, limb, n)) != CN_QP_NONE; ++n)
		c->ways[other].busy |= cn_crowd_movable(w, other);
}

/* Scripts went back that had nothing near: what joints hold to them has gone its free way, and comes under rows now.
 * One that turns through keys goes no further than to the first. */
static void bring_limbs(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t i = 0, script, limb; i < w->scene->joint_count; ++i) {
		if ((limb = cn_yield_limb(w, i, &script)) == CN_QP_NONE || !c->sums[c->queue[script]].jammed ||
		    c->ways[script].clock != c->ways[script].begin || (c->ways[script].engaged && c->ways[limb].busy))
			continue;
		engage_limb(w, script, limb);
		for (uint32_t n = 0, other; (other = cn_rig_bodies(w, limb, n)) != CN_QP_NONE; ++n) {
			cn_way *y = &c->ways[other];
			if (!y->kept)
				continue;
			y->target_x = w->next_extras[y->first].key.position;
			y->target_q = w->next_extras[y->first].key.orientation;
			y->kept = 0;
		}
	}
}

bool cn_yield_back(cairn_world *w, bool last, bool *any)
{
	cn_crowd *c = w->crowd;
	const uint32_t *root = c->queue;
	bool moved = false;
	*any = false;
	for (uint32_t slot = 0; slot < w->slots && c->driven; ++slot)
		moved |= moved_in_leg(&c->ways[slot]);
	if (!moved)
		return true;
	cn_crowd_components(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->sums[slot] = (cn_island){0};
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		double way = own_way(c, slot), *far = &c->sums[root[slot]].reach;
		*far = way > *far ? way : *far;
	}
	for (uint32_t i = 0; i < c->pair_count; ++i)
		if (squeezed(w, &c->pairs[i]))
			c->sums[root[c->pairs[i].a]].flagged = c->sums[root[c->pairs[i].b]].flagged = true;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->sums[root[slot]].flagged |= thrown(w, slot, c->sums[root[slot]].reach);
	for (uint32_t i = 0, script, limb; i < w->scene->joint_count; ++i)
		if ((limb = cn_yield_limb(w, i, &script)) != CN_QP_NONE && torn(w, i, limb))
			c->sums[root[script]].flagged = true;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->sums[root[slot]].flagged && moved_in_leg(&c->ways[slot])) {
			c->sums[root[slot]].jammed = *any = true;
			c->sums[root[slot]].waits |= c->ways[slot].pace <= CN_YIELD_LEAST;
		}
	if (!*any)
		return true;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &c->ways[slot];
		if (!c->sums[root[slot]].jammed || !moved_in_leg(y))
			continue;
		if (last || !c->sums[root[slot]].waits || y->pace <= CN_YIELD_LEAST) /* those that wait go on waiting first */
			slow_down(y);
		y->stopped |= last;
		cn_yield_set(w, slot, y->leg);
		c->sums[root[slot]].flagged &= y->stopped; /* still so where all have stopped */
	}
	bring_limbs(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) { /* all that the script reaches begins the leg again */
		cn_way *y = &c->ways[slot];
		c->flags[slot] = 0;
		if (!c->sums[root[slot]].jammed)
			continue;
		if (y->busy) {
			w->next[slot].x = c->poses[slot].position, w->next[slot].q = c->poses[slot].orientation;
			y->moved = true;
			cn_crowd_place(w, slot);
			y->stays = y->lent && c->sums[root[slot]].flagged && c->leg_number == 0; /* nothing else moves it */
			y->busy = !y->stays;
		}
		c->flags[slot] = y->busy || goes_on(y);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->ways[slot].stopped && c->leg_number == 0)
			c->strides[slot] = (cn_stride){v3_zero(), 0};
	for (uint32_t i = 0; i < c->pair_count; ++i) {
		cn_close *p = &c->pairs[i];
		if (!c->sums[root[p->a]].jammed && !c->sums[root[p->b]].jammed)
			continue;
		if (p->driven && p->near && !p->barred)
			cn_position_ask(w, p);              /* one that stands asks for no room */
		for (uint32_t k = 0; k < p->count; ++k) /* in vain the multipliers only grow */
			c->points[p->first + k].push = c->points[p->first + k].first_push;
	}
	return cn_crowd_again(w);
}

bool cn_yield_halve(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	bool any = false;
	for (uint32_t i = 0; i < c->pair_count && c->driven; ++i) {
		const cn_close *p = &c->pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->driven && j < 2; ++j)
			if (moved_in_leg(&c->ways[slots[j]]) && (p->bad || (p->near && c->flags[slots[1 - j]])))
				c->flags[slots[j]] = 1;
	}
	for (uint32_t i = 0, script; i < w->scene->joint_count && c->driven; ++i) { /* what joints hold goes along */
		uint32_t limb = cn_yield_limb(w, i, &script);
		if (limb != CN_QP_NONE)
			c->flags[script] = c->flags[limb] = c->flags[script] || c->flags[limb];
	}
	if (c->driven)
		cn_rigs_spread(w, c->flags);
	for (uint32_t slot = 0; slot < w->slots && c->driven; ++slot) {
		cn_way *y = &c->ways[slot];
		if (!c->flags[slot] || !moved_in_leg(y))
			continue;
		cn_yield_set(w, slot, y->leg + 0.5 * (y->clock - y->leg));
		any = true;
	}
	return any;
}

bool cn_yield_hold(cairn_world *w, bool frame)
{
	cn_crowd *c = w->crowd;
	bool any = false;
	for (uint32_t i = 0; i < c->pair_count && c->driven; ++i) {
		const cn_close *p = &c->pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->driven && p->bad && j < 2; ++j) {
			cn_way *y = &c->ways[slots[j]];
			if (!y->driven || y->clock == (frame ? y->begin : y->leg))
				continue;
			cn_yield_set(w, slots[j], frame ? y->begin : y->leg);
			y->trail &= !frame;
			y->failed = y->held = any = true;
			c->flags[slots[j]] = 1;
		}
	}
	return any;
}

bool cn_yield_hold_limbs(cairn_world *w, bool frame)
{
	cn_crowd *c = w->crowd;
	bool any = false, more = c->driven > 0;
	while (more) {
		more = false;
		for (uint32_t i = 0, script; i < w->scene->joint_count; ++i) {
			uint32_t limb = cn_yield_limb(w, i, &script);
			cn_way *y = &c->ways[limb != CN_QP_NONE ? script : 0];
			if (limb == CN_QP_NONE)
				continue;
			if (c->flags[limb] && y->clock != (frame ? y->begin : y->leg)) {
				cn_yield_set(w, script, frame ? y->begin : y->leg);
				y->trail &= !frame;
				y->failed = y->held = any = more = true;
				c->flags[script] |= frame;
			}
			if ((frame ? c->flags[script] : y->held) && !c->flags[limb])
				c->flags[limb] = 1, more = true;
		}
		if (more)
			cn_rigs_spread(w, c->flags);
	}
	return any;
}

bool cn_yield_mend(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	bool any = false;
	memset(c->flags, 0, w->slots);
	for (uint32_t i = 0, script, limb; i < w->scene->joint_count && c->driven; ++i)
		if ((limb = cn_yield_limb(w, i, &script)) != CN_QP_NONE &&
		    (moved_in_leg(&c->ways[script]) || !c->ways[limb].held) && torn(w, i, limb))
			c->flags[limb] = any = true;
	if (!any)
		return false;
	cn_rigs_spread(w, c->flags);
	cn_yield_hold_limbs(w, false);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_way *y = &c->ways[slot];
		if (!c->flags[slot] || y->held)
			continue;
		w->next[slot].x = c->poses[slot].position, w->next[slot].q = c->poses[slot].orientation;
		y->held = y->put_back = y->moved = y->busy = true;
		y->kept = 0;
		cn_crowd_place(w, slot);
	}
	return true;
}

/* ---- legs */

void cn_yield_near(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->pair_count && c->driven; ++i) {
		const cn_close *p = &c->pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->driven && p->near && !p->barred && j < 2; ++j)
			if (c->ways[slots[j]].driven && c->flags[slots[j]])
				c->flags[slots[1 - j]] |= cn_crowd_movable(w, slots[1 - j]);
	}
}

void cn_yield_engage(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->pair_count && c->driven; ++i) {
		const cn_close *p = &c->pairs[i];
		if (p->driven && p->near && !p->barred)
			c->ways[p->a].engaged = c->ways[p->b].engaged = true;
	}
	for (bool more = c->driven > 0; more;) {
		more = false;
		for (uint32_t i = 0, script, limb; i < w->scene->joint_count; ++i)
			if ((limb = cn_yield_limb(w, i, &script)) != CN_QP_NONE && c->ways[script].engaged != c->ways[limb].busy)
				engage_limb(w, script, limb), more = true;
	}
	for (uint32_t slot = 0; slot < w->slots && c->driven; ++slot)
		c->ways[slot].engaged &= c->ways[slot].driven;
}

bool cn_yield_leg_end(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	bool again = false;
	for (uint32_t slot = 0; slot < w->slots && c->driven; ++slot) {
		cn_way *y = &c->ways[slot];
		if (!y->engaged || y->stopped)
			continue;
		double share = (y->clock - y->leg) / (y->due - y->begin);
		y->stopped = (y->clock < y->want || y->failed) && ++y->troubles == CN_YIELD_LEGS;
		if (y->clock == y->leg || (y->failed && y->clock == y->want))
			slow_down(y);            /* to where it failed is no further than this */
		else if (y->clock < y->want) /* it was not proved in one leg: that is no obstacle */
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
	const cn_way *y = &w->crowd->ways[slot];
	double step = y->due - y->begin, rate = 1 / w->dt;
	cn_twist before = way_of(b, y->begin - step, y->begin), way = way_of(b, y->begin, y->due),
			 after = way_of(b, y->due, y->due + step);
	v3 back_v = v3_sub(way.v, before.v), on_v = v3_sub(after.v, way.v);
	v3 back_w = v3_sub(way.w, before.w), on_w = v3_sub(after.w, way.w);
	v3 dv = end ? half_change(on_v, back_v) : v3_neg(half_change(back_v, on_v));
	v3 dw = end ? half_change(on_w, back_w) : v3_neg(half_change(back_w, on_w));
	return (cn_twist){v3_scale(v3_add(way.v, dv), rate), v3_scale(v3_add(way.w, dw), rate)};
}

cn_twist cn_yield_start(const cairn_world *w, uint32_t slot)
{
	if (w->bodies[slot].lag > 0)
		return (cn_twist){w->motion[slot].v, w->motion[slot].l};
	return velocity(w, slot, false);
}

cn_twist cn_yield_twist(const cairn_world *w, uint32_t slot, bool end)
{
	const cn_way *y = &w->crowd->ways[slot];
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

double cn_yield_work(const cn_program *p, uint32_t contact, cn_qp_impulse y)
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

void cn_yield_press(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (bool more = c->driven > 0; more;) {
		more = false;
		for (uint32_t i = 0; i < c->pair_count; ++i) {
			const cn_close *p = &c->pairs[i];
			cn_way *a = &c->ways[p->a], *b = &c->ways[p->b];
			if (!p->near || p->barred || (a->pressed || a->driven) == (b->pressed || b->driven))
				continue;
			uint32_t other = a->pressed || a->driven ? p->b : p->a;
			if (w->rotors[other].active)
				c->ways[other].pressed = more = true;
		}
	}
}

void cn_yield_stir(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	const uint32_t *root = c->queue;
	if (!c->driven)
		return;
	cn_crowd_components(w);
	memset(c->flags, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->flags[root[slot]] |= c->ways[slot].driven && c->ways[slot].pace > CN_YIELD_LEAST; /* one that waits stands */
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->ways[slot].stirred = c->flags[root[slot]];
}

/* ---- energy */

void cn_yield_reach(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t i = 0; i < c->pair_count && c->driven; ++i) {
		const cn_close *p = &c->pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->driven && p->near && !p->barred && j < 2; ++j) {
			const cn_way *y = &c->ways[slots[j]];
			if (!y->driven)
				continue;
			const cn_stride *s = &c->strides[slots[j]];
			double reach = (v3_length(s->dx) + s->swing) * ((y->clock - y->begin) / (y->due - y->begin));
			cn_island *at = &c->sums[c->queue[slots[1 - j]]];
			at->reach = reach > at->reach ? reach : at->reach;
		}
	}
}

/* ---- the frame's end */

cn_extra cn_yield_key(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_way *y = &w->crowd->ways[slot];
	if (!y->trail && y->clock == y->due)
		return w->next_extras[y->first + piece];
	cn_piece p = cn_yield_way_piece(w, slot, piece), after = cn_yield_way_piece(w, slot, piece + 1);
	double rate = 1 / ((p.t1 - p.t0) * w->dt);
	return (cn_extra){slot,
	                  {.time = cn_step_time(w, 0) + p.t1 * w->dt,
	                   .position = p.x1,
	                   .orientation = after.q0,
	                   .velocity = v3_scale(v3_sub(p.x1, p.x0), rate),
	                   .spin = v3_scale(p.turn, rate),
	                   .turn = p.turn}};
}

void cn_yield_velocities(cairn_world *w)
{
	cn_crowd *c = w->crowd;
	for (uint32_t slot = 0; slot < w->slots && c->driven; ++slot) {
		const cn_way *y = &c->ways[slot];
		if (!y->driven || y->clock == y->due)
			continue;
		cn_twist u = cn_yield_twist(w, slot, true);
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

void cn_yield_keep(cairn_world *w)
{
	double then = cn_step_time(w, 1);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_way *y = &w->crowd->ways[slot];
		cn_body *b = &w->bodies[slot];
		if (!y->script)
			continue;
		b->lag = y->clock < then ? then - y->clock : 0;
		double share = y->clock < y->due ? 2 * (y->clock - y->begin) / (y->due - y->begin) : 1;
		share = share < y->share ? share : y->share;
		b->pace = share < CN_YIELD_LEAST ? CN_YIELD_LEAST : share < 1 ? share : 1;
	}
}

void cn_yield_note(const cairn_world *w, cn_frame *f)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (scripted(w, slot) && w->bodies[slot].lag > 0)
			note_late(&f->report, cn_handle(w, slot), w->bodies[slot].lag);
}
