/* What is drawn from the bytes of a play: numbers, handles, descriptions. */
#include "play.h"

#include <math.h>
#include <string.h>

uint64_t call_counts[CALL_COUNT], draws;

void tell_calls(void)
{
	static const char *const names[] = {
#define X(name) #name,
#include "header_calls.h"
#undef X
	};
	uint64_t all = 0, never = 0;
	for (int i = 0; i < CALL_COUNT; ++i) {
		printf("%12llu  %s\n", (unsigned long long)call_counts[i], names[i]);
		all += call_counts[i], never += call_counts[i] == 0;
	}
	uint64_t steps = call_counts[CALL_cairn_world_step];
	printf("%llu calls in %llu draws, %.1f %% of the draws steps; %llu of %d functions never called\n",
	       (unsigned long long)all, (unsigned long long)draws, 100.0 * (double)steps / (draws ? (double)draws : 1),
	       (unsigned long long)never, (int)CALL_COUNT);
}

/* ---- arguments */

uint32_t byte(play *p) { return p->at < p->size ? p->data[p->at++] : 0; }
uint32_t below(play *p, uint32_t count) { return byte(p) % count; }
bool flag(play *p) { return byte(p) & 1; }

double number(play *p)
{
	static const double odd[] = {0,     -0.0,  NAN,   INFINITY, -INFINITY,         1e308, -1e308, 5e-324, 1e-310, 1e30,
	                             -1e30, 1e-30, 1e100, 1e-100,   4503599627370497.0};
	uint32_t b = byte(p);
	if (b < 24 && !p->sound)
		return odd[b % (sizeof odd / sizeof *odd)];
	return ((double)b - 140) / (b % 5 == 0 ? 3 : 37);
}

double size_of(play *p) { return byte(p) < 24 ? number(p) : 0.1 + 0.01 * byte(p); }

cairn_vec3 vector(play *p)
{
	double x = number(p), y = number(p), z = number(p);
	return (cairn_vec3){x, y, z};
}

cairn_pose pose(play *p)
{
	cairn_pose at = {{0, 0, 0}, {1, 0, 0, 0}};
	at.position = vector(p);
	if (flag(p)) {
		double w = number(p), x = number(p), y = number(p), z = number(p);
		double length = p->sound ? sqrt(w * w + x * x + y * y + z * z) : 1;
		if (length > 0)
			w /= length, x /= length, y /= length, z /= length;
		at.orientation = (cairn_quat){w, x, y, z};
	}
	return at;
}

void says_why(bool ok, const cairn_error *error)
{
	EXPECT(ok || (error->code != CAIRN_OK && error->message[0]));
	if (ok)
		return;
	char text[40];
	cairn_error_print(error, text, sizeof text);
	EXPECT(memchr(text, 0, sizeof text));
}

/* ---- descriptions */

cairn_material_def material_def(play *p)
{
	cairn_material_def d = CALL(cairn_default_material_def)();
	d.density = size_of(p) * 1000, d.restitution = number(p), d.static_friction = number(p),
	d.kinetic_friction = number(p), d.rolling = number(p);
	if (p->sound)
		d.restitution = below(p, 5) / 4.0, d.static_friction = below(p, 5) / 2.0,
		d.kinetic_friction = d.static_friction * below(p, 3) / 2, d.rolling = flag(p) ? 0 : 0.02;
	return d;
}

cairn_shape_def shape_def(play *p)
{
	static cairn_vec3 points[12];
	static uint32_t triangles[24];
	static cairn_part parts[3];
	static double heights[16];
	uint32_t kinds = 0;
	while (cairn_shape_kind_at(kinds))
		++kinds;
	cairn_shape_def d = CALL(cairn_default_shape_def)((cairn_shape_kind)below(p, kinds));
	d.radius = size_of(p), d.length = size_of(p);
	d.size = (cairn_vec3){size_of(p), size_of(p), size_of(p)};
	for (int i = 0; i < 12; ++i)
		points[i] = (cairn_vec3){((i & 1) - 0.5), ((i & 2) - 1) * 0.5, ((i & 4) - 2) * 0.25};
	if (flag(p))
		points[below(p, 12)] = vector(p);
	for (int i = 0; i < 24; ++i)
		triangles[i] = below(p, 9); /* one too many */
	for (int i = 0; i < 3; ++i)
		parts[i] = (cairn_part){PICK(p, p->shapes), pose(p)};
	for (int i = 0; i < 16; ++i)
		heights[i] = (i % 3) * 0.1;
	if (flag(p))
		heights[below(p, 16)] = number(p);
	d.points = points, d.point_count = below(p, 13), d.triangles = triangles, d.triangle_count = below(p, 9);
	d.parts = parts, d.part_count = below(p, 4), d.heights = heights, d.columns = below(p, 5), d.rows = below(p, 5);
	d.shell = flag(p);
	d.thickness = flag(p) ? number(p) : 0, d.gap = flag(p) ? number(p) : 0;
	if (d.kind == CAIRN_HALFSPACE && flag(p))
		d.normal = vector(p), d.offset = number(p);
	return d;
}

