/* Joints in programs (OBA 6.4): position rows (eq. 6.44) and attachment impulses (eq. 6.45 to 6.47), beside the
 * contacts. A motor is a row as long as it is strong enough; otherwise it pushes with its largest force. */
#include "base/tolerance.h"
#include "step/articulation/motion.h"
#include "step/joint/articulation.h"
#include "step/motion/rotate.h"
#include "step/tolerance.h"
#include "world/joint.h"

/* Bounds of a row, m or rad, or their rates. */
typedef struct span {
	double low, high;
} span;

/* Adds a joint row to the current program. A side that is not in the program keeps its motion: it stands still, or
 * moves with its script. speeds: the bounds are rates. */
static bool add(cairn_world *w, uint32_t joint, const cn_joint_row *at, span within, cn_row_kind kind, bool speeds)
{
	const cn_joint *j = &w->joints[joint];
	double low = within.low, high = within.high;
	cn_program *p = &w->context->program;
	const uint32_t slots[2] = {j->a, j->b};
	uint32_t index[2];
	for (int k = 0; k < 2; ++k) {
		const cn_twist *row = k ? &at->jb : &at->ja;
		index[k] = slots[k] == CN_NO_BODY ? CN_QP_NONE : p->index[slots[k]];
		if (slots[k] == CN_NO_BODY || w->bodies[slots[k]].type != CAIRN_SCRIPTED || !speeds)
			continue;
		const cn_motion *m = &w->next[slots[k]];
		cn_twist u = index[k] != CN_QP_NONE ? p->u0[index[k]] : (cn_twist){m->v, m->l};
		double moves = v3_dot(row->v, u.v) + v3_dot(row->w, u.w);
		index[k] = CN_QP_NONE; /* so that the row's work is what its link gets */
		low -= moves, high -= moves;
	}
	if (index[0] == CN_QP_NONE && index[1] == CN_QP_NONE)
		return true;
	bool turn = index[0] == CN_QP_NONE;
	cn_qp_row row = {.a = index[turn],
	                 .b = index[!turn],
	                 .ja = turn ? at->jb : at->ja,
	                 .jb = turn ? at->ja : at->jb,
	                 .low = low,
	                 .high = high};
	return cn_program_add_row(w, row, joint, kind);
}

/* ---- position program */

/* Pose of a side in a pass, after the rotation that is applied before the rows are built. */
static pose turned_side(const cairn_world *w, uint32_t slot, const quat *turns)
{
	pose at = cn_joint_side(w->next, slot);
	uint32_t index = slot == CN_NO_BODY ? CN_QP_NONE : w->context->program.index[slot];
	if (turns && index != CN_QP_NONE)
		at.orientation = q_mul(turns[index], at.orientation);
	return at;
}

static bool in_program(const cn_program *p, uint32_t slot)
{
	return slot != CN_NO_BODY && p->index[slot] != CN_QP_NONE;
}

bool cn_articulations_position_rows(cairn_world *w, const quat *turns)
{
	const cn_articulations *g = w->context->articulations;
	for (uint32_t k = 0; g && k < g->joint_count; ++k) {
		uint32_t joint = g->joints[k];
		const cn_joint *j = &w->joints[joint];
		if (!in_program(&w->context->program, j->a) && !in_program(&w->context->program, j->b))
			continue;
		cn_joint_row rows[CN_JOINT_ROWS];
		pose a = turned_side(w, j->a, turns), b = turned_side(w, j->b, turns);
		uint32_t count = cn_joint_equations(w, joint, a, b, rows);
		for (uint32_t i = 0; i < count; ++i)
			if (!add(w, joint, &rows[i], (span){-rows[i].off, -rows[i].off}, CN_ROW_EQUATION, false))
				return false;
		for (uint32_t n = 0; n < cn_joint_axis_count(w, joint); ++n) {
			cn_joint_span in = cn_joint_limits(w, joint, n);
			cn_joint_row axis = cn_joint_axis(w, joint, n, a, b);
			if (cn_joint_limited(in) &&
			    !add(w, joint, &axis, (span){in.low - axis.off, in.high - axis.off}, CN_ROW_LIMIT + n, false))
				return false;
		}
	}
	return true;
}

