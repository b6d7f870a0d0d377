/* Four numbers at a time, for loops over four things of one kind: on machines with AVX2 one vector, elsewhere two of two or
 * whatever the compiler makes of them. No number sees another, so the bits are the same.
 *
 * Where CN_FOUR_AVX is defined the code around is for AVX2. Only + - * / and sqrt, and choices by masks. A number is read and written alone as x[i]. */
#ifndef CN_FOUR_H
#define CN_FOUR_H

#include "base/vec.h"

#include <string.h>
#if defined(CN_FOUR_AVX)
#include <immintrin.h>
#endif

#pragma GCC diagnostic ignored "-Wpsabi" /* how vectors are passed: never, all functions are inlined */

/* Aligned as a double is: memory may come from anywhere. */
typedef double d4 __attribute__((vector_size(32), aligned(8)));
typedef int64_t i4 __attribute__((vector_size(32), aligned(8))); /* masks: all bits or none */

typedef struct v3x4 {
	d4 x, y, z;
} v3x4;

#define CN_FOUR_INLINE static inline __attribute__((always_inline))

CN_FOUR_INLINE d4 d4_all(double x) { return (d4){x, x, x, x}; }
#if defined(CN_FOUR_AVX) /* the same bits by fewer instructions; a number that is none, and zeros, as below */
CN_FOUR_INLINE d4 d4_pick(i4 mask, d4 yes, d4 no)
{
	return (d4)_mm256_blendv_pd((__m256d)no, (__m256d)yes, (__m256d)mask);
}
CN_FOUR_INLINE d4 d4_max(d4 a, d4 b) { return (d4)_mm256_max_pd((__m256d)a, (__m256d)b); }
CN_FOUR_INLINE d4 d4_min(d4 a, d4 b) { return (d4)_mm256_min_pd((__m256d)a, (__m256d)b); }
#else
CN_FOUR_INLINE d4 d4_pick(i4 mask, d4 yes, d4 no) { return (d4)(((i4)yes & mask) | ((i4)no & ~mask)); }
CN_FOUR_INLINE d4 d4_max(d4 a, d4 b) { return d4_pick(a > b, a, b); }
CN_FOUR_INLINE d4 d4_min(d4 a, d4 b) { return d4_pick(a < b, a, b); }
#endif

/* From and to memory. What copies by halves and then loads the whole waits for the halves. */
CN_FOUR_INLINE d4 d4_load(const double *from)
{
#if defined(CN_FOUR_AVX)
	return (d4)_mm256_loadu_pd(from);
#else
	d4 x;
	memcpy(&x, from, sizeof x);
	return x;
#endif
}
CN_FOUR_INLINE void d4_store(d4 x, double *to)
{
#if defined(CN_FOUR_AVX)
	_mm256_storeu_pd(to, (__m256d)x);
#else
	memcpy(to, &x, sizeof x);
#endif
}

CN_FOUR_INLINE d4 d4_sqrt(d4 x)
{
#if defined(CN_FOUR_AVX)
	return (d4)_mm256_sqrt_pd((__m256d)x);
#else
	return (d4){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
#endif
}

CN_FOUR_INLINE v3x4 v3x4_sub(v3x4 a, v3x4 b) { return (v3x4){a.x - b.x, a.y - b.y, a.z - b.z}; }
CN_FOUR_INLINE v3x4 v3x4_madd(v3x4 a, v3x4 b, d4 s) { return (v3x4){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s}; }
CN_FOUR_INLINE d4 v3x4_dot(v3x4 a, v3x4 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
CN_FOUR_INLINE void v3x4_set(v3x4 *to, uint32_t i, v3 v) { to->x[i] = v.x, to->y[i] = v.y, to->z[i] = v.z; }
CN_FOUR_INLINE v3 v3x4_get(const v3x4 *of, uint32_t i) { return (v3){of->x[i], of->y[i], of->z[i]}; }

/* Rows become columns. */
CN_FOUR_INLINE void d4_transpose(d4 *a, d4 *b, d4 *c, d4 *d)
{
	d4 even0 = __builtin_shufflevector(*a, *b, 0, 4, 2, 6), odd0 = __builtin_shufflevector(*a, *b, 1, 5, 3, 7);
	d4 even1 = __builtin_shufflevector(*c, *d, 0, 4, 2, 6), odd1 = __builtin_shufflevector(*c, *d, 1, 5, 3, 7);
	*a = __builtin_shufflevector(even0, even1, 0, 1, 4, 5);
	*b = __builtin_shufflevector(odd0, odd1, 0, 1, 4, 5);
	*c = __builtin_shufflevector(even0, even1, 2, 3, 6, 7);
	*d = __builtin_shufflevector(odd0, odd1, 2, 3, 6, 7);
}

/* Of four vectors that each have a double beside them. */
CN_FOUR_INLINE v3x4 v3x4_load(const double *a, const double *b, const double *c, const double *d)
{
	d4 r0 = d4_load(a), r1 = d4_load(b), r2 = d4_load(c), r3 = d4_load(d);
	d4_transpose(&r0, &r1, &r2, &r3);
	return (v3x4){r0, r1, r2};
}

/* The double beside each becomes 0. */
CN_FOUR_INLINE void v3x4_store(v3x4 v, double *a, double *b, double *c, double *d)
{
	d4 r0 = v.x, r1 = v.y, r2 = v.z, r3 = d4_all(0);
	d4_transpose(&r0, &r1, &r2, &r3);
	d4_store(r0, a), d4_store(r1, b), d4_store(r2, c), d4_store(r3, d);
}

#endif
