/* What happens in a scene and how it is looked at: joints, events, force fields, cold volumes, camera and light. */
#include "io/scene_read.h"

#include <string.h>

static const char *const joint_types[] = {[CAIRN_BALL] = "ball",         [CAIRN_HINGE] = "hinge",
                                          [CAIRN_SLIDER] = "slider",     [CAIRN_WELD] = "fixed",
                                          [CAIRN_DISTANCE] = "distance", [CAIRN_PASS] = "pass",
                                          [CAIRN_PULLEY] = "pulley",     [CAIRN_GEAR] = "gear",
                                          [CAIRN_SIX_DOF] = "6dof",      NULL};

/* The types that a key belongs to, a bit each. */
enum {
	BALL = 1 << CAIRN_BALL,
	HINGE = 1 << CAIRN_HINGE,
	SLIDER = 1 << CAIRN_SLIDER,
	WELD = 1 << CAIRN_WELD,
	DISTANCE = 1 << CAIRN_DISTANCE,
	PULLEY = 1 << CAIRN_PULLEY,
	GEAR = 1 << CAIRN_GEAR,
	SIX = 1 << CAIRN_SIX_DOF,
	ANY = (1 << (CAIRN_SIX_DOF + 1)) - 1
};

#define CN_SERVO_MOST 1e30 /* N m or N: of a servo that says nothing about it */

static bool read_joint_type(cn_scene_reader *r, const cn_json *at, cairn_joint_type *out)
{
	static const char *const known[] = {"name",  "type",   "bodies", "point",    "points",      "axis",    "limits",
	                                    "cone",  "motor",  "spring", "friction", "breaks",      "collide", "over",
	                                    "ratio", "joints", "move",   "turn",     "orientation", NULL};
	static const struct {
		const char *key;
		int types;
	} own[] = {{"bodies", ANY & ~GEAR},
	           {"point", BALL | HINGE | SLIDER | WELD | SIX},
	           {"points", DISTANCE | PULLEY},
	           {"over", PULLEY},
	           {"ratio", PULLEY | GEAR},
	           {"joints", GEAR},
	           {"move", SIX},
	           {"turn", SIX},
	           {"orientation", SIX},
	           {"axis", HINGE | SLIDER | BALL},
	           {"cone", BALL},
	           {"limits", HINGE | SLIDER | DISTANCE | PULLEY},
	           {"spring", HINGE | SLIDER | DISTANCE | BALL},
	           {"friction", HINGE | SLIDER | DISTANCE},
	           {"motor", HINGE | SLIDER | DISTANCE | BALL}};
	const char *name = "";
	int type = 0;
	if (!cn_read_keys(r, at, known) || !cn_read_need(r, at, "type") || !cn_read_text(r, at, "type", &name))
		return false;
	while (joint_types[type] && strcmp(joint_types[type], name) != 0)
		++type;
	if (!joint_types[type])
		return cn_read_fail_unknown(r, cn_json_get(at, "type"), "type of joint", joint_types);
	for (size_t i = 0; i < CN_COUNT(own); ++i) {
		const cn_json *v = cn_json_get(at, own[i].key);
		if (v && !(own[i].types >> type & 1))
			return cn_read_fail(r, v, "a %s joint has no \"%s\"; leave it out", name, own[i].key);
	}
	*out = (cairn_joint_type)type;
	return true;
}

/* [low, high] */
static bool read_limits(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	if (at->type != CN_JSON_ARRAY || at->count != 2)
		return cn_read_fail(r, at, "expected two numbers, as in [-0.5, 0.5]");
	if (!cn_read_type(r, at->first, CN_JSON_NUMBER) || !cn_read_type(r, at->first->next, CN_JSON_NUMBER))
		return false;
	def->has_limits = true;
	def->low = at->first->number;
	def->high = at->first->next->number;
	return true;
}

/* Where a servo or spring is at ease: a number, or the rotation vector of a ball. */
static bool read_target(cn_scene_reader *r, const cn_json *at, const char *key, cairn_joint_def *def)
{
	return def->type == CAIRN_BALL ? cn_read_vector(r, at, key, &def->turn) : cn_read_number(r, at, key, &def->target);
}

