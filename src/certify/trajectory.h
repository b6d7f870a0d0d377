/* A trajectory: the motion of bodies as plain text, whoever made it (docs/trajectory-format.md). */
#ifndef CN_TRAJECTORY_H
#define CN_TRAJECTORY_H

#include "base/arena.h"
#include "base/vec.h"

typedef struct cn_trajectory_frame {
	double time;
	size_t first; /* of its keys; they end where those of the next frame begin */
} cn_trajectory_frame;

struct cairn_trajectory {
	cairn_allocator allocator;
	cn_arena arena;     /* names */
	cairn_scene *scene; /* has the shapes */
	cairn_track *tracks;
	uint32_t (*exempt)[2];
	cn_trajectory_frame *frames;
	cairn_track_key *keys;  /* of bodies that may move, by frame, then body, then time */
	cairn_track_key *shown; /* one frame, fixed bodies included */
	uint32_t track_count, track_capacity, exempt_count, exempt_capacity, frame_count, frame_capacity;
	uint32_t key_count, key_capacity, shown_capacity;
	uint32_t first_frame;
};

/* Reads text[0..size) into an empty trajectory. False: error says why, with the line. */
bool cn_trajectory_parse(cairn_trajectory *t, const char *text, size_t size, cairn_error *error);

#endif
