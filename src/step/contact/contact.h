/* Contacts: convex parts of bodies, pairs of parts that may meet in this frame, and the points where they touch.
 *
 *   parts > pairs (pair_filter) > narrow_phase (mesh_contact) > graph, cache
 *
 * w->motion holds poses at the start of the step, w->next the trial poses that the position stage moves about. The list
 * of pairs only grows within a step. Everything is in the order of slots and parts, so nothing depends on threads. */
#ifndef CN_STEP_CONTACT_H
#define CN_STEP_CONTACT_H

#include "base/sort.h"
#include "base/tolerance.h"
#include "geom/broad.h"
#include "geom/contact.h"
#include "geom/triangle_part.h"
#include "world/world.h"

struct cn_context;

/* A convex part of a living body. */
typedef struct cn_part {
	uint32_t slot, number; /* number: in its body */
	const cn_convex *convex;
	pose in_body;           /* of the part's frame about the centre of mass, body axes */
	double thickness;       /* m: smallest extent of its own box; infinite for a half-space and a triangle */
	bool plane, mesh;       /* mesh: of a body that may move; nothing may touch it */
	bool tile;              /* a triangle of a fixed mesh; number: among all triangles of its body */
	const cn_shape *ground; /* a fixed mesh, which has no pairs itself: its triangles near another part become parts */
	uint32_t first_tile;    /* ground: number of its first triangle */
} cn_part;

/* A contact point of a pair. */
typedef struct cn_pair_point {
	v3 ra, rb; /* m: from the bodies' centres of mass, world axes */
	double gap;
	uint64_t feature;  /* names the point from frame to frame */
	v3 impulse;        /* N s, on b: of the last rest solve, where the next one starts */
	double push;       /* m: the same of the position program */
	double first_push; /* m: where the leg began */
	bool sliding;      /* in the last rest solve */
	double left;       /* m/s: the approach that the bounce of the last frame left, if as fast as an impact; else 0 */
	bool main;         /* one of the few that the momentum programs use */
} cn_pair_point;

/* A gap between two parts, and the direction along which they are apart. */
typedef struct cn_gap {
	double gap; /* m; a lower bound beyond reach */
	v3 axis;
} cn_gap;

/* Two parts whose paths may meet in this frame. */
typedef struct cn_pair {
	uint32_t pa, pb, a, b; /* parts, and their slots; pb is the half-space where one is */
	cn_witness witness;
	cn_separation at;               /* at the poses last measured; beyond reach: n and a lower bound of the gap alone */
	double reach;                   /* m: gaps beyond this are of no interest in this frame */
	double slab;                    /* m: vertices this near the plane get points */
	double thin;                    /* m: thickness of the thinner part, and a little for rounding */
	double gap_target, gap_request; /* m: the gap wanted in full; what rows of this frame ask for */
	double mu_static, mu_kinetic, eps;
	double rolling;              /* m: rolling resistance */
	uint32_t first, count, room; /* of its points, in cn_contacts.points */
	double low, high;            /* m: as in cn_contact_set */
	uint32_t points_missing;     /* points it has no room for */
	uint32_t cached;             /* number in cn_contact_cache.pairs, from 1; 0: it has to be measured */
	uint8_t fresh;               /* not measured yet */
	uint8_t looked;              /* measured in the last round */
	uint8_t near;                /* within reach at the poses last measured */
	uint8_t must_not_touch;      /* with a mesh that may move */
	uint8_t script_moves;        /* one of the two is a scripted body that moves in this frame */
	uint8_t unproved;            /* its motion changed since it was last proved free */
	uint8_t bad;                 /* its motion is not free */
	uint8_t blocks;              /* a body was held for it: the two meet, however far apart they are */
	uint8_t row_stopped;         /* a row that belongs to none of its points pushed in the last pass */
	uint8_t pushed;              /* a position program of the step moved one for the other's sake */
	uint8_t hits;                /* in this frame, as an impact at its own time */
	uint8_t meets;               /* where such impacts lead, if not where the frame began */
	uint8_t strays;              /* its rows go with their points, in the rest program */
	uint8_t apart;               /* one flies, and the other, under rows, passes it with room to spare */
	cn_gap frame_start;          /* where the frame began */
	cn_gap leg_start;            /* where the leg under way began */
	struct {
		v3 axis;         /* that keeps the pair on one side in this leg; zero: none */
		double gap, max; /* m: demanded along it; the most that may be in this leg */
	} side;
} cn_pair;

