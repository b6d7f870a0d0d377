/* What the readers of mesh formats share: the bytes with the place reached, words and numbers, the mesh as it grows. */
#ifndef CN_MESH_SOURCE_H
#define CN_MESH_SOURCE_H

#include "io/mesh_read.h"

typedef struct cn_mesh_source {
	const char *data;
	size_t size, at;
	uint32_t line; /* from 1; 0 in binary data */
	const char *name;
	const cairn_allocator *allocator;
	cn_mesh *mesh;
	cairn_error *error;
} cn_mesh_source;

/* A word of text: not terminated, without the space around it; length 0 at the end. */
typedef struct cn_word {
	const char *text;
	size_t length;
} cn_word;

bool cn_mesh_fail(cn_mesh_source *s, const char *format, ...) CN_PRINTF(2, 3);

cn_word cn_mesh_word(cn_mesh_source *s);         /* the next in the file, counting lines on the way */
cn_word cn_mesh_word_in_line(cn_mesh_source *s); /* the next in this line; length 0 at its end */
void cn_mesh_skip_line(cn_mesh_source *s);
bool cn_mesh_word_is(cn_word word, const char *text);
/* Finite numbers, also in the spellings +1, .5 and 5. that JSON does not have. what names the thing in errors. */
bool cn_mesh_number(cn_mesh_source *s, cn_word word, const char *what, double *x);
bool cn_mesh_point_words(cn_mesh_source *s, v3 *p);
const char *cn_mesh_shown(cn_word word, char out[48]);

bool cn_mesh_add_point(cn_mesh_source *s, v3 p);
bool cn_mesh_add_triangle(cn_mesh_source *s, uint32_t a, uint32_t b, uint32_t c);

bool cn_mesh_read_ply(cn_mesh_source *s);

#endif
