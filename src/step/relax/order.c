/* The order of pairs. Four are swept over at once, so no two of these may move the same body; and what different threads sweep
 * over may not either.
 *
 * Threads: pairs within a region (seats.c) are a task; so are those across a seam between two regions that are neighbours, and
 * all others. Tasks of one phase have no body in common that can be moved: seams after even regions, seams after odd ones, all
 * else, and then the regions themselves. A task is swept over from its first pack to its last.
 *
 * Lanes: in a task pairs get colours, each the first that none of its bodies has yet, in the order of the list; those with a
 * body that cannot be moved the last one, so that what carries all comes at the end of a sweep. A pack has pairs of one
 * colour. A body with more pairs than there are colours lets those that found none wait for another round, whose packs come
 * after, as one task. In a colour pairs with the most points come first, so that those of a pack have as many as each other. */
#include "base/pool.h"
#include "step/classic/classic.h"
#include "step/relax/relax.h"

#include <string.h>

enum {
	COLOURS = 64, /* bits of a mask */
	SIZES = 8,    /* pairs with so many points or more are sorted alike */
	SORTS = COLOURS * SIZES
};

/* In the order in which they are swept over. */
enum { PHASE_WITHIN, PHASE_EVEN, PHASE_ODD, PHASE_ALL, PHASES };

typedef struct cn_relax_round {
	const cn_classic_point *list;
	cn_relax *s;
	uint32_t *waiting; /* first points */
	uint32_t count;
	uint32_t first_task[PHASES + 1]; /* of each phase */
} cn_relax_round;

static bool can_move(const cn_relax *s, uint32_t slot) { return s->bodies[slot].inv_mass > 0; }

/* Tasks of the phases; a round for those that waited has one alone. */
static void lay_out(cn_relax_round *r, uint32_t regions)
{
	const uint32_t counts[PHASES] = {regions, regions / 2, (regions - 1) / 2, regions > 1};
	r->first_task[0] = 0;
	for (int i = 0; i < PHASES; ++i)
		r->first_task[i + 1] = r->first_task[i] + counts[i];
}

typedef struct task {
	uint32_t phase, number;
} task;

static task task_of(const cn_relax_round *r, const cn_classic_point *t)
{
	const cn_relax_order *o = &r->s->order;
	uint32_t a = o->region[can_move(r->s, t->a) ? t->a : t->b], b = o->region[can_move(r->s, t->b) ? t->b : t->a];
	uint32_t low = a < b ? a : b, high = a < b ? b : a, phase = low & 1 ? PHASE_ODD : PHASE_EVEN;
	if (r->first_task[PHASE_EVEN] == 1 || low == high)
		return (task){PHASE_WITHIN, r->first_task[PHASE_EVEN] == 1 ? 0 : low};
	return high == low + 1 ? (task){phase, r->first_task[phase] + low / 2}
	                       : (task){PHASE_ALL, r->first_task[PHASE_ALL]};
}

/* Bodies that cannot be moved have no colours. */
static uint64_t *used_by(const cn_relax_round *r, uint32_t slot, uint32_t phase, uint64_t *none)
{
	*none = 0;
	return can_move(r->s, slot) ? &r->s->order.used[(size_t)slot * PHASES + phase] : none;
}

static uint32_t first_free(uint64_t used) { return (uint32_t)__builtin_ctzll(~used); }
static uint32_t last_free(uint64_t used) { return COLOURS - 1 - (uint32_t)__builtin_clzll(~used); }

/* Gives a bin to every pair that finds a colour, and counts what is in the bins. */
static uint32_t give_colours(cn_relax_round *r, uint32_t *bins)
{
	cn_relax_order *o = &r->s->order;
	uint32_t later = 0;
	for (uint32_t i = 0; i < r->count; ++i) {
		uint64_t none[2];
		const cn_classic_point *t = &r->list[r->waiting[i]];
		task of = task_of(r, t);
		uint64_t *a = used_by(r, t->a, of.phase, &none[0]), *b = used_by(r, t->b, of.phase, &none[1]);
		bool full = ~(*a | *b) == 0, stands = a == &none[0] || b == &none[1];
		later += full;
		o->bin[i] = CN_RELAX_WAITS;
		if (full)
			continue;
		uint32_t colour = stands ? last_free(*a | *b) : first_free(*a | *b);
		*a |= (uint64_t)1 << colour, *b |= (uint64_t)1 << colour;
		o->bin[i] = of.number * SORTS + colour * SIZES + (t->beside < SIZES ? SIZES - t->beside : 0);
		++bins[o->bin[i] + 1];
	}
	return later;
}

/* Sorts pairs with colours into order.sorted, and moves those that wait to the front of the list. bins: where each begins, and
 * then where it ends. */
