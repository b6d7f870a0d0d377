/* Several methods on one scene (docs/compare.md): each runs it in this process with as many threads as the others, into a
 * recording of its own in a folder that goes away; what is shown is measured from the reports of the steps and from these
 * recordings. */
#ifndef COMPARE_H
#define COMPARE_H

#include "plot.h"
#include "source.h"
#include "summary.h"

enum {
	COMPARE_COLUMNS_MOST = PLOT_SERIES_MOST, /* the truth included */
	COMPARE_PICTURES = 6,
	COMPARE_TRIALS_MOST = 16,
	COMPARE_TRUTH_FINER = 8,  /* frames of the truth for one of the scene */
	COMPARE_TRUTH_STEPS = 16, /* steps of a frame instead, where the scene counts in frames */
	COMPARE_STEPS_MOST = 64,  /* that --substeps takes */
	COMPARE_ANSWERS_MOST = 4
};

#define COMPARE_DEEP 0.05 /* of the size of the smaller dynamic body: what --substeps looks for */

typedef enum compare_end {
	COMPARE_DONE,
	COMPARE_REFUSED, /* the method cannot do the scene: reason says why */
	COMPARE_ENDED    /* a step was not finished: reason says why */
} compare_end;

/* Numbers a frame, from the first step on; NaN: not known. */
typedef enum compare_series {
	SERIES_FRAME,
	SERIES_DEPTH,
	SERIES_ENERGY,
	SERIES_MS,
	SERIES_CONTACTS,
	SERIES_DISTANCE,
	SERIES_COUNT
} compare_series;

/* A run with another number of steps inside the frame. */
typedef struct compare_trial {
	uint32_t substeps;
	double share, ms; /* worst depth; mean time of a frame */
	bool ended;       /* before the last frame, or refused */
} compare_trial;

typedef struct compare_picture {
	uint32_t frame;
	uint8_t *png;
	size_t size;
} compare_picture;

/* Something that is known of the scene, and what the column has of it. */
typedef struct compare_answer {
	const char *what, *unit;
	double expected, measured; /* measured NaN: the run was too short */
	bool met;
} compare_answer;

typedef struct compare_column {
	const char *method;
	char label[32];
	char options[240]; /* its own --set, such as "substeps=4"; "" */
	bool guaranteed;   /* the method keeps bodies apart or stops */
	uint32_t finer;    /* its own frames for one of the scene; 1 but for the truth */
	char *file;        /* its recording; NULL: there is none */
	compare_end end;
	char reason[700];
	uint32_t frames; /* of the scene that it reached */
	double *series[SERIES_COUNT];
	summary sum;
	double energy_unit;     /* J */
	double ms_mean, ms_p95; /* without the measure, but with the certificate of a method that guarantees */
	double depth, share;    /* m; of the size of the smaller dynamic body; NaN: not measured */
	double share_thin;      /* of the thickness of the thinner one */
	uint32_t depth_frame;
	char depth_pair[200];
	uint32_t escaped; /* bodies, at the end */
	bool at_rest;
	uint64_t hash;
	compare_answer answers[COMPARE_ANSWERS_MOST];
	uint32_t answer_count;
	compare_trial trials[COMPARE_TRIALS_MOST];
	uint32_t trial_count;
	compare_picture pictures[COMPARE_PICTURES];
	uint32_t picture_count;
} compare_column;

typedef struct compare {
	const options *o;
	source from;
	cairn_settings settings; /* of the scene; texts live as long as scene */
	cairn_scene *scene;
	uint32_t threads, frames, bodies; /* bodies at the start */
	compare_column columns[COMPARE_COLUMNS_MOST];
	uint32_t count;
	int truth;                           /* its number among the columns; -1: there is none */
	uint32_t tries[COMPARE_TRIALS_MOST]; /* --substeps */
	uint32_t try_count;
	char steps_text[32];                    /* one of them as an option, for the run at hand */
	char *folder;                           /* of the recordings */
	uint32_t picture_width, picture_height; /* pixels */
	char no_pictures[300];                  /* why there are none; "" */
	const char *film;                       /* that was written; NULL: none */
} compare;

/* ---- compare_ask.c: what the command line asks for. Says what is wrong and returns the exit status. ---- */
int compare_ask(compare *c);
/* Options as the scene of a column is read with, valid until the next call; substeps 0: its own. The caller frees the
 * list of sets. */
options compare_options(compare *c, const compare_column *column, uint32_t substeps);
bool compare_takes(const char *method, const char *key); /* whether the method takes an option */

/* ---- compare_run.c ---- */
/* Whether the scene can be read with the options of a column. 0, or the exit status. */
int compare_check(compare *c, compare_column *column);
/* Runs a column to its end into its recording. 0, or the exit status where nothing can be compared. */
int compare_run(compare *c, compare_column *column);
/* Runs it again with so many steps inside a frame, without a recording. */
int compare_try(compare *c, compare_column *column, uint32_t substeps);

/* ---- compare_measure.c: from the recordings ---- */
int compare_measure(compare *c);

/* A body at the end of a frame. */
typedef struct compare_place {
	bool there;
	cairn_vec3 position, velocity;
	cairn_quat orientation;
} compare_place;

/* A recording and the places of its bodies at the frame that was read last, by track. */
typedef struct compare_strip {
	cairn_recording *recording;
	cairn_recording_info info;
	double *size; /* of each shape */
	compare_place *places;
} compare_strip;

int compare_strip_read(compare_strip *f, uint32_t frame);

/* ---- compare_known.c ---- */
int compare_known(const compare *c, compare_column *column,
                  compare_strip *f); /* the column's answers, if there are any */
const char *compare_answer_word(const compare_answer *a);

/* ---- compare_film.c ---- */
void compare_pictures(compare *c);
int compare_film(compare *c, const char *path);

/* ---- compare_letters.c ---- */
/* Writes text (small letters, digits, a few signs) into a picture, white on a dark bar, its upper left corner at (x, y);
 * what does not fit is cut off. */
void letters_draw(uint8_t *rgb, uint32_t width, uint32_t height, uint32_t x, uint32_t y, const char *text);

/* ---- compare_page.c, compare_print.c ---- */
void compare_page(const compare *c, html *out);
/* How much was run, in words. */
enum { COMPARE_SIZE_TEXT = 120 };
void compare_size(const compare *c, char text[COMPARE_SIZE_TEXT]);
void compare_print(const compare *c, FILE *out);
void compare_print_json(const compare *c, const char *page, int code, FILE *out);

#endif
