/* Rigs: bodies that joints hold together, each with all its joints. What a frame needs of them; memory, not state.
 *
 * A rig moves as one: its target is its own motion on its joints, its bodies come under rows together, and what falls
 * back falls back as a whole. Its equations are solved directly, S y = b with S = J M^-1 J', whose pattern is that of
 * the joints and is analysed once. */
#ifndef CN_RIG_H
#define CN_RIG_H

#include "num/ldl.h"
#include "step/context.h"
#include "step/joint/equations.h"

/* A body of a rig that can move. */
typedef struct cn_link {
	uint32_t slot;
	cn_motion at;           /* as far as it has been followed */
	v3 a, torque;           /* m/s^2, N m: of forces and contacts, the same all frame ... */
	v3 held_a, held_torque; /* ... and what of it is the contacts' */
	v3 slow_a, slow_torque; /* ... and what is damping's, which acts step by step instead */
	v3 x1;                  /* tried */
	quat q1;
	m3 inverse;  /* of its inertia at at.q, world axes */
	quat cut;    /* orientation at its last key */
	double work; /* J: of fields and damping on its way */
	cn_twist d;  /* scratch: how it is moved */
} cn_link;

/* A row of a rig, about where its limbs are. */
typedef struct cn_articulation_row {
	cn_joint_row row;
	uint32_t a, b; /* limbs; CN_QP_NONE: what no impulse moves */
	uint32_t joint;
	bool axis; /* what the joint leaves free: a row only while held */
	bool held;
	double at;       /* a way's: where it is held */
	double soft;     /* what is on the diagonal of S beside its own */
	cn_twist ma, mb; /* M^-1 J' */
} cn_articulation_row;

/* A pose of a body inside the frame. */
typedef struct cn_articulation_key {
	double share; /* of the frame */
	cn_motion at;
} cn_articulation_key;

typedef struct cn_articulation {
	uint32_t link, links;   /* first, how many */
	uint32_t joint, joints; /* in cn_articulations.joints */
	uint32_t row, rows;
	uint32_t entry, entries; /* of its matrix */
	uint32_t key, pieces;    /* all limbs at the first key, then at the next; one key less than pieces */
	cn_ldl *ldl;
	double size;  /* m: the largest arm */
	bool tied;    /* to what no impulse moves */
	bool loops;   /* joints close a ring, whose rows may repeat each other */
	bool drives;  /* has motors or limits */
	bool follows; /* is held to a body that a script moves */
	bool solved;  /* its drive came from the rest program */
	bool coarse;  /* a step of it turned further than a key can show */
	bool lost;    /* could not be followed */
} cn_articulation;

/* Which two rows an entry of a matrix is of. */
typedef struct cn_articulation_entry {
	uint32_t r, c;
} cn_articulation_entry;

/* What a joint took in the frame, N s and N m s; what drives and stops it. */
typedef struct cn_strain {
	v3 force, torque;
	double drive, stop; /* N or N m, along its way: of its motor, of its limits */
} cn_strain;

struct cn_articulations {
	cn_articulation *all;
	cn_link *links;
	uint32_t *joints;
	cn_articulation_row *rows;
	cn_articulation_entry *entries;
	double *values; /* of entries */
	double *y;      /* by row, three times: right sides and impulses; their sum; scratch */
	cn_articulation_key *keys;
	cn_strain *strains;  /* by joint */
	uint32_t *of, *link; /* by slot: its rig, its limb; CN_QP_NONE: none */
	uint8_t *stands;     /* by joint: when this was made */
	uint64_t *exempt;    /* pairs of slots that do not collide, a << 32 | b, rising */
	bool trial;          /* what no impulse moves stands at its trial pose, else on its way there */
	uint32_t count, link_count, joint_count, row_count, entry_count, key_count, exempt_count;
	uint32_t slots;
};
typedef struct cn_articulations cn_articulations;

/* ---- rig_solve.c */
/* Rows, M^-1 J' and the factor of S, about the limbs where they are at this share of the frame. */
void cn_articulation_factor(cairn_world *w, cn_articulation *art, double share);
void cn_articulation_offs(cairn_world *w, const cn_articulation *art, double share,
                          double *off);                                                       /* at the poses tried */
void cn_articulation_solve(const cn_articulations *g, const cn_articulation *art, double *y); /* S y = what y holds */
void cn_articulation_push(cairn_world *w, const cn_articulation *art,
                          const double *y); /* limbs, by impulses on held rows */
void cn_articulation_push_row(cairn_world *w, const cn_articulation_row *row, double y); /* those of one row */
/* Takes what violates the rows out of the limbs' velocities; impulses are added to sum if it is not NULL. */
void cn_articulation_stop(cairn_world *w, cn_articulation *art, double *sum);
/* Where a row's joint is: its way, with the limbs where they are and what no impulse moves at a share of the frame. */
cn_joint_row cn_articulation_axis(const cairn_world *w, const cn_articulation_row *row, double share);
double cn_articulation_rounding(const cn_articulations *g,
                                const cn_articulation *art); /* m: what it leaves of an equation */

/* ---- rig_pose.c */
void cn_articulation_limit(cairn_world *w, cn_articulation *art,
                           cairn_energy *e); /* puts back what went past its limits, at targets */

#endif
