/* A small picture of a row: lines over two axes with units, as SVG. Colours are those that can be told apart on light and on
 * dark pages; text and axes follow the reader's choice of the two. */
#include "validate.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 560, HEIGHT = 270, LEFT = 66, RIGHT = 14, TOP = 14, BOTTOM = 74, POINTS = 500 };

static const char *const colors[] = {"#d1493a", "#2f86c9", "#3f9a4d", "#c08a1e", "#9a6fc4", "#3aa6a0"};

typedef struct range {
	double low, high;
} range;

static void stretch(range *r, double v)
{
	if (!isfinite(v))
		return;
	r->low = v < r->low ? v : r->low;
	r->high = v > r->high ? v : r->high;
}

/* A step of 1, 2 or 5 times a power of ten that gives four to eight ticks. */
static double step_of(range r)
{
	double rough = (r.high - r.low) / 5, power = pow(10, floor(log10(rough)));
	double share = rough / power;
	return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

static range widen(range r)
{
	if (!(r.high - r.low > 1e-6 * fmax(fabs(r.low), fabs(r.high)))) { /* the rest is rounding */
		double by = fabs(r.low) > 0 ? 0.1 * fabs(r.low) : 1;
		r.low -= r.low == 0 ? 0 : by, r.high += by;
	}
	double step = step_of(r);
	return (range){step * floor(r.low / step + 1e-9), step * ceil(r.high / step - 1e-9)};
}

static double across(range r, double v) { return LEFT + (WIDTH - LEFT - RIGHT) * (v - r.low) / (r.high - r.low); }
static double down(range r, double v)
{
	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (v - r.low) / (r.high - r.low);
}

static void write_axes(FILE *f, const plot *p, range x, range y)
{
	double step = step_of(x);
	for (int i = 0; x.low + i * step <= x.high + 0.5 * step; ++i) {
		double v = x.low + i * step, at = across(x, v), shown = fabs(v) < 1e-9 * step ? 0 : v;
		fprintf(f, "<path class=\"g\" d=\"M%.1f %dV%d\"/>\n", at, TOP, HEIGHT - BOTTOM);
		fprintf(f, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.6g</text>\n", at, HEIGHT - BOTTOM + 16, shown);
	}
	step = step_of(y);
	for (int i = 0; y.low + i * step <= y.high + 0.5 * step; ++i) {
		double v = y.low + i * step, at = down(y, v), shown = fabs(v) < 1e-9 * step ? 0 : v;
		fprintf(f, "<path class=\"g\" d=\"M%d %.1fH%d\"/>\n", LEFT, at, WIDTH - RIGHT);
		fprintf(f, "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.6g</text>\n", LEFT - 6, at + 4, shown);
	}
	fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (LEFT + WIDTH - RIGHT) / 2,
	        HEIGHT - BOTTOM + 33, p->x_label);
	fprintf(f, "<text transform=\"translate(14 %d) rotate(-90)\" text-anchor=\"middle\">%s</text>\n",
	        (TOP + HEIGHT - BOTTOM) / 2, p->y_label);
}

static void write_line(FILE *f, const series *s, uint32_t number, range x, range y)
{
	uint32_t stride = 1 + s->count / POINTS;
	bool drawing = false;
	fprintf(f, "<path fill=\"none\" %s d=\"", s->dashed ? "class=\"d\"" : "");
	for (uint32_t i = 0; i < s->count; i = i + stride < s->count || i == s->count - 1 ? i + stride : s->count - 1) {
		if (!isfinite(s->x[i]) || !isfinite(s->y[i])) {
			drawing = false;
			continue;
		}
		fprintf(f, "%s%.1f %.1f", drawing ? "L" : "M", across(x, s->x[i]), down(y, s->y[i]));
		drawing = true;
	}
	if (s->dashed)
		fprintf(f, "\"/>\n");
	else
		fprintf(f, "\" stroke=\"%s\" stroke-width=\"2\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>\n",
		        colors[number % 6]);
	/* a point alone draws no line */
	for (uint32_t i = 0; i < s->count && !s->dashed; ++i) {
		bool before = i > 0 && isfinite(s->x[i - 1]), after = i + 1 < s->count && isfinite(s->x[i + 1]);
		if (isfinite(s->x[i]) && !before && !after)
			fprintf(f, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", across(x, s->x[i]), down(y, s->y[i]),
			        colors[number % 6]);
	}
}

static void write_names(FILE *f, const plot *p)
{
	double x = LEFT;
	uint32_t number = 0;
	int y = HEIGHT - 16;
	for (uint32_t i = 0; i < p->count; ++i) {
		const series *s = &p->lines[i];
		double wide = 34 + 6.6 * (double)strlen(s->name);
		if (x > LEFT && x + wide > WIDTH)
			x = LEFT, y += 14;
		if (s->dashed)
			fprintf(f, "<path class=\"d\" d=\"M%.1f %dh18\"/>\n", x, y - 4);
		else
			fprintf(f, "<path d=\"M%.1f %dh18\" stroke=\"%s\" stroke-width=\"3\"/>\n", x, y - 4, colors[number++ % 6]);
		fprintf(f, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", x + 22, y, s->name);
		x += wide;
	}
}

bool write_plot(const char *path, const plot *p)
{
	char beside[600];
	range x = {INFINITY, -INFINITY}, y = x;
	for (uint32_t i = 0; i < p->count; ++i) {
		for (uint32_t k = 0; k < p->lines[i].count; ++k) {
			stretch(&x, p->lines[i].x[k]);
			stretch(&y, p->lines[i].y[k]);
		}
	}
	if (!(x.low < INFINITY))
		return false;
	x = widen(x), y = widen(y);
	snprintf(beside, sizeof beside, "%s.part", path);
	FILE *f = fopen(beside, "w");
	if (!f)
		return false;
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n", WIDTH,
	        HEIGHT, WIDTH, HEIGHT);
	fprintf(
		f, "<style>text{font:12px "
		   "sans-serif;fill:#333}.g{stroke:#888;stroke-opacity:.3}.d{stroke:#444;stroke-width:1.5;stroke-dasharray:5 4;"
		   "fill:none}@media(prefers-color-scheme:dark){text{fill:#ccc}.d{stroke:#bbb}}</style>\n");
	write_axes(f, p, x, y);
	uint32_t number = 0;
	for (uint32_t i = 0; i < p->count; ++i) {
		write_line(f, &p->lines[i], number, x, y);
		number += !p->lines[i].dashed;
	}
	write_names(f, p);
	fprintf(f, "</svg>\n");
	bool ok = !ferror(f);
	ok = fclose(f) == 0 && ok;
	return ok && rename(beside, path) == 0;
}
