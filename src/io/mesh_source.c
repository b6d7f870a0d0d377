/* The text of a mesh file, word by word, and the mesh that grows from it. */
#include "io/mesh_source.h"

#include "base/number.h"
#include "base/tolerance.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool cn_mesh_fail(cn_mesh_source *s, const char *format, ...)
{
	char message[sizeof s->error->message];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	cn_fail(s->error, CAIRN_INVALID, "", "%s", message);
	if (s->error) {
		snprintf(s->error->file, sizeof s->error->file, "%s", s->name);
		s->error->line = (int)s->line;
	}
	return false;
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

cn_word cn_mesh_word_in_line(cn_mesh_source *s)
{
	while (s->at < s->size && is_space(s->data[s->at]))
		++s->at;
	cn_word word = {s->data + s->at, 0};
	while (s->at < s->size && !is_space(s->data[s->at]) && s->data[s->at] != '\n')
		++s->at, ++word.length;
	return word;
}

cn_word cn_mesh_word(cn_mesh_source *s)
{
	cn_word word = cn_mesh_word_in_line(s);
	while (!word.length && s->at < s->size) {
		cn_mesh_skip_line(s);
		word = cn_mesh_word_in_line(s);
	}
	return word;
}

void cn_mesh_skip_line(cn_mesh_source *s)
{
	while (s->at < s->size && s->data[s->at] != '\n')
		++s->at;
	if (s->at < s->size)
		++s->at, ++s->line;
}

bool cn_mesh_word_is(cn_word word, const char *text)
{
	return word.length == strlen(text) && !memcmp(word.text, text, word.length);
}

const char *cn_mesh_shown(cn_word word, char out[48])
{
	size_t n = word.length < 40 ? word.length : 40;
	for (size_t i = 0; i < n; ++i)
		out[i] = word.text[i] > ' ' && word.text[i] < 127 ? word.text[i] : '?';
	snprintf(out + n, 48 - n, "%s", n < word.length ? "..." : "");
	return out;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* The word as JSON spells numbers: no plus sign, no leading zeros, digits on both sides of a point. 0 if it is none. */
static size_t plain_number(cn_word word, char *out, size_t size)
{
	size_t n = 0, digits = 0, points = 0;
	for (size_t i = 0; i < word.length && (word.text[i] | 32) != 'e'; ++i)
		digits += is_digit(word.text[i]);
	for (size_t i = 0; i < word.length; ++i)
		points += word.text[i] == '.'; /* one at most, so that there is room to pad it */
	if (!digits || points > 1 || word.length + 3 > size)
		return 0;
	for (size_t i = word.text[0] == '+'; i < word.length; ++i) {
		char c = word.text[i], before = n ? out[n - 1] : '\0', after = i + 1 < word.length ? word.text[i + 1] : '\0';
		if (c == '.' && !is_digit(before))
			out[n++] = '0';
		if (is_digit(c) && before == '0' && (n == 1 || (n == 2 && out[0] == '-')))
			--n;
		out[n++] = c;
		if (c == '.' && !is_digit(after))
			out[n++] = '0';
	}
	return n;
}

bool cn_mesh_number(cn_mesh_source *s, cn_word word, const char *what, double *x)
{
	char text[400], shown[48];
	if (!word.length)
		return cn_mesh_fail(
			s, s->at >= s->size ? "the file ends where %s should be" : "the line ends where %s should be", what);
	size_t n = plain_number(word, text, sizeof text);
	if (!n || cn_parse_double(text, n, x) != n)
		return cn_mesh_fail(s, "found \"%s\" for %s; expected a finite number", cn_mesh_shown(word, shown), what);
	if (!isfinite(*x))
		return cn_mesh_fail(s, "%s is too large for %s", cn_mesh_shown(word, shown), what);
	return true;
}

bool cn_mesh_point_words(cn_mesh_source *s, v3 *p)
{
	return cn_mesh_number(s, cn_mesh_word_in_line(s), "a coordinate", &p->x) &&
	       cn_mesh_number(s, cn_mesh_word_in_line(s), "a coordinate", &p->y) &&
	       cn_mesh_number(s, cn_mesh_word_in_line(s), "a coordinate", &p->z);
}

bool cn_mesh_add_point(cn_mesh_source *s, v3 p)
{
	cn_mesh *m = s->mesh;
	if (m->point_count >= CN_COUNT_MAX)
		return cn_mesh_fail(s, "more than %u points", CN_COUNT_MAX);
	if (!cn_grow(s->allocator, (void **)&m->points, &m->point_capacity, m->point_count + 1, sizeof p))
		return cn_fail_memory(s->error);
	m->points[m->point_count++] = p;
	return true;
}

bool cn_mesh_add_triangle(cn_mesh_source *s, uint32_t a, uint32_t b, uint32_t c)
{
	cn_mesh *m = s->mesh;
	uint32_t at = 3 * m->triangle_count;
	if (m->triangle_count >= CN_COUNT_MAX)
		return cn_mesh_fail(s, "more than %u triangles", CN_COUNT_MAX);
	if (!cn_grow(s->allocator, (void **)&m->triangles, &m->index_capacity, at + 3, sizeof *m->triangles))
		return cn_fail_memory(s->error);
	m->triangles[at] = a, m->triangles[at + 1] = b, m->triangles[at + 2] = c;
	++m->triangle_count;
	return true;
}
