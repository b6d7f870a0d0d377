/* What the exporters share: the output stream, the tracks of the frames asked for, unique names.
 *
 * A writer (NAME_write.c for each row of CN_FORMATS) gets a cn_export and writes to its stream; export.c opens a
 * temporary file beside the target before and moves it over the target afterwards, or removes it. Writers see the
 * recording only through the public calls. */
#ifndef CN_EXPORT_H
#define CN_EXPORT_H

#include "base/vec.h"

#include <stdio.h>

/* A stream that remembers failure: write on; export.c says why at the end. */
typedef struct cn_out {
	FILE *file;
	uint64_t size; /* bytes written */
	int reason;    /* errno of the first failure */
	bool failed;
} cn_out;

void cn_out_bytes(cn_out *out, const void *bytes, size_t size);
void cn_out_text(cn_out *out, const char *text);
void cn_out_format(cn_out *out, const char *format, ...) CN_PRINTF(2, 3); /* integers and short words: 256 bytes */
void cn_out_number(cn_out *out, double x);   /* shortest text that reads back the same; x is finite */
void cn_out_number17(cn_out *out, double x); /* as %.17g */
void cn_out_v3(cn_out *out, v3 v, const char *open, const char *between, const char *close);
void cn_out_quote(cn_out *out, const char *text); /* a string of JSON and of USD; what is not UTF-8 becomes U+FFFD */
void cn_out_u32(cn_out *out, uint32_t x);         /* little-endian */
void cn_out_floats(cn_out *out, const float *x, size_t count);

/* A body in the frames asked for. */
typedef struct cn_export_track {
	uint32_t first, last; /* frames with keys, within from..to */
	double time, frame;   /* of its first key, as below: before first where a body was added inside the run */
	uint32_t keys;        /* of them and between them; 0: not there in any of the frames */
	bool moves;           /* two of its keys differ in place or turn */
	pose start;           /* of the centre of mass and the shape's axes at its first key */
	size_t at;            /* where its keys begin in the gathered block */
	uint32_t gathered;    /* how many of them are there */
} cn_export_track;

typedef struct cn_export_key {
	double time;      /* as recorded, seconds */
	double frame;     /* the same in frames: whole at a frame's own key */
	v3 position;      /* of the centre of mass */
	quat orientation; /* unit; its sign follows the key before it, so that neighbours are less than pi apart */
} cn_export_key;

#define CN_EXPORT_KEYS (4u << 20) /* 288 MiB */

typedef struct cn_export {
	cairn_recording *recording;
	const cairn_scene *scene;
	const cairn_export_def *def;
	cairn_view view; /* camera and light to show it with */
	cairn_allocator allocator;
	cairn_recording_info info;
	uint32_t from, to; /* both recorded */
	double fps;
	cn_out out;
	uint32_t progress, stage_from, stage_to; /* in frames of the export */
	uint64_t stage_reads, stage_read;
	/* Filled by cn_export_survey. */
	cn_export_track *tracks; /* info.bodies of them */
	double *times;           /* of each frame from..to */
	size_t key_limit;        /* keys that cn_export_gather holds at once, unless one body alone has more */
	uint64_t blocks;         /* how often cn_export_gather will be called */
	cn_export_key *keys;     /* of the tracks gathered last */
	size_t key_capacity;
} cn_export;

static inline uint32_t cn_export_frames(const cn_export *e) { return e->to - e->from + 1; }

/* Says that the reads to come bring the progress to the frame given. */
void cn_export_stage(cn_export *e, uint64_t reads, uint32_t progress);
/* Reads a frame and tells the progress; false when it cannot be read, when writing has failed, or when told to stop. */
bool cn_export_read(cn_export *e, uint32_t frame, cairn_frame *out, cairn_error *error);

/* Goes through the frames once and fills tracks and times. Memory grows with bodies + frames. */
bool cn_export_survey(cn_export *e, cairn_error *error);
/* For formats that show it: tracks that are not to be seen have no keys from here on. */
void cn_export_hide(cn_export *e);
static inline double cn_export_opacity(const cn_export *e, uint32_t track)
{
	return e->def->opacity ? e->def->opacity[track] : 1;
}
/* Formats that want each body's keys in one piece get them block by block: collects the keys of moving tracks from
 * first to *end - 1, as many as fit key_limit (one track at least), in one more pass over the frames. So memory
 * stays bounded however long the recording is; time grows by a pass for every block. */
bool cn_export_gather(cn_export *e, uint32_t first, uint32_t *end, cairn_error *error);
static inline const cn_export_key *cn_export_track_keys(const cn_export *e, uint32_t track)
{
	return e->keys + e->tracks[track].at;
}
/* True when it was not there at the first frame asked for. */
static inline bool cn_export_track_late(const cn_export *e, const cn_export_track *t) { return t->time > e->times[0]; }
/* True when there are keys inside the frames, beside one a frame. */
static inline bool cn_export_track_extra(const cn_export_track *t) { return t->keys != t->last - t->first + 1; }
/* A removed body is gone as soon as its last frame is over: it is shown up to this much of a frame later. */
#define CN_EXPORT_LINGER 0.0625

/* A name for each track that no other has: its own where possible, else its own and its number. identifiers: letters,
 * digits and underscores only. NULL when memory ran out. */
char **cn_export_names(const cn_export *e, bool identifiers);
void cn_export_names_free(const cn_export *e, char **names);

/* Gives the def the rods of the scene's joints between bodies that the recording has. Returns the block that holds them,
 * two for each joint; NULL when memory ran out. */
cairn_rod *cn_rods_find(const cn_export *e, cairn_export_def *def);

/* Camera axes as the columns x, y, z of a turn, looking along -z with the scene's up near y. */
quat cn_export_camera(const cairn_view *view);
bool cn_camera_moves(const cairn_view *view); /* it has keys, or follows a body */

/* export_camera.c: a camera that moves, in each frame asked for; false: error says why, and places are freed all the
 * same by cn_camera_free. */
bool cn_camera_gather(cn_export *e, pose **places, cairn_error *error);
void cn_camera_free(const cn_export *e, pose *places); /* NULL is fine */
/* The same for the light, which shines along -z; how bright it is, and the colour for a brightness of 1. */
quat cn_export_light(const cairn_view *view);
double cn_export_brightness(const cairn_view *view, cairn_color *color);
#define CN_EXPORT_SUN 1.22 /* what a picture's sun adds to a white surface that faces it (docs/render.md) */

/* The formats: FORMAT(name, ending, title, who reads it). To add one, write src/io/NAME_write.c with cn_NAME_write and
 * add a row; the tool's help and messages follow from it. */
#define CN_FORMATS(FORMAT)                                                                                             \
	FORMAT(gltf, ".glb", "glTF 2.0", "Blender, three.js and other viewers")                                            \
	FORMAT(usda, ".usda", "USD", "USD tools")                                                                          \
	FORMAT(csv, ".csv", "comma-separated values", "every key of every body as numbers, for programs of your own")      \
	FORMAT(traj, ".traj", "trajectory", "cairn certify, and checkers of your own")

typedef bool cn_export_write(cn_export *e, cairn_error *error);
#define CN_FORMAT_WRITE(name, ending, title, readers) cn_export_write cn_##name##_write;
CN_FORMATS(CN_FORMAT_WRITE)

#endif
