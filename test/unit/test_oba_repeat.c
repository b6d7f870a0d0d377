/* Method oba, frames that repeat the last one: in a world at rest they cost nothing, and they are what the stages would
 * have made, to the bit. A twin that is put back from a snapshot before every step has nothing to repeat and goes
 * through all stages. */
#include "step/context.h"
#include "yard.h"

#include <stdlib.h>

static const v3 down = {0, 0, -10};

typedef struct twins {
	cairn_world *runs, *stages; /* the first may repeat frames, the second goes through all stages */
} twins;

/* Cubes that fall on each other's edges, and an event that kicks one much later. */
static twins make(const char *sleep, uint32_t event)
{
	cairn_scene *s = yard_scene(down);
	CHECK(cairn_scene_set_option(s, "sleep", sleep, NULL));
	cairn_material m = yard_material(s, 0.3, 0.5);
	yard_plane(s, m, v3_make(0, 0, 1), 0);
	cairn_shape cube = yard_box(s, 0.2, 0.2, 0.2);
	cairn_body first = {0, 0};
	for (int i = 0; i < 5; ++i) {
		cairn_body b = yard_add(s, cube, m, v3_make(0.07 * (i % 2), 0.03 * i, 0.12 + 0.21 * i), v3_zero());
		first = i ? first : b;
	}
	cairn_event_def kick = cairn_default_event_def(CAIRN_IMPULSE);
	kick.frame = event, kick.body = first, kick.impulse = v3_make(6, 0, 3);
	CHECK(event == 0 || cairn_scene_add_event(s, &kick, NULL));
	twins t = {cairn_world_create(s, NULL, NULL), cairn_world_create(s, NULL, NULL)};
	cairn_scene_destroy(s);
	return t;
}

static void destroy(twins *t)
{
	cairn_world_destroy(t->runs);
	cairn_world_destroy(t->stages);
}

/* A world's state; *size bytes, which the caller frees. */
static void *state_of(const cairn_world *w, size_t *size)
{
	*size = cairn_world_snapshot_size(w);
	void *bytes = malloc(*size ? *size : 1);
	CHECK(bytes && cairn_world_snapshot(w, bytes, *size, NULL));
	return bytes;
}

static bool same_report(const cairn_step_report *a, const cairn_step_report *b)
{
	return a->status == b->status && a->frame == b->frame && a->time == b->time && a->contacts == b->contacts &&
	       a->close_pairs == b->close_pairs && a->asleep == b->asleep && a->programs == b->programs &&
	       memcmp(&a->energy, &b->energy, sizeof a->energy) == 0 && a->certificate.verdict == b->certificate.verdict &&
	       a->certificate.pairs == b->certificate.pairs && a->certificate.intervals == b->certificate.intervals &&
	       a->certificate.min_gap == b->certificate.min_gap && a->stage_count == b->stage_count;
}

/* One step of both. True: state and report agree. */
static bool step(twins *t)
{
	size_t size, other;
	void *bytes = state_of(t->stages, &size);
	CHECK(cairn_world_restore(t->stages, bytes, size, NULL));
	free(bytes);
	cairn_step_report a = cairn_world_step(t->runs), b = cairn_world_step(t->stages);
	bytes = state_of(t->runs, &size);
	void *with = state_of(t->stages, &other);
	bool same = same_report(&a, &b) && size == other && memcmp(bytes, with, size) == 0;
	free(bytes);
	free(with);
	return same;
}

static uint32_t repeated(const cairn_world *w) { return w->context->repeat.count; }

static void run_for(twins *t, int frames)
{
	for (int i = 0; i < frames; ++i)
		REQUIRE(step(t));
}

TEST(a_world_at_rest_repeats_its_frames)
{
	for (int sleeps = 0; sleeps < 2; ++sleeps) {
		twins t = make(sleeps ? "on" : "off", 0);
		REQUIRE(t.runs && t.stages);
		run_for(&t, 400);
		CHECK(repeated(t.runs) > 200 && repeated(t.stages) == 0);
		destroy(&t);
	}
}

TEST(what_comes_from_outside_ends_it)
{
	twins t = make("off", 300);
	REQUIRE(t.runs && t.stages);
	run_for(&t, 300);
	uint32_t before = repeated(t.runs);
	CHECK(before > 100);
	run_for(&t, 3); /* the scene's event */
	CHECK(repeated(t.runs) == before && cairn_world_frame(t.runs) == 303);
	run_for(&t, 297);
	before = repeated(t.runs);
	CHECK(before > 200);
	for (int i = 0; i < 2; ++i) { /* an input */
		cairn_world *w = i ? t.stages : t.runs;
		CHECK(cairn_world_set_gravity(w, v3_make(3, 0, -9), NULL));
	}
	run_for(&t, 3);
	CHECK(repeated(t.runs) == before);
	run_for(&t, 100);
	destroy(&t);
}

TEST(a_body_that_is_added_is_seen)
{
	twins t = make("on", 0);
	REQUIRE(t.runs && t.stages);
	run_for(&t, 300);
	CHECK(repeated(t.runs) > 100);
	for (int i = 0; i < 2; ++i) {
		cairn_world *w = i ? t.stages : t.runs;
		cairn_body_def d = cairn_default_body_def();
		d.shape = (cairn_shape){1, 1}, d.pose.position = v3_make(0.05, 0.05, 3);
		CHECK(cairn_world_add_body(w, &d, NULL).generation);
	}
	uint32_t before = repeated(t.runs);
	run_for(&t, 40);
	CHECK(repeated(t.runs) == before);
	destroy(&t);
}

TEST_MAIN(TEST_CASE(a_world_at_rest_repeats_its_frames), TEST_CASE(what_comes_from_outside_ends_it),
          TEST_CASE(a_body_that_is_added_is_seen))
