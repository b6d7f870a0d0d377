/* A recording, open for writing or for reading: what both know, and what each keeps.
 *
 * Writing keeps the living bodies and buffers of one frame; nothing in it grows with the frames. Reading keeps the
 * scene, the bodies that ever were (tracks) and where each frame is in the file; never the frames themselves. */
#ifndef CN_RECORDING_H
#define CN_RECORDING_H

#include "base/bytes.h"
#include "base/sort.h"
#include "record/chunk.h"
#include "record/frame_bytes.h"
#include "record/store.h"

#define CN_ALIVE UINT32_MAX /* last_frame of a track that has not ended yet, while the file is scanned */

/* Bytes that are used again and again. */
typedef struct cn_buffer {
	uint8_t *data;
	size_t size, capacity;
} cn_buffer;

/* Room for size more bytes, which the caller fills; NULL when memory ran out, and nothing has changed then. */
uint8_t *cn_buffer_extend(cn_buffer *buffer, const cairn_allocator *allocator, uint64_t size);
void cn_buffer_free(cn_buffer *buffer, const cairn_allocator *allocator);

/* A body that lives at the last frame written. */
typedef struct cn_life {
	cairn_body body;
	uint32_t serial;
	bool fixed;
} cn_life;

typedef struct cn_record_out {
	cn_writer bytes; /* chunks of one frame */
	cn_life *lives;  /* by serial */
	uint32_t life_count, life_capacity;
	uint32_t old_count;   /* how many of them were there at the frame before */
	uint32_t next_serial; /* every body seen so far has a smaller one */
	uint32_t joint_count; /* whose pairs were written */
	uint32_t births;      /* bodies seen so far */
	uint64_t chain;       /* with the frame that is being written */
	cairn_body *handles;
	cn_sort_item *order; /* twice as many as are sorted */
	uint32_t handle_capacity, order_capacity;
	cn_buffer snapshot;
	uint32_t shape_count, material_count; /* of the scene, in the file so far */
	size_t inputs_before;                 /* bytes of inputs that came before the first frame and are part of it */
	cairn_key keys[CN_FRAME_KEYS_MAX];
	bool failed;
} cn_record_out;

/* Where something is in the file. */
typedef struct cn_span {
	uint64_t offset, size;
} cn_span;

typedef struct cn_checkpoint {
	uint32_t frame;
	cn_span chunk;
} cn_checkpoint;

typedef struct cn_record_in {
	cairn_scene *scene;         /* with the shapes and materials that came during the run */
	cn_span start;              /* the scene's chunk */
	cn_checkpoint *checkpoints; /* by frame; the first frame has one */
	uint32_t checkpoint_count, checkpoint_capacity;
	cn_span *frames; /* each frame's sleepers and times (if any) and frame chunk, by frame - first_frame */
	uint32_t frame_count, frame_capacity;
	cairn_track *tracks; /* own names; by serial */
	uint32_t track_count, track_capacity;
	uint32_t (*exempt)[2]; /* tracks, the smaller first */
	uint32_t exempt_count, exempt_capacity;
	char **stage_names; /* each once */
	uint32_t stage_name_count, stage_name_capacity;
	cn_buffer bytes; /* of the frame being read */
	cairn_track_key *keys;
	uint32_t key_count, key_capacity;
	uint64_t whole; /* bytes up to the end of the last whole frame */
	bool complete, truncated, damaged;
	char note[200];
} cn_record_in;

struct cairn_recording {
	cairn_allocator allocator;
	char *path;
	cn_store store;
	bool writing;
	uint32_t checkpoint_every;
	char version[24]; /* of the library that wrote it */
	uint32_t first_frame, last_frame;
	double last_time; /* s: of the last frame */
	double fps;       /* of the last frame */
	bool fps_changed; /* before the last frame: times are no longer frame / fps */
	uint32_t bodies;  /* that were ever there */
	uint64_t chain;   /* hash over the frames first to last */
	cn_record_out out;
	cn_record_in in;
};

/* Whether a frame's time is what the frame before and the frames a second make it: its number over fps, and a frame after
 * the one before once they have changed. */
bool cn_recording_on_time(const cairn_recording *rec, uint32_t frame, double time, bool first);

/* An empty one with its path; NULL when memory ran out. cairn_recording_close frees it. */
cairn_recording *cn_recording_new(const char *path, const cairn_recording_def *def, cairn_error *error);

void cn_record_out_free(cairn_recording *rec);

/* Opens to read; with update the file can be cut and continued afterwards. */
cairn_recording *cn_recording_open(const char *path, const cairn_recording_def *def, bool update, cairn_error *error);
/* Reads the whole file once, checks all of it and finds the frames. False when not even one frame is whole. */
bool cn_recording_scan(cairn_recording *rec, cairn_error *error);
void cn_record_in_free(cairn_recording *rec);
bool cn_fail_no_frame(const cairn_recording *rec, uint32_t frame, cairn_error *error); /* false: one out of range */

/* Takes a frame's chunks apart (DPTH, DEBT, LATE, JONT, CNTS, SLEP and TIME if they are there, then FRAM) and checks them; times of keys must not lie before the
 * given one. Fills out and the recording's keys. CAIRN_FILE when the bytes make no sense: the message says what. */
bool cn_recording_decode(cairn_recording *rec, cn_reader *chunks, double after, cairn_frame *out, uint64_t *chain,
                         cairn_error *error);

#endif