/* ---- momentum programs */

static bool add_equations(cairn_world *w, uint32_t joint, pose a, pose b)
{
	cn_joint_row rows[CN_JOINT_ROWS];
	uint32_t count = cn_joint_equations(w, joint, a, b, rows);
	for (uint32_t i = 0; i < count; ++i)
		if (!add(w, joint, &rows[i], (span){0, 0}, CN_ROW_EQUATION, true))
			return false;
	return true;
}

/* Velocity along the free axis at the frame's start. */
static double axis_speed(const cairn_world *w, const cn_joint *j, const cn_joint_row *axis)
{
	double sum = 0;
	for (int k = 0; k < 2; ++k) {
		uint32_t slot = k ? j->b : j->a;
		const cn_twist *row = k ? &axis->jb : &axis->ja;
		if (slot == CN_NO_BODY || w->bodies[slot].type == CAIRN_FIXED)
			continue;
		const cn_motion *m = &w->motion[slot];
		sum += v3_dot(row->v, m->v) + v3_dot(row->w, cn_spin(&w->rotors[slot], m->q, m->l));
	}
	return sum;
}

/* Bound of the speed that a force motor may reach in this frame, so that keys can show the motion. INFINITY: even
 * without the other bodies of the articulation, its own two stay below the bound. */
static double axis_bound(const cairn_world *w, uint32_t joint, double force)
{
	const cn_joint *j = &w->joints[joint];
	const cn_program *p = &w->context->program;
	cn_joint_row axis = cn_joint_axis(w, joint, 0, cn_joint_side(w->motion, j->a), cn_joint_side(w->motion, j->b));
	double rate = 0, gain = 0;
	for (int k = 0; k < 2; ++k) {
		uint32_t slot = k ? j->b : j->a, index = slot == CN_NO_BODY ? CN_QP_NONE : p->index[slot];
		const cn_twist *row = k ? &axis.jb : &axis.ja;
		cn_twist u = {{0, 0, 0}, {0, 0, 0}};
		if (index == CN_QP_NONE)
			continue;
		cn_qp_push(&p->bodies[index], row->v, row->w, &u);
		rate += v3_dot(row->v, p->u0[index].v) + v3_dot(row->w, p->u0[index].w);
		gain += v3_dot(row->v, u.v) + v3_dot(row->w, u.w);
	}
	double max = CN_SPIN_MAX * w->scene->settings.fps;
	return !axis.turns || fabs(rate + force * w->dt * gain) <= max ? INFINITY : max;
}

/* What an impulse of 1 along a row gives its two bodies, if nothing else held them. */
static double row_gain(const cairn_world *w, const cn_joint *j, const cn_joint_row *axis)
{
	const cn_program *p = &w->context->program;
	double gain = 0;
	for (int k = 0; k < 2; ++k) {
		uint32_t slot = k ? j->b : j->a, index = slot == CN_NO_BODY ? CN_QP_NONE : p->index[slot];
		const cn_twist *row = k ? &axis->jb : &axis->ja;
		cn_twist u = {{0, 0, 0}, {0, 0, 0}};
		if (index == CN_QP_NONE)
			continue;
		cn_qp_push(&p->bodies[index], row->v, row->w, &u);
		gain += v3_dot(row->v, u.v) + v3_dot(row->w, u.w);
	}
	return gain;
}

/* A spring between two points is followed through the frame, so the program is to know the mean of what it does: its force
 * half-way, with the velocities v0 before and v1 after. One that is stiff for the frame is at its end, as a servo. Between the two
 * goes a share m of the way, by how stiff it is; the error of the force is of the third order in the frame's length.
 *
 *   force = K (target - x0 - dt ((1 - m) v0 + (1 + 3 m) v1)/4) + D (speed - ((1 - m) v0 + (1 + m) v1)/2) */
