/* Writing and reading little-endian bytes: snapshots, inputs and recordings are the same on every machine.
 *
 * A writer grows through its allocator and remembers failure; check failed once at the end. A reader refuses to
 * go past its end and remembers that too; every value read after that is 0.
 *
 * Numbers are put together and taken apart by shifts where the machine's own order is another one, so that it never shows. They
 * are inline: a snapshot of a thousand bodies is a hundred thousand of them. */
#ifndef CN_BYTES_H
#define CN_BYTES_H

#include "base/base.h"

#include <string.h>

typedef struct cn_writer {
	cairn_allocator allocator;
	uint8_t *data;
	size_t size, capacity;
	bool failed;
	bool counts; /* nothing is kept, size alone is right in the end */
} cn_writer;

void cn_writer_free(cn_writer *w);
static inline void cn_writer_reset(cn_writer *w) { w->size = 0, w->failed = false; } /* keeps the memory */

/* Room for size more bytes where there is too little; false when there is none. */
bool cn_writer_grow(cn_writer *w, size_t size);

/* Room for size more bytes, which the caller fills; NULL (and failed) when there is none, and where bytes are only counted. */
static inline uint8_t *cn_writer_extend(cn_writer *w, size_t size)
{
	if (w->failed)
		return NULL;
	if (w->counts) {
		w->size += size;
		return NULL;
	}
	if (size > w->capacity - w->size && !cn_writer_grow(w, size)) {
		w->failed = true;
		return NULL;
	}
	uint8_t *place = w->data + w->size;
	w->size += size;
	return place;
}

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
static inline void cn_bytes_store(uint8_t *place, uint64_t x, size_t size) { memcpy(place, &x, size); }

static inline uint64_t cn_bytes_load(const uint8_t *place, size_t size)
{
	uint64_t x = 0;
	memcpy(&x, place, size);
	return x;
}
#else
static inline void cn_bytes_store(uint8_t *place, uint64_t x, size_t size)
{
	for (size_t i = 0; i < size; ++i)
		place[i] = (uint8_t)(x >> (8 * i));
}

static inline uint64_t cn_bytes_load(const uint8_t *place, size_t size)
{
	uint64_t x = 0;
	for (size_t i = 0; i < size; ++i)
		x |= (uint64_t)place[i] << (8 * i);
	return x;
}
#endif

static inline void cn_bytes_store_f64(uint8_t *place, double x)
{
	uint64_t word;
	memcpy(&word, &x, sizeof word);
	cn_bytes_store(place, word, 8);
}

static inline double cn_bytes_load_f64(const uint8_t *place)
{
	uint64_t word = cn_bytes_load(place, 8);
	double x;
	memcpy(&x, &word, sizeof x);
	return x;
}

/* One value after another in a room that was asked for at once: where the next one goes. Asking once for many is what makes a
 * snapshot of a thousand bodies fast. */
static inline uint8_t *cn_lay_u8(uint8_t *place, uint8_t x) { return *place = x, place + 1; }
static inline uint8_t *cn_lay_u32(uint8_t *place, uint32_t x) { return cn_bytes_store(place, x, 4), place + 4; }
static inline uint8_t *cn_lay_u64(uint8_t *place, uint64_t x) { return cn_bytes_store(place, x, 8), place + 8; }
static inline uint8_t *cn_lay_f64(uint8_t *place, double x) { return cn_bytes_store_f64(place, x), place + 8; }

static inline uint8_t *cn_lay_v3(uint8_t *place, cairn_vec3 v)
{
	return cn_lay_f64(cn_lay_f64(cn_lay_f64(place, v.x), v.y), v.z);
}

static inline uint8_t *cn_lay_quat(uint8_t *place, cairn_quat q)
{
	return cn_lay_f64(cn_lay_f64(cn_lay_f64(cn_lay_f64(place, q.w), q.x), q.y), q.z);
}

static inline void cn_put_u8(cn_writer *w, uint8_t x)
{
	uint8_t *place = cn_writer_extend(w, 1);
	if (place)
		cn_lay_u8(place, x);
}

static inline void cn_put_u32(cn_writer *w, uint32_t x)
{
	uint8_t *place = cn_writer_extend(w, 4);
	if (place)
		cn_lay_u32(place, x);
}

