/* Inputs during a run. There is one door: a call checks, takes effect and writes itself into the log; replaying the
 * log makes the same calls again. */
#include "world/input.h"
#include "base/tolerance.h"
#include "geom/heightfield.h"
#include "world/joint.h"

#include <string.h>

#define CN_PUSH_MAX                                                                                                    \
	1e45 /* N, N m: a field's pull on the largest mass; its impulse on the least one does not overflow */

/* Room for the log entry is made first (a def's bytes are its size), so that an input that took effect is logged. */
size_t cn_input_begin(cairn_world *w, cn_input_kind kind)
{
	size_t start = w->log.inputs.size;
	cn_put_u8(&w->log.inputs, (uint8_t)kind);
	return start;
}

bool cn_input_undo(cairn_world *w, size_t start, cairn_error *error)
{
	bool failed = w->log.inputs.failed;
	w->log.inputs.size = start;
	w->log.inputs.failed = false;
	return failed ? cn_fail_memory(error) : false;
}

bool cn_input_check_body(const cairn_world *w, cairn_body body, cairn_error *error)
{
	if (!cairn_world_has_body(w, body))
		return cn_fail(error, CAIRN_INVALID, "body", "no such body: it was removed, or the handle is of another world");
	return true;
}

/* The log holds what is made of a height field: a mesh. */
static cairn_shape add_field(cairn_world *w, const cairn_shape_def *def, cairn_error *error)
{
	cairn_shape_def mesh;
	if (!cn_heightfield_make(&w->allocator, def, &mesh, error))
		return (cairn_shape){0, 0};
	cairn_shape shape = cairn_world_add_shape(w, &mesh, error);
	cn_heightfield_free(&w->allocator, &mesh);
	return shape;
}

cairn_shape cairn_world_add_shape(cairn_world *w, const cairn_shape_def *def, cairn_error *error)
{
	if (def->kind == CAIRN_HEIGHTFIELD)
		return add_field(w, def, error);
	size_t start = cn_input_begin(w, CN_INPUT_SHAPE);
	cn_put_shape_def(&w->log.inputs, def);
	cairn_shape shape = {0, 0};
	if (!w->log.inputs.failed)
		shape = cairn_scene_add_shape(w->scene, def, error);
	if (!shape.generation)
		cn_input_undo(w, start, error);
	return shape;
}

cairn_material cairn_world_add_material(cairn_world *w, const cairn_material_def *def, cairn_error *error)
{
	size_t start = cn_input_begin(w, CN_INPUT_MATERIAL);
	cn_put_material_def(&w->log.inputs, def);
	cairn_material material = {0, 0};
	if (!w->log.inputs.failed)
		material = cairn_scene_add_material(w->scene, def, error);
	if (!material.generation)
		cn_input_undo(w, start, error);
	return material;
}

cairn_body cairn_world_add_body(cairn_world *w, const cairn_body_def *def, cairn_error *error)
{
	size_t start = cn_input_begin(w, CN_INPUT_BODY);
	cn_put_body_def(&w->log.inputs, def);
	cairn_body body = {0, 0};
	if (!w->log.inputs.failed)
		body = cn_world_insert(w, def, error);
	if (!body.generation) {
		cn_input_undo(w, start, error);
		return body;
	}
	w->energy.touched = true;
	w->bodies[body.index].late = true;
	if (def->type != CAIRN_DYNAMIC)
		cn_world_wake(w); /* only a dynamic one wakes what it comes near */
	return body;
}

bool cairn_world_remove_body(cairn_world *w, cairn_body body, cairn_error *error)
{
	if (!cn_input_check_body(w, body, error))
		return false;
	size_t start = cn_input_begin(w, CN_INPUT_REMOVE);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	cn_world_erase(w, body.index);
	cn_world_wake(w); /* it may have held others up */
	w->energy.touched = true;
	return true;
}

/* A blast: every dynamic body's velocity changes by speed / max(1, r^2) away from the point; one whose centre is at the
 * point goes straight up. */
static void blast(cairn_world *w, v3 point, double speed)
{
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (!w->rotors[i].active)
			continue;
		v3 away = v3_sub(w->motion[i].x, point);
		double r2 = v3_length2(away), r = sqrt(r2);
		v3 along = r > 0 ? v3_scale(away, 1 / r) : v3_make(0, 0, 1);
		w->motion[i].v = v3_madd(w->motion[i].v, along, speed / (r2 > 1 ? r2 : 1));
	}
}

