/* Clocks of scripted bodies among others (OBA 7.1, ch. 8). Nothing pushes a script: it is in every program as an
 * immovable body with a velocity, so it pushes, lifts and carries. Where there is no room for the bodies it pushes, it
 * waits: its clock lags, by as little as a bisection finds, and it never leaves its path. Later it catches up, at most
 * at CN_SCRIPT_CATCH_UP times its speed.
 *
 * A leg that squeezes bodies between a script and something else is undone for everything that the script reaches, and
 * tried again with half the step. If no step works, the leg is done without the script. In the repair of a leg scripts
 * are treated like bodies: they halve their motion or go back to its start with the others, so the proof that a leg
 * ends includes them. */
#include "base/tolerance.h"
#include "step/hooks.h"
#include "step/joint/articulation.h"
#include "step/motion/script.h"
#include "step/tolerance.h"

#include <string.h>

/* rule: script waits; of the gap asked for; a pair that has less left after mending and is nearer than it was makes
 * the script's clock wait; scene: built by the test; test: test_oba_script/press_waits; with: CN_SCRIPT_NEARER */
#define CN_SCRIPT_SQUEEZED 0.25
#define CN_SCRIPT_NEARER 0.98   /* of the gap a leg began with: ... if it is nearer than this, too */
#define CN_SCRIPT_FAILED_LEGS 3 /* of a script that did not lead where they were to: then it waits for the next frame */

/* ---- the clock */

void cn_script_set(cairn_world *w, uint32_t slot, double clock)
{
	cn_context *c = w->context;
	cn_path *y = &c->paths.by_slot[slot];
	pose p;
	if (clock == y->drive.start || !cn_path_driven(y))
		p = (pose){w->motion[slot].x, w->motion[slot].q};
	else if (clock == y->drive.leg)
		p = c->paths.poses[slot];
	else if (clock == y->drive.due)
		p = (pose){y->own.goal_x, y->own.goal_q};
	else
		p = cn_script_at(&w->bodies[slot], clock, w->next[slot].q);
	y->drive.clock = clock;
	cn_body_move(w, slot, p);
}

void cn_script_set_clocks(cairn_world *w, bool end)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_drive *d = &w->context->paths.by_slot[slot].drive;
		d->clock = end ? d->due : d->start;
	}
}

/* The script turns back at this key. A body that it pushed would then follow it to its own target. */
static bool turns_back(const cairn_world *w, uint32_t slot, const cn_leg *s, double key)
{
	v3 at = cn_script_at(&w->bodies[slot], key, s->from.orientation).position;
	return v3_dot(v3_sub(at, s->from.position), v3_sub(s->to.position, at)) < 0;
}

cn_twist cn_script_step(cairn_world *w, uint32_t slot, quat *turn)
{
	cn_path *y = &w->context->paths.by_slot[slot];
	double left = y->drive.due - y->drive.clock, step = y->drive.pace * (y->drive.due - y->drive.start), angle = 0;
	cn_leg s = {.from = cn_trial_pose(w, slot),
	            .to = {y->own.goal_x, y->own.goal_q},
	            .t1 = 1,
	            .span = {y->drive.clock, y->drive.due}};
	double times[CN_MAX_PIECES];
	uint32_t count = cn_script_cuts(&w->bodies[slot], s.span, times), legs = CN_PASSES - w->context->paths.leg_number;
	for (uint32_t k = 0; k < count; ++k)
		angle += v3_length(cn_script_piece(w, slot, &s, k).turn);
	double evenly = left / legs; /* it need not be late only because it turns */
	double gently = angle > CN_PASS_TURN ? left * (CN_PASS_TURN / angle) : left;
	gently = gently > evenly ? gently : evenly;
	step = step < gently ? step : gently;
	y->drive.wanted = step < (1 - CN_SCRIPT_STEP_MIN) * left ? y->drive.clock + step : y->drive.due;
	if (count > 1 && count <= legs && times[0] < y->drive.wanted && !turns_back(w, slot, &s, times[0]))
		y->drive.wanted = times[0]; /* one piece is proved more easily than several */
	pose to = y->drive.wanted == y->drive.due ? s.to : cn_script_at(&w->bodies[slot], y->drive.wanted, w->next[slot].q);
	*turn = q_mul(to.orientation, q_conj(w->next[slot].q));
	return (cn_twist){v3_sub(to.position, w->next[slot].x), v3_zero()};
}

/* ---- waiting */

/* The gap is smaller than at the leg's start and than it should be, by more than the error of a program. */
static bool squeezed(const cairn_world *w, const cn_pair *p)
{
	double leg = p->leg_start.gap > 0 ? p->leg_start.gap : 0;
	return p->near && !p->must_not_touch && p->at.gap < CN_SCRIPT_SQUEEZED * p->gap_request &&
	       p->at.gap < CN_SCRIPT_NEARER * leg && (cn_body_movable(w, p->a) || cn_body_movable(w, p->b));
}

