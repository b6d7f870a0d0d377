/* Positions (OBA 6.1): bodies move toward their targets in legs, each proved free, and the paths that are shown are
 * chosen. The gain of energy is kept in accounts. */
#ifndef CN_STEP_POSITION_H
#define CN_STEP_POSITION_H

#include "step/solve/program.h"

/* Sums over an island, at its lowest slot. */
typedef struct cn_island {
	double won, kinetic, little; /* J: gained by the position stage; kinetic; negligible */
	double mass;
	v3 momentum;
	uint32_t count;
	bool anchored; /* it touches something immovable */
	double work;   /* J: work of scripts, not part of won */
} cn_island;

/* Energy accounts of the position stage. Written by energy.c. */
typedef struct cn_energies {
	double *gains;   /* by slot, J: gained by the position stage */
	cn_island *sums; /* by island */
	double *reach;   /* by island, m: the furthest that a script moves which touches it */
	uint8_t *afloat; /* by slot: nothing immovable is near it, at any remove */
} cn_energies;

/* The current pass. Written by passes.c. */
typedef struct cn_pass {
	quat *turns;      /* by body of the program: its rotation in the pass */
	cn_place *turned; /* by part: at the trial pose, turned by that */
	double *shares;   /* by body: share of its remaining motion that is attempted */
	double *far;      /* by body: how far it went, relative to its radius */
	bool cut;         /* the last pass did not finish the rotation of all bodies */
	double sum;       /* of far over the leg's motions; second tries count */
} cn_pass;

/* Repairs that a leg still needs. */
typedef struct cn_repair {
	uint32_t *bad;         /* pairs whose motion is not proved free */
	uint32_t *short_pairs; /* pairs whose gap is shorter than requested */
	uint32_t bad_count, short_count;
} cn_repair;

/* ---- targets.c */
bool cn_targets_set(cairn_world *w,
                    cn_frame *f);          /* decides who comes under rows, and sets targets; false: memory ran out */
void cn_targets_move_free(cairn_world *w); /* moves bodies that are not under rows to their targets */
/* The bodies of a pass. *any: there are some. *some: it is the first pass, and bodies under rows are left out that nobody
 * is to push. False: memory ran out. */
bool cn_pass_choose(cairn_world *w, uint32_t number, uint8_t *bodies, bool *any, bool *some);
void cn_pass_choose_all(const cairn_world *w, uint8_t *bodies); /* all that are under rows */
/* Adds those under rows that the current program pushes and that are not in it, with their neighbours. True: there were
 * some. */
bool cn_pass_add_pushed(cairn_world *w, uint8_t *bodies);

/* ---- rows.c: the position program */
void cn_rows_turn(cairn_world *w, uint32_t slot, quat turn); /* places of a body's parts after a rotation */
bool cn_rows_build(cairn_world *w);                          /* the contacts of a pass; false: memory ran out */

typedef void cn_body_task(cairn_world *w, uint32_t body);
void cn_position_each_body(cairn_world *w,
                           cn_body_task *task);        /* runs a task on every body of the program, on all threads */
void cn_position_move(cairn_world *w, uint32_t body);  /* moves a body's trial pose by the solution */
void cn_position_place(cairn_world *w, uint32_t body); /* the same, unless the solution does not move it */
bool cn_position_solve(cairn_world *w, uint32_t sweeps, bool warm); /* false: memory ran out */
void cn_position_mark_pushed(
	cairn_world *w); /* marks pairs of which the solution moves one body for the other's sake */
double cn_repair_gap(const struct cn_context *c, const cn_pair *p); /* m: the gap that the repair asks for */

/* ---- repair.c */
/* One round of repair: the smallest motion that restores requested gaps and separations along axes. False: memory ran
 * out. */
bool cn_repair_restore(cairn_world *w, const uint8_t *free, cn_frame *f);
bool cn_leg_prove(cairn_world *w);               /* repair.bad: pairs that are not free; false: memory ran out */
bool cn_leg_repair(cairn_world *w, cn_frame *f); /* runs tiers until the leg is free; false: memory ran out */
/* Takes back what a pass did to bodies that it left deep in each other. *any: there were some. False: memory ran out. */
bool cn_pass_take_back(cairn_world *w, cn_frame *f, bool *any);

/* ---- turn_back.c */
/* The share of their way to their targets after which two bodies that touched as the step began turn into each other; 1:
 * they do not. */
double cn_turn_share(cairn_world *w, const cn_pair *p);

/* ---- passes.c */
bool cn_position_again(cairn_world *w, cn_frame *f); /* the stage from its beginning; false: memory ran out */

/* ---- together.c */
typedef enum cn_together_state {
	CN_TOGETHER_NOT,    /* it is in nobody's way */
	CN_TOGETHER_JOINED, /* it goes with its group */
	CN_TOGETHER_ALONE,  /* its group was given up, and it is as it was */
	CN_TOGETHER_HELD,   /* it stands where it began */
} cn_together_state;

/* Groups of bodies that block each other, and how far each group goes together. All arrays are by slot. */
typedef struct cn_together {
	bool frame;       /* bodies began with the frame, not with the leg */
	uint8_t *states;  /* cn_together_state */
	uint32_t *root;   /* of its group */
	uint8_t *stopped; /* at a root: the group goes nowhere together */
	v3 *ways;         /* m: what it is to go */
	v3 *common;       /* m: at a root: what the group goes together */
	double *least;    /* m: at a root: the least that one of its bodies is to go along the mean direction */
	pose *poses;      /* where it was before it joined, and ... */
	cn_path *paths;   /* ... its path then */
} cn_together;

/* Its arrays are of the arena. False: memory ran out. */
bool cn_together_begin(cairn_world *w, cn_together *g, bool frame);
/* Of a pair that blocks: first, if its bodies go together already, their group stops; then its bodies go together, or,
 * if one of them cannot, the other's group stops. */
void cn_together_stop(cn_together *g, const cn_pair *p);
void cn_together_join(const cairn_world *w, cn_together *g, const cn_pair *p);
void cn_together_join_near(const cairn_world *w, cn_together *g,
                           const uint8_t *bodies); /* of these, those that touch */
/* Takes these bodies in, and finds what groups go. True: some were given up. */
bool cn_together_find(cairn_world *w, cn_together *g, const uint8_t *bodies);
bool cn_together_has(const cn_together *g, uint32_t slot); /* it goes with its group, or it is held */
v3 cn_together_way(cn_together *g, uint32_t slot);         /* m: what its group goes together */
/* Puts a body where its group goes together. False: it is there already. */
bool cn_together_put(cairn_world *w, cn_together *g, uint32_t slot);

typedef struct cn_stray {
	double mass, radius; /* of its bodies that passes lead; the largest of them */
	v3 off;              /* m: from its centre of mass to where that should be; 0: leave it */
	bool anchored;       /* something fixed is near, or a joint ties it */
	bool taken_back;     /* one of its bodies was taken back or held */
} cn_stray;

/* Islands whose centre of mass is off because bodies were taken back or held. */
typedef struct cn_strays {
	cn_stray *islands; /* by island, of the arena */
	bool any;
} cn_strays;

bool cn_strays_find(cairn_world *w, cn_strays *s);         /* false: memory ran out */
double cn_strays_move(cairn_world *w, const cn_strays *s); /* returns how far all went together, in radii */

/* ---- energy.c */
/* The gain of energy by keeping bodies apart, and who pays for it. False: memory ran out. */
bool cn_energy_position(cairn_world *w, cn_frame *f);

#endif
