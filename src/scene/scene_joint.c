/* What a joint may be. The path of an error is the field as scene files spell it. */
#include "base/tolerance.h"
#include "scene/scene.h"

#include <float.h>

#define CN_FORCE_MAX 1e30 /* N and N m: the most that a motor pushes with */
#define CN_HINGE_MAX 1e6  /* rad: a hinge's limits; an angle of so many turns still has nine places */
#define CN_GAIN_MAX                                                                                                    \
	1e12 /* N m/rad, N/m and the same by time: of a servo; an angle of rounding then pushes with little */
#define CN_CONE_MIN 1e-3 /* rad: the narrowest cone of a ball; one of no width is a hinge */
#define CN_CONE_MAX 3.1  /* rad: the widest; at pi the way back has no direction */
#define CN_TILT_MAX 1.4  /* rad: the middle one of three angles; at a quarter turn the other two are about one axis */
#define CN_RATIO_MAX 1e6 /* of gears and pulleys, and 1 by it the least */
#define CN_KEY_TIME_MAX 1e9 /* s: of a servo's keys, as of scripts */
#define CN_JOINT_SLIP 1e-6  /* relative: a length this far outside its limits at the start is one printed short */

static const char *const names[] = {[CAIRN_BALL] = "ball",     [CAIRN_HINGE] = "hinge",       [CAIRN_SLIDER] = "slider",
                                    [CAIRN_WELD] = "fixed",    [CAIRN_DISTANCE] = "distance", [CAIRN_PASS] = "pass",
                                    [CAIRN_PULLEY] = "pulley", [CAIRN_GEAR] = "gear",         [CAIRN_SIX_DOF] = "6dof"};

const char *cn_joint_type_name(cairn_joint_type type) { return names[type]; }

static bool check_point(v3 p, const char *field, cairn_error *error)
{
	if (!v3_finite(p) || v3_max(v3_abs(p)) > CN_LENGTH_MAX)
		return cn_fail(error, CAIRN_INVALID, field, "%s is (%g, %g, %g); give three numbers up to %g", field, p.x, p.y,
		               p.z, CN_LENGTH_MAX);
	return true;
}

/* Length 1; one that has it already keeps its bits. */
static bool check_axis(v3 *axis, cairn_error *error)
{
	if (!check_point(*axis, "axis", error))
		return false;
	double length = v3_length(*axis);
	if (length < CN_LENGTH_MIN)
		return cn_fail(error, CAIRN_INVALID, "axis", "axis has no length; give the direction, as in [0, 0, 1]");
	if (fabs(length - 1) > 4 * DBL_EPSILON)
		*axis = v3_scale(*axis, 1 / length);
	return true;
}

/* Whether how the bodies stand at the start is within the limits; a slip of the pen is mended by widening them. */
static bool check_start(cairn_joint_def *j, double start, cairn_error *error)
{
	double slip = CN_JOINT_SLIP * start;
	if (start < j->low - slip || start > j->high + slip)
		return j->type == CAIRN_PULLEY
		           ? cn_fail(error, CAIRN_INVALID, "limits",
		                     "the rope is %g m long at the start, the limits are %g and %g; move a body or widen them",
		                     start, j->low, j->high)
		       : j->type == CAIRN_DISTANCE
		           ? cn_fail(
						 error, CAIRN_INVALID, "limits",
						 "the points are %g m apart at the start, the limits are %g and %g; move a body or widen them",
						 start, j->low, j->high)
		           : cn_fail(error, CAIRN_INVALID, "limits",
		                     "the limits are %g and %g; they must hold 0, which is how the bodies stand at the start",
		                     j->low, j->high);
	j->low = fmin(j->low, start), j->high = fmax(j->high, start);
	return true;
}

/* A ball leans to any side alike. */
static bool check_cone(const cairn_joint_def *j, cairn_error *error)
{
	if (j->low == 0 && j->high >= CN_CONE_MIN && j->high <= CN_CONE_MAX)
		return true;
	return cn_fail(error, CAIRN_INVALID, "cone",
	               "a cone from %g to %g; give the angle by which the axis may lean, %g to %g rad (a ball's limits "
	               "begin at 0)",
	               j->low, j->high, CN_CONE_MIN, CN_CONE_MAX);
}

