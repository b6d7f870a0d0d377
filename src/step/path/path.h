/* Paths: how each body moves between its pose at the start of the step and its trial pose, and proofs that two bodies do
 * not meet on the way. Paths of scripted bodies follow their scripts. */
#ifndef CN_STEP_PATH_H
#define CN_STEP_PATH_H

#include "geom/sweep.h"
#include "step/contact/contact.h"
#include "step/motion/script.h"

/* A scripted body's own clock in this frame, s. */
typedef struct cn_drive {
	bool moves;         /* it is to move in this frame */
	bool engaged;       /* ... with others near: it goes by passes, as they do */
	bool turned_back;   /* it was turned back in this frame */
	bool stopped;       /* it goes no further in this frame */
	double share;       /* of its velocity that it has in the momentum program at hand (push_limit.c) */
	double start, due;  /* at the frame's start; where it is to be at its end */
	double leg, wanted; /* where the leg under way began; where that leg is to lead */
	double clock;       /* at the trial pose */
} cn_drive;

/* A body's path through the frame. Free bodies go straight, or by the keys of their free motion where they turn far.
 * Bodies under rows go in legs, one a position pass; where the straight path from the first pose to the last is free it
 * is taken, else the legs, each in pieces of a screw (cn_paths.pieces). */
typedef struct cn_path {
	uint32_t first;       /* of its free keys in w->next_extras */
	uint8_t key_count;    /* of these */
	uint8_t cuts;         /* pieces of the leg under way */
	bool under_rows;      /* in the position program */
	bool left_alone;      /* it stays though it would move a little */
	bool flies;           /* it bounces inside the frame: its target is where that ends, and it is under no rows */
	bool fast;            /* this flight is one of hybrid.c: it may have keys, and has to be proved free */
	bool struck;          /* blows of this flight changed its velocities */
	bool blown;           /* a blow is all that stops it */
	bool by_legs;         /* it is shown by its legs */
	uint8_t pieces;       /* of these legs once they are laid out, from first_piece on; not of a scripted body */
	uint32_t first_piece; /* in cn_paths.pieces */
	bool leg_taken_back;  /* the leg under way was taken back for it */
	bool held;            /* it was put back to where its last leg began */
	bool put_back;        /* the same in some leg of the frame */
	bool turned;          /* its orientation is not that of the frame's start */
	bool round;           /* a ball about its centre of mass: however it turns, it takes up the same room */
	bool turning;         /* it has not turned all its way yet */
	bool unfinished;      /* it has something left to do for a second pass */
	uint8_t heaves;       /* passes of the frame that heaved its island up */
	bool stuck;           /* ... so often that it stays where it is */
	bool moved;           /* its trial pose changed since pairs were last measured */
	double pace;          /* share of what is left that a pass attempts */
	double k;             /* m: theta^2 rho / 8 of the leg under way, and a little more */
	double bow;           /* m: how far the leg's screw leaves its chord */
	double whole_k;       /* m: k of the whole path */
	v3 target_x;          /* where the passes lead it */
	quat target_q;
	v3 goal_x; /* where it would go if it were alone */
	quat goal_q;
	bool scripted;
	bool moved_only_by_script; /* nothing but a script's motion may move this body */
	uint8_t troubles;          /* legs of a scripted body that did not lead where they were to */
	bool pushed_by_script;     /* a script that moves is near this body, or near one of those near it */
	bool rests;                /* its island is at rest and nothing has changed in it: its impulses hold it on */
	bool near_moving_script;   /* a script that moves may reach this body, so it is not at rest */
	cn_drive drive;
} cn_path;

/* One piece of a path: the centre goes straight, the body turns about one axis. */
typedef struct cn_piece {
	double t0, t1; /* shares of the frame */
	v3 x0, x1, turn;
	quat q0;
} cn_piece;

enum { CN_TRAIL_MOST = CN_PASSES - 1 };
static_assert(CN_PASSES * CN_CUTS_MOST <= CN_MAX_PIECES, "a body's legs fit into its keys");

/* Where a leg of a body ends, and in how many pieces it goes there. The last leg ends at the trial pose. */
typedef struct cn_leg_end {
	pose at;
	double clock; /* of a script, s */
	uint8_t cuts;
} cn_leg_end;