cairn_body_def body_def(play *p)
{
	static cairn_script_key keys[4];
	cairn_body_def d = CALL(cairn_default_body_def)();
	d.type = (cairn_body_type)(p->sound && flag(p) ? 0 : below(p, 3));
	d.name = flag(p) ? "" : "b";
	d.shape = PICK(p, p->shapes), d.material = PICK(p, p->materials);
	d.pose = pose(p), d.velocity = vector(p), d.spin = vector(p);
	uint32_t b = byte(p);
	if (b & 1)
		d.mass = size_of(p);
	if (b & 2)
		d.density = size_of(p);
	if (b & 4)
		d.linear_damping = number(p), d.angular_damping = number(p);
	if (b & 8)
		d.group = byte(p), d.mask = byte(p);
	if ((b & 48) == 48) {
		d.has_inertia = true, d.center = vector(p);
		for (int i = 0; i < 9; ++i)
			d.inertia[i] = i % 4 == 0 ? size_of(p) : 0;
	}
	double time = 0;
	for (int i = 0; i < 4; ++i)
		keys[i] = (cairn_script_key){time += size_of(p), pose(p)};
	if (d.type == CAIRN_SCRIPTED || (b & 64 && !p->sound))
		d.keys = keys, d.key_count = below(p, 5);
	if (p->sound && d.type != CAIRN_DYNAMIC)
		d.velocity = d.spin = (cairn_vec3){0, 0, 0};
	if (p->sound && d.mass > 0)
		d.density = 0;
	return d;
}

/* What pulleys, gears and six axes have beside the rest. */
static void more_joint(play *p, cairn_joint_def *d)
{
	d->over = vector(p), d->over_b = vector(p);
	d->joint = PICK(p, p->joints), d->joint_b = PICK(p, p->joints);
	d->ratio = size_of(p);
	if (flag(p))
		d->frame = pose(p).orientation;
	for (int i = 0; i < 6; ++i) {
		d->axes[i].kind = (cairn_axis_kind)below(p, 4);
		d->axes[i].low = flag(p) ? -size_of(p) : number(p), d->axes[i].high = flag(p) ? size_of(p) : number(p);
	}
}

cairn_joint_def joint_def(play *p)
{
	cairn_joint_def d = CALL(cairn_default_joint_def)();
	d.type = (cairn_joint_type)below(p, CAIRN_SIX_DOF + 1);
	d.a = PICK(p, p->bodies), d.b = PICK(p, p->bodies);
	d.point = vector(p), d.point_b = vector(p);
	uint32_t b = byte(p);
	if (b & 1)
		d.axis = vector(p);
	if (b & 2)
		d.has_limits = true, d.low = number(p), d.high = number(p);
	if (b & 4)
		d.motor = (cairn_motor_kind)below(p, 3), d.speed = number(p), d.most = number(p);
	if (b & 8)
		d.break_force = number(p), d.break_torque = number(p);
	d.collide = (b & 16) != 0;
	if (d.type >= CAIRN_PULLEY)
		more_joint(p, &d);
	return d;
}

cairn_event_def event_def(play *p)
{
	cairn_event_def d = CALL(cairn_default_event_def)((cairn_event_kind)below(p, 2));
	d.frame = byte(p), d.body = PICK(p, p->bodies), d.impulse = vector(p);
	d.has_point = flag(p), d.point = vector(p), d.speed = number(p);
	return d;
}

cairn_field_def field_def(play *p)
{
	cairn_field_def d = CALL(cairn_default_field_def)((cairn_field_kind)below(p, 4));
	d.has_box = flag(p), d.box = (cairn_box){vector(p), vector(p)};
	d.acceleration = vector(p), d.point = vector(p), d.velocity = vector(p);
	d.strength = number(p), d.softening = number(p), d.linear = number(p), d.angular = number(p);
	if (flag(p))
		d.air_density = number(p), d.coefficient = number(p);
	return d;
}