static bool check_limits(cairn_joint_def *j, double start, cairn_error *error)
{
	double most = j->type == CAIRN_HINGE ? CN_HINGE_MAX : CN_LENGTH_MAX;
	bool rope = j->type == CAIRN_DISTANCE || j->type == CAIRN_PULLEY;
	double least = rope ? 0 : -most;
	if (j->type == CAIRN_BALL)
		return check_cone(j, error);
	if (j->type != CAIRN_HINGE && j->type != CAIRN_SLIDER && !rope)
		return cn_fail(error, CAIRN_INVALID, "limits",
		               "a %s joint has no limits; a hinge, a slider, a distance, a pulley and a ball have",
		               names[j->type]);
	if (!(j->low >= least && j->low <= most && j->high >= least && j->high <= most))
		return cn_fail(error, CAIRN_INVALID, "limits", "the limits are %g and %g; give two numbers from %g to %g",
		               j->low, j->high, least, most);
	if (j->low > j->high)
		return cn_fail(error, CAIRN_INVALID, "limits", "the lower limit %g is above the upper one, %g", j->low,
		               j->high);
	if (rope && j->high < CN_LENGTH_MIN)
		return cn_fail(error, CAIRN_INVALID, "limits",
		               "the points may never be apart; a ball joint holds them together");
	return check_start(j, start, error);
}

/* A distance joint: two points, and limits that it has in any case. */
static bool check_distance(cairn_joint_def *j, cairn_error *error)
{
	if (!check_point(j->point, "points[0]", error) || !check_point(j->point_b, "points[1]", error))
		return false;
	double length = v3_distance(j->point, j->point_b);
	bool spring = j->motor != CAIRN_NO_MOTOR; /* without limits of its own it may be of any length */
	if (!j->has_limits && !spring && length < CN_LENGTH_MIN)
		return cn_fail(error, CAIRN_INVALID, "points",
		               "the two points are the same; move one, or give limits that begin at 0, as in [0, 1]");
	if (!j->has_limits)
		j->low = spring ? 0 : length, j->high = spring ? CN_LENGTH_MAX : length;
	j->has_limits = true;
	if (spring && j->low == j->high)
		return cn_fail(error, CAIRN_INVALID, "limits",
		               "a rod of one length has nothing to drive; give limits that are apart, or none");
	return check_limits(j, length, error);
}

static bool check_ratio(const cairn_joint_def *j, cairn_error *error)
{
	double size = j->type == CAIRN_GEAR ? fabs(j->ratio) : j->ratio;
	return (size >= 1 / CN_RATIO_MAX && size <= CN_RATIO_MAX) ||
	       cn_fail(error, CAIRN_INVALID, "ratio", "the ratio is %g; give a number from %g to %g%s", j->ratio,
	               1 / CN_RATIO_MAX, CN_RATIO_MAX,
	               j->type == CAIRN_GEAR ? ", below 0 where the two turn against each other" : "");
}

/* A pulley: two points, two wheels, and limits that it has in any case. */
static bool check_pulley(cairn_joint_def *j, cairn_error *error)
{
	if (!check_point(j->point, "points[0]", error) || !check_point(j->point_b, "points[1]", error) ||
	    !check_point(j->over, "over[0]", error) || !check_point(j->over_b, "over[1]", error) || !check_ratio(j, error))
		return false;
	double first = v3_distance(j->point, j->over), second = v3_distance(j->point_b, j->over_b);
	if (first < CN_LENGTH_MIN || second < CN_LENGTH_MIN)
		return cn_fail(error, CAIRN_INVALID, "over", "a body hangs at the wheel itself; leave rope between the two");
	double length = first + j->ratio * second;
	if (!j->has_limits)
		j->low = j->high = length;
	j->has_limits = true;
	return check_limits(j, length, error);
}

/* ---- six axes */

static bool check_range(const cairn_joint_def *j, int i, cairn_error *error)
{
	static const char *const fields[] = {"move.x", "move.y", "move.z", "turn.x", "turn.y", "turn.z"};
	const cairn_axis *a = &j->axes[i];
	double most = i < 3 ? CN_LENGTH_MAX : CN_CONE_MAX;
	if ((unsigned)a->kind > CAIRN_AXIS_FREE)
		return cn_fail(error, CAIRN_INVALID, fields[i], "an axis is locked, limited or free; found %d", (int)a->kind);
	if (a->kind != CAIRN_AXIS_LIMITED)
		return true;
	if (!(a->low >= -most && a->low <= 0 && a->high >= 0 && a->high <= most))
		return cn_fail(error, CAIRN_INVALID, fields[i],
		               "the limits are %g and %g; they must hold 0, which is how the bodies stand at the start, and "
		               "lie within %g and %g",
		               a->low, a->high, -most, most);
	return a->low < a->high || cn_fail(error, CAIRN_INVALID, fields[i], "both limits are 0; lock the axis instead");
}

