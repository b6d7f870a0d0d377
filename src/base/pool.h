/* A fixed set of threads that run the chunks of a loop. Which thread runs a chunk is not fixed; what a chunk computes
 * must depend on its number alone, so the result is the same for any number of threads. */
#ifndef CN_POOL_H
#define CN_POOL_H

#include "base/base.h"

typedef struct cn_pool cn_pool;

/* threads 0: one for each core. Falls back to fewer threads, down to the caller's own, when the system gives none.
 * NULL only when memory ran out. Without thread support (WebAssembly) everything runs on the caller. */
cn_pool *cn_pool_create(const cairn_allocator *allocator, uint32_t threads);
/* One that lets others do the work. */
cn_pool *cn_pool_create_outside(const cairn_allocator *allocator, const cairn_jobs *jobs);
void cn_pool_destroy(cn_pool *pool); /* NULL is fine */
uint32_t cn_pool_threads(const cn_pool *pool);

/* Calls task(context, chunk) once for every chunk in [0, chunks), the caller helping, and returns when all are done. */
void cn_pool_run(cn_pool *pool, uint32_t chunks, void (*task)(void *context, uint32_t chunk), void *context);

/* Where the items of a chunk end, of so many in chunks of one size. */
static inline uint32_t cn_pool_end(uint32_t chunk, uint32_t size, uint32_t count)
{
	return count - chunk * size < size ? count : (chunk + 1) * size; /* (chunk + 1) * size may be too large */
}

#endif
