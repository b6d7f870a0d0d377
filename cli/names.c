#include "names.h"

#include <stdint.h>
#include <string.h>

enum { ROWS = 1 << 16 };

static named **row_of(const name_table *n, const char *text)
{
	uint32_t hash = 2166136261u; /* FNV-1a */
	for (; *text; ++text)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return &n->rows[(hash ^ hash >> 16) % ROWS];
}

name_table names_begin(pool *memory) { return (name_table){memory, pool_take(memory, ROWS * sizeof(named *))}; }

named *names_find(const name_table *n, const char *text)
{
	named *found = *row_of(n, text);
	while (found && strcmp(found->text, text) != 0)
		found = found->same;
	return found;
}

named *names_add(name_table *n, const char *text, size_t number)
{
	named **row = row_of(n, text), *added = pool_take(n->memory, sizeof *added);
	*added = (named){text, number, *row};
	return *row = added;
}
