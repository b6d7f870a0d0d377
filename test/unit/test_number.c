/* Numbers to text and back: shortest digits, the grammar of JSON, rounding at midpoints, long numbers, locales. */
#include "test.h"

#include "base/hash.h"
#include "base/number.h"

#include <float.h>
#include <locale.h>

static double parse(const char *text)
{
	double x = -12345;
	CHECK_INT(cn_parse_double(text, strlen(text), &x), strlen(text));
	return x;
}

static void check_format(double x, const char *wanted)
{
	char text[CN_NUMBER_SIZE];
	CHECK_INT(cn_format_double(text, x), strlen(wanted));
	CHECK_TEXT(text, wanted);
	CHECK(parse(text) == x && signbit(parse(text)) == signbit(x));
}

TEST(shortest)
{
	check_format(0, "0");
	check_format(-0.0, "-0");
	check_format(0.1, "0.1");
	check_format(0.1 + 0.2, "0.30000000000000004");
	check_format(1e300, "1e+300");
	check_format(-9.81, "-9.81");
	check_format(100000, "100000");
	check_format(1.0 / 3, "0.3333333333333333");
	check_format(5e-324, "5e-324");
	check_format(DBL_MIN, "2.2250738585072014e-308");
	check_format(DBL_MAX, "1.7976931348623157e+308");
	check_format(0x1p-44, "5.684341886080802e-14"); /* the nearest 16 digits end in 1 and read back to less */
	check_format(9007199254740992.0, "9007199254740992");
	check_format(-36028797018963968.0, "-3.602879701896397e+16");
	check_format(1e16, "1e+16");
	check_format(1.25e16, "1.25e+16");
}

TEST(seventeen)
{
	char text[CN_NUMBER_SIZE];
	CHECK_INT(cn_format_double17(text, 0.1), 19);
	CHECK_TEXT(text, "0.10000000000000001");
}

static int digit_count(const char *text)
{
	int count = 0;
	for (; *text && *text != 'e'; ++text)
		count += *text >= '0' && *text <= '9';
	return count;
}

static void check_round_trips(uint64_t seed, int count)
{
	uint64_t state = seed;
	for (int i = 0; i < count; ++i) {
		uint64_t word = cn_random_u64(&state);
		if (i % 5 == 0)
			word &= 0xfff0000000000000ull; /* powers of two */
		double x, back, back17;
		memcpy(&x, &word, sizeof x);
		if (!isfinite(x))
			continue;
		char text[CN_NUMBER_SIZE], text17[CN_NUMBER_SIZE];
		int length = cn_format_double(text, x), length17 = cn_format_double17(text17, x);
		CHECK(length > 0 && digit_count(text) <= digit_count(text17) && length17 < CN_NUMBER_SIZE);
		CHECK_INT(cn_parse_double(text, (size_t)length, &back), length);
		CHECK_INT(cn_parse_double(text17, (size_t)length17, &back17), length17);
		CHECK(memcmp(&back, &x, sizeof x) == 0 && memcmp(&back17, &x, sizeof x) == 0);
		if (test_failures)
			return;
	}
}

TEST(round_trips) { check_round_trips(7, 20000); }

TEST(grammar)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{"", 0},    {"-", 0},   {"+1", 0},    {".5", 0},    {"1.", 0},    {"-.5", 0},    {"e5", 0},    {"1e", 0},
		{"1e+", 0}, {"nan", 0}, {"inf", 0},   {"-inf", 0},  {" 1", 0},    {"NaN", 0},    {"1.e5", 0},  {"-e", 0},
		{"0", 1},   {"-0", 2},  {"01", 1},    {"0x10", 1},  {"1,5", 1},   {"12 ", 2},    {"1.5.2", 3}, {"1e5e", 3},
		{"10]", 2}, {"1E5", 3}, {"1e+05", 5}, {"1e-05", 5}, {"0.0e0", 5}, {"-12.50", 6},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
		double x = -7;
		size_t length = cn_parse_double(cases[i].text, strlen(cases[i].text), &x);
		if (length != cases[i].length)
			printf("in \"%s\":\n", cases[i].text);
		CHECK_INT(length, cases[i].length);
		CHECK(length > 0 || x == -7);
	}
	double x;
	CHECK_INT(cn_parse_double("12345", 3, &x), 3); /* never looks past size */
	CHECK(x == 123);
	CHECK_INT(cn_parse_double("1.5", 2, &x), 0);
}

