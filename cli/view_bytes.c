/* Bytes that grow, and whole numbers in as few of them as they need. */
#include "message.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

void view_put_bytes(view_bytes *b, const void *data, size_t size)
{
	if (b->room - b->size < size) {
		b->room = (b->size + size) * 3 / 2 + 4096;
		b->data = memory_resize(b->data, b->room);
	}
	if (size > 0)
		memcpy(b->data + b->size, data, size);
	b->size += size;
}

void view_put_byte(view_bytes *b, unsigned value)
{
	unsigned char byte = (unsigned char)value;
	view_put_bytes(b, &byte, 1);
}

void view_put_u32(view_bytes *b, uint32_t value)
{
	for (int i = 0; i < 4; ++i)
		view_put_byte(b, value >> (8 * i) & 255);
}

void view_put_u64(view_bytes *b, uint64_t value)
{
	view_put_u32(b, (uint32_t)value);
	view_put_u32(b, (uint32_t)(value >> 32));
}

void view_put_float(view_bytes *b, double value)
{
	float narrow = (float)value;
	uint32_t bits;
	memcpy(&bits, &narrow, sizeof bits);
	view_put_u32(b, bits);
}

void view_put_count(view_bytes *b, uint64_t value)
{
	for (; value >= 128; value >>= 7)
		view_put_byte(b, (unsigned)(value & 127) | 128);
	view_put_byte(b, (unsigned)value);
}

void view_put_signed(view_bytes *b, int64_t value)
{
	uint64_t bits = (uint64_t)value;
	view_put_count(b, value < 0 ? ~(bits << 1) : bits << 1);
}

void view_free_bytes(view_bytes *b)
{
	free(b->data);
	*b = (view_bytes){0};
}
