/* The position update (OBA 6.1): moves bodies from their poses toward their targets, as near as the separating planes
 * allow.
 *
 * Each pass is one program (OBA eq. 6.7, or 6.8 on demand). A pass turns every body exactly by its share of the
 * remaining rotation, at most CN_PASS_TURN, and builds the rows at the turned poses. The rows' axes are those of the
 * poses at which the pass began, which are free, so no pair changes sides; or those of the turned poses if these are
 * near. There is another pass while some body has not finished its rotation, and a second one if the first went far or
 * left a gap too short; at most CN_PASSES. Deep penetrations that a pass leaves are undone. */
#include "step/hooks.h"

#include "num/qp_exact.h"
#include "step/tolerance.h"

#include <string.h>

#define CN_REQUEST_MIN 0.5 /* of what rows ask for: a solver's answer that lacks more is mended */
#define CN_PASS_STIFF 0.25 /* of a body's radius: pushed further than this, it gives way by turning less and less */
#define CN_ONE_IMPACT_TURN                                                                                             \
	1e-4 /* of how easily a body at rest turns: what one turns by in a pass that an impact alone stops; its arm is that of where it meets */
/* rule: who goes far gives way; x CN_PASS_STIFF; a body pushed further than this gives way more and more, so that
 * one at rest stops a falling one and is not shoved aside; scene: built by the test; test:
 * test_oba_hybrid/tumble_gains_nothing; with: CN_FAR_COMPLIANCE_MAX, CN_PASS_STIFF */
#define CN_FAR_COMPLIANCE 4.0
#define CN_FAR_COMPLIANCE_MAX 100.0 /* ... up to this x as much as at rest */
/* rule: raised bodies; of a body's radius; what a pass moves further takes its planes anew, and what it raises
 * further looks for a way down again; scene: built by the test; test:
 * test_oba_rules/swept_boxes_stay_on_the_floor */
#define CN_PASS_FAR 0.02
#define CN_POSITION_SWEEPS 60      /* of a position program at most: what it lacks then is mended */
#define CN_RESTORE_ROUNDS 6        /* of mending gaps that are short */
#define CN_SCRIPT_REPAIR_ROUNDS 10 /* of mending where scripts move, each ... */
#define CN_SCRIPT_REPAIR_HOPS 2 /* ... with bodies so many contacts further away: what they push makes room by and by */

/* ---- passes */

static cn_twist remaining(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	return (cn_twist){v3_sub(y->own.target_x, w->next[slot].x), q_turn(w->next[slot].q, y->own.target_q)};
}

/* ---- bodies of the program, on all threads: a task writes nothing but its body */

/* Bodies that move far give way to those that do not: a falling body is stopped by one at rest and does not push it
 * aside, which is left to the impact. A body stopped at a corner would also go on by turning about it, further than
 * rows are valid. So it turns little, and not at all before an impact that alone stops it. Links of an articulation
 * can hardly move without turning, so an articulation gives way as a whole. */
static void lighten(cn_qp_body *b, double far, bool art, bool one_impact)
{
	double more = 1 + far * far * CN_FAR_COMPLIANCE * CN_FAR_COMPLIANCE,
		   less = one_impact ? CN_ONE_IMPACT_TURN : 1 / (1 + far * far);
	more = more < CN_FAR_COMPLIANCE_MAX ? more : CN_FAR_COMPLIANCE_MAX;
	b->inv_mass *= more;
	for (int i = 0; i < 6; ++i)
		b->inv_inertia[i] *= art ? more : less;
}

/* Stores the multipliers of a pass, which tell what stopped a body in this frame. */
static void note_pushes(cairn_world *w, cn_pair *p, uint32_t first, uint32_t end)
{
	const cn_context *c = w->context;
	const cn_program *g = &c->program;
	if (g->index[p->a] == CN_QP_NONE && g->index[p->b] == CN_QP_NONE)
		return;
	for (uint32_t k = 0; k < p->count; ++k)
		c->contacts.points[p->first + k].position.push = 0;
	if (first < end)
		p->position.row_stopped = false;
	for (uint32_t i = first; i < end; ++i) {
		if (g->points[i])
			g->points[i]->position.push = g->y[i].n;
		else
			p->position.row_stopped |= g->y[i].n > 0;
	}
}