/* The part of a gap that contact rows hold: all of it, up to the target. */
static inline double cn_pair_hold(const cn_pair *p, double gap)
{
	return gap < p->gap_target ? (gap > 0 ? gap : 0) : p->gap_target;
}

/* The two touch, or one has pushed the other. */
static inline bool cn_pair_pressed(const cn_pair *p)
{
	return p->near && !p->must_not_touch && (p->pushed || p->blocks || p->at.gap <= CN_HOP_GAP * p->gap_target);
}

/* How far a body goes in the frame if nothing is in its way. */
typedef struct cn_stride {
	v3 dx;
	double swing; /* m: no point goes further than this by turning */
} cn_stride;

/* The region that a part stays in during the frame, unless pair_filter.c is told that it leaves it. */
typedef struct cn_motion_bound {
	cn_stride stride; /* as it was when pairs were first looked for */
	double more;      /* m: beside it */
	double first;     /* m: the same at the frame's start */
	bool wild;        /* the part may go anywhere */
	bool tame;        /* it was not wild at the frame's start */
	bool steady;      /* all this, and where it begins, is as it was in the frame before */
} cn_motion_bound;

/* What the distance of two parts is measured by in a frame. */
typedef struct cn_range {
	double gap_target, thin, motion, reach; /* m, as in cn_pair; motion: how far they may move against each other */
} cn_range;

enum { CN_PAIR_CHUNK = 32, CN_PAIR_POINTS = 8, CN_MOMENTUM_POINTS = 4 };

/* Written by parts.c, pairs.c, pair_filter.c, mesh_contact.c and narrow_phase.c. */
typedef struct cn_contacts {
	cn_broad *broad;
	cn_part *parts;
	uint32_t *part_first;              /* by slot; one more than slots */
	cn_place *start, *leg_start, *now; /* of parts: at the frame's start, where the leg began, at the trial poses */
	cn_place *turned;                  /* of parts: at the trial poses, turned by what a pass turns them */
	cn_broad_item *items;              /* boxes by part; they grow within the frame */
	uint32_t *planes;                  /* parts that are half-spaces */
	cn_stride *strides;                /* by slot; first with forces alone, then with the impulses of rest */
	cn_motion_bound *bounds;           /* by part */
	uint8_t *stood;                    /* by part: it is where it was when the cache was filled */
	uint8_t *meet;                     /* pairs of boxes: whether they may meet */
	double *scales;                    /* by chunk of these: m, the thinnest part */
	cn_broad_pair *first_pairs;        /* pairs of boxes at the frame's start, ... */
	uint8_t *first_found;              /* ... and what was found of them */
	cn_pair *pairs, *spare;            /* spare: new pairs, before they take their places */
	cn_pair_point *points;             /* of all pairs; a pair's own stand together */
	uint32_t *counts;                  /* by chunk of pairs: scratch */
	uint32_t part_count, plane_count, pair_count, point_count, new_count, first_count;
	uint32_t own_count; /* of parts without triangles of meshes, which come after them */
	bool has_ground;    /* a part of a fixed mesh is among them */
	bool parts_as_were; /* the parts are those of the frame before */
	bool look_all;      /* narrow phase: measure all pairs, or those with a body that moved */
	bool at_start;      /* pairs are looked for at the first time in the frame */
} cn_contacts;

