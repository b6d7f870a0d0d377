/* Bodies and their motion as bytes and back: a part of snapshots. */
#ifndef CN_SNAPSHOT_BODY_H
#define CN_SNAPSHOT_BODY_H

#include "base/bytes.h"
#include "world/state.h"

void cn_motion_put(cn_writer *o, const cn_motion *m);
bool cn_motion_get(cn_reader *r, cn_motion *m); /* false where it is none that a world may have */

void cn_body_put(cn_writer *o,
                 const cn_body *b); /* generation, whether it is alive, name, traits, look, script, lag, pace */
void cn_body_traits_get(cn_reader *r, cn_body *b); /* from its type to its look; r fails where they are not there */

#endif
