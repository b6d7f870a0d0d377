/* Scenes and their parts as bytes. Reading trusts nothing: counts are held against the bytes that are left, and
 * everything goes through the public calls, which check it again. */
#include "base/hash.h"
#include "scene/scene.h"

/* 1: ball joints alone. 2: what a scene without goals, plans and drives is written as. 3: it has some. 4: it has visuals,
 * colours of materials or roughnesses, or a camera that moves. 5: emitters choose shapes. 6: goals push in runs. */
enum { PLAIN_VERSION = 2, ASKED_VERSION = 3, LOOKS_VERSION = 4, CHOICE_VERSION = 5, SCENE_VERSION = 6 };

/* ---- values */

static const char *get_name(cn_reader *r, cn_arena *s)
{
	uint32_t size = cn_get_count(r, 1);
	const uint8_t *bytes = cn_get_bytes(r, size);
	char *text = r->failed ? NULL : cn_arena_take(s, (size_t)size + 1, 1);
	if (!text) {
		r->failed = true;
		return "";
	}
	if (size)
		memcpy(text, bytes, size);
	if (memchr(text, 0, size))
		r->failed = true;
	return text;
}

static void *get_array(cn_reader *r, cn_arena *s, uint32_t count, size_t size)
{
	void *array = r->failed || !count ? NULL : cn_arena_take(s, count, size);
	if (count && !array)
		r->failed = true;
	return array;
}

static void put_bool(cn_writer *w, bool x) { cn_put_u8(w, x ? 1 : 0); }

static void put_pose(cn_writer *w, pose p)
{
	cn_put_v3(w, p.position);
	cn_put_quat(w, p.orientation);
}

static pose get_pose(cn_reader *r)
{
	pose p;
	p.position = cn_get_v3(r);
	p.orientation = cn_get_quat(r);
	return p;
}

static cairn_material get_material(cn_reader *r)
{
	cairn_body b = cn_get_handle(r);
	return (cairn_material){b.index, b.generation};
}

static cairn_shape get_shape(cn_reader *r)
{
	cairn_body b = cn_get_handle(r);
	return (cairn_shape){b.index, b.generation};
}

static void put_color(cn_writer *w, cairn_color c) { cn_put_v3(w, (v3){c.r, c.g, c.b}); }

static cairn_color get_color(cn_reader *r)
{
	v3 v = cn_get_v3(r);
	return (cairn_color){v.x, v.y, v.z};
}

static void put_box(cn_writer *w, cairn_box b)
{
	cn_put_v3(w, b.min);
	cn_put_v3(w, b.max);
}

static cairn_box get_box(cn_reader *r)
{
	cairn_box b;
	b.min = cn_get_v3(r);
	b.max = cn_get_v3(r);
	return b;
}

/* ---- single defs */

enum { SHAPE_FIELD = 2, SHAPE_VISUAL = 3, SHAPE_SKIN = 4 }; /* in place of a shell's 1 */
enum { VISUAL_COLORS = 1, VISUAL_UVS = 2 };

void cn_put_shape_def(cn_writer *w, const cairn_shape_def *d)
{
	cn_put_u8(w, (uint8_t)d->kind);
	cn_put_text(w, d->name);
	cn_put_f64(w, d->radius);
	cn_put_f64(w, d->length);
	cn_put_v3(w, d->size);
	cn_put_v3(w, d->normal);
	cn_put_f64(w, d->offset);
	bool skin = d->shell && !d->visual && !d->columns && (d->thickness > 0 || d->gap > 0); /* others are refused */
	cn_put_u8(w, d->visual ? SHAPE_VISUAL : skin ? SHAPE_SKIN : d->columns ? SHAPE_FIELD : d->shell);
	if (skin)
		cn_put_f64(w, d->thickness), cn_put_f64(w, d->gap);
	if (d->visual)
		cn_put_u8(w, (uint8_t)((d->colors ? VISUAL_COLORS : 0) | (d->uvs ? VISUAL_UVS : 0)));
	if (d->columns)
		cn_put_u32(w, d->columns), cn_put_u32(w, d->rows);
	cn_put_u32(w, d->point_count);
	for (uint32_t i = 0; i < d->point_count; ++i)
		cn_put_v3(w, d->points[i]);
	for (uint32_t i = 0; d->visual && d->colors && i < d->point_count; ++i)
		put_color(w, d->colors[i]);
	for (size_t i = 0; d->visual && d->uvs && i < 2 * (size_t)d->point_count; ++i)
		cn_put_f64(w, (double)d->uvs[i]);
	cn_put_u32(w, d->triangle_count);
	for (size_t i = 0; i < (size_t)d->triangle_count * 3; ++i)
		cn_put_u32(w, d->triangles[i]);
	cn_put_u32(w, d->part_count);
	for (uint32_t i = 0; i < d->part_count; ++i) {
		cn_put_handle(w, d->parts[i].shape.index, d->parts[i].shape.generation);
		put_pose(w, d->parts[i].pose);
	}
}