/* { "target": x, "stiffness": k, "damping": d }, and perhaps "speed" and "most". */
static bool read_servo(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	static const char *const known[] = {"target", "speed", "stiffness", "damping", "most", "from", "until", NULL};
	static const char *const keyed[] = {"keys", "ease", "stiffness", "damping", "most", NULL};
	const cn_json *keys = cn_json_get(at, "keys");
	bool smooth = false;
	def->motor = keys ? CAIRN_MOTOR_KEYS : CAIRN_MOTOR_SERVO;
	def->most = CN_SERVO_MOST;
	if (keys &&
	    (!cn_read_keys(r, at, keyed) || !cn_read_ease(r, at, &smooth) || !cn_read_target_keys(r, keys, smooth, def)))
		return false;
	return (keys || cn_read_keys(r, at, known)) && read_target(r, at, "target", def) &&
	       cn_read_number(r, at, "speed", &def->speed) && cn_read_number(r, at, "stiffness", &def->stiffness) &&
	       cn_read_number(r, at, "damping", &def->damping) && cn_read_number(r, at, "most", &def->most);
}

/* { "speed": s, "most": m }, what it pushes with ("torque" of a hinge, "force" of the others), or a servo, which has a
 * "target". */
static bool read_motor(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	const char *push = def->type == CAIRN_HINGE ? "torque" : "force";
	const char *const known[] = {"speed",     "most",    push,   "target", "keys", "ease",
	                             "stiffness", "damping", "from", "until",  NULL};
	if (!cn_read_keys(r, at, known))
		return false;
	if (cn_json_get(at, "target") || cn_json_get(at, "keys"))
		return read_servo(r, at, def);
	if (cn_json_get(at, "ease"))
		return cn_read_fail(r, cn_json_get(at, "ease"),
		                    "\"ease\" says how a servo goes between \"keys\", and there are none");
	if (cn_json_get(at, "stiffness") || cn_json_get(at, "damping"))
		return cn_read_fail(r, at, "\"stiffness\" and \"damping\" belong to a servo, which has a \"target\"");
	if (!cn_json_get(at, push) == !cn_json_get(at, "speed"))
		return cn_read_fail(r, at, "a motor has a \"speed\" and the \"most\" it may push with, or a \"%s\"; found %s",
		                    push, cn_json_get(at, push) ? "both" : "neither");
	if (cn_json_get(at, push)) {
		const char *const alone[] = {push, "from", "until", NULL};
		def->motor = CAIRN_MOTOR_FORCE;
		return cn_read_keys(r, at, alone) && cn_read_number(r, at, push, &def->most);
	}
	def->motor = CAIRN_MOTOR_SPEED;
	return cn_read_need(r, at, "most") && cn_read_number(r, at, "speed", &def->speed) &&
	       cn_read_number(r, at, "most", &def->most);
}

/* { "stiffness": k, "damping": c, "rest": x }: a servo that never tires. Between two points it rests at the length that they
 * have at the start. */
static bool read_spring(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	static const char *const known[] = {"stiffness", "damping", "rest", NULL};
	def->motor = CAIRN_MOTOR_SERVO;
	def->most = CN_SERVO_MOST;
	if (def->type == CAIRN_DISTANCE)
		def->target = v3_distance(def->point, def->point_b);
	return cn_read_keys(r, at, known) && cn_read_number(r, at, "stiffness", &def->stiffness) &&
	       cn_read_number(r, at, "damping", &def->damping) && read_target(r, at, "rest", def);
}

