/* The motion of an articulation if nothing is in its way: its target. It is followed in steps of its own within the frame,
 * in reduced coordinates where its joints form a tree (tree.c), else by equations between its links (rattle.c).
 *
 * The forces are those of the frame: gravity, fields, resting contacts, motors and limits. This is not a smaller step
 * of the scene: other contacts act through rows at the frame's end, as on every body. */
#include "base/tolerance.h"
#include "step/articulation/follow.h"
#include "step/articulation/motion.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"

#define CN_ARTICULATION_DAMPED 20 /* damping of more than e^20 in a frame is no longer told from the other forces */
#define CN_ARTICULATION_TRIES                                                                                          \
	3 /* of following an articulation through a frame, each in four times the steps of the one before */

/* The share of damping in the frame's forces, which lead to velocities e^(-d dt) times the undamped ones. */
static void find_damping(const cairn_world *w, cn_link *l)
{
	const cn_rotor *r = &w->rotors[l->slot];
	const cn_body *b = &w->bodies[l->slot];
	l->slow_a = l->slow_torque = v3_zero();
	if (!r->damped)
		return;
	v3 v = v3_madd(l->at.v, v3_sub(l->a, l->held_a), w->dt);
	v3 turn = v3_madd(l->at.l, v3_sub(l->torque, l->held_torque), w->dt);
	double straight = b->linear_damping * w->dt, turning = b->angular_damping * w->dt;
	straight = straight < CN_ARTICULATION_DAMPED ? straight : CN_ARTICULATION_DAMPED;
	turning = turning < CN_ARTICULATION_DAMPED ? turning : CN_ARTICULATION_DAMPED;
	l->slow_a = v3_scale(v, (1 - cn_exp(straight)) / w->dt);
	l->slow_torque = v3_scale(turn, (1 - cn_exp(turning)) / w->dt);
}

/* The forces of the frame, if the articulation was not in the rest program. */
static void find_forces(const cairn_world *w, cn_articulations *g, const cn_articulation *art)
{
	for (uint32_t i = art->link; i < art->link + art->links && !art->solved; ++i) {
		cn_link *l = &g->links[i];
		const cn_motion *from = &w->motion[l->slot], *to = &w->next[l->slot];
		l->a = v3_scale(v3_sub(to->v, from->v), 1 / w->dt);
		l->torque = v3_scale(v3_sub(to->l, from->l), 1 / w->dt);
		l->held_a = l->held_torque = v3_zero();
	}
}

/* J: takes all but a share of the velocities of the links relative to their common one, which the joints allow. */
static double slow_down(const cairn_world *w, cn_articulations *g, const cn_articulation *art, double share)
{
	cn_whole all = cn_articulation_whole(w, g, art);
	v3 mean = v3_scale(all.momentum, art->tied ? 0 : 1 / all.mass);
	double lost = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		lost += cn_kinetic(&w->rotors[l->slot], &l->at);
		l->at.v = v3_lerp(mean, l->at.v, share), l->at.l = v3_scale(l->at.l, share);
		lost -= cn_kinetic(&w->rotors[l->slot], &l->at);
	}
	return lost;
}

/* All but a share of what drives it, and of what contacts do against that. */
static void weaken(cn_articulations *g, const cn_articulation *art, double share)
{
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
		cn_strain *s = &g->strains[g->joints[i]];
		s->drive *= share, s->twist = v3_scale(s->twist, share);
		for (uint32_t n = 0; n < CN_JOINT_ROWS; ++n)
			s->stops[n] *= share;
	}
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		l->a = v3_madd(l->a, l->held_a, share - 1), l->held_a = v3_scale(l->held_a, share);
		l->torque = v3_scale(l->torque, share), l->held_torque = v3_scale(l->held_torque, share);
	}
}

