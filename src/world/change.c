/* Inputs that make a body another one: where it is, what it weighs, its shape, whom it meets, whether it moves by itself.
 *
 * Recordings have one track for a body that stays what it is, and between two keys of a track it moves straight. So a body
 * that is changed begins a new life under a new serial: it keeps its handle, name and joints, and its old track ends. What
 * remembers bodies by serial (contacts, the certificate) then forgets it of its own accord. */
#include "base/tolerance.h"
#include "geom/mass.h"
#include "scene/registry.h"
#include "world/input.h"
#include "world/joint.h"
#include "world/query.h"

#include <float.h>
#include <string.h>

#define CN_GRAVITY_SCALE_MAX 1e6 /* x gravity: speeds of a frame stay finite */

/* A body as it would be. */
typedef struct proposal {
	uint32_t slot, shape, group, mask;
	cairn_body_type type;
	pose frame; /* of the shape */
} proposal;

static proposal propose(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	return (proposal){slot, b->shape, b->group, b->mask, (cairn_body_type)b->type, cn_body_frame(b, &w->motion[slot])};
}

void cn_body_renew(cairn_world *w, uint32_t slot)
{
	cn_body *b = &w->bodies[slot];
	uint32_t old = b->serial, serial = w->count.serials++;
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		cn_joint *j = &w->joints[i];
		if (j->a == slot && j->serial_a == old)
			j->serial_a = serial;
		if (j->b == slot && j->serial_b == old)
			j->serial_b = serial;
	}
	cn_extras_drop(w, slot);
	b->serial = serial, b->birth = w->frame, b->late = true;
	w->before[slot] = w->next[slot] = w->motion[slot];
	w->pieces[slot] = 1;
	w->memory.stamp = 0;
	++w->given.changes;
	w->energy.touched = true;
	cn_world_wake(w); /* it may have held others up */
}

/* ---- room */

static bool joined(const cairn_world *w, uint32_t a, uint32_t b)
{
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		const cn_joint *j = &w->joints[i];
		if (((j->a == a && j->b == b) || (j->a == b && j->b == a)) && !w->scene->joints[i].collide &&
		    cn_joint_there(w, j))
			return true;
	}
	return false;
}

/* What counts as touching, as in a step. */
static double slack(const cairn_world *w, const proposal *p, uint32_t other)
{
	const cairn_box *box = &w->scene->shapes[p->shape].box;
	double far = v3_max(v3_abs(p->frame.position)) + v3_max(v3_abs(w->motion[other].x));
	double size = v3_max(v3_sub(box->max, box->min));
	return CN_KEPT_ULPS * DBL_EPSILON * (far + (isfinite(size) ? size : 0));
}

/* Whether a body would overlap another one, and how deep. Of two meshes only the step can tell. */
static bool overlaps(const cairn_world *w, const proposal *p, uint32_t other, double *depth)
{
	cn_body b = w->bodies[p->slot];
	const cn_body *o = &w->bodies[other];
	b.type = (uint8_t)p->type, b.group = p->group, b.mask = p->mask;
	if (!o->alive || other == p->slot || !cn_body_collide(&b, o) || joined(w, p->slot, other))
		return false;
	v3 center = pose_apply(p->frame, w->scene->shapes[p->shape].mass.center);
	double near = cn_shape_radius(w->scene->shapes, p->shape, w->scene->shapes[p->shape].mass.center) + o->radius;
	cairn_gap gap;
	if (v3_distance(center, w->motion[other].x) > near ||
	    !cn_shapes_gap(w->scene, p->shape, p->frame, o->shape, cn_body_frame(o, &w->motion[other]), &gap))
		return false;
	*depth = -gap.gap;
	return gap.exact && gap.gap < -slack(w, p, other);
}

/* Refuses a place where a body would overlap others: names the one that it would overlap the deepest. with: by slot, who goes
 * along and is not asked; NULL: nobody. */
