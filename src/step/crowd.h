/* What a frame of bodies in contact works on: parts, pairs of parts that come near each other, contact points, and
 * the ways of bodies through the frame. Kept from frame to frame for its memory; what is remembered, and is state,
 * stands in the world (cn_memory).
 *
 * Poses: w->motion holds those at the frame's start, w->next the trial ones, which passes and tiers move about. A
 * list of pairs only ever grows within a frame. Everything is in the order of slots and parts, so nothing depends on
 * threads. */
#ifndef CN_CROWD_H
#define CN_CROWD_H

#include "base/sort.h"
#include "base/tolerance.h"
#include "geom/contact.h"
#include "geom/sweep.h"
#include "geom/triangle_part.h"
#include "num/qp_islands.h"
#include "step/stages.h"

/* A convex part of a living body. */
typedef struct cn_part {
	uint32_t slot, number; /* number: in its body */
	const cn_convex *convex;
	pose in_body;           /* of the part's frame about the centre of mass, body axes */
	double thickness;       /* smallest extent of its own box; infinite for a half-space and a tile */
	bool plane, mesh;       /* mesh: of a body that may move; nothing may touch it */
	bool tile;              /* a triangle of a fixed mesh; number: among all triangles of its body */
	const cn_shape *ground; /* a fixed mesh, which has no pairs itself: its triangles near another part become tiles */
	uint32_t first_tile;    /* ground: number of its first triangle */
} cn_part;

/* A contact point of a pair. */
typedef struct cn_touch {
	v3 ra, rb; /* from the bodies' centres of mass, world axes */
	double gap;
	uint64_t feature;
	v3 impulse;        /* that held it in the last rest solve, on b; where the next one starts */
	double push;       /* the same of the position program */
	double first_push; /* where the leg began */
	bool sliding;      /* in the last rest solve */
	double left;       /* m/s: as fast as an impact the bounce of the last frame left it nearing; 0: it did not */
	bool main;         /* one of the few that the momentum programs use */
} cn_touch;

/* Two parts whose ways may meet in this frame. */
typedef struct cn_close {
	uint32_t pa, pb, a, b; /* parts, and their slots; pb is the half-space where one is */
	cn_witness witness;
	cn_separation at; /* at the poses last looked at; beyond reach: n and a lower bound of the gap alone */
	double reach;     /* m: gaps beyond this are of no interest in this frame */
	double slab;      /* m: vertices this near the plane get points */
	double start;     /* m: gap at the frame's start, or a lower bound beyond reach */
	v3 start_axis;
	double leg; /* m: gap where the leg under way began */
	v3 leg_axis;
	double thin;        /* m: thickness of the thinner part, and a little for rounding */
	double kept, asked; /* m: the gap wanted in full; what rows of this frame ask for */
	double mu_static, mu_kinetic, eps;
	double rolling;              /* m: rolling resistance */
	uint32_t first, count, room; /* points, in cn_crowd.points */
	v3 axis;                     /* that the pair is kept on its side of in this leg; zero: none */
	double axis_gap, axis_most;  /* m: demanded along it; the most that may be in this leg */
	double low, high;            /* m: as in cn_contact_set */
	uint32_t more;               /* points it has no room for */
	uint32_t seen;               /* number in cn_crowd.seen, from 1; 0: it has to be looked at */
	uint8_t fresh;               /* not looked at yet */
	uint8_t looked;              /* in the last round */
	uint8_t near;                /* within reach at the poses last looked at */
	uint8_t barred;              /* mesh: may not touch at all */
	uint8_t driven;              /* one of the two is a script that moves in this frame */
	uint8_t unproved;            /* its motion changed since it was last proved */
	uint8_t bad;                 /* it is not free */
	uint8_t blocks;              /* a body was held for it: the two meet, however far apart they are */
	uint8_t stopped;             /* a row that is no point of it pushed in its last pass: the nearest ones met */
	uint8_t hits;                /* in this frame, as an impact of its own time */
	uint8_t meets;               /* where such impacts lead, if not where the frame began */
	uint8_t apart;               /* one flies, and the other, under rows, passes it with room to spare */
} cn_close;

/* What looking at a remembered pair found, which is found again as long as its bodies stand where they stood: beside
 * w->memory, pair by pair and point by point, and no state. */
typedef struct cn_seen {
	cn_separation at;
	double slab, low, high; /* m: for which its points were found; as in cn_contact_set */
	double touching;        /* m: gaps that counted as touching when the few were chosen */
} cn_seen;

typedef struct cn_seen_point {
	v3 rb;
	double gap;
	bool main;
} cn_seen_point;

/* What is remembered, and was seen, of pairs of bodies that take no part in a step. */
typedef struct cn_aside {
	cn_memory_pair *pairs;
	cn_memory_point *points;
	cn_seen *seen;
	cn_seen_point *seen_points;
	uint32_t pair_count, point_count, pair_room, point_room, seen_room, seen_point_room;
} cn_aside;

/* The gap that is held of one: all of it, up to what is kept. */
static inline double cn_close_hold(const cn_close *p, double gap)
{
	return gap < p->kept ? (gap > 0 ? gap : 0) : p->kept;
}

