/* The independent check of one frame of many moving bodies: every pair, every key, every piece of motion between keys.
 *
 * Part of the overlap family: it includes nothing of src/geom but overlap.h and the data of shape.h, and finds its
 * pairs by itself. What a body did is given by its keys alone. A frame is filled in, checked, and kept if it is to be
 * the past of the next one. Between frames it remembers where bodies ended, so that a frame that does not go on from
 * there is noticed, and per pair an axis to look along first. No verdict rests on an axis that is remembered: whatever
 * one does not part by far is found out anew, so every number of a result is the same with and without a past.
 *
 * Pairs are looked at in chunks whose results are merged in order: the same bits for any number of threads. */
#ifndef CN_CHECK_FRAME_H
#define CN_CHECK_FRAME_H

#include "base/pool.h"
#include "check/overlap.h"

#define CN_CHECK_NONE UINT32_MAX

typedef struct cn_certifier cn_certifier;

/* NULL when memory ran out. The allocator is copied. */
cn_certifier *cn_certifier_create(const cairn_allocator *allocator);
void cn_certifier_destroy(cn_certifier *certifier); /* NULL is fine */
/* All of it, shapes too: after a restored snapshot. NULL is fine. */
void cn_certifier_forget(cn_certifier *certifier);

/* Takes those of the shapes that it has not seen yet (shapes are only ever added, but for cn_certifier_forget); nothing
 * of them is kept but copies. The error's path names the shape. */
bool cn_certifier_shapes(cn_certifier *certifier, const cn_shape *shapes, uint32_t count, cairn_error *error);

typedef struct cn_check_key {
	double t; /* share of the frame, above the last one's; 1 at the last */
	v3 x;     /* centre of mass */
	quat q;   /* the shape's axes */
	v3 turn;  /* rotation vector of the piece that ends here, world axes */
} cn_check_key;

typedef struct cn_check_body {
	uint64_t name; /* its own, never another body's; 0: there is none */
	uint32_t shape;
	v3 center; /* of mass, in the shape's frame */
	uint32_t group, mask;
	bool dynamic; /* others are exempt among themselves */
	bool arrives; /* appears at the frame's end, at x0 and q0: no way led there */
	bool fresh;   /* appeared at the frame's start, after the last frame was checked: its start counts as a key */
	v3 x0;        /* at the frame's start */
	quat q0;
	uint32_t key_first, key_count; /* among the frame's keys; 0: it does not move */
} cn_check_body;

/* To be filled in. A body keeps its place from frame to frame. */
typedef struct cn_check_frame {
	uint64_t number; /* of the frame's end: one that does not follow the last one kept has no past */
	bool keys_only;  /* poses at keys, not what is between them */
	cn_check_body *bodies;
	cn_check_key *keys;
	uint64_t *exempt; /* pairs that joints hold together: a << 32 | b, a < b, in any order */
	uint32_t body_count, key_count, exempt_count;
} cn_check_frame;

/* Room for a frame, zeroed; NULL when memory ran out. It stays until the next call. The counts may be made smaller. */
cn_check_frame *cn_certifier_frame(cn_certifier *certifier, uint32_t body_count, uint32_t key_count,
                                   uint32_t exempt_count);

/* Where something is wrong. */
typedef struct cn_check_place {
	uint32_t a, b;   /* a CN_CHECK_NONE: nowhere; b CN_CHECK_NONE: the keys of a alone are wrong */
	bool passage;    /* else an overlap at a key */
	double t, depth; /* share of the frame; m, 0 where it is not known */
} cn_check_place;

typedef struct cn_check_result {
	uint64_t pairs;     /* whose swept boxes, each grown by CN_CHECK_NEARBY, meet; exempt ones left out */
	uint64_t intervals; /* pieces of motion of such pairs that were proved */
	uint64_t overlaps;  /* pairs and keys where they overlap */
	/* intervals that were not proved, poses that could not be decided, and keys that do not go on from the last ones,
	 * whose turns do not lead there, or whose time does not rise */
	uint64_t passages;
	double min_gap; /* m: the least at a key after the start, a proved lower bound; infinite: no pairs */
	uint32_t min_a, min_b;
	double bound;         /* m: the largest rounding bound */
	cn_check_place first; /* the earliest; of equal ones the first pair */
} cn_check_result;

/* False when memory ran out: nothing has changed then. */
bool cn_certifier_check(cn_certifier *certifier, cn_pool *pool, cn_check_result *out);
/* The frame just checked becomes the past of the next. */
void cn_certifier_keep(cn_certifier *certifier);
/* For a frame in which no body moves, filled in without keys. True: it follows the frame kept last, in which no body
 * moved either, and shows the same bodies in the same places; so its result is that one's, and it is kept. False: it has
 * to be checked. Pairs that joints hold together have to be those of the last frame. */
bool cn_certifier_again(cn_certifier *certifier, cn_check_result *out);

#endif
