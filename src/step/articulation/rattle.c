/* The motion of an articulation by equations between its links, where its joints form loops or are rods and ropes. It is
 * integrated in steps of its own within the frame, so that it conserves energy (RATTLE). A step of length h starts from
 * poses and velocities that satisfy the joints:
 *
 *   half a kick by the forces, and impulses J0' y such that ...
 *   ... a free flight of h leads to poses that satisfy the joints
 *   half a kick, and impulses J1' z such that the velocities there satisfy them */
#include "base/tolerance.h"
#include "step/articulation/follow.h"
#include "step/articulation/motion.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"
#include "world/joint.h"

#define CN_ARTICULATION_SWING                                                                                          \
	0.3 /* rad: of the fastest swing that the pull of joints makes; beyond 2 it would grow without end */
#define CN_ARTICULATION_STEPS                                                                                          \
	32 /* of an articulation in a frame at most, but for links that spin: a step turns no further than a key can show */
#define CN_ARTICULATION_FINEST 1024 /* parts of a step: so often it is halved where it fails */
#define CN_ARTICULATION_ARM                                                                                            \
	1e-3 /* of the articulation's size: a joint this near to a centre of mass makes nothing swing */

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

/* 1/s: bound of the frequencies and rates that servos and springs make, where the links are. A row with stiffness K and damping D
 * that gives a link the velocity g for an impulse of 1 makes K g of its frequency's square and D g of its rate; a row has two links,
 * which at most doubles what its links have. */
static double servo_rate(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double most = 0;
	bool any = false;
	for (uint32_t k = art->joint; k < art->joint + art->joints; ++k)
		any |= cn_joint_servo(&w->joints[g->joints[k]]);
	for (uint32_t i = art->link; i < art->link + art->links && any; ++i) {
		const cn_link *l = &g->links[i];
		const cn_rotor *m = &w->rotors[l->slot];
		double square = 0, rate = 0;
		for (uint32_t k = art->row; k < art->row + art->rows; ++k) {
			const cn_articulation_row *r = &g->rows[k];
			const cn_joint *j = &w->joints[r->joint];
			if (!cn_row_of_axis(r) || !cn_joint_servo(j) || (r->a != i && r->b != i))
				continue;
			cn_joint_row axis = cn_articulation_axis(w, r, 0);
			const cn_twist *to = r->a == i ? &axis.ja : &axis.jb;
			double gain = m->inv_mass * v3_length2(to->v) + v3_dot(to->w, cn_spin(m, l->at.q, to->w));
			square += 2 * j->stiffness * gain, rate += 2 * j->damping * gain;
		}
		most = sqrt(square) + rate > most ? sqrt(square) + rate : most;
	}
	return most;
}

static double spin_bound(const cn_rotor *r, const cn_motion *m) { return v3_length(cn_spin(r, m->q, m->l)); }

uint32_t cn_articulation_steps(const cairn_world *w, const cn_articulations *g, const cn_articulation *art)
{
	double fast = 0;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		const cn_link *l = &g->links[i];
		double spin = spin_bound(&w->rotors[l->slot], &l->at);
		fast = spin > fast ? spin : fast;
	}
	double fine = fast * w->dt / CN_ARTICULATION_TURN, stiff = stiffness(w, g, art) * w->dt / CN_ARTICULATION_SWING;
	double servos = servo_rate(w, g, art) * w->dt / CN_ARTICULATION_TURN;
	fine = fine > stiff ? fine : stiff;
	fine = fine > servos ? fine : servos;
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

/* The two links of a joint; CN_QP_NONE: none. */
static uint32_t link_at(const cairn_world *w, const cn_articulations *g, uint32_t joint, int side)
{
	uint32_t slot = side ? w->joints[joint].b : w->joints[joint].a;
	return slot == CN_NO_BODY || !w->rotors[slot].active ? CN_QP_NONE : g->link[slot];
}

