/* The memory that a step works in. It is kept from frame to frame, but it is no state: the state that the next frame
 * starts from stands in the world (cn_memory, cn_rest_state). Each member is written only by the folder whose header
 * declares its type. The records of pairs, contact points and paths are shared by the stages; their fields say who writes
 * them. */
#ifndef CN_CONTEXT_H
#define CN_CONTEXT_H

#include "base/arena.h"
#include "base/array.h"
#include "base/tolerance.h"
#include "step/account/account.h"
#include "step/articulation/motion.h"
#include "step/bounce/bounce.h"
#include "step/frame/repeat.h"
#include "step/joint/joint.h"
#include "step/path/path.h"
#include "step/position/position.h"
#include "step/rest/rest.h"
#include "step/script/script.h"
#include "step/sleep/sleep.h"

#define CN_STILL_FRAMES 30 /* frames that a slow body has stayed in its place, ... */
#define CN_STILL_FALLS                                                                                                 \
	3.3 /* x sqrt(radius/g), the time of a fall: ... and for so long, is at rest while what holds it leaves it no more speed */

/* Makes room for need elements in an array that the context owns. The array knows its own capacity. */
#define CN_ROOM(array, need) cn_array_grow(&w->context->arrays, (void **)&(array), (need), sizeof *(array))
/* Memory of the context's arena for an array of one function, zeroed. NULL: memory ran out. A set of bodies is such an
 * array by slot: not 0 for the bodies in it. */
#define CN_LOCAL(array, count) ((array) = cn_arena_take(&w->context->temporary, (count), sizeof *(array)))
/* Makes room in an array that the context does not own, whose capacity is stored beside it. */
#define CN_GROW(array, capacity, need) cn_grow(&w->allocator, (void **)&(array), &(capacity), (need), sizeof *(array))

struct cn_context {
	cn_arrays arrays; /* owner of all growing arrays below */
	cn_contacts contacts;
	cn_contact_cache cache;
	cn_contact_graph graph;
	cn_mesh_patches mesh;
	cn_paths paths;
	cn_program program;
	cn_solvers solve;
	cn_rolling rolling;
	cn_repair repair;
	cn_pass pass;
	cn_losses losses;
	cn_energies energy;
	cn_push_limits pushes;
	cn_freeze freeze;
	cn_debts debt;
	struct cn_articulations *articulations; /* NULL: there are no joints */
	struct cn_hybrid *hybrid;               /* NULL: the scene never asked for it */
	struct cn_relax *relax;                 /* NULL: the method does not sweep over contacts */
	struct cn_classic *classic;             /* NULL: the method is none of the classic ones */
	cn_standing standing;
	cn_repeat repeat;
	cn_arena temporary; /* arrays of one function, given back when it ends; all of them when a step begins */
	bool under_way;     /* bodies have left their poses at the frame's start */
	double gravity;     /* m/s^2 */
	double scale;       /* m: thickness of the thinnest part of any pair */
	double threshold;   /* m/s: contacts that approach faster than this bounce; slower ones rest */
};
typedef struct cn_context cn_context;

void cn_context_destroy(cairn_world *w);
bool cn_context_begin(cairn_world *w); /* begins a step; made anew with the first. False: memory ran out */
/* Begins a step and fills in the pairs and contact points at the poses of w->motion, for the velocities of w->next at the
 * step's end. False: memory ran out. */
bool cn_contacts_take(cairn_world *w);

/* The body is dynamic, awake and part of the step, so programs may move it. */
static inline bool cn_body_movable(const cairn_world *w, uint32_t slot)
{
	return w->rotors[slot].active && !w->rest_state[slot].asleep && !w->away[slot];
}

static inline cn_twist cn_twist_of(const cairn_world *w, uint32_t slot, quat q, const cn_motion *m)
{
	return (cn_twist){m->v, cn_spin(&w->rotors[slot], q, m->l)};
}

/* Number of frames for which a body must be still before it counts as at rest. The time grows with the body's size,
 * so behaviour is the same at every scale; shorter frames give more of them. */
static inline uint16_t cn_still_frames(const cairn_world *w, uint32_t slot)
{
	double frames = ceil(CN_STILL_FALLS * sqrt(w->bodies[slot].radius / w->context->gravity) * w->scene->settings.fps);
	return (uint16_t)(frames > CN_STILL_FRAMES ? (frames < CN_STILL_FRAMES_MAX ? frames : CN_STILL_FRAMES_MAX)
	                                           : CN_STILL_FRAMES);
}
static inline uint16_t cn_sleep_frames(const cairn_world *w, uint32_t slot)
{
	return (uint16_t)(CN_SLEEP_LATER * cn_still_frames(w, slot));
}

#endif
