/* Errors, memory and the nearest name.
 *
 * Decides how a failure is written down (cn_fail), that no size computation can wrap on any width of size_t, and that
 * an array grows by half. Promises that a failed call leaves what it was given as it was. */
#include "base/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CN_TEXT_OF(x) #x
#define CN_VERSION_TEXT(major, minor, patch) CN_TEXT_OF(major) "." CN_TEXT_OF(minor) "." CN_TEXT_OF(patch)

const char *cairn_version(void)
{
	return CN_VERSION_TEXT(CAIRN_VERSION_MAJOR, CAIRN_VERSION_MINOR, CAIRN_VERSION_PATCH);
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t length = strlen(from);
	if (length >= size)
		length = size - 1;
	memmove(to, from, length);
	to[length] = 0;
}

bool cn_fail(cairn_error *error, cairn_code code, const char *field, const char *format, ...)
{
	if (!error)
		return false;
	/* Built aside: the arguments may be parts of the error itself. */
	cairn_error next = {.code = code};
	copy_text(next.path, sizeof next.path, field ? field : "");
	va_list arguments;
	va_start(arguments, format);
	(void)vsnprintf(next.message, sizeof next.message, format, arguments);
	va_end(arguments);
	*error = next;
	return false;
}

bool cn_fail_memory(cairn_error *error) { return cn_fail(error, CAIRN_MEMORY, "", "out of memory"); }

/* Appends as much of part as fits in text[at..size), terminated. Returns the new end. */
static size_t append(char *text, size_t size, size_t at, const char *part)
{
	copy_text(text + at, size - at, part);
	return at + strlen(text + at);
}

void cairn_error_print(const cairn_error *error, char *text, size_t size)
{
	if (!text || size == 0)
		return;
	size_t at = append(text, size, 0, error->file);
	char place[32];
	if (error->line > 0 && error->column > 0)
		(void)snprintf(place, sizeof place, "%s%d:%d", at ? ":" : "", error->line, error->column);
	else if (error->line > 0)
		(void)snprintf(place, sizeof place, "%s%d", at ? ":" : "", error->line);
	else
		place[0] = 0;
	at = append(text, size, at, place);
	if (at)
		at = append(text, size, at, ": ");
	if (error->path[0]) {
		at = append(text, size, at, error->path);
		at = append(text, size, at, ": ");
	}
	(void)append(text, size, at, error->message);
}

static void *resize_default(void *context, void *block, size_t old_size, size_t new_size)
{
	(void)context;
	(void)old_size;
	if (new_size == 0) {
		free(block);
		return NULL;
	}
	return realloc(block, new_size);
}

cairn_allocator cairn_default_allocator(void) { return (cairn_allocator){NULL, resize_default}; }

/* The bytes of count elements, or 0 when there are none or more than one block can hold. */
static size_t block_size(size_t count, size_t size)
{
	return size == 0 || count > (size_t)PTRDIFF_MAX / size ? 0 : count * size;
}

void *cn_alloc(const cairn_allocator *allocator, size_t count, size_t size)
{
	size_t bytes = block_size(count, size);
	void *block = bytes ? allocator->resize(allocator->context, NULL, 0, bytes) : NULL;
	if (block)
		memset(block, 0, bytes);
	return block;
}

void *cn_dup(const cairn_allocator *allocator, const void *source, size_t count, size_t size)
{
	size_t bytes = block_size(count, size);
	void *block = bytes ? allocator->resize(allocator->context, NULL, 0, bytes) : NULL;
	if (block)
		memcpy(block, source, bytes);
	return block;
}

static const char no_text[1] = ""; /* of all that have no name: most bodies */

char *cn_dup_text(const cairn_allocator *allocator, const char *text)
{
	return text && *text ? cn_dup(allocator, text, strlen(text) + 1, 1) : (char *)no_text;
}

void cn_free(const cairn_allocator *allocator, void *block, size_t count, size_t size)
{
	if (block)
		(void)allocator->resize(allocator->context, block, count * size, 0);
}

void cn_free_text(const cairn_allocator *allocator, char *text)
{
	if (text && text != no_text)
		cn_free(allocator, text, strlen(text) + 1, 1);
}

uint32_t cn_grown(uint32_t capacity, uint32_t need)
{
	uint32_t half = capacity / 2, wanted = capacity > UINT32_MAX - half ? UINT32_MAX : capacity + half;
	wanted = wanted < 8 ? 8 : wanted;
	return wanted < need ? need : wanted;
}

bool cn_grow(const cairn_allocator *allocator, void **array, uint32_t *capacity, uint32_t need, size_t size)
{
	if (need <= *capacity)
		return true;
	uint32_t wanted = cn_grown(*capacity, need);
	if (!block_size(wanted, size))
		wanted = need;
	size_t bytes = block_size(wanted, size);
	if (!bytes)
		return false;
	void *grown = allocator->resize(allocator->context, *array, (size_t)*capacity * size, bytes);
	if (!grown)
		return false;
	*array = grown;
	*capacity = wanted;
	return true;
}

enum { CN_NAME_MAX = 64 }; /* longer words are only compared as prefixes */

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b (optimal string alignment). Both are
 * at most CN_NAME_MAX long. */
static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
	size_t rows[3][CN_NAME_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];
	for (size_t j = 0; j <= b_length; ++j)
		before[j] = above[j] = j;
	for (size_t i = 1; i <= a_length; ++i) {
		row[0] = i;
		for (size_t j = 1; j <= b_length; ++j) {
			char x = lower(a[i - 1]), y = lower(b[j - 1]);
			row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == lower(b[j - 2]) && lower(a[i - 2]) == y)
				row[j] = least(row[j], before[j - 2] + 1);
		}
		size_t *spare = before;
		before = above, above = row, row = spare;
	}
	return above[b_length];
}

static bool shares_prefix(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; ++i)
		if (lower(a[i]) != lower(b[i]))
			return false;
	return true;
}

/* How far word is from name, or SIZE_MAX when they are not near. */
static size_t name_distance(const char *word, const char *name)
{
	size_t m = strlen(word), n = strlen(name), shorter = least(m, n), longer = m + n - shorter;
	if (shorter >= 3 && shares_prefix(word, name, shorter))
		return longer - shorter;
	if (longer > CN_NAME_MAX)
		return SIZE_MAX;
	size_t distance = edit_distance(word, m, name, n), limit = m / 3 > 1 ? m / 3 : 1;
	/* A distance of the whole length means nothing in common. */
	return distance <= limit && distance < longer ? distance : SIZE_MAX;
}

const char *cn_nearest(const char *word, const char *const *known)
{
	const char *best = NULL;
	size_t best_distance = SIZE_MAX;
	for (; *known; ++known) {
		size_t distance = name_distance(word, *known);
		if (distance < best_distance) {
			best_distance = distance;
			best = *known;
		}
	}
	return best;
}
