/* Messages, exit status, memory, and the nearest of a list of words. */
#include "message.h"
#include "json.h"
#include "limit.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const status_text status_texts[] = {
	{"0", "done; a truncated recording reads up to its last whole frame, with a note"},
	{"1", "the simulation failed, running a recording again gave other bits, or certify found an overlap or a passage"},
	{"2", "usage: unknown command, option, setting or method, frame out of range"},
	{"3", "invalid scene: syntax, meaning, missing include or mesh, overlapping start, or the method cannot do it"},
	{"4", "file: cannot read or write, damaged recording, unknown bundled scene"},
	{"5", "something needed is not on this machine"},
	{"124", "the time of --time is over; the partial recording is valid"},
	{"130", "interrupted (Ctrl-C); the partial recording is valid"},
	{"143", "terminated; the partial recording is valid"},
	{NULL, NULL},
};

void text_tame(char *text)
{
	for (unsigned char *s = (unsigned char *)text; *s;) {
		size_t size = utf8_obeyed(s);
		memset(s, '?', size);
		s += size ? size : utf8_character(s);
	}
}

void print_tame(FILE *out, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = text_format_list(format, arguments);
	va_end(arguments);
	text_tame(text);
	fputs(text, out);
	free(text);
}

static char last[1200];

const char *last_said(void) { return last; }

static void print(const char *format, va_list arguments)
{
	vsnprintf(last, sizeof last, format, arguments);
	text_tame(last);
	fprintf(stderr, "cairn: %s\n", last);
}

void say(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
}

int say_and(status code, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	print(format, arguments);
	va_end(arguments);
	return (int)code;
}

int error_status(const cairn_error *error)
{
	return error->code == CAIRN_MEMORY || error->code == CAIRN_OK ? STATUS_FAILED : (int)error->code;
}

int say_error(const cairn_error *error)
{
	char text[1024];
	if (error->code == CAIRN_MEMORY)
		limits_explain(text, sizeof text);
	else
		cairn_error_print(error, text, sizeof text);
	return say_and((status)error_status(error), "%s", text);
}

const char *system_error(void) { return strerror(errno); }

void *memory_resize(void *block, size_t size)
{
	void *resized = realloc(block, size);
	if (!resized)
		exit(say_and(STATUS_FAILED, "out of memory"));
	return resized;
}

char *text_format_list(const char *format, va_list arguments)
{
	va_list again;
	va_copy(again, arguments);
	int size = vsnprintf(NULL, 0, format, arguments);
	char *text = memory_resize(NULL, (size_t)(size < 0 ? 0 : size) + 1);
	text[0] = 0;
	if (size >= 0)
		vsnprintf(text, (size_t)size + 1, format, again);
	va_end(again);
	return text;
}

char *text_format(const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = text_format_list(format, arguments);
	va_end(arguments);
	return text;
}

enum { WORD_SIZE = 32 };

/* Insertions, deletions, changes and swaps of neighbours that turn a into b; both shorter than WORD_SIZE. */
static size_t distance(const char *a, const char *b)
{
	size_t rows[3][WORD_SIZE + 1] = {{0}}, na = strlen(a), nb = strlen(b);
	for (size_t j = 0; j <= nb; ++j)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; ++i) {
		size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
		now[0] = i;
		for (size_t j = 1; j <= nb; ++j) {
			size_t best = before[j - 1] + (a[i - 1] != b[j - 1]);
			if (before[j] + 1 < best)
				best = before[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && earlier[j - 2] + 1 < best)
				best = earlier[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[na % 3][nb];
}

const char *nearest_word(const char *word, const char *const *words, size_t count)
{
	size_t size = strlen(word), least = (size + 2) / 3;
	const char *nearest = NULL;
	if (size == 0 || size >= WORD_SIZE)
		return NULL;
	for (size_t i = 0; i < count; ++i) {
		if (strlen(words[i]) >= WORD_SIZE)
			continue;
		size_t far = distance(word, words[i]);
		bool begins = size >= 2 && strncmp(words[i], word, size) == 0;
		if (far < least || (far == least && !nearest) || (begins && !nearest)) {
			nearest = words[i];
			least = far < least ? far : least;
		}
	}
	return nearest;
}
