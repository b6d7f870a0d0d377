/* A run to record: a scene that has a bit of everything, inputs by frame number, and the bytes of files.
 *
 * Bodies are far apart, so that any method runs it. */
#ifndef RECORDING_RUN_H
#define RECORDING_RUN_H

#include "cairn/cairn.h"

#include "file_bytes.h"
#include "test.h"

static inline uint64_t get_number(const uint8_t *at, int size)
{
	uint64_t x = 0;
	while (size-- > 0)
		x = x << 8 | at[size];
	return x;
}

/* A chunk by the description in docs/recording-format.md, without the library's help. */
typedef struct file_chunk {
	size_t at, size; /* of all of it */
	const uint8_t *payload;
	size_t length;
	uint32_t frame;
	char kind[5];
} file_chunk;

static inline bool next_chunk(bytes b, size_t *at, file_chunk *c)
{
	if (b.size - *at < 24)
		return false;
	const uint8_t *head = b.data + *at;
	*c = (file_chunk){.at = *at, .payload = head + 20, .length = (size_t)get_number(head + 4, 8)};
	c->frame = (uint32_t)get_number(head + 12, 4);
	memcpy(c->kind, head, 4);
	if (c->length > b.size - *at - 24)
		return false;
	c->size = c->length + 24;
	*at += c->size;
	return true;
}

/* The file without its times: the part that must not differ from run to run. */
static inline bytes without_times(bytes b)
{
	bytes out = {.data = malloc(b.size + 1), .size = 16};
	memcpy(out.data, b.data, 16);
	file_chunk c;
	for (size_t at = 16; next_chunk(b, &at, &c);)
		if (strcmp(c.kind, "TIME") != 0) {
			memcpy(out.data + out.size, b.data + c.at, c.size);
			out.size += c.size;
		}
	return out;
}

static inline cairn_shape add_shape(cairn_scene *scene, cairn_shape_kind kind, const char *name)
{
	cairn_shape_def def = cairn_default_shape_def(kind);
	def.name = name;
	def.radius = 0.5;
	def.length = 1.5;
	def.size = (cairn_vec3){1, 2, 3};
	def.normal = (cairn_vec3){0, 0, 1};
	def.offset = -1000;
	return cairn_scene_add_shape(scene, &def, NULL);
}

static inline cairn_scene *make_scene(const cairn_allocator *allocator, uint32_t boxes)
{
	cairn_scene_def scene_def = cairn_default_scene_def();
	if (allocator)
		scene_def.allocator = *allocator;
	cairn_scene *scene = cairn_scene_create(&scene_def);
	if (!scene)
		return NULL;
	cairn_settings settings = cairn_default_settings();
	settings.name = "a bit of everything";
	settings.gravity = (cairn_vec3){0, 0, -1};
	(void)cairn_scene_set_settings(scene, &settings, NULL);
	cairn_material_def steel;
	(void)cairn_material_preset("steel", &steel);
	cairn_material material = cairn_scene_add_material(scene, &steel, NULL);
	cairn_shape box = add_shape(scene, CAIRN_BOX, "box"), ball = add_shape(scene, CAIRN_SPHERE, "ball");
	cairn_body_def body = cairn_default_body_def();
	body.name = "floor";
	body.type = CAIRN_FIXED;
	body.shape = add_shape(scene, CAIRN_HALFSPACE, "ground");
	(void)cairn_scene_add_body(scene, &body, NULL);
	for (uint32_t i = 0; i < boxes; ++i) {
		char name[24];
		(void)snprintf(name, sizeof name, "box%u", (unsigned)i);
		body = cairn_default_body_def();
		body.name = name;
		body.shape = box;
		body.material = material;
		body.pose.position = (cairn_vec3){20.0 * i, 0.1 * i, 0.3};
		double c = cos(i + 0.1), s = sin(i + 0.1);
		body.pose.orientation = (cairn_quat){c, s * 0.6, 0, s * 0.8};
		body.spin = (cairn_vec3){1, 0.3, 0.1 * i};
		body.linear_damping = 0.01 * i;
		(void)cairn_scene_add_body(scene, &body, NULL);
	}
	body.name = "fast";
	body.pose.position = (cairn_vec3){0, 50, 0};
	body.spin = (cairn_vec3){150, 1, 0};
	(void)cairn_scene_add_body(scene, &body, NULL);
	cairn_script_key keys[2] = {{0, {{0, 100, 0}, {1, 0, 0, 0}}}, {2, {{0, 100, 5}, {0, 1, 0, 0}}}};
	body = cairn_default_body_def();
	body.name = "mover";
	body.type = CAIRN_SCRIPTED;
	body.shape = ball;
	body.keys = keys;
	body.key_count = 2;
	(void)cairn_scene_add_body(scene, &body, NULL);
	cairn_emitter_def emitter = cairn_default_emitter_def();
	body = cairn_default_body_def();
	body.shape = ball;
	body.pose.position = (cairn_vec3){0, -50, 0};
	body.velocity = (cairn_vec3){0, -20, 0};
	emitter.name = "drop";
	emitter.bodies = &body;
	emitter.body_count = 1;
	emitter.start = 3;
	emitter.every = 15;
	emitter.batches = 4;
	emitter.jitter.velocity = (cairn_vec3){0.1, 0.1, 0.1};
	(void)cairn_scene_add_emitter(scene, &emitter, NULL);
	return scene;
}

