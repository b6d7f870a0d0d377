/* What a report is made of (docs/report.md): recordings read into columns of numbers, plots of them, and the page. */
#ifndef REPORT_H
#define REPORT_H

#include "plot.h"
#include "source.h"
#include "summary.h"

enum { REPORT_RUNS_MOST = PLOT_COLORS, REPORT_PICTURES_MOST = 8, REPORT_WORST = 10 };

/* A number for each step. Accounts of the ledger are summed from the first step on. */
typedef enum report_column {
	COLUMN_FRAME,
	COLUMN_BODIES,
	COLUMN_MOVING,
	COLUMN_ASLEEP,
	COLUMN_FROZEN,
	COLUMN_CLOSE_PAIRS,
	COLUMN_COLLISIONS,
	COLUMN_CONTACTS,
	COLUMN_PROGRAMS,
	COLUMN_PASSES,
	COLUMN_TAKEN_BACK,
	COLUMN_GAP,       /* NaN: nothing came near anything */
	COLUMN_DEPTH,     /* m: the deepest overlap; NaN: none, or not measured */
	COLUMN_STEPS,     /* inside the frame; NaN: not known */
	COLUMN_DEBT,      /* m, the largest; NaN: none to speak of, or not known */
	COLUMN_DEBT_MEAN, /* m */
	COLUMN_JOINT,     /* m: the furthest that a joint is off; NaN: there are none */
	COLUMN_KINETIC,
	COLUMN_POTENTIAL,
	COLUMN_TOTAL,
	COLUMN_EVENTS,
	COLUMN_FIELDS,
	COLUMN_DAMPING,
	COLUMN_IMPACTS,
	COLUMN_FRICTION,
	COLUMN_POSITION,
	COLUMN_DROPPED,
	COLUMN_DRIFT,
	COLUMN_JOINTS, /* J */
	COLUMN_MS,
	COLUMN_TIER,                                   /* one for each tier ... */
	COLUMN_STAGE = COLUMN_TIER + CAIRN_TIER_COUNT, /* ... and for each stage of the summary */
	COLUMN_COUNT = COLUMN_STAGE + CAIRN_MAX_STAGES
} report_column;

typedef struct report_picture {
	uint32_t frame;
	uint8_t *png;
	size_t size;
} report_picture;

typedef struct report_run {
	const char *path, *label; /* as on the command line; short, one for each run */
	char stem[200];           /* of the file */
	cairn_recording *recording;
	cairn_recording_info info;
	cairn_settings settings;
	size_t steps;
	double *columns[COLUMN_COUNT]; /* steps numbers each */
	summary sum;
	double energy_unit; /* J */
	bool certified;     /* the check was made again for the report */
	cairn_certify_result certificate;
	report_picture pictures[REPORT_PICTURES_MOST];
	uint32_t picture_count;
	char no_pictures[300];      /* why there are none; "": there are some, or none were asked for */
	size_t worst[REPORT_WORST]; /* steps, the slowest first */
	uint32_t worst_count;
} report_run;

/* ---- report_read.c ---- */
struct progress;
/* Opens and reads a recording; says what is wrong and returns the exit status. Free it in any case. */
int report_read(report_run *run, const char *path, struct progress *shown);
void report_free(report_run *run);
/* A body's name, or its number where it has none. */
const char *report_track_name(const report_run *run, uint32_t track, char text[32]);

/* ---- report_plots.c ---- */
/* The figures, section by section; what scripts need to draw them again goes to data. */
void report_plots(const report_run *runs, uint32_t count, html *out, html *data);

/* ---- report_tables.c ---- */
void report_facts(const report_run *run, html *out);                     /* the numbers of one run, as tiles */
void report_verdict(const report_run *run, html *out);                   /* what the certificate says, in a sentence */
void report_compare(const report_run *runs, uint32_t count, html *out);  /* the same numbers side by side */
void report_worst(const report_run *runs, uint32_t count, html *out);    /* the slowest frames */
void report_settings(const report_run *runs, uint32_t count, html *out); /* what was run */

/* ---- report_page.c ---- */
extern const char report_style[]; /* report_style.c */
void report_page(const report_run *runs, uint32_t count, bool quick, html *out);

#endif
