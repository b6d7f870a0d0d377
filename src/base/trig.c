/* Sine, cosine, tangent, arc tangent, arc cosine and the exponential from + - * /, sqrt and bits alone.
 *
 * Every one of these operations is correctly rounded by IEEE 754, and nothing is contracted (-ffp-contract=off), so
 * the results are the same bits everywhere. The plan is the usual one: take the argument to a short interval with its
 * rounding error kept in a second double, evaluate a polynomial there, put the interval back. The polynomials are
 * near-minimax (interpolation at Chebyshev nodes in 300 bits, then rounded); each names the largest relative error
 * that it leaves in its function. Measured errors, in units in the last place: sin, cos below 0.9, tan below 1.2,
 * atan2 and acos below 0.7, exp below 0.8.
 *
 * The exact sums and products are those of Dekker (A floating-point technique for extending the available precision,
 * 1971) and Knuth (TAOCP 2, 4.2.2); reduction of large angles follows Payne and Hanek (Radian reduction for
 * trigonometric functions, 1983). */
#include "base/trig.h"

#include "base/base.h"

#include <math.h>
#include <string.h>

/* Adding and subtracting 1.5 * 2^52 rounds to an integer, whose low bits are then those of the sum. */
#define CN_ROUNDER 6755399441055744.0

