/* A body's motion between its keys, and proofs that two parts stay apart along their paths.
 *
 * A frame is one straight piece. It has more where the body turns far in free flight, or where it moves in legs around or
 * together with another body. Two touching bodies that turn together approach each other on their chords, but not on the
 * screw motion from start to end, which is the same for both. Therefore legs are pieces of screw motions.
 *
 * For a fixed unit axis n the separation is s(t) >= (1-t) s0 + t s1 - 4 t (1-t) k, with k = (theta_a^2 rho_a +
 * theta_b^2 rho_b)/8. This is never negative if s0, s1 >= 0 and (sqrt(s0) + sqrt(s1))^2 >= 4 k. Where one axis is not
 * enough, paths are proved piece by piece. */
#include "base/tolerance.h"
#include "step/context.h"
#include "step/path/path.h"
#include "step/tolerance.h"

#include <float.h>
#include <string.h>

#define CN_SCREW_MIN 1e-5 /* rad: a screw this flat is a straight line to the last digits */
#define CN_CUT_TURN 0.04  /* rad: pieces of a screw; between them a cube bulges by a fifth of its kept gap */
#define CN_LEG_MIN                                                                                                     \
	0.02 /* radii, of all bodies together: legs of a way take time by how far they lead, and no less than this ... */
#define CN_LEG_SHARE 0.01 /* ... nor less than this share of the frame */

void cn_path_begin(cairn_world *w, uint32_t slot, bool round)
{
	cn_paths *p = &w->context->paths;
	p->by_slot[slot] = (cn_path){.cuts = 1, .round = round, .lead = {.pace = 1}, .drive = {.pace = 1}};
	p->poses[slot] = (pose){w->motion[slot].x, w->motion[slot].q};
	p->has_balls |= round;
}

cn_leg cn_path_whole(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return (cn_leg){.from = {w->motion[slot].x, w->motion[slot].q},
	                .to = cn_trial_pose(w, slot),
	                .t1 = 1,
	                .cuts = y->cuts,
	                .span = {y->drive.start, y->drive.clock}};
}

static cn_leg leg_of(const cairn_world *w, uint32_t slot, uint32_t number)
{
	const cn_leg_ends *legs = &w->context->paths.leg_ends;
	cn_leg g = cn_path_whole(w, slot);
	if (number > 0) {
		const cn_leg_end *start = &legs->ends[(number - 1) * w->slots + slot];
		g.from = start->at, g.t0 = legs->t[number - 1], g.span.from = start->clock;
	}
	if (number < legs->count) {
		const cn_leg_end *stop = &legs->ends[number * w->slots + slot];
		g.to = stop->at, g.cuts = stop->cuts, g.t1 = legs->t[number], g.span.to = stop->clock;
	}
	return g;
}

/* The leg that the position stage works on, with t from 0 to 1. */
static cn_leg current_leg(const cairn_world *w, uint32_t slot)
{
	cn_leg g = cn_path_whole(w, slot);
	g.from = w->context->paths.poses[slot], g.span.from = w->context->paths.by_slot[slot].drive.leg;
	return g;
}

/* The pose at parameter t of the screw motion between two poses: the body turns by t of the angle about an axis u and
 * moves by t of the distance along it. With d the displacement across u, (R - 1) r = d is solved by r = -d/2 - u x d
 * / (2 tan(theta/2)), and x(t) = x0 + t (d along u) + (R(t) - 1) r. */
static pose screw(const cn_leg *g, v3 turn, double t)
{
	double angle = v3_length(turn), s, c;
	quat part = q_exp(v3_scale(turn, t)), q = q_unit(q_mul(part, g->from.orientation));
	v3 x0 = g->from.position, d = v3_sub(g->to.position, x0);
	if (angle < CN_SCREW_MIN)
		return (pose){v3_madd(x0, d, t), q};
	v3 u = v3_scale(turn, 1 / angle), along = v3_scale(u, v3_dot(u, d)), across = v3_sub(d, along);
	cn_sincos(0.5 * angle, &s, &c);
	v3 r = v3_sub(v3_scale(across, -0.5), v3_scale(v3_cross(u, across), 0.5 * c / s));
	return (pose){v3_add(v3_madd(x0, along, t), v3_sub(q_rotate(part, r), r)), q};
}

static cn_piece screw_piece(const cn_leg *g, uint32_t k)
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

static cn_piece leg_piece(const cairn_world *w, uint32_t slot, const cn_leg *g, uint32_t piece)
{
	return cn_path_scripted(&w->context->paths.by_slot[slot]) ? cn_script_piece(w, slot, g, piece)
	                                                          : screw_piece(g, piece);
}

