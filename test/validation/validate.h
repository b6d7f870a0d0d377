/* The page and the list of what is known not to be met. */
#ifndef VALIDATE_H
#define VALIDATE_H

#include "trial.h"

#include <stdio.h>

/* A measure that is not met, why, and how far it is off at most. */
typedef struct unmet {
	const char *row, *what;
	double most; /* in the unit of the wanted error */
	const char *why;
} unmet;

const unmet *find_unmet(const char *of, const char *what); /* of a row or check; NULL: not known */

/* Writes docs/validation.md and docs/validation/NAME.svg below a folder, each whole or not at all. False: it could not. */
bool write_page(const char *folder);
bool write_plot(const char *path, const plot *p);

#endif
