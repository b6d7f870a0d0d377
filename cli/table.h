/* Two columns of text: labels and values, options and their help, commands and their briefs. */
#ifndef TABLE_H
#define TABLE_H

#include "message.h"

#include <stdio.h>

typedef struct table_row {
	char *left, *right;
} table_row;

typedef struct table {
	table_row *rows;
	size_t count;
} table;

void table_add(table *t, const char *left, const char *format, ...) LIKE_PRINTF(3, 4);
/* Indented by two, the right column wrapped to width columns; a left text that is too long gets a line of its own. */
void table_print(const table *t, FILE *out, int width);
void table_free(table *t);

/* Paragraphs (a newline between them) wrapped to width columns, each line indented. */
void text_wrap(FILE *out, const char *text, int indent, int width);

/* "12.3 MB" */
void text_size(uint64_t bytes, char text[32]);
/* A word as the shell wants it: quoted where it has to be. The caller frees it. */
char *text_shell(const char *word);

#endif
