/* The contact polygon (OBA 3.2): what of two parts lies against the plane between them.
 *
 * The features of A and B nearest the plane (a face, an edge or a vertex each) are projected on it and intersected;
 * the corners of the intersection are the contact points. Nothing is widened: a cube that overhangs touches where it
 * touches. Points whose gap is more than the slab are left out, the one with the smallest gap never: it is that of the
 * separation, up to what a separation is off by. Arcs of a cylinder's rim are stood for by 16 fixed azimuths and the
 * point nearest the plane; of a face with more than 128 corners every second, third, ... is taken.
 *
 * A point is named by what meets there: VERTEX of A on FACE of B, EDGE on EDGE where two cross, and so on; a corner
 * within rounding of an edge counts as inside. contact_side.h has the names on a cylinder's rim. */
#ifndef CN_CONTACT_H
#define CN_CONTACT_H

#include "geom/separate.h"

enum { CN_CONTACT_MAX = 64 }; /* points of a pair; of a larger polygon those that span it best are kept */

typedef struct cn_contact_point {
	v3 a, b;          /* on A's and on B's surface, relative to the places' centres, world axes */
	double gap;       /* n.((xb + b) - (xa + a)): negative where they overlap */
	uint64_t feature; /* of A << 32 | of B: persists while the same features meet, unique in a set */
} cn_contact_point;

typedef struct cn_contact_set {
	v3 n;             /* that of the separation */
	double low, high; /* m: any slab from low to below high gives the same points; low = high: not known */
	uint32_t count;
	cn_contact_point points[CN_CONTACT_MAX]; /* by feature */
} cn_contact_set;

/* s: the answer of cn_separate for these places; with any other the set is of no use, but finite, ordered and not
 * empty. slab >= 0 in metres: how much further than the nearest point of its part a vertex may lie from the plane and
 * still count as touching; the largest gap of a point that is kept is the gap along s->n plus the slab. */
void cn_contact_find(const cn_convex_pair *pair, const cn_separation *s, double slab, cn_contact_set *out);

/* The momentum stage may do with fewer: keeps at most `most` >= 4 points: those with no more than a gap that counts as
 * touching, and if there are too many, no others; else the deepest and the one furthest from it; then always the one that
 * adds most area; order as before. */
void cn_contact_reduce(cn_contact_set *set, uint32_t most, double touching);
uint64_t cn_contact_choose(const cn_contact_set *set, uint32_t most, double touching); /* the same: a bit for each */

#endif
