/* Pages of cairn view. What a page holds is one run of bytes: the scene as JSON, then blocks of frames in whole numbers
 * (docs/view.md has the format); web/src/recorded.js reads it.
 *
 * view_scene.c is also part of the live page's engine (web/live.c), so it needs no more than json.c. */
#ifndef VIEW_H
#define VIEW_H

#include "json.h"

/* ---- view_scene.c: what there is, as JSON ---- */
/* Name, settings; camera, light. tracks: of the scene's bodies; NULL: they are numbered as in the scene. */
void view_write_scene(json *j, const cairn_scene *scene, const cairn_view *view, const uint32_t *tracks);
void view_write_rods(json *j, const cairn_scene *scene, const uint32_t *tracks); /* ropes and arms of joints: rods.h */
/* The shapes from number first on as an array: triangles, or a half-space's plane. False: error says why. */
bool view_write_shapes(json *j, const cairn_scene *scene, uint32_t first, cairn_error *error);
void view_write_body(json *j, const cairn_track *track); /* an object in an array */

/* ---- view_bytes.c: bytes that grow ---- */
typedef struct view_bytes {
	unsigned char *data;
	size_t size, room;
} view_bytes;

void view_put_bytes(view_bytes *b, const void *data, size_t size);
void view_put_byte(view_bytes *b, unsigned value);
void view_put_u32(view_bytes *b, uint32_t value); /* little end first */
void view_put_u64(view_bytes *b, uint64_t value);
void view_put_float(view_bytes *b, double value);
void view_put_count(view_bytes *b, uint64_t value); /* seven bits a byte, lowest first */
void view_put_signed(view_bytes *b, int64_t value); /* 0, -1, 1, -2, ... as counts */
void view_free_bytes(view_bytes *b);

/* ---- view_frames.c: what moved ---- */
typedef struct view_job {
	cairn_recording *recording;
	const char *file;  /* what it is called on the page */
	uint32_t from, to; /* frames */
	bool contacts;     /* run it again for its contacts */
	uint32_t threads;  /* for that; 0: one for each core */
	bool (*progress)(void *context, uint32_t frame, uint32_t total);
	void *context;
	size_t most; /* bytes */
	/* what came of it */
	double step;      /* m: positions are whole multiples of it */
	uint32_t reached; /* the last frame that fits into most bytes */
	cairn_box bounds; /* of the centres of what moves */
} view_job;

typedef enum view_end { VIEW_DONE, VIEW_STOPPED, VIEW_FULL, VIEW_FAILED } view_end;

/* The largest error that packing makes: of a coordinate, as a part of step; of an orientation, rad. */
#define VIEW_POSITION_ERROR 0.5
#define VIEW_TURN_ERROR 1e-4

/* Appends everything a page holds. VIEW_FAILED: error says why. */
view_end view_pack(view_job *job, view_bytes *out, cairn_error *error);

/* ---- view_page.c: the page itself ---- */
typedef struct view_part {
	const char *name; /* "data" (of view_pack), "data2" (of a second recording), "engine", "engine-simd" (modules),
	                   * "scenes", "gallery" (files after a JSON that lists them) */
	const void *data;
	size_t size;
} view_part;

/* Writes the player with the parts in it; beside: they go to a file of their own, whose name is path's with .data.js
 * for .html. Says what is wrong; returns the exit status. */
int view_write_page(const char *path, const view_part *parts, size_t count, bool beside);
char *view_beside_name(const char *path); /* the caller frees it */
bool view_is_page(const char *path);      /* whether the file is one that view_write_page made */

/* ---- view_live.c ---- */
struct options;
struct source;
int view_show_live(const struct options *o, const struct source *from, const char *path);

#endif
