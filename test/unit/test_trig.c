/* The own trigonometry: its errors in units in the last place against long double, exact values, symmetries, and a hash
 * over the bits of a sweep, which is the same for every compiler, flag and machine. */
#include "test.h"

#include "base/hash.h"
#include "base/trig.h"

#include <float.h>

static double sine(double x)
{
	double s, c;
	cn_sincos(x, &s, &c);
	return s;
}

/* Random and dense arguments from a counter, so that every machine tests the same ones. */
static double between(uint64_t *state, double low, double high)
{
	return low + (high - low) * (0.5 + 0.5 * cn_random_signed(state));
}

/* Any magnitude between 2^low and 2^high, any sign. */
static double magnitude(uint64_t *state, int low, int high)
{
	uint64_t word = cn_random_u64(state);
	int exponent = low + (int)((word >> 12) % (uint64_t)(high - low));
	double x = ldexp(1.0 + 0x1p-52 * (double)(cn_random_u64(state) >> 12), exponent);
	return word & 1 ? -x : x;
}

#if LDBL_MANT_DIG >= 64

/* |found - wanted| in units in the last place of a double near wanted. */
static double ulps(double found, long double wanted)
{
	int exponent;
	(void)frexpl(wanted, &exponent);
	if (exponent < -1021)
		exponent = -1021;
	return (double)(fabsl((long double)found - wanted) / ldexpl(1.0L, exponent - 53));
}

typedef struct worst {
	double error, x, y;
} worst;

static void note(worst *w, double error, double x, double y)
{
	if (!(error <= w->error))
		*w = (worst){error, x, y};
}

static void report(const char *name, const worst *w, double limit)
{
	printf("%-22s worst %.3f ulp at (%.17g, %.17g)\n", name, w->error, w->x, w->y);
	CHECK(w->error <= limit);
}

static void measure_circle(worst *s, worst *c, worst *t, double x)
{
	double found_s, found_c;
	cn_sincos(x, &found_s, &found_c);
	note(s, ulps(found_s, sinl((long double)x)), x, 0);
	note(c, ulps(found_c, cosl((long double)x)), x, 0);
	note(t, ulps(cn_tan(x), tanl((long double)x)), x, 0);
}

static void report_circle(const char *range, const worst *s, const worst *c, const worst *t)
{
	char name[64];
	(void)snprintf(name, sizeof name, "sin %s", range);
	report(name, s, 1.0);
	(void)snprintf(name, sizeof name, "cos %s", range);
	report(name, c, 1.0);
	(void)snprintf(name, sizeof name, "tan %s", range);
	report(name, t, 1.5);
}

TEST(circle_dense)
{
	worst s = {0}, c = {0}, t = {0};
	for (int i = -200000; i <= 200000; ++i)
		measure_circle(&s, &c, &t, i * (1.0 / 16384) + 1e-9);
	report_circle("|x| < 12.2, dense", &s, &c, &t);
}

TEST(circle_random)
{
	static const double most[] = {0.79, 1e2, 1e6, 1e9, 1e15};
	uint64_t state = 1;
	for (size_t k = 0; k < sizeof most / sizeof most[0]; ++k) {
		worst s = {0}, c = {0}, t = {0};
		for (int i = 0; i < 200000; ++i)
			measure_circle(&s, &c, &t, between(&state, -most[k], most[k]));
		char range[32];
		(void)snprintf(range, sizeof range, "|x| < %g", most[k]);
		report_circle(range, &s, &c, &t);
	}
	worst s = {0}, c = {0}, t = {0};
	for (int i = 0; i < 200000; ++i)
		measure_circle(&s, &c, &t, magnitude(&state, -1022, 60));
	report_circle("|x| in 2^[-1022, 60)", &s, &c, &t);
}

/* Next to multiples of pi/2 almost every bit cancels. */
TEST(circle_near_multiples)
{
	const long double half_pi = 1.57079632679489661923132169163975144L;
	worst s = {0}, c = {0}, t = {0};
	for (int k = 1; k < 700000; k += k < 5000 ? 1 : 97) {
		double x = (double)((long double)k * half_pi);
		for (int j = -2; j <= 2; ++j) {
			measure_circle(&s, &c, &t, x + j * (nextafter(x, 1e300) - x));
		}
	}
	report_circle("near k pi/2", &s, &c, &t);
}

TEST(atan2_error)
{
	uint64_t state = 2;
	worst near = {0}, far = {0}, dense = {0};
	for (int i = 0; i < 300000; ++i) {
		double y = between(&state, -1, 1), x = between(&state, -1, 1);
		note(&near, ulps(cn_atan2(y, x), atan2l((long double)y, (long double)x)), y, x);
		y = magnitude(&state, -1022, 1023), x = magnitude(&state, -1022, 1023);
		note(&far, ulps(cn_atan2(y, x), atan2l((long double)y, (long double)x)), y, x);
		y = i * (1.5 / 300000);
		note(&dense, ulps(cn_atan2(y, 1), atan2l((long double)y, 1)), y, 1);
		note(&dense, ulps(cn_atan2(1, -y), atan2l(1, -(long double)y)), 1, -y);
		x = magnitude(&state, -1000, 1000), y = x * between(&state, -2, 2);
		note(&far, ulps(cn_atan2(y, x), atan2l((long double)y, (long double)x)), y, x);
	}
	report("atan2 unit square", &near, 1.5);
	report("atan2 any size", &far, 1.5);
	report("atan2 dense", &dense, 1.5);
}

