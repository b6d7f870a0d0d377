/* What a file may make the tool take: memory (--memory) and time (--time). One set for the process. */
#ifndef LIMIT_H
#define LIMIT_H

#include "options.h"

#define MEMORY_DEFAULT ((uint64_t)4000000000) /* bytes; --memory says otherwise */

/* Before a command runs: takes the two from the options and starts the clock. */
void limits_begin(const options *o);

/* For all that the library makes: NULL beyond the limit. */
cairn_allocator limits_allocator(void);
uint64_t limits_memory(void); /* bytes that may be taken */
uint64_t limits_peak(void);   /* the most that were taken at once */

/* After memory ran out: says whether the limit or the system was in the way, as a sentence without a full stop. */
void limits_explain(char *text, size_t size);

bool limits_time_over(void);

#endif
