/* The position update (OBA 6.1): from where bodies are toward where they would go, as near as the planes between them
 * allow.
 *
 * Each pass is one program (OBA eq. 6.7, or 6.8 on demand). A pass turns every body by its own share of the remaining
 * turn, at most CN_PASS_TURN, exactly, and takes the rows about the turned poses; their axes are those of the poses
 * the pass began with, which are free, so nobody changes sides, or of the turned ones where these are near. There is
 * another pass while some body has not turned all its way, and a second one where the first went far or left a gap
 * short; CN_PASSES at most. What a pass leaves deep in each other is taken back. */
#include "step/hooks.h"

#include "num/qp_exact.h"

#include <string.h>

/* ---- passes */

static cn_twist remaining(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return (cn_twist){v3_sub(y->target_x, w->next[slot].x), q_turn(w->next[slot].q, y->target_q)};
}

/* ---- bodies of the program, on all threads */

/* A task writes nothing but its body's. */

/* Who goes far gives way to who does not: a falling body is stopped by one at rest and does not shove it aside; that
 * is for the blow to do. And one that is stopped at a corner would go on by turning about it, further than rows hold:
 * it turns little, or not at all before a blow that is all that stops it. Not so in a rig, whose bodies can hardly go without turning: that would throw it aside; it gives way
 * as a whole. */
static void yield(cn_qp_body *b, double far, bool rig, bool blown)
{
	double more = 1 + far * far * CN_YIELD * CN_YIELD, less = blown ? CN_BLOWN : 1 / (1 + far * far);
	more = more < CN_YIELD_MOST ? more : CN_YIELD_MOST;
	b->inv_mass *= more;
	for (int i = 0; i < 6; ++i)
		b->inv_inertia[i] *= rig ? more : less;
}

/* Neither is a crumb beside the other: one that is squeezed by something vast would be shot out like a pip. */
static bool alike(const cairn_world *w, const cn_pair *p)
{
	double a = w->rotors[p->a].inv_mass, b = w->rotors[p->b].inv_mass;
	return a * b == 0 || (a < CN_ALIKE * b && b < CN_ALIKE * a);
}

/* From the first pass on push says what stopped a body in this frame. */
static void note_pushes(cairn_world *w, cn_pair *p, uint32_t first, uint32_t end)
{
	const cn_context *c = w->context;
	const cn_program *g = &c->program;
	if (g->index[p->a] == CN_QP_NONE && g->index[p->b] == CN_QP_NONE)
		return;
	for (uint32_t k = 0; k < p->count; ++k)
		c->contacts.points[p->first + k].push = 0;
	if (first < end)
		p->row_stopped = false;
	for (uint32_t i = first; i < end; ++i) {
		if (g->points[i])
			g->points[i]->push = g->y[i].n;
		else
			p->row_stopped |= g->y[i].n > 0 && alike(w, p);
	}
}

/* Of what is left, that a pass attempts: no further than CN_PASS_TURN, unless the passes that are left would not do then;
 * bodies of a rig go alike. */
static double share_of(const cairn_world *w, uint32_t slot, bool paced)
{
	double share = 1, passes = CN_PASSES - w->context->paths.leg_number;
	uint32_t other = slot;
	for (uint32_t n = 0; other != CN_QP_NONE; other = cn_joints_bodies(w, slot, n++)) {
		double angle = w->context->paths.by_slot[other].round ? 0 : v3_length(remaining(w, other).w),
			   pace = w->context->paths.by_slot[other].pace,
			   most = angle > CN_PASS_TURN * passes ? angle / passes : CN_PASS_TURN;
		share = angle > most && most / angle < share ? most / angle : share;
		share = share < pace || !paced ? share : pace;
	}
	return share;
}

/* c->before: of what is left, that each body attempts in this pass. */
static void find_share(cairn_world *w, uint32_t body)
{
	uint32_t slot = w->context->program.slots[body];
	w->context->energy.before[body] = w->context->paths.by_slot[slot].drive.moves ? 1 : share_of(w, slot, false);
}