/* A joint between script and body has come apart. */
static bool torn(const cairn_world *w, uint32_t joint, uint32_t link)
{
	const cn_joint *j = &w->joints[joint];
	double error = cn_joint_error(w, joint, cn_joint_side(w->next, j->a), cn_joint_side(w->next, j->b));
	return error > CN_ARTICULATION_BROKEN * w->bodies[link].radius;
}

static bool moved_in_leg(const cn_path *y) { return cn_path_driven(y) && y->drive.clock != y->drive.leg; }

static void slow_down(cn_path *y)
{
	y->drive.turned_back = true;
	y->drive.pace *= 0.5;
	if (y->drive.pace >= CN_SCRIPT_STEP_MIN)
		return;
	y->drive.pace = CN_SCRIPT_STEP_MIN;
	y->drive.state = CN_DRIVE_STOPPED;
}

static bool engaged(const cn_path *y) { return y->drive.state >= CN_DRIVE_ENGAGED; }

/* A script that moves takes part in passes from now on. */
static void engage(cn_path *y)
{
	if (y->drive.state == CN_DRIVE_ALONE)
		y->drive.state = CN_DRIVE_ENGAGED;
}

/* A script that may wait and the articulation tied to it come under rows together, or one would move without the
 * other. */
static void engage_link(cairn_world *w, uint32_t script, uint32_t link)
{
	cn_context *c = w->context;
	engage(&c->paths.by_slot[script]);
	cn_path_under_rows(&c->paths.by_slot[link]);
	for (uint32_t n = 0, other; (other = cn_joints_bodies(w, link, n)) != CN_QP_NONE; ++n)
		cn_path_under_rows_if(&c->paths.by_slot[other], cn_body_movable(w, other));
}

/* What became of the bodies of a component in a leg. */
typedef struct component {
	bool squeezed;    /* a gap has become too small, or a joint with a script has come apart */
	bool jammed;      /* that, and a script has moved */
	bool waits;       /* one of these scripts has been waiting already */
	bool all_stopped; /* none of these scripts goes on in this frame */
} component;

/* components, by slot at the component's lowest: zeroed. True: some are jammed. */
static bool find_jammed(cairn_world *w, component *components)
{
	const cn_context *c = w->context;
	const uint32_t *root = c->graph.root;
	bool any = false;
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i)
		if (squeezed(w, &c->contacts.pairs[i]))
			components[root[c->contacts.pairs[i].a]].squeezed = components[root[c->contacts.pairs[i].b]].squeezed =
				true;
	for (uint32_t i = 0, script, link; i < w->scene->joint_count; ++i)
		if ((link = cn_script_link(w, i, &script)) != CN_QP_NONE && torn(w, i, link))
			components[root[script]].squeezed = true;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		component *k = &components[root[slot]];
		if (!k->squeezed || !moved_in_leg(&c->paths.by_slot[slot]))
			continue;
		k->jammed = k->all_stopped = any = true;
		k->waits |= c->paths.by_slot[slot].drive.pace <= CN_SCRIPT_STEP_MIN;
	}
	return any;
}

/* Scripts in jammed components go back to the start of the leg, and are slower when they try again. */
static void turn_scripts_back(cairn_world *w, component *components, bool last)
{
	cn_context *c = w->context;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		component *k = &components[c->graph.root[slot]];
		if (!k->jammed || !moved_in_leg(y))
			continue;
		if (last || !k->waits ||
		    y->drive.pace <= CN_SCRIPT_STEP_MIN) /* scripts that wait already go on waiting first */
			slow_down(y);
		if (last)
			y->drive.state = CN_DRIVE_STOPPED;
		cn_script_set(w, slot, y->drive.leg);
		k->all_stopped &= y->drive.state == CN_DRIVE_STOPPED;
	}
}

/* Puts articulations tied to scripts that were turned back under rows, if they had moved freely so far. A body with
 * keys goes no further than to its first key. */
static void bring_links(cairn_world *w, const component *components)
{
	cn_context *c = w->context;
	for (uint32_t i = 0, script, link; i < w->scene->joint_count; ++i) {
		if ((link = cn_script_link(w, i, &script)) == CN_QP_NONE || !components[c->graph.root[script]].jammed ||
		    c->paths.by_slot[script].drive.clock != c->paths.by_slot[script].drive.start ||
		    (engaged(&c->paths.by_slot[script]) && c->paths.by_slot[link].legs.role == CN_ROLE_UNDER_ROWS))
			continue;
		engage_link(w, script, link);
		for (uint32_t n = 0, other; (other = cn_joints_bodies(w, link, n)) != CN_QP_NONE; ++n) {
			cn_path *y = &c->paths.by_slot[other];
			if (!y->own.key_count)
				continue;
			const cairn_key *key = cn_path_own_key(w, y, 0);
			cn_path_aim(y, key->position, key->orientation);
			cn_path_drop_keys(y);
		}
	}
}

