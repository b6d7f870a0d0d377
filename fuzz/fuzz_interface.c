/* The public header: bytes become calls, with any arguments that a program can hand over without breaking C's own rules.
 * Handles may be stale or of another world, numbers may be none, infinite or tiny, counts may be wrong in a way that the
 * header speaks of, snapshots may be damaged. Every call returns, says why it failed where it fails, and after each step
 * that is done all numbers are finite. */
#include "cairn/cairn.h"
#include "fuzz.h"

#include <math.h>
#include <string.h>

/* The memory sanitizer does not know that stat and timespec_get write what they are given: no files under it. */
#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#define NO_FILES 1
#endif
#endif
#ifndef NO_FILES
#define NO_FILES 0
#endif

enum { WORLDS = 2, HANDLES = 16, CALLS = 120, BODIES = 60 };

typedef struct source {
	const uint8_t *data;
	size_t size, at;
} source;

typedef struct play {
	source in;
	cairn_scene *scenes[WORLDS];
	cairn_world *worlds[WORLDS];
	cairn_body bodies[HANDLES];
	cairn_shape shapes[HANDLES];
	cairn_material materials[HANDLES];
	cairn_joint joints[HANDLES];
	void *snapshot;
	size_t snapshot_size;
	cairn_recording *recording;
	cairn_world *recorded; /* the world that it is of */
	cairn_space *spaces[WORLDS];
	cairn_watch *watches[WORLDS];
} play;

/* ---- arguments */

static uint32_t byte(play *p) { return p->in.at < p->in.size ? p->in.data[p->in.at++] : 0; }
static uint32_t below(play *p, uint32_t count) { return byte(p) % count; }
static bool flag(play *p) { return byte(p) & 1; }

static double number(play *p)
{
	static const double odd[] = {0,     -0.0,  NAN,   INFINITY, -INFINITY,         1e308, -1e308, 5e-324, 1e-310, 1e30,
	                             -1e30, 1e-30, 1e100, 1e-100,   4503599627370497.0};
	uint32_t b = byte(p);
	if (b < 24)
		return odd[b % (sizeof odd / sizeof *odd)];
	return ((double)b - 140) / (b % 5 == 0 ? 3 : 37);
}

/* Sound more often than not, so that something comes of it. */
static double size_of(play *p) { return byte(p) < 24 ? number(p) : 0.1 + 0.01 * byte(p); }

static cairn_vec3 vector(play *p)
{
	double x = number(p), y = number(p), z = number(p);
	return (cairn_vec3){x, y, z};
}

static cairn_pose pose(play *p)
{
	cairn_pose at = {{0, 0, 0}, {1, 0, 0, 0}};
	at.position = vector(p);
	if (flag(p)) {
		double w = number(p), x = number(p), y = number(p), z = number(p);
		at.orientation = (cairn_quat){w, x, y, z};
	}
	return at;
}

#define PICK(p, list) ((list)[below((p), HANDLES)])

static void keep(play *p, bool ok, const cairn_error *error)
{
	(void)p;
	EXPECT(ok || (error->code != CAIRN_OK && error->message[0]));
}

/* ---- descriptions */

static cairn_material_def material_def(play *p)
{
	cairn_material_def d = cairn_default_material_def();
	d.density = size_of(p) * 1000, d.restitution = number(p), d.static_friction = number(p),
	d.kinetic_friction = number(p);
	if (flag(p))
		d.restitution = 0.5, d.static_friction = d.kinetic_friction = 0.5;
	return d;
}

static cairn_shape_def shape_def(play *p)
{
	static cairn_vec3 points[12];
	static uint32_t triangles[24];
	static cairn_part parts[3];
	static double heights[16];
	uint32_t kinds = 0;
	while (cairn_shape_kind_at(kinds))
		++kinds;
	cairn_shape_def d = cairn_default_shape_def((cairn_shape_kind)below(p, kinds));
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
	if (d.kind == CAIRN_HALFSPACE && flag(p))
		d.normal = vector(p), d.offset = number(p);
	return d;
}

static cairn_body_def body_def(play *p)
{
	static cairn_script_key keys[4];
	cairn_body_def d = cairn_default_body_def();
	d.type = (cairn_body_type)below(p, 3);
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
	if (d.type == CAIRN_SCRIPTED || b & 64)
		d.keys = keys, d.key_count = below(p, 5);
	return d;
}

