/* Quadratic programs over some of the bodies: bodies, contacts and rows of joints, and the solvers' answers. */
#ifndef CN_STEP_PROGRAM_H
#define CN_STEP_PROGRAM_H

#include "num/qp_islands.h"
#include "step/contact/contact.h"
#include "step/stages.h"

typedef enum cn_row_kind { CN_ROW_EQUATION, CN_ROW_LIMIT, CN_ROW_MOTOR } cn_row_kind;

/* The program at hand, its bodies in slot order. */
typedef struct cn_program {
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0, *u;
	cn_qp_contact *contacts;
	cn_qp_impulse *y;
	cn_pair_point **points; /* of each contact; NULL: a row of its own */
	uint32_t *pair_of;      /* of each contact */
	uint32_t *index;        /* by slot: number in the program, CN_QP_NONE: not in it */
	uint32_t *slots;        /* the other way */
	uint32_t *island;
	uint8_t *region; /* of each body */
	cn_qp_row *rows; /* of joints */
	double *row_y;
	uint32_t *row_joint;
	uint8_t *row_kind; /* cn_row_kind */
} cn_program;

/* A contact of a program, with the slots of its bodies, before it has its place there. */
typedef struct cn_row {
	cn_qp_contact contact;
	cn_qp_impulse y;
	cn_pair_point *point; /* NULL: a row of its own */
	uint32_t pair;
} cn_row;

/* Where a task puts the contacts of a chunk of pairs. count goes on beyond room: then the chunk is gathered again. */
typedef struct cn_row_store {
	cairn_world *w;
	cn_row *rows;
	uint32_t count, room;
} cn_row_store;

/* One island of the program at hand, for the thesis's own programs. */
typedef struct cn_thesis_program {
	cn_qp qp;
	cn_qp_body *bodies;
	cn_twist *u0, *u, *before; /* before: with the frame's forces alone */
	cn_qp_contact *contacts;
	cn_qp_impulse *y, *tips;
	uint32_t *body_of, *contact_of; /* in the whole program */
	uint32_t *index, *island;       /* by body of the whole program */
	uint32_t body_count, contact_count;
} cn_thesis_program;

/* A body of a program that something far heavier may squeeze. */
typedef struct cn_mass_ratio {
	double share;      /* of its mass in the program: a power of two */
	double press;      /* kg: the heaviest body that presses on it, if that is vast */
	v3 to;             /* where that body stands */
	double far, eps;   /* m: how far it presses; restitution */
	bool held, spared; /* held against that body; solved as it is */
} cn_mass_ratio;

/* Solvers, and what belongs to the program at hand beside it. */
typedef struct cn_solvers {
	cn_islands *momentum;
	cn_fast *fast;
	cn_small *small;     /* of blows inside the frame */
	cn_row *rows;        /* of a pass, by chunks of pairs ... */
	uint32_t *row_first; /* ... and where those of each chunk stand in the program */
	cn_twist *trial;     /* of momentum programs: u0 before all blows; of freezing: the blows that wake */
	cn_thesis_program thesis;
	cn_mass_ratio *mass_ratios; /* by body of the program */
	double *eps;                /* by contact of the program: restitution before mass ratios changed it */
	bool has_mass_ratios;       /* there may be some */
	v3 *rolls;    /* N m s, on b: what resists rolling, by contact of the rest program, at a pair's first */
	bool rolling; /* there is rolling resistance in the program */
} cn_solvers;

/* ---- program.c */
/* Bodies that are free and can move, and scripted bodies that do (free NULL: all of them), u0 zero; weighed by mass, or
 * all alike by diameter. Those that keep the keys of their free motion are in none but those of all. */
bool cn_program_begin(cairn_world *w, const uint8_t *free, bool diameter);
/* R diag(1/I) R' in world axes: xx xy xz yy yz zz. */
void cn_inverse_inertia(const cn_rotor *r, quat q, double out[6]);
cn_qp_body cn_program_body(const cairn_world *w, uint32_t slot); /* mass and inertia at the trial pose */
bool cn_program_moves(const cn_program *p, uint32_t slot);       /* it is in it, and can move */
bool cn_program_add_row(cairn_world *w, cn_qp_row row, uint32_t joint, cn_row_kind kind); /* a, b: bodies of it */
uint32_t cn_program_island(const cn_program *p, uint32_t contact); /* of a contact, once islands are known */
/* Slabs with about as many contacts each, for cn_fast_options; NULL: there are few. Room for them is made when contacts
 * are gathered. */
const uint8_t *cn_program_regions(const cairn_world *w);
bool cn_program_regions_room(cairn_world *w, uint32_t contacts); /* false: memory ran out */

/* ---- gather.c: the contacts of a program */
/* Contacts of the program at hand from all pairs that are near, on all threads; false: memory ran out. A task puts those
 * of a pair into the store, maybe twice, and writes nothing but that pair's points. */
typedef void cn_row_task(cn_row_store *store, uint32_t pair);
bool cn_rows_gather(cairn_world *w, cn_row_task *task);
bool cn_rows_gather_listed(cairn_world *w, cn_row_task *task); /* from those of graph.list alone */
/* Runs a task on every pair and the contacts gathered from it, from the first one to the end, on all threads, after
 * cn_rows_gather; it writes nothing but its pair and that pair's points. */
typedef void cn_answer_task(cairn_world *w, cn_pair *pair, uint32_t first, uint32_t end);
void cn_rows_answer(cairn_world *w, cn_answer_task *task);
/* contact.a and .b are slots; a contact of which nothing can move is left out. */
void cn_row_put(cn_row_store *store, const cn_qp_contact *contact, cn_pair_point *point, uint32_t pair,
                cn_qp_impulse y);

/* ---- mass_ratio.c: bodies squeezed by something vast */
/* Makes them heavier in the program at hand, but for islands of so many bodies; false: memory ran out. */
bool cn_mass_ratio_weigh(cairn_world *w, uint32_t exact, bool momentum);
/* Solves the momentum program at hand with them, and leaves it as it was. */
bool cn_mass_ratio_momentum(cairn_world *w, const cn_fast_options *options, cn_qp_solution *x);
void cn_mass_ratio_account(cairn_world *w, const cn_twist *before, cairn_energy *e,
                           bool rest); /* what they lost by it */

/* ---- thesis.c */
static inline bool cn_thesis_asked(const cairn_world *w)
{
	return w->scene->options.momentum || w->scene->options.forces;
}
/* Puts the answers of the thesis's own programs, where the scene asks for them, in place of the default ones of the
 * program at hand. False: memory ran out. */
bool cn_thesis_momentum(cairn_world *w, bool rest, const cn_qp_solution *x, cn_frame *f);

#endif