/* What measuring a remembered pair gave. It holds as long as its bodies stand where they stood: beside w->memory, pair by
 * pair and point by point, and no state. */
typedef struct cn_cached_pair {
	cn_separation at;
	double slab, low, high; /* m: for which its points were found; as in cn_contact_set */
	double touching;        /* m: gaps that counted as touching when the few main points were chosen */
} cn_cached_pair;

typedef struct cn_cached_point {
	v3 rb;
	double gap;
	bool main;
} cn_cached_point;

/* What is remembered of pairs of bodies that take no part in a step. */
typedef struct cn_cache_aside {
	cn_memory_pair *pairs;
	cn_memory_point *points;
	cn_cached_pair *seen;
	cn_cached_point *seen_points;
	uint32_t pair_count, point_count;
} cn_cache_aside;

/* Written by cache.c. */
typedef struct cn_contact_cache {
	cn_cached_pair *pairs; /* as w->memory.pairs, and so its points */
	cn_cached_point *points;
	cn_cache_aside aside;
	pose *ended; /* by slot: where it was then */
	uint32_t ended_count;
	uint64_t stamp, stamps; /* of all this, if it is that of w->memory; the last one given */
} cn_contact_cache;

/* Which pairs a body has, and which of them a stage works on; written by graph.c. */
typedef struct cn_contact_graph {
	uint32_t *links, *link_first; /* pairs of a slot */
	uint64_t *bits;               /* by pair: scratch */
	uint32_t *list;               /* pairs that were listed last, in order */
	uint32_t list_count;
	bool listed; /* the last measurement was of the listed pairs alone */
	bool links_known;
} cn_contact_graph;

/* Triangles of fixed meshes that are parts in this frame; written by mesh_contact.c. */
typedef struct cn_mesh_patches {
	struct cn_triangle_part_block **tiles; /* blocks never move: parts point into them */
	cn_sort_item *visits, *visit_sort;     /* part << 32 | fixed mesh, whose boxes meet; in order */
	cn_sort_item *found, *found_sort;      /* triangles of one visit */
	uint32_t tile_count, visit_count, found_count;
} cn_mesh_patches;

/* ---- parts.c; false: memory ran out */
bool cn_parts_begin(cairn_world *w);                /* parts and places at the frame's start */
void cn_parts_place(cairn_world *w, uint32_t slot); /* places of a body's parts at its trial pose */
cn_stride cn_stride_of(const cairn_world *w,
                       uint32_t slot); /* with the velocities at the frame's ends as they are now */
cn_place cn_part_place(const cn_part *part, v3 x, quat q);
double cn_part_margin(const cn_part *part, const cn_place *at); /* m: rounding of its box */
void cn_part_cover(cn_broad_item *item, const cn_part *part, const cn_place *at, double more); /* its box grows */

/* ---- pairs.c; false: memory ran out */
bool cn_pairs_find(cairn_world *w);                              /* boxes grow to the trial poses, pairs are added */
bool cn_pair_reserve(cairn_world *w, cn_pair *p, uint32_t room); /* for points; those it has stay where they are */

/* ---- gap.c */
bool cn_pair_possible(const cairn_world *w, uint32_t a, uint32_t b);             /* two bodies that may touch */
double cn_pair_gap_target(const struct cn_context *c, uint32_t pa, uint32_t pb); /* m: the gap two parts want in full */
cn_range cn_pair_range(const struct cn_context *c, uint32_t pa, uint32_t pb, const cn_stride *sa, const cn_stride *sb);
void cn_pair_request_gap(const cairn_world *w, cn_pair *p); /* sets the gap that its rows ask for in this step */
/* m: how far of that it opens for nothing. What the proof of its motion takes is a part of that motion's square, which pays. */
double cn_pair_opens_free(const cairn_world *w, const cn_pair *p);

