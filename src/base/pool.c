/* Threads that sleep between loops and share the chunks of one.
 *
 * Each thread has a run of chunks of its own, the same one whenever a loop is as long, so that it finds what it worked on
 * in the loop before in its own cache, and goes through memory in order. A thread that has done its run takes chunks from
 * the ends of the others'.
 *
 * The gate is one word: number of the latest loop, whether it is open, how many workers are inside. A loop is open
 * from the moment it is announced until the caller finds no chunk left. A worker that comes while it is open enters;
 * one that comes later does not. So the caller waits only for workers that hold a chunk, and a short loop costs no
 * more than the announcement. Entering and leaving order what the chunks wrote before the return of cn_pool_run.
 *
 * Loops come in bursts, a colour of a sweep each, a few microseconds apart, and waking a thread takes longer than
 * that. So a worker watches the gate for a while before it sleeps. */
#if !defined(__wasm__)
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/pool.h"

#if defined(__wasm__)

struct cn_pool {
	cairn_allocator allocator;
	cairn_jobs jobs; /* run NULL: none */
};

cn_pool *cn_pool_create(const cairn_allocator *allocator, uint32_t threads)
{
	(void)threads;
	cn_pool *pool = cn_alloc(allocator, 1, sizeof *pool);
	if (pool)
		pool->allocator = *allocator;
	return pool;
}

void cn_pool_destroy(cn_pool *pool)
{
	if (!pool)
		return;
	cairn_allocator allocator = pool->allocator;
	cn_free(&allocator, pool, 1, sizeof *pool);
}

uint32_t cn_pool_threads(const cn_pool *pool) { return pool->jobs.run ? pool->jobs.threads : 1; }

void cn_pool_run(cn_pool *pool, uint32_t chunks, void (*task)(void *context, uint32_t chunk), void *context)
{
	if (chunks > 1 && pool->jobs.run) {
		pool->jobs.run(pool->jobs.context, chunks, task, context);
		return;
	}
	for (uint32_t i = 0; i < chunks; ++i)
		task(context, i);
}

#else

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { CN_THREADS_MAX = 256 };
enum { CN_POOL_WATCH = 2000 }; /* looks at the gate before sleeping: some 50 microseconds, what waking takes */

#define GATE_OPEN ((uint64_t)1 << 31)
#define GATE_INSIDE (GATE_OPEN - 1)
#define GATE_LOOP(gate) ((uint32_t)((gate) >> 32))

/* Chunks of a thread that nobody took yet, end << 32 | begin; as far from the next as two lines of memory. */
typedef struct run {
	atomic_uint_least64_t span;
	char apart[128 - sizeof(atomic_uint_least64_t)];
} run;

struct cn_pool {
	cairn_allocator allocator;
	cairn_jobs jobs; /* run NULL: its own threads */
	atomic_uint_least64_t gate;
	atomic_uint sleeping; /* workers that need to be woken */
	atomic_bool ending;
	pthread_mutex_t mutex;
	pthread_cond_t announced; /* a loop opened or the pool ends */
	uint32_t runs;            /* of the open loop, as are the next two */
	void (*task)(void *context, uint32_t chunk);
	void *context;
	uint32_t worker_count, worker_room;
	atomic_uint started; /* workers that know their number */
	run *run;            /* of each thread, the caller's first */
	pthread_t workers[];
};

static size_t pool_size(uint32_t workers) { return sizeof(cn_pool) + workers * sizeof(pthread_t); }

/* Tells the core that this is a loop of waiting. */
static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

static uint64_t span_of(uint32_t begin, uint32_t end) { return (uint64_t)end << 32 | begin; }

