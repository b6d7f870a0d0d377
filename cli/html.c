/* See html.h. */
#include "html.h"

#include "json.h"
#include "target.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(html *p, size_t more)
{
	if (p->room - p->size > more)
		return;
	size_t half = p->room + p->room / 2;
	p->room = p->size + more + 1 > half ? p->size + more + 1 : half;
	p->text = memory_resize(p->text, p->room);
}

void html_add(html *p, const char *text, size_t size)
{
	make_room(p, size);
	memcpy(p->text + p->size, text, size);
	p->size += size;
	p->text[p->size] = 0;
}

void html_put(html *p, const char *format, ...)
{
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int size = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	if (size > 0) {
		make_room(p, (size_t)size);
		vsnprintf(p->text + p->size, (size_t)size + 1, format, again);
		p->size += (size_t)size;
	}
	va_end(again);
}

/* Length of the character at s that may stand in a page, 0 if it is none: no control characters. */
static size_t character(const unsigned char *s)
{
	bool control = s[0] < 0x20 || s[0] == 0x7F || (s[0] == 0xC2 && s[1] < 0xA0);
	return control ? 0 : utf8_character(s);
}

/* Characters of the text, those of `special` by the format, which takes their number. */
static void put_escaped(html *p, const char *text, const char *special, const char *format)
{
	for (const unsigned char *s = (const unsigned char *)text; *s;) {
		size_t size = character(s);
		if (size == 0)
			html_put(p, "\xEF\xBF\xBD");
		else if (strchr(special, *s))
			html_put(p, format, (unsigned)*s);
		else
			html_add(p, (const char *)s, size);
		s += size ? size : 1;
	}
}

void html_text(html *p, const char *text) { put_escaped(p, text, "<>&\"'", "&#%u;"); }

void html_json_text(html *p, const char *text)
{
	html_put(p, "\"");
	put_escaped(p, text, "<>&\"'\\", "\\u%04x");
	html_put(p, "\"");
}

void html_link(html *p, const char *name)
{
	const char *slash = strrchr(name, '/');
	for (const unsigned char *s = (const unsigned char *)(slash ? slash + 1 : name); *s; ++s)
		if ((*s >= '0' && *s <= '9') || (*s >= 'A' && *s <= 'Z') || (*s >= 'a' && *s <= 'z') || strchr("-._~", *s))
			html_put(p, "%c", *s);
		else
			html_put(p, "%%%02X", *s);
}

size_t base64_digits(char *to, const void *data, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *from = data;
	char *at = to;
	for (size_t i = 0; i < size; i += 3) {
		size_t left = size - i;
		unsigned bits = (unsigned)from[i] << 16 | (left > 1 ? (unsigned)from[i + 1] << 8 : 0u) |
		                (left > 2 ? (unsigned)from[i + 2] : 0u);
		*at++ = digits[bits >> 18];
		*at++ = digits[bits >> 12 & 63];
		*at++ = left > 1 ? digits[bits >> 6 & 63] : '=';
		*at++ = left > 2 ? digits[bits & 63] : '=';
	}
	return (size_t)(at - to);
}

void html_base64(html *p, const void *data, size_t size)
{
	make_room(p, (size + 2) / 3 * 4);
	p->size += base64_digits(p->text + p->size, data, size);
	p->text[p->size] = 0;
}

void html_script(html *p, const char *text, size_t size)
{
	size_t done = 0;
	for (size_t i = 0; i + 2 < size; ++i)
		if (text[i] == '<' && text[i + 1] == '/' && (text[i + 2] == 's' || text[i + 2] == 'S')) {
			html_add(p, text + done, i + 1 - done);
			html_put(p, "\\");
			done = i + 1;
		}
	html_add(p, text + done, size - done);
}

void html_free(html *p)
{
	free(p->text);
	*p = (html){0};
}

int html_write(const html *p, const char *path)
{
	target t;
	if (!target_open(&t, path))
		return STATUS_FILE;
	fwrite(p->text, 1, p->size, t.out);
	return target_place(&t, target_close(&t));
}
