/* The state: every field that a step reads or writes, grouped by who writes it. A body lives in a slot; slots of
 * removed bodies are used again under a new generation. Arrays are indexed by slot. */
#ifndef CN_WORLD_H
#define CN_WORLD_H

#include "base/bytes.h"
#include "base/pool.h"
#include "base/vec.h"
#include "geom/broad.h"
#include "geom/sweep.h"
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

/* What resists motion, per slot. Bodies that are not dynamic have mass 0 and moments 1, so that l is their spin. */
typedef struct cn_rotor {
	double mass, inv_mass;
	v3 moments, inv_moments; /* about the principal axes */
	double inv_least;        /* the largest of inv_moments */
	quat axes;               /* principal axes in the shape's frame */
	v3 split_inv;            /* inv_moments in that order */
	double flip;             /* of the third axis in the order of splitting: +-1, which keeps it right-handed */
	uint8_t split[3];        /* axes in the order of splitting: least, largest, middle moment */
	uint8_t kind;            /* cn_rotor_kind */
	uint8_t axis;            /* of a symmetric one: 0, 1, 2 */
	bool turned;             /* axes is not the identity */
	bool active;             /* a living dynamic body */
	bool damped, dragged;
} cn_rotor;

/* What a body is; written when it is added. */
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
	double radius, area; /* about the centre; (ab + bc + ca)/2 of its own box */
	double linear_damping, angular_damping;
	cairn_color color;
	cairn_script_key *keys; /* scripted; poses of the shape's frame */
	uint32_t key_count;
	double lag;  /* scripted, s: how far its clock is behind the world's; written by the step */
	double pace; /* scripted, of its step in a frame: what it tries first; 1 unless something stopped it */
} cn_body;

typedef struct cn_drag {
	uint32_t slot;
	v3 anchor, target; /* from the centre of mass in the shape's axes; world */
	double frequency;
} cn_drag;

typedef struct cn_emission {
	uint32_t next, batches, bodies; /* frame of the next batch; how many have appeared */
	uint64_t random;
} cn_emission;

/* A key inside the last frame. */
typedef struct cn_extra {
	uint32_t slot;
	cairn_key key; /* turn included */
} cn_extra;

/* In cn_memory_pair.part_b: b is a half-space; b is a triangle of a fixed body's meshes, counted over all of them. */
#define CN_MEMORY_PLANE 0x80000000u
#define CN_MEMORY_TRIANGLE 0x40000000u

/* What is remembered of two parts in contact from frame to frame: state, since the next frame starts from it. In the
 * order of slots and parts, triangles after all other parts and half-spaces after these. */
typedef struct cn_memory_pair {
	uint32_t a, part_a, b, part_b;
	uint32_t serial_a, serial_b; /* slots are used again */
	cn_witness witness;
	uint32_t first, count; /* points */
} cn_memory_pair;

static inline int cn_memory_rank(const cn_memory_pair *p)
{
	return p->part_b & CN_MEMORY_PLANE ? 2 : (p->part_b & CN_MEMORY_TRIANGLE) != 0;
}
static inline uint32_t cn_memory_part(const cn_memory_pair *p)
{
	return p->part_b & ~(CN_MEMORY_PLANE | CN_MEMORY_TRIANGLE);
}

typedef struct cn_memory_point {
	uint64_t feature;
	v3 ra;      /* where it was, from a's centre of mass, world axes */
	v3 impulse; /* that held it in the last rest solve, on b, world axes; as of a whole frame, however many steps it had */
	double push; /* multiplier of the last position program */
	uint8_t sliding;
	double left; /* see cn_pair_point */
} cn_memory_point;

typedef struct cn_memory {
	cn_memory_pair *pairs;
	cn_memory_point *points;
	uint32_t pair_count, point_count, pair_capacity, point_capacity;
	uint64_t stamp; /* no state: of what the stages noted beside it; 0: nothing */
} cn_memory;

/* Whether both bodies are still those that were in contact. */
bool cn_memory_stands(const cairn_world *w, const cn_memory_pair *pair);

/* How a body rests, per slot. */
typedef struct cn_rest_state {
	pose anchor;           /* of its centre: where it has been, but for a little, ... */
	uint16_t still_frames; /* ... for so many frames, slow all the while */
	uint8_t asleep;        /* cn_sleep; but for CN_AWAKE the programs leave it out */
	uint8_t cold_frames;   /* frames in a row that it was cold enough to freeze (OBA 6.7.2) */
	uint32_t island;       /* of one asleep: wakes with all others of that name */
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
	double low, high;            /* of what is free: rad, m; infinite: no bound; a rod's are equal */
	/* state */
	uint8_t motor;        /* cairn_motor_kind */
	double speed, most;   /* of it */
	double turn;          /* of a hinge, whole turns counted */
	double near;          /* scratch of a step: where it has turned to so far */
	double force, torque; /* N, N m: what it took in the mean of the last frame */
	bool broken;
} cn_joint;

struct cairn_world {
	/* fixed when made */
	cairn_allocator allocator;
	cairn_scene *scene; /* own copy; inputs may append shapes and materials, change materials and gravity */
	cn_pool *pool;
	struct {
		uint64_t fingerprint;       /* changes when anything in the scene does: a snapshot names its scene by it */
		uint32_t shapes, materials; /* how many it had */
	} given;                        /* the scene as it came */
	double dt;                      /* s: of a frame; while a step is under way, of that step */

