/* Scripted bodies that push: clocks that may lag, and the effects on others. */
#ifndef CN_STEP_SCRIPT_H
#define CN_STEP_SCRIPT_H

#include "step/path/path.h"
#include "step/solve/program.h"

/* An island of a momentum program that scripts may push, at its lowest body. */
typedef struct cn_push_island {
	double script;        /* m/s: speed of the scripts that touch it */
	double comes;         /* m/s: approach of its bodies to them */
	double before, after; /* m/s: its fastest body, before and after the solve */
	double mass;
	bool has_joints; /* its bodies may swing faster than what moves them */
	bool slowed;     /* at the body of a script, which is in no island: the script is slowed in this program, ... */
	double share;    /* ... to this share of its velocity */
} cn_push_island;

/* Written by push_limit.c and again.c. */
typedef struct cn_push_limits {
	cn_twist *before; /* by slot: velocity before any impulse of the current program */
	cn_push_island *islands;
	double *paces;    /* by slot, of scripts, in a step that began again (again.c) ... */
	uint64_t limited; /* ... in the frame of this number (w->log.steps); 0: none did */
} cn_push_limits;

/* ---- clock.c: how far scripts move in a pass, and when they wait */
void cn_script_engage(cairn_world *w);                           /* finds those that have others near */
void cn_script_set(cairn_world *w, uint32_t slot, double clock); /* sets its trial pose by its clock */
void cn_script_set_clocks(cairn_world *w,
                          bool end); /* of all, to the frame's start or to what is due at its end; the poses stay */
cn_twist cn_script_step(cairn_world *w, uint32_t slot, quat *turn); /* its displacement and rotation in a pass */
void cn_script_add_near(const cairn_world *w, uint8_t *bodies);     /* adds those near scripts that are in the set */
/* After a pass: bodies that scripts squeeze begin the leg again, with half the scripts' step, or without it (last).
 * *any: there are some, and the set becomes that of the bodies of another pass. False: memory ran out. */
bool cn_script_turn_back(cairn_world *w, bool last, uint8_t *bodies, bool *any);
/* Scripts near bodies of the set, or in bad pairs, go half their leg and join the set. True: there are some. */
bool cn_script_halve(cairn_world *w, uint8_t *bodies);
/* Scripts in bad pairs go back to the start of the leg, or of the frame, and join the set. True: there are some. */
bool cn_script_hold(cairn_world *w, uint8_t *bodies, bool frame);
/* Links tied to scripts go back with them, and scripts with their links. Links that do join the set; with frame,
 * scripts too. */
bool cn_script_hold_links(cairn_world *w, uint8_t *bodies, bool frame);
/* Puts back scripts and links whose joint came apart; the set becomes theirs. False: there are none. */
bool cn_script_mend(cairn_world *w, uint8_t *bodies);
void cn_script_leg_begin(cairn_world *w); /* a leg begins at the trial poses */
bool cn_script_leg_end(cairn_world *w);   /* true: some have another leg to do */
void cn_script_keep(cairn_world *w);      /* stores how late they are, once the step can no longer fail ... */
void cn_script_note(const cairn_world *w, cn_frame *f); /* ... and reports it */

/* ---- push.c */
cn_twist cn_script_start(const cairn_world *w, uint32_t slot); /* velocity at the frame's start, ... */
cn_twist cn_script_twist(const cairn_world *w, uint32_t slot,
                         bool end);        /* ... planned for its end; end: the real one at its end */
void cn_script_velocities(cairn_world *w); /* of scripts that were stopped */
double cn_script_work(const cn_program *p, uint32_t contact,
                      cn_qp_impulse y);     /* J: work of a script on the body it touches */
void cn_script_mark_pushed(cairn_world *w); /* marks all bodies that scripts may push, through others near them */
void cn_script_mark_near(cairn_world *w);   /* marks bodies that scripts may reach */
/* Marks bodies that nothing but a script may move. */
void cn_script_mark_alone(cairn_world *w, const uint32_t *slots, uint32_t count);
/* reach, m, by island: the furthest that a script moves which touches it. Islands must be known. */
void cn_script_find_reach(const cairn_world *w, double *reach);

/* ---- push_limit.c: limits of pushing scripts */
bool cn_push_limit_begin(cairn_world *w); /* before any impulse, with u0 known; false: memory ran out */
/* After a solve of the current program: slows scripts that would throw bodies. True: it is to be solved again. tries
 * counts from 1. */
bool cn_push_limit(cairn_world *w, uint32_t tries);
void cn_push_limit_pace(
	cairn_world *w); /* after the rest solve: they begin the frame's path with no more than that share */

/* ---- again.c */
/* After the position stage of a step that has begun again so often: *again: scripts went less far than they pushed, and the
 * step is to begin again with what they went. False: memory ran out. */
bool cn_script_again(cairn_world *w, uint32_t tries, bool *again);

#endif
