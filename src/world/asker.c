/* The memory of who was asked about: made with the first question, given back with the world. */
#include "world/ask.h"

#include "geom/broad.h"

void cn_asker_destroy(cairn_world *w)
{
	struct cn_asker *k = w->filter.asker;
	if (!k)
		return;
	cn_broad_destroy(k->broad);
	cn_free(&w->allocator, k->items, k->item_capacity, sizeof *k->items);
	cn_free(&w->allocator, k->asked, k->asked_room, sizeof *k->asked);
	cn_free(&w->allocator, k, 1, sizeof *k);
	w->filter.asker = NULL;
}

bool cn_asker_create(cairn_world *w)
{
	struct cn_asker *k = cn_alloc(&w->allocator, 1, sizeof *k);
	if (!k)
		return false;
	k->broad = cn_broad_create(&w->allocator);
	k->restores = w->given.restores;
	w->filter.asker = k;
	return k->broad != NULL;
}