static inline cairn_world *make_world(const cairn_allocator *allocator, uint32_t boxes)
{
	cairn_world_def def = cairn_default_world_def();
	def.threads = 1;
	if (allocator)
		def.allocator = *allocator;
	cairn_scene *scene = make_scene(allocator, boxes);
	cairn_error error = {0};
	cairn_world *world = scene ? cairn_world_create(scene, &def, &error) : NULL;
	if (!world)
		printf("no world: %s\n", error.message);
	cairn_scene_destroy(scene);
	return world;
}

/* Everything that can happen, each at its frame. True if all of it was accepted. */
static inline bool give_inputs(cairn_world *world, uint32_t frame)
{
	cairn_error error = {0};
	bool ok = true;
	if (frame == 5) {
		cairn_event_def impulse = cairn_default_event_def(CAIRN_IMPULSE);
		impulse.body = cairn_world_find_body(world, "box0");
		impulse.impulse = (cairn_vec3){0, 0, 5000};
		ok = cairn_world_apply_event(world, &impulse, &error);
	} else if (frame == 8) {
		cairn_shape_def shape = cairn_default_shape_def(CAIRN_CAPSULE);
		shape.name = "pill";
		shape.radius = 0.2;
		shape.length = 0.7;
		cairn_material_def material = cairn_default_material_def();
		material.name = "cork";
		material.density = 200;
		cairn_body_def body = cairn_default_body_def();
		body.name = "late";
		body.shape = cairn_world_add_shape(world, &shape, &error);
		body.material = cairn_world_add_material(world, &material, &error);
		body.pose.position = (cairn_vec3){0, 200, 0};
		body.spin = (cairn_vec3){0, 3, 2};
		ok = body.shape.generation && body.material.generation && cairn_world_add_body(world, &body, &error).generation;
		body.name = "post";
		body.type = CAIRN_FIXED;
		body.spin = (cairn_vec3){0, 0, 0};
		body.pose.position.y = 250;
		ok = ok && cairn_world_add_body(world, &body, &error).generation;
	} else if (frame == 12 || frame == 14) {
		cairn_drag_def drag = cairn_default_drag_def();
		drag.body = cairn_world_find_body(world, "box1");
		drag.anchor = (cairn_vec3){0.1, 0, 0.2};
		drag.target = (cairn_vec3){20, frame, 1};
		ok = cairn_world_drag(world, &drag, &error);
	} else if (frame == 20) {
		ok = cairn_world_release(world, cairn_world_find_body(world, "box1"), &error);
	} else if (frame == 25) {
		ok = cairn_world_remove_body(world, cairn_world_find_body(world, "box2"), &error);
	} else if (frame == 27) {
		cairn_body_def body = cairn_default_body_def();
		body.name = "again"; /* in the place of the one removed */
		body.shape = (cairn_shape){0, 1};
		body.pose.position = (cairn_vec3){0, 300, 0};
		ok = cairn_world_add_body(world, &body, &error).generation &&
		     cairn_world_remove_body(world, cairn_world_find_body(world, "post"), &error);
	} else if (frame == 30) {
		cairn_material_def material = cairn_default_material_def();
		material.name = "slippery";
		material.kinetic_friction = material.static_friction = 0.01;
		ok = cairn_world_set_material(world, (cairn_material){0, 1}, &material, &error);
	} else if (frame == 33) {
		ok = cairn_world_set_gravity(world, (cairn_vec3){0.5, 0, -2}, &error);
	} else if (frame == 36) {
		cairn_script_key key = {3, {{0, 100, 8}, {0, 0, 1, 0}}};
		ok = cairn_world_set_script(world, cairn_world_find_body(world, "mover"), &key, 1, &error);
	}
	if (!ok)
		printf("input at frame %u: %s: %s\n", (unsigned)frame, error.path, error.message);
	return ok;
}

/* Inputs, step, append, up to a frame. */
static inline bool run_to(cairn_recording *rec, cairn_world *world, uint32_t last)
{
	cairn_error error = {0};
	while (cairn_world_frame(world) < last) {
		if (!give_inputs(world, cairn_world_frame(world)))
			return false;
		cairn_step_report report = cairn_world_step(world);
		if (report.status != CAIRN_STEP_OK) {
			printf("the step from frame %u has status %d\n", (unsigned)report.frame, (int)report.status);
			return false;
		}
		if (!cairn_recording_append(rec, world, &report, &error)) {
			printf("append: %s\n", error.message);
			return false;
		}
	}
	return true;
}

/* A whole recording of so many frames; false when anything failed. */
static inline bool record(const char *path, uint32_t boxes, uint32_t frames, uint32_t every)
{
	cairn_world *world = make_world(NULL, boxes);
	cairn_recording_def def = cairn_default_recording_def();
	def.replace = true;
	def.checkpoint_every = every;
	cairn_error error = {0};
	cairn_recording *rec = world ? cairn_recording_create(path, world, &def, &error) : NULL;
	if (world && !rec)
		printf("create: %s\n", error.message);
	bool ok = rec && run_to(rec, world, frames);
	if (ok)
		ok = cairn_recording_finish(rec, &error);
	else
		cairn_recording_close(rec);
	cairn_world_destroy(world);
	return ok;
}

#endif