/* Everything in jammed components begins the leg again. The set becomes that of the bodies of another pass. */
static void begin_leg_again(cairn_world *w, const component *components, uint8_t *bodies)
{
	cn_context *c = w->context;
	bool first = c->paths.leg_number == 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		const component *k = &components[c->graph.root[slot]];
		bodies[slot] = 0;
		if (!k->jammed)
			continue;
		if (y->legs.role == CN_ROLE_UNDER_ROWS) {
			cn_body_move(w, slot, c->paths.poses[slot]);
			if (y->scripts.alone && k->all_stopped && first) /* nothing else moves it */
				cn_path_leave_alone(y);
		}
		bodies[slot] = y->legs.role == CN_ROLE_UNDER_ROWS || cn_script_goes_on(y);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (c->paths.by_slot[slot].drive.state == CN_DRIVE_STOPPED && first)
			cn_stride_stop(w, slot);
	for (uint32_t i = 0; i < c->contacts.pair_count; ++i) {
		cn_pair *p = &c->contacts.pairs[i];
		if (!components[c->graph.root[p->a]].jammed && !components[c->graph.root[p->b]].jammed)
			continue;
		if (p->script_moves && p->near && !p->must_not_touch)
			cn_pair_request_gap(w, p);          /* a script that stands asks for no gap */
		for (uint32_t k = 0; k < p->count; ++k) /* without a solution the multipliers have only grown */
			cn_point_push_again(&c->contacts.points[p->first + k]);
	}
}

bool cn_script_turn_back(cairn_world *w, bool last, uint8_t *bodies, bool *any)
{
	cn_context *c = w->context;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	component *components;
	bool moved = false;
	*any = false;
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot)
		moved |= moved_in_leg(&c->paths.by_slot[slot]);
	if (!moved)
		return true;
	if (!CN_LOCAL(components, w->slots + 1))
		return false;
	cn_graph_components(w);
	*any = find_jammed(w, components);
	if (*any) {
		turn_scripts_back(w, components, last);
		bring_links(w, components);
		begin_leg_again(w, components, bodies);
	}
	cn_arena_return(&c->temporary, mark);
	return !*any || cn_contacts_update(w);
}

bool cn_script_halve(cairn_world *w, uint8_t *bodies)
{
	cn_context *c = w->context;
	bool any = false;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && j < 2; ++j)
			if (moved_in_leg(&c->paths.by_slot[slots[j]]) && (cn_pair_bad(p) || (p->near && bodies[slots[1 - j]])))
				bodies[slots[j]] = 1;
	}
	for (uint32_t i = 0, script; i < w->scene->joint_count && c->paths.moving_scripts; ++i) { /* links follow */
		uint32_t link = cn_script_link(w, i, &script);
		if (link != CN_QP_NONE)
			bodies[script] = bodies[link] = bodies[script] || bodies[link];
	}
	if (c->paths.moving_scripts)
		cn_joints_spread(w, bodies);
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!bodies[slot] || !moved_in_leg(y))
			continue;
		cn_script_set(w, slot, y->drive.leg + 0.5 * (y->drive.clock - y->drive.leg));
		any = true;
	}
	return any;
}

bool cn_script_hold(cairn_world *w, uint8_t *bodies, bool frame)
{
	cn_context *c = w->context;
	bool any = false;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && cn_pair_bad(p) && j < 2; ++j) {
			cn_path *y = &c->paths.by_slot[slots[j]];
			if (!cn_path_driven(y) || y->drive.clock == (frame ? y->drive.start : y->drive.leg))
				continue;
			cn_script_set(w, slots[j], frame ? y->drive.start : y->drive.leg);
			cn_path_hold_script(y, frame);
			y->drive.turned_back = any = true;
			bodies[slots[j]] = 1;
		}
	}
	return any;
}

bool cn_script_hold_links(cairn_world *w, uint8_t *bodies, bool frame)
{
	cn_context *c = w->context;
	bool any = false, more = c->paths.moving_scripts > 0;
	while (more) {
		more = false;
		for (uint32_t i = 0, script; i < w->scene->joint_count; ++i) {
			uint32_t link = cn_script_link(w, i, &script);
			cn_path *y = &c->paths.by_slot[link != CN_QP_NONE ? script : 0];
			if (link == CN_QP_NONE)
				continue;
			if (bodies[link] && y->drive.clock != (frame ? y->drive.start : y->drive.leg)) {
				cn_script_set(w, script, frame ? y->drive.start : y->drive.leg);
				cn_path_hold_script(y, frame);
				y->drive.turned_back = any = more = true;
				bodies[script] |= frame;
			}
			if ((frame ? bodies[script] : y->legs.held) && !bodies[link])
				bodies[link] = 1, more = true;
		}
		if (more)
			cn_joints_spread(w, bodies);
	}
	return any;
}

