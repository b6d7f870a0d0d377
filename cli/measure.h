/* Sizes that the summary and info print. */
#ifndef MEASURE_H
#define MEASURE_H

#include "cairn/cairn.h"

/* A box around all bodies but half-spaces at the start; false when there are none. Turned bodies are measured by their
 * own boxes, so it may be somewhat too large. */
bool measure_bounds(const cairn_scene *scene, cairn_box *bounds);

/* The unit of energy, J: the mass of all dynamic bodies x gravity x the largest extent of a dynamic body's own box;
 * without gravity (or without size) the energy given. */
double measure_energy_unit(const cairn_world *world, double initial);

#endif
