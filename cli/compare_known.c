/* Scenes with known answers (docs/validation.md): what a column's recording has of them. The formulas are for the bundled
 * scenes; test/validation works them out and measures more of each, with method oba. */
#include "compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum known_measure {
	WAY_MOST,  /* the furthest that any dynamic body was from where it began, in its own sizes */
	WAY_END,   /* how far the body is from where it began, at the end */
	FURTHEST,  /* the largest x of the body's centre */
	HIGHEST,   /* how far the body rose above where it began */
	HEIGHT_FOR /* how high above rest the body's energy would lift it, after the time at */
} known_measure;

typedef enum known_rule { WITHIN, AT_MOST, MORE } known_rule;

typedef struct known {
	const char *scene, *what, *unit, *body;
	known_measure measure;
	known_rule rule;
	double (*expected)(double g, double t);
	double off; /* WITHIN: part of what is expected */
	double at;  /* s */
} known;

/* ---- formulas: g, and the time that the run has come to */

static double tenth(double g, double t) { return (void)g, (void)t, 0.1; }
static double half(double g, double t) { return (void)g, (void)t, 0.5; }
static double down_slope(double g, double t) { return 0.5 * g * (1 - 2 * 0.49) / sqrt(5) * t * t; }
static double slid(double g, double t)
{
	double a = 0.5 * g, stop = 5 / a, s = t < stop ? t : stop;
	return 5 * s - 0.5 * a * s * s;
}
static double rolled(double g, double t)
{
	double a = 0.5 * g, rolls = 2 * 5 / (7 * a), s = t < rolls ? t : rolls;
	return 5 * s - 0.5 * a * s * s + (t - s) * 5 * 5 / 7;
}
static double thrown(double g, double t) { return hypot(3 * t, 8 * t - 0.5 * g * t * t); }
static double after_half(double g, double t) { return (void)g, (void)t, 0.25; }
static double after_nine(double g, double t) { return (void)g, (void)t, 0.81; }
static double after_whole(double g, double t) { return (void)g, (void)t, 1; }
static double before_sheet(double g, double t) { return (void)g, (void)t, -0.5; }
static double raised(double g, double t) { return (void)g, (void)t, 0.0734505; }
static double hardly_raised(double g, double t) { return 0.05 * raised(g, t); }
static double raised_toy(double g, double t) { return (void)g, (void)t, 1.2131732; }
static double hardly_raised_toy(double g, double t) { return 0.05 * raised_toy(g, t); }

#define STANDS(scene)                                                                                                  \
	{                                                                                                                  \
		scene, "it stands: no body moves further than", "sizes", NULL, WAY_MOST, AT_MOST, tenth, 0, 0                  \
	}

static const known KNOWN[] = {
	STANDS("validation-stack10"),
	STANDS("validation-stack30"),
	STANDS("validation-cards"),
	STANDS("validation-arch-thick"),
	STANDS("validation-mass-ratio"),
	STANDS("validation-diamond2"),
	STANDS("validation-diamond3"),
	STANDS("validation-diamond4"),
	STANDS("validation-pinch"),
	{"validation-arch-thin", "it falls: a body moves by more than", "sizes", NULL, WAY_MOST, MORE, half, 0, 0},
	{"validation-slope", "way down the slope", "m", "cube", WAY_END, WITHIN, down_slope, 0.02, 0},
	{"validation-slide", "way", "m", "box", WAY_END, WITHIN, slid, 0.005, 0},
	{"validation-roll", "way", "m", "ball", WAY_END, WITHIN, rolled, 0.01, 0},
	{"validation-throw", "way of the ball", "m", "ball", WAY_END, WITHIN, thrown, 1e-6, 0},
	{"validation-bounce", "height after a bounce, e = 0.5", "m", "half", HEIGHT_FOR, WITHIN, after_half, 0.01, 0.6},
	{"validation-bounce", "height after a bounce, e = 0.9", "m", "nine tenths", HEIGHT_FOR, WITHIN, after_nine, 0.01,
     0.8},
	{"validation-bounce", "height after a bounce, e = 1", "m", "whole", HEIGHT_FOR, WITHIN, after_whole, 0.01, 0.8},
	{"validation-bullet", "the cube stays before the sheet, at most at", "m", "cube", FURTHEST, AT_MOST, before_sheet,
     0, 0},
	{"validation-cradle", "the last ball rises by", "m", "ball 4", HIGHEST, WITHIN, raised, 0.05, 0},
	{"validation-cradle", "the middle one by no more than", "m", "ball 2", HIGHEST, AT_MOST, hardly_raised, 0, 0},
	{"office-toy-5", "the last ball rises by", "m", "ball 4", HIGHEST, WITHIN, raised_toy, 0.05, 0},
	{"office-toy-5", "the middle one by no more than", "m", "ball 2", HIGHEST, AT_MOST, hardly_raised_toy, 0, 0},
};