static bool add_spring(cairn_world *w, uint32_t joint, const cn_joint_row *axis)
{
	const cn_joint *j = &w->joints[joint];
	cn_program *p = &w->context->program;
	double stiff = (j->stiffness * w->dt + j->damping) * w->dt * row_gain(w, j, axis);
	double m = stiff < 1 ? stiff * stiff / (1 + stiff * stiff) : 1 / (1 + 1 / (stiff * stiff));
	double hard = 0.25 * (1 + 3 * m) * j->stiffness * w->dt + 0.5 * (1 + m) * j->damping;
	double before = (1 - m) * (0.25 * j->stiffness * w->dt + 0.5 * j->damping) * axis_speed(w, j, axis);
	double rate = (j->stiffness * (j->target - axis->off) + j->damping * j->speed - before) / hard;
	uint32_t row = p->qp.row_count;
	if (!add(w, joint, axis, (span){rate, rate}, CN_ROW_MOTOR, true))
		return false;
	if (p->qp.row_count > row)
		p->rows[row].soft = 1 / (hard * w->dt);
	return true;
}

/* A servo pushes with stiffness (target - value) + damping (speed - rate) at the frame's end. That is a row that gives
 * way: at rate c + y/k it has pushed with y in the frame. */
static bool add_servo(cairn_world *w, uint32_t joint, const cn_joint_row *axis)
{
	const cn_joint *j = &w->joints[joint];
	cn_program *p = &w->context->program;
	double hard = j->damping + j->stiffness * w->dt;
	double rate = (j->stiffness * (j->target - axis->off) + j->damping * j->speed) / hard;
	uint32_t before = p->qp.row_count;
	if (!add(w, joint, axis, (span){rate, rate}, CN_ROW_MOTOR, true))
		return false;
	if (p->qp.row_count > before)
		p->rows[before].soft = 1 / (hard * w->dt);
	return true;
}

/* The same of a ball, about each of the world's axes. */
static bool add_ball_servo(cairn_world *w, uint32_t joint, pose a, pose b)
{
	const cn_joint *j = &w->joints[joint];
	cn_program *p = &w->context->program;
	double hard = j->damping + j->stiffness * w->dt;
	v3 left = cn_joint_left(j, a, b), swing = q_rotate(a.orientation, j->swing);
	for (int k = 0; k < 3; ++k) {
		v3 n = v3_make(k == 0, k == 1, k == 2);
		cn_joint_row axis = {{v3_zero(), v3_neg(n)}, {v3_zero(), n}, 0, true};
		double rate = (j->stiffness * v3_at(left, k) + j->damping * v3_at(swing, k)) / hard;
		uint32_t before = p->qp.row_count;
		if (!add(w, joint, &axis, (span){rate, rate}, CN_ROW_MOTOR, true))
			return false;
		if (p->qp.row_count > before)
			p->rows[before].soft = 1 / (hard * w->dt);
	}
	return true;
}

/* A limit of an axis becomes a bound on its velocity: no further than the room that is left in this frame. */
static bool add_limit(cairn_world *w, uint32_t joint, uint32_t number, const cn_joint_row *axis, span in)
{
	const cn_joint *j = &w->joints[joint];
	double speed0 = axis_speed(w, j, axis), little = CN_ARTICULATION_TURN / w->dt;
	bool hits = speed0 > 2 * in.high + little || speed0 < 2 * in.low - little; /* it would pass within the frame */
	if ((isinf(in.low) && isinf(in.high)) || hits)
		return true;
	return add(w, joint, axis, in, CN_ROW_LIMIT + number, true);
}

static span room_left(const cairn_world *w, uint32_t joint, uint32_t number, const cn_joint_row *axis)
{
	cn_joint_span in = cn_joint_limits(w, joint, number);
	double low = (in.low - axis->off) / w->dt, high = (in.high - axis->off) / w->dt;
	return (span){low < 0 ? low : 0, high > 0 ? high : 0};
}

