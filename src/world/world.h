/* The state of a simulation, grouped by who writes it. A body lives in a slot; the slot of a removed body is used again
 * under a new generation. Arrays are indexed by slot. */
#ifndef CN_WORLD_H
#define CN_WORLD_H

#include "base/bytes.h"
#include "base/pool.h"
#include "base/vec.h"
#include "geom/broad.h"
#include "geom/sweep.h"
#include "scene/scene.h"
#include "world/memory.h"

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
	double turn;                       /* rad: of a hinge, whole turns counted */
	double near;                       /* rad: no state; where it has turned to in the step so far */
	double force, torque;              /* N, N m: mean load of the last frame */
	bool broken;
} cn_joint;

struct cairn_world {
	/* fixed when made */
	cairn_allocator allocator;
	cairn_scene *scene; /* own copy; inputs may append shapes and materials, change materials and gravity */
	cn_pool *pool;
	struct {
		uint64_t fingerprint; /* changes when anything in the scene does: a snapshot names its scene by it */
		uint32_t shapes, materials, joints; /* how many it had */
		uint32_t restores; /* no state: how often a snapshot has put shapes in the place of others since */
		uint32_t
			changes; /* no state: how often bodies became others or joints came and went; memory of steps goes by it */
	} given;         /* the scene as it came */
	double dt;       /* s: of a frame; while a step is under way, of that step */
	struct {
		uint32_t frame;
		double time; /* s */
	} clock;         /* when fps was set; 0 at the start */
	struct {
		cairn_filter def;
		struct cn_asker *asker; /* memory; no state */
	} filter;

	/* written by adding and removing */
	cn_body *bodies;
	cn_rotor *rotors;
	uint32_t slots, capacity; /* used at least once; room */
	struct {
		uint32_t alive, moving, serials; /* living bodies; those that are not fixed; bodies ever added */
	} count;
	struct {
		uint32_t *slots; /* last in first out; room for capacity */
		uint32_t count;
	} vacant;       /* slots free for use */
	cn_names names; /* of bodies, each with its slot + 1 */
	struct {
		cn_drag *items;
		uint32_t count, capacity;
	} drag;
	cn_emission *emissions; /* by emitter of the scene */
	cn_joint *joints;       /* by joint of the scene */

	/* written by the step */
	uint32_t frame;
	cn_motion *motion; /* at the frame */
	cn_motion *before; /* at the frame before */
	cn_motion *next;   /* grows while a step is under way */
	struct {
		cn_motion *motion;         /* before events */
		cn_rest_state *rest_state; /* before any body was woken */
		uint32_t motion_capacity, rest_state_capacity;
	} backup;              /* restored when a step is refused; no part of the state */
	uint8_t *pieces;       /* number of pieces of the body's motion in the last frame */
	cn_extra *extras;      /* keys inside the last frame, by slot, then time */
	cn_extra *next_extras; /* the same of the step under way */
	uint32_t extra_count, extra_capacity, next_extra_count, next_extra_capacity;
	struct {
		double kinetic, potential; /* at the frame, as the last step left it */
		bool touched;              /* an input may have changed them since */
	} energy;
	struct cn_chunk *chunks; /* one for 1024 slots of capacity */
	cn_memory memory;
	cn_rest_state *rest_state;      /* by slot */
	struct cn_context *context;     /* memory of a step with contact; no part of the state */
	struct cn_certifier *certifier; /* memory of the certificate; no part of the state */

	/* of the step under way; between frames there is one step a frame, and all bodies take part in it */
	uint32_t step, steps; /* its number in the frame; how many the frame has */
	struct {
		double from, length;      /* shares of the frame; length 0: the steps are equally long */
	} part;                       /* where a step of a frame lies whose steps are not equally long */
	uint8_t *away;                /* by slot: the body takes no part in the step (step/frame/substeps.c) */
	struct cn_substeps *substeps; /* memory of frames of several steps; no part of the state */

	/* written by inputs; impacts by the step */
	struct {
		cn_writer inputs;   /* since the last step */
		cn_writer consumed; /* by the last step */
		struct {
			cairn_impact *items;
			uint32_t count, capacity;
		} impacts;      /* of the last step, or of the one under way; no state */
		uint64_t steps; /* that were begun; no state: it tells the impacts of one step from those of the next */
	} log;
};

enum { CN_CHUNK = 1024 }; /* slots a thread takes at a time; sums are formed per chunk and added in order */