/* A body's way through the frame. Free bodies go straight, or by the `kept` keys of their free motion where they turn
 * far. Bodies under rows go in legs, one a position pass; where the straight way from the first pose to the last is
 * free it is taken, else the trail of legs, each in pieces of a screw (crowd.trail). */
typedef struct cn_way {
	uint32_t first;     /* of its free keys in w->next_extras */
	uint8_t kept, cuts; /* cuts: pieces of the leg under way */
	bool busy;          /* moves under rows: in the position program */
	bool stays;         /* is left alone though it would move a little */
	bool flies;         /* bounces inside the frame: its target is where that ends, and it is under no rows */
	bool fast;          /* such a flight is one of hybrid.c: it may have keys, and has to be proved */
	bool struck;        /* ... and blows changed its velocities */
	bool trail;         /* goes by its legs */
	uint8_t pieces;     /* of these, in crowd.pieces from first_piece on, once they are laid out; not of a script */
	uint32_t first_piece;
	bool back;      /* the leg under way was taken back for it */
	bool held;      /* it was put back to where its last leg began */
	bool put_back;  /* the same in some leg of the frame */
	bool turned;    /* it is not as the frame began */
	bool round;     /* a ball about its centre of mass: however it turns, it takes up the same room */
	bool turning;   /* has not turned all its way yet */
	bool again;     /* has something left to do for a second pass */
	uint8_t heaves; /* passes of the frame that heaved its island up */
	bool tired;     /* ... so often that it stays where it is */
	bool moved;     /* its trial pose changed since pairs were last looked at */
	double pace;    /* of what is left, that a pass attempts */
	double k, bow;  /* m: theta^2 rho / 8 of the leg under way, a little more; how far its screw leaves the chord */
	double whole_k; /* m: the first of the whole way */
	v3 target_x;    /* where the passes lead it */
	quat target_q;
	v3 goal_x; /* where it would go if it were alone */
	quat goal_q;
	bool script, driven;     /* a scripted body; one that is to move in this frame */
	bool engaged;            /* ... with others near: it goes by passes, as they do */
	bool failed, stopped;    /* it was turned back in this frame; it goes no further in it */
	double share;            /* of its velocity, in the program of momentum at hand: ease.c */
	bool lent;               /* of any body: nothing but a script's motion may move it */
	uint8_t troubles;        /* legs of it that did not lead where they were to */
	bool pressed;            /* of any body: a script that moves is near it, or near one of those near it */
	bool rests;              /* of an island at rest in which nothing has changed: its impulses hold it on */
	bool stirred;            /* of any body: a script that moves may reach it, so it is not at rest */
	double begin, due;       /* s, of a script's clock: at the frame's start; where it is to be at its end */
	double leg, want, clock; /* where the leg under way began, where it was to lead; at the trial pose */
} cn_way;

/* What a body owes in the frame, so far: see debt.c. */
typedef struct cn_debt {
	v3 free, owed;    /* m: where forces alone lead it in the step under way; what it owes */
	double way, kept; /* m: how far its velocities lead it; the largest gap it keeps */
} cn_debt;

/* Whether a body is at this pose, to the bit. */
static inline bool cn_stood(v3 x, quat q, const cn_motion *m)
{
	return x.x == m->x.x && x.y == m->x.y && x.z == m->x.z && q.w == m->q.w && q.x == m->q.x && q.y == m->q.y &&
	       q.z == m->q.z;
}

static inline cn_twist cn_twist_of(const cairn_world *w, uint32_t slot, quat q, const cn_motion *m)
{
	return (cn_twist){m->v, cn_spin(&w->rotors[slot], q, m->l)};
}

/* One piece of a way. */
typedef struct cn_piece {
	double t0, t1; /* shares of the frame */
	v3 x0, x1, turn;
	quat q0;
} cn_piece;

/* How far a body goes in the frame if nothing is in its way. */
typedef struct cn_stride {
	v3 dx;
	double swing; /* m: no point goes further than this by turning */
} cn_stride;

/* Within what room a part stays in the frame, unless it is noticed (roam.c). */
typedef struct cn_roam {
	cn_stride stride; /* as it was when pairs were first looked for */
	double more;      /* m: beside it */
	double first;     /* m: the same at the frame's start */
	bool wild;        /* it may go anywhere */
	bool tame;        /* it was not so at the frame's start */
	bool steady;      /* all this, and where it begins, is as it was in the frame before */
} cn_roam;

/* What the distance of two parts is measured by in a frame. */
typedef struct cn_range {
	double kept, thin, motion, reach; /* m, as in cn_close; how far they may move against each other */
} cn_range;

/* What crumb.c knows of a body of a program. */
typedef struct cn_crumb {
	double share; /* of its mass in the program: a power of two */
	double press; /* kg: the heaviest that presses on it, if that is vast; where that stands, and how far it presses: */
	v3 to;
	double far, eps;
	bool held, spared; /* against that; solved as it is */
} cn_crumb;