/* A motor becomes a row with its speed. Who has one has one axis. */
static bool add_axis_rows(cairn_world *w, uint32_t joint, pose a, pose b)
{
	const cn_joint *j = &w->joints[joint];
	uint32_t axes = cn_joint_axis_count(w, joint);
	for (uint32_t n = 0; n < axes; ++n) {
		cn_joint_row axis = cn_joint_axis(w, joint, n, a, b);
		if (!add_limit(w, joint, n, &axis, room_left(w, joint, n, &axis)))
			return false;
	}
	if (j->motor == CAIRN_NO_MOTOR)
		return true;
	if (cn_joint_turns(w, joint))
		return add_ball_servo(w, joint, a, b);
	cn_joint_row axis = cn_joint_axis(w, joint, 0, a, b);
	if (j->motor == CAIRN_MOTOR_FORCE) {
		double max = axis_bound(w, joint, j->most);
		return isinf(max) || add(w, joint, &axis, (span){j->most > 0 ? max : -INFINITY, j->most > 0 ? INFINITY : -max},
		                         CN_ROW_MOTOR, true);
	}
	if (cn_joint_servo(j))
		return cn_joint_pulls(w, joint) ? add_spring(w, joint, &axis) : add_servo(w, joint, &axis);
	span in = room_left(w, joint, 0, &axis);
	double speed = j->speed < in.low ? in.low : j->speed > in.high ? in.high : j->speed;
	return add(w, joint, &axis, (span){speed, speed}, CN_ROW_MOTOR, true);
}

/* Applies a force along a row, over the frame, to the velocities that the program starts from. */
static void push_along(cairn_world *w, uint32_t joint, const cn_joint_row *axis, double force)
{
	cn_program *p = &w->context->program;
	const cn_joint *j = &w->joints[joint];
	for (int k = 0; k < 2; ++k) {
		uint32_t slot = k ? j->b : j->a, index = slot == CN_NO_BODY ? CN_QP_NONE : p->index[slot];
		const cn_twist *row = k ? &axis->jb : &axis->ja;
		if (index == CN_QP_NONE)
			continue;
		const double *i = p->bodies[index].inv_inertia;
		v3 t = v3_scale(row->w, force * w->dt);
		p->u0[index].v = v3_madd(p->u0[index].v, row->v, force * w->dt * p->bodies[index].inv_mass);
		p->u0[index].w =
			v3_add(p->u0[index].w, v3_make(i[0] * t.x + i[1] * t.y + i[2] * t.z, i[1] * t.x + i[3] * t.y + i[4] * t.z,
		                                   i[2] * t.x + i[4] * t.y + i[5] * t.z));
	}
}

/* A motor's force. */
static void drive(cairn_world *w, uint32_t joint, double force)
{
	const cn_joint *j = &w->joints[joint];
	cn_joint_row axis = cn_joint_axis(w, joint, 0, cn_joint_side(w->motion, j->a), cn_joint_side(w->motion, j->b));
	w->context->articulations->strains[joint].drive += force;
	push_along(w, joint, &axis, force);
}

/* What a row of a ball's servo gives b: its impulse is about one of the world's axes. */
static v3 twist_of(const cairn_world *w, uint32_t row)
{
	const cn_program *p = &w->context->program;
	const cn_qp_row *r = &p->rows[row];
	bool on_b = p->slots[r->a] == w->joints[p->row_joint[row]].b;
	return v3_scale(r->ja.w, (on_b ? 1 : -1) * p->row_y[row] / w->dt);
}

/* A ball's servo that is too weak pushes with the most it has, whatever the axis. True: it is; its three rows end. */
static bool saturate_ball(cairn_world *w, uint32_t row)
{
	uint32_t joint = w->context->program.row_joint[row];
	v3 torque = v3_add(v3_add(twist_of(w, row), twist_of(w, row + 1)), twist_of(w, row + 2));
	double most = w->joints[joint].most, length = v3_length(torque);
	if (!(length > most * (1 + CN_UNIT_ROUNDING)))
		return false;
	torque = v3_scale(torque, most / length);
	cn_strain *s = &w->context->articulations->strains[joint];
	s->twist = v3_add(s->twist, torque);
	cn_joint_row axis = {{v3_zero(), v3_neg(torque)}, {v3_zero(), torque}, 0, true};
	push_along(w, joint, &axis, 1);
	return true;
}

/* Articulations with a contact, a motor or a limit are in the rest program. The others move by themselves (move.c).
 * */
