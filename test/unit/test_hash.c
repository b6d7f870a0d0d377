/* The checksum against published values and against one bit at a time, the state hash, the random numbers. */
#include "test.h"

#include "base/hash.h"

TEST(crc32_known)
{
	CHECK(cn_crc32(0, "", 0) == 0);
	CHECK(cn_crc32(0, "123456789", 9) == 0xcbf43926u); /* the check value of CRC-32/ISO-HDLC */
	CHECK(cn_crc32(0, "IEND", 4) == 0xae426082u);      /* ends every PNG file */
}

static uint32_t crc_by_bits(const uint8_t *bytes, size_t size)
{
	uint32_t crc = 0xffffffffu;
	for (size_t i = 0; i < size; ++i) {
		crc ^= bytes[i];
		for (int k = 0; k < 8; ++k)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
	}
	return ~crc;
}

TEST(crc32_every_length_and_split)
{
	uint8_t bytes[700]; /* long runs go another way on some machines */
	uint64_t state = 9;
	for (size_t i = 0; i < sizeof bytes; ++i)
		bytes[i] = (uint8_t)cn_random_u64(&state);
	for (size_t size = 0; size <= sizeof bytes; ++size) {
		uint32_t wanted = crc_by_bits(bytes, size);
		CHECK(cn_crc32(0, bytes, size) == wanted);
		for (size_t cut = 0; cut <= size; cut += 37)
			CHECK(cn_crc32(cn_crc32(0, bytes, cut), bytes + cut, size - cut) == wanted);
	}
}

TEST(crc32_sees_every_bit)
{
	uint8_t bytes[32] = {0};
	uint32_t whole = cn_crc32(0, bytes, sizeof bytes);
	for (size_t bit = 0; bit < 8 * sizeof bytes; ++bit) {
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
		CHECK(cn_crc32(0, bytes, sizeof bytes) != whole);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
}

TEST(state_hash)
{
	CHECK(cn_hash_double(CN_HASH_START, 0.0) == cn_hash_double(CN_HASH_START, -0.0));
	CHECK(cn_hash_double(CN_HASH_START, 1.0) != cn_hash_double(CN_HASH_START, nextafter(1.0, 2.0)));
	uint64_t ab = cn_hash_u64(cn_hash_u64(CN_HASH_START, 1), 2), ba = cn_hash_u64(cn_hash_u64(CN_HASH_START, 2), 1);
	CHECK(ab != ba);
}

TEST(random_numbers)
{
	uint64_t state = 0;
	CHECK(cn_random_u64(&state) == 0xe220a8397b1dcdafull); /* splitmix64 from 0, as its authors publish it */
	CHECK(cn_random_u64(&state) == 0x6e789e6aa1b965f4ull);
	double sum = 0, least = 1, most = -1;
	for (int i = 0; i < 100000; ++i) {
		double x = cn_random_signed(&state);
		sum += x;
		least = x < least ? x : least;
		most = x > most ? x : most;
	}
	CHECK(least >= -1 && least < -0.999 && most < 1 && most > 0.999);
	CHECK_NEAR(sum / 100000, 0, 0.01);
}

TEST_MAIN(TEST_CASE(crc32_known), TEST_CASE(crc32_every_length_and_split), TEST_CASE(crc32_sees_every_bit),
          TEST_CASE(state_hash), TEST_CASE(random_numbers))
