/* Names to numbers: an open-addressing table over texts that it does not own. */
#ifndef CN_NAMES_H
#define CN_NAMES_H

#include "base/base.h"

typedef struct cn_name {
	const char *text; /* owned by what has the name; NULL: empty slot */
	uint32_t value;   /* not 0 */
} cn_name;

typedef struct cn_names {
	cn_name *slots;
	uint32_t slot_count, count; /* slots: a power of two, at most half full */
} cn_names;

void cn_names_free(const cairn_allocator *allocator, cn_names *names);
/* 0 when there is none. */
uint32_t cn_names_find(const cn_names *names, const char *text);
/* Makes room for so many more; after that so many cn_names_add cannot fail. */
bool cn_names_reserve(const cairn_allocator *allocator, cn_names *names, uint32_t more);
void cn_names_add(cn_names *names, const char *text, uint32_t value);
void cn_names_remove(cn_names *names, const char *text);

#endif
