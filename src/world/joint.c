/* Joints of a world: where they hold their bodies, which follows from how these stood when the joint was made, and their state. The step moves
 * them (step/joint, step/articulation). */
#include "world/joint.h"
#include "base/tolerance.h"
#include "world/world.h"

/* Pose of one side at the start: the body's centre of mass and its shape's axes, or the world's own frame. */
static pose side(const cairn_world *w, uint32_t slot)
{
	return slot == CN_NO_BODY ? pose_identity() : (pose){w->motion[slot].x, w->motion[slot].q};
}

/* The value of a hinge or slider at the present frame. */
static double value_of(const cairn_world *w, cairn_joint joint)
{
	const cn_joint *j = &w->joints[joint.index];
	if (w->scene->joints[joint.index].type == CAIRN_HINGE)
		return j->turn;
	pose a = side(w, j->a), b = side(w, j->b);
	v3 from = v3_add(a.position, q_rotate(a.orientation, j->arm_a));
	v3 to = v3_add(b.position, q_rotate(b.orientation, j->arm_b));
	return v3_dot(v3_sub(to, from), q_rotate(a.orientation, j->axis_a));
}

/* The one angle of six axes that is not locked is as a hinge's. */
static v3 axis_of(const cairn_joint_def *d)
{
	uint32_t open = 3, count = 0;
	for (uint32_t i = 0; d->type == CAIRN_SIX_DOF && i < 3; ++i)
		if (d->axes[3 + i].kind != CAIRN_AXIS_LOCKED)
			open = i, ++count;
	return count == 1 ? q_rotate(d->frame, v3_make(open == 0, open == 1, open == 2)) : v3_unit(d->axis);
}

v3 cn_joint_aim(const cn_joint *j, const cairn_joint_def *d, v3 turn)
{
	return q_rotate(q_mul(j->frame, q_conj(d->frame)), turn);
}

cn_joint cn_joint_make(const cairn_world *w, const cairn_joint_def *d)
{
	bool apart = d->type == CAIRN_DISTANCE || d->type == CAIRN_PULLEY;
	cn_joint j = {.a = d->a.generation ? d->a.index : CN_NO_BODY, .b = d->b.generation ? d->b.index : CN_NO_BODY};
	pose a = side(w, j.a), b = side(w, j.b);
	v3 to_b = apart ? d->point_b : d->point;
	j.serial_a = j.a == CN_NO_BODY ? 0 : w->bodies[j.a].serial;
	j.serial_b = j.b == CN_NO_BODY ? 0 : w->bodies[j.b].serial;
	j.arm_a = q_unrotate(a.orientation, v3_sub(d->point, a.position));
	j.arm_b = q_unrotate(b.orientation, v3_sub(to_b, b.position));
	j.axis_a = q_unrotate(a.orientation, axis_of(d));
	j.axis_b = q_unrotate(b.orientation, axis_of(d));
	j.frame = q_mul(q_conj(a.orientation), d->frame);
	j.turned = q_mul(q_conj(a.orientation), b.orientation);
	j.low = d->has_limits ? d->low : -INFINITY, j.high = d->has_limits ? d->high : INFINITY;
	if ((apart || d->type == CAIRN_BALL) && j.low == 0 && j.high > 0)
		j.low = -INFINITY; /* no length and no angle is less: the two points may pass through each other */
	if (d->type == CAIRN_DISTANCE && j.high >= CN_LENGTH_MAX)
		j.high = INFINITY; /* a spring of any length */
	if (d->type == CAIRN_GEAR)
		j.low = j.high = value_of(w, d->joint) - d->ratio * value_of(w, d->joint_b);
	j.motor = (uint8_t)d->motor, j.speed = d->speed, j.most = d->most;
	j.target = d->target, j.stiffness = d->stiffness, j.damping = d->damping;
	j.aim = cn_joint_aim(&j, d, d->turn);
	return j;
}

bool cn_joints_make(cairn_world *w)
{
	uint32_t count = w->scene->joint_count;
	w->joints = cn_alloc(&w->allocator, count, sizeof *w->joints);
	for (uint32_t i = 0; w->joints && i < count; ++i)
		w->joints[i] = cn_joint_make(w, &w->scene->joints[i]);
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
	const cairn_joint_def *d = &w->scene->joints[j - w->joints];
	if (d->type == CAIRN_GEAR &&
	    (!cn_joint_stands(w, &w->joints[d->joint.index]) || !cn_joint_stands(w, &w->joints[d->joint_b.index])))
		return false; /* what it couples is no more */
	return !j->broken && d->type != CAIRN_PASS && cn_joint_there(w, j);
}