/* What drives the joint or holds it back: one thing at most. Friction is a motor that wants to stand still. */
static bool read_push(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	const cn_json *motor = cn_json_get(at, "motor"), *spring = cn_json_get(at, "spring");
	const cn_json *friction = cn_json_get(at, "friction");
	if ((motor != NULL) + (spring != NULL) + (friction != NULL) > 1)
		return cn_read_fail(r, spring ? spring : friction,
		                    "a joint has one of \"motor\", \"spring\" and \"friction\"; leave the others out");
	if (friction) {
		def->motor = CAIRN_MOTOR_SPEED;
		if (!cn_read_number(r, at, "friction", &def->most))
			return false;
		return def->most > 0 || cn_read_fail(r, friction, "a friction of %g; give %s above 0", def->most,
		                                     def->type == CAIRN_HINGE ? "N m" : "N");
	}
	return motor ? read_motor(r, motor, def) : !spring || read_spring(r, spring, def);
}

static bool read_breaks(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	static const char *const known[] = {"force", "torque", NULL};
	if (!cn_read_keys(r, at, known))
		return false;
	if (!cn_json_get(at, "force") && !cn_json_get(at, "torque"))
		return cn_read_fail(r, at, "give the \"force\" or \"torque\" above which the joint breaks");
	return cn_read_number(r, at, "force", &def->break_force) && cn_read_number(r, at, "torque", &def->break_torque);
}

/* "locked", "free" or [low, high], for each of three axes. */
static bool read_axes(cn_scene_reader *r, const cn_json *at, const char *key, cairn_axis *axes)
{
	static const char *const known[] = {"x", "y", "z", NULL}, *const kinds[] = {"locked", "free", NULL};
	const cn_json *three = cn_json_get(at, key);
	if (three && (!cn_read_type(r, three, CN_JSON_OBJECT) || !cn_read_keys(r, three, known)))
		return false;
	for (int i = 0; three && i < 3; ++i) {
		const cn_json *one = cn_json_get(three, known[i]);
		cairn_joint_def range = {0};
		if (!one)
			continue;
		if (one->type == CN_JSON_ARRAY) {
			if (!read_limits(r, one, &range))
				return false;
			axes[i] = (cairn_axis){CAIRN_AXIS_LIMITED, range.low, range.high};
			continue;
		}
		if (one->type != CN_JSON_TEXT || (strcmp(one->text, "free") != 0 && strcmp(one->text, "locked") != 0))
			return one->type == CN_JSON_TEXT
			           ? cn_read_fail_unknown(r, one, "kind of axis", kinds)
			           : cn_read_fail(r, one, "expected \"locked\", \"free\" or two limits, as in [-0.5, 0.5]");
		axes[i].kind = one->text[0] == 'f' ? CAIRN_AXIS_FREE : CAIRN_AXIS_LOCKED;
	}
	return true;
}

/* "from" and "until" of a motor, s: drives at the frames nearest to these. The joint itself then begins without it. */
static bool read_times(cn_scene_reader *r, const cn_json *motor, cairn_joint_def *def, cairn_event_def on[2],
                       bool has[2])
{
	static const char *const names[2] = {"from", "until"};
	double times[2] = {0, 0}, fps = cairn_scene_settings(r->scene).fps;
	has[0] = has[1] = false;
	for (int i = 0; motor && i < 2; ++i) {
		const cn_json *at = cn_json_get(motor, names[i]);
		has[i] = at != NULL;
		if (!cn_read_number(r, motor, names[i], &times[i]))
			return false;
		if (at && !(times[i] >= 0 && times[i] * fps <= 4e9))
			return cn_read_fail(r, at, "a time of %g; give seconds from 0", times[i]);
		on[i] = cairn_default_event_def(CAIRN_DRIVE);
		on[i].frame = (uint32_t)(times[i] * fps + 0.5);
	}
	if (has[0] && has[1] && !(times[1] > times[0]))
		return cn_read_fail(r, cn_json_get(motor, names[1]), "the motor ends at %g s, before it begins at %g s",
		                    times[1], times[0]);
	if (!has[0])
		return true;
	on[0].motor = def->motor, on[0].speed = def->speed, on[0].most = def->most;
	on[0].target = def->target, on[0].stiffness = def->stiffness, on[0].damping = def->damping;
	on[0].turn = def->turn;
	def->motor = CAIRN_NO_MOTOR;
	return true;
}

