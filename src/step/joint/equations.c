/* The equations of each kind of joint, its free axis and its error. */
#include "step/joint/equations.h"
#include "step/tolerance.h"
#include "world/joint.h"

static const v3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

/* The two anchor points of a joint: arms in world axes, and the vector from a's point to b's. */
typedef struct points {
	v3 ra, rb, d;
} points;

static points points_of(const cn_joint *j, pose a, pose b)
{
	points p = {q_rotate(a.orientation, j->arm_a), q_rotate(b.orientation, j->arm_b), {0, 0, 0}};
	p.d = v3_sub(v3_add(b.position, p.rb), v3_add(a.position, p.ra));
	return p;
}

/* The row n.d with n fixed to a, or along d. It describes b's point as seen from a, so a's arm extends to it. */
static cn_joint_row along(const points *p, v3 n)
{
	v3 arm = v3_add(p->ra, p->d);
	return (cn_joint_row){{v3_neg(n), v3_neg(v3_cross(arm, n))}, {n, v3_cross(p->rb, n)}, v3_dot(n, p->d), false};
}

/* The two points coincide (OBA eq. 6.44). The rows are in world axes, which belong to neither body. */
static uint32_t together(const points *p, cn_joint_row *rows)
{
	for (int i = 0; i < 3; ++i) {
		v3 n = unit[i];
		rows[i] =
			(cn_joint_row){{v3_neg(n), v3_neg(v3_cross(p->ra, n))}, {n, v3_cross(p->rb, n)}, v3_dot(n, p->d), false};
	}
	return 3;
}

static cn_joint_row about(v3 n, double off)
{
	return (cn_joint_row){{v3_zero(), v3_neg(n)}, {v3_zero(), n}, off, true};
}

/* The rotation of b relative to a since the start, in world axes. */
static quat turned(const cn_joint *j, pose a, pose b)
{
	return q_mul(b.orientation, q_conj(q_mul(a.orientation, j->turned)));
}

static uint32_t not_turned(const cn_joint *j, pose a, pose b, cn_joint_row *rows)
{
	v3 off = q_log(turned(j, a, b));
	for (int i = 0; i < 3; ++i)
		rows[i] = about(unit[i], v3_at(off, i));
	return 3;
}

/* Two directions across a's axis that turn with a. If they were chosen anew for each orientation they would jump
 * where another component of the axis becomes the largest, and the error of a step would no longer be along the rows
 * that it began with. */
static void across(const cn_joint *j, pose a, v3 *s, v3 *t)
{
	cn_qp_tangents(j->axis_a, s, t);
	*s = q_rotate(a.orientation, *s), *t = q_rotate(a.orientation, *t);
}

/* Both axes coincide. A small turn t takes u to u + t x u, and u x (t x u) is the component of t across u. */
static uint32_t same_axis(const cn_joint *j, pose a, pose b, cn_joint_row *rows)
{
	v3 u = q_rotate(a.orientation, j->axis_a), off = v3_cross(u, q_rotate(b.orientation, j->axis_b)), s, t;
	across(j, a, &s, &t);
	rows[0] = about(s, v3_dot(s, off));
	rows[1] = about(t, v3_dot(t, off));
	return 2;
}

/* The row along the line between the points; any line if they coincide. */
static cn_joint_row distance(const points *p)
{
	double length = v3_length(p->d);
	v3 n = length > 0 ? v3_scale(p->d, 1 / length) : unit[2];
	cn_joint_row row = {{v3_neg(n), v3_neg(v3_cross(p->ra, n))}, {n, v3_cross(p->rb, n)}, length, false};
	return row;
}

/* Two parts of a rope, each from a point of the world to a body, the second ratio times as heavy to pull. */
static cn_joint_row pulley(const cairn_joint_def *d, const points *p, pose a, pose b)
{
	v3 from = v3_sub(v3_add(a.position, p->ra), d->over), to = v3_sub(v3_add(b.position, p->rb), d->over_b);
	double first = v3_length(from), second = v3_length(to);
	v3 n = first > 0 ? v3_scale(from, 1 / first) : unit[2];
	v3 m = v3_scale(second > 0 ? v3_scale(to, 1 / second) : unit[2], d->ratio);
	return (cn_joint_row){{n, v3_cross(p->ra, n)}, {m, v3_cross(p->rb, m)}, first + d->ratio * second, false};
}

