/* An allocator for tests: it counts the bytes that are out and can be told to refuse, and what it fills new memory
 * with. */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct ledger {
	size_t bytes, calls;
	size_t fail_at; /* the call that is refused, from 1; 0: none */
	bool lasting;   /* and all after it */
	int fill;       /* byte; 0: as it comes */
} ledger;

static inline void *ledger_resize(void *context, void *block, size_t old_size, size_t new_size)
{
	ledger *l = context;
	if (new_size == 0) {
		l->bytes -= block ? old_size : 0;
		free(block);
		return NULL;
	}
	++l->calls;
	if (l->fail_at && (l->calls == l->fail_at || (l->lasting && l->calls > l->fail_at)))
		return NULL;
	void *grown = realloc(block, new_size);
	size_t had = block ? old_size : 0;
	if (grown)
		l->bytes += new_size - had;
	if (grown && l->fill && new_size > had)
		memset((char *)grown + had, l->fill, new_size - had);
	return grown;
}

/* So many calls from now on, and no more. */
static inline void ledger_allow(ledger *l, size_t calls)
{
	l->calls = 0;
	l->fail_at = calls + 1;
	l->lasting = true;
}

#endif
