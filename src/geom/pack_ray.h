/* A walk through a tree of packs along a straight way, the nearest boxes first: those that something that moves, a point or
 * a box, may meet. Floats decide, with room for their rounding: a box may be visited that is not met, never the other way
 * round. */
#ifndef CN_PACK_RAY_H
#define CN_PACK_RAY_H

#include "base/vec.h"
#include "geom/pack_tree.h"

#include <string.h>

#define CN_PACK_RAY_STILL 1e-30    /* m: a way along an axis counts as at least this */
#define CN_PACK_RAY_ROUNDING 1e-6f /* of a share: 16 roundings of a float */

/* What is left of a pack: for each box that is met a key, the share at which it is entered as the bits of a float (which
 * are ordered as the numbers are, none being negative), the last three of them its number in the pack. */
typedef struct cn_pack_ray_pack {
	uint32_t level, pack, count;
	int32_t keys[8];
} cn_pack_ray_pack;

typedef struct cn_pack_ray {
	const cn_pack_tree *tree;
	cn_lanes near[3], far[3], once[3]; /* where the start is for the sides of boxes that are met first, last; 1 / way */
	uint32_t first[3], last[3];        /* where these sides stand in a pack, in floats */
	uint32_t depth;
	cn_pack_ray_pack stack[CN_PACK_LEVELS];
} cn_pack_ray;

static inline cn_lanes cn_lanes_all(float x) { return (cn_lanes){x, x, x, x}; }

/* Lane by lane, what b < a ? b : a and b > a ? b : a say. */
#if defined(__SSE2__)
static inline cn_lanes cn_lanes_less(cn_lanes a, cn_lanes b) { return __builtin_ia32_minps(b, a); }
static inline cn_lanes cn_lanes_more(cn_lanes a, cn_lanes b) { return __builtin_ia32_maxps(b, a); }
#else
static inline cn_lanes cn_lanes_choose(cn_lane_mask m, cn_lanes a, cn_lanes b)
{
	return (cn_lanes)(((cn_lane_mask)a & m) | ((cn_lane_mask)b & ~m));
}
static inline cn_lanes cn_lanes_less(cn_lanes a, cn_lanes b) { return cn_lanes_choose(b < a, b, a); }
static inline cn_lanes cn_lanes_more(cn_lanes a, cn_lanes b) { return cn_lanes_choose(b > a, b, a); }
#endif

static inline cn_lanes cn_pack_ray_share(const cn_pack_ray *r, const float *sides, const cn_lanes *start, int axis)
{
	return (cn_lanes_load(sides) - start[axis]) * r->once[axis];
}

/* Four of a pack's boxes: the shares at which they are entered, and which of them are met up to a share. */
static inline cn_lane_mask cn_pack_ray_four(const cn_pack_ray *r, const float *sides, cn_lanes limit, cn_lanes *enter)
{
	cn_lanes x = cn_pack_ray_share(r, sides + r->first[0], r->near, 0);
	cn_lanes y = cn_pack_ray_share(r, sides + r->first[1], r->near, 1);
	cn_lanes z = cn_pack_ray_share(r, sides + r->first[2], r->near, 2);
	cn_lanes from = cn_lanes_more(cn_lanes_more(x, y), cn_lanes_more(z, cn_lanes_all(0)));
	x = cn_pack_ray_share(r, sides + r->last[0], r->far, 0);
	y = cn_pack_ray_share(r, sides + r->last[1], r->far, 1);
	z = cn_pack_ray_share(r, sides + r->last[2], r->far, 2);
	cn_lanes to = cn_lanes_less(cn_lanes_less(x, y), cn_lanes_less(z, limit));
	*enter = from;
	return from * cn_lanes_all(1 - 2 * CN_PACK_RAY_ROUNDING) <= to;
}

static inline void cn_pack_ray_into(cn_pack_ray *r, uint32_t level, uint32_t pack, float limit)
{
	cn_pack_ray_pack *top = &r->stack[r->depth++];
	const float *sides = (const float *)&r->tree->packs[r->tree->start[level] + pack];
	cn_lanes enter[2], all = cn_lanes_all(limit);
	int32_t keys[8];
	unsigned bits = cn_lane_bits(cn_pack_ray_four(r, sides, all, &enter[0]));
	bits |= cn_lane_bits(cn_pack_ray_four(r, sides + 4, all, &enter[1])) << 4;
	memcpy(keys, enter, sizeof keys);
	uint32_t count = 0;
	for (; bits; bits &= bits - 1) {
		int32_t k = __builtin_ctz(bits);
		top->keys[count++] = (keys[k] & ~7) | k;
	}
	top->level = level, top->pack = pack, top->count = count;
}

/* wide: half extents of what moves, 0 for a point. */
static inline void cn_pack_ray_start(cn_pack_ray *r, const cn_pack_tree *tree, v3 from, v3 way, v3 wide)
{
	r->tree = tree;
	for (int i = 0; i < 3; ++i) {
		double x = v3_at(from, i), w = v3_at(way, i);
		float start = (float)x;
		double off = fabs((double)start - x) + v3_at(wide, i) + CN_PACK_RAY_STILL;
		off += 2 * (double)FLT_EPSILON * (off + fabs(x)); /* adding it to the start rounds again */
		if (fabs(w) < CN_PACK_RAY_STILL)
			w = CN_PACK_RAY_STILL;
		uint32_t low = 8 * (uint32_t)i, high = 24 + low; /* where cn_pack has them */
		r->first[i] = w < 0 ? high : low;
		r->last[i] = w < 0 ? low : high;
		r->near[i] = cn_lanes_all((float)(w < 0 ? x - off : x + off));
		r->far[i] = cn_lanes_all((float)(w < 0 ? x + off : x - off));
		r->once[i] = cn_lanes_all((float)(1 / w));
	}
	r->depth = 0;
	if (tree->levels)
		cn_pack_ray_into(r, tree->levels - 1, 0, 1);
}

/* The item whose box is entered next, up to a share that may fall from call to call; CN_NO_SLOT at the end. */
static inline uint32_t cn_pack_ray_next(cn_pack_ray *r, double limit)
{
	float most = (float)limit * (1 + 2 * CN_PACK_RAY_ROUNDING);
	int32_t last;
	memcpy(&last, &most, sizeof last);
	while (r->depth > 0) {
		cn_pack_ray_pack *top = &r->stack[r->depth - 1];
		uint32_t best = 0;
		int32_t least = top->count ? top->keys[0] : INT32_MAX; /* beyond any share */
		for (uint32_t i = 1; i < top->count; ++i) {
			bool nearer = top->keys[i] < least;
			least = nearer ? top->keys[i] : least;
			best = nearer ? i : best;
		}
		if ((least & ~7) > last) {
			--r->depth;
			continue;
		}
		top->keys[best] = top->keys[--top->count];
		uint32_t child = top->pack * 8 + ((uint32_t)least & 7);
		if (top->level > 0)
			cn_pack_ray_into(r, top->level - 1, child, most);
		else if (r->tree->items[child] != CN_NO_SLOT)
			return r->tree->items[child];
	}
	return CN_NO_SLOT;
}

#endif
