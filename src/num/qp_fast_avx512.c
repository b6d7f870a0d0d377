/* The sweep for machines that have 32 registers for vectors of eight and not 16 (AVX-512VL). What two batches side by
 * side work on then stays in registers, which takes a fifth of the time off. No vector is longer, and none is fused:
 * contraction is off. */
#define CN_TARGET "avx2,avx512f,avx512vl,avx512dq"
#define CN_TARGET_SWEEP cn_fast_sweep_avx512
#define CN_TARGET_HAS cn_fast_has_avx512
#define CN_TARGET_TEST                                                                                                 \
	(__builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512vl") != 0 &&                              \
	 __builtin_cpu_supports("avx512dq") != 0)

#include "num/qp_fast_target.h"
