/* What a run amounts to: adds up the reports of its steps and prints them for people and for scripts. What the numbers
 * mean is told in docs/summary.md. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "cairn/cairn.h"

#include <stdio.h>

/* The largest or smallest of something: in which frame, and at which bodies (names; NULL: none). */
typedef struct extreme {
	double value;
	uint32_t frame;
	char *names[2];
} extreme;

typedef struct energy_sum {
	double start, end;      /* J: kinetic and potential at the first frame and at the last */
	double kinetic_start;   /* J */
	cairn_energy accounts;  /* J, in all; kinetic and potential are those of the last frame */
	bool driven;            /* a motor or a script is among the joints: what they bring has a cause */
	double uncaused, least; /* J: sum of all changes but those by events, fields and motors; the least it ever was */
	double climb;           /* J: the most that sum rose over any stretch of frames */
	extreme rise;           /* J: the most it rose from one frame to the next */
	extreme residue;        /* J: the most that the accounts of a frame do not explain */
	extreme lift;           /* of a single body, in its own size */
} energy_sum;

typedef struct stage_sum {
	const char *name;
	double ms; /* in all */
} stage_sum;

/* A script that waited. */
typedef struct late_sum {
	cairn_body body;
	char *name;
	uint32_t first, last, frames; /* in which it was late: first, last, how many */
	extreme lag;                  /* s */
} late_sum;

/* How many steps frames took inside, and what is owed: how far bodies are from where their velocities lead them. */
typedef struct debt_sum {
	uint32_t frames;          /* that say it; recordings of older versions do not */
	uint64_t steps;           /* in all */
	uint32_t steps_max;       /* of a frame */
	uint64_t movers, debtors; /* bodies that moved, and those that owe more than 2 % of their motion, over the frames */
	double sum;               /* m: of all that moved, over the frames */
	extreme most;             /* m */
} debt_sum;

typedef struct summary {
	double *ms; /* of each step */
	size_t steps, capacity;
	double write_ms; /* in all */
	stage_sum stages[CAIRN_MAX_STAGES];
	uint32_t stage_count;
	uint32_t bodies, moving, asleep; /* at the end */
	uint32_t frozen;                 /* of those asleep */
	uint64_t body_frames;            /* moving bodies, summed over the frames */
	uint64_t emitted, close_pairs, collisions, contacts, extra_keys, passes, programs, taken_back;
	uint64_t text_fallbacks, frozen_frames; /* islands; frozen bodies, summed over the frames */
	uint64_t guesses, second_guesses;       /* of vanishing contacts that were right */
	uint32_t close_pairs_max, contacts_max;
	uint64_t tiers[CAIRN_TIER_COUNT];
	uint32_t tier_frames[CAIRN_TIER_COUNT]; /* frames that needed each */
	extreme gap;                            /* m; infinite: not measured */
	uint32_t joints, broken;                /* of the scene; those that broke */
	extreme joint_error;                    /* m */
	late_sum *late;                         /* in the order in which they began to wait */
	uint32_t late_count;
	debt_sum debt;
	energy_sum energy;
	cairn_certificate certificate; /* of all frames that were checked; the verdict is the worst */
	uint32_t certified;            /* frames that were checked */
	uint32_t measured;             /* of these, frames that promise nothing and were measured */
	extreme depth;                 /* m: the deepest overlap of a frame that was measured */
	cairn_status stop;             /* why the last step was refused; OK: it was not */
	char *stop_pair[2];            /* names of the bodies at which; NULL: none */
} summary;

void summary_begin(summary *s, const cairn_world *world); /* where the run begins; NULL: there is none */
void summary_add(summary *s, const cairn_world *world, const cairn_step_report *report, double write_ms);
/* A step that was refused: why, where and what the certificate found. */
void summary_stop(summary *s, const cairn_world *world, const cairn_step_report *report);
/* The same of a run that was recorded: energies of its first frame, then a report for each frame that was read. */
void summary_begin_recorded(summary *s, const cairn_scene *scene, double kinetic, double potential);
void summary_add_recorded(summary *s, const cairn_recording *recording, const cairn_step_report *report);
void summary_free(summary *s);

typedef struct step_times {
	double total, mean, p95, most; /* ms */
} step_times;

step_times summary_times(const summary *s);
double summary_mean(const summary *s, double sum); /* a step; 0 if there was none */
double summary_share(double part, double whole);   /* 0 of nothing */
double summary_debt_mean(const summary *s);        /* m, of a body that moved, in a frame */
double summary_certificate_ms(const summary *s);   /* in all */
const char *summary_verdict(const summary *s);     /* clean only if every frame was checked */
const char *summary_stop_name(cairn_status why);   /* "touch"; NULL for OK */
const char *summary_tier_name(cairn_tier tier);    /* "fast" */
bool summary_has_guarantee(const char *method);    /* nothing overlaps in its frames */
bool summary_has_contact(const char *method);      /* whether it looks at what comes near, and keeps it apart */

/* What else the summary says. */
typedef struct outcome {
	const char *scene, *file, *method;
	const char *certify; /* option: "full", ... */
	uint32_t threads, total;
	double fps, wall;     /* seconds */
	double energy_unit;   /* J */
	const char *status;   /* "done", ... */
	const char *message;  /* NULL: nothing went wrong */
	const char *compared; /* the recording that was run again; NULL: none */
	bool differs;
	uint32_t first_difference;                           /* frame */
	uint32_t compared_first, compared_last, source_last; /* frames that were compared, and the recording's last */
	bool has_info;                                       /* info is of the recording as it is on disk */
	cairn_recording_info info;
	uint64_t memory; /* bytes: the most taken at once */
} outcome;

void summary_print(const summary *s, const outcome *o, FILE *out);
void summary_print_json(const summary *s, const outcome *o, FILE *out);

#endif