static void get_paint(cn_reader *r, cn_arena *s, uint8_t has, cairn_shape_def *d)
{
	if (has & VISUAL_COLORS) {
		cairn_color *colors = get_array(r, s, d->point_count, sizeof *colors);
		for (uint32_t i = 0; !r->failed && i < d->point_count; ++i)
			colors[i] = get_color(r);
		d->colors = colors;
	}
	if (has & VISUAL_UVS) {
		float *uvs = get_array(r, s, d->point_count, 2 * sizeof *uvs);
		for (size_t i = 0; !r->failed && i < 2 * (size_t)d->point_count; ++i)
			uvs[i] = (float)cn_get_f64(r);
		d->uvs = uvs;
	}
}

bool cn_get_shape_def(cn_reader *r, cn_arena *s, cairn_shape_def *d)
{
	*d = (cairn_shape_def){0};
	d->kind = (cairn_shape_kind)cn_get_u8(r);
	d->name = get_name(r, s);
	d->radius = cn_get_f64(r);
	d->length = cn_get_f64(r);
	d->size = cn_get_v3(r);
	d->normal = cn_get_v3(r);
	d->offset = cn_get_f64(r);
	uint8_t shell = cn_get_u8(r);
	d->visual = shell == SHAPE_VISUAL;
	d->shell = shell > 0 && !d->visual;
	uint8_t has = d->visual ? cn_get_u8(r) : 0;
	if (shell == SHAPE_SKIN)
		d->thickness = cn_get_f64(r), d->gap = cn_get_f64(r);
	if (shell == SHAPE_FIELD)
		d->columns = cn_get_u32(r), d->rows = cn_get_u32(r);
	r->failed = r->failed || shell > SHAPE_SKIN || has > (VISUAL_COLORS | VISUAL_UVS) ||
	            d->kind == CAIRN_HEIGHTFIELD; /* bytes hold the mesh that it became */
	d->point_count = cn_get_count(r, 24);
	cairn_vec3 *points = get_array(r, s, d->point_count, sizeof *points);
	for (uint32_t i = 0; !r->failed && i < d->point_count; ++i)
		points[i] = cn_get_v3(r);
	get_paint(r, s, has, d);
	d->triangle_count = cn_get_count(r, 12);
	uint32_t *triangles = get_array(r, s, d->triangle_count, 3 * sizeof *triangles);
	for (size_t i = 0; !r->failed && i < (size_t)d->triangle_count * 3; ++i)
		triangles[i] = cn_get_u32(r);
	d->part_count = cn_get_count(r, 64);
	cairn_part *parts = get_array(r, s, d->part_count, sizeof *parts);
	for (uint32_t i = 0; !r->failed && i < d->part_count; ++i) {
		parts[i].shape = get_shape(r);
		parts[i].pose = get_pose(r);
	}
	d->points = points, d->triangles = triangles, d->parts = parts;
	return !r->failed;
}

void cn_put_material_def(cn_writer *w, const cairn_material_def *d)
{
	cn_put_text(w, d->name);
	bool look = d->has_color || d->has_roughness;
	cn_put_f64(w, look ? -d->density : d->density);
	cn_put_f64(w, d->restitution);
	cn_put_f64(w, d->static_friction);
	cn_put_f64(w, d->kinetic_friction);
	cn_put_f64(w, d->rolling);
	if (look) {
		put_bool(w, d->has_color);
		put_color(w, d->color);
		put_bool(w, d->has_roughness);
		cn_put_f64(w, d->roughness);
	}
}

bool cn_get_material_def(cn_reader *r, cn_arena *s, cairn_material_def *d)
{
	*d = cairn_default_material_def();
	d->name = get_name(r, s);
	double density = cn_get_f64(r); /* below 0: how it looks follows */
	d->density = fabs(density);
	d->restitution = cn_get_f64(r);
	d->static_friction = cn_get_f64(r);
	d->kinetic_friction = cn_get_f64(r);
	d->rolling = cn_get_f64(r);
	if (density < 0) {
		d->has_color = cn_get_bool(r);
		d->color = get_color(r);
		d->has_roughness = cn_get_bool(r);
		d->roughness = cn_get_f64(r);
	}
	return !r->failed;
}

void cn_put_script(cn_writer *w, const cairn_script_key *keys, uint32_t count)
{
	cn_put_u32(w, count);
	for (uint32_t i = 0; i < count; ++i) {
		cn_put_f64(w, keys[i].time);
		put_pose(w, keys[i].pose);
	}
}

