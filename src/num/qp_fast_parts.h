/* How the real-time solver lays a program out; shared by its own files only.
 *
 * Unknowns. Every number is divided by powers of two, so no digit is lost: u by `speed`, masses by `mass`, y by
 * their product. A body's state is the change from u0: dv = v - v0, and x with dw = L x, where L L' is its inverse
 * inertia. A row's turning part is then j = L'(r x n), read and written alike: value = n.(dv_b - dv_a) + j_b.x_b -
 * j_a.x_a, and a step d of its multiplier adds n d / m and j d.
 *
 * Groups. Contacts that follow each other with the same bodies, normal and friction are a group; so are rows with
 * the same bodies. A group is worked by one lane, its points one after the other. Groups of one colour share no
 * body that moves; eight groups of a colour, of one kind and of like size, are a batch; the batches of a colour are
 * cut into chunks, whose number depends on the program alone. Where the caller names regions, those inside one are a
 * chunk, all colours one after the other, and only those between regions are chunks by colour. What cannot move is an
 * all-zero state, several for each chunk of a colour, so that no two threads write the same one and batches one after another
 * do not. */
#ifndef CN_QP_FAST_PARTS_H
#define CN_QP_FAST_PARTS_H

#include "num/qp_fast.h"

#include <string.h>

enum {
	CN_LANES = 8,
	CN_FAST_POINTS = 16,   /* most points of a group */
	CN_FAST_CHUNK = 192,   /* batches of a chunk at least: 50 us of a momentum program that is larger than the cache */
	CN_FAST_REFRESH = 100, /* sweeps after which the states are computed anew from the multipliers */
	CN_FAST_PLAIN = 3,     /* sweeps without acceleration at the end */
	CN_FAST_FIRST = 8,     /* sweeps after each of which the change is looked at, which takes a sixth of a sweep; */
	CN_FAST_MANY = 128,    /* from then on, in a program of so many batches that is far from done, ... */
	CN_FAST_LOOK = 4,      /* ... after every fourth */
	CN_FAST_PACK = 64,     /* batches of a chunk where fields are written */
	CN_FAST_BODIES = 256,  /* bodies of a chunk where bodies are walked */
	CN_FAST_CONTACTS = 1024, /* the same of contacts */
	CN_FAST_LINE = 4,        /* states: two lines of memory, which are fetched together */
	CN_FAST_ZEROS = 16,      /* states of what cannot move: a batch would wait for the last one that wrote the same */
	CN_FAST_EMPTY = 0xffffffff
};

/* Flat: without friction, and nothing turns, as between balls. */
typedef enum cn_fast_kind { CN_FAST_FLAT, CN_FAST_NORMAL, CN_FAST_COULOMB, CN_FAST_ROW } cn_fast_kind;
enum { CN_FAST_KINDS = CN_FAST_ROW + 1 };

/* Fields of a batch: eight floats each, one a lane. First those of the group, then those of each point. */
enum { FLAT_N, FLAT_MASS_A = 3, FLAT_MASS_B, FLAT_HEAD };
enum { FLAT_B, FLAT_STEP, FLAT_Y, FLAT_LAST, FLAT_POINT };
enum { NORMAL_N, NORMAL_MASS_A = 3, NORMAL_MASS_B, NORMAL_HEAD };
enum {
	NORMAL_JA,
	NORMAL_JB = 3,
	NORMAL_B = 6,
	NORMAL_STEP,
	NORMAL_Y,
	NORMAL_LAST, /* y after the sweep before */
	NORMAL_POINT
};
enum { COULOMB_N, COULOMB_S = 3, COULOMB_T = 6, COULOMB_MASS_A = 9, COULOMB_MASS_B, COULOMB_MU, COULOMB_HEAD };
enum {
	COULOMB_NA,
	COULOMB_NB = 3,
	COULOMB_SA = 6,
	COULOMB_SB = 9,
	COULOMB_TA = 12,
	COULOMB_TB = 15,
	COULOMB_BN = 18, /* what the row's change must reach: least - J u0; for the tangents -J u0 */
	COULOMB_BS,
	COULOMB_BT,
	COULOMB_STEP_N,
	COULOMB_STEP_T,
	COULOMB_YN,
	COULOMB_YS,
	COULOMB_YT,
	COULOMB_LAST_N,
	COULOMB_LAST_S,
	COULOMB_LAST_T,
	COULOMB_POINT
};
enum { ROW_MASS_A, ROW_MASS_B, ROW_HEAD };
enum { ROW_VA, ROW_WA = 3, ROW_VB = 6, ROW_WB = 9, ROW_LOW = 12, ROW_HIGH, ROW_STEP, ROW_Y, ROW_LAST, ROW_POINT };

/* What a chunk of bodies and one of contacts come to. */
typedef struct cn_fast_survey {
	double speed, inv_mass; /* the largest */
	double least, most;     /* the largest least of a contact and -least */
	uint32_t groups;        /* of the contacts, in cn_fast.found from the first contact's place on */
} cn_fast_survey;

/* By contact: its kind, and this where it belongs to the group of the one before it, if there is room. */
enum { CN_FAST_SAME = 0x80 };

typedef struct cn_fast_group {
	uint32_t first, a, b; /* the first contact or row; bodies, CN_QP_NONE for what cannot move */
	uint8_t kind, count, colour, region;
} cn_fast_group;