bool cn_articulations_rest_rows(cairn_world *w)
{
	cn_context *c = w->context;
	cn_articulations *g = c->articulations;
	const cn_program *p = &c->program;
	for (uint32_t i = 0; g && i < p->qp.contact_count; ++i) {
		const cn_pair *q = &c->contacts.pairs[p->pair_of[i]];
		const uint32_t slots[2] = {q->a, q->b};
		for (int k = 0; k < 2; ++k)
			if (g->of[slots[k]] != CN_QP_NONE)
				g->all[g->of[slots[k]]].solved = true;
	}
	for (uint32_t k = 0; g && k < g->count; ++k) {
		cn_articulation *art = &g->all[k];
		art->solved |= art->drives;
		art->solved &= cn_body_movable(w, g->links[art->link].slot);
		for (uint32_t i = art->joint; art->solved && i < art->joint + art->joints; ++i) {
			uint32_t joint = g->joints[i];
			const cn_joint *j = &w->joints[joint];
			pose a = cn_joint_side(w->motion, j->a), b = cn_joint_side(w->motion, j->b);
			if (j->motor == CAIRN_MOTOR_FORCE && isinf(axis_bound(w, joint, j->most)))
				drive(w, joint, j->most);
			if (!add_equations(w, joint, a, b) || !add_axis_rows(w, joint, a, b))
				return false;
		}
	}
	return true;
}

/* The side of a joint with velocities at both ends of the step. */
typedef struct side {
	pose from, to; /* where the step begins and ends */
	cn_twist u;    /* of the program's solution */
	v3 later;      /* rad/s: how much its spin exceeds that where it has turned */
} side;

static side side_of(const cairn_world *w, uint32_t slot)
{
	const cn_program *p = &w->context->program;
	side s = {.from = cn_joint_side(w->motion, slot)};
	uint32_t index = slot == CN_NO_BODY ? CN_QP_NONE : p->index[slot];
	s.to = s.from;
	if (index == CN_QP_NONE || !cn_body_movable(w, slot))
		return s;
	cn_twist first = cn_twist_of(w, slot, s.from.orientation, &w->motion[slot]);
	s.u = p->u[index];
	s.to.position = v3_madd(s.from.position, v3_add(first.v, s.u.v), 0.5 * w->dt);
	s.to.orientation = q_mul(q_exp(v3_scale(v3_add(first.w, s.u.w), 0.5 * w->dt)), s.from.orientation);
	s.later = cn_spin_later(&w->rotors[slot], s.from.orientation, first.w, s.u.w, w->dt);
	return s;
}

/* What a row of a joint misses of its speed at the end of the step: links turn about each other, and its arms turn with
 * them. */
static double missed(const side *s, const cn_twist *from, const cn_twist *to)
{
	return v3_dot(v3_sub(to->v, from->v), s->u.v) + v3_dot(v3_sub(to->w, from->w), s->u.w) + v3_dot(to->w, s->later);
}

/* The rest program asks for velocities of the step's end, so equations have to hold there. By those of its start, links
 * that go round each other would lack the pull that bends their paths: what stands on a leg that tips would be lifted off
 * the floor by it. */
bool cn_articulations_carry(cairn_world *w)
{
	cn_program *p = &w->context->program;
	bool any = false;
	for (uint32_t i = 0, next; i < p->qp.row_count; i = next) {
		uint32_t joint = p->row_joint[i], k = 0;
		side a = side_of(w, w->joints[joint].a), b = side_of(w, w->joints[joint].b);
		cn_joint_row from[CN_JOINT_ROWS], to[CN_JOINT_ROWS];
		(void)cn_joint_equations(w, joint, a.from, b.from, from);
		(void)cn_joint_equations(w, joint, a.to, b.to, to);
		for (next = i; next < p->qp.row_count && p->row_joint[next] == joint; ++next) {
			if (p->row_kind[next] != CN_ROW_EQUATION)
				continue;
			p->row_misses[next] = missed(&a, &from[k].ja, &to[k].ja) + missed(&b, &from[k].jb, &to[k].jb);
			p->rows[next].low -= p->row_misses[next], p->rows[next].high -= p->row_misses[next];
			any = any || p->row_misses[next] != 0, ++k;
		}
	}
	return any;
}

