/* Quadratic programs over some of the bodies: their bodies, contacts, joint rows and solutions. */
#ifndef CN_STEP_PROGRAM_H
#define CN_STEP_PROGRAM_H

#include "num/qp_islands.h"
#include "step/contact/contact.h"
#include "step/stages.h"

/* rule: mass ratio; of masses; a body that is squeezed by more than so many times its mass counts as this share of
 * it, for sweeps need the root of it; scene: built by the test; test: test_oba_rest/crumbs_hold_a_vast_block; with:
 * CN_MASS_RATIO_OPPOSITE, CN_MASS_RATIO_LAYERS */
#define CN_MASS_RATIO 100.0

typedef enum cn_row_kind {
	CN_ROW_EQUATION,
	CN_ROW_MOTOR,
	CN_ROW_LIMIT
} cn_row_kind; /* limits: plus the number of the joint's axis */

/* The current program; bodies are in the order of slots. */
typedef struct cn_program {
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0, *u;
	cn_qp_contact *contacts;
	cn_qp_impulse *y;
	cn_pair_point **points; /* by contact; NULL: the row belongs to no contact point */
	uint32_t *pair_of;      /* by contact */
	uint32_t *index;        /* by slot: its body in the program; CN_QP_NONE: it is not in it */
	uint32_t *slots;        /* by body */
	uint32_t *island;       /* by body: the lowest body of its island; CN_QP_NONE: it has no contact */
	uint32_t *island_size;  /* by body, at the lowest of its island: bodies of the island (cn_program_islands) */
	uint8_t *region;        /* by body */
	cn_qp_row *rows;        /* of joints */
	double *row_y;
	double *row_misses; /* m/s or rad/s: what is taken off a row's bounds because its joint moves in the step */
	uint32_t *row_joint;
	uint8_t *row_kind; /* cn_row_kind */
} cn_program;

/* A contact before it has its place in the program; a and b are slots. */
typedef struct cn_row {
	const cn_qp_contact *contact;
	cn_qp_impulse y;
	cn_pair_point *point; /* NULL: the row belongs to no contact point */
	uint32_t pair;
} cn_row;

/* The same while it waits for its place. */
typedef struct cn_stored_row {
	cn_qp_contact contact;
	cn_qp_impulse y;
	cn_pair_point *point;
	uint32_t pair;
} cn_stored_row;

/* Where a task puts the contacts of a chunk of pairs. count goes on beyond room; the chunk is then gathered again. */
typedef struct cn_row_store {
	cairn_world *w;
	cn_stored_row *rows;         /* NULL: they go straight into the program, ... */
	uint32_t first, count, room; /* ... from the first on */
} cn_row_store;

/* One island of the current program, for the programs of the thesis. */
typedef struct cn_thesis_program {
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0, *u, *before; /* before: with the frame's forces alone */
	cn_qp_contact *contacts;
	cn_qp_impulse *y, *tips;
	uint32_t *body_of, *contact_of; /* in the current program */
	uint32_t *index, *island;       /* by body of the current program */
	uint32_t body_count, contact_count;
} cn_thesis_program;

/* A body of the program that a far heavier one may squeeze. */
typedef struct cn_mass_ratio {
	double share;      /* its mass divided by the one in the program: a power of two */
	double press;      /* kg: mass of the heaviest body that presses on it, if far heavier */
	v3 to;             /* direction of that body */
	double far, eps;   /* m: how far it presses; restitution */
	bool held, spared; /* supported against that body; in an island that is solved exactly */
} cn_mass_ratio;

/* Solvers, and data that belong to the current program. */
typedef struct cn_solvers {
	cn_islands *momentum;
	cn_fast *fast;
	cn_small *small;     /* for impacts inside the frame */
	cn_stored_row *rows; /* of a window of chunks of pairs, with several threads; ... */
	uint32_t *row_count; /* ... how many each chunk has */
	uint32_t *row_first; /* by chunk: its first row in the program */
	uint32_t *bins;      /* contacts by place, counted by chunk of contacts, from which regions follow */
	cn_thesis_program thesis;
	cn_mass_ratio *mass_ratios; /* by body of the program */
	double *eps;                /* by contact: restitution before mass_ratio.c changed it */
	bool has_mass_ratios;       /* some bodies of the current program may be squeezed */
} cn_solvers;

