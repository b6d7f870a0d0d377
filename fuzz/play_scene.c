/* Calls on scenes, on what the library knows without one, and on text that may be a scene or a trajectory. */
#include "play.h"

#include <math.h>
#include <string.h>

/* ---- what there is to choose from */

static uint32_t option_count(void)
{
	uint32_t count = 0;
	while (cairn_option_at(count))
		++count;
	return count;
}

/* One of the names of options, or one that is none. */
static const char *option_name(play *p)
{
	const cairn_option_info *o = CALL(cairn_option_at)(below(p, option_count() + 1));
	return o ? o->name : "none";
}

void ask_registry(play *p)
{
	char text[64];
	size_t room = 1 + below(p, sizeof text);
	uint32_t what = below(p, 8), which = below(p, 12);
	memset(text, 'x', sizeof text);
	if (what == 0) {
		EXPECT(CALL(cairn_version)()[0] && CALL(cairn_option_names)()[0] && CALL(cairn_material_preset_names)()[0]);
		return;
	}
	if (what == 1) {
		const cairn_method_info *m = CALL(cairn_method_at)(which);
		const cairn_shape_kind_info *k = CALL(cairn_shape_kind_at)(which);
		cairn_body_info shown = {.type = (cairn_body_type)(which % 3), .color = {0.7, 0.7, 0.7}};
		EXPECT((!m || m->name[0]) && (!k || k->name[0]) && CALL(cairn_shown_color)(&shown).r >= 0);
		return;
	}
	if (what == 2) {
		static const char *const names[] = {"wood", "rubber", "steel", "ice", "", "none"};
		cairn_material_def d;
		EXPECT(CALL(cairn_material_preset)(names[which % 6], &d) == (which % 6 < 4));
		return;
	}
	if (what == 3) {
		static const char *const paths[] = {"a.glb", "a.usda", "a.csv", "a.traj", "a", "", ".glb/x", "a.GLB"};
		const cairn_export_format *f = CALL(cairn_export_format_at)(which);
		EXPECT((!f || f->ending[0]) && (CALL(cairn_export_format_of)(paths[which % 8]) || which % 8 > 3));
		return;
	}
	if (what == 4)
		CALL(cairn_export_endings)(text, room);
	else if (what == 5)
		(void)CALL(cairn_option_values)(option_name(p), text, room);
	else if (what == 6)
		(void)CALL(cairn_scene_option)(p->scenes[flag(p)], option_name(p), text, room);
	else {
		cairn_error e = {.code = CAIRN_INVALID, .line = (int)which, .file = "f", .path = "p", .message = "m"};
		CALL(cairn_error_print)(&e, text, room);
	}
	(void)CALL(cairn_option_is_setting)(option_name(p));
	EXPECT(what == 5 || what == 6 || memchr(text, 0, room)); /* those two may know nothing of the key */
}

/* ---- adding to a scene */

static void add_body(play *p, cairn_scene *s, uint32_t at)
{
	cairn_error e = {0};
	cairn_body_def d = body_def(p);
	p->bodies[at] = CALL(cairn_scene_add_body)(s, &d, &e);
	says_why(p->bodies[at].generation != 0, &e);
}

static void add_shape(play *p, cairn_scene *s, uint32_t at)
{
	cairn_error e = {0};
	cairn_shape_def d = shape_def(p);
	p->shapes[at] = CALL(cairn_scene_add_shape)(s, &d, &e);
	says_why(p->shapes[at].generation != 0, &e);
}

static void add_material(play *p, cairn_scene *s, uint32_t at)
{
	cairn_error e = {0};
	cairn_material_def d = material_def(p);
	p->materials[at] = CALL(cairn_scene_add_material)(s, &d, &e);
	says_why(p->materials[at].generation != 0, &e);
}

static void add_joint(play *p, cairn_scene *s, uint32_t at)
{
	cairn_error e = {0};
	cairn_joint_def d = joint_def(p);
	p->joints[at] = CALL(cairn_scene_add_joint)(s, &d, &e);
	says_why(p->joints[at].generation != 0, &e);
}