bool cn_get_script(cn_reader *r, cn_arena *s, const cairn_script_key **keys, uint32_t *count)
{
	*count = cn_get_count(r, 64);
	cairn_script_key *array = get_array(r, s, *count, sizeof *array);
	for (uint32_t i = 0; !r->failed && i < *count; ++i) {
		array[i].time = cn_get_f64(r);
		array[i].pose = get_pose(r);
	}
	*keys = array;
	return !r->failed;
}

enum { BODY_COLOR = 1, BODY_ROUGHNESS = 2, BODY_VISUAL = 4 }; /* which it has */

void cn_put_body_def(cn_writer *w, const cairn_body_def *d)
{
	cn_put_text(w, d->name);
	cn_put_u8(w, (uint8_t)d->type);
	cn_put_handle(w, d->shape.index, d->shape.generation);
	cn_put_handle(w, d->material.index, d->material.generation);
	put_pose(w, d->pose);
	cn_put_v3(w, d->velocity);
	cn_put_v3(w, d->spin);
	cn_put_f64(w, d->mass);
	cn_put_f64(w, d->density);
	put_bool(w, d->has_inertia);
	cn_put_v3(w, d->center);
	for (int i = 0; i < 9; ++i)
		cn_put_f64(w, d->inertia[i]);
	cn_put_f64(w, d->linear_damping);
	cn_put_f64(w, d->angular_damping);
	cn_put_u32(w, d->group);
	cn_put_u32(w, d->mask);
	cn_put_u8(w, (uint8_t)((d->has_color ? BODY_COLOR : 0) | (d->has_roughness ? BODY_ROUGHNESS : 0) |
	                       (d->visual.generation ? BODY_VISUAL : 0)));
	put_color(w, d->color);
	if (d->has_roughness)
		cn_put_f64(w, d->roughness);
	if (d->visual.generation) {
		cn_put_handle(w, d->visual.index, d->visual.generation);
		put_pose(w, d->visual_pose);
	}
	cn_put_script(w, d->keys, d->key_count);
}

bool cn_get_body_def(cn_reader *r, cn_arena *s, cairn_body_def *d)
{
	*d = cairn_default_body_def();
	d->name = get_name(r, s);
	d->type = (cairn_body_type)cn_get_u8(r);
	d->shape = get_shape(r);
	d->material = get_material(r);
	d->pose = get_pose(r);
	d->velocity = cn_get_v3(r);
	d->spin = cn_get_v3(r);
	d->mass = cn_get_f64(r);
	d->density = cn_get_f64(r);
	d->has_inertia = cn_get_bool(r);
	d->center = cn_get_v3(r);
	for (int i = 0; i < 9; ++i)
		d->inertia[i] = cn_get_f64(r);
	d->linear_damping = cn_get_f64(r);
	d->angular_damping = cn_get_f64(r);
	d->group = cn_get_u32(r);
	d->mask = cn_get_u32(r);
	uint8_t has = cn_get_u8(r);
	r->failed = r->failed || has > (BODY_COLOR | BODY_ROUGHNESS | BODY_VISUAL);
	d->has_color = has & BODY_COLOR;
	d->color = get_color(r);
	d->has_roughness = has & BODY_ROUGHNESS;
	if (d->has_roughness)
		d->roughness = cn_get_f64(r);
	if (has & BODY_VISUAL) {
		d->visual = get_shape(r);
		d->visual_pose = get_pose(r);
	}
	return cn_get_script(r, s, &d->keys, &d->key_count);
}

void cn_put_event_def(cn_writer *w, const cairn_event_def *d)
{
	cn_put_u8(w, (uint8_t)d->kind);
	cn_put_u32(w, d->frame);
	cn_put_handle(w, d->body.index, d->body.generation);
	cn_put_v3(w, d->impulse);
	put_bool(w, d->has_point);
	cn_put_v3(w, d->point);
	cn_put_f64(w, d->speed);
	if (d->kind != CAIRN_DRIVE)
		return;
	cn_put_handle(w, d->joint.index, d->joint.generation);
	bool turns = v3_length2(d->turn) > 0;
	cn_put_u8(w, (uint8_t)(d->motor | (turns ? CN_TURNS : 0)));
	if (turns)
		cn_put_v3(w, d->turn);
	cn_put_f64(w, d->most);
	cn_put_f64(w, d->target);
	cn_put_f64(w, d->stiffness);
	cn_put_f64(w, d->damping);
}

