/* One part's side of a contact: the feature that lies against the plane, drawn on it.
 *
 * The frame's u and v span the plane, n points from A to B. A side is a loop of corners in (u, v): one for a vertex,
 * two for an edge, three or more for a face; and the way back from (u, v) to the surface. Corners of rounded parts are
 * those of the core moved out by the radius. A cylinder's end is a disc: what is inside it and where edges cross its
 * rim is decided on the circle itself, and CN_CAP_CORNERS fixed azimuths of the rim and its point nearest the plane
 * stand for the arcs.
 *
 * Features of a cylinder beyond those of cn_feature: the rim's point nearest the plane is RIM end, azimuth k of an end
 * RIM end | (k + 1) << 1, and where an edge or another rim enters or leaves the disc
 * RIM end | (CN_CAP_CORNERS + 1) << 1 or RIM end | (CN_CAP_CORNERS + 2) << 1. */
#ifndef CN_CONTACT_SIDE_H
#define CN_CONTACT_SIDE_H

#include "geom/contact.h"

enum {
	CN_CAP_CORNERS = 16,
	CN_SIDE_CORNERS = 128,                    /* of a face with more every second, third, ... is taken */
	CN_RAW_CORNERS = 2 * CN_SIDE_CORNERS + 64 /* of two sides met, with those that merge later */
};

typedef struct cn_contact_frame {
	v3 u, v, n;      /* world axes, unit, right-handed */
	double du, dv;   /* of B's centre from A's */
	bool at_b;       /* (u, v) are counted from B's centre, else from A's: from the smaller part's */
	double rounding; /* m: what the coordinates may be off by */
	double merge;    /* m: corners nearer than this are one */
	double slab;     /* m: as asked for (contact.h) */
} cn_contact_frame;

/* A cylinder's end: (u, v) lies over (x, y) about its middle, x = xu (u - u0) + xv (v - v0) and so on. */
typedef struct cn_disc {
	double radius; /* 0: no disc */
	double u0, v0, xu, xv, yu, yv;
	uint32_t end;
} cn_disc;

typedef enum cn_lift { CN_LIFT_POINT, CN_LIFT_LINE, CN_LIFT_PLANE, CN_LIFT_CAPSULE } cn_lift;

typedef struct cn_contact_side {
	uint32_t count;   /* of corners; 0: the plane of a half-space, which is everywhere */
	cn_feature whole; /* the feature itself */
	double winding;   /* 1: the loop of a face runs counter-clockwise in (u, v), -1: clockwise */
	double support;   /* m: how far the part reaches from its centre towards the other */
	double u0, v0;    /* its centre */
	cn_lift lift;
	v3 base, along;       /* point, line: base + t along; world axes, about the centre */
	double tu, tv, t0;    /* line: t = t0 + tu u + tv v; plane: the height along n over the centre; capsule: metres */
	v3 cap;               /* capsule: the core's nearer end; the line begins at base where t = start */
	double start, radius; /* radius < 0: B, which faces -n */
	cn_disc disc;
	double u[CN_SIDE_CORNERS], v[CN_SIDE_CORNERS];
	cn_feature corner[CN_SIDE_CORNERS], edge[CN_SIDE_CORNERS]; /* edge: from the corner to the next one of the loop */
} cn_contact_side;

/* is_b: it faces -n. hint: the feature of the separation, where to begin to climb. */
void cn_contact_side_find(const cn_convex *c, const cn_place *at, const cn_contact_frame *frame, bool is_b,
                          cn_feature hint, cn_contact_side *out);
/* The point of the surface over (u, v), about the part's centre in world axes. */
v3 cn_contact_side_lift(const cn_contact_side *side, const cn_contact_frame *frame, double u, double v);

/* Two unit vectors u, v across the unit n, (u, v, n) right-handed. */
void cn_contact_basis(v3 n, v3 *u, v3 *v);

/* A corner of the polygon, on the plane. */
typedef struct cn_contact_corner {
	uint64_t id;
	double u, v, gap;
} cn_contact_corner;

typedef struct cn_contact_raw {
	uint32_t count;
	cn_contact_corner points[CN_RAW_CORNERS];
} cn_contact_raw;

static inline void cn_contact_add(cn_contact_raw *set, cn_feature a, cn_feature b, double u, double v)
{
	if (set->count < CN_RAW_CORNERS)
		set->points[set->count++] = (cn_contact_corner){(uint64_t)a << 32 | b, u, v, 0};
}

/* Sorted by identity; of those nearer to each other than merge the least stays. Returns how many are left. */
uint32_t cn_contact_order(cn_contact_corner *corners, uint32_t count, double merge);
/* Something is within the slab from this one on; up to rounding of numbers of that scale, which is allowed for. */
static inline void cn_contact_needs(cn_contact_set *set, double slab, bool within, double scale)
{
	double room = 8 * DBL_EPSILON * (fabs(slab) + scale);
	if (within)
		set->low = slab + room > set->low ? slab + room : set->low;
	else
		set->high = slab - room < set->high ? slab - room : set->high;
}

/* Leaves at most `most` >= 2 of count <= CN_RAW_CORNERS, in their order: those whose gap is no more than touching, or the
 * deepest, and those that span best. Gaps that touch become alike. */
uint32_t cn_contact_span(cn_contact_corner *corners, uint32_t count, uint32_t most, double touching);

/* Inside a disc up to slack. */
bool cn_contact_disc_holds(const cn_disc *disc, double u, double v, double slack);
/* Where the rim of a disc meets the other side's edges or rim; a or b or both are discs. */
void cn_contact_disc_cross(const cn_contact_side *a, const cn_contact_side *b, cn_contact_raw *set);

/* Both parts boxes: the same as the general way, in less. False where it is not clear what touches. Points are ordered,
 * none is left out for its gap; gap is that along n. */
bool cn_contact_boxes(const cn_convex_pair *pair, const cn_separation *s, double slab, double *gap,
                      cn_contact_set *out);

/* Rounding of plane coordinates, for two parts whose centres are d apart, and how near corners are one. */
double cn_contact_rounding(const cn_convex *a, const cn_convex *b, v3 d);
double cn_contact_merge(const cn_convex *a, const cn_convex *b);

#endif
