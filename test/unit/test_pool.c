/* The pool: every chunk once, writes seen by the caller, many loops in a row, any number of threads. */
#include "ledger.h"
#include "test.h"

static ledger broke = {.fail_at = 1, .lasting = true}; /* refuses from the first call on */

#include "base/pool.h"

#include <time.h>

typedef struct tally {
	uint32_t count[5000];
} tally;

static void count_chunk(void *context, uint32_t chunk)
{
	++((tally *)context)->count[chunk]; /* not atomic on purpose: a chunk that ran twice would race */
}

TEST(every_chunk_once)
{
	static const uint32_t threads[] = {1, 2, 3, 7, 0}, chunks[] = {0, 1, 2, 3, 8, 5000};
	cairn_allocator allocator = cairn_default_allocator();
	for (size_t t = 0; t < CN_COUNT(threads); ++t) {
		cn_pool *pool = cn_pool_create(&allocator, threads[t]);
		REQUIRE(pool);
		uint32_t found = cn_pool_threads(pool);
		CHECK(found >= 1 && (threads[t] == 0 || found <= threads[t]));
		for (size_t c = 0; c < CN_COUNT(chunks); ++c) {
			tally all = {0};
			cn_pool_run(pool, chunks[c], count_chunk, &all);
			uint32_t wrong = 0;
			for (uint32_t i = 0; i < CN_COUNT(all.count); ++i)
				wrong += all.count[i] != (i < chunks[c]);
			CHECK_INT(wrong, 0);
		}
		cn_pool_destroy(pool);
	}
}

typedef struct squares {
	uint64_t turn, sum[16];
} squares;

static void square_chunk(void *context, uint32_t chunk)
{
	squares *s = context;
	s->sum[chunk] += s->turn * (chunk + 1);
}

/* Each loop reads what the caller wrote before it and adds to what other threads wrote in earlier loops. */
TEST(many_loops)
{
	enum { LOOPS = 20000 };
	cairn_allocator allocator = cairn_default_allocator();
	cn_pool *pool = cn_pool_create(&allocator, 3);
	REQUIRE(pool);
	squares s = {0};
	for (uint64_t i = 0; i < LOOPS; ++i) {
		s.turn = i;
		cn_pool_run(pool, 1 + (uint32_t)(i % 16), square_chunk, &s);
	}
	cn_pool_destroy(pool);
	for (uint64_t c = 0; c < 16; ++c) {
		uint64_t wanted = 0;
		for (uint64_t i = 0; i < LOOPS; ++i)
			wanted += i % 16 >= c ? i * (c + 1) : 0;
		CHECK(s.sum[c] == wanted);
	}
}

static void spin_chunk(void *context, uint32_t chunk)
{
	uint64_t *out = context, x = chunk;
	for (int i = 0; i < 20000; ++i)
		x = x * 6364136223846793005u + 1442695040888963407u;
	out[chunk] = x;
}

TEST(same_for_any_thread_count)
{
	cairn_allocator allocator = cairn_default_allocator();
	static uint64_t first[64], again[64];
	for (uint32_t threads = 1; threads <= 7; threads += 2) {
		cn_pool *pool = cn_pool_create(&allocator, threads);
		REQUIRE(pool);
		memset(again, 0, sizeof again);
		cn_pool_run(pool, 64, spin_chunk, again);
		cn_pool_destroy(pool);
		if (threads == 1)
			memcpy(first, again, sizeof first);
		CHECK(memcmp(first, again, sizeof first) == 0);
	}
}

TEST(limits)
{
	cairn_allocator allocator = cairn_default_allocator(), none = {&broke, ledger_resize};
	CHECK(!cn_pool_create(&none, 2));
	cn_pool_destroy(NULL);
	cn_pool *pool = cn_pool_create(&allocator, 100000);
	REQUIRE(pool);
	CHECK(cn_pool_threads(pool) <= 256);
	tally all = {0};
	cn_pool_run(pool, 1000, count_chunk, &all);
	CHECK(all.count[0] == 1 && all.count[999] == 1 && all.count[1000] == 0);
	cn_pool_destroy(pool);
}

static void idle_chunk(void *context, uint32_t chunk)
{
	(void)context;
	(void)chunk;
}

/* Printed, not checked: the machine may be busy. */
TEST(cost_of_a_loop)
{
	enum { LOOPS = 20000 };
	cairn_allocator allocator = cairn_default_allocator();
	for (uint32_t threads = 1; threads <= 4; threads *= 2) {
		cn_pool *pool = cn_pool_create(&allocator, threads);
		REQUIRE(pool);
		struct timespec from, to;
		CHECK(timespec_get(&from, TIME_UTC) == TIME_UTC);
		for (int i = 0; i < LOOPS; ++i)
			cn_pool_run(pool, 8, idle_chunk, NULL);
		CHECK(timespec_get(&to, TIME_UTC) == TIME_UTC);
		double ns = (double)(to.tv_sec - from.tv_sec) * 1e9 + (double)(to.tv_nsec - from.tv_nsec);
		printf("%" PRIu32 " threads: %.2f us a loop\n", threads, ns / LOOPS / 1000);
		cn_pool_destroy(pool);
	}
}

typedef struct others {
	uint32_t loops;
} others;

/* Backwards, one after the other. */
static void run_others(void *context, uint32_t count, void (*task)(void *data, uint32_t index), void *data)
{
	++((others *)context)->loops;
	while (count-- > 0)
		task(data, count);
}

static void mark(void *context, uint32_t chunk) { ++((uint32_t *)context)[chunk]; }

TEST(others_do_the_work)
{
	cairn_allocator allocator = cairn_default_allocator();
	others o = {0};
	cairn_jobs jobs = {&o, 5, run_others};
	cn_pool *pool = cn_pool_create_outside(&allocator, &jobs);
	REQUIRE(pool);
	CHECK_INT(cn_pool_threads(pool), 5);
	uint32_t seen[100] = {0};
	cn_pool_run(pool, 100, mark, seen);
	for (int i = 0; i < 100; ++i)
		CHECK_INT(seen[i], 1);
	CHECK_INT(o.loops, 1);
	cn_pool_destroy(pool);
}

TEST_MAIN(TEST_CASE(others_do_the_work), TEST_CASE(every_chunk_once), TEST_CASE(many_loops),
          TEST_CASE(same_for_any_thread_count), TEST_CASE(limits), TEST_CASE(cost_of_a_loop))
