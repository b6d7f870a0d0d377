/* Paths of scripted bodies by their own clocks: pieces, strides and keys. How far a clock goes is decided in
 * script/clock.c. */
#include "base/tolerance.h"
#include "step/joint/articulation.h"

bool cn_body_scripted(const cairn_world *w, uint32_t slot)
{
	return w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED;
}

cn_piece cn_stretch_piece(const cairn_world *w, uint32_t slot, const cn_stretch *s, uint32_t piece)
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

cn_stretch cn_script_whole(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return (cn_stretch){
		{y->drive.start, y->drive.clock}, {w->motion[slot].x, w->motion[slot].q}, cn_trial_pose(w, slot), 0, 1};
}

static cn_stretch whole_leg(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return (cn_stretch){{y->drive.leg, y->drive.clock}, w->context->paths.poses[slot], cn_trial_pose(w, slot), 0, 1};
}

cn_piece cn_script_leg_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	cn_stretch s = whole_leg(w, slot);
	return cn_stretch_piece(w, slot, &s, piece);
}

uint32_t cn_script_path_pieces(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return count_pieces(w, slot, y->drive.start, y->drive.clock);
}

cn_piece cn_script_path_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	const cn_leg_ends *legs = &w->context->paths.leg_ends;
	cn_stretch s = cn_script_whole(w, slot);
	for (uint32_t k = 0; y->by_legs; ++k) {
		const cn_leg_end *stop = &legs->ends[k * w->slots + slot];
		if (k > 0)
			s.span.from = stop[-(ptrdiff_t)w->slots].clock, s.from = stop[-(ptrdiff_t)w->slots].at,
			s.t0 = legs->t[k - 1];
		bool last = k == legs->count;
		if (!last)
			s.span.to = stop->clock, s.to = stop->at, s.t1 = legs->t[k];
		else
			s.span.to = y->drive.clock, s.to = cn_trial_pose(w, slot), s.t1 = 1;
		uint32_t cuts = count_pieces(w, slot, s.span.from, s.span.to);
		if (last || piece < cuts)
			break;
		piece -= cuts;
	}
	return cn_stretch_piece(w, slot, &s, piece);
}

void cn_script_measure(cairn_world *w, uint32_t slot)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	y->cuts = (uint8_t)count_pieces(w, slot, y->drive.leg, y->drive.clock);
	y->bow = 0;
	if (y->cuts > 1) /* no single chord; such a path is proved piece by piece */
		y->k = y->bow = INFINITY;
	if (cn_script_path_pieces(w, slot) > 1)
		y->whole_k = INFINITY, y->turned = true;
}

bool cn_script_legs_fit(const cairn_world *w, uint32_t slot)
{
	const cn_leg_ends *legs = &w->context->paths.leg_ends;
	uint32_t count = w->context->paths.by_slot[slot].cuts;
	for (uint32_t k = 0; k < legs->count; ++k)
		count += legs->ends[k * w->slots + slot].cuts;
	return count <= CN_MAX_PIECES;
}

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
	if (!cn_body_scripted(w, slot) || w->away[slot])
		return;
	cn_span span = cn_script_span(w, &w->bodies[slot]);
	y->scripted = true;
	y->drive.moves = v3_length2(c->contacts.strides[slot].dx) > 0 || c->contacts.strides[slot].swing > 0;
	y->pace = w->bodies[slot].pace;
	y->drive.start = y->drive.leg = y->drive.clock = y->drive.wanted = span.from, y->drive.due = span.to;
	c->paths.moving_scripts += y->drive.moves;
}

uint32_t cn_script_link(const cairn_world *w, uint32_t joint, uint32_t *script)
{
	const cn_context *c = w->context;
	const cn_joint *j = &w->joints[joint];
	if (!c->articulations || !c->articulations->stands[joint] || j->a == CN_NO_BODY || j->b == CN_NO_BODY)
		return CN_QP_NONE;
	bool a = c->paths.by_slot[j->a].drive.moves;
	*script = a ? j->a : j->b;
	uint32_t link = a ? j->b : j->a;
	return c->paths.by_slot[*script].drive.moves && cn_body_movable(w, link) ? link : CN_QP_NONE;
}

cn_extra cn_script_key(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	if (!y->by_legs && y->drive.clock == y->drive.due)
		return w->next_extras[y->first + piece];
	cn_piece p = cn_script_path_piece(w, slot, piece), after = cn_script_path_piece(w, slot, piece + 1);
	double rate = 1 / ((p.t1 - p.t0) * w->dt);
	return (cn_extra){slot,
	                  {.time = cn_step_time(w, 0) + p.t1 * w->dt,
	                   .position = p.x1,
	                   .orientation = after.q0,
	                   .velocity = v3_scale(v3_sub(p.x1, p.x0), rate),
	                   .spin = v3_scale(p.turn, rate),
	                   .turn = p.turn}};
}