enum { KNOWN_COUNT = sizeof KNOWN / sizeof KNOWN[0] };

/* ---- measuring */

static const double BOUNCE_REST = 0.0501; /* m: height of the centre of a ball at rest, with the gap that is kept */

typedef struct watch {
	const known *k;
	double g, fps;
	double value; /* so far; NaN: nothing yet */
} watch;

static double distance(cairn_vec3 a, cairn_vec3 b) { return hypot(hypot(a.x - b.x, a.y - b.y), a.z - b.z); }

static double larger(double a, double b) { return isnan(a) || b > a ? b : a; }

static void look(watch *w, const compare_strip *f, const compare_place *first, uint32_t body, double time)
{
	const compare_place *p = &f->places[body];
	cairn_body_info info = cairn_recording_track(f->recording, body).info;
	double way = distance(p->position, first[body].position);
	double speed = distance(p->velocity, (cairn_vec3){0, 0, 0});
	switch (w->k->measure) {
	case WAY_MOST: w->value = larger(w->value, way / f->size[info.shape.index]); break;
	case WAY_END: w->value = way; break;
	case FURTHEST: w->value = larger(w->value, p->position.x); break;
	case HIGHEST: w->value = larger(w->value, p->position.z - first[body].position.z); break;
	case HEIGHT_FOR:
		if (isnan(w->value) && time >= w->k->at)
			w->value = p->position.z - BOUNCE_REST + speed * speed / (2 * w->g);
		break;
	}
}

static bool is_watched(const watch *w, const compare_strip *f, uint32_t body)
{
	cairn_body_info info = cairn_recording_track(f->recording, body).info;
	return info.type == CAIRN_DYNAMIC && f->places[body].there && (!w->k->body || strcmp(w->k->body, info.name) == 0);
}

static void look_at_all(watch *watches, uint32_t count, const compare_strip *f, const compare_place *first, double time)
{
	for (uint32_t i = 0; i < count; ++i)
		for (uint32_t body = 0; body < f->info.bodies; ++body)
			if (is_watched(&watches[i], f, body))
				look(&watches[i], f, first, body, time);
}

static compare_answer answer_of(const watch *w, double time)
{
	const known *k = w->k;
	compare_answer a = {k->what, k->unit, k->expected(w->g, time), w->value, false};
	switch (k->rule) {
	case WITHIN: a.met = fabs(a.measured - a.expected) <= k->off * fabs(a.expected); break;
	case AT_MOST: a.met = a.measured <= a.expected; break;
	case MORE: a.met = a.measured > a.expected; break;
	}
	return a;
}

const char *compare_answer_word(const compare_answer *a)
{
	return isnan(a->measured) ? "too short" : a->met ? "met" : "not met";
}

int compare_known(const compare *c, compare_column *column, compare_strip *f)
{
	watch watches[COMPARE_ANSWERS_MOST];
	uint32_t count = 0;
	cairn_vec3 g = c->settings.gravity;
	for (uint32_t i = 0; i < KNOWN_COUNT && count < COMPARE_ANSWERS_MOST && c->from.kind == SOURCE_BUNDLED; ++i)
		if (strcmp(KNOWN[i].scene, c->from.argument) == 0)
			watches[count++] = (watch){&KNOWN[i], distance(g, (cairn_vec3){0, 0, 0}), c->settings.fps, NAN};
	if (count == 0)
		return STATUS_DONE;
	int result = compare_strip_read(f, 0);
	compare_place *first = memory_resize(NULL, (f->info.bodies + 1) * sizeof first[0]);
	memcpy(first, f->places, f->info.bodies * sizeof first[0]);
	for (uint32_t frame = 1; frame <= column->frames && result == STATUS_DONE; ++frame) {
		result = compare_strip_read(f, frame * column->finer);
		if (result == STATUS_DONE)
			look_at_all(watches, count, f, first, frame / c->settings.fps);
	}
	for (uint32_t i = 0; i < count; ++i)
		column->answers[i] = answer_of(&watches[i], column->frames / c->settings.fps);
	column->answer_count = count;
	free(first);
	return result;
}
