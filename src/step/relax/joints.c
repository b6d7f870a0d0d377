/* Rows of joints: equations, which hold both ways; limits and motors of the free axis, which have bounds. They are made anew
 * for each inner step, at the poses where the bodies then are. */
#include "step/joint/equations.h"
#include "step/relax/relax.h"
#include "world/joint.h"

#include <string.h>

enum { ROWS_MOST = 2 * CN_JOINT_ROWS + 1 }; /* of a joint: equations, two limits of each axis, a motor */

bool cn_relax_joints_begin(cairn_world *w)
{
	cn_relax *s = w->context->relax;
	uint32_t count = w->scene->joint_count;
	s->row_count = 0;
	if (!count)
		return true;
	if (!CN_ROOM(s->rows, ROWS_MOST * count) || !CN_ROOM(s->loads, count))
		return false;
	if (w->step == 0)
		memset(s->loads, 0, count * sizeof *s->loads);
	for (uint32_t i = 0; i < ROWS_MOST * count; ++i)
		s->rows[i].impulse = 0;
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		s->bodies[slot].held |= s->bodies[slot].inv_mass > 0;
	return true;
}

static pose pose_now(const cairn_world *w, uint32_t slot)
{
	const cn_relax *s = w->context->relax;
	if (slot == CN_NO_BODY)
		return pose_identity();
	return (pose){v3_add(w->motion[slot].x, s->way[slot].v), s->bodies[slot].q};
}

/* Bounds of the row's impulse; asked: the speed that it is to have, beside what brings off to zero. */
static void add_row(cairn_world *w, uint32_t joint, const cn_joint_row *from, double low, double high)
{
	cn_relax *s = w->context->relax;
	const cn_joint *j = &w->joints[joint];
	cn_relax_row *r = &s->rows[s->row_count];
	r->a = j->a == CN_NO_BODY ? w->slots : j->a, r->b = j->b == CN_NO_BODY ? w->slots : j->b;
	const cn_relax_body *a = &s->bodies[r->a], *b = &s->bodies[r->b];
	r->ja = from->ja, r->jb = from->jb, r->off = from->off;
	r->turns = from->turns, r->joint = joint, r->speed = 0, r->motor = false;
	r->low = low, r->high = high;
	r->ia = a->inv_mass > 0 ? m3_apply(a->inv_inertia, r->ja.w) : v3_zero();
	r->ib = b->inv_mass > 0 ? m3_apply(b->inv_inertia, r->jb.w) : v3_zero();
	double k = a->inv_mass * v3_length2(r->ja.v) + b->inv_mass * v3_length2(r->jb.v) + v3_dot(r->ja.w, r->ia) +
	           v3_dot(r->jb.w, r->ib);
	r->mass = k > 0 ? 1 / k : 0;
	++s->row_count;
}

static cn_joint_row reversed(cn_joint_row r, double off)
{
	return (cn_joint_row){{v3_neg(r.ja.v), v3_neg(r.ja.w)}, {v3_neg(r.jb.v), v3_neg(r.jb.w)}, off, r.turns};
}

static void add_axis(cairn_world *w, uint32_t joint, uint32_t number, pose a, pose b, double h)
{
	cn_relax *s = w->context->relax;
	const cn_joint *j = &w->joints[joint];
	cn_joint_row axis = cn_joint_axis(w, joint, number, a, b), at = axis;
	cn_joint_span in = cn_joint_limits(w, joint, number);
	if (j->motor != CAIRN_NO_MOTOR) { /* before the limits, which are stronger */
		double most = j->most * h;
		at.off = 0;
		add_row(w, joint, &at, j->motor == CAIRN_MOTOR_FORCE ? most : -most, most);
		s->rows[s->row_count - 1].motor = true;
		s->rows[s->row_count - 1].speed = j->motor == CAIRN_MOTOR_SPEED ? j->speed : 0;
	}
	if (isfinite(in.low)) {
		at.off = axis.off - in.low;
		add_row(w, joint, &at, 0, INFINITY);
	}
	if (isfinite(in.high)) {
		at = reversed(axis, in.high - axis.off);
		add_row(w, joint, &at, 0, INFINITY);
	}
}

void cn_relax_joints_make(cairn_world *w, double h)
{
	cn_relax *s = w->context->relax;
	cn_joint_row rows[CN_JOINT_ROWS];
	s->row_count = 0;
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		if (!cn_joint_stands(w, j))
			continue;
		pose a = pose_now(w, j->a), b = pose_now(w, j->b);
		uint32_t count = cn_joint_equations(w, i, a, b, rows);
		for (uint32_t k = 0; k < count; ++k)
			add_row(w, i, &rows[k], -INFINITY, INFINITY);
		for (uint32_t n = 0; n < cn_joint_axis_count(w, i); ++n)
			add_axis(w, i, n, a, b, h);
	}
}

