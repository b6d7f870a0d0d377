/* What a step works with: memory that is kept from frame to frame, no state. What the next frame starts from stands in
 * the world (cn_memory, cn_rest_state). Each member is written by the folder whose header declares it. */
#ifndef CN_CONTEXT_H
#define CN_CONTEXT_H

#include "base/array.h"
#include "step/account/account.h"
#include "step/articulation/motion.h"
#include "step/bounce/bounce.h"
#include "step/joint/joint.h"
#include "step/path/path.h"
#include "step/position/position.h"
#include "step/rest/rest.h"
#include "step/script/script.h"
#include "step/sleep/sleep.h"

/* Room in an array of the step, which knows how much it has and is given back with the context. */
#define CN_ROOM(array, need) cn_array_grow(&w->context->arrays, (void **)&(array), (need), sizeof *(array))
/* The same for an array that others hold too, with its capacity beside it. */
#define CN_GROW(array, capacity, need) cn_grow(&w->allocator, (void **)&(array), &(capacity), (need), sizeof *(array))

/* Arrays that a stage may use as it likes; nothing in them outlasts it. */
typedef struct cn_step_scratch {
	uint8_t *flags;    /* by slot: bodies that the stage at hand has chosen */
	uint8_t *marks;    /* by slot */
	uint32_t *queue;   /* by slot */
	uint32_t *order;   /* by contact or slot */
	uint8_t *freezing; /* by slot: of freeze.c */
} cn_step_scratch;

struct cn_context {
	cn_arrays arrays; /* all that grows below */
	cn_contacts contacts;
	cn_contact_cache cache;
	cn_contact_graph graph;
	cn_mesh_patches mesh;
	cn_paths paths;
	cn_program program;
	cn_solvers solve;
	cn_repair repair;
	cn_energies energy;
	cn_debts debt;
	struct cn_articulations *articulations; /* NULL: there are no joints */
	struct cn_hybrid *hybrid;               /* NULL: never asked for */
	cn_step_scratch scratch;
	bool under_way;   /* bodies have left the frame's start */
	double gravity;   /* m/s^2 */
	double scale;     /* m: thickness of the thinnest part in a pair */
	double threshold; /* m/s: contacts that approach faster bounce, slower ones rest */
};
typedef struct cn_context cn_context;

bool cn_context_begin(cairn_world *w); /* of a step; false: memory ran out */
void cn_context_destroy(cairn_world *w);

/* Dynamic, awake and part of the step: programs may move it. */
static inline bool cn_body_movable(const cairn_world *w, uint32_t slot)
{
	return w->rotors[slot].active && !w->rest_state[slot].asleep && !w->away[slot];
}

static inline cn_twist cn_twist_of(const cairn_world *w, uint32_t slot, quat q, const cn_motion *m)
{
	return (cn_twist){m->v, cn_spin(&w->rotors[slot], q, m->l)};
}

/* Frames for which a body has to be still before it is at rest: the shorter frames are, the more; the same at every
 * scale. */
static inline uint16_t cn_still_frames(const cairn_world *w, uint32_t slot)
{
	double frames = ceil(CN_CALM_FALLS * sqrt(w->bodies[slot].radius / w->context->gravity) * w->scene->settings.fps);
	return (uint16_t)(frames > CN_CALM_FRAMES ? (frames < CN_CALM_MOST ? frames : CN_CALM_MOST) : CN_CALM_FRAMES);
}
static inline uint16_t cn_sleep_frames(const cairn_world *w, uint32_t slot)
{
	return (uint16_t)(CN_SLEEP_LATER * cn_still_frames(w, slot));
}

#endif
