/* Motion of rigid links that joints connect to a tree, in reduced coordinates: one or several coordinates a joint, and
 * no equations between links. It knows no shapes and no contacts; forces are given.
 *
 * The recursions are the articulated-body algorithm as textbooks derive it (Featherstone, Rigid Body Dynamics
 * Algorithms, chapter 7), in world axes about one point, the centre of link 0. Twists, forces and inertias then need no
 * transforms from link to link. Six-vectors have turning (moment) before straight motion (force).
 *
 *   kind     coordinates                            rates
 *   fixed    -                                      -
 *   hinge    angle about the axis                   its rate
 *   slider   distance along the axis                its rate
 *   screw    angle; it advances by pitch a radian   its rate
 *   planar   two distances across the axis, angle   their rates
 *   ball     quaternion, parent's axes              relative spin, world axes
 *   free     centre, quaternion, world              spin, velocity of the centre, world axes
 *
 * A free link has no parent. The base is what carries links without a parent; it moves with a constant twist. */
#ifndef CN_JOINT_TREE_H
#define CN_JOINT_TREE_H

#include "base/vec.h"

enum { CN_TREE_BASE = 0xFFFFFFFFu };

#define CN_TREE_ACCURACY                                                                                               \
	5e-8 /* rad: error of a step that does; a double pendulum is then off by 1e-7 of its length in 10 s */

typedef enum cn_tree_kind {
	CN_TREE_FIXED,
	CN_TREE_HINGE,
	CN_TREE_SLIDER,
	CN_TREE_SCREW,
	CN_TREE_PLANAR,
	CN_TREE_BALL,
	CN_TREE_FREE,
} cn_tree_kind;

/* A link and the joint to its parent, which comes before it. */
typedef struct cn_tree_link {
	uint32_t parent; /* CN_TREE_BASE: the base */
	cn_tree_kind kind;
	double mass;
	v3 moments;    /* of inertia about the principal axes ... */
	quat axes;     /* ... which are these in the link's axes */
	v3 arm_parent; /* from the parent's centre to the joint at coordinates 0, parent's axes */
	v3 arm;        /* from the link's centre to the joint, its own axes */
	v3 axis;       /* parent's axes, unit */
	quat turn;     /* the link's orientation at coordinates 0, parent's axes */
	double pitch;  /* m a radian: of a screw */
	/* forces, which may be changed at any time */
	v3 push, torque;             /* N at the centre, N m; world axes */
	double slow_move, slow_turn; /* 1/s: damping of velocity and of angular momentum */
	bool locked;                 /* its joint keeps its coordinates; its rates must be 0 */
	/* set by cn_joint_tree_make */
	uint32_t place, places; /* first coordinate, count */
	uint32_t rate, rates;
} cn_tree_link;

/* What is known of a link at the coordinates last placed and the rates last moved with. */
typedef struct cn_tree_body {
	v3 x; /* centre */
	quat q;
	v3 v, spin;      /* of its centre */
	v3 l;            /* angular momentum about its centre */
	v3 pull, wrench; /* N, N m: of springs, at its centre and about it; of no meaning without any */
	/* about the origin */
	v3 joint, axis, side; /* where its joint is; its axis, and a direction across that of a planar one */
	double inertia[6][6]; /* of itself; factored: with what hangs on it, seen through its joint */
	double twist[6], lag[6], bias[6], rise[6]; /* lag: acceleration at rates that do not change; rise: acceleration */
} cn_tree_body;

/* A rate: how it moves its link. */
typedef struct cn_tree_column {
	double s[6]; /* twist at rate 1 */
	double u[6]; /* force that it takes at acceleration 1, with all that hangs on its link */
	double inverse, force;
} cn_tree_column;

/* A spring and damper at a hinge, slider or ball: pushes with stiffness (target + drift time - place) + damping (speed - rate), at
 * most so much. */
typedef struct cn_tree_servo {
	double target, speed, stiffness, damping, most, drift;
	quat
		aim; /* of a ball: its coordinates there at time 0; it pushes with stiffness x the turn that is left + damping x
	             (swing - spin) */
	v3 swing; /* rad/s, parent's axes: how the aim turns */
	bool swings;
} cn_tree_servo;

/* A spring between points of two links, or of one and something that no force moves: pushes them apart with push + stiffness
 * (target + drift time - length) + damping (speed - its rate), at most so much. */