/* A program over some of the bodies, in slot order. */
typedef struct cn_program {
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0, *u;
	cn_qp_contact *contacts;
	cn_qp_impulse *y;
	cn_touch **touches; /* of each contact; NULL: a row of its own */
	uint32_t *pair_of;  /* of each contact */
	uint32_t *index;    /* by slot: number in the program, CN_QP_NONE: not in it */
	uint32_t *slots;    /* the other way */
	uint32_t *island;
	uint8_t *region; /* of each body */
	cn_qp_row *rows; /* of joints */
	double *row_y;
	uint32_t *row_joint;
	uint8_t *row_kind; /* cn_row_kind */
	uint32_t row_room, row_y_room, row_joint_room, row_kind_room;
	uint32_t body_room, u0_room, u_room, contact_room, y_room, touch_room, pair_room, index_room, slot_room,
		island_room, region_room;
} cn_program;

/* A contact of a program, with the slots of its bodies, before it has its place there. */
typedef struct cn_row {
	cn_qp_contact contact;
	cn_qp_impulse y;
	cn_touch *touch; /* NULL: a row of its own */
	uint32_t pair;
} cn_row;

/* Those of a chunk of pairs; it counts on when it is full. */
typedef struct cn_row_store {
	cairn_world *w;
	cn_row *rows;
	uint32_t count, room;
} cn_row_store;

typedef enum cn_row_kind { CN_ROW_EQUATION, CN_ROW_LIMIT, CN_ROW_MOTOR } cn_row_kind;

/* One island of such a program, for the text's own programs. */
typedef struct cn_island_program {
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0, *u, *before; /* before: the frame's forces */
	cn_qp_contact *contacts;
	cn_qp_impulse *y, *tips;
	uint32_t *body_of, *contact_of; /* in the whole program */
	uint32_t *index, *island;       /* by body of the whole program */
	uint32_t body_count, contact_count;
	uint32_t body_room, u0_room, u_room, before_room, contact_room, y_room, tip_room, body_of_room, contact_of_room,
		index_room, island_room;
} cn_island_program;

enum { CN_TRAIL_MOST = CN_PASSES - 1 };
static_assert(CN_PASSES * CN_CUTS_MOST <= CN_MAX_PIECES, "a body's legs fit into its keys");

/* Where legs of all bodies end, and in how many pieces they go there. The last leg ends at the trial poses. */
typedef struct cn_stop {
	pose at;
	double clock; /* of a script */
	uint8_t cuts;
} cn_stop;

typedef struct cn_trail {
	cn_stop *stops; /* by slot, one set after another; room for all */
	double
		t[CN_TRAIL_MOST]; /* share of the frame at which each leg ends; before the last one is over: how far it leads */
	uint32_t count, room;
} cn_trail;

/* What the position stage did to an island. */
typedef struct cn_island {
	double won, kinetic, little; /* J: brought, there is, counts as little */
	double mass;
	v3 momentum;
	uint32_t count;
	bool anchored; /* touches what cannot move */
	bool flagged;  /* a body of it is */
	bool jammed;   /* a script that moved squeezes bodies of it */
	bool waits;    /* one of them has been waiting */
	double reach;  /* m: the furthest that a script moved that touches it; in yielding, that anything of it goes */
	double work;   /* J: of what it won, what scripts did */
} cn_island;

#define CN_ROOM(array, room, need) cn_grow(&w->allocator, (void **)&(array), &(room), (need), sizeof *(array))

enum { CN_PAIR_CHUNK = 32, CN_PAIR_POINTS = 8, CN_MOMENTUM_POINTS = 4 };

