/* Positions (OBA 6.1): bodies are led toward their targets in legs, each free of crossings, and the paths that are shown
 * are chosen. What that does to energy, and what velocities do not explain, is kept in accounts. */
#ifndef CN_STEP_POSITION_H
#define CN_STEP_POSITION_H

#include "step/solve/program.h"

/* What the position stage did to an island, by its least slot. */
typedef struct cn_island {
	double won, kinetic, little; /* J: what it brought, what there is, what counts as little */
	double mass;
	v3 momentum;
	uint32_t count;
	bool anchored; /* it touches what cannot move */
	bool flagged;  /* a body of it is */
	bool jammed;   /* a script that moved squeezes bodies of it */
	bool waits;    /* one of its scripts has been waiting */
	double
		reach; /* m: the furthest that a script moved that touches it; for scripts that wait, that anything of it goes */
	double work; /* J: of what it won, what scripts did; of a pass, how far it rose */
} cn_island;

/* Energy accounts of the position stage. */
typedef struct cn_energies {
	double *spent;  /* by slot, J: what contacts took at rest and in flights, each at one of its bodies */
	double *taken;  /* the same, each at both */
	double *gains;  /* by slot, J: what the position stage brought */
	double *before; /* by slot, J: scratch */
	cn_island *sums;
} cn_energies;

/* What a leg still has to mend. */
typedef struct cn_repair {
	uint32_t *bad;         /* pairs whose motion is not free */
	uint32_t *short_pairs; /* pairs whose gap is short of what was asked for */
	uint32_t bad_count, short_count;
	bool pass_cut;   /* the last pass did not turn all bodies all their way */
	double pass_far; /* of a leg: how far bodies moved, each of its radius, all together; second tries count */
} cn_repair;

/* ---- targets.c */
bool cn_targets_set(cairn_world *w,
                    cn_frame *f);    /* who comes under rows, and where all would go; false: memory ran out */
void cn_targets_fly(cairn_world *w); /* what is not under rows goes there */

/* ---- rows.c: of the position program */
void cn_rows_turn(cairn_world *w, uint32_t slot, quat turn); /* places of a body's parts when it has turned */
bool cn_rows_build(cairn_world *w);                          /* all of a pass's contacts; false: memory ran out */

/* ---- program.c: solving it */
typedef void cn_body_task(cairn_world *w, uint32_t body);
void cn_position_each_body(cairn_world *w, cn_body_task *task);     /* of the program, on all threads */
void cn_position_move(cairn_world *w, uint32_t body);               /* its trial pose, by the program's answer */
void cn_position_place(cairn_world *w, uint32_t body);              /* the same, of a body that is not held */
bool cn_position_solve(cairn_world *w, uint32_t sweeps, bool warm); /* false: memory ran out */
void cn_position_mark_pushed(cairn_world *w); /* pairs of which the answer moves one body for the other's sake */
double cn_repair_gap(const struct cn_context *c, const cn_pair *p); /* m: what mending asks for */

/* ---- restore.c */
/* One round of as little motion as possible: gaps as asked for, axes of legs. */
bool cn_repair_restore(cairn_world *w, const uint8_t *free, cn_frame *f);

/* ---- repair.c */
void cn_leg_begin(cairn_world *w);               /* from the trial poses */
bool cn_leg_repair(cairn_world *w, cn_frame *f); /* tiers until the leg is free */

/* ---- axis_rows.c */
double cn_repair_step(const cairn_world *w, const cn_pair *p); /* m: the most that a round of mending asks of a pair */
void cn_repair_axis_rows(cn_row_store *store, uint32_t pair);  /* push it along the axis of its leg */

/* ---- energy.c */
double cn_energy_little(const cairn_world *w, uint32_t slot); /* J: a step may bring it a body for nothing */
double cn_energy_height(const cairn_world *w, uint32_t slot); /* J: by being elsewhere than the goal */
/* energy.before, by slot, m: how far gaps that opened in this step raised a body for nothing, over all that it lies on. */
void cn_energy_opened(cairn_world *w);
void cn_energy_position(cairn_world *w, cn_frame *f); /* what keeping bodies apart brought, and who pays for it */

#endif