/* Its remaining turn is less than CN_PASS_TURN; told without the angle, which costs more: sin (a/2) > 0.49 a. */
static bool turns_little(const cairn_world *w, uint32_t slot)
{
	quat q = q_mul(w->context->paths.by_slot[slot].own.target_q, q_conj(w->next[slot].q));
	return q.x * q.x + q.y * q.y + q.z * q.z < 0.49 * 0.49 * CN_PASS_TURN * CN_PASS_TURN;
}

/* The share of its remaining motion that a body attempts in a pass: a turn of at most CN_PASS_TURN, unless the
 * remaining passes would not suffice then. All links of an articulation have the same share. */
static double share_of(const cairn_world *w, uint32_t slot, bool paced)
{
	const cn_path *all = w->context->paths.by_slot;
	double share = 1, passes = CN_PASSES - w->context->paths.leg_number;
	uint32_t other = slot;
	for (uint32_t n = 0; other != CN_QP_NONE; other = cn_joints_bodies(w, slot, n++)) {
		double angle = all[other].round || turns_little(w, other) ? 0 : v3_length(remaining(w, other).w),
			   pace = all[other].lead.pace, max = angle > CN_PASS_TURN * passes ? angle / passes : CN_PASS_TURN;
		share = angle > max && max / angle < share ? max / angle : share;
		share = share < pace || !paced ? share : pace;
	}
	return share;
}

/* The share of its remaining motion that a body attempts if it is alone. */
static void find_share(cairn_world *w, uint32_t body)
{
	uint32_t slot = w->context->program.slots[body];
	w->context->pass.shares[body] = cn_path_driven(&w->context->paths.by_slot[slot]) ? 1 : share_of(w, slot, false);
}

/* In small free islands all bodies go the same share of their paths, as if the pass were a part of the frame.
 * Otherwise a body that turns stays behind those that fly beside it, and they run into it. False: memory ran out. */
static bool share_alike(cairn_world *w)
{
	typedef struct group {
		double share; /* the smallest of its bodies */
		uint32_t count;
		bool anchored; /* something immovable is near */
	} group;
	cn_context *c = w->context;
	const cn_program *p = &c->program;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	group *groups; /* by island */
	double *shares = c->pass.shares;
	bool some = false;
	cn_position_each_body(w, find_share);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		some |= shares[i] < 1;
	if (!some)
		return true;
	if (!CN_LOCAL(groups, w->slots + 1))
		return false;
	cn_graph_islands(w);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		group *k = &groups[c->graph.root[p->slots[i]]];
		k->share = k->count == 0 || shares[i] < k->share ? shares[i] : k->share;
		++k->count;
	}
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		const cn_pair *q = &c->contacts.pairs[i];
		bool a = cn_body_movable(w, q->a), b = cn_body_movable(w, q->b);
		if (q->near && !q->must_not_touch && a != b)
			groups[c->graph.root[a ? q->a : q->b]].anchored = true;
	}
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		const group *k = &groups[c->graph.root[p->slots[i]]];
		if (!k->anchored && k->count <= CN_SMALL_BODIES)
			shares[i] = k->share;
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* Displacement in a pass relative to the body's size; of an articulation, the largest. */
static double far_of(const cairn_world *w, uint32_t slot, double share)
{
	double max = 0;
	uint32_t other = slot;
	for (uint32_t n = 0; other != CN_QP_NONE; other = cn_joints_bodies(w, slot, n++)) {
		double far = v3_length(remaining(w, other).v) * share / (CN_PASS_STIFF * w->bodies[other].radius);
		max = far > max ? far : max;
	}
	return max;
}

