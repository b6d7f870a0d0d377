/* What holds bodies from afar, as something to be seen: ropes between two points, and the arm of a body that hangs on a
 * point beyond it. Joints at or in their bodies are seen by what those do.
 *
 * Also part of the live page's engine (web/live.c), by view_scene.c: it needs the library alone. */
#ifndef RODS_H
#define RODS_H

#include "cairn/cairn.h"

#define ROD_WORLD UINT32_MAX

typedef struct rod_end {
	uint32_t track; /* ROD_WORLD: it stays where it is */
	cairn_vec3 at;  /* in the frame of the body's shape */
} rod_end;

typedef struct rod {
	rod_end ends[2];
	double low, high; /* m: how long it is; one that is neither is broken */
} rod;

/* What a joint of the scene is seen as; returns how many. */
uint32_t rods_of(const cairn_scene *scene, uint32_t joint, rod found[2]);
/* How thick they are drawn, m: a part of the smallest body that hangs on one. */
double rods_radius(const cairn_scene *scene);
/* Whether it is whole at that length. */
bool rod_holds(const rod *r, double length);

#endif