struct cn_crowd {
	cn_broad *broad;
	cn_islands *momentum;
	cn_fast *fast;
	cn_small *small;          /* of blows inside the frame */
	struct cn_hybrid *hybrid; /* NULL: never asked for */
	cn_part *parts;
	uint32_t *part_first;        /* by slot; one more than slots */
	cn_place *start, *leg, *now; /* of parts: at the frame's start, where the leg began, at the trial poses */
	cn_place *turned;            /* of parts: at the trial poses turned by what a pass turns them */
	cn_broad_item *items;        /* by part; grow within the frame */
	uint32_t *planes;            /* parts that are half-spaces */
	cn_stride *strides;          /* by slot; first of forces alone, then with what holds them */
	cn_roam *roams;              /* by part */
	cn_seen *seen;               /* as w->memory.pairs, and of its points */
	cn_seen_point *seen_points;
	cn_aside aside;
	pose *ended;        /* by slot: where it was then */
	uint8_t *stood;     /* by part: it is still there */
	uint64_t stamp;     /* of all this, if it is that of w->memory; */
	uint64_t stamps;    /* the last one given */
	bool parts_as_were; /* they are those of the frame before */
	uint8_t *meet;      /* of the boxes' pairs: scratch */
	double *scales;     /* by chunk of these: scratch */
	cn_pair *met_pairs; /* the boxes' pairs at the frame's start, ... */
	uint8_t *met;       /* ... and what was found of them */
	cn_close *pairs, *spare;
	cn_touch *points; /* of all pairs; a pair's own stand together */
	cn_way *ways;     /* by slot */
	cn_debt *debts;   /* by slot */
	uint8_t *flags;   /* by slot: scratch of a stage */
	double *spent;    /* by slot, J: what contacts took at rest and in flights, each at one of its bodies */
	double *taken;    /* the same, each at both */
	uint32_t taken_room, debt_room;
	double *gains, *before; /* by slot, J: what the position stage brought; scratch of a stage */
	cn_island *sums;        /* by the least slot of each island */
	cn_trail trail;
	pose *poses;                  /* by slot: where the leg began */
	quat *turns;                  /* by body of the program: what it turns in a pass */
	uint32_t *queue, *order;      /* scratch: of slots, of contacts */
	uint32_t *links, *link_first; /* pairs of a slot */
	struct cn_rigs *rigs;         /* of joints; NULL: there are none */
	cn_extra *extras;             /* spare of w->next_extras */
	uint8_t *frost;               /* by slot: scratch of freezing ... */
	cn_twist *trial;              /* ... and of the blows that wake; of momentum programs: u0 before all blows */
	cn_island_program text;
	cn_program program;
	cn_piece *pieces; /* of bodies that go by their legs */
	uint32_t piece_count, piece_room;
	cn_row *rows;                                   /* of a pass, by chunks of pairs ... */
	uint32_t *row_first, rows_room, row_first_room; /* ... and where those of each stand in the program */
	struct cn_triangle_part_block **tiles;          /* blocks never move: parts point into them */
	cn_sort_item *visits, *visit_sort;              /* part << 32 | fixed mesh, whose boxes meet; in order */
	cn_sort_item *found, *found_sort;               /* triangles of one visit */
	uint32_t tile_count, visit_count, found_count;
	uint32_t block_room, visit_room, visit_sort_room, found_room, found_sort_room;
	cn_crumb *crumbs; /* by body of the program */
	double *eps;      /* by contact of the program: what crumbs have changed in it */
	uint32_t crumb_room, eps_room;
	v3 *rolls; /* by contact of the rest program, at the first of a pair: what resists rolling on b, if there is any (rolling) */
	uint32_t rolls_room;
	bool rolling;
	bool crumbled; /* there may be some */
	uint32_t part_count, plane_count, pair_count, point_count;
	uint32_t new_count; /* of pairs in spare */
	uint32_t *counts;   /* by chunk of pairs: scratch */
	uint32_t met_count, met_room, met_pair_room;
	uint32_t count_room, roam_room, meet_room, scale_room, seen_room, seen_point_room, ended_room, ended_count,
		stood_room;
	uint32_t own_count; /* of parts without tiles, which come after them */
	uint32_t part_room, part_first_room, start_room, leg_room, turned_room, now_room, item_room, plane_room,
		stride_room, pair_room, spare_room, point_room, way_room, flag_room, pose_room, spent_room, gain_room,
		before_room, sum_room, turn_room, queue_room, order_room, link_room, link_first_room, extra_room, frost_room,
		trial_room;
	uint32_t driven;       /* scripts that move in this frame */
	uint32_t leg_number;   /* of the one under way */
	uint64_t *bits;        /* of pairs: scratch */
	uint32_t *list, *bads; /* pairs that were looked at last; that are not free */
	uint32_t *lacking;     /* pairs whose gap is short of what was asked */
	uint32_t lacking_count, lacking_room;
	uint8_t *marks; /* by slot: scratch */
	uint32_t list_count, bad_count, bit_room, list_room, bads_room, mark_room;
	bool listed; /* the last look was at the pairs of the list alone */
	bool links_known;
	bool look_all;    /* at all pairs, or at those with a body that moved */
	bool at_start;    /* pairs are looked for at the first time in the frame */
	bool under_way;   /* bodies have left the frame's start */
	double gravity;   /* m/s^2 */
	bool pass_cut;    /* the last pass did not turn all bodies all their way */
	double pass_far;  /* of a leg: how far bodies moved, each of its radius, all together; second tries count */
	double scale;     /* m: thickness of the thinnest part in a pair */
	double threshold; /* m/s: contacts that approach faster bounce, slower ones rest */
};
typedef struct cn_crowd cn_crowd;

/* ---- crowd.c: parts, boxes and pairs */
void cn_crowd_destroy(cairn_world *w);
bool cn_crowd_begin(cairn_world *w);                /* parts and places at the frame's start; false: memory ran out */
bool cn_crowd_pairs(cairn_world *w);                /* boxes grow to the trial poses, pairs are added */
void cn_crowd_place(cairn_world *w, uint32_t slot); /* places of a body's parts at its trial pose */
bool cn_crowd_give_room(cairn_world *w, cn_close *p, uint32_t room); /* for points; what it has stays where it is */
/* Dynamic, awake and part of the step: programs may move it. */
static inline bool cn_crowd_movable(const cairn_world *w, uint32_t slot)
{
	return w->rotors[slot].active && !w->repose[slot].asleep && !w->away[slot];
}
/* Frames for which a body has to be calm before it is at rest: the shorter frames are, the more; the same at every scale. */
static inline uint16_t cn_calm_frames(const cairn_world *w, uint32_t slot)
{
	double frames = ceil(CN_CALM_FALLS * sqrt(w->bodies[slot].radius / w->crowd->gravity) * w->scene->settings.fps);
	return (uint16_t)(frames > CN_CALM_FRAMES ? (frames < CN_CALM_MOST ? frames : CN_CALM_MOST) : CN_CALM_FRAMES);
}
static inline uint16_t cn_sleep_frames(const cairn_world *w, uint32_t slot)
{
	return (uint16_t)(CN_SLEEP_LATER * cn_calm_frames(w, slot));
}
/* With the velocities at the frame's ends as they are now. */
cn_stride cn_crowd_stride(const cairn_world *w, uint32_t slot);

