/* Contacts: convex parts of bodies, pairs of parts that may meet in this frame, and their contact points.
 *
 *   pairs (pair_filter) > narrow_phase (mesh_contact) > graph
 *
 * w->motion holds the poses at the start of the step, w->next the trial poses that the position stage changes. The list
 * of pairs only grows within a step. Everything is ordered by slot and part, so no result depends on threads. */
#ifndef CN_STEP_CONTACT_H
#define CN_STEP_CONTACT_H

#include "base/sort.h"
#include "geom/broad.h"
#include "geom/contact.h"
#include "geom/triangle_part.h"
#include "step/contact/pair.h"
#include "step/tolerance.h"
#include "world/world.h"

#define CN_TOUCH_GAP 1.5 /* x what rows asked for: points nearer than this touch */

struct cn_context;

/* What a part is. */
typedef enum cn_part_kind {
	CN_PART_SOLID,
	CN_PART_HALF_SPACE,
	CN_PART_MESH, /* of a body that may move: the root of its tree of hulls, or the box of one that has no tree, which
	                       nothing may touch */
	CN_PART_NODE, /* another node of such a tree; fronts alone find its pairs (front.c) */
	CN_PART_FIXED_MESH, /* has no pairs; its triangles near a part become parts */
	CN_PART_TRIANGLE,   /* of a fixed mesh */
} cn_part_kind;

/* A convex part of a living body. */
typedef struct cn_part {
	uint32_t slot, number; /* number: index in its body; of a triangle among all triangles of its body */
	cn_part_kind kind;
	const cn_convex *convex;
	pose in_body;               /* of the part's frame in that of the body's centre of mass */
	double thickness;           /* m: smallest extent of its own box; infinite for a half-space and a triangle */
	double gap;                 /* m: that it keeps to others, as its shape asks; 0: CN_KEPT_GAP of the thickness */
	const cn_shape *fixed_mesh; /* its shape, for that kind */
	uint32_t first_triangle;    /* of a fixed mesh: number of its first triangle */
	const struct cn_hull_node *node; /* of a mesh that may move: what it is in the tree; else NULL */
	uint32_t nodes;                  /* node k of that tree is the part of this number plus k; not the root */
} cn_part;

/* A body's displacement in the frame if nothing is in its way. */
typedef struct cn_stride {
	v3 dx;
	double swing; /* m: bound of the displacement of any point by rotation */
} cn_stride;

/* A body's trial pose as it was set last, and how far its points have gone at most from trial pose to trial pose in this
 * step. */
typedef struct cn_travel {
	pose at;
	double far; /* m */
} cn_travel;

/* Whether a part stays in a region. Lost: it did at the frame's start. */
typedef enum cn_bound_state { CN_BOUND_NONE, CN_BOUND_LOST, CN_BOUND_HOLDS } cn_bound_state;

/* Bound of the region that a part stays in during the frame. pair_filter.c enlarges it when the part leaves it. */
typedef struct cn_motion_bound {
	cn_stride stride; /* as it was when pairs were first searched for */
	double more;      /* m: margin around the region swept by the stride */
	double first;     /* m: the same margin at the frame's start */
	cn_bound_state state;
	bool steady;                   /* bound and pose at the start are those of the frame before */
	double searched;               /* m: the margin at the last search for pairs */
	cn_bound_state searched_state; /* its state then */
} cn_motion_bound;

/* Pairs of the broad phase, and the pair filter's answers for them. */
typedef struct cn_filtered {
	cn_broad_pair *pairs;
	uint8_t *found;
	uint32_t count;
} cn_filtered;

/* Distances that decide how a pair of parts is treated in a frame. */
typedef struct cn_range {
	double gap_target, thin, motion, reach; /* m, as in cn_pair; motion: bound of the relative motion */
} cn_range;

#define CN_PAIR_CHUNK 32 /* pairs that a thread takes at once: enough to be worth a task */
#define CN_MOMENTUM_POINTS                                                                                             \
	4 /* of a pair at most in momentum programs: the corners of a face; room for as many at first */

/* A pair that was added, and its place in cn_contacts.spare. */
typedef struct cn_added {
	uint32_t pa, pb, at;
} cn_added;

