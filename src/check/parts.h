/* What the files of the independent check share among themselves: convex parts, where they are, and the gap of two.
 *
 * A part is a core and everything within `round` of it. A core is the convex hull of points (a ball has one, a capsule
 * two, a triangle three), a box, a cylinder, or a half-space. The check knows a core by its furthest point along an
 * axis and by nothing else: no faces, edges or adjacency have to be believed. */
#ifndef CN_CHECK_PARTS_H
#define CN_CHECK_PARTS_H

#include "check/overlap.h"

typedef enum cn_check_core {
	CN_CHECK_CORE_CLOUD,
	CN_CHECK_CORE_BOX,
	CN_CHECK_CORE_CYLINDER,
	CN_CHECK_CORE_HALFSPACE
} cn_check_core;

typedef struct cn_check_convex {
	cn_check_core core;
	double round;     /* m */
	v3 half;          /* box: half edges; cylinder about z: x is the radius, z half the length */
	const v3 *points; /* cloud; in the part's frame, as all of these */
	uint32_t count;
	v3 normal; /* half-space: normal.x <= offset */
	double offset;
	v3 inside;     /* a point of the core */
	double radius; /* m: no point is further from inside */
	double reach;  /* m: no point is further from the frame's origin; half-space: |offset| */
	bool vast;     /* the hull of a mesh of many points: looking for an axis of all of it costs more than it saves */
} cn_check_convex;

/* A part in world axes, its frame's origin given from the midpoint of the pair. */
typedef struct cn_placed {
	const cn_check_convex *part;
	m3 r;
	v3 at;
} cn_placed;

typedef struct cn_check_node {
	v3 center; /* of a ball that holds the node's triangles, in the mesh's frame */
	double radius;
	uint32_t first, count; /* leaf: triangles first .. first + count - 1; else count 0, children first and first + 1 */
	uint32_t low, size;    /* its triangles: low .. low + size - 1 */
	uint32_t cloud;        /* into clouds: points whose hull holds the node's triangles, up to cloud_round */
	uint32_t cloud_count;  /* 0: they are too many */
	bool flat;             /* the triangles fill the hull of these, as far as areas tell */
} cn_check_node;

struct cn_solid {
	cn_check_convex part; /* of a mesh: the hull of its points; every triangle has its round */
	bool mesh, full;      /* full: no shell */
	v3 *points;           /* own; of a hull only those that may be corners */
	uint32_t *triangles;  /* own, mesh only, in the order of the tree's leaves */
	cn_check_node *nodes;
	v3 *clouds;
	double cloud_round; /* m */
	uint32_t *piece;    /* mesh: by point, the least point of its connected piece */
	uint32_t point_count, triangle_count, node_count;
	uint32_t point_room, node_room, piece_room, cloud_room; /* as allocated */
};

/* ---- solid_tree.c: the tree of a mesh's triangles, whose order it changes. False when memory ran out. */
bool cn_solid_tree(const cairn_allocator *allocator, cn_solid *s);

/* The gap of two convex parts as computed: no rounding is taken off or added. */
typedef struct cn_check_gap {
	double least, most;
	v3 n; /* the unit axis of least */
} cn_check_gap;

/* The matrix of a quaternion of any length but 0: nothing is lost by making it a unit first. */
static inline m3 cn_check_convex_turn(quat q)
{
	double w = q.w, x = q.x, y = q.y, z = q.z, s = 2 / q_dot(q, q);
	return (m3){{{1 - s * (y * y + z * z), s * (x * y - w * z), s * (x * z + w * y)},
	             {s * (x * y + w * z), 1 - s * (x * x + z * z), s * (y * z - w * x)},
	             {s * (x * z - w * y), s * (y * z + w * x), 1 - s * (x * x + y * y)}}};
}

static inline cn_placed cn_check_convex_place(const cn_check_convex *part, quat q, v3 at)
{
	return (cn_placed){part, cn_check_convex_turn(q), at};
}

/* The largest distance of a point of the part from the body's centre of mass; infinite for a half-space. */
double cn_check_convex_radius(const cn_check_convex *part, pose in_body);
/* 32 DBL_EPSILON x (distance of the frames from the midpoint + both reaches): see overlap.c. */
double cn_gap_bound(const cn_check_convex *a, const cn_check_convex *b, v3 apart);
/* min n.b - max n.a for a unit n; of a half-space only along its own normal. */
double cn_gap_along(const cn_placed *a, const cn_placed *b, v3 n);
/* The point of the core furthest along n. */
v3 cn_gap_support(const cn_placed *p, v3 n);
/* How far an axis should part two parts, all m. */
typedef struct cn_axis_wish {
	double enough; /* more is not looked for, */
	double least;  /* and where no axis parts them by more than this, nothing is; */
	double
		matters; /* where the best parts them by more than this, one that does is looked for; -INFINITY: nothing does */
} cn_axis_wish;
/* Looks for a unit axis along which the two, none of them a half-space, are apart by more than enough (gap_axis.c); where
 * there is none, for one that is nearly the best. *axis: where to begin, or zero; then the best that was met. False proves
 * nothing. */
