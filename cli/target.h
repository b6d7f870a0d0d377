/* A file that is written beside its place and moved there when it is whole. */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stdio.h>

typedef struct target {
	const char *path;
	char *beside;
	FILE *out;
} target;

/* Why a file could not be opened for writing, by errno; the text is there until the next call. */
const char *target_reason(const char *path);

/* Before long work: whether the folder that the file will be in is there; if not, it says so. */
bool target_has_folder(const char *path);

/* Each says what is wrong. */
bool target_open(target *t, const char *path);
bool target_close(target *t);              /* ends writing; true: all of it is on the disk's books */
int target_place(target *t, bool written); /* moves it in place, or removes it if it is not whole; the exit status */

#endif
