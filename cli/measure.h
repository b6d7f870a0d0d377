/* Sizes that the summary and info print. */
#ifndef MEASURE_H
#define MEASURE_H

#include "cairn/cairn.h"

/* A box around all bodies but half-spaces at the start; false when there are none. Turned bodies are measured by their
 * own boxes, so it may be somewhat too large. */
bool measure_bounds(const cairn_scene *scene, cairn_box *bounds);

/* The same of fixed bodies alone. */
bool measure_fixed_bounds(const cairn_scene *scene, cairn_box *bounds);

/* Of each shape the largest extent of its own box (size) and the smallest (thickness), m; infinite where it has no box.
 * The caller frees them. */
double *measure_size(const cairn_scene *scene);
double *measure_thickness(const cairn_scene *scene);

/* Kinetic energy, and potential energy of the world's gravity with zero at the origin, of all bodies now; J. */
void measure_energy(const cairn_world *world, double *kinetic, double *potential);

/* The unit of energy, J: the mass of all dynamic bodies x gravity x the largest extent of a dynamic body's own box;
 * without gravity (or without size) the energy given. */
double measure_energy_unit(const cairn_world *world, double initial);

/* Both of a frame that was recorded, with the gravity that the recording began with. */
void measure_recorded_energy(const cairn_recording *recording, const cairn_frame *frame, double *kinetic,
                             double *potential);
double measure_recorded_unit(const cairn_recording *recording, const cairn_frame *frame, double initial);

#endif