static bool add_emitter(play *p, cairn_scene *s, cairn_error *e)
{
	cairn_body_def bodies[2] = {body_def(p), body_def(p)};
	cairn_emitter_def d = CALL(cairn_default_emitter_def)();
	d.name = p->sound || flag(p) ? "e" : "";
	d.bodies = bodies, d.body_count = below(p, 3), d.start = below(p, 4), d.every = below(p, 4);
	d.batches = below(p, 6), d.choices = p->sound ? 1 : below(p, 3), d.jitter.position = vector(p),
	d.jitter.velocity = vector(p);
	return CALL(cairn_scene_add_emitter)(s, &d, e);
}

static bool set_settings(play *p, cairn_scene *s, cairn_error *e)
{
	static const char *const methods[] = {"oba", "oba", "oba", "free", "none", ""};
	cairn_settings d = flag(p) ? CALL(cairn_scene_settings)(s) : CALL(cairn_default_settings)();
	d.gravity = vector(p), d.fps = flag(p) ? number(p) : 30;
	if (flag(p))
		d.method = methods[below(p, 6)], d.frames = byte(p), d.seed = byte(p);
	return CALL(cairn_scene_set_settings)(s, &d, e);
}

static bool set_pair(play *p, cairn_scene *s, cairn_error *e)
{
	cairn_pair_def d = {.a = PICK(p, p->materials), .b = PICK(p, p->materials)};
	d.restitution = number(p), d.static_friction = number(p), d.kinetic_friction = number(p), d.rolling = number(p);
	if (flag(p))
		d.restitution = 0.3, d.static_friction = d.kinetic_friction = 0.7, d.rolling = 0.01;
	return CALL(cairn_scene_set_pair)(s, &d, e);
}

static bool set_view(play *p, cairn_scene *s, cairn_error *e)
{
	cairn_view v = CALL(cairn_scene_view)(s);
	v.has_camera = flag(p), v.has_light = flag(p), v.camera_fov = number(p);
	v.camera_position = vector(p), v.camera_target = vector(p), v.light_direction = vector(p);
	return CALL(cairn_scene_set_view)(s, &v, e);
}

void add_to_scene(play *p, cairn_scene *s)
{
	static const char *const values[] = {"0", "1", "true", "false", "", "nan", "1e9", "-1", "x"};
	cairn_error e = {0};
	bool ok = true;
	uint32_t at = below(p, HANDLES), what = below(p, 16);
	if (what < 4 && cairn_scene_body_count(s) < p->most) {
		add_body(p, s, at);
	} else if (what < 6) {
		add_shape(p, s, at);
	} else if (what == 6) {
		add_material(p, s, at);
	} else if (what == 7) {
		add_joint(p, s, at);
	} else if (what == 8) {
		cairn_event_def d = event_def(p);
		ok = CALL(cairn_scene_add_event)(s, &d, &e);
	} else if (what == 9) {
		cairn_field_def d = field_def(p);
		ok = CALL(cairn_scene_add_field)(s, &d, &e);
	} else if (what == 10) {
		ok = add_emitter(p, s, &e);
	} else if (what == 11) {
		ok = set_settings(p, s, &e);
	} else if (what == 12) {
		ok = set_pair(p, s, &e);
	} else if (what == 13) {
		ok = set_view(p, s, &e);
	} else if (what == 14) {
		ok = CALL(cairn_scene_add_cold_volume)(s, (cairn_box){vector(p), vector(p)}, &e);
	} else {
		ok = CALL(cairn_scene_set_option)(s, option_name(p), values[below(p, 9)], &e);
	}
	says_why(ok, &e);
}

/* ---- looking at a scene */

