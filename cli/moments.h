/* What happens when in a recording, from its keys alone: how much moves in each frame, and which blow was the hardest. */
#ifndef MOMENTS_H
#define MOMENTS_H

#include "cairn/cairn.h"

typedef struct moment {
	double motion;  /* ways and turns of all bodies in the frame, each in parts of its size and 1 at most */
	double impulse; /* N s: of the hardest blow; 0: none */
	double speed;   /* m/s: by which it changed the velocity */
	uint32_t track; /* of the body that got it */
	bool given;     /* something was given to the world before the step that led here */
} moment;

typedef struct moments {
	uint32_t from, to; /* frames */
	moment *frames;    /* of each, from on */
} moments;

/* A blow changes a velocity by more than a few frames of gravity, and by what is seen of a body of that size. False:
 * error says why. */
bool moments_read(moments *m, cairn_recording *recording, uint32_t from, uint32_t to, cairn_error *error);
void moments_free(moments *m);

/* The first frame by which that share (0 to 1) of all motion has happened; where nothing moves, that share of the frames. */
uint32_t moments_at(const moments *m, double share);

/* The hardest blows, in order of their frames: each at least a twentieth of the hardest, none within a few frames of a harder
 * one. Writes up to capacity frames and returns how many. */
uint32_t moments_blows(const moments *m, uint32_t *frames, uint32_t capacity);

#endif