/* ---- near.c: who is near whom */
double cn_crowd_motion(const cn_crowd *c, const cn_close *p); /* m: how far its parts may move against each other */
bool cn_crowd_links(cairn_world *w);                          /* pairs by slot */
void cn_crowd_islands(cairn_world *w);    /* c->queue: by slot, the least slot of its island of near bodies */
void cn_crowd_components(cairn_world *w); /* the same, where scripts that move tie together what they are near to */
bool cn_crowd_around(cairn_world *w, uint32_t hops); /* c->flags grows over contacts */
/* Runs a task on every pair, on all threads; it writes nothing but its pair and that pair's points. */
typedef void cn_pair_task(cairn_world *w, cn_close *pair);
void cn_crowd_each_pair(cairn_world *w, cn_pair_task *task);
/* c->list: pairs of flagged bodies, in order, once links are known; false: memory ran out. And a task on each. */
bool cn_crowd_list(cairn_world *w, const uint8_t *flags);
void cn_crowd_each_listed(cairn_world *w, cn_pair_task *task);

bool cn_crowd_worth(const cairn_world *w, uint32_t a, uint32_t b); /* two bodies that may touch */
double cn_crowd_kept(const cn_crowd *c, uint32_t pa, uint32_t pb); /* m: the gap two parts want in full */
cn_range cn_crowd_range(const cn_crowd *c, uint32_t pa, uint32_t pb, const cn_stride *sa, const cn_stride *sb);

/* ---- roam.c: pairs of boxes that stay apart */
/* stands: where it began the frame before. */
void cn_roam_begin(cairn_world *w, uint32_t part, bool stands, cn_stride stride, double more);
/* Whether it has less than the least to spare in its room, and gets more; it bulges so far between poses. */
bool cn_roam_leaves(cairn_world *w, uint32_t part, double least, double margin, double bulge);
bool cn_roam_filter(cairn_world *w); /* finds out which of the broad phase's pairs may meet; false: memory ran out */
bool cn_roam_meets(const cn_crowd *c, uint32_t number);

/* ---- ground.c: triangles of fixed meshes */
void cn_ground_free(cairn_world *w);
bool cn_ground_visits(cairn_world *w, const cn_pair *pairs, uint32_t count); /* sorts out who comes near a mesh */
bool cn_ground_search(cairn_world *w, uint32_t visit);                       /* c->found: the triangles near the part */
uint32_t cn_ground_tile(cairn_world *w, uint32_t ground, uint32_t triangle); /* a new part; UINT32_MAX: no memory */
/* Whether a body stands inside a solid mesh without touching its surface: the first such pair. */
bool cn_ground_within(cairn_world *w, uint32_t *a, uint32_t *b);
/* The axis of a pair with a tile where it would be that of an edge which the mesh's surface goes on beyond. True: the
 * tile has no contact with the part, which is at a place of its own. */
bool cn_ground_axis(const cairn_world *w, const cn_close *p, const cn_place *part, cn_separation *at);
double cn_ground_gap(const cairn_world *w, const cn_close *p); /* of any pair that is near, whatever its axis */

/* ---- look.c: where pairs stand */
/* Separation and contact points at some places; true: beyond reach, and there are none. */
bool cn_look_at(const cairn_world *w, const cn_close *p, const cn_place *at_a, const cn_place *at_b,
                cn_witness *witness, cn_separation *at, cn_contact_set *set);
bool cn_crowd_look(cairn_world *w, bool all); /* separation and points; of all, or of those with a body that moved */
bool cn_crowd_again(cairn_world *w);          /* pairs grow, and those with bodies that moved are looked at */
bool cn_crowd_remember(cairn_world *w);       /* what the next frame starts from */
/* Bodies that overlap where they stand now, the first such pair; meshes that move may not even touch. */
bool cn_crowd_overlap(cairn_world *w, cairn_body *a, cairn_body *b, bool *failed);

/* ---- sleep.c */
bool cn_wake_touched(cairn_world *w, cn_frame *f); /* true: some woke, and their pairs are to be looked at */

/* ---- freeze.c (OBA 6.7.2); false: memory ran out */
bool cn_freeze_find(cairn_world *w, cn_frame *f);      /* who freezes and who wakes at the frame's end, by trial, ... */
void cn_freeze_apply(cairn_world *w, cairn_energy *e); /* ... and so it is */
void cn_freeze_drop(cairn_world *w);                   /* ... or is not */
bool cn_freeze_stirred(const cairn_world *w, const cn_close *p); /* the one that is awake wakes the frozen one */
bool cn_freeze_revive(cairn_world *w);                           /* frozen bodies that the frame's blows wake */

