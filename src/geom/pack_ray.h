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

/* Boxes of a pack that are still to be visited: for each a key, the share at which it is entered as a float whose last three
 * bits are its number in the pack; infinity for the others. */
typedef struct cn_pack_ray_pack {
	cn_lanes keys[2];
	uint32_t level, pack;
} cn_pack_ray_pack;

typedef struct cn_pack_ray {
	const cn_pack_tree *tree;
	cn_lanes near[3], far[3], once[3]; /* where the start is for the sides of boxes that are met first, last; 1 / way */
	uint32_t first[3], last[3];        /* where these sides stand in a pack, in floats */
	uint32_t depth;
	cn_pack_ray_pack stack[CN_PACK_LEVELS + 1]; /* one more than is ever full */
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

/* The keys of four boxes: numbers are those of the first of them and on. */
static inline cn_lanes cn_pack_ray_keys(cn_lane_mask met, cn_lanes enter, int32_t first)
{
	cn_lane_mask number = {first, first + 1, first + 2, first + 3};
	cn_lane_mask key = ((cn_lane_mask)enter & ~7) | number, none = (cn_lane_mask)cn_lanes_all(INFINITY);
	return (cn_lanes)((key & met) | (none & ~met));
}

/* The keys of a pack's boxes that are met up to a share. */
static inline void cn_pack_ray_look(const cn_pack_ray *r, uint32_t level, uint32_t pack, float limit, cn_lanes keys[2])
{
	const float *sides = (const float *)&r->tree->packs[r->tree->start[level] + pack];
	cn_lanes enter, all = cn_lanes_all(limit);
	cn_lane_mask met = cn_pack_ray_four(r, sides, all, &enter);
	keys[0] = cn_pack_ray_keys(met, enter, 0);
	met = cn_pack_ray_four(r, sides + 4, all, &enter);
	keys[1] = cn_pack_ray_keys(met, enter, 4);
}

/* The least of eight keys; it is taken out. Which one it is could not be foreseen, so there is no branch. */
static inline float cn_pack_ray_take(cn_lanes keys[2])
{
	cn_lanes a = cn_lanes_less(keys[0], keys[1]), none = cn_lanes_all(INFINITY);
	a = cn_lanes_less(a, (cn_lanes){a[2], a[3], a[0], a[1]});
	a = cn_lanes_less(a, (cn_lanes){a[1], a[0], a[3], a[2]});
	for (int i = 0; i < 2; ++i) {
		cn_lane_mask taken = keys[i] == a;
		keys[i] = (cn_lanes)(((cn_lane_mask)none & taken) | ((cn_lane_mask)keys[i] & ~taken));
	}
	return a[0];
}

static inline uint32_t cn_pack_ray_any(const cn_lanes keys[2])
{
	cn_lanes none = cn_lanes_all(INFINITY);
	return cn_lane_bits((keys[0] < none) | (keys[1] < none)) != 0;
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
	if (tree->levels) {
		cn_pack_ray_pack *top = &r->stack[r->depth++];
		top->level = tree->levels - 1, top->pack = 0;
		cn_pack_ray_look(r, top->level, 0, 1, top->keys);
	}
}

/* The item whose box is entered next, up to a share that may fall from call to call; CN_NO_SLOT at the end. */
static inline uint32_t cn_pack_ray_next(cn_pack_ray *r, double limit)
{
	float most = (float)limit * (1 + 2 * CN_PACK_RAY_ROUNDING) + FLT_MIN; /* FLT_MIN: keys at 0 are their numbers */
	while (r->depth > 0) {
		cn_pack_ray_pack at = r->stack[--r->depth];
		for (;;) {
			float least = cn_pack_ray_take(at.keys);
			if (!(least <= most))
				break;
			r->stack[r->depth] = at;
			r->depth += cn_pack_ray_any(at.keys);
			uint32_t number;
			memcpy(&number, &least, sizeof number);
			uint32_t child = at.pack * 8 + (number & 7);
			if (at.level == 0) {
				if (r->tree->items[child] == CN_NO_SLOT)
					break;
				return r->tree->items[child];
			}
			at.level -= 1, at.pack = child;
			cn_pack_ray_look(r, at.level, child, most, at.keys);
		}
	}
	return CN_NO_SLOT;
}

#endif