static int count_axes(const cairn_axis *axes, cairn_axis_kind kind)
{
	return (axes[0].kind == kind) + (axes[1].kind == kind) + (axes[2].kind == kind);
}

/* Three angles tell a turn only while the middle one is well below a quarter. */
static bool check_tilt(const cairn_joint_def *j, cairn_error *error)
{
	const cairn_axis *turns = j->axes + 3, *y = &j->axes[4];
	if (count_axes(turns, CAIRN_AXIS_FREE) == 3 || count_axes(turns, CAIRN_AXIS_LOCKED) >= 2 ||
	    y->kind == CAIRN_AXIS_LOCKED)
		return true;
	if (y->kind == CAIRN_AXIS_LIMITED && y->low >= -CN_TILT_MAX && y->high <= CN_TILT_MAX)
		return true;
	return cn_fail(error, CAIRN_INVALID, "turn.y",
	               "where it turns about several axes, that about y is locked or limited within %g and %g; let it turn "
	               "further about x and z, and choose the frame so",
	               -CN_TILT_MAX, CN_TILT_MAX);
}

/* Six axes that are one of the simple joints become it. */
static void simplify(cairn_joint_def *j)
{
	const cairn_axis *moves = j->axes, *turns = j->axes + 3;
	bool held = count_axes(moves, CAIRN_AXIS_LOCKED) == 3, fixed = count_axes(turns, CAIRN_AXIS_LOCKED) == 3;
	bool hinge = held && count_axes(turns, CAIRN_AXIS_LOCKED) == 2;
	bool slider = fixed && count_axes(moves, CAIRN_AXIS_LOCKED) == 2;
	if (held && fixed)
		j->type = CAIRN_WELD;
	if (held && count_axes(turns, CAIRN_AXIS_FREE) == 3)
		j->type = CAIRN_BALL;
	if (!hinge && !slider)
		return;
	int open = 0;
	while ((hinge ? turns : moves)[open].kind == CAIRN_AXIS_LOCKED)
		++open;
	const cairn_axis *own = &(hinge ? turns : moves)[open];
	j->type = hinge ? CAIRN_HINGE : CAIRN_SLIDER;
	j->axis = q_rotate(j->frame, v3_make(open == 0, open == 1, open == 2));
	j->has_limits = own->kind == CAIRN_AXIS_LIMITED;
	j->low = j->has_limits ? own->low : 0, j->high = j->has_limits ? own->high : 0;
}

static bool check_six(cairn_joint_def *j, cairn_error *error)
{
	double length = q_dot(j->frame, j->frame);
	if (!(length > 1e-6 && length < 1e6))
		return cn_fail(error, CAIRN_INVALID, "orientation",
		               "the axes have no orientation; give a quaternion of length 1");
	if (fabs(length - 1) > 8 * DBL_EPSILON)
		j->frame = q_unit(j->frame);
	for (int i = 0; i < 6; ++i)
		if (!check_range(j, i, error))
			return false;
	if (count_axes(j->axes, CAIRN_AXIS_FREE) == 3 && count_axes(j->axes + 3, CAIRN_AXIS_FREE) == 3)
		return cn_fail(error, CAIRN_INVALID, "move",
		               "all axes are free, so there is nothing that it holds; leave it out");
	if (!check_tilt(j, error))
		return false;
	simplify(j);
	return true;
}

/* ---- gears */

/* The joint, if a gear can couple it. */
static const cairn_joint_def *coupled(const cairn_scene *scene, cairn_joint one, cairn_error *error)
{
	if (one.generation != 1 || one.index >= scene->joint_count) {
		cn_fail(error, CAIRN_INVALID, "joints", "a gear couples two joints that stand before it");
		return NULL;
	}
	const cairn_joint_def *d = &scene->joints[one.index];
	if (d->type == CAIRN_HINGE || d->type == CAIRN_SLIDER)
		return d;
	cn_fail(error, CAIRN_INVALID, "joints", "a gear couples hinges and sliders; joint %s is a %s",
	        d->name && *d->name ? d->name : "without a name", names[d->type]);
	return NULL;
}