/* ---- momentum.c */
bool cn_bounce_touches(const cn_close *p, const cn_touch *t, double moment); /* near enough to be hit */
/* With the new velocities: how fast a touching point still nears, if as fast as an impact; whether one of the pair may. */
double cn_bounce_left(const cairn_world *w, const cn_close *p, const cn_touch *t);
bool cn_bounce_fast(const cairn_world *w, const cn_close *p);
/* A rest solve of some bodies alone, from the new poses and velocities: what they touch of those that are awake weighs
 * on them, but does not support them. Where it leads stands in the program; keep: so do its impulses, for the next. */
bool cn_rest_try(cairn_world *w, const uint8_t *members, cn_frame *f);
void cn_rest_keep(cairn_world *w);

/* ---- carry.c */
/* A row of the rest program: it turns with its bodies. */
void cn_carry(const cairn_world *w, const cn_close *p, cn_qp_contact *row);

/* ---- repose.c */
void cn_repose_find(cairn_world *w);     /* bodies that rest on (cn_way.rests); c->flags: 1 for all others */
uint32_t cn_repose_keep(cairn_world *w); /* they stay; how many points hold them */
void cn_repose_begin(cairn_world *w, cairn_energy *e); /* bodies of the rest solve that have been calm come to rest */
void cn_repose_impulses(cairn_world *w);               /* what its points remember */

/* ---- rolling.c */
bool cn_rolling_begin(cairn_world *w); /* of the rest program at hand; false: memory ran out */
/* After a solve: what resists rolling, as loads of the next. True: that is more than nothing, and to be solved. */
bool cn_rolling_resist(cairn_world *w);
/* What it took from u, from before on. Returns J: what scripts that turn gave by it. */
double cn_rolling_account(cairn_world *w, const cn_twist *before, cairn_energy *e);

/* ---- text.c */
void cn_island_program_free(const cairn_allocator *allocator, cn_island_program *p);
static inline bool cn_text_asked(const cairn_world *w)
{
	return w->scene->options.momentum || w->scene->options.forces;
}
/* Puts the answers of the text's own programs, where the scene asks for them, in place of the default ones of the
 * program at hand. False: memory ran out. */
bool cn_text_momentum(cairn_world *w, bool rest, const cn_qp_solution *x, cn_frame *f);

/* ---- way.c: motion between keys */
uint32_t cn_way_pieces(const cairn_world *w, uint32_t slot);
bool cn_way_trail(cairn_world *w, uint32_t slot); /* lays out the pieces of its legs; false: memory ran out */
cn_piece cn_way_piece(const cairn_world *w, uint32_t slot, uint32_t piece);
cn_piece cn_leg_piece(const cairn_world *w, uint32_t slot, uint32_t piece); /* of the leg under way, from 0 to 1 */
cn_mover cn_way_mover(const cairn_world *w, const cn_piece *piece, uint32_t part, double t0, double t1);
void cn_way_measure(cairn_world *w, uint32_t slot); /* of a trial pose that changed: k, bow, cuts, whole_k */

/* ---- program.c */
void cn_program_free(const cairn_allocator *allocator, cn_program *p);
/* Bodies that are free and can move, and scripts that do (free NULL: all of them), u0 zero; weighed by mass, or all
 * alike by diameter. Those that keep the keys of their free motion are in none but those of all. */
bool cn_program_begin(cairn_world *w, const uint8_t *free, bool diameter);
/* R diag(1/I) R' in world axes: xx xy xz yy yz zz. */
void cn_inverse_inertia(const cn_rotor *r, quat q, double out[6]);
cn_qp_body cn_program_body(const cairn_world *w, uint32_t slot); /* mass and inertia at the trial pose */
bool cn_program_moves(const cn_program *p, uint32_t slot);       /* it is in it, and can move */
bool cn_program_add_row(cairn_world *w, cn_qp_row row, uint32_t joint, cn_row_kind kind); /* a, b: bodies of it */
uint32_t cn_program_island(const cn_program *p, uint32_t contact); /* of a contact, once islands are known */
/* Slabs with about as many contacts each, for cn_fast_options; NULL: there are few. Room for that is made when they are gathered. */
const uint8_t *cn_program_regions(const cairn_world *w);
bool cn_program_regions_room(cairn_world *w, uint32_t contacts); /* false: memory ran out */