/* A contact of the joint's articulation is not held by the program's solution: a motor drives a link against it, and as an
 * equation it would win against any contact. */
static bool blocked(const cairn_world *w, uint32_t joint)
{
	const cn_articulations *g = w->context->articulations;
	const cn_program *p = &w->context->program;
	const cn_joint *j = &w->joints[joint];
	uint32_t slot = j->a == CN_NO_BODY || g->of[j->a] == CN_QP_NONE ? j->b : j->a, art = g->of[slot];
	bool any = false;
	for (uint32_t i = 0; i < p->qp.contact_count && !any; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		const cn_twist none = {{0, 0, 0}, {0, 0, 0}}, *a = k->a == CN_QP_NONE ? &none : &p->u[k->a],
					   *b = k->b == CN_QP_NONE ? &none : &p->u[k->b];
		v3 v = v3_sub(v3_add(b->v, v3_cross(b->w, k->rb)), v3_add(a->v, v3_cross(a->w, k->ra)));
		any = v3_dot(k->n, v) < k->least - CN_STILL_SPEED * w->context->gravity * w->dt &&
		      ((k->a != CN_QP_NONE && g->of[p->slots[k->a]] == art) ||
		       (k->b != CN_QP_NONE && g->of[p->slots[k->b]] == art));
	}
	return any;
}

/* A motor that is too weak, or is blocked, pushes with the most it has; the row that is left keeps it from passing its own
 * speed. */
bool cn_articulations_saturate(cairn_world *w)
{
	cn_program *p = &w->context->program;
	uint32_t kept = 0, count = p->qp.row_count;
	bool any = false;
	for (uint32_t i = 0; i < count; ++i) {
		uint32_t joint = p->row_joint[i];
		if (p->row_kind[i] == CN_ROW_MOTOR && cn_joint_turns(w, joint)) {
			bool weak = saturate_ball(w, i);
			for (uint32_t k = 0; k < 3 && !weak; ++k, ++kept) {
				p->rows[kept] = p->rows[i + k], p->row_y[kept] = p->row_y[i + k];
				p->row_joint[kept] = joint, p->row_kind[kept] = CN_ROW_MOTOR;
			}
			any |= weak, i += 2;
			continue;
		}
		double max = fabs(w->joints[joint].most), force = p->row_y[i] / w->dt;
		cn_qp_row row = p->rows[i];
		bool speed = row.low == row.high, bounds = w->joints[joint].motor == CAIRN_MOTOR_SPEED && !speed;
		p->row_y[kept] = p->row_y[i];
		bool gives_in = p->row_kind[i] == CN_ROW_MOTOR && !bounds;
		if (gives_in && (fabs(force) > max * (1 + CN_UNIT_ROUNDING) || (speed && row.soft == 0 && blocked(w, joint)))) {
			drive(w, joint, force > 0 ? max : -max);
			any = true;
			if (!speed || row.soft > 0) /* a servo that gives in does so for the frame */
				continue;
			*(force > 0 ? &row.low : &row.high) = force > 0 ? -INFINITY : INFINITY;
			p->row_y[kept] = 0;
		}
		p->rows[kept] = row, p->row_misses[kept] = p->row_misses[i];
		p->row_joint[kept] = joint, p->row_kind[kept++] = p->row_kind[i];
	}
	p->qp.row_count = kept;
	return any;
}

/* J: the work of a row of the program. */
static double row_work(const cn_program *p, uint32_t row, const cn_twist *before, const cn_twist *after)
{
	return 0.5 * p->row_y[row] * (cn_qp_row_value(&p->qp, row, before) + cn_qp_row_value(&p->qp, row, after));
}

/* Stores what contacts, motors and limits do to each link as forces over the frame. Joints react to them when the
 * motion is integrated. */