static inline void cn_put_u64(cn_writer *w, uint64_t x)
{
	uint8_t *place = cn_writer_extend(w, 8);
	if (place)
		cn_lay_u64(place, x);
}

static inline void cn_put_f64(cn_writer *w, double x)
{
	uint8_t *place = cn_writer_extend(w, 8);
	if (place)
		cn_lay_f64(place, x);
}

static inline void cn_put_v3(cn_writer *w, cairn_vec3 v)
{
	uint8_t *place = cn_writer_extend(w, 24);
	if (place)
		cn_lay_v3(place, v);
}

static inline void cn_put_quat(cn_writer *w, cairn_quat q)
{
	uint8_t *place = cn_writer_extend(w, 32);
	if (place)
		cn_lay_quat(place, q);
}

void cn_put_bytes(cn_writer *w, const void *bytes, size_t size);
void cn_put_handle(cn_writer *w, uint32_t index, uint32_t generation); /* of any kind */
void cn_put_text(cn_writer *w, const char *text);                      /* u32 length, bytes; NULL as "" */

typedef struct cn_reader {
	const uint8_t *data;
	size_t size, at;
	bool failed;
} cn_reader;

static inline size_t cn_reader_left(const cn_reader *r) { return r->size - r->at; }
/* NULL when there are not so many. */
static inline const uint8_t *cn_get_bytes(cn_reader *r, size_t size)
{
	if (r->failed || size > r->size - r->at) {
		r->failed = true;
		return NULL;
	}
	const uint8_t *place = r->data + r->at;
	r->at += size;
	return place;
}

/* The same the other way: the next value of a room of which one knows that it is there. */
static inline uint8_t cn_take_u8(const uint8_t **place) { return *(*place)++; }

static inline uint32_t cn_take_u32(const uint8_t **place)
{
	*place += 4;
	return (uint32_t)cn_bytes_load(*place - 4, 4);
}

static inline uint64_t cn_take_u64(const uint8_t **place)
{
	*place += 8;
	return cn_bytes_load(*place - 8, 8);
}

static inline double cn_take_f64(const uint8_t **place)
{
	*place += 8;
	return cn_bytes_load_f64(*place - 8);
}

static inline cairn_vec3 cn_take_v3(const uint8_t **place)
{
	cairn_vec3 v;
	v.x = cn_take_f64(place), v.y = cn_take_f64(place), v.z = cn_take_f64(place);
	return v;
}

static inline cairn_quat cn_take_quat(const uint8_t **place)
{
	cairn_quat q;
	q.w = cn_take_f64(place), q.x = cn_take_f64(place), q.y = cn_take_f64(place), q.z = cn_take_f64(place);
	return q;
}

static inline uint8_t cn_get_u8(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 1);
	return place ? *place : 0;
}

/* Fails on anything but 0 and 1. */
static inline bool cn_is_bool(cn_reader *r, uint8_t x)
{
	if (x > 1)
		r->failed = true;
	return x == 1;
}

static inline bool cn_get_bool(cn_reader *r) { return cn_is_bool(r, cn_get_u8(r)); }

static inline uint32_t cn_get_u32(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 4);
	return place ? cn_take_u32(&place) : 0;
}

static inline uint64_t cn_get_u64(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 8);
	return place ? cn_take_u64(&place) : 0;
}

static inline double cn_get_f64(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 8);
	return place ? cn_take_f64(&place) : 0;
}

static inline cairn_vec3 cn_get_v3(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 24);
	return place ? cn_take_v3(&place) : (cairn_vec3){0, 0, 0};
}

static inline cairn_quat cn_get_quat(cn_reader *r)
{
	const uint8_t *place = cn_get_bytes(r, 32);
	return place ? cn_take_quat(&place) : (cairn_quat){0, 0, 0, 0};
}

cairn_body cn_get_handle(cn_reader *r); /* of any kind */
/* A count that is followed by at least least bytes for each element: fails when the rest is too short for it. */
uint32_t cn_get_count(cn_reader *r, size_t least);
/* A copy from the allocator, terminated; NULL on failure. Text with a 0 byte in it fails. When memory ran out and the
 * bytes were good, failed stays unset. */
char *cn_get_text(cn_reader *r, const cairn_allocator *allocator);

#endif
