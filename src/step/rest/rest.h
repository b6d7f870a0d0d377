/* Resting contact (OBA 6.3.2): impulses that hold what rests, and what rests on without a solve. */
#ifndef CN_STEP_REST_H
#define CN_STEP_REST_H

#include "step/solve/program.h"

/* ---- momentum.c: what the programs of rest and of bounce have in common */
v3 cn_point_velocity(const cn_program *g, const cn_pair *p, const cn_pair_point *t, const cn_twist *u);
double cn_point_approach(const cn_program *g, const cn_pair *p, const cn_pair_point *t, const cn_twist *u);
cn_qp_contact cn_point_row(const cn_pair *p, const cn_pair_point *t, double least);
double cn_program_script_work(const cairn_world *w); /* J: what scripts do by pushing */
void cn_program_account(const cn_program *p, const cn_twist *before, cairn_energy *e, struct cn_context *c);
void cn_limit_spin(cairn_world *w, uint32_t slot, cairn_energy *e); /* a body that turns too fast for keys */

/* ---- rest.c */
/* A rest solve of some bodies alone, from the new poses and velocities: what they touch of those that are awake weighs
 * on them, but does not support them. Where it leads stands in the program; keep: so do its impulses, for the next. */
bool cn_rest_try(cairn_world *w, const uint8_t *members, cn_frame *f);
void cn_rest_keep(cairn_world *w);

/* ---- carried.c */
void cn_carried_row(const cairn_world *w, const cn_pair *p, cn_qp_contact *row); /* a row turns with its bodies */

/* After a solve, of few bodies: rows go where their points do. True: some do, and small islands are to be solved
 * again. */
bool cn_carried_update(cairn_world *w);

/* ---- rest_state.c */
void cn_rest_state_find(cairn_world *w);     /* bodies that rest on (cn_path.rests); scratch.flags: 1 for all others */
uint32_t cn_rest_state_keep(cairn_world *w); /* they stay; how many points hold them */
void cn_rest_state_begin(cairn_world *w, cairn_energy *e); /* bodies that have been still come to rest */
void cn_rest_state_impulses(cairn_world *w);               /* what its points remember */

/* ---- rolling.c */
bool cn_rolling_begin(cairn_world *w); /* of the rest program at hand; false: memory ran out */
/* After a solve: what resists rolling, as loads of the next. True: that is more than nothing, and to be solved. */
bool cn_rolling_resist(cairn_world *w);
/* What it took from u, from before on. Returns J: what scripts that turn gave by it. */
double cn_rolling_account(cairn_world *w, const cn_twist *before, cairn_energy *e);

#endif
