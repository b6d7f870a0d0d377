/* Pictures of the same frames, and a film of all columns side by side, from the same place. */
#include "compare.h"
#include "measure.h"
#include "progress.h"
#include "render.h"
#include "render_math.h"
#include "render_sink.h"
#include "stop.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	PICTURE_WIDTH = 320,
	PICTURE_HEIGHT = 180,
	TILE_WIDTH = 480, /* of a film, where what moves is not narrow */
	TILE_HEIGHT = 270,
	LOOKS = 24, /* frames that decide how wide pictures are */
	LABEL_AT = 8,
	LINE = 24, /* from one line of a label to the next */
	SHADE = 8
};
static const double USUAL = 16.0 / 9; /* widths of a height */
static const double NARROWEST = 0.6;
static const double BESIDE = 1.2; /* how much wider than what moves the picture is */

/* A column as it is drawn. */
typedef struct tile {
	cairn_recording *recording;
	renderer *renderer;
	uint8_t *rgb; /* what was drawn last */
} tile;

static bool is_seen(const compare_column *column) { return column->file && column->end != COMPARE_REFUSED; }

/* The column whose view all share: the first that keeps bodies apart, or else the first there is. */
static const compare_column *find_guide(const compare *c)
{
	const compare_column *first = NULL;
	for (uint32_t i = 0; i < c->count; ++i) {
		if (is_seen(&c->columns[i]) && c->columns[i].guaranteed)
			return &c->columns[i];
		if (is_seen(&c->columns[i]) && !first)
			first = &c->columns[i];
	}
	return first;
}

static bool open_tile(tile *t, const compare_column *column, const render_def *look, cairn_error *error)
{
	cairn_recording_def def = cairn_default_recording_def();
	*t = (tile){.recording = cairn_recording_open(column->file, &def, error)};
	if (!t->recording)
		return false;
	render_def own = *look;
	own.from = 0; /* with a camera already: what flies far away must not decide what is near to it */
	own.to = look->has_camera ? 0 : column->frames * column->finer;
	t->renderer = render_open(t->recording, &own, error);
	t->rgb = memory_resize(NULL, (size_t)3 * look->width * look->height);
	memset(t->rgb, 0, (size_t)3 * look->width * look->height);
	return t->renderer != NULL;
}

static void close_tile(tile *t)
{
	render_close(t->renderer);
	cairn_recording_close(t->recording);
	free(t->rgb);
}

/* Size, quality and the camera that all share. */
static bool choose_look(const compare *c, render_def *look, cairn_error *error)
{
	tile guide;
	const compare_column *column = find_guide(c);
	if (!column) {
		*error = (cairn_error){.code = CAIRN_FAILED, .message = "no method ran"};
		return false;
	}
	bool done = open_tile(&guide, column, look, error);
	if (done)
		render_camera(guide.renderer, look);
	close_tile(&guide);
	return done;
}

/* How wide what moves is in a frame, in heights of the picture. sky: up. */
static double width_of(cairn_recording *recording, const cairn_frame *frame, const render_def *look, cairn_vec3 sky)
{
	cairn_vec3 back = vec_unit(vec_sub(look->position, look->target)), right = vec_unit(vec_cross(sky, back)),
			   up = vec_cross(back, right);
	double *size = measure_size(cairn_recording_scene(recording)), tangent = tan(look->fov / 2), most = 0;
	for (uint32_t i = 0; i < frame->key_count; ++i) {
		cairn_body_info info = cairn_recording_track(recording, frame->keys[i].track).info;
		cairn_vec3 at = vec_sub(frame->keys[i].key.position, look->position);
		double away = -vec_dot(at, back), half = away * tangent;
		if (info.type != CAIRN_DYNAMIC || !(away > 0) || fabs(vec_dot(at, up)) > half)
			continue; /* it is out of the picture, above or below */
		most = fmax(most, (fabs(vec_dot(at, right)) + 0.5 * size[info.shape.index]) / half);
	}
	free(size);
	return most;
}