bool cn_joint_servo(const cn_joint *j) { return j->motor == CAIRN_MOTOR_SERVO || j->motor == CAIRN_MOTOR_KEYS; }

/* Between which keys of a servo a time is: the key before, and the share of the way from there to the next. */
static const cairn_target_key *key_before(const cairn_joint_def *d, double time, double *share)
{
	uint32_t low = 0, high = d->key_count;
	while (low < high) { /* the first key after the time */
		uint32_t mid = low + (high - low) / 2;
		if (d->keys[mid].time <= time)
			low = mid + 1;
		else
			high = mid;
	}
	const cairn_target_key *k = &d->keys[low ? low - 1 : 0];
	*share = low == 0 || low == d->key_count ? 0 : (time - k->time) / (k[1].time - k->time);
	return k;
}

static double target_at(const cairn_joint_def *d, double time)
{
	double share;
	const cairn_target_key *k = key_before(d, time, &share);
	return share > 0 ? k->value + (k[1].value - k->value) * share : k->value;
}

static v3 turn_at(const cairn_joint_def *d, double time)
{
	double share;
	const cairn_target_key *k = key_before(d, time, &share);
	return cn_scene_turn_between(k, share);
}

static void wake_up(cairn_world *w, const cn_joint *j)
{
	const uint32_t slots[2] = {j->a, j->b};
	for (int i = 0; i < 2; ++i)
		if (slots[i] != CN_NO_BODY)
			w->rest_state[slots[i]] = (cn_rest_state){0};
}

static void follow_ball(cairn_world *w, cn_joint *j, const cairn_joint_def *d)
{
	double end = cn_step_time(w, 1);
	v3 to = turn_at(d, end), from = turn_at(d, end - w->dt);
	v3 by = q_log(q_mul(q_exp(to), q_conj(q_exp(from))));
	v3 aim = cn_joint_aim(j, d, to), swing = cn_joint_aim(j, d, v3_scale(by, 1 / w->dt));
	if (v3_distance(from, to) > 0 || v3_distance(aim, j->aim) > 0)
		wake_up(w, j);
	j->aim = aim, j->swing = v3_distance(from, to) > 0 ? swing : v3_zero();
}

void cn_joint_follow(cairn_world *w, uint32_t joint)
{
	cn_joint *j = &w->joints[joint];
	j->swing = v3_zero();
	if (j->motor != CAIRN_MOTOR_KEYS)
		return;
	if (w->scene->joints[joint].type == CAIRN_BALL) {
		follow_ball(w, j, &w->scene->joints[joint]);
		return;
	}
	double end = cn_step_time(w, 1), target = target_at(&w->scene->joints[joint], end);
	double speed = (target - target_at(&w->scene->joints[joint], end - w->dt)) / w->dt;
	if (target != j->target || speed != j->speed)
		wake_up(w, j);
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

/* Where a joint that an input added holds its bodies. That of a joint of the scene follows from its start. */
static void put_frame(cn_writer *o, const cn_joint *j)
{
	cn_put_u32(o, j->a);
	cn_put_u32(o, j->b);
	cn_put_v3(o, j->axis_a);
	cn_put_v3(o, j->axis_b);
	cn_put_quat(o, j->turned);
	cn_put_quat(o, j->frame);
	cn_put_f64(o, j->low);
	cn_put_f64(o, j->high);
}

static bool get_frame(cn_reader *r, cn_joint *j, uint32_t slots)
{
	j->a = cn_get_u32(r);
	j->b = cn_get_u32(r);
	j->axis_a = cn_get_v3(r);
	j->axis_b = cn_get_v3(r);
	j->turned = cn_get_quat(r);
	j->frame = cn_get_quat(r);
	j->low = cn_get_f64(r);
	j->high = cn_get_f64(r);
	return !r->failed && (j->a == CN_NO_BODY || j->a < slots) && (j->b == CN_NO_BODY || j->b < slots) && j->a != j->b &&
	       v3_finite(j->axis_a) && v3_finite(j->axis_b) && fabs(q_dot(j->turned, j->turned) - 1) <= 1e-9 &&
	       fabs(q_dot(j->frame, j->frame) - 1) <= 1e-9 && j->low <= j->high;
}

static void put_state(cn_writer *o, const cn_joint *j)
{
	cn_put_u32(o, j->serial_a);
	cn_put_u32(o, j->serial_b);
	cn_put_v3(o, j->arm_a);
	cn_put_v3(o, j->arm_b);
	bool turns = v3_length2(j->aim) > 0;
	cn_put_u8(o, (uint8_t)(j->motor | (turns ? CN_TURNS : 0)));
	if (turns)
		cn_put_v3(o, j->aim);
	cn_put_f64(o, j->speed);
	cn_put_f64(o, j->most);
	cn_put_f64(o, j->turn);
	cn_put_f64(o, j->force);
	cn_put_f64(o, j->torque);
	cn_put_u8(o, j->broken);
	if (cn_joint_servo(j))
		put_servo(o, j);
}

/* has_keys: its servo may follow keys. */
static bool get_state(cn_reader *r, cn_joint *j, bool has_keys)
{
	j->serial_a = cn_get_u32(r);
	j->serial_b = cn_get_u32(r);
	j->arm_a = cn_get_v3(r);
	j->arm_b = cn_get_v3(r);
	uint8_t motor = cn_get_u8(r);
	j->motor = motor & (uint8_t)~CN_TURNS;
	j->aim = motor & CN_TURNS ? cn_get_v3(r) : v3_zero();
	j->speed = cn_get_f64(r);
	j->most = cn_get_f64(r);
	j->turn = j->near = cn_get_f64(r);
	j->force = cn_get_f64(r);
	j->torque = cn_get_f64(r);
	j->broken = cn_get_bool(r);
	j->target = j->stiffness = j->damping = 0;
	if (cn_joint_servo(j) && !get_servo(r, j))
		return false;
	return !r->failed && j->motor <= CAIRN_MOTOR_KEYS && (j->motor != CAIRN_MOTOR_KEYS || has_keys) &&
	       v3_finite(j->arm_a) && v3_finite(j->arm_b) && isfinite(j->speed) && isfinite(j->most) && isfinite(j->turn) &&
	       v3_length(j->aim) <= 4 && isfinite(j->force) && isfinite(j->torque);
}

void cn_joints_put(cn_writer *o, const cairn_world *w)
{
	cn_put_u32(o, w->scene->late_joints);
	for (uint32_t i = w->given.joints; i < w->scene->joint_count; ++i)
		cn_put_joint_def(o, &w->scene->joints[i]);
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		if (i >= w->given.joints)
			put_frame(o, &w->joints[i]);
		put_state(o, &w->joints[i]);
	}
}

