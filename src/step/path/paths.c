/* A body's motion between its keys. A frame is one straight piece. It has more where the body turns far in free
 * flight, or where it moves in legs around or together with another body. Two touching bodies that turn together
 * approach each other on their chords, but not on the screw motion from start to end, which is the same for both.
 * Therefore legs are pieces of screw motions. */
#include "step/context.h"
#include "step/path/path.h"

#define CN_SCREW_LEAST 1e-5 /* rad: a screw this flat is a straight line to the last digits */
#define CN_CUT_TURN 0.04    /* rad: pieces of a screw; between them a cube bulges by a fifth of its kept gap */

/* The motion from one pose of the path to another. */
typedef struct leg {
	pose from, to;
	double t0, t1;
	uint32_t cuts;
} leg;

static leg leg_of(const cairn_world *w, uint32_t slot, uint32_t number)
{
	const cn_leg_ends *legs = &w->context->paths.leg_ends;
	leg g = {
		{w->motion[slot].x, w->motion[slot].q}, cn_trial_pose(w, slot), 0, 1, w->context->paths.by_slot[slot].cuts};
	if (number > 0)
		g.from = legs->ends[(number - 1) * w->slots + slot].at, g.t0 = legs->t[number - 1];
	if (number < legs->count) {
		const cn_leg_end *stop = &legs->ends[number * w->slots + slot];
		g.to = stop->at, g.cuts = stop->cuts, g.t1 = legs->t[number];
	}
	return g;
}

/* The pose at parameter t of the screw motion between two poses: the body turns by t of the angle about an axis u and
 * moves by t of the distance along it. With d the displacement across u, (R - 1) r = d is solved by r = -d/2 - u x d
 * / (2 tan(theta/2)), and x(t) = x0 + t (d along u) + (R(t) - 1) r. */
static pose screw(const leg *g, v3 turn, double t)
{
	double angle = v3_length(turn), s, c;
	quat part = q_exp(v3_scale(turn, t)), q = q_unit(q_mul(part, g->from.orientation));
	v3 x0 = g->from.position, d = v3_sub(g->to.position, x0);
	if (angle < CN_SCREW_LEAST)
		return (pose){v3_madd(x0, d, t), q};
	v3 u = v3_scale(turn, 1 / angle), along = v3_scale(u, v3_dot(u, d)), across = v3_sub(d, along);
	cn_sincos(0.5 * angle, &s, &c);
	v3 r = v3_sub(v3_scale(across, -0.5), v3_scale(v3_cross(u, across), 0.5 * c / s));
	return (pose){v3_add(v3_madd(x0, along, t), v3_sub(q_rotate(part, r), r)), q};
}

static cn_piece piece_of(const leg *g, uint32_t k)
{
	v3 turn = q_turn(g->from.orientation, g->to.orientation);
	double a = (double)k / g->cuts, b = (double)(k + 1) / g->cuts;
	pose p = k ? screw(g, turn, a) : g->from, q = k + 1 < g->cuts ? screw(g, turn, b) : g->to;
	return (cn_piece){.t0 = k ? g->t0 + (g->t1 - g->t0) * a : g->t0,
	                  .t1 = k + 1 < g->cuts ? g->t0 + (g->t1 - g->t0) * b : g->t1,
	                  .x0 = p.position,
	                  .x1 = q.position,
	                  .turn = g->cuts == 1 ? turn : q_turn(p.orientation, q.orientation),
	                  .q0 = p.orientation};
}

cn_piece cn_leg_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	leg g = {w->context->paths.poses[slot], cn_trial_pose(w, slot), 0, 1, w->context->paths.by_slot[slot].cuts};
	if (w->context->paths.by_slot[slot].scripted)
		return cn_script_leg_piece(w, slot, piece);
	return piece_of(&g, piece);
}

/* The leg starts and ends at the same pose. */
static bool stands(const leg *g)
{
	cn_motion m = {.x = g->to.position, .q = g->to.orientation};
	return cn_same_pose(g->from.position, g->from.orientation, &m);
}

