/* How far what bodies touch with is from what is seen of them, for people and as JSON. */
#ifndef STANDOFF_H
#define STANDOFF_H

#include "json.h"
#include "table.h"

/* A line for each shape with its visual, under a heading; nothing where no body has a visual. */
void standoff_print(const cairn_scene *scene, FILE *out);
/* An array "visuals". */
void standoff_write(json *j, const cairn_scene *scene);

#endif