/* The displacement and rotation that a pass attempts, and the places of the body's parts after the rotation. An
 * articulation that was stopped would turn back in every pass, and its joints, which rows hold only to first order,
 * would lift it by the square of that turn. So after the first pass its rotation is part of the program instead. */
static void set_out(cairn_world *w, uint32_t body)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	uint32_t slot = p->slots[body];
	if (!cn_path_driven(&c->paths.by_slot[slot])) {
		cn_twist left = remaining(w, slot);
		double share = share_of(w, slot, true);
		share = share < c->pass.shares[body] ? share : c->pass.shares[body];
		v3 turn = v3_scale(left.w, share);
		bool art = cn_joints_of(w, slot) != CN_QP_NONE, tried = art && c->paths.leg_number > 0;
		c->pass.turns[body] = q_exp(tried ? v3_zero() : turn);
		p->u0[body].w = tried ? turn : v3_zero();
		lighten(&p->bodies[body], far_of(w, slot, share), art, c->paths.by_slot[slot].lead.one_impact);
		cn_path_goes_on_turning(&c->paths.by_slot[slot], share < 1);
		p->u0[body].v = v3_scale(left.v, share);
	}
	cn_rows_turn(w, slot, c->pass.turns[body]);
}

/* Moves a body: first the exact rotation, then the program's correction, which is limited to the range where rows are
 * valid (OBA 6.1.6) or to the intended turn if that is part of it. */
static void go(cairn_world *w, uint32_t body)
{
	cn_context *c = w->context;
	uint32_t slot = c->program.slots[body];
	cn_path *y = &c->paths.by_slot[slot];
	cn_twist *u = &c->program.u[body];
	double angle = v3_length(u->w), own = v3_length(c->program.u0[body].w),
		   max = own > CN_PASS_TURN ? own : CN_PASS_TURN, share = max / angle;
	if (cn_path_driven(y))
		return;
	if (angle > max) {
		*u = (cn_twist){v3_scale(u->v, share), v3_scale(u->w, share)};
		cn_path_goes_on_turning(y, true);
	}
	quat turn = c->pass.turns[body];
	double radius = w->bodies[slot].radius, turned = y->round ? 0 : v3_length(v3_make(turn.x, turn.y, turn.z));
	w->next[slot].q = q_mul(turn, w->next[slot].q);
	c->pass.far[body] = (v3_length(u->v) + 2 * turned * radius) / radius;
	y->lead.unfinished = c->pass.far[body] > CN_PASS_FAR;
	cn_position_move(w, body);
}

/* Finds where a set of bodies goes in a pass. False: memory ran out. */
static bool solve_pass(cairn_world *w, const uint8_t *bodies, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	if (!cn_program_begin(w, bodies, w->scene->options.objective == 1))
		return false;
	for (uint32_t i = 0; i < p->qp.body_count && c->paths.moving_scripts; ++i)
		if (cn_path_driven(&c->paths.by_slot[p->slots[i]]))
			p->u0[i] = cn_script_step(w, p->slots[i], &c->pass.turns[i]);
	if (!CN_ROOM(c->pass.turned, c->contacts.part_count + 1))
		return false;
	memcpy(c->pass.turned, c->contacts.now, c->contacts.part_count * sizeof *c->pass.turned);
	if (!share_alike(w))
		return false;
	cn_position_each_body(w, set_out);
	if (!cn_rows_build(w) || !cn_joints_position_rows(w, c->pass.turns) || !cn_program_weigh(w))
		return false;
	++f->report.programs;
	if (p->qp.contact_count || p->qp.row_count)
		return cn_position_solve(w, CN_POSITION_SWEEPS, true);
	for (uint32_t i = 0; i < p->qp.body_count; ++i)
		p->u[i] = p->u0[i];
	return true;
}

/* One program toward the targets, for a set of bodies. some: others that it pushes join, in the end all that are under
 * rows. False: memory ran out. */