static bool has_room(const cairn_world *w, const proposal *p, const uint8_t *with, cairn_error *error)
{
	const cn_method_row *method = cn_registry_method(w->scene->settings.method);
	uint32_t worst = CN_NO_BODY;
	double most = 0;
	if (!method || !(method->abilities & CN_CAN_CONTACT))
		return true;
	for (uint32_t i = 0; i < w->slots; ++i) {
		double depth;
		if ((!with || !with[i]) && overlaps(w, p, i, &depth) && depth > most)
			most = depth, worst = i;
	}
	if (worst == CN_NO_BODY)
		return true;
	char mine[100], other[100];
	cn_body_title(w, p->slot, mine, sizeof mine);
	cn_body_title(w, worst, other, sizeof other);
	return cn_fail(error, CAIRN_INVALID, "body",
	               "body %s would overlap body %s by %.3g m; choose a place that is free (touching is fine), or remove "
	               "the other one first",
	               mine, other, most);
}

/* ---- pose */

/* Marks everybody that joints hold together with a body. False: one of them is held to something that does not move along. */
static bool mark_held(const cairn_world *w, uint32_t slot, uint8_t *with)
{
	bool more = true, loose = true;
	with[slot] = 1;
	while (more) {
		more = false;
		for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
			const cn_joint *j = &w->joints[i];
			uint32_t a = j->a, b = j->b;
			bool has_a = a != CN_NO_BODY && with[a], has_b = b != CN_NO_BODY && with[b];
			if (has_a == has_b || !cn_joint_stands(w, j))
				continue;
			uint32_t other = has_a ? b : a;
			bool goes = other != CN_NO_BODY && w->rotors[other].active;
			loose &= goes;
			more |= goes;
			if (goes)
				with[other] = 1;
		}
	}
	return loose;
}

/* Everything that hangs together moves as one rigid whole. */
static void move_all(cairn_world *w, const uint8_t *with, pose by)
{
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (!with[i])
			continue;
		cn_motion *m = &w->motion[i];
		quat q = q_unit(q_mul(by.orientation, m->q));
		*m = (cn_motion){pose_apply(by, m->x), q, q_rotate(by.orientation, m->v), q_rotate(by.orientation, m->l)};
		cn_body_renew(w, i);
	}
}

static bool move_body(cairn_world *w, uint32_t slot, pose to, uint8_t *with, cairn_error *error)
{
	pose from = cn_body_frame(&w->bodies[slot], &w->motion[slot]);
	quat turn = q_unit(q_mul(to.orientation, q_conj(from.orientation)));
	pose by = {v3_sub(to.position, q_rotate(turn, from.position)), turn};
	if (!mark_held(w, slot, with))
		return cn_fail(
			error, CAIRN_INVALID, "body",
			"a joint holds it, or what hangs on it, to the world or to a body that does not move along; remove "
			"that joint first, or lead the body with a drag");
	for (uint32_t i = 0; i < w->slots; ++i) {
		if (!with[i])
			continue;
		proposal p = propose(w, i);
		p.frame = i == slot ? to : pose_mul(by, p.frame);
		if (v3_max(v3_abs(p.frame.position)) > CN_LENGTH_MAX)
			return cn_fail(error, CAIRN_INVALID, "pose", "what hangs on the body would be further than %g m away",
			               CN_LENGTH_MAX);
		if (!has_room(w, &p, with, error))
			return false;
	}
	move_all(w, with, by);
	return true;
}

/* Unit to rounding. */
static bool check_pose(cairn_pose *p, cairn_error *error)
{
	double length = sqrt(q_dot(p->orientation, p->orientation));
	if (!v3_finite(p->position) || v3_max(v3_abs(p->position)) > CN_LENGTH_MAX)
		return cn_fail(error, CAIRN_INVALID, "pose.position", "position is (%g, %g, %g); give three numbers up to %g",
		               p->position.x, p->position.y, p->position.z, CN_LENGTH_MAX);
	if (!q_finite(p->orientation) || !(fabs(length - 1) <= 1e-3))
		return cn_fail(error, CAIRN_INVALID, "pose.orientation",
		               "orientation is (%g, %g, %g, %g); give a unit quaternion (w, x, y, z)", p->orientation.w,
		               p->orientation.x, p->orientation.y, p->orientation.z);
	p->orientation = q_unit(p->orientation);
	return true;
}

