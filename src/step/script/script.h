/* Scripted bodies that push: clocks that may lag, and what they do to others. */
#ifndef CN_STEP_SCRIPT_H
#define CN_STEP_SCRIPT_H

#include "step/path/path.h"
#include "step/solve/program.h"

/* ---- clock.c: how far scripts go in a pass, and when they wait */
void cn_script_engage(cairn_world *w);                              /* which of them have others near */
void cn_script_set(cairn_world *w, uint32_t slot, double clock);    /* its trial pose */
cn_twist cn_script_step(cairn_world *w, uint32_t slot, quat *turn); /* what it is to do in a pass */
void cn_script_near(cairn_world *w); /* scratch.flags grows by what is near the scripts in it */
/* After a pass: what scripts squeeze begins the leg again, with half their step, or without (last). *any: scratch.flags
 * are bodies of another pass. False: memory ran out. */
bool cn_script_back(cairn_world *w, bool last, bool *any);
bool cn_script_halve(cairn_world *w); /* those near scratch.flags, or in bad pairs, go half their leg and are flagged */
bool cn_script_hold(cairn_world *w, bool frame); /* those in bad pairs go back to the leg's, or the frame's, start */
/* What joints tie to scripts goes back with them, and they with it; flagged are links that do, at the frame's start
 * scripts too. */
bool cn_script_hold_limbs(cairn_world *w, bool frame);
bool cn_script_mend(cairn_world *w);    /* scripts and what joints hold to them that came apart go back; false: none */
bool cn_script_leg_end(cairn_world *w); /* true: some have another leg to go */
void cn_script_keep(cairn_world *w);    /* how late they are, when nothing can fail any more ... */
void cn_script_note(const cairn_world *w, cn_frame *f); /* ... and so it is reported */

/* ---- push.c */
cn_twist cn_script_start(const cairn_world *w, uint32_t slot);           /* velocity where the frame begins, ... */
cn_twist cn_script_twist(const cairn_world *w, uint32_t slot, bool end); /* ... is to end; end: in truth */
void cn_script_velocities(cairn_world *w);                               /* of those that were stopped */
double cn_script_work(const cn_program *p, uint32_t contact, cn_qp_impulse y); /* J: of a script, on what it touches */
void cn_script_press(cairn_world *w); /* marks all that may have to give way to them, over what is near */
void cn_script_stir(cairn_world *w);  /* marks what they may reach */
void cn_script_reach(cairn_world *w); /* of energy.sums, islands known */

/* ---- push_limit.c: scripts push no harder than they move */
bool cn_push_limit_begin(cairn_world *w); /* before all blows, u0 being known; false: memory ran out */
/* After a solve of the program at hand: scripts that would throw what they push are slower in it, and it is to be
 * solved again. Tries count from 1. */
bool cn_push_limit(cairn_world *w, uint32_t tries);
void cn_push_limit_pace(
	cairn_world *w); /* after the rest solve: they begin the frame's path with no more of their step */

#endif