/* The same over the whole of a column. */
static bool widen(const compare_column *column, const render_def *look, double *most, cairn_error *error)
{
	cairn_recording_def def = cairn_default_recording_def();
	cairn_recording *recording = cairn_recording_open(column->file, &def, error);
	bool done = recording;
	uint32_t last = column->frames * column->finer;
	for (uint32_t i = 0; done && i <= LOOKS; ++i) {
		cairn_frame frame;
		cairn_vec3 g = cairn_scene_settings(cairn_recording_scene(recording)).gravity;
		cairn_vec3 sky = vec_length(g) > 0 ? vec_unit(vec_scale(-1, g)) : vec(0, 0, 1);
		done = cairn_recording_read(recording, (uint32_t)((uint64_t)last * i / LOOKS), &frame, error);
		*most = done ? fmax(*most, BESIDE * width_of(recording, &frame, look, sky)) : *most;
	}
	cairn_recording_close(recording);
	return done;
}

/* Pictures of a tower that falls in no column are narrow and high, of as many pixels as others. */
static bool choose_shape(const compare *c, render_def *look, cairn_error *error)
{
	double most = NARROWEST, area = (double)look->width * look->height;
	for (uint32_t i = 0; i < c->count && most < USUAL; ++i)
		if (is_seen(&c->columns[i]) && !widen(&c->columns[i], look, &most, error))
			return false;
	if (most < USUAL) {
		look->height = 2 * (uint32_t)lround(sqrt(area / most) / 2); /* films want even numbers */
		look->width = 2 * (uint32_t)lround(sqrt(area * most) / 2);
	}
	return true;
}

/* ---- pictures */

/* Fewer shades: nobody sees it at this size, and the page is half as heavy. */
static void round_shades(uint8_t *rgb, size_t size)
{
	for (size_t i = 0; i < size; ++i)
		rgb[i] = (uint8_t)(rgb[i] > 255 - SHADE / 2 ? 255 : (rgb[i] + SHADE / 2) / SHADE * SHADE);
}

static bool take_pictures(const compare *c, compare_column *column, const render_def *look, cairn_error *error)
{
	tile t;
	bool done = open_tile(&t, column, look, error);
	uint32_t count = c->frames + 1 < COMPARE_PICTURES ? c->frames + 1 : COMPARE_PICTURES;
	for (uint32_t i = 0; done && i < count && stop_asked() == STATUS_DONE; ++i) {
		compare_picture *picture = &column->pictures[i];
		picture->frame = count > 1 ? (uint32_t)((uint64_t)c->frames * i / (count - 1)) : 0;
		if (picture->frame > column->frames)
			break;
		done = render_frame(t.renderer, picture->frame * column->finer, 1, t.rgb, error);
		round_shades(t.rgb, done ? (size_t)3 * look->width * look->height : 0);
		done = done && render_png(t.rgb, look->width, look->height, &picture->png, &picture->size, error);
		column->picture_count += done;
	}
	close_tile(&t);
	return done;
}

void compare_pictures(compare *c)
{
	cairn_error error = {0};
	render_def look = {.width = PICTURE_WIDTH, .height = PICTURE_HEIGHT, .quality = RENDER_FINE};
	bool done = choose_look(c, &look, &error) && choose_shape(c, &look, &error);
	c->picture_width = look.width, c->picture_height = look.height;
	for (uint32_t i = 0; i < c->count && done; ++i)
		if (is_seen(&c->columns[i]))
			done = take_pictures(c, &c->columns[i], &look, &error);
	if (!done)
		snprintf(c->no_pictures, sizeof c->no_pictures, "%.250s", error.message);
}

/* ---- the film */

typedef struct wall {
	tile tiles[COMPARE_COLUMNS_MOST];
	uint32_t tile_width, tile_height, across, width, height; /* tiles in a row; pixels of the whole */
} wall;

static void place(const wall *w, uint32_t number, const uint8_t *rgb, uint8_t *whole)
{
	uint32_t x = number % w->across * w->tile_width, y = number / w->across * w->tile_height;
	for (uint32_t row = 0; row < w->tile_height; ++row)
		memcpy(whole + 3 * ((size_t)(y + row) * w->width + x), rgb + 3 * (size_t)row * w->tile_width,
		       (size_t)3 * w->tile_width);
}

