/* What a run amounts to: adds up the reports of its steps and prints them for people and for scripts. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include "cairn/cairn.h"

#include <stdio.h>

typedef struct summary {
	double *ms; /* of each step */
	size_t steps, capacity;
	double write_ms; /* in all */
	const char *stage_names[CAIRN_MAX_STAGES];
	double stage_ms[CAIRN_MAX_STAGES]; /* in all */
	uint32_t stage_count;
	uint32_t bodies, moving; /* at the end */
	uint64_t emitted, close_pairs, collisions, contacts, extra_keys, tiers[CAIRN_MAX_TIERS];
	uint32_t close_pairs_max, contacts_max;
	double worst_gap; /* infinite: not measured */
	uint32_t worst_gap_frame;
	char *worst_pair[2];             /* names */
	double energy_start, energy_end; /* J */
	double drift, drift_least, rise; /* J: sum of what nothing caused, its least value, its largest climb */
} summary;

void summary_begin(summary *s);
void summary_add(summary *s, const cairn_world *world, const cairn_step_report *report, double write_ms);
void summary_free(summary *s);

/* What else the summary says. */
typedef struct outcome {
	const char *scene, *file, *method;
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
} outcome;

void summary_print(const summary *s, const outcome *o, FILE *out);
void summary_print_json(const summary *s, const outcome *o, FILE *out);

#endif
