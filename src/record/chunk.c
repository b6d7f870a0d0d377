/* Head and chunks of a recording. A chunk's head has a checksum of its own, so that its length can be trusted before
 * the payload is read, and a file that merely ends is told from one that is damaged. */
#include "record/chunk.h"

#include "base/hash.h"

static const char magic[8] = {'C', 'A', 'I', 'R', 'N', 'R', 'E', 'C'};

void cn_head_put(cn_writer *w)
{
	size_t begin = w->size;
	cn_put_bytes(w, magic, sizeof magic);
	cn_put_u32(w, CN_RECORDING_VERSION);
	if (!w->failed)
		cn_put_u32(w, cn_crc32(0, w->data + begin, w->size - begin));
}

cn_head cn_head_check(const uint8_t *bytes, size_t size, uint32_t *version)
{
	if (memcmp(bytes, magic, size < sizeof magic ? size : sizeof magic) != 0)
		return CN_HEAD_FOREIGN;
	if (size < CN_HEAD_BYTES)
		return CN_HEAD_SHORT;
	cn_reader r = {.data = bytes, .size = CN_HEAD_BYTES, .at = sizeof magic};
	*version = cn_get_u32(&r);
	if (cn_get_u32(&r) != cn_crc32(0, bytes, CN_HEAD_BYTES - 4))
		return CN_HEAD_DAMAGED;
	return *version == CN_RECORDING_VERSION ? CN_HEAD_GOOD : CN_HEAD_OTHER;
}

/* Puts at the end and moves to its place: only the writer's own functions know the byte order. */
static void patch(cn_writer *w, size_t place, size_t end)
{
	if (!w->failed) {
		memcpy(w->data + place, w->data + end, w->size - end);
		w->size = end;
	}
}

size_t cn_chunk_begin(cn_writer *w, uint32_t kind, uint32_t frame)
{
	size_t begin = w->size;
	cn_put_u32(w, kind);
	cn_put_u64(w, 0);
	cn_put_u32(w, frame);
	cn_put_u32(w, 0);
	return begin;
}

void cn_chunk_end(cn_writer *w, size_t begin)
{
	if (w->failed)
		return;
	size_t payload = begin + CN_CHUNK_HEAD_BYTES, end = w->size;
	cn_put_u64(w, end - payload);
	patch(w, begin + 4, end);
	if (w->failed)
		return;
	cn_put_u32(w, cn_crc32(0, w->data + begin, CN_CHUNK_HEAD_BYTES - 4));
	patch(w, begin + CN_CHUNK_HEAD_BYTES - 4, end);
	if (!w->failed)
		cn_put_u32(w, cn_crc32(0, w->data + payload, end - payload));
}

bool cn_chunk_head(const uint8_t *bytes, cn_record_chunk *chunk)
{
	cn_reader r = {.data = bytes, .size = CN_CHUNK_HEAD_BYTES};
	*chunk = (cn_record_chunk){.kind = cn_get_u32(&r)};
	chunk->length = cn_get_u64(&r);
	chunk->frame = cn_get_u32(&r);
	return cn_get_u32(&r) == cn_crc32(0, bytes, CN_CHUNK_HEAD_BYTES - 4);
}

bool cn_chunk_next(cn_reader *r, cn_record_chunk *chunk)
{
	const uint8_t *head = cn_get_bytes(r, CN_CHUNK_HEAD_BYTES);
	if (!head || !cn_chunk_head(head, chunk) || chunk->length > cn_reader_left(r)) {
		r->failed = true;
		return false;
	}
	size_t length = (size_t)chunk->length;
	chunk->payload = (cn_reader){.data = cn_get_bytes(r, length), .size = length};
	uint32_t crc = cn_get_u32(r);
	if (!r->failed && crc != cn_crc32(0, chunk->payload.data, length))
		r->failed = true;
	return !r->failed;
}

cn_kind_text cn_kind_name(uint32_t kind)
{
	cn_kind_text name = {{0}};
	for (int i = 0; i < 4; ++i) {
		uint32_t letter = (kind >> (8 * i)) & 255;
		name.text[i] = letter >= 'A' && letter <= 'Z' ? (char)letter : '?';
	}
	return name;
}
