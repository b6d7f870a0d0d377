/* Drives a world to a frame: replays recorded inputs, steps, appends, compares, shows progress, listens to signals. */
#ifndef DRIVE_H
#define DRIVE_H

#include "progress.h"
#include "summary.h"

typedef enum drive_end {
	DRIVE_DONE,
	DRIVE_STOPPED,  /* a signal: stop_asked() says which */
	DRIVE_FAILED,   /* the simulation: message says why */
	DRIVE_UNWRITTEN /* the recording: message says why */
} drive_end;

typedef struct drive {
	cairn_world *world;
	cairn_recording *output;
	cairn_recording *source; /* whose inputs are replayed; NULL: none */
	uint32_t source_last;    /* its last frame */
	bool compare;            /* its states with the world's */
	uint32_t total;          /* the frame to reach */
	progress *progress;
	/* what came of it */
	summary summary;
	bool differs;
	uint32_t first_difference, compared_first, compared_last; /* frames */
	char message[800];
} drive;

drive_end drive_run(drive *d);

#endif