/* The leg starts and ends at the same pose. */
static bool stands(const cn_leg *g)
{
	cn_motion m = {.x = g->to.position, .q = g->to.orientation};
	return cn_same_pose(g->from.position, g->from.orientation, &m);
}

static bool lay_legs(cairn_world *w, uint32_t slot)
{
	cn_context *c = w->context;
	cn_path *y = &c->paths.by_slot[slot];
	y->first_piece = c->paths.piece_count, y->pieces = 0;
	for (uint32_t number = 0; number <= c->paths.leg_ends.count; ++number) {
		cn_leg g = leg_of(w, slot, number);
		if (stands(&g)) /* consecutive legs without motion become one piece */
			for (cn_leg next; number < c->paths.leg_ends.count && (next = leg_of(w, slot, number + 1), stands(&next));
			     ++number)
				g.t1 = next.t1;
		if (!CN_ROOM(c->paths.pieces, c->paths.piece_count + g.cuts))
			return false;
		for (uint32_t k = 0; k < g.cuts; ++k)
			c->paths.pieces[c->paths.piece_count++] = screw_piece(&g, k);
		y->pieces = (uint8_t)(y->pieces + g.cuts);
	}
	return true;
}

void cn_paths_clear_legs(cairn_world *w) { w->context->paths.piece_count = 0; }

bool cn_paths_lay_legs(cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_path *y = &w->context->paths.by_slot[slot];
		if (y->legs.shown && !cn_path_scripted(y) && !y->pieces && !lay_legs(w, slot))
			return false;
	}
	return true;
}

uint32_t cn_path_leg_pieces(const cairn_world *w, uint32_t slot)
{
	const cn_leg_ends *legs = &w->context->paths.leg_ends;
	uint32_t count = w->context->paths.by_slot[slot].cuts;
	for (uint32_t k = 0; k < legs->count; ++k)
		count += legs->ends[k * w->slots + slot].cuts;
	return count;
}

uint32_t cn_path_pieces(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	if (y->legs.shown)
		return cn_path_scripted(y) ? cn_path_leg_pieces(w, slot) : y->pieces;
	return cn_path_scripted(y) ? cn_script_pieces(w, slot, cn_path_whole(w, slot).span) : y->own.key_count + 1u;
}

static cn_piece script_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	cn_leg g = cn_path_whole(w, slot);
	for (uint32_t k = 0; w->context->paths.by_slot[slot].legs.shown; ++k) {
		g = leg_of(w, slot, k);
		uint32_t count = cn_script_pieces(w, slot, g.span);
		if (k == w->context->paths.leg_ends.count || piece < count)
			break;
		piece -= count;
	}
	return cn_script_piece(w, slot, &g, piece);
}

cn_piece cn_path_piece(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	if (cn_path_scripted(y))
		return script_piece(w, slot, piece);
	if (y->legs.shown)
		return w->context->paths.pieces[y->first_piece + piece];
	double begin = cn_step_time(w, 0);
	cn_piece p = {.t1 = 1, .x0 = w->motion[slot].x, .x1 = w->next[slot].x, .q0 = w->motion[slot].q};
	if (piece > 0) { /* starts at a key of its own motion ... */
		const cairn_key *key = cn_path_own_key(w, y, piece - 1);
		p.t0 = (key->time - begin) / w->dt, p.x0 = key->position, p.q0 = key->orientation;
	}
	if (piece < y->own.key_count) { /* ... ends at the next */
		const cairn_key *key = cn_path_own_key(w, y, piece);
		p.t1 = (key->time - begin) / w->dt, p.x1 = key->position, p.turn = key->turn;
	} else {
		p.turn = q_turn(p.q0, w->next[slot].q);
	}
	return p;
}

/* Keys of its own motion are there already. Others have the velocity of the piece that ends there, if a script leads the
 * body, else one between those at the frame's ends. */
cn_extra cn_path_key(const cairn_world *w, uint32_t slot, uint32_t piece)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	const cn_motion *from = &w->motion[slot], *to = &w->next[slot];
	if (!y->legs.shown && (!cn_path_scripted(y) || y->drive.clock == y->drive.due))
		return w->next_extras[y->own.first + piece];
	cn_piece p = cn_path_piece(w, slot, piece), after = cn_path_piece(w, slot, piece + 1);
	double rate = 1 / ((p.t1 - p.t0) * w->dt);
	cn_motion at = {p.x1, after.q0, v3_lerp(from->v, to->v, p.t1), v3_lerp(from->l, to->l, p.t1)};
	if (cn_path_scripted(y))
		at.v = v3_scale(v3_sub(p.x1, p.x0), rate), at.l = v3_scale(p.turn, rate);
	return (cn_extra){slot, cn_key_of(w, slot, &at, cn_step_time(w, 0) + p.t1 * w->dt, p.turn)};
}

