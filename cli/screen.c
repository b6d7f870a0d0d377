/* Terminals and the clock. */
#define _DEFAULT_SOURCE
#include "screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { WIDTH_DEFAULT = 80, WIDTH_LEAST = 20, WIDTH_MOST = 1000 };

bool screen_is_terminal(FILE *stream)
{
	const char *term = getenv("TERM");
	return term && *term && strcmp(term, "dumb") != 0 && isatty(fileno(stream));
}

bool screen_has_colors(FILE *stream)
{
	const char *none = getenv("NO_COLOR");
	return !(none && *none) && screen_is_terminal(stream);
}

int screen_width(FILE *stream)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	long width = 0;
	if (isatty(fileno(stream)) && ioctl(fileno(stream), TIOCGWINSZ, &size) == 0)
		width = size.ws_col;
	if (width == 0 && columns)
		width = strtol(columns, NULL, 10);
	if (width <= 0 || width > WIDTH_MOST)
		width = WIDTH_DEFAULT;
	return width < WIDTH_LEAST ? WIDTH_LEAST : (int)width;
}

double clock_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
