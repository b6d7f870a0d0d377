/* The account of motion: what of a body's way its velocities and the step's impulses do not explain (docs/oba.md). */
#ifndef CN_STEP_ACCOUNT_H
#define CN_STEP_ACCOUNT_H

#include "step/solve/program.h"

/* What a body owes in the frame, so far. */
typedef struct cn_debt {
	v3 step, owed;      /* m: what it owes in the step under way, and in all steps */
	double length, gap; /* m: how far it is led, or goes; the largest gap it keeps */
} cn_debt;

/* An impulse of the step under way, on one body. */
typedef struct cn_kick {
	uint32_t slot;
	v3 dv;        /* m/s: what it changed */
	double least; /* of the step: for how long at least the way knows of it, beside what the goal does */
	double part;  /* of the step: for how long, as is best */
} cn_kick;

typedef struct cn_debts {
	cn_debt *by_slot;
	cn_kick *kicks;
	uint32_t kick_count;
	bool kick_lost; /* memory ran out for one: the bounce fails */
} cn_debts;

/* ---- debt.c */
void cn_debt_begin(cairn_world *w);                                          /* of a step */
bool cn_debt_kick(cairn_world *w, uint32_t slot, v3 dv);                     /* a blow; false: memory ran out */
bool cn_debt_blow(cairn_world *w, const cn_qp_contact *at, cn_qp_impulse y); /* of the program at hand, on both */
bool cn_debt_impulses(cairn_world *w, bool rest);                            /* the answers of the program at hand */
void cn_debt_note(cairn_world *w);                                           /* after each step */
void cn_debt_report(const cairn_world *w, cairn_step_report *report);        /* at the frame's end */

#endif
