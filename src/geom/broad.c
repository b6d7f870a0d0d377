/* The broad phase: boxes that overlap, found anew only for what moved.
 *
 * Each item has a tight box, as given, and a fat one that it keeps until the tight one leaves it; both are floats
 * about an origin amid the items. Rounding to nearest keeps order: lows and highs that are told apart by the floats
 * are told apart rightly, and only where a low and a high round to the same float are the doubles asked. The pairs of
 * fat boxes that overlap are kept as a sorted list. An update
 *   - finds what left its fat box, gives it a new one (fatter along its motion), and searches the tree for its new
 *     pairs,
 *   - merges those into the list, drops pairs whose fat boxes have parted, and passes on those whose tight boxes
 *     overlap.
 * The list holds every pair of overlapping fat boxes (and may hold others until they are looked at), hence every
 * overlapping pair; what is passed on is decided by the boxes given alone. When a large part has left at once the
 * tree and the list are made afresh. */
#include "geom/broad.h"

#include "base/hash.h"
#include "geom/pack_tree.h"

#include <string.h>

#define CN_FLAT_MAX 1e30  /* m: floats beyond are cut off; sums of a few still are floats */
#define CN_FAT_SIZE 0.02f /* of a body's size: added all round; what shakes in place stays inside */
#define CN_FAT_SHAKE 4.0f /* frames of the last motion, added on both sides: for motion that turns */
#define CN_FAT_AHEAD 8.0f /* frames of the last motion, added ahead */
#define CN_FAT_MAX 0.25f  /* of a body's size: most of each of the two */

enum {
	CN_FILTER_CHUNKS = 32,
	CN_FILTER_PARALLEL = 8192, /* pairs below which threads cost more than they bring */
	CN_PREFETCH = 16           /* pairs ahead */
};

typedef struct leaver {
	cn_flat_box before;
	uint32_t item;
	bool filter_changed;
} leaver;

typedef struct item_filter {
	uint32_t group, mask;
} item_filter;

struct cn_broad {
	cairn_allocator allocator;
	bool whole; /* what is kept is right; else the next update starts afresh */
	v3 origin;
	uint32_t count; /* items of the last update */
	cn_flat_box *fat, *tight, *last_tight;
	uint32_t *slots;
	item_filter *filters;
	uint8_t *moved; /* left its fat box in this update, or has another filter */
	uint32_t fat_capacity, tight_capacity, last_capacity, slot_capacity, filter_capacity, moved_capacity;
	leaver *leavers;
	uint32_t leaver_count, leaver_capacity;
	cn_pack_tree tree;
	uint64_t *list, *next_list; /* pairs as a << 32 | b, sorted */
	uint32_t list_count, list_capacity, next_capacity;
	uint64_t *fresh, *scratch; /* pairs that were found in this update */
	uint32_t fresh_count, fresh_capacity, scratch_capacity;
	cn_broad_pair *pairs;
	uint32_t pair_count, pair_capacity;
};