/* ---- rig*.c: bodies that joints hold together (rig.h) */
void cn_rigs_destroy(cairn_world *w);
bool cn_rigs_begin(cairn_world *w);                                /* false: memory ran out */
bool cn_rigs_exempt(const cairn_world *w, uint32_t a, uint32_t b); /* a joint keeps the two from colliding */
void cn_rigs_join(const cairn_world *w, uint32_t *root);           /* islands: bodies of a rig are in one */
bool cn_rigs_spread(const cairn_world *w, uint8_t *flags);         /* to whole rigs; whether that changed any */
uint32_t cn_rig_of(const cairn_world *w, uint32_t slot);           /* CN_QP_NONE: no joint holds it */
bool cn_rig_follows(const cairn_world *w, uint32_t slot);          /* it is held to what a script moves */
uint32_t cn_rig_bodies(const cairn_world *w, uint32_t slot, uint32_t number); /* of its rig; CN_QP_NONE: no more */
bool cn_rigs_rest_rows(cairn_world *w);
bool cn_rigs_overload(cairn_world *w); /* motors that are too weak push with what they have; whether there are any */
void cn_rigs_drive(cairn_world *w);    /* after the rest solve: what moves rigs beside their joints */
double cn_rigs_work(const cairn_world *w, const cn_twist *before, const cn_twist *after); /* J: of rows and motors */
bool cn_rigs_position_rows(cairn_world *w, const quat *turns); /* about poses turned so, by body of the program */
void cn_rigs_project(cairn_world *w);                          /* trial poses of rigs that moved: together again */
/* Rigs with a body flagged that are where the frame began go this part of it on their way. False: memory ran out. */
bool cn_rigs_part(cairn_world *w, const uint8_t *flags, double span, cn_frame *f, bool *any);
void cn_rigs_mend(cairn_world *w, cn_frame *f); /* velocities of rigs that were pushed */
bool cn_rigs_bounce_rows(cairn_world *w);
void cn_rigs_slow(cairn_world *w, cairn_energy *e); /* after a blow: rigs with a limb that turns too fast for keys */
double cn_rigs_blow(cairn_world *w);            /* J: the work of the program's rows, from u0 to u; joints feel them */
void cn_rigs_note(cairn_world *w, cn_frame *f); /* how far joints are off */
void cn_rigs_keep(cairn_world *w, cn_frame *f); /* what becomes of joints; the step can no longer fail */

/* ---- crumb.c: bodies squeezed by something vast */
/* Makes them heavier in the program at hand, but for islands of so many bodies; false: memory ran out. */
bool cn_crumbs_weigh(cairn_world *w, uint32_t exact, bool momentum);
/* Solves the momentum program at hand with them, and leaves it as it was. */
bool cn_crumbs_momentum(cairn_world *w, const cn_fast_options *options, cn_qp_solution *x);
void cn_crumbs_account(cairn_world *w, const cn_twist *before, cairn_energy *e, bool rest); /* what they lost by it */

/* ---- impact.c */
bool cn_impact_choose(cairn_world *w); /* who bounces inside the frame, with forces alone; false: memory ran out */

/* ---- hybrid.c */
void cn_hybrid_destroy(cairn_world *w);

/* ---- hybrid_way.c */
void cn_hybrid_prove(cairn_world *w); /* bodies whose flight is not free come under rows, ... */
/* ... and so do those that what is under rows may come near. */
void cn_hybrid_ground(cairn_world *w, cn_frame *f);

/* ---- queue.c */
bool cn_queue_bounce(cairn_world *w, cn_frame *f); /* on the program at hand, which it changes u0 of; false: memory */

/* ---- gather.c: the contacts of a program */
/* Contacts of the program at hand from all pairs that are near, on all threads; false: memory ran out. A task puts those
 * of a pair into the store, maybe twice, and writes nothing but that pair's points. */
typedef void cn_row_task(cn_row_store *store, uint32_t pair);
bool cn_rows_gather(cairn_world *w, cn_row_task *task);
bool cn_rows_gather_listed(cairn_world *w, cn_row_task *task); /* from those of c->list alone */
/* Runs a task on every pair and the contacts gathered from it, from the first one to the end, on all threads, after
 * cn_rows_gather; it writes nothing but its pair and that pair's points. */
typedef void cn_answer_task(cairn_world *w, cn_close *pair, uint32_t first, uint32_t end);
void cn_rows_answer(cairn_world *w, cn_answer_task *task);
/* contact.a and .b are slots; one of which nothing can move is left out. */
void cn_row_put(cn_row_store *store, const cn_qp_contact *contact, cn_touch *touch, uint32_t pair, cn_qp_impulse y);

/* ---- rows.c: of the position program */
void cn_rows_turn(cairn_world *w, uint32_t slot, quat turn); /* places of a body's parts when it has turned */
bool cn_rows_build(cairn_world *w);                          /* all of a pass's contacts; false: memory ran out */

/* ---- target.c */
bool cn_targets_set(cairn_world *w,
                    cn_frame *f);    /* who comes under rows, and where all would go; false: memory ran out */
void cn_targets_fly(cairn_world *w); /* what is not under rows goes there */

/* ---- position.c */
void cn_position_ask(const cairn_world *w, cn_close *p); /* sets what its rows ask for */
/* One round of as little motion as possible: gaps as asked, axes of legs. */
bool cn_position_restore(cairn_world *w, const uint8_t *free, cn_frame *f);

