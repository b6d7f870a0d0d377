/* The motion of an articulation if nothing is in its way. It is integrated in steps of its own within the frame, so
 * that it conserves energy (RATTLE). A step of length h starts from poses and velocities that satisfy the joints:
 *
 *   half a kick by the forces, and impulses J0' y such that ...
 *   ... a free flight of h leads to poses that satisfy the joints
 *   half a kick, and impulses J1' z such that the velocities there satisfy them
 *
 * The forces are those of the frame: gravity, fields, resting contacts, motors and limits. This is not a smaller step
 * of the scene: other contacts act through rows at the frame's end, as on every body. */
#include "base/tolerance.h"
#include "step/articulation/motion.h"
#include "step/joint/articulation.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"

#define CN_ARTICULATION_DAMPED 20 /* damping of more than e^20 in a frame is no longer told from the other forces */
#define CN_ARTICULATION_SWING                                                                                          \
	0.3 /* rad: of the fastest swing that the pull of joints makes; beyond 2 it would grow without end */
#define CN_ARTICULATION_STEPS                                                                                          \
	32 /* of an articulation in a frame at most, but for links that spin: a step turns no further than a key can show */
#define CN_ARTICULATION_ARM                                                                                            \
	1e-3 /* of the articulation's size: a joint this near to a centre of mass makes nothing swing */
#define CN_ARTICULATION_ENERGY_ERROR                                                                                   \
	5e-3 /* of the kinetic energy: what steps have made of it is mended up to this; beyond it steps are made finer */
#define CN_ARTICULATION_TRIES                                                                                          \
	3 /* of following an articulation through a frame, each in four times the steps of the one before */

/* ---- number of steps */

/* 1/s: bound of the frequency of a link's swing. A joint that pulls with F on a link of mass m at an arm r makes it
 * swing at sqrt(F/mr) or faster; a neighbour doubles that. */
static double stiffness(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double max = 0;
	for (uint32_t k = 0; k < art->joints; ++k) {
		const cn_joint *j = &w->joints[g->joints[art->joint + k]];
		const uint32_t slots[2] = {j->a, j->b};
		for (int i = 0; i < 2; ++i) {
			if (slots[i] == CN_NO_BODY || !w->rotors[slots[i]].active)
				continue;
			double arm = v3_length(i ? j->arm_b : j->arm_a), weight = v3_length(g->links[g->link[slots[i]]].a);
			double pull = j->force * w->rotors[slots[i]].inv_mass, a = pull > weight ? pull : weight;
			if (arm > CN_ARTICULATION_ARM * art->size && 4 * a > max * arm)
				max = 4 * a / arm;
		}
	}
	return sqrt(max);
}

static double spin_bound(const cn_rotor *r, const cn_motion *m) { return v3_length(cn_spin(r, m->q, m->l)); }

static uint32_t steps_of(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double fast = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		double spin = spin_bound(&w->rotors[l->slot], &l->at);
		fast = spin > fast ? spin : fast;
	}
	double fine = fast * w->dt / CN_ARTICULATION_TURN, stiff = stiffness(w, g, art) * w->dt / CN_ARTICULATION_SWING;
	fine = fine > stiff ? fine : stiff;
	fine = fine < CN_ARTICULATION_STEPS ? fine : CN_ARTICULATION_STEPS;
	double min = fast * w->dt * (2 / CN_PIECE_TURN); /* so that a step turns no further than a piece can show */
	fine = fine > min ? fine : min;
	return fine < CN_MAX_PIECES ? 1 + (uint32_t)fine : CN_MAX_PIECES;
}

/* ---- one step */

/* Work of the forces other than gravity in a kick, along the mean of the velocities before and after. */
typedef struct work {
	double motors, held; /* held: by contacts and limits; fields and damping are in cn_link.work */
} work;

static void add_work(const cairn_world *w, cn_link *l, double t, work *sum)
{
	v3 push = v3_sub(v3_sub(v3_sub(l->a, l->slow_a), l->held_a), w->scene->settings.gravity);
	v3 twist = v3_sub(v3_sub(l->torque, l->slow_torque), l->held_torque);
	v3 mean = v3_add(l->d.v, l->at.v), turn = v3_add(l->d.w, cn_spin(&w->rotors[l->slot], l->at.q, l->at.l));
	double mass = w->rotors[l->slot].mass;
	l->work += 0.5 * t * (mass * v3_dot(push, mean) + v3_dot(twist, turn));
	sum->held += 0.5 * t * (mass * v3_dot(l->held_a, mean) + v3_dot(l->held_torque, turn));
}

