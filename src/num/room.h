/* Memory of one computation: taken piece by piece, given back at once. */
#ifndef CN_ROOM_H
#define CN_ROOM_H

#include "base/base.h"

enum { CN_ROOM_PIECES = 64 };

typedef struct cn_room {
	const cairn_allocator *allocator;
	void *piece[CN_ROOM_PIECES];
	size_t size[CN_ROOM_PIECES];
	uint32_t count;
	bool failed; /* a piece was refused; stays set */
} cn_room;

static inline cn_room cn_room_make(const cairn_allocator *allocator) { return (cn_room){.allocator = allocator}; }

/* Zeroed; never NULL unless refused, also for a count of 0. */
static inline void *cn_room_take(cn_room *room, size_t count, size_t size)
{
	assert(room->count < CN_ROOM_PIECES);
	size_t wanted = count ? count : 1;
	void *piece = room->failed ? NULL : cn_alloc(room->allocator, wanted, size);
	if (!piece) {
		room->failed = true;
		return NULL;
	}
	room->piece[room->count] = piece;
	room->size[room->count++] = wanted * size;
	return piece;
}

/* Gives back everything taken after the first `kept` pieces. */
static inline void cn_room_return(cn_room *room, uint32_t kept)
{
	while (room->count > kept) {
		--room->count;
		cn_free(room->allocator, room->piece[room->count], room->size[room->count], 1);
	}
}

#endif
