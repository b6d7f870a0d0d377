/* CRC-32 sixteen bytes at a time ("slicing by 8", twice: Kounavis and Berry, A Systematic Approach to Building High Performance
 * Software-based CRC Generators, 2005).
 *
 * Row k of the table holds what a byte followed by k zero bytes leaves in the register. The remainder is linear over
 * exclusive or, so a row follows from its eight entries for single bits, and the compiler can build it: the table is
 * constant and nothing is computed at run time. */
#include "base/hash.h"

#include "base/crc_wide.h"

#define CN_BIT(i, n, entry) ((((i) >> (n)) & 1u) ? entry##u : 0u)
#define CN_ENTRY(i, a, b, c, d, e, f, g, h)                                                                            \
	(CN_BIT(i, 0, a) ^ CN_BIT(i, 1, b) ^ CN_BIT(i, 2, c) ^ CN_BIT(i, 3, d) ^ CN_BIT(i, 4, e) ^ CN_BIT(i, 5, f) ^       \
	 CN_BIT(i, 6, g) ^ CN_BIT(i, 7, h))
#define CN_4(i, ...)                                                                                                   \
	CN_ENTRY(i, __VA_ARGS__), CN_ENTRY((i) + 1u, __VA_ARGS__), CN_ENTRY((i) + 2u, __VA_ARGS__),                        \
		CN_ENTRY((i) + 3u, __VA_ARGS__)
#define CN_16(i, ...)                                                                                                  \
	CN_4(i, __VA_ARGS__), CN_4((i) + 4u, __VA_ARGS__), CN_4((i) + 8u, __VA_ARGS__), CN_4((i) + 12u, __VA_ARGS__)
#define CN_64(i, ...)                                                                                                  \
	CN_16(i, __VA_ARGS__), CN_16((i) + 16u, __VA_ARGS__), CN_16((i) + 32u, __VA_ARGS__), CN_16((i) + 48u, __VA_ARGS__)
#define CN_ROW(...)                                                                                                    \
	{                                                                                                                  \
		CN_64(0u, __VA_ARGS__), CN_64(64u, __VA_ARGS__), CN_64(128u, __VA_ARGS__), CN_64(192u, __VA_ARGS__)            \
	}

static const uint32_t table[16][256] = {
	CN_ROW(0x77073096, 0xee0e612c, 0x076dc419, 0x0edb8832, 0x1db71064, 0x3b6e20c8, 0x76dc4190, 0xedb88320),
	CN_ROW(0x191b3141, 0x32366282, 0x646cc504, 0xc8d98a08, 0x4ac21251, 0x958424a2, 0xf0794f05, 0x3b83984b),
	CN_ROW(0x01c26a37, 0x0384d46e, 0x0709a8dc, 0x0e1351b8, 0x1c26a370, 0x384d46e0, 0x709a8dc0, 0xe1351b80),
	CN_ROW(0xb8bc6765, 0xaa09c88b, 0x8f629757, 0xc5b428ef, 0x5019579f, 0xa032af3e, 0x9b14583d, 0xed59b63b),
	CN_ROW(0x3d6029b0, 0x7ac05360, 0xf580a6c0, 0x30704bc1, 0x60e09782, 0xc1c12f04, 0x58f35849, 0xb1e6b092),
	CN_ROW(0xcb5cd3a5, 0x4dc8a10b, 0x9b914216, 0xec53826d, 0x03d6029b, 0x07ac0536, 0x0f580a6c, 0x1eb014d8),
	CN_ROW(0xa6770bb4, 0x979f1129, 0xf44f2413, 0x33ef4e67, 0x67de9cce, 0xcfbd399c, 0x440b7579, 0x8816eaf2),
	CN_ROW(0xccaa009e, 0x4225077d, 0x844a0efa, 0xd3e51bb5, 0x7cbb312b, 0xf9766256, 0x299dc2ed, 0x533b85da),
	CN_ROW(0x177b1443, 0x2ef62886, 0x5dec510c, 0xbbd8a218, 0xacc04271, 0x82f182a3, 0xde920307, 0x6655004f),
	CN_ROW(0xefc26b3e, 0x04f5d03d, 0x09eba07a, 0x13d740f4, 0x27ae81e8, 0x4f5d03d0, 0x9eba07a0, 0xe6050901),
	CN_ROW(0xc18edfc0, 0x586cb9c1, 0xb0d97382, 0xbac3e145, 0xaef6c4cb, 0x869c8fd7, 0xd64819ef, 0x77e1359f),
	CN_ROW(0x9ba54c6f, 0xec3b9e9f, 0x03063b7f, 0x060c76fe, 0x0c18edfc, 0x1831dbf8, 0x3063b7f0, 0x60c76fe0),
	CN_ROW(0xdd96d985, 0x605cb54b, 0xc0b96a96, 0x5a03d36d, 0xb407a6da, 0xb37e4bf5, 0xbd8d91ab, 0xa06a2517),
	CN_ROW(0x9d0fe176, 0xe16ec4ad, 0x19ac8f1b, 0x33591e36, 0x66b23c6c, 0xcd6478d8, 0x41b9f7f1, 0x8373efe2),
	CN_ROW(0xb9fbdbe8, 0xa886b191, 0x8a7c6563, 0xcf89cc87, 0x44629f4f, 0x88c53e9e, 0xcafb7b7d, 0x4e87f0bb),
	CN_ROW(0xae689191, 0x87a02563, 0xd4314c87, 0x73139f4f, 0xe6273e9e, 0x173f7b7d, 0x2e7ef6fa, 0x5cfdedf4),
};

/* The register after these bytes. */
static uint32_t by_table(uint32_t crc, const uint8_t *p, size_t size)
{
	for (; size >= 16; size -= 16, p += 16) {
		uint32_t low = crc ^ ((uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
		crc = table[15][low & 255] ^ table[14][(low >> 8) & 255] ^ table[13][(low >> 16) & 255] ^ table[12][low >> 24] ^
		      table[11][p[4]] ^ table[10][p[5]] ^ table[9][p[6]] ^ table[8][p[7]] ^ table[7][p[8]] ^ table[6][p[9]] ^
		      table[5][p[10]] ^ table[4][p[11]] ^ table[3][p[12]] ^ table[2][p[13]] ^ table[1][p[14]] ^ table[0][p[15]];
	}
	for (; size > 0; --size, ++p)
		crc = table[0][(crc ^ *p) & 255] ^ (crc >> 8);
	return crc;
}

uint32_t cn_crc32(uint32_t crc, const void *bytes, size_t size)
{
	uint8_t folded[16];
	size_t done = cn_crc32_fold(~crc, bytes, size, folded);
	crc = done ? by_table(0, folded, sizeof folded) : ~crc;
	return ~by_table(crc, (const uint8_t *)bytes + done, size - done);
}

uint64_t cn_hash_bytes(const void *bytes, size_t size)
{
	const uint8_t *b = bytes;
	uint64_t hash = CN_HASH_START;
	for (size_t i = 0; i < size; i += 8) {
		uint64_t word = 0;
		for (size_t k = 0; k < 8 && i + k < size; ++k)
			word |= (uint64_t)b[i + k] << (8 * k);
		hash = cn_hash_u64(hash, word);
	}
	return cn_hash_u64(hash, size);
}
