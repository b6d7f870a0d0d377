/* See qp_fast_kernel.h: the same sweep for machines with AVX2, chosen when the program runs. Eight lanes in one
 * vector take half the instructions; the numbers are the same to the last bit. AVX2 is named alone: fused
 * multiplication is another option. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CN_LANES_AVX2
#include <immintrin.h> /* before the target is widened: it declares for all of them */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif
#endif

#include "num/qp_fast_parts.h"

#if defined(CN_LANES_AVX2)

#include "num/qp_fast_kernel.h"

void cn_fast_sweep_avx2(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk)
{
	sweep_span(fast, pass, chunk);
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

bool cn_fast_has_avx2(void) { return __builtin_cpu_supports("avx2") != 0; }

#else

void cn_fast_sweep_avx2(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk)
{
	(void)fast;
	(void)pass;
	(void)chunk;
}

bool cn_fast_has_avx2(void) { return false; }

#endif