void cn_articulations_store_forces(cairn_world *w)
{
	cn_context *c = w->context;
	cn_articulations *g = c->articulations;
	const cn_program *p = &c->program;
	for (uint32_t i = 0; g && i < g->link_count; ++i) {
		cn_link *l = &g->links[i];
		l->at.v = w->next[l->slot].v, l->at.l = w->next[l->slot].l;
	}
	for (uint32_t i = 0; g && i < p->qp.contact_count; ++i) {
		const cn_qp_contact *k = &p->contacts[i];
		v3 y = cn_qp_vector(k->n, p->y[i]);
		uint32_t a = k->a == CN_QP_NONE ? CN_QP_NONE : g->link[p->slots[k->a]],
				 b = k->b == CN_QP_NONE ? CN_QP_NONE : g->link[p->slots[k->b]];
		if (b != CN_QP_NONE) {
			g->links[b].at.v = v3_madd(g->links[b].at.v, y, w->rotors[g->links[b].slot].inv_mass);
			g->links[b].at.l = v3_add(g->links[b].at.l, v3_cross(k->rb, y));
		}
		if (a != CN_QP_NONE) {
			g->links[a].at.v = v3_madd(g->links[a].at.v, y, -w->rotors[g->links[a].slot].inv_mass);
			g->links[a].at.l = v3_sub(g->links[a].at.l, v3_cross(k->ra, y));
		}
	}
	for (uint32_t k = 0; g && k < g->count; ++k)
		g->all[k].bent = 0;
	for (uint32_t i = 0; g && i < p->qp.row_count; ++i)
		if (p->row_kind[i] == CN_ROW_EQUATION) {
			g->all[g->of[p->slots[p->rows[i].a]]].bent += row_work(p, i, p->u0, p->u);
		} else if (p->row_kind[i] == CN_ROW_MOTOR && cn_joint_turns(w, p->row_joint[i])) {
			v3 *sum = &g->strains[p->row_joint[i]].twist;
			*sum = v3_add(*sum, twist_of(w, i));
		} else
			*(p->row_kind[i] == CN_ROW_MOTOR ? &g->strains[p->row_joint[i]].drive
			                                 : &g->strains[p->row_joint[i]].stops[p->row_kind[i] - CN_ROW_LIMIT]) +=
				p->row_y[i] / w->dt;
	for (uint32_t i = 0; g && i < g->link_count; ++i) {
		cn_link *l = &g->links[i];
		l->a = v3_scale(v3_sub(l->at.v, w->motion[l->slot].v), 1 / w->dt);
		l->torque = v3_scale(v3_sub(l->at.l, w->motion[l->slot].l), 1 / w->dt);
		l->held_a = v3_scale(v3_sub(l->at.v, w->next[l->slot].v), 1 / w->dt);
		l->held_torque = v3_scale(v3_sub(l->at.l, w->next[l->slot].l), 1 / w->dt);
	}
}

/* A joint at a limit moves no further. */
static bool add_stops(cairn_world *w, uint32_t joint, pose a, pose b)
{
	uint32_t axes = cn_joint_axis_count(w, joint);
	for (uint32_t n = 0; n < axes; ++n) {
		cn_joint_row axis = cn_joint_axis(w, joint, n, a, b);
		cn_joint_span in = cn_joint_limits(w, joint, n);
		double slack = CN_UNIT_ROUNDING * (1 + fabs(axis.off));
		bool low = axis.off <= in.low + slack, high = axis.off >= in.high - slack;
		if ((low || high) &&
		    !add(w, joint, &axis, (span){low ? 0 : -INFINITY, high ? 0 : INFINITY}, CN_ROW_LIMIT + n, true))
			return false;
	}
	return true;
}

/* Adds rows of an articulation at the new poses. */
static bool add_rigid_rows(cairn_world *w, const cn_articulation *art)
{
	for (uint32_t i = art->joint; i < art->joint + art->joints; ++i) {
		uint32_t joint = w->context->articulations->joints[i];
		const cn_joint *j = &w->joints[joint];
		pose a = cn_joint_side(w->next, j->a), b = cn_joint_side(w->next, j->b);
		if (!add_equations(w, joint, a, b) || !add_stops(w, joint, a, b))
			return false;
	}
	return true;
}

/* Joints are rigid, and stay within their limits. Articulations without a contact in the program are left out: nothing
 * there can hit them. */