/* At the frame's start, with this share of its velocity. */
static void set_off(cairn_world *w, cn_articulations *g, cn_articulation *art, double share)
{
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		l->at = w->motion[l->slot];
	}
	art->slowed = share < 1 ? slow_down(w, g, art, share) : 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		find_damping(w, l);
		l->cut = l->at.q;
		l->work = 0;
	}
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
		g->strains[g->joints[i]].force = g->strains[g->joints[i]].torque = v3_zero();
		w->joints[g->joints[i]].near = w->joints[g->joints[i]].turn;
	}
	art->pieces = 1, art->result = CN_ARTICULATION_FOLLOWED, art->limits_won = false;
}

/* A tree is followed in reduced coordinates. All others, and a tree that cannot be, are followed by equations, in steps
 * that are refined until they are accurate enough, so many times. Only the result shows that a link was whipped round in this
 * frame. */
static bool follow(cairn_world *w, cn_articulation *art, double share, uint32_t tries)
{
	cn_articulations *g = w->context->articulations;
	uint32_t keys = g->key_count;
	bool well = false;
	set_off(w, g, art, share);
	if (art->tree && !cn_articulation_follow_tree(w, art, 1, &well))
		return false;
	if (well)
		return true;
	set_off(w, g, art, share);
	uint32_t steps = cn_articulation_steps(w, g, art);
	for (uint32_t k = 0; !well && (k < tries || (art->result != CN_ARTICULATION_FOLLOWED && steps < 4 * CN_MAX_PIECES));
	     ++k, steps *= 4) {
		set_off(w, g, art, share);
		g->key_count = keys;
		if (!cn_articulation_rattle(w, art, 1, steps, &well))
			return false;
	}
	if (art->result == CN_ARTICULATION_FOLLOWED && !well && art->limits_won) {
		set_off(w, g, art, share);
		g->key_count = keys, art->limits_won = true;
		if (!cn_articulation_rattle(w, art, 1, steps, &well))
			return false;
	}
	if (art->result != CN_ARTICULATION_FOLLOWED)
		g->key_count = keys;
	return true;
}

/* A link spins by itself by more than keys can show, for the scene or an input says so. That is refused. */
static bool asks_too_much(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	const double most = CN_MAX_PIECES * CN_PIECE_TURN;
	bool any = false;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_motion *m = &w->motion[g->links[i].slot];
		any |= !(cn_turn_bound(&w->rotors[g->links[i].slot], m->q, m->l, 1 / w->scene->settings.fps, most) <= most);
	}
	return any;
}

/* An articulation that cannot be followed, because a link turns further than keys can show or because joints and motors
 * leave it no motion that can be computed, goes on with a part of its velocity, in the end with none but that of the
 * whole. What it loses is dropped, as the spin of a body that an impact makes turn too fast. */
static bool follow_well(cairn_world *w, cn_articulation *art)
{
	cn_articulations *g = w->context->articulations;
	find_forces(w, g, art);
	if (!follow(w, art, 1, CN_ARTICULATION_TRIES))
		return false;
	bool refused = art->result == CN_ARTICULATION_COARSE && asks_too_much(w, g, art);
	for (double share = 1; art->result != CN_ARTICULATION_FOLLOWED && !refused && share > 0;) {
		bool whirls = art->result == CN_ARTICULATION_COARSE && share > CN_SAME;
		share = whirls || share == 1 ? 0.25 * share : 0;
		weaken(g, art, share > 0 ? 0.25 : 0);
		if (!follow(w, art, share, 1))
			return false;
	}
	if (art->result == CN_ARTICULATION_COARSE) /* more pieces than allowed tell the caller */
		art->pieces = CN_MAX_PIECES + 1;
	return true;
}

/* ---- the result */

static double speed_bound(const cairn_world *w, uint32_t slot, const cn_motion *m)
{
	return v3_length(m->v) + v3_length(m->l) * w->rotors[slot].inv_least * w->bodies[slot].radius;
}

/* All bodies have been still for a while and are slow, so the articulation stays at rest. The rest of its motion is
 * rounding. */