/* A pass is a part of the frame for those in it: in an island that is not too large all go the same share of their way. Else
 * one that turns stays behind others that fly beside it, and these run into it. */
static void share_alike(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	bool some = false;
	cn_position_each_body(w, find_share);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		some |= c->energy.before[i] < 1;
	if (!some)
		return;
	cn_graph_islands(w);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		c->energy.sums[c->scratch.queue[p->slots[i]]] = (cn_island){.reach = 1};
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		cn_island *k = &c->energy.sums[c->scratch.queue[p->slots[i]]];
		k->reach = c->energy.before[i] < k->reach ? c->energy.before[i] : k->reach;
		++k->count;
	}
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *q = &c->contacts.pairs[i];
		bool a = cn_body_movable(w, q->a), b = cn_body_movable(w, q->b);
		if (q->near && !q->must_not_touch && a != b)
			c->energy.sums[c->scratch.queue[a ? q->a : q->b]].anchored = true;
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		const cn_island *k = &c->energy.sums[c->scratch.queue[p->slots[i]]];
		if (!k->anchored && k->count <= CN_SMALL_BODIES)
			c->energy.before[i] = k->reach;
	}
}

/* How far a body goes in a pass for its size, or the one of its rig that goes furthest. */
static double far_of(const cairn_world *w, uint32_t slot, double share)
{
	double most = 0;
	uint32_t other = slot;
	for (uint32_t n = 0; other != CN_QP_NONE; other = cn_joints_bodies(w, slot, n++)) {
		double far = v3_length(remaining(w, other).v) * share / (CN_PASS_STIFF * w->bodies[other].radius);
		most = far > most ? far : most;
	}
	return most;
}

/* What a body is to do in a pass, and where its parts are when it has turned. A rig that has been stopped would turn back
 * again in every pass, and its joints, which rows know to first order, would leave it in the air by the square of that turn:
 * after the first pass its turn is one more thing that the program may do. */
static void set_out(cairn_world *w, uint32_t body)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	uint32_t slot = p->slots[body];
	if (!c->paths.by_slot[slot].drive.moves) {
		cn_twist left = remaining(w, slot);
		double share = share_of(w, slot, true);
		share = share < c->energy.before[body] ? share : c->energy.before[body];
		v3 turn = v3_scale(left.w, share);
		bool rig = cn_joints_of(w, slot) != CN_QP_NONE, tried = rig && c->paths.leg_number > 0;
		c->paths.turns[body] = q_exp(tried ? v3_zero() : turn);
		p->u0[body].w = tried ? turn : v3_zero();
		yield(&p->bodies[body], far_of(w, slot, share), rig, c->paths.by_slot[slot].blown);
		c->paths.by_slot[slot].turning = share < 1;
		p->u0[body].v = v3_scale(left.v, share);
	}
	cn_rows_turn(w, slot, c->paths.turns[body]);
}

/* First the turn, exactly, then the correction; that one no further than rows hold (OBA 6.1.6), or than it was to turn, if
 * that is part of it. c->before: how far it went, of its radius. */
static void go(cairn_world *w, uint32_t body)
{
	cn_context *c = w->context;
	uint32_t slot = c->program.slots[body];
	cn_path *y = &c->paths.by_slot[slot];
	cn_twist *u = &c->program.u[body];
	double angle = v3_length(u->w), own = v3_length(c->program.u0[body].w),
		   most = own > CN_PASS_TURN ? own : CN_PASS_TURN, share = most / angle;
	if (y->drive.moves)
		return;
	if (angle > most) {
		*u = (cn_twist){v3_scale(u->v, share), v3_scale(u->w, share)};
		y->turning = true;
	}
	quat turn = c->paths.turns[body];
	double radius = w->bodies[slot].radius, turned = y->round ? 0 : v3_length(v3_make(turn.x, turn.y, turn.z));
	w->next[slot].q = q_mul(turn, w->next[slot].q);
	c->energy.before[body] = (v3_length(u->v) + 2 * turned * radius) / radius;
	y->unfinished = c->energy.before[body] > CN_PASS_FAR;
	cn_position_move(w, body);
}

