/* A pile under kicks: cubes fall into a shaft and settle, then every one gets a random velocity of up to 6 m/s each
 * second, then they settle again. Prints whether every frame was certified, the largest rise of energy without cause, what
 * was held, the time a frame, and how still the pile is in the end. Sleep is off.
 *
 *   bench_pile [SIDE [KICKS]]     SIDE x SIDE x 16 cubes, 4 and 20 unless given; 8 is 1024 cubes and takes two minutes */
#include "cairn/cairn.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LAYERS = 16, FPS = 30, FALL = 300, SETTLE = 400, STILL = 300 };

typedef struct pile {
	cairn_world *world;
	cairn_body *cubes;
	uint32_t count;
	double mass, unit; /* of a cube; J: all mass x g x a cube's edge */
	uint64_t random;
	uint32_t frames, uncertified, held, held_frames;
	double total, rise, ms, ms_most;
} pile;

static void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "bench_pile: %s\n", what);
	exit(1);
}

static double draw(uint64_t *random) /* -1 to 1 */
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (double)(*random >> 11) * (2.0 / 9007199254740992.0) - 1;
}

static cairn_vec3 draw_in_ball(uint64_t *random)
{
	cairn_vec3 v;
	do {
		v.x = draw(random);
		v.y = draw(random);
		v.z = draw(random);
	} while (v.x * v.x + v.y * v.y + v.z * v.z > 1);
	return v;
}

static void add_plane(cairn_scene *scene, cairn_material material, cairn_vec3 normal, double offset)
{
	cairn_shape_def shape = cairn_default_shape_def(CAIRN_HALFSPACE);
	cairn_body_def body = cairn_default_body_def();
	shape.normal = normal, shape.offset = offset;
	body.type = CAIRN_FIXED, body.material = material;
	body.shape = cairn_scene_add_shape(scene, &shape, NULL);
	must(cairn_scene_add_body(scene, &body, NULL).generation, "no plane");
}

static pile make(uint32_t side)
{
	pile p = {.count = side * side * LAYERS, .mass = 800, .random = 12345};
	cairn_scene *scene = cairn_scene_create(NULL);
	must(scene != NULL, "no scene");
	cairn_settings settings = cairn_scene_settings(scene);
	settings.gravity = (cairn_vec3){0, 0, -10}, settings.fps = FPS;
	must(cairn_scene_set_settings(scene, &settings, NULL) && cairn_scene_set_option(scene, "sleep", "off", NULL),
	     "options");
	cairn_material_def wood = cairn_default_material_def();
	wood.density = 800, wood.restitution = wood.static_friction = wood.kinetic_friction = 0.3;
	cairn_material material = cairn_scene_add_material(scene, &wood, NULL);
	cairn_shape_def box = cairn_default_shape_def(CAIRN_BOX);
	cairn_body_def body = cairn_default_body_def();
	body.shape = cairn_scene_add_shape(scene, &box, NULL), body.material = material;
	double pitch = 1.8, half = 0.5 * side * pitch;
	p.cubes = malloc(p.count * sizeof *p.cubes);
	must(p.cubes != NULL, "no memory");
	for (uint32_t i = 0; i < p.count; ++i) {
		cairn_vec3 shake = draw_in_ball(&p.random), push = draw_in_ball(&p.random);
		uint32_t layer = i / (side * side);
		body.pose.position = (cairn_vec3){(i % side + 0.5) * pitch - half + 0.05 * shake.x,
		                                  (i / side % side + 0.5) * pitch - half + 0.05 * shake.y, 1 + 1.75 * layer};
		body.velocity = (cairn_vec3){2 * push.x, 2 * push.y, 0};
		body.spin = shake;
		p.cubes[i] = cairn_scene_add_body(scene, &body, NULL);
		must(p.cubes[i].generation, "no cube");
	}
	add_plane(scene, material, (cairn_vec3){0, 0, 1}, 0);
	add_plane(scene, material, (cairn_vec3){1, 0, 0}, -half);
	add_plane(scene, material, (cairn_vec3){-1, 0, 0}, -half);
	add_plane(scene, material, (cairn_vec3){0, 1, 0}, -half);
	add_plane(scene, material, (cairn_vec3){0, -1, 0}, -half);
	p.world = cairn_world_create(scene, NULL, NULL);
	must(p.world != NULL, "no world");
	cairn_scene_destroy(scene);
	p.unit = p.mass * p.count * 10;
	return p;
}