typedef struct cn_tree_spring {
	uint32_t link[2]; /* CN_TREE_BASE: no link */
	v3 arm[2];        /* from the link's centre, its own axes; of no link: the point at time 0, world ... */
	v3 drift_of[2];   /* ... and how it moves, m/s */
	cn_tree_servo servo;
	double push;
	v3 force; /* N, on the second: at the coordinates and rates last accelerated at */
} cn_tree_spring;

typedef struct cn_joint_tree {
	uint32_t count, places, rates; /* of links, coordinates, rates */
	cn_tree_link *links;
	cn_tree_body *bodies;
	cn_tree_column *columns;
	double *place, *rate;    /* coordinates and rates as far as the motion has been followed */
	double *push;            /* by rate, N m or N: motors and the like */
	double *added;           /* by rate, kg m^2 or kg: inertia of the joint itself */
	cn_tree_servo *servo;    /* by link: of one coordinate; those without gains do nothing */
	cn_tree_spring *springs; /* borrowed */
	uint32_t spring_count;
	pose base; /* at time 0 */
	v3 base_v, base_spin;
	double time;
	v3 origin;
	/* of a step: joint_tree_step.c */
	double *next_place, *next_rate, *stages;
	v3 *spins, *turned;       /* by stage and link; integral of a link's spin over the last step */
	double size;              /* m: errors of distances are measured by it */
	bool begun;               /* the first stage is known */
	bool stiff;               /* some link has a servo: steps may be implicit ... */
	bool implicit;            /* ... as the last one was */
	double least;             /* s: of steps up to this the error is not asked; 0 in a new tree */
	double damped, stiffened; /* 1/s, 1/s^2: largest damping and stiffness of servos, by the inertia of their joints */
	/* memory */
	const cairn_allocator *allocator;
	size_t bytes;
} cn_joint_tree;

/* A tree of links in which parents come first. NULL: memory ran out. */
cn_joint_tree *cn_joint_tree_make(const cairn_allocator *allocator, const cn_tree_link *links, uint32_t count);
void cn_joint_tree_free(cn_joint_tree *t);

/* Poses of all links at these coordinates. */
void cn_joint_tree_put(cn_joint_tree *t, const double *place);
/* Their velocities at these rates. */
void cn_joint_tree_move(cn_joint_tree *t, const double *rate);
/* Forward dynamics: changes of the rates under all forces, at coordinates and rates. Also accelerations of the links. */
void cn_joint_tree_accelerate(cn_joint_tree *t, const double *place, const double *rate, double *change);
/* Rates nearest to given momenta of the links (m v and l, about their centres), weighted by mass: what the joints make
 * of velocities that they do not allow. Poses are those last put. */
void cn_joint_tree_project(cn_joint_tree *t, const v3 *momentum, const v3 *turning, double *rate);
/* Derivatives of the coordinates. */
void cn_joint_tree_drift(const cn_joint_tree *t, const double *place, const double *rate, double *change);
/* Force and moment, about the joint's point, that a link gets through its joint at the accelerations last found. */
void cn_joint_tree_loads(const cn_joint_tree *t, v3 *force, v3 *moment);
/* The same for given forces at the links' centres and moments about these, which are replaced. */
void cn_joint_tree_carry(const cn_joint_tree *t, v3 *force, v3 *moment);

/* ---- joint_tree_step.c */
/* Before the first step, and before one after cn_joint_tree_changed: the accelerations there. */
void cn_joint_tree_begin(cn_joint_tree *t);
/* A step of this length is implicit; after cn_joint_tree_begin. */
bool cn_joint_tree_stiff(const cn_joint_tree *t, double h);
/* A length of the first step that mostly does. */
double cn_joint_tree_first(const cn_joint_tree *t);
/* One step of length h from place and rate to next_place and next_rate. Returns the error estimated, rad, where
 * distances count by size and rates by what they do in time span. Forces are constant but for those of servos and springs. */
double cn_joint_tree_step(cn_joint_tree *t, double h, double span);
void cn_joint_tree_accept(cn_joint_tree *t, double h); /* takes it */
/* Something else than a step has changed coordinates, rates or forces. */
void cn_joint_tree_changed(cn_joint_tree *t);
/* Length of the next step to try after one of length h with this error, for CN_TREE_ACCURACY. */
double cn_joint_tree_length(double h, double error);

#endif