bool cairn_world_set_pose(cairn_world *w, cairn_body body, cairn_pose to, cairn_error *error)
{
	if (!cn_input_check_body(w, body, error) || !check_pose(&to, error))
		return false;
	if (w->bodies[body.index].type == CAIRN_SCRIPTED)
		return cn_fail(error, CAIRN_INVALID, "body",
		               "it follows a script; lead it by cairn_world_set_script, or make it another type first");
	size_t start = cn_input_begin(w, CN_INPUT_POSE);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_v3(&w->log.inputs, to.position);
	cn_put_quat(&w->log.inputs, to.orientation);
	uint8_t *with = cn_alloc(&w->allocator, w->slots, sizeof *with);
	bool ok = (with && !w->log.inputs.failed) || cn_fail_memory(error);
	ok = ok && move_body(w, body.index, to, with, error);
	cn_free(&w->allocator, with, w->slots, sizeof *with);
	return ok || cn_input_undo(w, start, error);
}

/* ---- mass, shape, type */

/* A body as a def, to be checked as if it were added. */
static cairn_body_def def_of(const cairn_world *w, uint32_t slot)
{
	const cn_body *b = &w->bodies[slot];
	cairn_body_def d = cairn_default_body_def();
	d.type = (cairn_body_type)b->type, d.shape = (cairn_shape){b->shape, 1};
	d.pose = cn_body_frame(b, &w->motion[slot]);
	d.group = b->group, d.mask = b->mask;
	if (b->material)
		d.material = (cairn_material){b->material - 1, 1};
	d.mass = b->mass;
	d.keys = b->keys, d.key_count = b->key_count;
	return d;
}

/* Gives a body the mass, shape and type of a def that was checked. Velocity and spin stay, and so does the frame of the
 * shape. */
static void take_def(cairn_world *w, uint32_t slot, const cairn_body_def *d, double scale)
{
	cn_body *b = &w->bodies[slot];
	cn_motion *m = &w->motion[slot];
	pose frame = cn_body_frame(b, m);
	v3 center = b->center, spin = cn_spin(&w->rotors[slot], m->q, m->l);
	bool dragged = w->rotors[slot].dragged;
	w->count.moving -= b->type != CAIRN_FIXED;
	b->type = (uint8_t)d->type, b->shape = d->shape.index;
	w->count.moving += b->type != CAIRN_FIXED;
	if (scale > 0)
		b->mass *= scale, b->inertia = m3_scale(b->inertia, scale);
	else
		cn_body_mass(w->scene, d, &b->mass, &b->center, &b->inertia, NULL);
	cn_body_measure(w->scene, b);
	w->rotors[slot] = cn_rotor_make(b->mass, b->inertia);
	cn_body_mark(b, &w->rotors[slot]);
	w->rotors[slot].dragged = dragged;
	m->x = pose_apply(frame, b->center);
	m->l = cn_angular(&w->rotors[slot], m->q, spin);
	v3 moved = v3_sub(center, b->center);
	for (uint32_t i = 0; i < w->drag.count; ++i)
		if (w->drag.items[i].slot == slot && w->drag.items[i].frequency > 0)
			w->drag.items[i].anchor = v3_add(w->drag.items[i].anchor, moved);
	for (uint32_t i = 0; i < w->scene->joint_count; ++i) {
		cn_joint *j = &w->joints[i];
		if (j->a == slot && j->serial_a == b->serial)
			j->arm_a = v3_add(j->arm_a, moved);
		if (j->b == slot && j->serial_b == b->serial)
			j->arm_b = v3_add(j->arm_b, moved);
	}
	cn_body_renew(w, slot);
}

/* Checks a def as if it were to be added, keeping nothing. */
static bool check_def(cairn_world *w, const cairn_body_def *d, cairn_error *error)
{
	cairn_body_def copy;
	if (!cn_body_def_copy(w->scene, d, &copy, error))
		return false;
	cn_body_def_free(&w->allocator, &copy);
	return true;
}