/* ---- pair_filter.c: pairs of boxes that stay apart */
/* stands: the part is where it began the frame before. */
void cn_pair_filter_begin(cairn_world *w, uint32_t part, bool stands, cn_stride stride, double more);
/* Whether a part has less than the least to spare in its bound, and gets more; it bulges so far between poses. */
bool cn_pair_filter_leaves(cairn_world *w, uint32_t part, double least, double margin, double bulge);
bool cn_pair_filter_run(
	cairn_world *w); /* finds out which of the broad phase's pairs may meet; false: memory ran out */
bool cn_pair_filter_meets(const struct cn_context *c, uint32_t number);

/* ---- narrow_phase.c; false: memory ran out */
/* Separation and contact points at some places; true: beyond reach, and there are none. */
bool cn_pair_contacts(const cairn_world *w, const cn_pair *p, const cn_place *at_a, const cn_place *at_b,
                      cn_witness *witness, cn_separation *at, cn_contact_set *set);
bool cn_contacts_measure(cairn_world *w, bool all); /* all pairs, or those with a body that moved */
bool cn_contacts_update(cairn_world *w);            /* pairs grow, and those with bodies that moved are measured */

/* ---- cache.c */
bool cn_contacts_remember(cairn_world *w); /* what the next frame starts from; false: memory ran out */

/* ---- mesh_contact.c: triangles of fixed meshes */
bool cn_mesh_contact_visits(cairn_world *w, const cn_broad_pair *pairs, uint32_t count); /* who comes near a mesh */
bool cn_mesh_contact_search(cairn_world *w, uint32_t visit); /* finds the triangles near the part of a visit */
uint32_t cn_mesh_contact_triangle(cairn_world *w, uint32_t ground,
                                  uint32_t triangle); /* a new part; UINT32_MAX: no memory */
/* Whether a body stands inside a solid mesh without touching its surface: the first such pair. */
bool cn_mesh_contact_inside(cairn_world *w, uint32_t *a, uint32_t *b);
/* The axis of a pair with a triangle where it would be that of an edge beyond which the surface goes on. True: the
 * triangle has no contact with the part, which is at a place of its own. */
bool cn_mesh_contact_axis(const cairn_world *w, const cn_pair *p, const cn_place *part, cn_separation *at);
double cn_mesh_contact_gap(const cairn_world *w,
                           const cn_pair *p); /* of a pair with a triangle that is near, whatever its axis */

/* ---- graph.c: who is near whom; false: memory ran out */
double cn_pair_motion(const struct cn_context *c,
                      const cn_pair *p); /* m: how far its parts may move against each other */
bool cn_graph_links(cairn_world *w);     /* pairs by slot */
void cn_graph_islands(cairn_world *w);   /* scratch.queue: by slot, the least slot of its island of near bodies */
void cn_graph_pushes(cairn_world *w);    /* the same, of those that touch or have pushed each other in the step */
void cn_graph_components(
	cairn_world *w); /* the same, where scripts that move tie together the bodies they are near to */
bool cn_graph_grow(cairn_world *w, uint32_t hops); /* scratch.flags grows over contacts */
/* Runs a task on every pair, on all threads; it writes nothing but its pair and that pair's points. */
typedef void cn_pair_task(cairn_world *w, cn_pair *pair);
void cn_pairs_each(cairn_world *w, cn_pair_task *task);
bool cn_pairs_list(cairn_world *w,
                   const uint8_t *flags); /* graph.list: pairs of flagged bodies, in order; links known */
void cn_pairs_each_listed(cairn_world *w, cn_pair_task *task);

/* ---- approach.c */
bool cn_bounce_touches(const cn_pair *p, const cn_pair_point *t, double moment); /* near enough to be hit */
/* With the new velocities: how fast a touching point still nears, if as fast as an impact; whether one of the pair may. */
double cn_bounce_left(const cairn_world *w, const cn_pair *p, const cn_pair_point *t);
bool cn_bounce_fast(const cairn_world *w, const cn_pair *p);

#endif