bool cn_get_event_def(cn_reader *r, cairn_event_def *d)
{
	*d = cairn_default_event_def((cairn_event_kind)cn_get_u8(r));
	d->frame = cn_get_u32(r);
	d->body = cn_get_handle(r);
	d->impulse = cn_get_v3(r);
	d->has_point = cn_get_bool(r);
	d->point = cn_get_v3(r);
	d->speed = cn_get_f64(r);
	if (d->kind == CAIRN_DRIVE) {
		cairn_body joint = cn_get_handle(r);
		d->joint = (cairn_joint){joint.index, joint.generation};
		uint8_t motor = cn_get_u8(r);
		d->motor = (cairn_motor_kind)(motor & ~CN_TURNS);
		if (motor & CN_TURNS)
			d->turn = cn_get_v3(r);
		d->most = cn_get_f64(r);
		d->target = cn_get_f64(r);
		d->stiffness = cn_get_f64(r);
		d->damping = cn_get_f64(r);
	}
	return !r->failed;
}

static void put_field_def(cn_writer *w, const cairn_field_def *d)
{
	cn_put_u8(w, (uint8_t)d->kind);
	put_bool(w, d->has_box);
	put_box(w, d->box);
	cn_put_v3(w, d->acceleration);
	cn_put_v3(w, d->point);
	cn_put_f64(w, d->strength);
	cn_put_f64(w, d->softening);
	cn_put_v3(w, d->velocity);
	cn_put_f64(w, d->air_density);
	cn_put_f64(w, d->coefficient);
	cn_put_f64(w, d->linear);
	cn_put_f64(w, d->angular);
}

static bool get_field_def(cn_reader *r, cairn_field_def *d)
{
	d->kind = (cairn_field_kind)cn_get_u8(r);
	d->has_box = cn_get_bool(r);
	d->box = get_box(r);
	d->acceleration = cn_get_v3(r);
	d->point = cn_get_v3(r);
	d->strength = cn_get_f64(r);
	d->softening = cn_get_f64(r);
	d->velocity = cn_get_v3(r);
	d->air_density = cn_get_f64(r);
	d->coefficient = cn_get_f64(r);
	d->linear = cn_get_f64(r);
	d->angular = cn_get_f64(r);
	return !r->failed;
}

static void put_emitter_def(cn_writer *w, uint32_t version, const cairn_emitter_def *d)
{
	cn_put_text(w, d->name);
	cn_put_u32(w, d->start);
	cn_put_u32(w, d->every);
	cn_put_u32(w, d->batches);
	cn_put_v3(w, d->jitter.position);
	cn_put_v3(w, d->jitter.rotation);
	cn_put_v3(w, d->jitter.velocity);
	cn_put_v3(w, d->jitter.spin);
	cn_put_u32(w, d->body_count);
	for (uint32_t i = 0; i < d->body_count; ++i)
		cn_put_body_def(w, &d->bodies[i]);
	if (version >= CHOICE_VERSION)
		cn_put_u32(w, d->choices);
}

static bool get_emitter_def(cn_reader *r, cn_arena *s, uint32_t version, cairn_emitter_def *d)
{
	d->name = get_name(r, s);
	d->start = cn_get_u32(r);
	d->every = cn_get_u32(r);
	d->batches = cn_get_u32(r);
	d->jitter.position = cn_get_v3(r);
	d->jitter.rotation = cn_get_v3(r);
	d->jitter.velocity = cn_get_v3(r);
	d->jitter.spin = cn_get_v3(r);
	d->body_count = cn_get_count(r, 200);
	cairn_body_def *bodies = get_array(r, s, d->body_count, sizeof *bodies);
	for (uint32_t i = 0; !r->failed && i < d->body_count; ++i)
		cn_get_body_def(r, s, &bodies[i]);
	d->bodies = bodies;
	d->choices = version >= CHOICE_VERSION ? cn_get_u32(r) : 1;
	return !r->failed;
}

static void put_view(cn_writer *w, const cairn_view *v)
{
	put_bool(w, v->has_camera);
	cn_put_v3(w, v->camera_position);
	cn_put_v3(w, v->camera_target);
	cn_put_f64(w, v->camera_fov);
	put_bool(w, v->has_light);
	cn_put_v3(w, v->light_direction);
	put_color(w, v->light_color);
}

/* How the camera moves. */
static void put_camera(cn_writer *w, const cairn_view *v)
{
	cn_put_handle(w, v->camera_follow.index, v->camera_follow.generation);
	cn_put_u32(w, v->camera_key_count);
	for (uint32_t i = 0; i < v->camera_key_count; ++i) {
		cn_put_f64(w, v->camera_keys[i].time);
		cn_put_v3(w, v->camera_keys[i].position);
		cn_put_v3(w, v->camera_keys[i].target);
		cn_put_f64(w, v->camera_keys[i].fov);
	}
}

