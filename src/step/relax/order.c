/* The order of pairs. Four are swept over at once, so no two of these may move the same body. Pairs get colours: each the
 * first that none of its bodies has yet, in the order of the list; those with a body that cannot be moved the last one, so
 * that what carries all comes at the end of a sweep. A pack has pairs of one colour. A body with more pairs
 * than there are colours lets those that found none wait for another round, whose packs come after.
 *
 * In a colour pairs with the most points come first, so that those of a pack have as many as each other. */
#include "base/pool.h"
#include "step/classic/classic.h"
#include "step/relax/relax.h"

#include <string.h>

enum {
	COLOURS = 64, /* bits of a mask */
	SIZES = 8,    /* pairs with so many points or more are sorted alike */
	BINS = COLOURS * SIZES
};

typedef struct cn_relax_round {
	const cn_classic_point *list;
	cn_relax *s;
	uint32_t *waiting; /* first points */
	uint32_t count;
	uint32_t bins[BINS + 1];
} cn_relax_round;

static uint32_t bin_of(const cn_relax_round *r, uint32_t pair)
{
	uint32_t size = r->list[r->waiting[pair]].beside;
	return (uint32_t)r->s->order.colour[pair] * SIZES + (size < SIZES ? SIZES - size : 0);
}

/* Bodies that cannot be moved have no colours. */
static uint64_t *used_by(const cn_relax_round *r, uint32_t slot, uint64_t *none)
{
	*none = 0;
	return r->s->bodies[slot].inv_mass > 0 ? &r->s->order.used[slot] : none;
}

static int first_free(uint64_t used) { return __builtin_ctzll(~used); }
static int last_free(uint64_t used) { return COLOURS - 1 - __builtin_clzll(~used); }

static uint32_t give_colours(cn_relax_round *r)
{
	uint32_t later = 0;
	memset(r->bins, 0, sizeof r->bins);
	for (uint32_t i = 0; i < r->count; ++i) {
		uint64_t none[2];
		const cn_classic_point *t = &r->list[r->waiting[i]];
		uint64_t *a = used_by(r, t->a, &none[0]), *b = used_by(r, t->b, &none[1]);
		bool full = ~(*a | *b) == 0;
		bool stands = a == &none[0] || b == &none[1];
		r->s->order.colour[i] = full ? COLOURS : (uint8_t)(stands ? last_free(*a | *b) : first_free(*a | *b));
		later += full;
		if (full)
			continue;
		*a |= (uint64_t)1 << r->s->order.colour[i], *b |= (uint64_t)1 << r->s->order.colour[i];
		++r->bins[bin_of(r, i) + 1];
	}
	return later;
}

/* Sorts pairs with colours into order.sorted, and moves those that wait to the front of the list. */
static void sort(cn_relax_round *r)
{
	uint32_t later = 0, places[BINS];
	for (uint32_t i = 0; i < BINS; ++i) {
		r->bins[i + 1] += r->bins[i];
		places[i] = r->bins[i];
	}
	for (uint32_t i = 0; i < r->count; ++i)
		if (r->s->order.colour[i] < COLOURS)
			r->s->order.sorted[places[bin_of(r, i)]++] = r->waiting[i];
	for (uint32_t i = 0; i < r->count; ++i)
		if (r->s->order.colour[i] == COLOURS)
			r->waiting[later++] = r->waiting[i];
}

static void add_packs(const cn_relax_round *r, uint32_t world, uint32_t *points)
{
	cn_relax *s = r->s;
	for (uint32_t colour = 0; colour < COLOURS; ++colour) {
		uint32_t end = r->bins[(colour + 1) * SIZES];
		for (uint32_t i = r->bins[colour * SIZES]; i < end; i += CN_RELAX_FOUR) {
			cn_relax_pack *p = &s->packs[s->pack_count++];
			p->first = *points, p->count = 0;
			for (uint32_t k = 0; k < CN_RELAX_FOUR; ++k) {
				bool there = i + k < end;
				const cn_classic_point *t = there ? &r->list[s->order.sorted[i + k]] : NULL;
				p->from[k] = there ? s->order.sorted[i + k] : 0, p->points[k] = there ? t->beside : 0;
				p->a[k] = there ? t->a : world, p->b[k] = there ? t->b : world;
				p->count = p->points[k] > p->count ? p->points[k] : p->count;
			}
			*points += p->count;
		}
		if (end > r->bins[colour * SIZES])
			s->order.ends[s->order.end_count++] = s->pack_count;
	}
}

bool cn_relax_packs_choose(cairn_world *w, uint32_t pairs)
{
	cn_relax *s = w->context->relax;
	cn_relax_round r = {w->context->classic->points, s, s->order.heads, pairs, {0}};
	uint32_t points = 0, all = 0;
	for (uint32_t i = 0; i < pairs; ++i)
		all += r.list[s->order.heads[i]].beside;
	/* Every pair could be alone in its pack. */
	if (!CN_ROOM(s->packs, pairs + 1) || !CN_ROOM(s->points, all + 1) || !CN_ROOM(s->order.sorted, pairs + 1) ||
	    !CN_ROOM(s->order.colour, pairs + 1) || !CN_ROOM(s->order.used, w->slots + 1) ||
	    !CN_ROOM(s->order.ends, pairs + 1))
		return false;
	s->pack_count = s->order.end_count = 0;
	while (r.count > 0) {
		memset(s->order.used, 0, (w->slots + 1) * sizeof *s->order.used);
		uint32_t later = give_colours(&r);
		sort(&r);
		add_packs(&r, w->slots, &points);
		r.count = later;
	}
	return true;
}

/* ---- sweeps in that order */

typedef struct sweeping {
	cn_relax_sweep *sweep;
	const void *method;
	cn_relax_span of;
} sweeping;

static void sweep_chunk(void *context, uint32_t chunk)
{
	const sweeping *s = context;
	uint32_t end = cn_pool_end(chunk, CN_RELAX_CHUNK, s->of.end - s->of.begin);
	s->sweep(s->method, (cn_relax_span){s->of.begin + chunk * CN_RELAX_CHUNK, s->of.begin + end});
}

static void sweep_over(cairn_world *w, sweeping s)
{
	cn_pool_run(w->pool, (s.of.end - s.of.begin + CN_RELAX_CHUNK - 1) / CN_RELAX_CHUNK, sweep_chunk, &s);
}

void cn_relax_run(cairn_world *w, cn_relax_sweep *sweep, const void *method)
{
	const cn_relax_order *o = &w->context->relax->order;
	for (uint32_t i = 0, begin = 0; i < o->end_count; begin = o->ends[i++])
		sweep_over(w, (sweeping){sweep, method, {begin, o->ends[i]}});
}

void cn_relax_run_all(cairn_world *w, cn_relax_sweep *sweep, const void *method)
{
	sweep_over(w, (sweeping){sweep, method, {0, w->context->relax->pack_count}});
}