/* One program toward the targets, for the bodies flagged. */
static bool pass(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	if (!cn_program_begin(w, c->scratch.flags, w->scene->options.objective == 1))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count && c->paths.moving_scripts; ++i)
		if (c->paths.by_slot[p->slots[i]].drive.moves)
			p->u0[i] = cn_script_step(w, p->slots[i], &c->paths.turns[i]);
	memcpy(c->contacts.turned, c->contacts.now, c->contacts.part_count * sizeof *c->contacts.turned);
	share_alike(w);
	cn_position_each_body(w, set_out);
	if (!cn_rows_build(w) || !cn_joints_position_rows(w, c->paths.turns) || !cn_mass_ratio_weigh(w, 0, false))
		return false;
	if (p->qp.contact_count || p->qp.row_count) {
		if (!cn_position_solve(w, CN_POSITION_SWEEPS, true))
			return false;
	} else {
		for (uint32_t i = 0; i < p->qp.body_count; ++i)
			p->u[i] = p->u0[i];
	}
	cn_rows_answer(w, note_pushes);
	cn_position_mark_pushed(w);
	cn_position_each_body(w, go);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		const cn_path *y = &c->paths.by_slot[p->slots[i]];
		if (y->drive.moves)
			cn_script_set(w, p->slots[i], y->drive.wanted);
		else
			c->repair.pass_far += c->energy.before[i], c->repair.pass_cut |= y->turning;
	}
	cn_joints_project(w);
	++f->report.passes;
	++f->report.programs;
	return true;
}

/* ---- the stage */

/* Its gap is short of what was asked. */
static bool lacks(const cn_context *c, uint32_t pair)
{
	const cn_pair *p = &c->contacts.pairs[pair];
	return p->near && !p->must_not_touch && (c->paths.by_slot[p->a].under_rows || c->paths.by_slot[p->b].under_rows) &&
	       p->at.gap < CN_ASKED_LEAST * cn_repair_gap(c, p);
}

/* c->lacking: the pairs that lack something, in order; of all, or of those known to and those looked at last, as no other
 * can. False: memory ran out. */
static bool find_lacking(cairn_world *w, bool all)
{
	cn_context *c = w->context;
	uint32_t count = 0, known = c->repair.short_count, i = 0, j = 0;
	if (!CN_ROOM(c->repair.short_pairs, 2 * c->contacts.pair_count + 1))
		return false;
	if (all || !c->graph.listed) {
		for (uint32_t k = 0; k < c->contacts.pair_count; ++k)
			if (lacks(c, k))
				c->repair.short_pairs[count++] = k;
		c->repair.short_count = count;
		return true;
	}
	uint32_t *old = c->repair.short_pairs + c->contacts.pair_count; /* the second half is scratch */
	memcpy(old, c->repair.short_pairs, known * sizeof *old);
	while (i < known || j < c->graph.list_count) {
		uint32_t a = i < known ? old[i] : UINT32_MAX, b = j < c->graph.list_count ? c->graph.list[j] : UINT32_MAX;
		uint32_t pair = a < b ? a : b;
		i += a == pair, j += b == pair;
		if (lacks(c, pair))
			c->repair.short_pairs[count++] = pair;
	}
	c->repair.short_count = count;
	return true;
}

/* Bodies of pairs whose gap is short of what was asked try again. */
static void mark_lacking(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->repair.short_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[c->repair.short_pairs[i]];
		c->paths.by_slot[p->a].unfinished = c->paths.by_slot[p->b].unfinished = true;
	}
}

/* J: what a body has won in this step, by height and from its contacts, beyond all the motion it has to pay with. */
static double unpaid(const cairn_world *w, uint32_t slot)
{
	return cn_energy_height(w, slot) - w->context->energy.spent[slot] - cn_kinetic(&w->rotors[slot], &w->next[slot]);
}

