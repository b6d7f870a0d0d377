/* Draws plots. Places on the paper are given to a tenth of a point. */
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The paper, in points. */
enum { WIDTH = 600, HEIGHT = 230, LEFT = 50, RIGHT = 20, TOP = 26, BOTTOM = 40 };
enum { INNER = WIDTH - LEFT - RIGHT, COLUMNS = INNER, CELL = 2 };
static const double MARK_FAR = 6; /* a mark this many times above everything is named at the edge, not drawn */

typedef struct paper {
	const plot *plot;
	plot_axis x, y;
	bool mark_above; /* the mark is beyond the top */
	html *out;
} paper;

static bool shown(const plot *p, double value) { return isfinite(value) && (!p->log_y || value > 0); }

bool plot_has_values(const plot *p)
{
	for (uint32_t s = 0; s < p->count; ++s)
		for (size_t i = 0; i < p->series[s].count; ++i)
			if (shown(p, p->series[s].y[i]) && (!p->log_x || p->series[s].x[i] > 0))
				return true;
	return false;
}

static double stack_sum(const plot *p, size_t i)
{
	double sum = 0;
	for (uint32_t s = 0; s < p->count; ++s)
		if (isfinite(p->series[s].y[i]))
			sum += p->series[s].y[i];
	return sum;
}

typedef struct range {
	double least, most;
} range;

static void widen(range *r, double value)
{
	r->least = fmin(r->least, value);
	r->most = fmax(r->most, value);
}

static void measure(const plot *p, range *x, range *y)
{
	*x = *y = (range){INFINITY, -INFINITY};
	for (uint32_t s = 0; s < p->count; ++s) {
		const plot_series *one = &p->series[s];
		for (size_t i = 0; i < one->count; ++i) {
			if (p->log_x && !(one->x[i] > 0))
				continue;
			widen(x, one->x[i]);
			if (shown(p, one->y[i]))
				widen(y, p->kind == PLOT_STACK ? stack_sum(p, i) : one->y[i]);
		}
	}
}

static paper lay_out(const plot *p, html *out)
{
	paper l = {.plot = p, .out = out};
	range x, y;
	measure(p, &x, &y);
	if (p->mark > 0) {
		l.mark_above = y.most * MARK_FAR < p->mark;
		if (!l.mark_above)
			y.most = fmax(y.most, p->mark * 1.05);
	}
	l.x = p->log_x || p->kind == PLOT_DOTS ? plot_axis_make(x.least, x.most, p->log_x, "")
	                                       : plot_axis_exact(x.least, x.most);
	l.y = plot_axis_make(y.least, y.most, p->log_y, p->unit);
	l.x.at = LEFT, l.x.length = INNER;
	l.y.at = HEIGHT - BOTTOM, l.y.length = -(HEIGHT - TOP - BOTTOM);
	return l;
}

static double place_y(const paper *p, double value)
{
	double at = !p->y.log || value > 0 ? plot_axis_place(&p->y, value) : HEIGHT - BOTTOM;
	return fmin(fmax(at, TOP), HEIGHT - BOTTOM);
}

/* ---- axes */

static void draw_axes(const paper *p)
{
	char label[32];
	html_put(p->out, "<path class=\"grid\" d=\"");
	for (uint32_t i = 0; i < p->y.count; ++i)
		html_put(p->out, "M%d %.1fH%d", LEFT, plot_axis_place(&p->y, p->y.ticks[i]), WIDTH - RIGHT);
	html_put(p->out, "\"/>\n<path class=\"axis\" d=\"M%d %dH%d", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT);
	for (uint32_t i = 0; i < p->x.count; ++i)
		html_put(p->out, "M%.1f %dv5", plot_axis_place(&p->x, p->x.ticks[i]), HEIGHT - BOTTOM);
	html_put(p->out, "\"/>\n<g class=\"y\">");
	for (uint32_t i = 0; i < p->y.count; ++i) {
		plot_axis_label(&p->y, p->y.ticks[i], label);
		html_put(p->out, "<text x=\"%d\" y=\"%.1f\">%s</text>", LEFT - 7, plot_axis_place(&p->y, p->y.ticks[i]) + 4,
		         label);
	}
	html_put(p->out, "</g>\n<g class=\"x\">");
	for (uint32_t i = 0; i < p->x.count; ++i) {
		plot_axis_label(&p->x, p->x.ticks[i], label);
		html_put(p->out, "<text x=\"%.1f\" y=\"%d\">%s</text>", plot_axis_place(&p->x, p->x.ticks[i]),
		         HEIGHT - BOTTOM + 18, label);
	}
	html_put(p->out, "</g>\n<text class=\"name\" x=\"0\" y=\"12\">");
	html_text(p->out, p->plot->y_name);
	if (*p->y.unit)
		html_put(p->out, ", %s", p->y.unit);
	html_put(p->out, "</text><text class=\"name end\" x=\"%d\" y=\"%d\">", WIDTH - RIGHT, HEIGHT - 4);
	html_text(p->out, p->plot->x_name);
	html_put(p->out, "</text>\n");
}