static bool get_camera(cn_reader *r, cairn_scene *scene, cairn_error *error)
{
	cairn_view v = scene->view;
	cairn_camera_key keys[CAIRN_CAMERA_KEYS];
	v.camera_follow = cn_get_handle(r);
	v.camera_keys = keys;
	v.camera_key_count = cn_get_count(r, 64);
	for (uint32_t i = 0; i < v.camera_key_count && i < CAIRN_CAMERA_KEYS; ++i) {
		keys[i].time = cn_get_f64(r);
		keys[i].position = cn_get_v3(r);
		keys[i].target = cn_get_v3(r);
		keys[i].fov = cn_get_f64(r);
	}
	return !r->failed && cairn_scene_set_view(scene, &v, error);
}

static bool get_view(cn_reader *r, cairn_view *v)
{
	*v = (cairn_view){0};
	v->has_camera = cn_get_bool(r);
	v->camera_position = cn_get_v3(r);
	v->camera_target = cn_get_v3(r);
	v->camera_fov = cn_get_f64(r);
	v->has_light = cn_get_bool(r);
	v->light_direction = cn_get_v3(r);
	v->light_color = get_color(r);
	return !r->failed;
}

/* ---- joints */

/* What the later types have beside the rest. */
static void put_more(cn_writer *w, const cairn_joint_def *j)
{
	if (j->type == CAIRN_PULLEY)
		cn_put_v3(w, j->over), cn_put_v3(w, j->over_b);
	if (j->type == CAIRN_GEAR)
		cn_put_handle(w, j->joint.index, j->joint.generation),
			cn_put_handle(w, j->joint_b.index, j->joint_b.generation);
	if (j->type == CAIRN_PULLEY || j->type == CAIRN_GEAR)
		cn_put_f64(w, j->ratio);
	if (j->type != CAIRN_SIX_DOF)
		return;
	cn_put_quat(w, j->frame);
	for (int i = 0; i < 6; ++i)
		cn_put_u8(w, (uint8_t)j->axes[i].kind), cn_put_f64(w, j->axes[i].low), cn_put_f64(w, j->axes[i].high);
}

static void get_more(cn_reader *r, cairn_joint_def *j)
{
	if (j->type == CAIRN_PULLEY)
		j->over = cn_get_v3(r), j->over_b = cn_get_v3(r);
	if (j->type == CAIRN_GEAR) {
		cairn_body one = cn_get_handle(r), two = cn_get_handle(r);
		j->joint = (cairn_joint){one.index, one.generation}, j->joint_b = (cairn_joint){two.index, two.generation};
	}
	if (j->type == CAIRN_PULLEY || j->type == CAIRN_GEAR)
		j->ratio = cn_get_f64(r);
	if (j->type != CAIRN_SIX_DOF)
		return;
	j->frame = cn_get_quat(r);
	for (int i = 0; i < 6; ++i) {
		j->axes[i].kind = (cairn_axis_kind)cn_get_u8(r);
		j->axes[i].low = cn_get_f64(r), j->axes[i].high = cn_get_f64(r);
	}
}

void cn_put_joint_def(cn_writer *w, const cairn_joint_def *j)
{
	cn_put_text(w, j->name);
	cn_put_u8(w, (uint8_t)j->type);
	cn_put_handle(w, j->a.index, j->a.generation);
	cn_put_handle(w, j->b.index, j->b.generation);
	cn_put_v3(w, j->point);
	cn_put_v3(w, j->point_b);
	cn_put_v3(w, j->axis);
	cn_put_u8(w, j->has_limits);
	cn_put_f64(w, j->low);
	cn_put_f64(w, j->high);
	bool turns = v3_length2(j->turn) > 0;
	cn_put_u8(w, (uint8_t)(j->motor | (turns ? CN_TURNS : 0)));
	if (turns)
		cn_put_v3(w, j->turn);
	cn_put_f64(w, j->speed);
	cn_put_f64(w, j->most);
	cn_put_f64(w, j->break_force);
	cn_put_f64(w, j->break_torque);
	cn_put_u8(w, j->collide);
	put_more(w, j);
	if (j->motor != CAIRN_MOTOR_SERVO && j->motor != CAIRN_MOTOR_KEYS)
		return;
	cn_put_f64(w, j->target);
	cn_put_f64(w, j->stiffness);
	cn_put_f64(w, j->damping);
	if (j->motor != CAIRN_MOTOR_KEYS)
		return;
	cn_put_u32(w, j->key_count);
	for (uint32_t i = 0; i < j->key_count; ++i) {
		cn_put_f64(w, j->keys[i].time);
		if (j->type == CAIRN_BALL)
			cn_put_v3(w, j->keys[i].turn);
		else
			cn_put_f64(w, j->keys[i].value);
	}
}