/* c->flags: bodies of islands that a pass lifted by more than all their motion is worth: a body that turns under them
 * has heaved them up, which in truth would have stopped it. Of a fall that is stopped motion has what it would have won, and
 * contacts took the rest: so it is not lifted, however far it would have gone on, unless it ends above where it began. What
 * opening gaps raises is booked, and nobody's motion pays for it; what scripts push, they lift. Returns whether there are any. */
static bool flag_heaved(cairn_world *w)
{
	cn_context *c = w->context;
	const uint32_t *root = c->scratch.queue;
	bool up = false, any = false;
	memset(c->scratch.flags, 0, w->slots);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->energy.sums[slot] = (cn_island){0};
		up |= c->gravity > 0 && c->paths.by_slot[slot].under_rows && unpaid(w, slot) > cn_energy_little(w, slot);
	}
	if (!up)
		return false;
	cn_graph_islands(w);
	cn_energy_opened(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (!c->paths.by_slot[slot].under_rows)
			continue;
		cn_island *k = &c->energy.sums[root[slot]];
		double height = cn_energy_height(w, slot), mass = w->rotors[slot].mass,
			   opened = mass * c->gravity * c->energy.before[slot];
		k->won += unpaid(w, slot) - (height > 0 ? (height > opened ? opened : height) : 0);
		k->little += cn_energy_little(w, slot);
		k->work += mass * v3_dot(w->scene->settings.gravity, v3_sub(w->motion[slot].x, w->next[slot].x));
		k->flagged |= c->paths.by_slot[slot].pushed_by_script;
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_island *k = &c->energy.sums[root[slot]];
		c->scratch.flags[slot] =
			c->paths.by_slot[slot].under_rows && !k->flagged && k->won > k->little && k->work > k->little;
		any |= c->scratch.flags[slot];
	}
	return any;
}

/* Adds to c->flags. What was not looked at since the pass began is as free as it was. */
static void flag_deep(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < (c->graph.listed ? c->graph.list_count : c->contacts.pair_count); ++i) {
		const cn_pair *p = &c->contacts.pairs[c->graph.listed ? c->graph.list[i] : i];
		if (p->near && !p->must_not_touch && -p->at.gap > CN_PASS_DEEP * p->thin)
			c->scratch.flags[p->a] = c->scratch.flags[p->b] = 1;
	}
}

/* A heap that is heaved up again and again is so by the gaps that it asks for, which no shorter step mends: it stays where
 * it is in this frame. Whether others try again. */
static bool leave_tired(cairn_world *w)
{
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &w->context->paths.by_slot[slot];
		if (y->leg_taken_back && y->heaves >= CN_HEAVE_TRIES)
			y->leg_taken_back = y->turning = y->unfinished = false, y->stuck = true;
		any |= y->leg_taken_back;
	}
	return any;
}

/* Bodies that a pass left deep in each other, or heaved up, go back to where it began, and so do those that are then
 * deep in them; they try again with half the step. Where the pass began nothing is deep, so this ends. */
static bool take_back(cairn_world *w, cn_frame *f, bool *any)
{
	cn_context *c = w->context;
	bool heaved = flag_heaved(w), taken = false;
	for (uint32_t slot = 0; slot < w->slots && heaved; ++slot)
		c->paths.by_slot[slot].heaves = (uint8_t)(c->paths.by_slot[slot].heaves + c->scratch.flags[slot]);
	for (;; memset(c->scratch.flags, 0, w->slots)) {
		bool more = false;
		flag_deep(w);
		cn_joints_spread(w, c->scratch.flags);
		for (uint32_t slot = 0; slot < w->slots; ++slot) {
			cn_path *y = &c->paths.by_slot[slot];
			if (c->scratch.flags[slot] && y->drive.moves && y->drive.clock != y->drive.leg) {
				cn_script_set(w, slot, y->drive.leg);
				y->leg_taken_back = more = true;
			}
			if (!c->scratch.flags[slot] || !cn_body_movable(w, slot) || y->leg_taken_back || y->key_count)
				continue;
			w->next[slot].x = c->paths.poses[slot].position, w->next[slot].q = c->paths.poses[slot].orientation;
			y->moved = y->leg_taken_back = y->under_rows = more = true;
			y->pace *= 0.5;
			cn_parts_place(w, slot);
		}
		if (!more)
			break;
		taken = true;
		if (!cn_contacts_update(w))
			return false;
	}
	f->report.taken_back += taken;
	*any = taken && leave_tired(w);
	return true;
}