/* Servos of balls push with the mean of the frame. True: there are some. */
static bool push_balls(cairn_world *w, const cn_articulation *art, double t)
{
	cn_articulations *g = w->context->articulations;
	bool any = false;
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
		cn_strain *s = &g->strains[g->joints[i]];
		if (v3_length2(s->twist) == 0)
			continue;
		any = true;
		s->torque = v3_madd(s->torque, s->twist, t);
		for (int side = 0; side < 2; ++side) {
			uint32_t link = link_at(w, g, g->joints[i], side);
			if (link != CN_QP_NONE)
				g->links[link].at.l = v3_madd(g->links[link].at.l, s->twist, side ? t : -t);
		}
	}
	return any;
}

/* J: work of the same in a kick, along the mean of the velocities before and after. */
static double work_of_balls(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, double t)
{
	double sum = 0;
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
		const cn_strain *s = &g->strains[g->joints[i]];
		for (int side = 0; side < 2 && v3_length2(s->twist) > 0; ++side) {
			uint32_t at = link_at(w, g, g->joints[i], side);
			if (at == CN_QP_NONE)
				continue;
			const cn_link *l = &g->links[at];
			v3 turns = v3_add(l->d.w, cn_spin(&w->rotors[l->slot], l->at.q, l->at.l));
			sum += (side ? 0.5 : -0.5) * t * v3_dot(s->twist, turns);
		}
	}
	return sum;
}

/* Applies all forces but those of joints over a time. Their work is added later; that of damping, which goes first, at
 * once. True: there are others than the world's gravity. l->d: the velocity before. */
static bool push_links(cairn_world *w, const cn_articulation *art, double t)
{
	cn_articulations *g = w->context->articulations;
	bool any = false;
	for (uint32_t i = art->link; i < art->link + art->links; ++i) {
		cn_link *l = &g->links[i];
		const cn_rotor *r = &w->rotors[l->slot];
		apply_damping(w, l, t);
		l->d = (cn_twist){l->at.v, cn_spin(r, l->at.q, l->at.l)};
		l->at.v = v3_madd(l->at.v, v3_sub(l->a, l->slow_a), t);
		l->at.l = v3_madd(l->at.l, v3_sub(l->torque, l->slow_torque), t);
		any |= w->scene->field_count > 0 || r->dragged || r->scaled;
		any |= v3_length2(l->held_a) > 0 || v3_length2(l->held_torque) > 0;
	}
	any |= push_balls(w, art, t);
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		const cn_articulation_row *r = &g->rows[i];
		cn_strain *s = &g->strains[r->joint];
		double push = cn_row_of_axis(r) ? (s->now + s->stops[r->axis]) * t : 0;
		if (push == 0)
			continue;
		add_strain(s, &r->row, push);
		cn_articulation_push_row(w, r, push);
		any = true;
	}
	return any;
}

/* How fast the value of a row's axis grows, with what carries the articulation. */
static double value_rate(const cairn_world *w, const cn_articulations *g, const cn_articulation_row *r)
{
	const cn_joint *j = &w->joints[r->joint];
	double sum = 0;
	for (int k = 0; k < 2; ++k) {
		uint32_t link = k ? r->b : r->a;
		const cn_twist *row = k ? &r->row.jb : &r->row.ja;
		cn_twist u = cn_articulation_carrier(w, k ? j->b : j->a);
		if (link != CN_QP_NONE) {
			const cn_link *l = &g->links[link];
			u = (cn_twist){l->at.v, cn_spin(&w->rotors[l->slot], l->at.q, l->at.l)};
		}
		sum += v3_dot(row->v, u.v) + v3_dot(row->w, u.w);
	}
	return sum;
}

/* What servos and springs push with in a kick of t, from where their joints are at a share of the frame: with the velocities before
 * it, or, where it ends a step, with those after it. Together that is the trapezoidal rule. */