/* Two points in an array. */
static bool read_two_points(cn_scene_reader *r, const cn_json *at, const char *key, v3 *a, v3 *b)
{
	const cn_json *points = cn_read_need(r, at, key);
	if (!points)
		return false;
	if (points->type != CN_JSON_ARRAY || points->count != 2)
		return cn_read_fail(r, points, "expected two points, one of each body, as in [[0, 0, 1], [0, 0, 2]]");
	return cn_read_vector_at(r, points->first, a) && cn_read_vector_at(r, points->first->next, b);
}

/* The names of two joints that stand before it. */
static bool read_coupled(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	const cn_json *two = cn_read_need(r, at, "joints");
	if (!two)
		return false;
	if (two->type != CN_JSON_ARRAY || two->count != 2)
		return cn_read_fail(r, two, "expected the names of two joints, as in [\"wheel\", \"pinion\"]");
	return cn_read_joint_name(r, two->first, &def->joint) && cn_read_joint_name(r, two->first->next, &def->joint_b) &&
	       cn_read_number(r, at, "ratio", &def->ratio);
}

/* Where it holds: two points of a distance joint, one of the others. */
static bool read_hold(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	bool turns = def->type == CAIRN_HINGE || def->type == CAIRN_SLIDER;
	switch (def->type) {
	case CAIRN_PASS: return true;
	case CAIRN_GEAR: return read_coupled(r, at, def);
	case CAIRN_DISTANCE: return read_two_points(r, at, "points", &def->point, &def->point_b);
	case CAIRN_PULLEY:
		return read_two_points(r, at, "points", &def->point, &def->point_b) &&
		       read_two_points(r, at, "over", &def->over, &def->over_b) && cn_read_number(r, at, "ratio", &def->ratio);
	default: break;
	}
	const cn_json *point = cn_read_need(r, at, "point");
	if (!point || (turns && !cn_read_need(r, at, "axis")))
		return false;
	pose frame = pose_identity();
	if (!cn_read_vector_at(r, point, &def->point) || !cn_read_vector(r, at, "axis", &def->axis) ||
	    !cn_read_pose(r, at, &frame))
		return false;
	def->frame = frame.orientation;
	return read_axes(r, at, "move", def->axes) && read_axes(r, at, "turn", def->axes + 3);
}

/* "cone": how far a ball may lean, with the "axis" that leans. */
static bool read_cone(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	const cn_json *cone = cn_json_get(at, "cone"), *axis = cn_json_get(at, "axis");
	if (def->type != CAIRN_BALL || (!cone && !axis))
		return true;
	if (!cone)
		return cn_read_fail(r, axis, "a ball joint has an \"axis\" only beside a \"cone\"; leave it out");
	def->has_limits = true;
	return cn_read_need(r, at, "axis") && cn_read_number(r, at, "cone", &def->high);
}

static bool read_held(cn_scene_reader *r, const cn_json *at, cairn_joint_def *def)
{
	if (def->type == CAIRN_GEAR)
		return true;
	const cn_json *two = cn_read_need(r, at, "bodies");
	if (!two)
		return false;
	if (two->type != CN_JSON_ARRAY || two->count != 2)
		return cn_read_fail(r, two, "expected the names of two bodies, as in [\"a\", \"b\"] or [\"a\", \"world\"]");
	return cn_read_body_name(r, two->first, true, &def->a) && cn_read_body_name(r, two->first->next, true, &def->b);
}

static bool read_joint(cn_scene_reader *r, const cn_json *at)
{
	cairn_joint_def def = cairn_default_joint_def();
	if (!read_joint_type(r, at, &def.type))
		return false;
	const cn_json *limits = cn_json_get(at, "limits");
	const cn_json *breaks = cn_json_get(at, "breaks");
	cairn_event_def on[2];
	bool has[2];
	if (!cn_read_text(r, at, "name", &def.name) || !read_held(r, at, &def) || !read_hold(r, at, &def) ||
	    (limits && !read_limits(r, limits, &def)) || !read_cone(r, at, &def) || !read_push(r, at, &def) ||
	    !read_times(r, cn_json_get(at, "motor"), &def, on, has) || (breaks && !read_breaks(r, breaks, &def)) ||
	    !cn_read_bool(r, at, "collide", &def.collide))
		return false;
	cairn_joint joint = cairn_scene_add_joint(r->scene, &def, r->error);
	if (!joint.generation)
		return cn_read_place(r, at);
	for (int i = 0; i < 2; ++i) {
		on[i].joint = joint;
		if (has[i] && !cairn_scene_add_event(r->scene, &on[i], r->error))
			return cn_read_place(r, cn_json_get(at, "motor"));
	}
	return cn_read_note(r, at, CN_PLACE_JOINTS, joint.index);
}

