/* Plans: known answers of a particle, and a lamp that hops. */
#include "hardship.h"
#include "random.h"

#include <stdio.h>

static cairn_scene *particle(double mass, v3 gravity)
{
	cairn_scene *s = yard_scene(gravity);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.1, 0), yard_material(s, 0, 0), v3_zero());
	d.mass = mass;
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	return s;
}

static double particle_cost(uint32_t samples, bool free_ends, double *off)
{
	cairn_scene *s = particle(2, v3_make(0, 0, -10));
	cairn_plan_key key = {.time = 1.5, .body = {0, 1}, .target = {1.2, 0, 0.5}};
	cairn_plan_def d = cairn_default_plan_def();
	d.figure = (cairn_body){0, 1}, d.time = 1.5, d.samples = samples, d.thrust = true;
	d.keys = &key, d.key_count = 1, d.free_start = d.free_end = free_ends;
	CHECK(cairn_scene_add_plan(s, &d, NULL));
	cairn_error e = {0};
	cairn_clip *c = cairn_scene_plan(s, 0, NULL, &e);
	CHECK(c && c->met);
	double cost = c->cost;
	printf("samples %u steps %u cost %.9g residual %g violation %g unknowns %u\n", samples, c->steps, cost, c->residual,
	       c->violation, c->unknowns);
	*off = 0;
	for (uint32_t i = 0; i <= samples; ++i) { /* a parabola through both ends */
		double t = i * c->step;
		v3 at = v3_make(0.8 * t, 0, (0.5 / 1.5 + 7.5) * t - 5 * t * t);
		*off = fmax(*off, v3_distance(at, c->centers[i]));
	}
	cairn_clip_destroy(s, c);
	cairn_scene_destroy(s);
	return cost;
}

TEST(a_particle_goes_from_rest_to_rest)
{
	double off, exact = 4 * (12 * (1.44 + 0.25) / (1.5 * 1.5 * 1.5) + 100 * 1.5);
	double coarse = particle_cost(20, false, &off) - exact, fine = particle_cost(40, false, &off) - exact;
	printf("%g %g\n", coarse / exact, fine / exact);
	CHECK(fabs(fine / exact) < 2e-4 && fabs(coarse / fine - 4) < 0.2);
}

TEST(with_free_ends_it_flies)
{
	double off, cost = particle_cost(40, true, &off);
	CHECK(cost < 1e-15 && off < 1e-9);
}

TEST_MAIN(TEST_CASE(a_particle_goes_from_rest_to_rest), TEST_CASE(with_free_ends_it_flies))
