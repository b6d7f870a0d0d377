/* Heights over a grid as a mesh. */
#ifndef CN_HEIGHTFIELD_H
#define CN_HEIGHTFIELD_H

#include "base/vec.h"

/* Checks a def of kind CAIRN_HEIGHTFIELD and makes the def of the shell it stands for: the same name, points row by row,
 * two triangles a cell, counter-clockwise from above, their diagonals by turns one way and the other. The arrays are
 * the caller's, to be given back by cn_heightfield_free. On failure there are none, and the error's path names the
 * field. */
bool cn_heightfield_make(const cairn_allocator *allocator, const cairn_shape_def *def, cairn_shape_def *mesh,
                         cairn_error *error);
void cn_heightfield_free(const cairn_allocator *allocator, const cairn_shape_def *mesh);

/* NULL if the counts that a mesh keeps of its height field fit its points and triangles; else what is wrong. */
const char *cn_heightfield_fault(const cairn_shape_def *mesh);

#endif