bool cn_path_lay_legs(cairn_world *w, uint32_t slot)
{
	cn_context *c = w->context;
	cn_path *y = &c->paths.by_slot[slot];
	y->first_piece = c->paths.piece_count, y->pieces = 0;
	for (uint32_t number = 0; number <= c->paths.leg_ends.count; ++number) {
		leg g = leg_of(w, slot, number);
		if (stands(&g)) /* consecutive legs without motion become one piece */
			for (leg next; number < c->paths.leg_ends.count && (next = leg_of(w, slot, number + 1), stands(&next));
			     ++number)
				g.t1 = next.t1;
		if (!CN_ROOM(c->paths.pieces, c->paths.piece_count + g.cuts))
			return false;
		for (uint32_t k = 0; k < g.cuts; ++k)
			c->paths.pieces[c->paths.piece_count++] = piece_of(&g, k);
		y->pieces = (uint8_t)(y->pieces + g.cuts);
	}
	return true;
}

uint32_t cn_path_pieces(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	const cn_leg_ends *legs = &w->context->paths.leg_ends;
	if (!y->by_legs)
		return y->scripted ? cn_script_path_pieces(w, slot) : y->key_count + 1u;
	if (!y->scripted)
		return y->pieces;
	uint32_t count = y->cuts;
	for (uint32_t k = 0; k < legs->count; ++k)
		count += legs->ends[k * w->slots + slot].cuts;
	return count;
}

cn_piece cn_path_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	if (y->scripted)
		return cn_script_path_piece(w, slot, piece);
	if (y->by_legs)
		return w->context->paths.pieces[y->first_piece + piece];
	double begin = cn_step_time(w, 0);
	cn_piece p = {.t1 = 1, .x0 = w->motion[slot].x, .x1 = w->next[slot].x, .q0 = w->motion[slot].q};
	if (piece > 0) { /* starts at a key of the free motion ... */
		const cairn_key *key = &w->next_extras[y->first + piece - 1].key;
		p.t0 = (key->time - begin) / w->dt, p.x0 = key->position, p.q0 = key->orientation;
	}
	if (piece < y->key_count) { /* ... ends at the next */
		const cairn_key *key = &w->next_extras[y->first + piece].key;
		p.t1 = (key->time - begin) / w->dt, p.x1 = key->position, p.turn = key->turn;
	} else {
		p.turn = q_turn(p.q0, w->next[slot].q);
	}
	return p;
}

cn_mover cn_path_mover(const cairn_world *w, const cn_piece *p, uint32_t part, double t0, double t1)
{
	const cn_part *a = &w->context->contacts.parts[part];
	double length = p->t1 - p->t0, from = length > 0 ? (t0 - p->t0) / length : 0,
		   to = length > 0 ? (t1 - p->t0) / length : 1;
	return (cn_mover){.part = a->convex,
	                  .in_body = a->in_body,
	                  .x0 = t0 == p->t0 ? p->x0 : v3_lerp(p->x0, p->x1, from),
	                  .x1 = t1 == p->t1 ? p->x1 : v3_lerp(p->x0, p->x1, to),
	                  .q0 = t0 == p->t0 ? p->q0 : q_mul(q_exp(v3_scale(p->turn, from)), p->q0),
	                  .turn = w->context->paths.by_slot[a->slot].round ? v3_zero() : v3_scale(p->turn, to - from),
	                  .radius = w->bodies[a->slot].radius};
}

/* A bound of theta^2 between two orientations: with d = |q1 - q0| = 2 sin(theta/4), theta^2 <= 4.3 d^2 up to a
 * quarter turn. */
static double turn_square(quat p, quat q)
{
	q = q_dot(p, q) < 0 ? q_neg(q) : q;
	quat d = {q.w - p.w, q.x - p.x, q.y - p.y, q.z - p.z};
	return 4.3 * q_dot(d, d);
}

void cn_path_measure(cairn_world *w, uint32_t slot)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	pose from = w->context->paths.poses[slot];
	double radius = w->bodies[slot].radius, square = turn_square(from.orientation, w->next[slot].q);
	double whole = turn_square(w->motion[slot].q, w->next[slot].q), turn = sqrt(square);
	y->k = square > 0 ? square * radius / 8 : 0;
	y->bow = 1.05 * turn * v3_distance(from.position, w->next[slot].x) /
	         8; /* d/2 tan(theta/4) and more, up to a quarter turn */
	y->turned = whole > 0;
	if (y->round && !y->scripted) {
		y->k = y->bow = y->whole_k = 0, y->cuts = 1;
		return;
	}
	y->whole_k = whole > 0 ? whole * radius / 8 : 0;
	y->cuts = 1;
	if (y->scripted) {
		cn_script_measure(w, slot);
		return;
	}
	while (y->bow < y->k && y->cuts < CN_CUTS_MOST && turn > CN_CUT_TURN * y->cuts)
		y->cuts = (uint8_t)(2 * y->cuts);
}
