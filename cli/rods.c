#include "rods.h"

#include <math.h>

void rods_find_tracks(const cairn_recording *recording, uint32_t *tracks)
{
	uint32_t bodies = cairn_scene_body_count(cairn_recording_scene(recording));
	uint32_t count = cairn_recording_get_info(recording).bodies;
	for (uint32_t i = 0; i < bodies; ++i)
		tracks[i] = ROD_NOWHERE;
	for (uint32_t i = 0; i < count; ++i) {
		cairn_body body = cairn_recording_track(recording, i).body;
		if (body.generation == 1 && body.index < bodies) /* not one that came later in the place of another */
			tracks[body.index] = i;
	}
}

uint32_t rods_of(const cairn_scene *scene, const uint32_t *tracks, uint32_t joint, rod found[2])
{
	uint32_t count = cairn_scene_rods(scene, joint, found);
	for (uint32_t i = 0; tracks && i < 2 * count; ++i) {
		uint32_t *track = &found[i / 2].ends[i % 2].track;
		if (*track != ROD_WORLD)
			*track = tracks[*track];
		if (*track == ROD_NOWHERE)
			return 0;
	}
	return count;
}

double rods_radius(const cairn_scene *scene, const uint32_t *tracks)
{
	double least = INFINITY;
	for (uint32_t i = 0; i < cairn_scene_joint_count(scene); ++i) {
		rod found[2];
		double radius = rods_of(scene, tracks, i, found) ? cairn_scene_rod_radius(scene, i) : 0;
		if (radius > 0)
			least = fmin(least, radius);
	}
	return isfinite(least) ? least : 0;
}

bool rod_holds(const rod *r, double length) { return length > 0 && length >= r->low && length <= r->high; }