bool cn_gear_find(const cairn_scene *scene, cairn_joint_def *gear,
                  cairn_body_type (*type_of)(const void *of, cairn_body body), const void *of, cairn_error *error)
{
	const cairn_joint both[2] = {gear->joint, gear->joint_b};
	cairn_body found[2] = {{0, 0}, {0, 0}};
	uint32_t count = 0;
	for (int i = 0; i < 4; ++i) {
		const cairn_joint_def *d = coupled(scene, both[i / 2], error);
		if (!d)
			return false;
		cairn_body body = i % 2 ? d->b : d->a;
		bool known = (count > 0 && found[0].index == body.index) || (count > 1 && found[1].index == body.index);
		if (known || !body.generation || type_of(of, body) == CAIRN_FIXED)
			continue;
		if (type_of(of, body) == CAIRN_SCRIPTED)
			return cn_fail(
				error, CAIRN_INVALID, "joints",
				"a joint of the gear hangs on a scripted body; let it hang on the world, a fixed body or the "
				"other of its two bodies");
		if (count == 2)
			return cn_fail(error, CAIRN_INVALID, "joints",
			               "the two joints hold more than two bodies that move; let them hang on the world or a fixed "
			               "body");
		found[count++] = body;
	}
	if (count < 2)
		return cn_fail(error, CAIRN_INVALID, "joints", "the two joints move one body alone; a gear couples two");
	gear->a = found[0], gear->b = found[1];
	return true;
}

v3 cn_scene_turn_between(const cairn_target_key *from, double share)
{
	if (!(share > 0))
		return from->turn;
	quat q = q_exp(from->turn), all = q_mul(q_exp(from[1].turn), q_conj(q));
	return q_log(q_mul(q_exp(v3_scale(q_log(all), share)), q));
}

static bool is_turn(v3 turn) { return v3_length(turn) <= CN_PI * (1 + CN_UNIT_ROUNDING); }

static bool check_servo(const cairn_joint_def *j, cairn_error *error)
{
	bool hinge = j->type == CAIRN_HINGE || j->type == CAIRN_BALL;
	if (!is_turn(j->turn))
		return cn_fail(error, CAIRN_INVALID, "motor.target",
		               "target is (%g, %g, %g); give a rotation vector: an axis times rad up to pi", j->turn.x,
		               j->turn.y, j->turn.z);
	double far = hinge ? CN_HINGE_MAX : CN_LENGTH_MAX, least = j->type == CAIRN_DISTANCE ? 0 : -far;
	if (!(j->target >= least && j->target <= far))
		return cn_fail(error, CAIRN_INVALID, "motor.target", "target is %g; give %s from %g to %g", j->target,
		               hinge ? "rad" : "m", least, far);
	if (!(j->stiffness >= 0 && j->stiffness <= CN_GAIN_MAX))
		return cn_fail(error, CAIRN_INVALID, "motor.stiffness", "stiffness is %g; give %s from 0 to %g", j->stiffness,
		               hinge ? "N m a radian" : "N a metre", CN_GAIN_MAX);
	if (!(j->damping >= 0 && j->damping <= CN_GAIN_MAX))
		return cn_fail(error, CAIRN_INVALID, "motor.damping", "damping is %g; give %s from 0 to %g", j->damping,
		               hinge ? "N m s a radian" : "N s a metre", CN_GAIN_MAX);
	return j->stiffness > 0 || j->damping > 0 ||
	       cn_fail(error, CAIRN_INVALID, "motor", "a servo without stiffness and damping pushes with nothing");
}

static bool check_keys(const cairn_joint_def *j, cairn_error *error)
{
	double far = j->type == CAIRN_HINGE ? CN_HINGE_MAX : CN_LENGTH_MAX;
	if (!j->key_count || !j->keys)
		return cn_fail(error, CAIRN_INVALID, "motor.keys", "there are no keys; give at least one, a time and a value");
	for (uint32_t i = 0; i < j->key_count; ++i) {
		const cairn_target_key *k = &j->keys[i];
		if (!(k->time >= 0 && k->time <= CN_KEY_TIME_MAX) || (i && !(k->time > k[-1].time)))
			return cn_fail(error, CAIRN_INVALID, "motor.keys", "key %u is at %g s; times rise from 0 on, up to %g s", i,
			               k->time, CN_KEY_TIME_MAX);
		if (j->type == CAIRN_BALL && !is_turn(k->turn))
			return cn_fail(error, CAIRN_INVALID, "motor.keys",
			               "key %u has the target (%g, %g, %g); give a rotation vector: an axis times rad up to pi", i,
			               k->turn.x, k->turn.y, k->turn.z);
		if (j->type != CAIRN_BALL && !(fabs(k->value) <= far))
			return cn_fail(error, CAIRN_INVALID, "motor.keys", "key %u has the value %g; give %s from %g to %g", i,
			               k->value, j->type == CAIRN_HINGE ? "rad" : "m", -far, far);
	}
	return true;
}