/* Written by pairs.c, pair_filter.c, mesh_contact.c and narrow_phase.c. */
typedef struct cn_contacts {
	cn_broad *broad;
	cn_part *parts;
	uint32_t *part_first;              /* by slot: its first part; one entry more than slots */
	cn_place *start, *leg_start, *now; /* by part: at the frame's start, at the leg's start, at the trial poses */
	cn_broad_item *items;              /* by part: its box, which grows within the frame */
	uint32_t *planes;                  /* parts that are half-spaces */
	cn_stride *strides;                /* by slot; first with forces alone, then with the impulses of the rest solve */
	cn_travel *travels;                /* by slot */
	cn_motion_bound *bounds;           /* by part */
	uint8_t *moved;                    /* by slot: its trial pose changed since its pairs were last measured */
	uint8_t *stood;                    /* by part: it is where it was when the cache was filled */
	uint8_t *grown;                    /* by part: its box or bound grew since the last search */
	uint8_t *meet;                     /* by pair of the broad phase: answer of the pair filter */
	double *scales;                    /* m, by chunk of these: the thinnest part */
	cn_filtered first, last;           /* what was found at the frame's start, and at the last search */
	cn_pair *pairs, *spare;            /* spare: pairs that were added, before they are merged into the list */
	cn_added *added;                   /* these, in order */
	cn_pair_point *points;             /* of all pairs; the points of a pair are contiguous */
	uint32_t *counts;                  /* by chunk of pairs: where its remembered pairs and points go */
	uint32_t part_count, plane_count, pair_count, point_count;
	uint32_t new_first, new_count; /* of spare: those that were added last */
	uint32_t own_count;            /* parts of bodies; triangles of meshes come after them */
	bool has_front;                /* one of the parts is a mesh that may move */
	bool has_fixed_mesh;           /* one of the parts is a fixed mesh */
	bool placed;                   /* now and travels are of these parts */
	bool parts_as_were;            /* the parts are the same as in the frame before */
	uint32_t changes;              /* of the world when they were listed */
	bool measure_all;              /* the narrow phase measures all pairs, not only those with a body that moved */
	bool at_start;                 /* first search for pairs in this frame */
	bool splits;                   /* those that were added last are measured, not those of the list */
} cn_contacts;

/* The result of measuring a remembered pair. It is valid as long as its bodies have not moved. It stands beside
 * w->memory, pair by pair and point by point, and is no state. */
typedef struct cn_cached_pair {
	cn_separation at;
	double slab, low, high; /* m: slab used to find its points; low, high as in cn_contact_set */
	double touching;        /* m: gap below which points counted as touching when the main points were chosen */
} cn_cached_pair;

typedef struct cn_cached_point {
	v3 rb;
	double gap;
	bool main;
} cn_cached_point;

/* Remembered pairs of bodies that take no part in the step. */
typedef struct cn_cache_aside {
	cn_memory_pair *pairs;
	cn_memory_point *points;
	cn_cached_pair *seen;
	cn_cached_point *seen_points;
	uint32_t pair_count, point_count;
} cn_cache_aside;

/* Written by narrow_phase.c. */
typedef struct cn_contact_cache {
	cn_cached_pair *pairs; /* parallel to w->memory.pairs; points likewise */
	cn_cached_point *points;
	cn_cache_aside aside;
	pose *ended; /* by slot: its pose when the cache was filled */
	uint32_t ended_count;
	uint64_t stamp, stamps; /* stamp of the memory that this cache belongs to; the last stamp given */
	uint64_t began;         /* stamp when pairs were last searched for from a step's start */
	bool compare, same;     /* the memory is compared with what it held before; it did not change */
} cn_contact_cache;

/* The contact graph: the pairs of each body, and the list of pairs that a stage works on. Written by graph.c. */
typedef struct cn_contact_graph {
	uint32_t *links, *link_first; /* pairs of slot s: links[link_first[s]] up to links[link_first[s + 1] - 1] */
	uint32_t *root;               /* by slot: the lowest slot of its island, as found last */
	uint32_t *list;               /* the pairs listed last, in order */
	uint32_t list_count;
	bool listed; /* the last round measured only the listed pairs */
	bool links_known;
} cn_contact_graph;

