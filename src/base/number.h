/* Numbers as text, the same in every locale and C library. */
#ifndef CN_NUMBER_H
#define CN_NUMBER_H

#include "base/base.h"

enum { CN_NUMBER_SIZE = 40 };

/* The fewest decimal digits that read back to the same double, in the form of %g ("0.1", "1e+300", "-0"), valid JSON.
 * Returns the length. x is finite. */
int cn_format_double(char text[CN_NUMBER_SIZE], double x);
/* As printf's %.17g, with a point. */
int cn_format_double17(char text[CN_NUMBER_SIZE], double x);
/* Turns what stands for the decimal point in a number that printf wrote, one or more bytes, into '.'. Returns the new
 * length. */
int cn_plain_point(char *text);

/* Reads the JSON number at text[0..size). Returns its length, 0 if there is none. Correctly rounded; a number too
 * large for a double gives infinity, which the caller refuses. */
size_t cn_parse_double(const char *text, size_t size, double *x);

#endif