/* Everything in it that was described comes back. */
static void look_at_parts(play *p, const cairn_scene *s)
{
	uint32_t at = byte(p), count;
	if ((count = CALL(cairn_scene_body_count)(s)))
		EXPECT(CALL(cairn_scene_body_at)(s, at % count).name);
	if ((count = CALL(cairn_scene_joint_count)(s))) {
		cairn_rod rods[2];
		EXPECT(CALL(cairn_scene_joint_at)(s, at % count).name && CALL(cairn_scene_rods)(s, at % count, rods) <= 2);
		EXPECT(CALL(cairn_scene_rod_radius)(s, at % count) >= 0);
	}
	if ((count = CALL(cairn_scene_emitter_count)(s)))
		EXPECT(CALL(cairn_scene_emitter_at)(s, at % count).name[0]);
	if ((count = CALL(cairn_scene_event_count)(s))) {
		cairn_event_def d = CALL(cairn_scene_event_at)(s, at % count);
		EXPECT(isfinite(d.kind == CAIRN_BLAST ? d.speed : d.impulse.x));
	}
	if ((count = CALL(cairn_scene_field_count)(s))) {
		cairn_field_def d = CALL(cairn_scene_field_at)(s, at % count);
		EXPECT(d.kind != CAIRN_ATTRACTOR || isfinite(d.strength));
	}
	if ((count = CALL(cairn_scene_cold_volume_count)(s)))
		EXPECT(!isnan(CALL(cairn_scene_cold_volume_at)(s, at % count).min.x));
	if ((count = CALL(cairn_scene_material_count)(s)))
		EXPECT(isfinite(CALL(cairn_scene_material_at)(s, at % count).density));
	if ((count = CALL(cairn_scene_shape_count)(s)))
		EXPECT(CALL(cairn_scene_shape_at)(s, at % count).name);
}

/* Goals of any kind and size; the poses that meet them may be taken for a start. */
static void ask_goals(play *p, cairn_scene *s)
{
	enum { MOST = 64 };
	cairn_pose poses[MOST];
	cairn_goal_miss misses[4];
	cairn_assembly found;
	cairn_error e = {0};
	cairn_goal_def d = CALL(cairn_default_goal_def)((cairn_goal_kind)below(p, 6));
	uint32_t bodies = cairn_scene_body_count(s);
	if (!bodies || bodies > MOST)
		return;
	d.a = (cairn_body){below(p, bodies), 1}, d.b = (cairn_body){below(p, bodies), 1};
	d.point = vector(p), d.target = vector(p), d.weight = flag(p) ? 1 : number(p), d.gap = flag(p) ? 0 : number(p);
	says_why(CALL(cairn_scene_add_goal)(s, &d, &e), &e);
	uint32_t goals = CALL(cairn_scene_goal_count)(s);
	if (goals == 0 || goals > 4)
		return;
	(void)CALL(cairn_scene_goal_at)(s, goals - 1);
	bool ok = CALL(cairn_scene_assemble)(s, poses, misses, &found, &e);
	says_why(ok, &e);
	if (ok)
		says_why(CALL(cairn_scene_place)(s, poses, &e), &e);
}

static void ask_plan(play *p, cairn_scene *s)
{
	cairn_error e = {0};
	cairn_plan_def d = CALL(cairn_default_plan_def)();
	uint32_t bodies = cairn_scene_body_count(s);
	cairn_plan_key key = {.time = size_of(p), .target = vector(p)};
	if (!bodies)
		return;
	d.figure = key.body = (cairn_body){below(p, bodies), 1};
	d.samples = 3 + below(p, 6), d.thrust = flag(p), d.free_end = flag(p), d.keys = &key, d.key_count = flag(p);
	says_why(CALL(cairn_scene_add_plan)(s, &d, &e), &e);
	uint32_t plans = CALL(cairn_scene_plan_count)(s);
	if (!plans)
		return;
	(void)CALL(cairn_scene_plan_at)(s, plans - 1);
	cairn_clip *clip = CALL(cairn_scene_plan)(s, plans - 1, NULL, &e);
	says_why(clip != NULL, &e);
	CALL(cairn_clip_destroy)(s, clip);
}

static void copy_scene(const cairn_scene *s)
{
	cairn_scene *copy = CALL(cairn_scene_copy)(s);
	EXPECT(copy && cairn_scene_body_count(copy) == cairn_scene_body_count(s));
	CALL(cairn_scene_destroy)(copy);
}

