/* What the files of the check of a frame share: bodies as they move through it, and the pairs that are looked at. */
#ifndef CN_CHECK_FRAME_PARTS_H
#define CN_CHECK_FRAME_PARTS_H

#include "check/frame.h"
#include "check/parts.h"

typedef struct cn_check_part {
	const cn_solid *solid;
	pose in_shape;
} cn_check_part;

typedef struct cn_check_shape {
	cn_solid *solid;      /* own; NULL for a compound */
	cn_check_part *parts; /* own */
	uint32_t part_count;
} cn_check_shape;

/* A piece of motion of a body of one convex part. */
typedef struct cn_check_leg {
	v3 x0, x1;            /* centre of mass */
	v3 turn;              /* rotation vector */
	cn_placed start, end; /* the part, from the centre of mass; of several the first */
	double rho, reach;    /* m: largest distance of the body's points from its centre of mass; of the parts' points from
	                         their origins with those from the centre */
	bool plane;           /* a half-space */
} cn_check_leg;

/* A body in a frame. */
typedef struct cn_check_state {
	uint64_t name;        /* 0: not there, or its keys make no sense */
	cn_check_leg leg;     /* from the start to the end; the turn is that of the last piece */
	quat q0, q1;          /* at the start, at the end */
	cn_overlap_box box;   /* where it stands at the end */
	cn_overlap_box swept; /* low above high: in no pair */
	bool known;           /* it goes on from where the frame before left it */
	bool still;           /* it has not moved since */
	bool single;          /* one convex part, or as good as one */
	bool quick;           /* and one piece of motion at most */
	bool arrives, fresh;
} cn_check_state;

/* Two nodes of two bodies, one of them a mesh (frame_watch.c). */
typedef struct cn_watched {
	cn_check_pair pair;
	v3 axis[2];   /* one that parted them, in the axes of a and in those of b; or zero */
	double until; /* m: up to there on the way they are proved to be apart by enough */
} cn_watched;

typedef struct cn_check_entry {
	uint32_t a, b;         /* bodies, a < b */
	v3 axis;               /* the last one that parted them by far, or zero */
	double gap, end_gap;   /* m: proved lower bounds: the least at the frame's keys, at its end */
	bool exact, end_exact; /* found without an axis to start from */
	bool bad;              /* at the end they overlap, or it is not known that they do not */
	uint32_t watched,
		watched_count; /* what is watched at the end, each until counted as the gap that is known; 0: nothing */
} cn_check_entry;

typedef struct cn_check_table {
	cn_check_entry *entries; /* by a, then b */
	cn_watched *watched;     /* of the entries; each chunk of pairs has room of its own */
	uint32_t watched_capacity;
	uint32_t *first; /* by body: its first entry as a; one more at the end */
	uint32_t count, capacity, first_capacity, body_count;
} cn_check_table;

/* The least gap of some pairs; a CN_CHECK_NONE: of none. */
typedef struct cn_check_least {
	double gap;
	uint32_t a, b;
} cn_check_least;

/* What a chunk of bodies or pairs was found to do. */
typedef struct cn_check_finding {
	uint64_t intervals, overlaps, passages;
	double bound;
	cn_check_place first;
	cn_check_least least;          /* of pairs whose gap is exact */
	double promise;                /* m: no other pair is nearer, but for rounding; */
	uint32_t promised;             /* the entry of that; CN_CHECK_NONE: there is none */
	uint32_t watched, watched_end; /* the chunk's room for what is watched */
} cn_check_finding;

/* Pairs that a task found, among those of all; it counts on when it is full. */
typedef struct cn_check_store {
	uint32_t first, count, room;
} cn_check_store;

struct cn_certifier {
	cairn_allocator allocator;
	cn_check_shape *shapes;
	uint32_t shape_count, shape_capacity;
	cn_check_frame frame;
	uint32_t body_capacity, key_capacity, exempt_capacity;
	cn_check_state *now, *last; /* by body */
	uint32_t now_capacity, last_capacity, last_count;
	cn_check_table table, before;
	cn_overlap_tree *tree;
	uint64_t *found, *pairs;                     /* a << 32 | b: as they are found; in order */
	cn_check_store stores[CN_OVERLAP_TASKS + 3]; /* of the tree's tasks, and then of what is found without */
	uint32_t *chunks;                            /* of pairs, whose gaps are measured */
	cn_overlap_box *boxes;
	uint32_t *movers, *planes;
	cn_check_finding *findings;
	uint32_t store_count, found_capacity, pair_capacity, chunk_capacity, box_capacity, mover_capacity, plane_capacity,
		finding_capacity;
	uint32_t mover_count, plane_count;
	cn_check_result result; /* of the frame checked last */
	uint64_t kept;          /* number of the frame that last is the end of; 0: there is none */
	double usual;           /* m: the last frame's least gap: where to look closer at once, which decides nothing */
	bool failed;            /* memory ran out on the way */
};

