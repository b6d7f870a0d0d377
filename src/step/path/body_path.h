/* A body's path through the frame: a record that path makes and the stages hand on. What a room finds out for itself
 * stands in a group of its own, which that room alone writes. Path writes the rest, for the others by the functions
 * below. */
#ifndef CN_STEP_BODY_PATH_H
#define CN_STEP_BODY_PATH_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define CN_CUTS_MAX 8 /* of a leg */

/* What the position stage does with a body. */
typedef enum cn_role {
	CN_ROLE_FREE,       /* goes straight to its target */
	CN_ROLE_LEFT_ALONE, /* its motion would be small, so it stays where it is */
	CN_ROLE_UNDER_ROWS, /* is in the position program */
} cn_role;

/* Whether a body bounces inside the frame. Its target is the end of that flight then, and it is not under rows. */
typedef enum cn_flying {
	CN_FLYING_NOT,
	CN_FLYING_BALL, /* one of few balls (balls.c) */
	CN_FLYING_FAST, /* by hybrid.c: it may have keys and must be proved free */
} cn_flying;

/* What a script does with its body in this frame. */
typedef enum cn_drive_state {
	CN_DRIVE_NONE,    /* the body has no script, or takes no part in the step */
	CN_DRIVE_STANDS,  /* the script does not move it */
	CN_DRIVE_ALONE,   /* it moves and nothing is near, so it goes all its way at once */
	CN_DRIVE_ENGAGED, /* it moves in passes, as the bodies near it do */
	CN_DRIVE_STOPPED, /* the same, but it goes no further in this frame */
} cn_drive_state;

/* A body's own motion, if nothing is in its way. Owner: path, told by those who know it. */
typedef struct cn_own_motion {
	uint32_t first;    /* its first key in w->next_extras: of free motion, of its flight or of its joints */
	uint8_t key_count; /* number of those keys; 0: it goes straight, or by its legs */
	bool keys_blocked; /* the keys of its free motion are in the way of another's path, so it has to do without */
	v3 goal_x;         /* where it would go if it were alone */
	quat goal_q;
	v3 target_x; /* where the passes lead it */
	quat target_q;
} cn_own_motion;

/* What became of a body in its legs. Owner: path, told by those who move it. */
typedef struct cn_legs {
	cn_role role;
	bool turning;    /* it has not reached its target orientation yet */
	bool taken_back; /* the current leg was undone for its sake */
	bool held;       /* it was put back to the start of its last leg */
	bool put_back;   /* it was put back in some leg of the frame */
	bool shown;      /* it is shown by its legs */
} cn_legs;

/* How the passes lead a body. Owner: position. */
typedef struct cn_lead {
	double pace;     /* share of the remaining motion that a pass attempts */
	bool one_impact; /* nothing but an impact stops it */
	bool unfinished; /* it is to take part in a second pass */
	bool remote;     /* motion reaches it over several others only */
	bool turns_back; /* a leg raised it: it is to turn back ... */
	double turn;     /* ... to this share of its turn; 1: all of it */
} cn_lead;

/* A body's flight. Owner: flight. */
typedef struct cn_path_flight {
	cn_flying kind;
	bool struck; /* impacts of the flight changed its velocities */
} cn_path_flight;

/* How a body rests. Owner: rest. */
typedef struct cn_path_rest {
	bool unchanged; /* its island rests unchanged, so last frame's impulses hold it without a solve */
} cn_path_rest;

/* What scripts do to a body near them. Owner: script. */
typedef struct cn_near_scripts {
	bool pushed;    /* a script that moves is near this body, or near one of those near it */
	bool may_reach; /* a script that moves may reach this body, so it is not at rest */
	bool alone;     /* nothing but a script's motion may move this body */
} cn_near_scripts;

/* A scripted body's own clock in this frame, s. Owner: script; path starts it (cn_script_begin). */
typedef struct cn_drive {
	cn_drive_state state;
	bool turned_back;   /* it was turned back in this frame */
	uint8_t troubles;   /* legs that did not end where they should */
	double pace;        /* share of its motion that a pass attempts */
	double pushed;      /* share of its motion that bodies were pushed for when the step began; 0: they were not */
	double share;       /* the share of its velocity that it has in the current momentum program (push_limit.c) */
	double start, due;  /* at the frame's start; due at the frame's end */
	double leg, wanted; /* at the start of the current leg; where that leg is to end */
	double clock;       /* at the trial pose */
} cn_drive;

/* A body's path through the frame. Free bodies go straight, or through keys where they turn far. A body "under rows"
 * is in the position program and moves in legs, one for each pass. If the straight path from the first pose to the
 * last is free it is shown, else the legs, each cut into pieces of a screw motion (cn_paths.pieces).
 * Owner: path, but for the groups of others. */
