/* Ropes and arms of joints (cairn_scene_rods), by the tracks of a recording.
 *
 * Also part of the live page's engine (web/live.c), by view_scene.c: it needs the library alone. */
#ifndef RODS_H
#define RODS_H

#include "cairn/cairn.h"

#define ROD_WORLD UINT32_MAX
#define ROD_NOWHERE (UINT32_MAX - 1)

typedef cairn_rod_end rod_end; /* track ROD_WORLD: it stays where it is */
typedef cairn_rod rod;         /* drawn while it is as long as it may be */

/* The tracks of the bodies of a recording's scene, by their index; ROD_NOWHERE: gone before it began. */
void rods_find_tracks(const cairn_recording *recording, uint32_t *tracks);
/* What a joint of the scene is seen as; returns how many. Without tracks the bodies are numbered as in the scene. What a
 * body has that is nowhere is not seen. */
uint32_t rods_of(const cairn_scene *scene, const uint32_t *tracks, uint32_t joint, rod found[2]);
/* How thick they are drawn, m: a part of the smallest body that hangs on one. */
double rods_radius(const cairn_scene *scene, const uint32_t *tracks);
/* Whether it may be that long. */
bool rod_holds(const rod *r, double length);

#endif