/* The earlier of two; of equal ones the first pair. */
void cn_check_note(cn_check_place *first, cn_check_place place);
/* A body's own keys; NULL if it has none. */
const cn_check_key *cn_check_keys(const cn_certifier *c, const cn_check_body *b);
/* A part at an orientation, its origin from the centre of mass. */
cn_placed cn_check_placed(const cn_check_part *part, v3 center, quat q);
/* The rounding bound of a motion, that of check/motion.c. */
double cn_check_bound(const cn_check_leg *a, const cn_check_leg *b);

/* Whether one axis parts the two by far: all the way, or at the end alone. */
typedef struct cn_axis_proof {
	/* given */
	v3 axis;      /* to be tried first, or zero: one that stood so at the start */
	double usual; /* m: with a gap below this at the end it is worth while to look for a better one */
	double bound;
	bool motion;  /* from the start to the end; else ... */
	bool start;   /* ... whether the start is looked at too */
	bool counted; /* and its gap counts */
	/* found */
	v3 n;                /* as it stands at the end */
	double gap, end_gap; /* m: least of those that count; at the end */
	v3 best;             /* the best at the end, whether it proves anything or not; most: how far it parts them there */
	double most;
} cn_axis_proof;
bool cn_check_axis(const cn_check_leg *a, const cn_check_leg *b, cn_axis_proof *proof);
/* k for an axis that turns from n0 at the start to n1 at the end. False: they are too far from each other, or the same. */
bool cn_turning_k(const cn_check_leg *a, const cn_check_leg *b, v3 n0, v3 n1, double *k);
/* Looks for an axis that parts the two by more at the end than one is known to, until it is more than wanted. */
bool cn_check_promise(const cn_check_leg *a, const cn_check_leg *b, double wanted, v3 *axis, double *gap);

/* ---- frame_watch.c: pairs of nodes of two bodies, one of them a mesh, that cover all pairs of triangles */
enum { CN_WATCH_MOST = 256 };
typedef struct cn_watch {
	/* given */
	const cn_solid *a, *b;
	double enough; /* m: gaps above this are not looked at, */
	double usual;  /* m: those above this not twice */
	/* own */
	double far; /* m: what is proved is proved with this to spare */
	double way; /* m: how far points of the two may have come nearer so far */
	cn_watched pairs[CN_WATCH_MOST];
	uint32_t count;
	/* found */
	double gap; /* m: no two triangles are nearer at the piece's end, but for rounding */
	v3 axis;    /* in world axes: of the pair that is known least of, or zero */
} cn_watch;
/* What is known from the frame before goes on; count 0: nothing is. */
void cn_watch_begin(cn_watch *w, const cn_watched *known, uint32_t count);
/* A piece that is proved otherwise. */
void cn_watch_skip(cn_watch *w, const cn_check_leg *a, const cn_check_leg *b);
/* What the next frame goes on from. */
void cn_watch_end(const cn_watch *w, cn_watched *known);
/* Whether the two are apart all along the piece and at its ends, by far; to be called with one piece after the other. */
bool cn_watch_piece(cn_watch *w, const cn_check_leg *a, const cn_check_leg *b);

/* c->pairs, in order, and the table's room for them. False when memory ran out. */
bool cn_check_find_pairs(cn_certifier *c, cn_pool *pool);
/* m: how much more an axis may promise than is found without it, beside rounding: what curved things are left at. */
double cn_check_left_at(const cn_certifier *c, const cn_check_entry *entry);
/* Fills the entry in. */
void cn_check_couple(const cn_certifier *c, cn_check_entry *entry, cn_check_finding *out);
/* Whether an axis that costs little promises a gap above this at the end of a frame that is one piece of motion. */
bool cn_check_above(const cn_certifier *c, cn_check_entry *entry, double gap);
/* The gap of an entry found out without any axis; a larger one than `most` may be left at a promise. */
void cn_check_measure(const cn_certifier *c, cn_check_entry *entry, double most);

#endif
