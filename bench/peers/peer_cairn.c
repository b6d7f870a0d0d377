/* cairn with one of its methods, oba if PEER_METHOD names none: defaults, one thread. The certificate is on where the method promises one;
 * methods without a guarantee would only be measured by it, which is no part of them. A frame of several steps is that many
 * frames of the world. */
#include "engine.h"

#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef PEER_METHOD
const char *const peer_name = "cairn " PEER_METHOD, *const peer_settings = "defaults, certificate off";
#else
const char *const peer_name = "cairn", *const peer_settings = "defaults, certificate on";
#endif

static cairn_world *world;
static cairn_body *bodies;

static cairn_shape shape_of(cairn_scene *scene, const peer_body *b)
{
	cairn_shape_def shape = cairn_default_shape_def(b->ball ? CAIRN_SPHERE : CAIRN_BOX);
	if (b->ball)
		shape.radius = b->half[0];
	else
		shape.size = (cairn_vec3){2 * b->half[0], 2 * b->half[1], 2 * b->half[2]};
	return cairn_scene_add_shape(scene, &shape, NULL);
}

static cairn_body_def body_of(const peer_body *b)
{
	const double *s = b->state;
	cairn_body_def def = cairn_default_body_def();
	def.type = b->fixed ? CAIRN_FIXED : CAIRN_DYNAMIC;
	def.pose.position = (cairn_vec3){s[0], s[1], s[2]};
	def.pose.orientation = (cairn_quat){.w = s[3], .x = s[4], .y = s[5], .z = s[6]};
	if (!b->fixed)
		def.velocity = (cairn_vec3){s[7], s[8], s[9]}, def.spin = (cairn_vec3){s[10], s[11], s[12]};
	return def;
}

static bool choose_method(cairn_scene *scene, cairn_settings settings, bool sleep, cairn_error *error)
{
#ifdef PEER_METHOD
	(void)sleep; /* such methods know none */
	settings.method = PEER_METHOD;
	return cairn_scene_set_settings(scene, &settings, error) && cairn_scene_set_option(scene, "certify", "off", error);
#else
	return cairn_scene_set_settings(scene, &settings, error) &&
	       cairn_scene_set_option(scene, "sleep", sleep ? "on" : "off", error);
#endif
}

static bool same_shape(const peer_body *a, const peer_body *b)
{
	return a->ball == b->ball && a->half[0] == b->half[0] && a->half[1] == b->half[1] && a->half[2] == b->half[2];
}

bool peer_create(const peer_scene *s, uint32_t steps, bool sleep)
{
	cairn_error error = {0};
	cairn_scene *scene = cairn_scene_create(NULL);
	cairn_settings settings = cairn_default_settings();
	cairn_material_def stuff = cairn_default_material_def();
	settings.gravity = (cairn_vec3){0, 0, -s->gravity}, settings.fps = steps / PEER_DT;
	stuff.density = PEER_DENSITY, stuff.restitution = s->restitution;
	stuff.static_friction = stuff.kinetic_friction = s->friction;
	bodies = calloc(s->count, sizeof *bodies);
	if (!scene || !bodies || !choose_method(scene, settings, sleep, &error))
		return false;
	cairn_material material = cairn_scene_add_material(scene, &stuff, &error);
	cairn_shape shape = {0};
	for (uint32_t i = 0; i < s->count; ++i) {
		const peer_body *b = &s->bodies[i];
		if (i == 0 || !same_shape(b, &b[-1]))
			shape = shape_of(scene, b);
		cairn_body_def def = body_of(b);
		def.shape = shape, def.material = material;
		bodies[i] = cairn_scene_add_body(scene, &def, &error);
	}
	cairn_world_def def = cairn_default_world_def();
	def.threads = 1;
	world = cairn_world_create(scene, &def, &error);
	if (!world)
		fprintf(stderr, "peer_cairn: %s\n", error.message);
	return world;
}

bool peer_step(double dt)
{
	(void)dt; /* the world has its own */
	return cairn_world_step(world).status == CAIRN_STEP_OK;
}

void peer_state(uint32_t body, double *state)
{
	cairn_key k = cairn_world_body_key(world, bodies[body]);
	const double all[PEER_STATE] = {k.position.x,    k.position.y,    k.position.z, k.orientation.w, k.orientation.x,
	                                k.orientation.y, k.orientation.z, k.velocity.x, k.velocity.y,    k.velocity.z,
	                                k.spin.x,        k.spin.y,        k.spin.z};
	for (int i = 0; i < PEER_STATE; ++i)
		state[i] = all[i];
}

void peer_push(uint32_t body, const double *change)
{
	cairn_key k = cairn_world_body_key(world, bodies[body]);
	cairn_vec3 v = {k.velocity.x + change[0], k.velocity.y + change[1], k.velocity.z + change[2]};
	cairn_world_set_velocity(world, bodies[body], v, k.spin, NULL);
}