static cairn_joint_def joint_def(play *p)
{
	cairn_joint_def d = cairn_default_joint_def();
	d.type = (cairn_joint_type)below(p, 5);
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
	return d;
}

static cairn_event_def event_def(play *p)
{
	cairn_event_def d = cairn_default_event_def((cairn_event_kind)below(p, 2));
	d.frame = byte(p), d.body = PICK(p, p->bodies), d.impulse = vector(p);
	d.has_point = flag(p), d.point = vector(p), d.speed = number(p);
	return d;
}

static cairn_field_def field_def(play *p)
{
	cairn_field_def d = cairn_default_field_def((cairn_field_kind)below(p, 4));
	d.has_box = flag(p), d.box = (cairn_box){vector(p), vector(p)};
	d.acceleration = vector(p), d.point = vector(p), d.velocity = vector(p);
	d.strength = number(p), d.softening = number(p), d.linear = number(p), d.angular = number(p);
	if (flag(p))
		d.air_density = number(p), d.coefficient = number(p);
	return d;
}

/* ---- calls on a scene */

static void add_to_scene(play *p, cairn_scene *s)
{
	cairn_error e = {0};
	bool ok = true;
	uint32_t at = below(p, HANDLES), what = below(p, 12);
	if (what < 3 && cairn_scene_body_count(s) < BODIES) {
		cairn_body_def d = body_def(p);
		p->bodies[at] = cairn_scene_add_body(s, &d, &e), ok = p->bodies[at].generation != 0;
	} else if (what < 5) {
		cairn_shape_def d = shape_def(p);
		p->shapes[at] = cairn_scene_add_shape(s, &d, &e), ok = p->shapes[at].generation != 0;
	} else if (what == 5) {
		cairn_material_def d = material_def(p);
		p->materials[at] = cairn_scene_add_material(s, &d, &e), ok = p->materials[at].generation != 0;
	} else if (what == 6) {
		cairn_joint_def d = joint_def(p);
		p->joints[at] = cairn_scene_add_joint(s, &d, &e), ok = p->joints[at].generation != 0;
	} else if (what == 7) {
		cairn_event_def d = event_def(p);
		ok = cairn_scene_add_event(s, &d, &e);
	} else if (what == 8) {
		cairn_field_def d = field_def(p);
		ok = cairn_scene_add_field(s, &d, &e);
	} else if (what == 9) {
		cairn_body_def bodies[2] = {body_def(p), body_def(p)};
		cairn_emitter_def d = cairn_default_emitter_def();
		d.bodies = bodies, d.body_count = below(p, 3), d.start = below(p, 4), d.every = below(p, 4);
		d.batches = below(p, 6), d.jitter.position = vector(p), d.jitter.velocity = vector(p);
		ok = cairn_scene_add_emitter(s, &d, &e);
	} else if (what == 10) {
		cairn_settings d = cairn_scene_settings(s);
		d.gravity = vector(p), d.fps = flag(p) ? number(p) : 30;
		ok = cairn_scene_set_settings(s, &d, &e);
	} else {
		uint32_t count = 0;
		while (cairn_option_at(count))
			++count;
		const cairn_option_info *o = cairn_option_at(below(p, count + 1));
		static const char *const values[] = {"0", "1", "true", "false", "", "nan", "1e9", "-1", "x"};
		ok = cairn_scene_set_option(s, o ? o->name : "none", values[below(p, 9)], &e);
	}
	keep(p, ok, &e);
}

static void look_at_scene(play *p, const cairn_scene *s)
{
	/* a handle that names nothing is misuse here, which is asserted */
	cairn_shape shape = {below(p, cairn_scene_shape_count(s)), 1};
	cairn_material a_material = {below(p, cairn_scene_material_count(s)), 1}, none = {0, 0};
	(void)cairn_scene_shape_facts(s, shape), (void)cairn_scene_pair(s, a_material, none);
	(void)cairn_scene_find_body(s, "b"), (void)cairn_scene_find_shape(s, ""), (void)cairn_scene_find_material(s, "m");
	cairn_error e = {0};
	cairn_surface surface;
	double tolerance = size_of(p), halfspace = size_of(p);
	cairn_allocator a = cairn_default_allocator();
	if (tolerance > 0.01 && tolerance < 10 && cairn_scene_surface(s, shape, tolerance, halfspace, &a, &surface, &e))
		cairn_surface_free(&surface, &a);
	cairn_scene *copy = cairn_scene_copy(s);
	EXPECT(copy && cairn_scene_body_count(copy) == cairn_scene_body_count(s));
	cairn_scene_destroy(copy);
}

