/* Sums up four steps that never were, with numbers that can be added up by hand: tally text|json done|stopped|unchecked|driven|old
 *
 * The world has a floor and two cubes: a of 2 kg and 1 m, b of 3 kg and 2 m. Gravity is 10 m/s^2, so that the unit of
 * energy is 5 kg x 10 m/s^2 x 2 m = 100 J. At the start there are 115 J. */
#include "measure.h"
#include "summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cairn_error error;

static void check(bool ok)
{
	char text[1024];
	if (ok)
		return;
	cairn_error_print(&error, text, sizeof text);
	fprintf(stderr, "tally: %s\n", text);
	exit(1);
}

static cairn_body add_cube(cairn_scene *scene, const char *name, double size, double mass, double height)
{
	cairn_shape_def shape = cairn_default_shape_def(CAIRN_BOX);
	cairn_body_def body = cairn_default_body_def();
	shape.size = (cairn_vec3){size, size, size};
	body.shape = cairn_scene_add_shape(scene, &shape, &error);
	body.name = name;
	body.mass = mass;
	body.pose.position = (cairn_vec3){4 * size, 0, height};
	body.velocity.z = mass == 2 ? 2 : 0; /* of a: 4 J */
	body.spin.x = mass == 3 ? 1 : 0;     /* of b, whose moments are 2 kg m^2: 1 J */
	cairn_body made = cairn_scene_add_body(scene, &body, &error);
	check(made.generation != 0);
	return made;
}

typedef struct stage {
	const char *name;
	double ms;
} stage;

static void set_stages(cairn_step_report *r, double ms, stage first, stage second)
{
	r->ms = ms;
	r->stage_count = 2;
	r->stage_names[0] = first.name, r->stage_names[1] = second.name;
	r->stage_ms[0] = first.ms, r->stage_ms[1] = second.ms;
}

static void make_reports(cairn_step_report r[4], cairn_body floor, cairn_body a, cairn_body b)
{
	static const double gaps[4] = {0.5, 0.25, INFINITY, 0.75}, rounding[4] = {1e-15, 3e-15, 2e-15, 1e-15};
	for (uint32_t i = 0; i < 4; ++i) {
		r[i] = (cairn_step_report){.frame = i + 1, .time = (i + 1) / 30.0, .bodies = 3, .moving = 2};
		r[i].close_pairs = 10 + i, r[i].collisions = i, r[i].contacts = 4 * i, r[i].min_gap = INFINITY;
		r[i].passes = 4, r[i].programs = 6 + i;
		r[i].certificate = (cairn_certificate){CAIRN_CLEAN, 10, 20, 0, 0, gaps[i], rounding[i]};
	}
	r[3].asleep = 1, r[2].taken_back = 2;
	r[2].frozen = r[3].frozen = 1, r[1].text_fallbacks = 3;
	r[0].energy = (cairn_energy){.kinetic = 20, .potential = 90, .impacts = 3, .friction = 2};
	r[1].energy = (cairn_energy){.kinetic = 40, .potential = 90, .events = 25, .damping = 1, .dropped = 4};
	r[2].energy = (cairn_energy){.kinetic = 41.5, .potential = 90, .position = 1, .drift = 0.25, .joints = 0.25};
	r[3].energy = (cairn_energy){.kinetic = 42, .potential = 90, .fields = 0.125, .position = 0.25};
	r[0].tiers[CAIRN_TIER_FAST] = 2, r[1].tiers[CAIRN_TIER_RESTORE] = 3, r[1].tiers[CAIRN_TIER_AXIS] = 1;
	r[2].tiers[CAIRN_TIER_HOLD] = 2, r[3].tiers[CAIRN_TIER_HOLD] = 1;
	r[0].min_gap = 0.02, r[0].pair_a = a, r[0].pair_b = b;
	r[2].min_gap = 0.001, r[2].pair_a = floor, r[2].pair_b = a;
	r[1].joint_error = 2e-6, r[2].joint_error = 1e-6, r[2].broken = 1;
	r[1].lift = 0.02, r[1].lifted = a;
	r[0].steps = 1, r[1].steps = 8, r[2].steps = 4, r[3].steps = 1;
	r[0].movers = r[1].movers = 2, r[2].movers = 1;
	r[0].debt = 0.25, r[0].debt_mean = 0.125, r[0].debtors = 1, r[0].debtor = a;
	r[1].debt = 0.5, r[1].debt_mean = 0.375, r[1].debtors = 2, r[1].debtor = b;
	r[2].debt = r[2].debt_mean = 0.25, r[2].debtor = a;
	r[3].lift = 0.01, r[3].lifted = b;
	set_stages(&r[0], 1, (stage){"position", 0.5}, (stage){"certify", 0.25});
	set_stages(&r[1], 2, (stage){"certify", 0.5}, (stage){"position", 1});
	set_stages(&r[2], 3, (stage){"position", 1.5}, (stage){"momentum", 1});
	set_stages(&r[3], 10, (stage){"position", 5}, (stage){"certify", 3.25});
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	bool stopped = strcmp(argv[2], "stopped") == 0, checked = strcmp(argv[2], "unchecked") != 0;
	bool old = strcmp(argv[2], "old") == 0; /* as an older recording: nothing is known of steps and debt */
	cairn_scene *scene = cairn_scene_create(NULL);
	check(cairn_scene_set_option(scene, "gravity", "0,0,-10", &error));
	check(cairn_scene_set_option(scene, "method", "free", &error));
	cairn_shape_def plane = cairn_default_shape_def(CAIRN_HALFSPACE);
	plane.normal.z = 1;
	plane.offset = -5;
	cairn_body_def ground = cairn_default_body_def();
	ground.name = "floor";
	ground.type = CAIRN_FIXED;
	ground.shape = cairn_scene_add_shape(scene, &plane, &error);
	cairn_body floor = cairn_scene_add_body(scene, &ground, &error);
	cairn_body a = add_cube(scene, "a", 1, 2, 1), b = add_cube(scene, "b", 2, 3, 3);
	cairn_world *world = cairn_world_create(scene, NULL, &error);
	check(world != NULL);

	cairn_step_report reports[4];
	summary s;
	summary_begin(&s, world);
	s.joints = 2; /* as if: no method steps them here */
	s.energy.driven = strcmp(argv[2], "driven") == 0;
	make_reports(reports, floor, a, b);
	for (int i = 0; i < 4; ++i) {
		if (!checked)
			reports[i].certificate = (cairn_certificate){.min_gap = INFINITY};
		if (old)
			reports[i].steps = 0;
		summary_add(&s, world, &reports[i], 0.5);
	}
	if (stopped) {
		cairn_step_report last = {.status = CAIRN_STEP_UNCERTIFIED, .frame = 4, .pair_a = a, .pair_b = b};
		last.certificate = (cairn_certificate){CAIRN_PASSAGE, 10, 20, 0, 1, -0.125, 1e-15};
		summary_stop(&s, world, &last);
	}
	outcome o = {
		.scene = "tally", .file = "tally.cairn", .method = "oba", .certify = checked ? "full" : "off", .fps = 30};
	o.energy_unit = measure_energy_unit(world, s.energy.kinetic_start);
	o.status = stopped ? "failed" : "done";
	o.message = stopped ? "it was not to be" : NULL;
	(strcmp(argv[1], "json") == 0 ? summary_print_json : summary_print)(&s, &o, stdout);
	summary_free(&s);
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return 0;
}