static bool read_impulse(cn_scene_reader *r, const cn_json *at, cairn_event_def *def)
{
	static const char *const known[] = {"body", "impulse", "point", NULL};
	const cn_json *body = cn_read_keys(r, at, known) ? cn_read_need(r, at, "body") : NULL;
	def->has_point = cn_json_get(at, "point") != NULL;
	return body && cn_read_body_name(r, body, false, &def->body) && cn_read_need(r, at, "impulse") &&
	       cn_read_vector(r, at, "impulse", &def->impulse) && cn_read_vector(r, at, "point", &def->point);
}

static bool read_blast(cn_scene_reader *r, const cn_json *at, cairn_event_def *def)
{
	static const char *const known[] = {"point", "speed", NULL};
	return cn_read_keys(r, at, known) && cn_read_need(r, at, "point") && cn_read_need(r, at, "speed") &&
	       cn_read_vector(r, at, "point", &def->point) && cn_read_number(r, at, "speed", &def->speed);
}

/* The motor is spelled as that of a joint. */
static bool read_drive(cn_scene_reader *r, const cn_json *at, cairn_event_def *def)
{
	static const char *const known[] = {"joint", "motor", NULL};
	const cn_json *joint = cn_read_keys(r, at, known) ? cn_read_need(r, at, "joint") : NULL;
	const cn_json *motor = joint ? cn_read_need(r, at, "motor") : NULL;
	if (!motor || !cn_read_joint_name(r, joint, &def->joint))
		return false;
	if (cn_json_get(motor, "from") || cn_json_get(motor, "until"))
		return cn_read_fail(r, motor,
		                    "a drive begins at its frame; \"from\" and \"until\" belong to the motor of a joint");
	if (cn_json_get(motor, "keys"))
		return cn_read_fail(r, motor, "the keys of a servo are those of its joint; a drive has a \"target\"");
	cairn_joint_def j = cairn_scene_joint_at(r->scene, def->joint.index);
	j.speed = j.most = j.target = j.stiffness = j.damping = 0, j.turn = v3_zero();
	if (!read_motor(r, motor, &j))
		return false;
	def->motor = j.motor, def->speed = j.speed, def->most = j.most;
	def->target = j.target, def->stiffness = j.stiffness, def->damping = j.damping, def->turn = j.turn;
	return true;
}

static bool read_event(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"frame", "impulse", "blast", "drive", NULL};
	static bool (*const readers[])(cn_scene_reader *, const cn_json *, cairn_event_def *) = {
		[CAIRN_IMPULSE] = read_impulse, [CAIRN_BLAST] = read_blast, [CAIRN_DRIVE] = read_drive};
	const cn_json *what = NULL;
	uint32_t found = 0, kind = 0;
	if (!cn_read_keys(r, at, known) || !cn_read_need(r, at, "frame"))
		return false;
	for (uint32_t i = 0; i < CN_COUNT(readers); ++i)
		if (cn_json_get(at, known[1 + i]))
			what = cn_json_get(at, known[1 + i]), kind = i, ++found;
	if (found != 1)
		return cn_read_fail(r, at, "an event is one of impulse, blast, drive; found %s",
		                    found == 0   ? "none"
		                    : found == 2 ? "two"
		                                 : "all");
	cairn_event_def def = cairn_default_event_def((cairn_event_kind)kind);
	return cn_read_u32(r, at, "frame", &def.frame) && readers[kind](r, what, &def) &&
	       (cairn_scene_add_event(r->scene, &def, r->error) || cn_read_place(r, what));
}

