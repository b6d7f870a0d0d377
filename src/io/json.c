/* The reader of JSON text (RFC 8259), strict: what the grammar does not allow is refused with a message that says what
 * would be right. Beyond the grammar it refuses what a scene could only mean by mistake: a key given twice, a number
 * that no double can hold, a 0 character in a text, nesting deeper than CN_JSON_DEPTH. */
#include "io/json.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A container that is not closed yet, and where its next child is linked. */
typedef struct level {
	cn_json *container;
	const cn_json **link;
} level;

typedef struct parser {
	const char *text;
	size_t size, at;
	size_t line_start; /* offset; columns count characters, so bytes after a character's first are taken off */
	uint32_t line, line_extra;
	level open[CN_JSON_DEPTH]; /* a stack of our own: deep files cannot overflow the machine's */
	uint32_t depth;
	cn_arena *arena;
	cairn_error *error;
} parser;

static uint32_t column(const parser *p, size_t at) { return (uint32_t)(at - p->line_start) - p->line_extra + 1; }

/* at stands on the current line; inside is the container or value the fault is in, or NULL. */
CN_PRINTF(4, 5) static bool fail(parser *p, size_t at, const cn_json *inside, const char *format, ...)
{
	char message[sizeof p->error->message];
	va_list args;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	cn_fail(p->error, CAIRN_INVALID, "", "%s", message);
	if (p->error) {
		p->error->line = (int)p->line, p->error->column = (int)column(p, at);
		if (inside)
			cn_json_path(inside, p->error->path, sizeof p->error->path);
	}
	return false;
}

static void skip_space(parser *p)
{
	for (; p->at < p->size; ++p->at) {
		char c = p->text[p->at];
		if (c == '\n')
			++p->line, p->line_start = p->at + 1, p->line_extra = 0;
		else if (c != ' ' && c != '\t' && c != '\r')
			return;
	}
}

static bool ended(const parser *p) { return p->at >= p->size; }

static char peek(const parser *p) { return p->at < p->size ? p->text[p->at] : '\0'; }

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Letters, digits and what stands inside numbers: the longest run is what a person would call the word there. */
static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '+' || c == '-' ||
	       c == '.';
}

static size_t word_length(const parser *p)
{
	size_t n = 0;
	while (p->at + n < p->size && is_word(p->text[p->at + n]))
		++n;
	return n;
}

typedef char shown[CN_SHOWN_SIZE];

/* What stands at the current place, for a message. */
static const char *found(const parser *p, shown out)
{
	size_t n = word_length(p);
	unsigned char c = (unsigned char)peek(p);
	shown word;
	if (ended(p))
		snprintf(out, CN_SHOWN_SIZE, "the end of the file");
	else if (n)
		snprintf(out, CN_SHOWN_SIZE, "%.*s", CN_SHOWN_SIZE - 1, cn_json_shown(p->text + p->at, n, word));
	else if (c > ' ' && c < 127)
		snprintf(out, CN_SHOWN_SIZE, "'%c'", c);
	else
		snprintf(out, CN_SHOWN_SIZE, "byte 0x%02x", c);
	return out;
}

/* Faults that look alike wherever a value, key or comma should stand: end, comment, quote. */
static bool fail_found(parser *p, const cn_json *inside, const char *wanted)
{
	shown out;
	if (ended(p) && inside && (inside->type == CN_JSON_ARRAY || inside->type == CN_JSON_OBJECT))
		return fail(p, p->at, inside, "the file ends inside the %s that began at line %u, column %u; expected %s",
		            inside->type == CN_JSON_ARRAY ? "array" : "object", inside->line, inside->column, wanted);
	char c = peek(p);
	if (c == '#' || (c == '/' && p->at + 1 < p->size && (p->text[p->at + 1] == '/' || p->text[p->at + 1] == '*')))
		return fail(p, p->at, inside, "JSON has no comments; write a key \"comment\" instead");
	if (c == '\'')
		return fail(p, p->at, inside, "text stands in double quotes (\"), not in single ones");
	return fail(p, p->at, inside, "found %s; expected %s", found(p, out), wanted);
}