bool cn_script_mend(cairn_world *w, uint8_t *bodies)
{
	cn_context *c = w->context;
	bool any = false;
	memset(bodies, 0, w->slots);
	for (uint32_t i = 0, script, link; i < w->scene->joint_count && c->paths.moving_scripts; ++i)
		if ((link = cn_script_link(w, i, &script)) != CN_QP_NONE &&
		    (moved_in_leg(&c->paths.by_slot[script]) || !c->paths.by_slot[link].legs.held) && torn(w, i, link))
			bodies[link] = any = true;
	if (!any)
		return false;
	cn_joints_spread(w, bodies);
	cn_script_hold_links(w, bodies, false);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (!bodies[slot] || y->legs.held)
			continue;
		cn_path_hold(y);
		cn_body_move(w, slot, c->paths.poses[slot]);
	}
	return true;
}

/* ---- legs */

void cn_script_add_near(const cairn_world *w, uint8_t *bodies)
{
	const cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		const uint32_t slots[2] = {p->a, p->b};
		for (int j = 0; p->script_moves && p->near && !p->must_not_touch && j < 2; ++j)
			if (cn_path_driven(&c->paths.by_slot[slots[j]]) && bodies[slots[j]])
				bodies[slots[1 - j]] |= cn_body_movable(w, slots[1 - j]);
	}
}

void cn_script_leg_begin(cairn_world *w)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		cn_drive *d = &w->context->paths.by_slot[slot].drive;
		d->leg = d->wanted = d->clock;
	}
}

void cn_script_engage(cairn_world *w)
{
	cn_context *c = w->context;
	for (uint32_t i = 0; i < c->contacts.pair_count && c->paths.moving_scripts; ++i) {
		const cn_pair *p = &c->contacts.pairs[i];
		if (p->script_moves && p->near && !p->must_not_touch)
			engage(&c->paths.by_slot[p->a]), engage(&c->paths.by_slot[p->b]);
	}
	for (bool more = c->paths.moving_scripts > 0; more;) {
		more = false;
		for (uint32_t i = 0, script, link; i < w->scene->joint_count; ++i)
			if ((link = cn_script_link(w, i, &script)) != CN_QP_NONE &&
			    engaged(&c->paths.by_slot[script]) != (c->paths.by_slot[link].legs.role == CN_ROLE_UNDER_ROWS))
				engage_link(w, script, link), more = true;
	}
}

bool cn_script_leg_end(cairn_world *w)
{
	cn_context *c = w->context;
	bool again = false;
	for (uint32_t slot = 0; slot < w->slots && c->paths.moving_scripts; ++slot) {
		cn_path *y = &c->paths.by_slot[slot];
		if (y->drive.state != CN_DRIVE_ENGAGED)
			continue;
		double share = (y->drive.clock - y->drive.leg) / (y->drive.due - y->drive.start);
		if ((y->drive.clock < y->drive.wanted || y->drive.turned_back) && ++y->drive.troubles == CN_SCRIPT_FAILED_LEGS)
			y->drive.state = CN_DRIVE_STOPPED;
		if (y->drive.clock == y->drive.leg || (y->drive.turned_back && y->drive.clock == y->drive.wanted))
			slow_down(y);                          /* no further than the step that failed */
		else if (y->drive.clock < y->drive.wanted) /* one leg was too long to be proved, which is no obstacle */
			y->drive.pace = share > CN_SCRIPT_STEP_MIN ? share : CN_SCRIPT_STEP_MIN;
		else
			y->drive.pace = y->drive.pace < 0.5 ? 2 * y->drive.pace : 1;
		again |= cn_script_goes_on(y);
	}
	return again;
}

/* ---- the frame's end */

/* Sorted by lag, largest first; of equals the one with the lower slot. */
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
		if (!cn_path_scripted(y))
			continue;
		b->lag = y->drive.clock < then ? then - y->drive.clock : 0;
		double share =
			y->drive.clock < y->drive.due ? 2 * (y->drive.clock - y->drive.start) / (y->drive.due - y->drive.start) : 1;
		share = share < y->drive.share ? share : y->drive.share;
		b->pace = share < CN_SCRIPT_STEP_MIN ? CN_SCRIPT_STEP_MIN : share < 1 ? share : 1;
	}
}

void cn_script_note(const cairn_world *w, cn_frame *f)
{
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (cn_body_scripted(w, slot) && w->bodies[slot].lag > 0)
			note_late(&f->report, cn_handle(w, slot), w->bodies[slot].lag);
}