/* How far b's axis leans away from a's; where the two are the same, to any side. */
static cn_joint_row cone(const cn_joint *j, pose a, pose b)
{
	v3 u = q_rotate(a.orientation, j->axis_a), v = q_rotate(b.orientation, j->axis_b), n = v3_cross(u, v), s, t;
	double sine = v3_length(n);
	across(j, a, &s, &t);
	return about(sine > 0 ? v3_scale(n, 1 / sine) : s, cn_atan2(sine, v3_dot(u, v)));
}

static bool rod(const cn_joint *j) { return j->low == j->high; }

/* It keeps its point of a at its point of b, and lets the two turn. */
static bool holds_point(const cairn_joint_def *d)
{
	bool six = d->type == CAIRN_SIX_DOF && d->axes[0].kind == CAIRN_AXIS_LOCKED &&
	           d->axes[1].kind == CAIRN_AXIS_LOCKED && d->axes[2].kind == CAIRN_AXIS_LOCKED;
	return d->type == CAIRN_BALL || d->type == CAIRN_HINGE || six;
}

void cn_joint_find_line(cairn_world *w, uint32_t joint)
{
	cn_joint *j = &w->joints[joint];
	j->in_line = false;
	if (w->scene->joints[joint].type != CAIRN_DISTANCE || !rod(j))
		return;
	for (uint32_t i = 0; i < w->scene->joint_count && !j->in_line; ++i) {
		const cn_joint *other = &w->joints[i];
		bool turned = other->a == j->b;
		if (other->a != (turned ? j->b : j->a) || other->b != (turned ? j->a : j->b) ||
		    !holds_point(&w->scene->joints[i]) || !cn_joint_stands(w, other))
			continue;
		v3 a = v3_sub(j->arm_a, turned ? other->arm_b : other->arm_a),
		   b = v3_sub(j->arm_b, turned ? other->arm_a : other->arm_b);
		double la = v3_length(a), lb = v3_length(b), slack = CN_SAME * (la + lb);
		bool out = j->low >= la + lb - slack, folded = j->low <= fabs(la - lb) + slack;
		if (!(la > slack && lb > slack && (out || folded)))
			continue;
		j->in_line = true, j->axis_a = v3_scale(a, 1 / la), j->axis_b = v3_scale(b, (out ? -1 : 1) / lb);
	}
}

/* Of all angles that describe the same turn, the one nearest to another angle. */
static double nearest(double x, double to)
{
	double whole = 2 * CN_PI;
	return x + whole * floor((to - x) / whole + 0.5);
}

/* The angle about the hinge's axis, nearest to its last value. */
static double angle(const cn_joint *j, quat r, v3 u)
{
	return nearest(2 * cn_atan2(v3_dot(v3_make(r.x, r.y, r.z), u), r.w), j->near);
}

/* ---- six axes */

static uint32_t count_kind(const cairn_axis *axes, uint32_t count, cairn_axis_kind kind)
{
	uint32_t found = 0;
	for (uint32_t i = 0; i < count; ++i)
		found += axes[i].kind == kind;
	return found;
}

/* One of the three angles of R = Rx(x) Ry(y) Rz(z), by which b's frame is turned against a's. The spin of b against a is
 * x' u + y' n + z' v with u the x-axis of a's frame, v the z-axis of b's and n across both; what a row multiplies it with is
 * the dual of these. */