static bool same_word(const char *word, size_t n, const char *known)
{
	if (strlen(known) != n)
		return false;
	for (size_t i = 0; i < n; ++i)
		if ((word[i] | 32) != known[i])
			return false;
	return true;
}

/* A word that is no literal of JSON. */
static bool fail_word(parser *p, const cn_json *v, size_t n)
{
	static const char *const not_numbers[] = {"nan", "inf", "infinity"};
	static const char *const literals[][2] = {{"true", "true"}, {"false", "false"}, {"null", "null"}, {"none", "null"},
	                                          {"yes", "true"},  {"no", "false"},    {"on", "true"},   {"off", "false"}};
	const char *word = p->text + p->at;
	size_t sign = word[0] == '-' || word[0] == '+';
	shown out;
	for (size_t i = 0; i < CN_COUNT(not_numbers); ++i)
		if (same_word(word + sign, n - sign, not_numbers[i]))
			return fail(p, p->at, v, "%s is not a number; JSON and scenes know finite numbers only", found(p, out));
	for (size_t i = 0; i < CN_COUNT(literals); ++i)
		if (same_word(word, n, literals[i][0]))
			return fail(p, p->at, v, "%s is not a JSON value; did you mean %s", found(p, out), literals[i][1]);
	return fail(p, p->at, v, "%s is not a JSON value; text stands in double quotes", found(p, out));
}

/* The grammar of section 6, so that each way to miss it has its own words. */
static bool check_number(parser *p, const cn_json *v, size_t n)
{
	const char *s = p->text + p->at;
	size_t i = s[0] == '-' || s[0] == '+';
	shown out;
	found(p, out);
	if (s[0] == '+')
		return fail(p, p->at, v, "%s begins with a plus sign; JSON numbers have none", out);
	if (i < n && s[i] == '.')
		return fail(p, p->at, v, "%s lacks a digit before the point; write 0 there", out);
	if (i >= n || !is_digit(s[i]))
		return fail_word(p, v, n);
	if (s[i] == '0' && i + 1 < n && is_digit(s[i + 1]))
		return fail(p, p->at, v, "%s has a leading zero, which JSON does not allow; leave it out", out);
	while (i < n && is_digit(s[i]))
		++i;
	if (i < n && s[i] == '.') {
		size_t start = ++i;
		while (i < n && is_digit(s[i]))
			++i;
		if (i == start)
			return fail(p, p->at, v, "%s lacks a digit after the point; add a 0 or drop the point", out);
	}
	if (i < n && (s[i] == 'e' || s[i] == 'E')) {
		i += i + 1 < n && (s[i + 1] == '+' || s[i + 1] == '-') ? 2 : 1;
		size_t start = i;
		while (i < n && is_digit(s[i]))
			++i;
		if (i == start)
			return fail(p, p->at, v, "%s lacks the digits of its exponent", out);
	}
	return i == n || fail(p, p->at, v, "%s is not a number; expected one like -1.5e3 (decimal, no unit)", out);
}

static bool parse_number(parser *p, cn_json *v)
{
	size_t n = word_length(p);
	shown out;
	if (!check_number(p, v, n))
		return false;
	v->type = CN_JSON_NUMBER;
	v->text = p->text + p->at;
	v->count = (uint32_t)n;
	size_t used = cn_parse_double(v->text, n, &v->number);
	if (used != n)
		return fail(p, p->at, v, "%s is not a number", found(p, out));
	if (!isfinite(v->number))
		return fail(p, p->at, v, "%s is too large; the largest number is about 1.797e308", found(p, out));
	size_t mantissa = 0;
	while (mantissa < n && (v->text[mantissa] | 32) != 'e' && (v->text[mantissa] < '1' || v->text[mantissa] > '9'))
		++mantissa;
	if (v->number == 0 && mantissa < n && (v->text[mantissa] | 32) != 'e')
		return fail(p, p->at, v, "%s is too small to tell from 0; the smallest number is about 4.941e-324",
		            found(p, out));
	p->at += n;
	return true;
}

