/* Regions of space. Bodies that are near each other are worked on by one thread, which finds in its own cache what it has just
 * changed, and what two threads both change lies along a few seams.
 *
 * Regions are slabs across the axis along which bodies in contact are spread most, with about as many contacts in each. How many
 * there are follows from the number of pairs alone, never from threads. */
#include "step/classic/classic.h"
#include "step/relax/relax.h"

#include <string.h>

enum {
	EACH = 400,   /* pairs in a region: with fewer most would lie across seams */
	REGIONS = 16, /* at most */
	BINS = 1024   /* places along the axis that are told apart */
};

/* Where bodies with rows are that can be moved. */
typedef struct spread {
	v3 axis;          /* along which they are furthest from each other */
	double low, high; /* m, along it */
	uint32_t load;    /* of all bodies: pairs, twice where both can be moved */
} spread;

static v3 widest(v3 size)
{
	if (size.x >= size.y && size.x >= size.z)
		return v3_make(1, 0, 0);
	return size.y >= size.z ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
}

static spread spread_of(const cairn_world *w, const uint32_t *load)
{
	spread s = {.load = 0};
	v3 low = v3_make(INFINITY, INFINITY, INFINITY), high = v3_neg(low);
	for (uint32_t slot = 0; slot < w->slots; ++slot) {
		if (load[slot])
			low = v3_least(low, w->motion[slot].x), high = v3_most(high, w->motion[slot].x);
		s.load += load[slot];
	}
	s.axis = widest(v3_sub(high, low));
	s.low = v3_dot(s.axis, low), s.high = v3_dot(s.axis, high);
	return s;
}

static uint32_t bin_of(const spread *s, v3 x)
{
	double at = (v3_dot(s->axis, x) - s->low) / (s->high - s->low) * BINS;
	return !(at > 0) ? 0 : at < BINS - 1 ? (uint32_t)at : BINS - 1;
}

/* The region of each slot. */
static void find_regions(const cairn_world *w, cn_relax_order *o, const spread *s)
{
	uint32_t before[BINS + 1] = {0};
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (o->load[slot])
			before[bin_of(s, w->motion[slot].x) + 1] += o->load[slot];
	for (uint32_t i = 0; i < BINS; ++i)
		before[i + 1] += before[i];
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		if (o->load[slot])
			o->region[slot] = (uint8_t)((uint64_t)before[bin_of(s, w->motion[slot].x)] * o->region_count / s->load);
}

/* How many pairs each body has, of those that can be moved. */
static void count_pairs(cairn_world *w, uint32_t pairs)
{
	cn_relax_order *o = &w->context->relax->order;
	memset(o->load, 0, (w->slots + 1) * sizeof *o->load);
	for (uint32_t i = 0; i < pairs; ++i) {
		const cn_classic_point *t = &w->context->classic->points[o->heads[i]];
		o->load[t->a] += cn_body_movable(w, t->a), o->load[t->b] += cn_body_movable(w, t->b);
	}
}

bool cn_relax_seats_keep(cairn_world *w)
{
	cn_relax_order *o = &w->context->relax->order;
	if (!CN_ROOM(o->seats, w->slots + 1))
		return false;
	for (uint32_t slot = 0; slot < w->slots && o->seat_count != w->slots; ++slot)
		o->seats[slot] = slot;
	o->seat_count = w->slots;
	return true;
}

bool cn_relax_seats_choose(cairn_world *w, uint32_t pairs)
{
	cn_relax_order *o = &w->context->relax->order;
	uint32_t places[REGIONS + 1] = {0}, count = pairs / EACH;
	if (!CN_ROOM(o->region, w->slots + 1) || !CN_ROOM(o->load, w->slots + 1))
		return false;
	memset(o->region, 0, w->slots + 1);
	o->region_count = count < 1 ? 1 : count > REGIONS ? REGIONS : count;
	if (o->region_count > 1) {
		count_pairs(w, pairs);
		spread s = spread_of(w, o->load);
		find_regions(w, o, &s);
	}
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		++places[o->region[slot] + 1];
	for (uint32_t i = 0; i < REGIONS; ++i)
		places[i + 1] += places[i];
	for (uint32_t slot = 0; slot < w->slots; ++slot)
		o->seats[places[o->region[slot]]++] = slot;
	return true;
}