/* As cairn_world_set_motor and cairn_world_set_servo, which are inputs of their own. */
static bool drive(cairn_world *w, const cairn_event_def *e, cairn_error *error)
{
	if (!cn_drive_check(w->scene, e, error))
		return false;
	bool servo = e->motor == CAIRN_MOTOR_SERVO;
	cn_joint *j = &w->joints[e->joint.index];
	j->motor = (uint8_t)e->motor, j->speed = e->motor == CAIRN_MOTOR_FORCE ? 0 : e->speed, j->most = e->most;
	j->target = servo ? e->target : 0, j->stiffness = servo ? e->stiffness : 0, j->damping = servo ? e->damping : 0;
	j->aim = cn_joint_aim(j, &w->scene->joints[e->joint.index], servo ? e->turn : v3_zero());
	cn_world_wake(w);
	return true;
}

bool cn_world_apply(cairn_world *w, const cairn_event_def *e, cairn_error *error)
{
	if (e->kind == CAIRN_BLAST) {
		blast(w, e->point, e->speed);
		return true;
	}
	if (e->kind == CAIRN_DRIVE)
		return drive(w, e, error);
	if (!cn_input_check_body(w, e->body, error))
		return false;
	cn_motion *m = &w->motion[e->body.index];
	const cn_rotor *r = &w->rotors[e->body.index];
	if (!r->active)
		return cn_fail(error, CAIRN_INVALID, "body", "an impulse needs a dynamic body");
	m->v = v3_madd(m->v, e->impulse, r->inv_mass);
	if (e->has_point)
		m->l = v3_add(m->l, v3_cross(v3_sub(e->point, m->x), e->impulse));
	return true;
}

bool cairn_world_apply_event(cairn_world *w, const cairn_event_def *def, cairn_error *error)
{
	if (!cn_event_check(def, error))
		return false;
	size_t start = cn_input_begin(w, CN_INPUT_EVENT);
	cn_put_event_def(&w->log.inputs, def);
	if (w->log.inputs.failed || !cn_world_apply(w, def, error))
		return cn_input_undo(w, start, error);
	w->energy.touched = true;
	return true;
}

bool cairn_world_set_material(cairn_world *w, cairn_material material, const cairn_material_def *def,
                              cairn_error *error)
{
	size_t start = cn_input_begin(w, CN_INPUT_SET_MATERIAL);
	cn_put_handle(&w->log.inputs, material.index, material.generation);
	cn_put_material_def(&w->log.inputs, def);
	if (w->log.inputs.failed || !cn_scene_set_material(w->scene, material, def, error))
		return cn_input_undo(w, start, error);
	cn_world_wake(w);
	return true;
}

/* The new script begins with the pose of now, so that the body does not jump. */
static bool set_script(cairn_world *w, cairn_body body, const cairn_script_key *keys, uint32_t count,
                       cairn_error *error)
{
	cn_body *b = &w->bodies[body.index];
	double now = cairn_world_time(w);
	if (b->type != CAIRN_SCRIPTED)
		return cn_fail(error, CAIRN_INVALID, "body", "only a scripted body takes keys");
	if (!count || !(keys[0].time > now))
		return cn_fail(error, CAIRN_INVALID, "keys", "give at least one key, the first after the time of now, %g s",
		               now);
	cairn_script_key *all = cn_alloc(&w->allocator, (size_t)count + 1, sizeof *all);
	if (!all)
		return cn_fail_memory(error);
	all[0] = (cairn_script_key){now, cairn_world_body_pose(w, body)};
	memcpy(all + 1, keys, count * sizeof *all);
	cairn_body_def def = cairn_default_body_def(), checked;
	def.type = CAIRN_SCRIPTED, def.shape = (cairn_shape){b->shape, 1}, def.keys = all, def.key_count = count + 1;
	bool ok = cn_body_def_copy(w->scene, &def, &checked, error);
	cn_free(&w->allocator, all, (size_t)count + 1, sizeof *all);
	if (!ok)
		return false;
	cn_free(&w->allocator, b->keys, b->key_count, sizeof *b->keys);
	b->keys = (cairn_script_key *)checked.keys;
	b->key_count = checked.key_count;
	b->lag = 0, b->pace = 1; /* it begins with the pose of now */
	cn_free_text(&w->allocator, (char *)checked.name);
	return true;
}

