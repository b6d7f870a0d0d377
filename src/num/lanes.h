/* Eight logical lanes of float on every machine: two vectors of four, or where CN_LANES_AVX2 is defined one of
 * eight. No lane sees another, so the bits are the same; SSE2 and WebAssembly's simd128 have the four, AVX2 the
 * eight.
 *
 * Only + - * / and sqrt, comparisons by masks; no minimum or maximum instruction (they differ for NaN and -0), no
 * estimates. Nothing crosses lanes but the fixed transposes below. */
#ifndef CN_LANES_H
#define CN_LANES_H

#include "base/base.h"

#include <math.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#endif

typedef float vf4 __attribute__((vector_size(16)));
typedef int32_t vi4 __attribute__((vector_size(16)));

#define CN_LANES_INLINE static inline __attribute__((always_inline))

/* from and to must be aligned: to 16 bytes, for eight lanes to 32. */
CN_LANES_INLINE vf4 vf4_all(float x) { return (vf4){x, x, x, x}; }
CN_LANES_INLINE vf4 vf4_load(const float *from) { return *(const vf4 *)(const void *)from; }
CN_LANES_INLINE void vf4_store(float *to, vf4 x) { *(vf4 *)(void *)to = x; }
CN_LANES_INLINE vf4 vf4_low_pairs(vf4 a, vf4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
CN_LANES_INLINE vf4 vf4_high_pairs(vf4 a, vf4 b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
CN_LANES_INLINE vf4 vf4_low_halves(vf4 a, vf4 b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }
CN_LANES_INLINE vf4 vf4_high_halves(vf4 a, vf4 b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }

#if defined(CN_LANES_AVX2)

typedef float cn_lanes __attribute__((vector_size(32)));
typedef int32_t cn_lane_mask __attribute__((vector_size(32)));

CN_LANES_INLINE cn_lanes lanes_all(float x) { return (cn_lanes){x, x, x, x, x, x, x, x}; }
CN_LANES_INLINE cn_lanes lanes_load(const float *from) { return *(const cn_lanes *)(const void *)from; }
CN_LANES_INLINE void lanes_store(float *to, cn_lanes x) { *(cn_lanes *)(void *)to = x; }
CN_LANES_INLINE cn_lanes lanes_add(cn_lanes a, cn_lanes b) { return a + b; }
CN_LANES_INLINE cn_lanes lanes_sub(cn_lanes a, cn_lanes b) { return a - b; }
CN_LANES_INLINE cn_lanes lanes_mul(cn_lanes a, cn_lanes b) { return a * b; }
CN_LANES_INLINE cn_lanes lanes_div(cn_lanes a, cn_lanes b) { return a / b; }
CN_LANES_INLINE cn_lanes lanes_neg(cn_lanes a) { return -a; }
CN_LANES_INLINE cn_lanes lanes_sqrt(cn_lanes a) { return (cn_lanes)_mm256_sqrt_ps((__m256)a); }
CN_LANES_INLINE cn_lanes lanes_abs(cn_lanes a) { return (cn_lanes)((cn_lane_mask)a & INT32_MAX); }
/* a where x > y, else 0; a where x > y, else b. */
CN_LANES_INLINE cn_lanes lanes_where(cn_lanes x, cn_lanes y, cn_lanes a)
{
	return (cn_lanes)((cn_lane_mask)a & (x > y));
}
CN_LANES_INLINE cn_lanes lanes_choose(cn_lanes x, cn_lanes y, cn_lanes a, cn_lanes b)
{
	cn_lane_mask mask = x > y;
	return (cn_lanes)(((cn_lane_mask)a & mask) | ((cn_lane_mask)b & ~mask));
}
CN_LANES_INLINE cn_lanes lanes_both(vf4 lo, vf4 hi) { return __builtin_shufflevector(lo, hi, 0, 1, 2, 3, 4, 5, 6, 7); }
CN_LANES_INLINE vf4 lanes_lo(cn_lanes x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3); }
CN_LANES_INLINE vf4 lanes_hi(cn_lanes x) { return __builtin_shufflevector(x, x, 4, 5, 6, 7); }
/* The lower four of both, the upper four of both. */
CN_LANES_INLINE cn_lanes lanes_los(cn_lanes a, cn_lanes b)
{
	return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
}
CN_LANES_INLINE cn_lanes lanes_his(cn_lanes a, cn_lanes b)
{
	return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
}
CN_LANES_INLINE cn_lanes lanes_low_pairs(cn_lanes a, cn_lanes b)
{
	return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
}
CN_LANES_INLINE cn_lanes lanes_high_pairs(cn_lanes a, cn_lanes b)
{
	return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
}
CN_LANES_INLINE cn_lanes lanes_low_halves(cn_lanes a, cn_lanes b)
{
	return __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13);
}
CN_LANES_INLINE cn_lanes lanes_high_halves(cn_lanes a, cn_lanes b)
{
	return __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15);
}

#else

typedef struct cn_lanes {
	vf4 lo, hi;
} cn_lanes;

CN_LANES_INLINE vf4 vf4_mask(vf4 x, vi4 mask) { return (vf4)((vi4)x & mask); }
CN_LANES_INLINE vf4 vf4_select(vi4 mask, vf4 yes, vf4 no) { return (vf4)(((vi4)yes & mask) | ((vi4)no & ~mask)); }
CN_LANES_INLINE vf4 vf4_sqrt(vf4 x)
{
#if defined(__SSE2__)
	return (vf4)_mm_sqrt_ps((__m128)x);
#elif defined(__wasm_simd128__)
	return (vf4)wasm_f32x4_sqrt((v128_t)x);
#else
	return (vf4){sqrtf(x[0]), sqrtf(x[1]), sqrtf(x[2]), sqrtf(x[3])};
#endif
}

