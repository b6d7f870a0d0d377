/* What a goal may be, and starting elsewhere. The path of an error is the field as scene files spell it. */
#include "base/tolerance.h"
#include "scene/scene.h"

#define CN_PLACE_SLIP 1e-7 /* m and rad: by which joints may miss at poses given; files print less than is known */

static const char *const kinds[] = {"fixed-point", "point-to-point", "abutting", "floating", "floating-abutting"};

cairn_goal_def cairn_default_goal_def(cairn_goal_kind kind) { return (cairn_goal_def){.kind = kind, .weight = 1}; }

uint32_t cairn_scene_goal_count(const cairn_scene *scene) { return scene->asked.goal_count; }

cairn_goal_def cairn_scene_goal_at(const cairn_scene *scene, uint32_t index)
{
	assert(index < scene->asked.goal_count);
	return scene->asked.goals[index];
}

static bool check_vector(v3 p, const char *field, cairn_error *error)
{
	return (v3_finite(p) && v3_max(v3_abs(p)) <= CN_LENGTH_MAX) ||
	       cn_fail(error, CAIRN_INVALID, field, "%s is (%g, %g, %g); give three numbers up to %g", field, p.x, p.y, p.z,
	               CN_LENGTH_MAX);
}

static bool check_goal_body(const cairn_scene *scene, cairn_body body, const char *field, cairn_error *error)
{
	return (body.generation == 1 && body.index < scene->body_count) ||
	       cn_fail(error, CAIRN_INVALID, field, "a goal is about bodies of this scene");
}

/* The surface that a goal floats on, or takes a normal from, is one of solids. */
static bool check_surface(const cairn_scene *scene, cairn_body body, cairn_error *error)
{
	uint32_t shape = scene->bodies[body.index].shape.index;
	for (uint32_t i = 0; i < cn_shape_part_count(scene->shapes, shape); ++i)
		if (scene->shapes[cn_shape_part(scene->shapes, shape, i).shape.index].def.kind == CAIRN_MESH)
			return cn_fail(error, CAIRN_INVALID, "bodies",
			               "body %s is a mesh, whose surface has no inside; give points and normals, or a hull",
			               scene->bodies[body.index].name);
	return true;
}

static bool check_pair(const cairn_scene *scene, const cairn_goal_def *d, cairn_error *error)
{
	bool abuts = d->kind == CAIRN_GOAL_ABUTTING || d->kind == CAIRN_GOAL_FLOATING_ABUTTING;
	if (!check_goal_body(scene, d->b, "bodies", error))
		return false;
	if (d->a.index == d->b.index)
		return cn_fail(error, CAIRN_INVALID, "bodies", "a goal of two bodies needs two different ones");
	if (scene->bodies[d->a.index].type != CAIRN_DYNAMIC && scene->bodies[d->b.index].type != CAIRN_DYNAMIC)
		return cn_fail(error, CAIRN_INVALID, "bodies", "neither of the two is dynamic, so neither can go anywhere");
	if (abuts && v3_length(d->normal) == 0 && !check_surface(scene, d->a, error))
		return false;
	if ((d->kind == CAIRN_GOAL_ABUTTING && v3_length(d->normal_b) == 0) || d->kind >= CAIRN_GOAL_FLOATING)
		return check_surface(scene, d->b, error);
	return true;
}

