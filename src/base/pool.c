/* Threads that sleep between loops and take chunks by a shared counter during one.
 *
 * A loop is open from the moment it is announced until the caller finds no chunk left. A worker that wakes while it is
 * open joins it; one that wakes later goes back to sleep. So the caller waits only for workers that hold a chunk, and a
 * short loop costs no more than the announcement. Everything but the counter is guarded by the mutex, which also orders
 * what the chunks wrote before the return of cn_pool_run. */
#if !defined(__wasm__)
#define _POSIX_C_SOURCE 200809L
#endif

#include "base/pool.h"

#if defined(__wasm__)

struct cn_pool {
	cairn_allocator allocator;
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

uint32_t cn_pool_threads(const cn_pool *pool)
{
	(void)pool;
	return 1;
}

void cn_pool_run(cn_pool *pool, uint32_t chunks, void (*task)(void *context, uint32_t chunk), void *context)
{
	(void)pool;
	for (uint32_t i = 0; i < chunks; ++i)
		task(context, i);
}

#else

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

enum { CN_THREADS_MOST = 256 };

struct cn_pool {
	cairn_allocator allocator;
	pthread_mutex_t mutex;
	pthread_cond_t announced, left; /* a loop opened or the pool ends; the last worker left a loop */
	uint64_t loop;                  /* number of the latest loop */
	bool open, ending;
	uint32_t inside; /* workers that run chunks */
	uint32_t chunks;
	void (*task)(void *context, uint32_t chunk);
	void *context;
	atomic_uint_least64_t next; /* wider than a chunk number: every thread counts once past the end */
	uint32_t worker_count, worker_room;
	pthread_t workers[];
};

static size_t pool_size(uint32_t workers) { return sizeof(cn_pool) + workers * sizeof(pthread_t); }

static void take_chunks(cn_pool *pool, uint32_t chunks, void (*task)(void *, uint32_t), void *context)
{
	for (;;) {
		uint64_t chunk = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
		if (chunk >= chunks)
			return;
		task(context, (uint32_t)chunk);
	}
}

static void *work(void *argument)
{
	cn_pool *pool = argument;
	uint64_t seen = 0;
	pthread_mutex_lock(&pool->mutex);
	for (;;) {
		while (!pool->ending && !(pool->open && pool->loop != seen))
			pthread_cond_wait(&pool->announced, &pool->mutex);
		if (pool->ending)
			break;
		seen = pool->loop;
		uint32_t chunks = pool->chunks;
		void (*task)(void *, uint32_t) = pool->task;
		void *context = pool->context;
		++pool->inside;
		pthread_mutex_unlock(&pool->mutex);
		take_chunks(pool, chunks, task, context);
		pthread_mutex_lock(&pool->mutex);
		if (--pool->inside == 0)
			pthread_cond_signal(&pool->left);
	}
	pthread_mutex_unlock(&pool->mutex);
	return NULL;
}

static uint32_t core_count(void)
{
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	return cores < 1 ? 1 : cores > CN_THREADS_MOST ? CN_THREADS_MOST : (uint32_t)cores;
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
	if (pthread_cond_init(&pool->announced, NULL) == 0) {
		if (pthread_cond_init(&pool->left, NULL) == 0)
			return true;
		pthread_cond_destroy(&pool->announced);
	}
	pthread_mutex_destroy(&pool->mutex);
	return false;
}

cn_pool *cn_pool_create(const cairn_allocator *allocator, uint32_t threads)
{
	if (threads == 0)
		threads = core_count();
	if (threads > CN_THREADS_MOST)
		threads = CN_THREADS_MOST;
	cn_pool *pool = cn_alloc(allocator, 1, pool_size(threads - 1));
	if (!pool)
		return NULL;
	pool->allocator = *allocator;
	pool->worker_room = threads - 1;
	atomic_init(&pool->next, 0);
	if (threads > 1 && prepare(pool)) {
		start_workers(pool);
		if (pool->worker_count == 0) {
			pthread_cond_destroy(&pool->left);
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
		pthread_mutex_lock(&pool->mutex);
		pool->ending = true;
		pthread_cond_broadcast(&pool->announced);
		pthread_mutex_unlock(&pool->mutex);
		for (uint32_t i = 0; i < pool->worker_count; ++i)
			pthread_join(pool->workers[i], NULL);
		pthread_cond_destroy(&pool->left);
		pthread_cond_destroy(&pool->announced);
		pthread_mutex_destroy(&pool->mutex);
	}
	cairn_allocator allocator = pool->allocator;
	cn_free(&allocator, pool, 1, pool_size(pool->worker_room));
}

uint32_t cn_pool_threads(const cn_pool *pool) { return pool->worker_count + 1; }

void cn_pool_run(cn_pool *pool, uint32_t chunks, void (*task)(void *context, uint32_t chunk), void *context)
{
	if (chunks < 2 || pool->worker_count == 0) {
		for (uint32_t i = 0; i < chunks; ++i)
			task(context, i);
		return;
	}
	pthread_mutex_lock(&pool->mutex);
	assert(!pool->open); /* a task must not start a loop of its own pool */
	pool->chunks = chunks;
	pool->task = task;
	pool->context = context;
	atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
	++pool->loop;
	pool->open = true;
	if (chunks > pool->worker_count)
		pthread_cond_broadcast(&pool->announced);
	else
		for (uint32_t i = 1; i < chunks; ++i)
			pthread_cond_signal(&pool->announced);
	pthread_mutex_unlock(&pool->mutex);
	take_chunks(pool, chunks, task, context);
	pthread_mutex_lock(&pool->mutex);
	pool->open = false;
	while (pool->inside > 0)
		pthread_cond_wait(&pool->left, &pool->mutex);
	pthread_mutex_unlock(&pool->mutex);
}

#endif
