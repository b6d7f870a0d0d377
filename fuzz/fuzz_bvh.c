/* Captured motion: any text is read or refused with its line, and what is read is numbers of every frame. */
#include "fuzz.h"
#include "io/bvh_read.h"

#include <math.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cairn_allocator allocator = cairn_default_allocator();
	cn_arena arena = cn_arena_make(&allocator);
	cairn_error error = {0};
	cn_bvh motion;
	char *text = malloc(size ? size : 1); /* of this size and no more, so that reading beyond it is seen */
	if (!text)
		return 0;
	memcpy(text, data, size);
	bool read = cn_bvh_read(text, size, "x.bvh", &arena, &motion, &error);
	free(text);
	EXPECT(read || (error.message[0] && error.line >= 1) || error.code == CAIRN_MEMORY);
	if (read) {
		EXPECT(motion.frame_count >= 1 && motion.frame_time > 0);
		EXPECT(!motion.channels[motion.channel_count]);
		for (uint32_t i = 0; i < motion.channel_count; ++i)
			EXPECT(strchr(motion.channels[i], ' '));
		for (size_t i = 0; i < (size_t)motion.frame_count * motion.channel_count; ++i)
			EXPECT(isfinite(motion.values[i]));
	}
	cn_arena_free(&arena);
	return 0;
}