bool cn_paths_keys_begin(cairn_world *w, uint32_t count)
{
	cn_paths *paths = &w->context->paths;
	paths->extra_count = 0;
	return CN_GROW(paths->extras, paths->extra_room, count + 1);
}

void cn_paths_keys_add(cairn_world *w, const cn_extra *keys, uint32_t count)
{
	cn_paths *paths = &w->context->paths;
	memcpy(&paths->extras[paths->extra_count], keys, count * sizeof *keys);
	paths->extra_count += count;
}

void cn_paths_keys_end(cairn_world *w)
{
	cn_paths *paths = &w->context->paths;
	cn_extra *extras = w->next_extras;
	uint32_t room = w->next_extra_capacity;
	w->next_extras = paths->extras, w->next_extra_capacity = paths->extra_room;
	w->next_extra_count = paths->extra_count;
	paths->extras = extras, paths->extra_room = room;
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

void cn_paths_share_keys(cairn_world *w, const uint8_t *keys, uint32_t steps)
{
	if (w->context) /* else memory ran out for it */
		w->context->paths.keys = keys, w->context->paths.steps = steps;
}

/* Pieces that the current leg may have: half of what its body's legs before it left of the step's share of its keys. All
 * legs of a frame of one step fit; with more steps each turns less. */
static uint32_t most_cuts(const cairn_world *w, uint32_t slot)
{
	const cn_paths *p = &w->context->paths;
	uint32_t have = p->keys ? p->keys[slot] : 0;
	uint32_t share = have < CN_MAX_PIECES ? (CN_MAX_PIECES - have) / (p->keys ? p->steps : 1) : 0, laid = 0;
	for (uint32_t k = 0; k < p->leg_ends.count; ++k)
		laid += p->leg_ends.ends[k * w->slots + slot].cuts;
	uint32_t most = laid < share ? (share - laid) / 2 : 0;
	return most < CN_CUTS_MAX ? most : CN_CUTS_MAX;
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
	if (y->round && !cn_path_scripted(y)) {
		y->k = y->bow = y->whole_k = 0, y->cuts = 1;
		return;
	}
	y->whole_k = whole > 0 ? whole * radius / 8 : 0;
	y->cuts = 1;
	if (cn_path_scripted(y)) {
		cn_script_measure(w, slot);
		return;
	}
	if (!(y->bow < y->k && turn > CN_CUT_TURN))
		return;
	uint32_t most = most_cuts(w, slot);
	while (2u * y->cuts <= most && turn > CN_CUT_TURN * y->cuts)
		y->cuts = (uint8_t)(2 * y->cuts);
}

/* ---- legs: the motions of all bodies in the passes of a step, one after another */

void cn_legs_begin(cairn_world *w, uint32_t number)
{
	cn_paths *p = &w->context->paths;
	p->leg_number = number;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &p->by_slot[slot];
		p->poses[slot] = cn_trial_pose(w, slot);
		y->legs.taken_back = y->legs.held = false;
		y->k = y->bow = 0, y->cuts = 1;
	}
}

/* Stores where all bodies are at the end of a leg. */
static void store_leg_end(cairn_world *w, double far)
{
	cn_context *c = w->context;
	cn_leg_ends *t = &c->paths.leg_ends;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		t->ends[t->count * w->slots + slot] = (cn_leg_end){
			{w->next[slot].x, w->next[slot].q}, c->paths.by_slot[slot].drive.clock, c->paths.by_slot[slot].cuts};
	t->t[t->count++] = far;
}

/* Distributes the frame's time over its legs by how far all bodies move in each, with a least share for every leg.
 * Most bodies are then at any time nearly where they would be on the straight path, so bodies that go by their legs
 * do not run into those that go straight. */
static void time_legs(cn_leg_ends *t, double last)
{
	double sum = last, max = 0, passed = 0;
	for (uint32_t k = 0; k < t->count; ++k)
		sum += t->t[k];
	for (uint32_t k = 0; k <= t->count; ++k) {
		double *far = k < t->count ? &t->t[k] : &last;
		*far = *far > CN_LEG_SHARE * sum ? *far : CN_LEG_SHARE * sum;
		max += *far;
	}
	for (uint32_t k = 0; k < t->count; ++k) {
		passed += t->t[k];
		t->t[k] = passed / max;
	}
}

