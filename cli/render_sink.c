/* A ring of pictures between the thread that draws and the one that writes. */
#define _POSIX_C_SOURCE 200809L
#include "render_sink.h"
#include "film.h"
#include "message.h"
#include "render.h"
#include "source.h"
#include "target.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROOMS = 3, WIDTH_MOST = 9 };

struct sink {
	sink_def def;
	film *film;
	char *beside; /* the film's file while it is written */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	uint8_t *rooms[ROOMS];
	uint32_t numbers[ROOMS];
	uint32_t filled, written; /* pictures so far */
	bool ended, failed;
	cairn_error error;
};

static bool fail_file(cairn_error *error, const char *path, const char *what)
{
	int reason = errno;
	*error = (cairn_error){.code = CAIRN_FILE};
	snprintf(error->file, sizeof error->file, "%s", path);
	errno = reason;
	snprintf(error->message, sizeof error->message, "%s: %s", what, target_reason(path));
	return false;
}

static bool fail_path(cairn_error *error, const char *path, const char *what)
{
	*error = (cairn_error){.code = CAIRN_USAGE};
	snprintf(error->message, sizeof error->message, "-o %.200s: %s", path, what);
	return false;
}

/* Where the number of a pattern stands: "%d" or "%04d". NULL for anything else. */
static const char *find_number(const char *path, size_t *size)
{
	const char *sign = strchr(path, '%'), *at = sign;
	if (!sign)
		return NULL;
	for (++at; *at >= '0' && *at <= '9'; ++at)
		;
	if (*at != 'd' || at - sign > 3 || strchr(at, '%') || strtol(sign + 1, NULL, 10) > WIDTH_MOST)
		return NULL;
	*size = (size_t)(at - sign) + 1;
	return sign;
}

bool sink_kind_of(const char *path, sink_kind *kind, cairn_error *error)
{
	size_t size;
	bool percent = strchr(path, '%') != NULL;
	*kind = ends_with(path, ".mp4") ? SINK_FILM : percent ? SINK_PICTURES : SINK_PICTURE;
	if (!ends_with(path, ".png") && !ends_with(path, ".mp4"))
		return fail_path(error, path, "must end in .png or .mp4; many pictures have a number, such as frames/%04d.png");
	if (percent && (*kind == SINK_FILM || !find_number(path, &size)))
		return fail_path(error, path,
		                 "a number is written %d or %04d, once, and only for .png; nothing else takes a %");
	return true;
}

char *sink_path(const sink_def *def, uint32_t number)
{
	char digits[16];
	size_t size = 0;
	const char *sign = def->kind == SINK_PICTURES ? find_number(def->path, &size) : NULL;
	if (!sign)
		return text_format("%s", def->path);
	int width = (int)strtol(sign + 1, NULL, 10);
	snprintf(digits, sizeof digits, sign[1] == '0' ? "%0*u" : "%*u", width, number);
	return text_format("%.*s%s%s", (int)(sign - def->path), def->path, digits, sign + size);
}

/* A new file beside the target, open. NULL: error says why. */
static FILE *open_beside(const char *path, char **beside, cairn_error *error)
{
	if (file_is_special(path)) {
		*error = (cairn_error){.code = CAIRN_FILE, .message = "this is not a regular file and is not replaced"};
		snprintf(error->file, sizeof error->file, "%s", path);
		return NULL;
	}
	*beside = text_format("%s.%ld.part", path, (long)getpid());
	FILE *file = fopen(*beside, "wbx");
	if (!file) {
		fail_file(error, path, "cannot write it");
		free(*beside);
		*beside = NULL;
	}
	return file;
}

/* Moves it in place, or removes it if it is not to stay. Frees the name. */
static bool settle(char *beside, const char *path, bool stay, cairn_error *error)
{
	bool done = !stay || rename(beside, path) == 0 || fail_file(error, path, "cannot put it in place");
	if (!stay || !done)
		remove(beside);
	free(beside);
	return done;
}

