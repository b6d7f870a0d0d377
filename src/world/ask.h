/* The program's filter: which pairs of bodies it is asked about, and when (ask.c). */
#ifndef CN_ASK_H
#define CN_ASK_H

#include "world/world.h"

/* Before a step: asks about all pairs that may come near each other in it and were not asked about. Those that may not touch
 * get a joint that lets them pass, as an input. False: memory ran out. */
bool cn_filter_ask(cairn_world *w);
void cn_asker_destroy(cairn_world *w);

#endif