/* Velocity along a joint's free axis: the mean of those before and after the kick. */
static double axis_rate(const cairn_world *w, const cn_articulations *g, const cn_articulation_row *r)
{
	double sum = 0;
	for (int k = 0; k < 2; ++k) {
		uint32_t link = k ? r->b : r->a;
		const cn_twist *j = k ? &r->row.jb : &r->row.ja;
		if (link == CN_QP_NONE)
			continue;
		const cn_link *l = &g->links[link];
		v3 spin = cn_spin(&w->rotors[l->slot], l->at.q, l->at.l);
		sum += v3_dot(j->v, v3_add(l->d.v, l->at.v)) + v3_dot(j->w, v3_add(l->d.w, spin));
	}
	return 0.5 * sum;
}

/* Damping is applied step by step, as it follows the velocity. A constant force would drive a link that swings faster
 * than the frame. */
static void apply_damping(const cairn_world *w, cn_link *l, double t)
{
	const cn_rotor *r = &w->rotors[l->slot];
	const cn_body *b = &w->bodies[l->slot];
	if (!r->damped)
		return;
	double before = cn_kinetic(r, &l->at);
	l->at.v = v3_scale(l->at.v, cn_exp(-b->linear_damping * t));
	l->at.l = v3_scale(l->at.l, cn_exp(-b->angular_damping * t));
	l->work += cn_kinetic(r, &l->at) - before;
}

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

/* Adds an impulse along a row to its joint's strain. */
static void add_strain(cn_strain *s, const cn_joint_row *row, double y)
{
	s->force = v3_madd(s->force, row->jb.v, y);
	if (row->turns)
		s->torque = v3_madd(s->torque, row->jb.w, y);
}

/* Adds impulses of the joints' rows to their strains. */
static void add_strains(cn_articulations *g, const cn_articulation *art, const double *y)
{
	for (uint32_t i = 0; i < art->rows; ++i) {
		const cn_articulation_row *r = &g->rows[art->row + i];
		if (cn_row_held(r))
			add_strain(&g->strains[r->joint], &r->row, y[i]);
	}
}

/* Applies all forces but those of joints over a time, without their work. True: contacts, limits or motors are among
 * them. l->d: the velocity before. */
static bool push_links(cairn_world *w, const cn_articulation *art, double t)
{
	cn_articulations *g = w->context->articulations;
	bool any = false;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		apply_damping(w, l, t);
		l->d = (cn_twist){l->at.v, cn_spin(&w->rotors[l->slot], l->at.q, l->at.l)};
		l->at.v = v3_madd(l->at.v, v3_sub(l->a, l->slow_a), t);
		l->at.l = v3_madd(l->at.l, v3_sub(l->torque, l->slow_torque), t);
		any |= v3_length2(l->held_a) > 0 || v3_length2(l->held_torque) > 0;
	}
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		const cn_articulation_row *r = &g->rows[i];
		cn_strain *s = &g->strains[r->joint];
		double push = cn_row_of_axis(r) ? (s->drive + s->stop) * t : 0;
		if (push == 0)
			continue;
		add_strain(s, &r->row, push);
		cn_articulation_push_row(w, r, push);
		any = true;
	}
	return any;
}

/* Applies all forces over a time, and what the joints make of them. A push on a link moves the others too: its work is
 * along velocities that the joints allow, before and after. On the link alone it would do many times as much where that
 * is light. */
static void kick(cairn_world *w, cn_articulation *art, double t, bool ends, work *done)
{
	cn_articulations *g = w->context->articulations;
	double *sum = g->y + g->row_count;
	if (push_links(w, art, t) || ends) {
		for (uint32_t i = 0; i < art->rows; ++i)
			sum[i] = 0;
		cn_articulation_fix_velocities(w, art, sum);
		add_strains(g, art, sum);
	}
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		add_work(w, &g->links[i], t, done);
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		const cn_articulation_row *r = &g->rows[i];
		const cn_strain *s = &g->strains[r->joint];
		if (!cn_row_of_axis(r) || s->drive + s->stop == 0)
			continue;
		double way = t * axis_rate(w, g, r);
		done->motors += s->drive * way, done->held += s->stop * way;
	}
}