static bool pass(cairn_world *w, uint8_t *bodies, bool some, cn_frame *f)
{
	cn_context *c = w->context;
	cn_program *p = &c->program;
	if (!solve_pass(w, bodies, f))
		return false;
	for (uint32_t k = 1; some && k < CN_PASSES && cn_pass_add_pushed(w, bodies); ++k) {
		if (k + 1 == CN_PASSES)
			cn_pass_choose_all(w, bodies);
		if (!solve_pass(w, bodies, f))
			return false;
	}
	cn_rows_answer(w, note_pushes);
	cn_position_mark_pushed(w);
	cn_position_each_body(w, go);
	for (uint32_t i = 0; i < p->qp.body_count; ++i) {
		const cn_path *y = &c->paths.by_slot[p->slots[i]];
		if (cn_path_driven(y))
			cn_script_set(w, p->slots[i], y->drive.wanted);
		else
			c->pass.sum += c->pass.far[i], c->pass.cut |= y->legs.turning;
	}
	cn_joints_project(w);
	++f->report.passes;
	return true;
}

/* ---- the stage */

/* The gap of the pair is shorter than requested. */
static bool is_short(const cn_context *c, uint32_t pair)
{
	const cn_pair *p = &c->contacts.pairs[pair];
	return p->near && !p->must_not_touch &&
	       (c->paths.by_slot[p->a].legs.role == CN_ROLE_UNDER_ROWS ||
	        c->paths.by_slot[p->b].legs.role == CN_ROLE_UNDER_ROWS) &&
	       p->at.gap < CN_REQUEST_MIN * cn_repair_gap(c, p);
}

/* repair.short_pairs: pairs whose gap is too short, in order. all: of all pairs; otherwise of those known and those
 * measured last, as no other can have become short. False: memory ran out. */
static bool find_short(cairn_world *w, bool all)
{
	cn_context *c = w->context;
	uint32_t count = 0, known = c->repair.short_count, i = 0, j = 0;
	if (!CN_ROOM(c->repair.short_pairs, 2 * c->contacts.pair_count + 1))
		return false;
	if (all || !c->graph.listed) {
		for (uint32_t k = 0; k < c->contacts.pair_count; ++k)
			if (is_short(c, k))
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
		if (is_short(c, pair))
			c->repair.short_pairs[count++] = pair;
	}
	c->repair.short_count = count;
	return true;
}

/* Bodies of pairs whose gap is too short take part in a second pass. */
static void mark_short(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->repair.short_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[c->repair.short_pairs[i]];
		c->paths.by_slot[p->a].lead.unfinished = c->paths.by_slot[p->b].lead.unfinished = true;
	}
}

/* Adds bodies of pairs that are too short, with their neighbourhood, to a set: those that scripts push, or all
 * others. *any: there are some. False: memory ran out. */
static bool add_short(cairn_world *w, uint8_t *bodies, bool by_script, uint32_t hops, bool *any)
{
	cn_context *c = w->context;
	bool some = false;
	for (uint32_t i = 0; i < c->repair.short_count; ++i) {
		const cn_pair *p = &c->contacts.pairs[c->repair.short_pairs[i]];
		if ((c->paths.by_slot[p->a].scripts.pushed || c->paths.by_slot[p->b].scripts.pushed) != by_script)
			continue;
		bodies[p->a] |= cn_body_movable(w, p->a), bodies[p->b] |= cn_body_movable(w, p->b);
		some = true;
	}
	*any |= some;
	return !some || cn_graph_grow(w, bodies, hops);
}

