/* The scenes that every engine gets: plain bodies, no engine in it. SI units, z up. */
#ifndef PEERS_SCENE_H
#define PEERS_SCENE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PEER_DT (1.0 / 30) /* s: a frame */
#define PEER_DENSITY 800.0 /* kg/m^3 */

enum { PEER_STATE = 13 }; /* numbers of a body's state: position, quaternion w x y z, velocity, spin in world axes */

typedef struct peer_body {
	bool ball, fixed;
	double half[3]; /* m: half extents of a box; the radius of a ball, three times */
	double mass;    /* kg; 0 for what is fixed */
	double state[PEER_STATE];
} peer_body;

typedef struct peer_scene {
	const char *name;
	peer_body *bodies;
	uint32_t count, room, frames;
	double gravity, friction, restitution; /* m/s^2; those of every pair */
	bool thin;                             /* engines may use what they have for fast thin bodies */
	double stands;                         /* m: a centre that goes further has fallen; 0: nobody asks */
	uint32_t blast;                        /* the frame before which all bodies are pushed; 0: never */
	double blast_at[3], blast_speed;
	double inside[3]; /* m: centres belong within +- x and y, and above z; x = 0: anywhere */
	uint64_t random;
} peer_scene;

/* NULL: there is no scene of that name, or no memory. grid and flat take a count: grid1000, flat10000. */
peer_scene *peer_scene_make(const char *name);
void peer_scene_free(peer_scene *scene);
/* How the blast changes the velocity of a body at x. */
void peer_scene_push(const peer_scene *scene, const double *x, double change[3]);

#ifdef __cplusplus
}
#endif

#endif
