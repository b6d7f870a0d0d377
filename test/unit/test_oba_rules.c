/* Bundled scenes that need a special rule of the step: each case fails without it (docs/rules.md). */
#include "cairn/cairn.h"
#include "test.h"

#include <stdio.h>

typedef struct sums {
	double rise;     /* J: of the energy from frame to frame, beyond what events, fields and joints bring */
	uint32_t halved; /* bodies, frame by frame */
} sums;

static sums run(const char *name, uint32_t frames)
{
	char path[512];
	cairn_error error;
	snprintf(path, sizeof path, "%s/scenes/%s.json", TEST_SOURCE_DIR, name);
	cairn_scene *scene = cairn_scene_read(path, &error);
	cairn_world *world = scene ? cairn_world_create(scene, NULL, &error) : NULL;
	CHECK(world);
	sums s = {0};
	double before = 0;
	for (uint32_t i = 0; world && i < frames; ++i) {
		cairn_step_report r = cairn_world_step(world);
		CHECK(r.status == CAIRN_STEP_OK);
		double total = r.energy.kinetic + r.energy.potential;
		double rise = total - before - r.energy.events - r.energy.fields - r.energy.joints;
		s.rise += i && rise > 0 ? rise : 0;
		s.halved += r.tiers[CAIRN_TIER_HALVE];
		before = total;
	}
	cairn_world_destroy(world);
	cairn_scene_destroy(scene);
	return s;
}

/* Rule "hit is held": else a stack that lands shakes by its own blows, and wins 7 J. */
TEST(what_was_hit_is_held) { CHECK(run("stack", 100).rise < 1); }

/* Rules "unequal masses" and "flat blows": without the one mending brings 275 J, without the other 111 J. */
TEST(unequal_sizes_win_nothing) { CHECK(run("torture/sizes", 60).rise < 10); }

/* Rule "built without gaps": else opening the gaps of the wall brings 4000 J. */
TEST(a_wall_without_gaps_stands_as_built) { CHECK(run("wall", 60).rise < 1); }

TEST_MAIN(TEST_CASE(what_was_hit_is_held), TEST_CASE(unequal_sizes_win_nothing),
          TEST_CASE(a_wall_without_gaps_stands_as_built))