static cn_joint_row angle_of_three(const cn_joint *j, pose a, pose b, uint32_t which)
{
	quat fa = q_mul(a.orientation, j->frame), fb = q_mul(q_mul(b.orientation, q_conj(j->turned)), j->frame);
	v3 xa = q_rotate(fa, unit[0]), ya = q_rotate(fa, unit[1]), za = q_rotate(fa, unit[2]);
	v3 xb = q_rotate(fb, unit[0]), yb = q_rotate(fb, unit[1]), zb = q_rotate(fb, unit[2]), n = v3_cross(zb, xa);
	double c = v3_length(n);
	n = c > 0 ? v3_scale(n, 1 / c) : ya;
	c = c > 0 ? c : 1;
	switch (which) {
	case 0: return about(v3_scale(v3_cross(n, zb), 1 / c), cn_atan2(-v3_dot(ya, zb), v3_dot(za, zb)));
	case 1:
		return about(n,
		             cn_atan2(v3_dot(xa, zb), sqrt(v3_dot(xa, xb) * v3_dot(xa, xb) + v3_dot(xa, yb) * v3_dot(xa, yb))));
	default: return about(v3_scale(v3_cross(xa, n), 1 / c), cn_atan2(-v3_dot(xa, yb), v3_dot(xa, xb)));
	}
}

/* One of the six. Where one angle alone is not locked, it is that of a hinge. */
static cn_joint_row one_of_six(const cairn_joint_def *d, const cn_joint *j, pose a, pose b, uint32_t axis)
{
	points p = points_of(j, a, b);
	if (axis < 3)
		return along(&p, q_rotate(q_mul(a.orientation, j->frame), unit[axis]));
	if (count_kind(d->axes + 3, 3, CAIRN_AXIS_LOCKED) < 2)
		return angle_of_three(j, a, b, axis - 3);
	v3 u = q_rotate(a.orientation, j->axis_a);
	return about(u, angle(j, turned(j, a, b), u));
}

static uint32_t six_equations(const cairn_joint_def *d, const cn_joint *j, pose a, pose b, cn_joint_row *rows)
{
	points p = points_of(j, a, b);
	uint32_t count = 0, turns = count_kind(d->axes + 3, 3, CAIRN_AXIS_LOCKED);
	if (count_kind(d->axes, 3, CAIRN_AXIS_LOCKED) == 3)
		count = together(&p, rows);
	for (uint32_t i = 0; i < 3 && count < 3; ++i)
		if (d->axes[i].kind == CAIRN_AXIS_LOCKED)
			rows[count++] = one_of_six(d, j, a, b, i);
	if (turns == 3)
		return count + not_turned(j, a, b, rows + count);
	if (turns == 2)
		return count + same_axis(j, a, b, rows + count);
	for (uint32_t i = 3; i < 6; ++i)
		if (d->axes[i].kind == CAIRN_AXIS_LOCKED)
			rows[count++] = one_of_six(d, j, a, b, i);
	return count;
}

/* The number of the limited axis of six that is the k-th. */
static uint32_t limited_axis(const cairn_joint_def *d, uint32_t k)
{
	uint32_t i = 0;
	while (d->axes[i].kind != CAIRN_AXIS_LIMITED || k-- > 0)
		++i;
	return i;
}

/* ---- gears */

static void add_twist(cn_twist *to, const cn_twist *t, double by)
{
	to->v = v3_madd(to->v, t->v, by), to->w = v3_madd(to->w, t->w, by);
}

/* Adds the value of a joint times a number to a gear's row. Its sides are the gear's two bodies, or do not move. */
static void add_value(const cairn_world *w, const cn_joint *gear, uint32_t joint, const pose at[2], double by,
                      cn_joint_row *row)
{
	const cn_joint *j = &w->joints[joint];
	const uint32_t slots[2] = {j->a, j->b};
	pose side[2];
	for (int i = 0; i < 2; ++i)
		side[i] = slots[i] != CN_NO_BODY && slots[i] == gear->a   ? at[0]
		          : slots[i] != CN_NO_BODY && slots[i] == gear->b ? at[1]
		                                                          : cn_joint_side(w->motion, slots[i]);
	cn_joint_row axis = cn_joint_axis(w, joint, 0, side[0], side[1]);
	for (int i = 0; i < 2; ++i)
		if (slots[i] != CN_NO_BODY && (slots[i] == gear->a || slots[i] == gear->b))
			add_twist(slots[i] == gear->a ? &row->ja : &row->jb, i ? &axis.jb : &axis.ja, by);
	row->off += by * axis.off;
	row->turns |= axis.turns;
}