/* A column that ended shows its last frame, at half its brightness. */
static void darken(uint8_t *rgb, size_t size)
{
	for (size_t i = 0; i < size; ++i)
		rgb[i] = rgb[i] / 2;
}

static bool draw_tile(const wall *w, const compare_column *column, tile *t, uint32_t frame, cairn_error *error)
{
	if (!t->renderer || frame > column->frames + 1)
		return true;
	if (frame == column->frames + 1) {
		darken(t->rgb, (size_t)3 * w->tile_width * w->tile_height);
		return true;
	}
	return render_frame(t->renderer, frame * column->finer, 1, t->rgb, error);
}

/* The method's name, and below it what became of it. */
static void label(const wall *w, uint32_t number, const compare_column *column, uint32_t frame, uint8_t *whole)
{
	uint32_t x = number % w->across * w->tile_width + LABEL_AT, y = number / w->across * w->tile_height + LABEL_AT;
	letters_draw(whole, w->width, w->height, x, y, column->label);
	if (column->end == COMPARE_REFUSED || frame > column->frames)
		letters_draw(whole, w->width, w->height, x, y + LINE,
		             column->end == COMPARE_REFUSED ? "cannot do it" : "ended");
}

static bool draw_all(const compare *c, wall *w, sink *out, progress *shown, cairn_error *error)
{
	for (uint32_t frame = 0; frame <= c->frames; ++frame) {
		uint8_t *whole = sink_room(out);
		memset(whole, 24, (size_t)3 * w->width * w->height);
		for (uint32_t i = 0; i < c->count; ++i) {
			const compare_column *column = &c->columns[i];
			if (!draw_tile(w, column, &w->tiles[i], frame, error))
				return false;
			if (w->tiles[i].renderer)
				place(w, i, w->tiles[i].rgb, whole);
			label(w, i, column, frame, whole);
		}
		if (!sink_put(out, frame) || stop_asked() != STATUS_DONE)
			return false;
		progress_frame(shown, frame, NULL);
	}
	return true;
}

static int shoot(const compare *c, wall *w, const char *path)
{
	cairn_error error = {0}, closing = {0};
	progress shown;
	sink_def def = {SINK_FILM, path, w->width, w->height, c->settings.fps};
	sink *out = sink_open(&def, &error);
	if (!out)
		return say_error(&error);
	progress_begin(&shown, c->o->quiet ? PROGRESS_NONE : (progress_mode)c->o->progress, "film", 0, c->frames);
	bool drawn = draw_all(c, w, out, &shown, &error), written = sink_close(out, drawn, &closing);
	progress_end(&shown);
	if (stop_asked() != STATUS_DONE)
		return say_and(stop_asked(), "stopped; %s was not finished", path);
	if (!written)
		return say_error(&closing);
	return drawn ? STATUS_DONE : say_error(&error);
}

int compare_film(compare *c, const char *path)
{
	cairn_error error = {0};
	render_def look = {.width = TILE_WIDTH, .height = TILE_HEIGHT, .quality = RENDER_FAST};
	wall w = {0};
	bool open = choose_look(c, &look, &error) && choose_shape(c, &look, &error);
	w.tile_width = look.width, w.tile_height = look.height;
	w.across = 1; /* the whole is to be a usual picture */
	while (w.across < c->count && (double)w.across * w.across * w.tile_width < c->count * USUAL * w.tile_height)
		++w.across;
	w.width = w.across * w.tile_width;
	w.height = (c->count + w.across - 1) / w.across * w.tile_height;
	for (uint32_t i = 0; i < c->count && open; ++i)
		if (is_seen(&c->columns[i]))
			open = open_tile(&w.tiles[i], &c->columns[i], &look, &error);
	int result = open ? shoot(c, &w, path) : say_error(&error);
	for (uint32_t i = 0; i < c->count; ++i)
		close_tile(&w.tiles[i]);
	if (result == STATUS_DONE)
		c->film = path;
	return result;
}
