/* The impulse method (RBS 3.3): impacts at their own times. */
#include "classic_yard.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

static cairn_scene *ball_scene(double e, const char *substeps)
{
	cairn_scene *s = classic_scene("impulse", v3_make(0, 0, -10), 30);
	classic_set(s, "substeps", substeps);
	cairn_material m = yard_material(s, e, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_body_def d = yard_body(yard_round(s, CAIRN_SPHERE, 0.1, 0), m, v3_make(0, 0, 1.1));
	d.name = "ball";
	CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	return s;
}

/* A ball dropped from a metre with e = 1/2 is at rest after sqrt(2 h / g) (1 + e) / (1 - e), with infinitely many bounces; until
 * then no key shows an overlap. */
TEST(a_ball_comes_to_rest_in_time)
{
	const double e = 0.5, total = sqrt(2.0 / 10) * (1 + e) / (1 - e);
	classic c = classic_open(ball_scene(e, "1024"), 1);
	cairn_impact impacts[MOST];
	double last = 0, before = 0;
	uint32_t bounces = 0;
	while (cairn_world_time(c.world) < total + 0.2 && c.ok) {
		classic_step(&c);
		if (cairn_world_time(c.world) < total)
			before = fmax(before, c.report.depth);
		uint32_t count = cairn_world_impacts(c.world, impacts, MOST);
		for (uint32_t i = 0; i < count && i < MOST; ++i)
			if (v3_length(impacts[i].impulse) > 0.001 * classic_mass(&c, "ball")) /* faster than 0.7 mm/s */
				last = impacts[i].time, ++bounces;
	}
	CHECK_NEAR(last, total, 1e-3 * total);
	CHECK(bounces >= 10);
	CHECK(before <= 1e-9);
	CHECK_NEAR(c.ledger, 0, 1e-12);
	classic_close(&c);
}

/* With e = 1 it bounces for ever, and loses nothing. */
TEST(an_elastic_ball_keeps_its_height)
{
	classic c = classic_open(ball_scene(1, "64"), 1);
	double first = c.total;
	for (int i = 0; i < 300; ++i)
		classic_step(&c);
	CHECK_NEAR(c.total, first, 1e-9 * c.unit);
	CHECK(c.deepest <= 1e-9);
	classic_close(&c);
}

/* Rest by micro-collisions: the ball sinks by about g dt^2 / 2 in each of them, more slowly with more of them. */
TEST(what_rests_sinks)
{
	double depth[2];
	for (int i = 0; i < 2; ++i) {
		classic c = classic_open(ball_scene(0, i ? "256" : "64"), 1);
		for (int k = 0; k < 90; ++k)
			classic_step(&c);
		depth[i] = c.report.depth;
		classic_close(&c);
	}
	CHECK(depth[0] > 1e-4 && depth[0] < 0.02);
	CHECK(depth[1] < 0.5 * depth[0]);
}

/* Boxes, rods and balls that fly about and meet at all angles: none overlaps, and the ledger adds up; threads change no bit. */
static cairn_scene *swarm(void)
{
	cairn_scene *s = classic_scene("impulse", v3_zero(), 30);
	cairn_material m = yard_material(s, 0.9, 0.2);
	yard_shaft(s, m, 2);
	yard_plane(s, m, v3_make(0, 0, -1), -4);
	cairn_shape shapes[3] = {yard_box(s, 0.5, 0.4, 0.3), yard_round(s, CAIRN_CAPSULE, 0.1, 0.4),
	                         yard_round(s, CAIRN_SPHERE, 0.2, 0)};
	for (int i = 0; i < 12; ++i) {
		cairn_body_def d =
			yard_body(shapes[i % 3], m, v3_make(1.1 * (i % 3) - 1.1, 1.1 * (i / 3 % 2) - 0.5, 1 + 1.2 * (i / 6)));
		d.velocity = v3_make(2 - i % 4, i % 3 - 1, i % 5 - 2), d.spin = v3_make(i % 4, 2, i % 3);
		CHECK(cairn_scene_add_body(s, &d, NULL).generation);
	}
	return s;
}

TEST(what_flies_does_not_overlap)
{
	classic one = classic_open(swarm(), 1), two = classic_open(swarm(), 2);
	uint32_t hits = 0;
	bool same = true;
	for (int i = 0; i < 45; ++i) {
		classic_step(&one), classic_step(&two);
		hits += one.report.collisions;
		same &= cairn_world_hash(one.world) == cairn_world_hash(two.world);
	}
	CHECK(hits > 20 && same);
	CHECK(one.deepest <= 1e-9);
	CHECK(one.rise < 1e-5); /* what free turning drifts by */
	CHECK_NEAR(one.ledger, 0, 1e-12);
	classic_close(&one), classic_close(&two);
}

/* An allocator that gives no address twice while a test runs, as sanitizers' do: what was given back is never found again. */
typedef struct hoard {
	void *kept[65536];
	uint32_t count;
} hoard;

static void *hoard_resize(void *context, void *block, size_t old_size, size_t new_size)
{
	hoard *h = context;
	void *other = new_size ? malloc(new_size) : NULL;
	if (other && block)
		memcpy(other, block, old_size < new_size ? old_size : new_size);
	if (block && (other || !new_size)) {
		memset(block, 0xa5, old_size);
		CHECK(h->count < sizeof h->kept / sizeof *h->kept);
		h->kept[h->count++] = block;
	}
	return other;
}

/* Where many are struck, contacts are found again within the frame, and the memory of functions is taken anew. */
TEST(many_that_are_struck_leave_no_memory_behind)
{
	static hoard h;
	cairn_scene *s = classic_scene("impulse", v3_make(0, 0, -10), 30);
	cairn_material m = yard_material(s, 0.5, 0);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape ball = yard_round(s, CAIRN_SPHERE, 0.1, 0);
	for (int i = 0; i < 150; ++i)
		yard_add(s, ball, m, v3_make(0.3 * (i % 15), 0.3 * (i / 15), 0.12 + 0.01 * (i % 7)), v3_zero());
	cairn_world_def d = cairn_default_world_def();
	d.threads = 1, d.allocator = (cairn_allocator){&h, hoard_resize};
	cairn_world *w = cairn_world_create(s, &d, NULL);
	cairn_scene_destroy(s);
	uint32_t hits = 0;
	for (int i = 0; w && i < 10; ++i) {
		cairn_step_report r = cairn_world_step(w);
		CHECK(r.status == CAIRN_STEP_OK);
		hits += r.collisions;
	}
	CHECK(hits > 150);
	cairn_world_destroy(w);
	while (h.count > 0)
		free(h.kept[--h.count]);
}

TEST_MAIN(TEST_CASE(a_ball_comes_to_rest_in_time), TEST_CASE(an_elastic_ball_keeps_its_height),
          TEST_CASE(what_rests_sinks), TEST_CASE(what_flies_does_not_overlap),
          TEST_CASE(many_that_are_struck_leave_no_memory_behind))
