/* Motion of articulations: their own paths on their joints, their rows in programs, and keeping their joints closed.
 * */
#ifndef CN_STEP_ARTICULATION_MOTION_H
#define CN_STEP_ARTICULATION_MOTION_H

#include "num/qp.h"
#include "step/stages.h"

#define CN_ARTICULATION_TURN                                                                                           \
	0.05 /* rad: of a link in one of its articulation's steps; what six sticks then make of their energy in a frame is 1e-3 of it at most, but for whips */
#define CN_ARTICULATION_TOGETHER 1e-12 /* of the articulation's size: so near is together */

/* ---- rows.c */
bool cn_articulations_rest_rows(cairn_world *w);
/* Makes equations of joints hold where the solution leads their bodies. True: some have changed. */
bool cn_articulations_carry(cairn_world *w);
bool cn_articulations_saturate(
	cairn_world *w); /* motors that are too weak push with their largest force instead; true: there are some */
void cn_articulations_store_forces(
	cairn_world *w); /* after the rest solve: stores the forces of contacts, motors and limits */
double cn_articulations_work(const cairn_world *w, const cn_twist *before,
                             const cn_twist *after); /* J: work of joint rows and motors */
bool cn_articulations_position_rows(cairn_world *w,
                                    const quat *turns); /* at poses turned by turns, by body of the program */
bool cn_articulations_bounce_rows(cairn_world *w);
double cn_articulations_impact_work(
	cairn_world *w); /* J: work of the program's joint rows from u0 to u, which is added to the joints' strains */

double cn_articulations_strike_work(cairn_world *w, const uint32_t *rows, uint32_t count); /* the same of some rows */

/* ---- move.c */
/* Moves articulations with a body of the set, if they are still at the frame's start, through this share of their
 * motion. False: memory ran out. */
bool cn_articulations_move_part(cairn_world *w, const uint8_t *bodies, double span, cn_frame *f, bool *any);

/* ---- pose.c */
void cn_articulations_project(cairn_world *w); /* closes the joints of those that the position stage moved */
void cn_articulations_slow(cairn_world *w,
                           cairn_energy *e); /* after impacts: those with a link that turns too fast for keys */
void cn_articulations_note(cairn_world *w, cn_frame *f); /* reports how far joints are violated */
void cn_articulations_keep(cairn_world *w,
                           cn_frame *f); /* writes back the state of joints, once the step can no longer fail */

#endif
