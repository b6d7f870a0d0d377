/* See places.h. Looked up only when something is wrong, so a list will do. */
#include "scene/places.h"

#include <stdio.h>
#include <string.h>

void cn_places_free(const cairn_allocator *allocator, cn_places *p)
{
	for (uint32_t i = 0; i < p->file_count; ++i)
		cn_free_text(allocator, p->files[i]);
	cn_free(allocator, (void *)p->files, p->file_capacity, sizeof *p->files);
	cn_free(allocator, p->places, p->capacity, sizeof *p->places);
	*p = (cn_places){0};
}

/* The file's number; the last one is asked for most. UINT32_MAX when memory ran out. */
static uint32_t find_file(const cairn_allocator *allocator, cn_places *p, const char *file)
{
	for (uint32_t i = p->file_count; i-- > 0;)
		if (strcmp(p->files[i], file) == 0)
			return i;
	if (!cn_grow(allocator, (void **)&p->files, &p->file_capacity, p->file_count + 1, sizeof *p->files))
		return UINT32_MAX;
	p->files[p->file_count] = cn_dup_text(allocator, file);
	return p->files[p->file_count] ? p->file_count++ : UINT32_MAX;
}

bool cn_places_note(const cairn_allocator *allocator, cn_places *p, cn_place_kind kind, uint32_t first, uint32_t count,
                    const cairn_error *at)
{
	uint32_t file = find_file(allocator, p, at->file);
	if (file == UINT32_MAX || !cn_grow(allocator, (void **)&p->places, &p->capacity, p->count + 1, sizeof *p->places))
		return false;
	cn_line *place = &p->places[p->count++];
	*place =
		(cn_line){.kind = kind, .first = first, .count = count, .file = file, .line = at->line, .column = at->column};
	(void)snprintf(place->path, sizeof place->path, "%.47s", at->path);
	return true;
}

static cn_line *find(const cn_places *p, cn_place_kind kind, uint32_t index)
{
	for (uint32_t i = p->count; i-- > 0;) {
		cn_line *place = &p->places[i];
		if (place->kind == kind && index >= place->first && index - place->first < place->count)
			return place;
	}
	return NULL;
}

void cn_places_find(const cn_places *p, cn_place_kind kind, uint32_t index, cairn_error *error)
{
	const cn_line *place = find(p, kind, index);
	if (!place || !error)
		return;
	error->line = place->line, error->column = place->column;
	(void)snprintf(error->file, sizeof error->file, "%s", p->files[place->file]);
	(void)snprintf(error->path, sizeof error->path, "%s", place->path);
}

void cn_places_forget(cn_places *p, cn_place_kind kind, uint32_t index)
{
	for (cn_line *place; (place = find(p, kind, index)) != NULL;)
		place->count = 0;
}
