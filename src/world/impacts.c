/* The impacts of the last step: noted while it is made, read afterwards. They are no state, so nothing that the next step
 * does depends on them. */
#include "world/world.h"

bool cn_impacts_note(cairn_world *w, const cairn_impact *impact)
{
	if (v3_length2(impact->impulse) == 0)
		return true;
	if (!cn_grow(&w->allocator, (void **)&w->log.impacts.items, &w->log.impacts.capacity, w->log.impacts.count + 1,
	             sizeof *w->log.impacts.items))
		return false;
	w->log.impacts.items[w->log.impacts.count++] = *impact;
	return true;
}

uint32_t cairn_world_impacts(const cairn_world *w, cairn_impact *impacts, uint32_t capacity)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < w->log.impacts.count; ++i) {
		const cairn_impact *k = &w->log.impacts.items[i];
		if (!cairn_world_has_body(w, k->a) || !cairn_world_has_body(w, k->b))
			continue;
		if (count < capacity)
			impacts[count] = *k;
		++count;
	}
	return count;
}
