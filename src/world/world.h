/* The state of a simulation, grouped by who writes it. A body lives in a slot; the slot of a removed body is used again
 * under a new generation. Arrays are indexed by slot. */
#ifndef CN_WORLD_H
#define CN_WORLD_H

#include "base/bytes.h"
#include "base/pool.h"
#include "geom/broad.h"
#include "geom/sweep.h"
#include "scene/scene.h"
#include "world/memory.h"
#include "world/state.h"

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
		double from, length;        /* shares of the frame; length 0: the steps are equally long */
		struct cn_substeps *memory; /* of frames of several steps; no part of the state */
	} part;                         /* where a step of a frame lies whose steps are not equally long */
	uint8_t *away;                  /* by slot: the body takes no part in the step (step/frame/substeps.c) */

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

void cn_world_free(cairn_world *w); /* all but the memory of the step: w->context, w->part.memory */

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

/* The share of the frame that the step under way takes. */
static inline double cn_step_share(const cairn_world *w)
{
	return w->part.length > 0 ? w->part.length : 1.0 / w->steps;
}

/* Pose of the shape's own frame, for a body in this state of motion. */
static inline pose cn_body_frame(const cn_body *b, const cn_motion *m)
{
	return (pose){v3_sub(m->x, q_rotate(m->q, b->center)), m->q};
}

bool cn_goals_lead(const cairn_world *w,
                   uint32_t slot); /* a goal that pushes in the run is about it: it does not sleep */
static inline bool cn_body_led(const cairn_world *w, uint32_t slot)
{
	return w->rotors[slot].dragged || (w->scene->asked.spring_count && cn_goals_lead(w, slot));
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
