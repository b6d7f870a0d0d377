/* Plots as inline SVG: axes with units, a legend, one colour a series. Colours are the page's own (--c0 to --c7), so a
 * plot follows its light, its dark and its print. What is too dense to draw is shown by its envelope: the smallest and
 * the largest value of each column of pixels, so that no peak is lost. */
#ifndef PLOT_H
#define PLOT_H

#include "html.h"

enum { PLOT_COLORS = 8, PLOT_SERIES_MOST = 16, PLOT_TICKS_MOST = 16 };

typedef enum plot_kind {
	PLOT_LINES,
	PLOT_STACK, /* one on top of the other; of each column the place with the largest sum */
	PLOT_DOTS
} plot_kind;

typedef struct plot_series {
	const char *name;
	uint8_t color;   /* 0 to PLOT_COLORS - 1 */
	double width;    /* of a line, points */
	bool dashed;     /* the line: where colours are used twice */
	uint32_t run;    /* whose it is */
	const double *x; /* rising, but for dots; finite */
	const double *y; /* not finite: nothing is there */
	size_t count;
} plot_series;

typedef struct plot {
	const char *id; /* of the figure: letters */
	const char *title, *note;
	const char *x_name, *y_name, *unit; /* unit "": a count */
	plot_kind kind;
	bool log_x, log_y;
	double mark; /* a line across at this value; 0: none */
	const char *mark_name;
	plot_series series[PLOT_SERIES_MOST];
	uint32_t count;
} plot;

/* The drawing alone: <svg>...</svg>. */
void plot_draw(const plot *p, html *out);
/* Whether there is anything to draw: a value that is there and, on a logarithmic axis, above 0. */
bool plot_has_values(const plot *p);

/* ---- plot_axis.c ---- */
typedef struct plot_axis {
	double low, high; /* of values; of their decimal logarithms if log */
	bool log;
	double at, length;                    /* on the paper; length < 0: upward */
	double ticks[PLOT_TICKS_MOST], scale; /* values are divided by scale for the labels */
	uint32_t count;
	char unit[16]; /* with the prefix that belongs to scale */
} plot_axis;

/* From the least to the largest value, made round; a linear one begins at 0 unless something is below. */
plot_axis plot_axis_make(double least, double most, bool log, const char *unit);
plot_axis plot_axis_exact(double least, double most);        /* linear, from the one to the other: for x */
double plot_axis_place(const plot_axis *axis, double value); /* on the paper */
void plot_axis_label(const plot_axis *axis, double tick, char text[32]);

/* "12.3 kJ", "0.52 mm", "1 234": three or four digits and a prefix where the unit takes one. */
void text_quantity(double value, const char *unit, char text[48]);

#endif
