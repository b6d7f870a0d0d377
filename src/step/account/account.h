/* The account of motion: the part of a body's displacement that its velocities and the step's impulses do not explain
 * (docs/oba.md). */
#ifndef CN_STEP_ACCOUNT_H
#define CN_STEP_ACCOUNT_H

#include "step/solve/program.h"

/* Energy that contacts took from bodies in the step, J, by slot. The gains of the position stage are set off against
 * it. Written through the functions below. */
typedef struct cn_losses {
	double *spent; /* each loss at one of its bodies */
	double *taken; /* each loss at both bodies */
} cn_losses;

/* A loss of one body alone. */
static inline void cn_losses_add(cn_losses *l, uint32_t slot, double lost)
{
	l->spent[slot] += lost, l->taken[slot] += lost;
}
/* A loss between bodies: it is spent at one of them, and taken at each. */
static inline void cn_losses_spend(cn_losses *l, uint32_t slot, double lost) { l->spent[slot] += lost; }
static inline void cn_losses_take(cn_losses *l, uint32_t slot, double lost) { l->taken[slot] += lost; }

/* The debt of a body in the frame so far. */
typedef struct cn_debt {
	v3 step, owed;      /* m: in the current step; in all steps */
	double length, gap; /* m: length of its path; the largest gap that it keeps */
	bool moved;         /* one of its impulses found another moment in this round */
	bool slowed;        /* it paid with its motion for being kept apart */
} cn_debt;

/* An impulse of the current step on one body. */
typedef struct cn_kick {
	uint32_t slot;
	v3 dv;        /* m/s: change of velocity */
	double least; /* share of the step for which it acts at least, beyond what the goal includes */
	double part;  /* share of the step for which it acts, chosen so that the debt is smallest */
} cn_kick;

typedef struct cn_debts {
	cn_debt *by_slot;
	cn_kick *kicks;
	uint32_t kick_count;
	bool kick_lost; /* memory ran out for an impulse, so the bounce fails */
} cn_debts;

/* ---- debt.c */
void cn_losses_begin(cairn_world *w);                    /* none so far */
void cn_debt_begin(cairn_world *w);                      /* begins a step */
bool cn_debt_kick(cairn_world *w, uint32_t slot, v3 dv); /* notes an impulse; false: memory ran out */
bool cn_debt_impact(cairn_world *w, const cn_qp_contact *at,
                    cn_qp_impulse y);                /* an impulse of the current program, on both bodies */
bool cn_debt_impulses(cairn_world *w, bool rest);    /* all impulses of the current program */
void cn_debt_forget(cairn_world *w, uint32_t kicks); /* all impulses but the first so many */
void cn_debt_note(cairn_world *w);                   /* after each step */
void cn_debt_slowed(cairn_world *w, uint32_t slot, double share); /* it keeps this share of its speed, for no impulse */
bool cn_debt_counts(const cairn_world *w, uint32_t slot); /* so far in the frame it owes a share that is counted */
bool cn_debt_slows(const cairn_world *w, uint32_t slot);  /* so far in the frame it lost such a share of its speed */
void cn_debt_report(const cairn_world *w, cairn_step_report *report); /* at the frame's end */

#endif
