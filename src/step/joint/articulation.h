/* Articulations: bodies held together by joints, each with all its joints. This is memory of a frame, not state.
 *
 * An articulation moves as one: its target is its own motion on its joints, its bodies come under rows together, and
 * they are put back together. Its equations are solved directly: S y = b with S = J M^-1 J'. The sparsity pattern is
 * that of the joints and is analysed once. */
#ifndef CN_STEP_ARTICULATION_H
#define CN_STEP_ARTICULATION_H

#include "num/joint_tree.h"
#include "num/ldl.h"
#include "step/context.h"
#include "step/joint/equations.h"

/* A movable body of an articulation. */
typedef struct cn_link {
	uint32_t slot;
	cn_motion at;           /* its state as far as its motion has been computed */
	v3 a, torque;           /* m/s^2, N m: forces and contacts, constant over the frame ... */
	v3 held_a, held_torque; /* ... the contacts' share of these */
	v3 slow_a, slow_torque; /* ... the share of damping, which is applied step by step instead */
	v3 x1;                  /* trial pose of a step */
	quat q1;
	m3 inverse;  /* inverse inertia at at.q, world axes */
	quat cut;    /* orientation at its last key */
	double work; /* J: work of fields and damping along its path */
	cn_twist d;  /* scratch: a displacement or change of velocity */
} cn_link;

/* Whether a row holds its links. */
typedef enum cn_row_hold {
	CN_ROW_EQUATION_HOLDS, /* always */
	CN_ROW_AXIS_FREE,      /* the free axis of a joint, between its limits */
	CN_ROW_AXIS_HELD,      /* the same at a limit */
} cn_row_hold;

/* A row of an articulation, at the present poses of its links. */
typedef struct cn_articulation_row {
	cn_joint_row row;
	uint32_t a, b; /* links; CN_QP_NONE: a side that no impulse moves */
	uint32_t joint;
	uint32_t axis; /* of the joint, where it is one */
	cn_row_hold hold;
	double at;       /* of a free axis: the value at which it is held */
	double soft;     /* added to the diagonal of S */
	double scale;    /* a power of two: S is factored with its row and column times this */
	cn_twist ma, mb; /* M^-1 J' */
} cn_articulation_row;

/* What became of the motion of an articulation on its joints. */
typedef enum cn_articulation_result {
	CN_ARTICULATION_FOLLOWED,
	CN_ARTICULATION_COARSE, /* in one of its steps a link turned further than a key can show */
	CN_ARTICULATION_LOST,   /* its motion could not be computed */
} cn_articulation_result;

typedef struct cn_articulation {
	uint32_t link, links;   /* first, count */
	uint32_t joint, joints; /* in cn_articulations.joints */
	uint32_t row, rows;
	uint32_t entry, entries; /* entries of its matrix */
	uint32_t key, pieces;    /* keys are stored key by key, each with all links; one key less than pieces */
	cn_ldl *ldl;
	cn_joint_tree *tree; /* the same in reduced coordinates; NULL: its joints form no tree */
	double size;         /* m: the longest arm */
	double slowed;       /* J: that it had to lose to be followed */
	double bent;         /* J: what its equations did in the rest program, which its motion does not know */
	bool tied;           /* a joint connects it to something that no impulse moves */
	bool loops;          /* joints form a loop, so rows may be dependent */
	uint32_t holds;      /* joints that hold: all but springs */
	bool drives;         /* it has motors or limits */
	bool limits_won;     /* limits that brought joints back won energy: they hold them where they are */
	bool follows;        /* a joint connects it to a body that a script moves */
	bool solved;         /* its forces come from the rest program */
	cn_articulation_result result;
} cn_articulation;

/* The two rows that an entry of the matrix belongs to. */
typedef struct cn_articulation_entry {
	uint32_t r, c;
} cn_articulation_entry;

/* A link of an articulation's tree, in the tree's order: parents first. */
typedef struct cn_tree_place {
	uint32_t link;
	uint32_t joint;   /* to its parent; CN_QP_NONE: the tree is free, and this is where it begins */
	uint32_t carrier; /* slot of what carries the first link, or CN_NO_BODY: the world, or nothing */
	bool turned;      /* the link is side a of the joint */
} cn_tree_place;