static void sort(cn_relax_round *r, uint32_t *bins)
{
	cn_relax_order *o = &r->s->order;
	uint32_t later = 0;
	for (uint32_t i = 0; i < r->count; ++i)
		if (o->bin[i] == CN_RELAX_WAITS)
			r->waiting[later++] = r->waiting[i];
		else
			o->sorted[bins[o->bin[i]]++] = r->waiting[i];
}

/* Packs of a colour. begin, end: in order.sorted. */
static void add_packs(const cn_relax_round *r, cn_relax_span of, uint32_t world, uint32_t *points)
{
	cn_relax *s = r->s;
	for (uint32_t i = of.begin; i < of.end; i += CN_RELAX_FOUR) {
		cn_relax_pack *p = &s->packs[s->pack_count++];
		p->first = *points, p->count = 0;
		for (uint32_t k = 0; k < CN_RELAX_FOUR; ++k) {
			bool there = i + k < of.end;
			const cn_classic_point *t = there ? &r->list[s->order.sorted[i + k]] : NULL;
			p->from[k] = there ? s->order.sorted[i + k] : 0, p->points[k] = there ? t->beside : 0;
			p->a[k] = there ? t->a : world, p->b[k] = there ? t->b : world;
			p->count = p->points[k] > p->count ? p->points[k] : p->count;
		}
		*points += p->count;
	}
}

/* bins: where each ends. */
static void add_tasks(const cn_relax_round *r, const uint32_t *bins, uint32_t world, uint32_t *points)
{
	cn_relax_order *o = &r->s->order;
	uint32_t begin = 0;
	for (uint32_t phase = 0; phase < PHASES; ++phase) {
		for (uint32_t k = r->first_task[phase]; k < r->first_task[phase + 1]; ++k) {
			uint32_t first = r->s->pack_count;
			for (uint32_t colour = 0; colour < COLOURS; ++colour) {
				uint32_t end = bins[k * SORTS + colour * SIZES + SIZES - 1];
				add_packs(r, (cn_relax_span){begin, end}, world, points);
				begin = end;
			}
			o->tasks[o->task_count++] = (cn_relax_span){first, r->s->pack_count};
		}
		if (r->first_task[phase + 1] > r->first_task[phase])
			o->phases[o->phase_count++] = o->task_count;
	}
}

static bool add_round(cairn_world *w, cn_relax_round *r, uint32_t *points)
{
	cn_relax_order *o = &r->s->order;
	uint32_t tasks = r->first_task[PHASES], bins = tasks * SORTS;
	if (!CN_ROOM(o->bins, bins + 1) || !CN_ROOM(o->tasks, o->task_count + tasks) ||
	    !CN_ROOM(o->phases, o->phase_count + PHASES))
		return false;
	memset(o->bins, 0, (bins + 1) * sizeof *o->bins);
	memset(o->used, 0, (w->slots + 1) * (size_t)PHASES * sizeof *o->used);
	uint32_t later = give_colours(r, o->bins);
	for (uint32_t i = 0; i < bins; ++i)
		o->bins[i + 1] += o->bins[i];
	sort(r, o->bins);
	add_tasks(r, o->bins, w->slots, points);
	r->count = later;
	lay_out(r, 1);
	return true;
}

bool cn_relax_packs_choose(cairn_world *w, uint32_t pairs)
{
	cn_relax *s = w->context->relax;
	cn_relax_round r = {.list = w->context->classic->points, .s = s, .waiting = s->order.heads, .count = pairs};
	uint32_t points = 0, all = 0;
	for (uint32_t i = 0; i < pairs; ++i)
		all += r.list[s->order.heads[i]].beside;
	/* Every pair could be alone in its pack. */
	if (!CN_ROOM(s->packs, pairs + 1) || !CN_ROOM(s->points, all + 1) || !CN_ROOM(s->order.sorted, pairs + 1) ||
	    !CN_ROOM(s->order.bin, pairs + 1) || !CN_ROOM(s->order.used, PHASES * (w->slots + 1)))
		return false;
	s->pack_count = s->order.task_count = s->order.phase_count = 0;
	lay_out(&r, s->order.region_count);
	while (r.count > 0)
		if (!add_round(w, &r, &points))
			return false;
	return true;
}

/* ---- sweeps in that order */

typedef struct sweeping {
	cn_relax_sweep *sweep;
	const void *method;
	const cn_relax_span *tasks;
} sweeping;

static void sweep_task(void *context, uint32_t number)
{
	const sweeping *s = context;
	if (!cn_relax_empty(s->tasks[number]))
		s->sweep(s->method, s->tasks[number]);
}

void cn_relax_run(cairn_world *w, cn_relax_sweep *sweep, const void *method)
{
	const cn_relax_order *o = &w->context->relax->order;
	for (uint32_t i = 0, begin = 0; i < o->phase_count; begin = o->phases[i++]) {
		sweeping s = {sweep, method, &o->tasks[begin]};
		cn_pool_run(w->pool, o->phases[i] - begin, sweep_task, &s);
	}
}
