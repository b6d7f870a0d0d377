/* The sweeps with AVX2: four numbers in one vector. AVX2 is named alone: fused multiplication is another option. */
#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h> /* before the target is widened: it declares for all of them */
#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2")
#endif

#define CN_FOUR_AVX
#define CN_SWEEPS static const cn_relax_sweeps wide
#include "step/relax/sweeps_all.h"

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

const cn_relax_sweeps *cn_relax_sweeps_wide(void) { return __builtin_cpu_supports("avx2") ? &wide : NULL; }

#else

#include "step/relax/sweeps.h"

const cn_relax_sweeps *cn_relax_sweeps_wide(void) { return NULL; }

#endif
