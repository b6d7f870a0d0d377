/* Prints tables and wrapped text. */
#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 2, GAP = 2, RIGHT_LEAST = 20 };

void table_add(table *t, const char *left, const char *format, ...)
{
	va_list arguments;
	t->rows = memory_resize(t->rows, (t->count + 1) * sizeof t->rows[0]);
	table_row *row = &t->rows[t->count++];
	row->left = text_format("%s", left);
	va_start(arguments, format);
	row->right = text_format_list(format, arguments);
	va_end(arguments);
	text_tame(row->left);
	text_tame(row->right);
}

void table_free(table *t)
{
	for (size_t i = 0; i < t->count; ++i) {
		free(t->rows[i].left);
		free(t->rows[i].right);
	}
	free(t->rows);
	*t = (table){0};
}

/* Columns that a text takes: its characters, as UTF-8. */
static int columns(const char *text, size_t size)
{
	int count = 0;
	for (size_t i = 0; i < size; ++i)
		count += (text[i] & 0xC0) != 0x80;
	return count;
}

/* One paragraph; the cursor stands at column at, further lines begin at indent. Ends the last line. */
static void wrap(FILE *out, const char *text, size_t size, int at, int indent, int width)
{
	bool first = true;
	for (size_t i = 0; i < size;) {
		size_t word = 0;
		while (i + word < size && text[i + word] != ' ')
			++word;
		int wide = columns(text + i, word);
		if (!first && at + 1 + wide > width) {
			fprintf(out, "\n%*s", indent, "");
			at = indent;
		} else if (!first) {
			fputc(' ', out);
			++at;
		}
		fwrite(text + i, 1, word, out);
		at += wide;
		first = false;
		i += word;
		i += i < size;
	}
	fputc('\n', out);
}

void text_wrap(FILE *out, const char *text, int indent, int width)
{
	while (*text) {
		size_t size = strcspn(text, "\n");
		fprintf(out, "%*s", indent, "");
		wrap(out, text, size, indent, indent, width);
		text += size;
		text += *text == '\n';
	}
}

void table_print(const table *t, FILE *out, int width)
{
	int left = 0, most = width / 2 + 4;
	for (size_t i = 0; i < t->count; ++i) {
		int wide = columns(t->rows[i].left, strlen(t->rows[i].left));
		left = wide > left && wide <= most ? wide : left;
	}
	int start = INDENT + left + GAP;
	if (width < start + RIGHT_LEAST)
		width = start + RIGHT_LEAST;
	for (size_t i = 0; i < t->count; ++i) {
		const table_row *row = &t->rows[i];
		int wide = columns(row->left, strlen(row->left));
		fprintf(out, "%*s%s", INDENT, "", row->left);
		if (wide > left)
			fprintf(out, "\n%*s", start, "");
		else
			fprintf(out, "%*s", left - wide + GAP, "");
		wrap(out, row->right, strlen(row->right), start, start, width);
	}
}

void text_size(uint64_t bytes, char text[32])
{
	static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
	double value = (double)bytes;
	size_t unit = 0;
	while (value >= 999.5 && unit < 4) {
		value /= 1000;
		++unit;
	}
	snprintf(text, 32, unit == 0 || value >= 99.95 ? "%.0f %s" : "%.1f %s", value, units[unit]);
}

char *text_shell(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
	if (*word && word[strspn(word, plain)] == 0)
		return text_format("%s", word);
	char *quoted = memory_resize(NULL, 4 * strlen(word) + 3), *end = quoted;
	*end++ = '\'';
	for (; *word; ++word) {
		if (*word == '\'') {
			memcpy(end, "'\\''", 4);
			end += 4;
		} else {
			*end++ = *word;
		}
	}
	*end++ = '\'';
	*end = 0;
	return quoted;
}
