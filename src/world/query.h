/* Questions about where shapes are. */
#ifndef CN_QUERY_H
#define CN_QUERY_H

#include "scene/scene.h"

/* The gap between two shapes at poses of their own frames: the least of any two of their parts. False for two half-spaces. */
bool cn_shapes_gap(const cairn_scene *scene, uint32_t shape_a, pose a, uint32_t shape_b, pose b, cairn_gap *gap);

#endif
