/* Paths of scripted bodies by their own clocks: pieces, strides and keys. How far a clock goes is decided in
 * script/clock.c. */
#include "base/tolerance.h"
#include "step/joint/articulation.h"

bool cn_body_scripted(const cairn_world *w, uint32_t slot)
{
	return w->bodies[slot].alive && w->bodies[slot].type == CAIRN_SCRIPTED;
}

cn_piece cn_script_piece(const cairn_world *w, uint32_t slot, const cn_leg *s, uint32_t piece)
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

uint32_t cn_script_pieces(const cairn_world *w, uint32_t slot, cn_span span)
{
	double times[CN_MAX_PIECES];
	return cn_script_cuts(&w->bodies[slot], span, times);
}

void cn_script_measure(cairn_world *w, uint32_t slot)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	y->cuts = (uint8_t)cn_script_pieces(w, slot, (cn_span){y->drive.leg, y->drive.clock});
	y->bow = 0;
	if (y->cuts > 1) /* no single chord; such a path is proved piece by piece */
		y->k = y->bow = INFINITY;
	if (cn_script_pieces(w, slot, (cn_span){y->drive.start, y->drive.clock}) > 1)
		y->whole_k = INFINITY, y->turned = true;
}

cn_stride cn_script_stride(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	double times[CN_MAX_PIECES], radius = b->radius < CN_LENGTH_MAX ? b->radius : CN_LENGTH_MAX, far = 0, turn = 0;
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
	if (!cn_body_scripted(w, slot))
		return;
	++c->paths.scripts;
	if (w->away[slot])
		return;
	cn_span span = cn_script_span(w, &w->bodies[slot]);
	bool moves = v3_length2(c->contacts.strides[slot].dx) > 0 || c->contacts.strides[slot].swing > 0;
	y->drive.state = moves ? CN_DRIVE_ALONE : CN_DRIVE_STANDS;
	y->drive.pace = w->bodies[slot].pace;
	if (c->pushes.limited && c->pushes.limited == w->log.steps && c->pushes.paces[slot] < y->drive.pace)
		y->drive.pace = c->pushes.paces[slot];
	y->drive.start = y->drive.leg = y->drive.clock = y->drive.wanted = span.from, y->drive.due = span.to;
	c->paths.moving_scripts += moves;
}

uint32_t cn_script_link(const cairn_world *w, uint32_t joint, uint32_t *script)
{
	const cn_context *c = w->context;
	const cn_joint *j = &w->joints[joint];
	if (!c->articulations || !c->articulations->stands[joint] || j->a == CN_NO_BODY || j->b == CN_NO_BODY)
		return CN_QP_NONE;
	bool a = cn_path_driven(&c->paths.by_slot[j->a]);
	*script = a ? j->a : j->b;
	uint32_t link = a ? j->b : j->a;
	return cn_path_driven(&c->paths.by_slot[*script]) && cn_body_movable(w, link) ? link : CN_QP_NONE;
}
