/* Captured motion in BVH files: channels of numbers, one for each frame, named after joints. */
#ifndef CN_BVH_READ_H
#define CN_BVH_READ_H

#include "base/arena.h"

typedef struct cn_bvh {
	const char **channels; /* "JOINT Xrotation", as the file has them; NULL ends it */
	uint32_t channel_count, frame_count;
	double frame_time; /* s */
	double *values;    /* frame after frame: degrees, and lengths in the file's unit */
} cn_bvh;

/* All of it lives in the arena. name is for errors, which have its line. */
bool cn_bvh_read(const char *data, size_t size, const char *name, cn_arena *arena, cn_bvh *out, cairn_error *error);

#endif