void cn_legs_end(cairn_world *w, double far, bool last)
{
	far = far > CN_LEG_MIN ? far : CN_LEG_MIN;
	far = far < 1 / DBL_EPSILON ? far : 1 / DBL_EPSILON; /* so that sums are finite */
	if (last)
		time_legs(&w->context->paths.leg_ends, far);
	else
		store_leg_end(w, far);
}

/* ---- proofs */

double cn_pair_slack(const cn_context *c, const cn_pair *p)
{
	const v3 a = c->contacts.now[p->pa].x, b = c->contacts.now[p->pb].x;
	return CN_SWEEP_ULPS * DBL_EPSILON * (v3_max(v3_abs(a)) + v3_max(v3_abs(b)) + p->thin);
}

/* Proves a motion by the separations s0 and s1 along one axis at its ends. A touch at the beginning counts as 0. */
bool cn_axis_proves(double s0, double s1, double k, double slack)
{
	if (s0 < -slack || s1 < slack)
		return false;
	s0 = s0 > slack ? s0 - slack : 0, s1 -= slack;
	return s0 + s1 + 2 * sqrt(s0 * s1) >= 4 * k;
}

double cn_pair_along(const cn_context *c, const cn_pair *p, const cn_place *places, v3 n)
{
	return cn_separate_along(c->contacts.parts[p->pa].convex, &places[p->pa], c->contacts.parts[p->pb].convex,
	                         &places[p->pb], n);
}

/* Both parts at the two ends of a piece of their paths. */
typedef struct ends_at {
	cn_place a[2], b[2];
	double k;
} ends_at;

/* Proves a piece by one axis. The piece may begin in touch, where bisection cannot prove anything. */
static bool along_piece(const cn_convex *a, const cn_convex *b, const ends_at *e, v3 n, double slack)
{
	double s1 = cn_separate_along(a, &e->a[1], b, &e->b[1], n);
	return s1 >= slack && cn_axis_proves(cn_separate_along(a, &e->a[0], b, &e->b[0], n), s1, e->k, slack);
}

/* A walk along two paths, piece by piece, cut where either path has a key. */
typedef struct walk {
	const cairn_world *w;
	const cn_pair *p;
	bool leg;
	double t, until;
	cn_piece a, b;
	uint32_t ia, ib;
	double slack;
	v3 axis; /* likely to prove the next piece */
	cn_witness witness;
	cn_separation begin;
	bool ends; /* the separations at both ends of the paths are known */
} walk;

static cn_piece piece_of(const walk *k, uint32_t slot, uint32_t number)
{
	if (!k->leg)
		return cn_path_piece(k->w, slot, number);
	cn_leg g = current_leg(k->w, slot);
	return leg_piece(k->w, slot, &g, number);
}

/* The place of a part on its path. At the path's ends it is known already, except for scripts, and at t = 1 only once
 * bodies are under way. */
static cn_place place_on(const walk *k, const cn_piece *piece, uint32_t part, double t)
{
	const cn_context *c = k->w->context;
	const cn_part *a = &c->contacts.parts[part];
	const cn_path *y = &c->paths.by_slot[a->slot];
	if (t <= 0 && !cn_path_scripted(y))
		return k->leg ? c->contacts.leg_start[part] : c->contacts.start[part];
	if (t >= 1 && !cn_path_scripted(y) && c->under_way)
		return c->contacts.now[part];
	double length = piece->t1 - piece->t0, share = length > 0 ? (t - piece->t0) / length : 1;
	quat q = share <= 0 || y->round ? piece->q0 : q_mul(q_exp(v3_scale(piece->turn, share)), piece->q0);
	v3 x = t == piece->t1 ? piece->x1 : v3_lerp(piece->x0, piece->x1, share);
	return cn_convex_place(a->convex, pose_mul((pose){x, q}, a->in_body));
}

/* theta^2 rho / 8 of a body over this part of its piece. */
static double bulge(const walk *k, const cn_piece *piece, uint32_t slot)
{
	double length = piece->t1 - piece->t0, share = length > 0 ? (k->until - k->t) / length : 1;
	double turn2 = k->w->context->paths.by_slot[slot].round ? 0 : v3_length2(piece->turn) * share * share;
	return turn2 > 0 ? turn2 * k->w->bodies[slot].radius / 8 : 0;
}