static bool parse_word(parser *p, cn_json *v)
{
	size_t n = word_length(p);
	const char *word = p->text + p->at;
	if (n == 4 && !memcmp(word, "null", 4))
		v->type = CN_JSON_NULL;
	else if (n == 4 && !memcmp(word, "true", 4))
		v->type = CN_JSON_BOOL, v->boolean = true;
	else if (n == 5 && !memcmp(word, "false", 5))
		v->type = CN_JSON_BOOL, v->boolean = false;
	else
		return fail_word(p, v, n);
	p->at += n;
	return true;
}

size_t cn_json_utf8(const char *text, size_t size)
{
	const unsigned char *s = (const unsigned char *)text;
	unsigned char least = 0x80, most = 0xbf;
	size_t n;
	if (s[0] < 0x80)
		return 1;
	else if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		n = 3, least = s[0] == 0xe0 ? 0xa0 : 0x80, most = s[0] == 0xed ? 0x9f : 0xbf;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4, least = s[0] == 0xf0 ? 0x90 : 0x80, most = s[0] == 0xf4 ? 0x8f : 0xbf;
	else
		return 0;
	if (size < n || s[1] < least || s[1] > most)
		return 0;
	for (size_t i = 2; i < n; ++i)
		if (s[i] < 0x80 || s[i] > 0xbf)
			return 0;
	return n;
}

static size_t put_utf8(char *out, uint32_t c)
{
	if (c < 0x80)
		return out[0] = (char)c, 1;
	size_t n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
	for (size_t i = n - 1; i > 0; --i, c >>= 6)
		out[i] = (char)(0x80 | (c & 0x3f));
	out[0] = (char)((0xf00u >> n & 0xf0u) | c);
	return n;
}

/* The four hex digits at p->at, or UINT32_MAX. */
static uint32_t hex4(const parser *p, size_t at)
{
	uint32_t x = 0;
	for (size_t i = 0; i < 4; ++i) {
		char c = at + i < p->size ? p->text[at + i] : '\0';
		if (!is_digit(c) && !((c | 32) >= 'a' && (c | 32) <= 'f'))
			return UINT32_MAX;
		x = x << 4 | (uint32_t)(is_digit(c) ? c - '0' : (c | 32) - 'a' + 10);
	}
	return x;
}

