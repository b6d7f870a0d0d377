/* What the tool says on stderr, its exit status, and memory it cannot do without. */
#ifndef MESSAGE_H
#define MESSAGE_H

#include "cairn/cairn.h"

#include <stdarg.h>
#include <stdio.h>

typedef enum status {
	STATUS_DONE = 0,
	STATUS_FAILED = 1,
	STATUS_USAGE = 2,
	STATUS_SCENE = 3,
	STATUS_FILE = 4,
	STATUS_MISSING = 5,
	STATUS_TIME = 124,
	STATUS_INTERRUPTED = 130,
	STATUS_TERMINATED = 143
} status;

/* One row for each, for help and the man page. number NULL ends it. */
typedef struct status_text {
	const char *number, *meaning;
} status_text;

extern const status_text status_texts[];

#if defined(__GNUC__)
#define LIKE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define LIKE_PRINTF(text, first)
#endif

/* Names and texts of files may hold what a terminal obeys (escape sequences, characters that turn the direction of
 * writing). text_tame makes each byte of it a question mark; newlines and tabs stay. */
void text_tame(char *text);
/* fprintf of what is tamed, for people. */
void print_tame(FILE *out, const char *format, ...) LIKE_PRINTF(2, 3);

/* "cairn: ..." on stderr, tamed. */
void say(const char *format, ...) LIKE_PRINTF(1, 2);

/* The same, returning the status given, so that "return say_and(STATUS_FILE, ...)" reads well. */
int say_and(status code, const char *format, ...) LIKE_PRINTF(2, 3);

const char *last_said(void); /* without the "cairn: " */

/* Says an error of the library and returns its exit status. */
int say_error(const cairn_error *error);
int error_status(const cairn_error *error);

/* The C library's text for errno. */
const char *system_error(void);

/* realloc that says so and exits with STATUS_FAILED when there is no memory. block may be NULL; size is not 0. */
void *memory_resize(void *block, size_t size);
char *text_format(const char *format, ...) LIKE_PRINTF(1, 2); /* the caller frees it */
char *text_format_list(const char *format, va_list arguments) LIKE_PRINTF(1, 0);

/* The word nearest to the one given, or NULL when none is near: for "did you mean". */
const char *nearest_word(const char *word, const char *const *words, size_t count);

#endif
