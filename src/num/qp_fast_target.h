/* The sweep of qp_fast_kernel.h for machines with more than the compiler may take for granted, chosen when the program
 * runs. Included once by each file of such a machine, which says before:
 *
 *   CN_TARGET        its features, as after target: "avx2"
 *   CN_TARGET_SWEEP  the name of the sweep
 *   CN_TARGET_HAS    the name of the function that tells whether this machine has them
 *   CN_TARGET_TEST   the expression that tells it
 *
 * The numbers are the same to the last bit on all of them. Elsewhere than on x86-64 no machine has them. */
#include "num/target_begin.h"

#include "num/qp_fast_parts.h"

#if defined(CN_LANES_AVX2)

#include "num/qp_fast_kernel.h"

void CN_TARGET_SWEEP(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk) { sweep_span(fast, pass, chunk); }

#include "num/target_end.h"

bool CN_TARGET_HAS(void) { return CN_TARGET_TEST; }

#else

void CN_TARGET_SWEEP(const cn_fast *fast, const cn_fast_pass *pass, uint32_t chunk)
{
	(void)fast;
	(void)pass;
	(void)chunk;
}

bool CN_TARGET_HAS(void) { return false; }

#endif
