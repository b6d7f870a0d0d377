/* Inputs given again from the bytes of the log: the same calls, in the same order. */
#include "world/input.h"

/* The inputs of single bodies. */
static bool replay_body(cairn_world *w, cn_input_kind kind, cn_reader *r, cairn_error *error)
{
	cairn_body body = cn_get_handle(r), other = {0, 0};
	v3 a = v3_zero(), b = v3_zero();
	double linear = 0, angular = 0;
	if (kind == CN_INPUT_PUSH || kind == CN_INPUT_VELOCITY)
		a = cn_get_v3(r), b = cn_get_v3(r);
	else if (kind == CN_INPUT_DAMPING)
		linear = cn_get_f64(r), angular = cn_get_f64(r);
	else
		other = cn_get_handle(r);
	if (r->failed)
		return false;
	switch (kind) {
	case CN_INPUT_PUSH: return cairn_world_push(w, body, a, b, error);
	case CN_INPUT_VELOCITY: return cairn_world_set_velocity(w, body, a, b, error);
	case CN_INPUT_DAMPING: return cairn_world_set_damping(w, body, linear, angular, error);
	default: return cairn_world_set_body_material(w, body, (cairn_material){other.index, other.generation}, error);
	}
}

/* One input. False with the reader failed when its bytes are bad, else with the call's error. */
static bool replay_one(cairn_world *w, cn_reader *r, cn_arena *s, cairn_error *error)
{
	cairn_shape_def shape;
	cairn_material_def material;
	cairn_body_def def;
	cairn_event_def event;
	cairn_drag_def drag;
	cairn_body body;
	const cairn_script_key *keys;
	uint32_t count;
	uint8_t kind = cn_get_u8(r);
	switch (kind) {
	case CN_INPUT_PUSH:
	case CN_INPUT_VELOCITY:
	case CN_INPUT_DAMPING:
	case CN_INPUT_BODY_MATERIAL: return replay_body(w, (cn_input_kind)kind, r, error);
	case CN_INPUT_POSE:
	case CN_INPUT_MASS:
	case CN_INPUT_BODY_SHAPE:
	case CN_INPUT_FILTER:
	case CN_INPUT_GRAVITY_SCALE:
	case CN_INPUT_TYPE: return cn_change_replay(w, (cn_input_kind)kind, r, error);
	case CN_INPUT_JOINT:
	case CN_INPUT_REMOVE_JOINT: return cn_change_joint_replay(w, (cn_input_kind)kind, r, s, error);
	case CN_INPUT_SHAPE: return cn_get_shape_def(r, s, &shape) && cairn_world_add_shape(w, &shape, error).generation;
	case CN_INPUT_MATERIAL:
		return cn_get_material_def(r, s, &material) && cairn_world_add_material(w, &material, error).generation;
	case CN_INPUT_BODY: return cn_get_body_def(r, s, &def) && cairn_world_add_body(w, &def, error).generation;
	case CN_INPUT_REMOVE: body = cn_get_handle(r); return !r->failed && cairn_world_remove_body(w, body, error);
	case CN_INPUT_EVENT: return cn_get_event_def(r, &event) && cairn_world_apply_event(w, &event, error);
	case CN_INPUT_SET_MATERIAL:
		body = cn_get_handle(r);
		return cn_get_material_def(r, s, &material) &&
		       cairn_world_set_material(w, (cairn_material){body.index, body.generation}, &material, error);
	case CN_INPUT_SCRIPT:
		body = cn_get_handle(r);
		return cn_get_script(r, s, &keys, &count) && cairn_world_set_script(w, body, keys, count, error);
	case CN_INPUT_GRAVITY: {
		v3 gravity = cn_get_v3(r);
		return !r->failed && cairn_world_set_gravity(w, gravity, error);
	}
	case CN_INPUT_FPS: {
		double fps = cn_get_f64(r);
		return !r->failed && cairn_world_set_fps(w, fps, error);
	}
	case CN_INPUT_DRAG:
		drag.body = cn_get_handle(r);
		drag.anchor = cn_get_v3(r);
		drag.target = cn_get_v3(r);
		drag.frequency = cn_get_f64(r);
		return !r->failed && cairn_world_drag(w, &drag, error);
	case CN_INPUT_MOTOR: {
		body = cn_get_handle(r);
		cairn_motor_kind motor = (cairn_motor_kind)cn_get_u8(r);
		double speed = cn_get_f64(r), most = cn_get_f64(r);
		return !r->failed &&
		       cairn_world_set_motor(w, (cairn_joint){body.index, body.generation}, motor, speed, most, error);
	}
	case CN_INPUT_SERVO: {
		body = cn_get_handle(r);
		cairn_servo servo = {0};
		servo.target = cn_get_f64(r), servo.speed = cn_get_f64(r);
		servo.stiffness = cn_get_f64(r), servo.damping = cn_get_f64(r), servo.most = cn_get_f64(r);
		if (body.index < w->scene->joint_count && w->scene->joints[body.index].type == CAIRN_BALL)
			servo.turn = cn_get_v3(r);
		return !r->failed && cairn_world_set_servo(w, (cairn_joint){body.index, body.generation}, &servo, error);
	}
	case CN_INPUT_RELEASE: body = cn_get_handle(r); return !r->failed && cairn_world_release(w, body, error);
	default: r->failed = true; return false;
	}
}

bool cairn_world_replay(cairn_world *w, const void *inputs, size_t size, cairn_error *error)
{
	cn_reader r = {.data = inputs, .size = size};
	cn_arena s = cn_arena_make(&w->allocator);
	bool ok = true;
	while (ok && cn_reader_left(&r)) {
		ok = replay_one(w, &r, &s, error);
		cn_arena_free(&s);
	}
	if (!ok && r.failed)
		cn_fail(error, CAIRN_FILE, "", "the inputs' bytes end early or do not fit together");
	return ok;
}
