/* What the meshes of a scene became. */
#ifndef CAIRN_MESHES_H
#define CAIRN_MESHES_H

#include "json.h"

#include <cairn/cairn.h>

/* scene: as it was read; made: that of a world of it. A line for each mesh that moves or lost triangles. */
void meshes_print(const cairn_scene *scene, const cairn_scene *made, FILE *out);
/* The same as an array "meshes". */
void meshes_write(json *j, const cairn_scene *scene, const cairn_scene *made);

#endif