static bool get_joint_def(cn_reader *r, cn_arena *s, uint32_t version, cairn_joint_def *j)
{
	*j = cairn_default_joint_def();
	j->name = get_name(r, s);
	j->type = (cairn_joint_type)cn_get_u8(r);
	j->a = cn_get_handle(r);
	j->b = cn_get_handle(r);
	j->point = cn_get_v3(r);
	if (version == 1)
		return !r->failed;
	j->point_b = cn_get_v3(r);
	j->axis = cn_get_v3(r);
	j->has_limits = cn_get_bool(r);
	j->low = cn_get_f64(r);
	j->high = cn_get_f64(r);
	uint8_t motor = cn_get_u8(r);
	j->motor = (cairn_motor_kind)(motor & ~CN_TURNS);
	if (motor & CN_TURNS)
		j->turn = cn_get_v3(r);
	j->speed = cn_get_f64(r);
	j->most = cn_get_f64(r);
	j->break_force = cn_get_f64(r);
	j->break_torque = cn_get_f64(r);
	j->collide = cn_get_bool(r);
	get_more(r, j);
	if (j->motor == CAIRN_MOTOR_SERVO || j->motor == CAIRN_MOTOR_KEYS) {
		j->target = cn_get_f64(r);
		j->stiffness = cn_get_f64(r);
		j->damping = cn_get_f64(r);
	}
	if (j->motor == CAIRN_MOTOR_KEYS) {
		j->key_count = cn_get_count(r, 16);
		cairn_target_key *keys = get_array(r, s, j->key_count, sizeof *keys);
		for (uint32_t i = 0; !r->failed && i < j->key_count; ++i) {
			keys[i] = (cairn_target_key){.time = cn_get_f64(r)};
			if (j->type == CAIRN_BALL)
				keys[i].turn = cn_get_v3(r);
			else
				keys[i].value = cn_get_f64(r);
		}
		j->keys = keys;
	}
	return !r->failed;
}

bool cn_get_joint_def(cn_reader *r, cn_arena *s, cairn_joint_def *def)
{
	return get_joint_def(r, s, SCENE_VERSION, def);
}

/* ---- the whole scene */

static void put_settings(cn_writer *w, const cairn_settings *s)
{
	cn_put_text(w, s->name);
	cn_put_text(w, s->description);
	cn_put_v3(w, s->gravity);
	cn_put_f64(w, s->fps);
	cn_put_u32(w, s->frames);
	cn_put_u64(w, s->seed);
	cn_put_text(w, s->method);
}

static bool get_settings(cn_reader *r, cn_arena *s, cairn_settings *d)
{
	d->name = get_name(r, s);
	d->description = get_name(r, s);
	d->gravity = cn_get_v3(r);
	d->fps = cn_get_f64(r);
	d->frames = cn_get_u32(r);
	d->seed = cn_get_u64(r);
	d->method = get_name(r, s);
	return !r->failed;
}

/* Options by name and value, so that a later version with more of them still reads this. */
static void put_options(cn_writer *w, const cairn_scene *scene)
{
	const char *const *names = cairn_option_names();
	char text[128];
	uint32_t count = 0;
	while (names[count])
		++count;
	cn_put_u32(w, count);
	for (uint32_t i = 0; i < count; ++i) {
		cairn_scene_option(scene, names[i], text, sizeof text);
		cn_put_text(w, names[i]);
		cn_put_text(w, text);
	}
}

static bool get_options(cn_reader *r, cn_arena *s, cairn_scene *scene, cairn_error *error)
{
	uint32_t count = cn_get_count(r, 8);
	for (uint32_t i = 0; i < count; ++i) {
		const char *key = get_name(r, s), *value = get_name(r, s);
		if (r->failed || !cairn_scene_set_option(scene, key, value, error))
			return false;
	}
	return !r->failed;
}

static bool has_looks(const cairn_scene *scene)
{
	bool any = false;
	for (uint32_t i = 0; i < scene->material_count; ++i)
		any |= scene->materials[i].has_color || scene->materials[i].has_roughness;
	for (uint32_t i = 0; i < scene->shape_count; ++i)
		any |= scene->shapes[i].def.visual;
	for (uint32_t i = 0; i < scene->body_count; ++i)
		any |= scene->bodies[i].has_roughness || scene->bodies[i].visual.generation;
	for (uint32_t i = 0; i < scene->emitter_count; ++i)
		for (uint32_t k = 0; k < scene->emitters[i].body_count; ++k)
			any |= scene->emitters[i].bodies[k].has_roughness || scene->emitters[i].bodies[k].visual.generation;
	return any;
}