typedef struct cn_leg_ends {
	cn_leg_end *ends;        /* by slot, one set after another; room for all */
	double t[CN_TRAIL_MOST]; /* share of the frame at which each leg ends; until the last is over: how far it leads */
	uint32_t count;
} cn_leg_ends;

typedef struct cn_paths {
	cn_path *by_slot;
	cn_leg_ends leg_ends;
	pose *poses;      /* by slot: where the leg began */
	quat *turns;      /* by body of the program: what it turns in a pass */
	cn_extra *extras; /* spare of w->next_extras */
	uint32_t extra_room;
	cn_piece *pieces; /* of bodies that are shown by their legs */
	uint32_t piece_count;
	uint32_t scripts, moving_scripts; /* scripted bodies; those that move in this frame */
	bool has_balls;                   /* a body is a ball about its centre of mass */
	uint32_t leg_number;              /* of the one under way */
} cn_paths;

/* Whether a body is at this pose, to the bit. */
static inline bool cn_stood(v3 x, quat q, const cn_motion *m)
{
	return x.x == m->x.x && x.y == m->x.y && x.z == m->x.z && q.w == m->q.w && q.x == m->q.x && q.y == m->q.y &&
	       q.z == m->q.z;
}

static inline pose cn_trial_pose(const cairn_world *w, uint32_t slot)
{
	return (pose){w->next[slot].x, w->next[slot].q};
}

/* ---- paths.c: motion between keys */
uint32_t cn_path_pieces(const cairn_world *w, uint32_t slot);
bool cn_path_lay_legs(cairn_world *w, uint32_t slot); /* the pieces of its legs; false: memory ran out */
cn_piece cn_path_piece(const cairn_world *w, uint32_t slot, uint32_t piece);
cn_piece cn_leg_piece(const cairn_world *w, uint32_t slot, uint32_t piece); /* of the leg under way, from 0 to 1 */
cn_mover cn_path_mover(const cairn_world *w, const cn_piece *piece, uint32_t part, double t0, double t1);
void cn_path_measure(cairn_world *w, uint32_t slot); /* of a trial pose that changed: k, bow, cuts, whole_k */

/* ---- proof.c */
double cn_along(const struct cn_context *c, const cn_pair *p, const cn_place *places, v3 n); /* m: gap along n */
double cn_slack(const struct cn_context *c, const cn_pair *p);          /* m: rounding of a separation */
v3 cn_support_point(const cn_convex *convex, const cn_place *at, v3 d); /* the furthest along d; world axes */
/* Balls about the centres of mass, on straight lines to the trial poses, never meet. */
bool cn_balls_prove(const cairn_world *w, const cn_pair *p, v3 from_a, v3 from_b, double slack);
bool cn_axis_proves(double s0, double s1, double k, double slack);
bool cn_paths_free(const cairn_world *w, const cn_pair *p, bool leg); /* piece by piece, over the frame or the leg */

/* ---- script_path.c: paths of scripted bodies, by their clocks */
/* A stretch of a script's time that is gone through evenly in a share of the frame, from one pose to another. */
typedef struct cn_stretch {
	cn_span span;
	pose from, to;
	double t0, t1;
} cn_stretch;

cn_stretch cn_script_whole(const cairn_world *w, uint32_t slot); /* its path through the whole frame */
cn_piece cn_stretch_piece(const cairn_world *w, uint32_t slot, const cn_stretch *s, uint32_t piece);
bool cn_body_scripted(const cairn_world *w, uint32_t slot);
/* A movable body that a joint holds to a scripted body that moves; CN_QP_NONE: it does not. */
uint32_t cn_script_link(const cairn_world *w, uint32_t joint, uint32_t *script);
cn_stride cn_script_stride(const cairn_world *w, uint32_t slot);
void cn_script_begin(cairn_world *w, uint32_t slot);          /* its clock, in cn_path.drive; strides are known */
bool cn_script_legs_fit(const cairn_world *w, uint32_t slot); /* its legs fit into its keys */
void cn_script_measure(cairn_world *w, uint32_t slot);
cn_piece cn_script_leg_piece(const cairn_world *w, uint32_t slot, uint32_t piece);
uint32_t cn_script_path_pieces(const cairn_world *w, uint32_t slot); /* not by its legs */
cn_piece cn_script_path_piece(const cairn_world *w, uint32_t slot, uint32_t piece);
cn_extra cn_script_key(const cairn_world *w, uint32_t slot, uint32_t piece);

#endif
