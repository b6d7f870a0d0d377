/* Recordings: any bytes open, are called damaged, or are refused. The checksums are made right first, or nothing but
 * checksums would be tested. */
#include "base/hash.h"
#include "fuzz.h"
#include "record/chunk.h"

static void put32(uint8_t *at, uint32_t x)
{
	for (int i = 0; i < 4; ++i)
		at[i] = (uint8_t)(x >> (8 * i));
}

static void mend(uint8_t *b, size_t size)
{
	if (size < CN_HEAD_BYTES)
		return;
	put32(b + 12, cn_crc32(0, b, 12));
	for (size_t at = CN_HEAD_BYTES; size - at >= CN_CHUNK_FRAMING;) {
		uint64_t length = 0;
		for (int i = 0; i < 8; ++i)
			length |= (uint64_t)b[at + 4 + (size_t)i] << (8 * i);
		if (length > size - at - CN_CHUNK_FRAMING)
			return;
		put32(b + at + 16, cn_crc32(0, b + at, 16));
		put32(b + at + 20 + length, cn_crc32(0, b + at + 20, (size_t)length));
		at += CN_CHUNK_FRAMING + (size_t)length;
	}
}

static void look(const char *path)
{
	cairn_error error = {0};
	cairn_recording *recording = cairn_recording_open(path, NULL, &error);
	EXPECT(recording || (error.code != CAIRN_OK && error.message[0]));
	if (!recording)
		return;
	cairn_recording_info info = cairn_recording_get_info(recording);
	for (uint32_t i = info.first_frame; i <= info.last_frame && i - info.first_frame < 20; ++i) {
		cairn_frame frame;
		if (!cairn_recording_read(recording, i, &frame, &error))
			break;
	}
	cairn_world_def def = cairn_default_world_def();
	def.threads = 1;
	cairn_world *world = cairn_recording_world(recording, &def, &error);
	if (world)
		(void)cairn_world_step(world);
	cairn_world_destroy(world);
	cairn_recording_close(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char path[] = "fuzz_recording.tmp";
	uint8_t *bytes = malloc(size ? size : 1);
	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	mend(bytes, size);
	FILE *file = fopen(path, "wb");
	bool ok = file && fwrite(bytes, 1, size, file) == size;
	if (file && fclose(file) == 0 && ok)
		look(path);
	free(bytes);
	return 0;
}