static cn_joint_row gear_row(const cairn_world *w, uint32_t joint, pose a, pose b)
{
	const cairn_joint_def *d = &w->scene->joints[joint];
	const pose at[2] = {a, b};
	cn_joint_row row = {{{0, 0, 0}, {0, 0, 0}}, {{0, 0, 0}, {0, 0, 0}}, -w->joints[joint].low, false};
	add_value(w, &w->joints[joint], d->joint.index, at, 1, &row);
	add_value(w, &w->joints[joint], d->joint_b.index, at, -d->ratio, &row);
	return row;
}

/* ---- all of them */

uint32_t cn_joint_equation_count(const cairn_world *w, uint32_t joint)
{
	switch (w->scene->joints[joint].type) {
	case CAIRN_BALL: return 3;
	case CAIRN_HINGE:
	case CAIRN_SLIDER: return 5;
	case CAIRN_WELD: return 6;
	case CAIRN_DISTANCE:
	case CAIRN_PULLEY: return w->joints[joint].in_line ? 2 : rod(&w->joints[joint]) ? 1 : 0;
	case CAIRN_GEAR: return 1;
	case CAIRN_SIX_DOF: return count_kind(w->scene->joints[joint].axes, 6, CAIRN_AXIS_LOCKED);
	case CAIRN_PASS: break;
	}
	return 0;
}

uint32_t cn_joint_equations(const cairn_world *w, uint32_t joint, pose a, pose b, cn_joint_row rows[CN_JOINT_ROWS])
{
	const cn_joint *j = &w->joints[joint];
	const cairn_joint_def *d = &w->scene->joints[joint];
	points p = points_of(j, a, b);
	uint32_t count = 0;
	v3 s, t;
	switch (d->type) {
	case CAIRN_BALL: return together(&p, rows);
	case CAIRN_HINGE: count = together(&p, rows); return count + same_axis(j, a, b, rows + count);
	case CAIRN_SLIDER:
		across(j, a, &s, &t);
		rows[0] = along(&p, s), rows[1] = along(&p, t);
		return 2 + not_turned(j, a, b, rows + 2);
	case CAIRN_WELD: count = together(&p, rows); return count + not_turned(j, a, b, rows + count);
	case CAIRN_DISTANCE:
	case CAIRN_PULLEY:
		if (j->in_line)
			return same_axis(j, a, b, rows);
		rows[0] = d->type == CAIRN_PULLEY ? pulley(d, &p, a, b) : distance(&p);
		rows[0].off -= j->low;
		return rod(j) ? 1 : 0;
	case CAIRN_GEAR: rows[0] = gear_row(w, joint, a, b); return 1;
	case CAIRN_SIX_DOF: return six_equations(d, j, a, b, rows);
	case CAIRN_PASS: break;
	}
	return 0;
}

uint32_t cn_joint_axis_count(const cairn_world *w, uint32_t joint)
{
	const cairn_joint_def *d = &w->scene->joints[joint];
	switch (d->type) {
	case CAIRN_HINGE:
	case CAIRN_SLIDER: return 1;
	case CAIRN_BALL: return d->has_limits;
	case CAIRN_DISTANCE:
	case CAIRN_PULLEY: return !rod(&w->joints[joint]);
	case CAIRN_SIX_DOF: return count_kind(d->axes, 6, CAIRN_AXIS_LIMITED);
	default: return 0;
	}
}

cn_joint_row cn_joint_axis(const cairn_world *w, uint32_t joint, uint32_t axis, pose a, pose b)
{
	const cn_joint *j = &w->joints[joint];
	const cairn_joint_def *d = &w->scene->joints[joint];
	points p = points_of(j, a, b);
	v3 u = q_rotate(a.orientation, j->axis_a);
	switch (d->type) {
	case CAIRN_BALL: return cone(j, a, b);
	case CAIRN_HINGE: return about(u, angle(j, turned(j, a, b), u));
	case CAIRN_SLIDER: return along(&p, u);
	case CAIRN_PULLEY: return pulley(d, &p, a, b);
	case CAIRN_SIX_DOF: return one_of_six(d, j, a, b, limited_axis(d, axis));
	default: return distance(&p);
	}
}