static double worst(const cn_articulation *art, const double *off)
{
	double max = 0;
	for (uint32_t i = 0; i < art->rows; ++i)
		max = fabs(off[i]) > max || isnan(off[i]) ? fabs(off[i]) : max;
	return max;
}

/* In a step of h some link turns further than can be shown between two keys. */
static bool turns_too_far(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, double h)
{
	bool far = false;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		far |= !(h * spin_bound(&w->rotors[g->links[i].slot], &g->links[i].at) <= CN_PIECE_TURN);
	return far;
}

/* The rounds that are left will not bring joints together that were off by last and are off by now. Joints of which there
 * are more than their bodies need may contradict each other by a little more than rounding, and that stays, however often it
 * is tried. Only where they are nearly together: before, one round says little of the next. */
static bool stalled(const cn_articulation *art, double off, double last, double enough, int left)
{
	double rate = off / last, then = off;
	for (int i = 0; i < left && then > enough; ++i)
		then *= rate;
	return then > enough && off <= CN_ARTICULATION_BROKEN * art->size;
}

/* The free flight of a step, with impulses that close the joints at its end. False: the iteration fails. *near
 * becomes false if it ends further off than it should. */
static bool fly(cairn_world *w, cn_articulation *art, double h, double share, bool *near)
{
	cn_articulations *g = w->context->articulations;
	double *y = g->y, *sum = g->y + g->row_count,
		   enough = CN_ARTICULATION_TOGETHER * art->size + cn_articulation_rounding(g, art), off = 0, last = INFINITY;
	for (uint32_t i = 0; i < art->rows; ++i)
		sum[i] = 0;
	cn_articulation_fix_velocities(
		w, art, sum); /* a flight along the joints, so that the violation grows only with the square of its length */
	art->result = turns_too_far(w, g, art, h) ? CN_ARTICULATION_COARSE : CN_ARTICULATION_FOLLOWED;
	for (int round = 0; round < CN_ARTICULATION_ROUNDS; ++round) {
		if (turns_too_far(w, g, art, h))
			return false;
		for (uint32_t i = art->link; i < art->link + art->links; ++i) {
			cn_link *l = &g->links[i];
			l->x1 = v3_madd(l->at.x, l->at.v, h);
			l->q1 = cn_rotate_free(&w->rotors[l->slot], l->at.q, l->at.l, h);
		}
		cn_articulation_violations(w, art, share, y);
		off = worst(art, y);
		if (!(off > enough) || stalled(art, off, last, enough, CN_ARTICULATION_ROUNDS - round))
			break;
		last = off;
		for (uint32_t i = 0; i < art->rows; ++i)
			y[i] *= -1 / h;
		cn_articulation_solve(g, art, y);
		cn_articulation_push(w, art, y);
		for (uint32_t i = 0; i < art->rows; ++i)
			sum[i] += y[i];
	}
	if (!(off <= CN_ARTICULATION_BROKEN * art->size))
		return false;
	*near &= off <= enough;
	add_strains(g, art, sum);
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		l->at.x = l->x1, l->at.q = q_unit(l->q1);
	}
	return true;
}

/* ---- the frame */

/* Adds a key before a step that would turn a link too far from its last one. False: memory ran out. */
static bool cut(cairn_world *w, cn_articulation *art, double h, double share)
{
	cn_articulations *g = w->context->articulations;
	bool far = false, coarse = false;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		double ahead = 1.2 * h * spin_bound(&w->rotors[l->slot], &l->at);
		coarse |= !(ahead <= CN_PIECE_TURN);
		far |= v3_length(q_turn(l->cut, l->at.q)) + ahead > CN_PIECE_TURN;
	}
	if (coarse || (far && art->pieces == CN_MAX_PIECES))
		art->result = CN_ARTICULATION_COARSE;
	if (!far || art->result == CN_ARTICULATION_COARSE)
		return true;
	if (!CN_ROOM(g->keys, g->key_count + art->links))
		return false;
	for (uint32_t i = 0; i < art->links; ++i) {
		cn_link *l = &g->links[art->link + i];
		cairn_key key = cn_key_of(w, l->slot, &l->at, cn_step_time(w, share), q_turn(l->cut, l->at.q));
		g->keys[g->key_count++] = (cn_extra){l->slot, key};
		l->cut = l->at.q;
	}
	++art->pieces;
	return true;
}

