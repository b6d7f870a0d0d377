/* Memory that is given back all at once: what a file is read into. It counts to --memory; takes end the program when there is none. */
#ifndef POOL_H
#define POOL_H

#include <stddef.h>

typedef struct pool {
	struct pool_block *last;
} pool;

void *pool_take(pool *p, size_t size); /* zeroed, aligned for any type */
char *pool_text(pool *p, const char *text);
char *pool_format(pool *p, const char *format, ...)
#if defined(__GNUC__)
	__attribute__((format(printf, 2, 3)))
#endif
	;
void pool_free(pool *p);

/* Room for one more item in an array of the pool: items and capacity are those of the array, count how many it has. */
void *pool_room(pool *p, void *items, size_t count, size_t *capacity, size_t size);

#endif