typedef struct cn_fast_batch {
	size_t data;                /* where its fields begin, in floats */
	uint32_t body[2][CN_LANES]; /* states of a and b */
	uint8_t kind, points, lanes, colour;
} cn_fast_batch;

typedef struct cn_fast_span {
	uint32_t begin, end;
} cn_fast_span;

/* Of a body. */
typedef struct cn_fast_state {
	float f[8]; /* dv, x, 0, 0 */
} cn_fast_state;

typedef struct cn_fast_metric {
	float inv_mass, l[6]; /* L by rows: 00 10 11 20 21 22 */
	bool moves;
} cn_fast_metric;

/* What a chunk measured in a sweep, by lanes. d: a point's step, D: its inverse effective mass. */
typedef struct cn_fast_tally {
	float onward[CN_LANES];  /* sum of (y - last) times what rows lack, or slide: below 0 they run against each other */
	float change[CN_LANES];  /* sum of (D d)^2: the change of the rows' values */
	float largest[CN_LANES]; /* of |D d| */
} cn_fast_tally;

/* Of the sweep: two vectors of four, one of eight, one of eight with registers enough. The bits are the same. */
typedef enum cn_fast_width { CN_FAST_NARROW, CN_FAST_WIDE, CN_FAST_DEEP } cn_fast_width;

struct cn_fast {
	cairn_allocator allocator;
	const cn_qp *qp; /* of the solve that runs */
	const cn_fast_options *options;
	cn_qp_solution *solution;
	struct {
		double asked;                  /* the largest speed there is or that is asked for */
		double speed, mass, impulse;   /* impulse = mass speed */
		double per_speed, per_impulse; /* 1 by them: exact, as they are powers of two */
	} scale;
	bool coulomb;
	cn_fast_width width; /* that the machine has */

	cn_fast_metric *metric; /* [bodies] */
	uint64_t *mask;         /* [2 bodies] colours a body has: inside regions, between them */
	cn_fast_survey *surveys;
	uint8_t *kinds;                       /* [contacts] */
	cn_fast_group *found;                 /* [contacts] groups by chunk */
	cn_fast_group *groups;                /* all, one after another */
	uint32_t *place;                      /* [bodies] where a body's state is */
	cn_fast_span places[CN_FAST_REGIONS]; /* states of the regions, whose chunks are the first; without any: of all */
	uint32_t *order;                      /* [8 batches] the group of a lane, CN_FAST_EMPTY */
	uint32_t *waiting;                    /* groups that found no colour yet */
	struct cn_fast_share *shares;         /* of the colouring: a region each, and what is in none alone */
	cn_fast_batch *batches;
	cn_fast_span *chunks;        /* batches */
	cn_fast_span *colours;       /* chunks */
	cn_fast_tally *tallies;      /* [chunks] */
	cn_fast_state *state, *last; /* [bodies + the zero ones]: now, and after the sweep before */
	float *data;
	uint32_t *islands;      /* the energy check's ... */
	const uint32_t *island; /* ... or the caller's */
	double *scratch;
	cn_twist *sums; /* by place */
	struct {
		cn_qp_contact *contacts; /* as Newton's law has them */
		cn_qp_row *rows;         /* the same */
		cn_qp_solution soft;     /* the answer without restitution */
	} bounce;
	uint32_t group_count, batch_count, chunk_count, colour_count, region_count;
	uint32_t state_count, place_count; /* all; those of bodies */
	size_t data_count;
	struct {
		uint32_t metric, mask, groups, place, order, waiting, batches, chunks, colours, islands, scratch, sums, surveys,
			kinds, found, shares, impact, impact_rows, soft_u, soft_contact, soft_row;
		uint32_t state, data; /* in units of 64 bytes */
		void *state_block, *data_block;
	} room;
};

/* qp_fast_colour.c: the kinds of contacts of a chunk, and groups of them. Returns how many. */
uint32_t cn_fast_find_groups(cn_fast *fast, cn_fast_span contacts);
/* Groups, colours, chunks and batches, from qp, coulomb and kinds. False: no memory. */
bool cn_fast_colour(cn_fast *fast);
size_t cn_fast_share_size(void);

/* qp_fast_pack.c: scales, metric, groups, colours, batches, fields, for kind NORMAL or COULOMB. False: no memory. */
bool cn_fast_pack(cn_fast *fast);
/* The multipliers into the solution, in their cones. */
void cn_fast_unpack(cn_fast *fast);

/* One pass over all points. */
typedef struct cn_fast_pass {
	float beta;   /* y += beta (y - last) before each point's step */
	bool warm;    /* no steps: only adds J'y to the states */
	bool measure; /* change and largest too */
	bool onward;  /* the states go on first */
} cn_fast_pass;

/* qp_fast_sweep.c: colour by colour. */
void cn_fast_sweep(cn_fast *fast, const cn_fast_pass *pass);
/* qp_fast_avx2.c, qp_fast_avx512.c: the batches of a chunk with AVX2, with AVX-512VL. */
bool cn_fast_has_avx2(void);
void cn_fast_sweep_avx2(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk);
bool cn_fast_has_avx512(void);
void cn_fast_sweep_avx512(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk);

/* The states' share of y += beta (y - last), some of them. */
void cn_fast_go_on(const cn_fast *fast, cn_fast_span states, float beta);

/* Runs task over chunks, with the pool where there are several. */
void cn_fast_run(cn_fast *fast, uint32_t chunks, void (*task)(void *context, uint32_t chunk), void *context);

#endif