static bool search(walk *k)
{
	const cn_pair *p = k->p;
	cn_mover a = cn_path_mover(k->w, &k->a, p->pa, k->t, k->until),
			 b = cn_path_mover(k->w, &k->b, p->pb, k->t, k->until);
	cn_sweep_options options = {.tolerance = CN_REACH_TOLERANCE * p->thin,
	                            .budget = CN_SWEEP_BUDGET,
	                            .begin = k->ends && k->t == 0 ? &k->begin : NULL,
	                            .whole = true};
	cn_sweep_result result;
	cn_sweep(&a, &b, &options, k->ends && k->until >= 1 ? &p->at : NULL, &k->witness, &result);
	if (v3_length2(result.n) > 0)
		k->axis = result.n;
	return result.status == CN_SWEEP_FREE;
}

static bool piece_free(walk *k, ends_at *e)
{
	const cn_context *c = k->w->context;
	const cn_convex *a = c->contacts.parts[k->p->pa].convex, *b = c->contacts.parts[k->p->pb].convex;
	if (k->ends && k->t == 0 && k->until >= 1) /* the caller has tried its axes already */
		return search(k);
	e->a[1] = place_on(k, &k->a, k->p->pa, k->until);
	e->b[1] = place_on(k, &k->b, k->p->pb, k->until);
	e->k = bulge(k, &k->a, k->p->a) + bulge(k, &k->b, k->p->b);
	if (along_piece(a, b, e, k->axis, k->slack))
		return true;
	if (along_piece(a, b, e, k->p->at.n, k->slack)) {
		k->axis = k->p->at.n;
		return true;
	}
	return search(k);
}

bool cn_paths_free(const cairn_world *w, const cn_pair *p, bool of_leg)
{
	walk k = {.w = w,
	          .p = p,
	          .leg = of_leg,
	          .slack = cn_pair_slack(w->context, p),
	          .axis = of_leg ? p->leg_start.axis : p->frame_start.axis,
	          .witness = p->witness};
	k.begin.n = k.axis, k.begin.gap = of_leg ? p->leg_start.gap : p->frame_start.gap;
	/* a triangle's plane may come from a neighbour; and before bodies are under way p->at belongs to the start */
	k.ends = p->pb < w->context->contacts.own_count && w->context->under_way;
	k.a = piece_of(&k, p->a, 0), k.b = piece_of(&k, p->b, 0);
	ends_at e;
	e.a[0] = place_on(&k, &k.a, p->pa, 0), e.b[0] = place_on(&k, &k.b, p->pb, 0);
	for (;;) {
		k.until = k.a.t1 < k.b.t1 ? k.a.t1 : k.b.t1;
		if (!piece_free(&k, &e))
			return false;
		if (k.until >= 1)
			return true;
		k.t = k.until;
		e.a[0] = e.a[1], e.b[0] = e.b[1];
		if (k.a.t1 <= k.t)
			k.a = piece_of(&k, p->a, ++k.ia);
		if (k.b.t1 <= k.t)
			k.b = piece_of(&k, p->b, ++k.ib);
	}
}

bool cn_balls_prove(const cairn_world *w, const cn_pair *p, v3 from_a, v3 from_b, double slack)
{
	double radii = w->bodies[p->a].radius + w->bodies[p->b].radius + slack;
	v3 from = v3_sub(from_b, from_a), to = v3_sub(w->next[p->b].x, w->next[p->a].x), path = v3_sub(to, from);
	double length2 = v3_length2(path), t = -v3_dot(from, path);
	v3 nearest = t <= 0 ? from : t >= length2 ? to : v3_madd(from, path, t / length2);
	return v3_length2(nearest) > radii * radii * (1 + CN_UNIT_ROUNDING);
}

v3 cn_support_point(const cn_convex *convex, const cn_place *at, v3 d)
{
	v3 local = cn_place_unturn(at, d);
	if (convex->kind == CAIRN_HALFSPACE)
		return at->x;
	v3 p = convex->core.vertices[cn_polytope_furthest(&convex->core, local)];
	if (convex->kind == CAIRN_CYLINDER) {
		double across = sqrt(local.x * local.x + local.y * local.y);
		if (across > 0)
			p = v3_madd(p, v3_make(local.x / across, local.y / across, 0), convex->radius);
	} else {
		p = v3_madd(p, local, convex->radius);
	}
	return v3_add(at->x, cn_place_turn(at, p));
}