/* The first chunk of a run, or the last one. */
static bool take_chunk(run *of, bool last, uint32_t *chunk)
{
	uint64_t span = atomic_load_explicit(&of->span, memory_order_relaxed);
	for (;;) {
		uint32_t begin = (uint32_t)span, end = (uint32_t)(span >> 32);
		if (begin >= end)
			return false;
		*chunk = last ? end - 1 : begin;
		uint64_t rest = last ? span_of(begin, end - 1) : span_of(begin + 1, end);
		if (atomic_compare_exchange_weak_explicit(&of->span, &span, rest, memory_order_relaxed, memory_order_relaxed))
			return true;
	}
}

/* Its own run, then what is left of the others'. */
static void take_chunks(cn_pool *pool, uint32_t number)
{
	uint32_t chunk, runs = pool->runs;
	void (*task)(void *, uint32_t) = pool->task;
	void *context = pool->context;
	while (number < runs && take_chunk(&pool->run[number], false, &chunk))
		task(context, chunk);
	for (uint32_t k = 1; k <= runs; ++k)
		while (take_chunk(&pool->run[(number + k) % runs], true, &chunk))
			task(context, chunk);
}

/* As many runs as there are threads to work on them, of like length. */
static void deal_out(cn_pool *pool, uint32_t chunks)
{
	uint32_t threads = pool->worker_count + 1, runs = chunks < threads ? chunks : threads;
	for (uint32_t i = 0; i < runs; ++i)
		atomic_store_explicit(
			&pool->run[i].span,
			span_of((uint32_t)((uint64_t)chunks * i / runs), (uint32_t)((uint64_t)chunks * (i + 1) / runs)),
			memory_order_relaxed);
	pool->runs = runs;
}

/* Enters the open loop, unless it is the one seen last. */
static bool enter(cn_pool *pool, uint32_t *seen)
{
	uint64_t gate = atomic_load(&pool->gate);
	while ((gate & GATE_OPEN) && GATE_LOOP(gate) != *seen)
		if (atomic_compare_exchange_weak(&pool->gate, &gate, gate + 1)) {
			*seen = GATE_LOOP(gate);
			return true;
		}
	return false;
}

/* Whether there is something to do: a loop that was not seen, or the end. */
static bool called(cn_pool *pool, uint32_t seen)
{
	uint64_t gate = atomic_load(&pool->gate);
	return ((gate & GATE_OPEN) && GATE_LOOP(gate) != seen) || atomic_load(&pool->ending);
}

static void await(cn_pool *pool, uint32_t seen)
{
	for (int i = 0; i < CN_POOL_WATCH; ++i) {
		if (called(pool, seen))
			return;
		relax();
	}
	pthread_mutex_lock(&pool->mutex);
	atomic_fetch_add(&pool->sleeping, 1); /* before the last look: the caller looks the other way round */
	while (!called(pool, seen))
		pthread_cond_wait(&pool->announced, &pool->mutex);
	atomic_fetch_sub(&pool->sleeping, 1);
	pthread_mutex_unlock(&pool->mutex);
}

static void *work(void *argument)
{
	cn_pool *pool = argument;
	uint32_t seen = 0, number = atomic_fetch_add(&pool->started, 1) + 1;
	for (;;) {
		await(pool, seen);
		if (atomic_load(&pool->ending))
			return NULL;
		if (!enter(pool, &seen))
			continue;
		take_chunks(pool, number);
		atomic_fetch_sub(&pool->gate, 1);
	}
}

static void wake_workers(cn_pool *pool)
{
	if (atomic_load(&pool->sleeping) == 0)
		return;
	pthread_mutex_lock(&pool->mutex);
	pthread_cond_broadcast(&pool->announced);
	pthread_mutex_unlock(&pool->mutex);
}

static uint32_t core_count(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	return cores < 1 ? 1 : cores > CN_THREADS_MAX ? CN_THREADS_MAX : (uint32_t)cores;
}