TEST(acos_error)
{
	uint64_t state = 3;
	worst w = {0};
	for (int i = -200000; i <= 200000; ++i)
		note(&w, ulps(cn_acos(i / 200000.0), acosl(i / 200000.0)), i / 200000.0, 0);
	for (int i = 0; i < 200000; ++i) {
		double x = between(&state, -1, 1), edge = 1 - fabs(magnitude(&state, -53, 0)),
			   small = magnitude(&state, -80, -1);
		note(&w, ulps(cn_acos(x), acosl((long double)x)), x, 0);
		note(&w, ulps(cn_acos(edge), acosl((long double)edge)), edge, 0);
		note(&w, ulps(cn_acos(-edge), acosl(-(long double)edge)), -edge, 0);
		note(&w, ulps(cn_acos(small), acosl((long double)small)), small, 0);
	}
	report("acos", &w, 1.5);
}

TEST(exp_error)
{
	uint64_t state = 4;
	worst normal = {0}, small = {0};
	for (int i = 0; i < 300000; ++i) {
		double x = between(&state, -708, 709.7), y = between(&state, -1, 1), z = magnitude(&state, -80, 6);
		note(&normal, ulps(cn_exp(x), expl((long double)x)), x, 0);
		note(&normal, ulps(cn_exp(y), expl((long double)y)), y, 0);
		note(&normal, ulps(cn_exp(z), expl((long double)z)), z, 0);
		x = between(&state, -745.1, -708);
		note(&small, ulps(cn_exp(x), expl((long double)x)), x, 0);
	}
	report("exp", &normal, 1.5);
	report("exp, subnormal result", &small, 1.5);
}

#define ERROR_CASES                                                                                                    \
	TEST_CASE(circle_dense), TEST_CASE(circle_random), TEST_CASE(circle_near_multiples), TEST_CASE(atan2_error),       \
		TEST_CASE(acos_error), TEST_CASE(exp_error),

#else
#define ERROR_CASES /* needs a long double wider than double */
#endif

/* Values computed to 40 digits and rounded, also where no long double is at hand and for angles of any size. */
TEST(known_values)
{
	static const struct {
		double x, s, c;
	} known[] = {
		{0x1p-1, 0x1.eaee8744b05fp-2, 0x1.c1528065b7d5p-1},
		{0x1p+0, 0x1.aed548f090ceep-1, 0x1.14a280fb5068cp-1},
		{0x1p+1, 0x1.d18f6ead1b446p-1, -0x1.aa22657537205p-2},
		{0x1.8p+1, 0x1.210386db6d55bp-3, -0x1.fae04be85e5d2p-1},
		{-0x1p+2, 0x1.837b9dddc1eaep-1, -0x1.4eaa606db24c1p-1},
		{0x1.4p+3, -0x1.1689ef5f34f52p-1, -0x1.ad9ac890c6b1fp-1},
		{0x1.9p+6, -0x1.03425b78c4db8p-1, 0x1.b981dbf665fdfp-1},
		{0x1.e848p+19, -0x1.6664b2568d867p-2, 0x1.df9df9906d32cp-1},
		{0x1.dcd65p+29, 0x1.1778cae83c69bp-1, 0x1.acff8c7364234p-1},
		{0x1.c6bf52634p+49, 0x1.b76f88136cebap-1, -0x1.06c154609d33fp-1},
		{0x1.0f0cf064dd592p+73, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1},
		{0x1.249ad2594c37dp+332, -0x1.85c5e5b929359p-2, 0x1.d9757496841f5p-1},
		{0x1p+1023, 0x1.205248cbdb76p-1, -0x1.a719f26c232bfp-1},
		{0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1},
		{0x1.6ac5b262ca1ffp+849, 0x1p+0, -0x1.14ae72e6ba22fp-61},
		{0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1p+0},
		{0x1.921fb54442d18p+0, 0x1p+0, 0x1.1a62633145c07p-54},
		{0x1.63p+8, -0x1.f9bd0307d1de3p-16, -0x1.fffffffc18e4cp-1},
		{0x1.17e28p+19, 0x1.ffffffffffe7bp-1, -0x1.3b8fdd45b067fp-22},
	};
	for (size_t i = 0; i < sizeof known / sizeof known[0]; ++i) {
		double s, c;
		cn_sincos(known[i].x, &s, &c);
		CHECK_NEAR(s, known[i].s, fabs(known[i].s) * 0x1p-52);
		CHECK_NEAR(c, known[i].c, fabs(known[i].c) * 0x1p-52);
	}
}

