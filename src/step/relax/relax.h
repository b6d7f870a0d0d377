/* Methods that sweep over contacts (docs/methods.md: pgs, soft, xpbd): one contact after the other, again and again, each
 * brought in order with what its two bodies do at that moment. What they share: rows in arrays, warm starts by feature, and
 * the way from velocities to the poses of the step's end.
 *
 * A stage of such a method comes after forces and motion: w->next then holds where every body goes alone. The stage changes
 * only bodies that a row holds. Rows are made at the poses of w->motion and stay as they are through the step; gaps follow
 * by what the bodies have moved and turned since. */
#ifndef CN_STEP_RELAX_H
#define CN_STEP_RELAX_H

#include "num/four.h"
#include "step/context.h"

/* A body while it is swept over: velocity and spin, or how far it has moved and turned. Each is read as four doubles. */
typedef struct cn_relax_twist {
	v3 v;
	double beside_v;
	v3 w;
	double beside_w;
} cn_relax_twist;

static inline cn_relax_twist cn_relax_twist_of(cn_twist t) { return (cn_relax_twist){t.v, 0, t.w, 0}; }

typedef struct cn_relax_body {
	double inv_mass; /* 0: nothing moves it */
	m3 inv_inertia;  /* world axes */
	v3 dv, dw;       /* what forces other than contacts add in a substep */
	quat q;          /* now */
	bool held;       /* by a row */
} cn_relax_body;

/* A contact point of each of four pairs: their rows along the normals. Where a pair has fewer points mass is 0, and with it
 * all that the row does. */
typedef struct cn_relax_point {
	v3x4 na, nb; /* arms x normal */
	v3x4 ia, ib; /* inverse inertia applied to them */
	d4 mass;     /* kg: impulse for a unit of speed */
	d4 gap;      /* m: where the rows were made */
	d4 impulse;  /* N s */
	d4 most;     /* the largest of the step, N s */
	d4 approach; /* m/s, along the normal, before anything acts: negative where the two near each other */
	union {
		d4 goal; /* m/s: speed along the normal that is asked for, or more */
		d4 now;  /* m: gap where the bodies are; soft */
	};
	d4 push; /* kg m: of the correction of positions */
} cn_relax_point;

enum {
	CN_RELAX_FOUR = 4,                  /* pairs in a pack */
	CN_RELAX_BODIES = CN_RELAX_FOUR * 8 /* that a thread takes at once */
};

/* Four times two parts in contact, of which no two have a body in common that can be moved: their points, and friction at the
 * middle of these, across the normal and about it. A place that is left over has the world as both bodies and no points. */
typedef struct cn_relax_pack {
	uint32_t a[CN_RELAX_FOUR], b[CN_RELAX_FOUR];         /* slots */
	uint32_t from[CN_RELAX_FOUR], points[CN_RELAX_FOUR]; /* in the list of cn_classic: first point, and how many */
	uint32_t first, count;                               /* points of the pack: as many as its longest pair has */
	d4 inv_a, inv_b;                                     /* 1/kg */
	v3x4 n, t[2];                                        /* from a to b; across */
	v3x4 ta[2], tb[2];                                   /* arms to the middle x t */
	v3x4 ita[2], itb[2], iwa, iwb;                       /* inverse inertia applied to them, and to n */
	d4 mass_t[2], mass_w;
	d4 slip[2], spin; /* N s, N m s: impulses across, and about the normal */
	d4 arm;           /* m: mean distance of the points from the middle */
	d4 thin;          /* m: thickness of the thinner part */
	d4 eps, mu_static, mu_kinetic;
	i4 sliding, stands; /* friction is at its limit; one of the two cannot be moved */
} cn_relax_pack;

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

/* Packs from begin to before end. */
typedef struct cn_relax_span {
	uint32_t begin, end;
} cn_relax_span;

#define CN_RELAX_WAITS UINT32_MAX /* in place of a bin */

/* Pairs in the order in which they are swept over. */
typedef struct cn_relax_order {
	uint8_t *region; /* by slot */
	uint32_t region_count;
	uint32_t *load;  /* pairs, by slot of a body that can be moved */
	uint32_t *seats; /* slots, by region; until regions are found those of the last step */
	uint32_t seat_count;
	uint32_t *heads, *sorted; /* first points of pairs, in the list of cn_classic */
	uint32_t *bin;            /* by pair: its place in the order */
	uint32_t *bins;           /* where the pairs of a bin are in order.sorted */
	uint64_t *used;           /* by slot and phase: colours of its pairs */
	cn_relax_span *tasks;     /* what one thread sweeps over, in order; by phase */
	uint32_t *phases;         /* tasks of one phase end before these */
	uint32_t task_count, phase_count;
} cn_relax_order;

typedef void cn_relax_sweep(const void *method, cn_relax_span of);

typedef struct cn_relax {
	cn_relax_body *bodies; /* by slot, as the next four */
	cn_relax_twist *speed; /* m/s, rad/s */
	cn_relax_twist *way;   /* m, rad: since the step began */
	cn_relax_twist *other; /* of the method's own, as is the next */
	cn_relax_twist *load;
	cn_relax_pack *packs;
	cn_relax_point *points;
	cn_relax_order order;
	const struct cn_relax_sweeps *sweeps; /* those for this machine */
	cn_relax_row *rows;                   /* of joints */
	cn_relax_load *loads;                 /* by joint: mean of the frame so far */
	cn_extra *keys;
	double *lost;   /* J, by slot */
	uint32_t *hits; /* where a task begins: of its packs */
	uint32_t pack_count, row_count;
} cn_relax;

void cn_relax_destroy(cairn_world *w);

/* ---- rows.c */
/* Bodies and rows of the step under way. share: of the last step's impulses that rows begin with. False: memory ran out,
 * and the report says so. */
bool cn_relax_begin(cairn_world *w, cn_frame *f, uint32_t substeps, double share);

/* ---- seats.c */
bool cn_relax_seats_keep(cairn_world *w); /* as they were, or by slot. False: memory ran out */
bool cn_relax_seats_choose(cairn_world *w,
                           uint32_t pairs); /* regions, and bodies in their order. False: memory ran out */

/* ---- order.c */
bool cn_relax_packs_choose(cairn_world *w, uint32_t pairs); /* of so many pairs. False: memory ran out */
/* Phase by phase, the tasks of a phase on all threads. No two of these move the same body, so the result is that of one
 * thread. */
void cn_relax_run(cairn_world *w, cn_relax_sweep *sweep, const void *method);
static inline bool cn_relax_empty(cn_relax_span of) { return of.end == of.begin; } /* nothing is run for it */

/* ---- finish.c */
/* Something that is done to a body alone, on all threads; h: s. */
typedef void cn_relax_task(const cairn_world *w, uint32_t slot, double h);
void cn_relax_each(cairn_world *w, cn_relax_task *task, double h);
/* A task: a body that is held moves and turns with its speed. */
cn_relax_task cn_relax_move_body;
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

/* ---- outward.c */
cn_stage_run
	cn_outward_place; /* after cn_relax_targets: every body alone, and then the links of figures where joints allow */
/* Joints form trees of kinds that it knows, without motors. False: this joint does not, and why. */
bool cn_outward_can(cairn_world *w, uint32_t *joint, const char **why);

#endif