static bool rests(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double min = CN_STILL_SPEED * w->context->gravity * w->dt;
	bool still = !art->follows;
	for (uint32_t i = art->link; still && i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		still = w->rest_state[l->slot].still_frames >= cn_still_frames(w, l->slot) &&
		        speed_bound(w, l->slot, &w->motion[l->slot]) <= min && speed_bound(w, l->slot, &l->at) <= min &&
		        !cn_body_led(w, l->slot);
	}
	return still;
}

/* The work of fields and damping was accounted for a body that moves freely, but on its joints it is different. Moves
 * the difference between accounts and returns it, J. */
static double share_fields(const cairn_world *w, const cn_link *l, const cn_motion *plain, cairn_energy *e)
{
	const cn_rotor *r = &w->rotors[l->slot];
	const cn_motion *from = &w->motion[l->slot];
	v3 push = v3_sub(v3_sub(l->a, l->held_a), w->scene->settings.gravity), twist = v3_sub(l->torque, l->held_torque);
	v3 mean = v3_add(from->v, plain->v), turn = v3_add(cn_spin(r, from->q, from->l), cn_spin(r, from->q, plain->l));
	double more = l->work - 0.5 * w->dt * (r->mass * v3_dot(push, mean) + v3_dot(twist, turn));
	if (r->damped)
		e->damping -= more;
	else
		e->fields += more;
	return more;
}

/* If no motion can be computed, the articulation moves as a whole in this frame: with its mean velocity and the
 * mean of its forces, without turning. Joints allow that unless they tie it to something. Its bodies keep no motion relative to
 * each other. */
static void move_as_whole(cairn_world *w, cn_articulations *g, const cn_articulation *art)
{
	v3 velocity = v3_zero(), gain = v3_zero();
	double mass = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		double m = w->rotors[l->slot].mass;
		mass += m, velocity = v3_madd(velocity, w->motion[l->slot].v, m), gain = v3_madd(gain, l->a, m * w->dt);
	}
	double share = art->tied ? 0 : 1 / mass;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		l->at = w->motion[l->slot];
		l->at.x = v3_madd(v3_madd(l->at.x, velocity, share * w->dt), gain, 0.5 * share * w->dt);
		l->at.v = v3_scale(v3_add(velocity, gain), share), l->at.l = v3_zero();
	}
}

/* Makes the result the target and corrects the energy accounts, which so far were those of bodies that move freely
 * after the rest solve. */
static void arrive(cairn_world *w, cn_articulation *art, cairn_energy *e)
{
	cn_articulations *g = w->context->articulations;
	bool still = rests(w, g, art), driven = false;
	if (art->result == CN_ARTICULATION_LOST)
		move_as_whole(w, g, art);
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i)
		driven |= g->strains[g->joints[i]].drive != 0 || v3_length2(g->strains[g->joints[i]].twist) > 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		cn_motion *to = &w->next[l->slot], plain = w->motion[l->slot];
		if (still)
			l->at = (cn_motion){plain.x, plain.q, v3_zero(), v3_zero()};
		plain.x = v3_madd(plain.x, v3_add(plain.v, to->v), 0.5 * w->dt);
		plain.v = to->v, plain.l = to->l;
		cn_link other = {.slot = l->slot, .at = plain};
		double made = cn_link_energy(w, l) - cn_link_energy(w, &other) - share_fields(w, l, &plain, e);
		*(still ? &e->dropped : &e->joints) += still ? -made : made;
		if (!still && !driven) /* contacts took this much less from the articulation than from free bodies */
			cn_losses_spend(&w->context->losses, l->slot, -made);
		*to = l->at;
	}
	if (!still)
		e->dropped += art->slowed, e->joints += art->slowed;
	if (art->solved && !still && !driven)
		cn_losses_spend(&w->context->losses, g->links[art->link].slot, -art->bent);
	for (uint32_t i = art->joint; (still || art->result == CN_ARTICULATION_LOST) && i < art->joint + art->joints; ++i)
		w->joints[g->joints[i]].near = w->joints[g->joints[i]].turn;
	if (still || art->result == CN_ARTICULATION_LOST)
		art->pieces = 1, g->key_count = art->key;
}