/* Restores gaps of repair.short_pairs in rounds. A body that a script pushes may have to make room far away. */
static bool restore(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *bodies;
	if (!CN_LOCAL(bodies, w->slots + 1))
		return false;
	for (uint32_t round = 0; round < CN_SCRIPT_REPAIR_ROUNDS && c->repair.short_count; ++round) {
		bool any = false;
		memset(bodies, 0, w->slots);
		if (!add_short(w, bodies, true, 1 + CN_SCRIPT_REPAIR_HOPS * round, &any) ||
		    (round < CN_RESTORE_ROUNDS && !add_short(w, bodies, false, 1 + round / 3, &any)))
			return false;
		if (!any)
			break;
		++f->report.tiers[CAIRN_TIER_RESTORE];
		if (!cn_repair_restore(w, bodies, f) || !cn_contacts_update(w) || !find_short(w, false))
			return false;
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* A leg leaves the body above both its start and its goal. */
static bool is_raised(const cairn_world *w, uint32_t slot)
{
	const cn_path *y = &w->context->paths.by_slot[slot];
	v3 down = w->scene->settings.gravity, x = w->next[slot].x;
	double little = CN_PASS_FAR * w->bodies[slot].radius * w->context->gravity;
	return y->legs.role == CN_ROLE_UNDER_ROWS && !y->round && v3_dot(down, v3_sub(y->own.goal_x, x)) > little &&
	       v3_dot(down, v3_sub(w->motion[slot].x, x)) > little;
}

/* Notes the share of its turn after which a body comes down on what it touches; see cn_turn_share. */
static void note_turn(cairn_world *w, const cn_pair *p)
{
	const uint32_t slots[2] = {p->a, p->b};
	double share = cn_turn_share(w, p);
	for (int j = 0; j < 2; ++j) {
		cn_path *y = &w->context->paths.by_slot[slots[j]];
		if (y->scripts.pushed || y->legs.role != CN_ROLE_UNDER_ROWS || y->own.key_count)
			continue;
		y->lead.unfinished = y->lead.turns_back = true;
		y->lead.turn = share < y->lead.turn ? share : y->lead.turn;
	}
}

/* Bodies that a leg leaves above both their start and their goal try again, as the body that pushed them may have gone.
 * Where two that touched before push each other and raise one, both turn no further than to where they meet, unless a
 * script moves them: turning on is an impact, and left to that. Those that turning does not raise turn back. Balls do not,
 * as they pass each other at any height. True: there are some. */
static bool mark_raised(cairn_world *w)
{
	cn_context *c = w->context;
	bool any = false;
	for (uint32_t slot = 0; slot < w->slots && c->gravity > 0; ++slot) {
		c->paths.by_slot[slot].lead.turn = 1, c->paths.by_slot[slot].lead.turns_back = false;
		if (is_raised(w, slot))
			c->paths.by_slot[slot].lead.unfinished = any = true;
	}
	for (uint32_t i = 0; i < c->contacts.pair_count && any; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		bool touched = p->near && !p->must_not_touch && p->frame_start.gap <= CN_PUSHING_GAP * p->gap_target;
		if (touched && p->position.pushed && (is_raised(w, p->a) || is_raised(w, p->b)))
			note_turn(w, p);
	}
	for (uint32_t slot = 0; slot < w->slots && any; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (y->lead.turns_back)
			cn_path_turn_to(y, cn_path_turn_part(y, w->motion[slot].q, y->lead.turn < 1 ? y->lead.turn : 0));
	}
	return any;
}

/* A leg begins at the trial poses. */
static void begin_leg(cairn_world *w, uint32_t number)
{
	cn_legs_begin(w, number);
	cn_scripts_leg_begin(w);
	cn_contacts_leg_begin(w);
}

/* Runs one leg. bodies: memory for a set. *again: there is something left to do. False: memory ran out. */
static bool run_leg(cairn_world *w, uint32_t number, uint8_t *bodies, bool *again, cn_frame *f)
{
	cn_context *c = w->context;
	bool any, some, back = false;
	if (!cn_pass_choose(w, number, bodies, &any, &some))
		return false;
	begin_leg(w, number);
	for (uint32_t i = 0; i < c->contacts.point_count && c->paths.moving_scripts; ++i)
		c->contacts.points[i].position.first_push = c->contacts.points[i].position.push;
	if (number == 0)
		cn_targets_move_free(w);
	c->pass.cut = false, c->pass.sum = 0;
	for (uint32_t round = 1; any || round == 1; ++round) {
		bool taken;
		if ((any && !pass(w, bodies, some, f)) || !cn_contacts_update(w) || !cn_pass_take_back(w, f, &taken))
			return false;
		back |= taken;
		if (!c->paths.moving_scripts)
			break;
		if (!find_short(w, true) || !restore(w, f) || !cn_scripts_turn_back(w, round == CN_SCRIPT_TRIES, bodies, &any))
			return false;
	}
	*again = back || c->pass.cut;
	if (!find_short(w, true))
		return false;
	if (number == 0)
		mark_short(w);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		c->paths.by_slot[slot].lead.unfinished &= number == 0;
		*again |= c->paths.by_slot[slot].lead.unfinished;
	}
	if ((!c->paths.moving_scripts && !restore(w, f)) || !cn_leg_repair(w, f))
		return false;
	*again |= mark_raised(w);
	*again |= cn_scripts_leg_end(w);
	return true;
}

static bool any_taken_back(const cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		const cn_path *y = &w->context->paths.by_slot[slot];
		if (y->lead.pace < 1 || y->drive.pace < 1 || y->legs.put_back)
			return true;
	}
	return false;
}