/* ---- calls on a world */

static void check_finite(const cairn_world *w)
{
	cairn_body bodies[200];
	uint32_t count = cairn_world_bodies(w, bodies, 200);
	for (uint32_t i = 0; i < count && i < 200; ++i) {
		cairn_key k = cairn_world_body_key(w, bodies[i]);
		EXPECT(isfinite(k.position.x + k.position.y + k.position.z + k.orientation.w + k.orientation.x +
		                k.orientation.y + k.orientation.z));
		EXPECT(isfinite(k.velocity.x) && isfinite(k.velocity.y) && isfinite(k.velocity.z) && isfinite(k.spin.x) &&
		       isfinite(k.spin.y) && isfinite(k.spin.z));
	}
}

static void step(play *p, cairn_world *w)
{
	uint64_t before = cairn_world_hash(w);
	cairn_step_report r = cairn_world_step(w);
	char text[200];
	cairn_world_explain(w, &r, text, below(p, 200));
	if (r.status != CAIRN_STEP_OK) {
		EXPECT(cairn_world_hash(w) == before);
		return;
	}
	check_finite(w);
	cairn_error e = {0};
	if (p->recording && p->recorded == w && !cairn_recording_append(p->recording, w, &r, &e))
		keep(p, false, &e);
}

static void give_input(play *p, cairn_world *w)
{
	cairn_error e = {0};
	bool ok = true;
	uint32_t at = below(p, HANDLES), what = below(p, 16);
	uint64_t before = cairn_world_hash(w);
	if (what == 0 && cairn_world_body_count(w) < BODIES) {
		cairn_body_def d = body_def(p);
		p->bodies[at] = cairn_world_add_body(w, &d, &e), ok = p->bodies[at].generation != 0;
	} else if (what == 1) {
		cairn_shape_def d = shape_def(p);
		p->shapes[at] = cairn_world_add_shape(w, &d, &e), ok = p->shapes[at].generation != 0;
	} else if (what == 2) {
		cairn_material_def d = material_def(p);
		p->materials[at] = cairn_world_add_material(w, &d, &e), ok = p->materials[at].generation != 0;
	} else if (what == 3) {
		ok = cairn_world_remove_body(w, PICK(p, p->bodies), &e);
	} else if (what < 6) {
		cairn_event_def d = event_def(p);
		ok = cairn_world_apply_event(w, &d, &e);
	} else if (what == 6) {
		cairn_material_def d = material_def(p);
		ok = cairn_world_set_material(w, PICK(p, p->materials), &d, &e);
	} else if (what == 7) {
		cairn_script_key keys[3];
		double time = cairn_world_time(w);
		for (int i = 0; i < 3; ++i)
			keys[i] = (cairn_script_key){time += size_of(p), pose(p)};
		ok = cairn_world_set_script(w, PICK(p, p->bodies), keys, below(p, 4), &e);
	} else if (what == 8) {
		ok = cairn_world_set_gravity(w, vector(p), &e);
	} else if (what == 9) {
		cairn_motor_kind m = (cairn_motor_kind)below(p, 3);
		double speed = number(p), most = number(p);
		ok = cairn_world_set_motor(w, PICK(p, p->joints), m, speed, most, &e);
	} else if (what == 10) {
		cairn_drag_def d = cairn_default_drag_def();
		d.body = PICK(p, p->bodies), d.anchor = vector(p), d.target = vector(p);
		if (flag(p))
			d.frequency = number(p);
		ok = cairn_world_drag(w, &d, &e);
	} else if (what == 11) {
		ok = cairn_world_release(w, PICK(p, p->bodies), &e);
	} else if (what == 12) {
		cairn_vec3 force = vector(p), torque = vector(p);
		ok = cairn_world_push(w, PICK(p, p->bodies), force, torque, &e);
	} else if (what == 13) {
		cairn_vec3 velocity = vector(p), spin = vector(p);
		ok = cairn_world_set_velocity(w, PICK(p, p->bodies), velocity, spin, &e);
	} else if (what == 14) {
		double linear = number(p), angular = number(p);
		ok = cairn_world_set_damping(w, PICK(p, p->bodies), linear, angular, &e);
	} else {
		ok = cairn_world_set_body_material(w, PICK(p, p->bodies), PICK(p, p->materials), &e);
	}
	keep(p, ok, &e);
	EXPECT(ok || cairn_world_hash(w) == before);
}