static uint32_t version_of(const cairn_scene *scene)
{
	if (scene->asked.spring_count)
		return SCENE_VERSION;
	for (uint32_t i = 0; i < scene->emitter_count; ++i)
		if (scene->emitters[i].choices > 1)
			return CHOICE_VERSION;
	if (scene->view.camera_follow.generation || scene->view.camera_key_count)
		return LOOKS_VERSION;
	bool plain = !scene->asked.goal_count && !scene->asked.plan_count;
	for (uint32_t i = 0; i < scene->event_count; ++i)
		plain &= scene->events[i].kind != CAIRN_DRIVE;
	return has_looks(scene) ? LOOKS_VERSION : plain ? PLAIN_VERSION : ASKED_VERSION;
}

void cn_scene_put(cn_writer *w, const cairn_scene *scene)
{
	uint32_t version = version_of(scene);
	cn_put_u32(w, version);
	put_options(w, scene);
	put_settings(w, &scene->settings);
	put_view(w, &scene->view);
	cn_put_u32(w, scene->material_count);
	for (uint32_t i = 0; i < scene->material_count; ++i)
		cn_put_material_def(w, &scene->materials[i]);
	cn_put_u32(w, scene->pair_count);
	for (uint32_t i = 0; i < scene->pair_count; ++i) {
		const cairn_pair_def *p = &scene->pairs[i];
		cn_put_handle(w, p->a.index, p->a.generation);
		cn_put_handle(w, p->b.index, p->b.generation);
		cn_put_f64(w, p->restitution);
		cn_put_f64(w, p->static_friction);
		cn_put_f64(w, p->kinetic_friction);
		cn_put_f64(w, p->rolling);
	}
	cn_put_u32(w, scene->shape_count);
	for (uint32_t i = 0; i < scene->shape_count; ++i)
		cn_put_shape_def(w, &scene->shapes[i].def);
	cn_put_u32(w, scene->body_count);
	for (uint32_t i = 0; i < scene->body_count; ++i)
		cn_put_body_def(w, &scene->bodies[i]);
	cn_put_u32(w, scene->joint_count - scene->late_joints);
	for (uint32_t i = 0; i < scene->joint_count - scene->late_joints; ++i)
		cn_put_joint_def(w, &scene->joints[i]);
	cn_put_u32(w, scene->event_count);
	for (uint32_t i = 0; i < scene->event_count; ++i)
		cn_put_event_def(w, &scene->events[i]);
	cn_put_u32(w, scene->field_count);
	for (uint32_t i = 0; i < scene->field_count; ++i)
		put_field_def(w, &scene->fields[i]);
	cn_put_u32(w, scene->cold_count);
	for (uint32_t i = 0; i < scene->cold_count; ++i)
		put_box(w, scene->cold[i]);
	cn_put_u32(w, scene->emitter_count);
	for (uint32_t i = 0; i < scene->emitter_count; ++i)
		put_emitter_def(w, version, &scene->emitters[i]);
	if (version == PLAIN_VERSION)
		return;
	cn_put_u32(w, scene->asked.goal_count);
	for (uint32_t i = 0; i < scene->asked.goal_count; ++i)
		cn_put_goal_def(w, &scene->asked.goals[i], version >= SCENE_VERSION);
	cn_put_u32(w, scene->asked.plan_count);
	for (uint32_t i = 0; i < scene->asked.plan_count; ++i)
		cn_put_plan_def(w, &scene->asked.plans[i]);
	if (version >= LOOKS_VERSION)
		put_camera(w, &scene->view);
}

static bool get_head(cn_reader *r, cn_arena *s, cairn_scene *scene, uint32_t *version, cairn_error *error)
{
	*version = cn_get_u32(r);
	if (!r->failed && (*version < 1 || *version > SCENE_VERSION))
		return cn_fail(error, CAIRN_FILE, "", "the scene inside is of version %u; this library reads versions 1 to %d",
		               *version, SCENE_VERSION);
	cairn_settings settings;
	cairn_view view;
	return get_options(r, s, scene, error) && get_settings(r, s, &settings) &&
	       cairn_scene_set_settings(scene, &settings, error) && get_view(r, &view) &&
	       cairn_scene_set_view(scene, &view, error);
}