TEST(exact_values)
{
	CHECK(sine(0) == 0 && !signbit(sine(0.0)) && signbit(sine(-0.0)));
	CHECK(cn_cos(0) == 1);
	CHECK(cn_tan(0) == 0 && cn_tan(5e-324) == 5e-324);
	CHECK(sine(5e-324) == 5e-324 && cn_cos(5e-324) == 1);
	CHECK(cn_atan2(0, 0) == 0 && cn_atan2(-0.0, -0.0) == 0);
	CHECK(cn_atan2(0, 3) == 0);
	CHECK(cn_atan2(0, -3) == CN_PI && cn_atan2(-0.0, -3) == -CN_PI);
	CHECK(cn_atan2(2, 0) == CN_PI / 2 && cn_atan2(-2, 0) == -CN_PI / 2);
	CHECK(cn_atan2(1, 1) == CN_PI / 4 && cn_atan2(-1, 1) == -CN_PI / 4);
	CHECK(cn_atan2(1e300, -1e300) == 3 * CN_PI / 4);
	CHECK(cn_atan2(5e-324, 5e-324) == CN_PI / 4);
	CHECK(cn_atan2(DBL_MAX, DBL_MAX) == CN_PI / 4);
	CHECK(cn_atan2(5e-324, DBL_MAX) == 0);
	CHECK(cn_acos(1) == 0 && cn_acos(-1) == CN_PI && cn_acos(0) == CN_PI / 2);
	CHECK(cn_acos(1.5) == 0 && cn_acos(-1e300) == CN_PI);
	CHECK(cn_exp(0) == 1 && cn_exp(-0.0) == 1 && cn_exp(1e-300) == 1);
	CHECK(isinf(cn_exp(709.7827128933841)) && isfinite(cn_exp(709.782712893384)) && isinf(cn_exp(1e308)));
	CHECK(cn_exp(-745.1332191019412) == 0 && cn_exp(-745.1332191019411) == 5e-324 && cn_exp(-1e308) == 0);
	CHECK(isnan(sine((double)NAN)) && isnan(cn_cos((double)INFINITY)) && isnan(cn_tan((double)INFINITY)));
	CHECK(isnan(cn_atan2((double)NAN, 1)) && isnan(cn_acos((double)NAN)) && isnan(cn_exp((double)NAN)));
}

TEST(symmetry_and_range)
{
	uint64_t state = 5;
	for (int i = 0; i < 200000; ++i) {
		double x = magnitude(&state, -60, 1024), s, c, ms, mc;
		cn_sincos(x, &s, &c);
		cn_sincos(-x, &ms, &mc);
		CHECK(ms == -s && mc == c && cn_tan(-x) == -cn_tan(x));
		CHECK(sine(x) == s && cn_cos(x) == c);
		CHECK(fabs(s) <= 1 && fabs(c) <= 1);
		CHECK(fabs(s * s + c * c - 1) <= 4e-16);
		double y = magnitude(&state, -60, 1024);
		CHECK(cn_atan2(-y, x) == -cn_atan2(y, x));
		CHECK(fabs(cn_atan2(y, x)) <= CN_PI);
		if (test_failures)
			return;
	}
}

/* The two ways to reduce an angle agree on both sides of where they meet. */
TEST(reduction_seam)
{
	double below = 0x1p20, above = nextafter(below, 1e300), s0, c0, s1, c1;
	cn_sincos(below, &s0, &c0);
	cn_sincos(above, &s1, &c1);
	CHECK_NEAR(s1, s0 + c0 * (above - below), 2e-16);
	CHECK_NEAR(c1, c0 - s0 * (above - below), 2e-16);
}

static uint64_t hash_bits(uint64_t hash, double x)
{
	uint64_t word;
	memcpy(&word, &x, sizeof word);
	return cn_hash_u64(hash, word);
}

TEST(sweep_hash)
{
	uint64_t hash = CN_HASH_START, state = 6;
	for (int i = 0; i < 300000; ++i) {
		double s, c, angle = i % 3 ? magnitude(&state, -30, 30) : magnitude(&state, -1022, 1024);
		cn_sincos(angle, &s, &c);
		hash = hash_bits(hash_bits(hash, s), c);
		hash = hash_bits(hash, cn_tan(angle));
		double y = magnitude(&state, -20, 20), x = magnitude(&state, -20, 20);
		hash = hash_bits(hash, cn_atan2(y, x));
		y = magnitude(&state, -1022, 1024), x = magnitude(&state, -1022, 1024);
		hash = hash_bits(hash, cn_atan2(y, x));
		hash = hash_bits(hash, cn_acos(between(&state, -1, 1)));
		hash = hash_bits(hash, cn_exp(between(&state, -750, 715)));
		hash = hash_bits(hash, cn_exp(between(&state, -1, 1)));
	}
	printf("trig sweep hash %016" PRIx64 "\n", hash);
	CHECK(hash == 0xfff22dc47f60edd7ull);
}

TEST_MAIN(ERROR_CASES TEST_CASE(known_values), TEST_CASE(exact_values), TEST_CASE(symmetry_and_range),
          TEST_CASE(reduction_seam), TEST_CASE(sweep_hash))