cn_joint_span cn_joint_limits(const cairn_world *w, uint32_t joint, uint32_t axis)
{
	const cairn_joint_def *d = &w->scene->joints[joint];
	if (d->type != CAIRN_SIX_DOF)
		return (cn_joint_span){w->joints[joint].low, w->joints[joint].high};
	const cairn_axis *own = &d->axes[limited_axis(d, axis)];
	return (cn_joint_span){own->low, own->high};
}

v3 cn_joint_left(const cn_joint *j, pose a, pose b)
{
	quat now =
		q_mul(q_mul(q_conj(a.orientation), b.orientation), q_conj(j->turned)); /* of b since the start, a's axes */
	return q_rotate(a.orientation, q_log(q_mul(q_exp(j->aim), q_conj(now))));
}

bool cn_joint_turns(const cairn_world *w, uint32_t joint)
{
	return w->scene->joints[joint].type == CAIRN_BALL && cn_joint_servo(&w->joints[joint]);
}

bool cn_joint_pulls(const cairn_world *w, uint32_t joint)
{
	return w->scene->joints[joint].type == CAIRN_DISTANCE && !cn_joint_limited(cn_joint_limits(w, joint, 0));
}

double cn_joint_error(const cairn_world *w, uint32_t joint, pose a, pose b)
{
	const cn_joint *j = &w->joints[joint];
	cn_joint_row rows[CN_JOINT_ROWS];
	uint32_t count = cn_joint_equations(w, joint, a, b, rows);
	double move = 0, turn = 0, radius = 0;
	for (uint32_t i = 0; i < count; ++i)
		*(rows[i].turns ? &turn : &move) += rows[i].off * rows[i].off;
	const uint32_t slots[2] = {j->a, j->b};
	for (int i = 0; i < 2; ++i)
		if (slots[i] != CN_NO_BODY && w->rotors[slots[i]].active && w->bodies[slots[i]].radius > radius)
			radius = w->bodies[slots[i]].radius;
	double off = sqrt(move), swing = turn > 0 ? sqrt(turn) * radius : 0;
	return off > swing ? off : swing;
}

cairn_joint_state cairn_world_joint(const cairn_world *w, cairn_joint joint)
{
	cairn_joint_state s = {.broken = true};
	if (joint.generation != 1 || joint.index >= w->scene->joint_count)
		return s;
	const cn_joint *j = &w->joints[joint.index];
	if (!cn_joint_stands(w, j))
		return s;
	pose a = cn_joint_side(w->motion, j->a), b = cn_joint_side(w->motion, j->b);
	cairn_joint_type type = w->scene->joints[joint.index].type;
	s = (cairn_joint_state){.error = cn_joint_error(w, joint.index, a, b), .force = j->force, .torque = j->torque};
	bool rope = type == CAIRN_DISTANCE || type == CAIRN_PULLEY; /* one that gives way or one that does not */
	if (type == CAIRN_SIX_DOF || (!rope && !cn_joint_axis_count(w, joint.index)))
		return s;
	cn_joint_row axis = cn_joint_axis(w, joint.index, 0, a, b);
	const uint32_t slots[2] = {j->a, j->b};
	s.position = type == CAIRN_HINGE ? nearest(axis.off, j->turn) : axis.off;
	for (int i = 0; i < 2; ++i) {
		if (slots[i] == CN_NO_BODY || w->bodies[slots[i]].type == CAIRN_FIXED)
			continue;
		const cn_motion *m = &w->motion[slots[i]];
		const cn_twist *row = i ? &axis.jb : &axis.ja;
		s.speed += v3_dot(row->v, m->v) + v3_dot(row->w, cn_spin(&w->rotors[slots[i]], m->q, m->l));
	}
	return s;
}
