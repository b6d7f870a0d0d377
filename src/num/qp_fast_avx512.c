/* See qp_fast_avx2.c: the same for machines that have 32 registers for vectors of eight and not 16 (AVX-512VL). What two
 * batches side by side work on then stays in registers, which takes a fifth of the time off. No vector is longer, and
 * none is fused: contraction is off. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CN_LANES_AVX2
#include <immintrin.h> /* before the target is widened: it declares for all of them */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,avx512f,avx512vl,avx512dq"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,avx512f,avx512vl,avx512dq")
#endif
#endif

#include "num/qp_fast_parts.h"

#if defined(CN_LANES_AVX2)

#include "num/qp_fast_kernel.h"

void cn_fast_sweep_avx512(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk)
{
	sweep_span(fast, pass, chunk);
}

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

bool cn_fast_has_avx512(void)
{
	return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&
	       __builtin_cpu_supports("avx512dq") != 0;
}

#else

void cn_fast_sweep_avx512(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk)
{
	(void)fast;
	(void)pass;
	(void)chunk;
}

bool cn_fast_has_avx512(void) { return false; }

#endif
