/* A film through ffmpeg, which runs as a child process and is given the pictures through a pipe. */
#ifndef FILM_H
#define FILM_H

#include "cairn/cairn.h"

typedef struct film film;

/* Begins a film in the file at path, which exists and is written over. NULL: error says why; CAIRN_MISSING where there
 * is no ffmpeg. SIGPIPE is ignored from here on. */
film *film_open(const char *path, uint32_t width, uint32_t height, double fps, cairn_error *error);
/* The next picture, as render_frame makes it. */
bool film_put(film *f, const uint8_t *rgb, cairn_error *error);
/* Ends it, also when it returns false. */
bool film_close(film *f, cairn_error *error);
/* Ends it without caring what became of it. */
void film_abandon(film *f);

#endif