/* Triangles of fixed meshes that are parts in this frame. Written by mesh_contact.c. */
typedef struct cn_mesh_patches {
	struct cn_triangle_part_block **triangles; /* blocks never move, as parts point into them */
	cn_sort_item *visits, *visit_sort;         /* part << 32 | fixed mesh, where their boxes meet; sorted */
	cn_sort_item *found, *found_sort;          /* triangles near the part of one visit */
	uint32_t triangle_part_count, visit_count, found_count;
} cn_mesh_patches;

/* ---- pairs.c: parts and pairs; false: memory ran out */
bool cn_parts_begin(cairn_world *w); /* parts and places at the frame's start */
/* The step gets another length: parts will begin anew where they stand, and what is remembered of them holds. */
void cn_parts_begin_again(cairn_world *w);
void cn_body_move(cairn_world *w, uint32_t slot, pose to);   /* sets its trial pose; its pairs are then due */
void cn_body_pairs_due(cairn_world *w, uint32_t slot);       /* its pairs are to be measured again */
void cn_strides_measure(cairn_world *w);                     /* of all bodies, with the velocities they have now */
void cn_stride_stop(cairn_world *w, uint32_t slot);          /* it stays where it is */
cn_stride cn_stride_of(const cairn_world *w, uint32_t slot); /* from the present velocities at the frame's two ends */
bool cn_pairs_find(cairn_world *w);                          /* extends boxes to the trial poses and adds new pairs */
bool cn_pair_reserve(cairn_world *w, cn_pair *p, uint32_t room); /* room for so many points; present ones stay */

typedef struct cn_part_pair {
	uint32_t pa, pb;
} cn_part_pair;
bool cn_pairs_add(cairn_world *w, cn_part_pair *list, uint32_t count); /* pairs that were not added yet; sorts them */
bool cn_pairs_merge(cairn_world *w);                                   /* all that were added into the list */

/* ---- gap.c */
bool cn_pair_possible(const cairn_world *w, uint32_t a, uint32_t b);             /* the two bodies may touch */
double cn_pair_gap_target(const struct cn_context *c, uint32_t pa, uint32_t pb); /* m: the gap two parts are to keep */
double cn_pair_thin(const struct cn_context *c, uint32_t pa, uint32_t pb);       /* m: see cn_pair.thin */
cn_range cn_pair_range(const struct cn_context *c, uint32_t pa, uint32_t pb, const cn_stride *sa, const cn_stride *sb);
void cn_pair_request_gap(const cairn_world *w, cn_pair *p);   /* sets p->gap_request for this step */
double cn_pair_opens(const cairn_world *w, const cn_pair *p); /* m: by how much a gap that is short opens in a step */
/* m: how far of that gap a pair opens at no cost. The gap that the proof of its turning takes is paid for by that motion. */
double cn_pair_opens_free(const cairn_world *w, const cn_pair *p);
/* close enough to take an impact */
bool cn_point_touches(const cairn_world *w, const cn_pair *p, const cn_pair_point *t, double speed);
/* With the new velocities: the approach speed of a touching point, if as fast as an impact, else 0. cn_pair_fast
 * tells quickly whether any point of the pair can be that fast. */
double cn_point_approach_left(const cairn_world *w, const cn_pair *p, const cn_pair_point *t);
bool cn_pair_fast(const cairn_world *w, const cn_pair *p);

/* ---- pair_filter.c: drops pairs of the broad phase that stay apart */
/* stands: the part is where it was at the start of the frame before. */
void cn_pair_filter_begin(cairn_world *w, uint32_t part, bool stands, cn_stride stride, double more);
/* True: the part is about to leave its bound (less than min to spare), which was enlarged by margin. bulge: how far
 * it leaves the straight line between poses. */
bool cn_pair_filter_leaves(cairn_world *w, uint32_t part, double min, double margin, double bulge);
bool cn_pair_filter_run(cairn_world *w); /* decides which pairs of the broad phase may meet; false: memory ran out */
bool cn_pair_filter_meets(const struct cn_context *c, uint32_t number);

/* ---- narrow_phase.c; false: memory ran out */
/* Where the two parts of a pair are taken to be. */
typedef struct cn_part_places {
	const cn_place *a, *b;
} cn_part_places;
/* Separation and contact points at the given places. True: the gap is beyond reach and there are no points. */
bool cn_pair_contacts(const cairn_world *w, const cn_pair *p, cn_part_places places, cn_witness *witness,
                      cn_separation *at, cn_contact_set *set);
