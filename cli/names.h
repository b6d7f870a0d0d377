/* Names of a file that is read, each with a number: found at once, however many there are. */
#ifndef NAMES_H
#define NAMES_H

#include "pool.h"

typedef struct named {
	const char *text;   /* the caller's; it stays */
	size_t number;      /* the caller's */
	struct named *same; /* in the table: the next of its row */
} named;

typedef struct name_table {
	pool *memory;
	named **rows;
} name_table;

name_table names_begin(pool *memory);                             /* goes with the memory */
named *names_find(const name_table *n, const char *text);         /* NULL: there is none */
named *names_add(name_table *n, const char *text, size_t number); /* one that is not there */

#endif
