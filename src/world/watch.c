/* A watch: who touches whom, compared with the look before. Contacts are those of cairn_world_contacts, sorted by pairs of
 * bodies. The list of pairs that were told is kept; a look makes the next one beside it and exchanges the two when nothing
 * can fail any more. */
#include "base/sort.h"
#include "world/world.h"

typedef struct cn_watch_pair {
	cairn_body a, b;
	uint32_t first, count; /* contacts */
} cn_watch_pair;

struct cairn_watch {
	const cairn_world *world;
	cairn_allocator allocator; /* the world's; a watch may outlive it, to be destroyed */
	cn_watch_pair *pairs, *next;
	cairn_contact *contacts, *unsorted;
	cn_sort_item *order, *scratch;
	cairn_impact *impacts;
	cairn_touch *touches;
	uint32_t pair_count, next_count, contact_count, touch_count;
	uint32_t pair_capacity, next_capacity, contact_capacity, unsorted_capacity, order_capacity, scratch_capacity;
	uint32_t impact_capacity, touch_capacity;
	uint64_t steps; /* that the world had taken at the last look */
	bool looked;
};

cairn_watch *cairn_watch_create(const cairn_world *w, cairn_error *error)
{
	cairn_watch *watch = cn_alloc(&w->allocator, 1, sizeof *watch);
	if (watch)
		watch->world = w, watch->allocator = w->allocator;
	else
		cn_fail_memory(error);
	return watch;
}

void cairn_watch_destroy(cairn_watch *w)
{
	if (!w)
		return;
	cairn_allocator a = w->allocator;
	cn_free(&a, w->pairs, w->pair_capacity, sizeof *w->pairs);
	cn_free(&a, w->next, w->next_capacity, sizeof *w->next);
	cn_free(&a, w->contacts, w->contact_capacity, sizeof *w->contacts);
	cn_free(&a, w->unsorted, w->unsorted_capacity, sizeof *w->unsorted);
	cn_free(&a, w->order, w->order_capacity, sizeof *w->order);
	cn_free(&a, w->scratch, w->scratch_capacity, sizeof *w->scratch);
	cn_free(&a, w->impacts, w->impact_capacity, sizeof *w->impacts);
	cn_free(&a, w->touches, w->touch_capacity, sizeof *w->touches);
	cn_free(&a, w, 1, sizeof *w);
}

/* Room for all that a look can tell: a pair has a contact at least. */
static bool make_room(cairn_watch *w, uint32_t contacts, uint32_t impacts)
{
	const cairn_allocator *a = &w->allocator;
	return cn_grow(a, (void **)&w->pairs, &w->pair_capacity, 1, sizeof *w->pairs) &&
	       cn_grow(a, (void **)&w->next, &w->next_capacity, contacts + 1, sizeof *w->next) &&
	       cn_grow(a, (void **)&w->contacts, &w->contact_capacity, contacts + 1, sizeof *w->contacts) &&
	       cn_grow(a, (void **)&w->unsorted, &w->unsorted_capacity, contacts + 1, sizeof *w->unsorted) &&
	       cn_grow(a, (void **)&w->order, &w->order_capacity, contacts + 1, sizeof *w->order) &&
	       cn_grow(a, (void **)&w->scratch, &w->scratch_capacity, contacts + 1, sizeof *w->scratch) &&
	       cn_grow(a, (void **)&w->impacts, &w->impact_capacity, impacts + 1, sizeof *w->impacts) &&
	       cn_grow(a, (void **)&w->touches, &w->touch_capacity, w->pair_count + contacts + impacts + 1,
	               sizeof *w->touches);
}

static uint64_t key_of(cairn_body a, cairn_body b)
{
	return a.index < b.index ? (uint64_t)a.index << 32 | b.index : (uint64_t)b.index << 32 | a.index;
}

