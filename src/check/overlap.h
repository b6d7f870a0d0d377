/* The independent check: do two solids overlap, do two surfaces cross, does anything pass through anything on its way.
 *
 * For certificates only: no other stage of a simulation includes this file, and src/check includes nothing of src/geom
 * but the data of shape.h (tools/layers.sh fails otherwise); no function outside vector arithmetic
 * is shared with what it checks. It takes a plane as a hint, checks it vertex by vertex, and decides without one as
 * well.
 *
 * Everything is measured relative to the pair's midpoint in double. `bound` is the rounding bound of an answer in
 * metres, 32 DBL_EPSILON x (distance of the frames from the midpoint + both radii about them), twice that on the way;
 * it is derived in overlap.c, and what is within it counts as touching. Only where shapes are too sharp to be told
 * closer is the bound of an answer wider, and then as wide as the answer says. */
#ifndef CN_CHECK_OVERLAP_H
#define CN_CHECK_OVERLAP_H

#include "geom/shape.h"

typedef enum cn_verdict { CN_APART, CN_TOUCHING, CN_OVERLAPPING, CN_UNPROVED } cn_verdict;

typedef struct cn_overlap_answer {
	cn_verdict verdict;
	/* m: the gap lies between these; least is a proved lower bound, negative where they overlap. The gap is the
	 * distance, or minus the shortest translation that parts them; of meshes that overlap, least is minus some
	 * translation. */
	double least, most;
	double bound; /* m */
	v3 n;         /* the axis that proves least, from a to b; zero for meshes that overlap */
} cn_overlap_answer;

/* What was given of a shape (no compound), checked: that a hull's triangles are closed, outward and have no point above
 * them is verified here, not believed. */
typedef struct cn_solid cn_solid;
cn_solid *cn_solid_make(const cairn_allocator *allocator, const cn_shape *shape, cairn_error *error);
void cn_solid_free(const cairn_allocator *allocator, cn_solid *solid);

/* At rest. hint: an axis from a to b that may separate, or NULL; anything else does no harm. Where the hint alone
 * proves that they are apart, the answer is what it proves (most is then coarse); else all is found out. Two
 * half-spaces are always unproved. No memory is taken. */
void cn_overlap_pose(const cn_solid *a, pose pa, const cn_solid *b, pose pb, const v3 *hint, cn_overlap_answer *out);

/* Over a piece of motion, as recorded: centre of mass straight from x0 to x1, turning about a fixed axis at constant
 * rate. */
typedef struct cn_track {
	pose in_body; /* of the shape's frame about the centre of mass, body axes */
	v3 x0, x1;
	quat q0;
	v3 turn;
} cn_track;

typedef struct cn_passage {
	/* CN_APART: least >= 0 was proved all the way; CN_OVERLAPPING: they do overlap at time; CN_TOUCHING: within the
	 * bound; CN_UNPROVED: the budget ran out at time, or flat things touched there and then went on as if one had
	 * passed through the other */
	cn_verdict verdict;
	/* m: proved lower bound of the gap over the whole way (up to time where unproved); where they overlap, minus some
	 * translation that parts them */
	double least;
	double bound;
	double time;
	uint32_t pieces; /* sub-intervals looked at; of meshes over all pairs of triangles */
} cn_passage;

typedef struct cn_moving_solid {
	const cn_solid *solid;
	const cn_track *track;
} cn_moving_solid;

/* Pairs of nodes of two meshes that cover all pairs of their triangles, each with an axis that parted it: where the proof of a
 * motion ended, and the next one of the same two may begin. Which cover it is decides about time alone. */
enum { CN_MESH_COVER = 64 };
typedef struct cn_mesh_cover {
	uint32_t count; /* 0: none is known, the roots are the cover */
	uint32_t a[CN_MESH_COVER], b[CN_MESH_COVER];
	v3 axes[CN_MESH_COVER]; /* or zero */
} cn_mesh_cover;

/* cover: of the two from the motion before, and then from this one; NULL: not remembered. */
void cn_overlap_motion(const cn_moving_solid *a, const cn_moving_solid *b, const v3 *hint, uint32_t budget,
                       cn_mesh_cover *cover, cn_passage *out);

/* Its own broad phase: every pair (a < b) of boxes that overlap or touch, each once and in one of the tasks, to visit;
 * in an order that the boxes alone decide. Boxes with low > high are skipped. A tree keeps its room for the next boxes;
 * tasks of one may be visited on several threads. */
typedef struct cn_overlap_box {
	v3 low, high; /* may be infinite */
} cn_overlap_box;
typedef struct cn_overlap_tree cn_overlap_tree;
enum { CN_OVERLAP_TASKS = 64 };
cn_overlap_tree *cn_overlap_tree_create(const cairn_allocator *allocator);             /* NULL when memory ran out */
void cn_overlap_tree_destroy(const cairn_allocator *allocator, cn_overlap_tree *tree); /* NULL is fine */
/* False when memory ran out. *tasks: at most CN_OVERLAP_TASKS + 2. */
bool cn_overlap_tree_build(const cairn_allocator *allocator, cn_overlap_tree *tree, const cn_overlap_box *boxes,
                           uint32_t count, uint32_t *tasks);
void cn_overlap_tree_visit(const cn_overlap_tree *tree, uint32_t task,
                           void (*visit)(void *context, uint32_t a, uint32_t b), void *context);

#endif
