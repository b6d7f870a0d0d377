/* The sweep with AVX2: eight lanes in one vector take half the instructions. AVX2 is named alone: fused multiplication is
 * another option. */
#define CN_TARGET "avx2"
#define CN_TARGET_SWEEP cn_fast_sweep_avx2
#define CN_TARGET_HAS cn_fast_has_avx2
#define CN_TARGET_TEST (__builtin_cpu_supports("avx2") != 0)

#include "num/qp_fast_target.h"
