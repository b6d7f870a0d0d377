/* The longer pieces: room, bytes, handles and text. */
#include "base/bytes.h"

void cn_writer_free(cn_writer *w)
{
	cn_free(&w->allocator, w->data, w->capacity, 1);
	w->data = NULL;
	w->size = w->capacity = 0;
	w->failed = false;
}

bool cn_writer_grow(cn_writer *w, size_t size)
{
	const size_t most = (size_t)PTRDIFF_MAX;
	size_t capacity = w->capacity > most - w->capacity / 2 ? most : w->capacity + w->capacity / 2;
	if (capacity < 256)
		capacity = 256;
	if (size > most - w->size)
		return false;
	if (capacity < w->size + size)
		capacity = w->size + size;
	uint8_t *data = w->allocator.resize(w->allocator.context, w->data, w->capacity, capacity);
	if (!data)
		return false;
	w->data = data;
	w->capacity = capacity;
	return true;
}

void cn_put_bytes(cn_writer *w, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	uint8_t *place = cn_writer_extend(w, size);
	if (place)
		memcpy(place, bytes, size);
}

void cn_put_handle(cn_writer *w, uint32_t index, uint32_t generation)
{
	cn_put_u32(w, index);
	cn_put_u32(w, generation);
}

void cn_put_text(cn_writer *w, const char *text)
{
	size_t length = text ? strlen(text) : 0;
	if (length > UINT32_MAX) {
		w->failed = true;
		return;
	}
	cn_put_u32(w, (uint32_t)length);
	cn_put_bytes(w, text, length);
}

cairn_body cn_get_handle(cn_reader *r)
{
	cairn_body body;
	body.index = cn_get_u32(r);
	body.generation = cn_get_u32(r);
	return body;
}

uint32_t cn_get_count(cn_reader *r, size_t least)
{
	uint32_t count = cn_get_u32(r);
	if (least > 0 && count > cn_reader_left(r) / least) {
		r->failed = true;
		return 0;
	}
	return count;
}

char *cn_get_text(cn_reader *r, const cairn_allocator *allocator)
{
	uint32_t length = cn_get_count(r, 1);
	const uint8_t *place = cn_get_bytes(r, length);
	if (!place)
		return NULL;
	if (length == 0)
		return cn_dup_text(allocator, "");
	if (memchr(place, 0, length)) {
		r->failed = true;
		return NULL;
	}
	char *text = cn_alloc(allocator, (size_t)length + 1, 1);
	if (text)
		memcpy(text, place, length);
	return text;
}