bool cn_articulations_bounce_rows(cairn_world *w)
{
	cn_context *c = w->context;
	const cn_articulations *g = c->articulations;
	cn_arena_mark mark = cn_arena_here(&c->temporary);
	uint8_t *met;
	if (!g)
		return true;
	if (!CN_LOCAL(met, g->count + 1))
		return false;
	for (uint32_t i = 0; i < c->program.qp.contact_count; ++i) {
		const cn_pair *q = &c->contacts.pairs[c->program.pair_of[i]];
		if (g->of[q->a] != CN_QP_NONE)
			met[g->of[q->a]] = 1;
		if (g->of[q->b] != CN_QP_NONE)
			met[g->of[q->b]] = 1;
	}
	bool ok = true;
	for (uint32_t k = 0; k < g->count && ok; ++k)
		ok = !met[k] || add_rigid_rows(w, &g->all[k]);
	cn_arena_return(&c->temporary, mark);
	return ok;
}

/* Adds an impulse to its joint's strain. Returns its work. */
static double strain(cairn_world *w, uint32_t row)
{
	const cn_program *p = &w->context->program;
	const cn_qp_row *r = &p->rows[row];
	cn_strain *s = &w->context->articulations->strains[p->row_joint[row]];
	double y = p->slots[r->a] == w->joints[p->row_joint[row]].b ? p->row_y[row] : -p->row_y[row]; /* on b */
	if (v3_length2(r->ja.v) == 0)
		s->torque = v3_madd(s->torque, r->ja.w, y);
	else
		s->force = v3_madd(s->force, r->ja.v, y);
	return row_work(p, row, p->u0, p->u);
}

double cn_articulations_strike_work(cairn_world *w, const uint32_t *rows, uint32_t count)
{
	double sum = 0;
	for (uint32_t i = 0; i < count; ++i)
		sum += strain(w, rows[i]);
	return sum;
}

double cn_articulations_impact_work(cairn_world *w)
{
	double sum = 0;
	for (uint32_t i = 0; i < w->context->program.qp.row_count; ++i)
		sum += strain(w, i);
	return sum;
}

/* J: of a force along a row, over the frame. */
static double axis_work(const cairn_world *w, const cn_joint *j, const cn_joint_row *axis, double force,
                        const cn_twist *before, const cn_twist *after)
{
	const cn_program *p = &w->context->program;
	double sum = 0;
	for (int i = 0; i < 2; ++i) {
		uint32_t slot = i ? j->b : j->a, index = slot == CN_NO_BODY ? CN_QP_NONE : p->index[slot];
		const cn_twist *row = i ? &axis->jb : &axis->ja;
		if (index != CN_QP_NONE && p->bodies[index].inv_mass > 0) /* work of scripts is accounted elsewhere */
			sum += 0.5 * force * w->dt *
			       (v3_dot(row->v, v3_add(before[index].v, after[index].v)) +
			        v3_dot(row->w, v3_add(before[index].w, after[index].w)));
	}
	return sum;
}

double cn_articulations_work(const cairn_world *w, const cn_twist *before, const cn_twist *after)
{
	const cn_program *p = &w->context->program;
	const cn_articulations *g = w->context->articulations;
	double sum = 0;
	for (uint32_t k = 0; g && k < g->joint_count; ++k) {
		const cn_joint *j = &w->joints[g->joints[k]];
		double force = g->strains[g->joints[k]].drive;
		v3 twist = g->strains[g->joints[k]].twist;
		cn_joint_row axis = {{v3_zero(), v3_neg(twist)}, {v3_zero(), twist}, 0, true};
		if (v3_length2(twist) > 0)
			sum += axis_work(w, j, &axis, 1, before, after);
		if (force == 0)
			continue;
		axis = cn_joint_axis(w, g->joints[k], 0, cn_joint_side(w->motion, j->a), cn_joint_side(w->motion, j->b));
		sum += axis_work(w, j, &axis, force, before, after);
	}
	double rows = 0;
	for (uint32_t i = 0; i < p->qp.row_count; ++i)
		rows += row_work(p, i, before, after);
	return sum + rows;
}
