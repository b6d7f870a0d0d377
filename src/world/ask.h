/* The program's filter: which pairs of bodies it is asked about, and when (ask.c). */
#ifndef CN_ASK_H
#define CN_ASK_H

#include "geom/broad.h"
#include "world/world.h"

/* Before a step: asks about all pairs that may come near each other in it and were not asked about. Those that may not touch
 * get a joint that lets them pass, as an input. False: memory ran out. */
bool cn_filter_ask(cairn_world *w);

/* ---- asker.c */

struct cn_asker {
	cn_broad *broad;
	cn_broad_item *items;
	uint64_t
		*asked; /* serials of pairs, a << 32 | b, with 1 added so that 0 is an empty place; a power of two of them */
	uint32_t item_capacity, asked_count, asked_room;
	uint32_t restores; /* of the world when it was filled */
};

bool cn_asker_create(cairn_world *w); /* false: memory ran out */
void cn_asker_destroy(cairn_world *w);

#endif
