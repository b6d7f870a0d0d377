/* Numbers as text. The C library converts (both ways correctly rounded), and this file sees to it that the locale never
 * shows: what printf put for the point becomes '.', and strtod is given digits and an exponent without any point. */
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

int cn_plain_point(char *text)
{
	char *to = text;
	bool inside = false; /* the point may have several bytes */
	for (const char *from = text; *from; ++from) {
		if (is_digit(*from) || strchr("+-eE", *from)) {
			*to++ = *from;
			inside = false;
		} else if (!inside) {
			*to++ = '.';
			inside = true;
		}
	}
	*to = 0;
	return (int)(to - text);
}

int cn_format_double17(char text[CN_NUMBER_SIZE], double x)
{
	(void)snprintf(text, CN_NUMBER_SIZE, "%.17g", x);
	return cn_plain_point(text);
}

/* Adds one to the last digit of a number as printf wrote it, where that needs no carry. */
static bool raise_last_digit(char *text)
{
	char *end = strpbrk(text, "eE");
	size_t last = (end ? (size_t)(end - text) : strlen(text)) - 1;
	if (!is_digit(text[last]) || text[last] == '9')
		return false;
	++text[last];
	return true;
}

/* Whether precision digits suffice; text then holds them. Above a power of two doubles lie twice as wide as below, and
 * there the digits next above the nearest may be the only ones that read back. */
static bool format_with(char text[CN_NUMBER_SIZE], double x, int precision)
{
	int exponent;
	(void)snprintf(text, CN_NUMBER_SIZE, "%.*g", precision, x);
	if (strtod(text, NULL) == x)
		return true;
	return fabs(frexp(x, &exponent)) == 0.5 && raise_last_digit(text) && strtod(text, NULL) == x;
}

int cn_format_double(char text[CN_NUMBER_SIZE], double x)
{
	assert(isfinite(x));
	/* Any normal number of up to 15 digits comes back as those digits; subnormal ones have fewer. */
	int precision = fabs(x) < DBL_MIN ? 1 : 15;
	while (precision < 17 && !format_with(text, x, precision))
		++precision;
	return precision < 17 ? cn_plain_point(text) : cn_format_double17(text, x);
}

/* No double and no midpoint of two has more significant digits than 768; of further digits it only matters whether one
 * is not 0. */
enum { CN_DIGITS_MAX = 800 };

/* A number as digits * 10^exponent. */
typedef struct decimal {
	bool negative, sticky; /* sticky: a digit other than 0 was left out */
	uint32_t count;
	int64_t exponent;
	char digits[CN_DIGITS_MAX + 32]; /* room for the exponent behind them */
} decimal;

static void take_digit(decimal *d, char c, bool fraction)
{
	if (d->count == 0 && c == '0') {
		d->exponent -= fraction;
	} else if (d->count < CN_DIGITS_MAX) {
		d->digits[d->count++] = c;
		d->exponent -= fraction;
	} else {
		d->sticky = d->sticky || c != '0';
		d->exponent += !fraction;
	}
}

/* The grammar of RFC 8259, section 6. Returns the length, 0 if there is no number. */
static size_t scan(const char *text, size_t size, decimal *d)
{
	size_t at = 0;
	if (at < size && text[at] == '-')
		d->negative = true, ++at;
	if (at == size || !is_digit(text[at]))
		return 0;
	if (text[at] == '0')
		++at;
	else
		for (; at < size && is_digit(text[at]); ++at)
			take_digit(d, text[at], false);
	if (at < size && text[at] == '.') {
		if (++at == size || !is_digit(text[at]))
			return 0;
		for (; at < size && is_digit(text[at]); ++at)
			take_digit(d, text[at], true);
	}
	if (at < size && (text[at] == 'e' || text[at] == 'E')) {
		++at;
		bool down = at < size && text[at] == '-';
		if (at < size && (text[at] == '+' || text[at] == '-'))
			++at;
		if (at == size || !is_digit(text[at]))
			return 0;
		int64_t exponent = 0;
		for (; at < size && is_digit(text[at]); ++at)
			if (exponent < INT64_MAX / 100)
				exponent = exponent * 10 + (text[at] - '0');
		d->exponent += down ? -exponent : exponent;
	}
	return at;
}

/* Up to 15 digits and a power of ten up to 22 are both exact, so one product or quotient rounds once (Clinger, How to
 * read floating point numbers accurately, 1990). */
static bool convert_short(const decimal *d, double *x)
{
	static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
	                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	if (d->count > 15 || d->exponent < -22 || d->exponent > 22)
		return false;
	int64_t whole = 0;
	for (uint32_t i = 0; i < d->count; ++i)
		whole = whole * 10 + (d->digits[i] - '0');
	*x = d->exponent < 0 ? (double)whole / powers[-d->exponent] : (double)whole * powers[d->exponent];
	return true;
}

static double convert_long(decimal *d)
{
	if (d->sticky) {
		d->digits[d->count++] = '1';
		--d->exponent;
	}
	/* Beyond this it is 0 or infinity for any digits. */
	int exponent = d->exponent > 9999 ? 9999 : d->exponent < -9999 ? -9999 : (int)d->exponent;
	(void)snprintf(d->digits + d->count, sizeof d->digits - d->count, "e%d", exponent);
	return strtod(d->digits, NULL);
}

size_t cn_parse_double(const char *text, size_t size, double *x)
{
	decimal d;
	d.negative = d.sticky = false;
	d.count = 0;
	d.exponent = 0;
	size_t length = scan(text, size, &d);
	if (length == 0)
		return 0;
	double value = 0;
	if (d.count > 0 && !convert_short(&d, &value))
		value = convert_long(&d);
	*x = d.negative ? -value : value;
	return length;
}
