/* Resting contact (OBA 6.3.2): impulses that hold resting contacts, and bodies that rest on without a solve. */
#ifndef CN_STEP_REST_H
#define CN_STEP_REST_H

#include "step/solve/program.h"

#define CN_REST_TOLERANCE 1e-7 /* x g dt: what rests is to be left with a hundred times that at most */
#define CN_SLIDE_LIMIT 0.999   /* of the cone: friction beyond it is sliding, if the point moves, too */

/* Rolling resistance in the rest program. Written by rest.c and rolling.c. */
typedef struct cn_rolling {
	bool some;    /* some contact of the program has it */
	v3 *impulses; /* N m s, on b, by contact: at the first contact of each pair */
} cn_rolling;

/* ---- rest.c */
/* Shared by the rest and the bounce program. */
double cn_point_approach(const cn_program *g, const cn_pair *p, const cn_pair_point *t, const cn_twist *u);
cn_qp_contact cn_point_row(const cn_pair *p, const cn_pair_point *t, double min);
double cn_program_script_work(const cairn_world *w); /* J: work that scripts do by pushing */
void cn_program_account(const cn_program *p, const cn_twist *before, cairn_energy *e, struct cn_context *c);
void cn_limit_spin(cairn_world *w, uint32_t slot, cairn_energy *e); /* slows a body that turns too fast for keys */

void cn_rest_add(cn_row_store *s,
                 uint32_t pair); /* the rows of a pair, warm started with the impulses of the last solve */

/* ---- trial.c */
/* A rest solve of some bodies alone, from the new poses and velocities. Awake bodies in touch with them press on
 * them, but do not support them. The solution stays in the program; cn_rest_trial_keep stores its impulses for a warm
 * start. */
bool cn_rest_trial(cairn_world *w, const uint8_t *members, cn_frame *f);
void cn_rest_trial_keep(cairn_world *w);

/* ---- carried.c */
void cn_carried_row(const cairn_world *w, const cn_pair *p, cn_qp_contact *row); /* lets a row turn with its bodies */

/* After a solve: rebuilds rows whose points move, in small islands. True: there are some, and these islands are to be
 * solved again. */
bool cn_carried_update(cairn_world *w);

/* ---- rolling.c: only for programs with contacts that resist rolling (rolling.some) */
bool cn_rolling_begin(cairn_world *w); /* for the current rest program; false: memory ran out */
/* After a solve: sets rolling resistance as loads of the next one. True: it changed, and another solve is needed. */
bool cn_rolling_resist(cairn_world *w);
/* Accounts for its work between before and u. Returns J: the work of scripts that turn. */
double cn_rolling_account(cairn_world *w, const cn_twist *before, cairn_energy *e);

#endif
