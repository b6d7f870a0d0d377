/* A tree of boxes without pointers, for the broad phase: boxes stand in slots, eight slots make a pack, eight packs a
 * pack of the level above, and so on; where a box stands says where its ancestors are. Eight boxes are compared at
 * once.
 *
 * Boxes are floats: numbers are rounded to nearest, which keeps their order, so boxes that overlap still do then. */
#ifndef CN_PACK_TREE_H
#define CN_PACK_TREE_H

#include "base/base.h"

#define CN_NO_SLOT UINT32_MAX

typedef float cn_lanes __attribute__((vector_size(16)));
typedef int32_t cn_lane_mask __attribute__((vector_size(16)));
typedef float cn_loose_lanes __attribute__((vector_size(16), aligned(4), may_alias)); /* what an allocator gives */

/* The fourth number says who may meet whom: (0, 3) for what moves, (2, 1) for what is still. Read as an interval like
 * the others it overlaps with all but still with still. Nothing: all low +infinity, all high -infinity; all else is
 * finite. */
typedef struct cn_flat_box {
	float low[4], high[4];
} cn_flat_box;

typedef struct cn_pack {
	float low[3][8], high[3][8];
} cn_pack;

enum { CN_PACK_LEVELS = 12 };

typedef struct cn_pack_entry {
	float centre[3];
	uint32_t item;
} cn_pack_entry;

typedef struct cn_pack_tree {
	cn_pack *packs; /* level 0 first; slots 8 p .. 8 p + 7 are in pack p */
	uint32_t pack_capacity;
	uint32_t start[CN_PACK_LEVELS], count[CN_PACK_LEVELS], levels; /* of packs */
	uint32_t *items;                                               /* of each slot; CN_NO_SLOT: none */
	uint32_t item_capacity;
	uint32_t used;  /* slots taken from the left; a slot that became empty is not taken again */
	float *extents; /* of each pack of level 0 when the tree was built */
	uint32_t extent_capacity;
	cn_pack_entry *entries; /* room to order items in */
	uint32_t entry_capacity;
} cn_pack_tree;

static inline cn_lanes cn_lanes_load(const float *from) { return (cn_lanes) * (const cn_loose_lanes *)from; }

/* One bit for each lane that is set. */
static inline unsigned cn_lane_bits(cn_lane_mask m)
{
#if defined(__SSE2__)
	return (unsigned)__builtin_ia32_movmskps((cn_lanes)m);
#else
	m &= (cn_lane_mask){1, 2, 4, 8};
	return (unsigned)(m[0] | m[1] | m[2] | m[3]);
#endif
}

static inline bool cn_flat_meet(const cn_flat_box *a, const cn_flat_box *b)
{
	return cn_lane_bits((cn_lanes_load(a->low) <= cn_lanes_load(b->high)) &
	                    (cn_lanes_load(b->low) <= cn_lanes_load(a->high))) == 15;
}

/* Each number in all lanes, to be compared with packs. */
static inline void cn_flat_spread(const cn_flat_box *box, cn_lanes low[3], cn_lanes high[3])
{
	for (int i = 0; i < 3; ++i) {
		low[i] = (cn_lanes){box->low[i], box->low[i], box->low[i], box->low[i]};
		high[i] = (cn_lanes){box->high[i], box->high[i], box->high[i], box->high[i]};
	}
}

void cn_pack_tree_free(const cairn_allocator *allocator, cn_pack_tree *tree);
/* Puts all that is not nothing among boxes[0..count) in place, slots[i] where. False when memory ran out. */
bool cn_pack_tree_build(const cairn_allocator *allocator, cn_pack_tree *tree, const cn_flat_box *boxes, uint32_t count,
                        uint32_t *slots);
/* A slot for an item that came later, or CN_NO_SLOT: then the tree must be built again. */
uint32_t cn_pack_tree_take(cn_pack_tree *tree, uint32_t item);
void cn_pack_tree_put(cn_pack_tree *tree, uint32_t slot, const cn_flat_box *box);
/* After slots were put: makes the levels above right. True if the tree has become so loose that it wants building. */
bool cn_pack_tree_refit(cn_pack_tree *tree);

/* A walk over the packs of level 0 whose boxes meet a box, from pack first on. */
typedef struct cn_pack_walk {
	const cn_pack_tree *tree;
	cn_lanes low[3], high[3];
	uint32_t first, depth;
	struct {
		uint32_t level, pack, bits;
	} stack[CN_PACK_LEVELS];
} cn_pack_walk;

/* Which of a pack's eight boxes meet a box that was spread. */
static inline unsigned cn_pack_meet(const cn_pack *p, const cn_lanes low[3], const cn_lanes high[3])
{
	cn_lane_mask m = (cn_lanes_load(p->low[0]) <= high[0]) & (low[0] <= cn_lanes_load(p->high[0]));
	cn_lane_mask k = (cn_lanes_load(p->low[0] + 4) <= high[0]) & (low[0] <= cn_lanes_load(p->high[0] + 4));
	for (int i = 1; i < 3; ++i) {
		m &= (cn_lanes_load(p->low[i]) <= high[i]) & (low[i] <= cn_lanes_load(p->high[i]));
		k &= (cn_lanes_load(p->low[i] + 4) <= high[i]) & (low[i] <= cn_lanes_load(p->high[i] + 4));
	}
	return cn_lane_bits(m) | cn_lane_bits(k) << 4;
}

static inline void cn_pack_walk_into(cn_pack_walk *w, uint32_t level, uint32_t pack)
{
	unsigned bits = cn_pack_meet(&w->tree->packs[w->tree->start[level] + pack], w->low, w->high);
	uint32_t first = w->first >> (3 * (level - 1)); /* children before it hold only packs before the first */
	if (first > pack * 8)
		bits &= first - pack * 8 < 8 ? ~0u << (first - pack * 8) : 0;
	w->stack[w->depth].level = level;
	w->stack[w->depth].pack = pack;
	w->stack[w->depth++].bits = bits;
}

static inline void cn_pack_walk_start(cn_pack_walk *w, const cn_pack_tree *tree, const cn_flat_box *box, uint32_t first)
{
	w->tree = tree;
	cn_flat_spread(box, w->low, w->high);
	w->first = first;
	w->depth = 0;
	cn_pack_walk_into(w, tree->levels - 1, 0);
}

/* CN_NO_SLOT at the end. */
static inline uint32_t cn_pack_walk_next(cn_pack_walk *w)
{
	while (w->depth > 0) {
		uint32_t top = w->depth - 1, bits = w->stack[top].bits;
		if (bits == 0) {
			--w->depth;
			continue;
		}
		w->stack[top].bits = bits & (bits - 1);
		uint32_t child = w->stack[top].pack * 8 + (uint32_t)__builtin_ctz(bits);
		if (w->stack[top].level == 1)
			return child;
		cn_pack_walk_into(w, w->stack[top].level - 1, child);
	}
	return CN_NO_SLOT;
}

#endif