/* A gear couples joints that stand before it. */
static bool may_couple(const cn_joint_defs *defs, cairn_joint joint)
{
	return joint.generation == 1 && joint.index < defs->count &&
	       (defs->items[joint.index].type == CAIRN_HINGE || defs->items[joint.index].type == CAIRN_SLIDER);
}

bool cn_joints_get_defs(cn_reader *r, const cairn_world *w, cn_arena *s, cn_joint_defs *to, cairn_error *error)
{
	const cairn_allocator *a = &w->allocator;
	uint32_t late = cn_get_count(r, 144), given = w->given.joints;
	if (r->failed || late > CN_COUNT_MAX - given)
		return false;
	if (given + late && !cn_grow(a, (void **)&to->items, &to->capacity, given + late, sizeof *to->items))
		return cn_fail_memory(error);
	for (; to->count < given; ++to->count)
		to->items[to->count] = w->scene->joints[to->count];
	for (; to->count < given + late; ++to->count) {
		cairn_joint_def *d = &to->items[to->count];
		if (!cn_get_joint_def(r, s, d) || d->motor == CAIRN_MOTOR_KEYS || !cn_joint_check_parts(d, error) ||
		    (d->type == CAIRN_GEAR && (!may_couple(to, d->joint) || !may_couple(to, d->joint_b))))
			return false;
		d->name = cn_dup_text(a, d->name);
		if (!d->name)
			return cn_fail_memory(error);
	}
	return true;
}

void cn_joints_free_defs(const cairn_world *w, cn_joint_defs *defs)
{
	for (uint32_t i = w->given.joints; i < defs->count; ++i)
		cn_free_text(&w->allocator, (char *)defs->items[i].name);
	cn_free(&w->allocator, defs->items, defs->capacity, sizeof *defs->items);
}

bool cn_joints_get(cn_reader *r, const cairn_world *w, uint32_t count, uint32_t slots, cn_joint *to)
{
	for (uint32_t i = 0; i < count; ++i) {
		bool late = i >= w->given.joints;
		to[i] = late ? (cn_joint){0} : w->joints[i];
		if ((late && !get_frame(r, &to[i], slots)) || !get_state(r, &to[i], !late && w->scene->joints[i].key_count))
			return false;
	}
	return true;
}
