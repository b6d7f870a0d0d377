/* One run of a validation scene under some variation of it, seen as if there were none: keys come back in the scene's
 * own place, size and time, so that what measures a row need not know how the scene was moved, turned, scaled or
 * listed. Also what a row of docs/validation.md consists of. */
#ifndef TRIAL_H
#define TRIAL_H

#include "base/vec.h"
#include "cairn/cairn.h"

/* ---- variations */

typedef struct trial {
	const char *method; /* "oba" */
	double finer;       /* frames for one of the scene's: 1, 2, 4 */
	double scale;       /* of all lengths; times go with its root, so that gravity stays */
	double turn;        /* rad about the vertical */
	v3 move;            /* m, of the scene's own size */
	uint32_t order;     /* 0: bodies as listed; 1: from the last; else shuffled by this seed */
	bool brief;         /* shorter and fewer runs: for trees where a step costs ten times as much */
} trial;

trial trial_plain(void);

/* What a row changes in its scene, before the variation. Each may be NULL; body returns false to leave one out. */
typedef struct edit {
	void *context;
	bool (*body)(void *context, uint32_t index, cairn_body_def *def);
	void (*shape)(void *context, uint32_t index, cairn_shape_def *def);
	void (*material)(void *context, uint32_t index, cairn_material_def *def);
	bool weightless;
} edit;

enum { RUN_MOST = 256 };

typedef struct run {
	trial t;
	cairn_world *world;
	cairn_body bodies[RUN_MOST]; /* in the order of the file; null: left out */
	cairn_body_info infos[RUN_MOST];
	uint32_t count;
	v3 gravity;
	double dt; /* of the scene's own time */
	cairn_step_report report;
	double unit;   /* J: all moving mass x g x the largest body; without gravity the first kinetic energy */
	double total;  /* J */
	double ledger; /* units: the most by which a frame's accounts were off */
	double rise;   /* units: the most a frame gained without cause */
	uint64_t held; /* bodies put back */
	bool ok;
	char trouble[400];
} run;

/* False, with the reason in trouble: the scene cannot be read, or no world be made of it. */
bool run_open(run *r, const trial *t, const char *scene, const edit *e);
bool run_step(run *r); /* one frame of the variation; false: it failed, and nothing moves any more */
bool run_until(run *r, double time);
void run_close(run *r);

double run_time(const run *r);
cairn_key run_key(const run *r, uint32_t body);
int run_find(const run *r, const char *name); /* -1: none */
double run_gap(const run *r, uint32_t a, uint32_t b);
double run_energy(const run *r, double *kinetic);                                 /* J, of the scene as it was run */
v3 run_momentum(const run *r, v3 *angular, double *scale, double *angular_scale); /* of the scene as it was run */
double run_worst_ledger(void);                                                    /* units: of all runs so far */

/* ---- rows */

typedef struct measure {
	char what[72], expected[32], measured[32], error[32], wanted[32];
	double off, limit; /* the error and what it may be, in the same unit; a verdict: 0 or 1, and 0 */
	bool met;
	uint32_t count; /* runs whose worst this is */
} measure;

enum { MEASURE_MOST = 80, SERIES_MOST = 6 };

typedef struct series {
	char name[40];
	double *x, *y;
	uint32_t count, room;
	bool dashed; /* the answer expected */
} series;

typedef struct plot {
	char x_label[40], y_label[40];
	series lines[SERIES_MOST];
	uint32_t count;
} plot;

typedef struct result {
	measure list[MEASURE_MOST];
	uint32_t count;
	plot plot;
	bool plotting;
	char note[400];
} result;

/* Each keeps the worst of all measures of the same name. */
void near(result *r, const char *what, const char *unit, double expected, double measured, double relative);
void within(result *r, const char *what, const char *unit, double expected, double measured, double absolute);
void below(result *r, const char *what, const char *unit, double measured, double limit); /* expected: 0 */
void above(result *r, const char *what, const char *unit, double measured, double least);
void at_most(result *r, const char *what, const char *unit, double measured, double most);
void verdict(result *r, const char *what, const char *expected, const char *measured, bool met);
void trouble(result *r, const run *u); /* the run ended early */
bool result_met(const result *r);
void result_free(result *r);

/* A value that is known, and how it is measured at any frame rate. */
typedef struct truth {
	const char *what, *unit;
	double expected;
	double scale; /* what errors are a share of; 0: the value itself */
	double floor; /* the share down to which they have to fall; 0: 0.1 % */
} truth;

