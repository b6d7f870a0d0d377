/* Building and keeping the tree of packs.
 *
 * The order of slots is made by halving: items of like size (within a factor of four) stand together, and within them
 * the widest axis is split near the median, at a slot where a pack of as high a level as possible begins. So a large
 * thing among small ones does not widen their packs, and one far away costs one pack. The median is found by
 * selection with a pivot from a counter, which takes n log n steps for any input but one made against the counter. */
#include "geom/pack_tree.h"

#include "base/hash.h"

#include <math.h>

#define CN_PACK_GROWN 16  /* a pack counts at most this many times its first extent */
#define CN_PACK_LOOSE 1.5 /* mean growth at which building anew is cheaper than searching */

enum { CN_SIZE_CLASSES = 128, CN_SPREAD_SAMPLES = 64 };

static const cn_flat_box nothing = {{INFINITY, INFINITY, INFINITY, INFINITY},
                                    {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};

void cn_pack_tree_free(const cairn_allocator *allocator, cn_pack_tree *tree)
{
	cn_free(allocator, tree->packs, tree->pack_capacity, sizeof *tree->packs);
	cn_free(allocator, tree->items, tree->item_capacity, sizeof *tree->items);
	cn_free(allocator, tree->extents, tree->extent_capacity, sizeof *tree->extents);
	cn_free(allocator, tree->entries, tree->entry_capacity, sizeof *tree->entries);
	*tree = (cn_pack_tree){0};
}

static float least(float a, float b) { return a < b ? a : b; }
static float most(float a, float b) { return a > b ? a : b; }

/* Half the exponent of the largest extent: what differs by less than a factor of four or so is alike. */
static unsigned size_class(const cn_flat_box *box)
{
	float extent = most(most(box->high[0] - box->low[0], box->high[1] - box->low[1]), box->high[2] - box->low[2]);
	uint32_t bits;
	memcpy(&bits, &extent, sizeof bits);
	return bits >> 24 & (CN_SIZE_CLASSES - 1);
}

static cn_pack_entry entry_of(const cn_flat_box *box, uint32_t item)
{
	cn_pack_entry e = {.item = item};
	for (int i = 0; i < 3; ++i)
		e.centre[i] = 0.5f * (box->low[i] + box->high[i]);
	return e;
}

/* Puts the entries of [low, high) so that those before middle are at most those from middle on, along an axis. */
static void select_middle(cn_pack_entry *e, uint32_t low, uint32_t high, uint32_t middle, int axis, uint64_t *random)
{
	while (high - low > 1) {
		uint32_t i = low, j = high - 1;
		float pivot = e[low + (uint32_t)((cn_random_u64(random) >> 32) * (high - low) >> 32)].centre[axis];
		for (;;) {
			while (e[i].centre[axis] < pivot)
				++i;
			while (pivot < e[j].centre[axis])
				--j;
			if (i >= j)
				break;
			cn_pack_entry swap = e[i];
			e[i++] = e[j];
			e[j--] = swap;
		}
		/* i is j or j + 1; all before i are at most the pivot, all after j at least */
		if (middle < i)
			high = i;
		else if (middle > j)
			low = j + 1;
		if (middle == low || middle == high || (i == j && middle == i))
			return;
	}
}

static int widest_axis(const cn_pack_entry *e, uint32_t low, uint32_t high)
{
	uint32_t step = (high - low) / CN_SPREAD_SAMPLES + 1;
	float from[3], to[3];
	for (int k = 0; k < 3; ++k)
		from[k] = to[k] = e[low].centre[k];
	for (uint32_t i = low; i < high; i += step) {
		for (int k = 0; k < 3; ++k) {
			from[k] = least(from[k], e[i].centre[k]);
			to[k] = most(to[k], e[i].centre[k]);
		}
	}
	float x = to[0] - from[0], y = to[1] - from[1], z = to[2] - from[2];
	return x >= y && x >= z ? 0 : y >= z ? 1 : 2;
}

/* Orders entries [low, high), entry i standing in slot base + i. */
static void order(cn_pack_entry *e, uint32_t low, uint32_t high, uint32_t base, uint64_t *random)
{
	uint64_t from = (uint64_t)base + low, to = (uint64_t)base + high, middle = 0, step = 8;
	while (step * 8 < to)
		step *= 8;
	for (; step >= 8; step /= 8) {
		middle = ((from + to) / 2 + step / 2) / step * step; /* if any multiple is inside, the middle one is */
		if (middle > from && middle < to)
			break;
	}
	if (step < 8)
		return;
	uint32_t cut = (uint32_t)(middle - base);
	select_middle(e, low, high, cut, widest_axis(e, low, high), random);
	order(e, low, cut, base, random);
	order(e, cut, high, base, random);
}

/* Lays out levels for so many slots. */
static bool make_room(const cairn_allocator *allocator, cn_pack_tree *tree, uint64_t slots)
{
	uint64_t packs = (slots + 7) / 8, total = 0;
	if (packs * 8 >= UINT32_MAX)
		return false;
	tree->levels = 0;
	for (uint64_t count = packs;; count = (count + 7) / 8) {
		tree->start[tree->levels] = (uint32_t)total;
		tree->count[tree->levels++] = (uint32_t)count;
		total += count;
		if (count == 1 && tree->levels > 1)
			break;
	}
	return cn_grow(allocator, (void **)&tree->packs, &tree->pack_capacity, (uint32_t)total, sizeof *tree->packs) &&
	       cn_grow(allocator, (void **)&tree->items, &tree->item_capacity, (uint32_t)packs * 8, sizeof *tree->items) &&
	       cn_grow(allocator, (void **)&tree->extents, &tree->extent_capacity, (uint32_t)packs, sizeof *tree->extents);
}

static void put(cn_pack *p, uint32_t k, const cn_flat_box *box)
{
	for (int i = 0; i < 3; ++i) {
		p->low[i][k] = box->low[i];
		p->high[i][k] = box->high[i];
	}
}

void cn_pack_tree_put(cn_pack_tree *tree, uint32_t slot, const cn_flat_box *box)
{
	put(&tree->packs[slot / 8], slot % 8, box);
}

uint32_t cn_pack_tree_take(cn_pack_tree *tree, uint32_t item)
{
	if (tree->used >= tree->count[0] * 8)
		return CN_NO_SLOT;
	tree->items[tree->used] = item;
	return tree->used++;
}

static cn_flat_box bound(const cn_pack *p)
{
	cn_flat_box box = nothing;
	for (int i = 0; i < 3; ++i) {
		cn_lanes a = cn_lanes_load(p->low[i]), b = cn_lanes_load(p->low[i] + 4);
		cn_lane_mask m = a < b;
		a = (cn_lanes)(((cn_lane_mask)a & m) | ((cn_lane_mask)b & ~m));
		box.low[i] = least(least(a[0], a[1]), least(a[2], a[3]));
		a = cn_lanes_load(p->high[i]), b = cn_lanes_load(p->high[i] + 4);
		m = a > b;
		a = (cn_lanes)(((cn_lane_mask)a & m) | ((cn_lane_mask)b & ~m));
		box.high[i] = most(most(a[0], a[1]), most(a[2], a[3]));
	}
	return box;
}

/* What is in the packs of one level goes to the level above; returns by how much level 0 has grown, as a sum of
 * ratios. */
static double lift(cn_pack_tree *tree, uint32_t level, bool remember)
{
	double growth = 0;
	for (uint32_t p = 0; p < tree->count[level]; ++p) {
		cn_flat_box box = bound(&tree->packs[tree->start[level] + p]);
		put(&tree->packs[tree->start[level + 1] + p / 8], p % 8, &box);
		float extent = 0;
		for (int i = 0; i < 3; ++i)
			extent += box.high[i] > box.low[i] ? box.high[i] - box.low[i] : 0;
		if (level > 0)
			continue;
		if (remember)
			tree->extents[p] = extent;
		float before = tree->extents[p];
		growth += extent <= before ? 1 : extent < CN_PACK_GROWN * before ? extent / before : CN_PACK_GROWN;
	}
	return growth;
}

static double refit(cn_pack_tree *tree, bool remember)
{
	double growth = lift(tree, 0, remember);
	for (uint32_t level = 1; level + 1 < tree->levels; ++level)
		lift(tree, level, false);
	return growth;
}

bool cn_pack_tree_refit(cn_pack_tree *tree) { return refit(tree, false) > CN_PACK_LOOSE * tree->count[0]; }

bool cn_pack_tree_build(const cairn_allocator *allocator, cn_pack_tree *tree, const cn_flat_box *boxes, uint32_t count,
                        uint32_t *slots)
{
	uint32_t starts[CN_SIZE_CLASSES + 1] = {0}, base[CN_SIZE_CLASSES];
	for (uint32_t i = 0; i < count; ++i)
		if (boxes[i].low[0] <= boxes[i].high[0])
			++starts[size_class(&boxes[i]) + 1];
	uint64_t slot = 0;
	for (int c = 0; c < CN_SIZE_CLASSES; ++c) {
		base[c] = (uint32_t)slot - starts[c]; /* each class begins with a pack of its own */
		slot += ((uint64_t)starts[c + 1] + 7) / 8 * 8;
		starts[c + 1] += starts[c];
	}
	uint32_t taken = (uint32_t)slot, total = starts[CN_SIZE_CLASSES];
	if (!make_room(allocator, tree, slot + slot / 16 + 64) ||
	    !cn_grow(allocator, (void **)&tree->entries, &tree->entry_capacity, total + 1, sizeof *tree->entries))
		return false;
	uint32_t next[CN_SIZE_CLASSES];
	memcpy(next, starts, sizeof next);
	for (uint32_t i = 0; i < count; ++i) {
		slots[i] = CN_NO_SLOT;
		if (boxes[i].low[0] <= boxes[i].high[0])
			tree->entries[next[size_class(&boxes[i])]++] = entry_of(&boxes[i], i);
	}
	for (uint32_t s = 0; s < tree->count[0] * 8; ++s)
		tree->items[s] = CN_NO_SLOT;
	for (uint32_t p = 0, last = tree->levels - 1; p < tree->start[last] + tree->count[last]; ++p)
		for (uint32_t k = 0; k < 8; ++k)
			put(&tree->packs[p], k, &nothing);
	uint64_t random = 1;
	for (int c = 0; c < CN_SIZE_CLASSES; ++c) {
		order(tree->entries, starts[c], starts[c + 1], base[c], &random);
		for (uint32_t i = starts[c]; i < starts[c + 1]; ++i) {
			uint32_t item = tree->entries[i].item, at = base[c] + i;
			tree->items[at] = item;
			slots[item] = at;
			cn_pack_tree_put(tree, at, &boxes[item]);
		}
	}
	tree->used = taken;
	refit(tree, true);
	return true;
}