	/* written by adding and removing */
	cn_body *bodies;
	cn_rotor *rotors;
	uint32_t slots, capacity;        /* used at least once; room */
	uint32_t alive, moving, serials; /* moving: not fixed */
	struct {
		uint32_t *slots; /* last in first out; room for capacity */
		uint32_t count;
	} vacant;       /* slots free for use */
	cn_names names; /* to slot + 1 */
	struct {
		cn_drag *items;
		uint32_t count, capacity;
	} drag;
	cn_emission *emissions; /* one an emitter of the scene */
	cn_joint *joints;       /* one a joint of the scene */

	/* written by the step */
	uint32_t frame;
	cn_motion *motion; /* at the frame */
	cn_motion *before; /* at the frame before */
	cn_motion *next;   /* grows while a step is under way */
	struct {
		cn_motion *motion;         /* before events */
		cn_rest_state *rest_state; /* before any body was woken */
		uint32_t motion_capacity, rest_state_capacity;
	} backup;         /* scratch: what is put back when a step is refused */
	uint8_t *pieces;  /* how many pieces the last frame's motion of the body has */
	cn_extra *extras; /* keys inside the last frame, by slot, then time */
	cn_extra *next_extras;
	uint32_t extra_count, extra_capacity, next_extra_count, next_extra_capacity;
	struct {
		double kinetic, potential; /* at the frame, as the last step left it */
		bool touched;              /* an input may have changed them since */
	} energy;
	struct cn_chunk *chunks; /* one for 1024 slots of capacity */
	cn_memory memory;
	cn_rest_state *rest_state;      /* by slot */
	struct cn_context *context;     /* memory of a step with contact; no part of the state */
	struct cn_certifier *certifier; /* the same of the certificate */

	/* of the step under way; between frames there is one a frame, and all take part in it */
	uint32_t step, steps;         /* its number in the frame; how many there are */
	uint8_t *away;                /* by slot: takes no part in it (step/inner.c) */
	struct cn_substeps *substeps; /* memory of frames of several steps; no part of the state */

	/* written by inputs; impacts by the step */
	struct {
		cn_writer inputs;   /* since the last step */
		cn_writer consumed; /* by the last step */
		struct {
			cairn_impact *items;
			uint32_t count, capacity;
		} impacts; /* of the last step, or of the one under way; no state */
	} log;
};

enum { CN_CHUNK = 1024 }; /* slots a thread takes at a time; sums are formed per chunk and added in order */

/* What one chunk of a step found out, merged in order. */
typedef struct cn_chunk {
	double kinetic, potential, fields, damping, drift;
	uint32_t extras, extra_start;
	uint32_t bad; /* first slot that spins too fast or is not finite, + 1 */
	uint8_t status;
} cn_chunk;

static inline uint32_t cn_world_chunks(const cairn_world *w) { return (w->slots + CN_CHUNK - 1) / CN_CHUNK; }

/* The world of a scene at frame 0, before anything is emitted. */
cairn_world *cn_world_make(const cairn_scene *scene, const cairn_world_def *def, cairn_error *error);

void cn_world_free(cairn_world *w); /* all but what a step keeps for itself: w->crowd */

bool cn_world_reserve(cairn_world *w, uint32_t more);
/* Adds a checked body (names are unique among the living). Takes its own copies. */
cairn_body cn_world_insert(cairn_world *w, const cairn_body_def *def, cairn_error *error);
void cn_world_erase(cairn_world *w, uint32_t slot);
void cn_world_wake(cairn_world *w);                                 /* all that sleep, and all that were about to */
void cn_body_free(const cairn_allocator *allocator, cn_body *body); /* what the slot owns */
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

/* A slot's keys among those of a frame. Returns how many. */
uint32_t cn_extras_find(const cn_extra *extras, uint32_t count, uint32_t slot, const cn_extra **first);

/* s: when a share of the step under way is over. */
static inline double cn_step_time(const cairn_world *w, double share)
{
	return (w->frame + (w->step + share) / w->steps) / w->scene->settings.fps;
}

/* Where the shape's own frame is when the body moves so. */
static inline pose cn_body_frame(const cn_body *b, const cn_motion *m)
{
	return (pose){v3_sub(m->x, q_rotate(m->q, b->center)), m->q};
}

static inline cairn_body cn_handle(const cairn_world *w, uint32_t slot)
{
	return (cairn_body){slot, w->bodies[slot].generation};
}

/* ---- joint.c */
bool cn_joints_make(cairn_world *w);                           /* of the scene, at the start; false: memory ran out */
bool cn_joint_there(const cairn_world *w, const cn_joint *j);  /* its bodies are */
bool cn_joint_stands(const cairn_world *w, const cn_joint *j); /* and it is not broken */
void cn_joints_put(cn_writer *o, const cairn_world *w);        /* their state */
bool cn_joints_get(cn_reader *r, const cairn_world *w, cn_joint *to);

/* Whether two bodies may touch at all: filters, and not both without motion of their own. */
bool cn_body_collide(const cn_body *a, const cn_body *b);

/* ---- impacts.c */
/* Adds an impact of the step under way. One without an impulse is left out. False: memory ran out. */
bool cn_impacts_note(cairn_world *w, const cairn_impact *impact);

bool cn_world_apply(cairn_world *w, const cairn_event_def *event, cairn_error *error); /* impulse, blast: no log */

#endif