/* "gravity" is a uniform acceleration, or an attraction to a point. */
static bool read_gravity(cn_scene_reader *r, const cn_json *at, cairn_field_def *def)
{
	static const char *const known[] = {"acceleration", "point", "strength", "softening", NULL};
	if (!cn_read_keys(r, at, known))
		return false;
	if (cn_json_get(at, "acceleration")) {
		static const char *const uniform[] = {"acceleration", NULL};
		return cn_read_keys(r, at, uniform) && cn_read_vector(r, at, "acceleration", &def->acceleration);
	}
	*def = cairn_default_field_def(CAIRN_ATTRACTOR);
	if (!cn_json_get(at, "point"))
		return cn_read_fail(r, at, "gravity needs an \"acceleration\", or \"point\", \"strength\" and \"softening\"");
	return cn_read_need(r, at, "strength") && cn_read_need(r, at, "softening") &&
	       cn_read_vector(r, at, "point", &def->point) && cn_read_number(r, at, "strength", &def->strength) &&
	       cn_read_number(r, at, "softening", &def->softening);
}

static bool read_wind(cn_scene_reader *r, const cn_json *at, cairn_field_def *def)
{
	static const char *const known[] = {"velocity", "density", "coefficient", NULL};
	return cn_read_keys(r, at, known) && cn_read_need(r, at, "velocity") &&
	       cn_read_vector(r, at, "velocity", &def->velocity) && cn_read_number(r, at, "density", &def->air_density) &&
	       cn_read_number(r, at, "coefficient", &def->coefficient);
}

static bool read_drag(cn_scene_reader *r, const cn_json *at, cairn_field_def *def)
{
	static const char *const known[] = {"linear", "angular", NULL};
	return cn_read_keys(r, at, known) && cn_read_number(r, at, "linear", &def->linear) &&
	       cn_read_number(r, at, "angular", &def->angular);
}

/* The scene names the sides of a field's box "box", "min" and "max". */
static bool place_field(cn_scene_reader *r, const cn_json *kind, const cn_json *box)
{
	const char *field = r->error->path;
	bool is_box = box && (!strcmp(field, "box") || !strcmp(field, "min") || !strcmp(field, "max"));
	return cn_read_place(r, is_box ? box : kind);
}

static bool read_field(cn_scene_reader *r, const cn_json *at)
{
	static const char *const known[] = {"gravity", "wind", "drag", "box", NULL};
	static const cairn_field_kind kinds[] = {CAIRN_GRAVITY, CAIRN_WIND, CAIRN_DRAG};
	const cn_json *kind = NULL, *box;
	int which = 0;
	if (!cn_read_keys(r, at, known))
		return false;
	for (int i = 0; i < 3; ++i) {
		const cn_json *v = cn_json_get(at, known[i]);
		if (v && kind)
			return cn_read_fail(r, at, "a field is one thing; found both \"%s\" and \"%s\"", kind->key, v->key);
		if (v)
			kind = v, which = i;
	}
	if (!kind)
		return cn_read_fail(r, at, "a field needs one of gravity, wind, drag");
	cairn_field_def def = cairn_default_field_def(kinds[which]);
	if (!(which == 0 ? read_gravity(r, kind, &def) : which == 1 ? read_wind(r, kind, &def) : read_drag(r, kind, &def)))
		return false;
	box = cn_json_get(at, "box");
	def.has_box = box != NULL;
	return (!box || cn_read_box(r, box, &def.box)) &&
	       (cairn_scene_add_field(r->scene, &def, r->error) || place_field(r, kind, box));
}

static bool read_cold(cn_scene_reader *r, const cn_json *at)
{
	cairn_box box;
	return cn_read_box(r, at, &box) && (cairn_scene_add_cold_volume(r->scene, box, r->error) || cn_read_place(r, at));
}

