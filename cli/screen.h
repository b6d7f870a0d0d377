/* What a stream is connected to: a terminal or not, how wide, with colours or without. */
#ifndef SCREEN_H
#define SCREEN_H

#include <stdbool.h>
#include <stdio.h>

bool screen_is_terminal(FILE *stream); /* that understands more than plain text: TERM is not dumb or missing */
bool screen_has_colors(FILE *stream);  /* such a terminal, and NO_COLOR is not set */
/* The terminal's width, or COLUMNS, or 80. At least 20. */
int screen_width(FILE *stream);

/* Seconds on a clock that only goes forward. */
double clock_seconds(void);

#endif