static double energy(const cairn_world *w, const cn_link *l)
{
	return cn_kinetic(&w->rotors[l->slot], &l->at) -
	       w->rotors[l->slot].mass * v3_dot(w->scene->settings.gravity, l->at.x);
}

static double energy_of(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double sum = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		sum += energy(w, &g->links[i]);
	return sum;
}

/* Velocity of the centre of mass; 0 if the articulation is tied to something, which takes up its momentum. */
static v3 mean_velocity(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	v3 momentum = v3_zero();
	double mass = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		mass += w->rotors[l->slot].mass, momentum = v3_madd(momentum, l->at.v, w->rotors[l->slot].mass);
	}
	return v3_scale(momentum, art->tied ? 0 : 1 / mass);
}

/* J: kinetic energy relative to a velocity. */
static double kinetic_about(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, v3 mean)
{
	double sum = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_motion m = g->links[i].at;
		m.v = v3_sub(m.v, mean);
		sum += cn_kinetic(&w->rotors[g->links[i].slot], &m);
	}
	return sum;
}

/* Adds kinetic energy by scaling all velocities relative to the mean, which the joints allow. */
static void add_energy(cairn_world *w, const cn_articulation *art, v3 mean, double more)
{
	cn_articulations *g = w->context->articulations;
	double kinetic = kinetic_about(w, g, art, mean);
	double share = kinetic > 0 ? sqrt(more > -kinetic ? 1 + more / kinetic : 0) : 1;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		l->at.v = v3_lerp(mean, l->at.v, share), l->at.l = v3_scale(l->at.l, share);
	}
}

/* Corrects the energy error of finite steps by scaling the motion relative to the mean, so that momentum is kept.
 * False: the error is too large for that. */
static bool keep_energy(cairn_world *w, const cn_articulation *art, double wanted)
{
	const cn_articulations *g = w->context->articulations;
	v3 mean = mean_velocity(w, g, art);
	double kinetic = kinetic_about(w, g, art, mean), more = wanted - energy_of(w, g, art);
	double little = CN_UNIT_ROUNDING * kinetic_about(w, g, art, v3_zero());
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		little += CN_PAY_MIN * w->rotors[l->slot].mass * w->context->gravity * w->bodies[l->slot].radius;
	}
	if (art->follows)
		return true; /* a script does an unknown amount of work on it */
	if (!(fabs(more) <= CN_ARTICULATION_ENERGY_ERROR * kinetic))
		return fabs(more) <= little;
	add_energy(w, art, mean, more);
	return true;
}

/* Contacts and limits must not add energy. They seem to when their forces, constant over the frame, do not turn with
 * the articulation; that work is taken back. If only limits, or contacts between its own links, did it, momentum is
 * kept. */
static void take_back_held(cairn_world *w, const cn_articulation *art, double held)
{
	const cn_articulations *g = w->context->articulations;
	v3 push = v3_zero();
	double all = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		double mass = w->rotors[l->slot].mass;
		push = v3_madd(push, l->held_a, mass), all += mass * v3_length(l->held_a);
	}
	bool touched = v3_length(push) > CN_UNIT_ROUNDING * all;
	if (held > 0 && !art->follows)
		add_energy(w, art, touched ? v3_zero() : mean_velocity(w, g, art), -held);
}

/* Updates hinge angles after each step, as a frame may contain more than half a turn. A joint beyond its limit is
 * held there for the rest of the frame: the next step brings it back, without a bounce. True: some joint is held. */
static bool catch_limits(cairn_world *w, const cn_articulation *art, double share)
{
	const cn_articulations *g = w->context->articulations;
	bool any = false;
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		cn_articulation_row *r = &g->rows[i];
		cn_joint *j = &w->joints[r->joint];
		if (!cn_row_of_axis(r))
			continue;
		double value = cn_articulation_axis(w, r, share).off, slack = CN_UNIT_ROUNDING * (1 + fabs(value));
		if (w->scene->joints[r->joint].type == CAIRN_HINGE)
			j->near = value;
		if (r->hold == CN_ROW_AXIS_FREE && (value < j->low - slack || value > j->high + slack))
			r->hold = CN_ROW_AXIS_HELD, r->at = value < j->low ? j->low : j->high;
		any |= r->hold == CN_ROW_AXIS_HELD;
	}
	return any;
}

