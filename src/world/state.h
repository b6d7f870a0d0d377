/* What a world keeps of one body or joint, and of what acts on them (world.h). */
#ifndef CN_STATE_H
#define CN_STATE_H

#include "base/vec.h"
#include "scene/scene.h"

/* Where a body is and how it moves: written by the step, by events and by nobody else. */
typedef struct cn_motion {
	v3 x;   /* centre of mass */
	quat q; /* the shape's axes */
	v3 v;   /* velocity of the centre that belongs to this pose */
	v3 l;   /* angular momentum about the centre, world axes; kept to the bit in free flight */
} cn_motion;

typedef enum cn_rotor_kind {
	CN_ROTOR_BALL,      /* three equal moments */
	CN_ROTOR_SYMMETRIC, /* two equal, about axis */
	CN_ROTOR_GENERAL
} cn_rotor_kind;

/* Mass and inertia of a body, by slot. Bodies that are not dynamic have mass 0 and moments 1, so that l is their spin. */
typedef struct cn_rotor {
	double mass, inv_mass;
	v3 moments, inv_moments; /* about the principal axes */
	double inv_least;        /* the largest of inv_moments */
	quat axes;               /* principal axes in the shape's frame */
	v3 split_inv;            /* inv_moments in the order of splitting */
	double flip;             /* of the third axis in the order of splitting: +-1, which keeps it right-handed */
	uint8_t split[3];        /* axes in the order of splitting: least, largest, middle moment */
	uint8_t kind;            /* cn_rotor_kind */
	uint8_t axis;            /* of a symmetric one: 0, 1, 2 */
	bool turned;             /* axes is not the identity */
	bool active;             /* a living dynamic body */
	bool damped, dragged;
	bool scaled; /* gravity pulls it more or less than others */
} cn_rotor;

/* A body as it was added. */
#define CN_PLAIN_COLOR 0.7     /* linear, all three: of a body to which nobody gave a colour */
#define CN_PLAIN_ROUGHNESS 0.6 /* of a body to which nobody gave one */
/* In bytes: what is added to a body's type where it has a visual or a roughness of its own, which follow its colour. */
#define CN_HAS_LOOK 128u

typedef struct cn_body {
	uint32_t generation; /* of the handle; rises when the slot is used again */
	bool alive;
	bool late;    /* an input added it, after its first frame was shown: it begins with a key of its own */
	uint8_t type; /* cairn_body_type */
	uint32_t serial, birth;
	uint32_t shape, material; /* indices; material + 1, 0: the default one */
	uint32_t group, mask;
	char *name;
	double mass;
	v3 center; /* of mass, in the shape's frame */
	m3 inertia;
	double radius, area; /* m: of the ball about the centre; m^2: half the sum of the three face areas of its own box */
	double linear_damping, angular_damping;
	double gravity_scale; /* x the world's gravity; 1 */
	void *user;           /* what the program keeps with it; no state */
	cairn_color color;
	double roughness;
	uint32_t visual; /* shape + 1; 0: none */
	pose visual_pose;
	cairn_script_key *keys; /* of a scripted body: poses of the shape's frame */
	uint32_t key_count;
	/* of a scripted body, written by the step */
	double lag;  /* s: how far its clock is behind the world's */
	double pace; /* share of its motion that it tries first in the next frame; 1 unless something stopped it */
} cn_body;

/* A hand that drags a body by a spring, or pushes it for one frame. */
typedef struct cn_drag {
	uint32_t slot;
	v3 anchor,
		target; /* the point held, from the centre of mass in the shape's axes; where the hand is, world axes; of a
	                      push: force and torque, world axes */
	double frequency; /* Hz, of the spring; 0: a push */
} cn_drag;

/* How far an emitter has come. */
typedef struct cn_emission {
	uint32_t next, batches, bodies; /* frame of the next batch; how many have appeared */
	uint64_t random;
} cn_emission;

/* A key inside the last frame. */
typedef struct cn_extra {
	uint32_t slot;
	cairn_key key; /* turn included */
} cn_extra;

/* How a body rests, per slot. */
typedef struct cn_rest_state {
	pose anchor;           /* of its centre: where it has been, but for a little, ... */
	uint16_t still_frames; /* ... for so many frames, and slow in all of them */
	uint8_t asleep;        /* cn_sleep; programs leave out all but those that are awake */
	uint8_t cold_frames;   /* frames in a row that it was cold enough to freeze (OBA 6.7.2) */
	uint32_t island;       /* name of the island that it fell asleep with, and wakes with */
} cn_rest_state;

typedef enum cn_sleep {
	CN_AWAKE,
	CN_ASLEEP, /* with its island */
	CN_FROZEN  /* by itself */
} cn_sleep;

#define CN_NO_BODY UINT32_MAX /* in place of a slot: the world itself */

/* A joint of the scene, under the same number: where it holds its bodies, and what has become of it. */
typedef struct cn_joint {
	uint32_t a, b;               /* slots, or CN_NO_BODY */
	uint32_t serial_a, serial_b; /* slots are used again */
	v3 arm_a, arm_b;             /* to its points, from the centres of mass in the shapes' axes; of the world: where */
	v3 axis_a, axis_b;           /* its axis, in the shapes' axes */
	quat turned;                 /* b's orientation seen from a at the start */
	quat frame;                  /* of six axes, seen from a */
	double low, high; /* limits of its free axis: rad, m; infinite: no limit; those of a rod are equal; of a gear:
	                                value - ratio x other value, both */
	/* state */
	uint8_t motor;                     /* cairn_motor_kind */
	double speed, most;                /* of the motor: rad/s or m/s; N m or N */
	double target, stiffness, damping; /* of a servo: rad or m; N m/rad or N/m; N m s/rad or N s/m */
	v3 aim;                            /* of a ball's servo: how b is to be turned, a rotation vector in a's axes */
	v3 swing;                          /* no state: rad/s, in a's axes: how the keys of a ball's servo turn its aim */
	double turn;                       /* rad: of a hinge, whole turns counted */
	double near;                       /* rad: no state; where it has turned to in the step so far */
	bool in_line; /* no state: a rod that another joint stretches out or folds up: its bodies' axes stay one line */
	double force, torque; /* N, N m: mean load of the last frame */
	bool broken;
} cn_joint;

#endif
