/* Writes JSON. Every value goes into the innermost open object (with its key) or array (key NULL). */
#ifndef JSON_H
#define JSON_H

#include "cairn/cairn.h"

#include <stdio.h>

typedef struct json {
	FILE *out;
	int depth;
	bool lines;   /* a line for each member of the outermost object; else everything on one line */
	bool follows; /* a comma goes before the next value */
} json;

json json_begin(FILE *out, bool lines);                     /* opens the outermost object */
void json_end(json *j);                                     /* closes it and ends the line */
void json_open(json *j, const char *key, char bracket);     /* '{' or '[' */
void json_close(json *j, char bracket);                     /* '}' or ']' */
void json_text(json *j, const char *key, const char *text); /* NULL: null */
void json_number(json *j, const char *key, double number);  /* not finite: null */
void json_count(json *j, const char *key, uint64_t count);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_hash(json *j, const char *key, uint64_t hash); /* 16 hexadecimal digits as text */
void json_vec3(json *j, const char *key, cairn_vec3 v);

/* Length of the UTF-8 character at s, 0 if it is none. Overlong forms and surrogates are none. */
size_t utf8_character(const unsigned char *s);
/* Bytes of the character at s that a terminal obeys; 0: it is shown. What is not UTF-8 may be a control character of
 * eight bits. Newline and tab are shown. */
size_t utf8_obeyed(const unsigned char *s);

#endif
