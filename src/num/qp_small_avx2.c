/* See qp_small_parts.h: the kernel of the small solver with AVX2, whose instructions take three operands and vectors of
 * four. AVX2 is named alone: fused multiplication is another option. */
#define CN_TARGET "avx2"
#include "num/target_begin.h"

#include "num/qp_small_parts.h"

#if defined(CN_LANES_AVX2)

#include "num/qp_small_kernel.h"

#include "num/target_end.h"

const cn_small_kernel *cn_small_avx2(void) { return __builtin_cpu_supports("avx2") ? &kernel : NULL; }

#else

const cn_small_kernel *cn_small_avx2(void) { return NULL; }

#endif