/* A box as a mesh, drawn out of shape now and then, taken apart and shown by a body. */
static void decompose(play *p, cairn_scene *s)
{
	static const uint32_t sides[] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
	                                 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
	cairn_vec3 points[8];
	cairn_error e = {0};
	cairn_standoff off;
	for (uint32_t i = 0; i < 8; ++i)
		points[i] = (cairn_vec3){i & 1 ? 1 : 0, i & 2 ? 1 : 0, i & 4 ? 1 : 0};
	if (flag(p))
		points[below(p, 8)] = vector(p);
	cairn_shape_def mesh = CALL(cairn_default_shape_def)(CAIRN_MESH);
	mesh.points = points, mesh.point_count = 8, mesh.triangles = sides, mesh.triangle_count = 12;
	cairn_decompose_def d = CALL(cairn_default_decompose_def)();
	d.parts = below(p, 8);
	cairn_body_def body = cairn_default_body_def();
	body.shape = CALL(cairn_scene_decompose)(s, &mesh, flag(p) ? &d : NULL, &e);
	says_why(body.shape.generation > 0, &e);
	if (!body.shape.generation || !CALL(cairn_scene_add_body)(s, &body, &e).generation)
		return;
	bool ok = CALL(cairn_scene_standoff)(s, cairn_scene_body_count(s) - 1, &off, &e);
	says_why(ok, &e);
	EXPECT(!ok || off.shape_beyond >= 0);
	EXPECT(!CALL(cairn_scene_standoff)(s, cairn_scene_body_count(s), &off, &e));
}

/* On a copy, so that the scene stays what others made of it. */
static void ask_of_copy(play *p, const cairn_scene *s)
{
	cairn_scene *copy = CALL(cairn_scene_copy)(s);
	EXPECT(copy);
	ask_goals(p, copy);
	ask_plan(p, copy);
	decompose(p, copy);
	CALL(cairn_scene_destroy)(copy);
}

void look_at_scene(play *p, const cairn_scene *s)
{
	/* a handle that names nothing is misuse here, which is asserted; a scene may have none of either */
	uint32_t shapes = cairn_scene_shape_count(s), materials = cairn_scene_material_count(s), what = below(p, 8);
	cairn_error e = {0};
	if (what < 3) {
		look_at_parts(p, s);
	} else if (what == 3 && shapes) {
		cairn_shape shape = {below(p, shapes), 1};
		cairn_surface surface;
		double tolerance = size_of(p), halfspace = size_of(p);
		cairn_allocator a = CALL(cairn_default_allocator)();
		(void)CALL(cairn_scene_shape_facts)(s, shape);
		if (tolerance > 0.01 && tolerance < 10 &&
		    CALL(cairn_scene_surface)(s, shape, tolerance, halfspace, &a, &surface, &e))
			CALL(cairn_surface_free)(&surface, &a);
	} else if (what == 4 && materials) {
		cairn_material a = {below(p, materials), 1}, none = {0, 0};
		(void)CALL(cairn_scene_pair)(s, a, none);
	} else if (what == 5) {
		copy_scene(s);
		ask_of_copy(p, s);
	} else {
		(void)CALL(cairn_scene_find_body)(s, "b"), (void)CALL(cairn_scene_find_shape)(s, "");
		(void)CALL(cairn_scene_find_material)(s, "m");
		cairn_view view = CALL(cairn_scene_view)(s);
		(void)CALL(cairn_scene_settings)(s), (void)CALL(cairn_view_at)(&view, size_of(p), vector(p));
	}
}

/* ---- text */

static const char scene_text[] =
	"{\"version\": 1, \"world\": {\"fps\": 30, \"frames\": 2}, \"bodies\": [{\"name\": \"floor\", \"type\": \"fixed\","
	" \"shape\": {\"halfspace\": {\"normal\": [0, 0, 1]}}}, {\"name\": \"b\", \"shape\": {\"box\": [1, 1, 1]},"
	" \"position\": [0, 0, 0.6], \"material\": \"wood\"}],"
	" \"joints\": [{\"type\": \"ball\", \"bodies\": [\"b\", \"world\"], \"point\": [0, 0, 1]}]}";
static const char trajectory_text[] = "trajectory 1\nshape sphere 0.5\nshape box 1 1 1\nbody fixed 1 name f\n"
									  "body dynamic 0 name b\nframe 0 0\nkey 0 0 0 0 1 0 0 0\nkey 1 0 0 2 1 0 0 0\n"
									  "frame 1 0.03\nkey 1 0 0 1.9 1 0 0 0\nend\n";