bool cn_contacts_measure(cairn_world *w, bool all);      /* all pairs, or those with a body that moved */
bool cn_contacts_update(cairn_world *w);                 /* adds new pairs and measures those with a body that moved */
bool cn_contacts_remember(cairn_world *w, bool compare); /* contact memory for the next frame */
void cn_contacts_leg_begin(cairn_world *w);              /* a leg begins at the trial poses */

/* ---- front.c: meshes that may move */
static inline bool cn_pair_of_front(const cn_contacts *c, const cn_pair *p)
{
	return c->parts[p->pa].node || c->parts[p->pb].node;
}
bool cn_front_can_split(const struct cn_context *c, const cn_pair *p); /* one of its parts is a node with children */
void cn_front_look(const cairn_world *w, cn_pair *p, const cn_contact_set *set); /* sets p->split; the pair is near */
/* Adds children in the place of those of some pairs that are due; false: memory ran out. */
bool cn_fronts_split(cairn_world *w, cn_pair *pairs, uint32_t count, bool *any);
/* Finds the first body that stands inside a solid mesh that may move, without touching its surface. */
bool cn_front_inside(const cairn_world *w, uint32_t *a, uint32_t *b);
/* The axis of a pair that overlaps and has a flat part: that of the side where its leg began. */
void cn_front_keep_side(const cairn_world *w, const cn_pair *p, cn_part_places places, cn_separation *at);

/* ---- front_reduce.c */
bool cn_fronts_reduce(cairn_world *w); /* leaves few main points to two bodies; false: memory ran out */

/* ---- mesh_contact.c: triangles of fixed meshes */
bool cn_mesh_contact_visits(cairn_world *w, const cn_broad_pair *pairs,
                            uint32_t count);                 /* parts whose boxes meet a mesh */
bool cn_mesh_contact_search(cairn_world *w, uint32_t visit); /* finds the triangles near the part of a visit */
uint32_t cn_mesh_contact_triangle(cairn_world *w, uint32_t fixed_mesh,
                                  uint32_t triangle); /* makes it a part; UINT32_MAX: memory ran out */
v3 cn_part_inner(const struct cn_context *c,
                 uint32_t part); /* a point of a part where it is now; of a mesh, of its surface */
/* Finds the first body that stands inside a solid mesh without touching its surface. */
bool cn_mesh_contact_inside(cairn_world *w, uint32_t *a, uint32_t *b);
/* Replaces the axis of a pair with a triangle where it points across an inner edge of the mesh. True: the triangle
 * then has no contact with the part, which is at the given place. */
bool cn_mesh_contact_axis(const cairn_world *w, const cn_pair *p, const cn_place *part, cn_separation *at);
double cn_mesh_contact_gap(const cairn_world *w, const cn_pair *p); /* m: true distance, whatever the pair's axis */

/* ---- graph.c: the contact graph; false: memory ran out */
double cn_pair_motion(const struct cn_context *c, const cn_pair *p); /* m: bound of the relative motion of its parts */
bool cn_graph_links(cairn_world *w);                                 /* builds the lists of pairs by slot */
void cn_graph_islands(cairn_world *w);                               /* graph.root: islands of near bodies */
void cn_graph_pushes(cairn_world *w); /* the same, joined only by pairs that touch or pushed each other in this step */
void cn_graph_components(cairn_world *w); /* the same as islands, but moving scripts join the bodies near them */
/* Adds to a set of movable bodies those that contacts and joints connect to it over that many hops. */
bool cn_graph_grow(cairn_world *w, uint8_t *bodies, uint32_t hops);
/* Runs a task on every pair, on all threads. The task writes nothing but its pair and that pair's points. */
typedef void cn_pair_task(cairn_world *w, cn_pair *pair);
void cn_pairs_each(cairn_world *w, cn_pair_task *task);
/* graph.list: the pairs with a body of the set, in order, for which cn_graph_links is needed; or all pairs. */
bool cn_pairs_list(cairn_world *w, const uint8_t *bodies);
bool cn_pairs_list_all(cairn_world *w);
void cn_pairs_each_listed(cairn_world *w, cn_pair_task *task);

#endif