static void give(const cn_relax *s, cn_relax_twist *of, const cn_relax_row *r, double j)
{
	cn_relax_twist *a = &of[r->a], *b = &of[r->b];
	a->v = v3_madd(a->v, r->ja.v, j * s->bodies[r->a].inv_mass), a->w = v3_madd(a->w, r->ia, j);
	b->v = v3_madd(b->v, r->jb.v, j * s->bodies[r->b].inv_mass), b->w = v3_madd(b->w, r->ib, j);
}

static double value_of(const cn_relax_twist *of, const cn_relax_row *r)
{
	const cn_relax_twist *a = &of[r->a], *b = &of[r->b];
	return v3_dot(r->ja.v, a->v) + v3_dot(r->ja.w, a->w) + v3_dot(r->jb.v, b->v) + v3_dot(r->jb.w, b->w);
}

void cn_relax_joints_warm(cairn_world *w)
{
	cn_relax *s = w->context->relax;
	for (uint32_t i = 0; i < s->row_count; ++i)
		give(s, s->speed, &s->rows[i], s->rows[i].impulse);
}

void cn_relax_joints_sweep(cairn_world *w, double h, cn_relax_give_in how)
{
	cn_relax *s = w->context->relax;
	for (uint32_t i = 0; i < s->row_count; ++i) {
		cn_relax_row *r = &s->rows[i];
		bool equation = r->low == -INFINITY, limit = r->low == 0 && !r->motor;
		double bias = equation ? how.rate * r->off : limit && r->off > 0 ? r->off / h : limit ? how.rate * r->off : 0;
		double mass = equation || limit ? how.mass : 1, keep = equation || limit ? how.impulse : 0;
		if (limit && r->off > 0)
			mass = 1, keep = 0;
		double j = r->impulse - r->mass * mass * (value_of(s->speed, r) - r->speed + bias) - keep * r->impulse;
		j = fmin(fmax(j, r->low), r->high);
		give(s, s->speed, r, j - r->impulse);
		r->impulse = j;
	}
}

/* What a body has moved since the inner step began. */
static cn_twist since_began(const cn_relax *s, uint32_t slot)
{
	return (cn_twist){v3_sub(s->way[slot].v, s->other[slot].v), v3_sub(s->way[slot].w, s->other[slot].w)};
}

void cn_relax_joints_place(cairn_world *w, double h)
{
	cn_relax *s = w->context->relax;
	for (uint32_t i = 0; i < s->row_count; ++i) {
		cn_relax_row *r = &s->rows[i];
		cn_twist a = since_began(s, r->a), b = since_began(s, r->b);
		double moved = v3_dot(r->ja.v, a.v) + v3_dot(r->ja.w, a.w) + v3_dot(r->jb.v, b.v) + v3_dot(r->jb.w, b.w);
		double l = r->impulse * h - r->mass * (r->off + moved - r->speed * h);
		l = fmin(fmax(l, r->low * h), r->high * h);
		give(s, s->way, r, l - r->impulse * h);
		r->impulse = l / h;
	}
}

void cn_relax_joints_load(cairn_world *w, cn_frame *f)
{
	cn_relax *s = w->context->relax;
	double frame = 1 / w->scene->settings.fps, work = 0;
	for (uint32_t i = 0, k; i < s->row_count; i = k) {
		double force = 0, torque = 0;
		for (k = i; k < s->row_count && s->rows[k].joint == s->rows[i].joint; ++k)
			*(s->rows[k].turns ? &torque : &force) += s->rows[k].impulse * s->rows[k].impulse;
		for (k = i; k < s->row_count && s->rows[k].joint == s->rows[i].joint; ++k)
			work += s->rows[k].motor ? s->rows[k].impulse * value_of(s->speed, &s->rows[k]) : 0;
		s->loads[s->rows[i].joint].force += sqrt(force) / frame;
		s->loads[s->rows[i].joint].torque += sqrt(torque) / frame;
	}
	f->report.energy.joints += work;
	f->report.energy.impacts += work; /* what is left of the change is the contacts' and the joints' */
}

bool cn_relax_note(cairn_world *w, cn_frame *f)
{
	cn_relax *s = w->context->relax;
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		cn_joint *j = &w->joints[i];
		const cairn_joint_def *d = &w->scene->joints[i];
		if (!cn_joint_stands(w, j))
			continue;
		pose a = cn_joint_side(w->next, j->a), b = cn_joint_side(w->next, j->b);
		f->report.joint_error = fmax(f->report.joint_error, cn_joint_error(w, i, a, b));
		if (d->type == CAIRN_HINGE)
			j->turn = j->near = cn_joint_axis(w, i, 0, a, b).off;
		j->force = s->loads[i].force, j->torque = s->loads[i].torque;
		j->broken = j->force > d->break_force || j->torque > d->break_torque;
		f->report.broken += j->broken;
	}
	return true;
}
