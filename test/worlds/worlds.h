/* Random worlds, and what is looked at in them (docs/worlds.md). On the public header alone: what judges the engine
 * shares no code with it. */
#ifndef WORLDS_H
#define WORLDS_H

#include "cairn/cairn.h"

#include <math.h>

typedef cairn_vec3 vec;

static inline vec vec_make(double x, double y, double z) { return (vec){x, y, z}; }
static inline vec vec_add(vec a, vec b) { return vec_make(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline vec vec_sub(vec a, vec b) { return vec_make(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline vec vec_scale(vec a, double s) { return vec_make(s * a.x, s * a.y, s * a.z); }
static inline vec vec_madd(vec a, vec b, double s) { return vec_add(a, vec_scale(b, s)); }
static inline double vec_dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline double vec_length(vec a) { return sqrt(vec_dot(a, a)); }

/* ---- generate.c */

/* The world of a seed as the text of a scene file, free of overlap; the caller frees it. NULL: there was no memory, or
 * no draw of the seed makes a world (error says why). HARD: of wider ranges, and with more that can be in a scene; SHEETS: most
 * bodies are meshes that move. */
typedef enum world_kind { USUAL, HARD, SHEETS } world_kind;
char *world_text(uint64_t seed, uint32_t frames, world_kind is, size_t *size, cairn_error *error);

/* ---- watch.c */

/* What can be wrong with a frame. */
typedef enum kind {
	HANG,       /* a body in free flight does not fall as it must, or does not go where its velocity leads */
	STALL,      /* a body goes less than a tenth of its velocity's way */
	STILL,      /* the same for more than three frames on end */
	DEBT,       /* a body's way is not that of its velocities, by more than 2 % of its motion */
	SHOT,       /* a body has more kinetic energy than there was for it */
	RISE,       /* the energy of all rose without a cause, by more than 1e-4 units */
	HELD,       /* bodies put back by the last tier */
	LATE,       /* scripts whose clocks are behind */
	REFUSED,    /* a step that was not taken */
	NOT_FINITE, /* a number that is none */
	STUCK,      /* a world that was given up after --patience seconds */
	CRASHED,    /* a world whose process died */
	SLOW,       /* a frame that took more than 50 times the median, or more than two seconds */
	OVERLAP,    /* two bodies in one place, at a sampled time */
	DIFFERS,    /* other bits with three threads, or after a snapshot taken on the way */
	KINDS
} kind;

typedef struct kind_info {
	const char *name, *worst; /* what the worst value measures */
} kind_info;

extern const kind_info kinds[KINDS];

/* How often something of a kind was seen, and where it was worst. */
typedef struct sight {
	uint64_t count;
	double worst;
	uint32_t frame;
	char body[80]; /* or what there is to say */
} sight;

typedef struct seen {
	sight of[KINDS];
	uint64_t frames, body_frames, free_frames; /* of dynamic bodies; of these proved to touch nothing */
	double ms, ms_median;
} seen;

/* Runs a scene for so many frames and looks at each. False: no world can be made of it. The eye takes gravity for larger
 * by the share wrong than it is: 0, but for the test of the eye itself. */
bool watch_scene(const cairn_scene *scene, uint32_t frames, double wrong, seen *out, cairn_error *error);

/* ---- apart.c: a check of overlap that shares nothing with the engine's. It samples: what it finds is true, and what it
 * does not find may be there all the same. */

/* Whether two bodies were in one place at one of some times between their keys of the last frame, deeper than rounding.
 * starts: where each was when the frame began. */
bool bodies_overlap(const cairn_world *world, const cairn_body bodies[2], const cairn_key starts[2]);

#endif