static bool check_motor(const cairn_joint_def *j, cairn_error *error)
{
	bool hinge = j->type == CAIRN_HINGE || j->type == CAIRN_BALL;
	const char *unit = hinge ? "N m" : "N", *push = hinge ? "motor.torque" : "motor.force";
	if (j->motor == CAIRN_NO_MOTOR)
		return true;
	if (!hinge && j->type != CAIRN_SLIDER && j->type != CAIRN_DISTANCE)
		return cn_fail(error, CAIRN_INVALID, "motor",
		               "a %s joint has no motor; a hinge, a slider and a distance have, and a ball has a servo",
		               names[j->type]);
	if (j->type == CAIRN_BALL && j->motor != CAIRN_MOTOR_SERVO && j->motor != CAIRN_MOTOR_KEYS)
		return cn_fail(error, CAIRN_INVALID, "motor",
		               "a ball joint turns about no axis of its own, so its motor is a servo with a target or keys");
	if (j->motor == CAIRN_MOTOR_FORCE)
		return fabs(j->most) <= CN_FORCE_MAX ||
		       cn_fail(error, CAIRN_INVALID, push, "the motor pushes with %g; give %s from %g to %g", j->most, unit,
		               -CN_FORCE_MAX, CN_FORCE_MAX);
	if (j->motor == CAIRN_MOTOR_KEYS && !check_keys(j, error))
		return false;
	bool servo = j->motor == CAIRN_MOTOR_SERVO || j->motor == CAIRN_MOTOR_KEYS;
	if (j->motor != CAIRN_MOTOR_SPEED && !servo)
		return cn_fail(error, CAIRN_INVALID, "motor", "unknown kind of motor %d", (int)j->motor);
	if (servo && !check_servo(j, error))
		return false;
	if (!(fabs(j->speed) <= CN_SPEED_MAX))
		return cn_fail(error, CAIRN_INVALID, "motor.speed", "speed is %g; give %s from %g to %g", j->speed,
		               hinge ? "rad/s" : "m/s", -CN_SPEED_MAX, CN_SPEED_MAX);
	return (j->most > 0 && j->most <= CN_FORCE_MAX) ||
	       cn_fail(error, CAIRN_INVALID, "motor.most", "most is %g; give the %s it may use, above 0 and up to %g",
	               j->most, unit, CN_FORCE_MAX);
}

static bool check_breaks(const cairn_joint_def *j, cairn_error *error)
{
	if (!(j->break_force > 0))
		return cn_fail(error, CAIRN_INVALID, "breaks.force", "it breaks at %g; give N above 0", j->break_force);
	if (!(j->break_torque > 0))
		return cn_fail(error, CAIRN_INVALID, "breaks.torque", "it breaks at %g; give N m above 0", j->break_torque);
	if (j->type == CAIRN_PASS && (isfinite(j->break_force) || isfinite(j->break_torque)))
		return cn_fail(error, CAIRN_INVALID, "breaks", "a pass joint holds nothing that could break");
	if (isfinite(j->break_torque) && ((j->type == CAIRN_BALL && !j->has_limits && j->motor == CAIRN_NO_MOTOR) ||
	                                  j->type == CAIRN_DISTANCE || j->type == CAIRN_PULLEY))
		return cn_fail(error, CAIRN_INVALID, "breaks.torque",
		               "a %s joint carries no torque that could break it; give a force", names[j->type]);
	return true;
}