bool cn_gap_axis(const cn_placed *a, const cn_placed *b, cn_axis_wish wish, v3 *axis);
/* Only an axis that parts them by more than this is looked for. */
static inline cn_axis_wish cn_axis_above(double gap) { return (cn_axis_wish){gap, gap, -INFINITY}; }
/* start: any finite vector; a good guess of n saves time and changes nothing else beyond rounding. */
void cn_gap_find(const cn_placed *a, const cn_placed *b, double bound, v3 start, cn_check_gap *out);
static inline bool cn_check_are_boxes(const cn_check_convex *a, const cn_check_convex *b)
{
	return a->core == CN_CHECK_CORE_BOX && b->core == CN_CHECK_CORE_BOX;
}
/* Of two boxes (gap_box.c): true where their cores overlap by more than rounding, and then this is their gap; else the best
 * axis of their edges, with what it proves and no upper bound. */
bool cn_gap_of_boxes(const cn_placed *a, const cn_placed *b, double bound, cn_check_gap *out);
/* The product of two vectors, each number of it with an error of one unit of its own (fine_cross.c). */
v3 cn_fine_cross(v3 a, v3 b);
/* The least of (1 - t) s0 + t s1 - 4 k t (1 - t) over 0 <= t <= 1. */
double cn_least_between(double s0, double s1, double k);
/* k for an axis that turns with the first of two bodies (check/motion.c): d0 and dd from its centre of mass to the
 * other's, at the start and what it changes by; rho_other: the other's radius about its own. */
double cn_carried_k(v3 d0, v3 dd, v3 turn, v3 turn_other, double rho_other);
/* Unit axes along which boxes and cylinders are often parted, and the line of the centres d, all from a to b; to be
 * tried before a search, for one that serves is as good as any. Returns how many. */
enum { CN_GUESSES = 18 };
uint32_t cn_gap_guess(const cn_placed *a, const cn_placed *b, v3 d, v3 out[CN_GUESSES]);
/* The verdict on a gap; may widen *bound (overlap.c). */
cn_verdict cn_gap_judge(const cn_check_gap *gap, double *bound);
/* What a gap at a pose amounts to (overlap.c). */
cn_overlap_answer cn_gap_answer(const cn_check_gap *gap, double bound);

/* The ball of a node in world axes; of what is no mesh, the ball about all of it. */
typedef struct cn_check_ball {
	v3 center;
	double radius;
} cn_check_ball;
cn_check_ball cn_mesh_ball(const cn_solid *s, const cn_placed *p, uint32_t node);
/* Pairs of nodes still to be looked at: no tree is deeper than 24, each step leaves one. */
enum { CN_CHECK_STACK = 128 };
typedef struct cn_check_pair {
	uint32_t a, b;
} cn_check_pair;
/* Puts the children of the larger node in the pair's place. False where both are leaves. */
bool cn_mesh_split(const cn_solid *a, const cn_solid *b, cn_check_pair pair, cn_check_pair children[2]);
/* Triangles of a node that is a leaf; 1 for what is no mesh, and the part is then all of it. */
uint32_t cn_mesh_leaf(const cn_solid *s, uint32_t node);
cn_check_convex cn_mesh_part(const cn_solid *s, uint32_t node, uint32_t i, v3 corners[3]);
/* What holds all triangles of a node; of what is no mesh, the part itself. False: it has too many points. */
bool cn_mesh_cloud(const cn_solid *s, uint32_t node, cn_check_convex *out);

/* Two solids, placed about their midpoint. */
typedef struct cn_solid_pair {
	const cn_solid *a;
	const cn_placed *pa;
	const cn_solid *b;
	const cn_placed *pb;
} cn_solid_pair;
/* At least one of them is a mesh and none a half-space; bound: the poses'. enough: a gap that is no less need not be
 * measured; least is then enough, or more, and most infinite. */
void cn_mesh_pose(const cn_solid_pair *pair, double bound, const v3 *hint, double enough, cn_overlap_answer *out);
/* In rising order, in place. */
void cn_check_sort(uint64_t *keys, size_t count);
size_t cn_check_find(const uint64_t *keys, size_t count, uint64_t key); /* the first of sorted keys not below one */
/* A unit vector or zero: what is left of a hint that may be anything. */
v3 cn_hint_unit(const v3 *hint);

#endif