static void look_at_world(play *p, const cairn_world *w)
{
	cairn_body a = PICK(p, p->bodies), b = PICK(p, p->bodies);
	cairn_gap gap;
	cairn_key keys[70];
	cairn_contact contacts[4];
	cairn_impact impacts[4];
	(void)cairn_world_has_body(w, a), (void)cairn_world_body_info(w, a), (void)cairn_world_body_key(w, a);
	EXPECT(cairn_world_body_keys(w, a, keys, below(p, 70)) <= 65);
	(void)cairn_world_body_pose(w, a), (void)cairn_world_find_body(w, "e.0");
	(void)cairn_world_joint(w, PICK(p, p->joints)), (void)cairn_world_contacts(w, contacts, below(p, 5));
	uint32_t hits = cairn_world_impacts(w, impacts, 4);
	for (uint32_t i = 0; i < hits && i < 4; ++i) {
		cairn_vec3 j = impacts[i].impulse, x = impacts[i].point;
		EXPECT(isfinite(j.x + j.y + j.z) && isfinite(x.x + x.y + x.z) && cairn_world_has_body(w, impacts[i].a));
		EXPECT(impacts[i].time <= cairn_world_time(w) * (1 + 1e-12));
	}
	(void)cairn_world_body_asleep(w, a), (void)cairn_world_body_frozen(w, b);
	cairn_pose poses[4];
	cairn_velocity velocities[4];
	EXPECT(cairn_world_poses(w, poses, below(p, 5)) == cairn_world_body_count(w));
	EXPECT(cairn_world_velocities(w, velocities, below(p, 5)) == cairn_world_body_count(w));
	if (cairn_world_gap(w, a, b, &gap))
		EXPECT(!isnan(gap.gap));
}

static void check_hit(const cairn_hit *hit)
{
	EXPECT(hit->share >= 0 && hit->share <= 1 && hit->body.generation > 0);
	EXPECT(isfinite(hit->point.x + hit->point.y + hit->point.z));
	EXPECT(isfinite(hit->normal.x + hit->normal.y + hit->normal.z));
}

/* Touches since the last look, whatever happened to the world in between. */
static void look_at_watch(play *p, uint32_t at)
{
	cairn_error e = {0};
	if (!p->watches[at])
		p->watches[at] = cairn_watch_create(p->worlds[at], &e);
	EXPECT(p->watches[at] && cairn_watch_update(p->watches[at], &e));
	uint32_t touches, contacts;
	const cairn_touch *t = cairn_watch_touches(p->watches[at], &touches);
	(void)cairn_watch_contacts(p->watches[at], &contacts);
	for (uint32_t i = 0; i < touches; ++i) {
		EXPECT(t[i].a.index < t[i].b.index && t[i].first + t[i].point_count <= contacts);
		EXPECT(isfinite(t[i].impulse.x + t[i].impulse.y + t[i].impulse.z + t[i].point.x + t[i].point.y + t[i].point.z));
		EXPECT(t[i].kind == CAIRN_TOUCH_END || cairn_world_has_body(p->worlds[at], t[i].a));
	}
}

/* A space that may be of another frame, or of a world that was restored since. */
static void ask_space(play *p, uint32_t at)
{
	cairn_error e = {0};
	if (!p->spaces[at])
		p->spaces[at] = cairn_space_create(p->worlds[at], &e);
	else if (flag(p))
		EXPECT(cairn_space_update(p->spaces[at], &e));
	const cairn_space *s = p->spaces[at];
	EXPECT(s);
	cairn_query q = cairn_default_query();
	if (flag(p))
		q.group = byte(p), q.mask = byte(p), q.except = PICK(p, p->bodies);
	const cairn_query *query = flag(p) ? &q : NULL;
	cairn_ray rays[3] = {{vector(p), vector(p)}, {vector(p), vector(p)}, {vector(p), vector(p)}};
	cairn_cast cast = {PICK(p, p->shapes), pose(p), vector(p)};
	cairn_hit hit, hits[3];
	cairn_body bodies[4];
	bool met = cairn_space_ray(s, rays[0], query, &hit);
	EXPECT((cairn_space_ray_all(s, rays[0], query, hits, below(p, 4)) > 0) == met);
	EXPECT(cairn_space_rays(s, rays, 3, query, hits) <= 3 && (hits[0].body.generation > 0) == met);
	if (met)
		check_hit(&hit);
	met = cairn_space_cast(s, &cast, query, &hit);
	EXPECT((cairn_space_cast_all(s, &cast, query, hits, below(p, 4)) > 0) == met);
	if (met)
		check_hit(&hit);
	(void)cairn_space_overlap(s, &cast, query, bodies, below(p, 5));
	(void)cairn_space_box(s, (cairn_box){vector(p), vector(p)}, query, bodies, below(p, 5));
}