bool cairn_world_set_mass(cairn_world *w, cairn_body body, double mass, cairn_error *error)
{
	if (!cn_input_check_dynamic(w, body, error))
		return false;
	const cn_body *b = &w->bodies[body.index];
	double scale = mass / b->mass;
	if (!(mass >= CN_MASS_MIN && mass <= CN_MASS_MAX) || cn_inertia_fault(m3_scale(b->inertia, scale)))
		return cn_fail(error, CAIRN_INVALID, "mass", "a mass of %g; give kg from %g to %g", mass, CN_MASS_MIN,
		               CN_MASS_MAX);
	size_t start = cn_input_begin(w, CN_INPUT_MASS);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_f64(&w->log.inputs, mass);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	cairn_body_def d = def_of(w, body.index);
	take_def(w, body.index, &d, scale);
	w->bodies[body.index].mass = mass;
	return true;
}

bool cairn_world_set_shape(cairn_world *w, cairn_body body, cairn_shape shape, cairn_error *error)
{
	if (!cn_input_check_body(w, body, error))
		return false;
	if (shape.generation != 1 || shape.index >= w->scene->shape_count)
		return cn_fail(error, CAIRN_INVALID, "shape", "no such shape: the handle is of another scene");
	if (w->scene->shapes[shape.index].def.visual)
		return cn_fail(error, CAIRN_INVALID, "shape", "a mesh of kind visual is to be seen only");
	cairn_body_def d = def_of(w, body.index);
	proposal p = propose(w, body.index);
	d.shape = shape, p.shape = shape.index;
	if (!check_def(w, &d, error) || !has_room(w, &p, NULL, error))
		return false;
	size_t start = cn_input_begin(w, CN_INPUT_BODY_SHAPE);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_handle(&w->log.inputs, shape.index, shape.generation);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	take_def(w, body.index, &d, 0);
	return true;
}

/* A script that stands where the body is. */
static bool stand(cairn_world *w, uint32_t slot, cairn_error *error)
{
	cn_body *b = &w->bodies[slot];
	cairn_script_key *key = cn_alloc(&w->allocator, 1, sizeof *key);
	if (!key)
		return cn_fail_memory(error);
	*key = (cairn_script_key){cairn_world_time(w), cn_body_frame(b, &w->motion[slot])};
	b->keys = key, b->key_count = 1;
	b->lag = 0, b->pace = 1;
	return true;
}

static bool held_by_joint(const cairn_world *w, uint32_t slot)
{
	for (uint32_t i = 0; i < w->scene->joint_count; ++i)
		if ((w->joints[i].a == slot || w->joints[i].b == slot) && cn_joint_stands(w, &w->joints[i]))
			return true;
	return false;
}

static bool set_type(cairn_world *w, uint32_t slot, cairn_body_type type, cairn_error *error)
{
	cn_body *b = &w->bodies[slot];
	cairn_body_def d = def_of(w, slot);
	proposal p = propose(w, slot);
	cairn_script_key here = {cairn_world_time(w), p.frame};
	d.type = p.type = type, d.mass = 0;
	d.keys = type == CAIRN_SCRIPTED ? &here : NULL, d.key_count = type == CAIRN_SCRIPTED;
	if (!check_def(w, &d, error) || !has_room(w, &p, NULL, error))
		return false;
	if (type == CAIRN_SCRIPTED && !stand(w, slot, error))
		return false;
	if (b->type == CAIRN_SCRIPTED) {
		cn_free(&w->allocator, b->keys, b->key_count, sizeof *b->keys);
		b->keys = NULL, b->key_count = 0;
	}
	if (type != CAIRN_DYNAMIC) { /* neither is dragged or pushed, nor goes on */
		cn_drags_drop(w, slot);
		w->motion[slot].v = w->motion[slot].l = v3_zero();
	}
	take_def(w, slot, &d, 0);
	return true;
}