static bool check_goal(const cairn_scene *scene, const cairn_goal_def *d, cairn_error *error)
{
	bool alone = d->kind == CAIRN_GOAL_FIXED_POINT, exact = alone || d->kind == CAIRN_GOAL_POINT_TO_POINT;
	if ((unsigned)d->kind > CAIRN_GOAL_FLOATING_ABUTTING)
		return cn_fail(error, CAIRN_INVALID, "type", "unknown kind of goal %d", (int)d->kind);
	if (!check_goal_body(scene, d->a, alone ? "body" : "bodies", error) || !check_vector(d->point, "point", error) ||
	    !check_vector(d->point_b, "points[1]", error) || !check_vector(d->normal, "normal", error) ||
	    !check_vector(d->normal_b, "normals[1]", error) || !check_vector(d->target, "target", error))
		return false;
	if (alone && scene->bodies[d->a.index].type != CAIRN_DYNAMIC)
		return cn_fail(error, CAIRN_INVALID, "body", "body %s is not dynamic, so it cannot go anywhere",
		               scene->bodies[d->a.index].name);
	if (!alone && !check_pair(scene, d, error))
		return false;
	if (!(d->weight > 0 && d->weight <= 1e12))
		return cn_fail(error, CAIRN_INVALID, "weight", "weight is %g; give a number above 0 and up to 1e12", d->weight);
	if (!(d->stiffness >= 0 && d->stiffness <= 1e12))
		return cn_fail(error, CAIRN_INVALID, "stiffness", "stiffness is %g; give N/m from 0 to 1e12", d->stiffness);
	if (!(d->damping >= 0 && d->damping <= 1e12))
		return cn_fail(error, CAIRN_INVALID, "damping", "damping is %g; give N s/m from 0 to 1e12", d->damping);
	if (d->damping > 0 && d->stiffness == 0)
		return cn_fail(error, CAIRN_INVALID, "damping", "a goal without stiffness has no damping; give both");
	if (exact && d->gap != 0)
		return cn_fail(error, CAIRN_INVALID, "gap", "a %s goal has no gap; leave it out", kinds[d->kind]);
	return (d->gap >= 0 && d->gap <= CN_LENGTH_MAX) ||
	       cn_fail(error, CAIRN_INVALID, "gap", "gap is %g; give m from 0 to %g", d->gap, CN_LENGTH_MAX);
}

bool cairn_scene_add_goal(cairn_scene *scene, const cairn_goal_def *def, cairn_error *error)
{
	if (scene->asked.goal_count >= 1000)
		return cn_fail(error, CAIRN_INVALID, "", "a scene holds at most 1000 goals");
	if (!check_goal(scene, def, error))
		return false;
	if (!cn_grow(&scene->allocator, (void **)&scene->asked.goals, &scene->asked.goal_capacity,
	             scene->asked.goal_count + 1, sizeof *def))
		return cn_fail_memory(error);
	scene->asked.goals[scene->asked.goal_count++] = *def;
	scene->asked.spring_count += def->stiffness > 0;
	return true;
}

/* ---- starting elsewhere */

/* How a body moves from its start to a pose, as a map of the world; the identity of the world itself. */
static pose shift_of(const cairn_scene *scene, cairn_body body, const pose *poses)
{
	if (!body.generation)
		return pose_identity();
	pose from = scene->bodies[body.index].pose, to = poses[body.index];
	quat turn = q_mul(to.orientation, q_conj(from.orientation));
	return (pose){v3_sub(to.position, q_rotate(turn, from.position)), turn};
}

/* The joint as it is where its bodies have been moved. False: it does not hold there. */
static bool move_joint(const cairn_scene *scene, const pose *poses, cairn_joint_def *j)
{
	pose a = shift_of(scene, j->a, poses), b = shift_of(scene, j->b, poses);
	v3 at_a = pose_apply(a, j->point), at_b = pose_apply(b, j->type == CAIRN_DISTANCE ? j->point_b : j->point);
	v3 axis = q_rotate(a.orientation, j->axis), apart = v3_sub(at_b, at_a);
	v3 turn = q_turn(a.orientation, b.orientation);
	bool slides = j->type == CAIRN_SLIDER, turns = j->type == CAIRN_HINGE;
	double value = slides ? v3_dot(apart, axis) : turns ? v3_dot(turn, axis) : 0;
	if (!cn_joint_in_tree(j->type) && j->type != CAIRN_DISTANCE && j->type != CAIRN_PASS)
		return v3_length(q_log(a.orientation)) <= CN_PLACE_SLIP && v3_length(a.position) <= CN_PLACE_SLIP &&
		       v3_length(q_log(b.orientation)) <= CN_PLACE_SLIP && v3_length(b.position) <= CN_PLACE_SLIP;
	if (j->type == CAIRN_BALL &&
	    j->has_limits) { /* its cone stays where it was: how far it may lean counts from there */
		j->point = at_a, j->axis = axis;
		return v3_length(apart) <= CN_PLACE_SLIP && v3_length(turn) <= CN_PLACE_SLIP;
	}
	if (j->type == CAIRN_DISTANCE) {
		j->point = at_a, j->point_b = at_b;
		return v3_length(apart) >= j->low - CN_PLACE_SLIP && v3_length(apart) <= j->high + CN_PLACE_SLIP;
	}
	apart = slides ? v3_madd(apart, axis, -value) : apart;
	turn = turns ? v3_madd(turn, axis, -value) : turn;
	if (v3_length(apart) > CN_PLACE_SLIP || (j->type != CAIRN_BALL && v3_length(turn) > CN_PLACE_SLIP))
		return false;
	j->point = at_a, j->axis = slides || turns ? axis : j->axis;
	if (j->has_limits && (value < j->low - CN_PLACE_SLIP || value > j->high + CN_PLACE_SLIP))
		return false;
	if (j->has_limits)
		j->low = fmin(j->low - value, 0), j->high = fmax(j->high - value, 0);
	if (j->motor == CAIRN_MOTOR_SERVO)
		j->target -= value;
	return true;
}

