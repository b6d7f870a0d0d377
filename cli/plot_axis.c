/* Axes: from where to where, with ticks at round numbers and labels short enough to read. */
#include "plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS_WANTED = 5 };

/* Prefixes for units that take one: joules and metres. Milliseconds and counts stay as they are. */
typedef struct prefix {
	double scale;
	const char *text;
} prefix;

static prefix prefix_of(double size, const char *unit)
{
	static const prefix all[] = {{1e9, "G"},  {1e6, "M"},         {1e3, "k"},  {1, ""},
	                             {1e-3, "m"}, {1e-6, "\xC2\xB5"}, {1e-9, "n"}, {1e-12, "p"}};
	const size_t last = sizeof all / sizeof all[0] - 1;
	bool length = strcmp(unit, "m") == 0;
	if ((!length && strcmp(unit, "J") != 0) || !(size > 0))
		return all[3];
	size_t i = length ? 3 : 0; /* nobody says kilometres of a gap */
	while (i < last && size < all[i].scale * 0.9999)
		++i;
	return all[i];
}

static double round_step(double rough)
{
	double power = pow(10, floor(log10(rough))), part = rough / power;
	return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

static void tick_linear(plot_axis *a)
{
	double step = round_step((a->high - a->low) / TICKS_WANTED);
	a->low = floor(a->low / step + 1e-9) * step;
	a->high = ceil(a->high / step - 1e-9) * step;
	uint32_t steps = (uint32_t)lround((a->high - a->low) / step);
	for (uint32_t i = 0; i <= steps && a->count < PLOT_TICKS_MOST; ++i) {
		double tick = a->low + i * step;
		a->ticks[a->count++] = fabs(tick) < step * 1e-9 ? 0 : tick;
	}
}

/* Decades, every second or third of them where there are many. */
static void tick_log(plot_axis *a)
{
	a->low = floor(a->low + 1e-9), a->high = ceil(a->high - 1e-9);
	if (a->high <= a->low)
		a->high = a->low + 1;
	double step = ceil((a->high - a->low) / 7);
	uint32_t steps = (uint32_t)((a->high - a->low) / step + 1e-9);
	for (uint32_t i = 0; i <= steps && a->count < PLOT_TICKS_MOST; ++i)
		a->ticks[a->count++] = pow(10, a->low + i * step);
}

plot_axis plot_axis_make(double least, double most, bool log, const char *unit)
{
	plot_axis a = {.log = log, .scale = 1};
	snprintf(a.unit, sizeof a.unit, "%s", unit);
	if (log) {
		a.low = log10(least), a.high = log10(most);
		tick_log(&a);
		return a;
	}
	a.low = least < 0 ? least : 0, a.high = most > 0 ? most : 0;
	if (!(a.high > a.low))
		a.high = a.low + 1;
	if (!*unit && a.high - a.low < 4) /* counts have no halves */
		a.high = a.low + 4;
	tick_linear(&a);
	prefix p = prefix_of(fmax(fabs(a.low), fabs(a.high)) / 2, unit);
	a.scale = p.scale;
	snprintf(a.unit, sizeof a.unit, "%s%s", p.text, unit);
	return a;
}

plot_axis plot_axis_exact(double least, double most)
{
	plot_axis a = {.low = least, .high = most > least ? most : least + 1, .scale = 1};
	double step = round_step((a.high - a.low) / (TICKS_WANTED + 2));
	step = step < 1 && a.high - a.low >= 2 ? 1 : step; /* frames and bodies are whole */
	double first = ceil(a.low / step - 1e-9) * step;
	uint32_t steps = (uint32_t)fmax(0, (a.high - first) / step + 1e-9);
	for (uint32_t i = 0; i <= steps && a.count < PLOT_TICKS_MOST; ++i)
		a.ticks[a.count++] = first + i * step;
	return a;
}

double plot_axis_place(const plot_axis *a, double value)
{
	double at = a->log ? log10(value) : value;
	return a->at + (at - a->low) / (a->high - a->low) * a->length;
}

/* A whole number with a thin space between thousands. */
static void text_whole(double value, char *text)
{
	char digits[32];
	int size = snprintf(digits, sizeof digits, "%.0f", value), out = 0;
	for (int i = 0; i < size && out < 26; ++i) {
		text[out++] = digits[i];
		int left = size - 1 - i;
		if (left > 0 && left % 3 == 0 && digits[i] != '-') {
			memcpy(text + out, "\xE2\x80\xAF", 3);
			out += 3;
		}
	}
	text[out] = 0;
}

/* 10 to the power of n, with raised digits. */
static int text_ten(int n, char *text, size_t size)
{
	static const char *const raised[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
	                                     "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
	                                     "\xE2\x81\xB8", "\xE2\x81\xB9"};
	char digits[16];
	snprintf(digits, sizeof digits, "%d", n < 0 ? -n : n);
	int out = snprintf(text, size, "10%s", n < 0 ? "\xE2\x81\xBB" : "");
	for (const char *d = digits; *d && (size_t)out + 4 < size; ++d)
		out += snprintf(text + out, size - (size_t)out, "%s", raised[*d - '0']);
	return out;
}

/* Small powers as plain numbers. */
static void text_power(int n, char text[32])
{
	if (n >= -2 && n <= 3)
		snprintf(text, 32, "%g", pow(10, n));
	else
		text_ten(n, text, 32);
}

/* For the hyphen that a number begins with; two bytes more. */
static void true_minus(char *text)
{
	if (text[0] != '-')
		return;
	memmove(text + 3, text + 1, strlen(text));
	memcpy(text, "\xE2\x88\x92", 3);
}

void plot_axis_label(const plot_axis *a, double tick, char text[32])
{
	double value = tick / a->scale;
	if (a->log)
		text_power((int)lround(log10(tick)), text);
	else if (fabs(value) >= 1000 && value == floor(value))
		text_whole(value, text);
	else
		snprintf(text, 32, "%.6g", fabs(value) < 1e-12 ? 0 : value);
	if (value < 0)
		true_minus(text);
}

void text_quantity(double value, const char *unit, char text[48])
{
	if (!isfinite(value)) {
		snprintf(text, 48, "\xE2\x80\x93");
		return;
	}
	prefix p = prefix_of(fabs(value), unit);
	double shown = value / p.scale;
	char number[48];
	if (fabs(shown) >= 1000 && fabs(shown) < 1e15)
		text_whole(shown, number);
	else
		snprintf(number, sizeof number, shown == floor(shown) && !*unit ? "%.0f" : "%.3g", shown);
	true_minus(number);
	char *power = strchr(number, 'e');
	if (power) {
		int n = atoi(power + 1);
		memcpy(power, "\xC3\x97", 3); /* x */
		text_ten(n, power + 2, sizeof number - (size_t)(power + 2 - number));
	}
	snprintf(text, 48, "%.30s%s%s%s", number, *unit ? "\xC2\xA0" : "", p.text, unit);
}