bool cairn_world_set_type(cairn_world *w, cairn_body body, cairn_body_type type, cairn_error *error)
{
	const cn_method_row *method = cn_registry_method(w->scene->settings.method);
	if (!cn_input_check_body(w, body, error))
		return false;
	if ((unsigned)type > CAIRN_SCRIPTED || (type == CAIRN_SCRIPTED && !(method->abilities & CN_CAN_SCRIPTS)))
		return cn_fail(error, CAIRN_INVALID, "type", "unknown type %d, or one that method '%s' cannot do", (int)type,
		               w->scene->settings.method);
	if (w->bodies[body.index].type == (uint8_t)type)
		return cn_fail(error, CAIRN_INVALID, "type", "the body is of this type already");
	if (held_by_joint(w, body.index))
		return cn_fail(error, CAIRN_INVALID, "body", "a joint holds it; remove that joint first");
	size_t start = cn_input_begin(w, CN_INPUT_TYPE);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_u8(&w->log.inputs, (uint8_t)type);
	if (w->log.inputs.failed || !set_type(w, body.index, type, error))
		return cn_input_undo(w, start, error);
	return true;
}

/* ---- filter, weight */

bool cairn_world_set_filter(cairn_world *w, cairn_body body, uint32_t group, uint32_t mask, cairn_error *error)
{
	if (!cn_input_check_body(w, body, error))
		return false;
	proposal p = propose(w, body.index);
	p.group = group, p.mask = mask;
	if (!has_room(w, &p, NULL, error))
		return false;
	size_t start = cn_input_begin(w, CN_INPUT_FILTER);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_u32(&w->log.inputs, group);
	cn_put_u32(&w->log.inputs, mask);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	w->bodies[body.index].group = group, w->bodies[body.index].mask = mask;
	cn_body_renew(w, body.index);
	return true;
}

bool cairn_world_set_gravity_scale(cairn_world *w, cairn_body body, double scale, cairn_error *error)
{
	if (!cn_input_check_dynamic(w, body, error))
		return false;
	if (!(fabs(scale) <= CN_GRAVITY_SCALE_MAX))
		return cn_fail(error, CAIRN_INVALID, "scale",
		               "gravity times %g; give a number from %g to %g (1: as all others)", scale, -CN_GRAVITY_SCALE_MAX,
		               CN_GRAVITY_SCALE_MAX);
	size_t start = cn_input_begin(w, CN_INPUT_GRAVITY_SCALE);
	cn_put_handle(&w->log.inputs, body.index, body.generation);
	cn_put_f64(&w->log.inputs, scale);
	if (w->log.inputs.failed)
		return cn_input_undo(w, start, error);
	w->bodies[body.index].gravity_scale = scale;
	cn_body_mark(&w->bodies[body.index], &w->rotors[body.index]);
	w->memory.stamp = 0;
	cn_world_wake(w);
	return true;
}

double cairn_world_gravity_scale(const cairn_world *w, cairn_body body)
{
	return cairn_world_has_body(w, body) ? w->bodies[body.index].gravity_scale : 0;
}

bool cn_change_replay(cairn_world *w, cn_input_kind kind, cn_reader *r, cairn_error *error)
{
	cairn_body body = cn_get_handle(r);
	cairn_pose to = {{0, 0, 0}, {1, 0, 0, 0}};
	double number = 0;
	uint32_t first = 0, second = 0;
	if (kind == CN_INPUT_POSE)
		to.position = cn_get_v3(r), to.orientation = cn_get_quat(r);
	else if (kind == CN_INPUT_MASS || kind == CN_INPUT_GRAVITY_SCALE)
		number = cn_get_f64(r);
	else if (kind == CN_INPUT_TYPE)
		first = cn_get_u8(r);
	else
		first = cn_get_u32(r), second = cn_get_u32(r);
	if (r->failed)
		return false;
	switch (kind) {
	case CN_INPUT_POSE: return cairn_world_set_pose(w, body, to, error);
	case CN_INPUT_MASS: return cairn_world_set_mass(w, body, number, error);
	case CN_INPUT_BODY_SHAPE: return cairn_world_set_shape(w, body, (cairn_shape){first, second}, error);
	case CN_INPUT_FILTER: return cairn_world_set_filter(w, body, first, second, error);
	case CN_INPUT_GRAVITY_SCALE: return cairn_world_set_gravity_scale(w, body, number, error);
	default: return cairn_world_set_type(w, body, (cairn_body_type)first, error);
	}
}
