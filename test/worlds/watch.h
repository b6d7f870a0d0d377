/* What is known of a run while it is looked at; shared by the files that look. */
#ifndef WATCH_H
#define WATCH_H

#include "worlds.h"

enum { KEY_MOST = 65 };

typedef struct actor {
	cairn_body body;
	cairn_body_info info;
	vec edges;                        /* of its own box */
	double size, thickness;           /* the largest and the smallest of them */
	bool fresh;                       /* not there a frame ago */
	bool plain;                       /* dynamic, without joints and damping: falls freely if nothing touches it */
	bool convex, round;               /* one plane parts it from another; turning moves none of its surface */
	cairn_key keys[2 * KEY_MOST + 2]; /* and one for a blow on each piece */
	uint32_t key_count;               /* the first is where the frame began */
	cairn_key
		ends[KEY_MOST + 1]; /* where the frame began, and where its steps ended; a step without a key of its own is
	                                     one with the next */
	uint32_t end_count;
	vec low, high;         /* of its centre in the frame */
	double path, arc;      /* m: of the centre; of a point of its surface by turning, at most */
	double loose;          /* m: by how much its centre may have been off its keys between them */
	bool touches, touched; /* anything; anything but its own rig */
	uint32_t rig;          /* of bodies that joints hold together: the first one's index; its own without joints */
	bool anchored;         /* the rig is held by the world, or by what is fixed or scripted, or is damped */
	uint32_t group;        /* of bodies that may have met in the frame: a tree by indices */
	uint32_t still;        /* frames on end that it stalled */
} actor;

typedef struct watch {
	const cairn_scene *scene;
	cairn_world *world;
	actor *actors;
	uint32_t count, room;
	cairn_body *handles;
	uint32_t *order;
	double *energy, *speed; /* of groups: what there is for a body in the frame; the fastest script in touch */
	vec gravity;
	double dt, unit, total, wrong, ms; /* ms: of the last step */
	bool fields, motors, eventful;
	cairn_step_report report;
	seen *out;
} watch;

static inline const cairn_key *first_key(const actor *a) { return &a->keys[0]; }
static inline const cairn_key *last_key(const actor *a) { return &a->keys[a->key_count - 1]; }
static inline bool same(cairn_body a, cairn_body b) { return a.index == b.index && a.generation == b.generation; }

uint32_t find_actor(const watch *w, cairn_body body); /* w->count: nobody */

/* ---- pull.c: what pulls at a body besides gravity and contacts */

/* m/s^2, at a key: fields, and of a limb that touches more than its rig the most that motors of the rig can. */
double pull_of(const watch *w, const actor *a, const cairn_key *k);

/* ---- meet.c: who may have met whom in a frame */

/* Sets touches, touched and group of all actors, and the speed of the scripts that they touch. */
void find_groups(watch *w);
uint32_t group_of(watch *w, uint32_t i);

#endif