/* Impulses on a joint in the frame, N s and N m s, and the forces of its motor and its limits. */
typedef struct cn_strain {
	v3 force, torque;
	double drive;                /* N or N m along its free axis: motor, the mean of the frame ... */
	double now;                  /* ... and in the step under way, where it is followed by equations */
	v3 twist;                    /* N m on b: servo of a ball, the mean of the frame */
	double stops[CN_JOINT_ROWS]; /* the same of limits, along each axis */
} cn_strain;

struct cn_articulations {
	cn_articulation *all;
	cn_link *links;
	uint32_t *joints;
	cn_articulation_row *rows;
	cn_articulation_entry *entries;
	double *values;      /* values of the entries */
	double *y;           /* three arrays by row: right sides and impulses; their sum; scratch */
	cn_tree_place *tree; /* by link; articulations without a tree have none */
	cn_extra *keys;      /* of links, in the order in which they were made */
	cn_strain *strains;  /* by joint */
	uint32_t *of, *link; /* by slot: its articulation, its link; CN_QP_NONE: none */
	uint8_t *stands;     /* by joint: it was whole when this was built */
	uint64_t *exempt;    /* pairs of slots that do not collide, a << 32 | b, rising */
	bool trial;          /* bodies that no impulse moves are at their trial poses, else at a share of their motion */
	uint32_t count, link_count, joint_count, row_count, entry_count, key_count, exempt_count;
	uint32_t slots, changes; /* of the world when this was built */
};
typedef struct cn_articulations cn_articulations;

static inline bool cn_row_held(const cn_articulation_row *r) { return r->hold != CN_ROW_AXIS_FREE; }
static inline bool cn_row_of_axis(const cn_articulation_row *r) { return r->hold != CN_ROW_EQUATION_HOLDS; }

/* ---- articulation_solve.c */
/* Computes rows, M^-1 J' and the factor of S at the links' present poses. share: time in the frame, for bodies that
 * no impulse moves. */
void cn_articulation_factor(cairn_world *w, cn_articulation *art, double share);
/* The two halves of it: the rows alone, and what is made of them. */
void cn_articulation_fill(cairn_world *w, const cn_articulation *art, double share);
void cn_articulation_factor_rows(cairn_world *w, cn_articulation *art);
void cn_articulation_violations(cairn_world *w, const cn_articulation *art, double share,
                                double *off); /* violation of the rows at the links' trial poses */
void cn_articulation_solve(const cn_articulations *g, const cn_articulation *art,
                           double *y); /* solves S y = b; y holds b on entry */
void cn_articulation_push(cairn_world *w, const cn_articulation *art,
                          const double *y); /* applies impulses on held rows to the links */
void cn_articulation_push_row(cairn_world *w, const cn_articulation_row *row, double y); /* the same for one row */
/* Removes the velocities that violate the rows. The impulses are added to sum unless it is NULL. */
void cn_articulation_fix_velocities(cairn_world *w, cn_articulation *art, double *sum);
/* The free axis of a row's joint at the links' present poses and, for bodies that no impulse moves, at a share of the
 * frame. */
cn_joint_row cn_articulation_axis(const cairn_world *w, const cn_articulation_row *row, double share);
double cn_articulation_rounding(const cn_articulations *g,
                                const cn_articulation *art); /* m: rounding error of its equations */
double cn_articulation_broken(const cn_articulations *g,
                              const cn_articulation *art); /* m: further off than this a joint is not held */

/* Velocity of a body that no impulse moves, over the step. */
cn_twist cn_articulation_carrier(const cairn_world *w, uint32_t slot);

/* ---- articulation_tree.c */
bool cn_articulation_plant(cairn_world *w, cn_articulations *g, cn_articulation *art); /* false: memory ran out */
/* Coordinates and rates from poses and velocities of the links, and what carries the tree. Velocities that the joints
 * do not allow are projected. */
void cn_articulation_read_tree(cairn_world *w, const cn_articulation *art);
/* Poses and velocities of the links, and the angles of hinges, from the tree's bodies. */
void cn_articulation_write_tree(cairn_world *w, const cn_articulation *art);

/* ---- articulation/pose.c */
void cn_articulation_limit(cairn_world *w, cn_articulation *art,
                           cairn_energy *e); /* returns joints beyond their limits to these, at the targets */

#endif
