/* Progress on stderr: a bar that is redrawn at most ten times a second, plain lines about one a second, one JSON object
 * for each frame, or nothing. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "options.h"

typedef struct progress {
	progress_mode mode; /* never PROGRESS_AUTO once begun */
	const char *label;
	uint32_t first, total;  /* frames */
	uint32_t shown, latest; /* frames */
	uint32_t contacts;
	bool has_report, drawn, colors, erase;
	double ms;          /* of a step, smoothed */
	double begun, last; /* seconds */
} progress;

/* From frame first (done already) to total. label is kept, not copied. */
void progress_begin(progress *p, progress_mode mode, const char *label, uint32_t first, uint32_t total);
/* After each frame; report may be NULL. */
void progress_frame(progress *p, uint32_t frame, const cairn_step_report *report);
/* Shows the last frame and leaves the line free for messages. Safe to call again. */
void progress_end(progress *p);

#endif