static void take_snapshot(play *p, const cairn_world *w)
{
	cairn_error e = {0};
	free(p->snapshot);
	p->snapshot_size = cairn_world_snapshot_size(w);
	p->snapshot = malloc(p->snapshot_size ? p->snapshot_size : 1);
	if (p->snapshot && flag(p) && p->snapshot_size > 0) /* too little room */
		EXPECT(!cairn_world_snapshot(w, p->snapshot, p->snapshot_size - 1, &e) && e.message[0]);
	EXPECT(p->snapshot && cairn_world_snapshot(w, p->snapshot, p->snapshot_size, &e));
}

/* Whole, damaged or cut; into the world it is of, or another. */
static void restore(play *p, cairn_world *w)
{
	cairn_error e = {0};
	if (!p->snapshot || p->snapshot_size == 0)
		return;
	uint8_t *bytes = malloc(p->snapshot_size);
	if (!bytes)
		return;
	memcpy(bytes, p->snapshot, p->snapshot_size);
	size_t size = p->snapshot_size;
	uint32_t harm = below(p, 4), count = below(p, 6);
	for (uint32_t i = 0; harm == 1 && i < count; ++i) {
		size_t at = ((size_t)byte(p) << 8 | byte(p)) % size;
		bytes[at] = (uint8_t)byte(p);
	}
	if (harm == 2)
		size -= byte(p) % size;
	uint64_t before = cairn_world_hash(w);
	bool ok = cairn_world_restore(w, bytes, size, &e);
	keep(p, ok, &e);
	EXPECT(ok || cairn_world_hash(w) == before);
	free(bytes);
}

static void replay(play *p, cairn_world *w, const cairn_world *of)
{
	cairn_error e = {0};
	size_t size = 0;
	const uint8_t *inputs = cairn_world_step_inputs(of, &size);
	uint8_t *bytes = malloc(size + 1);
	if (!bytes)
		return;
	if (size)
		memcpy(bytes, inputs, size);
	if (size && flag(p))
		bytes[byte(p) % size] ^= (uint8_t)byte(p);
	if (size && flag(p))
		size -= byte(p) % size;
	keep(p, cairn_world_replay(w, bytes, size, &e), &e);
	free(bytes);
}

static void record(play *p, cairn_world *w)
{
	static const char path[] = "fuzz_interface.cairn";
	cairn_error e = {0};
	cairn_recording_def d = cairn_default_recording_def();
	if (!p->recording) {
		d.replace = true, d.checkpoint_every = below(p, 4);
		p->recording = cairn_recording_create(path, w, &d, &e), p->recorded = w;
		keep(p, p->recording != NULL, &e);
		return;
	}
	if (flag(p))
		keep(p, cairn_recording_finish(p->recording, &e), &e);
	else
		cairn_recording_close(p->recording);
	p->recording = cairn_recording_open(path, NULL, &e);
	keep(p, p->recording != NULL, &e);
	if (!p->recording)
		return;
	cairn_certify_def c = cairn_default_certify_def();
	cairn_certify_result result;
	c.threads = 1, c.from = below(p, 5), c.to = flag(p) ? UINT32_MAX : below(p, 5);
	keep(p, cairn_recording_certify(p->recording, &c, &result, &e), &e);
	cairn_frame frame;
	keep(p, cairn_recording_read(p->recording, byte(p), &frame, &e), &e);
	cairn_world_def wd = cairn_default_world_def();
	wd.threads = 1;
	cairn_world *again = cairn_recording_world_at(p->recording, below(p, 4), &wd, &e);
	keep(p, again != NULL, &e);
	cairn_world_destroy(again);
	static const char *const targets[] = {"fuzz_interface.csv", "fuzz_interface.glb", "fuzz_interface.usda", "no.xyz"};
	keep(p, cairn_export(p->recording, targets[below(p, 4)], NULL, &e), &e);
	cairn_recording_close(p->recording);
	p->recording = NULL;
}