/* Signals stay with the threads of the program: the workers block them all. */
static void start_workers(cn_pool *pool)
{
	sigset_t all, before;
	sigfillset(&all);
	bool blocked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
	while (pool->worker_count < pool->worker_room &&
	       pthread_create(&pool->workers[pool->worker_count], NULL, work, pool) == 0)
		++pool->worker_count;
	if (blocked)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Without its mutex and conditions a pool is one without workers, which never touches them. */
static bool prepare(cn_pool *pool)
{
	if (pthread_mutex_init(&pool->mutex, NULL) != 0)
		return false;
	if (pthread_cond_init(&pool->announced, NULL) == 0)
		return true;
	pthread_mutex_destroy(&pool->mutex);
	return false;
}

cn_pool *cn_pool_create(const cairn_allocator *allocator, uint32_t threads)
{
	if (threads == 0)
		threads = core_count();
	if (threads > CN_THREADS_MAX)
		threads = CN_THREADS_MAX;
	cn_pool *pool = cn_alloc(allocator, 1, pool_size(threads - 1));
	if (!pool)
		return NULL;
	pool->run = cn_alloc(allocator, threads, sizeof *pool->run);
	if (!pool->run) {
		cn_free(allocator, pool, 1, pool_size(threads - 1));
		return NULL;
	}
	pool->allocator = *allocator;
	pool->worker_room = threads - 1;
	atomic_init(&pool->gate, 0);
	atomic_init(&pool->started, 0);
	atomic_init(&pool->sleeping, 0);
	atomic_init(&pool->ending, false);
	if (threads > 1 && prepare(pool)) {
		start_workers(pool);
		if (pool->worker_count == 0) {
			pthread_cond_destroy(&pool->announced);
			pthread_mutex_destroy(&pool->mutex);
		}
	}
	return pool;
}

void cn_pool_destroy(cn_pool *pool)
{
	if (!pool)
		return;
	if (pool->worker_count > 0) {
		atomic_store(&pool->ending, true);
		wake_workers(pool);
		for (uint32_t i = 0; i < pool->worker_count; ++i)
			pthread_join(pool->workers[i], NULL);
		pthread_cond_destroy(&pool->announced);
		pthread_mutex_destroy(&pool->mutex);
	}
	cairn_allocator allocator = pool->allocator;
	cn_free(&allocator, pool->run, (size_t)pool->worker_room + 1, sizeof *pool->run);
	cn_free(&allocator, pool, 1, pool_size(pool->worker_room));
}

uint32_t cn_pool_threads(const cn_pool *pool) { return pool->jobs.run ? pool->jobs.threads : pool->worker_count + 1; }

void cn_pool_run(cn_pool *pool, uint32_t chunks, void (*task)(void *context, uint32_t chunk), void *context)
{
	if (chunks > 1 && pool->jobs.run) {
		pool->jobs.run(pool->jobs.context, chunks, task, context);
		return;
	}
	if (chunks < 2 || pool->worker_count == 0) {
		for (uint32_t i = 0; i < chunks; ++i)
			task(context, i);
		return;
	}
	uint64_t gate = atomic_load(&pool->gate);
	assert(!(gate & GATE_OPEN)); /* a task must not start a loop of its own pool */
	pool->task = task;
	pool->context = context;
	deal_out(pool, chunks);
	atomic_store(&pool->gate, ((uint64_t)(GATE_LOOP(gate) + 1) << 32) | GATE_OPEN);
	wake_workers(pool);
	take_chunks(pool, 0);
	atomic_fetch_and(&pool->gate, ~GATE_OPEN);
	int watched = 0;
	while (atomic_load(&pool->gate) & GATE_INSIDE) {
		if (watched < CN_POOL_WATCH)
			++watched, relax();
		else
			sched_yield(); /* there may be more threads than cores */
	}
}

#endif

cn_pool *cn_pool_create_outside(const cairn_allocator *allocator, const cairn_jobs *jobs)
{
	cn_pool *pool = cn_pool_create(allocator, 1);
	if (!pool)
		return NULL;
	pool->jobs = *jobs;
	pool->jobs.threads = jobs->threads ? jobs->threads : 1;
	return pool;
}
