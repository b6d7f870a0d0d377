/* Files as bytes. */
#ifndef FILE_BYTES_H
#define FILE_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct bytes {
	uint8_t *data;
	size_t size;
} bytes;

static inline bytes read_bytes(const char *path)
{
	bytes b = {0};
	FILE *file = fopen(path, "rb");
	if (!file)
		return b;
	fseek(file, 0, SEEK_END);
	long size = ftell(file);
	rewind(file);
	b.data = malloc(size > 0 ? (size_t)size : 1);
	b.size = b.data && size > 0 ? fread(b.data, 1, (size_t)size, file) : 0;
	fclose(file);
	return b;
}

static inline bool write_bytes(const char *path, const uint8_t *data, size_t size)
{
	FILE *file = fopen(path, "wb");
	if (!file)
		return false;
	bool ok = fwrite(data, 1, size, file) == size;
	return fclose(file) == 0 && ok;
}

#endif
