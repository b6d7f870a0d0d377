/* A page that grows in memory and reaches the disk only when it is whole. */
#ifndef HTML_H
#define HTML_H

#include "message.h"

typedef struct html {
	char *text; /* always terminated once something was put */
	size_t size, room;
} html;

void html_put(html *p, const char *format, ...) LIKE_PRINTF(2, 3); /* as it is: markup */
void html_add(html *p, const char *text, size_t size);             /* the same, a piece of text */
/* Text of others: <, >, &, " and ' as references; what is no character, as U+FFFD. Fits between tags and in attributes
 * in double quotes. */
void html_text(html *p, const char *text);
void html_json_text(html *p, const char *text); /* the same as a JSON string inside a script */
/* The name of a file as a link from its own folder: without folders, all but plain characters as %XX. */
void html_link(html *p, const char *name);
void html_base64(html *p, const void *data, size_t size);
size_t base64_digits(char *to, const void *data, size_t size); /* four for three bytes; returns how many */
void html_script(html *p, const char *text, size_t size); /* a script or style between its tags, which it cannot end */
void html_free(html *p);

/* Beside the path, then moved over it. Says what is wrong and returns the exit status. */
int html_write(const html *p, const char *path);

#endif