/* c->flags grows by bodies of pairs that lack something, those that scripts push or the others, and what is around them.
 * False: memory ran out. */
static bool flag_lacking(cairn_world *w, bool pressed, uint32_t hops, bool *any)
{
	cn_context *c = w->context;
	bool some = false;
	for (uint32_t i = 0; i < c->repair.short_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[c->repair.short_pairs[i]];
		if ((c->paths.by_slot[p->a].pushed_by_script || c->paths.by_slot[p->b].pushed_by_script) != pressed)
			continue;
		c->scratch.flags[p->a] |= cn_body_movable(w, p->a), c->scratch.flags[p->b] |= cn_body_movable(w, p->b);
		some = true;
	}
	*any |= some;
	return !some || cn_graph_grow(w, hops);
}

/* What is lacking is known. What a script pushes may have to make room far away. */
static bool restore(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	for (uint32_t round = 0; round < CN_YIELD_ROUNDS && c->repair.short_count; ++round) {
		bool any = false;
		memset(c->scratch.flags, 0, w->slots);
		if (!flag_lacking(w, true, 1 + CN_YIELD_HOPS * round, &any) ||
		    (round < CN_RESTORE_ROUNDS && !flag_lacking(w, false, 1 + round / 3, &any)))
			return false;
		if (!any)
			break;
		++f->report.tiers[CAIRN_TIER_RESTORE];
		if (!cn_repair_restore(w, c->scratch.flags, f) || !cn_contacts_update(w) || !find_lacking(w, false))
			return false;
	}
	return true;
}

/* The leg is over: where everyone is becomes a stop. */
static void leave_stop(cairn_world *w, double far)
{
	cn_context *c = w->context;
	cn_leg_ends *t = &c->paths.leg_ends;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		t->ends[t->count * w->slots + slot] = (cn_leg_end){
			{w->next[slot].x, w->next[slot].q}, c->paths.by_slot[slot].drive.clock, c->paths.by_slot[slot].cuts};
	t->t[t->count++] = far;
}

/* Legs take time by how far all bodies go in each, and none takes next to none: then most are at any time nearly where
 * they would be on the straight way, and those that go by their legs do not run into those that go straight. */
static void time_trail(cn_leg_ends *t, double last)
{
	double sum = last, most = 0, passed = 0;
	for (uint32_t k = 0; k < t->count; ++k)
		sum += t->t[k];
	for (uint32_t k = 0; k <= t->count; ++k) {
		double *far = k < t->count ? &t->t[k] : &last;
		*far = *far > CN_LEG_SHARE * sum ? *far : CN_LEG_SHARE * sum;
		most += *far;
	}
	for (uint32_t k = 0; k < t->count; ++k) {
		passed += t->t[k];
		t->t[k] = passed / most;
	}
}

/* c->flags: whole islands of those flagged, where they are small: what is left to do for one of a tower's bodies is
 * left to all of them, or it leans. */
static void flag_small_islands(cairn_world *w)
{
	cn_context *c = w->context;
	const uint32_t *root = c->scratch.queue;
	cn_graph_islands(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->energy.sums[slot] = (cn_island){0};
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_island *i = &c->energy.sums[root[slot]];
		++i->count;
		i->flagged |= c->scratch.flags[slot];
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_island *i = &c->energy.sums[root[slot]];
		c->scratch.flags[slot] |= c->paths.by_slot[slot].under_rows && i->flagged && i->count <= CN_SMALL_BODIES;
	}
}

/* c->flags: the bodies of a pass. After the first only those that have something left to do, with their neighbours.
 * False: memory ran out. */
