/* Joints of a world: where they hold their bodies, which follows from the scene's start, and their state. The step moves
 * them (step/joint, step/articulation). */
#include "world/world.h"

/* Pose of one side at the start: the body's centre of mass and its shape's axes, or the world's own frame. */
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
	if (apart && j.low == 0 && j.high > 0)
		j.low = -INFINITY; /* no length is less: the two points may pass through each other */
	j.motor = (uint8_t)d->motor, j.speed = d->speed, j.most = d->most;
	j.target = d->target, j.stiffness = d->stiffness, j.damping = d->damping;
	return j;
}

bool cn_joints_make(cairn_world *w)
{
	uint32_t count = w->scene->joint_count;
	w->joints = cn_alloc(&w->allocator, count, sizeof *w->joints);
	for (uint32_t i = 0; w->joints && i < count; ++i)
		w->joints[i] = make(w, &w->scene->joints[i]);
	return w->joints || !count;
}

static bool there(const cairn_world *w, uint32_t slot, uint32_t serial)
{
	return slot == CN_NO_BODY || (w->bodies[slot].alive && w->bodies[slot].serial == serial);
}

bool cn_joint_there(const cairn_world *w, const cn_joint *j)
{
	return there(w, j->a, j->serial_a) && there(w, j->b, j->serial_b);
}

bool cn_joint_stands(const cairn_world *w, const cn_joint *j)
{
	return !j->broken && w->scene->joints[j - w->joints].type != CAIRN_PASS && cn_joint_there(w, j);
}

bool cn_joint_servo(const cn_joint *j) { return j->motor == CAIRN_MOTOR_SERVO || j->motor == CAIRN_MOTOR_KEYS; }

/* Where the keys of a servo have its target. */
static double target_at(const cairn_joint_def *d, double time)
{
	uint32_t low = 0, high = d->key_count;
	while (low < high) { /* the first key after the time */
		uint32_t mid = low + (high - low) / 2;
		if (d->keys[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return d->keys[0].value;
	if (low == d->key_count)
		return d->keys[low - 1].value;
	const cairn_target_key *k = &d->keys[low - 1];
	return k->value + (k[1].value - k->value) * ((time - k->time) / (k[1].time - k->time));
}

void cn_joint_follow(cairn_world *w, uint32_t joint)
{
	cn_joint *j = &w->joints[joint];
	if (j->motor != CAIRN_MOTOR_KEYS)
		return;
	double end = cn_step_time(w, 1), target = target_at(&w->scene->joints[joint], end);
	double speed = (target - target_at(&w->scene->joints[joint], end - w->dt)) / w->dt;
	if (target != j->target || speed != j->speed) {
		const uint32_t slots[2] = {j->a, j->b};
		for (int i = 0; i < 2; ++i)
			if (slots[i] != CN_NO_BODY)
				w->rest_state[slots[i]] = (cn_rest_state){0};
	}
	j->target = target, j->speed = speed;
}

static void put_servo(cn_writer *o, const cn_joint *j)
{
	cn_put_f64(o, j->target);
	cn_put_f64(o, j->stiffness);
	cn_put_f64(o, j->damping);
}

static bool get_servo(cn_reader *r, cn_joint *j)
{
	j->target = cn_get_f64(r);
	j->stiffness = cn_get_f64(r);
	j->damping = cn_get_f64(r);
	return !r->failed && isfinite(j->target) && isfinite(j->stiffness) && isfinite(j->damping);
}

void cn_joints_put(cn_writer *o, const cairn_world *w)
{
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		cn_put_u8(o, j->motor);
		cn_put_f64(o, j->speed);
		cn_put_f64(o, j->most);
		cn_put_f64(o, j->turn);
		cn_put_f64(o, j->force);
		cn_put_f64(o, j->torque);
		cn_put_u8(o, j->broken);
		if (cn_joint_servo(j))
			put_servo(o, j);
	}
}

bool cn_joints_get(cn_reader *r, const cairn_world *w, cn_joint *to)
{
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		cn_joint *j = &to[i];
		*j = w->joints[i];
		j->motor = cn_get_u8(r);
		j->speed = cn_get_f64(r);
		j->most = cn_get_f64(r);
		j->turn = j->near = cn_get_f64(r);
		j->force = cn_get_f64(r);
		j->torque = cn_get_f64(r);
		j->broken = cn_get_bool(r);
		j->target = j->stiffness = j->damping = 0;
		if (cn_joint_servo(j) && !get_servo(r, j))
			return false;
		if (r->failed || j->motor > CAIRN_MOTOR_KEYS ||
		    (j->motor == CAIRN_MOTOR_KEYS && !w->scene->joints[i].key_count) || !isfinite(j->speed) ||
		    !isfinite(j->most) || !isfinite(j->turn) || !isfinite(j->force) || !isfinite(j->torque))
			return false;
	}
	return true;
}
