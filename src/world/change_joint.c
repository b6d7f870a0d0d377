/* Joints that come and go during a run. They stand at the end of the world's copy of the scene, under numbers that are not
 * used again. */
#include "scene/registry.h"
#include "world/input.h"
#include "world/joint.h"

#include <string.h>

/* A joint holds bodies of the world, and one of them moves. */
static bool check_bodies(const cairn_world *w, const cairn_joint_def *d, cairn_error *error)
{
	bool moves = false;
	if (d->type == CAIRN_PULLEY && (!d->a.generation || !d->b.generation))
		return cn_fail(error, CAIRN_INVALID, "bodies", "a pulley has a body at each end");
	for (int i = 0; i < 2; ++i) {
		cairn_body body = i ? d->b : d->a;
		if (body.generation && !cn_input_check_body(w, body, error))
			return false;
		moves |= body.generation && w->rotors[body.index].active;
	}
	if (d->a.generation && d->b.generation && d->a.index == d->b.index)
		return cn_fail(error, CAIRN_INVALID, "bodies", "a joint needs two different bodies (or one and the world)");
	return moves || cn_fail(error, CAIRN_INVALID, "bodies",
	                        "neither of the two is dynamic, so there is nothing for a joint to hold");
}

static cairn_body_type type_of(const void *of, cairn_body body)
{
	return ((const cairn_world *)of)->bodies[body.index].type;
}

/* The joints of a gear hold. Its bodies are found from them. */
static bool check_gear(const cairn_world *w, cairn_joint_def *d, cairn_error *error)
{
	const cairn_joint both[2] = {d->joint, d->joint_b};
	if (d->type != CAIRN_GEAR)
		return true;
	for (int i = 0; i < 2; ++i)
		if (both[i].generation == 1 && both[i].index < w->scene->joint_count &&
		    !cn_joint_stands(w, &w->joints[both[i].index]))
			return cn_fail(error, CAIRN_INVALID, "joints", "a joint of the gear is broken or was removed");
	return cn_gear_find(w->scene, d, type_of, w, error);
}

static bool check_method(const cairn_world *w, cairn_error *error)
{
	const cn_method_row *method = cn_registry_method(w->scene->settings.method);
	if (method->abilities & CN_CAN_JOINTS && !w->scene->options.momentum && !w->scene->options.forces)
		return true;
	return cn_fail(error, CAIRN_INVALID, "joint", "method '%s' with the options of this scene cannot do joints",
	               w->scene->settings.method);
}

static cairn_joint add_joint(cairn_world *w, const cairn_joint_def *def, cairn_error *error)
{
	uint32_t count = w->scene->joint_count;
	cn_joint *more = cn_alloc(&w->allocator, (size_t)count + 1, sizeof *more);
	cairn_joint joint = {0, 0};
	if (!more)
		cn_fail_memory(error);
	else
		joint = cn_scene_take_joint(w->scene, def, error);
	if (!joint.generation) {
		cn_free(&w->allocator, more, (size_t)count + 1, sizeof *more);
		return joint;
	}
	++w->scene->late_joints;
	if (count)
		memcpy(more, w->joints, count * sizeof *more);
	more[count] = cn_joint_make(w, def);
	cn_free(&w->allocator, w->joints, count, sizeof *more);
	w->joints = more;
	return joint;
}

/* Whom a joint holds is round to the step no longer, and sleeps with others. */
static void joints_changed(cairn_world *w)
{
	++w->given.changes;
	w->memory.stamp = 0;
	cn_world_wake(w);
}

cairn_joint cairn_world_add_joint(cairn_world *w, const cairn_joint_def *def, cairn_error *error)
{
	const cairn_joint none = {0, 0};
	cairn_joint_def d = *def;
	if (def->motor == CAIRN_MOTOR_KEYS)
		cn_fail(error, CAIRN_INVALID, "motor",
		        "the keys of a servo are those of its scene; add a servo, and move it by cairn_world_set_servo");
	if (def->motor == CAIRN_MOTOR_KEYS || !check_method(w, error) || !cn_joint_check_parts(&d, error) ||
	    !check_gear(w, &d, error) || !check_bodies(w, &d, error))
		return none;
	size_t start = cn_input_begin(w, CN_INPUT_JOINT);
	cn_put_joint_def(&w->log.inputs, &d);
	cairn_joint joint = w->log.inputs.failed ? none : add_joint(w, &d, error);
	if (!joint.generation) {
		cn_input_undo(w, start, error);
		return none;
	}
	joints_changed(w);
	return joint;
}

bool cairn_world_remove_joint(cairn_world *w, cairn_joint joint, cairn_error *error)
{
	if (joint.generation != 1 || joint.index >= w->scene->joint_count || w->joints[joint.index].broken)
		return cn_fail(error, CAIRN_INVALID, "joint",
		               "no such joint: it broke or was removed, or the handle is of "
		               "another world");
	size_t start = cn_input_begin(w, CN_INPUT_REMOVE_JOINT);
	cn_put_handle(&w->log.inputs, joint.index, joint.generation);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	w->joints[joint.index].broken = true;
	joints_changed(w);
	return true;
}

bool cn_change_joint_replay(cairn_world *w, cn_input_kind kind, cn_reader *r, cn_arena *s, cairn_error *error)
{
	if (kind == CN_INPUT_JOINT) {
		cairn_joint_def def;
		return cn_get_joint_def(r, s, &def) && cairn_world_add_joint(w, &def, error).generation;
	}
	cairn_body handle = cn_get_handle(r);
	return !r->failed && cairn_world_remove_joint(w, (cairn_joint){handle.index, handle.generation}, error);
}
