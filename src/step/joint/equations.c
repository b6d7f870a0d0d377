/* The equations of each kind of joint, its free axis and its error. */
#include "step/joint/equations.h"
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

static bool rod(const cn_joint *j) { return j->low == j->high; }

uint32_t cn_joint_equation_count(const cairn_world *w, uint32_t joint)
{
	switch (w->scene->joints[joint].type) {
	case CAIRN_BALL: return 3;
	case CAIRN_HINGE:
	case CAIRN_SLIDER: return 5;
	case CAIRN_WELD: return 6;
	case CAIRN_DISTANCE: return rod(&w->joints[joint]) ? 1 : 0;
	case CAIRN_PASS: break;
	}
	return 0;
}

uint32_t cn_joint_equations(const cairn_world *w, uint32_t joint, pose a, pose b, cn_joint_row rows[CN_JOINT_ROWS])
{
	const cn_joint *j = &w->joints[joint];
	points p = points_of(j, a, b);
	uint32_t count = 0;
	v3 s, t;
	switch (w->scene->joints[joint].type) {
	case CAIRN_BALL: return together(&p, rows);
	case CAIRN_HINGE: count = together(&p, rows); return count + same_axis(j, a, b, rows + count);
	case CAIRN_SLIDER:
		across(j, a, &s, &t);
		rows[0] = along(&p, s), rows[1] = along(&p, t);
		return 2 + not_turned(j, a, b, rows + 2);
	case CAIRN_WELD: count = together(&p, rows); return count + not_turned(j, a, b, rows + count);
	case CAIRN_DISTANCE:
		rows[0] = distance(&p);
		rows[0].off -= j->low;
		return rod(j) ? 1 : 0;
	case CAIRN_PASS: break;
	}
	return 0;
}

bool cn_joint_has_axis(const cairn_world *w, uint32_t joint)
{
	const cairn_joint_def *d = &w->scene->joints[joint];
	if (d->type == CAIRN_DISTANCE)
		return !rod(&w->joints[joint]);
	return d->type == CAIRN_HINGE || d->type == CAIRN_SLIDER;
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

cn_joint_row cn_joint_axis(const cairn_world *w, uint32_t joint, pose a, pose b)
{
	const cn_joint *j = &w->joints[joint];
	points p = points_of(j, a, b);
	v3 u = q_rotate(a.orientation, j->axis_a);
	switch (w->scene->joints[joint].type) {
	case CAIRN_HINGE: return about(u, angle(j, turned(j, a, b), u));
	case CAIRN_SLIDER: return along(&p, u);
	default: return distance(&p);
	}
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
	if (type != CAIRN_HINGE && type != CAIRN_SLIDER && type != CAIRN_DISTANCE)
		return s;
	cn_joint_row axis = cn_joint_axis(w, joint.index, a, b);
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
