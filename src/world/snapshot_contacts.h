/* The part of a snapshot that bodies in contact need. Readers return false with the reader failed or not: the bytes do not fit. */
#ifndef CN_SNAPSHOT_CONTACTS_H
#define CN_SNAPSHOT_CONTACTS_H

#include "world/world.h"

void cn_rest_state_put(cn_writer *o, const cn_rest_state *r);
bool cn_rest_state_get(cn_reader *r, bool dynamic, uint32_t slots, cn_rest_state *out);

void cn_memory_put(cn_writer *o, const cairn_world *w);
/* Into w->memory, which is empty. w has its bodies already; shapes are theirs. error: set when memory ran out. */
bool cn_memory_get(cn_reader *r, cairn_world *w, const cn_shape *shapes, cairn_error *error);

#endif
