/* How long the broad phase takes for an update, filtering and sorting included: a pile (unit boxes that overlap with
 * about eight others) and a sparse cloud (less than one), numbered along the grid and shuffled; calm (each body moves
 * by 1 % of its size a frame: straight on, or in a new direction each frame) and with every body put elsewhere each
 * frame. Median, mean and worst of the frames after the first 20, milliseconds, one thread unless told; sort-and-
 * sweep along one axis, written plainly, for comparison.
 *
 *   bench_broad [bodies at most] [threads]      100000 1 */
#include "clock.h"

#include "base/hash.h"
#include "base/sort.h"
#include "geom/broad.h"

#include <stdio.h>
#include <stdlib.h>

enum { FRAMES = 81, WARM = 20 };

typedef enum motion { STRAIGHT, SHAKEN, PUT_ELSEWHERE } motion;

typedef struct tally {
	size_t now, most;
} tally;

static void *count_resize(void *context, void *block, size_t old_size, size_t new_size)
{
	tally *t = context;
	t->now += new_size - (block ? old_size : 0);
	t->most = t->now > t->most ? t->now : t->most;
	if (new_size == 0) {
		free(block);
		return NULL;
	}
	return realloc(block, new_size);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static v3 direction(uint64_t *random)
{
	v3 d;
	do {
		d.x = cn_random_signed(random);
		d.y = cn_random_signed(random);
		d.z = cn_random_signed(random);
	} while (v3_length2(d) > 1 || v3_length2(d) < 1e-4);
	return v3_unit(d);
}

typedef struct bodies {
	uint32_t count, side;
	double spacing;
	cn_broad_item *items;
	v3 *steps;
	uint32_t *places; /* on the grid */
	uint64_t random;
} bodies;

static cn_broad_item place(bodies *s, uint32_t at)
{
	double x = cn_random_signed(&s->random), y = cn_random_signed(&s->random), z = cn_random_signed(&s->random);
	uint32_t column = at % s->side, row = at / s->side % s->side, layer = at / s->side / s->side;
	v3 centre = {s->spacing * (column + 0.4 * x), s->spacing * (row + 0.4 * y), s->spacing * (layer + 0.4 * z)};
	return (cn_broad_item){v3_sub(centre, (v3){0.5, 0.5, 0.5}), v3_add(centre, (v3){0.5, 0.5, 0.5}), false, 1, 1};
}

static void shuffle(bodies *s)
{
	for (uint32_t i = s->count; i > 1; --i) {
		uint32_t k = (uint32_t)(cn_random_u64(&s->random) % i), swap = s->places[i - 1];
		s->places[i - 1] = s->places[k];
		s->places[k] = swap;
	}
}

static void move(bodies *s, motion how)
{
	if (how == PUT_ELSEWHERE)
		shuffle(s);
	for (uint32_t i = 0; i < s->count; ++i) {
		if (how == PUT_ELSEWHERE) {
			s->items[i] = place(s, s->places[i]);
			continue;
		}
		v3 step = how == STRAIGHT ? s->steps[i] : v3_scale(direction(&s->random), 0.01);
		s->items[i].low = v3_add(s->items[i].low, step);
		s->items[i].high = v3_add(s->items[i].high, step);
	}
}

static bool make(bodies *s, uint32_t count, double spacing, bool shuffled)
{
	*s = (bodies){.count = count, .side = 1, .spacing = spacing, .random = 1};
	while (s->side * s->side * s->side < count)
		++s->side;
	s->items = malloc(count * sizeof *s->items);
	s->steps = malloc(count * sizeof *s->steps);
	s->places = malloc(count * sizeof *s->places);
	if (!s->items || !s->steps || !s->places)
		return false;
	for (uint32_t i = 0; i < count; ++i)
		s->places[i] = i;
	if (shuffled)
		shuffle(s);
	for (uint32_t i = 0; i < count; ++i) {
		s->items[i] = place(s, s->places[i]);
		s->steps[i] = v3_scale(direction(&s->random), 0.01);
	}
	return true;
}

static void drop(bodies *s)
{
	free(s->items);
	free(s->steps);
	free(s->places);
}

static int measure(bodies *s, motion how, const char *name, cn_pool *pool)
{
	tally t = {0, 0};
	cairn_allocator allocator = {&t, count_resize};
	cn_broad *broad = cn_broad_create(&allocator);
	double times[FRAMES], sum = 0, pairs = 0;
	for (int f = 0; f < FRAMES + WARM; ++f) {
		double start = wall_ms();
		if (!broad || !cn_broad_update(broad, s->items, s->count, pool)) {
			fprintf(stderr, "bench_broad: out of memory\n");
			return 1;
		}
		double took = wall_ms() - start;
		uint32_t found;
		cn_broad_pairs(broad, &found);
		if (f >= WARM) {
			times[f - WARM] = took;
			sum += took;
			pairs += found;
		}
		move(s, how);
	}
	qsort(times, FRAMES, sizeof *times, by_size);
	printf("%7u  %-34s %8.3f %8.3f %8.3f %10.0f %6.0f\n", s->count, name, times[FRAMES / 2], sum / FRAMES,
	       times[FRAMES - 1], pairs / FRAMES, (double)t.most / s->count);
	fflush(stdout);
	cn_broad_destroy(broad);
	return 0;
}

/* Lows sorted along x; each against those that begin before it ends. Its pairs come unsorted. */
static int compare_sweep(const bodies *s)
{
	cn_sort_item *keys = malloc(s->count * sizeof *keys), *scratch = malloc(s->count * sizeof *scratch);
	cn_broad_pair *pairs = malloc(64 * (size_t)s->count * sizeof *pairs);
	uint32_t found = 0;
	if (!keys || !scratch || !pairs) {
		fprintf(stderr, "bench_broad: out of memory\n");
		free(keys), free(scratch), free(pairs);
		return 1;
	}
	double start = wall_ms();
	for (uint32_t i = 0; i < s->count; ++i)
		keys[i] = (cn_sort_item){cn_sort_key(s->items[i].low.x), i};
	cn_sort(keys, scratch, s->count);
	for (uint32_t i = 0; i < s->count; ++i) {
		const cn_broad_item *a = &s->items[keys[i].value];
		for (uint32_t k = i + 1; k < s->count; ++k) {
			const cn_broad_item *b = &s->items[keys[k].value];
			if (b->low.x > a->high.x)
				break;
			if (a->low.y <= b->high.y && b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z &&
			    found < 64 * s->count)
				pairs[found++] = (cn_broad_pair){keys[i].value, keys[k].value};
		}
	}
	printf("%7u  %-34s %8.3f %8s %8s %10u\n", s->count, "pile, sort and sweep on one axis", wall_ms() - start, "", "",
	       found);
	free(keys);
	free(scratch);
	free(pairs);
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const names[2][2][3] = {
		{{"pile, straight on", "pile, shaken", "pile, put elsewhere"},
	     {"pile, shuffled, straight on", "pile, shuffled, shaken", "pile, shuffled, put elsewhere"}},
		{{"sparse, straight on", "sparse, shaken", "sparse, put elsewhere"},
	     {"sparse, shuffled, straight on", "sparse, shuffled, shaken", "sparse, shuffled, put elsewhere"}}};
	uint32_t most = argc > 1 ? (uint32_t)atoi(argv[1]) : 100000, threads = argc > 2 ? (uint32_t)atoi(argv[2]) : 1;
	cairn_allocator allocator = cairn_default_allocator();
	cn_pool *pool = threads == 1 ? NULL : cn_pool_create(&allocator, threads);
	printf(" bodies  scene                                median     mean    worst      pairs  B/body\n");
	int failed = 0;
	for (uint32_t count = 1000; count <= most; count *= 10) {
		bodies s;
		for (int sparse = 0; sparse < 2; ++sparse)
			for (int shuffled = 0; shuffled < 2; ++shuffled)
				for (int how = 0; how < 3; ++how) {
					failed |= !make(&s, count, sparse ? 2.0 : 0.95, shuffled);
					failed |= failed || measure(&s, (motion)how, names[sparse][shuffled][how], pool);
					drop(&s);
				}
		failed |= !make(&s, count, 0.95, false);
		failed |= failed || compare_sweep(&s);
		drop(&s);
	}
	cn_pool_destroy(pool);
	return failed;
}