bool cairn_world_set_script(cairn_world *w, cairn_body body, const cairn_script_key *keys, uint32_t count,
                            cairn_error *error)
{
	if (!cn_input_check_body(w, body, error))
		return false;
	size_t start = cn_input_begin(w, CN_INPUT_SCRIPT);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_script(&w->log.inputs, keys, count);
	if (w->log.inputs.failed || !set_script(w, body, keys, count, error))
		return cn_input_undo(w, start, error);
	cn_world_wake(w);
	return true;
}

bool cairn_world_set_gravity(cairn_world *w, cairn_vec3 gravity, cairn_error *error)
{
	size_t start = cn_input_begin(w, CN_INPUT_GRAVITY);
	cn_put_v3(&w->log.inputs, gravity);
	cairn_settings settings = w->scene->settings;
	settings.gravity = gravity;
	if (w->log.inputs.failed || !cairn_scene_set_settings(w->scene, &settings, error))
		return cn_input_undo(w, start, error);
	cn_world_wake(w);
	w->energy.touched = true;
	return true;
}

bool cairn_world_set_fps(cairn_world *w, double fps, cairn_error *error)
{
	size_t start = cn_input_begin(w, CN_INPUT_FPS);
	double now = cairn_world_time(w);
	cn_put_f64(&w->log.inputs, fps);
	cairn_settings settings = w->scene->settings;
	settings.fps = fps;
	if (w->log.inputs.failed || !cairn_scene_set_settings(w->scene, &settings, error))
		return cn_input_undo(w, start, error);
	w->clock.frame = w->frame, w->clock.time = now;
	w->dt = 1 / fps;
	++w->given.changes;
	w->memory.stamp = 0; /* impulses of a frame are of another length */
	cn_world_wake(w);
	return true;
}

static bool has_motors(const cairn_world *w, cairn_error *error)
{
	const char *name = w->scene->settings.method;
	return (cn_registry_method(name)->abilities & CN_CAN_JOINTS) ||
	       cn_fail(error, CAIRN_INVALID, "motor", "method '%s' has no motors", name);
}

bool cairn_world_set_motor(cairn_world *w, cairn_joint joint, cairn_motor_kind motor, double speed, double most,
                           cairn_error *error)
{
	if (joint.generation != 1 || joint.index >= w->scene->joint_count)
		return cn_fail(error, CAIRN_INVALID, "joint", "no such joint: the handle is of another scene");
	if (motor == CAIRN_MOTOR_KEYS)
		return cn_fail(error, CAIRN_INVALID, "motor",
		               "the keys of a servo are those of its scene; set it by cairn_world_set_servo");
	if (motor == CAIRN_MOTOR_SERVO)
		return cn_fail(error, CAIRN_INVALID, "motor",
		               "a servo has a target and gains; set it by cairn_world_set_servo");
	cairn_joint_def d = w->scene->joints[joint.index];
	d.motor = motor, d.speed = speed, d.most = most;
	if (!cn_joint_check_parts(&d, error) || !has_motors(w, error))
		return false;
	size_t start = cn_input_begin(w, CN_INPUT_MOTOR);
	cn_put_handle(&w->log.inputs, joint.index, joint.generation);
	cn_put_u8(&w->log.inputs, (uint8_t)motor);
	cn_put_f64(&w->log.inputs, d.speed);
	cn_put_f64(&w->log.inputs, d.most);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	cn_joint *j = &w->joints[joint.index];
	j->motor = (uint8_t)motor, j->speed = d.speed, j->most = d.most;
	j->target = j->stiffness = j->damping = 0, j->aim = v3_zero();
	cn_world_wake(w);
	return true;
}

bool cairn_world_set_servo(cairn_world *w, cairn_joint joint, const cairn_servo *servo, cairn_error *error)
{
	if (joint.generation != 1 || joint.index >= w->scene->joint_count)
		return cn_fail(error, CAIRN_INVALID, "joint", "no such joint: the handle is of another scene");
	cairn_joint_def d = w->scene->joints[joint.index];
	cn_joint *j = &w->joints[joint.index];
	d.motor = CAIRN_MOTOR_SERVO, d.target = servo->target, d.speed = servo->speed;
	d.stiffness = servo->stiffness, d.damping = servo->damping, d.most = servo->most, d.turn = servo->turn;
	if (!cn_joint_check_parts(&d, error) || !has_motors(w, error))
		return false;
	size_t start = cn_input_begin(w, CN_INPUT_SERVO);
	const double values[5] = {d.target, d.speed, d.stiffness, d.damping, d.most};
	cn_put_handle(&w->log.inputs, joint.index, joint.generation);
	for (int i = 0; i < 5; ++i)
		cn_put_f64(&w->log.inputs, values[i]);
	if (d.type == CAIRN_BALL)
		cn_put_v3(&w->log.inputs, d.turn);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	j->motor = CAIRN_MOTOR_SERVO, j->speed = d.speed, j->most = d.most;
	j->target = d.target, j->stiffness = d.stiffness, j->damping = d.damping;
	j->aim = cn_joint_aim(j, &w->scene->joints[joint.index], d.turn);
	cn_world_wake(w);
	return true;
}

