/* What a run would take, told before it: memory, the size of its recording, time. */
#ifndef COST_H
#define COST_H

#include "cairn/cairn.h"

typedef struct cost {
	uint64_t bodies; /* when all emitters have emitted */
	uint64_t memory; /* bytes at once */
	uint64_t file;   /* bytes of the recording */
	double seconds;
	uint32_t tried; /* frames that were run to know; 0: it is the least that the counts of the scene tell */
} cost;

/* From the counts alone: what no run of the scene can do without. */
cost cost_least(const cairn_scene *scene);

/* By running the world, which is at its start, for its first frames: at most so many seconds of them. status is that of
 * the step that failed, if one did. */
cost cost_try(cairn_world *world, double seconds, cairn_step_report *failed);

/* 0, or STATUS_FAILED after saying that the scene takes more memory than --memory allows, with the numbers. */
int cost_check(const cairn_scene *scene);

/* "about 1.2 GB of memory, a recording of 3 GB, 20 s" */
void cost_print(const cost *c, char *text, size_t size);

#endif
