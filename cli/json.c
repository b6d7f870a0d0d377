/* Writes JSON: numbers with as many digits as it takes to read back the same bits; text as UTF-8, bytes that are not
 * UTF-8 as U+FFFD. */
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

size_t utf8_character(const unsigned char *s)
{
	if (s[0] < 0x80)
		return 1;
	size_t size = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
	if (s[0] < 0xC2 || s[0] > 0xF4)
		return 0;
	if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) || (s[0] == 0xF0 && s[1] < 0x90) ||
	    (s[0] == 0xF4 && s[1] > 0x8F))
		return 0;
	for (size_t i = 1; i < size; ++i)
		if ((s[i] & 0xC0) != 0x80)
			return 0;
	return size;
}

size_t utf8_obeyed(const unsigned char *s)
{
	size_t size = utf8_character(s);
	if (size == 0)
		return 1;
	if (size == 1)
		return (*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7F;
	if (size == 2)
		return s[0] == 0xC2 && s[1] < 0xA0 ? 2 : 0;
	bool turns = size == 3 && s[0] == 0xE2 &&
	             ((s[1] == 0x80 && ((s[2] >= 0xAA && s[2] <= 0xAE) || s[2] == 0x8E || s[2] == 0x8F)) ||
	              (s[1] == 0x81 && s[2] >= 0xA6 && s[2] <= 0xA9));
	return turns ? 3 : 0;
}

/* Of a character of up to three bytes. */
static unsigned code_point(const unsigned char *s, size_t size)
{
	return size == 1   ? s[0]
	       : size == 2 ? (s[0] & 0x1Fu) << 6 | (s[1] & 0x3Fu)
	                   : (s[0] & 0x0Fu) << 12 | (s[1] & 0x3Fu) << 6 | (s[2] & 0x3Fu);
}

static void write_text(FILE *out, const char *text)
{
	fputc('"', out);
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t size = utf8_character(s);
		if (size == 0)
			fputs("\xEF\xBF\xBD", out);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else if (*s < 0x20 || utf8_obeyed(s))
			fprintf(out, "\\u%04x", code_point(s, size));
		else
			fwrite(s, 1, size, out);
		s += size ? size : 1;
	}
	fputc('"', out);
}

static void begin_value(json *j, const char *key)
{
	bool own_line = j->lines && j->depth == 1;
	if (j->follows)
		fputs(own_line || !j->lines ? "," : ", ", j->out);
	if (own_line)
		fputs("\n  ", j->out);
	if (key) {
		write_text(j->out, key);
		fputs(j->lines ? ": " : ":", j->out);
	}
	j->follows = true;
}

json json_begin(FILE *out, bool lines)
{
	fputc('{', out);
	return (json){.out = out, .depth = 1, .lines = lines};
}

void json_end(json *j) { fputs(j->lines ? "\n}\n" : "}\n", j->out); }

void json_open(json *j, const char *key, char bracket)
{
	begin_value(j, key);
	fputc(bracket, j->out);
	++j->depth;
	j->follows = false;
}

void json_close(json *j, char bracket)
{
	fputc(bracket, j->out);
	--j->depth;
	j->follows = true;
}

void json_null(json *j, const char *key)
{
	begin_value(j, key);
	fputs("null", j->out);
}

void json_text(json *j, const char *key, const char *text)
{
	if (!text) {
		json_null(j, key);
		return;
	}
	begin_value(j, key);
	write_text(j->out, text);
}

void json_number(json *j, const char *key, double number)
{
	if (!isfinite(number)) {
		json_null(j, key);
		return;
	}
	char text[32];
	for (int digits = 15; digits <= 17; ++digits) {
		snprintf(text, sizeof text, "%.*g", digits, number);
		if (strtod(text, NULL) == number)
			break;
	}
	begin_value(j, key);
	fputs(text, j->out);
}

void json_count(json *j, const char *key, uint64_t count)
{
	begin_value(j, key);
	fprintf(j->out, "%" PRIu64, count);
}

void json_bool(json *j, const char *key, bool value)
{
	begin_value(j, key);
	fputs(value ? "true" : "false", j->out);
}

void json_hash(json *j, const char *key, uint64_t hash)
{
	begin_value(j, key);
	fprintf(j->out, "\"%016" PRIx64 "\"", hash);
}

void json_vec3(json *j, const char *key, cairn_vec3 v)
{
	json_open(j, key, '[');
	json_number(j, NULL, v.x);
	json_number(j, NULL, v.y);
	json_number(j, NULL, v.z);
	json_close(j, ']');
}