static bool write_picture(const sink *s, const uint8_t *rgb, uint32_t number, cairn_error *error)
{
	uint8_t *png;
	size_t size;
	char *path = sink_path(&s->def, number), *beside;
	bool done = render_png(rgb, s->def.width, s->def.height, &png, &size, error);
	FILE *file = done ? open_beside(path, &beside, error) : NULL;
	done = file != NULL;
	if (file) {
		bool whole = fwrite(png, 1, size, file) == size && fflush(file) == 0;
		if (!whole)
			fail_file(error, path, "cannot write it");
		if (fclose(file) != 0 && whole)
			whole = fail_file(error, path, "cannot write it");
		done = settle(beside, path, whole, error) && whole;
	}
	free(png);
	free(path);
	return done;
}

static void *write_all(void *context)
{
	sink *s = context;
	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (s->written == s->filled && !s->ended)
			pthread_cond_wait(&s->changed, &s->lock);
		if (s->written == s->filled)
			break;
		uint32_t room = s->written % ROOMS;
		bool skip = s->failed;
		pthread_mutex_unlock(&s->lock);
		cairn_error error = {0};
		bool done = skip || (s->film ? film_put(s->film, s->rooms[room], &error)
		                             : write_picture(s, s->rooms[room], s->numbers[room], &error));
		pthread_mutex_lock(&s->lock);
		if (!done) {
			s->failed = true;
			s->error = error;
		}
		++s->written;
		pthread_cond_signal(&s->changed);
	}
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

static bool begin_film(sink *s, cairn_error *error)
{
	FILE *file = open_beside(s->def.path, &s->beside, error);
	if (!file)
		return false;
	fclose(file);
	s->film = film_open(s->beside, s->def.width, s->def.height, s->def.fps, error);
	if (!s->film)
		settle(s->beside, s->def.path, false, error);
	return s->film != NULL;
}

static void free_sink(sink *s)
{
	for (int i = 0; i < ROOMS; ++i)
		free(s->rooms[i]);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->changed);
	free(s);
}

sink *sink_open(const sink_def *def, cairn_error *error)
{
	sink *s = memory_resize(NULL, sizeof *s);
	*s = (sink){.def = *def};
	pthread_mutex_init(&s->lock, NULL);
	pthread_cond_init(&s->changed, NULL);
	for (int i = 0; i < ROOMS; ++i)
		s->rooms[i] = memory_resize(NULL, 3 * (size_t)def->width * def->height);
	bool begun = def->kind != SINK_FILM || begin_film(s, error);
	if (begun && pthread_create(&s->thread, NULL, write_all, s) != 0) {
		*error = (cairn_error){.code = CAIRN_FAILED, .message = "cannot start a thread to write with"};
		begun = false;
		if (s->film) {
			film_abandon(s->film);
			settle(s->beside, def->path, false, error);
		}
	}
	if (begun)
		return s;
	free_sink(s);
	return NULL;
}

uint8_t *sink_room(sink *s)
{
	pthread_mutex_lock(&s->lock);
	while (s->filled - s->written == ROOMS)
		pthread_cond_wait(&s->changed, &s->lock);
	pthread_mutex_unlock(&s->lock);
	return s->rooms[s->filled % ROOMS];
}

bool sink_put(sink *s, uint32_t number)
{
	pthread_mutex_lock(&s->lock);
	s->numbers[s->filled % ROOMS] = number;
	++s->filled;
	bool going = !s->failed;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return going;
}

/* ffmpeg knows best why it stopped taking pictures. */
static bool end_film(sink *s, bool whole, cairn_error *error)
{
	if (!whole && !s->failed) {
		film_abandon(s->film);
		return settle(s->beside, s->def.path, false, error);
	}
	bool done = film_close(s->film, error);
	if (!done)
		snprintf(error->file, sizeof error->file, "%s", s->def.path);
	else if (s->failed)
		*error = s->error;
	return settle(s->beside, s->def.path, done && !s->failed, error) && done && !s->failed;
}

bool sink_close(sink *s, bool whole, cairn_error *error)
{
	pthread_mutex_lock(&s->lock);
	s->ended = true;
	pthread_cond_signal(&s->changed);
	pthread_mutex_unlock(&s->lock);
	pthread_join(s->thread, NULL);
	bool done = !s->failed;
	if (s->film)
		done = end_film(s, whole, error);
	else if (s->failed)
		*error = s->error;
	free_sink(s);
	return done;
}
