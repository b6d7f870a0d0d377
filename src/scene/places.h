/* Where in its files a scene says what: kept while it is read, so that an error found later, when a world is made, can still
 * point at a line. Copies of a scene and scenes built by calls have none. */
#ifndef CN_PLACES_H
#define CN_PLACES_H

#include "base/base.h"

typedef enum cn_place_kind {
	CN_PLACE_BODIES,
	CN_PLACE_JOINTS,
	CN_PLACE_MATERIALS,
	CN_PLACE_PAIRS,
	CN_PLACE_OPTION
} cn_place_kind;

/* One element of a file: what it brought of a kind, first and how many. An option is its number in cairn_option_names. */
typedef struct cn_line {
	cn_place_kind kind;
	uint32_t first, count, file;
	int line, column;
	char path[48];
} cn_line;

typedef struct cn_places {
	cn_line *places;
	char **files;
	uint32_t count, capacity, file_count, file_capacity;
} cn_places;

void cn_places_free(const cairn_allocator *allocator, cn_places *places);
/* at says the file, line, column and path. False when memory ran out. */
bool cn_places_note(const cairn_allocator *allocator, cn_places *places, cn_place_kind kind, uint32_t first,
                    uint32_t count, const cairn_error *at);
/* Points the error there, if the place is known. */
void cn_places_find(const cn_places *places, cn_place_kind kind, uint32_t index, cairn_error *error);
/* What stood in the file no longer holds. */
void cn_places_forget(cn_places *places, cn_place_kind kind, uint32_t index);

#endif