/* ---- program.c */
/* Starts a program with all movable bodies and all moving scripts, or with those in free, and u0 zero. Bodies are
 * weighted by mass, or all alike by diameter. A body that keeps the keys of its free motion is only in programs of
 * all bodies. */
bool cn_program_begin(cairn_world *w, const uint8_t *free, bool diameter);
/* R diag(1/I) R' in world axes: xx xy xz yy yz zz. */
void cn_inverse_inertia(const cn_rotor *r, quat q, double out[6]);
cn_qp_body cn_program_body(const cairn_world *w, uint32_t slot); /* mass and inertia at the trial pose */
bool cn_program_moves(const cn_program *p, uint32_t slot);       /* it is in the program and can move */
bool cn_program_add_row(cairn_world *w, cn_qp_row row, uint32_t joint,
                        cn_row_kind kind);                         /* row.a, row.b: bodies of the program */
void cn_program_islands(cn_program *p);                            /* finds islands and their sizes */
uint32_t cn_program_island(const cn_program *p, uint32_t contact); /* of a contact, once islands are known */
/* Regions for cn_fast_options: slabs with about the same number of contacts. NULL: there are too few contacts. */
const uint8_t *cn_program_regions(const cairn_world *w);
/* Makes light bodies of the current program heavier if far heavier ones may squeeze them. False: memory ran out. */
bool cn_program_weigh(cairn_world *w);
/* Solves the current momentum program, such bodies made heavier for the time of it. False: memory ran out. */
bool cn_program_momentum(cairn_world *w, const cn_fast_options *options, cn_qp_solution *x);
/* Gathers the contacts of the current program from all near pairs, on all threads. A task puts those of a pair into
 * the store. It may run twice and writes nothing but that pair's points. False: memory ran out. */
typedef void cn_row_task(cn_row_store *store, uint32_t pair);
bool cn_rows_gather(cairn_world *w, cn_row_task *task);
bool cn_rows_gather_listed(cairn_world *w, cn_row_task *task); /* from the pairs of graph.list only */
/* After a solve: runs a task on every pair with its contacts [first, end), on all threads. It writes nothing but its
 * pair and that pair's points. */
typedef void cn_answer_task(cairn_world *w, cn_pair *pair, uint32_t first, uint32_t end);
void cn_rows_answer(cairn_world *w, cn_answer_task *task);
/* contact.a and contact.b are slots. A contact between immovable bodies is left out. */
void cn_row_put(cn_row_store *store, const cn_qp_contact *contact, cn_pair_point *point, uint32_t pair,
                cn_qp_impulse y);

/* ---- mass_ratio.c: light bodies squeezed by far heavier ones, only where masses differ that much */
/* Makes them heavier in the current program, except in islands of at most exact bodies. False: memory ran out. */
bool cn_mass_ratio_weigh(cairn_world *w, uint32_t exact, bool momentum);
/* Solves the current momentum program with changed masses and restores them. */
bool cn_mass_ratio_momentum(cairn_world *w, const cn_fast_options *options, cn_qp_solution *x);
void cn_mass_ratio_account(cairn_world *w, const cn_twist *before, cairn_energy *e,
                           bool rest); /* the energy lost by it */

/* ---- thesis.c */
static inline bool cn_thesis_wanted(const cairn_world *w)
{
	return w->scene->options.momentum || w->scene->options.forces;
}
/* Replaces the solution of the current program by that of the thesis's own programs, where the scene asks for them.
 * False: memory ran out. */
bool cn_thesis_momentum(cairn_world *w, bool rest, const cn_qp_solution *x, cn_frame *f);

#endif