cairn_drag_def cairn_default_drag_def(void) { return (cairn_drag_def){.frequency = 2}; }

/* The number of a body's drag, or of its push; drag.count: it has none. */
static uint32_t find_drag(const cairn_world *w, uint32_t slot, bool push)
{
	uint32_t i = 0;
	while (i < w->drag.count && (w->drag.items[i].slot != slot || (w->drag.items[i].frequency == 0) != push))
		++i;
	return i;
}

/* Room for the drag or push of that number. */
static bool make_drag(cairn_world *w, uint32_t number, uint32_t slot, cairn_error *error)
{
	if (number == w->drag.count &&
	    !cn_grow(&w->allocator, (void **)&w->drag.items, &w->drag.capacity, number + 1, sizeof *w->drag.items))
		return cn_fail_memory(error);
	if (number == w->drag.count)
		w->drag.items[w->drag.count++] = (cn_drag){.slot = slot};
	w->rotors[slot].dragged = true;
	return true;
}

/* The body may have been at rest by the hand alone. */
static void drop_drag(cairn_world *w, uint32_t number)
{
	uint32_t slot = w->drag.items[number].slot;
	w->drag.items[number] = w->drag.items[--w->drag.count];
	w->rotors[slot].dragged = false;
	for (uint32_t i = 0; i < w->drag.count; ++i)
		w->rotors[slot].dragged |= w->drag.items[i].slot == slot;
	w->rest_state[slot] = (cn_rest_state){0};
}

void cn_drags_drop(cairn_world *w, uint32_t slot)
{
	for (uint32_t i = w->drag.count; i-- > 0;)
		if (w->drag.items[i].slot == slot)
			drop_drag(w, i);
}

static bool set_drag(cairn_world *w, const cairn_drag_def *def, cairn_error *error)
{
	if (!cn_input_check_body(w, def->body, error))
		return false;
	if (!w->rotors[def->body.index].active)
		return cn_fail(error, CAIRN_INVALID, "body", "only a dynamic body can be dragged");
	if (!v3_finite(def->anchor) || !v3_finite(def->target) || v3_length(def->anchor) > CN_LENGTH_MAX ||
	    v3_length(def->target) > CN_LENGTH_MAX)
		return cn_fail(error, CAIRN_INVALID, "target", "anchor and target must be finite and within %g m",
		               CN_LENGTH_MAX);
	if (!(def->frequency > 0 && def->frequency <= 1e6))
		return cn_fail(error, CAIRN_INVALID, "frequency", "frequency is %g; give Hz above 0, at most 1e6",
		               def->frequency);
	uint32_t i = find_drag(w, def->body.index, false);
	if (!make_drag(w, i, def->body.index, error))
		return false;
	v3 anchor = v3_sub(def->anchor, w->bodies[def->body.index].center);
	w->drag.items[i] = (cn_drag){def->body.index, anchor, def->target, def->frequency};
	return true;
}

bool cairn_world_drag(cairn_world *w, const cairn_drag_def *def, cairn_error *error)
{
	size_t start = cn_input_begin(w, CN_INPUT_DRAG);
	cn_put_handle(&w->log.inputs, def->body.index, def->body.generation);
	cn_put_v3(&w->log.inputs, def->anchor);
	cn_put_v3(&w->log.inputs, def->target);
	cn_put_f64(&w->log.inputs, def->frequency);
	if (w->log.inputs.failed || !set_drag(w, def, error))
		return cn_input_undo(w, start, error);
	return true;
}

bool cairn_world_release(cairn_world *w, cairn_body body, cairn_error *error)
{
	if (!cn_input_check_body(w, body, error))
		return false;
	uint32_t i = find_drag(w, body.index, false);
	if (i == w->drag.count)
		return cn_fail(error, CAIRN_INVALID, "body", "nothing drags this body");
	size_t start = cn_input_begin(w, CN_INPUT_RELEASE);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	drop_drag(w, i);
	return true;
}

/* ---- single bodies */

