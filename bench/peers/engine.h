/* What the program of an engine provides; drive.c has its main. One world a program. */
#ifndef PEERS_ENGINE_H
#define PEERS_ENGINE_H

#include "scene.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const char *const peer_name, *const peer_settings; /* what it is called; what was set, for the page */

/* Makes the scene's world for so many equal steps a frame. sleep: bodies at rest may be left out. False: it cannot. */
bool peer_create(const peer_scene *scene, uint32_t steps, bool sleep);
bool peer_step(double dt); /* one of them; false: the engine gave up */
void peer_state(uint32_t body, double *state);
void peer_push(uint32_t body, const double *change); /* m/s */

#ifdef __cplusplus
}
#endif

#endif