static void run(pile *p, uint32_t frames)
{
	char text[300];
	for (uint32_t i = 0; i < frames; ++i) {
		cairn_step_report r = cairn_world_step(p->world);
		cairn_world_explain(p->world, &r, text, sizeof text);
		must(r.status == CAIRN_STEP_OK, text);
		double total = r.energy.kinetic + r.energy.potential, made = total - p->total - r.energy.events;
		if (p->frames++ && made > p->rise)
			p->rise = made;
		p->total = total;
		p->uncertified += r.certificate.verdict != CAIRN_CLEAN;
		p->held += r.tiers[CAIRN_TIER_HOLD], p->held_frames += r.tiers[CAIRN_TIER_HOLD] > 0;
		p->ms += r.ms, p->ms_most = r.ms > p->ms_most ? r.ms : p->ms_most;
	}
}

static void kick(pile *p)
{
	for (uint32_t i = 0; i < p->count; ++i) {
		cairn_vec3 v = draw_in_ball(&p->random);
		cairn_event_def event = cairn_default_event_def(CAIRN_IMPULSE);
		event.body = p->cubes[i];
		event.impulse = (cairn_vec3){6 * p->mass * v.x, 6 * p->mass * v.y, 6 * p->mass * v.z};
		must(cairn_world_apply_event(p->world, &event, NULL), "no kick");
	}
}

/* How far any cube moves in the last frames, and the largest speed in the end. */
static void print_rest(pile *p)
{
	double creep = 0, speed = 0;
	cairn_vec3 *from = malloc(p->count * sizeof *from);
	must(from != NULL, "no memory");
	for (uint32_t i = 0; i < p->count; ++i)
		from[i] = cairn_world_body_key(p->world, p->cubes[i]).position;
	run(p, STILL);
	for (uint32_t i = 0; i < p->count; ++i) {
		cairn_key k = cairn_world_body_key(p->world, p->cubes[i]);
		creep = fmax(creep, hypot(k.position.x - from[i].x, hypot(k.position.y - from[i].y, k.position.z - from[i].z)));
		speed = fmax(speed, hypot(k.velocity.x, hypot(k.velocity.y, k.velocity.z)));
	}
	printf("  in the last %d s no cube moves more than %.2g m; the fastest has %.2g m/s\n", STILL / FPS, creep, speed);
	free(from);
}

int main(int argc, char **argv)
{
	uint32_t side = argc > 1 ? (uint32_t)atoi(argv[1]) : 4, kicks = argc > 2 ? (uint32_t)atoi(argv[2]) : 20;
	must(side >= 1 && side <= 40, "give a side from 1 to 40");
	pile p = make(side);
	run(&p, FALL);
	for (uint32_t k = 0; k < kicks; ++k) {
		kick(&p);
		run(&p, FPS);
	}
	run(&p, SETTLE);
	printf("%u cubes, %u kicks of up to 6 m/s: %u of %u frames not certified, largest rise %.1e units, %u body-frames "
	       "held in %u "
	       "frames, %.1f ms a frame, %.0f at most\n",
	       p.count, kicks, p.uncertified, p.frames, p.rise / p.unit, p.held, p.held_frames, p.ms / p.frames, p.ms_most);
	print_rest(&p);
	cairn_world_destroy(p.world);
	free(p.cubes);
	return 0;
}