/* ---- the play */

static void drop_recording(play *p)
{
	cairn_recording_close(p->recording);
	p->recording = NULL;
}

static void make_world(play *p, uint32_t at)
{
	cairn_error e = {0};
	cairn_world_def d = cairn_default_world_def();
	d.threads = 1 + below(p, 3);
	if (p->recorded == p->worlds[at])
		drop_recording(p);
	cairn_space_destroy(p->spaces[at]);
	cairn_watch_destroy(p->watches[at]);
	p->spaces[at] = NULL, p->watches[at] = NULL;
	cairn_world_destroy(p->worlds[at]);
	p->worlds[at] = cairn_world_create(p->scenes[flag(p)], &d, &e);
	keep(p, p->worlds[at] != NULL, &e);
}

static uint64_t calls; /* drawn so far; each is one call of the header or a handful that belong together */

static void tell_calls(void) { printf("%llu calls\n", (unsigned long long)calls); }

static void call(play *p)
{
	if (calls++ == 0)
		(void)atexit(tell_calls);
	uint32_t at = below(p, WORLDS), what = below(p, 16);
	cairn_world *w = p->worlds[at];
	if (what < 5 && !w)
		add_to_scene(p, p->scenes[at]);
	else if (what == 5 && !w)
		look_at_scene(p, p->scenes[at]);
	else if (what == 6 || !w)
		make_world(p, at);
	else if (what < 5)
		step(p, w);
	else if (what < 10)
		give_input(p, w);
	else if (what == 10 && flag(p))
		ask_space(p, at), look_at_watch(p, at);
	else if (what == 10)
		look_at_world(p, w);
	else if (what == 11)
		take_snapshot(p, w);
	else if (what == 12)
		restore(p, w);
	else if (what == 13)
		replay(p, w, p->worlds[1 - at] ? p->worlds[1 - at] : w);
	else if (what == 14 && !NO_FILES)
		record(p, w);
	else
		look_at_scene(p, cairn_world_scene(w));
}

/* A floor, a few bodies and a joint, so that calls meet something. */
static void begin(play *p, cairn_scene *s)
{
	cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX), floor = cairn_default_shape_def(CAIRN_HALFSPACE);
	box.size = (cairn_vec3){1, 1, 1};
	for (uint32_t i = 0; i < HANDLES; ++i) {
		cairn_material_def m = cairn_default_material_def();
		p->shapes[i] = cairn_scene_add_shape(s, i == 0 ? &floor : &box, NULL);
		p->materials[i] = cairn_scene_add_material(s, &m, NULL);
	}
	for (uint32_t i = 0; i < HANDLES; ++i) {
		cairn_body_def d = cairn_default_body_def();
		d.shape = p->shapes[i], d.type = i == 0 ? CAIRN_FIXED : i == 1 ? CAIRN_SCRIPTED : CAIRN_DYNAMIC;
		d.pose.position = (cairn_vec3){2.0 * (i % 4), 2.0 * (i / 4), i == 0 ? 0 : 0.6};
		if (i < 8)
			p->bodies[i] = cairn_scene_add_body(s, &d, NULL);
	}
	cairn_joint_def d = cairn_default_joint_def();
	d.type = CAIRN_HINGE, d.a = p->bodies[4], d.b = p->bodies[5], d.point = (cairn_vec3){1, 2, 0.6};
	p->joints[0] = cairn_scene_add_joint(s, &d, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static play p;
	p = (play){.in = {data, size, 0}};
	for (int i = 0; i < WORLDS; ++i) {
		p.scenes[i] = cairn_scene_create(NULL);
		EXPECT(p.scenes[i]);
		begin(&p, p.scenes[i]);
	}
	for (int i = 0; i < CALLS && p.in.at < p.in.size; ++i)
		call(&p);
	drop_recording(&p);
	for (int i = 0; i < WORLDS; ++i) {
		cairn_space_destroy(p.spaces[i]);
		cairn_watch_destroy(p.watches[i]);
		cairn_world_destroy(p.worlds[i]);
		cairn_scene_destroy(p.scenes[i]);
	}
	free(p.snapshot);
	return 0;
}
