/* JSON (RFC 8259) as a tree in which every value and key knows where it stands, so that errors of meaning can tell. */
#ifndef CN_JSON_H
#define CN_JSON_H

#include "base/arena.h"

enum { CN_JSON_DEPTH = 200 }; /* containers inside containers */

typedef enum cn_json_type {
	CN_JSON_NULL,
	CN_JSON_BOOL,
	CN_JSON_NUMBER,
	CN_JSON_TEXT,
	CN_JSON_ARRAY,
	CN_JSON_OBJECT
} cn_json_type;

typedef struct cn_json {
	cn_json_type type;
	uint32_t line, column;         /* from 1; columns count characters, not bytes */
	uint32_t key_line, key_column; /* of the key, in an object */
	uint32_t index;                /* in the parent */
	uint32_t count;                /* array, object: elements; text, number: bytes */
	const char *key;               /* terminated; NULL outside objects */
	union {
		bool boolean;
		const char *text; /* text: terminated; number: as written, not terminated, in the source */
		const struct cn_json *first;
	};
	double number;
	const struct cn_json *parent, *next;
} cn_json;

/* The tree of text[0..size), in the arena. text must stay as long as the tree. NULL on failure: CAIRN_INVALID with
 * line, column and path, or CAIRN_MEMORY. */
const cn_json *cn_json_read(const char *text, size_t size, cn_arena *arena, cairn_error *error);

/* Bytes of the UTF-8 character at text (Unicode 15, table 3-7), which has size of them left; 0 if it is not one. */
size_t cn_json_utf8(const char *text, size_t size);

const cn_json *cn_json_get(const cn_json *object, const char *key); /* NULL when there is none */
const cn_json *cn_json_at(const cn_json *array, uint32_t index);    /* NULL past the end */

/* "a number", "an object": for messages. */
const char *cn_json_type_name(cn_json_type type);

/* Where a value stands: "bodies[3].mass", "" for the root; cut at the front when it does not fit. */
void cn_json_path(const cn_json *value, char *path, size_t size);

/* text for a message: cut to fit, whole characters only, control characters as '?'. Returns out. */
enum { CN_SHOWN_SIZE = 64 };
const char *cn_json_shown(const char *text, size_t length, char out[CN_SHOWN_SIZE]);

#endif