static void release(cn_articulations *g, const cn_articulation *art)
{
	for (uint32_t i = art->row; i < art->row + art->rows; ++i)
		if (cn_row_of_axis(&g->rows[i]))
			g->rows[i].hold = CN_ROW_AXIS_FREE;
}

/* Integrates from the frame's start through a share of it (1: to its end). False: memory ran out. art->result: the
 * motion cannot be computed. *well: energy and joints are accurate enough. */
static bool follow(cairn_world *w, cn_articulation *art, double span, uint32_t steps, bool *well)
{
	cn_articulations *g = w->context->articulations;
	double h = span * w->dt / steps;
	art->key = g->key_count;
	*well = false;
	release(g, art);
	cn_articulation_factor(w, art, 0);
	cn_articulation_fix_velocities(w, art,
	                               NULL); /* removes velocities against the joints that an event or an impact left */
	work done = {0, 0};
	bool caught = false, near = true;
	double before = energy_of(w, g, art);
	for (uint32_t k = 0; k < steps; ++k) {
		double share = span * (k + 1) / steps;
		if (!cut(w, art, h, span * k / steps))
			return false;
		if (art->result == CN_ARTICULATION_COARSE)
			return true;
		kick(w, art, 0.5 * h, false, &done);
		if (!fly(w, art, h, share, &near)) {
			if (art->result != CN_ARTICULATION_COARSE)
				art->result = CN_ARTICULATION_LOST;
			return true;
		}
		caught |= catch_limits(w, art, share);
		cn_articulation_factor(w, art, share);
		kick(w, art, 0.5 * h, true, &done);
	}
	before += done.motors + done.held;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		before += g->links[i].work;
	/* a limit may take energy */
	*well = (caught && energy_of(w, g, art) <= before) || keep_energy(w, art, before);
	*well &= near;
	take_back_held(w, art, done.held);
	return true;
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

static void set_off(cairn_world *w, cn_articulations *g, cn_articulation *art)
{
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		l->at = w->motion[l->slot];
		find_damping(w, l);
		l->cut = l->at.q;
		l->work = 0;
	}
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
		g->strains[g->joints[i]].force = g->strains[g->joints[i]].torque = v3_zero();
		w->joints[g->joints[i]].near = w->joints[g->joints[i]].turn;
	}
	art->pieces = 1, art->result = CN_ARTICULATION_FOLLOWED;
}

/* Integrates with steps that are refined until they are accurate enough. Only the result shows that a link was
 * whipped round in this frame. */
static bool follow_well(cairn_world *w, cn_articulation *art)
{
	cn_articulations *g = w->context->articulations;
	uint32_t keys = g->key_count;
	bool well = false;
	find_forces(w, g, art);
	set_off(w, g, art);
	uint32_t steps = steps_of(w, g, art);
	for (uint32_t k = 0;
	     !well && (k < CN_ARTICULATION_TRIES || (art->result != CN_ARTICULATION_FOLLOWED && steps < 4 * CN_MAX_PIECES));
	     ++k, steps *= 4) {
		set_off(w, g, art);
		g->key_count = keys;
		if (!follow(w, art, 1, steps, &well))
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
		        !w->rotors[l->slot].dragged;
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

/* If the motion cannot be computed, the articulation moves as a whole in this frame: with its mean velocity and the
 * mean of its forces, without turning. Joints allow that unless they tie it to something. The relative motion of its
 * bodies waits. */
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
		l->at.v = v3_madd(l->at.v, gain, share);
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
		driven |= g->strains[g->joints[i]].drive != 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		cn_motion *to = &w->next[l->slot], plain = w->motion[l->slot];
		if (still)
			l->at = (cn_motion){plain.x, plain.q, v3_zero(), v3_zero()};
		plain.x = v3_madd(plain.x, v3_add(plain.v, to->v), 0.5 * w->dt);
		plain.v = to->v, plain.l = to->l;
		cn_link other = {.slot = l->slot, .at = plain};
		double made = energy(w, l) - energy(w, &other) - share_fields(w, l, &plain, e);
		*(still ? &e->dropped : &e->joints) += still ? -made : made;
		if (!still && !driven) /* contacts took this much less from the articulation than from free bodies */
			cn_losses_spend(&w->context->losses, l->slot, -made);
		*to = l->at;
	}
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
		set_off(w, g, art);
		if (!follow(w, art, span, steps_of(w, g, art), &well))
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