/* Sums over the slots of one chunk. Chunks are added in order. */
typedef struct cn_chunk {
	double kinetic, potential, fields, damping, drift;
	uint32_t extras, extra_start;
	uint32_t bad;   /* first slot that spins too fast or is not finite, plus 1; 0: none */
	uint8_t status; /* cairn_status: why */
} cn_chunk;

static inline uint32_t cn_world_chunks(const cairn_world *w) { return (w->slots + CN_CHUNK - 1) / CN_CHUNK; }

/* The world of a scene at frame 0, before anything is emitted. */
cairn_world *cn_world_make(const cairn_scene *scene, const cairn_world_def *def, cairn_error *error);

void cn_world_free(cairn_world *w); /* all but the memory of the step: w->context, w->substeps */

bool cn_world_reserve(cairn_world *w, uint32_t more); /* room for more bodies; false: memory ran out */
/* Adds a checked body (names are unique among the living). Takes its own copies. */
cairn_body cn_world_insert(cairn_world *w, const cairn_body_def *def, cairn_error *error);
void cn_world_erase(cairn_world *w, uint32_t slot);
void cn_world_wake(cairn_world *w);                                 /* wakes all bodies that sleep; none is about to */
void cn_body_free(const cairn_allocator *allocator, cn_body *body); /* its name and its keys */
void cn_body_measure(const cairn_scene *scene, cn_body *body);      /* its radius and area, from its shape */
void cn_body_mark(const cn_body *body, cn_rotor *rotor);            /* damped, scaled */
/* Its name in messages: 'floor', or "number 3" for one without a name. */
void cn_body_title(const cairn_world *w, uint32_t slot, char *text, size_t size);
void cn_extras_drop(cairn_world *w, uint32_t slot); /* forgets its keys inside the last frame */
/* ---- change.c: the body begins a new life where it is now, under a new serial; its joints hold it still. */
void cn_body_renew(cairn_world *w, uint32_t slot);
cn_rotor cn_rotor_make(double mass, m3 inertia);

/* Pose of a script's shape frame at a time. */
pose cn_script_pose(const cairn_script_key *keys, uint32_t count, double time);
/* The same as position of the centre and orientation. */
pose cn_script_center(const cn_body *body, double time);

v3 cn_spin(const cn_rotor *r, quat q, v3 l);    /* angular velocity, world axes */
v3 cn_angular(const cn_rotor *r, quat q, v3 w); /* angular momentum, world axes */
/* World inverse inertia applied to a vector is cn_spin; kinetic energy of a dynamic body: */
double cn_kinetic(const cn_rotor *r, const cn_motion *m);
void cn_world_measure(cairn_world *w, double *kinetic, double *potential);

/* The key of a body in this state of motion. turn: from the key before. */
cairn_key cn_key_of(const cairn_world *w, uint32_t slot, const cn_motion *m, double time, v3 turn);
/* A slot's keys among those of a frame. Returns how many. */
uint32_t cn_extras_find(const cn_extra *extras, uint32_t count, uint32_t slot, const cn_extra **first);

/* s: of a frame, and so many frames after it; not before fps was set. */
static inline double cn_frame_time(const cairn_world *w, uint32_t frame, double after)
{
	return w->clock.time + ((frame - w->clock.frame) + after) / w->scene->settings.fps;
}

/* s: when a share of the step under way is over. */
static inline double cn_step_time(const cairn_world *w, double share)
{
	if (w->part.length > 0)
		return cn_frame_time(w, w->frame, w->part.from + share * w->part.length);
	return cn_frame_time(w, w->frame, (w->step + share) / w->steps);
}

/* Pose of the shape's own frame, for a body in this state of motion. */
static inline pose cn_body_frame(const cn_body *b, const cn_motion *m)
{
	return (pose){v3_sub(m->x, q_rotate(m->q, b->center)), m->q};
}

static inline cairn_body cn_handle(const cairn_world *w, uint32_t slot)
{
	return (cairn_body){slot, w->bodies[slot].generation};
}

/* Whether two bodies may touch at all: filters, and not both without motion of their own. */
bool cn_body_collide(const cn_body *a, const cn_body *b);

/* ---- input.c */
void cn_pushes_end(cairn_world *w);                /* forgets them: a frame is over */
void cn_drags_drop(cairn_world *w, uint32_t slot); /* its drag and its push */

/* ---- impacts.c */
/* Adds an impact of the step under way. One without an impulse is left out. False: memory ran out. */
bool cn_impacts_note(cairn_world *w, const cairn_impact *impact);

bool cn_world_apply(cairn_world *w, const cairn_event_def *event, cairn_error *error); /* impulse, blast: no log */

#endif
