/* Little-endian bytes, put together and taken apart by shifts where the machine's own order is another one, so that it never
 * shows. */
#include "base/bytes.h"

#include <string.h>

void cn_writer_free(cn_writer *w)
{
	cn_free(&w->allocator, w->data, w->capacity, 1);
	w->data = NULL;
	w->size = w->capacity = 0;
	w->failed = false;
}

/* Room for size more bytes where there is too little. */
static bool grow(cn_writer *w, size_t size)
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

/* Room for size more bytes, which the caller fills; NULL (and failed) when there is none. */
static inline uint8_t *extend(cn_writer *w, size_t size)
{
	if (w->failed)
		return NULL;
	if (size > w->capacity - w->size && !grow(w, size)) {
		w->failed = true;
		return NULL;
	}
	uint8_t *place = w->data + w->size;
	w->size += size;
	return place;
}

void cn_put_bytes(cn_writer *w, const void *bytes, size_t size)
{
	if (size == 0)
		return;
	uint8_t *place = extend(w, size);
	if (place)
		memcpy(place, bytes, size);
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline void store(uint8_t *place, uint64_t x, size_t size) { memcpy(place, &x, size); }

static inline uint64_t load(const uint8_t *place, size_t size)
{
	uint64_t x = 0;
	memcpy(&x, place, size);
	return x;
}
#else
static inline void store(uint8_t *place, uint64_t x, size_t size)
{
	for (size_t i = 0; i < size; ++i)
		place[i] = (uint8_t)(x >> (8 * i));
}

static inline uint64_t load(const uint8_t *place, size_t size)
{
	uint64_t x = 0;
	for (size_t i = 0; i < size; ++i)
		x |= (uint64_t)place[i] << (8 * i);
	return x;
}
#endif

static inline void store_f64(uint8_t *place, double x)
{
	uint64_t word;
	memcpy(&word, &x, sizeof word);
	store(place, word, 8);
}

static inline double load_f64(const uint8_t *place)
{
	uint64_t word = load(place, 8);
	double x;
	memcpy(&x, &word, sizeof x);
	return x;
}

void cn_put_u8(cn_writer *w, uint8_t x)
{
	uint8_t *place = extend(w, 1);
	if (place)
		*place = x;
}

void cn_put_u32(cn_writer *w, uint32_t x)
{
	uint8_t *place = extend(w, 4);
	if (place)
		store(place, x, 4);
}

void cn_put_u64(cn_writer *w, uint64_t x)
{
	uint8_t *place = extend(w, 8);
	if (place)
		store(place, x, 8);
}

void cn_put_f64(cn_writer *w, double x)
{
	uint64_t word;
	memcpy(&word, &x, sizeof word);
	cn_put_u64(w, word);
}

void cn_put_v3(cn_writer *w, cairn_vec3 v)
{
	uint8_t *place = extend(w, 24);
	if (!place)
		return;
	store_f64(place, v.x);
	store_f64(place + 8, v.y);
	store_f64(place + 16, v.z);
}

void cn_put_quat(cn_writer *w, cairn_quat q)
{
	uint8_t *place = extend(w, 32);
	if (!place)
		return;
	store_f64(place, q.w);
	store_f64(place + 8, q.x);
	store_f64(place + 16, q.y);
	store_f64(place + 24, q.z);
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

const uint8_t *cn_get_bytes(cn_reader *r, size_t size)
{
	if (r->failed || size > r->size - r->at) {
		r->failed = true;
		return NULL;
	}
	const uint8_t *place = r->data + r->at;
	r->at += size;
	return place;
}

uint8_t cn_get_u8(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 1);
	return place ? *place : 0;
}

bool cn_get_bool(cn_reader *r)
{
	uint8_t x = cn_get_u8(r);
	if (x > 1)
		r->failed = true;
	return x == 1;
}

uint32_t cn_get_u32(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 4);
	return place ? (uint32_t)load(place, 4) : 0;
}

uint64_t cn_get_u64(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 8);
	return place ? load(place, 8) : 0;
}

double cn_get_f64(cn_reader *r)
{
	uint64_t word = cn_get_u64(r);
	double x;
	memcpy(&x, &word, sizeof x);
	return x;
}

cairn_vec3 cn_get_v3(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 24);
	return place ? (cairn_vec3){load_f64(place), load_f64(place + 8), load_f64(place + 16)} : (cairn_vec3){0, 0, 0};
}

cairn_quat cn_get_quat(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 32);
	return place ? (cairn_quat){load_f64(place), load_f64(place + 8), load_f64(place + 16), load_f64(place + 24)}
	             : (cairn_quat){0, 0, 0, 0};
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
	if (length > 0 && memchr(place, 0, length)) {
		r->failed = true;
		return NULL;
	}
	char *text = cn_alloc(allocator, (size_t)length + 1, 1);
	if (text && length > 0)
		memcpy(text, place, length);
	return text;
}
