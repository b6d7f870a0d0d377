/* Where pictures go: one PNG file, many, or a film. They are encoded by a thread of the sink's own, while the next is
 * drawn. Files are written beside their place and moved there when whole; what goes wrong leaves an older one alone. */
#ifndef RENDER_SINK_H
#define RENDER_SINK_H

#include "cairn/cairn.h"

typedef enum sink_kind { SINK_PICTURE, SINK_PICTURES, SINK_FILM } sink_kind;

typedef struct sink_def {
	sink_kind kind;
	const char *path; /* of pictures: a pattern such as frames/%04d.png */
	uint32_t width, height;
	double fps; /* of a film: pictures a second */
} sink_def;

typedef struct sink sink;

/* What a path asks for. False: error says what is wrong with it (CAIRN_USAGE). */
bool sink_kind_of(const char *path, sink_kind *kind, cairn_error *error);
/* The path of picture number: the caller frees it. */
char *sink_path(const sink_def *def, uint32_t number);

/* NULL: error says why. def's path is kept. */
sink *sink_open(const sink_def *def, cairn_error *error);
/* A picture to fill, of 3 x width x height bytes; waits for one to be free. */
uint8_t *sink_room(sink *s);
/* Takes what was filled. False: writing failed, sink_close says why. */
bool sink_put(sink *s, uint32_t number);
/* Waits for everything to be written, and ends the sink. Not whole: nothing more is put in place. */
bool sink_close(sink *s, bool whole, cairn_error *error);

#endif