static inline uint64_t bits_of(double x)
{
	uint64_t bits;
	memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline double from_bits(uint64_t bits)
{
	double x;
	memcpy(&x, &bits, sizeof x);
	return x;
}

#define CN_SIGN ((uint64_t)1 << 63)

/* A number as an unevaluated sum, lo at most half a unit in the last place of hi. */
typedef struct twofold {
	double hi, lo;
} twofold;

static inline twofold two_sum(double a, double b)
{
	double s = a + b, c = s - a;
	return (twofold){s, (a - (s - c)) + (b - c)};
}

/* The same for |a| >= |b| or a = 0. */
static inline twofold fast_sum(double a, double b)
{
	double s = a + b;
	return (twofold){s, b - (s - a)};
}

/* Exact as long as nothing overflows or underflows: |a|, |b| in [2^-480, 2^490] or so will do. */
static inline twofold two_product(double a, double b)
{
	const double splitter = 134217729; /* 2^27 + 1 */
	double p = a * b, ca = splitter * a, cb = splitter * b;
	double a1 = ca - (ca - a), a2 = a - a1, b1 = cb - (cb - b), b2 = b - b1;
	return (twofold){p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2};
}

/* x = quadrant * pi/2 + r with |r| <= pi/4 (and a rounding more). */
typedef struct reduced {
	twofold r;
	uint32_t quadrant; /* modulo 4 */
} reduced;

/* For 0 <= x <= 2^20. The first three parts of pi/2 have 33 bits, so their products with the quadrant are exact; what
 * they leave is below 2^-84 and known to 53 bits, far below the closest that a double comes to a multiple of pi/2.
 * Unless x is close to one, the third part and the rest count as one number. */
static inline reduced reduce_small(double x)
{
	double rounded = x * 0x1.45f306dc9c883p-1 + CN_ROUNDER, k = rounded - CN_ROUNDER;
	uint32_t quadrant = (uint32_t)bits_of(rounded);
	double first = x - k * 0x1.921fb544p+0, second = -(k * 0x1.0b4611a6p-34); /* |second| < 2^-14 */
	twofold a = fast_sum(first, second);
	if (fabs(a.hi) > 0x1p-10)
		return (reduced){fast_sum(a.hi, a.lo - k * 0x1.3198a2e037073p-69), quadrant};
	a = two_sum(first, second);
	twofold b = two_sum(a.hi, -(k * 0x1.3198a2ep-69));
	return (reduced){fast_sum(b.hi, (a.lo + b.lo) - k * 0x1.b839a252049c1p-104), quadrant};
}

/* The bits of 2/pi after 64 zeros: bit i of the table, counted from its top, weighs 2^(63-i). */
static const uint32_t two_over_pi[40] = {
	0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041,
	0xfe5163ab, 0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e,
	0xe88235f5, 0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b,
	0x1ff897ff, 0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d,
	0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
};

/* words = (x * 2/pi modulo 4) * 2^190 for x = m * 2^e, lowest word first. Bits of 2/pi that only add multiples of 4
 * are left out, and those beyond 192 from there, which makes an error below 2^-137. */
static void multiply_two_over_pi(uint32_t words[6], uint64_t m, int e)
{
	uint32_t start = (uint32_t)(e + 62), shift = 32 - start % 32, low = (uint32_t)m, high = (uint32_t)(m >> 32);
	const uint32_t *from = two_over_pi + start / 32;
	uint64_t carry = 0;
	uint32_t before = 0;
	for (int i = 0; i < 6; ++i) {
		uint64_t pair = (uint64_t)from[5 - i] << 32 | from[6 - i];
		uint32_t factor = (uint32_t)(pair >> shift);
		uint64_t a = (uint64_t)factor * low, b = (uint64_t)before * high;
		uint64_t sum = (a & 0xffffffffu) + (b & 0xffffffffu) + (carry & 0xffffffffu);
		words[i] = (uint32_t)sum;
		carry = (sum >> 32) + (a >> 32) + (b >> 32) + (carry >> 32);
		before = factor;
	}
}

/* For any finite x >= 2^20. */
static reduced reduce_large(double x)
{
	uint64_t bits = bits_of(x);
	uint32_t w[6];
	multiply_two_over_pi(w, (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52, (int)(bits >> 52) - 1075);
	uint64_t top = (uint64_t)w[5] << 32 | w[4], middle = (uint64_t)w[3] << 32 | w[2];
	uint64_t bottom = (uint64_t)w[1] << 32 | w[0];
	uint32_t quadrant = (uint32_t)(top >> 62) + ((top >> 61) & 1);
	/* The fraction, moved to the top of the words and then taken as signed: it lies in [-1/2, 1/2). */
	top = top << 2 | middle >> 62, middle = middle << 2 | bottom >> 62, bottom <<= 2;
	bool negative = top >> 63;
	if (negative) {
		bottom = ~bottom + 1;
		middle = ~middle + (bottom == 0);
		top = ~top + (bottom == 0 && middle == 0);
	}
	int exponent = 0;
	for (; !(top >> 63) && exponent < 128; ++exponent)
		top = top << 1 | middle >> 63, middle = middle << 1 | bottom >> 63, bottom <<= 1;
	/* 26 + 26 + 44 bits of it times pi/2 in the same manner: all products down to 2^-52 of the first are exact. */
	double unit = from_bits((uint64_t)(1023 - exponent) << 52);
	double f1 = (double)(top >> 38) * 0x1p-26, f2 = (double)((top >> 12) & 0x3ffffff) * 0x1p-52;
	double f3 = (double)((top & 0xfff) << 32 | middle >> 32) * 0x1p-96;
	const double p1 = 0x1.921fb5p+0, p2 = 0x1.110b46p-26, p3 = 0x1.1a62633145c07p-54;
	twofold r = fast_sum(f1 * p1, f1 * p2 + f2 * p1);
	r = fast_sum(r.hi, r.lo + (f2 * p2 + f1 * p3 + f3 * p1));
	if (negative)
		unit = -unit;
	return (reduced){{r.hi * unit, r.lo * unit}, quadrant};
}

/* sin and cos of a reduced angle, each with what its rounding lost. */
typedef struct circle {
	twofold sin, cos;
} circle;

static inline circle circle_at(twofold r)
{
	double x = r.hi, z = x * x, zz = z * z;
	/* (sin x / x - 1) / x^2, leaving 2^-56 in sin; (cos x - 1 + x^2/2) / x^4, leaving 2^-60 in cos. */
	double p = (-0x1.5555555555555p-3 + z * 0x1.1111111110bb1p-7) +
	           zz * ((-0x1.a01a019e8357dp-13 + z * 0x1.71de37961e4c6p-19) +
	                 zz * (-0x1.ae600a926c89ap-26 + z * 0x1.5e0af186af739p-33));
	double q = (0x1.5555555555555p-5 + z * -0x1.6c16c16c16966p-10) +
	           zz * ((0x1.a01a019f4e867p-16 + z * -0x1.27e4fa17a41b4p-22) +
	                 zz * (0x1.1eeb68b109173p-29 + z * -0x1.907d7aebd5e3dp-37));
	double half = 0.5 * z, most = 1 - half;
	circle c;
	c.sin = fast_sum(x, x * z * p + (r.lo - half * r.lo));
	c.cos = fast_sum(most, ((1 - most) - half) + (zz * q - x * r.lo));
	return c;
}

/* The first case gives what reduce_small would, sooner: the turns of one step are mostly that small. */
static inline reduced reduce(double x)
{
	if (x <= 0.785)
		return (reduced){{x, 0}, 0};
	return x <= 0x1p20 ? reduce_small(x) : reduce_large(x);
}

static inline void sincos_at(double x, double *s, double *c)
{
	uint64_t sign = bits_of(x) & CN_SIGN;
	double size = fabs(x);
	if (!(size <= DBL_MAX)) {
		*s = *c = x - x;
		return;
	}
	reduced a = reduce(size);
	circle at = circle_at(a.r);
	/* Quadrants by bits: a branch here would be guessed wrong half the time. */
	uint64_t u = bits_of(at.sin.hi), v = bits_of(at.cos.hi), quadrant = a.quadrant;
	uint64_t swap = (u ^ v) & (0 - (quadrant & 1));
	*s = from_bits(u ^ swap ^ (quadrant & 2) << 62 ^ sign);
	*c = from_bits(v ^ swap ^ ((quadrant + 1) & 2) << 62);
}

void cn_sincos(double x, double *s, double *c) { sincos_at(x, s, c); }

double cn_cos(double x)
{
	double s, c;
	sincos_at(x, &s, &c);
	return c;
}

/* (a.hi + a.lo) / (b.hi + b.lo), where hi / hi is neither too large nor too small for two_product. */
static inline twofold divide(twofold a, twofold b)
{
	double t = a.hi / b.hi;
	twofold p = two_product(t, b.hi);
	return (twofold){t, (((a.hi - p.hi) - p.lo) + (a.lo - t * b.lo)) / b.hi};
}

double cn_tan(double x)
{
	double size = fabs(x);
	if (!(size <= DBL_MAX))
		return x - x;
	if (size < 0x1p-27) /* x^3/3 is below half a unit; and products of tiny numbers would not be exact */
		return x;
	reduced a = reduce(size);
	circle at = circle_at(a.r);
	bool odd = a.quadrant & 1;
	if (odd)
		at.sin.hi = -at.sin.hi, at.sin.lo = -at.sin.lo;
	twofold t = odd ? divide(at.cos, at.sin) : divide(at.sin, at.cos);
	return from_bits(bits_of(t.hi + t.lo) ^ (bits_of(x) & CN_SIGN));
}

/* atan(c) for c = j/16. Rows 1 to 3 are those of 0: there the polynomial does it all, without a loss by cancelling. */
static const struct {
	double c, hi, lo;
} atan_table[17] = {
	{0, 0, 0},
	{0, 0, 0},
	{0, 0, 0},
	{0, 0, 0},
	{0x1p-2, 0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.4p-2, 0x1.362773707ebccp-2, -0x1.963a544b672d8p-57},
	{0x1.8p-2, 0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
	{0x1.cp-2, 0x1.a64eec3cc23fdp-2, -0x1.24dec1b50b7ffp-56},
	{0x1p-1, 0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
	{0x1.2p-1, 0x1.0657e94db30dp-1, -0x1.d5b495f6349e6p-56},
	{0x1.4p-1, 0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.6p-1, 0x1.345f01cce37bbp-1, 0x1.1021137c71102p-55},
	{0x1.8p-1, 0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
	{0x1.ap-1, 0x1.5d58987169b18p-1, 0x1.0028e4bc5e7cap-57},
	{0x1.cp-1, 0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
	{0x1.ep-1, 0x1.819d0b7158a4dp-1, -0x1.bf76229d3b917p-56},
	{0x1p+0, 0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
};

/* base + atan(t), or base - atan(t) for sign -1; 0 <= t <= 1. With u = (t - c) / (1 + t c), atan(t) = atan(c) +
 * atan(u) and |u| < 7/32. */
static inline double atan_from(twofold base, double sign, twofold t)
{
	uint32_t j = (uint32_t)bits_of(t.hi * 16 + CN_ROUNDER) & 31;
	double c = atan_table[j].c, u = (t.hi - c) / (1 + t.hi * c), z = u * u, zz = z * z;
	/* (atan u / u - 1) / u^2, leaving 2^-59 in atan. */
	double p =
		((-0x1.5555555555555p-2 + z * 0x1.9999999998b8ep-3) + zz * (-0x1.249249231080fp-3 + z * 0x1.c71c6fcda5584p-4)) +
		zz * zz *
			((-0x1.745c744ab6525p-4 + z * 0x1.3af70ce1bfca4p-4) +
	         zz * (-0x1.0e4224d7a354ap-4 + z * 0x1.9730a2866e7aap-5));
	twofold sum = two_sum(base.hi, sign * atan_table[j].hi);
	double rest = u * z * p + (atan_table[j].lo + t.lo / (1 + t.hi * t.hi));
	twofold part = two_sum(sum.hi, sign * u);
	return part.hi + (part.lo + (sign * rest + (sum.lo + base.lo)));
}

/* The angle of the point (x, y) with y >= 0, and y's rounding error given. */
static inline double angle_of(twofold y, double x)
{
	twofold wide = {fabs(x), 0}, narrow = y, base = {0, 0};
	double sign = 1;
	if (y.hi > wide.hi) {
		narrow = wide, wide = y;
		base = (twofold){0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
		sign = x < 0 ? 1 : -1;
	} else if (x < 0) {
		base = (twofold){0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53};
		sign = -1;
	}
	if (narrow.hi <= wide.hi * 0x1p-60) /* atan(t) = t, and next to a multiple of pi/2 it does not count */
		return base.hi > 0 || wide.hi == 0 ? base.hi : narrow.hi / wide.hi;
	double scale = wide.hi > 0x1p400 ? 0x1p-600 : wide.hi < 0x1p-400 ? 0x1p600 : 1;
	narrow.hi *= scale, narrow.lo *= scale, wide.hi *= scale, wide.lo *= scale;
	return atan_from(base, sign, divide(narrow, wide));
}

double cn_atan2(double y, double x)
{
	if (!(fabs(x) <= DBL_MAX && fabs(y) <= DBL_MAX))
		return (x - x) + (y - y);
	if (x == 0 && y == 0)
		return 0;
	double angle = angle_of((twofold){fabs(y), 0}, x);
	return from_bits(bits_of(angle) | (bits_of(y) & CN_SIGN));
}

/* The angle of the point (x, sqrt(1 - x^2)), with the root to twice the precision: near 1 the angle is as small. */
double cn_acos(double x)
{
	if (x >= 1)
		return 0;
	if (x <= -1)
		return CN_PI;
	if (x != x)
		return x;
	twofold square = {0, 0};
	if (fabs(x) > 0x1p-60)
		square = two_product(x, x);
	twofold p = two_sum(1, -square.hi);
	p = fast_sum(p.hi, p.lo - square.lo);
	double root = sqrt(p.hi);
	twofold back = two_product(root, root);
	return angle_of((twofold){root, (((p.hi - back.hi) - back.lo) + p.lo) / (2 * root)}, x);
}

/* x = k ln 2 + r, |r| <= ln(2)/2; the first part of ln 2 has 42 bits, so k times it is exact. */
double cn_exp(double x)
{
	if (x > 709.79)
		return (double)INFINITY;
	if (x < -745.14)
		return 0;
	if (x != x)
		return x;
	double rounded = x * 0x1.71547652b82fep+0 + CN_ROUNDER, k = rounded - CN_ROUNDER;
	twofold r = two_sum(x - k * 0x1.62e42fefa38p-1, -(k * 0x1.ef35793c7673p-45));
	double z = r.hi, zz = z * z, z4 = zz * zz;
	/* (e^z - 1 - z) / z^2, leaving 2^-62 in e^z. */
	double low = (0x1p-1 + z * 0x1.5555555555557p-3) + zz * (0x1.5555555555556p-5 + z * 0x1.11111111100dcp-7);
	double middle =
		(0x1.6c16c16c162d4p-10 + z * 0x1.a01a01abe7fe1p-13) + zz * (0x1.a01a01a6d889cp-16 + z * 0x1.71de0231960ebp-19);
	double high = 0x1.27e4db646b17ep-22 + z * 0x1.af4de97ca4194p-26 + zz * 0x1.1f730349868cep-29;
	twofold most = fast_sum(1, z);
	double power = most.hi + (most.lo + (zz * (low + z4 * (middle + z4 * high)) + r.lo));
	/* 2^k in two factors: the first product is exact, the second rounds once, also into the subnormal numbers. */
	int whole = (int)k, half = whole / 2;
	return power * from_bits((uint64_t)(1023 + half) << 52) * from_bits((uint64_t)(1023 + whole - half) << 52);
}