bool cn_read_joints(cn_scene_reader *r) { return cn_read_each(r, "joints", read_joint); }
bool cn_read_events(cn_scene_reader *r) { return cn_read_each(r, "events", read_event); }
bool cn_read_fields(cn_scene_reader *r) { return cn_read_each(r, "fields", read_field); }
bool cn_read_cold(cn_scene_reader *r) { return cn_read_each(r, "cold", read_cold); }

/* { "time": 1.5, "position": ..., "target": ..., "fov": ... }; what is left out is as in the key before. */
static bool read_camera_key(cn_scene_reader *r, const cn_json *at, bool first, cairn_camera_key *k)
{
	static const char *const keys[] = {"time", "position", "target", "fov", NULL};
	return cn_read_keys(r, at, keys) && cn_read_need(r, at, "time") &&
	       (!first || (cn_read_need(r, at, "position") && cn_read_need(r, at, "target"))) &&
	       cn_read_number(r, at, "time", &k->time) && cn_read_vector(r, at, "position", &k->position) &&
	       cn_read_vector(r, at, "target", &k->target) && cn_read_number(r, at, "fov", &k->fov);
}

static bool read_camera_keys(cn_scene_reader *r, const cn_json *keys, cairn_view *view)
{
	if (!cn_read_type(r, keys, CN_JSON_ARRAY))
		return false;
	if (keys->count == 0 || keys->count > CAIRN_CAMERA_KEYS)
		return cn_read_fail(
			r, keys, "expected 1 to %d keys, as in {\"time\": 0, \"position\": [8, -8, 4], \"target\": [0, 0, 1]}",
			CAIRN_CAMERA_KEYS);
	cairn_camera_key *made = cn_arena_take(&r->arena, keys->count, sizeof *made);
	if (!made)
		return cn_read_fail_memory(r);
	made[0].fov = view->camera_fov;
	for (const cn_json *k = keys->first; k; k = k->next) {
		if (k->index > 0)
			made[k->index] = made[k->index - 1];
		if (!read_camera_key(r, k, k->index == 0, &made[k->index]))
			return false;
	}
	view->camera_keys = made, view->camera_key_count = keys->count;
	view->camera_position = made[0].position, view->camera_target = made[0].target, view->camera_fov = made[0].fov;
	return true;
}

static bool read_camera(cn_scene_reader *r, const cn_json *camera, cairn_view *view)
{
	static const char *const known[] = {"position", "target", "fov", "follow", "keys", NULL};
	if (!cn_read_keys(r, camera, known))
		return false;
	const cn_json *keys = cn_json_get(camera, "keys"), *follow = cn_json_get(camera, "follow");
	view->has_camera = true;
	view->camera_follow = (cairn_body){0};
	view->camera_key_count = 0;
	if (!cn_read_number(r, camera, "fov", &view->camera_fov) ||
	    (follow && !cn_read_body_name(r, follow, false, &view->camera_follow)))
		return false;
	if (keys && (cn_json_get(camera, "position") || cn_json_get(camera, "target")))
		return cn_read_fail(r, camera, "a camera with keys has its places there; leave out position and target");
	return keys ? read_camera_keys(r, keys, view)
	            : cn_read_need(r, camera, "position") && cn_read_need(r, camera, "target") &&
	                  cn_read_vector(r, camera, "position", &view->camera_position) &&
	                  cn_read_vector(r, camera, "target", &view->camera_target);
}

bool cn_read_view(cn_scene_reader *r)
{
	static const char *const light_keys[] = {"direction", "color", NULL};
	const cn_json *root = r->file->root, *camera = cn_json_get(root, "camera"), *light = cn_json_get(root, "light");
	cairn_view view = cairn_scene_view(r->scene);
	if (camera && !read_camera(r, camera, &view))
		return false;
	if (light) {
		view.has_light = true;
		if (!cn_read_keys(r, light, light_keys) || !cn_read_need(r, light, "direction") ||
		    !cn_read_vector(r, light, "direction", &view.light_direction) ||
		    !cn_read_color(r, light, "color", &view.light_color))
			return false;
	}
	return (!camera && !light) || cairn_scene_set_view(r->scene, &view, r->error) || cn_read_place(r, root);
}