static bool get_things(cn_reader *r, cn_arena *s, cairn_scene *scene, cairn_error *error)
{
	for (uint32_t i = 0, n = cn_get_count(r, 44); i < n; ++i) {
		cairn_material_def d;
		if (!cn_get_material_def(r, s, &d) || !cairn_scene_add_material(scene, &d, error).generation)
			return false;
	}
	for (uint32_t i = 0, n = cn_get_count(r, 48); i < n; ++i) {
		cairn_pair_def p = {0};
		p.a = get_material(r);
		p.b = get_material(r);
		p.restitution = cn_get_f64(r);
		p.static_friction = cn_get_f64(r);
		p.kinetic_friction = cn_get_f64(r);
		p.rolling = cn_get_f64(r);
		if (r->failed || !cairn_scene_set_pair(scene, &p, error))
			return false;
	}
	for (uint32_t i = 0, n = cn_get_count(r, 80); i < n; ++i) {
		cairn_shape_def d;
		if (!cn_get_shape_def(r, s, &d) || !cairn_scene_add_shape(scene, &d, error).generation)
			return false;
		cn_arena_free(s);
	}
	for (uint32_t i = 0, n = cn_get_count(r, 200); i < n; ++i) {
		cairn_body_def d;
		if (!cn_get_body_def(r, s, &d) || !cairn_scene_add_body(scene, &d, error).generation)
			return false;
		cn_arena_free(s);
	}
	return !r->failed;
}

static bool get_happenings(cn_reader *r, cn_arena *s, uint32_t version, cairn_scene *scene, cairn_error *error)
{
	for (uint32_t i = 0, n = cn_get_count(r, version == 1 ? 45 : 144); i < n; ++i) {
		cairn_joint_def d;
		if (!get_joint_def(r, s, version, &d) || !cairn_scene_add_joint(scene, &d, error).generation)
			return false;
	}
	for (uint32_t i = 0, n = cn_get_count(r, 70); i < n; ++i) {
		cairn_event_def d;
		if (!cn_get_event_def(r, &d) || !cairn_scene_add_event(scene, &d, error))
			return false;
	}
	for (uint32_t i = 0, n = cn_get_count(r, 170); i < n; ++i) {
		cairn_field_def d;
		if (!get_field_def(r, &d) || !cairn_scene_add_field(scene, &d, error))
			return false;
	}
	for (uint32_t i = 0, n = cn_get_count(r, 48); i < n; ++i) {
		cairn_box box = get_box(r);
		if (r->failed || !cairn_scene_add_cold_volume(scene, box, error))
			return false;
	}
	for (uint32_t i = 0, n = cn_get_count(r, 100); i < n; ++i) {
		cairn_emitter_def d;
		if (!get_emitter_def(r, s, version, &d) || !cairn_scene_add_emitter(scene, &d, error))
			return false;
		cn_arena_free(s);
	}
	for (uint32_t i = 0, n = version < 3 ? 0 : cn_get_count(r, 153); i < n; ++i) {
		cairn_goal_def d;
		if (!cn_get_goal_def(r, &d, version >= SCENE_VERSION) || !cairn_scene_add_goal(scene, &d, error))
			return false;
	}
	for (uint32_t i = 0, n = version < 3 ? 0 : cn_get_count(r, 44); i < n; ++i) {
		cairn_plan_def d;
		if (!cn_get_plan_def(r, s, &d) || !cairn_scene_add_plan(scene, &d, error))
			return false;
	}
	return version < LOOKS_VERSION ? !r->failed : get_camera(r, scene, error);
}

cairn_scene *cn_scene_get(cn_reader *r, const cairn_allocator *allocator, cairn_error *error)
{
	cn_arena scratch = cn_arena_make(allocator);
	cairn_scene *scene = cairn_scene_create(&(cairn_scene_def){.allocator = *allocator});
	cairn_error local = {0};
	if (!scene) {
		cn_fail_memory(error);
		return NULL;
	}
	uint32_t version;
	bool ok = get_head(r, &scratch, scene, &version, &local) && get_things(r, &scratch, scene, &local) &&
	          get_happenings(r, &scratch, version, scene, &local);
	cn_arena_free(&scratch);
	if (ok)
		return scene;
	if (local.code == CAIRN_OK && scratch.failed)
		cn_fail_memory(&local);
	else if (local.code == CAIRN_OK)
		cn_fail(&local, CAIRN_FILE, "", "the scene's bytes end early or do not fit together");
	if (error)
		*error = local;
	cairn_scene_destroy(scene);
	return NULL;
}

cairn_scene *cairn_scene_copy(const cairn_scene *scene)
{
	/* Through bytes: one mechanism copies, stores and sends a scene, so the copy has the same bits as a recorded one. */
	cn_writer w = {.allocator = scene->allocator};
	cairn_scene *copy = NULL;
	cn_scene_put(&w, scene);
	if (!w.failed) {
		cn_reader r = {.data = w.data, .size = w.size};
		copy = cn_scene_get(&r, &scene->allocator, NULL);
	}
	cn_writer_free(&w);
	return copy;
}
