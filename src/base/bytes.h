/* Writing and reading little-endian bytes: snapshots, inputs and recordings are the same on every machine.
 *
 * A writer grows through its allocator and remembers failure; check failed once at the end. A reader refuses to
 * go past its end and remembers that too; every value read after that is 0. */
#ifndef CN_BYTES_H
#define CN_BYTES_H

#include "base/base.h"

typedef struct cn_writer {
	cairn_allocator allocator;
	uint8_t *data;
	size_t size, capacity;
	bool failed;
} cn_writer;

void cn_writer_free(cn_writer *w);
static inline void cn_writer_reset(cn_writer *w) { w->size = 0, w->failed = false; } /* keeps the memory */

void cn_put_bytes(cn_writer *w, const void *bytes, size_t size);
void cn_put_u8(cn_writer *w, uint8_t x);
void cn_put_u32(cn_writer *w, uint32_t x);
void cn_put_u64(cn_writer *w, uint64_t x);
void cn_put_f64(cn_writer *w, double x);
void cn_put_v3(cn_writer *w, cairn_vec3 v);
void cn_put_quat(cn_writer *w, cairn_quat q);
void cn_put_handle(cn_writer *w, uint32_t index, uint32_t generation); /* of any kind */
void cn_put_text(cn_writer *w, const char *text);                      /* u32 length, bytes; NULL as "" */

typedef struct cn_reader {
	const uint8_t *data;
	size_t size, at;
	bool failed;
} cn_reader;

static inline size_t cn_reader_left(const cn_reader *r) { return r->size - r->at; }
const uint8_t *cn_get_bytes(cn_reader *r, size_t size); /* NULL when there are not so many */
uint8_t cn_get_u8(cn_reader *r);
bool cn_get_bool(cn_reader *r); /* fails on anything but 0 and 1 */
uint32_t cn_get_u32(cn_reader *r);
uint64_t cn_get_u64(cn_reader *r);
double cn_get_f64(cn_reader *r);
cairn_vec3 cn_get_v3(cn_reader *r);
cairn_quat cn_get_quat(cn_reader *r);
cairn_body cn_get_handle(cn_reader *r); /* of any kind */
/* A count that is followed by at least least bytes for each element: fails when the rest is too short for it. */
uint32_t cn_get_count(cn_reader *r, size_t least);
/* A copy from the allocator, terminated; NULL on failure. Text with a 0 byte in it fails. When memory ran out and the
 * bytes were good, failed stays unset. */
char *cn_get_text(cn_reader *r, const cairn_allocator *allocator);

#endif