/* After "\u": one character, from one escape or from a surrogate pair of two. */
static bool parse_unicode(parser *p, const cn_json *v, uint32_t *out)
{
	size_t start = p->at - 2;
	uint32_t c = hex4(p, p->at);
	if (c == UINT32_MAX)
		return fail(p, start, v, "\\u needs four hexadecimal digits after it, as in \\u00e9");
	if (c == 0)
		return fail(p, start, v, "\\u0000 is refused; no text of a scene holds a zero character");
	p->at += 4;
	if (c >= 0xdc00 && c <= 0xdfff)
		return fail(p, start, v, "\\u%04x is the second half of a surrogate pair without its first", c);
	if (c >= 0xd800 && c <= 0xdbff) {
		bool escape = p->at + 1 < p->size && p->text[p->at] == '\\' && p->text[p->at + 1] == 'u';
		uint32_t low = escape ? hex4(p, p->at + 2) : UINT32_MAX;
		if (low < 0xdc00 || low > 0xdfff)
			return fail(p, start, v,
			            "\\u%04x is the first half of a surrogate pair; expected \\udc00 to \\udfff after it", c);
		p->at += 6;
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	*out = c;
	return true;
}

static bool parse_escape(parser *p, const cn_json *v, char *out, size_t *length)
{
	static const char plain[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char c = p->at + 1 < p->size ? p->text[p->at + 1] : '\0';
	const char *known = c ? strchr(plain, c) : NULL;
	if (known) {
		out[(*length)++] = meant[known - plain];
		p->at += 2;
		return true;
	}
	if (c == 'u') {
		uint32_t code = 0;
		p->at += 2;
		if (!parse_unicode(p, v, &code))
			return false;
		*length += put_utf8(out + *length, code);
		return true;
	}
	if (c > ' ' && c < 127)
		return fail(p, p->at, v, "\\%c is not an escape of JSON; for a backslash itself write \\\\", c);
	return fail(p, p->at, v, "a lone backslash; write \\\\");
}

/* What a quoted text holds when it is not ended by a quote; extra is what line_extra was where it began. */
static bool fail_in_text(parser *p, const cn_json *v, size_t start, uint32_t extra)
{
	unsigned char c = (unsigned char)peek(p);
	if (ended(p) || c == '\n' || c == '\r') {
		p->line_extra = extra;
		return ended(p) ? fail(p, start, v, "the file ends inside the text that begins here; expected a closing \"")
		                : fail(p, start, v,
		                       "the text that begins here has no closing \" on its line; write a line break as \\n");
	}
	if (c < ' ')
		return fail(p, p->at, v, "control character 0x%02x in a text; write it as \\u%04x", c, c);
	return fail(p, p->at, v, "byte 0x%02x is not UTF-8; save the file in that encoding", c);
}

/* p->at stands on the opening quote; v is where a fault is reported. */
static bool parse_text(parser *p, const cn_json *v, const char **text, uint32_t *count)
{
	size_t start = p->at, end = p->at + 1, length = 0;
	uint32_t extra = p->line_extra;
	while (end < p->size && p->text[end] != '"' && p->text[end] != '\n')
		end += p->text[end] == '\\' && end + 1 < p->size ? 2 : 1;
	char *out = cn_arena_take(p->arena, (end < p->size ? end : p->size) - start + 1, 1);
	if (!out)
		return cn_fail_memory(p->error);
	for (++p->at; !ended(p) && peek(p) != '"';) {
		if (peek(p) == '\\') {
			if (!parse_escape(p, v, out, &length))
				return false;
			continue;
		}
		size_t n = (unsigned char)peek(p) < ' ' ? 0 : cn_json_utf8(p->text + p->at, p->size - p->at);
		if (!n)
			return fail_in_text(p, v, start, extra);
		memcpy(out + length, p->text + p->at, n);
		length += n, p->at += n, p->line_extra += (uint32_t)(n - 1);
	}
	if (ended(p))
		return fail_in_text(p, v, start, extra);
	++p->at;
	*text = out;
	*count = (uint32_t)length;
	return true;
}

static bool fail_twice(parser *p, const cn_json *first, const cn_json *second)
{
	shown key;
	fail(p, p->at, second, "key \"%s\" is here a second time; the first is at line %u, column %u",
	     cn_json_shown(second->key, strlen(second->key), key), first->key_line, first->key_column);
	if (p->error)
		p->error->line = (int)second->key_line, p->error->column = (int)second->key_column;
	return false;
}

static uint32_t hash_text(const char *text)
{
	uint32_t h = 2166136261u;
	for (; *text; ++text)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h ^ h >> 15;
}

/* Few keys are compared with each other, many through a table. */
static bool check_twice(parser *p, const cn_json *object)
{
	if (object->count <= 16) {
		for (const cn_json *a = object->first; a; a = a->next)
			for (const cn_json *b = object->first; b != a; b = b->next)
				if (!strcmp(a->key, b->key))
					return fail_twice(p, b, a);
		return true;
	}
	uint32_t slots = 64;
	while (slots < 2 * (uint64_t)object->count && slots < 1u << 31)
		slots *= 2;
	const cn_json **table = cn_alloc(&p->arena->allocator, slots, sizeof *table);
	if (!table)
		return cn_fail_memory(p->error);
	bool ok = true;
	for (const cn_json *a = object->first; a && ok; a = a->next) {
		uint32_t i = hash_text(a->key) & (slots - 1);
		while (table[i] && strcmp(table[i]->key, a->key) != 0)
			i = (i + 1) & (slots - 1);
		ok = !table[i] || fail_twice(p, table[i], a);
		table[i] = a;
	}
	cn_free(&p->arena->allocator, table, slots, sizeof *table);
	return ok;
}

/* The key, its quotes and the colon after it. */
static bool parse_key(parser *p, const cn_json *object, cn_json *v)
{
	uint32_t length;
	if (peek(p) != '"') {
		shown out;
		size_t n = word_length(p);
		return n ? fail(p, p->at, object, "keys stand in double quotes: \"%s\"", cn_json_shown(p->text + p->at, n, out))
		         : fail_found(p, object, "a key in double quotes or '}'");
	}
	v->key_line = p->line, v->key_column = column(p, p->at);
	if (!parse_text(p, object, &v->key, &length))
		return false;
	skip_space(p);
	if (peek(p) != ':')
		return fail_found(p, v->parent, "':' after the key");
	++p->at;
	skip_space(p);
	return true;
}

static bool open_container(parser *p, cn_json *v, cn_json_type type)
{
	v->type = type;
	v->first = NULL;
	if (p->depth == CN_JSON_DEPTH)
		return fail(p, p->at, v, "nested deeper than %d levels", CN_JSON_DEPTH);
	p->open[p->depth++] = (level){v, &v->first};
	++p->at;
	return true;
}

/* A whole value, or the beginning of a container. */
static bool parse_value(parser *p, cn_json *v)
{
	char c = peek(p);
	v->line = p->line, v->column = column(p, p->at);
	if (c == '{' || c == '[')
		return open_container(p, v, c == '{' ? CN_JSON_OBJECT : CN_JSON_ARRAY);
	if (c == '"')
		return v->type = CN_JSON_TEXT, parse_text(p, v, &v->text, &v->count);
	if (is_digit(c) || c == '-' || c == '+' || c == '.')
		return parse_number(p, v);
	if (is_word(c))
		return parse_word(p, v);
	return fail_found(p, v->parent ? v->parent : v, "a value");
}

static bool parse_comma(parser *p, const cn_json *container, char close)
{
	uint32_t line = p->line, at = column(p, p->at);
	if (peek(p) != ',')
		return fail_found(p, container, close == ']' ? "',' or ']'" : "',' or '}'");
	++p->at;
	skip_space(p);
	if (peek(p) != close)
		return true;
	fail(p, p->at, container, "a comma before '%c'; JSON has no trailing commas: leave it out", close);
	if (p->error)
		p->error->line = (int)line, p->error->column = (int)at;
	return false;
}

/* From the end of one value, or the beginning of a container, to where the next begins: *v becomes a new node for it,
 * or NULL at the end of the root. */
static bool find_next(parser *p, cn_json **v)
{
	bool fresh = (*v)->type >= CN_JSON_ARRAY;
	for (; p->depth; fresh = false, --p->depth) {
		level *l = &p->open[p->depth - 1];
		cn_json *container = l->container;
		char close = container->type == CN_JSON_ARRAY ? ']' : '}';
		skip_space(p);
		if (peek(p) != close) {
			if (!fresh && !parse_comma(p, container, close))
				return false;
			cn_json *child = cn_arena_take(p->arena, 1, sizeof *child);
			if (!child)
				return cn_fail_memory(p->error);
			child->parent = container, child->index = container->count++;
			if (close == '}' && !parse_key(p, container, child))
				return false;
			*l->link = child, l->link = &child->next;
			*v = child;
			return true;
		}
		++p->at;
		if (close == '}' && !check_twice(p, container))
			return false;
	}
	*v = NULL;
	return true;
}

const cn_json *cn_json_read(const char *text, size_t size, cn_arena *arena, cairn_error *error)
{
	parser p = {.text = text, .size = size, .line = 1, .arena = arena, .error = error};
	if (size > INT32_MAX)
		return fail(&p, 0, NULL, "the file is larger than 2 GB"), NULL;
	if (size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) /* section 8.1: a byte order mark may be ignored */
		p.at = p.line_start = 3;
	cn_json *root = cn_arena_take(arena, 1, sizeof *root);
	if (!root)
		return cn_fail_memory(error), NULL;
	skip_space(&p);
	if (ended(&p))
		return fail(&p, p.at, NULL, "the file is empty; expected a JSON object { ... }"), NULL;
	for (cn_json *v = root; v;)
		if (!parse_value(&p, v) || !find_next(&p, &v))
			return NULL;
	skip_space(&p);
	if (!ended(&p)) {
		shown out;
		return fail(&p, p.at, NULL, "found %s after the end of the file's one value", found(&p, out)), NULL;
	}
	return root;
}
