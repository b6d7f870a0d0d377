/* What a SCENE or REC on the command line means.
 *
 * A name of a bundled scene is that scene. Anything with a slash or ending in .json is a scene file, anything ending in
 * .cairn or beginning with a recording's first bytes is a recording. */
#ifndef SOURCE_H
#define SOURCE_H

#include "bundle.h"
#include "options.h"

typedef enum source_kind { SOURCE_BUNDLED, SOURCE_SCENE, SOURCE_RECORDING } source_kind;

typedef struct source {
	source_kind kind;
	const char *argument;
	const bundle_file *file; /* SOURCE_BUNDLED */
	char stem[200];          /* its name without folder and ending */
} source;

/* 0, or the exit status when there is no such scene; that has been said then. */
int source_find(source *s, const char *argument);

/* The scene (not of a recording) with the --method and --set of o. NULL: *result is the exit status and error says
 * why; nothing has been said. */
cairn_scene *source_read(const source *s, const options *o, int *result, cairn_error *error);

/* Names the source in an error that came after reading, when the scene no longer knows its file. */
void source_blame(const source *s, cairn_error *error);

/* Applies --method and --set to a scene: 0, or the exit status with error filled. empty: the scene is there only to try
 * options on, and paths into a scene are left to its reader. */
int source_change(cairn_scene *scene, const options *o, bool empty, cairn_error *error);

/* Opens a recording; says what went wrong. NULL: *result is the exit status. */
cairn_recording *source_open(const char *path, int *result);
/* The frames that --from and --to ask for, all of them if they do not; says what is wrong with them. */
int source_range(const options *o, const cairn_recording_info *info, uint32_t *from, uint32_t *to);

bool file_exists(const char *path);
uint64_t file_size(const char *path);   /* bytes; 0 if there is none */
bool file_is_special(const char *path); /* exists and is no regular file: never to be replaced by a rename */
bool file_is_same(const char *a, const char *b);
bool ends_with(const char *text, const char *ending);

#endif