static void sort_contacts(cairn_watch *w, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i)
		w->order[i] = (cn_sort_item){key_of(w->unsorted[i].a, w->unsorted[i].b), i};
	cn_sort(w->order, w->scratch, count);
	w->contact_count = count;
	w->next_count = 0;
	for (uint32_t i = 0; i < count; ++i) {
		const cairn_contact *c = &w->unsorted[w->order[i].value];
		bool forward = c->a.index < c->b.index;
		w->contacts[i] = *c;
		if (i == 0 || w->order[i].key != w->order[i - 1].key)
			w->next[w->next_count++] = (cn_watch_pair){forward ? c->a : c->b, forward ? c->b : c->a, i, 0};
		++w->next[w->next_count - 1].count;
	}
}

static void tell_pair(cairn_watch *w, cairn_touch_kind kind, const cn_watch_pair *p)
{
	cairn_touch t = {.kind = kind, .a = p->a, .b = p->b, .time = cairn_world_time(w->world)};
	if (kind != CAIRN_TOUCH_END) {
		t.first = p->first, t.point_count = p->count;
		for (uint32_t i = p->first; i < p->first + p->count; ++i) {
			const cairn_contact *c = &w->contacts[i];
			t.point = v3_madd(t.point, c->point, 1.0 / p->count);
			t.impulse = v3_madd(t.impulse, c->impulse, c->a.index == p->a.index ? 1 : -1);
		}
	}
	w->touches[w->touch_count++] = t;
}

static bool same(const cn_watch_pair *p, const cn_watch_pair *q)
{
	return p->a.index == q->a.index && p->b.index == q->b.index && p->a.generation == q->a.generation &&
	       p->b.generation == q->b.generation;
}

/* Both lists are in order. A slot that is used again has other bodies: what touched there ends first. */
static void compare(cairn_watch *w)
{
	uint32_t i = 0, j = 0;
	while (i < w->pair_count || j < w->next_count) {
		const cn_watch_pair *old = &w->pairs[i], *now = &w->next[j];
		if (i < w->pair_count && j < w->next_count && same(old, now))
			tell_pair(w, CAIRN_TOUCH_PERSIST, now), ++i, ++j;
		else if (j == w->next_count || (i < w->pair_count && key_of(old->a, old->b) <= key_of(now->a, now->b)))
			tell_pair(w, CAIRN_TOUCH_END, old), ++i;
		else
			tell_pair(w, CAIRN_TOUCH_BEGIN, now), ++j;
	}
}

static void tell_hits(cairn_watch *w, uint32_t count)
{
	for (uint32_t i = 0; i < count; ++i) {
		const cairn_impact *k = &w->impacts[i];
		bool forward = k->a.index < k->b.index;
		w->touches[w->touch_count++] = (cairn_touch){.kind = CAIRN_TOUCH_HIT,
		                                             .a = forward ? k->a : k->b,
		                                             .b = forward ? k->b : k->a,
		                                             .time = k->time,
		                                             .point = k->point,
		                                             .impulse = forward ? k->impulse : v3_neg(k->impulse)};
	}
}

bool cairn_watch_update(cairn_watch *w, cairn_error *error)
{
	const cairn_world *world = w->world;
	bool new_step = !w->looked || w->steps != world->log.steps;
	uint32_t contacts = cairn_world_contacts(world, NULL, 0);
	uint32_t impacts = new_step ? cairn_world_impacts(world, NULL, 0) : 0;
	if (!make_room(w, contacts, impacts))
		return cn_fail_memory(error);
	(void)cairn_world_contacts(world, w->unsorted, contacts);
	(void)cairn_world_impacts(world, w->impacts, impacts);
	w->touch_count = 0;
	sort_contacts(w, contacts);
	compare(w);
	tell_hits(w, impacts);
	cn_watch_pair *swap = w->pairs;
	uint32_t capacity = w->pair_capacity;
	w->pairs = w->next, w->pair_count = w->next_count, w->pair_capacity = w->next_capacity;
	w->next = swap, w->next_capacity = capacity;
	w->steps = world->log.steps, w->looked = true;
	return true;
}

const cairn_touch *cairn_watch_touches(const cairn_watch *w, uint32_t *count)
{
	*count = w->touch_count;
	return w->touches;
}

const cairn_contact *cairn_watch_contacts(const cairn_watch *w, uint32_t *count)
{
	*count = w->contact_count;
	return w->contacts;
}