static const cn_flat_box nothing = {{INFINITY, INFINITY, INFINITY, INFINITY},
                                    {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};

cn_broad *cn_broad_create(const cairn_allocator *allocator)
{
	cn_broad *b = cn_alloc(allocator, 1, sizeof *b);
	if (b)
		b->allocator = *allocator;
	return b;
}

void cn_broad_destroy(cn_broad *b)
{
	if (!b)
		return;
	cairn_allocator allocator = b->allocator;
	cn_free(&allocator, b->fat, b->fat_capacity, sizeof *b->fat);
	cn_free(&allocator, b->tight, b->tight_capacity, sizeof *b->tight);
	cn_free(&allocator, b->last_tight, b->last_capacity, sizeof *b->last_tight);
	cn_free(&allocator, b->slots, b->slot_capacity, sizeof *b->slots);
	cn_free(&allocator, b->filters, b->filter_capacity, sizeof *b->filters);
	cn_free(&allocator, b->moved, b->moved_capacity, sizeof *b->moved);
	cn_free(&allocator, b->leavers, b->leaver_capacity, sizeof *b->leavers);
	cn_free(&allocator, b->list, b->list_capacity, sizeof *b->list);
	cn_free(&allocator, b->next_list, b->next_capacity, sizeof *b->next_list);
	cn_free(&allocator, b->fresh, b->fresh_capacity, sizeof *b->fresh);
	cn_free(&allocator, b->scratch, b->scratch_capacity, sizeof *b->scratch);
	cn_free(&allocator, b->pairs, b->pair_capacity, sizeof *b->pairs);
	cn_pack_tree_free(&allocator, &b->tree);
	cn_free(&allocator, b, 1, sizeof *b);
}

void cn_broad_clear(cn_broad *b)
{
	b->whole = false;
	b->count = b->list_count = b->pair_count = 0;
}

const cn_broad_pair *cn_broad_pairs(const cn_broad *b, uint32_t *count)
{
	*count = b->pair_count;
	return b->pairs;
}

static bool present(const cn_broad_item *item) { return item->low.x <= item->high.x && item->group && item->mask; }

static inline bool filters_meet(item_filter a, item_filter b) { return (a.group & b.mask) && (b.group & a.mask); }

static bool overlap(const cn_broad_item *a, const cn_broad_item *b)
{
	return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y && b->low.y <= a->high.y &&
	       a->low.z <= b->high.z && b->low.z <= a->high.z && present(a) && present(b) && !(a->still && b->still);
}

/* Cut off far outside what is sensible, which keeps order too: boxes in the tree are finite, so they never meet
 * nothing. */
static float narrow(double x)
{
	x = x < CN_FLAT_MAX ? x : CN_FLAT_MAX;
	return (float)(x > -CN_FLAT_MAX ? x : -CN_FLAT_MAX);
}

static cn_flat_box flatten(const cn_broad_item *item, v3 origin)
{
	if (!present(item))
		return nothing;
	v3 low = v3_sub(item->low, origin), high = v3_sub(item->high, origin);
	return (cn_flat_box){{narrow(low.x), narrow(low.y), narrow(low.z), item->still ? 2.0f : 0.0f},
	                     {narrow(high.x), narrow(high.y), narrow(high.z), item->still ? 1.0f : 3.0f}};
}

/* x if it is within +-limit, else the nearer of them. */
static float within(float x, float limit) { return x < -limit ? -limit : x < limit ? x : limit; }

/* The fat box: a share of the size all round, and more the faster the item moves. Bodies that start together would
 * leave together; so each looks ahead by another time, from least to 3/2 of the stated one. What is still gets no
 * margin. */
static cn_flat_box fatten(const cn_flat_box *tight, const cn_flat_box *last, uint32_t item, float least)
{
	cn_flat_box fat = *tight;
	if (tight->low[0] > tight->high[0] || tight->low[3] > tight->high[3])
		return fat;
	float x = fat.high[0] - fat.low[0], y = fat.high[1] - fat.low[1], z = fat.high[2] - fat.low[2];
	float thin = x < y ? (x < z ? x : z) : (y < z ? y : z);
	float size = 0.5f * (thin + (x + y + z) / 3); /* between the least and the mean extent */
	uint64_t state = item;
	float ahead = least + (1.5f - least) * (float)(cn_random_u64(&state) >> 40) / 16777216.0f;
	for (int i = 0; i < 3; ++i) {
		float step = 0, margin, reach;
		if (last->low[0] <= last->high[0])
			step = 0.5f * (tight->low[i] - last->low[i]) + 0.5f * (tight->high[i] - last->high[i]);
		if (step > CN_FAT_MAX * size || step < -CN_FAT_MAX * size)
			step = 0; /* too fast for any box to last */
		margin = CN_FAT_SIZE * size + within(ahead * CN_FAT_SHAKE * (step < 0 ? -step : step), CN_FAT_MAX * size);
		reach = within(ahead * CN_FAT_AHEAD * step, CN_FAT_MAX * size);
		fat.low[i] -= margin - (reach < 0 ? reach : 0);
		fat.high[i] += margin + (reach > 0 ? reach : 0);
	}
	return fat;
}

static bool add_pairs(cn_broad *b, uint64_t **keys, uint32_t *capacity, uint32_t count, uint32_t more)
{
	return more <= UINT32_MAX - count && cn_grow(&b->allocator, (void **)keys, capacity, count + more, sizeof **keys);
}

static uint64_t key_of(uint32_t a, uint32_t b) { return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a; }

/* Sorts keys by radix: the bits that numbers below limit have, of b, then of a. */
static void sort_keys(uint64_t *keys, uint64_t *scratch, uint32_t count, uint32_t limit)
{
	uint32_t bits = 1, passes, width;
	while (bits < 32 && limit >> bits)
		++bits;
	passes = (bits + 8) / 9;
	width = (bits + passes - 1) / passes;
	for (uint32_t pass = 0; pass < 2 * passes; ++pass) {
		uint32_t shift = pass < passes ? pass * width : 32 + (pass - passes) * width, starts[513] = {0};
		uint64_t mask = (1u << width) - 1;
		for (uint32_t i = 0; i < count; ++i)
			++starts[(keys[i] >> shift & mask) + 1];
		for (uint32_t d = 0; d < mask; ++d)
			starts[d + 1] += starts[d];
		for (uint32_t i = 0; i < count; ++i)
			scratch[starts[keys[i] >> shift & mask]++] = keys[i];
		uint64_t *swap = keys;
		keys = scratch;
		scratch = swap;
	}
}

/* All pairs of fat boxes that overlap, into the list: each pack of the tree against those that come after it. */
static bool find_all(cn_broad *b)
{
	const cn_pack_tree *t = &b->tree;
	b->list_count = 0;
	for (uint32_t p = 0; p < t->count[0]; ++p) {
		const cn_pack *up = &t->packs[t->start[1] + p / 8];
		cn_flat_box box = nothing;
		for (int i = 0; i < 3; ++i) {
			box.low[i] = up->low[i][p % 8];
			box.high[i] = up->high[i][p % 8];
		}
		cn_pack_walk w;
		cn_pack_walk_start(&w, t, &box, p);
		for (uint32_t q; (q = cn_pack_walk_next(&w)) != CN_NO_SLOT;) {
			if (!add_pairs(b, &b->list, &b->list_capacity, b->list_count, 64))
				return false;
			for (uint32_t k = 0; k < 8; ++k) {
				uint32_t item = t->items[p * 8 + k];
				if (item == CN_NO_SLOT)
					continue;
				const cn_flat_box *mine = &b->fat[item];
				cn_lanes low[3], high[3];
				cn_flat_spread(mine, low, high);
				unsigned bits = cn_pack_meet(&t->packs[q], low, high) & (p == q ? ~1u << k : ~0u);
				for (; bits; bits &= bits - 1) {
					uint32_t other = t->items[q * 8 + (uint32_t)__builtin_ctz(bits)];
					if (other != CN_NO_SLOT && filters_meet(b->filters[item], b->filters[other]) &&
					    cn_flat_meet(mine, &b->fat[other]))
						b->list[b->list_count++] = key_of(item, other);
				}
			}
		}
	}
	return true;
}

/* The mean of the items, so that floats are fine where most of them are. */
static v3 choose_origin(const cn_broad_item *items, uint32_t count)
{
	v3 sum = v3_zero();
	double share = count ? 1.0 / count : 0;
	for (uint32_t i = 0; i < count; ++i)
		if (present(&items[i]))
			sum = v3_madd(sum, items[i].low, share);
	return v3_finite(sum) ? sum : v3_zero();
}

/* Afresh. The last tight boxes serve as the motion if they are there and were about the same origin. */
static bool start_afresh(cn_broad *b, const cn_broad_item *items, uint32_t count)
{
	v3 origin = choose_origin(items, count), shift = v3_sub(b->origin, origin);
	for (uint32_t i = 0; i < count; ++i) {
		cn_flat_box last = nothing, tight = flatten(&items[i], origin);
		if (b->whole && i < b->count) {
			last = b->last_tight[i];
			last.low[0] += (float)shift.x, last.low[1] += (float)shift.y, last.low[2] += (float)shift.z;
			last.high[0] += (float)shift.x, last.high[1] += (float)shift.y, last.high[2] += (float)shift.z;
		}
		b->tight[i] = tight;
		b->filters[i] = (item_filter){items[i].group, items[i].mask};
		b->fat[i] = fatten(&tight, &last, i, 0.0f);
		b->moved[i] = 0;
	}
	b->origin = origin;
	if (!cn_pack_tree_build(&b->allocator, &b->tree, b->fat, count, b->slots) || !find_all(b) ||
	    !cn_grow(&b->allocator, (void **)&b->next_list, &b->next_capacity, b->list_count, sizeof *b->next_list))
		return false;
	sort_keys(b->list, b->next_list, b->list_count, count);
	b->fresh_count = b->leaver_count = 0;
	return true;
}

/* What left its fat box, into leavers; false if there are so many that starting afresh is cheaper. */
static bool find_leavers(cn_broad *b, const cn_broad_item *items, uint32_t count)
{
	uint32_t most = count / 3 + 1, all = count > b->count ? count : b->count, found = 0;
	for (uint32_t i = 0; i < all; ++i) {
		const cn_flat_box *fat = &b->fat[i];
		bool inside, changed = false;
		if (i < count && present(&items[i])) {
			changed = b->filters[i].group != items[i].group || b->filters[i].mask != items[i].mask;
			b->filters[i] = (item_filter){items[i].group, items[i].mask};
			cn_flat_box tight = flatten(&items[i], b->origin);
			b->tight[i] = tight;
			inside = cn_lane_bits((cn_lanes_load(fat->low) <= cn_lanes_load(tight.low)) &
			                      (cn_lanes_load(tight.high) <= cn_lanes_load(fat->high))) == 15;
		} else {
			b->tight[i] = nothing;
			inside = b->slots[i] == CN_NO_SLOT;
		}
		if (inside && !changed)
			continue;
		if (found == most)
			return false;
		b->leavers[found].filter_changed = changed;
		b->leavers[found++].item = i;
	}
	b->leaver_count = found;
	return true;
}

/* Gives what left its box a new one, in the tree too. False when memory ran out. */
static bool move_leavers(cn_broad *b)
{
	bool full = false;
	for (uint32_t l = 0; l < b->leaver_count; ++l) {
		uint32_t i = b->leavers[l].item;
		b->leavers[l].before = b->fat[i];
		b->fat[i] = fatten(&b->tight[i], &b->last_tight[i], i, 0.75f);
		b->moved[i] = 1;
		bool here = b->tight[i].low[0] <= b->tight[i].high[0];
		if (b->slots[i] == CN_NO_SLOT && !full) {
			b->slots[i] = cn_pack_tree_take(&b->tree, i);
			full = b->slots[i] == CN_NO_SLOT;
		}
		if (b->slots[i] != CN_NO_SLOT)
			cn_pack_tree_put(&b->tree, b->slots[i], &b->fat[i]);
		if (!here && b->slots[i] != CN_NO_SLOT) {
			b->tree.items[b->slots[i]] = CN_NO_SLOT;
			b->slots[i] = CN_NO_SLOT;
		}
	}
	uint32_t all = b->count;
	if (!full && b->leaver_count > 0)
		full = cn_pack_tree_refit(&b->tree);
	return !full || cn_pack_tree_build(&b->allocator, &b->tree, b->fat, all, b->slots);
}

/* The pairs of the new fat boxes that the old ones had not, sorted into fresh. Two that both left are always named;
 * what the list has already is noticed there. */
static bool search_leavers(cn_broad *b)
{
	const cn_pack_tree *t = &b->tree;
	b->fresh_count = 0;
	for (uint32_t l = 0; l < b->leaver_count; ++l) {
		uint32_t item = b->leavers[l].item;
		const cn_flat_box *mine = &b->fat[item], *before = &b->leavers[l].before;
		if (mine->low[0] > mine->high[0])
			continue;
		bool still = mine->low[3] > mine->high[3],
			 changed = mine->low[3] != before->low[3] || b->leavers[l].filter_changed;
		cn_lanes low[3], high[3];
		cn_flat_spread(before, low, high);
		cn_pack_walk w;
		cn_pack_walk_start(&w, t, mine, 0);
		for (uint32_t q; (q = cn_pack_walk_next(&w)) != CN_NO_SLOT;) {
			if (!add_pairs(b, &b->fresh, &b->fresh_capacity, b->fresh_count, 8))
				return false;
			unsigned bits = cn_pack_meet(&t->packs[q], w.low, w.high);
			unsigned had = changed ? 0 : cn_pack_meet(&t->packs[q], low, high);
			for (; bits; bits &= bits - 1) {
				uint32_t k = (uint32_t)__builtin_ctz(bits), other = t->items[q * 8 + k];
				if (other == CN_NO_SLOT || !filters_meet(b->filters[item], b->filters[other]) ||
				    (still && !cn_flat_meet(mine, &b->fat[other])))
					continue;
				if (b->moved[other] ? other > item : !(had >> k & 1))
					b->fresh[b->fresh_count++] = key_of(item, other);
			}
		}
	}
	if (!cn_grow(&b->allocator, (void **)&b->scratch, &b->scratch_capacity, b->fresh_count, sizeof *b->scratch))
		return false;
	sort_keys(b->fresh, b->scratch, b->fresh_count, b->count);
	return true;
}

typedef struct filter_part {
	uint32_t list_from, list_to, fresh_from, fresh_to; /* what goes in */
	uint32_t list_at, pairs_at;                        /* where it goes */
	uint32_t list_count, pair_count;                   /* and how much came out */
} filter_part;

typedef struct filter {
	cn_broad *broad;
	const cn_broad_item *items;
	filter_part parts[CN_FILTER_CHUNKS];
} filter;

/* Keeps the pair if its fat boxes overlap, passes it on if its tight boxes do: without a branch on that, which would
 * be mispredicted for a third of the pairs. */
static inline void filter_pair(const filter *f, filter_part *part, uint64_t key)
{
	cn_broad *b = f->broad;
	uint32_t i = (uint32_t)(key >> 32), j = (uint32_t)key;
	if ((b->moved[i] | b->moved[j]) &&
	    !(cn_flat_meet(&b->fat[i], &b->fat[j]) && filters_meet(b->filters[i], b->filters[j])))
		return;
	b->next_list[part->list_at + part->list_count++] = key;
	const cn_flat_box *p = &b->tight[i], *q = &b->tight[j];
	cn_lanes p_low = cn_lanes_load(p->low), p_high = cn_lanes_load(p->high);
	cn_lanes q_low = cn_lanes_load(q->low), q_high = cn_lanes_load(q->high);
	unsigned clear = cn_lane_bits((p_low < q_high) & (q_low < p_high));
	unsigned maybe = cn_lane_bits((p_low <= q_high) & (q_low <= p_high));
	unsigned sure = clear == 15;
	if (maybe != clear && maybe == 15) /* rare */
		sure = overlap(&f->items[i], &f->items[j]);
	b->pairs[part->pairs_at + part->pair_count] = (cn_broad_pair){i, j};
	part->pair_count += sure;
}

/* A pair that was found twice, or was still in the list, passes once. */
static void filter_part_run(void *context, uint32_t chunk)
{
	filter *f = context;
	filter_part part = f->parts[chunk];
	const uint64_t *list = f->broad->list, *fresh = f->broad->fresh;
	const cn_flat_box *tight = f->broad->tight;
	uint32_t i = part.list_from, k = part.fresh_from;
	part.list_count = part.pair_count = 0;
	for (;;) {
		uint64_t stop = k < part.fresh_to ? fresh[k] : UINT64_MAX;
		for (; i < part.list_to && list[i] < stop; ++i) {
			__builtin_prefetch(&tight[(uint32_t)list[i + CN_PREFETCH < part.list_to ? i + CN_PREFETCH : i]]);
			filter_pair(f, &part, list[i]);
		}
		if (k == part.fresh_to)
			break;
		filter_pair(f, &part, stop);
		if (i < part.list_to && list[i] == stop)
			++i;
		while (k < part.fresh_to && fresh[k] == stop)
			++k;
	}
	f->parts[chunk] = part;
}

/* The first of sorted keys that is not below key. */
static uint32_t lower_bound(const uint64_t *keys, uint32_t count, uint64_t key)
{
	uint32_t low = 0, high = count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* With threads each chunk writes where it would if nothing were dropped before it, and the gaps are closed afterwards;
 * alone, each goes on where the last ended. */
static bool filter_list(cn_broad *b, const cn_broad_item *items, cn_pool *pool)
{
	/* the two lists change places, so both get the room */
	if (!add_pairs(b, &b->list, &b->list_capacity, b->list_count, b->fresh_count) ||
	    !add_pairs(b, &b->next_list, &b->next_capacity, b->list_count, b->fresh_count) ||
	    !cn_grow(&b->allocator, (void **)&b->pairs, &b->pair_capacity, b->list_count + b->fresh_count + 1,
	             sizeof *b->pairs))
		return false;
	bool many = pool && cn_pool_threads(pool) > 1 && b->list_count >= CN_FILTER_PARALLEL;
	filter f = {.broad = b, .items = items};
	uint32_t chunks = many ? CN_FILTER_CHUNKS : 1, list_to = 0, fresh_to = 0;
	for (uint32_t c = 0; c < chunks; ++c) {
		filter_part *part = &f.parts[c];
		part->list_from = list_to;
		part->fresh_from = fresh_to;
		part->list_at = part->pairs_at = list_to + fresh_to;
		list_to = (uint32_t)((uint64_t)b->list_count * (c + 1) / chunks);
		fresh_to = c + 1 < chunks ? lower_bound(b->fresh, b->fresh_count, b->list[list_to]) : b->fresh_count;
		part->list_to = list_to;
		part->fresh_to = fresh_to;
	}
	if (many)
		cn_pool_run(pool, chunks, filter_part_run, &f);
	else
		filter_part_run(&f, 0);
	uint32_t kept = 0, passed = 0;
	for (uint32_t c = 0; c < chunks; ++c) {
		const filter_part *part = &f.parts[c];
		if (part->list_count == 0)
			continue;
		memmove(&b->next_list[kept], &b->next_list[part->list_at], part->list_count * sizeof *b->next_list);
		memmove(&b->pairs[passed], &b->pairs[part->pairs_at], part->pair_count * sizeof *b->pairs);
		kept += part->list_count;
		passed += part->pair_count;
	}
	uint64_t *swap = b->list;
	b->list = b->next_list;
	b->next_list = swap;
	uint32_t capacity = b->list_capacity;
	b->list_capacity = b->next_capacity;
	b->next_capacity = capacity;
	b->list_count = kept;
	b->pair_count = passed;
	return true;
}

/* Room for items, new ones being nothing. */
static bool hold(cn_broad *b, uint32_t count)
{
	const cairn_allocator *a = &b->allocator;
	if (!cn_grow(a, (void **)&b->fat, &b->fat_capacity, count, sizeof *b->fat) ||
	    !cn_grow(a, (void **)&b->tight, &b->tight_capacity, count, sizeof *b->tight) ||
	    !cn_grow(a, (void **)&b->last_tight, &b->last_capacity, count, sizeof *b->last_tight) ||
	    !cn_grow(a, (void **)&b->slots, &b->slot_capacity, count, sizeof *b->slots) ||
	    !cn_grow(a, (void **)&b->filters, &b->filter_capacity, count, sizeof *b->filters) ||
	    !cn_grow(a, (void **)&b->moved, &b->moved_capacity, count, sizeof *b->moved) ||
	    !cn_grow(a, (void **)&b->leavers, &b->leaver_capacity, count / 3 + 1, sizeof *b->leavers))
		return false;
	for (uint32_t i = b->count; i < count; ++i) {
		b->fat[i] = b->tight[i] = b->last_tight[i] = nothing;
		b->slots[i] = CN_NO_SLOT;
		b->filters[i] = (item_filter){0, 0};
		b->moved[i] = 0;
	}
	return true;
}

static bool update(cn_broad *b, const cn_broad_item *items, uint32_t count, cn_pool *pool)
{
	if (!hold(b, count))
		return false;
	cn_flat_box *swap = b->tight;
	uint32_t capacity = b->tight_capacity;
	b->tight = b->last_tight;
	b->tight_capacity = b->last_capacity;
	b->last_tight = swap;
	b->last_capacity = capacity;
	if (!b->whole || !find_leavers(b, items, count)) {
		if (!start_afresh(b, items, count))
			return false;
		b->count = count;
	} else {
		b->count = count > b->count ? count : b->count;
		if (!move_leavers(b) || !search_leavers(b))
			return false;
	}
	if (!filter_list(b, items, pool))
		return false;
	for (uint32_t l = 0; l < b->leaver_count; ++l)
		b->moved[b->leavers[l].item] = 0;
	b->count = count;
	return true;
}

bool cn_broad_update(cn_broad *b, const cn_broad_item *items, uint32_t count, cn_pool *pool)
{
	b->pair_count = 0;
	b->whole = update(b, items, count, pool);
	if (!b->whole)
		cn_broad_clear(b);
	return b->whole;
}
