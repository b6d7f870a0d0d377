/* CRC-32 of long runs of bytes where the machine multiplies polynomials without carry (x86-64 with PCLMULQDQ). A block of 128 bits
 * that n bits follow leaves the same remainder as its two halves times x^(n+64) and x^n modulo the polynomial: so four blocks
 * at a time move on by 512 bits each, then they become one, and that one is as good as all bytes before it. The numbers are the
 * same to the last bit as those of the table. */
#include "base/crc_wide.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

/* The powers, bits reversed and shifted by one as the reversed product needs it: x^(512+32), x^(512-32); x^(128+32), x^(128-32). */
#define CN_BY_512_LOW 0x154442bd4ll
#define CN_BY_512_HIGH 0x1c6e41596ll
#define CN_BY_128_LOW 0x1751997d0ll
#define CN_BY_128_HIGH 0x0ccaa009ell

__attribute__((target("pclmul,sse2"))) static __m128i move_on(__m128i block, __m128i by, __m128i next)
{
	__m128i low = _mm_clmulepi64_si128(block, by, 0x00), high = _mm_clmulepi64_si128(block, by, 0x11);
	return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

static __m128i load(const uint8_t *p) { return _mm_loadu_si128((const __m128i *)(const void *)p); }

__attribute__((target("pclmul,sse2"))) size_t cn_crc32_fold(uint32_t crc, const uint8_t *p, size_t size,
                                                            uint8_t out[16])
{
	if (size < CN_CRC_WIDE || !__builtin_cpu_supports("pclmul"))
		return 0;
	const __m128i far = _mm_set_epi64x(CN_BY_512_HIGH, CN_BY_512_LOW);
	const __m128i near = _mm_set_epi64x(CN_BY_128_HIGH, CN_BY_128_LOW);
	__m128i a = _mm_xor_si128(load(p), _mm_cvtsi32_si128((int)crc)), b = load(p + 16), c = load(p + 32),
			d = load(p + 48);
	size_t at = 64;
	for (; at + 64 <= size; at += 64) {
		a = move_on(a, far, load(p + at)), b = move_on(b, far, load(p + at + 16));
		c = move_on(c, far, load(p + at + 32)), d = move_on(d, far, load(p + at + 48));
	}
	d = move_on(move_on(move_on(a, near, b), near, c), near, d);
	for (; at + 16 <= size; at += 16)
		d = move_on(d, near, load(p + at));
	_mm_storeu_si128((__m128i *)(void *)out, d);
	return at;
}

#else

size_t cn_crc32_fold(uint32_t crc, const uint8_t *p, size_t size, uint8_t out[16])
{
	(void)crc, (void)p, (void)size, (void)out;
	return 0;
}

#endif
