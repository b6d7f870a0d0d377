/* The framing of a recording: a head, then chunks, each of which proves itself by checksums (docs/recording-format.md).
 *
 *   head:  "CAIRNREC", u32 version, u32 crc of the 12 bytes before it
 *   chunk: u32 kind (four letters), u64 length, u32 frame, u32 crc of the 16 bytes before it, payload, u32 crc of it */
#ifndef CN_CHUNK_H
#define CN_CHUNK_H

#include "base/bytes.h"

#define CN_RECORDING_VERSION 2u
#define CN_KIND(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

#define CN_CHUNK_SCENE CN_KIND('S', 'C', 'E', 'N')
#define CN_CHUNK_SHAPES CN_KIND('S', 'H', 'A', 'P')
#define CN_CHUNK_MATERIALS CN_KIND('M', 'A', 'T', 'L')
#define CN_CHUNK_BODIES CN_KIND('B', 'O', 'D', 'Y')
#define CN_CHUNK_EXEMPT CN_KIND('E', 'X', 'E', 'M')
#define CN_CHUNK_RATE CN_KIND('R', 'A', 'T', 'E')
#define CN_CHUNK_CHECKPOINT CN_KIND('C', 'H', 'K', 'P')
#define CN_CHUNK_DEPTH CN_KIND('D', 'P', 'T', 'H')
#define CN_CHUNK_DEBT CN_KIND('D', 'E', 'B', 'T')
#define CN_CHUNK_LATE CN_KIND('L', 'A', 'T', 'E')
#define CN_CHUNK_JOINTS CN_KIND('J', 'O', 'N', 'T')
#define CN_CHUNK_COUNTS CN_KIND('C', 'N', 'T', 'S')
#define CN_CHUNK_SLEEP CN_KIND('S', 'L', 'E', 'P')
#define CN_CHUNK_TIMES CN_KIND('T', 'I', 'M', 'E')
#define CN_CHUNK_FRAME CN_KIND('F', 'R', 'A', 'M')
#define CN_CHUNK_DONE CN_KIND('D', 'O', 'N', 'E')

enum {
	CN_HEAD_BYTES = 16,
	CN_CHUNK_HEAD_BYTES = 20,
	CN_CHUNK_FRAMING = 24 /* all of a chunk but its payload */
};

void cn_head_put(cn_writer *w);

typedef enum cn_head { CN_HEAD_GOOD, CN_HEAD_FOREIGN, CN_HEAD_SHORT, CN_HEAD_DAMAGED, CN_HEAD_OTHER } cn_head;
/* What the first size (at most 16) bytes of a file say. version is set when they are whole. */
cn_head cn_head_check(const uint8_t *bytes, size_t size, uint32_t *version);

/* Whatever is put between the two is the payload. */
size_t cn_chunk_begin(cn_writer *w, uint32_t kind, uint32_t frame);
void cn_chunk_end(cn_writer *w, size_t begin);

typedef struct cn_record_chunk {
	uint32_t kind, frame;
	uint64_t length; /* of the payload */
	cn_reader payload;
} cn_record_chunk;

/* Takes the 20 bytes of a chunk's head apart; false when their checksum is wrong. payload is left empty. */
bool cn_chunk_head(const uint8_t *bytes, cn_record_chunk *chunk);
/* The next whole chunk of bytes in memory; false (and the reader failed) when it is torn or a checksum is wrong. */
bool cn_chunk_next(cn_reader *r, cn_record_chunk *chunk);

/* "FRAM": for messages; anything but letters shows as '?'. */
typedef struct cn_kind_text {
	char text[5];
} cn_kind_text;
cn_kind_text cn_kind_name(uint32_t kind);

#endif
