/* Methods that sweep over contacts (docs/methods.md: pgs, soft, xpbd): one contact after the other, again and again, each
 * brought in order with what its two bodies do at that moment. What they share: rows in arrays, warm starts by feature, and
 * the way from velocities to the poses of the step's end.
 *
 * A stage of such a method comes after forces and motion: w->next then holds where every body goes alone. The stage changes
 * only bodies that a row holds. Rows are made at the poses of w->motion and stay as they are through the step; gaps follow
 * by what the bodies have moved and turned since. */
#ifndef CN_STEP_RELAX_H
#define CN_STEP_RELAX_H

#include "step/context.h"

/* A body while it is swept over: velocity and spin, or how far it has moved and turned. */
typedef cn_twist cn_relax_twist;

typedef struct cn_relax_body {
	double inv_mass; /* 0: nothing moves it */
	m3 inv_inertia;  /* world axes */
	v3 dv, dw;       /* what forces other than contacts add in a substep */
	quat q;          /* now */
	bool held;       /* by a row */
} cn_relax_body;

/* A contact point: its row along the normal of its pair. */
typedef struct cn_relax_point {
	v3 na, nb;       /* arms x normal */
	v3 ia, ib;       /* inverse inertia applied to them */
	double mass;     /* kg: impulse for a unit of speed */
	double gap;      /* m: where the rows were made */
	double impulse;  /* N s */
	double most;     /* the largest of the step, N s */
	double approach; /* m/s, along the normal, before anything acts: negative where the two near each other */
	double goal;     /* m/s: speed along the normal that is asked for, or more */
	double push;     /* kg m: of the correction of positions */
} cn_relax_point;

/* Two parts in contact: their points, and friction at the middle of these, across the normal and about it. */
typedef struct cn_relax_pair {
	uint32_t a, b, first, count; /* slots; points, in this list and in that of cn_classic */
	v3 n, t[2];                  /* from a to b; across */
	v3 ra, rb;                   /* arms to the middle */
	v3 ta[2], tb[2];             /* arms x t */
	v3 ita[2], itb[2], iwa, iwb; /* inverse inertia applied to them, and to n */
	double mass_t[2], mass_w;
	double slip[2], spin; /* N s, N m s: impulses across, and about the normal */
	double arm;           /* m: mean distance of the points from the middle */
	double thin;          /* m: thickness of the thinner part */
	double eps, mu_static, mu_kinetic;
	bool sliding, stands; /* friction is at its limit; one of the two cannot be moved */
} cn_relax_pair;

/* A row of a joint. */
typedef struct cn_relax_row {
	uint32_t a, b, joint; /* slots; w->slots stands for the world */
	cn_twist ja, jb;      /* d(off)/dt = ja.u_a + jb.u_b */
	v3 ia, ib;            /* inverse inertia applied to their turns */
	double mass, off;     /* m, or rad if turns */
	double speed;         /* that a motor asks for */
	double low, high;     /* of the impulse; equations have none, limits push one way */
	double impulse;
	bool turns, motor;
} cn_relax_row;

/* How a row gives in: bias for what it is off, and shares of mass and of the impulse so far. */
typedef struct cn_relax_give_in {
	double rate, mass, impulse;
} cn_relax_give_in;

typedef struct cn_relax_load {
	double force, torque; /* N, N m */
} cn_relax_load;

typedef struct cn_relax {
	cn_relax_body *bodies; /* by slot, as the next three */
	cn_relax_twist *speed; /* m/s, rad/s */
	cn_relax_twist *way;   /* m, rad: since the step began */
	cn_relax_twist *other; /* of the method's own */
	cn_relax_pair *pairs;
	cn_relax_point *points;
	cn_relax_row *rows;   /* of joints */
	cn_relax_load *loads; /* by joint: mean of the frame so far */
	cn_extra *keys;
	uint32_t pair_count, point_count, row_count;
} cn_relax;

void cn_relax_destroy(cairn_world *w);

/* ---- rows.c */
/* Bodies and rows of the step under way. share: of the last step's impulses that rows begin with. False: memory ran out,
 * and the report says so. */
bool cn_relax_begin(cairn_world *w, cn_frame *f, uint32_t substeps, double share);
void cn_relax_warm(cn_relax *s); /* gives bodies the impulses that rows begin with */

/* ---- finish.c */
/* A substep of so many seconds: bodies that are held move and turn with their speeds. */
void cn_relax_move(cairn_world *w, double h);
/* Writes bodies that are held into w->next, with keys where they turn far, hands impulses (times scale) to the list of
 * points, and books what contacts took. Speeds are those at the end; ways have led there. */
bool cn_relax_finish(cairn_world *w, cn_frame *f, double scale);

/* ---- joints.c */
bool cn_relax_joints_begin(cairn_world *w);                                 /* false: memory ran out */
void cn_relax_joints_make(cairn_world *w, double h);                        /* rows at the poses where bodies are now */
void cn_relax_joints_warm(cairn_world *w);                                  /* gives bodies the impulses so far */
void cn_relax_joints_sweep(cairn_world *w, double h, cn_relax_give_in how); /* over speeds */
void cn_relax_joints_place(cairn_world *w, double h);                       /* over ways, for an inner step of h */
/* Adds the impulses of an inner step to the loads of the frame, and the work of motors to the books. */
void cn_relax_joints_load(cairn_world *w, cn_frame *f);
cn_stage_run cn_relax_note; /* at the frame's end: errors, loads, joints that break */

/* ---- finish.c: in place of free motion where there are joints, which hold everything */
cn_stage_run cn_relax_targets;

/* ---- the methods' own stages */
cn_stage_run cn_pgs_solve;
cn_stage_run cn_soft_solve;
cn_stage_run cn_xpbd_solve;

#endif