enum { TRUTH_MOST = 8 };

/* Fills values; false: the run ended early, and r knows of it. */
typedef bool (*gauge)(const trial *t, result *r, double values[TRUTH_MOST]);

/* Measures at the trial's rate, within 5 %; as the scene is also at 240 frames a second, within 1 %, and how errors fall
 * from 30 to 60, 120, 240 and 1000: to 0.6 at most from one to the next (a half, and some room), until they are about
 * 0.1 %. */
bool tell_truth(const trial *t, result *r, gauge look, const truth *list, uint32_t count);

/* When a value that is x[0] at t[0] and x[1] at t[1], with these rates, passes the level: on the cubic between. */
double crossing(const double t[2], const double x[2], const double rate[2], double level);

/* How long x'' = b sin x takes from x = from with x' = speed to x = to. */
double swing_time(double b, double from, double speed, double to);

/* Points for the row's picture; starts the line when it is new. Nothing unless the result is plotting. */
void mark(result *r, const char *line, bool dashed, double x, double y);
void axes(result *r, const char *x, const char *y);

typedef struct row {
	const char *name, *title, *setup;
	const char *scenes; /* names of its files, with commas */
	void (*measure)(const trial *t, result *r);
	bool free;      /* method free gives the same answer */
	bool structure; /* its verdict is asked for with half the step and with bodies in another order, too */
} row;

extern const row rows[];
extern const uint32_t row_count;

/* Symmetry, invariance, conservation: docs/validation.md below the rows. */
typedef struct check {
	const char *name, *title, *says;
	void (*measure)(const trial *t, result *r);
} check;

extern const check checks[];
extern const uint32_t check_count;

void row_throw(const trial *t, result *r);
void row_spin(const trial *t, result *r);
void row_bounce(const trial *t, result *r);
void row_slope(const trial *t, result *r);
void row_slide(const trial *t, result *r);
void row_roll(const trial *t, result *r);
void row_rollers(const trial *t, result *r);
void row_resistance(const trial *t, result *r);
void row_tilting(const trial *t, result *r);
void row_billiard(const trial *t, result *r);
void row_overhang(const trial *t, result *r);
void row_diamonds(const trial *t, result *r);
void row_mass(const trial *t, result *r);
void row_stack(const trial *t, result *r);
void row_cards(const trial *t, result *r);
void row_arch(const trial *t, result *r);
void row_dominoes(const trial *t, result *r);
void row_tip(const trial *t, result *r);
void row_plank(const trial *t, result *r);
void row_topple(const trial *t, result *r);
void row_ladder(const trial *t, result *r);
void row_puck(const trial *t, result *r);
void row_table(const trial *t, result *r);
void row_wedge(const trial *t, result *r);
void row_carousel(const trial *t, result *r);
void row_flat(const trial *t, result *r);
void row_beside(const trial *t, result *r);
void row_coin(const trial *t, result *r);
void row_spinner(const trial *t, result *r);
void row_corner(const trial *t, result *r);
void row_oblique(const trial *t, result *r);
void row_trough(const trial *t, result *r);
void row_runoff(const trial *t, result *r);
void row_pinch(const trial *t, result *r);
void row_bullet(const trial *t, result *r);
void row_catapult(const trial *t, result *r);
void row_top(const trial *t, result *r);
void row_pendulum(const trial *t, result *r);
void row_links(const trial *t, result *r);
void row_cradle(const trial *t, result *r);
void row_catenary(const trial *t, result *r);
void row_shaken(const trial *t, result *r);
void row_meeting(const trial *t, result *r);
void row_hinged(const trial *t, result *r);
void row_ragdoll(const trial *t, result *r);
void row_rigs(const trial *t, result *r);
void row_hoop(const trial *t, result *r);
void row_rocker(const trial *t, result *r);
void row_chain_of_rings(const trial *t, result *r);
void row_cup_spin(const trial *t, result *r);
void row_hole(const trial *t, result *r);
void row_marbles(const trial *t, result *r);
void row_sheet(const trial *t, result *r);
void row_linked(const trial *t, result *r);
void row_nut(const trial *t, result *r);
void row_boats(const trial *t, result *r);
void row_erleben(const trial *t, result *r);
void row_net(const trial *t, result *r);

#endif