static bool choose_bodies(cairn_world *w, uint32_t number, bool *any)
{
	cn_context *c = w->context;
	*any = false;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		c->scratch.flags[slot] = y->under_rows && (number == 0 || y->turning || y->leg_taken_back || y->unfinished);
		c->scratch.flags[slot] |= y->drive.engaged && !y->drive.stopped && y->drive.clock < y->drive.due;
		*any |= c->scratch.flags[slot];
		y->unfinished = false;
	}
	cn_joints_spread(w, c->scratch.flags);
	if (number == 0)
		return true;
	cn_scripts_near(w);
	if (number == 1)
		flag_small_islands(w);
	return cn_graph_grow(w, 2);
}

/* Bodies that mending has raised above both where they came from and where they were to go try again: what pushed them
 * may have gone. Not balls, which pass each other at every height. Whether there are any. */
static bool mark_raised(cairn_world *w)
{
	const cn_context *c = w->context;
	v3 down = w->scene->settings.gravity;
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots && c->gravity > 0; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		double little = CN_RAISED * w->bodies[slot].radius * c->gravity;
		if (!y->under_rows || y->round || !(v3_dot(down, v3_sub(y->goal_x, w->next[slot].x)) > little) ||
		    !(v3_dot(down, v3_sub(w->motion[slot].x, w->next[slot].x)) > little))
			continue;
		y->unfinished = any = true;
	}
	return any;
}

/* One leg. *again: there is something left to do. */
static bool run_leg(cairn_world *w, uint32_t number, bool *again, cn_frame *f)
{
	cn_context *c = w->context;
	bool any, back = false;
	if (!choose_bodies(w, number, &any))
		return false;
	cn_leg_begin(w);
	c->paths.leg_number = number;
	for (uint32_t i = 0; i < c->contacts.point_count && c->paths.moving_scripts; ++i)
		c->contacts.points[i].first_push = c->contacts.points[i].push;
	if (number == 0)
		cn_targets_fly(w);
	c->repair.pass_cut = false, c->repair.pass_far = 0;
	for (uint32_t round = 1; any || round == 1; ++round) {
		bool some;
		if ((any && !pass(w, f)) || !cn_contacts_update(w) || !take_back(w, f, &some))
			return false;
		back |= some;
		if (!c->paths.moving_scripts)
			break;
		if (!find_lacking(w, true) || !restore(w, f) || !cn_scripts_back(w, round == CN_YIELD_TRIES, &any))
			return false;
	}
	*again = back || c->repair.pass_cut;
	if (!find_lacking(w, true))
		return false;
	if (number == 0)
		mark_lacking(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->paths.by_slot[slot].unfinished &= number == 0;
		*again |= c->paths.by_slot[slot].unfinished;
	}
	if ((!c->paths.moving_scripts && !restore(w, f)) || !cn_leg_repair(w, f))
		return false;
	*again |= mark_raised(w);
	*again |= cn_scripts_leg_end(w);
	return true;
}

static bool run_legs(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	for (uint32_t k = 0; k < CN_PASSES; ++k) {
		bool again;
		if (!run_leg(w, k, &again, f))
			return false;
		double far = c->repair.pass_far > CN_LEG_LEAST ? c->repair.pass_far : CN_LEG_LEAST;
		far = far < 1 / DBL_EPSILON ? far : 1 / DBL_EPSILON; /* sums of it are numbers */
		if (!again || k + 1 == CN_PASSES) {
			time_trail(&c->paths.leg_ends, far);
			break;
		}
		leave_stop(w, far);
	}
	return true;
}

bool cn_position_update(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		c->contacts.strides[slot] = cn_stride_of(w, slot);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		cn_pair *p = &c->contacts.pairs[i];
		if (!p->near || p->must_not_touch || (!cn_body_movable(w, p->a) && !cn_body_movable(w, p->b)))
			continue;
		cn_pair_request_gap(w, p);
		++f->report.close_pairs;
	}
	bool ok = cn_targets_set(w, f) && run_legs(w, f);
	if (!ok)
		f->report.status = CAIRN_STEP_MEMORY;
	return ok;
}