void cn_pushes_end(cairn_world *w)
{
	for (uint32_t i = w->drag.count; i-- > 0;)
		if (w->drag.items[i].frequency == 0)
			drop_drag(w, i);
}

bool cn_input_check_dynamic(const cairn_world *w, cairn_body body, cairn_error *error)
{
	if (!cn_input_check_body(w, body, error))
		return false;
	if (!w->rotors[body.index].active)
		return cn_fail(error, CAIRN_INVALID, "body", "this needs a dynamic body");
	return true;
}

static bool within(v3 v, double most) { return v3_finite(v) && v3_length(v) <= most; }

static bool add_push(cairn_world *w, cairn_body body, v3 force, v3 torque, cairn_error *error)
{
	uint32_t i = find_drag(w, body.index, true);
	v3 old_force = i < w->drag.count ? w->drag.items[i].anchor : v3_zero();
	v3 old_torque = i < w->drag.count ? w->drag.items[i].target : v3_zero();
	force = v3_add(old_force, force), torque = v3_add(old_torque, torque);
	if (!within(force, CN_PUSH_MAX) || !within(torque, CN_PUSH_MAX))
		return cn_fail(error, CAIRN_INVALID, "force", "forces and torques must be finite, and their sum at most %g",
		               CN_PUSH_MAX);
	if (!make_drag(w, i, body.index, error))
		return false;
	w->drag.items[i].anchor = force, w->drag.items[i].target = torque;
	return true;
}

bool cairn_world_push(cairn_world *w, cairn_body body, cairn_vec3 force, cairn_vec3 torque, cairn_error *error)
{
	if (!cn_input_check_dynamic(w, body, error))
		return false;
	size_t start = cn_input_begin(w, CN_INPUT_PUSH);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_v3(&w->log.inputs, force);
	cn_put_v3(&w->log.inputs, torque);
	if (w->log.inputs.failed || !add_push(w, body, force, torque, error))
		return cn_input_undo(w, start, error);
	return true;
}

bool cairn_world_set_velocity(cairn_world *w, cairn_body body, cairn_vec3 velocity, cairn_vec3 spin, cairn_error *error)
{
	if (!cn_input_check_dynamic(w, body, error))
		return false;
	if (!within(velocity, CN_SPEED_MAX) || !within(spin, CN_SPEED_MAX))
		return cn_fail(error, CAIRN_INVALID, "velocity", "velocity and spin must be finite, at most %g m/s and rad/s",
		               CN_SPEED_MAX);
	size_t start = cn_input_begin(w, CN_INPUT_VELOCITY);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_v3(&w->log.inputs, velocity);
	cn_put_v3(&w->log.inputs, spin);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	cn_motion *m = &w->motion[body.index];
	m->v = velocity;
	m->l = cn_angular(&w->rotors[body.index], m->q, spin);
	w->energy.touched = true;
	return true;
}

bool cairn_world_set_damping(cairn_world *w, cairn_body body, double linear, double angular, cairn_error *error)
{
	if (!cn_input_check_dynamic(w, body, error))
		return false;
	if (!(linear >= 0 && linear <= 1e6) || !(angular >= 0 && angular <= 1e6))
		return cn_fail(error, CAIRN_INVALID, "damping", "damping is %g and %g; give 1/s from 0 to 1e6", linear,
		               angular);
	size_t start = cn_input_begin(w, CN_INPUT_DAMPING);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_f64(&w->log.inputs, linear);
	cn_put_f64(&w->log.inputs, angular);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	w->bodies[body.index].linear_damping = linear;
	w->bodies[body.index].angular_damping = angular;
	cn_body_mark(&w->bodies[body.index], &w->rotors[body.index]);
	return true;
}

bool cairn_world_set_body_material(cairn_world *w, cairn_body body, cairn_material material, cairn_error *error)
{
	if (!cn_input_check_body(w, body, error))
		return false;
	if (material.generation && (material.generation != 1 || material.index >= w->scene->material_count))
		return cn_fail(error, CAIRN_INVALID, "material", "no such material: the handle is of another scene");
	size_t start = cn_input_begin(w, CN_INPUT_BODY_MATERIAL);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_handle(&w->log.inputs, material.index, material.generation);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	w->bodies[body.index].material = material.generation ? material.index + 1 : 0;
	cn_world_wake(w);
	return true;
}

const void *cairn_world_step_inputs(const cairn_world *w, size_t *size)
{
	*size = w->log.consumed.size;
	return w->log.consumed.data;
}

size_t cairn_world_pending_inputs(const cairn_world *w) { return w->log.inputs.size; }