TEST(values)
{
	CHECK(parse("0.1") == 0.1 && parse("123456789") == 123456789 && parse("-2.5e-3") == -2.5e-3);
	CHECK(parse("0.000001e6") == 1 && parse("1000000e-6") == 1);
	CHECK(parse("1e22") == 1e22 && parse("1e23") == 1e23 && parse("1e-22") == 1e-22);
	CHECK(parse("123456789012345678") == 123456789012345678.0);
	CHECK(signbit(parse("-0")) && signbit(parse("-0.0e9")) && parse("-0") == 0);
	CHECK(isinf(parse("1e400")) && parse("-1e400") < -DBL_MAX && isinf(parse("1e99999999999999999999999999")));
	CHECK(parse("1e-400") == 0 && parse("1e-99999999999999999999999999") == 0);
	CHECK(parse("0e99999999999999999999999") == 0);
	CHECK(parse("4.9e-324") == 5e-324 && parse("2.4703282292062327e-324") == 0);
	CHECK(parse("2.4703282292062328e-324") == 5e-324);
	CHECK(parse("1.7976931348623157e308") == DBL_MAX);
	CHECK(parse("1.7976931348623158e308") == DBL_MAX && isinf(parse("1.7976931348623159e308")));
	CHECK(parse("2.2250738585072011e-308") == 0x0.fffffffffffffp-1022);
}

/* text, then count times c, then end */
static double parse_long(const char *text, char c, size_t count, const char *end)
{
	size_t size = strlen(text) + count + strlen(end);
	char *buffer = malloc(size + 1);
	if (!buffer)
		return (double)NAN;
	memcpy(buffer, text, strlen(text));
	memset(buffer + strlen(text), c, count);
	memcpy(buffer + strlen(text) + count, end, strlen(end) + 1);
	double x = -1;
	CHECK_INT(cn_parse_double(buffer, size, &x), size);
	free(buffer);
	return x;
}

TEST(long_numbers)
{
	/* 2^53 + 1 lies midway and goes to even; one more anywhere behind it goes up. */
	CHECK(parse("9007199254740993") == 9007199254740992);
	CHECK(parse_long("9007199254740993.", '0', 100, "") == 9007199254740992);
	CHECK(parse_long("9007199254740993.", '0', 700, "1") == 9007199254740994);
	CHECK(parse_long("9007199254740993.", '0', 5000, "1") == 9007199254740994);
	CHECK(parse_long("9007199254740993.", '0', 1000000, "1") == 9007199254740994);
	CHECK(parse_long("9007199254740993.", '0', 1000000, "") == 9007199254740992);
	CHECK(parse_long("9007199254740992.", '9', 5000, "") == 9007199254740992);
	CHECK(parse_long("0.", '0', 100000, "1e100001") == 1);
	CHECK(parse_long("1", '0', 100000, "e-100000") == 1);
	CHECK(parse_long("1", '0', 100000, ".5e-100000") == 1);
	CHECK(parse_long("0.", '3', 3000, "") == 1.0 / 3);
	CHECK(parse_long("", '3', 3000, "e-3000") == 1.0 / 3);
	CHECK(isinf(parse_long("", '9', 4000, "")));
	CHECK(parse_long("0.", '0', 4000, "9") == 0);
	CHECK(parse_long("1e", '0', 4000, "5") == 1e5);
}

TEST(point_of_the_locale)
{
	char comma[] = "-1,5e-05",
		 wide[] = "0\xd9\xab"
				  "25",
		 plain[] = "1.5", none[] = "1e+20";
	CHECK_INT(cn_plain_point(comma), 8);
	CHECK_TEXT(comma, "-1.5e-05");
	CHECK_INT(cn_plain_point(wide), 4);
	CHECK_TEXT(wide, "0.25");
	cn_plain_point(plain);
	CHECK_TEXT(plain, "1.5");
	cn_plain_point(none);
	CHECK_TEXT(none, "1e+20");
}

/* In a locale with a comma, where the machine has one. */
TEST(comma_locale)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "ru_RU.UTF-8", "es_ES.UTF-8"};
	const char *found = NULL;
	for (size_t i = 0; i < sizeof names / sizeof names[0] && !found; ++i)
		found = setlocale(LC_ALL, names[i]);
	char probe[16];
	(void)snprintf(probe, sizeof probe, "%.1f", 0.5);
	if (!found || strcmp(probe, "0.5") == 0) {
		printf("no locale with a comma here: only the mapping is tested\n");
		(void)setlocale(LC_ALL, "C");
		return;
	}
	printf("in locale %s 0.5 prints as %s\n", found, probe);
	check_format(0.1 + 0.2, "0.30000000000000004");
	check_format(0x1p-44, "5.684341886080802e-14");
	CHECK(parse("1.7976931348623157e308") == DBL_MAX && parse("3.14159265358979323846") == 3.14159265358979323846);
	check_round_trips(8, 2000);
	(void)setlocale(LC_ALL, "C");
}

TEST_MAIN(TEST_CASE(shortest), TEST_CASE(seventeen), TEST_CASE(round_trips), TEST_CASE(grammar), TEST_CASE(values),
          TEST_CASE(long_numbers), TEST_CASE(point_of_the_locale), TEST_CASE(comma_locale))