/* One more leg, in which islands go as one body (together.c). False: memory ran out. */
static bool center_islands(cairn_world *w)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	cn_strays strays;
	bool ok = true;
	if (c->paths.moving_scripts || !any_taken_back(w))
		return true;
	if (!cn_strays_find(w, &strays))
		return false;
	if (strays.any) {
		cn_legs_end(w, c->pass.sum, false);
		begin_leg(w, c->paths.leg_number + 1);
		c->pass.sum = cn_strays_move(w, &strays);
		ok = cn_contacts_update(w) && cn_leg_prove(w);
	}
	if (ok && strays.any && c->repair.bad_count) {
		for (uint32_t slot = 0; slot < w->slots; ++slot)
			if (!cn_same_pose(c->paths.poses[slot].position, c->paths.poses[slot].orientation, &w->next[slot]))
				cn_body_move(w, slot, c->paths.poses[slot]);
		ok = cn_contacts_update(w) && cn_leg_prove(w);
	}
	cn_arena_return(&c->temporary, mark);
	return ok;
}

static bool run_legs(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *bodies; /* the set of those that a leg's pass moves */
	if (!CN_LOCAL(bodies, w->slots + 1))
		return false;
	for (uint32_t k = 0; k < CN_PASSES; ++k) {
		bool again;
		if (!run_leg(w, k, bodies, &again, f))
			return false;
		bool last = !again || k + 1 == CN_PASSES;
		if (last && !center_islands(w))
			return false;
		cn_legs_end(w, c->pass.sum, last);
		if (last)
			break;
	}
	cn_arena_return(&c->temporary, mark);
	return true;
}

/* Puts everything back to where the step began, with the goals it had. */
static bool begin_again(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!cn_body_movable(w, slot))
			continue;
		cn_path_forget_legs(y);
		y->lead.pace = 1, y->lead.unfinished = false;
		cn_body_move(w, slot, (pose){w->motion[slot].x, w->motion[slot].q});
	}
	if (!cn_contacts_update(w))
		return false;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (cn_body_movable(w, slot))
			w->next[slot].x = c->paths.by_slot[slot].own.goal_x, w->next[slot].q = c->paths.by_slot[slot].own.goal_q;
	c->paths.leg_ends.count = 0;
	c->under_way = false;
	return true;
}

bool cn_position_again(cairn_world *w, cn_frame *f) { return begin_again(w) && cn_targets_set(w, f) && run_legs(w, f); }

bool cn_position_update(cairn_world *w, cn_frame *f)
{
	cn_context *c = w->context;
	cn_strides_measure(w);
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