/* No other file is there. */
static bool read_none(void *context, const char *path, const cairn_allocator *allocator, void **bytes, size_t *size,
                      cairn_error *error)
{
	(void)context, (void)path, (void)allocator, (void)bytes, (void)size;
	*error = (cairn_error){.code = CAIRN_FILE, .message = "there is no such file"};
	return false;
}

static const char asset_text[] = "mtllib a.mtl\no box\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl red\n"
								 "f 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n";

static void read_asset(const char *text, size_t size)
{
	cairn_error e = {0};
	cairn_files files = CALL(cairn_default_files)();
	cairn_scene_def d = CALL(cairn_default_scene_def)();
	files.read = read_none, files.resolve = NULL;
	cairn_asset *asset = CALL(cairn_asset_read)(text, size, "a.obj", &files, &d, &e);
	says_why(asset != NULL, &e);
	for (uint32_t i = asset ? CALL(cairn_asset_mesh_count)(asset) : 0; i-- > 0;)
		(void)CALL(cairn_asset_mesh_at)(asset, i);
	for (uint32_t i = asset ? CALL(cairn_asset_node_count)(asset) : 0; i-- > 0;)
		(void)CALL(cairn_asset_node_at)(asset, i);
	for (uint32_t i = asset ? CALL(cairn_asset_note_count)(asset) : 0; i-- > 0;)
		EXPECT(CALL(cairn_asset_note_at)(asset, i).what);
	CALL(cairn_asset_destroy)(asset);
}

static void read_scene(play *p, const char *text, size_t size)
{
	static const char *const set[] = {"fps=60", NULL};
	cairn_error e = {0};
	cairn_files files = CALL(cairn_default_files)();
	cairn_scene_def d = CALL(cairn_default_scene_def)();
	files.read = read_none, files.resolve = NULL;
	d.set = flag(p) ? set : NULL, d.trust = flag(p);
	cairn_scene *s = CALL(cairn_scene_read_text)(text, size, "x.json", &files, &d, &e);
	says_why(s != NULL, &e);
	if (s)
		copy_scene(s);
	CALL(cairn_scene_destroy)(s);
	if (!NO_FILES && flag(p)) {
		says_why(CALL(cairn_scene_read)("none.json", &e) != NULL, &e);
		says_why(CALL(cairn_scene_read_file)("fuzz.seed", &files, &d, &e) != NULL, &e);
	}
}

static void read_trajectory(play *p, const char *text, size_t size)
{
	cairn_error e = {0};
	cairn_trajectory *t = CALL(cairn_trajectory_read_text)(text, size, "x.traj", NULL, &e);
	says_why(t != NULL, &e);
	if (!t)
		return;
	cairn_trajectory_info info = CALL(cairn_trajectory_get_info)(t);
	cairn_certify_def d = CALL(cairn_default_certify_def)();
	cairn_certify_result result;
	d.threads = 1, d.to = flag(p) ? info.last_frame : byte(p);
	says_why(CALL(cairn_trajectory_certify)(t, &d, &result, &e), &e);
	if (info.bodies)
		EXPECT(CALL(cairn_trajectory_body_name)(t, byte(p) % info.bodies));
	CALL(cairn_trajectory_free)(t);
}

/* Text with some of its bytes changed, and maybe cut off; in memory of just that size, so that a byte too far is seen. */
void read_text(play *p)
{
	static const char *const texts[] = {trajectory_text, scene_text, asset_text};
	static const size_t sizes[] = {sizeof trajectory_text - 1, sizeof scene_text - 1, sizeof asset_text - 1};
	uint32_t which = below(p, 3), changes = below(p, 4);
	size_t size = sizes[which];
	if (flag(p))
		size -= byte(p) % size;
	char *text = malloc(size);
	EXPECT(text);
	memcpy(text, texts[which], size);
	for (uint32_t i = 0; i < changes; ++i) {
		size_t at = ((size_t)byte(p) << 8 | byte(p)) % size;
		text[at] = (char)byte(p);
	}
	if (which == 1)
		read_scene(p, text, size);
	else if (which == 2)
		read_asset(text, size);
	else
		read_trajectory(p, text, size);
	free(text);
}