static bool check_place(const cairn_scene *scene, const pose *poses, uint32_t i, cairn_error *error)
{
	const cairn_body_def *d = &scene->bodies[i];
	bool same = v3_distance(d->pose.position, poses[i].position) == 0 &&
	            fabs(q_dot(d->pose.orientation, poses[i].orientation)) >= 1 - 4 * DBL_EPSILON;
	if (!v3_finite(poses[i].position) || v3_max(v3_abs(poses[i].position)) > CN_LENGTH_MAX ||
	    !q_finite(poses[i].orientation) || !(q_dot(poses[i].orientation, poses[i].orientation) > 1e-6))
		return cn_fail(error, CAIRN_INVALID, "start",
		               "body %s has no place: give a position up to %g and an orientation", d->name, CN_LENGTH_MAX);
	return d->type == CAIRN_DYNAMIC || same ||
	       cn_fail(error, CAIRN_INVALID, "start", "body %s is not dynamic; change its own position instead", d->name);
}

bool cairn_scene_place(cairn_scene *scene, const cairn_pose *poses, cairn_error *error)
{
	cairn_joint_def *moved = cn_dup(&scene->allocator, scene->joints, scene->joint_count, sizeof *moved);
	if (scene->joint_count && !moved)
		return cn_fail_memory(error);
	bool ok = true;
	for (uint32_t i = 0; ok && i < scene->body_count; ++i)
		ok = check_place(scene, poses, i, error);
	for (uint32_t i = 0; ok && i < scene->joint_count; ++i)
		ok = move_joint(scene, poses, &moved[i]) ||
		     cn_fail(error, CAIRN_INVALID, "start",
		             "joint %u (%s) does not hold at these poses, or is beyond its limits", i,
		             scene->joints[i].name && *scene->joints[i].name ? scene->joints[i].name : "without a name");
	for (uint32_t i = 0; ok && i < scene->joint_count; ++i)
		scene->joints[i] = moved[i];
	for (uint32_t i = 0; ok && i < scene->body_count; ++i)
		if (scene->bodies[i].type == CAIRN_DYNAMIC)
			scene->bodies[i].pose = (pose){poses[i].position, q_unit(poses[i].orientation)};
	cn_free(&scene->allocator, moved, scene->joint_count, sizeof *moved);
	return ok;
}

/* ---- bytes */

void cn_put_goal_def(cn_writer *w, const cairn_goal_def *d, bool springs)
{
	cn_put_u8(w, (uint8_t)d->kind);
	cn_put_handle(w, d->a.index, d->a.generation);
	cn_put_handle(w, d->b.index, d->b.generation);
	cn_put_v3(w, d->point);
	cn_put_v3(w, d->point_b);
	cn_put_v3(w, d->normal);
	cn_put_v3(w, d->normal_b);
	cn_put_v3(w, d->target);
	cn_put_f64(w, d->weight);
	cn_put_f64(w, d->gap);
	if (springs)
		cn_put_f64(w, d->stiffness), cn_put_f64(w, d->damping);
}

bool cn_get_goal_def(cn_reader *r, cairn_goal_def *d, bool springs)
{
	d->kind = (cairn_goal_kind)cn_get_u8(r);
	d->a = cn_get_handle(r);
	d->b = cn_get_handle(r);
	d->point = cn_get_v3(r);
	d->point_b = cn_get_v3(r);
	d->normal = cn_get_v3(r);
	d->normal_b = cn_get_v3(r);
	d->target = cn_get_v3(r);
	d->weight = cn_get_f64(r);
	d->gap = cn_get_f64(r);
	d->stiffness = springs ? cn_get_f64(r) : 0;
	d->damping = springs ? cn_get_f64(r) : 0;
	return !r->failed;
}