static void set_drives(cairn_world *w, const cn_articulation *art, double t, bool ends, double share)
{
	cn_articulations *g = w->context->articulations;
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		const cn_articulation_row *r = &g->rows[i];
		const cn_joint *j = &w->joints[r->joint];
		cn_strain *s = &g->strains[r->joint];
		if (!cn_row_of_axis(r) || !cn_joint_servo(j))
			continue;
		double drift = j->motor == CAIRN_MOTOR_KEYS ? j->speed * (share - 1) * w->dt : 0;
		double value = r->row.off + (cn_row_held(r) ? r->at : 0);
		double push = j->stiffness * (j->target + drift - value) + j->damping * (j->speed - value_rate(w, g, r));
		double gain = v3_dot(r->row.ja.v, r->ma.v) + v3_dot(r->row.ja.w, r->ma.w) + v3_dot(r->row.jb.v, r->mb.v) +
		              v3_dot(r->row.jb.w, r->mb.w);
		push /= ends ? 1 + t * j->damping * gain : 1;
		s->now = push > j->most ? j->most : push < -j->most ? -j->most : push;
	}
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
	done->motors += work_of_balls(w, g, art, t);
	for (uint32_t i = art->row; i < art->row + art->rows; ++i) {
		const cn_articulation_row *r = &g->rows[i];
		const cn_strain *s = &g->strains[r->joint];
		if (!cn_row_of_axis(r) || s->now + s->stops[r->axis] == 0)
			continue;
		double way = t * axis_rate(w, g, r);
		done->motors += s->now * way, done->held += s->stops[r->axis] * way;
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
static bool stalled(const cairn_world *w, const cn_articulation *art, double off, double last, double enough, int left)
{
	double rate = off / last, then = off;
	for (int i = 0; i < left && then > enough; ++i)
		then *= rate;
	return then > enough && off <= cn_articulation_broken(w->context->articulations, art);
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
		if (!(off > enough) || stalled(w, art, off, last, enough, CN_ARTICULATION_ROUNDS - round))
			break;
		last = off;
		for (uint32_t i = 0; i < art->rows; ++i)
			y[i] *= -1 / h;
		cn_articulation_solve(g, art, y);
		cn_articulation_push(w, art, y);
		for (uint32_t i = 0; i < art->rows; ++i)
			sum[i] += y[i];
	}
	if (!(off <= cn_articulation_broken(w->context->articulations, art)))
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

/* Updates hinge angles after each step, as a frame may contain more than half a turn. A joint beyond its limit is
 * held there for the rest of the frame: the next step brings it back, without a bounce. Where that won energy, because a light
 * link whirls meanwhile, it stays where it is instead. True: some joint is held. */
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
		cn_joint_span in = cn_joint_limits(w, r->joint, r->axis);
		if (r->hold == CN_ROW_AXIS_FREE && (value < in.low - slack || value > in.high + slack))
			r->hold = CN_ROW_AXIS_HELD, r->at = art->limits_won ? value : value < in.low ? in.low : in.high;
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

/* What a step that fails goes back to. */
typedef struct state {
	cn_link *links;
	cn_strain *strains;
	work done;
} state;

static bool keep(state *s, cairn_world *w, const cn_articulation *art)
{
	return CN_LOCAL(s->links, art->links) && CN_LOCAL(s->strains, art->joints);
}

static void remember(state *s, const cn_articulations *g, const cn_articulation *art, const work *done)
{
	for (uint32_t i = 0; i < art->links; ++i)
		s->links[i] = g->links[art->link + i];
	for (uint32_t i = 0; i < art->joints; ++i)
		s->strains[i] = g->strains[g->joints[art->joint + i]];
	s->done = *done;
}

static void go_back(const state *s, cn_articulations *g, const cn_articulation *art, work *done)
{
	for (uint32_t i = 0; i < art->links; ++i)
		g->links[art->link + i] = s->links[i];
	for (uint32_t i = 0; i < art->joints; ++i)
		g->strains[g->joints[art->joint + i]] = s->strains[i];
	*done = s->done;
}

/* An articulation on its way through the frame, in parts of which CN_ARTICULATION_FINEST are one of the steps asked for. */
typedef struct way {
	double span, h, steps; /* of the frame; s, a step asked for; how many of them */
	work done;
	state before;
	bool caught, near;
	bool live; /* servos push with what they see in every step; else with the mean of the frame */
} way;

/* J: energy of an articulation, less what forces have brought since the frame's start. */
static double own_energy(const cairn_world *w, const cn_articulations *g, const cn_articulation *art, const work *done)
{
	double sum = cn_articulation_energy(w, g, art) - done->motors - done->held;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		sum -= g->links[i].work;
	return sum;
}

/* A step from one part to another. False: memory ran out. *made: it did not fail. */
static bool step(cairn_world *w, cn_articulation *art, way *y, double from, double to, bool *made)
{
	cn_articulations *g = w->context->articulations;
	double h = y->h * ((to - from) / CN_ARTICULATION_FINEST),
		   share = y->span * (to / CN_ARTICULATION_FINEST) / y->steps,
		   begins = y->span * (from / CN_ARTICULATION_FINEST) / y->steps;
	*made = false;
	art->result = CN_ARTICULATION_FOLLOWED;
	if (!cn_articulation_cut(w, art, h, begins))
		return false;
	if (art->result == CN_ARTICULATION_COARSE)
		return true;
	remember(&y->before, g, art, &y->done);
	double energy = own_energy(w, g, art, &y->done);
	if (y->live)
		set_drives(w, art, 0.5 * h, false, begins);
	kick(w, art, 0.5 * h, false, &y->done);
	bool near = true, closed = fly(w, art, h, share, &near), caught = false;
	if (closed) {
		caught = catch_limits(w, art, share);
		cn_articulation_factor(w, art, share);
		if (y->live)
			set_drives(w, art, 0.5 * h, true, share);
		kick(w, art, 0.5 * h, true, &y->done);
	}
	double error = own_energy(w, g, art, &y->done) - energy; /* a sixteenth of what is mended: errors of steps add up */
	*made = closed && ((caught && (error <= 0 || !art->limits_won)) || to - from == 1 ||
	                   cn_articulation_mendable(w, art, 16 * error));
	if (*made) {
		y->caught |= caught, y->near &= near;
		return true;
	}
	go_back(&y->before, g, art, &y->done);
	if (closed)
		cn_articulation_factor(w, art, begins);
	if (art->result != CN_ARTICULATION_COARSE)
		art->result = CN_ARTICULATION_LOST;
	return true;
}

/* Goes to the end of the way. A step that fails is halved, and those after it are as short until they have made up a
 * longer one: where links straighten, a light one between heavy ones is whipped round in a small part of the frame. */
static bool go(cairn_world *w, cn_articulation *art, way *y)
{
	uint64_t at = 0, parts = CN_ARTICULATION_FINEST, end = (uint64_t)y->steps * parts;
	bool made = true;
	for (uint32_t failed = 0; at < end; failed += !made) {
		if (!step(w, art, y, (double)at, (double)(at + parts), &made))
			return false;
		if (!made && (parts == 1 || failed == CN_MAX_PIECES || art->result == CN_ARTICULATION_COARSE))
			return true;
		at += made ? parts : 0;
		if (!made)
			parts /= 2;
		else if (parts < CN_ARTICULATION_FINEST && at % (2 * parts) == 0)
			parts *= 2;
	}
	return true;
}

bool cn_articulation_rattle(cairn_world *w, cn_articulation *art, double span, uint32_t steps, bool *well)
{
	cn_articulations *g = w->context->articulations;
	cn_arena_mark mark = cn_arena_here(&w->context->temporary);
	way y = {.span = span, .h = span * w->dt / steps, .steps = steps, .near = true};
	art->key = g->key_count;
	*well = false;
	release(g, art);
	cn_articulation_factor(w, art, 0);
	cn_articulation_fix_velocities(w, art,
	                               NULL); /* removes velocities against the joints that an event or an impact left */
	double before = cn_articulation_energy(w, g, art);
	y.live = servo_rate(w, g, art) * y.h <= CN_ARTICULATION_SWING;
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i)
		g->strains[g->joints[i]].now = g->strains[g->joints[i]].drive;
	bool fine = keep(&y.before, w, art) && go(w, art, &y);
	cn_arena_return(&w->context->temporary, mark);
	if (!fine || art->result != CN_ARTICULATION_FOLLOWED)
		return fine;
	before += y.done.motors + y.done.held;
	for (uint32_t i = art->link; i < art->link + art->links; ++i)
		before += g->links[i].work;
	/* a limit may take energy */
	*well = (y.caught && cn_articulation_energy(w, g, art) <= before) || cn_articulation_keep_energy(w, art, before);
	double won = cn_articulation_energy(w, g, art) - before;
	art->limits_won = !*well && y.caught && won > 0 && !cn_articulation_mendable(w, art, won);
	*well &= y.near;
	cn_articulation_take_back(w, art, y.done.held);
	return true;
}
