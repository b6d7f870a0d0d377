/* The widest separating plane of two convex parts (OBA 3.1): the unit normal along which they are furthest apart.
 *
 * The gap is the maximum over all unit n of min n.b - max n.a. Apart, that is the distance; overlapping, it is minus
 * the length of the shortest translation that separates them; n points from A to B either way. Right up to 1e-9 of
 * the smaller part's size (cylinders 1e-7) plus 8 units in the last place of the distance between the parts'
 * centres.
 *
 * A witness is what is kept of a pair between calls: it makes the next call quick and makes it prefer, among planes
 * that are equally wide, the one of the last call. It is plain data, part of the state of whoever keeps it, and is
 * never trusted: an answer is returned only when the support points of both parts along n confirm it. */
#ifndef CN_SEPARATE_H
#define CN_SEPARATE_H

#include "geom/convex.h"

typedef struct cn_separation {
	v3 n;       /* unit, from A to B, world axes */
	double gap; /* m */
	v3 a, b; /* closest (or deepest) points, relative to the places' centres, world axes: (xb + b) - (xa + a) = gap n */
	cn_feature feature_a, feature_b; /* what those points lie on: of the core where the part is rounded */
	bool again; /* it is known that asking once more, with the witness that came of it, gives these very bits */
} cn_separation;

/* All zero: nothing is known. */
typedef struct cn_witness {
	float axis[3];                 /* the last n, in A's axes */
	uint32_t feature_a, feature_b; /* the last features */
	uint32_t vertex_a, vertex_b;   /* where to begin to climb */
	uint32_t known;                /* 0: nothing; 1: the cores were apart; 2: they overlapped */
} cn_witness;

/* witness may be NULL. Two half-spaces are not asked for. */
void cn_separate(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb, cn_witness *witness,
                 cn_separation *out);

/* As cn_separate, but content with less where the parts are far apart: true if the gap is at least `beyond`, with n
 * and a lower bound of the gap in out, as soon as one axis shows it, and nothing else filled; else false and the
 * whole answer. Most pairs of a broad phase end at the first axis, the last one's. */
bool cn_separate_beyond(const cn_convex_pair *pair, double beyond, cn_witness *witness, cn_separation *out);

/* The same, and where the cores overlap content with that: the gap is then minus infinity, and nothing else means anything. */
bool cn_separate_shallow(const cn_convex_pair *pair, double beyond, cn_witness *witness, cn_separation *out);

/* min n.b - max n.a for a given unit n: a lower bound of the gap, exact up to rounding. */
double cn_separate_along(const cn_convex *a, const cn_place *pa, const cn_convex *b, const cn_place *pb, v3 n);

#endif