static bool check_bodies(const cairn_scene *scene, const cairn_joint_def *j, cairn_error *error)
{
	bool moves = false;
	for (int i = 0; i < 2; ++i) {
		cairn_body body = i ? j->b : j->a;
		if (body.generation && (body.generation != 1 || body.index >= scene->body_count))
			return cn_fail(error, CAIRN_INVALID, "bodies", "a joint holds bodies of this scene");
		moves |= body.generation && scene->bodies[body.index].type == CAIRN_DYNAMIC;
	}
	if (j->type == CAIRN_PULLEY && (!j->a.generation || !j->b.generation))
		return cn_fail(error, CAIRN_INVALID, "bodies",
		               "a pulley has a body at each end; a distance joint holds one to the world");
	if (j->a.generation == j->b.generation && (!j->a.generation || j->a.index == j->b.index))
		return cn_fail(error, CAIRN_INVALID, "bodies", "a joint needs two different bodies (or one and the world)");
	if (j->type == CAIRN_PASS && (!j->a.generation || !j->b.generation || j->collide))
		return cn_fail(error, CAIRN_INVALID, j->collide ? "collide" : "bodies",
		               "a pass joint lets two bodies of the scene pass through each other, and does nothing else");
	if (!moves)
		return cn_fail(error, CAIRN_INVALID, "bodies",
		               "neither of the two is dynamic, so there is nothing for a joint to hold");
	return true;
}

/* Where it holds, and its axis. */
static bool check_place(cairn_joint_def *j, cairn_error *error)
{
	switch (j->type) {
	case CAIRN_DISTANCE: return check_distance(j, error);
	case CAIRN_PULLEY: return check_pulley(j, error);
	case CAIRN_GEAR: return check_ratio(j, error);
	default: break;
	}
	bool axis = j->type == CAIRN_HINGE || j->type == CAIRN_SLIDER || (j->type == CAIRN_BALL && j->has_limits);
	return check_point(j->point, "point", error) && (!axis || check_axis(&j->axis, error));
}

bool cn_joint_check_parts(cairn_joint_def *j, cairn_error *error)
{
	if ((unsigned)j->type > CAIRN_SIX_DOF)
		return cn_fail(error, CAIRN_INVALID, "type", "unknown joint type %d", (int)j->type);
	if (j->type == CAIRN_SIX_DOF && !check_six(j, error))
		return false;
	if (!check_place(j, error))
		return false;
	if (j->motor == CAIRN_NO_MOTOR) /* what a motor does not use is not looked at either */
		j->most = 0;
	if (j->motor != CAIRN_MOTOR_SPEED && j->motor != CAIRN_MOTOR_SERVO)
		j->speed = 0;
	if (j->motor != CAIRN_MOTOR_KEYS)
		j->keys = NULL, j->key_count = 0;
	else if (j->key_count && j->keys)
		j->target = j->keys[0].value, j->turn = j->keys[0].turn;
	if (j->motor != CAIRN_MOTOR_SERVO && j->motor != CAIRN_MOTOR_KEYS)
		j->target = j->stiffness = j->damping = 0;
	if (j->type == CAIRN_BALL)
		j->target = j->speed = 0;
	if (j->type != CAIRN_BALL || (j->motor != CAIRN_MOTOR_SERVO && j->motor != CAIRN_MOTOR_KEYS))
		j->turn = v3_zero();
	bool rope = j->type == CAIRN_DISTANCE || j->type == CAIRN_PULLEY; /* its limits are looked at already */
	return (!j->has_limits || rope || check_limits(j, 0, error)) && check_motor(j, error) && check_breaks(j, error);
}

static cairn_body_type type_of(const void *of, cairn_body body)
{
	return ((const cairn_scene *)of)->bodies[body.index].type;
}

bool cn_joint_check(const cairn_scene *scene, cairn_joint_def *j, cairn_error *error)
{
	if (!cn_joint_check_parts(j, error) || (j->type == CAIRN_GEAR && !cn_gear_find(scene, j, type_of, scene, error)))
		return false;
	return check_bodies(scene, j, error);
}

bool cn_drive_check(const cairn_scene *scene, const cairn_event_def *def, cairn_error *error)
{
	if (def->joint.generation != 1 || def->joint.index >= scene->joint_count)
		return cn_fail(error, CAIRN_INVALID, "joint", "what is driven is a joint of this scene");
	cairn_joint_def j = scene->joints[def->joint.index];
	j.motor = def->motor, j.speed = def->speed, j.most = def->most;
	j.target = def->target, j.stiffness = def->stiffness, j.damping = def->damping, j.turn = def->turn;
	if (def->motor == CAIRN_MOTOR_KEYS)
		return cn_fail(error, CAIRN_INVALID, "motor",
		               "the keys of a servo are those of its joint; a drive has a target");
	return cn_joint_check_parts(&j, error);
}
