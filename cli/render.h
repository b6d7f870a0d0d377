/* Pictures of recordings, drawn without a screen by whatever OpenGL this machine has (docs/render.md).
 *
 * A renderer belongs to one recording and one thread. It reads frames of the recording, so what the caller has read
 * before is gone after each call. The same recording, frame and def give the same pixels on the same machine. */
#ifndef RENDER_H
#define RENDER_H

#include "cairn/cairn.h"

typedef struct renderer renderer;

enum { RENDER_SIZE_LEAST = 16, RENDER_SIZE_MOST = 4096 }; /* pixels, both ways */

/* Fast is for film: under 60 ms a frame of 1000 bodies at 1280x720 without a graphics card. Fine costs ten times that:
 * sixteen samples a pixel, and more of everything. */
typedef enum render_quality { RENDER_FAST, RENDER_FINE } render_quality;

typedef struct render_def {
	uint32_t width, height; /* pixels; 1280x720 */
	uint32_t from, to;      /* frames: the camera that is chosen by itself has them all in view */
	bool single;            /* one picture alone, of frame: of that frame alone if bodies would be too small to see */
	uint32_t frame;
	render_quality quality;
	bool has_camera; /* else the scene's own; else the whole of it */
	bool fits;       /* the whole of it although the scene has a camera */
	cairn_vec3 position, target;
	double fov;         /* vertical, rad */
	const char *follow; /* NULL; else the name of a body that the camera moves along with */
	bool has_light;     /* else the scene's own; else one from over the viewer's left shoulder */
	cairn_vec3 light;   /* the way it travels */
	bool no_glass;      /* what stands in front stays solid; walls that are half-spaces are left out */
	bool contacts, planes, wireframe, sleeping; /* the first two run the recording again: a step for each frame */
} render_def;

/* All frames of the recording. */
render_def render_default_def(const cairn_recording *recording);

/* NULL: error says why; CAIRN_MISSING where there is no OpenGL. */
renderer *render_open(cairn_recording *recording, const render_def *def, cairn_error *error);
void render_close(renderer *r); /* NULL is fine */

/* Puts the camera that is used into a def: for pictures of another recording from the same place. */
void render_camera(const renderer *r, render_def *def);

/* The picture of a frame, or of a moment before it: part from 0 (the frame before) to 1 (the frame itself). rgb takes
 * 3 x width x height bytes, the top row first. */
bool render_frame(renderer *r, uint32_t frame, double part, uint8_t *rgb, cairn_error *error);

/* The same in three steps, so that the next picture can be begun before the last one is finished: the driver draws it
 * meanwhile. In this order, each once a picture: begin, wait, (begin of the next,) finish. */
bool render_begin(renderer *r, uint32_t frame, double part, cairn_error *error);
bool render_wait(renderer *r, cairn_error *error);
void render_finish(renderer *r, uint8_t *rgb);

/* A PNG file in memory, which the caller frees. False: error says why. */
bool render_png(const uint8_t *rgb, uint32_t width, uint32_t height, uint8_t **png, size_t *size, cairn_error *error);

#endif
