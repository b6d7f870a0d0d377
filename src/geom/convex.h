/* A convex part, ready for queries: a core of vertices, edges and flat faces and what is around it.
 *
 *   kind        core                                around it
 *   sphere      one vertex                          a ball of radius
 *   capsule     two vertices, one edge along z      a ball of radius
 *   cylinder    two vertices, one edge along z      a disc of radius across z
 *   box, hull   all of it                           nothing: radius 0; of a thick shell a ball of radius
 *   half-space  one vertex, the foot of its normal  everything with normal.x <= 0
 *
 * Core and radius say it all for every kind but cylinder and half-space: the gap is that of the cores less the radii,
 * also where they overlap. Coordinates are about center, so that a part far from its frame's origin loses no digits. */
#ifndef CN_CONVEX_H
#define CN_CONVEX_H

#include "geom/polytope.h"
#include "geom/shape.h"

enum { CN_CONVEX_CELLS = 96 }; /* of all directions: each side of a cube in 4 x 4 */

typedef struct cn_convex {
	cairn_shape_kind kind;
	v3 center; /* of the part's frame coordinates; a half-space's foot, normal x offset */
	cn_polytope core;
	double radius; /* 0 for a box, and for a hull that is no part of a thick shell */
	v3 half;       /* box: half edge lengths; capsule, cylinder: z is half the length */
	v3 normal;     /* half-space: unit, out of the solid */
	double reach;  /* radius of the ball about center that holds the part; infinite for a half-space */
	double size;   /* largest extent of its own box; infinite for a half-space */
	uint32_t seeds[CN_CONVEX_CELLS]; /* where to begin to climb: the furthest vertex along the middle of each cell */
} cn_convex;

/* The cell of a direction, which need not be unit. */
static inline uint32_t cn_convex_quarter(double across, double along)
{
	return (uint32_t)(across > 0) * 2 + (uint32_t)(fabs(across) > 0.5 * along);
}
static inline uint32_t cn_convex_cell(v3 d)
{
	double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
	if (x >= y && x >= z)
		return (uint32_t)(d.x > 0) * 16 + 4 * cn_convex_quarter(d.y, x) + cn_convex_quarter(d.z, x);
	if (y >= z)
		return 32 + (uint32_t)(d.y > 0) * 16 + 4 * cn_convex_quarter(d.z, y) + cn_convex_quarter(d.x, y);
	return 64 + (uint32_t)(d.z > 0) * 16 + 4 * cn_convex_quarter(d.x, z) + cn_convex_quarter(d.y, z);
}

/* Where a part is: its centre and the matrix that turns its axes to the world's. Made once a frame, read by every pair. */
typedef struct cn_place {
	v3 x; /* of convex.center */
	m3 r;
} cn_place;

/* Two parts, each where it is. */
typedef struct cn_convex_pair {
	const cn_convex *a;
	const cn_place *pa;
	const cn_convex *b;
	const cn_place *pb;
} cn_convex_pair;

/* The shape is no compound; a mesh becomes the box that holds it. False when memory ran out. */
bool cn_convex_make(const cairn_allocator *allocator, const cn_shape *shape, cn_convex *out);
void cn_convex_finish(cn_convex *c); /* what follows from the core of a hull: its reach, and where to begin to climb */
void cn_convex_free(const cairn_allocator *allocator, cn_convex *convex);
cn_place cn_convex_place(const cn_convex *convex, pose part); /* pose of the part's own frame */

/* A place on the surface of a core: vertex, edge or face and its number. For the curved parts of a cylinder: the rim of
 * an end (0: at -z, 1: at +z) and the side. Persistent: names the same spot as long as the shape exists. */
typedef enum cn_feature_kind {
	CN_VERTEX,
	CN_EDGE,
	CN_FACE, /* a cylinder's ends: 0 at -z, 1 at +z; a half-space's plane: 0 */
	CN_RIM,
	CN_SIDE
} cn_feature_kind;

typedef uint32_t cn_feature; /* kind << 28 | index */
static inline cn_feature cn_feature_make(cn_feature_kind kind, uint32_t index) { return (uint32_t)kind << 28 | index; }
static inline cn_feature_kind cn_feature_kind_of(cn_feature f) { return (cn_feature_kind)(f >> 28); }
static inline uint32_t cn_feature_index(cn_feature f) { return f & 0x0fffffffu; }

/* World vectors to a part's axes and back. */
static inline v3 cn_place_turn(const cn_place *p, v3 v) { return m3_apply(p->r, v); }
static inline v3 cn_place_unturn(const cn_place *p, v3 v) { return m3_unapply(p->r, v); }

/* The largest d.p over the part, p relative to its centre, d a unit vector in world axes; up to rounding. For a half-space
 * 0 along its normal (to 1e-12), infinite along all others. */
double cn_convex_support(const cn_convex *c, const cn_place *at, v3 d);

#endif