bool cn_articulations_set_targets(cairn_world *w, cn_frame *f)
{
	cn_articulations *g = w->context ? w->context->articulations : NULL;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		cn_articulation *art = &g->all[k];
		g->trial = false;
		if (!cn_body_movable(w, g->links[art->link].slot))
			continue; /* all its links are asleep */
		if (!follow_well(w, art)) {
			f->report.status = CAIRN_STEP_MEMORY;
			return false;
		}
		if (art->result == CN_ARTICULATION_COARSE)
			continue;
		arrive(w, art, &f->report.energy);
		cn_articulation_limit(w, art, &f->report.energy);
	}
	return true;
}

/* ---- a part of the motion */

/* Not if it has moved in a leg already, and not with a script, whose clock it must follow. */
static bool can_part(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, const uint8_t *bodies)
{
	bool any = false,
		 can = !art->follows && art->result != CN_ARTICULATION_LOST && cn_body_movable(w, g->links[art->link].slot);
	for (uint32_t i = art->link; can && i < art->link + art->links; ++i) {
		uint32_t slot = g->links[i].slot;
		any |= bodies[slot];
		can = cn_same_pose(w->context->paths.poses[slot].position, w->context->paths.poses[slot].orientation,
		                   &w->motion[slot]);
	}
	return any && can;
}

/* Takes over the state reached. The velocities are those of the path there, and the lost energy is accounted to the
 * joints. */
static void stop_there(cairn_world *w, const cn_articulations *g, const cn_articulation *art, cairn_energy *e)
{
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		cn_path *y = &w->context->paths.by_slot[l->slot];
		cn_motion before = w->next[l->slot], after = l->at;
		before.q = after.q = y->own.goal_q;
		e->joints += cn_kinetic(&w->rotors[l->slot], &after) - cn_kinetic(&w->rotors[l->slot], &before);
		w->next[l->slot] = l->at;
		cn_path_goes_on_turning(y, true);
		cn_path_under_rows(y);
		cn_body_move(w, l->slot, (pose){l->at.x, l->at.q});
	}
}

bool cn_articulations_move_part(cairn_world *w, const uint8_t *bodies, double span, cn_frame *f, bool *any)
{
	cn_articulations *g = w->context->articulations;
	*any = false;
	for (uint32_t k = 0; g && k < g->count; ++k) {
		cn_articulation *art = &g->all[k], kept = *art;
		uint32_t keys = g->key_count;
		bool well;
		if (!can_part(w, g, art, bodies))
			continue;
		g->trial = false;
		set_off(w, g, art, 1);
		if (art->tree ? !cn_articulation_follow_tree(w, art, span, &well)
		              : !cn_articulation_rattle(w, art, span, cn_articulation_steps(w, g, art), &well))
			return false;
		bool there = art->result == CN_ARTICULATION_FOLLOWED && art->pieces == 1;
		g->key_count = keys, art->key = kept.key, art->pieces = kept.pieces;
		art->result = kept.result;
		if (there)
			stop_there(w, g, art, &f->report.energy), *any = true;
	}
	return true;
}

uint32_t cn_articulation_pieces(const cairn_world *w, uint32_t slot)
{
	uint32_t art = cn_articulation_of(w, slot);
	return art == CN_QP_NONE ? 0 : w->context->articulations->all[art].pieces;
}

void cn_articulation_keys(cairn_world *w, uint32_t slot, uint32_t first)
{
	const cn_articulations *g = w->context->articulations;
	const cn_articulation *art = &g->all[g->of[slot]];
	for (uint32_t k = 0; k + 1 < art->pieces; ++k)
		w->next_extras[first + k] = g->keys[art->key + k * art->links + g->link[slot] - art->link];
}