/* ---- proof.c */
double cn_along(const cn_crowd *c, const cn_close *p, const cn_place *places, v3 n);
double cn_slack(const cn_crowd *c, const cn_close *p);                  /* m: rounding of a separation */
v3 cn_support_point(const cn_convex *convex, const cn_place *at, v3 d); /* the furthest along d; world */
/* Balls about the centres of mass, on straight lines to the trial poses, never meet. */
bool cn_balls_prove(const cairn_world *w, const cn_close *p, v3 from_a, v3 from_b, double slack);
bool cn_axis_proves(double s0, double s1, double k, double slack);
bool cn_ways_free(const cairn_world *w, const cn_close *p, bool leg); /* piece by piece, over the frame or the leg */

/* ---- leg.c */
void cn_leg_begin(cairn_world *w);                           /* from the trial poses */
bool cn_leg_clear(cairn_world *w, cn_frame *f);              /* tiers until the leg is free */
double cn_leg_step(const cairn_world *w, const cn_close *p); /* m: the most that a round of mending asks of a pair */
void cn_leg_axis_rows(cn_row_store *store, uint32_t pair);   /* push it along the axis of its leg */

/* ---- yield.c: scripted bodies that push, and their clocks */
/* A movable body that a joint holds to a script that moves; CN_QP_NONE: it does not. */
uint32_t cn_yield_limb(const cairn_world *w, uint32_t joint, uint32_t *script);
cn_stride cn_yield_stride(const cairn_world *w, uint32_t slot);
void cn_yield_begin(cairn_world *w, uint32_t slot);                /* its clock, in cn_way; strides are known */
void cn_yield_engage(cairn_world *w);                              /* which of them have others near */
void cn_yield_set(cairn_world *w, uint32_t slot, double clock);    /* its trial pose */
cn_twist cn_yield_step(cairn_world *w, uint32_t slot, quat *turn); /* what it is to do in a pass */
void cn_yield_near(cairn_world *w); /* c->flags grows by what is near the scripts in it */
/* After a pass: what scripts squeeze begins the leg again, with half their step, or without (last). *any: c->flags are
 * bodies of another pass. False: memory ran out. */
bool cn_yield_back(cairn_world *w, bool last, bool *any);
bool cn_yield_halve(cairn_world *w); /* those near c->flags, or in bad pairs, go half their leg; they are flagged */
bool cn_yield_hold(cairn_world *w, bool frame); /* those in bad pairs go back to the leg's, or the frame's, start */
/* What joints tie to scripts goes back with them, and they with it; flagged are limbs that do, at the frame's start
 * scripts too. */
bool cn_yield_hold_limbs(cairn_world *w, bool frame);
bool cn_yield_mend(cairn_world *w);    /* scripts and what joints hold to them that came apart go back; false: none */
bool cn_yield_leg_end(cairn_world *w); /* true: some have another leg to go */
bool cn_yield_may_trail(const cairn_world *w, uint32_t slot); /* its legs fit into its keys */
void cn_yield_measure(cairn_world *w, uint32_t slot);
cn_piece cn_yield_leg_piece(const cairn_world *w, uint32_t slot, uint32_t piece);
uint32_t cn_yield_way_pieces(const cairn_world *w, uint32_t slot); /* not by its legs */
cn_piece cn_yield_way_piece(const cairn_world *w, uint32_t slot, uint32_t piece);
cn_twist cn_yield_start(const cairn_world *w, uint32_t slot);                 /* velocity where the frame begins, ... */
cn_twist cn_yield_twist(const cairn_world *w, uint32_t slot, bool end);       /* ... is to end; end: in truth */
double cn_yield_work(const cn_program *p, uint32_t contact, cn_qp_impulse y); /* J: of a script, on what it touches */
void cn_yield_press(cairn_world *w); /* marks all that may have to give way to them, over what is near */
void cn_yield_stir(cairn_world *w);  /* marks what they may reach */
void cn_yield_reach(cairn_world *w); /* of c->sums, islands known */
cn_extra cn_yield_key(const cairn_world *w, uint32_t slot, uint32_t piece);
void cn_yield_velocities(cairn_world *w);              /* of those that were stopped */
void cn_yield_keep(cairn_world *w);                    /* how late they are, when nothing can fail any more ... */
void cn_yield_note(const cairn_world *w, cn_frame *f); /* ... and so it is reported */

/* ---- debt.c */
void cn_debt_begin(cairn_world *w);                                   /* strides are those of forces alone */
void cn_debt_note(cairn_world *w);                                    /* after each step */
void cn_debt_report(const cairn_world *w, cairn_step_report *report); /* at the frame's end */

/* ---- ease.c: ... that push no harder than they move */
bool cn_ease_begin(cairn_world *w); /* before all blows, u0 being known; false: memory ran out */
/* After a solve of the program at hand: scripts that would throw what they push are slower in it, and it is to be
 * solved again. Tries count from 1. */
bool cn_ease(cairn_world *w, uint32_t tries);
void cn_ease_pace(cairn_world *w); /* after the rest solve: they begin the frame's way with no more of their step */

/* ---- ledger.c */
double cn_ledger_height(const cairn_world *w, uint32_t slot); /* J: by being elsewhere than the goal */
void cn_ledger_position(cairn_world *w, cn_frame *f); /* what keeping bodies apart brought, and who pays for it */

#endif
