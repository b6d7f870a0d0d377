/* Joints of a world: where they hold their bodies, found once from how the scene begins, and what has become of them.
 * How they move is the step's. */
#include "base/tolerance.h"
#include "world/world.h"

/* Where a side's body is at the start: its centre of mass and its shape's axes; the world's own frame. */
static pose side(const cairn_world *w, uint32_t slot)
{
	return slot == CN_NO_BODY ? pose_identity() : (pose){w->motion[slot].x, w->motion[slot].q};
}

static cn_joint make(const cairn_world *w, const cairn_joint_def *d)
{
	bool apart = d->type == CAIRN_DISTANCE;
	cn_joint j = {.a = d->a.generation ? d->a.index : CN_NO_BODY, .b = d->b.generation ? d->b.index : CN_NO_BODY};
	pose a = side(w, j.a), b = side(w, j.b);
	v3 to_b = apart ? d->point_b : d->point;
	j.serial_a = j.a == CN_NO_BODY ? 0 : w->bodies[j.a].serial;
	j.serial_b = j.b == CN_NO_BODY ? 0 : w->bodies[j.b].serial;
	j.arm_a = q_unrotate(a.orientation, v3_sub(d->point, a.position));
	j.arm_b = q_unrotate(b.orientation, v3_sub(to_b, b.position));
	j.axis_a = q_unrotate(a.orientation, v3_unit(d->axis));
	j.axis_b = q_unrotate(b.orientation, v3_unit(d->axis));
	j.turned = q_mul(q_conj(a.orientation), b.orientation);
	j.low = d->has_limits ? d->low : -INFINITY, j.high = d->has_limits ? d->high : INFINITY;
	if (apart && !d->has_limits)
		j.low = j.high = v3_distance(d->point, to_b);
	return j;
}

/* Whether the joint is as it asks to be where the scene begins. */
static bool check(const cairn_joint_def *d, const cn_joint *j, uint32_t number, cairn_error *error)
{
	double start = d->type == CAIRN_DISTANCE ? v3_distance(d->point, d->point_b) : 0;
	double slack = CN_UNIT_ROUNDING * (1 + start);
	if (start >= j->low - slack && start <= j->high + slack)
		return true;
	cn_fail(error, CAIRN_INVALID, "joints",
	        "joint %s%s%s%u starts at %g, outside its limits %g to %g; widen them or move the bodies",
	        *d->name ? "'" : "number ", d->name, *d->name ? "', number " : "", number, start, j->low, j->high);
	return false;
}

bool cn_joints_make(cairn_world *w, const cairn_scene *from, cairn_error *error)
{
	uint32_t count = w->scene->joint_count;
	if (!count)
		return true;
	w->joints = cn_alloc(&w->allocator, count, sizeof *w->joints);
	if (!w->joints)
		return cn_fail_memory(error);
	for (uint32_t i = 0; i < count; ++i) {
		w->joints[i] = make(w, &w->scene->joints[i]);
		if (check(&w->scene->joints[i], &w->joints[i], i, error))
			continue;
		cn_places_find(&from->places, CN_PLACE_JOINTS, i, error);
		return false;
	}
	return true;
}

static bool there(const cairn_world *w, uint32_t slot, uint32_t serial)
{
	return slot == CN_NO_BODY || (w->bodies[slot].alive && w->bodies[slot].serial == serial);
}

bool cn_joint_stands(const cairn_world *w, const cn_joint *j)
{
	return !j->broken && there(w, j->a, j->serial_a) && there(w, j->b, j->serial_b);
}

void cn_joints_put(cn_writer *o, const cairn_world *w)
{
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		cn_put_f64(o, j->turn);
		cn_put_f64(o, j->force);
		cn_put_f64(o, j->torque);
		cn_put_u8(o, j->broken);
	}
}

bool cn_joints_get(cn_reader *r, const cairn_world *w, cn_joint *to)
{
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		cn_joint *j = &to[i];
		*j = w->joints[i];
		j->turn = cn_get_f64(r);
		j->force = cn_get_f64(r);
		j->torque = cn_get_f64(r);
		j->broken = cn_get_bool(r);
		if (r->failed || !isfinite(j->turn) || !isfinite(j->force) || !isfinite(j->torque))
			return false;
	}
	return true;
}