typedef struct cn_path {
	uint8_t cuts;         /* pieces of the current leg */
	uint8_t pieces;       /* of its legs once they are laid out, from first_piece on; not for scripted bodies */
	uint32_t first_piece; /* in cn_paths.pieces */
	bool round;           /* a ball about its centre of mass, whose shape does not change when it turns */
	bool turned;          /* its orientation differs from that at the frame's start */
	double k;             /* m: theta^2 rho / 8 of the current leg, slightly enlarged */
	double bow;           /* m: how far the leg's screw motion leaves its chord */
	double whole_k;       /* m: k of the whole path */
	cn_own_motion own;
	cn_legs legs;
	cn_lead lead;
	cn_path_flight flight;
	cn_path_rest rest;
	cn_near_scripts scripts;
	cn_drive drive; /* of a scripted body */
} cn_path;

static inline bool cn_path_scripted(const cn_path *y) { return y->drive.state != CN_DRIVE_NONE; }
/* A script moves the body in this frame, or was to move it. */
static inline bool cn_path_driven(const cn_path *y) { return y->drive.state >= CN_DRIVE_ALONE; }
/* It takes part in the next pass. */
static inline bool cn_script_goes_on(const cn_path *y)
{
	return y->drive.state == CN_DRIVE_ENGAGED && y->drive.clock < y->drive.due;
}

/* ---- its own motion */

static inline void cn_path_set_goal(cn_path *y, v3 x, quat q) { y->own.goal_x = x, y->own.goal_q = q; }
static inline void cn_path_aim_at(cn_path *y, v3 x) { y->own.target_x = x; }
static inline void cn_path_turn_to(cn_path *y, quat q) { y->own.target_q = q; }
/* Its orientation after a share of its turn from there to its target. */
static inline quat cn_path_turn_part(const cn_path *y, quat from, double share)
{
	return q_unit(q_mul(q_exp(v3_scale(q_turn(from, y->own.target_q), share)), from));
}
static inline void cn_path_aim(cn_path *y, v3 x, quat q) { cn_path_aim_at(y, x), cn_path_turn_to(y, q); }
/* Its keys are to begin there in w->next_extras. */
static inline void cn_path_place_keys(cn_path *y, uint32_t first) { y->own.first = first; }
static inline void cn_path_take_keys(cn_path *y, uint32_t count) { y->own.key_count = (uint8_t)count; }
static inline void cn_path_drop_keys(cn_path *y) { y->own.key_count = 0; }
static inline void cn_path_block_keys(cn_path *y) { y->own.keys_blocked = true; }

/* ---- what becomes of it in its legs */

static inline void cn_path_under_rows(cn_path *y) { y->legs.role = CN_ROLE_UNDER_ROWS; }
static inline void cn_path_under_rows_if(cn_path *y, bool so)
{
	if (so)
		cn_path_under_rows(y);
}
static inline void cn_path_leave_alone(cn_path *y) { y->legs.role = CN_ROLE_LEFT_ALONE; }
static inline void cn_path_goes_on_turning(cn_path *y, bool so) { y->legs.turning = so; }
static inline void cn_path_take_leg_back(cn_path *y) { y->legs.taken_back = true; }
static inline void cn_path_show_legs(cn_path *y) { y->legs.shown = true; }

/* The body is put back to the start of its leg, but for what it goes with others (stays: it goes nothing), and is done
 * with this leg. */
static inline void cn_path_end_leg(cn_path *y, bool stays)
{
	y->legs.held = true, y->legs.put_back |= stays;
	cn_path_drop_keys(y);
}

/* The body is put back to the start of its leg and stays there in this leg. Its script takes back what it did. */
static inline void cn_path_hold(cn_path *y)
{
	cn_path_under_rows(y);
	cn_path_end_leg(y, true);
}

/* The same of a scripted body. frame: it is put back to the start of the frame. */
static inline void cn_path_hold_script(cn_path *y, bool frame) { y->legs.held = true, y->legs.shown &= !frame; }

/* The body is put back to the start of the frame, but for what it goes with others. */
static inline void cn_path_put_back(cn_path *y, bool stays)
{
	y->legs.shown = false, y->legs.put_back |= stays;
	cn_path_drop_keys(y);
}

/* The body begins the frame again. */
static inline void cn_path_forget_legs(cn_path *y) { y->legs = (cn_legs){.role = CN_ROLE_FREE}, y->pieces = 0; }

/* Keeps a path as it is, or brings it back. */
static inline void cn_path_copy(cn_path *to, const cn_path *from) { *to = *from; }

#endif
