/* Questions about where shapes are. */
#ifndef CN_QUERY_H
#define CN_QUERY_H

#include "scene/scene.h"

/* Tells every contact of cairn_world_contacts, in its order. */
void cn_contacts_each(const cairn_world *w, void (*tell)(void *context, const cairn_contact *contact), void *context);

/* The gap between two shapes at poses of their own frames: the least of any two of their parts. False for two half-spaces. */
bool cn_shapes_gap(const cairn_scene *scene, uint32_t shape_a, pose a, uint32_t shape_b, pose b, cairn_gap *gap);

#endif