static void draw_mark(const paper *p)
{
	const plot *what = p->plot;
	if (!(what->mark > 0))
		return;
	double y = p->mark_above ? TOP : place_y(p, what->mark);
	if (!p->mark_above)
		html_put(p->out, "<path class=\"mark\" d=\"M%d %.1fH%d\"/>", LEFT, y, WIDTH - RIGHT);
	html_put(p->out, "<text class=\"marked\" x=\"%d\" y=\"%.1f\">%s", WIDTH - RIGHT, y - 5,
	         p->mark_above ? "\xE2\x86\x91 " : "");
	html_text(p->out, what->mark_name);
	html_put(p->out, "</text>\n");
}

/* ---- lines */

/* What of a series falls into one column of pixels: the places of its least and largest value, in their order. */
static size_t pick_column(const plot_series *s, size_t from, size_t to, size_t picked[2])
{
	size_t low = to, high = to;
	for (size_t i = from; i < to; ++i) {
		if (!isfinite(s->y[i]))
			continue;
		if (low == to || s->y[i] < s->y[low])
			low = i;
		if (high == to || s->y[i] > s->y[high])
			high = i;
	}
	if (low == to)
		return 0;
	picked[0] = low < high ? low : high;
	picked[1] = low < high ? high : low;
	return low == high ? 1 : 2;
}

static void draw_line(const paper *p, const plot_series *s)
{
	size_t step = s->count > 2 * COLUMNS ? (s->count + COLUMNS - 1) / COLUMNS : 1;
	bool pen = false;
	html_put(p->out, "<path class=\"line\" style=\"stroke:var(--c%u)\" stroke-width=\"%.2g\"%s d=\"", s->color,
	         s->width, s->dashed ? " stroke-dasharray=\"7 4\"" : "");
	for (size_t from = 0; from < s->count; from += step) {
		size_t picked[2], to = from + step < s->count ? from + step : s->count;
		size_t count = pick_column(s, from, to, picked);
		for (size_t k = 0; k < count; ++k, pen = true)
			html_put(p->out, "%c%.1f %.1f", pen ? 'L' : 'M', plot_axis_place(&p->x, s->x[picked[k]]),
			         place_y(p, s->y[picked[k]]));
		if (count == 1 && step == 1 && (from + 1 == s->count || !isfinite(s->y[from + 1])) &&
		    (from == 0 || !isfinite(s->y[from - 1])))
			html_put(p->out, "h0.1"); /* alone: a dot */
		pen = pen && count > 0;
	}
	html_put(p->out, "\"/>\n");
}

/* ---- areas */

/* One place for each column: where the sum is largest. The caller frees them. */
static size_t *pick_stack(const plot *p, size_t *count)
{
	size_t all = p->series[0].count, step = all > COLUMNS ? (all + COLUMNS - 1) / COLUMNS : 1;
	size_t *picked = memory_resize(NULL, (all / step + 2) * sizeof picked[0]);
	*count = 0;
	for (size_t from = 0; from < all; from += step) {
		size_t best = from;
		for (size_t i = from; i < from + step && i < all; ++i)
			if (stack_sum(p, i) > stack_sum(p, best))
				best = i;
		picked[(*count)++] = best;
	}
	return picked;
}

