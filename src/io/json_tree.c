/* Looking into a JSON tree, and the words with which messages name its places. */
#include "io/json.h"

#include <stdio.h>
#include <string.h>

const cn_json *cn_json_get(const cn_json *object, const char *key)
{
	if (object->type != CN_JSON_OBJECT)
		return NULL;
	for (const cn_json *v = object->first; v; v = v->next)
		if (!strcmp(v->key, key))
			return v;
	return NULL;
}

const cn_json *cn_json_at(const cn_json *array, uint32_t index)
{
	if (array->type != CN_JSON_ARRAY)
		return NULL;
	const cn_json *v = array->first;
	while (v && index--)
		v = v->next;
	return v;
}

const char *cn_json_type_name(cn_json_type type)
{
	switch (type) {
	case CN_JSON_NULL: return "null";
	case CN_JSON_BOOL: return "true or false";
	case CN_JSON_NUMBER: return "a number";
	case CN_JSON_TEXT: return "a text";
	case CN_JSON_ARRAY: return "an array";
	default: return "an object";
	}
}

static bool is_plain(const char *key)
{
	for (const char *c = key; *c; ++c)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_' ||
		      *c == '$'))
			return false;
	return *key != '\0';
}

/* Written from the end, since the last steps of a path say most. */
void cn_json_path(const cn_json *value, char *path, size_t size)
{
	size_t at = size - 1;
	path[at] = '\0';
	for (const cn_json *v = value; v->parent; v = v->parent) {
		char step[CN_SHOWN_SIZE + 8], key[CN_SHOWN_SIZE];
		const char *point = v->parent->parent ? "." : "";
		if (!v->key)
			snprintf(step, sizeof step, "[%u]", v->index);
		else if (is_plain(v->key))
			snprintf(step, sizeof step, "%s%s", point, cn_json_shown(v->key, strlen(v->key), key));
		else
			snprintf(step, sizeof step, "[\"%s\"]", cn_json_shown(v->key, strlen(v->key), key));
		size_t n = strlen(step);
		if (n + 3 > at) {
			memcpy(path + at - 3, "...", 3);
			at -= 3;
			break;
		}
		at -= n;
		memcpy(path + at, step, n);
	}
	memmove(path, path + at, size - at);
}

const char *cn_json_shown(const char *text, size_t length, char out[CN_SHOWN_SIZE])
{
	size_t n = length < CN_SHOWN_SIZE ? length : CN_SHOWN_SIZE - 4;
	while (n < length && n && ((unsigned char)text[n] & 0xc0) == 0x80) /* not in the middle of a character */
		--n;
	for (size_t i = 0; i < n; ++i)
		out[i] = (unsigned char)text[i] < ' ' || text[i] == 127 ? '?' : text[i];
	memcpy(out + n, n < length ? "..." : "", n < length ? 4 : 1);
	return out;
}