CN_LANES_INLINE cn_lanes lanes_all(float x) { return (cn_lanes){vf4_all(x), vf4_all(x)}; }
CN_LANES_INLINE cn_lanes lanes_load(const float *from) { return (cn_lanes){vf4_load(from), vf4_load(from + 4)}; }
CN_LANES_INLINE void lanes_store(float *to, cn_lanes x)
{
	vf4_store(to, x.lo);
	vf4_store(to + 4, x.hi);
}
CN_LANES_INLINE cn_lanes lanes_add(cn_lanes a, cn_lanes b) { return (cn_lanes){a.lo + b.lo, a.hi + b.hi}; }
CN_LANES_INLINE cn_lanes lanes_sub(cn_lanes a, cn_lanes b) { return (cn_lanes){a.lo - b.lo, a.hi - b.hi}; }
CN_LANES_INLINE cn_lanes lanes_mul(cn_lanes a, cn_lanes b) { return (cn_lanes){a.lo * b.lo, a.hi * b.hi}; }
CN_LANES_INLINE cn_lanes lanes_div(cn_lanes a, cn_lanes b) { return (cn_lanes){a.lo / b.lo, a.hi / b.hi}; }
CN_LANES_INLINE cn_lanes lanes_neg(cn_lanes a) { return (cn_lanes){-a.lo, -a.hi}; }
CN_LANES_INLINE cn_lanes lanes_sqrt(cn_lanes a) { return (cn_lanes){vf4_sqrt(a.lo), vf4_sqrt(a.hi)}; }
CN_LANES_INLINE cn_lanes lanes_abs(cn_lanes a)
{
	return (cn_lanes){(vf4)((vi4)a.lo & INT32_MAX), (vf4)((vi4)a.hi & INT32_MAX)};
}
/* a where x > y, else 0; a where x > y, else b. */
CN_LANES_INLINE cn_lanes lanes_where(cn_lanes x, cn_lanes y, cn_lanes a)
{
	return (cn_lanes){vf4_mask(a.lo, x.lo > y.lo), vf4_mask(a.hi, x.hi > y.hi)};
}
CN_LANES_INLINE cn_lanes lanes_choose(cn_lanes x, cn_lanes y, cn_lanes a, cn_lanes b)
{
	return (cn_lanes){vf4_select(x.lo > y.lo, a.lo, b.lo), vf4_select(x.hi > y.hi, a.hi, b.hi)};
}
CN_LANES_INLINE cn_lanes lanes_both(vf4 lo, vf4 hi) { return (cn_lanes){lo, hi}; }
CN_LANES_INLINE vf4 lanes_lo(cn_lanes x) { return x.lo; }
CN_LANES_INLINE vf4 lanes_hi(cn_lanes x) { return x.hi; }
CN_LANES_INLINE cn_lanes lanes_los(cn_lanes a, cn_lanes b) { return (cn_lanes){a.lo, b.lo}; }
CN_LANES_INLINE cn_lanes lanes_his(cn_lanes a, cn_lanes b) { return (cn_lanes){a.hi, b.hi}; }
CN_LANES_INLINE cn_lanes lanes_low_pairs(cn_lanes a, cn_lanes b)
{
	return (cn_lanes){vf4_low_pairs(a.lo, b.lo), vf4_low_pairs(a.hi, b.hi)};
}
CN_LANES_INLINE cn_lanes lanes_high_pairs(cn_lanes a, cn_lanes b)
{
	return (cn_lanes){vf4_high_pairs(a.lo, b.lo), vf4_high_pairs(a.hi, b.hi)};
}
CN_LANES_INLINE cn_lanes lanes_low_halves(cn_lanes a, cn_lanes b)
{
	return (cn_lanes){vf4_low_halves(a.lo, b.lo), vf4_low_halves(a.hi, b.hi)};
}
CN_LANES_INLINE cn_lanes lanes_high_halves(cn_lanes a, cn_lanes b)
{
	return (cn_lanes){vf4_high_halves(a.lo, b.lo), vf4_high_halves(a.hi, b.hi)};
}

#endif

CN_LANES_INLINE cn_lanes lanes_max0(cn_lanes x) { return lanes_where(x, lanes_all(0), x); }
CN_LANES_INLINE cn_lanes lanes_larger(cn_lanes a, cn_lanes b) { return lanes_choose(a, b, a, b); }
/* 0 where |x| is not above least: what would only fall into subnormal numbers, which are slow. */
CN_LANES_INLINE cn_lanes lanes_flush(cn_lanes x, cn_lanes least) { return lanes_where(lanes_abs(x), least, x); }

/* Rows become columns, in the lower and the upper four lanes by themselves. */
CN_LANES_INLINE void lanes_transpose(cn_lanes *a, cn_lanes *b, cn_lanes *c, cn_lanes *d)
{
	cn_lanes ab0 = lanes_low_pairs(*a, *b), ab1 = lanes_high_pairs(*a, *b);
	cn_lanes cd0 = lanes_low_pairs(*c, *d), cd1 = lanes_high_pairs(*c, *d);
	*a = lanes_low_halves(ab0, cd0);
	*b = lanes_high_halves(ab0, cd0);
	*c = lanes_low_halves(ab1, cd1);
	*d = lanes_high_halves(ab1, cd1);
}

#endif