static void draw_stack(const paper *p)
{
	const plot *what = p->plot;
	size_t count;
	size_t *picked = pick_stack(what, &count);
	double *base = memory_resize(NULL, (count + 1) * sizeof base[0]);
	memset(base, 0, (count + 1) * sizeof base[0]);
	for (uint32_t s = 0; s < what->count; ++s) {
		const plot_series *one = &what->series[s];
		html_put(p->out, "<path class=\"area\" style=\"fill:var(--c%u)\" d=\"", one->color);
		for (size_t k = 0; k < count; ++k) {
			double y = base[k] + (isfinite(one->y[picked[k]]) ? one->y[picked[k]] : 0);
			html_put(p->out, "%c%.1f %.1f", k ? 'L' : 'M', plot_axis_place(&p->x, one->x[picked[k]]), place_y(p, y));
		}
		for (size_t k = count; k-- > 0;) {
			html_put(p->out, "L%.1f %.1f", plot_axis_place(&p->x, one->x[picked[k]]), place_y(p, base[k]));
			base[k] += isfinite(one->y[picked[k]]) ? one->y[picked[k]] : 0;
		}
		html_put(p->out, "Z\"/>\n");
	}
	free(base);
	free(picked);
}

/* ---- dots: one for each cell of the paper that has any */

static void draw_dots(const paper *p, const plot_series *s)
{
	static bool filled[WIDTH / CELL + 1][HEIGHT / CELL + 1];
	memset(filled, 0, sizeof filled);
	html_put(p->out, "<path class=\"dots\" style=\"stroke:var(--c%u)\" d=\"", s->color);
	for (size_t i = 0; i < s->count; ++i) {
		if (!shown(p->plot, s->y[i]) || (p->x.log && !(s->x[i] > 0)))
			continue;
		double x = plot_axis_place(&p->x, s->x[i]), y = place_y(p, s->y[i]);
		bool *cell = &filled[(int)(x / CELL)][(int)(y / CELL)];
		if (!*cell)
			html_put(p->out, "M%.1f %.1fh0", x, y);
		*cell = true;
	}
	html_put(p->out, "\"/>\n");
}

/* ---- the whole */

/* What is drawn, in words and numbers. */
static void describe(const plot *p, html *out)
{
	html_put(out, "<title>");
	html_text(out, p->title);
	html_put(out, "</title><desc>");
	for (uint32_t s = 0; s < p->count; ++s) {
		const plot_series *one = &p->series[s];
		double sum = 0;
		size_t count = 0, most = 0, least = 0, last = 0;
		for (size_t i = 0; i < one->count; ++i) {
			if (!isfinite(one->y[i]))
				continue;
			most = count == 0 || one->y[i] > one->y[most] ? i : most;
			least = count == 0 || one->y[i] < one->y[least] ? i : least;
			last = i;
			sum += one->y[i];
			++count;
		}
		if (count == 0)
			continue;
		html_text(out, one->name);
		html_put(out, ": mean %.10g, least %.10g, most %.10g", sum / (double)count, one->y[least], one->y[most]);
		if (p->kind != PLOT_DOTS)
			html_put(out, " at %.10g, last %.10g", one->x[most], one->y[last]);
		html_put(out, "; ");
	}
	html_put(out, "%s</desc>\n", *p->unit ? p->unit : "counts");
}

void plot_draw(const plot *p, html *out)
{
	html_put(out, "<svg class=\"plot\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"", WIDTH, HEIGHT);
	html_text(out, p->title);
	html_put(out, "\">");
	describe(p, out);
	paper sheet = lay_out(p, out);
	draw_axes(&sheet);
	if (p->kind == PLOT_STACK)
		draw_stack(&sheet);
	for (uint32_t s = 0; s < p->count && p->kind != PLOT_STACK; ++s)
		if (p->kind == PLOT_DOTS)
			draw_dots(&sheet, &p->series[s]);
		else
			draw_line(&sheet, &p->series[s]);
	draw_mark(&sheet);
	html_put(out, "</svg>\n");
}
