/* Which files of the step a plain crowded frame enters: steps a scene to a frame, forgets what ran so far, steps once
 * more, and leaves the counters of gcov for that frame alone. Built from the step with --coverage.
 *
 *   plain_frame SCENE FRAME */
#include "cairn/cairn.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void __gcov_reset(void);
void __gcov_dump(void);

int main(int argc, char **argv)
{
	cairn_error error;
	cairn_scene *scene = argc == 3 ? cairn_scene_read(argv[1], &error) : NULL;
	cairn_world *world = scene ? cairn_world_create(scene, NULL, &error) : NULL;
	if (!world) {
		fprintf(stderr, "plain_frame: needs a scene and a frame\n");
		return 2;
	}
	unsigned long frames = strtoul(argv[2], NULL, 10);
	for (unsigned long i = 0; i + 1 < frames; ++i)
		(void)cairn_world_step(world);
	__gcov_reset();
	cairn_step_report report = cairn_world_step(world);
	__gcov_dump();
	printf("frame %u: %u contacts\n", (unsigned)report.frame, (unsigned)report.contacts);
	fflush(stdout);
	_exit(report.status != CAIRN_STEP_OK); /* what runs from here on does not count */
}
